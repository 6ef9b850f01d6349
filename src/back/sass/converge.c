/* Where the lanes of a warp part: which branches they may take differently, and which blocks only
 * some of them run.
 *
 * A value differs between lanes if it comes from their numbers, from memory that they change, from
 * other lanes, or from such values; or if it was made where only some lanes are. A branch on it
 * parts them, up to where all its ways meet again (the nearest block that every way to the end
 * passes). */
#include "back/group.h"
#include "back/sass/sass_int.h"

struct finding {
    struct sass_func *s;
    struct ir_block **blocks; /* by rpo */
    uint32_t n, words;
    uint64_t *after; /* by rpo: blocks (by rpo) on all ways to the end, itself among them */
    uint32_t *sizes; /* by rpo: how many these are */
    bool *varies;    /* by value id */
    struct sass_convergence *c;
    bool changed;
    enum sass_belief belief;
};

static bool holds(const uint64_t *set, uint32_t k)
{
    return set[k / 64] >> (k & 63) & 1;
}

/* ---- where ways meet ---- */
static bool narrow(struct finding *f, uint32_t k)
{
    uint64_t *mine = f->after + (size_t)k * f->words;
    const struct ir_inst *last = f->blocks[k]->last;
    bool changed = false;
    for (uint32_t w = 0; w < f->words; w++) {
        uint64_t all = last->nedges ? UINT64_MAX : 0;
        for (uint32_t e = 0; e < last->nedges; e++)
            all &= f->after[(size_t)last->edges[e].to->rpo * f->words + w];
        if (k / 64 == w)
            all |= UINT64_C(1) << (k & 63);
        changed |= (mine[w] & all) != mine[w];
        mine[w] &= all;
    }
    return changed;
}

static uint32_t size_of(const struct finding *f, uint32_t k)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < f->words; w++)
        n += (uint32_t)__builtin_popcountll(f->after[(size_t)k * f->words + w]);
    return n;
}

static void find_meetings(struct finding *f)
{
    f->words = f->n / 64 + 1;
    f->after = arena_array(f->s->arena, uint64_t, (size_t)f->n * f->words);
    for (size_t k = 0; k < (size_t)f->n * f->words; k++)
        f->after[k] = UINT64_MAX;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = f->n; k-- > 0;)
            again |= narrow(f, k);
    }
    f->sizes = arena_array(f->s->arena, uint32_t, f->n + 1);
    for (uint32_t k = 0; k < f->n; k++)
        f->sizes[k] = size_of(f, k);
}

/* The nearest of those on all ways from k has the most on all of its own. */
static uint32_t meeting_of(const struct finding *f, uint32_t k)
{
    uint32_t best = SASS_NONE, most = 0;
    if (holds(f->after + (size_t)k * f->words, f->n)) /* no way from here ends */
        return SASS_NONE;
    for (uint32_t j = 0; j < f->n; j++)
        if (j != k && holds(f->after + (size_t)k * f->words, j)) {
            uint32_t n = f->sizes[j];
            if (best == SASS_NONE || n > most) {
                best = j;
                most = n;
            }
        }
    return best;
}

/* ---- values ---- */
static void vary(struct finding *f, const struct ir_value *v)
{
    if (!f->varies[v->id]) {
        f->varies[v->id] = true;
        f->changed = true;
    }
}

static bool differs(const struct finding *f, const struct ir_value *v)
{
    return (v->kind == IR_VALUE_RESULT || v->kind == IR_VALUE_PARAM) && f->varies[v->id];
}

/* One lane's value, of the whole warp, for all of it. */
static bool is_broadcast(const struct finding *f, const struct ir_inst *i)
{
    enum { WHOLE_WARP = 31 };
    return i->op == IR_OP_shfl && i->imm == IR_SHFL_IDX && ir_is_full_mask(i->args[0]) &&
           !differs(f, i->args[2]) && ir_is_const(i->args[3]) && i->args[3]->u.bits == WHOLE_WARP;
}

/* ---- values that lanes count, where rows are whole warps ---- */
enum { WARP = 32, NEAR = 8 };

static const struct ir_inst *maker(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}

static bool is_extension(const struct ir_inst *i)
{
    return i->op == IR_OP_zext || i->op == IR_OP_sext || i->op == IR_OP_trunc;
}

