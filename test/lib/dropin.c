/* What nvcc's users link with -lcublas, in C: run under `tern exec`. */
#include <math.h>
#include <stdio.h>
#include "cuda_runtime_api.h"
#include "cublas_v2.h"

int main(void)
{
    enum { M = 5, N = 7, K = 3 };
    float a[M * K], b[K * N], c[M * N], alpha = 2, beta = 0;
    void *da, *db, *dc;
    cublasHandle_t handle;
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 5) - 2;
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 7) - 3;
    if (cublasCreate(&handle) || cudaMalloc(&da, sizeof a) || cudaMalloc(&db, sizeof b) ||
        cudaMalloc(&dc, sizeof c) || cublasSetMatrix(M, K, sizeof *a, a, M, da, M) ||
        cublasSetMatrix(K, N, sizeof *b, b, K, db, K))
        return 1;
    if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, da, M, db, K, &beta, dc,
                    M) ||
        cublasGetMatrix(M, N, sizeof *c, dc, M, c, M))
        return 2;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i + k * M] * b[k + j * K];
            if (c[i + j * M] != 2 * sum)
                return 3;
        }
    if (cublasDestroy(handle))
        return 4;
    puts("ok");
    return 0;
}
