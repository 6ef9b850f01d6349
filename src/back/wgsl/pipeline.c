/* The passes of the WGSL target, in order. */
#include <string.h>
#include "back/wgsl/wgsl_int.h"

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct wgsl *)ctx)->arena, m);
}

static void prune(void *ctx, struct ir_module *m)
{
    (void)ctx;
    ir_prune(m);
}

static bool changed(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct wgsl *)ctx)->changed;
}

#define INLINE PASS_ROW("inline", "all calls", .module = inline_calls)
#define PRUNE  PASS_ROW("prune", "drop functions that nobody calls any more", .module = prune)

/* ---- before the device library is linked ---- */

static void textures(void *ctx, struct ir_func *f)
{
    *(bool *)ctx |= lower_textures(f);
}

static const struct pass before_library[] = {
    PASS_ROW("textures", "textures become calls of the device library's sampler", .func = textures),
    PASS_END,
};

/* ---- textures, when the sampler is there ---- */

static bool samples(const struct pass *p, void *ctx, struct ir_func *f)
{
    static const char *const entries[] = {"__tern_tex_matches", "__tern_tex_surface",
                                          "__tern_tex_query"};
    bool any = false;
    (void)p, (void)f;
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        any |= ir_func_find(((const struct wgsl *)ctx)->module, entries[k]) != NULL;
    return any;
}

/* It goes into the kernels, where the kind of texture and of access are known. */
static const struct pass sampler[] = {
    {.list = lower_optimise}, /* drops calls for what nobody reads */
    INLINE,
    PRUNE,
    {.list = lower_optimise}, /* each decides what the next can */
    {.list = lower_optimise},
    {.list = lower_optimise},
    PASS_END,
};

/* ---- large kernels ---- */

static bool is_large(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)ctx;
    return lower_soft_cost(f, SOFT_F64) > LOWER_SOFT_MUCH;
}

static bool any_is_large(const struct pass *p, void *ctx, struct ir_func *f)
{
    bool any = false;
    (void)f;
    ir_each_func (each, ((const struct wgsl *)ctx)->module)
        any |= each->flags & IR_FUNC_KERNEL && is_large(p, ctx, each);
    return any;
}

static void program(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    if (lower_program(w->arena, f, true))
        map_set(&w->programs, map_key(f), f);
}

static const struct pass large_kernel[] = {
    PASS_ROW("program", "a large kernel becomes the program of a small machine", .func = program),
    PASS_END,
};

static const struct pass large[] = {
    INLINE,
    PRUNE,
    {.list = large_kernel, .each = IR_FUNC_KERNEL, .when = is_large},
    PASS_END,
};

/* ---- variables ---- */

static void layout(void *ctx, struct ir_module *m)
{
    struct wgsl *w = ctx;
    w->shared_bytes = lower_shared_layout(m, &w->shared_offset);
    w->heap_bytes = WEB_HEADER;
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        uint32_t align = g->align > 4 ? g->align : 4;
        w->heap_bytes = (w->heap_bytes + align - 1) / align * align;
        map_set(&w->heap_offset, map_key(g), (void *)(uintptr_t)w->heap_bytes);
        w->heap_bytes += (uint32_t)g->size;
    }
    w->heap_bytes = (w->heap_bytes + 255) & ~255u;
}

/* ---- recursion ---- */

static bool recursive(struct wgsl *w, struct ir_func *f, struct ir_func *in, struct map *seen)
{
    if (map_has(seen, map_key(in)))
        return false;
    map_set(seen, map_key(in), in);
    ir_each_block (b, in)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->op == IR_OP_call && (i->callee == f || recursive(w, f, i->callee, seen)))
                return true;
            if (i->op == IR_OP_call_ptr)
                ir_each_func (g, w->module)
                    if (g->first && wgsl_fits_call(g, i) && (g == f || recursive(w, f, g, seen)))
                        return true;
        }
    return false;
}

static bool recurses(const struct pass *p, void *ctx, struct ir_func *of)
{
    struct wgsl *w = ctx;
    (void)p, (void)of;
    ir_each_func (f, w->module) {
        struct map seen;
        map_init(&seen, w->arena);
        w->deep |= f->first && recursive(w, f, f, &seen);
    }
    return w->deep;
}

/* Pointers keep the numbers that the switches are made with. */
static void call_pointers(void *ctx, struct ir_module *m)
{
    struct wgsl *w = ctx;
    ir_each_func (f, m)
        map_set(&w->func_number, map_key(f), (void *)(uintptr_t)lower_func_number(f));
    lower_call_pointers(w->arena, m);
}

static void recursion(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    w->changed = lower_recursion(w->arena, f, LOWER_STACK_BYTES);
}

static const struct pass deep_kernel[] = {
    PASS_ROW("recursion", "what calls itself jumps, with a stack in local memory",
             .func = recursion),
    {.list = lower_optimise, .when = changed},
    PASS_END,
};

/* WGSL has no recursion: where a function leads to itself, all calls go into the kernels, which get
 * a stack. */
static const struct pass deep[] = {
    PASS_ROW("call-pointers", "calls through pointers become switches", .module = call_pointers),
    INLINE,
    {.list = deep_kernel, .each = IR_FUNC_KERNEL},
    PRUNE,
    PASS_END,
};

/* ---- every function ---- */

static void matrices(void *ctx, struct ir_func *f)
{
    ((struct wgsl *)ctx)->changed = lower_matrices(f, 0);
}

/* f32 would round the sum, and its upper bits again. */
static void halves(void *ctx, struct ir_func *f)
{
    lower_soft(((struct wgsl *)ctx)->arena, f, SOFT_F16_FMA | SOFT_BF16_FMA);
}

