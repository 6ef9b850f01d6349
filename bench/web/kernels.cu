// What the web benchmarks run: each against WGSL written by hand, and as WebAssembly against the native CPU device.
#define TILE 16

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        sa[y][x] = a[row * n + k + x];
        sb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += sa[y][i] * sb[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduction(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += a[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        c[blockIdx.x] = s[0];
}

__global__ void nbody(const float4 *a, const float *b, float4 *c, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 p = a[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += 128) {
        tile[threadIdx.x] = a[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float4 q = tile[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float inv = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }
    c[i] = make_float4(ax, ay, az, 0);
}

__global__ void softmax(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    const float *row = a + blockIdx.x * n;
    float most = -3.4e38f, sum = 0;
    for (int i = t; i < n; i += 128)
        most = fmaxf(most, row[i]);
    s[t] = most;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < n; i += 128)
        sum += __expf(row[i] - most);
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    sum = s[0];
    for (int i = t; i < n; i += 128)
        c[blockIdx.x * n + i] = __expf(row[i] - most) / sum;
}
