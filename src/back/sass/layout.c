/* The graph of blocks, before instructions are ordered: shorter ways through it.
 *
 * A loop that is tested where it begins is tested where it ends, too: its test is copied there, so
 * that a round has one jump and the test is computed beside the rest. A jump to where threads end
 * is an end under the same condition; a convergence barrier that nobody but those who ended could
 * have passed by goes. */
#include <string.h>
#include "back/sass/sass_int.h"

enum { MOST_COPIED = 16, MOST_ROUNDS = 4 };

static bool is_jump(const struct sass_inst *i)
{
    return i->op == OP_BRA;
}

static bool always(const struct sass_inst *i)
{
    return i->guard.reg == SASS_NONE && !i->guard.neg;
}

/* ---- ends ---- */
static struct sass_block *block_of(struct sass_func *s, uint32_t id)
{
    return &s->blocks.data[id];
}

/* Nothing but an end, or breaks and jumps to one. */
static bool just_ends(struct sass_func *s, uint32_t id, unsigned depth)
{
    vec_each (struct sass_inst, i, &block_of(s, id)->code) {
        if (i->op == OP_EXIT)
            return always(i);
        if (is_jump(i))
            return always(i) && depth && just_ends(s, (uint32_t)i->imm, depth - 1);
        if (i->op != OP_BREAK)
            return false;
    }
    return false;
}

static void forget_edge(struct sass_block *b, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->nto; k++)
        if (b->to[k] != to)
            b->to[n++] = b->to[k];
    b->nto = n;
}

static bool ends_two_ways(const struct sass_block *b)
{
    size_t n = b->code.len;
    return n >= 2 && is_jump(&b->code.data[n - 1]) && is_jump(&b->code.data[n - 2]) &&
           always(&b->code.data[n - 1]) && !always(&b->code.data[n - 2]);
}

static void end_at_once(struct sass_func *s, uint32_t id)
{
    struct sass_block *b = block_of(s, id);
    if (!ends_two_ways(b))
        return;
    struct sass_inst *first = &b->code.data[b->code.len - 2], *last = first + 1;
    uint32_t yes = (uint32_t)first->imm, no = (uint32_t)last->imm;
    if (yes == no)
        return;
    if (just_ends(s, no, 2) && !just_ends(s, yes, 2)) {
        first->guard.neg = !first->guard.neg;
        first->imm = (int32_t)no;
        last->imm = (int32_t)yes;
        yes = no;
    } else if (!just_ends(s, yes, 2)) {
        return;
    }
    struct sass_inst end = sass_inst(OP_EXIT);
    end.guard = first->guard;
    *first = end;
    forget_edge(b, yes);
}

static uint32_t *count_ways(struct sass_func *s)
{
    uint32_t *n = arena_array(s->arena, uint32_t, s->blocks.len + 1);
    n[s->order.data[0]] = 1;
    for (uint32_t k = 0; k < s->order.len; k++) {
        const struct sass_block *b = block_of(s, s->order.data[k]);
        for (uint32_t e = 0; e < b->nto; e++)
            n[b->to[e]]++;
    }
    return n;
}

/* Where a block leads that only computes and is reached from one place; itself if it is not so. */
static uint32_t through(struct sass_func *s, uint32_t id, const uint32_t *ways)
{
    const struct sass_block *b = block_of(s, id);
    if (ways[id] != 1 || !b->code.len || !is_jump(&vec_last(&b->code)) ||
        !always(&vec_last(&b->code)))
        return id;
    for (size_t k = 0; k + 1 < b->code.len; k++)
        if (sass_rows[b->code.data[k].op].class == CLASS_CONTROL)
            return id;
    return (uint32_t)vec_last(&b->code).imm;
}

static void remove_at(struct sass_block *b, size_t at)
{
    memmove(&b->code.data[at], &b->code.data[at + 1],
            (b->code.len - at - 1) * sizeof *b->code.data);
    b->code.len--;
}

