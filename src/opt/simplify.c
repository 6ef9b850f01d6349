/* Constant folding and algebraic rules. One-operation rules are a table (rules.def); the functions
 * below look two operations deep. */
#include <string.h>
#include "opt/opt_int.h"

enum operand { ANY, SAME, ZERO, ONE, ONES, MIN, POW2, BITS, FONE, FZERO, FNZERO };
enum result { A, B, K0, K1, KONES, SHL, SHR, LOW, NOT, NEG };

static const struct rule {
    uint16_t op;
    uint8_t class, first, second, gives;
} rules[] = {
#define RULE(op, class, first, second, gives) {IR_OP_##op, IR_CLASS_##class, first, second, gives},
#include "opt/rules.def"
};

enum { NRULES = sizeof rules / sizeof *rules };

enum { DEPTH = 6 }; /* operations that are looked at for a value's limits */

struct simplifier {
    uint8_t rule_of[IR_OP_COUNT], rule_after[NRULES]; /* 1 + the first, the next rule of an op */
    struct ir_func *f;
    struct ir_module *m;
    struct ir_builder b;
    bool changed;
    struct arena *scratch;
    struct map uses; /* value → how many */
    bool has_uses;
};

static uint64_t float_bits(ir_type t, int which) /* 1: one, 0: +0, -1: -0 */
{
    if (which <= 0)
        return which ? UINT64_C(1) << (ir_bits(t) - 1) : 0;
    switch (ir_kind(t)) {
    case IR_F16: return 0x3c00;
    case IR_BF16: return 0x3f80;
    case IR_F32: return 0x3f800000;
    default: return UINT64_C(0x3ff0000000000000);
    }
}

static bool matches(enum operand want, const struct ir_value *v, const struct ir_value *first)
{
    if (want == ANY)
        return true;
    if (want == SAME)
        return v == first;
    if (v->kind != IR_VALUE_CONST)
        return false;
    uint64_t x = v->u.bits, all = opt_mask(v->type);
    bool is_float = ir_class(v->type) == IR_CLASS_FLOAT;
    switch (want) {
    case ZERO: return x == 0;
    case ONE: return x == 1 && all > 1;
    case ONES: return x == all;
    case MIN: return x == (all >> 1) + 1;
    case POW2: return x > 1 && !(x & (x - 1));
    case BITS: return x >= ir_bits(v->type);
    case FONE: return is_float && x == float_bits(v->type, 1);
    case FZERO: return is_float && x == float_bits(v->type, 0);
    case FNZERO: return is_float && x == float_bits(v->type, -1);
    default: return false;
    }
}

static unsigned log2_of(uint64_t x)
{
    unsigned n = 0;
    while (x >>= 1)
        n++;
    return n;
}

static struct ir_value *constant(struct simplifier *s, ir_type t, uint64_t bits)
{
    return ir_const(s->m, t, bits & opt_mask(t));
}

static struct ir_value *apply(struct simplifier *s, struct ir_inst *i, enum result gives)
{
    struct ir_value *a = i->args[0], *b = i->args[1];
    ir_type t = i->type, r = i->results[0].type;
    switch (gives) {
    case A: return a;
    case B: return b;
    case K0: return constant(s, r, 0);
    case K1: return constant(s, r, 1);
    case KONES: return constant(s, r, UINT64_MAX);
    case SHL: return ir_build2(&s->b, IR_OP_shl, t, a, constant(s, t, log2_of(b->u.bits)));
    case SHR: return ir_build2(&s->b, IR_OP_lshr, t, a, constant(s, t, log2_of(b->u.bits)));
    case LOW: return ir_build2(&s->b, IR_OP_and, t, a, constant(s, t, b->u.bits - 1));
    case NOT: return ir_build1(&s->b, IR_OP_not, t, a);
    case NEG: return ir_build1(&s->b, IR_OP_neg, t, b == a || ir_is_const(a) ? b : a);
    }
    return NULL;
}

static struct ir_value *by_rule(struct simplifier *s, struct ir_inst *i)
{
    if (i->nargs != 2 || i->flags & (IR_FTZ | IR_ROUND_MASK))
        return NULL; /* rounded down, +0 + -0 is -0 */
    for (unsigned k = s->rule_of[i->op]; k; k = s->rule_after[k - 1]) {
        const struct rule *r = &rules[k - 1];
        if (r->class & ir_class(i->type) &&
            matches((enum operand)r->first, i->args[0], i->args[0]) &&
            matches((enum operand)r->second, i->args[1], i->args[0]))
            return apply(s, i, (enum result)r->gives);
    }
    return NULL;
}

