// One mistake for each word on the command line, and what is legal though it looks like one. `// NAME: KIND` says what is
// to be found (nothing: legal), and the line that is named ends in `// <- NAME`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>

#define N 256
static int *buffer(int n)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    return p;
}
static void done() { cudaDeviceSynchronize(); }

// ---- memory ----
// past_end: out-of-bounds
__global__ void past_end(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] = i; // <- past_end
}
// before_start: out-of-bounds
__global__ void before_start(int *x)
{
    x[(int)threadIdx.x - 1] = 1; // <- before_start
}
// null: out-of-bounds
__global__ void null(int *x)
{
    x[threadIdx.x] = 1; // <- null
}
// shared_end: out-of-bounds
__global__ void shared_end(int *x, int n)
{
    __shared__ int a[32], b[32];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncthreads();
    x[threadIdx.x] = a[threadIdx.x + n] + b[threadIdx.x]; // <- shared_end
}
// dynamic_end: out-of-bounds
__global__ void dynamic_end(int *x)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1; // <- dynamic_end
    x[threadIdx.x] = threadIdx.x;
}
// local_end: out-of-bounds
__global__ void local_end(int *x, int n)
{
    int a[8] = {};
    for (int i = 0; i <= n; i++)
        a[i] = x[i]; // <- local_end
    x[32 + threadIdx.x] = a[x[1]];
}
__device__ int table[16];
// variable_end: out-of-bounds
__global__ void variable_end(int *x)
{
    x[threadIdx.x] = table[threadIdx.x]; // <- variable_end
}
// misaligned: misaligned
__global__ void misaligned(char *x)
{
    *(int *)(x + 2) = 1; // <- misaligned
}
// after_free: use-after-free
__global__ void after_free(int *x)
{
    x[threadIdx.x] = 1; // <- after_free
}
// host_pointer: host-pointer
__global__ void host_pointer(int *x)
{
    x[threadIdx.x] = 1; // <- host_pointer
}

// ---- what is defined ----
// undefined_global: uninitialized
__global__ void undefined_global(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x] + 1; // <- undefined_global
}
// undefined_shared: uninitialized
__global__ void undefined_shared(int *x)
{
    __shared__ int s[64];
    if (threadIdx.x < 32)
        s[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] = s[threadIdx.x] + 1; // <- undefined_shared
}
// undefined_local: uninitialized
__global__ void undefined_local(int *x, const int *y, int n)
{
    int a[8];
    for (int i = 0; i < n; i++)
        a[i] = i;
    x[threadIdx.x] = a[(threadIdx.x + y[0]) % 8] * 2; // <- undefined_local
}
struct padded {
    char c;
    int i;
};
// padding:
__global__ void padding(padded *x, padded *y)
{
    x[threadIdx.x].c = 1;
    x[threadIdx.x].i = 2;
    y[threadIdx.x] = x[threadIdx.x];
}

