// RUN: tern compile %s --to ir -o %t
// RUN: tern compile %s --to ir -o %t -Wno-narrowing -Wno-constant-conversion -Wno-shadow -Wno-unused-value -Wno-parentheses -Wno-return-type
// RUN: tern compile %s --to ir -o %t -Werror=shadow 2>&1 | grep error:
__device__ int no_return(int x)
{
    if (x > 0)
        return 1;
}
__global__ void k(int *p, unsigned n)
{
    int i = threadIdx.x;
    for (int i = 0; i < 4; i++)
        p[i] = 0;
    int big = 3000000000;
    char small = 300;
    int narrow{2.5};
    *p = no_return(i) + big + small + narrow;
    *p == 3;
    if (*p = 4)
        return;
}
struct [[nodiscard]] status { int code; };
__device__ [[nodiscard]] int must_use(int x) { return x; }
__global__ void more(int *p, unsigned char *c)
{
    must_use(3);
    c[0] = 300;
    c[1] = -1;
    short s = -40000;
    int whole = 2.5, fine = 2.0, wraps = 0xffffffff;
    unsigned u = -1;
    for (int i = 0; i < 4; i++)
        for (int i = 0; i < 2; i++)
            p[i] = s + whole + fine + wraps + (int)u;
}
#define SET(x) c[2] = x
template <typename T> __device__ void store(T *c, int v)
{
    SET(1000);
    c[0] = (T)v;
}
__global__ void instance(signed char *c) { store(c, 5); }
