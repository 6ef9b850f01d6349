/* Descriptors of cuBLASLt: attributes are rows, by number, place and size. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "lib/blas/lt_int.h"

struct attribute {
    int number;
    uint16_t at, size;
};

static const struct attribute *find(const struct attribute *list, size_t n, int number)
{
    for (size_t k = 0; k < n; k++)
        if (list[k].number == number)
            return &list[k];
    return NULL;
}

static cublasStatus_t set(const struct attribute *list, size_t n, void *object, int number,
                          const void *from, size_t bytes)
{
    const struct attribute *a = find(list, n, number);
    if (!object || !from || !a || bytes < a->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)object + a->at, from, a->size);
    return CUBLAS_STATUS_SUCCESS;
}

/* Asked with no room, it says how much is needed. */
static cublasStatus_t get(const struct attribute *list, size_t n, const void *object, int number,
                          void *to, size_t bytes, size_t *written)
{
    const struct attribute *a = find(list, n, number);
    if (!object || !a || (bytes && (!to || bytes < a->size)) || (!bytes && !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes)
        memcpy(to, (const char *)object + a->at, a->size);
    if (written)
        *written = a->size;
    return CUBLAS_STATUS_SUCCESS;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define ROW(number, type, member)                                                                  \
    {                                                                                              \
        number, offsetof(type, member), sizeof(((type *)0)->member)                                \
    }

static const struct attribute layout_attributes[] = {
    ROW(CUBLASLT_MATRIX_LAYOUT_TYPE, struct lt_layout, type),
    ROW(CUBLASLT_MATRIX_LAYOUT_ORDER, struct lt_layout, order),
    ROW(CUBLASLT_MATRIX_LAYOUT_ROWS, struct lt_layout, rows),
    ROW(CUBLASLT_MATRIX_LAYOUT_COLS, struct lt_layout, cols),
    ROW(CUBLASLT_MATRIX_LAYOUT_LD, struct lt_layout, ld),
    ROW(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, struct lt_layout, batch),
    ROW(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, struct lt_layout, stride),
    ROW(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, struct lt_layout, plane),
    ROW(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, struct lt_layout, mode),
    ROW(CUBLASLT_GROUPED_MATRIX_LAYOUT_ROWS_ARRAY, struct lt_layout, rows),
    ROW(CUBLASLT_GROUPED_MATRIX_LAYOUT_COLS_ARRAY, struct lt_layout, cols),
    ROW(CUBLASLT_GROUPED_MATRIX_LAYOUT_LD_ARRAY, struct lt_layout, ld),
};

static const struct attribute desc_attributes[] = {
    ROW(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, struct lt_desc, compute),
    ROW(CUBLASLT_MATMUL_DESC_SCALE_TYPE, struct lt_desc, scale_type),
    ROW(CUBLASLT_MATMUL_DESC_POINTER_MODE, struct lt_desc, pointer_mode),
    ROW(CUBLASLT_MATMUL_DESC_TRANSA, struct lt_desc, transa),
    ROW(CUBLASLT_MATMUL_DESC_TRANSB, struct lt_desc, transb),
    ROW(CUBLASLT_MATMUL_DESC_TRANSC, struct lt_desc, transc),
    ROW(CUBLASLT_MATMUL_DESC_FILL_MODE, struct lt_desc, fill),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE, struct lt_desc, epilogue),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_POINTER, struct lt_desc, bias),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, struct lt_desc, bias_stride),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, struct lt_desc, aux),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, struct lt_desc, aux_ld),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, struct lt_desc, aux_stride),
    ROW(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, struct lt_desc, alpha_stride),
    ROW(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, struct lt_desc, sm_count),
    ROW(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, struct lt_desc, scale[LT_A]),
    ROW(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, struct lt_desc, scale[LT_B]),
    ROW(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, struct lt_desc, scale[LT_C]),
    ROW(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, struct lt_desc, scale[LT_D]),
    ROW(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, struct lt_desc, amax),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, struct lt_desc, aux_type),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, struct lt_desc, scale[LT_AUX]),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, struct lt_desc, aux_amax),
    ROW(CUBLASLT_MATMUL_DESC_FAST_ACCUM, struct lt_desc, fast),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, struct lt_desc, bias_type),
    ROW(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, struct lt_desc, scale_mode[LT_A]),
    ROW(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, struct lt_desc, scale_mode[LT_B]),
    ROW(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, struct lt_desc, scale_mode[LT_C]),
    ROW(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, struct lt_desc, scale_mode[LT_D]),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, struct lt_desc, scale_mode[LT_AUX]),
    ROW(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, struct lt_desc, scale[LT_OUT]),
    ROW(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, struct lt_desc, scale_mode[LT_OUT]),
    ROW(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, struct lt_desc, emulation),
    ROW(CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE, struct lt_desc, alpha_group),
    ROW(CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE, struct lt_desc, beta_group),
};