/* ---- constants ---- */
static struct ir_value *folded(struct simplifier *s, struct ir_inst *i)
{
    uint64_t args[3], out;
    if (!i->nargs || i->nargs > 3)
        return NULL;
    for (uint32_t k = 0; k < i->nargs; k++) {
        if (!ir_is_const(i->args[k]))
            return NULL;
        args[k] = i->args[k]->u.bits;
    }
    if (!ir_eval((enum ir_op)i->op, i->type, i->args[0]->type, i->flags, args, &out))
        return NULL;
    return ir_const(s->m, i->results[0].type, out);
}

/* Data that neither kernels nor the host can change, and how many of its bytes lie at the place;
 * NULL: it is not that. */
static const struct ir_global *constant_data(struct opt_place p, uint64_t *left)
{
    if (p.base->kind != IR_VALUE_GLOBAL)
        return NULL;
    const struct ir_global *g = p.base->u.global;
    if ((g->space != IR_SPACE_CONST && !(g->flags & IR_GLOBAL_CONST)) ||
        g->flags & (IR_GLOBAL_EXPORT | IR_GLOBAL_EXTERN) || p.offset < 0 ||
        (uint64_t)p.offset > g->size)
        return NULL;
    *left = g->size - (uint64_t)p.offset;
    return g;
}

static struct ir_value *from_initialiser(struct simplifier *s, struct ir_inst *i)
{
    if (i->op != IR_OP_load || !opt_is_plain(i) || ir_kind(i->type) == IR_PTR)
        return NULL;
    struct opt_place p = opt_place(i->args[0]);
    uint64_t n = ir_bytes(i->type), left;
    const struct ir_global *g = constant_data(p, &left);
    if (!g || n > left)
        return NULL;
    for (size_t k = 0; k < g->relocs.len; k++)
        if (g->relocs.data[k].offset < (uint64_t)p.offset + n &&
            (uint64_t)p.offset < g->relocs.data[k].offset + 8u)
            return NULL;
    uint64_t bits = 0;
    for (uint64_t k = 0; g->init && k < n; k++)
        bits |= (uint64_t)g->init[(uint64_t)p.offset + k] << 8 * k;
    return constant(s, i->type, bits);
}

/* C's strlen of a literal: std::string asks for it with each one. */
static struct ir_value *length_of_text(struct simplifier *s, const struct ir_inst *i)
{
    if (i->op != IR_OP_call_ptr || i->nargs != 2 || i->nresults != 1 ||
        i->args[0]->kind != IR_VALUE_FUNC || i->results[0].type != IR_I64)
        return NULL;
    const struct ir_func *callee = i->args[0]->u.func;
    if (callee->first || strcmp(callee->name, "strlen") != 0 || ir_kind(i->args[1]->type) != IR_PTR)
        return NULL;
    struct opt_place p = opt_place(i->args[1]);
    uint64_t left;
    const struct ir_global *g = constant_data(p, &left);
    const uint8_t *text = g && g->init && !g->relocs.len ? g->init + p.offset : NULL,
                  *end = text && left ? memchr(text, 0, left) : NULL;
    return end ? ir_const(s->m, IR_I64, (uint64_t)(end - text)) : NULL;
}

/* ---- two operations deep ---- */
static struct ir_inst *arg_def(const struct ir_inst *i, uint32_t k, enum ir_op op)
{
    struct ir_inst *d = i->nargs > k ? opt_def(i->args[k]) : NULL;
    return d && d->op == op ? d : NULL;
}

