// RUN: tern compile %s --to ir
template <int N> struct down { static constexpr int value = down<N + 1>::value; };
__global__ void k(int *p) { *p = down<0>::value; }
