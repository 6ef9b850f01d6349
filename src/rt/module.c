/* Modules from source: compiles, loads, and keeps what the compilation came to for as long as the
 * module lives, because faults refer to its sources. */
#include "rt/module.h"
#include "ir/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/thread.h"
#include "driver/store.h"
#include "prof/prof.h"
#include "rt/shelf.h"

/* What is counted is what runs elsewhere, not what was written. */
enum { COUNTED_LEVEL = 2 };

struct rt_module {
    struct rt_device *device;
    struct compilation *code;
    bool owned; /* code is the module's own */
    struct dev_module *dev;
    struct rt_kernel *kernels;
    size_t nkernels;
};

bool rt_is_ptx(const char *text, size_t n)
{
    size_t k = 0;
    while (k < n) {
        if (text[k] == ' ' || (text[k] >= 9 && text[k] <= 13)) {
            k++;
        } else if (k + 1 < n && text[k] == '/' && text[k + 1] == '/') {
            while (k < n && text[k] != '\n')
                k++;
        } else if (k + 1 < n && text[k] == '/' && text[k + 1] == '*') {
            for (k += 2; k + 1 < n && (text[k] != '*' || text[k + 1] != '/'); k++)
                ;
            k += 2;
        } else {
            break;
        }
    }
    return k < n && n - k > 8 && !memcmp(text + k, ".version", 8);
}

/* 10 times the number of the first .target. */
static uint32_t ptx_target(const char *text, size_t n)
{
    static const char word[] = ".target";
    const char *at = memmem(text, n, word, sizeof word - 1);
    const char *end = text + n;
    uint32_t number = 0;
    at = at ? memmem(at, (size_t)(end - at), "sm_", 3) : NULL;
    for (at = at ? at + 3 : end; at < end && *at >= '0' && *at <= '9' && number < 1000; at++)
        number = 10 * number + (uint32_t)(*at - '0');
    return 10 * number;
}

/* What kernels of a source were compiled for. Programs choose by it between kernels of which only
 * the one for that number was made. */
static uint32_t source_arch(const struct rt_source *s)
{
    const uint32_t arch = rt_is_ptx(s->text, s->len) ? ptx_target(s->text, s->len) : s->mode.arch;
    return arch ? arch : 800;
}

static char *diagnostics(const struct diag *d)
{
    struct sbuf b;
    sbuf_init(&b, NULL);
    diag_render_text(d, &b, false);
    if (b.failed || !b.len) {
        sbuf_free(&b);
        return NULL;
    }
    return b.data;
}

static uint32_t end_of(const struct rt_param *p)
{
    return p->offset + p->size;
}

static uint32_t cluster_align(const struct ir_module *ir)
{
    const struct ir_global *all = ir_global_find(ir, CLUSTER_SHARED);
    return all && all->align > CLUSTER_ALIGN ? all->align : CLUSTER_ALIGN;
}

static enum tern_error describe(struct rt_module *m)
{
    const struct ir_module *ir = m->code->module;
    size_t n = 0;
    ir_each_func (f, ir)
        n += (f->flags & IR_FUNC_KERNEL) != 0;
    m->kernels = calloc(n + 1, sizeof *m->kernels);
    if (!m->kernels)
        return TERN_OUT_OF_MEMORY;
    ir_each_func (f, ir) {
        if (!(f->flags & IR_FUNC_KERNEL))
            continue;
        struct rt_param *params = calloc(f->params.len + 1, sizeof *params);
        if (!params)
            return TERN_OUT_OF_MEMORY;
        for (size_t k = 0; k < f->params.len; k++) {
            const struct ir_param *p = &f->params.data[k];
            params[k] =
                (struct rt_param){p->offset, p->byval_size ? p->byval_size : ir_bytes(p->type)};
        }
        struct rt_kernel *k = &m->kernels[m->nkernels++];
        const bool parts = f->cluster_shared; /* the last parameter is ours: ir/cluster.h */
        const uint32_t nparams = (uint32_t)f->params.len - parts;
        *k = (struct rt_kernel){.name = f->name,
                                .display = f->display,
                                .mangled = f->mangled,
                                .params = params,
                                .nparams = nparams,
                                .param_bytes = !parts    ? f->param_bytes
                                               : nparams ? end_of(&params[nparams - 1])
                                                         : 0,
                                .max_threads = f->max_threads,
                                .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]},
                                .parts = parts,
                                .cluster_offset = parts ? params[nparams].offset : 0,
                                .cluster_align = parts ? cluster_align(ir) : 0,
                                .static_shared =
                                    parts ? f->cluster_shared - 1 : ir_static_shared(f)};
        if (setting_on(SETTING_DETERMINISTIC) && !m->device->driver->in_order)
            k->unordered = ir_order_matters(f);
        enum tern_error e = m->device->driver->kernel(m->dev, f->name, &k->dev);
        if (e)
            return e;
    }
    return TERN_OK;
}

