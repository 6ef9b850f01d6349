/* Memory that the ranks of one machine share: a memfd that the first of them makes and hands to
 * the others over a socket, after they have proved that they know the unique id. The ranks of one
 * process map it once.
 *
 * Each rank holds a lock on a byte of the file through a description of its own, which the kernel
 * lets go of when the process dies, however it dies: so who waits finds out.
 *
 *   header | marks, bells (a cache line each) | pipes | two slabs for each rank */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

enum { LINE = 64, PIPE_MOST = 256 << 10, PIPE_LEAST = 4 << 10, PIPES_BYTES = 32 << 20 };

struct word { /* what is waited for */
    _Alignas(LINE) _Atomic uint32_t value;
    _Atomic uint32_t waiters;
};

/* Bytes from one rank to another: written by one, read by one. */
struct nccl_pipe {
    _Alignas(LINE) _Atomic uint64_t head; /* bytes ever written */
    _Alignas(LINE) _Atomic uint64_t tail; /* bytes ever read */
    _Alignas(LINE) uint64_t size;
    uint8_t bytes[];
};

struct nccl_segment {
    struct nccl_segment *next;
    uint8_t name[NCCL_KEY];
    int users;   /* ranks of this process */
    bool made;   /* it can be used; until then one of them brings it */
    bool failed; /* it could not be brought */
    int fd, n;
    uint8_t *memory;
    size_t bytes, pipe_bytes; /* of a pipe with its head */
    _Atomic int *locks;       /* a description of each rank of this process */
};

/* ---- layout ---- */

static size_t pipe_size(int n)
{
    size_t size = PIPE_MOST;
    while (size > PIPE_LEAST && size * (size_t)n * (size_t)n > PIPES_BYTES)
        size /= 2;
    return size;
}

static size_t words_at(void)
{
    return LINE;
}

static size_t pipes_at(int n)
{
    return words_at() + 2 * (size_t)n * sizeof(struct word);
}

static size_t slabs_at(int n, size_t pipe)
{
    return (pipes_at(n) + (size_t)n * (size_t)n * pipe + 4095) / 4096 * 4096;
}

static struct word *mark_of(struct nccl_segment *s, int k)
{
    return (struct word *)(void *)(s->memory + words_at()) + k;
}

static struct word *bell_of(struct nccl_segment *s, int k)
{
    return mark_of(s, s->n + k);
}

uint8_t *nccl_slab(struct nccl_segment *s, int node_rank, int half)
{
    return s->memory + slabs_at(s->n, s->pipe_bytes) +
           (2 * (size_t)node_rank + (size_t)half) * nccl_slab_bytes(s->n);
}

struct nccl_pipe *nccl_pipe(struct nccl_segment *s, int from, int to)
{
    return (void *)(s->memory + pipes_at(s->n) +
                    ((size_t)from * (size_t)s->n + (size_t)to) * s->pipe_bytes);
}

static void lay_out(struct nccl_segment *s, int n)
{
    s->n = n;
    s->pipe_bytes = sizeof(struct nccl_pipe) + pipe_size(n);
    s->bytes = slabs_at(n, s->pipe_bytes) + 2 * (size_t)n * nccl_slab_bytes(n);
}

/* ---- making, passing ---- */

static bool map(struct nccl_segment *s)
{
    void *p = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    s->memory = p == MAP_FAILED ? NULL : p;
    return s->memory != NULL;
}

static bool make(struct nccl_segment *s)
{
    s->fd = memfd_create("tern-nccl", MFD_CLOEXEC);
    /* Reserved whole: memory that is not there is an error now, not a signal later. */
    if (s->fd < 0 || posix_fallocate(s->fd, 0, (off_t)s->bytes) || !map(s))
        return false;
    for (int from = 0; from < s->n; from++)
        for (int to = 0; to < s->n; to++)
            nccl_pipe(s, from, to)->size = s->pipe_bytes - sizeof(struct nccl_pipe);
    return true;
}

struct handing {
    const struct ncclComm *comm;
    const struct nccl_segment *segment;
    int takers; /* that have not come yet */
};

static bool hand_to(void *arg, int fd, const struct nccl_hello *h)
{
    struct handing *a = arg;
    if (h->role == NCCL_ROLE_SEGMENT && h->nranks == (uint32_t)a->comm->n &&
        nccl_pass_fd(fd, a->segment->fd))
        a->takers--;
    return false; /* that was all */
}

