/* Finds what threads of a warp tell each other by memory with no barrier between, and marks it
 * (IR_STEP): such code relies on the steps of a warp. Marked accesses stay where they are and as
 * they are; back ends whose threads do not go in step by themselves keep those of a warp together
 * there.
 *
 * Two accesses exchange if one of them writes, a path leads from one to the other without a
 * barrier, and a thread may touch what another one touches. That they do not is what has to be
 * shown: their addresses, as sums of multiples of values, are the same for each thread, or less
 * apart than a thread's piece, or further than a warp reaches; or a condition around both keeps
 * readers and writers apart, as in if (t < k) s[t] += s[t + k].
 *
 * In shared memory everything counts. In other memory, where most pointers cannot be told apart,
 * only what is read after it was written, through the same pointer, by a neighbour at a known
 * distance. */
#include "opt/opt_int.h"

enum { MOST_TERMS = 6, MOST_DEPTH = 24, WARP = 32, MOST_ACCESSES = 1024 };

struct form { /* root + constant + the sum of times * value */
    struct ir_value *root;
    int64_t constant;
    unsigned n;
    struct term {
        struct ir_value *value;
        int64_t times;
    } term[MOST_TERMS];
    int64_t wild; /* and any multiple of this: values of another iteration of a loop */
    bool lost;    /* more terms than there is room for */
};

struct access {
    struct ir_inst *inst;
    struct form at;
    bool writes, reads, shared;
};

struct finder {
    struct arena *a;
    struct ir_func *f;
    bool *varies;  /* by value id: with the thread */
    bool *changes; /* with the iteration of a loop */
    VEC(struct access) all;
    uint64_t **open[2]; /* by block id: accesses that reach its start with no barrier after them; in
                           the same iteration of all loops, in another one of some */
    size_t words;
};

/* ---- sums ---- */

static bool same_value(const struct ir_value *x, const struct ir_value *y)
{
    return x == y || (x->kind == IR_VALUE_RESULT && y->kind == IR_VALUE_RESULT &&
                      x->u.inst->op == IR_OP_sreg && y->u.inst->op == IR_OP_sreg &&
                      x->u.inst->imm == y->u.inst->imm);
}

static void add_term(struct form *s, struct ir_value *v, int64_t times)
{
    unsigned k = 0;
    while (k < s->n && !same_value(s->term[k].value, v))
        k++;
    if (k == MOST_TERMS) {
        s->lost = true;
        return;
    }
    if (k == s->n)
        s->term[s->n++] = (struct term){v, 0};
    s->term[k].times += times;
    if (!s->term[k].times)
        s->term[k] = s->term[--s->n];
}

static int64_t constant_of(const struct ir_value *v)
{
    const unsigned unused = 64 - ir_bits(v->type);
    return (int64_t)(v->u.bits << unused) >> unused;
}

static void add_value(struct form *s, struct ir_value *v, int64_t times, unsigned depth)
{
    v = opt_resolve(v);
    struct ir_inst *i = opt_def(v);
    if (v->kind == IR_VALUE_CONST) {
        s->constant += times * constant_of(v);
        return;
    }
    if (i && depth < MOST_DEPTH) {
        switch (i->op) {
        case IR_OP_ptradd:
        case IR_OP_add:
            add_value(s, i->args[0], times, depth + 1);
            add_value(s, i->args[1], times, depth + 1);
            return;
        case IR_OP_sub:
            add_value(s, i->args[0], times, depth + 1);
            add_value(s, i->args[1], -times, depth + 1);
            return;
        case IR_OP_cvta: /* indices that wrap are not what anybody counts on */
        case IR_OP_sext:
        case IR_OP_zext:
        case IR_OP_trunc: add_value(s, i->args[0], times, depth + 1); return;
        case IR_OP_mul:
            if (ir_is_const(i->args[1])) {
                add_value(s, i->args[0], times * constant_of(i->args[1]), depth + 1);
                return;
            }
            break;
        case IR_OP_shl:
            if (ir_is_const(i->args[1]) && i->args[1]->u.bits < 32) {
                add_value(s, i->args[0], times * ((int64_t)1 << i->args[1]->u.bits), depth + 1);
                return;
            }
            break;
        default: break;
        }
    }
    if (ir_kind(v->type) == IR_PTR && times == 1 && !s->root)
        s->root = v;
    else
        add_term(s, v, times);
}

