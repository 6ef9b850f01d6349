/* PTX text to tokens. A word keeps the dots inside it: `ld.global.u32`, `%tid.x`, `.reg` and
 * `$L__BB0_2` are one token each; `.reg.u32` is two. */
#include <stdlib.h>
#include <string.h>
#include "front/ptxops/ptxops.h"

static bool starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool goes_on(const char *s)
{
    return (starts_word(*s) && *s != '%') || digit(*s);
}

static int hex(char c)
{
    return digit(c)               ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A number at s; its length. 0f and 0d start the bits of a float in hex. */
static size_t number(const char *s, struct px_token *t)
{
    size_t n = 0;
    uint64_t v = 0;
    t->kind = PT_INT;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        for (n = 2; hex(s[n]) >= 0; n++)
            v = v << 4 | (uint64_t)hex(s[n]);
    } else if (s[0] == '0' && strchr("fFdD", s[1]) && s[1]) {
        t->kind = s[1] == 'f' || s[1] == 'F' ? PT_F32 : PT_FLOAT;
        for (n = 2; hex(s[n]) >= 0; n++)
            v = v << 4 | (uint64_t)hex(s[n]);
    } else if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B')) {
        for (n = 2; s[n] == '0' || s[n] == '1'; n++)
            v = v << 1 | (uint64_t)(s[n] - '0');
    } else {
        size_t digits = 0;
        while (digit(s[digits]))
            digits++;
        if ((s[digits] == '.' && digit(s[digits + 1])) ||
            ((s[digits] == 'e' || s[digits] == 'E') &&
             (digit(s[digits + 1]) || s[digits + 1] == '-'))) {
            char *end;
            double d = strtod(s, &end);
            t->kind = PT_FLOAT;
            memcpy(&v, &d, sizeof v);
            n = (size_t)(end - s);
        } else {
            for (; n < digits; n++)
                v = v * (s[0] == '0' ? 8 : 10) + (uint64_t)(s[n] - '0');
        }
    }
    if (s[n] == 'U' || s[n] == 'u') {
        t->punct = 'U';
        n++;
    }
    t->bits = v;
    return n;
}

/* %[name], an operand of an asm statement; its length, or 0. */
static size_t named_operand(const char *s)
{
    size_t n = 2;
    if (s[0] != '%' || s[1] != '[')
        return 0;
    while (goes_on(s + n) && s[n] != '.')
        n++;
    return s[n] == ']' ? n + 1 : 0;
}

/* %=, which is another number in each asm statement. Names of each are its own here as it is. */
static bool is_own_number(const struct px *p, const char *s)
{
    return p->in_asm && s[0] == '%' && s[1] == '=';
}

bool px_lex(struct px *p, const char *text, size_t len, source_loc base)
{
    VEC(struct px_token) out = {0};
    const char *s = text, *end = s + len;
    for (;;) {
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r'))
            s++;
        struct px_token t = {.span = span_at(base + (source_loc)(s - text), 1)};
        size_t n = 1;
        if (s >= end) {
            vec_push(p->a, &out, t);
            break;
        }
        if (s[0] == '/' && s[1] == '/') {
            while (s < end && *s != '\n')
                s++;
            continue;
        }
        if (s[0] == '/' && s[1] == '*') {
            const char *close = strstr(s + 2, "*/");
            if (!close) {
                px_error(p, t.span, "this comment does not end");
                return false;
            }
            s = close + 2;
            continue;
        }
        if (*s == '#') { /* line markers */
            while (s < end && *s != '\n')
                s++;
            continue;
        }
        if (p->in_asm && s[0] == '%' && s[1] == '%' && goes_on(s + 2)) {
            s++; /* how asm statements write a % */
            t.span.loc++;
        }
        const size_t named = p->in_asm ? named_operand(s) : 0;
        if (digit(*s)) {
            n = number(s, &t);
        } else if (named || (starts_word(*s) && (*s != '%' || goes_on(s + 1)))) {
            t.kind = PT_WORD;
            n = named ? named : 1;
            while ((goes_on(s + n) && (s[0] != '.' || s[n] != '.')) ||
                   (s[n] == ':' && s[n + 1] == ':') || is_own_number(p, s + n))
                n += s[n] == ':' || s[n] == '%' ? 2 : 1;
            t.text = intern(p->names, s, n);
        } else if (*s == '"') {
            while (s + n < end && s[n] != '"')
                n += s[n] == '\\' && s + n + 1 < end ? 2 : 1;
            if (s + n >= end) {
                px_error(p, t.span, "this string does not end");
                return false;
            }
            t.kind = PT_STRING;
            t.text = intern(p->names, s + 1, n - 1);
            n++;
        } else if (strchr("{}()[]<>,;:|!@+-=*&~^/%?", *s) && *s) {
            t.kind = PT_PUNCT;
            t.punct = *s;
        } else {
            px_error(p, t.span, "this character has no meaning in PTX");
            return false;
        }
        t.span.len = (uint32_t)n;
        s += n;
        vec_push(p->a, &out, t);
    }
    p->tokens = out.data;
    p->ntokens = out.len;
    p->at = 0;
    return true;
}
