/* Blocks and registers of a function while it is emitted: ir/ssa.h, where a block is sealed by the
 * last of the edges that its labels promise. */
#include "front/ptxops/ptxops.h"

struct ir_block *px_block(struct px *p, const char *name, uint32_t expected)
{
    struct ir_block *b = ir_block_new(p->func, name);
    struct ir_ssa_block *i = ir_ssa_block(p->ssa, b);
    i->expected = expected;
    i->sealed = !expected;
    b->span = p->b.span;
    return b;
}

void px_start(struct px *p, struct ir_block *b)
{
    struct span s = p->b.span;
    p->b = ir_builder_at_end(b);
    p->b.span = s;
}

struct px_var *px_new_var(struct px *p, const char *name, ir_type t)
{
    struct px_var *v = arena_new(p->a, struct px_var);
    v->name = name;
    v->type = t;
    v->n = ir_ssa_var(p->ssa, t, NULL);
    if (p->in_asm)
        px_write(p, v, px_int(p, t, 0));
    return v;
}

/* One of the edges that a block expects is there. */
static void arrived(struct px *p, struct ir_block *to, struct ir_inst *term)
{
    struct ir_ssa_block *i = ir_ssa_block(p->ssa, to);
    ir_ssa_edge(p->ssa, to, term);
    if (i->expected && !--i->expected)
        ir_ssa_seal(p->ssa, to);
}

void px_br(struct px *p, struct ir_block *to)
{
    ir_build_br(&p->b, to, NULL, 0);
    arrived(p, to, p->b.block->last);
}

void px_condbr(struct px *p, struct ir_value *c, struct ir_block *yes, struct ir_block *no)
{
    struct ir_block *from = p->b.block;
    ir_build_condbr(&p->b, c, yes, no);
    arrived(p, yes, from->last);
    arrived(p, no, from->last);
}

/* For switches: all edges are added before any block is sealed, since sealing reads. */
void px_edge(struct px *p, struct ir_inst *term, struct ir_block *to, uint64_t value)
{
    ir_add_edge(term, to, NULL, 0, value);
    ir_ssa_edge(p->ssa, to, term);
    ir_ssa_block(p->ssa, to)->expected--;
}

void px_seal(struct px *p, struct ir_block *b)
{
    if (!ir_ssa_block(p->ssa, b)->expected)
        ir_ssa_seal(p->ssa, b);
}

void px_write(struct px *p, struct px_var *v, struct ir_value *x)
{
    ir_ssa_write(p->ssa, p->b.block, v->n, x);
}

struct ir_value *px_read(struct px *p, struct px_var *v)
{
    return ir_ssa_read(p->ssa, p->b.block, v->n);
}
