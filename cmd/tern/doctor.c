/* tern doctor: what this machine has, and how well it works.
 *
 * Each device is looked at by a process of its own, this command again with --probe: a driver that
 * crashes or hangs takes that process with it, and is told. What it finds comes back as JSON; the
 * parent shows it, and adds what else Tern uses of a machine. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/json.h"
#include "base/settings.h"
#include "prof/prof.h"
#include "rt/profile.h"
#include "rt/rt.h"
#include "tern.h"
#include "tern/tern.h"

/* ---- a device, in the child ---- */
struct probe {
    tern_device *device;
    struct json_writer *w;
    bool good;
};

static void number(struct json_writer *w, const char *key, double v)
{
    json_key(w, key);
    json_double(w, v);
}

static void text(struct json_writer *w, const char *key, const char *v)
{
    json_key(w, key);
    json_str(w, v);
}

/* Seconds of the best of several. */
static double best(double (*run)(void *ctx), void *ctx)
{
    enum { TRIES = 7 };
    double least = -1;
    for (int k = 0; k < TRIES; k++) {
        const double t = run(ctx);
        if (t < 0)
            return -1;
        if (k && (least < 0 || t < least))
            least = t;
    }
    return least;
}

struct copied {
    tern_buffer *buffer;
    void *host;
    bool back;
};
enum { COPIED = 32 << 20 };

static double copy_once(void *ctx)
{
    struct copied *c = ctx;
    const uint64_t start = thread_nanoseconds();
    const enum tern_error e = c->back ? tern_buffer_read(c->buffer, 0, c->host, COPIED)
                                      : tern_buffer_write(c->buffer, 0, c->host, COPIED);
    return e ? -1 : (double)(thread_nanoseconds() - start) * 1e-9;
}

static void probe_copies(struct probe *p)
{
    struct copied c = {.host = calloc(1, COPIED)};
    if (c.host && !tern_buffer_new(p->device, COPIED, &c.buffer)) {
        const double to = best(copy_once, &c);
        c.back = true;
        const double from = best(copy_once, &c);
        number(p->w, "to_device_gbytes", to > 0 ? COPIED / to * 1e-9 : 0);
        number(p->w, "from_device_gbytes", from > 0 ? COPIED / from * 1e-9 : 0);
    }
    tern_buffer_free(c.buffer);
    free(c.host);
}

/* Each thread adds one to a counter of its coordinates: all threads of a block are there, once. */
static const char shapes_text[] =
    "extern \"C\" __global__ void count(unsigned *out) {\n"
    "    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "    __shared__ unsigned seen;\n"
    "    if (!t) seen = 0;\n"
    "    __syncthreads();\n"
    "    atomicAdd(&seen, 1u);\n"
    "    __syncthreads();\n"
    "    atomicAdd(&out[t], seen);\n"
    "}\n"
    "extern \"C\" __global__ void nothing() {}\n";
static const tern_dim shapes[] = {{1, 1, 1},   {32, 1, 1},  {33, 1, 1}, {7, 3, 2},   {1, 1, 64},
                                  {16, 16, 1}, {256, 1, 1}, {8, 8, 8},  {512, 1, 1}, {1024, 1, 1}};
enum { BLOCKS = 3, MOST_THREADS = 1024 };

static bool shape_works(struct probe *p, tern_kernel *k, tern_buffer *out, tern_dim shape)
{
    static const unsigned zero[MOST_THREADS];
    unsigned seen[MOST_THREADS];
    const unsigned n = shape.x * shape.y * shape.z;
    uint64_t address = tern_buffer_address(out);
    if (tern_buffer_write(out, 0, zero, sizeof zero) ||
        tern_launch(NULL, k, (tern_dim){BLOCKS, 1, 1}, shape, 0, (void *[]){&address}) ||
        tern_device_wait(p->device) || tern_buffer_read(out, 0, seen, sizeof seen))
        return false;
    for (unsigned t = 0; t < MOST_THREADS; t++)
        if (seen[t] != (t < n ? BLOCKS * n : 0))
            return false;
    return true;
}

