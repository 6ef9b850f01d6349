/* Collectives and messages as programs call them: arguments are checked, and become operations. */
#include <stdlib.h>
#include <string.h>
#include "lib/nccl/nccl_int.h"

/* What is wrong in a group is the group's error as well. */
static ncclResult_t refuse(ncclResult_t e)
{
    struct nccl_group *g = nccl_group();
    if (g->depth && !g->error)
        g->error = e;
    return e;
}

static ncclResult_t set_op(struct ncclComm *c, struct nccl_op *o, ncclRedOp_t op)
{
    o->op = op;
    if ((unsigned)op < ncclNumOps)
        return ncclSuccess;
    const int k = (int)op - ncclNumOps;
    if (k < 0 || k >= c->nfactors || !c->factors[k].used || c->factors[k].type != o->type)
        return ncclInvalidArgument;
    const struct nccl_factor *f = c->factors + k;
    o->op = ncclSum;
    o->scaled = true;
    o->scalar_at_run = f->at_run;
    o->scalar_from = f->from;
    memcpy(o->scalar, f->value, sizeof o->scalar);
    return ncclSuccess;
}

static bool sums(enum nccl_what what)
{
    return what == NCCL_ALL_REDUCE || what == NCCL_REDUCE || what == NCCL_REDUCE_SCATTER;
}

/* Whether the calling rank reads, or writes, its buffer. */
static bool reads(const struct ncclComm *c, const struct nccl_op *o)
{
    return o->what != NCCL_RECV && (o->what != NCCL_BROADCAST || o->peer == c->rank);
}

static bool writes(const struct ncclComm *c, const struct nccl_op *o)
{
    return o->what != NCCL_SEND && (o->what != NCCL_REDUCE || o->peer == c->rank);
}

static ncclResult_t check(struct ncclComm *c, struct nccl_op *o, ncclRedOp_t op)
{
    const size_t size = nccl_type_bytes(o->type);
    if (!size || o->peer < 0 || o->peer >= c->n)
        return ncclInvalidArgument;
    if (o->count > SIZE_MAX / 16 / size / (size_t)c->n)
        return ncclInvalidArgument;
    if (o->count && ((reads(c, o) && !o->send) || (writes(c, o) && !o->recv)))
        return ncclInvalidArgument;
    return sums(o->what) ? set_op(c, o, op) : ncclSuccess;
}

static ncclResult_t call(ncclComm_t comm, struct nccl_op o, ncclRedOp_t op)
{
    ncclResult_t e;
    struct ncclComm *c = nccl_comm(comm, &e);
    if (c)
        e = check(c, &o, op);
    return e ? refuse(e) : nccl_enqueue(c, &o, 1);
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_ALL_REDUCE,
                                 .send = sendbuff,
                                 .recv = recvbuff,
                                 .count = count,
                                 .type = datatype,
                                 .stream = stream},
                op);
}

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_REDUCE,
                                 .send = sendbuff,
                                 .recv = recvbuff,
                                 .count = count,
                                 .type = datatype,
                                 .peer = root,
                                 .stream = stream},
                op);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_BROADCAST,
                                 .send = sendbuff,
                                 .recv = recvbuff,
                                 .count = count,
                                 .type = datatype,
                                 .peer = root,
                                 .stream = stream},
                ncclSum);
}

ncclResult_t ncclBcast(void *buff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    return ncclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount,
                               ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_REDUCE_SCATTER,
                                 .send = sendbuff,
                                 .recv = recvbuff,
                                 .count = recvcount,
                                 .type = datatype,
                                 .stream = stream},
                op);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount,
                           ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_ALL_GATHER,
                                 .send = sendbuff,
                                 .recv = recvbuff,
                                 .count = sendcount,
                                 .type = datatype,
                                 .stream = stream},
                ncclSum);
}

/* ---- messages ---- */

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_SEND,
                                 .send = sendbuff,
                                 .count = count,
                                 .type = datatype,
                                 .peer = peer,
                                 .stream = stream},
                ncclSum);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    return call(comm,
                (struct nccl_op){.what = NCCL_RECV,
                                 .recv = recvbuff,
                                 .count = count,
                                 .type = datatype,
                                 .peer = peer,
                                 .stream = stream},
                ncclSum);
}

