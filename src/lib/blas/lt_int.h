/* cuBLASLt's descriptors: what the opaque structures of cublasLt.h hold.
 *
 * lt_desc.c     descriptors and their attributes, by tables
 * lt_matmul.c   products, transforms, algorithms
 * lt_pack.c     matrices that are unpacked before a product, and results that are packed after it
 * lt_group.c    products of many shapes, which are in device memory */
#ifndef LIB_BLAS_LT_INT_H
#define LIB_BLAS_LT_INT_H

#include "lib/blas/blas_int.h"
#include "cuda/cublasLt.h"

struct lt_layout {
    int32_t type, order;
    uint64_t rows, cols;
    int64_t ld, stride, plane;
    int32_t batch, mode; /* grouped: rows, cols and ld are arrays of ints in device memory */
};

enum { LT_A, LT_B, LT_C, LT_D, LT_AUX, LT_OUT, LT_SCALES };

struct lt_desc {
    int32_t compute, scale_type, pointer_mode, transa, transb, transc, fill;
    uint32_t epilogue;
    void *bias, *aux, *amax, *aux_amax;
    void *scale[LT_SCALES];
    int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
    int32_t sm_count, aux_type, bias_type;
    int32_t scale_mode[LT_SCALES];
    int8_t fast;
    int64_t alpha_group, beta_group; /* not 0: pointers to one for each product of a group */
    const void *emulation;
};

/* Settings of emulated f32 and f64, as cublasLtEmulationDesc_t has them: kept, nothing is emulated.
 */
struct lt_emulation {
    int32_t strategy, special, mantissa, most_bits, bit_offset;
    void *bit_count;
};

struct lt_transform {
    int32_t scale_type, pointer_mode, transa, transb;
};

struct lt_preference {
    uint32_t search, reduction, align[4];
    uint64_t workspace, implementations;
    float waves;
    uint32_t average[3];
};

struct lt_algo {
    uint32_t magic;
    int32_t id;
    uint32_t tile;
    int32_t split;
    uint32_t reduction, swizzle, custom, stages;
    uint16_t inner, cluster;
};

_Static_assert(sizeof(struct lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "");
_Static_assert(sizeof(struct lt_desc) <= sizeof(cublasLtMatmulDescOpaque_t), "");
_Static_assert(sizeof(struct lt_emulation) <= sizeof(cublasLtEmulationDescOpaque_t), "");
_Static_assert(sizeof(struct lt_transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t), "");
_Static_assert(sizeof(struct lt_preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "");
_Static_assert(sizeof(struct lt_algo) <= sizeof(cublasLtMatmulAlgo_t), "");

enum { LT_MAGIC = 0x17a160 };

/* What is unpacked: the layouts that the program gave, in whose place plain ones stand. */
struct lt_packing {
    bool any, of[4]; /* A, B, C, D */
    struct lt_layout given[4];
    int32_t trans[4], mode[4];
    const void *scale[4];
    void *out_scale;
};

/* A product as its descriptors have it, and as product.c does. */
struct lt_matmul {
    struct lt_desc d;
    struct lt_layout layout[4]; /* A, B, C, D */
    struct lt_packing pack;
    struct blas_types types;
    struct blas_product p;
    enum lib_type scalar;
    int64_t batch;
};

/* ---- lt_pack.c ---- */
/* Puts plain matrices in the place of those that products do not take as they lie. */
cublasStatus_t lt_pack_describe(struct lt_matmul *m);
/* Unpacks operands into scratch memory, which m then names; lt_repack writes the result and gives
 * the memory back, also after an error. */
enum tern_error lt_unpack(struct cublasContext *h, struct lt_matmul *m, void *scratch[4]);
enum tern_error lt_repack(struct cublasContext *h, const struct lt_matmul *m, void *d,
                          void *scratch[4], enum tern_error e);

/* ---- lt_group.c ---- */
bool lt_grouped(const cublasLtMatrixLayoutOpaque_t *layout);
/* One product of a group, of any size: to ask whether there would be kernels. */
cublasLtMatrixLayoutOpaque_t lt_one_of_group(const cublasLtMatrixLayoutOpaque_t *layout);
cublasLtMatmulDescOpaque_t lt_desc_of_group(const cublasLtMatmulDescOpaque_t *desc);

/* A product's operands, as cublasLtMatmul is given them. */
struct lt_operands {
    const void *alpha, *p[3], *beta; /* A, B, C */
    void *d;
    const cublasLtMatrixLayoutOpaque_t *layout[4];
};
cublasStatus_t lt_matmul(struct cublasContext *h, const cublasLtMatmulDescOpaque_t *desc,
                         const struct lt_operands *o);
cublasStatus_t lt_group(struct cublasContext *h, const cublasLtMatmulDescOpaque_t *desc,
                        const struct lt_operands *o);

/* A call, where the program has asked for it; state.c. */
void lt_log(const char *function, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
