/* The source manager: one space of locations, cut into ranges that files and expansions own. */
#include "base/source.h"

#include <string.h>

/* A range: base in the high half; in the low half whether it is an expansion, and its index. */
enum { RANGE_EXPANSION = 1 };

static uint64_t range_make(source_loc base, size_t index, unsigned kind)
{
    return (uint64_t)base << 32 | (uint32_t)index << 1 | kind;
}

void source_init(struct source_map *sm, struct arena *a)
{
    *sm = (struct source_map){.arena = a, .next = 1};
}

struct source_file *source_add_unread(struct source_map *sm, const char *path, size_t n,
                                      source_loc included_at,
                                      const char *(*read)(struct arena *a, const void *from),
                                      const void *from)
{
    if (n >= UINT32_MAX - sm->next) /* the end of the text has a location, too */
        return NULL;
    struct source_file *f = arena_new(sm->arena, struct source_file);
    f->path = arena_strndup(sm->arena, path, strlen(path));
    f->read = read;
    f->from = from;
    f->len = n;
    f->base = sm->next;
    f->included_at = included_at;
    vec_push(sm->arena, &sm->ranges, range_make(f->base, sm->files.len, 0));
    vec_push(sm->arena, &sm->files, f);
    sm->next += (uint32_t)n + 1;
    return f;
}

struct source_file *source_add(struct source_map *sm, const char *path, const char *text, size_t n,
                               source_loc included_at)
{
    struct source_file *f = source_add_unread(sm, path, n, included_at, NULL, NULL);
    if (f)
        f->text = arena_strndup(sm->arena, text, n);
    return f;
}

static uint64_t range_at(const struct source_map *sm, source_loc loc);

const char *source_text(const struct source_map *sm, const struct source_file *f)
{
    if (!f->text)
        sm->files.data[(uint32_t)range_at(sm, f->base) >> 1]->text = f->read(sm->arena, f->from);
    return f->text;
}

static struct source_file *copy_file(struct arena *a, const struct source_file *f)
{
    struct source_file *t = arena_new(a, struct source_file);
    *t = *f;
    t->path = arena_strndup(a, f->path, strlen(f->path));
    t->text = f->text ? arena_strndup(a, f->text, f->len) : NULL;
    t->lines = NULL; /* made on first use */
    t->nlines = 0;
    memset(&t->markers, 0, sizeof t->markers);
    vec_each (struct source_marker, m, &f->markers) {
        struct source_marker n = *m;
        n.path = m->path ? arena_strndup(a, m->path, strlen(m->path)) : NULL;
        vec_push(a, &t->markers, n);
    }
    return t;
}

void source_copy(struct source_map *to, const struct source_map *from)
{
    vec_each (struct source_file *, f, &from->files)
        vec_push(to->arena, &to->files, copy_file(to->arena, *f));
    vec_each (struct source_expansion, e, &from->expansions) {
        struct source_expansion n = *e;
        n.macro = e->macro ? arena_strndup(to->arena, e->macro, strlen(e->macro)) : NULL;
        vec_push(to->arena, &to->expansions, n);
    }
    vec_each (uint64_t, r, &from->ranges)
        vec_push(to->arena, &to->ranges, *r);
    vec_each (struct source_place, p, &from->places) {
        struct source_place n = *p;
        n.path = arena_strndup(to->arena, p->path, strlen(p->path));
        n.text.ptr = arena_strndup(to->arena, p->text.ptr, p->text.len);
        vec_push(to->arena, &to->places, n);
    }
    to->next = from->next;
}

source_loc source_add_expansion(struct source_map *sm, source_loc spelling, source_loc expansion,
                                uint32_t len, const char *macro)
{
    if (len >= UINT32_MAX - sm->next)
        return 0;
    struct source_expansion e = {sm->next, len, spelling, expansion, macro};
    vec_push(sm->arena, &sm->ranges, range_make(e.base, sm->expansions.len, RANGE_EXPANSION));
    vec_push(sm->arena, &sm->expansions, e);
    sm->next += len ? len : 1;
    return e.base;
}

/* The range that holds loc, or 0. */
static uint64_t range_at(const struct source_map *sm, source_loc loc)
{
    if (!loc || loc >= sm->next)
        return 0;
    size_t low = 0, high = sm->ranges.len;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (sm->ranges.data[mid] >> 32 <= loc)
            low = mid;
        else
            high = mid;
    }
    return sm->ranges.data[low];
}

const struct source_file *source_file_at(const struct source_map *sm, source_loc loc)
{
    uint64_t r = range_at(sm, loc);
    return r && !(r & RANGE_EXPANSION) ? sm->files.data[(uint32_t)r >> 1] : NULL;
}

