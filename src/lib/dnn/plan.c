/* Plans of tern.h (include/tern/plan.h): operations of terndnn and products of cuBLAS on a device
 * that the program has opened itself.
 *
 * A plan is made by doing the operation dry: the library chooses as it always does, and what it
 * would launch is written down. Its operands stand at addresses that are aligned as those of views
 * are, so that the same is chosen when it runs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/blas/by_rows.h"
#include "lib/dnn/dnn_int.h"

enum { ALIGNED = 16 };
static const uint64_t most = INT64_MAX / 16; /* elements: what libraries count with */

typedef enum tern_error plan_fn(tern_plan *p, void *const *operands);

struct tern_plan {
    struct terndnnContext h;
    struct lib_plan lib;
    struct tern_plan_info info;
    plan_fn *fn;
    enum lib_type type;
    union {
        struct tern_gemm gemm;
        struct tern_attention attention;
        struct tern_softmax softmax;
        struct tern_norm norm;
        struct tern_quantized quantized;
    } of;
};

static enum tern_error refuse(tern_device *d, enum tern_error e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum tern_error refuse(tern_device *d, enum tern_error e, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tern_cuda_message(d, text);
    return e;
}

static bool type_of(enum tern_type given, enum lib_type *out)
{
    static const enum lib_type types[] = {LIB_F32, LIB_F64, LIB_F16, LIB_BF16};
    if ((unsigned)given >= sizeof types / sizeof *types)
        return false;
    *out = types[given];
    return true;
}

/* a b c, or 0: more than can be. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t v;
    if (__builtin_mul_overflow(a, b, &v) || __builtin_mul_overflow(v, c, &v) || v > most)
        return 0;
    return v;
}

static void operand(tern_plan *p, const char *name, uint64_t bytes, bool optional)
{
    const unsigned n = p->info.operands++;
    p->info.operand[n].name = name;
    p->info.operand[n].bytes = bytes;
    p->info.operand[n].optional = optional;
}

static enum tern_error from_dnn(terndnnStatus_t s)
{
    switch (s) {
    case TERNDNN_STATUS_SUCCESS: return TERN_OK;
    case TERNDNN_STATUS_ALLOC_FAILED: return TERN_OUT_OF_MEMORY;
    case TERNDNN_STATUS_INVALID_VALUE: return TERN_INVALID_ARGUMENT;
    case TERNDNN_STATUS_NOT_SUPPORTED: return TERN_UNSUPPORTED;
    default: return TERN_DEVICE_LOST;
    }
}

static cudaDataType number(const tern_plan *p)
{
    return (cudaDataType)lib_types[p->type].number;
}

static enum tern_error run_gemm(tern_plan *p, void *const *o)
{
    return blas_by_rows(&p->h.d.device, p->h.d.stream, p->type, &p->of.gemm, o[0], o[1], o[2],
                        p->of.gemm.bias ? o[3] : NULL);
}

static enum tern_error run_attention(tern_plan *p, void *const *o)
{
    const struct tern_attention *a = &p->of.attention;
    const terndnnAttention_t t = {.batch = (int64_t)a->batch,
                                  .heads = (int64_t)a->heads,
                                  .kv_heads = (int64_t)(a->kv_heads ? a->kv_heads : a->heads),
                                  .queries = (int64_t)a->queries,
                                  .keys = (int64_t)a->keys,
                                  .size = (int64_t)a->size,
                                  .value_size = (int64_t)a->size,
                                  .causal = a->causal,
                                  .window = (int)a->window,
                                  .scale = a->scale};
    return from_dnn(terndnnAttentionForward(&p->h, number(p), &t, o[0], o[1], o[2], o[3], NULL));
}

static enum tern_error run_softmax(tern_plan *p, void *const *o)
{
    const struct tern_softmax *s = &p->of.softmax;
    return from_dnn(terndnnSoftmaxForward(&p->h, number(p), s->logarithm, (int64_t)s->rows,
                                          (int64_t)s->length, 1, o[0], o[1]));
}

static enum tern_error run_norm(tern_plan *p, void *const *o)
{
    const struct tern_norm *n = &p->of.norm;
    const terndnnNorm_t t = {.kind = n->rms ? TERNDNN_NORM_RMS : TERNDNN_NORM_LAYER,
                             .images = (int64_t)n->rows,
                             .channels = (int64_t)n->length,
                             .places = 1,
                             .epsilon = n->epsilon != 0 ? n->epsilon : 1e-5};
    return from_dnn(terndnnNormForward(&p->h, number(p), &t, o[0], o[1], o[2], o[3], NULL, NULL, 0,
                                       NULL, NULL));
}

static const struct {
    terndnnFormat_t format;
    unsigned size, bytes;
} formats[] = {
#define ROW(NAME, name, size, bytes) [TERN_##NAME] = {TERNDNN_FORMAT_##NAME, size, bytes},
    TERNDNN_FORMATS(ROW)
#undef ROW
};

static enum tern_error run_quantized(tern_plan *p, void *const *o)
{
    const struct tern_quantized *q = &p->of.quantized;
    return from_dnn(terndnnQuantizedProduct(&p->h, number(p), formats[q->format].format,
                                            (int64_t)q->rows, (int64_t)q->k, (int64_t)q->columns,
                                            o[0], o[1], o[2]));
}

/* ---- making plans ---- */

static enum tern_error begin(tern_device *d, const char *operation, enum tern_type type,
                             plan_fn *fn, tern_plan **out)
{
    enum lib_type t;
    if (!d || !out)
        return TERN_INVALID_ARGUMENT;
    *out = NULL;
    if (!type_of(type, &t))
        return refuse(d, TERN_INVALID_ARGUMENT, "%s: there is no type %d", operation, (int)type);
    tern_plan *p = calloc(1, sizeof *p);
    if (!p)
        return TERN_OUT_OF_MEMORY;
    p->lib.info = &p->info;
    p->info.operation = operation;
    p->type = t;
    p->fn = fn;
    dnn_open(&p->h, d, &p->lib);
    *out = p;
    return TERN_OK;
}

/* The operation, dry. What refused it has no words of its own for what a plan cannot do. */
static enum tern_error finish(tern_plan **out, double flops)
{
    tern_plan *p = *out;
    void *operands[TERN_PLAN_OPERANDS];
    for (unsigned k = 0; k < TERN_PLAN_OPERANDS; k++)
        operands[k] = (void *)(uintptr_t)(ALIGNED * 256 * (k + 1));
    p->info.flops = flops;
    p->lib.dry = true;
    enum tern_error e = p->fn(p, operands);
    p->lib.dry = false;
    if (e == TERN_UNSUPPORTED || e == TERN_INVALID_ARGUMENT)
        refuse(p->h.d.device.device, e, "%s: no kernel takes this shape", p->info.operation);
    if (e) {
        tern_plan_free(p);
        *out = NULL;
    }
    return e;
}

static enum tern_error too_large(tern_plan **out)
{
    tern_plan *p = *out;
    *out = NULL;
    const enum tern_error e = refuse(p->h.d.device.device, TERN_INVALID_ARGUMENT,
                                     "%s: a size is 0 or too large", p->info.operation);
    tern_plan_free(p);
    return e;
}

enum tern_error tern_plan_gemm(tern_device *d, const struct tern_gemm *g, tern_plan **out)
{
    if (!g || (unsigned)g->activation > TERN_GELU)
        return TERN_INVALID_ARGUMENT;
    if (d && g->type == TERN_F64 && (g->bias || g->activation))
        return refuse(d, TERN_UNSUPPORTED, "gemm: doubles have no bias and no activation");
    enum tern_error e = begin(d, "gemm", g->type, run_gemm, out);
    if (e)
        return e;
    tern_plan *p = *out;
    const uint64_t each = lib_types[p->type].bytes, batch = g->batch ? g->batch : 1;
    const uint64_t a = product(g->m, g->k, g->a_shared ? 1 : batch),
                   b = product(g->k, g->n, g->b_shared ? 1 : batch), c = product(g->m, g->n, batch);
    if (!c || (g->k && (!a || !b)) || g->k > most)
        return too_large(out);
    p->of.gemm = *g;
    operand(p, "A", a * each, false);
    operand(p, "B", b * each, false);
    operand(p, "C", c * each, false);
    if (g->bias)
        operand(p, "bias", g->n * each, false);
    return finish(out, 2 * (double)c * (double)g->k);
}

enum tern_error tern_plan_attention(tern_device *d, const struct tern_attention *a, tern_plan **out)
{
    if (!a)
        return TERN_INVALID_ARGUMENT;
    enum tern_error e = begin(d, "attention", a->type, run_attention, out);
    if (e)
        return e;
    tern_plan *p = *out;
    const uint64_t each = lib_types[p->type].bytes, kv = a->kv_heads ? a->kv_heads : a->heads;
    const uint64_t lines = product(a->batch, a->heads, 1), kv_lines = product(a->batch, kv, 1),
                   q = product(lines, a->queries, a->size), k = product(kv_lines, a->keys, a->size);
    if (!q || !k || a->window > INT32_MAX)
        return too_large(out);
    p->of.attention = *a;
    operand(p, "queries", q * each, false);
    operand(p, "keys", k * each, false);
    operand(p, "values", k * each, false);
    operand(p, "results", q * each, false);
    return finish(out, 4 * (double)q * (double)a->keys);
}

enum tern_error tern_plan_softmax(tern_device *d, const struct tern_softmax *s, tern_plan **out)
{
    if (!s)
        return TERN_INVALID_ARGUMENT;
    enum tern_error e = begin(d, "softmax", s->type, run_softmax, out);
    if (e)
        return e;
    tern_plan *p = *out;
    const uint64_t n = product(s->rows, s->length, 1), each = lib_types[p->type].bytes;
    if (!n || s->length > INT32_MAX)
        return too_large(out);
    p->of.softmax = *s;
    operand(p, "x", n * each, false);
    operand(p, "results", n * each, false);
    return finish(out, 4 * (double)n);
}

enum tern_error tern_plan_norm(tern_device *d, const struct tern_norm *n, tern_plan **out)
{
    if (!n || !(n->epsilon >= 0))
        return TERN_INVALID_ARGUMENT;
    enum tern_error e = begin(d, n->rms ? "RMS norm" : "layer norm", n->type, run_norm, out);
    if (e)
        return e;
    tern_plan *p = *out;
    const uint64_t all = product(n->rows, n->length, 1), each = lib_types[p->type].bytes,
                   wide = dnn_wide_bytes(p->type);
    if (!all || n->length > INT32_MAX || n->rows > INT32_MAX)
        return too_large(out);
    p->of.norm = *n;
    operand(p, "x", all * each, false);
    operand(p, "gamma", n->length * wide, true);
    operand(p, "beta", n->length * wide, true);
    operand(p, "results", all * each, false);
    return finish(out, 8 * (double)all);
}

enum tern_error tern_plan_quantized(tern_device *d, const struct tern_quantized *q, tern_plan **out)
{
    if (!q || (unsigned)q->format > TERN_Q6_K)
        return TERN_INVALID_ARGUMENT;
    enum tern_error e = begin(d, "quantized product", q->type, run_quantized, out);
    if (e)
        return e;
    tern_plan *p = *out;
    const unsigned size = formats[q->format].size;
    const uint64_t each = lib_types[p->type].bytes, weights = product(q->rows, q->k, 1),
                   x = product(q->columns, q->k, 1), y = product(q->columns, q->rows, 1);
    if (!weights || !x || !y)
        return too_large(out);
    if (q->k % size) {
        refuse(d, TERN_INVALID_ARGUMENT, "quantized product: k is %llu, which is no multiple of %u",
               (unsigned long long)q->k, size);
        tern_plan_free(p);
        *out = NULL;
        return TERN_INVALID_ARGUMENT;
    }
    p->of.quantized = *q;
    operand(p, "weights", weights / size * formats[q->format].bytes, false);
    operand(p, "x", x * each, false);
    operand(p, "results", y * each, false);
    return finish(out, 2 * (double)weights * (double)q->columns);
}

void tern_plan_info(const tern_plan *p, struct tern_plan_info *out)
{
    *out = p->info;
}

/* ---- running them ---- */

static enum tern_error resolve(tern_plan *p, const struct tern_view *views, void **operands)
{
    tern_device *d = p->h.d.device.device;
    const char *operation = p->info.operation;
    for (unsigned k = 0; k < p->info.operands; k++) {
        const struct tern_view *v = &views[k];
        const char *name = p->info.operand[k].name;
        const uint64_t need = p->info.operand[k].bytes;
        operands[k] = NULL;
        if (!v->buffer && p->info.operand[k].optional)
            continue;
        if (!v->buffer && need)
            return refuse(d, TERN_INVALID_ARGUMENT, "%s: there is no %s", operation, name);
        const uint64_t there = v->buffer ? tern_buffer_bytes(v->buffer) : 0,
                       at = v->buffer ? tern_buffer_address(v->buffer) + v->at : 0;
        if (v->at > there || there - v->at < need)
            return refuse(d, TERN_INVALID_ARGUMENT, "%s: %s takes %llu bytes, and there are %llu",
                          operation, name, (unsigned long long)need,
                          (unsigned long long)(v->at > there ? 0 : there - v->at));
        if (at % ALIGNED)
            return refuse(d, TERN_INVALID_ARGUMENT, "%s: %s is at no multiple of %d bytes",
                          operation, name, ALIGNED);
        operands[k] = (void *)(uintptr_t)at;
    }
    return TERN_OK;
}

enum tern_error tern_plan_run(tern_plan *p, tern_stream *s, const struct tern_view *operands,
                              unsigned n)
{
    void *at[TERN_PLAN_OPERANDS] = {NULL};
    if (!p || !operands)
        return TERN_INVALID_ARGUMENT;
    if (n != p->info.operands)
        return refuse(p->h.d.device.device, TERN_INVALID_ARGUMENT,
                      "%s: there are %u operands, and %u are given", p->info.operation,
                      p->info.operands, n);
    enum tern_error e = resolve(p, operands, at);
    p->h.d.stream = s ? (cudaStream_t)s : cudaStreamLegacy;
    return e ? e : p->fn(p, at);
}

void tern_plan_free(tern_plan *p)
{
    free(p);
}
