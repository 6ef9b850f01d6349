/* What the two files that compile inline PTX share. */
#ifndef FRONT_CUDA_ASM_H
#define FRONT_CUDA_ASM_H

#include <stdlib.h>
#include "front/cuda/lower/lower.h"

struct asm_type {
    ir_type type;
    bool is_signed, is_float;
    const char *name;
};

struct asm_reg {
    const char *name;
    ir_type type;
    struct var *var;
    struct asm_reg *next;
};

enum asm_operand_kind { ASM_NONE, ASM_REG, ASM_VALUE, ASM_NUMBER, ASM_LIST, ASM_MEMORY };

struct asm_operand_value {
    enum asm_operand_kind kind;
    struct asm_reg *reg;
    struct ir_value *value;
    uint64_t number;
    unsigned is_float; /* NUMBER: 32 or 64 when written as one */
    bool negated;
    const char *select; /* .b0, .h10: a part of a register, for video instructions */
    struct asm_operand_value *list[8];
    unsigned nlist;
    struct asm_operand_value *base; /* MEMORY */
    int64_t offset;
};

struct asm_inst {
    const char *text;
    const char *mods[16]; /* the opcode and what follows its dots */
    unsigned nmods;
    struct asm_operand_value args[16];
    unsigned nargs;
    struct asm_operand_value *second; /* of d|p */
};

struct asm_label {
    const char *name;
    struct ir_block *block;
    bool defined;
    struct asm_label *next;
};

struct assembler {
    struct lower *l;
    struct asm_info *info;
    const char *p, *end;
    struct asm_reg *regs;
    struct asm_reg **operands;
    size_t noperands;
    struct asm_label *labels;
    struct ir_value *guard; /* results are kept only where it holds */
};

bool asm_kind(const char *name, struct asm_type *out);
_Noreturn void asm_fail(struct assembler *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct ir_value *asm_cast(struct assembler *a, struct ir_value *v, ir_type t); /* same bits */
struct ir_value *asm_read(struct assembler *a, const struct asm_operand_value *o, ir_type t);
void asm_write(struct assembler *a, const struct asm_operand_value *o, struct ir_value *v);
struct ir_value *asm_address(struct assembler *a, const struct asm_operand_value *o,
                             enum ir_space space);

void asm_emit(struct assembler *a, struct asm_inst *in);
bool asm_has(const struct asm_inst *in, const char *mod);
void asm_need_args(struct assembler *a, const struct asm_inst *in, unsigned n);
void asm_video(struct assembler *a, struct asm_inst *in);
void asm_video_lanes(struct assembler *a, struct asm_inst *in);
void asm_dot(struct assembler *a, struct asm_inst *in);
bool asm_is_pure(const struct asm_inst *in);

#endif
