/* Addresses in loops, as what a loop leaves alone plus what it changes.
 *
 * a + ((y*n + x) << 2) is three additions in each iteration; as (a + (y*n << 2)) + (x << 2) it is
 * one: the rest goes in front of the loop. All of it is modulo 2^32 since narrow.c, so terms may be
 * taken in any order. Engines do not do this by themselves. */
#include "back/wasm/wasm_int.h"

enum { MOST_TERMS = 8, DEEP = 10, NEAR = 6 };

struct term {
    struct ir_value *value;
    uint32_t by;
};

struct linear {
    struct ir_value *base; /* the pointer; NULL: a number */
    struct term terms[MOST_TERMS];
    unsigned n;
    uint32_t constant;
    bool joined; /* a quotient and a remainder */
};

struct sums {
    struct wasm *w;
    struct ir_func *func;
    struct ir_block **loop;            /* by block id: the head of the innermost loop around it */
    VEC(const struct ir_inst *) built; /* in this block */
};

static bool is_number(const struct ir_value *v)
{
    return !ir_is_vector(v->type) && ir_kind(v->type) == IR_I32;
}

static bool add_term(struct linear *l, struct ir_value *v, uint32_t by)
{
    for (unsigned k = 0; k < l->n; k++)
        if (l->terms[k].value == v) {
            l->terms[k].by += by;
            return true;
        }
    if (l->n == MOST_TERMS)
        return false;
    l->terms[l->n++] = (struct term){v, by};
    return true;
}

static bool take_apart(struct linear *l, struct ir_value *v, uint32_t by, unsigned depth)
{
    if (ir_is_const(v)) {
        l->constant += by * (uint32_t)v->u.bits;
        return true;
    }
    const struct ir_inst *i = v->kind == IR_VALUE_RESULT && depth ? v->u.inst : NULL;
    struct ir_value *const *x = i ? i->args : NULL;
    switch (i ? i->op : IR_OP_COUNT) {
    case IR_OP_add: return take_apart(l, x[0], by, depth - 1) && take_apart(l, x[1], by, depth - 1);
    case IR_OP_sub:
        return take_apart(l, x[0], by, depth - 1) && take_apart(l, x[1], 0 - by, depth - 1);
    case IR_OP_shl:
        if (ir_is_const(x[1]) && x[1]->u.bits < 32)
            return take_apart(l, x[0], by << x[1]->u.bits, depth - 1);
        break;
    case IR_OP_mul:
        if (ir_is_const(x[1]))
            return take_apart(l, x[0], by * (uint32_t)x[1]->u.bits, depth - 1);
        break;
    default: break;
    }
    return add_term(l, v, by);
}

/* (v >> k) * (b << k) + (v & ((1 << k) - 1)) * b is v * b. */
static void join_halves(struct linear *l)
{
    for (unsigned a = 0; a < l->n; a++)
        for (unsigned b = 0; b < l->n; b++) {
            const struct ir_value *q = l->terms[a].value, *r = l->terms[b].value;
            if (q->kind != IR_VALUE_RESULT || r->kind != IR_VALUE_RESULT)
                continue;
            const struct ir_inst *high = q->u.inst, *low = r->u.inst;
            if (high->op != IR_OP_lshr || low->op != IR_OP_and || high->args[0] != low->args[0] ||
                !ir_is_const(high->args[1]) || !ir_is_const(low->args[1]) ||
                high->args[1]->u.bits > 31)
                continue;
            const unsigned k = (unsigned)high->args[1]->u.bits;
            if (low->args[1]->u.bits != (UINT64_C(1) << k) - 1 || l->terms[a].by != l->terms[b].by
                                                                                        << k)
                continue;
            l->terms[b].value = high->args[0];
            l->terms[a] = l->terms[--l->n];
            l->joined = true;
            return;
        }
}

static bool linear_of(struct linear *l, struct ir_value *v)
{
    *l = (struct linear){0};
    bool ok = true;
    while (ok && v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_ptradd) {
        ok = take_apart(l, v->u.inst->args[1], 1, DEEP);
        v = v->u.inst->args[0];
    }
    if (ir_class(v->type) == IR_CLASS_PTR)
        l->base = v;
    else
        ok = take_apart(l, v, 1, DEEP);
    join_halves(l);
    return ok;
}

/* ---- writing it ---- */

static struct ir_value *build(struct sums *s, struct ir_builder *b, enum ir_op op, ir_type t,
                              struct ir_value *x, struct ir_value *y)
{
    vec_each (const struct ir_inst *, i, &s->built)
        if ((*i)->op == op && (*i)->args[0] == x && (*i)->args[1] == y)
            return &(*i)->results[0];
    struct ir_value *r = ir_build2(b, op, t, x, y);
    if (r->kind == IR_VALUE_RESULT && r->u.inst->op == op && r->u.inst->block == b->block)
        vec_push(s->w->arena, &s->built, r->u.inst);
    return r;
}

/* Is it the same in each iteration? What is so goes in front of the loop afterwards. */
static bool stays(const struct ir_value *v, const struct ir_block *head, unsigned depth)
{
    const struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    const struct ir_block *b = i ? i->block : v->kind == IR_VALUE_PARAM ? v->u.block : NULL;
    if (!b || !ir_dominates(head, b))
        return true;
    bool all = i && depth && ir_op_info[i->op].flags & IR_PURE;
    for (uint32_t k = 0; all && k < i->nargs; k++)
        all = stays(i->args[k], head, depth - 1);
    return all;
}

