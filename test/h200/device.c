/* Hypotheses about the CUDA device on real hardware, each a test that can fail. Times are compared
 * with the driver's own calls made in the same run. Prints PASS, FAIL and figures. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/dev/cuda/nvidia_int.h"

static const struct dev_driver *const drv = &dev_cuda;

static const char program[] = "module \"m\"\n"
                              "kernel @empty() {\n"
                              "entry:\n"
                              "  ret\n"
                              "}\n"
                              "kernel @write(%p: ptr.global, %v: i32) {\n"
                              "entry:\n"
                              "  %t = sreg.i32 [tid.x]\n"
                              "  %b = sreg.i32 [ctaid.x]\n"
                              "  %m = mul.i32 %b, 256\n"
                              "  %i = add.i32 %m, %t\n"
                              "  %x = add.i32 %i, %v\n"
                              "  %w = zext.i64 %i\n"
                              "  %o = shl.i64 %w, 2\n"
                              "  %q = ptradd.ptr.global %p, %o\n"
                              "  store.i32 [align 4] %q, %x\n"
                              "  ret\n"
                              "}\n"
                              "kernel @count(%p: ptr.global) {\n"
                              "entry:\n"
                              "  %old = rmw.i32 [add relaxed device] %p, 1\n"
                              "  ret\n"
                              "}\n"
                              "kernel @spin(%ns: i64) {\n"
                              "entry:\n"
                              "  %a = clock.i64 [imm 1]\n"
                              "  br loop\n"
                              "loop:\n"
                              "  %b = clock.i64 [imm 1]\n"
                              "  %d = sub.i64 %b, %a\n"
                              "  %c = ult.i64 %d, %ns\n"
                              "  condbr %c, loop, done\n"
                              "done:\n"
                              "  ret\n"
                              "}\n"
                              "kernel @grid(%p: ptr.global) {\n"
                              "entry:\n"
                              "  %old = rmw.i32 [add relaxed device] %p, 1\n"
                              "  gridsync\n"
                              "  %v = load.i32 [align 4 relaxed device] %p\n"
                              "  %n = sreg.i32 [nctaid.x]\n"
                              "  %ok = eq.i32 %v, %n\n"
                              "  condbr %ok, good, bad\n"
                              "bad:\n"
                              "  %q = ptradd.ptr.global %p, 4\n"
                              "  %o2 = rmw.i32 [add relaxed device] %q, 1\n"
                              "  br good\n"
                              "good:\n"
                              "  ret\n"
                              "}\n"
                              "kernel @stray(%p: ptr.global) {\n"
                              "entry:\n"
                              "  %q = inttoptr.ptr.global 64\n"
                              "  store.i32 [align 4] %q, 7\n"
                              "  ret\n"
                              "}\n";

struct bench {
    struct dev *dev;
    struct dev_queue *q, *r;
    struct dev_module *module;
};

static void verdict(bool ok, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void verdict(bool ok, const char *name, const char *fmt, ...)
{
    va_list ap;
    printf("%s %s: ", ok ? "PASS" : "FAIL", name);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
}

static enum tern_error load(struct bench *b)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    mem.unwind = &unwind;
    if (setjmp(unwind))
        return TERN_OUT_OF_MEMORY;
    arena_init(&a, &mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_module *m = ir_parse(&a, &names, &sources, &d, "m.ir", program, sizeof program - 1);
    enum tern_error e = m ? drv->load(b->dev, m, &d, &b->module) : TERN_COMPILE;
    for (struct diag_entry *x = d.first; x; x = x->next)
        printf("diagnostic: %s\n", x->message);
    mem_release(&mem);
    return e;
}

static struct dev_kernel *kernel(struct bench *b, const char *name)
{
    struct dev_kernel *k = NULL;
    drv->kernel(b->module, name, &k);
    return k;
}

static struct dev_launch shape(uint32_t grid, uint32_t block, const void *params, uint32_t bytes)
{
    return (struct dev_launch){
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params, .param_bytes = bytes};
}

static double seconds(void)
{
    return (double)thread_nanoseconds() * 1e-9;
}

/* ---- H2, H3 ---- */
static void writes_and_copies(struct bench *b)
{
    enum { N = 1 << 20 };
    uint32_t *words = malloc(N * 4);
    struct {
        dev_ptr p;
        uint32_t v;
    } params = {0, 12345};
    enum tern_error e = drv->alloc(b->dev, N * 4, 16, "words", &params.p);
    struct dev_launch l = shape(N / 256, 256, &params, 12);
    if (!e)
        e = drv->launch(b->dev, b->q, kernel(b, "write"), &l);
    if (!e)
        e = drv->copy_out(b->dev, b->q, words, params.p, N * 4);
    if (!e)
        e = drv->queue_wait(b->q);
    uint32_t wrong = 0;
    for (uint32_t i = 0; !e && i < N; i++)
        wrong += words[i] != i + 12345;
    verdict(!e && !wrong, "H2_launch_writes", "%u words, %u wrong, %s", (unsigned)N, wrong,
            tern_error_name(e));
    drv->free(b->dev, params.p);

    uint64_t bytes = UINT64_C(256) << 20, differ = 0;
    uint8_t *from = malloc(bytes), *to = calloc(1, bytes);
    dev_ptr x = 0, y = 0;
    uint64_t s = 1;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
        memcpy(from + i, &s, 8);
    }
    e = drv->alloc(b->dev, bytes, 16, "x", &x);
    if (!e)
        e = drv->alloc(b->dev, bytes, 16, "y", &y);
    if (!e)
        e = drv->copy_in(b->dev, b->q, x, from, bytes);
    if (!e)
        e = drv->copy(b->dev, b->q, y, x, bytes - 3);
    if (!e)
        e = drv->copy_out(b->dev, b->q, to, y, bytes - 3);
    if (!e)
        e = drv->queue_wait(b->q);
    differ = e ? 1 : (uint64_t)(memcmp(from, to, bytes - 3) != 0);
    verdict(!e && !differ, "H3_copies", "%llu bytes there, across and back, %s",
            (unsigned long long)bytes - 3, tern_error_name(e));
    drv->free(b->dev, x);
    drv->free(b->dev, y);
    free(words);
    free(from);
    free(to);
}

