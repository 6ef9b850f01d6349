/* Do threads come together where a function's tree has operations that need them all?
 *
 * WGSL wants proof that all threads of a workgroup reach a barrier together. This follows the
 * rules of its uniformity analysis on the region tree, a little more strictly: a variable is
 * uniform only if every assignment to it is, and is made in uniform control flow. What this
 * accepts, shader compilers accept; what it does not is given a park (lower/park.c) instead.
 *
 * For operations of a warp the same is asked of its threads alone. Those that have returned are
 * gone and nobody waits for them; numbers that count lanes, 32 k + lane with the same k in the
 * warp, give what is the same for all of it: their quotients, and comparisons with multiples. */
#include "back/wgsl/wgsl_int.h"

enum form { NOTHING_YET, SAME, LANES, VARIES };

struct uniform {
    const uint32_t *block; /* its size; 0: not known */
    uint8_t *form, *temp;  /* enum form by value id; by temporary */
    bool warp;             /* asks for warps, not for the block */
    bool left;             /* some may have returned before others */
    bool changed, bad;
};

static enum form form_of(const struct uniform *u, const struct ir_value *v)
{
    const bool mine = v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT;
    return mine && u->form[v->id] != NOTHING_YET ? u->form[v->id] : SAME;
}

static void mark(struct uniform *u, uint8_t *at, enum form f)
{
    if (*at == f || *at == VARIES)
        return;
    *at = *at == NOTHING_YET ? (uint8_t)f : VARIES;
    u->changed = true;
}

static enum form of_temp(const struct uniform *u, uint32_t temp)
{
    return u->temp[temp] ? u->temp[temp] : SAME;
}

static bool whole_rows(const struct uniform *u)
{
    return u->block[0] && u->block[0] % 32 == 0;
}

static bool one_row(const struct uniform *u)
{
    return u->block[0] && u->block[1] * u->block[2] == 1;
}

static const struct ir_inst *made_by(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}

static bool is_multiple(const struct uniform *u, const struct ir_value *v, unsigned depth)
{
    const struct ir_inst *i = made_by(v);
    if (!i || !depth)
        return ir_is_const(v) && v->u.bits % 32 == 0;
    switch (i->op) {
    case IR_OP_sreg: return i->imm == IR_SREG_NTID_X && whole_rows(u);
    case IR_OP_mul:
        return is_multiple(u, i->args[0], depth - 1) || is_multiple(u, i->args[1], depth - 1);
    case IR_OP_shl: return ir_is_const(i->args[1]) && i->args[1]->u.bits >= 5;
    case IR_OP_add:
    case IR_OP_sub:
        return is_multiple(u, i->args[0], depth - 1) && is_multiple(u, i->args[1], depth - 1);
    default: return false;
    }
}

static bool is_register(const struct ir_value *v, enum ir_sreg r)
{
    const struct ir_inst *i = made_by(v);
    return i && i->op == IR_OP_sreg && i->imm == (uint64_t)r;
}

/* The thread's number in its row, or in that of the grid: not negative. */
static bool counts(const struct ir_value *v)
{
    const struct ir_inst *i = made_by(v);
    if (!i || i->op != IR_OP_add)
        return is_register(v, IR_SREG_TID_X) || is_register(v, IR_SREG_LANEID);
    const struct ir_inst *m = made_by(i->args[0]);
    return is_register(i->args[1], IR_SREG_TID_X) && m && m->op == IR_OP_mul &&
           is_register(m->args[0], IR_SREG_CTAID_X) && is_register(m->args[1], IR_SREG_NTID_X);
}

static enum form of_register(const struct uniform *u, const struct ir_inst *i)
{
    const enum ir_uniformity level = ir_sreg_info[i->imm].uniformity;
    if (!u->warp)
        return level > IR_UNIFORM_BLOCK ? VARIES : SAME;
    if (i->imm == IR_SREG_LANEID || (i->imm == IR_SREG_TID_X && (whole_rows(u) || one_row(u))))
        return LANES;
    if ((i->imm == IR_SREG_TID_Y || i->imm == IR_SREG_TID_Z) && (whole_rows(u) || one_row(u)))
        return SAME;
    return level > IR_UNIFORM_WARP ? VARIES : SAME;
}

