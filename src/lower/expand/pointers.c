/* Calls through pointers → a switch over the functions that could be meant.
 *
 * For targets without addresses of code: the address of a function is its number in the module,
 * lower_func_number. Candidates are the functions whose address is taken somewhere, in code or in
 * the contents of a variable, and whose signature is the call's; any other number traps. */
#include "lower/lower_int.h"

uint32_t lower_func_number(const struct ir_func *f)
{
    uint32_t n = 2;
    while ((f = f->prev))
        n += 2;
    return n;
}

uint32_t lower_taken_number(const struct ir_func *f)
{
    uint32_t n = 2;
    while ((f = f->prev))
        n += f->address ? 2 : 0;
    return n;
}

static void take(struct map *taken, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_FUNC)
        map_set(taken, map_key(v->u.func), v->u.func);
}

static void find_taken(struct ir_module *m, struct map *taken)
{
    ir_each_global (g, m)
        vec_each (struct ir_reloc, r, &g->relocs)
            take(taken, r->target);
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    take(taken, i->args[k]);
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        take(taken, i->edges[e].args[k]);
            }
}

static bool fits(const struct ir_func *f, const struct ir_inst *call)
{
    if (f->flags & IR_FUNC_KERNEL || !f->first || f->ret != call->type ||
        f->params.len != call->nargs - 1)
        return false;
    for (uint32_t k = 1; k < call->nargs; k++)
        if (f->params.data[k - 1].type != call->args[k]->type)
            return false;
    return true;
}

static void choose_callee(struct ir_module *m, const struct map *taken, struct ir_inst *call)
{
    struct ir_block *before = call->block, *after = ir_block_split(call, "after");
    struct ir_builder b = ir_builder_at_end(before);
    b.span = call->span;
    struct ir_value *token = &ir_build(&b, IR_OP_split, IR_VOID, NULL, 0)->results[0];
    struct ir_value *number = ir_build1(&b, IR_OP_ptrtoint, IR_I64, call->args[0]);
    struct ir_inst *choice = ir_build(&b, IR_OP_switch, IR_I64, &number, 1);
    struct ir_value *result = NULL;
    if (call->nresults) {
        result = ir_block_param(after, call->type, call->results[0].name);
        call->results[0].forward = result;
    }
    struct ir_block *wrong = ir_block_after(before, "wrong");
    ir_add_edge(choice, wrong, NULL, 0, 0);
    b = ir_builder_at_end(wrong);
    b.span = call->span;
    ir_build(&b, IR_OP_trap, IR_VOID, NULL, 0);
    ir_build(&b, IR_OP_exit, IR_VOID, NULL, 0);
    ir_each_func (f, m) {
        if (!map_has(taken, map_key(f)) || !fits(f, call))
            continue;
        struct ir_block *one = ir_block_after(wrong, f->name);
        ir_add_edge(choice, one, NULL, 0, lower_func_number(f));
        b = ir_builder_at_end(one);
        b.span = call->span;
        struct ir_value *r = ir_build_call(&b, f, call->args + 1, call->nargs - 1);
        ir_build_br(&b, after, &r, result ? 1 : 0);
    }
    ir_remove(call);
    b = ir_builder_before(after->first);
    b.span = call->span;
    ir_build(&b, IR_OP_join, IR_VOID, &token, 1);
}

void lower_call_pointers(struct arena *a, struct ir_module *m)
{
    struct map taken;
    map_init(&taken, a);
    find_taken(m, &taken);
    ir_each_func (f, m) {
        bool changed = false;
        for (struct ir_block *b = f->first; b; b = b->next)
            for (struct ir_inst *i = b->first; i; i = i->next)
                if (i->op == IR_OP_call_ptr) { /* the rest of the block is a new one now */
                    choose_callee(m, &taken, i);
                    changed = true;
                    break;
                }
        if (changed)
            ir_replace_forwarded(f);
    }
}
