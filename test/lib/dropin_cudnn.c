/* A program that NVIDIA's linker would have linked with libcudnn: a convolution by 1, which copies.
 */
#include <stdio.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#define DO(call)                                                                                   \
    do {                                                                                           \
        if ((call) != 0) {                                                                         \
            printf("%s\n", #call);                                                                 \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main(void)
{
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x;
    cudnnFilterDescriptor_t f;
    cudnnConvolutionDescriptor_t c;
    const float one = 1, zero = 0, in[6] = {1, 2, 3, 4, 5, 6}, weight = 2;
    float out[6], *dx, *dw, *dy;
    DO(cudnnGetVersion() < 90000);
    DO(cudnnCreate(&handle));
    DO(cudnnCreateTensorDescriptor(&x));
    DO(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, 3));
    DO(cudnnCreateFilterDescriptor(&f));
    DO(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 1));
    DO(cudnnCreateConvolutionDescriptor(&c));
    DO(cudnnSetConvolution2dDescriptor(c, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                       CUDNN_DATA_FLOAT));
    DO(cudaMalloc((void **)&dx, sizeof in));
    DO(cudaMalloc((void **)&dw, sizeof weight));
    DO(cudaMalloc((void **)&dy, sizeof out));
    DO(cudaMemcpy(dx, in, sizeof in, cudaMemcpyHostToDevice));
    DO(cudaMemcpy(dw, &weight, sizeof weight, cudaMemcpyHostToDevice));
    DO(cudnnConvolutionForward(handle, &one, x, dx, f, dw, c,
                               CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, x, dy));
    DO(cudaMemcpy(out, dy, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        DO(out[i] != 2 * in[i]);
    DO(cudnnDestroy(handle));
    puts("ok");
    return 0;
}