/* The BSSY that nothing but instructions that compute follows, up to `end`; NULL: another, or
 * nothing, is the last that jumps or meets. */
static struct sass_inst *open_before(struct sass_block *b, size_t end)
{
    while (end > 0 && sass_rows[b->code.data[end - 1].op].class != CLASS_CONTROL)
        end--;
    struct sass_inst *last = end ? &b->code.data[end - 1] : NULL;
    return last && last->op == OP_BSSY ? last : NULL;
}

/* Takes a BSSY of b and its BSYNC away, if that begins the block that it names and is reached by
 * one way alone. */
static bool drop_pair(struct sass_func *s, struct sass_block *b, struct sass_inst *open,
                      uint32_t meeting, const uint32_t *ways)
{
    struct sass_block *to = block_of(s, meeting);
    if ((uint32_t)open->imm != meeting || ways[meeting] != 1 || !to->code.len ||
        to->code.data[0].op != OP_BSYNC ||
        to->code.data[0].mods[MOD_BARRIER] != open->mods[MOD_BARRIER])
        return false;
    remove_at(b, (size_t)(open - b->code.data));
    remove_at(to, 0);
    return true;
}

/* BSSY, an end, a jump to its BSYNC. */
static void need_no_meeting(struct sass_func *s, uint32_t id, const uint32_t *ways)
{
    struct sass_block *b = block_of(s, id);
    size_t n = b->code.len;
    if (n < 3 || !is_jump(&b->code.data[n - 1]) || b->code.data[n - 2].op != OP_EXIT)
        return;
    struct sass_inst *open = open_before(b, n - 2);
    if (!open)
        return;
    uint32_t meeting = (uint32_t)b->code.data[n - 1].imm;
    if ((uint32_t)open->imm != meeting)
        meeting = through(s, meeting, ways);
    drop_pair(s, b, open, meeting, ways);
}

/* BSSY, instructions, a jump to its BSYNC: nobody parts. Gives whether they went. */
static bool drop_straight(struct sass_func *s, uint32_t id, const uint32_t *ways)
{
    struct sass_block *b = block_of(s, id);
    size_t n = b->code.len;
    if (!n || b->nto != 1 || !is_jump(&b->code.data[n - 1]) || !always(&b->code.data[n - 1]))
        return false;
    struct sass_inst *open = open_before(b, n - 1);
    return open && drop_pair(s, b, open, (uint32_t)b->code.data[n - 1].imm, ways);
}

static bool drop_all_straight(struct sass_func *s)
{
    const uint32_t *ways = count_ways(s);
    bool dropped = false;
    for (uint32_t k = 0; k < s->order.len; k++)
        dropped |= drop_straight(s, s->order.data[k], ways);
    return dropped;
}

/* A block that is reached from one place alone, by a jump, is the rest of that one. */
static void take_in(struct sass_func *s, uint32_t id, const uint32_t *ways, const bool *named)
{
    for (;;) {
        struct sass_block *b = block_of(s, id);
        if (!b->code.len || !is_jump(&vec_last(&b->code)) || !always(&vec_last(&b->code)) ||
            b->nto != 1)
            return;
        uint32_t next = (uint32_t)vec_last(&b->code).imm;
        struct sass_block *rest = block_of(s, next);
        if (next == id || ways[next] != 1 || named[next] || rest->aside || b->aside)
            return;
        b->code.len--;
        vec_each (struct sass_inst, i, &rest->code)
            vec_push(s->arena, &b->code, *i);
        b->nto = rest->nto;
        memcpy(b->to, rest->to, sizeof b->to);
        rest->nto = 0;
        rest->code.len = 0;
    }
}

static void take_in_all(struct sass_func *s)
{
    const uint32_t *ways = count_ways(s);
    bool *named = arena_array(s->arena, bool, s->blocks.len + 1);
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (struct sass_inst, i, &b->code)
            if (i->op == OP_BSSY)
                named[i->imm] = true;
    for (uint32_t k = 0; k < s->order.len; k++)
        take_in(s, s->order.data[k], ways, named);
}

