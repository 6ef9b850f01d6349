// RUN: tern compile %s --to ir -o %t
struct particle {
    float x, y;
}
__global__ void k(particle *p)
{
    p->x = 1.0f;
}
