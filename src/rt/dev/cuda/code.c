/* Code on its way to the GPU: an image whose code is PTX → one of machine code → a module of the
 * driver's; or IR → machine code of our own → the same.
 *
 * The driver's own assembler makes machine code of PTX; the image of it is kept in the user's cache
 * under a hash of the PTX, the processor and the driver's version (rt/image.h). What was kept but
 * does not fit, or is refused by the driver, is made again.
 *
 * What is made of a module's IR (struct nv_source), our own code and what the driver made of one
 * kernel while the program ran, is kept under a hash of the IR: who finds it need not emit anything
 * to know what it is.
 *
 * What is assembled to be linked, which is how its image can be had, keeps its registers:
 * setmaxnreg is ignored, and products of four warps (wgmma) wait for each other. Code that lets
 * registers change hands is assembled by the driver as it loads it, as a whole; the driver keeps it
 * in a cache of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/ptx/ptx.h"
#include "back/sass/sass.h"
#include "driver/store.h"
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/image.h"
#include "rt/shelf.h"

enum { LOG_BYTES = 8192, MACHINE_BYTES = 64 };

/* ---- PTX → machine code ---- */
struct assembler {
    nv_link link; /* owns the code that it made */
    char *log;
    const char *doing;
    int options[4];
    void *values[4]; /* where it says, until it is destroyed, how long its logs have become */
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
    if (diag && log && log[0])
        diag_error(diag, span_at(0, 0), "the NVIDIA driver refuses the PTX: %.600s", log);
    else if (diag)
        diag_error(diag, span_at(0, 0), "%s: %s (%d)", what, nv_error_name(r), r);
    return nv_check(d, r, what);
}

/* out: the image of ptx, but for its machine and its code. */
static nv_result assemble(struct dev *d, const struct image *ptx, const char *machine,
                          struct assembler *a, struct image *out)
{
    char *log = a->log = calloc(2, LOG_BYTES);
    a->doing = "starting the assembler";
    if (!log)
        return CUDA_OUT_OF_MEMORY;
    static const int options[4] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES, CUDA_JIT_INFO_LOG,
                                   CUDA_JIT_INFO_LOG_BYTES};
    memcpy(a->options, options, sizeof options);
    a->values[0] = log;
    a->values[1] = a->values[3] = (void *)(uintptr_t)LOG_BYTES;
    a->values[2] = log + LOG_BYTES;
    void *cubin = NULL;
    size_t n = 0;
    pthread_mutex_lock(&d->assembler);
    nv_result r = d->api.link_create(4, a->options, a->values, &a->link);
    if (!r) {
        a->doing = "assembling PTX";
        r = d->api.link_add(a->link, CUDA_INPUT_PTX, (void *)(uintptr_t)ptx->code, ptx->bytes + 1,
                            "module", 0, NULL, NULL);
    }
    if (!r)
        r = d->api.link_finish(a->link, &cubin, &n);
    pthread_mutex_unlock(&d->assembler);
    if (r)
        return r;
    *out = *ptx;
    out->machine = machine;
    out->code = cubin;
    out->bytes = n;
    return 0;
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

/* The same, with the time that it takes. */
static nv_result start_timed(struct dev *d, struct nv_made *made)
{
    const uint64_t began = thread_nanoseconds();
    const nv_result r = start(d, &made->image, &made->module);
    made->load_ns = thread_nanoseconds() - began;
    return r;
}

static void store_timed(struct dev *d, struct nv_made *made, const struct image_key *key)
{
    const uint64_t began = thread_nanoseconds();
    image_store(&made->image, d->host.cache_dir, key);
    made->store_ns = thread_nanoseconds() - began;
}

