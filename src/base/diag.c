/* Diagnostics: collecting them, and showing them as text with a caret or as JSON. */
#include "base/diag.h"

#include <string.h>
#include "base/json.h"

static const struct {
    const char *name, *color;
} severities[] = {
    [DIAG_NOTE] = {"note", "\033[1;36m"},         [DIAG_REMARK] = {"remark", "\033[1;34m"},
    [DIAG_WARNING] = {"warning", "\033[1;35m"},   [DIAG_ERROR] = {"error", "\033[1;31m"},
    [DIAG_FATAL] = {"fatal error", "\033[1;31m"},
};
#define BOLD  "\033[1m"
#define RESET "\033[0m"

void diag_init(struct diag *d, struct arena *a, const struct source_map *sm)
{
    *d = (struct diag){.arena = a, .sources = sm, .error_limit = 20};
}

static struct diag_entry *append(struct diag *d, struct diag_entry *e)
{
    if (d->last)
        d->last->next = e;
    else
        d->first = e;
    d->last = e;
    return e;
}

static struct diag_entry *add_note(struct diag *d, struct diag_entry *e)
{
    if (d->muted)
        return e;
    if (!d->last)
        return append(d, e);
    struct diag_entry **at = &d->last->notes;
    while (*at)
        at = &(*at)->next;
    return *at = e;
}

struct diag_entry *diag_vadd(struct diag *d, enum diag_severity s, struct span at, const char *fmt,
                             va_list ap)
{
    struct diag_entry *e = arena_new(d->arena, struct diag_entry);
    *e = (struct diag_entry){.severity = s, .span = at, .message = ""};
    bool dropped = d->muted && s == DIAG_NOTE;
    if (s >= DIAG_ERROR) {
        d->errors++;
        dropped = d->stop;
    } else if (s == DIAG_WARNING) {
        d->warnings++;
        dropped = d->stop;
    }
    if (!dropped)
        e->message = arena_vprintf(d->arena, fmt, ap);
    if (s == DIAG_NOTE)
        return add_note(d, e);
    d->muted = dropped;
    if (dropped)
        return e;
    append(d, e);
    if (s == DIAG_FATAL)
        d->stop = true;
    if (s == DIAG_ERROR && d->error_limit && d->errors == d->error_limit) {
        /* The errors after this one are counted, not kept; notes still belong to this one. */
        struct diag_entry *limit = arena_new(d->arena, struct diag_entry);
        *limit = (struct diag_entry){.severity = DIAG_FATAL,
                                     .message = "too many errors; the rest is not shown"};
        d->limit_entry = limit;
        d->stop = true;
    }
    return e;
}

struct diag_entry *diag_add(struct diag *d, enum diag_severity s, struct span at, const char *fmt,
                            ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct diag_entry *e = diag_vadd(d, s, at, fmt, ap);
    va_end(ap);
    return e;
}

/* Flags are named with or without their "-W". */
static const char *flag_name(const char *flag)
{
    return flag && !strncmp(flag, "-W", 2) ? flag + 2 : flag;
}

static bool warning_is_off(const struct diag *d, const char *flag, struct span at)
{
    vec_each (const char *, off, &d->disabled)
        if (!strcmp(*off, "*") || (flag && !strcmp(flag_name(*off), flag_name(flag))))
            return true;
    const struct source_file *f =
        d->sources ? source_file_at(d->sources, source_expanded(d->sources, at.loc)) : NULL;
    return f && f->system;
}

struct diag_entry *diag_warn(struct diag *d, const char *flag, struct span at, const char *fmt, ...)
{
    if (warning_is_off(d, flag, at)) {
        d->muted = true;
        return NULL;
    }
    va_list ap;
    va_start(ap, fmt);
    bool error = d->werror;
    vec_each (const char *, it, &d->fatal)
        error |= !strcmp(flag_name(*it), flag_name(flag));
    struct diag_entry *e = diag_vadd(d, error ? DIAG_ERROR : DIAG_WARNING, at, fmt, ap);
    va_end(ap);
    e->flag = flag;
    return e;
}

/* Where to show a location. A token that a macro's body made is shown where the macro was used; one
 * that was an argument of it is shown where it is written. The two differ in that a body is written
 * before the use (or in another file) and an argument after it. */
