/* Zstandard frames, as RFC 8878 defines them: blocks of literals, coded by Huffman, and of
 * sequences that mix them with copies of earlier output, coded by finite state entropy (FSE). */
#include <stdlib.h>
#include <string.h>
#include "base/compress.h"

enum { MAX_BLOCK = 1 << 17, MAX_FSE_LOG = 9, MAX_HUFFMAN_BITS = 11, MAX_SYMBOLS = 256 };

struct bytes {
    const uint8_t *p;
    size_t n;
};

static bool take(struct bytes *in, size_t n, struct bytes *out)
{
    if (n > in->n)
        return false;
    *out = (struct bytes){in->p, n};
    in->p += n;
    in->n -= n;
    return true;
}

static bool number(struct bytes *in, unsigned n, uint64_t *out)
{
    struct bytes b;
    if (!take(in, n, &b))
        return false;
    *out = 0;
    for (unsigned k = 0; k < n; k++)
        *out |= (uint64_t)b.p[k] << 8 * k;
    return true;
}

static unsigned top_bit(uint64_t x) /* x is not 0 */
{
    return 63u - (unsigned)__builtin_clzll(x);
}

/* n bits (at most 32) from bit `at` on, the low ones first; what lies outside is zero. */
static uint32_t bits_at(const struct bytes *b, int64_t at, unsigned n)
{
    uint64_t w = 0;
    int64_t first = at >= 0 ? at / 8 : -((7 - at) / 8);
    for (int k = 0; k < 6; k++) {
        int64_t i = first + k;
        if (i >= 0 && (uint64_t)i < b->n)
            w |= (uint64_t)b->p[i] << 8 * k;
    }
    return (uint32_t)(w >> (at - first * 8) & ((UINT64_C(1) << n) - 1));
}

/* A stream that is read from its end; the last byte's highest one marks it. */
struct stream {
    struct bytes b;
    int64_t at; /* bits left; below zero: more was read than there is */
};

static bool stream_open(struct stream *s, struct bytes b)
{
    if (!b.n || !b.p[b.n - 1])
        return false;
    *s = (struct stream){b, (int64_t)(b.n - 1) * 8 + top_bit(b.p[b.n - 1])};
    return true;
}

static uint32_t stream_read(struct stream *s, unsigned n)
{
    if (s->at < -64) /* far beyond the end: the caller will see it */
        return 0;
    s->at -= n;
    return bits_at(&s->b, s->at, n);
}

/* ---- finite state entropy ---- */
struct fse {
    unsigned log;
    bool ready;
    uint8_t symbol[1 << MAX_FSE_LOG], bits[1 << MAX_FSE_LOG];
    uint16_t base[1 << MAX_FSE_LOG];
};

static bool fse_build(struct fse *t, const int16_t *counts, unsigned n, unsigned log)
{
    const unsigned size = 1u << log, step = (size >> 1) + (size >> 3) + 3;
    uint16_t next[MAX_SYMBOLS];
    unsigned high = size, at = 0;
    for (unsigned s = 0; s < n; s++)
        if (counts[s] == -1) { /* less than one: from the end */
            if (!high)
                return false;
            t->symbol[--high] = (uint8_t)s;
            next[s] = 1;
        } else {
            next[s] = (uint16_t)counts[s];
        }
    unsigned placed = size - high;
    for (unsigned s = 0; s < n; s++)
        for (int k = 0; k < counts[s]; k++) {
            if (placed++ >= size)
                return false;
            t->symbol[at] = (uint8_t)s;
            do
                at = (at + step) & (size - 1);
            while (at >= high && high);
        }
    if (placed != size)
        return false;
    for (unsigned i = 0; i < size; i++) {
        const unsigned x = next[t->symbol[i]]++;
        t->bits[i] = (uint8_t)(log - top_bit(x));
        t->base[i] = (uint16_t)((x << t->bits[i]) - size);
    }
    t->log = log;
    t->ready = true;
    return true;
}

