/* #if: evaluates a line as 64-bit integers, signed or unsigned as C has it. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

struct value {
    uint64_t v;
    bool is_unsigned;
};

struct evaluator {
    struct pp *pp;
    const struct token *t;
    struct span at;
    unsigned depth;
    bool failed;
};

static void fail(struct evaluator *e, const char *message)
{
    struct span at = e->t->kind == TOKEN_EOF ? e->at : e->t->span;
    if (!e->failed)
        diag_error(e->pp->diag, at, "%s", message);
    e->failed = true;
}

static struct value conditional(struct evaluator *e, bool live);

static struct value number(struct evaluator *e)
{
    struct token_num n;
    struct value v = {0, false};
    if (!token_number(e->t->u.text, &n) || n.suffix.len)
        fail(e, "this is not a number");
    else if (n.is_float)
        fail(e, "#if takes integers only, not floating-point numbers");
    else if (n.overflow)
        fail(e, "this integer does not fit in 64 bits");
    else
        v = (struct value){n.integer, n.is_unsigned || n.integer >> 63};
    e->t++;
    return v;
}

static struct value primary(struct evaluator *e, bool live)
{
    struct value v = {0, false};
    if (++e->depth > PP_MAX_EXPRESSION_DEPTH) {
        fail(e, "this expression is nested too deeply");
        return v;
    }
    switch (e->t->kind) {
    case TOKEN_NUMBER: v = number(e); break;
    case TOKEN_CHAR: {
        struct token c = *e->t++;
        literal_char(e->pp->diag, &c);
        v.v = c.prefix || c.punct != 1 ? c.u.value : (uint64_t)(int8_t)c.u.value;
        break;
    }
    case TOKEN_IDENT: /* true, or a name that is not a macro: 0 */
        v.v = !strcmp(e->t->u.name, "true");
        e->t++;
        break;
    case TOKEN_PUNCT: {
        uint8_t p = e->t->punct;
        if (p == PUNCT_LPAREN) {
            e->t++;
            v = conditional(e, live);
            if (token_is(e->t, PUNCT_RPAREN))
                e->t++;
            else
                fail(e, "expected ) in #if");
            break;
        }
        if (p == PUNCT_NOT || p == PUNCT_SUB || p == PUNCT_ADD || p == PUNCT_TILDE) {
            e->t++;
            v = primary(e, live);
            if (p == PUNCT_NOT)
                v = (struct value){!v.v, false};
            else if (p != PUNCT_ADD)
                v.v = p == PUNCT_SUB ? 0 - v.v : ~v.v;
            break;
        }
    } /* fall through */
    default: fail(e, "expected a value in #if"); break;
    }
    e->depth--;
    return v;
}

static const uint8_t binary_precedence[PUNCT_COUNT] = {
    [PUNCT_MUL] = 10, [PUNCT_DIV] = 10,   [PUNCT_MOD] = 10, [PUNCT_ADD] = 9, [PUNCT_SUB] = 9,
    [PUNCT_SHL] = 8,  [PUNCT_SHR] = 8,    [PUNCT_LT] = 7,   [PUNCT_GT] = 7,  [PUNCT_LE] = 7,
    [PUNCT_GE] = 7,   [PUNCT_EQ] = 6,     [PUNCT_NE] = 6,   [PUNCT_AND] = 5, [PUNCT_XOR] = 4,
    [PUNCT_OR] = 3,   [PUNCT_ANDAND] = 2, [PUNCT_OROR] = 1,
};

static uint64_t shift(uint64_t a, uint64_t b, bool is_unsigned, bool left)
{
    if (!is_unsigned && (int64_t)b < 0) { /* a negative count shifts the other way */
        b = 0 - b;
        left = !left;
    }
    if (left)
        return b > 63 ? 0 : a << b;
    if (b > 63)
        return !is_unsigned && (int64_t)a < 0 ? UINT64_MAX : 0;
    if (is_unsigned || (int64_t)a >= 0)
        return a >> b;
    return ~(~a >> b);
}

