/* Findings: those that are alike are one, told when it is first seen.
 *
 * With TERN_CHECK_FILE they are written there, an object on each line, and at the end how often
 * each was seen; else they go the way of all reports. */
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/settings.h"
#include "check/check_int.h"

static const struct {
    const char *word;
    bool races;
} kinds[] = {
#define CHECK_KIND(name, word, races) {word, races},
#include "check/kinds.def"
};

const char *check_kind_name(enum check_kind k)
{
    return kinds[k].word;
}

void check_lock(struct check *c)
{
    pthread_mutex_lock(&c->lock);
}

void check_unlock(struct check *c)
{
    pthread_mutex_unlock(&c->lock);
}

/* "1" or words with commas. */
static void choose(struct check *c, const char *list)
{
    const bool all = !strcmp(list, "1") || !strcmp(list, "all");
    for (unsigned k = 0; k < CHECK_KINDS; k++) {
        const size_t n = strlen(kinds[k].word);
        c->on[k] = all;
        for (const char *p = list; p && *p; p = strchr(p, ','), p += p != NULL)
            c->on[k] |= !strncmp(p, kinds[k].word, n) && (!p[n] || p[n] == ',');
        c->races |= c->on[k] && kinds[k].races;
    }
}

enum tern_error check_new(const struct report_sink *sink, struct check **out)
{
    *out = NULL;
    if (!setting_on(SETTING_CHECK))
        return TERN_OK;
    struct check *c = calloc(1, sizeof *c);
    if (!c || !(c->order = order_new())) {
        free(c);
        return TERN_OUT_OF_MEMORY;
    }
    if (!memory_open(c)) {
        order_free(c->order);
        free(c);
        return TERN_OUT_OF_MEMORY;
    }
    c->sink = *sink;
    c->last_found = &c->found;
    c->last_freed = &c->freed;
    pthread_mutex_init(&c->lock, NULL);
    choose(c, setting_text(SETTING_CHECK));
    compact_open(c);
    *out = c;
    return TERN_OK;
}

/* Told at once: a process that is short of memory may not come to its end. */
void check_lost(struct check *c)
{
    if (c->lost)
        return;
    c->lost = true;
    if (c->file) {
        fputs("{\"lost\":true}\n", c->file);
        fflush(c->file);
    } else {
        report_send(&c->sink,
                    &(struct report){.kind = REPORT_FINDING,
                                     .finding = "unchecked",
                                     .message = "no memory for all that the checker keeps: from "
                                                "here on it may miss, or make up, findings"});
    }
}

