/* Micro-kernels for NEON. 32 registers: 24 sums, the rest for the panels. */
#include "lib/blas/host/host.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static bool works(void)
{
    return true; /* every AArch64 has it */
}

/* Each sum is a variable of its own: arrays would live in memory. X(column, register of B's row,
 * lane) */
#define COLUMNS_F32(X)                                                                             \
    X(0, b0, 0)                                                                                    \
    X(1, b0, 1)                                                                                    \
    X(2, b0, 2)                                                                                    \
    X(3, b0, 3)                                                                                    \
    X(4, b1, 0)                                                                                    \
    X(5, b1, 1)                                                                                    \
    X(6, b1, 2)                                                                                    \
    X(7, b1, 3)                                                                                    \
    X(8, b2, 0)                                                                                    \
    X(9, b2, 1)                                                                                    \
    X(10, b2, 2)                                                                                   \
    X(11, b2, 3)

/* 8 by 12: a column of A is two registers, a row of B three. */
static void tile_f32(int64_t k, const float *a, const float *b, float *out)
{
#define X(j, row, lane) float32x4_t u##j = vdupq_n_f32(0), v##j = vdupq_n_f32(0);
    COLUMNS_F32(X)
#undef X
    for (; k > 0; k--) {
        const float32x4_t a0 = vld1q_f32(a), a1 = vld1q_f32(a + 4);
        const float32x4_t b0 = vld1q_f32(b), b1 = vld1q_f32(b + 4), b2 = vld1q_f32(b + 8);
#define X(j, row, lane)                                                                            \
    u##j = vfmaq_laneq_f32(u##j, a0, row, lane);                                                   \
    v##j = vfmaq_laneq_f32(v##j, a1, row, lane);
        COLUMNS_F32(X)
#undef X
        a += 8;
        b += 12;
    }
#define X(j, row, lane)                                                                            \
    vst1q_f32(out + 8 * j, u##j);                                                                  \
    vst1q_f32(out + 8 * j + 4, v##j);
    COLUMNS_F32(X)
#undef X
}

#define COLUMNS_F64(X)                                                                             \
    X(0, b0, 0)                                                                                    \
    X(1, b0, 1)                                                                                    \
    X(2, b1, 0)                                                                                    \
    X(3, b1, 1)                                                                                    \
    X(4, b2, 0)                                                                                    \
    X(5, b2, 1)

/* 8 by 6: a column of A is four registers, a row of B three. */
static void tile_f64(int64_t k, const double *a, const double *b, double *out)
{
#define X(j, row, lane)                                                                            \
    float64x2_t s##j = vdupq_n_f64(0), t##j = vdupq_n_f64(0), u##j = vdupq_n_f64(0),               \
                v##j = vdupq_n_f64(0);
    COLUMNS_F64(X)
#undef X
    for (; k > 0; k--) {
        const float64x2_t a0 = vld1q_f64(a), a1 = vld1q_f64(a + 2), a2 = vld1q_f64(a + 4),
                          a3 = vld1q_f64(a + 6);
        const float64x2_t b0 = vld1q_f64(b), b1 = vld1q_f64(b + 2), b2 = vld1q_f64(b + 4);
#define X(j, row, lane)                                                                            \
    s##j = vfmaq_laneq_f64(s##j, a0, row, lane);                                                   \
    t##j = vfmaq_laneq_f64(t##j, a1, row, lane);                                                   \
    u##j = vfmaq_laneq_f64(u##j, a2, row, lane);                                                   \
    v##j = vfmaq_laneq_f64(v##j, a3, row, lane);
        COLUMNS_F64(X)
#undef X
        a += 8;
        b += 6;
    }
#define X(j, row, lane)                                                                            \
    vst1q_f64(out + 8 * j, s##j);                                                                  \
    vst1q_f64(out + 8 * j + 2, t##j);                                                              \
    vst1q_f64(out + 8 * j + 4, u##j);                                                              \
    vst1q_f64(out + 8 * j + 6, v##j);
    COLUMNS_F64(X)
#undef X
}

#define SMALL_TARGET
#define VEC_F32            float32x4_t
#define VEC_F64            float64x2_t
#define WIDTH_F32          4
#define WIDTH_F64          2
#define LOAD_F32(p)        vld1q_f32(p)
#define LOAD_F64(p)        vld1q_f64(p)
#define STORE_F32(p, v)    vst1q_f32(p, v)
#define STORE_F64(p, v)    vst1q_f64(p, v)
#define SET_F32(x)         vdupq_n_f32(x)
#define SET_F64(x)         vdupq_n_f64(x)
#define MUL_F32(a, b)      vmulq_f32(a, b)
#define MUL_F64(a, b)      vmulq_f64(a, b)
#define FMA_F32(a, b, sum) vfmaq_f32(sum, a, b)
#define FMA_F64(a, b, sum) vfmaq_f64(sum, a, b)
#include "lib/blas/host/small.inc"

HOST_PUT(, put_f32, float, 8)
HOST_PUT(, put_f64, double, 8)

const struct host_kernels host_neon = {"NEON",
                                       works,
                                       {8, 12, 320, 256, 1536, tile_f32, put_f32, NULL, small_F32},
                                       {8, 6, 256, 192, 1536, tile_f64, put_f64, NULL, small_F64}};
#endif