static source_loc shown_at(const struct source_map *sm, source_loc loc, bool *from_body)
{
    source_loc use = source_expanded(sm, loc), spelled = source_spelling(sm, loc);
    const struct source_file *file = source_file_at(sm, use);
    bool argument = file && spelled >= use && source_file_at(sm, spelled) == file;
    *from_body = use != loc && !argument;
    return argument ? spelled : use;
}

enum {
    WINDOW = 160,
    LEAD = 100
}; /* bytes of a long line that are shown; of them before the caret */

/* The length of a well-formed UTF-8 sequence at p, or 0. */
static size_t utf8_length(const char *p, size_t n)
{
    unsigned char c = (unsigned char)*p;
    size_t len = c < 0x80                ? 1
                 : c >= 0xc2 && c < 0xe0 ? 2
                 : c >= 0xe0 && c < 0xf0 ? 3
                 : c >= 0xf0 && c < 0xf5 ? 4
                                         : 0;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

/* Writes source text so that it cannot steer a terminal; or, with pad, as many blanks as it is
 * wide. */
static void put_text(struct sbuf *out, const char *p, size_t n, bool pad)
{
    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        len = utf8_length(p + i, n - i);
        bool plain =
            len && ((unsigned char)p[i] >= 0xa0 || (p[i] >= 0x20 && p[i] < 0x7f) || len > 1);
        if (p[i] == '\t')
            sbuf_putc(out, '\t');
        else if (pad)
            sbuf_putc(out, ' ');
        else if (plain &&
                 !(len == 2 && (unsigned char)p[i] == 0xc2 && (unsigned char)p[i + 1] < 0xa0))
            sbuf_put(out, p + i, len);
        else
            sbuf_putc(out, '?');
    }
}

static void put_caret(struct sbuf *out, const struct source_pos *pos, const struct diag_entry *e,
                      const char *color, const char *reset)
{
    size_t caret = pos->column - 1 < pos->text.len ? pos->column - 1 : pos->text.len;
    size_t from = caret > LEAD && pos->text.len > WINDOW ? caret - LEAD : 0;
    size_t to = pos->text.len - from > WINDOW ? from + WINDOW : pos->text.len;
    while (from && from < caret && ((unsigned char)pos->text.ptr[from] & 0xc0) == 0x80)
        from++;
    const char *text = pos->text.ptr, *before = from ? "..." : "";

    sbuf_printf(out, "%5u | %s", pos->line, before);
    put_text(out, text + from, to - from, false);
    sbuf_printf(out, "%s\n      | %s", to < pos->text.len ? "..." : "", from ? "   " : "");
    put_text(out, text + from, caret - from, true);
    sbuf_printf(out, "%s^", color);
    size_t end = caret + e->span.len < to ? caret + e->span.len : to;
    size_t first = caret < end ? utf8_length(text + caret, end - caret) : 0;
    for (size_t i = caret + (first ? first : 1), len; i < end; i += len ? len : 1) {
        len = utf8_length(text + i, end - i);
        sbuf_putc(out, '~');
    }
    sbuf_printf(out, "%s\n", reset);
    if (e->fixit) {
        sbuf_printf(out, "      | %s", from ? "   " : "");
        put_text(out, text + from, caret - from, true);
        sbuf_printf(out, "%s\n", e->fixit);
    }
}

struct renderer {
    const struct diag *d;
    struct sbuf *out;
    bool color;
    const struct source_file
        *includes_shown; /* the file whose chain of includes was written last */
};

static void put_includes(struct renderer *r, const struct source_file *f)
{
    if (!f || f == r->includes_shown)
        return;
    r->includes_shown = f;
    struct source_pos from;
    const char *lead = "In file included from ";
    for (int depth = 0; depth < 16 && source_position(r->d->sources, f->included_at, &from);
         depth++) {
        sbuf_printf(r->out, "%s%s:%u:\n", lead, from.path, from.line);
        lead = "                 from ";
        f = from.file;
    }
}

