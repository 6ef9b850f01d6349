/* Work that was done already.
 *
 * An instruction that computes the same from the same as one before it on the way here gives way to
 * that one's result; so do loads of memory that nothing has written since. Known is what was
 * computed in the block, and in those that control must have come through: its dominators. What was
 * loaded, only along a chain: a block with one way in knows what its predecessor knows of memory,
 * if that was looked at right before it. */
#include <string.h>
#include "mach/mach.h"

struct seen {
    bool used;
    uint32_t block;        /* number in the order of the walk */
    uint32_t stamp, epoch; /* loads: the chain of blocks, and memory as it was then */
    uint32_t inst;
};

struct dominated {        /* by number in the order of the walk */
    uint32_t by;          /* its immediate dominator */
    uint32_t first, last; /* all that it dominates is numbered so, in the tree of dominators */
};

struct merger {
    struct mach_func *f;
    struct seen *table;
    struct dominated *tree;
    uint32_t mask, block, stamp, epoch;
    mach_reg *instead; /* by register; MACH_NONE: itself */
};

/* ---- dominators ---- */
static uint32_t meet(const struct dominated *tree, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = tree[a].by;
        else
            b = tree[b].by;
    return a;
}

/* Blocks in reverse post order, until nothing changes: loops that one enters by their heads are
 * done at the first look. */
static struct dominated *dominators(const struct mach_func *f)
{
    const uint32_t n = (uint32_t)f->rpo.len;
    struct dominated *tree = arena_array(f->arena, struct dominated, n + 1);
    uint32_t *size = arena_array(f->arena, uint32_t, n + 1);
    for (uint32_t k = 1; k < n; k++)
        tree[k].by = UINT32_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < n; k++) {
            uint32_t by = UINT32_MAX;
            vec_each (uint32_t, p, &f->blocks.data[f->rpo.data[k]].preds) {
                const uint32_t from = f->blocks.data[*p].order;
                if (from < n && (from == 0 || tree[from].by != UINT32_MAX))
                    by = by == UINT32_MAX ? from : meet(tree, by, from);
            }
            changed |= by != tree[k].by;
            tree[k].by = by;
        }
    }
    for (uint32_t k = n; k--;) { /* how many each dominates */
        size[k]++;
        if (k)
            size[tree[k].by] += size[k];
    }
    for (uint32_t k = 0; k < n; k++) { /* numbers: a block, then its children's */
        tree[k].first = k ? tree[tree[k].by].last : 0;
        tree[k].last = tree[k].first + 1;
        if (k)
            tree[tree[k].by].last += size[k];
    }
    for (uint32_t k = 0; k < n; k++)
        tree[k].last = tree[k].first + size[k];
    return tree;
}

static bool dominates(const struct merger *m, uint32_t a, uint32_t b)
{
    return m->tree[a].first <= m->tree[b].first && m->tree[b].first < m->tree[a].last;
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
    const bool loads = mach_flags(f, i) & MACH_LOADS;
    uint64_t h =
        hash_bytes(f->ops.data + i->ops + 1, (i->nops - 1) * sizeof(int64_t), i->op + UINT64_C(1));
    for (uint32_t k = (uint32_t)h & m->mask;; k = (k + 1) & m->mask) {
        struct seen *s = &m->table[k];
        if (s->used && !is_same(f, &f->insts.data[s->inst], i))
            continue;
        if (!s->used || !dominates(m, s->block, m->block) ||
            (loads && (s->epoch != m->epoch || s->stamp != m->stamp))) {
            *s = (struct seen){true, m->block, m->stamp, m->epoch, n};
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
        const bool tested = k + 1 < b->count && mach_flags(f, i + 1) & MACH_TESTS;
        if (i->op == MACH_FIXED || i->op == MACH_STORE ||
            mach_flags(f, i) & (MACH_STORES | MACH_EFFECT))
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
    m.tree = dominators(f);
    uint32_t before = UINT32_MAX;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        m.block = b->order;
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
