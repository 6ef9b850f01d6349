/* A register of the machine for each virtual one.
 *
 * Liveness over the graph; what nobody reads is dropped; each register becomes a list of ranges of
 * positions in the code, and gets the lowest registers that are free in all of them, the one it is
 * copied from if that can be. Where none is free, the value that costs least is chosen to live
 * elsewhere, and the kernel is selected again. */
#include <string.h>
#include "back/sass/sass_int.h"

/* FREE: registers that as many threads can have as there can be at once; STEP: in which they are
 * given out. */
enum { FREE = 30, STEP = 8 };

struct range {
    uint32_t from, to; /* positions: instruction k reads at 2k and writes at 2k + 1 */
};

struct ranges {
    VEC(struct range) of;
};

struct alloc {
    struct sass_func *s;
    uint32_t n, words;
    uint64_t *in, *out;    /* by block */
    struct ranges *ranges; /* by register, last first */
    uint32_t *open; /* by register: where its range ends while code is walked backwards; 0: none */
    float *cost;
    VEC(uint32_t) calls; /* positions */
    VEC(uint32_t) begun; /* registers that may be alive still, in order, where some give way */
    uint32_t length, turn;
    unsigned free;                        /* registers that cost nothing more */
    uint64_t *taken[256], *taken_pred[8]; /* positions */
};

typedef void visit_fn(void *ctx, uint32_t reg);

static bool has(const uint64_t *set, uint32_t k)
{
    return set[k / 64] >> (k & 63) & 1;
}

/* Both are part of who walks: each does something small with every register of every instruction.
 */
__attribute__((always_inline)) static inline void each_read(const struct sass_inst *i,
                                                            visit_fn *visit, void *ctx)
{
    uint32_t o = sass_rows[i->op].operands;
    const struct sass_src *src[] = {o & O_A ? &i->a : NULL,
                                    o & (O_B | O_B32 | O_IMPLIED) ? &i->b : NULL,
                                    o & (O_C | O_C64 | O_IMPLIED) ? &i->c : NULL};
    for (unsigned k = 0; k < 3; k++)
        if (src[k] && src[k]->kind == SRC_REG && src[k]->value != SASS_NONE)
            visit(ctx, src[k]->value);
    const struct sass_pred preds[] = {i->guard, i->p, i->q, i->r};
    for (unsigned k = 0; k < 4; k++)
        if (preds[k].reg != SASS_NONE)
            visit(ctx, preds[k].reg);
    if (i->d != SASS_NONE && i->continues)
        visit(ctx, i->d);
}

__attribute__((always_inline)) static inline void each_write(const struct sass_inst *i,
                                                             visit_fn *visit, void *ctx)
{
    if (i->d != SASS_NONE)
        visit(ctx, i->d);
    if (i->pd != SASS_NONE)
        visit(ctx, i->pd);
    if (i->pe != SASS_NONE)
        visit(ctx, i->pe);
}

/* ---- liveness ---- */
struct step {
    uint64_t *live;
    bool any;
};

static void set_live(void *ctx, uint32_t r)
{
    ((struct step *)ctx)->live[r / 64] |= UINT64_C(1) << (r & 63);
}

static void set_dead(void *ctx, uint32_t r)
{
    ((struct step *)ctx)->live[r / 64] &= ~(UINT64_C(1) << (r & 63));
}

static void ask_live(void *ctx, uint32_t r)
{
    struct step *st = ctx;
    st->any |= has(st->live, r);
}

static bool may_drop(const struct sass_inst *i)
{
    unsigned class = sass_rows[i->op].class;
    if (class == CLASS_STORE || class == CLASS_CONTROL || class == CLASS_FENCE ||
        class == CLASS_UNIFORM)
        return false;
    if (sass_is_atomic(i->op) || sass_is_shuffle(i->op) || i->op == OP_CS2R || i->op == OP_B2R)
        return false;
    switch (i->op) {
    case OP_LDG:
    case OP_LD:
    case OP_LDS: return i->mods[MOD_ORDER] == 0 || i->mods[MOD_ORDER] == 4;
    default: return true;
    }
}

