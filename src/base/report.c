/* Reports as text and as JSON: see report.h. */
#include "base/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/json.h"

static const struct {
    const char *name;
    bool fault;
} kinds[] = {
#define REPORT_KIND(name, word, fault) {word, fault},
#include "base/report.def"
};

const char *report_kind_name(enum report_kind k)
{
    return kinds[k].name;
}

bool report_is_fault(const struct report *r)
{
    return kinds[r->kind].fault && r->kind != REPORT_FINDING;
}

enum report_kind report_kind_of(enum tern_error e)
{
    switch (e) {
    case TERN_ILLEGAL_ADDRESS:
    case TERN_MISALIGNED: return REPORT_ACCESS;
    case TERN_ASSERT: return REPORT_ASSERT;
    case TERN_TRAP: return REPORT_TRAP;
    case TERN_TIMEOUT:
    case TERN_CANCELLED:
    case TERN_DEADLOCK: return REPORT_HANG;
    case TERN_STACK_OVERFLOW: return REPORT_STACK;
    case TERN_INVALID_HANDLE: return REPORT_MISUSE;
    case TERN_DEVICE_LOST: return REPORT_LOST;
    case TERN_INVALID_LAUNCH:
    case TERN_LAUNCH_RESOURCES:
    case TERN_COOPERATIVE_SIZE: return REPORT_REFUSED;
    case TERN_COMPILE:
    case TERN_UNSUPPORTED:
    case TERN_INVALID_IMAGE: return REPORT_BUILD;
    default: return REPORT_CALL;
    }
}

/* ---- sending ---- */
void report_send(const struct report_sink *s, const struct report *r)
{
    if (s->take)
        s->take(s->ctx, r);
}

void report_print(const struct report_sink *s, const char *text, size_t n)
{
    const struct report r = {.kind = REPORT_PRINT, .message = text, .length = n};
    if (n)
        report_send(s, &r);
}

void report_note(const struct report_sink *s, const char *fmt, ...)
{
    char text[512];
    if (!s->take)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    report_send(s, &(struct report){.kind = REPORT_NOTE, .message = text});
}

struct report_place report_place_of(const struct source_map *sources, source_loc loc)
{
    struct source_pos pos;
    if (!sources || !loc || !source_position(sources, source_expanded(sources, loc), &pos))
        return (struct report_place){0};
    return (struct report_place){.path = pos.path,
                                 .line = pos.line,
                                 .column = pos.column,
                                 .text = pos.text,
                                 .span = {loc, 0}};
}

