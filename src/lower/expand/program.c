/* A kernel → the program of a small machine, which is written in IR itself: for targets whose
 * compilers copy every function to every place that calls it, when a kernel would grow too large by
 * that.
 *
 * The machine is one loop around a switch. It has an arm for each kind of instruction that the
 * kernel uses (op, types, flags), and that arm is the only place where it stands, however often the
 * kernel uses it. Values live in slots of eight bytes in local memory. A word of the program is
 *   kind | slot of the result << 8 | operands << 18, 32 and 48
 * An operand below the number of slots is a slot, above it a word behind the program, which holds
 * the constants; jumps take their targets from there too. An instruction that has more than three
 * operands, or wants some of them constant, has an arm of its own that knows its slots. */
#include "lower/lower_int.h"

enum { MOVE, JUMP, CHOOSE, RETURN, EXIT, KINDS }; /* kinds that no instruction stands for */
enum { NOWHERE, SPARE, SLOTS };                   /* slots that no value has */
enum { MOST_KINDS = 256, MOST_SLOTS = 900, MOST_CONSTANTS = 15000 }; /* 8 KB are WGSL's limit */
enum { RESULT_AT = 8, FIRST_AT = 18, SECOND_AT = 32, THIRD_AT = 48 };

struct jump { /* an operand that is to be where a block starts */
    size_t at;
    unsigned shift;
    struct ir_block *to;
};

struct program {
    struct arena *arena;
    struct ir_func *func;
    struct ir_module *module;
    bool warps; /* threads of a warp wait for each other in a park */
    VEC(struct ir_inst *) kinds;
    VEC(uint64_t) words, constants;
    VEC(struct jump) jumps;
    struct map constant_of; /* bits → number + 1 */
    uint32_t *slot;         /* by value id; 0: never read */
    uint32_t nslots;
    struct ir_value *memory, *text; /* the slots, the program */
};

static bool is_token(const struct ir_inst *i)
{
    return i->op == IR_OP_split || i->op == IR_OP_join;
}

/* Must an arm be for this instruction alone? */
static bool stands_alone(const struct ir_inst *i)
{
    bool memory = i->op == IR_OP_load || i->op == IR_OP_store || i->op == IR_OP_rmw ||
                  i->op == IR_OP_cas || i->op == IR_OP_fence;
    return i->nargs > 3 || (!(ir_op_info[i->op].flags & IR_PURE) && !memory);
}

static bool is_read(const struct ir_func *f, const struct ir_value *v)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k] == v)
                    return true;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k] == v)
                        return true;
        }
    return false;
}

/* Who runs together is not known in the machine: what waits for others has to name them. */
static bool may_wait(const struct program *p, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_barrier: return true;
    case IR_OP_barrier_red:
    case IR_OP_warpsync:
    case IR_OP_vote:
    case IR_OP_redux: return p->warps;
    case IR_OP_shfl: return p->warps && !is_read(p->func, &i->results[1]);
    default: return is_token(i);
    }
}

static bool fits(const struct program *p)
{
    ir_each_block (b, p->func)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if ((ir_op_info[i->op].flags & IR_CONVERGENT && !may_wait(p, i)) ||
                (i->nresults > 1 && i->op != IR_OP_shfl) || ir_is_vector(i->type))
                return false;
    return true;
}

/* ---- before: jumps without arguments where there is a choice, addresses as values ---- */

static void detour(struct ir_edge *e)
{
    if (!e->nargs)
        return;
    struct ir_block *way = ir_block_new(e->to->func, NULL);
    struct ir_builder b = ir_builder_at_end(way);
    ir_build_br(&b, e->to, e->args, e->nargs);
    e->to = way;
    e->nargs = 0;
}

/* A switch → choices, one after the other. */
static void unswitch(struct program *p, struct ir_inst *t)
{
    struct ir_builder b = ir_builder_before(t);
    for (uint32_t e = 1; e < t->nedges; e++) {
        struct ir_value *value = ir_const(p->module, t->args[0]->type, t->edges[e].case_value);
        struct ir_block *next = ir_block_new(p->func, NULL);
        ir_build_condbr(&b, ir_build2(&b, IR_OP_eq, value->type, t->args[0], value), t->edges[e].to,
                        next);
        b = ir_builder_at_end(next);
    }
    ir_build_br(&b, t->edges[0].to, NULL, 0);
    ir_remove(t);
}

