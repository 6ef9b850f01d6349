/* The one product of matrices: which kernel does it, and in how many launches. */
#include <stdio.h>
#include <string.h>
#include "lib/blas/blas_int.h"

struct blas_operand blas_matrix(const void *p, int64_t ld, cublasOperation_t op)
{
    const bool plain = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
    return (struct blas_operand){.p = p,
                                 .row = plain ? 1 : ld,
                                 .col = plain ? ld : 1,
                                 .conj = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG};
}

void blas_scalar(const struct cublasContext *h, enum lib_type type, const void *given,
                 const void **at, double value[2])
{
    value[0] = value[1] = 0;
    *at = NULL;
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        *at = given;
        return;
    }
    switch (type) {
    case LIB_F32: value[0] = *(const float *)given; break;
    case LIB_F64: value[0] = *(const double *)given; break;
    case LIB_I32: value[0] = *(const int *)given; break;
    case LIB_C32:
        value[0] = ((const float *)given)[0];
        value[1] = ((const float *)given)[1];
        break;
    case LIB_C64: memcpy(value, given, 2 * sizeof *value); break;
    case LIB_F16: value[0] = lib_half(*(const uint16_t *)given); break;
    case LIB_BF16: value[0] = lib_bfloat(*(const uint16_t *)given); break;
    default: break; /* no function has such scalars */
    }
}

/* Tiles: the small one for results that would leave most of the large one idle; tiles of A and B
 * fit into 32 KB of shared memory. */
struct tile {
    int m, n, k, tm, tn;
};
static const struct tile large = {64, 64, 16, 4, 4}, large_wide = {64, 64, 8, 4, 4},
                         small = {16, 16, 16, 1, 1};

static const struct tile *tile_for(const struct blas_types *t, const struct blas_product *p)
{
    if (p->m <= 32 && p->n <= 32)
        return &small;
    return lib_types[t->sum].bytes > 8 ? &large_wide : &large;
}

enum { MAX_BATCH_PER_LAUNCH = 65535 };

static enum tern_error launch(struct cublasContext *h, const struct blas_types *t,
                              const struct tile *s, struct blas_product *p, int64_t batch)
{
    char name[320];
    const int64_t tiles = ((p->m + s->m - 1) / s->m) * ((p->n + s->n - 1) / s->n);
    if (tiles > INT32_MAX)
        return TERN_UNSUPPORTED;
    snprintf(name, sizeof name, "product<%s, %s, %s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d>",
             lib_types[t->a].name, lib_types[t->b].name,
             lib_types[t->apart ? t->source : t->c].name, lib_types[t->c].name,
             lib_types[t->sum].name, lib_types[t->scale].name, t->a_kind, t->b_kind, s->m, s->n,
             s->k, s->tm, s->tn, t->epilogue);
    for (p->first = 0; p->first < batch; p->first += MAX_BATCH_PER_LAUNCH) {
        const int64_t left = batch - p->first;
        const uint32_t count =
            (uint32_t)(left < MAX_BATCH_PER_LAUNCH ? left : MAX_BATCH_PER_LAUNCH);
        enum tern_error e =
            lib_run(&h->device, h->stream, "blas/gemm.h", name, (tern_dim){(uint32_t)tiles, count},
                    (tern_dim){(uint32_t)(s->m / s->tm * (s->n / s->tn))}, (void *[]){p});
        if (e)
            return e;
    }
    return TERN_OK;
}

enum tern_error blas_product(struct cublasContext *h, const struct blas_types *t,
                             struct blas_product *p, int64_t batch)
{
    if (p->m == 0 || p->n == 0 || batch == 0)
        return TERN_OK;
    if (h->device.host_path)
        return blas_host_product(h, t, p, batch);
    return launch(h, t, tile_for(t, p), p, batch);
}
