/* Copies of blocks inside a module: for inlining and unrolling. */
#include "opt/opt_int.h"

static struct ir_value *twin(const struct map *twins, struct ir_value *v)
{
    struct ir_value *t = map_get(twins, map_key(v));
    return t ? t : v;
}

static void copy_inst(struct map *twins, struct ir_block *to, const struct ir_inst *i)
{
    ir_type types[64], *results = types;
    if (i->nresults > 64)
        results = arena_array(to->func->module->arena, ir_type, i->nresults);
    for (uint32_t k = 0; k < i->nresults; k++)
        results[k] = i->results[k].type;
    struct ir_builder b = ir_builder_at_end(to);
    b.span = i->span;
    struct ir_inst *c =
        ir_build_results(&b, (enum ir_op)i->op, i->type, i->args, i->nargs, results, i->nresults);
    c->flags = i->flags;
    c->align = i->align;
    c->imm = i->imm;
    c->callee = i->callee;
    for (uint32_t k = 0; k < i->nresults; k++) {
        c->results[k].name = i->results[k].name;
        map_set(twins, map_key(&i->results[k]), &c->results[k]);
    }
    for (uint32_t k = 0; k < i->nedges; k++) {
        const struct ir_edge *e = &i->edges[k];
        struct ir_block *target = map_get(twins, map_key(e->to));
        ir_add_edge(c, target ? target : e->to, e->args, e->nargs, e->case_value);
    }
}

void opt_clone_blocks(struct map *twins, struct ir_func *into, struct ir_block *where,
                      struct ir_block *const *blocks, size_t n)
{
    VEC(struct ir_block *) made = {0};
    struct arena *a = twins->arena;
    (void)into;
    for (size_t k = 0; k < n; k++) {
        struct ir_block *c = ir_block_after(where, blocks[k]->name);
        c->span = blocks[k]->span;
        c->unroll = blocks[k]->unroll;
        c->rare = blocks[k]->rare;
        map_set(twins, map_key(blocks[k]), c);
        vec_push(a, &made, c);
        where = c;
    }
    for (size_t k = 0; k < n; k++)
        vec_each (struct ir_value *, p, &blocks[k]->params) {
            struct ir_value *v = ir_block_param(made.data[k], (*p)->type, (*p)->name);
            map_set(twins, map_key(*p), v);
        }
    for (size_t k = 0; k < n; k++)
        for (const struct ir_inst *i = blocks[k]->first; i; i = i->next)
            copy_inst(twins, made.data[k], i);
    /* operands last: a value may be used, on a back edge, before its copy exists */
    for (size_t k = 0; k < n; k++)
        ir_each_inst (i, made.data[k]) {
            for (uint32_t x = 0; x < i->nargs; x++)
                i->args[x] = twin(twins, i->args[x]);
            for (uint32_t x = 0; x < i->nedges; x++)
                for (uint32_t y = 0; y < i->edges[x].nargs; y++)
                    i->edges[x].args[y] = twin(twins, i->edges[x].args[y]);
        }
}