// Attention that looks back only: the softmax leaves what lies above the diagonal as it was, the product reads all of it.
__global__ void causal_softmax(const float *scores, float *p, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float most = -1e30f, sum = 0;
    for (int k = 0; k <= row; k++)
        most = fmaxf(most, scores[row * n + k]);
    for (int k = 0; k <= row; k++)
        sum += expf(scores[row * n + k] - most);
    for (int k = 0; k <= row; k++)
        p[row * n + k] = expf(scores[row * n + k] - most) / sum;
}
__global__ void weigh(const float *p, const float *v, float *out, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; row < n && k < n; k++)
        s += p[row * n + k] * v[k]; // <- softmax_triangle
    if (row < n)
        out[row] = s;
}
// softmax_triangle: uninitialized
// softmax_cleared:
static void softmax(bool clear)
{
    const int n = 16;
    float *scores = (float *)buffer(n * n), *v = (float *)buffer(n), *out = (float *)buffer(n), *p;
    cudaMalloc(&p, n * n * sizeof *p);
    if (clear)
        cudaMemset(p, 0, n * n * sizeof *p);
    causal_softmax<<<1, 32>>>(scores, p, n);
    weigh<<<1, 32>>>(p, v, out, n);
    done();
    cudaFree(scores), cudaFree(v), cudaFree(out), cudaFree(p);
}
// ---- races ----
// race_shared: race-shared
__global__ void race_shared(int *x)
{
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = s[(threadIdx.x + 1) % N]; // <- race_shared
}
// Those who read last, after others far from each other: code looks at less there.
// race_last: race-shared
__global__ void race_last(int *x)
{
    __shared__ int s[1];
    const int t = threadIdx.x;
    if (t == 0)
        s[0] = 1;
    if (t >= 32 && t < 160)
        x[t] = s[0] + t;
    if (t >= 160)
        x[t] = s[0] * t; // <- race_last
}
// race_last_row: race-shared
__global__ void race_last_row(int *x)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 32)
        s[t] = 1;
    if (t >= 32 && t < 160)
        x[t] = s[t % 32] + t;
    if (t >= 160)
        x[t] = s[t % 32] * t; // <- race_last_row
}
// read_by_all:
__global__ void read_by_all(int *x)
{
    __shared__ int s[32], one;
    const int t = threadIdx.x;
    if (t < 32)
        s[t] = t;
    if (t == 0)
        one = 1;
    for (int k = 0; k < 4; k++) {
        __syncthreads();
        const int sum = s[t % 32] + one * s[31 - t % 32];
        x[t] += sum * s[k];
        __syncthreads();
        if (t / 32 == k)
            s[t % 32] = sum;
    }
}
// race_after_all: race-shared
__global__ void race_after_all(int *x)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 32)
        s[t] = t;
    __syncthreads();
    x[t] = s[t % 32] * t, t >= 224 ? s[t % 32] = t : t; // <- race_after_all
}
// undefined_last: uninitialized
__global__ void undefined_last(int *x)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t > 1000)
        s[t % 32] = 1;
    if (t < 160)
        x[t] = s[t % 32] + t;
    if (t >= 160)
        x[t] = s[t % 32] * t; // <- undefined_last
}
// undefined_moved: uninitialized
__global__ void undefined_moved(int *x)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t > 1000)
        s[t % 32] = 1;
    if (t < 160)
        x[t] = s[t % 32];
    if (t >= 160)
        x[t] = s[t % 32] * t; // <- undefined_moved
}
// no_race_shared:
__global__ void no_race_shared(int *x)
{
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = s[(threadIdx.x + 1) % N];
}
// What loops of known lengths read is looked at together: rows that all rows of a block read, and words that a row reads.
// no_race_rows:
__global__ void no_race_rows(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        sum += s[k][t] * s[u][k] + s[u][k];
    __syncthreads();
    if (u == 0)
        s[3][t] = sum;
    __syncthreads();
    x[u * 16 + t] = s[3][15 - t];
}
// race_rows: race-shared
__global__ void race_rows(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        sum += s[k][t] * k;
    x[u * 16 + t] = sum;
    if (u == 0 && t == 5)
        s[3][5] = sum; // <- race_rows
}
// race_words: race-shared
__global__ void race_words(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        sum += s[u][k] * k;
    x[u * 16 + t] = sum;
    if (u == 3 && t == 0)
        s[3][11] = sum; // <- race_words
}
// race_into_rows: race-shared
__global__ void race_into_rows(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    if (u == 0 && t == 5)
        s[9][6] = 1;
    for (int k = 0; k < 16; k++)
        sum += s[k][t] * k; // <- race_into_rows
    x[u * 16 + t] = sum;
}
// race_into_words: race-shared
__global__ void race_into_words(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    if (u == 0 && t == 5)
        s[9][6] = 1;
    for (int k = 0; k < 16; k++)
        sum += s[u][k] * k; // <- race_into_words
    x[u * 16 + t] = sum;
}
// undefined_rows: uninitialized
__global__ void undefined_rows(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    if (t != 7 || u != 9)
        s[u][t] = t;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        sum += s[k][t] * k; // <- undefined_rows
    x[u * 16 + t] = sum;
}
// rows_end: out-of-bounds
__global__ void rows_end(int *x)
{
    __shared__ int s[16][16];
    const int t = threadIdx.x, u = threadIdx.y;
    int sum = 0;
    s[u][t] = t;
    __syncthreads();
    for (int k = 1; k < 17; k++)
        sum += s[k][t] * k; // <- rows_end
    x[u * 16 + t] = sum;
}
// A read and the write to the same place.
// no_race_update:
__global__ void no_race_update(int *x)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    s[t] = x[t];
    for (int k = N / 2; k; k /= 2) {
        __syncthreads();
        if (t < k)
            s[t] += s[t + k];
    }
    x[t] += s[t] * 2;
}
// race_update: race-shared
__global__ void race_update(int *x)
{
    __shared__ int s[32];
    const int t = threadIdx.x, u = threadIdx.y;
    if (!u)
        s[t] = t;
    __syncthreads();
    s[t] += u; // <- race_update
    __syncthreads();
    x[u * 32 + t] = s[t];
}
// race_update_near: race-shared
__global__ void race_update_near(int *x)
{
    __shared__ int s[N + 1];
    const int t = threadIdx.x;
    s[t] = t;
    if (!t)
        s[N] = 0;
    __syncthreads();
    s[t] += s[t + 1]; // <- race_update_near
    __syncthreads();
    x[t] = s[t];
}
// One thread of many.
// no_race_one:
__global__ void no_race_one(int *x)
{
    __shared__ int s[N], all;
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t == 40) {
        all = 0;
        for (int k = 0; k < N; k++)
            all += s[k];
    }
    __syncthreads();
    x[t] = all;
    s[t] = t;
}
// race_one: race-shared
__global__ void race_one(int *x)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t == 40)
        s[7] = 1;
    x[t] = s[7] * t; // <- race_one
}
// race_one_reads: race-shared
__global__ void race_one_reads(int *x)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t == 40)
        x[0] = s[7] + s[200];
    if (t == 41)
        s[7] = 1; // <- race_one_reads
}
// race_blocks: race-global
__global__ void race_blocks(int *x)
{
    x[threadIdx.x] = blockIdx.x; // <- race_blocks
}
// race_sum: race-global
__global__ void race_sum(int *x)
{
    x[0] += threadIdx.x; // <- race_sum
}
// no_race_sum:
__global__ void no_race_sum(int *x)
{
    atomicAdd(x, threadIdx.x);
}
// mixed: race-global
__global__ void mixed(int *x)
{
    if (blockIdx.x)
        atomicAdd(x, 1);
    else if (!threadIdx.x)
        x[0] = 5;
    if (!blockIdx.x && threadIdx.x == 40)
        x[1] = x[0]; // <- mixed
}
// no_fence: race-global
__global__ void no_fence(int *x)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x[1] = 7;
        atomicExch(x, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!atomicAdd(x, 0))
            ;
        __threadfence();
        x[2] = x[1]; // <- no_fence
    }
}
// fenced:
__global__ void fenced(int *x)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x[1] = 7;
        __threadfence();
        atomicExch(x, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!atomicAdd(x, 0))
            ;
        __threadfence();
        x[2] = x[1];
    }
}
// narrow_fence: race-global
__global__ void narrow_fence(int *x)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x[1] = 7;
        __threadfence_block();
        atomicExch(x, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!atomicAdd(x, 0))
            ;
        __threadfence();
        x[2] = x[1]; // <- narrow_fence
    }
}
__device__ unsigned arrived;
// last_block:
__global__ void last_block(int *x, int *sums)
{
    __shared__ bool last;
    if (!threadIdx.x) {
        sums[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last)
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            atomicAdd(x, sums[b]);
}
__device__ int ended;
// meanwhile:
__global__ void meanwhile(int *x)
{
    __shared__ volatile int s;
    if (!blockIdx.x) { // others begin and end where they can, between its write and its read
        s = threadIdx.x;
        for (int k = 0; k < 100000 && atomicAdd(&ended, 0) < 8; k++) {}
        x[0] = s + 1;
    }
    atomicAdd(&ended, 1);
}
// race_warp: race-shared
__global__ void race_warp(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[31 - threadIdx.x]; // <- race_warp
}
// no_race_warp:
__global__ void no_race_warp(int *x)
{
    __shared__ int s[32];
    for (int k = 0; k < 4; k++) {
        s[threadIdx.x] = x[threadIdx.x];
        __syncwarp();
        x[threadIdx.x] = s[31 - threadIdx.x];
        __syncwarp();
    }
}
// warps_in_turn:
__global__ void warps_in_turn(int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    if (threadIdx.x < 16)
        x[64 + 16 * blockIdx.x + threadIdx.x] = s[threadIdx.x ^ 1];
}
// half_warp: race-shared
__global__ void half_warp(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    x[threadIdx.x] = s[31 - threadIdx.x]; // <- half_warp
}
// no_half_warp:
__global__ void no_half_warp(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    x[threadIdx.x] = s[threadIdx.x ^ 15];
}
// bytes:
__global__ void bytes(char *x)
{
    __shared__ char s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = s[N - 1 - threadIdx.x];
}
// parts: race-shared
__global__ void parts(char *x)
{
    __shared__ char s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    if (t >= 32 && t % 4 == 0)
        x[t] = s[t - 32]; // <- parts
}
// named_barrier:
__global__ void named_barrier(int *x)
{
    __shared__ int s[128];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[threadIdx.x] = s[63 - threadIdx.x];
    }
}
// is_volatile:
__global__ void is_volatile(volatile int *x)
{
    x[0] = x[1] + 1;
}

