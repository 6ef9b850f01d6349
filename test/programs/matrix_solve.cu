// Dense linear algebra in double: LU with pivots, Cholesky, Jacobi; residuals decide.
#include <cmath>
#include <vector>
#include "check.h"

__global__ void lu(double *a, int *pivot, int n) // one block
{
    __shared__ int best;
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) {
            best = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                    best = i;
            pivot[k] = best;
        }
        __syncthreads();
        if (best != k)
            for (int j = threadIdx.x; j < n; j += blockDim.x) {
                double t = a[k * n + j];
                a[k * n + j] = a[best * n + j];
                a[best * n + j] = t;
            }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            double f = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
        }
        __syncthreads();
    }
}
__global__ void cholesky(double *a, int n)
{
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0)
            a[k * n + k] = sqrt(a[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            a[i * n + k] /= a[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            for (int j = k + 1; j <= i; j++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
        __syncthreads();
    }
}
__global__ void jacobi(const double *a, const double *b, const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = b[i];
    for (int j = 0; j < n; j++)
        if (j != i)
            s -= a[i * n + j] * x[j];
    y[i] = s / a[i * n + i];
}

int main()
{
    const int n = 40;
    std::vector<double> m(n * n), spd(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            m[i * n + j] = sin(i * i * 3.1 + i * j * 0.7 + j * j);
            spd[i * n + j] = (i == j ? n : 0) + 1.0 / (1 + abs(i - j));
        }
    double *a, *b, *x, *y;
    int *pivot;
    CUDA(cudaMallocManaged(&a, n * n * sizeof *a));
    CUDA(cudaMallocManaged(&b, n * sizeof *b));
    CUDA(cudaMallocManaged(&x, n * sizeof *x));
    CUDA(cudaMallocManaged(&y, n * sizeof *y));
    CUDA(cudaMallocManaged(&pivot, n * sizeof *pivot));
    std::copy(m.begin(), m.end(), a);
    lu<<<1, 64>>>(a, pivot, n);
    CUDA(cudaDeviceSynchronize());
    std::vector<double> z(n);
    for (int i = 0; i < n; i++)
        z[i] = b[i] = i + 1;
    for (int k = 0; k < n; k++)
        std::swap(z[k], z[pivot[k]]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            z[i] -= a[i * n + j] * z[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            z[i] -= a[i * n + j] * z[j];
        z[i] /= a[i * n + i];
    }
    for (int i = 0; i < n; i++) {
        double r = -b[i];
        for (int j = 0; j < n; j++)
            r += m[i * n + j] * z[j];
        CHECK(fabs(r) < 1e-8);
    }
    std::copy(spd.begin(), spd.end(), a);
    cholesky<<<1, 64>>>(a, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k <= j; k++)
                s += a[i * n + k] * a[j * n + k];
            CHECK(fabs(s - spd[i * n + j]) < 1e-10);
        }
    std::copy(spd.begin(), spd.end(), a);
    for (int i = 0; i < n; i++)
        x[i] = 0;
    for (int k = 0; k < 60; k++) {
        jacobi<<<2, 32>>>(a, b, x, y, n);
        std::swap(x, y);
    }
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        double r = -b[i];
        for (int j = 0; j < n; j++)
            r += spd[i * n + j] * x[j];
        CHECK(fabs(r) < 1e-9);
    }
    puts("ok");
}
