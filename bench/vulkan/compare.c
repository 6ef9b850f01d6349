/* The same kernels on two devices of this machine: times, ratios, and whether they agree.
 *
 *   compare small|large FILE.cu REFERENCE DEVICE
 * FILE.cu is test/h200/kernels.cu. Each kernel runs on both devices with the same buffers; the
 * shortest of many runs counts, taken from the device's own clock where it has one. Then launches:
 * one at a time, and in batches of 100. Prints lines of PASS or FAIL, and what bench/run reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../bench.h"
#include <time.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

enum { BUFFERS = 5, RUNS = 15 };

/* Arguments: i an int, f a float, 0-4 a buffer; the last one named is the output. `small` divides
 * grid.x, grid.y, the first int and the buffers. */
struct job {
    const char *kernel;
    uint32_t grid[2], block[2];
    const char *args;
    int ints[2];
    float real;
    uint64_t bytes[BUFFERS];
    double
        tolerance; /* relative; 0: the same bytes; above 1: that share of words may differ / 10 */
    bool memory;   /* bound by memory */
    uint32_t small[4];
};

#define M (1u << 20)
static const struct job jobs[] = {
    {"saxpy",
     {65536, 1},
     {256, 1},
     "if01",
     {16 * M},
     2.5f,
     {64 * M, 64 * M},
     0,
     true,
     {64, 1, 64, 64}},
    {"copy4",
     {4096, 1},
     {256, 1},
     "i01",
     {16 * M},
     0,
     {256 * M, 256 * M},
     0,
     true,
     {64, 1, 64, 64}},
    {"transpose", {128, 128}, {32, 8}, "i01", {4096}, 0, {64 * M, 64 * M}, 0, true, {8, 8, 8, 64}},
    {"sgemm_naive",
     {64, 64},
     {16, 16},
     "i012",
     {1024},
     0,
     {4 * M, 4 * M, 4 * M},
     1e-3,
     false,
     {8, 8, 8, 64}},
    {"sgemm_tiled",
     {64, 64},
     {32, 32},
     "i012",
     {2048},
     0,
     {16 * M, 16 * M, 16 * M},
     1e-3,
     false,
     {8, 8, 8, 64}},
    {"sgemm_register",
     {32, 32},
     {256, 1},
     "i012",
     {2048},
     0,
     {16 * M, 16 * M, 16 * M},
     1e-3,
     false,
     {8, 8, 8, 64}},
    {"dgemm_tiled",
     {64, 64},
     {16, 16},
     "i012",
     {1024},
     0,
     {8 * M, 8 * M, 8 * M},
     1e-3,
     false,
     {8, 8, 8, 64}},
    {"reduce",
     {1024, 1},
     {256, 1},
     "i01",
     {64 * M},
     0,
     {256 * M, 4096},
     1e-3,
     true,
     {1, 1, 256, 256}},
    {"stencil", {128, 512}, {32, 8}, "i01", {4096}, 0, {64 * M, 64 * M}, 1e-3, true, {8, 8, 8, 64}},
    {"nbody",
     {128, 1},
     {256, 1},
     "i01",
     {32768},
     0,
     {512 * 1024, 512 * 1024},
     1e-3,
     false,
     {16, 1, 16, 16}},
    {"histogram",
     {1024, 1},
     {256, 1},
     "i01",
     {16 * M},
     0,
     {64 * M, 1024},
     0,
     false,
     {64, 1, 64, 64}},
    {"mandelbrot", {128, 128}, {16, 16}, "ii0", {2048, 256}, 0, {16 * M}, 2, false, {8, 8, 8, 64}},
    {"spmv",
     {4096, 1},
     {256, 1},
     "i0123",
     {M},
     0,
     {64 * M, 64 * M, 4 * M, 4 * M},
     1e-3,
     true,
     {64, 1, 64, 64}},
    {"convolve",
     {128, 512},
     {32, 8},
     "i01",
     {4096},
     0,
     {64 * M, 64 * M},
     1e-3,
     false,
     {8, 8, 8, 64}},
    {"scan", {8192, 1}, {512, 1}, "i01", {4 * M}, 0, {16 * M, 16 * M}, 0, false, {64, 1, 64, 64}},
    {"hash", {16384, 1}, {256, 1}, "i01", {4 * M}, 0, {16 * M, 16 * M}, 0, false, {64, 1, 64, 64}},
    {"softmax", {16384, 1}, {256, 1}, "01", {0}, 0, {64 * M, 64 * M}, 1e-3, true, {64, 1, 1, 64}},
    {"layer_norm",
     {16384, 1},
     {256, 1},
     "01",
     {0},
     0,
     {64 * M, 64 * M},
     1e-3,
     true,
     {64, 1, 1, 64}},
    {"attention",
     {32, 8},
     {64, 1},
     "if0123",
     {2048},
     0.125f,
     {4 * M, 4 * M, 4 * M, 4 * M},
     1e-3,
     false,
     {8, 1, 8, 8}},
    {"dequantize",
     {65536, 1},
     {256, 1},
     "i01",
     {65536},
     0,
     {9 * M + 437184, 64 * M},
     0,
     true,
     {64, 1, 64, 64}},
};

