/* Products of matrices: the fragments of all lanes, as src/ir/mma.def spreads them, from the
 * encoding: HMMA, IMMA, DMMA. Sums run over K in order in f64, as the interpreter's do. */
#include <math.h>
#include <string.h>
#include "sim.h"

enum element { F16, BF16, TF32, F32, F64, S8, U8, S32 };

struct shape {
    unsigned m, k;
    enum element a, b, sum;
    unsigned na, nb, nc; /* registers of 32 bits, for f64 of 64 */
};

static struct shape shape_of(const struct sass_inst *i)
{
    const unsigned mode = i->mods[MOD_MODE], type = i->mods[MOD_TYPE];
    if (i->op == OP_DMMA)
        return (struct shape){8, 4, F64, F64, F64, 1, 1, 2};
    if (i->op == OP_IMMA) {
        const unsigned k = mode & 1 ? 32 : 16;
        return (struct shape){
            type ? 16 : 8,           k,      mode & 2 ? S8 : U8, mode & 8 ? S8 : U8, S32,
            (type ? 2 : 1) * k / 16, k / 16, type ? 4 : 2};
    }
    if (type == 2) {
        const unsigned k = mode & 8 ? 4 : 8;
        return (struct shape){16, k, TF32, TF32, F32, k / 2, k / 4, 4};
    }
    const unsigned k = mode & 1 ? 16 : 8;
    const enum element e = type ? BF16 : F16;
    return (struct shape){16, k, e, e, mode & 2 ? F32 : F16, k / 4, k / 8, mode & 2 ? 4 : 2};
}

static unsigned packed(enum element e)
{
    return e == F16 || e == BF16 ? 2 : e == S8 || e == U8 ? 4 : 1;
}

static uint64_t converted(ir_type to, ir_type from, uint64_t v)
{
    uint64_t r = 0;
    ir_eval(IR_OP_fcvt, to, from, IR_RN, &v, &r);
    return r;
}

static double value_of(uint64_t v, enum element e, unsigned j)
{
    float f;
    double d;
    uint32_t w = (uint32_t)v;
    switch (e) {
    case F16: w = (uint32_t)converted(IR_F32, IR_F16, v >> 16 * j & 0xffff); break;
    case BF16: w = (uint32_t)(v >> 16 * j) << 16; break;
    case TF32: w &= 0xffffe000u; break;
    case F64: memcpy(&d, &v, 8); return d;
    case S8: return (int8_t)(v >> 8 * j);
    case U8: return (uint8_t)(v >> 8 * j);
    case S32: return (int32_t)w;
    default: break;
    }
    memcpy(&f, &w, 4);
    return f;
}

static uint64_t taken(const struct warp *w, const struct sass_src *x, enum element e, unsigned r,
                      unsigned lane)
{
    if (x->value == SASS_NONE)
        return 0;
    if (e != F64)
        return w->regs[x->value + r][lane];
    return w->regs[x->value + 2 * r][lane] | (uint64_t)w->regs[x->value + 2 * r + 1][lane] << 32;
}

static uint32_t half_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    return (uint32_t)converted(IR_F16, IR_F64, bits);
}

static void give(struct warp *w, const struct shape *s, uint32_t d, unsigned i, unsigned lane,
                 const double *v)
{
    const float f = (float)*v;
    uint64_t bits = 0;
    if (s->sum == F16)
        bits = half_of(v[0]) | (uint64_t)half_of(v[1]) << 16;
    else if (s->sum == S32)
        bits = (uint32_t)(int64_t)*v;
    else if (s->sum == F32)
        memcpy(&bits, &f, 4);
    else
        memcpy(&bits, v, 8);
    if (s->sum != F64) {
        w->regs[d + i][lane] = (uint32_t)bits;
        return;
    }
    w->regs[d + 2 * i][lane] = (uint32_t)bits;
    w->regs[d + 2 * i + 1][lane] = (uint32_t)(bits >> 32);
}

bool sim_matrix(struct block *b, const struct sass_inst *i, uint32_t run)
{
    static double a[16][32], m[32][8], c[16][8];
    struct warp *w = b->warp;
    if (i->op != OP_HMMA && i->op != OP_IMMA && i->op != OP_DMMA)
        return false;
    if (run != w->there || run != UINT32_MAX)
        sim_fail(b, "a product of matrices by some lanes of a warp");
    if (i->op == OP_DMMA && i->mods[MOD_MODE])
        sim_fail(b, "a shape of DMMA that is not simulated");
    const struct shape s = shape_of(i);
    const unsigned e = packed(s.a), half = s.sum == F16 ? 2 : 1;
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned g = l / 4, t = l % 4;
        for (unsigned r = 0; r < s.na; r++)
            for (unsigned j = 0; j < e; j++)
                a[s.m == 8 ? g : g + 8 * (r % 2)][t * e + j + 4 * e * (s.m == 8 ? r : r / 2)] =
                    value_of(taken(w, &i->a, s.a, r, l), s.a, j);
        for (unsigned r = 0; r < s.nb; r++)
            for (unsigned j = 0; j < e; j++)
                m[t * e + j + 4 * e * r][g] = value_of(taken(w, &i->b, s.b, r, l), s.b, j);
        for (unsigned n = 0; n < s.nc * half; n++)
            c[g + 8 * (n / 2)][2 * t + n % 2] =
                value_of(taken(w, &i->c, s.sum, n / half, l), s.sum, n % half);
    }
    for (unsigned r = 0; r < s.m; r++)
        for (unsigned n = 0; n < 8; n++)
            for (unsigned k = 0; k < s.k; k++)
                c[r][n] = fma(a[r][k], m[k][n], c[r][n]);
    for (unsigned l = 0; l < LANES && i->d != SASS_NONE; l++)
        for (unsigned n = 0; n < s.nc; n++) {
            const unsigned first = n * half;
            give(w, &s, i->d, n, l, &c[l / 4 + 8 * (first / 2)][2 * (l % 4) + first % 2]);
        }
    return true;
}
