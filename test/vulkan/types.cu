// Types that a device may lack: every operation on every width, held against the interpreter bit by bit.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long wide;

template <class T> static __device__ wide all(T a, T b, int n)
{
    const int in = n & (sizeof(T) * 8 - 1);
    const T c = b ? b : 1;
    const T r[] = {(T)(a + b), (T)(a - b), (T)(a * b), (T)(a / c), (T)(a % c), (T)(a & b), (T)(a | b), (T)(a ^ b),
                   (T)(a << in), (T)(a >> in), (T)~a, (T)-a, a < b ? a : b, (T)(a > b), (T)(a <= b), (T)(a == b),
                   (T)(float)(a >> 1), (T)((float)a * 0.37f), (T)(double)(b >> 1), (T)((double)b * 0.7)};
    wide h = 0;
    for (T v : r)
        h = h * 1099511628211ull + (wide)v;
    h += (wide)__float_as_uint((float)a) * 3 + (wide)__double_as_longlong((double)b);
    switch (a) {
    case 3: return h ^ 5;
    case 100: return h ^ 9;
    default: return h + 1;
    }
}
template <class T> static __device__ void width(wide *out, const wide *in)
{
    const int i = threadIdx.x;
    out[i] = all((T)(in[i] >> (i % 57)), (T)in[(i * 7 + 3) % 128], (int)in[i]);
}
__global__ void integers(wide *out, const wide *in)
{
    width<signed char>(out, in);
    width<unsigned char>(out + 128, in);
    width<short>(out + 256, in);
    width<unsigned short>(out + 384, in);
    width<int>(out + 512, in);
    width<long long>(out + 640, in);
    width<wide>(out + 768, in);
    const int i = threadIdx.x;
    const wide a = in[i] >> (i % 61), b = in[127 - i];
    out[896 + i] = __umul64hi(a, b) + __mul64hi((long long)a, (long long)b) + __brevll(a) + (wide)__popcll(a) * 3 +
                   (wide)__clzll((long long)a) * 5 + (wide)__ffsll((long long)a) * 7 +
                   __funnelshift_l((unsigned)a, (unsigned)b, (unsigned)i);
    out[1024 + i] = (wide)__uint_as_float((unsigned)a) + (wide)(long long)__uint_as_float((unsigned)b) * 3 +
                    (wide)__longlong_as_double((long long)b) * 5;
}

template <class T> static __device__ unsigned short bits(T x)
{
    unsigned short r;
    memcpy(&r, &x, 2);
    return x != x ? 0x7fff : r; // which NaN is not defined
}
template <class T> static __device__ T from(unsigned bits)
{
    T r;
    const unsigned short small = (unsigned short)bits;
    memcpy(&r, &small, 2);
    return r;
}
template <class T> static __device__ void format(unsigned short *out, const wide *in)
{
    const int i = threadIdx.x;
    const T a = from<T>((unsigned)in[i]), b = from<T>((unsigned)(in[i] >> 20)), c = from<T>((unsigned)(in[127 - i] >> 40));
    // exponents around those of small formats, and every other
    const float x = __uint_as_float((unsigned)(i & 1 ? in[i] >> 7 : (in[i] & 0x807fffff) | (100 + i % 50) << 23));
    const T r[] = {a + b, a * b, a - b, a / b, __hfma(a, b, c), __hfma(a, b, T(x)), hsqrt(a), -a, __habs(b), __hmax(a, b),
                   T(x), T((double)x * 1.0000001), T((int)in[i]), T((long long)(in[i] >> (i % 60))), hfloor(a), T((float)b)};
    for (unsigned k = 0; k < 16; k++)
        out[i * 16 + k] = bits(r[k]);
    out[i * 16 + 14] ^= (unsigned short)((a < b) | (a == b) << 1 | (a >= b) << 2);
    out[i * 16 + 15] ^= (unsigned short)(int)(float)a;
}
__global__ void halves(unsigned short *out, const wide *in) { format<__half>(out, in); }
__global__ void bfloats(unsigned short *out, const wide *in) { format<__nv_bfloat16>(out, in); }

// Of all kinds of float, small and large ones too: exact where the driver's own are not.
__global__ void quotients(float *out, const wide *in)
{
    const int i = threadIdx.x;
    const unsigned a = (unsigned)in[i], b = (unsigned)(in[i] >> 32), near = (a & 0x807fffff) | (127 - 64 + i % 5) << 23;
    const float x = __uint_as_float(i % 4 == 3 ? a & 0x807fffff : a), y = __uint_as_float(i % 8 == 5 ? b & 0x807fffff : b);
    const float r[] = {x / y, y / x, __uint_as_float(near) / __uint_as_float((b & 0x7fffff) | (127 + 64) << 23), x / 3.0f,
                       1.0f / y, 0.0f / x, x / 0.0f, __uint_as_float(0x7f800000) / y};
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = r[k] != r[k] ? 0.0f : r[k];
}
__global__ void long_quotients(double *out, const wide *in)
{
    const int i = threadIdx.x;
    const double x = __longlong_as_double((long long)in[i]), y = __longlong_as_double((long long)in[127 - i]),
                 tiny = __longlong_as_double((long long)(in[i] & 0x800fffffffffffff)), r = i & 1 ? x / y : tiny / (y * 0x1p-500);
    out[i] = r != r ? 0.0 : r;
}

// Neighbours in a word: each thread has a byte, and some have the same.
__global__ void bytes(unsigned char *out, const unsigned short *in)
{
    __shared__ unsigned char s[512];
    __shared__ short t[256];
    const int i = threadIdx.x;
    unsigned char own[8];
    for (int k = 0; k < 8; k++)
        own[(k + i) & 7] = (unsigned char)(in[i] >> k);
    s[i] = own[i & 7], s[511 - i] = (unsigned char)i, t[255 - i] = (short)in[i];
    __syncthreads();
    out[i] = (unsigned char)(s[(i * 5) & 255] + s[511 - (i ^ 3)] + t[i]);
    out[256 + i / 4] = (unsigned char)(7 + i / 4);
    __syncthreads();
    unsigned char *generic = i & 1 ? &s[i] : &out[320 + i];
    *generic = (unsigned char)(i * 3);
    __syncthreads();
    out[576 + i] = s[i];
}

__device__ wide total;
__global__ void atomics(wide *out, int n)
{
    __shared__ wide near;
    const wide i = threadIdx.x + blockIdx.x * blockDim.x;
    if (!threadIdx.x)
        near = 0;
    __syncthreads();
    atomicAdd(&near, i << 20);
    atomicAdd(&out[i % 3], i << 28 | 1);
    atomicMax(&out[3], i * 0x100000001ull);
    atomicXor(&out[4], i << 31);
    atomicAdd((double *)&out[5], 0.5);
    for (wide seen = out[6], now; (now = atomicCAS(&out[6], seen, seen + 3)) != seen; seen = now)
        ;
    __syncthreads();
    if (!threadIdx.x)
        atomicAdd(n ? &total : &near, near), atomicExch(&out[7], 42ull << 33);
    if (!threadIdx.x)
        out[8 + blockIdx.x] = near;
}
