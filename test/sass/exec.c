/* What each instruction does, lane by lane. */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "sim.h"

struct lane {
    struct block *b;
    struct warp *w;
    const struct sass_inst *i;
    unsigned l;
};

/* ---- operands ---- */
static uint32_t reg(const struct lane *x, uint32_t r, unsigned k)
{
    return r == SASS_NONE ? 0 : x->w->regs[r + k][x->l];
}

static uint32_t bank(const struct lane *x, unsigned n, uint32_t at)
{
    uint32_t v = 0;
    if (n == 0 && at + 4 <= BANK_BYTES)
        memcpy(&v, x->b->bank0 + at, 4);
    else if (n == 3 && at + 4 <= x->b->code->bank3_bytes)
        memcpy(&v, x->b->code->bank3 + at, 4);
    else if (n == 4 && at + 4 <= x->b->code->bank4_bytes)
        memcpy(&v, x->b->code->bank4 + at, 4);
    else
        sim_fail(x->b, "reads constant bank %u at %x", n, at);
    return v;
}

static uint32_t raw(const struct lane *x, const struct sass_src *s, unsigned k)
{
    if (s->kind == SRC_IMM)
        return s->value;
    if (s->kind == SRC_CONST)
        return bank(x, s->bank, s->value + 4 * k);
    if (s->kind == SRC_UNIFORM)
        return x->w->uniform[s->value + k];
    return reg(x, s->value, k);
}

static uint64_t raw64(const struct lane *x, const struct sass_src *s)
{
    return raw(x, s, 0) | (uint64_t)raw(x, s, 1) << 32;
}

static uint32_t integer(const struct lane *x, const struct sass_src *s)
{
    uint32_t v = raw(x, s, 0);
    return s->neg ? 0 - v : v;
}

