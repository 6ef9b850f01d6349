/* Batches of small general products of floats or doubles: their matrices are read where they are,
 * and few things are asked before the first multiplication. */
#include "lib/blas/host/host.h"
#include "lib/blas/part.h"

enum {
    MOST = 96,              /* rows, columns and terms of a sum */
    MOST_TURNED = 32 << 10, /* bytes of A's transpose, on the stack */
    LEAST_TASK = 1 << 16,   /* products of elements that are worth a task */
    SHORT = 64 * 64 * 65,   /* that are not worth another thread */
};

blas_loops_f32 *blas_small_f32(void)
{
    return host_kernels()->f32.small;
}
blas_loops_f64 *blas_small_f64(void)
{
    return host_kernels()->f64.small;
}

static void *at(const struct blas_small *s, const void *p, int64_t stride, int64_t z)
{
    const int64_t bytes = s->type == LIB_F64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    return s->arrays ? ((void *const *)p)[z] : (char *)(uintptr_t)p + z * stride * bytes;
}

#define ONE(T, K)                                                                                  \
    static void one_##K(const struct blas_small *s, int64_t z)                                     \
    {                                                                                              \
        const T *a = at(s, s->a, s->stride_a, z), *b = at(s, s->b, s->stride_b, z);                \
        T turned[MOST_TURNED / sizeof(T)];                                                         \
        int64_t lda = s->lda;                                                                      \
        if (s->a_across && s->k) {                                                                 \
            for (int64_t i = 0; i < s->m; i++)                                                     \
                for (int64_t l = 0; l < s->k; l++)                                                 \
                    turned[i + l * s->m] = a[l + i * lda];                                         \
            a = turned;                                                                            \
            lda = s->m;                                                                            \
        }                                                                                          \
        host_kernels()->K.small(s->m, s->n, s->k, (T)s->alpha, a, lda, b, s->b_row, s->b_col,      \
                                (T)s->beta, at(s, s->c, s->stride_c, z), s->ldc);                  \
    }
ONE(float, f32)
ONE(double, f64)

static void run(const tern_thread *thread, void *args)
{
    const struct blas_small *s = args;
    const int64_t from = thread->block.x * s->group, left = s->count - from,
                  end = from + (left < s->group ? left : s->group);
    for (int64_t z = from; z < end; z++)
        if (s->type == LIB_F64)
            one_f64(s, z);
        else
            one_f32(s, z);
}

bool blas_host_small(struct cublasContext *h, struct blas_small *s, enum tern_error *error)
{
    const int64_t bytes = s->type == LIB_F64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    if (s->m > MOST || s->n > MOST || s->k > MOST ||
        (s->a_across && s->m * s->k * bytes > MOST_TURNED))
        return false;
    if (s->alpha == 0) /* A and B are not read */
        s->k = 0;
    const int64_t each = s->m * s->n * (s->k + 1) + 1;
    tern_stream *stream;
    *error = tern_cuda_stream(h->device.device, h->stream, &stream);
    if (*error)
        return true;
    s->group = s->count;
    if (s->count == 1 ? each <= SHORT : s->count <= SHORT / each) {
        *error = tern_launch_short(stream, run, s, sizeof *s);
        return true;
    }
    /* Several to a task, but some for each core. */
    const int64_t threads = h->device.threads, share = (s->count + threads - 1) / threads,
                  worth = (LEAST_TASK + each - 1) / each;
    s->group = worth < share ? worth : share;
    const int64_t tasks = (s->count + s->group - 1) / s->group;
    if (tasks > INT32_MAX)
        return false;
    *error = tern_launch_function(stream, run, (tern_dim){(uint32_t)tasks}, (tern_dim){1}, 0, s,
                                  sizeof *s);
    return true;
}
