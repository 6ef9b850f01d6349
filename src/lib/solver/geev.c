/* Eigenvalues of matrices that need not be Hermitian, on the host: Hessenberg's form, then QR
 * steps, all in complex numbers of double precision. */
#include "lib/solver/solver_int.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#undef complex /* a name of ours */

typedef double _Complex number;
enum { MOST_STEPS = 100 }; /* for one eigenvalue; three are usual */

struct schur {
    int64_t n;
    number *h, *z; /* by columns; z: NULL where nobody asks for vectors */
};
#define H(i, j) s->h[(i) + (j)*s->n]
#define Z(i, j) s->z[(i) + (j)*s->n]

/* ---- Hessenberg's form ---- */

/* x = x - f v v' x for a column, or for a row from the right. */
static void reflect(number *x, int64_t step, const number *v, int64_t count, number f)
{
    number dot = 0;
    for (int64_t i = 0; i < count; i++)
        dot += conj(v[i]) * x[i * step];
    for (int64_t i = 0; i < count; i++)
        x[i * step] -= f * dot * v[i];
}

static void reflect_right(number *x, int64_t step, const number *v, int64_t count, number f)
{
    number dot = 0;
    for (int64_t i = 0; i < count; i++)
        dot += x[i * step] * v[i];
    for (int64_t i = 0; i < count; i++)
        x[i * step] -= f * dot * conj(v[i]);
}

static void to_hessenberg(struct schur *s, number *v)
{
    const int64_t n = s->n;
    for (int64_t k = 0; k + 2 < n; k++) {
        const int64_t count = n - k - 1;
        double norm = 0, below = 0;
        for (int64_t i = 0; i < count; i++) {
            v[i] = H(k + 1 + i, k);
            norm = hypot(norm, cabs(v[i]));
            below = i ? hypot(below, cabs(v[i])) : 0;
        }
        if (below == 0)
            continue;
        /* I - 2 v v' / v'v takes the column to one element of the opposite direction. */
        v[0] += (cabs(v[0]) > 0 ? v[0] / cabs(v[0]) : 1) * norm;
        double square = 0;
        for (int64_t i = 0; i < count; i++)
            square += creal(v[i]) * creal(v[i]) + cimag(v[i]) * cimag(v[i]);
        const number f = 2 / square;
        for (int64_t j = k; j < n; j++)
            reflect(&H(k + 1, j), 1, v, count, f);
        for (int64_t i = 0; i < n; i++)
            reflect_right(&H(i, k + 1), n, v, count, f);
        for (int64_t i = 0; s->z && i < n; i++)
            reflect_right(&Z(i, k + 1), n, v, count, f);
        for (int64_t i = k + 2; i < n; i++)
            H(i, k) = 0;
    }
}

/* ---- QR steps ---- */

static void turn(number *p, number *q, double c, number t)
{
    const number x = *p, y = *q;
    *p = c * x + t * y;
    *q = c * y - conj(t) * x;
}

/* The eigenvalue of the last two rows that is next to the last element. */
static number shift_of(const struct schur *s, int64_t end)
{
    const number a = H(end - 1, end - 1), b = H(end - 1, end), c = H(end, end - 1), d = H(end, end);
    const number half = (a - d) / 2, root = csqrt(half * half + b * c);
    const number add = cabs(half + root) > cabs(half - root) ? half + root : half - root;
    return add == 0 ? d : d - b * c / add;
}

static void sweep(struct schur *s, int64_t from, int64_t end, number shift)
{
    const int64_t n = s->n;
    number x = H(from, from) - shift, y = H(from + 1, from);
    for (int64_t k = from; k < end; k++) {
        const double size = hypot(cabs(x), cabs(y));
        const double c = size > 0 ? cabs(x) / size : 1;
        const number t = size > 0 ? (cabs(x) > 0 ? x / cabs(x) : 1) * conj(y) / size : 0;
        for (int64_t j = k > from ? k - 1 : from; j < n; j++)
            turn(&H(k, j), &H(k + 1, j), c, t);
        const int64_t last = k + 2 < end ? k + 2 : end;
        for (int64_t i = 0; i <= last; i++)
            turn(&H(i, k), &H(i, k + 1), c, conj(t));
        for (int64_t i = 0; s->z && i < n; i++)
            turn(&Z(i, k), &Z(i, k + 1), c, conj(t));
        if (k > from)
            H(k + 1, k - 1) = 0;
        if (k + 1 < end) {
            x = H(k + 1, k);
            y = H(k + 2, k);
        }
    }
}

/* 0, or how many eigenvalues have not been found. */
static int64_t to_triangle(struct schur *s)
{
    double norm = 0;
    for (int64_t k = 0; k < s->n * s->n; k++)
        norm = hypot(norm, cabs(s->h[k]));
    for (int64_t end = s->n - 1, steps = 0; end > 0;) {
        int64_t from = end;
        for (; from > 0; from--) {
            double near = cabs(H(from - 1, from - 1)) + cabs(H(from, from));
            if (near == 0)
                near = norm;
            if (cabs(H(from, from - 1)) <= DBL_EPSILON * near)
                break;
        }
        if (from > 0)
            H(from, from - 1) = 0;
        if (from == end) {
            end--;
            steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS)
            return end + 1;
        const bool stuck = steps % 10 == 0;
        sweep(s, from, end, stuck ? H(end, end) + cabs(H(end, end - 1)) : shift_of(s, end));
    }
    return 0;
}

