// Work in several streams that wait for each other by events: chunks go in, through two kernels, and out.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorName(e_)); exit(1); } } while (0)

__global__ void scale(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
__global__ void running(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.25f * x[i > 0 ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i < n - 1 ? i + 1 : n - 1];
}
static void CUDART_CB told(void *what) { *(int *)what += 1; }

int main()
{
    const int chunks = 4, n = 1000;
    float *in, *out, *dx[chunks], *dy[chunks];
    cudaStream_t streams[chunks], last;
    cudaEvent_t start, done[chunks], end;
    int calls = 0;
    CHECK(cudaMallocHost(&in, sizeof(float) * n * chunks));
    CHECK(cudaHostAlloc(&out, sizeof(float) * n * chunks, cudaHostAllocDefault));
    for (int i = 0; i < n * chunks; i++)
        in[i] = (float)(i % 97);
    CHECK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    for (int c = 0; c < chunks; c++) {
        CHECK(cudaStreamCreate(&streams[c]));
        CHECK(cudaEventCreateWithFlags(&done[c], cudaEventDisableTiming));
        CHECK(cudaMalloc(&dx[c], sizeof(float) * n));
        CHECK(cudaMalloc(&dy[c], sizeof(float) * n));
        CHECK(cudaMemcpyAsync(dx[c], in + c * n, sizeof(float) * n, cudaMemcpyHostToDevice, streams[c]));
        scale<<<(n + 127) / 128, 128, 0, streams[c]>>>(dx[c], n, 1.0f + c);
        running<<<(n + 127) / 128, 128, 0, streams[c]>>>(dx[c], dy[c], n);
        CHECK(cudaLaunchHostFunc(streams[c], told, &calls));
        CHECK(cudaEventRecord(done[c], streams[c]));
        CHECK(cudaStreamWaitEvent(last, done[c], 0));
        CHECK(cudaMemcpyAsync(out + c * n, dy[c], sizeof(float) * n, cudaMemcpyDeviceToHost, last));
    }
    CHECK(cudaStreamSynchronize(last));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    int wrong = 0;
    for (int c = 0; c < chunks; c++)
        for (int i = 0; i < n; i++) {
            const float *x = in + c * n, k = 1.0f + c;
            float want = 0.25f * (x[i > 0 ? i - 1 : 0] * k) + 0.5f * (x[i] * k) + 0.25f * (x[i < n - 1 ? i + 1 : n - 1] * k);
            wrong += fabsf(out[c * n + i] - want) > 1e-3f;
        }
    printf("%d chunks, %d wrong, %d host functions, time %s, stream %s\n", chunks, wrong, calls, ms >= 0 ? "taken" : "missing", cudaStreamQuery(last) == cudaSuccess ? "idle" : "busy");
    printf("%.3f %.3f %.3f\n", out[0], out[1500], out[3999]);
    for (int c = 0; c < chunks; c++) {
        CHECK(cudaStreamDestroy(streams[c]));
        CHECK(cudaEventDestroy(done[c]));
        CHECK(cudaFree(dx[c]));
        CHECK(cudaFree(dy[c]));
    }
    CHECK(cudaStreamDestroy(last));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
