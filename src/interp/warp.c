/* What threads do together: block barriers, grid barriers, and the warp operations with a member
 * mask (shuffle, vote, match, reduce, warpsync, mma).
 *
 * A warp operation waits until every live lane that its mask names has come to the same operation
 * with the same mask, in one group or in several. Those in the running group alone are done at
 * once; otherwise the group is parked and the one that completes the set does the work for all. */
#include "interp/interp_int.h"

/* ---- warp operations ---- */
/* The lanes that take part, each with its own registers and instruction. */
struct party {
    uint32_t lanes;
    char *regs[LANES];
    const struct op *op[LANES];
};

static uint64_t operand(const struct party *p, uint32_t lane, unsigned index)
{
    const struct detail *x = p->op[lane]->x;
    return lane_bits(p->regs[lane] + x->args[index], storage_bytes(x->arg_types[index]), lane);
}
static void result(const struct party *p, uint32_t lane, unsigned index, uint64_t bits)
{
    const struct detail *x = p->op[lane]->x;
    if (index < x->nresults)
        set_lane(p->regs[lane] + x->results[index], storage_bytes(x->result_types[index]), lane,
                 bits);
}

static void do_shuffle(const struct party *p, enum ir_shfl kind)
{
    uint64_t value[LANES] = {0};
    const uint32_t lanes = p->lanes;
    EACH_LANE (i, lanes)
        value[i] = operand(p, i, 1);
    EACH_LANE (i, lanes) {
        const uint32_t by = (uint32_t)operand(p, i, 2) & 31;
        const uint32_t control = (uint32_t)operand(p, i, 3);
        const uint32_t segment = control >> 8 & 31, clamp = control & 31;
        const int32_t lowest = (int32_t)(i & segment);
        const int32_t limit = (int32_t)((i & segment) | (clamp & ~segment));
        int32_t from = (int32_t)i;
        bool in_range = false;
        switch (kind) {
        case IR_SHFL_IDX:
            from = lowest | (int32_t)(by & ~segment & 31);
            in_range = from <= limit;
            break;
        case IR_SHFL_UP:
            from = (int32_t)i - (int32_t)by;
            in_range = from >= limit;
            break;
        case IR_SHFL_DOWN:
            from = (int32_t)(i + by);
            in_range = from <= limit;
            break;
        case IR_SHFL_XOR:
            from = (int32_t)(i ^ by);
            in_range = from <= limit;
            break;
        }
        if (!in_range)
            from = (int32_t)i;
        /* From a lane that takes no part comes 0, as on NVIDIA's GPUs (measured on an H200). */
        const bool there = from >= 0 && from < LANES && lanes >> from & 1;
        result(p, i, 0, there ? value[from] : 0);
        result(p, i, 1, in_range);
    }
}

static void do_vote(const struct party *p, enum ir_vote kind)
{
    const uint32_t lanes = p->lanes;
    uint32_t yes = 0;
    EACH_LANE (i, lanes)
        if (operand(p, i, 1))
            yes |= UINT32_C(1) << i;
    const uint32_t out = kind == IR_VOTE_ANY   ? yes != 0
                         : kind == IR_VOTE_ALL ? yes == lanes
                         : kind == IR_VOTE_UNI ? yes == lanes || !yes
                                               : yes;
    EACH_LANE (i, lanes)
        result(p, i, 0, out);
}

static void do_match(const struct party *p, bool all)
{
    const uint32_t lanes = p->lanes;
    EACH_LANE (i, lanes) {
        uint32_t same = 0;
        EACH_LANE (k, lanes)
            if (operand(p, k, 1) == operand(p, i, 1))
                same |= UINT32_C(1) << k;
        if (all)
            same = same == lanes ? lanes : 0;
        result(p, i, 0, same);
        result(p, i, 1, same == lanes);
    }
}

static void do_reduce(const struct party *p, enum ir_rmw kind)
{
    const uint32_t lanes = p->lanes;
    bool first = true;
    uint64_t sum = 0;
    EACH_LANE (i, lanes) {
        const uint64_t v = operand(p, i, 1);
        sum = first ? v : ir_eval_rmw(kind, IR_I32, sum, v);
        first = false;
    }
    EACH_LANE (i, lanes)
        result(p, i, 0, sum);
}

static void perform(const struct party *p)
{
    const struct op *o = p->op[__builtin_ctz(p->lanes)];
    switch (o->ir_op) {
    case IR_OP_shfl: do_shuffle(p, (enum ir_shfl)o->imm); break;
    case IR_OP_vote: do_vote(p, (enum ir_vote)o->imm); break;
    case IR_OP_match: do_match(p, o->imm == 1); break;
    case IR_OP_redux: do_reduce(p, (enum ir_rmw)o->imm); break;
    case IR_OP_mma: interp_matrix(p->op, p->regs); break;
    default: break; /* warpsync */
    }
}

