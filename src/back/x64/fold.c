/* Operands in memory, and which operand a result overwrites, for x86-64. */
#include <string.h>
#include "back/x64/x64_int.h"

/* The instruction that has an operand in memory; which one it is, and its bytes: in vectors of 256
 * bits, and of 512. */
static const struct form {
    uint16_t op;
    uint8_t operand, bytes[2];
} forms[X64_END] = {
#define BOTH_SIZES(narrow, wide)                                                                   \
    {                                                                                              \
        narrow, wide                                                                               \
    }
#define BYTES_1     BOTH_SIZES(1, 1)
#define BYTES_2     BOTH_SIZES(2, 2)
#define BYTES_4     BOTH_SIZES(4, 4)
#define BYTES_8     BOTH_SIZES(8, 8)
#define BYTES_16    BOTH_SIZES(16, 16)
#define BYTES_HALF  BOTH_SIZES(16, 32)
#define BYTES_WHOLE BOTH_SIZES(32, 64)
#define X64_ROW(name, text, bits, results, a, b, c, d, e, f, g, h, latency, unit, flags)
#define MEM1(of, bytes, before, behind, bits, results, a, z, latency, unit, flags)                 \
    [X64_##of] = {X64_##of##m, 1, BYTES_##bytes},
#define MEM2(of, bytes, before, behind, bits, results, a, b, z, latency, unit, flags)              \
    [X64_##of] = {X64_##of##m, 2, BYTES_##bytes},
#define MEM3(of, bytes, before, behind, bits, results, a, b, c, z, latency, unit, flags)           \
    [X64_##of] = {X64_##of##m, 3, BYTES_##bytes},
#include "back/x64/x64.def"
};

struct place {
    int64_t base, index, scale, distance;
    unsigned class, bytes;
};

static bool is_wide(const struct mach_func *f)
{
    return f->target == &x64_wide_machine;
}

/* ---- loads ---- */
static bool is_loaded(const struct mach_func *f, const struct mach_inst *i, struct place *p)
{
    static const struct {
        uint16_t op;
        uint8_t class, bytes;
    } loads[] = {{X64_LDw, X64_GPR, 4}, {X64_LDx, X64_GPR, 8},  {X64_LDs, X64_VEC, 4},
                 {X64_LDd, X64_VEC, 8}, {X64_LDq, X64_VEC, 16}, {X64_LDy, X64_VEC, 0}};
    const unsigned whole = is_wide(f) ? 64 : 32;
    const int64_t *ops = f->ops.data + i->ops;
    if (i->op == MACH_LOAD) {
        const struct mach_vreg *v = mach_of(f, ops[0]);
        *p = (struct place){X64_RSP, -1, -1, MACH_SLOT | ops[1], v->class, v->bytes};
        return true;
    }
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        const bool plain = i->op == loads[k].op;
        if (!plain && i->op != forms[loads[k].op].op)
            continue;
        *p = (struct place){ops[1],
                            plain ? -1 : ops[2],
                            plain ? -1 : ops[3],
                            ops[plain ? 2 : 4],
                            loads[k].class,
                            loads[k].bytes ? loads[k].bytes : whole};
        return true;
    }
    return false;
}

/* Operands 1 and 2 may change places. */
static bool commutes(unsigned op)
{
    switch (op) {
    case X64_ADDw:
    case X64_ADDx:
    case X64_ORw:
    case X64_ORx:
    case X64_ANDw:
    case X64_ANDx:
    case X64_XORw:
    case X64_XORx:
    case X64_IMULw:
    case X64_IMULx:
    case X64_FADDs:
    case X64_FADDd:
    case X64_FMULs:
    case X64_FMULd:
    case X64_VADDs:
    case X64_VADDd:
    case X64_VMULs:
    case X64_VMULd:
    case X64_VAND:
    case X64_VOR:
    case X64_VXOR:
    case X64_VIADDb:
    case X64_VIADDh:
    case X64_VIADDs:
    case X64_VIADDd:
    case X64_VIMULh:
    case X64_VIMULs:
    case X64_VMULUDQ:
    case X64_VICMPEQb:
    case X64_VICMPEQh:
    case X64_VICMPEQs:
    case X64_VICMPEQd: return true;
    default: return false;
    }
}

/* ---- fused multiply-add ---- */
/* By what is overwritten and what stands last: a * b + c with a, b, c in 213; c + a * b in 231
 * (named A); a * c + b in 132 (named B), which is there for the sake of b in memory. */
static const struct {
    uint16_t product, sum, other;
} fused[] = {{X64_VFMADDs, X64_VFMADDAs, X64_VFMADDBs},
             {X64_VFMADDd, X64_VFMADDAd, X64_VFMADDBd},
             {X64_FMADDs, X64_FMADDAs, X64_FMADDBs},
             {X64_FMADDd, X64_FMADDAd, X64_FMADDBd}};
enum { FUSED = sizeof fused / sizeof *fused };

static void swap(int64_t *a, int64_t *b)
{
    int64_t t = *a;
    *a = *b, *b = t;
}

static unsigned tie_fused(unsigned op, int64_t *ops, unsigned k)
{
    for (unsigned n = 0; n < FUSED; n++) {
        const unsigned product = fused[n].product, sum = fused[n].sum, other = fused[n].other;
        if (op == product && k == 3) { /* d, a, b, c: c comes first */
            const int64_t c = ops[3];
            ops[3] = ops[2], ops[2] = ops[1], ops[1] = c;
            return sum;
        }
        if (op == sum && (k == 2 || k == 3)) { /* d, c, a, b: c goes last */
            const int64_t c = ops[1];
            ops[1] = ops[k], ops[2] = ops[k == 2 ? 3 : 2], ops[3] = c;
            return product;
        }
        if (k != 2)
            continue;
        if (op == product || op == forms[product].op || op == forms[sum].op ||
            op == forms[other].op)
            swap(&ops[1], &ops[2]);
        if (op == product || op == forms[product].op)
            return op;
        if (op == forms[sum].op)
            return forms[other].op;
        if (op == forms[other].op)
            return forms[sum].op;
    }
    return 0;
}

unsigned x64_tie(unsigned op, int64_t *ops, unsigned k)
{
    if (k == 2 && commutes(op)) {
        swap(&ops[1], &ops[2]);
        return op;
    }
    return tie_fused(op, ops, k);
}

/* The same with operand k where one in memory may stand; 0: it cannot be there. */
static unsigned to_last(unsigned op, int64_t *ops, unsigned k)
{
    if (forms[op].op && forms[op].operand == k)
        return op;
    if (k == 1 && commutes(op)) {
        swap(&ops[1], &ops[2]);
        return op;
    }
    for (unsigned n = 0; n < FUSED; n++)
        if (op == fused[n].product && (k == 1 || k == 2)) {
            const int64_t a = ops[k], b = ops[3 - k], c = ops[3];
            ops[1] = c, ops[2] = b, ops[3] = a;
            return fused[n].sum;
        }
    return 0;
}

static bool fits(int64_t v)
{
    return v == (int32_t)v;
}

/* ---- addresses ---- */
/* A load or a store whose base is `made`, a sum. */
static unsigned address(const struct mach_func *f, const struct mach_inst *made,
                        const struct mach_inst *into, int64_t *out, unsigned *n)
{
    const int64_t *ops = f->ops.data + into->ops, *sum = f->ops.data + made->ops;
    const bool indexed = made->op == X64_LEAXx;
    const int64_t distance = ops[2] + sum[indexed ? 4 : 2];
    if (!fits(distance))
        return 0;
    out[0] = ops[0];
    out[1] = sum[1];
    if (!indexed) {
        out[2] = distance;
        *n = 3;
        return into->op;
    }
    out[2] = sum[2], out[3] = sum[3], out[4] = distance;
    *n = 5;
    return forms[into->op].op;
}

static bool is_access(unsigned op)
{
    return (op >= X64_LDb && op <= X64_STx) || op == X64_LDs || op == X64_STs || op == X64_LDd ||
           op == X64_STd || (op >= X64_LDq && op <= X64_STy);
}

unsigned x64_fold(const struct mach_func *f, const struct mach_inst *load,
                  const struct mach_inst *into, unsigned k, int64_t *out, unsigned *n)
{
    const int64_t *ops = f->ops.data + into->ops;
    struct place p;
    int64_t order[MACH_MAX_OPS];
    if (load->op == X64_LEAXx || load->op == X64_LEAx)
        return is_access(into->op) && k == 1 && ops[0] != ops[1] ? address(f, load, into, out, n)
                                                                 : 0;
    if (is_access(into->op) || into->op >= X64_END || !is_loaded(f, load, &p))
        return 0;
    if (into->op == X64_MOVvw || into->op == X64_MOVvx) { /* loads into the other registers */
        const unsigned op = into->op == X64_MOVvw ? X64_LDs : X64_LDd;
        if (p.class != X64_GPR || p.bytes != (into->op == X64_MOVvw ? 4 : 8))
            return 0;
        const int64_t all[] = {ops[0], p.base, p.index, p.scale, p.distance},
                      some[] = {ops[0], p.base, p.distance};
        *n = p.index < 0 ? 3 : 5;
        memcpy(out, p.index < 0 ? some : all, *n * sizeof *out);
        return p.index < 0 ? op : forms[op].op;
    }
    memcpy(order, ops, into->nops * sizeof *order);
    const unsigned op = to_last(into->op, order, k), at = op ? forms[op].operand : 0;
    const struct mach_kind *kind =
        op ? &f->target->kinds[f->target->rows[op - MACH_SHARED].kind[at]] : NULL;
    if (!op || p.bytes != forms[op].bytes[is_wide(f)] || kind->class != p.class)
        return 0;
    const int64_t place[] = {p.base, p.index, p.scale, p.distance};
    memcpy(out, order, at * sizeof *out);
    memcpy(out + at, place, sizeof place);
    memcpy(out + at + 4, order + at + 1, (into->nops - at - 1) * sizeof *out);
    *n = into->nops + 3;
    if (f->target->rows[forms[op].op - MACH_SHARED].bits & X64_ABSENT)
        return 0;
    return forms[op].op;
}
