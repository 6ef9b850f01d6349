/* Exact binary floating point in integers: f16, bf16, f32 and f64, each operation rounded once in
 * any of the four rounding modes.
 *
 * A finite value is taken apart into sign, exponent and an integer mantissa (value = mantissa *
 * 2^exponent). Operations give a mantissa of up to 127 bits; bits lost on the way are or-ed into
 * the lowest ("sticky"), far below the rounding position. pack() rounds and encodes. */
#include "ir/meaning.h"

struct format {
    int fraction; /* stored bits of the significand */
    int bias;
    int max_exponent; /* biased, of infinity and NaN */
    int bits;
};

enum class { ZERO, FINITE, INFINITE, NOT_A_NUMBER };

struct number {
    enum class class;
    bool negative;
    int exponent;
    m_u128 mantissa; /* FINITE: not 0 */
};

static const struct format *format_of(enum ir_kind kind)
{
    static const struct format f16 = {10, 15, 31, 16}, bf16 = {7, 127, 255, 16},
                               f32 = {23, 127, 255, 32}, f64 = {52, 1023, 2047, 64};
    return kind == IR_F16 ? &f16 : kind == IR_BF16 ? &bf16 : kind == IR_F32 ? &f32 : &f64;
}

static struct number unpack(const struct format *f, uint64_t bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << f->fraction) - 1);
    const int exponent = (int)(bits >> f->fraction) & f->max_exponent;
    struct number n = {.negative = bits >> (f->bits - 1) & 1};
    if (exponent == f->max_exponent) {
        n.class = fraction ? NOT_A_NUMBER : INFINITE;
        n.mantissa = fraction;
    } else if (exponent == 0 && fraction == 0) {
        n.class = ZERO;
    } else {
        n.class = FINITE;
        n.mantissa = exponent ? fraction | UINT64_C(1) << f->fraction : fraction;
        n.exponent = (exponent ? exponent : 1) - f->bias - f->fraction;
    }
    return n;
}

