// Measures a one-argument float function on every float, on a device, against our own double function, whose
// error (doc/accuracy.md) is far below what is asked here.
//
// usage: terncc -DNAME=erfcx tool/math/every.cu -o every && TERN_DEVICES=cpu ./every [first last]
//   first, last: of 1024 pieces of 2^22 floats, those from first to before last (all)
// Prints a row of a Markdown table, as accuracy -d does. Exit status 1 beyond the bound of ulp.def.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define GLUE(a, b)  a##b
#define FLOAT(name) GLUE(name, f)
#define TEXT(name)  #name
#define WORDS(name) TEXT(name)

struct bound {
    const char *name, *cuda;
    double ulp, beyond; // beyond: an absolute bound from |x| = 8 on, or 0
};
static const struct bound bounds[] = {
#define ULP_F1(n, b, c, lo, hi) {#n, c, b, 0},
#define ULP_FA(n, b, a, c)      {#n, c, b, a},
#define ULP_D1(n, b, c, lo, hi)
#define ULP_DA(n, b, a, c)
#define ULP_F2(n, b, c, lo, hi)
#define ULP_D2(n, b, c, lo, hi)
#include "../../device/libm/ulp.def"
};

// |got - want| in units in the last place of want, as a float
__device__ float ulps(float got, double want)
{
    int e = __double2hiint(want) >> 20 & 0x7ff;
    double unit = __hiloint2double((2069 - (e < 897 ? 897 : e > 1150 ? 1150 : e)) << 20, 0); // its inverse
    if (got != got || want != want)
        return got != got && want != want ? 0 : INFINITY;
    if (fabs(want) >= 0x1.ffffffp+127 && isinf(got)) // rounds to infinity
        return got > 0 == want > 0 ? 0 : INFINITY;
    return (float)(fabs((isinf(got) ? copysign(0x1p128, got) : got) - want) * unit);
}
struct worst {
    float ulp, beyond;
    unsigned at, beyond_at;
};
__global__ void measure(unsigned from, unsigned each, bool absolute, bool lgamma_gap, worst *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    worst w = {0, 0, 0, 0};
    for (unsigned k = 0; k < each; k++) {
        unsigned u = from + k * gridDim.x * blockDim.x + i;
        float x = __uint_as_float(u), got = FLOAT(NAME)(x);
        double want = NAME((double)x);
        bool far = absolute && fabsf(x) >= 8, gap = lgamma_gap && x > -10.001f && x < -2.264f;
        float e = gap ? 0 : far ? (got != got && want != want ? 0 : (float)fabs(got - want)) : ulps(got, want);
        if (far && !(e <= w.beyond))
            w.beyond = e, w.beyond_at = u;
        if (!far && e > w.ulp)
            w.ulp = e, w.at = u;
    }
    out[i] = w;
}
static float as_float(unsigned u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

int main(int argc, char **argv)
{
    const unsigned blocks = 64, threads = 256, n = blocks * threads;
    unsigned first = argc > 2 ? atoi(argv[1]) : 0, last = argc > 2 ? atoi(argv[2]) : 1024;
    const bound *b = bounds;
    worst *part, w = {0, 0, 0, 0};
    while (strcmp(b->name, WORDS(NAME)) != 0)
        b++;
    if (cudaMallocManaged(&part, n * sizeof *part) != cudaSuccess)
        return fprintf(stderr, "no memory\n"), 2;
    for (unsigned piece = first; piece < last; piece++) {
        measure<<<blocks, threads>>>(piece << 22, (1u << 22) / n, b->beyond != 0, strcmp(b->name, "lgamma") == 0, part);
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess)
            return fprintf(stderr, "%s\n", cudaGetErrorString(e)), 2;
        for (unsigned i = 0; i < n; i++) {
            if (part[i].ulp > w.ulp)
                w.ulp = part[i].ulp, w.at = part[i].at;
            if (!(part[i].beyond <= w.beyond))
                w.beyond = part[i].beyond, w.beyond_at = part[i].beyond_at;
        }
    }
    printf("| `%sf` | %s%llu | %.4f", b->name, last - first == 1024 ? "all " : "", (last - first) * (1ull << 22), w.ulp);
    if (b->beyond != 0)
        printf("; beyond 8: %.2g absolute at %a", w.beyond, as_float(w.beyond_at));
    printf(" | %g | %s | %a |\n", b->ulp, b->cuda, as_float(w.at));
    return w.ulp > b->ulp || !(w.beyond <= b->beyond);
}
