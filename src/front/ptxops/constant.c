/* Constant expressions, as operands, offsets and initialisers: 64-bit integers, signed unless said,
 * with C's operators and their precedence. */
#include <string.h>
#include "front/ptxops/px_int.h"

#define MAX_DEPTH 32

struct number {
    uint64_t bits;
    bool no_sign;
};

enum binary {
    OP_OR_ELSE,
    OP_AND_ALSO,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_LT,
    OP_GT,
    OP_SHL,
    OP_SHR,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_REM,
    OP_COUNT
};

/* Longer ones first; the higher level binds tighter. */
static const struct {
    char text[3];
    uint8_t level;
    enum binary op;
} operators[] = {
    {"||", 1, OP_OR_ELSE}, {"&&", 2, OP_AND_ALSO}, {"==", 6, OP_EQ},  {"!=", 6, OP_NE},
    {"<=", 7, OP_LE},      {">=", 7, OP_GE},       {"<<", 8, OP_SHL}, {">>", 8, OP_SHR},
    {"|", 3, OP_OR},       {"^", 4, OP_XOR},       {"&", 5, OP_AND},  {"<", 7, OP_LT},
    {">", 7, OP_GT},       {"+", 9, OP_ADD},       {"-", 9, OP_SUB},  {"*", 10, OP_MUL},
    {"/", 10, OP_DIV},     {"%", 10, OP_REM},
};
enum { LEVEL_ADD = 9 };

/* The operator that stands here; OP_COUNT: none. */
static enum binary next_operator(const struct px *p, unsigned *level, unsigned *length)
{
    const struct px_token *t = px_peek(p);
    for (size_t i = 0; i < sizeof operators / sizeof *operators && t->kind == PT_PUNCT; i++) {
        const char *text = operators[i].text;
        if (t->punct != text[0] || (text[1] && (t[1].kind != PT_PUNCT || t[1].punct != text[1] ||
                                                t[1].span.loc != t->span.loc + 1)))
            continue;
        *level = operators[i].level;
        *length = text[1] ? 2 : 1;
        return operators[i].op;
    }
    return OP_COUNT;
}

static bool apply(struct px *p, enum binary op, struct number *x, struct number y)
{
    const bool no_sign = x->no_sign || y.no_sign;
    const uint64_t a = x->bits, b = y.bits;
    const bool less = no_sign ? a < b : (int64_t)a < (int64_t)b;
    const uint64_t flip = UINT64_C(1) << 63;
    switch (op) {
    case OP_OR_ELSE: *x = (struct number){a || b, false}; return true;
    case OP_AND_ALSO: *x = (struct number){a && b, false}; return true;
    case OP_EQ: *x = (struct number){a == b, false}; return true;
    case OP_NE: *x = (struct number){a != b, false}; return true;
    case OP_LT: *x = (struct number){less, false}; return true;
    case OP_GE: *x = (struct number){!less, false}; return true;
    case OP_LE: *x = (struct number){less || a == b, false}; return true;
    case OP_GT: *x = (struct number){!less && a != b, false}; return true;
    case OP_SHL: x->bits = b < 64 ? a << b : 0; return true;
    case OP_SHR: {
        const uint64_t sign = !x->no_sign && a & flip ? UINT64_MAX : 0;
        x->bits = b >= 64 ? sign : b ? a >> b | sign << (64 - b) : a;
        return true;
    }
    case OP_DIV:
    case OP_REM: {
        if (!b) {
            px_error(p, px_peek(p)->span, "a constant is divided by zero");
            return false;
        }
        const bool minus_a = !no_sign && a & flip, minus_b = !no_sign && b & flip;
        const uint64_t m = minus_a ? 0 - a : a, n = minus_b ? 0 - b : b;
        const uint64_t r = op == OP_DIV ? m / n : m % n;
        x->bits = (op == OP_DIV ? minus_a != minus_b : minus_a) ? 0 - r : r;
        break;
    }
    case OP_OR: x->bits = a | b; break;
    case OP_XOR: x->bits = a ^ b; break;
    case OP_AND: x->bits = a & b; break;
    case OP_ADD: x->bits = a + b; break;
    case OP_SUB: x->bits = a - b; break;
    case OP_MUL: x->bits = a * b; break;
    case OP_COUNT: return false;
    }
    x->no_sign = no_sign;
    return true;
}

