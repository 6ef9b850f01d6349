// RUN: tern compile %s --to ir
__global__ void f(int *x) { x[0] = 1e999; x[1] = 1e30; x[2] = 3.0; }
