/* Vectors whose lanes are known while compiling: what is computed from lane numbers and constants,
 * as the lanes that a shuffle reads. Those that only shuffles and other such vectors look at are
 * nowhere in the code; the others are constants in locals, since engines make constants slowly. */
#include <string.h>
#include "back/wasm/wasm_int.h"

static bool may_be_constant(ir_type t)
{
    return ir_is_vector(t) && wasm_has_lanes(t) && (ir_kind(t) == IR_I1 || ir_kind(t) == IR_I32);
}

static bool lane_of(const struct wasm *w, const struct ir_value *v, unsigned lane, uint64_t *out)
{
    const bool is_const = ir_is_const(v);
    if (!may_be_constant(v->type) ||
        (!is_const && (v->kind != IR_VALUE_RESULT || !w->constant_lanes[v->id])))
        return false;
    *out = is_const ? v->u.bits : w->constant_lanes[v->id][lane];
    return true;
}

static bool eval(struct wasm *w, const struct ir_inst *i, unsigned lane, uint64_t *out)
{
    uint64_t args[3];
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!lane_of(w, i->args[k], lane, &args[k]))
            return false;
    if (i->op == IR_OP_select) {
        *out = args[args[0] & 1 ? 1 : 2];
        return true;
    }
    return ir_eval((enum ir_op)i->op, ir_scalar(i->type), ir_scalar(i->args[0]->type), i->flags,
                   args, out);
}

static void look_at(struct wasm *w, const struct ir_value *v, bool while_compiling)
{
    if (v->kind == IR_VALUE_RESULT && w->constant_lanes[v->id] && !while_compiling)
        w->folded[v->id] = false;
}

void wasm_find_constant_lanes(struct wasm *w, struct ir_func *f)
{
    w->nconstant_lanes = f->nvalues;
    w->constant_lanes = arena_array(w->arena, uint32_t *, f->nvalues + WASM_STAND_INS);
    ir_each_block (b, f) /* the entry first: what is used elsewhere was seen */
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults != 1 || !may_be_constant(i->results[0].type) || i->nargs > 3 ||
                !(i->op == IR_OP_iota || (i->op == IR_OP_splat && ir_is_const(i->args[0])) ||
                  (i->nargs && ir_op_info[i->op].flags & IR_ELEMENTWISE)))
                continue;
            const unsigned lanes = ir_lanes(i->results[0].type);
            uint32_t is[IR_MAX_LANES];
            unsigned lane = 0;
            for (uint64_t v; lane < lanes; lane++) {
                v = i->op == IR_OP_splat ? i->args[0]->u.bits : lane;
                if (i->op != IR_OP_iota && i->op != IR_OP_splat && !eval(w, i, lane, &v))
                    break;
                is[lane] = (uint32_t)v;
            }
            if (lane < lanes)
                continue;
            uint32_t id = i->results[0].id;
            w->constant_lanes[id] = arena_array(w->arena, uint32_t, lanes);
            memcpy(w->constant_lanes[id], is, lanes * sizeof *is);
        }
}

/* ---- lanes that somebody looks at ---- */

static bool need(struct wasm *w, const struct ir_value *v, uint32_t lanes)
{
    if (v->kind == IR_VALUE_CONST || v->kind == IR_VALUE_GLOBAL || v->kind == IR_VALUE_FUNC ||
        !(lanes & ~w->needed[v->id]))
        return false;
    w->needed[v->id] |= lanes;
    return true;
}

static bool need_operands(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *r = i->nresults ? &i->results[0] : NULL;
    const bool same = r && ir_is_vector(r->type) &&
                      (ir_op_info[i->op].flags & IR_ELEMENTWISE || i->op == IR_OP_select);
    const uint32_t *from = i->op == IR_OP_permute && i->args[1]->kind == IR_VALUE_RESULT
                               ? w->constant_lanes[i->args[1]->id]
                               : NULL;
    bool more = false;
    for (uint32_t k = 0; k < i->nargs; k++) {
        uint32_t lanes = same ? w->needed[r->id] : UINT32_MAX;
        if (i->op == IR_OP_extract)
            lanes = 1u << i->imm % ir_lanes(i->args[0]->type);
        if (from && k == 0) {
            lanes = 0;
            for (unsigned l = 0; l < ir_lanes(r->type); l++)
                if (w->needed[r->id] >> l & 1)
                    lanes |= 1u << from[l] % ir_lanes(r->type);
        }
        more |= need(w, i->args[k], lanes);
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            more |= need(w, i->edges[e].args[k], w->needed[i->edges[e].to->params.data[k]->id]);
    return more;
}

/* What a warp sums up in steps is wanted of its first lane only. */
static void find_needed(struct wasm *w)
{
    struct ir_func *f = w->func;
    w->needed = arena_array(w->arena, uint32_t, f->nvalues + WASM_STAND_INS);
    for (bool more = true; more;) {
        more = false;
        for (struct ir_block *b = f->last; b; b = b->prev)
            for (struct ir_inst *i = b->last; i; i = i->prev)
                more |= need_operands(w, i);
    }
}

void wasm_fold_constant_lanes(struct wasm *w)
{
    struct ir_func *f = w->func;
    wasm_find_constant_lanes(w, f);
    find_needed(w);
    for (uint32_t id = 0; id < f->nvalues; id++)
        w->folded[id] |= w->constant_lanes[id] != NULL;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults && w->constant_lanes[i->results[0].id])
                continue;
            for (uint32_t k = 0; k < i->nargs; k++)
                look_at(w, i->args[k], i->op == IR_OP_permute && k == 1);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    look_at(w, i->edges[e].args[k], false);
        }
}
