// RUN: tern compile %s --to ir -o %t
struct vec {
    float x, y;
};
__global__ void k(vec *v)
{
    v[0] = v[1] + v[2];
}
