/* The C++ side of the host half: launches, registration, and the runtime API's templates. */
#pragma once
#ifndef __TERN_DEVICE__

#include "tern_abi.h"
#include <cxxabi.h>
#include <typeinfo>
#include "texture_fetch_functions.h"

struct __tern_entry : __tern_entry_data {
    __tern_entry(__tern_unit *u, const char *called)
        : __tern_entry_data{u, called, nullptr, nullptr}
    {
        __tern_register_kernel(this);
    }
};
struct __tern_variable : __tern_variable_data {
    __tern_variable(__tern_unit *u, const void *shadow, const char *called, unsigned long bytes,
                    int sort)
        : __tern_variable_data{u, shadow, called, bytes, sort, nullptr, nullptr}
    {
        __tern_register_variable(this);
    }
};

/* Makes a closure C, whose members are its n captures in their order; an array's elements are given
 * one by one. Each capture goes behind the others in turn, until all have. */
template <unsigned long... __i> struct __tern_indices {
};
template <unsigned long __n, unsigned long... __i>
struct __tern_indices_to : __tern_indices_to<__n - 1, __n - 1, __i...> {
};
template <unsigned long... __i> struct __tern_indices_to<0, __i...> {
    typedef __tern_indices<__i...> type;
};
template <class __T> struct __tern_element {
    typedef __T type;
};
template <class __T, unsigned long __n>
struct __tern_element<__T[__n]> : __tern_element<__T> {
};
template <class __C, unsigned __n> struct __tern_closure_of {
    template <class __T, class... __R> static __C made(const __T &__x, const __R &...__r)
    {
        return __tern_closure_of<__C, __n - 1>::made(__r..., __x);
    }
    template <class __T, unsigned long __m, class... __R>
    static __C made(const __T (&__x)[__m], const __R &...__r)
    {
        typedef typename __tern_element<__T>::type __e;
        return spread(typename __tern_indices_to<sizeof __x / sizeof(__e)>::type(),
                      (const __e *)&__x, __r...);
    }
    template <unsigned long... __i, class __E, class... __R>
    static __C spread(__tern_indices<__i...>, const __E *__x, const __R &...__r)
    {
        return __tern_closure_of<__C, __n - 1>::made(__r..., __x[__i]...);
    }
};
template <class __C> struct __tern_closure_of<__C, 0> {
    template <class... __R> static __C made(const __R &...__r)
    {
        return {__r...};
    }
};

static inline void __tern_configure(dim3 grid, dim3 block, size_t shared = 0,
                                    cudaStream_t stream = 0)
{
    __tern_push_configuration(grid, block, shared, stream);
}

/* Where an argument of a kernel lies. By way of a number, because compilers warn of casts, or
 * refuse them, that take qualifiers away, __restrict__ too. */
