/* Device printf. */
#include <stdlib.h>
#include "base/format.h"
#include "unit.h"

static const char *text_at(void *ctx, size_t index, uint64_t address)
{
    (void)ctx, (void)index;
    return address == 7 ? "seven" : NULL;
}

static const char *formatted(struct unit *u, const char *format, const char *words)
{
    struct sbuf s;
    uint64_t args[FORMAT_MAX_ARGS];
    size_t n = 0;
    for (char *end; *words; words = end + (*end == ' '))
        args[n++] = strtoull(words, &end, 16);
    sbuf_init(&s, u->arena);
    sbuf_puts(&s, "");
    format_device(&s, format, args, n, text_at, NULL);
    return s.data;
}

TEST(format_conversions)
{
#define FORMAT(format, words, text) CHECK_STR(formatted(u, format, words), text);
#include "format.def"
    CHECK_STR(formatted(u, "%s", "8"), "(null)");
}

/* A width is a kernel's to choose: it takes no more memory than this. */
TEST(format_bounds)
{
    CHECK(strlen(formatted(u, "%2000000000d", "1")) == 4096);
    CHECK(strlen(formatted(u, "%*d", "7fffffff 1")) == 4096);
    CHECK(strlen(formatted(u, "%.2000000000d", "1")) == 4096);
    CHECK(strlen(formatted(u, "%600d", "1")) == 600);
}
