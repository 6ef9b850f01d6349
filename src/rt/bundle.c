/* A bundle of images (shelf.h) for one device half: the module, and code of all its kernels, for
 * blocks of some shapes. The CPU device makes them as if they were launched. */
#include <stdlib.h>
#include "rt/module.h"
#include "rt/shelf.h"

struct bundler {
    struct sbuf *out;
    size_t images;
};

static void keep(void *ctx, const struct image_key *k, const char *data, size_t n)
{
    struct bundler *b = ctx;
    shelf_put(b->out, k, data, n);
    b->images += k->format == IMAGE_CODE;
}

enum tern_error rt_bundle(const struct rt_source *s, const char *cpu, bool module,
                          const uint32_t (*shapes)[3], size_t nshapes, struct sbuf *out,
                          size_t *images)
{
    struct bundler b = {.out = out};
    const struct dev_making making = {.cpu = cpu, .module = module, .keep = keep, .ctx = &b};
    const struct dev_host host = {.making = &making, .threads = 1};
    struct rt_device d;
    struct rt_module *m = NULL;
    char why[256], *log = NULL;
    *images = 0;
    enum tern_error e = rt_open("cpu", &host, &d, why);
    if (e)
        return e;
    e = d.driver->make ? rt_module_build(&d, s, &m, &log) : TERN_UNSUPPORTED;
    free(log);
    for (size_t k = 0; !e && k < rt_module_kernel_count(m); k++) {
        const struct rt_kernel *kernel = rt_module_kernel_at(m, k);
        for (size_t n = 0; n < nshapes; n++)
            if (!kernel->max_threads ||
                shapes[n][0] * shapes[n][1] * shapes[n][2] <= kernel->max_threads)
                d.driver->make(kernel->dev, shapes[n]); /* what cannot be is made when it runs */
    }
    if (m)
        rt_module_free(m);
    rt_close(&d);
    *images = b.images;
    return e;
}
