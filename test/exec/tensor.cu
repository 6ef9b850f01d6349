// wmma through a whole program.
#include <cuda_fp16.h>
#include <mma.h>
#include "../programs/check.h"
using namespace nvcuda;

__global__ void product(const half *a, const half *b, float *c, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.5f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2;
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

int main()
{
    const int n = 64;
    static half a[n * n], b[n * n];
    static float c[n * n];
    half *da, *db;
    float *dc;
    for (int i = 0; i < n * n; i++)
        a[i] = __float2half((float)(i * 3 % 7 - 3)), b[i] = __float2half((float)(i * 5 % 9 - 4));
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dc, sizeof c));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    product<<<dim3(n / 16, n / 16), 32>>>(da, db, dc, n);
    CUDA(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float want = 0.5f;
            for (int k = 0; k < n; k++)
                want += __half2float(a[y * n + k]) * __half2float(b[x * n + k]);
            CHECK(c[y * n + x] == 2 * want);
        }
    puts("ok");
    return 0;
}
