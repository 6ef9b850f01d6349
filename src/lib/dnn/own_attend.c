/* terndnn: attention, rotary positions, caches, optimisers, clipping and quantised weights. */
#include <math.h>
#include <string.h>
#include "lib/dnn/dnn_int.h"

enum {
    SHARED = 48 << 10, /* bytes of shared memory that every device has for a block */
    WARPS = DNN_THREADS / DNN_WARP,
    COLUMNS = 8, /* of a quantised product that a warp does at once */
    PARTS = 256, /* blocks that sum squares */
};

/* ---- attention ---- */

static void steps(const int64_t *given, int64_t heads, int64_t length, int64_t size, long long *out)
{
    const bool none = !given[0] && !given[1] && !given[2];
    out[0] = none ? heads * length * size : given[0];
    out[1] = none ? length * size : given[1];
    out[2] = none ? size : given[2];
}

static bool attention_of(const terndnnAttention_t *a, struct dnn_attention *out)
{
    if (!a || a->batch < 0 || a->heads < 1 || a->kv_heads < 1 || a->heads % a->kv_heads ||
        a->queries < 0 || a->keys < 0 || a->size < 1 || a->value_size < 1 || a->window < 0 ||
        a->cap < 0)
        return false;
    *out = (struct dnn_attention){.batch = a->batch,
                                  .heads = a->heads,
                                  .kv_heads = a->kv_heads,
                                  .queries = a->queries,
                                  .keys = a->keys,
                                  .size = a->size,
                                  .value_size = a->value_size,
                                  .lengths = a->lengths,
                                  .slopes = a->slopes,
                                  .causal = a->causal,
                                  .window = a->window,
                                  .scale = a->scale != 0 ? a->scale : 1 / sqrt((double)a->size),
                                  .cap = a->cap};
    steps(a->q_step, a->heads, a->queries, a->size, out->q_step);
    steps(a->k_step, a->kv_heads, a->keys, a->size, out->k_step);
    steps(a->v_step, a->kv_heads, a->keys, a->value_size, out->v_step);
    steps(a->o_step, a->heads, a->queries, a->value_size, out->o_step);
    return true;
}

/* A kernel whose warps have so many wide numbers of shared memory each. */
static enum tern_error warps(terndnnHandle_t h, enum lib_type t, int64_t lines, int64_t numbers,
                             void *const *args, const char *name)
{
    const int64_t bytes = WARPS * numbers * (int64_t)dnn_wide_bytes(t);
    if (bytes > SHARED)
        return TERN_UNSUPPORTED;
    return dnn_run(&h->d, "attend.h", dnn_warps(lines), (uint32_t)bytes, args, "%s<%s>", name,
                   dnn_name(t));
}

terndnnStatus_t terndnnAttentionForward(terndnnHandle_t handle, cudaDataType type,
                                        const terndnnAttention_t *attention, const void *q,
                                        const void *k, const void *v, void *o, void *logSums)
{
    struct dnn_attention a = {0};
    DNN_CALL(handle, type, t, attention_of(attention, &a));
    if (dnn_flash_fits(&handle->d, t, &a, q, k, v, o))
        return dnn_status(dnn_flash_forward(&handle->d, t, &a, q, k, v, o, logSums));
    return dnn_status(warps(handle, t, a.batch * a.heads * a.queries, a.size + a.value_size,
                            (void *[]){&a, &q, &k, &v, &o, &logSums}, "attend"));
}

terndnnStatus_t terndnnAttentionBackward(terndnnHandle_t handle, cudaDataType type,
                                         const terndnnAttention_t *attention, const void *q,
                                         const void *k, const void *v, const void *o,
                                         const void *logSums, const void *doutput, void *dq,
                                         void *dk, void *dv)
{
    struct dnn_attention a = {0};
    DNN_CALL(handle, type, t, attention_of(attention, &a) && logSums && dq && dk && dv);
    struct dnn_slopes g = {q, k, v, o, logSums, doutput, dq, dk, dv};
    if (dnn_flash_fits(&handle->d, t, &a, q, k, v, doutput) &&
        dnn_flash_fits(&handle->d, t, &a, dq, dk, dv, o))
        return dnn_status(dnn_flash_backward(&handle->d, t, &a, &g));
    const int64_t lines = a.batch * a.heads * a.queries;
    void *deltas;
    enum tern_error e = lib_scratch(handle->d.stream, (size_t)lines * dnn_wide_bytes(t), &deltas);
    if (!e)
        e = warps(handle, t, lines, 0, (void *[]){&a, &o, &doutput, &deltas}, "attend_deltas");
    if (!e)
        e = warps(handle, t, lines, 2 * a.size + a.value_size,
                  (void *[]){&a, &q, &k, &v, &doutput, &logSums, &deltas, &dq}, "attend_queries");
    if (!e)
        e = warps(handle, t, a.batch * a.kv_heads * a.keys, 2 * (a.size + a.value_size),
                  (void *[]){&a, &q, &k, &v, &doutput, &logSums, &deltas, &dk, &dv}, "attend_keys");
    lib_scratch_free(handle->d.stream, deltas);
    return dnn_status(e);
}