static struct value apply(struct evaluator *e, uint8_t op, struct value a, struct value b,
                          bool live)
{
    bool u = a.is_unsigned || b.is_unsigned;
    bool less = u ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
    bool greater = u ? a.v > b.v : (int64_t)a.v > (int64_t)b.v;
    switch (op) {
    case PUNCT_MUL: return (struct value){a.v * b.v, u};
    case PUNCT_DIV:
    case PUNCT_MOD:
        if (!b.v) {
            if (live)
                fail(e, "division by zero in #if");
            return (struct value){0, u};
        }
        if (u)
            return (struct value){op == PUNCT_DIV ? a.v / b.v : a.v % b.v, true};
        if ((int64_t)b.v == -1)
            return (struct value){op == PUNCT_DIV ? 0 - a.v : 0, false};
        return (struct value){
            (uint64_t)(op == PUNCT_DIV ? (int64_t)a.v / (int64_t)b.v : (int64_t)a.v % (int64_t)b.v),
            false};
    case PUNCT_ADD: return (struct value){a.v + b.v, u};
    case PUNCT_SUB: return (struct value){a.v - b.v, u};
    case PUNCT_SHL:
    case PUNCT_SHR:
        return (struct value){shift(a.v, b.v, a.is_unsigned, op == PUNCT_SHL), a.is_unsigned};
    case PUNCT_LT: return (struct value){less, false};
    case PUNCT_GT: return (struct value){greater, false};
    case PUNCT_LE: return (struct value){!greater, false};
    case PUNCT_GE: return (struct value){!less, false};
    case PUNCT_EQ: return (struct value){a.v == b.v, false};
    case PUNCT_NE: return (struct value){a.v != b.v, false};
    case PUNCT_AND: return (struct value){a.v & b.v, u};
    case PUNCT_XOR: return (struct value){a.v ^ b.v, u};
    case PUNCT_OR: return (struct value){a.v | b.v, u};
    case PUNCT_ANDAND: return (struct value){a.v && b.v, false};
    default: return (struct value){a.v || b.v, false};
    }
}

static struct value binary(struct evaluator *e, uint8_t lowest, bool live)
{
    struct value a = primary(e, live);
    while (!e->failed && e->t->kind == TOKEN_PUNCT) {
        uint8_t op = e->t->punct, precedence = binary_precedence[op];
        if (!precedence || precedence < lowest)
            break;
        e->t++;
        bool needed = op == PUNCT_ANDAND ? a.v != 0 : op == PUNCT_OROR ? a.v == 0 : true;
        struct value b = binary(e, (uint8_t)(precedence + 1), live && needed);
        a = apply(e, op, a, b, live);
    }
    return a;
}

static struct value conditional(struct evaluator *e, bool live)
{
    struct value c = binary(e, 1, live);
    if (e->failed || !token_is(e->t, PUNCT_QUESTION))
        return c;
    e->t++;
    if (++e->depth > PP_MAX_EXPRESSION_DEPTH) {
        fail(e, "this expression is nested too deeply");
        return c;
    }
    struct value a = conditional(e, live && c.v);
    if (!token_is(e->t, PUNCT_COLON)) {
        fail(e, "expected : in #if");
        return c;
    }
    e->t++;
    struct value b = conditional(e, live && !c.v);
    e->depth--;
    return (struct value){c.v ? a.v : b.v, a.is_unsigned || b.is_unsigned};
}

bool pp_condition(struct pp *pp, struct tokbuf *line, struct span at)
{
    struct tokbuf *expanded;
    struct token eof = {.kind = TOKEN_EOF, .span = at};
    unsigned errors = pp->diag->errors;
    pp->in_if = true;
    pp_expand_line(pp, line, &expanded);
    pp->in_if = false;
    pp_buf_push(pp, &expanded, &eof);
    struct evaluator e = {.pp = pp, .t = expanded->data, .at = at};
    e.failed = pp->diag->errors != errors;
    if (e.t->kind == TOKEN_EOF)
        fail(&e, "#if with no expression");
    struct value v = {0, false};
    if (!e.failed)
        v = conditional(&e, true);
    if (token_is(e.t, PUNCT_COMMA))
        fail(&e, "a comma cannot stand in #if");
    if (!e.failed && e.t->kind != TOKEN_EOF)
        fail(&e, "expected an operator in #if");
    pp_buf_put(pp, expanded);
    return !e.failed && v.v;
}
