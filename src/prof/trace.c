/* A recording as a timeline: the trace event format, which Perfetto and Chrome open. The process is
 * one group of rows (a row for each host thread: calls, ranges, compilation), every device another
 * (a row for each stream). An arrow leads from the call to what it started. */
#include <stdio.h>
#include <string.h>
#include "prof/prof.h"

enum { HOST_PID = 1, DEVICE_PID = 100 };

struct row {
    int pid;
    uint32_t tid;
};

static struct row row_of(const struct prof_record *r)
{
    switch (r->kind) {
    case PROF_KERNEL:
    case PROF_COPY:
    case PROF_FILL: return (struct row){DEVICE_PID + r->device, r->stream};
    default: return (struct row){HOST_PID, r->thread};
    }
}

static const char *const category[] = {
#define PROF_KIND(name, text) text,
#include "prof/kinds.def"
};

static void begin(struct json_writer *w, const char *phase, struct row at, double us)
{
    json_object(w);
    json_key(w, "ph");
    json_str(w, phase);
    json_key(w, "pid");
    json_int(w, at.pid);
    json_key(w, "tid");
    json_uint(w, at.tid);
    json_key(w, "ts");
    json_double(w, us);
}

static void name_row(struct json_writer *w, const char *what, struct row at, const char *name)
{
    json_object(w);
    json_key(w, "ph");
    json_str(w, "M");
    json_key(w, "name");
    json_str(w, what);
    json_key(w, "pid");
    json_int(w, at.pid);
    json_key(w, "tid");
    json_uint(w, at.tid);
    json_key(w, "args");
    json_object(w);
    json_key(w, "name");
    json_str(w, name);
    json_end(w);
    json_end(w);
}

static void name_rows(struct json_writer *w, const struct prof_file *f)
{
    struct map seen;
    map_init(&seen, f->arena);
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        const struct row at = row_of(r);
        if (r->kind == PROF_PROCESS)
            name_row(w, "process_name", (struct row){HOST_PID, 0}, prof_name(f, r->name));
        if (r->kind == PROF_DEVICE)
            name_row(w, "process_name", (struct row){DEVICE_PID + r->device, 0},
                     arena_printf(f->arena, "device %u: %s", r->device, prof_name(f, r->name)));
        const uint64_t key = (uint64_t)at.pid << 32 | at.tid;
        if (r->kind == PROF_PROCESS || r->kind == PROF_DEVICE || map_has(&seen, key))
            continue;
        map_set(&seen, key, f->arena);
        name_row(w, "thread_name", at,
                 at.pid == HOST_PID ? arena_printf(f->arena, "host thread %u", at.tid)
                 : at.tid           ? arena_printf(f->arena, "stream %u", at.tid)
                                    : "default stream");
    }
}

static void put_shape(struct json_writer *w, const char *key, const uint32_t v[3])
{
    char text[64];
    snprintf(text, sizeof text, "%u,%u,%u", v[0], v[1], v[2]);
    json_key(w, key);
    json_str(w, text);
}

static void put_args(struct json_writer *w, const struct prof_file *f, const struct prof_record *r)
{
    json_key(w, "args");
    json_object(w);
    if (r->call) {
        json_key(w, "correlation");
        json_uint(w, r->call);
    }
    switch (r->kind) {
    case PROF_KERNEL:
        put_shape(w, "grid", r->kernel.grid);
        put_shape(w, "block", r->kernel.block);
        json_key(w, "shared_bytes");
        json_uint(w, r->kernel.shared);
        if (r->kernel.per_unit) {
            json_key(w, "blocks_per_unit");
            json_uint(w, r->kernel.per_unit);
        }
        break;
    case PROF_COPY:
    case PROF_FILL:
        json_key(w, "bytes");
        json_uint(w, r->memory.bytes);
        if (r->end > r->start) {
            json_key(w, "GB/s");
            json_double(w, (double)r->memory.bytes / (double)(r->end - r->start));
        }
        break;
    case PROF_API:
        json_key(w, "result");
        json_int(w, r->api.result);
        break;
    case PROF_RANGE:
    case PROF_SPAN:
    case PROF_MARK:
        if (r->range.domain) {
            json_key(w, "domain");
            json_str(w, prof_name(f, r->range.domain));
        }
        break;
    default: break;
    }
    json_end(w);
}

