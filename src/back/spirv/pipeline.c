/* The passes of the SPIR-V target, in order. */
#include <string.h>
#include "back/spirv/spirv_int.h"

/* ---- before the device library is linked ---- */

struct preparation {
    struct arena *arena;
    const struct spirv_features *have;
    bool changed;         /* the kernel, by what may leave it as it was */
    uint32_t softens;     /* the kernel: spv_softens */
    bool parks;           /* the kernel */
    bool used[SPV_PARTS]; /* of the device library */
};

static bool changed(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct preparation *)ctx)->changed;
}

static void call_pointers(void *ctx, struct ir_module *m)
{
    lower_call_pointers(((struct preparation *)ctx)->arena, m);
}

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct preparation *)ctx)->arena, m);
}

static bool is_large(const struct pass *p, void *ctx, struct ir_func *f)
{
    const struct spirv_features *have = ((const struct preparation *)ctx)->have;
    (void)p;
    return lower_soft_cost(f, (have->f64 ? 0 : SOFT_F64) | (have->fused_fma ? 0 : SOFT_FMA)) >
           LOWER_SOFT_MUCH;
}

/* Threads that park are no subgroup, nor is the small machine that runs a program. */
static void matrices(void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    const bool alone = spv_needs_park(p->arena, p->have, f) || is_large(NULL, p, f);
    p->changed = lower_matrices(f, alone ? 0 : spv_matrices(p->have));
}

static void recursion(void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    p->changed |= lower_recursion(p->arena, f, LOWER_STACK_BYTES);
}

static bool wants_loops(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct preparation *)ctx)->have->plain_loops;
}

static void heap(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->used[SPV_HEAP] |= spv_use_heap(f);
}

static void grid(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->used[SPV_GRID] |= spv_use_grid(f);
}

static void textures(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->used[SPV_TEXTURE] |= lower_textures(f);
}

static void launches(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->used[SPV_LAUNCH] |= lower_launches(f);
}

static void program(void *ctx, struct ir_func *f)
{
    const struct preparation *p = ctx;
    lower_program(p->arena, f, !p->have->subgroup_32);
}

static void flush(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_flush(f);
}

static bool divides(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p;
    return spv_divides(((const struct preparation *)ctx)->have, f);
}

static void quotients(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_quotients(f, false);
}

#define FLUSH PASS_ROW("flush", "subnormals that become zero, in so many words", .func = flush)

static const struct pass division[] = {
    FLUSH,
    PASS_ROW("quotients", "division, where the driver's is not exact", .func = quotients),
    PASS_END,
};

static bool softens(const struct pass *p, void *ctx, struct ir_func *f)
{
    struct preparation *s = ctx;
    (void)p;
    return (s->softens = spv_softens(s->have, f)) != 0;
}

static bool lacks_f64(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct preparation *)ctx)->softens & SPV_WIDE;
}

static void f64_atomics(void *ctx, struct ir_func *f)
{
    lower_atomics(f, spv_atomics(((const struct preparation *)ctx)->have));
}

static void f64_swaps(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_expand(f, EXPAND_FLOAT_RMW);
}

static void soft(void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    p->used[SPV_SOFT] |= lower_soft(p->arena, f, p->softens & ~(uint32_t)SPV_WIDE);
}

static const struct pass floats[] = {
    FLUSH,
    PASS_ROW("atomics", "those of more than the device has", .func = f64_atomics,
             .when = lacks_f64),
    PASS_ROW("swaps", "atomics on floats become loops", .func = f64_swaps, .when = lacks_f64),
    PASS_ROW("soft", "floating point that the device lacks: calls of the device library",
             .func = soft),
    PASS_END,
};

static bool lacks_i64(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return !((const struct preparation *)ctx)->have->i64;
}

static void wide(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->used[SPV_WIDE_INTEGERS] |= spv_use_wide(f);
}

static bool parks(const struct pass *row, void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    (void)row;
    return p->parks = spv_needs_park(p->arena, p->have, f);
}

static bool does_not_park(const struct pass *row, void *ctx, struct ir_func *f)
{
    (void)row, (void)f;
    return !((const struct preparation *)ctx)->parks;
}

static void park(void *ctx, struct ir_func *f)
{
    struct preparation *p = ctx;
    spv_park(p->arena, f);
    p->used[SPV_PARK] = true;
}

static void ballots(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_ballots(f, false);
}

static const struct pass prepared_kernel[] = {
    PASS_ROW("matrices", "warp matrix products that the device lacks become shuffles and sums",
             .func = matrices),
    PASS_ROW("recursion", "what calls itself jumps, with a stack in local memory",
             .func = recursion),
    {.list = lower_optimise, .when = changed},
    {.list = lower_unroll, .when = wants_loops},
    PASS_ROW("heap", "malloc and free become calls of the device library", .func = heap),
    PASS_ROW("grid", "barriers of the grid become a count in memory", .func = grid),
    PASS_ROW("textures", "textures become calls of the device library's sampler", .func = textures),
    PASS_ROW("launches", "launches from kernels become calls of the device library",
             .func = launches),
    PASS_ROW("program", "a large kernel becomes the program of a small machine", .func = program,
             .when = is_large),
    {.list = division, .when = divides},
    {.list = floats, .when = softens},
    PASS_ROW("wide", "64-bit division becomes calls of the device library", .func = wide,
             .when = lacks_i64),
    PASS_ROW("park", "threads wait in one place, which all pass together", .func = park,
             .when = parks),
    PASS_ROW("ballots", "match and redux become votes", .func = ballots, .when = does_not_park),
    PASS_END,
};

