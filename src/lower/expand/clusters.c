/* Clusters for devices without them: the blocks of a cluster become the parts of one block.
 *
 * Part r holds the threads that block r of the cluster would have, in the same order and so in the
 * same warps: the block is as many times as deep (z) as the cluster has blocks, and a part is a
 * whole number of warps. Its shared memory is a frame of the block's, all of which is dynamic then:
 * frame r starts at r * stride with what the kernel declares, and the launch's dynamic memory
 * behind it. So a place in another block is a distance of whole frames, a block's barrier one for
 * its part, and the cluster's barrier one for everybody. Which part a thread is in follows from its
 * warp, so that gangs of threads know it as uniform.
 *
 * The size of the cluster and the dynamic bytes of a part come with the launch, in one more
 * parameter: see rt/cluster.c. Code that asks where it runs has to be in the kernel: calls are
 * inlined before. */
#include <string.h>
#include "ir/async.h"
#include "ir/cluster.h"
#include "lower/lower_int.h"

struct clusters {
    struct arena *arena;
    struct ir_module *m;
    struct ir_func *f;
    struct ir_builder b;
    struct ir_value *size[3], *blocks; /* of the cluster */
    struct ir_value *rank;             /* of the part */
    struct ir_value *warps, *threads;  /* of a part */
    struct ir_value *dynamic, *stride; /* bytes: asked for by the launch; from part to part */
    struct ir_global *all;             /* frames of the block */
    struct ir_value *frame;            /* ptr.shared: of this part */
};

static struct ir_value *word(struct clusters *x, uint64_t v)
{
    return ir_const(x->m, IR_I32, v);
}

static struct ir_value *op2(struct clusters *x, enum ir_op op, struct ir_value *a,
                            struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *wide(struct clusters *x, struct ir_value *v)
{
    return ir_build1(&x->b, IR_OP_zext, IR_I64, v);
}

static struct ir_value *sreg(struct clusters *x, enum ir_sreg which)
{
    return ir_build0(&x->b, IR_OP_sreg, IR_I32, which);
}

/* ---- copies to several blocks ---- */

/* for (r = 0; r < blocks; r++) if (mask >> r & 1) copy to r's memory, and tell r's barrier */
static void one_by_one(struct ir_module *m, struct ir_inst *i)
{
    const bool hint = i->imm & IR_BULK_HINT;
    const unsigned mask_at = i->nargs - 1 - hint;
    const unsigned barrier = ir_bulk_kind(i->imm) == IR_BULK_TENSOR_LOAD ? 2 : 3;
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *loop = ir_block_after(before, "multicast"),
                    *copy = ir_block_after(loop, "copy"), *next = ir_block_after(copy, "next");
    struct clusters x = {.m = m, .b = ir_builder_at_end(before)};
    struct ir_value *zero = word(&x, 0), *one = word(&x, 1),
                    *r = ir_block_param(loop, IR_I32, NULL);
    struct ir_value *blocks = one;
    x.b.span = i->span;
    for (unsigned k = 0; k < 3; k++)
        blocks = op2(&x, IR_OP_mul, blocks, ir_build0(&x.b, IR_OP_cluster_size, IR_VOID, k));
    ir_build_br(&x.b, loop, &zero, 1);

    x.b = ir_builder_at_end(loop);
    x.b.span = i->span;
    struct ir_value *bit = op2(&x, IR_OP_and, op2(&x, IR_OP_lshr, i->args[mask_at], r), one);
    ir_build_condbr(&x.b, ir_build2(&x.b, IR_OP_ne, IR_I32, bit, zero), copy, next);

    x.b = ir_builder_at_end(copy);
    x.b.span = i->span;
    struct ir_value **args = arena_array(m->arena, struct ir_value *, i->nargs);
    uint32_t n = 0;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (k != mask_at)
            args[n++] = !k || k == barrier
                            ? ir_build2(&x.b, IR_OP_cluster_map, i->args[k]->type, i->args[k], r)
                            : i->args[k];
    ir_build(&x.b, IR_OP_bulk, IR_VOID, args, n)->imm = i->imm & ~(uint64_t)IR_BULK_MULTICAST;
    ir_build_br(&x.b, next, NULL, 0);

    x.b = ir_builder_at_end(next);
    x.b.span = i->span;
    struct ir_value *more = op2(&x, IR_OP_add, r, one);
    struct ir_value *again = ir_build2(&x.b, IR_OP_ult, IR_I32, more, blocks);
    struct ir_inst *br = ir_build(&x.b, IR_OP_condbr, IR_VOID, &again, 1);
    ir_add_edge(br, loop, &more, 1, 0);
    ir_add_edge(br, after, NULL, 0, 0);
    ir_remove(i);
}

static struct ir_inst *next_multicast(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_bulk && i->imm & IR_BULK_MULTICAST)
                return i;
    return NULL;
}

void lower_multicasts(struct ir_module *m)
{
    ir_each_func (f, m)
        for (struct ir_inst *i; (i = next_multicast(f));)
            one_by_one(m, i);
}

/* ---- who has to be changed ---- */
bool lower_has_clusters(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (ir_is_cluster(i->op))
                return true;
    return false;
}

