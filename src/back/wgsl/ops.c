/* Operations → WGSL expressions, from one table.
 *
 * A row gives a template for each way of holding a value. $a $b $c are the operands, $A $B the same
 * as i32, $N the number of bits, @name( calls a helper. In templates of the narrow column the
 * result is masked to N bits unless the row says that it fits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/wgsl/wgsl_int.h"

struct row {
    const char *word, *pair, *f32, *f64; /* i8 i16 i32; i64; f32 (f16, bf16 around it); f64 */
    bool fits;                           /* of narrow operands the result needs no mask */
};

static const struct row rows[IR_OP_COUNT] = {
    [IR_OP_add] = {.word = "$a + $b", .pair = "@i64_add($a, $b)"},
    [IR_OP_sub] = {.word = "$a - $b", .pair = "@i64_sub($a, $b)"},
    [IR_OP_mul] = {.word = "$a * $b", .pair = "@i64_mul($a, $b)"},
    [IR_OP_umulhi] = {.word = "@umulhi($a, $b)", .pair = "@i64_umulhi($a, $b)"},
    [IR_OP_smulhi] = {.word = "@smulhi($a, $b)", .pair = "@i64_smulhi($a, $b)"},
    [IR_OP_udiv] = {.word = "@udiv($a, $b)", .pair = "@i64_udiv($a, $b)"},
    [IR_OP_sdiv] = {.word = "@sdiv($A, $B)", .pair = "@i64_sdiv($a, $b)"},
    [IR_OP_urem] = {.word = "@urem($a, $b)", .pair = "@i64_urem($a, $b)", .fits = true},
    [IR_OP_srem] = {.word = "@srem($A, $B)", .pair = "@i64_srem($a, $b)"},
    [IR_OP_and] = {.word = "$a & $b", .pair = "$a & $b", .fits = true},
    [IR_OP_or] = {.word = "$a | $b", .pair = "$a | $b", .fits = true},
    [IR_OP_xor] = {.word = "$a ^ $b", .pair = "$a ^ $b", .fits = true},
    [IR_OP_shl] = {.word = "@shl($a, $b)", .pair = "@i64_shl($a, $b)"},
    [IR_OP_lshr] = {.word = "@lshr($a, $b)", .pair = "@i64_lshr($a, $b)", .fits = true},
    [IR_OP_ashr] = {.word = "@ashr($A, $b)", .pair = "@i64_ashr($a, $b)"},
    [IR_OP_umin] = {.word = "min($a, $b)", .pair = "@i64_umin($a, $b)", .fits = true},
    [IR_OP_umax] = {.word = "max($a, $b)", .pair = "@i64_umax($a, $b)", .fits = true},
    [IR_OP_smin] = {.word = "u32(min($A, $B))", .pair = "@i64_smin($a, $b)"},
    [IR_OP_smax] = {.word = "u32(max($A, $B))", .pair = "@i64_smax($a, $b)"},
    [IR_OP_not] = {.word = "~$a", .pair = "~$a"},
    [IR_OP_neg] = {.word = "0u - $a", .pair = "@i64_sub(vec2<u32>(), $a)"},
    [IR_OP_popc] = {.word = "countOneBits($a)", .pair = "@i64_popc($a)", .fits = true},
    [IR_OP_clz] = {.word = "countLeadingZeros($a)", .pair = "@i64_clz($a)", .fits = true},
    [IR_OP_brev] = {.word = "reverseBits($a)", .pair = "reverseBits($a.yx)"},
    [IR_OP_fshl] = {.word = "@fshl($a, $b, $c)", .pair = "@i64_fshl($a, $b, $c)"},
    [IR_OP_fshr] = {.word = "@fshr($a, $b, $c)", .pair = "@i64_fshr($a, $b, $c)"},
    [IR_OP_prmt] = {.word = "@prmt($a, $b, $c)"},
    [IR_OP_dp4a] = {.word = "@dp4a($a, $b, $c)"},
    [IR_OP_udp4a] = {.word = "@udp4a($a, $b, $c)"},
    [IR_OP_eq] = {.word = "$a == $b", .pair = "all($a == $b)"},
    [IR_OP_ne] = {.word = "$a != $b", .pair = "any($a != $b)"},
    [IR_OP_ult] = {.word = "$a < $b", .pair = "@i64_ult($a, $b)"},
    [IR_OP_ule] = {.word = "$a <= $b", .pair = "!@i64_ult($b, $a)"},
    [IR_OP_slt] = {.word = "$A < $B", .pair = "@i64_slt($a, $b)"},
    [IR_OP_sle] = {.word = "$A <= $B", .pair = "!@i64_slt($b, $a)"},
    [IR_OP_fadd] = {.f32 = "$a + $b", .f64 = "@f64_add($a, $b, $rm)"},
    [IR_OP_fsub] = {.f32 = "$a - $b", .f64 = "@f64_sub($a, $b, $rm)"},
    [IR_OP_fmul] = {.f32 = "$a * $b", .f64 = "@f64_mul($a, $b, $rm)"},
    [IR_OP_fdiv] = {.f32 = "$a / $b", .f64 = "@f64_div($a, $b, $rm)"},
    [IR_OP_fma] = {.f32 = "fma($a, $b, $c)", .f64 = "@f64_fma($a, $b, $c, $rm)"},
    [IR_OP_mad] = {.f32 = "fma($a, $b, $c)", .f64 = "@f64_fma($a, $b, $c, $rm)"},
    [IR_OP_fsqrt] = {.f32 = "sqrt($a)", .f64 = "@f64_sqrt($a, $rm)"},
    [IR_OP_fneg] = {.f32 = "-$a", .f64 = "$a ^ vec2<u32>(0u, 0x80000000u)"},
    [IR_OP_fabs] = {.f32 = "abs($a)", .f64 = "$a & vec2<u32>(0xffffffffu, 0x7fffffffu)"},
    [IR_OP_fcopysign] = {.f32 = "@copysign($a, $b)",
                         .f64 = "vec2<u32>($a.x, ($a.y & 0x7fffffffu) | ($b.y & 0x80000000u))"},
    [IR_OP_fmin] = {.f32 = "@fmin($a, $b)", .f64 = "@f64_min($a, $b)"},
    [IR_OP_fmax] = {.f32 = "@fmax($a, $b)", .f64 = "@f64_max($a, $b)"},
    [IR_OP_ffloor] = {.f32 = "floor($a)", .f64 = "@f64_integral($a, 3u)"},
    [IR_OP_fceil] = {.f32 = "ceil($a)", .f64 = "@f64_integral($a, 2u)"},
    [IR_OP_ftrunc] = {.f32 = "trunc($a)", .f64 = "@f64_integral($a, 1u)"},
    [IR_OP_frint] = {.f32 = "round($a)", .f64 = "@f64_integral($a, 0u)"},
    [IR_OP_frcp_fast] = {.f32 = "1.0 / $a", .f64 = "@f64_div(vec2<u32>(0u, 0x3ff00000u), $a, 0u)"},
    [IR_OP_frsqrt_fast] = {.f32 = "inverseSqrt($a)",
                           .f64 = "@f64_div(vec2<u32>(0u, 0x3ff00000u), @f64_sqrt($a, 0u), 0u)"},
    [IR_OP_fsin_fast] = {.f32 = "sin($a)"},
    [IR_OP_fcos_fast] = {.f32 = "cos($a)"},
    [IR_OP_fexp2_fast] = {.f32 = "exp2($a)"},
    [IR_OP_flog2_fast] = {.f32 = "log2($a)"},
    [IR_OP_ftanh_fast] = {.f32 = "@tanh_safe($a)"},
    [IR_OP_feq] = {.f32 = "$a == $b", .f64 = "@f64_eq($a, $b)"},
    [IR_OP_fne] = {.f32 = "!($a == $b)", .f64 = "!@f64_eq($a, $b)"},
    [IR_OP_flt] = {.f32 = "$a < $b", .f64 = "@f64_lt($a, $b)"},
    [IR_OP_fle] = {.f32 = "$a <= $b", .f64 = "@f64_le($a, $b)"},
    [IR_OP_funo] = {.f32 = "@is_nan($a) || @is_nan($b)", .f64 = "@f64_uno($a, $b)"},
};

