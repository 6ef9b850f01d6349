/* Instructions ↔ bytes, and their text.
 *
 * An instruction is prefixes (or VEX or EVEX, which have them inside), an opcode in one of four
 * maps, ModRM with what names a place in memory, and immediates. A row says all but its operands;
 * their kinds say where each one stands. */
#include <string.h>
#include "back/x64/x64_int.h"

/* ---- rows ---- */
enum {
    LOCK = 1 << 22,
    NORM = 1 << 21,
    IS_VEX = 1 << 13,
    HAS_DIGIT = 1 << 19,
    IS_EVEX = 1 << 24,
    MAY_BE_EVEX = 1 << 25, /* where a register from 16 on is named */
    LENGTH = 26,           /* EVEX's, two bits */
    UNIT = 28,             /* of short distances in memory, as a power of two: three bits */
    LEGACY = (1 << 23) - 1 /* what instructions without EVEX are told apart by */
};
#define W1                        (UINT64_C(1) << 32)
#define EZ                        (UINT64_C(1) << 33) /* lanes that the mask leaves out are 0 */
#define L(prefix, map, w, op)     ((op) | (map) << 8 | (prefix) << 10 | (w) << 12)
#define KV(l, prefix, map, w, op) (L(prefix, map, w, op) | IS_VEX | (l) << 14)
#define E(l, prefix, map, w, op)  (L(prefix, map, w, op) | IS_EVEX | (uint64_t)(l) << LENGTH)
#define DIGIT(n)                  ((n) << 16 | HAS_DIGIT)
#define UNITS(n)                  ((uint64_t)(n) << UNIT)
#define N_1                       UNITS(0)
#define N_2                       UNITS(1)
#define N_4                       UNITS(2)
#define N_8                       UNITS(3)
#define N_16                      UNITS(4)
#define N_32                      UNITS(5)
#define N_64                      UNITS(6)

