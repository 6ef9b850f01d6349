// A function that is called, a class by value, a constant table, atomics.
struct box {
    int low, high;
    float scale;
};

__constant__ int limits[4] = {3, 5, 7, 11};

__noinline__ __device__ int clip(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

__global__ void calls(box b, const unsigned char *x, int *bins)
{
    int v = clip(x[threadIdx.x], b.low, b.high);
    atomicAdd(&bins[v & 63], limits[v & 3]);
}
