/* Collectives over links, for ranks that do not all share a segment. Much data goes around a ring
 * in the order of ranks, each rank sending on what has come as it comes; little data goes up and
 * down a binomial tree, which takes fewer steps. */
#include <stdlib.h>
#include <string.h>
#include "lib/nccl/nccl_int.h"

enum { PIECE = 8 << 20 };

struct list {
    struct nccl_move *moves;
    int n;
};

static struct nccl_move *add(struct list *l, int peer, bool send, const void *data, size_t bytes)
{
    struct nccl_move *m = l->moves + l->n++;
    /* Sends only read. */
    *m = (struct nccl_move){
        .peer = peer, .send = send, .data = (uint8_t *)(uintptr_t)data, .bytes = bytes};
    return m;
}

static ncclResult_t go(struct ncclComm *c, struct list *l)
{
    return nccl_moves(c, l->moves, l->n);
}

static bool list_new(struct ncclComm *c, struct list *l, int most)
{
    *l = (struct list){.moves = malloc((size_t)(most ? most : 1) * sizeof *l->moves)};
    if (!l->moves)
        nccl_fail(c, ncclSystemError, "there is no memory");
    return l->moves != NULL;
}

/* A receipt that is summed with `local`. */
static struct nccl_move *add_sum(struct list *l, int peer, void *data, const void *local,
                                 size_t bytes, const struct nccl_op *op)
{
    struct nccl_move *m = add(l, peer, false, data, bytes);
    m->sum = op;
    m->local = local;
    return m;
}

static int wrap(const struct ncclComm *c, int k)
{
    return ((k % c->n) + c->n) % c->n;
}

/* ---- trees; ranks are counted from the root ---- */

static ncclResult_t tree_up(struct ncclComm *c, const struct nccl_op *op, int root, uint8_t *sums,
                            size_t bytes)
{
    const int me = wrap(c, c->rank - root);
    for (int bit = 1; bit < c->n; bit <<= 1) {
        struct nccl_move m = {0};
        struct list l = {.moves = &m};
        if (me & bit) {
            add(&l, wrap(c, me - bit + root), true, sums, bytes);
            return go(c, &l);
        }
        if (me + bit < c->n) {
            add_sum(&l, wrap(c, me + bit + root), sums, sums, bytes, op);
            const ncclResult_t e = go(c, &l);
            if (e)
                return e;
        }
    }
    return ncclSuccess;
}

static ncclResult_t tree_down(struct ncclComm *c, int root, uint8_t *data, size_t bytes)
{
    const int me = wrap(c, c->rank - root);
    int bit = 1;
    ncclResult_t e = ncclSuccess;
    while (bit < c->n && !(me & bit))
        bit <<= 1;
    if (me) {
        struct nccl_move m = {0};
        struct list l = {.moves = &m};
        add(&l, wrap(c, me - bit + root), false, data, bytes);
        e = go(c, &l);
    }
    for (bit >>= 1; bit && !e; bit >>= 1)
        if (me + bit < c->n) {
            struct nccl_move m = {0};
            struct list l = {.moves = &m};
            add(&l, wrap(c, me + bit + root), true, data, bytes);
            e = go(c, &l);
        }
    return e;
}

/* ---- rings ---- */

/* Block k of n, in elements. */
static size_t block(const struct ncclComm *c, size_t count, int k)
{
    return count / (size_t)c->n * (size_t)k +
           ((size_t)k < count % (size_t)c->n ? (size_t)k : count % (size_t)c->n);
}

struct span {
    size_t at, bytes;
};

static struct span span(const struct ncclComm *c, const struct nccl_op *op, int k)
{
    const size_t size = nccl_type_bytes(op->type), from = block(c, op->count, wrap(c, k)),
                 to = block(c, op->count, wrap(c, k) + 1);
    return (struct span){from * size, (to - from) * size};
}

/* Block r - s comes to rank r in step s, with the sums of those before it, and goes on in the
 * next; after n - 1 steps rank r has the sum of block r + 1, which goes around in n - 1 more. */
