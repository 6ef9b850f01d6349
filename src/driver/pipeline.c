/* The whole compiler, in order.
 *
 *   source text ── front end ──> IR ── verify, prune ──> canonical IR ── optimise ──> IR ── target
 * ──> output
 *
 * This is the one place where running out of memory lands: each door below sets the jump that
 * arenas take, and turns it into an error with a diagnostic. */
#include <string.h>
#include "driver/pipeline.h"
#include "front/cuda/cuda.h"
#include "front/ptx/ptx.h"
#include "ir/debug.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "pass/pass.h"

/* ---- one compilation ---- */

static void start(struct compilation *c, size_t memory_limit)
{
    /* Programs made of templates of tensors take 6 GB; what takes more will not come to an end. */
    const size_t most = SIZE_MAX > UINT32_MAX ? (size_t)(UINT64_C(8) << 30) : (size_t)1 << 30;
    *c = (struct compilation){.mem = {.limit = memory_limit ? memory_limit : most}};
    c->mem.unwind = &c->unwind;
    arena_init(&c->arena, &c->mem);
    c->log = (struct pass_log){.verify = pass_verifies(), .out = &c->dump, .arena = &c->arena};
}

static void start_tables(struct compilation *c)
{
    intern_init(&c->names, &c->arena);
    source_init(&c->sources, &c->arena);
    diag_init(&c->diag, &c->arena, &c->sources);
    sbuf_init(&c->dump, &c->arena);
}

/* Out of memory: what was allocated is of no use to anyone, except the little that says so. */
static enum tern_error out_of_memory(struct compilation *c)
{
    bool limited = c->mem.limit && c->mem.used + (1 << 20) > c->mem.limit;
    mem_release(&c->mem);
    jmp_buf again;
    c->mem.limit = 0;
    c->mem.unwind = &again;
    c->module = NULL;
    c->requests.len = c->requests.cap = 0;
    c->requests.data = NULL;
    c->kernels.len = c->kernels.cap = 0;
    c->kernels.data = NULL;
    c->log = (struct pass_log){0};
    c->diag = (struct diag){0};
    c->dump = (struct sbuf){0};
    arena_init(&c->arena, &c->mem);
    if (!setjmp(again)) {
        start_tables(c);
        diag_add(&c->diag, DIAG_FATAL, span_at(0, 0),
                 limited ? "out of memory: the compilation needs more than it is allowed"
                         : "out of memory");
    }
    return TERN_OUT_OF_MEMORY;
}

void compile_free(struct compilation *c)
{
    mem_release(&c->mem);
    *c = (struct compilation){0};
}

enum tern_error compile_apart(struct compilation *c, size_t memory_limit,
                              bool (*work)(struct compilation *c, void *arg), void *arg)
{
    start(c, memory_limit);
    if (setjmp(c->unwind))
        return out_of_memory(c);
    start_tables(c);
    return work(c, arg) && !c->diag.errors ? TERN_OK : TERN_COMPILE;
}

static enum tern_error outcome(struct compilation *c, bool ok)
{
    if (!ok || c->diag.errors)
        c->module = NULL;
    return c->module ? TERN_OK : TERN_COMPILE;
}

/* ---- passes of our own ---- */

static struct passes passes_of(struct compilation *c, const char *stage)
{
    return (struct passes){
        .arena = &c->arena, .module = c->module, .diag = &c->diag, .stage = stage, .log = &c->log};
}

static void prune(void *ctx, struct ir_module *m)
{
    (void)ctx;
    ir_prune(m);
}

static void link_into(void *ctx, struct ir_module *m)
{
    ir_link(m, ctx);
}

/* Reading a source is no pass, but takes its time as they do. */
struct phases {
    struct pass_log *log;
    const char *stage, *now; /* now: the phase that runs; NULL: none */
    struct pass_clock clock;
};

static void enter_phase(void *ctx, const char *name)
{
    struct phases *p = ctx;
    if (p->now)
        pass_stop(p->log, p->clock, p->stage, p->now);
    p->now = name;
    if (name)
        p->clock = pass_start(p->log);
}

/* ---- source → canonical IR ---- */

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && !strcmp(path + n - m, ending);
}

