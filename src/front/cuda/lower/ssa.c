/* Blocks and local variables of a function while it is emitted: ir/ssa.h, by variables of the
 * source. */
#include "front/cuda/lower/lower.h"

struct ir_block *lo_block(struct lower *l, const char *name)
{
    struct ir_block *b = ir_block_new(l->fn, name);
    b->span = l->b.span;
    ir_ssa_block(&l->ssa, b);
    return b;
}

bool lo_ended(struct lower *l)
{
    return ir_terminator(l->b.block) != NULL;
}

void lo_start(struct lower *l, struct ir_block *b)
{
    struct span s = l->b.span;
    l->b = ir_builder_at_end(b);
    l->b.span = s;
}

void lo_br(struct lower *l, struct ir_block *to)
{
    if (lo_ended(l))
        return;
    ir_build_br(&l->b, to, NULL, 0);
    ir_ssa_edge(&l->ssa, to, l->b.block->last);
}

void lo_condbr(struct lower *l, struct ir_value *c, struct ir_block *yes, struct ir_block *no)
{
    if (lo_ended(l))
        return;
    ir_build_condbr(&l->b, c, yes, no);
    ir_ssa_edge(&l->ssa, yes, l->b.block->last);
    ir_ssa_edge(&l->ssa, no, l->b.block->last);
}

void lo_switch_edge(struct lower *l, struct ir_inst *sw, struct ir_block *to, uint64_t value)
{
    ir_add_edge(sw, to, NULL, 0, value);
    ir_ssa_edge(&l->ssa, to, sw);
}

static uint32_t number(struct lower *l, struct var *v)
{
    if (v->ir_owner != l->serial || !v->ssa) {
        v->ssa = ir_ssa_var(&l->ssa, cu_ir_type(v->d.type), v->d.name);
        v->ir_owner = l->serial;
    }
    return v->ssa;
}

void lo_seal(struct lower *l, struct ir_block *b)
{
    ir_ssa_seal(&l->ssa, b);
}

void lo_write(struct lower *l, struct var *v, struct ir_value *x)
{
    if (x->kind == IR_VALUE_RESULT && !x->name)
        x->name = v->d.name; /* so that what back ends write reads like the source */
    ir_ssa_write(&l->ssa, l->b.block, number(l, v), x);
}

struct ir_value *lo_read(struct lower *l, struct var *v)
{
    return ir_ssa_read(&l->ssa, l->b.block, number(l, v));
}

struct ir_value *lo_split(struct lower *l)
{
    return &ir_build(&l->b, IR_OP_split, IR_VOID, NULL, 0)->results[0];
}

void lo_join(struct lower *l, struct ir_value *token)
{
    if (!lo_ended(l))
        ir_build(&l->b, IR_OP_join, IR_VOID, &token, 1);
}
