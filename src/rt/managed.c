/* Managed variables where kernels use the host's memory at its address: the host's variable is the
 * only one. A kernel asks a word beside its own for the address, which leads to its own until
 * rt_managed_place says where the host has its. */
#include "driver/pipeline.h"
#include "pass/pass.h"
#include "rt/rt.h"
#include "rt/module.h"

static const char *place_name(struct arena *a, const struct ir_global *g)
{
    struct sbuf b;
    sbuf_init(&b, a);
    sbuf_printf(&b, "%s" RT_MANAGED_PLACE, g->name);
    return b.data;
}

static bool is_apart(const struct ir_global *g)
{
    return g->flags & IR_GLOBAL_MANAGED && !(g->flags & IR_GLOBAL_EXTERN);
}

static struct ir_global *add_place(struct ir_module *m, struct ir_global *g)
{
    struct ir_global *place = ir_global_new(m, place_name(m->arena, g), IR_SPACE_CONST, 8, 8,
                                            IR_GLOBAL_EXPORT | (g->flags & IR_GLOBAL_WEAK));
    place->init = arena_array(m->arena, uint8_t, 8);
    vec_push(m->arena, &place->relocs, (struct ir_reloc){.target = ir_global_value(g)});
    return place;
}

/* By variable: the load of its place at the function's start, which comes before all else. */
struct rewriting {
    struct ir_func *func;
    struct map loads;
    struct arena *arena;
};

static struct ir_value *placed(struct rewriting *w, struct ir_value *v)
{
    if (v->kind != IR_VALUE_GLOBAL || !is_apart(v->u.global) || !v->u.global->data)
        return v;
    struct ir_value *load = map_get(&w->loads, map_key(v->u.global));
    if (load)
        return load;
    struct ir_builder b = ir_builder_before(w->func->first->first);
    load = ir_build_load(&b, v->type, ir_global_value(v->u.global->data), 8, 0);
    map_set(&w->loads, map_key(v->u.global), load);
    return load;
}

static void rewrite(struct ir_module *m, struct ir_func *f)
{
    struct rewriting w = {.func = f, .arena = m->arena};
    map_init(&w.loads, m->arena);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                i->args[k] = placed(&w, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    i->edges[e].args[k] = placed(&w, i->edges[e].args[k]);
        }
}

static void set_apart(void *ctx, struct ir_module *m)
{
    (void)ctx;
    struct ir_global *last = m->last_global;
    ir_each_global (g, m)
        g->data = NULL;
    ir_each_global (g, m) {
        if (is_apart(g))
            g->data = add_place(m, g);
        if (g == last)
            break;
    }
    ir_each_func (f, m)
        if (f->first)
            rewrite(m, f);
    ir_each_global (g, m)
        g->data = NULL;
}

enum tern_error rt_managed_apart(struct compilation *c)
{
    static const struct pass list[] = {
        PASS_ROW("managed", "managed variables are found by their places", .module = set_apart),
        PASS_END};
    ir_each_global (g, c->module)
        if (is_apart(g))
            return compile_more(c, list, NULL);
    return TERN_OK;
}
