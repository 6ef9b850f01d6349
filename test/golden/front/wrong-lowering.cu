// RUN: tern compile %s --to ir -o %t --error-limit 200
// What only shows when a body is compiled.
template <typename... T> __device__ int all(T... x) { return (x + ...); }
__device__ int missing(int n);
__global__ void empty_fold(int *p) { p[0] = all(); }
__global__ void unknown_instruction(int *p) { asm("nonsense.s32 %0, %1;" : "=r"(p[0]) : "r"(1)); }
__global__ void unknown_operand(int *p) { asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(1)); }
__global__ void unknown_constraint(int *p) { asm("mov.u32 %0, %1;" : "=q"(p[0]) : "r"(1)); }
__global__ void undefined(int *p) { p[0] = missing(3); }
__global__ void rvalue(int &&p) { p = 1; }
