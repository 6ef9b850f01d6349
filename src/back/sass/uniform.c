/* Constants that arithmetic reads: from sm_90 on through uniform registers.
 *
 * Until registers are given out, an operand may be a place in a constant bank. Here such places are
 * loaded (ULDC, two words at a time) into registers that all lanes of a warp share, a few
 * instructions ahead. A warp has them once: only code that all its lanes run together may say so
 * (sass_reads_banks). */
#include <string.h>
#include "back/sass/sass_int.h"

/* LAST: above it is what calls keep, the descriptor of global memory among it; AHEAD: instructions
 * between load and use. */
enum { FIRST = 4, LAST = 34, PAIRS = (LAST - FIRST) / 2, AHEAD = 4 };

bool sass_reads_banks(const struct sass_func *s, enum sass_op op)
{
    if (s->arch < 90)
        return true;
    if (!sass_together(s))
        return false;
    switch (op) {
    case OP_FFMA:
    case OP_FMUL:
    case OP_IMAD:
    case OP_IADD3:
    case OP_ISETP: return true;
    default: return false;
    }
}

struct pair { /* of uniform registers */
    uint8_t bank;
    bool used;
    uint32_t place;    /* in the bank, of the lower word */
    uint32_t last_use; /* instruction, in the new code, + 1 */
};

struct holding {
    struct sass_func *s;
    VEC(struct sass_inst) code; /* the block's, with loads */
    uint32_t begin;             /* loads may not stand before it */
    struct pair pairs[PAIRS];
    unsigned next;
};

static unsigned pair_for(struct holding *h, const struct sass_src *x)
{
    const uint32_t place = x->value & ~7u;
    for (unsigned k = 0; k < PAIRS; k++)
        if (h->pairs[k].used && h->pairs[k].bank == x->bank && h->pairs[k].place == place)
            return k;
    const unsigned k = h->next++ % PAIRS;
    struct pair *p = &h->pairs[k];
    uint32_t at =
        (uint32_t)h->code.len > h->begin + AHEAD ? (uint32_t)h->code.len - AHEAD : h->begin;
    if (at < p->last_use)
        at = p->last_use;
    struct sass_inst load = sass_inst(OP_ULDC);
    load.mods[MOD_UNIFORM] = (uint16_t)(FIRST + 2 * k);
    load.b = *x;
    load.b.value = place;
    load.b.neg = load.b.abs = false;
    vec_push(h->s->arena, &h->code, load);
    memmove(&h->code.data[at + 1], &h->code.data[at], (h->code.len - 1 - at) * sizeof load);
    h->code.data[at] = load;
    for (unsigned j = 0; j < PAIRS; j++)
        h->pairs[j].last_use += h->pairs[j].last_use > at;
    *p = (struct pair){x->bank, true, place, at + 1};
    return k;
}

static void hold(struct holding *h, struct sass_src *x, unsigned *used)
{
    if (x->kind != SRC_CONST)
        return;
    *used = pair_for(h, x);
    x->kind = SRC_UNIFORM;
    x->value = FIRST + 2 * *used + (x->value >> 2 & 1);
}

static void hold_block(struct sass_func *s, struct sass_block *b)
{
    bool any = false;
    vec_each (struct sass_inst, i, &b->code)
        any |=
            sass_rows[i->op].operands & O_ALU && (i->b.kind == SRC_CONST || i->c.kind == SRC_CONST);
    if (!any)
        return;
    struct holding h = {.s = s};
    vec_each (struct sass_inst, i, &b->code) {
        struct sass_inst now = *i;
        unsigned used = PAIRS;
        if (sass_rows[i->op].operands & O_ALU) {
            hold(&h, &now.b, &used);
            hold(&h, &now.c, &used);
        }
        vec_push(s->arena, &h.code, now);
        if (used < PAIRS)
            h.pairs[used].last_use = (uint32_t)h.code.len;
        if (i->op == OP_CALL)
            memset(h.pairs, 0, sizeof h.pairs);
        if (sass_rows[i->op].class == CLASS_CONTROL)
            h.begin = (uint32_t)h.code.len;
    }
    b->code.data = h.code.data;
    b->code.len = h.code.len;
    b->code.cap = h.code.cap;
}

void sass_uniform(struct sass_func *s)
{
    if (s->arch >= 90)
        vec_each (struct sass_block, b, &s->blocks)
            hold_block(s, b);
}
