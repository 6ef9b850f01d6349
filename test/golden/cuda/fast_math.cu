// -use_fast_math: float's functions become the quick ones, division and square root approximate; what is asked for by
// name stays exact, and so does double. On the CPU there is no call of the C library.
// RUN: tern compile %s --to ptx --use_fast_math | grep -E 'approx|div|sqrt'
// RUN: tern compile %s --to c --use_fast_math | grep -cE '_(sin|cos|exp2|log2)f? *\(' || true
extern "C" __global__ void k(float *x, double *d)
{
    int i = threadIdx.x;
#ifdef __USE_FAST_MATH__
    x[i] = sinf(x[i]) / logf(x[i + 1]) + sqrtf(x[i + 2]) + exp(x[i + 3]);
#else
    x[i] = 0;
#endif
    x[i] += __fdiv_rn(x[i], 3.0f) + __fsqrt_rn(x[i]);
    d[i] = sqrt(d[i]) / 3.0;
}
