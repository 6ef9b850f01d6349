/* Region tree → structured control flow.
 *
 * A BLOCK is a block, a LOOP a loop (in a block, if something breaks from it), an IF an if; a jump
 * is a branch by the number of constructs it leaves. Values used once, in their own block, by an
 * instruction that reads them once, are computed where they are used; the others have a local. */
#include <string.h>
#include "back/wasm/wasm_int.h"

uint32_t wasm_new_local(struct wasm *w, uint8_t type)
{
    vec_push(w->arena, &w->locals, type);
    return w->nparams + (uint32_t)w->locals.len - 1;
}

static void open_block(struct wasm *w, unsigned op, const struct region *r, bool loop)
{
    wasm_op(w, op);
    sbuf_putc(w->code, 0x40);
    vec_push(w->arena, &w->labels, r);
    vec_push(w->arena, &w->label_is_loop, loop);
}

static void close_block(struct wasm *w)
{
    wasm_op(w, OP_END);
    w->labels.len--;
    w->label_is_loop.len--;
}

static void jump(struct wasm *w, const struct region *target, bool loop)
{
    uint32_t depth = 0;
    for (size_t k = w->labels.len; k-- > 0; depth++)
        if (w->labels.data[k] == target && w->label_is_loop.data[k] == loop) {
            wasm_local(w, OP_BR, depth);
            return;
        }
}

static void instructions(struct wasm *w, const struct ir_block *b)
{
    w->loads.len = 0;
    for (struct ir_inst *i = b->first; i != b->last; i = i->next) {
        const struct ir_value *r =
            i->nresults && ir_kind(i->results[0].type) != IR_TOKEN ? &i->results[0] : NULL;
        if (r && w->folded[r->id])
            continue;
        if (r && !w->uses_of[r->id] &&
            ((ir_op_info[i->op].flags & IR_PURE) || i->op == IR_OP_load || i->op == IR_OP_mload ||
             i->op == IR_OP_gather || i->op == IR_OP_alloca))
            continue;
        if (wasm_touches_vectors(i)) {
            wasm_vector(w, i);
            wasm_remember(w, i);
            continue;
        }
        wasm_remember(w, i);
        if (!wasm_instruction(w, i) || !r)
            continue;
        if (w->uses_of[r->id])
            wasm_local(w, OP_LOCAL_SET, w->local[r->id]);
        else
            wasm_op(w, OP_DROP);
    }
}

static void list(struct wasm *w, const struct region *l);

/* Each iteration of a loop asks for it again: engines that check addresses would else check all
 * that are known from it before the loop, one by one, and keep what comes out. */
static void find_shared(struct wasm *w)
{
    if (!w->shared)
        return;
    wasm_local(w, OP_GLOBAL_GET, wasm_own(WASM_SHARED));
    wasm_local(w, OP_LOCAL_SET, w->shared);
}

static void copies(struct wasm *w, const struct region *r)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        if (c->dst && !w->uses_of[c->dst->id])
            continue;
        ir_type t = c->src ? c->src->type : c->dst->type;
        for (unsigned part = 0; part < wasm_parts(t); part++) {
            if (!c->src)
                wasm_local(w, OP_LOCAL_GET, w->temps[c->temp] + part);
            else if (ir_is_vector(t))
                wasm_part(w, c->src, part);
            else
                wasm_value(w, c->src);
            wasm_local(w, OP_LOCAL_SET, (c->dst ? w->local[c->dst->id] : w->temps[c->temp]) + part);
        }
    }
}

static void branch(struct wasm *w, const struct region *r)
{
    if (r->cond) {
        wasm_value(w, r->cond);
    } else {
        wasm_local(w, OP_LOCAL_GET, w->temps[r->temp]);
        wasm_i32(w, (uint32_t)r->value);
        wasm_op(w, OP_I32_EQ);
    }
    if (!r->child)
        wasm_op(w, OP_I32_EQZ);
    open_block(w, OP_IF, NULL, false);
    list(w, r->child ? r->child : r->other);
    if (r->child && r->other) {
        wasm_op(w, OP_ELSE);
        list(w, r->other);
    }
    close_block(w);
}

#define TABLE_LIMIT 512

