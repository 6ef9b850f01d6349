/* y = alpha * A * x + beta * y on the CPU, for rows of float and double. Shares have equal numbers
 * of entries, however long rows are: what a share has of rows that it does not have whole is added
 * afterwards, by one thread. */
#include <string.h>
#include "lib/sparse/sparse_int.h"

enum {
    MAX_SHARES = 256,
    SMALL = 4096, /* entries: not worth a second core */
    LONG = 24,    /* entries of a row */
};

struct piece {
    int64_t line;
    double sum;
};

struct call {
    struct sparse_host_mv p;
    int64_t shares;
    struct piece *first, *last; /* of each share: sums of lines that others have parts of */
};

static double scalar_of(const struct sparse_scalar *s, enum lib_type t)
{
    if (!s->at)
        return s->value[0];
    return t == LIB_F32 ? (double)*(const float *)s->at : *(const double *)s->at;
}

/* Long rows have four sums side by side, so that an entry need not wait for the one before it;
 * short ones overlap with the rows that follow. */
#define ROW(T, I, suffix)                                                                          \
    static inline T row_##suffix(const T *values, const I *indices, int64_t n, const T *x)         \
    {                                                                                              \
        T s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                          \
        int64_t k = 0;                                                                             \
        if (n >= LONG)                                                                             \
            for (; k + 4 <= n; k += 4) {                                                           \
                s0 += values[k] * x[indices[k]];                                                   \
                s1 += values[k + 1] * x[indices[k + 1]];                                           \
                s2 += values[k + 2] * x[indices[k + 2]];                                           \
                s3 += values[k + 3] * x[indices[k + 3]];                                           \
            }                                                                                      \
        for (; k < n; k++)                                                                         \
            s0 += values[k] * x[indices[k]];                                                       \
        return (s0 + s1) + (s2 + s3);                                                              \
    }

/* Rows and entries are counted together: the entries of row i are the items offsets[i] + i and
 * those after it, its end is one more. A share is d0 … d1 - 1; ended_ is how many rows end before
 * an item. */
#define SHARE(T, O, I, suffix)                                                                     \
    static int64_t ended_##suffix(const struct sparse_view *a, int64_t item)                       \
    {                                                                                              \
        const O *offsets = a->offsets;                                                             \
        int64_t low = 0, high = a->lines;                                                          \
        while (low < high) {                                                                       \
            const int64_t middle = (low + high) / 2;                                               \
            if ((int64_t)offsets[middle + 1] - a->base + middle < item)                            \
                low = middle + 1;                                                                  \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        return low;                                                                                \
    }                                                                                              \
    static void share_##suffix(const struct call *c, int64_t share)                                \
    {                                                                                              \
        const struct sparse_view *a = &c->p.a;                                                     \
        const O *offsets = a->offsets;                                                             \
        const I *indices = a->indices;                                                             \
        const T *values = a->values, *x = (const T *)c->p.x - a->base;                             \
        T *y = c->p.y;                                                                             \
        const T alpha = (T)scalar_of(&c->p.alpha, c->p.type),                                      \
                beta = (T)scalar_of(&c->p.beta, c->p.type);                                        \
        const int64_t all = a->lines + a->entries, d0 = all * share / c->shares,                   \
                      d1 = all * (share + 1) / c->shares, until = ended_##suffix(a, d1);           \
        int64_t line = ended_##suffix(a, d0), k = d0 - line;                                       \
        struct piece *first = &c->first[share], *last = &c->last[share];                           \
        first->line = last->line = -1;                                                             \
        if (line < until && (int64_t)offsets[line] - a->base < k) { /* others have its begin */    \
            const int64_t end = (int64_t)offsets[line + 1] - a->base;                              \
            *first = (struct piece){                                                               \
                line, (double)(alpha * row_##suffix(values + k, indices + k, end - k, x))};        \
            k = end;                                                                               \
            line++;                                                                                \
        }                                                                                          \
        for (; line < until; line++) {                                                             \
            const int64_t end = (int64_t)offsets[line + 1] - a->base;                              \
            const T sum = alpha * row_##suffix(values + k, indices + k, end - k, x);               \
            y[line] = beta == 0 ? sum : sum + beta * y[line];                                      \
            k = end;                                                                               \
        }                                                                                          \
        if (k + line < d1) /* it goes on in the next share */                                      \
            *last = (struct piece){                                                                \
                line, (double)(alpha * row_##suffix(values + k, indices + k, d1 - line - k, x))};  \
    }
#define BOTH(T, O, I, suffix)                                                                      \
    ROW(T, I, suffix)                                                                              \
    SHARE(T, O, I, suffix)
BOTH(float, int32_t, int32_t, f32_32)
BOTH(float, int64_t, int32_t, f32_64_32)
BOTH(float, int64_t, int64_t, f32_64)
BOTH(double, int32_t, int32_t, f64_32)
BOTH(double, int64_t, int32_t, f64_64_32)
BOTH(double, int64_t, int64_t, f64_64)

static void run_share(const tern_thread *t, void *args)
{
    static void (*const functions[2][3])(const struct call *,
                                         int64_t) = {{share_f32_32, share_f32_64_32, share_f32_64},
                                                     {share_f64_32, share_f64_64_32, share_f64_64}};
    const struct call *c = args;
    functions[c->p.type == LIB_F64][c->p.wide_offsets + c->p.wide_indices](c, t->block.x);
}

/* Lines of which several shares have parts. */
static void add_pieces(const tern_thread *t, void *args)
{
    (void)t;
    const struct call *c = args;
    const double beta = scalar_of(&c->p.beta, c->p.type);
    int64_t line = -1;
    double sum = 0;
    for (int64_t k = 0; k <= 2 * c->shares; k++) {
        const struct piece *p = k == 2 * c->shares ? NULL
                                : k % 2            ? &c->last[k / 2]
                                                   : &c->first[k / 2];
        if (p && p->line < 0)
            continue;
        if (line >= 0 && (!p || p->line != line)) {
            if (c->p.type == LIB_F32) {
                float *y = (float *)c->p.y + line;
                *y = (float)(beta == 0 ? sum : sum + beta * (double)*y);
            } else {
                double *y = (double *)c->p.y + line;
                *y = beta == 0 ? sum : sum + beta * *y;
            }
        }
        if (!p)
            break;
        sum = p->line == line ? sum + p->sum : p->sum;
        line = p->line;
    }
}

enum tern_error sparse_host_mv(const struct cusparseContext *h, const struct sparse_host_mv *p)
{
    if ((p->type != LIB_F32 && p->type != LIB_F64) || (p->wide_indices && !p->wide_offsets))
        return TERN_UNSUPPORTED;
    struct call c = {.p = *p, .shares = h->device.threads};
    if (c.shares > MAX_SHARES)
        c.shares = MAX_SHARES;
    if (p->a.entries < SMALL)
        c.shares = 1;
    tern_stream *stream;
    void *pieces;
    enum tern_error e = tern_cuda_stream(h->device.device, h->stream, &stream);
    if (e)
        return e;
    e = lib_scratch(h->stream, 2 * (size_t)c.shares * sizeof(struct piece), &pieces);
    if (e)
        return e;
    c.first = pieces;
    c.last = c.first + c.shares;
    const tern_dim one = {1, 1, 1};
    e = tern_launch_function(stream, run_share, (tern_dim){(uint32_t)c.shares, 1, 1}, one, 0, &c,
                             sizeof c);
    if (!e)
        e = tern_launch_function(stream, add_pieces, one, one, 0, &c, sizeof c);
    lib_scratch_free(h->stream, pieces);
    return e;
}
