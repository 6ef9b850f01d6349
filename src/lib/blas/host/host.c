/* Which products C functions do on the CPU, in which shares, and the loops of one share. */
#include "lib/blas/host/host.h"

#include <stdlib.h>
#include <string.h>

/* One launch: every share is a piece of one matrix of the batch. */
struct call {
    struct blas_types types;
    struct blas_product p;
    int64_t rows, cols;   /* of a share */
    int64_t across, down; /* shares of one matrix */
    int64_t batch, group; /* matrices, and how many of them are a task's */
    const struct host_kernels *kernels;
};

enum {
    LEAST_SHARE = 64,     /* rows and columns */
    SMALL = 64 * 64 * 64, /* products: not worth a second core */
    ON_STACK = 48 << 10,  /* bytes of panels */
    TILE_K = 48,          /* of a tile whose panels are on the stack, whatever the type */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t upto(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

/* The part of k that all elements of a panel have, and the part that only some have: a triangle's
 * diagonal. */
struct span {
    int64_t from, end; /* dense */
    int64_t some, some_end;
};

static struct span span_of(const struct blas_types *t, const struct blas_product *p, int64_t i,
                           int mr, int64_t j, int nr)
{
    struct span s = {0, p->k, 0, 0};
    if (t->a_kind == BLAS_TRIANGULAR) {
        const int64_t end = least(i + mr, p->k);
        s = p->a.upper ? (struct span){end, p->k, i, end} : (struct span){0, i, i, end};
    } else if (t->b_kind == BLAS_TRIANGULAR) {
        const int64_t end = least(j + nr, p->k);
        s = p->b.upper ? (struct span){0, j, j, end} : (struct span){end, p->k, j, end};
    }
    return s;
}

/* Whether any element of the tile is wanted. */
static bool wanted(const struct blas_product *p, int64_t i, int64_t m, int64_t j, int64_t n)
{
    return p->part == BLAS_UPPER ? i <= j + n - 1 : p->part == BLAS_LOWER ? i + m - 1 >= j : true;
}

/* Whether all rows of a tile are there and wanted, side by side, where C has them, too. */
static bool whole_tile(const struct blas_product *p, int64_t i, int m, int mr, int64_t j, int n)
{
    return m == mr && p->d_row == 1 && p->c_row == 1 && p->c_col == p->d_col &&
           (p->part == BLAS_WHOLE || (p->part == BLAS_LOWER ? i >= j + n - 1 : i + m - 1 <= j));
}

/* The loops exist for float and double. T: what is computed with; K: the parameters' member. */
#define SHARE(T, K, PACK)                                                                          \
    struct share_##T {                                                                             \
        const struct call *call;                                                                   \
        const struct host_##K *k;                                                                  \
        struct host_source a, b;                                                                   \
        struct host_scalars scalars;                                                               \
        const void *c;                                                                             \
        void *d;                                                                                   \
        int64_t z;                                                                                 \
        int parts;   /* 2: complex */                                                              \
        bool direct; /* sums go to the result at once: it is of their type */                      \
        T *held;     /* else here, over all of k, part after part */                               \
        int64_t i0, j0, m, n;                                                                      \
    };                                                                                             \
                                                                                                   \
    /* Adds what a triangle's diagonal gives: element by element, because what lies outside is not \
     * there. */                                                                                   \
    static void diagonal_##T(const struct share_##T *s, const struct span *w, int64_t i,           \
                             int64_t j, int m, int n, T *re, T *im)                                \
    {                                                                                              \
        for (int64_t l = w->some; l < w->some_end; l++)                                            \
            for (int y = 0; y < n; y++)                                                            \
                for (int x = 0; x < m; x++) {                                                      \
                    double u[2], v[2];                                                             \
                    if (!host_element(&s->a, i + x, l, u) || !host_element(&s->b, l, j + y, v))    \
                        continue;                                                                  \
                    re[x + y * s->k->mr] += (T)(u[0] * v[0] - u[1] * v[1]);                        \
                    if (im)                                                                        \
                        im[x + y * s->k->mr] += (T)(u[0] * v[1] + u[1] * v[0]);                    \
                }                                                                                  \
    }                                                                                              \
                                                                                                   \
    /* A tile's sums to the result: of the same type, by columns. */                               \
    static void put_##T(const struct share_##T *s, bool first, int64_t i, int64_t j, int m, int n, \
                        const T *sum)                                                              \
    {                                                                                              \
        const struct blas_product *p = &s->call->p;                                                \
        const T alpha = (T)s->scalars.alpha[0], beta = first ? (T)s->scalars.beta[0] : 1;          \
        const int mr = s->k->mr;                                                                   \
        if (whole_tile(p, i, m, mr, j, n) && (s->d == s->c || !first)) {                           \
            s->k->put(sum, n, alpha, beta, (T *)s->d + i + j * p->d_col, p->d_col);                \
            return;                                                                                \
        }                                                                                          \
        for (int y = 0; y < n; y++) {                                                              \
            T *d = (T *)s->d + i * p->d_row + (j + y) * p->d_col;                                  \
            const T *c = (const T *)(first ? s->c : s->d) + i * p->c_row + (j + y) * p->c_col;     \
            const int from =                                                                       \
                          p->part == BLAS_LOWER ? (int)(j + y > i ? least(j + y - i, m) : 0) : 0,  \
                      end = p->part == BLAS_UPPER ? (int)(j + y < i ? 0 : least(j + y - i + 1, m)) \
                                                  : m;                                             \
            if (p->d_row == 1 && p->c_row == 1) {                                                  \
                if (beta == 0)                                                                     \
                    for (int x = from; x < end; x++)                                               \
                        d[x] = alpha * sum[x + y * mr];                                            \
                else                                                                               \
                    for (int x = from; x < end; x++)                                               \
                        d[x] = alpha * sum[x + y * mr] + beta * c[x];                              \
            } else {                                                                               \
                for (int x = from; x < end; x++)                                                   \
                    d[x * p->d_row] =                                                              \
                        alpha * sum[x + y * mr] + (beta == 0 ? 0 : beta * c[x * p->c_row]);        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* One tile over [k0, k0 + kc) of k. */                                                        \
    static void tile_##T(const struct share_##T *s, bool first, int64_t k0, int64_t kc,            \
                         const T *a, const T *b, int64_t a_part, int64_t b_part, int64_t i,        \
                         int64_t j, int m, int n)                                                  \
    {                                                                                              \
        _Alignas(64) T sum[4][HOST_MAX_TILE];                                                      \
        const struct blas_product *p = &s->call->p;                                                \
        const int mr = s->k->mr, nr = s->k->nr;                                                    \
        const struct span w = span_of(&s->call->types, p, i, mr, j, nr);                           \
        const int64_t from = w.from > k0 ? w.from : k0, end = least(w.end, k0 + kc),               \
                      count = end > from ? end - from : 0;                                         \
        a += (from - k0) * mr * (count > 0);                                                       \
        b += (from - k0) * nr * (count > 0);                                                       \
        if (s->k->whole && s->direct && s->parts == 1 && n == nr && w.some == w.some_end &&        \
            whole_tile(p, i, m, mr, j, n) && (s->d == s->c || !first)) {                           \
            s->k->whole(count, a, b, (T)s->scalars.alpha[0], first ? (T)s->scalars.beta[0] : 1,    \
                        (T *)s->d + i + j * p->d_col, p->d_col);                                   \
            return;                                                                                \
        }                                                                                          \
        s->k->tile(count, a, b, sum[0]);                                                           \
        if (s->parts == 2) {                                                                       \
            s->k->tile(count, a + a_part, b + b_part, sum[1]);                                     \
            s->k->tile(count, a, b + b_part, sum[2]);                                              \
            s->k->tile(count, a + a_part, b, sum[3]);                                              \
            for (int x = 0; x < mr * nr; x++) {                                                    \
                sum[0][x] -= sum[1][x];                                                            \
                sum[1][x] = sum[2][x] + sum[3][x];                                                 \
            }                                                                                      \
        }                                                                                          \
        if (first && w.some < w.some_end)                                                          \
            diagonal_##T(s, &w, i, j, m, n, sum[0], s->parts == 2 ? sum[1] : NULL);                \
        if (s->direct) {                                                                           \
            put_##T(s, first, i, j, m, n, sum[0]);                                                 \
            return;                                                                                \
        }                                                                                          \
        for (int part = 0; part < s->parts; part++)                                                \
            for (int y = 0; y < n; y++) {                                                          \
                T *to = s->held + part * s->m * s->n + (i - s->i0) + (j + y - s->j0) * s->m;       \
                for (int x = 0; x < m; x++)                                                        \
                    to[x] = (first ? 0 : to[x]) + sum[part][x + y * mr];                           \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    static void panels_##T(const struct share_##T *s, T *ap, T *bp, int64_t mc, int64_t kc_most,   \
                           int64_t nc)                                                             \
    {                                                                                              \
        const struct blas_product *p = &s->call->p;                                                \
        const int mr = s->k->mr, nr = s->k->nr;                                                    \
        for (int64_t jc = 0; jc < s->n; jc += nc) {                                                \
            const int64_t n = least(nc, s->n - jc);                                                \
            for (int64_t k0 = 0; k0 < p->k || (k0 == 0 && p->k == 0); k0 += kc_most) {             \
                const int64_t kc = least(kc_most, p->k - k0), b_part = upto(n, nr) * kc;           \
                for (int part = 0; part < s->parts; part++)                                        \
                    PACK(&s->b, (enum host_part)part, s->j0 + jc, n, k0, kc, nr,                   \
                         bp + part * b_part);                                                      \
                for (int64_t ic = 0; ic < s->m; ic += mc) {                                        \
                    const int64_t m = least(mc, s->m - ic), a_part = upto(m, mr) * kc;             \
                    if (!wanted(p, s->i0 + ic, m, s->j0 + jc, n))                                  \
                        continue;                                                                  \
                    for (int part = 0; part < s->parts; part++)                                    \
                        PACK(&s->a, (enum host_part)part, s->i0 + ic, m, k0, kc, mr,               \
                             ap + part * a_part);                                                  \
                    for (int64_t jr = 0; jr < n; jr += nr)                                         \
                        for (int64_t ir = 0; ir < m; ir += mr) {                                   \
                            const int tm = (int)least(mr, m - ir), tn = (int)least(nr, n - jr);    \
                            const int64_t i = s->i0 + ic + ir, j = s->j0 + jc + jr;                \
                            if (wanted(p, i, tm, j, tn))                                           \
                                tile_##T(s, k0 == 0, k0, kc, ap + ir * kc, bp + jr * kc, a_part,   \
                                         b_part, i, j, tm, tn);                                    \
                        }                                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static bool share_##T(struct share_##T *s, int64_t kc)                                         \
    {                                                                                              \
        const struct blas_product *p = &s->call->p;                                                \
        const int64_t mc = least(s->k->mc, upto(s->m, s->k->mr)),                                  \
                      nc = least(s->k->nc, upto(s->n, s->k->nr));                                  \
        kc = p->k < 1 ? 1 : least(kc, p->k);                                                       \
        const size_t a = (size_t)(upto(mc * kc * s->parts, 16)), b = (size_t)(nc * kc * s->parts), \
                     held = s->direct ? 0 : (size_t)(s->m * s->n * s->parts),                      \
                     all = (a + b + held) * sizeof(T);                                             \
        _Alignas(64) char stack[ON_STACK];                                                         \
        char *memory = all <= ON_STACK ? stack : aligned_alloc(64, (all + 63) / 64 * 64);          \
        if (!memory)                                                                               \
            return false;                                                                          \
        T *ap = (T *)(void *)memory;                                                               \
        s->held = ap + a + b;                                                                      \
        panels_##T(s, ap, ap + a, mc, kc, nc);                                                     \
        for (int64_t y = 0; y < s->n && !s->direct; y++) {                                         \
            if (host_store_##K(&s->call->types, p, &s->scalars, s->c, s->d, s->i0, s->j0 + y,      \
                               s->m, s->held + y * s->m,                                           \
                               s->held + s->m * s->n * (s->parts - 1) + y * s->m))                 \
                continue;                                                                          \
            for (int64_t x = 0; x < s->m; x++) {                                                   \
                const double sum[2] = {(double)s->held[x + y * s->m],                              \
                                       s->parts == 2 ? (double)s->held[s->m * s->n + x + y * s->m] \
                                                     : 0};                                         \
                host_store(&s->call->types, p, &s->scalars, s->z, s->c, s->d, s->i0 + x,           \
                           s->j0 + y, sum);                                                        \
            }                                                                                      \
        }                                                                                          \
        if (memory != stack)                                                                       \
            free(memory);                                                                          \
        return true;                                                                               \
    }                                                                                              \
                                                                                                   \
    /* Without memory for panels, tile after tile: what one needs is on the stack. */              \
    static void whole_##T(struct share_##T *s)                                                     \
    {                                                                                              \
        if (share_##T(s, s->k->kc))                                                                \
            return;                                                                                \
        struct share_##T t = *s;                                                                   \
        for (int64_t j = 0; j < s->n; j += s->k->nr)                                               \
            for (int64_t i = 0; i < s->m; i += s->k->mr) {                                         \
                t.i0 = s->i0 + i;                                                                  \
                t.j0 = s->j0 + j;                                                                  \
                t.m = least(s->k->mr, s->m - i);                                                   \
                t.n = least(s->k->nr, s->n - j);                                                   \
                share_##T(&t, TILE_K);                                                             \
            }                                                                                      \
    }
SHARE(float, f32, host_pack_f32)
SHARE(double, f64, host_pack_f64)

/* What is summed in float: halves, bytes (whose sums over kc are exact) and floats. */
static bool in_double(const struct blas_types *t)
{
    return t->sum == LIB_F64 || t->sum == LIB_C64 || t->sum == LIB_I32;
}

/* Small enough that its operands are read where they are, and stored so that they can be. */
static bool is_small(const struct call *c, const void *from, const void *to)
{
    enum { MOST = 96 };
    const struct blas_product *p = &c->p;
    const struct blas_types *t = &c->types;
    return p->m <= MOST && p->n <= MOST && p->k <= MOST && t->a_kind == BLAS_GENERAL &&
           t->b_kind == BLAS_GENERAL && p->part == BLAS_WHOLE && p->a.row == 1 && p->d_row == 1 &&
           p->c_row == 1 && p->c_col == p->d_col && from == to && t->a == t->c && t->b == t->c &&
           t->sum == t->c && !t->apart && !t->epilogue && !p->scalar_vector &&
           c->across * c->down == 1;
}

static bool small_one(const struct call *c, const struct host_scalars *s, const void *a,
                      const void *b, const void *from, void *to)
{
    const struct blas_product *p = &c->p;
    if (!is_small(c, from, to))
        return false;
    if (c->types.c == LIB_F64 && c->kernels->f64.small)
        c->kernels->f64.small(p->m, p->n, p->k, s->alpha[0], a, p->a.col, b, p->b.row, p->b.col,
                              s->beta[0], to, p->d_col);
    else if (c->types.c == LIB_F32 && c->kernels->f32.small)
        c->kernels->f32.small(p->m, p->n, p->k, (float)s->alpha[0], a, p->a.col, b, p->b.row,
                              p->b.col, (float)s->beta[0], to, p->d_col);
    else
        return false;
    return true;
}

/* One share of one matrix. */
static void run_share(const struct call *c, int64_t task)
{
    const struct blas_product *p = &c->p;
    const int64_t shares = c->across * c->down;
    const int64_t z = task / shares, i = task % shares % c->down * c->rows,
                  j = task % shares / c->down * c->cols;
    const size_t a_bytes = lib_types[c->types.a].bytes, b_bytes = lib_types[c->types.b].bytes,
                 c_bytes = lib_types[c->types.c].bytes;
    const struct host_source a = {
        &p->a, host_matrix(p->a.p, p->a.array, p->a.stride, p->a.offset, z, a_bytes), c->types.a,
        c->types.a_kind, false};
    const struct host_source b = {
        &p->b, host_matrix(p->b.p, p->b.array, p->b.stride, p->b.offset, z, b_bytes), c->types.b,
        c->types.b_kind, true};
    const void *from = host_matrix(p->c, p->c_array, p->c_stride, p->c_offset, z,
                                   lib_types[c->types.apart ? c->types.source : c->types.c].bytes);
    void *to =
        (void *)(uintptr_t)host_matrix(p->d, p->d_array, p->d_stride, p->d_offset, z, c_bytes);
    struct host_scalars scalars;
    host_scalars(&c->types, p, &scalars);
    struct call none;
    if (scalars.alpha[0] == 0 && scalars.alpha[1] == 0 &&
        !p->scalar_vector) { /* A and B are not read */
        none = *c;
        none.p.k = 0;
        c = &none;
        p = &none.p;
    }
    if (small_one(c, &scalars, a.p, b.p, from, to))
        return;
    const int parts = lib_types[c->types.sum].complex ? 2 : 1;
    const int64_t m = least(c->rows, p->m - i), n = least(c->cols, p->n - j);
    if (!wanted(p, i, m, j, n))
        return;
    if (in_double(&c->types)) {
        struct share_double s = {c,       &c->kernels->f64,
                                 a,       b,
                                 scalars, from,
                                 to,      z,
                                 parts,   c->types.c == LIB_F64 && !c->types.apart,
                                 NULL,    i,
                                 j,       m,
                                 n};
        whole_double(&s);
    } else {
        struct share_float s = {c,       &c->kernels->f32,
                                a,       b,
                                scalars, from,
                                to,      z,
                                parts,   c->types.c == LIB_F32 && !c->types.epilogue,
                                NULL,    i,
                                j,       m,
                                n};
        whole_float(&s);
    }
}

static void run(const tern_thread *thread, void *args)
{
    const struct call *c = args;
    const int64_t all = c->across * c->down * c->batch, from = thread->block.x * c->group,
                  end = least(from + c->group, all);
    for (int64_t task = from; task < end; task++)
        run_share(c, task);
}

enum tern_error blas_host_product(struct cublasContext *h, const struct blas_types *t,
                                  const struct blas_product *p, int64_t batch)
{
    struct call c = {.types = *t, .p = *p, .rows = p->m, .cols = p->n, .kernels = host_kernels()};
    const int mr = in_double(t) ? c.kernels->f64.mr : c.kernels->f32.mr,
              nr = in_double(t) ? c.kernels->f64.nr : c.kernels->f32.nr;
    const int64_t threads = h->device.threads;
    /* As many shares as cores, more where there is so much to do that one core may be late and that
     * panels which several shares need are little of it. */
    const int64_t each = threads > 1 && p->m * p->n >= 1024 * 1024 ? 4 : 1,
                  shares = p->m * p->n * (p->k + 1) <= SMALL || batch >= 4 * threads
                               ? 1
                               : each * threads;
    for (c.across = c.down = 1; c.across * c.down * batch < shares;) {
        int64_t *side = c.rows >= c.cols ? &c.rows : &c.cols;
        if (*side < 2 * LEAST_SHARE)
            break;
        *side = upto((*side + 1) / 2, side == &c.rows ? mr : nr);
        c.down = (p->m + c.rows - 1) / c.rows;
        c.across = (p->n + c.cols - 1) / c.cols;
    }
    /* Small matrices are taken several at a time. */
    enum { LEAST_TASK = 1 << 16 }; /* products of elements */
    const int64_t each_one = c.rows * c.cols * (p->k + 1) + 1, all = c.down * c.across * batch;
    c.batch = batch;
    c.group = each_one >= LEAST_TASK
                  ? 1
                  : least((LEAST_TASK + each_one - 1) / each_one, (all + threads - 1) / threads);
    const int64_t tasks = (all + c.group - 1) / c.group;
    if (tasks > INT32_MAX)
        return TERN_UNSUPPORTED;
    return lib_run_function(&h->device, h->stream, "host_product", run, tasks,
                            tasks == 1 && batch * p->m * p->n * (p->k + 1) <= SMALL, &c, sizeof c);
}
