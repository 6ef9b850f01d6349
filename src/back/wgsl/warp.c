/* Operations of warps on the subgroups of a device, where these are as large as a warp, or as large
 * as what an operation reaches.
 *
 * The option `subgroups` promises that thread number i of a workgroup is lane i % N of subgroup
 * i / N. WGSL says what a subgroup operation does where all of its threads come together, or all
 * that have not returned; only there is it used (lower_warps_converge). Everywhere else, and where
 * a subgroup is too small, the park stays. A lane that is not there gives a shuffle 0. */
#include "back/wgsl/wgsl_int.h"

static uint32_t size(const struct wgsl *w)
{
    return w->options->subgroups;
}

static uint32_t threads(const struct wgsl *w)
{
    const uint32_t *b = w->options->block;
    return b[0] * b[1] * b[2];
}

/* Is a warp, or what there is of one in so small a block, one subgroup and nothing else in it? */
static bool is_one(const struct wgsl *w)
{
    return size(w) == 32 || (threads(w) && threads(w) <= 32 && threads(w) <= size(w));
}

/* Segments of a power of two of lanes, which shuffles do not leave: their length less one. */
static bool segments(const struct ir_inst *i, uint32_t *last)
{
    const uint32_t c = (uint32_t)i->args[3]->u.bits;
    *last = ~(c >> 8) & 31;
    return ir_is_const(i->args[3]) && !(*last & (*last + 1)) &&
           (c & 31) == (i->imm == IR_SHFL_UP ? 0 : 31);
}

static bool reaches(const struct wgsl *w, const struct ir_inst *i)
{
    const uint32_t n = size(w);
    uint32_t last;
    if (n >= 32 || is_one(w))
        return true;
    if (i->op == IR_OP_shfl) /* xor can lead to the segments before */
        return segments(i, &last) && last < n &&
               (i->imm != IR_SHFL_XOR ||
                (ir_is_const(i->args[2]) && !(i->args[2]->u.bits & 31 & ~last)));
    if (i->op == IR_OP_activemask || !ir_is_const(i->args[0]))
        return false;
    uint32_t mask = (uint32_t)i->args[0]->u.bits;
    while (mask && !(mask & ((1u << n) - 1)))
        mask >>= n;
    return !(mask >> n);
}

bool wgsl_warps_fit(struct wgsl *w, struct wgsl_kernel *k)
{
    struct ir_func *f = k->func;
    bool left = false;
    if (!size(w) || lower_polls(f))
        return false;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (ir_is_warp_op((enum ir_op)i->op) && !reaches(w, i))
                return false;
    if (!lower_block_converges(w->arena, w->tree, true) ||
        !lower_warps_converge(w->arena, w->tree, w->options->block, &left))
        return false;
    k->one = is_one(w);
    k->whole = !left && threads(w) && threads(w) % 32 == 0;
    return w->subgroups = k->subgroups = true;
}

/* ---- text ---- */

static const char *ballot(struct wgsl *w, const char *yes)
{
    if (is_one(w))
        return TEXT(w, "subgroupBallot(%s).x", yes);
    if (size(w) < 32)
        return TEXT(w, "(subgroupBallot(%s).x << (index & %uu))", yes, 32 - size(w));
    return TEXT(w, "subgroupBallot(%s)[(index >> 5u) & %uu]", yes, size(w) / 32 - 1);
}

static const char *under(struct wgsl *w, const char *lanes, const struct ir_value *mask)
{
    return ir_is_full_mask(mask) ? lanes : TEXT(w, "(%s & %s)", lanes, wgsl_value(w, mask));
}

static const char *vote(struct wgsl *w, const struct ir_inst *i)
{
    const char *yes = wgsl_value(w, i->args[1]), *truth;
    if (is_one(w) && ir_is_full_mask(i->args[0]) && i->imm < IR_VOTE_UNI)
        return TEXT(w, "select(0u, 1u, subgroup%s(%s))", i->imm == IR_VOTE_ANY ? "Any" : "All",
                    yes);
    yes = under(w, ballot(w, yes), i->args[0]);
    const char *here = under(w, ballot(w, "true"), i->args[0]);
    switch ((enum ir_vote)i->imm) {
    case IR_VOTE_ANY: truth = TEXT(w, "%s != 0u", yes); break;
    case IR_VOTE_ALL: truth = TEXT(w, "%s == %s", yes, here); break;
    case IR_VOTE_UNI: truth = TEXT(w, "(%s == %s) | (%s == 0u)", yes, here, yes); break;
    default: return yes;
    }
    return TEXT(w, "select(0u, 1u, %s)", truth);
}

