/* Ordinary functions as machine code: see cpu_plain.h. */
#include <string.h>
#include "back/cpu_plain.h"
#include "back/cpu_plan.h"
#include "back/cpu_select.h"

/* What only threads of a kernel can do. */
static bool belongs_to_kernels(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_sreg:
    case IR_OP_barrier:
    case IR_OP_barrier_red:
    case IR_OP_barrier_arrive:
    case IR_OP_gridsync:
    case IR_OP_warpsync:
    case IR_OP_shfl:
    case IR_OP_match:
    case IR_OP_vote:
    case IR_OP_redux:
    case IR_OP_mma:
    case IR_OP_activemask:
    case IR_OP_printf:
    case IR_OP_launch:
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq:
    case IR_OP_cpasync:
    case IR_OP_isspace:
    case IR_OP_exit:
    case IR_OP_check: return true;
    default: return false;
    }
}

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
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (belongs_to_kernels(i)) {
                s->inst = i;
                return refuse(
                    job, s, f,
                    arena_printf(job->arena, "host code has no '%s'", ir_op_info[i->op].name));
            }
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
            if (!pass_run_on(passes, lower_settle, NULL, f))
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