static void probe_shapes(struct probe *p, tern_module *m)
{
    tern_kernel *k;
    tern_buffer *out = NULL;
    json_key(p->w, "block_shapes");
    json_array(p->w);
    if (!tern_module_kernel(m, "count", &k) &&
        !tern_buffer_new(p->device, MOST_THREADS * sizeof(unsigned), &out))
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            char name[32];
            snprintf(name, sizeof name, "%ux%ux%u", shapes[s].x, shapes[s].y, shapes[s].z);
            const bool works = shape_works(p, k, out, shapes[s]);
            json_object(p->w);
            text(p->w, "shape", name);
            json_key(p->w, "works");
            json_bool(p->w, works);
            json_end(p->w);
            p->good &= works;
        }
    json_end(p->w);
    tern_buffer_free(out);
}

struct empty {
    tern_device *device;
    tern_kernel *kernel;
};

static double launch_once(void *ctx)
{
    enum { EACH = 50 };
    struct empty *x = ctx;
    const uint64_t start = thread_nanoseconds();
    for (int k = 0; k < EACH; k++)
        if (tern_launch(NULL, x->kernel, (tern_dim){1, 1, 1}, (tern_dim){1, 1, 1}, 0, NULL) ||
            tern_device_wait(x->device))
            return -1;
    return (double)(thread_nanoseconds() - start) * 1e-9 / EACH;
}

static void probe_launch(struct probe *p, tern_module *m)
{
    struct empty x = {.device = p->device};
    if (tern_module_kernel(m, "nothing", &x.kernel))
        return;
    const double t = best(launch_once, &x);
    number(p->w, "launch_us", t > 0 ? t * 1e6 : 0);
}

static void probe_functions(struct probe *p)
{
    struct doctor_function *f;
    const size_t n = doctor_functions(p->device, &f);
    json_key(p->w, "f64_functions");
    json_array(p->w);
    for (size_t k = 0; k < n; k++) {
        json_object(p->w);
        text(p->w, "name", f[k].name);
        number(p->w, "worst_ulp", f[k].worst);
        number(p->w, "bound", f[k].bound);
        json_key(p->w, "within");
        json_bool(p->w, f[k].within);
        json_end(p->w);
        p->good &= f[k].within;
    }
    json_end(p->w);
    free(f);
}

/* What is known of the driver beyond what it says (rt/profile.h). */
static void probe_quirks(struct probe *p, const struct tern_device_info *info)
{
    struct profile_quirk q;
    json_key(p->w, "quirks");
    json_array(p->w);
    for (size_t k = 0; profile_quirk(info->driver, k, &q); k++) {
        json_object(p->w);
        text(p->w, "what", q.feature);
        json_key(p->w, "value");
        json_bool(p->w, q.value);
        text(p->w, "seen", q.seen);
        json_end(p->w);
    }
    json_end(p->w);
}

static void probe_all(struct probe *p, const char *device)
{
    struct tern_device_info info;
    tern_module *m = NULL;
    if (tern_device_info(p->device, &info)) {
        p->good = false;
        return;
    }
    text(p->w, "name", info.name);
    text(p->w, "driver", info.driver);
    json_key(p->w, "memory");
    json_uint(p->w, info.memory);
    json_key(p->w, "units");
    json_uint(p->w, info.units);
    json_key(p->w, "software");
    json_bool(p->w, info.software);
    probe_quirks(p, &info);
    p->good &= !tern_module_new(p->device, &(struct tern_source){.text = shapes_text}, &m);
    if (m) {
        probe_launch(p, m);
        probe_shapes(p, m);
    }
    tern_module_free(m);
    probe_copies(p);
    if (!info.checked) { /* an interpreter has no peaks */
        struct prof_peaks peaks;
        measure_peaks(device, &peaks);
        number(p->w, "kernel_gbytes", peaks.gbytes);
        number(p->w, "f32_gflops", peaks.gflops_32);
        number(p->w, "f64_gflops", peaks.gflops_64);
    }
    probe_functions(p);
}

static int probe(const char *device)
{
    struct sbuf out;
    struct json_writer w;
    tern_context *c = NULL;
    struct probe p = {.w = &w, .good = true};
    const struct tern_options options = {.devices = device};
    sbuf_init(&out, NULL);
    json_begin(&w, &out, false);
    json_object(&w);
    p.good = !tern_context_new(&options, &c) && !tern_context_device(c, 0, &p.device);
    if (p.good)
        probe_all(&p, device);
    json_key(&w, "good");
    json_bool(&w, p.good);
    json_end(&w);
    printf("%s\n", out.data ? out.data : "{}");
    fflush(stdout);
    tern_context_free(c);
    sbuf_free(&out);
    return EXIT_FINE;
}

/* ---- devices, in the parent ---- */
enum { PROBE_SECONDS = 120 };

