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

HOST_PUT(, put_f32, float, 4)
HOST_PUT(, put_f64, double, 4)

const struct host_kernels host_plain = {"C",
                                        works,
                                        {4, 4, 256, 256, 1024, tile_f32, put_f32, NULL, NULL},
                                        {4, 4, 256, 256, 1024, tile_f64, put_f64, NULL, NULL}};

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
