/* prof: a recording whose times and bytes are known, and what every view of it makes of them. */
#include <stdlib.h>
#include <unistd.h>
#include "base/json.h"
#include "prof/prof_int.h"
#include "unit.h"

/* Texts by number. A name may hold what ends a quotation in SQL, a text in JSON and a script in
 * HTML. */
enum { NONE, AXPY, BAD, MALLOC, LAUNCH, DEVICE, PROGRAM, STEP, SOURCE, CYCLES, NTEXTS };
static const char *const texts[] = {
    [NONE] = "",
    [AXPY] = "axpy",
    [BAD] = "it's </script>\"\n",
    [MALLOC] = "cudaMalloc",
    [LAUNCH] = "cudaLaunchKernel",
    [DEVICE] = "a device",
    [PROGRAM] = "program",
    [STEP] = "step",
    [SOURCE] = "folder/no such file.cu",
    [CYCLES] = "cycles",
};

enum { US = 1000 };
static struct prof_record at(unsigned kind, uint32_t name, uint64_t start, uint64_t length)
{
    return (struct prof_record){.kind = (uint8_t)kind,
                                .name = name,
                                .thread = 1,
                                .start = start * US,
                                .end = (start + length) * US};
}
static struct prof_record moved(unsigned kind, unsigned sub, uint64_t start, uint64_t length,
                                uint64_t address, uint64_t bytes)
{
    struct prof_record r = at(kind, NONE, start, length);
    r.sub = (uint8_t)sub;
    r.memory.address = address;
    r.memory.bytes = bytes;
    return r;
}
static struct prof_record launched(uint32_t name, uint64_t start, uint64_t length, uint64_t call)
{
    struct prof_record r = at(PROF_KERNEL, name, start, length);
    for (unsigned k = 0; k < 3; k++)
        r.kernel.grid[k] = r.kernel.block[k] = k ? 1 : 64;
    r.kernel.per_unit = 8;
    r.call = call;
    return r;
}
static struct prof_record counted(uint32_t name, unsigned counter, uint32_t line, uint64_t value,
                                  uint64_t launches)
{
    struct prof_record r = at(PROF_COUNT, name, 0, 0);
    r.sub = (uint8_t)counter;
    r.count.path = line ? SOURCE : NONE;
    r.count.line = line;
    r.count.value = value;
    r.count.launches = launches;
    return r;
}

/* From 0 to 1,000 µs; by start, as prof_read gives it. Two kernels overlap from 40 to 50. */
static struct prof_file recording(struct arena *a, unsigned slower)
{
    struct prof_record process = at(PROF_PROCESS, PROGRAM, 0, 1000), device, call, cycles;
    process.process.peak = 3000;
    device = at(PROF_DEVICE, DEVICE, 0, 0);
    device.device_info.threads_per_unit = 1024;
    call = at(PROF_API, LAUNCH, 18, 4);
    call.call = 7;
    cycles = at(PROF_HARDWARE, CYCLES, 0, 0);
    cycles.count.value = 12345;
    const struct prof_record all[] = {
        process,
        device,
        cycles,
        at(PROF_API, MALLOC, 1, 2),
        moved(PROF_ALLOC, PROF_MEM_DEVICE, 1, 0, 0x1000, 1024),
        moved(PROF_ALLOC, PROF_MEM_DEVICE, 2, 0, 0x2000, 1024),
        moved(PROF_ALLOC, PROF_MEM_DEVICE, 3, 0, 0x4000, 1024),
        moved(PROF_COPY, PROF_TO_DEVICE, 5, 10, 0x1000, 20000),
        at(PROF_RANGE, STEP, 16, 100),
        call,
        launched(AXPY, 20, 10 + slower, 7),
        launched(AXPY, 30 + slower, 20 + slower, 7),
        launched(BAD, 40 + 2 * slower, 20, 7),
        at(PROF_MARK, STEP, 200, 0),
        moved(PROF_FILL, 0, 300, 1, 0x1000, 4096),
        moved(PROF_FREE, PROF_MEM_DEVICE, 400, 0, 0x2000, 1024),
        at(PROF_COMPILE, SOURCE, 500, 50),
    };
    struct prof_file f = {.arena = a, .ntexts = NTEXTS, .nrecords = sizeof all / sizeof *all};
    f.texts = arena_array(a, const char *, NTEXTS);
    memcpy(f.texts, texts, sizeof texts);
    f.records = arena_array(a, struct prof_record, f.nrecords);
    memcpy(f.records, all, sizeof all);
    f.end = 1000 * US;
    return f;
}

