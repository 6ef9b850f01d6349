/* A builder of PTX: kernels for NVIDIA GPUs, an instruction at a time, checked as they are built.
 * Experimental: it may change between versions.
 *
 *     tern_ptx *p = tern_ptx_new(80);
 *     tern_ptx_kernel(p, "scale");
 *     tern_ptx_reg x = tern_ptx_param(p, TERN_PTX_U64, "x");
 *     …
 *     tern_ptx_end(p);
 *     const char *text = tern_ptx_text(p);      NULL: tern_ptx_error(p) says why
 *     tern_ptx_free(p);
 *
 * Registers are numbers; each has a type, and every function checks the types it is given. The
 * first mistake is remembered, with the call that made it; everything after it does nothing, so
 * that one check at the end is enough. A register given by a failed call is 0, which all calls
 * take quietly. A builder belongs to one thread at a time. */
#ifndef TERN_PTX_H
#define TERN_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tern_ptx tern_ptx;
typedef uint32_t tern_ptx_reg;
typedef uint32_t tern_ptx_label;

typedef enum {
    TERN_PTX_PRED = 1,
    TERN_PTX_U16,
    TERN_PTX_S32,
    TERN_PTX_U32,
    TERN_PTX_S64,
    TERN_PTX_U64,
    TERN_PTX_F16,
    TERN_PTX_F32,
    TERN_PTX_F64,
    TERN_PTX_BF16, /* sm_80: neg, abs, min, max, fma, to and from f32; memory */
    /* only in memory: registers are u32 and s32, of which the low byte is stored */
    TERN_PTX_U8,
    TERN_PTX_S8
} tern_ptx_type;

typedef enum {
    TERN_PTX_GENERIC,
    TERN_PTX_GLOBAL,
    TERN_PTX_SHARED,
    TERN_PTX_CONST,
    TERN_PTX_LOCAL
} tern_ptx_space;

/* Operations of one, two and three operands. */
typedef enum {
    TERN_PTX_NEG,
    TERN_PTX_ABS,
    TERN_PTX_NOT,
    TERN_PTX_SQRT,  /* f32, f64: rounded to nearest */
    TERN_PTX_RCP,   /* f32, f64: rounded to nearest */
    TERN_PTX_EX2,   /* f32: approximate */
    TERN_PTX_LG2,   /* f32: approximate */
    TERN_PTX_RSQRT, /* f32: approximate */
    TERN_PTX_POPC,  /* u32 */
    TERN_PTX_ADD,
    TERN_PTX_SUB,
    TERN_PTX_MUL,      /* integers: the low half */
    TERN_PTX_MUL_WIDE, /* 32-bit integers: 64-bit product */
    TERN_PTX_DIV,
    TERN_PTX_REM,
    TERN_PTX_MIN,
    TERN_PTX_MAX,
    TERN_PTX_AND,
    TERN_PTX_OR,
    TERN_PTX_XOR,
    TERN_PTX_SHL, /* the second operand is u32 */
    TERN_PTX_SHR,
    TERN_PTX_FMA, /* floats: a * b + c, rounded once; integers: low half of the product, plus c */
    TERN_PTX_OP_COUNT
} tern_ptx_op;

typedef enum {
    TERN_PTX_EQ,
    TERN_PTX_NE,
    TERN_PTX_LT,
    TERN_PTX_LE,
    TERN_PTX_GT,
    TERN_PTX_GE
} tern_ptx_compare;
typedef enum { TERN_PTX_IDX, TERN_PTX_UP, TERN_PTX_DOWN, TERN_PTX_BFLY } tern_ptx_shuffle;

/* A builder for processors from sm (70 to 90) on; NULL when memory is short. */
tern_ptx *tern_ptx_new(unsigned sm);
void tern_ptx_free(tern_ptx *p);
/* The whole module; NULL after a mistake, or while a kernel is open. Valid until the next call. */
const char *tern_ptx_text(tern_ptx *p);
const char *tern_ptx_error(const tern_ptx *p); /* the first mistake; NULL: none */

/* Outside kernels: bytes of shared memory of every block; the address comes from
 * tern_ptx_address. */
