/* Pairs of which only the lower register is read, as of indices that the IR has in 64 bits: they
 * become single registers, and a multiplication to 64 bits one to 32. */
#include "back/sass/sass_int.h"

struct narrowing {
    struct sass_func *s;
    bool *whole; /* by register: both words are read, or written at once by what cannot do less */
};

static void look_at(struct narrowing *n, const struct sass_src *x)
{
    if (x->kind == SRC_REG && x->value != SASS_NONE && x->part + x->parts > 1)
        n->whole[x->value] = true;
}

static bool is_upper(const struct narrowing *n, const struct sass_inst *i)
{
    return i->d != SASS_NONE && i->d_part && !n->whole[i->d];
}

static void look(struct narrowing *n, const struct sass_inst *i)
{
    if (is_upper(n, i)) /* it goes: what it reads does not count */
        return;
    const bool narrow = i->op == OP_IMAD_WIDE && i->d != SASS_NONE && !n->whole[i->d];
    look_at(n, &i->a);
    look_at(n, &i->b);
    struct sass_src c = i->c;
    if (narrow)
        c.parts = 1;
    look_at(n, &c);
    if (i->d != SASS_NONE && i->d_parts > 1 && i->op != OP_IMAD_WIDE)
        n->whole[i->d] = true;
}

static bool may_go(const struct sass_inst *i)
{
    const unsigned class = sass_rows[i->op].class;
    return i->pd == SASS_NONE && i->pe == SASS_NONE && i->d_parts == 1 &&
           (class == CLASS_ALU || class == CLASS_FMA || class == CLASS_WIDE);
}

static void rewrite(struct narrowing *n, struct sass_block *b)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->code.len; k++) {
        struct sass_inst i = b->code.data[k];
        if (is_upper(n, &i))
            continue;
        if (i.d != SASS_NONE && i.op == OP_IMAD_WIDE && !n->whole[i.d]) {
            i.op = OP_IMAD;
            i.mods[MOD_SIGNED] = 1;
            i.d_parts = 1;
            i.c.parts = 1;
        }
        b->code.data[kept++] = i;
    }
    b->code.len = kept;
}

void sass_narrow(struct sass_func *s)
{
    struct narrowing n = {s, arena_array(s->arena, bool, s->regs.len + 1)};
    for (size_t r = 0; r < s->regs.len; r++)
        n.whole[r] = s->regs.data[r].size != 2;
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (struct sass_inst, i, &b->code)
            if (i->d != SASS_NONE && i->d_part && !may_go(i))
                n.whole[i->d] = true;
    for (bool again = true; again;) {
        again = false;
        vec_each (struct sass_block, b, &s->blocks)
            vec_each (struct sass_inst, i, &b->code) {
                bool before[4] = {0};
                const struct sass_src *src[3] = {&i->a, &i->b, &i->c};
                for (unsigned k = 0; k < 3; k++)
                    before[k] = src[k]->kind == SRC_REG && src[k]->value != SASS_NONE &&
                                n.whole[src[k]->value];
                before[3] = i->d != SASS_NONE && n.whole[i->d];
                look(&n, i);
                for (unsigned k = 0; k < 3; k++)
                    again |= !before[k] && src[k]->kind == SRC_REG && src[k]->value != SASS_NONE &&
                             n.whole[src[k]->value];
                again |= !before[3] && i->d != SASS_NONE && n.whole[i->d];
            }
    }
    vec_each (struct sass_block, b, &s->blocks)
        rewrite(&n, b);
    for (size_t r = 0; r < s->regs.len; r++)
        if (!n.whole[r])
            s->regs.data[r].size = 1;
}
