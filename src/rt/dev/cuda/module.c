/* Modules: IR → images (code.c) → kernels and launches.
 *
 * Where our own machine code (back/sass) has run on the processor, kernels begin with it, because
 * it is there in a few milliseconds: those that share something, with the variables, when the
 * module is loaded; the others each when it is first used. What it cannot do goes through PTX
 * (back/ptx), and the log says why. A kernel that the device is kept busy with is assembled by the
 * driver (better.c), and later launches take that, if it shares nothing with others: a second
 * module has variables and functions of its own. Where that was done in an earlier run, it begins
 * with it.
 *
 * A kernel's occupancy is that of the code it began with, and launches that must fit at once take
 * it.
 *
 * Launches pass parameters by the offsets of the IR's parameter block.
 *
 * The assembler takes nearly all of the time, and a program seldom starts with all the kernels it
 * has: where a module has many that share nothing with others, each is assembled when it is first
 * used, behind the functions and constants that stand before all of them in the PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/ptx/ptx.h"
#include "back/sass/sass.h"
#include "driver/store.h"
#include "rt/children.h"
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/image.h"

enum { MAX_PARAMS = 256, MANY_KERNELS = 8 };

/* A function of the driver's. */
struct entry {
    nv_function function;
    uint32_t most;      /* threads of a block */
    int shared_allowed; /* dynamic bytes that the driver has been told of */
};

enum kernel_place {
    IN_MODULE, /* with the others */
    ALONE,     /* assembled by itself, when it is used */
    OWN_FIRST, /* made by ourselves when it is used, else assembled by itself */
};

/* Our own code once more, for launches that make clusters of a kernel that knows nothing of them,
 * or after more stack was asked for. What was launched may still run, or be in a graph: all are
 * kept.
 */
enum { MOST_SPECIAL = 6 };
struct special {
    struct nv_how how;
    nv_module handle;
    struct entry entry;
};

/* BEGUN: it may become better; WISHED: that is being tried. */
enum kernel_state { FIXED, BEGUN, WISHED, BETTER };

struct dev_kernel {
    struct dev_module *module;
    struct back_kernel made; /* as the target tells of it */
    struct ptx_kernel own;   /* made.own */
    const char *display;
    uint32_t number; /* by which kernels name it that launch it */
    enum kernel_place place;
    nv_module handle, better_handle, slim_handle; /* where it is not the module's */
    bool ready, has_slim, ours;                   /* ours: made by ourselves, by itself */
    bool refused;                                 /* our own code is, and the log has said why */
    struct entry first, slim, better; /* slim: for blocks that the first is too large for */
    struct special special[MOST_SPECIAL];
    uint32_t nspecial;
    uint32_t nparams;
    uint32_t *offsets;
    int state; /* enum kernel_state */
    struct nv_use use;
};

struct dev_module {
    struct dev *dev;
    unsigned made; /* in which of the device's contexts */
    struct mem mem;
    struct arena arena;
    jmp_buf unwind;
    const struct source_map *sources;
    bool recurses;    /* functions call themselves, or whom pointers name */
    bool improves;    /* kernels may become better */
    nv_module handle; /* NULL: every kernel stands alone */
    struct sbuf ptx;  /* kept while kernels do */
    struct nv_source source;
    struct dev_kernel *kernels;
    size_t nkernels;
    struct back_global *globals;
    size_t nglobals;
    pthread_mutex_t lock;     /* functions found late, the grid barrier */
    pthread_mutex_t launches; /* one kernel at a time that launches others */
    nv_event grid_done;       /* the last launch that uses the module's one grid barrier */
};

static const struct back_kernel *emitted(const struct image *i, const char *name)
{
    for (size_t k = 0; k < i->nkernels; k++)
        if (!strcmp(i->kernels[k].name, name))
            return &i->kernels[k];
    return NULL;
}

static void describe_code(struct dev_kernel *k, const struct back_kernel *b, bool ptx)
{
    struct arena *a = &k->module->arena;
    k->made = *b;
    k->made.name = arena_strndup(a, b->name, strlen(b->name));
    k->made.symbol = arena_strndup(a, b->symbol, strlen(b->symbol));
    k->made.own = NULL;
    if (ptx)
        k->made.own = memcpy(&k->own, b->own, sizeof k->own);
}

static void describe_kernel(struct dev_module *m, struct dev_kernel *k, const struct ir_func *f)
{
    struct arena *a = &m->arena;
    k->module = m;
    k->made = (struct back_kernel){.name = arena_strndup(a, f->name, strlen(f->name)),
                                   .param_bytes = f->param_bytes};
    k->display = f->display ? arena_strndup(a, f->display, strlen(f->display)) : k->made.name;
    k->nparams = (uint32_t)f->params.len;
    k->offsets = arena_array(a, uint32_t, f->params.len + 1);
    for (size_t n = 0; n < f->params.len; n++)
        k->offsets[n] = f->params.data[n].offset;
}

/* Is the function of this number, from 1 on, a kernel that is made by itself? */
static bool is_apart(const struct dev_module *m, uint32_t number)
{
    return number <= m->source.apart.len && m->source.apart.data[number - 1];
}

