/* Our own headers lie packed in the program and are unpacked when they are read: a compilation
 * reads a few of hundreds. tool/embed.c packs them, as runs of
 *
 *     a byte: how many bytes follow as they are (high half), and how many but 4 are repeated (low)
 *     more of the first count where it is 15: bytes to add, until one is not 255
 *     those bytes
 *     how far back what is repeated lies, in two bytes, the low one first
 *     more of the second count, as of the first
 *
 * The last run has no repetition. What is unpacked was packed by the same build: it is not checked.
 */
#include <string.h>
#include "base/arena.h"
#include "front/cuda/pp/pp.h"

#ifndef TERN_SMALL
static size_t count_of(const unsigned char **p, unsigned half)
{
    size_t n = half;
    if (half == 15) {
        while (**p == 255)
            n += *(*p)++;
        n += *(*p)++;
    }
    return n;
}

static void unpack(const unsigned char *p, size_t packed, char *out)
{
    const unsigned char *end = p + packed;
    while (p < end) {
        const unsigned run = *p++;
        const size_t plain = count_of(&p, run >> 4);
        memcpy(out, p, plain);
        out += plain;
        p += plain;
        if (p == end)
            return;
        const char *from = out - (p[0] | (size_t)p[1] << 8);
        p += 2;
        for (size_t n = count_of(&p, run & 15) + 4; n; n--)
            *out++ = *from++; /* may overlap: a byte repeated lies one back */
    }
}
#endif

const char *embedded_text(struct arena *a, const struct embedded_file *e)
{
#ifndef TERN_SMALL
    if (e->packed) {
        char *text = arena_alloc(a, e->len + 1);
        unpack((const unsigned char *)e->text, e->packed, text);
        return text;
    }
#endif
    (void)a;
    return e->text;
}
