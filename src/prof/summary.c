/* What a recording comes to, in tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prof/prof.h"

/* ---- sums by name ---- */

static void add(struct prof_row *row, const struct prof_record *r, uint64_t bytes)
{
    const uint64_t t = r->end - r->start;
    row->least = row->count && row->least < t ? row->least : t;
    row->most = row->most > t ? row->most : t;
    row->total += t;
    row->bytes += bytes;
    row->count++;
}

static int by_total(const void *a, const void *b)
{
    const struct prof_row *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const char *const copies[] = {
    [PROF_TO_DEVICE] = "host to device",
    [PROF_FROM_DEVICE] = "device to host",
    [PROF_ON_DEVICE] = "device to device",
    [PROF_ON_HOST] = "host to host",
};

const char *prof_record_name(const struct prof_file *f, const struct prof_record *r)
{
    return r->kind == PROF_COPY   ? copies[r->sub]
           : r->kind == PROF_FILL ? "fill"
                                  : prof_name(f, r->name);
}

struct prof_rows prof_rows(const struct prof_file *f, unsigned kinds)
{
    struct map seen;
    struct prof_rows rows = {0};
    size_t cap = 0;
    map_init(&seen, f->arena);
    struct interner names;
    intern_init(&names, f->arena);
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (!(kinds & 1u << r->kind))
            continue;
        const char *name = intern_z(&names, prof_record_name(f, r));
        uintptr_t at = (uintptr_t)map_get(&seen, map_key(name));
        if (!at) {
            if (rows.n == cap) {
                rows.row = arena_grow(f->arena, rows.row, cap * sizeof *rows.row,
                                      (cap ? 2 * cap : 32) * sizeof *rows.row);
                cap = cap ? 2 * cap : 32;
            }
            rows.row[rows.n++] = (struct prof_row){.name = name, .first = r};
            at = rows.n;
            map_set(&seen, map_key(name), (void *)at);
        }
        const bool moves = r->kind == PROF_COPY || r->kind == PROF_FILL;
        add(&rows.row[at - 1], r, moves ? r->memory.bytes : 0);
    }
    for (size_t k = 0; k < rows.n; k++)
        rows.total += rows.row[k].total;
    if (rows.n)
        qsort(rows.row, rows.n, sizeof *rows.row, by_total);
    return rows;
}

double prof_occupancy(const struct prof_file *f, const struct prof_record *r)
{
    const uint32_t *b = r->kernel.block;
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *d = &f->records[k];
        if (d->kind == PROF_DEVICE && d->device == r->device && d->device_info.threads_per_unit &&
            r->kernel.per_unit)
            return (double)r->kernel.per_unit * b[0] * b[1] * b[2] /
                   d->device_info.threads_per_unit;
    }
    return -1;
}

/* ---- memory ---- */

/* Pieces further apart lie in different chunks of the device's memory. */
#define HOLE_MOST (UINT64_C(32) << 20)

struct piece {
    uint64_t at, bytes;
};

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void find_holes(struct piece *p, size_t n, struct prof_use *u)
{
    if (n)
        qsort(p, n, sizeof *p, by_address);
    for (size_t k = 1; k < n; k++) {
        const uint64_t end = p[k - 1].at + p[k - 1].bytes, hole = p[k].at > end ? p[k].at - end : 0;
        if (!hole || hole > HOLE_MOST)
            continue;
        u->holes += hole;
        u->nholes++;
        u->largest = hole > u->largest ? hole : u->largest;
    }
}

/* What was live when the record came. */
static void holes_at(const struct prof_file *f, unsigned kind, size_t last, struct prof_use *u)
{
    struct map at; /* address → its place + 1 */
    struct piece *p = arena_array(f->arena, struct piece, u->allocations + 1);
    size_t n = 0;
    map_init(&at, f->arena);
    for (size_t k = 0; k <= last && k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if ((r->kind != PROF_ALLOC && r->kind != PROF_FREE) || r->sub != kind)
            continue;
        const size_t known = (uintptr_t)map_get(&at, r->memory.address);
        if (r->kind == PROF_ALLOC && !known && n < u->allocations) {
            p[n++] = (struct piece){r->memory.address, r->memory.bytes};
            map_set(&at, r->memory.address, (void *)(uintptr_t)n);
        } else if (r->kind == PROF_FREE && known) {
            map_del(&at, r->memory.address);
            p[known - 1] = p[--n];
            if (known - 1 < n)
                map_set(&at, p[known - 1].at, (void *)(uintptr_t)known);
        }
    }
    find_holes(p, n, u);
}

