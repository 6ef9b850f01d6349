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
static void *answer_marks(void *arg)
{
    _Atomic int *mark = arg;
    for (int k = 0; k < PINGS; k++) {
        while (atomic_load_explicit(mark, memory_order_acquire) != 2 * k + 1)
            sched_yield();
        atomic_store_explicit(mark, 2 * k + 2, memory_order_release);
    }
    return NULL;
}

static void marks(struct model_machine *m)
{
    _Atomic int mark = 0;
    pthread_t t;
    if (pthread_create(&t, NULL, answer_marks, &mark))
        return;
    double start = 0, best = 1e12; /* of batches: in some, both threads had a core */
    for (int k = 0; k < PINGS; k++) {
        if (k % BATCH == 0)
            start = clock_ns(CLOCK_MONOTONIC);
        atomic_store_explicit(&mark, 2 * k + 1, memory_order_release);
        while (atomic_load_explicit(&mark, memory_order_acquire) != 2 * k + 2)
            sched_yield();
        const double took = clock_ns(CLOCK_MONOTONIC) - start;
        best = k % BATCH == BATCH - 1 && took < best ? took : best;
    }
    m->wake = best / BATCH / 2 / 1e3;
    pthread_join(t, NULL);
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
    marks(m);
    sockets(m);
    connections(m);
}