static void simplify(struct program *p)
{
    struct map addresses;
    map_init(&addresses, p->arena);
    struct ir_builder b = ir_builder_before(p->func->first->last);
    for (struct ir_block *k = p->func->first->next; k; k = k->next) {
        ir_each_inst (i, k) {
            for (uint32_t n = 0; n < i->nargs && !stands_alone(i); n++) {
                struct ir_value *v = i->args[n];
                if (v->kind != IR_VALUE_GLOBAL && v->kind != IR_VALUE_FUNC)
                    continue;
                if (!map_has(&addresses, map_key(v)))
                    map_set(
                        &addresses, map_key(v),
                        ir_build2(&b, IR_OP_ptradd, v->type, v, ir_const(p->module, IR_I64, 0)));
                i->args[n] = map_get(&addresses, map_key(v));
            }
        }
        for (uint32_t e = 0; e < k->last->nedges && k->last->op != IR_OP_br; e++)
            detour(&k->last->edges[e]);
        if (k->last->op == IR_OP_switch)
            unswitch(p, k->last);
    }
}

/* ---- slots: values that do not live at the same time share them ---- */

struct span_of { /* from the first to the last place, in the order of blocks, where it is alive */
    uint32_t first, last;
};

static void touch(struct span_of *s, uint32_t at)
{
    if (!s->last)
        s->first = at;
    s->last = at;
}

static uint32_t find_spans(struct program *p, struct span_of *s, const bool *in, bool *live)
{
    const uint32_t n = p->func->nvalues + 1;
    uint32_t at = 1;
    ir_each_block (b, p->func) {
        for (uint32_t v = 0; v < n; v++)
            if (in[b->id * n + v])
                touch(&s[v], at);
        for (size_t k = 0; k < b->params.len; k++)
            touch(&s[b->params.data[k]->id], at);
        for (struct ir_inst *i = b->first; i; i = i->next) {
            at++;
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->id != IR_NO_ID)
                    touch(&s[i->args[k]->id], at);
            for (uint32_t k = 0; k < i->nresults; k++)
                touch(&s[i->results[k].id], at);
        }
        lower_live_out(in, b, live);
        for (uint32_t v = 0; v < n; v++)
            if (live[v])
                touch(&s[v], at);
        for (uint32_t e = 0; e < b->last->nedges; e++) /* set here */
            for (size_t k = 0; k < b->last->edges[e].to->params.len; k++)
                touch(&s[b->last->edges[e].to->params.data[k]->id], at);
        at++;
    }
    return at;
}

static bool give_slots(struct program *p)
{
    const uint32_t n = p->func->nvalues + 1;
    uint32_t busy[MOST_SLOTS] = {0};
    struct span_of *s = arena_array(p->arena, struct span_of, n);
    bool *in = lower_live_in(p->arena, p->func);
    if (!in)
        return false;
    uint32_t end = find_spans(p, s, in, arena_array(p->arena, bool, n));
    VEC(uint32_t) *starting = arena_alloc_array(p->arena, end, sizeof *starting);
    for (uint32_t v = 0; v < n; v++)
        if (s[v].last)
            vec_push(p->arena, &starting[s[v].first], v);
    p->slot = arena_array(p->arena, uint32_t, n);
    p->nslots = SLOTS;
    for (uint32_t at = 0; at < end; at++)
        vec_each (uint32_t, v, &starting[at]) {
            uint32_t k = SLOTS;
            while (k < p->nslots && busy[k] >= at)
                k++;
            if (k >= MOST_SLOTS)
                return false;
            busy[k] = s[*v].last;
            p->slot[*v] = k;
            p->nslots += k == p->nslots;
        }
    return true;
}

/* ---- the program ---- */

static uint32_t constant(struct program *p, uint64_t bits)
{
    uintptr_t n = (uintptr_t)map_get(&p->constant_of, bits);
    if (!n) {
        vec_push(p->arena, &p->constants, bits);
        n = p->constants.len;
        map_set(&p->constant_of, bits, (void *)n);
    }
    return p->nslots + (uint32_t)n - 1;
}

static uint32_t operand(struct program *p, const struct ir_value *v)
{
    return ir_is_const(v) ? constant(p, v->u.bits) : p->slot[v->id];
}

static void put(struct program *p, size_t kind, uint32_t result, uint64_t a, uint64_t b, uint64_t c)
{
    vec_push(p->arena, &p->words,
             kind | result << RESULT_AT | a << FIRST_AT | b << SECOND_AT | c << THIRD_AT);
}

