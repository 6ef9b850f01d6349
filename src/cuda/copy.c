/* Copies, fills and symbols. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"

/* ---- places ---- */

/* The caller said what memory it is, and was wrong. */
static void misplaced(const void *p, uint64_t size, bool as_device)
{
    if (cuda_check())
        check_misplaced(cuda_check(), (uint64_t)(uintptr_t)p, size, as_device);
}

cudaError_t cuda_locate(const void *p, uint64_t size, bool claims_device, bool claimed,
                        struct work_place *out)
{
    struct cuda_range r;
    struct tern_device *d;
    *out = (struct work_place){.at = (uint64_t)(uintptr_t)p};
    if (cuda_current(&d) == cudaSuccess &&
        cuda_managed_place(d, p, size, &out->at) == cudaSuccess) {
        out->device = d;
        return cudaSuccess;
    }
    if (cuda_find_range(p, size, &r)) {
        if (r.kind == CUDA_HOST || r.kind == CUDA_REGISTERED) {
            if (!claimed || !claims_device)
                return cudaSuccess;
            cudaError_t e = cuda_current(&d); /* mapped into the device, or not */
            return e != cudaSuccess                  ? e
                   : d->info.flags & DEV_HOST_MEMORY ? cudaSuccess
                                                     : cudaErrorInvalidValue;
        }
        cudaError_t e = cuda_device_at(r.device, &out->device);
        if (e == cudaSuccess && claimed && !claims_device && r.kind == CUDA_DEVICE) {
            misplaced(p, size, false);
            if (!(out->device->info.flags & DEV_HOST_MEMORY))
                e = cudaErrorInvalidValue;
        }
        return e;
    }
    if (cuda_find_range(p, 0, &r)) { /* ours, but shorter */
        if (cuda_check())
            check_past_end(cuda_check(), (uint64_t)(uintptr_t)p, size);
        return cudaErrorInvalidValue;
    }
    if (claimed && !claims_device)
        return cudaSuccess;
    if (!cuda_find_variable(p, size, &r)) {
        if (claimed)
            misplaced(p, size, true);
        return claimed ? cudaErrorInvalidValue : cudaSuccess;
    }
    return r.kind == CUDA_MANAGED ? cudaSuccess : cuda_device_at(r.device, &out->device);
}

static bool pageable(const struct work_place *p)
{
    struct cuda_range r;
    return !p->device && !cuda_find_range((const void *)(uintptr_t)p->at, 0, &r);
}

/* ---- copies ---- */

cudaError_t cuda_copy(struct tern_stream *s, const struct work_place *to,
                      const struct work_place *from, uint64_t width, uint64_t height,
                      uint64_t depth, bool wait)
{
    struct work w = {.kind = WORK_COPY,
                     .device = s->device,
                     .copy = {.to = *to,
                              .from = *from,
                              .width = width,
                              .height = height,
                              .depth = depth,
                              .pageable = pageable(to) || pageable(from)}};
    enum tern_error e = work_submit(s, &w);
    return e || !wait ? cuda_from(e) : cuda_wait(s);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream, bool wait)
{
    struct tern_stream *s;
    struct work_place a, b;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !width || !height)
        return e;
    if (!to || !from)
        return cudaErrorInvalidValue;
    if (height == 1) { /* one row needs no pitch, but a pitch that is given has to do */
        to_pitch = to_pitch ? to_pitch : width;
        from_pitch = from_pitch ? from_pitch : width;
    }
    if (width > to_pitch || width > from_pitch)
        return height == 1 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue;
    if (height > 1 && (to_pitch > UINT64_MAX / height || from_pitch > UINT64_MAX / height))
        return cudaErrorInvalidValue;
    const bool claimed = kind != cudaMemcpyDefault;
    e = cuda_locate(to, (height - 1) * to_pitch + width,
                    kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice, claimed,
                    &a);
    if (e == cudaSuccess)
        e = cuda_locate(from, (height - 1) * from_pitch + width,
                        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice, claimed,
                        &b);
    if (e != cudaSuccess)
        return e;
    a.row = to_pitch;
    b.row = from_pitch;
    return cuda_copy(s, &a, &b, width, height, 1, wait);
}