/* (x op c) op d = x op (c op d) */
static struct ir_value *reassociated(struct simplifier *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: break;
    default: return NULL;
    }
    struct ir_inst *in = arg_def(i, 0, (enum ir_op)i->op);
    uint64_t args[2], out;
    if (!in || !ir_is_const(i->args[1]) || !ir_is_const(in->args[1]) || in->type != i->type)
        return NULL;
    args[0] = in->args[1]->u.bits;
    args[1] = i->args[1]->u.bits;
    if (!ir_eval((enum ir_op)i->op, i->type, i->type, 0, args, &out))
        return NULL;
    if (i->op == IR_OP_add && i->flags & ~in->flags & IR_NSW && ir_bits(i->type) == 32)
        return NULL; /* an index's constant still comes out of it, as of the sum of both it would
                        not */
    uint32_t wraps = i->op == IR_OP_add ? in->flags & i->flags & (IR_NSW | IR_NUW) : 0;
    /* both steps promised not to wrap; with constants of one sign neither does their sum */
    unsigned sign = ir_bits(i->type) - 1;
    if ((args[0] >> sign ^ args[1] >> sign) & 1 || (out >> sign ^ args[0] >> sign) & 1)
        wraps = 0;
    return ir_build_flags(&s->b, (enum ir_op)i->op, i->type, wraps, 2, in->args[0],
                          constant(s, i->type, out), NULL);
}

/* The low bits of x + y, x | y or x ^ y, where y has been shifted out of them: x's. */
static struct ir_value *low_part(const struct ir_inst *in, unsigned bits)
{
    if (in->op != IR_OP_or && in->op != IR_OP_xor && in->op != IR_OP_add)
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_inst *other = arg_def(in, 1 - k, IR_OP_shl);
        if (other && ir_is_const(other->args[1]) && other->args[1]->u.bits >= bits)
            return in->args[k];
    }
    return NULL;
}

static struct ir_value *resized(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *in = opt_def(i->args[0]);
    if (!in || !in->nargs)
        return NULL;
    struct ir_value *x = in->args[0];
    bool in_ext = in->op == IR_OP_zext || in->op == IR_OP_sext;
    switch (i->op) {
    case IR_OP_trunc:
        if (in->op == IR_OP_trunc)
            return ir_build1(&s->b, IR_OP_trunc, i->type, x);
        if (!in_ext && (x = low_part(in, ir_bits(i->type))))
            return ir_build1(&s->b, IR_OP_trunc, i->type, x);
        if (!in_ext)
            return NULL;
        if (x->type == i->type)
            return x;
        return ir_build1(&s->b, ir_bits(x->type) > ir_bits(i->type) ? IR_OP_trunc : in->op, i->type,
                         x);
    case IR_OP_zext:
        if (in->op == IR_OP_zext)
            return ir_build1(&s->b, IR_OP_zext, i->type, x);
        if (in->op == IR_OP_trunc && x->type == i->type)
            return ir_build2(&s->b, IR_OP_and, i->type, x,
                             constant(s, i->type, opt_mask(in->type)));
        return NULL;
    case IR_OP_sext:
        if (in_ext)
            return ir_build1(&s->b, in->op, i->type, x);
        return NULL;
    default: return NULL;
    }
}

static struct ir_value *negated_comparison(struct simplifier *s, struct ir_inst *in)
{
    if (in->nargs != 2)
        return NULL;
    struct ir_value *a = in->args[0], *b = in->args[1];
    switch (in->op) {
    case IR_OP_eq: return ir_build2(&s->b, IR_OP_ne, in->type, a, b);
    case IR_OP_ne: return ir_build2(&s->b, IR_OP_eq, in->type, a, b);
    case IR_OP_ult: return ir_build2(&s->b, IR_OP_ule, in->type, b, a);
    case IR_OP_ule: return ir_build2(&s->b, IR_OP_ult, in->type, b, a);
    case IR_OP_slt: return ir_build2(&s->b, IR_OP_sle, in->type, b, a);
    case IR_OP_sle: return ir_build2(&s->b, IR_OP_slt, in->type, b, a);
    case IR_OP_feq: return ir_build_flags(&s->b, IR_OP_fne, in->type, in->flags, 2, a, b, NULL);
    case IR_OP_fne: return ir_build_flags(&s->b, IR_OP_feq, in->type, in->flags, 2, a, b, NULL);
    default: return NULL;
    }
}