/* What the child wrote, for free(), and how it ended, in words; NULL: well. */
static char *ask(const char *device, char *how, size_t size)
{
    char self[PATH_MAX], *out = NULL;
    int ends[2];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    *how = 0;
    if (n <= 0 || pipe(ends)) {
        snprintf(how, size, "no process could be started: %s", strerror(errno));
        return NULL;
    }
    self[n] = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(self, self, "doctor", "--probe", device, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t len = 0, cap = 0;
    const uint64_t until = thread_nanoseconds() + PROBE_SECONDS * UINT64_C(1000000000);
    bool late = false;
    while (child > 0) {
        struct pollfd p = {.fd = ends[0], .events = POLLIN};
        const uint64_t now = thread_nanoseconds();
        late = now >= until || poll(&p, 1, (int)((until - now) / 1000000)) == 0;
        if (late)
            break;
        if (len + 4096 > cap) {
            char *grown = realloc(out, cap = 2 * cap + 8192);
            if (!grown)
                break;
            out = grown;
        }
        const ssize_t got = read(ends[0], out + len, cap - len - 1);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    close(ends[0]);
    if (out)
        out[len] = 0;
    int status = 0;
    if (late)
        kill(child, SIGKILL);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (late)
        snprintf(how, size, "it did not end within %d s", PROBE_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(how, size, "its process died: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        snprintf(how, size, "its process ended with %d", WEXITSTATUS(status));
    return out;
}

static double number_of(const struct json_value *v, const char *key)
{
    const struct json_value *x = json_get(v, key);
    return x && x->kind == JSON_NUMBER ? x->number : 0;
}

static const char *text_of(const struct json_value *v, const char *key)
{
    const struct json_value *x = json_get(v, key);
    return x && x->kind == JSON_STRING ? x->string.ptr : "";
}

static bool truth_of(const struct json_value *v, const char *key)
{
    const struct json_value *x = json_get(v, key);
    return x && x->kind == JSON_BOOL && x->boolean;
}

static void show_shapes(const struct json_value *list)
{
    unsigned n = 0, good = 0;
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next, n++)
        good += truth_of(v, "works");
    printf("  blocks       %u of %u shapes work", good, n);
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next)
        if (!truth_of(v, "works"))
            printf(", not %s", text_of(v, "shape"));
    putchar('\n');
}

static void show_functions(const struct json_value *list)
{
    unsigned n = 0, good = 0;
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next, n++)
        good += truth_of(v, "within");
    printf("  f64          %u of %u functions are within their bounds\n", good, n);
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next)
        if (!truth_of(v, "within"))
            printf("               %s: %.3g ulp, bound %.3g\n", text_of(v, "name"),
                   number_of(v, "worst_ulp"), number_of(v, "bound"));
}

static void show_device(const char *device, const struct json_value *v, const char *how)
{
    printf("%s: %s (%s)\n", device, v ? text_of(v, "name") : "not usable",
           v ? text_of(v, "driver") : how);
    if (!v)
        return;
    if (*how)
        printf("  NOT WELL     %s\n", how);
    if (number_of(v, "f32_gflops") > 0)
        printf("  arithmetic   %.1f GFLOP/s f32, %.1f f64 (1:%.0f)\n", number_of(v, "f32_gflops"),
               number_of(v, "f64_gflops"), number_of(v, "f32_gflops") / number_of(v, "f64_gflops"));
    if (number_of(v, "kernel_gbytes") > 0)
        printf("  memory       %.1f GB/s by a kernel\n", number_of(v, "kernel_gbytes"));
    printf("  copies       %.1f GB/s there, %.1f back\n", number_of(v, "to_device_gbytes"),
           number_of(v, "from_device_gbytes"));
    printf("  launch       %.1f us, start and wait\n", number_of(v, "launch_us"));
    show_shapes(json_get(v, "block_shapes"));
    show_functions(json_get(v, "f64_functions"));
    const struct json_value *quirks = json_get(v, "quirks");
    for (const struct json_value *q = quirks ? quirks->first : NULL; q; q = q->next)
        printf("  quirk        %s: %s\n", text_of(q, "what"), text_of(q, "seen"));
}

