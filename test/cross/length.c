/* Vectors of SVE that a program makes shorter while kernels run with longer ones: each launch still
 * gives what it should, by the code that was made for the first length. length FILE KERNEL: the
 * kernel writes to each of 4096 words of its argument its own number, times 3. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

enum { LENGTH_SET = 50, LENGTH_GET = 51, LENGTH_MASK = 0xffff, WORDS = 4096 };

static void need(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static unsigned wrong(const struct rt_device *d, struct dev_kernel *k, dev_ptr p)
{
    struct dev_queue *q;
    uint32_t *out = (uint32_t *)(uintptr_t)p;
    unsigned n = 0;
    const struct dev_launch l = {
        .grid = {WORDS / 128, 1, 1}, .block = {128, 1, 1}, .params = &p, .param_bytes = sizeof p};
    for (unsigned i = 0; i < WORDS; i++)
        out[i] = 0;
    need(!d->driver->queue_new(d->dev, &q), "queue");
    need(!d->driver->launch(d->dev, q, k, &l) && !d->driver->queue_wait(q), "launch");
    d->driver->queue_free(q);
    for (unsigned i = 0; i < WORDS; i++)
        n += out[i] != 3 * i;
    return n;
}

int main(int argc, char **argv)
{
    static char text[4096];
    FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL;
    const size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct rt_device d;
    struct dev_module *code;
    struct dev_kernel *kernel;
    struct diag diag = {0};
    char why[256];
    dev_ptr p;
    const struct dev_host host = {.threads = 1};
    const int bytes = prctl(LENGTH_GET) & LENGTH_MASK;
    need(bytes > 16, "there are no vectors longer than 128 bits");
    need(!compile_source(&c, &(struct compile_options){.path = "length.cu", .level = 2}, text, len),
         "compile");
    need(!rt_open("cpu", &host, &d, why), "open");
    need(!d.driver->load(d.dev, c.module, &diag, &code), "load");
    need(!d.driver->kernel(code, argv[2], &kernel), "kernel");
    need(!d.driver->alloc(d.dev, WORDS * 4, 0, "p", &p), "alloc");
    need(!wrong(&d, kernel, p), "wrong with the length that it was made for");
    need(prctl(LENGTH_SET, 16) >= 0, "the length cannot be changed");
    need(!wrong(&d, kernel, p), "wrong with another length");
    d.driver->unload(d.dev, code);
    d.driver->close(d.dev);
    compile_free(&c);
    return 0;
}