template <class __tern_T> static inline void *__tern_argument(__tern_T &x)
{
    return reinterpret_cast<void *>(reinterpret_cast<unsigned long>(__builtin_addressof(x)));
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
__attribute__((unused)) static const int __tern_default_stream = __tern_per_thread_default();
#endif

/* Has the function of this name (__PRETTY_FUNCTION__) one that the device half knows too? Not with
 * a lambda among its template arguments, <lambda(…)> to gcc, (lambda at …) to clang. Halves are
 * searched apart, so that long names need no deep recursion. */
constexpr bool __tern_is_lambda(const char *s, unsigned long k)
{
    return (s[k] == '<' || s[k] == '(') && s[k + 1] == 'l' && s[k + 2] == 'a' && s[k + 3] == 'm' &&
           s[k + 4] == 'b' && s[k + 5] == 'd' && s[k + 6] == 'a' &&
           (s[k] == '<' ? s[k + 7] == '(' : s[k + 7] == ' ');
}
constexpr bool __tern_holds_lambda(const char *s, unsigned long from, unsigned long to)
{
    return to - from == 1 ? __tern_is_lambda(s, from)
                          : __tern_holds_lambda(s, from, from + (to - from) / 2) ||
                                __tern_holds_lambda(s, from + (to - from) / 2, to);
}
constexpr bool __tern_has_name(const char *s, unsigned long size)
{
    return size < 10 || !__tern_holds_lambda(s, 0, size - 9);
}

#ifdef __TERN_UNIT__
/* The device half of this file is appended to it by the build. */
extern "C" const char __TERN_UNIT__[];
extern "C" const char __TERN_UNIT_END__[];
static __tern_unit __tern_here = {__TERN_UNIT__,       __TERN_UNIT_END__,   __TERN_UNIT_PATH__,
                                  __TERN_UNIT_FLAGS__, abi::__cxa_demangle, 0};
#ifdef __TERN_UNIT_LINKED__ /* others may need what is in it, whatever it launches itself */
__attribute__((unused)) static const int __tern_linked = __tern_register_unit(&__tern_here);
#endif
template <class Tag> struct __tern_kernel {
    static __tern_entry self;
};
template <class Tag> __tern_entry __tern_kernel<Tag>::self(&__tern_here, typeid(Tag).name());
#endif

/* ---- what host code of CUDA's own compiler gets beside the API; C++ alone may have functions of these names ---- */
#ifdef __CUDACC__
#define __TERN_MINMAX(__tern_T)                                                                    \
    static inline __tern_T min(const __tern_T a, const __tern_T b)                                 \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline __tern_T max(const __tern_T a, const __tern_T b)                                 \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
__TERN_MINMAX(int)
__TERN_MINMAX(unsigned int)
__TERN_MINMAX(long)
__TERN_MINMAX(unsigned long)
__TERN_MINMAX(long long)
__TERN_MINMAX(unsigned long long)
__TERN_MINMAX(float)
__TERN_MINMAX(double)
#undef __TERN_MINMAX
#define __TERN_MIXED(__tern_T, __tern_U)                                                           \
    static inline __tern_T min(const __tern_T a, const __tern_U b)                                 \
    {                                                                                              \
        return min(a, (__tern_T)b);                                                                \
    }                                                                                              \
    static inline __tern_T max(const __tern_T a, const __tern_U b)                                 \
    {                                                                                              \
        return max(a, (__tern_T)b);                                                                \
    }                                                                                              \
    static inline __tern_T min(const __tern_U a, const __tern_T b)                                 \
    {                                                                                              \
        return min((__tern_T)a, b);                                                                \
    }                                                                                              \
    static inline __tern_T max(const __tern_U a, const __tern_T b)                                 \
    {                                                                                              \
        return max((__tern_T)a, b);                                                                \
    }
__TERN_MIXED(unsigned int, int)
__TERN_MIXED(unsigned long, long)
__TERN_MIXED(unsigned long long, long long)
__TERN_MIXED(double, float)
#undef __TERN_MIXED
static inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
static inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
#endif

/* ---- templates over the C functions ---- */
template <class __tern_T> static inline cudaError_t cudaMalloc(__tern_T **p, size_t size)
{
    return cudaMalloc((void **)p, size);
}
template <class __tern_T>
static inline cudaError_t cudaMallocHost(__tern_T **p, size_t size, unsigned int flags = 0)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class __tern_T>
static inline cudaError_t cudaHostAlloc(__tern_T **p, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class __tern_T>
static inline cudaError_t cudaMallocManaged(__tern_T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, size, flags);
}
template <class __tern_T>
static inline cudaError_t cudaMallocPitch(__tern_T **p, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class __tern_T>
static inline cudaError_t cudaMallocAsync(__tern_T **p, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)p, size, stream);
}
template <class __tern_T>
static inline cudaError_t cudaMallocAsync(__tern_T **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, size, pool, stream);
}
template <class __tern_T>
static inline cudaError_t cudaMallocFromPoolAsync(__tern_T **p, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, size, pool, stream);
}
template <class __tern_T>
static inline cudaError_t cudaHostGetDevicePointer(__tern_T **p, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)p, host, flags);
}
template <class __tern_T>
static inline cudaError_t cudaMemcpyToSymbol(const __tern_T &symbol, const void *from, size_t size,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class __tern_T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const __tern_T &symbol, size_t size,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class __tern_T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const __tern_T &symbol, const void *from, size_t size, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class __tern_T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const __tern_T &symbol, size_t size, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class __tern_T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *after,
                                                         size_t nafter, const __tern_T &symbol,
                                                         const void *from, size_t size,
                                                         size_t offset, enum cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, nafter, (const void *)&symbol, from,
                                          size, offset, kind);
}
template <class __tern_T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *after,
                                                           size_t nafter, void *to,
                                                           const __tern_T &symbol, size_t size,
                                                           size_t offset, enum cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, nafter, to, (const void *)&symbol,
                                            size, offset, kind);
}
template <class __tern_T>
static inline cudaError_t cudaGetSymbolAddress(void **p, const __tern_T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class __tern_T>
static inline cudaError_t cudaGetSymbolSize(size_t *size, const __tern_T &symbol)
{
    return cudaGetSymbolSize(size, (const void *)&symbol);
}
template <class __tern_T>
static inline cudaError_t cudaLaunchKernel(__tern_T *func, dim3 grid, dim3 block, void **args,
                                           size_t shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}
template <class __tern_T>
static inline cudaError_t cudaLaunchCooperativeKernel(__tern_T *func, dim3 grid, dim3 block,
                                                      void **args, size_t shared = 0,
                                                      cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}
template <class __tern_T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                                __tern_T *func)
{
    return cudaFuncGetAttributes(attributes, (const void *)func);
}
template <class __tern_T>
static inline cudaError_t cudaFuncSetAttribute(__tern_T *func, enum cudaFuncAttribute attribute,
                                               int value)
{
    return cudaFuncSetAttribute((const void *)func, attribute, value);
}
template <class __tern_T>
static inline cudaError_t cudaFuncSetCacheConfig(__tern_T *func, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)func, config);
}
template <class __tern_T>
static inline cudaError_t cudaFuncSetSharedMemConfig(__tern_T *func, enum cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class __tern_T>
static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, __tern_T *func)
{
    return cudaGetKernel(kernel, (const void *)func);
}
template <class __tern_T>
static inline cudaError_t cudaLibraryGetGlobal(__tern_T **p, size_t *bytes, cudaLibrary_t library,
                                               const char *name)
{
    return cudaLibraryGetGlobal((void **)p, bytes, library, name);
}
template <class __tern_T>
static inline cudaError_t cudaLibraryGetManaged(__tern_T **p, size_t *bytes, cudaLibrary_t library,
                                                const char *name)
{
    return cudaLibraryGetManaged((void **)p, bytes, library, name);
}
template <class __tern_T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                               const __tern_T &symbol,
                                                               const void *from, size_t n,
                                                               size_t offset,
                                                               enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, from, n, offset, kind);
}
template <class __tern_T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                                 const __tern_T &symbol, size_t n,
                                                                 size_t offset,
                                                                 enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (const void *)&symbol, n, offset, kind);
}
template <class __tern_T>
static inline cudaError_t
cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                         const __tern_T &symbol, const void *from, size_t n,
                                         size_t offset, enum cudaMemcpyKind kind)
{
    return cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, from, n,
                                                    offset, kind);
}
template <class __tern_T>
static inline cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                           const __tern_T &symbol, size_t n, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    return cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, to, (const void *)&symbol, n,
                                                      offset, kind);
}
template <class __tern_T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, __tern_T func,
                                                                        int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, threads,
                                                         shared);
}
template <class __tern_T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, __tern_T func, int threads,
                                                       size_t shared, unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func,
                                                                  threads, shared, flags);
}
template <class __tern_T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, __tern_T *func,
                                                                    int blocks, int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)func, blocks, threads);
}
template <class __tern_T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, __tern_T *func,
                                                         const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)func, config);
}
template <class __tern_T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, __tern_T *func,
                                                               const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)func, config);
}
/* The largest block of those that keep the most threads at work; shared tells what each size of
 * block needs. */
