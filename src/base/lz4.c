/* LZ4 blocks: runs of literals and copies of what was written before. */
#include <string.h>
#include "base/compress.h"

/* A length of 15 goes on in further bytes, up to the first that is not 255. */
static bool more_length(const uint8_t **in, const uint8_t *end, size_t *n)
{
    uint8_t b;
    if (*n != 15)
        return true;
    do {
        if (*in == end)
            return false;
        b = *(*in)++;
        *n += b;
    } while (b == 255);
    return true;
}

bool lz4_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
    const uint8_t *end = in + n;
    size_t at = 0;
    while (in < end) {
        const uint8_t token = *in++;
        size_t literals = token >> 4, match = token & 15;
        if (!more_length(&in, end, &literals) || literals > (size_t)(end - in) ||
            literals > size - at)
            return false;
        memcpy(out + at, in, literals);
        in += literals;
        at += literals;
        if (in == end) /* the last sequence has literals only */
            break;
        if (end - in < 2)
            return false;
        const size_t offset = (size_t)(in[0] | in[1] << 8);
        in += 2;
        if (!more_length(&in, end, &match))
            return false;
        match += 4;
        if (!offset || offset > at || match > size - at)
            return false;
        for (size_t k = 0; k < match; k++, at++) /* they may overlap */
            out[at] = out[at - offset];
    }
    return at == size;
}

enum {
    HASH_BITS = 14,
    FARTHEST = 65535,
    LAST_LITERALS = 5, /* the format ends with so many */
    LAST_MATCH = 12    /* and starts no copy so close to the end */
};

static uint32_t four(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

static uint8_t *put_length(uint8_t *out, size_t n)
{
    for (n -= 15; n >= 255; n -= 255)
        *out++ = 255;
    *out++ = (uint8_t)n;
    return out;
}

/* One sequence: `literals` bytes as they are, and, unless it is the last, a copy. */
static uint8_t *put_sequence(uint8_t *out, const uint8_t *from, size_t literals, size_t offset,
                             size_t match)
{
    const size_t more = match ? match - 4 : 0;
    *out++ = (uint8_t)((literals < 15 ? literals : 15) << 4 | (more < 15 ? more : 15));
    if (literals >= 15)
        out = put_length(out, literals);
    memcpy(out, from, literals);
    out += literals;
    if (!match)
        return out;
    *out++ = (uint8_t)offset;
    *out++ = (uint8_t)(offset >> 8);
    return more >= 15 ? put_length(out, more) : out;
}

size_t lz4_bound(size_t n)
{
    return n + n / 255 + 16;
}

size_t lz4_encode(const uint8_t *in, size_t n, uint8_t *out)
{
    uint32_t seen[1 << HASH_BITS] = {0}; /* where four bytes with this hash were last, plus 1 */
    uint8_t *const begin = out;
    size_t from = 0;
    for (size_t at = 0; n >= LAST_MATCH && at < n - LAST_MATCH;) {
        const uint32_t hash = (four(in + at) * 2654435761u) >> (32 - HASH_BITS);
        const size_t before = seen[hash];
        seen[hash] = (uint32_t)at + 1;
        if (!before || at - (before - 1) > FARTHEST || four(in + before - 1) != four(in + at)) {
            at++;
            continue;
        }
        const size_t offset = at - (before - 1);
        size_t match = 4;
        while (at + match < n - LAST_LITERALS && in[at + match] == in[at + match - offset])
            match++;
        out = put_sequence(out, in + from, at - from, offset, match);
        from = at += match;
    }
    return (size_t)(put_sequence(out, in + from, n - from, 0, 0) - begin);
}
