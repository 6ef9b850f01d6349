// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep -E "error:"
// Inline PTX that is not PTX, or not supported.
__global__ void k1(unsigned *p) { asm("vadd4.f32.u32.u32 %0, %1, %2, %3;" : "=r"(p[0]) : "r"(1), "r"(2), "r"(3)); }
__global__ void k2(unsigned *p) { asm("vadd.u32.u32.u32 %0, %1.b7, %2;" : "=r"(p[0]) : "r"(1), "r"(2)); }
__global__ void k3(unsigned *p) { asm("vadd4.u32.u32.u32 %0, %1;" : "=r"(p[0]) : "r"(1)); }
__global__ void k4(unsigned *p) { asm("add.sat.u32 %0, %1, %2;" : "=r"(p[0]) : "r"(1), "r"(2)); }
__global__ void k5(unsigned *p) { asm("bra NOWHERE;"); }
__global__ void k6(unsigned *p) { asm("L: mov.u32 %0, 1; L: mov.u32 %0, 2;" : "=r"(p[0])); }
__global__ void k7(unsigned *p) { asm("bra;"); }
__global__ void k8(unsigned *p) { asm("mov.u32 %0, %5;" : "=r"(p[0])); }
__global__ void k9(unsigned *p) { asm("mov.u32 %0, %%nothing;" : "=r"(p[0])); }
__global__ void k10(unsigned *p) { asm("{ add.u32 %0, %0, 1;" : "+r"(p[0])); }
__global__ void k11(unsigned *p) { asm("mov %0, 1;" : "=r"(p[0])); }
__global__ void k12(unsigned *p) { asm("ld.global.u32 %0, %1;" : "=r"(p[0]) : "l"(p)); }
__global__ void k13(unsigned *p) { asm("tcgen05.mma %0;" : "=r"(p[0])); }
__global__ void k14(unsigned *p) { asm(".maxnreg 5;"); }
__global__ void k15(unsigned *p) { asm("testp.odd.f32 %0, %1;" : "=r"(p[0]) : "f"(1.0f)); }
__global__ void k16(unsigned *p) { asm("add.u32 1, 2, 3;"); }
__global__ void k17(unsigned *p) { asm("add.u32 %0, unknown, 3;" : "=r"(p[0])); }
__global__ void k18(unsigned *p) { asm("add.u32 %0, 1, 3" : "=r"(p[0])); }
// A modifier that the instruction does not know, an operand too many, what is no predicate.
__global__ void k19(unsigned *p) { asm("add.bogus.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(1), "r"(2)); }
__global__ void k20(unsigned *p) { asm("add.s32 %0, %1, %2, %3;" : "=r"(p[0]) : "r"(1), "r"(2), "r"(3)); }
__global__ void k21(unsigned *p) { asm("add.e4m3 %0, %1, %2;" : "=r"(p[0]) : "r"(1), "r"(2)); }
__global__ void k22(unsigned *p) { asm("mov.u32 %0, 1;\n\t" // the place is in the second literal
                                       "@%0 add.s32 %0, %0, 1;" : "+r"(p[0])); }
__global__ void k23(unsigned *p) { asm("add.s32 %0, !%0, 1;" : "+r"(p[0])); }
__global__ void k24(unsigned *p) { asm("setp.lt.s32 %0, %0, 1;" : "+r"(p[0])); }
__global__ void k25(unsigned *p) { asm("{ .reg .pred q; add.s32 %0|q, %0, 1; }" : "+r"(p[0])); }
__global__ void k26(unsigned *p) { asm("min.xorsign.f32 %0, %0, %1;" : "+f"(*(float *)p) : "f"(1.0f)); }
__global__ void k27(unsigned *p) { asm("prefetch.global.L7 [%0];" :: "l"(p)); }
__global__ void k28(unsigned *p) { asm("add.sync.s32 %0, %0, 1;" : "+r"(p[0])); }
__global__ void k29(unsigned *p) { asm("call f;"); }
__global__ void k30(unsigned *p) { asm("ret;"); }
__global__ void k31(unsigned *p, int n) { asm("mov.u32 %0, %1;" : "=r"(p[0]) : "n"(n)); }
__global__ void k32(unsigned *p) { asm("}"); }
__global__ void k33(unsigned *p) { asm("setp.num.s32 %0, %0, 1;" : "+r"(p[0])); }
__global__ void k34(unsigned *p) { asm("and.cc.b32 %0, %0, 1;" : "+r"(p[0])); }
