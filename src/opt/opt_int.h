/* What the passes of opt/ share. */
#ifndef OPT_OPT_INT_H
#define OPT_OPT_INT_H

#include "opt/opt.h"

/* ---- values ---- */
static inline struct ir_value *opt_resolve(struct ir_value *v)
{
    while (v->forward)
        v = v->forward;
    return v;
}
static inline struct ir_inst *opt_def(struct ir_value *v) /* NULL: not an instruction's result */
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}
static inline bool opt_is_const(const struct ir_value *v, uint64_t bits)
{
    return v->kind == IR_VALUE_CONST && v->u.bits == bits;
}
static inline uint64_t opt_mask(ir_type t)
{
    unsigned n = ir_bits(t);
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}
/* May it be removed when unused, and executed where it was not before? Everything pure is total. */
static inline bool opt_is_pure(const struct ir_inst *i)
{
    return (ir_op_info[i->op].flags & IR_PURE) != 0;
}
static inline bool
opt_is_plain(const struct ir_inst *i) /* access: to no other thread's knowledge */
{
    return !(i->flags & (IR_VOLATILE | IR_STEP)) && ir_order(i->flags) == IR_ORDER_NONE;
}
/* Does memory look different to this thread after it, for all that can be seen here? */
static inline bool opt_may_write(const struct ir_inst *i)
{
    if (i->op == IR_OP_load)
        return !opt_is_plain(i);
    if (i->op == IR_OP_call && i->callee->flags & IR_FUNC_PURE)
        return false;
    return (ir_op_info[i->op].flags & (IR_WRITES | IR_EFFECT)) != 0 && i->op != IR_OP_alloca &&
           i->op != IR_OP_split && i->op != IR_OP_join && i->op != IR_OP_clock &&
           i->op != IR_OP_printf && i->op != IR_OP_check;
}

/* The largest unsigned number that v can be (range.c); all bits for what is not an integer. */
uint64_t opt_most(const struct ir_value *v, unsigned depth);
struct opt_bits {
    uint64_t zeros, ones; /* bits that are certainly 0, certainly 1 */
};
struct opt_bits opt_bits_of(const struct ir_value *v, unsigned depth);

/* ---- addresses (memory.c) ---- */
struct opt_place {
    struct ir_value *base; /* under all constant additions */
    int64_t offset;
    enum ir_space space;
};
struct opt_place opt_place(struct ir_value *p);
/* Could n bytes at x and m bytes at y overlap? */
bool opt_may_alias(struct opt_place x, uint64_t n, struct opt_place y, uint64_t m);
/* Of two accesses by their types and flags: is one of an address, the other not, and both typed? */
static inline bool opt_kinds_differ(ir_type x, uint32_t x_flags, ir_type y, uint32_t y_flags)
{
    return x_flags & y_flags & IR_TYPED && (ir_kind(x) == IR_PTR) != (ir_kind(y) == IR_PTR);
}

/* ---- loops (loops.c) ---- */
struct opt_loop {
    struct ir_block *header;
    struct opt_loop *parent; /* the innermost loop around it */
    unsigned depth;
    bool innermost;
    bool unrolled, touched; /* by this pass; touched: it, or one inside it */
    bool outlived;          /* opt_mark_outlived: a value of it is used behind it */
    VEC(struct ir_block *) blocks;
    VEC(struct ir_block *) latches;
};
struct opt_loops {
    VEC(struct opt_loop *) all; /* inner loops before the loops around them */
    struct opt_loop **of;       /* innermost loop by block id; NULL: none */
    uint32_t none;              /* id of a block that is in none of them */
};
struct opt_loops *opt_find_loops(struct arena *a, struct ir_func *f); /* renumbers; runs ir_cfg */
bool opt_in_loop(const struct opt_loops *ls, const struct opt_loop *l, const struct ir_block *b);
/* The block that enters the loop and does nothing else after; made if there is none, which spoils
 * the graph analysis. */
struct ir_block *opt_preheader(struct opt_loops *ls, struct opt_loop *l);
/* The loops, each with such a block. */
struct opt_loops *opt_find_entered_loops(struct arena *a, struct ir_func *f);
/* What arrives at the header's parameter after one iteration; NULL: more than one latch. */
struct ir_value *opt_after_one(const struct opt_loop *l, uint32_t param);
bool opt_is_inside(const struct opt_loops *ls, const struct opt_loop *l, const struct ir_value *v);
/* Which loops have values that are used behind them: in one walk, so that those without need none
 * each. Copies of a loop's blocks use what its blocks used. */
void opt_mark_outlived(const struct opt_loops *ls, struct ir_func *f);

/* ---- copying (copy.c) ---- */

uint32_t opt_size(const struct ir_func *f); /* instructions */

#endif
