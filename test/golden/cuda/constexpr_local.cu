// A constexpr variable's value is in the code, whatever function gave it: none is called, and its loops unroll.
// RUN: tern compile %s --to ir -O0 | sed -n "/^kernel/,/^}/p" | grep -E "call|store.i32"
struct config {
    int kind, threads, tile;
    constexpr __host__ __device__ config(int k, int n, int t) : kind(k), threads(n), tile(t) {}
};
static constexpr __host__ __device__ config find(int kind)
{
    if (kind == 1)
        return config(1, 128, 64);
    return config(0, 32, 16);
}
typedef int (*operation)(int, int);
static __device__ int sum(int a, int b) { return a + b; }
static __device__ int difference(int a, int b) { return a - b; }
static constexpr __device__ operation pick(int kind) { return kind == 1 ? sum : difference; }

__global__ void k(int *p)
{
    constexpr int warps = find(1).threads / 32;
    constexpr bool small = find(2).tile < 32;
    constexpr operation f = pick(1);
    p[0] = warps;
    p[1] = small;
    p[2] = f(p[3], 7); // the one call: of sum itself
}
