// The carry flag from one function's asm statement to another's: chains of small functions, also in loops, behind calls that are not
// inlined, and with a chain of its own in between. Sums of 128-bit numbers; all must be 1.
// TEST chains: --kernel chains --block 64 --arg 'i32[512]'
// EXPECT arg 0: sum 512 checksum dbc8481a808a3325
#define CHECK(...) (out[64 * n++ + threadIdx.x] = (__VA_ARGS__) ? 1 : 0)
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 add_cc(u32 a, u32 b)
{
    u32 r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ __forceinline__ u32 addc_cc(u32 a, u32 b)
{
    u32 r;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
// PTX does not say what a called function finds in the flag: nvcc's has no such call.
#ifdef __TERN__
#define CALLED __noinline__
#else
#define CALLED __forceinline__
#endif
__device__ CALLED u32 addc(u32 a, u32 b)
{
    u32 r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ __forceinline__ u32 sub_cc(u32 a, u32 b)
{
    u32 r;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ u32 subc_cc(u32 a, u32 b)
{
    u32 r;
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ __forceinline__ u32 mad_lo_cc(u32 a, u32 b, u32 c)
{
    u32 r;
    asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
__device__ __forceinline__ u32 madc_hi(u32 a, u32 b, u32 c)
{
    u32 r;
    asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

// as libraries for large numbers have it: the first addition sets, the others go on
struct chain {
    int at = 0;
    __device__ u32 add(u32 a, u32 b) { return at++ ? addc_cc(a, b) : add_cc(a, b); }
};

template <int N> __device__ void add_all(u32 *r, const u32 *a, const u32 *b)
{
    chain c;
    for (int k = 0; k < N; k++)
        r[k] = c.add(a[k], b[k]);
}

__device__ u64 low(const u32 *p) { return p[0] | (u64)p[1] << 32; }
__device__ u64 high(const u32 *p) { return p[2] | (u64)p[3] << 32; }

// what it does with the flag is nobody else's matter, nor theirs its
__device__ __noinline__ u64 own(u64 a, u64 b)
{
    u32 lo, hi;
    asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;" : "=r"(lo), "=r"(hi) : "r"((u32)a), "r"((u32)(a >> 32)), "r"((u32)b), "r"((u32)(b >> 32)));
    return lo | (u64)hi << 32;
}

__global__ void chains(int *out)
{
    int n = 0;
    const u32 t = threadIdx.x;
    u32 a[4] = {0xffffffffu - t, t & 1 ? 0xffffffffu : 7 * t, t & 2 ? 0xffffffffu : 3, t + 5};
    u32 b[4] = {t & 4 ? 1 + t : t, t & 8 ? 0u : 0xfffffff0u, t & 16 ? 0u : 0xffffffffu, 9};
    u32 r[4];
    const u64 al = low(a), ah = high(a), bl = low(b), bh = high(b), sum = al + bl;
    r[0] = add_cc(a[0], b[0]);
    r[1] = addc_cc(a[1], b[1]);
    r[2] = addc_cc(a[2], b[2]);
    r[3] = addc(a[3], b[3]);
    CHECK(low(r) == sum && high(r) == ah + bh + (sum < al));
    add_all<4>(r, a, b);
    CHECK(low(r) == sum && high(r) == ah + bh + (sum < al));
    r[0] = sub_cc(a[0], b[0]);
    for (int k = 1; k < 4; k++)
        r[k] = subc_cc(a[k], b[k]);
    CHECK(low(r) == al - bl && high(r) == ah - bh - (al < bl));
    CHECK(own(al, bl) == sum);
    // the flag lives on over a statement without it
    u32 lane;
    const u32 s0 = add_cc(a[0], b[0]);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    const u32 s1 = addc(0, 0);
    CHECK(lane == (t & 31) && (u64)s0 + ((u64)s1 << 32) == (u64)a[0] + b[0]);
    const u32 p0 = mad_lo_cc(a[0], b[1], a[2]), p1 = madc_hi(a[0], b[1], 0);
    CHECK((p0 | (u64)p1 << 32) == (u64)a[0] * b[1] + a[2]);
    // set in one branch or the other
    u32 s2;
    if (t % 3)
        s2 = add_cc(a[0], 1 + t);
    else
        s2 = add_cc(a[0], 0);
    CHECK(addc(0, 0) == (t % 3 ? 1 : 0) && s2 == (t % 3 ? 0 : a[0]));
    CHECK(n == 7);
}
