// Much arithmetic in double between things of other kinds: barriers, local arrays, atomics, printf and assert.
// TEST shares: --kernel shares --grid 2 --block 64 --arg 'f64[128]=rand:1' --arg 'f64[128]'
// EXPECT arg 1: near 1e-13 -0.84151988690891355 -0.94755220118873307 -0.17244876127616357 -0.48414860505184221 -0.48381767963503575 -0.92359818667713522 -0.60472666453970148 -0.73342768925625101 sum -40.7723938116317
// TEST ends: --kernel ends --grid 8 --block 128 --arg 'u64[2048]'
// EXPECT arg 0: sum 14762322366001603106 checksum 2385eff58a1a61e9
// TEST mixture: --kernel mixture --grid 3 --block 32 --arg 'f64[90]' --arg 'i32[1]' --arg i32:90
// EXPECT arg 0: near 1e-12 2.0707963267948966 3.3783600161902063 4.3407065168504246 3.9114138605529654 4.4781553047450924 1.9230007029200111 2.3046780890356189 1.7030852554936919 sum 135.826781364242
// EXPECT arg 1: sum 72 checksum 4ba5d8d7dceb1cbd
// EXPECT stdout: 7 of 90
__global__ void shares(const double *x, double *y)
{
    __shared__ double s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    double e = exp(x[i]) + pow(x[i] + 1, 1.5) + log(1 + x[i]);
    s[t] = e;
    for (int d = 32; d; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    __syncthreads();
    y[i] = e / s[0] + sin(e);
}

// Quotients and roots of all magnitudes and of fractions that are hard to round.
__global__ void ends(unsigned long long *bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long v[2], s = i * 0x9e3779b97f4a7c15ull + 1;
    for (int k = 0; k < 2; k++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        unsigned long long fraction = s >> 12;
        if ((i >> 2 * k & 3) == 0)
            fraction |= 0xfffffffffffffull << (i & 1 ? 0 : 20);
        if ((i >> 2 * k & 3) == 1)
            fraction = i >> 4;
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        unsigned exponent = i & 64 ? s % 2048 : 1000 + s % 50;
        v[k] = (s >> 40 & 1) << 63 | (unsigned long long)exponent << 52 | (fraction & 0xfffffffffffffull);
    }
    double a = __longlong_as_double(v[0]), b = __longlong_as_double(v[1]);
    bits[2 * i] = __double_as_longlong(a / b);
    bits[2 * i + 1] = __double_as_longlong(sqrt(fabs(a)));
    if (isnan(a) || isnan(b) || isnan(a / b))
        bits[2 * i] = 1, bits[2 * i + 1] = 2;
}

__global__ void mixture(double *out, int *positive, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double table[4] = {sin(0.5 * i), cos(0.25 * i), exp(-0.125 * i), log(i + 1.0)}, sum = 0;
    for (int k = 0; k < 4; k++) {
        double v = table[(i * i + k) & 3];
        switch ((i + k) % 4) {
        case 0: sum += pow(fabs(v), 1.5); break;
        case 1: sum -= sqrt(fabs(v)); /* fall through */
        case 2: sum += 0.75 * table[k]; break;
        default:
            if (i % 5 == 0)
                continue;
            sum *= 1.25;
        }
        sum += atan(v);
    }
    assert(sum == sum);
    if (sum > 0.01)
        atomicAdd(positive, 1);
    if (i == 7)
        printf("%d of %d\n", i, n);
    out[i] = sum;
}
