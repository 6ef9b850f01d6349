/* The loop over gangs, what runs once for the block around it, and the whole of lower_vectorize.
 *
 * Each segment becomes a loop over the gangs of the block. Variables of the block go round that
 * loop as its parameters. What a gang needs again in a later segment is kept in memory, one element
 * per gang, unless it is cheap to compute anew. When threads may end early, so is the mask of those
 * that have not; a block all of whose threads have ended is left. */
#include <string.h>
#include "lower/gang/gang_int.h"
#include "opt/opt.h"

/* ---- the loop over gangs ---- */
static void items(struct vectorizer *v, const struct vnode *n, size_t from);

static void items_rest(struct vectorizer *v, const struct vnode *n, size_t from, bool was_full)
{
    struct ir_value *m[V_MAX_PIECES];
    v_get_mask(v, m);
    if (v_every(m, v->pieces, v_is_all)) {
        items(v, n, from);
        return;
    }
    unsigned w = 0;
    for (size_t k = from; k < n->items.len; k++) {
        struct region *r = n->items.data[k].region, *next = r->next;
        r->next = NULL;
        w += v_weight(r);
        r->next = next;
    }
    struct vjoin join = {0};
    struct ir_block *no;
    struct vpage **before = v_snapshot(v);
    if (was_full && v->budget > w) {
        v->budget -= w;
        v_branch(v, v_all(v, m), &no);
        v_all_run(v);
        items(v, n, from);
        v_jump(v, &join);
        v_begin(v, no);
        v_restore(v, before);
    }
    v_branch(v, v_any(v, m), &no);
    items(v, n, from);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    v_jump(v, &join);
    v_arrive(v, &join);
}

static void barrier_reduce(struct vectorizer *v, struct ir_inst *i)
{
    uint32_t slot = v->value[i->results[0].id].slot;
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *pred = v_wide(v, i->args[2], p), *m = v_mask(v, p), *old = v_var(v, slot);
        if (i->imm == 0) {
            /* not by bits: gangs of wide machines have more than 32 lanes */
            ir_type w = v_vector(v, IR_I32);
            struct ir_value *ones = ir_build3(&v->b, IR_OP_select, w, v_and(v, m, pred),
                                              v_num(v, w, 1), v_num(v, w, 0));
            struct ir_inst *sum = ir_build(&v->b, IR_OP_reduce, IR_I32, &ones, 1);
            sum->imm = IR_RMW_ADD;
            v_set(v, slot, v_op2(v, IR_OP_add, old, &sum->results[0]));
            continue;
        }
        struct ir_value *hit = i->imm == 1 ? v_and_not(v, m, pred) : v_and(v, m, pred);
        struct ir_value *found = ir_build1(&v->b, IR_OP_anylane, IR_VOID, hit);
        v_set(v, slot,
              ir_build3(&v->b, IR_OP_select, IR_I32, found, v_num(v, IR_I32, i->imm == 2), old));
    }
}

static void items(struct vectorizer *v, const struct vnode *n, size_t from)
{
    for (size_t k = from; k < n->items.len && !v->dead; k++) {
        const struct vitem *item = &n->items.data[k];
        struct ir_value *m[V_MAX_PIECES];
        v_get_mask(v, m);
        bool full = v_every(m, v->pieces, v_is_all);
        if (item->region->kind == REGION_CODE && item->first == item->end) {
            v->at = v_info(v, item->region);
            barrier_reduce(v, item->first);
            continue;
        }
        int64_t stride;
        bool took_rest = false;
        v->at = v_info(v, item->region);
        if (item->region->kind == REGION_IF && !v_drops(v, item->region) &&
            !v_uniform(v, v_class(v, item->region->cond, v->at, &stride)) &&
            v_likely_if(v, item->region, &took_rest))
            continue;
        v_region(v, item);
        if (!v->dead && k + 1 < n->items.len && v_drops(v, item->region)) {
            items_rest(v, n, k + 1, full);
            return;
        }
    }
}

static struct ir_value *size(struct vectorizer *v, unsigned axis)
{
    if (v->block[axis])
        return v_num(v, IR_I32, v->block[axis]);
    return ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X + axis);
}

static struct ir_value *div_up(struct vectorizer *v, struct ir_value *x, uint32_t by)
{
    return v_op2(v, IR_OP_udiv, v_op2(v, IR_OP_add, x, v_num(v, IR_I32, by - 1)),
                 v_num(v, IR_I32, by));
}

/* One after the other: which argument is evaluated first is up to the compiler, and the code that
 * we write is not. */
static struct ir_value *sizes(struct vectorizer *v, unsigned first)
{
    struct ir_value *n = size(v, first);
    for (unsigned k = first + 1; k < 3; k++) {
        struct ir_value *next = size(v, k);
        n = v_op2(v, IR_OP_mul, n, next);
    }
    return n;
}

static struct ir_value *gang_count(struct vectorizer *v)
{
    uint32_t *b = v->block;
    if (v->linear) {
        if (b[0])
            return v_num(v, IR_I32,
                         (b[0] * b[1] * b[2] + v->lanes * v->pieces - 1) / (v->lanes * v->pieces));
        return div_up(v, sizes(v, 0), v->lanes * v->pieces);
    }
    if (b[0])
        return v_num(v, IR_I32, (b[0] + v->lanes - 1) / v->lanes * (b[1] / v->pieces) * b[2]);
    struct ir_value *across = div_up(v, size(v, 0), v->lanes);
    return v_op2(v, IR_OP_mul, across, sizes(v, 1));
}