double prof_fragmentation(const struct prof_use *u)
{
    return u->holes ? 1 - (double)u->largest / (double)u->holes : 0;
}

void prof_memory(const struct prof_file *f, struct prof_use use[PROF_NMEMORY])
{
    size_t most[PROF_NMEMORY] = {0};
    struct map live; /* address → bytes */
    map_init(&live, f->arena);
    memset(use, 0, PROF_NMEMORY * sizeof *use);
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        struct prof_use *u = &use[r->kind == PROF_ALLOC || r->kind == PROF_FREE ? r->sub : 0];
        if (r->kind == PROF_ALLOC) {
            map_set(&live, r->memory.address, (void *)(uintptr_t)(r->memory.bytes + 1));
            u->allocations++;
            u->live++;
            u->bytes += r->memory.bytes;
            if (u->bytes > u->peak) {
                u->peak = u->bytes;
                most[r->sub] = k;
            }
        } else if (r->kind == PROF_FREE && map_has(&live, r->memory.address)) {
            map_del(&live, r->memory.address);
            u->frees++;
            u->live--;
            u->bytes -= r->memory.bytes;
        }
    }
    for (unsigned k = 0; k < PROF_NMEMORY; k++)
        if (use[k].allocations)
            holes_at(f, k, most[k], &use[k]);
}

uint64_t prof_busy(const struct prof_file *f, unsigned kinds)
{
    uint64_t until = 0, busy = 0;
    for (size_t k = 0; k < f->nrecords; k++) { /* they are in order of their start */
        const struct prof_record *r = &f->records[k];
        if (!(kinds & 1u << r->kind) || r->end <= until)
            continue;
        busy += r->end - (r->start > until ? r->start : until);
        until = r->end;
    }
    return busy;
}

/* ---- text ---- */

static void put_time(struct sbuf *out, uint64_t ns)
{
    const double t = (double)ns;
    if (ns < 10000)
        sbuf_printf(out, "%8.2f us", t * 1e-3);
    else if (ns < 10000000)
        sbuf_printf(out, "%8.1f us", t * 1e-3);
    else if (t < 10e9)
        sbuf_printf(out, "%8.2f ms", t * 1e-6);
    else
        sbuf_printf(out, "%8.3f s ", t * 1e-9);
}

static void put_bytes(struct sbuf *out, uint64_t bytes)
{
    static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
    double v = (double)bytes;
    unsigned u = 0;
    for (; v >= 10000 && u < 4; u++)
        v /= 1000;
    sbuf_printf(out, "%7.*f %s", u ? 1 : 0, v, unit[u]);
}

static void put_shape(const struct prof_file *f, const struct prof_record *r, struct sbuf *out)
{
    const uint32_t *g = r->kernel.grid, *b = r->kernel.block;
    char shape[64];
    const double full = prof_occupancy(f, r);
    snprintf(shape, sizeof shape, "%llux%u", (unsigned long long)g[0] * g[1] * g[2],
             b[0] * b[1] * b[2]);
    sbuf_printf(out, " %14s", shape);
    if (full >= 0)
        sbuf_printf(out, " %8.0f%%", 100 * full);
}

static void put_rows(const struct prof_file *f, struct sbuf *out, const char *title,
                     const struct prof_rows *rows, bool bytes)
{
    if (!rows->n)
        return;
    const bool kernels = rows->row[0].first->kind == PROF_KERNEL;
    sbuf_printf(out, "\n%-40s %8s %11s %6s %11s %11s %11s%s\n", title, "count", "total", "share",
                "mean", "least", "most",
                bytes     ? "      bytes      GB/s"
                : kernels ? " blocks,threads occupancy"
                          : "");
    for (size_t k = 0; k < rows->n; k++) {
        const struct prof_row *r = &rows->row[k];
        sbuf_printf(out, "%-40.*s %8zu ", strlen(r->name) > 40 ? 40 : (int)strlen(r->name), r->name,
                    r->count);
        put_time(out, r->total);
        sbuf_printf(out, " %5.1f%% ",
                    rows->total ? 100.0 * (double)r->total / (double)rows->total : 0);
        put_time(out, r->total / r->count);
        sbuf_putc(out, ' ');
        put_time(out, r->least);
        sbuf_putc(out, ' ');
        put_time(out, r->most);
        if (bytes) {
            sbuf_putc(out, ' ');
            put_bytes(out, r->bytes);
            sbuf_printf(out, " %9.2f", r->total ? (double)r->bytes / (double)r->total : 0);
        }
        if (kernels)
            put_shape(f, r->first, out);
        sbuf_putc(out, '\n');
    }
}

