/* Which registers live in memory.
 *
 * First constants are placed: in blocks outside loops where they are used, else at the function's
 * beginning, from where loops have them for nothing as long as there are registers.
 *
 * Then every block is walked backwards with what lives in registers at each point. Where that is
 * more than the machine has, the register goes that costs least there: uses counted by how deep in
 * loops they are, over how long it lives. A register that goes lives in memory from its definition
 * on, everywhere; so blocks agree with each other without any copies between them.
 *
 * At last each block is walked forwards: what was spilled is loaded, or computed again, in front of
 * its uses, and stays in the register as long as the block has one to spare; the one whose next use
 * is furthest away leaves first. */
#include <string.h>
#include "mach/mach.h"

struct spiller {
    struct mach_func *f;
    struct mach_live live;
    struct arena *arena;
    unsigned room[MACH_CLASSES]; /* allocatable registers */
    float *weight;               /* by register */
    /* what lives at the point where the walk is */
    mach_reg *list[MACH_CLASSES];
    uint32_t count[MACH_CLASSES];
    uint32_t *place; /* by register: position + 1 in its list */
    /* what must stay out of the registers of calls */
    mach_set *forbidden;           /* by register */
    struct mach_worst worst;       /* the registers that count */
    unsigned narrow[MACH_CLASSES]; /* registers without them */
    uint32_t across[MACH_CLASSES]; /* how many of those that live */
    uint32_t peak[MACH_CLASSES];   /* of `across`, in the block that is rewritten */
    VEC(struct mach_inst) out;
};

/* ---- constants ---- */
static struct mach_inst again(struct mach_func *f, mach_reg from, mach_reg to)
{
    struct mach_inst i = f->remats.data[mach_of(f, from)->remat];
    uint32_t at = (uint32_t)f->ops.len;
    vec_reserve(f->arena, &f->ops, f->ops.len + i.nops);
    memcpy(f->ops.data + at, f->ops.data + i.ops, i.nops * sizeof(int64_t));
    f->ops.len += i.nops;
    f->ops.data[at] = to;
    i.ops = at;
    return i;
}

static mach_reg twin(struct mach_func *f, mach_reg of)
{
    struct mach_vreg v = *mach_of(f, of);
    mach_reg r = mach_vreg(f, v.class, v.bytes);
    mach_of(f, r)->remat = v.remat;
    return r;
}

static void place_constants(struct mach_func *f)
{
    size_t before = f->vregs.len;
    bool *deep = arena_array(f->arena, bool, before + 1);
    uint32_t *home = arena_array(f->arena, uint32_t, before + 1);
    mach_reg *name = arena_array(f->arena, mach_reg, before + 1);
    VEC(struct mach_inst) out = {0};
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (uint32_t k = 0; b->depth && k < b->count; k++) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned n = 0; n < r.nuses; n++)
                if (mach_of(f, *r.use[n])->remat >= 0)
                    deep[*r.use[n] - MACH_VIRTUAL] = true;
        }
    }
    vec_reserve(f->arena, &out, f->insts.len + before);
    vec_each (uint32_t, at, &f->rpo) {
        struct mach_block *b = &f->blocks.data[*at];
        uint32_t first = (uint32_t)out.len;
        for (uint32_t k = 0; k < b->count; k++) {
            struct mach_inst i = f->insts.data[b->first + k];
            mach_regs(f, &i, &r);
            for (unsigned n = 0; n < r.nuses; n++) {
                uint32_t v = (uint32_t)(*r.use[n] - MACH_VIRTUAL);
                if (f->vregs.data[v].remat < 0 || v >= before)
                    continue;
                if (deep[v])
                    continue;
                if (home[v] != *at + 1) {
                    home[v] = *at + 1;
                    name[v] = twin(f, v + MACH_VIRTUAL);
                    struct mach_inst made = again(f, v + MACH_VIRTUAL, name[v]);
                    mach_regs(f, &i, &r); /* operands may have moved */
                    made.loc = i.loc;
                    vec_push(f->arena, &out, made);
                }
                *r.use[n] = name[v];
            }
            vec_push(f->arena, &out, i);
            if (*at == 0 && k == 0)
                for (uint32_t v = 0; v < before; v++)
                    if (deep[v]) {
                        struct mach_inst made = again(f, v + MACH_VIRTUAL, v + MACH_VIRTUAL);
                        vec_push(f->arena, &out, made);
                    }
        }
        b->first = first;
        b->count = (uint32_t)out.len - first;
    }
    /* what only edges name is made where it is copied to */
    for (uint32_t v = 0; v < before; v++)
        if (f->vregs.data[v].remat >= 0 && !deep[v])
            f->vregs.data[v].spilled = true;
    f->insts.data = out.data, f->insts.len = out.len, f->insts.cap = out.cap;
}

