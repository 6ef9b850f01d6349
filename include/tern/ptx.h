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
    TERN_PTX_F64
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
/* Overwrites a register with another of its type: for loop variables. */
void tern_ptx_assign(tern_ptx *p, tern_ptx_reg to, tern_ptx_reg from);

/* Addresses are u64, or u32 for shared memory; offsets are in bytes. */
tern_ptx_reg tern_ptx_load(tern_ptx *p, tern_ptx_type t, tern_ptx_space s, tern_ptx_reg address,
                           int32_t offset);
void tern_ptx_store(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address, int32_t offset,
                    tern_ptx_reg v);
tern_ptx_reg tern_ptx_atomic_add(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address,
                                 int32_t offset, tern_ptx_reg v); /* gives the old value */

void tern_ptx_barrier(tern_ptx *p);
tern_ptx_reg tern_ptx_shfl(tern_ptx *p, tern_ptx_shuffle mode, tern_ptx_reg v, tern_ptx_reg lane,
                           uint32_t mask); /* 32-bit values, over the whole warp */
tern_ptx_reg tern_ptx_ballot(tern_ptx *p, tern_ptx_reg pred, uint32_t mask);
/* d = a * b + c on the tensor cores, m16n8k16, f16 in, f32 out (sm_80): a is four u32 registers of
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