/* ---- values ---- */

static bool is_word(const char *s) /* one name, number, call or member: needs no parentheses */
{
    unsigned depth = 0;
    if (*s == '-' || *s == '!' || *s == '~')
        return false;
    for (; *s; s++) {
        if (*s == '(' || *s == '[')
            depth++;
        else if (*s == ')' || *s == ']')
            depth--;
        else if (*s == ' ' && !depth)
            return false;
    }
    return true;
}

static const char *wrap(struct wgsl *w, const char *s)
{
    return is_word(s) ? s : TEXT(w, "(%s)", s);
}

static const char *f32_constant(struct wgsl *w, uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    uint32_t rest = bits & 0x7fffffffu;
    /* not a number, infinite or subnormal: constant expressions of WGSL must not make these */
    if (rest >= 0x7f800000u || (rest && rest < 0x00800000u) || bits == 0x80000000u) {
        wgsl_helper(w, "f32_bits");
        return TEXT(w, "f32_bits(0x%xu)", bits);
    }
    if (rest == 0x7f7fffffu) /* rounded to a few digits it would be too large */
        return bits == rest ? "0x1.fffffep+127f" : "-0x1.fffffep+127f";
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)f);
        if (strtof(text, NULL) == f)
            break;
    }
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    return TEXT(w, "%s%s", text, strchr(text, 'e') ? "f" : "");
}

