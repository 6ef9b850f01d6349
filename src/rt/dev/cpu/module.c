/* Modules and kernels.
 *
 * A module keeps its own copy of the IR. Code is made when a kernel is first launched, for the
 * shape of block it is launched with: threads per row decide how threads become lanes. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "back/c/c.h"
#include "ir/debug.h"
#include "rt/dev/cpu/cpu_int.h"
#include "rt/shelf.h"

/* Spans of the copy refer to a copy of the sources. */
static void copy_sources(struct source_map *to, struct arena *a, const struct source_map *from)
{
    source_init(to, a);
    if (from)
        source_copy(to, from);
}

static bool initialise(struct dev_module *m)
{
    m->globals_bytes = lower_global_layout(m->ir, &m->offsets);
    uint32_t align = 256;
    m->shared_align = CPU_SHARED_ALIGN;
    ir_each_global (g, m->ir) {
        uint32_t *most = g->space == IR_SPACE_SHARED ? &m->shared_align : &align;
        if (g->align > *most)
            *most = g->align;
    }
    if (posix_memalign((void **)&m->globals, align, m->globals_bytes + 256))
        return false;
    memset(m->globals, 0, m->globals_bytes + 256);
    ir_each_global (g, m->ir) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        char *at = m->globals + (uintptr_t)map_get(&m->offsets, map_key(g));
        if (g->init)
            memcpy(at, g->init, g->size);
        vec_each (struct ir_reloc, r, &g->relocs) {
            uint64_t value = 0;
            if (r->target->kind == IR_VALUE_GLOBAL) {
                value = (uint64_t)(uintptr_t)m->globals +
                        (uintptr_t)map_get(&m->offsets, map_key(r->target->u.global));
            } else {
                value = lower_taken_number(r->target->u.func);
            }
            value += (uint64_t)r->addend;
            memcpy(at + r->offset, &value, sizeof value);
        }
    }
    return true;
}

enum tern_error cpu_load(struct dev *d, const struct ir_module *from, struct diag *diag,
                         struct dev_module **out)
{
    struct dev_module *m = calloc(1, sizeof *m);
    if (!m)
        return TERN_OUT_OF_MEMORY;
    jmp_buf unwind;
    m->dev = d;
    m->mem.unwind = &unwind;
    pthread_mutex_init(&m->lock, NULL);
    arena_init(&m->arena, &m->mem);
    if (setjmp(unwind)) {
        cpu_unload(d, m);
        return TERN_OUT_OF_MEMORY;
    }
    intern_init(&m->names, &m->arena);
    map_init(&m->offsets, &m->arena);
    copy_sources(&m->sources, &m->arena, from->sources);
    m->ir = ir_clone(&m->arena, &m->names, from);
    m->ir->sources = from->sources ? &m->sources : NULL;
    struct pass_log log = {.verify = pass_verifies()};
    if (d->host.check &&
        !check_instrument(d->host.check, CHECK_INLINE, &m->arena, m->ir, diag, &log)) {
        cpu_unload(d, m);
        return TERN_INTERNAL;
    }
    struct back_job job = {.arena = &m->arena, .diag = diag, .module = m->ir, .log = &log};
    const char *library = back_c.prepare(&job);
    if (library && !compile_library(&m->arena, m->ir, library, diag, &log)) {
        cpu_unload(d, m);
        return TERN_INTERNAL;
    }
    if (!initialise(m)) {
        cpu_unload(d, m);
        return TERN_OUT_OF_MEMORY;
    }
    ir_each_func (f, m->ir) {
        if (!(f->flags & IR_FUNC_KERNEL) || !f->first)
            continue;
        struct dev_kernel *k = arena_new(&m->arena, struct dev_kernel);
        *k = (struct dev_kernel){.next = m->kernels,
                                 .module = m,
                                 .name = f->name,
                                 .display = f->display ? f->display : f->name,
                                 .param_bytes = f->param_bytes,
                                 .max_threads = f->max_threads,
                                 .in_order = d->in_order && ir_order_matters(f),
                                 .waits = ir_may_wait(f)};
        m->kernels = k;
    }
    m->mem.unwind = NULL;
    if (d->host.check)
        check_tell(d->host.check, (uint64_t)(uintptr_t)m->globals, m->globals_bytes,
                   CHECK_VARIABLES, "the module's variables");
    *out = m;
    return TERN_OK;
}