/* Where the gang lies in the block, and the mask of its lanes that exist. */
static void place_gang(struct vectorizer *v, struct ir_value **m)
{
    uint32_t *b = v->block;
    struct ir_value *g = v->gang;
    ir_type words = v_vector(v, IR_I32);
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v_num(v, v_mask_type(v), 1);
    if (v->linear) {
        struct ir_value *total = b[0] ? v_num(v, IR_I32, b[0] * b[1] * b[2]) : sizes(v, 0);
        for (unsigned p = 0; p < v->pieces; p++) {
            struct ir_value *at = v_op2(v, IR_OP_mul, g, v_num(v, IR_I32, v->lanes * v->pieces));
            v->linear0[p] = p ? v_op2(v, IR_OP_add, at, v_num(v, IR_I32, p * v->lanes)) : at;
            if (!b[0] || b[0] * b[1] * b[2] % (v->lanes * v->pieces)) {
                struct ir_value *left = v_op2(v, IR_OP_sub, total, v->linear0[p]);
                struct ir_value *iota = ir_build0(&v->b, IR_OP_iota, words, 0);
                m[p] = v_op2(v, IR_OP_slt, iota, ir_build1(&v->b, IR_OP_splat, words, left));
            }
        }
        v->x = v->linear0[0];
        return;
    }
    struct ir_value *across =
        b[0] ? v_num(v, IR_I32, (b[0] + v->lanes - 1) / v->lanes) : div_up(v, size(v, 0), v->lanes);
    bool one = b[0] && b[0] <= v->lanes, row = b[1] == 1 && b[2] == 1;
    struct ir_value *zero = v_num(v, IR_I32, 0);
    struct ir_value *column = one ? zero : row || v->coarse_x ? g : v_op2(v, IR_OP_urem, g, across);
    struct ir_value *line = row           ? zero
                            : v->coarse_x ? v->thread_row
                            : one         ? g
                                          : v_op2(v, IR_OP_udiv, g, across);
    v->x = one ? zero : v_op2(v, IR_OP_mul, column, v_num(v, IR_I32, v->lanes));
    struct ir_value *y = row ? zero : line, *z = zero;
    if (!row && b[2] != 1) {
        struct ir_value *lines = b[1] ? v_num(v, IR_I32, b[1] / v->pieces) : size(v, 1);
        y = v_op2(v, IR_OP_urem, line, lines);
        z = v_op2(v, IR_OP_udiv, line, lines);
    }
    if (v->pieces > 1)
        y = v_op2(v, IR_OP_mul, y, v_num(v, IR_I32, v->pieces));
    for (unsigned p = 0; p < v->pieces; p++) {
        v->y[p] = p ? v_op2(v, IR_OP_add, y, v_num(v, IR_I32, p)) : y;
        v->z[p] = z;
        v->linear0[p] = v->x;
        if (!row)
            v->linear0[p] =
                v_op2(v, IR_OP_add, v->x,
                      v_op2(v, IR_OP_mul, size(v, 0),
                            v_op2(v, IR_OP_add, v->y[p], v_op2(v, IR_OP_mul, size(v, 1), z))));
    }
    if (!v->joined && (!b[0] || b[0] % v->lanes)) {
        struct ir_value *left = v_op2(v, IR_OP_sub, size(v, 0), v->x);
        struct ir_value *iota = ir_build0(&v->b, IR_OP_iota, words, 0);
        m[0] = v_op2(v, IR_OP_slt, iota, ir_build1(&v->b, IR_OP_splat, words, left));
        for (unsigned p = 1; p < v->pieces; p++)
            m[p] = m[0];
    }
}

/* Values that live from one segment to another lie in memory. Masks are kept as words. */
static ir_type kept_type(const struct vectorizer *v, uint32_t slot)
{
    ir_type t = v->slot_type[slot];
    return ir_kind(t) == IR_I1 ? ir_like(ir_is_vector(t) ? IR_I32 : IR_I8, t) : t;
}

enum { FRAME_ALIGN = 64 };

static struct ir_value *times_gang(struct vectorizer *v, uint64_t bytes)
{
    return v_op2(v, IR_OP_mul, ir_build1(&v->b, IR_OP_zext, IR_I64, v->gang),
                 v_num(v, IR_I64, bytes));
}

/* A gang's values lie side by side in its frame, so that one address leads to all of them. Gangs
 * that are written out know all addresses: there each value is memory of its own, one element for
 * each gang, which passes take apart. */
static struct ir_value *kept_at(struct vectorizer *v, uint32_t slot)
{
    const uint32_t bytes = ir_bytes(kept_type(v, slot)),
                   align = bytes < FRAME_ALIGN ? bytes : FRAME_ALIGN;
    if (v->options->unroll_gangs) {
        if (!v->memory[slot])
            v->memory[slot] = ir_build_alloca(v->to, (uint64_t)bytes * v->ngangs, align, "kept");
        return ir_build2(&v->b, IR_OP_ptradd, v->memory[slot]->type, v->memory[slot],
                         times_gang(v, bytes));
    }
    if (!v->frames)
        v->frames = ir_build_alloca(v->to, 0, FRAME_ALIGN, "kept");
    if (!v->in_frame[slot]) {
        const uint32_t at = (v->frame + align - 1) / align * align;
        v->in_frame[slot] = at + 1;
        v->frame = at + bytes;
    }
    struct ir_value *by = times_gang(v, FRAME_ALIGN);
    vec_push(v->arena, &v->by_frames, by->u.inst); /* also of a gang whose number is known */
    struct ir_value *frame = ir_build2(&v->b, IR_OP_ptradd, v->frames->type, v->frames, by);
    return ir_build2(&v->b, IR_OP_ptradd, frame->type, frame,
                     v_num(v, IR_I64, v->in_frame[slot] - 1));
}

