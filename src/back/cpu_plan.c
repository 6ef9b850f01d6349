/* Which kernel runs how on a processor. */
#include <string.h>
#include "back/cpu_plan.h"

/* ---- what a kernel needs ---- */
static const struct {
    enum ir_op op;
    bool waits;
    uint32_t uses;
} traits[] = {
    {IR_OP_barrier, true, BACK_USES_BARRIER},     {IR_OP_barrier_arrive, true, BACK_USES_BARRIER},
    {IR_OP_barrier_red, true, BACK_USES_BARRIER}, {IR_OP_warpsync, true, BACK_USES_WARP},
    {IR_OP_shfl, true, BACK_USES_WARP},           {IR_OP_vote, true, BACK_USES_WARP},
    {IR_OP_match, true, BACK_USES_WARP},          {IR_OP_redux, true, BACK_USES_WARP},
    {IR_OP_activemask, true, BACK_USES_WARP},     {IR_OP_mma, true, BACK_USES_WARP},
    {IR_OP_printf, false, BACK_USES_PRINTF},      {IR_OP_gridsync, true, BACK_USES_GRIDSYNC},
    {IR_OP_malloc, false, BACK_USES_HEAP},        {IR_OP_free, false, BACK_USES_HEAP},
    {IR_OP_launch, false, BACK_USES_LAUNCH},
};

bool cpu_goes_in_step(const struct ir_inst *i)
{
    return (i->op == IR_OP_load || i->op == IR_OP_store) &&
           (i->flags & IR_STEP ||
            (i->flags & IR_VOLATILE && ir_space(i->args[0]->type) == IR_SPACE_SHARED));
}

static void reach(struct cpu_plan *p, struct ir_module *m, struct ir_func *f)
{
    if (map_has(&p->funcs, map_key(f))) {
        p->recursive = true;
        return;
    }
    map_set(&p->funcs, map_key(f), f);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (size_t k = 0; k < sizeof traits / sizeof *traits; k++)
                if (traits[k].op == i->op) {
                    p->waits |= traits[k].waits;
                    p->uses |= traits[k].uses;
                }
            p->told.asks_space |= i->op == IR_OP_isspace;
            p->waits |= cpu_goes_in_step(i);
            if (i->op == IR_OP_alloca)
                p->local += i->imm + i->align;
            if (i->op == IR_OP_exit && f != p->kernel)
                p->waits = true;
            if (i->op == IR_OP_call && i->callee->first)
                reach(p, m, i->callee);
            if (i->op == IR_OP_call_ptr)
                ir_each_func (other, m)
                    if (other->address && other->first && !map_has(&p->funcs, map_key(other)))
                        reach(p, m, other);
        }
}

/* ---- how a kernel's threads become lanes ---- */
/* Blocks whose rows do not fill a vector may share one: powers of two, so that it begins where one
 * of them begins. */
static bool is_short(const struct back_cpu_options *o, unsigned native)
{
    return o->block[0] && o->block[0] < native && !(o->block[0] & (o->block[0] - 1));
}

static struct vector_options choose(const struct back_cpu_options *o,
                                    const struct vector_needs *needs, bool may_join)
{
    unsigned bytes = o->vector_bytes ? o->vector_bytes : 16;
    unsigned native = bytes / 4, gang = o->gang, wide = 8 * native;
    /* more lanes wait for memory at once, as long as what loops carry stays in registers */
    if (!gang && needs->looks_up && !needs->warps && wide <= IR_MAX_LANES && needs->pressure <= 4 &&
        o->block[0] && o->block[0] % wide == 0)
        gang = wide;
    const unsigned registers = bytes == 32 ? 8 : 16;
    struct vector_options v = lower_vector_shape(needs, native, registers, gang, o->block);
    if (!gang && may_join && is_short(o, native)) {
        const uint32_t row[3] = {4 * native, o->block[1], o->block[2]};
        const struct vector_options alone = v;
        v = lower_vector_shape(needs, native, registers, 0, row);
        memcpy(v.block, o->block, sizeof v.block);
        v.lanes_alone = alone.lanes;
        v.pieces_alone = alone.pieces;
        v.warps_alone = alone.warps;
    }
    return v;
}

