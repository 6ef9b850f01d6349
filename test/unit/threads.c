/* Tests of base: the thread pool. Meant to be run under CFG=tsan, too. */
#include <pthread.h>
#include <time.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "unit.h"

struct count {
    struct pool *pool;
    atomic_uchar *hits;
    atomic_int *busy; /* per worker number: calls that run now */
    atomic_int overlaps;
    atomic_llong sum;
};

static void hit(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct count *c = arg;
    if (worker >= pool_slots(c->pool) || atomic_fetch_add(&c->busy[worker], 1))
        atomic_fetch_add(&c->overlaps, 1);
    for (uint64_t i = begin; i < end; i++)
        atomic_fetch_add(&c->hits[i], 1);
    atomic_fetch_sub(&c->busy[worker], 1);
}

TEST(pool_visits_each_index_once)
{
    static const uint64_t chunks[] = {1, 7, 64, 1000, 5000, UINT64_MAX, 0};
    enum { N = 3001 };
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        struct count c = {.hits = arena_array(u->arena, atomic_uchar, N),
                          .busy = arena_array(u->arena, atomic_int, 1000)};
        NEED(pool_create(&c.pool, threads) == TERN_OK);
        CHECK_INT(pool_size(c.pool), threads);
        CHECK(pool_slots(c.pool) < 1000);
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
            pool_for(c.pool, N, chunks[k], hit, &c);
            for (size_t i = 0; i < N; i++)
                CHECK_INT(c.hits[i], k + 1);
        }
        pool_for(c.pool, 0, 1, hit, NULL);
        CHECK_INT(c.overlaps, 0);
        pool_destroy(c.pool);
    }
}

static void add(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct count *c = arg;
    (void)worker;
    for (; begin < end; begin++)
        atomic_fetch_add(&c->sum, (long long)begin);
}

static void nest(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct count *c = arg;
    (void)worker;
    for (; begin < end; begin++)
        pool_for(c->pool, 20, 1, add, c);
}

static void nest_twice(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct count *c = arg;
    (void)worker;
    for (; begin < end; begin++)
        pool_for(c->pool, 5, 1, nest, c);
}

TEST_ONCE(pool_nests)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct count c = {0};
        NEED(pool_create(&c.pool, threads) == TERN_OK);
        pool_for(c.pool, 50, 1, nest_twice, &c);
        CHECK_INT(c.sum, 50 * 5 * 190);
        pool_destroy(c.pool);
    }
}

static void *call_from_outside(void *arg)
{
    for (int i = 0; i < 20; i++)
        nest(arg, 0, 3, 0);
    return NULL;
}

TEST_ONCE(pool_serves_more_callers_than_it_has_numbers)
{
    enum { CALLERS = 80 };
    pthread_t threads[CALLERS];
    struct count c = {0};
    NEED(pool_create(&c.pool, 3) == TERN_OK);
    for (int i = 0; i < CALLERS; i++)
        NEED(!pthread_create(&threads[i], NULL, call_from_outside, &c));
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(c.sum, CALLERS * 60LL * 190);
    pool_destroy(c.pool);
}

TEST_ONCE(pool_wakes_after_sleep)
{
    struct count c = {0};
    NEED(pool_create(&c.pool, 2) == TERN_OK);
    for (int i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        pool_for(c.pool, 20, 1, add, &c);
    }
    CHECK_INT(c.sum, 20 * 190);
    pool_destroy(c.pool);
}

TEST(cores_and_clock)
{
    CHECK(thread_cores() >= 1);
    uint64_t t = thread_nanoseconds();
    CHECK(thread_nanoseconds() >= t);
}
