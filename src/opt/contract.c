/* Contraction: a product that is only added to something becomes `mad`.
 *
 * Runs once, before every other pass and at every level, so that each device and the interpreter
 * fuse the same operations. Only operations that round to nearest and agree about ftz take part. */
#include "opt/opt_int.h"

#include <string.h>

/* The device library says fma where it wants one; elsewhere its error terms need both roundings.
 * Its names begin with __tern_, in C++ after "_Z" and a length. */
static bool exempt(const struct ir_func *f)
{
    const char *name = f->name;
    if (strncmp(name, "_Z", 2) == 0)
        name += 2 + strspn(name + 2, "0123456789");
    return strncmp(name, "__tern_", 7) == 0;
}

static struct ir_inst *product(struct ir_value *v, const struct ir_inst *sum, const uint32_t *uses)
{
    struct ir_inst *i = opt_def(v);
    if (!i || i->op != IR_OP_fmul || i->type != sum->type || uses[v->id] != 1)
        return NULL;
    if (i->flags & IR_ROUND_MASK || (i->flags ^ sum->flags) & IR_FTZ)
        return NULL;
    return i;
}

static struct ir_value *negated(struct ir_inst *before, struct ir_value *v)
{
    struct ir_builder b = ir_builder_before(before);
    b.span = before->span;
    return ir_build1(&b, IR_OP_fneg, v->type, v);
}

void opt_contract(struct arena *scratch, struct ir_func *f)
{
    if (exempt(f))
        return;
    uint32_t *uses = ir_use_counts(scratch, f);
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            if ((i->op != IR_OP_fadd && i->op != IR_OP_fsub) || i->flags & IR_ROUND_MASK)
                continue;
            struct ir_inst *left = product(i->args[0], i, uses);
            struct ir_inst *right = left ? NULL : product(i->args[1], i, uses);
            if (!left && !right)
                continue;
            struct ir_inst *m = left ? left : right;
            struct ir_value *x = m->args[0], *y = m->args[1], *z = i->args[left ? 1 : 0];
            if (i->op == IR_OP_fsub && left)
                z = negated(i, z);
            else if (i->op == IR_OP_fsub)
                x = negated(i, x);
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_value *r =
                ir_build_flags(&at, IR_OP_mad, i->type, i->flags & IR_FTZ, 3, x, y, z);
            i->results[0].forward = r;
            ir_remove(i);
            ir_remove(m);
        }
    }
    ir_replace_forwarded(f);
}
