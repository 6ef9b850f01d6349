/* Calls for x86-64: to the host, between functions, entering and leaving them. */
#include <stddef.h>
#include "back/x64/x64_select.h"

/* Arguments of C, in its order; the seventh travels in rax, and the stub puts it on the stack. */
static const uint8_t c_arguments[] = {X64_RDI, X64_RSI, X64_RDX, X64_RCX, X64_R8, X64_R9, X64_RAX};
enum { C_IN_REGISTERS = 6, GPR_ARGUMENTS = 5, VEC_ARGUMENTS = 8, MORE_ARGUMENTS = X64_RAX };

/* Through the stub, which keeps all registers but rax as they were. */
mach_reg x64_host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n, bool result)
{
    struct mach_pin uses[8], made = {MACH_NONE, X64_RAX};
    const mach_set clobbers[MACH_CLASSES] = {1 << X64_RAX};
    s->f->calls = true;
    for (unsigned k = 0; k < n; k++)
        uses[k] = (struct mach_pin){args[k], c_arguments[k]};
    mach_put(s->f, X64_LDx, X64_R10, s->launch, offsetof(struct tern_launch, host));
    mach_put(s->f, X64_LDx, X64_R10, X64_R10, (int64_t)offset);
    if (result)
        made.virtual = x64_r(s, true);
    mach_fixed(s->f, X64_CALL, (const int64_t[]){MACH_SYMBOL | s->stub}, 1, &made, result, uses, n,
               clobbers);
    return made.virtual;
}

void x64_stubs(struct cpu_sel *s)
{
    struct mach_func *f = mach_func_new(s->arena, &x64_machine, "host");
    enum { ON_STACK = 16, VECTORS = 15, AT = ON_STACK + 8 * C_IN_REGISTERS };
    enum { BYTES = AT + X64_VECTOR * VECTORS };
    _Static_assert(BYTES % 16 == 0, "calls find the stack aligned");
    mach_block_begin(f, mach_block_new(f));
    f->records = 16;
    mach_put(f, X64_PUSH, X64_RBP);
    mach_emit_unwind(f, MACH_SAVED);
    mach_put(f, X64_MOVx, X64_RBP, X64_RSP);
    mach_emit_unwind(f, MACH_FRAMED);
    mach_put(f, X64_SUBxi, X64_RSP, X64_RSP, BYTES);
    mach_put(f, X64_STx, X64_RAX, X64_RSP, 0);
    for (int restore = 0; restore < 2; restore++) {
        for (unsigned k = 0; k < C_IN_REGISTERS; k++)
            mach_put(f, restore ? X64_LDx : X64_STx, c_arguments[k], X64_RSP,
                     ON_STACK + 8 * (int64_t)k);
        for (unsigned k = 0; k < VECTORS; k++)
            mach_put(f, restore ? X64_LDy : X64_STy, X64_Y0 + k, X64_RSP,
                     AT + X64_VECTOR * (int64_t)k);
        if (!restore) {
            mach_emit(f, X64_VZEROUPPER, NULL, 0);
            mach_put(f, X64_CALLr, X64_R10);
        }
    }
    mach_put(f, X64_MOVx, X64_RSP, X64_RBP);
    mach_put(f, X64_POP, X64_RBP);
    mach_emit_unwind(f, MACH_ENTERED);
    mach_emit(f, X64_RET, NULL, 0);
    mach_end(f, MACH_DEAD);
    mach_finish(f, s->image, s->stub);
}

/* Where each argument of a function of ours travels: registers, and for the rest memory whose
 * address is in rax. The block is in rdi. */
struct travel {
    unsigned x, v, more;
};

static mach_reg next_place(struct cpu_sel *s, struct travel *at, ir_type t)
{
    if (cpu_class(s, t) == X64_VEC) {
        if (at->v < VEC_ARGUMENTS)
            return X64_Y0 + at->v++;
    } else if (at->x < GPR_ARGUMENTS) {
        return c_arguments[++at->x];
    }
    at->more++;
    return MACH_NONE;
}

static mach_reg *parameter(struct cpu_sel *s, struct ir_value *v)
{
    mach_reg *r = arena_array(s->arena, mach_reg, 1);
    r[0] = cpu_new(s, v->type);
    s->regs[v->id] = r;
    return r;
}

static void begin_entry(struct cpu_sel *s, struct ir_func *fn)
{
    struct mach_pin made[8];
    unsigned n = 0;
    made[n++] = (struct mach_pin){s->b, X64_RDI};
    for (size_t k = s->kernel_params; k < fn->params.len; k++)
        made[n++] = (struct mach_pin){*parameter(s, fn->first->params.data[k]),
                                      c_arguments[1 + k - s->kernel_params]};
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
}