static const struct attribute emulation_attributes[] = {
    ROW(CUBLASLT_EMULATION_DESC_STRATEGY, struct lt_emulation, strategy),
    ROW(CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, struct lt_emulation, special),
    ROW(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL, struct lt_emulation, mantissa),
    ROW(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, struct lt_emulation, most_bits),
    ROW(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, struct lt_emulation, bit_offset),
    ROW(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER, struct lt_emulation,
        bit_count),
};

static const struct attribute transform_attributes[] = {
    ROW(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, struct lt_transform, scale_type),
    ROW(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, struct lt_transform, pointer_mode),
    ROW(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, struct lt_transform, transa),
    ROW(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, struct lt_transform, transb),
};

static const struct attribute preference_attributes[] = {
    ROW(CUBLASLT_MATMUL_PREF_SEARCH_MODE, struct lt_preference, search),
    ROW(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, struct lt_preference, workspace),
    ROW(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, struct lt_preference, reduction),
    ROW(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, struct lt_preference, align[0]),
    ROW(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, struct lt_preference, align[1]),
    ROW(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, struct lt_preference, align[2]),
    ROW(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, struct lt_preference, align[3]),
    ROW(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, struct lt_preference, waves),
    ROW(CUBLASLT_MATMUL_PREF_IMPL_MASK, struct lt_preference, implementations),
    ROW(CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM, struct lt_preference, average[0]),
    ROW(CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_ROWS, struct lt_preference, average[1]),
    ROW(CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_COLS, struct lt_preference, average[2]),
};

static const struct attribute algo_attributes[] = {
    ROW(CUBLASLT_ALGO_CONFIG_ID, struct lt_algo, id),
    ROW(CUBLASLT_ALGO_CONFIG_TILE_ID, struct lt_algo, tile),
    ROW(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, struct lt_algo, split),
    ROW(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, struct lt_algo, reduction),
    ROW(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, struct lt_algo, swizzle),
    ROW(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, struct lt_algo, custom),
    ROW(CUBLASLT_ALGO_CONFIG_STAGES_ID, struct lt_algo, stages),
    ROW(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, struct lt_algo, inner),
    ROW(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, struct lt_algo, cluster),
};

/* ---- made, set, got, destroyed ---- */

#define ATTRIBUTES(Prefix, handle, attribute_, list)                                               \
    cublasStatus_t Prefix##Destroy(handle object)                                                  \
    {                                                                                              \
        free(object);                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t Prefix##SetAttribute(handle object, attribute_ number, const void *from,        \
                                        size_t bytes)                                              \
    {                                                                                              \
        return set(list, COUNT(list), object, (int)number, from, bytes);                           \
    }                                                                                              \
    cublasStatus_t Prefix##GetAttribute(handle object, attribute_ number, void *to, size_t bytes,  \
                                        size_t *written)                                           \
    {                                                                                              \
        return get(list, COUNT(list), object, (int)number, to, bytes, written);                    \
    }
ATTRIBUTES(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
           layout_attributes)
ATTRIBUTES(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t,
           desc_attributes)
ATTRIBUTES(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t,
           cublasLtMatrixTransformDescAttributes_t, transform_attributes)
ATTRIBUTES(cublasLtMatmulPreference, cublasLtMatmulPreference_t,
           cublasLtMatmulPreferenceAttributes_t, preference_attributes)
