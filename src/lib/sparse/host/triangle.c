/* Triangular systems and incomplete factors on the CPU: lines one after the other, a block for each
 * right-hand side. */
#include "lib/sparse/plan.h"

#include <complex.h>
#include <math.h>

typedef float _Complex c32;
typedef double _Complex c64;

static void note_pivot(int *pivot, int64_t line)
{
    int seen = __atomic_load_n(pivot, __ATOMIC_RELAXED);
    while (line < seen && !__atomic_compare_exchange_n(pivot, &seen, (int)line, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int entry_at(const struct sparse_plan *p, int64_t line, int column)
{
    int low = p->offsets[line], high = p->offsets[line + 1];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (p->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->offsets[line + 1] && p->columns[low] == column ? low : -1;
}

#define SAME(v) (v)
/* T: elements; R: their real part; CONJ, REAL, SIZE: functions of both. */
#define LINES(T, R, suffix, VALUE, CONJ, REAL, SIZE)                                               \
    static T scalar_##suffix(const struct sparse_scalar *s)                                        \
    {                                                                                              \
        return s->at ? *(const T *)s->at : VALUE(s->value);                                        \
    }                                                                                              \
    static void solve_##suffix(const struct host_solve *s, int64_t side)                           \
    {                                                                                              \
        const struct sparse_plan *p = &s->p;                                                       \
        const T *values = s->values, *x = (const T *)s->x.p + side * s->x.col;                     \
        T *y = (T *)s->y.p + side * s->y.col;                                                      \
        const T alpha = scalar_##suffix(&s->alpha);                                                \
        for (int64_t step = 0; step < s->n; step++) {                                              \
            const int64_t i = s->lower ? step : s->n - 1 - step;                                   \
            T sum = alpha * (s->x.conj ? CONJ(x[i * s->x.row]) : x[i * s->x.row]);                 \
            for (int k = p->offsets[i]; k < p->offsets[i + 1]; k++) {                              \
                const T v = values[p->places[k]];                                                  \
                sum -= (s->conj ? CONJ(v) : v) * y[p->columns[k] * s->y.row];                      \
            }                                                                                      \
            if (!p->unit) {                                                                        \
                const T d = p->diagonal[i] < 0 ? (T)0 : values[p->diagonal[i]];                    \
                if (d == (T)0)                                                                     \
                    note_pivot(p->pivot, i);                                                       \
                sum /= s->conj ? CONJ(d) : d;                                                      \
            }                                                                                      \
            y[i * s->y.row] = s->y.conj ? CONJ(sum) : sum;                                         \
        }                                                                                          \
    }                                                                                              \
    static void ilu_##suffix(const struct host_factors *f)                                         \
    {                                                                                              \
        const struct sparse_plan *p = &f->p;                                                       \
        T *values = f->values;                                                                     \
        for (int64_t i = 0; i < f->n; i++) {                                                       \
            for (int k = p->offsets[i]; k < p->offsets[i + 1] && p->columns[k] < i; k++) {         \
                const int other = p->columns[k], at = p->diagonal_entry[other];                    \
                if (at < 0)                                                                        \
                    continue;                                                                      \
                const T factor = values[p->places[k]] / values[p->places[at]];                     \
                values[p->places[k]] = factor;                                                     \
                int mine = k + 1;                                                                  \
                for (int e = at + 1; e < p->offsets[other + 1]; e++) {                             \
                    while (mine < p->offsets[i + 1] && p->columns[mine] < p->columns[e])           \
                        mine++;                                                                    \
                    if (mine < p->offsets[i + 1] && p->columns[mine] == p->columns[e])             \
                        values[p->places[mine]] -= factor * values[p->places[e]];                  \
                }                                                                                  \
            }                                                                                      \
            const int at = p->diagonal_entry[i];                                                   \
            if (at >= 0 && f->boost && (double)SIZE(values[p->places[at]]) <= f->tolerance)        \
                values[p->places[at]] = VALUE(f->instead);                                         \
            if (at < 0 || values[p->places[at]] == (T)0)                                           \
                note_pivot(p->pivot, i);                                                           \
        }                                                                                          \
    }                                                                                              \
    static void ic_##suffix(const struct host_factors *f)                                          \
    {                                                                                              \
        const struct sparse_plan *p = &f->p;                                                       \
        T *values = f->values;                                                                     \
        for (int64_t i = 0; i < f->n; i++) {                                                       \
            for (int k = p->offsets[i]; k < p->offsets[i + 1] && p->columns[k] <= i; k++) {        \
                const int other = p->columns[k], at = p->diagonal_entry[other];                    \
                T rest = values[p->places[k]];                                                     \
                for (int e = p->offsets[other];                                                    \
                     e < p->offsets[other + 1] && p->columns[e] < other; e++) {                    \
                    const int mine = entry_at(p, i, p->columns[e]);                                \
                    if (mine >= 0)                                                                 \
                        rest -= values[p->places[mine]] * CONJ(values[p->places[e]]);              \
                }                                                                                  \
                if (other < i) {                                                                   \
                    if (at >= 0)                                                                   \
                        values[p->places[k]] = rest / values[p->places[at]];                       \
                } else {                                                                           \
                    const R real = (R)REAL(rest);                                                  \
                    if (!(real > 0))                                                               \
                        note_pivot(p->pivot, i);                                                   \
                    values[p->places[k]] = (R)sqrt((double)real);                                  \
                }                                                                                  \
            }                                                                                      \
            if (p->diagonal_entry[i] < 0)                                                          \
                note_pivot(p->pivot, i);                                                           \
        }                                                                                          \
    }
#define REAL_VALUE32(v)    ((float)(v)[0])
#define REAL_VALUE64(v)    ((v)[0])
#define COMPLEX_VALUE32(v) ((float)(v)[0] + (float)(v)[1] * (float _Complex)I)
#define COMPLEX_VALUE64(v) ((v)[0] + (v)[1] * I)
LINES(float, float, f32, REAL_VALUE32, SAME, SAME, fabsf)
LINES(double, double, f64, REAL_VALUE64, SAME, SAME, fabs)
LINES(c32, float, c32, COMPLEX_VALUE32, conjf, crealf, cabsf)
LINES(c64, double, c64, COMPLEX_VALUE64, conj, creal, cabs)

static void run_solve(const tern_thread *t, void *args)
{
    const struct host_solve *s = args;
    switch (s->type) {
    case LIB_F32: solve_f32(s, t->block.x); break;
    case LIB_F64: solve_f64(s, t->block.x); break;
    case LIB_C32: solve_c32(s, t->block.x); break;
    default: solve_c64(s, t->block.x);
    }
}

static void run_factor(const tern_thread *t, void *args)
{
    (void)t;
    const struct host_factors *f = args;
    static void (*const functions[2][4])(const struct host_factors *) = {
        {ilu_f32, ilu_f64, ilu_c32, ilu_c64}, {ic_f32, ic_f64, ic_c32, ic_c64}};
    functions[f->which][f->type](f);
}

_Static_assert(LIB_F32 == 0 && LIB_F64 == 1 && LIB_C32 == 2 && LIB_C64 == 3, "run_factor's order");

static enum tern_error run(const struct cusparseContext *h, tern_function *f, int64_t blocks,
                           const void *args, size_t bytes)
{
    tern_stream *stream;
    enum tern_error e = tern_cuda_stream(h->device.device, h->stream, &stream);
    return e ? e
             : tern_launch_function(stream, f, (tern_dim){(uint32_t)blocks, 1, 1},
                                    (tern_dim){1, 1, 1}, 0, args, bytes);
}

enum tern_error plan_host_solve(const struct cusparseContext *h, const struct host_solve *s)
{
    return run(h, run_solve, s->sides, s, sizeof *s);
}

enum tern_error plan_host_factor(const struct cusparseContext *h, const struct host_factors *f)
{
    return run(h, run_factor, 1, f, sizeof *f);
}