/* False: it is not what it says. */
static bool doctor_device(const struct args *a, struct arena *arena, struct json_writer *w,
                          const char *device)
{
    char how[128];
    char *answer = ask(device, how, sizeof how);
    size_t at;
    const char *why;
    const struct json_value *v =
        answer && *answer ? json_parse(arena, answer, strlen(answer), &at, &why) : NULL;
    const bool good = v && truth_of(v, "good") && !*how;
    if (a->json) {
        json_object(w);
        text(w, "device", device);
        json_key(w, "good");
        json_bool(w, good);
        json_key(w, "trouble");
        if (*how)
            json_str(w, how);
        else
            json_null(w);
        json_key(w, "probe");
        if (v)
            json_raw(w, answer, strcspn(answer, "\n"));
        else
            json_null(w);
        json_end(w);
    } else {
        show_device(device, v, *how || v ? how : "it says nothing");
    }
    free(answer);
    return good;
}

/* ---- what else there is ---- */
static bool is_program(const char *name)
{
    char path[PATH_MAX];
    return find_program(name, path, sizeof path);
}

static bool find_library(const char *name)
{
    static const char *const dirs[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                       "/usr/lib64", "/usr/lib", "/usr/local/lib"};
    char path[PATH_MAX];
    for (size_t k = 0; k < sizeof dirs / sizeof *dirs; k++)
        if (snprintf(path, sizeof path, "%s/%s", dirs[k], name) < (int)sizeof path &&
            !access(path, R_OK))
            return true;
    return false;
}

static const struct tool {
    const char *name, *what, *package;
    bool library;
} tools[] = {
    {"c++", "builds the host half of programs", "g++", false},
    {"gcc", "better code for kernels on the CPU that run for long", "gcc", false},
    {"libvulkan.so.1", "Vulkan devices", "libvulkan1", true},
    {"libcuda.so.1", "NVIDIA devices", "NVIDIA's driver", true},
    {"gdb", "tern debug", "gdb", false},
    {"perf", "profiles of kernels by perf", "linux-perf", false},
    {"libsqlite3.so.0", "tern prof -o FILE.sqlite", "libsqlite3-0", true},
};

static void doctor_tools(const struct args *a, struct json_writer *w)
{
    const bool apt = is_program("apt-get");
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++) {
        const struct tool *t = &tools[k];
        const bool here = t->library ? find_library(t->name) : is_program(t->name);
        char how[128] = "";
        if (!here && !strchr(t->package, ' '))
            snprintf(how, sizeof how, "%s %s", apt ? "apt-get install" : "install the package",
                     t->package);
        else if (!here)
            snprintf(how, sizeof how, "install %s", t->package);
        if (a->json) {
            json_object(w);
            text(w, "tool", t->name);
            text(w, "for", t->what);
            json_key(w, "here");
            json_bool(w, here);
            json_key(w, "install");
            if (*how)
                json_str(w, how);
            else
                json_null(w);
            json_end(w);
        } else if (here) {
            printf("%-16s here: %s\n", t->name, t->what);
        } else {
            printf("%-16s missing: %s; %s\n", t->name, t->what, how);
        }
    }
}

static bool doctor_all(const struct args *a, struct arena *arena)
{
    struct sbuf out;
    struct json_writer w;
    bool good = true;
    sbuf_init(&out, arena);
    json_begin(&w, &out, true);
    json_object(&w);
    json_key(&w, "devices");
    json_array(&w);
    for (size_t k = 0; dev_drivers[k]; k++) {
        const char *why = NULL;
        const unsigned n = dev_drivers[k]->count(&why);
        for (unsigned i = 0; i < n; i++) {
            char device[64];
            snprintf(device, sizeof device, "%s:%u", dev_drivers[k]->name, i);
            const bool asked = !a->device || !strcmp(a->device, "auto") ||
                               !strcmp(a->device, dev_drivers[k]->name) ||
                               !strcmp(a->device, device);
            if (asked)
                good &= doctor_device(a, arena, &w, device);
        }
        if (!n && !a->json)
            printf("%s: none: %s\n", dev_drivers[k]->name, why ? why : "no device");
    }
    json_end(&w);
    json_key(&w, "tools");
    json_array(&w);
    doctor_tools(a, &w);
    json_end(&w);
    json_end(&w);
    if (a->json)
        printf("%s\n", out.data);
    return good;
}

int command_doctor(struct args *a)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena arena;
    if (a->probe)
        return probe(a->probe);
    mem.unwind = &unwind;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        mem_release(&mem);
        return EXIT_MEMORY;
    }
    const bool good = doctor_all(a, &arena);
    mem_release(&mem);
    return good ? EXIT_FINE : EXIT_DEVICE;
}