terndnnStatus_t terndnnRotary(terndnnHandle_t handle, cudaDataType type,
                              const terndnnRotary_t *rotary, const void *x, void *y)
{
    const terndnnRotary_t *g = rotary;
    DNN_CALL(handle, type, t,
             g && g->batch >= 0 && g->heads >= 0 && g->length >= 0 && g->size >= 0 &&
                 g->rotated >= 0 && g->rotated <= g->size &&
                 (g->rotated ? g->rotated : g->size) % 2 == 0);
    struct dnn_rotary r = {.batch = g->batch,
                           .heads = g->heads,
                           .length = g->length,
                           .size = g->size,
                           .rotated = g->rotated ? g->rotated : g->size,
                           .positions = g->positions,
                           .first = g->first,
                           .halves = g->halves,
                           .backward = g->backward,
                           .base = g->base != 0 ? g->base : 10000,
                           .scale = g->scale != 0 ? g->scale : 1};
    steps(g->step, r.heads, r.length, r.size, r.step);
    memcpy(r.out_step, r.step, sizeof r.step);
    return dnn_status(dnn_run(&handle->d, "attend.h",
                              dnn_grid(r.batch * r.heads * r.length * (r.size - r.rotated / 2)), 0,
                              (void *[]){&r, &x, &y}, "rotate<%s>", dnn_name(t)));
}

/* What does not fit into the cache any more is not written. */
terndnnStatus_t terndnnCacheAppend(terndnnHandle_t handle, cudaDataType type, int64_t batch,
                                   int64_t heads, int64_t length, int64_t size, int64_t room,
                                   const int *lengths, int64_t first, const void *x, void *cache)
{
    DNN_CALL(handle, type, t,
             batch >= 0 && heads >= 0 && length >= 0 && size >= 0 && room >= 0 &&
                 (lengths || (first >= 0 && first + length <= room)));
    return dnn_status(
        dnn_run(&handle->d, "attend.h", dnn_grid(batch * heads * length * size), 0,
                (void *[]){&batch, &heads, &length, &size, &room, &lengths, &first, &x, &cache},
                "cache_append<%s>", dnn_name(t)));
}

/* ---- learning ---- */

terndnnStatus_t terndnnOptimizerStep(terndnnHandle_t handle, cudaDataType type,
                                     terndnnOptimizer_t kind,
                                     const terndnnOptimizerOptions_t *options, int64_t n,
                                     void *weights, const void *gradient, void *first, void *second)
{
    static const struct {
        const char *name;
        int states;
    } kinds[] = {
#define ROW(NAME, name, states) {#name, states},
        TERNDNN_OPTIMIZERS(ROW)
#undef ROW
    };
    DNN_CALL(handle, type, t,
             n >= 0 && options && options->step >= 1 && (unsigned)kind < TERNDNN_OPTIMIZER_COUNT &&
                 (kinds[kind].states < 1 || first) && (kinds[kind].states < 2 || second));
    struct dnn_optimizer o = {.rate = options->rate,
                              .beta1 = options->beta1,
                              .beta2 = options->beta2,
                              .epsilon = options->epsilon,
                              .decay = options->decay,
                              .momentum = options->momentum,
                              .nesterov = options->nesterov,
                              .correction1 = 1 - pow(options->beta1, (double)options->step),
                              .correction2 = 1 - pow(options->beta2, (double)options->step)};
    void *none = NULL;
    return dnn_status(
        dnn_run(&handle->d, "learn.h", dnn_grid(n), 0,
                (void *[]){&o, &n, &weights, &gradient, kinds[kind].states > 0 ? &first : &none,
                           kinds[kind].states > 1 ? &second : &none},
                "optimise<%s, opt_%s<%s> >", dnn_name(t), kinds[kind].name, dnn_wide(t)));
}

/* The norm of all gradients together; where it is larger than the limit, all are made smaller by
 * the same factor. norm, in device memory, may be NULL. */