/* What only it writes and nobody reads is no instruction. */
static void walk(struct alloc *a, uint32_t id, uint64_t *live, bool drop)
{
    struct sass_block *b = &a->s->blocks.data[id];
    struct step st = {.live = live};
    uint32_t kept = (uint32_t)b->code.len;
    for (uint32_t k = (uint32_t)b->code.len; k-- > 0;) {
        struct sass_inst *i = &b->code.data[k];
        st.any = false;
        each_write(i, ask_live, &st);
        const bool stack = a->s->calls && i->d == a->s->stack; /* those that it calls use it */
        if (!st.any && may_drop(i) && !stack)
            continue;
        if (!i->continues || i->d == SASS_NONE) {
            each_write(i, set_dead, &st);
        } else {
            uint32_t d = i->d;
            i->d = SASS_NONE;
            each_write(i, set_dead, &st);
            i->d = d;
        }
        each_read(i, set_live, &st);
        if (drop && --kept != k)
            b->code.data[kept] = *i;
    }
    if (drop && kept) {
        memmove(b->code.data, b->code.data + kept, (b->code.len - kept) * sizeof *b->code.data);
        b->code.len -= kept;
    }
}

static void liveness(struct alloc *a)
{
    struct sass_func *s = a->s;
    uint32_t nblocks = (uint32_t)s->blocks.len;
    a->words = a->n / 64 + 1;
    a->in = arena_array(s->arena, uint64_t, (size_t)nblocks * a->words);
    a->out = arena_array(s->arena, uint64_t, (size_t)nblocks * a->words);
    uint64_t *live = arena_array(s->arena, uint64_t, a->words);
    bool *walked = arena_array(s->arena, bool, nblocks + 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = (uint32_t)s->order.len; k-- > 0;) {
            uint32_t id = s->order.data[k];
            struct sass_block *b = &s->blocks.data[id];
            uint64_t *out = a->out + (size_t)id * a->words, *in = a->in + (size_t)id * a->words;
            uint64_t more = 0;
            for (uint32_t e = 0; e < b->nto; e++) {
                const uint64_t *next = a->in + (size_t)b->to[e] * a->words;
                for (uint32_t w = 0; w < a->words; w++) {
                    more |= next[w] & ~out[w];
                    out[w] |= next[w];
                }
            }
            if (walked[id] && !more)
                continue;
            walked[id] = true;
            memcpy(live, out, a->words * sizeof *live);
            walk(a, id, live, false);
            if (memcmp(live, in, a->words * sizeof *live)) {
                memcpy(in, live, a->words * sizeof *live);
                again = true;
            }
        }
    }
    for (uint32_t k = 0; k < s->order.len; k++) {
        uint32_t id = s->order.data[k];
        memcpy(live, a->out + (size_t)id * a->words, a->words * sizeof *live);
        walk(a, id, live, true);
    }
}

/* ---- ranges ---- */
struct ranging {
    struct alloc *a;
    uint32_t at;
    float weight;
};

static void close_range(struct alloc *a, uint32_t r, uint32_t from)
{
    struct range x = {from, a->open[r]};
    a->open[r] = 0;
    if (a->ranges[r].of.len && vec_last(&a->ranges[r].of).from <= x.to) {
        if (x.from < vec_last(&a->ranges[r].of).from)
            vec_last(&a->ranges[r].of).from = x.from;
        return;
    }
    vec_push(a->s->arena, &a->ranges[r].of, x);
}

static void range_write(void *ctx, uint32_t r)
{
    struct ranging *g = ctx;
    if (!g->a->open[r])
        g->a->open[r] = g->at + 2; /* read by nobody, yet written */
    close_range(g->a, r, g->at + 1);
    g->a->cost[r] += g->weight;
}

static void range_keep(void *ctx, uint32_t r) /* written in part: alive before */
{
    struct ranging *g = ctx;
    if (!g->a->open[r])
        g->a->open[r] = g->at + 2;
    g->a->cost[r] += g->weight;
}