static const char *const memories[] = {
    [PROF_MEM_DEVICE] = "device memory",
    [PROF_MEM_HOST] = "host memory",
    [PROF_MEM_MANAGED] = "managed memory",
    [PROF_MEM_POOL] = "memory of pools",
};

static void put_memory(const struct prof_file *f, struct sbuf *out)
{
    struct prof_use use[PROF_NMEMORY];
    bool any = false;
    prof_memory(f, use);
    for (int k = 0; k < PROF_NMEMORY; k++) {
        if (!use[k].allocations)
            continue;
        if (!any)
            sbuf_printf(out, "\n%-24s %11s %8s %14s %18s  %s\n", "memory", "allocations", "frees",
                        "peak", "not given back", "free between them at the peak");
        any = true;
        sbuf_printf(out, "%-24s %11zu %8zu     ", memories[k], use[k].allocations, use[k].frees);
        put_bytes(out, use[k].peak);
        sbuf_puts(out, "     ");
        put_bytes(out, use[k].bytes);
        struct sbuf live;
        sbuf_init(&live, f->arena);
        if (use[k].live)
            sbuf_printf(&live, " in %zu", use[k].live);
        if (use[k].nholes) {
            sbuf_printf(out, "%-8s", live.len ? live.data : "");
            put_bytes(out, use[k].holes);
            sbuf_printf(out, " in %zu, fragmentation %.0f%%", use[k].nholes,
                        100 * prof_fragmentation(&use[k]));
        } else if (live.len) {
            sbuf_puts(out, live.data);
        }
        sbuf_putc(out, '\n');
    }
}

static void put_streams(const struct prof_file *f, struct sbuf *out)
{
    const struct prof_streams all = prof_streams(f);
    const double span = (double)(f->end - f->start);
    if (all.n)
        sbuf_printf(out, "\n%-24s %11s %14s %12s %6s\n", "streams", "completed", "most pending",
                    "busy", "share");
    for (size_t k = 0; k < all.n; k++) {
        const struct prof_stream *s = &all.stream[k];
        char name[48];
        snprintf(name, sizeof name, "device %u, stream %u", s->device, s->stream);
        sbuf_printf(out, "%-24s %11zu %14zu  ", name, s->done, s->pending);
        put_time(out, s->busy);
        sbuf_printf(out, " %5.1f%%\n", span > 0 ? 100 * (double)s->busy / span : 0);
    }
}

static void put_process(const struct prof_file *f, struct sbuf *out)
{
    const unsigned work = 1u << PROF_KERNEL | 1u << PROF_COPY | 1u << PROF_FILL;
    const uint64_t span = f->end - f->start, busy = prof_busy(f, work);
    sbuf_puts(out, "\nrecorded ");
    put_time(out, span);
    sbuf_puts(out, ", devices busy ");
    put_time(out, busy);
    sbuf_printf(out, " (%.1f%%)", span ? 100.0 * (double)busy / (double)span : 0);
    for (size_t k = 0; k < f->nrecords; k++)
        if (f->records[k].kind == PROF_PROCESS) {
            sbuf_puts(out, ", largest resident size ");
            put_bytes(out, f->records[k].process.peak);
            break;
        }
    sbuf_putc(out, '\n');
}

/* ---- the processor, energy, cost ---- */
static void put_hardware(const struct prof_file *f, struct sbuf *out)
{
    const struct prof_record *missing = NULL;
    unsigned n = 0;
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (r->kind != PROF_HARDWARE)
            continue;
        if (r->sub) {
            missing = r;
            continue;
        }
        sbuf_printf(out, "%s%s %.4g", n++ ? ", " : "\nprocessor: ", prof_name(f, r->name),
                    (double)r->count.value);
    }
    if (n)
        sbuf_putc(out, '\n');
    else if (missing)
        sbuf_printf(out, "\nprocessor: no counters (perf_event_open: %s)\n",
                    strerror((int)missing->count.value));
}

