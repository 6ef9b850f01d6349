/* Random number generators: published vectors, streams that cuRAND gives, jumps against steps, and
 * the moments of the distributions. */
#include "../../device/rand/dist.h"
#include "../../include/cuda/curand_mtgp32dc_p_11213.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failed;
static void check(int ok, const char *name, const char *why)
{
    printf(ok ? "PASS rand %s\n" : "FAIL rand %s: %s\n", name, why);
    failed |= !ok;
}

/* Generator, seed, sequence, offset and the first six words: recorded from cuRAND 13.0 on an H200.
 */
static const struct {
    char generator;
    unsigned long long seed, sequence, offset;
    unsigned word[6];
} vectors[] = {
    {'P',
     0x0ull,
     0,
     0,
     {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u, 0xf8e4cca4u, 0x5cb200dbu}},
    {'P',
     0x0ull,
     5,
     3,
     {0x1b354e21u, 0x60d696e6u, 0x1b5d062eu, 0x16f6b126u, 0x3ca0735au, 0x5d812eeeu}},
    {'P',
     0x0ull,
     1000003,
     1000001,
     {0xdf8fb004u, 0x5c6a045au, 0xcb6c0977u, 0xfcd25cbbu, 0x9946baa7u, 0xbe024c47u}},
    {'P',
     0x4d2ull,
     0,
     3,
     {0xcbca470eu, 0x9eeede35u, 0x1cbe137cu, 0xfa277093u, 0x147edd50u, 0x3fc9c8d8u}},
    {'P',
     0x4d2ull,
     5,
     1000001,
     {0x49a19622u, 0x03adbfc3u, 0x1e86e04cu, 0x06599a29u, 0x90b5d30cu, 0x877b990au}},
    {'P',
     0x4d2ull,
     1000003,
     0,
     {0x127e74cau, 0x6f179e2cu, 0x0d9806c0u, 0xcfef17c4u, 0x4819148eu, 0x65b6cbb5u}},
    {'P',
     0x123456789abcdefull,
     0,
     1000001,
     {0x6c74a412u, 0x179c453eu, 0xcdd4a776u, 0xcab8aa7fu, 0x11e3d2ffu, 0x5b46e659u}},
    {'P',
     0x123456789abcdefull,
     5,
     0,
     {0xb341ed12u, 0x7899c9ccu, 0x8d35f144u, 0x68eba6fbu, 0xd0460919u, 0x520893a9u}},
    {'P',
     0x123456789abcdefull,
     1000003,
     3,
     {0xb0750f13u, 0x58db858du, 0x790c1a19u, 0x24bdc10fu, 0x082e9245u, 0x2e88f852u}},
    {'X',
     0x0ull,
     0,
     0,
     {0xbd7f03b6u, 0x703e556du, 0x845af0c5u, 0x283067fdu, 0x1245241fu, 0x7666f33fu}},
    {'X',
     0x0ull,
     5,
     3,
     {0xfc0aeb94u, 0x671d83b6u, 0x2d981c06u, 0x75bd4ad9u, 0x28f6aa6bu, 0x5c636f4fu}},
    {'X',
     0x0ull,
     1000003,
     1000001,
     {0x88e42da9u, 0x2e6285edu, 0xf7a60145u, 0xb6a564a5u, 0x1c28c3afu, 0xb379045cu}},
    {'X',
     0x4d2ull,
     0,
     3,
     {0x7485b394u, 0xdb6a6a85u, 0x95195c6bu, 0x338f343fu, 0xc9682545u, 0x4cff66d5u}},
    {'X',
     0x4d2ull,
     5,
     1000001,
     {0xce6aa81eu, 0xa3ef0122u, 0xec5d2ecfu, 0xf9e63841u, 0x2daa5f22u, 0xe6859a8bu}},
    {'X',
     0x4d2ull,
     1000003,
     0,
     {0x30e92536u, 0x1b28469au, 0x9b3195e2u, 0x2b7b74afu, 0x75338edbu, 0x66dfbcbau}},
    {'X',
     0x123456789abcdefull,
     0,
     1000001,
     {0x1b63aa83u, 0xa3bc5b09u, 0x99159f24u, 0x9dcb7b4du, 0x0a05d822u, 0xf628906cu}},
    {'X',
     0x123456789abcdefull,
     5,
     0,
     {0x403ee126u, 0xb23bdfbfu, 0x41253e83u, 0x483babd0u, 0x6ea21b77u, 0x5f8f44d7u}},
    {'X',
     0x123456789abcdefull,
     1000003,
     3,
     {0x8bb0b4b6u, 0xbcdf42a4u, 0xa6604731u, 0xc3721aa2u, 0x169302abu, 0x9b7dc862u}},
    {'M',
     0x0ull,
     0,
     0,
     {0x2083cd07u, 0x518b05c4u, 0x4f26d091u, 0xd36ab334u, 0x38bcbcf8u, 0x888c99a3u}},
    {'M',
     0x0ull,
     5,
     3,
     {0xc9847cd1u, 0x90ee7c79u, 0x10715121u, 0x0bb9013eu, 0xb86a45f7u, 0x1f56c65fu}},
    {'M',
     0x0ull,
     1000003,
     1000001,
     {0xbc605a96u, 0x935fbe8cu, 0xe3112bb9u, 0xc11d7beeu, 0x1b7414e2u, 0x3d3f0a73u}},
    {'M',
     0x4d2ull,
     0,
     3,
     {0x5fa111cdu, 0x864a3897u, 0xfa61def9u, 0x6661c54au, 0xcd100fe0u, 0x52d6b4c6u}},
    {'M',
     0x4d2ull,
     5,
     1000001,
     {0x9d1b6d5cu, 0xe8bb4deau, 0x1794ce5du, 0x982749a1u, 0xd9b5c5e4u, 0x7bfd3ab2u}},
    {'M',
     0x4d2ull,
     1000003,
     0,
     {0x3c334dcau, 0x8a8907eau, 0x01f6ef81u, 0xf3950893u, 0x15dea5a8u, 0xd0f0e5bdu}},
    {'M',
     0x123456789abcdefull,
     0,
     1000001,
     {0x6d00248bu, 0x7d01d3d4u, 0x1391912cu, 0x7d9cbc15u, 0x1eca9281u, 0xfb98f3a5u}},
    {'M',
     0x123456789abcdefull,
     5,
     0,
     {0xc8cc99c9u, 0xe39c1ff7u, 0x59b41696u, 0x85a2fd27u, 0x95c241fdu, 0x5878da39u}},
    {'M',
     0x123456789abcdefull,
     1000003,
     3,
     {0xb0f0aaedu, 0xcb375d5du, 0x07a8f21du, 0xbeaf45b3u, 0x6a80de7bu, 0x601e65f8u}},
};

