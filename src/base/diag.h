/* Diagnostics: collected as data, rendered as text with a caret or as JSON. Nothing here prints. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/source.h"

enum diag_severity { DIAG_NOTE, DIAG_REMARK, DIAG_WARNING, DIAG_ERROR, DIAG_FATAL };

struct diag_entry {
    enum diag_severity severity;
    struct span span;
    const char *message;
    const char *flag;    /* "-Wunused-result", or NULL */
    const char *fixit;   /* replacement for the span, or NULL */
    const char *missing; /* the header that could not be found, where that is it; or NULL */
    struct diag_entry *notes, *next;
};

struct diag {
    struct arena *arena;
    const struct source_map *sources;
    struct diag_entry *first, *last;
    struct diag_entry *limit_entry; /* shown last, once the limit is reached */
    unsigned errors, warnings;
    unsigned error_limit; /* default 20; 0 none. Reaching it adds one DIAG_FATAL and sets `stop` */
    bool stop;
    bool muted; /* the last diagnostic was dropped: its notes are, too */
    bool werror;
    VEC(const char *) fatal;    /* warnings that are errors */
    VEC(const char *) disabled; /* warning flags switched off, e.g. "shadow"; "*" is all */
};

void diag_init(struct diag *d, struct arena *a, const struct source_map *sm);

/* Adds a diagnostic; notes attach to the one added last. Errors past the limit are counted only
 * (the result is then an entry that is not shown). */
struct diag_entry *diag_add(struct diag *d, enum diag_severity s, struct span at, const char *fmt,
                            ...) __attribute__((format(printf, 4, 5)));
struct diag_entry *diag_vadd(struct diag *d, enum diag_severity s, struct span at, const char *fmt,
                             va_list ap);
#define diag_error(d, at, ...) diag_add((d), DIAG_ERROR, (at), __VA_ARGS__)
#define diag_note(d, at, ...)  diag_add((d), DIAG_NOTE, (at), __VA_ARGS__)
/* A warning under a -W flag; NULL if switched off or in a system header. */
struct diag_entry *diag_warn(struct diag *d, const char *flag, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

void diag_render_text(const struct diag *d, struct sbuf *out, bool color);
void diag_render_json(const struct diag *d, struct sbuf *out);

/* The candidate nearest to word by edit distance, or NULL if none is near: for "did you mean". */
const char *diag_nearest(const char *word, const char *const *candidates, size_t n);

#endif
