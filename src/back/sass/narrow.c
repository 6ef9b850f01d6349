/* Pairs of which only the lower register is read, as of indices that the IR has in 64 bits: they
 * become single registers, and a multiplication to 64 bits one to 32. */
#include "back/sass/sass_int.h"

struct narrowing {
    struct sass_func *s;
    bool *whole; /* by register: both words are read, or written at once by what cannot do less */
    bool more;   /* became so */
};

static void is_whole(struct narrowing *n, uint32_t r)
{
    n->more |= !n->whole[r];
    n->whole[r] = true;
}

static void look_at(struct narrowing *n, const struct sass_src *x, unsigned parts)
{
    if (x->kind == SRC_REG && x->value != SASS_NONE && x->part + parts > 1)
        is_whole(n, x->value);
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
    look_at(n, &i->a, i->a.parts);
    look_at(n, &i->b, i->b.parts);
    look_at(n, &i->c, narrow ? 1 : i->c.parts);
    if (i->d != SASS_NONE && i->d_parts > 1 && i->op != OP_IMAD_WIDE)
        is_whole(n, i->d);
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
        struct sass_inst *i = &b->code.data[k];
        if (is_upper(n, i))
            continue;
        if (i->d != SASS_NONE && i->op == OP_IMAD_WIDE && !n->whole[i->d]) {
            i->op = OP_IMAD;
            i->mods[MOD_SIGNED] = 1;
            i->d_parts = 1;
            i->c.parts = 1;
        }
        if (kept != k)
            b->code.data[kept] = *i;
        kept++;
    }
    b->code.len = kept;
}

void sass_narrow(struct sass_func *s)
{
    struct narrowing n = {s, arena_array(s->arena, bool, s->regs.len + 1), true};
    for (size_t r = 0; r < s->regs.len; r++)
        n.whole[r] = s->regs.data[r].size != 2;
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (struct sass_inst, i, &b->code)
            if (i->d != SASS_NONE && i->d_part && !may_go(i))
                n.whole[i->d] = true;
    while (n.more) {
        n.more = false;
        vec_each (struct sass_block, b, &s->blocks)
            vec_each (struct sass_inst, i, &b->code)
                look(&n, i);
    }
    vec_each (struct sass_block, b, &s->blocks)
        rewrite(&n, b);
    for (size_t r = 0; r < s->regs.len; r++)
        if (!n.whole[r])
            s->regs.data[r].size = 1;
}