/* ---- what it costs ---- */
static float frequency(unsigned depth)
{
    float x = 1;
    for (unsigned k = 0; k < depth && k < 8; k++)
        x *= 8;
    return x;
}

static void weigh(struct spiller *s)
{
    struct mach_func *f = s->f;
    float *span = arena_array(s->arena, float, f->vregs.len + 1);
    s->weight = arena_array(s->arena, float, f->vregs.len + 1);
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        float x = frequency(b->depth);
        for (uint32_t k = 0; k < b->count; k++) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned n = 0; n < r.nuses; n++)
                s->weight[*r.use[n] - MACH_VIRTUAL] += x;
            for (unsigned n = 0; n < r.nresults; n++)
                s->weight[*r.result[n] - MACH_VIRTUAL] += x;
        }
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++) {
                s->weight[b->edges[e].args[k] - MACH_VIRTUAL] += x;
                s->weight[f->blocks.data[b->edges[e].to].params.data[k] - MACH_VIRTUAL] += x;
            }
        const uint64_t *in = s->live.in + *at * s->live.words;
        for (uint32_t w = 0; w < s->live.words; w++)
            for (uint64_t bits = in[w]; bits; bits &= bits - 1)
                span[s->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)] - MACH_VIRTUAL] +=
                    (float)b->count;
    }
    for (size_t v = 0; v < f->vregs.len; v++) {
        if (f->vregs.data[v].remat >= 0)
            s->weight[v] *= 0.4f;
        s->weight[v] /= span[v] + 4;
    }
}

/* ---- what lives ---- */
static bool lives_across(const struct spiller *s, mach_reg r)
{
    const mach_set set = s->worst.set[s->f->vregs.data[r - MACH_VIRTUAL].class];
    return set && (s->forbidden[r - MACH_VIRTUAL] & set) == set;
}

static void insert(struct spiller *s, mach_reg r)
{
    uint32_t v = r - MACH_VIRTUAL;
    unsigned c = s->f->vregs.data[v].class;
    if (s->place[v])
        return;
    s->across[c] += lives_across(s, r);
    s->list[c][s->count[c]++] = r;
    s->place[v] = s->count[c];
}

static bool is_in(const struct spiller *s, int64_t r)
{
    return s->place[r - MACH_VIRTUAL] != 0;
}

static void take_out(struct spiller *s, mach_reg r)
{
    uint32_t v = r - MACH_VIRTUAL;
    unsigned c = s->f->vregs.data[v].class;
    uint32_t at = s->place[v];
    if (!at)
        return;
    s->across[c] -= lives_across(s, r);
    mach_reg last = s->list[c][--s->count[c]];
    s->list[c][at - 1] = last;
    s->place[last - MACH_VIRTUAL] = at;
    s->place[v] = 0;
}

static void empty(struct spiller *s)
{
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        for (uint32_t k = 0; k < s->count[c]; k++)
            s->place[s->list[c][k] - MACH_VIRTUAL] = 0;
        s->count[c] = s->across[c] = 0;
    }
}

static bool among(const struct mach_regs *r, mach_reg v)
{
    for (unsigned k = 0; r && k < r->nuses; k++)
        if (*r->use[k] == v)
            return true;
    for (unsigned k = 0; r && k < r->nresults; k++)
        if (*r->result[k] == v)
            return true;
    return false;
}

/* Spills the one that costs least; operands of the instruction stay. False: there is none. */
static bool evict_one(struct spiller *s, unsigned c, bool across, const struct mach_regs *keep)
{
    mach_reg worst = MACH_NONE;
    for (uint32_t k = 0; k < s->count[c]; k++) {
        mach_reg r = s->list[c][k];
        if ((across && !lives_across(s, r)) || among(keep, r))
            continue;
        if (worst == MACH_NONE || s->weight[r - MACH_VIRTUAL] < s->weight[worst - MACH_VIRTUAL])
            worst = r;
    }
    if (worst == MACH_NONE)
        return false;
    mach_of(s->f, worst)->spilled = true;
    take_out(s, worst);
    return true;
}

/* Until no more than `most` of the class live here. */
static void evict(struct spiller *s, unsigned c, int most, const struct mach_regs *keep)
{
    while ((int)s->count[c] > most && evict_one(s, c, false, keep))
        ;
}

/* Those that live across calls, whichever, have only the registers that calls leave alone. */
static void evict_across(struct spiller *s, unsigned c, const struct mach_regs *keep)
{
    while (s->across[c] > s->narrow[c] && evict_one(s, c, true, keep))
        ;
}

