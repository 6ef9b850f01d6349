/* Block arguments → ordered copies.
 *
 * An edge sets all parameters of its target at once. Written one after the other, a copy must not
 * overwrite what a later one still reads. A copy whose destination nobody else reads can go first;
 * when none is left, the rest are cycles, and saving one destination in a temporary opens each. */
#include "lower/lower_int.h"

uint32_t lower_new_temp(struct region_tree *t, ir_type type)
{
    t->temp_types = arena_grow(t->arena, t->temp_types, t->ntemps * sizeof(ir_type),
                               (t->ntemps + 1) * sizeof(ir_type));
    t->temp_types[t->ntemps] = type;
    return t->ntemps++;
}

struct pending {
    struct ir_value *dst, *src; /* src NULL: reads temp */
    uint32_t temp;
    uint32_t readers; /* pending copies that read dst */
    bool done;
};

uint32_t lower_order_copies(struct region_tree *t, struct ir_value *const *dst,
                            struct ir_value *const *src, uint32_t n, struct region_copy *out)
{
    struct pending *p = arena_array(t->arena, struct pending, n ? n : 1);
    uint32_t left = 0, written = 0;
    struct map by_dst;
    map_init(&by_dst, t->arena);
    for (uint32_t i = 0; i < n; i++)
        if (dst[i] != src[i]) {
            p[left] = (struct pending){.dst = dst[i], .src = src[i]};
            map_set(&by_dst, map_key(dst[i]), &p[left]);
            left++;
        }
    uint32_t total = left;
    VEC(struct pending *) ready = {0};
    for (uint32_t i = 0; i < total; i++) {
        struct pending *read = map_get(&by_dst, map_key(p[i].src));
        if (read)
            read->readers++;
    }
    for (uint32_t i = 0; i < total; i++)
        if (!p[i].readers)
            vec_push(t->arena, &ready, &p[i]);
    uint32_t scan = 0;
    while (left) {
        if (!ready.len) { /* only cycles remain: free one destination */
            while (p[scan].done)
                scan++;
            struct pending *cut = &p[scan];
            uint32_t temp = lower_new_temp(t, cut->dst->type);
            out[written++] = (struct region_copy){.src = cut->dst, .temp = temp};
            for (uint32_t i = scan; i < total; i++)
                if (!p[i].done && p[i].src == cut->dst) {
                    p[i].src = NULL;
                    p[i].temp = temp;
                }
            cut->readers = 0;
            vec_push(t->arena, &ready, cut);
        }
        struct pending *c = vec_pop(&ready);
        out[written++] = (struct region_copy){.dst = c->dst, .src = c->src, .temp = c->temp};
        c->done = true;
        left--;
        struct pending *read = c->src ? map_get(&by_dst, map_key(c->src)) : NULL;
        if (read && !read->done && --read->readers == 0)
            vec_push(t->arena, &ready, read);
    }
    return written;
}