terndnnStatus_t terndnnClipNorm(terndnnHandle_t handle, cudaDataType type, int count,
                                const int64_t *sizes, void *const *gradients, double limit,
                                double *norm)
{
    DNN_CALL(handle, type, t, count >= 0 && (!count || (sizes && gradients)) && limit >= 0);
    const struct dnn *d = &handle->d;
    int64_t parts = 0;
    for (int k = 0; k < count; k++)
        parts += dnn_grid(sizes[k]).x < PARTS ? dnn_grid(sizes[k]).x : PARTS;
    double *memory, *next;
    enum tern_error e =
        lib_scratch(d->stream, (size_t)(parts + 2) * sizeof *memory, (void **)&memory);
    if (e)
        return dnn_status(e);
    next = memory + 2;
    for (int k = 0; k < count && !e; k++) {
        tern_dim grid = dnn_grid(sizes[k]);
        grid.x = grid.x < PARTS ? grid.x : PARTS;
        int64_t n = sizes[k];
        e = dnn_run(d, "learn.h", grid, 0, (void *[]){&n, (void *)&gradients[k], &next},
                    "square_parts<%s>", dnn_name(t));
        next += grid.x;
    }
    next = memory + 2;
    double *factor = memory + 1;
    if (!e)
        e = dnn_run(d, "learn.h", (tern_dim){1}, 0, (void *[]){&parts, &next, &limit, &memory},
                    "square_total");
    for (int k = 0; k < count && !e; k++) {
        int64_t n = sizes[k];
        e = dnn_run(d, "learn.h", dnn_grid(n), 0, (void *[]){&n, (void *)&gradients[k], &factor},
                    "scale_by<%s>", dnn_name(t));
    }
    if (!e && norm)
        e = lib_error(
            cudaMemcpyAsync(norm, memory, sizeof *norm, cudaMemcpyDeviceToDevice, d->stream));
    lib_scratch_free(d->stream, memory);
    return dnn_status(e);
}

terndnnStatus_t terndnnClipValue(terndnnHandle_t handle, cudaDataType type, int64_t n,
                                 void *gradient, double limit)
{
    DNN_CALL(handle, type, t, n >= 0 && limit >= 0);
    return dnn_status(dnn_run(&handle->d, "learn.h", dnn_grid(n), 0,
                              (void *[]){&n, &gradient, &limit}, "clip_values<%s>", dnn_name(t)));
}

/* ---- quantised weights ---- */

static const struct {
    const char *name;
    int size, bytes;
} formats[] = {
#define ROW(NAME, name, size, bytes) {#name, size, bytes},
    TERNDNN_FORMATS(ROW)
#undef ROW
};

terndnnStatus_t terndnnQuantize(terndnnHandle_t handle, cudaDataType type, terndnnFormat_t format,
                                int64_t n, const void *x, void *out)
{
    DNN_CALL(handle, type, t,
             (unsigned)format < TERNDNN_FORMAT_COUNT && n >= 0 && n % formats[format].size == 0);
    if (format != TERNDNN_FORMAT_Q8_0 && format != TERNDNN_FORMAT_Q4_0)
        return TERNDNN_STATUS_NOT_SUPPORTED;
    int64_t count = n / formats[format].size;
    return dnn_status(dnn_run(&handle->d, "quant.h", dnn_grid(count), 0,
                              (void *[]){&count, &x, &out}, "quantise_%s<%s>", formats[format].name,
                              dnn_name(t)));
}

terndnnStatus_t terndnnDequantize(terndnnHandle_t handle, cudaDataType type, terndnnFormat_t format,
                                  int64_t n, const void *blocks, void *y)
{
    DNN_CALL(handle, type, t,
             (unsigned)format < TERNDNN_FORMAT_COUNT && n >= 0 && n % formats[format].size == 0);
    return dnn_status(dnn_run(&handle->d, "quant.h", dnn_grid(n), 0, (void *[]){&n, &blocks, &y},
                              "dequantise<%s, %s>", formats[format].name, dnn_name(t)));
}

terndnnStatus_t terndnnQuantizedProduct(terndnnHandle_t handle, cudaDataType type,
                                        terndnnFormat_t format, int64_t rows, int64_t k,
                                        int64_t columns, const void *weights, const void *x,
                                        void *y)
{
    DNN_CALL(handle, type, t,
             (unsigned)format < TERNDNN_FORMAT_COUNT && rows >= 0 && k >= 0 && columns >= 0 &&
                 k % formats[format].size == 0 && columns <= COLUMNS * (int64_t)65535);
    if (!rows || !columns)
        return TERNDNN_STATUS_SUCCESS;
    tern_dim grid = dnn_warps(rows);
    const int each = columns == 1 ? 1 : COLUMNS;
    grid.y = (uint32_t)((columns + each - 1) / each);
    return dnn_status(
        dnn_run(&handle->d, "quant.h", grid, 0, (void *[]){&rows, &k, &columns, &weights, &x, &y},
                "quant_product<%s, %s, %d>", formats[format].name, dnn_name(t), each));
}