static int compare(const void *a, const void *b, const float *weight)
{
    float x = weight[*(const mach_reg *)a - MACH_VIRTUAL],
          y = weight[*(const mach_reg *)b - MACH_VIRTUAL];
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Heaviest first, in place; a heap, so that no input is slow. */
static void order(mach_reg *list, uint32_t n, const float *weight)
{
    for (uint32_t start = n / 2, end = n; end > 1;) {
        if (start)
            start--;
        else {
            mach_reg t = list[--end];
            list[end] = list[0], list[0] = t;
        }
        for (uint32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare(&list[child], &list[child + 1], weight) < 0)
                child++;
            if (compare(&list[root], &list[child], weight) >= 0)
                break;
            mach_reg t = list[root];
            list[root] = list[child], list[child] = t;
        }
    }
}

/* The same at a block's end, where there may be many. */
static void evict_many(struct spiller *s)
{
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        if (s->count[c] <= s->room[c])
            continue;
        order(s->list[c], s->count[c], s->weight);
        for (uint32_t k = 0; k < s->count[c]; k++)
            s->place[s->list[c][k] - MACH_VIRTUAL] = k + 1;
        while (s->count[c] > s->room[c]) {
            mach_reg r = s->list[c][--s->count[c]];
            s->place[r - MACH_VIRTUAL] = 0;
            s->across[c] -= lives_across(s, r);
            mach_of(s->f, r)->spilled = true;
        }
    }
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        evict_across(s, c, NULL);
}

static void at_end(struct spiller *s, uint32_t at)
{
    const struct mach_block *b = &s->f->blocks.data[at];
    const uint64_t *out = s->live.out + at * s->live.words;
    empty(s);
    for (uint32_t w = 0; w < s->live.words; w++)
        for (uint64_t bits = out[w]; bits; bits &= bits - 1) {
            mach_reg r = s->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            if (!mach_of(s->f, r)->spilled)
                insert(s, r);
        }
    for (unsigned e = 0; e < b->nedges; e++)
        for (uint32_t k = 0; k < b->edges[e].nargs; k++)
            if (!mach_of(s->f, b->edges[e].args[k])->spilled)
                insert(s, b->edges[e].args[k]);
}

static void pins(const struct mach_func *f, const struct mach_inst *i, mach_set set[MACH_CLASSES])
{
    mach_pins(f, i, set);
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        set[c] &= f->target->classes[c].allocatable;
}

static void decide(struct spiller *s, uint32_t at)
{
    struct mach_func *f = s->f;
    const struct mach_block *b = &f->blocks.data[at];
    struct mach_regs r;
    at_end(s, at);
    evict_many(s);
    for (uint32_t k = b->count; k--;) {
        const struct mach_inst *i = &f->insts.data[b->first + k];
        if (i->op == MACH_NOP)
            continue;
        mach_regs(f, i, &r);
        unsigned extra[MACH_CLASSES] = {0};
        for (unsigned n = 0; n < r.nresults; n++)
            extra[mach_of(f, *r.result[n])->class] += !is_in(s, *r.result[n]);
        for (unsigned c = 0; c < MACH_CLASSES; c++)
            if (extra[c])
                evict(s, c, (int)(s->room[c] - extra[c]), &r);
        for (unsigned n = 0; n < r.nresults; n++)
            take_out(s, (mach_reg)*r.result[n]);
        memset(extra, 0, sizeof extra);
        if (i->op == MACH_FIXED) {
            mach_set set[MACH_CLASSES];
            pins(f, i, set);
            for (unsigned c = 0; c < MACH_CLASSES; c++)
                if (set[c])
                    evict(s, c, (int)s->room[c] - __builtin_popcountll(set[c]), NULL);
        }
        if (r.tied && is_in(s, *r.tied))
            extra[mach_of(f, *r.tied)->class]++;
        for (unsigned n = 0; n < r.nuses; n++)
            if (mach_of(f, *r.use[n])->spilled)
                extra[mach_of(f, *r.use[n])->class]++;
            else
                insert(s, (mach_reg)*r.use[n]);
        for (unsigned c = 0; c < MACH_CLASSES; c++)
            if (s->count[c] + extra[c] > s->room[c])
                evict(s, c, (int)(s->room[c] - extra[c]), &r);
        for (unsigned c = 0; c < MACH_CLASSES; c++)
            evict_across(s, c, &r);
    }
    /* parameters are defined all at once */
    evict_many(s);
}

/* ---- loads ---- */
struct cached {
    mach_reg of, name;
    uint32_t next; /* instruction of its next use in the block; UINT32_MAX: none */
    uint32_t used; /* by the instruction with this number + 1 */
};