static struct form form_of(struct ir_value *v)
{
    struct form s = {0};
    add_value(&s, v, 1, 0);
    return s;
}

/* x + times * y, roots aside */
static struct form sum(const struct form *x, const struct form *y, int64_t times)
{
    struct form s = *x;
    s.root = NULL;
    s.lost |= y->lost;
    s.constant += times * y->constant;
    for (unsigned k = 0; k < y->n; k++)
        add_term(&s, y->term[k].value, times * y->term[k].times);
    return s;
}

static bool is_constant(const struct form *s)
{
    return !s->n && !s->lost && !s->wild;
}

static int64_t divisor(int64_t a, int64_t b)
{
    for (int64_t t; b; b = t)
        t = a % b, a = b;
    return a < 0 ? -a : a;
}

static bool value_varies(const struct finder *w, const struct ir_value *v)
{
    return (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) && w->varies[v->id];
}

static bool varies(const struct finder *w, const struct form *s)
{
    for (unsigned k = 0; k < s->n; k++)
        if (value_varies(w, s->term[k].value))
            return true;
    return s->lost;
}

/* ---- what differs from thread to thread ---- */

static bool is_source(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_sreg:
        return i->imm == IR_SREG_TID_X || i->imm == IR_SREG_TID_Y || i->imm == IR_SREG_TID_Z ||
               i->imm == IR_SREG_LANEID ||
               (i->imm >= IR_SREG_LANEMASK_EQ && i->imm <= IR_SREG_LANEMASK_GE);
    case IR_OP_rmw:
    case IR_OP_cas:
    case IR_OP_shfl:
    case IR_OP_match:
    case IR_OP_call: return true;
    default: return false;
    }
}

static bool value_changes(const struct finder *w, const struct ir_value *v)
{
    return (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) && w->changes[v->id];
}

static bool spread(bool *marks, const struct ir_value *to)
{
    const bool changed = !marks[to->id];
    marks[to->id] = true;
    return changed;
}

/* Marks what depends on a thread, or on an iteration. */
static bool spread_from(struct finder *w, struct ir_inst *i, bool in_loop)
{
    bool varies = is_source(i), changes = in_loop && !opt_is_pure(i), changed = false;
    for (uint32_t k = 0; k < i->nargs; k++) {
        varies |= value_varies(w, i->args[k]);
        changes |= value_changes(w, i->args[k]);
    }
    for (uint32_t k = 0; k < i->nresults; k++) {
        changed |= varies && spread(w->varies, &i->results[k]);
        changed |= changes && spread(w->changes, &i->results[k]);
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
            const struct ir_value *to = i->edges[e].to->params.data[k];
            changed |= value_varies(w, i->edges[e].args[k]) && spread(w->varies, to);
            changed |= (in_loop || value_changes(w, i->edges[e].args[k])) && spread(w->changes, to);
        }
    return changed;
}

static void find_varying(struct finder *w, const struct opt_loops *loops)
{
    w->varies = arena_array(w->a, bool, w->f->nvalues + 1);
    w->changes = arena_array(w->a, bool, w->f->nvalues + 1);
    for (bool changed = true; changed;) {
        changed = false;
        ir_each_block (b, w->f)
            ir_each_inst (i, b)
                changed |= spread_from(w, i, loops->of[b->id] != NULL);
    }
}

/* From x to y; in another iteration, values of loops are not what they were. */
static struct form distance(const struct finder *w, const struct form *x, const struct form *y,
                            bool later)
{
    struct form d = sum(y, x, -1);
    for (int side = 0; side < 2 && later; side++) {
        const struct form *s = side ? y : x;
        for (unsigned k = 0; k < s->n; k++)
            if (value_changes(w, s->term[k].value)) {
                d.wild = divisor(d.wild, s->term[k].times);
                add_term(&d, s->term[k].value, side ? -s->term[k].times : s->term[k].times);
            }
    }
    return d;
}

/* ---- conditions around ---- */

struct guard { /* of a block and all that it dominates */
    struct ir_inst *test;
    bool holds;
};

enum { MOST_GUARDS = 16 };
struct guards {
    struct guard all[MOST_GUARDS];
    unsigned n;
};