static struct ir_value *truth(struct simplifier *s, struct ir_inst *i)
{
    if (i->op == IR_OP_not && i->type == IR_I1) {
        struct ir_inst *in = opt_def(i->args[0]);
        return in ? negated_comparison(s, in) : NULL;
    }
    if ((i->op != IR_OP_eq && i->op != IR_OP_ne) || !ir_is_const(i->args[1]))
        return NULL;
    struct ir_value *x = i->args[0];
    struct ir_inst *rest = arg_def(i, 0, IR_OP_srem); /* x % 4 == 0: of any sign */
    if (rest && !i->args[1]->u.bits && matches(POW2, rest->args[1], NULL))
        return ir_build2(&s->b, (enum ir_op)i->op, i->type,
                         ir_build2(&s->b, IR_OP_and, i->type, rest->args[0],
                                   constant(s, i->type, rest->args[1]->u.bits - 1)),
                         i->args[1]);
    struct ir_inst *ext = arg_def(i, 0, IR_OP_zext);
    uint64_t c = i->args[1]->u.bits;
    if (ext && ext->args[0]->type == IR_I1) { /* a truth value that went through an integer */
        if (c > 1)
            return constant(s, IR_I1, i->op == IR_OP_ne);
        x = ext->args[0];
    } else if (i->type != IR_I1) {
        return NULL;
    }
    bool straight = (i->op == IR_OP_ne) == (c == 0);
    return straight ? x : ir_build1(&s->b, IR_OP_not, IR_I1, x);
}

static void count_use(struct simplifier *s, struct ir_value *v)
{
    v = opt_resolve(v);
    if (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT)
        map_set(&s->uses, map_key(v), (void *)((uintptr_t)map_get(&s->uses, map_key(v)) + 1));
}

/* How often a value is used, counted when that is first asked. */
static uintptr_t uses_of(struct simplifier *s, const struct ir_value *v)
{
    if (!s->has_uses) {
        map_init(&s->uses, s->scratch);
        s->has_uses = true;
        ir_each_block (b, s->f)
            ir_each_inst (i, b) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    count_use(s, i->args[k]);
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        count_use(s, i->edges[e].args[k]);
            }
    }
    return (uintptr_t)map_get(&s->uses, map_key(v));
}

/* One of two quotients by the same: one division. */
static struct ir_value *chosen_quotient(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *x = arg_def(i, 1, IR_OP_fdiv), *y = arg_def(i, 2, IR_OP_fdiv);
    if (!x || !y || x->args[1] != y->args[1] || x->flags != y->flags ||
        uses_of(s, i->args[1]) > 1 || uses_of(s, i->args[2]) > 1)
        return NULL;
    struct ir_value *top =
        ir_build3(&s->b, IR_OP_select, i->type, i->args[0], x->args[0], y->args[0]);
    return ir_build_flags(&s->b, IR_OP_fdiv, i->type, x->flags, 2, top, x->args[1], NULL);
}

static struct ir_value *chosen(struct simplifier *s, struct ir_inst *i)
{
    struct ir_value *c = i->args[0], *x = i->args[1], *y = i->args[2];
    if (x == y)
        return x;
    if (ir_is_const(c))
        return c->u.bits & 1 ? x : y;
    struct ir_inst *no = arg_def(i, 0, IR_OP_not);
    if (no)
        return ir_build3(&s->b, IR_OP_select, i->type, no->args[0], y, x);
    if (i->type != IR_I1)
        return chosen_quotient(s, i);
    if (opt_is_const(x, 1) && opt_is_const(y, 0))
        return c;
    if (opt_is_const(x, 0) && opt_is_const(y, 1))
        return ir_build1(&s->b, IR_OP_not, IR_I1, c);
    if (opt_is_const(y, 0))
        return ir_build2(&s->b, IR_OP_and, IR_I1, c, x);
    if (opt_is_const(x, 1))
        return ir_build2(&s->b, IR_OP_or, IR_I1, c, y);
    return NULL;
}

static struct ir_value *address(struct simplifier *s, struct ir_inst *i)
{
    struct ir_value *p = i->args[0], *off = i->args[1];
    if (opt_is_const(off, 0))
        return p;
    struct ir_inst *in = arg_def(i, 0, IR_OP_ptradd);
    if (in && ir_is_const(off) && ir_is_const(in->args[1]))
        return ir_build2(&s->b, IR_OP_ptradd, i->type, in->args[0],
                         constant(s, IR_I64, in->args[1]->u.bits + off->u.bits));
    /* constants outermost, where accesses can hold them */
    if (in && ir_is_const(in->args[1])) {
        struct ir_value *q = ir_build2(&s->b, IR_OP_ptradd, i->type, in->args[0], off);
        return ir_build2(&s->b, IR_OP_ptradd, i->type, q, in->args[1]);
    }
    struct ir_inst *sum = arg_def(i, 1, IR_OP_add);
    if (sum && ir_is_const(sum->args[1])) {
        struct ir_value *q = ir_build2(&s->b, IR_OP_ptradd, i->type, p, sum->args[0]);
        return ir_build2(&s->b, IR_OP_ptradd, i->type, q, sum->args[1]);
    }
    return NULL;
}