struct loader {
    struct spiller *s;
    struct cached *at[MACH_CLASSES];
    uint32_t count[MACH_CLASSES];
    uint32_t *index; /* by register: position + 1 */
    uint32_t *seen;  /* by register, while next uses are found */
};

static void forget(struct loader *l, unsigned c, uint32_t k)
{
    l->index[l->at[c][k].of - MACH_VIRTUAL] = 0;
    l->at[c][k] = l->at[c][--l->count[c]];
    if (k < l->count[c])
        l->index[l->at[c][k].of - MACH_VIRTUAL] = k + 1;
}

static void keep_at_most(struct loader *l, unsigned c, int most, uint32_t now)
{
    while ((int)l->count[c] > most) {
        uint32_t worst = UINT32_MAX;
        for (uint32_t k = 0; k < l->count[c]; k++)
            if (l->at[c][k].used != now + 1 &&
                (worst == UINT32_MAX || l->at[c][k].next > l->at[c][worst].next))
                worst = k;
        if (worst == UINT32_MAX)
            return;
        forget(l, c, worst);
    }
}

static void remember(struct loader *l, mach_reg of, mach_reg name, uint32_t next, uint32_t now)
{
    unsigned c = mach_of(l->s->f, of)->class;
    l->at[c][l->count[c]++] = (struct cached){of, name, next, now + 1};
    l->index[of - MACH_VIRTUAL] = l->count[c];
}

static uint32_t slot_of(struct mach_func *f, mach_reg r)
{
    struct mach_vreg *v = mach_of(f, r);
    if (!v->slot) {
        uint32_t slot = mach_slot_new(f, v->bytes, v->bytes);
        mach_of(f, r)->slot = slot + 1;
        return slot;
    }
    return v->slot - 1;
}

static void put(struct spiller *s, struct mach_inst i)
{
    vec_push(s->arena, &s->out, i);
}

static struct mach_inst two(struct mach_func *f, unsigned op, int64_t a, int64_t b, uint32_t loc)
{
    struct mach_inst i = {.op = (uint16_t)op, .nops = 2, .ops = (uint32_t)f->ops.len, .loc = loc};
    vec_push(f->arena, &f->ops, a);
    vec_push(f->arena, &f->ops, b);
    return i;
}

static mach_reg bring(struct loader *l, mach_reg v, uint32_t next, uint32_t now, uint32_t loc)
{
    struct mach_func *f = l->s->f;
    uint32_t k = l->index[v - MACH_VIRTUAL];
    if (k) {
        struct cached *c = &l->at[mach_of(f, v)->class][k - 1];
        c->next = next, c->used = now + 1;
        return c->name;
    }
    struct mach_vreg old = *mach_of(f, v);
    mach_reg name = mach_vreg(f, old.class, old.bytes);
    mach_of(f, name)->hint = old.hint;
    if (old.remat >= 0) {
        struct mach_inst i = again(f, v, name);
        i.loc = loc;
        put(l->s, i);
    } else {
        put(l->s, two(f, MACH_LOAD, name, slot_of(f, v), loc));
    }
    remember(l, v, name, next, now);
    return name;
}

/* How many live in registers by themselves at each point of a block, and when each spilled operand
 * is used next. */
struct point {
    uint16_t before[MACH_CLASSES], after[MACH_CLASSES];
};