static void atomics(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_atomics(f, ATOMICS_NARROW | ATOMICS_LOCAL);
}

static const struct pass each_function[] = {
    PASS_ROW("matrices", "warp matrix products become shuffles and sums", .func = matrices),
    {.list = lower_optimise, .when = changed},
    PASS_ROW("halves", "fma of f16 and bf16 is rounded once, by way of f64", .func = halves),
    PASS_ROW("atomics", "those of parts of words, and in local memory", .func = atomics),
    PASS_END,
};

static bool functions_wait(const struct pass *p, void *ctx, struct ir_func *of)
{
    bool waits = false;
    (void)p, (void)of;
    ir_each_func (f, ((const struct wgsl *)ctx)->module)
        waits |= !(f->flags & IR_FUNC_KERNEL) && f->first && lower_first_wait(f);
    return waits;
}

static const struct pass waiting[] = {INLINE, PRUNE, PASS_END};

static const struct pass module[] = {
    {.list = sampler, .when = samples},
    {.list = large, .when = any_is_large},
    PASS_ROW("layout", "variables get their places", .module = layout),
    {.list = deep, .when = recurses},
    {.list = each_function, .each = PASS_ALL},
    {.list = waiting, .when = functions_wait},
    PASS_END,
};

/* ---- a function, or a kernel, that is written ---- */

static void structurize(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    w->tree = lower_structurize(w->arena, f);
}

static void single_level(void *ctx, struct ir_func *f)
{
    (void)f;
    lower_single_level(((struct wgsl *)ctx)->tree);
}

#ifndef TERN_SMALL
static const char *tree_fault(void *ctx)
{
    return lower_tree_fault(((struct wgsl *)ctx)->tree, false);
}

static const char *single_fault(void *ctx)
{
    return lower_tree_fault(((struct wgsl *)ctx)->tree, true);
}
#endif

#define STRUCTURIZE                                                                                \
    PASS_ROW("structurize", "the graph becomes a tree of statements",                              \
             PASS_CHECK(tree_fault).func = structurize)
#define SINGLE_LEVEL                                                                               \
    PASS_ROW("single-level", "jumps leave one statement at a time",                                \
             PASS_CHECK(single_fault).func = single_level)

static const struct pass function[] = {STRUCTURIZE, SINGLE_LEVEL, PASS_END};

static void ballots(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    w->changed = lower_ballots(f, w->kernel->one);
}

static const struct pass on_subgroups[] = {
    PASS_ROW("ballots", "match and redux become votes", .func = ballots),
    {.list = function, .when = changed},
    PASS_END,
};

static void park(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    w->park = lower_park(w->arena, f, true);
}

static void straighten(void *ctx, struct ir_func *f)
{
    struct wgsl *w = ctx;
    (void)f;
    for (struct region *r = w->tree->body; r; r = r->next)
        if (r->kind == REGION_LOOP && r->block == w->park)
            lower_straighten(w->tree, r, 2);
}

static const struct pass parked[] = {
    PASS_ROW("park", "threads wait in one place, which all pass together", .func = park),
    STRUCTURIZE,
    PASS_ROW("straighten", "the loop around it goes round from one place", .func = straighten),
    SINGLE_LEVEL,
    PASS_END,
};

/* ---- running them ---- */

const char *wgsl_prepare(struct back_job *job)
{
    bool any = false;
    const struct wgsl_options *own = job->options.own;
    if (own && own->checked)
        lower_bounds(job->arena, job->module, WEB_ROOM_AT, WEB_ROOM_COUNT);
    pass_run(back_passes(job, &back_wgsl), before_library, &any);
    return any ? "#include \"device/gpu/texture.h\"\n" : NULL;
}

bool wgsl_lower(struct wgsl *w)
{
    return pass_run(back_passes(w->job, &back_wgsl), module, w);
}

bool wgsl_lower_func(struct wgsl *w, struct ir_func *f)
{
    struct passes *passes = back_passes(w->job, &back_wgsl);
    return pass_run_on(passes, function, w, f) && pass_check(passes, f);
}

/* Barriers that shader compilers would doubt, and what waits within a warp that is no subgroup, go
 * to the park. */
static bool needs_park(struct wgsl *w, struct wgsl_kernel *kernel)
{
    struct ir_func *f = kernel->func;
    bool park = lower_polls(f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            kernel->warps |= ir_is_warp_op((enum ir_op)i->op) || i->op == IR_OP_warpsync;
            park |= (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red) &&
                    (!ir_is_const(i->args[0]) || i->args[0]->u.bits || !ir_is_const(i->args[1]) ||
                     i->args[1]->u.bits);
        }
    if (!lower_first_wait(f))
        return false;
    if (park || !kernel->warps)
        return park || !lower_block_converges(w->arena, w->tree, true);
    return !wgsl_warps_fit(w, kernel);
}

bool wgsl_lower_kernel(struct wgsl *w, struct wgsl_kernel *kernel)
{
    struct passes *passes = back_passes(w->job, &back_wgsl);
    struct ir_func *f = kernel->func;
    w->kernel = kernel;
    if (!pass_run_on(passes, function, w, f))
        return false;
    const bool parks = needs_park(w, kernel);
    if (parks && w->options->bindings[0]) {
        w->func = f;
        wgsl_refuse(w, lower_first_wait(f),
                    "it waits in ways that bindings for single arguments do not go with");
        return true; /* others may have more to say */
    }
    if (kernel->subgroups && !pass_run_on(passes, on_subgroups, w, f))
        return false;
    if (parks && !pass_run_on(passes, parked, w, f))
        return false;
    if (parks)
        w->atomic[MEM_HEAP] = w->uses[MEM_HEAP] = true;
    return pass_check(passes, f);
}