static size_t kind_of(struct program *p, struct ir_inst *i)
{
    bool alone = stands_alone(i);
    for (size_t n = 0; n < p->kinds.len && !alone; n++) {
        struct ir_inst *k = p->kinds.data[n];
        bool same = k->op == i->op && k->type == i->type && k->flags == i->flags &&
                    k->align == i->align && k->imm == i->imm && k->nargs == i->nargs;
        for (uint32_t a = 0; a < i->nargs && same; a++)
            same = k->args[a]->type == i->args[a]->type;
        if (same)
            return KINDS + n;
    }
    vec_push(p->arena, &p->kinds, i);
    return KINDS + p->kinds.len - 1;
}

static void put_inst(struct program *p, struct ir_inst *i)
{
    uint32_t x[3] = {0};
    for (uint32_t k = 0; k < i->nargs && !stands_alone(i); k++)
        x[k] = operand(p, i->args[k]);
    put(p, kind_of(p, i), i->nresults ? p->slot[i->results[0].id] : NOWHERE, x[0], x[1], x[2]);
}

/* The parameters of a block are set at once: what another one still reads is set last. */
static void put_moves(struct program *p, const struct ir_edge *e)
{
    VEC(uint32_t) to = {0}, from = {0};
    for (uint32_t k = 0; k < e->nargs; k++) {
        vec_push(p->arena, &to, p->slot[e->to->params.data[k]->id]);
        vec_push(p->arena, &from, operand(p, e->args[k]));
    }
    while (to.len) {
        size_t k = to.len, read = 1;
        while (k && read) {
            k--;
            read = 0;
            for (size_t o = 0; o < to.len; o++)
                read += o != k && from.data[o] == to.data[k];
        }
        if (read) { /* circles: one value waits in the spare slot */
            put(p, MOVE, SPARE, to.data[0], 0, 0);
            vec_each (uint32_t, f, &from)
                *f = *f == to.data[0] ? SPARE : *f;
            continue;
        }
        if (to.data[k] != from.data[k])
            put(p, MOVE, to.data[k], from.data[k], 0, 0);
        to.data[k] = vec_last(&to);
        from.data[k] = vec_last(&from);
        to.len--;
        from.len--;
    }
}

static void put_target(struct program *p, unsigned shift, struct ir_block *to)
{
    struct jump j = {p->words.len, shift, to};
    vec_push(p->arena, &p->jumps, j);
}

static void put_end(struct program *p, struct ir_inst *t)
{
    if (t->op == IR_OP_condbr) {
        put_target(p, SECOND_AT, t->edges[0].to);
        put_target(p, THIRD_AT, t->edges[1].to);
        put(p, CHOOSE, NOWHERE, operand(p, t->args[0]), 0, 0);
    } else if (t->op != IR_OP_br) {
        put(p, t->op == IR_OP_exit ? EXIT : RETURN, NOWHERE, 0, 0, 0);
    } else {
        put_moves(p, &t->edges[0]);
        if (t->edges[0].to == t->block->next)
            return;
        put_target(p, FIRST_AT, t->edges[0].to);
        put(p, JUMP, NOWHERE, 0, 0, 0);
    }
}

static void write_program(struct program *p)
{
    size_t *starts = arena_array(p->arena, size_t, p->func->nblocks);
    for (struct ir_block *b = p->func->first->next; b; b = b->next) {
        starts[b->id] = p->words.len;
        for (struct ir_inst *i = b->first; i != b->last; i = i->next)
            if (!is_token(i))
                put_inst(p, i);
        put_end(p, b->last);
    }
    vec_each (struct jump, j, &p->jumps)
        p->words.data[j->at] |= (uint64_t)constant(p, starts[j->to->id]) << j->shift;
}

/* ---- the machine ---- */

static struct ir_value *word(struct program *p, uint32_t v)
{
    return ir_const(p->module, IR_I32, v);
}

static struct ir_value *element(struct program *p, struct ir_builder *b, struct ir_value *base,
                                struct ir_value *index)
{
    struct ir_value *at = ir_build2(b, IR_OP_shl, IR_I32, index, word(p, 3));
    return ir_build2(b, IR_OP_ptradd, base->type, base, ir_build1(b, IR_OP_zext, IR_I64, at));
}

static struct ir_value *slot_at(struct program *p, struct ir_builder *b, uint32_t slot)
{
    return ir_build2(b, IR_OP_ptradd, p->memory->type, p->memory,
                     ir_const(p->module, IR_I64, UINT64_C(8) * slot));
}

