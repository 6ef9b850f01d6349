/* The driver API: memory, copies, fills. */
#include <string.h>
#include "cuda/driver_int.h"

static void *pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

/* ---- allocation ---- */

CUresult cuMemGetInfo(size_t *available, size_t *total)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemGetInfo(available, total));
}

/* An allocation of no bytes is an error here, other than in the runtime API. */
static cudaError_t allocate(CUdeviceptr *p, size_t size, enum cuda_kind kind, unsigned flags)
{
    void *at;
    cudaError_t e = p && size ? cuda_allocate(&at, size, kind, flags) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *p = (CUdeviceptr)(uintptr_t)at;
    return e;
}

CUresult cuMemAlloc(CUdeviceptr *p, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(allocate(p, size, CUDA_DEVICE, 0));
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    RETURN_RUNTIME(allocate(p, size, CUDA_MANAGED, flags));
}

CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
                         unsigned int element)
{
    PROF_CALL(__func__);
    if (!p || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return CUDA_ERROR_INVALID_VALUE;
    void *at = NULL;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    const cudaError_t last = cuda_last();
    r = driver_result(cudaMallocPitch(&at, pitch, width, height));
    cuda_set_last(last);
    *p = (CUdeviceptr)(uintptr_t)at;
    return r;
}

CUresult cuMemFree(CUdeviceptr p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_release(pointer(p), false));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    CUresult e = driver_enter();
    if (e != CUDA_SUCCESS)
        return e;
    if (!cuda_find_memory(pointer(p), 0, &r) || (r.kind != CUDA_DEVICE && r.kind != CUDA_MANAGED))
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = r.at;
    if (size)
        *size = r.size;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **p, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaHostAlloc(p, size, 0));
}

CUresult cuMemFreeHost(void *p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaFreeHost(p));
}

CUresult cuMemHostAlloc(void **p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaHostAlloc(p, size, flags));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags)
{
    PROF_CALL(__func__);
    void *at = NULL;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    const cudaError_t last = cuda_last();
    r = driver_result(cudaHostGetDevicePointer(&at, host, flags));
    cuda_set_last(last);
    *device = (CUdeviceptr)(uintptr_t)at;
    return r;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaHostGetFlags(flags, host));
}

CUresult cuMemHostRegister(void *p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaHostRegister(p, size, flags));
}

CUresult cuMemHostUnregister(void *p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaHostUnregister(p));
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t size, CUdevice device, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPrefetchAsync(pointer(p), size, device, stream));
}

CUresult cuMemAdvise(CUdeviceptr p, size_t size, CUmem_advise advice, CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemAdvise(pointer(p), size, (enum cudaMemoryAdvise)advice, device));
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute,
                                CUdeviceptr p, size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)attribute,
                                            pointer(p), count));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                                 size_t n, CUdeviceptr p, size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)attributes,
                                             n, pointer(p), count));
}

/* ---- in stream order ---- */

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMallocAsync((void **)p, size, stream));
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaFreeAsync(pointer(p), stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMallocFromPoolAsync((void **)p, size, pool, stream));
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)props));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolTrimTo(pool, keep));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

/* ---- pointers ---- */

static CUresult pointer_attribute(void *data, CUpointer_attribute attribute,
                                  const struct cuda_range *r, CUdeviceptr p)
{
    const bool host = r->kind == CUDA_HOST || r->kind == CUDA_REGISTERED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = cuda_primary(r->device); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = p; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (r->kind == CUDA_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = pointer(p);
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)data = (r->flags & CUDA_SYNC_MEMOPS) != 0; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = r->id; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)data = r->kind == CUDA_MANAGED; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = r->device; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)data = r->at; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = r->size; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)data = 1; break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(int *)data = 3; break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(CUmemoryPool *)data = r->pool; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    CUresult e = driver_enter();
    if (e != CUDA_SUCCESS)
        return e;
    if (!data || !cuda_find_memory(pointer(p), 0, &r))
        return CUDA_ERROR_INVALID_VALUE;
    return pointer_attribute(data, attribute, &r, p);
}

