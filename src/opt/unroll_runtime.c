/* Loops that count become loops that count by several: opt_unroll_runtime, for machines whose
 * assembler orders instructions inside a block but does not move loads across a branch.
 *
 *   while (i < n) { body; i += s }
 * becomes
 *   while (i < n - (U-1)*s) { body; i += s; … U times }
 *   while (i < n) { body; i += s }
 *
 * Only innermost loops whose one exit is the test of a counter in the header, and whose body every
 * thread may run on its own: nothing convergent. s is a constant, or computed before the loop.
 * Where n - (U-1)*s wraps, the first loop is not entered. Where the body asks a condition that the
 * loop does not change, there is a first loop for each answer, so that loads stand side by side
 * there, too. The source's own wish (#pragma unroll 8) is the U; unroll 1 forbids it. Not in
 * passes.def: a target that wants it asks through lower_unroll. */
#include "opt/opt_int.h"

enum { USUAL = 4, MOST_INSTRUCTIONS = 256, ASKED_INSTRUCTIONS = 2048, MOST_COPIES = 64 };
enum { MOST_LOADED = 128, MOST_HELD = 336 }; /* bytes: of 512 that 128 registers hold */

struct counted {
    struct ir_inst *test;
    uint32_t stay;  /* the edge of the header's branch that stays */
    uint32_t param; /* the counter, among the header's parameters */
    struct ir_value *limit;
    uint64_t step;             /* 0: it is `by` */
    struct ir_value *by;       /* computed before the loop, of 32 bits */
    bool is_signed, inclusive; /* counter <= limit */
};

static bool leaves_elsewhere(const struct opt_loops *ls, const struct opt_loop *l)
{
    vec_each (struct ir_block *, b, &l->blocks) {
        struct ir_inst *t = ir_terminator(*b);
        if (!t->nedges)
            return true;
        if (*b == l->header)
            continue;
        for (uint32_t k = 0; k < t->nedges; k++)
            if (!opt_in_loop(ls, l, t->edges[k].to))
                return true;
    }
    return false;
}

static bool find_counter(const struct opt_loops *ls, const struct opt_loop *l, struct counted *c)
{
    struct ir_inst *t = ir_terminator(l->header);
    *c = (struct counted){0};
    if (t->op != IR_OP_condbr ||
        opt_in_loop(ls, l, t->edges[0].to) == opt_in_loop(ls, l, t->edges[1].to))
        return false;
    c->stay = opt_in_loop(ls, l, t->edges[0].to) ? 0 : 1;
    c->test = opt_def(t->args[0]);
    if (!c->test || c->test->block != l->header)
        return false;
    const enum ir_op op = (enum ir_op)c->test->op;
    c->is_signed = op == IR_OP_slt || op == IR_OP_sle;
    if (!c->is_signed && op != IR_OP_ult && op != IR_OP_ule)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *v = c->test->args[k], *other = c->test->args[1 - k];
        if (v->kind != IR_VALUE_PARAM || v->u.block != l->header || opt_is_inside(ls, l, other))
            continue;
        struct ir_value *next = opt_after_one(l, v->index);
        struct ir_inst *add = next ? opt_def(next) : NULL;
        if (!add || add->op != IR_OP_add)
            continue;
        struct ir_value *by = add->args[add->args[0] == v];
        if (add->args[by == add->args[0]] != v)
            continue;
        if (ir_is_const(by) ? !by->u.bits || by->u.bits > 1u << 20
                            : by->type != IR_I32 || opt_is_inside(ls, l, by))
            continue;
        c->param = v->index;
        c->step = ir_is_const(by) ? by->u.bits : 0;
        c->by = by;
        c->limit = other;
        /* i < n stays on true, n <= i on false */
        c->inclusive = (op == IR_OP_sle || op == IR_OP_ule) == (k == 0);
        return c->stay == k; /* else it counts away from the limit */
    }
    return false;
}

