/* Weights in blocks of 4 to 8 bits, as llama.cpp stores them. A number is exactly what its reference functions make of it: each
 * product and difference rounds by itself. */
#pragma once
#include "device/dnn/types.h"

__device__ inline float half_at(const unsigned char *b) { return __half2float(__ushort_as_half((unsigned short)(b[0] | b[1] << 8))); }

/* The six-bit scale and minimum of part j of eight, in 12 bytes. */
__device__ inline void scale_min(const unsigned char *s, int j, int *scale, int *minimum)
{
    if (j < 4) {
        *scale = s[j] & 63;
        *minimum = s[j + 4] & 63;
    } else {
        *scale = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
        *minimum = (s[j + 4] >> 4) | (s[j] >> 6) << 4;
    }
}
__device__ inline float times_less(float d, int scale, int q, float dmin, int minimum)
{
    return __fsub_rn(__fmul_rn(__fmul_rn(d, (float)scale), (float)q), __fmul_rn(dmin, (float)minimum));
}

__device__ inline int nibble(const unsigned char *q, int i) { return i < 16 ? q[i] & 15 : q[i - 16] >> 4; }
__device__ inline int fifth(const unsigned char *h, int i) { return (h[i / 8] >> i % 8 & 1) << 4; }
struct q4_0 {
    enum { size = 32, bytes = 18 };
    static __device__ float at(const unsigned char *b, int i) { return __fmul_rn((float)(nibble(b + 2, i) - 8), half_at(b)); }
};
struct q4_1 {
    enum { size = 32, bytes = 20 };
    static __device__ float at(const unsigned char *b, int i) { return __fadd_rn(__fmul_rn((float)nibble(b + 4, i), half_at(b)), half_at(b + 2)); }
};
struct q5_0 {
    enum { size = 32, bytes = 22 };
    static __device__ float at(const unsigned char *b, int i) { return __fmul_rn((float)((nibble(b + 6, i) | fifth(b + 2, i)) - 16), half_at(b)); }
};
struct q5_1 {
    enum { size = 32, bytes = 24 };
    static __device__ float at(const unsigned char *b, int i)
    {
        return __fadd_rn(__fmul_rn((float)(nibble(b + 8, i) | fifth(b + 4, i)), half_at(b)), half_at(b + 2));
    }
};
struct q8_0 {
    enum { size = 32, bytes = 34 };
    static __device__ float at(const unsigned char *b, int i) { return __fmul_rn((float)(signed char)b[2 + i], half_at(b)); }
};
struct q4_k {
    enum { size = 256, bytes = 144 };
    static __device__ float at(const unsigned char *b, int i)
    {
        int scale, minimum;
        scale_min(b + 4, i / 32, &scale, &minimum);
        const int byte = b[16 + i / 64 * 32 + i % 32];
        return times_less(half_at(b), scale, i / 32 & 1 ? byte >> 4 : byte & 15, half_at(b + 2), minimum);
    }
};
struct q5_k {
    enum { size = 256, bytes = 176 };
    static __device__ float at(const unsigned char *b, int i)
    {
        int scale, minimum;
        scale_min(b + 4, i / 32, &scale, &minimum);
        const int byte = b[48 + i / 64 * 32 + i % 32], high = b[16 + i % 32] >> i / 32 & 1;
        return times_less(half_at(b), scale, (i / 32 & 1 ? byte >> 4 : byte & 15) + 16 * high, half_at(b + 2), minimum);
    }
};
struct q6_k {
    enum { size = 256, bytes = 210 };
    static __device__ float at(const unsigned char *b, int i)
    {
        const int part = i / 128, place = i % 128, quarter = place / 32, l = place % 32;
        const int low = b[64 * part + 32 * (quarter & 1) + l], high = b[128 + 32 * part + l] >> 2 * quarter & 3;
        const int q = ((quarter < 2 ? low & 15 : low >> 4) | high << 4) - 32;
        const int scale = (signed char)b[192 + 8 * part + l / 16 + 2 * quarter];
        return __fmul_rn(__fmul_rn(half_at(b + 208), (float)scale), (float)q);
    }
};

template <class F, class T> __global__ void dequantise(long long n, const unsigned char *blocks, T *y)
{
    EACH_PLACE (i, n)
        y[i] = to<T>(F::at(blocks + i / F::size * F::bytes, (int)(i % F::size)));
}

/* y[column][row] = sum over k of weights[row][k] * x[column][k]: a warp for each row and COLUMNS columns, so that a weight is decoded
 * once for all of them. */
template <class F, class T, int COLUMNS>
__global__ void quant_product(long long rows, long long k, long long columns, const unsigned char *weights, const T *x, T *y)
{
    const int lane = threadIdx.x % DNN_WARP;
    const long long first = blockIdx.y * (long long)COLUMNS, bytes = k / F::size * F::bytes;
    EACH_WARP (row, rows) {
        const unsigned char *w = weights + row * bytes;
        float sum[COLUMNS];
        for (int c = 0; c < COLUMNS; c++)
            sum[c] = 0;
        for (long long i = lane; i < k; i += DNN_WARP) {
            const float v = F::at(w + i / F::size * F::bytes, (int)(i % F::size));
            for (int c = 0; c < COLUMNS; c++)
                if (first + c < columns)
                    sum[c] += v * to<float>(x[(first + c) * k + i]);
        }
        for (int c = 0; c < COLUMNS; c++) {
            const float total = warp_sum(sum[c]);
            if (lane == 0 && first + c < columns)
                y[(first + c) * rows + row] = to<T>(total);
        }
    }
}

/* Into q8_0 and q4_0: one thread a block, by the reference's rounding. */
template <class T> __global__ void quantise_q8_0(long long blocks, const T *x0, unsigned char *y)
{
    EACH_PLACE (b, blocks) {
        const T *x = x0 + b * 32;
        unsigned char *out = y + b * 34;
        float top = 0;
        for (int i = 0; i < 32; i++)
            top = fmaxf(top, fabsf(to<float>(x[i])));
        const float d = __fdiv_rn(top, 127.f), inverse = d != 0.f ? __fdiv_rn(1.f, d) : 0.f;
        const unsigned short bits = __half_as_ushort(__float2half(d));
        out[0] = (unsigned char)bits;
        out[1] = (unsigned char)(bits >> 8);
        for (int i = 0; i < 32; i++)
            out[2 + i] = (unsigned char)(signed char)roundf(__fmul_rn(to<float>(x[i]), inverse));
    }
}
template <class T> __global__ void quantise_q4_0(long long blocks, const T *x0, unsigned char *y)
{
    EACH_PLACE (b, blocks) {
        const T *x = x0 + b * 32;
        unsigned char *out = y + b * 18;
        float top = 0, extreme = 0;
        for (int i = 0; i < 32; i++)
            if (fabsf(to<float>(x[i])) > top) {
                top = fabsf(to<float>(x[i]));
                extreme = to<float>(x[i]);
            }
        const float d = __fdiv_rn(extreme, -8.f), inverse = d != 0.f ? __fdiv_rn(1.f, d) : 0.f;
        const unsigned short bits = __half_as_ushort(__float2half(d));
        out[0] = (unsigned char)bits;
        out[1] = (unsigned char)(bits >> 8);
        for (int i = 0; i < 16; i++) {
            const int low = (int)__fadd_rn(__fmul_rn(to<float>(x[i]), inverse), 8.5f), high = (int)__fadd_rn(__fmul_rn(to<float>(x[i + 16]), inverse), 8.5f);
            out[2 + i] = (unsigned char)((low > 15 ? 15 : low) | (high > 15 ? 15 : high) << 4);
        }
    }
}
