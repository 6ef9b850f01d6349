/* web-native FILE (NAME N GRIDX GRIDY BLOCKX BLOCKY COUNT COUNT COUNT)…: the best time of each
 * kernel on the CPU device with 128-bit vectors, in milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

int main(int argc, char **argv)
{
    static char text[65536];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    const size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = "kernels.cu", .level = 2};
    char cache[512], why[256] = "the kernels do not compile";
    struct dev_host host = {.cache_dir = rt_cache_dir(cache, sizeof cache)};
    struct rt_device d;
    struct dev_module *m;
    if (!len || compile_source(&c, &o, text, len) || rt_open("cpu", &host, &d, why) ||
        d.driver->load(d.dev, c.module, &c.diag, &m)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    for (int k = 2; k + 8 < argc; k += 9) {
        uint32_t v[8];
        for (int i = 0; i < 8; i++)
            v[i] = (uint32_t)strtoul(argv[k + 1 + i], NULL, 10);
        struct {
            dev_ptr p[3];
            uint32_t n;
        } params = {.n = v[0]};
        for (int b = 0; b < 3; b++) {
            uint32_t seed = (uint32_t)b + 1;
            d.driver->alloc(d.dev, 4 * (uint64_t)v[5 + b], 0, "", &params.p[b]);
            for (uint32_t i = 0; i < v[5 + b]; i++) {
                seed = seed * 1664525u + 1013904223u;
                ((float *)(uintptr_t)params.p[b])[i] = (float)(seed >> 8) * 0x1p-24f + 0.5f;
            }
        }
        struct dev_launch l = {.grid = {v[1], v[2], 1},
                               .block = {v[3], v[4], 1},
                               .params = &params,
                               .param_bytes = 28};
        struct dev_kernel *kernel;
        uint64_t best = UINT64_MAX, end = thread_nanoseconds() + 2000000000u;
        if (d.driver->kernel(m, argv[k], &kernel) || rt_run(&d, kernel, &l))
            return 1;
        for (int r = 0; r < 5 || (r < 200 && thread_nanoseconds() < end); r++) {
            const uint64_t start = thread_nanoseconds();
            rt_run(&d, kernel, &l);
            const uint64_t took = thread_nanoseconds() - start;
            best = took < best ? took : best;
        }
        printf("%s\t%.6f\n", argv[k], (double)best * 1e-6);
    }
    return 0;
}