/* code: NULL, each kernel is made when it is used; what is not in it is, too. */
static enum tern_error describe(struct dev_module *m, const struct image *code,
                                const struct ir_module *ir)
{
    if (setjmp(m->unwind))
        return TERN_OUT_OF_MEMORY;
    m->mem.unwind = &m->unwind;
    arena_init(&m->arena, &m->mem);
    size_t kernels = 0;
    ir_each_func (f, ir)
        kernels += (f->flags & IR_FUNC_KERNEL) != 0;
    m->kernels = arena_array(&m->arena, struct dev_kernel, kernels + 1);
    m->globals = arena_array(&m->arena, struct back_global, (code ? code->nglobals : 0) + 1);
    uint32_t number = 0;
    ir_each_func (f, ir) {
        number++;
        const bool kernel = f->flags & IR_FUNC_KERNEL;
        const struct back_kernel *b = kernel && code ? emitted(code, f->name) : NULL;
        if (!kernel || (code && !b && !is_apart(m, number)))
            continue;
        struct dev_kernel *k = &m->kernels[m->nkernels++];
        describe_kernel(m, k, f);
        k->number = 2 * number; /* as lower_func_number counts */
        if (b)
            describe_code(k, b, code->target == &back_ptx);
        else
            k->place = OWN_FIRST;
    }
    for (size_t n = 0; code && n < code->nglobals; n++) {
        const struct back_global *g = &code->globals[n];
        m->globals[m->nglobals++] =
            (struct back_global){arena_strndup(&m->arena, g->name, strlen(g->name)),
                                 arena_strndup(&m->arena, g->symbol, strlen(g->symbol))};
    }
    return TERN_OK;
}

static bool may_stand_alone(const struct dev_kernel *k)
{
    return !k->own.shares && !(k->made.uses & BACK_USES_GRIDSYNC);
}

/* Marks the kernels that are made by themselves: all that can be, by ourselves first; or, if there
 * are many, through PTX. Gives the number. */
static size_t set_apart(struct dev_module *m, bool own)
{
    size_t n = 0;
    for (size_t k = 0; k < m->nkernels; k++)
        n += may_stand_alone(&m->kernels[k]);
    if (!own && n < MANY_KERNELS)
        return 0;
    for (size_t k = 0; k < m->nkernels; k++)
        if (may_stand_alone(&m->kernels[k]))
            m->kernels[k].place = own ? OWN_FIRST : ALONE;
    return n;
}

static bool is_part(const struct dev_kernel *k, const struct dev_kernel *only)
{
    return only ? k == only : k->place == IN_MODULE;
}

/* Loads one kernel, or all that do not stand alone and the variables, as an image whose code is
 * PTX: what stands before all kernels, and they. */
static enum tern_error load_part(struct dev_module *m, const struct dev_kernel *only,
                                 struct diag *diag, nv_module *out)
{
    struct sbuf ptx;
    struct back_kernel *kernels = calloc(m->nkernels + 1, sizeof *kernels);
    struct ptx_kernel *own = calloc(m->nkernels + 1, sizeof *own);
    size_t n = 0;
    sbuf_init(&ptx, NULL);
    sbuf_put(&ptx, m->ptx.data, m->nkernels ? m->kernels[0].own.text : m->ptx.len);
    for (size_t k = 0; kernels && own && k < m->nkernels; k++) {
        const struct dev_kernel *from = &m->kernels[k];
        if (!is_part(from, only))
            continue;
        kernels[n] = from->made;
        own[n] = from->own;
        own[n].text = ptx.len;
        kernels[n].own = &own[n];
        sbuf_put(&ptx, m->ptx.data + from->own.text, from->own.text_len);
        n++;
    }
    const struct image image = {.target = &back_ptx,
                                .machine = "ptx",
                                .kernels = kernels,
                                .nkernels = n,
                                .globals = m->globals,
                                .nglobals = only ? 0 : m->nglobals,
                                .code = ptx.data,
                                .bytes = ptx.len};
    const bool whole = kernels && own && !ptx.failed;
    enum tern_error e = whole ? nv_code_load(m->dev, &image, diag, out) : TERN_OUT_OF_MEMORY;
    sbuf_free(&ptx);
    free(own);
    free(kernels);
    return e;
}

/* ---- machine code of our own ---- */
/* What TERN_NVIDIA says. CAREFUL and UNSEEN: as OWN, but with the longest waits, and for processors
 * too that no code of it has run on. */
enum way { PTX, OWN, CAREFUL, UNSEEN, AUTO };

static enum way way_of(const struct dev *d)
{
    static const char *const names[] = {"ptx", "sass", "careful", "unseen", "auto"};
    const char *how = setting_text(SETTING_NVIDIA);
    enum way w = PTX;
    for (unsigned k = 0; how && k < sizeof names / sizeof *names; k++)
        if (!strcmp(how, names[k]))
            w = (enum way)k;
    const bool can = d->exact_arch && (w == UNSEEN ? sass_makes(d->arch) : sass_knows(d->arch));
    /* which code a kernel has depends on the cache and on the clock */
    const bool steady = setting_on(SETTING_DETERMINISTIC) && w == AUTO;
    return d->host.check || !can || steady ? PTX : w;
}

