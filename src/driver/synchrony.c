/* What NVIDIA's GPUs do asynchronously, and clusters, for targets that know nothing of it: done at
 * once, and by blocks. */
#include "driver/pipeline.h"
#include "lower/lower.h"
#include "pass/pass.h"

struct synchrony {
    struct arena *arena;
    bool clusters;       /* of several blocks: compile_options.clusters, and a kernel asks for it */
    const char *library; /* NULL: nothing of it is needed */
    const struct ir_inst *refused;
};

static void multicasts(void *ctx, struct ir_module *m)
{
    if (((struct synchrony *)ctx)->clusters)
        lower_multicasts(m);
}

static void at_once(void *ctx, struct ir_module *m)
{
    struct synchrony *s = ctx;
    s->library = lower_async(m, s->clusters);
}

static void clusters(void *ctx, struct ir_module *m)
{
    struct synchrony *s = ctx;
    s->refused = lower_clusters(s->arena, m);
}

bool compile_has_clusters(const struct ir_module *m)
{
    ir_each_func (f, m)
        if (lower_has_clusters(f))
            return true;
    return false;
}

bool compile_is_plain(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (ir_is_async((enum ir_op)i->op))
                    return false;
    return !compile_has_clusters(m);
}

static bool meets(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_rmw:
    case IR_OP_cas: {
        const enum ir_space s = ir_space(i->args[0]->type);
        return s != IR_SPACE_SHARED && s != IR_SPACE_LOCAL;
    }
    case IR_OP_bulk: /* reductions among them */
    case IR_OP_gridsync:
    case IR_OP_launch: return true;
    default: return false;
    }
}

bool compile_blocks_meet(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (meets(i))
                    return true;
    return compile_has_clusters(m);
}

bool compile_synchronise(struct compilation *c, struct ir_module *m, enum compile_clusters how)
{
    static const struct pass list[] = {
        PASS_ROW("multicasts", "copies to several blocks become single ones", .module = multicasts),
        PASS_ROW("at-once", "what is asynchronous is done at once", .module = at_once), PASS_END};
    static const struct pass blocks[] = {
        PASS_ROW("clusters", "clusters become blocks", .module = clusters), PASS_END};
    struct synchrony s = {.arena = &c->arena,
                          .clusters = how != CLUSTERS_OF_ONE && compile_has_clusters(m)};
    if (!lower_has_async(m) && !lower_has_matrix_rows(m))
        return true;
    struct passes p = {
        .arena = &c->arena, .module = m, .diag = &c->diag, .stage = "front", .log = &c->log};
    if (!pass_run(&p, list, &s) ||
        (s.library && !compile_library(&c->arena, m, s.library, &c->diag, &c->log)))
        return false;
    if (!s.clusters || how == CLUSTERS_KEPT)
        return true;
    if (!pass_run(&p, blocks, &s))
        return false;
    if (s.refused)
        diag_error(&c->diag, s.refused->span,
                   "this cannot be done beside kernels that use clusters, on a device without "
                   "them: it launches kernels, or asks where it runs in a function that is called "
                   "through a pointer or calls itself");
    return !s.refused;
}
