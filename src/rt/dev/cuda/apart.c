/* Which kernels of a module can be made by themselves, whatever makes them: those that share no
 * variable that the host or another kernel sees, no address of a function, no barrier of the grid
 * and no launch, nor does what they call. */
#include <string.h>
#include "rt/dev/cuda/nvidia_int.h"

/* What can be in each kernel's code for itself: tables of the compiler's, and of our library's. */
static bool is_private(const struct ir_global *g)
{
    const uint32_t seen = IR_GLOBAL_EXPORT | IR_GLOBAL_MANAGED | IR_GLOBAL_TEXREF;
    return g->space == IR_SPACE_SHARED ||
           (g->space == IR_SPACE_CONST && !g->display && !g->relocs.len && !(g->flags & seen) &&
            (g->flags & IR_GLOBAL_CONST || strchr(g->name, '.'))) ||
           ir_is_library_table(g);
}

static bool is_tied_by(const struct ir_value *v)
{
    return v->kind == IR_VALUE_FUNC || (v->kind == IR_VALUE_GLOBAL && !is_private(v->u.global));
}

static bool inst_ties(const struct ir_inst *i)
{
    if (i->op == IR_OP_call_ptr || i->op == IR_OP_gridsync || i->op == IR_OP_launch)
        return true;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (is_tied_by(i->args[k]))
            return true;
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            if (is_tied_by(i->edges[e].args[k]))
                return true;
    return i->op == IR_OP_call && i->callee->data;
}

static bool is_tied(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (inst_ties(i))
                return true;
    return false;
}

/* Functions that are tied have a mark in `data`, those that call them, too. */
static void mark_tied(struct ir_module *m, void *mark)
{
    ir_each_func (f, m)
        f->data = NULL;
    for (bool more = true; more;) {
        more = false;
        ir_each_func (f, m)
            if (!f->data && is_tied(f)) {
                f->data = mark;
                more = true;
            }
    }
}

bool nv_find_apart(struct ir_module *m, struct sbuf *apart)
{
    bool all = true;
    mark_tied(m, m);
    ir_each_func (f, m) {
        const bool kernel = f->flags & IR_FUNC_KERNEL, alone = kernel && !f->data;
        sbuf_putc(apart, alone);
        all &= alone || !kernel;
        f->data = NULL;
    }
    ir_each_global (g, m)
        all &= is_private(g);
    return all;
}