/* All that gangs keep is known. */
static void make_frames(struct vectorizer *v)
{
    const uint64_t bytes = (v->frame + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
    vec_each (struct ir_inst *, i, &v->by_frames)
        (*i)->args[1] = v_num(v, IR_I64, bytes);
    if (v->frames)
        v->frames->u.inst->imm = bytes * v->ngangs;
}

static void load_kept(struct vectorizer *v, uint32_t slot)
{
    ir_type t = kept_type(v, slot), s = v->slot_type[slot];
    struct ir_value *x = ir_build_load(&v->b, t, kept_at(v, slot), ir_bytes(ir_scalar(t)), 0);
    if (t != s)
        x = ir_build2(&v->b, IR_OP_ne, t, x, v_num(v, t, 0));
    v_set(v, slot, x);
}

static void store_kept(struct vectorizer *v, uint32_t slot)
{
    ir_type t = kept_type(v, slot);
    struct ir_value *x = v_var(v, slot);
    if (t != v->slot_type[slot])
        x = ir_build1(&v->b, ir_is_vector(t) ? IR_OP_sext : IR_OP_zext, t, x);
    ir_build_store(&v->b, kept_at(v, slot), x, ir_bytes(ir_scalar(t)), 0);
}

static void uses_slot(struct vectorizer *v, struct ir_value *x, bool *used)
{
    if (!v_is_local(x))
        return;
    const struct vinfo *i = &v->value[x->id];
    v_add_slots(v, used, i->slot, i->class == V_BLOCK ? 1 : v->pieces);
    v_add_slots(v, used, i->out_slot, v->pieces);
}

static void uses(struct vectorizer *v, const struct vitem *item, bool *used)
{
    struct region *r = item->region;
    if (r->cond)
        uses_slot(v, r->cond, used);
    if (r->kind == REGION_CODE) {
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                uses_slot(v, i->args[k], used);
        if (item->first == item->end && item->first->op == IR_OP_barrier_red)
            uses_slot(v, item->first->args[2], used);
    }
    for (uint32_t k = item->copy; r->kind == REGION_COPIES && k < item->copy + item->ncopies; k++) {
        if (r->copies[k].src)
            uses_slot(v, r->copies[k].src, used);
        else
            v_add_slots(v, used, v->temp[r->copies[k].temp].slot,
                        v->temp[r->copies[k].temp].class == V_BLOCK ? 1 : v->pieces);
    }
    for (int side = 0; side < 2; side++)
        for (struct region *c = side ? r->other : r->child; c; c = c->next) {
            struct vitem inner = {.region = c, .ncopies = c->ncopies};
            if (c->kind == REGION_CODE)
                inner.first = c->block->first, inner.end = ir_terminator(c->block);
            uses(v, &inner, used);
        }
}

/* Brings values that are computed anew to the start of a segment. */
static void again(struct vectorizer *v, struct ir_value *x, uint32_t seg, bool *done)
{
    if (x->kind != IR_VALUE_RESULT)
        return;
    const struct vinfo *i = &v->value[x->id];
    if (!i->again || (i->seg == seg && !v->escapes[x->id]) || done[x->id])
        return;
    done[x->id] = true;
    for (uint32_t k = 0; k < x->u.inst->nargs; k++)
        again(v, x->u.inst->args[k], seg, done);
    v->at = map_get(&v->home, map_key(x->u.inst->block));
    v_instruction(v, x->u.inst);
}

static void item_again(struct vectorizer *v, const struct vitem *item, uint32_t seg, bool *done)
{
    struct region *r = item->region;
    if (r->cond)
        again(v, r->cond, seg, done);
    if (r->kind == REGION_CODE) {
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                again(v, i->args[k], seg, done);
        if (item->first == item->end && item->first->op == IR_OP_barrier_red)
            again(v, item->first->args[2], seg, done);
    }
    for (uint32_t k = item->copy; r->kind == REGION_COPIES && k < item->copy + item->ncopies; k++)
        if (r->copies[k].src)
            again(v, r->copies[k].src, seg, done);
    for (int side = 0; side < 2; side++)
        for (struct region *c = side ? r->other : r->child; c; c = c->next) {
            struct vitem inner = {.region = c, .ncopies = c->ncopies};
            if (c->kind == REGION_CODE)
                inner.first = c->block->first, inner.end = ir_terminator(c->block);
            item_again(v, &inner, seg, done);
        }
}

static bool exits(const struct region *r)
{
    for (; r; r = r->next)
        if (r->kind >= REGION_RETURN || exits(r->child) || exits(r->other))
            return true;
    return false;
}

static void hoisted(struct vectorizer *v, const struct vnode *n)
{
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        if (item->region->kind != REGION_CODE)
            continue;
        v->at = v_info(v, item->region);
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            if (i->nresults && v->value[i->results[0].id].hoisted) {
                v->b.span = i->span;
                v_instruction(v, i);
            }
    }
}

/* k, if c holds only for threads with threadIdx.x < k and k is at hand before segment `seg`. */
static struct ir_value *below(struct vectorizer *v, struct ir_value *c, uint32_t seg)
{
    if (c->kind != IR_VALUE_RESULT)
        return NULL;
    const struct ir_inst *i = c->u.inst;
    if (i->op == IR_OP_and) {
        struct ir_value *k = below(v, i->args[0], seg);
        return k ? k : below(v, i->args[1], seg);
    }
    if (i->nargs != 2 || i->args[0]->kind != IR_VALUE_RESULT ||
        i->args[0]->u.inst->op != IR_OP_sreg || i->args[0]->u.inst->imm != IR_SREG_TID_X)
        return NULL;
    struct ir_value *k = i->args[1];
    if (i->op == IR_OP_eq)
        return ir_is_const(k) ? v_num(v, IR_I32, k->u.bits + 1) : NULL;
    if (i->op != IR_OP_slt && i->op != IR_OP_ult)
        return NULL;
    const struct vinfo *is = v_is_local(k) ? &v->value[k->id] : NULL;
    return !is || (is->class == V_BLOCK && !is->by_gang && (is->hoisted || is->seg != seg)) ? k
                                                                                            : NULL;
}

/* A segment that does nothing but `if (threadIdx.x < k)`, a step of a reduction, is for the first
 * gangs only: k, where it is at hand; else NULL. */
static struct ir_value *first_threads(struct vectorizer *v, const struct vnode *n, const bool *set)
{
    const struct region *only = NULL;
    if (v->block[1] != 1 || v->block[2] != 1 || v->pieces > 1)
        return NULL;
    for (uint32_t s = 0; s < v->nslots; s++)
        if (set[s] && (v->context[s] || v->of_block[s]))
            return NULL;
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        if (item->region->kind == REGION_IF && !only && !item->region->other) {
            only = item->region;
            continue;
        }
        if (item->region->kind != REGION_CODE || item->first == item->end)
            return NULL;
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            if (!(ir_op_info[i->op].flags & IR_PURE) && i->op != IR_OP_split && i->op != IR_OP_join)
                return NULL;
    }
    return only ? below(v, only->cond, n->seg) : NULL;
}