/* ---- text ---- */
static void put_bytes(struct sbuf *out, uint64_t n)
{
    sbuf_printf(out, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
}

/* Where an address lies, seen from the allocation nearest to it. */
static void put_memory(struct sbuf *out, const struct report *r)
{
    const struct report_memory *m = &r->memory;
    const uint64_t address = r->address, past = address - m->base;
    if (m->note) {
        sbuf_puts(out, m->note);
        return;
    }
    if (address >= m->base && past < m->size) {
        if (r->bytes > m->size - past)
            sbuf_puts(out, "across the end, ");
        sbuf_printf(out, "at offset %" PRIu64 " of ", past);
    } else if (past == m->size) {
        sbuf_puts(out, "right after the end of ");
    } else if (address > m->base) {
        put_bytes(out, past - m->size);
        sbuf_puts(out, " past the end of ");
    } else {
        put_bytes(out, m->base - address);
        sbuf_puts(out, " before the start of ");
    }
    if (m->name && *m->name)
        sbuf_printf(out, "'%s' (", m->name);
    else
        sbuf_puts(out, "an allocation without a name (");
    put_bytes(out, m->size);
    sbuf_printf(out, ", %s)", m->space);
    if (m->state)
        sbuf_printf(out, ", which %s", m->state);
}

static void put_access(struct sbuf *out, const struct report *r)
{
    if (r->access == REPORT_ANY_ACCESS) {
        sbuf_puts(out, "access to memory");
    } else {
        sbuf_puts(out, r->access == REPORT_WRITE ? "write of " : "read of ");
        put_bytes(out, r->bytes);
    }
    sbuf_printf(out, " at 0x%" PRIx64, r->address);
    if (r->memory.note || r->memory.space) {
        sbuf_puts(out, ": ");
        put_memory(out, r);
    }
}

void report_put_place(struct sbuf *out, const struct report_place *p)
{
    enum { SHOWN = 120 };
    const size_t n = p->text.len < SHOWN ? p->text.len : SHOWN;
    if (p->path)
        sbuf_printf(out, "%s:%u", p->path, p->line);
    else if (p->function)
        sbuf_printf(out, "'%s'", p->function);
    else
        sbuf_puts(out, "an unknown place");
    if (p->path && p->column)
        sbuf_printf(out, ":%u", p->column);
    if (n)
        sbuf_printf(out, ": %.*s", (int)n, p->text.ptr);
}

static bool is_known(const struct report_place *p)
{
    return p->path || p->function;
}

static void put_triple(struct sbuf *out, const char *what, const uint32_t x[3])
{
    sbuf_printf(out, ", %s (%u, %u, %u)", what, x[0], x[1], x[2]);
}

/* The line on its own, and below it where. */
static void put_caret(struct sbuf *out, const struct report_place *p)
{
    enum { SHOWN = 160 };
    const char *text = p->text.ptr;
    size_t n = p->text.len, skip = 0;
    while (skip < n && (text[skip] == ' ' || text[skip] == '\t'))
        skip++;
    if (!p->path || skip == n)
        return;
    n -= skip;
    sbuf_printf(out, "\n      %.*s", (int)(n < SHOWN ? n : SHOWN), text + skip);
    if (p->column > skip && p->column - skip <= SHOWN)
        sbuf_printf(out, "\n      %*s^", (int)(p->column - skip - 1), "");
}

static void put_finding_place(struct sbuf *out, const char *before, const struct report_place *p)
{
    struct report_place bare = *p;
    if (!is_known(p))
        return;
    bare.text.len = 0;
    sbuf_printf(out, "\n  %s ", before);
    report_put_place(out, &bare);
    put_caret(out, p);
}

static void put_where(struct sbuf *out, const struct report *r)
{
    if (r->finding) {
        put_finding_place(out, "at", &r->at);
        put_finding_place(out, "the other at", &r->other);
    }
    if (is_known(&r->at) && !r->finding) {
        sbuf_puts(out, "\n  at ");
        report_put_place(out, &r->at);
        if (r->at.path && r->at.function)
            sbuf_printf(out, " in '%s'", r->at.function);
    }
    for (size_t k = 0; k < r->ncalls; k++) {
        sbuf_puts(out, "\n  called from ");
        report_put_place(out, &r->calls[k]);
    }
    if (r->depth)
        sbuf_printf(out, " (%u calls deep)", r->depth);
    if (is_known(&r->other) && !r->finding) {
        sbuf_puts(out, "\n  the other at ");
        report_put_place(out, &r->other);
    }
    if (!r->kernel && !r->has_block && !r->has_thread)
        return;
    if (r->kernel)
        sbuf_printf(out, "\n  in kernel '%s'", r->kernel);
    else
        sbuf_puts(out, "\n  in a kernel");
    if (r->has_block)
        put_triple(out, "block", r->block);
    if (r->has_thread)
        put_triple(out, "thread", r->thread);
}

static size_t length_of(const struct report *r)
{
    return !r->message ? 0 : r->length ? r->length : strlen(r->message);
}

void report_text(const struct report *r, struct sbuf *out)
{
    const bool refused = r->kind == REPORT_REFUSED && r->kernel;
    if (refused)
        sbuf_printf(out, "kernel '%s' cannot be launched: ", r->kernel);
    if (r->finding)
        sbuf_printf(out, "%s: ", r->finding);
    if (r->message)
        sbuf_put(out, r->message, length_of(r));
    else if (r->access)
        put_access(out, r);
    else
        sbuf_puts(out, tern_error_text(r->error));
    if (r->kind == REPORT_PRINT || r->kind == REPORT_NOTE)
        return;
    if (!refused)
        put_where(out, r);
    if (r->finding && r->message && r->memory.space && r->memory.name)
        sbuf_printf(out, "\n  in '%s' (%" PRIu64 " bytes, %s)%s%s", r->memory.name, r->memory.size,
                    r->memory.space, r->memory.state ? ", which " : "",
                    r->memory.state ? r->memory.state : "");
    if (r->count > 1)
        sbuf_printf(out, "\n  %" PRIu64 " times", r->count);
    if (r->advice)
        sbuf_printf(out, "\n  %s", r->advice);
}

char *report_string(const struct report *r)
{
    struct sbuf text;
    sbuf_init(&text, NULL);
    sbuf_puts(&text, "");
    report_text(r, &text);
    if (!text.failed)
        return text.data;
    sbuf_free(&text);
    return NULL;
}

void report_write(void *ctx, const struct report *r)
{
    if (r->kind == REPORT_NOTE)
        return;
    char *text = report_string(r);
    fprintf(ctx, "%s%s", text ? text : tern_error_text(r->error),
            r->kind == REPORT_PRINT ? "" : "\n");
    free(text);
}

/* ---- JSON ---- */
static void member(struct json_writer *w, const char *key, const char *value)
{
    if (value) {
        json_key(w, key);
        json_str(w, value);
    }
}

static void number(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_uint(w, value);
}

static void triple(struct json_writer *w, const char *key, const uint32_t x[3])
{
    json_key(w, key);
    json_array(w);
    for (int k = 0; k < 3; k++)
        json_uint(w, x[k]);
    json_end(w);
}

static void json_place(struct json_writer *w, const struct report_place *p)
{
    json_object(w);
    member(w, "file", p->path);
    if (p->path)
        number(w, "line", p->line);
    if (p->path && p->column)
        number(w, "column", p->column);
    member(w, "function", p->function);
    json_end(w);
}

static void json_memory(struct json_writer *w, const struct report *r)
{
    const struct report_memory *m = &r->memory;
    json_key(w, "memory");
    json_object(w);
    member(w, "note", m->note);
    if (m->space) {
        member(w, "name", m->name);
        member(w, "space", m->space);
        number(w, "size", m->size);
        json_key(w, "offset");
        json_int(w, (int64_t)(r->address - m->base));
        member(w, "state", m->state);
    }
    json_end(w);
}

void report_json(const struct report *r, struct json_writer *w)
{
    static const char *const accesses[] = {NULL, "read", "write", "access"};
    struct sbuf text; /* where w writes: an arena may unwind from any line below */
    sbuf_init(&text, w->out->arena);
    report_text(r, &text);
    json_object(w);
    member(w, "error", tern_error_name(r->error));
    member(w, "message", text.data ? text.data : "");
    member(w, "kind", kinds[r->kind].name);
    member(w, "device", r->device);
    member(w, "kernel", r->kernel);
    if (r->has_block)
        triple(w, "block", r->block);
    if (r->has_thread)
        triple(w, "thread", r->thread);
    if (is_known(&r->at)) {
        json_key(w, "at");
        json_place(w, &r->at);
    }
    if (r->ncalls) {
        json_key(w, "calls");
        json_array(w);
        for (size_t k = 0; k < r->ncalls; k++)
            json_place(w, &r->calls[k]);
        json_end(w);
    }
    if (is_known(&r->other)) {
        json_key(w, "other");
        json_place(w, &r->other);
    }
    if (r->access) {
        char address[24];
        snprintf(address, sizeof address, "0x%" PRIx64, r->address);
        member(w, "access", accesses[r->access]);
        member(w, "address", address);
        if (r->bytes)
            number(w, "bytes", r->bytes);
        if (r->memory.note || r->memory.space)
            json_memory(w, r);
    }
    if (r->count > 1)
        number(w, "count", r->count);
    member(w, "advice", r->advice);
    json_end(w);
    sbuf_free(&text);
}

void report_finding_json(const struct report *r, uint64_t id, struct json_writer *w)
{
    struct sbuf text, message;
    char address[24];
    sbuf_init(&text, w->out->arena);
    sbuf_init(&message, w->out->arena);
    report_text(r, &text);
    if (r->message)
        sbuf_put(&message, r->message, length_of(r));
    else
        put_access(&message, r);
    json_object(w);
    number(w, "id", id);
    member(w, "kind", r->finding);
    json_key(w, "file");
    json_str(w, r->at.path);
    number(w, "line", r->at.line);
    json_key(w, "other_line");
    if (r->other.path)
        json_uint(w, r->other.line);
    else
        json_null(w);
    json_key(w, "kernel");
    json_str(w, r->kernel);
    if (r->has_block)
        triple(w, "block", r->block);
    if (r->has_thread)
        triple(w, "thread", r->thread);
    snprintf(address, sizeof address, "0x%" PRIx64, r->address);
    json_key(w, "address");
    json_str(w, r->address ? address : NULL);
    json_key(w, "allocation");
    json_str(w, r->memory.space ? r->memory.name : NULL);
    member(w, "message", message.data ? message.data : "");
    member(w, "text", text.data ? text.data : "");
    if (r->host)
        member(w, "host", r->host);
    if (r->made)
        member(w, "made", r->made);
    json_end(w);
    sbuf_free(&text);
    sbuf_free(&message);
}

/* ---- copies ---- */
/* Counts what the strings take, or, where there is memory, moves them there. */
struct packer {
    char *at; /* NULL: only counted */
    size_t bytes;
};

static void pack(struct packer *p, const char **text, size_t n)
{
    if (!*text)
        return;
    if (p->at) {
        memcpy(p->at, *text, n);
        p->at[n] = 0;
        *text = p->at;
        p->at += n + 1;
    }
    p->bytes += n + 1;
}

static void pack_z(struct packer *p, const char **text)
{
    pack(p, text, *text ? strlen(*text) : 0);
}

static void pack_place(struct packer *p, struct report_place *x)
{
    pack_z(p, &x->path);
    pack_z(p, &x->function);
    pack(p, &x->text.ptr, x->text.len);
}

static void pack_report(struct packer *p, struct report *r, struct report_place *calls)
{
    pack(p, &r->message, length_of(r));
    pack_z(p, &r->device);
    pack_z(p, &r->finding);
    pack_z(p, &r->advice);
    pack_z(p, &r->kernel);
    pack_z(p, &r->memory.name);
    pack_z(p, &r->memory.space);
    pack_z(p, &r->memory.state);
    pack_z(p, &r->memory.note);
    pack_z(p, &r->host);
    pack_z(p, &r->made);
    pack_place(p, &r->at);
    pack_place(p, &r->other);
    for (size_t k = 0; k < r->ncalls; k++)
        pack_place(p, &calls[k]);
}

struct report *report_copy(const struct report *r)
{
    struct packer count = {0};
    struct report counted = *r;
    pack_report(&count, &counted, (struct report_place *)(uintptr_t)r->calls);
    struct report *copy = malloc(sizeof *copy + r->ncalls * sizeof *r->calls + count.bytes);
    if (!copy)
        return NULL;
    struct report_place *calls = (struct report_place *)(copy + 1);
    struct packer p = {.at = (char *)(calls + r->ncalls)};
    *copy = *r;
    copy->length = length_of(r);
    if (r->ncalls)
        memcpy(calls, r->calls, r->ncalls * sizeof *calls);
    copy->calls = calls;
    pack_report(&p, copy, calls);
    return copy;
}
