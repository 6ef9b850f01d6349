/* Where things come from. All text of a compilation lives in one space of 32-bit locations: each
 * file, and each macro expansion, owns a range of it. Location 0 is "nowhere". A token made by a
 * macro has a location in an expansion range, from which both the place it was spelled and the
 * place the macro was used can be had. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdint.h>
#include "base/str.h"
#include "base/vec.h"

typedef uint32_t source_loc;

struct span {
    source_loc loc;
    uint32_t len;
};

/* #line and line markers: from loc on (within its file, to the next marker), the line number is the
 * physical one plus delta. The file is called path; NULL keeps what the marker before said. */
struct source_marker {
    source_loc loc;
    int32_t delta;
    const char *path;
    uint32_t column; /* of what follows, in that file; 0: the physical one */
};

struct source_file {
    const char *path; /* as the user would name it */
    const char *text; /* NUL-terminated copy; NULL: see source_text */
    size_t len;
    source_loc base;        /* location of text[0] */
    source_loc included_at; /* the #include that brought it in, or 0 */
    uint32_t *lines;        /* offset of the start of each line, made on first use */
    uint32_t nlines;
    VEC(struct source_marker) markers; /* in order of loc */
    bool system;                       /* our own headers: warnings are not shown */
    const char *(*read)(struct arena *a, const void *from); /* gives the text that is not there */
    const void *from;
};

struct source_expansion {
    source_loc base;
    uint32_t len;
    source_loc spelling;  /* where the text of base stands */
    source_loc expansion; /* where the macro was used (may itself be in an expansion) */
    const char *macro;
};

/* A place of a map whose texts are gone: all that is still known of a location. */
struct source_place {
    source_loc loc;
    uint32_t line, column;
    const char *path;
    struct str text; /* the line */
};

struct source_map {
    struct arena *arena;
    VEC(struct source_file *) files;
    VEC(struct source_expansion) expansions;
    VEC(uint64_t) ranges; /* (base << 32 | kind/index), sorted by base: binary search */
    source_loc next;
    VEC(struct source_place) places; /* in order of loc; then there are no files */
};

struct source_pos {
    const char *path;
    uint32_t line, column; /* 1-based; column counts bytes; after #line */
    struct str text;       /* the physical line, without its newline */
    const struct source_file *file;
};

void source_init(struct source_map *sm, struct arena *a);
/* All of another's, with the same locations. `to` is new. */
void source_copy(struct source_map *to, const struct source_map *from);
/* Copies text. Returns NULL when the location space is full (4 GiB). */
struct source_file *source_add(struct source_map *sm, const char *path, const char *text, size_t n,
                               source_loc included_at);
/* As source_add, of a text that is read when somebody asks for it. */
struct source_file *source_add_unread(struct source_map *sm, const char *path, size_t n,
                                      source_loc included_at,
                                      const char *(*read)(struct arena *a, const void *from),
                                      const void *from);
const char *source_text(const struct source_map *sm, const struct source_file *f);
/* Gives loc of the first of len locations, 0 when the space is full. */
source_loc source_add_expansion(struct source_map *sm, source_loc spelling, source_loc expansion,
                                uint32_t len, const char *macro);
/* Markers of one file come in order of loc. */
void source_add_marker(struct source_map *sm, source_loc loc, int32_t delta, const char *path);
/* The text at `at` speaks of a place in another file, as PTX's .loc does: that is where it stands.
 * In order of loc, as markers. */
void source_add_origin(struct source_map *sm, struct span at, const char *path, uint32_t line,
                       uint32_t column);
const struct source_file *source_file_at(const struct source_map *sm, source_loc loc);
/* Are a and b, behind it, of the same file or expansion? */
bool source_together(const struct source_map *sm, source_loc a, source_loc b);
const struct source_expansion *source_expansion_at(const struct source_map *sm, source_loc loc);
source_loc source_spelling(const struct source_map *sm, source_loc loc); /* follow to real text */
source_loc source_expanded(const struct source_map *sm, source_loc loc); /* outermost use */
/* Where loc stands; a location in an expansion is taken to its outermost use. False: nowhere. */
bool source_position(const struct source_map *sm, source_loc loc, struct source_pos *out);

static inline struct span span_at(source_loc loc, uint32_t len)
{
    return (struct span){loc, len};
}

#endif
