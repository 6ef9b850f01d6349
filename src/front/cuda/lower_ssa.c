/* Local variables as SSA values, made while the code is emitted (Braun et al. 2013): a read that is
 * not answered in its block becomes a block parameter, whose arguments follow when the block is
 * sealed. */
#include "front/cuda/lower.h"

#define MAX_DEPTH 500 /* blocks that one read looks through on the stack */

struct ssa_block *lo_info(struct lower *l, struct ir_block *b)
{
    if (!b->data) {
        struct ssa_block *i = arena_new(l->f->a, struct ssa_block);
        map_init(&i->defs, l->f->a);
        b->data = i;
    }
    return b->data;
}

struct ir_block *lo_block(struct lower *l, const char *name)
{
    struct ir_block *b = ir_block_new(l->fn, name);
    b->span = l->b.span;
    lo_info(l, b);
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

static void add_pred(struct lower *l, struct ir_block *to, struct ir_inst *term)
{
    struct ssa_block *i = lo_info(l, to);
    vec_each (struct ir_inst *, it, &i->preds)
        if (*it == term)
            return;
    vec_push(l->f->a, &i->preds, term);
}

void lo_br(struct lower *l, struct ir_block *to)
{
    if (lo_ended(l))
        return;
    ir_build_br(&l->b, to, NULL, 0);
    add_pred(l, to, l->b.block->last);
}

void lo_condbr(struct lower *l, struct ir_value *c, struct ir_block *yes, struct ir_block *no)
{
    if (lo_ended(l))
        return;
    ir_build_condbr(&l->b, c, yes, no);
    add_pred(l, yes, l->b.block->last);
    add_pred(l, no, l->b.block->last);
}

void lo_switch_edge(struct lower *l, struct ir_inst *sw, struct ir_block *to, uint64_t value)
{
    ir_add_edge(sw, to, NULL, 0, value);
    add_pred(l, to, sw);
}

static ir_type var_type(struct var *v)
{
    return cu_ir_type(v->d.type);
}

static uint32_t number(struct lower *l, struct var *v)
{
    if (v->ir_owner != l->serial || !v->ssa) {
        vec_push(l->f->a, &l->vars, v);
        v->ssa = (uint32_t)l->vars.len;
        v->ir_owner = l->serial;
    }
    return v->ssa;
}

static void define(struct lower *l, struct ir_block *b, uint32_t n, struct ir_value *x)
{
    map_set(&lo_info(l, b)->defs, n, x);
}

static struct ir_value *read_in(struct lower *l, struct ir_block *b, uint32_t n);

static struct ir_value *resolve(struct ir_value *x)
{
    while (x->forward)
        x = x->forward;
    return x;
}

/* Takes a parameter back that no edge has an argument for yet. */
static void drop_param(struct ir_block *b, struct ir_value *param, struct ir_value *same)
{
    for (size_t i = param->index; i + 1 < b->params.len; i++) {
        b->params.data[i] = b->params.data[i + 1];
        b->params.data[i]->index = (uint32_t)i;
    }
    b->params.len--;
    param->forward = same; /* its uses are rewritten when the function is done */
}

/* Gives a parameter its arguments, or replaces it by the one value that all of them are. */
static struct ir_value *fill_param(struct lower *l, struct ir_block *b, uint32_t n,
                                   struct ir_value *param)
{
    struct ssa_block *i = lo_info(l, b);
    struct ir_value **args = arena_array(l->f->a, struct ir_value *, i->preds.len + 1),
                    *same = NULL;
    bool one = true;
    for (size_t p = 0; p < i->preds.len; p++) {
        args[p] = resolve(read_in(l, i->preds.data[p]->block, n));
        if (args[p] == param || args[p] == same)
            continue;
        one &= same == NULL;
        same = args[p];
    }
    if (one && same) {
        drop_param(b, param, same);
        define(l, b, n, same);
        return same;
    }
    /* Those that have their arguments come first, in the order in which they got them. */
    struct ir_value *other = b->params.data[i->filled];
    b->params.data[param->index] = other;
    other->index = param->index;
    b->params.data[i->filled] = param;
    param->index = i->filled++;
    for (size_t p = 0; p < i->preds.len; p++) {
        struct ir_inst *term = i->preds.data[p];
        for (uint32_t e = 0; e < term->nedges; e++)
            if (term->edges[e].to == b)
                ir_edge_push(term, &term->edges[e], args[p]);
    }
    return param;
}

static struct ir_value *read_in(struct lower *l, struct ir_block *b, uint32_t n)
{
    struct ir_block *start = b;
    struct ir_value *x;
    struct var *v = l->vars.data[n - 1];
    for (;;) {
        struct ssa_block *i = lo_info(l, b);
        x = map_get(&i->defs, n);
        if (x) {
            x = resolve(x);
            break;
        }
        if (!i->sealed) {
            x = ir_block_param(b, var_type(v), v->d.name);
            define(l, b, n, x);
            vec_push(l->f->a, &i->waiting, n);
            vec_push(l->f->a, &i->params, x);
            break;
        }
        if (i->preds.len == 0) { /* never written: reads are zero */
            x = ir_const(l->m, var_type(v), 0);
            break;
        }
        if (i->preds.len == 1) {
            b = i->preds.data[0]->block;
            continue;
        }
        x = ir_block_param(b, var_type(v), v->d.name);
        define(l, b, n, x);
        if (l->depth == MAX_DEPTH) { /* not now: lo_ssa_finish does it */
            struct ssa_later later = {b, n, x};
            vec_push(l->f->a, &l->later, later);
            break;
        }
        l->depth++;
        x = fill_param(l, b, n, x);
        l->depth--;
        break;
    }
    if (start != b)
        define(l, start, n, x);
    return x;
}

void lo_ssa_finish(struct lower *l)
{
    while (l->later.len) {
        struct ssa_later later = vec_pop(&l->later);
        fill_param(l, later.block, later.n, later.param);
    }
}

void lo_seal(struct lower *l, struct ir_block *b)
{
    struct ssa_block *i = lo_info(l, b);
    if (i->sealed)
        return;
    i->sealed = true;
    for (size_t k = 0; k < i->waiting.len; k++) {
        uint32_t n = i->waiting.data[k];
        fill_param(l, b, n, i->params.data[k]);
    }
    i->waiting.len = 0;
}

void lo_write(struct lower *l, struct var *v, struct ir_value *x)
{
    define(l, l->b.block, number(l, v), x);
}

struct ir_value *lo_read(struct lower *l, struct var *v)
{
    return read_in(l, l->b.block, number(l, v));
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