/* Gangs of which some thread is among the first k. */
static struct ir_value *first_gangs(struct vectorizer *v, struct ir_value *most,
                                    struct ir_value *all)
{
    uint32_t threads = v->block[0], lanes = v->lanes;
    if (ir_is_const(most))
        return most->u.bits - 1 < threads
                   ? v_num(v, IR_I32, ((uint32_t)most->u.bits + lanes - 1) / lanes)
                   : all;
    struct ir_value *k = v_scalar(v, most, 0);
    return ir_build3(&v->b, IR_OP_select, IR_I32,
                     ir_build2(&v->b, IR_OP_ult, IR_I32, k, v_num(v, IR_I32, threads)),
                     div_up(v, k, lanes), all);
}

/* ---- block coarsening ---- */
static struct vnode *segments(struct vectorizer *v);
static bool early_exits(const struct region *r);

static bool is_line(const struct vectorizer *v)
{
    return v->block[1] * v->block[2] < 2;
}

static bool is_of_warp(const struct ir_inst *i)
{
    return i->op == IR_OP_shfl || i->op == IR_OP_vote || i->op == IR_OP_redux ||
           i->op == IR_OP_warpsync;
}

/* A kernel without loops that reads and writes elements side by side, with blocks of several rows,
 * as for images. Block by block, memory would be asked for short pieces of many rows; it is
 * fastest with whole rows. So such a kernel is coarsened: one call runs blocks that follow each
 * other in x, for each row of threads, each block, the gangs of that row. A loop over planes
 * (interleave.c) also takes several rows of blocks. Blocks of one row (coarsen_single_rows) come in
 * the order that they would have come in: there it saves the cost of calls. */
static bool may_coarsen(const struct vectorizer *v, struct ir_func *f)
{
    const bool warps = v->lanes == 32 && v->block[0] % 32 == 0;
    if (is_line(v) && !v->options->coarsen_single_rows)
        return false;
    ir_cfg(f);
    ir_each_block (b, f) {
        if (ir_goes_round(b))
            return false;
        ir_each_inst (i, b) {
            bool access = i->op == IR_OP_load || i->op == IR_OP_store;
            if (access && (i->flags & (IR_VOLATILE | IR_STEP) || ir_order(i->flags) ||
                           ir_space(i->args[0]->type) == IR_SPACE_SHARED ||
                           ir_space(i->args[0]->type) == IR_SPACE_LOCAL))
                return false;
            if (!access && !(ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR)) &&
                i->op != IR_OP_split && i->op != IR_OP_join && !(warps && is_of_warp(i)))
                return false;
        }
    }
    return true;
}

static bool side_by_side(struct vectorizer *v)
{
    ir_each_block (b, v->from)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_load && i->op != IR_OP_store)
                continue;
            int64_t stride;
            enum vclass c = v_class(v, i->args[0], map_get(&v->home, map_key(b)), &stride);
            if (c >= V_BITS || (c == V_AFFINE && stride != (int64_t)ir_bytes(i->type)))
                return false;
        }
    return true;
}

bool lower_may_join(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const bool atomic = i->op == IR_OP_rmw || i->op == IR_OP_cas;
            if (i->op == IR_OP_load || i->op == IR_OP_store || atomic) {
                if (i->flags & (IR_VOLATILE | IR_STEP) || (!atomic && ir_order(i->flags)))
                    return false;
            } else if (i->op == IR_OP_sreg) {
                if (i->imm > IR_SREG_NCTAID_Z)
                    return false;
            } else if (!(ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR)) &&
                       i->op != IR_OP_split && i->op != IR_OP_join && i->op != IR_OP_alloca) {
                return false;
            }
            for (uint32_t k = 0; k < i->nargs; k++)
                if (ir_kind(i->args[k]->type) == IR_PTR &&
                    ir_space(i->args[k]->type) == IR_SPACE_SHARED)
                    return false;
        }
    return true;
}

/* Accesses whose lanes do not lie side by side. */
static unsigned count_scattered(struct vectorizer *v)
{
    unsigned n = 0;
    ir_each_block (b, v->from)
        ir_each_inst (i, b) {
            int64_t stride;
            if (i->op != IR_OP_load && i->op != IR_OP_store)
                continue;
            enum vclass c = v_class(v, i->args[0], map_get(&v->home, map_key(b)), &stride);
            n += c >= V_BITS || (c == V_AFFINE && stride != (int64_t)ir_bytes(i->type));
        }
    return n;
}

/* Nothing lives from one segment to the other: there is no place for the gangs of all blocks. */
static bool keeps_nothing(const struct vectorizer *v, const struct vnode *body)
{
    if (body->kind == NODE_SEGMENT && !body->next)
        return true;
    if (!v->coarse_y || early_exits(v->tree->body))
        return false;
    for (uint32_t k = 0; k < v->from->nvalues; k++) {
        const struct vinfo *i = &v->value[k];
        if (i->multi && i->class != V_BLOCK && !i->again)
            return false;
    }
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        if (v->temp[k].multi && v->temp[k].class != V_BLOCK)
            return false;
    return true;
}

static bool worth_interchanging(struct vectorizer *v)
{
    v->coarse_x = v->coarse_y = true;
    return segments(v) && side_by_side(v);
}

/* Gangs of threads of several blocks: not where elements that lie side by side in a block do not in
 * several, unless next to nothing of a vector would be used. NULL: not so. */
static struct vnode *join_blocks(struct vectorizer *v)
{
    enum { FEW = 2 };
    const struct vector_options *o = v->options;
    v->lanes = o->lanes_alone, v->pieces = o->pieces_alone, v->linear = o->warps_alone;
    struct vnode *body = segments(v);
    const unsigned alone = count_scattered(v);
    if (!body)
        return NULL;
    v->lanes = o->lanes, v->pieces = o->pieces, v->linear = false;
    v->joined = v->coarse_x = true;
    v->coarse_y = v->pieces == 1 && v_interchange_planes(v, worth_interchanging);
    body = segments(v);
    if (body && keeps_nothing(v, body) && (v->block[0] <= FEW || count_scattered(v) <= alone))
        return body;
    if (v->coarse_y)
        v_interleave_undo(v);
    v->joined = v->coarse_x = v->coarse_y = false;
    v->lanes = o->lanes_alone, v->pieces = o->pieces_alone, v->linear = o->warps_alone;
    return NULL;
}