static void streams(void)
{
    int ok[128];
    memset(ok, 1, sizeof ok);
    for (unsigned i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct __tern_philox p;
        struct __tern_xorwow x;
        struct __tern_mrg m;
        char g = vectors[i].generator;
        __tern_philox_init(&p, vectors[i].seed, vectors[i].sequence, vectors[i].offset);
        __tern_xorwow_init(&x, vectors[i].seed, vectors[i].sequence, vectors[i].offset);
        __tern_mrg_init(&m, vectors[i].seed, vectors[i].sequence, vectors[i].offset);
        for (int k = 0; k < 6; k++) {
            unsigned r = g == 'P'   ? __tern_philox_next(&p)
                         : g == 'X' ? __tern_xorwow_next(&x)
                                    : __tern_mrg_next(&m);
            if (r != vectors[i].word[k] && ok[(int)g]) {
                printf("  %c seed %llx sequence %llu offset %llu word %d: %08x, expected %08x\n", g,
                       vectors[i].seed, vectors[i].sequence, vectors[i].offset, k, r,
                       vectors[i].word[k]);
                ok[(int)g] = 0;
            }
        }
    }
    check(ok['P'], "philox streams", "differs from the recorded stream");
    check(ok['X'], "xorwow streams", "differs from the recorded stream");
    check(ok['M'], "mrg32k3a streams", "differs from the recorded stream");
}

