/* What the files of selection for AArch64 share. */
#ifndef BACK_A64_A64_SELECT_H
#define BACK_A64_A64_SELECT_H

#include "back/a64/a64_int.h"
#include "back/cpu_ops.h"

extern const struct cpu_machine a64_selection, a64_sve256_selection, a64_sve512_selection;

mach_reg a64_w(struct cpu_sel *s); /* new registers */
mach_reg a64_x(struct cpu_sel *s);
mach_reg a64_add(struct cpu_sel *s, mach_reg base, int64_t offset);
mach_reg a64_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset);
void a64_load_to(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset);
void a64_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);

bool a64_float_immediate(uint64_t bits, bool wide, int64_t *out); /* its eight bits */

/* vector.c */
/* Instructions that make a chunk of two: zip1, zip2, uzp1, uzp2, trn1, trn2; lanes side by side. */
struct a64_shuffles {
    uint16_t pairs[6][4], ext;
};
/* By one of these; MACH_NONE: by none. */
mach_reg a64_shuffle_once(struct cpu_sel *s, const struct a64_shuffles *how, unsigned lane,
                          mach_reg a, mach_reg b, const unsigned *index);
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

/* Operand k is no signalling NaN: a constant, or computed. */
bool a64_is_quiet(const struct ir_inst *i, unsigned k, bool wide);

/* sve.c: what SVE has instead */
extern const struct cpu_vectors a64_sve_vectors;
extern const struct cpu_masks a64_sve_masks;
mach_reg a64_sve_flush(struct cpu_sel *s, mach_reg v);
mach_reg a64_sve_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset);
void a64_sve_load_to(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset);
void a64_sve_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);
mach_reg a64_sve_splat(struct cpu_sel *s, ir_type lane, uint64_t bits);
mach_reg a64_sve_literal(struct cpu_sel *s, const uint8_t *bytes);
mach_reg a64_sve_extract(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k);
mach_reg a64_sve_insert(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k, mach_reg v);
mach_reg a64_sve_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no);
mach_reg a64_sve_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                         const unsigned *index);
mach_reg a64_sve_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                            const int64_t *offset);
void a64_sve_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                        int64_t offset);
void a64_sve_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no);
void a64_sve_stubs(struct cpu_sel *s);

#endif