static int bit_length(m_u128 m)
{
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static bool rounds_up(unsigned mode, bool negative, bool odd, int against_half, bool inexact)
{
    switch (mode) {
    case IR_RN: return against_half > 0 || (against_half == 0 && odd);
    case IR_RU: return inexact && !negative;
    case IR_RD: return inexact && negative;
    default: return false;
    }
}

/* m without its lowest `shift` bits, rounded to an integer. */
static m_u128 round_shift(m_u128 m, int shift, unsigned mode, bool negative)
{
    if (shift <= 0)
        return m << -shift;
    const m_u128 kept = shift < 128 ? m >> shift : 0;
    const m_u128 rest = shift < 128 ? m - (kept << shift) : m;
    const m_u128 half = shift <= 128 ? (m_u128)1 << (shift - 1) : 0;
    const int against_half = shift > 128 ? -1 : rest > half ? 1 : rest == half ? 0 : -1;
    return kept + rounds_up(mode, negative, kept & 1, against_half, rest != 0);
}

static uint64_t sign_bit(const struct format *f, bool negative)
{
    return (uint64_t)negative << (f->bits - 1);
}
static uint64_t infinity_bits(const struct format *f, bool negative)
{
    return sign_bit(f, negative) | (uint64_t)f->max_exponent << f->fraction;
}
static uint64_t nan_bits(const struct format *f)
{
    return infinity_bits(f, false) | UINT64_C(1) << (f->fraction - 1);
}

static uint64_t pack(const struct format *f, unsigned mode, bool negative, int exponent,
                     m_u128 mantissa)
{
    if (!mantissa)
        return sign_bit(f, negative);
    const int top = exponent + bit_length(mantissa) - 1; /* value is in [2^top, 2^(top+1)) */
    const int lowest = 1 - f->bias;
    const int unit = (top > lowest ? top : lowest) - f->fraction;
    if (top <= f->max_exponent) { /* else far too large; the shift below would be, too */
        const uint64_t kept = (uint64_t)round_shift(mantissa, unit - exponent, mode, negative);
        /* The implicit bit carries into the exponent field, also when rounding overflows. */
        const uint64_t biased = (uint64_t)(unit + f->fraction + f->bias - 1);
        const uint64_t magnitude = (biased << f->fraction) + kept;
        if (magnitude < (uint64_t)f->max_exponent << f->fraction)
            return sign_bit(f, negative) | magnitude;
    }
    const bool to_infinity =
        mode == IR_RN || (mode == IR_RU && !negative) || (mode == IR_RD && negative);
    return infinity_bits(f, negative) - !to_infinity;
}

static uint64_t pack_number(const struct format *f, unsigned mode, struct number n)
{
    switch (n.class) {
    case ZERO: return sign_bit(f, n.negative);
    case INFINITE: return infinity_bits(f, n.negative);
    case FINITE: return pack(f, mode, n.negative, n.exponent, n.mantissa);
    default: return nan_bits(f);
    }
}

static const struct number not_a_number = {.class = NOT_A_NUMBER};

static struct number product(struct number a, struct number b)
{
    struct number r = {.negative = a.negative != b.negative};
    if (a.class == NOT_A_NUMBER || b.class == NOT_A_NUMBER)
        return not_a_number;
    if (a.class == INFINITE || b.class == INFINITE) {
        if (a.class == ZERO || b.class == ZERO)
            return not_a_number;
        r.class = INFINITE;
    } else if (a.class == ZERO || b.class == ZERO) {
        r.class = ZERO;
    } else {
        r.class = FINITE;
        r.exponent = a.exponent + b.exponent;
        r.mantissa = a.mantissa * b.mantissa;
    }
    return r;
}

/* Moves the top bit to bit 125: room for a carry above, for sticky bits below. */
static void normalize(struct number *n)
{
    const int up = 126 - bit_length(n->mantissa);
    n->mantissa <<= up;
    n->exponent -= up;
}

static struct number sum(struct number a, struct number b, unsigned mode)
{
    if (a.class == NOT_A_NUMBER || b.class == NOT_A_NUMBER)
        return not_a_number;
    if (a.class == INFINITE || b.class == INFINITE) {
        if (a.class == b.class && a.negative != b.negative)
            return not_a_number;
        return a.class == INFINITE ? a : b;
    }
    const struct number zero = {.class = ZERO, .negative = mode == IR_RD};
    if (a.class == ZERO && b.class == ZERO)
        return a.negative == b.negative ? a : zero;
    if (a.class == ZERO || b.class == ZERO)
        return a.class == ZERO ? b : a;
    normalize(&a);
    normalize(&b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
        const struct number swap = a;
        a = b;
        b = swap;
    }
    const int down = a.exponent - b.exponent;
    const m_u128 kept = down < 128 ? b.mantissa >> down : 0;
    const bool lost = down < 128 ? kept << down != b.mantissa : true;
    if (a.negative == b.negative)
        a.mantissa += kept | lost;
    else
        a.mantissa -= kept | lost;
    return a.mantissa ? a : zero;
}

static struct number quotient(struct number a, struct number b)
{
    struct number r = {.negative = a.negative != b.negative};
    if (a.class == NOT_A_NUMBER || b.class == NOT_A_NUMBER ||
        (a.class == b.class && a.class != FINITE))
        return not_a_number;
    if (a.class == INFINITE || b.class == ZERO) {
        r.class = INFINITE;
    } else if (a.class == ZERO || b.class == INFINITE) {
        r.class = ZERO;
    } else {
        normalize(&a);
        r.class = FINITE;
        r.exponent = a.exponent - b.exponent;
        r.mantissa = a.mantissa / b.mantissa; /* at least 126 - 53 bits */
        r.mantissa |= r.mantissa * b.mantissa != a.mantissa;
    }
    return r;
}

static struct number square_root(struct number a)
{
    if (a.class == ZERO || (a.class == INFINITE && !a.negative))
        return a;
    if (a.class != FINITE || a.negative)
        return not_a_number;
    normalize(&a);
    if (a.exponent & 1) {
        a.mantissa >>= 1; /* the low bits are zeros: no input has 126 bits */
        a.exponent++;
    }
    m_u128 root = 0, rest = a.mantissa;
    for (m_u128 bit = (m_u128)1 << 126; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    a.mantissa = root << 1 | (rest != 0);
    a.exponent = a.exponent / 2 - 1;
    return a;
}

uint64_t m_soft(enum m_soft_op op, enum ir_kind kind, unsigned mode, uint64_t a, uint64_t b,
                uint64_t c)
{
    const struct format *f = format_of(kind);
    const struct number x = unpack(f, a);
    struct number y = unpack(f, b);
    switch (op) {
    case M_SOFT_SUB: y.negative = !y.negative; return pack_number(f, mode, sum(x, y, mode));
    case M_SOFT_ADD: return pack_number(f, mode, sum(x, y, mode));
    case M_SOFT_MUL: return pack_number(f, mode, product(x, y));
    case M_SOFT_DIV: return pack_number(f, mode, quotient(x, y));
    case M_SOFT_FMA: return pack_number(f, mode, sum(product(x, y), unpack(f, c), mode));
    default: return pack_number(f, mode, square_root(x));
    }
}

uint64_t m_soft_convert(enum ir_kind to, enum ir_kind from, unsigned mode, uint64_t bits)
{
    const struct format *t = format_of(to), *f = format_of(from);
    const struct number n = unpack(f, bits);
    if (n.class != NOT_A_NUMBER)
        return pack_number(t, mode, n);
    /* A NaN keeps its sign and the upper bits of its payload. */
    const int up = t->fraction - f->fraction;
    const uint64_t payload = up >= 0 ? (uint64_t)n.mantissa << up : (uint64_t)n.mantissa >> -up;
    return infinity_bits(t, n.negative) | (payload ? payload : UINT64_C(1) << (t->fraction - 1));
}

uint64_t m_soft_from_int(enum ir_kind to, unsigned mode, bool negative, uint64_t magnitude)
{
    return pack(format_of(to), mode, negative && magnitude, 0, magnitude);
}

uint64_t m_soft_to_int(enum ir_kind from, unsigned mode, uint64_t bits, unsigned n, bool is_signed)
{
    const struct number x = unpack(format_of(from), bits);
    const uint64_t mask = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    const uint64_t largest = is_signed ? mask >> 1 : mask;
    const uint64_t smallest = is_signed ? (mask >> 1) + 1 : 0; /* magnitude */
    if (x.class == NOT_A_NUMBER)
        return ir_nan_to_int(from, n);
    if (x.class == ZERO)
        return 0;
    m_u128 magnitude = (m_u128)1 << 64; /* more than fits */
    if (x.class == FINITE && x.exponent + bit_length(x.mantissa) <= 65)
        magnitude = round_shift(x.mantissa, -x.exponent, mode, x.negative);
    if (x.negative)
        return (0 - (magnitude > smallest ? smallest : (uint64_t)magnitude)) & mask;
    return magnitude > largest ? largest : (uint64_t)magnitude;
}
