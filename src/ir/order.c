/* Whether what a kernel leaves in memory, or prints, depends on the order in which its threads run,
 * and whether it may wait for others.
 *
 * Threads that do not race meet in atomics only. Those that compute integers and whose old value
 * nobody looks at come to the same in any order; all others do not: sums of floats round
 * differently, an old value tells who came before, the last exchange wins. */
#include "ir/ir.h"

/* By enum ir_rmw: the same result in any order. inc and dec wrap, each at a limit of its own. */
static const bool commutes[IR_RMW_COUNT] = {
    [IR_RMW_ADD] = true,  [IR_RMW_SUB] = true,  [IR_RMW_AND] = true,
    [IR_RMW_OR] = true,   [IR_RMW_XOR] = true,  [IR_RMW_UMIN] = true,
    [IR_RMW_UMAX] = true, [IR_RMW_SMIN] = true, [IR_RMW_SMAX] = true};

static void mark(const struct ir_value *v)
{
    if (v->kind == IR_VALUE_RESULT)
        v->u.inst->data = v->u.inst;
}

/* An instruction's data is set where a result of it is used. */
static void mark_uses(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            i->data = NULL;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                mark(i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    mark(i->edges[e].args[k]);
        }
}

static bool depends(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_rmw: return !commutes[i->imm] || i->data;
    case IR_OP_cas:
    case IR_OP_printf:
    case IR_OP_launch: return true;
    default: return false;
    }
}

static void clear(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            i->data = NULL;
}

static const struct ir_inst *find(struct ir_func *f, const struct ir_func *kernel);

/* Through a pointer it may be any function but a kernel. */
static const struct ir_inst *find_anywhere(const struct ir_module *m, const struct ir_func *kernel)
{
    const struct ir_inst *found = NULL;
    for (struct ir_func *f = m->first_func; f && !found; f = f->next)
        if (!(f->flags & IR_FUNC_KERNEL))
            found = find(f, kernel);
    return found;
}

static const struct ir_inst *find(struct ir_func *f, const struct ir_func *kernel)
{
    if (f->data == kernel)
        return NULL;
    f->data = (void *)(uintptr_t)kernel;
    const struct ir_inst *found = NULL;
    mark_uses(f);
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i && !found; i = i->next)
            if (depends(i))
                found = i;
    clear(f);
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i && !found; i = i->next)
            found = i->callee                 ? find(i->callee, kernel)
                    : i->op == IR_OP_call_ptr ? find_anywhere(f->module, kernel)
                                              : NULL;
    return found;
}

const struct ir_inst *ir_order_matters(struct ir_func *kernel)
{
    const struct ir_inst *found = find(kernel, kernel);
    ir_each_func (f, kernel->module)
        f->data = NULL;
    return found;
}

const char *ir_order_text(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_printf: return "a printf";
    case IR_OP_launch: return "a launch";
    case IR_OP_cas: return "a compare-and-swap";
    default:
        return i->imm == IR_RMW_XCHG ? "an exchange"
               : commutes[i->imm]    ? "an atomic whose old value is used"
               : i->imm == IR_RMW_INC || i->imm == IR_RMW_DEC
                   ? "an atomic that wraps"
                   : "an atomic of floating-point numbers";
    }
}

/* ---- waiting ---- */

/* Who waits looks again and again at what others write. */
struct looks {
    bool loops, /* or functions that are called more than once, perhaps by themselves */
        again;  /* reads what may have changed */
};

static bool looks_again(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load: return i->flags & IR_VOLATILE || ir_order(i->flags) != IR_ORDER_NONE;
    case IR_OP_rmw: return i->data;
    case IR_OP_cas:
    case IR_OP_fence:
    case IR_OP_clock: return true;
    default: return false;
    }
}

/* False: nothing is known of what it calls. */
static bool look(struct ir_func *f, const struct ir_func *kernel, struct looks *l)
{
    l->loops |= f->data == kernel;
    if (f->data == kernel)
        return true;
    f->data = (void *)(uintptr_t)kernel;
    ir_cfg(f);
    mark_uses(f);
    bool known = true;
    ir_each_block (b, f) {
        l->loops |= ir_goes_round(b);
        ir_each_inst (i, b) {
            l->again |= looks_again(i);
            known &= i->op != IR_OP_call_ptr && i->op != IR_OP_launch && i->op != IR_OP_gridsync;
        }
    }
    clear(f);
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i && known; i = i->next)
            known = !i->callee || !i->callee->first || look(i->callee, kernel, l);
    return known;
}

bool ir_may_wait(struct ir_func *kernel)
{
    struct looks l = {0};
    const bool known = look(kernel, kernel, &l);
    ir_each_func (f, kernel->module)
        f->data = NULL;
    return !known || (l.loops && l.again);
}
