/* Operands ↔ fields of an instruction's word, and their text. The tables say where a field lies;
 * here is how a value becomes one: scaled, negative, as a bit mask, split over the word. */
#include <string.h>
#include "back/a64/a64_int.h"

static const struct mach_kind kinds[] = {
    {0},
#define KIND(name, role, class, shift, width, form)                                                \
    {#name, MACH_##role, class, shift, width, A64_F_##form},
#include "back/a64/kinds.def"
};
#define A64_KIND_NO A64_NO
static const struct mach_row rows[] = {
#define ROW(name, text, bits, results, a, b, c, d, e, latency, unit, flags)                        \
    {#name,                                                                                        \
     text,                                                                                         \
     bits,                                                                                         \
     results,                                                                                      \
     {A64_KIND_##a, A64_KIND_##b, A64_KIND_##c, A64_KIND_##d, A64_KIND_##e},                       \
     latency,                                                                                      \
     A64_U_##unit,                                                                                 \
     flags,                                                                                        \
     A64_REG_##a | A64_REG_##b << 1 | A64_REG_##c << 2 | A64_REG_##d << 3 | A64_REG_##e << 4,      \
     0},
#include "back/a64/a64.def"
};

/* A bit mask is a run of ones, rotated, in an element of 2 to 64 bits that repeats: N, the rotation
 * and the run's length, whose leading bits say how large the element is. */
bool a64_mask(uint64_t value, unsigned bits, uint32_t *field)
{
    if (bits == 32)
        value = (value & 0xffffffffu) | value << 32;
    if (value == 0 || value == ~(uint64_t)0)
        return false;
    unsigned size = 64;
    while (size > 2) {
        uint64_t half = ((uint64_t)1 << size / 2) - 1;
        if ((value & half) != (value >> size / 2 & half))
            break;
        size /= 2;
    }
    uint64_t all = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1, x = value & all;
    unsigned rotate = 0;
    while (rotate < size && !((x & 1) && !(x >> (size - 1) & 1))) {
        x = ((x >> 1) | (x << (size - 1))) & all;
        rotate++;
    }
    if (x & (x + 1) & all)
        return false;
    unsigned ones = (unsigned)__builtin_popcountll(x);
    unsigned immr = (size - rotate) % size; /* turned right by it, the run gives the value */
    unsigned imms = (~(2 * size - 1) & 0x3f) | (ones - 1);
    *field = (uint32_t)((size == 64) << 12 | immr << 6 | (imms & 0x3f));
    return true;
}

static bool unmask(uint32_t field, unsigned bits, int64_t *value)
{
    unsigned n = field >> 12 & 1, immr = field >> 6 & 63, imms = field & 63;
    unsigned both = n << 6 | (~imms & 63), size = 1;
    if (!both)
        return false;
    while (2 * size <= both)
        size *= 2;
    if (size < 2 || (bits == 32 && n))
        return false;
    unsigned ones = (imms & (size - 1)) + 1, turn = immr & (size - 1);
    if (ones == size || immr >= size)
        return false;
    uint64_t all = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
    uint64_t x = ((uint64_t)1 << ones) - 1;
    x = turn ? ((x >> turn) | (x << (size - turn))) & all : x;
    for (; size < 64; size *= 2)
        x |= x << size;
    *value = (int64_t)(bits == 32 ? x & 0xffffffffu : x);
    return true;
}

static const unsigned scales[] = {
    [A64_F_BY2] = 2,  [A64_F_BY4] = 4,  [A64_F_BY8] = 8,   [A64_F_BY16] = 16,
    [A64_F_SBY4] = 4, [A64_F_SBY8] = 8, [A64_F_SBY16] = 16};

/* Which element: Q, S and the size bits of an instruction that loads one. */
static uint32_t lane_field(unsigned form, uint32_t v)
{
    switch (form) {
    case A64_F_LANEB: return v >> 3 << 30 | (v >> 2 & 1) << 12 | (v & 3) << 10;
    case A64_F_LANEH: return v >> 2 << 30 | (v >> 1 & 1) << 12 | (v & 1) << 11;
    case A64_F_LANES: return v >> 1 << 30 | (v & 1) << 12;
    default: return v << 30;
    }
}

/* Bits of a field below bit 21; the others go on from bit 22. */
static unsigned low_bits(const struct mach_kind *k)
{
    return 21u - k->shift;
}

static uint32_t high_field(const struct mach_kind *k, uint32_t x)
{
    const unsigned low = low_bits(k);
    return (x & ((1u << low) - 1)) << k->shift | x >> low << 22;
}

/* Its three lowest bits from bit 10 on, the others from 16. */
static uint32_t split_field(uint32_t x)
{
    return (x & 7) << 10 | x >> 3 << 16;
}

enum { LEAST_PATTERN = 1, MOST_PATTERN = 13 }; /* vl1 … vl256 */

static bool field(const struct mach_kind *k, int64_t v, uint32_t *out)
{
    const uint64_t most = ((uint64_t)1 << k->width) - 1;
    uint64_t x = (uint64_t)v;
    switch (k->form) {
    case A64_F_PLAIN:
    case A64_F_COND: break;
    case A64_F_UPTO4:
        if (x > 4)
            return false;
        break;
    case A64_F_BY2:
    case A64_F_BY4:
    case A64_F_BY8:
    case A64_F_BY16:
        if (v < 0 || x % scales[k->form])
            return false;
        x /= scales[k->form];
        break;
    case A64_F_SIGNED:
    case A64_F_SBY4:
    case A64_F_SBY8:
    case A64_F_SBY16:
    case A64_F_FAR: {
        int64_t by = k->form == A64_F_SIGNED ? 1 : k->form == A64_F_FAR ? 4 : scales[k->form];
        int64_t half = (int64_t)1 << (k->width - 1);
        if (v % by || v / by < -half || v / by >= half)
            return false;
        x = (uint64_t)(v / by) & most;
        break;
    }
    case A64_F_ADR:
        if (v < -(1 << 20) || v >= 1 << 20)
            return false;
        *out = (uint32_t)(v & 3) << 29 | (uint32_t)(v >> 2 & 0x7ffff) << 5;
        return true;
    case A64_F_MASK32:
    case A64_F_MASK64: {
        uint32_t bits;
        if (!a64_mask(x, k->form == A64_F_MASK32 ? 32 : 64, &bits))
            return false;
        *out = bits << k->shift;
        return true;
    }
    case A64_F_RIGHT:
        if (v < 1 || v > (int64_t)most + 1)
            return false;
        x = most + 1 - x;
        break;
    case A64_F_SPLIT8:
        if (x > 255)
            return false;
        *out = (uint32_t)(x >> 5 << 16 | (x & 31) << 5);
        return true;
    case A64_F_PATTERN:
        if (x < LEAST_PATTERN || x > MOST_PATTERN)
            return false;
        break;
    case A64_F_V9:
        if (v < -256 || v > 255)
            return false;
        *out = split_field((uint32_t)v & 511);
        return true;
    case A64_F_E8:
        if (x > most)
            return false;
        *out = split_field((uint32_t)x);
        return true;
    case A64_F_RHIGH:
        if (v < 1 || v > (int64_t)most + 1)
            return false;
        *out = high_field(k, (uint32_t)(most + 1 - x));
        return true;
    case A64_F_HIGH:
        if (x > most)
            return false;
        *out = high_field(k, (uint32_t)x);
        return true;
    case A64_F_LANEB:
    case A64_F_LANEH:
    case A64_F_LANES:
    case A64_F_LANED:
        if (x >= (16u >> (k->form - A64_F_LANEB)))
            return false;
        *out = lane_field(k->form, (uint32_t)x);
        return true;
    default: /* registers */ x = x % MACH_CLASS_SIZE; break;
    }
    if (x > most)
        return false;
    *out = (uint32_t)x << k->shift;
    return true;
}

static uint32_t field_mask(const struct mach_kind *k)
{
    switch (k->form) {
    case A64_F_ADR: return 3u << 29 | 0x7ffffu << 5;
    case A64_F_SPLIT8: return 7u << 16 | 31u << 5;
    case A64_F_LANEB: return 1u << 30 | 7u << 10;
    case A64_F_LANEH: return 1u << 30 | 3u << 11;
    case A64_F_LANES: return 1u << 30 | 1u << 12;
    case A64_F_LANED: return 1u << 30;
    case A64_F_V9: return split_field(511);
    case A64_F_E8: return split_field(255);
    case A64_F_HIGH:
    case A64_F_RHIGH: return high_field(k, (1u << k->width) - 1);
    default: return (uint32_t)(((uint64_t)1 << k->width) - 1) << k->shift;
    }
}

static bool value(const struct mach_kind *k, uint32_t word, int64_t *out)
{
    const uint64_t most = ((uint64_t)1 << k->width) - 1;
    uint64_t x = word >> k->shift & most;
    switch (k->form) {
    case A64_F_BY2:
    case A64_F_BY4:
    case A64_F_BY8:
    case A64_F_BY16: *out = (int64_t)(x * scales[k->form]); return true;
    case A64_F_SIGNED:
    case A64_F_SBY4:
    case A64_F_SBY8:
    case A64_F_SBY16:
    case A64_F_FAR: {
        int64_t by = k->form == A64_F_SIGNED ? 1 : k->form == A64_F_FAR ? 4 : scales[k->form];
        *out = ((int64_t)(x << (64 - k->width)) >> (64 - k->width)) * by;
        return true;
    }
    case A64_F_ADR:
        x = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
        *out = (int64_t)(x << 43) >> 43;
        return true;
    case A64_F_MASK32:
    case A64_F_MASK64: return unmask((uint32_t)x, k->form == A64_F_MASK32 ? 32 : 64, out);
    case A64_F_RIGHT: *out = (int64_t)(most + 1 - x); return true;
    case A64_F_SPLIT8: *out = (int64_t)((word >> 16 & 7) << 5 | (word >> 5 & 31)); return true;
    case A64_F_LANEB:
        *out = (int64_t)((word >> 30 & 1) << 3 | (word >> 12 & 1) << 2 | (word >> 10 & 3));
        return true;
    case A64_F_LANEH:
        *out = (int64_t)((word >> 30 & 1) << 2 | (word >> 12 & 1) << 1 | (word >> 11 & 1));
        return true;
    case A64_F_LANES: *out = (int64_t)((word >> 30 & 1) << 1 | (word >> 12 & 1)); return true;
    case A64_F_LANED: *out = (int64_t)(word >> 30 & 1); return true;
    case A64_F_V9:
        x = (word >> 16 & 63) << 3 | (word >> 10 & 7);
        *out = (int64_t)(x << 55) >> 55;
        return true;
    case A64_F_E8: *out = (int64_t)((word >> 16 & 31) << 3 | (word >> 10 & 7)); return true;
    case A64_F_HIGH:
    case A64_F_RHIGH: {
        const unsigned low = low_bits(k);
        x = (word >> k->shift & ((1u << low) - 1)) | (word >> 22 & ((1u << (k->width - low)) - 1))
                                                         << low;
        *out = k->form == A64_F_HIGH ? (int64_t)x : (int64_t)(most + 1 - x);
        return true;
    }
    case A64_F_PATTERN: *out = (int64_t)x; return x >= LEAST_PATTERN && x <= MOST_PATTERN;
    case A64_F_PLAIN:
    case A64_F_UPTO4:
    case A64_F_COND: *out = (int64_t)x; return true;
    default: *out = (int64_t)x + k->class * MACH_CLASS_SIZE; return true;
    }
}

static void put_word(uint8_t *out, uint32_t word)
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = (uint8_t)(word >> 8 * k);
}

static bool is_literal(const struct mach_row *r)
{
    const unsigned op = (unsigned)(r - rows) + MACH_SHARED;
    return op == A64_ZLIT || op == A64_ZLITs || op == A64_ZLITd;
}

/* The address of a literal, and a load from there: see sve.def. */
static unsigned encode_literal(const struct mach_row *r, const int64_t *ops, uint8_t *out)
{
    const struct mach_row *adr = &rows[A64_ADR - MACH_SHARED];
    uint32_t word;
    if (!mach_word(adr, kinds, (const int64_t[]){A64_X17, ops[1]}, field, &word))
        return 0;
    put_word(out, word);
    put_word(out + 4, (uint32_t)r->bits | (uint32_t)(ops[0] % MACH_CLASS_SIZE));
    return 8;
}

static unsigned encode(const struct mach_row *r, const int64_t *ops, uint8_t *out)
{
    uint32_t word;
    if (!out)
        return is_literal(r) ? 8 : 4;
    if (is_literal(r))
        return encode_literal(r, ops, out);
    if (!mach_word(r, kinds, ops, field, &word))
        return 0;
    put_word(out, word);
    return 4;
}

static bool matches(const struct mach_row *r, uint32_t word)
{
    uint32_t fields = 0;
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++)
        fields |= field_mask(&kinds[r->kind[k]]);
    return (word & ~fields) == r->bits;
}

