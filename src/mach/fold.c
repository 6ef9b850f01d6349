/* Loads and addresses inside the instructions that use them, and what results overwrite.
 *
 * A load that one instruction of its block uses becomes a part of it where the machine has such an
 * instruction and nothing is written in between; so does an address that only one load or store
 * uses. Where a result takes an operand's register, mach_tie chooses one that nobody needs
 * afterwards: a copy less, and a register. */
#include <string.h>
#include "mach/mach.h"

struct folder {
    struct mach_func *f;
    uint32_t *uses;  /* by register */
    uint32_t *maker; /* by register: the instruction that makes it + 1, in the block of the walk */
    uint32_t *epoch; /* by instruction of the block: how often memory was written before it */
};

static void replace(struct mach_func *f, struct mach_inst *i, unsigned op, const int64_t *ops,
                    unsigned n)
{
    const uint32_t at = (uint32_t)f->ops.len;
    vec_reserve(f->arena, &f->ops, f->ops.len + n);
    memcpy(f->ops.data + at, ops, n * sizeof *ops);
    f->ops.len += n;
    i->op = (uint16_t)op;
    i->nops = (uint8_t)n;
    i->ops = at;
}

/* Puts what makes operand k into the instruction; false: it stays apart. */
static bool fold_one(struct folder *s, const struct mach_block *b, struct mach_inst *i, unsigned k,
                     uint32_t epoch)
{
    struct mach_func *f = s->f;
    const int64_t v = f->ops.data[i->ops + k];
    int64_t out[MACH_MAX_OPS];
    unsigned n;
    if (!mach_is_virtual(v) || !s->maker[v - MACH_VIRTUAL] || s->uses[v - MACH_VIRTUAL] != 1)
        return false;
    const uint32_t from = s->maker[v - MACH_VIRTUAL] - 1;
    struct mach_inst *made = &f->insts.data[b->first + from];
    const bool loads = mach_flags(f, made) & MACH_LOADS;
    if (made->op < MACH_SHARED || (loads && (!made->plain || s->epoch[from] != epoch)))
        return false;
    const unsigned op = f->target->fold(f, made, i, k, out, &n);
    if (!op)
        return false;
    replace(f, i, op, out, n);
    if (loads)
        i->plain = true;
    made->op = MACH_NOP;
    return true;
}

static void fold_block(struct folder *s, const struct mach_block *b)
{
    struct mach_func *f = s->f;
    struct mach_regs r;
    uint32_t epoch = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        struct mach_inst *i = &f->insts.data[b->first + k];
        s->epoch[k] = epoch;
        if (i->op >= MACH_SHARED && !(mach_flags(f, i) & MACH_BRANCHES))
            for (unsigned n = i->nops; n-- > f->target->rows[i->op - MACH_SHARED].nresults;)
                if (f->target->kinds[f->target->rows[i->op - MACH_SHARED].kind[n]].role ==
                        MACH_REG &&
                    fold_one(s, b, i, n, epoch))
                    n = i->nops; /* what it is now may take another */
        if (i->op == MACH_FIXED || i->op == MACH_STORE ||
            mach_flags(f, i) & (MACH_STORES | MACH_EFFECT))
            epoch++;
        mach_regs(f, i, &r);
        for (unsigned n = 0; n < r.nresults; n++)
            s->maker[*r.result[n] - MACH_VIRTUAL] = k + 1;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        for (unsigned n = 0; n < r.nresults; n++)
            s->maker[*r.result[n] - MACH_VIRTUAL] = 0;
    }
}

void mach_fold(struct mach_func *f)
{
    struct folder s = {.f = f};
    uint32_t most = 0;
    if (!f->target->fold)
        return;
    mach_graph(f);
    vec_each (uint32_t, at, &f->rpo)
        most = f->blocks.data[*at].count > most ? f->blocks.data[*at].count : most;
    s.uses = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    s.maker = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    s.epoch = arena_array(f->arena, uint32_t, most + 1);
    mach_count_uses(s.f, s.uses);
    vec_each (uint32_t, at, &f->rpo)
        fold_block(&s, &f->blocks.data[*at]);
}

