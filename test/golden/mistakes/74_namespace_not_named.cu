// RUN: tern compile %s --to ir -o %t
namespace geometry {
__device__ float area(float r) { return 3.14159f * r * r; }
}
__global__ void k(float *y)
{
    y[0] = area(2.0f);
}
