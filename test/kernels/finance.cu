// Option prices in closed form, and by a binomial tree.
// TEST closed: --kernel black_scholes --grid 2 --block 32 --arg 'f64[64]' --arg 'f32[64]'
// EXPECT arg 0: near 1e-12 4.5762879155810634e-10 1.0363296445979774e-08 1.4257063443317954e-07 1.3117276897746367e-06 8.6952340235301254e-06 4.4025690431835456e-05 0.00017832884859386982 0.00059967465685472308 sum 681.535608416189
// EXPECT arg 1: near 2e-05 4.57628792e-10 1.03632964e-08 1.42570634e-07 1.31172769e-06 8.69523402e-06 4.40256904e-05 0.000178328849 0.000599674657 sum 681.535608416189
// TEST tree: --kernel binomial --grid 4 --block 64 --arg 'f32[4]'
// EXPECT arg 0: near 0.0001 5.07755233 7.48350161 10.4194001 13.8346731 sum 36.8151271285391
template <typename real> __device__ real normal_cdf(real x) { return real(0.5) * erfc(-x * real(0.70710678118654752440)); }

template <typename real> __device__ real call_price(real s, real k, real t, real r, real v)
{
    real root = sqrt(t), d1 = (log(s / k) + (r + v * v / 2) * t) / (v * root), d2 = d1 - v * root;
    return s * normal_cdf(d1) - k * exp(-r * t) * normal_cdf(d2);
}

__global__ void black_scholes(double *d, float *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = call_price<double>(20.0 + i, 50.0, 0.25 + i / 64.0, 0.02, 0.3);
    f[i] = call_price<float>(20.0f + i, 50.0f, 0.25f + i / 64.0f, 0.02f, 0.3f);
}

__global__ void binomial(float *out)
{
    __shared__ float v[65];
    const int steps = 64, i = threadIdx.x;
    const float s = 90.0f + 5.0f * blockIdx.x, k = 100.0f, dt = 1.0f / steps, vol = 0.2f, r = 0.05f;
    const float up = expf(vol * sqrtf(dt)), down = 1.0f / up, grow = expf(r * dt), p = (grow - down) / (up - down);
    for (int j = i; j <= steps; j += blockDim.x)
        v[j] = fmaxf(s * powf(up, (float)(2 * j - steps)) - k, 0.0f);
    for (int n = steps; n > 0; n--) {
        __syncthreads();
        float next = i < n ? (p * v[i + 1] + (1.0f - p) * v[i]) / grow : 0.0f;
        __syncthreads();
        if (i < n)
            v[i] = next;
    }
    if (i == 0)
        out[blockIdx.x] = v[0];
}
