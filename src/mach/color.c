/* A machine register for each virtual one.
 *
 * In SSA form the registers that live at a point are what an interval graph's cliques are: walking
 * the blocks in an order in which definitions come before uses, and giving each definition any
 * register that is free there, never fails where no more live than the machine has, which spilling
 * saw to. Only registers that may not be used across calls and the like can make it fail: then the
 * one that stands in the way is spilled and all is done again.
 *
 * Which of the free ones is taken decides how many copies are left: the one of the argument for a
 * parameter, of the parameter for an argument, of the operand that an instruction overwrites. */
#include <string.h>
#include "mach/mach.h"

struct colorer {
    struct mach_func *f;
    struct mach_live live;
    mach_set *forbidden; /* by register */
    mach_set free[MACH_CLASSES];
    mach_reg holder[MACH_CLASSES][MACH_CLASS_SIZE]; /* virtual register in each */
    uint32_t *last; /* by register: number of the last instruction that uses it in the block + 1 */
    uint32_t *uses; /* by register: in all */
    bool failed;
};

/* What is handed to a block's parameter would best be there already. */
static void hint_params(struct mach_func *f)
{
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++) {
                mach_reg a = b->edges[e].args[k];
                if (mach_of(f, a)->hint == MACH_NONE)
                    mach_of(f, a)->hint = f->blocks.data[b->edges[e].to].params.data[k];
            }
    }
}

/* What an instruction with fixed registers takes would best be there, and what it gives. */
static void hint_pins(struct mach_func *f)
{
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (uint32_t k = b->count; k--;) {
            const struct mach_inst *i = &f->insts.data[b->first + k];
            if (i->op != MACH_FIXED)
                continue;
            struct mach_fixed x;
            mach_fixed_read(f, i, &x);
            for (unsigned q = 0; q < x.nresults + x.nuses; q++) {
                const int64_t m = x.results[2 * q + 1], v = x.results[2 * q];
                if (mach_is_virtual(v) && mach_of(f, v)->hint == MACH_NONE)
                    mach_of(f, v)->hint = (mach_reg)m;
            }
        }
    }
}

/* ---- choosing ---- */
static unsigned lowest(mach_set s)
{
    return (unsigned)__builtin_ctzll(s);
}

static bool hinted(const struct colorer *c, mach_reg hint, mach_set good, unsigned class,
                   mach_reg *out)
{
    if (hint == MACH_NONE)
        return false;
    mach_reg m = hint < MACH_VIRTUAL ? hint : mach_of(c->f, hint)->color;
    if (m == MACH_NONE || m / MACH_CLASS_SIZE != class || !(good >> m % MACH_CLASS_SIZE & 1))
        return false;
    *out = m;
    return true;
}

static void give(struct colorer *c, mach_reg v, mach_reg m)
{
    unsigned class = mach_of(c->f, v)->class;
    mach_of(c->f, v)->color = m;
    c->free[class] &= ~((mach_set)1 << m % MACH_CLASS_SIZE);
    c->holder[class][m % MACH_CLASS_SIZE] = v;
}

/* A register that lives here and holds one that would do goes to memory: the one that is used
 * least. Where there is none, or none helps, spilling must leave more free. */
static void give_up(struct colorer *c, mach_reg v)
{
    unsigned class = mach_of(c->f, v)->class;
    mach_reg victim = MACH_NONE;
    mach_set bad = c->forbidden[v - MACH_VIRTUAL];
    for (mach_set s = c->f->target->classes[class].allocatable & ~c->free[class] & ~bad; s;
         s &= s - 1) {
        mach_reg h = c->holder[class][lowest(s)];
        if (mach_is_original(c->f, h) && c->live.global[h - MACH_VIRTUAL] &&
            (victim == MACH_NONE || c->uses[h - MACH_VIRTUAL] < c->uses[victim - MACH_VIRTUAL]))
            victim = h;
    }
    if (victim != MACH_NONE)
        mach_of(c->f, victim)->spilled = true;
    else
        c->f->tight++;
    c->failed = true;
}

