/* Micro-kernels in C for any machine, and the choice between all of them. */
#include "lib/blas/host/host.h"

static bool works(void)
{
    return true;
}

#define TILE(name, T)                                                                              \
    static void name(int64_t k, const T *a, const T *b, T *out)                                    \
    {                                                                                              \
        T c[4][4] = {{0}};                                                                         \
        for (; k > 0; k--, a += 4, b += 4)                                                         \
            for (int j = 0; j < 4; j++)                                                            \
                for (int i = 0; i < 4; i++)                                                        \
                    c[j][i] += a[i] * b[j];                                                        \
        for (int j = 0; j < 4; j++)                                                                \
            for (int i = 0; i < 4; i++)                                                            \
                out[4 * j + i] = c[j][i];                                                          \
    }
TILE(tile_f32, float)
TILE(tile_f64, double)

/* Vectors that any machine has, or its compiler takes apart. */
typedef float vec_f32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double vec_f64 __attribute__((vector_size(16), aligned(8), may_alias));
#define SMALL_TARGET
#define VEC_F32            vec_f32
#define VEC_F64            vec_f64
#define WIDTH_F32          4
#define WIDTH_F64          2
#define LOAD_F32(p)        (*(const vec_f32 *)(p))
#define LOAD_F64(p)        (*(const vec_f64 *)(p))
#define STORE_F32(p, v)    (*(vec_f32 *)(p) = (v))
#define STORE_F64(p, v)    (*(vec_f64 *)(p) = (v))
#define SET_F32(x)         ((vec_f32){0} + (x))
#define SET_F64(x)         ((vec_f64){0} + (x))
#define MUL_F32(a, b)      ((a) * (b))
#define MUL_F64(a, b)      ((a) * (b))
#define FMA_F32(a, b, sum) ((a) * (b) + (sum))
#define FMA_F64(a, b, sum) ((a) * (b) + (sum))
#include "lib/blas/host/small.inc"

HOST_PUT(, put_f32, float, 4)
HOST_PUT(, put_f64, double, 4)

const struct host_kernels host_plain = {"C",
                                        works,
                                        {4, 4, 256, 256, 1024, tile_f32, put_f32, NULL, small_F32},
                                        {4, 4, 256, 256, 1024, tile_f64, put_f64, NULL, small_F64}};

const struct host_kernels *host_kernels(void)
{
    static const struct host_kernels *const all[] = {
#if defined(__aarch64__)
        &host_neon,
#elif defined(__x86_64__)
        &host_avx512,
        &host_avx2,
#endif
        &host_plain
    };
    size_t k = 0;
    while (!all[k]->works())
        k++;
    return all[k];
}
