// What kernels from tutorials and books do, and what once went wrong with it in a browser.
// TEST rounds: --kernel rounds --block 64 --arg f32[64]=rand:3 --arg f64[64]=rand:4 --arg i32[64]=rand:5 --arg u32[2304]
// TEST most: --kernel most --block 64 --arg f32[64]=rand:3 --arg f32[2]
// TEST small: --kernel small --grid 2 --block 64 --arg f16[9]=1 --arg u16[6]
// TEST in_step: --kernel in_step --grid 4 --block 64 --arg i32[256]=iota --arg i32[4] --arg i32:64
// TEST all_say: --kernel all_say --grid 4,4 --block 16,8
// TEST formats: --kernel formats --block 1 --arg f64[8]=0.125 --arg i32[1]=-5
// TEST through: --kernel through --block 64 --arg i32[64]=iota --arg i32[1]
// TEST settle: --kernel settle --grid 3 --block 96 --arg i32[288]=rand:3 --arg i32[9]
// TEST doubles: --kernel doubles --grid 2 --block 64 --arg f64[128]=rand:3 --arg f64[4] --arg i32:3
// TEST named: --kernel named --block 64 --arg u32[64]=rand:3 --arg u32[64] --arg i32:9
#include "../programs/names.cu"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <float.h>
#include <stdio.h>

// Rounded other than to nearest, which neither language can.
__global__ void rounds(const float *x, const double *d, const int *n, unsigned *out)
{
    int i = threadIdx.x;
    float a = (x[i] - 0.5f) * 3, b = x[(i + 7) % 64] - 0.25f, c = x[(i + 13) % 64] * 1e-4f;
    unsigned *o = out + i * 36;
    float results[] = {
        __fadd_rz(a, c),     __fadd_ru(a, c),     __fadd_rd(a, c),     __fsub_rz(a, c),     __fsub_ru(a, c),
        __fsub_rd(a, c),     __fmul_rz(a, b),     __fmul_ru(a, b),     __fmul_rd(a, b),     __fdiv_rz(a, b),
        __fdiv_ru(a, b),     __fdiv_rd(a, b),     __fmaf_rz(a, b, c),  __fmaf_ru(a, b, c),  __fmaf_rd(a, b, c),
        __fsqrt_rz(x[i]),    __fsqrt_ru(x[i]),    __frcp_rd(b),        __int2float_rz(n[i]), __int2float_ru(n[i]),
        __double2float_rz(d[i]), __double2float_ru(d[i]), __double2float_rd(-d[i]), (float)__dadd_rz(d[i], 1e-9)};
    for (float r : results)
        *o++ = __float_as_uint(r);
    *o++ = __half_as_ushort(__float2half_rz(a));
    *o++ = __half_as_ushort(__float2half_ru(a));
    *o++ = __half_as_ushort(__float2half_rd(a));
    *o++ = __half_as_ushort(__float2half_rd(a * 1e5f));      // infinity is too far
    *o++ = __half_as_ushort(__float2half_ru(c * 1e-4f));     // and zero too near
    *o++ = __half_as_ushort(__float2half_rz(c * -1e-4f));
    *o++ = __half_as_ushort(__int2half_rz(n[i]));
    *o++ = __bfloat16_as_ushort(__float2bfloat16_rz(a));
    *o++ = __bfloat16_as_ushort(__float2bfloat16_ru(a));
}

// The largest number there is, as a constant: with few digits it would be a larger one.
__global__ void most(const float *x, float *out)
{
    float low = FLT_MAX, high = -FLT_MAX;
    for (int i = 0; i < 64; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    out[threadIdx.x & 1] = threadIdx.x & 1 ? high : low;
}

// Atomics on parts of words; sums of quarters are exact in any order.
__global__ void small(__half *h, unsigned short *s)
{
    __shared__ unsigned short most[2];
    most[threadIdx.x & 1] = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++)
        atomicAdd(h + (threadIdx.x + k) % 9, __float2half(0.25f));
    unsigned short seen = most[threadIdx.x & 1], was = seen;
    while (seen < threadIdx.x && (seen = atomicCAS(most + (threadIdx.x & 1), was, (unsigned short)threadIdx.x)) != was)
        was = seen;
    __syncthreads();
    s[threadIdx.x % 6] = most[0] + most[1];
}

