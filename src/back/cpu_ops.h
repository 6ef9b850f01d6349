/* Operations, as selection for one machine (struct cpu_machine) writes them.
 *
 * cpu_ops.c     emitting, operands; scalars: what is done alike on every machine
 * cpu_vector.c  vectors: the same for chunks, masks, conversions between widths of lanes
 *
 * What an op needs beside the instruction itself (operands flushed to zero, a result for each
 * chunk, masks with lanes of the right width) is the same on every machine and is done here. Which
 * instruction it is, a machine says: struct cpu_scalars and struct cpu_vectors. `lane` is the
 * logarithm of a lane's bytes: 0 to 3. */
#ifndef BACK_CPU_OPS_H
#define BACK_CPU_OPS_H

#include "back/cpu_select.h"

enum { CPU_MOST_CHUNKS = 64, CPU_MOST_VECTOR = 64 /* bytes */ };

/* ---- emitting ---- */
/* An instruction with a result and one to three operands; gives d. */
mach_reg cpu_1(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a);
mach_reg cpu_2(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a, int64_t b);
mach_reg cpu_3(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a, int64_t b, int64_t c);
mach_reg cpu_chunk(struct cpu_sel *s); /* a new register for a whole vector of the machine's */
/* The same with a new chunk as the result. */
mach_reg cpu_v1(struct cpu_sel *s, unsigned op, int64_t a);
mach_reg cpu_v2(struct cpu_sel *s, unsigned op, int64_t a, int64_t b);
mach_reg cpu_v3(struct cpu_sel *s, unsigned op, int64_t a, int64_t b, int64_t c);

/* ---- operands ---- */
bool cpu_known(const struct ir_inst *i, unsigned k, uint64_t *bits); /* operand k is a constant */
bool cpu_is_half(ir_type t);                                         /* f16 or bf16 */
/* Operands and results of f32 that are subnormal count as 0. */
bool cpu_flushes(const struct ir_inst *i, ir_type t);
/* Of i1, arithmetic is logic: and, or, xor, not; IR_OP_COUNT: it is none of these. */
enum ir_op cpu_bit_op(unsigned op);
unsigned cpu_log_bytes(ir_type t); /* of a scalar, or of a lane as it lies in memory */
/* Of a funnel shift by a constant: by how much the first operand moves up. False: by nothing. */
bool cpu_funnel(const struct ir_inst *i, unsigned bits, unsigned *up);

/* ---- scalars ---- */
struct cpu_scalars {
    /* MACH_NONE: there is no instruction */
    mach_reg (*integer)(struct cpu_sel *s, const struct ir_inst *i, ir_type t,
                        const mach_reg *args);
    mach_reg (*floating)(struct cpu_sel *s, const struct ir_inst *i, bool wide,
                         const mach_reg *args); /* f32 or f64, rounded to nearest */
    mach_reg (*half_sign)(struct cpu_sel *s, bool negate, mach_reg v); /* -x or |x| of 16 bits */
    mach_reg (*convert)(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                        mach_reg v);
    mach_reg (*compare)(struct cpu_sel *s, const struct ir_inst *i, ir_type from,
                        const mach_reg *args);        /* an i1 */
    mach_reg (*flush)(struct cpu_sel *s, mach_reg v); /* subnormal f32 to 0; of vectors, too */
};
/* An elementwise op on scalars, or MACH_NONE. `from`: the operand's type. */
mach_reg cpu_scalar(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                    const mach_reg *args);

/* One instruction, by what the machine has for it; false: it has nothing. */
bool cpu_select_op(struct cpu_sel *s, struct ir_inst *i);

/* ---- vectors ---- */
struct cpu_lane_ops {
    enum ir_op op;
    uint16_t lanes[4]; /* by `lane`; 0: none */
};

