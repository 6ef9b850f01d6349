// RUN: tern compile %s --to ir
#define STORE(p, v) *(p) = undeclared_##v
#define TWICE(p) STORE(p, one); STORE(p, two)
__global__ void k(int *p)
{
    TWICE(p);
}