// A warp that sums up in volatile global memory without a barrier.
__global__ void in_step(int *in, int *out, int n)
{
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    volatile int *v = in + blockIdx.x * blockDim.x;
    if (t < 32) {
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = v[0];
}

// Every thread has something to say: more than 64 KB.
__global__ void all_say()
{
    printf("block (%d %d %d), thread (%d %d %d)\n", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

__global__ void formats(const double *p, const int *n)
{
    double v = p[0], big = v * 8e21, none = v - v;
    printf("%.2f %.0f %.1e %g %#g %f %g\n", v, v * 4, v * 34, v, v * 8, big, big);
    printf("%f %f %5.1f|%-9.3e|%+g|% g|%08.3f\n", fabs(none / none), v / none, -v / none, v, v, v, -v);
    printf("%g %g %.10g %G %a %.3a\n", v * 8e5, v * 8e-5, v / 3, v * 8e-7, v / 3, v / 3);
    printf("%5d|%-5d|%05d|%+d|% d|%.3d|%x|%#X|%#o|%u\n", *n, *n, *n, -*n, -*n, *n, *n, *n, *n, *n);
    printf("%hhu %hd %lld %*d %-*d| %.*f %5s|%-5s|%.2s %c%%\n", *n, *n, 1ll << 40, 4, *n, 4, *n, 1, v, "ab", "cd", "efg", 65);
}

// Functions as arguments, of templates and of functions: what waits in them has to be in the kernel.
typedef int (*pair)(int, int);
typedef int (*of_warp)(int);
__device__ int add(int a, int b) { return a + b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ int over_warp(int v, pair f)
{
    for (int lanes = 16; lanes; lanes /= 2)
        v = f(v, __shfl_xor_sync(~0u, v, lanes));
    return v;
}
__device__ int sum_of_warp(int v) { return over_warp(v, add); }
template <of_warp f> __device__ int over_block(int v)
{
    __shared__ int parts[32];
    int t = threadIdx.x;
    v = f(v);
    if (t % 32 == 0)
        parts[t / 32] = v;
    __syncthreads();
    return f(t % 32 < blockDim.x / 32 ? parts[t % 32] : 0);
}
__global__ void through(const int *in, int *out)
{
    int sum = over_block<sum_of_warp>(in[threadIdx.x]), most = over_warp(in[threadIdx.x], larger);
    if (threadIdx.x == 40)
        *out = sum * 100 + most;
}

// Barriers that count, in the head of a loop too: all threads see the same.
__global__ void settle(int *p, int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x, turns = 0;
    s[t] = p[blockIdx.x * 96 + t] & 1023;
    bool changed = true;
    while (__syncthreads_or(changed)) { // sorts neighbours
        changed = false;
        for (int odd = 0; odd < 2; odd++) {
            int a = 2 * t + odd;
            if (a + 1 < 96 && s[a] > s[a + 1]) {
                int x = s[a];
                s[a] = s[a + 1];
                s[a + 1] = x;
                changed = true;
            }
            __syncthreads();
        }
        turns++;
    }
    p[blockIdx.x * 96 + t] = s[t];
    int few = __syncthreads_count(s[t] < 300), all = __syncthreads_and(s[t] >= 0), none = __syncthreads_and(s[t] > 500);
    if (t == 0) {
        out[3 * blockIdx.x] = few;
        out[3 * blockIdx.x + 1] = all * 2 + none;
        out[3 * blockIdx.x + 2] = turns;
    }
}

// Much f64, which WGSL calculates in integers, and warps that work together in the same kernel.
__global__ void doubles(const double *x, double *out, int n)
{
    __shared__ double parts[2];
    int t = threadIdx.x;
    double v = x[blockIdx.x * 64 + t], s = 0;
    for (int k = 1; k <= n; k++)
        s += sin(v * k) * exp(-v / k) + log(1 + v * k) + pow(v, 1.0 / k) + atan(v + k);
    if (__any_sync(~0u, s > 1e3))
        s = 0;
    for (int lanes = 16; lanes; lanes /= 2)
        s += __shfl_xor_sync(~0u, s, lanes);
    if (t % 32 == 0)
        parts[t / 32] = s;
    int large = __syncthreads_count(v > 0.5);
    if (t < 2)
        out[blockIdx.x * 2 + t] = parts[t] + large;
}