bool prof_cost(const struct prof_file *f, const struct prof_bill *b, double *cost)
{
    double joules = 0;
    for (size_t k = 0; k < b->n; k++)
        joules += b->energy[k].joules;
    *cost = b->per_kwh ? joules / 3.6e6 * b->price
                       : (double)(f->end - f->start) * 1e-9 / 3600 * b->price;
    return b->price > 0 && (!b->per_kwh || b->n);
}

static void put_bill(const struct prof_file *f, const struct prof_bill *b, struct sbuf *out)
{
    const double seconds = (double)(f->end - f->start) * 1e-9;
    double cost;
    for (size_t k = 0; k < b->n; k++)
        sbuf_printf(out, "%s%s %.3f J, %.1f W on average%s\n",
                    k ? "        " : "energy: ", b->energy[k].name, b->energy[k].joules,
                    seconds > 0 ? b->energy[k].joules / seconds : 0,
                    b->energy[k].sampled ? " (samples)" : "");
    if (b->looked && !b->n)
        sbuf_puts(out, "energy: this machine does not tell (no RAPL, hwmon or NVML)\n");
    if (prof_cost(f, b, &cost))
        sbuf_printf(out, "cost: %.4g, at %g for %s\n", cost, b->price,
                    b->per_kwh ? "a kilowatt hour" : "an hour");
    else if (b->price > 0)
        sbuf_puts(out, "cost: not known without the energy\n");
}

void prof_summary(const struct prof_file *f, const struct prof_bill *b, struct sbuf *out)
{
    static const struct {
        const char *title;
        unsigned kinds;
        bool bytes;
    } tables[] = {
        {"kernels", 1u << PROF_KERNEL, false},
        {"copies and fills", 1u << PROF_COPY | 1u << PROF_FILL, true},
        {"calls", 1u << PROF_API, false},
        {"ranges", 1u << PROF_RANGE | 1u << PROF_SPAN, false},
        {"compilation", 1u << PROF_COMPILE, false},
    };
    put_process(f, out);
    for (size_t k = 0; k < f->nrecords; k++)
        if (f->records[k].kind == PROF_DEVICE)
            sbuf_printf(out, "device %u: %s\n", f->records[k].device,
                        prof_name(f, f->records[k].name));
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        const struct prof_rows rows = prof_rows(f, tables[k].kinds);
        put_rows(f, out, tables[k].title, &rows, tables[k].bytes);
    }
    put_streams(f, out);
    put_memory(f, out);
    put_hardware(f, out);
    put_bill(f, b, out);
}

/* ---- JSON ---- */

static void json_shape(struct json_writer *w, const struct prof_file *f,
                       const struct prof_record *r)
{
    const uint32_t *const sides[] = {r->kernel.grid, r->kernel.block};
    static const char *const keys[] = {"grid", "block"};
    for (unsigned s = 0; s < 2; s++) {
        json_key(w, keys[s]);
        json_array(w);
        for (unsigned k = 0; k < 3; k++)
            json_uint(w, sides[s][k]);
        json_end(w);
    }
    json_key(w, "shared");
    json_uint(w, r->kernel.shared);
    json_key(w, "occupancy");
    if (prof_occupancy(f, r) >= 0)
        json_double(w, prof_occupancy(f, r));
    else
        json_null(w);
}

static void json_rows(struct json_writer *w, const struct prof_file *f, const char *key,
                      const struct prof_rows *rows)
{
    json_key(w, key);
    json_array(w);
    for (size_t k = 0; k < rows->n; k++) {
        const struct prof_row *r = &rows->row[k];
        json_object(w);
        json_key(w, "name");
        json_str(w, r->name);
        json_key(w, "count");
        json_uint(w, r->count);
        json_key(w, "total_ns");
        json_uint(w, r->total);
        json_key(w, "mean_ns");
        json_double(w, (double)r->total / (double)r->count);
        json_key(w, "min_ns");
        json_uint(w, r->least);
        json_key(w, "max_ns");
        json_uint(w, r->most);
        json_key(w, "bytes");
        json_uint(w, r->bytes);
        if (r->first->kind == PROF_KERNEL)
            json_shape(w, f, r->first);
        json_end(w);
    }
    json_end(w);
}

