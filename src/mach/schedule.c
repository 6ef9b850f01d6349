/* The order of instructions in a block.
 *
 * Processors that reorder by themselves gain little from latencies in the order of code; what costs
 * is registers that go to memory because too much lives at once. Selection writes all chunks of a
 * vector before it goes on: four values live where one after the other would do. So where more
 * lives than there are registers, a stretch of instructions is put together anew, from its end
 * backwards. Of the nodes whose results nobody above still waits for, the latest comes next as long
 * as registers last, which keeps apart what depends on each other; when they are all taken, the one
 * that leaves the fewest alive above it. The new order is taken if it is the better one.
 *
 * Stretches end at calls and what else stays where it is. What tests flags stays behind what set
 * them: both are one node. Stores, and what is not plain, keep their order among all accesses. Only
 * the last LOOK nodes that could come next are looked at, so that time is linear. */
#include <string.h>
#include "mach/mach.h"

enum { LOOK = 48, SPARE = 1, NEAR = 1 };

struct node {
    uint32_t first, count; /* instructions, from the start of the stretch on */
    uint32_t before;       /* of the list of nodes that come before it: where it begins */
    uint32_t names;        /* of the registers that it names: where they begin */
    uint32_t waits;        /* nodes behind it that are not placed yet */
};

struct named {
    uint32_t reg; /* number - MACH_VIRTUAL */
    uint8_t class;
    bool made; /* by the node; else it is read */
};

struct scheduler {
    struct mach_func *f;
    struct mach_live live;
    unsigned room[MACH_CLASSES];
    bool *alive; /* by register */
    uint32_t count[MACH_CLASSES];
    uint32_t *maker; /* by register: number of the node that makes it in this stretch + 1 */
    struct node *nodes;
    uint32_t nnodes;
    VEC(uint32_t) edges;
    VEC(struct named) names;
    int near[MACH_CLASSES]; /* 1: as good as full */
    VEC(mach_reg) changed;  /* registers whose `alive` a trial turned */
    uint32_t *ready, nready, *order, *loads;
    struct mach_inst *out;
};

static bool counts(const struct scheduler *s, int64_t r)
{
    return mach_of(s->f, r)->remat < 0;
}

static void turn(struct scheduler *s, int64_t r, bool on)
{
    bool *a = &s->alive[r - MACH_VIRTUAL];
    if (*a == on || !counts(s, r))
        return;
    *a = on;
    s->count[mach_of(s->f, r)->class] += on ? 1 : -1u;
    vec_push(s->f->arena, &s->changed, (mach_reg)r);
}

/* Backwards over one instruction; how many registers there are too few. */
static uint64_t step(struct scheduler *s, const struct mach_inst *i)
{
    struct mach_regs r;
    uint64_t over = 0;
    mach_regs(s->f, i, &r);
    for (unsigned k = 0; k < r.nresults; k++)
        turn(s, *r.result[k], false);
    for (unsigned k = 0; k < r.nuses; k++)
        turn(s, *r.use[k], true);
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        over += s->count[c] > s->room[c] ? s->count[c] - s->room[c] : 0;
    return over;
}

static void undo(struct scheduler *s)
{
    while (s->changed.len) {
        mach_reg r = s->changed.data[--s->changed.len];
        bool *a = &s->alive[r - MACH_VIRTUAL];
        *a = !*a;
        s->count[mach_of(s->f, r)->class] += *a ? 1 : -1u;
    }
}

/* ---- what comes before what ---- */
static void add_edge(struct scheduler *s, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    vec_push(s->f->arena, &s->edges, from);
    s->nodes[from].waits++;
}

static void add_name(struct scheduler *s, int64_t r, bool made)
{
    if (!counts(s, r))
        return;
    struct named n = {(uint32_t)(r - MACH_VIRTUAL), mach_of(s->f, r)->class, made};
    vec_push(s->f->arena, &s->names, n);
}

