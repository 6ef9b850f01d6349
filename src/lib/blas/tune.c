/* Which cut of a kernel is the fastest: measured once (tern tune blas), kept for the device and its
 * driver, and asked by products. See tune.h. */
#include "lib/blas/tune.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEPT "blas cuts" /* what the table is kept under */
static const char head[] = "blas cuts 1\n";

static const char *const families[] = {
#define X(name, word) word,
    BLAS_FAMILIES(X)
#undef X
};

/* ---- the table ---- */

size_t blas_tuned_text(const struct blas_tuned *rows, unsigned n, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", head);
    for (unsigned k = 0; k < n && at < size; k++)
        at += (size_t)snprintf(out + at, size - at, "%s %s %lld %d %d %d %d\n", rows[k].family,
                               rows[k].type, (long long)rows[k].size, rows[k].m, rows[k].n,
                               rows[k].wm, rows[k].wn);
    return at < size ? at : 0;
}

bool blas_tuned_read(const char *text, size_t n, struct blas_tuned rows[BLAS_TUNED_ROWS],
                     unsigned *count)
{
    const size_t length = sizeof head - 1;
    *count = 0;
    if (n < length || memcmp(text, head, length) != 0)
        return false;
    for (const char *at = text + length, *end = text + n; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct blas_tuned r;
        char line[96];
        long long size;
        if (!stop || (size_t)(stop - at) >= sizeof line || *count == BLAS_TUNED_ROWS)
            return false;
        memcpy(line, at, (size_t)(stop - at));
        line[stop - at] = 0;
        if (sscanf(line, "%15s %7s %lld %d %d %d %d", r.family, r.type, &size, &r.m, &r.n, &r.wm,
                   &r.wn) != 7 ||
            size < 1)
            return false;
        r.size = size;
        rows[(*count)++] = r;
        at = stop + 1;
    }
    return true;
}

/* Products of other shapes, but of as many elements, take their time in the same proportions, as
 * long as no side is shorter than a tile's. Beyond the largest that was measured nothing changes.
 */
const struct blas_tuned *blas_tuned_find(const struct blas_tuned *rows, unsigned count,
                                         const char *family, const char *type, int64_t m, int64_t n,
                                         int64_t batch)
{
    const double size = sqrt((double)m * (double)n * (double)batch), near = sqrt(2);
    const struct blas_tuned *best = NULL;
    for (unsigned k = 0; k < count; k++) {
        const struct blas_tuned *r = &rows[k];
        if (!strcmp(r->family, family) && !strcmp(r->type, type) &&
            size * near >= (double)r->size && (!best || r->size > best->size))
            best = r;
    }
    if (!best || m < best->m || n < best->n)
        return NULL;
    enum { FULL = 2048 };
    bool largest = best->size >= FULL;
    for (unsigned k = 0; k < count; k++)
        largest &= strcmp(rows[k].family, family) || strcmp(rows[k].type, type) ||
                   rows[k].size <= best->size;
    return largest || size <= near * (double)best->size ? best : NULL;
}

/* ---- what a device's products ask ---- */

struct state {
    pthread_mutex_t lock;
    bool loaded, registers;
    unsigned count;
    struct blas_tuned rows[BLAS_TUNED_ROWS];
};
static const char state_key;

static void state_init(void *data)
{
    pthread_mutex_init(&((struct state *)data)->lock, NULL);
}

static void state_release(void *data)
{
    pthread_mutex_destroy(&((struct state *)data)->lock);
}

static void load(struct state *s, const struct lib_device *d)
{
    struct tern_cuda_profile profile;
    size_t n;
    tern_cuda_device_profile(d->device, &profile);
    s->registers = profile.registers;
    char *text = tern_cuda_kept(d->device, KEPT, &n);
    if (text && !blas_tuned_read(text, n, s->rows, &s->count)) {
        s->count = 0;
        lib_note("cublas: the table of cuts for %s is of another version: it is not used",
                 d->info.name);
    }
    free(text);
    s->loaded = true;
}