static unsigned decode(const uint8_t *p, size_t n, unsigned *row, int64_t *ops)
{
    if (n < 4)
        return 0;
    uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!matches(&rows[k], word))
            continue;
        bool good = true;
        for (unsigned q = 0; q < MACH_MAX_OPS && rows[k].kind[q]; q++)
            good &= value(&kinds[rows[k].kind[q]], word, &ops[q]);
        if (!good)
            continue;
        *row = k;
        return 4;
    }
    return 0;
}

static const char *const conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                         "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};

/* The 8 bits of a float immediate: sign, three bits of exponent, four of mantissa. */
static void print_float(struct sbuf *o, unsigned x)
{
    double m = 1 + (x & 15) / 16.0;
    int e = (int)(x >> 4 & 7) ^ 4;
    for (int k = 3; k < e; k++)
        m *= 2;
    for (int k = e; k < 3; k++)
        m /= 2;
    sbuf_printf(o, "%.18e", x & 128 ? -m : m);
}

static void print(struct sbuf *o, const struct mach_row *r, unsigned k, int64_t v, uint64_t address)
{
    const struct mach_kind *kind = &kinds[r->kind[k]];
    static const char letters[] = "wxxwbhsdqv";
    unsigned n = (unsigned)(v % MACH_CLASS_SIZE);
    switch (kind->form) {
    case A64_F_W:
    case A64_F_X: sbuf_printf(o, n == 31 ? "%czr" : "%c%u", letters[kind->form], n); return;
    case A64_F_XS: sbuf_printf(o, n == 31 ? "sp" : "x%u", n); return;
    case A64_F_WS: sbuf_printf(o, n == 31 ? "wsp" : "w%u", n); return;
    case A64_F_B:
    case A64_F_H:
    case A64_F_S:
    case A64_F_D:
    case A64_F_Q:
    case A64_F_V: sbuf_printf(o, "%c%u", letters[kind->form], n); return;
    case A64_F_COND: sbuf_puts(o, conditions[v & 15]); return;
    case A64_F_Z: sbuf_printf(o, "z%u", n); return;
    case A64_F_P: sbuf_printf(o, "p%u", n); return;
    case A64_F_PATTERN: sbuf_printf(o, "vl%u", v <= 8 ? (unsigned)v : 1u << (v - 5)); return;
    case A64_F_FAR:
    case A64_F_ADR: sbuf_printf(o, "0x%llx", (unsigned long long)(address + (uint64_t)v)); return;
    case A64_F_MASK32:
    case A64_F_MASK64: sbuf_printf(o, "0x%llx", (unsigned long long)v); return;
    case A64_F_SPLIT8:
        if (r->name[1] == 'F')
            print_float(o, (unsigned)v);
        else
            sbuf_printf(o, "0x%llx", (unsigned long long)v);
        return;
    default: break;
    }
    if (r->kind[k] == A64_KIND_F8 || r->kind[k] == A64_KIND_ZF8)
        print_float(o, (unsigned)v);
    else if (r->kind[k] == A64_KIND_U12 && strchr(r->text, '[') == NULL)
        sbuf_printf(o, "0x%llx", (unsigned long long)v);
    else if (r->kind[k] == A64_KIND_U16)
        sbuf_printf(o, "0x%llx", (unsigned long long)v);
    else
        sbuf_printf(o, "%lld", (long long)v);
}

