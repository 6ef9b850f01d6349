// RUN: tern compile %s --to ir -o %t
template <int N>
__global__ void k(float *y)
{
    static_assert(N % 32 == 0, "N must be a multiple of the warp size");
    y[threadIdx.x] = N;
}
template __global__ void k<48>(float *);