static struct prof_file counts(struct arena *a)
{
    const struct prof_record all[] = {
        counted(AXPY, COUNT_FLOPS_32, 8, 4096, 0),    counted(AXPY, COUNT_LOAD_BYTES, 8, 16384, 0),
        counted(AXPY, COUNT_STORE_BYTES, 8, 8192, 0), counted(AXPY, COUNT_SECTORS, 8, 1536, 0),
        counted(AXPY, COUNT_WARP_OPS, 8, 300, 0),     counted(AXPY, COUNT_THREAD_OPS, 8, 4800, 0),
        counted(AXPY, COUNT_WARP_OPS, 9, 100, 0),     counted(AXPY, COUNT_WARP_OPS, 0, 0, 2),
    };
    struct prof_file f = recording(a, 0);
    f.nrecords = sizeof all / sizeof *all;
    memcpy(f.records, all, sizeof all);
    return f;
}

#define CHECK_HAS(text, part)                                                                      \
    do {                                                                                           \
        if (!(text).data || !strstr((text).data, part))                                            \
            unit_fail(u, __FILE__, __LINE__, "there is no \"%s\" in:\n%s", part,                   \
                      (text).data ? (text).data : "");                                             \
    } while (0)

TEST(prof_sums_by_name)
{
    const struct prof_file f = recording(u->arena, 0);
    const struct prof_rows rows = prof_rows(&f, 1u << PROF_KERNEL);
    CHECK_INT(rows.n, 2);
    CHECK_INT(rows.total, 50 * US);
    CHECK_STR(rows.row[0].name, "axpy"); /* the longest first */
    CHECK_INT(rows.row[0].count, 2);
    CHECK_INT(rows.row[0].total, 30 * US);
    CHECK_INT(rows.row[0].least, 10 * US);
    CHECK_INT(rows.row[0].most, 20 * US);
    /* the copy, the fill, and kernels from 20 to 60: what overlaps counts once */
    CHECK_INT(prof_busy(&f, 1u << PROF_KERNEL), 40 * US);
    CHECK_INT(prof_busy(&f, 1u << PROF_KERNEL | 1u << PROF_COPY | 1u << PROF_FILL), 51 * US);
}

TEST(prof_knows_memory)
{
    const struct prof_file f = recording(u->arena, 0);
    struct prof_use use[PROF_NMEMORY];
    prof_memory(&f, use);
    const struct prof_use *d = &use[PROF_MEM_DEVICE];
    CHECK_INT(d->allocations, 3);
    CHECK_INT(d->frees, 1);
    CHECK_INT(d->live, 2);
    CHECK_INT(d->peak, 3072);
    CHECK_INT(d->bytes, 2048);
    CHECK_INT(d->nholes, 2); /* at the peak: 0x1400 to 0x2000 and 0x2400 to 0x4000 */
    CHECK_INT(d->holes, 0xc00 + 0x1c00);
    CHECK_INT(d->largest, 0x1c00);
    CHECK(prof_fragmentation(d) > 0.299 && prof_fragmentation(d) < 0.301);
    CHECK_INT(use[PROF_MEM_HOST].allocations, 0);
    CHECK(prof_fragmentation(&use[PROF_MEM_HOST]) == 0);
}

TEST(prof_tables)
{
    const struct prof_file f = recording(u->arena, 0);
    struct prof_energy energy[] = {{"package", 7.2, true}};
    struct prof_bill bill = {
        .energy = energy, .n = 1, .price = 0.5, .per_kwh = true, .looked = true};
    struct sbuf out;
    sbuf_init(&out, u->arena);
    prof_summary(&f, &bill, &out);
    CHECK_HAS(
        out,
        "recorded   1000.0 us, devices busy     51.0 us (5.1%), largest resident size    3000 B\n");
    CHECK_HAS(out, "device 0: a device\n");
    CHECK_HAS(out, "axpy                                            2     30.0 us  60.0%     15.0 "
                   "us     10.0 us     20.0 us          64x64       50%\n");
    /* the launches of one call wait for each other */
    CHECK_HAS(out, "device 0, stream 0                 5              3      51.0 us   5.1%\n");
    CHECK_HAS(out, "host to device                                  1     10.0 us  90.9%     10.0 "
                   "us     10.0 us     10.0 us    20.0 KB      2.00\n");
    CHECK_HAS(out, "device memory                      3        1        3072 B        2048 B in 2 "
                   "     10.2 KB in 2, fragmentation 30%\n");
    CHECK_HAS(out, "\nprocessor: cycles 1.234e+04\n");
    CHECK_HAS(out, "energy: package 7.200 J, 7200.0 W on average (samples)\n");
    CHECK_HAS(out, "cost: 1e-06, at 0.5 for a kilowatt hour\n");
    double cost;
    bill.per_kwh = false;
    bill.price = 3600;
    CHECK(prof_cost(&f, &bill, &cost) && cost > 0.00099 && cost < 0.00101); /* of a millisecond */
    bill.per_kwh = true;
    bill.n = 0;
    CHECK(!prof_cost(&f, &bill, &cost));
    struct sbuf none;
    sbuf_init(&none, u->arena);
    prof_summary(&f, &bill, &none);
    CHECK_HAS(none, "energy: this machine does not tell");
    CHECK_HAS(none, "cost: not known without the energy\n");
}