static bool is_careful(void)
{
    const char *how = setting_text(SETTING_NVIDIA);
    return how && !strcmp(how, "careful");
}

static void tell_made(const struct dev *d, const char *kernel, const struct nv_made *made,
                      uint64_t began)
{
    const double all = (double)(thread_nanoseconds() - began) * 1e-6;
    const double emit = (double)made->emit_ns * 1e-6, load = (double)made->load_ns * 1e-6;
    report_note(&d->host.reports,
                "%s%s: machine code of our own, %s in %.2f ms (%zu bytes; made in %.2f, taken by "
                "the driver in %.2f, kept in %.2f)",
                kernel ? "kernel " : "variables and kernels that share them", kernel ? kernel : "",
                made->found ? "kept from before, loaded" : "made and loaded", all,
                made->image.bytes, emit, load, (double)made->store_ns * 1e-6);
}

static void tell_refused(const struct dev *d, const char *kernel, const struct nv_made *made)
{
    report_note(&d->host.reports, "%s%s goes through PTX: %s", kernel ? "kernel " : "the module",
                kernel ? kernel : "", made->why.len ? made->why.data : "there is no memory for it");
}

/* The module but for kernels that are made by themselves. Where there is none: false, and the log
 * says why. */
static bool load_own(struct dev_module *m, const struct ir_module *ir)
{
    struct dev *d = m->dev;
    struct nv_made made;
    const uint64_t began = thread_nanoseconds();
    bool ok = nv_make_own(d, &m->source, NULL,
                          (struct nv_how){.careful = is_careful(), .hasty = m->improves}, &made);
    if (ok && describe(m, &made.image, ir)) {
        m->nkernels = m->nglobals = 0;
        ok = false;
    }
    if (ok) {
        m->handle = made.module;
        made.module = NULL;
        tell_made(d, NULL, &made, began);
        for (size_t k = 0; k < m->nkernels; k++) {
            const struct back_kernel *in = emitted(&made.image, m->kernels[k].made.name);
            m->kernels[k].has_slim = in && ((const struct sass_kernel *)in->own)->slim;
        }
    } else {
        tell_refused(d, NULL, &made);
    }
    nv_made_free(d, &made);
    return ok;
}

static enum tern_error take_made(struct dev_kernel *k, struct nv_made *made)
{
    struct dev_module *m = k->module;
    const struct image *i = &made->image;
    if (setjmp(m->unwind))
        return TERN_OUT_OF_MEMORY;
    if (i->kernels[0].param_bytes != k->made.param_bytes)
        return TERN_INTERNAL;
    describe_code(k, &i->kernels[0], i->target == &back_ptx);
    k->ours = i->target == &back_cubin;
    k->handle = made->module;
    made->module = NULL;
    return TERN_OK;
}

/* Errors of a kernel that is made late have nobody else to tell of them. */
static enum tern_error tell_failed(const struct dev_kernel *k, const struct nv_made *made)
{
    struct sbuf text;
    sbuf_init(&text, NULL);
    sbuf_printf(&text, "kernel %s cannot be loaded: %s", k->display,
                made->why.len ? made->why.data : "there is no memory for it");
    report_send(&k->module->dev->host.reports,
                &(struct report){.kind = REPORT_CALL,
                                 .error = TERN_DRIVER,
                                 .device = "cuda",
                                 .message = text.failed ? "out of memory" : text.data});
    sbuf_free(&text);
    return TERN_DRIVER;
}

/* One kernel: what the driver made of it in an earlier run, our own, or the driver's now; early:
 * that would take too long, and is left to the first launch. */
static enum tern_error load_own_first(struct dev_kernel *k, bool early)
{
    struct dev_module *m = k->module;
    struct dev *d = m->dev;
    struct nv_made made = {0};
    enum tern_error e = TERN_OK;
    const uint64_t began = thread_nanoseconds();
    if (m->improves && nv_find_assembled(d, &m->source, k->made.name, &made)) {
        report_note(&d->host.reports, "kernel %s: the driver's code, kept from before, in %.1f ms",
                    k->display, (double)(thread_nanoseconds() - began) * 1e-6);
        e = take_made(k, &made);
        nv_made_free(d, &made);
        return e;
    }
    nv_made_free(d, &made);
    if (!k->refused &&
        nv_make_own(d, &m->source, k->made.name,
                    (struct nv_how){.careful = is_careful(), .hasty = m->improves}, &made)) {
        tell_made(d, k->display, &made, began);
        e = take_made(k, &made);
        k->state = m->improves ? BEGUN : FIXED;
        nv_made_free(d, &made);
        return e;
    }
    if (!k->refused)
        tell_refused(d, k->display, &made);
    nv_made_free(d, &made);
    k->refused = true;
    if (early)
        return TERN_OK;
    if (m->ptx.len)
        return load_part(m, k, NULL, &k->handle);
    if (nv_make_assembled(d, &m->source, k->made.name, &made))
        e = take_made(k, &made);
    else
        e = tell_failed(k, &made);
    nv_made_free(d, &made);
    return e;
}

/* Does a call lead back to the function, by at most so many? */
static bool leads_to(const struct ir_func *from, const struct ir_func *to, unsigned calls)
{
    ir_each_block (b, from)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call &&
                (i->callee == to || (calls && leads_to(i->callee, to, calls - 1))))
                return true;
    return false;
}

