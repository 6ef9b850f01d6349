// Kernels for the comparison of PTX with source: each is read by our CUDA front end, and compiled to
// PTX by nvcc and read by our PTX front end.
extern "C" {
__global__ void saxpy(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.5f * a[i] + b[i];
}

__global__ void stencil(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 1 && i < n - 2)
        out[i] = 0.1f * a[i - 2] + 0.2f * a[i - 1] + 0.4f * a[i] + 0.2f * a[i + 1] + 0.1f * a[i + 2];
}

__global__ void polynomial(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i];
    for (int k = 0; k < 32; k++)
        y = y * x + 0.5f;
    out[i] = y;
}

__global__ void reduce(float *out, const float *a, const float *b, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void branches(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    int steps = 0;
    while (x > 0.1f && steps < 50) {
        x = x > 0.5f ? x * 0.7f : x * 0.9f;
        steps++;
    }
    out[i] = (float)steps;
}

__global__ void tiled(float *out, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    const int w = 256; /* n / w rows of a, columns of b */
    int x = threadIdx.x % 16, y = threadIdx.x / 16, col = blockIdx.x % (w / 16) * 16 + x, row = blockIdx.x / (w / 16) * 16 + y;
    float sum = 0;
    for (int k = 0; k < w; k += 16) {
        as[y][x] = a[row * w + k + x];
        bs[y][x] = b[(k + y) * w + col];
        __syncthreads();
        for (int q = 0; q < 16; q++)
            sum += as[y][q] * bs[q][x];
        __syncthreads();
    }
    out[row * w + col] = sum;
}

__global__ void gather(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[(unsigned)(i * 7919u) % (unsigned)n] + b[i];
}

__global__ void warp_sum(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? a[i] * b[i] : 0;
    for (int s = 16; s > 0; s /= 2)
        x += __shfl_xor_sync(0xffffffff, x, s);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = x;
}
}
