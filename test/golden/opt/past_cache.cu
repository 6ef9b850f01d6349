// RUN: tern compile %s --to ptx
// Each call is an access of its own, which sees what other blocks (cg) and the host (cv) write: none is merged with the one
// before or leaves its loop, and the elements of a vector are one instruction.
__global__ void twice(const int *p, int *o)
{
    o[0] = __ldcg(p) + __ldcg(p);
    while (__ldcv(p + 1) == 0)
        ;
}

__global__ void vectors(const float4 *p, float4 *o)
{
    o[0] = __ldcg(p);
    __stcg(o + 1, o[0]);
    __stcg(o + 1, __ldcv(p));
}

__global__ void written(const int *p, int *o)
{
    int a, b, c, d;
    asm("ld.global.cg.v2.s32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
    asm("ld.global.cg.v2.s32 {%0, %1}, [%2];" : "=r"(c), "=r"(d) : "l"(p));
    asm volatile("st.global.wt.s32 [%0], %1;" ::"l"(o), "r"(a + b) : "memory");
    asm volatile("st.global.wt.s32 [%0], %1;" ::"l"(o), "r"(c + d) : "memory");
}
