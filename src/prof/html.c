/* A recording as one page that needs nothing else: page.html with the data put in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prof/prof.h"

extern const char prof_page[]; /* page.html, made a text while Tern is built */

static const char *const keys[] = {
#define COUNTER(name, key, about) key,
#include "base/counters.def"
};

static void put_rates(struct json_writer *w, const struct prof_file *f,
                      const struct prof_counts *counts, const struct prof_peaks *peak)
{
    const struct prof_rows rows = prof_rows(f, 1u << PROF_KERNEL);
    json_key(w, "kernels");
    json_array(w);
    for (size_t k = 0; k < rows.n; k++) {
        const struct prof_counted *x = prof_counted(counts, rows.row[k].name);
        if (!x)
            continue;
        const struct prof_rates r = prof_rates(x, &rows.row[k], peak);
        const struct {
            const char *key;
            double value;
        } figures[] = {
            {"flops", r.flops},         {"bytes", r.bytes},         {"intensity", r.intensity},
            {"gflops", r.gflops},       {"gbytes", r.gbytes},       {"active", r.active},
            {"coalesced", r.coalesced}, {"divergent", r.divergent}, {"conflicts", r.conflicts},
        };
        struct sbuf verdict;
        sbuf_init(&verdict, f->arena);
        prof_verdict(&r, &verdict);
        json_object(w);
        json_key(w, "name");
        json_str(w, x->name);
        json_key(w, "verdict");
        json_str(w, verdict.data);
        for (size_t n = 0; n < sizeof figures / sizeof *figures; n++) {
            json_key(w, figures[n].key);
            json_double(w, figures[n].value);
        }
        json_end(w);
    }
    json_end(w);
}

/* ---- sources ---- */

static char *read_text(struct arena *a, const char *path)
{
    enum { LONGEST = 1 << 20 };
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *text = arena_alloc(a, LONGEST + 1);
    text[fread(text, 1, LONGEST, in)] = 0;
    fclose(in);
    return text;
}

static void put_lines(struct json_writer *w, const char *text)
{
    json_key(w, "lines");
    json_array(w);
    while (*text) {
        const size_t n = strcspn(text, "\n");
        json_strn(w, text, n);
        text += n + (text[n] == '\n');
    }
    json_end(w);
}

/* The lines of one file: those of several kernels that use it come one after the other. */
static void put_counts(struct json_writer *w, const struct prof_counts *counts, const char *path)
{
    json_key(w, "counts");
    json_array(w);
    for (size_t k = 0; k < counts->nlines; k++) {
        if (strcmp(counts->line[k].path, path) != 0)
            continue;
        struct counts sum = {{0}};
        bool before = false;
        for (size_t o = 0; o < counts->nlines; o++)
            if (counts->line[o].line == counts->line[k].line &&
                !strcmp(counts->line[o].path, path)) {
                before |= o < k;
                for (unsigned c = 0; c < NCOUNTERS; c++)
                    sum.n[c] += counts->line[o].counts.n[c];
            }
        if (before)
            continue;
        json_object(w);
        json_key(w, "line");
        json_uint(w, counts->line[k].line);
        for (unsigned c = 0; c < NCOUNTERS; c++) {
            json_key(w, keys[c]);
            json_uint(w, sum.n[c]);
        }
        json_end(w);
    }
    json_end(w);
}

static void put_sources(struct json_writer *w, const struct prof_file *f,
                        const struct prof_counts *counts)
{
    json_key(w, "sources");
    json_array(w);
    for (size_t k = 0; k < counts->nlines; k++) {
        const char *path = counts->line[k].path;
        bool before = path[0] == '<'; /* our own headers */
        for (size_t o = 0; o < k && !before; o++)
            before = !strcmp(counts->line[o].path, path);
        const char *text = before ? NULL : read_text(f->arena, path);
        if (!text)
            continue;
        json_object(w);
        json_key(w, "path");
        json_str(w, path);
        put_lines(w, text);
        put_counts(w, counts, path);
        json_end(w);
    }
    json_end(w);
}

static void put_roofline(struct json_writer *w, const struct prof_file *f,
                         const struct prof_counts *counts, const struct prof_peaks *peak)
{
    json_key(w, "roofline");
    json_object(w);
    json_key(w, "gbytes");
    json_double(w, peak->gbytes);
    json_key(w, "gflops_32");
    json_double(w, peak->gflops_32);
    json_key(w, "gflops_64");
    json_double(w, peak->gflops_64);
    put_rates(w, f, counts, peak);
    put_sources(w, f, counts);
    json_end(w);
}

static void put_data(const struct prof_file *f, const struct prof_counts *counts,
                     const struct prof_peaks *peak, struct sbuf *out)
{
    struct json_writer w;
    struct sbuf part;
    json_begin(&w, out, false);
    json_object(&w);
    sbuf_init(&part, f->arena);
    prof_trace(f, &part);
    json_key(&w, "trace");
    json_raw(&w, part.data, part.len);
    sbuf_init(&part, f->arena);
    prof_summary_json(f, counts, &(struct prof_bill){0}, &part);
    json_key(&w, "tables");
    json_raw(&w, part.data, part.len);
    if (counts)
        put_roofline(&w, f, counts, peak);
    json_end(&w);
}

void prof_html(const struct prof_file *f, const struct prof_counts *counts,
               const struct prof_peaks *peak, struct sbuf *out)
{
    static const char marker[] = "@DATA@";
    const char *at = strstr(prof_page, marker);
    struct sbuf data;
    sbuf_init(&data, f->arena);
    put_data(f, counts, peak, &data);
    sbuf_put(out, prof_page, (size_t)(at - prof_page));
    for (size_t k = 0; k < data.len;
         k++) /* in JSON it stands in strings only: no tag can end there */
        if (data.data[k] == '<')
            sbuf_puts(out, "\\u003c");
        else
            sbuf_putc(out, data.data[k]);
    sbuf_puts(out, at + sizeof marker - 1);
}
