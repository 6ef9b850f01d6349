/* Eigenvectors of a tridiagonal matrix by halves (device/solver/divide.h): parts of a few rows
 * first, all at once, then neighbours are merged, all of a size at once. The host looks through the
 * eigenvalues of two parts for what needs no merging (deflation); roots, vectors and products are
 * the device's. */
#include "lib/solver/solver_int.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, THREADS = 32 * WARPS }; /* as divide.h has them */

/* What goes to the device for the merges of one size: arrays of n elements, one after the other. */
struct level {
    int64_t n, merges;
    size_t bytes;
    struct divide_merge *merge;
    double *poles, *z, *values, *cosine, *sine;
    int64_t *order, *columns, *first, *second;
};

enum { LEVEL_ARRAYS = 9 };

static size_t level_bytes(int64_t n, int64_t merges)
{
    return (size_t)merges * sizeof(struct divide_merge) + (size_t)(LEVEL_ARRAYS * n) * 8;
}

/* Where everything is, from p on: on the host or on the device. */
static struct level level_at(void *p, int64_t n, int64_t merges)
{
    char *at = p;
    struct level l = {.n = n, .merges = merges, .bytes = level_bytes(n, merges)};
    double **const reals[] = {&l.poles, &l.z, &l.values, &l.cosine, &l.sine};
    int64_t **const whole[] = {&l.order, &l.columns, &l.first, &l.second};
    l.merge = p;
    at += (size_t)merges * sizeof *l.merge;
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++, at += n * 8)
        *reals[k] = (double *)(void *)at;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++, at += n * 8)
        *whole[k] = (int64_t *)(void *)at;
    return l;
}

/* ---- deflation ---- */

enum kind { UPPER, BOTH, LOWER, NKINDS };

struct column {
    double d, z;
    int64_t at; /* in Q */
    enum kind kind;
};

static int smaller_first(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Turns two columns so that the first has no part in the coupling, if that leaves the matrix as it
 * is but for tolerance. */
static bool turn(struct level *l, struct divide_merge *m, struct column *a, struct column *b,
                 double tolerance)
{
    const double length = hypot(b->z, a->z), c = b->z / length, s = -a->z / length, x = a->d,
                 y = b->d;
    if (fabs((y - x) * c * s) > tolerance)
        return false;
    const int64_t k = m->at + m->rotations++;
    l->first[k] = a->at;
    l->second[k] = b->at;
    l->cosine[k] = c;
    l->sine[k] = s;
    b->z = length;
    a->z = 0;
    a->d = x * c * c + y * s * s;
    b->d = x * s * s + y * c * c;
    if (a->kind != b->kind)
        b->kind = BOTH;
    return true;
}

/* Columns sorted by their eigenvalues: those that change become the level's poles, the others
 * follow them. list is scratch. */
static void deflate(struct level *l, struct divide_merge *m, struct column *c, double eps,
                    int64_t *list)
{
    const int64_t rows = m->upper + m->lower, at = m->at;
    double most_d = 0, most_z = 0;
    for (int64_t k = 0; k < rows; k++) {
        most_d = fmax(most_d, fabs(c[k].d));
        most_z = fmax(most_z, fabs(c[k].z));
    }
    const double tolerance = 8 * eps * fmax(most_d, most_z);
    int64_t kept = 0, stay = rows, pending = -1, kinds[NKINDS] = {0};
    for (int64_t k = 0; k < rows; k++) {
        if (m->rho * fabs(c[k].z) <= tolerance) {
            list[--stay] = k;
            continue;
        }
        if (pending >= 0) {
            if (turn(l, m, &c[pending], &c[k], tolerance))
                list[--stay] = pending;
            else
                list[kept++] = pending;
        }
        pending = k;
    }
    if (pending >= 0)
        list[kept++] = pending;
    for (int64_t k = 0; k < kept; k++) {
        l->poles[at + k] = c[list[k]].d;
        l->z[at + k] = c[list[k]].z;
        kinds[c[list[k]].kind]++;
    }
    m->count = kept;
    m->first = kinds[UPPER];
    m->both = kinds[BOTH];
    int64_t place[NKINDS] = {0, kinds[UPPER], kinds[UPPER] + kinds[BOTH]};
    for (int64_t k = 0; k < kept; k++) {
        const int64_t to = at + place[c[list[k]].kind]++;
        l->order[to] = k;
        l->columns[to] = c[list[k]].at;
    }
    for (int64_t k = kept; k < rows; k++) {
        l->columns[at + k] = c[list[k]].at;
        l->values[at + k] = c[list[k]].d;
    }
}

/* ---- one level ---- */

struct divide {
    struct work *w;
    int64_t n;
    void *q, *other, *s; /* n by n */
    double *d, *z;       /* eigenvalues so far, of the host; ends of vectors */
    const double *e;
    void *device, *host;              /* a level each */
    void *roots, *poles, *again, *ze; /* n doubles each, on the device */
    struct column *columns;
    int64_t *list;
};

static void launch(struct divide *v, const char *name, bool typed, int64_t blocks, int64_t merges,
                   int threads, void *const *args)
{
    struct work *w = v->w;
    char kernel[64];
    if (w->error || !blocks || !merges)
        return;
    snprintf(kernel, sizeof kernel, typed ? "%s<%s>" : "%s", name, lib_types[w->real].name);
    const tern_dim grid = {(uint32_t)blocks, (uint32_t)merges, 1},
                   block = {(uint32_t)threads, 1, 1};
    work_fail(w,
              lib_run(&w->h->device, w->h->stream, "solver/divide.h", kernel, grid, block, args));
}

/* Q's columns that change become the product of what they were with the vectors of D + rho z z'. */
static void multiply(struct divide *v, const struct divide_merge *m)
{
    struct work *w = v->w;
    const enum lib_type type = w->type;
    const int64_t n = v->n, at = m->at, low = at + m->upper, top = m->first + m->both;
    w->type = w->real;
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m->upper, m->count, top, 1,
              work_at(w, v->other, n, at, at), n, work_at(w, v->s, n, at, at), n, 0,
              work_at(w, v->q, n, at, at), n);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m->lower, m->count, m->count - m->first, 1,
              work_at(w, v->other, n, low, at + m->first), n,
              work_at(w, v->s, n, at + m->first, at), n, 0, work_at(w, v->q, n, low, at), n);
    w->type = type;
}