/* Is the sum, extended by op, that of its extended parts? By promise, or since so large none of
 * them can be: indices of threads are unsigned and wrap, but end at 1,023. */
static bool extends_apart(enum ir_op op, const struct ir_inst *sum)
{
    const uint64_t limit = op == IR_OP_sext ? INT32_MAX : UINT32_MAX;
    const uint64_t x = opt_most(sum->args[0], DEPTH), y = opt_most(sum->args[1], DEPTH);
    return sum->flags & (op == IR_OP_sext ? IR_NSW : IR_NUW) || (x <= limit && y <= limit - x);
}

/* x + (y + c), extended: in 64 bits the constant comes out, where x + y alone might wrap in 32. */
static struct ir_value *inner_constant(struct simplifier *s, struct ir_inst *i, struct ir_inst *sum)
{
    const enum ir_op op = (enum ir_op)i->op;
    for (unsigned k = 0; k < 2; k++) {
        struct ir_inst *in = arg_def(sum, k, IR_OP_add);
        if (!in || !ir_is_const(in->args[1]) || !extends_apart(op, in))
            continue;
        struct ir_value *x = ir_build1(&s->b, op, IR_I64, sum->args[1 - k]);
        struct ir_value *y = ir_build1(&s->b, op, IR_I64, in->args[0]);
        uint64_t c = op == IR_OP_sext ? (uint64_t)(int64_t)(int32_t)in->args[1]->u.bits
                                      : (uint32_t)in->args[1]->u.bits;
        return ir_build2(&s->b, IR_OP_add, IR_I64, ir_build2(&s->b, IR_OP_add, IR_I64, x, y),
                         constant(s, IR_I64, c));
    }
    return NULL;
}

/* Index arithmetic in 64 bits: constants move out of extensions, products and shifts, so that they
 * end in the address. */
static struct ir_value *index_constant(struct simplifier *s, struct ir_inst *i)
{
    if (i->type != IR_I64)
        return NULL;
    struct ir_inst *sum;
    switch (i->op) {
    case IR_OP_sext:
    case IR_OP_zext:
        sum = arg_def(i, 0, IR_OP_add);
        if (!sum || sum->type != IR_I32 || !extends_apart((enum ir_op)i->op, sum))
            return NULL;
        if (!ir_is_const(sum->args[1]))
            return inner_constant(s, i, sum);
        return ir_build2(
            &s->b, IR_OP_add, IR_I64, ir_build1(&s->b, (enum ir_op)i->op, IR_I64, sum->args[0]),
            constant(s, IR_I64,
                     i->op == IR_OP_sext ? (uint64_t)(int64_t)(int32_t)sum->args[1]->u.bits
                                         : (uint32_t)sum->args[1]->u.bits));
    case IR_OP_mul:
    case IR_OP_shl:
        sum = arg_def(i, 0, IR_OP_add);
        if (!sum || !ir_is_const(sum->args[1]) || !ir_is_const(i->args[1]) ||
            (i->op == IR_OP_shl && i->args[1]->u.bits > 63))
            return NULL;
        return ir_build2(&s->b, IR_OP_add, IR_I64,
                         ir_build2(&s->b, (enum ir_op)i->op, IR_I64, sum->args[0], i->args[1]),
                         constant(s, IR_I64,
                                  i->op == IR_OP_mul ? sum->args[1]->u.bits * i->args[1]->u.bits
                                                     : sum->args[1]->u.bits << i->args[1]->u.bits));
    default: return NULL;
    }
}