static const struct json_value *element(const struct json_value *array, size_t n)
{
    const struct json_value *v = array ? array->first : NULL;
    while (v && n--)
        v = v->next;
    return v;
}
static double number(const struct json_value *v, const char *key)
{
    const struct json_value *x = v ? json_get(v, key) : NULL;
    return x && x->kind == JSON_NUMBER ? x->number : -1;
}

TEST(prof_json)
{
    const struct prof_file f = recording(u->arena, 0), c = counts(u->arena);
    const struct prof_counts counted = prof_counts(&c);
    const struct prof_bill bill = {0};
    struct sbuf out;
    size_t where = 0;
    const char *why;
    sbuf_init(&out, u->arena);
    prof_summary_json(&f, &counted, &bill, &out);
    const struct json_value *v = json_parse(u->arena, out.data, out.len, &where, &why);
    CHECK(v);
    if (!v)
        return;
    CHECK_INT(number(v, "span_ns"), 1000 * US);
    CHECK_INT(number(v, "busy_ns"), 51 * US);
    const struct json_value *kernels = json_get(v, "kernels");
    CHECK_INT(kernels->count, 2);
    CHECK_INT(number(element(kernels, 0), "total_ns"), 30 * US);
    CHECK_INT(number(element(kernels, 1), "count"), 1);
    /* the name comes back as it was */
    const struct json_value *name = json_get(element(kernels, 1), "name");
    CHECK(name && name->string.len == strlen(texts[BAD]) &&
          !memcmp(name->string.ptr, texts[BAD], name->string.len));
}

TEST(prof_timeline)
{
    const struct prof_file f = recording(u->arena, 0);
    struct sbuf out;
    size_t where = 0, bars = 0;
    const char *why;
    sbuf_init(&out, u->arena);
    prof_trace(&f, &out);
    const struct json_value *v = json_parse(u->arena, out.data, out.len, &where, &why),
                            *events = v ? json_get(v, "traceEvents") : NULL;
    CHECK(v);
    if (!events)
        return;
    for (const struct json_value *e = events->first; e; e = e->next) {
        const struct json_value *ph = json_get(e, "ph"), *name = json_get(e, "name");
        if (ph->string.len != 1 || ph->string.ptr[0] != 'X')
            continue;
        bars++;
        if (name->string.len == 4 && !memcmp(name->string.ptr, "axpy", 4)) {
            CHECK(number(e, "ts") == 20 || number(e, "ts") == 30);
            CHECK(number(e, "dur") == number(e, "ts") - 10);
        }
    }
    CHECK_INT(bars, 9); /* two calls, three kernels, copy, fill, range and compilation */
}

TEST(prof_page_holds_its_data)
{
    const struct prof_file f = recording(u->arena, 0), c = counts(u->arena);
    const struct prof_counts counted = prof_counts(&c);
    const struct prof_peaks peaks = {100, 1000, 500};
    struct sbuf out, bare;
    sbuf_init(&out, u->arena);
    sbuf_init(&bare, u->arena);
    prof_html(&f, &counted, &peaks, &out);
    prof_html(&f, NULL, &peaks, &bare);
    CHECK_HAS(out, "axpy");
    CHECK_HAS(out, "\"roofline\"");
    /* a name ends no script: both pages end as many as the page without data */
    size_t ends[2] = {0};
    const struct sbuf *page[2] = {&out, &bare};
    for (unsigned k = 0; k < 2; k++)
        for (const char *p = page[k]->data; p && (p = strstr(p, "</script>")); p++)
            ends[k]++;
    CHECK(ends[0] > 0 && ends[0] == ends[1]);
    CHECK(!strstr(out.data, "it's </script>"));
}

