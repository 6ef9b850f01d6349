/* What nvcc's users link with -lcusparse, in C: run under `tern exec`. */
#include <stdio.h>
#include "cuda_runtime_api.h"
#include "cusparse.h"

int main(void)
{
    const int offsets[] = {0, 2, 2, 3}, columns[] = {0, 2, 1};
    const float values[] = {1, 2, 3}, x[] = {4, 5, 6}, one = 1, none = 0;
    float y[3];
    void *o, *c, *v, *dx, *dy;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    if (cusparseCreate(&handle) || cudaMalloc(&o, sizeof offsets) ||
        cudaMalloc(&c, sizeof columns) || cudaMalloc(&v, sizeof values) ||
        cudaMalloc(&dx, sizeof x) || cudaMalloc(&dy, sizeof y) ||
        cudaMemcpy(o, offsets, sizeof offsets, cudaMemcpyHostToDevice) ||
        cudaMemcpy(c, columns, sizeof columns, cudaMemcpyHostToDevice) ||
        cudaMemcpy(v, values, sizeof values, cudaMemcpyHostToDevice) ||
        cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice))
        return 1;
    if (cusparseCreateCsr(&a, 3, 3, 3, o, c, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F) ||
        cusparseCreateDnVec(&vx, 3, dx, CUDA_R_32F) || cusparseCreateDnVec(&vy, 3, dy, CUDA_R_32F))
        return 2;
    if (cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &none, vy, CUDA_R_32F,
                     CUSPARSE_SPMV_ALG_DEFAULT, NULL) ||
        cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost))
        return 3;
    if (y[0] != 16 || y[1] != 0 || y[2] != 15)
        return 4;
    if (cusparseDestroyDnVec(vx) || cusparseDestroyDnVec(vy) || cusparseDestroySpMat(a) ||
        cusparseDestroy(handle))
        return 5;
    puts("ok");
    return 0;
}