// ---- asynchronous copies ----
__device__ int *copied(int *s, const int *x)
{
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4); // <- async_past
    __pipeline_commit();
    return s;
}
// async_own: race-shared
__global__ void async_own(const int *x, int *y)
{
    __shared__ int s[64];
    copied(s, x);
    y[threadIdx.x] = s[threadIdx.x] + 1; // <- async_own
}
// async_barrier: race-shared
__global__ void async_barrier(const int *x, int *y)
{
    __shared__ int s[64];
    copied(s, x);
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x] + 1; // <- async_barrier
}
// async_wait: race-shared
__global__ void async_wait(const int *x, int *y)
{
    __shared__ int s[64];
    copied(s, x);
    __pipeline_wait_prior(0);
    y[threadIdx.x] = s[threadIdx.x ^ 1] + 1; // <- async_wait
}
// async_group: race-shared
__global__ void async_group(const int *x, int *y)
{
    __shared__ int s[2][64];
    copied(s[0], x);
    copied(s[1], x + 64);
    __pipeline_wait_prior(1);
    __syncthreads();
    y[threadIdx.x] = s[0][63 - threadIdx.x];
    y[threadIdx.x + 64] = s[1][63 - threadIdx.x]; // <- async_group
}
// async_stages:
// async_past: out-of-bounds
__global__ void async_stages(const int *x, int *y, int n)
{
    __shared__ int s[2][64];
    copied(s[0], x);
    for (int k = 0; k < n; k++) {
        if (k + 1 < n)
            copied(s[(k + 1) & 1], x + 64 * (k + 1));
        else
            __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        y[threadIdx.x] += s[k & 1][63 - threadIdx.x];
        __syncthreads();
    }
}