static void put_entry(struct renderer *r, const struct diag_entry *e)
{
    const char *color = r->color ? severities[e->severity].color : "";
    const char *bold = r->color ? BOLD : "", *reset = r->color ? RESET : "";
    struct source_pos pos = {0};
    bool from_body = false, known = false;
    if (r->d->sources && e->span.loc)
        known =
            source_position(r->d->sources, shown_at(r->d->sources, e->span.loc, &from_body), &pos);
    if (known) {
        put_includes(r, pos.file);
        sbuf_printf(r->out, "%s%s:%u:%u:%s ", bold, pos.path, pos.line, pos.column, reset);
    }
    sbuf_printf(r->out, "%s%s:%s %s%s%s", color, severities[e->severity].name, reset, bold,
                e->message, reset);
    if (e->flag)
        sbuf_printf(r->out, " [-W%s]", flag_name(e->flag));
    sbuf_putc(r->out, '\n');
    if (known)
        put_caret(r->out, &pos, e, color, reset);

    const struct source_expansion *x = NULL;
    if (from_body)
        x = source_expansion_at(r->d->sources, e->span.loc);
    if (x && source_spelling(r->d->sources, e->span.loc)) {
        struct diag_entry note = {
            .severity = DIAG_NOTE,
            .span = {source_spelling(r->d->sources, e->span.loc), e->span.len},
            .message =
                arena_printf(r->d->arena, "in expansion of macro '%s'", x->macro ? x->macro : "?"),
        };
        put_entry(r, &note);
    }
    for (const struct diag_entry *note = e->notes; note; note = note->next)
        put_entry(r, note);
}

void diag_render_text(const struct diag *d, struct sbuf *out, bool color)
{
    struct renderer r = {d, out, color, NULL};
    for (const struct diag_entry *e = d->first; e; e = e->next)
        put_entry(&r, e);
    if (d->limit_entry)
        put_entry(&r, d->limit_entry);
}

static void json_entry(struct json_writer *w, const struct diag *d, const struct diag_entry *e)
{
    struct source_pos pos;
    bool from_body;
    json_object(w);
    json_key(w, "severity");
    json_str(w, severities[e->severity].name);
    if (d->sources && e->span.loc &&
        source_position(d->sources, shown_at(d->sources, e->span.loc, &from_body), &pos)) {
        json_key(w, "file");
        json_str(w, pos.path);
        json_key(w, "line");
        json_uint(w, pos.line);
        json_key(w, "column");
        json_uint(w, pos.column);
        json_key(w, "length");
        json_uint(w, e->span.len);
    }
    json_key(w, "message");
    json_str(w, e->message);
    if (e->flag) {
        json_key(w, "flag");
        json_str(w, e->flag);
    }
    if (e->fixit) {
        json_key(w, "fixit");
        json_str(w, e->fixit);
    }
    if (e->notes) {
        json_key(w, "notes");
        json_array(w);
        for (const struct diag_entry *note = e->notes; note; note = note->next)
            json_entry(w, d, note);
        json_end(w);
    }
    json_end(w);
}

void diag_render_json(const struct diag *d, struct sbuf *out)
{
    struct json_writer w;
    json_begin(&w, out, false);
    json_array(&w);
    for (const struct diag_entry *e = d->first; e; e = e->next)
        json_entry(&w, d, e);
    if (d->limit_entry)
        json_entry(&w, d, d->limit_entry);
    json_end(&w);
    sbuf_putc(out, '\n');
}

enum { WORD_MAX = 64 };

/* Edits that turn a into b: insert, delete, replace, or swap two neighbours. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned char row[3][WORD_MAX + 1]; /* the last row, this row, and the one before the last */
    unsigned char *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned char)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned char)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1u < best)
                best = last[j] + 1u;
            if (now[j - 1] + 1u < best)
                best = now[j - 1] + 1u;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1u < best)
                best = before[j - 2] + 1u;
            now[j] = (unsigned char)best;
        }
        unsigned char *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

const char *diag_nearest(const char *word, const char *const *candidates, size_t n)
{
    size_t len = strlen(word);
    if (!len || len > WORD_MAX)
        return NULL;
    const size_t letters = len - strspn(word, "-"); /* all options are alike in their dashes */
    unsigned best = letters > 1 ? (unsigned)(letters + 2) / 3 : 0;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = candidates[i] ? strlen(candidates[i]) : 0;
        if (!other || other > WORD_MAX || (other > len ? other - len : len - other) > best)
            continue;
        unsigned distance = edit_distance(word, len, candidates[i], other);
        if (distance < best || (distance == best && !found)) {
            best = distance;
            found = candidates[i];
        }
    }
    return found;
}