/* ---- vectors ---- */

static void normalise(number *v, int64_t n)
{
    double norm = 0, most = 0;
    number first = 1;
    for (int64_t i = 0; i < n; i++) {
        norm = hypot(norm, cabs(v[i]));
        if (cabs(v[i]) > most) {
            most = cabs(v[i]);
            first = v[i];
        }
    }
    if (norm == 0)
        return;
    const number f = conj(first) / most / norm; /* the largest element becomes real */
    for (int64_t i = 0; i < n; i++)
        v[i] *= f;
}

/* Column k of out: T x = t x, backwards, times Z. */
static void vector_of(const struct schur *s, int64_t k, double least, number *x, number *out)
{
    const int64_t n = s->n;
    for (int64_t i = 0; i < k; i++)
        x[i] = -H(i, k);
    x[k] = 1;
    for (int64_t i = k - 1; i >= 0; i--) {
        number d = H(i, i) - H(k, k);
        if (cabs(d) < least)
            d = least;
        x[i] /= d;
        if (cabs(x[i]) > 1e100) /* a direction is all that is wanted */
            for (int64_t j = 0; j <= k; j++)
                x[j] *= 1e-100;
        for (int64_t j = 0; j < i; j++)
            x[j] -= H(j, i) * x[i];
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = 0;
    for (int64_t j = 0; j <= k; j++)
        for (int64_t i = 0; i < n; i++)
            out[i] += Z(i, j) * x[j];
    normalise(out, n);
}

/* A real matrix has its complex eigenvalues in pairs: neighbours, the one above the axis first.
 * What has no partner is real but for rounding. */
static void in_pairs(int64_t n, number *w, number *v)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t with = -1;
        double best = INFINITY;
        for (int64_t j = k + 1; j < n && cimag(w[k]) != 0; j++) {
            const double far = cabs(w[j] - conj(w[k]));
            if (far < best) {
                best = far;
                with = j;
            }
        }
        if (with < 0 || best > fabs(cimag(w[k]))) {
            w[k] = creal(w[k]);
            for (int64_t i = 0; v && i < n; i++)
                v[i + k * n] = creal(v[i + k * n]);
            if (v)
                normalise(v + k * n, n);
            continue;
        }
        const number mean = (w[k] + conj(w[with])) / 2;
        w[with] = w[k + 1];
        for (int64_t i = 0; v && i < n; i++) {
            v[i + with * n] = v[i + (k + 1) * n];
            if (cimag(mean) < 0)
                v[i + k * n] = conj(v[i + k * n]);
            v[i + (k + 1) * n] = conj(v[i + k * n]);
        }
        w[k] = cimag(mean) < 0 ? conj(mean) : mean;
        w[k + 1] = conj(w[k]);
        k++;
    }
}

/* ---- numbers of the device ---- */

static void store(enum lib_type type, void *to, int64_t at, number v)
{
    switch (type) {
    case LIB_F32: ((float *)to)[at] = (float)creal(v); break;
    case LIB_F64: ((double *)to)[at] = creal(v); break;
    case LIB_C32:
        ((float *)to)[2 * at] = (float)creal(v);
        ((float *)to)[2 * at + 1] = (float)cimag(v);
        break;
    default: ((double *)to)[2 * at] = creal(v); ((double *)to)[2 * at + 1] = cimag(v);
    }
}

static number fetch(enum lib_type type, const void *from, int64_t at)
{
    switch (type) {
    case LIB_F32: return (double)((const float *)from)[at];
    case LIB_F64: return ((const double *)from)[at];
    case LIB_C32:
        return (double)((const float *)from)[2 * at] +
               I * (double)((const float *)from)[2 * at + 1];
    default: return ((const double *)from)[2 * at] + I * ((const double *)from)[2 * at + 1];
    }
}

/* Real vectors of a complex pair: the real parts, then the imaginary ones. */
static number element(const number *w, const number *v, int64_t n, bool paired, int64_t i,
                      int64_t j)
{
    if (!paired || cimag(w[j]) == 0)
        return v[i + j * n];
    return cimag(w[j]) > 0 ? creal(v[i + j * n]) : cimag(v[i + (j - 1) * n]);
}

struct call {
    int64_t n, lda, ldv;
    enum lib_type a, w, v;
    bool vectors;
};