static void published(void)
{
    /* Random123's known answers for philox4x32-10 */
    static const unsigned in[3][6] = {
        {0, 0, 0, 0, 0, 0},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const unsigned want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    int ok = 1;
    for (int i = 0; i < 3; i++) {
        unsigned out[4];
        __tern_philox_block(in[i], in[i][4], in[i][5], out);
        ok &= memcmp(out, want[i], sizeof out) == 0;
    }
    check(ok, "philox4x32-10 known answers", "wrong");

    static struct __tern_mt mt;
    unsigned r = 0, first;
    __tern_mt_init(&mt, 5489);
    first = r = __tern_mt_next(&mt);
    for (int i = 1; i < 10000; i++)
        r = __tern_mt_next(&mt);
    check(first == 3499211612u && r == 4123659995u, "mt19937 first and 10000th", "wrong");

    unsigned a = 1, b = 1;
    for (int i = 0; i < 10000; i++) {
        __tern_minstd_next(&a, 16807);
        __tern_minstd_next(&b, 48271);
    }
    check(a == 1043618065u && b == 399268537u, "minstd 10000th", "wrong");

    /* L'Ecuyer's first number for the seed 12345 six times */
    struct __tern_mrg m;
    __tern_mrg_init(&m, 0, 0, 0);
    check(fabs(__tern_mrg_raw(&m) * 2.328306549295727688e-10 - 0.127011122046577) < 1e-14,
          "mrg32k3a first", "wrong");

    /* Joe and Kuo's first ten points in three dimensions */
    static const double sobol[10][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.75, 0.25, 0.25},
                                        {0.25, 0.75, 0.75},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125},
                                        {0.625, 0.125, 0.875},
                                        {0.125, 0.625, 0.375},
                                        {0.1875, 0.3125, 0.9375},
                                        {0.6875, 0.8125, 0.4375}};
    static const unsigned m2[] = {1}, m3[] = {1, 3};
    unsigned long long v[3][64];
    unsigned d32[3][32];
    ok = 1;
    for (int bits = 32; bits <= 64; bits += 32) {
        __tern_sobol_directions(v[0], bits, 0, 0, m2);
        __tern_sobol_directions(v[1], bits, 1, 0, m2);
        __tern_sobol_directions(v[2], bits, 2, 1, m3);
        for (int d = 0; d < 3; d++) {
            struct __tern_sobol32 s, t;
            struct __tern_sobol64 s64;
            for (int k = 0; k < 32; k++)
                d32[d][k] = (unsigned)v[d][k];
            __tern_sobol32_init(&s, d32[d], 0, 0);
            __tern_sobol64_init(&s64, v[d], 0, 0);
            for (int i = 0; i < 10; i++) {
                double x = bits == 32 ? __tern_sobol32_next(&s) * 0x1p-32
                                      : (double)__tern_sobol64_next(&s64) * 0x1p-64;
                ok &= x == sobol[i][d];
            }
            __tern_sobol32_init(&t, d32[d], 0, 10);
            ok &= bits == 64 || __tern_sobol32_next(&s) == __tern_sobol32_next(&t);
        }
    }
    check(ok, "sobol first points, 32 and 64 bits", "wrong");
}