static const ir_type integers[] = {[1] = IR_I8, [2] = IR_I16, [4] = IR_I32, [8] = IR_I64};

static struct ir_value *bits_of(struct ir_builder *b, struct ir_value *v)
{
    if (ir_class(v->type) == IR_CLASS_PTR)
        return ir_build1(b, IR_OP_ptrtoint, IR_I64, v);
    if (ir_class(v->type) == IR_CLASS_FLOAT)
        v = ir_build1(b, IR_OP_bitcast, integers[ir_bytes(v->type)], v);
    return v->type == IR_I64 ? v : ir_build1(b, IR_OP_zext, IR_I64, v);
}

static struct ir_value *of_bits(struct ir_builder *b, struct ir_value *v, ir_type t)
{
    if (ir_class(t) == IR_CLASS_PTR)
        return ir_build1(b, IR_OP_inttoptr, t, v);
    ir_type plain = ir_class(t) == IR_CLASS_INT ? t : integers[ir_bytes(t)];
    if (plain != IR_I64)
        v = ir_build1(b, IR_OP_trunc, plain, v);
    return plain == t ? v : ir_build1(b, IR_OP_bitcast, t, v);
}

static struct ir_value *fetch(struct program *p, struct ir_builder *b, struct ir_value *index)
{
    struct ir_block *slot = ir_block_new(p->func, "slot"), *fixed = ir_block_new(p->func, "fixed"),
                    *got = ir_block_new(p->func, "got");
    struct ir_value *x = ir_block_param(got, IR_I64, NULL);
    ir_build_condbr(b, ir_build2(b, IR_OP_ult, IR_I32, index, word(p, p->nslots)), slot, fixed);
    *b = ir_builder_at_end(slot);
    struct ir_value *v = ir_build_load(b, IR_I64, element(p, b, p->memory, index), 8, 0);
    ir_build_br(b, got, &v, 1);
    *b = ir_builder_at_end(fixed);
    index = ir_build2(b, IR_OP_add, IR_I32, index, word(p, (uint32_t)p->words.len - p->nslots));
    v = ir_build_load(b, IR_I64, element(p, b, p->text, index), 8, IR_INVARIANT);
    ir_build_br(b, got, &v, 1);
    *b = ir_builder_at_end(got);
    return x;
}

static struct ir_value *field(struct program *p, struct ir_builder *b, struct ir_value *half,
                              uint32_t at, uint32_t bits)
{
    if (at)
        half = ir_build2(b, IR_OP_lshr, IR_I32, half, word(p, at));
    return at + bits == 32 ? half
                           : ir_build2(b, IR_OP_and, IR_I32, half, word(p, (1u << bits) - 1));
}

/* One arm: the instruction itself, between its operands and its result as bits. */
static struct ir_value *perform(struct program *p, struct ir_builder *b, struct ir_inst *model,
                                struct ir_value *const *x)
{
    struct ir_value **args = arena_array(p->arena, struct ir_value *, model->nargs + 1);
    for (uint32_t k = 0; k < model->nargs; k++) {
        struct ir_value *v = model->args[k];
        args[k] = !stands_alone(model) ? of_bits(b, x[k], v->type) : v;
        if (stands_alone(model) && v->id != IR_NO_ID)
            args[k] =
                of_bits(b, ir_build_load(b, IR_I64, slot_at(p, b, p->slot[v->id]), 8, 0), v->type);
    }
    struct ir_inst *i = ir_build(b, (enum ir_op)model->op, model->type, args, model->nargs);
    i->flags = model->flags;
    i->align = model->align;
    i->imm = model->imm;
    return i->nresults ? bits_of(b, &i->results[0]) : ir_const(p->module, IR_I64, 0);
}

