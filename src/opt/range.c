/* The largest number, unsigned, that a value can be: what operations, types and the limits of a
 * launch say, a few operations deep. */
#include "opt/opt_int.h"

enum { THREADS = 1024, BLOCKS = 65535 };

static uint64_t most_of_register(uint64_t which, uint64_t all)
{
    switch (which) {
    case IR_SREG_TID_X:
    case IR_SREG_TID_Y: return THREADS - 1;
    case IR_SREG_TID_Z: return 63;
    case IR_SREG_NTID_X:
    case IR_SREG_NTID_Y: return THREADS;
    case IR_SREG_NTID_Z: return 64;
    case IR_SREG_CTAID_X: return INT32_MAX - 1;
    case IR_SREG_NCTAID_X: return INT32_MAX;
    case IR_SREG_CTAID_Y:
    case IR_SREG_CTAID_Z: return BLOCKS - 1;
    case IR_SREG_NCTAID_Y:
    case IR_SREG_NCTAID_Z: return BLOCKS;
    case IR_SREG_LANEID: return 31;
    default: return all;
    }
}

static uint64_t all_bits_up_to(uint64_t x)
{
    for (unsigned k = 1; k < 64; k *= 2)
        x |= x >> k;
    return x;
}

uint64_t opt_most(const struct ir_value *v, unsigned depth)
{
    if (ir_class(v->type) != IR_CLASS_INT || ir_is_vector(v->type))
        return UINT64_MAX;
    const uint64_t all = opt_mask(v->type);
    if (v->kind == IR_VALUE_CONST)
        return v->u.bits;
    if (v->kind != IR_VALUE_RESULT || !depth)
        return all;
    const struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_sreg)
        return most_of_register(i->imm, all);
    if (!opt_is_pure(i) || !i->nargs)
        return all;
    uint64_t a = i->op == IR_OP_select ? 0 : opt_most(i->args[0], depth - 1);
    uint64_t b = i->nargs > 1 ? opt_most(i->args[1], depth - 1) : 0, r;
    switch (i->op) {
    case IR_OP_zext: return a;
    case IR_OP_trunc: return a <= all ? a : all;
    case IR_OP_and: return a < b ? a : b;
    case IR_OP_or:
    case IR_OP_xor: return all_bits_up_to(a | b);
    case IR_OP_umin: return a < b ? a : b;
    case IR_OP_umax: return a > b ? a : b;
    case IR_OP_urem: /* x % 0 is x */ return ir_is_const(i->args[1]) && b && b - 1 < a ? b - 1 : a;
    case IR_OP_udiv: return ir_is_const(i->args[1]) && b ? a / b : all;
    case IR_OP_lshr: return ir_is_const(i->args[1]) ? b < 64 ? a >> b : 0 : a;
    case IR_OP_shl: return ir_is_const(i->args[1]) && b < 64 && a <= all >> b ? a << b : all;
    case IR_OP_add: return !__builtin_add_overflow(a, b, &r) && r <= all ? r : all;
    case IR_OP_mul: return !__builtin_mul_overflow(a, b, &r) && r <= all ? r : all;
    case IR_OP_select: {
        uint64_t c = opt_most(i->args[2], depth - 1);
        return b > c ? b : c;
    }
    case IR_OP_popc:
    case IR_OP_clz: return 64 < all ? 64 : all;
    default: return all;
    }
}

/* ---- single bits ---- */
static struct opt_bits moved(struct opt_bits x, enum ir_op op, uint64_t by, uint64_t all)
{
    if (by >= 64)
        return (struct opt_bits){0, 0};
    if (op == IR_OP_shl)
        return (struct opt_bits){(x.zeros << by | ((UINT64_C(1) << by) - 1)) & all,
                                 x.ones << by & all};
    return (struct opt_bits){(x.zeros >> by | ~(all >> by)) & all, x.ones >> by};
}

struct opt_bits opt_bits_of(const struct ir_value *v, unsigned depth)
{
    const struct opt_bits none = {0, 0};
    const struct ir_inst *i = opt_def((struct ir_value *)v);
    if (ir_class(v->type) != IR_CLASS_INT || ir_is_vector(v->type))
        return none;
    const uint64_t all = opt_mask(v->type);
    if (ir_is_const(v))
        return (struct opt_bits){~v->u.bits & all, v->u.bits & all};
    if (!i || !depth || !i->nargs || ir_class(i->args[0]->type) != IR_CLASS_INT)
        return none;
    const struct opt_bits x = opt_bits_of(i->args[0], depth - 1),
                          y = i->nargs > 1 ? opt_bits_of(i->args[1], depth - 1) : none;
    switch (i->op) {
    case IR_OP_and: return (struct opt_bits){x.zeros | y.zeros, x.ones & y.ones};
    case IR_OP_or: return (struct opt_bits){x.zeros & y.zeros, x.ones | y.ones};
    case IR_OP_xor:
        return (struct opt_bits){(x.zeros & y.zeros) | (x.ones & y.ones),
                                 (x.zeros & y.ones) | (x.ones & y.zeros)};
    case IR_OP_not: return (struct opt_bits){x.ones, x.zeros};
    case IR_OP_zext:
        return (struct opt_bits){(x.zeros | ~opt_mask(i->args[0]->type)) & all, x.ones};
    case IR_OP_trunc: return (struct opt_bits){x.zeros & all, x.ones & all};
    case IR_OP_shl:
    case IR_OP_lshr:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits < ir_bits(v->type)
                   ? moved(x, (enum ir_op)i->op, i->args[1]->u.bits, all)
                   : none;
    default: return none;
    }
}
