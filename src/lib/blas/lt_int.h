/* cuBLASLt's descriptors: what the opaque structures of cublasLt.h hold.
 *
 * lt_desc.c     descriptors and their attributes, by tables
 * lt_matmul.c   products, transforms, algorithms */
#ifndef LIB_BLAS_LT_INT_H
#define LIB_BLAS_LT_INT_H

#include "lib/blas/blas_int.h"
#include "cuda/cublasLt.h"

struct lt_layout {
    int32_t type, order;
    uint64_t rows, cols;
    int64_t ld, stride, plane;
    int32_t batch, mode;
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
};

struct lt_transform {
    int32_t scale_type, pointer_mode, transa, transb;
};

struct lt_preference {
    uint32_t search, reduction, align[4];
    uint64_t workspace, implementations;
    float waves;
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
_Static_assert(sizeof(struct lt_transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t), "");
_Static_assert(sizeof(struct lt_preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "");
_Static_assert(sizeof(struct lt_algo) <= sizeof(cublasLtMatmulAlgo_t), "");

enum { LT_MAGIC = 0x17a160 };

/* A call, where the program has asked for it; state.c. */
void lt_log(const char *function, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