static bool fse_one(struct fse *t, uint8_t symbol)
{
    t->log = 0;
    t->symbol[0] = symbol;
    t->bits[0] = 0;
    t->base[0] = 0;
    t->ready = true;
    return true;
}

/* A table's description: how often each symbol comes, in units of 1 / 2^log. */
static bool fse_read(struct fse *t, struct bytes *in, unsigned max_log, unsigned max_symbols)
{
    int64_t at = 4;
    if (!in->n)
        return false;
    const unsigned log = (in->p[0] & 15u) + 5;
    int16_t counts[MAX_SYMBOLS] = {0};
    if (log > max_log)
        return false;
    int32_t left = 1 << log;
    unsigned n = 0;
    while (left > 0) {
        if (n >= max_symbols || (uint64_t)at > in->n * 8)
            return false;
        const unsigned width = top_bit((uint64_t)left + 1) + 1;
        uint32_t v = bits_at(in, at, width);
        const uint32_t low = (1u << (width - 1)) - 1,
                       limit = (1u << width) - 1 - (uint32_t)(left + 1);
        at += width;
        if ((v & low) < limit) { /* the small ones are a bit shorter */
            at--;
            v &= low;
        } else if (v > low) {
            v -= limit;
        }
        const int32_t count = (int32_t)v - 1;
        left -= count < 0 ? -count : count;
        counts[n++] = (int16_t)count;
        for (uint32_t zeros = count ? 0 : 3; zeros == 3;) { /* runs of zeros */
            zeros = bits_at(in, at, 2);
            at += 2;
            if (n + zeros > max_symbols || (uint64_t)at > in->n * 8)
                return false;
            n += zeros;
        }
    }
    const size_t used = (size_t)(at + 7) / 8;
    if (left < 0 || used > in->n)
        return false;
    in->p += used;
    in->n -= used;
    return fse_build(t, counts, n, log);
}

struct state {
    const struct fse *t;
    uint32_t at;
};

static void state_open(struct state *s, const struct fse *t, struct stream *in)
{
    s->t = t;
    s->at = stream_read(in, t->log);
}

static void state_next(struct state *s, struct stream *in)
{
    s->at = s->t->base[s->at] + stream_read(in, s->t->bits[s->at]);
}

static uint8_t state_symbol(const struct state *s)
{
    return s->t->symbol[s->at];
}

/* ---- Huffman ---- */
struct huffman {
    unsigned bits; /* longest code; 0: there is no table yet */
    uint8_t symbol[1 << MAX_HUFFMAN_BITS], length[1 << MAX_HUFFMAN_BITS];
};

static bool huffman_build(struct huffman *h, const uint8_t *weights, unsigned n)
{
    uint32_t sum = 0, first[MAX_HUFFMAN_BITS + 2], count[MAX_HUFFMAN_BITS + 2] = {0};
    uint8_t length[MAX_SYMBOLS] = {0};
    for (unsigned i = 0; i < n; i++) {
        if (weights[i] > MAX_HUFFMAN_BITS)
            return false;
        sum += weights[i] ? 1u << (weights[i] - 1) : 0;
    }
    if (!sum || n >= MAX_SYMBOLS)
        return false;
    const unsigned bits = top_bit(sum) + 1;
    const uint32_t rest = (1u << bits) - sum;
    if (bits > MAX_HUFFMAN_BITS || rest & (rest - 1))
        return false;
    for (unsigned i = 0; i <= n; i++) { /* the last weight fills up what is left */
        const unsigned w = i < n ? weights[i] : top_bit(rest) + 1;
        length[i] = (uint8_t)(w ? bits + 1 - w : 0);
        count[length[i]]++;
    }
    first[bits] = 0;
    for (unsigned l = bits; l >= 1; l--) {
        first[l - 1] = first[l] + (count[l] << (bits - l));
        if (first[l - 1] > 1u << bits)
            return false;
        memset(h->length + first[l], (int)l, first[l - 1] - first[l]);
    }
    if (first[0] != 1u << bits)
        return false;
    for (unsigned i = 0; i <= n; i++)
        if (length[i]) {
            const uint32_t room = 1u << (bits - length[i]);
            memset(h->symbol + first[length[i]], (int)i, room);
            first[length[i]] += room;
        }
    h->bits = bits;
    return true;
}

