/* What vector.c, widths.c and wide.c share. */
#ifndef BACK_X64_X64_VECTOR_H
#define BACK_X64_X64_VECTOR_H

#include "back/x64/x64_select.h"

mach_reg x64_not(struct cpu_sel *s, mach_reg a);
mach_reg x64_and_not(struct cpu_sel *s, mach_reg a, mach_reg b);
mach_reg x64_or_not(struct cpu_sel *s, mach_reg a, mach_reg b);
mach_reg x64_dup(struct cpu_sel *s, ir_type t, mach_reg x);
mach_reg x64_integer_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                           const mach_reg *a);
mach_reg x64_float_chunk(struct cpu_sel *s, const struct ir_inst *i, bool wide, const mach_reg *a);

/* widths.c: struct cpu_vectors' */
void x64_resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to, unsigned lanes,
                bool is_signed, mach_reg *out);
void x64_resize_floats(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                       unsigned lanes, mach_reg *out);
mach_reg x64_compare_integers(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a,
                              mach_reg b);
mach_reg x64_compare(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                     mach_reg b);
void x64_test_all(struct cpu_sel *s, struct ir_value *mask); /* flags: equal if all run */
void x64_vote(struct cpu_sel *s, const struct ir_inst *i);
bool x64_mask_bits(struct cpu_sel *s, const struct ir_inst *i);
bool x64_to_integer(struct cpu_sel *s, const struct ir_inst *i);
bool x64_from_integer(struct cpu_sel *s, const struct ir_inst *i);

/* longs.c: 64-bit integers with AVX2 */
mach_reg x64_long_to_double(struct cpu_sel *s, bool is_signed, mach_reg v);
mach_reg x64_double_to_long(struct cpu_sel *s, bool is_signed, mach_reg v);

/* wide.c: parts of what AVX2 and AVX-512 share */
mach_reg x64_wide_flush(struct cpu_sel *s, mach_reg v);
mach_reg x64_wide_number(struct cpu_sel *s, bool wide, mach_reg a, mach_reg b,
                         mach_reg r); /* r, or of a and b the one that is no NaN */
mach_reg x64_wide_to_i32(struct cpu_sel *s, mach_reg v);
mach_reg x64_wide_to_long(struct cpu_sel *s, bool is_signed, mach_reg v);
mach_reg x64_wide_shift(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a, mach_reg by);
mach_reg x64_wide_pack(struct cpu_sel *s, unsigned from, mach_reg a, mach_reg b);

#endif