static const struct mach_kind kinds[] = {
    {0},
#define KIND(name, role, class, place, width, form)                                                \
    {#name, MACH_##role, class, X64_P_##place, width, X64_F_##form},
#include "back/x64/kinds.def"
};
#define X64_KIND_NO X64_NO
#define A_ROW(name, text, bits, results, a, b, c, d, e, f, g, h, latency, unit, flags)             \
    {#name,                                                                                        \
     text,                                                                                         \
     bits,                                                                                         \
     results,                                                                                      \
     {X64_KIND_##a, X64_KIND_##b, X64_KIND_##c, X64_KIND_##d, X64_KIND_##e, X64_KIND_##f,          \
      X64_KIND_##g, X64_KIND_##h},                                                                 \
     latency,                                                                                      \
     X64_U_##unit,                                                                                 \
     flags,                                                                                        \
     X64_REG_##a | X64_REG_##b << 1 | X64_REG_##c << 2 | X64_REG_##d << 3 | X64_REG_##e << 4 |     \
         X64_REG_##f << 5 | X64_REG_##g << 6 | X64_REG_##h << 7,                                   \
     X64_AT_##a | X64_AT_##b | X64_AT_##c | X64_AT_##d | X64_AT_##e | X64_AT_##f | X64_AT_##g |    \
         X64_AT_##h},
#define X64_ROW            A_ROW
#define V                  KV
#define VE                 KV
#define VO                 KV
#define BOTH(narrow, wide) narrow
#define X64_PTR_WHOLE      X64_PTR_32
#define X64_PTR_HALF       X64_PTR_16
#define N_WHOLE            N_32
#define N_HALF             N_16
static const struct mach_row rows[] = {
#include "back/x64/x64.def"
};
#undef V
#undef VE
#undef VO
#undef BOTH
#undef X64_PTR_WHOLE
#undef X64_PTR_HALF
#undef N_WHOLE
#undef N_HALF
#define X64_ROW A_ROW
#define V(l, prefix, map, w, op)                                                                   \
    ((l) ? E(2, prefix, map, w, op) : (uint64_t)KV(0, prefix, map, w, op) | MAY_BE_EVEX)
#define VE(l, prefix, map, w, op) E((l) ? 2 : 0, prefix, map, w, op)
#define VO(l, prefix, map, w, op) (KV(l, prefix, map, w, op) | X64_ABSENT)
#define BOTH(narrow, wide)        wide
#define X64_PTR_WHOLE             X64_PTR_64
#define X64_PTR_HALF              X64_PTR_32
#define N_WHOLE                   N_64
#define N_HALF                    N_32
static const struct mach_row wide_rows[] = {
#include "back/x64/x64.def"
};

static bool has(const struct mach_row *r, unsigned what)
{
    return r->places >> what & 1;
}
static bool in_memory(const struct mach_row *r)
{
    return r->places & (1 << X64_P_BASE | 1 << X64_P_RIP | 1 << X64_P_LANES);
}
static bool has_modrm(const struct mach_row *r)
{
    return r->bits & (HAS_DIGIT | NORM) || in_memory(r) ||
           r->places & (1 << X64_P_REG | 1 << X64_P_RM | 1 << X64_P_ALL);
}

/* ---- encoding ---- */
/* An instruction's pieces. */
struct parts {
    unsigned reg, rm, vvvv, last, base, index, scale, low; /* low: added to the opcode */
    unsigned mask;
    bool byte; /* a register of 8 bits that only a REX prefix can name */
    bool evex; /* one that only EVEX can name, or the row is so */
    bool is_short, has_last, has_index;
    int64_t distance, immediate;
    unsigned bits; /* of the immediate */
};

static bool fits(int64_t v, unsigned bits)
{
    return v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1);
}

static unsigned most_register(const struct mach_row *r, unsigned class)
{
    if (class == X64_MASK)
        return 7;
    return class == X64_VEC && r->bits & (IS_EVEX | MAY_BE_EVEX) ? 31 : 15;
}

static bool operand(const struct mach_row *r, unsigned k, int64_t v, struct parts *p)
{
    const struct mach_kind *kind = &kinds[r->kind[k]];
    const unsigned n = (unsigned)(v % MACH_CLASS_SIZE);
    if (v < 0 && (kind->form == X64_F_INDEX || kind->form == X64_F_TIMES))
        return true; /* there is none */
    if (kind->role == MACH_REG && n > most_register(r, kind->class))
        return false;
    if (kind->role == MACH_REG && n > 15)
        p->evex = true;
    if (kind->form == X64_F_R1 && kind->role == MACH_REG && n >= 4)
        p->byte = true;
    switch (kind->shift) {
    case X64_P_REG: p->reg = n; break;
    case X64_P_RM: p->rm = n; break;
    case X64_P_VVVV: p->vvvv = n; break;
    case X64_P_OPCODE: p->low = n & 7, p->rm = n; break;
    case X64_P_LAST: p->last = n, p->has_last = true; break;
    case X64_P_ALL: p->reg = p->rm = p->vvvv = n; break;
    case X64_P_BASE: p->base = n; break;
    case X64_P_INDEX:
        p->index = n, p->has_index = true;
        return n != X64_RSP; /* which stands for no index */
    case X64_P_LANES: p->index = n, p->has_index = true; break;
    case X64_P_MASK: p->mask = n; return n != 0; /* which stands for no mask */
    case X64_P_SCALE: p->scale = (unsigned)v; return v >= 0 && v < 4;
    case X64_P_DISTANCE: p->distance = v; return fits(v, 32);
    case X64_P_RIP:
    case X64_P_JUMP: p->distance = v; break;
    case X64_P_CONDITION: p->low = (unsigned)v; return v >= 0 && v < 16;
    case X64_P_SHORT:
        p->immediate = v, p->is_short = fits(v, 8), p->bits = p->is_short ? 8 : 32;
        return fits(v, 32);
    default: /* an immediate */
        p->immediate = v, p->bits = kind->width;
        return kind->width == 64 ||
               (kind->form == X64_F_SIGNED ? fits(v, kind->width) : v >= 0 && !(v >> kind->width));
    }
    return true;
}

struct bytes {
    uint8_t at[24];
    unsigned n;
};
static void put(struct bytes *b, uint64_t v, unsigned bits)
{
    for (unsigned k = 0; k < bits; k += 8)
        b->at[b->n++] = (uint8_t)(v >> k);
}

/* W, as EVEX has it. */
static unsigned evex_w(const struct mach_row *r)
{
    return (r->bits >> 12 & 1) | (r->bits & W1 ? 1 : 0);
}

static void evex(const struct mach_row *r, const struct parts *p, struct bytes *b)
{
    const bool places = in_memory(r), lanes = has(r, X64_P_LANES);
    const unsigned low = places ? p->base : p->rm;
    const unsigned x = places ? (p->has_index ? p->index >> 3 : 0) : p->rm >> 4;
    const unsigned v = (lanes ? p->index : p->vvvv) >> 4;
    put(b, 0x62, 8);
    put(b,
        (~p->reg >> 3 & 1) << 7 | (~x & 1) << 6 | (~(low >> 3) & 1) << 5 | (~p->reg >> 4 & 1) << 4 |
            (unsigned)(r->bits >> 8 & 3),
        8);
    put(b, evex_w(r) << 7 | (~p->vvvv & 15) << 3 | 4 | (unsigned)(r->bits >> 10 & 3), 8);
    put(b,
        (r->bits & EZ ? 128u : 0) | (unsigned)(r->bits >> LENGTH & 3) << 5 | (~v & 1) << 3 |
            p->mask,
        8);
}

static void prefixes(const struct mach_row *r, const struct parts *p, struct bytes *b)
{
    static const uint8_t legacy[] = {0, 0x66, 0xf3, 0xf2}, maps[] = {0, 0, 0x38, 0x3a};
    const unsigned prefix = r->bits >> 10 & 3, map = r->bits >> 8 & 3, w = r->bits >> 12 & 1;
    const bool memory = in_memory(r);
    const unsigned high = p->reg >> 3, x = p->has_index ? p->index >> 3 : 0,
                   low = (memory ? p->base : p->rm) >> 3;
    if (p->evex) {
        evex(r, p, b);
        return;
    }
    if (r->bits & IS_VEX) {
        unsigned last = (~p->vvvv & 15) << 3 | (unsigned)(r->bits >> 14 & 1) << 2 | prefix;
        if (map == 1 && !w && !x && !low) {
            put(b, 0xc5, 8);
            put(b, !high << 7 | last, 8);
        } else {
            put(b, 0xc4, 8);
            put(b, (unsigned)!high << 7 | (unsigned)!x << 6 | (unsigned)!low << 5 | map, 8);
            put(b, w << 7 | last, 8);
        }
        return;
    }
    if (r->bits & LOCK)
        put(b, 0xf0, 8);
    if (prefix)
        put(b, legacy[prefix], 8);
    if (w || high || x || low || p->byte)
        put(b, 0x40 | w << 3 | high << 2 | x << 1 | low, 8);
    if (map)
        put(b, 0x0f, 8);
    if (maps[map])
        put(b, maps[map], 8);
}

static void memory(const struct mach_row *r, const struct parts *p, struct bytes *b)
{
    const unsigned reg = (p->reg & 7) << 3, low = p->base & 7;
    if (has(r, X64_P_LANES)) { /* no base: a distance of 32 bits */
        put(b, reg | 4, 8);
        put(b, p->scale << 6 | (p->index & 7) << 3 | 5, 8);
        put(b, 0, 32);
        return;
    }
    const unsigned unit = p->evex ? r->bits >> UNIT & 7 : 0;
    const int64_t units = p->distance >> unit;
    const bool is_short = units * (INT64_C(1) << unit) == p->distance && fits(units, 8);
    const unsigned mode = !p->distance && low != 5 ? 0 : is_short ? 1 : 2;
    const bool sib = p->has_index || low == 4;
    put(b, mode << 6 | reg | (sib ? 4 : low), 8);
    if (sib)
        put(b, p->scale << 6 | (p->has_index ? p->index & 7 : 4) << 3 | low, 8);
    put(b, (uint64_t)(mode == 1 ? units : p->distance), mode == 0 ? 0 : mode == 1 ? 8 : 32);
}

static unsigned encode(const struct mach_row *r, const int64_t *ops, uint8_t *out)
{
    struct parts p = {.evex = r->bits & IS_EVEX};
    struct bytes b = {.n = 0};
    bool good = !(r->bits & X64_ABSENT);
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        if (k == r->nresults && r->flags & MACH_TIED)
            continue; /* stands where result 0 does */
        /* before places are known, a label is a block's number */
        bool label = kinds[r->kind[k]].role == MACH_LABEL && !out;
        good &= operand(r, k, label ? 0 : ops[k], &p);
    }
    if (!good && out)
        return 0;
    if (r->bits & HAS_DIGIT)
        p.reg = r->bits >> 16 & 7;
    const unsigned digit = p.reg;
    if (r->bits & HAS_DIGIT)
        p.reg = 0; /* no prefix for it */
    prefixes(r, &p, &b);
    p.reg = digit;
    put(&b, (r->bits & 255) + p.low + (p.is_short ? 2 : 0), 8);
    unsigned distance = 0; /* where it stands, if it is from here */
    if (has(r, X64_P_RIP)) {
        put(&b, (p.reg & 7) << 3 | 5, 8);
        distance = b.n;
        put(&b, 0, 32);
    } else if (in_memory(r)) {
        memory(r, &p, &b);
    } else if (has_modrm(r)) {
        put(&b, 0xc0 | (p.reg & 7) << 3 | (p.rm & 7), 8);
    }
    if (has(r, X64_P_JUMP)) {
        distance = b.n;
        put(&b, 0, 32);
    }
    if (p.has_last)
        put(&b, p.last << 4, 8);
    put(&b, (uint64_t)p.immediate, p.bits);
    if (!out)
        return b.n;
    if (distance) {
        int64_t from_end = p.distance - (int64_t)b.n;
        unsigned n = b.n;
        if (!fits(from_end, 32))
            return 0;
        b.n = distance;
        put(&b, (uint64_t)from_end, 32);
        b.n = n;
    }
    memcpy(out, b.at, b.n);
    return b.n;
}

/* ---- decoding ---- */
struct reader {
    const uint8_t *p;
    size_t n, at;
};
static unsigned get(struct reader *d)
{
    return d->at < d->n ? d->p[d->at++] : (d->at = d->n + 1, 0);
}
static int64_t get_signed(struct reader *d, unsigned bits)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < bits; k += 8)
        v |= (uint64_t)get(d) << k;
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* What stands in front of ModRM, in the form of a row's bits. */
struct front {
    uint64_t bits;
    unsigned r, x, b, vvvv; /* r: two bits; vvvv: five, of EVEX */
    unsigned mask;
};

