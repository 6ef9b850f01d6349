/* Functions of the runtime on vectors.
 *
 * What WebAssembly has no instruction for is a call of a function of text/, lane by lane. Where
 * that function is straight code, its operations stand in the caller instead, on all lanes at once:
 * the same operations in the same order, so with the same results. */
#include "back/wasm/wasm_int.h"

static bool is_wrapless(const struct ir_func *f)
{
    if (!f || !f->first || f->first->next)
        return false;
    ir_each_inst (i, f->first)
        if (i->nargs > WASM_STAND_INS || (i->op == IR_OP_call && !is_wrapless(i->callee)))
            return false;
    return true;
}

static struct ir_value *spread(struct wasm *w, struct ir_builder *b, struct ir_func *f,
                               struct ir_value *const *args, unsigned lanes)
{
    ir_renumber(f);
    struct ir_value **is = arena_array(w->arena, struct ir_value *, f->nvalues + 1);
    for (size_t k = 0; k < f->first->params.len; k++)
        is[f->first->params.data[k]->id] = args[k];
    ir_each_inst (i, f->first) {
        struct ir_value *of[WASM_STAND_INS], *r;
        for (uint32_t k = 0; k < i->nargs; k++)
            of[k] =
                ir_is_const(i->args[k])
                    ? ir_const(w->module, ir_vector(i->args[k]->type, lanes), i->args[k]->u.bits)
                    : is[i->args[k]->id];
        if (i->op == IR_OP_ret)
            return of[0];
        if (i->op == IR_OP_call) {
            r = spread(w, b, i->callee, of, lanes);
        } else {
            ir_type t = i->type == IR_VOID ? IR_VOID : ir_vector(i->type, lanes);
            struct ir_inst *made = ir_build(b, (enum ir_op)i->op, t, of, i->nargs);
            made->flags = i->flags;
            made->imm = i->imm;
            r = &made->results[0];
        }
        is[i->results[0].id] = r;
    }
    return NULL;
}

void wasm_vector_calls(struct wasm *w, struct ir_func *f)
{
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            const char *name = wasm_runtime_of((enum ir_op)i->op);
            if (!name || !ir_is_vector(i->type) || ir_kind(i->type) != IR_F32 || i->nargs != 1)
                continue;
            struct ir_func *g =
                ir_func_find(w->module, arena_printf(w->arena, "tern.%s_f32", name));
            if (!is_wrapless(g))
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            i->results[0].forward = spread(w, &at, g, i->args, ir_lanes(i->type));
            ir_remove(i);
        }
    ir_replace_forwarded(f);
    ir_renumber(f);
}