static enum source_language language_of(const struct compile_options *o)
{
    if (o->language != SOURCE_AUTO)
        return o->language;
    return ends_with(o->path, ".ir")    ? SOURCE_IR
           : ends_with(o->path, ".ptx") ? SOURCE_PTX
                                        : SOURCE_CUDA;
}

/* Where the host half's compiler finds headers: the device half only looks whether one is there. */
static const char *const system_dirs[] = {PP_SYSTEM_DIRS};

static void note_requests(struct compilation *c, const struct front_job *job)
{
    for (size_t i = 0; i < job->nrequests && job->request_names; i++)
        if (job->request_names[i]) {
            struct compile_request r = {
                arena_strndup(&c->arena, job->requests[i], strlen(job->requests[i])),
                job->request_names[i]};
            vec_push(&c->arena, &c->requests, r);
        }
}

static bool read_cuda(struct compilation *c, const struct compile_options *o, const char *text,
                      size_t len, struct phases *phases)
{
    struct pp_switch *switches = arena_array(&c->arena, struct pp_switch, o->ndefines + 1);
    for (size_t i = 0; i < o->ndefines; i++) {
        char k = o->defines[i].kind;
        switches[i].kind = k == 'U' ? PP_UNDEF : k == 'i' ? PP_INCLUDE : PP_DEFINE;
        switches[i].text = o->defines[i].text;
    }
    struct front_job job = {.arena = &c->arena,
                            .names = &c->names,
                            .sources = &c->sources,
                            .diag = &c->diag,
                            .path = o->path,
                            .text = text,
                            .len = len,
                            .pp = {.include_dirs = o->include_dirs,
                                   .ninclude_dirs = o->ninclude_dirs,
                                   .system_dirs = system_dirs,
                                   .nsystem_dirs = sizeof system_dirs / sizeof *system_dirs,
                                   .switches = switches,
                                   .nswitches = o->ndefines,
                                   .device = !o->host,
                                   .host = o->host,
                                   .page = o->host_wasm,
                                   .fast_math = o->mode.fast_math,
                                   .arch = o->mode.arch ? o->mode.arch : 800,
                                   .standard = o->standard,
                                   .read_file = o->read_file,
                                   .read_ctx = o->read_ctx},
                            .requests = o->names,
                            .nrequests = o->nnames,
                            .alone = o->alone,
                            .default_device = o->default_device,
                            .linked = o->linked,
                            .print = o->print,
                            .phase = enter_phase,
                            .phase_ctx = phases};
    c->module = job.module = ir_module_new(&c->arena, &c->names, o->path);
    job.module->sources = &c->sources;
#ifndef TERN_SMALL
    if (o->mode.lines || o->mode.steps)
        job.module->debug = ir_debug_new(&c->arena, o->mode.steps);
#endif
    bool ok = cuda_front(&job);
    note_requests(c, &job);
    for (size_t i = 0; i < o->nunits && ok; i++) {
        const struct compile_unit *u = &o->units[i];
        job.unit = (unsigned)i + 1;
        job.path = u->path;
        job.text = u->text;
        job.len = u->len;
        job.requests = u->names;
        job.nrequests = u->nnames;
        job.preprocessed = (struct pp_result){0};
        ok = cuda_front(&job);
        note_requests(c, &job);
    }
    ok = ok && (!o->linked || o->partial || cuda_front_linked(c->module, &c->diag));
    if (ok)
        cuda_front_carry(c->module);
    return ok;
}

static bool read_ptx(struct compilation *c, const struct compile_options *o, const char *text,
                     size_t len)
{
    struct ptx_job job = {.arena = &c->arena,
                          .names = &c->names,
                          .sources = &c->sources,
                          .diag = &c->diag,
                          .path = o->path,
                          .text = text,
                          .len = len};
    c->module = job.module = ir_module_new(&c->arena, &c->names, o->path);
    job.module->sources = &c->sources;
    return ptx_front(&job);
}