/* What is made of a number that counts lanes and one that is the same in the warp. */
static enum form of_lanes(const struct uniform *u, const struct ir_inst *i)
{
    const bool turned = form_of(u, i->args[0]) != LANES;
    const struct ir_value *x = i->args[turned], *n = i->args[!turned && i->nargs > 1];
    const uint64_t c = ir_is_const(n) ? n->u.bits : 0;
    switch (i->op) {
    case IR_OP_zext:
    case IR_OP_sext:
    case IR_OP_trunc: return ir_bits(i->type) >= 32 ? LANES : VARIES;
    case IR_OP_add: return is_multiple(u, n, 4) ? LANES : VARIES;
    case IR_OP_sub: return !turned && is_multiple(u, n, 4) ? LANES : VARIES;
    case IR_OP_and: return !c ? VARIES : c % 32 == 0 ? SAME : !(c & (c + 1)) ? LANES : VARIES;
    case IR_OP_lshr:
    case IR_OP_ashr: return !turned && c >= 5 ? SAME : VARIES;
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem:
        if (turned || !c || c % 32 || (!(i->op == IR_OP_udiv || i->op == IR_OP_urem) && !counts(x)))
            return VARIES;
        return i->op == IR_OP_udiv || i->op == IR_OP_sdiv ? SAME : LANES;
    case IR_OP_ult: /* less than a multiple: all lanes or none; so is not less, which is turned */
    case IR_OP_slt:
    case IR_OP_ule:
    case IR_OP_sle:
        if (turned == (i->op == IR_OP_ule || i->op == IR_OP_sle))
            return is_multiple(u, n, 4) ? SAME : VARIES;
        return ir_is_const(n) && (c + 1) % 32 == 0 ? SAME : VARIES;
    default: return VARIES;
    }
}

/* What is not a function of the operands alone is the same for a warp that does it together. */
static bool done_alike(const struct uniform *u, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load: {
        const enum ir_space s = ir_space(i->args[0]->type);
        return form_of(u, i->args[0]) == SAME && !ir_order(i->flags) && !(i->flags & IR_VOLATILE) &&
               s != IR_SPACE_LOCAL && s != IR_SPACE_GENERIC;
    }
    case IR_OP_vote:
    case IR_OP_redux: return wgsl_is_full(i->args[0]);
    case IR_OP_shfl:
        return i->imm == IR_SHFL_IDX && wgsl_is_full(i->args[0]) && ir_is_const(i->args[3]) &&
               i->args[3]->u.bits == 31 && form_of(u, i->args[2]) == SAME;
    default: return false;
    }
}

static enum form of_inst(const struct uniform *u, const struct ir_inst *i, bool together)
{
    bool lanes = false;
    if (i->op == IR_OP_sreg)
        return of_register(u, i);
    if (i->op == IR_OP_alloca)
        return SAME;
    if (!(ir_op_info[i->op].flags & IR_PURE) &&
        !(i->op == IR_OP_load && ir_space(i->args[0]->type) == IR_SPACE_PARAM))
        return u->warp && together && done_alike(u, i) ? SAME : VARIES;
    for (uint32_t k = 0; k < i->nargs; k++) {
        const enum form f = form_of(u, i->args[k]);
        if (f == VARIES || (f == LANES && lanes))
            return VARIES;
        lanes |= f == LANES;
    }
    return lanes ? of_lanes(u, i) : SAME;
}

static bool needs_all(const struct uniform *u, const struct ir_inst *i)
{
    return u->warp ? wgsl_is_warp_op(i) : i->op == IR_OP_barrier || i->op == IR_OP_warpsync;
}

/* Kinds of jumps that some threads made without others. A break is over after the construct it
 * leaves, a continue after the loop, a return never. The tree has single-level jumps. */
enum jumps { BREAKS = 1, CONTINUES = 2, RETURNS = 4 };

static unsigned walk(struct uniform *u, const struct region *list, bool uniform, bool last);

