/* Offsets of pointers in 32 bits.
 *
 * CUDA computes addresses in 64 bits; here they have 32, and the low word of a sum, product or
 * shift needs only low words. So what a ptradd adds becomes an i32, which is this room's own form:
 * no other part of the compiler sees it. Each low word is made where its value was. */
#include "back/wasm/wasm_int.h"

struct narrow {
    struct wasm *w;
    struct ir_value **low; /* by value id, once made */
};

static ir_type narrowed(ir_type t)
{
    return ir_is_vector(t) ? ir_vector(IR_I32, ir_lanes(t)) : IR_I32;
}

/* Are its low words all there is of it? */
static bool is_lane_number(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_iota;
}

static bool passes_low(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor: return true;
    case IR_OP_shl: return ir_is_const(i->args[1]) && i->args[1]->u.bits < 32;
    case IR_OP_lshr:
        return is_lane_number(i->args[0]) && ir_is_const(i->args[1]) && i->args[1]->u.bits < 32;
    default: return false;
    }
}

static struct ir_value *low_of(struct narrow *n, struct ir_value *v, struct ir_inst *user)
{
    const ir_type t = narrowed(v->type);
    if (ir_is_const(v))
        return ir_const(n->w->module, t, (uint32_t)v->u.bits);
    if (v->kind != IR_VALUE_RESULT) {
        struct ir_builder b = ir_builder_before(user);
        return ir_build1(&b, IR_OP_trunc, t, v);
    }
    if (n->low[v->id])
        return n->low[v->id];
    struct ir_inst *i = v->u.inst;
    if ((i->op == IR_OP_sext || i->op == IR_OP_zext) && ir_kind(i->args[0]->type) == IR_I32)
        return i->args[0];
    struct ir_builder b = ir_builder_before(i->next);
    struct ir_value *r;
    b.span = i->span;
    if (passes_low(i))
        r = ir_build2(&b, (enum ir_op)i->op, t, low_of(n, i->args[0], i), low_of(n, i->args[1], i));
    else if (i->op == IR_OP_iota)
        r = ir_build0(&b, IR_OP_iota, t, 0);
    else if (i->op == IR_OP_sext || i->op == IR_OP_zext || i->op == IR_OP_splat)
        r = ir_build1(&b, (enum ir_op)i->op, t,
                      i->op == IR_OP_splat ? low_of(n, i->args[0], i) : i->args[0]);
    else
        r = ir_build1(&b, IR_OP_trunc, t, v);
    return n->low[v->id] = r;
}

/* What nothing uses any more goes, and what only that used. */
static void drop(uint32_t *uses, struct ir_value *v)
{
    if (v->kind != IR_VALUE_RESULT || uses[v->id])
        return;
    struct ir_inst *i = v->u.inst;
    if (!(ir_op_info[i->op].flags & IR_PURE) || i->nresults != 1)
        return;
    uses[v->id] = UINT32_MAX; /* gone */
    for (uint32_t k = 0; k < i->nargs; k++)
        if (i->args[k]->kind == IR_VALUE_RESULT) {
            uses[i->args[k]->id]--;
            drop(uses, i->args[k]);
        }
    ir_remove(i);
}

void wasm_narrow(struct wasm *w, struct ir_func *f)
{
    ir_renumber(f);
    struct narrow n = {.w = w, .low = arena_array(w->arena, struct ir_value *, f->nvalues + 1)};
    VEC(struct ir_value *) wide = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_ptradd || ir_kind(i->args[1]->type) != IR_I64 ||
                ir_is_const(i->args[1]))
                continue;
            vec_push(w->arena, &wide, i->args[1]);
            i->args[1] = low_of(&n, i->args[1], i);
        }
    uint32_t *uses = ir_use_counts(w->arena, f);
    vec_each (struct ir_value *, v, &wide)
        drop(uses, *v);
    f->flags |= IR_FUNC_LOWERED;
    ir_renumber(f);
}
