/* Dead code: marks what is needed, from effects backwards, and drops the rest, block parameters
 * included. */
#include "opt/opt_int.h"

struct marker {
    struct arena *a;
    uint8_t *live; /* by value id */
    VEC(struct ir_value *) work;
};

static bool is_root(const struct ir_inst *i)
{
    if (opt_is_pure(i) || i->op == IR_OP_alloca)
        return false;
    if (i->op == IR_OP_load)
        return !opt_is_plain(i);
    if (i->op == IR_OP_call)
        return !(i->callee->flags & IR_FUNC_PURE);
    return true;
}

static void need(struct marker *m, struct ir_value *v)
{
    if ((v->kind != IR_VALUE_RESULT && v->kind != IR_VALUE_PARAM) || m->live[v->id])
        return;
    m->live[v->id] = 1;
    vec_push(m->a, &m->work, v);
}

static void need_args(struct marker *m, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        need(m, i->args[k]);
}

void opt_dce(struct arena *scratch, struct ir_func *f)
{
    ir_trim(f);
    ir_renumber(f);
    struct marker m = {.a = scratch, .live = arena_array(scratch, uint8_t, f->nvalues + 1)};
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (is_root(i))
                need_args(&m, i);
    while (m.work.len) {
        struct ir_value *v = vec_pop(&m.work);
        if (v->kind == IR_VALUE_RESULT) {
            need_args(&m, v->u.inst);
            continue;
        }
        vec_each (struct ir_block *, p, &v->u.block->preds) {
            struct ir_inst *t = ir_terminator(*p);
            for (uint32_t k = 0; k < t->nedges; k++)
                if (t->edges[k].to == v->u.block)
                    need(&m, t->edges[k].args[v->index]);
        }
    }
    ir_each_block (b, f) {
        if (b != f->first)
            for (uint32_t k = (uint32_t)b->params.len; k-- > 0;)
                if (!m.live[b->params.data[k]->id])
                    ir_block_param_remove(b, k);
        for (struct ir_inst *i = b->last, *prev; i; i = prev) {
            prev = i->prev;
            bool used = is_root(i);
            for (uint32_t k = 0; k < i->nresults; k++)
                used |= m.live[i->results[k].id];
            if (!used)
                ir_remove(i);
        }
    }
}
