/* tern bench: how long a kernel, a program, or a part of Tern takes, with the confidence that one
 * may have in it.
 *
 * What is measured is run a few times to warm up, then until there are enough samples: as many as
 * were asked for, or for about a second. Shown is the median with its 95 % confidence interval;
 * several devices stand side by side; a run that was saved (-o) is what another may be held
 * against. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/base.h"
#include "base/json.h"
#include "prof/stats.h"
#include "rt/cache.h"
#include "tern.h"
#include "tern/tern.h"

enum { MOST_SAMPLES = 100000, LEAST_SAMPLES = 5 };

struct result {
    char name[128], device[128];
    double *samples; /* seconds */
    size_t n;
    double amount; /* of work in one sample; 0: time is all there is */
    const char *unit;
    struct prof_stats stats;
};

struct bench {
    struct args *args;
    struct result result[64];
    size_t n;
};

static double now(void)
{
    return (double)thread_nanoseconds() * 1e-9;
}

/* ---- sampling ---- */
/* The seconds that one run took; negative: it failed, and has said so. */
typedef double run_once(void *ctx);

static bool sample(struct bench *b, const char *name, const char *device, run_once *run, void *ctx)
{
    const struct args *a = b->args;
    const double limit = a->seconds > 0 ? a->seconds : 1;
    const size_t warm = a->warmup_given ? a->warmup : 2, want = a->iterations;
    if (b->n == sizeof b->result / sizeof *b->result)
        return false;
    struct result *r = &b->result[b->n];
    *r = (struct result){.samples = malloc(MOST_SAMPLES * sizeof(double))};
    if (!r->samples)
        return false;
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->device, sizeof r->device, "%s", device);
    for (size_t k = 0; k < warm; k++)
        if (run(ctx) < 0)
            goto failed;
    for (const double start = now(); r->n < MOST_SAMPLES;) {
        if (want ? r->n >= want : r->n >= LEAST_SAMPLES && now() - start >= limit)
            break;
        const double t = run(ctx);
        if (t < 0)
            goto failed;
        r->samples[r->n++] = t;
    }
    r->stats = prof_stats(r->samples, r->n);
    b->n++;
    return true;
failed:
    free(r->samples);
    return false;
}

static void amount(struct bench *b, double of_a_sample, const char *unit)
{
    b->result[b->n - 1].amount = of_a_sample;
    b->result[b->n - 1].unit = unit;
}

/* ---- built-ins: parts of Tern on a device ---- */
struct part {
    struct bench *bench;
    tern_context *context;
    tern_device *device;
    tern_module *module;
    tern_kernel *kernel;
    tern_buffer *buffer;
    void *host;
    tern_dim grid, block;
    void *kernel_args[4];
    uint64_t address;
    int rounds;
};

enum { COPIED = 16 << 20, HALF_THREADS = 65536, HALF_ROUNDS = 64 };

static const char launch_text[] = "extern \"C\" __global__ void nothing() {}\n";
static const char compile_text[] =
    "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";
static const char half_text[] = "#include <cuda_fp16.h>\n"
                                "extern \"C\" __global__ void sums(__half2 *x, int rounds) {\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    __half2 a = x[i], b = __float2half2_rn(0.5f), s = a;\n"
                                "    for (int k = 0; k < rounds; k++) s = __hfma2(s, b, a);\n"
                                "    x[i] = s;\n"
                                "}\n";

static double run_pool(void *ctx)
{
    struct part *p = ctx;
    enum { EACH = 64 };
    tern_buffer *all[EACH] = {0};
    bool good = true;
    const double start = now();
    for (unsigned k = 0; k < EACH; k++)
        good &= !tern_buffer_new(p->device, 256u << k % 12, &all[k]);
    for (unsigned k = 0; k < EACH; k++)
        tern_buffer_free(all[k * 37 % EACH]);
    return good ? (now() - start) / EACH : -1;
}