/* The same for all lanes, and a multiple of 32? */
static bool is_step(const struct finding *f, const struct ir_value *v, unsigned depth)
{
    if (ir_is_const(v))
        return v->u.bits % WARP == 0;
    const struct ir_inst *i = maker(v);
    if (!i || !depth || differs(f, v))
        return false;
    switch (i->op) {
    case IR_OP_sreg: return i->imm == IR_SREG_NTID_X;
    case IR_OP_add: return is_step(f, i->args[0], depth - 1) && is_step(f, i->args[1], depth - 1);
    case IR_OP_mul: return is_step(f, i->args[0], depth - 1) || is_step(f, i->args[1], depth - 1);
    case IR_OP_shl: return ir_is_const(i->args[1]) && i->args[1]->u.bits >= 5;
    default: return is_extension(i) && is_step(f, i->args[0], depth - 1);
    }
}

static bool is_count(const struct finding *f, const struct ir_value *v, unsigned depth);

/* What a quotient of a number with a sign begins with: nothing, of those that have none. */
static bool is_sign(const struct finding *f, const struct ir_value *v)
{
    const struct ir_inst *i = maker(v), *sign = i && i->op == IR_OP_lshr ? maker(i->args[0]) : NULL;
    return sign && sign->op == IR_OP_ashr && ir_is_const(sign->args[1]) &&
           sign->args[1]->u.bits == ir_bits(sign->type) - 1u && is_count(f, sign->args[0], NEAR);
}

/* The lane's number, and the same multiple of 32 for all of them? */
static bool is_count(const struct finding *f, const struct ir_value *v, unsigned depth)
{
    const struct ir_inst *i = maker(v);
    if (!i || !depth)
        return false;
    if (i->op == IR_OP_sreg)
        return i->imm == IR_SREG_TID_X;
    if (i->op != IR_OP_add)
        return is_extension(i) && is_count(f, i->args[0], depth - 1);
    for (unsigned k = 0; k < 2; k++)
        if (is_count(f, i->args[k], depth - 1) &&
            (is_step(f, i->args[1 - k], depth - 1) || is_sign(f, i->args[1 - k])))
            return true;
    return false;
}

/* Of a warp's lanes all are below it, or none: rest 0; or not above it: 31. */
static bool is_edge(const struct finding *f, const struct ir_value *v, unsigned rest)
{
    return ir_is_const(v) ? v->u.bits % WARP == rest : !rest && is_step(f, v, NEAR);
}

/* Is it the same for a warp though the lanes' count is not? */
static bool is_of_warp(const struct finding *f, const struct ir_inst *i)
{
    if (i->nargs != 2 || f->belief != BELIEVE_ROWS)
        return false;
    const struct ir_value *a = i->args[0], *b = i->args[1];
    const bool left = is_count(f, a, NEAR);
    switch (i->op) {
    case IR_OP_lshr:
    case IR_OP_ashr: return left && ir_is_const(b) && b->u.bits >= 5;
    case IR_OP_and: return left && is_edge(f, b, 0);
    case IR_OP_udiv:
    case IR_OP_sdiv: return left && ir_is_const(b) && b->u.bits && is_edge(f, b, 0);
    case IR_OP_ult:
    case IR_OP_slt: return left ? is_edge(f, b, 0) : is_count(f, b, NEAR) && is_edge(f, a, 31);
    case IR_OP_ule:
    case IR_OP_sle: return left ? is_edge(f, b, 31) : is_count(f, b, NEAR) && is_edge(f, a, 0);
    default: return false;
    }
}

/* What the host has set before the launch, and no kernel writes. */
static bool is_reference(const struct ir_value *p)
{
    int64_t offset = 0;
    const struct ir_value *base = back_base((struct ir_value *)p, &offset);
    return base->kind == IR_VALUE_GLOBAL && base->u.global->flags & IR_GLOBAL_TEXREF;
}