static const char *number(struct wgsl *w, uint64_t v)
{
    uint32_t x = (uint32_t)v;
    return x > 0x7fffffffu ? TEXT(w, "0x%xu", x) : TEXT(w, "%uu", x);
}

static const char *constant(struct wgsl *w, const struct ir_value *v)
{
    uint64_t bits = v->u.bits;
    switch (ir_kind(v->type)) {
    case IR_I1: return bits & 1 ? "true" : "false";
    case IR_F32: return f32_constant(w, (uint32_t)bits);
    case IR_I64:
    case IR_F64: return TEXT(w, "vec2<u32>(%s, %s)", number(w, bits), number(w, bits >> 32));
    default: return number(w, bits);
    }
}

const char *wgsl_value(struct wgsl *w, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_VALUE_CONST: return constant(w, v);
    case IR_VALUE_GLOBAL: {
        struct ir_global *g = v->u.global;
        struct map *m = g->space == IR_SPACE_SHARED ? &w->shared_offset : &w->heap_offset;
        return number(w, (uintptr_t)map_get(m, map_key(g)));
    }
    case IR_VALUE_FUNC: return number(w, wgsl_number(w, v->u.func));
    default: break;
    }
    if (v->kind == IR_VALUE_RESULT && w->folded[v->id]) {
        const char *s = wgsl_expression(w, v->u.inst);
        if (!s)
            wgsl_refuse(w, v->u.inst, WGSL_NO_WORDS);
        return s ? wrap(w, s) : "0u";
    }
    w->said[v->id]++;
    vec_push(w->arena, &w->names, v->id);
    return w->name[v->id];
}

const char *wgsl_low(struct wgsl *w, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_CONST)
        return number(w, v->u.bits);
    const char *s = wgsl_value(w, v);
    if ((v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) && w->low[v->id])
        return s;
    return TEXT(w, "%s.x", s);
}

/* ---- templates ---- */

struct operands {
    const char *u[3]; /* as held */
    const char *s[3]; /* as i32 */
    unsigned bits;
    const char *rounding;
};

static const char *fill(struct wgsl *w, const char *t, const struct operands *o)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    for (; *t; t++) {
        if (*t == '@') {
            size_t n = strcspn(t + 1, "(");
            sbuf_puts(&b, wgsl_helper(w, arena_strndup(w->arena, t + 1, n)));
            t += n;
        } else if (*t == '$' && t[1] == 'r') {
            sbuf_puts(&b, o->rounding);
            t += 2;
        } else if (*t == '$' && t[1] == 'N') {
            sbuf_printf(&b, "%uu", o->bits);
            t++;
        } else if (*t == '$') {
            t++;
            sbuf_puts(&b, *t >= 'a' ? o->u[*t - 'a'] : o->s[*t - 'A']);
        } else {
            sbuf_putc(&b, *t);
        }
    }
    return b.data;
}

static const char *as_signed(struct wgsl *w, const struct ir_value *v, const char *s)
{
    unsigned n = ir_bits(v->type);
    if (v->kind == IR_VALUE_CONST && n == 32)
        return (int32_t)v->u.bits == INT32_MIN ? "i32(-2147483647 - 1)"
                                               : TEXT(w, "%di", (int)(int32_t)v->u.bits);
    if (n < 32)
        return TEXT(w, "extractBits(i32(%s), 0u, %uu)", s, n);
    return TEXT(w, "i32(%s)", s);
}

static void operands(struct wgsl *w, const struct ir_inst *i, struct operands *o, const char *like)
{
    o->bits = i->nargs ? ir_bits(i->args[0]->type) : ir_bits(i->type);
    o->rounding = TEXT(w, "%uu", i->flags & IR_ROUND_MASK);
    for (uint32_t k = 0; k < i->nargs && k < 3; k++) {
        char u[3] = {'$', (char)('a' + k), 0}, s[3] = {'$', (char)('A' + k), 0};
        if (strstr(like, u) || strstr(like, s))
            o->u[k] = wgsl_value(w, i->args[k]);
        if (strstr(like, s))
            o->s[k] = as_signed(w, i->args[k], o->u[k]);
    }
}

static const char *mask(struct wgsl *w, const char *s, unsigned bits)
{
    return TEXT(w, "%s & 0x%xu", wrap(w, s), (1u << bits) - 1);
}

/* ---- integers ---- */

static bool is_compare(enum ir_op op)
{
    unsigned shape = ir_op_info[op].shape;
    return shape == IR_SHAPE_IC || shape == IR_SHAPE_FC;
}