#define ALL_BUT(mask) (0xffffffffu & ~(mask))

/* With SVE p0 to p6 are for masks: see a64_int.h. C keeps none. */
#define NEON_CLASSES                                                                               \
    {"x", ALL_BUT(0xe0070000u), 0x1ff80000u, A64_X17},                                             \
    {                                                                                              \
        "v", ALL_BUT(0x80000000u), 0x0000ff00u, A64_V31                                            \
    }
#define SHARED_PARTS                                                                               \
    .rows = rows, .nrows = sizeof rows / sizeof *rows, .kinds = kinds, .frame_align = 16,          \
    .unwind = {.elf = 183, .sp = 31, .fp = 29, .ra = 30, .fp_at = 0, .ra_at = 8},                  \
    .copy = a64_copy, .load = a64_frame_load, .store = a64_frame_store,                            \
    .frame = a64_frame_address, .enter = a64_enter, .leave = a64_leave, .dead = a64_dead,          \
    .jump = a64_jump, .invert = a64_invert, .pair = a64_pair, .encode = encode, .decode = decode,  \
    .print = print

const struct mach_target a64_machine = {
    SHARED_PARTS,
    .name = "a64",
    .classes = {NEON_CLASSES},
};

const struct mach_target a64_sve256_machine = {
    SHARED_PARTS,
    .name = "a64 with SVE of 256 bits",
    .tie = a64_sve_tie,
    .classes = {NEON_CLASSES, {"p", 0x7f, 0, A64_P15}},
};

const struct mach_target a64_sve512_machine = {
    SHARED_PARTS,
    .name = "a64 with SVE of 512 bits",
    .tie = a64_sve_tie,
    .classes = {NEON_CLASSES, {"p", 0x7f, 0, A64_P15}},
};

unsigned a64_vector_bytes(const struct mach_target *t)
{
    return t == &a64_sve512_machine ? 64 : t == &a64_sve256_machine ? 32 : 16;
}