/* ---- H4, H11: what a launch costs beyond the driver ---- */
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void launch_cost(struct bench *b, const struct nv_api *raw)
{
    enum { ROUNDS = 41, LAUNCHES = 1000 };
    double ours[ROUNDS], theirs[ROUNDS], ours_wait[ROUNDS], theirs_wait[ROUNDS];
    struct dev_kernel *k = kernel(b, "empty");
    struct dev_launch l = shape(1, 1, NULL, 0);
    drv->prepare(k);
    static const char same[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";
    nv_module module = NULL;
    nv_function f = NULL;
    if (raw->module_load(&module, same) || raw->module_function(&f, module, "empty")) {
        puts("FAIL launch_cost: the driver does not take the empty kernel");
        return;
    }
    nv_stream s = b->q->stream;
    for (int r = 0; r < ROUNDS; r++) {
        double t = seconds();
        for (int i = 0; i < LAUNCHES; i++)
            drv->launch(b->dev, b->q, k, &l);
        ours[r] = seconds() - t;
        drv->queue_wait(b->q);
        t = seconds();
        for (int i = 0; i < LAUNCHES; i++)
            raw->launch(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
        theirs[r] = seconds() - t;
        raw->stream_sync(s);
        t = seconds();
        for (int i = 0; i < 100; i++) {
            drv->launch(b->dev, b->q, k, &l);
            drv->queue_wait(b->q);
        }
        ours_wait[r] = seconds() - t;
        t = seconds();
        for (int i = 0; i < 100; i++) {
            raw->launch(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
            raw->stream_sync(s);
        }
        theirs_wait[r] = seconds() - t;
    }
    qsort(ours, ROUNDS, sizeof *ours, by_value);
    qsort(theirs, ROUNDS, sizeof *theirs, by_value);
    qsort(ours_wait, ROUNDS, sizeof *ours, by_value);
    qsort(theirs_wait, ROUNDS, sizeof *theirs, by_value);
    double a = ours[ROUNDS / 2] / LAUNCHES * 1e6, c = theirs[ROUNDS / 2] / LAUNCHES * 1e6;
    double x = ours_wait[ROUNDS / 2] / 100 * 1e6, y = theirs_wait[ROUNDS / 2] / 100 * 1e6;
    verdict(a <= 1.05 * c, "H4_launch", "%.3f us, the driver's own %.3f us: %.3f", a, c, a / c);
    verdict(x <= 1.05 * y, "H11_launch_and_wait", "%.3f us, the driver's own %.3f us: %.3f", x, y,
            x / y);
}

/* ---- H8, H12: the pool ---- */
static uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

static uint64_t uniform(uint64_t *state) /* up to 2 MiB */
{
    return 1 + next(state) % (2u << 20);
}

static uint64_t octaves(uint64_t *state) /* as many of 8 KiB as of 2 MiB */
{
    uint64_t n = next(state);
    return 4096 + n % (1u << (12 + next(state) % 10));
}

/* What the pool holds, at its peak, of what is in use at its peak. Best fit without chunks, in one
 * unlimited range of addresses, comes to 1.06 with uniform sizes and to 1.12 with octaves. */
static void random_sizes(const struct dev_host *host, const char *name,
                         uint64_t (*size)(uint64_t *), double limit)
{
    struct dev *d;
    static struct {
        dev_ptr p;
        uint64_t n;
    } live[2000];
    uint64_t state = 42, ideal = 0, peak = 0;
    memset(live, 0, sizeof live);
    if (drv->open(0, host, &d))
        return;
    double t = seconds();
    for (int k = 0; k < 10000; k++) {
        unsigned i = next(&state) % 2000;
        if (live[i].p) {
            drv->free(d, live[i].p);
            ideal -= live[i].n;
            live[i].p = 0;
            continue;
        }
        live[i].n = size(&state);
        if (drv->alloc(d, live[i].n, 16, "y", &live[i].p))
            break;
        ideal += live[i].n;
        peak = ideal > peak ? ideal : peak;
    }
    t = seconds() - t;
    struct nv_pool_stats s = nv_pool_stats(d);
    double ratio = peak ? (double)s.peak_driver / (double)peak : 99;
    verdict(ratio <= limit, name,
            "peak %.1f MiB held for %.1f MiB in use: %.3f; %.2f us an operation, %llu driver "
            "allocations",
            (double)s.peak_driver / 1048576, (double)peak / 1048576, ratio, t / 10000 * 1e6,
            (unsigned long long)s.driver_allocations);
    drv->close(d);
}

static void pool(const struct dev_host *host)
{
    struct dev *d;
    if (drv->open(0, host, &d))
        return;
    for (int k = 0; k < 100; k++) {
        dev_ptr p = 0;
        drv->alloc(d, 1000 + (uint64_t)k * 5000, 16, "x", &p);
        drv->free(d, p);
    }
    struct nv_pool_stats s = nv_pool_stats(d);
    verdict(s.driver_allocations < 10, "H8_pool_few_allocations",
            "%llu driver allocations for 100 (each its own without a pool: 100)",
            (unsigned long long)s.driver_allocations);
    drv->close(d);
    random_sizes(host, "H12_pool_memory", uniform, 1.1);
    random_sizes(host, "pool_memory_octaves", octaves, 1.2);
}

/* ---- H9 ---- */
static void out_of_memory(struct bench *b)
{
    struct dev_info info;
    dev_ptr p = 0, q = 0, huge = 0;
    drv->info(b->dev, &info);
    enum tern_error e = drv->alloc(b->dev, info.memory_free + (UINT64_C(1) << 30), 16, "most", &p);
    enum tern_error tera = drv->alloc(b->dev, UINT64_C(1) << 40, 16, "huge", &huge);
    enum tern_error after = drv->alloc(b->dev, 1 << 20, 16, "some", &q);
    if (!after)
        after = drv->fill(b->dev, b->q, q, 1 << 20, 1, 4);
    if (!after)
        after = drv->queue_wait(b->q);
    verdict(e == TERN_OUT_OF_MEMORY && tera == TERN_OUT_OF_MEMORY && !after, "H9_out_of_memory",
            "%s, 1 TiB: %s; after that: %s", tern_error_name(e), tern_error_name(tera),
            tern_error_name(after));
    drv->free(b->dev, q);
}

/* ---- H10, overlap ---- */
static void overlap(struct bench *b)
{
    uint64_t ns = 2000000;
    struct dev_kernel *spin = kernel(b, "spin");
    struct dev_launch l = shape(1, 32, &ns, 8);
    double one = 1e9, two = 1e9;
    for (int round = 0; round < 5; round++) {
        double t = seconds();
        for (int i = 0; i < 8; i++)
            drv->launch(b->dev, b->q, spin, &l);
        drv->queue_wait(b->q);
        t = seconds() - t;
        one = t < one ? t : one;
        t = seconds();
        for (int i = 0; i < 4; i++) {
            drv->launch(b->dev, b->q, spin, &l);
            drv->launch(b->dev, b->r, spin, &l);
        }
        drv->queue_wait(b->q);
        drv->queue_wait(b->r);
        t = seconds() - t;
        two = t < two ? t : two;
    }
    verdict(one / two >= 1.5, "H10_streams_overlap", "%.2f ms in one queue, %.2f ms in two: %.2f",
            one * 1e3, two * 1e3, one / two);

    uint64_t bytes = UINT64_C(256) << 20;
    void *pinned = NULL;
    dev_ptr p = 0;
    if (drv->host_alloc(b->dev, bytes, &pinned) || drv->alloc(b->dev, bytes, 16, "buffer", &p)) {
        verdict(false, "copies_overlap_compute", "no memory");
        return;
    }
    struct dev_event *ev[4];
    uint64_t at[4];
    for (int i = 0; i < 4; i++)
        drv->event_new(b->dev, &ev[i]);
    double copy = 1e9, both = 1e9;
    for (int round = 0; round < 5; round++) {
        double t = seconds();
        drv->copy_in(b->dev, b->r, p, pinned, bytes);
        drv->queue_wait(b->r);
        t = seconds() - t;
        copy = t < copy ? t : copy;
    }
    ns = (uint64_t)(copy * 1e9);
    for (int round = 0; round < 5; round++) {
        double t = seconds();
        drv->event_record(ev[0], b->q);
        drv->launch(b->dev, b->q, spin, &l);
        drv->event_record(ev[1], b->q);
        drv->event_record(ev[2], b->r);
        drv->copy_in(b->dev, b->r, p, pinned, bytes);
        drv->event_record(ev[3], b->r);
        drv->queue_wait(b->q);
        drv->queue_wait(b->r);
        t = seconds() - t;
        both = t < both ? t : both;
    }
    for (int i = 0; i < 4; i++)
        drv->event_time(ev[i], &at[i]);
    verdict(both < 0.75 * 2 * copy && at[2] < at[1] && at[0] < at[3], "copies_overlap_compute",
            "copy alone %.2f ms (%.1f GB/s), with as long a kernel %.2f ms; kernel %.2f-%.2f ms, "
            "copy %.2f-%.2f ms",
            copy * 1e3, (double)bytes / copy * 1e-9, both * 1e3, 0.0,
            (double)(at[1] - at[0]) * 1e-6, (double)at[2] * 1e-6 - (double)at[0] * 1e-6,
            (double)at[3] * 1e-6 - (double)at[0] * 1e-6);
    for (int i = 0; i < 4; i++)
        drv->event_free(ev[i]);
    drv->host_free(b->dev, pinned);
    drv->free(b->dev, p);
}

/* Copies cost what the driver's own calls cost: the best of several, pinned and on the device. */
static void copies(struct bench *b, const struct nv_api *raw)
{
    enum { ROUNDS = 15 };
    static const char *const names[] = {"copy_in_speed", "copy_out_speed", "copy_speed"};
    uint64_t bytes = UINT64_C(128) << 20;
    void *pinned = NULL;
    dev_ptr p = 0, q = 0;
    if (drv->host_alloc(b->dev, bytes, &pinned) || drv->alloc(b->dev, bytes, 16, "p", &p) ||
        drv->alloc(b->dev, bytes, 16, "q", &q)) {
        verdict(false, "copy_speed", "no memory");
        return;
    }
    memset(pinned, 7, bytes);
    nv_stream s = b->q->stream;
    for (int kind = 0; kind < 3; kind++) {
        double best[2] = {1e9, 1e9};
        for (int k = 0; k < 2 * ROUNDS; k++) {
            double t = seconds();
            if (k % 2 == 0) {
                kind == 0   ? drv->copy_in(b->dev, b->q, p, pinned, bytes)
                : kind == 1 ? drv->copy_out(b->dev, b->q, pinned, p, bytes)
                            : drv->copy(b->dev, b->q, q, p, bytes);
                drv->queue_wait(b->q);
            } else {
                kind == 0   ? raw->copy_in(p, pinned, bytes, s)
                : kind == 1 ? raw->copy_out(pinned, p, bytes, s)
                            : raw->copy(q, p, bytes, s);
                raw->stream_sync(s);
            }
            t = seconds() - t;
            best[k % 2] = t < best[k % 2] ? t : best[k % 2];
        }
        double moved = (double)bytes * (kind == 2 ? 2 : 1) * 1e-9;
        verdict(best[0] <= 1.03 * best[1], names[kind], "%.1f GB/s, the driver's own %.1f GB/s",
                moved / best[0], moved / best[1]);
    }
    drv->host_free(b->dev, pinned);
    drv->free(b->dev, p);
    drv->free(b->dev, q);
}

/* ---- H13 ---- */
struct worker {
    struct bench *b;
    dev_ptr p;
    unsigned failed;
    pthread_t thread;
};

static void *launch_many(void *arg)
{
    struct worker *w = arg;
    struct dev_queue *q;
    struct dev_kernel *k = kernel(w->b, "count");
    struct dev_launch l = shape(4, 64, &w->p, 8);
    if (drv->queue_new(w->b->dev, &q))
        return NULL;
    for (int i = 0; i < 1000; i++)
        w->failed += drv->launch(w->b->dev, q, k, &l) != TERN_OK;
    w->failed += drv->queue_wait(q) != TERN_OK;
    drv->queue_free(q);
    return NULL;
}

static void threads(struct bench *b)
{
    struct worker w[4];
    uint32_t sum = 0;
    unsigned failed = 0;
    dev_ptr p = 0;
    drv->alloc(b->dev, 4, 16, "counter", &p);
    drv->fill(b->dev, b->q, p, 4, 0, 4);
    drv->queue_wait(b->q);
    for (int i = 0; i < 4; i++) {
        w[i] = (struct worker){.b = b, .p = p};
        pthread_create(&w[i].thread, NULL, launch_many, &w[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(w[i].thread, NULL);
        failed += w[i].failed;
    }
    drv->copy_out(b->dev, b->q, &sum, p, 4);
    drv->queue_wait(b->q);
    verdict(!failed && sum == 4u * 1000 * 256, "H13_four_threads", "%u of %u counted, %u failed",
            sum, 4u * 1000 * 256, failed);
    drv->free(b->dev, p);
}

static void grid_barrier(struct bench *b)
{
    uint32_t words[2] = {0};
    dev_ptr p = 0;
    uint32_t blocks = 0;
    struct dev_kernel *k = kernel(b, "grid");
    struct dev_info info;
    drv->info(b->dev, &info);
    enum tern_error e = drv->occupancy(k, 1, 0, &blocks);
    drv->alloc(b->dev, 8, 16, "grid", &p);
    struct dev_launch l = shape(info.units, 1, &p, 8);
    l.cooperative = true;
    unsigned bad = 0;
    for (int round = 0; round < 20 && !e; round++) {
        drv->fill(b->dev, b->q, p, 8, 0, 4);
        e = drv->launch(b->dev, b->q, k, &l);
        if (!e)
            e = drv->copy_out(b->dev, b->q, words, p, 8);
        if (!e)
            e = drv->queue_wait(b->q);
        bad += words[0] != info.units || words[1];
    }
    verdict(!e && !bad, "grid_barrier", "%u blocks, 20 rounds, %u wrong, %s; %u blocks fit a unit",
            info.units, bad, tern_error_name(e), blocks);
    drv->free(b->dev, p);
}

/* ---- graphs ---- */
static void graphs(struct bench *b)
{
    struct dev_graph *g = NULL;
    uint32_t sum = 0;
    dev_ptr p = 0;
    drv->alloc(b->dev, 4, 16, "counter", &p);
    drv->fill(b->dev, b->q, p, 4, 0, 4);
    drv->queue_wait(b->q);
    struct dev_launch l = shape(1, 32, &p, 8);
    enum tern_error e = drv->capture_begin(b->q);
    for (int i = 0; i < 10 && !e; i++)
        e = drv->launch(b->dev, b->q, kernel(b, "count"), &l);
    if (!e)
        e = drv->capture_end(b->q, &g);
    for (int i = 0; i < 100 && !e; i++)
        e = drv->graph_launch(g, b->q);
    if (!e)
        e = drv->copy_out(b->dev, b->q, &sum, p, 4);
    if (!e)
        e = drv->queue_wait(b->q);
    verdict(!e && sum == 32000, "graph_replay", "%u of 32000, %s", sum, tern_error_name(e));
    if (g)
        drv->graph_free(g);
    drv->free(b->dev, p);
}

/* ---- what is wrong is an error, and passes ---- */
static void keep(void *ctx, const struct report *r)
{
    char **text = ctx;
    if (r->kind == REPORT_NOTE)
        return;
    free(*text);
    *text = report_string(r);
}

static void mistakes(struct bench *b, const struct nv_api *raw, const struct dev_host *host)
{
    struct dev *none = NULL;
    enum tern_error e = drv->open(999, host, &none);
    verdict(e == TERN_NO_DEVICE, "device_999", "%s", tern_error_name(e));
    nv_module m;
    nv_result r = raw->module_load(&m, "this is not PTX");
    verdict(r != 0 && nv_error(r) != TERN_OK, "invalid_ptx", "%s", nv_error_name(r));
    struct dev_launch l = shape(1, 2048, NULL, 0);
    e = drv->launch(b->dev, b->q, kernel(b, "empty"), &l);
    verdict(e == TERN_INVALID_LAUNCH, "block_of_2048", "%s", tern_error_name(e));
    l = shape(1, 1, &(dev_ptr){0}, 8);
    e = drv->launch(b->dev, b->q, kernel(b, "stray"), &l);
    enum tern_error w = drv->queue_wait(b->q);
    const char *said = *(char **)host->reports.ctx;
    verdict(w == TERN_ILLEGAL_ADDRESS && said && strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS") &&
                strstr(said, "stray"),
            "illegal_address", "%s: %s", tern_error_name(w), said ? said : "-");
    e = drv->queue_wait(b->q);
    verdict(e == TERN_ILLEGAL_ADDRESS, "error_sticks", "%s", tern_error_name(e));
    /* a reset makes the device useful again; what was made before is gone, and may still be freed
     */
    struct dev_queue *q = NULL;
    dev_ptr p = 0;
    uint32_t word = 0;
    e = drv->reset_fault(b->dev);
    const char *what = "reset";
    enum tern_error old = drv->queue_wait(b->q);
    drv->queue_free(b->q);
    drv->queue_free(b->r);
    drv->unload(b->dev, b->module);
    b->q = b->r = NULL;
    if (!e && (what = "queue", 1))
        e = drv->queue_new(b->dev, &q);
    if (!e && (what = "alloc", 1))
        e = drv->alloc(b->dev, 4096, 16, "after", &p);
    if (!e && (what = "load", 1))
        e = load(b);
    struct {
        dev_ptr p;
        uint32_t v;
    } params = {p, 77};
    l = shape(1, 256, &params, 12);
    if (!e && (what = "launch", 1))
        e = drv->launch(b->dev, q, kernel(b, "write"), &l);
    if (!e)
        e = drv->copy_out(b->dev, q, &word, p + 4, 4);
    if (!e && (what = "wait", 1))
        e = drv->queue_wait(q);
    said = *(char **)host->reports.ctx;
    bool again = !e && word == 78, refused = e == TERN_ILLEGAL_ADDRESS;
    verdict((again || refused) && old == TERN_INVALID_HANDLE, "reset_after_fault",
            "%s: %s, word %u, an old queue: %s; %s", what, tern_error_name(e), word,
            tern_error_name(old), said ? said : "no fault");
}

static uint64_t free_memory(const struct nv_api *raw, struct dev *d)
{
    size_t unused = 0, total = 0;
    raw->ctx_set(d->ctx);
    raw->mem_info(&unused, &total);
    return unused;
}

int main(void)
{
    struct bench b = {0};
    char *said = NULL;
    struct dev_host host = {.reports = {keep, &said}};
    struct dev_info info;
    const char *why = NULL;
    struct nv_api raw;
    if (!drv->count(&why) || !nv_find(&raw, &why)) {
        printf("SKIP device: %s\n", why ? why : "no device");
        return 0;
    }
    enum tern_error e = drv->open(0, &host, &b.dev);
    if (!e)
        e = drv->info(b.dev, &info);
    if (!e)
        e = drv->queue_new(b.dev, &b.q);
    if (!e)
        e = drv->queue_new(b.dev, &b.r);
    double t = seconds();
    if (!e)
        e = load(&b);
    verdict(!e, "H1_ptx_loads", "%s, %s, sm_%u, %s: %.1f ms", info.name, info.driver,
            b.dev ? b.dev->arch : 0, tern_error_name(e), (seconds() - t) * 1e3);
    if (e)
        return 1;
    writes_and_copies(&b);
    launch_cost(&b, &raw);
    out_of_memory(&b);
    overlap(&b);
    copies(&b, &raw);
    threads(&b);
    grid_barrier(&b);
    graphs(&b);
    pool(&host);
    /* nothing leaks: as much is free after a hundred rounds as before */
    uint64_t before = 0;
    for (int i = 0; i < 101; i++) {
        if (i == 1) /* the pool keeps the chunk of the first round */
            before = free_memory(&raw, b.dev);
        dev_ptr p = 0;
        struct dev_queue *q = NULL;
        struct dev_event *x = NULL;
        drv->alloc(b.dev, UINT64_C(64) << 20, 16, "leak", &p);
        drv->queue_new(b.dev, &q);
        drv->event_new(b.dev, &x);
        drv->free(b.dev, p);
        drv->event_free(x);
        drv->queue_free(q);
    }
    uint64_t after = free_memory(&raw, b.dev);
    verdict(before == after, "no_leak", "%lld bytes more in use after 100 rounds",
            (long long)(before - after));
    mistakes(&b, &raw, &host);
    return 0;
}