static bool is_suitable(const struct opt_loop *l, bool asked, uint32_t *size)
{
    *size = 0;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            const uint16_t flags = ir_op_info[i->op].flags;
            ++*size;
            if (i->op == IR_OP_split || i->op == IR_OP_join)
                continue;
            if (i->op == IR_OP_alloca || i->op == IR_OP_call || i->op == IR_OP_call_ptr)
                return false;
            if (!asked && flags & IR_CONVERGENT)
                return false;
        }
    return true;
}

/* The same for a step that is not known, in 64 bits, where nothing wraps: it must be positive. */
static struct ir_value *shortened_by(struct ir_builder *b, struct ir_module *m,
                                     const struct counted *c, uint64_t copies)
{
    const enum ir_op widen = c->is_signed ? IR_OP_sext : IR_OP_zext;
    struct ir_value *least = ir_const(m, IR_I64, c->is_signed ? (uint64_t)INT32_MIN : 0);
    struct ir_value *by = ir_build1(b, widen, IR_I64, c->by);
    struct ir_value *limit = ir_build1(b, widen, IR_I64, c->limit);
    limit = ir_build2(b, IR_OP_add, IR_I64, limit, ir_const(m, IR_I64, c->inclusive));
    struct ir_value *back = ir_build2(b, IR_OP_mul, IR_I64, by, ir_const(m, IR_I64, copies - 1));
    limit = ir_build2(b, IR_OP_sub, IR_I64, limit, back);
    struct ir_value *up = ir_build2(b, IR_OP_slt, IR_I64, ir_const(m, IR_I64, 0), by);
    struct ir_value *holds = ir_build2(b, IR_OP_slt, IR_I64, least, limit);
    holds = ir_build2(b, IR_OP_and, IR_I1, up, holds);
    limit = ir_build3(b, IR_OP_select, IR_I64, holds, limit, least);
    return ir_build1(b, IR_OP_trunc, IR_I32, limit);
}

/* Counters below it have `copies` iterations before them; the least number if there is none. */
static struct ir_value *shortened(struct ir_builder *b, struct ir_module *m,
                                  const struct counted *c, uint64_t copies)
{
    const ir_type t = c->limit->type;
    const uint64_t mask = opt_mask(t), least = c->is_signed ? (mask >> 1) + 1 : 0;
    if (!c->step)
        return shortened_by(b, m, c, copies);
    struct ir_value *back = ir_const(m, t, ((copies - 1) * c->step - c->inclusive) & mask);
    struct ir_value *limit = ir_build2(b, IR_OP_sub, t, c->limit, back);
    struct ir_value *holds = ir_build2(b, c->is_signed ? IR_OP_sle : IR_OP_ule, t, limit, c->limit);
    return ir_build3(b, IR_OP_select, t, holds, limit, ir_const(m, t, least));
}

/* Is it the same for all threads of a block, by what it is computed from? Else threads of a warp
 * would go through both loops one after the other. */
static bool same_for_block(const struct ir_func *f, const struct ir_value *v, unsigned depth)
{
    enum { DEEPEST = 16 };
    if (v->kind == IR_VALUE_CONST || v->kind == IR_VALUE_GLOBAL)
        return true;
    if (v->kind == IR_VALUE_PARAM)
        return f->flags & IR_FUNC_KERNEL && v->u.block == f->first;
    const struct ir_inst *i = opt_def((struct ir_value *)v);
    if (!i || depth == DEEPEST)
        return false;
    if (i->op == IR_OP_sreg)
        return ir_sreg_info[i->imm].uniformity <= IR_UNIFORM_BLOCK;
    const enum ir_space from = i->op == IR_OP_load ? ir_space(i->args[0]->type) : IR_SPACE_GENERIC;
    const bool constant = from == IR_SPACE_PARAM || from == IR_SPACE_CONST;
    if (!constant && !(ir_op_info[i->op].flags & IR_PURE))
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!same_for_block(f, i->args[k], depth + 1))
            return false;
    return true;
}