static bool calls_pointers(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call_ptr)
                return true;
    return false;
}

/* May a stack be deeper than an assembler can tell? */
static bool has_recursion(const struct ir_module *m)
{
    enum { FAR = 3 }; /* itself, or up to four of them in a circle */
    ir_each_func (f, m)
        if (calls_pointers(f) || leads_to(f, f, FAR))
            return true;
    return false;
}

/* Where the module's variables are. */
static void tell_variables(const struct dev_module *m, bool live)
{
    struct dev *d = m->dev;
    for (size_t k = 0; d->host.check && m->handle && k < m->nglobals; k++) {
        nv_ptr p = 0;
        size_t bytes = 0;
        if (d->api.module_global(&p, &bytes, m->handle, m->globals[k].symbol))
            continue;
        if (live)
            check_tell(d->host.check, p, bytes, CHECK_VARIABLES, "a variable of the module");
        else
            check_forget(d->host.check, p);
    }
}

/* TERN_UNSUPPORTED: through PTX, but for kernels by themselves. */
static enum tern_error load_ours(struct dev_module *m, const struct ir_module *ir, enum way way)
{
    enum tern_error e = nv_source_keep(&m->source, ir);
    m->improves = way == AUTO;
    if (e)
        return e;
    if (m->source.all_apart)
        return describe(m, NULL, ir);
    if (!load_own(m, ir))
        return TERN_UNSUPPORTED;
    for (size_t k = 0; k < m->nkernels; k++)
        m->kernels[k].state = m->improves ? BEGUN : FIXED;
    return TERN_OK;
}

/* What PTX is made of, and for whom: the key of what is kept of it. */
static bool ptx_key(const struct dev *d, struct compilation *c, struct image_key *out)
{
    char machine[32];
    struct sbuf ir;
    snprintf(machine, sizeof machine, "ptx for sm_%u", d->arch);
    sbuf_init(&ir, NULL);
    if (setjmp(c->unwind))
        return false;
    if (c->diag.sources) /* PTX names lines */
        source_copy(&c->sources, c->diag.sources);
    compile_store(c, &ir);
    *out = image_key_of(&back_ptx, machine);
    out->format = IMAGE_PTX;
    image_key_add(out, ir.data, ir.len);
    const bool whole = !ir.failed;
    sbuf_free(&ir);
    return whole;
}

/* The PTX of a module that an earlier start made: emitting it again takes longer than everything
 * else about code that is kept. */
static bool kept_ptx(struct dev_module *m, const struct ir_module *ir, const struct image_key *key,
                     enum tern_error *e)
{
    struct image image;
    if (!image_load(&image, &back_ptx, "ptx", m->dev->host.cache_dir, key))
        return false;
    sbuf_put(&m->ptx, image.code, image.bytes);
    *e = m->ptx.failed ? TERN_OUT_OF_MEMORY : describe(m, &image, ir);
    image_free(&image);
    return true;
}

static enum tern_error emit_ptx(struct dev_module *m, const struct ir_module *ir, struct diag *diag)
{
    struct dev *d = m->dev;
    struct compilation c;
    struct image_key key;
    const struct ptx_options own = {
        .arch = d->arch, .launches = true, .checks = d->host.check != NULL};
    const struct back_options o = {.line_info = true, .own = &own};
    enum tern_error e = compile_copy(&c, ir, 0);
    const bool keeps = !e && !d->host.check && d->host.cache_dir && ptx_key(d, &c, &key);
    if (keeps && kept_ptx(m, ir, &key, &e)) {
        compile_free(&c);
        return e;
    }
    if (!e)
        e = nv_checked_code(d, &c);
    if (!e)
        e = compile_emit(&c, &back_ptx, &o, &m->ptx);
    if (e && diag)
        for (const struct diag_entry *x = c.diag.first; x; x = x->next)
            diag_add(diag, x->severity, x->span, "%s", x->message);
    const struct image image = {.target = &back_ptx,
                                .machine = "ptx",
                                .kernels = c.kernels.data,
                                .nkernels = c.kernels.len,
                                .globals = c.globals.data,
                                .nglobals = c.globals.len,
                                .code = m->ptx.data,
                                .bytes = m->ptx.len};
    if (!e)
        e = m->ptx.failed ? TERN_OUT_OF_MEMORY : describe(m, &image, ir);
    if (!e && keeps)
        image_store(&image, d->host.cache_dir, &key);
    compile_free(&c);
    return e;
}

/* own: kernels that stand by themselves are of our own where that can be. */
static enum tern_error load_ptx(struct dev_module *m, const struct ir_module *ir, bool own,
                                struct diag *diag)
{
    enum tern_error e = emit_ptx(m, ir, diag);
    if (e)
        return e;
    const size_t apart = set_apart(m, own);
    if (!apart || apart < m->nkernels || m->nglobals)
        e = load_part(m, NULL, diag, &m->handle);
    if (!apart)
        sbuf_free(&m->ptx);
    return e;
}

