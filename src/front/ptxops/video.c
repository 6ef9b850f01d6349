/* Video instructions and dot products: arithmetic on bytes and half-words selected from registers.
 * Everything is computed in 64 bits, where nothing overflows. */
#include <string.h>
#include "front/ptxops/px_int.h"

static struct ir_value *wide(struct px *p, uint64_t v)
{
    return px_int(p, IR_I64, v);
}

/* `bits` bits of x from bit `from` on, extended to 64 bits. */
static struct ir_value *field(struct px *p, struct ir_value *x, unsigned from, unsigned bits,
                              bool sign)
{
    x = px_bits_as(p, x, IR_I64);
    x = px_op2(p, IR_OP_shl, x, wide(p, 64 - bits - from));
    return px_op2(p, sign ? IR_OP_ashr : IR_OP_lshr, x, wide(p, 64 - bits));
}

static struct ir_value *less(struct px *p, struct ir_value *x, struct ir_value *y)
{
    return ir_build2(&p->b, IR_OP_slt, IR_I64, x, y);
}

static struct ir_value *within(struct px *p, struct ir_value *x, unsigned bits, bool sign)
{
    uint64_t high = (UINT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    x = px_op2(p, IR_OP_smin, x, wide(p, high));
    return px_op2(p, IR_OP_smax, x, wide(p, sign ? ~high : 0));
}

/* ---- dot products ---- */
bool px_dot(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    bool four = !strcmp(s->name, "dp4a"), high = !four && px_mod(s, "hi");
    if (s->ntypes != 2 || (!four && !high && !px_mod(s, "lo")) ||
        !px_type_in(s->types[0], PX_U32 | PX_S32) || !px_type_in(s->types[1], PX_U32 | PX_S32))
        return false;
    bool as = s->types[0].letter == 's', bs = s->types[1].letter == 's';
    struct ir_value *a = px_in(p, &s->ops[1], IR_I32), *b = px_in(p, &s->ops[2], IR_I32),
                    *c = px_in(p, &s->ops[3], IR_I32);
    if (four && as == bs) {
        px_out(p, &s->ops[0], ir_build3(&p->b, as ? row->s : row->u, IR_I32, a, b, c));
        return true;
    }
    struct ir_value *r = px_bits_as(p, c, IR_I64);
    for (unsigned i = 0; i < (four ? 4u : 2u); i++) {
        struct ir_value *x = field(p, a, (four ? 8 : 16) * i, four ? 8 : 16, as);
        struct ir_value *y = field(p, b, 8 * i + (high ? 16 : 0), 8, bs);
        r = px_op2(p, IR_OP_add, r, px_op2(p, IR_OP_mul, x, y));
    }
    px_out(p, &s->ops[0], px_bits_as(p, r, IR_I32));
    return true;
}

/* ---- the operation ---- */
enum video { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVRG, V_SHL, V_SHR, V_SET, V_MAD, V_COUNT };
static const char *const video_names[V_COUNT] = {"vadd",  "vsub", "vabsdiff", "vmin", "vmax",
                                                 "vavrg", "vshl", "vshr",     "vset", "vmad"};

static enum video video_of(const char *name)
{
    for (unsigned i = 0; i < V_COUNT; i++) {
        size_t n = strlen(video_names[i]);
        if (!strncmp(name, video_names[i], n) &&
            (!name[n] || !strcmp(name + n, "2") || !strcmp(name + n, "4")))
            return (enum video)i;
    }
    return V_COUNT;
}

static struct ir_value *compare(struct px *p, struct px_stmt *s, struct ir_value *x,
                                struct ir_value *y)
{
    static const struct {
        const char *name;
        enum ir_op op;
        bool swap, negate;
    } how[] = {{"eq", IR_OP_eq, false, false},  {"ne", IR_OP_ne, false, false},
               {"lt", IR_OP_slt, false, false}, {"le", IR_OP_sle, false, false},
               {"gt", IR_OP_slt, true, false},  {"ge", IR_OP_sle, true, false}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        if (px_mod(s, how[i].name))
            return ir_build1(
                &p->b, IR_OP_zext, IR_I64,
                ir_build2(&p->b, how[i].op, IR_I64, how[i].swap ? y : x, how[i].swap ? x : y));
    return NULL;
}

static struct ir_value *operate(struct px *p, struct px_stmt *s, enum video op, struct ir_value *x,
                                struct ir_value *y)
{
    struct ir_value *d;
    switch (op) {
    case V_ADD: return px_op2(p, IR_OP_add, x, y);
    case V_SUB: return px_op2(p, IR_OP_sub, x, y);
    case V_ABSDIFF:
        d = px_op2(p, IR_OP_sub, x, y);
        return px_op2(p, IR_OP_smax, d, px_op1(p, IR_OP_neg, d));
    case V_MIN: return px_op2(p, IR_OP_smin, x, y);
    case V_MAX: return px_op2(p, IR_OP_smax, x, y);
    case V_AVRG: /* halves go away from zero */
        d = px_op2(p, IR_OP_add, x, y);
        d = px_op2(p, IR_OP_add, d, px_pick(p, less(p, d, wide(p, 0)), wide(p, 0), wide(p, 1)));
        return px_op2(p, IR_OP_ashr, d, wide(p, 1));
    case V_SHL:
    case V_SHR:
        if (px_mod(s, "wrap"))
            y = px_op2(p, IR_OP_and, y, wide(p, 31));
        else if (px_mod(s, "clamp"))
            y = px_op2(p, IR_OP_umin, y, wide(p, 32));
        else
            return NULL;
        return px_op2(p, op == V_SHL ? IR_OP_shl : IR_OP_ashr, x, y);
    case V_SET: return compare(p, s, x, y);
    default: return NULL;
    }
}

/* ---- one value: d{.sel}, a{.sel}, b{.sel} {, c} ---- */
struct part { /* .b0 … .b3, .h0, .h1: bits of a word; none: all of it */
    unsigned from, bits;
};

static bool part_of(const struct px_operand *o, struct part *out)
{
    const char *sel = o->select;
    *out = (struct part){0, 32};
    if (!sel)
        return true;
    unsigned bits = sel[0] == 'b' ? 8 : sel[0] == 'h' ? 16 : 0;
    if (!bits || sel[1] < '0' || sel[2] || (unsigned)(sel[1] - '0') >= 32 / bits)
        return false;
    *out = (struct part){bits * (unsigned)(sel[1] - '0'), bits};
    return true;
}

/* d with the bits of a part replaced. */
static struct ir_value *merged(struct px *p, struct ir_value *into, struct ir_value *x,
                               struct part at)
{
    uint64_t mask = ((UINT64_C(1) << at.bits) - 1) << at.from;
    x = px_op2(p, IR_OP_and, px_op2(p, IR_OP_shl, x, wide(p, at.from)), wide(p, mask));
    return px_op2(p, IR_OP_or, px_op2(p, IR_OP_and, into, wide(p, ~mask)), x);
}

/* a * b + c with optional signs, plus one, and a shift: scaled and clamped. */
static bool multiply_add(struct px *p, struct px_stmt *s, struct ir_value *x, struct ir_value *y,
                         bool any_signed)
{
    bool sign = s->types[0].letter == 's', nab = s->ops[1].minus != s->ops[2].minus,
         nc = s->ops[3].minus, one = px_mod(s, "po");
    unsigned shift = px_mod(s, "shr7") ? 7 : px_mod(s, "shr15") ? 15 : 0;
    struct ir_value *c = field(p, px_in(p, &s->ops[3], IR_I32), 0, 32, sign);
    struct ir_value *r = px_op2(p, IR_OP_mul, x, y);
    if (one && (nab || nc))
        return false;
    r = nab ? px_op1(p, IR_OP_neg, r) : r;
    c = nc ? px_op1(p, IR_OP_neg, c) : c;
    r = px_op2(p, IR_OP_add, r, c);
    if (one)
        r = px_op2(p, IR_OP_add, r, wide(p, 1));
    bool result_signed = any_signed || sign || nab || nc;
    if (shift)
        r = px_op2(p, result_signed ? IR_OP_ashr : IR_OP_lshr, r, wide(p, shift));
    if (px_mod(s, "sat"))
        r = result_signed ? within(p, r, 32, true) : px_op2(p, IR_OP_umin, r, wide(p, UINT32_MAX));
    px_out(p, &s->ops[0], px_bits_as(p, r, IR_I32));
    return true;
}

bool px_video(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum video op = video_of(s->name);
    bool set = op == V_SET;
    (void)row;
    if (s->nops < 3 || s->nops > 4 || s->ntypes != (set ? 2u : 3u))
        return false;
    for (uint32_t i = 0; i < s->ntypes; i++)
        if (!px_type_in(s->types[i], PX_U32 | PX_S32))
            return false;
    struct px_type dt = set ? (struct px_type){'u', 32, 1} : s->types[0];
    struct px_type at = s->types[set ? 0 : 1], bt = s->types[set ? 1 : 2];
    struct part pa, pb, pd;
    if (!part_of(&s->ops[0], &pd) || !part_of(&s->ops[1], &pa) || !part_of(&s->ops[2], &pb))
        return false;
    bool sign = dt.letter == 's';
    struct ir_value *x = field(p, px_in(p, &s->ops[1], IR_I32), pa.from, pa.bits, at.letter == 's');
    struct ir_value *y = field(p, px_in(p, &s->ops[2], IR_I32), pb.from, pb.bits, bt.letter == 's');
    if (op == V_MAD)
        return s->nops == 4 && multiply_add(p, s, x, y, at.letter == 's' || bt.letter == 's');
    struct ir_value *r = operate(p, s, op, x, y);
    if (!r)
        return false;
    if (px_mod(s, "sat"))
        r = within(p, r, pd.bits, sign);
    int then = px_mod(s, "add") ? 1 : px_mod(s, "min") ? 2 : px_mod(s, "max") ? 3 : 0;
    bool has_part = s->ops[0].select != NULL;
    if ((s->nops == 4) != (then || has_part) || (then && has_part))
        return false;
    if (s->nops == 4) {
        struct ir_value *c = field(p, px_in(p, &s->ops[3], IR_I32), 0, 32, sign);
        if (then > 1) /* as d would hold it */
            r = field(p, r, 0, 32, sign);
        r = !then       ? merged(p, c, r, pd)
            : then == 1 ? px_op2(p, IR_OP_add, r, c)
                        : px_op2(p, then == 2 ? IR_OP_smin : IR_OP_smax, r, c);
    }
    struct px_operand d = s->ops[0];
    d.select = NULL;
    px_out(p, &d, px_bits_as(p, r, IR_I32));
    return true;
}

/* ---- two or four values at once ---- */

/* .hxy or .bxyzw: which of the lanes of {a, b} is lane i; the last letter is lane 0. */
static bool lane_from(const char *sel, unsigned n, unsigned i, unsigned none, unsigned *from)
{
    *from = none + i;
    if (!sel)
        return true;
    if (sel[0] != (n == 2 ? 'h' : 'b') || strlen(sel) != n + 1)
        return false;
    unsigned d = (unsigned)(sel[n - i] - '0');
    *from = d;
    return d < 2 * n;
}

static bool lane_written(const char *mask, unsigned i)
{
    if (!mask)
        return true;
    return strchr(mask + 1, (char)('0' + i)) != NULL;
}

bool px_video_lanes(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum video op = video_of(s->name);
    bool set = op == V_SET;
    unsigned n = (unsigned)(s->name[strlen(s->name) - 1] - '0'), bits = 32 / n;
    (void)row;
    if (s->nops != 4 || s->ntypes != (set ? 2u : 3u))
        return false;
    for (uint32_t i = 0; i < s->ntypes; i++)
        if (!px_type_in(s->types[i], PX_U32 | PX_S32))
            return false;
    bool sign = !set && s->types[0].letter == 's';
    bool as = s->types[set ? 0 : 1].letter == 's', bs = s->types[set ? 1 : 2].letter == 's';
    bool add = px_mod(s, "add"), sat = px_mod(s, "sat");
    struct ir_value *in[2] = {px_in(p, &s->ops[1], IR_I32), px_in(p, &s->ops[2], IR_I32)};
    struct ir_value *c = field(p, px_in(p, &s->ops[3], IR_I32), 0, 32, sign), *r = c;
    if (add && sat)
        return false;
    for (unsigned i = 0; i < n; i++) {
        unsigned fa, fb;
        if (!lane_from(s->ops[1].select, n, i, 0, &fa) ||
            !lane_from(s->ops[2].select, n, i, n, &fb))
            return false;
        if (!lane_written(s->ops[0].select, i))
            continue;
        struct ir_value *x = operate(p, s, op, field(p, in[fa / n], fa % n * bits, bits, as),
                                     field(p, in[fb / n], fb % n * bits, bits, bs));
        if (!x)
            return false;
        if (sat)
            x = within(p, x, bits, sign);
        r = add ? px_op2(p, IR_OP_add, r, x) : merged(p, r, x, (struct part){i * bits, bits});
    }
    struct px_operand d = s->ops[0];
    d.select = NULL;
    px_out(p, &d, px_bits_as(p, r, IR_I32));
    return true;
}