/* Hands the file to one rank of each other process of the machine. */
static ncclResult_t hand_out(struct ncclComm *c, struct nccl_segment *s, int listening, int takers)
{
    const int64_t until = nccl_now_ms() + NCCL_MEET_S * 1000;
    struct handing a = {c, s, takers};
    struct nccl_door door;
    ncclResult_t e = ncclSuccess;
    nccl_door_open(&door, listening);
    while (a.takers && !nccl_failed(c) && !e) {
        struct pollfd p[NCCL_DOOR_POLLS];
        poll(p, (nfds_t)nccl_door_polls(&door, p), NCCL_TICK_MS);
        nccl_door_hear(&door, p, c->id.key, hand_to, &a);
        if (a.takers && nccl_now_ms() > until)
            e = nccl_fail(c, ncclSystemError, "a rank did not take the shared memory");
    }
    nccl_door_close(&door);
    return nccl_failed(c) ? (ncclResult_t)atomic_load(&c->error) : e;
}

static ncclResult_t take(struct ncclComm *c, struct nccl_segment *s)
{
    const int64_t until = nccl_now_ms() + NCCL_MEET_S * 1000;
    int fd = -1;
    struct nccl_hello h = {.role = NCCL_ROLE_SEGMENT,
                           .rank = (uint32_t)c->rank,
                           .nranks = (uint32_t)c->n,
                           .to = (uint32_t)c->node[0]};
    while (fd < 0 && !nccl_failed(c) && nccl_now_ms() < until) {
        fd = nccl_unix_connect(s->name);
        if (fd < 0)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    struct stat st;
    if (fd >= 0 && nccl_call_out(fd, c->id.key, &h))
        s->fd = nccl_take_fd(fd);
    if (fd >= 0)
        close(fd);
    if (s->fd < 0 || fstat(s->fd, &st) || (size_t)st.st_size != s->bytes || !map(s))
        return nccl_fail(c, ncclSystemError, "rank %d did not hand out its shared memory",
                         c->node[0]);
    return ncclSuccess;
}

/* How many processes of the machine beside that of its first rank. */
static int other_processes(const struct ncclComm *c)
{
    int count = 0;
    for (int k = 1; k < c->node_n; k++) {
        const uint64_t process = c->entries[c->node[k]].process;
        bool seen = process == c->entries[c->node[0]].process;
        for (int j = 1; j < k && !seen; j++)
            seen = c->entries[c->node[j]].process == process;
        count += !seen;
    }
    return count;
}

/* A description of this rank's own, with the lock on its byte. */
static bool hold(struct nccl_segment *s, int node_rank)
{
    char path[64];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = node_rank, .l_len = 1};
    snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    atomic_store(&s->locks[node_rank], fd);
    return fd >= 0 && !fcntl(fd, F_OFD_SETLK, &lock);
}

bool nccl_near_alive(struct nccl_segment *s, int node_rank)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = node_rank, .l_len = 1};
    if (atomic_load(&s->locks[node_rank]) >= 0)
        return true; /* of this process */
    return fcntl(s->fd, F_OFD_GETLK, &lock) || lock.l_type != F_UNLCK;
}

static void release(struct nccl_segment *s)
{
    if (s->memory)
        munmap(s->memory, s->bytes);
    if (s->fd >= 0)
        close(s->fd);
    free((void *)s->locks);
    free(s);
}

static ncclResult_t bring(struct ncclComm *c, struct nccl_segment *s)
{
    if (c->entries[c->node[0]].process != nccl_process())
        return take(c, s);
    const int takers = other_processes(c);
    const int listening = takers ? nccl_unix_listen(s->name) : -1;
    ncclResult_t e = ncclSuccess;
    if (!make(s) || (takers && listening < 0))
        e = nccl_fail(c, ncclSystemError, "%zu bytes of shared memory cannot be had: %s", s->bytes,
                      strerror(errno));
    if (!e && takers)
        e = hand_out(c, s, listening, takers);
    if (listening >= 0)
        close(listening);
    return e;
}

static struct nccl_segment *segment_new(const struct ncclComm *c, const uint8_t name[NCCL_KEY])
{
    struct nccl_segment *s = calloc(1, sizeof *s);
    if (s)
        s->locks = malloc((size_t)c->node_n * sizeof *s->locks);
    if (!s || !s->locks) {
        free(s);
        return NULL;
    }
    for (int k = 0; k < c->node_n; k++)
        s->locks[k] = -1;
    memcpy(s->name, name, sizeof s->name);
    s->fd = -1;
    lay_out(s, c->node_n);
    s->next = *nccl_segments();
    *nccl_segments() = s;
    return s;
}

