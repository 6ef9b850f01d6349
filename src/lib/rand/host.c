/* cuRAND's host API: generators that fill memory, on the generators of device/rand.
 *
 * cuRAND's generators are many sequences side by side, each of which gives a number in turn, or
 * four in a row, and its documentation says which; so the numbers here are cuRAND's own. They are
 * made by kernels, threads for each sequence (device/rand/generate.h); for generators of the host,
 * and those that are one sequence, on the host, and copied in the order of the stream. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/rand/rand_int.h"
#include "device/rand/what.h"
#include "cuda/cuda_runtime.h"
#include "cuda/curand.h"

enum { CHUNK = 1 << 16 /* numbers on their way to the device */ };

struct kind {
    curandRngType_t type;
    unsigned sequences, legacy; /* side by side; so many in the ordering of old */
    unsigned row;               /* so many numbers in a row are of one of them */
    size_t size;                /* of the state of one */
    const char *state;          /* in kernels; NULL: made on the host */
    unsigned least_turns;       /* that are worth skipping to; 0: none */
    unsigned unit_threads;      /* that a unit of a GPU should have then */
};

struct curandGenerator_st {
    const struct kind *kind;
    bool on_host;
    cudaStream_t stream;
    unsigned long long seed, offset;
    unsigned sequences;
    void *states;            /* one for each sequence; NULL before the first number */
    void *device_memory;     /* where kernels make numbers: room for two of them */
    void *device_states;     /* the one of the two that holds the states */
    bool ragged;             /* a sequence may have given a part of a block (Poisson numbers) */
    bool stay;               /* a graph has been told where they are */
    unsigned long long next; /* which sequence is next, in rows */
    struct rand_quasi quasi;
};

static const struct kind kinds[] = {
    {CURAND_RNG_PSEUDO_XORWOW, 4096, 4096, 1, sizeof(struct __tern_xorwow), "__tern_xorwow", 1024,
     768},
    {CURAND_RNG_PSEUDO_MRG32K3A, 81920, 4096, 1, sizeof(struct __tern_mrg), "__tern_mrg", 0, 0},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 65536, 4, sizeof(struct __tern_philox),
     "__tern_philox", 8, 8192},
    {CURAND_RNG_PSEUDO_MT19937, 1, 1, 1, sizeof(struct __tern_mt), NULL, 0, 0},
    {CURAND_RNG_PSEUDO_MTGP32, RAND_MTGP_SETS, RAND_MTGP_SETS, RAND_MTGP_ROW,
     sizeof(struct rand_mtgp), NULL, 0, 0},
    {CURAND_RNG_QUASI_SOBOL32, 0, 0, 1, 0, NULL, 0, 0},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, 0, 0, 1, 0, NULL, 0, 0},
    {CURAND_RNG_QUASI_SOBOL64, 0, 0, 1, 0, NULL, 0, 0},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, 0, 0, 1, 0, NULL, 0, 0},
};

/* ---- numbers of one sequence ---- */

static unsigned word(struct curandGenerator_st *g, size_t s)
{
    switch (g->kind->type) {
    case CURAND_RNG_PSEUDO_XORWOW: return __tern_xorwow_next((struct __tern_xorwow *)g->states + s);
    case CURAND_RNG_PSEUDO_MRG32K3A: return __tern_mrg_next((struct __tern_mrg *)g->states + s);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return __tern_philox_next((struct __tern_philox *)g->states + s);
    case CURAND_RNG_PSEUDO_MTGP32: return rand_mtgp_next((struct rand_mtgp *)g->states + s);
    default: return __tern_mt_next((struct __tern_mt *)g->states + s);
    }
}

static double uniform(struct curandGenerator_st *g, size_t s)
{
    if (g->kind->type == CURAND_RNG_PSEUDO_MRG32K3A)
        return __tern_rand_mrg_uniform((struct __tern_mrg *)g->states + s);
    unsigned low = word(g, s), high = word(g, s);
    return __tern_rand_uniform(low, high);
}

