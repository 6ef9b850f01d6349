/* What is known of the lanes of a vector: constants, distances between addresses. */
#include "lower/lower.h"

static bool lane_of(const struct ir_value *x, unsigned lane, unsigned depth, uint64_t *out)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    uint64_t args[3];
    if (ir_is_const(x)) {
        *out = x->u.bits;
        return true;
    }
    if (!i || i->nargs > 3 || depth > 12)
        return false;
    if (i->op == IR_OP_iota) {
        *out = lane;
        return true;
    }
    if (i->op != IR_OP_splat && !(ir_op_info[i->op].flags & IR_ELEMENTWISE))
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!lane_of(i->args[k], lane, depth + 1, &args[k]))
            return false;
    if (i->op == IR_OP_splat) {
        *out = args[0];
        return true;
    }
    return i->nargs && ir_eval((enum ir_op)i->op, ir_scalar(i->type), ir_scalar(i->args[0]->type),
                               i->flags, args, out);
}

bool lower_lane(const struct ir_value *x, unsigned lane, uint64_t *out)
{
    return lane_of(x, lane, 0, out);
}

/* All lanes of x at once; where they are the same, out[0] is all of them. */
enum sameness { UNKNOWN, SAME, EACH };

static enum sameness lanes_of(const struct ir_value *x, unsigned n, unsigned depth, uint64_t *out)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    uint64_t args[3][IR_MAX_LANES], one[3];
    enum sameness each[3], all = SAME;
    if (ir_is_const(x)) {
        *out = x->u.bits;
        return SAME;
    }
    if (!i || i->nargs > 3 || depth > 12)
        return UNKNOWN;
    if (i->op == IR_OP_iota) {
        for (unsigned l = 0; l < n; l++)
            out[l] = l;
        return EACH;
    }
    if (i->op == IR_OP_splat)
        return lanes_of(i->args[0], n, depth + 1, out);
    if (!(ir_op_info[i->op].flags & IR_ELEMENTWISE) || !i->nargs)
        return UNKNOWN;
    for (uint32_t k = 0; k < i->nargs; k++) {
        each[k] = lanes_of(i->args[k], n, depth + 1, args[k]);
        if (each[k] == UNKNOWN)
            return UNKNOWN;
        all = each[k] == EACH ? EACH : all;
    }
    for (unsigned l = 0; l < (all == SAME ? 1 : n); l++) {
        for (uint32_t k = 0; k < i->nargs; k++)
            one[k] = args[k][each[k] == SAME ? 0 : l];
        if (!ir_eval((enum ir_op)i->op, ir_scalar(i->type), ir_scalar(i->args[0]->type), i->flags,
                     one, &out[l]))
            return UNKNOWN;
    }
    return all;
}

bool lower_lane_offsets(struct ir_value *addresses, struct lane_offsets *out)
{
    const struct ir_inst *sum = addresses->kind == IR_VALUE_RESULT ? addresses->u.inst : NULL;
    if (!sum || sum->op != IR_OP_ptradd || sum->args[0]->kind != IR_VALUE_RESULT)
        return false;
    const struct ir_inst *splat = sum->args[0]->u.inst;
    if (splat->op != IR_OP_splat)
        return false;
    out->root = out->at = splat->args[0];
    out->from_root = 0;
    while (out->root->kind == IR_VALUE_RESULT && out->root->u.inst->op == IR_OP_ptradd &&
           ir_is_const(out->root->u.inst->args[1])) {
        out->from_root += (int64_t)out->root->u.inst->args[1]->u.bits;
        out->root = out->root->u.inst->args[0];
    }
    uint64_t by[IR_MAX_LANES];
    const unsigned n = ir_lanes(addresses->type);
    const enum sameness same = lanes_of(sum->args[1], n, 0, by);
    for (unsigned l = 0; same != UNKNOWN && l < n; l++)
        out->offset[l] = out->from_root + (int64_t)by[same == SAME ? 0 : l];
    return same != UNKNOWN;
}

static const struct ir_value *object(const struct ir_value *x)
{
    while (x->kind == IR_VALUE_RESULT &&
           (x->u.inst->op == IR_OP_ptradd || x->u.inst->op == IR_OP_cvta))
        x = x->u.inst->args[0];
    return x->kind == IR_VALUE_GLOBAL && !(x->u.global->flags & IR_GLOBAL_EXTERN) ? x : NULL;
}

bool lower_other_object(const struct ir_value *root, const struct ir_value *other)
{
    return object(root) && object(other) && object(root) != object(other);
}

/* ---- votes ---- */
/* What all lanes of a mask come to, where they are known: bit 0 that some is set, bit 1 that some
 * is not. 0: they are not known. */
static unsigned known_lanes(const struct ir_value *mask)
{
    uint64_t lanes[IR_MAX_LANES];
    const unsigned n = ir_lanes(mask->type);
    const enum sameness same = lanes_of(mask, n, 0, lanes);
    unsigned seen = 0;
    for (unsigned l = 0; same != UNKNOWN && l < (same == SAME ? 1 : n); l++)
        seen |= lanes[l] & 1 ? 1 : 2;
    return seen;
}

/* What a full mask makes of exchanges: all lanes take part. */
static struct ir_value *of_all_lanes(const struct ir_inst *i)
{
    const struct ir_value *x = i->nargs ? i->args[0] : NULL;
    x = x && x->forward ? x->forward : x;
    if (!x || !ir_is_const(x) || ir_kind(x->type) != IR_I1 || !ir_is_vector(x->type))
        return NULL;
    return i->op == IR_OP_permute  ? (struct ir_value *)x
           : i->op == IR_OP_select ? i->args[x->u.bits & 1 ? 1 : 2]
                                   : NULL;
}

void lower_votes(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct ir_value *known = of_all_lanes(i);
            if (known) {
                i->results[0].forward = known;
                ir_remove(i);
                continue;
            }
            if (i->op != IR_OP_anylane && i->op != IR_OP_alllanes)
                continue;
            const unsigned seen = known_lanes(i->args[0]);
            if (!seen)
                continue;
            const bool holds = i->op == IR_OP_anylane ? seen & 1 : !(seen & 2);
            i->results[0].forward = ir_const(f->module, IR_I1, holds);
            ir_remove(i);
        }
    ir_replace_forwarded(f);
}
