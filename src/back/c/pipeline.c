/* The passes of the C target, in order. */
#include "back/c/c_int.h"

/* Half of what a thread of the system has by default. Blocks that need more run thread by thread.
 */
enum { MOST_LOCAL = 4 << 20 };
/* Functions are called by one thread at a time: kernels up to this size get theirs inlined, so that
 * threads are lanes. */
enum { MOST_INLINED = 3000, MOST_DEPTH = 20 };

/* ---- the module ---- */

static void quick(void *ctx, struct ir_func *f)
{
    *(bool *)ctx |= lower_quick(f);
}

static void inline_quick(void *ctx, struct ir_module *m)
{
    struct cgen *g = ctx;
    g->quick = lower_quick_inline(g->arena, m);
}

static bool has_quick(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct cgen *)ctx)->quick;
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
    PASS_END,
};

/* ---- a kernel ---- */

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct cgen *)ctx)->arena, m);
}

/* Threads that rely on the steps of their warp are lanes, functions and all. */
static const struct pass in_step[] = {
    PASS_ROW("inline", "all calls", .module = inline_calls),
    {.list = lower_optimise},
    PASS_END,
};

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

/* ---- its threads as lanes ---- */

struct vectorisation {
    struct cgen *g;
    struct ir_func *kernel, *block; /* block: NULL: it cannot be done */
    struct vector_options how;
};

static void vectorize(void *ctx, struct ir_module *m)
{
    struct vectorisation *v = ctx;
    const char *why;
    (void)m;
    v->block = lower_vectorize(v->g->arena, v->kernel, &v->how, &why);
}

static void near_addresses(void *ctx, struct ir_func *f)
{
    (void)ctx;
    c_near_addresses(f);
}

static const struct pass gangs[] = {
    PASS_ROW("vectorize", "a function that runs all threads of a block, gang by gang",
             .module = vectorize),
    PASS_END,
};

static const struct pass block[] = {
    PASS_ROW("near-addresses", "vectors of addresses are computed where they are used",
             .func = near_addresses),
    PASS_END,
};

static struct vector_options choose(const struct cgen *g, const struct vector_needs *needs)
{
    const struct back_cpu_options *o = &g->options->cpu;
    unsigned native = g->native / 4, gang = o->gang, wide = 8 * native;
    /* more lanes wait for memory at once, as long as what loops carry stays in registers */
    if (!gang && needs->looks_up && !needs->warps && wide <= IR_MAX_LANES && needs->pressure <= 4 &&
        o->block[0] && o->block[0] % wide == 0)
        gang = wide;
    return lower_vector_shape(needs, native, g->native == 32 ? 8 : 16, gang, o->block);
}

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

/* ---- a function that is written ---- */

static void structurize(void *ctx, struct ir_func *f)
{
    struct cgen *g = ctx;
    g->tree = lower_structurize(g->arena, f);
}

static const struct pass function[] = {
    PASS_ROW("structurize", "the graph becomes a tree of statements", .func = structurize),
    PASS_END,
};

/* ---- running them ---- */

const char *c_prepare(struct back_job *job)
{
    bool any = false;
    pass_run(back_passes(job, &back_c), before_library, &any);
    return any ? lower_quick_library(job->arena, job->module) : NULL;
}

bool c_lower(struct cgen *g)
{
    return pass_run(back_passes(g->job, &back_c), module, g);
}

bool c_lower_kernel(struct cgen *g, struct ir_func *f)
{
    return g->options->cpu.gang == 1 || !calls(f) || whole_size(f, 0) > MOST_INLINED ||
           !lower_vector_needs(g->arena, f).in_step ||
           pass_run_on(back_passes(g->job, &back_c), in_step, g, f);
}

bool c_vectorize(struct cgen *g, struct ir_func *f, const struct vector_needs *needs,
                 struct ir_func **out, unsigned *gang)
{
    struct passes *passes = back_passes(g->job, &back_c);
    struct vectorisation v = {.g = g, .kernel = f, .how = choose(g, needs)};
    v.how.runs = !g->options->track;
    v.how.passes = passes;
    *gang = 1;
    if (needs->why || !pass_run_on(passes, gangs, &v, f))
        return !passes->broken;
    *out = v.block;
    if (v.block && !pass_run_on(passes, block, &v, v.block))
        return false;
    if (v.block && local_bytes(v.block) <= MOST_LOCAL)
        *gang = v.how.lanes * v.how.pieces;
    return true;
}

bool c_lower_func(struct cgen *g, struct ir_func *f)
{
    struct passes *passes = back_passes(g->job, &back_c);
    return pass_run_on(passes, function, g, f) && pass_check(passes, f);
}
