// Functions of constants are constants, however often they are called, and so who calls them is small.
// RUN: tern compile %s --to ptx -arch sm_90 | grep -cE 'call|local'
#define HALF pow(0.5, 23.0)
#define TWICE pow(2.0, 23.0)
__device__ double next(double *x, const double *a)
{
    const double high = (int)(HALF * *a), low = *a - TWICE * high;
    const double top = (int)(HALF * *x), rest = *x - TWICE * top;
    const double sum = high * rest + low * top, z = sum - TWICE * (int)(HALF * sum);
    const double all = TWICE * z + low * rest;
    *x = all - TWICE * TWICE * (int)(HALF * HALF * all);
    return HALF * HALF * *x;
}

__global__ void numbers(double *out, double seed, double a)
{
    double s = seed + threadIdx.x;
    for (int k = 0; k < 100; k++)
        out[k] = next(&s, &a) + next(&s, &a);
}
