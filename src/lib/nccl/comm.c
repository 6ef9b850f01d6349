/* Communicators: made by ids or out of others, asked, ended. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

_Static_assert(sizeof(struct nccl_id) <= NCCL_UNIQUE_ID_BYTES, "an id holds what it must");

/* ---- errors ---- */

ncclResult_t nccl_fail(struct ncclComm *c, ncclResult_t e, const char *format, ...)
{
    char text[200];
    size_t size;
    char *last = nccl_last_error(&size);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(last, size, "rank %d of %d: %s", c->rank, c->n, text);
    int none = ncclSuccess;
    pthread_mutex_lock(&c->lock);
    const bool first = !nccl_failed(c);
    if (first) {
        snprintf(c->message, sizeof c->message, "rank %d of %d: %s", c->rank, c->n, text);
        atomic_compare_exchange_strong(&c->error, &none, (int)e);
    }
    const bool wanted = atomic_load(&c->state) != NCCL_ABORTED;
    pthread_cond_broadcast(&c->changed);
    struct nccl_segment *s = c->segment;
    if (first) /* no other rank is to wait for this one */
        nccl_links_end(c);
    pthread_mutex_unlock(&c->lock);
    if (first && wanted)
        lib_say("tern: NCCL: rank %d of %d: %s\n", c->rank, c->n, text);
    if (first && s)
        nccl_segment_fail(s, c->rank);
    if (first)
        nccl_give_up(c);
    return (ncclResult_t)atomic_load(&c->error);
}

struct ncclComm *nccl_comm(ncclComm_t comm, ncclResult_t *e)
{
    *e = ncclSuccess;
    if (!comm || comm->magic != NCCL_COMM_MAGIC) {
        *e = ncclInvalidArgument;
    } else if (nccl_failed(comm)) {
        *e = (ncclResult_t)atomic_load(&comm->error);
    } else if (atomic_load(&comm->state) != NCCL_READY) {
        *e = ncclInvalidUsage;
    }
    return *e ? NULL : comm;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {[ncclSuccess] = "no error",
                                        [ncclUnhandledCudaError] = "unhandled cuda error",
                                        [ncclSystemError] = "unhandled system error",
                                        [ncclInternalError] = "internal error",
                                        [ncclInvalidArgument] = "invalid argument",
                                        [ncclInvalidUsage] = "invalid usage",
                                        [ncclRemoteError] =
                                            "remote process exited or there was a network error",
                                        [ncclInProgress] = "NCCL operation in progress"};
    return (unsigned)result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    size_t size;
    if (comm && comm->magic == NCCL_COMM_MAGIC && nccl_failed(comm))
        return comm->message;
    return nccl_last_error(&size);
}