/* bool: the bitwise ones directly, the rest as u32 */
static const char *on_bool(struct wgsl *w, const struct ir_inst *i)
{
    static const char *const direct[IR_OP_COUNT] = {
        [IR_OP_and] = "$a && $b",   [IR_OP_or] = "$a || $b",    [IR_OP_xor] = "$a != $b",
        [IR_OP_add] = "$a != $b",   [IR_OP_sub] = "$a != $b",   [IR_OP_not] = "!$a",
        [IR_OP_neg] = "$a",         [IR_OP_eq] = "$a == $b",    [IR_OP_ne] = "$a != $b",
        [IR_OP_mul] = "$a && $b",   [IR_OP_ult] = "!$a && $b",  [IR_OP_ule] = "!$a || $b",
        [IR_OP_slt] = "$a && !$b",  [IR_OP_sle] = "$a || !$b",  [IR_OP_umin] = "$a && $b",
        [IR_OP_umax] = "$a || $b",  [IR_OP_smin] = "$a || $b",  [IR_OP_smax] = "$a && $b",
        [IR_OP_popc] = "$a",        [IR_OP_brev] = "$a",        [IR_OP_clz] = "!$a",
        [IR_OP_shl] = "$a && !$b",  [IR_OP_lshr] = "$a && !$b", [IR_OP_ashr] = "$a",
        [IR_OP_udiv] = "$a || !$b", [IR_OP_sdiv] = "$a || !$b", [IR_OP_urem] = "$a && !$b",
        [IR_OP_srem] = "$a && !$b", [IR_OP_fshl] = "$a",        [IR_OP_fshr] = "$b",
        [IR_OP_umulhi] = "false",   [IR_OP_smulhi] = "false",
    };
    struct operands o;
    if (!direct[i->op])
        return NULL;
    operands(w, i, &o, direct[i->op]);
    return fill(w, direct[i->op], &o);
}

/* Divisors and shift counts known to be harmless need no helper. */
static const char *with_constant(const struct ir_inst *i, unsigned bits)
{
    static const char *const plain[IR_OP_COUNT] = {
        [IR_OP_udiv] = "$a / $b",       [IR_OP_urem] = "$a % $b", [IR_OP_sdiv] = "u32($A / $B)",
        [IR_OP_srem] = "u32($A % $B)",  [IR_OP_shl] = "$a << $b", [IR_OP_lshr] = "$a >> $b",
        [IR_OP_ashr] = "u32($A >> $b)",
    };
    if (!plain[i->op] || i->nargs < 2 || !ir_is_const(i->args[1]))
        return NULL;
    uint64_t c = i->args[1]->u.bits, ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
    bool shift = i->op == IR_OP_shl || i->op == IR_OP_lshr || i->op == IR_OP_ashr;
    if (shift ? c >= bits : c == 0 || c == ones)
        return NULL;
    return plain[i->op];
}

/* An integer of up to 32 bits as a whole word. */
static const char *widened_word(struct wgsl *w, const struct ir_inst *i, bool sign)
{
    const unsigned from = ir_bits(i->args[0]->type);
    const char *s = wgsl_value(w, i->args[0]);
    if (from == 1)
        return TEXT(w, sign ? "select(0u, 0xffffffffu, %s)" : "select(0u, 1u, %s)", s);
    return sign && from < 32 ? TEXT(w, "u32(extractBits(i32(%s), 0u, %uu))", s, from) : s;
}

bool wgsl_shifts_words(const struct ir_inst *i)
{
    return i->type == IR_I64 && (i->op == IR_OP_shl || i->op == IR_OP_lshr) &&
           ir_is_const(i->args[1]) && i->args[1]->u.bits >= 32 && i->args[1]->u.bits < 64;
}

/* The word that such a shift moves. */
static const char *moved_word(struct wgsl *w, const struct ir_inst *i)
{
    const unsigned by = (unsigned)i->args[1]->u.bits - 32;
    const bool up = i->op == IR_OP_shl;
    const char *from = up ? wgsl_low(w, i->args[0]) : TEXT(w, "%s.y", wgsl_value(w, i->args[0]));
    return by ? TEXT(w, up ? "%s << %uu" : "%s >> %uu", from, by) : from;
}

/* Both words of high << 32 | low, where these have no other use; or NULL. */
static const char *joined_words(struct wgsl *w, const struct ir_inst *i)
{
    if (i->op != IR_OP_or && i->op != IR_OP_add && i->op != IR_OP_xor)
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_value *high = i->args[k], *low = i->args[1 - k];
        if (high->kind == IR_VALUE_RESULT && w->folded[high->id] && low->kind == IR_VALUE_RESULT &&
            w->folded[low->id] && high->u.inst->op == IR_OP_shl &&
            wgsl_shifts_words(high->u.inst) && low->u.inst->op == IR_OP_zext)
            return TEXT(w, "vec2<u32>(%s, %s)", widened_word(w, low->u.inst, false),
                        moved_word(w, high->u.inst));
    }
    return NULL;
}

