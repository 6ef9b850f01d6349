/* Two instructions that one can do, over virtual registers: logic that is compared with zero says
 * so in a predicate of its own, and a sum with 1 or 0 by a predicate takes that as its carry. */
#include "back/sass/sass_int.h"

enum { FAR = 16 }; /* instructions that a predicate may live longer: there are seven of them */

struct combining {
    struct sass_func *s;
    uint8_t *writers; /* by register, or predicate: how many instructions write it, up to 2 */
    uint32_t *uses;   /* by register: how often it is read */
    struct sass_inst **maker; /* of the block: who has written it */
    uint32_t *at;             /* and where */
    bool *bound;              /* by predicate: it is not to say the contrary */
    bool *turned;             /* and: it says so now */
};

static void count(struct combining *c, const struct sass_src *x)
{
    if (x->kind == SRC_REG && x->value != SASS_NONE)
        c->uses[x->value]++;
}

static void wrote(struct combining *c, uint32_t r)
{
    if (r != SASS_NONE && c->writers[r] < 2)
        c->writers[r]++;
}

static bool is_zero(const struct sass_src *x)
{
    return (x->kind == SRC_REG && x->value == SASS_NONE) || (x->kind == SRC_IMM && !x->value);
}

static bool always(struct sass_pred p)
{
    return p.reg == SASS_NONE && !p.neg;
}

/* One word that nothing else writes. */
static bool is_single(const struct combining *c, const struct sass_src *x)
{
    return x->kind == SRC_REG && x->value != SASS_NONE && !x->neg && !x->abs && !x->part &&
           c->s->regs.data[x->value].size == 1 && c->writers[x->value] == 1 &&
           !c->s->regs.data[x->value].fixed;
}

/* Who else reads a predicate, as an operand, cannot take its contrary. */
static void bind(struct combining *c, struct sass_pred p)
{
    if (p.reg != SASS_NONE)
        c->bound[p.reg] = true;
}

static void test(struct combining *c, struct sass_inst *i, uint32_t at)
{
    const bool equal = i->mods[MOD_CMP] == CMP_EQ;
    if (i->op != OP_ISETP || (!equal && i->mods[MOD_CMP] != CMP_NE) || !is_zero(&i->b) ||
        i->mods[MOD_EX] || i->mods[MOD_BOOL] || !always(i->p) || !always(i->guard) ||
        i->pe != SASS_NONE || i->pd == SASS_NONE || c->writers[i->pd] != 1 ||
        c->s->regs.data[i->pd].fixed || !is_single(c, &i->a))
        return;
    struct sass_inst *maker = c->maker[i->a.value];
    if (!maker || maker->op != OP_LOP3 || maker->pd != SASS_NONE || !always(maker->guard) ||
        at - c->at[i->a.value] > FAR || (equal && c->bound[i->pd]))
        return;
    c->turned[i->pd] = equal;
    maker->pd = i->pd;
    i->pd = SASS_NONE;
}

/* 1 or 0, by a predicate, which nobody else reads: the instruction that makes it. */
static const struct sass_inst *truth(const struct combining *c, const struct sass_src *x)
{
    if (!is_single(c, x) || c->uses[x->value] != 1)
        return NULL;
    const struct sass_inst *i = c->maker[x->value];
    return i && i->op == OP_SEL && always(i->guard) && i->p.reg != SASS_NONE &&
                   c->writers[i->p.reg] == 1
               ? i
               : NULL;
}

static bool is_one(const struct combining *c, const struct sass_src *x)
{
    if (x->kind == SRC_IMM)
        return x->value == 1;
    const struct sass_inst *i = is_single(c, x) ? c->maker[x->value] : NULL;
    return i && i->op == OP_MOV && always(i->guard) && i->b.kind == SRC_IMM && i->b.value == 1;
}