static void put_name(struct json_writer *w, const struct prof_file *f, const struct prof_record *r)
{
    static const char *const copy[] = {"copy to device", "copy from device", "copy on device",
                                       "copy on host"};
    json_key(w, "name");
    json_str(w, r->kind == PROF_COPY   ? copy[r->sub]
                : r->kind == PROF_FILL ? "fill"
                                       : prof_name(f, r->name));
    json_key(w, "cat");
    json_str(w, category[r->kind]);
}

/* Ranges that end on another thread, or out of order, do not nest: they are pairs with a number. */
static void put_span(struct json_writer *w, const struct prof_file *f, const struct prof_record *r,
                     double start, double end)
{
    for (int k = 0; k < 2; k++) {
        begin(w, k ? "e" : "b", row_of(r), k ? end : start);
        put_name(w, f, r);
        json_key(w, "id");
        json_uint(w, r->range.id);
        put_args(w, f, r);
        json_end(w);
    }
}

static void put_event(struct json_writer *w, const struct prof_file *f, const struct prof_record *r)
{
    const double start = (double)(r->start - f->start) * 1e-3;
    const double end = (double)(r->end - f->start) * 1e-3;
    switch (r->kind) {
    case PROF_API:
    case PROF_KERNEL:
    case PROF_COPY:
    case PROF_FILL:
    case PROF_COMPILE:
    case PROF_RANGE:
        begin(w, "X", row_of(r), start);
        json_key(w, "dur");
        json_double(w, end - start);
        break;
    case PROF_MARK:
        begin(w, "i", row_of(r), start);
        json_key(w, "s");
        json_str(w, "t");
        break;
    case PROF_SPAN: put_span(w, f, r, start, end); return;
    default: return;
    }
    put_name(w, f, r);
    put_args(w, f, r);
    json_end(w);
}

/* From the call that submitted it to the work: both have the call's number. */
static void put_flow(struct json_writer *w, const struct prof_file *f, const struct prof_record *r,
                     const struct prof_record *call)
{
    const struct prof_record *side[] = {call, r};
    for (int k = 0; k < 2; k++) {
        begin(w, k ? "f" : "s", row_of(side[k]), (double)(side[k]->start - f->start) * 1e-3);
        json_key(w, "name");
        json_str(w, "starts");
        json_key(w, "cat");
        json_str(w, "flow");
        json_key(w, "id");
        json_uint(w, map_key(r - f->records) + 1);
        if (k) {
            json_key(w, "bp");
            json_str(w, "e");
        }
        json_end(w);
    }
}

/* Memory in use as a curve. */
static void put_counter(struct json_writer *w, const struct prof_file *f,
                        const struct prof_record *r, uint64_t bytes)
{
    if (r->start < f->start)
        return;
    begin(w, "C", (struct row){DEVICE_PID + r->device, 0}, (double)(r->start - f->start) * 1e-3);
    json_key(w, "name");
    json_str(w, "memory");
    json_key(w, "args");
    json_object(w);
    json_key(w, "bytes");
    json_uint(w, bytes);
    json_end(w);
    json_end(w);
}

void prof_trace(const struct prof_file *f, struct sbuf *out)
{
    struct json_writer w;
    struct map calls;
    uint64_t bytes = 0;
    map_init(&calls, f->arena);
    json_begin(&w, out, false);
    json_object(&w);
    json_key(&w, "displayTimeUnit");
    json_str(&w, "ns");
    json_key(&w, "traceEvents");
    json_array(&w);
    name_rows(&w, f);
    for (size_t k = 0; k < f->nrecords; k++)
        if (f->records[k].kind == PROF_API)
            map_set(&calls, f->records[k].call, &f->records[k]);
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (r->start >= f->start)
            put_event(&w, f, r);
        if (r->kind == PROF_KERNEL || r->kind == PROF_COPY || r->kind == PROF_FILL) {
            const struct prof_record *call = map_get(&calls, r->call);
            if (call)
                put_flow(&w, f, r, call);
        }
        if ((r->kind == PROF_ALLOC || r->kind == PROF_FREE) && r->sub != PROF_MEM_HOST) {
            bytes = r->kind == PROF_ALLOC ? bytes + r->memory.bytes : bytes - r->memory.bytes;
            put_counter(&w, f, r, bytes);
        }
    }
    json_end(&w);
    json_end(&w);
    sbuf_putc(out, '\n');
}
