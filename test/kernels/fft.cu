// A radix-2 transform of 256 points in shared memory: forward, then back again.
// TEST round_trip: --kernel round_trip --block 128 --arg 'f32[512]=rand:61' --arg 'f32[512]'
// EXPECT arg 1: near 1e-05 0.255859196 0.0428791046 0.127243161 0.0416984558 0.370887697 0.444356978 0.573730707 0.214998305 sum 248.352550685406
// TEST spectrum: --kernel spectrum --block 128 --arg 'f32[512]=rand:61' --arg 'f32[512]'
// EXPECT arg 1: near 0.0001 127.437781 120.91477 6.51113818 2.09388886 -2.21143852 0.652759555 -9.98248227 -1.38404064 sum 76.4770050049008
struct complex {
    float re, im;
    __device__ complex(float r = 0, float i = 0) : re(r), im(i) {}
    __device__ complex operator+(const complex &o) const { return complex(re + o.re, im + o.im); }
    __device__ complex operator-(const complex &o) const { return {re - o.re, im - o.im}; }
    __device__ complex operator*(const complex &o) const { return complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    __device__ complex &operator*=(float s)
    {
        re *= s;
        im *= s;
        return *this;
    }
};

__device__ void transform(complex *x, float sign)
{
    const unsigned t = threadIdx.x, n = 256;
    complex lo = x[__brev(t) >> 24], hi = x[__brev(t + 128) >> 24];
    __syncthreads();
    x[t] = lo;
    x[t + 128] = hi;
    for (unsigned half = 1; half < n; half *= 2) {
        __syncthreads();
        unsigned k = t % half, i = (t / half) * 2 * half + k;
        complex w;
        sincospif(sign * (float)k / (float)half, &w.im, &w.re);
        complex a = x[i], b = w * x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
    }
    __syncthreads();
}

__global__ void spectrum(const float2 *in, float2 *out)
{
    __shared__ float2 memory[256];
    complex *x = reinterpret_cast<complex *>(memory);
    for (int i = threadIdx.x; i < 256; i += 128)
        memory[i] = in[i];
    __syncthreads();
    transform(x, -1.0f);
    for (int i = threadIdx.x; i < 256; i += 128)
        out[i] = memory[i];
}

__global__ void round_trip(const float2 *in, float2 *out)
{
    __shared__ float2 memory[256];
    complex *x = reinterpret_cast<complex *>(memory);
    for (int i = threadIdx.x; i < 256; i += 128)
        memory[i] = in[i];
    __syncthreads();
    transform(x, -1.0f);
    transform(x, 1.0f);
    for (int i = threadIdx.x; i < 256; i += 128) {
        x[i] *= 1.0f / 256.0f;
        out[i] = make_float2(x[i].re, x[i].im);
    }
}
