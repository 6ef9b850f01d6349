/* Transforms over the integers modulo a prime: passes of small radices (device/fft/own.h),
 * Stockham's way between two areas. Roots are multiplied by 2^bits, so that a product with one
 * needs no division and numbers stay as they are. */
#include <stdio.h>
#include <stdlib.h>
#include "lib/fft/fft_int.h"
#include "cuda/tern_fft.h"

enum { THREADS = 128, PASSES = 64, LARGEST = 61 };

struct ternNtt {
    int bits;
    int64_t n, batch;
    uint64_t prime, root, inverse, square, scale; /* inverse: of the prime; square: 2^(2 bits) */
    int npasses, radices[PASSES];
    void *roots[2]; /* forwards and backwards, on the device */
};

__extension__ typedef unsigned __int128 wide_t;

static uint64_t times(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((wide_t)a * b % p);
}

static uint64_t power(uint64_t a, uint64_t e, uint64_t p)
{
    uint64_t r = 1;
    for (a %= p; e; e >>= 1, a = times(a, a, p))
        if (e & 1)
            r = times(r, a, p);
    return r;
}

/* Miller and Rabin's test with the bases that decide all numbers of 64 bits. */
static bool is_prime(uint64_t n)
{
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (n < 3 || n % 2 == 0)
        return false;
    uint64_t odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; odd /= 2)
        twos++;
    for (size_t k = 0; k < sizeof bases / sizeof *bases; k++) {
        if (bases[k] % n == 0)
            continue;
        uint64_t x = power(bases[k], odd, n);
        bool passed = x == 1 || x == n - 1;
        for (int i = 1; i < twos && !passed; i++) {
            x = times(x, x, n);
            passed = x == n - 1;
        }
        if (!passed)
            return false;
    }
    return true;
}

static bool has_order(uint64_t w, int64_t n, uint64_t p)
{
    if (!w || w >= p || power(w, (uint64_t)n, p) != 1)
        return false;
    for (int64_t left = n, q = 2; left > 1; q++) {
        if (left % q)
            continue;
        if (power(w, (uint64_t)(n / q), p) == 1)
            return false;
        while (left % q == 0)
            left /= q;
    }
    return true;
}

static uint64_t root_of(int64_t n, uint64_t p)
{
    for (uint64_t b = 2; b < p; b++) {
        const uint64_t w = power(b, (p - 1) / (uint64_t)n, p);
        if (has_order(w, n, p))
            return w;
    }
    return 1; /* p is 3 and n 1 */
}

/* Fours first: they need half as many passes as twos. */
static bool factor(struct ternNtt *t)
{
    int64_t left = t->n;
    while (left % 4 == 0) {
        t->radices[t->npasses++] = 4;
        left /= 4;
    }
    for (int q = 2; q <= LARGEST && left > 1; q++)
        while (left % q == 0) {
            t->radices[t->npasses++] = q;
            left /= q;
        }
    return left == 1;
}

static void put(void *table, int bits, int64_t i, uint64_t v)
{
    if (bits == 32)
        ((uint32_t *)table)[i] = (uint32_t)v;
    else
        ((uint64_t *)table)[i] = v;
}

static cudaError_t upload(struct ternNtt *t, int which, uint64_t w, uint64_t unit)
{
    const size_t bytes = (size_t)t->n * (size_t)t->bits / 8;
    void *table = malloc(bytes);
    if (!table)
        return cudaErrorMemoryAllocation;
    uint64_t v = unit;
    for (int64_t i = 0; i < t->n; i++, v = times(v, w, t->prime))
        put(table, t->bits, i, v);
    cudaError_t e = cudaMalloc(&t->roots[which], bytes);
    if (e == cudaSuccess)
        e = cudaMemcpy(t->roots[which], table, bytes, cudaMemcpyHostToDevice);
    free(table);
    return e;
}

static cufftResult prepare(struct ternNtt *t)
{
    const uint64_t p = t->prime;
    const uint64_t unit = (uint64_t)(((wide_t)1 << t->bits) % p);
    t->square = times(unit, unit, p);
    t->scale = times(power((uint64_t)t->n % p, p - 2, p), unit, p);
    t->inverse = p; /* each step doubles the bits that are right, 3 at first */
    for (int k = 0; k < 5; k++)
        t->inverse *= 2 - p * t->inverse;
    cudaError_t e = upload(t, 0, t->root, unit);
    if (e == cudaSuccess)
        e = upload(t, 1, power(t->root, p - 2, p), unit);
    return e == cudaSuccess                 ? CUFFT_SUCCESS
           : e == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED
                                            : CUFFT_INTERNAL_ERROR;
}

cufftResult ternNttCreate(ternNtt_t *plan, int bits, int64_t n, int64_t batch, uint64_t prime,
                          uint64_t root)
{
    if (!plan || (bits != 32 && bits != 64) || (bits == 32 && prime >> 32) || !is_prime(prime))
        return CUFFT_INVALID_VALUE;
    int64_t all;
    if (n < 1 || batch < 1 || __builtin_mul_overflow(n, batch, &all) || all > INT64_MAX / 64 ||
        (prime - 1) % (uint64_t)n)
        return CUFFT_INVALID_SIZE;
    struct ternNtt *t = calloc(1, sizeof *t);
    if (!t)
        return CUFFT_ALLOC_FAILED;
    t->bits = bits;
    t->n = n;
    t->batch = batch;
    t->prime = prime;
    t->root = root ? root : root_of(n, prime);
    cufftResult r = !factor(t)                      ? CUFFT_INVALID_SIZE
                    : !has_order(t->root, n, prime) ? CUFFT_INVALID_VALUE
                                                    : prepare(t);
    if (r == CUFFT_SUCCESS)
        *plan = t;
    else
        ternNttDestroy(t);
    return r;
}