/* Dividing by a power of two is multiplying by its reciprocal, which is exact. */
static struct ir_value *reciprocal(struct simplifier *s, struct ir_inst *i)
{
    if (!ir_is_const(i->args[1]) || i->flags & IR_FTZ)
        return NULL;
    uint64_t bits = i->args[1]->u.bits;
    unsigned mantissa = ir_kind(i->type) == IR_F32 ? 23 : ir_kind(i->type) == IR_F64 ? 52 : 0;
    if (!mantissa || bits & ((UINT64_C(1) << mantissa) - 1))
        return NULL;
    uint64_t exponent_mask = mantissa == 23 ? 255 : 2047, bias = exponent_mask / 2;
    uint64_t sign = bits >> (ir_bits(i->type) - 1), e = bits >> mantissa & exponent_mask;
    if (e == 0 || e >= 2 * bias) /* the reciprocal must be a normal number too */
        return NULL;
    uint64_t r = sign << (ir_bits(i->type) - 1) | (2 * bias - e) << mantissa;
    return ir_build_flags(&s->b, IR_OP_fmul, i->type, i->flags & IR_ROUND_MASK, 2, i->args[0],
                          constant(s, i->type, r), NULL);
}

/* -(x * y) = -x * y: the factor that is used most often is negated once for many products. */
static struct ir_value *negated_product(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *p = arg_def(i, 0, IR_OP_fmul);
    if (!p || p->flags & (IR_ROUND_MASK | IR_FTZ) || i->flags & IR_FTZ ||
        uses_of(s, i->args[0]) > 1)
        return NULL;
    const unsigned k = uses_of(s, p->args[1]) > uses_of(s, p->args[0]);
    struct ir_value *x = ir_build1(&s->b, IR_OP_fneg, i->type, p->args[k]);
    return ir_build_flags(&s->b, IR_OP_fmul, i->type, p->flags, 2, x, p->args[1 - k], NULL);
}

static struct ir_value *signs(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *neg;
    switch (i->op) {
    case IR_OP_fneg:
        neg = arg_def(i, 0, IR_OP_fneg);
        return neg ? neg->args[0] : negated_product(s, i);
    case IR_OP_fabs:
        neg = arg_def(i, 0, IR_OP_fneg);
        if (!neg && arg_def(i, 0, IR_OP_fabs))
            return i->args[0];
        return neg ? ir_build1(&s->b, IR_OP_fabs, i->type, neg->args[0]) : NULL;
    case IR_OP_fadd:
        neg = arg_def(i, 1, IR_OP_fneg);
        return neg ? ir_build_flags(&s->b, IR_OP_fsub, i->type, i->flags, 2, i->args[0],
                                    neg->args[0], NULL)
                   : NULL;
    case IR_OP_fsub:
        neg = arg_def(i, 1, IR_OP_fneg);
        return neg ? ir_build_flags(&s->b, IR_OP_fadd, i->type, i->flags, 2, i->args[0],
                                    neg->args[0], NULL)
                   : NULL;
    default: return NULL;
    }
}

static struct ir_value *casts(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *in = opt_def(i->args[0]);
    struct ir_value *x = in && in->nargs ? in->args[0] : NULL;
    switch (i->op) {
    case IR_OP_bitcast:
        if (i->args[0]->type == i->type)
            return i->args[0];
        if (!x || in->op != IR_OP_bitcast)
            return NULL;
        return x->type == i->type ? x : ir_build1(&s->b, IR_OP_bitcast, i->type, x);
    case IR_OP_ptrtoint:
        if (x && in->op == IR_OP_ptradd) { /* an offset from a number */
            struct ir_inst *base = opt_def(x);
            return base && base->op == IR_OP_inttoptr
                       ? ir_build2(&s->b, IR_OP_add, IR_I64, base->args[0], in->args[1])
                       : NULL;
        }
        return x && in->op == IR_OP_inttoptr ? x : NULL;
    case IR_OP_inttoptr:
        for (unsigned k = 0; x && in->op == IR_OP_add && k < 2; k++) { /* p + n, done on numbers */
            struct ir_inst *base = opt_def(in->args[k]);
            if (base && base->op == IR_OP_ptrtoint && base->args[0]->type == i->type)
                return ir_build2(&s->b, IR_OP_ptradd, i->type, base->args[0], in->args[1 - k]);
        }
        return x && in->op == IR_OP_ptrtoint && x->type == i->type ? x : NULL;
    case IR_OP_cvta:
        if (i->args[0]->type == i->type)
            return i->args[0];
        if (opt_is_const(i->args[0], 0))
            return ir_const(s->m, i->type, 0);
        return x && in->op == IR_OP_cvta && x->type == i->type ? x : NULL;
    case IR_OP_isspace:
        if (in && in->op == IR_OP_cvta && ir_space(in->args[0]->type) != IR_SPACE_GENERIC)
            return constant(s, IR_I1, ir_space(in->args[0]->type) == i->imm);
        return NULL;
    case IR_OP_fcvt: /* there and back */
        if (x && in->op == IR_OP_fcvt && x->type == i->type &&
            ir_bits(in->type) > ir_bits(x->type) && !((in->flags | i->flags) & IR_FTZ))
            return x;
        return NULL;
    default: return NULL;
    }
}

