/* A module → an image of machine code: kernels, functions, the table of functions. */
#include <stddef.h>
#include <string.h>
#include "back/cpu_debug_int.h"
#include "back/cpu_image.h"
#include "back/cpu_plain.h"
#include "back/cpu_plan.h"
#include "back/cpu_select.h"
#include "ir/debug.h"

struct writer {
    struct cpu_sel s;
    struct back_job *job;
    const struct back_target *target;
    const struct cpu_image_options *options;
    struct map done; /* ir_func → written */
    const struct ir_func *kernel;
};

static void refuse(struct writer *w, const struct ir_func *f)
{
    const struct ir_inst *i = w->s.inst;
    diag_error(w->job->diag, i && i->span.loc ? i->span : f->span,
               "%s (in %s, for machine code of %s)", w->s.why, f->display ? f->display : f->name,
               w->s.t->name);
}

static uint32_t symbol_of(struct writer *w, struct ir_func *f)
{
    uintptr_t known = (uintptr_t)map_get(&w->s.symbols, map_key(f));
    if (known)
        return (uint32_t)known - 1;
    uint32_t n = mach_symbol(w->s.image, f->name);
    map_set(&w->s.symbols, map_key(f), (void *)(uintptr_t)(n + 1));
    return n;
}

/* An entry takes its parameters from the launch; a kernel that is also called has two forms. */
static bool function(struct writer *w, struct ir_func *f, bool entry, uint32_t symbol,
                     size_t params)
{
    w->s.kernel_params = params;
    w->s.image->symbols.data[symbol].user = entry ? w->kernel : f;
    cpu_function(&w->s, f, entry, symbol);
    if (w->s.why)
        refuse(w, f);
    return !w->s.why;
}

/* The code of one thread. */
static bool of_thread(struct writer *w, struct ir_func *f, bool entry, uint32_t symbol,
                      size_t params)
{
    return pass_run_on(back_passes(w->job, w->target), lower_divide, NULL, f) &&
           function(w, f, entry, symbol, params);
}

static void unswitch(void *ctx, struct ir_func *f)
{
    lower_unswitch(ctx, f);
}

static void joins(void *ctx, struct ir_func *f)
{
    lower_joins(ctx, f);
}

static const struct pass loops[] = {
    PASS_ROW("joins", "where ways meet, those with known masks have code of their own",
             .func = joins),
    PASS_ROW("unswitch", "loops over gangs get one without masks", .func = unswitch),
    PASS_END,
};

static bool kernel(struct writer *w, struct ir_func *f)
{
    struct cpu_plan p;
    struct cpu_image_kernel *own = arena_new(w->s.arena, struct cpu_image_kernel);
    struct passes *passes = back_passes(w->job, w->target);
    struct back_cpu_options how = w->options->cpu;
    if (!how.vector_bytes) /* a gang fills the vectors that the code is made of */
        how.vector_bytes = w->s.t->vector_bytes;
    how.held = w->s.stepped || w->s.track ? 0 : w->s.t->held;
    how.divide = w->s.stepped ? 0 : w->s.t->divide;
    how.columns = !w->s.stepped && !w->s.track && w->s.t->transpose;
    if (!cpu_plan(&p, w->job, w->target, f, &how, w->options->track))
        return false;
    if (p.made)
        map_set(&w->done, map_key(p.made), p.made);
    w->s.fiber = p.waits && !p.whole;
    w->kernel = f;
    uint32_t entry;
    if (p.whole) {
        /* no compiler after us tidies what the vectoriser made */
        if ((!w->s.stepped && !pass_run_on(passes, lower_addresses, NULL, p.whole)) ||
            !pass_run_on(passes, lower_settle, NULL, p.whole) ||
            !pass_run_on(passes, loops, w->s.arena, p.whole) || !pass_check(passes, p.whole))
            return false;
        entry = mach_symbol(w->s.image, f->name);
        w->s.ahead = p.ahead;
        w->s.holds = p.holds;
        if (!function(w, p.whole, true, entry, f->params.len))
            return false;
        w->s.holds = false;
    } else {
        w->s.ahead = false;
        map_each (e, &p.funcs)
            symbol_of(w, e->value);
        map_each (e, &p.funcs) {
            struct ir_func *g = e->value;
            if (g != f && !map_has(&w->done, e->key) && !of_thread(w, g, false, symbol_of(w, g), 0))
                return false;
            if (g != f)
                map_set(&w->done, e->key, g);
        }
        entry = mach_symbol(w->s.image, f->name);
        if (!of_thread(w, f, true, entry, f->params.len))
            return false;
    }
    *own = (struct cpu_image_kernel){.cpu = p.told,
                                     .offset = entry,
                                     .most = p.most,
                                     .vector_bytes = w->s.t->vector_bytes,
                                     .stack = p.stack,
                                     .whole = p.whole != NULL,
                                     .waits = p.waits};
    struct back_kernel k = {.name = f->name,
                            .symbol = f->name,
                            .param_bytes = f->param_bytes,
                            .local_bytes = (uint32_t)p.local,
                            .uses = p.uses,
                            .own = own};
    vec_push(w->s.arena, &w->job->kernels, k);
    return true;
}

