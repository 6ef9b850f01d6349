/* Loops that are entered only where their first iteration runs: the test of a loop is made once
 * more in front of it.
 *
 * A read in the body of `for (; i < n; i++)` may not move in front of the loop, since a loop of no
 * iterations would not have done it; behind a test that the first iteration passes it may (licm.c).
 * Only for loops with such reads, and only for ordinary code: lanes of a warp would part once more.
 */
#include "opt/opt_int.h"

enum { MOST_TESTED = 8 }; /* instructions that are copied */

/* The edge by which the header leaves the loop, if that is all that the header decides; -1. */
static int way_out(const struct opt_loops *ls, const struct opt_loop *l)
{
    const struct ir_inst *t = ir_terminator(l->header);
    if (t->op != IR_OP_condbr)
        return -1;
    const bool yes = opt_in_loop(ls, l, t->edges[0].to), no = opt_in_loop(ls, l, t->edges[1].to);
    return yes == no ? -1 : yes ? 1 : 0;
}

static bool is_short_test(const struct opt_loop *l)
{
    unsigned n = 0;
    for (const struct ir_inst *i = l->header->first; i->next; i = i->next)
        if (!opt_is_pure(i) || n++ == MOST_TESTED)
            return false;
    return true;
}

/* Does something read the same place in each iteration, with nothing unknown happening in the loop?
 */
static bool reads_same(const struct opt_loops *ls, const struct opt_loop *l)
{
    bool found = false;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            if (opt_may_write(i) && !(i->op == IR_OP_store && opt_is_plain(i)))
                return false;
            found |= i->op == IR_OP_load && opt_is_plain(i) && !opt_is_inside(ls, l, i->args[0]);
        }
    return found;
}

static void guard(struct arena *a, struct opt_loops *ls, struct opt_loop *l, int out)
{
    struct ir_block *h = l->header, *before = opt_preheader(ls, l);
    struct map twins;
    map_init(&twins, a);
    opt_clone_blocks(&twins, h->func, before, &h, 1);
    struct ir_block *test = map_get(&twins, map_key(h)), *inside = ir_block_after(test, "first");
    struct ir_builder b = ir_builder_at_end(inside);
    ir_build_br(&b, h, test->params.data, (uint32_t)test->params.len);
    struct ir_edge *in = &ir_terminator(test)->edges[1 - out];
    in->to = inside;
    in->nargs = 0;
    ir_terminator(before)->edges[0].to = test;
}

void opt_guard(struct arena *scratch, struct ir_func *f)
{
    struct opt_loops *ls = opt_find_entered_loops(scratch, f);
    opt_mark_outlived(ls, f); /* what is used behind a loop would no longer be known there */
    vec_each (struct opt_loop *, l, &ls->all) { /* one changes only what enters its own header */
        const int out = way_out(ls, *l);
        if (out >= 0 && !(*l)->outlived &&
            ir_terminator((*l)->header)->edges[1 - out].to != (*l)->header && is_short_test(*l) &&
            reads_same(ls, *l))
            guard(scratch, ls, *l, out);
    }
}