static double run_buffer(void *ctx)
{
    struct part *p = ctx;
    const double start = now();
    if (tern_buffer_write(p->buffer, 0, p->host, COPIED) ||
        tern_buffer_read(p->buffer, 0, p->host, COPIED))
        return -1;
    return now() - start;
}

static double run_kernel(void *ctx)
{
    struct part *p = ctx;
    const double start = now();
    if (tern_launch(NULL, p->kernel, p->grid, p->block, 0, p->kernel_args) ||
        tern_device_wait(p->device))
        return -1;
    return now() - start;
}

/* Another text each time: what is kept from the run before is not what is measured. */
static double run_compile(void *ctx)
{
    struct part *p = ctx;
    char text[sizeof compile_text + 64];
    tern_module *m = NULL;
    tern_kernel *k;
    snprintf(text, sizeof text, "%s// %ld %d\n", compile_text, (long)getpid(), p->rounds++);
    const double start = now();
    bool good = !tern_module_new(p->device, &(struct tern_source){.text = text}, &m) &&
                !tern_module_kernel(m, "saxpy", &k);
    int n = 0;
    float a = 2;
    void *args[] = {&n, &a, &p->address, &p->address};
    good = good && !tern_launch(NULL, k, (tern_dim){1, 1, 1}, (tern_dim){32, 1, 1}, 0, args) &&
           !tern_device_wait(p->device);
    const double t = now() - start;
    tern_module_free(m);
    return good ? t : -1;
}

static double run_parse(void *ctx)
{
    struct part *p = ctx;
    struct compilation c;
    const struct compile_options o = {
        .path = "bench.cu", .language = SOURCE_CUDA, .mode = p->bench->args->mode};
    const double start = now();
    const enum tern_error e = compile_source(&c, &o, half_text, sizeof half_text - 1);
    const double t = now() - start;
    compile_free(&c);
    return e ? -1 : t;
}

static bool prepare(struct part *p, const char *text, const char *kernel)
{
    return !tern_module_new(p->device, &(struct tern_source){.text = text}, &p->module) &&
           !tern_module_kernel(p->module, kernel, &p->kernel);
}

static bool part_pool(struct part *p)
{
    (void)p;
    return true;
}

static bool part_buffer(struct part *p)
{
    p->host = calloc(1, COPIED);
    return p->host && !tern_buffer_new(p->device, COPIED, &p->buffer);
}

static bool part_launch(struct part *p)
{
    p->grid = p->block = (tern_dim){1, 1, 1};
    return prepare(p, launch_text, "nothing");
}

static bool part_compile(struct part *p)
{
    if (tern_buffer_new(p->device, 256, &p->buffer))
        return false;
    p->address = tern_buffer_address(p->buffer);
    return true;
}

static bool part_half(struct part *p)
{
    p->grid = (tern_dim){HALF_THREADS / 256, 1, 1};
    p->block = (tern_dim){256, 1, 1};
    p->rounds = HALF_ROUNDS;
    if (tern_buffer_new(p->device, 4 * HALF_THREADS, &p->buffer) || !prepare(p, half_text, "sums"))
        return false;
    p->address = tern_buffer_address(p->buffer);
    p->kernel_args[0] = &p->address;
    p->kernel_args[1] = &p->rounds;
    return true;
}

static const struct built_in {
    const char *name, *about;
    bool (*prepare)(struct part *p);
    run_once *run;
    double amount;
    const char *unit;
} built_ins[] = {
    {"pool", "allocate and free: 64 buffers of 256 bytes to 512 KiB", part_pool, run_pool, 0, NULL},
    {"buffer", "16 MiB to the device and back", part_buffer, run_buffer, 2.0 * COPIED / 1e9,
     "GB/s"},
    {"launch", "start an empty kernel and wait for it", part_launch, run_kernel, 0, NULL},
    {"compile", "source of a small kernel to its first launch", part_compile, run_compile, 0, NULL},
    {"parse", "source of a small kernel to IR", part_pool, run_parse, 0, NULL},
    {"fp16", "multiply-adds of __half2", part_half, run_kernel,
     4.0 * HALF_THREADS *HALF_ROUNDS / 1e9, "GFLOP/s"},
};