static void pick(struct colorer *c, mach_reg v, mach_set among)
{
    struct mach_vreg *r = mach_of(c->f, v);
    const struct mach_class *class = &c->f->target->classes[r->class];
    mach_set good = among & ~c->forbidden[v - MACH_VIRTUAL];
    mach_reg m;
    if (!good) {
        give_up(c, v);
        return;
    }
    if (!hinted(c, r->hint, good, r->class, &m)) {
        mach_set cheap = good & ~(c->f->from_c ? class->kept : 0);
        m = r->class * MACH_CLASS_SIZE + lowest(cheap ? cheap : good);
    }
    give(c, v, m);
}

static void release(struct colorer *c, mach_reg v)
{
    struct mach_vreg *r = mach_of(c->f, v);
    if (r->color != MACH_NONE)
        c->free[r->class] |= (mach_set)1 << r->color % MACH_CLASS_SIZE;
}

static bool lives_on(const struct colorer *c, uint32_t block, mach_reg v)
{
    uint32_t g = c->live.global[v - MACH_VIRTUAL];
    return g && mach_bit(c->live.out + (size_t)block * c->live.words, g - 1);
}

/* Where each register is used last in the block: an instruction's number + 1; count + 1: by what
 * follows the block. */
static void find_last(struct colorer *c, uint32_t at)
{
    struct mach_func *f = c->f;
    const struct mach_block *b = &f->blocks.data[at];
    struct mach_regs r;
    vec_each (mach_reg, p, &b->params)
        c->last[*p - MACH_VIRTUAL] = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        for (unsigned n = 0; n < r.nresults; n++)
            c->last[*r.result[n] - MACH_VIRTUAL] =
                lives_on(c, at, (mach_reg)*r.result[n]) ? UINT32_MAX : 0;
        for (unsigned n = 0; n < r.nuses; n++)
            c->last[*r.use[n] - MACH_VIRTUAL] =
                lives_on(c, at, (mach_reg)*r.use[n]) ? UINT32_MAX : k + 1;
    }
    for (unsigned e = 0; e < b->nedges; e++)
        for (uint32_t k = 0; k < b->edges[e].nargs; k++)
            if (!mach_of(f, b->edges[e].args[k])->spilled)
                c->last[b->edges[e].args[k] - MACH_VIRTUAL] = UINT32_MAX;
}

/* The register that most of the arguments for a parameter have already, deepest in loops first. */
static void hint_param(struct colorer *c, const struct mach_block *b, uint32_t k)
{
    struct mach_func *f = c->f;
    unsigned depth = 0;
    mach_reg p = b->params.data[k];
    vec_each (uint32_t, from, &b->preds) {
        const struct mach_block *pred = &f->blocks.data[*from];
        if (pred->end != MACH_JUMP)
            continue;
        mach_reg a = pred->edges[0].args[k];
        if (mach_of(f, a)->color != MACH_NONE && !mach_of(f, a)->spilled && pred->depth >= depth) {
            mach_of(f, p)->hint = a;
            depth = pred->depth;
        }
    }
}

