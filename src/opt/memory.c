/* Where an address points, as far as can be seen, and whether two may touch. */
#include "opt/opt_int.h"

struct opt_place opt_place(struct ir_value *p)
{
    struct opt_place r = {.space = ir_space(p->type)};
    for (;;) {
        struct ir_inst *i = opt_def(p);
        if (i && i->op == IR_OP_ptradd && ir_is_const(i->args[1]))
            r.offset += (int64_t)i->args[1]->u.bits;
        else if (!i || i->op != IR_OP_cvta)
            break;
        p = opt_resolve(i->args[0]);
        if (ir_space(p->type) != IR_SPACE_GENERIC)
            r.space = ir_space(p->type);
    }
    r.base = p;
    return r;
}

static bool is_object(const struct ir_value *v) /* an address that no other object has */
{
    if (v->kind == IR_VALUE_GLOBAL)
        return !(v->u.global->flags & IR_GLOBAL_EXTERN);
    return v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_alloca;
}

bool opt_may_alias(struct opt_place x, uint64_t n, struct opt_place y, uint64_t m)
{
    if (x.base == y.base)
        return x.offset < y.offset + (int64_t)m && y.offset < x.offset + (int64_t)n;
    if (x.space != y.space && x.space != IR_SPACE_GENERIC && y.space != IR_SPACE_GENERIC)
        return false;
    return !(is_object(x.base) && is_object(y.base));
}