/* By how much it grows from one thread of a row to the next, if it is that, and a constant. */
static bool grows_by(const struct ir_value *x, unsigned depth, int64_t *by)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    int64_t other = 0;
    *by = 0;
    if (!i || !depth)
        return x->kind == IR_VALUE_CONST || x->kind == IR_VALUE_GLOBAL;
    switch (i->op) {
    case IR_OP_sreg: *by = 1; return i->imm == IR_SREG_TID_X;
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_cvta: return grows_by(i->args[0], depth - 1, by);
    case IR_OP_shl:
    case IR_OP_mul:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits > 32 ||
            !grows_by(i->args[0], depth - 1, by))
            return false;
        *by *= i->op == IR_OP_mul ? (int64_t)i->args[1]->u.bits : INT64_C(1) << i->args[1]->u.bits;
        return true;
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_ptradd:
        if (!grows_by(i->args[0], depth - 1, by) || !grows_by(i->args[1], depth - 1, &other))
            return false;
        *by += i->op == IR_OP_sub ? -other : other;
        return true;
    default: return false;
    }
}

/* Threads of a row have elements side by side in shared memory, or all the same one. */
static bool is_row(const struct ir_inst *i, bool *shares)
{
    const ir_type t = i->op == IR_OP_store ? i->args[1]->type : i->type;
    int64_t by;
    if (i->op == IR_OP_load || i->op == IR_OP_store) {
        if (ir_space(i->args[0]->type) != IR_SPACE_SHARED)
            return true;
        *shares = true;
        return grows_by(i->args[0], 12, &by) && (!by || by == (int64_t)ir_bytes(t));
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (i->op != IR_OP_ptradd && ir_kind(i->args[k]->type) == IR_PTR &&
            ir_space(i->args[k]->type) == IR_SPACE_SHARED)
            return false;
    return true;
}

/* Gangs of a kernel without loops whose threads exchange rows of elements in shared memory are
 * written out one by one, where a vector of each fits into registers: which threads take part in a
 * step of a scan is known then, and what a gang has stored need not be loaded again. */
enum { MOST_WRITTEN = 1024 }; /* instructions of one thread, for all gangs */
static bool may_unroll_gangs(struct ir_func *f, const struct back_cpu_options *o,
                             const struct vector_options *how)
{
    const uint32_t threads = o->block[0] * o->block[1] * o->block[2],
                   gangs = threads / (how->lanes * how->pieces);
    bool waits = false, shares = false;
    unsigned size = 0;
    if (!o->held || gangs < 2 || threads > o->held * (o->vector_bytes / 4) || how->warps)
        return false;
    ir_cfg(f);
    ir_each_block (b, f) {
        if (ir_goes_round(b))
            return false;
        ir_each_inst (i, b) {
            if (i->op == IR_OP_check || !is_row(i, &shares))
                return false;
            waits |= i->op == IR_OP_barrier;
            size++;
        }
    }
    return waits && shares && size * gangs <= MOST_WRITTEN;
}

/* Pages show the C of gangs, and run none of it. */
static bool alone(struct arena *a, struct ir_func *kernel, const struct vector_needs *needs,
                  unsigned divide)
{
#ifdef __wasm__
    (void)a, (void)kernel, (void)needs, (void)divide;
    return false;
#else
    return !needs->warps && lower_better_alone(a, kernel, divide);
#endif
}

enum { RESIDENT_THREADS = 16384 };
/* Half of what a thread of the system has by default. Blocks that need more run thread by thread.
 */
enum { MOST_LOCAL = 4 << 20 };
/* Functions are called by one thread at a time: kernels up to this size get theirs inlined, so that
 * threads are lanes. */
enum { MOST_INLINED = 3000, MOST_DEPTH = 20 };
/* Rows longer than this would be gone from the cache when the next one is read beside them. */
enum { RUN_THREADS = 16384 };
/* Code that reads numbers from so many places to look up elements by them keeps processors from
 * seeing what it will read next. */
enum { MANY_LOOKUPS = 8 };
/* A coroutine's stack beyond its local memory; more where functions call themselves. */
enum { FIBER_STACK = 65536, RECURSION_STACK = 262144, PAGE = 4096 };

/* Bytes of a function's local memory: a block's threads in one have all of theirs in it. */
static uint64_t local_bytes(const struct ir_func *f)
{
    uint64_t n = 0;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_alloca)
                n += i->imm + i->align;
    return n;
}