static void measure(struct spiller *s, struct loader *l, uint32_t at, struct point *points,
                    uint32_t *next, const uint32_t *first)
{
    struct mach_func *f = s->f;
    const struct mach_block *b = &f->blocks.data[at];
    struct mach_regs r;
    at_end(s, at);
    memcpy(s->peak, s->across, sizeof s->peak);
    for (uint32_t k = b->count; k--;) {
        const struct mach_inst *i = &f->insts.data[b->first + k];
        struct point *p = &points[k];
        memset(p, 0, sizeof *p);
        if (i->op == MACH_NOP)
            continue;
        mach_regs(f, i, &r);
        for (unsigned n = 0; n < r.nresults; n++) {
            struct mach_vreg *v = mach_of(f, *r.result[n]);
            if (!v->spilled && !is_in(s, *r.result[n]))
                p->after[v->class]++;
            if (v->spilled) {
                next[first[k] + r.nuses + n] = l->seen[*r.result[n] - MACH_VIRTUAL];
                l->seen[*r.result[n] - MACH_VIRTUAL] = 0;
            }
        }
        for (unsigned c = 0; c < MACH_CLASSES; c++)
            p->after[c] += (uint16_t)s->count[c];
        for (unsigned n = 0; n < r.nresults; n++)
            take_out(s, (mach_reg)*r.result[n]);
        if (i->op == MACH_FIXED) {
            mach_set set[MACH_CLASSES];
            pins(f, i, set);
            for (unsigned c = 0; c < MACH_CLASSES; c++) {
                unsigned over = s->count[c] + (unsigned)__builtin_popcountll(set[c]);
                if (set[c] && over > p->before[c])
                    p->before[c] = (uint16_t)over;
                if (set[c] && over > p->after[c])
                    p->after[c] = (uint16_t)over;
            }
        }
        unsigned extra[MACH_CLASSES] = {0};
        if (r.tied && (is_in(s, *r.tied) ||
                       (mach_of(f, *r.tied)->spilled && l->seen[*r.tied - MACH_VIRTUAL])))
            extra[mach_of(f, *r.tied)->class]++;
        for (unsigned n = 0; n < r.nuses; n++) {
            mach_reg u = (mach_reg)*r.use[n];
            if (mach_of(f, u)->spilled) {
                next[first[k] + n] = l->seen[u - MACH_VIRTUAL];
                l->seen[u - MACH_VIRTUAL] = k + 1;
            } else {
                insert(s, u);
            }
        }
        for (unsigned c = 0; c < MACH_CLASSES; c++) {
            if (s->count[c] + extra[c] > p->before[c])
                p->before[c] = (uint16_t)(s->count[c] + extra[c]);
            if (s->across[c] > s->peak[c])
                s->peak[c] = s->across[c];
        }
    }
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        for (unsigned n = 0; n < r.nuses; n++)
            l->seen[*r.use[n] - MACH_VIRTUAL] = 0;
    }
}

/* What was loaded for this instruction alone is read from its slot by the instruction itself, where
 * the machine can: loads[n] is the number of the load of use n in the output + 1. */
static struct mach_inst read_slot(struct spiller *s, struct mach_inst i, const struct mach_regs *r,
                                  const uint32_t *loads)
{
    struct mach_func *f = s->f;
    int64_t out[MACH_MAX_OPS];
    unsigned n = 0, op;
    if (!f->target->fold || f->stepped || i.op < MACH_SHARED)
        return i;
    for (unsigned u = r->nuses; u--;) {
        if (!loads[u])
            continue;
        struct mach_inst *load = &s->out.data[loads[u] - 1];
        const unsigned k = (unsigned)(r->use[u] - (f->ops.data + i.ops));
        for (unsigned q = 0; q < r->nuses; q++)
            if (q != u && *r->use[q] == *r->use[u])
                return i;
        if (load->op != MACH_LOAD || !(op = f->target->fold(f, load, &i, k, out, &n)))
            continue;
        load->op = MACH_NOP;
        i.op = (uint16_t)op;
        i.nops = (uint8_t)n;
        i.framed = true;
        i.ops = (uint32_t)f->ops.len;
        for (unsigned q = 0; q < n; q++)
            vec_push(f->arena, &f->ops, out[q]);
        return i;
    }
    return i;
}

static struct mach_inst copy_of(struct mach_func *f, struct mach_inst i)
{
    uint32_t at = (uint32_t)f->ops.len;
    vec_reserve(f->arena, &f->ops, f->ops.len + i.nops);
    memcpy(f->ops.data + at, f->ops.data + i.ops, i.nops * sizeof(int64_t));
    f->ops.len += i.nops;
    i.ops = at;
    return i;
}

static uint32_t later(uint32_t seen)
{
    return seen ? seen - 1 : UINT32_MAX;
}

static void end_block(struct spiller *s, struct mach_block *b, uint32_t start)
{
    /* a parameter in memory has its place before the first jump there */
    vec_each (mach_reg, p, &b->params)
        if (mach_of(s->f, *p)->spilled)
            slot_of(s->f, *p);
    b->first = start;
    b->count = (uint32_t)s->out.len - start;
}

/* A block whose instructions name nothing that was spilled. */
static void pass_on(struct spiller *s, struct mach_block *b)
{
    const uint32_t start = (uint32_t)s->out.len;
    vec_reserve(s->arena, &s->out, start + b->count);
    if (b->count)
        memcpy(s->out.data + start, s->f->insts.data + b->first, b->count * sizeof *s->out.data);
    s->out.len += b->count;
    end_block(s, b, start);
}

/* What is kept across a call shares the registers that calls leave alone with all that lives across
 * one, here or elsewhere in the block. */
static void keep_across(struct loader *l, const struct mach_inst *i, uint32_t now)
{
    const struct spiller *s = l->s;
    mach_set set[MACH_CLASSES];
    pins(s->f, i, set);
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        if (set[c] && (set[c] & s->worst.set[c]) == s->worst.set[c])
            keep_at_most(l, c, (int)s->narrow[c] - (int)s->peak[c], now);
}

