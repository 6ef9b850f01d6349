// Integer arithmetic of all widths against the host: wrapping, shifts, division, conversions, bit tricks.
#include <cstdint>
#include <vector>
#include "check.h"

template <class T> __host__ __device__ uint64_t mix(T a, T b, int s)
{
    using U = typename std::make_unsigned<T>::type;
    uint64_t h = 17;
    auto add = [&](T x) { h = h * 1000003u + (uint64_t)(int64_t)x; };
    add((T)(U)((U)a + (U)b));
    add((T)(U)((U)a - (U)b));
    add((T)(U)((uint64_t)(U)a * (U)b));
    if (b != 0 && !((T)-1 < 0 && b == (T)-1)) {
        add((T)(a / b));
        add((T)(a % b));
    }
    add((T)(a & b));
    add((T)(a | (T)~b));
    add((T)(a ^ b));
    add((T)((U)a << (s % (8 * sizeof(T)))));
    add((T)(a >> (s % (8 * sizeof(T)))));
    add((T)(a < b ? a : b));
    add((T)((a == b) + 2 * (a <= b) + 4 * (a > b)));
    add((T)(int8_t)a);
    add((T)(uint16_t)b);
    return h;
}
template <class T> __global__ void run(const uint64_t *bits, uint64_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mix<T>((T)bits[i], (T)bits[(i * 7 + 3) % n], i);
}
__global__ void tricks(const uint64_t *bits, unsigned *out, int n)
{
    int i = threadIdx.x;
    uint64_t x = bits[i];
    unsigned w = (unsigned)x, v = (unsigned)(x >> 32);
    unsigned h = 0;
    h = h * 31 + __popc(w) + __popcll(x) + __clz((int)w) + __clzll((long long)x) + __ffs((int)w) + __ffsll((long long)x);
    h = h * 31 + __brev(w) + (unsigned)__brevll(x) + __byte_perm(w, v, 0x6240 + i % 8);
    h = h * 31 + __umulhi(w, v) + (unsigned)__mulhi((int)w, (int)v) + (unsigned)__umul64hi(x, x) + (unsigned)__mul64hi((long long)x, 77);
    h = h * 31 + (unsigned)__mul24((int)w, (int)v) + __umul24(w, v) + __usad(w, v, 3) + __sad((int)w, (int)v, 3);
    h = h * 31 + __funnelshift_l(w, v, i) + __funnelshift_r(w, v, i);
    out[i] = h;
}
#ifndef BY_NVCC // whose host has none of these
static unsigned tricks_here(uint64_t x, int i)
{
    unsigned w = (unsigned)x, v = (unsigned)(x >> 32), h = 0;
    h = h * 31 + __popc(w) + __popcll(x) + __clz((int)w) + __clzll((long long)x) + __ffs((int)w) + __ffsll((long long)x);
    h = h * 31 + __brev(w) + (unsigned)__brevll(x) + __byte_perm(w, v, 0x6240 + i % 8);
    h = h * 31 + __umulhi(w, v) + (unsigned)__mulhi((int)w, (int)v) + (unsigned)__umul64hi(x, x) + (unsigned)__mul64hi((long long)x, 77);
    h = h * 31 + (unsigned)__mul24((int)w, (int)v) + __umul24(w, v) + __usad(w, v, 3) + __sad((int)w, (int)v, 3);
    return h * 31 + __funnelshift_l(w, v, i) + __funnelshift_r(w, v, i);
}
#endif
const int n = 500;
static uint64_t *bits, *out;
template <class T> static void same()
{
    run<T><<<(n + 63) / 64, 64>>>(bits, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(out[i] == mix<T>((T)bits[i], (T)bits[(i * 7 + 3) % n], i));
}

int main()
{
    CUDA(cudaMallocManaged(&bits, n * sizeof *bits));
    CUDA(cudaMallocManaged(&out, n * sizeof *out));
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        bits[i] = i % 5 == 0 ? s >> 60 : i % 7 == 0 ? 1ull << i % 64 : i % 11 == 0 ? ~0ull : s;
    }
    same<int8_t>(), same<uint8_t>(), same<int16_t>(), same<uint16_t>();
    same<int32_t>(), same<uint32_t>(), same<int64_t>(), same<uint64_t>();
    tricks<<<1, 256>>>(bits, (unsigned *)out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++)
#ifndef BY_NVCC
        CHECK(((unsigned *)out)[i] == tricks_here(bits[i], i));
#endif
    puts("ok");
}
