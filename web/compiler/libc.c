/* What the compiler's module takes of the C library and the library has only large: formatted
 * output, numbers from text, sorting, searching. Correctly rounded, in a third of the size. What
 * the compiler never writes (%e, infinities, other locales) is not here: an unknown conversion
 * traps. test/unit/libc.c holds it against the system's library. */
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- decimal numbers ---- */

enum { DIGITS = 800, STEP = 27 }; /* no double needs more than 768; bits that one shift moves */

/* 0.d[0]d[1]… × 10^point, without zeros at the ends. */
struct decimal {
    int n, point;
    bool more; /* digits that are not zero were left out behind */
    uint8_t d[DIGITS];
};

static void trim(struct decimal *x)
{
    while (x->n && !x->d[x->n - 1])
        x->n--;
    if (!x->n)
        x->point = 0;
}

static void halve(struct decimal *x, int bits)
{
    uint64_t rest = 0;
    int from = 0, to = 0;
    for (; !(rest >> bits); from++) { /* digits in front that become zero */
        if (from >= x->n && !rest)
            return;
        rest = rest * 10 + (from < x->n ? x->d[from] : 0);
    }
    x->point -= from - 1;
    while (from < x->n || rest) {
        const uint8_t digit = (uint8_t)(rest >> bits);
        if (to < DIGITS)
            x->d[to++] = digit;
        else
            x->more |= digit;
        rest = (rest & ((UINT64_C(1) << bits) - 1)) * 10;
        if (from < x->n)
            rest += x->d[from];
        from++;
    }
    x->n = to;
    trim(x);
}

static void twice(struct decimal *x, int bits)
{
    uint8_t all[DIGITS + 10]; /* the digits, the last one first */
    uint64_t rest = 0;
    int n = 0;
    for (int k = x->n; k-- > 0 || rest; rest /= 10) {
        if (k >= 0)
            rest += (uint64_t)x->d[k] << bits;
        all[n++] = (uint8_t)(rest % 10);
    }
    x->point += n - x->n;
    x->n = n < DIGITS ? n : DIGITS;
    for (int k = 0; k < n; k++)
        if (k < DIGITS)
            x->d[k] = all[n - 1 - k];
        else
            x->more |= all[n - 1 - k] != 0;
    trim(x);
}

static void scale(struct decimal *x, int bits)
{
    for (; bits > STEP; bits -= STEP)
        twice(x, STEP);
    for (; bits < -STEP; bits += STEP)
        halve(x, STEP);
    if (bits > 0)
        twice(x, bits);
    else
        halve(x, -bits);
}

/* To n digits, halves to even. */
static void round_to(struct decimal *x, int n)
{
    if (n < 0 || n >= x->n)
        return;
    bool up = x->d[n] >= 5;
    if (x->d[n] == 5 && n + 1 == x->n && !x->more)
        up = n && x->d[n - 1] & 1;
    x->n = n;
    while (up && x->n && x->d[x->n - 1] == 9)
        x->n--;
    if (up && x->n) {
        x->d[x->n - 1]++;
    } else if (up) {
        x->d[x->n++] = 1;
        x->point++;
    }
    trim(x);
}

static uint64_t whole(const struct decimal *x)
{
    uint64_t v = 0;
    for (int k = 0; k < x->point; k++)
        v = v * 10 + (k < x->n ? x->d[k] : 0);
    return v;
}

/* ---- numbers from text ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' ? (c | 32) - 'a' + 10 : 99;
}

/* The value of x × 2^e with so many bits of mantissa, and none below 2^lowest. */
static double to_binary(struct decimal *x, int e, int bits, int lowest)
{
    if (!x->n || x->point < -400)
        return 0;
    if (x->point > 400)
        return __builtin_inf();
    while (x->point || x->d[0] < 5) { /* to [0.5, 1); 10^k has at least 3k bits */
        const int by = -3 * x->point + (x->point > 0 ? 2 : 1), step = by < -STEP  ? -STEP
                                                                      : by > STEP ? STEP
                                                                                  : by;
        scale(x, step);
        e -= step;
    }
    int keep = bits; /* x is 2^(e - bits) times this many bits */
    if (e - bits < lowest)
        keep = e - lowest;
    if (keep < 0)
        return 0;
    scale(x, keep);
    round_to(x, x->point);
    uint64_t v = whole(x);
    e -= keep;
    if (v >> bits) {
        v >>= 1;
        e++;
    }
    if (e + bits > (bits == 53 ? 1024 : 128))
        return __builtin_inf();
    double d = (double)v; /* both steps are exact */
    for (; e < -1000; e += 1000)
        d *= 0x1p-1000;
    for (; e > 1000; e -= 1000)
        d *= 0x1p1000;
    const uint64_t power = (uint64_t)(e + 1023) << 52;
    double p;
    memcpy(&p, &power, sizeof p);
    return d * p;
}