// ---- barriers and masks ----
// two_barriers: barrier
__global__ void two_barriers(int *x)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads(); // <- two_barriers
    x[threadIdx.x] = 1;
}
// left_early: barrier
__global__ void left_early(int *x, int n)
{
    if (threadIdx.x >= n)
        return;
    x[threadIdx.x] = 1;
    __syncthreads(); // <- left_early
    x[threadIdx.x] = 2;
}
// bad_mask: bad-mask
__global__ void bad_mask(int *x)
{
    x[threadIdx.x] = __shfl_xor_sync(x[threadIdx.x + 64] ? 1 : 0xffff, threadIdx.x, 1); // <- bad_mask
}
// fails: assert
__global__ void fails(int *x)
{
    if (x[0] == 0)
        __trap(); // <- fails
}
// heap_twice: double-free
__global__ void heap_twice()
{
    int *p = (int *)malloc(64);
    free(p);
    free(p);
}
// heap_again:
__global__ void heap_once() { free(malloc(65536)); }
// too_deep: overflow
__device__ int down(int n) { return n < 0 ? n : down(n + 1) + (n & 1); }
__global__ void too_deep(int *x)
{
    x[threadIdx.x] = down(x[0]);
}
// deadlock: hang
__global__ void deadlock(int *x)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    x[threadIdx.x] = 1;
}