static struct ir_value *shifted(struct simplifier *s, struct ir_inst *i)
{
    struct ir_inst *in = arg_def(i, 0, (enum ir_op)i->op);
    unsigned n = ir_bits(i->type);
    if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= n)
        return NULL;
    uint64_t c = i->args[1]->u.bits;
    if (in && ir_is_const(in->args[1]) && in->args[1]->u.bits < n) {
        uint64_t sum = c + in->args[1]->u.bits;
        if (sum < n)
            return ir_build2(&s->b, (enum ir_op)i->op, i->type, in->args[0],
                             constant(s, i->type, sum));
        if (i->op != IR_OP_ashr)
            return constant(s, i->type, 0);
    }
    struct ir_inst *left = arg_def(i, 0, IR_OP_shl);
    if (i->op == IR_OP_lshr && left && opt_is_const(left->args[1], c))
        return ir_build2(&s->b, IR_OP_and, i->type, left->args[0],
                         constant(s, i->type, opt_mask(i->type) >> c));
    return NULL;
}

/* What follows from how large the operands can be. */
static struct ir_value *by_range(struct simplifier *s, struct ir_inst *i)
{
    struct ir_value *x = i->args[0], *y = i->args[1];
    if (!ir_is_const(y))
        return NULL;
    const uint64_t all = opt_mask(i->type), c = y->u.bits;
    switch (i->op) {
    case IR_OP_sdiv:
    case IR_OP_srem: /* of numbers that are not negative */
        if (!c || c > all >> 1 || opt_most(x, DEPTH) > all >> 1)
            return NULL;
        return ir_build2(&s->b, i->op == IR_OP_sdiv ? IR_OP_udiv : IR_OP_urem, i->type, x, y);
    case IR_OP_ashr:
        return opt_most(x, DEPTH) <= all >> 1 ? ir_build2(&s->b, IR_OP_lshr, i->type, x, y) : NULL;
    case IR_OP_and: {
        struct ir_inst *up = opt_def(x); /* (x << 5) & 31 is 0 */
        if (up && up->op == IR_OP_shl && ir_is_const(up->args[1]) && up->args[1]->u.bits < 64 &&
            !(c >> up->args[1]->u.bits))
            return constant(s, i->type, 0);
        if (!(c & (c + 1)) && opt_most(x, DEPTH) <= c)
            return x;
        /* bits that are 0 or 1 whatever comes: of bytes side by side that do not overflow */
        const struct opt_bits bits = opt_bits_of(x, DEPTH);
        return !(c & ~(bits.zeros | bits.ones)) ? constant(s, i->type, bits.ones & c)
               : !(all & ~(c | bits.zeros))     ? x
                                                : NULL;
    }
    case IR_OP_lshr: {
        if (c >= ir_bits(i->type))
            return NULL;
        if (!(opt_most(x, DEPTH) >> c))
            return constant(s, i->type, 0);
        /* of two mixed numbers, one may be shifted out: (a ^ b >> 16) >> 16 is a >> 16 */
        struct ir_inst *mix = opt_def(x);
        if (!mix || (mix->op != IR_OP_xor && mix->op != IR_OP_or))
            return NULL;
        for (unsigned k = 0; k < 2; k++)
            if (!(opt_most(mix->args[k], DEPTH) >> c))
                return ir_build2(&s->b, IR_OP_lshr, i->type, mix->args[1 - k], y);
        return NULL;
    }
    default: return NULL;
    }
}

/* (a ^ b) ^ b */
static struct ir_value *cancelled(const struct ir_inst *i)
{
    for (unsigned k = 0; k < 2; k++) {
        struct ir_inst *in = arg_def(i, k, IR_OP_xor);
        for (unsigned n = 0; in && n < 2; n++)
            if (in->args[n] == i->args[1 - k])
                return in->args[1 - n];
    }
    return NULL;
}

