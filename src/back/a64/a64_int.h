/* What the files of back/a64 share: machine code for AArch64 with NEON or SVE, run by the CPU
 * device.
 *
 * a64.c       the target: kernels and functions of a module → one image
 * a64.def     instructions, sve.def those of SVE; kinds.def their operands
 * encode.c    operands ↔ fields of an instruction's word, their text
 * frame.c     what allocation asks for: copies, loads, stores, entering and leaving a function
 * select.c    scalars, memory, control flow, calls
 * plain.c     functions that C calls, calls of C
 * vector.c    vectors: chunks of 128 bits, masks, lanes
 * sve.c       vectors of 256 or 512 bits and masks in registers of their own, where there is SVE
 *
 * Registers: x0–x15 and x19–x28 are allocated, x16 holds what is called, x17 is scratch, x18 is the
 * platform's, x29 and x30 are frame and link. v0–v30 are allocated, v31 is scratch. With SVE p0–p6
 * are allocated, since most instructions take no mask beyond p7; p7 has all bits set from a
 * function's beginning on, p15 is scratch.
 *
 * A scalar integer of less than 32 bits is zero-extended in a w register, an i1 is 0 or 1, f16 and
 * bf16 are their bits in a w register. A vector of the IR is as many vectors of 128 bits as it
 * needs, or one with lanes to spare, which hold anything. A vector of i1 has lanes of 32 bits, 0 or
 * -1; with SVE it is masks for lanes of 32 bits.
 *
 * Code for SVE is for vectors of one length, as code for AVX-512 is: on a machine of another length
 * it is wrong, so that the length is part of what a processor is called (rt/dev/cpu/own.c). */
#ifndef BACK_A64_A64_INT_H
#define BACK_A64_A64_INT_H

#include "mach/mach.h"

enum a64_kind {
    A64_NO,
#define KIND(name, role, class, shift, width, form) A64_KIND_##name,
#include "back/a64/kinds.def"
};
enum { /* which of them are registers */
       A64_REG_NO,
#define KIND(name, role, class, shift, width, form) A64_REG_##name = MACH_##role == MACH_REG,
#include "back/a64/kinds.def"
};
enum a64_op {
    A64_BASE = MACH_SHARED - 1,
#define ROW(name, text, bits, results, a, b, c, d, e, latency, unit, flags) A64_##name,
#include "back/a64/a64.def"
    A64_END
};
enum a64_form {
    A64_F_W,
    A64_F_X,
    A64_F_XS,
    A64_F_WS,
    A64_F_B,
    A64_F_H,
    A64_F_S,
    A64_F_D,
    A64_F_Q,
    A64_F_V,
    A64_F_PLAIN,
    A64_F_BY2,
    A64_F_BY4,
    A64_F_BY8,
    A64_F_BY16,
    A64_F_SIGNED,
    A64_F_SBY4,
    A64_F_SBY8,
    A64_F_SBY16,
    A64_F_MASK32,
    A64_F_MASK64,
    A64_F_COND,
    A64_F_FAR,
    A64_F_ADR,
    A64_F_RIGHT,
    A64_F_UPTO4,
    A64_F_SPLIT8,
    A64_F_LANEB,
    A64_F_LANEH,
    A64_F_LANES,
    A64_F_LANED,
    A64_F_BYS,
    A64_F_Z,
    A64_F_P,
    A64_F_V9,
    A64_F_E8,
    A64_F_PATTERN,
    A64_F_HIGH,
    A64_F_RHIGH
};
enum a64_unit {
    A64_U_INT,
    A64_U_MUL,
    A64_U_DIV,
    A64_U_LD,
    A64_U_ST,
    A64_U_BR,
    A64_U_FP,
    A64_U_VEC
};
enum a64_condition { /* as encoded */
                     A64_EQ,
                     A64_NE,
                     A64_HS,
                     A64_LO,
                     A64_MI,
                     A64_PL,
                     A64_VS,
                     A64_VC,
                     A64_HI,
                     A64_LS,
                     A64_GE,
                     A64_LT,
                     A64_GT,
                     A64_LE
};
enum { A64_GPR, A64_VEC, A64_MASK }; /* classes */
enum {
    A64_X16 = 16,
    A64_X17 = 17,
    A64_FP = 29,
    A64_LR = 30,
    A64_SP = 31,
    A64_V0 = 64,
    A64_V31 = 95,
    A64_P0 = 128,
    A64_P7 = A64_P0 + 7,
    A64_P15 = A64_P0 + 15
};

extern const struct mach_target a64_machine, a64_sve256_machine, a64_sve512_machine;

/* encode.c */
bool a64_mask(uint64_t value, unsigned bits, uint32_t *field); /* as `and` takes it */

/* frame.c: struct mach_target's */
void a64_constant_to(struct mach_code *c, mach_reg to, uint64_t value);
void a64_copy(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, mach_reg from);
void a64_frame_load(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to,
                    uint64_t offset);
void a64_frame_store(struct mach_code *c, unsigned class, unsigned bytes, mach_reg from,
                     uint64_t offset);
void a64_frame_address(struct mach_code *c, mach_reg to, uint64_t offset);
unsigned a64_vector_bytes(const struct mach_target *t);
void a64_enter(struct mach_code *c);
void a64_leave(struct mach_code *c);
void a64_dead(struct mach_code *c);
void a64_jump(struct mach_code *c, uint32_t block);
unsigned a64_invert(unsigned op, int64_t *ops);
unsigned a64_sve_tie(unsigned op, int64_t *ops, unsigned k);
unsigned a64_pair(unsigned op, const int64_t *a, unsigned then, const int64_t *b, int64_t *out,
                  unsigned *n);

#endif