static bool read_evex(struct reader *d, struct front *f)
{
    const unsigned one = get(d), two = get(d), three = get(d);
    f->r = (~one >> 7 & 1) | (~one >> 4 & 1) << 1;
    f->x = ~one >> 6 & 1, f->b = ~one >> 5 & 1;
    f->vvvv = (~two >> 3 & 15) | (~three >> 3 & 1) << 4;
    f->mask = three & 7;
    f->bits = IS_EVEX | (uint64_t)(three >> 5 & 3) << LENGTH | (two >> 7) << 12 | (two & 3) << 10 |
              (one & 3) << 8 | (three & 128 ? EZ : 0);
    f->bits |= get(d);
    return (one & 12) == 0 && (two & 4) && !(three & 16);
}

static bool read_front(struct reader *d, struct front *f)
{
    unsigned c = get(d), prefix = 0, map = 0, w = 0;
    *f = (struct front){0};
    if (c == 0x62)
        return read_evex(d, f);
    if (c == 0xc5 || c == 0xc4) {
        unsigned one = get(d), two = one;
        f->r = !(one >> 7);
        map = 1;
        if (c == 0xc4) {
            f->x = !(one >> 6 & 1), f->b = !(one >> 5 & 1), map = one & 31;
            two = get(d);
            w = two >> 7;
        }
        f->vvvv = ~(two >> 3) & 15;
        f->bits = IS_VEX | (two >> 2 & 1) << 14 | w << 12 | (two & 3) << 10 | (map & 3) << 8;
        f->bits |= get(d);
        return map < 4;
    }
    if (c == 0xf0)
        f->bits |= LOCK, c = get(d);
    if (c == 0x66 || c == 0xf3 || c == 0xf2)
        prefix = c == 0x66 ? 1 : c == 0xf3 ? 2 : 3, c = get(d);
    if ((c & 0xf0) == 0x40)
        w = c >> 3 & 1, f->r = c >> 2 & 1, f->x = c >> 1 & 1, f->b = c & 1, c = get(d);
    if (c == 0x0f) {
        map = 1, c = get(d);
        if (c == 0x38 || c == 0x3a)
            map = c == 0x38 ? 2 : 3, c = get(d);
    }
    f->bits |= c | map << 8 | prefix << 10 | w << 12;
    return true;
}