ncclResult_t ncclGetVersion(int *version)
{
    if (!version)
        return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

void ncclResetDebugInit(void)
{
}

/* ---- ids ---- */

static ncclResult_t id_new(struct nccl_id *id)
{
    *id = (struct nccl_id){
        .magic = NCCL_ID_MAGIC, .version = NCCL_ID_VERSION, .process = nccl_process()};
    if (!nccl_random(id->key, sizeof id->key))
        return ncclSystemError;
    return nccl_root_start(id);
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId)
{
    struct nccl_id id;
    if (!uniqueId)
        return ncclInvalidArgument;
    memset(uniqueId, 0, sizeof *uniqueId);
    const ncclResult_t e = id_new(&id);
    if (!e)
        memcpy(uniqueId->internal, &id, sizeof id);
    return e;
}

static bool id_of(const ncclUniqueId *u, struct nccl_id *out)
{
    memcpy(out, u->internal, sizeof *out);
    return out->magic == NCCL_ID_MAGIC && out->version == NCCL_ID_VERSION;
}

/* ---- configuration ---- */

static bool int_in(int v, int least, int most)
{
    return v == NCCL_CONFIG_UNDEF_INT || (v >= least && v <= most);
}

static ncclResult_t read_config(const ncclConfig_t *given, bool *blocking)
{
    ncclConfig_t f = NCCL_CONFIG_INITIALIZER;
    if (!given)
        return ncclSuccess;
    if (given->magic != NCCL_API_MAGIC ||
        given->size < offsetof(ncclConfig_t, blocking) + sizeof given->blocking)
        return ncclInvalidArgument;
    /* Programs of other versions have fewer fields, or more. */
    memcpy(&f, given, given->size < sizeof f ? given->size : sizeof f);
    if (!int_in(f.blocking, 0, 1) || !int_in(f.cgaClusterSize, 0, 8) ||
        !int_in(f.minCTAs, 1, INT_MAX) || !int_in(f.maxCTAs, 1, INT_MAX) ||
        !int_in(f.splitShare, 0, 1) || !int_in(f.shrinkShare, 0, 1) ||
        !int_in(f.collnetEnable, 0, 1) || !int_in(f.CTAPolicy, 0, 2) ||
        !int_in(f.nvlsCTAs, 1, INT_MAX) ||
        (f.minCTAs != NCCL_CONFIG_UNDEF_INT && f.maxCTAs != NCCL_CONFIG_UNDEF_INT &&
         f.minCTAs > f.maxCTAs))
        return ncclInvalidArgument;
    if (f.netName && strcasecmp(f.netName, "Socket"))
        return ncclInvalidUsage; /* there is no such network */
    if (f.blocking != NCCL_CONFIG_UNDEF_INT)
        *blocking = f.blocking;
    return ncclSuccess;
}

/* ---- making ---- */

static void comm_free(struct ncclComm *c)
{
    if (!c)
        return;
    c->magic = 0;
    if (c->listening >= 0)
        close(c->listening);
    for (int k = 0; k < c->naskers; k++)
        close(c->askers[k]);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->mouth);
    pthread_mutex_destroy(&c->run);
    pthread_cond_destroy(&c->changed);
    free(c->askers);
    free(c->entries);
    free(c->node);
    free(c->node_index);
    free(c->links);
    free((void *)c->left);
    free(c->parts);
    free(c->factors);
    free(c);
}

/* How many ranks there are may not be known yet: comm_size follows. */
static struct ncclComm *comm_new(void)
{
    struct ncclComm *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->magic = NCCL_COMM_MAGIC;
    c->listening = c->root_fd = c->wake_fd = -1;
    c->blocking = true;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->mouth, NULL);
    pthread_mutex_init(&c->run, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (cudaGetDevice(&c->ordinal) != cudaSuccess || lib_device(&c->device)) {
        comm_free(c);
        return NULL;
    }
    c->worded = nccl_calls_singly(&c->device) && nccl_has_words();
    return c;
}

static bool comm_size(struct ncclComm *c, int n, int rank)
{
    c->n = n;
    c->rank = rank;
    c->links = calloc((size_t)n, sizeof *c->links);
    c->left = calloc((size_t)n, sizeof *c->left);
    c->node = calloc((size_t)n, sizeof *c->node);
    c->node_index = calloc((size_t)n, sizeof *c->node_index);
    c->askers = calloc((size_t)n, sizeof *c->askers);
    if (!c->links || !c->left || !c->node || !c->node_index || !c->askers)
        return false;
    for (int k = 0; k < n; k++)
        c->links[k].fd = -1;
    return true;
}

/* Whether a function of one of this device's streams that waits for the other device would keep
 * the other's from being called. */
static bool would_hang(const struct ncclComm *c, int other)
{
    struct lib_device d;
    if (!nccl_calls_singly(&c->device) || c->worded || cudaSetDevice(other) != cudaSuccess)
        return false;
    const bool singly = !lib_device(&d) && nccl_calls_singly(&d);
    cudaSetDevice(c->ordinal);
    return singly;
}

