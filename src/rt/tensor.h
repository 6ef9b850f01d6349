/* Tensor maps: what a program says of a tensor in device memory, once, for copies of boxes of it
 * (IR op `bulk`). NVIDIA's driver makes a map of its own; everywhere else it is ours, 16 words that
 * device/gpu/async.h reads:
 *
 *   0       type | rank << 8 | interleave << 16 | swizzle << 24 | fill << 32 | im2col << 40
 *   1       address
 *   2-6     elements of each dimension, the contiguous one first
 *   7-10    bytes from one to the next, of the dimensions behind the first
 *   11      the box: its first four sizes, 16 bits each
 *   12      its fifth size, then the steps between elements, 8 bits each from bit 16 on
 *   13      im2col: lower corners, 16 bits each, then pixels of a column
 *   14      im2col: upper corners, then channels of a pixel */
#ifndef RT_TENSOR_H
#define RT_TENSOR_H

#include "base/base.h"

enum { TENSOR_MAP_WORDS = 16, TENSOR_MAX_RANK = 5 };
enum tensor_type { /* as CUDA numbers them */
                   TENSOR_U8,
                   TENSOR_U16,
                   TENSOR_U32,
                   TENSOR_S32,
                   TENSOR_U64,
                   TENSOR_S64,
                   TENSOR_F16,
                   TENSOR_F32,
                   TENSOR_F64,
                   TENSOR_BF16,
                   TENSOR_F32_FTZ,
                   TENSOR_TF32,
                   TENSOR_TF32_FTZ,
                   TENSOR_TYPES
};

struct tensor_desc {
    uint32_t type, rank, interleave, swizzle, promotion, fill;
    uint64_t address, size[TENSOR_MAX_RANK], stride[TENSOR_MAX_RANK - 1];
    uint32_t box[TENSOR_MAX_RANK]; /* of tiles */
    uint32_t step[TENSOR_MAX_RANK];
    bool im2col;
    int32_t lower[3], upper[3];
    uint32_t channels, pixels;
};

/* False: CUDA does not take such a map. */
bool tensor_valid(const struct tensor_desc *t);
void tensor_encode(const struct tensor_desc *t, uint64_t map[TENSOR_MAP_WORDS]);

#endif