/* Does a segment do more than compute what the next ones compute again? */
static bool acts(const struct vnode *n)
{
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        if (item->region->kind != REGION_CODE)
            return true;
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            if (!(ir_op_info[i->op].flags & IR_PURE) && i->op != IR_OP_split && i->op != IR_OP_join)
                return true;
    }
    return false;
}

static bool has_loops(struct ir_func *f)
{
    ir_cfg(f);
    ir_each_block (b, f)
        if (ir_goes_round(b))
            return true;
    return false;
}

/* Joined blocks: the gangs of a row of threads are numbered through the grid, so that lanes begin
 * at a multiple of their number. Of the first and the last only some lanes may be in the run. */
static void joined_gang(struct vectorizer *v, const struct vnode *n, struct ir_value *run)
{
    const ir_type words = v_vector(v, IR_I32);
    struct ir_value *per = v_num(v, IR_I32, v->lanes / v->block[0]), *m[V_MAX_PIECES];
    struct ir_value *start = ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_CTAID_X);
    struct ir_value *from = v_op2(v, IR_OP_sub, start, v->block_x),
                    *to = v_op2(v, IR_OP_add, from, run);
    struct ir_value *begun = ir_build2(&v->b, IR_OP_sle, IR_I32, from, v_num(v, IR_I32, 0)),
                    *not_ended = ir_build2(&v->b, IR_OP_sle, IR_I32, per, to);
    struct vjoin join = {0};
    struct ir_block *no;
    struct vpage **before = v_snapshot(v);
    v_branch(v, v_op2(v, IR_OP_and, begun, not_ended), &no);
    items(v, n, 0);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    struct ir_value *block =
        v_op2(v, IR_OP_udiv, ir_build0(&v->b, IR_OP_iota, words, 0), v_num(v, words, v->block[0]));
    struct ir_value *after =
        ir_build2(&v->b, IR_OP_sle, words, ir_build1(&v->b, IR_OP_splat, words, from), block);
    m[0] =
        v_and(v, after,
              ir_build2(&v->b, IR_OP_slt, words, block, ir_build1(&v->b, IR_OP_splat, words, to)));
    for (unsigned p = 0; p < v->pieces; p++) {
        m[p] = m[0];
        v_set(v, v->alive + p, m[p]);
    }
    v_set_mask(v, m);
    items_rest(v, n, 0, false);
    v_jump(v, &join);
    v_arrive(v, &join);
}

static void run_of_blocks(struct vectorizer *v, const struct vnode *n)
{
    /* rows, and in each the gangs of all blocks; with loops, which read the same again for the next
     * row, the other way round */
    const unsigned row = v->joined && !v->coarse_y && has_loops(v->from), gang = 1 - row;
    uint32_t across = v->joined ? 1 : (v->block[0] + v->lanes - 1) / v->lanes,
             lines = v->block[1] * v->block[2] / v->pieces, per = v->lanes / v->block[0],
             counters[2], ncarried[2];
    const uint32_t *slots[2];
    struct ir_block *headers[2];
    struct ir_value **more = v->to->first->params.data + v->from->params.len, *begin[2], *most[2];
    bool *carried = arena_array(v->arena, bool, v->nslots + 1);
    counters[row] = v->thread_row_slot, counters[gang] = v->gang_slot;
    hoisted(v, n);
    if (v->coarse_y && !acts(n))
        return;
    begin[row] = begin[gang] = v_num(v, IR_I32, 0);
    most[row] = v_num(v, IR_I32, lines);
    if (v->joined) {
        struct ir_value *start = ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_CTAID_X);
        begin[gang] = v_op2(v, IR_OP_udiv, start, v_num(v, IR_I32, per));
        most[gang] = div_up(v, v_op2(v, IR_OP_add, start, more[0]), per);
    } else {
        most[gang] = v_op2(v, IR_OP_mul, more[0], v_num(v, IR_I32, across));
    }
    if (v->coarse_y)
        most[row] = v_op2(v, IR_OP_mul, more[1], most[row]);
    for (size_t k = 0; k < n->items.len; k++)
        v_sets(v, &n->items.data[k], carried);
    for (uint32_t s = 0; s < v->nslots; s++)
        carried[s] = carried[s] && v->of_block[s];
    for (unsigned k = 0; k < 2; k++) {
        carried[counters[k]] = true;
        slots[k] = v_slots_of(v, carried, &ncarried[k]);
        carried[counters[k]] = false;
        v_set(v, counters[k], begin[k]);
        headers[k] = v_loop_header(v, slots[k], ncarried[k]);
    }
    v->thread_row = v_var(v, v->thread_row_slot);
    if (v->coarse_y) {
        v->block_y = v_op2(v, IR_OP_udiv, v->thread_row, v_num(v, IR_I32, lines));
        v->thread_row = v_op2(v, IR_OP_urem, v->thread_row, v_num(v, IR_I32, lines));
    }
    struct ir_value *g = v_var(v, v->gang_slot), *m[V_MAX_PIECES];
    v->block_x = v->joined ? v_op2(v, IR_OP_mul, g, v_num(v, IR_I32, per))
                           : v_op2(v, IR_OP_udiv, g, v_num(v, IR_I32, across));
    v->gang = v_op2(v, IR_OP_urem, g, v_num(v, IR_I32, across));
    place_gang(v, m);
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, v->alive + p, m[p]);
    v_set_mask(v, m);
    bool *done_again = arena_array(v->arena, bool, v->from->nvalues + 1);
    for (size_t k = 0; k < n->items.len; k++)
        item_again(v, &n->items.data[k], n->seg, done_again);
    struct vjoin end = {0};
    v->gang_end = &end;
    v->budget = 600;
    if (v->joined)
        joined_gang(v, n, more[0]);
    else if (v_is_all(m[0]))
        items(v, n, 0);
    else
        items_rest(v, n, 0, true);
    v_jump(v, &end);
    v_arrive(v, &end);
    for (unsigned k = 2; k-- > 0 && !v->dead;) {
        struct ir_block *done;
        v_set(v, counters[k], v_op2(v, IR_OP_add, v_var(v, counters[k]), v_num(v, IR_I32, 1)));
        v_branch(v, ir_build2(&v->b, IR_OP_ult, IR_I32, v_var(v, counters[k]), most[k]), &done);
        struct vpage **after = v_snapshot(v);
        v_loop_again(v, headers[k], slots[k], ncarried[k]);
        v_begin(v, done);
        v_restore(v, after);
    }
}

