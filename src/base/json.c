/* JSON: a writer that streams, and a reader that builds a tree in an arena. */
#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_DEPTH = 63, READ_DEPTH = 256 };

void json_begin(struct json_writer *w, struct sbuf *out, bool pretty)
{
    *w = (struct json_writer){.out = out, .pretty = pretty};
}

static void new_line(struct json_writer *w)
{
    if (!w->pretty)
        return;
    sbuf_putc(w->out, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        sbuf_puts(w->out, "  ");
}

/* What goes before a value or a key: the comma and the line. */
static void separate(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (!w->depth)
        return;
    uint64_t bit = UINT64_C(1) << w->depth;
    if (w->comma & bit)
        sbuf_putc(w->out, ',');
    w->comma |= bit;
    new_line(w);
}

static void open(struct json_writer *w, bool array)
{
    separate(w);
    if (w->depth == WRITE_DEPTH) {
        w->out->failed = true;
        return;
    }
    uint64_t bit = UINT64_C(1) << ++w->depth;
    w->comma &= ~bit;
    w->array = array ? w->array | bit : w->array & ~bit;
    sbuf_putc(w->out, array ? '[' : '{');
}

void json_object(struct json_writer *w)
{
    open(w, false);
}

void json_array(struct json_writer *w)
{
    open(w, true);
}

void json_end(struct json_writer *w)
{
    if (!w->depth || w->out->failed)
        return;
    uint64_t bit = UINT64_C(1) << w->depth--;
    if (w->comma & bit)
        new_line(w);
    sbuf_putc(w->out, w->array & bit ? ']' : '}');
}

/* Decodes one UTF-8 sequence; returns its length, or 0 if it is not well-formed. */
static size_t utf8_decode(const char *p, size_t n, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = (unsigned char)*p;
    size_t len = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
    if (!len || len > n)
        return 0;
    *code = len == 1 ? c : c & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | ((unsigned char)p[i] & 0x3f);
    }
    bool bad = *code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000);
    return bad ? 0 : len;
}

void json_strn(struct json_writer *w, const char *p, size_t n)
{
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    separate(w);
    sbuf_putc(w->out, '"');
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t code;
        len = utf8_decode(p + i, n - i, &code);
        if (!len) {
            sbuf_puts(w->out, "\xef\xbf\xbd"); /* U+FFFD */
            len = 1;
            continue;
        }
        const char *escape = NULL;
        for (const char *e = escapes; *e && !escape; e += 2)
            if (p[i] == *e)
                escape = e + 1;
        if (escape)
            sbuf_printf(w->out, "\\%c", *escape);
        else if (code < 0x20 || code == 0x7f)
            sbuf_printf(w->out, "\\u%04x", (unsigned)code);
        else
            sbuf_put(w->out, p + i, len);
    }
    sbuf_putc(w->out, '"');
}

void json_str(struct json_writer *w, const char *z)
{
    if (z)
        json_strn(w, z, strlen(z));
    else
        json_null(w);
}

void json_key(struct json_writer *w, const char *key)
{
    json_str(w, key);
    sbuf_puts(w->out, w->pretty ? ": " : ":");
    w->after_key = true;
}

void json_int(struct json_writer *w, int64_t v)
{
    separate(w);
    sbuf_printf(w->out, "%lld", (long long)v);
}

void json_uint(struct json_writer *w, uint64_t v)
{
    separate(w);
    sbuf_printf(w->out, "%llu", (unsigned long long)v);
}

/* The embedding program may have chosen a locale whose decimal point is not a point. */
static char decimal_point(void)
{
    const struct lconv *l = localeconv();
    return l && l->decimal_point && *l->decimal_point ? *l->decimal_point : '.';
}

void json_double(struct json_writer *w, double v)
{
    if (!isfinite(v)) {
        json_null(w);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    char *point = strchr(text, decimal_point());
    if (point)
        *point = '.';
    separate(w);
    sbuf_puts(w->out, text);
}

void json_bool(struct json_writer *w, bool v)
{
    separate(w);
    sbuf_puts(w->out, v ? "true" : "false");
}

void json_raw(struct json_writer *w, const char *json, size_t n)
{
    separate(w);
    sbuf_put(w->out, json, n);
}

void json_null(struct json_writer *w)
{
    separate(w);
    sbuf_puts(w->out, "null");
}

struct reader {
    struct arena *arena;
    const char *text, *at, *end;
    const char *error;
    char point;
};

static bool fail(struct reader *r, const char *why)
{
    if (!r->error)
        r->error = why;
    return false;
}

static void skip_space(struct reader *r)
{
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4))
        r->at++;
}

static bool accept(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool read_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n))
        return fail(r, "expected a value");
    r->at += n;
    return true;
}

static bool read_hex4(struct reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *d = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;
        if (!d)
            return fail(r, "expected four hexadecimal digits");
        size_t value = (size_t)(d - digits);
        *code = *code << 4 | (uint32_t)(value < 16 ? value : value - 6);
    }
    return true;
}

