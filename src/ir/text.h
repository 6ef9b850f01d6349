/* Shared by print.c and parse.c: the words that stand in an instruction's [attributes]. */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "ir/ir.h"

struct ir_word {
    const char *text;
    uint32_t bits, mask; /* flags & mask == bits */
};

/* Instruction flags. Order and scope of the defaults are not printed. */
static const struct ir_word ir_flag_words[] = {
    {"rz", IR_RZ, IR_ROUND_MASK},
    {"ru", IR_RU, IR_ROUND_MASK},
    {"rd", IR_RD, IR_ROUND_MASK},
    {"ftz", IR_FTZ, IR_FTZ},
    {"fast", IR_FAST, IR_FAST},
    {"nsw", IR_NSW, IR_NSW},
    {"nuw", IR_NUW, IR_NUW},
    {"volatile", IR_VOLATILE, IR_VOLATILE},
    {"invariant", IR_INVARIANT, IR_INVARIANT},
    {"step", IR_STEP, IR_STEP},
    {"unset", IR_UNSET, IR_UNSET},
    {"typed", IR_TYPED, IR_TYPED},
    {"relaxed", IR_ORDER_RELAXED << IR_ORDER_SHIFT, 7 << IR_ORDER_SHIFT},
    {"acquire", IR_ORDER_ACQUIRE << IR_ORDER_SHIFT, 7 << IR_ORDER_SHIFT},
    {"release", IR_ORDER_RELEASE << IR_ORDER_SHIFT, 7 << IR_ORDER_SHIFT},
    {"acq_rel", IR_ORDER_ACQ_REL << IR_ORDER_SHIFT, 7 << IR_ORDER_SHIFT},
    {"seq_cst", IR_ORDER_SEQ_CST << IR_ORDER_SHIFT, 7 << IR_ORDER_SHIFT},
    {"device", IR_SCOPE_DEVICE << IR_SCOPE_SHIFT, 3 << IR_SCOPE_SHIFT},
    {"system", IR_SCOPE_SYSTEM << IR_SCOPE_SHIFT, 3 << IR_SCOPE_SHIFT},
    {NULL, 0, 0},
};

static const struct ir_word ir_func_words[] = {
    {"noinline", IR_FUNC_NOINLINE, IR_FUNC_NOINLINE},
    {"inline", IR_FUNC_INLINE, IR_FUNC_INLINE},
    {"export", IR_FUNC_EXPORT, IR_FUNC_EXPORT},
    {"weak", IR_FUNC_WEAK, IR_FUNC_WEAK},
    {"noreturn", IR_FUNC_NORETURN, IR_FUNC_NORETURN},
    {"pure", IR_FUNC_PURE, IR_FUNC_PURE},
    {NULL, 0, 0},
};

static const struct ir_word ir_global_words[] = {
    {"extern", IR_GLOBAL_EXTERN, IR_GLOBAL_EXTERN},
    {"managed", IR_GLOBAL_MANAGED, IR_GLOBAL_MANAGED},
    {"export", IR_GLOBAL_EXPORT, IR_GLOBAL_EXPORT},
    {"weak", IR_GLOBAL_WEAK, IR_GLOBAL_WEAK},
    {"texref", IR_GLOBAL_TEXREF, IR_GLOBAL_TEXREF},
    {"const", IR_GLOBAL_CONST, IR_GLOBAL_CONST},
    {NULL, 0, 0},
};

static const struct ir_word ir_param_words[] = {
    {"restrict", IR_PARAM_RESTRICT, IR_PARAM_RESTRICT},
    {"readonly", IR_PARAM_READONLY, IR_PARAM_READONLY},
    {NULL, 0, 0},
};

/* The word for an op's imm, or NULL where it is printed as `imm N`. Asking with ever higher numbers
 * ends in NULL, which is how the parser searches. */
static inline const char *ir_imm_word(enum ir_op op, uint64_t imm)
{
    static const char *const shfl[] = {"idx", "up", "down", "xor"};
    static const char *const vote[] = {"any", "all", "uni", "ballot"};
    switch (op) {
    case IR_OP_sreg: return imm < IR_SREG_COUNT ? ir_sreg_info[imm].name : NULL;
    case IR_OP_rmw:
    case IR_OP_mrmw:
    case IR_OP_redux:
    case IR_OP_reduce: return imm < IR_RMW_COUNT ? ir_rmw_info[imm].name : NULL;
    case IR_OP_shfl: return imm < 4 ? shfl[imm] : NULL;
    case IR_OP_vote: return imm < 4 ? vote[imm] : NULL;
    default: return NULL;
    }
}

/* The signature's letter for operand k: the last '*' stands for all further ones; 0: no such
 * operand. */
static inline char ir_operand_letter(enum ir_op op, uint32_t k)
{
    const char *s = ir_op_info[op].signature;
    while (*s != '(')
        s++;
    for (s++; *s != ')'; s++, k--)
        if (*s == '*' || !k)
            return *s;
    return 0;
}

/* The type that operand letter c has in an instruction of type t, or VOID if the letter leaves it
 * open. */
static inline ir_type ir_letter_type(char c, enum ir_op op, ir_type t)
{
    ir_type shape = ir_op_info[op].flags & IR_ELEMENTWISE ? t : 0;
    switch (c) {
    case 'T': return t;
    case 'E': return ir_scalar(t);
    case 'b': return ir_like(IR_I1, shape);
    case 'c': return IR_I8;
    case 'w': return ir_like(IR_I32, shape);
    case 'l': return ir_like(IR_I64, shape);
    case 'k': return IR_TOKEN;
    case 'M': return ir_like(IR_I1, t);
    case 'I': return ir_like(IR_I32, t);
    default: return IR_VOID;
    }
}

#endif
