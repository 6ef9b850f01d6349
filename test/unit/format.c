/* Device printf. */
#include "base/format.h"
#include "unit.h"

static const char *text_at(void *ctx, uint64_t address)
{
    (void)ctx;
    return address == 7 ? "seven" : NULL;
}

static const char *formatted(struct unit *u, const char *format, uint64_t a, uint64_t b)
{
    struct sbuf s;
    sbuf_init(&s, u->arena);
    sbuf_puts(&s, "");
    format_device(&s, format, (uint64_t[]){a, b}, 2, text_at, NULL);
    return s.data;
}

TEST(format_conversions)
{
    double pi = 3.14159265358979;
    uint64_t bits;
    memcpy(&bits, &pi, sizeof bits);
    CHECK_STR(formatted(u, "plain", 0, 0), "plain");
    CHECK_STR(formatted(u, "%d|%u", UINT64_C(0xabcdef01ffffffff), 5), "-1|5");
    CHECK_STR(formatted(u, "%lld %llx", UINT64_MAX, 255), "-1 ff");
    CHECK_STR(formatted(u, "%-6d|%06d", 42, 42), "42    |000042");
    CHECK_STR(formatted(u, "%hhd %hu", 255, 65537), "-1 1");
    CHECK_STR(formatted(u, "%f %.2e", bits, bits), "3.141593 3.14e+00");
    CHECK_STR(formatted(u, "%8.3f|%s", bits, 7), "   3.142|seven");
    CHECK_STR(formatted(u, "%s %c", 8, 'x'), "(null) x");
    CHECK_STR(formatted(u, "100%% %d", 1, 0), "100% 1");
    CHECK_STR(formatted(u, "%*d|", 5, 42), "   42|");
    CHECK_STR(formatted(u, "%d %d %d", 1, 2), "1 2 %d");
    CHECK_STR(formatted(u, "%y %d", 1, 2), "%y 1");
    CHECK_STR(formatted(u, "end %", 1, 2), "end %");
    CHECK_STR(formatted(u, "%5", 1, 2), "%5");
}