static bool read_language(struct compilation *c, const struct compile_options *o, const char *text,
                          size_t len, struct phases *phases)
{
    switch (language_of(o)) {
    case SOURCE_IR:
        enter_phase(phases, "parse");
        c->module = ir_parse(&c->arena, &c->names, &c->sources, &c->diag, o->path, text, len);
        return c->module != NULL;
    case SOURCE_CUDA: return read_cuda(c, o, text, len, phases);
    case SOURCE_PTX: enter_phase(phases, "parse"); return read_ptx(c, o, text, len);
    default: return false;
    }
}

static bool read_source(struct compilation *c, const struct compile_options *o, const char *text,
                        size_t len)
{
    struct phases phases = {.log = &c->log, .stage = "front"};
    bool ok = read_language(c, o, text, len, &phases);
    if (ok) {
        enter_phase(&phases, "verify");
        ok = ir_verify(c->module, &c->diag, NULL);
    }
    enter_phase(&phases, NULL);
    return ok;
}

static void set_warnings(struct diag *d, const struct compile_options *o)
{
    for (size_t i = 0; i < o->nwarnings; i++) {
        if (!strcmp(o->warnings[i], "error"))
            d->werror = true;
        else if (!strncmp(o->warnings[i], "error=", 6))
            vec_push(d->arena, &d->fatal, o->warnings[i] + 6);
        else if (!strncmp(o->warnings[i], "no-", 3))
            vec_push(d->arena, &d->disabled, o->warnings[i] + 3);
    }
    if (o->error_limit)
        d->error_limit = o->error_limit;
}

static bool optimise(struct compilation *c, const struct compile_options *o)
{
    struct opt_options opt = {.level = o->level,
                              /* who wrote the PTX has fused what was to be fused */
                              .fmad = !o->mode.no_fmad && !o->host && language_of(o) != SOURCE_PTX,
                              .fast_math =
                                  o->mode.fast_math && !o->host && language_of(o) == SOURCE_CUDA,
                              .rolled = o->rolled,
                              .host = o->host,
                              .checked = o->checked};
    struct passes p = passes_of(c, "opt");
    return opt_run(&p, &opt);
}

struct pairing {
    struct arena *arena;
    const char *library; /* NULL: there is no f64 */
};

static void pair(void *ctx, struct ir_module *m)
{
    struct pairing *p = ctx;
    p->library = lower_fast64(p->arena, m);
}

static void pair_linked(void *ctx, struct ir_module *m)
{
    (void)ctx;
    lower_fast64_linked(m);
}

static bool pair_f64(struct compilation *c)
{
    static const struct pass before[] = {
        PASS_ROW("pair", "f64 becomes calls on pairs of floats", .module = pair), PASS_END};
    static const struct pass after[] = {
        PASS_ROW("pair-linked", "the calls' types become pairs", .module = pair_linked), PASS_END};
    struct pairing pairing = {.arena = &c->arena};
    struct passes p = passes_of(c, "f64");
    if (!pass_run(&p, before, &pairing))
        return false;
    return !pairing.library ||
           (compile_library(&c->arena, c->module, pairing.library, &c->diag, &c->log) &&
            pass_run(&p, after, &pairing) && pass_check(&p, NULL));
}

static const struct pass canonical[] = {
    PASS_ROW("prune", "drop what no kernel reaches", .module = prune), PASS_END};

enum tern_error compile_source(struct compilation *c, const struct compile_options *o,
                               const char *text, size_t len)
{
    start(c, o->memory_limit);
    if (setjmp(c->unwind))
        return out_of_memory(c);
    start_tables(c);
    set_warnings(&c->diag, o);
    c->log.verify |= o->verify_passes || o->ndump_passes;
    c->log.dump = o->dump_passes;
    c->log.ndump = o->ndump_passes;
    c->log.clock = o->clock;
    c->log.watch = o->watch_passes;
    c->log.watch_ctx = o->watch_ctx;
    bool ok = read_source(c, o, text, len);
    if (ok && !o->partial) {
        struct passes p = passes_of(c, "front");
        ok = pass_run(&p, canonical, NULL);
        c->plain = ok && compile_is_plain(c->module);
        ok = ok &&
             (o->native ||
              compile_synchronise(c, c->module,
                                  o->clusters ? CLUSTERS_BY_LAUNCHES : CLUSTERS_OF_ONE)) &&
             (!o->mode.fast_f64 || o->host || pair_f64(c)) && optimise(c, o);
    }
    return outcome(c, ok);
}