/* What is loaded already and the instruction reads stays; room is made for the rest. False: it
 * reads nothing that was spilled. */
static bool note_uses(struct loader *l, const struct mach_regs *r, const uint16_t *before,
                      uint32_t now)
{
    const struct mach_func *f = l->s->f;
    unsigned temps[MACH_CLASSES] = {0};
    bool any = false;
    for (unsigned n = 0; n < r->nuses; n++) {
        const mach_reg u = (mach_reg)*r->use[n];
        const struct mach_vreg *v = mach_of(f, u);
        if (!v->spilled)
            continue;
        any = true;
        const uint32_t c = l->index[u - MACH_VIRTUAL];
        if (c)
            l->at[v->class][c - 1].used = now + 1;
        else
            temps[v->class]++;
    }
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        if (l->count[c])
            keep_at_most(l, c, (int)l->s->room[c] - before[c] - (int)temps[c], now);
    return any;
}

/* The instruction with what it reads in registers, or read from its slot by itself; `next`: when
 * each of its operands is used next. */
static struct mach_inst load_uses(struct loader *l, struct mach_inst i, const uint32_t *next,
                                  uint32_t now)
{
    struct spiller *s = l->s;
    struct mach_func *f = s->f;
    struct mach_regs r;
    mach_reg names[32];
    uint32_t loads[32];
    bool renamed = false;
    mach_regs(f, &i, &r);
    for (unsigned n = 0; n < r.nuses; n++) {
        const mach_reg u = names[n] = (mach_reg)*r.use[n];
        const size_t had = s->out.len;
        loads[n] = 0;
        if (!mach_of(f, u)->spilled)
            continue;
        names[n] = bring(l, u, later(next[n]), now, i.loc);
        mach_regs(f, &i, &r); /* operands may have moved */
        renamed |= names[n] != u;
        if (s->out.len > had && !next[n])
            loads[n] = (uint32_t)s->out.len;
    }
    if (renamed) { /* in a copy: spilling may start again from what was there */
        i = copy_of(f, i);
        mach_regs(f, &i, &r);
        for (unsigned n = 0; n < r.nuses; n++)
            *r.use[n] = names[n];
        i = read_slot(s, i, &r, loads);
    }
    /* what is not used again in this block leaves */
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        for (uint32_t q = l->count[c]; q--;)
            if (l->at[c][q].next == UINT32_MAX)
                forget(l, c, q);
    return i;
}

static void store_results(struct loader *l, struct mach_inst i, const struct point *p,
                          const uint32_t *next)
{
    struct mach_func *f = l->s->f;
    struct mach_regs r;
    unsigned fresh[MACH_CLASSES] = {0};
    mach_regs(f, &i, &r);
    for (unsigned n = 0; n < r.nresults; n++)
        fresh[mach_of(f, *r.result[n])->class] += mach_of(f, *r.result[n])->spilled;
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        keep_at_most(l, c, (int)l->s->room[c] - p->after[c] - (int)fresh[c], UINT32_MAX - 1);
    for (unsigned n = 0; n < r.nresults; n++) {
        const mach_reg v = (mach_reg)*r.result[n];
        if (!mach_of(f, v)->spilled)
            continue;
        put(l->s, two(f, MACH_STORE, v, slot_of(f, v), i.loc));
        mach_regs(f, &i, &r); /* operands may have moved */
        if (next[n])
            remember(l, v, v, later(next[n]), UINT32_MAX - 1);
    }
}

static void rewrite(struct spiller *s, struct loader *l, uint32_t at)
{
    struct mach_func *f = s->f;
    struct mach_block *b = &f->blocks.data[at];
    struct mach_regs r;
    uint32_t total = 0, *first = arena_array(s->arena, uint32_t, b->count + 1);
    bool any = false;
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        first[k] = total;
        total += r.nuses + r.nresults;
        for (unsigned n = 0; n < r.nuses; n++)
            any |= mach_of(f, *r.use[n])->spilled;
        for (unsigned n = 0; n < r.nresults; n++)
            any |= mach_of(f, *r.result[n])->spilled;
    }
    if (!any) {
        pass_on(s, b);
        return;
    }
    struct point *points = arena_array(s->arena, struct point, b->count + 1);
    uint32_t *next = arena_array(s->arena, uint32_t, total + 1);
    measure(s, l, at, points, next, first);
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        while (l->count[c])
            forget(l, c, l->count[c] - 1);

    uint32_t start = (uint32_t)s->out.len;
    for (uint32_t k = 0; k < b->count; k++) {
        struct mach_inst i = f->insts.data[b->first + k];
        if (i.op == MACH_NOP)
            continue;
        mach_regs(f, &i, &r);
        mach_reg result0 = r.nresults ? (mach_reg)*r.result[0] : MACH_NONE;
        if (r.nresults == 1 && i.op != MACH_FIXED && mach_of(f, result0)->spilled &&
            mach_of(f, result0)->remat >= 0)
            continue; /* made where it is used */
        if (i.op == MACH_FIXED)
            keep_across(l, &i, k);
        const bool uses = note_uses(l, &r, points[k].before, k);
        const uint32_t *then = next + first[k], *then_made = then + r.nuses;
        if (uses)
            i = load_uses(l, i, then, k);
        put(s, i);
        if (i.op == MACH_FIXED) /* what it read itself as well */
            keep_across(l, &i, UINT32_MAX - 1);
        for (unsigned c = 0; c < MACH_CLASSES; c++)
            if (l->count[c])
                keep_at_most(l, c, (int)s->room[c] - points[k].after[c], UINT32_MAX - 1);
        mach_regs(f, &i, &r);
        bool makes = false;
        for (unsigned n = 0; n < r.nresults; n++)
            makes |= mach_of(f, *r.result[n])->spilled;
        if (makes)
            store_results(l, i, &points[k], then_made);
    }
    end_block(s, b, start);
}