/* What a segment does for the gang that the variable names. */
static void one_gang(struct vectorizer *v, const struct vnode *n, struct ir_value *count,
                     const bool *set, const bool *used, bool may_exit)
{
    const bool keep_alive = v->context[v->alive] && may_exit;
    struct ir_value *m[V_MAX_PIECES];
    v->gang = v_var(v, v->gang_slot);
    if (n->down && ir_is_const(v->gang) && ir_is_const(count)) /* from the last to the first */
        v->gang = v_num(v, IR_I32, count->u.bits - 1 - v->gang->u.bits);
    else if (n->down)
        v->gang = v_op2(v, IR_OP_sub, v_op2(v, IR_OP_sub, count, v_num(v, IR_I32, 1)), v->gang);
    place_gang(v, m);
    for (uint32_t s = 0; s < v->nslots; s++)
        if (v->context[s] && (used[s] || set[s]) && s < v->alive)
            load_kept(v, s);
    for (unsigned p = 0; p < v->pieces; p++) {
        v_set(v, v->alive + p, m[p]);
        if (v->context[v->alive + p]) {
            load_kept(v, v->alive + p);
            m[p] = v_var(v, v->alive + p);
        }
    }
    v_set_mask(v, m);
    bool *done_again = arena_array(v->arena, bool, v->from->nvalues + 1);
    for (size_t k = 0; k < n->items.len; k++)
        item_again(v, &n->items.data[k], n->seg, done_again);
    struct vjoin end = {0};
    v->gang_end = &end;
    bool full = v_every(m, v->pieces, v_is_all);
    v->budget = 600;
    if (full)
        items(v, n, 0);
    else
        items_rest(v, n, 0, true);
    v_jump(v, &end);
    v_arrive(v, &end);
    if (v->dead)
        return;
    for (uint32_t s = 0; s < v->nslots; s++)
        if (v->context[s] && set[s] && s < v->alive)
            store_kept(v, s);
    for (unsigned p = 0; p < v->pieces; p++)
        if (v->context[v->alive + p] && may_exit)
            store_kept(v, v->alive + p);
    if (keep_alive) {
        struct ir_value *left[V_MAX_PIECES];
        for (unsigned p = 0; p < v->pieces; p++)
            left[p] = v_var(v, v->alive + p);
        v_set(v, v->some_slot, v_op2(v, IR_OP_or, v_var(v, v->some_slot), v_any(v, left)));
    }
}

static void segment(struct vectorizer *v, const struct vnode *n)
{
    hoisted(v, n);
    bool *set = arena_array(v->arena, bool, v->nslots + 1),
         *used = arena_array(v->arena, bool, v->nslots + 1);
    bool work = false, may_exit = false;
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        v_sets(v, item, set);
        uses(v, item, used);
        if (item->region->kind == REGION_CODE && item->first == item->end) /* counts from here */
            v_set(v, v->value[item->first->results[0].id].slot,
                  v_num(v, IR_I32, item->first->imm == 1));
        if (item->region->kind != REGION_CODE || item->first == item->end)
            work = true;
        else
            for (struct ir_inst *i = item->first; i != item->end; i = i->next)
                work |= i->op != IR_OP_split && i->op != IR_OP_join &&
                        (!i->nresults || !v->value[i->results[0].id].hoisted);
        may_exit |= item->region->kind >= REGION_RETURN || exits(item->region->child) ||
                    exits(item->region->other);
    }
    if (!work)
        return;
    /* Variables of the block go round the loop; those of gangs are loaded and stored. */
    uint32_t gang = v->gang_slot, some = v->some_slot;
    bool *carried = arena_array(v->arena, bool, v->nslots + 1);
    bool keep_alive = v->context[v->alive] && may_exit;
    for (uint32_t s = 0; s < v->nslots; s++)
        carried[s] = set[s] && v->of_block[s];
    carried[gang] = true;
    carried[some] = keep_alive;
    v_set(v, gang, v_num(v, IR_I32, 0));
    v_set(v, some, v_num(v, IR_I1, 0));
    struct vpage **outside = v_snapshot(v);
    uint32_t ncarried;
    const uint32_t *slots = v_slots_of(v, carried, &ncarried);
    struct ir_value *count = gang_count(v), *most = may_exit ? NULL : first_threads(v, n, set);
    if (most)
        count = first_gangs(v, most, count);
    struct ir_block *header = NULL, *done;
    const bool unroll_gangs =
        ir_is_const(count) && (v->options->unroll_gangs || v_writes_columns(v, n, count->u.bits));
    const uint64_t copies = unroll_gangs ? count->u.bits : 1;
    bool once = unroll_gangs || (ir_is_const(count) && count->u.bits == 1);
    if (!once)
        header = v_loop_header(v, slots, ncarried);
    for (uint64_t g = 0; g < copies && !v->dead; g++) {
        for (uint32_t s = 0; s < v->nslots && g; s++)
            if (!carried[s])
                v_set(v, s, v_in(outside, s));
        if (g)
            v_set(v, gang, v_num(v, IR_I32, g));
        one_gang(v, n, count, set, used, may_exit);
    }
    if (!v->dead) {
        if (!once) {
            v_set(v, gang, v_op2(v, IR_OP_add, v_var(v, gang), v_num(v, IR_I32, 1)));
            v_branch(v, ir_build2(&v->b, IR_OP_ult, IR_I32, v_var(v, gang), count), &done);
            struct vpage **after = v_snapshot(v);
            v_loop_again(v, header, slots, ncarried);
            v_begin(v, done);
            v_restore(v, after);
        }
        struct ir_value *some_left = v_var(v, some);
        for (uint32_t s = 0; s < v->nslots; s++)
            if (!carried[s] || s == gang || s == some)
                v_set(v, s, v_in(outside, s));
        if (keep_alive && may_exit) { /* all threads of the block have ended */
            struct ir_block *go;
            v_branch(v, ir_build1(&v->b, IR_OP_not, IR_I1, some_left), &go);
            ir_build_ret(&v->b, NULL);
            v_begin(v, go);
        }
    }
}

