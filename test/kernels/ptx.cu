// Inline PTX: arithmetic, predicates, moves, special registers, memory, shuffles. All must be 1.
// TEST asm: --kernel inline_ptx --block 32 --arg 'i32[384]'
// EXPECT arg 0: sum 384 checksum 2a4f7574fd402f25
// TEST more: --kernel more_ptx --block 32 --arg 'i32[864]'
// EXPECT arg 0: sum 864 checksum a21cd254d1fabe25
// TEST rounded: --kernel rounded_ptx --block 4 --arg 'u32[16]'
// EXPECT arg 0: sum 8666742814 checksum 478499b44f53a4c1
// TEST statements: --kernel statements --block 32 --arg 'i32[256]'
// EXPECT arg 0: sum 256 checksum 5453de0ad2162b25
#define CHECK(...) (out[32 * n++ + threadIdx.x] = (__VA_ARGS__) ? 1 : 0)

__device__ __forceinline__ unsigned lane()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

__global__ void inline_ptx(int *out)
{
    __shared__ unsigned s[32];
    int n = 0;
    unsigned a = threadIdx.x * 3 + 1, b = 100 - threadIdx.x, r;
    asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    CHECK(r == a + b);
    asm("{\n\t.reg .u32 t;\n\tmul.lo.u32 t, %1, %2;\n\tadd.u32 %0, t, 5;\n\t}" : "=r"(r) : "r"(a), "r"(b));
    CHECK(r == a * b + 5);
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(7));
    CHECK(r == a * b + 7);
    asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 11, 22, p; }" : "=r"(r) : "r"(a), "r"(b));
    CHECK(r == (a < b ? 11 : 22));
    asm("bfe.u32 %0, %1, 2, 3;" : "=r"(r) : "r"(a));
    CHECK(r == (a >> 2 & 7));
    asm("shl.b32 %0, %1, 4;\n\txor.b32 %0, %0, %2;" : "=r"(r) : "r"(a), "r"(b));
    CHECK(r == ((a << 4) ^ b));
    float f = 2.5f, g;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(g) : "f"(f), "f"(4.0f), "f"(1.0f));
    CHECK(g == 11.0f);
    unsigned long long w;
    asm("cvt.u64.u32 %0, %1;" : "=l"(w) : "r"(a));
    CHECK(w == a);
    double d = 1.5;
    asm volatile("add.f64 %0, %0, %1;" : "+d"(d) : "d"(2.25));
    CHECK(d == 3.75);
    CHECK(lane() == threadIdx.x % 32);
    unsigned address = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), back;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(a) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(back) : "r"(address) : "memory");
    CHECK(back == a && s[threadIdx.x ^ 1] == (threadIdx.x ^ 1) * 3 + 1);
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(r) : "r"(a));
    CHECK(r == (threadIdx.x ^ 1) * 3 + 1);
}

// Video instructions, dot products, saturation, modes of prmt, reductions at a barrier, branches. All must be 1.
__global__ void more_ptx(int *out)
{
    int n = 0, t = threadIdx.x, q;
    unsigned r;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x10ff0005u), "r"(0x0001ff03u), "r"(t));
    CHECK(r == 0x10 + 0xfe + 0xff + 2 + t);
    asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(0x7f80017fu), "r"(0x01ff01ffu), "r"(0));
    CHECK(r == 0x7f80027eu);
    asm("vmax2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x00018000u), "r"(0x80000001u), "r"(0));
    CHECK(r == 0x80008000u);
    asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x00010203u), "r"(0x01020304u), "r"(0));
    CHECK(r == 0x01020304u);
    asm("vset2.u32.u32.lt.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x00010005u), "r"(0x00020004u), "r"(7));
    CHECK(r == 8);
    asm("vsub2.u32.u32.u32 %0.h0, %1.h01, %2, %3;" : "=r"(r) : "r"(0x00050009u), "r"(0x00010002u), "r"(0xabcd0000u));
    CHECK(r == 0xabcd0003u);
    asm("vadd.u32.u32.u32 %0, %1.b3, %2.h1;" : "=r"(r) : "r"(0x42000000u), "r"(0x01000000u));
    CHECK(r == 0x142);
    asm("vmad.s32.s32.s32.shr7 %0, %1, %2, %3;" : "=r"(q) : "r"(-3), "r"(256), "r"(0));
    CHECK(q == -6);
    asm("vshl.u32.u32.u32.wrap %0, %1, %2;" : "=r"(r) : "r"(3), "r"(33));
    CHECK(r == 6);
    asm("{ .reg .u32 x; mov.u32 x, %1; vmin.s32.s32.s32 %0, x.b0, %2; }" : "=r"(q) : "r"(0xffu), "r"(t));
    CHECK(q == -1);
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(q) : "r"(0xff010203u), "r"(0xff010203u), "r"(5));
    CHECK(q == -255 + 1 + 4 + 9 + 5);
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(q) : "r"(0x0003fffeu), "r"(0x00000504u), "r"(1));
    CHECK(q == -2 * 4 + 3 * 5 + 1);
    asm("add.sat.s32 %0, %1, %2;" : "=r"(q) : "r"(0x7ffffff0), "r"(100));
    CHECK(q == 0x7fffffff);
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(q) : "r"(-0x7ffffff0), "r"(100));
    CHECK(q == (int)0x80000000);
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(-5));
    CHECK(r == 0);
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(q) : "r"(300));
    CHECK(q == 127);
    asm("cvt.sat.u32.u64 %0, %1;" : "=r"(r) : "l"(0x100000000ull));
    CHECK(r == 0xffffffffu);
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(0x33221100u), "r"(0x77665544u), "r"(1));
    CHECK(r == 0x44332211u);
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(0x33221100u), "r"(0x77665544u), "r"(1));
    CHECK(r == 0x33223322u);
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(4), "r"(8));
    CHECK(r == 0xff0);
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(q) : "r"(0x1f8), "r"(4));
    CHECK(q == -8);
    asm("{ .reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 2, p; }" : "=r"(r) : "f"(1e-40f));
    CHECK(r == 2);
    asm("{ .reg .pred p; testp.infinite.f64 p, %1; selp.u32 %0, 1, 2, p; }" : "=r"(r) : "d"(1e300 * 1e300));
    CHECK(r == 1);
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; barrier.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(t));
    CHECK(r == 5);
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 99; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(r) : "r"(t));
    CHECK(r == 1);
    asm("{ .reg .pred p; mov.u32 %0, 0; AGAIN: add.u32 %0, %0, 2; setp.lt.u32 p, %0, %1; @p bra AGAIN; }" : "=r"(r) : "r"(t));
    CHECK(r == (t == 0 ? 2 : (t + 1) / 2 * 2));
    asm("{ .reg .pred p; setp.eq.u32 p, %1, 3; @p bra ODD; mov.u32 %0, 10; bra.uni DONE; ODD: mov.u32 %0, 20; DONE: add.u32 %0, %0, 1; }"
        : "=r"(r) : "r"(t));
    CHECK(r == (t == 3 ? 21 : 11));
}

