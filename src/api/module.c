/* Modules, kernels, launches. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"

static struct tern_module *new_module(struct tern_device *d)
{
    struct tern_module *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->device = d;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

/* e: of making it. */
static enum tern_error finish(struct tern_module *m, enum tern_error e, struct tern_module **out)
{
    e = device_check(m->device, e);
    if (e)
        tern_module_free(m);
    else
        *out = m;
    return e;
}

enum tern_error tern_module_new(tern_device *d, const struct tern_source *s, tern_module **out)
{
    *out = NULL;
    if (!s->text)
        return TERN_INVALID_ARGUMENT;
    if (d->lost)
        return d->lost;
    struct tern_module *m = new_module(d);
    if (!m)
        return TERN_OUT_OF_MEMORY;
    const size_t length = s->length ? s->length : strlen(s->text);
    struct rt_source source = {
        .path = s->path                      ? s->path
                : rt_is_ptx(s->text, length) ? "module.ptx"
                                             : "module.cu",
        .text = s->text,
        .len = length,
        .names = s->names,
        .nnames = s->nnames,
        .mode = {.no_fmad = s->no_fmad, .fast_math = s->fast_math, .fast_f64 = s->fast_f64}};
    char *log = NULL;
    enum tern_error e = rt_module_build(&d->rt, &source, &m->rt, &log);
    while (e && d->rt.refused && device_give_way(d, log ? log : tern_error_text(e))) {
        free(log);
        e = rt_module_build(&d->rt, &source, &m->rt, &log);
    }
    if (!e)
        device_use(d);
    if (e && log)
        context_message(d->context, "%s", log);
    free(log);
    return finish(m, e, out);
}

enum tern_error module_load(struct tern_device *d, struct compilation *c, struct tern_module **out)
{
    *out = NULL;
    if (d->lost)
        return d->lost;
    struct tern_module *m = new_module(d);
    return m ? finish(m, rt_module_load(&d->rt, c, &m->rt), out) : TERN_OUT_OF_MEMORY;
}

struct tern_module *module_borrow(struct tern_device *d, struct rt_module *rt)
{
    struct tern_module *m = new_module(d);
    if (m) {
        m->rt = rt;
        m->borrowed = m->lent = true;
    }
    return m;
}

void tern_module_free(tern_module *m)
{
    if (!m)
        return;
    if (m->rt && !m->borrowed) {
        device_wait(m->device);
        rt_module_free(m->rt);
    }
    for (struct tern_kernel *k = m->kernels, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

enum tern_error tern_module_kernel(tern_module *m, const char *name, tern_kernel **out)
{
    *out = NULL;
    const struct rt_kernel *found = rt_module_kernel(m->rt, name);
    if (!found) {
        context_message(m->device->context, "the module has no kernel '%s'", name);
        return TERN_NOT_FOUND;
    }
    return module_handle(m, found, out);
}

enum tern_error module_handle(struct tern_module *m, const struct rt_kernel *found,
                              struct tern_kernel **out)
{
    pthread_mutex_lock(&m->lock);
    struct tern_kernel *k = m->kernels;
    while (k && k->rt != found)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        *k = (struct tern_kernel){.module = m, .rt = found, .next = m->kernels};
        m->kernels = k;
    }
    pthread_mutex_unlock(&m->lock);
    *out = k;
    return k ? TERN_OK : TERN_OUT_OF_MEMORY;
}

enum tern_error tern_module_variable(tern_module *m, const char *name, uint64_t *address,
                                     uint64_t *bytes)
{
    return rt_module_global(m->rt, name, address, bytes);
}

/* ---- launches ---- */

enum tern_error kernel_check(const struct tern_device *d, const struct rt_kernel *k,
                             const struct dev_launch *l)
{
    char why[RT_WHY];
    const enum tern_error e = rt_check_launch(&d->info, k, l, why);
    if (e)
        context_report(d->context, &(struct report){.kind = REPORT_REFUSED,
                                                    .error = e,
                                                    .device = d->rt.driver->name,
                                                    .kernel = k->display ? k->display : k->name,
                                                    .message = why});
    return e;
}

enum tern_error kernel_launch(struct tern_stream *s, struct tern_kernel *k,
                              const struct dev_launch *shape, void *const *args)
{
    struct tern_device *d = k->module->device;
    _Alignas(16) char params[API_MAX_PARAM_BYTES];
    if (k->rt->param_bytes > sizeof params)
        return TERN_LIMIT;
    for (uint32_t n = 0; n < k->rt->nparams; n++)
        memcpy(params + k->rt->params[n].offset, args[n], k->rt->params[n].size);
    struct work w = {.kind = WORK_KERNEL,
                     .device = d,
                     .kernel = {.kernel = k->rt, .shape = *shape, .handle = k}};
    w.kernel.shape.params = params;
    w.kernel.shape.param_bytes = k->rt->param_bytes;
    enum tern_error e = kernel_check(d, k->rt, &w.kernel.shape);
    if (!e)
        e = work_submit(s ? s : &d->own, &w);
    device_launched(d, k->rt, &w.kernel.shape, e);
    return e;
}

static uint32_t at_least_one(uint32_t n)
{
    return n ? n : 1;
}

enum tern_error tern_launch(tern_stream *s, tern_kernel *k, tern_dim grid, tern_dim block,
                            uint32_t shared, void *const *args)
{
    const struct dev_launch shape = {
        .grid = {at_least_one(grid.x), at_least_one(grid.y), at_least_one(grid.z)},
        .block = {at_least_one(block.x), at_least_one(block.y), at_least_one(block.z)},
        .shared = shared};
    return kernel_launch(s, k, &shape, args);
}
