/* The lazy part of the prelude: some headers are long, and most sources use little of them. After
 * the source has become tokens, the headers that declare its names are read, and their tokens put
 * where they belong. Our headers see none of the user's macros, so it makes no difference that they
 * are read last. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

enum place { PLACE_HEADER, PLACE_STD };

static const struct pulled {
    const char *header;
    enum place place;
    const char *names;
} table[] = {
#define PULL(header, place, names) {header, PLACE_##place, names},
#include "front/cuda/pp/pull.def"
};
enum { COUNT = sizeof table / sizeof *table };

void pp_pull_file(struct pp *pp, struct pp_header *h, size_t to)
{
    size_t from = pp->tokens.len;
    pp->resting = true;
    pp_push_file(pp, h, span_at(0, 0), -1);
    pp_emit_all(pp);
    size_t n = pp->tokens.len - from;
    struct token *t = pp->tokens.data, *copy;
    if (!n || from == to)
        return;
    copy = arena_array(pp->arena, struct token, n);
    memcpy(copy, t + from, n * sizeof *t);
    memmove(t + to + n, t + to, (from - to) * sizeof *t);
    memcpy(t + to, copy, n * sizeof *t);
    arena_drop(pp->arena, copy, n * sizeof *t);
    pp->prelude_end += n;
    vec_each (struct token_range, r, &pp->asked)
        if (r->from >= to) {
            r->from += n;
            r->to += n;
        }
}

/* Moves what the user's files included of our own headers to the end of the prelude. */
static void gather_asked(struct pp *pp)
{
    size_t first = pp->prelude_end, n = 0, at = pp->prelude_end;
    if (!pp->asked.len)
        return;
    struct token *t = pp->tokens.data;
    const size_t bytes = (pp->tokens.len - first + 1) * sizeof *t;
    struct token *all = arena_alloc_unset(pp->arena, bytes);
    vec_each (struct token_range, r, &pp->asked) {
        memcpy(all + n, t + r->from, (r->to - r->from) * sizeof *t);
        n += r->to - r->from;
    }
    pp->prelude_end += n;
    vec_each (struct token_range, r, &pp->asked) {
        memcpy(all + n, t + at, (r->from - at) * sizeof *t);
        n += r->from - at;
        at = r->to;
    }
    memcpy(all + n, t + at, (pp->tokens.len - at) * sizeof *t);
    memcpy(t + first, all, (pp->tokens.len - first) * sizeof *t);
    arena_drop(pp->arena, all, bytes);
    pp->asked.len = 0; /* part of the prelude now */
}

/* Of host code, which asks for its headers itself: what its words need, 128-bit integers. */
void pp_pull_wide(struct pp *pp)
{
    const char *names[] = {intern_z(pp->names, "__int128"), intern_z(pp->names, "__int128_t"),
                           intern_z(pp->names, "__uint128_t")};
    bool wanted = false;
    for (size_t i = pp->prelude_end; i < pp->tokens.len && !wanted; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            wanted |= pp->tokens.data[i].kind == TOKEN_IDENT &&
                      !(pp->tokens.data[i].flags & TOKEN_SYSTEM) &&
                      pp->tokens.data[i].u.name == names[k];
    struct pp_header *h = wanted ? pp_embedded(pp, "int128.h") : NULL;
    pp->asked_depth = wanted ? SIZE_MAX : pp->asked_depth;
    if (h && !h->read)
        pp_pull_file(pp, h, pp->prelude_end);
}

void pp_pull(struct pp *pp)
{
    struct map names;                 /* interned name → bits of the rows that declare it */
    uintptr_t wanted = 0, of_std = 0; /* bits of rows */
    bool names_std = false;           /* by using namespace */
    const char *std = intern_z(pp->names, "std"), *space = intern_z(pp->names, "namespace");
    map_init(&names, pp->arena);
    for (size_t i = 0; i < COUNT; i++)
        of_std |= (uintptr_t)(table[i].place == PLACE_STD) << i;
    for (size_t i = 0; i < COUNT; i++)
        for (const char *p = table[i].names; *p; p += strspn(p, " ")) {
            size_t n = strcspn(p, " ");
            uint64_t key = map_key(intern(pp->names, p, n));
            uintptr_t bits = (uintptr_t)map_get(&names, key) | (uintptr_t)1 << i;
            map_set(&names, key, (void *)bits);
            p += n;
        }
    for (size_t i = pp->prelude_end; i < pp->tokens.len; i++) {
        const struct token *t = &pp->tokens.data[i];
        if (t->kind != TOKEN_IDENT || t->flags & TOKEN_SYSTEM)
            continue;
        names_std |= t->u.name == std && i > pp->prelude_end && t[-1].kind == TOKEN_IDENT &&
                     t[-1].u.name == space;
        const bool in_std = names_std || (i > pp->prelude_end + 1 && t[-1].kind == TOKEN_PUNCT &&
                                          t[-1].punct == PUNCT_SCOPE && t[-2].kind == TOKEN_IDENT &&
                                          t[-2].u.name == std);
        wanted |=
            (uintptr_t)map_get(&names, map_key(t->u.name)) & (in_std ? ~(uintptr_t)0 : ~of_std);
    }
    if (wanted & of_std)
        gather_asked(pp);       /* they may use some of them */
    pp->asked_depth = SIZE_MAX; /* what is read from here on nobody asked for */
    for (size_t i = 0; i < COUNT && !pp->stop; i++) {
        struct pp_header *h = wanted >> i & 1 ? pp_embedded(pp, table[i].header) : NULL;
        if (h && !(table[i].place == PLACE_STD && h->read))
            pp_pull_file(pp, h, pp->prelude_end);
    }
    if (!pp->stop)
        pp_library(pp);
}
