// An argument that is handed on to functions that only read it is not copied; one that they write is.
// RUN: tern compile %s --to ir -O2 | grep -E '^kernel|alloca|memcpy' | sed 's/(.*//'
struct table {
    int at[64], n;
};
__device__ __noinline__ int sum(const table &t, int from)
{
    int s = 0;
    for (int k = from; k < t.n; k++)
        s += t.at[k];
    return s;
}
__device__ __noinline__ int bump(table &t, int from) { return t.at[from]++; }
__device__ const table *kept;
__device__ __noinline__ int keep(const table &t, int from)
{
    kept = &t;
    return t.at[from];
}
__global__ void reads(table t, int *y) { y[threadIdx.x] = sum(t, threadIdx.x); }
__global__ void writes(table t, int *y) { y[threadIdx.x] = bump(t, threadIdx.x) + t.at[threadIdx.x & 3]; }
__global__ void keeps(table t, int *y) { y[threadIdx.x] = keep(t, threadIdx.x); }