static ncclResult_t all_reduce_ring(struct ncclComm *c, const struct nccl_op *op,
                                    const uint8_t *from)
{
    uint8_t *to = op->recv;
    struct list l;
    const size_t *limit = NULL;
    if (!list_new(c, &l, 4 * c->n))
        return ncclSystemError;
    for (int s = 0; s < c->n - 1; s++) {
        const struct span out = span(c, op, c->rank - s), in = span(c, op, c->rank - s - 1);
        add(&l, wrap(c, c->rank + 1), true, s ? to + out.at : from + out.at, out.bytes)->limit =
            limit;
        struct nccl_move *m =
            add_sum(&l, wrap(c, c->rank - 1), to + in.at, from + in.at, in.bytes, op);
        m->divide = s == c->n - 2 ? nccl_divide(c, op) : 0;
        limit = &m->done;
    }
    for (int s = 0; s < c->n - 1; s++) {
        const struct span out = span(c, op, c->rank + 1 - s), in = span(c, op, c->rank - s);
        add(&l, wrap(c, c->rank + 1), true, to + out.at, out.bytes)->limit = limit;
        struct nccl_move *m = add(&l, wrap(c, c->rank - 1), false, to + in.at, in.bytes);
        limit = &m->done;
    }
    const ncclResult_t e = go(c, &l);
    free(l.moves);
    return e;
}

static ncclResult_t all_gather_ring(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type);
    uint8_t *to = op->recv;
    struct list l;
    const size_t *limit = NULL;
    if (!list_new(c, &l, 2 * c->n))
        return ncclSystemError;
    if (op->send != to + (size_t)c->rank * bytes)
        memmove(to + (size_t)c->rank * bytes, op->send, bytes);
    for (int s = 0; s < c->n - 1; s++) {
        add(&l, wrap(c, c->rank + 1), true, to + (size_t)wrap(c, c->rank - s) * bytes, bytes)
            ->limit = limit;
        struct nccl_move *m = add(&l, wrap(c, c->rank - 1), false,
                                  to + (size_t)wrap(c, c->rank - s - 1) * bytes, bytes);
        limit = &m->done;
    }
    const ncclResult_t e = go(c, &l);
    free(l.moves);
    return e;
}

/* Elements [at, at + count) of each block; what is summed on the way lies in scratch memory. */
static ncclResult_t reduce_scatter_piece(struct ncclComm *c, const struct nccl_op *op,
                                         const uint8_t *from, size_t at, size_t count,
                                         uint8_t *scratch)
{
    const size_t size = nccl_type_bytes(op->type), bytes = count * size;
    struct list l;
    const size_t *limit = NULL;
    const uint8_t *last = NULL;
    if (!list_new(c, &l, 2 * c->n))
        return ncclSystemError;
    for (int s = 0; s < c->n - 1; s++) {
        const uint8_t *out = from + ((size_t)wrap(c, c->rank - s - 1) * op->count + at) * size,
                      *in = from + ((size_t)wrap(c, c->rank - s - 2) * op->count + at) * size;
        uint8_t *sums =
            s == c->n - 2 ? (uint8_t *)op->recv + at * size : scratch + (size_t)s * bytes;
        add(&l, wrap(c, c->rank + 1), true, s ? last : out, bytes)->limit = limit;
        struct nccl_move *m = add_sum(&l, wrap(c, c->rank - 1), sums, in, bytes, op);
        m->divide = s == c->n - 2 ? nccl_divide(c, op) : 0;
        limit = &m->done;
        last = sums;
    }
    const ncclResult_t e = go(c, &l);
    free(l.moves);
    return e;
}

static ncclResult_t reduce_scatter_ring(struct ncclComm *c, const struct nccl_op *op,
                                        const uint8_t *from)
{
    const size_t size = nccl_type_bytes(op->type);
    size_t most = PIECE / (size_t)c->n / size;
    ncclResult_t e = ncclSuccess;
    if (most < 1024)
        most = 1024;
    if (most > op->count)
        most = op->count;
    uint8_t *scratch = malloc((size_t)c->n * most * size + 1);
    if (!scratch)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    for (size_t at = 0; at < op->count && !e; at += most)
        e = reduce_scatter_piece(c, op, from, at, op->count - at < most ? op->count - at : most,
                                 scratch);
    free(scratch);
    return e;
}

