/* What a group does on one communicator, as work of a stream: a function that the stream calls when
 * it comes to it. On devices whose memory is not the host's the stream copies the data out before
 * and in after. Graphs hold the same function and copies. */
#include <stdlib.h>
#include <string.h>
#include "lib/nccl/nccl_int.h"

/* ---- doing it ---- */

static size_t in_count(const struct ncclComm *c, const struct nccl_op *op)
{
    const size_t n = (size_t)c->n;
    switch (op->what) {
    case NCCL_BROADCAST: return op->peer == c->rank ? op->count : 0;
    case NCCL_REDUCE_SCATTER: return n * op->count;
    case NCCL_RECV: return 0;
    default: return op->count;
    }
}

static size_t out_count(const struct ncclComm *c, const struct nccl_op *op)
{
    switch (op->what) {
    case NCCL_REDUCE: return op->peer == c->rank ? op->count : 0;
    case NCCL_ALL_GATHER: return (size_t)c->n * op->count;
    case NCCL_SEND: return 0;
    default: return op->count;
    }
}

/* The only rank's collectives are copies. */
static void alone(const struct nccl_op *op)
{
    if (op->scaled)
        nccl_scale(op->recv, op->send, op->count, op->type, op->scalar);
    else if (op->recv != op->send)
        memmove(op->recv, op->send, op->count * nccl_type_bytes(op->type));
}

static ncclResult_t collective(struct ncclComm *c, const struct nccl_op *given)
{
    struct nccl_op op = *given;
    if (op.scalar_at_run)
        memcpy(op.scalar, op.scalar_from, nccl_type_bytes(op.type));
    if (!op.count)
        return ncclSuccess;
    if (c->n == 1) {
        alone(&op);
        return ncclSuccess;
    }
    return c->node_n == c->n ? nccl_near(c, &op) : nccl_far(c, &op);
}

static bool between_two(const struct nccl_op *op)
{
    return op->what == NCCL_SEND || op->what == NCCL_RECV;
}

/* A rank's messages to itself, in order. */
static ncclResult_t to_self(struct ncclComm *c, const struct nccl_op *ops, int n)
{
    int r = 0;
    for (int s = 0; s < n; s++) {
        if (ops[s].what != NCCL_SEND || ops[s].peer != c->rank)
            continue;
        while (r < n && (ops[r].what != NCCL_RECV || ops[r].peer != c->rank))
            r++;
        const size_t bytes = ops[s].count * nccl_type_bytes(ops[s].type);
        if (r == n || ops[r].count * nccl_type_bytes(ops[r].type) != bytes)
            return nccl_fail(c, ncclInvalidUsage,
                             "a message of %zu bytes to itself is not received in its group",
                             bytes);
        memmove(ops[r++].recv, ops[s].send, bytes);
    }
    while (r < n && (ops[r].what != NCCL_RECV || ops[r].peer != c->rank))
        r++;
    return r == n
               ? ncclSuccess
               : nccl_fail(c, ncclInvalidUsage, "a message from itself is not sent in its group");
}

static ncclResult_t messages(struct ncclComm *c, const struct nccl_op *ops, int n)
{
    int count = 0;
    struct nccl_move *moves = calloc((size_t)n, sizeof *moves);
    if (!moves)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    for (int k = 0; k < n; k++) {
        const struct nccl_op *op = ops + k;
        if (!between_two(op) || op->peer == c->rank)
            continue;
        const bool send = op->what == NCCL_SEND;
        moves[count++] =
            (struct nccl_move){.peer = op->peer,
                               .send = send,
                               .data = send ? (uint8_t *)(uintptr_t)op->send : op->recv,
                               .bytes = op->count * nccl_type_bytes(op->type)};
    }
    ncclResult_t e = to_self(c, ops, n);
    if (!e)
        e = nccl_moves(c, moves, count);
    free(moves);
    return e;
}

void nccl_task_work(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    const struct nccl_op *ops = t->staged ? t->staged : t->ops;
    ncclResult_t e = (ncclResult_t)atomic_load(&c->error);
    bool some = false;
    pthread_mutex_lock(&c->run);
    for (int k = 0; k < t->nops && !e; k++) {
        if (between_two(ops + k))
            some = true;
        else
            e = collective(c, ops + k);
    }
    if (some && !e)
        messages(c, ops, t->nops);
    pthread_mutex_unlock(&c->run);
}

