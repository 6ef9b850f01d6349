/* pack MODULE: packs the data of a WebAssembly module in place, as web/compiler/pack.h says. What
 * is left is one segment at __heap_base, which the module unpacks by itself. Runs while Tern is
 * built. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct coder {
    bool prices; /* only add up what it would cost, in bits */
    float cost;
    uint8_t *out;
    size_t n;
    uint64_t low, held; /* held: bytes that a carry may still change */
    uint32_t range;
    uint8_t last;
};

struct pack_bit;
static uint32_t code_bit(struct coder *c, struct pack_bit *p, uint32_t b);
#define BIT(c, p, b) code_bit(c, p, b)
#include "../web/compiler/pack.h"

enum { LONGEST = 1000, TRIES = 300, HASH = 1 << 16 };
static float bits_of[(1 << PACK_BITS) + 1]; /* what a bit of this probability costs */

static void fail(const char *why)
{
    fprintf(stderr, "pack: %s\n", why);
    exit(1);
}

static void *room(size_t n)
{
    void *p = calloc(n + 1, 1);
    if (!p)
        fail("out of memory");
    return p;
}

static void shift(struct coder *c)
{
    if (c->low < 0xff000000u || c->low >> 32) {
        const uint8_t carry = (uint8_t)(c->low >> 32);
        for (uint8_t b = c->last; c->held; c->held--, b = 0xff)
            c->out[c->n++] = (uint8_t)(b + carry);
        c->last = (uint8_t)(c->low >> 24);
    }
    c->held++;
    c->low = (c->low & 0xffffff) << 8;
}

static uint32_t code_bit(struct coder *c, struct pack_bit *p, uint32_t b)
{
    const uint32_t bound = (c->range >> PACK_BITS) * p->zero;
    if (c->prices) {
        c->cost += bits_of[b ? (1 << PACK_BITS) - p->zero : p->zero];
        return b;
    }
    if (b) {
        c->low += bound;
        c->range -= bound;
    } else {
        c->range = bound;
    }
    pack_learn(p, b);
    while (c->range < 1u << 24) {
        c->range <<= 8;
        shift(c);
    }
    return b;
}

/* The way to reach a place: from `length` before it, by a copy or a byte; and how coding stands
 * there. */
struct way {
    float cost;
    uint32_t length, distance;
    struct pack_state state;
};

static void offer(struct way *w, float cost, uint32_t length, uint32_t distance,
                  const struct way *from)
{
    if (cost >= w->cost)
        return;
    const bool copy = length > 1;
    *w = (struct way){cost, length, distance, from->state};
    w->state.past = (w->state.past << 1 & 3) | copy;
    if (copy)
        pack_remember(&w->state, distance);
}

/* A copy that can be made at a place, longer than those before it in its list. */
struct match {
    uint32_t length, distance;
};

/* What can be copied to each place: list[first[at]] up to list[first[at + 1]], the nearest first.
 * It depends on the data alone, so that it is searched once, and serves every pass. */
struct matches {
    struct match *list;
    uint32_t *first;
};

static struct matches find(const uint8_t *d, uint32_t n)
{
    static int32_t head[HASH];
    int32_t *before = room(n * sizeof *before);
    uint32_t count = 0, space = n + 1;
    struct matches m = {room(space * sizeof *m.list), room((n + 2) * sizeof *m.first)};
    memset(head, 0xff, sizeof head);
    for (uint32_t at = 0; at < n; at++) {
        const uint32_t most = n - at < LONGEST ? n - at : LONGEST;
        m.first[at] = count;
        if (most < 3)
            continue;
        const uint32_t hash =
            (d[at] | (uint32_t)d[at + 1] << 8 | (uint32_t)d[at + 2] << 16) * 2654435761u >> 16;
        uint32_t best = 1, tries = TRIES;
        for (int32_t k = head[hash]; k >= 0 && best < most && tries--; k = before[k]) {
            const uint32_t distance = at - (uint32_t)k;
            uint32_t l = 0;
            if (d[at + best] != d[at + best - distance])
                continue;
            while (l < most && d[at + l] == d[at + l - distance])
                l++;
            if (l <= best)
                continue;
            if (count == space && !(m.list = realloc(m.list, (space *= 2) * sizeof *m.list)))
                fail("out of memory");
            m.list[count++] = (struct match){l, distance};
            best = l;
        }
        before[at] = head[hash];
        head[hash] = (int32_t)at;
    }
    m.first[n] = count;
    free(before);
    return m;
}

/* The cheapest steps through d[n], if the model stayed as it is; steps[at] is the one taken at
 * `at`. */