enum tern_error nv_load(struct dev *d, const struct ir_module *ir, struct diag *diag,
                        struct dev_module **out)
{
    *out = NULL;
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    struct dev_module *m = calloc(1, sizeof *m);
    if (!m)
        return TERN_OUT_OF_MEMORY;
    m->dev = d;
    m->made = d->made;
    m->sources = ir->sources;
    m->recurses = has_recursion(ir);
    if (m->recurses)
        nv_stack_at_least(d, NV_STACK);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->launches, NULL);
    sbuf_init(&m->ptx, NULL);
    sbuf_init(&m->source.ir, NULL);
    sbuf_init(&m->source.apart, NULL);
    const enum way way = way_of(d);
    /* Code of our own that is made for a kernel by itself is made again for more stack. */
    const bool deep = m->recurses && way == AUTO;
    if (way != PTX && !deep && (e = load_ours(m, ir, way)) != TERN_UNSUPPORTED) {
        if (e)
            nv_unload(d, m);
        *out = e ? NULL : m;
        return e;
    }
    e = load_ptx(m, ir, way != PTX, diag);
    if (e) {
        nv_unload(d, m);
        return e;
    }
    tell_variables(m, true);
    *out = m;
    return TERN_OK;
}

void nv_unload(struct dev *d, struct dev_module *m)
{
    nv_forget_wishes(d, &m->source);
    if (nv_enter_with(d, m->made) == TERN_OK) {
        tell_variables(m, false);
        if (m->grid_done)
            d->api.event_destroy(m->grid_done);
        if (m->handle)
            d->api.module_unload(m->handle);
        for (size_t k = 0; k < m->nkernels; k++) {
            if (m->kernels[k].handle)
                d->api.module_unload(m->kernels[k].handle);
            if (m->kernels[k].slim_handle)
                d->api.module_unload(m->kernels[k].slim_handle);
            if (m->kernels[k].better_handle)
                d->api.module_unload(m->kernels[k].better_handle);
            for (uint32_t n = 0; n < m->kernels[k].nspecial; n++)
                d->api.module_unload(m->kernels[k].special[n].handle);
        }
    }
    sbuf_free(&m->ptx);
    nv_source_free(&m->source);
    mem_release(&m->mem);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->launches);
    free(m);
}

/* ---- names ---- */
/* suffix: behind its symbol. */
static nv_result find_entry(const struct dev *d, nv_module from, const char *symbol,
                            const char *suffix, struct entry *out)
{
    char name[4096];
    int most = 0;
    struct entry e = {0};
    if (snprintf(name, sizeof name, "%s%s", symbol, suffix) >= (int)sizeof name)
        return CUDA_OUT_OF_MEMORY;
    nv_result r = d->api.module_function(&e.function, from, name);
    if (!r)
        r = d->api.function_attribute(&most, CUDA_FUNC_MAX_THREADS, e.function);
    e.most = (uint32_t)most;
    if (!r)
        *out = e;
    return r;
}

static enum tern_error load_kernel(struct dev_kernel *k, bool early)
{
    if (k->handle || k->place == IN_MODULE || (early && k->place == ALONE))
        return TERN_OK;
    return k->place == ALONE ? load_part(k->module, k, NULL, &k->handle) : load_own_first(k, early);
}

/* early: if that takes little. */
static enum tern_error make_ready_if(struct dev_kernel *k, bool early)
{
    struct dev_module *m = k->module;
    if (__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE))
        return TERN_OK;
    pthread_mutex_lock(&m->lock);
    enum tern_error e = k->ready ? TERN_OK : load_kernel(k, early);
    const nv_module from = k->place == IN_MODULE ? m->handle : k->handle;
    if (!e && !k->ready && (from || !early)) {
        nv_result r = find_entry(m->dev, from, k->made.symbol, "", &k->first);
        if (!r && k->has_slim)
            r = find_entry(m->dev, from, k->made.symbol, SASS_SLIM, &k->slim);
        e = r ? nv_check(m->dev, r, "finding a kernel") : TERN_OK;
        __atomic_store_n(&k->ready, !r, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&m->lock);
    return e;
}

static enum tern_error make_ready(struct dev_kernel *k)
{
    return make_ready_if(k, false);
}