/* From rank to rank, each sending on what has come. */
static ncclResult_t broadcast_chain(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type);
    const int me = wrap(c, c->rank - op->peer);
    struct nccl_move moves[2];
    struct list l = {.moves = moves};
    const size_t *limit = NULL;
    if (me)
        limit = &add(&l, wrap(c, c->rank - 1), false, op->recv, bytes)->done;
    if (me < c->n - 1)
        add(&l, wrap(c, c->rank + 1), true, me ? op->recv : op->send, bytes)->limit = limit;
    return go(c, &l);
}

static ncclResult_t reduce_chain(struct ncclComm *c, const struct nccl_op *op, const uint8_t *from)
{
    const size_t size = nccl_type_bytes(op->type), most = PIECE / size;
    const int me = wrap(c, c->rank - op->peer - 1); /* the root is last */
    const bool root = c->rank == op->peer, first = me == 0;
    ncclResult_t e = ncclSuccess;
    uint8_t *scratch = root || first ? NULL : malloc(PIECE);
    if (!root && !first && !scratch)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    for (size_t at = 0; at < op->count && !e; at += most) {
        const size_t count = op->count - at < most ? op->count - at : most, bytes = count * size;
        uint8_t *sums = root ? (uint8_t *)op->recv + at * size : scratch;
        struct nccl_move moves[2];
        struct list l = {.moves = moves};
        const size_t *limit = NULL;
        if (!first) {
            struct nccl_move *m =
                add_sum(&l, wrap(c, c->rank - 1), sums, from + at * size, bytes, op);
            m->divide = root ? nccl_divide(c, op) : 0;
            limit = &m->done;
        }
        if (!root)
            add(&l, wrap(c, c->rank + 1), true, first ? from + at * size : sums, bytes)->limit =
                limit;
        e = go(c, &l);
    }
    free(scratch);
    return e;
}

/* ---- what it takes ---- */

static ncclResult_t reduce_tree(struct ncclComm *c, const struct nccl_op *op, const uint8_t *from)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type);
    const bool all = op->what == NCCL_ALL_REDUCE;
    const int root = all ? 0 : op->peer;
    uint8_t *sums = malloc(bytes ? bytes : 1);
    if (!sums)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    memcpy(sums, from, bytes);
    ncclResult_t e = tree_up(c, op, root, sums, bytes);
    if (!e && c->rank == root)
        nccl_reduce(sums, (const void *[]){sums}, 1, op->count, op->type, op->op,
                    nccl_divide(c, op));
    if (!e && all)
        e = tree_down(c, root, sums, bytes);
    if (!e && (all || c->rank == root))
        memcpy(op->recv, sums, bytes);
    free(sums);
    return e;
}

static ncclResult_t with_data(struct ncclComm *c, const struct nccl_op *op, const uint8_t *from)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type);
    const bool little = bytes <= NCCL_RING_LITTLE && c->n > 2;
    switch (op->what) {
    case NCCL_ALL_REDUCE: return little ? reduce_tree(c, op, from) : all_reduce_ring(c, op, from);
    case NCCL_REDUCE: return little ? reduce_tree(c, op, from) : reduce_chain(c, op, from);
    case NCCL_REDUCE_SCATTER: return reduce_scatter_ring(c, op, from);
    default: return ncclInternalError;
    }
}

/* Factors are applied before anything is sent. */
static ncclResult_t scaled(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t count = op->what == NCCL_REDUCE_SCATTER ? op->count * (size_t)c->n : op->count;
    uint8_t *from = malloc(count * nccl_type_bytes(op->type) + 1);
    if (!from)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    nccl_scale(from, op->send, count, op->type, op->scalar);
    const ncclResult_t e = with_data(c, op, from);
    free(from);
    return e;
}

ncclResult_t nccl_far(struct ncclComm *c, const struct nccl_op *op)
{
    const size_t bytes = op->count * nccl_type_bytes(op->type);
    switch (op->what) {
    case NCCL_BROADCAST:
        if (c->rank == op->peer && op->recv != op->send)
            memmove(op->recv, op->send, bytes);
        return bytes <= NCCL_RING_LITTLE ? tree_down(c, op->peer, op->recv, bytes)
                                         : broadcast_chain(c, op);
    case NCCL_ALL_GATHER: return all_gather_ring(c, op);
    default: return op->scaled ? scaled(c, op) : with_data(c, op, op->send);
    }
}
