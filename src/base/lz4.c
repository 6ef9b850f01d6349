/* LZ4 blocks: runs of literals and copies of what was written before. */
#include <string.h>
#include "base/decompress.h"

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
