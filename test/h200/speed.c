/* Times the kernels of kernels.cu, compiled by two compilers, with the driver's own calls.
 *
 *   speed OURS.ptx THEIRS.cubin
 * For each kernel: the shortest of many runs with each image, whether they give the same bytes, and
 * the ratio; then the geometric mean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../bench/bench.h"
#include "rt/dev/cuda/nvidia_int.h"

enum { BUFFERS = 5, RUNS = 25 };

/* Arguments: i an int, f a float, 0-4 a buffer. Buffers are as large as `bytes` says; the last one
 * named is the output. */
struct job {
    const char *kernel;
    uint32_t grid[2], block[2];
    const char *args;
    int ints[2];
    float real;
    uint64_t bytes[BUFFERS];
    bool approximate; /* sums in another order, or fast intrinsics: compared to 1e-3 */
};

#define M (1u << 20)
static const struct job jobs[] = {
    {"saxpy", {65536, 1}, {256, 1}, "if01", {16 * M}, 2.5f, {64 * M, 64 * M}, false},
    {"copy4", {4096, 1}, {256, 1}, "i01", {16 * M}, 0, {256 * M, 256 * M}, false},
    {"transpose", {128, 128}, {32, 8}, "i01", {4096}, 0, {64 * M, 64 * M}, false},
    {"sgemm_naive", {64, 64}, {16, 16}, "i012", {1024}, 0, {4 * M, 4 * M, 4 * M}, true},
    {"sgemm_tiled", {64, 64}, {32, 32}, "i012", {2048}, 0, {16 * M, 16 * M, 16 * M}, true},
    {"sgemm_register", {32, 32}, {256, 1}, "i012", {2048}, 0, {16 * M, 16 * M, 16 * M}, true},
    {"dgemm_tiled", {64, 64}, {16, 16}, "i012", {1024}, 0, {8 * M, 8 * M, 8 * M}, true},
    {"reduce", {1024, 1}, {256, 1}, "i01", {64 * M}, 0, {256 * M, 4096}, true},
    {"stencil", {128, 512}, {32, 8}, "i01", {4096}, 0, {64 * M, 64 * M}, true},
    {"nbody", {128, 1}, {256, 1}, "i01", {32768}, 0, {512 * 1024, 512 * 1024}, true},
    {"histogram", {1024, 1}, {256, 1}, "i01", {16 * M}, 0, {64 * M, 1024}, false},
    {"mandelbrot", {128, 128}, {16, 16}, "ii0", {2048, 256}, 0, {16 * M}, true},
    {"spmv", {4096, 1}, {256, 1}, "i0123", {M}, 0, {64 * M, 64 * M, 4 * M, 4 * M}, true},
    {"convolve", {128, 512}, {32, 8}, "i01", {4096}, 0, {64 * M, 64 * M}, true},
    {"scan", {8192, 1}, {512, 1}, "i01", {4 * M}, 0, {16 * M, 16 * M}, false},
    {"hash", {16384, 1}, {256, 1}, "i01", {4 * M}, 0, {16 * M, 16 * M}, false},
    {"softmax", {16384, 1}, {256, 1}, "01", {0}, 0, {64 * M, 64 * M}, true},
    {"layer_norm", {16384, 1}, {256, 1}, "01", {0}, 0, {64 * M, 64 * M}, true},
    {"attention", {32, 8}, {64, 1}, "if0123", {2048}, 0.125f, {4 * M, 4 * M, 4 * M, 4 * M}, true},
    {"dequantize", {65536, 1}, {256, 1}, "i01", {65536}, 0, {9 * M + 437184, 64 * M}, false},
};

struct candidate {
    const char *name;
    nv_module module;
    nv_function function;
    float best;
    char *out;
};

static struct nv_api api;
static bool run(const struct job *j, struct candidate *m, nv_ptr *buffers, const char *const *init,
                nv_event *ev)
{
    void *params[8];
    unsigned n = 0, ints = 0, last = 0;
    for (const char *a = j->args; *a; a++) {
        if (*a == 'i') {
            params[n++] = (void *)(uintptr_t)&j->ints[ints++];
        } else if (*a == 'f') {
            params[n++] = (void *)(uintptr_t)&j->real;
        } else {
            last = (unsigned)(*a - '0');
            params[n++] = &buffers[last];
        }
    }
    if (api.module_function(&m->function, m->module, j->kernel))
        return false;
    m->best = 1e30f;
    for (int r = 0; r < RUNS; r++) {
        float ms = 0;
        for (unsigned k = 0; k < BUFFERS; k++)
            if (j->bytes[k] && (r == 0 || k == last))
                api.copy_in(buffers[k], init[k], j->bytes[k], NULL);
        api.event_record(ev[0], NULL);
        nv_result e = api.launch(m->function, j->grid[0], j->grid[1], 1, j->block[0], j->block[1],
                                 1, 0, NULL, params, NULL);
        api.event_record(ev[1], NULL);
        if (e || api.event_sync(ev[1])) {
            printf("FAIL %s on %s: %s\n", j->kernel, m->name, nv_error_name(e));
            return false;
        }
        api.event_elapsed(&ms, ev[0], ev[1]);
        m->best = ms < m->best ? ms : m->best;
    }
    m->out = malloc(j->bytes[last]);
    api.copy_out(m->out, buffers[last], j->bytes[last], NULL);
    api.ctx_sync();
    return true;
}

