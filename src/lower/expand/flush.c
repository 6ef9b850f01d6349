/* Flush-to-zero written out: for targets that keep subnormals whether asked or not. */
#include "lower/lower.h"

/* A zero of the same sign if x is subnormal. */
static struct ir_value *flushed(struct ir_builder *b, struct ir_value *x)
{
    struct ir_module *m = b->module;
    ir_type t = x->type;
    struct ir_value *magnitude = ir_build1(b, IR_OP_fabs, t, x);
    struct ir_value *zero = ir_build2(b, IR_OP_fcopysign, t, ir_const(m, t, 0), x);
    struct ir_value *small =
        ir_build2(b, IR_OP_flt, t, magnitude, ir_const(m, t, 0x00800000)); /* 2^-126 */
    return ir_build3(b, IR_OP_select, t, small, zero, x);
}

void lower_flush(struct ir_func *f)
{
    bool changed = false;
    ir_each_block (block, f)
        ir_each_inst (i, block) {
            if (!(i->flags & IR_FTZ) || !(ir_op_info[i->op].flags & IR_FLUSHES))
                continue;
            i->flags &= ~(uint32_t)IR_FTZ;
            struct ir_builder b = ir_builder_before(i);
            b.span = i->span;
            for (uint32_t k = 0; k < i->nargs; k++)
                if (ir_kind(i->args[k]->type) == IR_F32)
                    i->args[k] = flushed(&b, i->args[k]);
            if (!i->nresults || ir_kind(i->results[0].type) != IR_F32)
                continue;
            b = ir_builder_before(i->next);
            b.span = i->span;
            /* the flushed value itself reads the result, and must go on reading it */
            struct ir_value *raw = &i->results[0], *now = flushed(&b, raw);
            raw->forward = now;
            changed = true;
            ir_replace_forwarded(f);
            raw->forward =
                NULL; /* or the next time it would be replaced in what is put back below */
            struct ir_inst *select = now->u.inst, *small = select->args[0]->u.inst;
            select->args[2] = raw;
            select->args[1]->u.inst->args[1] = raw;
            small->args[0]->u.inst->args[0] = raw;
        }
    if (changed)
        ir_renumber(f);
}