static const struct built_in *built_in(const char *name)
{
    for (size_t k = 0; k < sizeof built_ins / sizeof *built_ins; k++)
        if (!strcmp(built_ins[k].name, name))
            return &built_ins[k];
    return NULL;
}

void bench_describe(FILE *out)
{
    for (size_t k = 0; k < sizeof built_ins / sizeof *built_ins; k++)
        fprintf(out, "  %-9s %s\n", built_ins[k].name, built_ins[k].about);
}

static int bench_built_in(struct bench *b, const struct built_in *what, const char *device)
{
    struct part p = {.bench = b};
    const struct tern_options options = {.devices = device};
    bool good = !tern_context_new(&options, &p.context) &&
                !tern_context_device(p.context, 0, &p.device) && what->prepare(&p) &&
                sample(b, what->name, device, what->run, &p);
    if (good)
        amount(b, what->amount, what->unit);
    else
        complain("%s cannot be measured on %s", what->name, device);
    free(p.host);
    tern_buffer_free(p.buffer);
    tern_module_free(p.module);
    tern_context_free(p.context);
    return good ? EXIT_FINE : EXIT_DEVICE;
}

/* ---- a program ---- */
struct program {
    const struct args *args;
    const char *path;
    char **argv;
    int code;
};

static double run_whole(void *ctx)
{
    struct program *p = ctx;
    const double start = now();
    p->code = run_and_wait(p->path, p->argv, "the program", p->args->timeout);
    return p->code == EXIT_FINE ? now() - start : -1;
}

/* What a program says is said once: the rest goes nowhere. */
static int quiet_output(void)
{
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stdout))
        complain("/dev/null: %s", strerror(errno));
    return saved;
}

static void loud_output(int saved)
{
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
}

static int bench_program(struct bench *b, const char *path, const char *device)
{
    struct args *a = b->args;
    struct program p = {.args = a, .path = path, .argv = calloc(a->rest.len + 2, sizeof *p.argv)};
    if (!p.argv)
        return EXIT_MEMORY;
    p.argv[0] = (char *)path;
    for (size_t k = 0; k < a->rest.len; k++)
        p.argv[k + 1] = (char *)a->rest.data[k];
    setenv("TERN_DEVICES", device, 1);
    const int saved = quiet_output();
    const bool good = sample(b, a->input, device, run_whole, &p);
    loud_output(saved);
    free(p.argv);
    if (!good)
        complain("the program failed on %s (%d)", device, p.code);
    return good ? EXIT_FINE : p.code ? p.code : EXIT_MEMORY;
}

/* ---- a kernel: `tern run`'s, again and again ---- */
struct launches {
    struct bench *bench;
    const char *device;
};

static bool bench_launches(void *ctx, const char *name, run_once *run, void *of_run)
{
    struct launches *l = ctx;
    return sample(l->bench, name, l->device, run, of_run);
}

static int bench_kernel(struct bench *b, const char *device)
{
    struct launches l = {b, device};
    struct args again = *b->args;
    again.device = device;
    again.repeat = bench_launches;
    again.repeat_ctx = &l;
    return run_kernel_file(&again);
}

