// Inline PTX: arithmetic, predicates, moves, special registers, memory, shuffles. All must be 1.
// TEST asm: --kernel inline_ptx --block 32 --arg 'i32[384]'
// EXPECT arg 0: sum 384 checksum 2a4f7574fd402f25
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
