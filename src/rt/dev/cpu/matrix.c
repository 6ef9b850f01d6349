/* Warp matrix products for our own machine code: D = A * B + C on the registers of all lanes, which
 * lie lane after lane for each register (ir/mma.def says who holds what). Sums run over k in order,
 * in the type of C (f16: f32). */
#include <math.h>
#include <string.h>
#include "ir/meaning.h"
#include "rt/dev/cpu/cpu_int.h"

enum element { F16, BF16, TF32, F32, F64, S8, U8, S32 };
static const struct shape {
    uint8_t m, k, in, acc, na, nb, nc;
} shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) {m, k, in, acc, na, nb, nc},
#include "ir/mma.def"
};
enum { LANES = 32, COLUMNS = 8, MOST_ROWS = 16, MOST_K = 32 };

static unsigned packed(unsigned e)
{
    return e == F16 || e == BF16 ? 2 : e == S8 || e == U8 ? 4 : 1;
}

static uint32_t word(const char *p, unsigned reg, unsigned lane)
{
    uint32_t x;
    memcpy(&x, p + 4 * (LANES * reg + lane), sizeof x);
    return x;
}

static float number(uint32_t x, unsigned e, unsigned j)
{
    switch (e) {
    case F16: return m_from_f16((uint16_t)(x >> 16 * j));
    case BF16: return m_from_bf16((uint16_t)(x >> 16 * j));
    case TF32: return m_float(x & 0xffffe000u);
    case S8: return (int8_t)(x >> 8 * j);
    case U8: return (uint8_t)(x >> 8 * j);
    default: return m_float(x);
    }
}

static unsigned row_of(const struct shape *s, unsigned g, unsigned r)
{
    return s->m == 8 ? g : g + 8 * (r % 2);
}

static unsigned column_of(const struct shape *s, unsigned t, unsigned r, unsigned e, unsigned j)
{
    return t * e + j + 4 * e * (s->m == 8 ? r : r / 2);
}

static void multiply_wide(const struct shape *s, const char *a, const char *b, char *c)
{
    double x[MOST_ROWS][MOST_K], y[MOST_K][COLUMNS], z;
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned r = 0; r < s->na; r++)
            memcpy(&x[row_of(s, l / 4, r)][column_of(s, l % 4, r, 1, 0)], a + 8 * (LANES * r + l),
                   8);
        for (unsigned r = 0; r < s->nb; r++)
            memcpy(&y[l % 4 + 4 * r][l / 4], b + 8 * (LANES * r + l), 8);
    }
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < s->nc; i++) {
            memcpy(&z, c + 8 * (LANES * i + l), 8);
            for (unsigned k = 0; k < s->k; k++)
                z = fma(x[l / 4 + 8 * (i / 2)][k], y[k][2 * (l % 4) + i % 2], z);
            memcpy(c + 8 * (LANES * i + l), &z, 8);
        }
}

static void multiply_words(const struct shape *s, const char *a, const char *b, char *c)
{
    float x[MOST_ROWS][MOST_K], y[MOST_K][COLUMNS];
    const unsigned e = packed(s->in), halves = s->acc == F16 ? 2 : 1;
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned r = 0; r < s->na; r++)
            for (unsigned j = 0; j < e; j++)
                x[row_of(s, l / 4, r)][column_of(s, l % 4, r, e, j)] =
                    number(word(a, r, l), s->in, j);
        for (unsigned r = 0; r < s->nb; r++)
            for (unsigned j = 0; j < e; j++)
                y[l % 4 * e + j + 4 * e * r][l / 4] = number(word(b, r, l), s->in, j);
    }
    for (unsigned row = 0; row < s->m; row++) {
        float sum[COLUMNS];
        uint32_t whole[COLUMNS];
        for (unsigned q = 0; q < COLUMNS; q++) { /* who holds it: lane, value */
            const unsigned l = row % 8 * 4 + q / 2, i = row / 8 * 2 + q % 2;
            const uint32_t w = word(c, i / halves, l);
            sum[q] = s->acc == F16 ? m_from_f16((uint16_t)(w >> 16 * (i % 2))) : m_float(w);
            whole[q] = w;
        }
        for (unsigned k = 0; k < s->k; k++)
            for (unsigned q = 0; q < COLUMNS; q++)
                if (s->acc == S32)
                    whole[q] += (uint32_t)((int32_t)x[row][k] * (int32_t)y[k][q]);
                else
                    sum[q] = fmaf(x[row][k], y[k][q], sum[q]);
        for (unsigned q = 0; q < COLUMNS; q++) {
            const unsigned l = row % 8 * 4 + q / 2, i = row / 8 * 2 + q % 2;
            uint32_t w = s->acc == S32 ? whole[q] : m_bits32(sum[q]);
            char *to = c + 4 * (LANES * (i / halves) + l);
            if (s->acc == F16) {
                const uint16_t h = m_to_f16(sum[q]);
                memcpy(to + 2 * (i % 2), &h, sizeof h);
            } else {
                memcpy(to, &w, sizeof w);
            }
        }
    }
}

void cpu_multiply(u64 which, const char *a, const char *b, char *c)
{
    const struct shape *s = &shapes[which];
    if (s->acc == F64)
        multiply_wide(s, a, b, c);
    else
        multiply_words(s, a, b, c);
}
