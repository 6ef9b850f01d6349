/* A kernel's by-value argument is copied into a local variable at entry. Where that variable is
 * only read, at indices that kept it out of registers, the copy goes and the reads are of the
 * argument itself; so do those of functions that it is handed to. */
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

enum { LEVELS = 4 }; /* of calls that are looked into */

static bool function_reads(struct arena *a, struct ir_func *f, uint32_t param, unsigned level);

static bool makes_pointer(const struct ir_inst *i)
{
    return i->op == IR_OP_ptradd || (i->op == IR_OP_cvta && ir_space(i->type) == IR_SPACE_GENERIC);
}

static bool only_reads(struct arena *a, const struct ir_inst *i, uint32_t k, unsigned level)
{
    if (i->op == IR_OP_load)
        return opt_is_plain(i);
    if (i->op == IR_OP_call)
        return level && function_reads(a, i->callee, k, level - 1);
    return (makes_pointer(i) && k == 0) ||
           (i->op == IR_OP_memcpy && k == 1 && !(i->flags & IR_VOLATILE));
}

static struct ir_block **in_order(struct arena *a, struct ir_func *f)
{
    ir_renumber(f);
    struct ir_block **order = arena_array(a, struct ir_block *, f->nblocks + 1);
    ir_each_block (b, f)
        order[b->rpo] = b;
    return order;
}

static bool points_into(const struct ir_value *x, const uint8_t *into)
{
    return x->id != IR_NO_ID && into[x->id];
}

/* Marks what points where the marked values do; false if one of these pointers is used for more
 * than reading. */
static bool mark_pointers(struct arena *a, struct ir_func *f, struct ir_block *const *order,
                          const struct ir_inst *copy, uint8_t *into, unsigned level)
{
    for (uint32_t n = 0; n < f->nblocks; n++)
        ir_each_inst (i, order[n]) {
            for (uint32_t k = 0; k < i->nargs; k++) {
                if (!points_into(i->args[k], into) || i == copy)
                    continue;
                if (!only_reads(a, i, k, level))
                    return false;
                if (makes_pointer(i))
                    into[i->results[0].id] = 1;
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (points_into(i->edges[e].args[k], into))
                        return false;
        }
    return true;
}

/* Does a function only read what its parameter points to? */
static bool function_reads(struct arena *a, struct ir_func *f, uint32_t param, unsigned level)
{
    if (!f->first || param >= f->first->params.len ||
        ir_space(f->first->params.data[param]->type) != IR_SPACE_GENERIC)
        return false;
    ir_trim(f);
    struct ir_block **order = in_order(a, f);
    uint8_t *into = arena_array(a, uint8_t, f->nvalues + 1);
    into[f->first->params.data[param]->id] = 1;
    return mark_pointers(a, f, order, NULL, into, level);
}

void opt_byval(struct arena *scratch, struct ir_func *f)
{
    if (!(f->flags & IR_FUNC_KERNEL))
        return;
    bool changed = false;
    ir_trim(f);
    struct ir_block **order = in_order(scratch, f);
    const struct first_use *first = first_uses(scratch, f);
    ir_each_inst (alloca, f->first) {
        struct ir_inst *copy = alloca->op == IR_OP_alloca
                                   ? filling_copy(f, alloca, &first[alloca->results[0].id])
                                   : NULL;
        if (!copy)
            continue;
        uint8_t *into = arena_array(scratch, uint8_t, f->nvalues + 1);
        into[alloca->results[0].id] = 1;
        if (!mark_pointers(scratch, f, order, copy, into, LEVELS))
            continue;
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_ptradd && into[i->results[0].id] &&
                    ir_space(i->type) == IR_SPACE_LOCAL)
                    i->type = i->results[0].type = IR_PTR_TO(IR_SPACE_PARAM);
        alloca->results[0].forward = copy->args[1];
        ir_remove(copy);
        changed = true;
    }
    if (changed)
        ir_replace_forwarded(f);
}
