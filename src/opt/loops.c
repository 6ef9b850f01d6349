/* Natural loops: what a back edge to a dominating header encloses. Loops with more than one entry
 * are not found, and so left alone. */
#include "opt/opt_int.h"

bool opt_in_loop(const struct opt_loops *ls, const struct opt_loop *l, const struct ir_block *b)
{
    for (const struct opt_loop *x = ls->of[b->id]; x; x = x->parent)
        if (x == l)
            return true;
    return false;
}

/* Blocks that reach the latches without passing the header. */
static void fill(struct arena *a, struct opt_loop *l, uint32_t *mark, uint32_t number)
{
    VEC(struct ir_block *) work = {0};
    mark[l->header->id] = number;
    vec_push(a, &l->blocks, l->header);
    vec_each (struct ir_block *, p, &l->latches)
        vec_push(a, &work, *p);
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        if (mark[b->id] == number || b->rpo == UINT32_MAX)
            continue;
        mark[b->id] = number;
        vec_push(a, &l->blocks, b);
        vec_each (struct ir_block *, p, &b->preds)
            vec_push(a, &work, *p);
    }
}

struct opt_loops *opt_find_loops(struct arena *a, struct ir_func *f)
{
    ir_remove_unreachable(f);
    ir_renumber(f);
    struct opt_loops *ls = arena_new(a, struct opt_loops);
    ls->of = arena_array(a, struct opt_loop *, f->nblocks + 1);
    ls->none = f->nblocks;
    uint32_t *mark = arena_array(a, uint32_t, f->nblocks + 1);
    ir_each_block (h, f) {
        struct opt_loop *l = NULL;
        vec_each (struct ir_block *, p, &h->preds) {
            if (!ir_dominates(h, *p))
                continue;
            if (!l) {
                l = arena_new(a, struct opt_loop);
                l->header = h;
                l->innermost = true;
            }
            bool twice = false;
            vec_each (struct ir_block *, q, &l->latches)
                twice |= *q == *p;
            if (!twice)
                vec_push(a, &l->latches, *p);
        }
        if (!l)
            continue;
        vec_push(a, &ls->all, l);
        fill(a, l, mark, (uint32_t)ls->all.len);
    }
    /* inner loops are smaller than those around them */
    for (size_t i = 1; i < ls->all.len; i++) {
        struct opt_loop *l = ls->all.data[i];
        size_t j = i;
        for (; j > 0 && ls->all.data[j - 1]->blocks.len > l->blocks.len; j--)
            ls->all.data[j] = ls->all.data[j - 1];
        ls->all.data[j] = l;
    }
    vec_each (struct opt_loop *, l, &ls->all)
        vec_each (struct ir_block *, b, &(*l)->blocks) {
            struct opt_loop *inner = ls->of[(*b)->id];
            if (!inner) {
                ls->of[(*b)->id] = *l;
                continue;
            }
            while (inner != *l && inner->parent)
                inner = inner->parent;
            if (inner != *l) {
                inner->parent = *l;
                (*l)->innermost = false;
            }
        }
    vec_each (struct opt_loop *, l, &ls->all)
        for (struct opt_loop *x = *l; x; x = x->parent)
            (*l)->depth++;
    return ls;
}

struct ir_block *opt_preheader(struct opt_loops *ls, struct opt_loop *l)
{
    struct ir_block *h = l->header, *only = NULL;
    unsigned outside = 0;
    vec_each (struct ir_block *, p, &h->preds)
        if (!opt_in_loop(ls, l, *p)) {
            only = *p;
            outside++;
        }
    if (outside == 1 && ir_terminator(only)->op == IR_OP_br)
        return only;
    struct ir_block *pre = ir_block_after(h->prev, "preheader");
    struct ir_value **args = arena_array(h->func->module->arena, struct ir_value *, h->params.len);
    for (uint32_t k = 0; k < h->params.len; k++)
        args[k] = ir_block_param(pre, h->params.data[k]->type, h->params.data[k]->name);
    struct ir_builder b = ir_builder_at_end(pre);
    ir_build_br(&b, h, args, (uint32_t)h->params.len);
    vec_each (struct ir_block *, p, &h->preds) {
        if (opt_in_loop(ls, l, *p))
            continue;
        struct ir_inst *t = ir_terminator(*p);
        for (uint32_t k = 0; k < t->nedges; k++)
            if (t->edges[k].to == h)
                t->edges[k].to = pre;
    }
    return pre;
}

struct opt_loops *opt_find_entered_loops(struct arena *a, struct ir_func *f)
{
    struct opt_loops *ls = opt_find_loops(a, f);
    bool made = false;
    vec_each (struct opt_loop *, l, &ls->all) { /* one changes only the edges into its own header */
        const struct ir_block *before = (*l)->header->prev;
        opt_preheader(ls, *l);
        made |= (*l)->header->prev != before;
    }
    return made ? opt_find_loops(a, f) : ls;
}

struct ir_value *opt_after_one(const struct opt_loop *l, uint32_t param)
{
    if (l->latches.len != 1)
        return NULL;
    struct ir_inst *t = ir_terminator(l->latches.data[0]);
    struct ir_value *v = NULL;
    for (uint32_t k = 0; k < t->nedges; k++)
        if (t->edges[k].to == l->header) {
            if (v)
                return NULL;
            v = t->edges[k].args[param];
        }
    return v;
}

bool opt_is_inside(const struct opt_loops *ls, const struct opt_loop *l, const struct ir_value *v)
{
    const struct ir_block *b = ir_def_block(v);
    return b && opt_in_loop(ls, l, b);
}

/* Marks the loops that v is made in and that do not have its use in block b. */
static void mark_use(const struct opt_loops *ls, const struct ir_value *v, const struct ir_block *b)
{
    const struct ir_block *made = ir_def_block(v);
    for (struct opt_loop *x = made ? ls->of[made->id] : NULL; x && !opt_in_loop(ls, x, b);
         x = x->parent)
        x->outlived = true;
}

void opt_mark_outlived(const struct opt_loops *ls, struct ir_func *f)
{
    if (ls->all.len)
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    mark_use(ls, i->args[k], b);
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        mark_use(ls, i->edges[e].args[k], b);
            }
}