void tern_ptx_shared(tern_ptx *p, const char *name, size_t bytes, unsigned align);

void tern_ptx_kernel(tern_ptx *p, const char *name);
void tern_ptx_bounds(tern_ptx *p, unsigned max_threads, unsigned min_blocks); /* 0: not given */
tern_ptx_reg tern_ptx_param(tern_ptx *p, tern_ptx_type t, const char *name);
void tern_ptx_end(tern_ptx *p);

tern_ptx_reg tern_ptx_special(tern_ptx *p, const char *name); /* "tid.x", "ctaid.y", "laneid", … */
tern_ptx_reg tern_ptx_u32(tern_ptx *p, uint32_t v);
tern_ptx_reg tern_ptx_u64(tern_ptx *p, uint64_t v);
tern_ptx_reg tern_ptx_f32(tern_ptx *p, float v);
tern_ptx_reg tern_ptx_f64(tern_ptx *p, double v);
tern_ptx_reg tern_ptx_address(tern_ptx *p, const char *shared); /* u32, for TERN_PTX_SHARED */

tern_ptx_reg tern_ptx_op1(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a);
tern_ptx_reg tern_ptx_op2(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a, tern_ptx_reg b);
tern_ptx_reg tern_ptx_op3(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a, tern_ptx_reg b,
                          tern_ptx_reg c);
tern_ptx_reg tern_ptx_test(tern_ptx *p, tern_ptx_compare c, tern_ptx_reg a, tern_ptx_reg b);
tern_ptx_reg tern_ptx_select(tern_ptx *p, tern_ptx_reg cond, tern_ptx_reg yes, tern_ptx_reg no);
tern_ptx_reg tern_ptx_convert(tern_ptx *p, tern_ptx_type to, tern_ptx_reg a);
/* The same bits as another type of that size: f32 and u32, f16 and u16, f64 and u64, … */
tern_ptx_reg tern_ptx_bits(tern_ptx *p, tern_ptx_type to, tern_ptx_reg a);
/* Overwrites a register with another of its type: for loop variables. */
void tern_ptx_assign(tern_ptx *p, tern_ptx_reg to, tern_ptx_reg from);

/* Addresses are u64, or u32 for shared memory; offsets are in bytes. */
tern_ptx_reg tern_ptx_load(tern_ptx *p, tern_ptx_type t, tern_ptx_space s, tern_ptx_reg address,
                           int32_t offset);
void tern_ptx_store(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address, int32_t offset,
                    tern_ptx_reg v);
/* What load and store do, of several elements at once (together at most 16 bytes, at a multiple of
 * their size), and only where a predicate holds: elsewhere zeros are read, and nothing is written.
 */
struct tern_ptx_access {
    tern_ptx_type type;
    tern_ptx_space space;
    tern_ptx_reg address;
    int32_t offset;
    unsigned count;    /* 1, 2 or 4; 0 is 1 */
    tern_ptx_reg when; /* 0: always */
};
void tern_ptx_read(tern_ptx *p, const struct tern_ptx_access *a, tern_ptx_reg *out);
void tern_ptx_write(tern_ptx *p, const struct tern_ptx_access *a, const tern_ptx_reg *v);

/* From global to shared memory beside what the thread goes on with (sm_80): 4, 8 or 16 bytes, of
 * which `valid`, a u32, are read and the others are zeros (0: all are read). What was begun is a
 * group at the commit; the wait is for all groups of this thread but the last `pending`. Other
 * threads see the bytes after a barrier. */
void tern_ptx_copy_async(tern_ptx *p, tern_ptx_reg shared, tern_ptx_reg global, unsigned bytes,
                         tern_ptx_reg valid);
void tern_ptx_copy_commit(tern_ptx *p);
void tern_ptx_copy_wait(tern_ptx *p, unsigned pending);

tern_ptx_reg tern_ptx_atomic_add(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address,
                                 int32_t offset, tern_ptx_reg v); /* gives the old value */

