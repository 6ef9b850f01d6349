/* Registers as SSA values, made while the code is emitted (Braun et al. 2013): a read that is not
 * answered in its block becomes a block parameter, whose arguments follow once all edges into the
 * block are there. */
#include "front/ptx/ptx_int.h"

#define MAX_DEPTH 500 /* blocks that one read looks through on the stack */

static struct px_block *info(struct ir_block *b)
{
    return b->data;
}

struct ir_block *px_block(struct ptx *p, const char *name, uint32_t expected)
{
    struct ir_block *b = ir_block_new(p->fn->ir, name);
    struct px_block *i = arena_new(p->a, struct px_block);
    map_init(&i->defs, p->a);
    i->expected = expected;
    i->sealed = !expected;
    b->data = i;
    b->span = p->b.span;
    return b;
}

void px_start(struct ptx *p, struct ir_block *b)
{
    struct span s = p->b.span;
    p->b = ir_builder_at_end(b);
    p->b.span = s;
}

struct px_var *px_new_var(struct ptx *p, const char *name, ir_type t)
{
    struct px_var *v = arena_new(p->a, struct px_var);
    v->name = name;
    v->type = t;
    vec_push(p->a, &p->vars, v);
    v->n = (uint32_t)p->vars.len;
    return v;
}

static struct ir_value *resolve(struct ir_value *x)
{
    while (x->forward)
        x = x->forward;
    return x;
}

static struct ir_value *read_in(struct ptx *p, struct ir_block *b, uint32_t n);

static void define(struct ir_block *b, uint32_t n, struct ir_value *x)
{
    map_set(&info(b)->defs, n, x);
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
static struct ir_value *fill_param(struct ptx *p, struct ir_block *b, uint32_t n,
                                   struct ir_value *param)
{
    struct px_block *i = info(b);
    struct ir_value **args = arena_array(p->a, struct ir_value *, i->preds.len + 1), *same = NULL;
    bool one = true;
    for (size_t k = 0; k < i->preds.len; k++) {
        args[k] = resolve(read_in(p, i->preds.data[k]->block, n));
        if (args[k] == param || args[k] == same)
            continue;
        one &= same == NULL;
        same = args[k];
    }
    if (one && same) {
        drop_param(b, param, same);
        define(b, n, same);
        return same;
    }
    /* Those that have their arguments come first, in the order in which they got them. */
    struct ir_value *other = b->params.data[i->filled];
    b->params.data[param->index] = other;
    other->index = param->index;
    b->params.data[i->filled] = param;
    param->index = i->filled++;
    for (size_t k = 0; k < i->preds.len; k++) {
        struct ir_inst *term = i->preds.data[k];
        for (uint32_t e = 0; e < term->nedges; e++)
            if (term->edges[e].to == b)
                ir_edge_push(term, &term->edges[e], args[k]);
    }
    return param;
}

static struct ir_value *read_in(struct ptx *p, struct ir_block *b, uint32_t n)
{
    struct ir_block *start = b;
    struct px_var *v = p->vars.data[n - 1];
    struct ir_value *x;
    for (;;) {
        struct px_block *i = info(b);
        x = map_get(&i->defs, n);
        if (x) {
            x = resolve(x);
            break;
        }
        if (!i->sealed) {
            x = ir_block_param(b, v->type, NULL);
            define(b, n, x);
            vec_push(p->a, &i->waiting, n);
            vec_push(p->a, &i->params, x);
            break;
        }
        if (!i->preds.len) { /* never written: reads are zero */
            x = ir_const(p->m, v->type, 0);
            break;
        }
        if (i->preds.len == 1) {
            b = i->preds.data[0]->block;
            continue;
        }
        x = ir_block_param(b, v->type, NULL);
        define(b, n, x);
        if (p->depth == MAX_DEPTH) { /* not now: px_finish does it */
            struct px_later l = {b, n, x};
            vec_push(p->a, &p->later, l);
            break;
        }
        p->depth++;
        x = fill_param(p, b, n, x);
        p->depth--;
        break;
    }
    if (start != b)
        define(start, n, x);
    return x;
}

void px_finish(struct ptx *p)
{
    while (p->later.len) {
        struct px_later l = vec_pop(&p->later);
        fill_param(p, l.block, l.n, l.param);
    }
}

static void seal(struct ptx *p, struct ir_block *b)
{
    struct px_block *i = info(b);
    i->sealed = true;
    for (size_t k = 0; k < i->waiting.len; k++)
        fill_param(p, b, i->waiting.data[k], i->params.data[k]);
    i->waiting.len = 0;
}

/* One of the edges that a block expects is there. */
static void arrived(struct ptx *p, struct ir_block *to, struct ir_inst *term)
{
    struct px_block *i = info(to);
    bool known = false;
    vec_each (struct ir_inst *, it, &i->preds)
        known |= *it == term;
    if (!known)
        vec_push(p->a, &i->preds, term);
    if (i->expected && !--i->expected)
        seal(p, to);
}

void px_br(struct ptx *p, struct ir_block *to)
{
    ir_build_br(&p->b, to, NULL, 0);
    arrived(p, to, p->b.block->last);
}

void px_condbr(struct ptx *p, struct ir_value *c, struct ir_block *yes, struct ir_block *no)
{
    struct ir_block *from = p->b.block;
    ir_build_condbr(&p->b, c, yes, no);
    arrived(p, yes, from->last);
    arrived(p, no, from->last);
}

/* For switches: all edges are added before any is said to have arrived, since sealing reads. */
void px_edge(struct ptx *p, struct ir_inst *term, struct ir_block *to, uint64_t value)
{
    ir_add_edge(term, to, NULL, 0, value);
    vec_each (struct ir_inst *, it, &info(to)->preds)
        if (*it == term) {
            info(to)->expected--;
            return;
        }
    vec_push(p->a, &info(to)->preds, term);
    info(to)->expected--;
}

void px_seal(struct ptx *p, struct ir_block *b)
{
    if (!info(b)->sealed && !info(b)->expected)
        seal(p, b);
}

void px_write(struct ptx *p, struct px_var *v, struct ir_value *x)
{
    define(p->b.block, v->n, x);
}

struct ir_value *px_read(struct ptx *p, struct px_var *v)
{
    return read_in(p, p->b.block, v->n);
}