static bool same_front(const struct mach_row *r, const struct front *f)
{
    uint64_t loose = NORM | HAS_DIGIT | 7u << 16;
    if (has(r, X64_P_OPCODE))
        loose |= 7;
    if (has(r, X64_P_CONDITION))
        loose |= 15;
    if (has(r, X64_P_SHORT))
        loose |= 2;
    if (!(f->bits & IS_EVEX))
        return !(r->bits & IS_EVEX) && (r->bits & LEGACY & ~loose) == (f->bits & ~loose);
    const uint64_t told = 0xfff | (uint64_t)3 << LENGTH | EZ;
    return r->bits & (IS_EVEX | MAY_BE_EVEX) &&
           (r->bits & told & ~loose) == (f->bits & told & ~loose) &&
           evex_w(r) == (f->bits >> 12 & 1) && has(r, X64_P_MASK) == (f->mask != 0);
}

static bool read_memory(struct reader *d, const struct front *f, unsigned mode, unsigned low,
                        bool lanes, unsigned unit, struct parts *p)
{
    p->base = low | f->b << 3;
    if (low == 4) {
        unsigned sib = get(d);
        p->scale = sib >> 6, p->index = (sib >> 3 & 7) | f->x << 3, p->base = (sib & 7) | f->b << 3;
        p->has_index = lanes || p->index != X64_RSP;
        if (lanes)
            p->index |= f->vvvv & 16;
        if (lanes)
            return mode == 0 && (sib & 7) == 5 && get_signed(d, 32) == 0;
        if ((sib & 7) == 5 && mode == 0)
            return false;
    } else if (lanes || (low == 5 && mode == 0)) {
        return false;
    }
    p->distance = mode ? get_signed(d, mode == 1 ? 8 : 32) : 0;
    if (mode == 1)
        p->distance *= INT64_C(1) << unit;
    return true;
}

