// Kernels for speed and for correctness on real hardware. The same source goes to nvcc and to Tern.
// No mathematics library: what is compared is code generation.
extern "C" {

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void copy4(int n, const float4 *__restrict__ x, float4 *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}

__global__ void transpose(int n, const float *x, float *y)
{
    __shared__ float tile[32][33];
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * n + i];
    __syncthreads();
    i = blockIdx.y * 32 + threadIdx.x;
    j = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        y[(j + k) * n + i] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void sgemm_naive(int n, const float *a, const float *b, float *c)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void sgemm_tiled(int n, const float *a, const float *b, float *c)
{
    __shared__ float as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 32) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// 64 x 64 of C for 256 threads, 4 x 4 each
__global__ void sgemm_register(int n, const float *a, const float *b, float *c)
{
    __shared__ float as[16][64], bs[16][64];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            acc[i][j] = 0;
    for (int t = 0; t < n; t += 16) {
        for (int i = 0; i < 4; i++) {
            int e = tid + i * 256;
            as[e % 16][e / 16] = a[(row0 + e / 16) * n + t + e % 16];
            bs[e / 64][e % 64] = b[(t + e / 64) * n + col0 + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
            for (int i = 0; i < 4; i++) {
                x[i] = as[k][ty * 4 + i];
                y[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}

__global__ void dgemm_tiled(int n, const double *a, const double *b, double *c)
{
    __shared__ double as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    double sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void reduce(int n, const float *x, float *out)
{
    __shared__ float part[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

__global__ void stencil(int n, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        y[j * n + i] = 0.5f * x[j * n + i] + 0.125f * (x[j * n + i - 1] + x[j * n + i + 1] +
                                                       x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}

__global__ void nbody(int n, const float4 *__restrict__ p, float4 *__restrict__ f)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f;
            float w = tile[k].w / (d * d);
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        __syncthreads();
    }
    f[i] = make_float4(ax, ay, az, 0);
}

__global__ void histogram(int n, const unsigned *x, unsigned *out)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&bins[x[i] & 255], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void mandelbrot(int n, int limit, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * i / n, cy = -1.5f + 3.0f * j / n, x = 0, y = 0;
    int k = 0;
    while (k < limit && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        k++;
    }
    out[j * n + i] = k;
}

// a matrix with 16 entries in each row
__global__ void spmv(int n, const int *__restrict__ cols, const float *__restrict__ vals,
                     const float *__restrict__ x, float *__restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += vals[k * n + row] * x[(unsigned)cols[k * n + row] % (unsigned)n];
    y[row] = sum;
}

__constant__ float weights[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};
__global__ void convolve(int n, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 2 || j < 2 || i >= n - 2 || j >= n - 2)
        return;
    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dy * 5 + dx] * x[(j + dy - 2) * n + i + dx - 2];
    y[j * n + i] = sum;
}

__global__ void scan(int n, const int *x, int *y)
{
    __shared__ int s[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n)
        y[i] = s[t];
}

__global__ void hash(int n, const unsigned *x, unsigned *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = x[i];
    for (int k = 0; k < 64; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
    }
    y[i] = h;
}

// rows of 1024
__global__ void softmax(const float *x, float *y)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * 1024;
    float v[4], top = -3.0e38f, sum = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = row[t + k * 256];
        top = fmaxf(top, v[k]);
    }
    part[t] = top;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] = fmaxf(part[t], part[t + d]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        v[k] = __expf(v[k] - top);
        sum += v[k];
    }
    part[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    sum = part[0];
    for (int k = 0; k < 4; k++)
        y[blockIdx.x * 1024 + t + k * 256] = v[k] / sum;
}

__global__ void layer_norm(const float *x, float *y)
{
    __shared__ float part[2][8];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * 1024;
    float v[4], sum = 0, squares = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = row[t + k * 256];
        sum += v[k];
        squares += v[k] * v[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    }
    if (t % 32 == 0) {
        part[0][t / 32] = sum;
        part[1][t / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0;
    for (int k = 0; k < 8; k++) {
        sum += part[0][k];
        squares += part[1][k];
    }
    float mean = sum / 1024, scale = 1.0f / sqrtf(squares / 1024 - mean * mean + 1e-5f);
    for (int k = 0; k < 4; k++)
        y[blockIdx.x * 1024 + t + k * 256] = (v[k] - mean) * scale;
}

// Attention without the n x n matrix: heads of 64, one query a thread, keys and values by tiles of 32
__global__ void attention(int n, float scale, const float *q, const float *k, const float *v, float *o)
{
    __shared__ float ks[32][64], vs[32][64];
    int t = threadIdx.x, head = blockIdx.y, i = blockIdx.x * 64 + t;
    const float *qh = q + head * n * 64, *kh = k + head * n * 64, *vh = v + head * n * 64;
    float mine[64], acc[64], top = -3.0e38f, sum = 0;
#pragma unroll
    for (int d = 0; d < 64; d++) {
        mine[d] = qh[i * 64 + d] * scale;
        acc[d] = 0;
    }
    for (int base = 0; base < n; base += 32) {
        for (int e = t; e < 32 * 64; e += 64) {
            ks[e / 64][e % 64] = kh[base * 64 + e];
            vs[e / 64][e % 64] = vh[base * 64 + e];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 64; d++)
                s += mine[d] * ks[j][d];
            float next = fmaxf(top, s), keep = __expf(top - next), w = __expf(s - next);
            sum = sum * keep + w;
#pragma unroll
            for (int d = 0; d < 64; d++)
                acc[d] = acc[d] * keep + w * vs[j][d];
            top = next;
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 64; d++)
        o[(head * n + i) * 64 + d] = acc[d] / sum;
}

// Q4_K: super-blocks of 256 values: half d, half dmin, 12 bytes of 6-bit scales and mins, 128 of nibbles
struct q4k {
    unsigned short d, dmin;
    unsigned char scales[12], qs[128];
};

__device__ float half_bits(unsigned short h)
{
    unsigned sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 0)
        return (sign ? -1.0f : 1.0f) * (float)m * 5.9604644775390625e-8f;
    return __uint_as_float(sign | (e + 112) << 23 | m << 13);
}

__global__ void dequantize(int blocks, const q4k *x, float *y)
{
    int b = blockIdx.x, t = threadIdx.x; // 256 threads: one value each
    if (b >= blocks)
        return;
    int group = t / 32, pair = group / 2, is_high = group & 1;
    const unsigned char *q = x[b].scales;
    int sc, m;
    if (group < 4) {
        sc = q[group] & 63;
        m = q[group + 4] & 63;
    } else {
        sc = (q[group + 4] & 15) | (q[group - 4] >> 6) << 4;
        m = (q[group + 4] >> 4) | (q[group] >> 6) << 4;
    }
    unsigned char byte = x[b].qs[pair * 32 + t % 32];
    int v = is_high ? byte >> 4 : byte & 15;
    y[b * 256 + t] = half_bits(x[b].d) * sc * v - half_bits(x[b].dmin) * m;
}

// Attention in three steps, through matrices of n x n: what the fused one saves
__global__ void scores(int n, float scale, const float *q, const float *k, float *s)
{
    __shared__ float qs[16][65], ks[16][65];
    int tx = threadIdx.x, ty = threadIdx.y, head = blockIdx.z;
    const float *qh = q + (head * n + blockIdx.y * 16) * 64, *kh = k + (head * n + blockIdx.x * 16) * 64;
    for (int e = ty * 16 + tx; e < 16 * 64; e += 256) {
        qs[e / 64][e % 64] = qh[e];
        ks[e / 64][e % 64] = kh[e];
    }
    __syncthreads();
    float sum = 0;
    for (int d = 0; d < 64; d++)
        sum += qs[ty][d] * ks[tx][d];
    s[((long long)head * n + blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum * scale;
}

__global__ void softmax_rows(int n, float *s)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float *row = s + (long long)blockIdx.x * n, top = -3.0e38f, sum = 0;
    for (int i = t; i < n; i += 256)
        top = fmaxf(top, row[i]);
    part[t] = top;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] = fmaxf(part[t], part[t + d]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    for (int i = t; i < n; i += 256)
        sum += __expf(row[i] - top);
    part[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    sum = part[0];
    for (int i = t; i < n; i += 256)
        row[i] = __expf(row[i] - top) / sum;
}

__global__ void weighted(int n, const float *s, const float *v, float *o)
{
    __shared__ float ss[4][64];
    int d = threadIdx.x, r = threadIdx.y, head = blockIdx.y, i = blockIdx.x * 4 + r;
    const float *row = s + ((long long)head * n + i) * n, *vh = v + head * n * 64;
    float sum = 0;
    for (int base = 0; base < n; base += 64) {
        ss[r][d] = row[base + d];
        __syncthreads();
        for (int j = 0; j < 64; j++)
            sum += ss[r][j] * vh[(base + j) * 64 + d];
        __syncthreads();
    }
    o[(head * n + i) * 64 + d] = sum;
}
}
