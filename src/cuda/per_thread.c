/* The names that nvcc --default-stream per-thread gives functions: there, stream 0 is the thread's
 * own. Those that wait (_ptds) wait for more than they must. */
#include "cuda/cuda_int.h"

#define OWN(s) ((s) ? (s) : cudaStreamPerThread)
#define NAME(name, end, params, args)                                                              \
    cudaError_t name##end params;                                                                  \
    cudaError_t name##end params                                                                   \
    {                                                                                              \
        return name args;                                                                          \
    }
#define WAITS(name, params, args)   NAME(name, _ptds, params, args)
#define STREAMS(name, params, args) NAME(name, _ptsz, params, args)

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t s);

WAITS(cudaMemcpy, (void *to, const void *from, size_t n, enum cudaMemcpyKind kind),
      (to, from, n, kind))
WAITS(cudaMemcpy2D,
      (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
       enum cudaMemcpyKind kind),
      (to, tp, from, fp, w, h, kind))
WAITS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
WAITS(cudaMemcpyToSymbol,
      (const void *symbol, const void *from, size_t n, size_t at, enum cudaMemcpyKind kind),
      (symbol, from, n, at, kind))
WAITS(cudaMemcpyFromSymbol,
      (void *to, const void *symbol, size_t n, size_t at, enum cudaMemcpyKind kind),
      (to, symbol, n, at, kind))
WAITS(cudaMemset, (void *p, int value, size_t n), (p, value, n))
WAITS(cudaMemset2D, (void *p, size_t pitch, int value, size_t w, size_t h), (p, pitch, value, w, h))
STREAMS(cudaLaunchKernel,
        (const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
        (f, grid, block, args, shared, OWN(s)))
STREAMS(cudaLaunchCooperativeKernel,
        (const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
        (f, grid, block, args, shared, OWN(s)))
STREAMS(__cudaLaunchKernel,
        (void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
        (kernel, grid, block, args, shared, OWN(s)))
STREAMS(cudaMemcpyAsync,
        (void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s),
        (to, from, n, kind, OWN(s)))
STREAMS(cudaMemcpy2DAsync,
        (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
         enum cudaMemcpyKind kind, cudaStream_t s),
        (to, tp, from, fp, w, h, kind, OWN(s)))
STREAMS(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, OWN(s)))
STREAMS(cudaMemcpyToSymbolAsync,
        (const void *symbol, const void *from, size_t n, size_t at, enum cudaMemcpyKind kind,
         cudaStream_t s),
        (symbol, from, n, at, kind, OWN(s)))
STREAMS(cudaMemcpyFromSymbolAsync,
        (void *to, const void *symbol, size_t n, size_t at, enum cudaMemcpyKind kind,
         cudaStream_t s),
        (to, symbol, n, at, kind, OWN(s)))
STREAMS(cudaMemsetAsync, (void *p, int value, size_t n, cudaStream_t s), (p, value, n, OWN(s)))
STREAMS(cudaMemset2DAsync, (void *p, size_t pitch, int value, size_t w, size_t h, cudaStream_t s),
        (p, pitch, value, w, h, OWN(s)))
STREAMS(cudaStreamSynchronize, (cudaStream_t s), (OWN(s)))
STREAMS(cudaStreamQuery, (cudaStream_t s), (OWN(s)))
STREAMS(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (OWN(s), e, flags))
STREAMS(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, OWN(s)))
STREAMS(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned flags),
        (e, OWN(s), flags))
STREAMS(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t f, void *user, unsigned flags),
        (OWN(s), f, user, flags))
STREAMS(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *user), (OWN(s), f, user))
STREAMS(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), (p, n, OWN(s)))
STREAMS(cudaFreeAsync, (void *p, cudaStream_t s), (p, OWN(s)))
