/* What allocation asks of AArch64: copies, loads from and stores to the frame, entering and leaving
 * a function.
 *
 * The frame, from the stack pointer up: arguments of calls, slots, then saved registers, then the
 * caller's frame pointer and return address. */
#include "back/a64/a64_int.h"

static unsigned vector_bytes(const struct mach_code *c)
{
    return a64_vector_bytes(c->f->target);
}

void a64_copy(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, mach_reg from)
{
    if (class == A64_MASK)
        mach_code_ops(c, A64_PORR, to, from, from);
    else if (class == A64_VEC)
        mach_code_ops(c, vector_bytes(c) > 16 ? A64_ZORR : A64_VORR, to, from, from);
    else
        mach_code_ops(c, bytes > 4 ? A64_MOVx : A64_MOVw, to, from);
}

void a64_constant_to(struct mach_code *c, mach_reg to, uint64_t value)
{
    mach_code_ops(c, A64_MOVZx, to, (int64_t)(value & 0xffff), 0);
    for (unsigned k = 16; k < 64; k += 16)
        if (value >> k & 0xffff)
            mach_code_ops(c, A64_MOVKx, to, to, (int64_t)(value >> k & 0xffff), k);
}

/* Whole vectors and masks of SVE: their offsets count in their sizes. */
static void access_sve(struct mach_code *c, bool load, unsigned class, mach_reg reg,
                       uint64_t offset)
{
    enum { FARTHEST = 255 };
    const unsigned op = class == A64_MASK ? (load ? A64_LDp : A64_STp)
                        : load            ? A64_LDz
                                          : A64_STz,
                   unit = class == A64_MASK ? vector_bytes(c) / 8 : vector_bytes(c);
    if (offset % unit == 0 && offset / unit <= FARTHEST) {
        mach_code_ops(c, op, reg, A64_SP, (int64_t)(offset / unit));
        return;
    }
    a64_constant_to(c, A64_X17, offset);
    mach_code_ops(c, A64_ADDxsp, A64_X17, A64_X17);
    mach_code_ops(c, op, reg, A64_X17, 0);
}

static void access(struct mach_code *c, bool load, unsigned class, unsigned bytes, mach_reg reg,
                   uint64_t offset)
{
    if (class == A64_MASK || bytes > 16) {
        access_sve(c, load, class, reg, offset);
        return;
    }
    static const struct {
        uint16_t load, store, load_far, store_far;
    } ops[2][3] = {{{A64_LDw, A64_STw, A64_LDwo, A64_STwo},
                    {A64_LDx, A64_STx, A64_LDxo, A64_STxo},
                    {A64_LDx, A64_STx, A64_LDxo, A64_STxo}},
                   {{A64_LDvs, A64_STvs, A64_LDvso, A64_STvso},
                    {A64_LDvd, A64_STvd, A64_LDvdo, A64_STvdo},
                    {A64_LDvq, A64_STvq, A64_LDvqo, A64_STvqo}}};
    unsigned k = bytes <= 4 ? 0 : bytes <= 8 ? 1 : 2, size = bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
    if (offset % size == 0 && offset / size < 4096) {
        mach_code_ops(c, load ? ops[class][k].load : ops[class][k].store, reg, A64_SP,
                      (int64_t)offset);
        return;
    }
    /* a value in x17 goes to a far slot through what it overwrites: not if it is x17 itself */
    mach_reg at = reg == A64_X17 && !load ? A64_X16 : A64_X17;
    a64_constant_to(c, at, offset);
    mach_code_ops(c, load ? ops[class][k].load_far : ops[class][k].store_far, reg, A64_SP, at);
}

void a64_frame_load(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to,
                    uint64_t offset)
{
    access(c, true, class, bytes, to, offset);
}

void a64_frame_store(struct mach_code *c, unsigned class, unsigned bytes, mach_reg from,
                     uint64_t offset)
{
    access(c, false, class, bytes, from, offset);
}

void a64_frame_address(struct mach_code *c, mach_reg to, uint64_t offset)
{
    if (offset < 4096) {
        mach_code_ops(c, A64_ADDxi, to, A64_SP, (int64_t)offset);
    } else if (offset < 1 << 24) {
        mach_code_ops(c, A64_ADDxh, to, A64_SP, (int64_t)(offset >> 12));
        if (offset & 4095)
            mach_code_ops(c, A64_ADDxi, to, to, (int64_t)(offset & 4095));
    } else {
        a64_constant_to(c, to, offset);
        mach_code_ops(c, A64_ADDxsp, to, to);
    }
}

/* Registers that the function must give back as they were. A function of ours saves all that it
 * changes, whole; C asks for the lower halves of v8 to v15. */
static mach_set saved(const struct mach_func *f, unsigned class)
{
    const struct mach_class *k = &f->target->classes[class];
    return f->used[class] & (f->from_c ? k->kept : ~f->arguments[class]) & k->allocatable;
}