static void guards_of(struct guards *to, const struct ir_block *b, unsigned depth);

/* v is so: then what it is made of is. */
static void add_guard(struct guards *to, struct ir_value *v, bool holds, unsigned depth)
{
    v = opt_resolve(v);
    struct ir_inst *test = opt_def(v);
    if (depth > 3)
        return;
    if (test && test->nargs == 2 && ir_kind(test->args[0]->type) == IR_I1 &&
        test->op == (holds ? IR_OP_and : IR_OP_or)) {
        add_guard(to, test->args[0], holds, depth + 1);
        add_guard(to, test->args[1], holds, depth + 1);
    } else if (test && test->nargs == 2 && to->n < MOST_GUARDS) {
        to->all[to->n++] = (struct guard){test, holds};
    }
    if (v->kind != IR_VALUE_PARAM || !v->u.block->preds.len)
        return;
    /* a && b, as it comes out of branches: 0 from all sides but one */
    const struct ir_block *from = NULL;
    struct ir_value *value = NULL;
    vec_each (struct ir_block *, pred, &v->u.block->preds) {
        struct ir_inst *t = ir_terminator(*pred);
        for (uint32_t e = 0; e < t->nedges; e++) {
            if (t->edges[e].to != v->u.block)
                continue;
            struct ir_value *arg = opt_resolve(t->edges[e].args[v->index]);
            if (ir_is_const(arg) && (arg->u.bits & 1) != holds)
                continue;
            if (from)
                return;
            from = *pred;
            value = arg;
        }
    }
    if (from) {
        add_guard(to, value, holds, depth + 1);
        guards_of(to, from, depth + 1);
    }
}

/* The conditions under which b is entered. */
static void guards_of(struct guards *to, const struct ir_block *b, unsigned depth)
{
    for (; b; b = b->idom) {
        const struct ir_inst *t = b->preds.len == 1 ? ir_terminator(b->preds.data[0]) : NULL;
        if (t && t->op == IR_OP_condbr && t->edges[0].to != t->edges[1].to)
            add_guard(to, t->args[0], t->edges[0].to == b, depth);
    }
}

/* x < k + more, by the test */
static bool less(const struct guard *g, struct form *x, struct form *k, int64_t *more)
{
    const bool strict = g->test->op == IR_OP_slt || g->test->op == IR_OP_ult;
    if (!strict && g->test->op != IR_OP_sle && g->test->op != IR_OP_ule)
        return false;
    *x = form_of(g->test->args[g->holds ? 0 : 1]); /* !(a < b) is b <= a */
    *k = form_of(g->test->args[g->holds ? 1 : 0]);
    *more = strict != g->holds;
    return true;
}

/* How many times x, as far as threads differ in it, is in s; 0: not just so. */
static int64_t multiple_of(const struct finder *w, const struct form *s, const struct form *x)
{
    for (unsigned k = 0; k < x->n; k++) {
        if (!value_varies(w, x->term[k].value))
            continue;
        for (unsigned n = 0; n < s->n; n++)
            if (same_value(s->term[n].value, x->term[k].value) &&
                s->term[n].times % x->term[k].times == 0) {
                const int64_t times = s->term[n].times / x->term[k].times;
                const struct form rest = sum(s, x, -times);
                return times > 0 && !varies(w, &rest) ? times : 0;
            }
        return 0;
    }
    return 0;
}

/* Below x < k, low touches less than its place at k, and high, `apart` behind it, no less. */
static bool below(const struct finder *w, const struct form *low, const struct form *apart,
                  const struct form *x, const struct form *k, int64_t more)
{
    const int64_t times = multiple_of(w, low, x);
    const struct form left = sum(apart, k, -times);
    return times && is_constant(&left) && left.constant >= times * more;
}