static const struct pass before_library[] = {
    PASS_ROW("call-pointers", "calls through pointers become switches", .module = call_pointers),
    PASS_ROW("inline", "all calls", .module = inline_calls),
    {.list = prepared_kernel, .each = IR_FUNC_KERNEL},
    PASS_END,
};

/* ---- the module ---- */

static struct spv_use library_use(const struct ir_func *f)
{
    static const struct {
        const char *name;
        struct spv_use use;
    } parts[] = {{"__tern_park", {true, true, 0}},
                 {"__tern_tex_sample", {true, false, BACK_USES_TEXTURES}},
                 {"__tern_tex_surface", {true, false, BACK_USES_TEXTURES}},
                 {"__tern_grid_wait", {true, false, BACK_USES_GRIDSYNC}},
                 {LOWER_LAUNCH, {true, false, BACK_USES_LAUNCH}},
                 {SPV_CHECK_LOG, {true, false, 0}},
                 {"__tern_heap_take", {true, false, BACK_USES_HEAP}},
                 {"__tern_heap_give", {true, false, BACK_USES_HEAP}}};
    struct spv_use all = {0};
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (size_t k = 0; i->op == IR_OP_call && k < sizeof parts / sizeof *parts; k++)
                if (!strcmp(i->callee->name, parts[k].name)) {
                    all.any = true;
                    all.parks |= parts[k].use.parks;
                    all.uses |= parts[k].use.uses;
                }
    return all;
}

static void find_uses(void *ctx, struct ir_module *m)
{
    struct spv_module *s = ctx;
    map_init(&s->uses, s->arena);
    ir_each_func (f, m) {
        struct spv_use *use = arena_new(s->arena, struct spv_use);
        *use = library_use(f);
        map_set(&s->uses, map_key(f), use);
    }
}

static bool is_ours(const struct ir_func *f) /* written by us where it is called */
{
    const enum lower_call c = lower_call_of(f);
    return c == LOWER_CALL_STUCK || c == LOWER_CALL_HEAP_AT || c == LOWER_CALL_GRID_AT ||
           c == LOWER_CALL_OUTPUT_AT;
}

static void drop_ours(void *ctx, struct ir_module *m)
{
    (void)ctx;
    ir_each_func (f, m)
        if (is_ours(f))
            f->first = f->last = NULL;
}

static bool stays_function(const struct ir_func *f)
{
    return !strncmp(f->name, LOWER_SOFT_PREFIX, strlen(LOWER_SOFT_PREFIX)) ||
           !strncmp(f->name, "__tern_tex_", 11) || !strcmp(f->name, SPV_CHECK_LOG "_record");
}

/* Inlines everything but the functions that are emitted as such. */
static void inline_linked(void *ctx, struct ir_module *m)
{
    struct spv_module *s = ctx;
    struct map bodies;
    map_init(&bodies, s->arena);
    ir_each_func (f, m)
        if (stays_function(f) && f->first) {
            map_set(&bodies, map_key(f), f->first);
            map_set(&s->function_ids, map_key(f), (void *)(uintptr_t)spv_new(s));
            f->first = NULL;
        }
    lower_inline_calls(s->arena, m);
    ir_each_func (f, m)
        if (map_has(&bodies, map_key(f)))
            f->first = map_get(&bodies, map_key(f));
}

static const struct pass module[] = {
    PASS_ROW("uses", "which parts of the device library kernels call", .module = find_uses),
    PASS_ROW("drop-ours", "functions that are written where they are called", .module = drop_ours),
    PASS_ROW("inline", "all calls but of large functions of the device library",
             .module = inline_linked),
    PASS_END,
};

/* ---- a function, or a kernel, that is written ---- */

static void expand_func(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_expand(f, EXPAND_BITS | EXPAND_MULHI | EXPAND_COPIES);
}

static void structurize(void *ctx, struct ir_func *f)
{
    struct spv_kernel *k = ctx;
    k->tree = lower_structurize(k->s->arena, f);
}

static void single_level(void *ctx, struct ir_func *f)
{
    (void)f;
    lower_single_level(((struct spv_kernel *)ctx)->tree);
}

#ifndef TERN_SMALL
static const char *tree_fault(void *ctx)
{
    return lower_tree_fault(((struct spv_kernel *)ctx)->tree, false);
}

static const char *single_fault(void *ctx)
{
    return lower_tree_fault(((struct spv_kernel *)ctx)->tree, true);
}
#endif

#define STRUCTURIZE                                                                                \
    PASS_ROW("structurize", "the graph becomes a tree of statements",                              \
             PASS_CHECK(tree_fault).func = structurize)
