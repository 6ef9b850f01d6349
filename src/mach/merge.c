/* Work that was done already.
 *
 * An instruction that computes the same from the same as one before it on the way here gives way to
 * that one's result; so do loads of memory that nothing has written since. Known is what was
 * computed in the block, and in those that control must have come through: a block with one way in
 * knows what its predecessor knows, if that was looked at right before it. */
#include <string.h>
#include "mach/mach.h"

struct seen {
    uint32_t stamp; /* of the walk that put it there; else the place is free */
    uint32_t epoch; /* loads: memory as it was then */
    uint32_t inst;
};

struct merger {
    struct mach_func *f;
    struct seen *table;
    uint32_t mask, stamp, epoch;
    mach_reg *instead; /* by register; MACH_NONE: itself */
};

static unsigned flags_of(const struct mach_func *f, const struct mach_inst *i)
{
    return i->op >= MACH_SHARED ? f->target->rows[i->op - MACH_SHARED].flags : 0;
}

static void rename_one(const struct merger *m, int64_t *r)
{
    if (m->instead[*r - MACH_VIRTUAL] != MACH_NONE)
        *r = m->instead[*r - MACH_VIRTUAL];
}

/* Does it depend on nothing but operands that stay as they are, and memory? */
static bool is_pure(const struct mach_func *f, const struct mach_inst *i, bool tested)
{
    if (i->op < MACH_SHARED)
        return false;
    const struct mach_row *r = &f->target->rows[i->op - MACH_SHARED];
    const unsigned other = MACH_STORES | MACH_EFFECT | MACH_BRANCHES | MACH_TESTS | MACH_ORDERED;
    if (r->nresults != 1 || r->flags & other || (r->flags & MACH_SETS && tested) ||
        (r->flags & MACH_LOADS && !i->plain))
        return false;
    for (unsigned k = 0; k < i->nops; k++) {
        unsigned role = f->target->kinds[r->kind[k]].role;
        if (role == MACH_LABEL || (role == MACH_REG && !mach_is_virtual(f->ops.data[i->ops + k])))
            return false;
    }
    return true;
}

static bool is_same(const struct mach_func *f, const struct mach_inst *a, const struct mach_inst *b)
{
    return a->op == b->op && a->nops == b->nops &&
           !memcmp(f->ops.data + a->ops + 1, f->ops.data + b->ops + 1,
                   (a->nops - 1) * sizeof(int64_t)) &&
           mach_of(f, f->ops.data[a->ops])->bytes == mach_of(f, f->ops.data[b->ops])->bytes;
}

/* The result of an instruction like number n, or MACH_NONE; number n is known from now on. */
static mach_reg find(struct merger *m, uint32_t n)
{
    struct mach_func *f = m->f;
    const struct mach_inst *i = &f->insts.data[n];
    const bool loads = flags_of(f, i) & MACH_LOADS;
    uint64_t h =
        hash_bytes(f->ops.data + i->ops + 1, (i->nops - 1) * sizeof(int64_t), i->op + UINT64_C(1));
    for (uint32_t k = (uint32_t)h & m->mask;; k = (k + 1) & m->mask) {
        struct seen *s = &m->table[k];
        if (s->stamp != m->stamp) {
            *s = (struct seen){m->stamp, m->epoch, n};
            return MACH_NONE;
        }
        if (!is_same(f, &f->insts.data[s->inst], i))
            continue;
        if (loads && s->epoch != m->epoch) {
            *s = (struct seen){m->stamp, m->epoch, n};
            return MACH_NONE;
        }
        return (mach_reg)f->ops.data[f->insts.data[s->inst].ops];
    }
}

static void merge_block(struct merger *m, const struct mach_block *b)
{
    struct mach_func *f = m->f;
    struct mach_regs r;
    for (uint32_t k = 0; k < b->count; k++) {
        struct mach_inst *i = &f->insts.data[b->first + k];
        mach_regs(f, i, &r);
        for (unsigned n = 0; n < r.nuses; n++)
            rename_one(m, r.use[n]);
        const bool tested = k + 1 < b->count && flags_of(f, i + 1) & MACH_TESTS;
        if (i->op == MACH_FIXED || i->op == MACH_STORE ||
            flags_of(f, i) & (MACH_STORES | MACH_EFFECT))
            m->epoch++;
        if (!is_pure(f, i, tested))
            continue;
        mach_reg same = find(m, b->first + k);
        if (same == MACH_NONE)
            continue;
        m->instead[f->ops.data[i->ops] - MACH_VIRTUAL] = same;
        i->op = MACH_NOP;
    }
}

void mach_merge(struct mach_func *f)
{
    struct merger m = {.f = f, .mask = 63};
    while (m.mask < 2 * f->insts.len)
        m.mask = 2 * m.mask + 1;
    m.table = arena_array(f->arena, struct seen, m.mask + 1);
    m.instead = arena_array(f->arena, mach_reg, f->vregs.len + 1);
    for (size_t v = 0; v < f->vregs.len; v++)
        m.instead[v] = MACH_NONE;
    mach_graph(f);
    uint32_t before = UINT32_MAX;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        if (b->preds.len != 1 || b->preds.data[0] != before)
            m.stamp++;
        merge_block(&m, b);
        before = *at;
    }
    /* what jumps back, and what comes first, may name what gave way */
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++) {
                int64_t r = b->edges[e].args[k];
                rename_one(&m, &r);
                b->edges[e].args[k] = (mach_reg)r;
            }
    }
}
