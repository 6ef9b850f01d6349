/* See ssa.h. */
#include "ir/ssa.h"

#define MAX_DEPTH 500 /* blocks that one read looks through on the stack */

void ir_ssa_begin(struct ir_ssa *s, struct arena *a, struct ir_module *m)
{
    s->a = a;
    s->m = m;
    s->vars.len = s->later.len = 0;
    s->depth = 0;
}

uint32_t ir_ssa_var(struct ir_ssa *s, ir_type type, const char *name)
{
    struct ir_ssa_var v = {type, name};
    vec_push(s->a, &s->vars, v);
    return (uint32_t)s->vars.len;
}

struct ir_ssa_block *ir_ssa_block(struct ir_ssa *s, struct ir_block *b)
{
    if (!b->data) {
        struct ir_ssa_block *i = arena_new(s->a, struct ir_ssa_block);
        map_init(&i->defs, s->a);
        b->data = i;
    }
    return b->data;
}

void ir_ssa_edge(struct ir_ssa *s, struct ir_block *to, struct ir_inst *term)
{
    struct ir_ssa_block *i = ir_ssa_block(s, to);
    vec_each (struct ir_inst *, it, &i->preds)
        if (*it == term)
            return;
    vec_push(s->a, &i->preds, term);
}

void ir_ssa_write(struct ir_ssa *s, struct ir_block *b, uint32_t var, struct ir_value *x)
{
    map_set(&ir_ssa_block(s, b)->defs, var, x);
}

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
static struct ir_value *fill(struct ir_ssa *s, struct ir_ssa_param p)
{
    struct ir_block *b = p.block;
    struct ir_ssa_block *i = ir_ssa_block(s, b);
    struct ir_value **args = arena_array(s->a, struct ir_value *, i->preds.len + 1), *same = NULL;
    bool one = true;
    for (size_t k = 0; k < i->preds.len; k++) {
        args[k] = resolve(ir_ssa_read(s, i->preds.data[k]->block, p.var));
        if (args[k] == p.value || args[k] == same)
            continue;
        one &= same == NULL;
        same = args[k];
    }
    if (one && same) {
        drop_param(b, p.value, same);
        ir_ssa_write(s, b, p.var, same);
        return same;
    }
    /* Those that have their arguments come first, in the order in which they got them. */
    struct ir_value *other = b->params.data[i->filled];
    b->params.data[p.value->index] = other;
    other->index = p.value->index;
    b->params.data[i->filled] = p.value;
    p.value->index = i->filled++;
    for (size_t k = 0; k < i->preds.len; k++) {
        struct ir_inst *term = i->preds.data[k];
        for (uint32_t e = 0; e < term->nedges; e++)
            if (term->edges[e].to == b)
                ir_edge_push(term, &term->edges[e], args[k]);
    }
    return p.value;
}

static struct ir_ssa_param param(struct ir_ssa *s, struct ir_block *b, uint32_t var)
{
    const struct ir_ssa_var *v = &s->vars.data[var - 1];
    struct ir_ssa_param p = {b, var, ir_block_param(b, v->type, v->name)};
    ir_ssa_write(s, b, var, p.value);
    return p;
}

static struct ir_value *met(struct ir_ssa *s, struct ir_block *b, uint32_t var)
{
    struct ir_ssa_param p = param(s, b, var);
    if (s->depth == MAX_DEPTH) { /* not now: ir_ssa_finish does it */
        vec_push(s->a, &s->later, p);
        return p.value;
    }
    s->depth++;
    struct ir_value *x = fill(s, p);
    s->depth--;
    return x;
}

struct ir_value *ir_ssa_read(struct ir_ssa *s, struct ir_block *b, uint32_t var)
{
    struct ir_block *start = b;
    struct ir_ssa_block *i = ir_ssa_block(s, b);
    struct ir_value *x = map_get(&i->defs, var);
    while (!x && i->sealed && i->preds.len == 1) {
        b = i->preds.data[0]->block;
        i = ir_ssa_block(s, b);
        x = map_get(&i->defs, var);
    }
    if (x) {
        x = resolve(x);
    } else if (!i->sealed) {
        struct ir_ssa_param p = param(s, b, var);
        vec_push(s->a, &i->waiting, p);
        x = p.value;
    } else if (!i->preds.len) {
        x = ir_const(s->m, s->vars.data[var - 1].type, 0);
    } else {
        x = met(s, b, var);
    }
    if (start != b)
        ir_ssa_write(s, start, var, x);
    return x;
}

void ir_ssa_seal(struct ir_ssa *s, struct ir_block *b)
{
    struct ir_ssa_block *i = ir_ssa_block(s, b);
    if (i->sealed)
        return;
    i->sealed = true;
    for (size_t k = 0; k < i->waiting.len; k++)
        fill(s, i->waiting.data[k]);
    i->waiting.len = 0;
}

void ir_ssa_finish(struct ir_ssa *s)
{
    while (s->later.len)
        fill(s, vec_pop(&s->later));
}
