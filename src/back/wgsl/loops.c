/* Which loops start with a test, and which of them count: those have a head in WGSL. */
#include "back/wgsl/wgsl_int.h"

/* ---- the test ---- */

/* Is it written from names that are known before the block? */
static bool is_known_before(const struct wgsl *w, const struct ir_value *v,
                            const struct ir_block *b)
{
    if (v->kind != IR_VALUE_RESULT || v->u.inst->block != b)
        return true;
    if (!w->folded[v->id])
        return false;
    for (uint32_t k = 0; k < v->u.inst->nargs; k++)
        if (!is_known_before(w, v->u.inst->args[k], b))
            return false;
    return true;
}

/* All of it goes into expressions, or gives names that nothing after the loop needs. */
static bool is_silent(const struct wgsl *w, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i != b->last; i = i->next)
        if (i->op != IR_OP_split && i->op != IR_OP_join &&
            (!(ir_op_info[i->op].flags & IR_PURE) ||
             (!w->folded[i->results[0].id] && w->escapes[i->results[0].id])))
            return false;
    return true;
}

const struct region *wgsl_loop_test(const struct wgsl *w, const struct region *loop)
{
    const struct region *test = loop->child;
    const struct ir_block *block = NULL;
    if (test->kind == REGION_CODE && is_silent(w, test->block)) {
        block = test->block;
        test = test->next;
    }
    bool leaves = test && test->kind == REGION_IF && test->cond && !test->child && test->other &&
                  test->other->kind == REGION_BREAK && test->other->target == loop;
    return leaves && is_known_before(w, test->cond, block) ? test : NULL;
}

/* ---- the counter ---- */

struct look { /* for one value, in one loop; or at all of them */
    const struct wgsl *w;
    uint32_t *all; /* by value: reads; NULL: only those of v count */
    const struct region *loop;
    const struct ir_value *v;
    uint32_t reads, continues;
    bool shows; /* an expression that is written outside of where it stands */
};

static void read_by(struct look *l, const struct ir_value *x)
{
    l->reads += x == l->v;
    if (l->all && x && x->id != IR_NO_ID)
        l->all[x->id]++;
}

static void look_at(struct look *l, const struct region *list)
{
    for (const struct region *r = list; r; r = r->next) {
        read_by(l, r->cond);
        l->continues += r->kind == REGION_CONTINUE && r->target == l->loop;
        for (uint32_t k = 0; k < r->ncopies; k++)
            read_by(l, r->copies[k].src);
        if (r->kind == REGION_CODE)
            for (const struct ir_inst *i = r->block->first; i != r->block->last; i = i->next) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    read_by(l, i->args[k]);
                for (uint32_t k = 0; k < i->nresults; k++)
                    l->shows |= l->w->folded[i->results[k].id] && l->w->escapes[i->results[k].id];
            }
        look_at(l, r->child);
        if (r->kind == REGION_IF)
            look_at(l, r->other);
        for (uint32_t k = 0; k < r->narms; k++)
            look_at(l, r->arms[k].child);
    }
}

/* Does the counter live in the loop only, and does one path lead to its next iteration? */
static bool is_its_own(const struct wgsl *w, const struct region *loop, const struct ir_value *v,
                       const uint32_t *reads)
{
    struct look inside = {.w = w, .loop = loop, .v = v};
    look_at(&inside, loop->child);
    return inside.reads == reads[v->id] && inside.continues == 1 && !inside.shows;
}

static const struct region_copy *copy_to(const struct region *r, const struct ir_value *v)
{
    for (uint32_t k = 0; r && r->kind == REGION_COPIES && k < r->ncopies; k++)
        if (r->copies[k].dst == v)
            return &r->copies[k];
    return NULL;
}

static const struct region *last_copies(const struct region *loop)
{
    const struct region *found = NULL;
    for (const struct region *r = loop->child; r; r = r->next)
        if (r->kind == REGION_COPIES && r->next && r->next->kind == REGION_CONTINUE &&
            r->next->target == loop && !r->next->next)
            found = r;
    return found;
}

bool wgsl_is_counted(const struct wgsl *w, const struct region *before, const struct region *loop,
                     struct wgsl_counter *c)
{
    const struct region *test = wgsl_loop_test(w, loop);
    if (!test || test->cond->kind != IR_VALUE_RESULT || test->cond->u.inst->nargs != 2)
        return false;
    const struct ir_value *v = test->cond->u.inst->args[0];
    const struct region_copy *first = copy_to(before, v), *last = copy_to(last_copies(loop), v);
    if (v->kind != IR_VALUE_PARAM || v->type != IR_I32 || !first || !first->src || !last ||
        !last->src || last->src->kind != IR_VALUE_RESULT)
        return false;
    const struct ir_inst *next = last->src->u.inst;
    if (copy_to(before, first->src) || next->nargs != 2 || next->args[0] != v ||
        !ir_is_const(next->args[1]) || !(ir_op_info[next->op].flags & IR_PURE))
        return false;
    *c = (struct wgsl_counter){v, first->src, next};
    return true;
}

static void find_in(struct wgsl *w, const struct region *list, const uint32_t *reads)
{
    const struct region *before = NULL;
    for (const struct region *r = list; r; before = r, r = r->next) {
        struct wgsl_counter c;
        if (r->kind == REGION_LOOP && wgsl_is_counted(w, before, r, &c) &&
            is_its_own(w, r, c.v, reads))
            w->counter[c.v->id] = true;
        find_in(w, r->child, reads);
        if (r->kind == REGION_IF)
            find_in(w, r->other, reads);
        for (uint32_t k = 0; k < r->narms; k++)
            find_in(w, r->arms[k].child, reads);
    }
}

void wgsl_find_counters(struct wgsl *w)
{
    struct look whole = {.w = w, .all = arena_array(w->arena, uint32_t, w->func->nvalues + 1)};
    look_at(&whole, w->tree->body);
    find_in(w, w->tree->body, whole.all);
}