/* Blocks that no way leads to any more. */
static void drop_unreached(struct sass_func *s)
{
    bool *seen = arena_array(s->arena, bool, s->blocks.len + 1);
    VEC(uint32_t) work = {0};
    vec_push(s->arena, &work, s->order.data[0]);
    seen[s->order.data[0]] = true;
    while (work.len) {
        const struct sass_block *b = block_of(s, vec_pop(&work));
        vec_each (struct sass_inst, i, &b->code)
            if (i->op == OP_BSSY && !seen[i->imm]) {
                seen[i->imm] = true;
                vec_push(s->arena, &work, (uint32_t)i->imm);
            }
        for (uint32_t e = 0; e < b->nto; e++)
            if (!seen[b->to[e]]) {
                seen[b->to[e]] = true;
                vec_push(s->arena, &work, b->to[e]);
            }
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->order.len; k++)
        if (seen[s->order.data[k]])
            s->order.data[n++] = s->order.data[k];
    s->order.len = n;
}

/* ---- loops ---- */
static bool may_copy(const struct sass_block *b)
{
    if (!ends_two_ways(b) || b->code.len > MOST_COPIED)
        return false;
    for (size_t k = 0; k + 2 < b->code.len; k++) {
        const struct sass_row *r = &sass_rows[b->code.data[k].op];
        if (r->class == CLASS_CONTROL || r->class == CLASS_FENCE || r->class == CLASS_STORE ||
            b->code.data[k].op == OP_CS2R || b->code.data[k].op == OP_VOTE ||
            b->code.data[k].op == OP_REDUX)
            return false;
    }
    return true;
}

/* The test of the loop that b jumps back to; of its two ways the one back is the conditional one.
 */
static void test_at_end(struct sass_func *s, uint32_t id, const uint32_t *place)
{
    struct sass_block *b = block_of(s, id);
    if (!b->code.len || !is_jump(&vec_last(&b->code)) || !always(&vec_last(&b->code)) ||
        ends_two_ways(b))
        return;
    uint32_t top = (uint32_t)vec_last(&b->code).imm;
    const struct sass_block *test = block_of(s, top);
    if (top == id || place[top] > place[id] || !may_copy(test))
        return;
    b->code.len--;
    vec_each (struct sass_inst, i, &test->code)
        vec_push(s->arena, &b->code, *i);
    b->nto = test->nto;
    memcpy(b->to, test->to, sizeof b->to);
    struct sass_inst *first = &b->code.data[b->code.len - 2], *last = first + 1;
    uint32_t yes = (uint32_t)first->imm, no = (uint32_t)last->imm;
    bool back = place[no] > place[top] && place[no] <= place[id];
    bool forth = place[yes] > place[top] && place[yes] <= place[id];
    if (back && !forth) {
        first->guard.neg = !first->guard.neg;
        first->imm = (int32_t)no;
        last->imm = (int32_t)yes;
    }
}

void sass_layout(struct sass_func *s)
{
    for (uint32_t k = 0; k < s->order.len; k++)
        end_at_once(s, s->order.data[k]);
    drop_unreached(s);
    const uint32_t *ways = count_ways(s);
    for (uint32_t k = 0; k < s->order.len; k++)
        need_no_meeting(s, s->order.data[k], ways);
    take_in_all(s);
    drop_unreached(s);
    for (unsigned round = 0; round < MOST_ROUNDS && (sass_guard(s) | drop_all_straight(s));
         round++) {
        drop_unreached(s); /* what is left of one branch may be the way of another */
        take_in_all(s);
        drop_unreached(s);
    }
    uint32_t *place = arena_array(s->arena, uint32_t, s->blocks.len + 1);
    for (uint32_t k = 0; k < s->order.len; k++)
        place[s->order.data[k]] = k;
    for (uint32_t k = 0; k < s->order.len; k++)
        test_at_end(s, s->order.data[k], place);
}