static const struct region_arm *arm_of(const struct region *r, uint64_t v)
{
    const struct region_arm *other = NULL;
    for (uint32_t k = 0; k < r->narms; k++) {
        if (!r->arms[k].nvalues)
            other = &r->arms[k];
        for (uint32_t n = 0; n < r->arms[k].nvalues; n++)
            if (r->arms[k].values[n] == v)
                return &r->arms[k];
    }
    return other;
}

/* Small values: one block for each arm, and a table of branches to their ends. */
static void table(struct wasm *w, const struct region *r, uint64_t top)
{
    open_block(w, OP_BLOCK, r, false);
    for (uint32_t k = 0; k < r->narms; k++)
        open_block(w, OP_BLOCK, NULL, false);
    wasm_value(w, r->cond);
    if (ir_bits(r->cond->type) == 64) { /* all large values are one */
        uint32_t t = wasm_new_local(w, WASM_I64);
        wasm_local(w, OP_LOCAL_SET, t);
        wasm_local(w, OP_LOCAL_GET, t);
        wasm_i64(w, top + 1);
        wasm_local(w, OP_LOCAL_GET, t);
        wasm_i64(w, top + 1);
        wasm_op(w, OP_I64_LT_U);
        wasm_op(w, OP_SELECT);
        wasm_op(w, OP_I32_WRAP_I64);
    }
    wasm_op(w, OP_BR_TABLE);
    wasm_uleb(w->code, top + 1);
    for (uint64_t v = 0; v <= top + 1; v++)
        wasm_uleb(w->code, (uint64_t)(arm_of(r, v > top ? UINT64_MAX : v) - r->arms));
    for (uint32_t k = 0; k < r->narms; k++) {
        close_block(w);
        list(w, r->arms[k].child);
        jump(w, r, false);
    }
    close_block(w);
}

static void tests(struct wasm *w, const struct region *r)
{
    const struct region *other = NULL;
    open_block(w, OP_BLOCK, r, false);
    for (uint32_t k = 0; k < r->narms; k++) {
        const struct region_arm *a = &r->arms[k];
        if (!a->nvalues) {
            other = a->child;
            continue;
        }
        for (uint32_t v = 0; v < a->nvalues; v++) {
            wasm_value(w, r->cond);
            bool wide = ir_bits(r->cond->type) == 64;
            wide ? wasm_i64(w, a->values[v]) : wasm_i32(w, (uint32_t)a->values[v]);
            wasm_op(w, wide ? OP_I64_EQ : OP_I32_EQ);
            if (v)
                wasm_op(w, OP_I32_OR);
        }
        open_block(w, OP_IF, NULL, false);
        list(w, a->child);
        jump(w, r, false);
        close_block(w);
    }
    list(w, other);
    close_block(w);
}

static void arms(struct wasm *w, const struct region *r)
{
    uint64_t top = 0;
    for (uint32_t k = 0; k < r->narms; k++)
        for (uint32_t v = 0; v < r->arms[k].nvalues; v++)
            if (r->arms[k].values[v] > top)
                top = r->arms[k].values[v];
    top < TABLE_LIMIT ? table(w, r, top) : tests(w, r);
}

static void leave(struct wasm *w, const struct region *r)
{
    if (r->kind == REGION_UNREACHABLE) {
        wasm_op(w, OP_UNREACHABLE);
        return;
    }
    if (r->kind == REGION_EXIT && !(w->func->flags & IR_FUNC_KERNEL))
        wasm_refuse(w, r->block->last, "exit outside of a kernel");
    if (r->cond)
        wasm_value(w, r->cond);
    if (w->alloca_bytes && !w->suspends) { /* give the stack back */
        wasm_local(w, OP_LOCAL_GET, w->base);
        wasm_i32(w, w->alloca_bytes);
        wasm_op(w, OP_I32_ADD);
        wasm_local(w, OP_GLOBAL_SET, 0);
    }
    wasm_op(w, OP_RETURN);
}

static void list(struct wasm *w, const struct region *l)
{
    for (const struct region *r = l; r; r = r->next)
        switch (r->kind) {
        case REGION_CODE: instructions(w, r->block); break;
        case REGION_COPIES: copies(w, r); break;
        case REGION_IF: branch(w, r); break;
        case REGION_SWITCH: arms(w, r); break;
        case REGION_BLOCK:
            open_block(w, OP_BLOCK, r, false);
            list(w, r->child);
            close_block(w);
            break;
        case REGION_LOOP:
            if (r->breaks)
                open_block(w, OP_BLOCK, r, false);
            open_block(w, OP_LOOP, r, true);
            find_shared(w);
            list(w, r->child);
            close_block(w);
            if (r->breaks)
                close_block(w);
            break;
        case REGION_BREAK: jump(w, r->target, false); break;
        case REGION_CONTINUE: jump(w, r->target, true); break;
        default: leave(w, r); break;
        }
}