/* Of a large compilation, the front end's part goes: a program with many templates has a module for
 * each kernel that it starts, and they would keep its headers' declarations a hundred times. */
enum { KEPT_WHOLE = 8 << 20 };

static void drop_front_end(struct rt_module *m)
{
    struct compilation *kept = m->code->mem.used > KEPT_WHOLE ? calloc(1, sizeof *kept) : NULL;
    if (!kept)
        return;
    struct compilation *rest = compile_distil(kept, m->code) ? kept : m->code;
    if (rest == m->code)
        m->code = kept;
    compile_free(rest);
    free(rest);
}

/* e: of loading it. */
/* Kernels that ask about their device read it there. */
static enum tern_error tell_facts(struct rt_module *m)
{
    struct rt_device *d = m->device;
    dev_ptr at;
    uint64_t size;
    if (!d->facts || rt_module_global(m, IR_DEVICE_FACTS, &at, &size) ||
        size != 4 * IR_DEVICE_FACTS_WORDS)
        return TERN_OK;
    int32_t facts[IR_DEVICE_FACTS_WORDS] = {0};
    d->facts(d, facts);
    return rt_upload(d, at, facts, sizeof facts);
}

static enum tern_error finish(struct rt_module *m, enum tern_error e, struct rt_module **out)
{
    if (!e)
        e = describe(m);
    if (!e)
        e = tell_facts(m);
    if (e)
        rt_module_free(m);
    else
        *out = m;
    return e;
}

/* ---- sources and what they came to ----
 *
 * Reading a source with its headers takes as long as all that follows, and a program does so each
 * time that it starts: so what it came to is kept in the cache, or came with the program, under a
 * key of all that it was made from. What debuggers or a profile ask for is made anew.
 */

static bool may_keep(const struct rt_device *d, const struct compile_mode *mode)
{
    return (d->cache_dir || d->shelf || d->making) && !mode->steps && !mode->lines &&
           !prof_counting() && !setting_on(SETTING_DEBUG);
}

