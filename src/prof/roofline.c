/* Counters of kernels beside their times: how much arithmetic, how much memory, how fast, and what
 * holds it back. */
#include <stdio.h>
#include <string.h>
#include "prof/prof.h"

struct prof_counted *prof_counted(const struct prof_counts *all, const char *name)
{
    for (size_t k = 0; k < all->n; k++)
        if (!strcmp(all->kernel[k].name, name))
            return &all->kernel[k];
    return NULL;
}

struct prof_counts prof_counts(const struct prof_file *f)
{
    struct prof_counts all = {0};
    all.kernel = arena_array(f->arena, struct prof_counted, f->nrecords + 1);
    all.line = arena_array(f->arena, struct prof_line, f->nrecords + 1);
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (r->kind != PROF_COUNT)
            continue;
        const char *name = prof_name(f, r->name);
        struct prof_counted *x = prof_counted(&all, name);
        if (!x) {
            x = &all.kernel[all.n++];
            x->name = name;
        }
        x->launches += r->count.launches;
        x->counts.n[r->sub] += r->count.value;
        if (!r->count.path)
            continue;
        struct prof_line *l = all.nlines ? &all.line[all.nlines - 1] : NULL;
        if (!l || l->kernel != name || l->line != r->count.line ||
            l->path != prof_name(f, r->count.path)) {
            l = &all.line[all.nlines++]; /* records of one line lie together */
            *l = (struct prof_line){name, prof_name(f, r->count.path), r->count.line, {{0}}};
        }
        l->counts.n[r->sub] += r->count.value;
    }
    return all;
}

static double flops_of(const struct counts *c)
{
    return (double)(c->n[COUNT_FLOPS_16] + c->n[COUNT_FLOPS_32] + c->n[COUNT_FLOPS_64]);
}

static double bytes_of(const struct counts *c)
{
    return (double)(c->n[COUNT_LOAD_BYTES] + c->n[COUNT_STORE_BYTES]);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 1;
}

struct prof_rates prof_rates(const struct prof_counted *x, const struct prof_row *t,
                             const struct prof_peaks *peak)
{
    const struct counts *c = &x->counts;
    const double launches = x->launches ? (double)x->launches : 1;
    const double seconds = t && t->count ? (double)t->total / (double)t->count * 1e-9 : 0;
    struct prof_rates r = {
        .flops = flops_of(c) / launches,
        .bytes = bytes_of(c) / launches,
        .active = share(c->n[COUNT_THREAD_OPS], 32 * c->n[COUNT_WARP_OPS]),
        .coalesced = share((uint64_t)bytes_of(c), 32 * c->n[COUNT_SECTORS]),
        .divergent = c->n[COUNT_BRANCHES] ? share(c->n[COUNT_DIVERGENT], c->n[COUNT_BRANCHES]) : 0,
        .conflicts = c->n[COUNT_SHARED_LEAST]
                         ? (double)c->n[COUNT_SHARED_PASSES] / (double)c->n[COUNT_SHARED_LEAST]
                         : 1,
        .seconds = seconds,
    };
    r.coalesced = r.coalesced > 1 ? 1 : r.coalesced; /* a sector that several threads read */
    r.intensity = r.bytes > 0 ? r.flops / r.bytes : 0;
    if (seconds > 0) {
        r.gflops = r.flops / seconds * 1e-9;
        r.gbytes = r.bytes / seconds * 1e-9;
    }
    const bool wide = c->n[COUNT_FLOPS_64] > c->n[COUNT_FLOPS_32];
    const double top = wide ? peak->gflops_64 : peak->gflops_32;
    r.of_flops = top > 0 ? r.gflops / top : 0;
    r.of_bytes = peak->gbytes > 0 ? r.gbytes / peak->gbytes : 0;
    r.memory_bound = top > 0 && peak->gbytes > 0 && r.intensity < top / peak->gbytes;
    return r;
}

void prof_verdict(const struct prof_rates *r, struct sbuf *out)
{
    const double best = r->of_flops > r->of_bytes ? r->of_flops : r->of_bytes;
    if (r->seconds <= 0)
        sbuf_puts(out, "no time was measured");
    else if (r->of_bytes > 1.2)
        sbuf_puts(out, "it moves more than memory can: its data is in a cache");
    else if (r->of_bytes > 0.6)
        sbuf_printf(out, "memory bandwidth is the limit: %.0f%% of what the device copies",
                    100 * r->of_bytes);
    else if (r->of_flops > 0.6)
        sbuf_printf(out, "arithmetic is the limit: %.0f%% of what the device computes",
                    100 * r->of_flops);
    else if (r->conflicts > 1.5)
        sbuf_printf(out,
                    "threads wait for each other at the banks of shared memory (%.1f rounds "
                    "where one would do)",
                    r->conflicts);
    else if (r->coalesced < 0.5)
        sbuf_printf(out, "accesses are scattered: %.0f%% of the bytes that memory moves are used",
                    100 * r->coalesced);
    else if (r->active < 0.6)
        sbuf_printf(out, "threads of a warp go different ways: %.0f%% of them work",
                    100 * r->active);
    else if (r->seconds < 20e-6)
        sbuf_puts(out, "it is short: what a launch costs counts");
    else
        sbuf_printf(out,
                    "neither memory nor arithmetic is used much (%.0f%%): waiting and other "
                    "instructions",
                    100 * best);
}

