/* Liveness over the graph. Only registers that are used in another block than the one that defines
 * them have a bit; the rest is seen by walking a block backwards. Registers that were spilled live
 * in no block but their own: an argument that is one is read from memory. */
#include <string.h>
#include "mach/mach.h"

static void note(const struct mach_func *f, struct mach_live *l, uint32_t *home, int64_t r,
                 uint32_t block)
{
    uint32_t k = (uint32_t)(r - MACH_VIRTUAL);
    if (home[k] == 0)
        home[k] = block + 1;
    else if (home[k] != block + 1 && !l->global[k]) {
        l->reg[l->nglobal] = (mach_reg)r;
        l->global[k] = ++l->nglobal;
    }
    (void)f;
}

/* Which registers more than one block names. */
static void number(struct mach_func *f, struct mach_live *l)
{
    uint32_t *home = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    l->global = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    l->reg = arena_array(f->arena, mach_reg, f->vregs.len + 1);
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        vec_each (mach_reg, p, &b->params)
            if (!mach_of(f, *p)->spilled)
                note(f, l, home, *p, *at);
        for (uint32_t k = 0; k < b->count; k++) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned n = 0; n < r.nuses; n++)
                note(f, l, home, *r.use[n], *at);
            for (unsigned n = 0; n < r.nresults; n++)
                note(f, l, home, *r.result[n], *at);
        }
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++)
                if (!mach_of(f, b->edges[e].args[k])->spilled)
                    note(f, l, home, b->edges[e].args[k], *at);
    }
}

static void set_bit(uint64_t *set, uint32_t k, bool on)
{
    if (on)
        set[k / 64] |= (uint64_t)1 << (k & 63);
    else
        set[k / 64] &= ~((uint64_t)1 << (k & 63));
}

void mach_live(struct mach_func *f, struct mach_live *l)
{
    *l = (struct mach_live){0};
    number(f, l);
    l->words = l->nglobal / 64 + 1;
    size_t n = f->blocks.len * l->words, w = l->words;
    l->in = arena_array(f->arena, uint64_t, n);
    l->out = arena_array(f->arena, uint64_t, n);
    uint64_t *use = arena_array(f->arena, uint64_t, n), *def = arena_array(f->arena, uint64_t, n);
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        uint64_t *u = use + *at * w, *d = def + *at * w;
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++) {
                uint32_t g = l->global[b->edges[e].args[k] - MACH_VIRTUAL];
                if (g && !mach_of(f, b->edges[e].args[k])->spilled)
                    set_bit(u, g - 1, true);
            }
        for (uint32_t k = b->count; k--;) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned q = 0; q < r.nresults; q++) {
                uint32_t g = l->global[*r.result[q] - MACH_VIRTUAL];
                if (g)
                    set_bit(u, g - 1, false), set_bit(d, g - 1, true);
            }
            for (unsigned q = 0; q < r.nuses; q++) {
                uint32_t g = l->global[*r.use[q] - MACH_VIRTUAL];
                if (g)
                    set_bit(u, g - 1, true);
            }
        }
        vec_each (mach_reg, p, &b->params) {
            uint32_t g = l->global[*p - MACH_VIRTUAL];
            if (g)
                set_bit(u, g - 1, false), set_bit(d, g - 1, true);
        }
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