struct cpu_vectors {
    uint16_t and, or, xor; /* instructions on whole chunks */
    uint16_t up;           /* shifts lanes of 32 bits left by a constant */
    mach_reg (*not )(struct cpu_sel *s, mach_reg a);
    mach_reg (*and_not)(struct cpu_sel *s, mach_reg a, mach_reg b); /* a & ~b */
    mach_reg (*or_not)(struct cpu_sel *s, mach_reg a, mach_reg b);  /* a | ~b */
    mach_reg (*dup)(struct cpu_sel *s, ir_type t, mach_reg v);      /* of a scalar */
    mach_reg (*bit)(struct cpu_sel *s, unsigned lane, mach_reg a,
                    mach_reg one); /* a & 1 ? -1 : 0 */
    /* Of a chunk; MACH_NONE: there is no instruction. */
    mach_reg (*integer)(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                        const mach_reg *a);
    mach_reg (*floating)(struct cpu_sel *s, const struct ir_inst *i, bool wide, const mach_reg *a);
    mach_reg (*compare)(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                        mach_reg b);
    /* The lanes of `in` (lanes of them, 8 << from bits each) with 8 << to bits; of floats. */
    void (*resize)(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                   unsigned lanes, bool is_signed, mach_reg *out);
    void (*resize_floats)(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                          unsigned lanes, mach_reg *out);
    /* Whole instructions. False: lane by lane. NULL: always so. */
    bool (*by_lane)(struct cpu_sel *s, const struct ir_inst *i); /* by one lane of another chunk */
    bool (*to_integer)(struct cpu_sel *s, const struct ir_inst *i);
    bool (*from_integer)(struct cpu_sel *s, const struct ir_inst *i);
    bool (*load)(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask);
    bool (*store)(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask);
    bool (*gather)(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask);
    bool (*scatter)(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask);
    bool (*permute)(struct cpu_sel *s, const struct ir_inst *i);
    bool (*reduce)(struct cpu_sel *s, const struct ir_inst *i);
    bool (*mask_bits)(struct cpu_sel *s, const struct ir_inst *i);
    void (*vote)(struct cpu_sel *s, const struct ir_inst *i);
    /* The words of a chunk that begins so many words after `low` and ends in `high`; NULL: none. */
    mach_reg (*slide)(struct cpu_sel *s, mach_reg high, mach_reg low, unsigned words);
};
bool cpu_vector(struct cpu_sel *s, struct ir_inst *i); /* false: lane by lane */
/* How many lanes of a chunk of type t run, if it is known to be the first ones, none, or all, and
 * machines have an access of that size; NULL: all. A step of a reduction is for a few lanes of
 * many: what it stores the next one gets from the store, which it would not from a masked one. */
#define CPU_SOME_LANES UINT32_MAX
unsigned cpu_first_lanes(const struct cpu_sel *s, const struct ir_value *mask, ir_type t,
                         unsigned chunk);

/* ---- shared memory in registers ---- */
bool cpu_held(struct cpu_sel *s, struct ir_inst *i); /* false: it is to be done as ever */
void cpu_held_flush(struct cpu_sel *s);
void cpu_held_forget(struct cpu_sel *s, bool flush);

/* ---- masks in registers of their own ---- */
/* A vector of i1 is as many as its lanes have chunks of 32 bits each; a bit for each lane, from the
 * lowest on. Bits above these hold anything. */
struct cpu_masks {
    uint8_t class;
    uint16_t and, or, xor;
    mach_reg (*not )(struct cpu_sel *s, mach_reg a);
    mach_reg (*and_not)(struct cpu_sel *s, mach_reg a, mach_reg b); /* a & ~b */
    mach_reg (*constant)(struct cpu_sel *s, bool set);              /* by mach_remat */
    /* As numbers of 32 bits; one bit of these, and that bit changed. */
    mach_reg (*to_bits)(struct cpu_sel *s, mach_reg mask);
    mach_reg (*from_bits)(struct cpu_sel *s, mach_reg bits);
    mach_reg (*bit)(struct cpu_sel *s, mach_reg bits, unsigned k);
    mach_reg (*with_bit)(struct cpu_sel *s, mach_reg bits, unsigned k, mach_reg bit);
    /* A register for each chunk of lanes of 8 << from bits → for each of those of 8 << to. */
    void (*as)(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to, unsigned lanes,
               mach_reg *out);
    /* To lanes that are 0 or -1, and back by their top bits. */
    mach_reg (*spread)(struct cpu_sel *s, unsigned lane, mach_reg mask);
    mach_reg (*narrow)(struct cpu_sel *s, unsigned lane, mach_reg vector);
};
mach_reg cpu_mask(struct cpu_sel *s); /* a new register for a mask of one chunk */
mach_reg cpu_mask_constant(struct cpu_sel *s, bool set);
mach_reg cpu_mask_2(struct cpu_sel *s, enum ir_op op, mach_reg a, mach_reg b); /* and, or, xor */
/* A mask as lanes, whatever masks are. */
void cpu_mask_lanes(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out);
void cpu_lanes_of(struct cpu_sel *s, struct ir_value *v, mach_reg *out);
void cpu_set_lanes(struct cpu_sel *s, const struct ir_inst *i, mach_reg *out);

unsigned cpu_log_lane(ir_type t);
ir_type cpu_integer_of(unsigned lane); /* i8, i16, i32 or i64 */
unsigned cpu_chunks_of(const struct cpu_sel *s, unsigned lanes, unsigned lane);
unsigned cpu_lane_op(const struct cpu_lane_ops *table, size_t n, unsigned op, unsigned lane);
bool cpu_all_ones(const struct ir_value *mask); /* a constant: all lanes run */
/* A mask with lanes of another width: all chunks. */
void cpu_mask_as(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out);
/* All chunks of a mask in one, by `and` or `or`. */
mach_reg cpu_fold_mask(struct cpu_sel *s, struct ir_value *mask, unsigned op);

#endif