/* Only threads whose x is a multiple of m run, and reach m / 2 further. */
static bool every(const struct finder *w, const struct guard *g, const struct form *low,
                  const struct form *apart)
{
    if (g->test->op != (g->holds ? IR_OP_eq : IR_OP_ne) || !opt_is_const(g->test->args[1], 0))
        return false;
    const struct ir_inst *r = opt_def(opt_resolve(g->test->args[0]));
    if (!r || (r->op != IR_OP_urem && r->op != IR_OP_srem && r->op != IR_OP_and))
        return false;
    const struct form x = form_of(r->args[0]);
    struct form m = form_of(r->args[1]);
    m.constant += r->op == IR_OP_and;
    const int64_t times = multiple_of(w, low, &x);
    const struct form twice = sum(apart, apart, 1), left = sum(&twice, &m, -times);
    return times && is_constant(&left) && !left.constant;
}

/* Pairs of threads, x and x ^ step, of which one acts for both: a condition compares the two. */
static bool one_of_pair(const struct finder *w, const struct guard *g, const struct form *apart)
{
    if (apart->n != 2 || apart->lost || apart->constant ||
        apart->term[0].times != -apart->term[1].times)
        return false;
    for (int k = 0; k < 2; k++) {
        struct ir_value *x = apart->term[k].value, *y = apart->term[1 - k].value;
        const struct ir_inst *i = opt_def(y);
        if (!i || i->op != IR_OP_xor)
            continue;
        const int at = same_value(opt_resolve(i->args[0]), x)   ? 0
                       : same_value(opt_resolve(i->args[1]), x) ? 1
                                                                : -1;
        if (at < 0 || value_varies(w, opt_resolve(i->args[1 - at])))
            continue;
        const struct form a = form_of(g->test->args[0]), b = form_of(g->test->args[1]);
        const struct form d = sum(&a, &b, -1);
        if (d.n == 2 && g->test->op != IR_OP_eq && g->test->op != IR_OP_ne &&
            ((same_value(d.term[0].value, x) && same_value(d.term[1].value, y)) ||
             (same_value(d.term[0].value, y) && same_value(d.term[1].value, x))))
            return true;
        const struct ir_inst *bit = opt_def(opt_resolve(g->test->args[0])); /* (x & step) == 0 */
        if (bit && bit->op == IR_OP_and && opt_is_const(g->test->args[1], 0) &&
            same_value(opt_resolve(bit->args[0]), x) &&
            same_value(opt_resolve(bit->args[1]), opt_resolve(i->args[1 - at])))
            return true;
    }
    return false;
}

/* One thread of the block: if (threadIdx.x == 0). */
static bool of_one(const struct guard *g)
{
    if (g->test->op != (g->holds ? IR_OP_eq : IR_OP_ne))
        return false;
    const struct form a = form_of(g->test->args[0]), b = form_of(g->test->args[1]);
    const struct form d = sum(&a, &b, -1);
    const struct ir_inst *i = d.n == 1 ? opt_def(d.term[0].value) : NULL;
    return i && i->op == IR_OP_sreg && i->imm == IR_SREG_TID_X;
}

static bool test_keeps(const struct finder *w, const struct access *x, const struct access *y,
                       const struct guard *g)
{
    const struct form up = sum(&y->at, &x->at, -1), down = sum(&x->at, &y->at, -1);
    struct form low, bound;
    int64_t more;
    if (of_one(g) || one_of_pair(w, g, &up) || every(w, g, &x->at, &up) ||
        every(w, g, &y->at, &down))
        return true;
    return less(g, &low, &bound, &more) && (below(w, &x->at, &up, &low, &bound, more) ||
                                            below(w, &y->at, &down, &low, &bound, more));
}

/* Does a condition that both are under keep them apart? In another iteration it has to be the same
 * one, and the addresses too. */
static bool kept_apart(const struct finder *w, const struct access *x, const struct access *y,
                       bool later)
{
    struct guards of_x = {.n = 0}, of_y = {.n = 0};
    guards_of(&of_x, x->inst->block, 0);
    guards_of(&of_y, y->inst->block, 0);
    const struct form d = distance(w, &x->at, &y->at, later);
    for (unsigned k = 0; k < of_x.n; k++)
        for (unsigned n = 0; n < of_y.n; n++) {
            const struct guard *g = &of_x.all[k];
            if (g->test != of_y.all[n].test || g->holds != of_y.all[n].holds)
                continue;
            const bool stays = !later || (!d.wild && !value_changes(w, &g->test->results[0]));
            if ((stays && test_keeps(w, x, y, g)) || of_one(g))
                return true;
        }
    return false;
}