static void range_read(void *ctx, uint32_t r)
{
    struct ranging *g = ctx;
    if (!g->a->open[r])
        g->a->open[r] = g->at + 1;
    g->a->cost[r] += g->weight;
}

void sass_depths(struct sass_func *s)
{
    uint32_t *place = arena_array(s->arena, uint32_t, s->blocks.len);
    for (uint32_t k = 0; k < s->order.len; k++)
        place[s->order.data[k]] = k;
    for (uint32_t k = 0; k < s->order.len; k++)
        s->blocks.data[s->order.data[k]].depth = 0;
    for (uint32_t k = 0; k < s->order.len; k++) {
        struct sass_block *b = &s->blocks.data[s->order.data[k]];
        for (uint32_t e = 0; !b->aside && e < b->nto; e++)
            for (uint32_t j = place[b->to[e]]; j <= k && place[b->to[e]] <= k; j++)
                s->blocks.data[s->order.data[j]].depth++;
    }
}

static void find_ranges(struct alloc *a)
{
    static const float weights[] = {1, 8, 64, 512};
    struct sass_func *s = a->s;
    uint32_t at = 2;
    sass_depths(s);
    for (uint32_t k = 0; k < s->order.len; k++)
        at += 2 * (uint32_t)s->blocks.data[s->order.data[k]].code.len + 2;
    a->length = at + 2;
    for (uint32_t k = (uint32_t)s->order.len; k-- > 0;) {
        uint32_t id = s->order.data[k];
        struct sass_block *b = &s->blocks.data[id];
        const uint64_t *out = a->out + (size_t)id * a->words;
        uint32_t end = at;
        at -= 2 * (uint32_t)b->code.len + 2;
        for (uint32_t w = 0; w < a->words; w++)
            for (uint64_t bits = out[w]; bits; bits &= bits - 1)
                a->open[w * 64 + (uint32_t)__builtin_ctzll(bits)] = end;
        for (uint32_t j = (uint32_t)b->code.len; j-- > 0;) {
            struct sass_inst *i = &b->code.data[j];
            if (i->op == OP_CALL)
                vec_push(s->arena, &a->calls, at + 2 * j);
            struct ranging g = {a, at + 2 * j, weights[b->depth < 3 ? b->depth : 3]};
            if (i->continues && i->d != SASS_NONE) {
                uint32_t d = i->d;
                range_keep(&g, d);
                i->d = SASS_NONE;
                each_write(i, range_write, &g);
                i->d = d;
            } else {
                each_write(i, range_write, &g);
            }
            each_read(i, range_read, &g);
        }
        const uint64_t *in = a->in + (size_t)id * a->words; /* all that is open here */
        for (uint32_t w = 0; w < a->words; w++)
            for (uint64_t bits = in[w]; bits; bits &= bits - 1)
                if (a->open[w * 64 + (uint32_t)__builtin_ctzll(bits)])
                    close_range(a, w * 64 + (uint32_t)__builtin_ctzll(bits), at);
    }
}

/* ---- colours ---- */
/* Its positions in one of the words that it is in. */
static uint64_t mask_in(struct range x, uint32_t word, uint32_t first, uint32_t last)
{
    uint64_t mask = UINT64_MAX;
    if (word == first)
        mask &= UINT64_MAX << (x.from & 63);
    if (word == last && (x.to & 63))
        mask &= UINT64_MAX >> (64 - (x.to & 63));
    return mask;
}

static bool range_taken(const uint64_t *set, struct range x)
{
    const uint32_t first = x.from / 64, last = (x.to - 1) / 64;
    for (uint32_t w = first; w <= last; w++)
        if (set[w] & mask_in(x, w, first, last))
            return true;
    return false;
}

static void range_take(uint64_t *set, struct range x)
{
    const uint32_t first = x.from / 64, last = (x.to - 1) / 64;
    for (uint32_t w = first; w <= last && x.from < x.to; w++)
        set[w] |= mask_in(x, w, first, last);
}

static bool fits_all(struct alloc *a, uint32_t r, unsigned color)
{
    const unsigned size = a->s->regs.data[r].size;
    for (unsigned k = 0; k < (size ? size : 1); k++) {
        const uint64_t *set = size ? a->taken[color + k] : a->taken_pred[color];
        vec_each (struct range, x, &a->ranges[r].of)
            if (range_taken(set, *x))
                return false;
    }
    return true;
}

