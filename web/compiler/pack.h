/* How the data of the compiler's module is packed: bytes, and copies of what came before, by
 * adaptive binary arithmetic coding. tool/pack.c packs it after the module is linked, unpack.c
 * undoes that in the page: the constants are half of the module, and this makes them a fifth
 * smaller than gzip would, and four fifths smaller than they are.
 *
 * One description serves both ways: BIT(c, p, b) codes the bit b as *p expects it and gives
 * it back; when unpacking it gives the bit that comes, and the values handed down do not matter.
 * Whoever includes this defines `struct coder` and BIT before. */
#ifndef TERN_WEB_PACK_H
#define TERN_WEB_PACK_H

#include <stdint.h>

enum {
    PACK_BITS = 15, /* of a probability */
    PACK_EVEN = 1 << (PACK_BITS - 1),
    PACK_SEEN = 120, /* bits that count, each as much as another */
    PACK_RECENT = 4, /* distances */
    PACK_MAGIC = 0x6e726574,
};

/* What lies at __heap_base of a packed module. */
struct pack_head {
    uint32_t magic, to, size, packed;
    uint8_t bytes[];
};

/* What to expect of a bit. */
struct pack_bit {
    uint16_t zero; /* how probable that is */
    uint16_t seen; /* how many bits that is drawn from */
};

struct pack_number {
    struct pack_bit size[32], top[32][8], middle[32][32], last[16];
};

struct pack_model {
    struct pack_bit is_copy[4][256]; /* [what the last two were][the byte before] */
    struct pack_bit is_again[4];     /* one of the recent distances */
    struct pack_bit is_older[PACK_RECENT - 1][4];
    struct pack_bit byte[256][3 * 256];
    struct pack_number length[2], distance[4];
};

/* Where coding stands: bit 0 of `past` is set after a copy, bit 1 if the one before was a copy. */
struct pack_state {
    uint32_t past, distance[PACK_RECENT]; /* the last one first */
};

static inline void pack_start(struct pack_model *m, struct pack_state *s)
{
    struct pack_bit *p = (struct pack_bit *)m;
    for (unsigned k = 0; k < sizeof *m / sizeof *p; k++)
        p[k] = (struct pack_bit){PACK_EVEN, 0};
    *s = (struct pack_state){0, {1, 1, 1, 1}};
}

/* Expects more of what came: much at first, less once much is known. Neither bit becomes
 * impossible. */
static inline void pack_learn(struct pack_bit *p, uint32_t bit)
{
    const uint32_t slow = p->seen + 3u;
    if (bit)
        p->zero = (uint16_t)(p->zero - p->zero * 2u / slow);
    else
        p->zero = (uint16_t)(p->zero + ((1u << PACK_BITS) - p->zero) * 2u / slow);
    p->seen += p->seen < PACK_SEEN;
}

/* A copy from this distance was made. */
static inline void pack_remember(struct pack_state *s, uint32_t distance)
{
    unsigned k = 0;
    while (k < PACK_RECENT - 1 && s->distance[k] != distance)
        k++;
    for (; k; k--)
        s->distance[k] = s->distance[k - 1];
    s->distance[0] = distance;
}

/* A number from 1 on: how many bits it has, then the bits. The first three know each other, and so
 * do the last four, since tables have rows of a fixed size. */
static inline uint32_t pack_number(struct coder *c, struct pack_number *n, uint32_t v)
{
    uint32_t bits = 0, size = 1, out = 1;
    while (v >> bits > 1)
        bits++;
    for (unsigned k = 5; k-- > 0;)
        size = size << 1 | BIT(c, &n->size[size], bits >> k & 1);
    bits = size & 31;
    for (uint32_t k = bits; k-- > 0;) {
        const uint32_t first = 8u >> k; /* of the last four: 1, 2, 4, 8 for k = 3 to 0 */
        struct pack_bit *p = bits - k <= 3 ? &n->top[bits][out]
                             : k < 4       ? &n->last[first | (out & (first - 1))]
                                           : &n->middle[bits][k];
        out = out << 1 | BIT(c, p, v >> k & 1);
    }
    return out;
}

/* A byte that follows `before`. `expected` is what would have come, had the copy before gone on; or
 * -1. */
static inline uint32_t pack_byte(struct coder *c, struct pack_model *m, uint32_t before,
                                 int expected, uint32_t v)
{
    struct pack_bit *p = m->byte[before];
    uint32_t out = 1;
    for (unsigned k = 8; k-- > 0;) {
        const int hint = expected < 0 ? 0 : expected >> k & 1;
        const uint32_t b = BIT(c, &p[(expected < 0 ? 0 : 256u << hint) + out], v >> k & 1);
        out = out << 1 | b;
        if ((uint32_t)hint != b)
            expected = -1;
    }
    return out & 255;
}

/* Which of the recent distances it is, from 1 on; 0: none of them. */
static inline uint32_t pack_recent(struct coder *c, struct pack_model *m,
                                   const struct pack_state *s, uint32_t distance)
{
    uint32_t which = 0, out = 0;
    while (which < PACK_RECENT && s->distance[which] != distance)
        which++;
    if (!BIT(c, &m->is_again[s->past], which < PACK_RECENT))
        return 0;
    while (out < PACK_RECENT - 1 && BIT(c, &m->is_older[out][s->past], which > out))
        out++;
    return out + 1;
}

/* One step at d[at]: a copy of `length` bytes from `distance` before, or one byte if length is 1.
 * Gives the length; unpacking writes the bytes. */
static inline uint32_t pack_step(struct coder *c, struct pack_model *m, struct pack_state *s,
                                 uint8_t *d, uint32_t at, uint32_t length, uint32_t distance)
{
    const uint32_t before = at ? d[at - 1] : 0;
    if (!BIT(c, &m->is_copy[s->past][before], length > 1)) {
        const bool after = s->past & 1 && at >= s->distance[0];
        const uint32_t b = pack_byte(c, m, before, after ? d[at - s->distance[0]] : -1, d[at]);
        d[at] = (uint8_t)b;
        s->past = s->past << 1 & 3;
        return 1;
    }
    const uint32_t again = pack_recent(c, m, s, distance);
    length = pack_number(c, &m->length[again > 0], length - 1) + 1;
    distance = again ? s->distance[again - 1]
                     : pack_number(c, &m->distance[length < 5 ? length - 2 : 3], distance);
    pack_remember(s, distance);
    for (uint32_t k = 0; k < length; k++)
        d[at + k] = d[at + k - distance];
    s->past = (s->past << 1 & 3) | 1;
    return length;
}

#endif