/* As if under if (threadIdx.x < blockDim.x). */
static bool a_block_apart(const struct finder *w, const struct form *low, const struct form *apart)
{
    if (apart->n != 1 || apart->constant || apart->lost || apart->wild)
        return false;
    const struct ir_inst *i = opt_def(apart->term[0].value);
    if (!i || i->op != IR_OP_sreg || i->imm != IR_SREG_NTID_X)
        return false;
    for (unsigned k = 0; k < low->n; k++) {
        const struct ir_inst *x = opt_def(low->term[k].value);
        if (!value_varies(w, low->term[k].value))
            continue;
        if (!x || x->op != IR_OP_sreg || x->imm != IR_SREG_TID_X ||
            low->term[k].times > apart->term[0].times || low->term[k].times < 0)
            return false;
    }
    return true;
}

/* Pairs of elements, each a thread's: 2x - (x & m) and that plus m + 1, with m one below a power of
 * two. */
static bool is_butterfly(const struct finder *w, const struct form *low, const struct form *apart)
{
    struct term two = {0}, one = {0};
    for (unsigned k = 0; k < low->n; k++) {
        if (!value_varies(w, low->term[k].value))
            continue;
        if (low->term[k].times > 0 && !two.value)
            two = low->term[k];
        else if (low->term[k].times < 0 && !one.value)
            one = low->term[k];
        else
            return false;
    }
    const struct ir_inst *i = one.value ? opt_def(one.value) : NULL;
    if (!two.value || !i || i->op != IR_OP_and || two.times != -2 * one.times || low->lost)
        return false;
    const int at = same_value(opt_resolve(i->args[0]), two.value) ? 1 : 0;
    if (!same_value(opt_resolve(i->args[1 - at]), two.value))
        return false;
    const struct form m = form_of(i->args[at]);
    const struct form left = sum(apart, &m, one.times);
    return !varies(w, &m) && is_constant(&left) && left.constant == -one.times;
}

/* ---- pairs ---- */

/* By how much threads that follow each other are apart: the least and the most of any coordinate.
 */
static void strides(const struct finder *w, const struct form *s, int64_t *least, int64_t *most)
{
    *least = *most = 0;
    for (unsigned k = 0; k < s->n; k++) {
        const int64_t t = s->term[k].times < 0 ? -s->term[k].times : s->term[k].times;
        if (!value_varies(w, s->term[k].value))
            continue;
        *least = !*least || t < *least ? t : *least;
        *most = t > *most ? t : *most;
    }
}

/* The most that a sum can be, either way. */
static int64_t reach(const struct form *d)
{
    uint64_t most = (uint64_t)(d->constant < 0 ? -d->constant : d->constant);
    for (unsigned k = 0; k < d->n && most < INT32_MAX; k++) {
        const uint64_t value = opt_most(d->term[k].value, 4),
                       times =
                           (uint64_t)(d->term[k].times < 0 ? -d->term[k].times : d->term[k].times);
        most += value > INT32_MAX || times > INT32_MAX ? INT32_MAX : value * times;
    }
    return d->lost || d->wild || most > INT32_MAX ? INT32_MAX : (int64_t)most;
}

/* Everything in d is a multiple of a warp's reach: no thread of a warp meets another. */
static bool beyond(const struct form *d, int64_t span)
{
    if (d->lost || !span || d->constant % span || d->wild % span)
        return false;
    for (unsigned k = 0; k < d->n; k++)
        if (d->term[k].times % span)
            return false;
    return true;
}

/* Each thread its own: the same sum, which differs between threads; values of a loop that are the
 * same for all threads must not take one to another's place. */
static bool is_own(const struct finder *w, const struct access *x, const struct access *y,
                   bool later, int64_t span)
{
    const struct form same = sum(&y->at, &x->at, -1);
    if (!is_constant(&same) || same.constant || !varies(w, &x->at))
        return false;
    for (unsigned k = 0; k < x->at.n && later; k++) {
        const struct term *t = &x->at.term[k];
        if (value_changes(w, t->value) && !value_varies(w, t->value) && (!span || t->times % span))
            return false;
    }
    return true;
}

/* y runs only where a condition makes its address x's: in if (threadIdx.x == 0) … s[0], which is
 * then s[threadIdx.x]. */
