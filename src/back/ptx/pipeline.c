/* The passes of the PTX target, in order. */
#include "back/group.h"
#include "back/ptx/ptx_int.h"

/* Generic addresses are the processor's. */
#define CHECK_HEADER "#define __TERN_CHECK_PLAIN 1\n#include \"device/gpu/check.h\"\n"

struct preparation {
    const struct ptx_options *options;
    bool launches; /* there are some */
};

static bool starts_children(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct preparation *)ctx)->options->launches;
}

static void launches(void *ctx, struct ir_func *f)
{
    ((struct preparation *)ctx)->launches |= lower_launches(f);
}

static void align_arrays(void *ctx, struct ir_module *m)
{
    (void)ctx;
    back_align_arrays(m);
}

static bool checks(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return ((const struct ptx *)ctx)->options->checks;
}

static void show_variables(void *ctx, struct ir_module *m)
{
    (void)ctx;
    ir_each_global (g, m)
        if (g->space != IR_SPACE_SHARED && !(g->flags & IR_GLOBAL_EXTERN))
            g->flags |= IR_GLOBAL_EXPORT;
}

static void place_launches(void *ctx, struct ir_module *m)
{
    (void)ctx;
    struct ir_func *at = ir_func_find(m, "__tern_output_at");
    if (!at)
        return;
    struct ir_global *g =
        ir_global_new(m, OUTPUT_LAUNCHES, IR_SPACE_GLOBAL, OUTPUT_LAUNCH_BYTES, 8, 0);
    at->first = at->last = NULL;
    struct ir_builder b = ir_builder_at_end(ir_block_new(at, "entry"));
    struct ir_value *p = ir_global_value(g);
    ir_build_ret(&b, ir_build1(&b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), p));
}

static bool may_unroll(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return !((const struct ptx *)ctx)->job->options.as_written;
}

/* What kernels launch stays refused where nobody would start it. */
static const struct pass before_library[] = {
    PASS_ROW("launches", "launches from kernels become calls of the device library",
             .func = launches, .when = starts_children),
    PASS_END,
};

static const struct pass module[] = {
    PASS_ROW("align-arrays", "shared and local arrays begin where vector accesses may",
             .module = align_arrays),
    PASS_ROW("show-variables", "those that the program does not name, too",
             .module = show_variables, .when = checks),
    PASS_ROW("place-launches", "what is launched is written to a variable of the module",
             .module = place_launches),
    PASS_END,
};

static const struct pass function[] = {
    {.list = lower_divide, .when = may_unroll},
    {.list = lower_unroll, .when = may_unroll},
    PASS_END,
};

const struct ptx_options *ptx_options(const struct back_job *job)
{
    static const struct ptx_options defaults;
    return job->options.own ? job->options.own : &defaults;
}

const char *ptx_prepare(struct back_job *job)
{
    static const char *const headers[2][2] = {
        {NULL, "#include \"device/gpu/launch.h\"\n"},
        {CHECK_HEADER, CHECK_HEADER "#include \"device/gpu/launch.h\"\n"}};
    struct preparation p = {.options = ptx_options(job)};
    const bool tells = ir_func_find(job->module, "__tern_check") != NULL;
    pass_run(back_passes(job, &back_ptx), before_library, &p);
    return headers[tells][p.launches];
}

bool ptx_lower(struct ptx *p)
{
    return pass_run(back_passes(p->job, &back_ptx), module, p);
}

bool ptx_lower_func(struct ptx *p, struct ir_func *f)
{
    struct passes *passes = back_passes(p->job, &back_ptx);
    return pass_run_on(passes, function, p, f) && pass_check(passes, f);
}
