/* Unique identifiers for printed code that keep the user's names where they can. */
#include <string.h>
#include "lower/lower.h"

struct name_table {
    struct arena *arena;
    struct interner *names;
    struct map taken; /* interned name → number of the last suffix tried */
    const struct name_table *outer;
};

struct name_table *lower_names(struct arena *a, struct interner *in, const char *const *reserved)
{
    struct name_table *t = arena_new(a, struct name_table);
    t->arena = a;
    t->names = in;
    map_init(&t->taken, a);
    for (size_t i = 0; reserved && reserved[i]; i++)
        map_set(&t->taken, map_key(intern_z(in, reserved[i])), (void *)(uintptr_t)1);
    return t;
}

struct name_table *lower_names_within(const struct name_table *outer)
{
    struct name_table *t = lower_names(outer->arena, outer->names, NULL);
    t->outer = outer;
    return t;
}

/* The last suffix tried for a name; 0: it is free. */
static uintptr_t suffix_of(const struct name_table *t, const char *name)
{
    for (; t; t = t->outer)
        if (map_has(&t->taken, map_key(name)))
            return (uintptr_t)map_get(&t->taken, map_key(name));
    return 0;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and single underscores, not at the ends: C and WGSL reserve the other forms. */
static const char *clean(struct name_table *t, const char *wish)
{
    size_t n = wish ? strlen(wish) : 0, len = 0;
    char *s = arena_alloc(t->arena, n + 3);
    for (size_t i = 0; i < n; i++)
        if (is_word(wish[i]))
            s[len++] = wish[i];
        else if (len && s[len - 1] != '_')
            s[len++] = '_';
    while (len && s[len - 1] == '_')
        len--;
    if (!len)
        s[len++] = 'v';
    if (s[0] >= '0' && s[0] <= '9') {
        memmove(s + 1, s, len++);
        s[0] = 'v';
    }
    return intern(t->names, s, len);
}

const char *lower_name(struct name_table *t, const char *wish)
{
    const char *base = clean(t, wish);
    uintptr_t used = suffix_of(t, base);
    if (!used) {
        map_set(&t->taken, map_key(base), (void *)(uintptr_t)1);
        return base;
    }
    for (;;) {
        used++;
        const char *next =
            intern_z(t->names, arena_printf(t->arena, "%s_%u", base, (unsigned)used));
        if (!suffix_of(t, next)) {
            map_set(&t->taken, map_key(base), (void *)used);
            map_set(&t->taken, map_key(next), (void *)(uintptr_t)1);
            return next;
        }
    }
}
