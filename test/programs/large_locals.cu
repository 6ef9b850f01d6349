// Local memory: 32 KB of it for each of 256 threads, which is more than a thread of the system has on its stack.
// NOT ON: vulkan: drivers keep local memory in registers as far as they can, and take long to find out that they cannot
#include "check.h"

__global__ void shuffle(const unsigned char *in, int n, int *out)
{
    unsigned char state[32768];
    __shared__ int first;
    memset(state, 0, sizeof state);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int at = (in[i] * 131 + threadIdx.x * 77) & 32767;
        sum += state[at];
        state[at] = (unsigned char)(state[(at + 1) & 32767] + in[i]);
    }
    if (threadIdx.x == 0)
        first = sum;
    __syncthreads();
    out[threadIdx.x] = sum + first + state[threadIdx.x];
}

int main()
{
    const int n = 200;
    unsigned char h[n], *in;
    int *out, got[256], first = 0;
    for (int i = 0; i < n; i++)
        h[i] = (unsigned char)(i * 7 % 50);
    CUDA(cudaMalloc(&in, n));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(in, h, n, cudaMemcpyHostToDevice));
    shuffle<<<1, 256>>>(in, n, out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 256; t++) {
        static unsigned char state[32768];
        memset(state, 0, sizeof state);
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int at = (h[i] * 131 + t * 77) & 32767;
            sum += state[at];
            state[at] = (unsigned char)(state[(at + 1) & 32767] + h[i]);
        }
        if (t == 0)
            first = sum;
        CHECK(got[t] == sum + first + state[t]);
    }
    puts("ok");
}
