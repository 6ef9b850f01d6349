/* The thread pool.
 *
 * pool_for puts a job on a list, works on it together with whichever threads join, takes it off the
 * list and waits for those that joined. It never works on anything else while it waits, so nested
 * calls cannot wait for each other in a circle: a thread only ever waits for threads that are
 * inside a chunk it handed out itself.
 *
 * A launch of a small kernel is a pool_for, so waking up matters: a thread without work watches
 * `posted` for SPIN_NS before it goes to sleep, and a caller watches its helpers the same way. */
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 20000, SPIN_ROUND = 32, CALLERS = 64, CHUNKS_PER_THREAD = 8 };

/* One pool_for; lives on its caller's stack. */
struct job {
    struct job *prev, *next;
    pool_range_fn *fn;
    void *arg;
    uint64_t n, chunk, nchunks;
    _Atomic uint64_t claimed; /* chunks handed out; may run past nchunks */
    _Atomic unsigned helpers; /* threads that joined and have not left; written under the lock */
    bool asleep;              /* the caller waits on pool->done; under the lock */
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct job jobs; /* ring of jobs that may still have chunks; this one is only its anchor */
    _Atomic unsigned posted; /* changes when there may be new work; written under the lock */
    unsigned sleepers;       /* threads waiting on `work` */
    bool stop;
    unsigned nthreads;
    unsigned created, started; /* threads that exist; that have taken their number */
    pthread_t *threads;
    /* Who has which worker number: pool threads the first nthreads, callers from outside the rest.
     */
    _Atomic uintptr_t *owners;
};

static uintptr_t self(void)
{
    return (uintptr_t)pthread_self();
}

unsigned thread_cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

uint64_t thread_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::
                         : "memory"); /* `yield` does nothing on most cores; isb waits a little */
#endif
}

/* Spins while *word is value, for SPIN_NS at most; tells whether it changed. */
static bool spin_while(_Atomic unsigned *word, unsigned value)
{
    uint64_t start = thread_nanoseconds();
    do {
        for (int i = 0; i < SPIN_ROUND; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != value)
                return true;
            relax();
        }
    } while (thread_nanoseconds() - start < SPIN_NS);
    return false;
}

static void run_chunks(struct job *j, unsigned worker)
{
    for (;;) {
        uint64_t i = atomic_fetch_add_explicit(&j->claimed, 1, memory_order_relaxed);
        if (i >= j->nchunks)
            return;
        uint64_t begin = i * j->chunk;
        uint64_t end = j->n - begin < j->chunk ? j->n : begin + j->chunk;
        j->fn(j->arg, begin, end, worker);
    }
}

/* Under the lock: a job with chunks left and room for one more helper. */
static struct job *find_job(struct pool *p)
{
    for (struct job *j = p->jobs.next; j != &p->jobs; j = j->next)
        if (atomic_load_explicit(&j->claimed, memory_order_relaxed) < j->nchunks &&
            atomic_load_explicit(&j->helpers, memory_order_relaxed) + 1 < p->nthreads)
            return j;
    return NULL;
}

/* Under the lock, which it lets go of meanwhile. */
static void help(struct pool *p, struct job *j, unsigned worker)
{
    atomic_fetch_add_explicit(&j->helpers, 1, memory_order_relaxed);
    pthread_mutex_unlock(&p->lock);
    run_chunks(j, worker);
    pthread_mutex_lock(&p->lock);
    bool asleep = j->asleep; /* a caller that is awake may be gone as soon as helpers is 0 */
    if (atomic_fetch_sub_explicit(&j->helpers, 1, memory_order_release) == 1 && asleep)
        pthread_cond_broadcast(&p->done);
}