/* Of a pointer that is not known, every attribute is zero. */
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    CUresult e = driver_enter();
    if (e != CUDA_SUCCESS)
        return e;
    if (!attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    const bool known = cuda_find_memory(pointer(p), 0, &r);
    for (unsigned k = 0; k < n; k++) {
        static const unsigned char bytes[] = {[CU_POINTER_ATTRIBUTE_CONTEXT] = 8,
                                              [CU_POINTER_ATTRIBUTE_MEMORY_TYPE] = 4,
                                              [CU_POINTER_ATTRIBUTE_DEVICE_POINTER] = 8,
                                              [CU_POINTER_ATTRIBUTE_HOST_POINTER] = 8,
                                              [CU_POINTER_ATTRIBUTE_SYNC_MEMOPS] = 4,
                                              [CU_POINTER_ATTRIBUTE_BUFFER_ID] = 8,
                                              [CU_POINTER_ATTRIBUTE_IS_MANAGED] = 4,
                                              [CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] = 4,
                                              [CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE] = 4,
                                              [CU_POINTER_ATTRIBUTE_RANGE_START_ADDR] = 8,
                                              [CU_POINTER_ATTRIBUTE_RANGE_SIZE] = 8,
                                              [CU_POINTER_ATTRIBUTE_MAPPED] = 4,
                                              [CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES] = 8,
                                              [CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE] = 4,
                                              [CU_POINTER_ATTRIBUTE_ACCESS_FLAGS] = 4,
                                              [CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE] = 8};
        if ((size_t)attributes[k] >= sizeof bytes || !bytes[attributes[k]])
            return CUDA_ERROR_INVALID_VALUE;
        memset(data[k], 0, bytes[attributes[k]]);
        if (attributes[k] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && !known)
            *(int *)data[k] = CU_DEVICE_INVALID;
        if (known)
            pointer_attribute(data[k], attributes[k], &r, p);
    }
    return CUDA_SUCCESS;
}

/* ---- copies ---- */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_copy_bytes(pointer(to), pointer(from), size, cudaMemcpyDefault, 0, true));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_copy_bytes(pointer(to), from, size, cudaMemcpyHostToDevice, 0, true));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_copy_bytes(to, pointer(from), size, cudaMemcpyDeviceToHost, 0, true));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cuda_copy_bytes(pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, 0, true));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t size)
{
    PROF_CALL(__func__);
    if (!to_context || !from_context)
        return CUDA_ERROR_INVALID_CONTEXT;
    RETURN_RUNTIME(cudaMemcpyPeer(pointer(to), to_context->ordinal, pointer(from),
                                  from_context->ordinal, size));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cuda_copy_bytes(pointer(to), pointer(from), size, cudaMemcpyDefault, stream, false));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_copy_bytes(pointer(to), from, size, cudaMemcpyHostToDevice, stream, false));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cuda_copy_bytes(to, pointer(from), size, cudaMemcpyDeviceToHost, stream, false));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cuda_copy_bytes(pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, stream, false));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    if (!to_context || !from_context)
        return CUDA_ERROR_INVALID_CONTEXT;
    RETURN_RUNTIME(cudaMemcpyPeerAsync(pointer(to), to_context->ordinal, pointer(from),
                                       from_context->ordinal, size, stream));
}

CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemcpyToArray((cudaArray_t)to, offset, 0, pointer(from), size,
                                     cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemcpyFromArray(pointer(to), (cudaArray_t)from, offset, 0, size,
                                       cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaMemcpyToArray((cudaArray_t)to, offset, 0, from, size, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaMemcpyFromArray(to, (cudaArray_t)from, offset, 0, size, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t size,
                           CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemcpyToArrayAsync((cudaArray_t)to, offset, 0, from, size,
                                          cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t size, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemcpyFromArrayAsync(to, (cudaArray_t)from, offset, 0, size,
                                            cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemcpyArrayToArray((cudaArray_t)to, to_offset, 0, (cudaArray_t)from,
                                          from_offset, 0, size, cudaMemcpyDeviceToDevice));
}

/* One side of a box, as the runtime API puts it. Positions in arrays count bytes here. */
struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

static cudaError_t side_place(const struct side *s, const CUDA_MEMCPY3D *p, struct work_place *out)
{
    const size_t width = p->WidthInBytes, height = p->Height, depth = p->Depth;
    if (s->type == CU_MEMORYTYPE_ARRAY)
        return s->array ? cuda_array_place((cudaArray_t)s->array, s->x, s->y, s->z, width, height,
                                           depth, out)
                        : cudaErrorInvalidResourceHandle;
    const size_t pitch = s->pitch ? s->pitch : s->x + width,
                 slice = pitch * (s->height ? s->height : s->y + height);
    if (width + s->x > pitch)
        return cudaErrorInvalidValue;
    const char *base = s->type == CU_MEMORYTYPE_HOST ? s->host : pointer(s->device);
    if (!base)
        return cudaErrorInvalidValue;
    const cudaError_t e =
        cuda_locate(base + s->z * slice + s->y * pitch + s->x,
                    (depth - 1) * slice + (height - 1) * pitch + width,
                    s->type == CU_MEMORYTYPE_DEVICE, s->type != CU_MEMORYTYPE_UNIFIED, out);
    out->row = pitch;
    out->slice = slice;
    return e;
}

/* What a box says, as work: also for nodes of graphs. */
cudaError_t driver_box_work(const CUDA_MEMCPY3D *p, struct work *w)
{
    *w = (struct work){.kind = WORK_COPY};
    if (!p)
        return cudaErrorInvalidValue;
    w->copy.width = p->WidthInBytes;
    w->copy.height = p->Height;
    w->copy.depth = p->Depth;
    if (!p->WidthInBytes || !p->Height || !p->Depth)
        return cudaSuccess;
    const struct side to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                            p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight},
                      from = {p->srcMemoryType, p->srcHost,     p->srcDevice,
                              p->srcArray,      p->srcXInBytes, p->srcY,
                              p->srcZ,          p->srcPitch,    p->srcHeight};
    cudaError_t e = side_place(&to, p, &w->copy.to);
    return e != cudaSuccess ? e : side_place(&from, p, &w->copy.from);
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *p, CUstream stream, bool wait)
{
    struct tern_stream *s;
    struct work w;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess)
        e = driver_box_work(p, &w);
    if (e != cudaSuccess || !w.copy.width || !w.copy.height || !w.copy.depth)
        return e;
    return cuda_copy(s, &w.copy.to, &w.copy.from, w.copy.width, w.copy.height, w.copy.depth, wait);
}

static CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D *p)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = 1};
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *p)
{
    PROF_CALL(__func__);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = flat(p);
    RETURN_RUNTIME(copy_box(&box, 0, true));
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p)
{
    PROF_CALL(__func__);
    return cuMemcpy2D(p);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream)
{
    PROF_CALL(__func__);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = flat(p);
    RETURN_RUNTIME(copy_box(&box, stream, false));
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(copy_box(p, 0, true));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(copy_box(p, stream, false));
}

/* ---- fills ---- */

static cudaError_t fill(CUdeviceptr p, size_t pitch, uint32_t value, unsigned element, size_t width,
                        size_t height, CUstream stream)
{
    if (p % element || width > SIZE_MAX / element ||
        (height > 1 && (pitch % element || pitch < width * element)))
        return cudaErrorInvalidValue;
    return cuda_fill_rows(pointer(p), pitch, value, element, width * element, height, stream,
                          false);
}

CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t n)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 1, value, 1, n, 1, 0));
}

CUresult cuMemsetD2D8(CUdeviceptr p, size_t pitch, unsigned char value, size_t width, size_t height)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 1, width, height, 0));
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 1, value, 1, n, 1, stream));
}

CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 1, width, height, stream));
}

CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, size_t n)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 2, value, 2, n, 1, 0));
}

CUresult cuMemsetD2D16(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                       size_t height)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 2, width, height, 0));
}

CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 2, value, 2, n, 1, stream));
}

CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 2, width, height, stream));
}

CUresult cuMemsetD32(CUdeviceptr p, unsigned int value, size_t n)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 4, value, 4, n, 1, 0));
}

CUresult cuMemsetD2D32(CUdeviceptr p, size_t pitch, unsigned int value, size_t width, size_t height)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 4, width, height, 0));
}

CUresult cuMemsetD32Async(CUdeviceptr p, unsigned int value, size_t n, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, n * 4, value, 4, n, 1, stream));
}

CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(fill(p, pitch, value, 4, width, height, stream));
}
