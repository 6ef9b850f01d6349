// A product of four warps, alone and where registers change hands: the latter is assembled as a whole.
__global__ void product(float *out)
{
    float a = 0, b = 0, c = 0, d = 0;
    unsigned long long at = 0;
#ifdef HANDS
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
#endif
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
                 : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
                 : "l"(at));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;");
    out[threadIdx.x] = a + b + c + d;
}
