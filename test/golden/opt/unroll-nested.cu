// Loops around others: of one iteration each, or what a loop further inside counts by. The array becomes registers.
// RUN: tern compile %s --to ir -O2 | grep -cE "alloca|load.f32|store.f32"
// RUN: tern compile %s --to ir -O2 | grep -E "alloca"; true
__global__ void tile(float *p, int n)
{
    float sum[8] = {};
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int start = 16 - 16 % 32; start >= 0; start -= 32) { // once
            const int stop = start + 32 < 48 ? start + 32 : 48;
#pragma unroll
            for (int i = 0; i < 64; i += 64) // once
#pragma unroll
                for (int j = start; j < stop; j += 8)
                    sum[j / 8] += p[(k + i) * 64 + j];
        }
    }
    for (int i = 0; i < 8; i++)
        p[i] = sum[i];
}

__global__ void two(float *p)
{
    float sum[8] = {};
#pragma unroll
    for (int start = 0; start < 32; start += 16)
        for (int i = 0; i < 8; i += 8) {
#pragma unroll
            for (int j = start; j < start + 16; j += 4)
                sum[j / 4] += p[j + i];
            __syncthreads();
        }
    for (int i = 0; i < 8; i++)
        p[i] = sum[i];
}
