/* From source to a kernel that has run, cold, in a process of its own.
 *
 *   compile tern FILE KERNEL     our compiler, the driver's assembler, one launch of one thread
 *   compile nvrtc FILE KERNEL    NVIDIA's run-time compiler alone, to machine code
 * Prints milliseconds, with TERN_LOG=1 also when each thing is done on the way. Neither time has
 * the making of the context in it. Kernels run in one thread; pointers are to a buffer of zeros,
 * numbers are zero. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../bench/bench.h"
#include "rt/module.h"

static double milliseconds(void)
{
    return (double)thread_nanoseconds() * 1e-6;
}

struct trace {
    double began;
};

static void note(void *ctx, const struct report *r)
{
    const struct trace *t = ctx;
    if (r->message && t->began > 0)
        fprintf(stderr, "%7.2f ms: %s\n", milliseconds() - t->began, r->message);
}

static void stage(const struct trace *t, const char *what)
{
    const struct report_sink sink = {note, (void *)(uintptr_t)t};
    if (getenv("TERN_LOG"))
        report_note(&sink, "%s", what);
}

static int with_tern(const char *path, const char *text, size_t len, const char *name)
{
    struct trace trace = {0};
    struct dev_host host = {0};
    if (getenv("TERN_LOG"))
        host.reports = (struct report_sink){note, &trace};
    struct rt_device d;
    struct rt_module *m = NULL;
    char why[256], *log = NULL;
    if (rt_open("cuda", &host, &d, why)) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    dev_ptr buffer = 0;
    if (d.driver->alloc(d.dev, 1 << 20, 256, "buffer", &buffer) ||
        d.driver->fill(d.dev, d.queue, buffer, 1 << 20, 0, 4) || d.driver->queue_wait(d.queue))
        return 2;
    double t = milliseconds();
    trace.began = t;
    struct rt_source s = {.path = path, .text = text, .len = len};
    enum tern_error e = rt_module_build(&d, &s, &m, &log);
    const struct rt_kernel *k = m ? rt_module_kernel(m, name) : NULL;
    if (k) {
        char params[256] = {0};
        for (uint32_t n = 0; n < k->nparams; n++)
            if (k->params[n].size == 8)
                memcpy(params + k->params[n].offset, &buffer, 8);
        struct dev_launch l = {
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params, .param_bytes = k->param_bytes};
        stage(&trace, "the module is loaded");
        if (d.driver->prepare)
            e = d.driver->prepare(k->dev);
        stage(&trace, "the kernel is ready");
        if (!e)
            e = rt_run(&d, k->dev, &l);
        stage(&trace, "it has run");
    }
    t = milliseconds() - t;
    if (!k || e) {
        fprintf(stderr, "%s %s\n", tern_error_name(e), log ? log : "");
        return 2;
    }
    printf("%.2f\n", t);
    return 0;
}

typedef struct program_ *program;

static int with_nvrtc(const char *path, const char *text)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    void *lib = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !lib; k++)
        lib = dlopen(names[k], RTLD_NOW);
    int (*create)(program *, const char *, const char *, int, const char **, const char **);
    int (*compile)(program, int, const char **);
    void *a = lib ? dlsym(lib, "nvrtcCreateProgram") : NULL;
    void *b = lib ? dlsym(lib, "nvrtcCompileProgram") : NULL;
    if (!a || !b) {
        fprintf(stderr, "no libnvrtc\n");
        return 3;
    }
    memcpy(&create, &a, sizeof a);
    memcpy(&compile, &b, sizeof b);
    const char *options[] = {"--gpu-architecture=sm_90"};
    program p;
    double t = milliseconds();
    int r = create(&p, text, path, 0, NULL, NULL);
    if (!r)
        r = compile(p, 1, options);
    t = milliseconds() - t;
    if (r) {
        fprintf(stderr, "nvrtc: error %d\n", r);
        return 2;
    }
    printf("%.2f\n", t);
    return 0;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    char *text = argc > 3 ? bench_read(argv[2], &n) : NULL;
    if (!text)
        return 2;
    return strcmp(argv[1], "tern") ? with_nvrtc(argv[2], text)
                                   : with_tern(argv[2], text, n, argv[3]);
}