/* Nodes of the stretch, and which of them come before which. */
static void build(struct scheduler *s, const struct mach_inst *insts, uint32_t n)
{
    struct mach_func *f = s->f;
    uint32_t last = UINT32_MAX, nloads = 0; /* the last store; loads since then */
    struct mach_regs r;
    s->nnodes = 0;
    s->edges.len = s->names.len = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct mach_inst *i = &insts[k];
        const unsigned flags = mach_flags(f, i);
        if (i->op == MACH_NOP)
            continue;
        if (!(flags & MACH_TESTS && s->nnodes))
            s->nodes[s->nnodes++] = (struct node){
                .first = k, .before = (uint32_t)s->edges.len, .names = (uint32_t)s->names.len};
        const uint32_t at = s->nnodes - 1;
        s->nodes[at].count = k + 1 - s->nodes[at].first;
        mach_regs(f, i, &r);
        for (unsigned q = 0; q < r.nuses; q++) {
            add_name(s, *r.use[q], false);
            if (s->maker[*r.use[q] - MACH_VIRTUAL])
                add_edge(s, s->maker[*r.use[q] - MACH_VIRTUAL] - 1, at);
        }
        for (unsigned q = 0; q < r.nresults; q++) {
            add_name(s, *r.result[q], true);
            s->maker[*r.result[q] - MACH_VIRTUAL] = at + 1;
        }
        if (!(flags & (MACH_LOADS | MACH_STORES | MACH_EFFECT)))
            continue;
        if (last != UINT32_MAX)
            add_edge(s, last, at);
        if (!(flags & (MACH_STORES | MACH_EFFECT)) && i->plain) {
            s->loads[nloads++] = at;
            continue;
        }
        for (uint32_t q = 0; q < nloads; q++)
            add_edge(s, s->loads[q], at);
        nloads = 0;
        last = at;
    }
    s->nodes[s->nnodes] =
        (struct node){.before = (uint32_t)s->edges.len, .names = (uint32_t)s->names.len};
}

static void forget(struct scheduler *s, const struct mach_inst *insts, uint32_t n)
{
    struct mach_regs r;
    for (uint32_t k = 0; k < n; k++) {
        mach_regs(s->f, &insts[k], &r);
        for (unsigned q = 0; q < r.nresults; q++)
            s->maker[*r.result[q] - MACH_VIRTUAL] = 0;
    }
}

/* ---- choosing ---- */
/* What the node adds to what lives above it, of classes that are full. */
static int cost(const struct scheduler *s, const struct node *n)
{
    int sum = 0;
    for (uint32_t k = n->names; k < n[1].names; k++) {
        const struct named *x = &s->names.data[k];
        if (s->alive[x->reg] == x->made)
            sum += x->made ? -s->near[x->class] : s->near[x->class];
    }
    return sum;
}

static bool any_is_near(struct scheduler *s)
{
    bool any = false;
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        s->near[c] = s->room[c] && s->count[c] + NEAR >= s->room[c];
        any |= s->near[c];
    }
    return any;
}

static uint32_t choose(struct scheduler *s)
{
    uint32_t best = s->nready - 1;
    const bool near = any_is_near(s); /* else none costs anything */
    int least = 0;
    for (uint32_t k = s->nready; k-- && k + LOOK >= s->nready;) {
        int c = near ? cost(s, &s->nodes[s->ready[k]]) : 0;
        if (k + 1 == s->nready || c < least || (c == least && s->ready[k] > s->ready[best]))
            best = k, least = c;
    }
    uint32_t node = s->ready[best];
    memmove(s->ready + best, s->ready + best + 1, (--s->nready - best) * sizeof *s->ready);
    return node;
}

/* Fills order[] from its end; gives how many registers there are too few over all of it. */
static uint64_t place(struct scheduler *s, const struct mach_inst *insts)
{
    uint64_t over = 0;
    s->nready = 0;
    for (uint32_t k = 0; k < s->nnodes; k++)
        if (!s->nodes[k].waits)
            s->ready[s->nready++] = k;
    for (uint32_t at = s->nnodes; at--;) {
        const uint32_t k = s->order[at] = choose(s);
        const struct node *n = &s->nodes[k];
        for (uint32_t q = n->count; q--;)
            over += step(s, &insts[n->first + q]);
        for (uint32_t e = n->before; e < s->nodes[k + 1].before; e++)
            if (!--s->nodes[s->edges.data[e]].waits)
                s->ready[s->nready++] = s->edges.data[e];
    }
    return over;
}

