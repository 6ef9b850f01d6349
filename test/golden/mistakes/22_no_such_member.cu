// RUN: tern compile %s --to ir -o %t
struct particle {
    float3 position, velocity;
};
__global__ void k(particle *p)
{
    p[threadIdx.x].positon.x = 0;
}