#define SINGLE_LEVEL                                                                               \
    PASS_ROW("single-level", "jumps leave one statement at a time",                                \
             PASS_CHECK(single_fault).func = single_level)

static const struct pass function[] = {
    PASS_ROW("expand", "operations that SPIR-V lacks", .func = expand_func),
    STRUCTURIZE,
    SINGLE_LEVEL,
    PASS_END,
};

static bool calls_library(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct spv_kernel *)ctx)->use.any;
}

static void atomics(void *ctx, struct ir_func *f)
{
    struct spv_kernel *k = ctx;
    lower_atomics(f, ATOMICS_NARROW | spv_atomics(k->s->features));
    k->locks = lower_has_shared_lock(f);
}

static void expand(void *ctx, struct ir_func *f)
{
    const struct spirv_features *have = ((const struct spv_kernel *)ctx)->s->features;
    uint32_t flags =
        EXPAND_BITS | EXPAND_MULHI | EXPAND_COPIES | EXPAND_COUNT_RMW | EXPAND_FLOAT_MINMAX_RMW;
    flags |= EXPAND_FADD_NEAR; /* shared memory is words, which are swapped */
    if (!have->f32_atomic_add)
        flags |= EXPAND_FADD32;
    if (!have->f64_atomic_add)
        flags |= EXPAND_FADD64;
    lower_expand(f, flags);
}

static void barriers(void *ctx, struct ir_func *f)
{
    (void)f;
    spv_find_barriers(ctx);
}

static bool is_parked(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct spv_kernel *)ctx)->use.parks;
}

/* Does control leave the loop from in here? */
static bool leaves(const struct region *list, const struct region *loop)
{
    for (const struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_RETURN || (r->kind == REGION_BREAK && r->target == loop) ||
            leaves(r->child, loop) || (r->kind == REGION_IF && leaves(r->other, loop)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (leaves(r->arms[k].child, loop))
                return true;
    }
    return false;
}

static bool has_barrier(const struct region *r)
{
    for (struct ir_inst *i = r->kind == REGION_CODE ? r->block->first : NULL; i; i = i->next)
        if (i->op == IR_OP_barrier)
            return true;
    return false;
}

/* The loop around the park: what its threads do between two visits, each on its own, becomes a
 * construct of its own, behind which they are together again. */
static void straighten_park(struct region_tree *t)
{
    for (struct region *loop = t->body; loop; loop = loop->next) {
        bool barrier = false;
        uint32_t keep = 0;
        for (struct region *r = loop->kind == REGION_LOOP ? loop->child : NULL; r; r = r->next) {
            struct region alone = *r;
            alone.next = NULL;
            keep++;
            barrier |= has_barrier(r);
            if (barrier && leaves(&alone, loop)) {
                lower_straighten(t, loop, keep);
                return;
            }
        }
    }
}

static void straighten(void *ctx, struct ir_func *f)
{
    (void)f;
    straighten_park(((struct spv_kernel *)ctx)->tree);
}

static const struct pass kernel[] = {
    {.list = lower_optimise, .when = calls_library},
    PASS_ROW("atomics", "those of parts of words, and of more than the device has",
             .func = atomics),
    PASS_ROW("expand", "operations that SPIR-V or the device lacks", .func = expand),
    PASS_ROW("barriers", "which of them are for shared memory only", .func = barriers),
    STRUCTURIZE,
    PASS_ROW("straighten", "the loop around the park goes round from one place", .func = straighten,
             .when = is_parked),
    SINGLE_LEVEL,
    PASS_END,
};

/* ---- running them ---- */

const char *spv_prepare(struct back_job *job)
{
    static const char *const headers[SPV_PARTS] = {
        [SPV_HEAP] = "heap",     [SPV_GRID] = "grid",       [SPV_PARK] = "park",
        [SPV_SOFT] = "soft",     [SPV_TEXTURE] = "texture", [SPV_WIDE_INTEGERS] = "wide",
        [SPV_LAUNCH] = "launch", [SPV_CHECK] = "check"};
    struct preparation p = {.arena = job->arena, .have = spv_features(job)};
    struct sbuf text;
    p.used[SPV_CHECK] = ir_func_find(job->module, SPV_CHECK_LOG) != NULL;
    pass_run(back_passes(job, &back_spirv), before_library, &p);
    sbuf_init(&text, job->arena);
    for (size_t k = 0; k < SPV_PARTS; k++)
        if (p.used[k])
            sbuf_printf(&text, "#include \"device/gpu/%s.h\"\n", headers[k]);
    return text.len ? text.data : NULL;
}

bool spv_lower(struct back_job *job, struct spv_module *s)
{
    return pass_run(back_passes(job, &back_spirv), module, s);
}

bool spv_lower_func(struct spv_kernel *k)
{
    struct passes *passes = back_passes(k->job, &back_spirv);
    return pass_run_on(passes, function, k, k->func) && pass_check(passes, k->func);
}

bool spv_lower_kernel(struct spv_kernel *k)
{
    struct passes *passes = back_passes(k->job, &back_spirv);
    return pass_run_on(passes, kernel, k, k->func) && pass_check(passes, k->func);
}