/* Where the saved registers of a class begin, and of A64_GPR with `end` where all of them end:
 * masks first, which only functions of ours save; then vectors, those of SVE at a multiple of their
 * size; then integers. */
static unsigned saved_size(const struct mach_func *f, unsigned class)
{
    return class == A64_VEC && !f->from_c ? a64_vector_bytes(f->target) : 8;
}

static uint64_t saved_at(const struct mach_func *f, unsigned class, bool end)
{
    uint64_t at = 16;
    for (unsigned k = A64_MASK + 1; k--;) {
        const uint64_t n = (uint64_t)__builtin_popcountll(saved(f, k)), size = saved_size(f, k);
        if (n && size > 16)
            at = (at + size - 1) / size * size;
        if (k == class && !end)
            return at;
        at += n * size;
    }
    return at;
}

static uint64_t saved_bytes(const struct mach_func *f)
{
    return (saved_at(f, A64_GPR, true) + 15) & ~(uint64_t)15;
}

static void each_sve(struct mach_code *c, bool load, unsigned class)
{
    uint64_t at = saved_at(c->f, class, false);
    for (mach_set s = saved(c->f, class); s; s &= s - 1, at += saved_size(c->f, class))
        access_sve(c, load, class, (mach_reg)__builtin_ctzll(s) + class * MACH_CLASS_SIZE, at);
}

/* Saves or restores, from the bottom of the area up. */
static void each_saved(struct mach_code *c, bool load)
{
    const struct mach_func *f = c->f;
    for (unsigned class = A64_MASK + 1; class --;) {
        const unsigned size = saved_size(f, class);
        if (class == A64_MASK || size > 16) {
            each_sve(c, load, class);
            continue;
        }
        static const uint16_t pair[3][2] = {
            {A64_STPx, A64_LDPx}, {A64_STPd, A64_LDPd}, {A64_STPq, A64_LDPq}};
        static const uint16_t one[3][2] = {
            {A64_STx, A64_LDx}, {A64_STvd, A64_LDvd}, {A64_STvq, A64_LDvq}};
        const unsigned k = class == A64_GPR ? 0 : size == 8 ? 1 : 2;
        uint64_t at = saved_at(f, class, false);
        for (mach_set s = saved(f, class); s;) {
            int64_t a = __builtin_ctzll(s) + (int64_t) class * MACH_CLASS_SIZE;
            s &= s - 1;
            if (s && at / size < 60) {
                int64_t b = __builtin_ctzll(s) + (int64_t) class * MACH_CLASS_SIZE;
                s &= s - 1;
                mach_code_ops(c, pair[k][load], a, b, A64_SP, (int64_t)at);
                at += 2 * size;
            } else {
                mach_code_ops(c, one[k][load], a, A64_SP, (int64_t)at);
                at += size;
            }
        }
    }
}

static void move_sp(struct mach_code *c, bool down, uint64_t by)
{
    if (!by)
        return;
    if (by < 1 << 24) {
        if (by >> 12)
            mach_code_ops(c, down ? A64_SUBxh : A64_ADDxh, A64_SP, A64_SP, (int64_t)(by >> 12));
        if (by & 4095)
            mach_code_ops(c, down ? A64_SUBxi : A64_ADDxi, A64_SP, A64_SP, (int64_t)(by & 4095));
    } else {
        a64_constant_to(c, A64_X17, by);
        mach_code_ops(c, down ? A64_SUBspx : A64_ADDspx, A64_X17);
    }
}

/* For debuggers, where each_saved puts them: registers for numbers only, vectors come first. */
static void tell_saved(struct mach_func *f)
{
    uint64_t at = saved_at(f, A64_GPR, false);
    f->records = saved_bytes(f);
    f->below = f->records + f->frame_bytes;
    for (mach_set s = saved(f, A64_GPR); s; s &= s - 1, at += 8) {
        struct mach_kept k = {(mach_reg)__builtin_ctzll(s), f->records - at};
        vec_push(f->arena, &f->kept, k);
    }
}

void a64_enter(struct mach_code *c)
{
    tell_saved(c->f);
    move_sp(c, true, c->f->records);
    mach_code_unwind(c, MACH_MOVED);
    mach_code_ops(c, A64_STPx, A64_FP, A64_LR, A64_SP, 0);
    mach_code_unwind(c, MACH_SAVED);
    mach_code_ops(c, A64_ADDxi, A64_FP, A64_SP, 0);
    mach_code_unwind(c, MACH_FRAMED);
    each_saved(c, false);
    move_sp(c, true, c->f->frame_bytes);
    if (vector_bytes(c) > 16 && c->f->from_c) /* the mask of all lanes; functions of ours keep it */
        mach_code_ops(c, A64_PTRUE, A64_P7);
}