static void jumps(void)
{
    struct __tern_xorwow x, y;
    struct __tern_mrg m, n;
    struct __tern_lcg l, k;
    struct __tern_philox p, q;
    __tern_xorwow_init(&x, 7, 0, 0);
    __tern_xorwow_init(&y, 7, 0, 12345);
    __tern_mrg_init(&m, 7, 0, 0);
    __tern_mrg_init(&n, 7, 0, 12345);
    __tern_lcg_init(&l, 7, 0, 0);
    __tern_lcg_init(&k, 7, 0, 12345);
    __tern_philox_init(&p, 7, 0, 0);
    __tern_philox_init(&q, 7, 0, 12345);
    for (int i = 0; i < 12345; i++) {
        __tern_xorwow_next(&x);
        __tern_mrg_next(&m);
        __tern_lcg_next(&l);
        __tern_philox_next(&p);
    }
    check(__tern_xorwow_next(&x) == __tern_xorwow_next(&y) &&
              __tern_mrg_next(&m) == __tern_mrg_next(&n) &&
              __tern_lcg_next(&l) == __tern_lcg_next(&k) &&
              __tern_philox_next(&p) == __tern_philox_next(&q),
          "jumps are steps", "a jump of 12345 differs from 12345 steps");
    /* two half jumps of 2^66 steps and one sequence */
    __tern_xorwow_init(&x, 9, 1, 0);
    __tern_xorwow_init(&y, 9, 0, 0);
    for (int i = 0; i < 8; i++)
        __tern_xorwow_skip(&y, 1ull << 63);
    for (int i = 0; i < 8; i++)
        __tern_xorwow_skip(&y, 1ull << 63);
    check(__tern_xorwow_next(&x) == __tern_xorwow_next(&y), "xorwow sequences are 2^67 apart",
          "they are not");
}

/* SHA-1 (FIPS 180-4) of n bytes, fewer than the buffer holds. */
static void sha1(const char *text, size_t n, unsigned char *digest)
{
    static unsigned char m[1 << 14];
    unsigned h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}, w[80];
    size_t blocks = (n + 9 + 63) / 64;
    memset(m, 0, sizeof m);
    memcpy(m, text, n);
    m[n] = 0x80;
    for (int i = 0; i < 8; i++)
        m[blocks * 64 - 1 - (size_t)i] = (unsigned char)((unsigned long long)n * 8 >> 8 * i);
    for (size_t block = 0; block < blocks; block++) {
        unsigned v[5];
        memcpy(v, h, sizeof v);
        for (int i = 0; i < 80; i++) {
            const unsigned char *b = m + block * 64 + 4 * i;
            unsigned x = i < 16 ? 0 : w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16];
            unsigned f = i < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                         : i < 40 ? v[1] ^ v[2] ^ v[3]
                         : i < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                                  : v[1] ^ v[2] ^ v[3];
            static const unsigned k[] = {0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xca62c1d6u};
            w[i] = i < 16 ? (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3]
                          : x << 1 | x >> 31;
            f += (v[0] << 5 | v[0] >> 27) + v[4] + k[i / 20] + w[i];
            v[4] = v[3];
            v[3] = v[2];
            v[2] = v[1] << 30 | v[1] >> 2;
            v[1] = v[0];
            v[0] = f;
        }
        for (int i = 0; i < 5; i++)
            h[i] += v[i];
    }
    for (int i = 0; i < 20; i++)
        digest[i] = (unsigned char)(h[i / 4] >> (24 - i % 4 * 8));
}

/* The characteristic polynomial of a set's recurrence, found from the generator's own bits
 * (Berlekamp-Massey), has degree 11213 and the published SHA-1. */