static bool makes_differing(const struct finding *f, const struct ir_inst *i)
{
    if (i->op == IR_OP_sreg)
        return ir_sreg_info[i->imm].uniformity == IR_UNIFORM_THREAD &&
               !(f->belief == BELIEVE_ROWS && (i->imm == IR_SREG_TID_Y || i->imm == IR_SREG_TID_Z));
    if (is_of_warp(f, i))
        return false;
    if (f->belief == BELIEVE_MEMORY && !(ir_op_info[i->op].flags & IR_PURE))
        return false;
    if ((i->op == IR_OP_vote && ir_is_full_mask(i->args[0])) || is_broadcast(f, i))
        return false;          /* all hear the same */
    if (i->op == IR_OP_alloca) /* each has its own memory there, by the same number */
        return false;
    if (i->op == IR_OP_load) {
        enum ir_space space = ir_space(i->args[0]->type);
        if (space != IR_SPACE_PARAM && space != IR_SPACE_CONST && !(i->flags & IR_INVARIANT) &&
            !is_reference(i->args[0]))
            return true;
    } else if (!(ir_op_info[i->op].flags & IR_PURE)) {
        return true;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (differs(f, i->args[k]))
            return true;
    return false;
}

static void part(struct finding *f, uint32_t from, uint32_t meeting)
{
    VEC(uint32_t) work = {0};
    const struct ir_inst *last = f->blocks[from]->last;
    for (uint32_t e = 0; e < last->nedges; e++)
        vec_push(f->s->arena, &work, last->edges[e].to->rpo);
    bool *seen = arena_array(f->s->arena, bool, f->n + 1);
    while (work.len) {
        uint32_t k = vec_pop(&work);
        if (seen[k])
            continue;
        seen[k] = true;
        vec_each (struct ir_value *, p, &f->blocks[k]->params)
            vary(f, *p);
        if (k == meeting)
            continue;
        f->c->parted[f->blocks[k]->id] = true;
        for (uint32_t e = 0; e < f->blocks[k]->last->nedges; e++)
            vec_push(f->s->arena, &work, f->blocks[k]->last->edges[e].to->rpo);
    }
}

/* Lanes that end at once are gone: those that go on are as much together as before. */
static bool only_ends(const struct ir_inst *last)
{
    const struct ir_block *on = NULL;
    for (uint32_t e = 0; e < last->nedges; e++) {
        const struct ir_block *to = last->edges[e].to;
        if (to->first == to->last && (to->last->op == IR_OP_ret || to->last->op == IR_OP_exit))
            continue;
        if (on)
            return false;
        on = to;
    }
    return true;
}

static void look_at(struct finding *f, uint32_t k)
{
    struct ir_block *b = f->blocks[k];
    ir_each_inst (i, b)
        for (uint32_t r = 0; r < i->nresults; r++)
            if (f->c->parted[b->id] || makes_differing(f, i))
                vary(f, &i->results[r]);
    const struct ir_inst *last = b->last;
    for (uint32_t e = 0; e < last->nedges; e++)
        for (uint32_t a = 0; a < last->edges[e].nargs; a++)
            if (differs(f, last->edges[e].args[a]))
                vary(f, last->edges[e].to->params.data[a]);
    if ((last->op == IR_OP_condbr || last->op == IR_OP_switch) && differs(f, last->args[0]) &&
        !f->c->parts[b->id] && !only_ends(last)) {
        uint32_t meeting = meeting_of(f, k);
        f->c->parts[b->id] = true;
        f->c->meeting[b->id] = meeting == SASS_NONE ? NULL : f->blocks[meeting];
        part(f, k, meeting);
        f->changed = true;
    }
}

struct sass_convergence sass_converge(struct sass_func *s, enum sass_belief belief)
{
    struct ir_func *fn = s->f;
    struct sass_convergence c = {arena_array(s->arena, bool, fn->nblocks + 1),
                                 arena_array(s->arena, bool, fn->nblocks + 1),
                                 arena_array(s->arena, struct ir_block *, fn->nblocks + 1),
                                 arena_array(s->arena, bool, fn->nvalues + 1)};
    struct finding f = {.s = s, .c = &c, .belief = belief};
    f.blocks = arena_array(s->arena, struct ir_block *, fn->nblocks + 1);
    f.varies = c.varies;
    ir_each_block (b, fn)
        if (b->rpo != UINT32_MAX) {
            f.blocks[b->rpo] = b;
            f.n++;
        }
    find_meetings(&f);
    do {
        f.changed = false;
        for (uint32_t k = 0; k < f.n; k++)
            look_at(&f, k);
    } while (f.changed);
    return c;
}

/* What is computed where only some lanes are, of what all have alike, is the same for those. */
static bool same(const struct sass_func *s, const struct ir_value *v, unsigned depth)
{
    if (v->kind != IR_VALUE_RESULT)
        return v->kind != IR_VALUE_PARAM || !s->varies[v->id];
    const struct ir_inst *i = v->u.inst;
    if (!s->varies[v->id])
        return true;
    if (!depth || !(ir_op_info[i->op].flags & IR_PURE) || i->op == IR_OP_sreg ||
        i->op == IR_OP_load)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!same(s, i->args[k], depth - 1))
            return false;
    return i->nargs > 0;
}

bool sass_same(const struct sass_func *s, const struct ir_value *v)
{
    return same(s, v, NEAR);
}