/* Most that are taken are so where it begins. */
static inline bool fits(struct alloc *a, uint32_t r, unsigned color)
{
    const uint64_t *set = a->s->regs.data[r].size ? a->taken[color] : a->taken_pred[color];
    return !has(set, vec_last(&a->ranges[r].of).from) && fits_all(a, r, color);
}

static void take(struct alloc *a, uint32_t r, unsigned color)
{
    unsigned size = a->s->regs.data[r].size;
    a->s->regs.data[r].color = (uint8_t)color;
    if (size && color + size > a->s->registers)
        a->s->registers = color + size;
    for (unsigned k = 0; k < (size ? size : 1); k++)
        vec_each (struct range, x, &a->ranges[r].of)
            range_take(size ? a->taken[color + k] : a->taken_pred[color], *x);
}

/* Long ones would leave holes that pairs and quads do not fit in. */
static bool is_brief(const struct ranges *r)
{
    enum { BRIEF = 120 };
    return r->of.len == 1 && r->of.data[0].to - r->of.data[0].from < BRIEF;
}

static bool color_one(struct alloc *a, uint32_t r, unsigned limit, const bool *colored)
{
    struct sass_reg *g = &a->s->regs.data[r];
    unsigned size = g->size, most = size ? limit : PT, step = size ? size : 1;
    if (g->hint != SASS_NONE && colored[g->hint]) {
        struct sass_reg *h = &a->s->regs.data[g->hint];
        if ((h->size > 0) == (size > 0) && h->color % step == 0 && h->color + step <= most &&
            fits(a, r, h->color)) {
            take(a, r, h->color);
            return true;
        }
    }
    /* by turns among those that are free: what comes next need not wait for what reads these */
    const unsigned free = !is_brief(&a->ranges[r]) ? 0 : most < a->free ? most : a->free;
    for (unsigned k = 0; size && k + step <= free; k += step) {
        unsigned c = (a->turn / step * step + k) % (free / step * step);
        if (fits(a, r, c)) {
            take(a, r, c);
            a->turn = c + step;
            return true;
        }
    }
    for (unsigned c = 0; c + step <= most; c += step)
        if (fits(a, r, c)) {
            take(a, r, c);
            return true;
        }
    return false;
}

static void drop_ended(struct alloc *a, uint32_t at)
{
    size_t kept = 0;
    for (size_t k = 0; k < a->begun.len; k++)
        if (a->ranges[a->begun.data[k]].of.data[0].to > at)
            a->begun.data[kept++] = a->begun.data[k];
    a->begun.len = kept;
}

/* Which value gives way to r: alive where r begins, in the registers of its kind, and cheap for how
 * long it lives. */
static uint32_t victim(struct alloc *a, uint32_t r, const struct sass_places *places)
{
    bool pred = !a->s->regs.data[r].size;
    uint32_t at = vec_last(&a->ranges[r].of).from, best = SASS_NONE;
    float least = 0;
    drop_ended(a, at);
    vec_each (uint32_t, begun, &a->begun) {
        const uint32_t k = *begun;
        struct sass_reg *g = &a->s->regs.data[k];
        if (g->value == SASS_NONE || (g->size == 0) != pred ||
            (pred ? places->demoted : places->spilled)[g->value])
            continue;
        bool there = false;
        uint32_t length = 0;
        vec_each (struct range, x, &a->ranges[k].of) {
            there |= x->from <= at && at < x->to;
            length += x->to - x->from;
        }
        if (!there || length < 8)
            continue;
        float cost = a->cost[k] / (float)length;
        if (best == SASS_NONE || cost < least) {
            best = k;
            least = cost;
        }
    }
    return best;
}

struct by_start {
    uint32_t reg, from;
};

