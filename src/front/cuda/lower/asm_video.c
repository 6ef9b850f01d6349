/* Inline PTX: video instructions and dot products, arithmetic on bytes and half-words of registers.
 * Everything is computed in 64 bits, where nothing overflows. */
#include "front/cuda/lower/asm.h"

static struct ir_value *wide(struct assembler *a, uint64_t v)
{
    return lo_int(a->l, IR_I64, v);
}

static struct ir_value *two(struct assembler *a, enum ir_op op, struct ir_value *x,
                            struct ir_value *y)
{
    return ir_build2(&a->l->b, op, IR_I64, x, y);
}

/* `bits` bits of x from bit `from` on, extended to 64 bits. */
static struct ir_value *field(struct assembler *a, struct ir_value *x, unsigned from, unsigned bits,
                              bool sign)
{
    x = two(a, IR_OP_shl, asm_cast(a, x, IR_I64), wide(a, 64 - bits - from));
    return two(a, sign ? IR_OP_ashr : IR_OP_lshr, x, wide(a, 64 - bits));
}

static struct ir_value *within(struct assembler *a, struct ir_value *x, unsigned bits, bool sign)
{
    uint64_t high = (UINT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    x = two(a, IR_OP_smin, x, wide(a, high));
    return two(a, IR_OP_smax, x, wide(a, sign ? ~high : 0));
}

static _Noreturn void refuse(struct assembler *a, const struct asm_inst *in)
{
    asm_fail(a, "'%s' is not supported", in->text);
}

/* The types among the modifiers; all are 32 bits wide. */
static unsigned signs(struct assembler *a, const struct asm_inst *in, bool out[3])
{
    unsigned n = 0;
    for (unsigned i = 1; i < in->nmods; i++) {
        struct asm_type t;
        if (!asm_kind(in->mods[i], &t))
            continue;
        if (n < 3 && t.type == IR_I32 && (t.name[0] == 'u' || t.name[0] == 's'))
            out[n++] = t.is_signed;
        else
            refuse(a, in);
    }
    return n;
}

void asm_dot(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    bool sign[3], four = !strcmp(in->mods[0], "dp4a"), high = asm_has(in, "hi");
    if (signs(a, in, sign) != 2 || (!four && !high && !asm_has(in, "lo")))
        refuse(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], IR_I32), *y = asm_read(a, &in->args[2], IR_I32),
                    *c = asm_read(a, &in->args[3], IR_I32);
    if (four && sign[0] == sign[1]) {
        enum ir_op op = sign[0] ? IR_OP_dp4a : IR_OP_udp4a;
        asm_write(a, &in->args[0], ir_build3(&a->l->b, op, IR_I32, x, y, c));
        return;
    }
    struct ir_value *r = asm_cast(a, c, IR_I64);
    for (unsigned i = 0; i < (four ? 4u : 2u); i++)
        r = two(a, IR_OP_add, r,
                two(a, IR_OP_mul, field(a, x, (four ? 8 : 16) * i, four ? 8 : 16, sign[0]),
                    field(a, y, 8 * i + (high ? 16 : 0), 8, sign[1])));
    asm_write(a, &in->args[0], asm_cast(a, r, IR_I32));
}