/* ---- slots ---- */
/* A parameter in memory and what jumps there bring for it, if that is in memory too, share a slot
 * where one is no longer read when the other is written: then nothing is copied. Looked at is what
 * the block that jumps makes itself; `last` is where each register is read there last, + 1. */
static void share_slots(struct spiller *s, uint32_t at, uint32_t *made, uint32_t *last)
{
    struct mach_func *f = s->f;
    const struct mach_block *b = &f->blocks.data[at];
    const struct mach_edge *e = &b->edges[0];
    struct mach_regs r;
    if (b->end != MACH_JUMP || !e->nargs)
        return;
    const struct mach_block *to = &f->blocks.data[e->to];
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        for (unsigned n = 0; n < r.nuses; n++)
            last[*r.use[n] - MACH_VIRTUAL] = k + 1;
        for (unsigned n = 0; n < r.nresults; n++)
            made[*r.result[n] - MACH_VIRTUAL] = k + 1;
    }
    for (uint32_t k = 0; k < e->nargs; k++)
        last[e->args[k] - MACH_VIRTUAL] = UINT32_MAX;
    for (uint32_t k = 0; k < e->nargs; k++) {
        const mach_reg a = e->args[k], p = to->params.data[k];
        const uint32_t ga = s->live.global[a - MACH_VIRTUAL], gp = s->live.global[p - MACH_VIRTUAL];
        struct mach_vreg *va = mach_of(f, a), *vp = mach_of(f, p);
        if (a == p || !va->spilled || !vp->spilled || va->remat >= 0 || va->slot || vp->slot ||
            va->bytes != vp->bytes || !made[a - MACH_VIRTUAL] ||
            last[p - MACH_VIRTUAL] > made[a - MACH_VIRTUAL] ||
            (gp && mach_bit(s->live.out + (size_t)at * s->live.words, gp - 1)) ||
            (ga && mach_bit(s->live.in + (size_t)e->to * s->live.words, ga - 1)))
            continue;
        va->slot = vp->slot = mach_slot_new(f, va->bytes, va->bytes) + 1;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        mach_regs(f, &f->insts.data[b->first + k], &r);
        for (unsigned n = 0; n < r.nuses; n++)
            last[*r.use[n] - MACH_VIRTUAL] = 0;
        for (unsigned n = 0; n < r.nresults; n++)
            made[*r.result[n] - MACH_VIRTUAL] = 0;
    }
    for (uint32_t k = 0; k < e->nargs; k++)
        last[e->args[k] - MACH_VIRTUAL] = 0;
}

/* Where colouring fails, spilling starts again from here, knowing more. */
struct mach_original {
    struct mach_inst *insts;
    size_t ninsts, nvregs;
    /* as they are as long as nothing is spilled */
    struct mach_live live;
    float *weight;
    mach_set *forbidden;
    struct mach_worst worst;
    struct {
        uint32_t first, count;
    } * blocks;
};

static void keep_original(struct mach_func *f)
{
    struct mach_original *o = f->original = arena_new(f->arena, struct mach_original);
    o->insts = f->insts.data;
    o->ninsts = f->insts.len;
    o->nvregs = f->vregs.len;
    o->blocks = arena_alloc_array(f->arena, f->blocks.len, sizeof *o->blocks);
    for (size_t k = 0; k < f->blocks.len; k++) {
        o->blocks[k].first = f->blocks.data[k].first;
        o->blocks[k].count = f->blocks.data[k].count;
    }
}