template <class __tern_F, class __tern_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid, int *block, __tern_T func, __tern_F shared, int limit = 0, unsigned int flags = 0)
{
    struct cudaFuncAttributes attributes;
    int device = 0, units = 0, warp = 0, best = 0;
    if (!grid || !block || !func)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaFuncGetAttributes(&attributes, (const void *)func);
    if (e == cudaSuccess)
        e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (e != cudaSuccess)
        return e;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most)
        most = limit;
    *grid = *block = 0;
    for (int threads = most; threads > 0;
         threads = threads % warp ? threads / warp * warp : threads - warp) {
        int active = 0;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&active, (const void *)func,
                                                                   threads, shared(threads), flags);
        if (e != cudaSuccess)
            return e;
        if (active * threads > best) {
            best = active * threads;
            *block = threads;
            *grid = units * active;
        }
    }
    return cudaSuccess;
}
template <class __tern_F, class __tern_T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, __tern_T func,
                                               __tern_F shared, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, func, shared, limit,
                                                                   0);
}
struct __tern_same_shared {
    size_t bytes;
    size_t operator()(int) const
    {
        return bytes;
    }
};
template <class __tern_T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, __tern_T func, size_t shared = 0,
                                            int limit = 0, unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, block, func, __tern_same_shared{shared}, limit, flags);
}
template <class __tern_T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, __tern_T func,
                                                             size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, func, shared, limit, 0);
}
template <class __tern_T>
static inline cudaError_t cudaFuncGetName(const char **name, __tern_T *func)
{
    return cudaFuncGetName(name, (const void *)func);
}
/* An object that goes when the last who uses it does. */
template <class __tern_T> static inline void __tern_delete(void *p)
{
    delete (__tern_T *)p;
}
template <class __tern_T>
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, __tern_T *p,
                                               unsigned int count, unsigned int flags)
{
    return cudaUserObjectCreate(object, p, __tern_delete<__tern_T>, count, flags);
}
/* ---- formats of texels ---- */
template <class __tern_T> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __TERN_CHANNEL(__tern_T, bits, n, kind)                                                    \
    template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<__tern_T>() {            \
        return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,   \
                                     cudaChannelFormatKind##kind);                                 \
    }
