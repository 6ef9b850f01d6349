/* What the `imm` of the operations says that NVIDIA's GPUs do asynchronously: matrices of
 * warpgroups, barriers in memory, bulk copies; and of clusters and hints. Where a device has no
 * such thing they are done at once (lower/expand/async.c): nobody may look before he has waited.
 *
 * wgmma       A (a descriptor, or 4 registers), B (a descriptor), whether D is added to, D
 * bulk        operands in the order of enum ir_bulk's comments
 *
 * A descriptor of a matrix in shared memory, as PTX has it: bits 0-13 address / 16, 16-29 leading
 * dimension offset / 16, 32-45 stride dimension offset / 16, 49-51 base offset, 62-63 swizzle
 * (0 none, 1 128 bytes, 2 64, 3 32). */
#ifndef IR_ASYNC_H
#define IR_ASYNC_H

#include "ir/ir.h"

/* ---- ldmatrix: how many matrices (1, 2 or 4; what is beyond them is 0) ---- */
#define IR_LDMATRIX_COUNT(imm) ((unsigned)(imm)&7)
enum { IR_LDMATRIX_TRANS = 8 }; /* a lane gets two neighbours of column l / 4 */

/* ---- wgmma ---- */
enum ir_wgmma_type {
#define IR_WGMMA(name, k, a, b, d, transposes) IR_WGMMA_##name,
#include "ir/wgmma.def"
    IR_WGMMA_COUNT
};
enum ir_wgmma_flags { /* from bit 16 on; below: type, and N from bit 6 on */
                      IR_WGMMA_REGISTERS = 1 << 16, /* A is in registers */
                      IR_WGMMA_NEGATE_A = 1 << 17,
                      IR_WGMMA_NEGATE_B = 1 << 18,
                      IR_WGMMA_TRANSPOSE_A = 1 << 19, /* M is contiguous in memory, not K */
                      IR_WGMMA_TRANSPOSE_B = 1 << 20, /* N is */
                      IR_WGMMA_SATURATE = 1 << 21,    /* s32 sums */
};
static inline unsigned ir_wgmma_type(uint64_t imm)
{
    return imm & 63;
}
static inline unsigned ir_wgmma_n(uint64_t imm)
{
    return imm >> 6 & 1023;
}
static inline uint64_t ir_wgmma_imm(unsigned type, unsigned n, uint64_t flags)
{
    return type | (uint64_t)n << 6 | flags;
}
/* Registers of D. */
static inline unsigned ir_wgmma_registers(uint64_t imm)
{
    const unsigned t = ir_wgmma_type(imm);
    const bool half =
        t == IR_WGMMA_F16_F16 || (t >= IR_WGMMA_F16_E4M3_E4M3 && t < IR_WGMMA_S32_S8_S8);
    return ir_wgmma_n(imm) / (half ? 4 : 2);
}
static inline ir_type ir_wgmma_result(uint64_t imm)
{
    const unsigned t = ir_wgmma_type(imm);
    return t == IR_WGMMA_F32_F16 || (t >= IR_WGMMA_F32_BF16 && t < IR_WGMMA_F16_E4M3_E4M3) ? IR_F32
                                                                                           : IR_I32;
}
/* Operands before D. */
static inline unsigned ir_wgmma_inputs(uint64_t imm)
{
    return imm & IR_WGMMA_REGISTERS ? 6 : 3;
}
enum ir_wgmma_sync { IR_WGMMA_FENCE, IR_WGMMA_COMMIT, IR_WGMMA_WAIT /* + groups that may run */ };

/* ---- barriers in memory ---- */
enum ir_mbar {
    /* arrive */
    IR_MBAR_DROP = 1,        /* and the phases that follow expect fewer */
    IR_MBAR_NO_COMPLETE = 2, /* it is known not to be the last */
    IR_MBAR_EXPECT = 4,      /* the third operand is a number of bytes to come */
    IR_MBAR_REMOTE = 8,   /* perhaps of another block of the cluster: nobody asks for the state */
    IR_MBAR_CLUSTER = 16, /* orders memory in the cluster */
    IR_MBAR_RELAXED = 32, /* orders none */
    /* wait */
    IR_MBAR_PARITY = 64, /* the second operand is a parity, not a state */
    IR_MBAR_TRY = 128,   /* may take its time */
    /* tx */
    IR_MBAR_COMPLETE = 256, /* bytes have come; else they are expected */
    /* copies */
    IR_MBAR_NO_INC = 512, /* the arrival is among those that the phase expects */
};