/* A condition that every iteration asks anew and that the loop does not change. */
static struct ir_value *standing_condition(const struct ir_func *f, const struct opt_loops *ls,
                                           const struct opt_loop *l)
{
    uint32_t size;
    if (!is_suitable(l, false, &size)) /* what threads do together stays in one place */
        return NULL;
    vec_each (struct ir_block *, b, &l->blocks) {
        const struct ir_inst *t = ir_terminator(*b);
        if (*b != l->header && t->op == IR_OP_condbr && !ir_is_const(t->args[0]) &&
            !opt_is_inside(ls, l, t->args[0]) && same_for_block(f, t->args[0], 0))
            return t->args[0];
    }
    return NULL;
}

/* What a loop of several iterations is made of. */
struct strided {
    struct ir_func *f;
    struct opt_loop *l;
    const struct counted *c;
    struct ir_value *limit, *standing; /* standing: decided before the loop; NULL: nothing is */
    uint32_t copies;
};

static void decide(const struct opt_loop *l, const struct map *twins,
                   const struct ir_value *standing, bool holds)
{
    vec_each (struct ir_block *, b, &l->blocks) {
        struct ir_inst *t = ir_terminator(map_get(twins, map_key(*b)));
        if (t->op == IR_OP_condbr && t->args[0] == standing)
            ir_to_br(t, holds ? 0 : 1);
    }
}

/* The loop that counts by several, behind `where`; holds: what the standing condition is in it. */
static struct ir_block *many_of(struct arena *a, const struct strided *s, struct ir_block *where,
                                bool holds)
{
    struct ir_block *h = s->l->header, *many = ir_block_after(where, "many"), *first = NULL;
    struct ir_value **params =
        arena_array(s->f->module->arena, struct ir_value *, h->params.len + 1);
    struct ir_edge *into = NULL;
    many->span = h->span;
    for (uint32_t k = 0; k < h->params.len; k++)
        params[k] = ir_block_param(many, h->params.data[k]->type, h->params.data[k]->name);
    where = many;
    for (uint32_t k = 0; k < s->copies; k++) {
        struct map twins;
        map_init(&twins, a);
        opt_clone_blocks(&twins, s->f, where, s->l->blocks.data, s->l->blocks.len);
        struct ir_block *head = map_get(&twins, map_key(h));
        struct ir_block *latch = map_get(&twins, map_key(s->l->latches.data[0]));
        where = map_get(&twins, map_key(s->l->blocks.data[s->l->blocks.len - 1]));
        head->unroll = 0;
        ir_to_br(ir_terminator(head), s->c->stay);
        if (s->standing)
            decide(s->l, &twins, s->standing, holds);
        if (into)
            into->to = head;
        else
            first = head;
        struct ir_inst *t = ir_terminator(latch);
        for (uint32_t e = 0; e < t->nedges; e++)
            if (t->edges[e].to == head)
                into = &t->edges[e];
    }
    into->to = many;
    struct ir_builder b = ir_builder_at_end(many);
    b.span = s->c->test->span;
    struct ir_value *i = params[s->c->param];
    struct ir_value *go =
        ir_build2(&b, s->c->is_signed ? IR_OP_slt : IR_OP_ult, i->type, i, s->limit);
    ir_build_condbr(&b, go, first, h);
    struct ir_inst *t = ir_terminator(many);
    for (uint32_t k = 0; k < h->params.len; k++)
        for (unsigned e = 0; e < 2; e++)
            ir_edge_push(t, &t->edges[e], params[k]);
    many->unroll = h->unroll > 1; /* as many as were asked for */
    return many;
}

/* pre enters `yes` or `no` as it entered the loop. */
static void enter_either(struct ir_block *pre, struct ir_value *condition, struct ir_block *yes,
                         struct ir_block *no)
{
    struct ir_inst *enter = ir_terminator(pre);
    const struct ir_edge was = enter->edges[0];
    ir_remove(enter);
    struct ir_builder b = ir_builder_at_end(pre);
    b.span = enter->span;
    ir_build_condbr(&b, condition, yes, no);
    struct ir_inst *t = ir_terminator(pre);
    for (unsigned e = 0; e < 2; e++)
        for (uint32_t k = 0; k < was.nargs; k++)
            ir_edge_push(t, &t->edges[e], was.args[k]);
}