static const char *integer(struct wgsl *w, const struct ir_inst *i)
{
    const struct ir_value *first = i->nargs ? i->args[0] : NULL;
    ir_type t = is_compare((enum ir_op)i->op) && first ? first->type : i->type;
    unsigned bits = ir_class(t) == IR_CLASS_PTR ? 32 : ir_bits(t);
    const struct row *r = &rows[i->op];
    struct operands o;
    if (bits == 1)
        return on_bool(w, i);
    if (bits == 64) {
        bool low = i->nresults && i->results[0].type == IR_I64 && w->low[i->results[0].id];
        if (wgsl_shifts_words(i) && (!low || i->op == IR_OP_lshr)) {
            const char *word = moved_word(w, i);
            return low                  ? word
                   : i->op == IR_OP_shl ? TEXT(w, "vec2<u32>(0u, %s)", word)
                                        : TEXT(w, "vec2<u32>(%s, 0u)", word);
        }
        if (!low) {
            if (!r->pair)
                return NULL;
            const char *both = joined_words(w, i);
            if (both)
                return both;
            operands(w, i, &o, r->pair);
            return fill(w, r->pair, &o);
        }
        for (uint32_t k = 0; k < i->nargs; k++)
            o.u[k] = wgsl_low(w, i->args[k]);
        for (uint32_t k = 0; k < 2 && (i->op == IR_OP_or || i->op == IR_OP_add); k++)
            if (!strcmp(o.u[k], "0u")) /* all that the other's high word leaves */
                return o.u[1 - k];
        return fill(w, i->op == IR_OP_shl ? i->args[1]->u.bits < 32 ? "$a << $b" : "0u" : r->word,
                    &o);
    }
    const char *t2 = with_constant(i, bits), *like = t2 ? t2 : r->word;
    if (!like)
        return NULL;
    if (bits < 32 && !is_compare((enum ir_op)i->op)) {
        switch (i->op) { /* where the width itself matters */
        case IR_OP_umulhi: like = "($a * $b) >> $N"; break;
        case IR_OP_smulhi: like = "u32(($A * $B) >> $N)"; break;
        case IR_OP_clz: like = "countLeadingZeros($a) - (32u - $N)"; break;
        case IR_OP_brev: like = "reverseBits($a) >> (32u - $N)"; break;
        case IR_OP_fshl: like = "((($a << $N) | $b) << ($c & ($N - 1u))) >> $N"; break;
        case IR_OP_fshr: like = "(($a << $N) | $b) >> ($c & ($N - 1u))"; break;
        default: break;
        }
    }
    operands(w, i, &o, like);
    const char *s = fill(w, like, &o);
    if (bits < 32 && !is_compare((enum ir_op)i->op) && !r->fits)
        s = mask(w, s, bits);
    return s;
}

/* ---- floats ---- */

static const char *floating(struct wgsl *w, const struct ir_inst *i)
{
    ir_type t = is_compare((enum ir_op)i->op) ? i->args[0]->type : i->type;
    const struct row *r = &rows[i->op];
    struct operands o;
    enum ir_kind kind = ir_kind(t);
    if (kind == IR_F64) {
        if (!r->f64)
            return NULL;
        operands(w, i, &o, r->f64);
        return fill(w, r->f64, &o);
    }
    if (!r->f32)
        return NULL;
    if (i->flags & IR_ROUND_MASK && ir_op_info[i->op].flags & IR_ROUNDS) {
        if (kind != IR_F32)
            return NULL;
        operands(w, i, &o, r->f64); /* f64, and f32 of that: in one direction twice is once */
        for (uint32_t k = 0; k < i->nargs; k++)
            o.u[k] = TEXT(w, "%s(bitcast<u32>(%s))", wgsl_helper(w, "f64_from_f32"), o.u[k]);
        return TEXT(w, "%s(%s, %s)", wgsl_helper(w, "f64_to_f32"), fill(w, r->f64, &o), o.rounding);
    }
    if (kind == IR_F32) {
        operands(w, i, &o, r->f32);
        return fill(w, r->f32, &o);
    }
    const char *bits = i->op == IR_OP_fneg        ? "$a ^ 0x8000u"
                       : i->op == IR_OP_fabs      ? "$a & 0x7fffu"
                       : i->op == IR_OP_fcopysign ? "($a & 0x7fffu) | ($b & 0x8000u)"
                                                  : NULL;
    if (bits) {
        operands(w, i, &o, bits);
        return fill(w, bits, &o);
    }
    const char *from = kind == IR_F16 ? "f16_to_f32" : "bf16_to_f32";
    const char *to = kind == IR_F16 ? "f32_to_f16" : "f32_to_bf16";
    operands(w, i, &o, r->f32);
    for (uint32_t k = 0; k < i->nargs; k++)
        o.u[k] = TEXT(w, "%s(%s)", wgsl_helper(w, from), o.u[k]);
    const char *s = fill(w, r->f32, &o);
    return is_compare((enum ir_op)i->op) ? s : TEXT(w, "%s(%s)", wgsl_helper(w, to), s);
}

