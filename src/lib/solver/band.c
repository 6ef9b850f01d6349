/* Eigenvalues in two stages (device/solver/band.h): a few columns at a time are reflected until
 * only a band is left, which all but products takes little of; the band becomes tridiagonal sweep
 * by sweep, many at once. Vectors go back through both. */
#include "lib/solver/solver_int.h"

#include <stdio.h>

enum {
    LEAST = 4096, /* rows that it is worth it for */
    PARTS = 16,   /* of a long V' X on GPUs, which one block would take long over */
    PART_ROWS = 64,
};

bool band_suits(const struct work *w, int64_t n)
{
    const struct cusolverDnContext *h = w->h;
    if (h->band_from >= 0)
        return h->band_from && n >= h->band_from && n > 2;
    return h->device.capability >= 70 && w->type == LIB_F64 && n >= LEAST;
}

/* ---- to a band ---- */

/* X = V' Y of k columns each, in parts that are summed. */
static void inner(struct work *w, int64_t m, int64_t k, const void *v, const void *y, int64_t ld,
                  void *scratch, void *x)
{
    const int64_t each = m / PARTS / 16 * 16, rest = m - each * PARTS;
    if (w->h->device.host_path || each < PART_ROWS) {
        work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, m, 1, v, ld, y, ld, 0, x, k);
        return;
    }
    int64_t count = k * k;
    int parts = PARTS;
    work_gemm_strided(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, each, 1, v, ld, each, y, ld, each, 0,
                      scratch, k, count, PARTS);
    work_each(w, "band.h", "sum_parts", count, (void *[]){&count, &scratch, &count, &parts, &x});
    if (rest)
        work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, rest, 1, work_at(w, v, ld, each * PARTS, 0),
                  ld, work_at(w, y, ld, each * PARTS, 0), ld, 1, x, k);
}

/* A reflected block's other rows and columns hear of it from both sides: of X = A V T and
 * W = X - V (T' V' X) / 2, V W' + W V' comes off. v has room for V, W and V again. */
static void both_sides(struct work *w, const struct reflections *r, void *v, void *y, void *x,
                       void *small, void *a, int64_t lda)
{
    const int64_t m = r->rows, k = r->count, ld = r->ldv;
    void *own = work_at(w, v, ld, 0, k), *again = work_at(w, v, ld, 0, 2 * k),
         *u = work_at(w, small, k, 0, 0), *s = work_at(w, small, k, 0, k),
         *parts = work_at(w, small, k, 0, 2 * k);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m, k, m, 1, a, lda, v, ld, 0, y, ld);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m, k, k, 1, y, ld, r->t, r->most, 0, x, ld);
    inner(w, m, k, v, x, ld, parts, u);
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, k, 1, r->t, r->most, u, k, 0, s, k);
    work_copy(w, own, x, (size_t)(ld * k) * lib_types[w->type].bytes);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m, k, k, -0.5, v, ld, s, k, 1, own, ld);
    work_copy(w, again, v, (size_t)(ld * k) * lib_types[w->type].bytes);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, m, m, 2 * k, -1, v, ld, own, ld, 1, a, lda);
}

static void to_band(struct work *w, int64_t n, int64_t band, void *a, int64_t lda, void *tau)
{
    struct reflections r;
    if (n <= band)
        return;
    qr_reserve(w, &r, n - band, band);
    void *v = work_elements(w, 3 * r.ldv * band), *y = work_elements(w, r.ldv * band),
         *x = work_elements(w, r.ldv * band), *small = work_elements(w, (PARTS + 2) * band * band);
    struct panel tall = panel_begin(w, n - band);
    r.v = v;
    for (int64_t k = 0; k + band < n; k += band) {
        void *below = work_at(w, a, lda, k + band, k);
        qr_panel(w, &r, &tall, n - k - band, band, below, lda, work_at(w, tau, 1, k, 0));
        both_sides(w, &r, v, y, x, small, work_at(w, a, lda, k + band, k + band), lda);
    }
}

/* ---- to a tridiagonal matrix ---- */

static int64_t positions_of(const struct band *b)
{
    return (b->n - 2) / b->width + 1;
}

static void run(struct work *w, const char *name, int64_t band, const char *more, int64_t blocks,
                int threads, void *const *args)
{
    char kernel[96];
    if (w->error)
        return;
    snprintf(kernel, sizeof kernel, "%s<%s, %d%s>", name, lib_types[w->type].name, (int)band, more);
    work_fail(w, lib_run(&w->h->device, w->h->stream, "solver/band.h", kernel,
                         (tern_dim){(uint32_t)blocks}, (tern_dim){(uint32_t)threads}, args));
}

