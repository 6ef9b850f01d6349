/* The hash map: entries in order of insertion, and a table of indices into them, probed linearly.
 * A deleted entry keeps its place, and its slot, until the next rebuild. */
#include "base/map.h"

#include <string.h>

enum { SLOTS_MIN = 16 }; /* at most half of them are taken: most that is looked up is not there */

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *at = p;
    uint64_t h = seed ^ n * 0x9e3779b97f4a7c15u, word;
    for (; n >= 8; n -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = (h ^ word) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    for (word = 0; n; n--)
        word = word << 8 | *at++;
    return mix(h ^ word);
}

void map_init(struct map *m, struct arena *a)
{
    *m = (struct map){.arena = a};
}

/* The slot that names key, or the free slot where it belongs. */
static uint32_t *find(const struct map *m, uint64_t key)
{
    for (size_t i = mix(key);; i++) {
        uint32_t *slot = &m->slots[i & (m->nslots - 1)];
        if (!*slot || m->entries[*slot - 1].key == key)
            return slot;
    }
}

static struct map_entry *lookup(const struct map *m, uint64_t key)
{
    uint32_t slot = m->nslots ? *find(m, key) : 0;
    return slot && m->entries[slot - 1].live ? &m->entries[slot - 1] : NULL;
}

/* Makes room for another entry: drops the dead, and doubles unless that freed half. */
static void rebuild(struct map *m)
{
    size_t nslots = m->nslots ? m->nslots : SLOTS_MIN;
    if (m->nlive * 2 > m->cap)
        nslots *= 2;
    size_t cap = nslots / 2;
    struct map_entry *entries = arena_array(m->arena, struct map_entry, cap);
    uint32_t *slots = arena_array(m->arena, uint32_t, nslots);

    struct map fresh = {m->arena, entries, slots, 0, cap, nslots, m->nlive};
    map_each (e, m) {
        entries[fresh.len++] = *e;
        *find(&fresh, e->key) = (uint32_t)fresh.len;
    }
    arena_drop(m->arena, m->entries, m->cap * sizeof *m->entries);
    arena_drop(m->arena, m->slots, m->nslots * sizeof *m->slots);
    *m = fresh;
}

void map_set(struct map *m, uint64_t key, void *value)
{
    uint32_t *slot = m->nslots ? find(m, key) : NULL;
    if (slot && *slot && m->entries[*slot - 1].live) {
        m->entries[*slot - 1].value = value;
        return;
    }
    if (m->len == m->cap) {
        rebuild(m);
        slot = find(m, key);
    }
    m->entries[m->len++] = (struct map_entry){key, value, true};
    *slot = (uint32_t)m->len;
    m->nlive++;
}

void *map_get(const struct map *m, uint64_t key)
{
    struct map_entry *e = lookup(m, key);
    return e ? e->value : NULL;
}

bool map_has(const struct map *m, uint64_t key)
{
    return lookup(m, key) != NULL;
}

bool map_del(struct map *m, uint64_t key)
{
    struct map_entry *e = lookup(m, key);
    if (!e)
        return false;
    e->live = false;
    m->nlive--;
    return true;
}