static unsigned poisson(struct curandGenerator_st *g, size_t s, double mean)
{
    switch (g->kind->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return __tern_xorwow_poisson((struct __tern_xorwow *)g->states + s, mean);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return __tern_mrg_poisson((struct __tern_mrg *)g->states + s, mean);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return __tern_philox_poisson((struct __tern_philox *)g->states + s, mean);
    case CURAND_RNG_PSEUDO_MTGP32:
        return rand_mtgp_poisson((struct rand_mtgp *)g->states + s, mean);
    default: return __tern_mt_poisson((struct __tern_mt *)g->states + s, mean);
    }
}

/* ---- states ---- */

static void start_xorwow(struct curandGenerator_st *g, unsigned long long turns)
{
    struct __tern_xorwow *s = g->states;
    __tern_xorwow_init(s, g->seed, 0, turns);
    for (unsigned k = 1; k < g->sequences; k++) {
        s[k] = s[k - 1];
        __tern_xorwow_skip_sequence(s + k, 1);
    }
}

static void start_mrg(struct curandGenerator_st *g, unsigned long long turns)
{
    static const __tern_u32 jump[2][9] = {__TERN_MRG_SUBSEQUENCE};
    struct __tern_mrg *s = g->states;
    __tern_mrg_init(s, g->seed, 0, turns);
    for (unsigned k = 1; k < g->sequences; k++) {
        s[k] = s[k - 1];
        __tern_mrg_apply(jump[0], s[k].s1, __TERN_MRG_M1);
        __tern_mrg_apply(jump[1], s[k].s2, __TERN_MRG_M2);
    }
}

static curandStatus_t prepare(struct curandGenerator_st *g)
{
    if (g->states)
        return CURAND_STATUS_SUCCESS;
    g->states = calloc(g->sequences, g->kind->size);
    if (!g->states)
        return CURAND_STATUS_ALLOCATION_FAILED;
    const unsigned row = g->kind->row;
    const unsigned long long rows = g->offset / row;
    const unsigned long long turns = rows / g->sequences;
    const unsigned ahead = (unsigned)(rows % g->sequences); /* so many have had another turn */
    switch (g->kind->type) {
    case CURAND_RNG_PSEUDO_XORWOW: start_xorwow(g, turns); break;
    case CURAND_RNG_PSEUDO_MRG32K3A: start_mrg(g, turns); break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        for (unsigned k = 0; k < g->sequences; k++)
            __tern_philox_init((struct __tern_philox *)g->states + k, g->seed, k, turns * row);
        break;
    case CURAND_RNG_PSEUDO_MTGP32:
        for (unsigned k = 0; k < g->sequences; k++) {
            rand_mtgp_start((struct rand_mtgp *)g->states + k, k, g->seed);
            for (unsigned long long i = 0; i < turns * row; i++)
                word(g, k);
        }
        break;
    default:
        __tern_mt_init(g->states, (__tern_u32)(g->seed ^ g->seed >> 32));
        for (unsigned long long k = 0; k < turns; k++)
            word(g, 0);
    }
    for (unsigned k = 0; k < ahead; k++)
        for (unsigned i = 0; i < row; i++)
            word(g, k);
    for (unsigned i = 0; i < g->offset % row; i++)
        word(g, ahead);
    g->next = (unsigned long long)ahead * row + g->offset % row;
    return CURAND_STATUS_SUCCESS;
}

static void forget(struct curandGenerator_st *g)
{
    free(g->states);
    cudaFree(g->device_memory);
    g->states = g->device_memory = g->device_states = NULL;
    g->ragged = false;
    rand_quasi_forget(&g->quasi);
}

/* The sequence whose turn it is, for `numbers` numbers that are made together. */
static size_t turn(struct curandGenerator_st *g, unsigned numbers)
{
    const unsigned row = g->kind->row;
    const size_t s = (size_t)(g->next / row % g->sequences);
    g->next = (g->next + (row > 1 ? numbers : 1)) % ((unsigned long long)g->sequences * row);
    return s;
}

/* ---- what is made of them ---- */

typedef void fill(struct curandGenerator_st *g, void *out, size_t n, double a, double b);
static fill words, uniforms, uniform_doubles, normals, normal_doubles, log_normals,
    log_normal_doubles, poissons;

