/* Sobol's sequences: direction numbers from Joe and Kuo's table, points of generators, on the
 * device or the host. Scrambled ones are the same sequences with their binary digits mixed (a
 * triangular matrix a dimension, and a word that all points are moved by), by random numbers of our
 * own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/rand/rand_int.h"
#include "device/rand/what.h"
#include "device/rand/point.h"

static const char table[] =
#include "lib/rand/sobol.def"
    ;

/* How many primitive polynomials there are of each degree; of the last one the table has fewer. */
static const unsigned short polynomials[] = {0, 1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630};

/* ---- direction numbers ---- */

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The next `count` bits of the table. */
static unsigned take(size_t *at, unsigned count)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < count; k++, ++*at) {
        const unsigned byte = digit(table[*at / 8 * 2]) << 4 | digit(table[*at / 8 * 2 + 1]);
        bits |= (byte >> *at % 8 & 1) << k;
    }
    return bits;
}

/* The first `bits` bits of the direction numbers of all dimensions, in words of that many bits,
 * each dimension's `stride` words after the last. */
static void fill(void *to, unsigned bits, unsigned dimensions, unsigned stride)
{
    size_t at = 0;
    unsigned degree = 0, left = 0;
    for (unsigned d = 0; d < dimensions; d++) {
        __tern_u64 v[64];
        __tern_u32 m[16] = {0}, a = 0;
        if (d) {
            while (!left)
                left = polynomials[++degree];
            left--;
            a = take(&at, degree - 1);
            for (unsigned i = 0; i < degree; i++)
                m[i] = take(&at, i) << 1 | 1;
        }
        __tern_sobol_directions(v, (int)bits, (int)degree, a, m);
        for (unsigned k = 0; k < bits; k++)
            if (bits == 32)
                ((__tern_u32 *)to)[(size_t)d * stride + k] = (__tern_u32)v[k];
            else
                ((__tern_u64 *)to)[(size_t)d * stride + k] = v[k];
    }
}

/* Random bits for dimension d: the key is ours, so that scrambling is the same each time. */
static __tern_u64 random_bits(unsigned d, unsigned k)
{
    const __tern_u32 counter[4] = {k, d, 0x736f626f, 0x6c};
    __tern_u32 out[4];
    __tern_philox_block(counter, 0x7465726e, 0x6a6b36, out);
    return (__tern_u64)out[0] << 32 | out[1];
}

static __tern_u64 scrambled(__tern_u64 v, unsigned bits, unsigned d)
{
    __tern_u64 to = 0;
    for (unsigned row = 0; row < bits; row++) { /* counted from the highest digit */
        const __tern_u64 above = row ? random_bits(d, row) >> (64 - row) << (bits - row) : 0;
        const __tern_u64 mask = above | 1ull << (bits - 1 - row);
        to |= (__tern_u64)(__builtin_popcountll(v & mask) & 1) << (bits - 1 - row);
    }
    return to;
}

static __tern_u64 moved_by(unsigned bits, unsigned d)
{
    return random_bits(d, 64) >> (64 - bits);
}

static void scramble(void *to, unsigned bits, unsigned dimensions, unsigned stride)
{
    for (unsigned d = 0; d < dimensions; d++)
        for (unsigned k = 0; k < bits; k++)
            if (bits == 32) {
                __tern_u32 *v = (__tern_u32 *)to + (size_t)d * stride + k;
                *v = (__tern_u32)scrambled(*v, bits, d);
            } else {
                __tern_u64 *v = (__tern_u64 *)to + (size_t)d * stride + k;
                *v = scrambled(*v, bits, d);
            }
}

/* cuRAND's tables have more dimensions than this one: whoever reads on meets pages that are not
 * there. */