/* The sum of those terms of which stays() says so; NULL: there are none. */
static struct ir_value *sum_of(struct sums *s, struct ir_builder *b, const struct linear *l,
                               const struct ir_block *head, bool staying)
{
    struct ir_value *sum = NULL;
    struct ir_module *m = s->w->module;
    for (unsigned k = 0; k < l->n; k++) {
        const struct term *t = &l->terms[k];
        if (!t->by || stays(t->value, head, NEAR) != staying)
            continue;
        struct ir_value *one = t->value;
        if (t->by & (t->by - 1))
            one = build(s, b, IR_OP_mul, IR_I32, one, ir_const(m, IR_I32, t->by));
        else if (t->by > 1)
            one = build(s, b, IR_OP_shl, IR_I32, one,
                        ir_const(m, IR_I32, (uint64_t)__builtin_ctz(t->by)));
        sum = sum ? build(s, b, IR_OP_add, IR_I32, sum, one) : one;
    }
    return sum;
}

static struct ir_value *rewritten(struct sums *s, struct ir_inst *i, const struct linear *l)
{
    const struct ir_block *head = s->loop[i->block->id];
    struct ir_builder b = ir_builder_before(i);
    struct ir_module *m = s->w->module;
    b.span = i->span;
    struct ir_value *of_loop = sum_of(s, &b, l, head, false), *rest = sum_of(s, &b, l, head, true);
    struct ir_value *c = l->constant ? ir_const(m, IR_I32, l->constant) : NULL, *sum = l->base;
    const enum ir_op op = sum ? IR_OP_ptradd : IR_OP_add;
    const ir_type t = i->type;
    if (sum && rest)
        sum = build(s, &b, op, t, sum, rest);
    else if (!sum)
        sum = rest ? rest : of_loop ? of_loop : c;
    if (of_loop && sum != of_loop)
        sum = build(s, &b, op, t, sum, of_loop);
    if (c && sum != c)
        sum = build(s, &b, op, t, sum,
                    op == IR_OP_ptradd ? ir_const(m, IR_I64, (uint64_t)(int32_t)l->constant) : c);
    return sum;
}

static bool is_worth_it(const struct sums *s, const struct ir_inst *i, const struct linear *l)
{
    const struct ir_block *head = s->loop[i->block->id];
    unsigned staying = 0, changing = 0;
    for (unsigned k = 0; k < l->n; k++)
        if (l->terms[k].by)
            *(stays(l->terms[k].value, head, NEAR) ? &staying : &changing) += 1;
    return l->joined || (l->base && stays(l->base, head, NEAR) && staying && changing);
}

/* ---- loops ---- */

static bool is_head(const struct ir_block *b)
{
    for (size_t k = 0; k < b->preds.len; k++)
        if (ir_dominates(b, b->preds.data[k]))
            return true;
    return false;
}

struct loop {
    VEC(struct ir_block *) blocks;
    uint32_t *of, number; /* by block: the loop it was found in last, by number */
};

static void enter(struct arena *a, struct loop *l, struct ir_block *b)
{
    if (l->of[b->id] == l->number)
        return;
    l->of[b->id] = l->number;
    vec_push(a, &l->blocks, b);
}

static void find_loops(struct sums *s)
{
    struct ir_func *f = s->func;
    struct arena *a = s->w->arena;
    size_t *size = arena_array(a, size_t, f->nblocks + 1);
    struct loop l = {.of = arena_array(a, uint32_t, f->nblocks + 1)};
    s->loop = arena_array(a, struct ir_block *, f->nblocks + 1);
    ir_each_block (head, f) {
        if (!is_head(head))
            continue;
        l.number++;
        l.blocks.len = 0;
        enter(a, &l, head);
        vec_each (struct ir_block *, p, &head->preds)
            if (ir_dominates(head, *p))
                enter(a, &l, *p);
        for (size_t k = 1; k < l.blocks.len; k++)
            vec_each (struct ir_block *, p, &l.blocks.data[k]->preds)
                enter(a, &l, *p);
        vec_each (struct ir_block *, b, &l.blocks)
            if (!s->loop[(*b)->id] || l.blocks.len < size[(*b)->id]) {
                s->loop[(*b)->id] = head;
                size[(*b)->id] = l.blocks.len;
            }
    }
}

void wasm_reassociate(struct wasm *w, struct ir_func *f)
{
    struct sums s = {.w = w, .func = f};
    ir_renumber(f);
    ir_cfg(f);
    find_loops(&s);
    ir_each_block (b, f) {
        s.built.len = 0;
        for (struct ir_inst *i = b->first, *next; s.loop[b->id] && i; i = next) {
            struct linear l;
            next = i->next;
            const bool pointer = i->op == IR_OP_ptradd && !ir_is_vector(i->type);
            if ((pointer || (i->op == IR_OP_add && is_number(&i->results[0]))) &&
                linear_of(&l, &i->results[0]) && is_worth_it(&s, i, &l))
                i->results[0].forward = rewritten(&s, i, &l);
        }
    }
    ir_replace_forwarded(f);
}