static bool may_index(const struct mach_row *r)
{
    for (unsigned k = 0; k < MACH_MAX_OPS; k++)
        if (r->kind[k] == X64_KIND_IX)
            return true;
    return false;
}

static bool read_modrm(struct reader *d, const struct mach_row *r, const struct front *f,
                       struct parts *p)
{
    unsigned m = get(d), mode = m >> 6, low = m & 7;
    const bool is_evex = f->bits & IS_EVEX;
    const unsigned unit = is_evex ? r->bits >> UNIT & 7 : 0;
    p->reg = (m >> 3 & 7) | f->r << 3;
    if (r->bits & HAS_DIGIT && (m >> 3 & 7) != (r->bits >> 16 & 7))
        return false;
    if (has(r, X64_P_RIP)) {
        p->distance = get_signed(d, 32);
        return mode == 0 && low == 5;
    }
    if (in_memory(r))
        return mode != 3 && read_memory(d, f, mode, low, has(r, X64_P_LANES), unit, p) &&
               (p->has_index == (has(r, X64_P_INDEX) || has(r, X64_P_LANES)) || may_index(r));
    p->rm = low | f->b << 3 | (is_evex ? f->x << 4 : 0);
    return mode == 3 && !(r->bits & NORM && p->rm);
}

/* What operands of a row are, once its pieces have been read. */
static void values(const struct mach_row *r, const struct front *f, const struct parts *p,
                   unsigned length, int64_t *ops)
{
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        const struct mach_kind *kind = &kinds[r->kind[k]];
        int64_t v = 0;
        switch (kind->shift) {
        case X64_P_REG: v = p->reg; break;
        case X64_P_ALL:
        case X64_P_RM: v = p->rm; break;
        case X64_P_VVVV: v = f->vvvv; break;
        case X64_P_OPCODE: v = (int64_t)(f->bits & 7) | f->b << 3; break;
        case X64_P_LAST: v = p->last; break;
        case X64_P_BASE: v = p->base; break;
        case X64_P_INDEX:
        case X64_P_LANES: v = p->index; break;
        case X64_P_MASK: v = f->mask; break;
        case X64_P_SCALE: v = p->scale; break;
        case X64_P_DISTANCE: v = p->distance; break;
        case X64_P_RIP:
        case X64_P_JUMP: v = p->distance + length; break;
        case X64_P_CONDITION: v = f->bits & 15; break;
        default: v = p->immediate; break;
        }
        ops[k] = kind->role == MACH_REG ? v + kind->class * MACH_CLASS_SIZE : v;
        if ((kind->form == X64_F_INDEX || kind->form == X64_F_TIMES) && !p->has_index)
            ops[k] = -1;
    }
    if (r->flags & MACH_TIED)
        ops[r->nresults] = ops[0];
}

