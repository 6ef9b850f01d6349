/* Liveness over the graph. Only registers that are used in another block than the one that defines
 * them have a bit; the rest is seen by walking a block backwards. Registers that were spilled live
 * in no block but their own: an argument that is one is read from memory. */
#include <string.h>
#include "mach/mach.h"

struct use { /* of a register that the block does not make */
    uint32_t block, reg;
};

struct looker {
    struct mach_func *f;
    struct mach_live *l;
    uint32_t *home;  /* by register: the first block that names it + 1 */
    uint32_t *maker; /* by register: the block that makes it + 1 */
    uint32_t *user;  /* by register: the last block with a struct use + 1 */
    VEC(struct use) uses;
};

static void name(struct looker *s, uint32_t v, uint32_t block)
{
    struct mach_live *l = s->l;
    if (s->home[v] == 0) {
        s->home[v] = block + 1;
    } else if (s->home[v] != block + 1 && !l->global[v]) {
        l->reg[l->nglobal] = MACH_VIRTUAL + v;
        l->global[v] = ++l->nglobal;
    }
}

static void note_use(struct looker *s, int64_t r, uint32_t block)
{
    const uint32_t v = (uint32_t)(r - MACH_VIRTUAL);
    name(s, v, block);
    if (s->maker[v] == block + 1 || s->user[v] == block + 1)
        return;
    s->user[v] = block + 1;
    struct use u = {block, v};
    vec_push(s->f->arena, &s->uses, u);
}

/* Which registers more than one block names, who makes them, who needs them from before.
 * Definitions come before uses in this order. */
static void look(struct looker *s)
{
    struct mach_func *f = s->f;
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        vec_each (mach_reg, p, &b->params) {
            s->maker[*p - MACH_VIRTUAL] = *at + 1;
            if (!mach_of(f, *p)->spilled)
                name(s, *p - MACH_VIRTUAL, *at);
        }
        for (uint32_t k = 0; k < b->count; k++) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned n = 0; n < r.nuses; n++)
                note_use(s, *r.use[n], *at);
            for (unsigned n = 0; n < r.nresults; n++) {
                const uint32_t v = (uint32_t)(*r.result[n] - MACH_VIRTUAL);
                s->maker[v] = *at + 1;
                name(s, v, *at);
            }
        }
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++)
                if (!mach_of(f, b->edges[e].args[k])->spilled)
                    note_use(s, b->edges[e].args[k], *at);
    }
}

static void set_bit(uint64_t *set, uint32_t k)
{
    set[k / 64] |= (uint64_t)1 << (k & 63);
}

void mach_live(struct mach_func *f, struct mach_live *l)
{
    const size_t regs = f->vregs.len + 1;
    struct looker s = {.f = f, .l = l};
    *l = (struct mach_live){0};
    l->global = arena_array(f->arena, uint32_t, regs);
    l->reg = arena_array(f->arena, mach_reg, regs);
    s.home = arena_array(f->arena, uint32_t, regs);
    s.maker = arena_array(f->arena, uint32_t, regs);
    s.user = arena_array(f->arena, uint32_t, regs);
    look(&s);
    l->words = l->nglobal / 64 + 1;
    size_t n = f->blocks.len * l->words, w = l->words;
    l->in = arena_array(f->arena, uint64_t, n);
    l->out = arena_array(f->arena, uint64_t, n);
    uint64_t *use = arena_array(f->arena, uint64_t, n), *def = arena_array(f->arena, uint64_t, n);
    vec_each (struct use, u, &s.uses)
        if (l->global[u->reg])
            set_bit(use + u->block * w, l->global[u->reg] - 1);
    for (uint32_t g = 0; g < l->nglobal; g++) {
        const uint32_t maker = s.maker[l->reg[g] - MACH_VIRTUAL];
        if (maker)
            set_bit(def + (maker - 1) * w, g);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = f->rpo.len; k--;) {
            uint32_t at = f->rpo.data[k];
            const struct mach_block *b = &f->blocks.data[at];
            uint64_t *in = l->in + at * w, *out = l->out + at * w;
            const uint64_t *u = use + at * w, *d = def + at * w;
            for (size_t q = 0; q < w; q++) {
                uint64_t o = 0;
                for (unsigned e = 0; e < b->nedges; e++)
                    o |= l->in[b->edges[e].to * w + q];
                uint64_t i = u[q] | (o & ~d[q]);
                out[q] = o;
                changed |= i != in[q];
                in[q] = i;
            }
        }
    }
}