void check_opened(struct check *c)
{
    const char *path = setting_text(SETTING_CHECK_FILE);
    check_lock(c);
    if (path && !c->file)
        c->file = fopen(path, "ae");
    check_unlock(c);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static char *copy_text(const char *p)
{
    return p ? strdup(p) : NULL;
}

static bool is_like(const struct found *f, enum check_kind kind, const struct report *r)
{
    if (kind == CHECK_LEAK && f->kind == kind && r->host && f->host)
        return !strcmp(r->host, f->host); /* of one call in a loop */
    return f->kind == kind && f->line == r->at.line && f->column == r->at.column &&
           f->other_line == r->other.line && same_text(f->path, r->at.path) &&
           same_text(f->other_path, r->other.path) &&
           (r->at.path ? same_text(f->kernel, r->kernel) : same_text(f->message, r->message));
}

static void write_line(struct check *c, const struct report *r, const struct found *f)
{
    struct sbuf text;
    struct json_writer w;
    sbuf_init(&text, NULL);
    json_begin(&w, &text, false);
    report_finding_json(r, f->id, &w);
    if (text.failed) {
        check_lost(c);
    } else {
        fwrite(text.data, 1, text.len, c->file);
        fputc('\n', c->file);
        fflush(c->file);
    }
    sbuf_free(&text);
}

void found_add(struct check *c, enum check_kind kind, const struct report *given)
{
    if (!c->on[kind])
        return;
    for (struct found *f = c->found; f; f = f->next)
        if (is_like(f, kind, given)) {
            f->count++;
            return;
        }
    struct report r = *given;
    char host[HOST_TEXT], made[HOST_TEXT];
    if (!r.at.path && !r.kernel && !r.host) {
        check_here(host, sizeof host);
        r.host = host;
    }
    const struct check_memory *m = r.memory.base ? memory_at(c, r.memory.base) : NULL;
    if (m && m->made.at[0] && m->base == r.memory.base && kind != CHECK_LEAK) {
        host_text(&m->made, made, sizeof made);
        r.made = made;
    }
    r.kind = REPORT_FINDING;
    r.finding = kinds[kind].word;
    struct found *f = calloc(1, sizeof *f);
    if (f) {
        *f = (struct found){.id = ++c->nfound,
                            .count = 1,
                            .kind = kind,
                            .kernel = copy_text(r.kernel),
                            .path = copy_text(r.at.path),
                            .other_path = copy_text(r.other.path),
                            .line = r.at.line,
                            .column = r.at.column,
                            .other_line = r.other.line,
                            .message = copy_text(r.message),
                            .host = copy_text(r.host)};
        *c->last_found = f;
        c->last_found = &f->next;
    } else {
        check_lost(c); /* that it is told now is not counted */
    }
    if (c->file && f)
        write_line(c, &r, f);
    else
        report_send(&c->sink, &r);
}

void found_add_at(struct check *c, enum check_kind kind, const struct report *r,
                  const struct check_launch *l, source_loc site, source_loc other)
{
    (void)l, (void)site, (void)other;
    found_add(c, kind, r);
}

void check_found(struct check *c, enum check_kind kind, const struct report *r)
{
    check_lock(c);
    found_add(c, kind, r);
    check_unlock(c);
}

uint64_t check_findings(struct check *c)
{
    check_lock(c);
    const uint64_t n = c->nfound;
    check_unlock(c);
    return n;
}

/* A fault of which the device knows no address: what was seen of the kernel tells more. */
static bool is_known(struct check *c, const struct report *r)
{
    if (r->kind != REPORT_ACCESS || r->access || r->address)
        return false;
    check_lock(c);
    const struct found *f = c->found;
    while (f && f->kind != CHECK_OUT_OF_BOUNDS && f->kind != CHECK_MISALIGNED &&
           f->kind != CHECK_USE_AFTER_FREE && f->kind != CHECK_HOST_POINTER)
        f = f->next;
    check_unlock(c);
    return f;
}

bool check_takes(struct check *c, const struct report *r)
{
    if (is_known(c, r))
        return true;
    enum check_kind kind;
    struct report mine = *r;
    switch (r->kind) {
    case REPORT_ACCESS:
        check_lock(c);
        kind = r->error == TERN_MISALIGNED              ? CHECK_MISALIGNED
               : r->message && !r->access && r->address ? CHECK_DOUBLE_FREE /* of the heap */
               : r->memory.state                        ? CHECK_USE_AFTER_FREE
               : r->memory.note && strstr(r->memory.note, "local memory") ? CHECK_OVERFLOW
               : r->address >= 65536 && !r->memory.space && !memory_at(c, r->address) &&
                       is_mapped(r->address)
                   ? CHECK_HOST_POINTER
                   : CHECK_OUT_OF_BOUNDS;
        check_unlock(c);
        break;
    case REPORT_ASSERT:
    case REPORT_TRAP: kind = CHECK_ASSERT; break;
    case REPORT_HANG: kind = CHECK_HANG; break;
    case REPORT_STACK: kind = CHECK_OVERFLOW; break;
    case REPORT_MISUSE: kind = CHECK_BAD_MASK; break;
    default: return false;
    }
    if (r->error == TERN_CANCELLED)
        return false;
    for (const struct found *f = c->found; f && kind == CHECK_ASSERT; f = f->next)
        if (f->kind == CHECK_BAD_MASK && f->line == r->at.line && same_text(f->path, r->at.path))
            return true; /* the interpreter stops at such a mask */
        else if (f->kind == CHECK_DOUBLE_FREE && f->path && r->kind == REPORT_TRAP && !r->at.path &&
                 !c->failing.path)
            return true; /* and a GPU's heap at such a free */
    if (kind == CHECK_ASSERT && !mine.at.path)
        mine.at = c->failing;
    check_found(c, kind, &mine);
    return c->on[kind];
}

/* ---- the end ---- */
static void leaks(struct check *c)
{
    for (size_t k = 0; k < c->nall; k++) {
        const struct check_memory *m = c->all[k];
        char name[64], text[128], host[HOST_TEXT];
        const bool heap = m->kind == CHECK_HEAP;
        if (!m->live || (m->kind >= CHECK_REGISTERED && !heap) || !strcmp(m->call, CHECK_OURS))
            continue;
        snprintf(text, sizeof text, "%llu bytes from %s (number %llu) are never freed",
                 (unsigned long long)m->size, m->call, (unsigned long long)m->number);
        host_text(&m->made, host, sizeof host);
        found_add(c, CHECK_LEAK,
                  &(struct report){.message = text,
                                   .at = m->line,
                                   .host = heap ? NULL : host,
                                   .address = m->base,
                                   .memory = check_memory_report(m, name, sizeof name)});
    }
}

static void write_counts(struct check *c)
{
    for (const struct found *f = c->found; f && c->file; f = f->next)
        if (f->count > 1)
            fprintf(c->file, "{\"id\":%llu,\"count\":%llu}\n", (unsigned long long)f->id,
                    (unsigned long long)f->count);
    if (c->file)
        fflush(c->file);
}

void check_abandon(struct check *c)
{
    check_lock(c);
    write_counts(c);
    check_unlock(c);
}

bool check_finish(struct check *c)
{
    check_lock(c);
    leaks(c);
    write_counts(c);
    const bool clean = !c->nfound;
    check_unlock(c);
    return clean;
}

void check_close(struct check *c)
{
    if (!c)
        return;
    check_finish(c);
    if (c->file)
        fclose(c->file);
    for (struct found *f = c->found, *next; f; f = next) {
        next = f->next;
        free((char *)(uintptr_t)f->kernel);
        free((char *)(uintptr_t)f->path);
        free((char *)(uintptr_t)f->other_path);
        free(f->message);
        free(f->host);
        free(f);
    }
    memory_close(c);
    free(c->flights);
    order_free(c->order);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
