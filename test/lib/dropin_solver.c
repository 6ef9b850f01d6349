/* Solves a system as a program that nvcc built and linked with libcusolver would. */
#include <math.h>
#include <stdio.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

int main(void)
{
    const double a[4] = {4, 2, 2, 3}, b[2] = {10, 9};
    double x[2] = {0, 0};
    double *da, *db;
    int *info, wrong = 1;
    cusolverDnHandle_t h;
    if (cusolverDnCreate(&h) || cudaMalloc((void **)&da, sizeof a) ||
        cudaMalloc((void **)&db, sizeof b) || cudaMalloc((void **)&info, sizeof *info) ||
        cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice) ||
        cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice))
        return 1;
    if (cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 2, da, 2, da, 0, info) ||
        cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, 2, 1, da, 2, db, 2, info))
        return 2;
    if (cudaMemcpy(x, db, sizeof x, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(&wrong, info, sizeof wrong, cudaMemcpyDeviceToHost) || wrong)
        return 3;
    cusolverDnDestroy(h);
    if (fabs(x[0] - 1.5) > 1e-12 || fabs(x[1] - 2) > 1e-12)
        return 4;
    printf("ok\n");
    return 0;
}
