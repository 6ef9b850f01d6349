/* Literals: what strings, characters and numbers stand for. Spelling in, values out. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "front/cuda/pp/pp_int.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void put_utf8(struct sbuf *out, uint32_t c)
{
    if (c < 0x80) {
        sbuf_putc(out, (char)c);
    } else if (c < 0x800) {
        sbuf_putc(out, (char)(0xc0 | c >> 6));
        sbuf_putc(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        sbuf_putc(out, (char)(0xe0 | c >> 12));
        sbuf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        sbuf_putc(out, (char)(0x80 | (c & 0x3f)));
    } else {
        sbuf_putc(out, (char)(0xf0 | c >> 18));
        sbuf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
        sbuf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        sbuf_putc(out, (char)(0x80 | (c & 0x3f)));
    }
}

static uint32_t unit_size(uint8_t prefix)
{
    return prefix == 'u' ? 2 : prefix == 'U' || prefix == 'L' ? 4 : 1;
}

static void put_unit(struct sbuf *out, uint32_t size, uint32_t v)
{
    for (uint32_t i = 0; i < size; i++)
        sbuf_putc(out, (char)(v >> (8 * i)));
}

static void put_character(struct sbuf *out, uint8_t prefix, uint32_t c)
{
    uint32_t size = unit_size(prefix);
    if (size == 1) {
        put_utf8(out, c);
    } else if (size == 2 && c >= 0x10000) {
        put_unit(out, 2, 0xd800 + ((c - 0x10000) >> 10));
        put_unit(out, 2, 0xdc00 + ((c - 0x10000) & 0x3ff));
    } else {
        put_unit(out, size, c);
    }
}

/* One code point of UTF-8 at *p; a byte that is not UTF-8 stands for itself. */
static uint32_t get_utf8(const char **p, const char *end)
{
    const uint8_t *s = (const uint8_t *)*p;
    size_t n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc0 ? 2 : 1;
    uint32_t c = n == 1 ? *s : *s & (0x7fu >> n);
    bool good = n == 1 || (size_t)(end - *p) >= n;
    for (size_t i = 1; good && i < n; i++) {
        good = (s[i] & 0xc0) == 0x80;
        c = c << 6 | (s[i] & 0x3f);
    }
    *p += good ? n : 1;
    return good ? c : *s;
}

/* An escape sequence with *p behind the backslash. Its value is one code unit, or, for \u and \U
 * (*is_character), a character. */