/* Collectives that are groups of messages. `to`, `from`: the ranks that this one sends to and
 * receives from, [first, last); strides are 0 where there is one buffer only. */
struct exchange {
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    int to, to_end, from, from_end;
    bool send_blocks, recv_blocks;
};

static ncclResult_t exchange(ncclComm_t comm, const struct exchange *x, cudaStream_t stream)
{
    ncclResult_t e;
    const struct ncclComm *c = nccl_comm(comm, &e);
    if (!c)
        return refuse(e);
    const size_t bytes = x->count * nccl_type_bytes(x->type);
    if (!nccl_type_bytes(x->type) || (x->to < x->to_end && !x->send && x->count) ||
        (x->from < x->from_end && !x->recv && x->count))
        return refuse(ncclInvalidArgument);
    ncclGroupStart();
    for (int k = x->to; k < x->to_end && !e; k++)
        e = ncclSend((const uint8_t *)x->send + (x->send_blocks ? (size_t)k * bytes : 0), x->count,
                     x->type, k, comm, stream);
    for (int k = x->from; k < x->from_end && !e; k++)
        e = ncclRecv((uint8_t *)x->recv + (x->recv_blocks ? (size_t)k * bytes : 0), x->count,
                     x->type, k, comm, stream);
    const ncclResult_t ended = ncclGroupEnd();
    return e ? e : ended;
}

ncclResult_t ncclAlltoAll(const void *sendbuff, void *recvbuff, size_t count,
                          ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
{
    const int n = comm && comm->magic == NCCL_COMM_MAGIC ? comm->n : 0;
    return exchange(comm,
                    &(struct exchange){sendbuff, recvbuff, count, datatype, 0, n, 0, n, true, true},
                    stream);
}

ncclResult_t ncclGather(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype,
                        int root, ncclComm_t comm, cudaStream_t stream)
{
    const bool here = comm && comm->magic == NCCL_COMM_MAGIC;
    if (!here || root < 0 || root >= comm->n)
        return refuse(ncclInvalidArgument);
    return exchange(comm,
                    &(struct exchange){sendbuff, recvbuff, count, datatype, root, root + 1, 0,
                                       comm->rank == root ? comm->n : 0, false, true},
                    stream);
}

ncclResult_t ncclScatter(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    const bool here = comm && comm->magic == NCCL_COMM_MAGIC;
    if (!here || root < 0 || root >= comm->n)
        return refuse(ncclInvalidArgument);
    return exchange(comm,
                    &(struct exchange){sendbuff, recvbuff, count, datatype, 0,
                                       comm->rank == root ? comm->n : 0, root, root + 1, true,
                                       false},
                    stream);
}

/* ---- factors ---- */

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t datatype,
                                      ncclScalarResidence_t residence, ncclComm_t comm)
{
    ncclResult_t e;
    struct ncclComm *c = nccl_comm(comm, &e);
    const size_t size = nccl_type_bytes(datatype);
    if (!c)
        return e;
    if (!op || !scalar || !size ||
        (residence != ncclScalarDevice && residence != ncclScalarHostImmediate))
        return ncclInvalidArgument;
    int k = 0;
    while (k < c->nfactors && c->factors[k].used)
        k++;
    if (k == c->nfactors) {
        const int more = c->nfactors ? 2 * c->nfactors : 4;
        struct nccl_factor *f = realloc(c->factors, (size_t)more * sizeof *f);
        if (!f)
            return ncclSystemError;
        memset(f + c->nfactors, 0, (size_t)(more - c->nfactors) * sizeof *f);
        c->factors = f;
        c->nfactors = more;
    }
    struct nccl_factor *f = c->factors + k;
    *f = (struct nccl_factor){
        .used = true, .at_run = residence == ncclScalarDevice, .type = datatype, .from = scalar};
    if (!f->at_run)
        memcpy(f->value, scalar, size);
    *op = (ncclRedOp_t)(ncclNumOps + k);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    const int k = (int)op - ncclNumOps;
    if (!comm || comm->magic != NCCL_COMM_MAGIC || k < 0 || k >= comm->nfactors ||
        !comm->factors[k].used)
        return ncclInvalidArgument;
    comm->factors[k].used = false;
    return ncclSuccess;
}
