/* Two pipes do most of arithmetic: one for logic, shifts, comparisons and choices, one for
 * multiplications, of integers too. Each takes a warp's instruction in two cycles (additions and
 * products of f32 in one, from sm_86 on). Where a block has more for the first, what a
 * multiplication can do as well is done by one: shifts to the left, moves, sums of two registers.
 */
#include "back/sass/sass_int.h"

enum { TWO = 2, PAIR = 4, MARGIN = 8 };

struct load { /* cycles of each pipe */
    unsigned logic, product;
};

static struct load load_of(const struct sass_inst *i, unsigned arch)
{
    switch (sass_rows[i->op].class) {
    case CLASS_ALU:
    case CLASS_SETP: return (struct load){TWO, 0};
    case CLASS_FMA:
        return (struct load){0, i->op == OP_IMAD || i->op == OP_IDP || arch < 86 ? TWO : 1};
    case CLASS_WIDE: return (struct load){0, i->op == OP_VOTE || i->op == OP_LEPC ? 0 : PAIR};
    default: return (struct load){0, 0};
    }
}

static bool is_plain(const struct sass_src *x)
{
    return x->kind == SRC_REG && !x->neg && !x->abs;
}

static bool is_zero(const struct sass_src *x)
{
    return x->kind == SRC_REG && x->value == SASS_NONE;
}

static bool shifts(const struct sass_inst *i)
{
    enum { U32 = 3 };
    return i->op == OP_SHF && i->mods[MOD_TYPE] == U32 && !i->mods[MOD_RIGHT] && !i->mods[MOD_HI] &&
           !i->mods[MOD_WRAP] && is_plain(&i->a) && i->b.kind == SRC_IMM && i->b.value < 32 &&
           is_zero(&i->c);
}

static bool moves(const struct sass_inst *i)
{
    return i->op == OP_MOV && i->mods[MOD_LANES] == 15 &&
           (is_plain(&i->b) || (i->b.kind == SRC_IMM && i->b.value));
}

static bool adds(const struct sass_inst *i)
{
    return i->op == OP_IADD3 && !i->mods[MOD_X] && i->pd == SASS_NONE && i->pe == SASS_NONE &&
           is_plain(&i->a) && is_plain(&i->b) && is_zero(&i->c) && !i->c.neg;
}

/* False: it stays what it is. */
static bool multiply(struct sass_inst *i)
{
    struct sass_inst m = sass_inst(OP_IMAD);
    m.mods[MOD_SIGNED] = 0;
    if (shifts(i)) {
        m.a = i->a;
        m.b = sass_imm(UINT32_C(1) << i->b.value);
        m.c = sass_zero();
    } else if (moves(i)) {
        m.a = m.b = sass_zero();
        m.c = i->b;
    } else if (adds(i)) {
        m.mods[MOD_SIGNED] = 1;
        m.a = i->a;
        m.b = sass_imm(1);
        m.c = i->b;
    } else {
        return false;
    }
    m.d = i->d;
    m.d_part = i->d_part;
    m.d_parts = i->d_parts;
    m.continues = i->continues;
    m.guard = i->guard;
    *i = m;
    return true;
}

void sass_balance(struct sass_func *s)
{
    vec_each (struct sass_block, b, &s->blocks) {
        struct load all = {0, 0};
        vec_each (const struct sass_inst, i, &b->code) {
            const struct load one = load_of(i, s->arch);
            all.logic += one.logic;
            all.product += one.product;
        }
        vec_each (struct sass_inst, i, &b->code)
            if (all.logic > all.product + MARGIN && multiply(i)) {
                all.logic -= TWO;
                all.product += TWO;
            }
    }
}
