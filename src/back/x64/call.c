/* Calls for x86-64: to the host; which registers arguments travel in. */
#include <stddef.h>
#include "back/x64/x64_select.h"

/* Arguments of C, in its order; the seventh travels in rax, and the stub puts it on the stack. */
static const uint8_t c_arguments[] = {X64_RDI, X64_RSI, X64_RDX, X64_RCX, X64_R8, X64_R9, X64_RAX};
enum { C_IN_REGISTERS = 6 };

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
    struct mach_func *f = mach_func_new(s->arena, s->t->machine, "host");
    enum { ON_STACK = 16, AT = ON_STACK + 8 * C_IN_REGISTERS, MOST_MASKS = 8 };
    _Static_assert(AT % 16 == 0, "calls find the stack aligned");
    const unsigned vectors = s->t->masks ? 31 : 15, masks = s->t->masks ? 7 : 0;
    const int64_t size = s->t->vector_bytes, masks_at = AT + size * vectors,
                  bytes = masks_at + (masks ? 8 * MOST_MASKS : 0);
    mach_block_begin(f, mach_block_new(f));
    f->records = 16;
    mach_put(f, X64_PUSH, X64_RBP);
    mach_emit_unwind(f, MACH_SAVED);
    mach_put(f, X64_MOVx, X64_RBP, X64_RSP);
    mach_emit_unwind(f, MACH_FRAMED);
    mach_put(f, X64_SUBxi, X64_RSP, X64_RSP, bytes);
    mach_put(f, X64_STx, X64_RAX, X64_RSP, 0);
    for (int restore = 0; restore < 2; restore++) {
        for (unsigned k = 0; k < C_IN_REGISTERS; k++)
            mach_put(f, restore ? X64_LDx : X64_STx, c_arguments[k], X64_RSP,
                     ON_STACK + 8 * (int64_t)k);
        for (unsigned k = 0; k < vectors; k++)
            mach_put(f, restore ? X64_LDy : X64_STy, X64_Y0 + k, X64_RSP, AT + size * (int64_t)k);
        for (unsigned k = 0; k < masks; k++)
            mach_put(f, restore ? X64_KLD : X64_KST, X64_K1 + k, X64_RSP,
                     masks_at + 8 * (int64_t)k);
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

static mach_reg entry(struct cpu_sel *s, mach_reg table, mach_reg index)
{
    const mach_reg d = x64_r(s, true);
    mach_put(s->f, X64_LEAXx, d, table, index, 2, 0);
    return d;
}

static void aim(struct cpu_sel *s, mach_reg table, mach_reg at)
{
    mach_put(s->f, X64_LEAXx, X64_R10, table, cpu_1(s, X64_MOVSXD, x64_r(s, true), at), 0, 0);
}

static mach_reg symbol_at(struct cpu_sel *s, uint32_t symbol)
{
    return cpu_1(s, X64_LEAP, x64_r(s, true), (int64_t)(MACH_SYMBOL | symbol));
}

/* As the System V ABI has it: six registers and xmm0–xmm7, the rest on the stack in words of 8
 * bytes, above the return address: rbp + 16 in the function that is called. al says how many of
 * xmm0–xmm7 are in use, which functions with `...` want to know. A call may change all but rbx,
 * rsp, rbp, r12–r15. */
const struct cpu_calling x64_calling = {
    .block = X64_RDI,
    .more = X64_RAX,
    .registers = c_arguments + 1,
    .nregisters = 5,
    .vectors = X64_Y0,
    .nvectors = 8,
    .result = X64_RAX,
    .target = X64_R10,
    .call = X64_CALL,
    .call_to = X64_CALLr,
    .move = X64_MOVx,
    .aim = aim,
    .entry = entry,
    .at = symbol_at,
    .c_registers = c_arguments,
    .nc_registers = C_IN_REGISTERS,
    .sp = X64_RSP,
    .c_base = X64_RBP,
    .c_distance = 16,
    .c_count = true,
    .c_clear = X64_VZEROUPPER,
    .c_changed = {0x0fc7, 0x7fff},
};
