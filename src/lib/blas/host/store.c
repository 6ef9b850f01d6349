/* From sums to the result: scalars, the result's type, epilogues. */
#include <math.h>
#include <string.h>
#include "lib/blas/host/host.h"
#include "lib/narrow.h"

const void *host_matrix(const void *p, int array, int64_t stride, int64_t offset, int64_t z,
                        size_t bytes)
{
    const char *first =
        array ? ((const char *const *)p)[z] : (const char *)p + stride * z * (int64_t)bytes;
    return first + offset * (int64_t)bytes;
}

/* ---- numbers of all types ---- */

static double read(enum lib_type t, const void *p, int64_t at, double *imaginary)
{
    const struct blas_operand o = {.row = 1};
    const struct host_source s = {.o = &o, .p = p, .type = t};
    double v[2];
    host_element(&s, at, 0, v);
    if (imaginary)
        *imaginary = v[1];
    return v[0];
}

static void write(enum lib_type t, void *p, int64_t at, double x, double y)
{
    switch (t) {
    case LIB_F32: ((float *)p)[at] = (float)x; break;
    case LIB_F64: ((double *)p)[at] = x; break;
    case LIB_C32:
        ((float *)p)[2 * at] = (float)x;
        ((float *)p)[2 * at + 1] = (float)y;
        break;
    case LIB_C64:
        ((double *)p)[2 * at] = x;
        ((double *)p)[2 * at + 1] = y;
        break;
    case LIB_F16: ((uint16_t *)p)[at] = narrow_to_f16((float)x); break;
    case LIB_BF16: ((uint16_t *)p)[at] = narrow_to_bf16((float)x); break;
    case LIB_I32: ((int32_t *)p)[at] = (int32_t)(int64_t)x; break;
    case LIB_I8: {
        const double r = rint(x);
        ((int8_t *)p)[at] = (int8_t)(r < -128 ? -128 : r > 127 ? 127 : r);
        break;
    }
    case LIB_E4M3: ((uint8_t *)p)[at] = (uint8_t)narrow_to((float)x, 4, 3, 0x7e, 0x7f); break;
    case LIB_E5M2:
        ((uint8_t *)p)[at] = (uint8_t)narrow_to(
            (float)(fabs(x) > 57344 && !isinf(x) ? copysign(57344, x) : x), 5, 2, 0x7b, 0x7e);
        break;
    default: break;
    }
}

/* ---- epilogues, in float as kernels do it ---- */

static float gelu(float x)
{
    return 0.5f * x * (1.f + tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x)));
}

static float gelu_slope(float x)
{
    const float t = tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x));
    return 0.5f * (1.f + t) +
           0.5f * x * (1.f - t * t) * 0.7978845608028654f * (1.f + 3.f * 0.044715f * x * x);
}

static float epilogue(const struct blas_epilogue *e, enum lib_type c, float v, int64_t i, int64_t j,
                      int64_t z)
{
    static const enum lib_type bias_types[] = {LIB_F32, LIB_F32, LIB_F32, LIB_BF16, LIB_F16};
    if (e->bias_kind)
        v += (float)read(e->bias_kind == 1 ? c : bias_types[e->bias_kind], e->bias,
                         i + e->bias_stride * z, NULL);
    const int64_t at = i + j * e->aux_ld + e->aux_stride * z;
    switch (e->activation) {
    case BLAS_RELU:
        if (e->aux_out) {
            unsigned char *byte = (unsigned char *)e->aux + at / 8;
            const unsigned char bit = (unsigned char)(1u << (at % 8));
            if (v > 0)
                __atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
            else
                __atomic_fetch_and(byte, (unsigned char)~bit, __ATOMIC_RELAXED);
        }
        return v > 0 || v != v ? v : 0;
    case BLAS_GELU:
        if (e->aux_out)
            write(c, e->aux, at, (double)v, 0);
        return gelu(v);
    case BLAS_DRELU: return ((const unsigned char *)e->aux)[at / 8] >> (at % 8) & 1 ? v : 0;
    case BLAS_DGELU: return v * gelu_slope((float)read(c, e->aux, at, NULL));
    default: return v;
    }
}