static bool huffman_read(struct huffman *h, struct bytes *in)
{
    uint8_t weights[MAX_SYMBOLS] = {0};
    uint64_t head;
    unsigned n = 0;
    struct bytes b;
    if (!number(in, 1, &head))
        return false;
    if (head >= 128) { /* four bits each */
        n = (unsigned)head - 127;
        if (!take(in, (n + 1) / 2, &b))
            return false;
        for (unsigned i = 0; i < n; i++)
            weights[i] = i % 2 ? b.p[i / 2] & 15 : b.p[i / 2] >> 4;
        return huffman_build(h, weights, n);
    }
    struct fse t = {0};
    struct stream s;
    struct state state[2];
    if (!take(in, (size_t)head, &b) || !fse_read(&t, &b, 6, MAX_SYMBOLS) || !stream_open(&s, b))
        return false;
    state_open(&state[0], &t, &s);
    state_open(&state[1], &t, &s);
    for (unsigned turn = 0; n + 2 < MAX_SYMBOLS; turn ^= 1) {
        weights[n++] = state_symbol(&state[turn]);
        state_next(&state[turn], &s);
        if (s.at < 0) {
            weights[n++] = state_symbol(&state[turn ^ 1]);
            return huffman_build(h, weights, n);
        }
    }
    return false;
}

static bool huffman_stream(const struct huffman *h, struct bytes in, uint8_t *out, size_t n)
{
    struct stream s;
    if (!stream_open(&s, in))
        return false;
    const uint32_t mask = (1u << h->bits) - 1;
    uint32_t at = stream_read(&s, h->bits);
    for (size_t i = 0; i < n; i++) {
        out[i] = h->symbol[at];
        const unsigned used = h->length[at];
        at = (at << used & mask) | stream_read(&s, used);
    }
    return s.at == -(int64_t)h->bits;
}

/* ---- blocks ---- */
struct decoder {
    struct huffman huffman;
    struct fse literal_lengths, offsets, match_lengths;
    uint64_t recent[3];
    uint8_t literals[MAX_BLOCK];
    size_t nliterals;
    uint8_t *out;
    size_t at, size;
};

static bool compressed_literals(struct decoder *d, struct bytes b, unsigned streams, bool new_table)
{
    if (new_table && !huffman_read(&d->huffman, &b))
        return false;
    if (!d->huffman.bits)
        return false;
    if (streams == 1)
        return huffman_stream(&d->huffman, b, d->literals, d->nliterals);
    const size_t each = (d->nliterals + 3) / 4;
    uint64_t sizes[3];
    uint8_t *out = d->literals;
    for (unsigned i = 0; i < 3; i++)
        if (!number(&b, 2, &sizes[i]))
            return false;
    if (3 * each > d->nliterals)
        return false;
    for (unsigned i = 0; i < 4; i++, out += each) {
        struct bytes part = b;
        if (i < 3 && !take(&b, (size_t)sizes[i], &part))
            return false;
        if (!huffman_stream(&d->huffman, part, out, i < 3 ? each : d->nliterals - 3 * each))
            return false;
    }
    return true;
}

