/* What allocation asks of x86-64: copies, loads from and stores to the frame, entering and leaving
 * a function.
 *
 * The frame, from the stack pointer up: slots, saved registers, the caller's frame pointer, the
 * return address. */
#include "back/x64/x64_int.h"

void x64_copy(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, mach_reg from)
{
    if (class == X64_MASK)
        mach_code_ops(c, X64_KMOV, to, from);
    else if (class == X64_VEC)
        mach_code_ops(c, X64_VMOV, to, from);
    else
        mach_code_ops(c, bytes > 4 ? X64_MOVx : X64_MOVw, to, from);
}

static void access(struct mach_code *c, bool load, unsigned class, unsigned bytes, mach_reg reg,
                   uint64_t offset)
{
    static const uint16_t ops[2][4][2] = {
        {{X64_STw, X64_LDw}, {X64_STx, X64_LDx}, {X64_STx, X64_LDx}, {X64_STx, X64_LDx}},
        {{X64_STs, X64_LDs}, {X64_STd, X64_LDd}, {X64_STq, X64_LDq}, {X64_STy, X64_LDy}}};
    if (class == X64_MASK) {
        mach_code_ops(c, load ? X64_KLD : X64_KST, reg, X64_RSP, (int64_t)offset);
        return;
    }
    unsigned k = bytes <= 4 ? 0 : bytes <= 8 ? 1 : bytes <= 16 ? 2 : 3;
    mach_code_ops(c, ops[class][k][load], reg, X64_RSP, (int64_t)offset);
}

void x64_frame_load(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to,
                    uint64_t offset)
{
    access(c, true, class, bytes, to, offset);
}

void x64_frame_store(struct mach_code *c, unsigned class, unsigned bytes, mach_reg from,
                     uint64_t offset)
{
    access(c, false, class, bytes, from, offset);
}

void x64_frame_address(struct mach_code *c, mach_reg to, uint64_t offset)
{
    mach_code_ops(c, X64_LEAx, to, X64_RSP, (int64_t)offset);
}

/* Registers that the function must give back as they were: those that C keeps, or, in a function of
 * ours, all that it changes. */
static mach_set saved(const struct mach_func *f, unsigned class)
{
    const struct mach_class *k = &f->target->classes[class];
    return f->used[class] & (f->from_c ? k->kept : ~f->arguments[class]) & k->allocatable;
}

static unsigned saved_size(const struct mach_func *f, unsigned class)
{
    return class != X64_VEC ? 8 : f->target == &x64_wide_machine ? 64 : 32;
}

static uint64_t saved_bytes(const struct mach_func *f)
{
    uint64_t n = 0;
    for (unsigned class = 0; class <= X64_MASK; class ++)
        n += saved_size(f, class) * (uint64_t)__builtin_popcountll(saved(f, class));
    return (n + 15) & ~(uint64_t)15;
}

static void each_saved(struct mach_code *c, bool load)
{
    uint64_t at = c->f->frame_bytes;
    for (unsigned class = 0; class <= X64_MASK; class ++) {
        const unsigned size = saved_size(c->f, class);
        for (mach_set s = saved(c->f, class); s; s &= s - 1, at += size)
            access(c, load, class, size, (mach_reg)__builtin_ctzll(s) + class * MACH_CLASS_SIZE,
                   at);
    }
}

/* For debuggers, where each_saved puts them: registers for numbers only, which come first. */
static void tell_saved(struct mach_func *f)
{
    uint64_t at = f->frame_bytes;
    f->records = 16;
    f->below = f->records + saved_bytes(f) + f->frame_bytes;
    for (mach_set s = saved(f, X64_GPR); s; s &= s - 1, at += 8) {
        struct mach_kept k = {(mach_reg)__builtin_ctzll(s), f->below - at};
        vec_push(f->arena, &f->kept, k);
    }
}

void x64_enter(struct mach_code *c)
{
    tell_saved(c->f);
    mach_code_ops(c, X64_PUSH, X64_RBP);
    mach_code_unwind(c, MACH_SAVED);
    mach_code_ops(c, X64_MOVx, X64_RBP, X64_RSP);
    mach_code_unwind(c, MACH_FRAMED);
    uint64_t by = saved_bytes(c->f) + c->f->frame_bytes;
    if (by)
        mach_code_ops(c, X64_SUBxi, X64_RSP, X64_RSP, (int64_t)by);
    each_saved(c, false);
}

void x64_leave(struct mach_code *c)
{
    each_saved(c, true);
    mach_code_ops(c, X64_MOVx, X64_RSP, X64_RBP);
    mach_code_ops(c, X64_POP, X64_RBP);
    mach_code_unwind(c, MACH_ENTERED);
    if (c->f->from_c) /* code of C may be of a kind that upper halves slow down */
        mach_code_put(c, X64_VZEROUPPER, NULL, 0);
    mach_code_put(c, X64_RET, NULL, 0);
    mach_code_unwind(c, MACH_FRAMED);
}

void x64_dead(struct mach_code *c)
{
    mach_code_put(c, X64_UD2, NULL, 0);
}

void x64_jump(struct mach_code *c, uint32_t block)
{
    mach_code_ops(c, X64_JMP, block);
}

unsigned x64_invert(unsigned op, int64_t *ops)
{
    ops[0] ^= 1;
    return op;
}