/* ---- bulk copies ---- */
enum ir_bulk {
    IR_BULK_LOAD,            /* to shared, from global, bytes, barrier */
    IR_BULK_SEND,            /* to shared of another block, from shared, bytes, barrier */
    IR_BULK_STORE,           /* to global, from shared, bytes */
    IR_BULK_PREFETCH,        /* from global, bytes */
    IR_BULK_TENSOR_LOAD,     /* to shared, map, barrier, coordinates, offsets of im2col */
    IR_BULK_TENSOR_STORE,    /* map, from shared, coordinates */
    IR_BULK_TENSOR_PREFETCH, /* map, coordinates, offsets of im2col */
    IR_BULK_KINDS
};
/* Behind these, the 16-bit mask of IR_BULK_MULTICAST as i32 and the policy of IR_BULK_HINT. */
enum ir_bulk_flags {
    IR_BULK_DIMS_SHIFT = 4, /* of tensors: 1 to 5 */
    IR_BULK_IM2COL = 1 << 7,
    IR_BULK_MULTICAST = 1 << 8,
    IR_BULK_HINT = 1 << 9,
    IR_BULK_REDUCE = 1 << 10, /* by the operation in bits 16 on (rmw.def), of the type in 24 on */
    IR_BULK_OP_SHIFT = 16,
    IR_BULK_TYPE_SHIFT = 24,
    IR_BULK_NO_FTZ = 1 << 11,
};
enum ir_bulk_type {
    IR_BULK_U32,
    IR_BULK_S32,
    IR_BULK_U64,
    IR_BULK_S64,
    IR_BULK_F16,
    IR_BULK_BF16,
    IR_BULK_F32,
    IR_BULK_F64,
    IR_BULK_B32,
    IR_BULK_B64,
    IR_BULK_TYPES
};
static inline enum ir_bulk ir_bulk_kind(uint64_t imm)
{
    return (enum ir_bulk)(imm & 15);
}
static inline unsigned ir_bulk_dims(uint64_t imm)
{
    return imm >> IR_BULK_DIMS_SHIFT & 7;
}
/* Coordinates and, with im2col, offsets. */
static inline unsigned ir_bulk_numbers(uint64_t imm)
{
    const unsigned d = ir_bulk_dims(imm);
    const bool offsets = imm & IR_BULK_IM2COL && ir_bulk_kind(imm) != IR_BULK_TENSOR_STORE;
    return d + (offsets && d > 2 ? d - 2 : 0);
}
static inline unsigned ir_bulk_fixed(uint64_t imm) /* operands before coordinates and options */
{
    static const uint8_t n[IR_BULK_KINDS] = {4, 4, 3, 2, 3, 2, 1};
    return n[ir_bulk_kind(imm)];
}
enum ir_bulk_sync {
    IR_BULK_COMMIT,
    IR_BULK_WAIT,
    IR_BULK_WAIT_READ /* + 4 * groups that may run */
};

/* ---- hints ---- */
enum ir_hint {
    IR_HINT_MAXNREG_INC, /* + 16 * registers */
    IR_HINT_MAXNREG_DEC,
    IR_HINT_LAUNCH_DEPENDENTS,
    IR_HINT_WAIT_FOR_GRID,
    IR_HINT_PROXY_ASYNC,
    IR_HINT_PROXY_ASYNC_GLOBAL,
    IR_HINT_PROXY_ASYNC_SHARED,
    IR_HINT_PROXY_ALIAS,
    IR_HINT_MBARRIER_INIT,
    IR_HINT_PREFETCH_TENSORMAP, /* of the map that the operand points at */
    IR_HINTS
};

#endif