/* ---- conversions ---- */

enum { TO_ODD = 4 }; /* of helpers that round, beyond IR_ROUND_MASK */

static const char *widen(struct wgsl *w, const struct ir_inst *i, bool sign)
{
    const unsigned to = ir_bits(i->type);
    const char *word = widened_word(w, i, sign);
    bool low = i->type == IR_I64 && w->low[i->results[0].id];
    if (to == 64 && low)
        return word;
    if (to == 64)
        return sign ? TEXT(w, "%s(%s)", wgsl_helper(w, "i64_sext"), word)
                    : TEXT(w, "vec2<u32>(%s, 0u)", word);
    return sign && to < 32 ? mask(w, word, to) : word;
}

static const char *narrow(struct wgsl *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[0];
    unsigned to = ir_bits(i->type);
    const char *s = v->type == IR_I64 ? wgsl_low(w, v) : wgsl_value(w, v);
    if (to == 1)
        return TEXT(w, "(%s & 1u) != 0u", s);
    return to < 32 ? mask(w, s, to) : s;
}

/* Every float as f32 or f64, every integer as u32 or i64, then one conversion between those. */
static const char *as_f32(struct wgsl *w, const struct ir_value *v)
{
    const char *s = wgsl_value(w, v);
    switch (ir_kind(v->type)) {
    case IR_F16: return TEXT(w, "%s(%s)", wgsl_helper(w, "f16_to_f32"), s);
    case IR_BF16: return TEXT(w, "%s(%s)", wgsl_helper(w, "bf16_to_f32"), s);
    default: return s;
    }
}

static const char *to_small(struct wgsl *w, enum ir_kind to, const char *s, unsigned mode)
{
    const char *name = to == IR_F16 ? mode ? "f32_to_f16_directed" : "f32_to_f16"
                       : mode       ? "f32_to_bf16_directed"
                                    : "f32_to_bf16";
    name = wgsl_helper(w, name);
    return mode ? TEXT(w, "%s(%s, %uu)", name, s, mode) : TEXT(w, "%s(%s)", name, s);
}

static const char *convert_float(struct wgsl *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[0];
    enum ir_kind to = ir_kind(i->type), from = ir_kind(v->type);
    unsigned mode = i->flags & IR_ROUND_MASK;
    if (to == IR_F64)
        return from == IR_F64
                   ? wgsl_value(w, v)
                   : TEXT(w, "%s(bitcast<u32>(%s))", wgsl_helper(w, "f64_from_f32"), as_f32(w, v));
    if (from == IR_F64 && to == IR_F32)
        return TEXT(w, "%s(%s, %uu)", wgsl_helper(w, "f64_to_f32"), wgsl_value(w, v), mode);
    if (from == IR_F64) /* once more to nearest would be one too many: to odd first */
        return to_small(w, to,
                        TEXT(w, "%s(%s, %uu)", wgsl_helper(w, "f64_to_f32"), wgsl_value(w, v),
                             mode ? mode : TO_ODD),
                        mode);
    return to == IR_F32 ? as_f32(w, v) : to_small(w, to, as_f32(w, v), mode);
}

static const char *float_to_integer(struct wgsl *w, const struct ir_inst *i, bool sign)
{
    static const char *const round[] = {"round", "trunc", "ceil", "floor"};
    unsigned bits = ir_bits(i->type), mode = i->flags & IR_ROUND_MASK;
    const struct ir_value *v = i->args[0];
    if (ir_kind(v->type) == IR_F64 || bits == 64) {
        const char *f =
            ir_kind(v->type) == IR_F64
                ? wgsl_value(w, v)
                : TEXT(w, "%s(bitcast<u32>(%s))", wgsl_helper(w, "f64_from_f32"), as_f32(w, v));
        const char *s = TEXT(w, "%s(%s, %uu, %uu)",
                             wgsl_helper(w, sign ? "f64_to_i64" : "f64_to_u64"), f, mode, bits);
        if (bits == 64)
            return w->low[i->results[0].id] ? TEXT(w, "%s.x", s) : s;
        return bits < 32 ? mask(w, TEXT(w, "%s.x", s), bits) : TEXT(w, "%s.x", s);
    }
    const char *f = as_f32(w, v);
    if (mode != IR_RZ)
        f = TEXT(w, "%s(%s)", round[mode], f);
    if (bits == 1)
        return NULL;
    const char *s =
        TEXT(w, "%s(%s, %uu)", wgsl_helper(w, sign ? "f32_to_i32" : "f32_to_u32"), f, bits);
    return bits < 32 && sign ? mask(w, s, bits) : s;
}