/* How large a function is with all that it calls in it; what calls itself, or through pointers, has
 * no size. */
static uint64_t whole_size(const struct ir_func *f, unsigned depth)
{
    uint64_t n = 0;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op == IR_OP_call_ptr || depth > MOST_DEPTH || n > MOST_INLINED)
                return UINT32_MAX;
            n += i->op == IR_OP_call && i->callee->first ? whole_size(i->callee, depth + 1) : 1;
        }
    return n;
}

static bool calls(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call && i->callee->first)
                return true;
    return false;
}

/* What launchers are told, and how many blocks a call takes. */
static void tell(struct cpu_plan *p, const struct back_cpu_options *o)
{
    const uint32_t *shape = o->block, threads = shape[0] * shape[1] * shape[2];
    size_t more = p->whole ? p->whole->params.len - p->kernel->params.len : 0;
    /* Blocks that wait for each other run at once: all of a cooperative grid, else some. */
    uint32_t resident = p->uses & BACK_USES_GRIDSYNC ? UINT32_MAX
                        : !p->spins                  ? 1
                                                     : RESIDENT_THREADS / (threads ? threads : 256);
    p->told.gang = p->gang;
    p->told.resident = p->whole || !p->waits ? 1 : resident;
    p->told.coarsens_x = more == 1;
    p->told.coarsens_y = more == 2;
    p->most = p->told.coarsens_y ? BACK_COARSE_THREADS / (threads ? threads : 1)
                                 : RUN_THREADS / (shape[0] ? shape[0] : 1);
    p->stack = (p->local + FIBER_STACK + (p->recursive ? RECURSION_STACK : 0) + PAGE - 1) &
               ~(uint64_t)(PAGE - 1);
}

void cpu_plan_threads(struct cpu_plan *p, const struct back_cpu_options *o)
{
    p->whole = NULL;
    p->gang = 1;
    tell(p, o);
}

/* ---- passes ---- */
struct state {
    struct arena *arena;
    bool quick, divided;
    unsigned divide;                /* enum lower_division */
    struct ir_func *kernel, *block; /* block: NULL: it cannot be done */
    struct vector_options how;
};

static void quick(void *ctx, struct ir_func *f)
{
    ((struct state *)ctx)->quick |= lower_quick(f);
}

static void inline_quick(void *ctx, struct ir_module *m)
{
    struct state *s = ctx;
    s->quick = lower_quick_inline(s->arena, m);
}

static bool has_quick(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct state *)ctx)->quick;
}

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct state *)ctx)->arena, m);
}

static void vectorize(void *ctx, struct ir_module *m)
{
    struct state *s = ctx;
    const char *why;
    (void)m;
    s->block = lower_vectorize(s->arena, s->kernel, &s->how, &why);
}

/* No CPU has instructions for the quick functions: the device library's are called, and inlined so
 * that they become vectors like the rest. */
