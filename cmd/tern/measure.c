/* The parameters of this machine, for the model of simulate.h: what a core copies and sums, how
 * soon another thread sees what is written, and what the loopback's TCP takes of a core. */
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "simulate.h"

enum { BLOCK = 256 << 10, ROUNDS = 200, PINGS = 2000, BATCH = 50 };
#define PATIENCE_NS 2e9 /* for what takes two threads, on a busy machine */

static double clock_ns(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The processor time of this thread: other programs take little of it away. */
static double own_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Between two buffers of 32 MB: what no core's cache holds. */
static void memory(struct model_machine *m)
{
    const size_t n = 32 << 20;
    char *a = malloc(2 * n);
    if (!a)
        return;
    memset(a, 1, 2 * n);
    const double start = own_ns();
    for (int r = 0; r < 3; r++) {
        memcpy(a, a + n, n);
        __asm__ volatile("" ::"r"(a) : "memory");
    }
    m->memory = 3.0 * (double)n / (own_ns() - start);
    free(a);
    const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    m->cache = cache > 0 ? (double)cache / 1e6 : m->cache;
}

static void rates(struct model_machine *m)
{
    const size_t n = BLOCK / sizeof(float);
    float *a = malloc(3 * (size_t)BLOCK), *b = a ? a + n : NULL, *c = a ? b + n : NULL;
    if (!a)
        return;
    for (size_t k = 0; k < 3 * n; k++)
        a[k] = (float)k;
    double start = own_ns();
    for (int r = 0; r < ROUNDS; r++) {
        memcpy(a, b, BLOCK);
        __asm__ volatile("" ::"r"(a) : "memory");
    }
    m->copy = (double)BLOCK * ROUNDS / (own_ns() - start);
    start = own_ns();
    for (int r = 0; r < ROUNDS; r++) {
        for (size_t k = 0; k < n; k++)
            a[k] = b[k] + c[k];
        __asm__ volatile("" ::"r"(a) : "memory");
    }
    m->sum = (double)BLOCK * ROUNDS / (own_ns() - start);
    free(a);
}

/* ---- marks in memory ---- */

/* Looks for a while and then lets others run: where other programs want the cores, who does that
 * at once never meets the other thread at work. */
static void look_again(int *looks)
{
    if (++*looks % 20000 == 0)
        sched_yield();
}

enum { LEAVE = -1 };

static void *answer_marks(void *arg)
{
    _Atomic int *mark = arg;
    int looks = 0, seen;
    for (int k = 0;; k++) {
        while ((seen = atomic_load_explicit(mark, memory_order_acquire)) != 2 * k + 1) {
            if (seen == LEAVE)
                return NULL;
            look_again(&looks);
        }
        atomic_store_explicit(mark, 2 * k + 2, memory_order_release);
    }
}

static void marks(struct model_machine *m)
{
    _Atomic int mark = 0;
    pthread_t t;
    int looks = 0;
    if (pthread_create(&t, NULL, answer_marks, &mark))
        return;
    const double begin = clock_ns(CLOCK_MONOTONIC);
    double start = begin, best = 1e12; /* of batches: in some, both threads had a core */
    for (int k = 0; k < PINGS && (k < BATCH || start - begin < PATIENCE_NS); k++) {
        if (k % BATCH == 0)
            start = clock_ns(CLOCK_MONOTONIC);
        atomic_store_explicit(&mark, 2 * k + 1, memory_order_release);
        while (atomic_load_explicit(&mark, memory_order_acquire) != 2 * k + 2)
            look_again(&looks);
        const double took = clock_ns(CLOCK_MONOTONIC) - start;
        best = k % BATCH == BATCH - 1 && took < best ? took : best;
    }
    atomic_store_explicit(&mark, LEAVE, memory_order_release);
    m->wake = best / BATCH / 2 / 1e3;
    pthread_join(t, NULL);
}

/* Two threads on one core, by a pipe each way. */
struct turns {
    int there[2], back[2];
    cpu_set_t core;
};

static void *answer_turns(void *arg)
{
    const struct turns *t = arg;
    char byte;
    pthread_setaffinity_np(pthread_self(), sizeof t->core, &t->core);
    while (read(t->there[0], &byte, 1) == 1 && write(t->back[1], &byte, 1) == 1)
        ;
    return NULL;
}

static void *take_turns(void *arg)
{
    struct turns *t = arg;
    static const char one = 1;
    double *best = malloc(sizeof *best);
    char byte;
    pthread_t other;
    pthread_setaffinity_np(pthread_self(), sizeof t->core, &t->core);
    if (!best || pthread_create(&other, NULL, answer_turns, t)) {
        free(best);
        return NULL;
    }
    *best = 1e12;
    const double begin = clock_ns(CLOCK_MONOTONIC);
    for (int b = 0; b < 20 && clock_ns(CLOCK_MONOTONIC) - begin < PATIENCE_NS; b++) {
        const double start = clock_ns(CLOCK_MONOTONIC);
        for (int k = 0; k < BATCH; k++)
            if (write(t->there[1], &one, 1) != 1 || read(t->back[0], &byte, 1) != 1)
                break;
        const double took = clock_ns(CLOCK_MONOTONIC) - start;
        *best = took < *best ? took : *best;
    }
    close(t->there[1]);
    pthread_join(other, NULL);
    return best;
}

static void turns(struct model_machine *m)
{
    struct turns t;
    pthread_t thread;
    void *best = NULL;
    CPU_ZERO(&t.core);
    CPU_SET(sched_getcpu() >= 0 ? sched_getcpu() : 0, &t.core);
    if (pipe(t.there))
        return;
    if (!pipe(t.back)) {
        if (!pthread_create(&thread, NULL, take_turns, &t)) {
            pthread_join(thread, &best);
            if (best)
                m->turn = *(double *)best / BATCH / 2 / 1e3;
        } else {
            close(t.there[1]);
        }
        free(best);
        close(t.back[0]);
        close(t.back[1]);
    } else {
        close(t.there[1]);
    }
    close(t.there[0]);
}

/* ---- TCP ---- */
static bool whole(int fd, char *data, size_t n, bool out)
{
    for (size_t at = 0; at < n;) {
        const ssize_t k =
            out ? send(fd, data + at, n - at, MSG_NOSIGNAL) : recv(fd, data + at, n - at, 0);
        if (k <= 0)
            return false;
        at += (size_t)k;
    }
    return true;
}

struct far_end {
    int fd;
    char *data;
    double ns; /* of its core, for the stream */
};

static void *answer_socket(void *arg)
{
    struct far_end *f = arg;
    char byte;
    for (int k = 0; k < PINGS; k++)
        if (!whole(f->fd, &byte, 1, false) || !whole(f->fd, &byte, 1, true))
            return NULL;
    const double start = own_ns();
    for (int k = 0; k < ROUNDS; k++)
        if (!whole(f->fd, f->data, BLOCK, false))
            return NULL;
    f->ns = own_ns() - start;
    return NULL;
}

static bool socket_pair(int fds[2])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof a;
    const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fds[1] = -1;
    if (listening >= 0 && fds[0] >= 0 && !bind(listening, (struct sockaddr *)&a, sizeof a) &&
        !listen(listening, 1) && !getsockname(listening, (struct sockaddr *)&a, &n) &&
        !connect(fds[0], (struct sockaddr *)&a, sizeof a))
        fds[1] = accept(listening, NULL, NULL);
    close(listening);
    if (fds[1] < 0)
        close(fds[0]);
    return fds[1] >= 0;
}