static bool guard_equates(const struct access *x, const struct access *y)
{
    struct guards all = {.n = 0};
    guards_of(&all, y->inst->block, 0);
    const struct form d = sum(&x->at, &y->at, -1);
    for (unsigned k = 0; k < all.n; k++) {
        const struct guard *g = &all.all[k];
        if (g->test->op != (g->holds ? IR_OP_eq : IR_OP_ne))
            continue;
        const struct form a = form_of(g->test->args[0]), b = form_of(g->test->args[1]);
        const struct form zero = sum(&a, &b, -1);
        for (unsigned n = 0; n < d.n && zero.n == 1; n++) {
            if (!same_value(d.term[n].value, zero.term[0].value) ||
                d.term[n].times % zero.term[0].times)
                continue;
            const struct form left = sum(&d, &zero, -d.term[n].times / zero.term[0].times);
            if (is_constant(&left) && !left.constant)
                return true;
        }
    }
    return false;
}

static bool in_shared(const struct finder *w, const struct access *x, const struct access *y,
                      bool later)
{
    const struct ir_value *p = x->at.root, *q = y->at.root;
    if (p && q && p != q && p->kind == IR_VALUE_GLOBAL && q->kind == IR_VALUE_GLOBAL)
        return false;
    if (p != q || (later && p && value_changes(w, p)))
        return !kept_apart(w, x, y, true);
    const struct form d = distance(w, &x->at, &y->at, later),
                      back = distance(w, &y->at, &x->at, later);
    const int64_t bytes = (int64_t)ir_bytes(x->inst->type);
    int64_t least, most;
    strides(w, &x->at, &least, &most);
    if (is_own(w, x, y, later, WARP * most))
        return false;
    if ((guard_equates(x, y) && is_own(w, x, x, later, WARP * most)) ||
        (guard_equates(y, x) && is_own(w, y, y, later, WARP * most)))
        return false;
    if (!varies(w, &d) && least && (reach(&d) + bytes <= least || beyond(&d, WARP * most)))
        return false;
    return !a_block_apart(w, &x->at, &d) && !a_block_apart(w, &y->at, &back) &&
           !is_butterfly(w, &x->at, &d) && !is_butterfly(w, &y->at, &back) &&
           !kept_apart(w, x, y, later);
}

static bool elsewhere(const struct finder *w, const struct access *first,
                      const struct access *second, bool later)
{
    /* What is read before it is written over counts where it is part of an exchange already. */
    if (!first->writes && !(first->inst->flags & IR_STEP))
        return false;
    const struct form d = distance(w, &first->at, &second->at, later);
    int64_t least, most;
    strides(w, &first->at, &least, &most);
    return first->at.root && first->at.root == second->at.root && is_constant(&d) && least &&
           d.constant && d.constant % least == 0 && d.constant / least < WARP &&
           d.constant / least > -WARP && !kept_apart(w, first, second, later);
}

/* first comes before second, with no barrier between; later: in another iteration of a loop. */
static bool exchange(const struct finder *w, const struct access *first,
                     const struct access *second, bool later)
{
    if (first->shared != second->shared || (!first->writes && !second->writes) ||
        (first->writes && second->writes && !first->reads && !second->reads))
        return false;
    return first->shared ? in_shared(w, first, second, later) : elsewhere(w, first, second, later);
}

/* ---- paths ---- */

static bool is_barrier(const struct ir_inst *i)
{
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_gridsync ||
           i->op == IR_OP_warpsync;
}

static void collect(struct finder *w)
{
    bool writes_elsewhere = false;
    ir_each_block (b, w->f)
        ir_each_inst (i, b)
            writes_elsewhere |=
                i->op == IR_OP_store && ir_space(i->args[0]->type) != IR_SPACE_SHARED;
    ir_each_block (b, w->f)
        ir_each_inst (i, b) {
            const bool load = i->op == IR_OP_load, store = i->op == IR_OP_store,
                       atomic = i->op == IR_OP_rmw || i->op == IR_OP_cas;
            i->data = NULL;
            if (b->rpo == UINT32_MAX || (!load && !store && !atomic) ||
                (!atomic && (!opt_is_plain(i) || i->flags & IR_INVARIANT)))
                continue;
            const enum ir_space space = ir_space(i->args[0]->type);
            const bool shared = space == IR_SPACE_SHARED;
            if (!shared && (atomic || !writes_elsewhere ||
                            (space != IR_SPACE_GLOBAL && space != IR_SPACE_GENERIC)))
                continue;
            struct access x = {.inst = i,
                               .at = form_of(i->args[0]),
                               .writes = !load,
                               .reads = load,
                               .shared = shared};
            vec_push(w->a, &w->all, x);
            i->data = (void *)(uintptr_t)w->all.len; /* 1 + its number */
        }
}

