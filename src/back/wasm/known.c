/* Vectors whose lanes are known while compiling: what is computed from lane numbers and constants,
 * as the lanes that a shuffle reads. Those that only shuffles and other such vectors look at are
 * nowhere in the code; the others are constants in locals, since engines make constants slowly. */
#include <string.h>
#include "back/wasm/wasm_int.h"

static bool may_know(ir_type t)
{
    return ir_is_vector(t) && wasm_has_lanes(t) && (ir_kind(t) == IR_I1 || ir_kind(t) == IR_I32);
}

static bool lane_of(const struct wasm *w, const struct ir_value *v, unsigned lane, uint64_t *out)
{
    const bool is_const = ir_is_const(v);
    if (!may_know(v->type) || (!is_const && (v->kind != IR_VALUE_RESULT || !w->known[v->id])))
        return false;
    *out = is_const ? v->u.bits : w->known[v->id][lane];
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
    if (v->kind == IR_VALUE_RESULT && w->known[v->id] && !while_compiling)
        w->folded[v->id] = false;
}

void wasm_find_known(struct wasm *w, struct ir_func *f)
{
    w->nknown = f->nvalues;
    w->known = arena_array(w->arena, uint32_t *, f->nvalues + WASM_STAND_INS);
    ir_each_block (b, f) /* the entry first: what is used elsewhere was seen */
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults != 1 || !may_know(i->results[0].type) || i->nargs > 3 ||
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
            w->known[id] = arena_array(w->arena, uint32_t, lanes);
            memcpy(w->known[id], is, lanes * sizeof *is);
        }
}

void wasm_know(struct wasm *w)
{
    struct ir_func *f = w->func;
    wasm_find_known(w, f);
    for (uint32_t id = 0; id < f->nvalues; id++)
        w->folded[id] |= w->known[id] != NULL;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults && w->known[i->results[0].id])
                continue;
            for (uint32_t k = 0; k < i->nargs; k++)
                look_at(w, i->args[k], i->op == IR_OP_permute && k == 1);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    look_at(w, i->edges[e].args[k], false);
        }
}