static void put_lines(struct arena *a, const struct prof_counts *all, struct sbuf *out)
{
    enum { SHOWN = 12 };
    uint64_t total = 0;
    bool *used = arena_array(a, bool, all->nlines + 1);
    for (size_t k = 0; k < all->nlines; k++)
        total += all->line[k].counts.n[COUNT_WARP_OPS];
    if (!all->nlines)
        return;
    sbuf_printf(out, "\n%-40s %9s %12s %12s %9s %9s %9s\n", "lines", "share", "flops", "bytes",
                "coalesced", "threads", "conflicts");
    for (size_t n = 0; n < SHOWN && n < all->nlines; n++) {
        size_t best = all->nlines;
        for (size_t k = 0; k < all->nlines; k++)
            if (!used[k] && (best == all->nlines || all->line[k].counts.n[COUNT_WARP_OPS] >
                                                        all->line[best].counts.n[COUNT_WARP_OPS]))
                best = k;
        used[best] = true;
        const struct prof_line *l = &all->line[best];
        const struct prof_counted one = {.counts = l->counts, .launches = 1};
        const struct prof_rates r = prof_rates(&one, NULL, &(struct prof_peaks){0});
        const char *slash = strrchr(l->path, '/');
        char place[64];
        snprintf(place, sizeof place, "%.28s:%u", slash ? slash + 1 : l->path, l->line);
        sbuf_printf(out, "%-40s %8.1f%% %12.4g %12.4g %8.0f%% %8.0f%% %9.2f\n", place,
                    100 * share(l->counts.n[COUNT_WARP_OPS], total), r.flops, r.bytes,
                    100 * r.coalesced, 100 * r.active, r.conflicts);
    }
}

void prof_roofline(const struct prof_file *times, const struct prof_counts *counts,
                   const struct prof_peaks *peak, struct sbuf *out)
{
    const struct prof_rows rows = prof_rows(times, 1u << PROF_KERNEL);
    sbuf_printf(out,
                "\nmeasured on this device: %.1f GB/s copied, %.1f GFLOP/s in f32, %.1f in f64\n",
                peak->gbytes, peak->gflops_32, peak->gflops_64);
    sbuf_printf(out, "\n%-28s %11s %11s %9s %9s %9s %9s %8s %8s %9s\n", "kernels, per launch",
                "flops", "bytes", "flop/byte", "GFLOP/s", "GB/s", "coalesced", "threads",
                "divergent", "conflicts");
    for (size_t k = 0; k < rows.n; k++) {
        const struct prof_counted *x = prof_counted(counts, rows.row[k].name);
        if (!x)
            continue;
        const struct prof_rates r = prof_rates(x, &rows.row[k], peak);
        sbuf_printf(out, "%-28.28s %11.4g %11.4g %9.3f %9.2f %9.2f %8.0f%% %7.0f%% %7.1f%% %9.2f\n",
                    x->name, r.flops, r.bytes, r.intensity, r.gflops, r.gbytes, 100 * r.coalesced,
                    100 * r.active, 100 * r.divergent, r.conflicts);
        sbuf_puts(out, "    ");
        prof_verdict(&r, out);
        sbuf_putc(out, '\n');
    }
    put_lines(times->arena, counts, out);
}

void prof_counts_json(struct json_writer *w, const struct prof_counts *counts)
{
    static const char *const keys[] = {
#define COUNTER(name, key, about) key,
#include "base/counters.def"
    };
    json_array(w);
    for (size_t k = 0; k < counts->n; k++) {
        json_object(w);
        json_key(w, "name");
        json_str(w, counts->kernel[k].name);
        json_key(w, "launches");
        json_uint(w, counts->kernel[k].launches);
        for (unsigned c = 0; c < NCOUNTERS; c++) {
            json_key(w, keys[c]);
            json_uint(w, counts->kernel[k].counts.n[c]);
        }
        json_end(w);
    }
    json_end(w);
}