void *rand_directions(unsigned bits, bool mixed)
{
    enum { WHOLE = 20000, PAGES = 65536 };
    const size_t row = (size_t)bits * (bits / 8), used = RAND_DIMENSIONS * row; /* whole pages */
    char *const all =
        mmap(NULL, WHOLE * row, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    if (used % PAGES || mprotect(all, used, PROT_READ | PROT_WRITE)) {
        munmap(all, WHOLE * row);
        return NULL;
    }
    fill(all, bits, RAND_DIMENSIONS, bits);
    if (mixed)
        scramble(all, bits, RAND_DIMENSIONS, bits);
    return all;
}

void *rand_constants(unsigned bits)
{
    char *const all = malloc((size_t)RAND_DIMENSIONS * (bits / 8));
    for (unsigned d = 0; all && d < RAND_DIMENSIONS; d++)
        if (bits == 32)
            ((__tern_u32 *)all)[d] = (__tern_u32)moved_by(bits, d);
        else
            ((__tern_u64 *)all)[d] = moved_by(bits, d);
    return all;
}

/* ---- generators ---- */

void rand_quasi_forget(struct rand_quasi *q)
{
    free(q->directions);
    cudaFree(q->there);
    q->directions = q->there = NULL;
}

static curandStatus_t prepare(struct rand_quasi *q)
{
    const unsigned stride = q->bits + 1, bytes = q->bits / 8;
    if (q->directions)
        return CURAND_STATUS_SUCCESS;
    q->directions = calloc((size_t)q->dimensions * stride, bytes);
    if (!q->directions)
        return CURAND_STATUS_ALLOCATION_FAILED;
    fill(q->directions, q->bits, q->dimensions, stride);
    if (!q->scrambled)
        return CURAND_STATUS_SUCCESS;
    scramble(q->directions, q->bits, q->dimensions, stride);
    for (unsigned d = 0; d < q->dimensions; d++)
        if (q->bits == 32)
            ((__tern_u32 *)q->directions)[(size_t)d * stride + 32] = (__tern_u32)moved_by(32, d);
        else
            ((__tern_u64 *)q->directions)[(size_t)d * stride + 64] = moved_by(64, d);
    return CURAND_STATUS_SUCCESS;
}

static void on_host(const struct rand_quasi *q, void *out, size_t points, enum rand_what what,
                    double a, double b)
{
    for (unsigned d = 0; d < q->dimensions; d++)
        for (size_t i = 0; i < points; i++)
            if (q->bits == 32) {
                const __tern_u32 *v = (const __tern_u32 *)q->directions + (size_t)d * 33;
                const __tern_u32 at = (__tern_u32)(q->at + i);
                __tern_u32 x = v[32];
                for (__tern_u32 gray = at ^ at >> 1; gray; gray &= gray - 1)
                    x ^= v[__builtin_ctz(gray)];
                __tern_sobol32_put(x, (int)what, out, d * points + i, a, b);
            } else {
                const __tern_u64 *v = (const __tern_u64 *)q->directions + (size_t)d * 65;
                const __tern_u64 at = q->at + i;
                __tern_u64 x = v[64];
                for (__tern_u64 gray = at ^ at >> 1; gray; gray &= gray - 1)
                    x ^= v[__builtin_ctzll(gray)];
                __tern_sobol64_put(x, (int)what, out, d * points + i, a, b);
            }
}

static curandStatus_t on_device(struct rand_quasi *q, cudaStream_t stream, void *out,
                                unsigned long long points, enum rand_what what, double a, double b)
{
    enum { THREADS = 256, EACH = 8 };
    const size_t bytes = (size_t)q->dimensions * (q->bits + 1) * (q->bits / 8);
    struct lib_device d;
    if (lib_device(&d))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    if (!q->there && (cudaMalloc(&q->there, bytes) != cudaSuccess ||
                      cudaMemcpy(q->there, q->directions, bytes, cudaMemcpyHostToDevice)))
        return CURAND_STATUS_ALLOCATION_FAILED;
    char name[80];
    snprintf(name, sizeof name, "sobol_points<%s, %d>",
             q->bits == 32 ? "unsigned" : "unsigned long long", (int)what);
    tern_dim grid = lib_blocks((int64_t)points, THREADS * EACH);
    grid.y = q->dimensions;
    const enum tern_error e = lib_run(&d, stream, "rand/quasi.h", name, grid, (tern_dim){THREADS},
                                      (void *[]){&q->there, &q->at, &points, &out, &a, &b});
    return !e                        ? CURAND_STATUS_SUCCESS
           : e == TERN_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                     : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t rand_quasi(struct rand_quasi *q, bool host, cudaStream_t stream, void *out, size_t n,
                          enum rand_what what, double a, double b)
{
    if (what == (q->bits == 32 ? RAND_LONGS : RAND_WORDS))
        return CURAND_STATUS_TYPE_ERROR;
    if (n % q->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    curandStatus_t status = prepare(q);
    const size_t points = n / q->dimensions;
    if (status != CURAND_STATUS_SUCCESS || !points)
        return status;
    if (host)
        on_host(q, out, points, what, a, b);
    else
        status = on_device(q, stream, out, points, what, a, b);
    if (status == CURAND_STATUS_SUCCESS)
        q->at += points;
    return status;
}