void x64_begin(struct cpu_sel *s, struct ir_func *fn)
{
    struct mach_pin made[32];
    unsigned n = 0;
    struct travel at = {0};
    mach_reg more = MACH_NONE;
    s->b = x64_r(s, true);
    if (s->entry) {
        begin_entry(s, fn);
        return;
    }
    made[n++] = (struct mach_pin){s->b, X64_RDI};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        mach_reg m = next_place(s, &at, v->type), *r = parameter(s, v);
        if (m != MACH_NONE)
            made[n++] = (struct mach_pin){r[0], m};
    }
    if (at.more) {
        more = x64_r(s, true);
        made[n++] = (struct mach_pin){more, MORE_ARGUMENTS};
    }
    for (unsigned k = 0; k < n; k++)
        s->f->arguments[made[k].machine / MACH_CLASS_SIZE] |= (mach_set)1
                                                              << made[k].machine % MACH_CLASS_SIZE;
    if (fn->ret != IR_VOID)
        s->f->arguments[cpu_class(s, fn->ret)] |= 1;
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
    at = (struct travel){0};
    for (size_t k = 0; k < fn->params.len && more != MACH_NONE; k++) {
        struct ir_value *v = fn->first->params.data[k];
        unsigned index = at.more;
        if (next_place(s, &at, v->type) == MACH_NONE)
            x64_load_to(s, v->type, s->regs[v->id][0], more, 8 * (int64_t)index);
    }
}

static void call_now(struct cpu_sel *s, struct ir_inst *i, unsigned op, int64_t target,
                     uint32_t first)
{
    struct mach_pin uses[32], made = {MACH_NONE, 0};
    unsigned n = 0;
    struct travel at = {0};
    mach_set clobbers[MACH_CLASSES] = {0};
    mach_reg more = MACH_NONE;
    uses[n++] = (struct mach_pin){s->b, X64_RDI};
    for (uint32_t k = first; k < i->nargs; k++) {
        ir_type t = i->args[k]->type;
        unsigned index = at.more;
        mach_reg m = next_place(s, &at, t), v = cpu_reg(s, i->args[k]);
        if (m != MACH_NONE) {
            uses[n++] = (struct mach_pin){v, m};
            continue;
        }
        if (more == MACH_NONE)
            more = cpu_frame(s, mach_slot_new(s->f, 8 * (uint64_t)i->nargs, 8));
        x64_store(s, t, v, more, 8 * (int64_t)index);
    }
    if (more != MACH_NONE)
        uses[n++] = (struct mach_pin){more, MORE_ARGUMENTS};
    bool result = i->nresults > 0;
    if (result) {
        ir_type t = i->results[0].type;
        made = (struct mach_pin){cpu_new(s, t), cpu_class(s, t) == X64_VEC ? X64_Y0 : X64_RAX};
        clobbers[cpu_class(s, t)] |= 1;
        cpu_set(s, i, made.virtual);
    }
    s->f->calls = true;
    mach_fixed(s->f, op, &target, 1, &made, result, uses, n, clobbers);
}

void x64_call(struct cpu_sel *s, struct ir_inst *i)
{
    if (i->op == IR_OP_call) {
        uintptr_t symbol = (uintptr_t)map_get(&s->symbols, map_key(i->callee));
        if (symbol)
            call_now(s, i, X64_CALL, (int64_t)(MACH_SYMBOL | (symbol - 1)), 0);
        else
            cpu_outside(s, i);
        return;
    }
    mach_reg n = cpu_reg(s, i->args[0]);
    if (s->table == UINT32_MAX)
        s->table = mach_symbol(s->image, "functions");
    uint32_t known = cpu_split(s, false), good = cpu_split(s, false), bad = cpu_split(s, true);
    mach_put(s->f, X64_CMPxi, n, s->functions);
    mach_put(s->f, X64_JC, X64_B, 0);
    mach_branch(s->f, known, bad);
    mach_block_begin(s->f, known);
    mach_reg table = x64_1(s, X64_LEAP, x64_r(s, true), MACH_SYMBOL | s->table),
             slot = x64_r(s, true);
    mach_put(s->f, X64_LEAXx, slot, table, n, 2, 0);
    mach_reg at = x64_load(s, IR_I32, slot, 0);
    mach_put(s->f, X64_TESTw, at, at);
    mach_put(s->f, X64_JC, X64_NE, 0);
    mach_branch(s->f, good, bad);
    mach_block_begin(s->f, bad);
    cpu_fail(s, CPU_FAIL_NO_FUNCTION);
    mach_end(s->f, MACH_DEAD);
    mach_block_begin(s->f, good);
    mach_put(s->f, X64_LEAXx, X64_R10, table, x64_1(s, X64_MOVSXD, x64_r(s, true), at), 0, 0);
    call_now(s, i, X64_CALLr, X64_R10, 1);
}

void x64_return(struct cpu_sel *s, struct ir_value *v)
{
    if (v) {
        struct mach_pin use = {cpu_reg(s, v),
                               cpu_class(s, v->type) == X64_VEC ? (mach_reg)X64_Y0 : X64_RAX};
        mach_fixed(s->f, MACH_NOP, NULL, 0, NULL, 0, &use, 1, NULL);
    }
    mach_end(s->f, MACH_RETURN);
}
