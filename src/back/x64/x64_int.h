/* What the files of back/x64 share: machine code for x86-64, run by the CPU device.
 *
 * x64.c       the target: kernels and functions of a module → one image
 * x64.def     instructions; kinds.def their operands
 * encode.c    instructions ↔ bytes, their text
 * fold.c      operands in memory, and which operand a result overwrites
 * frame.c     what allocation asks for: copies, loads, stores, entering and leaving a function
 * select.c    scalars, memory, control flow
 * call.c      calls: to the host, between functions, entering and leaving them
 * vector.c    vectors: chunks of 256 bits, masks, lanes
 * widths.c    vectors: lanes of other widths, masks, conversions
 * wide.c      vectors of 512 bits and masks in registers of their own, where that differs
 *
 * The machine is x86-64-v3: AVX2, FMA, BMI2, LZCNT, POPCNT, F16C; or x86-64-v4, which has AVX-512
 * (F, BW, CD, DQ, VL) beside these. Others keep the way through C.
 *
 * Registers: rsp and rbp are stack and frame, r10 holds what is called, r11 is scratch, the other
 * 12 are allocated. ymm0–ymm14 are allocated, ymm15 is scratch; of AVX-512 zmm0–zmm30 and k1–k7,
 * zmm31 and k0 are scratch.
 *
 * A scalar integer of less than 32 bits is zero-extended, as is one of 32 in its register of 64; an
 * i1 is 0 or 1, f16 and bf16 are their bits in an integer register. A vector of the IR is as many
 * vectors of 256 or 512 bits as it needs, or one with lanes to spare, which hold anything. A vector
 * of i1 has lanes of 32 bits, 0 or -1; with AVX-512 it is masks of 16 bits. */
#ifndef BACK_X64_X64_INT_H
#define BACK_X64_X64_INT_H

#include "mach/mach.h"

enum x64_kind {
    X64_NO,
#define KIND(name, role, class, place, width, form) X64_KIND_##name,
#include "back/x64/kinds.def"
};
enum x64_op {
    X64_BASE = MACH_SHARED - 1,
#define X64_ROW(name, text, bits, results, a, b, c, d, e, f, g, h, latency, unit, flags) X64_##name,
#include "back/x64/x64.def"
    X64_END
};
enum x64_place { /* where an operand stands */
                 X64_P_REG = 1,
                 X64_P_RM,
                 X64_P_VVVV,
                 X64_P_OPCODE,
                 X64_P_LAST,
                 X64_P_ALL,
                 X64_P_BASE,
                 X64_P_INDEX,
                 X64_P_LANES,
                 X64_P_SCALE,
                 X64_P_DISTANCE,
                 X64_P_RIP,
                 X64_P_JUMP,
                 X64_P_CONDITION,
                 X64_P_IMMEDIATE,
                 X64_P_SHORT,
                 X64_P_MASK
};
enum { /* what a row's operands have in common: registers, places */
       X64_REG_NO,
       X64_AT_NO = 0,
#define KIND(name, role, class, place, width, form)                                                \
    X64_REG_##name = MACH_##role == MACH_REG, X64_AT_##name = 1 << X64_P_##place,
#include "back/x64/kinds.def"
};
enum x64_form { /* how it is printed */
                X64_F_R1,
                X64_F_R2,
                X64_F_R4,
                X64_F_R8,
                X64_F_X,
                X64_F_Y,
                X64_F_H,
                X64_F_W,
                X64_F_Z,
                X64_F_K,
                X64_F_SCALE,
                X64_F_INDEX,
                X64_F_TIMES,
                X64_F_DISTANCE,
                X64_F_RIP,
                X64_F_JUMP,
                X64_F_CONDITION,
                X64_F_COMPARE,
                X64_F_ORDER,
                X64_F_UNSIGNED,
                X64_F_SIGNED
};
enum x64_unit {
    X64_U_INT,
    X64_U_MUL,
    X64_U_DIV,
    X64_U_LD,
    X64_U_ST,
    X64_U_BR,
    X64_U_FP,
    X64_U_VEC
};
enum x64_condition { /* as encoded; the opposite differs in the last bit */
                     X64_B = 2,
                     X64_AE,
                     X64_E,
                     X64_NE,
                     X64_BE,
                     X64_A,
                     X64_P = 10,
                     X64_NP,
                     X64_L,
                     X64_GE,
                     X64_LE,
                     X64_G
};
enum x64_compare { /* of floats in vectors, as encoded */
                   X64_EQ_OQ,
                   X64_LT_OS,
                   X64_LE_OS,
                   X64_UNORD_Q,
                   X64_NEQ_UQ,
                   X64_ORD_Q = 7
};
enum x64_order { /* of integers in vectors, as encoded; the opposite is 4 more */
                 X64_O_EQ,
                 X64_O_LT,
                 X64_O_LE,
                 X64_O_NE = 4
};
enum { X64_GPR, X64_VEC, X64_MASK }; /* classes */
enum {
    X64_RAX,
    X64_RCX,
    X64_RDX,
    X64_RBX,
    X64_RSP,
    X64_RBP,
    X64_RSI,
    X64_RDI,
    X64_R8,
    X64_R9,
    X64_R10,
    X64_R11,
    X64_R12,
    X64_Y0 = MACH_CLASS_SIZE,
    X64_Y15 = X64_Y0 + 15,
    X64_Z31 = X64_Y0 + 31,
    X64_K0 = 2 * MACH_CLASS_SIZE,
    X64_K1
};
enum { X64_ABSENT = 1 << 23 }; /* in a row's bits: AVX-512 has no such instruction */

extern const struct mach_target x64_machine, x64_wide_machine;

/* frame.c: struct mach_target's */
void x64_copy(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, mach_reg from);
void x64_frame_load(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to,
                    uint64_t offset);
void x64_frame_store(struct mach_code *c, unsigned class, unsigned bytes, mach_reg from,
                     uint64_t offset);
void x64_frame_address(struct mach_code *c, mach_reg to, uint64_t offset);
void x64_enter(struct mach_code *c);
void x64_leave(struct mach_code *c);
void x64_dead(struct mach_code *c);
void x64_jump(struct mach_code *c, uint32_t block);
unsigned x64_invert(unsigned op, int64_t *ops);

/* fold.c: struct mach_target's */
unsigned x64_fold(const struct mach_func *f, const struct mach_inst *load,
                  const struct mach_inst *into, unsigned k, int64_t *out, unsigned *n);
unsigned x64_tie(unsigned op, int64_t *ops, unsigned k);

#endif
