// Constant evaluation, recursion, function pointers, memory on the heap, conversions.
// TEST constants: --kernel constants --block 1 --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST recursion: --kernel recursion --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 81200 checksum 572769df7bcc6860
// TEST calls: --kernel calls --block 6 --arg 'i32[6]'
// EXPECT arg 0: sum 111 checksum d25364e80e3d0108
// TEST heap: --kernel heap --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 508 checksum 7cffe9b7e95b1345
// TEST promotion: --kernel promotion --block 1 --arg 'i32[14]'
// EXPECT arg 0: sum 14 checksum 8cf3bf134f778c95
// TEST floats: --kernel floats --block 1 --arg 'i32[12]'
// EXPECT arg 0: sum 12 checksum 9c5fa0bd7fa2b785
// TEST locals: --kernel locals --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 103344 checksum 9db015167e1e4dd9
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

constexpr int power(int b, int e)
{
    int r = 1;
    for (; e > 0; e--)
        r *= b;
    return r;
}
struct table {
    int v[8];
    constexpr table() : v()
    {
        for (int i = 0; i < 8; i++)
            v[i] = i * i - 1;
    }
};
__constant__ constexpr table squares;
constexpr int limits[] = {power(2, 4), power(3, 3)};
static_assert(power(2, 10) == 1024, "");

__global__ void constants(int *out)
{
    constexpr int n = power(3, 4);
    int a[n % 7 + 1];
    CHECK(n == 81 && sizeof a == 5 * sizeof(int));
    CHECK(squares.v[5] == 24);
#ifdef BY_NVCC // has no arrays of the host in device code
    CHECK(power(2, 4) + power(3, 3) == 43);
#else
    CHECK(limits[0] + limits[1] == 43);
#endif
    constexpr double half = 1.0 / 2;
    CHECK(half * 4 == 2.0);
    switch (27) {
    case power(3, 3): CHECK(true); break;
    default: CHECK(false);
    }
    enum { A = 1 << 4, B = A | 3 };
    CHECK(B == 19);
}

__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__device__ bool is_odd(int n);
__device__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }
__device__ int depth_sum(int n)
{
    int here[4] = {n, n + 1, n + 2, n + 3};
    if (n == 0)
        return 0;
    return depth_sum(n - 1) + here[n & 3];
}

__global__ void recursion(int *out)
{
    int t = threadIdx.x;
    out[t] = ackermann(2, t) * 1000 + is_even(t) * 100 + depth_sum(t * 3);
}

typedef int (*binary)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ binary operations[] = {add, sub, mul};

__global__ void calls(int *out)
{
    int t = threadIdx.x;
    binary f = operations[t % 3];
    if (t == 5)
        f = &add;
    out[t] = f(t + 10, 3) + (*f)(1, 2);
}

__global__ void heap(int *out)
{
    int t = threadIdx.x, n = t + 1, *a = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = i + t;
    int *b = new int[n](), s = 0;
    memcpy(b, a, n * sizeof *a);
    memset(a, 0xff, n * sizeof(int));
    for (int i = 0; i < n; i++)
        s += a[i] + b[i] * 2;
    free(a);
    delete[] b;
    double *d = new double(2.5);
    s += (int)(*d * 2);
    delete d;
    out[t] = s;
}

__global__ void promotion(int *out)
{
    unsigned char uc = 200;
    signed char sc = -100;
    unsigned short us = 65535;
    unsigned u = 1;
    long long ll = -1;
    CHECK(uc + uc == 400 && sizeof(uc + uc) == 4);
    CHECK((unsigned char)(uc + uc) == 144);
    CHECK(sc - 100 == -200);
    CHECK(us * 2 == 131070 && sizeof(us * us) == 4);
    CHECK(-1 > u);
    CHECK(ll < u);
    CHECK(~uc == -201 && !uc == 0 && -us == -65535);
    CHECK((uc << 8) == 51200);
    CHECK((sc >> 2) == -25 && (sc >> 31) == -1);
    CHECK(7 / -2 == -3 && 7 % -2 == 1 && -7 / 2 == -3 && -7 % 2 == -1);
    CHECK(0x80000000 == 2147483648u && sizeof(0x80000000) == 4 && sizeof(2147483648) == 8);
    CHECK('a' + 1 == 98 && sizeof('a') == 1);
    CHECK((true + true) == 2 && (5 > 3 > 1) == false);
    uc += 100;
    sc *= 2;
    CHECK(uc == 44 && sc == 56);
}

__global__ void floats(int *out)
{
    float f = 16777216.0f;
    double d = 0.1;
    CHECK(f + 1.0f == f && (double)f + 1.0 != f);
    CHECK((float)d != d && d + 0.2 != 0.3);
    CHECK((int)-2.7f == -2 && (unsigned)3.99 == 3);
    float nan = 0.0f / (f - f), inf = 1.0f / (f - f);
#ifdef BY_NVCC // folds the comparisons to false, as if 0 / 0 were a number
    CHECK(isnan(nan));
#else
    CHECK(nan != nan && !(nan < 1.0f) && !(nan >= 1.0f));
#endif
    CHECK(inf > 3.4e38f && -inf < 0 && inf == inf + 1);
    CHECK(1e-45f > 0.0f && 1e-45f / 2 == 0.0f);
    CHECK(isnan(nan) && isinf(inf) && signbit(-0.0f) && -0.0f == 0.0f);
    CHECK(fmaf(f, f, -1.0f) == 281474976710656.0f && __fmul_rn(3.0f, 4.0f) == 12.0f);
    CHECK(0x1.8p1 == 3.0 && 1.5e1f == 15.0f && .5 + 1. == 1.5);
    CHECK((long long)1e18 == 1000000000000000000ll && (float)0x7fffffff == 2147483648.0f);
    CHECK(sizeof(1.0f) == 4 && sizeof(1.0) == 8 && sizeof(1.0f * 1) == 4 && sizeof(1.0f * 1.0) == 8);
    CHECK(floorf(-1.5f) == -2 && ceil(1.2) == 2 && rintf(2.5f) == 2 && truncf(-1.7f) == -1 && roundf(2.5f) == 3);
}

__global__ void locals(int *out)
{
    int t = threadIdx.x, stack[16], top = 0, result = 0;
    struct frame {
        int lo, hi;
    } frames[8];
    frames[0] = frame{0, t + 2};
    int n = 1;
    while (n) {
        frame f = frames[--n];
        if (f.hi - f.lo <= 1) {
            stack[top++] = f.lo;
            continue;
        }
        int mid = (f.lo + f.hi) / 2;
        frames[n++] = {mid, f.hi};
        frames[n++] = {f.lo, mid};
    }
    while (top)
        result = result * 3 + stack[--top];
    out[t] = result;
}
