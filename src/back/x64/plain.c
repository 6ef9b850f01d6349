/* Calls as the System V ABI of x86-64 has them: functions that C calls, and calls of what C may
 * have written.
 *
 * Arguments travel in six registers and xmm0–xmm7, the rest on the stack in words of 8 bytes, above
 * the return address: rbp + 16 in the function that is called. al says how many of xmm0–xmm7 are in
 * use, which functions with `...` want to know. */
#include "back/x64/x64_select.h"

static const uint8_t integers[] = {X64_RDI, X64_RSI, X64_RDX, X64_RCX, X64_R8, X64_R9};
enum { GPR_ARGUMENTS = 6, VEC_ARGUMENTS = 8 };
/* What a call may change: all but rbx, rsp, rbp, r12–r15. */
static const mach_set changed[MACH_CLASSES] = {0x0fc7, 0x7fff};

struct travel {
    unsigned x, v, stack;
};

static mach_reg next_place(struct cpu_sel *s, struct travel *at, ir_type t, bool stack)
{
    if (!stack && cpu_class(s, t) == X64_VEC && at->v < VEC_ARGUMENTS)
        return X64_Y0 + at->v++;
    if (!stack && cpu_class(s, t) == X64_GPR && at->x < GPR_ARGUMENTS)
        return integers[at->x++];
    at->stack++;
    return MACH_NONE;
}

/* Integers of less than 32 bits come with anything above them. */
static mach_reg narrowed(struct cpu_sel *s, ir_type t, mach_reg r)
{
    if (cpu_class(s, t) != X64_GPR || ir_bits(t) >= 32)
        return r;
    return cpu_op2(s, IR_OP_and, IR_I32, r,
                   cpu_constant(s, IR_I32, (UINT64_C(1) << ir_bits(t)) - 1));
}

void x64_c_enter(struct cpu_sel *s, struct ir_func *fn)
{
    struct mach_pin made[GPR_ARGUMENTS + VEC_ARGUMENTS];
    unsigned n = 0;
    struct travel at = {0};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        mach_reg m = next_place(s, &at, v->type, false), *r = arena_array(s->arena, mach_reg, 1);
        r[0] = cpu_new(s, v->type);
        s->regs[v->id] = r;
        if (m != MACH_NONE)
            made[n++] = (struct mach_pin){r[0], m};
    }
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
    at = (struct travel){0};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const unsigned index = at.stack;
        if (next_place(s, &at, v->type, false) == MACH_NONE)
            s->regs[v->id][0] = x64_load(s, v->type, X64_RBP, 16 + 8 * (int64_t)index);
        else
            s->regs[v->id][0] = narrowed(s, v->type, s->regs[v->id][0]);
    }
}

mach_reg x64_at(struct cpu_sel *s, uint32_t symbol)
{
    return x64_1(s, X64_LEAP, x64_r(s, true), (int64_t)(MACH_SYMBOL | symbol));
}

void x64_c_call(struct cpu_sel *s, struct ir_inst *i)
{
    struct mach_pin uses[GPR_ARGUMENTS + VEC_ARGUMENTS + 1], made = {MACH_NONE, 0};
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
            x64_store(s, cpu_stack_type(t), v, X64_RSP, 8 * (int64_t)index);
    }
    if (s->f->outgoing < 8 * (uint64_t)at.stack)
        s->f->outgoing = 8 * (uint64_t)at.stack;
    const bool result = i->nresults > 0;
    const ir_type t = result ? i->results[0].type : IR_VOID;
    if (result)
        made = (struct mach_pin){cpu_new(s, t),
                                 cpu_class(s, t) == X64_VEC ? (mach_reg)X64_Y0 : X64_RAX};
    int64_t target = symbol ? (int64_t)(MACH_SYMBOL | (symbol - 1)) : X64_R10;
    if (!symbol) {
        uses[n++] = (struct mach_pin){cpu_constant(s, IR_I32, at.v), X64_RAX};
        mach_put(s->f, X64_MOVx, X64_R10, cpu_reg(s, i->args[0]));
    }
    s->f->calls = true;
    mach_fixed(s->f, symbol ? X64_CALL : X64_CALLr, &target, 1, &made, result, uses, n, changed);
    if (result)
        cpu_set(s, i, narrowed(s, t, made.virtual));
}