static void build_machine(struct program *p)
{
    struct ir_func *f = p->func;
    VEC(struct ir_value *) given = {0}; /* parameters and addresses */
    vec_each (struct ir_value *, v, &f->first->params)
        vec_push(p->arena, &given, *v);
    for (struct ir_inst *i = f->first->first; i != f->first->last; i = i->next)
        vec_push(p->arena, &given, &i->results[0]);
    p->memory = ir_build_alloca(f, UINT64_C(8) * p->nslots, 8, "slots");
    ir_remove(f->first->last);
    struct ir_builder b = ir_builder_at_end(f->first);
    vec_each (struct ir_value *, v, &given)
        ir_build_store(&b, slot_at(p, &b, p->slot[(*v)->id]), bits_of(&b, *v), 8, 0);
    struct ir_block *step = ir_block_new(f, "step");
    ir_build_br(&b, step, &(struct ir_value *){word(p, 0)}, 1);
    ir_remove_unreachable(f);

    struct ir_value *at = ir_block_param(step, IR_I32, "at");
    b = ir_builder_at_end(step);
    struct ir_value *low = element(p, &b, p->text, at), *half[2], *x[3];
    half[0] = ir_build_load(&b, IR_I32, low, 8, IR_INVARIANT);
    struct ir_value *high =
        ir_build2(&b, IR_OP_ptradd, low->type, low, ir_const(p->module, IR_I64, 4));
    half[1] = ir_build_load(&b, IR_I32, high, 4, IR_INVARIANT);
    x[0] = fetch(p, &b, field(p, &b, half[0], FIRST_AT, 14));
    x[1] = fetch(p, &b, field(p, &b, half[1], 0, 16));
    x[2] = fetch(p, &b, field(p, &b, half[1], 16, 16));
    struct ir_value *next = ir_build2(&b, IR_OP_add, IR_I32, at, word(p, 1));
    struct ir_value *kind = field(p, &b, half[0], 0, 8);
    struct ir_inst *choice = ir_build(&b, IR_OP_switch, IR_I32, &kind, 1);

    struct ir_block *done = ir_block_new(f, "done");
    struct ir_value *result = ir_block_param(done, IR_I64, "result"),
                    *to = ir_block_param(done, IR_I32, "next");
    for (size_t k = 0; k < KINDS + p->kinds.len; k++) {
        struct ir_block *arm = ir_block_new(f, NULL);
        struct ir_value *out[2] = {x[0], next}, *go[3];
        b = ir_builder_at_end(arm);
        ir_add_edge(choice, arm, NULL, 0, k);
        if (k == RETURN) {
            ir_build_ret(&b, NULL);
            continue;
        }
        if (k == EXIT) {
            ir_build(&b, IR_OP_exit, IR_VOID, NULL, 0);
            continue;
        }
        for (int s = 0; s < 3 && (k == JUMP || k == CHOOSE); s++)
            go[s] = ir_build1(&b, IR_OP_trunc, s || k == JUMP ? IR_I32 : IR_I1, x[s]);
        if (k == JUMP)
            out[1] = go[0];
        else if (k == CHOOSE)
            out[1] = ir_build3(&b, IR_OP_select, IR_I32, go[0], go[1], go[2]);
        else if (k >= KINDS)
            out[0] = perform(p, &b, p->kinds.data[k - KINDS], x);
        ir_build_br(&b, done, out, 2);
    }
    b = ir_builder_at_end(done);
    struct ir_value *slot = field(p, &b, half[0], RESULT_AT, 10);
    ir_build_store(&b, element(p, &b, p->memory, slot), result, 8, 0);
    ir_build_br(&b, step, &to, 1);
}

static void place_text(struct program *p)
{
    size_t n = p->words.len + p->constants.len;
    uint8_t *bytes = arena_alloc(p->module->arena, n * 8);
    for (size_t k = 0; k < n; k++)
        for (unsigned s = 0; s < 8; s++)
            bytes[8 * k + s] = (uint8_t)((k < p->words.len ? p->words.data[k]
                                                           : p->constants.data[k - p->words.len]) >>
                                         8 * s);
    const char *name = arena_printf(p->arena, "%s.program", p->func->name);
    struct ir_global *g = ir_global_find(p->module, name); /* of an earlier compilation */
    if (!g || g->size != n * 8)
        g = ir_global_new(p->module, name, IR_SPACE_CONST, n * 8, 8, 0);
    g->elem = IR_I64;
    g->init = bytes;
    p->text = ir_global_value(g);
}

bool lower_program(struct arena *a, struct ir_func *f, bool warps)
{
    struct program p = {.arena = a, .func = f, .module = f->module, .warps = warps};
    if (!fits(&p))
        return false;
    map_init(&p.constant_of, a);
    ir_remove_unreachable(f);
    struct ir_block *start = lower_split_entry(f);
    struct ir_builder b = ir_builder_at_end(f->first);
    ir_build_br(&b, start, NULL, 0);
    simplify(&p);
    ir_renumber(f);
    if (!give_slots(&p))
        return false;
    write_program(&p);
    if (p.constants.len > MOST_CONSTANTS || p.words.len > UINT16_MAX ||
        KINDS + p.kinds.len > MOST_KINDS)
        return false;
    place_text(&p);
    build_machine(&p);
    return true;
}