static void add_to_party(struct party *p, const struct frame *f, const struct op *o, uint32_t lanes)
{
    p->lanes |= lanes;
    EACH_LANE (i, lanes) {
        p->regs[i] = f->regs;
        p->op[i] = o;
    }
}

static uint32_t member_mask(const struct run *r, const struct op *o, uint32_t lane)
{
    return o->ir_op == IR_OP_mma ? ALL_LANES : REG(r, uint32_t, o->a)[lane];
}

static bool waits_with(const struct group *g, const struct op *o, uint32_t members)
{
    return g->state == GROUP_WARP && g->wait_mask == members && g->pc->ir_op == o->ir_op &&
           g->pc->imm == o->imm && g->pc->type == o->type;
}

/* All that wait for `members` are there: do it and let them go on. */
static void perform_parked(struct run *r, struct warp *w, const struct op *o, uint32_t members)
{
    struct party p = {0};
    for (struct group *g = w->groups; g < w->groups + LANES; g++)
        if (waits_with(g, o, members))
            add_to_party(&p, g->frame, g->pc, g->mask);
    perform(&p);
    for (struct group *g = w->groups; g < w->groups + LANES; g++)
        if (waits_with(g, o, members)) {
            g->pc++;
            interp_resume(r, w, g);
        }
}

/* The lanes among `lanes` whose member mask is that of the first. */
static uint32_t same_members(struct run *r, const struct op *o, uint32_t lanes, uint32_t *members)
{
    uint32_t same = 0;
    *members = member_mask(r, o, (uint32_t)__builtin_ctz(lanes));
    EACH_LANE (i, lanes)
        if (member_mask(r, o, i) == *members)
            same |= UINT32_C(1) << i;
    if (same & ~*members)
        interp_fail(r, TERN_TRAP, o, (uint32_t)__builtin_ctz(same & ~*members), 0,
                    "%s with member mask 0x%08x by a lane that is not in it",
                    ir_op_info[o->ir_op].name, *members);
    return same;
}

static uint32_t present(const struct warp *w, const struct op *o, uint32_t members)
{
    uint32_t lanes = 0;
    for (const struct group *g = w->groups; g < w->groups + LANES; g++)
        if (waits_with(g, o, members))
            lanes |= g->mask;
    return lanes;
}

static const struct op *collective(struct run *r, const struct op *o)
{
    struct warp *w = r->warp;
    uint32_t members, missing = 0;
    for (uint32_t left = r->mask; left;) {
        const uint32_t same = same_members(r, o, left, &members);
        missing |= members & w->live & ~same;
        left &= ~same;
    }
    if (!missing) { /* as nearly always: no one to wait for */
        for (uint32_t left = r->mask; left;) {
            struct party p = {0};
            add_to_party(&p, r->frame, o, same_members(r, o, left, &members));
            perform(&p);
            left &= ~p.lanes;
        }
        return o + 1;
    }
    const uint32_t same = same_members(r, o, r->mask, &members);
    if (same != r->mask)
        interp_split_group(r, r->mask & ~same)->pc = o; /* to look again by themselves */
    struct group *g = r->group;
    g->pc = o;
    g->state = GROUP_WARP;
    g->wait_mask = members;
    if (!(members & w->live & ~present(w, o, members))) {
        r->group = NULL;
        perform_parked(r, w, o, members);
    }
    return NULL;
}

void interp_recheck_warp(struct run *r, struct warp *w)
{
    for (struct group *g = w->groups; g < w->groups + LANES; g++) {
        if (g->state != GROUP_WARP)
            continue;
        const uint32_t members = g->wait_mask;
        if (!(members & w->live & ~present(w, g->pc, members)))
            perform_parked(r, w, g->pc, members);
    }
}

static const struct op *active_lanes(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask)
        REG(r, uint32_t, o->dst)[i] = mask;
    return o + 1;
}

/* ---- block barriers ---- */
static bool barrier_complete(const struct block *b, const struct barrier *x)
{
    uint32_t arrived = 0;
    bool all = true;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        const uint32_t live = b->warps[i].live, here = x->lanes[i];
        all &= !(live & ~here);
        /* A warp that came whole counts as 32 threads, whatever the block's size. */
        if (here)
            arrived += live & ~here ? (uint32_t)__builtin_popcount(here) : LANES;
    }
    return x->expected ? arrived >= x->expected : all;
}