/* ---- what results overwrite ---- */
struct tier {
    struct mach_func *f;
    struct mach_live live;
    bool *alive;  /* by register, at the point of the walk */
    mach_reg *to; /* by register: what it should share a register with, a parameter; or MACH_NONE */
};

/* Exchanges the operand that is overwritten for one that is not needed behind the instruction: the
 * one that the result takes the place of in a loop, or the last. */
static void choose(struct tier *t, struct mach_inst *i, const struct mach_regs *r)
{
    struct mach_func *f = t->f;
    int64_t *ops = f->ops.data + i->ops;
    const mach_reg to = t->to[ops[0] - MACH_VIRTUAL];
    const bool dies = !t->alive[*r->tied - MACH_VIRTUAL];
    if (dies && (to == MACH_NONE || to == (mach_reg)*r->tied) && r->nuses < 3)
        return;
    for (unsigned only = 1; only < 3; only++) /* first what it should share with */
        for (unsigned n = r->nuses; n--;) {
            const int64_t v = *r->use[n];
            if (t->alive[v - MACH_VIRTUAL] || (only == 1 && (mach_reg)v != to))
                continue;
            if (r->use[n] == r->tied)
                return;
            int64_t had[MACH_MAX_OPS];
            memcpy(had, ops, i->nops * sizeof *had);
            const unsigned op = f->target->tie(i->op, ops, (unsigned)(r->use[n] - ops));
            if (op) {
                i->op = (uint16_t)op;
                return;
            }
            memcpy(ops, had, i->nops * sizeof *had);
        }
}

static void tie_block(struct tier *t, uint32_t at)
{
    struct mach_func *f = t->f;
    const struct mach_block *b = &f->blocks.data[at];
    const uint64_t *out = t->live.out + (size_t)at * t->live.words;
    struct mach_regs r;
    for (uint32_t w = 0; w < t->live.words; w++)
        for (uint64_t bits = out[w]; bits; bits &= bits - 1)
            t->alive[t->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)] - MACH_VIRTUAL] = true;
    for (unsigned e = 0; e < b->nedges; e++)
        for (uint32_t k = 0; k < b->edges[e].nargs; k++) {
            t->alive[b->edges[e].args[k] - MACH_VIRTUAL] = true;
            t->to[b->edges[e].args[k] - MACH_VIRTUAL] =
                f->blocks.data[b->edges[e].to].params.data[k];
        }
    for (uint32_t k = b->count; k--;) {
        struct mach_inst *i = &f->insts.data[b->first + k];
        mach_regs(f, i, &r);
        for (unsigned n = 0; n < r.nresults; n++)
            t->alive[*r.result[n] - MACH_VIRTUAL] = false;
        if (r.tied && r.nuses > 1 && i->op >= MACH_SHARED) {
            choose(t, i, &r);
            mach_regs(f, i, &r);
            if (t->to[*r.tied - MACH_VIRTUAL] == MACH_NONE)
                t->to[*r.tied - MACH_VIRTUAL] = t->to[f->ops.data[i->ops] - MACH_VIRTUAL];
        }
        for (unsigned n = 0; n < r.nuses; n++)
            t->alive[*r.use[n] - MACH_VIRTUAL] = true;
    }
    const uint64_t *in = t->live.in + (size_t)at * t->live.words;
    for (uint32_t w = 0; w < t->live.words; w++)
        for (uint64_t bits = in[w]; bits; bits &= bits - 1)
            t->alive[t->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)] - MACH_VIRTUAL] = false;
    vec_each (mach_reg, p, &b->params)
        t->alive[*p - MACH_VIRTUAL] = false;
}

void mach_tie(struct mach_func *f, const struct mach_live *l)
{
    struct tier t = {.f = f, .live = *l};
    if (!f->target->tie)
        return;
    t.alive = arena_array(f->arena, bool, f->vregs.len + 1);
    t.to = arena_array(f->arena, mach_reg, f->vregs.len + 1);
    for (size_t v = 0; v < f->vregs.len; v++)
        t.to[v] = MACH_NONE;
    vec_each (uint32_t, at, &f->rpo)
        tie_block(&t, *at);
}
