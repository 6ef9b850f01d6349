/* Modules: IR → PTX (back/ptx) → images (code.c) → kernels and launches. With TERN_NVIDIA=sass: IR
 * → machine code of our own (back/sass) for the module, or else for each kernel that it can be made
 * for and that shares nothing with others; the rest goes through PTX, and the log says why.
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
#include "rt/children.h"
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/image.h"

enum { MAX_PARAMS = 256, MANY_KERNELS = 8 };

struct dev_kernel {
    struct dev_module *module;
    struct back_kernel made; /* as the target tells of it */
    struct ptx_kernel own;   /* made.own */
    const char *display;
    uint32_t number;  /* by which kernels name it that launch it */
    bool alone;       /* assembled by itself, when it is used; or made by ourselves */
    nv_module handle; /* then that is here */
    nv_function function;
    uint32_t nparams;
    uint32_t *offsets;
    int shared_allowed; /* dynamic bytes that the driver has been told of */
};

struct dev_module {
    struct dev *dev;
    unsigned made; /* in which of the device's contexts */
    struct mem mem;
    struct arena arena;
    jmp_buf unwind;
    const struct source_map *sources;
    bool recurses;    /* where it is asked: functions call themselves */
    nv_module handle; /* NULL: every kernel stands alone */
    struct sbuf ptx;  /* kept while kernels do */
    struct dev_kernel *kernels;
    size_t nkernels;
    struct back_global *globals;
    size_t nglobals;
    pthread_mutex_t lock;     /* functions found late, the grid barrier */
    pthread_mutex_t launches; /* one kernel at a time that launches others */
    nv_event grid_done;       /* the last launch that uses the module's one grid barrier */
};

static const struct back_kernel *emitted(const struct compilation *c, const char *name)
{
    for (size_t k = 0; k < c->kernels.len; k++)
        if (!strcmp(c->kernels.data[k].name, name))
            return &c->kernels.data[k];
    return NULL;
}

static void describe_kernel(struct dev_module *m, struct dev_kernel *k, const struct ir_func *f,
                            const struct back_kernel *b, bool ptx)
{
    struct arena *a = &m->arena;
    k->module = m;
    k->made = *b;
    k->made.name = arena_strndup(a, b->name, strlen(b->name));
    k->made.symbol = arena_strndup(a, b->symbol, strlen(b->symbol));
    k->display = f->display ? arena_strndup(a, f->display, strlen(f->display)) : k->made.name;
    k->made.own = NULL;
    if (ptx)
        k->made.own = memcpy(&k->own, b->own, sizeof k->own);
    k->nparams = (uint32_t)f->params.len;
    k->offsets = arena_array(a, uint32_t, f->params.len + 1);
    for (size_t n = 0; n < f->params.len; n++)
        k->offsets[n] = f->params.data[n].offset;
}

static enum tern_error describe(struct dev_module *m, const struct compilation *c,
                                const struct ir_module *ir, bool ptx)
{
    if (setjmp(m->unwind))
        return TERN_OUT_OF_MEMORY;
    m->mem.unwind = &m->unwind;
    arena_init(&m->arena, &m->mem);
    size_t kernels = 0;
    ir_each_func (f, ir)
        kernels += (f->flags & IR_FUNC_KERNEL) != 0;
    m->kernels = arena_array(&m->arena, struct dev_kernel, kernels + 1);
    m->globals = arena_array(&m->arena, struct back_global, c->globals.len + 1);
    uint32_t number = 0;
    ir_each_func (f, ir) {
        number++;
        const struct back_kernel *b = f->flags & IR_FUNC_KERNEL ? emitted(c, f->name) : NULL;
        if (!b)
            continue;
        struct dev_kernel *k = &m->kernels[m->nkernels++];
        describe_kernel(m, k, f, b, ptx);
        k->number = number; /* as lower_func_number counts */
    }
    vec_each (const struct back_global, g, &c->globals)
        m->globals[m->nglobals++] =
            (struct back_global){arena_strndup(&m->arena, g->name, strlen(g->name)),
                                 arena_strndup(&m->arena, g->symbol, strlen(g->symbol))};
    return TERN_OK;
}

static bool may_stand_alone(const struct dev_kernel *k)
{
    return !k->own.shares && !(k->made.uses & BACK_USES_GRIDSYNC);
}

/* Marks the kernels that are assembled by themselves, if there are many: gives the number. */
static size_t set_apart(struct dev_module *m)
{
    size_t n = 0;
    size_t made = 0;
    for (size_t k = 0; k < m->nkernels; k++) {
        n += may_stand_alone(&m->kernels[k]);
        made += m->kernels[k].alone;
    }
    if (n < MANY_KERNELS)
        return made;
    for (size_t k = 0; k < m->nkernels; k++)
        m->kernels[k].alone = may_stand_alone(&m->kernels[k]);
    return n;
}