/* ---- regions for the block ---- */
static void nodes(struct vectorizer *v, struct vnode *n);

static void node_region(struct vectorizer *v, struct vnode *n)
{
    struct region *r = n->region;
    v->at = v_info(v, r);
    if (r->kind == REGION_IF) {
        struct vjoin join = {0};
        struct ir_block *no;
        struct vpage **before;
        struct ir_value *c = v_scalar(v, r->cond, 0);
        before = v_snapshot(v);
        v_branch(v, c, &no);
        nodes(v, n->child);
        v_jump(v, &join);
        v_begin(v, no);
        v_restore(v, before);
        nodes(v, n->other);
        v_jump(v, &join);
        v_arrive(v, &join);
        return;
    }
    struct vtarget t = {.up = v->targets, .region = r};
    v->targets = &t;
    if (r->kind == REGION_LOOP) {
        bool *set = arena_array(v->arena, bool, v->nslots + 1);
        v_list_sets(v, r->child, set);
        for (uint32_t s = 0; s < v->nslots; s++) /* what gangs keep is in memory */
            set[s] = set[s] && v->of_block[s];
        t.slots = v_slots_of(v, set, &t.nslots);
        t.header = v_loop_header(v, t.slots, t.nslots);
    }
    nodes(v, n->child);
    v->targets = t.up;
    if (r->kind == REGION_BLOCK)
        v_jump(v, &t.end);
    v_arrive(v, &t.end);
}

static void nodes(struct vectorizer *v, struct vnode *n)
{
    for (; n && !v->dead; n = n->next)
        switch (n->kind) {
        case NODE_SEGMENT:
            if (v->coarse_x)
                run_of_blocks(v, n);
            else
                segment(v, n);
            break;
        case NODE_COPIES: {
            struct vitem item = {.region = n->region, .copy = n->copy, .ncopies = n->ncopies};
            v->at = v_info(v, n->region);
            v_copies(v, &item);
            break;
        }
        case NODE_REGION: node_region(v, n); break;
        case NODE_JUMP: v_jump_out(v, n->region); break;
        }
}

/* ---- the whole ---- */
/* Switches become chains of comparisons: lanes may take different arms. */
static void chain_switches(struct ir_func *f)
{
    ir_each_block (b, f) {
        struct ir_inst *t = ir_terminator(b);
        if (!t || t->op != IR_OP_switch)
            continue;
        struct ir_builder at = ir_builder_at_end(b);
        at.span = t->span;
        struct ir_value *x = t->args[0];
        struct ir_edge *edges = t->edges;
        uint32_t n = t->nedges;
        struct ir_block *here = b;
        ir_remove(t);
        for (uint32_t k = 1; k < n; k++) {
            struct ir_value *same = ir_build2(&at, IR_OP_eq, x->type, x,
                                              ir_const(f->module, x->type, edges[k].case_value));
            struct ir_block *next = ir_block_after(here, NULL);
            struct ir_inst *branch = ir_build(&at, IR_OP_condbr, IR_VOID, &same, 1);
            ir_add_edge(branch, edges[k].to, edges[k].args, edges[k].nargs, 0);
            ir_add_edge(branch, next, NULL, 0, 0);
            at.block = here = next;
        }
        ir_build_br(&at, edges[0].to, edges[0].args, edges[0].nargs);
    }
}

/* Does some thread end before the last statement of the kernel? */
static bool early_exits(const struct region *r)
{
    for (; r; r = r->next)
        if (exits(r->child) || exits(r->other) || (r->kind >= REGION_RETURN && r->next))
            return true;
    return false;
}

/* All threads of the block are there at first. */
static void all_alive(struct vectorizer *v)
{
    struct ir_value *count = gang_count(v), *m[V_MAX_PIECES];
    v_set(v, v->gang_slot, v_num(v, IR_I32, 0));
    struct ir_block *header = v_loop_header(v, &v->gang_slot, 1), *done;
    v->gang = v_var(v, v->gang_slot);
    place_gang(v, m);
    for (unsigned p = 0; p < v->pieces; p++) {
        v_set(v, v->alive + p, m[p]);
        store_kept(v, v->alive + p);
        v_set(v, v->alive + p, v_num(v, v_mask_type(v), 0));
    }
    v_set(v, v->gang_slot, v_op2(v, IR_OP_add, v->gang, v_num(v, IR_I32, 1)));
    v_branch(v, ir_build2(&v->b, IR_OP_ult, IR_I32, v_var(v, v->gang_slot), count), &done);
    v_loop_again(v, header, &v->gang_slot, 1);
    v_begin(v, done);
    v_set(v, v->gang_slot, v_num(v, IR_I32, 0));
}

static void analyse(struct vectorizer *v)
{
    v->tree = lower_structurize(v->arena, v->from);
    v->uses = ir_use_counts(v->arena, v->from);
    do {
        v->escapes = lower_escapes(v->arena, v->tree);
        v_analyse(v);
    } while (v_leave_early(v));
}

/* The body in segments; NULL: refused. */
static struct vnode *segments(struct vectorizer *v)
{
    v->why = NULL;
    v->strict = false;
    analyse(v);
    if (v_widen(v))
        analyse(v);
    struct vnode *body = v_segments(v);
    for (uint32_t k = 0; k < v->from->nvalues && body && !v->strict; k++)
        if (v->value[k].assumed && v->value[k].multi && !v->value[k].again) {
            v->strict = true; /* it would have to be kept for each gang: as what it is, then */
            analyse(v);
            body = v_segments(v);
        }
    return body;
}

/* ---- the vectoriser's own pipeline ---- */

static void reducible(void *ctx, struct ir_func *f)
{
    lower_reducible(((struct vectorizer *)ctx)->arena, f);
}

static void switches(void *ctx, struct ir_func *f)
{
    (void)ctx;
    chain_switches(f);
}

static void divide(void *ctx, struct ir_func *f)
{
    (void)f;
    v_divide(ctx);
}

static void guards(void *ctx, struct ir_func *f)
{
    (void)f;
    v_guards(ctx);
}