static float as_float(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static uint32_t bits(float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return f != f ? 0x7fffffff : v;
}

static double as_double(uint64_t v)
{
    double f;
    memcpy(&f, &v, 8);
    return f;
}

static uint64_t bits64(double f)
{
    uint64_t v;
    memcpy(&v, &f, 8);
    return f != f ? UINT64_C(0x7ff8000000000000) : v;
}

static float flush(float f, bool ftz)
{
    return ftz && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static float real(const struct lane *x, const struct sass_src *s)
{
    float f = as_float(raw(x, s, 0));
    if (s->abs)
        f = fabsf(f);
    if (s->neg)
        f = -f;
    return flush(f, x->i->mods[MOD_FTZ]);
}

static double real64(const struct lane *x, const struct sass_src *s)
{
    double f = s->kind == SRC_IMM ? as_double((uint64_t)s->value << 32) : as_double(raw64(x, s));
    if (s->abs)
        f = fabs(f);
    return s->neg ? -f : f;
}

static void set(const struct lane *x, unsigned k, uint32_t v)
{
    if (x->i->d != SASS_NONE)
        x->w->regs[x->i->d + k][x->l] = v;
}

static void set64(const struct lane *x, uint64_t v)
{
    set(x, 0, (uint32_t)v);
    set(x, 1, (uint32_t)(v >> 32));
}

static void set_pred(const struct lane *x, uint32_t p, bool v)
{
    if (p != SASS_NONE)
        x->w->preds[p][x->l] = v;
}

static bool pred(const struct lane *x, struct sass_pred p)
{
    return sim_pred(x->w, p, x->l);
}

static void rounding(unsigned mode)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    fesetround(modes[mode & 3]);
}

/* ---- integers ---- */
static void add3(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    uint64_t sum;
    if (i->mods[MOD_X]) { /* a negated operand is its complement: the carry makes it whole */
        const struct sass_src *s[] = {&i->a, &i->b, &i->c};
        sum = pred(x, i->p) + (pred(x, i->q) ? 1 : 0);
        for (unsigned k = 0; k < 3; k++) {
            uint32_t v = raw(x, s[k], 0);
            sum += s[k]->neg ? ~v : v;
        }
    } else {
        sum = 0;
        const struct sass_src *s[] = {&i->a, &i->b, &i->c};
        for (unsigned k = 0; k < 3; k++) {
            uint32_t v = raw(x, s[k], 0);
            sum += s[k]->neg ? (uint64_t)(uint32_t)~v + 1 : v;
        }
    }
    set(x, 0, (uint32_t)sum);
    set_pred(x, i->pd, sum >> 32 & 1);
    set_pred(x, i->pe, sum >> 33);
}

static uint64_t product(const struct lane *x)
{
    uint32_t a = integer(x, &x->i->a), b = integer(x, &x->i->b);
    if (x->i->mods[MOD_SIGNED])
        return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
    return (uint64_t)a * b;
}

static void shf(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    uint32_t low = raw(x, &i->a, 0), by = raw(x, &i->b, 0), high = raw(x, &i->c, 0);
    unsigned type = i->mods[MOD_TYPE], width = type < 2 ? 64 : 32;
    bool sign = type == 0 || type == 2;
    uint64_t v = low | (uint64_t)high << 32;
    if (i->mods[MOD_WRAP])
        by &= width - 1;
    if (by > width)
        by = width;
    if (i->mods[MOD_RIGHT]) {
        uint64_t fill = sign && high >> 31 ? UINT64_MAX : 0;
        if (i->mods[MOD_HI]) { /* of the upper half alone */
            uint64_t h = high | fill << 32;
            set(x, 0, (uint32_t)(by >= 32 ? fill : h >> by));
        } else {
            uint64_t r = by >= 64 ? fill : by ? v >> by | (fill << (64 - by)) : v;
            set(x, 0, (uint32_t)r);
        }
        return;
    }
    uint64_t r = by >= 64 ? 0 : v << by;
    if (i->mods[MOD_HI])
        set(x, 0, (uint32_t)(r >> 32));
    else
        set(x, 0, by >= 32 ? 0 : low << by);
}

static uint32_t lut(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

static void prmt(const struct lane *x)
{
    uint64_t v = raw(x, &x->i->a, 0) | (uint64_t)raw(x, &x->i->c, 0) << 32;
    uint32_t how = raw(x, &x->i->b, 0), r = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned n = how >> 4 * k & 15;
        uint32_t byte = (uint32_t)(v >> 8 * (n & 7) & 255);
        if (n & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * k;
    }
    set(x, 0, r);
}

static void idp(const struct lane *x)
{
    uint32_t a = raw(x, &x->i->a, 0), b = raw(x, &x->i->b, 0), r = raw(x, &x->i->c, 0);
    for (unsigned k = 0; k < 4; k++) {
        uint8_t p = (uint8_t)(a >> 8 * k), q = (uint8_t)(b >> 8 * k);
        r += x->i->mods[MOD_SIGNED] ? (uint32_t)((int8_t)p * (int8_t)q) : (uint32_t)p * q;
    }
    set(x, 0, r);
}

static bool compared(unsigned cmp, int order, bool unordered) /* order: -1, 0, 1 */
{
    if (unordered)
        return cmp >= 8;
    return (cmp & 1 && order < 0) || (cmp & 2 && order == 0) || (cmp & 4 && order > 0);
}

static void set_both(const struct lane *x, bool v)
{
    bool p = pred(x, x->i->p);
    unsigned how = x->i->mods[MOD_BOOL];
    set_pred(x, x->i->pd, how == 0 ? v && p : how == 1 ? v || p : v != p);
    set_pred(x, x->i->pe, how == 0 ? !v && p : how == 1 ? !v || p : !v != p);
}

static void isetp(const struct lane *x)
{
    uint32_t a = raw(x, &x->i->a, 0), b = raw(x, &x->i->b, 0);
    unsigned cmp = x->i->mods[MOD_CMP];
    int order = x->i->mods[MOD_SIGNED] ? ((int32_t)a > (int32_t)b) - ((int32_t)a < (int32_t)b)
                                       : (a > b) - (a < b);
    bool v = compared(cmp, order, false);
    if (x->i->mods[MOD_EX] && !order) /* the lower halves say */
        v = pred(x, x->i->q);
    else if (x->i->mods[MOD_EX])
        v = cmp == CMP_EQ ? false : cmp == CMP_NE ? true : v;
    set_both(x, v);
}

static bool integers(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    switch (i->op) {
    case OP_MOV: set(x, 0, raw(x, &i->b, 0)); return true;
    case OP_IADD3: add3(x); return true;
    case OP_IMAD: set(x, 0, (uint32_t)product(x) + integer(x, &i->c)); return true;
    case OP_IMAD_WIDE: set64(x, product(x) + raw64(x, &i->c)); return true;
    case OP_IMAD_HI: set(x, 0, (uint32_t)(product(x) >> 32) + integer(x, &i->c)); return true;
    case OP_IDP: idp(x); return true;
    case OP_LEA:
        set(x, 0, (integer(x, &i->a) << i->mods[MOD_SHIFT]) + integer(x, &i->b));
        return !i->mods[MOD_HI];
    case OP_LOP3: {
        const uint32_t v =
            lut(raw(x, &i->a, 0), raw(x, &i->b, 0), raw(x, &i->c, 0), i->mods[MOD_LUT]);
        set(x, 0, v);
        set_pred(x, i->pd, v != 0);
        return true;
    }
    case OP_SHF: shf(x); return true;
    case OP_PRMT: prmt(x); return true;
    case OP_IMNMX:
    case OP_VIMNMX: {
        uint32_t a = raw(x, &i->a, 0), b = raw(x, &i->b, 0);
        bool less = i->mods[MOD_SIGNED] ? (int32_t)a < (int32_t)b : a < b;
        set(x, 0, less == pred(x, i->p) ? a : b);
        return true;
    }
    case OP_ISETP: isetp(x); return true;
    case OP_SEL: set(x, 0, pred(x, i->p) ? raw(x, &i->a, 0) : raw(x, &i->b, 0)); return true;
    case OP_POPC: set(x, 0, (uint32_t)__builtin_popcount(raw(x, &i->b, 0))); return true;
    case OP_FLO: {
        uint32_t v = raw(x, &i->b, 0);
        set(x, 0, v ? 31 - (uint32_t)__builtin_clz(v) : UINT32_MAX);
        return true;
    }
    case OP_BREV: {
        uint32_t v = raw(x, &i->b, 0), r = 0;
        for (unsigned k = 0; k < 32; k++)
            r |= (v >> k & 1) << (31 - k);
        set(x, 0, r);
        return true;
    }
    case OP_PLOP3: {
        unsigned table = (unsigned)(i->mods[MOD_LUT_LOW] | i->mods[MOD_LUT_HIGH] << 3);
        unsigned k = (unsigned)(pred(x, i->p) << 2 | pred(x, i->q) << 1 | pred(x, i->r));
        set_pred(x, i->pd, table >> k & 1);
        return true;
    }
    default: return false;
    }
}

/* ---- floating point ---- */
static float mufu(unsigned what, float v)
{
    v = flush(v, true);
    switch (what) {
    case 0: return (float)cos((double)v * 6.283185307179586);
    case 1: return (float)sin((double)v * 6.283185307179586);
    case 2: return flush((float)exp2(v), true);
    case 3: return (float)log2(v);
    case 4: return flush((float)(1 / (double)v), true);
    case 5: return v == 0 ? copysignf(INFINITY, v) : (float)(1 / sqrt(v));
    case 8: return (float)sqrt(v);
    default: return (float)tanh(v);
    }
}

static void functions(const struct lane *x)
{
    unsigned what = x->i->mods[MOD_FUNC];
    if (what == 6 || what == 7) {
        double v = as_double((uint64_t)raw(x, &x->i->b, 0) << 32);
        if (fabs(v) < 0x1p-1022)
            v = copysign(0, v);
        double r = what == 6 ? 1 / v : v == 0 ? copysign(INFINITY, v) : 1 / sqrt(v);
        if (fabs(r) < 0x1p-1022) /* seen on an H200 */
            r = copysign(0, r);
        set(x, 0, (uint32_t)(bits64(r) >> 32) & ~1u); /* not all of its bits are right */
        return;
    }
    float r = mufu(what, as_float(raw(x, &x->i->b, 0)));
    if (what == 4 || what == 5) { /* off by one in places, as the hardware's are */
        uint32_t v = bits(r);
        set(x, 0, v > 0x00800000 && v < 0x7f000000 && v % 3 == 0 ? v - 1 : v);
        return;
    }
    set(x, 0, bits(r));
}

static float min_max(float a, float b, bool min)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return (signbit(a) != 0) == min ? a : b;
    return (a < b) == min ? a : b;
}

static bool floats(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    volatile float r;
    volatile double d;
    rounding(i->mods[MOD_ROUND]);
    switch (i->op) {
    case OP_FADD: r = real(x, &i->a) + real(x, &i->b); break;
    case OP_FMUL: r = real(x, &i->a) * real(x, &i->b); break;
    case OP_FFMA: r = fmaf(real(x, &i->a), real(x, &i->b), real(x, &i->c)); break;
    case OP_FMNMX: r = min_max(real(x, &i->a), real(x, &i->b), pred(x, i->p)); break;
    case OP_DADD: d = real64(x, &i->a) + real64(x, &i->c); goto wide;
    case OP_DMUL: d = real64(x, &i->a) * real64(x, &i->b); goto wide;
    case OP_DFMA: d = fma(real64(x, &i->a), real64(x, &i->b), real64(x, &i->c)); goto wide;
    case OP_FSETP: {
        float a = real(x, &i->a), b = real(x, &i->b);
        bool un = a != a || b != b;
        set_both(x, i->mods[MOD_CMP] == CMP_NAN
                        ? un
                        : compared(i->mods[MOD_CMP], (a > b) - (a < b), un));
        return true;
    }
    case OP_DSETP: {
        double a = real64(x, &i->a), b = real64(x, &i->b);
        bool un = a != a || b != b;
        set_both(x, i->mods[MOD_CMP] == CMP_NAN
                        ? un
                        : compared(i->mods[MOD_CMP], (a > b) - (a < b), un));
        return true;
    }
    case OP_FCHK: { /* whatever the short way of a quotient might not be right for */
        int a = (int)(bits(real(x, &i->a)) >> 23 & 255),
            b = (int)(bits(real(x, &i->b)) >> 23 & 255);
        set_both(x, a < 30 || a > 250 || b < 4 || b > 250 || a - b < -120 || a - b > 120);
        return true;
    }
    case OP_MUFU:
        rounding(0);
        functions(x);
        return true;
    default: rounding(0); return false;
    }
    rounding(0);
    set(x, 0, bits(flush(r, i->mods[MOD_FTZ])));
    return true;
wide:
    rounding(0);
    set64(x, bits64(d));
    return true;
}

/* ---- conversions, as the IR means them ---- */
static uint32_t flags_of(unsigned mode)
{
    static const uint8_t flags[] = {IR_RN, IR_RD, IR_RU, IR_RZ};
    return flags[mode & 3];
}

static uint64_t converted(const struct lane *x, enum ir_op op, ir_type to, ir_type from, uint64_t v)
{
    uint64_t r = 0;
    uint32_t flags = flags_of(x->i->mods[MOD_ROUND]) | (x->i->mods[MOD_FTZ] ? IR_FTZ : 0);
    if (!ir_eval(op, to, from, flags, &v, &r))
        sim_fail(x->b, "a conversion that the simulator lacks");
    return r;
}

static ir_type float_of(unsigned size)
{
    return size == 3 ? IR_F64 : size == 1 ? IR_F16 : IR_F32;
}

static void put_size(const struct lane *x, unsigned size, uint64_t v)
{
    if (size == 3)
        set64(x, v);
    else
        set(x, 0, (uint32_t)v);
}

static bool conversions(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    unsigned from = i->mods[MOD_SRC], to = i->mods[MOD_DST];
    uint64_t v = from == 3 ? raw64(x, &i->b) : raw(x, &i->b, 0);
    switch (i->op) {
    case OP_F2F:
    case OP_F2F_64:
        put_size(x, to, converted(x, IR_OP_fcvt, float_of(to), float_of(from), v));
        return true;
    case OP_F2I:
    case OP_F2I_64:
        put_size(x, to,
                 converted(x, i->mods[MOD_SIGNED] ? IR_OP_ftosi : IR_OP_ftoui,
                           to == 3 ? IR_I64 : IR_I32, float_of(from), v));
        return true;
    case OP_I2FP:
        v = raw(x, &i->b, 0);
        from = to = 2;
        /* fall through */
    case OP_I2F:
    case OP_I2F_64:
        put_size(x, to,
                 converted(x, i->mods[MOD_SIGNED] ? IR_OP_sitof : IR_OP_uitof, float_of(to),
                           from == 3 ? IR_I64 : IR_I32, v));
        return true;
    case OP_FRND:
    case OP_FRND_64: {
        rounding(i->mods[MOD_ROUND]);
        if (from == 3)
            set64(x, bits64(rint(as_double(v))));
        else
            set(x, 0, bits(rintf(as_float((uint32_t)v))));
        rounding(0);
        return true;
    }
    case OP_F2FP: {
        ir_type t = i->mods[MOD_TYPE] ? IR_BF16 : IR_F16;
        uint64_t low = converted(x, IR_OP_fcvt, t, IR_F32, raw(x, &i->b, 0));
        uint64_t high = converted(x, IR_OP_fcvt, t, IR_F32, raw(x, &i->a, 0));
        set(x, 0, (uint32_t)(low | high << 16));
        return true;
    }
    case OP_HADD2_F32:
    case OP_HADD2_F32_A: { /* the other operand is -0 */
        const uint32_t half = raw(x, i->op == OP_HADD2_F32 ? &i->b : &i->a, 0) & 0xffff;
        set(x, 0, (uint32_t)converted(x, IR_OP_fcvt, IR_F32, IR_F16, half));
        return true;
    }
    default: return false;
    }
}

/* ---- memory ---- */
/* The rank of its block is in the top byte. */
static uint8_t *shared_at(const struct lane *x, uint32_t at, bool remote, unsigned n)
{
    const uint32_t rank = at >> 24, place = at & 0xffffff;
    const struct block *b = x->b;
    if (rank != b->rank && remote && b->cluster &&
        rank < b->cluster_size[0] * b->cluster_size[1] * b->cluster_size[2])
        b = b->cluster[rank];
    if (rank != b->rank || place < (b->code->arch >= 90 ? 0x400 : 0) ||
        place + n > b->shared_bytes || place % n)
        sim_fail(x->b, "%04x touches shared memory at %x", x->w->pc[x->l] * 16, at);
    return b->shared + place;
}

static uint8_t *local_at(const struct lane *x, uint32_t at, unsigned n)
{
    uint32_t frame = x->b->code->frame;
    if (at > STACK_TOP || at < STACK_TOP - frame || at + n > STACK_TOP || at % n)
        sim_fail(x->b, "%04x touches local memory at %x", x->w->pc[x->l] * 16, at);
    return x->w->local + (size_t)x->l * frame + (at - (STACK_TOP - frame));
}

static uint8_t *generic_at(const struct lane *x, uint64_t at, unsigned n)
{
    if (at >> 32 == SHARED_WINDOW)
        return shared_at(x, (uint32_t)at, true, n);
    if (at >= LOCAL_WINDOW && at < LOCAL_WINDOW + STACK_TOP + 1)
        return local_at(x, (uint32_t)(at - LOCAL_WINDOW), n);
    if (at < 4096 || at % n)
        sim_fail(x->b, "%04x touches memory at %llx", x->w->pc[x->l] * 16, (unsigned long long)at);
    return (uint8_t *)(uintptr_t)at;
}

static uint8_t *place_of(const struct lane *x, unsigned n)
{
    const struct sass_inst *i = x->i;
    switch (i->op) {
    case OP_LDS:
    case OP_STS:
    case OP_ATOMS:
    case OP_ATOMS_CAS: return shared_at(x, raw(x, &i->a, 0) + (uint32_t)i->imm, false, n);
    case OP_LDL:
    case OP_STL: return local_at(x, raw(x, &i->a, 0) + (uint32_t)i->imm, n);
    default: return generic_at(x, raw64(x, &i->a) + (uint64_t)(int64_t)i->imm, n);
    }
}

static const uint8_t access_bytes[] = {1, 1, 2, 2, 4, 8, 16, 0};

static void put_loaded(const struct lane *x, const uint8_t *p)
{
    unsigned z = x->i->mods[MOD_SIZE], n = access_bytes[z];
    uint32_t v[4] = {0};
    memcpy(v, p, n);
    if (z == 1)
        v[0] = (uint32_t)(int8_t)v[0];
    if (z == 3)
        v[0] = (uint32_t)(int16_t)v[0];
    for (unsigned k = 0; k < (n > 4 ? n / 4 : 1); k++)
        set(x, k, v[k]);
}

static uint64_t combined(const struct lane *x, uint64_t old, uint64_t by, unsigned bytes)
{
    static const uint8_t kinds[] = {IR_RMW_ADD, IR_RMW_UMIN, IR_RMW_UMAX, IR_RMW_INC, IR_RMW_DEC,
                                    IR_RMW_AND, IR_RMW_OR,   IR_RMW_XOR,  IR_RMW_XCHG};
    unsigned kind = kinds[x->i->mods[MOD_ATOM] % 9];
    if (sim_atom_is_float(x->i, x->b->code->arch))
        return ir_eval_rmw(IR_RMW_FADD, bytes == 8 ? IR_F64 : IR_F32, old, by);
    if (x->i->mods[MOD_TYPE] & 1)
        kind = kind == IR_RMW_UMIN ? IR_RMW_SMIN : kind == IR_RMW_UMAX ? IR_RMW_SMAX : kind;
    return ir_eval_rmw((enum ir_rmw)kind, bytes == 8 ? IR_I64 : IR_I32, old, by);
}

static void atomic(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    bool cas = i->op == OP_ATOMG_CAS || i->op == OP_ATOM_CAS || i->op == OP_ATOMS_CAS;
    bool wide = sim_atom_is_wide(i, x->b->code->arch);
    unsigned n = wide ? 8 : 4;
    uint8_t *p = place_of(x, n);
    uint64_t old = 0, by = wide ? raw64(x, &i->b) : raw(x, &i->b, 0), put;
    memcpy(&old, p, n);
    if (cas)
        put = old == by ? (wide ? raw64(x, &i->c) : raw(x, &i->c, 0)) : old;
    else
        put = combined(x, old, by, n);
    memcpy(p, &put, n);
    put_size(x, wide ? 3 : 2, old);
}

static bool memory(const struct lane *x)
{
    const struct sass_inst *i = x->i;
    unsigned n = access_bytes[i->mods[MOD_SIZE] & 7];
    switch (i->op) {
    case OP_UMOV: x->w->uniform[i->mods[MOD_UNIFORM]] = (uint32_t)i->imm; return true;
    case OP_ULDC:
        if (i->mods[MOD_UNIFORM] != UR_DESCRIPTOR)
            for (unsigned k = 0; k < 2; k++) {
                x->w->uniform[i->mods[MOD_UNIFORM] + k] = bank(x, i->b.bank, i->b.value + 4 * k);
                x->w->when[i->mods[MOD_UNIFORM] + k] = x->w->clock[x->l];
            }
        return true;
    case OP_LDC: {
        uint32_t at = i->b.value + raw(x, &i->a, 0);
        const struct code *c = x->b->code;
        const uint8_t *from = i->b.bank == 0   ? x->b->bank0
                              : i->b.bank == 3 ? c->bank3
                              : i->b.bank == 4 ? c->bank4
                                               : NULL;
        const uint32_t bytes = i->b.bank == 0   ? BANK_BYTES
                               : i->b.bank == 3 ? c->bank3_bytes
                                                : c->bank4_bytes;
        if (!from || at + n > bytes || at % n)
            sim_fail(x->b, "LDC of %x in bank %u", at, i->b.bank);
        put_loaded(x, from + at);
        return true;
    }
    case OP_LDG:
    case OP_LD:
    case OP_LDS:
    case OP_LDL: put_loaded(x, place_of(x, n)); return true;
    case OP_STG:
    case OP_ST:
    case OP_STS:
    case OP_STL: {
        uint8_t *p = place_of(x, n);
        for (unsigned k = 0; k < n; k++)
            p[k] = (uint8_t)(raw(x, &i->b, k / 4) >> 8 * (k % 4));
        return true;
    }
    case OP_ATOMG:
    case OP_ATOMG_F:
    case OP_RED:
    case OP_RED_F:
    case OP_ATOMG_CAS:
    case OP_ATOM:
    case OP_ATOM_CAS:
    case OP_ATOMS:
    case OP_ATOMS_CAS: atomic(x); return true;
    case OP_QSPC: {
        uint64_t at = raw64(x, &i->a);
        unsigned in = at >> 32 == SHARED_WINDOW                              ? 2
                      : at >= LOCAL_WINDOW && at <= LOCAL_WINDOW + STACK_TOP ? 1
                                                                             : 0;
        set_pred(x, i->pd, in == i->mods[MOD_SPACE]);
        return true;
    }
    default: return false;
    }
}

/* ---- threads ---- */
static uint32_t special(const struct lane *x, unsigned n)
{
    const struct block *b = x->b;
    uint32_t t = x->w->number * 32 + x->l, one = 1u << x->l;
    switch (n) {
    case 0: return x->l;
    case 0x21: return t % b->dim[0];
    case 0x22: return t / b->dim[0] % b->dim[1];
    case 0x23: return t / b->dim[0] / b->dim[1];
    case 0x25:
    case 0x26:
    case 0x27: return b->at[n - 0x25];
    case 0x2f: return (uint32_t)SHARED_WINDOW;
    case 0x38: return one;
    case 0x39: return one - 1;
    case 0x3a: return one | (one - 1);
    case 0x3b: return ~(one | (one - 1));
    case 0x3c: return ~(one - 1);
    case 0x43: return 0;
    case 0x88: return b->rank;
    default: sim_fail(x->b, "special register %x", n);
    }
}

/* What the lanes of `run` come to. */
static uint32_t reduce(struct lane *x, uint32_t run)
{
    const bool sign = x->i->mods[MOD_SIGNED];
    uint32_t all = 0, n = 0;
    for (x->l = 0; x->l < LANES; x->l++) {
        if (!(run >> x->l & 1))
            continue;
        const uint32_t v = raw(x, &x->i->a, 0);
        const bool less = sign ? (int32_t)v < (int32_t)all : v < all;
        switch (n++ ? x->i->mods[MOD_MODE] : 8) {
        case 0: all &= v; break;
        case 1: all |= v; break;
        case 2: all ^= v; break;
        case 3: all += v; break;
        case 4: all = less ? v : all; break;
        case 5: all = less ? all : v; break;
        default: all = v; break;
        }
    }
    return all;
}

/* Of all lanes at once: they see what the others had before. */
static bool together(struct block *b, const struct sass_inst *i, uint32_t run)
{
    struct warp *w = b->warp;
    uint32_t value[LANES], yes = 0;
    bool ok[LANES];
    struct lane x = {b, w, i, 0};
    bool shuffles =
        i->op == OP_SHFL || i->op == OP_SHFL_LANE || i->op == OP_SHFL_MASK || i->op == OP_SHFL_BOTH;
    if (i->op == OP_VOTE) {
        for (x.l = 0; x.l < LANES; x.l++)
            if (run >> x.l & 1 && pred(&x, i->p))
                yes |= 1u << x.l;
        for (x.l = 0; x.l < LANES; x.l++)
            if (run >> x.l & 1) {
                set(&x, 0, yes);
                if (i->pd != SASS_NONE)
                    w->preds[i->pd][x.l] = i->mods[MOD_MODE] == 1 ? yes != 0 : yes == run;
            }
        return true;
    }
    if (i->op == OP_REDUX) {
        w->uniform[i->mods[MOD_UNIFORM]] = reduce(&x, run);
        return true;
    }
    if (!shuffles)
        return false;
    for (x.l = 0; x.l < LANES; x.l++) {
        if (!(run >> x.l & 1))
            continue;
        bool lane_imm = i->op == OP_SHFL_LANE || i->op == OP_SHFL_BOTH;
        bool mask_imm = i->op == OP_SHFL_MASK || i->op == OP_SHFL_BOTH;
        uint32_t by = (lane_imm ? i->mods[MOD_LANE] : raw(&x, &i->b, 0)) & 31;
        uint32_t how = mask_imm ? (uint32_t)(i->mods[MOD_CLAMP] | i->mods[MOD_SEGMENT] << 8)
                                : raw(&x, &i->c, 0);
        uint32_t clamp = how & 31, seg = how >> 8 & 31, me = x.l;
        uint32_t most = (me & seg) | (clamp & ~seg), least = me & seg, from;
        bool in;
        switch (i->mods[MOD_MODE]) {
        case 0: from = least | (by & ~seg), in = from <= most; break;
        case 1: from = me - by, in = (int32_t)from >= (int32_t)most; break;
        case 2: from = me + by, in = from <= most; break;
        default: from = me ^ by, in = from <= most; break;
        }
        if (!in)
            from = me;
        if (!(run >> (from & 31) & 1))
            from = me;
        value[me] = i->a.value == SASS_NONE ? 0 : w->regs[i->a.value][from & 31];
        ok[me] = in;
    }
    for (x.l = 0; x.l < LANES; x.l++)
        if (run >> x.l & 1) {
            set(&x, 0, value[x.l]);
            set_pred(&x, i->pd, ok[x.l]);
        }
    return true;
}

static bool threads(const struct lane *x)
{
    switch (x->i->op) {
    case OP_S2R: set(x, 0, special(x, x->i->mods[MOD_SR])); return true;
    case OP_CS2R: set64(x, x->b->steps); return true;
    case OP_LEPC: set64(x, UINT64_C(0x1000000) + 16 * (x->w->pc[x->l] + 2)); return true;
    case OP_B2R:
        set(x, 0, x->w->bar_result);
        set_pred(x, x->i->pd, x->w->bar_result != 0);
        return true;
    case OP_MEMBAR:
    case OP_ERRBAR:
    case OP_CGAERRBAR:
    case OP_CCTL_IVALL:
    case OP_NANOSLEEP:
    case OP_NOP: return true;
    default: return false;
    }
}

void sim_exec(struct block *b, const struct sass_inst *i, uint32_t run)
{
    if (together(b, i, run) || sim_matrix(b, i, run) || sim_texture(b, i, run))
        return;
    for (unsigned l = 0; l < LANES; l++) {
        struct lane x = {b, b->warp, i, l};
        if (run >> l & 1 && !integers(&x) && !floats(&x) && !conversions(&x) && !memory(&x) &&
            !threads(&x))
            sim_fail(b, "%s is not simulated", sass_rows[i->op].name);
    }
}