/* Shared objects stay loaded: other modules may have the same one, and the loader counts. */
void cpu_unload(struct dev *d, struct dev_module *m)
{
    if (d->host.check && m->globals)
        check_forget(d->host.check, (uint64_t)(uintptr_t)m->globals);
    for (struct dev_kernel *k = m->kernels; k; k = k->next)
        for (struct cpu_variant *v = k->variants, *next; v; v = next) {
            next = v->next;
            if (v->object)
                dlclose(v->object);
            cpu_own_unload(&v->own);
            cpu_better_drop(v->better);
            free(v->better_kernels);
            free(v);
        }
    free(m->globals);
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->arena);
    free(m);
}

enum tern_error cpu_kernel(struct dev_module *m, const char *name, struct dev_kernel **out)
{
    for (struct dev_kernel *k = m->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) {
            *out = k;
            return TERN_OK;
        }
    return TERN_NOT_FOUND;
}

enum tern_error cpu_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size)
{
    ir_each_global (g, m->ir)
        if (g->space != IR_SPACE_SHARED && !strcmp(g->name, name)) {
            *out = (dev_ptr)(uintptr_t)(m->globals + (uintptr_t)map_get(&m->offsets, map_key(g)));
            if (size)
                *size = g->size;
            return TERN_OK;
        }
    return TERN_NOT_FOUND;
}

/* ---- code for a shape ---- */
/* Threads that differ only in a coordinate that their kernel does not read do the same to the same
 * memory. One of them does it for all, which is what they would do in step; run one after the
 * other, each would see what the one before it wrote. What counts threads, or acts on more than
 * memory, keeps them all. */
static void distinct_threads(const struct dev_module *m, const char *kernel,
                             const uint32_t block[3], uint32_t distinct[3])
{
    const struct ir_func *f = ir_func_find(m->ir, kernel);
    bool reads[3] = {false};
    memcpy(distinct, block, 3 * sizeof *block);
    if (m->ir->debug && m->ir->debug->steps) /* who steps through them looks for each of them */
        return;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            switch (i->op) {
            case IR_OP_sreg:
                if (i->imm <= IR_SREG_TID_Z) /* and from IR_SREG_TID_X, the first */
                    reads[i->imm - IR_SREG_TID_X] = true;
                else if (i->imm > IR_SREG_NCTAID_Z)
                    return;
                break;
            case IR_OP_load:
            case IR_OP_store:
            case IR_OP_alloca:
            case IR_OP_split:
            case IR_OP_join:
            case IR_OP_tex: break;
            default:
                if (!(ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR)))
                    return;
            }
    for (int axis = 0; axis < 3; axis++)
        if (!reads[axis])
            distinct[axis] = 1;
}

/* blockDim is what the program said, however many threads run. */
static void fix_dimensions(struct ir_module *m, struct ir_func *f, const uint32_t block[3])
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_sreg && i->imm >= IR_SREG_NTID_X && i->imm <= IR_SREG_NTID_Z)
                i->results[0].forward = ir_const(m, IR_I32, block[i->imm - IR_SREG_NTID_X]);
    ir_replace_forwarded(f);
}

static struct cpu_variant *find_variant(const struct dev_kernel *k, const uint32_t block[3])
{
    struct cpu_variant *v = k->variants;
    while (v && memcmp(v->block, block, sizeof v->block) != 0)
        v = v->next;
    return v;
}