/* A stretch whose registers at the end are those alive now; then those at its beginning are. */
static void stretch(struct scheduler *s, struct mach_inst *insts, uint32_t n)
{
    uint64_t had = 0;
    s->changed.len = 0;
    for (uint32_t k = n; k--;)
        if (insts[k].op != MACH_NOP)
            had += step(s, &insts[k]);
    if (!had || n < 3)
        return;
    undo(s);
    build(s, insts, n);
    forget(s, insts, n);
    if (place(s, insts) >= had)
        return;
    uint32_t at = n;
    for (uint32_t k = s->nnodes; k--;) {
        const struct node *x = &s->nodes[s->order[k]];
        at -= x->count;
        memcpy(s->out + at, insts + x->first, x->count * sizeof *insts);
    }
    for (uint32_t k = 0; k < at; k++)
        s->out[k] = (struct mach_inst){.op = MACH_NOP};
    memcpy(insts, s->out, n * sizeof *insts);
}

static bool names_machine(const struct mach_func *f, const struct mach_inst *i)
{
    if (i->op < MACH_SHARED)
        return false;
    const struct mach_row *r = &f->target->rows[i->op - MACH_SHARED];
    for (unsigned k = 0; k < i->nops; k++)
        if (f->target->kinds[r->kind[k]].role == MACH_REG && f->ops.data[i->ops + k] >= 0 &&
            !mach_is_virtual(f->ops.data[i->ops + k]))
            return true;
    return false;
}

static bool stays(const struct mach_func *f, const struct mach_inst *i)
{
    return i->op == MACH_FIXED || mach_flags(f, i) & (MACH_ORDERED | MACH_BRANCHES) ||
           names_machine(f, i);
}

static void schedule_block(struct scheduler *s, uint32_t at)
{
    struct mach_func *f = s->f;
    const struct mach_block *b = &f->blocks.data[at];
    const uint64_t *out = s->live.out + (size_t)at * s->live.words;
    memset(s->count, 0, sizeof s->count);
    for (uint32_t w = 0; w < s->live.words; w++)
        for (uint64_t bits = out[w]; bits; bits &= bits - 1)
            turn(s, s->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)], true);
    for (unsigned e = 0; e < b->nedges; e++)
        for (uint32_t k = 0; k < b->edges[e].nargs; k++)
            turn(s, b->edges[e].args[k], true);
    uint32_t end = b->count;
    for (uint32_t k = b->count; k--;) {
        const struct mach_inst *i = &f->insts.data[b->first + k];
        if (!stays(f, i))
            continue;
        stretch(s, f->insts.data + b->first + k + 1, end - k - 1);
        step(s, i);
        /* the comparison that a branch tests stays with it */
        while (k && mach_flags(f, &f->insts.data[b->first + k]) & MACH_TESTS)
            step(s, &f->insts.data[b->first + --k]);
        end = k;
    }
    stretch(s, f->insts.data + b->first, end);
    const uint64_t *in = s->live.in + (size_t)at * s->live.words;
    for (uint32_t w = 0; w < s->live.words; w++)
        for (uint64_t bits = in[w]; bits; bits &= bits - 1)
            turn(s, s->live.reg[w * 64 + (uint32_t)__builtin_ctzll(bits)], false);
    vec_each (mach_reg, p, &b->params)
        turn(s, *p, false);
}

void mach_schedule(struct mach_func *f, const struct mach_live *l)
{
    struct scheduler s = {.f = f, .live = *l};
    uint32_t most = 0;
    vec_each (uint32_t, at, &f->rpo)
        most = f->blocks.data[*at].count > most ? f->blocks.data[*at].count : most;
    for (unsigned c = 0; c < MACH_CLASSES; c++) {
        s.room[c] = (unsigned)__builtin_popcountll(f->target->classes[c].allocatable);
        s.room[c] -= s.room[c] > SPARE ? SPARE : 0;
    }
    s.alive = arena_array(f->arena, bool, f->vregs.len + 1);
    s.maker = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    s.nodes = arena_array(f->arena, struct node, most + 1);
    s.ready = arena_array(f->arena, uint32_t, most + 1);
    s.order = arena_array(f->arena, uint32_t, most + 1);
    s.loads = arena_array(f->arena, uint32_t, most + 1);
    s.out = arena_array(f->arena, struct mach_inst, most + 1);
    vec_each (uint32_t, at, &f->rpo)
        schedule_block(&s, *at);
}
