// C = A * B with a 4x4 piece of C in registers of each thread, and vector loads.
// TEST f32: --kernel gemm --grid 2,2 --block 8,8 --arg 'f32[2048]=iota' --arg 'f32[2048]=iota' --arg 'f32[4096]'
// EXPECT arg 2: sum 458624 checksum 486f632cffcaa325
constexpr int N = 64, K = 32, M = 64, TILE = 32, STEP = 8, EACH = 4;

__device__ __forceinline__ float small(float x, int m) { return (float)((int)x % m); }

__global__ __launch_bounds__(64) void gemm(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float As[STEP][TILE], Bs[STEP][TILE];
    float acc[EACH][EACH] = {};
    const int t = threadIdx.y * 8 + threadIdx.x;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    for (int k0 = 0; k0 < K; k0 += STEP) {
        for (int i = t; i < TILE * STEP / 4; i += 64) {
            int r = i / (STEP / 4), c = i % (STEP / 4) * 4;
            float4 v = *reinterpret_cast<const float4 *>(&A[(row0 + r) * K + k0 + c]);
            As[c + 0][r] = small(v.x, 8);
            As[c + 1][r] = small(v.y, 8);
            As[c + 2][r] = small(v.z, 8);
            As[c + 3][r] = small(v.w, 8);
        }
        for (int i = t; i < TILE * STEP / 4; i += 64) {
            int r = i / (TILE / 4), c = i % (TILE / 4) * 4;
            float4 v = reinterpret_cast<const float4 *>(B)[((k0 + r) * M + col0 + c) / 4];
            v = make_float4(small(v.x, 3), small(v.y, 3), small(v.z, 3), small(v.w, 3));
            *(float4 *)&Bs[r][c] = v;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float a[EACH], b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                a[i] = As[k][threadIdx.y * EACH + i];
                b[i] = Bs[k][threadIdx.x * EACH + i];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            C[(row0 + threadIdx.y * EACH + i) * M + col0 + threadIdx.x * EACH + j] = acc[i][j];
}
