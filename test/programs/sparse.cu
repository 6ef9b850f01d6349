// Sparse matrices by rows, by a thread and by a warp a row; conjugate gradients with them.
#include <cmath>
#include <vector>
#include "check.h"

__global__ void by_thread(int n, const int *rows, const int *cols, const double *v, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++)
        s += v[k] * x[cols[k]];
    y[i] = s;
}
__global__ void by_warp(int n, const int *__restrict__ rows, const int *__restrict__ cols, const double *__restrict__ v,
                        const double *__restrict__ x, double *y)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    double s = 0;
    for (int k = rows[i] + lane; k < rows[i + 1]; k += 32)
        s += v[k] * __ldg(&x[cols[k]]);
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if (lane == 0)
        y[i] = s;
}
__global__ void axpy(int n, double a, const double *x, double *y)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] += a * x[i];
}
__global__ void xpay(int n, const double *x, double a, double *y)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = x[i] + a * y[i];
}
__global__ void dot(int n, const double *x, const double *y, double *out)
{
    __shared__ double part[4];
    double s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += x[i] * y[i];
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = part[0] + part[1] + part[2] + part[3];
}

int main()
{
    const int side = 12, n = side * side;
    std::vector<int> rows(1, 0), cols;
    std::vector<double> v;
    for (int i = 0; i < n; i++) { // a Laplacian
        int near[5] = {i - side, i % side ? i - 1 : -1, i, (i + 1) % side ? i + 1 : -1, i + side};
        for (int k : near)
            if (k >= 0 && k < n)
                cols.push_back(k), v.push_back(k == i ? 4.0 : -1.0);
        rows.push_back((int)cols.size());
    }
    int *dr, *dc;
    double *dv, *x, *r, *p, *q, *s;
    CUDA(cudaMalloc(&dr, rows.size() * sizeof(int)));
    CUDA(cudaMalloc(&dc, cols.size() * sizeof(int)));
    CUDA(cudaMalloc(&dv, v.size() * sizeof(double)));
    CUDA(cudaMemcpy(dr, rows.data(), rows.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dc, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dv, v.data(), v.size() * sizeof(double), cudaMemcpyHostToDevice));
    for (double **d : {&x, &r, &p, &q})
        CUDA(cudaMallocManaged(d, n * sizeof(double)));
    CUDA(cudaMallocManaged(&s, sizeof *s));
    for (int i = 0; i < n; i++)
        x[i] = 0, r[i] = p[i] = 1 + i % 5;
    auto product = [&](double *a, double *b) {
        dot<<<1, 128>>>(n, a, b, s);
        CUDA(cudaDeviceSynchronize());
        return *s;
    };
    double rr = product(r, r), start = rr;
    int rounds = 0;
    for (; rounds < 200 && rr > 1e-20 * start; rounds++) {
        if (rounds % 2)
            by_thread<<<(n + 63) / 64, 64>>>(n, dr, dc, dv, p, q);
        else
            by_warp<<<(n + 3) / 4, 128>>>(n, dr, dc, dv, p, q);
        double a = rr / product(p, q);
        axpy<<<1, 128>>>(n, a, p, x);
        axpy<<<1, 128>>>(n, -a, q, r);
        double next = product(r, r);
        xpay<<<1, 128>>>(n, r, next / rr, p);
        rr = next;
    }
    CUDA(cudaDeviceSynchronize());
    CHECK(rounds < 100);
    for (int i = 0; i < n; i++) {
        double y = -(1 + i % 5);
        for (int k = rows[i]; k < rows[i + 1]; k++)
            y += v[k] * x[cols[k]];
        CHECK(fabs(y) < 1e-7);
    }
    puts("ok");
}