static void raise(float *most, float v)
{
    uint32_t now, mine;
    memcpy(&mine, &v, sizeof mine);
    __atomic_load((uint32_t *)(void *)most, &now, __ATOMIC_RELAXED);
    while (mine > now && !__atomic_compare_exchange((uint32_t *)(void *)most, &now, &mine, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* ---- one element ---- */

void host_scalars(const struct blas_types *t, const struct blas_product *p, struct host_scalars *s)
{
    for (int k = 0; k < 2; k++) {
        s->alpha[k] = p->alpha_value[k];
        s->beta[k] = p->beta_value[k];
    }
    if (p->alpha && !p->scalar_vector)
        s->alpha[0] = read(t->scale, p->alpha, 0, &s->alpha[1]);
    if (p->scalar_vector)
        s->alpha[0] = 1;
    if (p->beta)
        s->beta[0] = read(t->scale, p->beta, 0, &s->beta[1]);
    if (p->conj_alpha)
        s->alpha[1] = -s->alpha[1];
}

void host_store(const struct blas_types *t, const struct blas_product *p,
                const struct host_scalars *s, int64_t z, const void *c, void *d, int64_t i,
                int64_t j, const double sum[2])
{
    if (p->part == BLAS_UPPER ? i > j : p->part == BLAS_LOWER ? i < j : false)
        return;
    const bool is_complex = lib_types[t->c].complex, adds = s->beta[0] != 0 || s->beta[1] != 0;
    double alpha = s->alpha[0];
    if (p->scalar_vector)
        alpha = read(t->scale, p->alpha, i, NULL);
    double x = alpha * sum[0], y = 0;
    if (is_complex) {
        x -= s->alpha[1] * sum[1];
        y = alpha * sum[1] + s->alpha[1] * sum[0];
    }
    const int64_t at = i * p->d_row + j * p->d_col;
    const enum lib_type source = t->apart ? t->source : t->c;
    if (t->epilogue) {
        const struct blas_epilogue *e = &p->e;
        float f = (float)x;
        if (e->a_scale)
            f *= e->scale_mode ? e->a_scale[i] : *e->a_scale;
        if (e->b_scale)
            f *= e->scale_mode ? e->b_scale[j] : *e->b_scale;
        if (adds)
            f += (float)s->beta[0] * (float)read(source, c, i * p->c_row + j * p->c_col, NULL) *
                 (e->c_scale ? *e->c_scale : 1);
        f = epilogue(e, t->c, f, i, j, z);
        if (e->amax)
            raise(e->amax, fabsf(f));
        if (e->d_scale)
            f *= *e->d_scale;
        write(t->c, d, at, (double)f, 0);
        return;
    }
    if (adds) {
        double cy, cx = read(source, c, i * p->c_row + j * p->c_col, &cy);
        x += s->beta[0] * cx - (is_complex ? s->beta[1] * cy : 0);
        y += is_complex ? s->beta[0] * cy + s->beta[1] * cx : 0;
    }
    if (p->real_diagonal && i == j)
        y = 0;
    write(t->c, d, at, x, y);
}

/* ---- columns of the types that matter, without the switches of one element ---- */

static void column_bfloat(const float *sum, int64_t n, float alpha, float beta, const uint16_t *c,
                          uint16_t *d)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = narrow_to_bf16(alpha * sum[i] + (beta != 0 ? beta * narrow_from_bf16(c[i]) : 0));
}

static void column_half(const float *sum, int64_t n, float alpha, float beta, const uint16_t *c,
                        uint16_t *d)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = narrow_to_f16(alpha * sum[i] +
                             (beta != 0 ? beta * (float)read(LIB_F16, c, i, NULL) : 0));
}

#define COLUMN_COMPLEX(T)                                                                          \
    static void column_complex_##T(const T *re, const T *im, int64_t n,                            \
                                   const struct host_scalars *s, const T *c, T *d)                 \
    {                                                                                              \
        const T ar = (T)s->alpha[0], ai = (T)s->alpha[1], br = (T)s->beta[0], bi = (T)s->beta[1];  \
        const bool adds = br != 0 || bi != 0;                                                      \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T x = ar * re[i] - ai * im[i], y = ar * im[i] + ai * re[i];                            \
            if (adds) {                                                                            \
                x += br * c[2 * i] - bi * c[2 * i + 1];                                            \
                y += br * c[2 * i + 1] + bi * c[2 * i];                                            \
            }                                                                                      \
            d[2 * i] = x;                                                                          \
            d[2 * i + 1] = y;                                                                      \
        }                                                                                          \
    }
COLUMN_COMPLEX(float)
COLUMN_COMPLEX(double)

static bool simple(const struct blas_types *t, const struct blas_product *p)
{
    return !t->epilogue && !t->apart && p->part == BLAS_WHOLE && !p->real_diagonal &&
           p->c_row == 1 && p->d_row == 1 && !p->scalar_vector;
}

bool host_store_f32(const struct blas_types *t, const struct blas_product *p,
                    const struct host_scalars *s, const void *c, void *d, int64_t i, int64_t j,
                    int64_t n, const float *re, const float *im)
{
    if (!simple(t, p))
        return false;
    const int64_t from = i + j * p->c_col, to = i + j * p->d_col;
    const float alpha = (float)s->alpha[0], beta = (float)s->beta[0];
    switch (t->c) {
    case LIB_BF16:
        column_bfloat(re, n, alpha, beta, (const uint16_t *)c + from, (uint16_t *)d + to);
        return true;
    case LIB_F16:
        column_half(re, n, alpha, beta, (const uint16_t *)c + from, (uint16_t *)d + to);
        return true;
    case LIB_C32:
        column_complex_float(re, im, n, s, (const float *)c + 2 * from, (float *)d + 2 * to);
        return true;
    default: return false;
    }
}

bool host_store_f64(const struct blas_types *t, const struct blas_product *p,
                    const struct host_scalars *s, const void *c, void *d, int64_t i, int64_t j,
                    int64_t n, const double *re, const double *im)
{
    if (!simple(t, p) || t->c != LIB_C64)
        return false;
    column_complex_double(re, im, n, s, (const double *)c + 2 * (i + j * p->c_col),
                          (double *)d + 2 * (i + j * p->d_col));
    return true;
}