/* ---- what was saved, and what it is held against ---- */
static bool save(const struct bench *b, const char *path)
{
    struct sbuf text;
    struct json_writer w;
    sbuf_init(&text, NULL);
    json_begin(&w, &text, true);
    json_array(&w);
    for (size_t k = 0; k < b->n; k++) {
        const struct result *r = &b->result[k];
        json_object(&w);
        json_key(&w, "name");
        json_str(&w, r->name);
        json_key(&w, "device");
        json_str(&w, r->device);
        json_key(&w, "seconds");
        json_array(&w);
        for (size_t q = 0; q < r->n; q++)
            json_double(&w, r->samples[q]);
        json_end(&w);
        json_end(&w);
    }
    json_end(&w);
    FILE *f = text.failed ? NULL : fopen(path, "w");
    bool good = f && fwrite(text.data, 1, text.len, f) == text.len;
    good = f && fputc('\n', f) != EOF && good;
    good = f && fclose(f) == 0 && good;
    sbuf_free(&text);
    return good;
}

static bool text_is(const struct json_value *v, const char *key, const char *want)
{
    const struct json_value *x = json_get(v, key);
    return x && x->kind == JSON_STRING && str_is(x->string, want);
}

/* The statistics of the same thing in a saved run; n is 0: it is not there. */
static struct prof_stats saved_stats(struct arena *a, const struct json_value *all,
                                     const struct result *r)
{
    for (const struct json_value *v = all ? all->first : NULL; v; v = v->next) {
        const struct json_value *s = json_get(v, "seconds");
        if (!text_is(v, "name", r->name) || !text_is(v, "device", r->device) || !s ||
            s->kind != JSON_ARRAY)
            continue;
        double *samples = arena_array(a, double, s->count + 1);
        size_t n = 0;
        for (const struct json_value *x = s->first; x; x = x->next)
            if (x->kind == JSON_NUMBER)
                samples[n++] = x->number;
        return prof_stats(samples, n);
    }
    return (struct prof_stats){0};
}

/* ---- showing ---- */
static const char *with_unit(double seconds, char out[32])
{
    const double size = fabs(seconds);
    if (size >= 1)
        snprintf(out, 32, "%.3f s", seconds);
    else if (size >= 1e-3)
        snprintf(out, 32, "%.3f ms", seconds * 1e3);
    else if (size >= 1e-6)
        snprintf(out, 32, "%.3f us", seconds * 1e6);
    else
        snprintf(out, 32, "%.1f ns", seconds * 1e9);
    return out;
}

static const char *verdict(int differs)
{
    return differs < 0 ? "faster" : differs > 0 ? "slower" : "no difference beyond noise";
}

static void show_text(const struct bench *b, const struct result *r, const struct prof_stats *old)
{
    char t[5][32];
    const struct prof_stats *s = &r->stats;
    printf("%-16s %-10s %12s  [%s, %s]  least %s, %zu samples, spread %.1f %%", r->name, r->device,
           with_unit(s->median, t[0]), with_unit(s->low, t[1]), with_unit(s->high, t[2]),
           with_unit(s->least, t[3]), s->n, 100 * s->spread);
    if (r->amount > 0)
        printf(", %.4g %s", r->amount / s->median, r->unit);
    if (r != b->result && !strcmp(r->name, b->result->name))
        printf(", %.3g x %s", s->median / b->result->stats.median, b->result->device);
    putchar('\n');
    if (old->n)
        printf("%-27s %12s  before; now %.3g of it: %s\n", "", with_unit(old->median, t[4]),
               s->median / old->median, verdict(prof_differ(old, s)));
}

static void show_json(struct json_writer *w, const struct result *r, const struct prof_stats *old)
{
    const struct prof_stats *s = &r->stats;
    const struct {
        const char *key;
        double value;
    } fields[] = {{"median", s->median},      {"low", s->low},   {"high", s->high},
                  {"least", s->least},        {"most", s->most}, {"mean", s->mean},
                  {"deviation", s->deviation}};
    json_object(w);
    json_key(w, "name");
    json_str(w, r->name);
    json_key(w, "device");
    json_str(w, r->device);
    json_key(w, "samples");
    json_uint(w, s->n);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        json_key(w, fields[k].key);
        json_double(w, fields[k].value);
    }
    if (r->amount > 0) {
        json_key(w, "rate");
        json_double(w, r->amount / s->median);
        json_key(w, "unit");
        json_str(w, r->unit);
    }
    if (old->n) {
        json_key(w, "before");
        json_double(w, old->median);
        json_key(w, "verdict");
        json_str(w, verdict(prof_differ(old, s)));
    }
    json_end(w);
}