static bool read_literals(struct decoder *d, struct bytes *in)
{
    uint64_t head;
    struct bytes b;
    if (!in->n)
        return false;
    const unsigned type = in->p[0] & 3, format = in->p[0] >> 2 & 3;
    if (type < 2) { /* as they are, or one byte again and again */
        const unsigned bytes = format == 1 ? 2 : format == 3 ? 3 : 1;
        if (!number(in, bytes, &head))
            return false;
        d->nliterals = (size_t)(head >> (bytes == 1 ? 3 : 4));
        if (d->nliterals > MAX_BLOCK || !take(in, type ? 1 : d->nliterals, &b))
            return false;
        if (type)
            memset(d->literals, b.p[0], d->nliterals);
        else
            memcpy(d->literals, b.p, d->nliterals);
        return true;
    }
    const unsigned bits = format < 2 ? 10 : format == 2 ? 14 : 18;
    if (!number(in, format < 2 ? 3 : format == 2 ? 4 : 5, &head))
        return false;
    d->nliterals = (size_t)(head >> 4 & ((1u << bits) - 1));
    const size_t packed = (size_t)(head >> (4 + bits) & ((1u << bits) - 1));
    return d->nliterals <= MAX_BLOCK && take(in, packed, &b) &&
           compressed_literals(d, b, format ? 4 : 1, type == 2);
}