static bool expression(struct px *p, struct number *x, unsigned depth);

static bool primary(struct px *p, struct number *x, unsigned depth)
{
    const struct px_token *t = px_next(p);
    if (depth > MAX_DEPTH) {
        px_error(p, t->span, "operands nest too deeply");
        return false;
    }
    if (t->kind == PT_INT) {
        *x = (struct number){t->bits, t->punct == 'U' || t->bits >> 63};
        return true;
    }
    if (t->kind == PT_WORD && !strcmp(t->text, "WARP_SZ")) {
        *x = (struct number){32, false};
        return true;
    }
    if (t->kind == PT_PUNCT && t->punct == '(') {
        const struct px_token *type = px_peek(p);
        if (type->kind == PT_WORD && (!strcmp(type->text, ".s64") || !strcmp(type->text, ".u64"))) {
            px_next(p);
            if (!px_expect(p, ')') || !primary(p, x, depth + 1))
                return false;
            x->no_sign = type->text[1] == 'u';
            return true;
        }
        return expression(p, x, depth + 1) && px_expect(p, ')');
    }
    if (t->kind == PT_PUNCT && strchr("+-~!", t->punct)) {
        if (!primary(p, x, depth + 1))
            return false;
        if (t->punct == '-')
            x->bits = 0 - x->bits;
        else if (t->punct == '~')
            x->bits = ~x->bits;
        else if (t->punct == '!')
            *x = (struct number){!x->bits, false};
        return true;
    }
    px_error(p, t->span, "expected an integer");
    return false;
}

/* What follows x, as long as it binds at least as tightly as `level`. */
static bool rest(struct px *p, struct number *x, unsigned level, unsigned depth)
{
    unsigned next, length;
    enum binary op;
    while ((op = next_operator(p, &next, &length)) != OP_COUNT && next >= level) {
        struct number y;
        p->at += length;
        if (!primary(p, &y, depth + 1) || !rest(p, &y, next + 1, depth + 1) || !apply(p, op, x, y))
            return false;
    }
    return true;
}

static bool expression(struct px *p, struct number *x, unsigned depth)
{
    if (!primary(p, x, depth) || !rest(p, x, 1, depth))
        return false;
    if (!px_take(p, '?'))
        return true;
    struct number yes, no;
    if (!expression(p, &yes, depth + 1) || !px_expect(p, ':') || !expression(p, &no, depth + 1))
        return false;
    *x = (struct number){x->bits ? yes.bits : no.bits, yes.no_sign || no.no_sign};
    return true;
}

/* An integer stands here, behind signs and parentheses. */
bool px_starts_constant(const struct px *p)
{
    const struct px_token *t = px_peek(p);
    while (t->kind == PT_PUNCT && strchr("+-~!(", t->punct))
        t++;
    return t->kind == PT_INT ||
           (t->kind == PT_WORD &&
            (!strcmp(t->text, "WARP_SZ") || !strcmp(t->text, ".s64") || !strcmp(t->text, ".u64")));
}

bool px_constant(struct px *p, uint64_t *bits)
{
    struct number x;
    if (!expression(p, &x, 0))
        return false;
    *bits = x.bits;
    return true;
}

bool px_constant_offset(struct px *p, int64_t *offset)
{
    struct number x = {0};
    if (!px_is(p, '+') && !px_is(p, '-'))
        return true;
    if (!rest(p, &x, LEVEL_ADD, 0))
        return false;
    *offset = (int64_t)x.bits;
    return true;
}