void a64_leave(struct mach_code *c)
{
    move_sp(c, false, c->f->frame_bytes);
    each_saved(c, true);
    mach_code_ops(c, A64_LDPx, A64_FP, A64_LR, A64_SP, 0);
    mach_code_unwind(c, MACH_MOVED);
    move_sp(c, false, saved_bytes(c->f));
    mach_code_unwind(c, MACH_ENTERED);
    mach_code_put(c, A64_RET, NULL, 0);
    mach_code_unwind(c, MACH_FRAMED);
}

void a64_dead(struct mach_code *c)
{
    mach_code_put(c, A64_BRK, NULL, 0);
}

void a64_jump(struct mach_code *c, uint32_t block)
{
    mach_code_ops(c, A64_B, block);
}

unsigned a64_invert(unsigned op, int64_t *ops)
{
    switch (op) {
    case A64_BC: ops[0] ^= 1; return op;
    case A64_CBZw: return A64_CBNZw;
    case A64_CBNZw: return A64_CBZw;
    case A64_CBZx: return A64_CBNZx;
    default: return A64_CBZx;
    }
}

/* Which operand the result of an instruction of SVE overwrites: the other one of those that
 * commute, and of those that have a twin with operands the other way round; a factor instead of the
 * sum. */
unsigned a64_sve_tie(unsigned op, int64_t *ops, unsigned k)
{
#define BHSD(op) A64_##op##b, A64_##op##h, A64_##op##s, A64_##op##d
#define SD(op)   A64_##op##s, A64_##op##d
    static const uint16_t commute[] = {BHSD(ZMUL),  BHSD(ZSMULH), BHSD(ZUMULH),
                                       BHSD(ZSMIN), BHSD(ZSMAX),  BHSD(ZUMIN),
                                       BHSD(ZUMAX), SD(ZFMINNM),  SD(ZFMAXNM)};
    static const uint16_t twins[] = {SD(ZSDIV),  SD(ZUDIV),  SD(ZFDIV),
                                     BHSD(ZLSL), BHSD(ZLSR), BHSD(ZASR)},
                          turned[] = {SD(ZSDIVR),  SD(ZUDIVR),  SD(ZFDIVR),
                                      BHSD(ZLSLR), BHSD(ZLSRR), BHSD(ZASRR)};
#undef BHSD
#undef SD
    if (op == A64_ZFMLAs || op == A64_ZFMLAd) {
        const int64_t sum = ops[1], factor = ops[k], other = ops[5 - k];
        ops[1] = factor, ops[2] = other, ops[3] = sum;
        return op == A64_ZFMLAs ? A64_ZFMADs : A64_ZFMADd;
    }
    const int64_t first = ops[1];
    if (k != 2)
        return 0;
    ops[1] = ops[2], ops[2] = first;
    for (size_t n = 0; n < sizeof commute / sizeof *commute; n++)
        if (commute[n] == op)
            return op;
    for (size_t n = 0; n < sizeof twins / sizeof *twins; n++)
        if (twins[n] == op)
            return turned[n];
    return 0;
}

/* Loads and stores side by side. */
unsigned a64_pair(unsigned op, const int64_t *a, unsigned then, const int64_t *b, int64_t *out,
                  unsigned *n)
{
    static const struct {
        uint16_t one, near, both;
        uint8_t size;
        bool loads;
    } table[] = {
        {A64_LDvq, A64_LDUvq, A64_LDPq, 16, true}, {A64_STvq, A64_STUvq, A64_STPq, 16, false},
        {A64_LDvd, A64_LDUvd, A64_LDPd, 8, true},  {A64_STvd, A64_STUvd, A64_STPd, 8, false},
        {A64_LDx, A64_LDUx, A64_LDPx, 8, true},    {A64_STx, A64_STUx, A64_STPx, 8, false},
        {A64_LDw, A64_LDUw, A64_LDPw, 4, true},    {A64_LDvs, A64_LDUvs, A64_LDPs, 4, true}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (op != table[k].one && op != table[k].near)
            continue;
        if (then != table[k].one && then != table[k].near)
            return 0; /* it may have fewer operands */
        const int64_t size = table[k].size, first = a[2] < b[2] ? a[2] : b[2];
        if (a[1] != b[1] || first % size || a[2] + b[2] != 2 * first + size || first < -64 * size ||
            first > 63 * size)
            return 0;
        if (table[k].loads &&
            (a[0] == b[0] || a[0] == a[1])) /* the first one is the second's base */
            return 0;
        out[0] = a[2] < b[2] ? a[0] : b[0];
        out[1] = a[2] < b[2] ? b[0] : a[0];
        out[2] = a[1];
        out[3] = first;
        *n = 4;
        return table[k].both;
    }
    return 0;
}
