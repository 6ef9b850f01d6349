/* The C library of the compiler as WebAssembly (web/compiler/libc.c), held against the system's. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "unit.h"

#define strtod      small_strtod
#define strtof      small_strtof
#define strtoull    small_strtoull
#define strtoul     small_strtoul
#define vsnprintf   small_vsnprintf
#define snprintf    small_snprintf
#define memmem      small_memmem
#define strstr      small_strstr
#define qsort       small_qsort
#define time        small_time
#define localtime_r small_localtime_r
#define strftime    small_strftime
#include "../../web/compiler/libc.c"
#undef strtod
#undef strtof
#undef strtoull
#undef strtoul
#undef vsnprintf
#undef snprintf
#undef memmem
#undef strstr
#undef qsort
#undef time
#undef localtime_r
#undef strftime

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define SAME_TEXT(...)                                                                             \
    do {                                                                                           \
        char want[512], have[512];                                                                 \
        const int n = snprintf(want, sizeof want, __VA_ARGS__);                                    \
        CHECK(small_snprintf(have, sizeof have, __VA_ARGS__) == n);                                \
        CHECK_STR(have, want);                                                                     \
    } while (0)

static uint64_t next_bits(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

static void check_double(struct unit *u, double d)
{
    static const char *const formats[] = {"%.17g", "%.15g", "%.9g", "%.6g", "%.1g", "%a"};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        SAME_TEXT(formats[k], d);
    if (fabs(d) < 1e9)
        SAME_TEXT("%.1f", d);
}

static void check_number(struct unit *u, const char *text)
{
    char *want, *have;
    const double d = strtod(text, &want), e = small_strtod(text, &have);
    CHECK(!memcmp(&d, &e, sizeof d));
    CHECK(have == want);
    const float f = strtof(text, &want), g = small_strtof(text, &have);
    CHECK(!memcmp(&f, &g, sizeof f));
    CHECK(have == want);
}

TEST(libc_doubles)
{
    static const double some[] = {0,      -0.0,    1,        -1.5,      0.1,  1e22,     1e23,
                                  9.5,    99.95,   0.5,      1e-5,      1e-4, 123456.5, 1e300,
                                  5e-324, 2.5e-7,  0x1p1023, 0x1p-1022, 1e15, 9.999995, 999999.5,
                                  0.125,  1048576, 0.05,     0.25,      0.35, 0x1p-149, 65504};
    uint64_t state = 1;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        check_double(u, some[k]);
    for (int k = 0; k < 3000; k++) {
        const uint64_t bits = next_bits(&state);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (!isfinite(d))
            continue;
        check_double(u, d);
        check_double(u, (double)(int64_t)bits / 1024);
        check_double(u, (double)(int)bits / 16);
    }
}

TEST(libc_numbers)
{
    static const char *const some[] = {
        "0",
        "0.",
        ".5",
        "1e",
        "1e+",
        "1.5e3x",
        "",
        ".",
        "x",
        "-2",
        "1e400",
        "1e-400",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740992.999999999999999999999",
        "9007199254740993.00000000000000000000000000000000000000001",
        "0x1p3",
        "0x1.8p-1",
        "0x.8p1",
        "0x1.fffffffffffff8p0",
        "0x1.fffffffffffff7p0",
        "0x1.00000000000008p0",
        "0x1.00000000000008000000000000000001p0",
        "0x1.000001p0",
        "0x1.0000010000001p0",
        "0x1p-1074",
        "0x1p-1075",
        "0x1.8p-1075",
        "0x1p1024",
        "0x123456789abcdef0123p-4",
        "1.00000005960464477539",
        "1.00000005960464477540",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "7.0064923216240853e-46",
        "7.0064923216240854e-46",
        "000000000000000000001.5e0000000001",
        "0.000000000000000000000000000000000000000000000000000000000000000001e66",
        "1e99999999999"};
    uint64_t state = 2;
    char text[900];
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        check_number(u, some[k]);
    for (int k = 0; k < 3000; k++) {
        const uint64_t bits = next_bits(&state);
        double d;
        float f;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &bits, sizeof f);
        if (!isfinite(d) || !isfinite(f))
            continue;
        snprintf(text, sizeof text, "%.*g", (int)(bits % 20), d);
        check_number(u, text);
        snprintf(text, sizeof text, "%.*g", (int)(bits % 12), (double)f);
        check_number(u, text);
        snprintf(text, sizeof text, "%a", d);
        check_number(u, text);
        /* halfway between two floats, and just off it */
        snprintf(text, sizeof text, "%.160f", ((double)f + (double)nextafterf(f, INFINITY)) / 2);
        check_number(u, text);
        text[strlen(text) - 1] = '1';
        check_number(u, text);
    }
}

TEST(libc_formats)
{
    SAME_TEXT("%d %d %u %x %X %o|%%|%c", 0, INT_MIN, UINT_MAX, 0xbeefu, 0xbeefu, 8u, 'q');
    SAME_TEXT("%lld %llu %llx %zu %ld %lu", LLONG_MIN, ULLONG_MAX, ULLONG_MAX, (size_t)7, LONG_MIN,
              ULONG_MAX);
    SAME_TEXT("%5d|%-5d|%05d|%+d|%+lld|%08x|%016llX|%03o", -42, 42, -42, 42, -7ll, 0xabcu, 0xabcull,
              9u);
    SAME_TEXT("%s|%.3s|%.*s|%*s|%-6s|%6s|%.0s", "text", "text", 2, "text", 4, "", "ab", "ab", "no");
    char cut[5];
    CHECK(small_snprintf(cut, sizeof cut, "%s", "too long") == 8);
    CHECK_STR(cut, "too ");
    CHECK(small_snprintf(NULL, 0, "%u", 123u) == 3);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

TEST(libc_others)
{
    int all[1000];
    uint64_t state = 3;
    for (int n = 0; n < 1000; n += 1 + n / 3) {
        for (int k = 0; k < n; k++)
            all[k] = (int)(next_bits(&state) % 500);
        small_qsort(all, (size_t)n, sizeof *all, by_value);
        for (int k = 1; k < n; k++)
            CHECK(all[k - 1] <= all[k]);
    }
    CHECK(!strcmp(small_strstr("abcabd", "abd"), "abd") && !small_strstr("ab", "abc"));
    CHECK(small_memmem("abc", 3, "", 0) && !small_memmem("abc", 2, "bc", 2));
    char *end;
    CHECK(small_strtoull("0x1fz", &end, 0) == 31 && *end == 'z');
    CHECK(small_strtoull("017", NULL, 0) == 15 && small_strtoul("19 ", &end, 10) == 19);
    CHECK(small_strtoull("ff", NULL, 16) == 255 && *end == ' ');
}