static bool refers_to_shared(const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        if (i->args[k]->kind == IR_VALUE_GLOBAL && i->args[k]->u.global->space == IR_SPACE_SHARED)
            return true;
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            if (i->edges[e].args[k]->kind == IR_VALUE_GLOBAL &&
                i->edges[e].args[k]->u.global->space == IR_SPACE_SHARED)
                return true;
    return false;
}

/* The first place in f that means something else in a part of a block than in a block. */
static struct ir_inst *asks_where(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (ir_is_cluster(i->op) || i->op == IR_OP_sreg || i->op == IR_OP_barrier ||
                i->op == IR_OP_barrier_arrive || i->op == IR_OP_barrier_red || refers_to_shared(i))
                return i;
    return NULL;
}

/* ---- a kernel ---- */

/* Everything that is the same for a thread from beginning to end. */
static void prepare(struct clusters *x, uint32_t declared, uint32_t align)
{
    struct ir_func *f = x->f;
    ir_func_param(f, "cluster", IR_I64, 0, 0, 0);
    ir_func_layout(f);
    struct ir_value *given = f->first->params.data[f->params.len - 1];
    struct ir_value *shape = ir_build1(&x->b, IR_OP_trunc, IR_I32, given);
    for (unsigned k = 0; k < 3; k++)
        x->size[k] = op2(x, IR_OP_and, op2(x, IR_OP_lshr, shape, word(x, CLUSTER_BITS * k)),
                         word(x, (1u << CLUSTER_BITS) - 1));
    x->blocks = op2(x, IR_OP_mul, op2(x, IR_OP_mul, x->size[0], x->size[1]), x->size[2]);
    x->warps = op2(x, IR_OP_udiv, sreg(x, IR_SREG_NWARPID), x->blocks);
    x->threads = op2(x, IR_OP_shl, x->warps, word(x, 5));
    x->rank = op2(x, IR_OP_udiv, sreg(x, IR_SREG_WARPID), x->warps);
    x->dynamic = op2(x, IR_OP_lshr, given, ir_const(x->m, IR_I64, 32));
    x->dynamic = ir_build1(&x->b, IR_OP_trunc, IR_I32, x->dynamic);
    x->stride = op2(x, IR_OP_udiv, sreg(x, IR_SREG_DYN_SHARED), x->blocks);
    x->all = ir_global_find(x->m, CLUSTER_SHARED);
    if (!x->all)
        x->all = ir_global_new(x->m, CLUSTER_SHARED, IR_SPACE_SHARED, 0, 16, IR_GLOBAL_EXTERN);
    if (x->all->align < align)
        x->all->align = align;
    struct ir_value *at = ir_global_value(x->all);
    x->frame = ir_build2(&x->b, IR_OP_ptradd, at->type, at,
                         wide(x, op2(x, IR_OP_mul, x->rank, x->stride)));
    f->cluster_shared = declared + 1;
    f->max_threads = 0; /* of a part, not of the block */
    memset(f->required_block, 0, sizeof f->required_block);
}

static struct ir_value *place_in_cluster(struct clusters *x, unsigned axis)
{
    struct ir_value *r = x->rank;
    for (unsigned k = 0; k < axis; k++)
        r = op2(x, IR_OP_udiv, r, x->size[k]);
    return axis == 2 ? r : op2(x, IR_OP_urem, r, x->size[axis]);
}

static struct ir_value *special(struct clusters *x, enum ir_sreg which)
{
    struct ir_value *old = sreg(x, which), *depth;
    switch (which) {
    case IR_SREG_TID_Z:
        depth = op2(x, IR_OP_udiv, sreg(x, IR_SREG_NTID_Z), x->blocks);
        return op2(x, IR_OP_sub, old, op2(x, IR_OP_mul, x->rank, depth));
    case IR_SREG_NTID_Z: return op2(x, IR_OP_udiv, old, x->blocks);
    case IR_SREG_CTAID_X:
    case IR_SREG_CTAID_Y:
    case IR_SREG_CTAID_Z: {
        const unsigned axis = which - IR_SREG_CTAID_X;
        return op2(x, IR_OP_add, op2(x, IR_OP_mul, old, x->size[axis]), place_in_cluster(x, axis));
    }
    case IR_SREG_NCTAID_X:
    case IR_SREG_NCTAID_Y:
    case IR_SREG_NCTAID_Z: return op2(x, IR_OP_mul, old, x->size[which - IR_SREG_NCTAID_X]);
    case IR_SREG_WARPID: return op2(x, IR_OP_urem, old, x->warps);
    case IR_SREG_NWARPID: return x->warps;
    case IR_SREG_DYN_SHARED: return x->dynamic;
    case IR_SREG_TOTAL_SHARED: return x->stride;
    default: return NULL; /* the same in a part */
    }
}

static void replace_special(struct clusters *x, struct ir_inst *i)
{
    struct ir_value *v = special(x, (enum ir_sreg)i->imm);
    if (!v)
        return;
    if (i->type != IR_I32)
        v = ir_build1(&x->b, ir_bits(i->type) > 32 ? IR_OP_zext : IR_OP_trunc, i->type, v);
    i->results[0].forward = v;
    ir_remove(i);
}