static void put_whole(struct decimal *x, uint64_t v)
{
    *x = (struct decimal){.n = 20, .point = 20};
    for (int k = 20; k-- > 0; v /= 10)
        x->d[k] = (uint8_t)(v % 10);
    int zeros = 0;
    while (zeros < 19 && !x->d[zeros])
        zeros++;
    x->n = x->point = 20 - zeros;
    memmove(x->d, x->d + zeros, (size_t)x->n);
    trim(x);
}

/* The digits from *p on: of a decimal number into x; of a hexadecimal one, whose exponent moves
 * with digits left out and digits behind the point, into the result. The last bit of that is set if
 * what was left out is not zero. */
static uint64_t read_digits(const char **p, bool hex, struct decimal *x, int *e)
{
    uint64_t v = 0;
    bool point = false;
    for (;; ++*p) {
        const int digit = digit_of(**p);
        if (**p == '.' && !point) {
            point = true;
        } else if (digit >= (hex ? 16 : 10)) {
            return v;
        } else if (hex) {
            const bool full = v >> 60;
            v = full ? v | (digit != 0) : v << 4 | (unsigned)digit;
            *e += 4 * (full - point);
        } else if (x->n || digit) {
            if (x->n < DIGITS)
                x->d[x->n++] = (uint8_t)digit;
            else
                x->more |= digit != 0;
            x->point += !point;
        } else {
            x->point -= point;
        }
    }
}

static double read_number(const char *s, char **end, int bits, int lowest)
{
    const bool minus = *s == '-', hex = s[minus] == '0' && (s[minus + 1] | 32) == 'x';
    const char *p = s + minus + (hex ? 2 : 0), *digits = p;
    struct decimal x = {0};
    int e = 0, power = 0;
    const uint64_t v = read_digits(&p, hex, &x, &e);
    const bool any = p > digits + (*digits == '.');
    if (any && (*p | 32) == (hex ? 'p' : 'e')) {
        const char *q = p + 1;
        const bool down = *q == '-';
        q += *q == '-' || *q == '+';
        if (digit_of(*q) < 10)
            for (p = q; digit_of(*p) < 10; p++)
                power = power < 100000 ? power * 10 + digit_of(*p) : power;
        power = down ? -power : power;
    }
    if (hex)
        put_whole(&x, v);
    else
        x.point += x.n ? power : 0;
    trim(&x);
    if (end)
        *end = (char *)(any ? p : s);
    const double d = to_binary(&x, hex ? e + power : 0, bits, lowest);
    return minus ? -d : d;
}

double strtod(const char *s, char **end)
{
    return read_number(s, end, 53, -1074);
}

float strtof(const char *s, char **end)
{
    return (float)read_number(s, end, 24, -149);
}

unsigned long long strtoull(const char *s, char **end, int base)
{
    unsigned long long v = 0;
    const char *p = s;
    if (!base)
        base = *s != '0' ? 10 : (s[1] | 32) == 'x' ? 16 : 8;
    if (base == 16 && *s == '0' && (s[1] | 32) == 'x')
        p += 2;
    for (; digit_of(*p) < base; p++)
        v = v * (unsigned)base + (unsigned)digit_of(*p);
    if (end)
        *end = (char *)p;
    return v;
}

unsigned long strtoul(const char *s, char **end, int base)
{
    return (unsigned long)strtoull(s, end, base);
}

/* ---- formatted output ---- */

struct text {
    char *at;
    size_t room, n;
};

static void put(struct text *t, char c)
{
    if (t->n < t->room)
        t->at[t->n] = c;
    t->n++;
}

static void put_all(struct text *t, const char *s, size_t n)
{
    while (n--)
        put(t, *s++);
}

/* The digits of v, ending before `end`; where they begin. */
static char *write_whole(char *end, uint64_t v, unsigned base, bool large)
{
    do
        *--end = (large ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    while (v /= base);
    return end;
}

static void put_power(struct text *t, int e, int digits)
{
    char all[8], *from = write_whole(all + 8, (uint64_t)(e < 0 ? -e : e), 10, false);
    put(t, e < 0 ? '-' : '+');
    while (all + 8 - from < digits)
        *--from = '0';
    put_all(t, from, (size_t)(all + 8 - from));
}

/* %g, %f and %a, without width: the shortest way to say so many digits; so many behind the point;
 * every bit. */
static void put_double(struct text *t, double d, char how, int precision)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint64_t fraction = bits << 12 >> 12;
    const bool normal = bits << 1 >> 53;
    int e = (int)(bits << 1 >> 53) - 1075 + !normal;
    if (bits >> 63)
        put(t, '-');
    if (e > 1024 - 53) {
        put_all(t, "nan", 3); /* or infinite: nobody reads it */
        return;
    }
    if (how == 'a') {
        put_all(t, normal ? "0x1" : "0x0", 3);
        if (fraction)
            put(t, '.');
        for (uint64_t f = fraction << 12; f; f <<= 4)
            put(t, "0123456789abcdef"[f >> 60]);
        put(t, 'p');
        put_power(t, bits << 1 ? e + 52 : 0, 1);
        return;
    }
    struct decimal x;
    put_whole(&x, fraction | (uint64_t)normal << 52);
    scale(&x, e);
    round_to(&x, how == 'g' ? precision : x.point + precision);
    if (!x.n)
        x.point = 1;
    const bool power = how == 'g' && (x.point < -3 || x.point > precision);
    const int before = power ? 1 : x.point, /* the first digit behind the point, and the last */
        last = how == 'g' ? x.n : before + precision;
    if (before <= 0)
        put(t, '0');
    for (int k = before < 0 ? before : 0; k < before || k < last; k++) {
        if (k == before)
            put(t, '.');
        put(t, (char)(k >= 0 && k < x.n ? '0' + x.d[k] : '0'));
    }
    if (power) {
        put(t, 'e');
        put_power(t, x.point - 1, 2);
    }
}