static void stride(struct arena *a, struct ir_func *f, struct opt_loops *ls, struct opt_loop *l,
                   const struct counted *c, uint32_t copies, struct map *done)
{
    struct ir_block *h = l->header, *pre = opt_preheader(ls, l);
    struct ir_inst *enter = ir_terminator(pre);
    struct ir_builder b = ir_builder_before(enter);
    b.span = c->test->span;
    const struct strided s = {.f = f,
                              .l = l,
                              .c = c,
                              .limit = shortened(&b, f->module, c, copies),
                              .standing = standing_condition(f, ls, l),
                              .copies = copies};
    struct ir_block *yes = many_of(a, &s, pre, true);
    map_set(done, map_key(yes), yes);
    if (s.standing) {
        struct ir_block *no = many_of(a, &s, pre, false);
        map_set(done, map_key(no), no);
        enter_either(pre, s.standing, yes, no);
    } else {
        enter->edges[0].to = yes;
    }
    h->unroll = 1;
    map_set(done, map_key(h), h);
    ir_remove_unreachable(f);
}

/* Bytes that an iteration loads, or copies from place to place. */
static uint64_t loaded(const struct opt_loop *l)
{
    uint64_t n = 0;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            if (i->op == IR_OP_load)
                n += ir_bytes(i->type);
            else if (i->op == IR_OP_memcpy && ir_is_const(i->args[2]))
                n += i->args[2]->u.bits;
    return n;
}

/* Bytes that the loops around carry from one iteration to the next: sums, most often, which stay in
 * registers. */
static uint32_t carried(const struct opt_loop *l)
{
    uint32_t n = 0;
    for (const struct opt_loop *p = l->parent; p; p = p->parent)
        vec_each (struct ir_value *, v, &p->header->params)
            n += ir_kind((*v)->type) == IR_TOKEN ? 0 : ir_bytes((*v)->type);
    return n;
}

/* The assembler has the loads of all copies under way at once: do they find registers? */
static bool fits(const struct opt_loop *l, uint32_t copies)
{
    const uint64_t n = copies * loaded(l);
    return (copies <= USUAL || n <= MOST_LOADED) && carried(l) + n <= MOST_HELD;
}

/* How often a loop of that size is worth repeating; 0: not at all. */
static uint32_t copies_for(const struct opt_loop *l, const struct counted *c, uint32_t size)
{
    const uint32_t hint = l->header->unroll;
    uint32_t copies = hint > 1 && hint != IR_UNROLL_ALL ? hint
                      : ir_is_const(c->limit)           ? 2 * USUAL
                                                        : USUAL;
    const uint32_t most = hint > 1 ? ASKED_INSTRUCTIONS : MOST_INSTRUCTIONS;
    if (copies > MOST_COPIES)
        copies = MOST_COPIES;
    while (copies > 1 && (copies * size > most || (hint <= 1 && !fits(l, copies))))
        copies /= 2;
    return copies > 1 ? copies : 0;
}

void opt_unroll_runtime(struct arena *scratch, struct ir_func *f)
{
    struct map done;
    map_init(&done, scratch);
    for (unsigned round = 0; round < 256; round++) {
        struct opt_loops *ls = opt_find_loops(scratch, f);
        bool changed = false;
        for (size_t k = 0; k < ls->all.len && !changed; k++) {
            struct opt_loop *l = ls->all.data[k];
            struct counted c;
            uint32_t size = 0, copies;
            if (!l->innermost || l->header->unroll == 1 || map_has(&done, map_key(l->header)) ||
                leaves_elsewhere(ls, l) || !find_counter(ls, l, &c) ||
                !is_suitable(l, l->header->unroll > 1, &size) ||
                !(copies = copies_for(l, &c, size)))
                continue;
            stride(scratch, f, ls, l, &c, copies, &done);
            changed = true;
        }
        if (!changed)
            return;
    }
}
