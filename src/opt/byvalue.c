/* A kernel's by-value argument is copied into a local variable at entry. Where that variable is
 * only read, at indices that kept it out of registers, the copy goes and the reads are of the
 * argument itself. */
#include "opt/opt_int.h"

/* The copy that fills the alloca: from an argument, whole, before anything else touches it. */
static struct ir_inst *filling_copy(struct ir_func *f, struct ir_inst *alloca)
{
    ir_each_inst (i, f->first)
        for (uint32_t k = 0; k < i->nargs; k++) {
            if (i->args[k] != &alloca->results[0])
                continue;
            struct ir_value *from = i->op == IR_OP_memcpy && k == 0 ? i->args[1] : NULL;
            bool whole = from && ir_is_const(i->args[2]) && i->args[2]->u.bits == alloca->imm &&
                         !(i->flags & IR_VOLATILE);
            return whole && from->kind == IR_VALUE_PARAM && from->u.block == f->first &&
                           from->type == IR_PTR_TO(IR_SPACE_PARAM) &&
                           f->params.data[from->index].byval_align >= alloca->align
                       ? i
                       : NULL;
        }
    return NULL;
}

static bool only_reads(const struct ir_inst *i, uint32_t k)
{
    if (i->op == IR_OP_load)
        return opt_is_plain(i);
    return (i->op == IR_OP_ptradd && k == 0) ||
           (i->op == IR_OP_memcpy && k == 1 && !(i->flags & IR_VOLATILE));
}

/* Marks what points into the alloca; false if one of these pointers is used for more than reading.
 */
static bool mark_pointers(struct ir_func *f, struct ir_block *const *order,
                          const struct ir_inst *alloca, const struct ir_inst *copy, uint8_t *into)
{
    into[alloca->results[0].id] = 1;
    for (uint32_t n = 0; n < f->nblocks; n++)
        ir_each_inst (i, order[n]) {
            for (uint32_t k = 0; k < i->nargs; k++) {
                if (i->args[k]->kind != IR_VALUE_RESULT || !into[i->args[k]->id] || i == copy)
                    continue;
                if (!only_reads(i, k))
                    return false;
                if (i->op == IR_OP_ptradd)
                    into[i->results[0].id] = 1;
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    const struct ir_value *x = i->edges[e].args[k];
                    if (x->kind == IR_VALUE_RESULT && into[x->id])
                        return false;
                }
        }
    return true;
}

void opt_byvalue(struct arena *scratch, struct ir_func *f)
{
    if (!(f->flags & IR_FUNC_KERNEL))
        return;
    bool changed = false;
    struct ir_block **order = NULL;
    ir_each_inst (alloca, f->first) {
        if (alloca->op != IR_OP_alloca)
            continue;
        struct ir_inst *copy = filling_copy(f, alloca);
        if (!copy)
            continue;
        if (!order) {
            ir_trim(f);
            ir_renumber(f);
            order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
            ir_each_block (b, f)
                order[b->rpo] = b;
        }
        uint8_t *into = arena_array(scratch, uint8_t, f->nvalues + 1);
        if (!mark_pointers(f, order, alloca, copy, into))
            continue;
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_ptradd && into[i->results[0].id])
                    i->type = i->results[0].type = IR_PTR_TO(IR_SPACE_PARAM);
        alloca->results[0].forward = copy->args[1];
        ir_remove(copy);
        changed = true;
    }
    if (changed)
        ir_replace_forwarded(f);
}