/* How numbers are made, by enum rand_what: on the host; so many together; of so many bytes. */
static const struct made {
    fill *make;
    unsigned at_once;
    size_t size;
} makers[] = {
    [RAND_WORDS] = {words, 1, sizeof(unsigned)},
    [RAND_UNIFORM] = {uniforms, 1, sizeof(float)},
    [RAND_UNIFORM_DOUBLE] = {uniform_doubles, 1, sizeof(double)},
    [RAND_NORMAL] = {normals, 2, sizeof(float)},
    [RAND_NORMAL_DOUBLE] = {normal_doubles, 2, sizeof(double)},
    [RAND_LOG_NORMAL] = {log_normals, 2, sizeof(float)},
    [RAND_LOG_NORMAL_DOUBLE] = {log_normal_doubles, 2, sizeof(double)},
    [RAND_POISSON] = {poissons, 1, sizeof(unsigned)},
};

static void words(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    (void)a, (void)b;
    for (size_t i = 0; i < n; i++)
        ((unsigned *)out)[i] = word(g, turn(g, 1));
}

static void uniforms(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    (void)a, (void)b;
    for (size_t i = 0; i < n; i++) {
        const size_t s = turn(g, 1);
        ((float *)out)[i] = g->kind->type == CURAND_RNG_PSEUDO_MRG32K3A
                                ? __tern_rand_mrg_uniformf((struct __tern_mrg *)g->states + s)
                                : __tern_rand_uniformf(word(g, s));
    }
}

static void uniform_doubles(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    (void)a, (void)b;
    for (size_t i = 0; i < n; i++)
        ((double *)out)[i] = uniform(g, turn(g, 1));
}

static void normals(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    float *to = out, mean = (float)a, deviation = (float)b;
    for (size_t i = 0; i + 1 < n; i += 2) {
        const size_t s = turn(g, 2);
        const unsigned x = word(g, s), y = word(g, s);
        const struct __tern_pairf pair = __tern_rand_normal2f(x, y);
        to[i] = mean + deviation * pair.x;
        to[i + 1] = mean + deviation * pair.y;
    }
}

static void normal_doubles(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    double *to = out;
    for (size_t i = 0; i + 1 < n; i += 2) {
        const size_t s = turn(g, 2);
        const double x = uniform(g, s), y = uniform(g, s);
        const struct __tern_pair pair = __tern_rand_normal2_of(x, y);
        to[i] = a + b * pair.x;
        to[i + 1] = a + b * pair.y;
    }
}

static void log_normals(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    normals(g, out, n, a, b);
    for (size_t i = 0; i < n; i++)
        ((float *)out)[i] = __tern_expf(((float *)out)[i]);
}

static void log_normal_doubles(struct curandGenerator_st *g, void *out, size_t n, double a,
                               double b)
{
    normal_doubles(g, out, n, a, b);
    for (size_t i = 0; i < n; i++)
        ((double *)out)[i] = __tern_exp(((double *)out)[i]);
}

static void poissons(struct curandGenerator_st *g, void *out, size_t n, double a, double b)
{
    (void)b;
    for (size_t i = 0; i < n; i++)
        ((unsigned *)out)[i] = poisson(g, turn(g, 1), a);
}

/* ---- on the device ---- */

enum { THREADS = 64 };

/* How many threads share a sequence, and the turns of each: a power of two, so that skipping them
 * is cheap; not so few that it costs as much as they do. */
static unsigned parts_of(const struct curandGenerator_st *g, const struct lib_device *d,
                         enum rand_what what, unsigned long long numbers, unsigned long long *turns)
{
    const unsigned row = g->kind->row;
    const unsigned long long rows = (numbers + row - 1) / row / g->sequences + 1,
                             wanted = (unsigned long long)d->threads * g->kind->unit_threads /
                                      g->sequences;
    *turns = rows + 1;
    if (d->host_path || !g->kind->least_turns || what == RAND_POISSON || g->next % row ||
        wanted < 2)
        return 1;
    unsigned long long each = g->kind->least_turns;
    while (each * wanted < rows)
        each *= 2;
    if (rows <= each)
        return 1;
    *turns = each;
    return (unsigned)((rows + each - 1) / each);
}

