/* Where things lie in memory. */
#include "lower/lower.h"

uint32_t lower_shared_layout(struct ir_module *m, struct map *offset_by_global)
{
    uint32_t at = 0;
    ir_each_global (g, m) {
        if (g->space != IR_SPACE_SHARED || (g->flags & IR_GLOBAL_EXTERN))
            continue;
        uint32_t align = g->align ? g->align : 1;
        at = (at + align - 1) / align * align;
        map_set(offset_by_global, map_key(g), (void *)(uintptr_t)at);
        at += (uint32_t)g->size;
    }
    at = (at + 15) & ~15u;
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && (g->flags & IR_GLOBAL_EXTERN))
            map_set(offset_by_global, map_key(g), (void *)(uintptr_t)at);
    return at;
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
