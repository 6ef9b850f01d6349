// RUN: tern compile %s --to ir
#define ADD(a, b) ((a) + (b))
__global__ void k(int *p)
{
    *p = ADD(1);
    *p = ADD(1, 2, 3);
}
