// RUN: tern compile %s --to ir -o %t
struct vec {
    float x;
    __device__ float length() const { return x; }
};
__global__ void k(const vec *v, float *y)
{
    y[0] = v->length;
}