/* One of the kernels in an object. */
static enum tern_error add_variant(struct dev_kernel *k, const uint32_t block[3],
                                   const uint32_t threads[3], void *object,
                                   const struct back_kernel *made)
{
    void *symbol = dlsym(object, made->symbol);
    struct cpu_variant *v = symbol ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return symbol ? TERN_OUT_OF_MEMORY : TERN_INTERNAL;
    memcpy(&v->run, &symbol, sizeof symbol);
    memcpy(v->block, block, sizeof v->block);
    memcpy(v->threads, threads, sizeof v->threads);
    v->static_shared = made->static_shared;
    v->param_bytes = made->param_bytes;
    v->how = *(const struct back_cpu_kernel *)made->own;
    v->next = k->variants;
    k->variants = v;
    return TERN_OK;
}

/* All of them; the one that was asked for owns the object. */
static enum tern_error add_variants(struct dev_kernel *k, const uint32_t block[3],
                                    const uint32_t threads[3], void *object,
                                    const struct back_kernel *made, size_t count)
{
    enum tern_error e = TERN_INTERNAL;
    for (size_t n = 0; n < count; n++)
        if (!strcmp(made[n].name, k->name))
            e = add_variant(k, block, threads, object, &made[n]);
    if (e) {
        dlclose(object);
        return e;
    }
    k->variants->object = object;
    for (size_t n = 0; n < count && count > 1; n++)
        for (struct dev_kernel *other = k->module->kernels; other; other = other->next)
            if (!strcmp(made[n].name, other->name) && !find_variant(other, block))
                add_variant(other, block, threads, object, &made[n]); /* if not, when asked for */
    return TERN_OK;
}

/* ---- machine code of our own: made, or kept from an earlier run ---- */
/* The text of the IR leaves out which functions have a number, and where in the source it comes
 * from; the latter is in the code with TERN_GUARD, and where it is checked. */
static void add_module(struct image_key *k, struct dev_module *m, struct arena *arena)
{
    struct sbuf text, rest;
    sbuf_init(&text, arena);
    sbuf_init(&rest, arena);
    ir_print(m->ir, &text, 0);
    ir_each_func (f, m->ir) {
        sbuf_putc(&rest, f->address != NULL);
        if (m->dev->guard || m->dev->host.check)
            ir_each_block (b, f)
                ir_each_inst (i, b)
                    sbuf_u32le(&rest, i->span.loc);
    }
    image_key_add(k, text.data, text.len);
    image_key_add(k, rest.data, rest.len);
}

static struct image_key own_key(struct dev_kernel *k, const uint32_t block[3],
                                const struct cpu_image_options *o, struct arena *arena)
{
    struct dev_module *m = k->module;
    if (!m->has_key) {
        m->key = image_key_of(m->dev->target, m->dev->machine);
        add_module(&m->key, m, arena);
        m->has_key = true;
    }
    struct image_key key = m->key;
    image_key_add(&key, k->name, strlen(k->name));
    image_key_add(&key, block, 3 * sizeof *block);
    image_key_add(&key, o, sizeof *o);
    return key;
}

static enum tern_error add_own(struct dev_kernel *k, const uint32_t block[3],
                               const uint32_t threads[3], const struct image *image)
{
    const struct back_kernel *made = image->nkernels == 1 ? &image->kernels[0] : NULL;
    if (!made || strcmp(made->name, k->name) || made->param_bytes != k->param_bytes)
        return TERN_INTERNAL;
    struct cpu_variant *v = calloc(1, sizeof *v);
    const enum tern_error e = v ? cpu_own_load(image, made, &v->own) : TERN_OUT_OF_MEMORY;
    if (e) {
        free(v);
        return e;
    }
    memcpy(v->block, block, sizeof v->block);
    memcpy(v->threads, threads, sizeof v->threads);
    v->static_shared = made->static_shared;
    v->param_bytes = made->param_bytes;
    v->how = v->own.how.cpu;
    v->next = k->variants;
    k->variants = v;
    return TERN_OK;
}

