/* Cosine and sine transforms, and convolution, on transforms of cuFFT's. All eight kinds are the
 * sum of x[j] trig(pi (j + alpha) (k + beta) / m): x times a turn, a complex transform of 2 m,
 * times another turn. */
#include <stdio.h>
#include "lib/fft/fft_int.h"
#include "cuda/tern_fft.h"

enum { THREADS = 128 };

/* alpha and beta doubled; what m is above n; which of the ends counts half. */
static const struct real_kind {
    int alpha2, beta2, more;
    bool half_first, half_last, sine;
} kinds[] = {
    [TERN_DCT1] = {0, 0, -1, true, true, false}, [TERN_DCT2] = {1, 0, 0, false, false, false},
    [TERN_DCT3] = {0, 1, 0, true, false, false}, [TERN_DCT4] = {1, 1, 0, false, false, false},
    [TERN_DST1] = {2, 2, 1, false, false, true}, [TERN_DST2] = {1, 2, 0, false, false, true},
    [TERN_DST3] = {2, 1, 0, false, true, true},  [TERN_DST4] = {1, 1, 0, false, false, true},
};

static enum tern_error run(const struct lib_device *d, cudaStream_t stream, const char *what,
                           bool wide, int64_t n, void *const *args)
{
    char name[64];
    snprintf(name, sizeof name, "%s<%s>", what, wide ? "double" : "float");
    return lib_run(d, stream, "fft/own.h", name, lib_blocks(n, THREADS), (tern_dim){.x = THREADS},
                   args);
}

/* A plan for lines without gaps, in a stream. */
static cufftResult plan_of(cufftHandle *plan, cudaStream_t stream, int64_t n, cufftType type,
                           int64_t batch)
{
    long long length = n;
    size_t work;
    cufftResult r = cufftCreate(plan);
    if (r != CUFFT_SUCCESS)
        return r;
    r = cufftMakePlanMany64(*plan, 1, &length, NULL, 1, n, NULL, 1, n, type, batch, &work);
    if (r == CUFFT_SUCCESS)
        r = cufftSetStream(*plan, stream);
    if (r != CUFFT_SUCCESS)
        cufftDestroy(*plan);
    return r;
}

static cufftResult transform(cufftHandle plan, bool wide, void *z)
{
    return wide ? cufftExecZ2Z(plan, z, z, CUFFT_FORWARD) : cufftExecC2C(plan, z, z, CUFFT_FORWARD);
}

cufftResult ternRealTransform(cudaStream_t stream, cudaDataType type, ternRealKind_t kind,
                              int64_t n, int64_t batch, const void *x, void *y)
{
    if ((int)kind < 0 || kind > TERN_DST4 || !x || !y)
        return CUFFT_INVALID_VALUE;
    if (type != CUDA_R_32F && type != CUDA_R_64F)
        return CUFFT_INVALID_TYPE;
    const struct real_kind *k = &kinds[kind];
    const bool wide = type == CUDA_R_64F;
    int64_t m = n + k->more, all;
    if (n < 1 || m < 1 || batch < 1 || m > INT32_MAX ||
        __builtin_mul_overflow(2 * m, batch, &all) || all > INT64_MAX / 64)
        return CUFFT_INVALID_SIZE;
    struct lib_device d;
    cufftHandle plan;
    void *z;
    enum tern_error e = lib_device(&d);
    if (!e)
        e = lib_scratch(stream, (size_t)all * (wide ? 16 : 8), &z);
    if (e)
        return fft_result(e);
    int alpha2 = k->alpha2, beta2 = k->beta2, first = k->half_first, last = k->half_last,
        sine = k->sine;
    e = run(&d, stream, "own_real_before", wide, all,
            (void *[]){&n, &batch, &m, &beta2, &first, &last, &x, &z});
    cufftResult r =
        e ? fft_result(e) : plan_of(&plan, stream, 2 * m, wide ? CUFFT_Z2Z : CUFFT_C2C, batch);
    if (r == CUFFT_SUCCESS) {
        r = transform(plan, wide, z);
        if (r == CUFFT_SUCCESS)
            r = fft_result(run(&d, stream, "own_real_after", wide, n * batch,
                               (void *[]){&n, &batch, &m, &alpha2, &beta2, &sine, &z, &y}));
        /* The plan's tables and work area go with it. */
        if (cudaStreamSynchronize(stream) != cudaSuccess && r == CUFFT_SUCCESS)
            r = CUFFT_EXEC_FAILED;
        cufftDestroy(plan);
    }
    lib_scratch_free(stream, z);
    return r;
}

/* ---- convolution ---- */

/* The next length without large primes: 2^a 3^b 5^c, even, so that reals are taken by pairs. */
static int64_t good_length(int64_t n)
{
    for (n += n % 2;; n += 2) {
        int64_t left = n;
        for (int p = 2; p <= 5; p += p == 2 ? 1 : 2)
            while (left % p == 0)
                left /= p;
        if (left == 1)
            return n;
    }
}

struct convolution {
    struct lib_device d;
    cudaStream_t stream;
    bool wide, real;
    int64_t na, nb, batch, m;
    char *x, *fa, *fb; /* padded numbers; spectra. Complex ones are padded in fa and fb */
};

