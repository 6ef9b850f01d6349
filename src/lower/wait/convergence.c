/* Do threads come together where a function's tree has operations that need them all?
 *
 * One walk over the region tree answers for three kinds of languages. A variable is uniform only if
 * every assignment to it is, and is made in uniform control flow; what threads load together from
 * one place is the same for all of them, or the program has a race. Where the answer is no, back
 * ends send threads through a park (park.c).
 *
 *   BLOCK   All threads of a block come to its barriers: as SPIR-V asks.
 *   PROVEN  The same, as a shader compiler can see it: WGSL wants proof, and refuses what lacks it.
 *           Its own analysis, which this follows a little more strictly, believes in no load from
 *           memory that can be written.
 *   WARP    The threads of a warp come to its operations. Those that have returned are gone and
 *           nobody waits for them; numbers that count lanes, 32 k + lane with the same k in the
 *           warp, give what is the same for all of it: their quotients, and comparisons with
 *           multiples.
 *
 * Two other files ask what is uniform, because they need more than a yes. uniform.c, for lanes of a
 * gang: by how much a value grows from one to the next. advise.c, for people: a guess at what a
 * warp does in a block of one size, where being wrong costs nothing. */
#include "lower/lower_int.h"

enum form { NOTHING_YET, SAME, LANES, VARIES };

struct meeting {
    enum { BLOCK, PROVEN, WARP } of;
    const uint32_t *block; /* WARP: its size; 0: not known */
    uint8_t *form, *temp;  /* enum form by value id; by temporary */
    bool left;             /* WARP: some may have returned before others */
    bool changed, bad;
};

static enum form form_of(const struct meeting *m, const struct ir_value *v)
{
    const bool mine = v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT;
    return mine && m->form[v->id] != NOTHING_YET ? m->form[v->id] : SAME;
}

static void mark(struct meeting *m, uint8_t *at, enum form f)
{
    if (*at == f || *at == VARIES)
        return;
    *at = *at == NOTHING_YET ? (uint8_t)f : VARIES;
    m->changed = true;
}

static enum form of_temp(const struct meeting *m, uint32_t temp)
{
    return m->temp[temp] ? m->temp[temp] : SAME;
}

static bool whole_rows(const struct meeting *m)
{
    return m->block[0] && m->block[0] % 32 == 0;
}

static bool one_row(const struct meeting *m)
{
    return m->block[0] && m->block[1] * m->block[2] == 1;
}

static const struct ir_inst *made_by(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}