static void color_block(struct colorer *c, uint32_t at)
{
    struct mach_func *f = c->f;
    const struct mach_block *b = &f->blocks.data[at];
    const uint64_t *in = c->live.in + (size_t)at * c->live.words;
    struct mach_regs r;
    for (unsigned k = 0; k < MACH_CLASSES; k++)
        c->free[k] = f->target->classes[k].allocatable;
    for (uint32_t w = 0; w < c->live.words; w++)
        for (uint64_t bits = in[w]; bits; bits &= bits - 1) {
            mach_reg v = c->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            if (mach_of(f, v)->color != MACH_NONE)
                give(c, v, mach_of(f, v)->color);
        }
    find_last(c, at);
    for (uint32_t k = 0; k < b->params.len && !c->failed; k++) {
        mach_reg p = b->params.data[k];
        if (mach_of(f, p)->spilled || !c->uses[p - MACH_VIRTUAL])
            continue;
        hint_param(c, b, k);
        pick(c, p, c->free[mach_of(f, p)->class]);
    }
    for (uint32_t k = 0; k < b->params.len && !c->failed; k++) {
        mach_reg p = b->params.data[k];
        if (!c->last[p - MACH_VIRTUAL] && !lives_on(c, at, p))
            release(c, p);
    }
    for (uint32_t k = 0; k < b->count && !c->failed; k++) {
        const struct mach_inst *i = &f->insts.data[b->first + k];
        mach_regs(f, i, &r);
        bool shared = false;
        if (r.tied) {
            mach_reg d = (mach_reg)*r.result[0], u = (mach_reg)*r.tied;
            mach_reg m = mach_of(f, u)->color;
            if (c->last[u - MACH_VIRTUAL] == k + 1 &&
                !(c->forbidden[d - MACH_VIRTUAL] >> m % MACH_CLASS_SIZE & 1)) {
                shared = true;
            } else {
                pick(c, d, c->free[mach_of(f, d)->class]);
            }
        }
        for (unsigned n = 0; n < r.nuses; n++)
            if (c->last[*r.use[n] - MACH_VIRTUAL] == k + 1)
                release(c, (mach_reg)*r.use[n]);
        if (shared)
            give(c, (mach_reg)*r.result[0], mach_of(f, *r.tied)->color);
        for (unsigned n = r.tied ? 1 : 0; n < r.nresults && !c->failed; n++) {
            mach_reg v = (mach_reg)*r.result[n];
            if (i->op == MACH_COPY && mach_is_virtual(*r.use[0]) &&
                mach_of(f, v)->hint == MACH_NONE)
                mach_of(f, v)->hint = (mach_reg)*r.use[0];
            pick(c, v, c->free[mach_of(f, v)->class]);
        }
        for (unsigned n = 0; n < r.nresults && !c->failed; n++)
            if (!c->last[*r.result[n] - MACH_VIRTUAL])
                release(c, (mach_reg)*r.result[n]);
    }
}

/* Registers that calls and the like write besides. */
static void count_pins(struct mach_func *f)
{
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (uint32_t k = 0; k < b->count; k++) {
            const struct mach_inst *i = &f->insts.data[b->first + k];
            if (i->op != MACH_FIXED)
                continue;
            struct mach_fixed x;
            mach_fixed_read(f, i, &x);
            for (unsigned c = 0; c < MACH_CLASSES; c++)
                f->used[c] |= x.clobbers[c];
            for (unsigned n = 0; n < x.nresults + x.nuses; n++) {
                int64_t m = x.results[2 * n + 1];
                f->used[m / MACH_CLASS_SIZE] |= (mach_set)1 << m % MACH_CLASS_SIZE;
            }
        }
    }
}

bool mach_color(struct mach_func *f)
{
    struct colorer c = {.f = f};
    mach_live_rest(f, &c.live);
    c.forbidden = arena_array(f->arena, mach_set, f->vregs.len + 1);
    c.last = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    c.uses = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    for (size_t v = 0; v < f->vregs.len; v++)
        f->vregs.data[v].color = MACH_NONE;
    mach_count_uses(f, c.uses);
    hint_params(f);
    hint_pins(f);
    mach_forbid(f, &c.live, c.forbidden, NULL);
    vec_each (uint32_t, at, &f->rpo)
        if (!c.failed)
            color_block(&c, *at);
    for (unsigned k = 0; k < MACH_CLASSES; k++)
        f->used[k] = 0;
    for (size_t v = 0; v < f->vregs.len && !c.failed; v++) {
        mach_reg m = f->vregs.data[v].color;
        if (m != MACH_NONE)
            f->used[m / MACH_CLASS_SIZE] |= (mach_set)1 << m % MACH_CLASS_SIZE;
    }
    if (!c.failed)
        count_pins(f);
    return !c.failed;
}
