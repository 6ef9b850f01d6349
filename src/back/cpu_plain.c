/* Ordinary functions as machine code: see cpu_plain.h. */
#include <string.h>
#include "back/cpu_plain.h"
#include "back/cpu_plan.h"
#include "back/cpu_select.h"
#include "back/plain.h"

static bool refuse(struct back_job *job, const struct cpu_sel *s, const struct ir_func *f,
                   const char *why)
{
    const struct ir_inst *i = s->inst;
    diag_error(job->diag, i && i->span.loc ? i->span : f->span, "%s (in %s)", why,
               f->display ? f->display : f->name);
    return false;
}

static bool function(struct back_job *job, struct cpu_sel *s, struct ir_func *f)
{
    if (!back_is_plain(job, f))
        return false;
    const uintptr_t symbol = (uintptr_t)map_get(&s->symbols, map_key(f)) - 1;
    cpu_function(s, f, false, (uint32_t)symbol);
    return !s->why || refuse(job, s, f, s->why);
}

bool cpu_callee(struct cpu_sel *s, const struct ir_inst *call, uintptr_t *symbol)
{
    const bool direct = call->op == IR_OP_call;
    const struct ir_func *callee = direct                                 ? call->callee
                                   : call->args[0]->kind == IR_VALUE_FUNC ? call->args[0]->u.func
                                                                          : NULL;
    *symbol = callee ? (uintptr_t)map_get(&s->symbols, map_key(callee)) : 0;
    if (direct && !*symbol)
        cpu_refuse(s, "a function is declared but defined nowhere");
    return !direct || *symbol;
}

ir_type cpu_stack_type(ir_type t)
{
    return ir_bits(t) > 32 ? t : cpu_is_float(t) ? IR_F32 : IR_I32;
}

bool cpu_plain_emit(struct back_job *job, const struct back_target *target,
                    const struct cpu_machine *t, struct cpu_plain *p)
{
    struct cpu_sel *s = arena_new(job->arena, struct cpu_sel);
    struct passes *passes = back_passes(job, target);
    unsigned n = 0;
    s->arena = job->arena;
    s->t = t;
    s->plain = p;
    s->module = job->module;
    s->table = UINT32_MAX;
    s->image = arena_new(job->arena, struct mach_image);
    mach_image_init(s->image, job->arena);
    map_init(&s->symbols, job->arena);
    s->stub = mach_symbol(s->image, "host");
    t->stubs(s);
    ir_each_func (f, job->module)
        if (f->first) {
            if (!pass_run_on(passes, lower_divide, NULL, f) ||
                !pass_run_on(passes, lower_settle, NULL, f))
                return false;
            const uint32_t symbol = mach_symbol(s->image, f->name);
            map_set(&s->symbols, map_key(f), (void *)(uintptr_t)(symbol + 1));
            n++;
        }
    if (!pass_check(passes, NULL))
        return false;
    ir_each_func (f, job->module)
        if (f->first && !function(job, s, f))
            return false;
    if (!mach_link(t->machine, s->image)) {
        diag_error(job->diag, span_at(0, 0), "%s does not reach: the code is too large",
                   s->image->why);
        return false;
    }
    p->symbols = arena_array(job->arena, struct cpu_plain_symbol, n + 1);
    p->nsymbols = 0;
    ir_each_func (f, job->module)
        if (f->first) {
            const uintptr_t symbol = (uintptr_t)map_get(&s->symbols, map_key(f)) - 1;
            p->symbols[p->nsymbols++] =
                (struct cpu_plain_symbol){f->name, s->image->symbols.data[symbol].offset};
        }
    sbuf_put(job->out, s->image->code.data, s->image->code.len);
    return true;
}
