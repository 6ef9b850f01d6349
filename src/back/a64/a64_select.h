/* What the two files of selection for AArch64 share. */
#ifndef BACK_A64_A64_SELECT_H
#define BACK_A64_A64_SELECT_H

#include "back/a64/a64_int.h"
#include "back/cpu_ops.h"

extern const struct cpu_machine a64_selection;

mach_reg a64_w(struct cpu_sel *s); /* new registers */
mach_reg a64_x(struct cpu_sel *s);
mach_reg a64_add(struct cpu_sel *s, mach_reg base, int64_t offset);
mach_reg a64_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset);
void a64_load_to(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset);
void a64_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);

/* vector.c */
extern const struct cpu_vectors a64_vectors;
mach_reg a64_flush(struct cpu_sel *s, mach_reg v); /* subnormal f32 to 0, in each lane */
mach_reg a64_splat(struct cpu_sel *s, ir_type lane, uint64_t bits);
mach_reg a64_literal(struct cpu_sel *s, const uint8_t *bytes);
mach_reg a64_extract(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k);
mach_reg a64_insert(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k, mach_reg v);
mach_reg a64_blank(struct cpu_sel *s);
void a64_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no);
mach_reg a64_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no);
mach_reg a64_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                     const unsigned *index);
mach_reg a64_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                        const int64_t *offset);
void a64_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                    int64_t offset);

#endif