/* Locked; NULL: no memory. */
static struct state *state_of(const struct lib_device *d)
{
    struct state *s = tern_device_keep(d->device, &state_key, sizeof *s, state_init, state_release);
    if (!s)
        return NULL;
    pthread_mutex_lock(&s->lock);
    if (!s->loaded)
        load(s, d);
    return s;
}

bool blas_suits_registers(const struct cublasContext *h)
{
    struct state *s = state_of(&h->device);
    const bool suits = s && s->registers;
    if (s)
        pthread_mutex_unlock(&s->lock);
    return suits;
}

/* What is measured; both types of 16 bits are alike. matrix: only where they have kernels of their
 * own, on NVIDIA's GPUs. */
static const struct kind {
    const char *word;
    enum lib_type in, out, sum;
    bool tf32, matrix;
} kinds[] = {
    {"f32", LIB_F32, LIB_F32, LIB_F32, false, false},
    {"f64", LIB_F64, LIB_F64, LIB_F64, false, false},
    {"f16", LIB_F16, LIB_F16, LIB_F32, false, false},
    {"tf32", LIB_F32, LIB_F32, LIB_F32, true, true},
    {"i8", LIB_I8, LIB_I32, LIB_I32, false, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_type(const char *word)
{
    for (size_t k = 0; k < KINDS; k++)
        if (!strcmp(kinds[k].word, word))
            return true;
    return false;
}

static const char *type_word(const struct lib_device *d, const struct blas_types *t)
{
    const enum lib_type in = t->a == LIB_BF16 ? LIB_F16 : t->a;
    for (size_t k = 0; k < KINDS; k++)
        if (kinds[k].in == in && kinds[k].tf32 == (t->tf32 && d->capability))
            return kinds[k].word;
    return "";
}

/* A cut to be tried, and the choice that was met on the way. */
struct blas_trial {
    int cut; /* -1: as it would be chosen without a table */
    bool met;
    enum blas_family family;
    const struct blas_cut *cuts;
};

const struct blas_cut *blas_tuned_cut(enum blas_family f, const struct blas_cut *c,
                                      struct cublasContext *h, const struct blas_types *t,
                                      const struct blas_product *p, int64_t batch)
{
    struct blas_trial *trial = h->trial;
    if (trial) {
        trial->met = true;
        trial->family = f;
        trial->cuts = c;
        for (int k = 0; k < trial->cut && c->m; k++) /* this table may be a shorter one */
            c++;
        return trial->cut < 0 || !c->m ? NULL : c;
    }
    struct state *s = state_of(&h->device);
    const struct blas_cut *found = NULL;
    if (!s)
        return NULL;
    const struct blas_tuned *r = blas_tuned_find(s->rows, s->count, families[f],
                                                 type_word(&h->device, t), p->m, p->n, batch);
    for (; r && c->m && !found; c++)
        if (c->m == r->m && c->n == r->n && c->wm == r->wm && c->wn == r->wn)
            found = c;
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* ---- measuring ---- */

enum { LEAST = 128, MOST = 8192, WAKING = 512, MAX_CUTS = 16, PATTERN = 1 << 16 };

struct bench {
    struct cublasContext h;
    struct blas_trial trial;
    const struct kind *kind;
    void *a, *b, *c;
    size_t bytes; /* of each */
    cudaEvent_t ends[2];
    bool dropped[MAX_CUTS];
    unsigned cuts, wrong;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Small whole numbers: sums of their products are exact in every type. */
static int number(size_t k)
{
    return (int)(k * 7 % 11 % 5) - 2;
}

static void put(enum lib_type t, void *at, size_t k)
{
    const int v = number(k);
    switch (t) {
    case LIB_F32: ((float *)at)[k] = (float)v; break;
    case LIB_F64: ((double *)at)[k] = v; break;
    case LIB_F16: /* 1 and 2 differ in the exponent alone */
        ((uint16_t *)at)[k] = v ? (uint16_t)((v < 0) << 15 | (abs(v) + 14) << 10) : 0;
        break;
    default: ((signed char *)at)[k] = (signed char)v; break;
    }
}

static double get(enum lib_type t, const void *at, size_t k)
{
    switch (t) {
    case LIB_F32: return ((const float *)at)[k];
    case LIB_F64: return ((const double *)at)[k];
    case LIB_F16: return lib_half(((const uint16_t *)at)[k]);
    default: return ((const int32_t *)at)[k];
    }
}

/* A pattern over all of it, by copies of what is there. */
static enum tern_error fill(enum lib_type t, void *at, size_t bytes)
{
    const size_t each = lib_types[t].bytes, pattern = PATTERN * each;
    size_t have = bytes < pattern ? bytes : pattern;
    void *host = malloc(pattern);
    if (!host)
        return TERN_OUT_OF_MEMORY;
    for (size_t k = 0; k < PATTERN; k++)
        put(t, host, k);
    enum tern_error e = lib_error(cudaMemcpy(at, host, have, cudaMemcpyHostToDevice));
    free(host);
    for (; have < bytes && !e; have *= 2)
        e = lib_error(cudaMemcpy((char *)at + have, at, have < bytes - have ? have : bytes - have,
                                 cudaMemcpyDeviceToDevice));
    return e;
}

static enum tern_error product(struct bench *b, int64_t m, int64_t n, int64_t k)
{
    const struct kind *x = b->kind;
    const struct blas_types types = {
        .a = x->in, .b = x->in, .c = x->out, .sum = x->sum, .scale = x->sum, .tf32 = x->tf32};
    struct blas_product p = {.a = blas_matrix(b->a, m, CUBLAS_OP_N),
                             .b = blas_matrix(b->b, k, CUBLAS_OP_N),
                             .c = b->c,
                             .d = b->c,
                             .c_row = 1,
                             .c_col = m,
                             .d_row = 1,
                             .d_col = m,
                             .m = m,
                             .n = n,
                             .k = k,
                             .alpha_value = {1}};
    b->trial.met = false;
    return blas_product(&b->h, &types, &p, 1);
}

/* Whole tiles, and parts of them. */
enum { CHECK_M = 200, CHECK_N = 136, CHECK_K = 48 };

/* Whether the cut that was to be tried did the product. */
static bool was_taken(const struct bench *b)
{
    return b->trial.met && (b->trial.cut < 0 || !strcmp(b->h.why, "tuned"));
}

static bool is_right(struct bench *b)
{
    const size_t bytes = (size_t)CHECK_M * CHECK_N * lib_types[b->kind->out].bytes;
    void *got = malloc(bytes);
    bool right = got && !lib_error(cudaMemset(b->c, 0xff, bytes)) &&
                 !product(b, CHECK_M, CHECK_N, CHECK_K) && was_taken(b) &&
                 !lib_error(cudaMemcpy(got, b->c, bytes, cudaMemcpyDeviceToHost));
    for (size_t j = 0; j < CHECK_N && right; j++)
        for (size_t i = 0; i < CHECK_M && right; i++) {
            int sum = 0;
            for (size_t l = 0; l < CHECK_K; l++)
                sum += number((i + l * CHECK_M) % PATTERN) * number((l + j * CHECK_K) % PATTERN);
            right = get(b->kind->out, got, i + j * CHECK_M) == (double)sum;
        }
    free(got);
    return right;
}

/* Seconds of one product; less than 0: it failed, or another kernel did it, that has no cuts. */
static double time_once(struct bench *b, int64_t size)
{
    float ms = 0;
    if (cudaEventRecord(b->ends[0], cudaStreamLegacy) || product(b, size, size, size) ||
        cudaEventRecord(b->ends[1], cudaStreamLegacy) || cudaEventSynchronize(b->ends[1]) ||
        cudaEventElapsedTime(&ms, b->ends[0], b->ends[1]) || !was_taken(b))
        return -1;
    return ms > 0 ? (double)ms * 1e-3 : 1e-9;
}

/* A GPU that has waited for a compiler runs at a fifth of its clock until it has had work for a
 * while. */
static void wake(struct bench *b)
{
    const double begin = now();
    b->trial.cut = -1;
    while (now() - begin < 0.4 && time_once(b, WAKING) >= 0)
        ;
}

/* How many cuts the kernel has that these products take; those are out that are not right. */
static enum tern_error find_cuts(struct bench *b)
{
    b->trial.cut = -1;
    b->cuts = b->wrong = 0;
    memset(b->dropped, 0, sizeof b->dropped);
    enum tern_error e = product(b, LEAST, LEAST, CHECK_K);
    if (e || !b->trial.met)
        return e;
    const struct blas_cut *cuts = b->trial.cuts;
    const enum blas_family family = b->trial.family;
    while (b->cuts < MAX_CUTS && cuts[b->cuts].m)
        b->cuts++;
    for (unsigned k = 0; k < b->cuts; k++) {
        b->trial.cut = (int)k;
        b->dropped[k] = !is_right(b) || b->trial.family != family;
        b->wrong += b->dropped[k];
        if (b->dropped[k])
            lib_note("cublas: %s, %s, %d by %d (%d by %d): not compiled, or not right",
                     families[family], b->kind->word, cuts[k].m, cuts[k].n, cuts[k].wm, cuts[k].wn);
    }
    return TERN_OK;
}

/* The best times of all cuts at one size, and behind them without a table: in turn, so that what
 * changes meanwhile changes for all. */
static void time_all(struct bench *b, int64_t size, double times[MAX_CUTS + 1])
{
    enum { ROUNDS = 5 };
    for (unsigned k = 0; k <= b->cuts; k++)
        times[k] = -1;
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned k = 0; k <= b->cuts; k++) {
            b->trial.cut = k < b->cuts ? (int)k : -1;
            const double s = k < b->cuts && b->dropped[k] ? -1 : time_once(b, size);
            if (s > 0 && (times[k] < 0 || s < times[k]))
                times[k] = s;
        }
}

/* False: none ran. What is three times slower than the best is not tried at larger sizes. */
static bool measure_size(struct bench *b, int64_t size, struct blas_measured *m)
{
    double times[MAX_CUTS + 1], best = -1;
    const double work = 2e-9 * (double)size * (double)size * (double)size;
    unsigned fastest = 0;
    *m = (struct blas_measured){.type = b->kind->word, .size = size, .wrong = b->wrong};
    time_all(b, size, times);
    for (unsigned k = 0; k < b->cuts; k++) {
        if (times[k] < 0)
            continue;
        m->tried++;
        lib_note("cublas: %s, %s, %lld: %d by %d (%d by %d): %.1f GFLOP/s",
                 families[b->trial.family], b->kind->word, (long long)size, b->trial.cuts[k].m,
                 b->trial.cuts[k].n, b->trial.cuts[k].wm, b->trial.cuts[k].wn, work / times[k]);
        if (best < 0 || times[k] < best) {
            best = times[k];
            fastest = k;
        }
    }
    if (best < 0)
        return false;
    for (unsigned k = 0; k < b->cuts; k++)
        b->dropped[k] |= times[k] > 3 * best;
    m->family = families[b->trial.family];
    m->best = b->trial.cuts[fastest];
    m->gflops = work / best;
    m->gflops_by_size = times[b->cuts] > 0 ? work / times[b->cuts] : 0;
    return true;
}

/* For so many seconds, beside what compilers take. */
static enum tern_error measure_kind(struct bench *b, const struct blas_tuning *how, double seconds,
                                    unsigned percent, struct blas_tuned *rows, unsigned *count)
{
    enum tern_error e = fill(b->kind->in, b->a, b->bytes);
    if (!e)
        e = fill(b->kind->in, b->b, b->bytes);
    if (!e)
        e = find_cuts(b);
    if (!e && b->cuts > 1)
        wake(b);
    const double from = now();
    for (int64_t size = LEAST; size <= MOST && !e && b->cuts > 1; size *= 2) {
        struct blas_measured m;
        const double begin = now();
        if ((size_t)(size * size) * 8 > b->bytes || *count == BLAS_TUNED_ROWS ||
            (how->cancel && *how->cancel) || !measure_size(b, size, &m))
            break;
        rows[*count] = (struct blas_tuned){
            .size = size, .m = m.best.m, .n = m.best.n, .wm = m.best.wm, .wn = m.best.wn};
        snprintf(rows[*count].family, sizeof rows->family, "%s", m.family);
        snprintf(rows[*count].type, sizeof rows->type, "%s", m.type);
        ++*count;
        if (how->found)
            how->found(how->ctx, &m);
        const double end = now();
        if (end - from + 8 * (end - begin) > seconds) /* as the next would take */
            break;
    }
    if (how->tell)
        how->tell(how->ctx, percent);
    return e;
}

static enum tern_error bench_open(struct bench *b)
{
    const struct tern_device_info *i = &b->h.device.info;
    const uint64_t most = (uint64_t)MOST * MOST * 8, room = i->memory_free / 8;
    b->bytes = (size_t)(room < most ? room : most);
    enum tern_error e = TERN_OK;
    void **const all[] = {&b->a, &b->b, &b->c};
    for (size_t k = 0; k < 3 && !e; k++)
        e = lib_error(cudaMalloc(all[k], b->bytes));
    for (int k = 0; k < 2 && !e; k++)
        e = lib_error(cudaEventCreate(&b->ends[k]));
    return e;
}

static void bench_close(struct bench *b)
{
    for (int k = 0; k < 2; k++)
        if (b->ends[k])
            cudaEventDestroy(b->ends[k]);
    cudaFree(b->a);
    cudaFree(b->b);
    cudaFree(b->c);
}

/* The rate of doubles belongs to what is known of the device, too. */
static void keep_rate(const struct lib_device *d)
{
    double rate;
    if (d->info.f64 && !blas_measure_doubles(d, &rate))
        tern_cuda_keep_f64(d->device, rate);
}

static void keep_table(const struct lib_device *d, const struct blas_tuned *rows, unsigned count)
{
    char text[BLAS_TUNED_ROWS * 96];
    const size_t n = blas_tuned_text(rows, count, text, sizeof text);
    struct state *s = n ? state_of(d) : NULL;
    if (!s)
        return;
    tern_cuda_keep(d->device, KEPT, text, n);
    memcpy(s->rows, rows, count * sizeof *rows);
    s->count = count;
    pthread_mutex_unlock(&s->lock);
}

static cublasStatus_t tune(const struct cublasContext *h, const struct blas_tuning *how,
                           unsigned *rows)
{
    if (h->device.host_path || h->device.info.checked) /* one way; and time that tells nothing */
        return CUBLAS_STATUS_SUCCESS;
    struct bench b = {.h = *h};
    struct blas_tuned table[BLAS_TUNED_ROWS];
    unsigned wanted = 0, done = 0;
    for (size_t k = 0; k < KINDS; k++)
        wanted += (!how->type || !strcmp(how->type, kinds[k].word)) &&
                  (!kinds[k].matrix || h->device.capability);
    b.h.trial = &b.trial;
    enum tern_error e = bench_open(&b);
    if (!e)
        keep_rate(&h->device);
    for (size_t k = 0; k < KINDS && !e; k++) {
        b.kind = &kinds[k];
        if ((how->type && strcmp(how->type, b.kind->word) != 0) ||
            (b.kind->matrix && !h->device.capability))
            continue;
        done++;
        e = measure_kind(&b, how, how->seconds / wanted, 100 * done / wanted, table, rows);
    }
    bench_close(&b);
    if (how->cancel && *how->cancel)
        *rows = 0;
    else if (!e && *rows)
        keep_table(&h->device, table, *rows);
    return blas_status(e);
}

cublasStatus_t ternBlasTune(const struct blas_tuning *how, unsigned *rows)
{
    cublasHandle_t h;
    *rows = 0;
    if (how->type && !is_type(how->type))
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t s = cublasCreate_v2(&h);
    if (s == CUBLAS_STATUS_SUCCESS) {
        s = tune(h, how, rows);
        cublasDestroy_v2(h);
    }
    return s;
}