static void sum(struct combining *c, struct sass_inst *i)
{
    if (i->op != OP_IADD3 || i->mods[MOD_X] || i->pd != SASS_NONE || i->pe != SASS_NONE ||
        i->a.kind != SRC_REG || i->b.kind != SRC_REG || i->a.neg || i->b.neg || i->c.neg ||
        !is_zero(&i->c))
        return;
    for (unsigned k = 0; k < 2; k++) {
        const struct sass_inst *t = truth(c, k ? &i->a : &i->b);
        if (!t || !((is_one(c, &t->a) && is_zero(&t->b)) || (is_zero(&t->a) && is_one(c, &t->b))))
            continue;
        struct sass_pred carry = t->p;
        carry.neg ^= is_zero(&t->a);
        if (k)
            i->a = i->b;
        i->b = sass_zero();
        i->mods[MOD_X] = 1;
        i->p = carry;
        bind(c, carry);
        return;
    }
}

/* One more than x, made for nobody else? */
static bool is_next(const struct combining *c, const struct sass_src *y, const struct sass_src *x)
{
    if (!is_single(c, y) || !is_single(c, x) || c->uses[y->value] != 1)
        return false;
    const struct sass_inst *i = c->maker[y->value];
    return i && i->op == OP_IADD3 && !i->mods[MOD_X] && always(i->guard) && i->pd == SASS_NONE &&
           i->pe == SASS_NONE && i->a.kind == SRC_REG && i->a.value == x->value && !i->a.neg &&
           is_one(c, &i->b) && !i->b.neg && is_zero(&i->c);
}

/* p ? x + 1 : x */
static void step(struct combining *c, struct sass_inst *i)
{
    if (i->op != OP_SEL || i->p.reg == SASS_NONE)
        return;
    const bool first = is_next(c, &i->a, &i->b);
    if (!first && !is_next(c, &i->b, &i->a))
        return;
    struct sass_inst add = sass_inst(OP_IADD3);
    add.d = i->d;
    add.d_part = i->d_part;
    add.continues = i->continues;
    add.guard = i->guard;
    add.a = first ? i->b : i->a;
    add.b = add.c = sass_zero();
    add.mods[MOD_X] = 1;
    add.p = i->p;
    add.p.neg ^= !first;
    bind(c, add.p);
    *i = add;
}

static void combine_block(struct combining *c, struct sass_block *b)
{
    for (uint32_t k = 0; k < b->code.len; k++) {
        struct sass_inst *i = &b->code.data[k];
        test(c, i, k);
        sum(c, i);
        step(c, i);
        if (i->d != SASS_NONE && c->writers[i->d] == 1) {
            c->maker[i->d] = i;
            c->at[i->d] = k;
        }
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->code.len; k++) {
        struct sass_inst *i = &b->code.data[k];
        if (i->d != SASS_NONE)
            c->maker[i->d] = NULL; /* another block may come sooner */
        if (i->op == OP_ISETP && i->pd == SASS_NONE && i->pe == SASS_NONE)
            continue;
        if (kept != k)
            b->code.data[kept] = *i;
        kept++;
    }
    b->code.len = kept;
}

static void turn(const struct combining *c, struct sass_pred *p)
{
    if (p->reg != SASS_NONE && c->turned[p->reg])
        p->neg = !p->neg;
}

void sass_combine(struct sass_func *s)
{
    const size_t n = s->regs.len + 1;
    struct combining c = {s,
                          arena_array(s->arena, uint8_t, n),
                          arena_array(s->arena, uint32_t, n),
                          arena_array(s->arena, struct sass_inst *, n),
                          arena_array(s->arena, uint32_t, n),
                          arena_array(s->arena, bool, n),
                          arena_array(s->arena, bool, n)};
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (const struct sass_inst, i, &b->code) {
            wrote(&c, i->d);
            wrote(&c, i->pd);
            wrote(&c, i->pe);
            count(&c, &i->a);
            count(&c, &i->b);
            count(&c, &i->c);
            if (i->op != OP_SEL && i->op != OP_PLOP3) {
                bind(&c, i->p);
                bind(&c, i->q);
                bind(&c, i->r);
            }
        }
    vec_each (struct sass_block, b, &s->blocks)
        combine_block(&c, b);
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (struct sass_inst, i, &b->code) {
            turn(&c, &i->guard);
            turn(&c, &i->p);
            turn(&c, &i->q);
            turn(&c, &i->r);
        }
}