/* One GPU has one context, and calls of one rank that wait for all of it, or for a lock of its
 * driver's, would wait for the other rank's streams. */
static bool same_gpu(const struct ncclComm *c, int other)
{
    struct cudaDeviceProp a, b;
    return nccl_calls_singly(&c->device) &&
           cudaGetDeviceProperties(&a, c->ordinal) == cudaSuccess &&
           cudaGetDeviceProperties(&b, other) == cudaSuccess &&
           !memcmp(&a.uuid, &b.uuid, sizeof a.uuid);
}

static ncclResult_t settle(struct ncclComm *c)
{
    for (int k = 0; k < c->n; k++) {
        c->node_index[k] = -1;
        if (memcmp(c->entries[k].host, c->entries[c->rank].host, NCCL_KEY))
            continue;
        if (k == c->rank)
            c->node_rank = c->node_n;
        else if (c->entries[k].process == c->entries[c->rank].process &&
                 c->entries[k].ordinal == c->ordinal)
            /* Calls that wait for a device would wait for the other rank's streams. */
            return nccl_fail(c, ncclInvalidUsage,
                             "rank %d is on the same device of the same process: TERN_DEVICES=%s "
                             "makes several of one",
                             k, "cpu/2");
        else if (c->entries[k].process == c->entries[c->rank].process &&
                 same_gpu(c, c->entries[k].ordinal))
            return nccl_fail(c, ncclInvalidUsage,
                             "Duplicate GPU: rank %d is on the same GPU, in the same process", k);
        else if (c->entries[k].process == c->entries[c->rank].process &&
                 would_hang(c, c->entries[k].ordinal))
            return nccl_fail(c, ncclInvalidUsage,
                             "rank %d is on another NVIDIA GPU of the same process, whose streams "
                             "cannot wait for words of memory: ranks have to be processes",
                             k);
        c->node_index[k] = c->node_n;
        c->node[c->node_n++] = k;
    }
    c->crowded = (unsigned)c->node_n > nccl_cpus();
    return c->node_n > 1 ? nccl_segment_open(c) : ncclSuccess;
}

static ncclResult_t bring_up(struct ncclComm *c)
{
    uint8_t here = 1, *there = c->n > 1 ? malloc((size_t)c->n) : NULL;
    ncclResult_t e = ncclSuccess;
    if (c->n > 1) {
        e = there ? nccl_meet(c) : ncclSystemError;
        if (!e)
            e = settle(c);
        /* Nobody goes on before all can. */
        if (!e)
            e = nccl_gather(c, &here, 1, there);
    } else {
        c->node_n = 1;
    }
    free(there);
    int starting = NCCL_STARTING;
    atomic_compare_exchange_strong(&c->state, &starting, NCCL_READY);
    return e;
}

/* ---- out of another one ---- */

struct choice { /* what each rank tells in a split */
    int32_t color, key;
};

static ncclResult_t split(struct nccl_start *s)
{
    struct ncclComm *p = s->parent, *c = s->comm;
    struct choice mine = {s->color, s->key}, *all = calloc((size_t)p->n, sizeof *all);
    struct nccl_id id = {0}, *ids = calloc((size_t)p->n, sizeof *ids);
    int rank = 0, n = 0, leader = -1;
    ncclResult_t e = all && ids ? nccl_gather(p, &mine, sizeof mine, all) : ncclSystemError;
    for (int k = 0; k < p->n && !e && c; k++) {
        if (all[k].color != s->color)
            continue;
        n++;
        rank += all[k].key < s->key || (all[k].key == s->key && k < p->rank);
        if (leader < 0 || all[k].key < all[leader].key)
            leader = k;
    }
    if (!e && leader == p->rank && n > 1)
        e = id_new(&id);
    /* Everyone takes part, whatever has happened: nobody may wait for ever. */
    const ncclResult_t told = ids && all ? nccl_gather(p, &id, sizeof id, ids) : ncclSystemError;
    e = e ? e : told;
    if (!e && c) {
        c->id = ids[leader];
        e = comm_size(c, n, rank) ? ncclSuccess : ncclSystemError;
        if (!e && n > 1 && c->id.magic != NCCL_ID_MAGIC)
            e = ncclRemoteError;
    }
    free(all);
    free(ids);
    return e;
}

