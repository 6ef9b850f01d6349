/* Hash map from a 64-bit key (a pointer, an id, an interned string) to a pointer, in an arena.
 * Iteration goes in order of insertion, so that nothing printed depends on addresses. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include "base/arena.h"

struct map_entry {
    uint64_t key;
    void *value;
    bool live;
};

struct map {
    struct arena *arena;
    struct map_entry *entries; /* insertion order */
    uint32_t *slots;           /* index + 1 into entries */
    size_t len, cap, nslots, nlive;
};

void map_init(struct map *m, struct arena *a);
void map_set(struct map *m, uint64_t key, void *value);
void *map_get(const struct map *m, uint64_t key); /* NULL if absent */
bool map_has(const struct map *m, uint64_t key);
bool map_del(struct map *m, uint64_t key);
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);

#define map_key(p) ((uint64_t)(uintptr_t)(p))
#define map_each(it, m)                                                                            \
    for (struct map_entry *it = (m)->entries; it && it < (m)->entries + (m)->len; it++)            \
        if (it->live)

#endif
