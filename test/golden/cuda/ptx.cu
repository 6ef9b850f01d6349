// RUN: tern run --device interp %s --kernel k --grid 1 --block 32 --arg 'u32[512]=0' --arg 'f32[32]=0' --arg i32:1 --print 76
__device__ unsigned bfe(unsigned x) {
  unsigned r;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(4), "r"(8));
  return r;
}
__global__ void k(unsigned *o, float *fo, int n) {
  int i = threadIdx.x;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  o[0 + i * 16] = lane;
  o[1 + i * 16] = bfe(0xabcdef12);
  unsigned lo, hi;
  asm("{\n .reg .u64 t;\n mul.wide.u32 t, %2, %3;\n mov.b64 {%0, %1}, t;\n}"
      : "=r"(lo), "=r"(hi)
      : "r"(0xffffffffu), "r"(i + 3));
  o[2 + i * 16] = lo;
  o[3 + i * 16] = hi;
  unsigned a = 0xffffffffu, b = 0, c;
  asm("add.cc.u32 %0, %1, 1; addc.u32 %2, %3, 5;" : "=r"(c), "+r"(a), "=r"(b) : "r"(7));
  o[4 + i * 16] = c;
  o[5 + i * 16] = b;
  int p;
  asm("{ .reg .pred q; setp.gt.s32 q, %1, 2; selp.s32 %0, 10, 20, q; @!q add.s32 %0, %0, 1; }"
      : "=r"(p)
      : "r"(i));
  o[6 + i * 16] = p;
  float f;
  asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(f) : "f"(2.0f), "f"((float)i));
  fo[i] = f;
  unsigned l3;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(l3) : "r"(0xff00u), "r"(0xf0f0u), "r"(i));
  o[7 + i * 16] = l3;
  asm volatile("st.global.u32 [%0+4], %1;" ::"l"(o + 7 + i * 16), "r"(123u) : "memory");
  unsigned sh;
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;" : "=r"(sh) : "r"(i + 40));
  o[9 + i * 16] = sh;
  unsigned long long g;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(g) : "l"(o));
  unsigned v;
  asm("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(g));
  o[10 + i * 16] = v == o[0];
}