static void json_streams(struct json_writer *w, const struct prof_file *f)
{
    const struct prof_streams all = prof_streams(f);
    json_key(w, "streams");
    json_array(w);
    for (size_t k = 0; k < all.n; k++) {
        json_object(w);
        json_key(w, "device");
        json_uint(w, all.stream[k].device);
        json_key(w, "stream");
        json_uint(w, all.stream[k].stream);
        json_key(w, "completed");
        json_uint(w, all.stream[k].done);
        json_key(w, "most_pending");
        json_uint(w, all.stream[k].pending);
        json_key(w, "busy_ns");
        json_uint(w, all.stream[k].busy);
        json_end(w);
    }
    json_end(w);
}

static void bill_json(struct json_writer *w, const struct prof_file *f, const struct prof_bill *b)
{
    double cost;
    json_key(w, "hardware");
    json_object(w);
    for (size_t k = 0; k < f->nrecords; k++)
        if (f->records[k].kind == PROF_HARDWARE && !f->records[k].sub) {
            json_key(w, prof_name(f, f->records[k].name));
            json_uint(w, f->records[k].count.value);
        }
    json_end(w);
    json_key(w, "energy");
    json_array(w);
    for (size_t k = 0; k < b->n; k++) {
        json_object(w);
        json_key(w, "source");
        json_str(w, b->energy[k].name);
        json_key(w, "joules");
        json_double(w, b->energy[k].joules);
        json_key(w, "sampled");
        json_bool(w, b->energy[k].sampled);
        json_end(w);
    }
    json_end(w);
    json_key(w, "cost");
    if (prof_cost(f, b, &cost))
        json_double(w, cost);
    else
        json_null(w);
}

void prof_summary_json(const struct prof_file *f, const struct prof_counts *counts,
                       const struct prof_bill *b, struct sbuf *out)
{
    static const struct {
        const char *key;
        unsigned kinds;
    } tables[] = {
        {"kernels", 1u << PROF_KERNEL},
        {"copies", 1u << PROF_COPY | 1u << PROF_FILL},
        {"calls", 1u << PROF_API},
        {"ranges", 1u << PROF_RANGE | 1u << PROF_SPAN},
        {"compilations", 1u << PROF_COMPILE},
    };
    struct json_writer w;
    struct prof_use use[PROF_NMEMORY];
    json_begin(&w, out, true);
    json_object(&w);
    json_key(&w, "span_ns");
    json_uint(&w, f->end - f->start);
    json_key(&w, "busy_ns");
    json_uint(&w, prof_busy(f, 1u << PROF_KERNEL | 1u << PROF_COPY | 1u << PROF_FILL));
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        const struct prof_rows rows = prof_rows(f, tables[k].kinds);
        json_rows(&w, f, tables[k].key, &rows);
    }
    json_streams(&w, f);
    prof_memory(f, use);
    json_key(&w, "memory");
    json_array(&w);
    for (int k = 0; k < PROF_NMEMORY; k++) {
        json_object(&w);
        json_key(&w, "kind");
        json_str(&w, memories[k]);
        json_key(&w, "allocations");
        json_uint(&w, use[k].allocations);
        json_key(&w, "frees");
        json_uint(&w, use[k].frees);
        json_key(&w, "peak_bytes");
        json_uint(&w, use[k].peak);
        json_key(&w, "live");
        json_uint(&w, use[k].live);
        json_key(&w, "live_bytes");
        json_uint(&w, use[k].bytes);
        json_key(&w, "holes");
        json_uint(&w, use[k].nholes);
        json_key(&w, "hole_bytes");
        json_uint(&w, use[k].holes);
        json_key(&w, "fragmentation");
        json_double(&w, prof_fragmentation(&use[k]));
        json_end(&w);
    }
    json_end(&w);
    bill_json(&w, f, b);
    if (counts) {
        json_key(&w, "counters");
        prof_counts_json(&w, counts);
    }
    json_end(&w);
    sbuf_putc(out, '\n');
}