static int64_t blocks_of(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

/* The vectors' ends, as the device has them, and what is to be done with each pair of parts. */
static void prepare(struct divide *v, struct level *l, double eps)
{
    work_get(v->w, v->z, v->ze, (size_t)v->n * sizeof *v->z);
    if (v->w->error)
        return;
    for (int64_t k = 0; k < l->merges; k++) {
        struct divide_merge *m = &l->merge[k];
        const int64_t rows = m->upper + m->lower;
        const double e = v->e[m->at + m->upper - 1], half = sqrt(0.5);
        for (int64_t j = 0; j < rows; j++) {
            const bool lower = j >= m->upper;
            v->columns[j] = (struct column){.d = v->d[m->at + j],
                                            .z = v->z[m->at + j] * (lower && e < 0 ? -half : half),
                                            .at = m->at + j,
                                            .kind = lower ? LOWER : UPPER};
        }
        m->rho = 2 * fabs(e);
        qsort(v->columns, (size_t)rows, sizeof *v->columns, smaller_first);
        deflate(l, m, v->columns, eps, v->list);
    }
}

static void merge_level(struct divide *v, const int64_t *starts, int64_t parts, double eps)
{
    struct work *w = v->w;
    struct level l = level_at(v->host, v->n, parts / 2), on = level_at(v->device, v->n, parts / 2);
    int64_t n = v->n, most = 0, rows = 0, rotations = 0;
    memset(v->host, 0, l.bytes);
    for (int64_t k = 0; k < l.merges; k++) {
        const int64_t at = starts[2 * k], middle = starts[2 * k + 1], end = starts[2 * k + 2];
        l.merge[k] = (struct divide_merge){.at = at, .upper = middle - at, .lower = end - middle};
        rows = end - at > rows ? end - at : rows;
    }
    work_put(w, v->device, l.merge, (size_t)l.merges * sizeof *l.merge);
    launch(v, "divide_rows", true, blocks_of(rows, THREADS), l.merges, THREADS,
           (void *[]){&on.merge, &v->q, &n, &v->ze});
    prepare(v, &l, eps);
    if (w->error)
        return;
    for (int64_t k = 0; k < l.merges; k++) {
        most = l.merge[k].count > most ? l.merge[k].count : most;
        rotations += l.merge[k].rotations;
    }
    work_put(w, v->device, v->host, l.bytes);
    if (rotations)
        launch(v, "divide_rotate", true, blocks_of(rows, THREADS), l.merges, THREADS,
               (void *[]){&on.merge, &v->q, &n, &on.first, &on.second, &on.cosine, &on.sine});
    const int64_t roots = blocks_of(most, WARPS), elements = blocks_of(rows * rows, 8 * THREADS);
    int back = 0;
    launch(v, "divide_roots", false, roots, l.merges, THREADS,
           (void *[]){&on.merge, &on.poles, &on.z, &v->roots, &on.values, &v->poles});
    launch(v, "divide_again", false, roots, l.merges, THREADS,
           (void *[]){&on.merge, &on.poles, &on.z, &v->roots, &v->poles, &v->again});
    launch(v, "divide_vectors", true, roots, l.merges, THREADS,
           (void *[]){&on.merge, &on.poles, &v->again, &v->roots, &v->poles, &on.order, &v->s, &n});
    launch(v, "divide_gather", true, elements, l.merges, THREADS,
           (void *[]){&on.merge, &v->q, &v->other, &n, &on.columns, &back});
    for (int64_t k = 0; k < l.merges; k++)
        multiply(v, &l.merge[k]);
    back = 1;
    launch(v, "divide_gather", true, elements, l.merges, THREADS,
           (void *[]){&on.merge, &v->q, &v->other, &n, &on.columns, &back});
    work_get(w, v->d, on.values, (size_t)n * sizeof *v->d);
}

/* ---- all of it ---- */

/* Where the parts of the smallest size begin; the result is how many there are, a power of two. */
static int64_t cut(int64_t n, int64_t *starts)
{
    int64_t parts = 1;
    while ((n + parts - 1) / parts > DIVIDE_LEAF)
        parts *= 2;
    for (int64_t k = 0; k <= parts; k++)
        starts[k] = n * k / parts;
    return parts;
}

static int leaves(struct divide *v, const int64_t *starts, int64_t parts)
{
    struct work *w = v->w;
    int64_t n = v->n;
    int bad = 0;
    void *d = v->again, *e = v->ze;
    void *places = work_bytes(w, (size_t)(parts + 1) * sizeof *starts);
    int *failed = work_bytes(w, sizeof *failed);
    work_zero(w, failed, sizeof *failed);
    work_zero(w, v->q, (size_t)(n * n) * lib_types[w->real].bytes);
    work_put(w, places, starts, (size_t)(parts + 1) * sizeof *starts);
    work_put(w, d, v->d, (size_t)n * sizeof *v->d);
    work_put(w, e, v->e, (size_t)(n - 1) * sizeof *v->e);
    launch(v, "divide_leaf", true, parts, 1, DIVIDE_LEAF,
           (void *[]){&places, &d, &e, &v->q, &n, &failed});
    work_get(w, v->d, d, (size_t)n * sizeof *v->d);
    work_get(w, &bad, failed, sizeof bad);
    return bad;
}

/* The largest element, by which all are divided so that squares are numbers. */
static double size_of(int64_t n, const double *d, const double *e)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(d[k]));
        if (k + 1 < n)
            most = fmax(most, fabs(e[k]));
    }
    return most > 0 && isfinite(most) ? most : 1;
}