/* The first rank that stays makes the id and gives it to those that call; the parent may be broken.
 */
static ncclResult_t lead(struct nccl_start *s)
{
    struct ncclComm *p = s->parent, *c = s->comm;
    const int64_t until = nccl_now_ms() + NCCL_MEET_S * 1000;
    ncclResult_t e = id_new(&c->id);
    int served = 0;
    pthread_mutex_lock(&p->lock);
    while (!e && served < c->n - 1 && nccl_now_ms() < until) {
        if (!p->naskers) {
            struct timespec t;
            clock_gettime(CLOCK_REALTIME, &t);
            t.tv_sec++;
            pthread_cond_timedwait(&p->changed, &p->lock, &t);
            continue;
        }
        const int fd = p->askers[--p->naskers];
        if (nccl_send_all(fd, &c->id, sizeof c->id, NCCL_HANDSHAKE_MS))
            served++;
        close(fd);
    }
    pthread_mutex_unlock(&p->lock);
    return e ? e : served == c->n - 1 ? ncclSuccess : ncclRemoteError;
}

static ncclResult_t follow(struct nccl_start *s, int leader)
{
    struct ncclComm *p = s->parent, *c = s->comm;
    struct nccl_hello h = {.role = NCCL_ROLE_ID,
                           .rank = (uint32_t)p->rank,
                           .nranks = (uint32_t)p->n,
                           .to = (uint32_t)leader};
    const int fd = nccl_connect(&p->entries[leader].address, NCCL_SILENCE_S * 1000);
    const bool got = fd >= 0 && nccl_call_out(fd, p->id.key, &h) &&
                     nccl_recv_all(fd, &c->id, sizeof c->id, NCCL_MEET_S * 1000);
    if (fd >= 0)
        close(fd);
    return got && c->id.magic == NCCL_ID_MAGIC ? ncclSuccess : ncclRemoteError;
}

ncclResult_t nccl_start_run(struct nccl_start *s)
{
    struct ncclComm *c = s->comm;
    ncclResult_t e = ncclSuccess;
    if (c)
        cudaSetDevice(c->ordinal);
    if (s->shrink && c->n > 1)
        e = c->rank ? follow(s, s->color) : lead(s);
    else if (s->parent && !s->shrink)
        e = split(s);
    if (!c)
        return e;
    if (e)
        nccl_fail(c, e, "it could not be made out of another communicator");
    else
        e = bring_up(c);
    if (e && c->blocking) { /* nobody will have its handle */
        if (s->out)
            *s->out = NULL;
        atomic_store(&c->state, NCCL_ABORTED);
        nccl_leave(c, false);
        nccl_links_close(c);
        nccl_segment_close(c);
        comm_free(c);
    }
    return e;
}

