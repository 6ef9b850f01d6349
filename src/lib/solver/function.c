/* Functions of matrices (cuda/tern_solver.h): of Hermitian ones by their eigenvalues; of others by
 * products and inverses. The exponential is Pade's of degree 13 after halving, squared as often;
 * roots come from Denman and Beavers' iteration in its product form, scaled by determinants;
 * logarithms from roots until little is left of them, then from Gauss and Legendre's points, which
 * are Pade's there; signs from Newton's iteration. */
#include "lib/solver/solver_int.h"
#include "cuda/tern_solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_STEPS = 60, MOST_ROOTS = 100 };

/* What is computed with: matrices of n by n without gaps. */
struct matrices {
    struct work *w;
    int64_t n;
    void *unit; /* the identity */
    bool lost;  /* singular, or it does not converge */
};

static void copy(struct work *w, int64_t n, const void *a, int64_t lda, void *b, int64_t ldb)
{
    int part = PART_ALL;
    work_each(w, "util.h", "copy_part", n * n,
              (void *[]){&n, &n, (void *)&a, &lda, &b, &ldb, &part});
}

static void *matrix(const struct matrices *m)
{
    return work_elements(m->w, m->n * m->n);
}
static void set(const struct matrices *m, void *to, const void *from)
{
    work_copy(m->w, to, from, (size_t)(m->n * m->n) * lib_types[m->w->type].bytes);
}
/* x = p x + q y */
static void mix(const struct matrices *m, double p, void *x, double q, const void *y)
{
    int64_t count = m->n * m->n;
    work_each(m->w, "polar.h", "weighted_sum", count, (void *[]){&count, &p, &x, &q, (void *)&y});
}
/* c = a b */
static void product(const struct matrices *m, const void *a, const void *b, void *c)
{
    work_gemm(m->w, CUBLAS_OP_N, CUBLAS_OP_N, m->n, m->n, m->n, 1, a, m->n, b, m->n, 0, c, m->n);
}
/* The root of the sum of squares. */
static double norm(const struct matrices *m, const void *a)
{
    const int before = m->w->nscratch;
    void *norms = work_reals(m->w, 2);
    double found[2] = {0, 0};
    work_run(m->w, "jacobi.h", "off_norm", 1, SOLVER_THREADS,
             (void *[]){(void *)&m->n, (void *)&a, (void *)&m->n, &norms});
    work_get_reals(m->w, found, norms, 2);
    work_release(m->w, before);
    return found[1];
}
static double epsilon(const struct matrices *m)
{
    return m->w->real == LIB_F32 ? FLT_EPSILON : DBL_EPSILON;
}

/* x = a^-1 x; scale: |det a|^(-1 / n), where it is asked for. a is spent. */
static void solve(struct matrices *m, void *a, void *x, double *scale)
{
    const int before = m->w->nscratch;
    int *pivots = work_bytes(m->w, (size_t)m->n * sizeof *pivots),
        *info = work_bytes(m->w, 2 * sizeof *info), bad = 0;
    lu_factor(m->w, m->n, m->n, a, m->n, pivots, info);
    work_get(m->w, &bad, info, sizeof bad);
    m->lost |= bad != 0;
    if (!m->lost && scale) {
        double mantissa[2];
        int64_t exponent;
        lu_determinant(m->w, m->n, a, m->n, pivots, mantissa, &exponent);
        *scale = exp2(-(log2(hypot(mantissa[0], mantissa[1])) + (double)exponent) / (double)m->n);
    }
    if (!m->lost)
        lu_solve(m->w, CUBLAS_OP_N, m->n, m->n, a, m->n, pivots, x, m->n, info + 1);
    work_release(m->w, before);
}

/* ---- the exponential ---- */

/* to = the sum of factors times powers, the last of them of the identity. */
static void sum(const struct matrices *m, void *to, int count, const double *factors,
                void *const *powers)
{
    set(m, to, powers[0]);
    mix(m, factors[0], to, factors[1], powers[1]);
    for (int k = 2; k < count; k++)
        mix(m, 1, to, factors[k], powers[k]);
}