int64_t divide_solve(struct work *w, int64_t n, double *d, double *e, void *q)
{
    const double size = size_of(n, d, e),
                 eps = w->real == LIB_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    struct divide v = {.w = w, .n = n, .q = q, .d = d, .e = e};
    const size_t host = level_bytes(n, n);
    const int before = w->nscratch;
    int64_t *starts = calloc((size_t)(2 * n + 2), sizeof *starts);
    v.z = calloc((size_t)n, sizeof *v.z);
    v.columns = calloc((size_t)n, sizeof *v.columns);
    v.list = calloc((size_t)n, sizeof *v.list);
    v.host = malloc(host);
    if (!starts || !v.z || !v.columns || !v.list || !v.host)
        work_fail(w, TERN_OUT_OF_MEMORY);
    v.other = work_reals(w, n * n);
    v.s = work_reals(w, n * n);
    v.device = work_bytes(w, host);
    void **const vectors[] = {&v.roots, &v.poles, &v.again, &v.ze};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = work_bytes(w, (size_t)n * sizeof(double));
    int64_t bad = 0;
    if (!w->error) {
        int64_t parts = cut(n, starts);
        for (int64_t k = 0; k < n; k++) {
            d[k] /= size;
            e[k] = k + 1 < n ? e[k] / size : 0;
        }
        for (int64_t k = 1; k < parts; k++) { /* what couples the parts comes off both */
            const double coupling = fabs(e[starts[k] - 1]);
            d[starts[k] - 1] -= coupling;
            d[starts[k]] -= coupling;
        }
        bad = leaves(&v, starts, parts);
        for (; parts > 1 && !w->error; parts /= 2) {
            merge_level(&v, starts, parts, eps);
            for (int64_t k = 0; k <= parts / 2; k++)
                starts[k] = starts[2 * k];
        }
        for (int64_t k = 0; k < n; k++)
            d[k] *= size;
    }
    work_release(w, before);
    free(starts);
    free(v.z);
    free(v.columns);
    free(v.list);
    free(v.host);
    return bad;
}