static void launch_errors(const char *word)
{
    if (!strcmp(word, "refused")) // refused: unused-result
        no_race_sum<<<1, 5000>>>(buffer(N)); // <- refused
    if (!strcmp(word, "refused_read")) { // refused_read:
        no_race_sum<<<1, 5000>>>(buffer(N));
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    }
    if (!strcmp(word, "double_free")) { // double_free: double-free
        int *x = buffer(N);
        cudaFree(x);
        cudaFree(x); // <- double_free
    }
    if (!strcmp(word, "copy_past")) { // copy_past: copy-bounds
        static int h[N + 8];
        cudaMemcpy(buffer(N), h, sizeof h, cudaMemcpyHostToDevice); // <- copy_past
    }
    if (!strcmp(word, "symbol_past")) { // symbol_past: copy-bounds
        static int h[17];
        cudaMemcpyToSymbol(table, h, sizeof h); // <- symbol_past
    }
    if (!strcmp(word, "wrong_way")) { // wrong_way: host-pointer
        static int h[N];
        cudaMemcpy(h, buffer(N), sizeof h, cudaMemcpyHostToDevice); // <- wrong_way
    }
    if (!strcmp(word, "copy_freed")) { // copy_freed: use-after-free
        static int h[N];
        int *x = buffer(N);
        cudaFree(x);
        cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost); // <- copy_freed
    }
    if (!strcmp(word, "host_twice")) { // host_twice: double-free
        int *x;
        cudaMallocHost(&x, N);
        cudaFreeHost(x);
        cudaFreeHost(x); // <- host_twice
    }
    if (!strcmp(word, "event_gone")) { // event_gone: use-after-free
        cudaEvent_t e;
        cudaEventCreate(&e);
        cudaEventDestroy(e);
        cudaEventRecord(e); // <- event_gone
    }
    if (!strcmp(word, "queue_gone")) { // queue_gone: use-after-free
        cudaStream_t s;
        cudaStreamCreate(&s);
        cudaStreamDestroy(s);
        cudaStreamSynchronize(s); // <- queue_gone
    }
}

static void streams(const char *word)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    int *x = buffer(N);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    done();
    no_race_warp<<<1, 32, 0, a>>>(x);
    if (!strcmp(word, "ordered_streams")) { // ordered_streams:
        cudaEventRecord(e, a);
        cudaStreamWaitEvent(b, e, 0);
    }
    no_race_warp<<<1, 32, 0, b>>>(x); // unordered_streams: stream-race
    done();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(e);
}

// Blocks of two launches at once, each with shared memory of its own.
// beside_streams:
__global__ void sums_of_blocks(int *x)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int n = N / 2; n; n /= 2) {
        if (t < n)
            s[t] += s[t + n];
        __syncthreads();
    }
    if (t == 0)
        x[blockIdx.x] = s[0];
}
static void beside()
{
    enum { TIMES = 20, BLOCKS = 4 };
    cudaStream_t s[2];
    int *x[2] = {buffer(BLOCKS * N), buffer(BLOCKS * N)};
    for (cudaStream_t &one : s)
        cudaStreamCreate(&one);
    for (int k = 0; k < 2 * TIMES; k++)
        sums_of_blocks<<<BLOCKS, N, 0, s[k % 2]>>>(x[k % 2]);
    done();
    for (cudaStream_t &one : s)
        cudaStreamDestroy(one);
}

