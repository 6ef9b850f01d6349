/* Textures and surfaces on the CPU device and in the interpreter: the same numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/pipeline.h"
#include "rt/rt.h"
#include "rt/texture.h"

enum { N = 200 };

static void need(enum tern_error e, const char *what)
{
    if (e) {
        fprintf(stderr, "%s: %s\n", what, tern_error_text(e));
        exit(1);
    }
}

static dev_ptr upload(const struct rt_device *d, const void *data, uint64_t n)
{
    dev_ptr p;
    need(d->driver->alloc(d->dev, n, 0, "texels", &p), "alloc");
    need(d->driver->copy_in(d->dev, NULL, p, data, n), "copy");
    return p;
}

static uint64_t texture(const struct rt_device *d, struct texture_desc t, uint32_t w, uint32_t h,
                        const void *data)
{
    uint64_t handle;
    t.components = 1, t.bits = 32, t.layers = 1, t.max_level = 16;
    t.address[0] = TEXTURE_WRAP, t.address[1] = t.address[2] = TEXTURE_CLAMP;
    texture_layout(&t, w, h, 1, 1);
    t.memory = upload(d, data, t.bytes);
    need(d->driver->texture_new(d->dev, &t, &handle), "texture");
    return handle;
}

static void run(const struct ir_module *m, const char *device, float *out)
{
    struct rt_device d;
    struct dev_module *code;
    struct dev_kernel *paint, *sample;
    char why[256];
    struct diag diag = {0};
    need(rt_open(device, &(struct dev_host){0}, &d, why), "open");
    need(d.driver->load(d.dev, m, &diag, &code), "load");
    need(d.driver->kernel(code, "paint", &paint), "paint");
    need(d.driver->kernel(code, "sample", &sample), "sample");
    float texels[64];
    int numbers[64] = {0};
    for (int i = 0; i < 64; i++)
        texels[i] = (float)(i * i % 23), numbers[i] = 1000 * i;
    struct {
        uint64_t t, ints, s;
        dev_ptr out;
        int n;
    } args = {texture(&d,
                      (struct texture_desc){.geometry = IR_TEX_2D,
                                            .channel = TEXTURE_FLOAT,
                                            .filter = TEXTURE_LINEAR},
                      8, 8, texels),
              texture(&d, (struct texture_desc){.geometry = IR_TEX_1D, .channel = TEXTURE_SIGNED},
                      64, 1, numbers),
              texture(&d, (struct texture_desc){.geometry = IR_TEX_2D, .channel = TEXTURE_SIGNED},
                      8, 8, numbers),
              upload(&d, (float[N]){0}, 4 * N), N};
    struct dev_launch l = {
        .grid = {1, 1, 1}, .block = {8, 8, 1}, .params = &args.s, .param_bytes = 8};
    need(rt_run(&d, paint, &l), "paint");
    l = (struct dev_launch){
        .grid = {4, 1, 1}, .block = {50, 1, 1}, .params = &args, .param_bytes = sizeof args};
    need(rt_run(&d, sample, &l), "sample");
    need(d.driver->copy_out(d.dev, NULL, out, args.out, 4 * N), "copy");
    need(d.driver->texture_free(d.dev, args.t), "free");
    if (!rt_run(&d, sample, &l)) {
        fprintf(stderr, "%s: a texture that is gone was sampled\n", device);
        exit(1);
    }
    d.driver->unload(d.dev, code);
    d.driver->close(d.dev);
}

int main(int argc, char **argv)
{
    static char text[16384];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = "textures.cu", .level = 2};
    need(compile_source(&c, &o, text, len), "compile");
    static float want[N], got[N];
    run(c.module, "interp", want);
    run(c.module, "cpu", got);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += want[i];
        if (memcmp(&want[i], &got[i], 4)) {
            fprintf(stderr, "%d: %g, not %g\n", i, got[i], want[i]);
            return 1;
        }
    }
    compile_free(&c);
    return sum == 0;
}