static int mtgp_polynomial(const mtgp32_params_fast_t *p)
{
    enum { BITS = 22800, WORDS = BITS / 32 / 2 + 32 };
    static unsigned state[MTGP32_STATE_SIZE];
    static char text[MTGPDC_MEXP + 1];
    unsigned c[WORDS] = {1}, b[WORDS] = {1}, t[WORDS], s[WORDS] = {0}; /* s: newest bit first */
    int length = 0, shift = 1;
    unsigned char digest[20];
    for (unsigned i = 0; i < MTGPDC_N; i++)
        state[i] = i * 0x9e3779b9u + 1;
    for (unsigned n = 0; n < BITS; n++) {
        unsigned d = 0, r;
        r = __tern_mtgp_step(state[n & MTGP32_STATE_MASK], state[(n + 1) & MTGP32_STATE_MASK],
                             state[(n + (unsigned)p->pos) & MTGP32_STATE_MASK], (unsigned)p->sh1,
                             (unsigned)p->sh2, p->mask, p->tbl);
        state[(n + MTGPDC_N) & MTGP32_STATE_MASK] = r;
        for (int i = WORDS - 1; i > 0; i--)
            s[i] = s[i] << 1 | s[i - 1] >> 31;
        s[0] = s[0] << 1 | (r & 1);
        for (int i = 0; i < WORDS; i++)
            d ^= c[i] & s[i];
        if (__builtin_parity(d)) {
            int words = shift / 32, rest = shift % 32;
            memcpy(t, c, sizeof t);
            for (int i = WORDS - 1; i >= words; i--)
                c[i] ^= b[i - words] << rest |
                        (rest && i > words ? b[i - words - 1] >> (32 - rest) : 0);
            if (2 * length <= (int)n) {
                length = (int)n + 1 - length;
                memcpy(b, t, sizeof b);
                shift = 0;
            }
        }
        shift++;
    }
    if (length != MTGPDC_MEXP)
        return 0;
    for (int i = 0; i <= length; i++)
        text[length - i] = (char)('0' + (c[i / 32] >> i % 32 & 1));
    sha1(text, sizeof text, digest);
    return memcmp(digest, p->poly_sha1, sizeof digest) == 0;
}
/* Every step-th set; what a set adds to the output is drawn in test/programs/random_mtgp32.cu. */
static void mtgp(int step)
{
    int ok = 1;
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS && ok; i += step)
        ok = mtgp_polynomial(&mtgp32dc_params_fast_11213[i]);
    check(ok, "mtgp32 characteristic polynomials", "one is not the published one");
}

/* XORWOW from seed 1234: cuRAND's uniform numbers are exact, its normal ones within a few ulp. */
static void values(void)
{
    static const float uniform[4] = {0x1.29eafp-3f, 0x1.bd5618p-2f, 0x1.bdcdb6p-1f, 0x1.d216cep-2f};
    static const double uniform_d[4] = {0x1.bd561cb7abc2bp-2, 0x1.d216d58cdb5e5p-2,
                                        0x1.2a32b560a6a86p-1, 0x1.92d049b2f344p-1};
    static const float normal[4] = {0x1.8fdbc4p-1f, -0x1.cd343ap+0f, 0x1.2b9612p-3f,
                                    -0x1.02cc3p-1f};
    static const double normal_d[4] = {0x1.6f597c59bea14p-2, -0x1.3d55ef2db6411p+0,
                                       -0x1.031ea070e3c88p+0, 0x1.e74a076847815p-3};
    struct __tern_xorwow s;
    int ok = 1;
    __tern_xorwow_init(&s, 1234, 0, 0);
    for (int i = 0; i < 4; i++)
        ok &= __tern_rand_uniformf(__tern_xorwow_next(&s)) == uniform[i];
    __tern_xorwow_init(&s, 1234, 0, 0);
    for (int i = 0; i < 4; i++) {
        unsigned a = __tern_xorwow_next(&s), b = __tern_xorwow_next(&s);
        ok &= __tern_rand_uniform(a, b) == uniform_d[i];
    }
    check(ok, "uniform numbers", "differ from the recorded ones");
    ok = 1;
    __tern_xorwow_init(&s, 1234, 0, 0);
    for (int i = 0; i < 4; i += 2) {
        unsigned a = __tern_xorwow_next(&s), b = __tern_xorwow_next(&s);
        struct __tern_pairf n = __tern_rand_normal2f(a, b);
        ok &= fabsf(n.x - normal[i]) < 2e-6f && fabsf(n.y - normal[i + 1]) < 2e-6f;
    }
    __tern_xorwow_init(&s, 1234, 0, 0);
    for (int i = 0; i < 4; i += 2) {
        unsigned a = __tern_xorwow_next(&s), b = __tern_xorwow_next(&s), c = __tern_xorwow_next(&s),
                 d = __tern_xorwow_next(&s);
        struct __tern_pair n = __tern_rand_normal2(a, b, c, d);
        ok &= fabs(n.x - normal_d[i]) < 1e-14 && fabs(n.y - normal_d[i + 1]) < 1e-14;
    }
    check(ok, "normal numbers", "differ from the recorded ones");
}

