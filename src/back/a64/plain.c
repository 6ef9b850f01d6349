/* Calls as the procedure call standard of AArch64 has them: functions that C calls, and calls of
 * what C may have written.
 *
 * Arguments travel in x0–x7 and v0–v7, the rest on the stack in words of 8 bytes. A function of
 * ours does not know how far its caller's arguments are from its own frame: who passes arguments on
 * the stack also leaves their address in x8, which C does not look at. */
#include "back/a64/a64_select.h"

enum { ARGUMENTS = 8, MORE = 8 };
/* What a call may change: x0–x15, v0–v7, v16–v30. Of v8–v15 the lower halves are kept, all that
 * scalars need. */
static const mach_set changed[MACH_CLASSES] = {0xffff, 0x7fff00ff};

struct travel {
    unsigned x, v, stack;
};

/* MACH_NONE: on the stack. */
static mach_reg next_place(struct cpu_sel *s, struct travel *at, ir_type t, bool stack)
{
    if (!stack && cpu_class(s, t) == A64_VEC && at->v < ARGUMENTS)
        return A64_V0 + at->v++;
    if (!stack && cpu_class(s, t) == A64_GPR && at->x < ARGUMENTS)
        return at->x++;
    if (stack && cpu_class(s, t) == A64_GPR)
        at->x = ARGUMENTS; /* none of the others is in a register then */
    at->stack++;
    return MACH_NONE;
}

/* Integers of less than 32 bits come with anything above them. */
static mach_reg narrowed(struct cpu_sel *s, ir_type t, mach_reg r)
{
    if (cpu_class(s, t) != A64_GPR || ir_bits(t) >= 32)
        return r;
    return a64_3(s, A64_UBFMw, a64_w(s), r, 0, (int64_t)ir_bits(t) - 1);
}

void a64_c_enter(struct cpu_sel *s, struct ir_func *fn)
{
    struct mach_pin made[2 * ARGUMENTS + 1];
    unsigned n = 0;
    struct travel at = {0};
    mach_reg more = MACH_NONE;
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        mach_reg m = next_place(s, &at, v->type, false), *r = arena_array(s->arena, mach_reg, 1);
        r[0] = cpu_new(s, v->type);
        s->regs[v->id] = r;
        if (m != MACH_NONE)
            made[n++] = (struct mach_pin){r[0], m};
    }
    if (at.stack) {
        more = a64_x(s);
        made[n++] = (struct mach_pin){more, MORE};
    }
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
    at = (struct travel){0};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const unsigned index = at.stack;
        if (next_place(s, &at, v->type, false) == MACH_NONE)
            s->regs[v->id][0] = a64_load(s, v->type, more, 8 * (int64_t)index);
        else
            s->regs[v->id][0] = narrowed(s, v->type, s->regs[v->id][0]);
    }
}

mach_reg a64_at(struct cpu_sel *s, uint32_t symbol)
{
    return a64_1(s, A64_ADR, a64_x(s), (int64_t)(MACH_SYMBOL | symbol));
}

void a64_c_call(struct cpu_sel *s, struct ir_inst *i)
{
    struct mach_pin uses[2 * ARGUMENTS + 1], made = {MACH_NONE, 0};
    unsigned n = 0;
    struct travel at = {0};
    const bool direct = i->op == IR_OP_call;
    uintptr_t symbol;
    if (!cpu_callee(s, i, &symbol))
        return;
    for (uint32_t k = direct ? 0 : 1; k < i->nargs; k++) {
        const ir_type t = i->args[k]->type;
        const unsigned index = at.stack;
        const mach_reg v = cpu_reg(s, i->args[k]),
                       m = next_place(s, &at, t, !direct && i->imm >> k & 1);
        if (m != MACH_NONE)
            uses[n++] = (struct mach_pin){v, m};
        else
            a64_store(s, cpu_stack_type(t), v, A64_SP, 8 * (int64_t)index);
    }
    if (at.stack) {
        uses[n++] = (struct mach_pin){a64_2(s, A64_ADDxi, a64_x(s), A64_SP, 0), MORE};
        if (s->f->outgoing < 8 * (uint64_t)at.stack)
            s->f->outgoing = 8 * (uint64_t)at.stack;
    }
    const bool result = i->nresults > 0;
    const ir_type t = result ? i->results[0].type : IR_VOID;
    if (result)
        made = (struct mach_pin){cpu_new(s, t), cpu_class(s, t) == A64_VEC ? A64_V0 : 0};
    int64_t target = symbol ? (int64_t)(MACH_SYMBOL | (symbol - 1)) : A64_X16;
    if (!symbol)
        mach_put(s->f, A64_MOVx, A64_X16, cpu_reg(s, i->args[0]));
    s->f->calls = true;
    mach_fixed(s->f, symbol ? A64_BL : A64_BLR, &target, 1, &made, result, uses, n, changed);
    if (result)
        cpu_set(s, i, narrowed(s, t, made.virtual));
}
