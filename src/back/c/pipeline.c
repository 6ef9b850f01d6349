/* The passes of the C target beyond those of the plan (cpu_plan.c), in order. */
#include "back/c/c_int.h"

static void near_addresses(void *ctx, struct ir_func *f)
{
    (void)ctx;
    c_near_addresses(f);
}

static const struct pass block[] = {
    PASS_ROW("near-addresses", "vectors of addresses are computed where they are used",
             .func = near_addresses),
    PASS_END,
};

/* ---- a function that is written ---- */

static void structurize(void *ctx, struct ir_func *f)
{
    struct cgen *g = ctx;
    g->tree = lower_structurize(g->arena, f);
}

#ifndef TERN_SMALL
static const char *tree_fault(void *ctx)
{
    return lower_tree_fault(((struct cgen *)ctx)->tree, false);
}
#endif

static const struct pass function[] = {
    PASS_ROW("structurize", "the graph becomes a tree of statements",
             PASS_CHECK(tree_fault).func = structurize),
    PASS_END,
};

/* ---- running them ---- */

bool c_lower_block(struct cgen *g, struct ir_func *f)
{
    return pass_run_on(back_passes(g->job, &back_c), block, g, f);
}

bool c_lower_func(struct cgen *g, struct ir_func *f)
{
    struct passes *passes = back_passes(g->job, &back_c);
    return pass_run_on(passes, function, g, f) && pass_check(passes, f);
}