static void name_assembler(const struct dev *d, char machine[MACHINE_BYTES])
{
    snprintf(machine, MACHINE_BYTES, "sm_%u by driver %d", d->arch, d->api.version);
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

static bool wants_to_be_whole(const struct image *ptx)
{
    return strstr(ptx->code, "setmaxnreg") != NULL;
}

enum tern_error nv_code_load(struct dev *d, const struct image *ptx, struct diag *diag,
                             nv_module *out)
{
    if (wants_to_be_whole(ptx) && !start(d, ptx, out)) {
        report_note(&d->host.reports, "NVIDIA's driver assembled the PTX as a whole");
        return TERN_OK;
    }
    char machine[MACHINE_BYTES];
    name_assembler(d, machine);
    struct image_key key = image_key_of(ptx->target, machine);
    image_key_add(&key, ptx->code, ptx->bytes);
    if (start_kept(d, ptx, machine, &key, out))
        return TERN_OK;
    struct assembler a = {0};
    struct image made;
    enum tern_error e = TERN_OK;
    nv_result r = assemble(d, ptx, machine, &a, &made);
    if (!r) {
        a.doing = "loading a module";
        r = start(d, &made, out);
    }
    if (r)
        e = refuse(d, r, a.doing, a.log, diag);
    else
        image_store(&made, d->host.cache_dir, &key);
    assembler_free(d, &a);
    return e;
}

/* ---- what is made of IR ---- */
enum tern_error nv_source_keep(struct nv_source *s, const struct ir_module *m)
{
    struct compilation c;
    enum tern_error e = compile_copy(&c, m, 0);
    if (!e) {
        s->all_apart = nv_find_apart(c.module, &s->apart);
        compile_store(&c, &s->ir);
        e = s->ir.failed || s->apart.failed ? TERN_OUT_OF_MEMORY : TERN_OK;
    }
    compile_free(&c);
    return e;
}

void nv_source_free(struct nv_source *s)
{
    sbuf_free(&s->ir);
    sbuf_free(&s->apart);
}

void nv_made_free(struct dev *d, struct nv_made *made)
{
    if (made->module)
        d->api.module_unload(made->module);
    if (made->compiled)
        compile_free(&made->c);
    image_free(&made->image);
    sbuf_free(&made->code);
    sbuf_free(&made->why);
    *made = (struct nv_made){0};
}

static struct image_key key_of(const struct back_target *t, const char *machine,
                               const struct nv_source *s, const char *kernel)
{
    struct image_key k = image_key_of(t, machine);
    const char *of = kernel ? kernel : "";
    image_key_add(&k, of, strlen(of) + 1);
    image_key_add(&k, s->ir.data, s->ir.len);
    return k;
}

/* What was kept under the key, or came with the program. */
static bool find(struct dev *d, const struct back_target *t, const char *machine,
                 const struct image_key *key, struct nv_made *out)
{
    char *data = NULL;
    size_t n = 0;
    if (image_load(&out->image, t, machine, d->host.cache_dir, key))
        return true;
    return d->host.shelf && shelf_find(d->host.shelf, key, &data, &n) == SHELF_IMAGE &&
           image_unpack(&out->image, t, machine, data, n);
}

/* Loads what was found. The only kernel that was asked for has to be in it. */
static bool start_found(struct dev *d, const char *kernel, struct nv_made *out)
{
    const bool fits =
        !kernel || (out->image.nkernels == 1 && !strcmp(out->image.kernels[0].name, kernel));
    if (fits && !start_timed(d, out)) {
        out->found = true;
        return true;
    }
    image_free(&out->image);
    return false;
}

struct walk {
    const struct nv_source *source;
    size_t at;
};

/* Asked of each function, in order. */
static bool is_apart(void *ctx, const struct ir_func *f)
{
    struct walk *w = ctx;
    (void)f;
    return w->at < w->source->apart.len && w->source->apart.data[w->at++];
}

/* From the source's bytes, in out->c and out->code. */
static bool emit(struct nv_made *out, const struct nv_source *s, const struct back_target *t,
                 const struct back_options *o)
{
    out->compiled = true;
    enum tern_error e = compile_restore(&out->c, s->ir.data, s->ir.len);
    if (!e) /* first, because what is emitted is copied */
        e = o->kernel ? compile_keep(&out->c, o->kernel)
                      : compile_drop(&out->c, is_apart, &(struct walk){.source = s});
    if (!e)
        e = compile_emit(&out->c, t, o, &out->code);
    if (!e && !out->code.failed)
        return true;
    const struct diag_entry *first = out->c.diag.first;
    sbuf_puts(&out->why, first ? first->message : "there is no memory for it");
    return false;
}

static struct image image_of(const struct nv_made *made, const struct back_target *t,
                             const char *machine)
{
    return (struct image){.target = t,
                          .machine = machine,
                          .kernels = made->c.kernels.data,
                          .nkernels = made->c.kernels.len,
                          .globals = made->c.globals.data,
                          .nglobals = made->c.globals.len,
                          .code = made->code.data,
                          .bytes = made->code.len};
}

static void begin(struct nv_made *out)
{
    *out = (struct nv_made){0};
    sbuf_init(&out->code, NULL);
    sbuf_init(&out->why, NULL);
}

static void name_own(const struct dev *d, struct nv_how how, char machine[MACHINE_BYTES])
{
    const int n = snprintf(machine, MACHINE_BYTES, "sm_%u%s%s%s%s", d->arch,
                           how.careful ? ", careful" : "", how.slim ? ", slim" : "",
                           how.hasty ? ", hasty" : "", how.clusters ? ", clusters" : "");
    if (how.stack)
        snprintf(machine + n, (size_t)(MACHINE_BYTES - n), ", stack %u", how.stack);
}

/* Who is hasty gets the same code, but not of every kernel: what is kept of that is good for all.
 */
static bool find_own(struct dev *d, const struct nv_source *s, const char *kernel,
                     struct nv_how how, struct nv_made *out)
{
    char machine[MACHINE_BYTES];
    name_own(d, how, machine);
    const struct image_key key = key_of(&back_cubin, machine, s, kernel);
    if (find(d, &back_cubin, machine, &key, out) && start_found(d, kernel, out))
        return true;
    const bool wary = how.hasty;
    how.hasty = true;
    return !wary && !how.careful && find_own(d, s, kernel, how, out);
}

bool nv_make_own(struct dev *d, const struct nv_source *s, const char *kernel, struct nv_how how,
                 struct nv_made *out)
{
    char machine[MACHINE_BYTES];
    const struct sass_options own = {.arch = d->arch,
                                     .careful = how.careful,
                                     .hasty = how.hasty,
                                     .slim = !kernel, /* later it could not share variables */
                                     .registers = how.slim ? SASS_SLIM_REGISTERS : 0,
                                     .stack = how.stack,
                                     .clusters = how.clusters};
    const struct back_options o = {.own = &own, .kernel = kernel};
    begin(out);
    if (find_own(d, s, kernel, how, out))
        return true;
    name_own(d, how, machine);
    const struct image_key key = key_of(&back_cubin, machine, s, kernel);
    const uint64_t began = thread_nanoseconds();
    if (!emit(out, s, &back_cubin, &o))
        return false;
    out->emit_ns = thread_nanoseconds() - began;
    out->image = image_of(out, &back_cubin, machine);
    const nv_result r = start_timed(d, out);
    if (r)
        sbuf_printf(&out->why, "the driver refuses it: %s (%d)", nv_error_name(r), r);
    else
        store_timed(d, out, &key);
    return !r;
}

bool nv_find_assembled(struct dev *d, const struct nv_source *s, const char *kernel,
                       struct nv_made *out)
{
    char machine[MACHINE_BYTES];
    name_assembler(d, machine);
    const struct image_key key = key_of(&back_ptx, machine, s, kernel);
    begin(out);
    return find(d, &back_ptx, machine, &key, out) && start_found(d, kernel, out);
}

static bool stands_alone(const struct image *i)
{
    const struct ptx_kernel *own = i->nkernels == 1 ? i->kernels[0].own : NULL;
    return own && !own->shares && !(i->kernels[0].uses & (BACK_USES_GRIDSYNC | BACK_USES_LAUNCH));
}

bool nv_make_assembled(struct dev *d, const struct nv_source *s, const char *kernel,
                       struct nv_made *out)
{
    char machine[MACHINE_BYTES];
    const struct ptx_options own = {.arch = d->arch, .launches = true};
    const struct back_options o = {.own = &own, .kernel = kernel};
    name_assembler(d, machine);
    const struct image_key key = key_of(&back_ptx, machine, s, kernel);
    begin(out);
    if (!emit(out, s, &back_ptx, &o))
        return false;
    struct assembler a = {0};
    const struct image ptx = image_of(out, &back_ptx, "ptx");
    if (!stands_alone(&ptx)) {
        sbuf_puts(&out->why, "it shares variables, or addresses of functions, with others");
        return false;
    }
    nv_result r = assemble(d, &ptx, machine, &a, &out->image);
    if (!r) {
        a.doing = "loading a module";
        r = start(d, &out->image, &out->module);
    }
    if (r)
        sbuf_printf(&out->why, "%s: %s (%d) %.300s", a.doing, nv_error_name(r), r,
                    a.log ? a.log : "");
    else
        image_store(&out->image, d->host.cache_dir, &key);
    out->image.code = NULL; /* the assembler's */
    assembler_free(d, &a);
    return !r;
}