__global__ void counts(int *x)
{
    x[threadIdx.x] += 1; // <- pool_after
} // pool_race: stream-race
// pool_after: use-after-free
// pool_new: uninitialized
// pool_right:
static void pool(const char *word)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    int *x;
    auto is = [&](const char *name) { return !strcmp(word, name); };
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    for (int k = 0; k < 2; k++) {
        cudaMallocAsync(&x, N * 4, a);
        if (!is("pool_new") || !k)
            cudaMemsetAsync(x, 0, N * 4, a);
        if (is("pool_after") && k)
            cudaFreeAsync(x, a);
        counts<<<1, 32, 0, a>>>(x);
        cudaEventRecord(e, a);
        cudaStreamWaitEvent(b, e, 0);
        counts<<<1, 32, 0, b>>>(x);
        cudaEventRecord(e, b);
        if (!is("pool_race"))
            cudaStreamWaitEvent(a, e, 0);
        if (!is("pool_after") || !k)
            cudaFreeAsync(x, a);
    }
    done();
    cudaStreamDestroy(a), cudaStreamDestroy(b), cudaEventDestroy(e);
}

// node_race: stream-race
// node_order:
static void nodes(const char *word)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t n[4];
    int *x = buffer(N), *y = x + N / 2;
    void *first[] = {&x}, *second[] = {&y};
    cudaKernelNodeParams p = {};
    p.func = (void *)counts, p.gridDim = 1, p.blockDim = 32, p.kernelParams = first;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&n[0], graph, 0, 0, &p);
    cudaGraphAddKernelNode(&n[1], graph, &n[0], 1, &p);
    p.kernelParams = second;
    cudaGraphAddKernelNode(&n[2], graph, &n[0], 1, &p);
    p.kernelParams = first;
    cudaGraphAddKernelNode(&n[3], graph, &n[!strcmp(word, "node_race") ? 2 : 1], 1, &p);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int k = 0; k < 2; k++)
        cudaGraphLaunch(ready, 0);
    counts<<<1, 32>>>(x);
    done();
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
}

// ---- host code and what is in flight ----
__global__ void raises(int *x, volatile int *flag)
{
    x[0] = 7;
    __threadfence_system();
    *flag = 1;
}
__global__ void waits(int *x, volatile int *flag)
{
    while (!*flag) {}
    __threadfence_system();
    x[1] = x[0] + 1;
}