enum tern_error compile_copy(struct compilation *c, const struct ir_module *m, size_t memory_limit)
{
    start(c, memory_limit);
    if (setjmp(c->unwind))
        return out_of_memory(c);
    start_tables(c);
    c->module = ir_clone(&c->arena, &c->names, m);
    if (m->sources)
        c->diag.sources = m->sources;
    return TERN_OK;
}

enum tern_error compile_distil(struct compilation *c, const struct compilation *from)
{
    start(c, from->mem.limit);
    if (setjmp(c->unwind))
        return out_of_memory(c);
    start_tables(c);
    source_copy(&c->sources, &from->sources);
    c->module = ir_clone(&c->arena, &c->names, from->module);
    c->module->sources = &c->sources;
    vec_each (struct compile_request, r, &from->requests) {
        const struct compile_request copy = {arena_strndup(&c->arena, r->text, strlen(r->text)),
                                             intern_z(&c->names, r->name)};
        vec_push(&c->arena, &c->requests, copy);
    }
    return TERN_OK;
}

/* ---- canonical IR → output ---- */

/* Drops the other kernels and what only they need; one that is launched from this one stays. */
static void keep_kernel(void *ctx, struct ir_module *m)
{
    const char *kernel = ctx;
    const uint32_t was_kernel = UINT32_C(1) << 31, roots = IR_FUNC_KERNEL | IR_FUNC_EXPORT;
    ir_each_func (f, m)
        if (f->flags & IR_FUNC_KERNEL && strcmp(f->name, kernel))
            f->flags = (f->flags & ~roots) | was_kernel;
    ir_prune(m);
    ir_each_func (f, m)
        if (f->flags & was_kernel)
            f->flags = (f->flags & ~was_kernel) | IR_FUNC_KERNEL;
}

static const struct pass only_kernel[] = {
    PASS_ROW("keep", "only the kernel that is asked for, and what it needs", .module = keep_kernel),
    PASS_END,
};

enum tern_error compile_more(struct compilation *c, const struct pass *list, void *ctx)
{
    if (setjmp(c->unwind))
        return out_of_memory(c);
    struct passes p = passes_of(c, "front");
    return pass_run(&p, list, ctx) ? TERN_OK : TERN_INTERNAL;
}

enum tern_error compile_keep(struct compilation *c, const char *kernel)
{
    return compile_more(c, only_kernel, (void *)(uintptr_t)kernel);
}

struct dropping {
    bool (*is)(void *ctx, const struct ir_func *f);
    void *ctx;
};

static void drop_kernels(void *ctx, struct ir_module *m)
{
    const struct dropping *d = ctx;
    ir_each_func (f, m)
        if (d->is(d->ctx, f))
            f->flags &= ~(uint32_t)(IR_FUNC_KERNEL | IR_FUNC_EXPORT);
    ir_prune(m);
}

enum tern_error compile_drop(struct compilation *c, bool (*is)(void *ctx, const struct ir_func *f),
                             void *ctx)
{
    static const struct pass drop[] = {
        PASS_ROW("drop", "kernels that are made elsewhere, and what only they need",
                 .module = drop_kernels),
        PASS_END};
    return compile_more(c, drop, &(struct dropping){is, ctx});
}

/* Its own places in the source mean nothing to anyone: they are taken out. */
static bool link_library(struct passes *p, struct ir_module *library)
{
    static const struct pass link[] = {
        PASS_ROW("link", "what the module declares of the library", .module = link_into), PASS_END};
    ir_each_func (f, library)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                i->span = span_at(0, 0);
    return pass_run(p, link, library);
}

