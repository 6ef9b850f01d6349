/* What the files of selection for x86-64 share. */
#ifndef BACK_X64_X64_SELECT_H
#define BACK_X64_X64_SELECT_H

#include "back/cpu_call.h"
#include "back/cpu_ops.h"
#include "back/x64/x64_int.h"

extern const struct cpu_machine x64_selection, x64_wide_selection;
enum { X64_VECTOR = 32, X64_WIDE_VECTOR = 64 };

mach_reg x64_r(struct cpu_sel *s, bool wide); /* new registers */
mach_reg x64_f(struct cpu_sel *s, bool wide);
mach_reg x64_add(struct cpu_sel *s, mach_reg base, int64_t offset);
mach_reg x64_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset);
void x64_load_to(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);
void x64_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);

/* call.c */
mach_reg x64_host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n, bool result);
void x64_stubs(struct cpu_sel *s);
extern const struct cpu_calling x64_calling;

/* vector.c: lanes of one chunk */
extern const struct cpu_vectors x64_vectors;
/* Rows that are the same with AVX2 and AVX-512. */
#define X64_VECTORS_OF_BOTH                                                                        \
    .and = X64_VAND, .or = X64_VOR, .xor = X64_VXOR, .up = X64_VSHLsi, .not = x64_not,             \
    .and_not = x64_and_not, .or_not = x64_or_not, .dup = x64_dup, .integer = x64_integer_chunk,    \
    .floating = x64_float_chunk, .resize = x64_resize, .resize_floats = x64_resize_floats,         \
    .to_integer = x64_to_integer, .from_integer = x64_from_integer
mach_reg x64_flush(struct cpu_sel *s, mach_reg v); /* subnormal f32 to 0 */
mach_reg x64_least(struct cpu_sel *s, bool max, bool wide, mach_reg a, mach_reg b);
mach_reg x64_sign(struct cpu_sel *s, enum ir_op op, bool wide, mach_reg a, mach_reg b);
mach_reg x64_to_i32(struct cpu_sel *s, mach_reg v); /* f32, rounded already */
mach_reg x64_splat(struct cpu_sel *s, ir_type lane, uint64_t bits);
mach_reg x64_literal(struct cpu_sel *s, const uint8_t *bytes);
mach_reg x64_extract(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k);
mach_reg x64_insert(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k, mach_reg v);
mach_reg x64_blank(struct cpu_sel *s);
void x64_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no);
/* The rounding of vround*: by the IR's mode. */
unsigned x64_rounding(unsigned mode);

/* vector.c: struct cpu_machine's */
mach_reg x64_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no);
mach_reg x64_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                     const unsigned *index);
bool x64_load_parts(struct cpu_sel *s, unsigned lane, unsigned n, const mach_reg *base,
                    const int64_t *offset, mach_reg *out);
mach_reg x64_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                        const int64_t *offset);
void x64_transpose(struct cpu_sel *s, const mach_reg *in, mach_reg *out);
void x64_store_part(struct cpu_sel *s, mach_reg chunk, unsigned part, mach_reg base,
                    int64_t offset);
mach_reg x64_load_first(struct cpu_sel *s, ir_type t, unsigned lanes, mach_reg base,
                        int64_t offset);
void x64_store_first(struct cpu_sel *s, ir_type t, unsigned lanes, mach_reg v, mach_reg base,
                     int64_t offset);
void x64_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                    int64_t offset);

/* wide.c: what AVX-512 has instead */
extern const struct cpu_vectors x64_wide_vectors;
extern const struct cpu_masks x64_wide_masks;
mach_reg x64_wide_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no);
mach_reg x64_wide_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                          const unsigned *index);
void x64_wide_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no);
/* 1 or 0, in a register of integers: lane 0 of a comparison. */
mach_reg x64_wide_compare_one(struct cpu_sel *s, bool wide, mach_reg a, mach_reg b, unsigned how);

#endif