static unsigned decode_as(const struct mach_row *r, struct reader d, const struct front *f,
                          int64_t *ops)
{
    struct parts p = {0};
    if (has_modrm(r) && !read_modrm(&d, r, f, &p))
        return 0;
    if (has(r, X64_P_JUMP))
        p.distance = get_signed(&d, 32);
    if (has(r, X64_P_LAST))
        p.last = get(&d) >> 4;
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        const struct mach_kind *kind = &kinds[r->kind[k]];
        if (kind->shift == X64_P_SHORT)
            p.immediate = get_signed(&d, f->bits & 2 ? 8 : 32);
        if (kind->shift == X64_P_IMMEDIATE) {
            p.immediate = get_signed(&d, kind->width);
            if (kind->form != X64_F_SIGNED && kind->width < 64)
                p.immediate &= (INT64_C(1) << kind->width) - 1;
        }
    }
    if (d.at > d.n || (has(r, X64_P_ALL) && (p.reg != p.rm || p.rm != f->vvvv)))
        return 0;
    if (f->bits & IS_VEX && f->vvvv && !has(r, X64_P_VVVV) && !has(r, X64_P_ALL))
        return 0;
    values(r, f, &p, (unsigned)d.at, ops);
    return (unsigned)d.at;
}

static unsigned decode_by(const struct mach_row *table, unsigned nrows, const uint8_t *p, size_t n,
                          unsigned *row, int64_t *ops)
{
    struct reader d = {p, n, 0};
    struct front f;
    if (!read_front(&d, &f) || d.at > n)
        return 0;
    for (unsigned k = 0; k < nrows; k++) {
        const bool may = !(table[k].bits & X64_ABSENT) && same_front(&table[k], &f);
        unsigned size = may ? decode_as(&table[k], d, &f, ops) : 0;
        if (!size)
            continue;
        *row = k;
        return size;
    }
    return 0;
}

static unsigned decode(const uint8_t *p, size_t n, unsigned *row, int64_t *ops)
{
    return decode_by(rows, sizeof rows / sizeof *rows, p, n, row, ops);
}

static unsigned decode_wide(const uint8_t *p, size_t n, unsigned *row, int64_t *ops)
{
    return decode_by(wide_rows, sizeof wide_rows / sizeof *wide_rows, p, n, row, ops);
}

/* ---- text ---- */
static const char *const conditions[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                         "s", "ns", "p", "np", "l", "ge", "le", "g"};
static const char *const compares[] = {"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"};

static const char *const orders[] = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};