static void code(struct uniform *u, const struct ir_block *b, bool uniform)
{
    for (struct ir_inst *i = b->first; i != b->last; i = i->next) {
        u->bad |= !uniform && needs_all(u, i);
        if (!i->nresults)
            continue;
        const enum form f = of_inst(u, i, uniform);
        for (uint32_t k = 0; k < i->nresults; k++)
            mark(u, &u->form[i->results[k].id], f);
    }
}

static void copies(struct uniform *u, const struct region *r, bool uniform)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        const enum form f = !uniform ? VARIES : c->src ? form_of(u, c->src) : of_temp(u, c->temp);
        mark(u, c->dst ? &u->form[c->dst->id] : &u->temp[c->temp], f);
    }
}

static bool asks(const struct uniform *u, const struct region *list)
{
    for (const struct region *r = list; r; r = r->next) {
        if (asks(u, r->child) || (r->kind == REGION_IF && asks(u, r->other)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (asks(u, r->arms[k].child))
                return true;
        if (r->kind == REGION_CODE)
            for (const struct ir_inst *i = r->block->first; i; i = i->next)
                if (needs_all(u, i))
                    return true;
    }
    return false;
}

/* Does nothing happen from here to the end? */
static bool is_over(const struct region *list)
{
    for (const struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_RETURN)
            return true;
        if (r->kind != REGION_CODE)
            return false;
        for (const struct ir_inst *i = r->block->first; i != r->block->last; i = i->next)
            if (i->op != IR_OP_join)
                return false;
    }
    return true;
}

static unsigned construct(struct uniform *u, const struct region *r, bool uniform, bool last)
{
    if (r->kind == REGION_BLOCK)
        return walk(u, r->child, uniform, last) & ~(unsigned)BREAKS;
    if (r->kind == REGION_LOOP) {
        unsigned out = walk(u, r->child, uniform, false);
        if (out) /* iterations are not made together */
            out |= walk(u, r->child, false, false);
        return out & RETURNS;
    }
    const bool same = (r->cond ? form_of(u, r->cond) : of_temp(u, r->temp)) == SAME;
    const bool inside = uniform && same;
    if (r->kind == REGION_IF) {
        /* if (i < n) { all the rest }: as if those that go around it had returned */
        const bool some = asks(u, r->child), others = asks(u, r->other);
        const bool rest = u->warp && uniform && !same && last && some != others;
        u->left |= rest;
        return walk(u, r->child, inside || (rest && some), last) |
               walk(u, r->other, inside || (rest && others), last);
    }
    unsigned out = 0;
    for (uint32_t k = 0; k < r->narms; k++)
        out |= walk(u, r->arms[k].child, inside, false);
    return out & ~(unsigned)BREAKS;
}

/* `last`: nothing follows the list. */
static unsigned walk(struct uniform *u, const struct region *list, bool uniform, bool last)
{
    unsigned out = 0;
    for (const struct region *r = list; r; r = r->next)
        switch (r->kind) {
        case REGION_CODE: code(u, r->block, uniform && !out); break;
        case REGION_COPIES: copies(u, r, uniform && !out); break;
        case REGION_IF:
        case REGION_SWITCH:
        case REGION_BLOCK:
        case REGION_LOOP: out |= construct(u, r, uniform && !out, last && is_over(r->next)); break;
        default:
            if (uniform)
                break;
            if (r->kind != REGION_BREAK && r->kind != REGION_CONTINUE && u->warp)
                u->left = true;
            else
                out |= r->kind == REGION_BREAK      ? BREAKS
                       : r->kind == REGION_CONTINUE ? CONTINUES
                                                    : RETURNS;
            break;
        }
    return out;
}

bool wgsl_threads_meet(struct wgsl *w, struct region_tree *t, bool warp, bool *left)
{
    struct uniform u = {.block = w->job->options.block, .warp = warp};
    u.form = arena_array(w->arena, uint8_t, t->func->nvalues + 1);
    u.temp = arena_array(w->arena, uint8_t, t->ntemps + 1);
    do {
        u.changed = false;
        walk(&u, t->body, true, true);
    } while (u.changed && !u.bad);
    *left = u.left;
    return !u.bad;
}