#define __TERN_CHANNELS(__tern_T, bits, kind)                                                      \
    __TERN_CHANNEL(__tern_T##1, bits, 1, kind)                                                     \
    __TERN_CHANNEL(__tern_T##2, bits, 2, kind)                                                     \
    __TERN_CHANNEL(__tern_T##4, bits, 4, kind)
__TERN_CHANNEL(char, 8, 1, Signed)
__TERN_CHANNEL(signed char, 8, 1, Signed)
__TERN_CHANNEL(unsigned char, 8, 1, Unsigned)
__TERN_CHANNEL(short, 16, 1, Signed)
__TERN_CHANNEL(unsigned short, 16, 1, Unsigned)
__TERN_CHANNEL(int, 32, 1, Signed)
__TERN_CHANNEL(unsigned int, 32, 1, Unsigned)
__TERN_CHANNEL(float, 32, 1, Float)
__TERN_CHANNELS(char, 8, Signed)
__TERN_CHANNELS(uchar, 8, Unsigned)
__TERN_CHANNELS(short, 16, Signed)
__TERN_CHANNELS(ushort, 16, Unsigned)
__TERN_CHANNELS(int, 32, Signed)
__TERN_CHANNELS(uint, 32, Unsigned)
__TERN_CHANNELS(float, 32, Float)
#undef __TERN_CHANNELS
#undef __TERN_CHANNEL
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

/* ---- texture references ---- */
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture(size_t *offset, const struct texture<__tern_T, dim, mode> &ref, const void *p,
                const struct cudaChannelFormatDesc &desc, size_t size = 0xffffffffu)
{
    struct cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = (void *)p;
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = size == 0xffffffffu ? __tern_bytes_after(p) : size;
    if (offset)
        *offset = 0;
    return __tern_bind_texture(&ref, &r, mode);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset,
                                          const struct texture<__tern_T, dim, mode> &ref,
                                          const void *p, size_t size = 0xffffffffu)
{
    return cudaBindTexture(offset, ref, p, cudaCreateChannelDesc<__tern_T>(), size);
}
/* as C has it: by address */
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture(size_t *offset, const struct texture<__tern_T, dim, mode> *ref, const void *p,
                const struct cudaChannelFormatDesc *desc, size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, *ref, p, *desc, size);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset,
                                            const struct texture<__tern_T, dim, mode> &ref,
                                            const void *p, const struct cudaChannelFormatDesc &desc,
                                            size_t width, size_t height, size_t pitch)
{
    struct cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = (void *)p;
    r.res.pitch2D.desc = desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    if (offset)
        *offset = 0;
    return __tern_bind_texture(&ref, &r, mode);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture2D(size_t *offset, const struct texture<__tern_T, dim, mode> &ref, const void *p,
                  size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, ref, p, cudaCreateChannelDesc<__tern_T>(), width, height,
                             pitch);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture2D(size_t *offset, const struct texture<__tern_T, dim, mode> *ref, const void *p,
                  const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                  size_t pitch)
{
    return cudaBindTexture2D(offset, *ref, p, *desc, width, height, pitch);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const struct texture<__tern_T, dim, mode> &ref,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &)
{
    struct cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = (cudaArray_t)array;
    return __tern_bind_texture(&ref, &r, mode);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const struct texture<__tern_T, dim, mode> &ref,
                                                 cudaArray_const_t array)
{
    return cudaBindTextureToArray(ref, array, cudaCreateChannelDesc<__tern_T>());
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const struct texture<__tern_T, dim, mode> *ref,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc *desc)
{
    return cudaBindTextureToArray(*ref, array, *desc);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const struct texture<__tern_T, dim, mode> &ref)
{
    return cudaUnbindTexture((const struct textureReference *)&ref);
}
template <class __tern_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset, const struct texture<__tern_T, dim, mode> &ref)
{
    return cudaGetTextureAlignmentOffset(offset, (const struct textureReference *)&ref);
}
template <class __tern_T, int dim>
static inline cudaError_t cudaBindSurfaceToArray(const struct surface<__tern_T, dim> &ref,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &desc)
{
    return cudaBindSurfaceToArray((const struct surfaceReference *)&ref, array, &desc);
}
template <class __tern_T, int dim>
static inline cudaError_t cudaBindSurfaceToArray(const struct surface<__tern_T, dim> &ref,
                                                 cudaArray_const_t array)
{
    struct cudaChannelFormatDesc desc;
    const cudaError_t e = cudaGetChannelDesc(&desc, array);
    return e == cudaSuccess ? cudaBindSurfaceToArray(ref, array, desc) : e;
}

template <class... __tern_P, class... __tern_A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(__tern_P...), __tern_A &&...args)
{
    return [&](__tern_P... converted) {
        void *list[] = {(void *)&converted..., (void *)0};
        return cudaLaunchKernelExC(config, (const void *)kernel, list);
    }(static_cast<__tern_A &&>(args)...);
}
template <class __tern_T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, __tern_T *kernel,
                                              void **args)
{
    return cudaLaunchKernelExC(config, (const void *)kernel, args);
}
/* as it was before CUDA 12 */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *bad, char *log, size_t size)
{
    if (bad)
        *bad = 0;
    if (log && size)
        *log = 0;
    return cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *bad,
                                              enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t e = cudaGraphExecUpdate(exec, graph, &info);
    if (bad)
        *bad = info.errorNode;
    if (result)
        *result = info.result;
    return e;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize,
                                                        size_t ysize)
{
    struct cudaPitchedPtr r = {p, pitch, xsize, ysize};
    return r;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos r = {x, y, z};
    return r;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent r = {width, height, depth};
    return r;
}
#endif