/* Distances of functions from the table itself, by lower_taken_number; 0: none. */
static void function_table(struct writer *w)
{
    struct mach_image *image = w->s.image;
    while (image->code.len % 16)
        sbuf_putc(&image->code, 0);
    uint32_t at = (uint32_t)image->code.len;
    struct mach_symbol *table = &image->symbols.data[w->s.table];
    table->offset = at;
    sbuf_u64le(&image->code, 0);
    ir_each_func (f, w->s.module)
        if (f->address) {
            uintptr_t known = (uintptr_t)map_get(&w->s.symbols, map_key(f));
            bool here = known && map_has(&w->done, map_key(f));
            sbuf_u64le(&image->code, here ? image->symbols.data[known - 1].offset - at : 0);
        }
}

static struct cpu_debug *debug_of(struct writer *w)
{
    struct cpu_debug *d = arena_new(w->s.arena, struct cpu_debug);
    *d = (struct cpu_debug){.module = w->s.module,
                            .image = w->s.image,
                            .machine = w->s.t->machine,
                            .shared_offset = &w->s.shared_offset,
                            .global_offset = &w->s.global_offset};
    return d;
}

/* ---- what processors have no instructions for, and other instructions do for all lanes at once
 * ----
 */
static void bytes(void *ctx, struct ir_func *f)
{
    bool found = false;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            found |= i->op == IR_OP_prmt;
    if (found)
        lower_expand(f, EXPAND_BYTES);
    *(bool *)ctx |= found;
}

static void halves(void *ctx, struct ir_func *f)
{
    *(bool *)ctx |= lower_halves(f);
}

static bool has_changed(const struct pass *p, void *ctx, struct ir_func *f)
{
    (void)p, (void)f;
    return *(const bool *)ctx;
}

static const struct pass lanes_at_once[] = {
    PASS_ROW("bytes", "permutations of bytes are shifts and masks", .func = bytes),
    PASS_ROW("halves", "f16 and bf16 are calculated with in f32", .func = halves),
    {.list = lower_optimise, .when = has_changed},
    PASS_END,
};

bool cpu_image_emit(struct back_job *job, const struct back_target *target,
                    const struct cpu_machine *t)
{
    static const struct cpu_image_options defaults;
    struct writer *w = arena_new(job->arena, struct writer);
    struct cpu_sel *s = &w->s;
    const struct cpu_image_options *own = job->options.own;
    if (own && own->plain)
        return cpu_plain_emit(job, target, t, own->plain);
    bool changed = false;
    if (!cpu_lower(job, target) || !pass_run(back_passes(job, target), lanes_at_once, &changed))
        return false;
    w->job = job;
    w->target = target;
    w->options = job->options.own ? job->options.own : &defaults;
    s->arena = job->arena;
    s->t = t;
    s->module = job->module;
    s->track = w->options->track;
    s->dots = w->options->dots;
    s->dims = w->options->cpu.block;
    s->table = UINT32_MAX;
    s->stepped = job->module->debug && job->module->debug->steps;
    s->image = arena_new(job->arena, struct mach_image);
    mach_image_init(s->image, job->arena);
    map_init(&s->shared_offset, job->arena);
    map_init(&s->global_offset, job->arena);
    map_init(&s->symbols, job->arena);
    map_init(&w->done, job->arena);
    uint32_t shared = lower_shared_layout(job->module, &s->shared_offset);
    lower_global_layout(job->module, &s->global_offset);
    s->functions = 2;
    ir_each_func (f, job->module)
        s->functions += f->address ? 2 : 0;
    s->stub = mach_symbol(s->image, "host");
    t->stubs(s);
    bool found = false;
    ir_each_func (f, job->module) {
        if (!(f->flags & IR_FUNC_KERNEL) || !f->first || map_has(&w->done, map_key(f)) ||
            (job->options.kernel && strcmp(job->options.kernel, f->name) != 0))
            continue;
        found = true;
        if (!kernel(w, f))
            return false;
        vec_last(&job->kernels).static_shared = shared;
    }
    if (job->options.kernel && !found) {
        diag_error(job->diag, span_at(0, 0), "there is no kernel '%s'", job->options.kernel);
        return false;
    }
    if (s->table != UINT32_MAX)
        function_table(w);
    if (!mach_link(t->machine, s->image)) {
        diag_error(job->diag, span_at(0, 0), "%s does not reach: the code is too large",
                   s->image->why);
        return false;
    }
    vec_each (struct back_kernel, k, &job->kernels) {
        struct cpu_image_kernel *own = (struct cpu_image_kernel *)(uintptr_t)k->own;
        own->offset = s->image->symbols.data[own->offset].offset;
    }
    if (w->options->debug)
        *w->options->debug = debug_of(w);
    if (!w->options->image)
        mach_disassemble(t->machine, s->image, job->out);
    else
        sbuf_put(job->out, s->image->code.data, s->image->code.len);
    return true;
}

/* What has no instruction is done lane by lane, or by the host. */
enum back_support cpu_image_supports(enum ir_op op, ir_type type, const char **why)
{
    (void)op, (void)type, (void)why;
    return BACK_YES;
}

#define AT(field) offsetof(struct cpu_image_options, field)