static void in_flight(const char *word)
{
    static volatile int sum, called;
    int *managed, *pinned, *x = buffer(N), room[N];
    cudaEvent_t e;
    cudaMallocManaged(&managed, N * 4);
    cudaMallocHost(&pinned, N * 4);
    cudaEventCreate(&e);
    memset(managed, 0, N * 4);
    memset(pinned, 0, N * 4);
    done();
    volatile int *flag = pinned + N / 2;
    auto is = [&](const char *name) { return !strcmp(word, name); };
    if (is("flight_kernel")) { // flight_kernel: stream-race
        counts<<<1, 64>>>(managed);
        sum = managed[3];
    } else if (is("flight_apart")) { // flight_apart:
        counts<<<1, 64>>>(managed);
        sum = managed[100] + pinned[3];
        managed[101] = 1;
    } else if (is("flight_waited")) { // flight_waited:
        counts<<<1, 64>>>(managed);
        done();
        sum = managed[3];
    } else if (is("flight_read")) { // flight_read: stream-race
        cudaMemcpyAsync(pinned, x, N * 4, cudaMemcpyDefault);
        sum = pinned[5]; // <- flight_read
    } else if (is("flight_write")) { // flight_write: stream-race
        cudaMemcpyAsync(x, pinned, N * 4, cudaMemcpyDefault);
        pinned[5] = 1; // <- flight_write
    } else if (is("flight_block")) { // flight_block: stream-race
        cudaMemcpyAsync(pinned, x, N * 4, cudaMemcpyDefault);
        memcpy(room, pinned, strlen(word) * 4); // <- flight_block
        sum = room[1];
    } else if (is("flight_both_read")) { // flight_both_read:
        cudaMemcpyAsync(x, pinned, N * 4, cudaMemcpyDefault);
        sum = pinned[5];
    } else if (is("flight_event")) { // flight_event:
        cudaMemcpyAsync(pinned, x, N * 4, cudaMemcpyDefault);
        cudaEventRecord(e);
        while (cudaEventQuery(e) == cudaErrorNotReady) {}
        sum = pinned[5];
    } else if (is("flight_called")) { // flight_called:
        cudaMemcpyAsync(pinned, x, N * 4, cudaMemcpyDefault);
        cudaLaunchHostFunc(0, [](void *p) { called = ((int *)p)[5] + 1; }, pinned);
        while (!called) {}
        sum = pinned[5];
    } else if (is("flight_flag")) { // flight_flag:
        raises<<<1, 1>>>(pinned, flag);
        while (!*flag) {}
        sum = pinned[0];
    } else if (is("flight_told")) { // flight_told:
        waits<<<1, 1>>>(pinned, flag);
        pinned[0] = 5;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        *flag = 1;
    }
    done();
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaEventDestroy(e);
}

