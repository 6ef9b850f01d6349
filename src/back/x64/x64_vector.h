/* What vector.c and widths.c share. */
#ifndef BACK_X64_X64_VECTOR_H
#define BACK_X64_X64_VECTOR_H

#include "back/x64/x64_select.h"

unsigned x64_log_lane(ir_type t); /* 0 to 3: lanes of 8 to 64 bits */
mach_reg x64_not(struct cpu_sel *s, mach_reg a);

/* widths.c */
/* The lanes of `in` (lanes of them, 8 << from bits each) with 8 << to bits. */
void x64_resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to, unsigned lanes,
                bool is_signed, mach_reg *out);
bool x64_masks(struct cpu_sel *s, const struct ir_inst *i); /* arithmetic on i1 */
bool x64_compare(struct cpu_sel *s, const struct ir_inst *i);
bool x64_choose(struct cpu_sel *s, const struct ir_inst *i);
void x64_test_all(struct cpu_sel *s, struct ir_value *mask); /* flags: equal if all run */
void x64_vote(struct cpu_sel *s, const struct ir_inst *i);
void x64_mask_bits(struct cpu_sel *s, const struct ir_inst *i);
bool x64_convert(struct cpu_sel *s, const struct ir_inst *i);

#endif