static curandStatus_t upload(struct curandGenerator_st *g)
{
    const size_t bytes = g->sequences * g->kind->size;
    if (g->device_states)
        return CURAND_STATUS_SUCCESS;
    if (cudaMalloc(&g->device_memory, 2 * bytes) != cudaSuccess) {
        g->device_memory = NULL;
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    g->device_states = g->device_memory;
    g->stay = false;
    return cudaMemcpy(g->device_states, g->states, bytes, cudaMemcpyHostToDevice) == cudaSuccess
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_INITIALIZATION_FAILED;
}

/* May rows be written as they are made (philox_rows)? */
static bool whole_blocks(const struct curandGenerator_st *g, const void *out, size_t n,
                         enum rand_what what)
{
    return g->kind->type == CURAND_RNG_PSEUDO_PHILOX4_32_10 && !g->ragged && g->next % 4 == 0 &&
           n % 4 == 0 && (uintptr_t)out % 16 == 0 && n / g->sequences < UINT32_MAX &&
           (what == RAND_WORDS || what == RAND_UNIFORM || what == RAND_NORMAL ||
            what == RAND_LOG_NORMAL);
}

static curandStatus_t on_device(struct curandGenerator_st *g, void *out, size_t n,
                                enum rand_what what, double a, double b, bool captured)
{
    const unsigned row = g->kind->row, at_once = makers[what].at_once;
    const unsigned long long all = (unsigned long long)g->sequences * row,
                             ahead = n / at_once * (row > 1 ? at_once : 1);
    struct lib_device d;
    if (lib_device(&d))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    const curandStatus_t status = upload(g);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    char name[100];
    if (whole_blocks(g, out, n, what))
        snprintf(name, sizeof name, "philox_rows<%d>", (int)what);
    else
        snprintf(name, sizeof name, "rand_generate<%s, %u, %d>", g->kind->state, row, (int)what);
    g->ragged = g->ragged || what == RAND_POISSON;
    unsigned long long next = g->next, items = n / at_once;
    unsigned sequences = g->sequences;
    struct philox_call call = {g->device_states,    sequences, 0, next, items, out,
                               what == RAND_UNIFORM};
    const bool philox = d.host_path && g->kind->type == CURAND_RNG_PSEUDO_PHILOX4_32_10 &&
                        (what == RAND_WORDS || what == RAND_UNIFORM);
    unsigned long long turns;
    unsigned parts = parts_of(g, &d, what, ahead, &turns);
    g->stay = g->stay || captured;
    if (g->stay)
        parts = 1;
    const size_t bytes = sequences * g->kind->size;
    void *after = g->device_states;
    if (parts > 1) /* the other of the two */
        after = g->device_states == g->device_memory ? (char *)g->device_memory + bytes
                                                     : g->device_memory;
    const enum tern_error e =
        philox
            ? rand_philox(&d, g->stream, &call)
            : lib_run(&d, g->stream, "rand/generate.h", name,
                      (tern_dim){(sequences * parts + THREADS - 1) / THREADS}, (tern_dim){THREADS},
                      (void *[]){&g->device_states, &after, &sequences, &parts, &turns, &next, &out,
                                 &items, &a, &b});
    if (!e)
        g->device_states = after;
    if (e)
        return e == TERN_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                       : CURAND_STATUS_LAUNCH_FAILURE;
    g->next = (next + ahead % all) % all;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t from_host(struct curandGenerator_st *g, void *out, size_t n,
                                const struct made *m, double a, double b)
{
    void *chunk = malloc((n < CHUNK ? n : CHUNK) * m->size + 1);
    if (!chunk)
        return CURAND_STATUS_ALLOCATION_FAILED;
    cudaError_t error = cudaSuccess;
    for (size_t at = 0; at < n && error == cudaSuccess; at += CHUNK) {
        const size_t count = n - at < CHUNK ? n - at : CHUNK;
        m->make(g, chunk, count, a, b);
        error = cudaMemcpyAsync((char *)out + at * m->size, chunk, count * m->size,
                                cudaMemcpyDefault, g->stream);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(g->stream);
    }
    free(chunk);
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

/* A graph runs again with the states that it finds, but from the same sequence: whole turns are as
 * they are without a graph. */
static bool whole_turns(const struct curandGenerator_st *g, size_t n, const struct made *m)
{
    const unsigned each = g->kind->row > 1 ? 1 : m->at_once;
    return g->kind->state && g->next == 0 &&
           n / each % ((unsigned long long)g->sequences * g->kind->row) == 0;
}

static curandStatus_t generate(struct curandGenerator_st *g, void *out, size_t n,
                               enum rand_what what, double a, double b)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (g->quasi.bits)
        return rand_quasi(&g->quasi, g->on_host, g->stream, out, n, what, a, b);
    if (what == RAND_LONGS)
        return CURAND_STATUS_TYPE_ERROR;
    const struct made *m = makers + what;
    if (n % m->at_once)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    const curandStatus_t status = prepare(g);
    if (status != CURAND_STATUS_SUCCESS || !n)
        return status;
    if (g->on_host) {
        m->make(g, out, n, a, b);
        return CURAND_STATUS_SUCCESS;
    }
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(g->stream, &capture) != cudaSuccess)
        return CURAND_STATUS_PREEXISTING_FAILURE;
    if (capture != cudaStreamCaptureStatusNone && (!whole_turns(g, n, m) || !g->device_states)) {
        tern_cuda_say("tern: random numbers can be captured into a graph only after others were "
                      "made, and in whole "
                      "turns of their generator's sequences\n");
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    return g->kind->state ? on_device(g, out, n, what, a, b, capture != cudaStreamCaptureStatusNone)
                          : from_host(g, out, n, m, a, b);
}

/* ---- the API ---- */

curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = type == MAJOR_VERSION   ? CURAND_VERSION / 1000
             : type == MINOR_VERSION ? CURAND_VERSION % 1000 / 100
                                     : CURAND_VERSION % 100;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].type == type) {
            struct curandGenerator_st *g = calloc(1, sizeof *g);
            if (!g)
                return CURAND_STATUS_ALLOCATION_FAILED;
            g->kind = kinds + k;
            g->sequences = kinds[k].sequences;
            g->on_host = on_host;
            if (type >= CURAND_RNG_QUASI_SOBOL32)
                g->quasi = (struct rand_quasi){.bits = type >= CURAND_RNG_QUASI_SOBOL64 ? 64 : 32,
                                               .scrambled = type % 2 == 0,
                                               .dimensions = 1};
            *generator = g;
            return CURAND_STATUS_SUCCESS;
        }
    return CURAND_STATUS_TYPE_ERROR;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    forget(g);
    free(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (g->quasi.bits)
        return CURAND_STATUS_TYPE_ERROR;
    forget(g);
    g->seed = seed;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    forget(g);
    g->offset = g->quasi.at = offset;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (g->quasi.bits)
        return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS
                                                      : CURAND_STATUS_OUT_OF_RANGE;
    if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
        return CURAND_STATUS_OUT_OF_RANGE;
    forget(g);
    g->sequences = order == CURAND_ORDERING_PSEUDO_LEGACY ? g->kind->legacy : g->kind->sequences;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    return !g ? CURAND_STATUS_NOT_INITIALIZED : g->quasi.bits ? CURAND_STATUS_SUCCESS : prepare(g);
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
    return generate(g, out, n, RAND_WORDS, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
    return generate(g, out, n, RAND_LONGS, 0, 0);
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->quasi.bits)
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions > RAND_DIMENSIONS && dimensions <= 20000)
        lib_say("tern: quasi-random points have %d dimensions at most here, not %u\n",
                (int)RAND_DIMENSIONS, dimensions);
    if (dimensions < 1 || dimensions > RAND_DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    forget(g);
    g->quasi.dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    return generate(g, out, n, RAND_UNIFORM, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    return generate(g, out, n, RAND_UNIFORM_DOUBLE, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                    float deviation)
{
    return generate(g, out, n, RAND_NORMAL, mean, deviation);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean,
                                          double deviation)
{
    return generate(g, out, n, RAND_NORMAL_DOUBLE, mean, deviation);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                       float deviation)
{
    return generate(g, out, n, RAND_LOG_NORMAL, mean, deviation);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n,
                                             double mean, double deviation)
{
    return generate(g, out, n, RAND_LOG_NORMAL_DOUBLE, mean, deviation);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double lambda)
{
    if (!(lambda > 0 && lambda <= 400000))
        return CURAND_STATUS_OUT_OF_RANGE;
    return generate(g, out, n, RAND_POISSON, lambda, 0);
}
