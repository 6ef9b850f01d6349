// Shared memory that WebAssembly holds in locals, where its places are known, and where not all of them are; loops over gangs
// that go from those without masks to those with some and back.
// TEST scan: --kernel scan --grid 3 --block 256 --arg 'u32[768]=rand:1' --arg 'u32[768]'
// TEST scan-odd: --kernel scan --grid 3 --block 200 --arg 'u32[600]=rand:1' --arg 'u32[600]'
// TEST scan-one: --kernel scan --grid 5 --block 16 --arg 'u32[80]=rand:2' --arg 'u32[80]'
// TEST turn: --kernel turn --grid 2,3 --block 32,8 --arg 'f32[6144]=rand:3' --arg 'f32[6144]'
// TEST turn-short: --kernel turn_short --grid 2 --block 8,8 --arg 'f32[128]=rand:3' --arg 'f32[128]'
// TEST partners: --kernel partners --grid 2 --block 64 --arg 'u32[128]=rand:4' --arg 'u32[128]'
// TEST partners-odd: --kernel partners --grid 2 --block 40 --arg 'u32[80]=rand:4' --arg 'u32[80]'
// TEST some: --kernel some --grid 2 --block 48 --arg 'u32[96]=rand:5' --arg 'u32[96]'
// TEST bits: --kernel bits --grid 2 --block 64 --arg 'f32[128]=rand:6' --arg 'u32[128]'
// TEST looked-up: --kernel looked_up --grid 2 --block 64 --arg 'u32[128]=rand:7' --arg 'u32[128]'
// TEST first: --kernel first --grid 3 --block 96 --arg 'u32[288]=rand:8' --arg 'u32[288]'
// TEST between: --kernel between --grid 4 --block 16 --arg 'u32[68]=rand:8' --arg 'u32[64]'
// TEST between-more: --kernel between --grid 4 --block 64 --arg 'u32[260]=rand:8' --arg 'u32[256]'
// TEST gaps: --kernel gaps --grid 9 --block 64 --arg 'u32[600]=rand:9' --arg 'u32[600]' --arg i32:555
// TEST gaps-rows: --kernel gaps_rows --grid 3,2 --block 32,4 --arg 'u32[768]=rand:9' --arg 'u32[768]' --arg i32:90 --arg i32:7

__global__ void scan(const unsigned *a, unsigned *c)
{
    __shared__ unsigned s[2][256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, w = 0;
    s[0][t] = a[i];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - w][t] = t >= d ? s[w][t] + s[w][t - d] : s[w][t];
        w = 1 - w;
        __syncthreads();
    }
    c[i] = s[w][t];
}

__global__ void turn(const float *a, float *c)
{
    __shared__ float t[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    const float *from = a + 1024 * (blockIdx.y * gridDim.x + blockIdx.x);
    float *to = c + 1024 * (blockIdx.y * gridDim.x + blockIdx.x);
    for (int j = 0; j < 32; j += 8)
        t[y + j][x] = from[(y + j) * 32 + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        to[(y + j) * 32 + x] = t[x][y + j];
}

__global__ void turn_short(const float *a, float *c)
{
    __shared__ float t[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    t[y][x] = a[blockIdx.x * 64 + y * 8 + x];
    __syncthreads();
    c[blockIdx.x * 64 + y * 8 + x] = t[x][y];
}

__global__ void partners(const unsigned *a, unsigned *c) // backwards, crosswise, around
{
    __shared__ unsigned s[64], u[64];
    int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
    s[t] = a[i];
    u[n - 1 - t] = a[i] * 3;
    __syncthreads();
    c[i] = s[n - 1 - t] + 5 * s[t ^ 1] + 7 * s[(t + 5) % 8] + 11 * u[t];
}

__global__ void some(const unsigned *a, unsigned *c) // each side of a branch stores its part
{
    __shared__ unsigned s[48];
    int t = threadIdx.x, i = blockIdx.x * 48 + t;
    if (t < 21)
        s[t] = a[i] + 1;
    else
        s[t] = a[i] + 2;
    __syncthreads();
    unsigned v = t > 3 ? s[t - 3] : 9;
    __syncthreads();
    if (t % 3 == 0)
        s[t] = v * 2;
    __syncthreads();
    c[i] = s[t] + s[47 - t];
}

__global__ void bits(const float *a, unsigned *c) // stored as one type, read as another; one word for all
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = a[i];
    __syncthreads();
    c[i] = ((unsigned *)s)[63 - t] ^ ((unsigned *)s)[2] ^ (unsigned)(s[5] * 100.0f);
}

__global__ void looked_up(const unsigned *a, unsigned *c) // one array is not to be known
{
    __shared__ unsigned s[64], u[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = a[i];
    u[t] = a[i] + 1;
    __syncthreads();
    c[i] = s[a[i] % 64] + u[63 - t];
}

__global__ void first(const unsigned *a, unsigned *c) // some lanes write again what others read
{
    __shared__ unsigned s[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s[t] = a[i];
    __syncthreads();
    if (t == 0)
        s[40] = 77;
    if (t == 33)
        s[41] = a[i];
    __syncthreads();
    c[i] = s[t] + s[40] + s[(t + 1) % 96];
}

__global__ void between(unsigned *a, unsigned *c) // neighbours, before and after they change
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = blockDim.x;
    unsigned v = a[i] + 7 * a[t + 1 < n ? i + 1 : i];
    __syncthreads();
    a[i] = v * 3;
    __syncthreads();
    c[i] = v + a[t + 1 < n ? i + 1 : i] + 5 * a[i];
}

__global__ void gaps(const unsigned *a, unsigned *c, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i > 20 && i < n && i != 300)
        c[i] = a[i - 1] * 3 + a[i + 1];
}

__global__ void gaps_rows(const unsigned *a, unsigned *c, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x > 0 && y > 0 && x < w && y < h)
        c[y * 96 + x] = a[y * 96 + x - 1] + 2 * a[y * 96 + x + 1] + 3 * a[(y - 1) * 96 + x] + 5 * a[(y + 1) * 96 + x];
}
