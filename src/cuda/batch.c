/* Many copies in one call, in both APIs, and boxes between devices as the driver API has them. The
 * copies of a batch have no order among themselves; here they are done as they stand. */
#include "cuda/driver_int.h"

/* Stream 0 takes no batches. */
static cudaError_t batch_stream(cudaStream_t stream, struct tern_stream **s)
{
    if (!stream || stream == cudaStreamLegacy)
        return cudaErrorInvalidValue;
    return cuda_current_stream(stream, s);
}

/* A source may have to be read before the call returns: pageable memory that is a variable of the
 * caller's. Memory that is not registered is read so in any case (work.c). */
static cudaError_t finish(struct tern_stream *s, enum cudaMemcpySrcAccessOrder order)
{
    return order == cudaMemcpySrcAccessOrderDuringApiCall ? cuda_wait(s) : cudaSuccess;
}

static bool is_order(enum cudaMemcpySrcAccessOrder order)
{
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/* Attribute k is for the copies from indices[k] on. */
static bool check_attributes(const struct cudaMemcpyAttributes *a, const size_t *indices, size_t n,
                             size_t count)
{
    if (!a || !indices || !n || n > count || indices[0])
        return false;
    for (size_t k = 0; k < n; k++)
        if (!is_order(a[k].srcAccessOrder) || a[k].flags & ~1u || indices[k] >= count ||
            (k && indices[k] <= indices[k - 1]))
            return false;
    return true;
}

static cudaError_t copy_batch(void **to, void **from, const size_t *sizes, size_t count,
                              const struct cudaMemcpyAttributes *a, const size_t *indices, size_t n,
                              size_t *failed, cudaStream_t stream)
{
    struct tern_stream *s;
    if (failed)
        *failed = SIZE_MAX; /* an error of no copy in particular */
    if (!to || !from || !sizes || !count || !check_attributes(a, indices, n, count))
        return cudaErrorInvalidValue;
    cudaError_t e = batch_stream(stream, &s);
    size_t at = 0;
    for (size_t k = 0; k < count && e == cudaSuccess; k++) {
        while (at + 1 < n && indices[at + 1] <= k)
            at++;
        e = sizes[k] ? cuda_copy_bytes(to[k], from[k], sizes[k], cudaMemcpyDefault, stream, false)
                     : cudaErrorInvalidValue;
        if (e == cudaSuccess)
            e = finish(s, a[at].srcAccessOrder);
        if (e != cudaSuccess && failed)
            *failed = k;
    }
    return e;
}

cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices,
                                 size_t nattributes, size_t *failed, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(
        copy_batch(to, from, sizes, count, attributes, indices, nattributes, failed, stream));
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                            size_t *failed, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(copy_batch((void **)to, (void **)from, sizes, count, attributes, indices,
                              nattributes, failed, stream));
}

/* ---- boxes ---- */

/* Lengths of rows count elements, those of the array that takes part or bytes. */
static struct cudaPitchedPtr pitched(const struct cudaMemcpy3DOperand *o, struct cudaExtent box,
                                     size_t element)
{
    const size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : box.width,
                 rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : box.height;
    return (struct cudaPitchedPtr){o->op.ptr.ptr, row * element, row * element, rows};
}

static bool is_operand(const struct cudaMemcpy3DOperand *o)
{
    return o->type == cudaMemcpyOperandTypeArray ? o->op.array.array != NULL
                                                 : o->type == cudaMemcpyOperandTypePointer;
}

static cudaError_t copy_box(const struct cudaMemcpy3DBatchOp *op, struct tern_stream *s)
{
    if (!is_operand(&op->src) || !is_operand(&op->dst) || !is_order(op->srcAccessOrder) ||
        op->flags & ~1u)
        return cudaErrorInvalidValue;
    struct cudaMemcpy3DParms p = {.extent = op->extent, .kind = cudaMemcpyDefault};
    const bool from_array = op->src.type == cudaMemcpyOperandTypeArray,
               to_array = op->dst.type == cudaMemcpyOperandTypeArray;
    const size_t element = from_array ? cuda_array_element(op->src.op.array.array)
                           : to_array ? cuda_array_element(op->dst.op.array.array)
                                      : 1;
    if (from_array) {
        const struct cudaOffset3D *at = &op->src.op.array.offset;
        p.srcArray = op->src.op.array.array;
        p.srcPos = (struct cudaPos){at->x, at->y, at->z};
    } else {
        p.srcPtr = pitched(&op->src, op->extent, element);
    }
    if (to_array) {
        const struct cudaOffset3D *at = &op->dst.op.array.offset;
        p.dstArray = op->dst.op.array.array;
        p.dstPos = (struct cudaPos){at->x, at->y, at->z};
    } else {
        p.dstPtr = pitched(&op->dst, op->extent, element);
    }
    struct work w;
    cudaError_t e = cuda_box_work(&p, &w);
    if (e == cudaSuccess && w.copy.width && w.copy.height && w.copy.depth)
        e = cuda_copy(s, &w.copy.to, &w.copy.from, w.copy.width, w.copy.height, w.copy.depth,
                      false);
    return e == cudaSuccess ? finish(s, op->srcAccessOrder) : e;
}

static cudaError_t copy_boxes(size_t count, const struct cudaMemcpy3DBatchOp *list, size_t *failed,
                              unsigned long long flags, cudaStream_t stream)
{
    struct tern_stream *s;
    if (failed)
        *failed = SIZE_MAX;
    if (!count || !list || flags)
        return cudaErrorInvalidValue;
    cudaError_t e = batch_stream(stream, &s);
    for (size_t k = 0; k < count && e == cudaSuccess; k++) {
        e = copy_box(&list[k], s);
        if (e != cudaSuccess && failed)
            *failed = k;
    }
    return e;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed,
                                   unsigned long long flags, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_boxes(count, list, failed, flags, stream));
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *failed,
                              unsigned long long flags, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(copy_boxes(count, list, failed, flags, stream));
}

/* CUDA 13 tells no more which copy failed. */
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                               CUstream stream)
{
    PROF_CALL(__func__);
    return cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, nattributes, NULL,
                              stream);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *list,
                                 unsigned long long flags, CUstream stream)
{
    PROF_CALL(__func__);
    return cuMemcpy3DBatchAsync(count, list, NULL, flags, stream);
}

/* ---- between contexts: addresses tell their devices ---- */

static CUresult peer_box(const CUDA_MEMCPY3D_PEER *p, CUDA_MEMCPY3D *out)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!p->srcContext || !p->dstContext || !driver_is_context(p->srcContext) ||
        !driver_is_context(p->dstContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    *out = (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcZ = p->srcZ,
                           .srcLOD = p->srcLOD,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .srcHeight = p->srcHeight,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstZ = p->dstZ,
                           .dstLOD = p->dstLOD,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .dstHeight = p->dstHeight,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = p->Depth};
    return CUDA_SUCCESS;
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p)
{
    PROF_CALL(__func__);
    CUDA_MEMCPY3D box;
    const CUresult r = peer_box(p, &box);
    return r != CUDA_SUCCESS ? r : cuMemcpy3D(&box);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream)
{
    PROF_CALL(__func__);
    CUDA_MEMCPY3D box;
    const CUresult r = peer_box(p, &box);
    return r != CUDA_SUCCESS ? r : cuMemcpy3DAsync(&box, stream);
}
