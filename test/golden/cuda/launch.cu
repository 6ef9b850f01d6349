// Kernels that start kernels, and a warning on the way.
// RUN: tern run --device interp %s --kernel parent --grid 1 --block 32 --arg 'i32[10]=0' --print 10
#include <cstdio>
struct P {
  int a;
  float b;
};
__global__ void child(int *o, P p, int base) {
  o[threadIdx.x + blockIdx.x * blockDim.x] = base + threadIdx.x * p.a;
}
template <class T> __global__ void gen(T *o, T v) { o[threadIdx.x] += v; }
__global__ void parent(int *o) {
  if (threadIdx.x == 0) {
    P p = {3, 1.f};
    child<<<2, 4>>>(o, p, 100);
    gen<int><<<dim3(1), dim3(2, 1, 1), 0>>>(o, 7);
    for (int i = 0; i < 3; i++) {
      int i = 4;
      o[9] = i;
    }
  }
}