void nccl_task_done(struct ncclComm *c)
{
    pthread_mutex_lock(&c->lock);
    c->pending--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void run_once(void *arg)
{
    struct nccl_task *t = arg;
    struct ncclComm *c = t->comm;
    nccl_task_work(t);
    nccl_task_free(t);
    nccl_task_done(c);
}

bool nccl_task_recorded(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    if (!c) {
        lib_say("tern: NCCL: a graph was launched whose communicator is destroyed\n");
        return false;
    }
    pthread_mutex_lock(&c->lock);
    c->pending++;
    pthread_mutex_unlock(&c->lock);
    return true;
}

static void run_recorded(void *arg)
{
    struct nccl_task *t = arg;
    struct ncclComm *c = t->comm;
    if (!nccl_task_recorded(t))
        return;
    nccl_task_work(t);
    nccl_task_done(c);
}

/* ---- memory of the host for devices that have their own ---- */

static struct nccl_staging *staging_new(size_t bytes)
{
    struct nccl_staging *s = calloc(1, sizeof *s);
    if (!s || cudaMallocHost(&s->memory, bytes) != cudaSuccess) {
        free(s);
        return NULL;
    }
    s->bytes = bytes;
    return s;
}

static void staging_free(struct nccl_staging *s)
{
    cudaFreeHost(s->memory);
    free(s);
}

/* The communicator frees it. */
static void staging_keep(struct ncclComm *c, struct nccl_staging *s)
{
    pthread_mutex_lock(&c->lock);
    s->next = c->stagings;
    c->stagings = s;
    pthread_mutex_unlock(&c->lock);
}

/* Tasks of a communicator follow each other, so that one piece of memory does for all; those of
 * graphs have their own. */
static struct nccl_staging *staging(struct ncclComm *c, size_t bytes, bool own)
{
    struct nccl_staging *s = own ? NULL : c->staging;
    if (s && s->bytes >= bytes)
        return s;
    s = staging_new(bytes < 1 << 16 ? 1 << 16 : bytes);
    if (s)
        staging_keep(c, s);
    if (!own)
        c->staging = s;
    return s;
}

static size_t room(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Where an earlier collective of the group puts what this one reads; NULL: none does. */
static const uint8_t *made_before(const struct nccl_task *t, int k, size_t bytes)
{
    const uintptr_t at = (uintptr_t)t->ops[k].send;
    for (int j = k - 1; j >= 0 && bytes; j--) {
        const struct nccl_op *op = t->ops + j;
        const uintptr_t made = (uintptr_t)op->recv;
        const size_t out = out_count(t->comm, op) * nccl_type_bytes(op->type);
        if (!between_two(op) && at >= made && at - made + bytes <= out)
            return (const uint8_t *)t->staged[j].recv + (at - made);
    }
    return NULL;
}

static ncclResult_t copy_out(struct nccl_task *t, cudaStream_t stream)
{
    struct ncclComm *c = t->comm;
    size_t total = 0;
    for (int k = 0; k < t->nops; k++) {
        const size_t size = nccl_type_bytes(t->ops[k].type);
        total += room(in_count(c, t->ops + k) * size) + room(out_count(c, t->ops + k) * size) +
                 room(sizeof t->ops[k].scalar);
    }
    t->staged = malloc((size_t)t->nops * sizeof *t->staged);
    t->staging = staging(c, total, t->captured);
    if (!t->staged || !t->staging)
        return nccl_fail(c, ncclSystemError, "%zu bytes of memory cannot be had", total);
    memcpy(t->staged, t->ops, (size_t)t->nops * sizeof *t->staged);
    uint8_t *at = t->staging->memory;
    cudaError_t e = cudaSuccess;
    for (int k = 0; k < t->nops && e == cudaSuccess; k++) {
        struct nccl_op *op = t->staged + k;
        const size_t size = nccl_type_bytes(op->type), in = in_count(c, op) * size,
                     out = out_count(c, op) * size;
        const uint8_t *made = made_before(t, k, in);
        if (in && !made)
            e = cudaMemcpyAsync(at, op->send, in, cudaMemcpyDefault, stream);
        op->send = made ? made : at;
        at += room(in);
        op->recv = at;
        at += room(out);
        if (op->scalar_at_run && e == cudaSuccess) {
            e = cudaMemcpyAsync(at, op->scalar_from, size, cudaMemcpyDefault, stream);
            op->scalar_from = at;
        }
        at += room(sizeof op->scalar);
    }
    return e == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/* What to copy in is noted before the function is given away, which frees the task. */
struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

static struct copy *copies_in(const struct nccl_task *t)
{
    struct copy *list = malloc((size_t)t->nops * sizeof *list);
    for (int k = 0; k < t->nops && list; k++)
        list[k] = (struct copy){t->ops[k].recv, t->staged[k].recv,
                                out_count(t->comm, t->ops + k) * nccl_type_bytes(t->ops[k].type)};
    return list;
}

/* ---- giving it to a stream ---- */

/* The stream goes on after what another one has been given so far. */
static cudaError_t join(cudaStream_t stream, cudaStream_t other)
{
    cudaEvent_t event;
    cudaError_t e = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (e != cudaSuccess)
        return e;
    e = cudaEventRecord(event, other);
    if (e == cudaSuccess)
        e = cudaStreamWaitEvent(stream, event, 0);
    cudaEventDestroy(event);
    return e;
}

/* Operations of a communicator keep their order, whichever streams they are in. */
static cudaError_t after_last(struct nccl_last *l, cudaStream_t stream, unsigned long long capture)
{
    if (l->any && l->stream != stream && l->capture == capture)
        return cudaStreamWaitEvent(stream, l->event, 0);
    return cudaSuccess;
}

static cudaError_t note_last(struct nccl_last *l, cudaStream_t stream, unsigned long long capture)
{
    cudaError_t e = cudaSuccess;
    if (!l->event)
        e = cudaEventCreateWithFlags(&l->event, cudaEventDisableTiming);
    if (e == cudaSuccess)
        e = cudaEventRecord(l->event, stream);
    l->any = e == cudaSuccess;
    l->stream = stream;
    l->capture = capture;
    return e;
}

static void recorded_gone(void *arg)
{
    struct nccl_task *t = arg;
    struct ncclComm *c = t->comm;
    if (c) {
        pthread_mutex_lock(&c->lock);
        for (struct nccl_task **p = &c->recorded; *p; p = &(*p)->next)
            if (*p == t) {
                *p = t->next;
                break;
            }
        pthread_mutex_unlock(&c->lock);
    }
    if (t->word_memory && c) /* to free it is to wait for the device */
        staging_keep(c, t->word_memory);
    else if (t->word_memory)
        staging_free(t->word_memory);
    nccl_task_free(t);
}

enum { WORD_ROOM = 64 };

/* A word of its own, which each launch of the graph sets back. */
static cudaError_t give_word(struct nccl_task *t)
{
    if (!nccl_worker_start(t->comm) || !(t->word_memory = staging_new(WORD_ROOM)))
        return cudaErrorMemoryAllocation;
    t->word = t->word_memory->memory;
    t->value = 1;
    __atomic_store_n(t->word, 0, __ATOMIC_RELEASE);
    return cudaSuccess;
}

static cudaError_t next_word(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    if (!c->word) {
        struct nccl_staging *s = nccl_worker_start(c) ? staging_new(WORD_ROOM) : NULL;
        if (!s)
            return cudaErrorMemoryAllocation;
        c->word = s->memory;
        __atomic_store_n(c->word, 0, __ATOMIC_RELEASE);
        staging_keep(c, s);
    }
    t->word = c->word;
    t->value = ++c->tickets;
    return cudaSuccess;
}

/* The graph that is being made owns the task. */
static cudaError_t record(struct nccl_task *t, cudaStream_t stream, cudaGraph_t graph)
{
    struct ncclComm *c = t->comm;
    cudaUserObject_t object;
    cudaError_t e = c->worded ? give_word(t) : cudaSuccess;
    if (e == cudaSuccess)
        e = cudaUserObjectCreate(&object, t, recorded_gone, 1, cudaUserObjectNoDestructorSync);
    if (e != cudaSuccess)
        return e;
    pthread_mutex_lock(&c->lock);
    t->next = c->recorded;
    c->recorded = t;
    pthread_mutex_unlock(&c->lock);
    e = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (e == cudaSuccess)
        e = cudaLaunchHostFunc(stream, c->worded ? nccl_worker_recorded : run_recorded, t);
    else
        cudaUserObjectRelease(object, 1);
    if (e == cudaSuccess && c->worded)
        e = nccl_worker_await(stream, t->word, t->value);
    return e;
}

static cudaError_t give(struct nccl_task *t, cudaStream_t stream, cudaGraph_t graph)
{
    struct ncclComm *c = t->comm;
    if (t->captured)
        return record(t, stream, graph);
    pthread_mutex_lock(&c->lock);
    c->pending++;
    pthread_mutex_unlock(&c->lock);
    cudaError_t e = c->worded ? next_word(t) : cudaSuccess;
    const uint32_t *word = t->word, value = t->value;
    if (e == cudaSuccess)
        e = cudaLaunchHostFunc(stream, c->worded ? nccl_worker_once : run_once, t);
    if (e == cudaSuccess && c->worded)
        return nccl_worker_await(stream, word, value);
    if (e != cudaSuccess) {
        pthread_mutex_lock(&c->lock);
        c->pending--;
        pthread_mutex_unlock(&c->lock);
        nccl_task_free(t);
    }
    return e;
}

static ncclResult_t submit(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    const cudaStream_t stream = t->ops[0].stream;
    const int nops = t->nops;
    cudaStream_t others[16];
    int nothers = 0;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long capture = 0;
    cudaGraph_t graph = NULL;
    cudaError_t e = cudaStreamGetCaptureInfo_v2(stream, &status, &capture, &graph, NULL, NULL);
    if (e == cudaSuccess && status == cudaStreamCaptureStatusInvalidated)
        e = cudaErrorStreamCaptureInvalidated;
    t->captured = status == cudaStreamCaptureStatusActive;
    if (!t->captured)
        capture = 0;
    struct nccl_last *last = t->captured ? &c->last_captured : &c->last;
    for (int k = 1; k < nops && e == cudaSuccess; k++) {
        bool known = t->ops[k].stream == stream;
        for (int j = 0; j < nothers && !known; j++)
            known = others[j] == t->ops[k].stream;
        if (known)
            continue;
        e = join(stream, t->ops[k].stream);
        if (nothers < 16)
            others[nothers++] = t->ops[k].stream;
        else
            e = cudaErrorInvalidValue;
    }
    if (e == cudaSuccess)
        e = after_last(last, stream, capture);
    ncclResult_t r = e == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
    struct copy *in = NULL;
    if (!r && !c->device.info.host_memory) {
        r = copy_out(t, stream);
        in = r ? NULL : copies_in(t);
        if (!r && !in)
            r = ncclSystemError;
    }
    if (r) {
        nccl_task_free(t);
        return r;
    }
    e = give(t, stream, graph); /* the task is the stream's now */
    for (int k = 0; in && k < nops && e == cudaSuccess; k++)
        if (in[k].bytes)
            e = cudaMemcpyAsync(in[k].to, in[k].from, in[k].bytes, cudaMemcpyDefault, stream);
    free(in);
    for (int j = 0; j < nothers && e == cudaSuccess; j++)
        e = join(others[j], stream);
    if (e == cudaSuccess)
        e = note_last(last, stream, capture);
    return e == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t nccl_task_submit(struct nccl_task *t)
{
    int before = 0;
    const int ordinal = t->comm->ordinal;
    cudaGetDevice(&before);
    if (before != ordinal)
        cudaSetDevice(ordinal);
    const ncclResult_t e = submit(t);
    if (before != ordinal)
        cudaSetDevice(before);
    return e;
}

void nccl_task_free(struct nccl_task *t)
{
    if (!t)
        return;
    free(t->ops);
    free(t->staged);
    free(t);
}

void nccl_tasks_wait(struct ncclComm *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->pending)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void nccl_tasks_release(struct ncclComm *c)
{
    pthread_mutex_lock(&c->lock);
    for (struct nccl_task *t = c->recorded; t; t = t->next)
        t->comm = NULL; /* graphs that are launched all the same say so */
    c->recorded = NULL;
    pthread_mutex_unlock(&c->lock);
    nccl_worker_end(c);
    if (c->last.event)
        cudaEventDestroy(c->last.event);
    if (c->last_captured.event)
        cudaEventDestroy(c->last_captured.event);
    for (struct nccl_staging *s = c->stagings, *next; s; s = next) {
        next = s->next;
        staging_free(s);
    }
}