static void choose(uint8_t *d, uint32_t n, const struct matches *known, struct pack_model *m,
                   struct way *ways, struct way *steps)
{
    struct coder c = {.prices = true};
    static float lengths[2][LONGEST + 1];
    for (unsigned again = 0; again < 2; again++)
        for (uint32_t l = 2; l <= LONGEST; l++) {
            c.cost = 0;
            pack_number(&c, &m->length[again], l - 1);
            lengths[again][l] = c.cost;
        }
    for (uint32_t k = 0; k <= n; k++)
        ways[k].cost = k ? INFINITY : 0;
    ways[0].state = (struct pack_state){0, {1, 1, 1, 1}};
    for (uint32_t at = 0; at < n; at++) {
        struct way *here = &ways[at];
        const uint32_t past = here->state.past;
        struct pack_state s = here->state;
        c.cost = here->cost;
        pack_step(&c, m, &s, d, at, 1, 0);
        offer(&ways[at + 1], c.cost, 1, 0, here);
        c.cost = here->cost;
        BIT(&c, &m->is_copy[past][at ? d[at - 1] : 0], 1);
        const float copy = c.cost;
        const uint32_t most = n - at < LONGEST ? n - at : LONGEST;
        for (unsigned k = 0; k < PACK_RECENT; k++) {
            const uint32_t old = here->state.distance[k];
            c.cost = copy;
            pack_recent(&c, m, &here->state, old);
            for (uint32_t l = 0; at >= old && l < most && d[at + l] == d[at + l - old]; l++)
                if (l)
                    offer(&ways[at + l + 1], c.cost + lengths[1][l + 1], l + 1, old, here);
        }
        c.cost = copy;
        BIT(&c, &m->is_again[past], 0);
        const float new = c.cost;
        uint32_t length = 2;
        for (uint32_t k = known->first[at]; k < known->first[at + 1]; k++) {
            const struct match *it = &known->list[k];
            float far[4];
            for (unsigned i = 0; i < 4; i++) {
                c.cost = new;
                pack_number(&c, &m->distance[i], it->distance);
                far[i] = c.cost;
            }
            for (; length <= it->length; length++)
                offer(&ways[at + length], far[length < 5 ? length - 2 : 3] + lengths[0][length],
                      length, it->distance, here);
        }
    }
    for (uint32_t at = n; at; at -= ways[at].length)
        steps[at - ways[at].length] = ways[at];
}

/* Packs d[n] into out; gives the size. Prices come from the pass before. */
static size_t pack(uint8_t *d, uint32_t n, uint8_t *out)
{
    static struct pack_model model;
    struct way *ways = room((n + 1) * sizeof *ways), *steps = room((n + 1) * sizeof *steps);
    struct matches known = find(d, n);
    struct pack_state s;
    size_t size = 0;
    bits_of[0] = PACK_BITS;
    for (int k = 1; k <= 1 << PACK_BITS; k++)
        bits_of[k] = -log2f((float)k / (1 << PACK_BITS));
    pack_start(&model, &s);
    for (int pass = 0; pass < 3; pass++) {
        struct coder c = {.out = out, .range = UINT32_MAX, .held = 1};
        choose(d, n, &known, &model, ways, steps);
        pack_start(&model, &s);
        for (uint32_t at = 0; at < n;)
            at += pack_step(&c, &model, &s, d, at, steps[at].length, steps[at].distance);
        for (int k = 0; k < 5; k++)
            shift(&c);
        size = c.n;
    }
    free(known.list);
    free(known.first);
    free(ways);
    free(steps);
    return size;
}

/* ---- modules ---- */

enum { MEMORY = 5, GLOBAL = 6, EXPORT = 7, DATA = 11, DATA_COUNT = 12 };

struct span {
    const uint8_t *at, *end;
};

static uint32_t number(struct span *s)
{
    uint32_t v = 0;
    for (unsigned k = 0; k < 35; k += 7) {
        if (s->at >= s->end)
            break;
        v |= (uint32_t)(*s->at & 127) << k;
        if (!(*s->at++ & 128))
            return v;
    }
    fail("a damaged module");
    return 0;
}

static struct span bytes(struct span *s, uint32_t n)
{
    if (n > (size_t)(s->end - s->at))
        fail("a damaged module");
    s->at += n;
    return (struct span){s->at - n, s->at};
}

static void put_number(FILE *f, uint32_t v)
{
    do
        putc((int)(v & 127) | (v > 127 ? 128 : 0), f);
    while (v >>= 7);
}

