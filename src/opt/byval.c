/* A kernel's by-value argument is copied into a local variable at entry. Where that variable is
 * only read, at indices that kept it out of registers, the copy goes and the reads are of the
 * argument itself. */
#include "opt/opt_int.h"

/* The first use of each alloca in the entry block, by value id. */
struct first_use {
    struct ir_inst *inst;
    uint32_t arg;
};

static struct first_use *first_uses(struct arena *a, struct ir_func *f)
{
    struct first_use *first = arena_array(a, struct first_use, f->nvalues + 1);
    ir_each_inst (i, f->first)
        for (uint32_t k = 0; k < i->nargs; k++) {
            const struct ir_value *x = i->args[k];
            if (x->kind == IR_VALUE_RESULT && x->u.inst->op == IR_OP_alloca && !first[x->id].inst)
                first[x->id] = (struct first_use){i, k};
        }
    return first;
}

/* The copy that fills the alloca: from an argument, whole, before anything else touches it. */
static struct ir_inst *filling_copy(struct ir_func *f, struct ir_inst *alloca,
                                    const struct first_use *first)
{
    struct ir_inst *i = first->inst;
    struct ir_value *from = i && i->op == IR_OP_memcpy && first->arg == 0 ? i->args[1] : NULL;
    bool whole = from && ir_is_const(i->args[2]) && i->args[2]->u.bits == alloca->imm &&
                 !(i->flags & IR_VOLATILE);
    return whole && from->kind == IR_VALUE_PARAM && from->u.block == f->first &&
                   from->type == IR_PTR_TO(IR_SPACE_PARAM) &&
                   f->params.data[from->index].byval_align >= alloca->align
               ? i
               : NULL;
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

void opt_byval(struct arena *scratch, struct ir_func *f)
{
    if (!(f->flags & IR_FUNC_KERNEL))
        return;
    bool changed = false;
    ir_trim(f);
    ir_renumber(f);
    const struct first_use *first = first_uses(scratch, f);
    struct ir_block **order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
    ir_each_block (b, f)
        order[b->rpo] = b;
    ir_each_inst (alloca, f->first) {
        struct ir_inst *copy = alloca->op == IR_OP_alloca
                                   ? filling_copy(f, alloca, &first[alloca->results[0].id])
                                   : NULL;
        if (!copy)
            continue;
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