/* ---- which values are written where they are used ---- */

static bool is_place_in_shared(const struct ir_inst *i)
{
    return i->op == IR_OP_ptradd && ir_is_const(i->args[1]) &&
           i->args[0]->kind == IR_VALUE_GLOBAL && i->args[0]->u.global->space == IR_SPACE_SHARED;
}

static void find_folded(struct wasm *w)
{
    struct ir_func *f = w->func;
    const struct ir_inst **user = arena_array(w->arena, const struct ir_inst *, f->nvalues + 1);
    bool *twice = arena_array(w->arena, bool, f->nvalues + 1);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT) {
                    user[i->args[k]->id] = i;
                    twice[i->args[k]->id] |=
                        wasm_reads_twice(i, k) || i->op == IR_OP_switch || wasm_touches_vectors(i);
                }
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults != 1 || !(ir_op_info[i->op].flags & IR_PURE) || wasm_touches_vectors(i))
                continue;
            uint32_t id = i->results[0].id;
            w->folded[id] =
                (w->uses_of[id] == 1 && user[id] && user[id]->block == b && !twice[id]) ||
                is_place_in_shared(i);
        }
}

static bool looks_at_shared(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_GLOBAL &&
                    i->args[k]->u.global->space == IR_SPACE_SHARED)
                    return true;
    return false;
}

static uint32_t local_for(struct wasm *w, ir_type t)
{
    uint32_t first = wasm_new_local(w, wasm_type(t));
    for (unsigned part = 1; part < wasm_parts(t); part++)
        wasm_new_local(w, wasm_type(t));
    return first;
}

static void allocate_locals(struct wasm *w)
{
    struct ir_func *f = w->func;
    bool kernel = f->flags & IR_FUNC_KERNEL;
    ir_each_block (b, f) {
        for (size_t k = 0; k < b->params.len; k++) {
            struct ir_value *v = b->params.data[k];
            if (b == f->first && !kernel)
                w->local[v->id] = (uint32_t)k;
            else if (w->uses_of[v->id])
                w->local[v->id] = local_for(w, v->type);
        }
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nresults; k++) {
                struct ir_value *v = &i->results[k];
                if (ir_kind(v->type) == IR_TOKEN || w->folded[v->id])
                    continue;
                if (w->uses_of[v->id] || i->op == IR_OP_rmw || i->op == IR_OP_cas ||
                    i->op == IR_OP_mrmw)
                    w->local[v->id] = local_for(w, v->type);
            }
    }
    w->temps = arena_array(w->arena, uint32_t, w->tree->ntemps + 1);
    for (uint32_t k = 0; k < w->tree->ntemps; k++)
        w->temps[k] = local_for(w, w->tree->temp_types[k]);
}

/* Kernels take no parameters: they load them from the block that the launch names. */
static void load_params(struct wasm *w)
{
    static const uint8_t ops[] = {OP_I32_LOAD, OP_I64_LOAD, OP_F32_LOAD, OP_F64_LOAD};
    struct ir_func *f = w->func;
    for (size_t k = 0; k < f->params.len; k++) {
        const struct ir_param *p = &f->params.data[k];
        struct ir_value *v = f->first->params.data[k];
        if (!w->uses_of[v->id])
            continue;
        if (k >= w->own_params) {
            wasm_local(w, OP_GLOBAL_GET, wasm_own(k > w->own_params ? WASM_ROWS : WASM_RUN));
            wasm_local(w, OP_LOCAL_SET, w->local[v->id]);
            continue;
        }
        wasm_local(w, OP_GLOBAL_GET, wasm_own(WASM_PARAMS));
        if (p->byval_size) {
            wasm_i32(w, p->offset);
            wasm_op(w, OP_I32_ADD);
        } else {
            unsigned size = ir_class(v->type) == IR_CLASS_PTR ? 4 : ir_bytes(v->type);
            uint8_t t = wasm_type(v->type);
            wasm_op(w, size == 1   ? OP_I32_LOAD8_U
                       : size == 2 ? OP_I32_LOAD16_U
                                   : ops[t == WASM_I64   ? 1
                                         : t == WASM_F32 ? 2
                                         : t == WASM_F64 ? 3
                                                         : 0]);
            wasm_uleb(w->code, 0);
            wasm_uleb(w->code, p->offset);
            if (v->type == IR_I1) {
                wasm_i32(w, 1);
                wasm_op(w, OP_I32_AND);
            }
        }
        wasm_local(w, OP_LOCAL_SET, w->local[v->id]);
    }
}