static const char *integer_to_float(struct wgsl *w, const struct ir_inst *i, bool sign)
{
    const struct ir_value *v = i->args[0];
    unsigned bits = ir_bits(v->type), mode = i->flags & IR_ROUND_MASK;
    enum ir_kind to = ir_kind(i->type);
    const char *s = wgsl_value(w, v);
    if (bits == 1)
        s = TEXT(w, sign ? "select(0u, 0xffffffffu, %s)" : "select(0u, 1u, %s)", s);
    else if (bits < 32 && sign)
        s = TEXT(w, "u32(extractBits(i32(%s), 0u, %uu))", s, bits);
    if (bits < 64 && to == IR_F32 && (mode == 0 || bits <= 16))
        return TEXT(w, sign ? "f32(i32(%s))" : "f32(%s)", s);
    const char *pair = bits == 64 ? s
                       : sign     ? TEXT(w, "%s(%s)", wgsl_helper(w, "i64_sext"), s)
                                  : TEXT(w, "vec2<u32>(%s, 0u)", s);
    if (to == IR_F64)
        return TEXT(w, "%s(%s, %uu)", wgsl_helper(w, sign ? "f64_from_i64" : "f64_from_u64"), pair,
                    mode);
    /* f64 to odd, then f32 (to odd for the 16-bit ones) */
    const char *wide = TEXT(w, "%s(%s, %uu)",
                            wgsl_helper(w, sign ? "f64_from_i64" : "f64_from_u64"), pair, TO_ODD);
    s = TEXT(w, "%s(%s, %uu)", wgsl_helper(w, "f64_to_f32"), wide,
             mode || to == IR_F32 ? mode : TO_ODD);
    return to == IR_F32 ? s : to_small(w, to, s, mode);
}

static const char *same_bits(struct wgsl *w, const struct ir_inst *i)
{
    const char *s = wgsl_value(w, i->args[0]);
    bool from = i->args[0]->type == IR_F32, to = i->type == IR_F32;
    if (from == to)
        return s;
    /* a constant with the bits of no number must not be folded by the shader compiler */
    if (to && ir_is_const(i->args[0]))
        return f32_constant(w, (uint32_t)i->args[0]->u.bits);
    return TEXT(w, to ? "bitcast<f32>(%s)" : "bitcast<u32>(%s)", s);
}

/* ---- pointers ---- */

static const char *change_space(struct wgsl *w, const struct ir_inst *i)
{
    enum ir_space from = ir_space(i->args[0]->type), to = ir_space(i->type);
    const char *s = wgsl_value(w, i->args[0]);
    static const uint32_t tag[IR_SPACE_COUNT] = {
        [IR_SPACE_SHARED] = 1, [IR_SPACE_LOCAL] = 2, [IR_SPACE_PARAM] = 3};
    if (to == IR_SPACE_GENERIC && tag[from])
        return TEXT(w, "%s | 0x%xu", s, tag[from] << WGSL_TAG_SHIFT);
    if (from == IR_SPACE_GENERIC && tag[to])
        return TEXT(w, "%s & 0x3fffffffu", s);
    return s; /* the heap's tag is 0 */
}

static const char *in_space(struct wgsl *w, const struct ir_inst *i)
{
    static const uint32_t tag[IR_SPACE_COUNT] = {
        [IR_SPACE_SHARED] = 1, [IR_SPACE_LOCAL] = 2, [IR_SPACE_PARAM] = 3};
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    if (m != MEM_GENERIC)
        return tag[i->imm] == (uint32_t)m ? "true" : "false";
    return TEXT(w, "(%s >> %uu) == %uu", wgsl_value(w, i->args[0]), WGSL_TAG_SHIFT, tag[i->imm]);
}

