// __frsqrt_rn is the nearest number, denormals and limits included.
#include <cmath>
#include <cstdio>

__global__ void roots(const float *x, float *out) { out[threadIdx.x] = __frsqrt_rn(x[threadIdx.x]); }

int main()
{
    const int n = 8;
    // 1 / sqrtf of the first is another number
    const float in[n] = {0x1.019566p+0f, 0x1p-149f, 0x1p127f, INFINITY, -0.0f, 2.0f, 0x1.fffffep127f, 0x1.8p-130f};
    float *x, *y, out[n];
    cudaMalloc(&x, sizeof in);
    cudaMalloc(&y, sizeof in);
    cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
    roots<<<1, n>>>(x, y);
    cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != (float)(1.0 / sqrt((double)in[i]));
    printf(wrong ? "%d wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
