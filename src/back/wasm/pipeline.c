/* The passes of the WebAssembly target, in order. */
#include <string.h>
#include "back/wasm/wasm_int.h"

/* ---- before the device library is linked ---- */

struct preparation {
    struct arena *arena;
    bool textures, soft; /* are there */
};

/* A barrier of the grid is one of the block, its last, for more threads than there are: the
 * launcher sets them free when all blocks have come to it. */
#define WHOLE_GRID UINT32_MAX

static void grid_barriers(void *ctx, struct ir_func *f)
{
    (void)ctx;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_gridsync)
                continue;
            struct ir_builder at = ir_builder_before(i);
            struct ir_value *args[] = {ir_const(f->module, IR_I32, 15),
                                       ir_const(f->module, IR_I32, WHOLE_GRID)};
            at.span = i->span;
            ir_build(&at, IR_OP_barrier, IR_VOID, args, 2);
            ir_remove(i);
        }
}

bool wasm_is_together(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_barrier && ir_is_const(i->args[1]) &&
                i->args[1]->u.bits == WHOLE_GRID)
                return true;
    return false;
}

static void textures(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->textures |= lower_textures(f);
}

static bool is_directed(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)ctx;
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->flags & IR_ROUND_MASK && ir_op_info[i->op].flags & IR_ROUNDS &&
                i->op != IR_OP_ftosi && i->op != IR_OP_ftoui)
                return true;
    return false;
}

static void flush(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_flush(f);
}

static void soft_rounding(void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    p->soft |= lower_soft(p->arena, f, SOFT_ROUND);
}

static const struct pass directed[] = {
    PASS_ROW("flush", "subnormals that become zero, in so many words", .func = flush),
    PASS_ROW("soft-rounding", "rounding other than to nearest: calls of the device library",
             .func = soft_rounding),
    PASS_END,
};

static const struct pass prepared[] = {
    PASS_ROW("grid-barriers", "barriers of the grid, which the launcher opens",
             .func = grid_barriers),
    PASS_ROW("textures", "textures become calls of the device library's sampler", .func = textures),
    {.list = directed, .when = is_directed},
    PASS_END,
};

static const struct pass before_library[] = {{.list = prepared, .each = PASS_ALL}, PASS_END};

/* ---- the module ---- */

static void link_runtime(void *ctx, struct ir_module *m)
{
    struct wasm *w = ctx;
    struct source_map *sm = arena_new(w->arena, struct source_map);
    source_init(sm, w->arena);
    struct diag d;
    diag_init(&d, w->arena, sm);
    struct ir_module *lib =
        ir_parse(w->arena, m->names, sm, &d, "runtime.ir", wasm_runtime, strlen(wasm_runtime));
    w->failed = !lib;
    if (!lib) {
        diag_error(w->job->diag, span_at(0, 0), "wasm: the runtime is broken: %s",
                   d.first->message);
        return;
    }
    ir_each_func (f, lib)
        ir_func_clone_into(m, f);
}

static bool waits_outside_kernels(const struct pass *p, void *ctx, struct ir_func *of)
{
    (void)p, (void)of;
    ir_each_func (f, ((const struct wasm *)ctx)->module)
        if (!(f->flags & IR_FUNC_KERNEL) && f->first && lower_first_wait(f))
            return true;
    return false;
}

static void matrices(void *ctx, struct ir_func *f)
{
    ((struct wasm *)ctx)->had_matrices = lower_matrices(f, 0);
}

static bool had_matrices(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct wasm *)ctx)->had_matrices;
}

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct wasm *)ctx)->arena, m);
}

static const struct pass matrix[] = {
    PASS_ROW("matrices", "warp matrix products become shuffles and sums", .func = matrices),
    {.list = lower_optimise, .when = had_matrices},
    PASS_END,
};

static const struct pass module[] = {
    PASS_ROW("runtime", "what kernels call: launching, waiting, functions WebAssembly lacks",
             .module = link_runtime),
    {.list = matrix, .each = PASS_ALL},
    PASS_ROW("inline", "all calls, where functions wait", .module = inline_calls,
             .when = waits_outside_kernels),
    PASS_END,
};

/* ---- a block of threads in one call ---- */