static bool emit_own(struct dev_kernel *k, const uint32_t block[3],
                     const struct cpu_image_options *o, struct back_job *job)
{
    const struct ir_module *ir = k->module->ir;
    struct interner names;
    intern_init(&names, job->arena);
    job->module = ir_clone(job->arena, &names, ir);
    job->module->sources = ir->sources;
    fix_dimensions(job->module, ir_func_find(job->module, k->name), block);
    job->options = (struct back_options){.kernel = k->name, .own = o};
    return k->module->dev->target->emit(job);
}

/* From the cache, or from inside the program. */
static bool kept(struct dev_kernel *k, const struct image_key *key, struct image *image,
                 const char **from)
{
    const struct dev *d = k->module->dev;
    char *data;
    size_t n;
    *from = "the cache";
    if (image_load(image, d->target, d->machine, d->host.cache_dir, key))
        return true;
    const enum shelf_found found = shelf_find(d->host.shelf, key, &data, &n);
    *from = "inside the program";
    if (found == SHELF_IMAGE && image_unpack(image, d->target, d->machine, data, n))
        return true;
    if (found != SHELF_NOTHING)
        report_note(&d->host.reports,
                    "kernel %s: the code inside the program is damaged, and is made anew",
                    k->display);
    return false;
}

static enum tern_error hand_over(const struct dev_making *to, const struct image *image,
                                 const struct image_key *key)
{
    struct sbuf bytes;
    sbuf_init(&bytes, NULL);
    image_pack(image, &bytes);
    const bool failed = bytes.failed;
    if (!failed)
        to->keep(to->ctx, key, bytes.data, bytes.len);
    sbuf_free(&bytes);
    return failed ? TERN_OUT_OF_MEMORY : TERN_OK;
}

/* With shorter vectors, where there are such and it cannot be done with those that were asked for.
 */
static bool emit_shorter(struct dev_kernel *k, const uint32_t block[3], struct cpu_image_options *o,
                         struct back_job *job)
{
    const struct dev *d = k->module->dev;
    struct sbuf why;
    if (!d->fewer_bytes)
        return false;
    sbuf_init(&why, job->arena);
    diag_render_text(job->diag, &why, false);
    report_note(&d->host.reports,
                "kernel %s: vectors of %u bits, since those of %u cannot do it: %s", k->display,
                d->fewer_bytes * 8, d->vector_bytes * 8, why.data);
    diag_init(job->diag, job->arena, k->module->ir->sources);
    o->bits = d->fewer_bytes * 8;
    job->out->len = 0;
    *job =
        (struct back_job){.arena = job->arena, .diag = job->diag, .log = job->log, .out = job->out};
    return emit_own(k, block, o, job);
}

/* Code for processors that have instructions for that is kept apart only where it is another. */
static bool multiplies_bytes(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_dp4a || i->op == IR_OP_udp4a)
                    return true;
    return false;
}

/* By ourselves. TERN_UNSUPPORTED: it cannot be done, `diag` says why. Who wants the passes verified
 * wants them to run. */