cudaError_t cuda_copy_bytes(void *to, const void *from, uint64_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool wait)
{
    return copy_rows(to, n, from, n, n, 1, kind, stream, wait);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(cuda_copy_bytes(to, from, size, kind, 0, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(cuda_copy_bytes(to, from, size, kind, stream, false));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, 0, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(
        copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

/* One side of a copy of a box: bytes, rows and slices. */
static cudaError_t box_side(cudaArray_const_t array, struct cudaPitchedPtr p, struct cudaPos at,
                            struct cudaExtent bytes, bool device, bool claimed,
                            struct work_place *out)
{
    if (array && cuda_handle_gone(array))
        return cudaErrorInvalidResourceHandle;
    if (array)
        return cuda_array_place(array, at.x, at.y, at.z, bytes.width, bytes.height, bytes.depth,
                                out);
    if (!p.ptr)
        return cudaErrorInvalidValue;
    const uint64_t row = p.pitch, slice = row * p.ysize;
    if (bytes.width + at.x > row || (bytes.depth > 1 && bytes.height + at.y > p.ysize))
        return cudaErrorInvalidPitchValue;
    const char *first = (const char *)p.ptr + at.z * slice + at.y * row + at.x;
    cudaError_t e =
        cuda_locate(first, (bytes.depth - 1) * slice + (bytes.height - 1) * row + bytes.width,
                    device, claimed, out);
    out->row = row;
    out->slice = slice;
    return e;
}

/* What cudaMemcpy3DParms says, as work: the extent counts elements of an array where there is one,
 * bytes elsewhere, and so do positions in arrays. */
cudaError_t cuda_box_work(const struct cudaMemcpy3DParms *p, struct work *w)
{
    if (!p || (unsigned)p->kind > cudaMemcpyDefault)
        return p ? cudaErrorInvalidMemcpyDirection : cudaErrorInvalidValue;
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    const size_t from_element = cuda_array_element(p->srcArray),
                 to_element = cuda_array_element(p->dstArray);
    if (p->srcArray && p->dstArray && from_element != to_element)
        return cudaErrorInvalidValue;
    struct cudaExtent bytes = p->extent;
    struct cudaPos from_at = p->srcPos, to_at = p->dstPos;
    bytes.width *= p->srcArray ? from_element : p->dstArray ? to_element : 1;
    if (p->srcArray)
        from_at.x *= from_element;
    if (p->dstArray)
        to_at.x *= to_element;
    *w = (struct work){.kind = WORK_COPY};
    w->copy.width = bytes.width;
    w->copy.height = bytes.height;
    w->copy.depth = bytes.depth;
    if (!bytes.width || !bytes.height || !bytes.depth)
        return cudaSuccess;
    const bool claimed = p->kind != cudaMemcpyDefault;
    cudaError_t e =
        box_side(p->dstArray, p->dstPtr, to_at, bytes,
                 p->kind == cudaMemcpyHostToDevice || p->kind == cudaMemcpyDeviceToDevice, claimed,
                 &w->copy.to);
    if (e == cudaSuccess)
        e = box_side(p->srcArray, p->srcPtr, from_at, bytes,
                     p->kind == cudaMemcpyDeviceToHost || p->kind == cudaMemcpyDeviceToDevice,
                     claimed, &w->copy.from);
    return e;
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    struct tern_stream *s;
    struct work w;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess)
        e = cuda_box_work(p, &w);
    if (e != cudaSuccess || !w.copy.width || !w.copy.height || !w.copy.depth)
        return e;
    return cuda_copy(s, &w.copy.to, &w.copy.from, w.copy.width, w.copy.height, w.copy.depth, wait);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    PROF_CALL(__func__);
    return cuda_return(copy_box(p, 0, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_box(p, stream, false));
}

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device, size_t n,
                             cudaStream_t stream, bool wait)
{
    struct tern_device *a, *b;
    struct tern_stream *s;
    cudaError_t e = cuda_device_at(to_device, &a);
    if (e == cudaSuccess)
        e = cuda_device_at(from_device, &b);
    if (e == cudaSuccess)
        e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !n)
        return e;
    struct work_place x, y;
    e = cuda_locate(to, n, true, true, &x);
    if (e == cudaSuccess)
        e = cuda_locate(from, n, true, true, &y);
    if (e == cudaSuccess && ((x.device && x.device != a) || (y.device && y.device != b)))
        e = cudaErrorInvalidValue;
    return e != cudaSuccess ? e : cuda_copy(s, &x, &y, n, 1, 1, wait);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    PROF_CALL(__func__);
    return cuda_return(copy_peer(to, to_device, from, from_device, size, 0, true));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_peer(to, to_device, from, from_device, size, stream, false));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    PROF_CALL(__func__);
    if (!p)
        return cuda_return(cudaErrorInvalidValue);
    struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDeviceToDevice};
    return cuda_return(copy_box(&plain, stream, false));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    PROF_CALL(__func__);
    cudaError_t e = cudaMemcpy3DPeerAsync(p, 0);
    return e != cudaSuccess ? e : cudaStreamSynchronize(0);
}