/* Is there code for all that the vectoriser made of it? Engines take 50,000 locals. */
enum { MOST_LOCALS = 30000 };
static bool is_expressible(const struct ir_func *f)
{
    uint32_t locals = 0;
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            locals += wasm_parts((*p)->type);
        for (struct ir_inst *i = b->first; i; i = i->next) {
            const char *why;
            locals += wasm_touches_vectors(i) ? 4 : 0; /* code for single lanes */
            for (uint32_t k = 0; k < i->nresults; k++)
                locals += wasm_parts(i->results[k].type);
            if (locals > MOST_LOCALS)
                return false;
            if (wasm_touches_vectors(i) && !wasm_takes_vector(i))
                return false;
            if (wasm_supports((enum ir_op)i->op, ir_scalar(i->type), &why) == BACK_NO)
                return false;
        }
    }
    return true;
}

/* A lane that waits for a lock keeps the lane that holds it from going on. */
static bool may_spin(struct ir_func *f)
{
    ir_cfg(f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            bool lock = i->op == IR_OP_cas || (i->op == IR_OP_rmw && i->imm == IR_RMW_XCHG) ||
                        (i->op == IR_OP_load &&
                         ((i->flags & IR_VOLATILE) || ir_order(i->flags) != IR_ORDER_NONE));
            if (!lock)
                continue;
            ir_each_block (head, f) /* in a loop: a back edge to a block above it */
                for (size_t p = 0; p < head->preds.len; p++)
                    if (ir_dominates(head, b) && ir_dominates(head, head->preds.data[p]))
                        return true;
        }
    return false;
}

enum { NATIVE_LANES = 4, LOOP_REGISTERS = 16, INTERLEAVE = 4 }; /* engines check each access */
/* May its shared memory be held in locals? With all gangs written out, if that is not too much and
 * no loop asks for more of them. */
enum { MOST_WRITTEN = 4096 }; /* instructions of one thread, for all gangs */
static bool may_hold(struct ir_func *f, const struct vector_options *how)
{
    const uint32_t gangs = how->block[0] * how->block[1] * how->block[2] / how->lanes;
    bool waits = false, shares = false;
    unsigned size = 0;
    ir_cfg(f);
    ir_each_block (b, f) {
        if (ir_goes_round(b))
            return false;
        ir_each_inst (i, b) {
            waits |= i->op == IR_OP_barrier;
            for (uint32_t k = 0; k < i->nargs; k++)
                shares |= i->args[k]->kind == IR_VALUE_GLOBAL &&
                          i->args[k]->u.global->space == IR_SPACE_SHARED;
            size++;
        }
    }
    return waits && shares && gangs && size * gangs <= MOST_WRITTEN;
}

struct vectorisation {
    struct wasm *w;
    struct ir_func *kernel, *block; /* block: NULL: it cannot be done */
    struct vector_options how;
};

static void vectorize(void *ctx, struct ir_module *m)
{
    struct vectorisation *v = ctx;
    const char *why;
    (void)m;
    v->block = lower_vectorize(v->w->arena, v->kernel, &v->how, &why);
    if (v->block)
        v->block->flags |= IR_FUNC_LOWERED;
}

static const struct pass gangs[] = {
    PASS_ROW("vectorize", "a function that runs all threads of a block, gang by gang",
             .module = vectorize),
    PASS_END,
};

static void expand(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_expand(f, EXPAND_BITS | EXPAND_MULHI);
}

static void vector_calls(void *ctx, struct ir_func *f)
{
    wasm_vector_calls(ctx, f);
}

static void narrow(void *ctx, struct ir_func *f)
{
    wasm_narrow(ctx, f);
}

static void lanes(void *ctx, struct ir_func *f)
{
    wasm_lanes(ctx, f);
}

static void reassociate(void *ctx, struct ir_func *f)
{
    wasm_reassociate(ctx, f);
}

static void unswitch(void *ctx, struct ir_func *f)
{
    lower_unswitch(((struct wasm *)ctx)->arena, f);
}

static const struct pass block[] = {
    PASS_ROW("expand", "operations that WebAssembly lacks", .func = expand),
    PASS_ROW("vector-calls", "functions of the runtime, on vectors", .func = vector_calls),
    {.list = lower_optimise},
    PASS_ROW("narrow", "what is added to pointers has 32 bits", .func = narrow),
    PASS_ROW("lanes", "vectors whose lanes are known", .func = lanes),
    PASS_ROW("reassociate", "addresses in loops: what the loop changes apart from what it does not",
             .func = reassociate),
    {.list = lower_settle},
    PASS_ROW("unswitch", "loops over gangs get one without masks", .func = unswitch),
    PASS_END,
};

/* ---- a function that is written ---- */

static bool suspends(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct wasm *)ctx)->suspends;
}

static void suspend(void *ctx, struct ir_func *f)
{
    struct wasm *w = ctx;
    w->frame_bytes = lower_suspend(w->arena, f);
}