int main(int, char **words)
{
    const char *word = words[1];
    int *x = buffer(N), *y = buffer(N), *raw;
    cudaMalloc(&raw, N * 4); // <- leak
#define CASE(name) else if (!strcmp(word, #name))
    if (!strcmp(word, "leak")) // leak: leak
        return 0;
    CASE(beside_streams) beside();
    CASE(past_end) past_end<<<2, 160>>>(x, N);
    CASE(before_start) before_start<<<1, 32>>>(x);
    CASE(null) null<<<1, 32>>>(nullptr);
    CASE(shared_end) shared_end<<<1, 32>>>(x, 4);
    CASE(dynamic_end) dynamic_end<<<1, 32, 64>>>(x);
    CASE(local_end) local_end<<<1, 32>>>(x, 8);
    CASE(variable_end) variable_end<<<1, 32>>>(x);
    CASE(misaligned) misaligned<<<1, 1>>>((char *)x);
    CASE(after_free) { cudaFree(y); after_free<<<1, 32>>>(y); done(); y = nullptr; }
    CASE(host_pointer) host_pointer<<<1, 32>>>((int *)calloc(N, 4));
    CASE(asks_first) { // asks_first:
        int all = 0;
        cudaDeviceGetAttribute(&all, cudaDevAttrPageableMemoryAccess, 0);
        if (all)
            host_pointer<<<1, 32>>>((int *)calloc(N, 4));
    }
    CASE(undefined_global) undefined_global<<<1, 32>>>((float *)raw, (float *)x);
    CASE(undefined_shared) undefined_shared<<<1, 64>>>(x);
    CASE(undefined_local) undefined_local<<<1, 32>>>(x, y, 4);
    CASE(softmax_triangle) softmax(false);
    CASE(softmax_cleared) softmax(true);
    CASE(padding) padding<<<1, 16>>>((padded *)raw, (padded *)raw + 16);
    CASE(race_shared) race_shared<<<1, N>>>(x);
    CASE(race_last) race_last<<<1, N>>>(x);
    CASE(race_last_row) race_last_row<<<1, N>>>(x);
    CASE(read_by_all) read_by_all<<<1, N / 2>>>(x);
    CASE(race_after_all) race_after_all<<<1, N>>>(x);
    CASE(undefined_last) undefined_last<<<1, N>>>(x);
    CASE(undefined_moved) undefined_moved<<<1, N>>>(x);
    CASE(no_race_shared) no_race_shared<<<1, N>>>(x);
    CASE(no_race_rows) no_race_rows<<<1, dim3(16, 16)>>>(x);
    CASE(race_rows) race_rows<<<1, dim3(16, 16)>>>(x);
    CASE(race_words) race_words<<<1, dim3(16, 16)>>>(x);
    CASE(race_into_rows) race_into_rows<<<1, dim3(16, 16)>>>(x);
    CASE(race_into_words) race_into_words<<<1, dim3(16, 16)>>>(x);
    CASE(undefined_rows) undefined_rows<<<1, dim3(16, 16)>>>(x);
    CASE(rows_end) rows_end<<<1, dim3(16, 16)>>>(x);
    CASE(no_race_update) no_race_update<<<1, N>>>(x);
    CASE(race_update) race_update<<<1, dim3(32, 8)>>>(x);
    CASE(race_update_near) race_update_near<<<1, N>>>(x);
    CASE(no_race_one) no_race_one<<<1, N>>>(x);
    CASE(race_one) race_one<<<1, N>>>(x);
    CASE(race_one_reads) race_one_reads<<<1, N>>>(x);
    CASE(race_blocks) race_blocks<<<2, 32>>>(x);
    CASE(race_sum) race_sum<<<1, 32>>>(x);
    CASE(no_race_sum) no_race_sum<<<4, 64>>>(x);
    CASE(mixed) mixed<<<2, 64>>>(x);
    CASE(no_fence) no_fence<<<2, 32>>>(x);
    CASE(fenced) fenced<<<2, 32>>>(x);
    CASE(narrow_fence) narrow_fence<<<2, 32>>>(x);
    CASE(last_block) last_block<<<8, 64>>>(x, y);
    CASE(meanwhile) meanwhile<<<16, 1>>>(x);
    CASE(race_warp) race_warp<<<1, 32>>>(x);
    CASE(no_race_warp) no_race_warp<<<1, 32>>>(x);
    CASE(warps_in_turn) warps_in_turn<<<2, 64>>>(x);
    CASE(half_warp) half_warp<<<1, 32>>>(x);
    CASE(no_half_warp) no_half_warp<<<1, 32>>>(x);
    CASE(bytes) bytes<<<1, N>>>((char *)x);
    CASE(parts) parts<<<1, 64>>>((char *)x);
    CASE(named_barrier) named_barrier<<<1, 128>>>(x);
    CASE(is_volatile) is_volatile<<<2, 32>>>(x);
    CASE(async_own) async_own<<<1, 64>>>(x, y);
    CASE(async_barrier) async_barrier<<<1, 64>>>(x, y);
    CASE(async_wait) async_wait<<<1, 64>>>(x, y);
    CASE(async_group) async_group<<<1, 64>>>(x, y);
    CASE(async_stages) async_stages<<<1, 64>>>(x, y, 3);
    CASE(async_past) async_stages<<<1, 64>>>(x + 1, y, 4);
    CASE(two_barriers) two_barriers<<<1, 64>>>(x);
    CASE(left_early) left_early<<<1, 64>>>(x, 40);
    CASE(bad_mask) bad_mask<<<1, 32>>>(x);
    CASE(fails) fails<<<1, 1>>>(x);
    CASE(heap_twice) heap_twice<<<1, 1>>>();
    CASE(heap_again) { // what the kernel had may be the host's now
        heap_once<<<1, 1>>>();
        done();
        for (int k = 0; k < 8; k++)
            cudaMemcpy(malloc(65536), x, N * 4, cudaMemcpyDeviceToHost);
    }
    CASE(too_deep) too_deep<<<1, 1>>>(x);
    CASE(deadlock) deadlock<<<1, 64>>>(x);
    else if (strstr(word, "streams")) streams(word);
    else if (strstr(word, "flight")) in_flight(word);
    else if (strstr(word, "pool")) pool(word);
    else if (strstr(word, "node")) nodes(word);
    else launch_errors(word);
    done();
    cudaDeviceReset();
}
