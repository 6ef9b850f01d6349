// Half, bfloat16 and fp8: conversion, arithmetic, comparison, pairs.
// TEST scale: --kernel scale --grid 2 --block 32 --arg 'f16[64]=iota' --arg 'f16[64]' --arg f32:1.5
// EXPECT arg 1: sum 3040 checksum fdf63e7575e4f32a
// TEST half: --kernel halves --block 1 --arg 'i32[14]'
// EXPECT arg 0: sum 14 checksum 8cf3bf134f778c95
// TEST bfloat: --kernel bfloats --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST fp8: --kernel fp8 --block 1 --arg 'i32[10]'
// EXPECT arg 0: sum 10 checksum 2d8d2779dbbae475
// TEST dot: --kernel dot2 --block 32 --arg 'f16[64]=iota' --arg 'f32[1]'
// EXPECT arg 1: sum 4034 checksum 61f571803a7ca932
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

__global__ void scale(const half *in, __half *out, float s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __hadd(__hmul(in[i], __float2half(s)), __float2half(0.25f));
}

__global__ void halves(int *out)
{
    half a = 1.5f, b = __float2half(2.25f), c;
    c = a + b;
    CHECK((float)c == 3.75f && __half2float(a * b) == 3.375f);
    CHECK(float(a / half(3)) == 0.5f && float(-a) == -1.5f);
    CHECK(a < b && b >= a && a != b && a == half(1.5));
    a += b;
    CHECK((float)a == 3.75f && sizeof(half) == 2 && sizeof(half2) == 4);
    CHECK((float)half(65519.0f) == 65504.0f && isinf((float)half(65520.0f)));
    CHECK((float)half(1.0f + 1.0f / 2048) == 1.0f && (float)half(1.0f + 3.0f / 2048) == 1.0f + 4.0f / 2048);
    CHECK((float)__float2half_rd(0.1f) < 0.1f && (float)__float2half_ru(0.1f) > 0.1f);
    CHECK(__half2int_rn(half(2.5f)) == 2 && __half2int_rz(half(-2.75f)) == -2 && (float)__int2half_rn(7) == 7.0f);
    half2 p = __floats2half2_rn(1.0f, 2.0f), q = __half2half2(half(3.0f));
    p = __hfma2(p, q, __float2half2_rn(0.5f));
    CHECK(__low2float(p) == 3.5f && __high2float(p) == 6.5f);
    p = p * q - q;
    float2 f = __half22float2(p);
    CHECK(f.x == 7.5f && f.y == 16.5f);
    CHECK(__half_as_ushort(half(1.0f)) == 0x3c00 && (float)__ushort_as_half(0x4000) == 2.0f);
    CHECK((float)__hmax(half(1.0f), half(2.0f)) == 2.0f && (float)__habs(half(-3.0f)) == 3.0f && __hisnan(__ushort_as_half(0x7e00)));
    CHECK((float)hsqrt(half(16.0f)) == 4.0f && (float)hrint(half(2.5f)) == 2.0f && (float)hfloor(half(-1.5f)) == -2.0f);
    half tiny = __ushort_as_half(1);
    CHECK((float)tiny == 5.9604644775390625e-8f && (float)(tiny + tiny) == 1.1920928955078125e-7f);
}

__global__ void bfloats(int *out)
{
    __nv_bfloat16 a = 1.5f, b = __float2bfloat16(2.0f);
    CHECK((float)(a * b) == 3.0f && (float)(a + b) == 3.5f);
    CHECK((float)__float2bfloat16(1.00390625f) == 1.0f && (float)__float2bfloat16(1.01171875f) == 1.015625f);
    CHECK((float)__nv_bfloat16(3.0e38f) > 2.9e38f && sizeof(nv_bfloat16) == 2);
    CHECK(a < b && !(b < a) && a == __nv_bfloat16(1.5f));
    __nv_bfloat162 p = __floats2bfloat162_rn(1.0f, 3.0f);
    p = __hadd2(p, p);
    CHECK((float)p.x == 2.0f && __high2float(p) == 6.0f);
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3f80);
    CHECK((float)__hfma(a, b, b) == 5.0f);
    CHECK((float)__nv_bfloat16(257) == 256.0f && (float)__nv_bfloat16(16777217) == 16777216.0f);
}

__global__ void fp8(int *out)
{
    CHECK((float)__nv_fp8_e4m3(1.0f) == 1.0f && (float)__nv_fp8_e5m2(1.0f) == 1.0f);
    CHECK((float)__nv_fp8_e4m3(0.3f) == 0.3125f && (float)__nv_fp8_e5m2(0.3f) == 0.3125f);
    CHECK((float)__nv_fp8_e4m3(1000.0f) == 448.0f && (float)__nv_fp8_e5m2(1e6f) == 57344.0f);
    CHECK((float)__nv_fp8_e4m3(-17.0f) == -16.0f && (float)__nv_fp8_e4m3(19.0f) == 20.0f);
    CHECK((float)__nv_fp8_e4m3(0.001953125f) == 0.001953125f && (float)__nv_fp8_e4m3(0.0009f) == 0.0f);
    CHECK((float)__nv_fp8_e4m3(0.0029296875f) == 0.00390625f);
    CHECK(__nv_fp8_e4m3(1.0f).__x == 0x38 && __nv_fp8_e5m2(1.0f).__x == 0x3c && __nv_fp8_e4m3(-0.0f).__x == 0x80);
    CHECK(isnan((float)__nv_fp8_e4m3(__int_as_float(0x7fffffff))));
    bool all = true;
    for (int i = 0; i < 256; i++) {
        __nv_fp8_e4m3 v;
        v.__x = i;
        float f = (float)v;
        if ((i & 127) != 127)
            all = all && __nv_fp8_e4m3(f).__x == i;
    }
    CHECK(all);
    all = true;
    for (int i = 0; i < 256; i++) {
        __nv_fp8_e5m2 v;
        v.__x = i;
        if ((i & 127) < 0x7c)
            all = all && __nv_fp8_e5m2((float)v).__x == i && (float)v == (float)__ushort_as_half((unsigned short)(i << 8));
    }
    CHECK(all);
}

__global__ void dot2(const half2 *in, float *out)
{
    half2 v = in[threadIdx.x];
    half2 s = __hmul2(v, __float2half2_rn(2.0f));
    float sum = __low2float(s) + __high2float(s);
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    half2 other = __shfl_xor_sync(~0u, v, 1);
    if (threadIdx.x == 0)
        *out = sum + __low2float(other);
}
