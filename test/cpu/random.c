/* Random modules on the CPU device against the interpreter.
 *
 *   random FIRST COUNT SIZE WHAT…   WHAT: letters of d(ivergence) b(arriers) w(arp ops) f(loats)
 * Each seed runs with several block shapes and gang widths; the interpreter gets the module as it
 * is, the CPU the optimised one. Prints a line for each difference, and how many modules were
 * vectorised. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "opt/opt.h"
#include "rt/rt.h"

struct shape {
    uint32_t grid, x, y, z;
    const char *gang;
};
/* With barriers or warp operations, random modules are only free of races in one row. */
static const struct shape shapes[] = {
    {2, 64, 1, 1, "0"},  {3, 33, 1, 1, "4"}, {1, 7, 5, 2, "0"},   {2, 16, 4, 1, "8"},
    {1, 40, 3, 1, "16"}, {2, 1, 1, 1, "0"},  {1, 96, 2, 1, "32"}, {1, 5, 13, 1, "1"},
};
static const struct shape rows[] = {
    {2, 64, 1, 1, "0"},  {3, 33, 1, 1, "4"}, {1, 70, 1, 1, "0"},   {2, 128, 1, 1, "8"},
    {1, 45, 1, 1, "16"}, {2, 1, 1, 1, "0"},  {1, 256, 1, 1, "32"}, {1, 65, 1, 1, "1"},
};

static enum tern_error run(const char *device, const struct ir_module *m, struct diag *d,
                           const struct shape *s, uint32_t *out, uint32_t n)
{
    struct dev_host host = {.reports = {report_write, stdout}};
    struct rt_device dev;
    char why[256];
    setenv("TERN_GANG", getenv("TEST_GANG") ? getenv("TEST_GANG") : s->gang, 1);
    enum tern_error e = rt_open(device, &host, &dev, why);
    if (e) {
        printf("%s\n", why);
        return e;
    }
    struct dev_module *mod = NULL;
    struct dev_kernel *k = NULL;
    dev_ptr in = 0, to = 0;
    uint32_t *data = malloc(n * 4u);
    for (uint32_t i = 0; i < n; i++)
        data[i] = i * 2654435761u ^ i << 3;
    if (!(e = dev.driver->load(dev.dev, m, d, &mod)) && !(e = dev.driver->kernel(mod, "k", &k)) &&
        !(e = dev.driver->alloc(dev.dev, n * 4u, 0, "in", &in)) &&
        !(e = dev.driver->alloc(dev.dev, n * 4u, 0, "out", &to))) {
        struct {
            dev_ptr in, out;
            uint32_t n;
        } params = {in, to, n};
        struct dev_launch l = {.grid = {s->grid, 1, 1},
                               .block = {s->x, s->y, s->z},
                               .params = &params,
                               .param_bytes = 20};
        rt_upload(&dev, in, data, n * 4u);
        dev.driver->fill(dev.dev, NULL, to, n * 4u, 0, 4);
        e = rt_run(&dev, k, &l);
        if (e)
            printf("%s: %s\n", device, tern_error_name(e));
        rt_download(&dev, out, to, n * 4u);
    }
    free(data);
    if (mod)
        dev.driver->unload(dev.dev, mod);
    rt_close(&dev);
    return e;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    const char *what = argv[4];
    unsigned bad = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct mem mem = {0};
        jmp_buf unwind;
        mem.unwind = &unwind;
        if (setjmp(unwind))
            return 3;
        struct arena a;
        arena_init(&a, &mem);
        struct interner names;
        struct source_map sources;
        struct diag d;
        intern_init(&names, &a);
        source_init(&sources, &a);
        diag_init(&d, &a, &sources);
        struct ir_random_options o = {.seed = seed,
                                      .size = (unsigned)atoi(argv[3]),
                                      .memory = true,
                                      .divergence = strchr(what, 'd') != NULL,
                                      .barriers = strchr(what, 'b') != NULL,
                                      .warp_ops = strchr(what, 'w') != NULL,
                                      .floats = strchr(what, 'f') != NULL,
                                      .vectors = strchr(what, 'v') != NULL};
        struct ir_module *plain = ir_random(&a, &names, &o);
        struct ir_module *fast = ir_clone(&a, &names, plain);
        struct opt_options level = {.level = strchr(what, '0') ? 0 : 2};
        struct pass_log log = {.verify = true};
        struct passes p = {.arena = &a, .module = fast, .diag = &d, .stage = "opt", .log = &log};
        if (!opt_run(&p, &level)) {
            printf("seed %llu: the optimiser broke it\n", (unsigned long long)seed);
            bad++;
        }
        bool one_row = o.barriers || o.warp_ops;
        const struct shape *s = &(one_row ? rows : shapes)[seed % (sizeof shapes / sizeof *shapes)];
        uint32_t n = s->grid * s->x * s->y * s->z;
        uint32_t *want = calloc(n, 4), *got = calloc(n, 4);
        enum tern_error e1 = run("interp", plain, &d, s, want, n),
                        e2 = run("cpu", fast, &d, s, got, n);
        uint32_t k = 0;
        while (k < n && want[k] == got[k])
            k++;
        if (e1 != e2 || k < n) {
            printf("seed %llu, block %ux%ux%u, gang %s: ", (unsigned long long)seed, s->x, s->y,
                   s->z, s->gang);
            if (e1 != e2)
                printf("interpreter says %s, cpu %s\n", tern_error_name(e1), tern_error_name(e2));
            else
                printf("thread %u: interpreter %08x, cpu %08x\n", k, want[k], got[k]);
            bad++;
        }
        free(want), free(got);
        arena_free(&a);
    }
    printf("%llu modules, %u wrong\n", (unsigned long long)count, bad);
    return bad != 0;
}