/* Blocks that wait for each other must be on the device at once: elsewhere one does all of it. */
static void to_tridiagonal(struct work *w, struct band *b, void *a, int64_t lda, void *d, void *e)
{
    const struct lib_device *device = &w->h->device;
    const int64_t positions = positions_of(b), units = device->info.units,
                  most = device->capability >= 70 && units ? units : 1,
                  blocks = positions < most ? positions : most, threads = b->width * b->width / 16,
                  n = b->n;
    const size_t each = lib_types[w->type].bytes,
                 cells = (size_t)(2 * positions * (b->width + 1)) * 2 * each;
    b->ldt = positions * b->width;
    b->vectors = work_elements(w, n * n);
    b->tau = work_elements(w, b->ldt * positions);
    work_zero(w, b->tau, (size_t)(b->ldt * positions) * each);
    const int before = w->nscratch;
    void *board = work_bytes(w, cells),
         *kept = work_elements(w, blocks < positions ? positions * threads * 32 : 1);
    work_zero(w, board, cells);
    run(w, "chase", b->width, device->host_path ? ", false" : ", true", blocks, (int)threads,
        (void *[]){(void *)&n, &a, &lda, &d, &e, &b->vectors, (void *)&n, &b->tau, &b->ldt, &kept,
                   &board});
    work_release(w, before);
}

void band_reduce(struct work *w, int64_t n, void *a, int64_t lda, void *d, void *e, void *tau,
                 struct band *b)
{
    *b = (struct band){.n = n, .width = qr_width(w)};
    const int before = w->nscratch;
    to_band(w, n, b->width, a, lda, tau);
    work_release(w, before);
    to_tridiagonal(w, b, a, lda, d, e);
}

/* ---- vectors ---- */

int64_t band_rows(const struct band *b)
{
    return (b->n + b->width - 1) / b->width * b->width + b->width;
}

/* Groups of sweeps g at positions j, of one j - g: they touch different rows. */
static void diamonds(struct work *w, const struct band *b, int64_t g, int64_t j, int64_t groups,
                     int64_t count, void *scratch[5], void *x, int64_t ldx)
{
    enum { THREADS = 256 };
    int64_t n = b->n, width = b->width, tall = 2 * width;
    void *v = scratch[0], *vt = scratch[1], *gram = scratch[2], *t = scratch[3], *y = scratch[4];
    const int64_t square = width * width, ldy = groups * width;
    void *at = work_at(w, x, ldx, (g + j) * width, 0);
    run(w, "chase_diamonds", width, "", groups, THREADS,
        (void *[]){&n, &g, &j, (void *)&b->vectors, &n, &v});
    work_gemm_strided(w, CUBLAS_OP_C, CUBLAS_OP_N, width, width, tall, 1, v, tall, 2 * square, v,
                      tall, 2 * square, 0, gram, width, square, groups);
    run(w, "chase_triangles", width, "", groups, (int)width,
        (void *[]){&g, &j, &gram, (void *)&b->tau, (void *)&b->ldt, &t});
    work_gemm_strided(w, CUBLAS_OP_N, CUBLAS_OP_N, tall, width, width, 1, v, tall, 2 * square, t,
                      width, square, 0, vt, tall, 2 * square, groups);
    work_gemm_strided(w, CUBLAS_OP_C, CUBLAS_OP_N, width, count, tall, 1, v, tall, 2 * square, at,
                      ldx, tall, 0, y, ldy, width, groups);
    work_gemm_strided(w, CUBLAS_OP_N, CUBLAS_OP_N, tall, count, width, -1, vt, tall, 2 * square, y,
                      ldy, width, 1, at, ldx, tall, groups);
}

/* The product of the sweeps is that of groups of them, and a group's that of its positions from the
 * last to the first: X hears of the last group first, and of its first position. (g, j) comes after
 * (g, j - 1) and (g + 1, j), so that all of one j - g may be done together. */
void band_back(struct work *w, const struct band *b, int64_t count, void *x, int64_t ldx)
{
    const int64_t last = positions_of(b) - 1, square = b->width * b->width, most = last / 2 + 1;
    const int before = w->nscratch;
    void *scratch[5];
    for (int k = 0; k < 4; k++)
        scratch[k] = work_elements(w, most * square * (k < 2 ? 2 : 1));
    scratch[4] = work_elements(w, most * b->width * count);
    for (int64_t from = -last; from <= last; from++) {
        const int64_t g = from < 0 ? -from : 0, end = (last - from) / 2;
        diamonds(w, b, g, g + from, end - g + 1, count, scratch, x, ldx);
    }
    work_release(w, before);
}