/* A rank that comes: a connection is made and taken, four messages pass on it, two of them the
 * root's. */
static void connections(struct model_machine *m)
{
    enum { TIMES = 100 };
    int fds[2], made = 0;
    const double start = own_ns();
    for (; made < TIMES && socket_pair(fds); made++) {
        close(fds[0]);
        close(fds[1]);
    }
    if (made)
        m->connect = (own_ns() - start) / made / 1e3 + 4 * m->message;
}

static void sockets(struct model_machine *m)
{
    int fds[2];
    char byte = 0, *data = calloc(2, BLOCK);
    pthread_t t;
    if (!data || !socket_pair(fds)) {
        free(data);
        return;
    }
    struct far_end far = {fds[1], data + BLOCK, 0};
    if (!pthread_create(&t, NULL, answer_socket, &far)) {
        double start = own_ns();
        bool right = true;
        for (int k = 0; k < PINGS && right; k++)
            right = whole(fds[0], &byte, 1, true) && whole(fds[0], &byte, 1, false);
        const double pings = own_ns() - start;
        start = own_ns();
        for (int k = 0; k < ROUNDS && right; k++)
            right = whole(fds[0], data, BLOCK, true);
        const double stream = own_ns() - start;
        shutdown(fds[0], SHUT_WR);
        pthread_join(t, NULL);
        if (right && far.ns > 0) {
            m->message = pings / PINGS / 2 / 1e3;
            m->socket = 2.0 * BLOCK * ROUNDS / (stream + far.ns);
        }
    }
    close(fds[0]);
    close(fds[1]);
    free(data);
}

void model_measure(struct model_machine *m)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set))
        m->cores = CPU_COUNT(&set);
    rates(m);
    memory(m);
    marks(m);
    turns(m);
    sockets(m);
    connections(m);
}