/* Normal floats against Box and Muller in double precision, ends of the range among them. */
static void exact_normals(void)
{
    static const unsigned ends[] = {0,          1,          0x3fffffff, 0x40000000, 0x7fffffff,
                                    0x80000000, 0xb504f333, 0xc0000000, 0xffffff00, 0xffffffff};
    enum { ENDS = sizeof ends / sizeof *ends };
    struct __tern_philox s;
    double worst = 0;
    __tern_philox_init(&s, 7, 0, 0);
    for (int i = 0; i < 200000; i++) {
        const unsigned a = i < ENDS * ENDS ? ends[i / ENDS] : __tern_philox_next(&s),
                       b = i < ENDS * ENDS ? ends[i % ENDS] : __tern_philox_next(&s);
        const struct __tern_pairf n = __tern_rand_normal2f(a, b);
        const double u = (double)__tern_rand_uniformf(a), v = b * 0x1p-31 + 0x1p-32;
        const double radius = sqrt(-2 * log(u)), pi = 3.14159265358979323846,
                     off = fmax(fabs(n.x - radius * sin(pi * v)), fabs(n.y - radius * cos(pi * v)));
        worst = radius > 0 ? fmax(worst, off / radius) : worst;
    }
    check(worst < 0x1p-22, "normal floats are near those of double precision",
          "off by more than 2^-22 of the radius");
}

static void moments(void)
{
    struct __tern_philox s;
    double sum = 0, squares = 0, cubes = 0, fourth = 0, n = 0;
    __tern_philox_init(&s, 42, 0, 0);
    for (int i = 0; i < 100000; i++) {
        unsigned a = __tern_philox_next(&s), b = __tern_philox_next(&s);
        struct __tern_pairf v = __tern_rand_normal2f(a, b);
        for (int k = 0; k < 2; k++) {
            double x = k ? v.y : v.x;
            sum += x;
            squares += x * x;
            cubes += x * x * x;
            fourth += x * x * x * x;
            n++;
        }
    }
    check(fabs(sum / n) < 0.01 && fabs(squares / n - 1) < 0.02 && fabs(cubes / n) < 0.05 &&
              fabs(fourth / n - 3) < 0.1,
          "moments of the normal distribution", "off");
    static const double means[] = {0.5, 3, 9.5, 10.5, 40, 1000};
    int ok = 1;
    for (unsigned k = 0; k < sizeof means / sizeof means[0]; k++) {
        sum = squares = 0;
        n = 50000;
        for (int i = 0; i < n; i++) {
            double x = __tern_philox_poisson(&s, means[k]);
            sum += x;
            squares += x * x;
        }
        double mean = sum / n, variance = squares / n - mean * mean;
        ok &=
            fabs(mean - means[k]) < 5 * sqrt(means[k] / n) && fabs(variance / means[k] - 1) < 0.05;
    }
    check(ok, "mean and variance of the Poisson distribution", "off");
    sum = 0;
    n = 100000;
    for (int i = 0; i < n; i++)
        sum += __tern_rand_log_normal(
            __tern_rand_normal2(__tern_philox_next(&s), __tern_philox_next(&s),
                                __tern_philox_next(&s), __tern_philox_next(&s))
                .x,
            0.5, 0.25);
    check(fabs(sum / n - exp(0.5 + 0.25 * 0.25 / 2)) < 0.01, "mean of the log-normal distribution",
          "off");
}

int main(int argc, char **argv) /* an argument: all of it */
{
    (void)argv;
    streams();
    published();
    jumps();
    mtgp(argc > 1 ? 1 : 20);
    values();
    exact_normals();
    moments();
    return failed;
}
