// RUN: tern compile %s --to ir 2>&1 | grep -E "warning|error"
// RUN: tern compile %s --to ir -Werror=shared-init 2>&1 | grep -E "warning|error"
// Constructors of __shared__ variables are not run: one that would do something is warned about.
struct empty {
    int v;
    __device__ empty() {}
};
struct constant {
    int v;
    __device__ constexpr constant() : v() {}
};
struct busy {
    int v;
    __device__ busy() : v(3) {}
};
__global__ void k(int *p)
{
    __shared__ empty a;
    __shared__ constant b;
    __shared__ busy c[2];
    a.v = b.v = c[1].v = p[0];
    p[1] = a.v + b.v + c[1].v;
}
