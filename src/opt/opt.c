/* The optimiser's pipeline: the lists of passes.def, and inlining between them. */
#include "opt/opt_int.h"

struct run {
    struct arena *arena;
    const struct opt_options *options;
};

static bool is_asked_for(const struct pass *p, void *ctx, struct ir_func *f)
{
    const struct opt_options *o = ((const struct run *)ctx)->options;
    (void)f;
    return p->plain == opt_fast_math ? o->fast_math : p->plain == opt_contract ? o->fmad : true;
}

/* Of the two that unroll, the one that the target wants; and nothing about warps where there are
 * none, or that would part them. */
static bool fits_target(const struct pass *p, void *ctx, struct ir_func *f)
{
    const struct opt_options *o = ((const struct run *)ctx)->options;
    (void)f;
    return p->plain != (o->rolled ? opt_unroll : opt_unroll_small) &&
           !(o->checked && p->plain == opt_sroa_inside) &&
           p->plain != (o->host ? opt_warp_sync : opt_guard);
}

static void inline_calls(void *ctx, struct ir_module *m)
{
    const struct run *r = ctx;
    opt_inline(r->arena, m, r->options->host ? OPT_INLINE_HOST : OPT_INLINE_DEVICE);
}

static void prune(void *ctx, struct ir_module *m)
{
    (void)ctx;
    ir_prune(m);
}

static const struct pass first[] = {
#define FIRST(name, about) PASS_ROW(#name, about, .plain = opt_##name, .when = is_asked_for),
#define PASS(name, starts_at, about)
#include "opt/passes.def"
    PASS_END,
};

static const struct pass before_inlining[] = {
#define EARLY(name, about) PASS_ROW(#name, about, .plain = opt_##name),
#define PASS(name, starts_at, about)
#include "opt/passes.def"
    PASS_ROW("inline", "copy small functions to where they are called", .module = inline_calls),
    PASS_ROW("prune", "drop functions that nobody calls any more", .module = prune),
    PASS_END,
};

static const struct pass after_inlining[] = {
#define PASS(name, starts_at, about)                                                               \
    PASS_ROW(#name, about, .level = starts_at, .plain = opt_##name, .when = fits_target),
#include "opt/passes.def"
    PASS_END,
};

uint32_t opt_size(const struct ir_func *f)
{
    uint32_t n = 0;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            n++;
    return n;
}

static bool calls_pointers(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            for (const struct ir_inst *i = b->first; i; i = i->next)
                if (i->op == IR_OP_call_ptr)
                    return true;
    return false;
}

bool opt_run(struct passes *p, const struct opt_options *o)
{
    struct run r = {p->arena, o};
    p->level = o->level;
    bool ok = pass_run(p, first, &r);
    for (unsigned round = 0; ok && o->level && round < 3; round++) {
        ok = pass_run(p, before_inlining, &r);
        if (!(o->host ? opt_may_inline_again(p->module) : calls_pointers(p->module)))
            break;
    }
    if (ok && o->level)
        ok = pass_run(p, after_inlining, &r);
    return ok && pass_check(p, NULL);
}
