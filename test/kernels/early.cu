// Functions that return early, in loops: the lanes that do meet the others before the next round.
// TEST one: --kernel one --block 96 --arg 'f32[96]' --arg 'f32[96]' --arg 'i32:96'
// EXPECT arg 1: sum 9574.3125 checksum 7d68725e753d20f4
// TEST two: --kernel two --block 80 --arg 'i32[80]' --arg 'i32:50'
// EXPECT arg 0: sum 3722232 checksum 5df7212b1b4e327d
__device__ __forceinline__ float bell(float u)
{
    float v;
    if (u >= 2)
        return 0;
    else if (u < 1)
        v = 1 - u * u * 0.5f;
    else
        v = (2 - u) * (2 - u) * 0.5f;
    return v * 3;
}
__global__ void one(const float *x, float *y, int n)
{
    float s = 0;
    for (int j = 0; j < n; j++)
        s += bell(fabsf(x[threadIdx.x] - x[j]) * 0.25f + (float)((threadIdx.x * 7 + j) % 13) * 0.25f);
    y[threadIdx.x] = s;
}

__device__ __forceinline__ int steps(int n, int most)
{
    for (int k = 0; k < most; k++) {
        if (n == 1)
            return k;
        if (n % 5 == 0 && k > 3)
            return -k;
        n = n & 1 ? 3 * n + 1 : n / 2;
    }
    return most;
}
__global__ void two(int *out, int n)
{
    int sum = 0;
    for (int j = 0; j < n; j++) {
        const int k = steps((int)threadIdx.x * 3 + j + 1, 40);
        sum += k < 0 ? 100 : k;
        sum = sum * 5 % 100003;
    }
    out[threadIdx.x] = sum;
}
