// Fourier transform of 512 points in shared memory, radix 2: two tones and noise go in, their spectrum comes out.
// tern run: --kernel spectrum --block 256 --arg f32[512]=rand:6 --arg f32[512]
// tern play: view=1 as=plot
#define N 512

__global__ void spectrum(const float *noise, float *power)
{
    __shared__ float2 x[N];
    int t = threadIdx.x;
    for (int i = t; i < N; i += N / 2) {
        float tones = sinpif(2.0f * 40 * i / N) + 0.5f * sinpif(2.0f * 100 * i / N);
        x[__brev(i) >> 23] = make_float2(tones + 0.5f * (noise[i] - 0.5f), 0);
    }
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        int k = t % half, i = t / half * 2 * half + k;
        float c, s;
        sincospif(-(float)k / half, &s, &c);
        float2 a = x[i], b = x[i + half];
        float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        x[i] = make_float2(a.x + w.x, a.y + w.y);
        x[i + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < N; i += N / 2)
        power[i] = sqrtf(x[i].x * x[i].x + x[i].y * x[i].y);
}