static void *thread_main(void *arg)
{
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    unsigned worker = p->started++;
    atomic_store(&p->owners[worker], self());
    for (;;) {
        struct job *j = find_job(p);
        if (j) {
            help(p, j, worker);
        } else if (p->stop) {
            break;
        } else {
            unsigned seen = atomic_load(&p->posted);
            pthread_mutex_unlock(&p->lock);
            bool news = spin_while(&p->posted, seen);
            pthread_mutex_lock(&p->lock);
            if (!news && atomic_load(&p->posted) == seen) {
                p->sleepers++;
                pthread_cond_wait(&p->work, &p->lock);
                p->sleepers--;
            }
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Under the lock: there is new work for n threads. */
static void post(struct pool *p, uint64_t n)
{
    atomic_fetch_add_explicit(&p->posted, 1, memory_order_release);
    if (n >= p->sleepers && p->sleepers)
        pthread_cond_broadcast(&p->work);
    else
        while (p->sleepers && n--)
            pthread_cond_signal(&p->work);
}

unsigned pool_size(const struct pool *p)
{
    return p->nthreads;
}

unsigned pool_slots(const struct pool *p)
{
    return p->nthreads + CALLERS;
}

/* The worker number of the calling thread. *taken: it was given one now and has to return it. */
static unsigned take_slot(struct pool *p, bool *taken)
{
    uintptr_t me = self();
    unsigned slots = pool_slots(p);
    *taken = false;
    for (unsigned i = 0; i < slots; i++)
        if (atomic_load_explicit(&p->owners[i], memory_order_relaxed) == me)
            return i;
    *taken = true;
    for (;;) {
        for (unsigned i = p->nthreads; i < slots; i++) {
            uintptr_t nobody = 0;
            if (!atomic_load_explicit(&p->owners[i], memory_order_relaxed) &&
                atomic_compare_exchange_strong(&p->owners[i], &nobody, me))
                return i;
        }
        /* More callers than numbers: rare, so that waiting need not be quick. */
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

void pool_for(struct pool *p, uint64_t n, uint64_t chunk, pool_range_fn *fn, void *arg)
{
    if (!n)
        return;
    if (!chunk)
        chunk = n / (p->nthreads * CHUNKS_PER_THREAD) + 1;
    struct job j = {
        .fn = fn, .arg = arg, .n = n, .chunk = chunk, .nchunks = n / chunk + (n % chunk != 0)};
    bool taken;
    unsigned worker = take_slot(p, &taken);

    if (j.nchunks == 1 || p->nthreads == 1) {
        run_chunks(&j, worker);
    } else {
        pthread_mutex_lock(&p->lock);
        j.prev = p->jobs.prev;
        j.next = &p->jobs;
        j.prev->next = j.next->prev = &j;
        post(p, j.nchunks - 1);
        pthread_mutex_unlock(&p->lock);

        run_chunks(&j, worker);

        pthread_mutex_lock(&p->lock);
        j.prev->next = j.next;
        j.next->prev = j.prev;
        pthread_mutex_unlock(&p->lock);
        unsigned left;
        while ((left = atomic_load_explicit(&j.helpers, memory_order_acquire)))
            if (!spin_while(&j.helpers, left)) {
                pthread_mutex_lock(&p->lock);
                j.asleep = true;
                while (atomic_load_explicit(&j.helpers, memory_order_acquire))
                    pthread_cond_wait(&p->done, &p->lock);
                pthread_mutex_unlock(&p->lock);
            }
    }
    if (taken)
        atomic_store_explicit(&p->owners[worker], 0, memory_order_release);
}

static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
#ifdef __GLIBC__
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP); /* spins before it sleeps */
#endif
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

enum tern_error pool_create(struct pool **out, unsigned nthreads)
{
    *out = NULL;
    if (!nthreads)
        nthreads = thread_cores();
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return TERN_OUT_OF_MEMORY;
    p->threads = calloc(nthreads, sizeof *p->threads);
    p->owners = calloc(nthreads + CALLERS, sizeof *p->owners);
    init_lock(&p->lock);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    p->jobs.next = p->jobs.prev = &p->jobs;
    bool ok = p->threads && p->owners;

    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->nthreads = nthreads;
    while (ok && p->created < nthreads) {
        ok = !pthread_create(&p->threads[p->created], NULL, thread_main, p);
        p->created += ok;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        pool_destroy(p);
        return TERN_OUT_OF_MEMORY;
    }
    *out = p;
    return TERN_OK;
}

void pool_destroy(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    post(p, UINT64_MAX);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->created; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    free(p->owners);
    free(p);
}