static void interleave(void *ctx, struct ir_func *f)
{
    (void)f;
    v_interleave(ctx);
}

static void butterflies(void *ctx, struct ir_func *f)
{
    (void)f;
    v_find_butterflies(ctx, analyse);
}

static const struct pass before[] = {
    PASS_ROW("reducible", "loops with several entries get one", .func = reducible),
    PASS_ROW("switches", "a switch becomes a chain of branches", .func = switches),
    PASS_ROW("divide", "signed division of what is never negative becomes shifts", .func = divide),
    PASS_ROW("guards", "what a branch keeps from going below zero is extended by its sign",
             .func = guards),
    PASS_ROW("interleave", "iterations that walk side by side, gang by gang", .func = interleave),
    PASS_ROW("butterflies", "loops that pair threads get a body for each distance",
             .func = butterflies),
    /* Behind what looks for divisions; processors have none of vectors. */
    PASS_ROW("products", "quotients by constants into products", .plain = opt_divide),
    PASS_END,
};

static void votes(void *ctx, struct ir_func *f)
{
    (void)ctx;
    lower_votes(f);
}

static const struct pass after[] = {
    PASS_ROW("simplify", "what became constant", .plain = opt_simplify),
    PASS_ROW("votes", "of masks whose lanes are known", .func = votes),
    PASS_ROW("gvn", "what lanes have in common", .plain = opt_gvn),
    PASS_ROW("dce", "what no lane needs", .plain = opt_dce),
    PASS_END,
};

struct ir_func *lower_vectorize(struct arena *a, struct ir_func *kernel,
                                const struct vector_options *o, const char **why)
{
    struct vectorizer *v = arena_new(a, struct vectorizer);
    v->arena = a;
    v->from = kernel;
    v->module = kernel->module;
    v->options = o;
    v->lanes = o->lanes;
    v->pieces = o->pieces ? o->pieces : 1;
    v->linear = o->warps;
    memcpy(v->block, o->block, sizeof v->block);
    struct vector_needs needs = lower_vector_needs(a, kernel);
    *why = needs.why;
    if (*why)
        return NULL;
    struct passes alone = {.arena = a, .module = kernel->module};
    struct passes *passes = o->passes ? o->passes : &alone;
    if (!pass_run_on(passes, before, v, kernel))
        return NULL;
    struct vnode *body = o->lanes_alone ? join_blocks(v) : NULL;
    if (!body && o->coarsen && !v->linear && v->pieces == 1 && v->block[0]) {
        v->coarse_y = v_interchange_planes(v, worth_interchanging);
        v->coarse_x = v->coarse_y || may_coarsen(v, kernel);
    }
    if (!body)
        body = segments(v);
    if (!v->joined && v->coarse_x &&
        (!body || !keeps_nothing(v, body) || !(is_line(v) || side_by_side(v)))) {
        v->coarse_x = false;
        if (v->coarse_y)
            v_interleave_undo(v);
        v->coarse_y = false;
        body = segments(v);
    }
    if (!body && v->added_barriers.len) { /* perhaps it is the barriers that were added */
        v_interleave_undo(v);
        body = segments(v);
    }
    *why = v->why;
    if (!body)
        return NULL;

    const char *name = arena_printf(a, "%s.block", kernel->name);
    v->to = ir_func_new(v->module, name, IR_VOID, kernel->flags);
    v->to->display = kernel->display ? kernel->display : kernel->name;
    v->to->span = kernel->span;
    vec_each (struct ir_param, p, &kernel->params)
        vec_push(v->module->arena, &v->to->params, *p);
    if (v->coarse_x)
        ir_func_param(v->to, "run", IR_I32, 0, 0, 0);
    if (v->coarse_y)
        ir_func_param(v->to, "rows", IR_I32, 0, 0, 0);
    v->to->param_bytes = kernel->param_bytes;
    struct ir_block *entry = ir_block_new(v->to, "entry"), *start = ir_block_new(v->to, NULL);
    v->b = ir_builder_at_end(entry);
    ir_build_br(&v->b, start, NULL, 0);
    v_begin(v, start);
    v_make_variables(v);
    v->result = arena_array(a, struct ir_value *, (size_t)kernel->nvalues * v->pieces + 1);
    v->local = arena_array(a, struct ir_value *, (size_t)kernel->nvalues * v->pieces + 1);
    v->cache = arena_array(a, struct vcache, (size_t)kernel->nvalues * v->pieces + 1);
    v->unwrapped = arena_array(a, struct ir_value *, (size_t)kernel->nvalues * v->pieces + 1);
    for (size_t k = 0; k < kernel->params.len; k++)
        v->result[(size_t)kernel->first->params.data[k]->id * v->pieces] = entry->params.data[k];
    uint32_t threads = v->block[0] * v->block[1] * v->block[2];
    v->ngangs = !v->block[0] ? 1024
                : v->linear  ? (threads + v->lanes - 1) / v->lanes
                             : (v->block[0] + v->lanes - 1) / v->lanes * v->block[1] * v->block[2];
    bool one = body->kind == NODE_SEGMENT && !body->next;
    v->several = !one;
    if (!one) { /* what lives from segment to segment */
        bool ends = early_exits(v->tree->body);
        for (uint32_t k = 0; k < kernel->nvalues; k++) {
            const struct vinfo *i = &v->value[k];
            if (i->multi && i->class != V_BLOCK && i->slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[i->slot + p] = true;
            if (i->multi && i->out_slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[i->out_slot + p] = true;
        }
        for (uint32_t k = 0; k < v->tree->ntemps; k++)
            if (v->temp[k].multi && v->temp[k].class != V_BLOCK)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[v->temp[k].slot + p] = true;
        for (unsigned p = 0; p < v->pieces && ends; p++)
            v->context[v->alive + p] = true;
    }
    if (v->context[v->alive])
        all_alive(v);
    nodes(v, body);
    v_interleave_undo(v);
    if (!v->dead)
        ir_build_ret(&v->b, NULL);
    make_frames(v);
    ir_remove_unreachable(v->to);
    if (!pass_run_on(passes, after, v, v->to))
        return NULL;
    ir_renumber(v->to);
    return v->to;
}