static enum tern_error make_own(struct dev_kernel *k, const uint32_t block[3], struct arena *arena,
                                struct diag *diag)
{
    struct dev *d = k->module->dev;
    const struct ir_debug *debug = k->module->ir->debug;
    const struct back_target *target = d->target;
    struct cpu_image_options *o = arena_new(arena, struct cpu_image_options); /* all zero: hashed */
    uint32_t threads[3];
    distinct_threads(k->module, k->name, block, threads);
    o->cpu.gang = (debug && debug->steps) || k->in_order ? 1 : d->gang;
    memcpy(o->cpu.block, threads, sizeof threads);
    o->track = d->guard;
    o->image = true;
    o->wide = d->vector_bytes == 64;
    o->bits = d->vector_bytes * 8;
    o->dots = d->dots && multiplies_bytes(k->module->ir);
    const struct image_key key = own_key(k, block, o, arena);
    struct image image;
    struct cpu_debug *told = NULL;
    if (debug || cpu_perf()) /* images keep nothing of that */
        o->debug = &told;
    const char *from = NULL;
    if (!o->debug && !pass_verifies() && !d->host.making && kept(k, &key, &image, &from)) {
        const enum tern_error e = add_own(k, block, threads, &image);
        image_free(&image);
        if (!e)
            report_note(&d->host.reports, "kernel %s, block %u,%u,%u: our own code, from %s",
                        k->display, block[0], block[1], block[2], from);
        if (e != TERN_INTERNAL)
            return e;
    }
    struct sbuf code;
    sbuf_init(&code, arena);
    struct pass_log log = {.verify = pass_verifies()};
    struct back_job job = {.arena = arena, .diag = diag, .log = &log, .out = &code};
    if (!emit_own(k, block, o, &job) && !emit_shorter(k, block, o, &job))
        return TERN_UNSUPPORTED;
    image = (struct image){.target = target,
                           .machine = d->machine,
                           .kernels = job.kernels.data,
                           .nkernels = job.kernels.len,
                           .globals = job.globals.data,
                           .nglobals = job.globals.len,
                           .code = code.data,
                           .bytes = code.len};
    if (d->host.making)
        return hand_over(d->host.making, &image, &key);
    const enum tern_error e = add_own(k, block, threads, &image);
    if (!e && told) {
        k->variants->own.told =
            cpu_debug_add(told, &k->variants->own, k->module->globals, debug != NULL, arena);
        k->variants->settled |= debug && debug->steps; /* it stays as it is */
    } else if (!e) {
        image_store(&image, d->host.cache_dir, &key);
        report_note(&d->host.reports, "kernel %s, block %u,%u,%u: our own code, %zu bytes made now",
                    k->display, block[0], block[1], block[2], code.len);
    }
    return e;
}

/* ---- through C ---- */
/* The text of it; TERN_BATCH: of all kernels of the module at once, which saves starts of the
 * compiler. */
static enum tern_error emit_c(struct dev_kernel *k, const uint32_t block[3], uint32_t threads[3],
                              struct back_job *job)
{
    struct dev_module *m = k->module;
    struct dev *d = m->dev;
    struct interner names;
    intern_init(&names, job->arena);
    job->module = ir_clone(job->arena, &names, m->ir);
    job->module->sources = m->ir->sources;
    struct ir_func *f = ir_func_find(job->module, k->name);
    distinct_threads(m, k->name, block, threads);
    const bool alone = !d->batch || memcmp(threads, block, 3 * sizeof *threads) != 0;
    if (alone)
        fix_dimensions(job->module, f, block);
    struct c_options *own = arena_new(job->arena, struct c_options);
    const struct ir_debug *debug = m->ir->debug;
    *own = (struct c_options){.cpu = {.gang = (debug && debug->steps) || k->in_order ? 1 : d->gang,
                                      .vector_bytes = d->compiler->vector_bytes,
                                      .block = {threads[0], threads[1], threads[2]}},
                              .track = d->guard};
    job->options =
        (struct back_options){.kernel = alone ? k->name : NULL,
                              .line_info = m->ir->sources && (debug || setting_on(SETTING_DEBUG)),
                              .own = own};
    return back_c.emit(job) ? TERN_OK : TERN_UNSUPPORTED;
}