static uint32_t size_of(uint32_t v)
{
    return v > 127 ? 1 + size_of(v >> 7) : 1;
}

/* i32.const N end. Addresses are below 2^31, so that no sign is lost. */
static uint32_t constant(struct span *s)
{
    if (number(s) != 0x41)
        fail("an address that is no constant");
    const uint32_t v = number(s);
    if (number(s) != 0x0b)
        fail("an address that is no constant");
    return v;
}

static uint32_t heap_base(struct span globals, struct span exports)
{
    uint32_t wanted = UINT32_MAX;
    for (uint32_t n = number(&exports); n; n--) {
        const struct span name = bytes(&exports, number(&exports));
        const uint32_t kind = number(&exports), index = number(&exports);
        if (kind == 3 && name.end - name.at == 11 && !memcmp(name.at, "__heap_base", 11))
            wanted = index;
    }
    for (uint32_t k = 0, n = number(&globals); k < n; k++) {
        bytes(&globals, 2);
        const uint32_t v = constant(&globals);
        if (k == wanted)
            return v;
    }
    fail("__heap_base is not exported");
    return 0;
}

int main(int argc, char **argv)
{
    static uint8_t module[8 << 20], image[8 << 20], out[8 << 20];
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    const size_t n = f ? fread(module, 1, sizeof module, f) : 0;
    if (n < 8 || n == sizeof module || memcmp(module, "\0asm", 4))
        fail("usage: pack MODULE");
    fclose(f);
    struct span sections[16] = {{0}}, all = {module + 8, module + n};
    while (all.at < all.end) {
        const uint32_t id = number(&all);
        const struct span s = bytes(&all, number(&all));
        if (id < 16 && id)
            sections[id] = s;
    }
    if (!sections[DATA].at || !sections[GLOBAL].at || !sections[EXPORT].at || !sections[MEMORY].at)
        fail("a section is missing");
    const uint32_t heap = heap_base(sections[GLOBAL], sections[EXPORT]);
    uint32_t first = UINT32_MAX, end = 0;
    for (int turn = 0; turn < 2; turn++) { /* how far the data reaches, then the data */
        struct span s = sections[DATA];
        for (uint32_t k = number(&s); k; k--) {
            if (number(&s))
                fail("a segment that does not place itself");
            const uint32_t at = constant(&s);
            const struct span b = bytes(&s, number(&s));
            const uint32_t size = (uint32_t)(b.end - b.at);
            first = at < first ? at : first;
            end = at + size > end ? at + size : end;
            if (turn)
                memcpy(image + (at - first), b.at, size);
        }
        if (first > end || end - first > sizeof image || end > heap)
            fail("data where none is expected");
    }
    struct pack_head h = {PACK_MAGIC, first, end - first, 0};
    h.packed = (uint32_t)pack(image, h.size, out);
    const uint32_t head = offsetof(struct pack_head, bytes), payload = head + h.packed;

    f = fopen(argv[1], "wb");
    if (!f)
        fail("the module cannot be written");
    fwrite(module, 1, 8, f);
    for (all.at = module + 8; all.at < all.end;) {
        const uint8_t *start = all.at;
        const uint32_t id = number(&all);
        struct span s = bytes(&all, number(&all));
        if (id == DATA) {
            putc(DATA, f);
            put_number(f, 1 + 1 + 1 + size_of(heap << 1) + 1 + size_of(payload) + payload);
            put_number(f, 1);
            put_number(f, 0);
            putc(0x41, f);
            uint32_t v = heap;
            for (; v > 63; v >>= 7) /* signed: bit 6 of the last byte is clear */
                putc((int)(v & 127) | 128, f);
            putc((int)v, f);
            putc(0x0b, f);
            put_number(f, payload);
            fwrite(&h, 1, head, f);
            fwrite(out, 1, h.packed, f);
        } else if (id == DATA_COUNT) {
            fwrite("\x0c\x01\x01", 1, 3, f);
        } else if (id == MEMORY) { /* one memory with a limit; it must hold the packed data */
            const uint32_t count = number(&s), flags = number(&s), least = number(&s),
                           most = number(&s);
            const uint32_t pages = (heap + payload + 65535) / 65536,
                           now = least > pages ? least : pages;
            if (count != 1 || flags != 1)
                fail("another memory than expected");
            putc(MEMORY, f);
            put_number(f, 2 + size_of(now) + size_of(most));
            put_number(f, 1);
            put_number(f, 1);
            put_number(f, now);
            put_number(f, most);
        } else {
            fwrite(start, 1, (size_t)(all.at - start), f);
        }
    }
    return fclose(f) ? 1 : 0;
}