static const struct pass before_library[] = {
    PASS_ROW("quick", "quick functions become calls of the device library", .func = quick),
    PASS_END,
};
static const struct pass module[] = {
    PASS_ROW("inline-quick", "those calls are inlined", .module = inline_quick),
    {.list = lower_optimise, .when = has_quick},
    {.list = lower_combine},
    PASS_END,
};
/* Threads that rely on the steps of their warp are lanes, functions and all. */
static const struct pass in_step[] = {
    PASS_ROW("inline", "all calls", .module = inline_calls),
    {.list = lower_optimise},
    PASS_END,
};
static const struct pass gangs[] = {
    PASS_ROW("vectorize", "a function that runs all threads of a block, gang by gang",
             .module = vectorize),
    PASS_END,
};
static void votes(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_votes(f);
}

/* Which lanes of a gang that was written out take part is known, and what it has stored. */
static const struct pass written_out[] = {
    PASS_ROW("votes", "of masks whose lanes are known", .func = votes),
    {.list = lower_optimise},
    PASS_END,
};

static void divide(void *ctx, struct ir_func *f)
{
    struct state *s = ctx;
    s->divided = lower_division(f, s->divide);
}

static bool has_divided(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct state *)ctx)->divided;
}

/* After the vectoriser: what lanes have in common is known, and divided by once. */
static const struct pass division[] = {
    PASS_ROW("division", "integers of vectors are divided as floats", .func = divide),
    {.list = lower_shared, .when = has_divided},
    PASS_END,
};

static bool divide_lanes(struct passes *passes, struct state *s)
{
    return !s->block || pass_run_on(passes, division, s, s->block);
}

const char *cpu_prepare(struct back_job *job, const struct back_target *t)
{
    struct state s = {.arena = job->arena};
    pass_run(back_passes(job, t), before_library, &s);
    return s.quick ? lower_quick_library(job->arena, job->module) : NULL;
}

bool cpu_lower(struct back_job *job, const struct back_target *t)
{
    struct state s = {.arena = job->arena};
    return pass_run(back_passes(job, t), module, &s);
}

bool cpu_plan(struct cpu_plan *p, struct back_job *job, const struct back_target *t,
              struct ir_func *kernel, const struct back_cpu_options *o, bool track)
{
    struct arena *a = job->arena;
    struct passes *passes = back_passes(job, t);
    struct state s = {.arena = a, .kernel = kernel, .divide = o->divide};
    *p = (struct cpu_plan){.kernel = kernel, .gang = 1};
    if (o->gang != 1 && calls(kernel) && whole_size(kernel, 0) <= MOST_INLINED &&
        lower_vector_needs(a, kernel).in_step && !pass_run_on(passes, in_step, &s, kernel))
        return false;
    map_init(&p->funcs, a);
    reach(p, job->module, kernel);
    struct vector_needs needs = lower_vector_needs(a, kernel);
    map_each (e, &p->funcs)
        needs.spins |= lower_vector_needs(a, e->value).spins;
    if (needs.spins) /* threads must take turns */
        p->waits = p->spins = true;
    p->ahead = needs.lookups >= MANY_LOOKUPS;
    if (o->gang != 1 && !needs.why && !(!o->gang && alone(a, kernel, &needs, o->divide))) {
        const bool may_join = !track && !needs.warps && !needs.checked && lower_may_join(kernel);
        s.how = choose(o, &needs, may_join);
        s.how.coarsen = !track;
        s.how.passes = passes;
        s.how.unroll_gangs = may_unroll_gangs(kernel, o, &s.how);
        s.how.columns = o->columns;
        if (!pass_run_on(passes, gangs, &s, kernel) ||
            (s.how.unroll_gangs && s.block && !pass_run_on(passes, written_out, &s, s.block)) ||
            !divide_lanes(passes, &s))
            return false;
        p->made = s.block;
        p->whole = s.block && local_bytes(s.block) <= MOST_LOCAL ? s.block : NULL;
        p->holds = p->whole && s.how.unroll_gangs;
        p->gang = p->whole ? s.how.lanes * s.how.pieces : 1;
    }
    tell(p, o);
    return true;
}