static enum tern_error lines(const struct convolution *c, const char *what, int64_t n, int64_t m,
                             int64_t all, const void *from, void *to)
{
    char name[64];
    const char *scalar = c->wide ? "double" : "float";
    snprintf(name, sizeof name, c->real ? "%s<%s>" : "%s<own_complex<%s>>", what, scalar);
    int64_t batch = c->batch;
    return lib_run(&c->d, c->stream, "fft/own.h", name, lib_blocks(all, THREADS),
                   (tern_dim){.x = THREADS}, (void *[]){&n, &m, &batch, &from, &to});
}

static cufftResult spectrum(const struct convolution *c, cufftHandle plan, int64_t n, const void *x,
                            void *f)
{
    const enum tern_error e = lines(c, "own_pad", n, c->m, c->m * c->batch, x, c->real ? c->x : f);
    if (e)
        return fft_result(e);
    if (!c->real)
        return transform(plan, c->wide, f);
    return c->wide ? cufftExecD2Z(plan, (void *)c->x, f) : cufftExecR2C(plan, (void *)c->x, f);
}

static cufftResult back(const struct convolution *c, cufftHandle plan)
{
    void *f = c->fa;
    if (c->real)
        return c->wide ? cufftExecZ2D(plan, f, (void *)c->x) : cufftExecC2R(plan, f, (void *)c->x);
    return c->wide ? cufftExecZ2Z(plan, f, f, CUFFT_INVERSE)
                   : cufftExecC2C(plan, f, f, CUFFT_INVERSE);
}

static cufftResult convolve(const struct convolution *c, cufftHandle there, cufftHandle home,
                            const void *a, const void *b, void *out)
{
    cufftResult r = spectrum(c, there, c->na, a, c->fa);
    if (r == CUFFT_SUCCESS)
        r = spectrum(c, there, c->nb, b, c->fb);
    if (r != CUFFT_SUCCESS)
        return r;
    int64_t n = (c->real ? c->m / 2 + 1 : c->m) * c->batch;
    double scale = 1.0 / (double)c->m;
    float narrow = (float)scale;
    void *fa = c->fa, *fb = c->fb;
    enum tern_error e = run(&c->d, c->stream, "own_multiply", c->wide, n,
                            (void *[]){&n, c->wide ? (void *)&scale : (void *)&narrow, &fa, &fb});
    r = e ? fft_result(e) : back(c, home);
    const int64_t len = c->na + c->nb - 1;
    if (r == CUFFT_SUCCESS)
        r = fft_result(lines(c, "own_cut", len, c->m, len * c->batch, c->real ? c->x : c->fa, out));
    return r;
}

static cufftResult with_plans(const struct convolution *c, const void *a, const void *b, void *out)
{
    cufftHandle there, home;
    const cufftType types[2][2] = {{CUFFT_C2C, CUFFT_Z2Z}, {CUFFT_R2C, CUFFT_D2Z}};
    cufftResult r = plan_of(&there, c->stream, c->m, types[c->real][c->wide], c->batch);
    if (r != CUFFT_SUCCESS)
        return r;
    home = there;
    if (c->real)
        r = plan_of(&home, c->stream, c->m, c->wide ? CUFFT_Z2D : CUFFT_C2R, c->batch);
    const bool both = r == CUFFT_SUCCESS && c->real;
    if (r == CUFFT_SUCCESS)
        r = convolve(c, there, home, a, b, out);
    if (cudaStreamSynchronize(c->stream) != cudaSuccess && r == CUFFT_SUCCESS)
        r = CUFFT_EXEC_FAILED;
    cufftDestroy(there);
    if (both)
        cufftDestroy(home);
    return r;
}

cufftResult ternConvolve(cudaStream_t stream, cudaDataType type, int64_t na, int64_t nb,
                         int64_t batch, const void *a, const void *b, void *out)
{
    struct convolution c = {.stream = stream, .na = na, .nb = nb, .batch = batch};
    c.wide = type == CUDA_R_64F || type == CUDA_C_64F;
    c.real = type == CUDA_R_64F || type == CUDA_R_32F;
    if (!c.wide && !c.real && type != CUDA_C_32F)
        return CUFFT_INVALID_TYPE;
    if (!a || !b || !out)
        return CUFFT_INVALID_VALUE;
    int64_t all;
    if (na < 1 || nb < 1 || batch < 1 || na > INT32_MAX || nb > INT32_MAX)
        return CUFFT_INVALID_SIZE;
    c.m = good_length(na + nb - 1);
    if (__builtin_mul_overflow(c.m + 2, batch, &all) || all > INT64_MAX / 128)
        return CUFFT_INVALID_SIZE;
    const size_t part = (size_t)all * (c.wide ? 16 : 8) + 256;
    void *scratch;
    enum tern_error e = lib_device(&c.d);
    if (!e)
        e = lib_scratch(stream, 3 * part, &scratch);
    if (e)
        return fft_result(e);
    c.fa = scratch;
    c.fb = c.fa + part / 256 * 256;
    c.x = c.fb + part / 256 * 256;
    const cufftResult r = with_plans(&c, a, b, out);
    lib_scratch_free(stream, scratch);
    return r;
}