/* Barrier 0 is the cluster's; a part's come behind it. */
static void replace_barrier(struct clusters *x, struct ir_inst *i)
{
    struct ir_value *n = op2(x, IR_OP_add, op2(x, IR_OP_mul, i->args[0], x->blocks), x->rank);
    struct ir_value *all = ir_build2(&x->b, IR_OP_eq, IR_I32, i->args[1], word(x, 0));
    i->args[0] = op2(x, IR_OP_add, n, word(x, 1));
    i->args[1] = ir_build3(&x->b, IR_OP_select, IR_I32, all, x->threads, i->args[1]);
}

/* From the first frame to p, which is shared memory. */
static struct ir_value *distance(struct clusters *x, struct ir_value *p)
{
    struct ir_value *from = ir_global_value(x->all);
    if (ir_space(p->type) == IR_SPACE_GENERIC)
        from = ir_build1(&x->b, IR_OP_cvta, p->type, from);
    return op2(x, IR_OP_sub, ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, p),
               ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, from));
}

static void replace_cluster_op(struct clusters *x, struct ir_inst *i)
{
    struct ir_value *whole[2] = {word(x, 0), word(x, 0)}, *r;
    switch (i->op) {
    case IR_OP_cluster_size: i->results[0].forward = x->size[i->imm % 3]; break;
    case IR_OP_cluster_barrier: /* the second half of it waits */
        if (i->imm == 2)
            ir_build(&x->b, IR_OP_barrier, IR_VOID, whole, 2);
        break;
    case IR_OP_cluster_map: /* p may be of another part */
        r = op2(x, IR_OP_sub, wide(x, i->args[1]),
                op2(x, IR_OP_udiv, distance(x, i->args[0]), wide(x, x->stride)));
        r = op2(x, IR_OP_mul, r, wide(x, x->stride));
        i->results[0].forward = ir_build2(&x->b, IR_OP_ptradd, i->type, i->args[0], r);
        break;
    default: /* cluster_rank */
        r = op2(x, IR_OP_udiv, distance(x, i->args[0]), wide(x, x->stride));
        i->results[0].forward = ir_build1(&x->b, IR_OP_trunc, IR_I32, r);
    }
    ir_remove(i);
}

/* Variables of shared memory → places in the frame of the part. */
static void replace_shared(struct clusters *x, const struct map *offsets, bool on)
{
    ir_each_global (g, x->m) {
        if (g->space != IR_SPACE_SHARED || g == x->all || !map_has(offsets, map_key(g)))
            continue;
        struct ir_value *v = ir_global_value(g);
        const uint64_t at = (uintptr_t)map_get(offsets, map_key(g));
        v->forward = on ? ir_build2(&x->b, IR_OP_ptradd, x->frame->type, x->frame,
                                    ir_const(x->m, IR_I64, at))
                        : NULL;
    }
}

static uint32_t widest(const struct ir_module *m)
{
    uint32_t align = 16;
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && g->align > align)
            align = g->align;
    return align;
}

static void lower_kernel(struct arena *a, struct ir_func *f)
{
    struct clusters x = {.arena = a, .m = f->module, .f = f};
    struct map offsets;
    map_init(&offsets, a);
    const uint32_t declared = lower_kernel_shared_layout(a, f, &offsets);
    VEC(struct ir_inst *) places = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (ir_is_cluster(i->op) || i->op == IR_OP_sreg || i->op == IR_OP_barrier ||
                i->op == IR_OP_barrier_arrive || i->op == IR_OP_barrier_red)
                vec_push(a, &places, i);
    x.b = ir_builder_before(f->first->first);
    x.b.span = f->span;
    prepare(&x, declared, widest(x.m));
    replace_shared(&x, &offsets, true);
    struct ir_builder entry = x.b;
    vec_each (struct ir_inst *, it, &places) {
        struct ir_inst *i = *it;
        /* What they are made of does not change: at the entry it is at hand for all. */
        x.b = i->op == IR_OP_sreg ? entry : ir_builder_before(i);
        x.b.span = i->span;
        if (i->op == IR_OP_sreg)
            replace_special(&x, i);
        else if (ir_is_cluster(i->op))
            replace_cluster_op(&x, i);
        else
            replace_barrier(&x, i);
    }
    ir_replace_forwarded(f);
    replace_shared(&x, &offsets, false);
}

struct ir_inst *lower_clusters(struct arena *a, struct ir_module *m)
{
    lower_inline_calls(a, m);
    ir_prune(m);
    ir_each_func (f, m) {
        struct ir_inst *i = f->flags & IR_FUNC_KERNEL ? NULL : asks_where(f);
        if (i)
            return i;
        ir_each_block (b, f)
            ir_each_inst (launch, b)
                if (launch->op == IR_OP_launch)
                    return launch;
    }
    ir_each_func (f, m)
        if (f->flags & IR_FUNC_KERNEL && lower_has_clusters(f))
            lower_kernel(a, f);
    return NULL;
}