static void give(struct work *w, const struct call *c, const number *values, const number *vectors,
                 void *W, void *V)
{
    const int64_t n = c->n;
    const bool split = !lib_types[c->w].complex;
    const size_t wbytes = (size_t)(split ? 2 * n : n) * lib_types[c->w].bytes;
    const size_t column = (size_t)n * lib_types[c->v].bytes;
    void *room = malloc((wbytes > column ? wbytes : column) + 1);
    if (!room) {
        work_fail(w, TERN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        store(c->w, room, k, values[k]);
        if (split)
            store(c->w, room, n + k, cimag(values[k]));
    }
    work_put(w, W, room, wbytes);
    for (int64_t j = 0; c->vectors && j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            store(c->v, room, i, element(values, vectors, n, !lib_types[c->v].complex, i, j));
        work_put(w, (char *)V + (size_t)(j * c->ldv) * lib_types[c->v].bytes, room, column);
    }
    free(room);
}

static void solve(struct work *w, const struct call *c, const void *A, void *W, void *V, int *info)
{
    const int64_t n = c->n;
    const size_t square = (size_t)(n * n + 1), element_bytes = lib_types[c->a].bytes;
    void *raw = malloc((size_t)(n * c->lda + 1) * element_bytes);
    struct schur own = {n, calloc(square, sizeof(number)),
                        c->vectors ? calloc(square, sizeof(number)) : NULL};
    struct schur *s = &own;
    number *x = calloc((size_t)n + 1, sizeof *x), *values = calloc((size_t)n + 1, sizeof *values);
    number *vectors = c->vectors ? calloc(square, sizeof *vectors) : NULL;
    if (!raw || !s->h || !x || !values || (c->vectors && (!s->z || !vectors)))
        work_fail(w, TERN_OUT_OF_MEMORY);
    if (n)
        work_get(w, raw, A, (size_t)((n - 1) * c->lda + n) * element_bytes);
    if (!w->error) {
        double norm = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                H(i, j) = fetch(c->a, raw, i + j * c->lda);
                norm = hypot(norm, cabs(H(i, j)));
                if (s->z)
                    Z(i, j) = i == j;
            }
        to_hessenberg(s, x);
        const int left = (int)to_triangle(s);
        for (int64_t k = 0; k < n; k++) {
            values[k] = H(k, k);
            if (c->vectors && !left)
                vector_of(s, k, DBL_EPSILON * norm + DBL_MIN, x, vectors + k * n);
        }
        if (!lib_types[c->a].complex && !left)
            in_pairs(n, values, vectors);
        give(w, c, values, vectors, W, V);
        work_put(w, info, &left, sizeof left);
    }
    free(raw);
    free(s->h);
    free(s->z);
    free(x);
    free(values);
    free(vectors);
}

/* ---- the calls ---- */

static bool types_of(cudaDataType a, cudaDataType w, cudaDataType v, cudaDataType compute,
                     struct call *c)
{
    if (!solver_type(a, &c->a) || !solver_type(w, &c->w) || !solver_type(v, &c->v) || compute != a)
        return false;
    const bool narrow = c->a == LIB_F32 || c->a == LIB_C32;
    if ((c->w == LIB_F32 || c->w == LIB_C32) != narrow ||
        (c->v == LIB_F32 || c->v == LIB_C32) != narrow)
        return false;
    return !lib_types[c->a].complex || (lib_types[c->w].complex && lib_types[c->v].complex);
}

static bool valid(cusolverEigMode_t left, cusolverEigMode_t right, int64_t n, int64_t lda,
                  int64_t ldv)
{
    return left == CUSOLVER_EIG_MODE_NOVECTOR && n >= 0 && valid_ld(lda, n) &&
           (right == CUSOLVER_EIG_MODE_NOVECTOR ||
            (right == CUSOLVER_EIG_MODE_VECTOR && valid_ld(ldv, n)));
}

cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                            cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
                                            int64_t n, cudaDataType typeA, const void *A,
                                            int64_t lda, cudaDataType typeW, const void *W,
                                            cudaDataType typeVL, const void *VL, int64_t ldvl,
                                            cudaDataType typeVR, const void *VR, int64_t ldvr,
                                            cudaDataType computeType, size_t *onDevice,
                                            size_t *onHost)
{
    struct call c;
    (void)params, (void)A, (void)W, (void)typeVL, (void)VL, (void)ldvl, (void)VR;
    SOLVER_CALL(handle, valid(jobvl, jobvr, n, lda, ldvr) && onDevice && onHost);
    if (!types_of(typeA, typeW, typeVR, computeType, &c))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                 cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
                                 cudaDataType typeA, void *A, int64_t lda, cudaDataType typeW,
                                 void *W, cudaDataType typeVL, void *VL, int64_t ldvl,
                                 cudaDataType typeVR, void *VR, int64_t ldvr,
                                 cudaDataType computeType, void *onDevice, size_t deviceBytes,
                                 void *onHost, size_t hostBytes, int *info)
{
    struct call c = {.n = n, .lda = lda, .ldv = ldvr};
    (void)params, (void)typeVL, (void)VL, (void)ldvl, (void)onDevice, (void)deviceBytes,
        (void)onHost, (void)hostBytes;
    SOLVER_CALL(handle, valid(jobvl, jobvr, n, lda, ldvr) && info);
    if (!types_of(typeA, typeW, typeVR, computeType, &c))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    c.vectors = jobvr == CUSOLVER_EIG_MODE_VECTOR;
    struct work w = work_begin(handle, c.a);
    solve(&w, &c, A, W, VR, info);
    return work_end(&w);
}
