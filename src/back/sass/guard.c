/* Short branches become instructions under a condition: nobody jumps, nobody parts, and what they
 * load is on its way together with everything else.
 *
 * A block with two ways, each of them short, reached from here alone and leading to the same place
 * (or being it). A register that both ways write, or that is written elsewhere, too, keeps what it
 * held where the condition does not hold. */
#include <string.h>
#include "back/sass/sass_int.h"

enum { MOST_GUARDED = 18 }; /* of those that are likely to stay */

struct guarding {
    struct sass_func *s;
    uint32_t *ways;   /* to each block */
    uint32_t *writes; /* by register: instructions that begin to write it */
    uint32_t *reads;  /* by register: operands that read it */
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
        i->op == OP_VOTE || i->op == OP_REDUX || i->op == OP_CS2R || i->op == OP_B2R ||
        i->op == OP_QSPC || class == CLASS_MMA || i->op == OP_DMMA)
        return false;
    return written_once(g, i->pd) && written_once(g, i->pe);
}

static bool is_read(const struct guarding *g, uint32_t r)
{
    return r != SASS_NONE && g->reads[r];
}

/* Copies mostly find that they have one register; what nobody reads is dropped later on. */
static bool stays(const struct guarding *g, const struct sass_inst *i)
{
    if (i->op == OP_MOV && i->b.kind == SRC_REG)
        return false;
    return (i->d == SASS_NONE && i->pd == SASS_NONE) || is_read(g, i->d) || is_read(g, i->pd) ||
           is_read(g, i->pe);
}

/* Its instructions without the jump at the end; UINT32_MAX: not a way that can be guarded. */
static uint32_t length_of(struct guarding *g, uint32_t id)
{
    const struct sass_block *b = block_of(g, id);
    uint32_t n = 0;
    if (g->ways[id] != 1 || b->nto != 1 || !jumps_on(b) || b->aside)
        return UINT32_MAX;
    for (size_t k = 0; k + 1 < b->code.len; k++) {
        if (!may_guard(g, &b->code.data[k]))
            return UINT32_MAX;
        n += stays(g, &b->code.data[k]);
    }
    return n;
}

static bool writes(const struct sass_block *b, uint32_t r)
{
    vec_each (struct sass_inst, i, &b->code)
        if (i->d == r && !i->continues)
            return true;
    return false;
}

static bool reads_from(const struct sass_inst *i, uint32_t r)
{
    const struct sass_src *src[] = {&i->a, &i->b, &i->c};
    for (unsigned k = 0; k < 3; k++)
        if (src[k]->kind == SRC_REG && src[k]->value == r)
            return true;
    return i->d == r && i->continues;
}

/* Who makes what the copy takes, if only the copy reads it and what it goes to is not touched in
 * between; NULL: nobody. */
static struct sass_inst *maker_of(const struct guarding *g, struct sass_block *b, size_t copy)
{
    const struct sass_inst *c = &b->code.data[copy];
    const uint32_t from = c->b.value, to = c->d;
    if (c->op != OP_MOV || c->b.kind != SRC_REG || from == SASS_NONE || to == SASS_NONE ||
        c->b.neg || c->b.abs || c->continues || g->reads[from] != 1 || g->writes[from] != 1 ||
        g->s->regs.data[from].size != 1 || g->s->regs.data[to].size != 1 ||
        g->s->regs.data[from].fixed || g->s->regs.data[to].fixed)
        return NULL;
    for (size_t k = copy; k-- > 0;) {
        struct sass_inst *i = &b->code.data[k];
        if (i->d == from)
            return i->d_part || i->d_parts != 1 || i->continues ? NULL : i;
        if (i->d == to || reads_from(i, to))
            return NULL;
    }
    return NULL;
}

/* A copy under a condition stays where its two registers live at once: what it takes is made in
 * its place. */
static void make_in_place(const struct guarding *g, struct sass_block *b)
{
    size_t kept = 0;
    for (size_t k = 0; k < b->code.len; k++) {
        struct sass_inst *copy = &b->code.data[k], *maker = maker_of(g, b, k);
        if (maker) {
            maker->d = copy->d;
            copy->d = SASS_NONE; /* it is nothing now */
        }
    }
    for (size_t k = 0; k < b->code.len; k++)
        if (b->code.data[k].op != OP_MOV || b->code.data[k].d != SASS_NONE)
            b->code.data[kept++] = b->code.data[k];
    b->code.len = kept;
}

static void take(struct guarding *g, uint32_t into, uint32_t from, struct sass_pred p,
                 const struct sass_block *other)
{
    struct sass_block *b = block_of(g, into), *w = block_of(g, from);
    make_in_place(g, w);
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

static void note_reads(struct guarding *g, const struct sass_inst *i)
{
    const struct sass_src *src[] = {&i->a, &i->b, &i->c};
    const uint32_t preds[] = {i->guard.reg, i->p.reg, i->q.reg, i->r.reg};
    for (unsigned k = 0; k < 3; k++)
        if (src[k]->kind == SRC_REG && src[k]->value != SASS_NONE)
            g->reads[src[k]->value]++;
    for (unsigned k = 0; k < 4; k++)
        if (preds[k] != SASS_NONE)
            g->reads[preds[k]]++;
}

/* Gives whether a branch went. */
bool sass_guard(struct sass_func *s)
{
    struct guarding g = {s, arena_array(s->arena, uint32_t, s->blocks.len + 1),
                         arena_array(s->arena, uint32_t, s->regs.len + 1),
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
            note_reads(&g, i);
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