static struct nccl_segment *find(const uint8_t name[NCCL_KEY])
{
    struct nccl_segment *s = *nccl_segments();
    while (s && memcmp(s->name, name, sizeof s->name))
        s = s->next;
    return s;
}

/* Under the lock. */
static void let_go(struct nccl_segment *s)
{
    if (--s->users)
        return;
    for (struct nccl_segment **p = nccl_segments(); *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    release(s);
}

ncclResult_t nccl_segment_open(struct ncclComm *c)
{
    uint8_t name[NCCL_KEY], about[NCCL_KEY + sizeof(int)];
    memcpy(about, c->entries[c->rank].host, NCCL_KEY);
    memcpy(about + NCCL_KEY, &c->node[0], sizeof(int));
    nccl_mac(c->id.key, about, sizeof about, name);
    ncclResult_t e = ncclSuccess;
    nccl_segments_lock();
    struct nccl_segment *s = find(name);
    const bool first = !s;
    if (first)
        s = segment_new(c, name);
    if (!s) {
        nccl_segments_unlock();
        return nccl_fail(c, ncclSystemError, "there is no memory");
    }
    s->users++;
    if (first) { /* the first rank of the process brings it, the others wait */
        nccl_segments_unlock();
        e = bring(c, s);
        nccl_segments_lock();
        s->made = !e;
        s->failed = e;
        nccl_segments_changed();
    }
    while (!s->made && !s->failed)
        nccl_segments_wait();
    if (s->failed && !e)
        e = nccl_fail(c, ncclSystemError, "the shared memory could not be had");
    if (!e && !hold(s, c->node_rank))
        e = nccl_fail(c, ncclSystemError, "the shared memory cannot be locked: %s",
                      strerror(errno));
    if (e)
        let_go(s);
    else
        c->segment = s;
    nccl_segments_unlock();
    return e;
}

void nccl_segment_close(struct ncclComm *c)
{
    struct nccl_segment *s = c->segment;
    if (!s)
        return;
    c->segment = NULL;
    nccl_segments_lock();
    close(atomic_exchange(&s->locks[c->node_rank], -1));
    let_go(s);
    nccl_segments_unlock();
}

/* ---- waiting ---- */

static void futex_wait(_Atomic uint32_t *at, uint32_t seen, int ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    syscall(SYS_futex, at, FUTEX_WAIT, seen, &t, NULL, 0);
}

static void set(struct word *w, uint32_t value)
{
    atomic_store(&w->value, value);
    if (atomic_load(&w->waiters))
        syscall(SYS_futex, &w->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool reached(struct word *w, uint32_t mark)
{
    return (int32_t)(atomic_load_explicit(&w->value, memory_order_acquire) - mark) >= 0;
}

static void relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("isb");
#elif defined(__x86_64__)
    __asm__ volatile("pause");
#endif
}

/* Who waits turns for a while where each rank has a core, then lets others run, then sleeps. Where
 * other programs want the cores too, who lets them run comes back late, and who sleeps is woken at
 * once: a rank that came back late sleeps in the next waits. With such programs beside them
 * all-reduces of 16 MB took 5 to 16 times as long as they do so. */
enum { TURNS = 2000, YIELDS = 30, LATE_NS = 200000, WARY = 1000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* false: it took long, or has lately. */
static bool let_others_run(struct ncclComm *c)
{
    if (c->wary)
        return false;
    const int64_t start = now_ns();
    sched_yield();
    if (now_ns() - start > LATE_NS)
        c->wary = WARY;
    return !c->wary;
}

static bool soon(struct ncclComm *c, struct word *w, uint32_t mark)
{
    const int turns = c->crowded ? 0 : TURNS;
    for (int k = 0; k < turns; k++) {
        if (reached(w, mark))
            return true;
        relax();
    }
    c->wary -= c->wary > 0;
    for (int k = 0; k < YIELDS; k++)
        if (reached(w, mark))
            return true;
        else if (!let_others_run(c))
            break;
    return reached(w, mark);
}

void nccl_mark(struct ncclComm *c, uint32_t mark)
{
    set(mark_of(c->segment, c->node_rank), mark);
}

bool nccl_await(struct ncclComm *c, int node_rank, uint32_t mark)
{
    struct word *w = mark_of(c->segment, node_rank);
    if (reached(w, mark) || soon(c, w, mark))
        return true;
    for (;;) {
        const int rank = c->node[node_rank];
        /* In this order: what a rank did before it left is seen after it is known to have left. */
        const bool left = atomic_load(&c->left[rank]);
        const bool alive = nccl_near_alive(c->segment, node_rank);
        atomic_fetch_add(&w->waiters, 1);
        const uint32_t seen = atomic_load(&w->value);
        const bool there = (int32_t)(seen - mark) >= 0;
        if (!there && !left && alive && !nccl_failed(c))
            futex_wait(&w->value, seen, NCCL_TICK_MS);
        atomic_fetch_sub(&w->waiters, 1);
        if (there)
            return true;
        const int failed = nccl_segment_failed(c->segment);
        if (!nccl_failed(c) && failed >= 0)
            nccl_fail(c, ncclRemoteError, "rank %d has failed", failed);
        if (nccl_failed(c))
            return false;
        if (left || !alive) {
            nccl_fail(c, ncclRemoteError, left ? "rank %d has left" : "rank %d is lost", rank);
            return false;
        }
    }
}

bool nccl_await_all(struct ncclComm *c, uint32_t mark)
{
    for (int k = 1; k < c->node_n; k++)
        if (!nccl_await(c, (c->node_rank + k) % c->node_n, mark))
            return false;
    return true;
}

/* The header: one word, the first rank that failed, counted from 1. */
static _Atomic uint32_t *failure(struct nccl_segment *s)
{
    return (_Atomic uint32_t *)(void *)s->memory;
}

int nccl_segment_failed(struct nccl_segment *s)
{
    return (int)atomic_load(failure(s)) - 1;
}

void nccl_segment_fail(struct nccl_segment *s, int rank)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(failure(s), &none, (uint32_t)rank + 1);
    for (int k = 0; k < s->n; k++) {
        syscall(SYS_futex, &mark_of(s, k)->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        nccl_ring_bell(s, k);
    }
}

/* ---- pipes, bells ---- */

void nccl_ring_bell(struct nccl_segment *s, int node_rank)
{
    struct word *w = bell_of(s, node_rank);
    atomic_fetch_add(&w->value, 1);
    if (atomic_load(&w->waiters))
        syscall(SYS_futex, &w->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t nccl_bell(struct nccl_segment *s, int node_rank)
{
    return atomic_load(&bell_of(s, node_rank)->value);
}

void nccl_wait_bell(struct ncclComm *c, uint32_t seen, int timeout_ms)
{
    struct word *w = bell_of(c->segment, c->node_rank);
    c->wary -= c->wary > 0;
    for (int k = 0; k < YIELDS; k++)
        if (atomic_load(&w->value) != seen)
            return;
        else if (!let_others_run(c))
            break;
    atomic_fetch_add(&w->waiters, 1);
    if (atomic_load(&w->value) == seen)
        futex_wait(&w->value, seen, timeout_ms);
    atomic_fetch_sub(&w->waiters, 1);
}

size_t nccl_pipe_put(struct nccl_pipe *p, const void *data, size_t n)
{
    const uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed),
                   tail = atomic_load_explicit(&p->tail, memory_order_acquire);
    const size_t size = (size_t)p->size, room = size - (size_t)(head - tail),
                 at = (size_t)(head & (size - 1));
    if (n > room)
        n = room;
    const size_t first = n < size - at ? n : size - at;
    memcpy(p->bytes + at, data, first);
    memcpy(p->bytes, (const uint8_t *)data + first, n - first);
    atomic_store_explicit(&p->head, head + n, memory_order_release);
    return n;
}

size_t nccl_pipe_get(struct nccl_pipe *p, void *data, size_t n)
{
    const uint64_t tail = atomic_load_explicit(&p->tail, memory_order_relaxed),
                   head = atomic_load_explicit(&p->head, memory_order_acquire);
    const size_t size = (size_t)p->size, have = (size_t)(head - tail),
                 at = (size_t)(tail & (size - 1));
    if (n > have)
        n = have;
    const size_t first = n < size - at ? n : size - at;
    memcpy(data, p->bytes + at, first);
    memcpy((uint8_t *)data + first, p->bytes, n - first);
    atomic_store_explicit(&p->tail, tail + n, memory_order_release);
    return n;
}