// Directed rounding and ftz, one after the other, on numbers that are not subnormal: WGSL lets devices keep or flush those.
__global__ void rounded_ptx(unsigned *out)
{
    const unsigned i = threadIdx.x;
    const float a = __uint_as_float(0x3f800001u + i * 0x100000u);
    float r, f;
    asm("mul.rm.f32 %0, %1, %1;" : "=f"(r) : "f"(a));
    out[4 * i] = __float_as_uint(r);
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(r), "f"(__uint_as_float(0x00ffffffu)));
    out[4 * i + 1] = __float_as_uint(f);
    asm("add.rp.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(r), "f"(__uint_as_float(0x00800000u | i)));
    out[4 * i + 2] = __float_as_uint(f);
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(__uint_as_float(0x00800000u)), "f"(__uint_as_float(0x3f800000u + i)));
    out[4 * i + 3] = __float_as_uint(f);
}

// Statements: names of operands, constants among them, registers that live on, halves of words, the carry flag.
template <int N> __device__ unsigned shifted(unsigned x)
{
    unsigned r;
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "n"(N));
    return r;
}

__global__ void statements(int *out)
{
    int n = 0;
    const unsigned t = threadIdx.x;
    unsigned r, q;
    unsigned long long w;
#ifdef BY_NVCC // which has no names for operands
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(t), "r"(7), "n"(5 + 1));
#else
    asm("mad.lo.u32 %[sum], %[a], %[b], %[c];" : [sum] "=r"(r) : [a] "r"(t), [b] "r"(7), [c] "n"(5 + 1));
#endif
    CHECK(r == 7 * t + 6);
    CHECK(shifted<3>(t) == t << 3);
    asm volatile(".reg .b32 kept;\n\tmov.b32 kept, %0;" ::"r"(t + 4));
    asm volatile("add.u32 %0, kept, %1;" : "=r"(r) : "r"(1));
    CHECK(r == t + 5);
    asm("mov.b64 {%0, %1}, %2;" : "=r"(r), "=r"(q) : "l"(0x100000002ull * (t + 1)));
    CHECK(r == 2 * (t + 1) && q == t + 1);
    asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(t), "r"(9));
    CHECK(w == (9ull << 32 | t));
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(q) : "r"(0xffffffffu), "r"(t));
    asm volatile("addc.u32 %0, %1, 0;" : "=r"(r) : "r"(t));
    CHECK(q == t - 1 && r == t + (t > 0));
    asm("{ .reg .v2 .b32 v; mov.b32 v.x, %1; mov.b32 v.y, 3; add.u32 %0, v.x, v.y; }" : "=r"(r) : "r"(t));
    CHECK(r == t + 3);
    asm("{ .reg .pred %%p; setp.gt.and.u32 %%p, %1, 3, !%%p; selp.u32 %0, 1, 2, %%p; }" : "=r"(r) : "r"(t));
    CHECK(r == (t > 3 ? 1 : 2));
}