static void exponential(struct matrices *m, void *a)
{
    static const double odd[] =
        {1, 40840800, 33522128640, 10559470521600, 1187353796428800, 32382376266240000},
                        even[] = {182,
                                  960960,
                                  1323241920,
                                  670442572800,
                                  129060195264000,
                                  7771770303897600,
                                  64764752532480000};
    const double most = 5.37, odd2 = 16380,
                 size = norm(m, a); /* most: what degree 13 is exact for */
    int halvings = 0;
    if (!isfinite(size)) {
        m->lost = true;
        return;
    }
    if (size > most)
        halvings = (int)ceil(log2(size / most));
    mix(m, ldexp(1, -halvings), a, 0, a);
    void *two = matrix(m), *four = matrix(m), *six = matrix(m), *u = matrix(m), *v = matrix(m),
         *part = matrix(m);
    product(m, a, a, two);
    product(m, two, two, four);
    product(m, four, two, six);
    sum(m, part, 3, (const double[]){odd[0], odd2, odd[1]}, (void *[]){six, four, two});
    product(m, six, part, v);
    sum(m, part, 5, (const double[]){1, odd[2], odd[3], odd[4], odd[5]},
        (void *[]){v, six, four, two, m->unit});
    product(m, a, part, u);
    sum(m, part, 3, even, (void *[]){six, four, two});
    product(m, six, part, v);
    sum(m, part, 5, (const double[]){1, even[3], even[4], even[5], even[6]},
        (void *[]){v, six, four, two, m->unit});
    set(m, a, part);
    mix(m, 1, a, 1, u);
    mix(m, 1, part, -1, u);
    solve(m, part, a, NULL);
    for (int k = 0; k < halvings; k++) {
        product(m, a, a, part);
        set(m, a, part);
    }
}

/* ---- roots, signs and logarithms ---- */

/* Steps until one changes nothing but rounding, or no less than that before. */
struct steps {
    double before;
    int done;
};
static bool more(struct matrices *m, struct steps *s, double change)
{
    const double rounding = epsilon(m) * (double)m->n * 10;
    const bool stays = change <= rounding || (change < 1e-2 && change >= s->before / 2);
    s->before = change;
    m->lost |= !isfinite(change) || (!stays && ++s->done >= MOST_STEPS);
    return !stays && !m->lost && !m->w->error;
}

static void root(struct matrices *m, void *a)
{
    const int before = m->w->nscratch;
    void *product_ = matrix(m), *inverse = matrix(m), *part = matrix(m);
    struct steps s = {.before = INFINITY};
    double left;
    set(m, product_, a);
    do {
        double scale = 1;
        set(m, part, product_);
        set(m, inverse, m->unit);
        solve(m, part, inverse, &scale); /* scale: the square of what X is multiplied by */
        if (m->lost)
            break;
        if (s.before < 1e-2)
            scale = 1;
        /* X = root(scale) X (1 + M^-1 / scale) / 2, M = (1 + (scale M + M^-1 / scale) / 2) / 2 */
        mix(m, scale / 4, product_, 1 / (4 * scale), inverse);
        mix(m, 1, product_, 0.5, m->unit);
        mix(m, sqrt(scale) / (2 * scale), inverse, sqrt(scale) / 2, m->unit);
        product(m, a, inverse, part);
        set(m, a, part);
        set(m, part, product_);
        mix(m, 1, part, -1, m->unit);
        left = norm(m, part);
    } while (more(m, &s, left));
    work_release(m->w, before);
}

static void sign(struct matrices *m, void *a)
{
    void *inverse = matrix(m), *part = matrix(m);
    struct steps s = {.before = INFINITY};
    double change;
    do {
        double scale = 1;
        set(m, part, a);
        set(m, inverse, m->unit);
        solve(m, part, inverse, &scale);
        if (m->lost)
            break;
        if (s.before < 1e-2)
            scale = 1;
        set(m, part, a);
        mix(m, scale / 2, a, 1 / (2 * scale), inverse);
        mix(m, -1, part, 1, a);
        change = norm(m, part) / norm(m, a);
    } while (more(m, &s, change));
}

static void logarithm(struct matrices *m, void *a)
{
    static const double at[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363},
                        weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
    const double near = 0.25; /* the identity, where eight points are exact */
    int roots = 0;
    void *x = matrix(m), *part = matrix(m), *term = matrix(m);
    double left;
    for (;; roots++) {
        set(m, x, a);
        mix(m, 1, x, -1, m->unit);
        left = norm(m, x);
        if (left <= near || m->lost || m->w->error)
            break;
        if (!isfinite(left) || roots == MOST_ROOTS) {
            m->lost = true;
            break;
        }
        root(m, a);
    }
    work_zero(m->w, a, (size_t)(m->n * m->n) * lib_types[m->w->type].bytes);
    for (int k = 0; k < 8 && !m->lost; k++) {
        const double t = (1 + (k % 2 ? -at[k / 2] : at[k / 2])) / 2;
        set(m, part, x);
        mix(m, t, part, 1, m->unit);
        set(m, term, x);
        solve(m, part, term, NULL);
        mix(m, 1, a, ldexp(weight[k / 2] / 2, roots), term);
    }
}