/* Allocas: on the stack, cleared; a thread that can be suspended has them in its frame, which the
 * launcher cleared. */
static void make_frame(struct wasm *w)
{
    uint32_t at = 0;
    ir_each_block (b, w->func)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_alloca) {
                uint32_t align = i->align > 16 ? i->align : 16;
                at = (at + align - 1) / align * align;
                i->data = (void *)(uintptr_t)at;
                at += (uint32_t)i->imm;
            }
    w->alloca_bytes = (at + 15) & ~15u;
    if (!w->alloca_bytes)
        return;
    w->base = wasm_new_local(w, WASM_I32);
    if (w->suspends) {
        wasm_local(w, OP_GLOBAL_GET, wasm_own(WASM_FRAME));
        wasm_i32(w, w->frame_bytes);
        wasm_op(w, OP_I32_ADD);
        wasm_local(w, OP_LOCAL_SET, w->base);
        w->frame_bytes += w->alloca_bytes;
        return;
    }
    if (wasm_is_host(w)) { /* recursion may go far */
        wasm_local(w, OP_GLOBAL_GET, 0);
        wasm_local(w, OP_GLOBAL_GET, wasm_own(WASM_STACK_BOTTOM));
        wasm_op(w, OP_I32_SUB);
        wasm_i32(w, w->alloca_bytes);
        wasm_op(w, OP_I32_LT_U);
        wasm_op(w, OP_IF);
        sbuf_putc(w->code, 0x40);
        wasm_op(w, OP_UNREACHABLE);
        wasm_op(w, OP_END);
    }
    wasm_local(w, OP_GLOBAL_GET, 0);
    wasm_i32(w, w->alloca_bytes);
    wasm_op(w, OP_I32_SUB);
    wasm_local(w, OP_LOCAL_TEE, w->base);
    wasm_local(w, OP_GLOBAL_SET, 0);
    if (wasm_is_host(w))
        return;
    wasm_local(w, OP_LOCAL_GET, w->base);
    wasm_i32(w, 0);
    wasm_i32(w, w->alloca_bytes);
    wasm_op(w, OP_MEMORY_FILL);
    wasm_uleb(w->code, 0);
}

void wasm_function(struct wasm *w, struct sbuf *out)
{
    struct ir_func *f = w->func;
    struct sbuf code, head;
    sbuf_init(&code, w->arena);
    sbuf_init(&head, w->arena);
    w->code = &code;
    w->uses_of = ir_use_counts(w->arena, f);
    w->folded = arena_array(w->arena, bool, f->nvalues + WASM_STAND_INS);
    w->local = arena_array(w->arena, uint32_t, f->nvalues + WASM_STAND_INS);
    w->locals.len = w->labels.len = w->label_is_loop.len = 0;
    memset(w->scratch, 0, sizeof w->scratch);
    w->nparams = f->flags & IR_FUNC_KERNEL ? 0 : (uint32_t)f->params.len;
    find_folded(w);
    wasm_fold_constant_lanes(w);
    wasm_hold(w, f);
    allocate_locals(w);
    w->shared = looks_at_shared(f) ? wasm_new_local(w, WASM_I32) : 0;
    find_shared(w);
    if (f->flags & IR_FUNC_KERNEL)
        load_params(w);
    make_frame(w);
    list(w, w->tree->body);
    wasm_op(w, OP_UNREACHABLE); /* no list falls through */
    wasm_op(w, OP_END);
    wasm_uleb(&head, w->locals.len);
    for (size_t k = 0; k < w->locals.len; k++) {
        wasm_uleb(&head, 1);
        sbuf_putc(&head, (char)w->locals.data[k]);
    }
    wasm_uleb(out, head.len + code.len);
    sbuf_put(out, head.data, head.len);
    sbuf_put(out, code.data, code.len);
}
