/* The passes of the targets sass and cubin, in order. */
#include <string.h>
#include "back/group.h"
#include "back/sass/exact.h"
#include "back/sass/sass_int.h"

struct preparation {
    struct arena *arena;
    bool as_written; /* loops stay as they are */
    bool wide;       /* 64-bit division is called */
    uint32_t stack;  /* of struct sass_options */
};

static void call_pointers(void *ctx, struct ir_module *m)
{
    lower_call_pointers(((struct preparation *)ctx)->arena, m);
}

static void inline_calls(void *ctx, struct ir_module *m)
{
    lower_inline_calls(((struct preparation *)ctx)->arena, m);
}

static void recursion(void *ctx, struct ir_func *f)
{
    const struct preparation *p = ctx;
    lower_recursion(p->arena, f, p->stack ? p->stack : LOWER_STACK_BYTES);
}

static bool may_unroll(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return !((const struct preparation *)ctx)->as_written;
}

static void reconverge(void *ctx, struct ir_func *f)
{
    ir_reconverge_anew(((struct preparation *)ctx)->arena, f);
}

static void plain(void *ctx, struct ir_func *f)
{
    (void)ctx;
    sass_plain(f);
}

static void quick(void *ctx, struct ir_func *f)
{
    (void)ctx;
    sass_quick(f);
}

static void quotients(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_quotients(f, true);
}

static void exact(void *ctx, struct ir_func *f)
{
    (void)ctx;
    sass_exact(f);
}

static void ballots(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_ballots(f, false);
}

static bool has(const struct ir_func *f, enum ir_op op)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == op)
                return true;
    return false;
}

static void atomics(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_atomics(f, ATOMICS_NARROW | ATOMICS_LOCAL);
    lower_expand(f, EXPAND_FADD_NEAR | EXPAND_FLOAT_MINMAX_RMW | EXPAND_SHARED_WIDE_RMW |
                        (has(f, IR_OP_cpasync) ? EXPAND_COPIES : 0));
}

/* Quotients and remainders of 64-bit integers → calls of device/gpu/wide.h. */
static void wide(void *ctx, struct ir_func *f)
{
    static const char *const names[IR_OP_COUNT] = {[IR_OP_udiv] = LOWER_SOFT_PREFIX "udiv",
                                                   [IR_OP_urem] = LOWER_SOFT_PREFIX "urem",
                                                   [IR_OP_sdiv] = LOWER_SOFT_PREFIX "sdiv",
                                                   [IR_OP_srem] = LOWER_SOFT_PREFIX "srem"};
    struct preparation *p = ctx;
    bool used = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (!names[i->op] || i->type != IR_I64)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_func *callee = ir_func_find(f->module, names[i->op]);
            if (!callee) {
                callee = ir_func_new(f->module, names[i->op], IR_I64, 0);
                for (unsigned k = 0; k < 2; k++)
                    ir_func_param(callee, NULL, IR_I64, 0, 0, 0);
            }
            i->results[0].forward = ir_build_call(&at, callee, i->args, 2);
            ir_remove(i);
            used = true;
        }
    if (used)
        ir_replace_forwarded(f);
    p->wide |= used;
}

static const struct pass prepared_kernel[] = {
    PASS_ROW("recursion", "what calls itself jumps, with a stack in local memory",
             .func = recursion),
    {.list = lower_divide, .when = may_unroll},
    {.list = lower_unroll, .when = may_unroll},
    PASS_ROW("wide", "64-bit division becomes calls of the device library", .func = wide),
    PASS_END,
};

static const struct pass before_library[] = {
    PASS_ROW("call-pointers", "calls through pointers become switches", .module = call_pointers),
    PASS_ROW("inline", "all calls", .module = inline_calls),
    {.list = prepared_kernel, .each = IR_FUNC_KERNEL},
    PASS_END,
};

static void align_variables(void *ctx, struct ir_module *m)
{
    enum { WIDEST = 16 };
    (void)ctx;
    back_align_arrays(m);
    ir_each_global (g, m)
        if (!(g->flags & IR_GLOBAL_EXTERN) && g->size >= WIDEST && g->align < WIDEST)
            g->align = WIDEST;
}

static const struct pass module[] = {
    PASS_ROW("align-variables", "arrays begin where vector accesses may",
             .module = align_variables),
    PASS_ROW("inline-library", "all calls", .module = inline_calls),
    PASS_END,
};

static void gradients(void *ctx, struct ir_func *f)
{
    (void)ctx;
    sass_gradients(f);
}

/* The regions of the source end before those who returned early from a function have come back:
 * when it is inlined, lanes that did would run the rest of the caller, or of its loop, apart. */
static const struct pass kernel[] = {
    PASS_ROW("reconverge", "lanes meet where all ways of a branch do", .func = reconverge),
    PASS_ROW("gradients", "textures of three dimensions by gradients are read by level",
             .func = gradients),
    PASS_ROW("plain", "flushing of what is no instruction is written out", .func = plain),
    PASS_ROW("quick", "quotients and roots of f64 in the middle of their range, others aside",
             .func = quick),
    PASS_ROW("quotients", "division of f64 becomes multiplications and a choice",
             .func = quotients),
    PASS_ROW("exact", "square roots of f64 and integer division become what there is",
             .func = exact),
    PASS_ROW("ballots", "match and redux become votes", .func = ballots),
    PASS_ROW("atomics", "atomics that are no instruction become loops", .func = atomics),
    {.list = lower_optimise},
    PASS_ROW("atomics-found", "the same, of those that turned out to be in shared memory",
             .func = atomics),
    PASS_END,
};

const struct sass_options *sass_options(const struct back_job *job)
{
    static const struct sass_options defaults;
    return job->options.own ? job->options.own : &defaults;
}

const char *sass_prepare(struct back_job *job, const struct back_target *t)
{
    struct preparation p = {.arena = job->arena,
                            .as_written = job->options.as_written,
                            .stack = sass_options(job)->stack};
    pass_run(back_passes(job, t), before_library, &p);
    return p.wide ? "#include \"device/gpu/wide.h\"\n" : NULL;
}

bool sass_lower(struct back_job *job, const struct back_target *t)
{
    struct preparation p = {.arena = job->arena};
    return pass_run(back_passes(job, t), module, &p);
}

bool sass_lower_kernel(struct back_job *job, const struct back_target *t, struct ir_func *f)
{
    struct preparation p = {.arena = job->arena};
    struct passes *passes = back_passes(job, t);
    return pass_run_on(passes, kernel, &p, f) && pass_check(passes, f);
}
