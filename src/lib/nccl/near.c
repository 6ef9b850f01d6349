/* Collectives of ranks that all share one segment. They go in steps; in each, a rank has a slab of
 * its own that the others read, and the slabs of the step before stay until all are done with them:
 * two in turn. A rank tells how far it is in a step by three marks:
 *
 *   WRITTEN   its slab holds its data
 *   SUMMED    and its share of the sums
 *   DONE      it has read what it wants of the others
 *
 * All ranks sum in the order of ranks, so that results are the same everywhere and each time. */
#include <string.h>
#include "lib/nccl/nccl_int.h"

enum { WRITTEN = 1, SUMMED = 2, DONE = 3, MARKS = 3 };
enum { MOST_RANKS = 1024 };

/* A slab of a new step, once all are done with what it held. */
static uint8_t *begin(struct ncclComm *c)
{
    if (c->step >= 2 && !nccl_await_all(c, MARKS * (c->step - 2) + DONE))
        return NULL;
    return nccl_slab(c->segment, c->node_rank, (int)(c->step & 1));
}

static void tell(struct ncclComm *c, int how_far)
{
    nccl_mark(c, MARKS * c->step + (uint32_t)how_far);
}

static bool all(struct ncclComm *c, int how_far)
{
    return nccl_await_all(c, MARKS * c->step + (uint32_t)how_far);
}

static void end(struct ncclComm *c)
{
    tell(c, DONE);
    c->step++;
}

static uint8_t *slab(struct ncclComm *c, int node_rank)
{
    return nccl_slab(c->segment, node_rank, (int)(c->step & 1));
}

/* What a rank gives to a sum: its data, times its factor where it has one. */
static void give(const struct nccl_op *op, uint8_t *to, const uint8_t *from, size_t count)
{
    if (op->scaled)
        nccl_scale(to, from, count, op->type, op->scalar);
    else
        memcpy(to, from, count * nccl_type_bytes(op->type));
}

/* The sum of all slabs from `at` on. */
static void sum(struct ncclComm *c, const struct nccl_op *op, uint8_t *to, size_t at, size_t count)
{
    const void *from[MOST_RANKS];
    for (int k = 0; k < c->n; k++)
        from[k] = slab(c, k) + at;
    nccl_reduce(to, from, c->n, count, op->type, op->op, nccl_divide(c, op));
}

/* ---- to all, or to one ---- */

static bool reduce_little(struct ncclComm *c, const struct nccl_op *op)
{
    uint8_t *mine = begin(c);
    if (!mine)
        return false;
    give(op, mine, op->send, op->count);
    tell(c, WRITTEN);
    if (op->what == NCCL_ALL_REDUCE || op->peer == c->rank) {
        if (!all(c, WRITTEN))
            return false;
        sum(c, op, op->recv, 0, op->count);
    }
    end(c);
    return true;
}

/* Elements [share(k), share(k + 1)) are rank k's to sum; shares begin at cache lines. */
static size_t share(const struct ncclComm *c, size_t count, int k)
{
    const size_t lines = (count + 63) / 64, first = lines * (size_t)k / (size_t)c->n * 64;
    return first < count ? first : count;
}

static bool reduce_step(struct ncclComm *c, const struct nccl_op *op, size_t at, size_t count)
{
    const size_t size = nccl_type_bytes(op->type);
    uint8_t *mine = begin(c);
    if (!mine)
        return false;
    give(op, mine, (const uint8_t *)op->send + at * size, count);
    tell(c, WRITTEN);
    if (!all(c, WRITTEN))
        return false;
    const size_t from = share(c, count, c->rank), to = share(c, count, c->rank + 1);
    sum(c, op, mine + from * size, from * size, to - from);
    tell(c, SUMMED);
    if (op->what == NCCL_ALL_REDUCE || op->peer == c->rank)
        for (int j = 0; j < c->n; j++) {
            const int k = (c->rank + j) % c->n;
            const size_t first = share(c, count, k), last = share(c, count, k + 1);
            if (!nccl_await(c, k, MARKS * c->step + SUMMED))
                return false;
            memcpy((uint8_t *)op->recv + (at + first) * size, slab(c, k) + first * size,
                   (last - first) * size);
        }
    end(c);
    return true;
}

static bool reduce(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t size = nccl_type_bytes(op->type), most = nccl_slab_bytes(c->n) / size;
    if (op->count * size <= NCCL_NEAR_LITTLE)
        return reduce_little(c, op);
    for (size_t at = 0; at < op->count; at += most)
        if (!reduce_step(c, op, at, op->count - at < most ? op->count - at : most))
            return false;
    return true;
}

/* Each rank's slab has a part for each rank. */
static bool reduce_scatter(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t size = nccl_type_bytes(op->type),
                 most = nccl_slab_bytes(c->n) / size / (size_t)c->n;
    for (size_t at = 0; at < op->count; at += most) {
        const size_t count = op->count - at < most ? op->count - at : most;
        uint8_t *mine = begin(c);
        if (!mine)
            return false;
        for (int k = 0; k < c->n; k++)
            give(op, mine + (size_t)k * count * size,
                 (const uint8_t *)op->send + ((size_t)k * op->count + at) * size, count);
        tell(c, WRITTEN);
        if (!all(c, WRITTEN))
            return false;
        sum(c, op, (uint8_t *)op->recv + at * size, (size_t)c->rank * count * size, count);
        end(c);
    }
    return true;
}

/* ---- copies ---- */

static bool broadcast(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type), most = nccl_slab_bytes(c->n);
    if (c->rank == op->peer && op->recv != op->send)
        memmove(op->recv, op->send, bytes);
    for (size_t at = 0; at < bytes; at += most) {
        const size_t n = bytes - at < most ? bytes - at : most;
        uint8_t *mine = begin(c);
        if (!mine)
            return false;
        if (c->rank == op->peer) {
            memcpy(mine, (const uint8_t *)op->send + at, n);
            tell(c, WRITTEN);
        } else {
            if (!nccl_await(c, op->peer, MARKS * c->step + WRITTEN))
                return false;
            memcpy((uint8_t *)op->recv + at, slab(c, op->peer), n);
        }
        end(c);
    }
    return true;
}

static bool all_gather(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type), most = nccl_slab_bytes(c->n);
    for (size_t at = 0; at < bytes; at += most) {
        const size_t n = bytes - at < most ? bytes - at : most;
        uint8_t *mine = begin(c);
        if (!mine)
            return false;
        memcpy(mine, (const uint8_t *)op->send + at, n);
        tell(c, WRITTEN);
        for (int j = 0; j < c->n; j++) {
            const int k = (c->rank + j) % c->n;
            if (k != c->rank && !nccl_await(c, k, MARKS * c->step + WRITTEN))
                return false;
            memcpy((uint8_t *)op->recv + (size_t)k * bytes + at, slab(c, k), n);
        }
        end(c);
    }
    return true;
}

ncclResult_t nccl_near(struct ncclComm *c, const struct nccl_op *op)
{
    bool done = true;
    switch (op->what) {
    case NCCL_ALL_REDUCE:
    case NCCL_REDUCE: done = reduce(c, op); break;
    case NCCL_REDUCE_SCATTER: done = reduce_scatter(c, op); break;
    case NCCL_BROADCAST: done = broadcast(c, op); break;
    case NCCL_ALL_GATHER: done = all_gather(c, op); break;
    default: return ncclInternalError;
    }
    return done ? ncclSuccess : (ncclResult_t)atomic_load(&c->error);
}
