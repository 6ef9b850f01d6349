/* Warp matrix multiply-accumulate: gathers the fragments of mma.def from all lanes into plain
 * matrices, multiplies, and hands the result out again. Products are exact; float sums run over k
 * in order in f64 and are rounded to the accumulator's type once (f64: a chain of exact fma). */
#include "interp/interp_int.h"

enum element {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_S32
};

static const struct shape {
    uint8_t m, n, k, in, acc, na, nb, nc;
} shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm)                                       \
    {m, n, k, ELEMENT_##in, ELEMENT_##acc, na, nb, nc},
#include "ir/mma.def"
};

/* Elements to a 32-bit register; f64 takes a register of its own. */
static unsigned packed(enum element e)
{
    return e == ELEMENT_F16 || e == ELEMENT_BF16 ? 2 : e == ELEMENT_S8 || e == ELEMENT_U8 ? 4 : 1;
}

static uint64_t unpack_bits(uint64_t reg, enum element e, unsigned j)
{
    switch (packed(e)) {
    case 2: return reg >> 16 * j & 0xffff;
    case 4: return reg >> 8 * j & 0xff;
    default: return reg;
    }
}

static double as_double(uint64_t bits, enum element e)
{
    switch (e) {
    case ELEMENT_F16: return m_from_f16((uint16_t)bits);
    case ELEMENT_BF16: return m_from_bf16((uint16_t)bits);
    case ELEMENT_TF32: return m_float((uint32_t)bits & 0xffffe000u);
    case ELEMENT_F32: return m_float((uint32_t)bits);
    case ELEMENT_F64: return m_double(bits);
    case ELEMENT_S8: return (int8_t)bits;
    case ELEMENT_U8: return (uint8_t)bits;
    default: return (int32_t)bits;
    }
}

static uint64_t register_of(const struct op *o, const char *regs, unsigned index, uint32_t lane)
{
    return lane_bits(regs + o->x->args[index], storage_bytes(o->x->arg_types[index]), lane);
}

struct matrices {
    double a[16][32], b[32][8], c[16][8];
};

static void gather(struct matrices *x, const struct shape *s, const struct op *const op[LANES],
                   char *const regs[LANES])
{
    const unsigned e = packed(s->in), ec = s->acc == ELEMENT_F16 ? 2 : 1;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const unsigned g = lane / 4, t = lane % 4;
        for (unsigned r = 0; r < s->na; r++)
            for (unsigned j = 0; j < e; j++) {
                /* Shapes with eight rows have no lower half: registers go on along k. */
                const unsigned row = s->m == 8 ? g : g + 8 * (r % 2);
                const unsigned column = t * e + j + 4 * e * (s->m == 8 ? r : r / 2);
                const uint64_t bits = register_of(op[lane], regs[lane], r, lane);
                x->a[row][column] = as_double(unpack_bits(bits, s->in, j), s->in);
            }
        for (unsigned r = 0; r < s->nb; r++)
            for (unsigned j = 0; j < e; j++) {
                const uint64_t bits = register_of(op[lane], regs[lane], s->na + r, lane);
                x->b[t * e + j + 4 * e * r][g] = as_double(unpack_bits(bits, s->in, j), s->in);
            }
        for (unsigned i = 0; i < s->nc * ec; i++) {
            const uint64_t bits = register_of(op[lane], regs[lane], s->na + s->nb + i / ec, lane);
            x->c[g + 8 * (i / 2)][2 * t + i % 2] =
                as_double(ec == 2 ? unpack_bits(bits, ELEMENT_F16, i % 2) : bits, s->acc);
        }
    }
}

static void multiply(struct matrices *x, const struct shape *s)
{
    for (unsigned i = 0; i < s->m; i++)
        for (unsigned j = 0; j < s->n; j++) {
            double sum = x->c[i][j];
            for (unsigned k = 0; k < s->k; k++)
                sum = fma(x->a[i][k], x->b[k][j], sum);
            x->c[i][j] = sum;
        }
}

void interp_matrix(const struct op *const op[LANES], char *const regs[LANES])
{
    const struct shape *s = &shapes[op[0]->imm];
    struct matrices x;
    memset(&x, 0, sizeof x);
    gather(&x, s, op, regs);
    multiply(&x, s);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const unsigned g = lane / 4, t = lane % 4;
        const struct detail *d = op[lane]->x;
        for (unsigned i = 0; i < s->nc; i++) {
            uint64_t bits;
            if (s->acc == ELEMENT_F16) {
                const double *v = &x.c[g + 8 * i][2 * t];
                bits = m_soft_convert(IR_F16, IR_F64, IR_RN, m_bits64(v[0])) |
                       m_soft_convert(IR_F16, IR_F64, IR_RN, m_bits64(v[1])) << 16;
            } else {
                const double v = x.c[g + 8 * (i / 2)][2 * t + i % 2];
                bits = s->acc == ELEMENT_S32   ? (uint32_t)(int64_t)v
                       : s->acc == ELEMENT_F32 ? m_bits32((float)v)
                                               : m_bits64(v);
            }
            set_lane(regs[lane] + d->results[i], storage_bytes(d->result_types[i]), lane, bits);
        }
    }
}
