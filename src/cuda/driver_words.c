/* The driver API: words in memory that streams wait for and write, one by one, in lists, and as
 * nodes of graphs. A stream that waits holds up nothing but what follows in it; a device that is
 * lost, or a wait that takes too long (TERN_WAIT_LIMIT), ends it. */
#include <stdlib.h>
#include "cuda/driver_int.h"

static bool may_wait(void)
{
    return !setting_on(SETTING_DETERMINISTIC) && !cuda_check();
}

bool cuda_waits_for_words(const struct tern_device *d)
{
    return (d->rt.driver->queue_until || d->info.flags & DEV_WORDS) && may_wait();
}

static enum word_op wait_op(unsigned flags)
{
    static const enum word_op ops[] = {[CU_STREAM_WAIT_VALUE_GEQ] = WORD_GEQ,
                                       [CU_STREAM_WAIT_VALUE_EQ] = WORD_EQ,
                                       [CU_STREAM_WAIT_VALUE_AND] = WORD_AND,
                                       [CU_STREAM_WAIT_VALUE_NOR] = WORD_NOR};
    return ops[flags];
}

/* Memory that the device and the host both reach by its address. */
static CUresult check_address(CUdeviceptr p, unsigned bytes)
{
    struct cuda_range r;
    const void *at = (void *)(uintptr_t)p;
    if (p % bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return cuda_find_memory(at, bytes, &r) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult read_op(const CUstreamBatchMemOpParams *p, struct work_word *out)
{
    const bool wide = p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
                      p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        if (p->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH)
            return CUDA_ERROR_NOT_SUPPORTED; /* CAN_FLUSH_REMOTE_WRITES is 0 */
        if (p->waitValue.flags > CU_STREAM_WAIT_VALUE_NOR)
            return CUDA_ERROR_INVALID_VALUE;
        *out = (struct work_word){.at = p->waitValue.address,
                                  .value = wide ? p->waitValue.value64 : p->waitValue.value,
                                  .op = wait_op(p->waitValue.flags),
                                  .wide = wide};
        return check_address(out->at, wide ? 8 : 4);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        if (p->writeValue.flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
            return CUDA_ERROR_INVALID_VALUE;
        *out = (struct work_word){.at = p->writeValue.address,
                                  .value = wide ? p->writeValue.value64 : p->writeValue.value,
                                  .op = WORD_WRITE,
                                  .wide = wide};
        return check_address(out->at, wide ? 8 : 4);
    case CU_STREAM_MEM_OP_BARRIER: /* work in a stream sees all that is before it */
        *out = (struct work_word){.op = WORD_NOTHING};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static CUstreamBatchMemOpParams tell_op(const struct work_word *w)
{
    static const unsigned flags[] = {[WORD_GEQ] = CU_STREAM_WAIT_VALUE_GEQ,
                                     [WORD_EQ] = CU_STREAM_WAIT_VALUE_EQ,
                                     [WORD_AND] = CU_STREAM_WAIT_VALUE_AND,
                                     [WORD_NOR] = CU_STREAM_WAIT_VALUE_NOR};
    CUstreamBatchMemOpParams p = {.pad = {0}};
    if (w->op == WORD_NOTHING) {
        p.operation = CU_STREAM_MEM_OP_BARRIER;
    } else if (w->op == WORD_WRITE) {
        p.writeValue.operation =
            w->wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
        p.writeValue.address = w->at;
        p.writeValue.value64 = w->value;
    } else {
        p.waitValue.operation =
            w->wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
        p.waitValue.address = w->at;
        p.waitValue.value64 = w->value;
        p.waitValue.flags = flags[w->op];
    }
    return p;
}

enum { MOST_OPS = 255 };

static CUresult read_ops(struct tern_device *d, unsigned count,
                         const CUstreamBatchMemOpParams *list, unsigned flags,
                         struct work_word words[MOST_OPS], struct work *w)
{
    if (!cuda_waits_for_words(d))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (count > MOST_OPS || (count && !list) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    for (unsigned k = 0; k < count && r == CUDA_SUCCESS; k++)
        r = read_op(&list[k], &words[k]);
    *w = (struct work){.kind = WORK_WORDS, .device = d, .words = {words, count}};
    return r;
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
                            unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct work_word words[MOST_OPS];
    struct work w;
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current_stream(stream, &s));
    if (r == CUDA_SUCCESS)
        r = read_ops(s->device, count, list, flags, words, &w);
    return r != CUDA_SUCCESS ? r : driver_result(cuda_from(work_submit(s, &w)));
}

static CUresult one(CUstream stream, CUstreamBatchMemOpType operation, CUdeviceptr p,
                    cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams op = {.pad = {0}};
    op.waitValue.operation = operation; /* the others are laid out alike */
    op.waitValue.address = p;
    op.waitValue.value64 = value;
    op.waitValue.flags = flags;
    return cuStreamBatchMemOp(stream, 1, &op, 0);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags)
{
    PROF_CALL(__func__);
    return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, p, value, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags)
{
    PROF_CALL(__func__);
    return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, p, value, flags);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags)
{
    PROF_CALL(__func__);
    return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, p, value, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags)
{
    PROF_CALL(__func__);
    return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, p, value, flags);
}

/* ---- nodes ---- */

static CUresult node_ops(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
                         struct work_word words[MOST_OPS], struct work *w)
{
    struct tern_device *d;
    CUresult r = params ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current(&d));
    return r != CUDA_SUCCESS
               ? r
               : read_ops(d, params->count, params->paramArray, params->flags, words, w);
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t nafter, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct work_word words[MOST_OPS];
    struct work w;
    struct tern_node *n;
    if (!node || !graph || (nafter && !after))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = node_ops(params, words, &w);
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_from(graph_add((struct tern_graph *)graph,
                                              (struct tern_node *const *)after, nafter, &w, &n)));
    if (r == CUDA_SUCCESS)
        *node = (CUgraphNode)n;
    return r;
}

/* The list lives as long as the node is not changed. */
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct tern_node *n = (struct tern_node *)node;
    if (!node || !params || n->work.kind != WORK_WORDS)
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned count = n->work.words.n;
    if (!n->args) {
        CUstreamBatchMemOpParams *list = calloc(count + 1, sizeof *list);
        if (!list)
            return CUDA_ERROR_OUT_OF_MEMORY;
        for (unsigned k = 0; k < count; k++)
            list[k] = tell_op(&n->work.words.list[k]);
        n->args = (void **)list;
    }
    *params = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = cuda_primary(cuda_ordinal_of(n->work.device)),
                                              .count = count,
                                              .paramArray = (CUstreamBatchMemOpParams *)n->args};
    return CUDA_SUCCESS;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct work_word words[MOST_OPS];
    struct work w;
    const CUresult r = node ? node_ops(params, words, &w) : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r
                             : driver_result(cuda_from(graph_set((struct tern_node *)node, &w)));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct work_word words[MOST_OPS];
    struct work w;
    const CUresult r = exec && node ? node_ops(params, words, &w) : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r
                             : driver_result(cuda_from(replay_set((struct tern_replay *)exec,
                                                                  (struct tern_node *)node, &w)));
}
