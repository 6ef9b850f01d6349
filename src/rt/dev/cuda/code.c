/* Code on its way to the GPU: an image whose code is PTX → one of machine code → a module of the
 * driver's.
 *
 * The driver's own assembler makes the machine code; the image of it is kept in the user's cache
 * under a hash of the PTX, the processor and the driver's version (rt/image.h). What was kept but
 * does not fit, or is refused by the driver, is made again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/back.h"
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/image.h"

enum { LOG_BYTES = 8192 };

/* ---- PTX → machine code ---- */
struct assembler {
    nv_link link; /* owns the code that it made */
    char *log;
};

static void assembler_free(struct dev *d, struct assembler *a)
{
    if (a->link)
        d->api.link_destroy(a->link);
    free(a->log);
}

static enum tern_error refuse(struct dev *d, nv_result r, const char *what, const char *log,
                              struct diag *diag)
{
    if (diag && log[0])
        diag_error(diag, span_at(0, 0), "the NVIDIA driver refuses the PTX: %.600s", log);
    else if (diag)
        diag_error(diag, span_at(0, 0), "%s: %s (%d)", what, nv_error_name(r), r);
    return nv_check(d, r, what);
}

/* out: the image of ptx, but for its machine and its code. */
static enum tern_error assemble(struct dev *d, const struct image *ptx, const char *machine,
                                struct diag *diag, struct assembler *a, struct image *out)
{
    char *log = a->log = calloc(2, LOG_BYTES);
    if (!log)
        return TERN_OUT_OF_MEMORY;
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES, CUDA_JIT_INFO_LOG,
                     CUDA_JIT_INFO_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES, log + LOG_BYTES,
                      (void *)(uintptr_t)LOG_BYTES};
    void *cubin = NULL;
    size_t n = 0;
    const char *what = "starting the assembler";
    nv_result r = d->api.link_create(4, options, values, &a->link);
    if (!r) {
        what = "assembling PTX";
        r = d->api.link_add(a->link, CUDA_INPUT_PTX, (void *)(uintptr_t)ptx->code, ptx->bytes + 1,
                            "module", 0, NULL, NULL);
    }
    if (!r)
        r = d->api.link_finish(a->link, &cubin, &n);
    if (r)
        return refuse(d, r, what, log, diag);
    *out = *ptx;
    out->machine = machine;
    out->code = cubin;
    out->bytes = n;
    return TERN_OK;
}

/* ---- images ---- */
static bool same_kernels(const struct image *a, const struct image *b)
{
    if (a->nkernels != b->nkernels || a->nglobals != b->nglobals)
        return false;
    for (size_t k = 0; k < a->nkernels; k++)
        if (strcmp(a->kernels[k].symbol, b->kernels[k].symbol) ||
            a->kernels[k].param_bytes != b->kernels[k].param_bytes)
            return false;
    for (size_t k = 0; k < a->nglobals; k++)
        if (strcmp(a->globals[k].symbol, b->globals[k].symbol))
            return false;
    return true;
}

static nv_result start(struct dev *d, const struct image *i, nv_module *out)
{
    return d->api.module_load(out, i->code);
}

static bool start_kept(struct dev *d, const struct image *ptx, const char *machine,
                       const struct image_key *key, nv_module *out)
{
    struct image kept;
    if (!image_load(&kept, ptx->target, machine, d->host.cache_dir, key))
        return false;
    const bool started = same_kernels(&kept, ptx) && !start(d, &kept, out);
    image_free(&kept);
    if (started)
        report_note(&d->host.reports, "NVIDIA's machine code for %s: from the cache", machine);
    return started;
}

enum tern_error nv_code_load(struct dev *d, const struct image *ptx, struct diag *diag,
                             nv_module *out)
{
    char machine[64];
    snprintf(machine, sizeof machine, "sm_%u by driver %d", d->arch, d->api.version);
    struct image_key key = image_key_of(ptx->target, machine);
    image_key_add(&key, ptx->code, ptx->bytes);
    if (start_kept(d, ptx, machine, &key, out))
        return TERN_OK;
    struct assembler a = {0};
    struct image made;
    enum tern_error e = assemble(d, ptx, machine, diag, &a, &made);
    if (!e) {
        const nv_result r = start(d, &made, out);
        if (r)
            e = refuse(d, r, "loading a module", a.log, diag);
        else
            image_store(&made, d->host.cache_dir, &key);
    }
    assembler_free(d, &a);
    return e;
}