/* The share of bytes that differ, or the largest relative difference of floats. */
static double difference(const struct job *j, const char *x, const char *y)
{
    unsigned last = (unsigned)(j->args[strlen(j->args) - 1] - '0');
    uint64_t n = j->bytes[last];
    double worst = 0;
    if (!j->approximate)
        return memcmp(x, y, n) ? 1 : 0;
    if (!strcmp(j->kernel, "mandelbrot")) { /* counts near the edge depend on the last bit */
        uint64_t differ = 0;
        for (uint64_t k = 0; k < n; k += 4)
            differ += memcmp(x + k, y + k, 4) != 0;
        return (double)differ / (double)(n / 4);
    }
    bool wide = !strncmp(j->kernel, "dgemm", 5);
    for (uint64_t k = 0; k + 8 <= n; k += wide ? 8 : 4) {
        double a, b;
        float fa, fb;
        memcpy(&a, x + k, 8);
        memcpy(&b, y + k, 8);
        memcpy(&fa, x + k, 4);
        memcpy(&fb, y + k, 4);
        if (!wide) {
            a = fa;
            b = fb;
        }
        double scale = fabs(b) > 1 ? fabs(b) : 1, d = fabs(a - b) / scale;
        if (!(d <= worst)) /* NaN counts */
            worst = d;
    }
    return worst;
}

int main(int argc, char **argv)
{
    const char *why = NULL;
    nv_device dev;
    nv_context ctx;
    nv_event ev[2];
    if (argc < 3)
        return 2;
    if (!nv_find(&api, &why)) {
        printf("SKIP speed: %s\n", why);
        return 0;
    }
    size_t sizes[2];
    char *text[2] = {bench_read(argv[1], &sizes[0]), bench_read(argv[2], &sizes[1])};
    struct candidate images[2] = {{.name = "tern"}, {.name = "nvcc"}};
    if (api.device_get(&dev, 0) || api.primary_retain(&ctx, dev) || api.ctx_set(ctx) ||
        api.event_create(&ev[0], 0) || api.event_create(&ev[1], 0))
        return 2;
    for (int k = 0; k < 2; k++) {
        nv_result r = text[k] ? api.module_load(&images[k].module, text[k]) : 301;
        if (r) {
            printf("FAIL speed: %s does not load: %s\n", argv[k + 1], nv_error_name(r));
            return 1;
        }
    }
    double logs = 0;
    unsigned counted = 0, slow = 0;
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++) {
        const struct job *j = &jobs[n];
        nv_ptr buffers[BUFFERS] = {0};
        char *init[BUFFERS] = {0};
        bool ints = !strcmp(j->kernel, "histogram") || !strcmp(j->kernel, "scan") ||
                    !strcmp(j->kernel, "hash") || !strcmp(j->kernel, "dequantize");
        for (unsigned k = 0; k < BUFFERS; k++) {
            if (!j->bytes[k])
                continue;
            uint64_t s = k + 1;
            init[k] = malloc(j->bytes[k]);
            for (uint64_t i = 0; i + 4 <= j->bytes[k]; i += 4) {
                s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
                uint32_t w = (uint32_t)(s >> 33);
                float f = (float)(w & 0xffff) / 65536 - 0.5f;
                double d = f;
                if (!strncmp(j->kernel, "dgemm", 5) && i % 8 == 0 && i + 8 <= j->bytes[k])
                    memcpy(init[k] + i, &d, 8), i += 4;
                else if (ints || (!strcmp(j->kernel, "spmv") && k == 0))
                    memcpy(init[k] + i, &w, 4);
                else
                    memcpy(init[k] + i, &f, 4);
            }
            if (ints && !strcmp(j->kernel, "dequantize") && k == 0)
                for (uint64_t i = 0; i + 144 <= j->bytes[k]; i += 144)
                    memcpy(init[k] + i, "\x00\x2c\x00\x28", 4); /* d 0.0625, dmin 0.03125 */
            if (api.mem_alloc(&buffers[k], j->bytes[k]))
                return 2;
        }
        bool ok = true;
        for (int k = 0; k < 2 && ok; k++)
            ok = run(j, &images[k], buffers, (const char *const *)init, ev);
        if (ok) {
            double d = difference(j, images[0].out, images[1].out);
            double ratio = (double)images[1].best / (double)images[0].best;
            /* the orbit of a point near the edge turns on which products are fused: nvcc leaves x *
             * x unfused where it is used twice */
            double bound = !strcmp(j->kernel, "mandelbrot") ? 1e-2 : j->approximate ? 1e-3 : 0;
            bool same = d <= bound;
            printf(
                "%s speed_%s: tern %.4f ms, nvcc %.4f ms, %.3f of nvcc's speed, difference %.1e\n",
                same ? "PASS" : "FAIL", j->kernel, (double)images[0].best, (double)images[1].best,
                ratio, d);
            logs += log(ratio);
            counted++;
            slow += ratio < 0.8;
        }
        for (unsigned k = 0; k < BUFFERS; k++) {
            if (buffers[k])
                api.mem_free(buffers[k]);
            free(init[k]);
        }
        for (int k = 0; k < 2; k++) {
            free(images[k].out);
            images[k].out = NULL;
        }
    }
    double mean = counted ? exp(logs / counted) : 0;
    printf("%s speed: geometric mean %.3f of nvcc's speed over %u kernels, %u below 0.8\n",
           mean >= 0.95 && !slow ? "PASS" : "FAIL", mean, counted, slow);
    return 0;
}