static void restore_original(struct mach_func *f)
{
    const struct mach_original *o = f->original;
    f->insts.data = o->insts;
    f->insts.len = f->insts.cap = o->ninsts;
    f->vregs.len = o->nvregs;
    for (size_t k = 0; k < f->blocks.len; k++) {
        f->blocks.data[k].first = o->blocks[k].first;
        f->blocks.data[k].count = o->blocks[k].count;
    }
}

/* What is known of the function before anything is spilled: asked once, however often spilling has
 * to start again. */
static void look(struct spiller *s)
{
    struct mach_func *f = s->f;
    struct mach_original *o = f->original;
    if (!o->weight) {
        mach_live(f, &s->live);
        weigh(s);
        s->forbidden = arena_array(f->arena, mach_set, f->vregs.len + 1);
        mach_forbid(f, &s->live, s->forbidden, &s->worst);
        o->live = s->live, o->weight = s->weight, o->forbidden = s->forbidden, o->worst = s->worst;
    }
    s->live = o->live, s->weight = o->weight, s->forbidden = o->forbidden, s->worst = o->worst;
}

void mach_live_rest(struct mach_func *f, struct mach_live *out)
{
    const struct mach_live *l = &f->original->live;
    const size_t words = f->blocks.len * l->words, known = f->original->nvregs;
    uint64_t *stays = arena_array(f->arena, uint64_t, l->words);
    *out = *l;
    out->in = arena_array(f->arena, uint64_t, words);
    out->out = arena_array(f->arena, uint64_t, words);
    out->global = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    for (size_t v = 0; v < known; v++)
        out->global[v] = f->vregs.data[v].spilled ? 0 : l->global[v];
    for (uint32_t g = 0; g < l->nglobal; g++)
        if (!mach_of(f, l->reg[g])->spilled)
            stays[g / 64] |= (uint64_t)1 << (g & 63);
    for (size_t k = 0; k < words; k++) {
        out->in[k] = l->in[k] & stays[k % l->words];
        out->out[k] = l->out[k] & stays[k % l->words];
    }
}

bool mach_is_original(const struct mach_func *f, mach_reg r)
{
    return r - MACH_VIRTUAL < f->original->nvregs;
}

/* Of so many registers, those that stay free because colouring failed before; what the operands of
 * an instruction need is left. */
static unsigned withheld(unsigned room, unsigned tight)
{
    enum { LEAST = 8, LEAST_OF_FEW = 3 };
    const unsigned least = room > LEAST ? LEAST : LEAST_OF_FEW;
    const unsigned most = room > least ? room - least : 0;
    return tight < most ? tight : most;
}

void mach_spill(struct mach_func *f)
{
    struct spiller s = {.f = f, .arena = f->arena};
    mach_graph(f);
    if (!f->original) {
        place_constants(f);
        keep_original(f);
    } else {
        restore_original(f);
    }
    look(&s);
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        s.room[c] = (unsigned)__builtin_popcountll(f->target->classes[c].allocatable);
        s.room[c] -= withheld(s.room[c], f->tight);
        s.list[c] = arena_array(f->arena, mach_reg, f->vregs.len + 1);
    }
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        const unsigned taken = (unsigned)__builtin_popcountll(s.worst.set[c]);
        s.narrow[c] = s.room[c] > taken ? s.room[c] - taken : 0;
    }
    s.place = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    uint8_t deepest = 0;
    vec_each (uint32_t, at, &f->rpo)
        if (f->blocks.data[*at].depth > deepest)
            deepest = f->blocks.data[*at].depth;
    for (int d = deepest; d >= 0; d--)
        vec_each (uint32_t, at, &f->rpo)
            if (f->blocks.data[*at].depth == d)
                decide(&s, *at);
    bool any = false;
    for (size_t v = 0; v < f->vregs.len; v++)
        any |= f->vregs.data[v].spilled;
    if (!any)
        return;
    size_t known = f->vregs.len;
    struct loader l = {.s = &s};
    l.index = arena_array(f->arena, uint32_t, known + 1);
    l.seen = arena_array(f->arena, uint32_t, known + 1);
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        l.at[c] = arena_array(f->arena, struct cached, MACH_CLASS_SIZE + 64);
    for (int d = deepest; d >= 0; d--)
        vec_each (uint32_t, at, &f->rpo)
            if (f->blocks.data[*at].depth == d)
                share_slots(&s, *at, l.index, l.seen);
    vec_reserve(f->arena, &s.out, f->insts.len + f->insts.len / 4);
    vec_each (uint32_t, at, &f->rpo)
        rewrite(&s, &l, *at);
    f->insts.data = s.out.data, f->insts.len = s.out.len, f->insts.cap = s.out.cap;
}
