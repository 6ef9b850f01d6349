// RUN: tern compile %s --to ir
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(B(x)))
__global__ void k() { C(;) }