int vsnprintf(char *out, size_t room, const char *format, va_list ap)
{
    struct text t = {out, room ? room - 1 : 0, 0};
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            put(&t, *f);
            continue;
        }
        bool left = false, zeros = false, plus = false;
        while (*++f == '-' || *f == '0' || *f == '+') {
            left |= *f == '-';
            zeros |= *f == '0';
            plus |= *f == '+';
        }
        int numbers[2] = {0, -1}, longs = 0; /* width and precision */
        for (int k = 0; k < 2; k++) {
            if (k && *f != '.')
                break;
            f += k;
            numbers[k] = *f == '*' ? va_arg(ap, int) : 0;
            for (f += *f == '*'; *f >= '0' && *f <= '9'; f++)
                numbers[k] = numbers[k] * 10 + (*f - '0');
        }
        for (; *f == 'l' || *f == 'z'; f++)
            longs += *f == 'l' ? 1 : sizeof(size_t) > sizeof(int) ? 2 : 0;
        char all[24], *end = all + sizeof all, *from = end, sign = 0;
        switch (*f) {
        case '%': *--from = '%'; break;
        case 'c': *--from = (char)va_arg(ap, int); break;
        case 's':
            from = va_arg(ap, char *);
            end = from;
            while (numbers[1] != 0 && *end) {
                end++;
                numbers[1]--;
            }
            break;
        case 'd': {
            const long long v = longs > 1 ? va_arg(ap, long long)
                                : longs   ? va_arg(ap, long)
                                          : va_arg(ap, int);
            from = write_whole(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false);
            sign = v < 0 ? '-' : plus ? '+' : 0;
            break;
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            from = write_whole(end,
                               longs > 1 ? va_arg(ap, unsigned long long)
                               : longs   ? va_arg(ap, unsigned long)
                                         : va_arg(ap, unsigned),
                               *f == 'u'   ? 10
                               : *f == 'o' ? 8
                                           : 16,
                               *f == 'X');
            break;
        case 'p': from = write_whole(end, (uintptr_t)va_arg(ap, void *), 16, false); break;
        case 'g':
        case 'f':
        case 'a': put_double(&t, va_arg(ap, double), *f, numbers[1]); continue;
        default: __builtin_trap();
        }
        const int length = (int)(end - from) + (sign != 0);
        int pad = numbers[0] > length ? numbers[0] - length : 0;
        for (; !left && !zeros && pad; pad--)
            put(&t, ' ');
        if (sign)
            put(&t, sign);
        for (; !left && pad; pad--)
            put(&t, '0');
        put_all(&t, from, (size_t)(end - from));
        for (; pad; pad--)
            put(&t, ' ');
    }
    if (room)
        out[t.n < t.room ? t.n : t.room] = 0;
    return (int)t.n;
}

int snprintf(char *out, size_t room, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(out, room, format, ap);
    va_end(ap);
    return n;
}

/* ---- memory ---- */

void *memmem(const void *all, size_t n, const void *part, size_t length)
{
    for (const char *p = all; n >= length; p++, n--)
        if (!memcmp(p, part, length))
            return (char *)p;
    return NULL;
}

char *strstr(const char *all, const char *part)
{
    return memmem(all, strlen(all), part, strlen(part));
}

/* By Shell's method. */
void qsort(void *items, size_t n, size_t size, int (*order)(const void *, const void *))
{
    char *all = items;
    for (size_t gap = n / 2; gap; gap = gap > 1 ? (gap * 5 + 5) / 11 : 0)
        for (size_t k = gap; k < n; k++)
            for (char *b = all + k * size; b >= all + gap * size; b -= gap * size) {
                char *a = b - gap * size;
                if (order(a, b) <= 0)
                    break;
                for (size_t i = 0; i < size; i++) {
                    const char c = a[i];
                    a[i] = b[i];
                    b[i] = c;
                }
            }
}

/* ---- the time: a page's compiler has no clock, and __DATE__ is empty ---- */

time_t time(time_t *out)
{
    (void)out;
    return 0;
}

struct tm *localtime_r(const time_t *now, struct tm *out)
{
    (void)now;
    (void)out;
    return NULL;
}

size_t strftime(char *out, size_t room, const char *format, const struct tm *t)
{
    (void)out;
    (void)room;
    (void)format;
    (void)t;
    return 0;
}
