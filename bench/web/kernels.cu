// What the web benchmarks run: against WGSL written by hand, and as WebAssembly against the native CPU device.
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

// Only as WebAssembly against the native CPU device.
__global__ void warp_sum(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        c[i / 32] = v;
}

__global__ void scan(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, w = 0;
    s[0][t] = a[i];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - w][t] = t >= d ? s[w][t] + s[w][t - d] : s[w][t];
        w = 1 - w;
        __syncthreads();
    }
    c[i] = s[w][t];
}

__global__ void transpose(const float *a, const float *b, float *c, int n)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        c[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

__global__ void heat(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        c[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}

__global__ void histogram(const unsigned *a, const float *b, unsigned *c, int n)
{
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&h[a[i] >> 8 & 255], 1u);
    __syncthreads();
    atomicAdd(&c[threadIdx.x], h[threadIdx.x]);
}

__global__ void life(const unsigned *a, const float *b, unsigned *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                k += a[((y + dy + n) & (n - 1)) * n + ((x + dx + n) & (n - 1))] & 1;
    c[y * n + x] = k == 3 || (k == 2 && (a[y * n + x] & 1));
}