/* ---- sequences ---- */
struct code {
    uint32_t base;
    uint8_t bits;
};
static const struct code literal_codes[36] = {
    {0, 0},     {1, 0},      {2, 0},      {3, 0},     {4, 0},   {5, 0},     {6, 0},     {7, 0},
    {8, 0},     {9, 0},      {10, 0},     {11, 0},    {12, 0},  {13, 0},    {14, 0},    {15, 0},
    {16, 1},    {18, 1},     {20, 1},     {22, 1},    {24, 2},  {28, 2},    {32, 3},    {40, 3},
    {48, 4},    {64, 6},     {128, 7},    {256, 8},   {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
    {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}};
static const struct code match_codes[53] = {
    {3, 0},     {4, 0},     {5, 0},      {6, 0},      {7, 0},     {8, 0},   {9, 0},     {10, 0},
    {11, 0},    {12, 0},    {13, 0},     {14, 0},     {15, 0},    {16, 0},  {17, 0},    {18, 0},
    {19, 0},    {20, 0},    {21, 0},     {22, 0},     {23, 0},    {24, 0},  {25, 0},    {26, 0},
    {27, 0},    {28, 0},    {29, 0},     {30, 0},     {31, 0},    {32, 0},  {33, 0},    {34, 0},
    {35, 1},    {37, 1},    {39, 1},     {41, 1},     {43, 2},    {47, 2},  {51, 3},    {59, 3},
    {67, 4},    {83, 4},    {99, 5},     {131, 7},    {259, 8},   {515, 9}, {1027, 10}, {2051, 11},
    {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};
static const int16_t usual_literals[36] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                           2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                           2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t usual_matches[53] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t usual_offsets[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

static bool read_table(struct fse *t, struct bytes *in, unsigned mode, const int16_t *usual,
                       unsigned n, unsigned usual_log, unsigned max_log)
{
    uint64_t symbol;
    switch (mode) {
    case 0: return fse_build(t, usual, n, usual_log);
    case 1: return number(in, 1, &symbol) && symbol < MAX_SYMBOLS && fse_one(t, (uint8_t)symbol);
    case 2: return fse_read(t, in, max_log, n > 32 ? n : 32);
    default: return t->ready;
    }
}

/* Numbers up to 3 stand for recent offsets. */
static uint64_t offset_of(struct decoder *d, uint64_t v, bool no_literals)
{
    uint64_t *r = d->recent;
    if (v > 3) {
        r[2] = r[1];
        r[1] = r[0];
        return r[0] = v - 3;
    }
    const unsigned which = (unsigned)v - 1 + no_literals;
    if (!which)
        return r[0];
    const uint64_t x = which == 3 ? r[0] - 1 : r[which];
    if (which > 1)
        r[2] = r[1];
    r[1] = r[0];
    return r[0] = x;
}

static bool run_sequences(struct decoder *d, struct bytes in, uint32_t n)
{
    struct stream s;
    struct state literal, offset, match;
    size_t used = 0;
    if (n) {
        if (!stream_open(&s, in))
            return false;
        state_open(&literal, &d->literal_lengths, &s);
        state_open(&offset, &d->offsets, &s);
        state_open(&match, &d->match_lengths, &s);
    }
    for (uint32_t i = 0; i < n; i++) {
        const unsigned lc = state_symbol(&literal), oc = state_symbol(&offset),
                       mc = state_symbol(&match);
        if (lc >= 36 || mc >= 53 || oc > 31)
            return false;
        uint64_t v = (UINT64_C(1) << oc) + stream_read(&s, oc);
        const size_t length = match_codes[mc].base + stream_read(&s, match_codes[mc].bits);
        const size_t run = literal_codes[lc].base + stream_read(&s, literal_codes[lc].bits);
        if (s.at < 0)
            return false;
        if (i + 1 < n) {
            state_next(&literal, &s);
            state_next(&match, &s);
            state_next(&offset, &s);
        }
        v = offset_of(d, v, !run);
        if (run > d->nliterals - used || run > d->size - d->at)
            return false;
        memcpy(d->out + d->at, d->literals + used, run);
        used += run;
        d->at += run;
        if (!v || v > d->at || length > d->size - d->at)
            return false;
        for (size_t k = 0; k < length; k++, d->at++)
            d->out[d->at] = d->out[d->at - v];
    }
    if (n && s.at != 0)
        return false;
    const size_t rest = d->nliterals - used;
    if (rest > d->size - d->at)
        return false;
    memcpy(d->out + d->at, d->literals + used, rest);
    d->at += rest;
    return true;
}

static bool compressed_block(struct decoder *d, struct bytes in)
{
    uint64_t n, more, modes;
    if (!read_literals(d, &in) || !number(&in, 1, &n))
        return false;
    if (n == 255) {
        if (!number(&in, 2, &more))
            return false;
        n = more + 0x7f00;
    } else if (n >= 128) {
        if (!number(&in, 1, &more))
            return false;
        n = (n - 128) << 8 | more;
    }
    if (n) {
        if (!number(&in, 1, &modes) || modes & 3 ||
            !read_table(&d->literal_lengths, &in, modes >> 6 & 3, usual_literals, 36, 6, 9) ||
            !read_table(&d->offsets, &in, modes >> 4 & 3, usual_offsets, 29, 5, 8) ||
            !read_table(&d->match_lengths, &in, modes >> 2 & 3, usual_matches, 53, 6, 9))
            return false;
    }
    return run_sequences(d, in, (uint32_t)n);
}

static bool frame(struct decoder *d, struct bytes in)
{
    static const uint8_t id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {0, 2, 4, 8};
    uint64_t magic, flags, skip;
    if (!number(&in, 4, &magic) || magic != 0xfd2fb528 || !number(&in, 1, &flags))
        return false;
    const bool single = flags >> 5 & 1;
    unsigned size = size_bytes[flags >> 6];
    if (single && !size)
        size = 1;
    if (flags & 8 || id_bytes[flags & 3] || (!single && !number(&in, 1, &skip)) ||
        !number(&in, size, &skip))
        return false; /* no dictionaries */
    for (bool last = false; !last;) {
        uint64_t head;
        struct bytes b;
        if (!number(&in, 3, &head))
            return false;
        last = head & 1;
        const unsigned type = head >> 1 & 3;
        const size_t n = (size_t)(head >> 3);
        if (type == 3 || !take(&in, type == 1 ? 1 : n, &b))
            return false;
        if (type == 2) {
            if (n > MAX_BLOCK || !compressed_block(d, b))
                return false;
            continue;
        }
        if (n > d->size - d->at)
            return false;
        if (type == 1)
            memset(d->out + d->at, b.p[0], n);
        else
            memcpy(d->out + d->at, b.p, n);
        d->at += n;
    }
    return d->at == d->size;
}

bool zstd_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->recent[0] = 1;
    d->recent[1] = 4;
    d->recent[2] = 8;
    d->out = out;
    d->size = size;
    const bool ok = frame(d, (struct bytes){in, n});
    free(d);
    return ok;
}