/* Those of a lower number first where they begin together, which v has in that order. */
static void sort(struct alloc *a, struct by_start *v, uint32_t n)
{
    uint32_t *at = arena_array(a->s->arena, uint32_t, a->length + 1);
    struct by_start *sorted = arena_array(a->s->arena, struct by_start, n + 1);
    for (uint32_t k = 0; k < n; k++)
        at[v[k].from + 1]++;
    for (uint32_t p = 0; p < a->length; p++)
        at[p + 1] += at[p];
    for (uint32_t k = 0; k < n; k++)
        sorted[at[v[k].from]++] = v[k];
    memcpy(v, sorted, n * sizeof *v);
}

static void forget_colors(struct alloc *a, unsigned limit)
{
    a->turn = 0;
    a->s->registers = 0;
    for (unsigned k = 0; k < limit + 3 && k < 256; k++)
        memset(a->taken[k], 0, (a->length / 64 + 2) * sizeof *a->taken[k]);
    for (unsigned k = 0; k < 8; k++)
        memset(a->taken_pred[k], 0, (a->length / 64 + 2) * sizeof *a->taken_pred[k]);
}

/* What calls do not keep is taken where they are, and so is what has its colour already. */
static bool keeps(unsigned color)
{
    return color == 1 || (color >= 16 && color != 20 && color != 21);
}

static void color_fixed(struct alloc *a, unsigned limit)
{
    for (uint32_t r = 0; r < a->n && (a->s->calls || a->s->collective); r++)
        if (a->s->regs.data[r].fixed && a->ranges[r].of.len)
            take(a, r, a->s->regs.data[r].color);
    if (!a->s->calls)
        return;
    vec_each (uint32_t, at, &a->calls)
        for (unsigned c = 0; c < limit || c < PT; c++) {
            const struct range x = {*at + 1, *at + 2};
            if (c < limit && !keeps(c))
                range_take(a->taken[c], x);
            if (c < PT)
                range_take(a->taken_pred[c], x);
        }
    range_take(a->taken[1], (struct range){0, a->length});
}

/* Gives whether all found one; the first that did not, in `stuck`. */
static bool color_each(struct alloc *a, const struct by_start *order, uint32_t m, unsigned limit,
                       uint32_t *stuck)
{
    bool *colored = arena_array(a->s->arena, bool, a->n + 1);
    forget_colors(a, limit);
    color_fixed(a, limit);
    for (uint32_t k = 0; k < m; k++) {
        if (!a->s->regs.data[order[k].reg].fixed && !color_one(a, order[k].reg, limit, colored)) {
            *stuck = order[k].reg;
            return false;
        }
        colored[order[k].reg] = true;
    }
    return true;
}

static void range_leave(uint64_t *set, struct range x)
{
    const uint32_t first = x.from / 64, last = (x.to - 1) / 64;
    for (uint32_t w = first; w <= last && x.from < x.to; w++)
        set[w] &= ~mask_in(x, w, first, last);
}

static void leave(struct alloc *a, uint32_t r)
{
    const struct sass_reg *g = &a->s->regs.data[r];
    for (unsigned k = 0; k < (g->size ? g->size : 1u); k++)
        vec_each (struct range, x, &a->ranges[r].of)
            range_leave(g->size ? a->taken[g->color + k] : a->taken_pred[g->color], *x);
}

/* What gives way leaves its registers at once, so that a round finds nearly all that have to. */
static bool give_way(struct alloc *a, const struct by_start *order, uint32_t m, unsigned limit,
                     struct sass_places *places)
{
    struct sass_func *s = a->s;
    bool *colored = arena_array(s->arena, bool, a->n + 1);
    uint32_t given = 0;
    forget_colors(a, limit);
    color_fixed(a, limit);
    for (uint32_t k = 0; k < m; k++) {
        const uint32_t r = order[k].reg;
        vec_push(s->arena, &a->begun, r);
        while (!s->regs.data[r].fixed && !color_one(a, r, limit, colored)) {
            const uint32_t v = victim(a, r, places);
            if (v == SASS_NONE && given)
                return false; /* what has given way may do */
            if (v == SASS_NONE) {
                if (s->grouped) /* it is tried again without */
                    s->failed = true;
                else
                    sass_refuse(s, "it needs too many registers at once");
                return false;
            }
            (s->regs.data[v].size ? places->spilled : places->demoted)[s->regs.data[v].value] = 1;
            given++;
            if (v == r)
                break;
            if (colored[v])
                leave(a, v);
        }
        colored[r] = true;
    }
    return false;
}

