// What test/math/calls compiles: a kernel for each function in each format.
#define BOTH(name)                                                                                 \
    __global__ void name##_32(float *x)                                                            \
    {                                                                                              \
        x[threadIdx.x] = name##f(x[threadIdx.x]);                                                  \
    }                                                                                              \
    __global__ void name##_64(double *x)                                                           \
    {                                                                                              \
        x[threadIdx.x] = name(x[threadIdx.x]);                                                     \
    }
BOTH(exp)
BOTH(log)
BOTH(sin)
BOTH(cos)
BOTH(tanh)
BOTH(erf)
BOTH(sqrt)
BOTH(cbrt)
__global__ void pow_32(float *x)
{
    x[threadIdx.x] = powf(x[threadIdx.x], x[threadIdx.x + 64]);
}
__global__ void pow_64(double *x)
{
    x[threadIdx.x] = pow(x[threadIdx.x], x[threadIdx.x + 64]);
}
