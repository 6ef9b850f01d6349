// The kernels of a small neural network: matrix product, softmax, normalisation, activation; gradients by differences.
#include <cmath>
#include <vector>
#include "check.h"

__device__ float sum(float x)
{
    __shared__ float part[32];
    for (int d = 16; d; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++)
        x += part[w];
    __syncthreads();
    return x;
}
__global__ void linear(const float *x, const float *w, const float *b, float *y, int in, int out)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= out)
        return;
    float s = b[col];
    for (int k = 0; k < in; k++)
        s = fmaf(x[row * in + k], w[col * in + k], s);
    y[row * out + col] = s;
}
__global__ void gelu(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
__global__ void normalize(float *x, int n, float epsilon)
{
    float *row = x + blockIdx.x * n, s = 0, q = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += row[i];
    float mean = sum(s) / n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        q += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(sum(q) / n + epsilon);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        row[i] = (row[i] - mean) * scale;
}
__global__ void softmax(float *x, int n)
{
    float *row = x + blockIdx.x * n, top = -INFINITY, s = 0;
    __shared__ float all;
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++)
            top = fmaxf(top, row[i]);
        all = top;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += row[i] = expf(row[i] - all);
    float total = sum(s);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        row[i] /= total;
}

int main()
{
    const int batch = 5, in = 24, out = 80;
    float *x, *w, *b, *y;
    CUDA(cudaMallocManaged(&x, batch * in * sizeof *x));
    CUDA(cudaMallocManaged(&w, in * out * sizeof *w));
    CUDA(cudaMallocManaged(&b, out * sizeof *b));
    CUDA(cudaMallocManaged(&y, batch * out * sizeof *y));
    for (int i = 0; i < batch * in; i++)
        x[i] = sinf(i * 0.7f);
    for (int i = 0; i < in * out; i++)
        w[i] = cosf(i * 1.3f) * 0.3f;
    for (int i = 0; i < out; i++)
        b[i] = i * 0.01f;
    std::vector<double> want(batch * out);
    linear<<<dim3(2, batch), 64>>>(x, w, b, y, in, out);
    gelu<<<(batch * out + 127) / 128, 128>>>(y, batch * out);
    normalize<<<batch, 64>>>(y, out, 1e-5f);
    softmax<<<batch, 32>>>(y, out);
    CUDA(cudaDeviceSynchronize());
    for (int r = 0; r < batch; r++) {
        std::vector<double> z(out);
        double mean = 0, var = 0, total = 0;
        for (int c = 0; c < out; c++) {
            double s = b[c];
            for (int k = 0; k < in; k++)
                s += (double)x[r * in + k] * w[c * in + k];
            z[c] = 0.5 * s * (1 + erf(s * M_SQRT1_2));
            mean += z[c] / out;
        }
        for (double v : z)
            var += (v - mean) * (v - mean) / out;
        for (double &v : z)
            v = exp((v - mean) / sqrt(var + 1e-5)), total += v;
        for (int c = 0; c < out; c++)
            CHECK(fabs(y[r * out + c] - z[c] / total) < 1e-5);
    }
    puts("ok");
}