/* For blocks that it is too large for. What comes of it the launch says. */
static void make_slim(struct dev_kernel *k)
{
    struct dev_module *m = k->module;
    struct nv_made made = {0};
    const uint64_t began = thread_nanoseconds();
    pthread_mutex_lock(&m->lock);
    if (!k->has_slim) {
        const struct nv_how how = {.careful = is_careful(), .slim = true};
        struct entry slim;
        if (nv_make_own(m->dev, &m->source, k->made.name, how, &made) &&
            !find_entry(m->dev, made.module, made.image.kernels[0].symbol, "", &slim)) {
            tell_made(m->dev, k->display, &made, began);
            k->slim = slim;
            k->slim_handle = made.module;
            made.module = NULL;
        }
        nv_made_free(m->dev, &made);
        __atomic_store_n(&k->has_slim, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&m->lock);
}

static struct entry *special(struct dev_kernel *k, struct nv_how how)
{
    struct dev_module *m = k->module;
    struct nv_made made = {0};
    struct entry *found = NULL;
    const uint64_t began = thread_nanoseconds();
    pthread_mutex_lock(&m->lock);
    for (uint32_t n = 0; n < k->nspecial && !found; n++)
        if (k->special[n].how.clusters == how.clusters && k->special[n].how.slim == how.slim &&
            k->special[n].how.stack == how.stack)
            found = &k->special[n].entry;
    if (!found && k->ours && k->nspecial < MOST_SPECIAL) {
        struct special *s = &k->special[k->nspecial];
        if (nv_make_own(m->dev, &m->source, k->made.name, how, &made) &&
            !find_entry(m->dev, made.module, made.image.kernels[0].symbol, "", &s->entry)) {
            tell_made(m->dev, k->display, &made, began);
            s->how = how;
            s->handle = made.module;
            made.module = NULL;
            found = &s->entry;
            k->nspecial++;
        }
        nv_made_free(m->dev, &made);
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

static bool is_own_code(const struct dev_kernel *k)
{
    return k->ours || (k->place == IN_MODULE && !k->made.own);
}

/* Does the launch make clusters of a kernel that has shared memory, whose addresses are to say of
 * which block it is, and knows nothing of that? */
static bool makes_clusters(const struct dev_kernel *k, const struct dev_launch *l)
{
    return l->cluster[0] && l->cluster[0] * l->cluster[1] * l->cluster[2] > 1 && is_own_code(k) &&
           !(k->made.uses & BACK_USES_CLUSTER) && (k->made.static_shared || l->shared);
}

/* fits: all blocks have to be there at once, as many as were asked for. */
static struct entry *plain_entry(struct dev_kernel *k, uint64_t threads, bool fits)
{
    if (!fits && __atomic_load_n(&k->state, __ATOMIC_ACQUIRE) == BETTER &&
        threads <= k->better.most)
        return &k->better;
    if (threads > k->first.most && k->ours && !__atomic_load_n(&k->has_slim, __ATOMIC_ACQUIRE))
        make_slim(k);
    return threads > k->first.most && k->slim.function ? &k->slim : &k->first;
}

/* NULL: there is none. */
static struct entry *entry_for(struct dev_kernel *k, const struct dev_launch *l, bool fits)
{
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2],
                   stack = k->module->dev->stack;
    const bool clusters = makes_clusters(k, l),
               deep = k->module->recurses && k->ours && stack > NV_OWN_STACK;
    if (clusters || deep)
        return special(k,
                       (struct nv_how){.careful = is_careful(),
                                       .slim = threads > k->first.most,
                                       .clusters = clusters,
                                       .stack = !deep                       ? 0
                                                : stack < NV_OWN_STACK_MOST ? (uint32_t)stack
                                                                            : NV_OWN_STACK_MOST});
    return plain_entry(k, threads, fits);
}

/* ---- kernels that become better ---- */
static void become_better(void *ctx, struct nv_made *made)
{
    struct dev_kernel *k = ctx;
    struct dev *d = k->module->dev;
    int state = FIXED;
    if (made && !find_entry(d, made->module, made->image.kernels[0].symbol, "", &k->better)) {
        k->better_handle = made->module;
        made->module = NULL;
        state = BETTER;
    }
    __atomic_store_n(&k->state, state, __ATOMIC_RELEASE);
}

/* After a launch. */
static void consider(struct dev_kernel *k)
{
    struct dev *d = k->module->dev;
    int begun = BEGUN;
    if (__atomic_load_n(&k->state, __ATOMIC_RELAXED) != BEGUN || !nv_is_worth_it(d, &k->use) ||
        !__atomic_compare_exchange_n(&k->state, &begun, WISHED, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return;
    const struct nv_wish wish = {.source = &k->module->source,
                                 .kernel = k->made.name,
                                 .display = k->display,
                                 .made = k->module->made,
                                 .done = become_better,
                                 .ctx = k};
    report_note(&d->host.reports, "kernel %s: launched %u times: the driver is to assemble it",
                k->display, __atomic_load_n(&k->use.launches, __ATOMIC_RELAXED));
    if (!nv_wish(d, &wish))
        __atomic_store_n(&k->state, FIXED, __ATOMIC_RELAXED);
}

enum tern_error nv_kernel(struct dev_module *m, const char *name, struct dev_kernel **out)
{
    *out = NULL;
    enum tern_error e = nv_enter_with(m->dev, m->made);
    if (e)
        return e;
    for (size_t n = 0; n < m->nkernels; n++) {
        struct dev_kernel *k = &m->kernels[n];
        if (strcmp(k->made.name, name))
            continue;
        if (k->place == IN_MODULE)
            e = make_ready(k);
        *out = e ? NULL : k;
        return e;
    }
    return TERN_NOT_FOUND;
}

enum tern_error nv_prepare(struct dev_kernel *k)
{
    enum tern_error e = nv_enter_with(k->module->dev, k->module->made);
    return e ? e : make_ready(k);
}

enum tern_error nv_prepare_early(struct dev_kernel *k)
{
    enum tern_error e = nv_enter_with(k->module->dev, k->module->made);
    return e ? e : make_ready_if(k, true);
}

bool nv_prepares_early(struct dev *d)
{
    return way_of(d) != PTX;
}

enum tern_error nv_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size)
{
    enum tern_error e = nv_enter_with(m->dev, m->made);
    *out = 0;
    *size = 0;
    if (e)
        return e;
    for (size_t n = 0; n < m->nglobals; n++) {
        if (strcmp(m->globals[n].name, name))
            continue;
        nv_ptr p = 0;
        size_t bytes = 0;
        nv_result r = m->dev->api.module_global(&p, &bytes, m->handle, m->globals[n].symbol);
        *out = p;
        *size = bytes;
        return r ? nv_check(m->dev, r, "finding a variable") : TERN_OK;
    }
    return TERN_NOT_FOUND;
}

/* ---- launches ---- */
/* More dynamic shared memory than every kernel may have must be asked for. */
static nv_result allow_shared(const struct dev *d, struct entry *x, uint32_t bytes)
{
    enum { ALWAYS = 16 << 10 };
    if (bytes <= ALWAYS || (int)bytes <= x->shared_allowed)
        return 0;
    nv_result r = d->api.function_set(x->function, CUDA_FUNC_MAX_DYNAMIC_SHARED, (int)bytes);
    if (!r)
        x->shared_allowed = (int)bytes;
    return r;
}

static bool has_sane_shape(const struct dev_launch *l)
{
    for (unsigned i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i])
            return false;
    return true;
}

/* With clusters that the launch asks for (a kernel's own the driver knows), or before the launch
 * before it has ended. */
static nv_result launch_with(const struct dev *d, struct dev_queue *q, nv_function f,
                             const struct dev_launch *l, bool cooperative, bool overlaps,
                             void **params)
{
    const uint32_t *c = l->cluster;
    struct nv_launch_attribute all[3];
    struct nv_launch launch = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                               .block = {l->block[0], l->block[1], l->block[2]},
                               .shared = l->shared,
                               .stream = q->stream,
                               .attributes = all};
    if (c[0])
        all[launch.count++] = (struct nv_launch_attribute){.id = CUDA_LAUNCH_CLUSTER,
                                                           .value.cluster = {c[0], c[1], c[2]}};
    if (cooperative)
        all[launch.count++] =
            (struct nv_launch_attribute){.id = CUDA_LAUNCH_COOPERATIVE, .value.on = 1};
    if (overlaps)
        all[launch.count++] =
            (struct nv_launch_attribute){.id = CUDA_LAUNCH_OVERLAPS, .value.on = 1};
    nv_result r = 0;
    if (c[0] * c[1] * c[2] > CUDA_MAX_CLUSTER_PORTABLE)
        r = d->api.function_set(f, CUDA_FUNC_ANY_CLUSTER, 1);
    return r ? r : d->api.launch_ex(&launch, f, params, NULL);
}

static enum tern_error launch_one(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                                  const struct dev_launch *l)
{
    void *params[MAX_PARAMS];
    enum tern_error e = nv_enter_with(d, k->module->made);
    if (e || q->made != k->module->made)
        return e ? e : TERN_INVALID_HANDLE;
    if (!has_sane_shape(l))
        return TERN_INVALID_LAUNCH;
    if (k->nparams > MAX_PARAMS || l->param_bytes < k->made.param_bytes)
        return TERN_INVALID_ARGUMENT;
    if ((e = make_ready(k)))
        return e;
    for (uint32_t n = 0; n < k->nparams; n++)
        params[n] = (char *)(uintptr_t)l->params + k->offsets[n];
    const bool grid = k->made.uses & BACK_USES_GRIDSYNC, fits = l->cooperative || grid;
    const uint32_t *g = l->grid, *b = l->block;
    struct entry *entry = entry_for(k, l, fits);
    if (!entry) {
        report_note(&d->host.reports,
                    "kernel %s: there is no code of our own for clusters, or for so much stack",
                    k->display);
        return TERN_UNSUPPORTED;
    }
    struct nv_checking checking = {.queue = q,
                                   .launch = l,
                                   .name = k->display,
                                   .sources = k->module->sources,
                                   .function = entry->function,
                                   .recurses = k->module->recurses};
    /* Code of our own does not wait for the launch before, PTX does (griddepcontrol). */
    const bool overlaps = l->overlaps && !is_own_code(k) && !fits && !d->checks;
    uint64_t size;
    if (d->checks && (e = nv_global(k->module, OUTPUT_LAUNCHES, &checking.output, &size)))
        return e;
    if ((e = nv_check_begin(&checking)))
        return e;
    const struct nv_api *api = &d->api;
    nv_result r = allow_shared(d, entry, l->shared);
    if (!r && k->made.uses & BACK_USES_TEXTURES)
        r = nv_textures_sync(d, q->stream, false);
    if (!r && grid) { /* one barrier per module: its users take turns */
        pthread_mutex_lock(&k->module->lock);
        if (!k->module->grid_done)
            r = api->event_create(&k->module->grid_done, 2);
        else
            r = api->stream_wait(q->stream, k->module->grid_done, 0);
    }
    if (!r && (l->cluster[0] || overlaps))
        r = launch_with(d, q, entry->function, l, fits, overlaps, params);
    else if (!r && fits)
        r = api->launch_cooperative(entry->function, g[0], g[1], g[2], b[0], b[1], b[2], l->shared,
                                    q->stream, params);
    else if (!r)
        r = api->launch(entry->function, g[0], g[1], g[2], b[0], b[1], b[2], l->shared, q->stream,
                        params, NULL);
    if (grid) {
        if (!r)
            r = api->event_record(k->module->grid_done, q->stream);
        pthread_mutex_unlock(&k->module->lock);
    }
    if (!r && k->made.uses & BACK_USES_TEXTURES)
        r = nv_textures_sync(d, q->stream, true);
    if (l->timeout_ns) {
        uint64_t until = thread_nanoseconds() + l->timeout_ns;
        if (!q->deadline || until < q->deadline)
            q->deadline = until;
    }
    if (r == 0) {
        consider(k);
        if (strcmp(d->last_kernel, k->made.name)) {
            pthread_mutex_lock(&d->lock);
            snprintf(d->last_kernel, sizeof d->last_kernel, "%s", k->made.name);
            pthread_mutex_unlock(&d->lock);
        }
        return nv_check_end(&checking, TERN_OK);
    }
    e = nv_check(d, r, "launching a kernel");
    return nv_check_end(&checking, e == TERN_INVALID_ARGUMENT ? TERN_INVALID_LAUNCH : e);
}

/* ---- kernels that launch kernels ---- */

/* Reads the records of what the last kernel has launched. */
static enum tern_error read_children(struct dev *d, struct dev_queue *q, dev_ptr output,
                                     struct child **out)
{
    struct device_output head;
    nv_result r = d->api.copy_out(&head, output, sizeof head, q->stream);
    if (!r)
        r = d->api.stream_sync(q->stream);
    uint32_t end = head.used < head.capacity ? head.used : head.capacity;
    if (r || !end)
        return r ? nv_check(d, r, "reading what a kernel has launched") : TERN_OK;
    uint32_t *words = malloc(4 * (size_t)end);
    if (!words)
        return TERN_OUT_OF_MEMORY;
    r = d->api.copy_out(words, output + sizeof head, 4 * (size_t)end, q->stream);
    if (!r) /* a record that does not fit leaves nothing; it must not find an old one there */
        r = d->api.fill32(output + sizeof head, 0, end, q->stream);
    if (!r)
        r = d->api.stream_sync(q->stream);
    enum tern_error e = r ? nv_check(d, r, "reading what a kernel has launched") : TERN_OK;
    for (uint32_t at = 0; !e && end - at >= 2 && words[at] >= 2 && words[at] <= end - at;
         at += words[at])
        if (!children_add(out, words + at + 2, words[at] - 2))
            e = TERN_OUT_OF_MEMORY;
    free(words);
    return e;
}

/* The kernel, and then what it has launched, before anything that comes behind it in the queue. */
static enum tern_error launch_family(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                                     const struct dev_launch *l, uint32_t depth)
{
    struct dev_module *m = k->module;
    dev_ptr output;
    uint64_t size;
    if (!(k->made.uses & BACK_USES_LAUNCH))
        return launch_one(d, q, k, l);
    enum tern_error e = nv_global(m, OUTPUT_LAUNCHES, &output, &size);
    if (e)
        return e;
    struct device_output head = {.capacity = (uint32_t)((size - sizeof head) / 4), .depth = depth};
    nv_result r = d->api.copy_in(output, &head, sizeof head, q->stream);
    e = r ? nv_check(d, r, "launching a kernel") : launch_one(d, q, k, l);
    if (!e)
        e = nv_queue_wait(q);
    struct child *all = NULL;
    if (!e)
        e = read_children(d, q, output, &all);
    for (const struct child *c = all; c && !e; c = c->next) {
        struct dev_kernel *kernel = NULL;
        for (size_t n = 0; n < m->nkernels; n++)
            if (m->kernels[n].number == c->what.kernel)
                kernel = &m->kernels[n];
        struct dev_launch launch = child_launch(c);
        e = kernel ? launch_family(d, q, kernel, &launch, depth + 1) : TERN_INVALID_LAUNCH;
    }
    children_free(all);
    return e;
}

enum tern_error nv_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                          const struct dev_launch *l)
{
    enum tern_error e = TERN_OK;
    if (!__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE)) /* what it uses is known then */
        e = nv_prepare(k);
    if (e)
        return e;
    if (!(k->made.uses & BACK_USES_LAUNCH))
        return launch_one(d, q, k, l);
    if (q->capturing) {
        q->spoilt = true;
        return TERN_OK;
    }
    pthread_mutex_lock(&k->module->launches);
    e = launch_family(d, q, k, l, 0);
    pthread_mutex_unlock(&k->module->launches);
    return e;
}

enum tern_error nv_occupancy(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                             uint32_t *blocks)
{
    struct dev *d = k->module->dev;
    enum tern_error e = nv_enter_with(d, k->module->made);
    int n = 0;
    *blocks = 0;
    if (!e)
        e = make_ready(k);
    if (e)
        return e;
    struct entry *entry = plain_entry(k, threads, true);
    nv_result r = allow_shared(d, entry, shared);
    if (!r)
        r = d->api.occupancy(&n, entry->function, (int)threads, shared);
    *blocks = (uint32_t)n;
    return r ? nv_check(d, r, "asking for occupancy") : TERN_OK;
}