static uint32_t escape(const char **p, const char *end, bool *is_character, const char **error)
{
    static const char simple[][2] = {{'n', '\n'},  {'t', '\t'},  {'r', '\r'}, {'a', '\a'},
                                     {'b', '\b'},  {'f', '\f'},  {'v', '\v'}, {'e', 27},
                                     {'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'?', '?'}};
    *is_character = false;
    char c = *(*p)++;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (c == simple[i][0])
            return (uint32_t)simple[i][1];
    uint32_t v = 0;
    if (c >= '0' && c <= '7') {
        v = (uint32_t)(c - '0');
        for (int i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++)
            v = v * 8 + (uint32_t)(*(*p)++ - '0');
    } else if (c == 'x') {
        if (*p >= end || hex_digit(**p) < 0)
            *error = "\\x needs hexadecimal digits";
        while (*p < end && hex_digit(**p) >= 0)
            v = v << 4 | (uint32_t)hex_digit(*(*p)++);
    } else if (c == 'u' || c == 'U') {
        *is_character = true;
        for (int i = 0; i < (c == 'u' ? 4 : 8); i++) {
            if (*p >= end || hex_digit(**p) < 0) {
                *error = "this character name needs more hexadecimal digits";
                return v;
            }
            v = v << 4 | (uint32_t)hex_digit(*(*p)++);
        }
        if (v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
            *error = "there is no such character";
    } else { /* compilers warn, and take the character */
        if (c == 'N' && *p < end && **p == '{')
            *error = "characters by their names are not supported";
        v = (uint8_t)c;
    }
    return v;
}

/* Decodes what stands between the quotes; returns the number of characters. */
static uint32_t decode(const char *p, const char *end, uint8_t prefix, struct sbuf *out,
                       const char **error)
{
    uint32_t count = 0, size = unit_size(prefix);
    for (; p < end; count++) {
        if (*p == '\\' && p + 1 < end) {
            bool is_character;
            p++;
            uint32_t v = escape(&p, end, &is_character, error);
            if (is_character)
                put_character(out, prefix, v);
            else if (size < 4 && v >> (8 * size))
                *error = "this escape sequence is too large for its character type";
            else
                put_unit(out, size, v);
        } else if (size == 1) {
            sbuf_putc(out, *p++);
        } else {
            put_character(out, prefix, get_utf8(&p, end));
        }
    }
    return count;
}

/* Splits a spelled literal into prefix and what lies between its quotes. */
static uint8_t open_literal(struct str s, const char **begin, const char **end, bool *raw)
{
    const char *p = s.ptr;
    uint8_t prefix = 0;
    *raw = false;
    while (*p != '"' && *p != '\'') {
        if (*p == 'R')
            *raw = true;
        else
            prefix = (uint8_t)*p; /* the 8 of u8 comes last */
        p++;
    }
    *begin = p + 1;
    *end = s.ptr + s.len - 1;
    if (*raw) {
        while (*p != '(')
            p++;
        *end -= p - *begin + 1;
        *begin = p + 1;
    }
    return prefix;
}

void literal_string(struct arena *a, struct diag *d, struct sbuf *scratch,
                    const struct literal_piece *pieces, size_t n, struct token *t)
{
    const char *begin, *end;
    bool raw;
    uint8_t prefix = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t p = open_literal(pieces[i].text, &begin, &end, &raw);
        if (p && prefix && p != prefix && d)
            diag_error(
                d, pieces[i].span,
                "this string cannot be joined with the one before it: their prefixes differ");
        prefix = p ? p : prefix;
    }
    scratch->len = 0;
    for (size_t i = 0; i < n; i++) {
        const char *error = NULL;
        open_literal(pieces[i].text, &begin, &end, &raw);
        if (!raw)
            decode(begin, end, prefix, scratch, &error);
        else if (unit_size(prefix) == 1)
            sbuf_put(scratch, begin, (size_t)(end - begin));
        else
            while (begin < end)
                put_character(scratch, prefix, get_utf8(&begin, end));
        if (error && d)
            diag_error(d, pieces[i].span, "%s", error);
    }
    t->kind = TOKEN_STRING;
    t->prefix = prefix;
    t->u.text = (struct str){arena_strndup(a, scratch->data ? scratch->data : "", scratch->len),
                             scratch->len};
}

void literal_char(struct diag *d, struct token *t)
{
    const char *begin, *end, *error = NULL;
    bool raw, is_character;
    uint8_t prefix = open_literal(t->u.text, &begin, &end, &raw);
    uint32_t size = unit_size(prefix), count = 0;
    uint64_t value = 0;
    for (const char *p = begin; p < end; count++) {
        uint32_t v;
        bool narrow_utf8 = false;
        if (*p == '\\' && p + 1 < end) {
            p++;
            v = escape(&p, end, &is_character, &error);
            narrow_utf8 = is_character && v >= 0x80;
        } else if (size == 1) {
            v = (uint8_t)*p++; /* each byte of UTF-8 counts, as other compilers do it */
        } else {
            v = get_utf8(&p, end);
        }
        if (narrow_utf8 && size == 1)
            error = "this character does not fit in a char";
        else if (size < 4 && v >> (8 * size))
            error = "this character is too large for its type";
        value = size == 1 ? (value << 8 | (v & 0xff)) & 0xffffffff : v;
    }
    if (count == 0)
        error = "a character literal cannot be empty";
    else if (count > 1 && prefix)
        error = "only one character can stand here";
    else if (count > 4)
        error = "this character literal is too long";
    if (error && d)
        diag_error(d, t->span, "%s", error);
    t->prefix = prefix;
    t->punct = (uint8_t)(count > 255 ? 255 : count);
    t->u.value = value;
}

/* Reads digits of one base; returns what follows them. */
static const char *digits(const char *p, const char *end, unsigned base, struct token_num *out)
{
    for (; p < end; p++) {
        int v = hex_digit(*p);
        if (v < 0 || (unsigned)v >= base)
            break;
        if (out->integer > (UINT64_MAX - (unsigned)v) / base)
            out->overflow = true;
        out->integer = out->integer * base + (unsigned)v;
    }
    return p;
}

static bool integer_suffix(const char *p, const char *end, struct token_num *out)
{
    bool z = false;
    while (p < end) {
        char c = *p;
        if ((c == 'u' || c == 'U') && !out->is_unsigned) {
            out->is_unsigned = true;
            p++;
        } else if ((c == 'l' || c == 'L') && !out->longs && !z) {
            out->longs = p + 1 < end && p[1] == c ? 2 : 1;
            p += out->longs;
        } else if ((c == 'z' || c == 'Z') && !out->longs && !z) {
            z = true;
            p++;
        } else {
            return false;
        }
    }
    if (z)
        out->longs = 1;
    return true;
}

static void float_suffix(const char *p, size_t n, struct token_num *out)
{
    if (n == 0)
        return;
    if (n == 1 && (*p | 0x20) == 'f')
        out->is_float32 = true;
    else if (n == 1 && (*p | 0x20) == 'l')
        out->is_long_double = true;
    else if (n == 3 && (*p | 0x20) == 'f' && p[1] == '1' && p[2] == '6')
        out->is_half = true;
    else
        out->suffix.len = n;
}

bool token_number(struct str text, struct token_num *out)
{
    char buf[1100]; /* enough for every digit that can matter to a double */
    size_t n = 0;
    *out = (struct token_num){.suffix = {"", 0}};
    if (text.len >= sizeof buf)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\'')
            buf[n++] = text.ptr[i];
    buf[n] = 0;
    const char *end = buf + n, *p = buf;
    char second = n > 1 ? (char)(buf[1] | 0x20) : 0;
    bool hex = buf[0] == '0' && second == 'x';
    bool binary = buf[0] == '0' && second == 'b';

    /* The shape first: digits [. digits] [exponent]. */
    size_t mantissa = 0;
    bool dot = false, exponent = false;
    p += hex || binary ? 2 : 0;
    for (; p < end; p++) {
        if (hex ? hex_digit(*p) >= 0 : isdigit((unsigned char)*p))
            mantissa++;
        else if (*p == '.' && !dot)
            dot = true;
        else
            break;
    }
    if (!mantissa)
        return false;
    if (p < end && (*p | 0x20) == (hex ? 'p' : 'e') && !binary) {
        const char *q = p + 1;
        q += q < end && (*q == '+' || *q == '-');
        if (q < end && isdigit((unsigned char)*q)) {
            exponent = true;
            for (p = q; p < end && isdigit((unsigned char)*p); p++)
                ;
        } else {
            return false;
        }
    }
    size_t suffix = (size_t)(p - buf);
    out->suffix.ptr = text.ptr + text.len - (n - suffix);
    if (memchr(p, '.', (size_t)(end - p)) || memchr(p, '+', (size_t)(end - p)) ||
        memchr(p, '-', (size_t)(end - p)))
        return false;

    if (dot || exponent) {
        if (binary || (hex && !exponent))
            return false;
        out->is_float = true;
        float_suffix(p, (size_t)(end - p), out);
        buf[suffix] = 0;
        char *point = strchr(buf, '.'); /* the C library reads numbers in the locale's way */
        if (point)
            *point = *localeconv()->decimal_point;
        out->number = strtod(buf, NULL);
        out->number32 = strtof(buf, NULL);
        return true;
    }
    out->decimal = !hex && !binary && buf[0] != '0';
    unsigned base = hex ? 16 : binary ? 2 : buf[0] == '0' ? 8 : 10;
    if (digits(buf + (hex || binary ? 2 : 0), p, base, out) != p)
        return false;
    if (!integer_suffix(p, end, out)) {
        out->is_unsigned = false;
        out->longs = 0;
        out->suffix.len = n - suffix;
    }
    out->number = (double)out->integer;
    out->number32 = (float)out->integer;
    return true;
}
