// Integer and float intrinsics against plain arithmetic. All must be 1.
// TEST integers: --kernel integers --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 32 checksum 2907f8f1d099a425
// TEST conversions: --kernel conversions --block 1 --arg 'i32[14]'
// EXPECT arg 0: sum 14 checksum 8cf3bf134f778c95
// TEST rounding: --kernel rounding --block 1 --arg 'i32[10]'
// EXPECT arg 0: sum 10 checksum 2d8d2779dbbae475
// TEST lanes: --kernel lanes --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 32 checksum 2907f8f1d099a425
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)
__device__ unsigned mix(unsigned x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

__global__ void integers(int *out)
{
    unsigned a = mix(threadIdx.x), b = mix(threadIdx.x + 100), n = threadIdx.x;
    long long w = (long long)a << 32 | b;
    bool ok = true;
    unsigned pop = 0, reversed = 0, lead = 0;
    for (int i = 0; i < 32; i++) {
        pop += a >> i & 1;
        reversed |= (a >> i & 1) << (31 - i);
    }
    for (int i = 31; i >= 0 && !(a >> i & 1); i--)
        lead++;
    ok &= __popc(a) == pop && __brev(a) == reversed && __clz(a) == lead;
    ok &= __popcll(w) == __popc(a) + __popc(b) && __clz(0) == 32 && __clzll(0) == 64 && __clzll(1) == 63;
    ok &= __brevll(w) == ((unsigned long long)__brev(b) << 32 | __brev(a));
    ok &= __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41 && __ffs(0x80000000) == 32;
    ok &= __umulhi(a, b) == (unsigned)((unsigned long long)a * b >> 32);
    ok &= __mulhi((int)a, (int)b) == (int)((long long)(int)a * (int)b >> 32);
    ok &= __umul64hi(~0ull, ~0ull) == ~0ull - 1 && __mul64hi(-1, -1) == 0 && __mul64hi(1ll << 62, 8) == 2;
    ok &= __mul24(a, b) == (int)((int)(a << 8) >> 8) * ((int)(b << 8) >> 8);
    ok &= __sad(-5, 7, 3u) == 15 && __usad(5, 7, 3) == 5 && __hadd(-3, 2) == -1 && __rhadd(3, 4) == 4 && __uhadd(~0u, 1) == 0x80000000u;
    ok &= __byte_perm(0x33221100, 0x77665544, 0x7250) == 0x77225500;
    ok &= __funnelshift_l(b, a, n) == (unsigned)(((unsigned long long)a << 32 | b) << n >> 32);
    ok &= __funnelshift_r(b, a, n) == (unsigned)(((unsigned long long)a << 32 | b) >> n);
    ok &= __funnelshift_lc(b, a, 40) == b && __funnelshift_rc(b, a, 32) == a;
    int dot = 1000;
    for (int i = 0; i < 32; i += 8)
        dot += (signed char)(a >> i) * (signed char)(b >> i);
    ok &= __dp4a((int)a, (int)b, 1000) == dot;
    ok &= __fns(0x55, 0, 3) == 4 && __fns(0x55, 6, -2) == 4 && __fns(0, 0, 1) == ~0u;
    ok &= min(-1, 1) == -1 && max(-1, 1u) == 0xffffffffu && min(5ll, 3ll) == 3 && abs(-7) == 7 && llabs(-7ll) == 7;
    out[threadIdx.x] = ok;
}

__global__ void conversions(int *out)
{
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40490fdb) > 3.14f);
    CHECK(__float_as_uint(-0.0f) == 0x80000000u && __uint_as_float(0x7f800000u) > 1e38f);
    CHECK(__double_as_longlong(1.0) == 0x3ff0000000000000ll && __longlong_as_double(0x4000000000000000ll) == 2.0);
    CHECK(__double2hiint(1.5) == 0x3ff80000 && __double2loint(1.5) == 0 && __hiloint2double(0x3ff80000, 0) == 1.5);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.9f) == -2);
    CHECK(__float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    CHECK(__float2uint_rn(4e9f) == 4000000000u && __float2int_rz(1e20f) == 2147483647);
    CHECK(__float2ll_rz(1e12f) == 999999995904ll && __double2ll_rn(0.5) == 0 && __double2ll_rn(1.5) == 2);
    CHECK(__int2float_rn(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f);
    CHECK(__uint2float_rz(4294967295u) == 4294967040.0f && __int2double_rn(-7) == -7.0);
    CHECK(__double2float_rn(0.1) == 0.1f && __double2float_rd(0.1) < 0.1f && __double2float_ru(0.1) == 0.1f);
    CHECK(__ll2float_rz((1ll << 40) + 1) == 1099511627776.0f && __ull2double_rn(1ull << 63) == 9223372036854775808.0);
    CHECK(__saturatef(1.5f) == 1.0f && __saturatef(-1.0f) == 0.0f && __saturatef(0.25f) == 0.25f);
    CHECK((int)1e20f == 2147483647 && (unsigned)-1.0f == 0);
}

__global__ void rounding(int *out)
{
    float one = 1.0f, tiny = 1e-10f;
    CHECK(__fadd_rn(one, tiny) == 1.0f && __fadd_ru(one, tiny) == 1.00000012f && __fadd_rd(one, tiny) == 1.0f);
    CHECK(__fadd_rz(one, -tiny) < 1.0f && __fadd_rd(one, -tiny) < 1.0f && __fadd_ru(one, -tiny) == 1.0f);
    CHECK(__fmul_rd(0.1f, 0.1f) < __fmul_ru(0.1f, 0.1f));
    CHECK(__fdiv_rn(1.0f, 3.0f) == 1.0f / 3.0f && __fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f));
    CHECK(__fsqrt_rn(2.0f) == sqrtf(2.0f) && __fsqrt_rd(2.0f) < __fsqrt_ru(2.0f));
    CHECK(__fmaf_rn(2.0f, 3.0f, 4.0f) == 10.0f && __fmaf_ru(one, one, tiny) > 1.0f);
    CHECK(__dadd_ru(1.0, 1e-20) > 1.0 && __dadd_rd(1.0, 1e-20) == 1.0);
    CHECK(__dmul_rd(0.1, 0.1) < __dmul_ru(0.1, 0.1) && __dmul_rn(0.1, 0.1) == 0.1 * 0.1);
    CHECK(__ddiv_rd(1.0, 3.0) < __ddiv_ru(1.0, 3.0) && __frcp_rn(4.0f) == 0.25f);
    CHECK(__dsqrt_rn(2.0) == sqrt(2.0) && __fma_rn(3.0, 4.0, 0.5) == 12.5);
}

