/* Where things lie in memory. */
#include "lower/lower.h"

static uint32_t place_shared(struct ir_module *m, const struct map *used, struct map *offsets)
{
    uint32_t at = 0;
    ir_each_global (g, m) {
        if (g->space != IR_SPACE_SHARED || (g->flags & IR_GLOBAL_EXTERN) ||
            (used && !map_has(used, map_key(g))))
            continue;
        uint32_t align = g->align ? g->align : 1;
        at = (at + align - 1) / align * align;
        map_set(offsets, map_key(g), (void *)(uintptr_t)at);
        at += (uint32_t)g->size;
    }
    uint32_t align = 16;
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN && g->align > align)
            align = g->align;
    at = (at + align - 1) / align * align;
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && (g->flags & IR_GLOBAL_EXTERN))
            map_set(offsets, map_key(g), (void *)(uintptr_t)at);
    return at;
}

uint32_t lower_shared_layout(struct ir_module *m, struct map *offset_by_global)
{
    return place_shared(m, NULL, offset_by_global);
}

static void use(struct map *used, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_GLOBAL)
        map_set(used, map_key(v->u.global), v->u.global);
}

uint32_t lower_kernel_shared_layout(struct arena *a, struct ir_func *f,
                                    struct map *offset_by_global)
{
    struct map used;
    map_init(&used, a);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nargs; k++)
                use(&used, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    use(&used, i->edges[e].args[k]);
        }
    return place_shared(f->module, &used, offset_by_global);
}

uint64_t lower_global_layout(struct ir_module *m, struct map *offset_by_global)
{
    uint64_t at = 0;
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        uint64_t align = g->align > 16 ? g->align : 16;
        at = (at + align - 1) / align * align;
        map_set(offset_by_global, map_key(g), (void *)(uintptr_t)at);
        at += g->size;
    }
    return at;
}
