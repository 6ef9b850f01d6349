// RUN: tern compile %s --to ir
__shared__ int at_file_scope;
__global__ void k(int *p)
{
    __shared__ int s = 5;
    __constant__ int c;
    static int ok;
    static __shared__ int fine[4];
    extern __shared__ int a[];
    throw 1;
    try { *p = 1; } catch (...) {}
}
__global__ void variadic(int n, ...) {}
__global__ static int result() { return 1; }
__global__ void __cluster_dims__(1, 1, 1) alone(int *p) { *p = 1; }
__global__ void __cluster_dims__(2, 16, 1) together(int *p) { *p = 1; }
