// Random numbers: the streams are cuRAND's, the distributions have the right moments.
// TEST streams: --kernel streams --block 3 --arg 'u32[24]'
// EXPECT arg 0: sum 38740691826 checksum 9dee053d19e7364b
// TEST uniform: --kernel moments --grid 4 --block 64 --arg 'f32[6]'
// EXPECT arg 0: near 0.05 0.5 0.333333333 0 1 0.5 4 sum 6.33333333333333
// TEST sobol: --kernel sobol --block 1 --arg 'u32[8]'
// EXPECT arg 0: sum 15032385536 checksum 4d397cc6ae83b5a5
#include <curand_kernel.h>

__global__ void streams(unsigned *out)
{
    unsigned *to = out + threadIdx.x * 8;
    if (threadIdx.x == 0) {
        curandState s;
        curand_init(1234, 0, 0, &s);
        for (int i = 0; i < 8; i++)
            to[i] = curand(&s);
    } else if (threadIdx.x == 1) {
        curandStatePhilox4_32_10_t s;
        curand_init(0, 0, 0, &s);
        uint4 v = curand4(&s);
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
        for (int i = 4; i < 8; i++)
            to[i] = curand(&s);
    } else {
        curandStatePhilox4_32_10_t a, b;
        curand_init(77, 3, 0, &a);
        curand_init(77, 3, 5, &b);
        skipahead(5, &a);
        for (int i = 0; i < 8; i++)
            to[i] = curand(&a) == curand(&b);
    }
}

// sums over 256 threads of 32 numbers each, scaled to the mean
__global__ void moments(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState x;
    curandStatePhilox4_32_10_t p;
    curand_init(42, t, 0, &x);
    curand_init(42, t, 0, &p);
    const float each = 1.0f / (256 * 32);
    for (int i = 0; i < 32; i++) {
        float u = curand_uniform(&x), n = curand_normal(&p);
        atomicAdd(&out[0], u * each);
        atomicAdd(&out[1], u * u * each);
        atomicAdd(&out[2], n * each);
        atomicAdd(&out[3], n * n * each);
        atomicAdd(&out[4], (float)curand_uniform_double(&p) * each);
        atomicAdd(&out[5], curand_poisson(&x, 4.0) * each);
    }
}

__global__ void sobol(unsigned *out)
{
    unsigned directions[32];
    for (int i = 0; i < 32; i++)
        directions[i] = 1u << (31 - i);
    curandStateSobol32_t s;
    curand_init(directions, 0u, &s);
    for (int i = 0; i < 8; i++)
        out[i] = curand(&s);
}
