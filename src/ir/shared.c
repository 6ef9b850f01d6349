/* How much shared memory a kernel's block has. */
#include "ir/ir.h"

static void mark_value(const struct ir_value *v, struct ir_func *kernel)
{
    if (v->kind == IR_VALUE_GLOBAL)
        v->u.global->data = kernel;
}

/* Marks the variables that a function and those it calls name; false: it calls what is not known.
 */
static bool mark_used(struct ir_func *f, struct ir_func *kernel)
{
    bool known = true;
    if (f->data == kernel)
        return true;
    f->data = kernel;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            known &= i->op != IR_OP_call_ptr || i->args[0]->kind == IR_VALUE_FUNC;
            known &= !i->callee || mark_used(i->callee, kernel);
            for (uint32_t k = 0; k < i->nargs; k++) {
                if (i->args[k]->kind == IR_VALUE_FUNC)
                    known &= mark_used(i->args[k]->u.func, kernel);
                mark_value(i->args[k], kernel);
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    mark_value(i->edges[e].args[k], kernel);
        }
    return known;
}

uint32_t ir_static_shared(struct ir_func *kernel)
{
    struct ir_module *m = kernel->module;
    uint64_t at = 0;
    const bool known = mark_used(kernel, kernel);
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED && (!known || g->data == kernel)) {
            const uint64_t align = g->align ? g->align : 1;
            at = (at + align - 1) / align * align + g->size;
        }
        g->data = NULL;
    }
    ir_each_func (f, m)
        f->data = NULL;
    return (uint32_t)at;
}