static void structurize(void *ctx, struct ir_func *f)
{
    struct wasm *w = ctx;
    w->tree = lower_structurize(w->arena, f);
}

#ifndef TERN_SMALL
static const char *tree_fault(void *ctx)
{
    return lower_tree_fault(((struct wasm *)ctx)->tree, false);
}
#endif

static const struct pass function[] = {
    PASS_ROW("flush", "subnormals that become zero, in so many words", .func = flush),
    PASS_ROW("expand", "operations that WebAssembly lacks", .func = expand),
    PASS_ROW("suspend", "a thread that waits returns, and goes on when it is called again",
             .func = suspend, .when = suspends),
    PASS_ROW("narrow", "what is added to pointers has 32 bits", .func = narrow),
    PASS_ROW("structurize", "the graph becomes a tree of blocks and loops",
             PASS_CHECK(tree_fault).func = structurize),
    PASS_END,
};

/* ---- running them ---- */

const char *wasm_prepare(struct back_job *job)
{
    struct preparation p = {.arena = job->arena};
    const struct wasm_options *own = job->options.own;
    if (own && own->checked && !job->options.host)
        lower_bounds(job->arena, job->module, WEB_ROOM_AT, WEB_ROOM_COUNT);
    pass_run(back_passes(job, &back_wasm), before_library, &p);
    if (!p.textures && !p.soft)
        return NULL;
    return arena_printf(job->arena, "%s%s", p.textures ? "#include \"device/gpu/texture.h\"\n" : "",
                        p.soft ? "#include \"device/gpu/soft.h\"\n" : "");
}

bool wasm_lower(struct wasm *w)
{
    return pass_run(back_passes(w->job, &back_wasm), module, w) && !w->failed;
}

/* All threads of a block in one call, gang by gang, where the vectoriser can; else NULL. */
static struct ir_func *one_block(struct wasm *w, struct ir_func *f,
                                 const struct vector_options *how)
{
    struct passes *passes = back_passes(w->job, &back_wasm);
    struct vectorisation v = {.w = w, .kernel = f, .how = *how};
    v.how.passes = passes;
    if (!pass_run_on(passes, gangs, &v, f) || !v.block || !pass_run_on(passes, block, w, v.block))
        return NULL;
    return is_expressible(v.block) ? v.block : NULL;
}

static struct ir_func *held_block(struct wasm *w, struct ir_func *f, struct vector_options how,
                                  uint32_t *lanes)
{
    how.unroll_gangs = true;
    while (!how.warps && how.pieces < 4 && how.block[1] % (2 * how.pieces) == 0)
        how.pieces *= 2; /* rows at once may take their lanes out of the same vectors */
    struct ir_func *block = one_block(w, f, &how);
    if (!block)
        return NULL;
    ir_renumber(block);
    wasm_find_constant_lanes(w, block);
    *lanes = how.lanes * how.pieces;
    return wasm_hold(w, block) ? block : NULL;
}

static struct ir_func *vectorised(struct wasm *w, struct ir_func *f, uint32_t *lanes)
{
    const struct wasm_options *o = w->options;
    *lanes = 1;
    if (o->gang == 1)
        return NULL;
    struct vector_needs needs = lower_vector_needs(w->arena, f);
    /* rows of unknown length: what fits into most */
    unsigned gang = o->gang ? o->gang : o->block[0] ? 0 : 2 * NATIVE_LANES;
    struct vector_options how =
        lower_vector_shape(&needs, NATIVE_LANES, LOOP_REGISTERS, gang, o->block);
    if (needs.why || may_spin(f))
        return NULL;
    struct ir_func *block = may_hold(f, &how) ? held_block(w, f, how, lanes) : NULL;
    if (block)
        return block;
    how.interleave = INTERLEAVE;
    how.coarsen = how.coarsen_single_rows = true;
    block = one_block(w, f, &how);
    if (block)
        *lanes = how.lanes * how.pieces;
    return block;
}

bool wasm_vectorize(struct wasm *w, struct ir_func *f, struct ir_func **out, uint32_t *lanes)
{
    *out = vectorised(w, f, lanes);
    return !w->job->passes.broken;
}

bool wasm_lower_func(struct wasm *w, struct ir_func *f, bool may_wait)
{
    struct passes *passes = back_passes(w->job, &back_wasm);
    w->func = f;
    w->suspends = may_wait && lower_first_wait(f); /* else it, or a whole block, runs to its end */
    w->frame_bytes = 0;
    return pass_run_on(passes, function, w, f) && pass_check(passes, f);
}
