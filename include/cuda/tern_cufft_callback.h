/* cuFFT's callbacks. A program's function is called by a kernel of the program's own, which is made where cufftXtSetCallback is called: before the
 * transform for each element that is read, after it for each that is written. */
#pragma once

/* Where elements lie: batches and up to three axes; how many and how far apart, in elements. */
struct tern_fft_places {
    long long n[4], apart[4];
};
#ifdef __cplusplus
extern "C" {
#endif
/* cufftXtSetCallback, with the kernel that calls such a function. */
cufftResult ternFftSetCallback(cufftHandle plan, void **function, cufftXtCallbackType type, void **info, const void *kernel);
#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && defined(__CUDACC__)
__device__ inline long long tern_fft_place(const tern_fft_places &p, long long i)
{
    long long at = 0;
    for (int d = 3; d >= 0; d--) {
        at += i % p.n[d] * p.apart[d];
        i /= p.n[d];
    }
    return at;
}
template <class T, class F> __global__ void tern_fft_load(F f, void *data, T *to, tern_fft_places p, void *info)
{
    extern __shared__ double tern_fft_shared[];
    const long long n = p.n[0] * p.n[1] * p.n[2] * p.n[3];
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
        const long long at = tern_fft_place(p, i);
        to[at] = f(data, (size_t)at, info, tern_fft_shared);
    }
}
template <class T, class F> __global__ void tern_fft_store(F f, void *data, T *from, tern_fft_places p, void *info)
{
    extern __shared__ double tern_fft_shared[];
    const long long n = p.n[0] * p.n[1] * p.n[2] * p.n[3];
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
        const long long at = tern_fft_place(p, i);
        f(data, (size_t)at, from[at], info, tern_fft_shared);
    }
}
template <int> cufftResult tern_fft_set_callback(cufftHandle plan, void **function, cufftXtCallbackType type, void **info)
{
    const void *kernel = nullptr;
    switch (type) {
    case CUFFT_CB_LD_COMPLEX: kernel = (const void *)&tern_fft_load<cufftComplex, cufftCallbackLoadC>; break;
    case CUFFT_CB_LD_COMPLEX_DOUBLE: kernel = (const void *)&tern_fft_load<cufftDoubleComplex, cufftCallbackLoadZ>; break;
    case CUFFT_CB_LD_REAL: kernel = (const void *)&tern_fft_load<cufftReal, cufftCallbackLoadR>; break;
    case CUFFT_CB_LD_REAL_DOUBLE: kernel = (const void *)&tern_fft_load<cufftDoubleReal, cufftCallbackLoadD>; break;
    case CUFFT_CB_ST_COMPLEX: kernel = (const void *)&tern_fft_store<cufftComplex, cufftCallbackStoreC>; break;
    case CUFFT_CB_ST_COMPLEX_DOUBLE: kernel = (const void *)&tern_fft_store<cufftDoubleComplex, cufftCallbackStoreZ>; break;
    case CUFFT_CB_ST_REAL: kernel = (const void *)&tern_fft_store<cufftReal, cufftCallbackStoreR>; break;
    case CUFFT_CB_ST_REAL_DOUBLE: kernel = (const void *)&tern_fft_store<cufftDoubleReal, cufftCallbackStoreD>; break;
    default: break;
    }
    return ternFftSetCallback(plan, function, type, info, kernel);
}
#define cufftXtSetCallback(plan, function, type, info) tern_fft_set_callback<0>(plan, function, type, info)
#endif