/* ---- powers ---- */

static void power(struct matrices *m, void *a, double exponent)
{
    void *square = matrix(m), *part = matrix(m);
    double left = fabs(exponent);
    set(m, square, a);
    if (exponent < 0) {
        set(m, part, a);
        set(m, square, m->unit);
        solve(m, part, square, NULL);
    }
    set(m, a, m->unit);
    while (left >= 1 && !m->lost) {
        if (fmod(left, 2) != 0) {
            product(m, a, square, part);
            set(m, a, part);
        }
        left = floor(left / 2);
        product(m, square, square, part);
        set(m, square, part);
    }
}

static bool whole(double x)
{
    return x == floor(x) && fabs(x) <= 0x1p53;
}

cusolverStatus_t ternMatrixFunction(cusolverDnHandle_t handle, cudaDataType cuda_type,
                                    ternMatrixFunction_t function, double parameter, int64_t n,
                                    const void *A, int64_t lda, void *F, int64_t ldf, int *info)
{
    enum lib_type type;
    SOLVER_CALL(handle, n >= 0 && valid_ld(lda, n) && valid_ld(ldf, n) && info &&
                            function < TERN_MATRIX_FUNCTION_COUNT);
    if (!solver_type(cuda_type, &type) || function > TERN_MATRIX_POWER ||
        (function == TERN_MATRIX_POWER && !whole(parameter)))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    struct matrices m = {.w = &w, .n = n};
    void *a = matrix(&m);
    m.unit = matrix(&m);
    work_each(&w, "util.h", "identity", n * n, (void *[]){&n, &n, &m.unit, &n});
    copy(&w, n, A, lda, a, n);
    if (n) {
        switch (function) {
        case TERN_MATRIX_EXP: exponential(&m, a); break;
        case TERN_MATRIX_LOG: logarithm(&m, a); break;
        case TERN_MATRIX_SQRT: root(&m, a); break;
        case TERN_MATRIX_SIGN: sign(&m, a); break;
        default: power(&m, a, parameter);
        }
    }
    copy(&w, n, a, n, F, ldf);
    const int bad = m.lost;
    work_put(&w, info, &bad, sizeof bad);
    return work_end(&w);
}

/* ---- by eigenvalues ---- */

/* false: it is not defined there */
static bool value(ternMatrixFunction_t function, double p, double x, double *out)
{
    switch (function) {
    case TERN_MATRIX_EXP: *out = exp(x); break;
    case TERN_MATRIX_LOG: *out = log(x); break;
    case TERN_MATRIX_SQRT: *out = sqrt(x); break;
    case TERN_MATRIX_SIGN: *out = x > 0 ? 1 : x < 0 ? -1 : NAN; break;
    case TERN_MATRIX_POWER: *out = pow(x, p); break;
    case TERN_MATRIX_SIN: *out = sin(x); break;
    case TERN_MATRIX_COS: *out = cos(x); break;
    default: *out = tanh(x);
    }
    return isfinite(*out);
}

cusolverStatus_t ternHermitianFunction(cusolverDnHandle_t handle, cudaDataType cuda_type,
                                       cublasFillMode_t uplo, ternMatrixFunction_t function,
                                       double parameter, int64_t n, const void *A, int64_t lda,
                                       void *F, int64_t ldf, int *info)
{
    static const struct eigen_range everything = {.range = CUSOLVER_EIG_RANGE_ALL};
    enum lib_type type;
    int bad = 0;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && valid_ld(ldf, n) &&
                            info && function < TERN_MATRIX_FUNCTION_COUNT);
    if (!solver_type(cuda_type, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    void *values = work_reals(&w, n), *v = work_elements(&w, n * n),
         *scaled = work_elements(&w, n * n), *full = eigen_full(&w, uplo, n, A, lda, false);
    double *host = calloc((size_t)n + 1, sizeof *host);
    if (!host)
        work_fail(&w, TERN_OUT_OF_MEMORY);
    eigen_solve(&w, n, full, &everything, values, v, n, info);
    work_get_reals(&w, host, values, n);
    work_get(&w, &bad, info, sizeof bad);
    for (int64_t k = 0; k < n && !w.error; k++)
        if (!value(function, parameter, host[k], &host[k]) && !bad)
            bad = (int)k + 1;
    work_put_reals(&w, values, host, n);
    free(host);
    work_each(&w, "util.h", "columns_times", n * n,
              (void *[]){&n, &n, &v, &n, &values, &scaled, &n});
    work_gemm(&w, CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, 1, scaled, n, v, n, 0, F, ldf);
    work_put(&w, info, &bad, sizeof bad);
    return work_end(&w);
}
