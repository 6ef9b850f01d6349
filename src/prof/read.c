/* Recordings read back: from outside, so that every number is looked at before it is used. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prof/prof_int.h"

enum { MOST_TEXTS = 1 << 20 };

static int by_start(const void *a, const void *b)
{
    const struct prof_record *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end != y->end ? x->end > y->end ? -1 : 1 : 0; /* what holds the other comes first */
}

static bool read_text(FILE *in, struct prof_file *f, const struct prof_record *r)
{
    if (r->text.length > PROF_LONGEST_TEXT || r->name != f->ntexts || r->name >= MOST_TEXTS)
        return false;
    char text[PROF_LONGEST_TEXT];
    if (r->text.length && fread(text, r->text.length, 1, in) != 1)
        return false;
    if (!(f->ntexts & (f->ntexts - 1)))
        f->texts = arena_grow(f->arena, f->texts, f->ntexts * sizeof *f->texts,
                              2 * f->ntexts * sizeof *f->texts);
    f->texts[f->ntexts++] = arena_strndup(f->arena, text, r->text.length);
    return true;
}

static bool sensible(const struct prof_record *r)
{
    if (r->kind >= PROF_NKINDS || r->end < r->start)
        return false;
    if (r->kind == PROF_COPY)
        return r->sub < PROF_NCOPIES;
    if (r->kind == PROF_COUNT)
        return r->sub < NCOUNTERS;
    return (r->kind != PROF_ALLOC && r->kind != PROF_FREE) || r->sub < PROF_NMEMORY;
}

/* Where a program says when the recording starts, what was before is left out. Memory stays: it is
 * there when the recording starts. */
static void leave_out(struct prof_file *f)
{
    uint64_t first = 0;
    for (size_t k = 0; k < f->nrecords && !first; k++)
        if (f->records[k].kind == PROF_BOUND && f->records[k].sub)
            first = f->records[k].start;
    size_t n = 0;
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (r->start >= first || r->kind == PROF_DEVICE || r->kind == PROF_PROCESS ||
            r->kind == PROF_HARDWARE || r->kind == PROF_ALLOC || r->kind == PROF_FREE)
            f->records[n++] = *r;
    }
    f->nrecords = n;
    f->start = UINT64_MAX;
    for (size_t k = 0; k < n; k++)
        if ((f->records[k].kind != PROF_PROCESS && f->records[k].kind != PROF_HARDWARE) || !first) {
            if (f->records[k].start >= first && f->records[k].start < f->start)
                f->start = f->records[k].start;
            if (f->records[k].end > f->end)
                f->end = f->records[k].end;
        }
    if (f->start > f->end)
        f->start = f->end;
}

struct prof_file *prof_read(struct arena *a, const char *path, const char **why)
{
    FILE *in = fopen(path, "rb");
    char magic[sizeof prof_magic];
    if (!in) {
        *why = strerror(errno);
        return NULL;
    }
    if (fread(magic, sizeof magic, 1, in) != 1 || memcmp(magic, prof_magic, sizeof magic) != 0) {
        *why = "it is no recording of this version of tern";
        fclose(in);
        return NULL;
    }
    struct prof_file *f = arena_new(a, struct prof_file);
    f->arena = a;
    f->texts = arena_array(a, const char *, 2);
    f->texts[0] = "";
    f->ntexts = 1;
    size_t cap = 0;
    bool ended = false;
    struct prof_record r;
    while (fread(&r, sizeof r, 1, in) == 1) {
        if (r.kind == PROF_TEXT) {
            if (!read_text(in, f, &r))
                break;
            continue;
        }
        if (!sensible(&r))
            break;
        if (f->nrecords == cap) {
            f->records =
                arena_grow(a, f->records, cap * sizeof r, (cap ? 2 * cap : 1024) * sizeof r);
            cap = cap ? 2 * cap : 1024;
        }
        f->records[f->nrecords++] = r;
        ended |= r.kind == PROF_PROCESS; /* the last one that is written */
    }
    f->cut = !ended || getc(in) != EOF;
    fclose(in);
    if (f->nrecords)
        qsort(f->records, f->nrecords, sizeof r, by_start);
    leave_out(f);
    return f;
}

const char *prof_name(const struct prof_file *f, uint32_t text)
{
    return text < f->ntexts ? f->texts[text] : "";
}