/* ---- what lives across instructions with fixed registers ---- */
struct across {
    uint32_t *place; /* by register: position + 1 in the list */
    mach_reg *list;
    uint32_t n;
};

static void add(struct across *a, int64_t r)
{
    uint32_t *at = &a->place[r - MACH_VIRTUAL];
    if (*at)
        return;
    a->list[a->n++] = (mach_reg)r;
    *at = a->n;
}

static void drop(struct across *a, int64_t r)
{
    uint32_t *at = &a->place[r - MACH_VIRTUAL];
    if (!*at)
        return;
    const mach_reg last = a->list[--a->n];
    a->list[*at - 1] = last;
    a->place[last - MACH_VIRTUAL] = *at;
    *at = 0;
}

static void begin(const struct mach_func *f, const struct mach_live *l, struct across *a,
                  uint32_t at)
{
    const struct mach_block *b = &f->blocks.data[at];
    const uint64_t *out = l->out + (size_t)at * l->words;
    while (a->n)
        a->place[a->list[--a->n] - MACH_VIRTUAL] = 0;
    for (uint32_t w = 0; w < l->words; w++)
        for (uint64_t bits = out[w]; bits; bits &= bits - 1)
            add(a, l->reg[w * 64 + (uint32_t)__builtin_ctzll(bits)]);
    for (unsigned e = 0; e < b->nedges; e++)
        for (uint32_t k = 0; k < b->edges[e].nargs; k++)
            if (!mach_of(f, b->edges[e].args[k])->spilled)
                add(a, b->edges[e].args[k]);
}

void mach_pins(const struct mach_func *f, const struct mach_inst *i, mach_set set[MACH_CLASSES])
{
    struct mach_fixed x;
    mach_fixed_read(f, i, &x);
    memcpy(set, x.clobbers, sizeof x.clobbers);
    for (unsigned k = 0; k < x.nresults + x.nuses; k++) {
        const int64_t m = x.results[2 * k + 1];
        set[m / MACH_CLASS_SIZE] |= (mach_set)1 << m % MACH_CLASS_SIZE;
    }
}

/* What lives here stays out of the instruction's registers. */
static void forbid_at(const struct mach_func *f, const struct mach_inst *i, const struct across *a,
                      mach_set *forbidden, struct mach_worst *worst)
{
    mach_set set[MACH_CLASSES];
    uint32_t count[MACH_CLASSES] = {0};
    mach_pins(f, i, set);
    for (uint32_t k = 0; k < a->n; k++) {
        const struct mach_vreg *v = mach_of(f, a->list[k]);
        forbidden[a->list[k] - MACH_VIRTUAL] |= set[v->class];
        count[v->class] += !v->spilled;
    }
    for (unsigned c = 0; worst && c < MACH_CLASSES; c++)
        if (count[c] > worst->count[c] && set[c] & f->target->classes[c].allocatable) {
            worst->count[c] = count[c];
            worst->set[c] = set[c] & f->target->classes[c].allocatable;
        }
}

void mach_forbid(struct mach_func *f, const struct mach_live *l, mach_set *forbidden,
                 struct mach_worst *worst)
{
    struct across a = {.place = arena_array(f->arena, uint32_t, f->vregs.len + 1),
                       .list = arena_array(f->arena, mach_reg, f->vregs.len + 1)};
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        uint32_t first = 0; /* nothing in front of the first one matters */
        while (first < b->count && f->insts.data[b->first + first].op != MACH_FIXED)
            first++;
        if (first == b->count)
            continue;
        begin(f, l, &a, *at);
        for (uint32_t k = b->count; k-- > first;) {
            const struct mach_inst *i = &f->insts.data[b->first + k];
            mach_regs(f, i, &r);
            for (unsigned q = 0; q < r.nresults; q++)
                drop(&a, *r.result[q]);
            if (i->op == MACH_FIXED)
                forbid_at(f, i, &a, forbidden, worst);
            for (unsigned q = 0; q < r.nuses; q++)
                add(&a, *r.use[q]);
        }
    }
}