/* own: by ourselves, if that can be done; else through C. */
static enum tern_error make(struct dev_kernel *k, const uint32_t block[3], bool own_code)
{
    struct dev_module *m = k->module;
    struct dev *d = m->dev;
    jmp_buf unwind;
    struct mem mem = {.unwind = &unwind};
    struct arena arena;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        arena_free(&arena);
        return TERN_OUT_OF_MEMORY;
    }
    struct diag diag;
    struct sbuf text;
    diag_init(&diag, &arena, m->ir->sources);
    sbuf_init(&text, &arena);
    if (own_code) {
        enum tern_error own = make_own(k, block, &arena, &diag);
        struct sbuf why;
        sbuf_init(&why, &arena);
        diag_render_text(&diag, &why, false);
        pthread_mutex_lock(&d->lock);
        const bool has_compiler =
            own == TERN_UNSUPPORTED && !d->host.check && !d->host.making && cpu_compiler(d);
        pthread_mutex_unlock(&d->lock);
        if (!has_compiler) {
            if (own && !d->host.making)
                cpu_report(d, &(struct report){.kind = REPORT_BUILD,
                                               .error = own,
                                               .kernel = k->display,
                                               .message = why.len ? why.data : "out of memory"});
            arena_free(&arena);
            return own;
        }
        report_note(&d->host.reports, "kernel %s goes through C: %s", k->display, why.data);
        diag_init(&diag, &arena, m->ir->sources);
    }
    struct pass_log log = {.verify = pass_verifies()};
    struct back_job job = {.arena = &arena, .diag = &diag, .log = &log, .out = &text};
    uint32_t threads[3];
    void *object = NULL;
    enum tern_error e = emit_c(k, block, threads, &job);
    const struct cpu_making how = {
        .compiler = d->compiler, .cache_dir = d->host.cache_dir, .cancel = d->host.cancel};
    if (!e)
        e = cpu_build(&how, text.data, text.len, &diag, &object);
    if (!e)
        e = add_variants(k, block, threads, object, job.kernels.data, job.kernels.len);
    if (!e)
        report_note(&d->host.reports, "kernel %s, block %u,%u,%u: through C", k->display, block[0],
                    block[1], block[2]);
    if (e && e != TERN_CANCELLED) {
        struct sbuf message;
        sbuf_init(&message, &arena);
        diag_render_text(&diag, &message, false);
        cpu_report(d,
                   &(struct report){.kind = REPORT_BUILD,
                                    .error = e,
                                    .kernel = k->display,
                                    .message = message.len ? message.data
                                                           : "the kernel could not be compiled"});
    }
    arena_free(&arena);
    return e;
}

/* ---- better code for what runs for long ---- */
/* What is kept of the kernels in an object until it is there: names and how they are run. */
static struct back_kernel *keep_kernels(const struct back_kernel *made, size_t n)
{
    size_t bytes = n * sizeof *made;
    for (size_t k = 0; k < n; k++)
        bytes += strlen(made[k].name) + strlen(made[k].symbol) + 2 + sizeof(struct back_cpu_kernel);
    struct back_kernel *out = malloc(bytes);
    if (!out)
        return NULL;
    memcpy(out, made, n * sizeof *made);
    struct back_cpu_kernel *how = (struct back_cpu_kernel *)(out + n);
    char *at = (char *)(how + n);
    for (size_t k = 0; k < n; k++) {
        how[k] = *(const struct back_cpu_kernel *)made[k].own;
        out[k].own = &how[k];
        out[k].name = strcpy(at, made[k].name);
        at += strlen(at) + 1;
        out[k].symbol = strcpy(at, made[k].symbol);
        at += strlen(at) + 1;
    }
    return out;
}

static void start_better(struct dev_kernel *k, struct cpu_variant *v)
{
    struct dev *d = k->module->dev;
    jmp_buf unwind;
    struct mem mem = {.unwind = &unwind};
    struct arena arena;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        v->settled = true;
        arena_free(&arena);
        return;
    }
    struct diag diag;
    struct sbuf text;
    diag_init(&diag, &arena, NULL);
    sbuf_init(&text, &arena);
    struct pass_log log = {.verify = pass_verifies()};
    struct back_job job = {.arena = &arena, .diag = &diag, .log = &log, .out = &text};
    uint32_t threads[3];
    v->settled = true; /* unless it comes to something */
    if (!emit_c(k, v->block, threads, &job) &&
        (v->better_kernels = keep_kernels(job.kernels.data, job.kernels.len))) {
        v->nbetter = job.kernels.len;
        v->better = cpu_better_start(d->compiler, d->host.cache_dir, text.data, text.len);
        v->settled = false;
        if (!v->better) { /* another one is being built: when it is done */
            free(v->better_kernels);
            v->better_kernels = NULL;
        } else {
            report_note(&d->host.reports,
                        "kernel %s has run for long: it is compiled through C, beside", k->display);
        }
    }
    arena_free(&arena);
}

