// RUN: tern compile %s --to ir -o %t
struct pair {
    int a, b;
};
__global__ void k(pair p, int *y)
{
    *y = p->a;
}