__global__ void lanes(int *out)
{
    unsigned a = mix(threadIdx.x), b = mix(threadIdx.x + 50);
    unsigned add4 = 0, sub2 = 0, max4 = 0, diff = 0, eq = 0, sat = 0;
    for (int i = 0; i < 32; i += 8) {
        unsigned x = a >> i & 255, y = b >> i & 255;
        add4 |= (x + y & 255) << i;
        max4 |= (x > y ? x : y) << i;
        diff += x > y ? x - y : y - x;
        eq |= ((x & 3) == (y & 3) ? 255u : 0u) << i;
        sat |= (x + y > 255 ? 255 : x + y) << i;
    }
    for (int i = 0; i < 32; i += 16)
        sub2 |= ((a >> i) - (b >> i) & 0xffff) << i;
    bool ok = __vadd4(a, b) == add4 && __vsub2(a, b) == sub2 && __vmaxu4(a, b) == max4 && __vsadu4(a, b) == diff;
    ok = ok && __vcmpeq4(a & 0x03030303, b & 0x03030303) == eq && __vaddus4(a, b) == sat;
    ok = ok && __vabs2(0xffff8001) == 0x00017fff && __vmins2(0x7fff0001, 0x8000ffff) == 0x8000ffff;
    out[threadIdx.x] = ok;
}
