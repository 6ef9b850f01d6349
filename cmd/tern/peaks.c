/* What a device does at best, measured in about a second: bytes copied by a kernel, multiply-adds
 * in f32 and f64. `tern prof --counters` holds kernels against it. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "prof/prof.h"
#include "tern.h"
#include "tern/tern.h"

/* Eight sums of their own, so that no multiply-add waits for the one before it. */
static const char source[] =
    "extern \"C\" __global__ void copy(const float4 *from, float4 *to, int n) {\n"
    "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "        to[i] = from[i];\n"
    "}\n"
    "template <class T> __device__ void sums(T *out, int rounds) {\n"
    "    T a = out[0], b = a + 1, s[8];\n"
    "    for (int k = 0; k < 8; k++) s[k] = threadIdx.x + k;\n"
    "    for (int r = 0; r < rounds; r++)\n"
    "        for (int k = 0; k < 8; k++) s[k] = s[k] * a + b;\n"
    "    T all = 0;\n"
    "    for (int k = 0; k < 8; k++) all += s[k];\n"
    "    if (all == 12345) out[1] = all;\n"
    "}\n"
    "extern \"C\" __global__ void f32(float *out, int rounds) { sums(out, rounds); }\n"
    "extern \"C\" __global__ void f64(double *out, int rounds) { sums(out, rounds); }\n";

enum { BYTES = 64 << 20, THREADS = 256, ROUNDS = 256, TRIES = 5 };

struct bench {
    tern_device *device;
    tern_module *module;
    tern_buffer *from, *to;
    unsigned blocks;
};

/* Seconds of the best of several launches; NAN: it cannot be run here. */
static double best_of(const struct bench *b, const char *name, unsigned blocks, void *const *args)
{
    tern_kernel *k;
    double best = NAN;
    if (tern_module_kernel(b->module, name, &k))
        return NAN;
    for (int t = 0; t <= TRIES; t++) {
        const uint64_t start = thread_nanoseconds();
        if (tern_launch(NULL, k, (tern_dim){blocks, 1, 1}, (tern_dim){THREADS, 1, 1}, 0, args) ||
            tern_device_wait(b->device))
            return NAN;
        const double s = (double)(thread_nanoseconds() - start) * 1e-9;
        if (t && !(best < s)) /* the first one compiles */
            best = s;
    }
    return best;
}

static double rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds * 1e-9 : 0;
}

static void measure(const struct bench *b, struct prof_peaks *out)
{
    uint64_t from = tern_buffer_address(b->from), to = tern_buffer_address(b->to);
    int n = BYTES / 16, rounds = ROUNDS;
    out->gbytes = rate(2.0 * BYTES, best_of(b, "copy", b->blocks, (void *[]){&from, &to, &n}));
    const double flops = 2.0 * 8 * ROUNDS * THREADS * b->blocks;
    out->gflops_32 = rate(flops, best_of(b, "f32", b->blocks, (void *[]){&to, &rounds}));
    out->gflops_64 = rate(flops, best_of(b, "f64", b->blocks, (void *[]){&to, &rounds}));
}

void measure_peaks(const char *devices, struct prof_peaks *out)
{
    tern_context *c = NULL;
    struct bench b = {0};
    struct tern_device_info info;
    *out = (struct prof_peaks){0};
    const struct tern_options options = {.devices = devices};
    if (tern_context_new(&options, &c))
        return;
    if (!tern_context_device(c, 0, &b.device) && !tern_device_info(b.device, &info) &&
        !tern_module_new(b.device, &(struct tern_source){.text = source}, &b.module) &&
        !tern_buffer_new(b.device, BYTES, &b.from) && !tern_buffer_new(b.device, BYTES, &b.to)) {
        b.blocks = 64 * (info.units ? info.units : 1);
        measure(&b, out);
    }
    tern_buffer_free(b.from);
    tern_buffer_free(b.to);
    tern_module_free(b.module);
    tern_context_free(c);
}