TEST(prof_sql_quotes)
{
    const struct prof_file f = recording(u->arena, 0);
    struct sbuf out;
    sbuf_init(&out, u->arena);
    prof_sql(&f, &out);
    CHECK_HAS(out, "'it''s </script>\"\n'");
    size_t kernels = 0;
    for (const char *p = out.data; p && (p = strstr(p, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "));
         p++)
        kernels++;
    CHECK_INT(kernels, 3);
    CHECK_HAS(out, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY ");
    CHECK_HAS(out, "COMMIT;\n");
}

TEST(prof_compares_two)
{
    const struct prof_file before = recording(u->arena, 0), after = recording(u->arena, 30);
    struct prof_file gone = recording(u->arena, 0);
    gone.nrecords = 3;
    struct sbuf out, json;
    size_t where = 0;
    const char *why;
    sbuf_init(&out, u->arena);
    sbuf_init(&json, u->arena);
    prof_diff(&before, &after, &out);
    CHECK_HAS(out, "kernel   axpy                            2/2 ");
    CHECK_HAS(out, "      +0.060  "); /* two launches, 30 µs longer each */
    prof_diff(&before, &gone, &out);
    CHECK_HAS(out, "gone\n");
    prof_diff(&gone, &before, &out);
    CHECK_HAS(out, "new\n");
    prof_diff_json(&before, &after, &json);
    const struct json_value *v = json_parse(u->arena, json.data, json.len, &where, &why);
    CHECK(v);
    CHECK(v && v->count == 6 && number(json_get(element(v, 0), "after"), "count") == 2);
}

TEST(prof_rates_by_hand)
{
    const struct prof_file times = recording(u->arena, 0), c = counts(u->arena);
    const struct prof_counts all = prof_counts(&c);
    const struct prof_rows rows = prof_rows(&times, 1u << PROF_KERNEL);
    const struct prof_peaks peak = {1, 10, 5};
    CHECK_INT(all.n, 1);
    CHECK_INT(all.nlines, 2);
    CHECK(!prof_counted(&all, "nothing"));
    const struct prof_counted *x = prof_counted(&all, "axpy");
    if (!x)
        return;
    const struct prof_rates r = prof_rates(x, &rows.row[0], &peak);
    CHECK(r.flops == 2048 && r.bytes == 12288); /* of one launch of two */
    CHECK(r.coalesced == 0.5);                  /* 24,576 of 1,536 · 32 bytes */
    CHECK(r.active == 4800 / (32 * 400.0));
    CHECK(r.gbytes > 0.819 && r.gbytes < 0.8193 && r.memory_bound);
    struct sbuf out;
    sbuf_init(&out, u->arena);
    prof_roofline(&times, &all, &peak, &out);
    CHECK_HAS(out, "measured on this device: 1.0 GB/s copied, 10.0 GFLOP/s in f32, 5.0 in f64\n");
    CHECK_HAS(out, "memory bandwidth is the limit: 82% of what the device copies\n");
    CHECK_HAS(out, "no such file.cu:8                            75.0%");
}

TEST(prof_verdicts)
{
    static const struct {
        struct prof_rates r;
        const char *said;
    } rows[] = {
        {{.seconds = 0}, "no time was measured"},
        {{.seconds = 1, .of_bytes = 1.3}, "it moves more than memory can: its data is in a cache"},
        {{.seconds = 1, .of_flops = 0.7},
         "arithmetic is the limit: 70% of what the device computes"},
        {{.seconds = 1, .conflicts = 16},
         "threads wait for each other at the banks of shared memory (16.0 rounds where one would "
         "do)"},
        {{.seconds = 1, .conflicts = 1, .coalesced = 0.25},
         "accesses are scattered: 25% of the bytes that memory moves are used"},
        {{.seconds = 1, .conflicts = 1, .coalesced = 1, .active = 0.5},
         "threads of a warp go different ways: 50% of them work"},
        {{.seconds = 1e-6, .conflicts = 1, .coalesced = 1, .active = 1},
         "it is short: what a launch costs counts"},
        {{.seconds = 1, .conflicts = 1, .coalesced = 1, .active = 1, .of_bytes = 0.3},
         "neither memory nor arithmetic is used much (30%): waiting and other instructions"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct sbuf out;
        sbuf_init(&out, u->arena);
        prof_verdict(&rows[k].r, &out);
        CHECK_STR(out.data, rows[k].said);
    }
}

/* ---- files ---- */

/* As record.c writes them, cut off after `bytes`. */
static bool write_recording(const struct prof_file *f, const char *path, size_t bytes,
                            size_t *whole)
{
    struct sbuf out;
    sbuf_init(&out, f->arena);
    sbuf_put(&out, prof_magic, sizeof prof_magic);
    for (uint32_t k = 1; k < f->ntexts; k++) {
        struct prof_record r = at(PROF_TEXT, k, 0, 0);
        r.text.length = (uint32_t)strlen(f->texts[k]);
        sbuf_put(&out, &r, sizeof r);
        sbuf_put(&out, f->texts[k], r.text.length);
    }
    for (size_t k = f->nrecords; k-- > 0;) /* in no order; the process is the last */
        sbuf_put(&out, &f->records[k], sizeof f->records[k]);
    *whole = out.len;
    FILE *to = fopen(path, "wb");
    const size_t n = bytes < out.len ? bytes : out.len;
    const bool good = to && fwrite(out.data, 1, n, to) == n;
    return to && !fclose(to) && good;
}

TEST_ONCE(prof_reads_what_is_whole)
{
    char path[] = "/tmp/tern-unit-prof.XXXXXX";
    const int fd = mkstemp(path);
    const struct prof_file f = recording(u->arena, 0);
    size_t whole = 0;
    const char *why = "";
    NEED(fd >= 0);
    close(fd);
    CHECK(write_recording(&f, path, SIZE_MAX, &whole));
    struct prof_file *back = prof_read(u->arena, path, &why);
    CHECK(back && !back->cut && back->nrecords == f.nrecords);
    if (back) {
        CHECK_STR(prof_name(back, BAD), texts[BAD]);
        CHECK_STR(prof_name(back, 99), "");
        CHECK_INT(prof_rows(back, 1u << PROF_KERNEL).total, 50 * US);
        for (size_t k = 1; k < back->nrecords; k++)
            CHECK(back->records[k - 1].start <= back->records[k].start);
    }
    /* wherever it is cut off, what is whole is there, and it is said that it is not all */
    for (size_t n = 0; n < whole; n += 7) {
        CHECK(write_recording(&f, path, n, &whole));
        back = prof_read(u->arena, path, &why);
        CHECK(n < sizeof prof_magic ? !back : back && back->cut && back->nrecords < f.nrecords);
    }
    CHECK(!prof_read(u->arena, "/nothing here", &why));
    unlink(path);
}

TEST_ONCE(prof_bounds_what_is_shown)
{
    char path[] = "/tmp/tern-unit-prof.XXXXXX";
    const int fd = mkstemp(path);
    struct prof_file f = recording(u->arena, 0);
    size_t whole;
    const char *why;
    NEED(fd >= 0);
    close(fd);
    f.records[8] =
        at(PROF_BOUND, NONE, 25, 0); /* instead of the range: cudaProfilerStart at 25 µs */
    f.records[8].sub = 1;
    CHECK(write_recording(&f, path, SIZE_MAX, &whole));
    const struct prof_file *back = prof_read(u->arena, path, &why);
    CHECK(back && prof_rows(back, 1u << PROF_KERNEL).total == 40 * US); /* one began before */
    CHECK(back && !prof_rows(back, 1u << PROF_COPY).n);
    struct prof_use use[PROF_NMEMORY];
    if (back)
        prof_memory(back, use);
    CHECK(back && use[PROF_MEM_DEVICE].allocations == 3); /* memory was there already */
    /* records that make no sense end it */
    f.records[8] = moved(PROF_COPY, PROF_NCOPIES, 25, 1, 0, 0);
    CHECK(write_recording(&f, path, SIZE_MAX, &whole));
    back = prof_read(u->arena, path, &why);
    CHECK(back && back->cut && back->nrecords == f.nrecords - 9);
    unlink(path);
}

TEST_ONCE(prof_writes_a_database)
{
    char path[] = "/tmp/tern-unit-prof.XXXXXX", why[256] = "";
    const int fd = mkstemp(path);
    const struct prof_file f = recording(u->arena, 0);
    NEED(fd >= 0);
    close(fd);
    if (!prof_sqlite(&f, path, why, sizeof why)) { /* a machine without the library */
        CHECK(strstr(why, "libsqlite3"));
        unlink(path);
        return;
    }
    FILE *in = fopen(path, "rb");
    uint8_t head[100] = {0};
    CHECK(in && fread(head, sizeof head, 1, in) == 1);
    CHECK(!memcmp(head, "SQLite format 3", 16));
    const unsigned page = head[16] << 8 | head[17];
    const unsigned pages = (unsigned)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
    if (in) {
        fseek(in, 0, SEEK_END);
        CHECK_INT(ftell(in), (long)page * pages);
        fclose(in);
    }
    unlink(path);
    CHECK(!prof_sqlite(&f, "/no such folder/x.sqlite", why, sizeof why));
    CHECK(*why);
}
