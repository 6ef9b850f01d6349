/* Matrices that products do not take as they lie: numbers of four bits, blocks with scales of their
 * own, interleaved orders, complex numbers in two planes. Plain matrices in scratch memory stand in
 * their place: f32 for small floats with scales, complex f32 for planes, else the same type. */
#include <stdio.h>
#include <string.h>
#include "lib/blas/lt_int.h"

static bool small(int32_t type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static bool planar(const struct lt_layout *l)
{
    return l->type == CUDA_C_16F;
}

/* What kernels call the elements of a layout; NULL: they do not know them. */
static const char *stored_name(const struct lt_layout *l)
{
    enum lib_type t;
    if (l->type == CUDA_R_4F_E2M1)
        return "__nv_fp4_e2m1";
    if (planar(l))
        return "planes";
    return lib_type_of((cudaDataType)l->type, &t) ? lib_types[t].name : NULL;
}

/* A mode that has a scale for each block, and the types that have it. */
static bool blocks(int32_t mode)
{
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 ||
           mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 ||
           mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F ||
           mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
}

static bool narrow_blocks(int32_t mode, int32_t type)
{
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3
               ? type == CUDA_R_4F_E2M1
               : mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 && small(type);
}

static bool operand_blocks(int32_t mode, int32_t type)
{
    return narrow_blocks(mode, type) ||
           (mode != CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 && blocks(mode) && small(type));
}

/* Which scales go with which: those of 16 and 32 on both sides, those of 128 in any way but squares
 * on both. */
static bool scales_match(int32_t a, int32_t b)
{
    const bool wide = a >= CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F &&
                      b >= CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F && blocks(b);
    return wide ? a != b || a == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F : a == b;
}

static bool layout_known(const struct lt_layout *l)
{
    if (l->order < CUBLASLT_ORDER_COL || l->order > CUBLASLT_ORDER_COL32_2R_4R4)
        return false;
    if (l->type == CUDA_R_4F_E2M1) /* blocks of them begin with whole bytes */
        return l->order <= CUBLASLT_ORDER_ROW && l->ld % 2 == 0;
    return stored_name(l) && (!planar(l) || l->order <= CUBLASLT_ORDER_ROW);
}

/* From one group of 32 columns to the next is at least what the group's tiles take. */
static bool group_fits(const struct lt_layout *l)
{
    const int64_t tall = l->order == CUBLASLT_ORDER_COL4_4R2_8C    ? 8
                         : l->order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32
                                                                   : 1;
    return l->order <= CUBLASLT_ORDER_ROW ||
           l->ld >= 32 * (((int64_t)l->rows + tall - 1) / tall * tall);
}

static cublasStatus_t check(const struct lt_matmul *m, const struct lt_packing *p)
{
    const struct lt_desc *d = &m->d;
    const int32_t *type[4] = {&m->layout[0].type, &m->layout[1].type, &m->layout[2].type,
                              &m->layout[3].type};
    const int32_t out = d->scale_mode[LT_OUT];
    for (int k = 0; k < 4; k++)
        if (p->of[k] &&
            (!layout_known(&m->layout[k]) || m->layout[k].mode != CUBLASLT_BATCH_MODE_STRIDED))
            return CUBLAS_STATUS_NOT_SUPPORTED;
    for (int k = 0; k < 4; k++)
        if (p->of[k] && !group_fits(&m->layout[k]))
            return CUBLAS_STATUS_INVALID_VALUE;
    for (int k = LT_A; k <= LT_C; k++) {
        const bool has = blocks(p->mode[k]);
        if (has && !(k == LT_C ? narrow_blocks(p->mode[k], *type[k])
                               : operand_blocks(p->mode[k], *type[k])))
            return CUBLAS_STATUS_NOT_SUPPORTED;
        if (!has && *type[k] == CUDA_R_4F_E2M1)
            return CUBLAS_STATUS_NOT_SUPPORTED;
        if (has && m->layout[LT_D].batch > 1)
            return CUBLAS_STATUS_NOT_SUPPORTED;
        if (has && !p->scale[k])
            return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!scales_match(p->mode[LT_A], p->mode[LT_B]))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (blocks(out) ? !narrow_blocks(out, *type[LT_D]) || m->layout[LT_D].batch > 1 ||
                          m->layout[LT_D].order != CUBLASLT_ORDER_COL
                    : *type[LT_D] == CUDA_R_4F_E2M1)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (blocks(out) && !p->out_scale)
        return CUBLAS_STATUS_INVALID_VALUE;
    /* What an epilogue keeps would be of D's type. */
    return p->of[LT_D] && d->epilogue & 128 && d->epilogue < 256 ? CUBLAS_STATUS_NOT_SUPPORTED
                                                                 : CUBLAS_STATUS_SUCCESS;
}

/* How many an operand has of what the product keeps, and of what it sums over. */
static void extent(const struct lt_packing *p, int k, int64_t *outer, int64_t *inner)
{
    const struct lt_layout *l = &p->given[k];
    const bool rows_first = k == LT_A   ? p->trans[k] == CUBLAS_OP_N
                            : k == LT_B ? p->trans[k] != CUBLAS_OP_N
                                        : false;
    *outer = (int64_t)(rows_first ? l->rows : l->cols);
    *inner = (int64_t)(rows_first ? l->cols : l->rows);
}

static bool widened(const struct lt_packing *p, int k)
{
    return blocks(p->mode[k]) || p->given[k].type == CUDA_R_4F_E2M1;
}

static int32_t plain_type(const struct lt_matmul *m, int k)
{
    const struct lt_packing *p = &m->pack;
    if (planar(&p->given[k]))
        return CUDA_C_32F;
    if (k == LT_D)
        return p->out_scale ? CUDA_R_32F : p->given[k].type;
    return widened(p, k) || (k != LT_C && (widened(p, LT_A) || widened(p, LT_B)))
               ? CUDA_R_32F
               : p->given[k].type;
}

/* A plain matrix in the place of the one that was given: what the product keeps is contiguous. */
static void substitute(struct lt_matmul *m, int k)
{
    struct lt_layout *l = &m->layout[k];
    int64_t outer, inner;
    extent(&m->pack, k, &outer, &inner);
    *l = (struct lt_layout){.type = plain_type(m, k),
                            .order = CUBLASLT_ORDER_COL,
                            .rows = (uint64_t)outer,
                            .cols = (uint64_t)inner,
                            .ld = outer > 1 ? outer : 1,
                            .stride = outer * inner,
                            .batch = l->batch};
    if (k == LT_A)
        m->d.transa = CUBLAS_OP_N;
    if (k == LT_B)
        m->d.transb = CUBLAS_OP_T;
    if (k == LT_C || k == LT_D) { /* outer are columns */
        l->rows = (uint64_t)inner;
        l->cols = (uint64_t)outer;
        l->order = k == LT_C ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
        l->ld = k == LT_C ? l->ld : inner > 1 ? inner : 1;
    }
    if (k != LT_D && blocks(m->pack.mode[k])) {
        m->d.scale[k] = NULL;
        m->d.scale_mode[k] = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    }
}

cublasStatus_t lt_pack_describe(struct lt_matmul *m)
{
    struct lt_packing *p = &m->pack;
    memcpy(p->given, m->layout, sizeof p->given);
    p->trans[LT_A] = m->d.transa;
    p->trans[LT_B] = m->d.transb;
    if (blocks(m->d.scale_mode[LT_OUT]))
        p->out_scale = m->d.scale[LT_OUT];
    for (int k = 0; k < 4; k++) {
        const struct lt_layout *l = &m->layout[k];
        if (k != LT_D && blocks(m->d.scale_mode[k])) {
            p->mode[k] = m->d.scale_mode[k];
            p->scale[k] = m->d.scale[k];
        }
        p->of[k] = l->order > CUBLASLT_ORDER_ROW || l->type == CUDA_R_4F_E2M1 || planar(l) ||
                   (k == LT_D ? blocks(m->d.scale_mode[LT_OUT]) : blocks(p->mode[k]));
        p->any = p->any || p->of[k];
    }
    if (!p->any)
        return CUBLAS_STATUS_SUCCESS;
    p->of[LT_A] = p->of[LT_B] = p->of[LT_A] || p->of[LT_B];
    const cublasStatus_t s = check(m, p);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    if (m->d.bias_type < 0 && (small(m->layout[LT_D].type) || p->out_scale))
        m->d.bias_type = m->layout[LT_C].type == CUDA_R_16F ? CUDA_R_16F : CUDA_R_16BF;
    for (int k = 0; k < 4; k++)
        if (p->of[k])
            substitute(m, k);
    m->d.scale[LT_OUT] = NULL;
    m->d.scale_mode[LT_OUT] = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- kernels ---- */

struct place { /* as device/blas/lt.h has it */
    const void *p;
    long long ld, stride;
    int order, trans, conj;
};
struct block_scales { /* as device/blas/unpack.h has it */
    const void *p;
    int mode;
};

static struct place place_of(const struct lt_layout *l, const void *p, bool trans, bool conj)
{
    return (struct place){p, l->ld, l->stride, l->order, trans, conj};
}

static enum tern_error over(struct cublasContext *h, const char *name, int64_t n, int64_t batch,
                            void *const *args)
{
    const int64_t groups = (n + 255) / 256;
    if (!n || !batch)
        return TERN_OK;
    return lib_run(&h->device, h->stream, "blas/unpack.h", name,
                   (tern_dim){(uint32_t)(groups < 65535 ? groups : 65535), (uint32_t)batch},
                   (tern_dim){256}, args);
}

static enum tern_error unpack(struct cublasContext *h, const struct lt_matmul *m, int k,
                              const void *from, void *to)
{
    const struct lt_packing *p = &m->pack;
    const struct lt_layout *l = &p->given[k];
    enum lib_type wide;
    int64_t outer, inner;
    char name[128];
    extent(p, k, &outer, &inner);
    if (!lib_type_of((cudaDataType)m->layout[k].type, &wide))
        return TERN_UNSUPPORTED;
    const bool trans = k == LT_A   ? p->trans[k] != CUBLAS_OP_N
                       : k == LT_B ? p->trans[k] == CUBLAS_OP_N
                                   : true;
    struct place at = place_of(l, from, trans, p->trans[k] == CUBLAS_OP_C);
    struct block_scales s = {p->scale[k], p->mode[k]};
    long long plane = l->plane;
    snprintf(name, sizeof name, "unpack<%s, %s>", stored_name(l), lib_types[wide].name);
    return over(h, name, outer * inner, l->batch, (void *[]){&outer, &inner, &at, &plane, &s, &to});
}

static enum tern_error scratch_for(struct cublasContext *h, const struct lt_layout *l, void **out)
{
    enum lib_type t;
    if (!lib_type_of((cudaDataType)l->type, &t))
        return TERN_UNSUPPORTED;
    const size_t bytes = (size_t)(l->rows * l->cols) * (size_t)l->batch * lib_types[t].bytes;
    return lib_scratch(h->stream, bytes ? bytes : 1, out);
}

enum tern_error lt_unpack(struct cublasContext *h, struct lt_matmul *m, void *scratch[4])
{
    enum tern_error e = TERN_OK;
    /* C is not read where beta is 0. */
    const bool reads = m->p.beta || m->p.beta_value[0] != 0 || m->p.beta_value[1] != 0;
    const void *from[3] = {m->p.a.p, m->p.b.p, m->p.c};
    for (int k = 0; k < 4 && !e; k++) {
        if (!m->pack.of[k] || (k == LT_C && !reads))
            continue;
        e = scratch_for(h, &m->layout[k], &scratch[k]);
        if (!e && k != LT_D)
            e = unpack(h, m, k, from[k], scratch[k]);
    }
    if (scratch[LT_A])
        m->p.a.p = scratch[LT_A];
    if (scratch[LT_B])
        m->p.b.p = scratch[LT_B];
    if (scratch[LT_C])
        m->p.c = scratch[LT_C];
    if (scratch[LT_D])
        m->p.d = scratch[LT_D];
    return e;
}

static enum tern_error repack(struct cublasContext *h, const struct lt_matmul *m, void *d,
                              const void *from)
{
    const struct lt_packing *p = &m->pack;
    const struct lt_layout *l = &p->given[LT_D];
    int64_t rows = (int64_t)l->rows, cols = (int64_t)l->cols;
    long long ld = l->ld, plane = l->plane;
    enum lib_type wide;
    char name[128];
    if (p->out_scale) {
        void *scales = p->out_scale;
        const int64_t each = l->type == CUDA_R_4F_E2M1 ? 16 : 32;
        snprintf(name, sizeof name, "quantise<%s>", stored_name(l));
        return over(h, name, (rows + each - 1) / each * cols, 1,
                    (void *[]){&rows, &cols, &ld, &d, &scales, (void *)&from});
    }
    if (!lib_type_of((cudaDataType)m->layout[LT_D].type, &wide))
        return TERN_UNSUPPORTED;
    struct place at = place_of(l, d, false, false);
    snprintf(name, sizeof name, "repack<%s, %s>", stored_name(l), lib_types[wide].name);
    return over(h, name, rows * cols, l->batch,
                (void *[]){&rows, &cols, &at, &plane, (void *)&from});
}

enum tern_error lt_repack(struct cublasContext *h, const struct lt_matmul *m, void *d,
                          void *scratch[4], enum tern_error e)
{
    if (!e && m->pack.of[LT_D])
        e = repack(h, m, d, scratch[LT_D]);
    for (int k = 0; k < 4; k++)
        if (scratch[k])
            lib_scratch_free(h->stream, scratch[k]);
    return e;
}
