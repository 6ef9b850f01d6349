/* Device printf: walks the format and hands one conversion at a time to the C library. */
#include "base/format.h"

#include <stdio.h>
#include <string.h>

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    int longs;            /* of the length modifier: h -1, hh -2, l 1, ll j z t 2 */
    char letter;
};

static int number(const char **s)
{
    int n = 0;
    while (**s >= '0' && **s <= '9') {
        n = n < 100000 ? n * 10 + (**s - '0') : n;
        ++*s;
    }
    return n;
}

struct arguments {
    const uint64_t *all;
    size_t next, n;
};

static bool take(struct arguments *a, uint64_t *out)
{
    if (a->next >= a->n)
        return false;
    *out = a->all[a->next++];
    return true;
}

static int star_or_number(const char **s, struct arguments *a)
{
    uint64_t v;
    if (**s != '*')
        return number(s);
    ++*s;
    return take(a, &v) ? (int)(int32_t)v : 0;
}

/* Reads what follows a %; false: not a conversion. */
static bool parse(const char **s, struct conversion *c, struct arguments *a)
{
    *c = (struct conversion){.width = -1, .precision = -1};
    for (size_t n = 0; **s && strchr("-+ #0", **s); ++*s)
        if (n < sizeof c->flags - 1 && !strchr(c->flags, **s))
            c->flags[n++] = **s;
    if (**s == '*' || (**s >= '1' && **s <= '9')) {
        c->width = star_or_number(s, a);
        if (c->width < 0) {
            c->width = -c->width;
            if (!strchr(c->flags, '-'))
                strcat(c->flags, "-");
        }
    }
    if (**s == '.') {
        ++*s;
        c->precision = star_or_number(s, a);
    }
    for (;; ++*s) {
        if (**s == 'h')
            c->longs--;
        else if (**s == 'l')
            c->longs++;
        else if (**s == 'j' || **s == 'z' || **s == 't' || **s == 'q' || **s == 'L')
            c->longs = 2;
        else
            break;
    }
    c->letter = **s;
    if (!c->letter || !strchr("diouxXcspfFeEgGaA", c->letter))
        return false;
    ++*s;
    return true;
}

static uint64_t narrow(const struct conversion *c, uint64_t v)
{
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    if (c->longs >= 1)
        return v;
    unsigned drop = c->longs == 0 ? 32 : c->longs == -1 ? 48 : 56;
    return is_signed ? (uint64_t)((int64_t)(v << drop) >> drop) : v << drop >> drop;
}

static int at_most(int n, int most)
{
    return n < most ? n : most;
}

static void put(struct sbuf *out, const struct conversion *c, uint64_t v, const char *text)
{
    enum { WIDEST = 4096 };
    char format[48];
    int n = snprintf(format, sizeof format, "%%%s", c->flags);
    if (c->width >= 0)
        n += snprintf(format + n, sizeof format - (size_t)n, "%d", at_most(c->width, WIDEST));
    if (c->precision >= 0)
        n += snprintf(format + n, sizeof format - (size_t)n, ".%d", at_most(c->precision, WIDEST));
    bool integer = strchr("diouxX", c->letter) != NULL;
    snprintf(format + n, sizeof format - (size_t)n, integer ? "ll%c" : "%c", c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (integer) {
        sbuf_printf(out, format, (unsigned long long)narrow(c, v));
    } else if (c->letter == 'c') {
        sbuf_printf(out, format, (int)(unsigned char)v);
    } else if (c->letter == 'p') {
        sbuf_printf(out, format, (void *)(uintptr_t)v);
    } else if (c->letter == 's') {
        sbuf_printf(out, format, text ? text : "(null)");
    } else {
        double d;
        memcpy(&d, &v, sizeof d);
        sbuf_printf(out, format, d);
    }
#pragma GCC diagnostic pop
}

void format_device(struct sbuf *out, const char *format, const uint64_t *args, size_t n,
                   format_string_fn *string, void *ctx)
{
    struct arguments a = {.all = args, .n = n};
    for (const char *s = format; *s;) {
        const char *percent = strchr(s, '%');
        size_t plain = percent ? (size_t)(percent - s) : strlen(s);
        sbuf_put(out, s, plain);
        s += plain;
        if (!percent)
            break;
        if (s[1] == '%') {
            sbuf_putc(out, '%');
            s += 2;
            continue;
        }
        const char *after = s + 1;
        struct conversion c;
        uint64_t v;
        if (parse(&after, &c, &a) && take(&a, &v))
            put(out, &c, v, c.letter == 's' && string ? string(ctx, a.next - 1, v) : NULL);
        else
            sbuf_put(out, s, (size_t)(after - s));
        s = after;
    }
}