/* ---- fills ---- */

cudaError_t cuda_fill_rows(void *p, size_t pitch, uint32_t value, unsigned element, size_t width,
                           size_t height, cudaStream_t stream, bool wait)
{
    struct tern_stream *s;
    struct work w = {
        .kind = WORK_FILL,
        .fill = {.width = width, .height = height, .value = value, .element = element}};
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !width || !height)
        return e;
    if (height > 1 && pitch > UINT64_MAX / height)
        return cudaErrorInvalidValue;
    e = p ? cuda_locate(p, (height - 1) * pitch + width, true, true, &w.fill.to)
          : cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return e;
    w.device = s->device;
    w.fill.to.row = pitch;
    e = cuda_from(work_submit(s, &w));
    struct cuda_range r;
    if (!wait && !stream && cuda_find_range(p, 0, &r)) /* only fills that are not called Async */
        wait = r.flags & CUDA_SYNC_MEMOPS;
    return e == cudaSuccess && wait ? cuda_wait(s) : e;
}

static cudaError_t fill_bytes(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    if (height <= 1) /* then nobody asks how far the next row is */
        pitch = width;
    if (width > pitch)
        return cudaErrorInvalidValue;
    return cuda_fill_rows(p, pitch, (unsigned char)value, 1, width, height, stream, false);
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
    PROF_CALL(__func__);
    return cuda_return(fill_bytes(p, size, value, size, 1, 0));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(fill_bytes(p, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    PROF_CALL(__func__);
    return cuda_return(fill_bytes(p, pitch, value, width, height, 0));
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(fill_bytes(p, pitch, value, width, height, stream));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    PROF_CALL(__func__);
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
        e = fill_bytes((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width,
                       extent.height, stream);
    return cuda_return(e);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    PROF_CALL(__func__);
    return cudaMemset3DAsync(p, value, extent, 0);
}

/* ---- symbols ---- */

static cudaError_t symbol_place(const void *symbol, size_t size, size_t offset,
                                struct work_place *out)
{
    struct tern_device *d = NULL;
    dev_ptr p = 0;
    uint64_t whole = 0;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_symbol(d, symbol, &p, &whole);
    dev_ptr managed;
    if (e == cudaSuccess && cuda_managed_place(d, symbol, whole, &managed) == cudaSuccess)
        p = managed; /* with what the host wrote */
    if (e == cudaSuccess && (offset > whole || size > whole - offset)) {
        if (cuda_check())
            check_past_end(cuda_check(), p + offset, size);
        e = cudaErrorInvalidValue;
    }
    *out = (struct work_place){.device = d, .at = p + offset};
    return e;
}

static cudaError_t copy_symbol(const void *symbol, void *other, size_t size, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool to_symbol,
                               bool wait)
{
    struct work_place a, b;
    struct tern_stream *s;
    bool device = kind == cudaMemcpyDeviceToDevice;
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = symbol_place(symbol, size, offset, &a);
    if (e == cudaSuccess)
        e = cuda_stream(a.device, stream, &s);
    if (e == cudaSuccess)
        e = cuda_locate(other, size, device, kind != cudaMemcpyDefault, &b);
    if (e != cudaSuccess)
        return e;
    return cuda_copy(s, to_symbol ? &a : &b, to_symbol ? &b : &a, size, 1, 1, wait);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_symbol(symbol, (void *)from, size, offset, kind, 0, true, true));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_symbol(symbol, to, size, offset, kind, 0, false, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_symbol(symbol, (void *)from, size, offset, kind, stream, true, false));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_symbol(symbol, to, size, offset, kind, stream, false, false));
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    PROF_CALL(__func__);
    struct work_place a;
    struct cuda_range r;
    cudaError_t e = p ? symbol_place(symbol, 0, 0, &a) : cudaErrorInvalidValue;
    if (e == cudaSuccess) /* a managed variable's is the host's, too */
        *p = cuda_find_variable(symbol, 0, &r) && r.kind == CUDA_MANAGED ? (void *)symbol
                                                                         : (void *)(uintptr_t)a.at;
    return cuda_return(e);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    dev_ptr p;
    uint64_t whole;
    cudaError_t e = size ? cuda_current(&d) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_symbol(d, symbol, &p, &whole);
    if (e == cudaSuccess)
        *size = whole;
    return cuda_return(e);
}