static struct ir_value *deeper(struct simplifier *s, struct ir_inst *i)
{
    struct ir_value *v;
    switch (i->op) {
    case IR_OP_trunc:
    case IR_OP_zext:
    case IR_OP_sext: v = resized(s, i); return v ? v : index_constant(s, i);
    case IR_OP_eq:
    case IR_OP_ne:
    case IR_OP_not:
        if (i->op == IR_OP_not && arg_def(i, 0, IR_OP_not))
            return opt_def(i->args[0])->args[0];
        return truth(s, i);
    case IR_OP_neg: return arg_def(i, 0, IR_OP_neg) ? opt_def(i->args[0])->args[0] : NULL;
    case IR_OP_select: return chosen(s, i);
    case IR_OP_ptradd: return address(s, i);
    case IR_OP_sub: /* x - c is x + -c */
        if (!ir_is_const(i->args[1]))
            return NULL;
        return ir_build_flags(
            &s->b, IR_OP_add, i->type,
            i->args[1]->u.bits == (opt_mask(i->type) >> 1) + 1 ? 0 : i->flags & IR_NSW, 2,
            i->args[0], constant(s, i->type, 0 - i->args[1]->u.bits), NULL);
    case IR_OP_shl: v = index_constant(s, i); return v ? v : shifted(s, i);
    case IR_OP_lshr:
    case IR_OP_ashr: v = shifted(s, i); return v ? v : by_range(s, i);
    case IR_OP_sdiv:
    case IR_OP_srem: return by_range(s, i);
    case IR_OP_and: v = by_range(s, i); return v ? v : reassociated(s, i);
    case IR_OP_xor: v = cancelled(i); return v ? v : reassociated(s, i);
    case IR_OP_mul: v = reassociated(s, i); return v ? v : index_constant(s, i);
    case IR_OP_fdiv: return reciprocal(s, i);
    case IR_OP_fneg:
    case IR_OP_fabs:
    case IR_OP_fadd:
    case IR_OP_fsub: return signs(s, i);
    case IR_OP_bitcast:
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr:
    case IR_OP_cvta:
    case IR_OP_isspace:
    case IR_OP_fcvt: return casts(s, i);
    case IR_OP_load: return from_initialiser(s, i);
    default: return reassociated(s, i);
    }
}

static void visit(struct simplifier *s, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        i->args[k] = opt_resolve(i->args[k]);
    struct ir_value *length = length_of_text(s, i);
    if (length) {
        i->results[0].forward = length;
        ir_remove(i);
        s->changed = true;
        return;
    }
    if (i->nresults != 1 || (!opt_is_pure(i) && i->op != IR_OP_load) ||
        ir_is_vector(i->results[0].type) || ir_is_vector(i->type))
        return;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (ir_is_vector(i->args[k]->type))
            return;
    if (ir_op_info[i->op].flags & IR_COMMUTES && i->nargs >= 2 && ir_is_const(i->args[0]) &&
        !ir_is_const(i->args[1])) {
        struct ir_value *x = i->args[0];
        i->args[0] = i->args[1];
        i->args[1] = x;
    }
    s->b = ir_builder_before(i);
    s->b.span = i->span;
    struct ir_value *v = opt_is_pure(i) ? folded(s, i) : NULL;
    if (!v)
        v = by_rule(s, i);
    if (!v)
        v = deeper(s, i);
    if (!v || v == &i->results[0])
        return;
    if (!v->name && v->kind == IR_VALUE_RESULT)
        v->name = i->results[0].name;
    i->results[0].forward = v;
    ir_remove(i);
    s->changed = true;
}

void opt_simplify(struct arena *scratch, struct ir_func *f)
{
    struct simplifier s = {.f = f, .m = f->module, .scratch = scratch, .changed = true};
    bool any = false;
    _Static_assert(NRULES < 255, "rules are numbered by bytes");
    for (unsigned k = NRULES; k-- > 0;) {
        s.rule_after[k] = s.rule_of[rules[k].op];
        s.rule_of[rules[k].op] = (uint8_t)(k + 1);
    }
    for (unsigned round = 0; s.changed && round < 6; round++) {
        s.changed = false;
        ir_each_block (b, f)
            ir_each_inst (i, b)
                visit(&s, i);
        any |= s.changed;
    }
    if (any)
        ir_replace_forwarded(f);
}