static int show_all(struct bench *b, struct arena *arena)
{
    const struct args *a = b->args;
    struct json_value *old = NULL;
    struct json_writer w;
    struct sbuf text;
    if (a->against) {
        size_t n, at;
        const char *why;
        char *bytes = read_whole_file(a->against, &n);
        old = bytes ? json_parse(arena, bytes, n, &at, &why) : NULL;
        free(bytes);
        if (!old || old->kind != JSON_ARRAY) {
            complain("%s: %s", a->against,
                     bytes ? "not a run that `tern bench -o` saved" : strerror(errno));
            return EXIT_IO;
        }
    }
    sbuf_init(&text, arena);
    json_begin(&w, &text, true);
    json_array(&w);
    for (size_t k = 0; k < b->n; k++) {
        const struct prof_stats before = saved_stats(arena, old, &b->result[k]);
        if (a->json)
            show_json(&w, &b->result[k], &before);
        else
            show_text(b, &b->result[k], &before);
    }
    json_end(&w);
    if (a->json)
        printf("%s\n", text.data);
    if (a->output && !save(b, a->output)) {
        complain("%s: %s", a->output, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_FINE;
}

static int show(struct bench *b)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena arena;
    mem.unwind = &unwind;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        mem_release(&mem);
        return EXIT_MEMORY;
    }
    const int code = show_all(b, &arena);
    mem_release(&mem);
    return code;
}

/* ---- the command ---- */
static bool is_cuda(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".cu");
}

/* One device; `program`: where the built program is, or NULL. */
static int measure(struct bench *b, const char *program, const char *device)
{
    const struct args *a = b->args;
    const struct built_in *what = built_in(a->input);
    return what              ? bench_built_in(b, what, device)
           : a->launch_given ? bench_kernel(b, device)
                             : bench_program(b, program, device);
}

static int measure_all(struct bench *b, const char *program)
{
    char devices[512], *rest = devices, *device;
    int code = EXIT_FINE;
    snprintf(devices, sizeof devices, "%s", b->args->device ? b->args->device : "auto");
    while (code == EXIT_FINE && (device = strsep(&rest, ",")))
        code = measure(b, program, device);
    return code;
}

int command_bench(struct args *a)
{
    struct bench *b = calloc(1, sizeof *b);
    char folder[512], built[sizeof folder + 16] = "", program[4096] = "";
    int code = EXIT_FINE;
    if (!b)
        return EXIT_MEMORY;
    b->args = a;
    if (!a->input) {
        free(b);
        return complain("what? A kernel, a program, or a built-in; see `tern help bench`");
    }
    if (!built_in(a->input) && !a->launch_given) {
        snprintf(program, sizeof program, "%s%s", strchr(a->input, '/') ? "" : "./", a->input);
        if (access(program, R_OK)) {
            complain("%s: %s, and no built-in either; see `tern help bench`", a->input,
                     strerror(errno));
            code = EXIT_IO;
        } else if (is_cuda(a->input)) {
            if (!cache_temporary(folder, sizeof folder, NULL, "tern-bench")) {
                complain("no temporary folder could be made: %s", strerror(errno));
                code = EXIT_IO;
            } else {
                snprintf(built, sizeof built, "%s/program", folder);
                code = program_build(a, built, false);
            }
        }
    }
    if (code == EXIT_FINE)
        code = measure_all(b, *built ? built : program);
    if (b->n) {
        const int shown = show(b);
        code = code ? code : shown;
    }
    if (*built) {
        unlink(built);
        rmdir(folder);
    }
    for (size_t k = 0; k < b->n; k++)
        free(b->result[k].samples);
    free(b);
    return code;
}