/* Launches in flight still use the old code. */
static void take_better(struct dev_kernel *k, struct cpu_variant *v)
{
    struct dev *d = k->module->dev;
    const enum cpu_better_state s = cpu_better_state(v->better);
    if (s == CPU_BETTER_BUILDING)
        return;
    enum tern_error e = TERN_COMPILE;
    if (s == CPU_BETTER_MADE)
        e = add_variants(k, v->block, v->threads, cpu_better_take(v->better), v->better_kernels,
                         v->nbetter);
    report_note(&d->host.reports,
                e ? "kernel %s stays as our own code: %s" : "kernel %s is compiled C now%s",
                k->display, e ? cpu_better_why(v->better) : "");
    if (!e)
        find_variant(k, v->block)->trial = v;
    cpu_better_drop(v->better);
    free(v->better_kernels);
    v->better = NULL;
    v->better_kernels = NULL;
    v->settled = true;
}

/* Which of the two is faster is not known before both have run: what takes lanes' bytes apart and
 * puts them together may be many times as slow as a compiler has it. Launches differ, so that only
 * what is clearly slower is given up. */
#define TRIAL_NANOSECONDS UINT64_C(200000000)

static double block_takes(struct cpu_variant *v)
{
    const uint64_t spent = atomic_load_explicit(&v->spent, memory_order_relaxed),
                   blocks = atomic_load_explicit(&v->blocks, memory_order_relaxed);
    return blocks ? (double)spent / (double)blocks : 0;
}

static void end_trial(struct dev_kernel *k, struct cpu_variant *v)
{
    const double clearly = 1.25;
    struct cpu_variant *before = v->trial;
    if (atomic_load_explicit(&v->spent, memory_order_relaxed) < TRIAL_NANOSECONDS)
        return;
    v->trial = NULL;
    if (block_takes(v) < clearly * block_takes(before))
        return;
    struct cpu_variant **at = &k->variants;
    while (*at != before)
        at = &(*at)->next;
    *at = before->next;
    before->next = k->variants;
    k->variants = before;
    report_note(&k->module->dev->host.reports, "kernel %s is our own code again: C is slower",
                k->display);
}

/* Our own code is there at once; an optimising compiler takes seconds, and its code is faster. Once
 * a kernel has run for about as long as the compiler takes, it is compiled beside, if there is a
 * compiler whose vectors are no shorter; launches go on with what there is until it is done. */
#define HOT_NANOSECONDS UINT64_C(2000000000)

static bool is_hot(struct dev *d, const struct cpu_variant *v)
{
    if (d->own_only || v->run || v->settled ||
        atomic_load_explicit(&v->spent, memory_order_relaxed) < HOT_NANOSECONDS ||
        !cpu_better_idle())
        return false;
    pthread_mutex_lock(&d->lock);
    const struct cpu_compiler *c = cpu_compiler(d);
    pthread_mutex_unlock(&d->lock);
    return c && c->vector_bytes >= d->vector_bytes;
}

enum tern_error cpu_variant(struct dev_kernel *k, const uint32_t block[3], struct cpu_variant **out)
{
    struct dev_module *m = k->module;
    pthread_mutex_lock(&m->lock);
    struct cpu_variant *v = find_variant(k, block);
    enum tern_error e = v ? TERN_OK : make(k, block, m->dev->own);
    if (v && v->better)
        take_better(k, v);
    else if (v && is_hot(m->dev, v))
        start_better(k, v);
    else if (v && v->trial)
        end_trial(k, v);
    *out = find_variant(k, block);
    pthread_mutex_unlock(&m->lock);
    return e;
}

enum tern_error cpu_make(struct dev_kernel *k, const uint32_t block[3])
{
    struct dev_module *m = k->module;
    if (!m->dev->host.making || !m->dev->own)
        return TERN_UNSUPPORTED;
    pthread_mutex_lock(&m->lock);
    const enum tern_error e = make(k, block, true);
    pthread_mutex_unlock(&m->lock);
    return e;
}