/* From the start of b on: what is open at its end, in this iteration and from others. `meet` sees
 * each access with what is open there. */
static void walk(struct finder *w, const struct ir_block *b, uint64_t *const open[2],
                 void (*meet)(struct finder *, size_t, uint64_t *const open[2]))
{
    ir_each_inst (i, b) {
        const size_t n = (size_t)(uintptr_t)i->data;
        if (is_barrier(i))
            for (size_t k = 0; k < w->words; k++)
                open[0][k] = open[1][k] = 0;
        if (!n)
            continue;
        if (meet)
            meet(w, n - 1, open);
        open[0][(n - 1) / 64] |= UINT64_C(1) << ((n - 1) % 64);
    }
}

static bool join(uint64_t *to, uint64_t bits)
{
    const bool changed = (*to | bits) != *to;
    *to |= bits;
    return changed;
}

static bool pass_on(struct finder *w, const struct ir_block *b, uint64_t *const end[2])
{
    const struct ir_inst *t = ir_terminator(b);
    bool changed = false;
    for (uint32_t e = 0; e < t->nedges; e++) {
        const struct ir_block *to = t->edges[e].to;
        const bool back = to->rpo <= b->rpo;
        for (size_t k = 0; k < w->words; k++) {
            changed |= join(&w->open[back][to->id][k], end[0][k]);
            changed |= join(&w->open[1][to->id][k], end[1][k]);
        }
    }
    return changed;
}

static void find_ways(struct finder *w)
{
    w->words = (w->all.len + 63) / 64;
    uint64_t *end[2];
    for (int iteration = 0; iteration < 2; iteration++) {
        end[iteration] = arena_array(w->a, uint64_t, w->words + 1);
        w->open[iteration] = arena_array(w->a, uint64_t *, w->f->nblocks + 1);
        ir_each_block (b, w->f)
            w->open[iteration][b->id] = arena_array(w->a, uint64_t, w->words + 1);
    }
    for (bool changed = true; changed;) {
        changed = false;
        ir_each_block (b, w->f) {
            if (b->rpo == UINT32_MAX)
                continue;
            for (size_t k = 0; k < w->words; k++)
                for (int iteration = 0; iteration < 2; iteration++)
                    end[iteration][k] = w->open[iteration][b->id][k];
            walk(w, b, end, NULL);
            changed |= pass_on(w, b, end);
        }
    }
}

static void meet(struct finder *w, size_t n, uint64_t *const open[2])
{
    struct access *y = &w->all.data[n];
    for (int iteration = 0; iteration < 2; iteration++)
        for (size_t k = 0; k < w->words; k++)
            for (uint64_t left = open[iteration][k]; left; left &= left - 1) {
                struct access *x = &w->all.data[64 * k + (size_t)__builtin_ctzll(left)];
                if ((x->inst->flags & y->inst->flags & IR_STEP) || !exchange(w, x, y, iteration))
                    continue;
                x->inst->flags |= IR_STEP;
                y->inst->flags |= IR_STEP;
            }
}

void opt_warp_sync(struct arena *scratch, struct ir_func *f)
{
    struct finder w = {.a = scratch, .f = f};
    const struct opt_loops *loops = opt_find_loops(scratch, f);
    collect(&w);
    if (w.all.len < 2)
        return;
    if (w.all.len > MOST_ACCESSES) { /* too many to compare: all of them, then */
        vec_each (struct access, x, &w.all)
            if (x->shared)
                x->inst->flags |= IR_STEP;
        return;
    }
    find_varying(&w, loops);
    find_ways(&w);
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX)
            walk(&w, b, (uint64_t *const[2]){w.open[0][b->id], w.open[1][b->id]}, meet);
}