void tern_ptx_barrier(tern_ptx *p);
tern_ptx_reg tern_ptx_shfl(tern_ptx *p, tern_ptx_shuffle mode, tern_ptx_reg v, tern_ptx_reg lane,
                           uint32_t mask); /* 32-bit values, over the whole warp */
tern_ptx_reg tern_ptx_ballot(tern_ptx *p, tern_ptx_reg pred, uint32_t mask);
/* 1, 2 or 4 matrices of 8 rows of 16 bytes from shared memory (sm_75): lane i gives the address of
 * row i % 8 of matrix i / 8, and gets 4 bytes of each matrix, as products take them; transposed: of
 * elements of 16 bits. out: as many u32 as matrices. */
void tern_ptx_load_matrix(tern_ptx *p, unsigned count, bool transposed, tern_ptx_reg shared,
                          tern_ptx_reg *out);
/* d = a * b + c on the tensor cores, by a whole warp. What each lane has is PTX's, and in
 * src/ir/mma.def: X(NAME, text, processor, registers of a, b and c, types of a and b, of c and d).
 */
#define TERN_PTX_MMAS(X)                                                                           \
    X(F16_K8, "m16n8k8.row.col.f32.f16.f16.f32", 75, 2, 1, 4, U32, F32)                            \
    X(F16_K16, "m16n8k16.row.col.f32.f16.f16.f32", 80, 4, 2, 4, U32, F32)                          \
    X(F16_K16_F16, "m16n8k16.row.col.f16.f16.f16.f16", 80, 4, 2, 2, U32, U32)                      \
    X(BF16_K8, "m16n8k8.row.col.f32.bf16.bf16.f32", 80, 2, 1, 4, U32, F32)                         \
    X(BF16_K16, "m16n8k16.row.col.f32.bf16.bf16.f32", 80, 4, 2, 4, U32, F32)                       \
    X(TF32_K4, "m16n8k4.row.col.f32.tf32.tf32.f32", 80, 2, 1, 4, U32, F32)                         \
    X(TF32_K8, "m16n8k8.row.col.f32.tf32.tf32.f32", 80, 4, 2, 4, U32, F32)                         \
    X(S8_K16, "m16n8k16.row.col.s32.s8.s8.s32", 80, 2, 1, 4, U32, S32)                             \
    X(S8_K32, "m16n8k32.row.col.s32.s8.s8.s32", 80, 4, 2, 4, U32, S32)                             \
    X(U8_K32, "m16n8k32.row.col.s32.u8.u8.s32", 80, 4, 2, 4, U32, S32)                             \
    X(F64_K4, "m8n8k4.row.col.f64.f64.f64.f64", 80, 1, 1, 2, F64, F64)
typedef enum {
#define TERN_PTX_ROW(NAME, text, sm, a, b, c, in, out) TERN_PTX_MMA_##NAME,
    TERN_PTX_MMAS(TERN_PTX_ROW)
#undef TERN_PTX_ROW
        TERN_PTX_MMA_COUNT
} tern_ptx_shape;
void tern_ptx_mma(tern_ptx *p, tern_ptx_shape shape, tern_ptx_reg *d, const tern_ptx_reg *a,
                  const tern_ptx_reg *b, const tern_ptx_reg *c);
/* TERN_PTX_MMA_F16_K16: m16n8k16, f16 in, f32 out (sm_80): a is four u32 registers of
 * two halves each, b two, c and d four f32. */
void tern_ptx_mma_f16(tern_ptx *p, tern_ptx_reg d[4], const tern_ptx_reg a[4],
                      const tern_ptx_reg b[2], const tern_ptx_reg c[4]);

tern_ptx_label tern_ptx_new_label(tern_ptx *p);
void tern_ptx_place(tern_ptx *p, tern_ptx_label l);
void tern_ptx_branch(tern_ptx *p, tern_ptx_label l);
void tern_ptx_branch_if(tern_ptx *p, tern_ptx_reg pred, tern_ptx_label l);
void tern_ptx_branch_unless(tern_ptx *p, tern_ptx_reg pred, tern_ptx_label l);
void tern_ptx_return(tern_ptx *p);

#ifdef __cplusplus
}
#endif
#endif
