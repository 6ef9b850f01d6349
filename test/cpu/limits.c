/* A time limit that strikes while kernels are in the host's functions leaves nothing locked: after
 * each, the same device runs the same kernel to its end. limits FILE KERNEL */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

enum { ROUNDS = 8 };

static void need(enum tern_error e, enum tern_error wanted, const char *what)
{
    if (e != wanted) {
        fprintf(stderr, "%s: %s\n", what, tern_error_text(e));
        exit(1);
    }
}

/* As a stream does, it holds a lock while it writes what kernels print. */
static void take(void *ctx, const struct report *r)
{
    pthread_mutex_t *lock = ctx;
    char text[64];
    pthread_mutex_lock(lock);
    for (int k = 0; k < 20; k++)
        snprintf(text, sizeof text, "%d %d", k, (int)r->kind);
    pthread_mutex_unlock(lock);
}

/* On a queue of its own: an error stays with one. */
static enum tern_error run(const struct rt_device *d, struct dev_kernel *k,
                           const struct dev_launch *l)
{
    struct dev_queue *q;
    need(d->driver->queue_new(d->dev, &q), TERN_OK, "queue");
    enum tern_error e = d->driver->launch(d->dev, q, k, l);
    if (!e)
        e = d->driver->queue_wait(q);
    d->driver->queue_free(q);
    return e;
}

int main(int argc, char **argv)
{
    static char text[16384];
    FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL;
    const size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct rt_device d;
    struct dev_module *code;
    struct dev_kernel *kernel;
    struct diag diag = {0};
    char why[256];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct dev_host host = {.reports = {take, &lock}, .threads = 4};
    need(compile_source(&c, &(struct compile_options){.path = "limits.cu", .level = 2}, text, len),
         TERN_OK, "compile");
    need(rt_open("cpu", &host, &d, why), TERN_OK, "open");
    need(d.driver->load(d.dev, c.module, &diag, &code), TERN_OK, "load");
    need(d.driver->kernel(code, argv[2], &kernel), TERN_OK, "kernel");
    for (int k = 0; k < ROUNDS; k++) {
        int n = 2000000000;
        struct dev_launch l = {.grid = {4, 1, 1},
                               .block = {64, 1, 1},
                               .params = &n,
                               .param_bytes = sizeof n,
                               .timeout_ns = 100000000};
        need(run(&d, kernel, &l), TERN_TIMEOUT, "a launch without an end");
        need(d.driver->reset_fault(d.dev), TERN_OK, "reset");
        n = 3;
        l.timeout_ns = 0;
        need(run(&d, kernel, &l), TERN_OK, "a launch after it");
    }
    d.driver->unload(d.dev, code);
    d.driver->close(d.dev);
    compile_free(&c);
    return 0;
}
