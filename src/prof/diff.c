/* Two recordings of a program: what got slower, with noise taken into account.
 *
 * Kernels, copies and calls are compared by name. Each launch is a sample; a change counts where
 * the medians' confidence intervals lie apart (stats.h). Rows come in the order of what the change
 * costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prof/prof.h"
#include "prof/stats.h"

struct side {
    double *samples; /* seconds */
    size_t n, cap;
    double total;
};

struct pair {
    const char *name;
    uint8_t kind;
    struct side side[2];
    struct prof_stats stats[2];
};

struct pairs {
    struct arena *arena;
    struct interner names;
    struct map seen;
    VEC(struct pair) list;
};

static void add_sample(struct arena *a, struct side *s, double t)
{
    if (s->n == s->cap) {
        const size_t cap = s->cap ? 2 * s->cap : 16;
        s->samples = arena_grow(a, s->samples, s->cap * sizeof(double), cap * sizeof(double));
        s->cap = cap;
    }
    s->samples[s->n++] = t;
    s->total += t;
}

static bool is_compared(unsigned kind)
{
    return kind == PROF_KERNEL || kind == PROF_COPY || kind == PROF_FILL || kind == PROF_API;
}

static void add_file(struct pairs *p, const struct prof_file *f, unsigned which)
{
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (!is_compared(r->kind))
            continue;
        const char *name = intern_z(&p->names, prof_record_name(f, r));
        const uint64_t key = map_key(name) * PROF_NKINDS + r->kind;
        uintptr_t at = (uintptr_t)map_get(&p->seen, key);
        if (!at) {
            const struct pair new = {.name = name, .kind = r->kind};
            vec_push(p->arena, &p->list, new);
            at = p->list.len;
            map_set(&p->seen, key, (void *)at);
        }
        add_sample(p->arena, &p->list.data[at - 1].side[which], (double)(r->end - r->start) * 1e-9);
    }
}

static double change(const struct pair *p)
{
    return p->side[1].total - p->side[0].total;
}

static int by_change(const void *a, const void *b)
{
    const double x = fabs(change(a)), y = fabs(change(b));
    return x > y   ? -1
           : x < y ? 1
                   : strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

static const char *verdict(const struct pair *p)
{
    if (!p->side[0].n)
        return "new";
    if (!p->side[1].n)
        return "gone";
    const int d = prof_differ(&p->stats[0], &p->stats[1]);
    return d < 0 ? "faster" : d > 0 ? "slower" : "same";
}

static struct pairs compare(struct arena *a, const struct prof_file *before,
                            const struct prof_file *after)
{
    struct pairs p = {.arena = a};
    intern_init(&p.names, a);
    map_init(&p.seen, a);
    add_file(&p, before, 0);
    add_file(&p, after, 1);
    vec_each (struct pair, x, &p.list)
        for (unsigned k = 0; k < 2; k++)
            x->stats[k] = prof_stats(x->side[k].samples, x->side[k].n);
    if (p.list.len)
        qsort(p.list.data, p.list.len, sizeof *p.list.data, by_change);
    return p;
}

static const char *const kinds[] = {
#define PROF_KIND(name, text) text,
#include "prof/kinds.def"
};

void prof_diff(const struct prof_file *before, const struct prof_file *after, struct sbuf *out)
{
    const struct pairs p = compare(after->arena, before, after);
    sbuf_printf(out, "%-8s %-28s %9s %12s %12s %8s %12s  %s\n", "what", "name", "count",
                "median, us", "before", "ratio", "total, ms", "verdict");
    vec_each (struct pair, x, &p.list) {
        const double a = x->stats[0].median, b = x->stats[1].median;
        char ratio[16] = "";
        if (a > 0 && x->side[1].n)
            snprintf(ratio, sizeof ratio, "%.3f", b / a);
        sbuf_printf(out, "%-8s %-28.28s %4zu/%-4zu %12.2f %12.2f %8s %+12.3f  %s\n", kinds[x->kind],
                    x->name, x->side[0].n, x->side[1].n, b * 1e6, a * 1e6, ratio, change(x) * 1e3,
                    verdict(x));
    }
}

void prof_diff_json(const struct prof_file *before, const struct prof_file *after, struct sbuf *out)
{
    const struct pairs p = compare(after->arena, before, after);
    struct json_writer w;
    json_begin(&w, out, true);
    json_array(&w);
    vec_each (struct pair, x, &p.list) {
        static const char *const side[] = {"before", "after"};
        json_object(&w);
        json_key(&w, "kind");
        json_str(&w, kinds[x->kind]);
        json_key(&w, "name");
        json_str(&w, x->name);
        for (unsigned k = 0; k < 2; k++) {
            json_key(&w, side[k]);
            json_object(&w);
            json_key(&w, "count");
            json_uint(&w, x->side[k].n);
            json_key(&w, "total");
            json_double(&w, x->side[k].total);
            json_key(&w, "median");
            json_double(&w, x->stats[k].median);
            json_key(&w, "low");
            json_double(&w, x->stats[k].low);
            json_key(&w, "high");
            json_double(&w, x->stats[k].high);
            json_end(&w);
        }
        json_key(&w, "verdict");
        json_str(&w, verdict(x));
        json_end(&w);
    }
    json_end(&w);
    sbuf_putc(out, '\n');
}