static bool is_part(const struct dev_kernel *k, const struct dev_kernel *only)
{
    return only ? k == only : !k->alone;
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
static bool wants_sass(const struct dev *d)
{
    const char *how = setting_text(SETTING_NVIDIA);
    const bool unseen = how && !strcmp(how, "unseen");
    return how && !d->host.check && (!strcmp(how, "sass") || !strcmp(how, "careful") || unseen) &&
           d->exact_arch && (unseen ? sass_makes(d->arch) : sass_knows(d->arch));
}

/* The code of one kernel, or (NULL) of all, in a module of the driver's. Where there is none:
 * false, and the log says why. */
static bool load_sass(struct dev_module *m, const struct ir_module *ir, const char *kernel,
                      nv_module *out)
{
    struct dev *d = m->dev;
    struct compilation c;
    struct sbuf code, why;
    const struct sass_options own = {.arch = d->arch,
                                     .careful = !strcmp(setting_text(SETTING_NVIDIA), "careful")};
    const struct back_options o = {.own = &own, .kernel = kernel};
    sbuf_init(&code, NULL);
    sbuf_init(&why, NULL);
    /* a launch may make clusters of several blocks, which our code knows nothing of */
    const bool clusters = compile_has_clusters(ir);
    enum tern_error e = compile_copy(&c, ir, 0);
    if (!e)
        e = clusters ? TERN_UNSUPPORTED : compile_emit(&c, &back_cubin, &o, &code);
    if (clusters) {
        sbuf_puts(&why, "it asks for something of its cluster");
    } else if (e) {
        sbuf_puts(&why, c.diag.first ? c.diag.first->message : "there is no memory for it");
    } else {
        const nv_result r = code.failed ? 2 : d->api.module_load(out, code.data);
        if (r)
            sbuf_printf(&why, "the driver refuses it: %s (%d)", nv_error_name(r), r);
        e = r ? TERN_DRIVER : TERN_OK;
    }
    if (!e && !kernel && (e = describe(m, &c, ir, false))) {
        d->api.module_unload(*out);
        *out = NULL;
        m->nkernels = m->nglobals = 0;
    }
    compile_free(&c);
    report_note(&d->host.reports, "%s%s %s%s",
                kernel ? "kernel " : "all kernels: ", kernel ? kernel : "machine code",
                e ? "goes through PTX: " : "is our own",
                e && why.data ? why.data
                : kernel      ? " machine code"
                              : "");
    sbuf_free(&code);
    sbuf_free(&why);
    return !e;
}

/* Kernels by themselves, where the module as a whole could not be had. */
static void load_sass_kernels(struct dev_module *m, const struct ir_module *ir)
{
    for (size_t k = 0; k < m->nkernels; k++)
        if (may_stand_alone(&m->kernels[k]))
            m->kernels[k].alone = load_sass(m, ir, m->kernels[k].made.name, &m->kernels[k].handle);
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

static bool has_recursion(const struct ir_module *m)
{
    enum { FAR = 1 }; /* itself, or two each other */
    ir_each_func (f, m)
        if (leads_to(f, f, FAR))
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

enum tern_error nv_load(struct dev *d, const struct ir_module *ir, struct diag *diag,
                        struct dev_module **out)
{
    *out = NULL;
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    struct dev_module *m = calloc(1, sizeof *m);
    struct compilation c;
    if (!m)
        return TERN_OUT_OF_MEMORY;
    m->dev = d;
    m->made = d->made;
    m->sources = ir->sources;
    m->recurses = d->host.check && has_recursion(ir);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->launches, NULL);
    sbuf_init(&m->ptx, NULL);
    const struct ptx_options own = {
        .arch = d->arch, .launches = true, .checks = d->host.check != NULL};
    const struct back_options o = {.line_info = true, .own = &own};
    if (wants_sass(d) && load_sass(m, ir, NULL, &m->handle)) {
        *out = m;
        return TERN_OK;
    }
    e = compile_copy(&c, ir, 0);
    if (!e)
        e = nv_checked_code(d, &c);
    if (!e)
        e = compile_emit(&c, &back_ptx, &o, &m->ptx);
    if (e && diag)
        for (const struct diag_entry *x = c.diag.first; x; x = x->next)
            diag_add(diag, x->severity, x->span, "%s", x->message);
    if (!e)
        e = m->ptx.failed ? TERN_OUT_OF_MEMORY : describe(m, &c, ir, true);
    compile_free(&c);
    if (!e && wants_sass(d))
        load_sass_kernels(m, ir);
    size_t apart = e ? 0 : set_apart(m);
    if (!e && (!apart || apart < m->nkernels || m->nglobals))
        e = load_part(m, NULL, diag, &m->handle);
    if (!apart)
        sbuf_free(&m->ptx);
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
    if (nv_enter_with(d, m->made) == TERN_OK) {
        tell_variables(m, false);
        if (m->grid_done)
            d->api.event_destroy(m->grid_done);
        if (m->handle)
            d->api.module_unload(m->handle);
        for (size_t k = 0; k < m->nkernels; k++)
            if (m->kernels[k].handle)
                d->api.module_unload(m->kernels[k].handle);
    }
    sbuf_free(&m->ptx);
    mem_release(&m->mem);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->launches);
    free(m);
}

/* ---- names ---- */
static enum tern_error make_ready(struct dev_kernel *k)
{
    struct dev_module *m = k->module;
    enum tern_error e = TERN_OK;
    if (__atomic_load_n(&k->function, __ATOMIC_ACQUIRE))
        return TERN_OK;
    pthread_mutex_lock(&m->lock);
    if (!k->function) {
        nv_function f = NULL;
        if (k->alone && !k->handle)
            e = load_part(m, k, NULL, &k->handle);
        if (!e) {
            nv_result r =
                m->dev->api.module_function(&f, k->alone ? k->handle : m->handle, k->made.symbol);
            e = r ? nv_check(m->dev, r, "finding a kernel") : TERN_OK;
        }
        __atomic_store_n(&k->function, f, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&m->lock);
    return e;
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
        if (!k->alone)
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

nv_function nv_kernel_function(struct dev_kernel *k)
{
    return k->function;
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
static nv_result allow_shared(struct dev_kernel *k, uint32_t bytes)
{
    enum { ALWAYS = 16 << 10 };
    if (bytes <= ALWAYS || (int)bytes <= k->shared_allowed)
        return 0;
    nv_result r =
        k->module->dev->api.function_set(k->function, CUDA_FUNC_MAX_DYNAMIC_SHARED, (int)bytes);
    if (!r)
        k->shared_allowed = (int)bytes;
    return r;
}

static bool has_sane_shape(const struct dev_launch *l)
{
    for (unsigned i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i])
            return false;
    return true;
}

/* With clusters that the launch asks for; a kernel's own the driver knows. */
static nv_result launch_clusters(const struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                                 const struct dev_launch *l, bool cooperative, void **params)
{
    const uint32_t *c = l->cluster;
    struct nv_launch_attribute all[2] = {
        {.id = CUDA_LAUNCH_CLUSTER, .value.cluster = {c[0], c[1], c[2]}},
        {.id = CUDA_LAUNCH_COOPERATIVE, .value.on = 1}};
    const struct nv_launch launch = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                                     .block = {l->block[0], l->block[1], l->block[2]},
                                     .shared = l->shared,
                                     .stream = q->stream,
                                     .attributes = all,
                                     .count = cooperative ? 2 : 1};
    nv_result r = 0;
    if (c[0] * c[1] * c[2] > CUDA_MAX_CLUSTER_PORTABLE)
        r = d->api.function_set(k->function, CUDA_FUNC_ANY_CLUSTER, 1);
    return r ? r : d->api.launch_ex(&launch, k->function, params, NULL);
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
    struct nv_checking checking = {.queue = q,
                                   .launch = l,
                                   .name = k->display,
                                   .sources = k->module->sources,
                                   .function = k->function,
                                   .recurses = k->module->recurses};
    uint64_t size;
    if (d->checks && (e = nv_global(k->module, OUTPUT_LAUNCHES, &checking.output, &size)))
        return e;
    if ((e = nv_check_begin(&checking)))
        return e;
    const struct nv_api *api = &d->api;
    const uint32_t *g = l->grid, *b = l->block;
    bool grid = k->made.uses & BACK_USES_GRIDSYNC;
    nv_result r = allow_shared(k, l->shared);
    if (!r && k->made.uses & BACK_USES_TEXTURES)
        r = nv_textures_sync(d, q->stream, false);
    if (!r && grid) { /* one barrier per module: its users take turns */
        pthread_mutex_lock(&k->module->lock);
        if (!k->module->grid_done)
            r = api->event_create(&k->module->grid_done, 2);
        else
            r = api->stream_wait(q->stream, k->module->grid_done, 0);
    }
    if (!r && l->cluster[0])
        r = launch_clusters(d, q, k, l, l->cooperative || grid, params);
    else if (!r && (l->cooperative || grid))
        r = api->launch_cooperative(k->function, g[0], g[1], g[2], b[0], b[1], b[2], l->shared,
                                    q->stream, params);
    else if (!r)
        r = api->launch(k->function, g[0], g[1], g[2], b[0], b[1], b[2], l->shared, q->stream,
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
    if (!(k->made.uses & BACK_USES_LAUNCH))
        return launch_one(d, q, k, l);
    if (q->capturing) {
        q->spoilt = true;
        return TERN_OK;
    }
    enum tern_error e = nv_enter_with(d, k->module->made);
    if (e)
        return e;
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
    nv_result r = allow_shared(k, shared);
    if (!r)
        r = d->api.occupancy(&n, k->function, (int)threads, shared);
    *blocks = (uint32_t)n;
    return r ? nv_check(d, r, "asking for occupancy") : TERN_OK;
}