struct side {
    struct rt_device d;
    struct dev_module *module;
    struct dev_event *begin, *end;
    double best; /* ms */
    char *out;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool load(struct side *s, const char *name, const struct ir_module *m)
{
    char why[256] = "", cache[256];
    struct dev_host host = {.reports = {report_write, stdout},
                            .cache_dir = rt_cache_dir(cache, sizeof cache)};
    struct compilation messages;
    if (rt_open(name, &host, &s->d, why)) {
        printf("SKIP compare: %s: %s\n", name, why);
        return false;
    }
    compile_copy(&messages, m, 0); /* for its diagnostics only */
    enum tern_error e = s->d.driver->load(s->d.dev, m, &messages.diag, &s->module);
    if (!e)
        e = s->d.driver->event_new(s->d.dev, &s->begin);
    if (!e)
        e = s->d.driver->event_new(s->d.dev, &s->end);
    if (e)
        printf("FAIL compare: %s does not load the kernels: %s\n", name,
               messages.diag.first ? messages.diag.first->message : "");
    compile_free(&messages);
    return !e;
}

/* Bytes of parameters, each at its natural place. */
static uint32_t pack(const struct job *j, const dev_ptr *buffers, char *out, unsigned *last)
{
    uint32_t at = 0;
    unsigned ints = 0;
    for (const char *a = j->args; *a; a++) {
        uint32_t size = *a == 'i' || *a == 'f' ? 4 : 8;
        at = (at + size - 1) / size * size;
        if (*a == 'i') {
            memcpy(out + at, &j->ints[ints++], 4);
        } else if (*a == 'f') {
            memcpy(out + at, &j->real, 4);
        } else {
            *last = (unsigned)(*a - '0');
            memcpy(out + at, &buffers[*last], 8);
        }
        at += size;
    }
    return at;
}

static bool time_kernel(const struct job *j, struct side *s, char *const *init)
{
    const struct dev_driver *d = s->d.driver;
    dev_ptr buffers[BUFFERS] = {0};
    char params[128];
    unsigned last = 0;
    struct dev_kernel *k;
    enum tern_error e = d->kernel(s->module, j->kernel, &k);
    for (unsigned n = 0; n < BUFFERS && !e; n++)
        if (j->bytes[n]) {
            e = d->alloc(s->d.dev, j->bytes[n], 256, "bench", &buffers[n]);
            if (!e)
                e = rt_upload(&s->d, buffers[n], init[n], j->bytes[n]);
        }
    struct dev_launch l = {.grid = {j->grid[0], j->grid[1], 1},
                           .block = {j->block[0], j->block[1], 1},
                           .params = params,
                           .param_bytes = pack(j, buffers, params, &last)};
    s->best = 1e30;
    for (int r = 0; r < RUNS && !e; r++) {
        uint64_t begin = 0, end = 0;
        if (r == RUNS - 1) /* what is compared starts afresh */
            e = rt_upload(&s->d, buffers[last], init[last], j->bytes[last]);
        double from = now_us();
        if (!e)
            e = d->event_record(s->begin, s->d.queue);
        if (!e)
            e = d->launch(s->d.dev, s->d.queue, k, &l);
        if (!e)
            e = d->event_record(s->end, s->d.queue);
        if (!e)
            e = d->queue_wait(s->d.queue);
        double ms = (now_us() - from) * 1e-3;
        if (!e && s->d.driver != &dev_cpu && !d->event_time(s->begin, &begin) &&
            !d->event_time(s->end, &end))
            ms = (double)(end - begin) * 1e-6;
        s->best = ms < s->best ? ms : s->best;
    }
    s->out = malloc(j->bytes[last]);
    if (!e)
        e = rt_download(&s->d, s->out, buffers[last], j->bytes[last]);
    for (unsigned n = 0; n < BUFFERS; n++)
        if (buffers[n])
            d->free(s->d.dev, buffers[n]);
    if (e)
        printf("FAIL vulkan_%s on %s: error %d\n", j->kernel, d->name, (int)e);
    return !e;
}

static bool agree(const struct job *j, uint64_t n, const char *x, const char *y, double *worst)
{
    bool wide = !strncmp(j->kernel, "dgemm", 5);
    uint64_t differ = 0;
    *worst = 0;
    if (j->tolerance == 0)
        return !(*worst = memcmp(x, y, n) ? 1 : 0);
    for (uint64_t k = 0; k + 8 <= n; k += wide ? 8 : 4) {
        double a, b;
        float fa, fb;
        memcpy(&a, x + k, 8);
        memcpy(&b, y + k, 8);
        memcpy(&fa, x + k, 4);
        memcpy(&fb, y + k, 4);
        differ += memcmp(x + k, y + k, 4) != 0;
        if (!wide)
            a = fa, b = fb;
        double scale = fabs(b) > 1 ? fabs(b) : 1, d = fabs(a - b) / scale;
        if (!(d <= *worst))
            *worst = d;
    }
    if (j->tolerance > 1) { /* counts near an edge depend on the last bit */
        *worst = (double)differ / (double)(n / 4);
        return *worst < 1e-2;
    }
    return *worst <= j->tolerance;
}

static void fill(const struct job *j, unsigned k, char *to)
{
    bool ints = !strcmp(j->kernel, "histogram") || !strcmp(j->kernel, "scan") ||
                !strcmp(j->kernel, "hash") || !strcmp(j->kernel, "dequantize");
    uint64_t s = k + 1;
    for (uint64_t i = 0; i + 4 <= j->bytes[k]; i += 4) {
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t w = (uint32_t)(s >> 33);
        float f = (float)(w & 0xffff) / 65536 - 0.5f;
        double d = (double)f;
        if (!strncmp(j->kernel, "dgemm", 5) && i % 8 == 0 && i + 8 <= j->bytes[k])
            memcpy(to + i, &d, 8), i += 4;
        else if (ints || (!strcmp(j->kernel, "spmv") && k == 0))
            memcpy(to + i, &w, 4);
        else
            memcpy(to + i, &f, 4);
    }
    for (uint64_t i = 0; !strcmp(j->kernel, "dequantize") && !k && i + 144 <= j->bytes[k]; i += 144)
        memcpy(to + i, "\x00\x2c\x00\x28", 4); /* d 0.0625, dmin 0.03125 */
}

static void launches(struct side *s, const char *name, bool goals)
{
    const struct dev_driver *d = s->d.driver;
    struct dev_kernel *k;
    struct {
        int n;
        float a;
        dev_ptr x, y;
    } params = {0, 1, 0, 0}; /* saxpy of nothing */
    struct dev_launch l = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &params, .param_bytes = sizeof params};
    double one = 1e30, many = 1e30;
    enum tern_error e = d->kernel(s->module, "saxpy", &k);
    for (int r = 0; r < 300 && !e; r++) {
        double from = now_us();
        e = d->launch(s->d.dev, s->d.queue, k, &l);
        if (!e)
            e = d->queue_wait(s->d.queue);
        double us = now_us() - from;
        one = us < one ? us : one;
    }
    for (int r = 0; r < 50 && !e; r++) {
        double from = now_us();
        for (int n = 0; n < 100 && !e; n++)
            e = d->launch(s->d.dev, s->d.queue, k, &l);
        if (!e)
            e = d->queue_wait(s->d.queue);
        double us = (now_us() - from) / 100;
        many = us < many ? us : many;
    }
    printf("%s launch_%s: %.1f us with a wait%s, %.2f us in batches of 100%s\n",
           e || (goals && (one > 15 || many > 3)) ? "FAIL" : "PASS", name, one,
           goals ? " (goal 15)" : "", many, goals ? " (goal 3)" : "");
    printf("BENCH\tlaunch on %s, with a wait\t%.4g\tus\t%d\n", name, one, goals ? 15 : 0);
    printf("BENCH\tlaunch on %s, in batches of 100\t%.4g\tus\t%d\n", name, many, goals ? 3 : 0);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    bool small = !strcmp(argv[1], "small");
    size_t len = 0;
    char *text = bench_read(argv[2], &len);
    struct compilation c;
    struct compile_options o = {.path = argv[2], .level = 2};
    struct side sides[2] = {{.best = 0}, {.best = 0}};
    if (!text || compile_source(&c, &o, text, len)) {
        printf("FAIL compare: %s does not compile\n", argv[2]);
        return 1;
    }
    for (int k = 0; k < 2; k++)
        if (!load(&sides[k], argv[3 + k], c.module))
            return 0;
    double logs = 0, memory_logs = 0;
    unsigned counted = 0, memory = 0;
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++) {
        struct job j = jobs[n];
        char *init[BUFFERS] = {0};
        if (small) {
            j.grid[0] /= j.small[0];
            j.grid[1] /= j.small[1];
            j.ints[0] /= (int)j.small[2];
        }
        for (unsigned k = 0; k < BUFFERS; k++) {
            if (small && j.bytes[k] > 4096)
                j.bytes[k] /= j.small[3];
            if (!j.bytes[k])
                continue;
            init[k] = malloc(j.bytes[k]);
            fill(&j, k, init[k]);
        }
        bool ok = true;
        for (int k = 0; k < 2 && ok; k++)
            ok = time_kernel(&j, &sides[k], init);
        if (ok) {
            double worst, ratio = sides[0].best / sides[1].best;
            unsigned last = (unsigned)(j.args[strlen(j.args) - 1] - '0');
            bool same = agree(&j, j.bytes[last], sides[0].out, sides[1].out, &worst);
            printf("%s vulkan_%s: %s %.4f ms, %s %.4f ms, %.3f of its speed%s, difference %.1e\n",
                   same ? "PASS" : "FAIL", j.kernel, argv[3], sides[0].best, argv[4], sides[1].best,
                   ratio, j.memory ? " (memory)" : "", worst);
            logs += log(ratio);
            counted++;
            memory_logs += j.memory ? log(ratio) : 0;
            memory += j.memory;
        }
        for (int k = 0; k < 2; k++) {
            free(sides[k].out);
            sides[k].out = NULL;
        }
        for (unsigned k = 0; k < BUFFERS; k++)
            free(init[k]);
        fflush(stdout);
    }
    double mean = counted ? exp(logs / counted) : 0, bound = memory ? exp(memory_logs / memory) : 0;
    printf("%s vulkan_speed: geometric mean %.3f of %s's speed over %u kernels, %.3f over the %u "
           "bound by memory\n",
           small || (mean >= 0.85 && bound >= 0.95) ? "PASS" : "FAIL", mean, argv[3], counted,
           bound, memory);
    printf("BENCH\t%s against %s, geometric mean of speeds\t%.4g\tx\t0\n", argv[4], argv[3], mean);
    for (int k = 0; k < 2; k++)
        launches(&sides[k], argv[3 + k], !small && k == 1);
    for (int k = 0; k < 2; k++) {
        sides[k].d.driver->event_free(sides[k].begin);
        sides[k].d.driver->event_free(sides[k].end);
        sides[k].d.driver->unload(sides[k].d.dev, sides[k].module);
        rt_close(&sides[k].d);
    }
    compile_free(&c);
    free(text);
    return 0;
}