static void print_register(struct sbuf *o, unsigned form, unsigned n)
{
    static const char vectors[] = {
        [X64_F_X] = 'x', [X64_F_Y] = 'y', [X64_F_W] = 'y', [X64_F_Z] = 'z'};
    static const char *const old[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    static const char *const suffix[] = {"b", "w", "d", ""};
    if (form == X64_F_K)
        sbuf_printf(o, "k%u", n);
    else if (form >= X64_F_X)
        sbuf_printf(o, "%cmm%u", vectors[form], n);
    else if (n >= 8)
        sbuf_printf(o, "r%u%s", n, suffix[form]);
    else if (form == X64_F_R1)
        sbuf_printf(o, n < 4 ? "%cl" : "%c%cl", old[n][0], old[n][1]);
    else
        sbuf_printf(o, "%s%s", form == X64_F_R8 ? "r" : form == X64_F_R4 ? "e" : "", old[n]);
}

static void print(struct sbuf *o, const struct mach_row *r, unsigned k, int64_t v, uint64_t address)
{
    const struct mach_kind *kind = &kinds[r->kind[k]];
    switch (kind->form) {
    case X64_F_SCALE: sbuf_printf(o, "%u", 1u << v); return;
    case X64_F_TIMES:
        if (v >= 0)
            sbuf_printf(o, "*%u", 1u << v);
        return;
    case X64_F_INDEX:
        if (v < 0)
            return;
        sbuf_putc(o, '+');
        print_register(o, X64_F_R8, (unsigned)v);
        return;
    case X64_F_RIP: {
        static const int64_t none[MACH_MAX_OPS];
        sbuf_printf(o, "+0x%llx", (unsigned long long)(v - encode(r, none, NULL)));
        return;
    }
    case X64_F_DISTANCE:
        if (v)
            sbuf_printf(o, "%c0x%llx", v < 0 ? '-' : '+',
                        (unsigned long long)(v < 0 ? -(uint64_t)v : (uint64_t)v));
        return;
    case X64_F_JUMP: sbuf_printf(o, "0x%llx", (unsigned long long)(address + (uint64_t)v)); return;
    case X64_F_CONDITION: sbuf_puts(o, conditions[v & 15]); return;
    case X64_F_COMPARE: sbuf_puts(o, compares[v & 7]); return;
    case X64_F_ORDER: sbuf_puts(o, orders[v & 7]); return;
    case X64_F_Y:
        print_register(o, r->bits & IS_EVEX ? X64_F_Z : X64_F_Y, (unsigned)(v % MACH_CLASS_SIZE));
        return;
    case X64_F_H:
        print_register(o, r->bits & IS_EVEX ? X64_F_W : X64_F_X, (unsigned)(v % MACH_CLASS_SIZE));
        return;
    case X64_F_UNSIGNED: sbuf_printf(o, "0x%llx", (unsigned long long)v); return;
    case X64_F_SIGNED: { /* as wide as what it is used with */
        bool wide = r->bits >> 12 & 1;
        sbuf_printf(o, "0x%llx", (unsigned long long)(wide ? (uint64_t)v : (uint32_t)v));
        return;
    }
    default: print_register(o, kind->form, (unsigned)(v % MACH_CLASS_SIZE)); return;
    }
}

enum { /* sets of registers */
       NOT_ALLOCATED = 1 << X64_RSP | 1 << X64_RBP | 1 << X64_R10 | 1 << X64_R11,
       KEPT = 1 << X64_RBX | 0xf000
};

/* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, as the ABI's DWARF numbers them. */
static const uint8_t dwarf[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

/* What both have: they differ in registers, rows and how bytes are read back. */
#define SHARED_BY_BOTH                                                                             \
    .kinds = kinds, .frame_align = 16,                                                             \
    .unwind = {.elf = 62,                                                                          \
               .sp = 7,                                                                            \
               .fp = 6,                                                                            \
               .ra = 16,                                                                           \
               .gpr = dwarf,                                                                       \
               .pushed = 8,                                                                        \
               .fp_at = 0,                                                                         \
               .ra_at = 8},                                                                        \
    .copy = x64_copy, .load = x64_frame_load, .store = x64_frame_store,                            \
    .frame = x64_frame_address, .enter = x64_enter, .leave = x64_leave, .dead = x64_dead,          \
    .jump = x64_jump, .invert = x64_invert, .fold = x64_fold, .tie = x64_tie, .encode = encode,    \
    .print = print

const struct mach_target x64_machine = {
    .name = "x64",
    .rows = rows,
    .nrows = sizeof rows / sizeof *rows,
    SHARED_BY_BOTH,
    .classes = {{"r", 0xffffu & ~NOT_ALLOCATED, KEPT, X64_R11}, {"y", 0x7fff, 0, X64_Y15}},
    .decode = decode,
};

const struct mach_target x64_wide_machine = {
    .name = "x64 with AVX-512",
    .rows = wide_rows,
    .nrows = sizeof wide_rows / sizeof *wide_rows,
    SHARED_BY_BOTH,
    .classes = {{"r", 0xffffu & ~NOT_ALLOCATED, KEPT, X64_R11},
                {"z", 0x7fffffff, 0, X64_Z31},
                {"k", 0xfe, 0, X64_K0}},
    .decode = decode_wide,
};