ATTRIBUTES(cublasLtEmulationDesc, cublasLtEmulationDesc_t, cublasLtEmulationDescAttributes_t,
           emulation_attributes)

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t number,
                                                    const void *from, size_t bytes)
{
    return set(algo_attributes, COUNT(algo_attributes), algo, (int)number, from, bytes);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t number,
                                                    void *to, size_t bytes, size_t *written)
{
    return get(algo_attributes, COUNT(algo_attributes), algo, (int)number, to, bytes, written);
}

static cublasStatus_t fill(void *object, size_t given, size_t whole, const void *from, size_t bytes)
{
    if (!object || given < whole)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(object, 0, whole);
    memcpy(object, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld)
{
    const struct lt_layout l = {
        .type = (int32_t)type, .rows = rows, .cols = cols, .ld = ld, .batch = 1};
    return fill(layout, size, sizeof *layout, &l, sizeof l);
}

cublasStatus_t cublasLtGroupedMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                        cudaDataType type, int groups,
                                                        const void *rows, const void *cols,
                                                        const void *ld)
{
    const struct lt_layout l = {.type = (int32_t)type,
                                .rows = (uintptr_t)rows,
                                .cols = (uintptr_t)cols,
                                .ld = (int64_t)(uintptr_t)ld,
                                .batch = groups,
                                .mode = CUBLASLT_BATCH_MODE_GROUPED};
    return groups < 0 ? CUBLAS_STATUS_INVALID_VALUE
                      : fill(layout, size, sizeof *layout, &l, sizeof l);
}

cublasStatus_t cublasLtEmulationDescInit_internal(cublasLtEmulationDesc_t desc, size_t size)
{
    const struct lt_emulation e = {.strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT,
                                   .special = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT};
    return fill(desc, size, sizeof *desc, &e, sizeof e);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size,
                                               cublasComputeType_t compute,
                                               cudaDataType_t scale_type)
{
    const struct lt_desc d = {.compute = (int32_t)compute,
                              .scale_type = (int32_t)scale_type,
                              .fill = CUBLAS_FILL_MODE_FULL,
                              .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                              .aux_type = -1,
                              .bias_type = -1};
    return fill(desc, size, sizeof *desc, &d, sizeof d);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc,
                                                        size_t size, cudaDataType scale_type)
{
    const struct lt_transform t = {.scale_type = (int32_t)scale_type};
    return fill(desc, size, sizeof *desc, &t, sizeof t);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t size)
{
    const struct lt_preference p = {.reduction = CUBLASLT_REDUCTION_SCHEME_MASK,
                                    .align = {256, 256, 256, 256},
                                    .implementations = ~(uint64_t)0};
    return fill(preference, size, sizeof *preference, &p, sizeof p);
}

#define CREATE(out, init)                                                                          \
    do {                                                                                           \
        if (!(out))                                                                                \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        *(out) = calloc(1, sizeof **(out));                                                        \
        return *(out) ? (init) : CUBLAS_STATUS_ALLOC_FAILED;                                       \
    } while (0)

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    CREATE(out, cublasLtMatrixLayoutInit_internal(*out, sizeof **out, type, rows, cols, ld));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute,
                                        cudaDataType_t scale_type)
{
    CREATE(out, cublasLtMatmulDescInit_internal(*out, sizeof **out, compute, scale_type));
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *out,
                                                 cudaDataType scale_type)
{
    CREATE(out, cublasLtMatrixTransformDescInit_internal(*out, sizeof **out, scale_type));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
    CREATE(out, cublasLtMatmulPreferenceInit_internal(*out, sizeof **out));
}

cublasStatus_t cublasLtGroupedMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type,
                                                 int groups, const void *rows, const void *cols,
                                                 const void *ld)
{
    CREATE(out, cublasLtGroupedMatrixLayoutInit_internal(*out, sizeof **out, type, groups, rows,
                                                         cols, ld));
}

cublasStatus_t cublasLtEmulationDescCreate(cublasLtEmulationDesc_t *out)
{
    CREATE(out, cublasLtEmulationDescInit_internal(*out, sizeof **out));
}