const char *wgsl_expression(struct wgsl *w, const struct ir_inst *i)
{
    const struct ir_value *result = i->nresults ? &i->results[0] : NULL;
    const struct ir_value *a = i->nargs ? i->args[0] : NULL;
    switch (i->op) {
    case IR_OP_trunc: return narrow(w, i);
    case IR_OP_zext: return widen(w, i, false);
    case IR_OP_sext: return widen(w, i, true);
    case IR_OP_fcvt: return convert_float(w, i);
    case IR_OP_ftosi: return float_to_integer(w, i, true);
    case IR_OP_ftoui: return float_to_integer(w, i, false);
    case IR_OP_sitof: return integer_to_float(w, i, true);
    case IR_OP_uitof: return integer_to_float(w, i, false);
    case IR_OP_bitcast: return same_bits(w, i);
    case IR_OP_ptrtoint:
        return w->low[result->id] ? wgsl_value(w, a)
                                  : TEXT(w, "vec2<u32>(%s, 0u)", wgsl_value(w, a));
    case IR_OP_inttoptr: return wgsl_low(w, a);
    case IR_OP_cvta: return change_space(w, i);
    case IR_OP_isspace: return in_space(w, i);
    case IR_OP_select: {
        bool low = result->type == IR_I64 && w->low[result->id];
        const char *yes = low ? wgsl_low(w, i->args[1]) : wgsl_value(w, i->args[1]);
        const char *no = low ? wgsl_low(w, i->args[2]) : wgsl_value(w, i->args[2]);
        return TEXT(w, "select(%s, %s, %s)", no, yes, wgsl_value(w, a));
    }
    case IR_OP_ptradd: {
        const char *base = wgsl_value(w, a);
        if (ir_is_const(i->args[1])) {
            int32_t off = (int32_t)(uint32_t)i->args[1]->u.bits;
            return off < 0 ? TEXT(w, "%s - %uu", base, 0u - (uint32_t)off)
                           : TEXT(w, "%s + %uu", base, (uint32_t)off);
        }
        if (!strcmp(base, "0u"))
            return wgsl_low(w, i->args[1]);
        return TEXT(w, "%s + %s", base, wgsl_low(w, i->args[1]));
    }
    case IR_OP_sreg: return wgsl_sreg(w, (enum ir_sreg)i->imm);
    case IR_OP_alloca: return TEXT(w, "%uu", (uint32_t)(uintptr_t)i->data);
    case IR_OP_load: return wgsl_load(w, i);
    default: break;
    }
    return ir_op_info[i->op].shape >= IR_SHAPE_F1 && ir_op_info[i->op].shape <= IR_SHAPE_FC
               ? floating(w, i)
               : integer(w, i);
}

const char *wgsl_sreg(struct wgsl *w, enum ir_sreg r)
{
    static const char axis[] = "xyz";
    const char *mine = w->kernel ? "" : "my_";
    if (!w->kernel)
        w->private = true;
    const char *index = w->kernel ? "index" : "my_index";
    const char *launch = w->kernel ? w->kernel->launch : NULL;
    switch (r) {
    case IR_SREG_TID_X:
    case IR_SREG_TID_Y:
    case IR_SREG_TID_Z: return TEXT(w, "%sthread.%c", mine, axis[r - IR_SREG_TID_X]);
    case IR_SREG_NTID_X:
    case IR_SREG_NTID_Y:
    case IR_SREG_NTID_Z: return TEXT(w, "threads_%c", axis[r - IR_SREG_NTID_X]);
    case IR_SREG_CTAID_X:
    case IR_SREG_CTAID_Y:
    case IR_SREG_CTAID_Z: return TEXT(w, "%sblock.%c", mine, axis[r - IR_SREG_CTAID_X]);
    case IR_SREG_NCTAID_X:
    case IR_SREG_NCTAID_Y:
    case IR_SREG_NCTAID_Z:
        return launch ? TEXT(w, "%s.grid.%c", launch, axis[r - IR_SREG_NCTAID_X])
                      : TEXT(w, "my_grid.%c", axis[r - IR_SREG_NCTAID_X]);
    case IR_SREG_LANEID: return TEXT(w, "%s & 31u", index);
    case IR_SREG_WARPID: return TEXT(w, "%s >> 5u", index);
    case IR_SREG_NWARPID: return "(threads_x * threads_y * threads_z + 31u) >> 5u";
    case IR_SREG_COOPERATIVE:
    case IR_SREG_SMID: return "0u";
    case IR_SREG_NSMID: return "1u";
    case IR_SREG_GRIDID: return "vec2<u32>(1u, 0u)";
    case IR_SREG_LANEMASK_EQ: return TEXT(w, "1u << (%s & 31u)", index);
    case IR_SREG_LANEMASK_LT: return TEXT(w, "(1u << (%s & 31u)) - 1u", index);
    case IR_SREG_LANEMASK_LE: return TEXT(w, "(2u << (%s & 31u)) - 1u", index);
    case IR_SREG_LANEMASK_GT: return TEXT(w, "~((2u << (%s & 31u)) - 1u)", index);
    case IR_SREG_LANEMASK_GE: return TEXT(w, "~((1u << (%s & 31u)) - 1u)", index);
    case IR_SREG_DYN_SHARED: return "dynamic_shared";
    default: return TEXT(w, "(dynamic_shared + %uu)", w->shared_bytes);
    }
}