static void complete_barrier(struct run *r, struct block *b, uint32_t number)
{
    struct barrier *x = &b->barriers[number];
    const uint32_t count = x->count_true, voted = x->count_all;
    x->in_use = false;
    x->count_true = x->count_all = 0;
    memset(x->lanes, 0, b->nwarps * sizeof *x->lanes);
    for (struct warp *w = b->warps; w < b->warps + b->nwarps; w++)
        for (struct group *g = w->groups; g < w->groups + LANES; g++) {
            if (g->state != GROUP_BARRIER || g->barrier != number)
                continue;
            if (g->pc->ir_op == IR_OP_barrier_red) {
                const uint32_t out = g->pc->imm == 0   ? count
                                     : g->pc->imm == 1 ? count == voted
                                                       : count != 0;
                const uint32_t mask = g->mask;
                EACH_LANE (i, mask)
                    ((uint32_t *)(void *)(g->frame->regs + g->pc->dst))[i] = out;
            }
            g->pc++;
            interp_resume(r, w, g);
        }
    r->events++;
    r->leaps++;
}

void interp_recheck_barriers(struct run *r, struct block *b)
{
    for (uint32_t i = 0; i < NBARRIERS; i++)
        if (b->barriers[i].in_use && barrier_complete(b, &b->barriers[i]))
            complete_barrier(r, b, i);
}

static const struct op *block_barrier(struct run *r, const struct op *o)
{
    const uint32_t *numbers = REG(r, uint32_t, o->a), *counts = REG(r, uint32_t, o->b);
    const uint32_t mask = r->mask, first = (uint32_t)__builtin_ctz(mask);
    const uint32_t number = numbers[first], count = counts[first];
    struct block *b = r->block;
    struct warp *w = r->warp;
    uint32_t same = 0;
    EACH_LANE (i, mask)
        if (numbers[i] == number && counts[i] == count)
            same |= UINT32_C(1) << i;
    if (same != mask)
        interp_split_group(r, mask & ~same)->pc = o;
    if (number >= NBARRIERS)
        interp_fail(r, TERN_TRAP, o, first, 0, "barrier %u: there are %d", number, NBARRIERS);
    struct barrier *x = &b->barriers[number];
    if (x->in_use && x->expected != count)
        interp_fail(r, TERN_DEADLOCK, o, first, 0,
                    "barrier %u for %u threads, while others wait at it for %u (0: all)", number,
                    count, x->expected);
    if (x->lanes[w->index] & same)
        interp_fail(r, TERN_DEADLOCK, o, (uint32_t)__builtin_ctz(x->lanes[w->index] & same), 0,
                    "thread arrives twice at barrier %u before it is complete", number);
    x->in_use = true;
    x->expected = count;
    x->lanes[w->index] |= same;
    if (o->ir_op == IR_OP_barrier_red) {
        x->count_true += (uint32_t)__builtin_popcount(true_lanes(r->regs + o->c) & same);
        x->count_all += (uint32_t)__builtin_popcount(same);
    }
    const bool complete = barrier_complete(b, x);
    if (o->ir_op == IR_OP_barrier_arrive) {
        if (complete)
            complete_barrier(r, b, number);
        return o + 1;
    }
    struct group *g = r->group;
    g->pc = o;
    g->state = GROUP_BARRIER;
    g->barrier = number;
    if (complete) {
        r->group = NULL;
        complete_barrier(r, b, number);
    }
    return NULL;
}

/* ---- grid barrier ---- */
static const struct op *grid_barrier(struct run *r, const struct op *o)
{
    if (!r->launch->cooperative)
        interp_fail(r, TERN_DEADLOCK, o, (uint32_t)__builtin_ctz(r->mask), 0,
                    "grid barrier in a kernel that was not launched cooperatively");
    r->group->pc = o;
    r->group->state = GROUP_GRID;
    return NULL;
}

bool interp_release_grid(struct run *r)
{
    if (r->next_block < r->nblocks)
        return false;
    for (const struct block *b = r->blocks; b; b = b->next)
        for (const struct warp *w = b->warps; w < b->warps + b->nwarps; w++) {
            uint32_t there = 0;
            for (const struct group *g = w->groups; g < w->groups + LANES; g++)
                if (g->state == GROUP_GRID)
                    there |= g->mask;
            if (w->live & ~there)
                return false;
        }
    for (struct block *b = r->blocks; b; b = b->next)
        for (struct warp *w = b->warps; w < b->warps + b->nwarps; w++)
            for (struct group *g = w->groups; g < w->groups + LANES; g++)
                if (g->state == GROUP_GRID) {
                    g->pc++;
                    interp_resume(r, w, g);
                }
    return true;
}

handler_fn *interp_warp_handler(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_match:
    case IR_OP_redux:
    case IR_OP_warpsync:
    case IR_OP_mma: return collective;
    case IR_OP_activemask: return active_lanes;
    case IR_OP_barrier:
    case IR_OP_barrier_arrive:
    case IR_OP_barrier_red: return block_barrier;
    case IR_OP_gridsync: return grid_barrier;
    default: return NULL;
    }
}