static ncclResult_t start(struct nccl_start given)
{
    struct nccl_start *s = malloc(sizeof *s);
    if (!s)
        return ncclSystemError;
    *s = given;
    if (s->out)
        *s->out = s->comm;
    return nccl_enqueue_start(s);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank,
                                    ncclConfig_t *config)
{
    bool blocking = true;
    struct nccl_id id;
    if (!comm || nranks < 1 || rank < 0 || rank >= nranks || !id_of(&commId, &id))
        return ncclInvalidArgument;
    *comm = NULL;
    const ncclResult_t e = read_config(config, &blocking);
    if (e)
        return e;
    struct ncclComm *c = comm_new();
    if (!c)
        return ncclUnhandledCudaError;
    c->blocking = blocking;
    c->id = id;
    if (!comm_size(c, nranks, rank)) {
        comm_free(c);
        return ncclSystemError;
    }
    return start((struct nccl_start){.comm = c, .out = comm});
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank)
{
    return ncclCommInitRankConfig(comm, nranks, commId, rank, NULL);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *newcomm, int nranks, int myrank, int nId,
                                      ncclUniqueId *commIds, ncclConfig_t *config)
{
    if (nId < 1 || nId > nranks || !commIds)
        return ncclInvalidArgument;
    return ncclCommInitRankConfig(newcomm, nranks, commIds[0], myrank, config);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist)
{
    int before = 0, devices = 0;
    ncclUniqueId id;
    if (!comm || ndev < 1 || cudaGetDeviceCount(&devices) != cudaSuccess)
        return ncclInvalidArgument;
    for (int k = 0; k < ndev; k++) {
        const int d = devlist ? devlist[k] : k;
        if (d < 0 || d >= devices)
            return devlist ? ncclUnhandledCudaError : ncclInvalidArgument;
        for (int j = 0; devlist && j < k; j++)
            if (devlist[j] == d)
                return ncclInvalidUsage;
    }
    cudaGetDevice(&before);
    ncclResult_t e = ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int k = 0; k < ndev && !e; k++) {
        cudaSetDevice(devlist ? devlist[k] : k);
        e = ncclCommInitRank(comm + k, ndev, id, k);
    }
    if (e)
        nccl_group()->error = e;
    const ncclResult_t ended = ncclGroupEnd();
    cudaSetDevice(before);
    return e ? e : ended;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
                           ncclConfig_t *config)
{
    ncclResult_t e;
    struct ncclComm *p = nccl_comm(comm, &e), *c = NULL;
    if (!p)
        return e;
    bool blocking = p->blocking;
    if (!newcomm || (color < 0 && color != NCCL_SPLIT_NOCOLOR))
        return ncclInvalidArgument;
    *newcomm = NULL;
    if (p->n == 1 && color == NCCL_SPLIT_NOCOLOR)
        return ncclSuccess;
    e = read_config(config, &blocking);
    if (!e && color != NCCL_SPLIT_NOCOLOR && !(c = comm_new()))
        e = ncclUnhandledCudaError;
    if (e)
        return e;
    if (c) {
        c->blocking = blocking;
        c->ordinal = p->ordinal;
        c->device = p->device;
        c->worded = p->worded;
    }
    if (p->n == 1) { /* nobody to ask */
        if (!comm_size(c, 1, 0)) {
            comm_free(c);
            return ncclSystemError;
        }
        return start((struct nccl_start){.comm = c, .out = newcomm});
    }
    return start(
        (struct nccl_start){.comm = c, .parent = p, .color = color, .key = key, .out = newcomm});
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int *excludeRanksList, int excludeRanksCount,
                            ncclComm_t *newcomm, ncclConfig_t *config, int shrinkFlags)
{
    struct ncclComm *p = comm;
    if (!p || p->magic != NCCL_COMM_MAGIC || !newcomm || excludeRanksCount < 1 ||
        excludeRanksCount >= p->n || !excludeRanksList ||
        (shrinkFlags != NCCL_SHRINK_DEFAULT && shrinkFlags != NCCL_SHRINK_ABORT))
        return ncclInvalidArgument;
    if (shrinkFlags == NCCL_SHRINK_DEFAULT && nccl_failed(p))
        return (ncclResult_t)atomic_load(&p->error);
    bool blocking = p->blocking, *out = calloc((size_t)p->n, sizeof *out);
    ncclResult_t e = out ? read_config(config, &blocking) : ncclSystemError;
    int n = 0, rank = 0, leader = -1;
    for (int k = 0; k < excludeRanksCount && !e; k++) {
        const int r = excludeRanksList[k];
        if (r < 0 || r >= p->n || out[r])
            e = ncclInvalidArgument;
        else
            out[r] = true;
    }
    for (int k = 0; k < p->n && !e; k++)
        if (!out[k]) {
            leader = leader < 0 ? k : leader;
            rank += k < p->rank;
            n++;
        }
    if (!e && out[p->rank])
        e = ncclInvalidArgument; /* those that go do not call */
    free(out);
    if (e)
        return e;
    if (shrinkFlags == NCCL_SHRINK_ABORT && !nccl_failed(p)) {
        atomic_store(&p->state, NCCL_ABORTED);
        nccl_fail(p, ncclInvalidUsage, "it has been shrunk");
    }
    struct ncclComm *c = comm_new();
    if (!c)
        return ncclUnhandledCudaError;
    c->blocking = blocking;
    c->ordinal = p->ordinal;
    c->device = p->device;
    c->worded = p->worded;
    if (!comm_size(c, n, rank)) {
        comm_free(c);
        return ncclSystemError;
    }
    return start((struct nccl_start){
        .comm = c, .parent = p, .shrink = true, .color = leader, .out = newcomm});
}

