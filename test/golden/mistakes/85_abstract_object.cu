// RUN: tern compile %s --to ir -o %t
struct shape {
    __device__ virtual float area() const = 0;
};
__global__ void k(float *y)
{
    shape s;
    y[0] = s.area();
}