static char *utf8_encode(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* After the backslash. */
static bool read_escape(struct reader *r, char **to)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char c = r->at < r->end ? *r->at++ : 0;
    if (c == 'u') {
        uint32_t code, low;
        if (!read_hex4(r, &code))
            return false;
        if (code >= 0xdc00 && code < 0xe000)
            return fail(r, "half of a surrogate pair");
        if (code >= 0xd800 && code < 0xdc00) {
            if (!accept(r, '\\') || !accept(r, 'u') || !read_hex4(r, &low) || low < 0xdc00 ||
                low >= 0xe000)
                return fail(r, "half of a surrogate pair");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        *to = utf8_encode(*to, code);
        return true;
    }
    for (const char *e = escapes; *e; e += 2)
        if (c == *e) {
            *(*to)++ = e[1];
            return true;
        }
    return fail(r, "unknown escape");
}

/* At the opening quote. No escape is longer decoded than written, so the rest of the string bounds
 * it. */
static bool read_string(struct reader *r, struct str *out)
{
    if (!accept(r, '"'))
        return fail(r, "expected a string");
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (close >= r->end) {
        r->at = r->end;
        return fail(r, "the string does not end");
    }
    char *text = arena_alloc(r->arena, (size_t)(close - r->at) + 1), *to = text;
    while (r->at < close) {
        uint32_t code;
        size_t len = utf8_decode(r->at, (size_t)(close - r->at), &code);
        if (!len)
            return fail(r, "malformed UTF-8");
        if (code < 0x20)
            return fail(r, "a control character in a string");
        if (code == '\\') {
            r->at++;
            if (!read_escape(r, &to))
                return false;
            continue;
        }
        memcpy(to, r->at, len);
        to += len;
        r->at += len;
    }
    r->at = close + 1;
    *out = (struct str){text, (size_t)(to - text)};
    return true;
}

static size_t skip_digits(struct reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

static bool read_number(struct reader *r, double *out)
{
    const char *from = r->at, *point = NULL;
    accept(r, '-');
    bool ok = accept(r, '0') || skip_digits(r);
    if (ok && r->at < r->end && *r->at == '.') {
        point = r->at++;
        ok = skip_digits(r);
    }
    if (ok && (accept(r, 'e') || accept(r, 'E'))) {
        if (!accept(r, '+'))
            accept(r, '-');
        ok = skip_digits(r);
    }
    if (!ok)
        return fail(r, "expected a value");
    char *copy = arena_strndup(r->arena, from, (size_t)(r->at - from));
    if (point)
        copy[point - from] = r->point;
    *out = strtod(copy, NULL);
    return true;
}

static struct json_value *read_value(struct reader *r, unsigned depth);

/* After the opening bracket. */
static bool read_members(struct reader *r, struct json_value *v, unsigned depth)
{
    char close = v->kind == JSON_ARRAY ? ']' : '}';
    struct json_value **tail = &v->first;
    skip_space(r);
    if (accept(r, close))
        return true;
    do {
        struct str key = {0};
        skip_space(r);
        if (v->kind == JSON_OBJECT) {
            if (!read_string(r, &key))
                return false;
            if (memchr(key.ptr, 0, key.len))
                return fail(r, "a key contains a NUL");
            skip_space(r);
            if (!accept(r, ':'))
                return fail(r, "expected ':'");
        }
        struct json_value *member = read_value(r, depth);
        if (!member)
            return false;
        member->key = key.ptr;
        *tail = member;
        tail = &member->next;
        v->count++;
        skip_space(r);
    } while (accept(r, ','));
    return accept(r, close) ||
           fail(r, v->kind == JSON_ARRAY ? "expected ',' or ']'" : "expected ',' or '}'");
}

static struct json_value *read_value(struct reader *r, unsigned depth)
{
    struct json_value *v = arena_new(r->arena, struct json_value);
    skip_space(r);
    bool ok;
    switch (r->at < r->end ? *r->at : 0) {
    case '{':
    case '[':
        if (depth == READ_DEPTH) {
            fail(r, "nested too deeply");
            return NULL;
        }
        v->kind = *r->at++ == '[' ? JSON_ARRAY : JSON_OBJECT;
        ok = read_members(r, v, depth + 1);
        break;
    case '"':
        v->kind = JSON_STRING;
        ok = read_string(r, &v->string);
        break;
    case 't':
        v->kind = JSON_BOOL;
        v->boolean = true;
        ok = read_word(r, "true");
        break;
    case 'f':
        v->kind = JSON_BOOL;
        ok = read_word(r, "false");
        break;
    case 'n': ok = read_word(r, "null"); break;
    default:
        v->kind = JSON_NUMBER;
        ok = read_number(r, &v->number);
        break;
    }
    return ok ? v : NULL;
}

struct json_value *json_parse(struct arena *a, const char *text, size_t n, size_t *error_at,
                              const char **error)
{
    struct reader r = {a, text, text, text + n, NULL, decimal_point()};
    struct json_value *v = read_value(&r, 0);
    if (v) {
        skip_space(&r);
        if (r.at != r.end) {
            fail(&r, "something follows the value");
            v = NULL;
        }
    }
    if (error_at)
        *error_at = (size_t)(r.at - text);
    if (error)
        *error = r.error;
    return v;
}

struct json_value *json_get(const struct json_value *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (struct json_value *v = object->first; v; v = v->next)
        if (!strcmp(v->key, key))
            return v;
    return NULL;
}