static bool is_multiple(const struct meeting *m, const struct ir_value *v, unsigned depth)
{
    const struct ir_inst *i = made_by(v);
    if (!i || !depth)
        return ir_is_const(v) && v->u.bits % 32 == 0;
    switch (i->op) {
    case IR_OP_sreg: return i->imm == IR_SREG_NTID_X && whole_rows(m);
    case IR_OP_mul:
        return is_multiple(m, i->args[0], depth - 1) || is_multiple(m, i->args[1], depth - 1);
    case IR_OP_shl: return ir_is_const(i->args[1]) && i->args[1]->u.bits >= 5;
    case IR_OP_add:
    case IR_OP_sub:
        return is_multiple(m, i->args[0], depth - 1) && is_multiple(m, i->args[1], depth - 1);
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
    const struct ir_inst *first = made_by(i->args[0]); /* of the block */
    return is_register(i->args[1], IR_SREG_TID_X) && first && first->op == IR_OP_mul &&
           is_register(first->args[0], IR_SREG_CTAID_X) &&
           is_register(first->args[1], IR_SREG_NTID_X);
}

static enum form of_register(const struct meeting *m, const struct ir_inst *i)
{
    const enum ir_uniformity level = ir_sreg_info[i->imm].uniformity;
    if (m->of != WARP)
        return level > IR_UNIFORM_BLOCK ? VARIES : SAME;
    if (i->imm == IR_SREG_LANEID || (i->imm == IR_SREG_TID_X && (whole_rows(m) || one_row(m))))
        return LANES;
    if ((i->imm == IR_SREG_TID_Y || i->imm == IR_SREG_TID_Z) && (whole_rows(m) || one_row(m)))
        return SAME;
    return level > IR_UNIFORM_WARP ? VARIES : SAME;
}

/* What is made of a number that counts lanes and one that is the same in the warp. */
static enum form of_lanes(const struct meeting *m, const struct ir_inst *i)
{
    const bool turned = form_of(m, i->args[0]) != LANES;
    const struct ir_value *x = i->args[turned], *n = i->args[!turned && i->nargs > 1];
    const uint64_t c = ir_is_const(n) ? n->u.bits : 0;
    switch (i->op) {
    case IR_OP_zext:
    case IR_OP_sext:
    case IR_OP_trunc: return ir_bits(i->type) >= 32 ? LANES : VARIES;
    case IR_OP_add: return is_multiple(m, n, 4) ? LANES : VARIES;
    case IR_OP_sub: return !turned && is_multiple(m, n, 4) ? LANES : VARIES;
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
            return is_multiple(m, n, 4) ? SAME : VARIES;
        return ir_is_const(n) && (c + 1) % 32 == 0 ? SAME : VARIES;
    default: return VARIES;
    }
}

/* What threads that load together from one place get is the same. */
static bool loads_alike(const struct meeting *m, const struct ir_inst *i)
{
    const enum ir_space space = ir_space(i->args[0]->type);
    return space != IR_SPACE_LOCAL && space != IR_SPACE_GENERIC &&
           !(i->flags & (IR_VOLATILE | IR_STEP)) && !ir_order(i->flags) &&
           form_of(m, i->args[0]) == SAME;
}

/* What is not a function of the operands alone may still be the same for threads that do it
 * together. */
static bool done_alike(const struct meeting *m, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load: return m->of != PROVEN && loads_alike(m, i);
    case IR_OP_barrier_red: return m->of != WARP;
    case IR_OP_vote:
    case IR_OP_redux: return m->of == WARP && ir_is_full_mask(i->args[0]);
    case IR_OP_shfl:
        return m->of == WARP && i->imm == IR_SHFL_IDX && ir_is_full_mask(i->args[0]) &&
               ir_is_const(i->args[3]) && i->args[3]->u.bits == 31 &&
               form_of(m, i->args[2]) == SAME;
    default: return false;
    }
}

static enum form of_inst(const struct meeting *m, const struct ir_inst *i, bool together)
{
    bool lanes = false;
    if (i->op == IR_OP_sreg)
        return of_register(m, i);
    if (i->op == IR_OP_alloca)
        return SAME;
    if (!(ir_op_info[i->op].flags & IR_PURE) &&
        !(i->op == IR_OP_load && ir_space(i->args[0]->type) == IR_SPACE_PARAM))
        return together && done_alike(m, i) ? SAME : VARIES;
    for (uint32_t k = 0; k < i->nargs; k++) {
        const enum form f = form_of(m, i->args[k]);
        if (f == VARIES || (f == LANES && lanes))
            return VARIES;
        lanes |= f == LANES;
    }
    return lanes ? of_lanes(m, i) : SAME;
}

static bool needs_all(const struct meeting *m, const struct ir_inst *i)
{
    if (m->of == WARP)
        return ir_is_warp_op((enum ir_op)i->op);
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red ||
           (m->of == PROVEN && i->op == IR_OP_warpsync); /* WGSL has none but the workgroup's */
}

/* Kinds of jumps that some threads made without others. A break is over after the construct it
 * leaves, a continue after the loop, a return never. The tree has single-level jumps. */
enum jumps { BREAKS = 1, CONTINUES = 2, RETURNS = 4 };

static unsigned walk(struct meeting *m, const struct region *list, bool uniform, bool last);