cufftResult ternNttDestroy(ternNtt_t t)
{
    if (!t)
        return CUFFT_INVALID_PLAN;
    cudaFree(t->roots[0]);
    cudaFree(t->roots[1]);
    free(t);
    return CUFFT_SUCCESS;
}

uint64_t ternNttRoot(ternNtt_t t)
{
    return t ? t->root : 0;
}

/* Words among the arguments are given as 64 bits: the low half comes first where we run. */
static enum tern_error launch(const struct lib_device *d, cudaStream_t stream, const char *name,
                              int64_t n, void *const *args)
{
    return lib_run(d, stream, "fft/own.h", name, lib_blocks(n, THREADS), (tern_dim){.x = THREADS},
                   args);
}

static const char *word(const struct ternNtt *t)
{
    return t->bits == 32 ? "unsigned" : "unsigned long long";
}

static enum tern_error pass(const struct lib_device *d, const struct ternNtt *t,
                            cudaStream_t stream, int k, int which, int64_t m, int64_t s,
                            const void *x, void *y)
{
    char name[64];
    int radix = t->radices[k];
    const bool small = radix <= 5; /* a kernel of its own, with its numbers in registers */
    if (small)
        snprintf(name, sizeof name, "own_pass<%s, %d>", word(t), radix);
    else
        snprintf(name, sizeof name, "own_pass_any<%s>", word(t));
    int64_t n = t->n, batch = t->batch;
    uint64_t p = t->prime, inverse = t->inverse;
    uint64_t scale = which && k == t->npasses - 1 ? t->scale : 0;
    const void *roots = t->roots[which];
    int first = k == 0;
    return launch(
        d, stream, name, (small ? n / radix : n) * batch,
        (void *[]){&n, &batch, &m, &s, &p, &inverse, &roots, &first, &scale, &x, &y, &radix});
}

static enum tern_error passes(const struct lib_device *d, const struct ternNtt *t,
                              cudaStream_t stream, const void *x, void *y, int which, void **areas)
{
    int64_t m = t->n, s = 1;
    enum tern_error e = TERN_OK;
    for (int k = 0; k < t->npasses && !e; k++) {
        m /= t->radices[k];
        void *to = k == t->npasses - 1 ? y : areas[k % 2];
        e = pass(d, t, stream, k, which, m, s, k ? areas[(k + 1) % 2] : x, to);
        s *= t->radices[k];
    }
    return e;
}

static enum tern_error reduce(const struct lib_device *d, const struct ternNtt *t,
                              cudaStream_t stream, const void *x, void *y)
{
    char name[48];
    snprintf(name, sizeof name, "own_reduce<%s>", word(t));
    int64_t n = t->n * t->batch;
    uint64_t p = t->prime;
    return launch(d, stream, name, n, (void *[]){&n, &p, &x, &y});
}

static size_t area_bytes(const struct ternNtt *t)
{
    return ((size_t)(t->n * t->batch) * (size_t)t->bits / 8 + 255) / 256 * 256;
}

/* With room for two areas. Where one pass is all, x may not be y: it goes by way of an area. */
static enum tern_error execute(const struct lib_device *d, const struct ternNtt *t,
                               cudaStream_t stream, const void *x, void *y, int which, char *room)
{
    void *areas[2] = {room, room + area_bytes(t)};
    if (t->npasses == 0)
        return reduce(d, t, stream, x, y);
    if (t->npasses == 1 && x == y) {
        const enum tern_error e =
            lib_error(cudaMemcpyAsync(areas[0], x, (size_t)(t->n * t->batch) * (size_t)t->bits / 8,
                                      cudaMemcpyDeviceToDevice, stream));
        return e ? e : passes(d, t, stream, areas[0], y, which, areas);
    }
    return passes(d, t, stream, x, y, which, areas);
}

cufftResult ternNttExecute(ternNtt_t t, cudaStream_t stream, const void *x, void *y, int direction)
{
    if (!t)
        return CUFFT_INVALID_PLAN;
    if (!x || !y || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    struct lib_device d;
    void *room;
    enum tern_error e = lib_device(&d);
    if (!e)
        e = lib_scratch(stream, 2 * area_bytes(t), &room);
    if (e)
        return fft_result(e);
    e = execute(&d, t, stream, x, y, direction == CUFFT_INVERSE, room);
    lib_scratch_free(stream, room);
    return fft_result(e);
}

cufftResult ternNttMultiply(ternNtt_t t, cudaStream_t stream, const void *a, const void *b, void *c)
{
    if (!t)
        return CUFFT_INVALID_PLAN;
    if (!a || !b || !c)
        return CUFFT_INVALID_VALUE;
    struct lib_device d;
    void *room;
    enum tern_error e = lib_device(&d);
    const size_t area = area_bytes(t);
    if (!e)
        e = lib_scratch(stream, 4 * area, &room);
    if (e)
        return fft_result(e);
    void *fa = (char *)room + 2 * area, *fb = (char *)room + 3 * area;
    e = execute(&d, t, stream, a, fa, 0, room);
    if (!e)
        e = execute(&d, t, stream, b, fb, 0, room);
    if (!e) {
        char name[48];
        snprintf(name, sizeof name, "own_product<%s>", word(t));
        int64_t n = t->n * t->batch;
        uint64_t p = t->prime, inverse = t->inverse, square = t->square;
        e = launch(&d, stream, name, n, (void *[]){&n, &p, &inverse, &square, &fa, &fb, &fa});
    }
    if (!e)
        e = execute(&d, t, stream, fa, c, 1, room);
    lib_scratch_free(stream, room);
    return fft_result(e);
}
