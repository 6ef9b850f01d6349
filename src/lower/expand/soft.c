/* Floating point that a target lacks → calls of the device library (device/gpu/soft.h).
 *
 * SOFT_ROUND   operations rounded other than to nearest, of any format: their operands as binary64,
 *              the operation in that direction, and the result rounded once more in that direction
 * SOFT_FMA     fma that a device would round twice (not with SOFT_F64); SOFT_BF16_FMA and
 *              SOFT_F16_FMA: of these, which are calculated with in f32
 * SOFT_F64     f64 altogether: every such value becomes the i64 of its bits
 * Calls are inlined and ftz written out (lower_flush) before. */
#include <string.h>
#include "lower/lower_int.h"

struct soft {
    struct ir_builder b;
    struct ir_module *m;
    uint32_t flags;
    bool changed;
};

static struct ir_value *word(struct soft *s, uint32_t v)
{
    return ir_const(s->m, IR_I32, v);
}

static struct ir_value *wide(struct soft *s, uint64_t v)
{
    return ir_const(s->m, IR_I64, v);
}

/* A call of the library: operands are i64 and i32. */
static struct ir_value *call(struct soft *s, const char *name, ir_type ret, uint32_t n,
                             struct ir_value *a, struct ir_value *b, struct ir_value *c,
                             struct ir_value *d)
{
    char full[48] = LOWER_SOFT_PREFIX;
    strncat(full, name, sizeof full - strlen(full) - 1);
    struct ir_value *args[4] = {a, b, c, d};
    struct ir_func *f = ir_func_find(s->m, full);
    if (!f) {
        f = ir_func_new(s->m, full, ret, IR_FUNC_PURE);
        for (uint32_t k = 0; k < n; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    s->changed = true;
    return ir_build_call(&s->b, f, args, n);
}

/* Is it f64, or the i64 that stands for one by now? Types of operands tell only before. */
static bool is_wide(ir_type t)
{
    return ir_kind(t) == IR_F64;
}

/* The value as bits of binary64. `t` is its type, or was. */
static struct ir_value *widen(struct soft *s, struct ir_value *v, ir_type t)
{
    if (is_wide(t))
        return ir_kind(v->type) == IR_I64 ? v : ir_build1(&s->b, IR_OP_bitcast, IR_I64, v);
    if (ir_kind(t) != IR_F32)
        v = ir_build1(&s->b, IR_OP_fcvt, IR_F32, v);
    return call(s, "from_f32", IR_I64, 1, ir_build1(&s->b, IR_OP_bitcast, IR_I32, v), NULL, NULL,
                NULL);
}

/* The bits as a value of t; f64 stays bits where SOFT_F64 asks for that. */
static struct ir_value *narrow(struct soft *s, struct ir_value *bits, ir_type t, uint32_t mode)
{
    if (is_wide(t))
        return s->flags & SOFT_F64 ? bits : ir_build1(&s->b, IR_OP_bitcast, IR_F64, bits);
    if (ir_kind(t) == IR_F32)
        return ir_build1(&s->b, IR_OP_bitcast, IR_F32,
                         call(s, "to_f32", IR_I32, 2, bits, word(s, mode), NULL, NULL));
    bool half = ir_kind(t) == IR_F16;
    struct ir_value *small = call(s, "to_small", IR_I32, 4, bits, word(s, half ? 10 : 7),
                                  word(s, half ? 15 : 127), word(s, mode));
    return ir_build1(&s->b, IR_OP_bitcast, t, ir_build1(&s->b, IR_OP_trunc, IR_I16, small));
}

/* ---- operations ---- */

static struct ir_value *compare(struct soft *s, const struct ir_inst *i, ir_type t)
{
    static const char *const names[IR_OP_COUNT] = {[IR_OP_feq] = "eq",
                                                   [IR_OP_fne] = "eq",
                                                   [IR_OP_flt] = "lt",
                                                   [IR_OP_fle] = "le",
                                                   [IR_OP_funo] = "unordered"};
    struct ir_value *a = widen(s, i->args[0], t), *b = widen(s, i->args[1], t);
    struct ir_value *r = call(s, names[i->op], IR_I32, 2, a, b, NULL, NULL);
    return ir_build2(&s->b, i->op == IR_OP_fne ? IR_OP_eq : IR_OP_ne, IR_I32, r, word(s, 0));
}

static struct ir_value *sign_bits(struct soft *s, const struct ir_inst *i)
{
    const uint64_t sign = UINT64_C(1) << 63;
    struct ir_value *a = i->args[0];
    if (i->op == IR_OP_fneg)
        return ir_build2(&s->b, IR_OP_xor, IR_I64, a, wide(s, sign));
    a = ir_build2(&s->b, IR_OP_and, IR_I64, a, wide(s, sign - 1));
    if (i->op == IR_OP_fabs)
        return a;
    return ir_build2(&s->b, IR_OP_or, IR_I64, a,
                     ir_build2(&s->b, IR_OP_and, IR_I64, i->args[1], wide(s, sign)));
}

static struct ir_value *from_integer(struct soft *s, const struct ir_inst *i, ir_type t,
                                     uint32_t mode)
{
    bool is_signed = i->op == IR_OP_sitof;
    struct ir_value *v = i->args[0];
    if (ir_bits(v->type) < 64)
        v = ir_build1(&s->b, is_signed ? IR_OP_sext : IR_OP_zext, IR_I64, v);
    v = call(s, is_signed ? "from_i64" : "from_u64", IR_I64, 2, v, word(s, mode), NULL, NULL);
    return narrow(s, v, t, mode);
}

static struct ir_value *to_integer(struct soft *s, const struct ir_inst *i, uint32_t mode)
{
    bool is_signed = i->op == IR_OP_ftosi;
    unsigned n = ir_bits(i->type);
    struct ir_value *v =
        call(s, is_signed ? "to_i64" : "to_u64", IR_I64, 2, i->args[0], word(s, mode), NULL, NULL);
    /* the library's is 0 */
    struct ir_value *nan = ir_build2(&s->b, IR_OP_and, IR_I64, i->args[0], wide(s, INT64_MAX));
    nan = ir_build2(&s->b, IR_OP_ult, IR_I64, wide(s, UINT64_C(0x7ff) << 52), nan);
    if (n == 64)
        return ir_build3(&s->b, IR_OP_select, IR_I64, nan, wide(s, UINT64_C(1) << 63), v);
    uint64_t most = (UINT64_C(1) << (is_signed ? n - 1 : n)) - 1;
    v = ir_build2(&s->b, is_signed ? IR_OP_smin : IR_OP_umin, IR_I64, v, wide(s, most));
    if (is_signed)
        v = ir_build2(&s->b, IR_OP_smax, IR_I64, v, wide(s, ~most));
    v = ir_build3(&s->b, IR_OP_select, IR_I64, nan, wide(s, UINT64_C(1) << (n - 1)), v);
    return ir_build1(&s->b, IR_OP_trunc, i->type, v);
}

static struct ir_value *calculate(struct soft *s, const struct ir_inst *i, ir_type t, uint32_t mode)
{
    static const char *const names[IR_OP_COUNT] = {
        [IR_OP_fadd] = "add", [IR_OP_fsub] = "sub", [IR_OP_fmul] = "mul",  [IR_OP_fdiv] = "div",
        [IR_OP_fma] = "fma",  [IR_OP_mad] = "fma",  [IR_OP_fsqrt] = "sqrt"};
    const uint64_t one = UINT64_C(0x3ff0000000000000);
    struct ir_value *x[3] = {NULL}, *r;
    for (uint32_t k = 0; k < i->nargs && k < 3; k++)
        x[k] = widen(s, i->args[k], t);
    switch (i->op) {
    case IR_OP_fmin: r = call(s, "min", IR_I64, 2, x[0], x[1], NULL, NULL); break;
    case IR_OP_fmax: r = call(s, "max", IR_I64, 2, x[0], x[1], NULL, NULL); break;
    case IR_OP_ffloor:
    case IR_OP_fceil:
    case IR_OP_ftrunc:
    case IR_OP_frint:
        mode = i->op == IR_OP_ffloor   ? IR_RD
               : i->op == IR_OP_fceil  ? IR_RU
               : i->op == IR_OP_ftrunc ? IR_RZ
                                       : IR_RN;
        r = call(s, "integral", IR_I64, 2, x[0], word(s, mode), NULL, NULL);
        break;
    case IR_OP_frsqrt_fast:
        x[0] = call(s, "sqrt", IR_I64, 2, x[0], word(s, mode), NULL, NULL);
        /* fall through */
    case IR_OP_frcp_fast:
        r = call(s, "div", IR_I64, 3, wide(s, one), x[0], word(s, mode), NULL);
        break;
    default:
        if (!names[i->op])
            return NULL;
        if (i->nargs < 3)
            x[i->nargs] = word(s, mode);
        r = call(s, names[i->op], IR_I64, i->nargs + 1, x[0], x[1], x[2], word(s, mode));
        break;
    }
    return narrow(s, r, t, mode);
}

/* a*b+c rounded once, by f64: the product of smaller numbers is exact there; the sum is rounded to
 * odd, so that rounding it again to the smaller format does no harm. */
static struct ir_value *fuse(struct soft *s, const struct ir_inst *i, ir_type t)
{
    struct ir_value *x[3];
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t bits = i->args[k]->u.bits, wide = 0;
        if (ir_is_const(i->args[k]) && ir_eval(IR_OP_fcvt, IR_F64, t, 0, &bits, &wide))
            x[k] = ir_const(s->m, IR_F64, wide);
        else
            x[k] = ir_build1(&s->b, IR_OP_fcvt, IR_F64, i->args[k]);
    }
    struct ir_value *p = ir_build2(&s->b, IR_OP_fmul, IR_F64, x[0], x[1]), *c = x[2];
    struct ir_value *sum = ir_build2(&s->b, IR_OP_fadd, IR_F64, p, c);
    struct ir_value *back = ir_build2(&s->b, IR_OP_fsub, IR_F64, sum, p);
    struct ir_value *rest = ir_build2(
        &s->b, IR_OP_fadd, IR_F64,
        ir_build2(&s->b, IR_OP_fsub, IR_F64, p, ir_build2(&s->b, IR_OP_fsub, IR_F64, sum, back)),
        ir_build2(&s->b, IR_OP_fsub, IR_F64, c, back));
    struct ir_value *bits = ir_build1(&s->b, IR_OP_bitcast, IR_I64, sum), *zero = wide(s, 0);
    struct ir_value *sign =
        ir_build2(&s->b, IR_OP_xor, IR_I64, bits, ir_build1(&s->b, IR_OP_bitcast, IR_I64, rest));
    struct ir_value *away = ir_build2(&s->b, IR_OP_sle, IR_I64, zero, sign); /* same sign: up */
    struct ir_value *step =
        ir_build3(&s->b, IR_OP_select, IR_I64, away, wide(s, 1), wide(s, UINT64_MAX));
    struct ir_value *even = ir_build2(&s->b, IR_OP_eq, IR_I64,
                                      ir_build2(&s->b, IR_OP_and, IR_I64, bits, wide(s, 1)), zero);
    struct ir_value *none = ir_const_f64(s->m, 0);
    struct ir_value *inexact =
        ir_build2(&s->b, IR_OP_or, IR_I1, ir_build2(&s->b, IR_OP_flt, IR_F64, rest, none),
                  ir_build2(&s->b, IR_OP_flt, IR_F64, none, rest));
    struct ir_value *odd = ir_build2(&s->b, IR_OP_add, IR_I64, bits, step);
    bits = ir_build3(&s->b, IR_OP_select, IR_I64, ir_build2(&s->b, IR_OP_and, IR_I1, inexact, even),
                     odd, bits);
    return ir_build1(&s->b, IR_OP_fcvt, t, ir_build1(&s->b, IR_OP_bitcast, IR_F64, bits));
}

/* The same by integers: of the two results next to the exact one, if it is not one itself, that
 * which is odd. */
static struct ir_value *fuse_soft(struct soft *s, const struct ir_inst *i, ir_type t)
{
    struct ir_value *x[3], *r[2];
    for (uint32_t k = 0; k < 3; k++)
        x[k] = widen(s, i->args[k], t);
    for (uint32_t k = 0; k < 2; k++)
        r[k] = call(s, "fma", IR_I64, 4, x[0], x[1], x[2], word(s, k ? IR_RU : IR_RD));
    struct ir_value *last = ir_build2(&s->b, IR_OP_and, IR_I64, r[0], wide(s, 1));
    struct ir_value *odd = ir_build2(&s->b, IR_OP_ne, IR_I64, last, wide(s, 0));
    return narrow(s, ir_build3(&s->b, IR_OP_select, IR_I64, odd, r[0], r[1]), t, IR_RN);
}

static struct ir_value *small_fma(struct soft *s, const struct ir_inst *i, ir_type t)
{
    return s->flags & SOFT_F64 ? fuse_soft(s, i, t) : fuse(s, i, t);
}

/* What replaces it; NULL: it stays. t: the type it calculates in; from: that of its operand. */
static struct ir_value *replace(struct soft *s, struct ir_inst *i, ir_type t, ir_type from)
{
    uint32_t mode = i->flags & IR_ROUND_MASK;
    bool all = s->flags & SOFT_F64, directed = s->flags & SOFT_ROUND && mode;
    switch ((enum ir_shape)ir_op_info[i->op].shape) {
    case IR_SHAPE_FC: return all && is_wide(t) ? compare(s, i, t) : NULL;
    case IR_SHAPE_F1:
    case IR_SHAPE_F2:
    case IR_SHAPE_F3:
        if (i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign)
            return all && is_wide(t) ? sign_bits(s, i) : NULL;
        if (i->op == IR_OP_fma && !mode &&
            s->flags & (ir_kind(t) == IR_BF16  ? SOFT_BF16_FMA
                        : ir_kind(t) == IR_F16 ? SOFT_F16_FMA
                                               : 0))
            return small_fma(s, i, t);
        if (i->op == IR_OP_fma && s->flags & SOFT_FMA && !mode && !all)
            return is_wide(t) ? calculate(s, i, t, mode) : fuse(s, i, t);
        return (all && is_wide(t)) || (directed && ir_op_info[i->op].flags & IR_ROUNDS)
                   ? calculate(s, i, t, mode)
                   : NULL;
    case IR_SHAPE_CV:
        switch (i->op) {
        case IR_OP_fcvt:
            if (!((all && (is_wide(t) || is_wide(from))) || directed))
                return NULL;
            return narrow(s, widen(s, i->args[0], from), t, mode);
        case IR_OP_sitof:
        case IR_OP_uitof:
            return (all && is_wide(t)) || directed ? from_integer(s, i, t, mode) : NULL;
        case IR_OP_ftosi:
        case IR_OP_ftoui: return all && is_wide(from) ? to_integer(s, i, mode) : NULL;
        case IR_OP_bitcast: return all && (is_wide(t) || is_wide(from)) ? i->args[0] : NULL;
        default: return NULL;
        }
    default: return NULL;
    }
}

/* ---- types ---- */

static ir_type plain(ir_type t)
{
    return is_wide(t) && !ir_is_vector(t) ? IR_I64 : t;
}

static struct ir_value *plain_const(struct soft *s, struct ir_value *v)
{
    return ir_is_const(v) && is_wide(v->type) ? wide(s, v->u.bits) : v;
}

/* All f64 that is left is carried about, not calculated with: it becomes i64. */
static void change_types(struct soft *s, struct ir_func *f)
{
    vec_each (struct ir_param, p, &f->params)
        p->type = plain(p->type);
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            (*p)->type = plain((*p)->type);
        ir_each_inst (i, b) {
            i->type = plain(i->type);
            for (uint32_t k = 0; k < i->nresults; k++)
                i->results[k].type = plain(i->results[k].type);
            for (uint32_t k = 0; k < i->nargs; k++)
                i->args[k] = plain_const(s, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    i->edges[e].args[k] = plain_const(s, i->edges[e].args[k]);
        }
    }
}

bool lower_soft(struct arena *a, struct ir_func *f, uint32_t flags)
{
    struct soft s = {.m = f->module, .flags = flags};
    struct work {
        struct ir_inst *i;
        ir_type t, from;
    };
    VEC(struct work) work = {0};
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (ir_op_info[i->op].shape != IR_SHAPE_XX && i->nargs && !ir_is_vector(i->type)) {
                struct work w = {i, i->type, i->args[0]->type};
                vec_push(a, &work, w);
            }
    if (flags & SOFT_F64)
        change_types(&s, f);
    vec_each (struct work, w, &work) {
        s.b = ir_builder_before(w->i);
        s.b.span = w->i->span;
        for (uint32_t k = 0; k < w->i->nargs; k++)
            while (w->i->args[k]->forward)
                w->i->args[k] = w->i->args[k]->forward;
        struct ir_value *r = replace(&s, w->i, w->t, w->from);
        if (!r)
            continue;
        w->i->results[0].forward = r;
        ir_remove(w->i);
    }
    ir_replace_forwarded(f);
    return s.changed;
}

static unsigned cost(const struct ir_func *f, uint32_t flags, unsigned depth)
{
    unsigned n = 0;
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next) {
            bool number = i->type == IR_F64 || (i->nargs && i->args[0]->type == IR_F64);
            bool sign = i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign;
            if (number && !sign && ir_op_info[i->op].shape != IR_SHAPE_XX &&
                (flags & SOFT_F64 || (flags & SOFT_FMA && i->op == IR_OP_fma)))
                n += i->nargs == 3 ? 2 : 1;
            if (i->op == IR_OP_call && depth < 16)
                n += cost(i->callee, flags, depth + 1);
        }
    return n;
}

unsigned lower_soft_cost(const struct ir_func *f, uint32_t flags)
{
    return cost(f, flags, 0);
}