static void code(struct meeting *m, const struct ir_block *b, bool uniform)
{
    for (struct ir_inst *i = b->first; i != b->last; i = i->next) {
        m->bad |= !uniform && needs_all(m, i);
        if (!i->nresults)
            continue;
        const enum form f = of_inst(m, i, uniform);
        for (uint32_t k = 0; k < i->nresults; k++)
            mark(m, &m->form[i->results[k].id], f);
    }
}

static void copies(struct meeting *m, const struct region *r, bool uniform)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        const enum form f = !uniform ? VARIES : c->src ? form_of(m, c->src) : of_temp(m, c->temp);
        mark(m, c->dst ? &m->form[c->dst->id] : &m->temp[c->temp], f);
    }
}

static bool asks(const struct meeting *m, const struct region *list)
{
    for (const struct region *r = list; r; r = r->next) {
        if (asks(m, r->child) || (r->kind == REGION_IF && asks(m, r->other)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (asks(m, r->arms[k].child))
                return true;
        if (r->kind == REGION_CODE)
            for (const struct ir_inst *i = r->block->first; i; i = i->next)
                if (needs_all(m, i))
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

static unsigned construct(struct meeting *m, const struct region *r, bool uniform, bool last)
{
    if (r->kind == REGION_BLOCK)
        return walk(m, r->child, uniform, last) & ~(unsigned)BREAKS;
    if (r->kind == REGION_LOOP) {
        unsigned out = walk(m, r->child, uniform, false);
        if (out) /* iterations are not made together */
            out |= walk(m, r->child, false, false);
        return out & RETURNS;
    }
    const bool same = (r->cond ? form_of(m, r->cond) : of_temp(m, r->temp)) == SAME;
    const bool inside = uniform && same;
    if (r->kind == REGION_IF) {
        /* if (i < n) { all the rest }: as if those that go around it had returned */
        const bool some = asks(m, r->child), others = asks(m, r->other);
        const bool rest = m->of == WARP && uniform && !same && last && some != others;
        m->left |= rest;
        return walk(m, r->child, inside || (rest && some), last) |
               walk(m, r->other, inside || (rest && others), last);
    }
    unsigned out = 0;
    for (uint32_t k = 0; k < r->narms; k++)
        out |= walk(m, r->arms[k].child, inside, false);
    return out & ~(unsigned)BREAKS;
}

/* A jump that only some of the threads make. */
static unsigned jump(struct meeting *m, const struct region *r)
{
    if (r->kind == REGION_BREAK)
        return BREAKS;
    if (r->kind == REGION_CONTINUE)
        return CONTINUES;
    if (m->of != WARP)
        return RETURNS;
    m->left = true;
    return 0;
}

/* `last`: nothing follows the list. */
static unsigned walk(struct meeting *m, const struct region *list, bool uniform, bool last)
{
    unsigned out = 0;
    for (const struct region *r = list; r; r = r->next) {
        const bool together = uniform && !out;
        switch (r->kind) {
        case REGION_CODE: code(m, r->block, together); break;
        case REGION_COPIES: copies(m, r, together); break;
        case REGION_IF:
        case REGION_SWITCH:
        case REGION_BLOCK:
        case REGION_LOOP: out |= construct(m, r, together, last && is_over(r->next)); break;
        default:
            if (!together)
                out |= jump(m, r);
        }
    }
    return out;
}

static bool all_converge(struct arena *a, const struct region_tree *t, struct meeting *m)
{
    m->form = arena_array(a, uint8_t, t->func->nvalues + 1);
    m->temp = arena_array(a, uint8_t, t->ntemps + 1);
    do {
        m->changed = false;
        walk(m, t->body, true, true);
    } while (m->changed && !m->bad);
    return !m->bad;
}

bool lower_block_converges(struct arena *a, const struct region_tree *t, bool proven)
{
    struct meeting m = {.of = proven ? PROVEN : BLOCK};
    return all_converge(a, t, &m);
}

bool lower_warps_converge(struct arena *a, const struct region_tree *t, const uint32_t block[3],
                          bool *left)
{
    struct meeting m = {.of = WARP, .block = block};
    const bool converge = all_converge(a, t, &m);
    *left = m.left;
    return converge;
}