/* First as few as do; then by turns among as many. */
static bool color_all(struct alloc *a, unsigned limit, struct sass_places *places)
{
    struct sass_func *s = a->s;
    struct by_start *order = arena_array(s->arena, struct by_start, a->n + 1);
    uint32_t m = 0, stuck = 0;
    for (unsigned k = 0; k < limit + 3 && k < 256; k++)
        a->taken[k] = arena_array(s->arena, uint64_t, a->length / 64 + 2);
    for (unsigned k = 0; k < 8; k++)
        a->taken_pred[k] = arena_array(s->arena, uint64_t, a->length / 64 + 2);
    for (uint32_t r = 0; r < a->n; r++)
        if (a->ranges[r].of.len)
            order[m++] = (struct by_start){r, vec_last(&a->ranges[r].of).from};
    sort(a, order, m);
    a->free = 0;
    if (color_each(a, order, m, limit, &stuck)) {
        const unsigned least = s->registers;
        a->free = least <= FREE ? FREE : (least + 2 + STEP - 1) / STEP * STEP - 2;
        if (a->free > limit)
            a->free = limit;
        if (color_each(a, order, m, limit, &stuck) && s->registers <= a->free)
            return true;
        a->free = 0;
        return color_each(a, order, m, limit, &stuck);
    }
    return give_way(a, order, m, limit, places);
}

/* ---- rewriting ---- */
static void name_src(struct sass_func *s, struct sass_src *x)
{
    if (x->kind == SRC_REG && x->value != SASS_NONE)
        x->value = s->regs.data[x->value].color;
}

static void name_reg(struct sass_func *s, uint32_t *r)
{
    if (*r != SASS_NONE)
        *r = s->regs.data[*r].color;
}

static bool is_nothing(const struct sass_inst *i)
{
    return i->op == OP_MOV && i->b.kind == SRC_REG && i->b.value != SASS_NONE &&
           i->d + i->d_part == i->b.value + i->b.part;
}

static void rename_all(struct sass_func *s)
{
    for (uint32_t k = 0; k < s->order.len; k++) {
        struct sass_block *b = &s->blocks.data[s->order.data[k]];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < b->code.len; j++) {
            struct sass_inst *i = &b->code.data[j];
            name_src(s, &i->a);
            name_src(s, &i->b);
            name_src(s, &i->c);
            name_reg(s, &i->d);
            name_reg(s, &i->pd);
            name_reg(s, &i->pe);
            name_reg(s, &i->guard.reg);
            name_reg(s, &i->p.reg);
            name_reg(s, &i->q.reg);
            name_reg(s, &i->r.reg);
            if (is_nothing(i))
                continue;
            if (kept != j)
                b->code.data[kept] = *i;
            kept++;
        }
        b->code.len = kept;
    }
}

const uint64_t *sass_live_out(struct sass_func *s, uint32_t *words)
{
    struct alloc a = {.s = s, .n = (uint32_t)s->regs.len};
    liveness(&a);
    *words = a.words;
    s->live_in = a.in; /* it stays true while instructions stay in their blocks */
    s->live_out = a.out;
    return a.out;
}

bool sass_alloc(struct sass_func *s, unsigned limit, struct sass_places *places)
{
    struct alloc a = {.s = s, .n = (uint32_t)s->regs.len, .in = s->live_in, .out = s->live_out};
    a.words = a.n / 64 + 1;
    if (!a.out)
        liveness(&a);
    a.ranges = (void *)arena_alloc_array(s->arena, a.n + 1, sizeof *a.ranges);
    a.open = arena_array(s->arena, uint32_t, a.words * 64 + 1);
    a.cost = arena_array(s->arena, float, a.n + 1);
    find_ranges(&a);
    if (!color_all(&a, limit, places))
        return false;
    rename_all(s);
    return true;
}