const struct source_expansion *source_expansion_at(const struct source_map *sm, source_loc loc)
{
    uint64_t r = range_at(sm, loc);
    return r & RANGE_EXPANSION ? &sm->expansions.data[(uint32_t)r >> 1] : NULL;
}

bool source_together(const struct source_map *sm, source_loc a, source_loc b)
{
    return range_at(sm, b) >> 32 <= a;
}

/* Both walks end: an expansion is made of locations that were there before it. */
source_loc source_spelling(const struct source_map *sm, source_loc loc)
{
    const struct source_expansion *e;
    while ((e = source_expansion_at(sm, loc)))
        loc = e->spelling ? e->spelling + (loc - e->base) : 0;
    return loc;
}

source_loc source_expanded(const struct source_map *sm, source_loc loc)
{
    const struct source_expansion *e;
    while ((e = source_expansion_at(sm, loc)))
        loc = e->expansion;
    return loc;
}

void source_add_marker(struct source_map *sm, source_loc loc, int32_t delta, const char *path)
{
    const struct source_file *at = source_file_at(sm, source_expanded(sm, loc));
    if (!at)
        return;
    struct source_file *f = sm->files.data[(uint32_t)range_at(sm, at->base) >> 1];
    if (!path && f->markers.len)
        path = vec_last(&f->markers).path;
    vec_push(sm->arena, &f->markers, ((struct source_marker){loc, delta, path, 0}));
}

static void find_lines(struct arena *a, struct source_file *f)
{
    uint32_t n = 1;
    for (size_t i = 0; i < f->len; i++)
        n += f->text[i] == '\n';
    f->lines = arena_array(a, uint32_t, n);
    for (size_t i = 0; i < f->len; i++)
        if (f->text[i] == '\n')
            f->lines[++f->nlines] = (uint32_t)i + 1;
    f->nlines = n;
}

/* The physical line of a file's offset, from 0. */
static uint32_t line_at(struct arena *a, struct source_file *f, uint32_t offset)
{
    if (!f->text)
        f->text = f->read(a, f->from);
    if (!f->lines)
        find_lines(a, f);
    uint32_t low = 0, high = f->nlines;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (f->lines[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void source_add_origin(struct source_map *sm, struct span at, const char *path, uint32_t line,
                       uint32_t column)
{
    uint64_t r = range_at(sm, at.loc);
    if (!r || r & RANGE_EXPANSION)
        return;
    struct source_file *f = sm->files.data[(uint32_t)r >> 1];
    int32_t delta = (int32_t)(line - (line_at(sm->arena, f, at.loc - f->base) + 1));
    vec_push(sm->arena, &f->markers, ((struct source_marker){at.loc, delta, path, column}));
    vec_push(sm->arena, &f->markers, ((struct source_marker){at.loc + at.len, 0, f->path, 0}));
}

/* The last marker at or before loc, or NULL. */
static const struct source_marker *marker_at(const struct source_file *f, source_loc loc)
{
    size_t low = 0, high = f->markers.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->markers.data[mid].loc <= loc)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? &f->markers.data[low - 1] : NULL;
}

/* Of a map whose texts are gone. */
static bool known_place(const struct source_map *sm, source_loc loc, struct source_pos *out)
{
    size_t low = 0, high = sm->places.len;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (sm->places.data[mid].loc < loc)
            low = mid + 1;
        else
            high = mid;
    }
    const struct source_place *p = &sm->places.data[low];
    if (low == sm->places.len || p->loc != loc)
        return false;
    *out =
        (struct source_pos){.path = p->path, .line = p->line, .column = p->column, .text = p->text};
    return true;
}

bool source_position(const struct source_map *sm, source_loc loc, struct source_pos *out)
{
    *out = (struct source_pos){0};
    if (sm->places.len)
        return known_place(sm, loc, out);
    loc = source_expanded(sm, loc);
    uint64_t r = range_at(sm, loc);
    if (!r)
        return false;
    struct source_file *f = sm->files.data[(uint32_t)r >> 1];
    uint32_t offset = loc - f->base, low = line_at(sm->arena, f, offset);
    const char *start = f->text + f->lines[low];
    const char *end = memchr(start, '\n', f->len - f->lines[low]);
    size_t len = end ? (size_t)(end - start) : f->len - f->lines[low];
    if (len && start[len - 1] == '\r')
        len--;
    const struct source_marker *m = marker_at(f, loc);
    out->path = m && m->path ? m->path : f->path;
    out->line = low + 1 + (m ? (uint32_t)m->delta : 0);
    out->column = offset - f->lines[low] + 1;
    out->text = (struct str){start, len};
    out->file = f;
    if (m && m->column) { /* that file's text is not here */
        out->column = m->column;
        out->text = (struct str){"", 0};
    }
    return true;
}
