// Dot products and matrix times vector in double, and Gauss elimination with pivots.
// TEST dot: --kernel dot --block 256 --arg 'f64[1000]=iota' --arg 'f64[1000]=iota' --arg 'f64[1]' --arg i32:1000
// EXPECT arg 2: sum 332833500 checksum 0eb3f586f1d66fe1
// TEST matvec: --kernel matvec --grid 3 --block 32 --arg 'f64[1500]=iota' --arg 'f64[50]=iota' --arg 'f64[30]'
// EXPECT arg 2: sum 27856500 checksum 8a76ca5a8409671b
// TEST solve: --kernel solve --block 8 --arg 'f64[8]'
// EXPECT arg 0: near 1e-09 1 2 3 4 5 6 7 8 sum 36
__global__ void dot(const double *x, const double *y, double *out, int n)
{
    __shared__ double s[256];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i] * y[i];
    s[threadIdx.x] = sum;
    for (int d = blockDim.x / 2; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        *out = s[0];
}

__global__ void matvec(const double *a, const double *x, double *y)
{
    for (int row = blockIdx.x * 10; row < blockIdx.x * 10 + 10; row++) {
        double sum = 0;
        for (int j = threadIdx.x; j < 50; j += 32)
            sum += a[row * 50 + j] * x[j];
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (threadIdx.x == 0)
            y[row] = sum;
    }
}

// A x = b where x is 1, 2, … 8; each thread owns a row
__global__ void solve(double *x)
{
    __shared__ double a[8][9];
    __shared__ int pivot;
    int i = threadIdx.x;
    a[i][8] = 0;
    for (int j = 0; j < 8; j++) {
        a[i][j] = (i * i + 3 * j) % 7 + (i == j ? 10.0 : 0.0) + (i + j == 7 ? 20.0 : 0.0);
        a[i][8] += a[i][j] * (j + 1);
    }
    for (int k = 0; k < 8; k++) {
        __syncthreads();
        if (i == 0) {
            pivot = k;
            for (int r = k + 1; r < 8; r++)
                if (fabs(a[r][k]) > fabs(a[pivot][k]))
                    pivot = r;
            for (int c = 0; c < 9 && pivot != k; c++) {
                double t = a[k][c];
                a[k][c] = a[pivot][c];
                a[pivot][c] = t;
            }
        }
        __syncthreads();
        if (i != k) {
            double f = a[i][k] / a[k][k];
            for (int c = k; c < 9; c++)
                a[i][c] -= f * a[k][c];
        }
    }
    __syncthreads();
    x[i] = a[i][8] / a[i][i];
}