static void add_text(struct image_key *k, const char *text)
{
    image_key_add(k, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* For devices that have what is asynchronous, for those that have not, or where there is none. */
enum share { NOT_NATIVE, NATIVE, EITHER };

static struct image_key key_for(struct image_key k, enum share who)
{
    image_key_add(&k, &who, sizeof who);
    return k;
}

static struct image_key key_of(const struct rt_source *s, const struct compile_options *o)
{
    struct image_key k = image_key_read();
    const unsigned how[] = {o->level,         o->mode.arch, o->mode.no_fmad, o->mode.fast_math,
                            o->mode.fast_f64, s->linked,    o->clusters,     o->checked};
    image_key_add(&k, how, sizeof how);
    for (; s; s = s->next) {
        add_text(&k, s->path);
        image_key_add(&k, s->text, s->len);
        for (size_t n = 0; n < s->nnames; n++)
            add_text(&k, s->names[n]);
    }
    return k;
}

static bool recall(struct rt_module *m, const struct image_key *k)
{
    const struct rt_device *d = m->device;
    size_t n = 0;
    char *data = image_read(d->cache_dir, k, &n);
    if (!data)
        shelf_find(d->shelf, k, &data, &n);
    const bool ok = data && compile_restore(m->code, data, n) == TERN_OK;
    if (data && !ok)
        compile_free(m->code);
    free(data);
    return ok;
}

static void give(const struct rt_device *d, const struct image_key *k, const struct sbuf *bytes)
{
    if (d->making && d->making->module)
        d->making->keep(d->making->ctx, k, bytes->data, bytes->len);
    else if (!d->making)
        image_write(d->cache_dir, k, bytes->data, bytes->len);
}

/* Where passes are verified, what comes back is used: it must be the same. */
static enum tern_error keep(struct rt_module *m, const struct image_key *k)
{
    struct sbuf bytes;
    enum tern_error e = TERN_OK;
    sbuf_init(&bytes, NULL);
    compile_store(m->code, &bytes);
    if (!bytes.failed)
        give(m->device, k, &bytes);
    if (!bytes.failed && pass_verifies()) {
        compile_free(m->code);
        e = compile_restore(m->code, bytes.data, bytes.len);
    }
    sbuf_free(&bytes);
    return e;
}

static enum tern_error compile(struct rt_module *m, const struct rt_source *s,
                               const struct compile_options *o)
{
    const bool kept = may_keep(m->device, &o->mode);
    const struct image_key all = kept ? key_of(s, o) : (struct image_key){.format = IMAGE_MODULE},
                           own = key_for(all, o->native ? NATIVE : NOT_NATIVE),
                           either = key_for(all, EITHER);
    if (kept && !pass_verifies() && !m->device->making && (recall(m, &either) || recall(m, &own))) {
        rt_note("%s: read before", s->path ? s->path : "a module");
        return TERN_OK;
    }
    enum tern_error e = compile_source(m->code, o, s->text, s->len);
    if (!e && kept)
        e = keep(m, m->code->plain ? &either : &own);
    if (!e)
        drop_front_end(m);
    return e;
}

/* The files behind the first of those that are linked; for free(). */
static bool list_units(const struct rt_source *s, struct compile_options *o)
{
    size_t n = 0;
    for (const struct rt_source *x = s->next; x; x = x->next)
        n++;
    struct compile_unit *units = calloc(n + 1, sizeof *units), *u = units;
    if (!units)
        return false;
    for (const struct rt_source *x = s->next; x; x = x->next)
        *u++ = (struct compile_unit){x->path, x->text, x->len, x->names, x->nnames};
    o->linked = true;
    o->nunits = n;
    o->units = units;
    return true;
}

static struct compile_options options_of(struct rt_device *d, const struct rt_source *s)
{
    struct compile_mode mode = s->mode;
    mode.steps &= d->driver->steps && !prof_counting() && !d->checked;
    /* Counted and checked is what runs, with places in the program rather than in headers. */
    return (struct compile_options){.path = s->path,
                                    .names = s->names,
                                    .nnames = s->nnames,
                                    .level = mode.steps        ? 0
                                             : prof_counting() ? COUNTED_LEVEL
                                             : d->checked      ? 2
                                                               : d->driver->level,
                                    .native = rt_is_native(d),
                                    .clusters = true,
                                    .checked = d->checked,
                                    .mode = mode};
}

static enum tern_error build(struct rt_device *d, const struct rt_source *s, struct rt_module **out,
                             char **log)
{
    *log = NULL;
    enum tern_error e = s->mode.fast_f64 ? rt_test_pairs(d) : TERN_OK;
    if (e == TERN_UNSUPPORTED)
        *log = strdup("this device's float arithmetic does not round as pairs of floats need it: "
                      "compile with --f64=exact\n");
    if (e)
        return e;
    struct rt_module *m = calloc(1, sizeof *m);
    if (!m)
        return TERN_OUT_OF_MEMORY;
    m->device = d;
    m->owned = true;
    m->code = calloc(1, sizeof *m->code);
    if (!m->code) {
        free(m);
        return TERN_OUT_OF_MEMORY;
    }
    struct compile_options options = options_of(d, s);
    if (s->linked && !list_units(s, &options)) {
        rt_module_free(m);
        return TERN_OUT_OF_MEMORY;
    }
    e = compile(m, s, &options);
    free((void *)options.units);
    d->refused = false;
    if (!e && rt_uses_host(d))
        e = rt_managed_apart(m->code);
    if (!e) {
        e = rt_load(d, m->code->module, &m->code->diag, &m->dev);
        d->refused = e != TERN_OK;
    }
    if (e)
        *log = diagnostics(&m->code->diag);
    return finish(m, e, out);
}

enum tern_error rt_module_load(struct rt_device *d, struct compilation *c, struct rt_module **out)
{
    struct rt_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return TERN_OUT_OF_MEMORY;
    m->device = d;
    m->code = c;
    return finish(m, rt_load(d, c->module, &c->diag, &m->dev), out);
}

enum tern_error rt_module_build(struct rt_device *d, const struct rt_source *s,
                                struct rt_module **out, char **log)
{
    const uint64_t start = prof_on() ? prof_now() : 0;
    const uint64_t began = thread_nanoseconds();
    const enum tern_error e = build(d, s, out, log);
    for (size_t k = 0; !e && k < (*out)->nkernels; k++)
        (*out)->kernels[k].arch = source_arch(s);
    rt_note("%s: %s for %s in %.1f ms", s->path ? s->path : "a module",
            e ? tern_error_text(e) : "read and loaded", d->driver->name,
            (double)(thread_nanoseconds() - began) * 1e-6);
    if (start)
        prof_put(&(struct prof_record){.kind = PROF_COMPILE,
                                       .thread = prof_thread(),
                                       .start = start,
                                       .end = prof_now(),
                                       .call = prof_call_now(),
                                       .name = prof_text(s->path)});
    return e;
}

enum tern_error rt_test_pairs(struct rt_device *d)
{
    static const char text[] = "#include \"device/softf64/dfloat.h\"\n"
                               "extern \"C\" __global__ void pairs(const float *x, int *ok)\n"
                               "{\n    *ok = __tern_df_selftest(x[0], x[1]);\n}\n";
    static const float given[2] = {0x1.000002p+0f, 0x1.000002p-24f};
    struct rt_source source = {.path = "pairs.cu", .text = text, .len = sizeof text - 1};
    struct rt_module *m;
    char *log;
    int32_t ok = 0;
    dev_ptr memory;
    enum tern_error e = rt_module_build(d, &source, &m, &log);
    free(log);
    if (e)
        return e;
    e = d->driver->alloc(d->dev, 16, 16, "test of pairs", &memory);
    if (!e) {
        const uint64_t params[2] = {memory, memory + 8};
        const struct dev_launch launch = {
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params, .param_bytes = sizeof params};
        e = rt_upload(d, memory, given, sizeof given);
        e = e ? e : rt_run(d, m->kernels[0].dev, &launch);
        e = e ? e : rt_download(d, &ok, memory + 8, sizeof ok);
        d->driver->free(d->dev, memory);
    }
    rt_module_free(m);
    return e ? e : ok ? TERN_OK : TERN_UNSUPPORTED;
}

void rt_module_free(struct rt_module *m)
{
    if (!m)
        return;
    if (m->dev)
        m->device->driver->unload(m->device->dev, m->dev);
    for (size_t k = 0; k < m->nkernels; k++)
        free((void *)m->kernels[k].params);
    free(m->kernels);
    if (m->owned) {
        compile_free(m->code);
        free(m->code);
    }
    free(m);
}

void rt_kernel_allow_shared(const struct rt_kernel *k, uint32_t bytes)
{
    __atomic_store_n(&((struct rt_kernel *)k)->allowed_shared, bytes, __ATOMIC_RELAXED);
}

size_t rt_module_kernel_count(const struct rt_module *m)
{
    return m->nkernels;
}

const struct rt_kernel *rt_module_kernel_at(const struct rt_module *m, size_t k)
{
    return &m->kernels[k];
}

const struct rt_kernel *rt_module_kernel(const struct rt_module *m, const char *name)
{
    if (!name)
        return m->nkernels ? &m->kernels[0] : NULL;
    /* What was asked for by a name expression has the name that came of it. */
    const char *of_request = name;
    for (size_t k = m->code->requests.len; k-- > 0;)
        if (!strcmp(m->code->requests.data[k].text, name))
            of_request = m->code->requests.data[k].name;
    for (size_t k = 0; k < m->nkernels; k++)
        if (!strcmp(m->kernels[k].name, of_request))
            return &m->kernels[k];
    for (size_t k = 0; k < m->nkernels; k++)
        if (m->kernels[k].mangled && !strcmp(m->kernels[k].mangled, name))
            return &m->kernels[k];
    for (size_t k = 0; k < m->nkernels; k++)
        if (m->kernels[k].display && str_same_but_blanks(m->kernels[k].display, name))
            return &m->kernels[k];
    return NULL;
}

static const struct ir_global *global_named(const struct rt_module *m, const char *name)
{
    const struct ir_global *g = ir_global_find(m->code->module, name);
    for (const struct ir_global *k = m->code->module->first_global; k && !g; k = k->next)
        if (k->display && str_same_but_blanks(k->display, name))
            g = k;
    return g;
}

bool rt_module_is_managed(const struct rt_module *m, const char *name)
{
    const struct ir_global *g = global_named(m, name);
    return g && g->flags & IR_GLOBAL_MANAGED;
}

enum tern_error rt_module_global(struct rt_module *m, const char *name, dev_ptr *p, uint64_t *size)
{
    const struct ir_global *g = global_named(m, name);
    return g ? m->device->driver->global(m->dev, g->name, p, size) : TERN_NOT_FOUND;
}

enum tern_error rt_managed_place(struct rt_module *m, const char *name, const void *host)
{
    const struct ir_global *g = global_named(m, name);
    const uint64_t at = (uint64_t)(uintptr_t)host;
    struct sbuf b;
    dev_ptr p;
    uint64_t size;
    if (!g)
        return TERN_NOT_FOUND;
    sbuf_init(&b, NULL);
    sbuf_printf(&b, "%s" RT_MANAGED_PLACE, g->name);
    enum tern_error e = b.failed ? TERN_OUT_OF_MEMORY : rt_module_global(m, b.data, &p, &size);
    sbuf_free(&b);
    return e ? e : rt_upload(m->device, p, &at, sizeof at);
}

/* ---- launches ---- */
enum tern_error rt_check_launch(const struct dev_info *info, const struct rt_kernel *k,
                                const struct dev_launch *l, char *why)
{
    if (k->unordered) {
        snprintf(
            why, RT_WHY,
            "TERN_DETERMINISTIC: it depends on the order of its threads, by %s, and the device "
            "has no order; cpu and interp have",
            ir_order_text(k->unordered));
        return TERN_UNSUPPORTED;
    }
    const struct {
        const char *what;
        const uint32_t *given, *most;
    } sides[] = {{"grid", l->grid, info->max_grid}, {"block", l->block, info->max_block}};
    for (unsigned s = 0; s < 2; s++)
        for (unsigned n = 0; n < 3; n++)
            if (!sides[s].given[n] || sides[s].given[n] > sides[s].most[n]) {
                snprintf(why, RT_WHY, "the %s has %u in %c; the device takes 1 to %u",
                         sides[s].what, sides[s].given[n], "xyz"[n], sides[s].most[n]);
                return TERN_INVALID_LAUNCH;
            }
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    const uint64_t shared = (uint64_t)l->shared + k->static_shared;
    if (threads > info->max_threads_per_block) {
        snprintf(why, RT_WHY, "the block has %llu threads; the device takes %u at most",
                 (unsigned long long)threads, info->max_threads_per_block);
        return TERN_INVALID_LAUNCH;
    }
    if (k->max_threads && threads > k->max_threads) {
        snprintf(why, RT_WHY, "the block has %llu threads; its __launch_bounds__ say %u at most",
                 (unsigned long long)threads, k->max_threads);
        return TERN_LAUNCH_RESOURCES;
    }
    if (shared > info->shared_per_block) {
        snprintf(why, RT_WHY, "the block has %llu bytes of shared memory; the device has %u",
                 (unsigned long long)shared, info->shared_per_block);
        return TERN_INVALID_ARGUMENT;
    }
    return rt_check_cluster(info, k, l, why);
}

bool rt_module_shares(const struct rt_module *m)
{
    return ir_kernels_share(m->code->module);
}

bool rt_module_variable(struct rt_module *m, dev_ptr p, uint64_t size, dev_ptr *at, uint64_t *whole)
{
    ir_each_global (g, m->code->module)
        if (g->space != IR_SPACE_SHARED && !m->device->driver->global(m->dev, g->name, at, whole) &&
            p - *at < *whole && size <= *whole - (p - *at))
            return true;
    return false;
}