bool compile_library(struct arena *a, struct ir_module *m, const char *text, struct diag *d,
                     struct pass_log *log)
{
    struct source_map sources;
    struct diag diag;
    struct phases phases = {.log = log, .stage = "library"};
    source_init(&sources, a);
    diag_init(&diag, a, &sources);
    struct front_job job = {.arena = a,
                            .names = m->names,
                            .sources = &sources,
                            .diag = &diag,
                            .path = "device library",
                            .text = text,
                            .len = strlen(text),
                            .pp = {.device = true, .arch = 800},
                            .phase = enter_phase,
                            .phase_ctx = &phases};
    job.module = ir_module_new(a, m->names, job.path);
    job.module->sources = &sources;
    const struct opt_options opt = {.level = 2, .rolled = true};
    struct passes own = {
        .arena = a, .module = job.module, .diag = &diag, .stage = "library", .log = log};
    struct passes p = {.arena = a, .module = m, .diag = d, .stage = "library", .log = log};
    bool ok = cuda_front(&job);
    enter_phase(&phases, NULL);
    if (!ok || !ir_verify(job.module, &diag, NULL) || !opt_run(&own, &opt)) {
        diag_error(d, span_at(0, 0), "the device library is broken: %s",
                   diag.first ? diag.first->message : "");
        return false;
    }
    return link_library(&p, job.module);
}

/* What the target asks of the device library comes into the module. */
static bool prepare(struct compilation *c, const struct back_target *t, struct back_job *job)
{
    const struct pass_clock clock = pass_start(&c->log);
    const unsigned errors = c->diag.errors;
    const char *library = t->prepare ? t->prepare(job) : NULL;
    if (t->prepare)
        pass_stop(&c->log, clock, t->name, "prepare");
    return c->diag.errors == errors &&
           (!library || compile_library(&c->arena, job->module, library, &c->diag, &c->log));
}

/* A kernel that must have clusters, for a target that knows of none. */
static bool takes_clusters(struct compilation *c, const struct ir_module *m)
{
    bool ok = true;
    ir_each_func (f, m)
        if (ok && !f->cluster_shared && f->cluster[0] * f->cluster[1] * f->cluster[2] > 1) {
            diag_error(&c->diag, f->span, "clusters of several blocks are not in this output");
            ok = false;
        }
    return ok;
}

enum tern_error compile_emit(struct compilation *c, const struct back_target *t,
                             const struct back_options *o, struct sbuf *out)
{
    if (setjmp(c->unwind))
        return out_of_memory(c);
    const char *wrong = back_options_wrong(t, o->own);
    if (wrong) {
        diag_error(&c->diag, span_at(0, 0), "%s", wrong);
        return TERN_COMPILE;
    }
    struct back_job job = {.arena = &c->arena,
                           .diag = &c->diag,
                           .module = ir_clone(&c->arena, &c->names, c->module),
                           .options = *o,
                           .log = &c->log,
                           .out = out};
    unsigned errors = c->diag.errors;
    c->kernels.len = c->globals.len = 0;
    if (o->kernel && !o->beside) /* else the layout of globals is the other module's */
        pass_run(back_passes(&job, t), only_kernel, (void *)(uintptr_t)o->kernel);
    ir_each_func (f, job.module) /* as it was written: targets make others of atomics they lack */
        if (f->flags & IR_FUNC_KERNEL && ir_order_matters(f))
            f->flags |= IR_FUNC_UNORDERED;
    const bool native = t->native && t->native(o->own);
    const bool clusters = t->clusters && t->clusters(o->own);
    bool ok = (native ||
               ((clusters || takes_clusters(c, job.module)) &&
                compile_synchronise(c, job.module, clusters ? CLUSTERS_KEPT : CLUSTERS_OF_ONE))) &&
              prepare(c, t, &job) && c->diag.errors == errors;
    if (ok) {
        const struct pass_clock clock = pass_start(&c->log);
        ok = t->emit(&job) && c->diag.errors == errors;
        pass_stop(&c->log, clock, t->name, "emit");
    }
    ir_each_global (g, job.module) /* the device that is asked for it places variables by ours */
        if (t->prepare && !ir_global_find(c->module, g->name)) {
            struct ir_global *own =
                ir_global_new(c->module, g->name, g->space, g->size, g->align, g->flags);
            own->init = g->init;
        }
    vec_each (struct back_kernel, k, &job.kernels)
        vec_push(&c->arena, &c->kernels, *k);
    vec_each (struct back_global, g, &job.globals)
        vec_push(&c->arena, &c->globals, *g);
    return ok && !out->failed ? TERN_OK : TERN_COMPILE;
}