static const char *reduce(struct wgsl *w, const struct ir_inst *i)
{
    static const char *const names[] = {
        [IR_RMW_ADD] = "Add",  [IR_RMW_AND] = "And",  [IR_RMW_OR] = "Or",    [IR_RMW_XOR] = "Xor",
        [IR_RMW_UMIN] = "Min", [IR_RMW_UMAX] = "Max", [IR_RMW_SMIN] = "Min", [IR_RMW_SMAX] = "Max"};
    const bool is_signed = i->imm == IR_RMW_SMIN || i->imm == IR_RMW_SMAX;
    return TEXT(w, is_signed ? "u32(subgroup%s(i32(%s)))" : "subgroup%s(%s)", names[i->imm],
                wgsl_value(w, i->args[1]));
}

/* Where a shuffle takes its value: the lane of the warp, whether it is in range (NULL: it is), and
 * WGSL's function for a fixed distance, if there is one. */
struct way {
    const char *lane, *inside, *relative;
};

static struct way way_of(struct wgsl *w, const struct ir_inst *i)
{
    struct way to = {0};
    uint32_t last;
    const struct ir_value *by = i->args[2];
    const char *b = ir_is_const(by) ? TEXT(w, "%uu", (uint32_t)by->u.bits & 31)
                                    : TEXT(w, "(%s & 31u)", wgsl_value(w, by));
    const uint32_t d = (uint32_t)by->u.bits & 31;
    if (!segments(i, &last)) {
        const char *from = TEXT(w, "%s(index, %uu, %s, %s)", wgsl_helper(w, "shuffle_from"),
                                (uint32_t)i->imm, b, wgsl_value(w, i->args[3]));
        to.lane = TEXT(w, "(%s & 31u)", from);
        to.inside = TEXT(w, "%s < 32u", from);
        return to;
    }
    switch ((enum ir_shfl)i->imm) {
    case IR_SHFL_UP:
        to.lane = TEXT(w, "((index - %s) & 31u)", b);
        to.inside = TEXT(w, "(index & %uu) >= %s", last, b);
        to.relative = "Up";
        break;
    case IR_SHFL_DOWN:
        to.lane = TEXT(w, "((index + %s) & 31u)", b);
        to.inside = ir_is_const(by) && d <= last
                        ? TEXT(w, "(index & %uu) < %uu", last, last + 1 - d)
                        : TEXT(w, "(index & %uu) + %s < %uu", last, b, last + 1);
        to.relative = "Down";
        break;
    case IR_SHFL_XOR:
        to.lane = TEXT(w, "((index ^ %s) & 31u)", b);
        if (!ir_is_const(by) || d > last)
            to.inside = TEXT(w, "%s <= ((index | %uu) & 31u)", to.lane, last);
        to.relative = "Xor";
        break;
    default:
        to.lane = last == 31 ? b : TEXT(w, "((index & %uu) | (%s & %uu))", 31 - last, b, last);
        break;
    }
    if (!ir_is_const(by))
        to.relative = NULL;
    return to;
}

static const char *shuffled(struct wgsl *w, const struct ir_inst *i, const struct way *way)
{
    const bool truth = i->type == IR_I1;
    const char *own = wgsl_value(w, i->args[1]), *from, *here = NULL;
    if (truth)
        own = TEXT(w, "select(0u, 1u, %s)", own);
    if (way->relative)
        from = TEXT(w, "subgroupShuffle%s(%s, %uu)", way->relative, own,
                    (uint32_t)i->args[2]->u.bits & 31);
    else if (size(w) < 32)
        from = TEXT(w, "subgroupShuffle(%s, %s & %uu)", own, way->lane, size(w) - 1);
    else if (size(w) == 32)
        from = TEXT(w, "subgroupShuffle(%s, %s)", own, way->lane);
    else
        from = TEXT(w, "subgroupShuffle(%s, (index & %uu) | %s)", own, size(w) - 32, way->lane);
    if (!w->kernel->whole || !ir_is_full_mask(i->args[0]))
        here =
            TEXT(w, "((%s >> %s) & 1u) != 0u", under(w, ballot(w, "true"), i->args[0]), way->lane);
    if (here)
        from =
            TEXT(w, "select(%s(), %s, %s)", truth ? "u32" : wgsl_type(w, i->args[1]), from, here);
    if (way->inside)
        from = TEXT(w, "select(%s, %s, %s)", own, from, way->inside);
    return truth ? TEXT(w, "%s != 0u", from) : from;
}

const char *wgsl_warp(struct wgsl *w, const struct ir_inst *i, const char **inside)
{
    *inside = NULL;
    switch (i->op) {
    case IR_OP_activemask: return ballot(w, "true");
    case IR_OP_vote: return vote(w, i);
    case IR_OP_redux: return reduce(w, i);
    default: {
        const struct way way = way_of(w, i);
        *inside = way.inside ? way.inside : "true";
        return shuffled(w, i, &way);
    }
    }
}