static struct ir_value *compare(struct assembler *a, const struct asm_inst *in, struct ir_value *x,
                                struct ir_value *y)
{
    static const struct {
        const char *name;
        enum ir_op op;
        bool swap;
    } how[] = {{"eq", IR_OP_eq, false},  {"ne", IR_OP_ne, false}, {"lt", IR_OP_slt, false},
               {"le", IR_OP_sle, false}, {"gt", IR_OP_slt, true}, {"ge", IR_OP_sle, true}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        if (asm_has(in, how[i].name))
            return ir_build1(&a->l->b, IR_OP_zext, IR_I64,
                             two(a, how[i].op, how[i].swap ? y : x, how[i].swap ? x : y));
    refuse(a, in);
}

static struct ir_value *operate(struct assembler *a, const struct asm_inst *in, const char *op,
                                struct ir_value *x, struct ir_value *y)
{
    struct lower *l = a->l;
    if (!strncmp(op, "vadd", 4))
        return two(a, IR_OP_add, x, y);
    if (!strncmp(op, "vsub", 4))
        return two(a, IR_OP_sub, x, y);
    if (!strncmp(op, "vmin", 4))
        return two(a, IR_OP_smin, x, y);
    if (!strncmp(op, "vmax", 4))
        return two(a, IR_OP_smax, x, y);
    if (!strncmp(op, "vset", 4))
        return compare(a, in, x, y);
    if (!strncmp(op, "vabsdiff", 8)) {
        struct ir_value *d = two(a, IR_OP_sub, x, y);
        return two(a, IR_OP_smax, d, ir_build1(&l->b, IR_OP_neg, IR_I64, d));
    }
    if (!strncmp(op, "vavrg", 5)) { /* halves go away from zero */
        struct ir_value *d = two(a, IR_OP_add, x, y);
        struct ir_value *below = two(a, IR_OP_slt, d, wide(a, 0));
        d = two(a, IR_OP_add, d,
                ir_build3(&l->b, IR_OP_select, IR_I64, below, wide(a, 0), wide(a, 1)));
        return two(a, IR_OP_ashr, d, wide(a, 1));
    }
    /* vshl, vshr */
    if (asm_has(in, "wrap"))
        y = two(a, IR_OP_and, y, wide(a, 31));
    else if (asm_has(in, "clamp"))
        y = two(a, IR_OP_umin, y, wide(a, 32));
    else
        refuse(a, in);
    return two(a, !strcmp(op, "vshl") ? IR_OP_shl : IR_OP_ashr, x, y);
}

/* .b0 … .b3, .h0, .h1: bits of a word; nothing: all of it */
struct part {
    unsigned from, bits;
};

static struct part part_of(struct assembler *a, const struct asm_inst *in, unsigned arg)
{
    const char *sel = in->args[arg].select;
    if (!sel)
        return (struct part){0, 32};
    unsigned bits = sel[0] == 'b' ? 8 : sel[0] == 'h' ? 16 : 0;
    if (!bits || sel[1] < '0' || sel[2] || (unsigned)(sel[1] - '0') >= 32 / bits)
        refuse(a, in);
    return (struct part){bits * (unsigned)(sel[1] - '0'), bits};
}

static struct ir_value *merged(struct assembler *a, struct ir_value *into, struct ir_value *x,
                               struct part at)
{
    uint64_t mask = ((UINT64_C(1) << at.bits) - 1) << at.from;
    x = two(a, IR_OP_and, two(a, IR_OP_shl, x, wide(a, at.from)), wide(a, mask));
    return two(a, IR_OP_or, two(a, IR_OP_and, into, wide(a, ~mask)), x);
}

/* vmad: a * b + c, plus one, shifted, saturated. */
static struct ir_value *multiply_add(struct assembler *a, const struct asm_inst *in,
                                     struct ir_value *x, struct ir_value *y, const bool sign[3])
{
    asm_need_args(a, in, 4);
    struct ir_value *c = field(a, asm_read(a, &in->args[3], IR_I32), 0, 32, sign[0]);
    struct ir_value *r = two(a, IR_OP_add, two(a, IR_OP_mul, x, y), c);
    unsigned shift = asm_has(in, "shr7") ? 7 : asm_has(in, "shr15") ? 15 : 0;
    bool any = sign[0] || sign[1] || sign[2];
    if (asm_has(in, "po"))
        r = two(a, IR_OP_add, r, wide(a, 1));
    if (shift)
        r = two(a, any ? IR_OP_ashr : IR_OP_lshr, r, wide(a, shift));
    if (!asm_has(in, "sat"))
        return r;
    return any ? within(a, r, 32, true) : two(a, IR_OP_umin, r, wide(a, UINT32_MAX));
}

/* One value: d{.sel}, a{.sel}, b{.sel} {, c} */
void asm_video(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    bool set = !strcmp(in->mods[0], "vset"), types[3] = {false}, sign[3] = {false};
    if (signs(a, in, types) != (set ? 2u : 3u))
        refuse(a, in);
    memcpy(sign + set, types, (set ? 2 : 3) * sizeof *types);
    struct part pd = part_of(a, in, 0), pa = part_of(a, in, 1), pb = part_of(a, in, 2);
    struct ir_value *x = field(a, asm_read(a, &in->args[1], IR_I32), pa.from, pa.bits, sign[1]);
    struct ir_value *y = field(a, asm_read(a, &in->args[2], IR_I32), pb.from, pb.bits, sign[2]);
    struct ir_value *r;
    if (!strcmp(in->mods[0], "vmad")) {
        r = multiply_add(a, in, x, y, sign);
    } else {
        r = operate(a, in, in->mods[0], x, y);
        if (asm_has(in, "sat"))
            r = within(a, r, pd.bits, sign[0]);
        bool add = asm_has(in, "add"), min = asm_has(in, "min"), max = asm_has(in, "max");
        bool then = add || min || max, part = in->args[0].select != NULL;
        if ((in->nargs == 4) != (then || part) || (then && part))
            refuse(a, in);
        if (in->nargs == 4) {
            struct ir_value *c = field(a, asm_read(a, &in->args[3], IR_I32), 0, 32, sign[0]);
            if (min || max) /* as d would hold it */
                r = field(a, r, 0, 32, sign[0]);
            r = part ? merged(a, c, r, pd)
                     : two(a,
                           add   ? IR_OP_add
                           : min ? IR_OP_smin
                                 : IR_OP_smax,
                           r, c);
        }
    }
    asm_write(a, &in->args[0], asm_cast(a, r, IR_I32));
}

/* .hxy or .bxyzw: which of the lanes of {a, b} is lane i; the last letter is lane 0. */
static unsigned lane_from(struct assembler *a, const struct asm_inst *in, unsigned arg, unsigned n,
                          unsigned i)
{
    const char *sel = in->args[arg].select;
    if (!sel)
        return (arg == 2 ? n : 0) + i;
    if (sel[0] != (n == 2 ? 'h' : 'b') || strlen(sel) != n + 1)
        refuse(a, in);
    unsigned d = (unsigned)(sel[n - i] - '0');
    if (d >= 2 * n)
        refuse(a, in);
    return d;
}

/* Two or four values at once: d{.mask}, a{.sel}, b{.sel}, c */
void asm_video_lanes(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    const char *op = in->mods[0], *mask = in->args[0].select;
    bool set = !strncmp(op, "vset", 4), types[3] = {false}, sign[3] = {false};
    unsigned n = (unsigned)(op[strlen(op) - 1] - '0'), bits = 32 / n;
    bool add = asm_has(in, "add"), sat = asm_has(in, "sat");
    if (signs(a, in, types) != (set ? 2u : 3u) || (add && sat))
        refuse(a, in);
    memcpy(sign + set, types, (set ? 2 : 3) * sizeof *types);
    struct ir_value *from[2] = {asm_read(a, &in->args[1], IR_I32),
                                asm_read(a, &in->args[2], IR_I32)};
    struct ir_value *r = field(a, asm_read(a, &in->args[3], IR_I32), 0, 32, sign[0]);
    for (unsigned i = 0; i < n; i++) {
        unsigned fa = lane_from(a, in, 1, n, i), fb = lane_from(a, in, 2, n, i);
        if (mask && !strchr(mask + 1, (char)('0' + i)))
            continue;
        struct ir_value *x =
            operate(a, in, op, field(a, from[fa / n], fa % n * bits, bits, sign[1]),
                    field(a, from[fb / n], fb % n * bits, bits, sign[2]));
        if (sat)
            x = within(a, x, bits, sign[0]);
        r = add ? two(a, IR_OP_add, r, x) : merged(a, r, x, (struct part){i * bits, bits});
    }
    asm_write(a, &in->args[0], asm_cast(a, r, IR_I32));
}
