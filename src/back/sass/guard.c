/* Short branches become instructions under a condition: nobody jumps, nobody parts, and what they
 * load is on its way together with everything else.
 *
 * A block with two ways, each of them short, reached from here alone and leading to the same place
 * (or being it). A register that both ways write, or that is written elsewhere, too, keeps what it
 * held where the condition does not hold. */
#include <string.h>
#include "back/sass/sass_int.h"

enum { MOST_GUARDED = 24 };

struct guarding {
    struct sass_func *s;
    uint32_t *ways;   /* to each block */
    uint32_t *writes; /* by register: instructions that begin to write it */
};

static struct sass_block *block_of(struct guarding *g, uint32_t id)
{
    return &g->s->blocks.data[id];
}

static bool always(const struct sass_inst *i)
{
    return i->guard.reg == SASS_NONE && !i->guard.neg;
}

static bool jumps_on(const struct sass_block *b)
{
    return b->code.len && vec_last(&b->code).op == OP_BRA && always(&vec_last(&b->code));
}

static bool written_once(const struct guarding *g, uint32_t r)
{
    return r == SASS_NONE || g->writes[r] < 2;
}

static bool may_guard(const struct guarding *g, const struct sass_inst *i)
{
    const unsigned class = sass_rows[i->op].class;
    if (!always(i) || class == CLASS_CONTROL || class == CLASS_FENCE || class == CLASS_UNIFORM)
        return false;
    if ((sass_is_atomic(i->op) && !sass_is_reduction(i->op)) || sass_is_shuffle(i->op) ||
        i->op == OP_VOTE || i->op == OP_CS2R || i->op == OP_B2R || i->op == OP_QSPC ||
        class == CLASS_MMA || i->op == OP_DMMA)
        return false;
    return written_once(g, i->pd) && written_once(g, i->pe);
}

/* Its instructions without the jump at the end; UINT32_MAX: not a way that can be guarded. */
static uint32_t length_of(struct guarding *g, uint32_t id)
{
    const struct sass_block *b = block_of(g, id);
    if (g->ways[id] != 1 || b->nto != 1 || !jumps_on(b) || b->aside)
        return UINT32_MAX;
    for (size_t k = 0; k + 1 < b->code.len; k++)
        if (!may_guard(g, &b->code.data[k]))
            return UINT32_MAX;
    return (uint32_t)b->code.len - 1;
}

static bool writes(const struct sass_block *b, uint32_t r)
{
    vec_each (struct sass_inst, i, &b->code)
        if (i->d == r && !i->continues)
            return true;
    return false;
}

static void take(struct guarding *g, uint32_t into, uint32_t from, struct sass_pred p,
                 const struct sass_block *other)
{
    struct sass_block *b = block_of(g, into), *w = block_of(g, from);
    for (size_t k = 0; k + 1 < w->code.len; k++) {
        struct sass_inst i = w->code.data[k];
        i.guard = p;
        if (i.d != SASS_NONE && !written_once(g, i.d) && !(other && writes(other, i.d)))
            i.continues = true;
        vec_push(g->s->arena, &b->code, i);
    }
    w->code.len = 0;
    w->nto = 0;
}

/* BSSY for one way, which begins with BSYNC, and a BREAK on the other: they meet nowhere by it. */
static void drop_empty_meeting(struct guarding *g, uint32_t id, uint32_t to, uint32_t leaves)
{
    struct sass_block *b = block_of(g, id), *t = block_of(g, to), *l = block_of(g, leaves);
    size_t at = b->code.len - 2;
    while (at > 0 && sass_rows[b->code.data[at - 1].op].class != CLASS_CONTROL)
        at--;
    if (!at || b->code.data[at - 1].op != OP_BSSY || (uint32_t)b->code.data[at - 1].imm != to ||
        g->ways[to] != 1 || g->ways[leaves] != 1 || !t->code.len || !l->code.len ||
        t->code.data[0].op != OP_BSYNC || l->code.data[0].op != OP_BREAK)
        return;
    const unsigned barrier = b->code.data[at - 1].mods[MOD_BARRIER];
    if (t->code.data[0].mods[MOD_BARRIER] != barrier ||
        l->code.data[0].mods[MOD_BARRIER] != barrier)
        return;
    memmove(&b->code.data[at - 1], &b->code.data[at], (b->code.len - at) * sizeof *b->code.data);
    b->code.len--;
    memmove(t->code.data, t->code.data + 1, (t->code.len - 1) * sizeof *t->code.data);
    t->code.len--;
    memmove(l->code.data, l->code.data + 1, (l->code.len - 1) * sizeof *l->code.data);
    l->code.len--;
}

static bool guard_one(struct guarding *g, uint32_t id)
{
    struct sass_block *b = block_of(g, id);
    size_t n = b->code.len;
    if (n < 2 || !jumps_on(b) || b->code.data[n - 2].op != OP_BRA || always(&b->code.data[n - 2]) ||
        b->aside)
        return false;
    struct sass_pred p = b->code.data[n - 2].guard;
    uint32_t yes = (uint32_t)b->code.data[n - 2].imm, no = (uint32_t)b->code.data[n - 1].imm;
    if (yes == no || p.reg == SASS_NONE || !written_once(g, p.reg))
        return false;
    drop_empty_meeting(g, id, no, yes);
    drop_empty_meeting(g, id, yes, no);
    b = block_of(g, id);
    n = b->code.len;
    uint32_t here = length_of(g, yes), there = length_of(g, no), to;
    if (here != UINT32_MAX && there != UINT32_MAX && here + there <= MOST_GUARDED &&
        block_of(g, yes)->to[0] == block_of(g, no)->to[0])
        to = block_of(g, yes)->to[0];
    else if (here <= MOST_GUARDED && block_of(g, yes)->to[0] == no)
        to = no, there = UINT32_MAX;
    else if (there <= MOST_GUARDED && block_of(g, no)->to[0] == yes)
        to = yes, here = UINT32_MAX;
    else
        return false;
    if (to == id)
        return false;
    struct sass_inst jump = b->code.data[n - 1];
    b->code.len -= 2;
    struct sass_pred not = {p.reg, !p.neg};
    g->ways[to]--;
    if (here != UINT32_MAX)
        take(g, id, yes, p, there != UINT32_MAX ? block_of(g, no) : NULL);
    if (there != UINT32_MAX)
        take(g, id, no, not, NULL);
    jump.imm = (int32_t)to;
    vec_push(g->s->arena, &block_of(g, id)->code, jump);
    block_of(g, id)->nto = 1;
    block_of(g, id)->to[0] = to;
    return true;
}

/* Gives whether a branch went. */
bool sass_guard(struct sass_func *s)
{
    struct guarding g = {s, arena_array(s->arena, uint32_t, s->blocks.len + 1),
                         arena_array(s->arena, uint32_t, s->regs.len + 1)};
    bool changed = false;
    g.ways[s->order.data[0]] = 1;
    for (uint32_t k = 0; k < s->order.len; k++) {
        const struct sass_block *b = block_of(&g, s->order.data[k]);
        for (uint32_t e = 0; e < b->nto; e++)
            g.ways[b->to[e]]++;
        vec_each (struct sass_inst, i, &b->code) {
            if (i->d != SASS_NONE && (!i->continues || !i->d_part))
                g.writes[i->d]++;
            if (i->pd != SASS_NONE)
                g.writes[i->pd]++;
            if (i->pe != SASS_NONE)
                g.writes[i->pe]++;
        }
    }
    for (uint32_t k = 0; k < s->order.len; k++)
        changed |= guard_one(&g, s->order.data[k]);
    return changed;
}