/* ---- ending ---- */

static struct ncclComm *started(ncclComm_t comm)
{
    if (!comm || comm->magic != NCCL_COMM_MAGIC)
        return NULL;
    if (comm->starting) {
        pthread_join(comm->starter, NULL);
        comm->starting = false;
    }
    return comm;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    struct ncclComm *c = started(comm);
    if (!c)
        return ncclInvalidArgument;
    int ready = NCCL_READY;
    if (!atomic_compare_exchange_strong(&c->state, &ready, NCCL_FINALIZED))
        return ncclInvalidUsage;
    nccl_tasks_wait(c);
    return (ncclResult_t)atomic_load(&c->error);
}

static void end(struct ncclComm *c, bool in_order)
{
    int before = 0;
    nccl_tasks_wait(c);
    nccl_leave(c, in_order);
    nccl_links_close(c);
    nccl_segment_close(c);
    cudaGetDevice(&before);
    cudaSetDevice(c->ordinal);
    nccl_tasks_release(c);
    cudaSetDevice(before);
    comm_free(c);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    struct ncclComm *c = started(comm);
    if (!c)
        return ncclInvalidArgument;
    nccl_tasks_wait(c);
    /* Results of operations that failed are not right: who has not asked is told now. */
    const ncclResult_t e =
        atomic_load(&c->state) == NCCL_ABORTED ? ncclSuccess : (ncclResult_t)atomic_load(&c->error);
    end(c, !nccl_failed(c));
    return e;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    if (comm->magic != NCCL_COMM_MAGIC)
        return ncclInvalidArgument;
    atomic_store(&comm->state, NCCL_ABORTED);
    nccl_fail(comm, ncclRemoteError, "aborted");
    end(started(comm), false);
    return ncclSuccess;
}

/* ---- asking ---- */

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
    if (!comm || comm->magic != NCCL_COMM_MAGIC || !asyncError)
        return ncclInvalidArgument;
    *asyncError = nccl_failed(comm) ? (ncclResult_t)atomic_load(&comm->error)
                  : atomic_load(&comm->state) == NCCL_STARTING ? ncclInProgress
                                                               : ncclSuccess;
    return ncclSuccess;
}

static ncclResult_t ask(ncclComm_t comm, int *out, int value)
{
    if (!out)
        return ncclInvalidArgument;
    if (atomic_load(&comm->state) == NCCL_STARTING)
        return ncclInvalidUsage;
    *out = value;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    return comm && comm->magic == NCCL_COMM_MAGIC ? ask(comm, count, comm->n) : ncclInvalidArgument;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return comm && comm->magic == NCCL_COMM_MAGIC ? ask(comm, device, comm->ordinal)
                                                  : ncclInvalidArgument;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return comm && comm->magic == NCCL_COMM_MAGIC ? ask(comm, rank, comm->rank)
                                                  : ncclInvalidArgument;
}
