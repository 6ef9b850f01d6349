/* wgmma: matrices that 128 threads multiply from shared memory. */
#include <stdlib.h>
#include <string.h>
#include "front/ptxops/matrix_int.h"
#include "ir/async.h"

enum { MAX_D = 128 };

static const struct wgmma_row {
    unsigned k;
    const char *a, *b, *d; /* as px_type_name has them */
    bool transposes;
} wgmma_rows[] = {
#define IR_WGMMA(name, k, a, b, d, transposes) {k, #a, #b, #d, transposes},
#include "ir/wgmma.def"
};

/* m64nNkK: the number N; 0: no such shape for the type. */
static unsigned columns(struct px_stmt *s, unsigned k)
{
    for (uint32_t i = 0; i < s->nmods; i++) {
        char *end;
        if (strncmp(s->mods[i], "m64n", 4))
            continue;
        const unsigned long n = strtoul(s->mods[i] + 4, &end, 10);
        if (*end != 'k' || strtoul(end + 1, &end, 10) != k || *end || !n || n > 256 || n % 8)
            return 0;
        s->used |= 1u << i;
        return (unsigned)n;
    }
    return 0;
}

static int type_of(const struct px_stmt *s)
{
    if (s->ntypes != 3)
        return -1;
    const char *d = px_type_name(s->types[0]), *a = px_type_name(s->types[1]),
               *b = px_type_name(s->types[2]);
    for (int i = 0; i < IR_WGMMA_COUNT; i++)
        if (!strcmp(wgmma_rows[i].d, d) && !strcmp(wgmma_rows[i].a, a) &&
            !strcmp(wgmma_rows[i].b, b))
            return i;
    return -1;
}

/* Integers wider than a byte have N in steps of 16 from 32 on. */
static bool has_columns(int type, unsigned n)
{
    return type < IR_WGMMA_S32_S8_S8 || n <= 24 || n == 32 || (n >= 48 && n % 16 == 0);
}

/* A constant operand; false: it is none of the two. */
static bool choice(const struct px_operand *o, uint64_t no, uint64_t yes, uint64_t flag,
                   uint64_t *flags)
{
    if (o->kind != PO_INT || (o->bits != no && o->bits != yes))
        return false;
    *flags |= o->bits == yes ? flag : 0;
    return true;
}

/* What stands behind scale-d: signs of the factors, and which of them are transposed. */
static bool read_choices(struct px_stmt *s, int type, bool registers, uint64_t *flags)
{
    const bool floats = type < IR_WGMMA_S32_S8_S8, transposes = wgmma_rows[type].transposes;
    uint32_t at = 4, n = floats ? 2 + (transposes ? (registers ? 1 : 2) : 0) : 0;
    if (s->nops != at + n)
        return false;
    if (!n)
        return true;
    if (!choice(&s->ops[at], 1, UINT64_MAX, IR_WGMMA_NEGATE_A, flags) ||
        !choice(&s->ops[at + 1], 1, UINT64_MAX, IR_WGMMA_NEGATE_B, flags))
        return false;
    at += 2;
    if (transposes && !registers && !choice(&s->ops[at++], 0, 1, IR_WGMMA_TRANSPOSE_A, flags))
        return false;
    return !transposes || choice(&s->ops[at], 0, 1, IR_WGMMA_TRANSPOSE_B, flags);
}

static bool multiply(struct px *p, struct px_stmt *s)
{
    if (px_mod(s, "sp"))
        return px_refuse(p, s, "sparse matrices are not supported");
    const int type = type_of(s);
    const unsigned n = type < 0 ? 0 : columns(s, wgmma_rows[type].k);
    if (!n || s->nops < 4 || s->ops[0].kind != PO_VECTOR || !has_columns(type, n))
        return false;
    const bool registers = s->ops[1].kind == PO_VECTOR;
    uint64_t flags = registers ? IR_WGMMA_REGISTERS : 0;
    if (type == IR_WGMMA_S32_B1_B1 && (!px_mod(s, "and") || !px_mod(s, "popc")))
        return false;
    if (type >= IR_WGMMA_S32_S8_S8 && type < IR_WGMMA_S32_B1_B1 && px_mod(s, "satfinite"))
        flags |= IR_WGMMA_SATURATE;
    if (!read_choices(s, type, registers, &flags))
        return false;
    const uint64_t imm = ir_wgmma_imm((unsigned)type, n, flags);
    const unsigned nd = ir_wgmma_registers(imm);
    const ir_type t = ir_wgmma_result(imm);
    struct ir_value *args[6 + MAX_D];
    ir_type results[MAX_D];
    uint32_t nargs = 0;
    if (s->ops[0].nitems != nd || (registers && s->ops[1].nitems != 4))
        return false;
    for (unsigned i = 0; registers && i < 4; i++)
        args[nargs++] = px_in(p, &s->ops[1].items[i], IR_I32);
    if (!registers)
        args[nargs++] = px_in(p, &s->ops[1], IR_I64);
    args[nargs++] = px_in(p, &s->ops[2], IR_I64);
    args[nargs++] = px_in(p, &s->ops[3], IR_I1);
    for (unsigned i = 0; i < nd; i++) {
        results[i] = t;
        args[nargs++] = px_in(p, &s->ops[0].items[i], t);
    }
    struct ir_inst *i = ir_build_results(&p->b, IR_OP_wgmma, IR_VOID, args, nargs, results, nd);
    i->imm = imm;
    for (unsigned k = 0; k < nd; k++)
        px_out(p, &s->ops[0].items[k], &i->results[k]);
    return true;
}

bool px_wgmma(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (px_mod(s, "mma_async"))
        return multiply(p, s);
    uint64_t imm = 0;
    uint32_t nops = 0;
    if (px_mod(s, "wait_group")) {
        nops = 1;
        if (s->nops != 1 || s->ops[0].kind != PO_INT || s->ops[0].bits > 7)
            return false;
        imm = IR_WGMMA_WAIT + s->ops[0].bits;
    } else if (px_mod(s, "commit_group")) {
        imm = IR_WGMMA_COMMIT;
    } else if (px_mod(s, "fence")) {
        imm = IR_WGMMA_FENCE;
    } else {
        return false;
    }
    if (s->nops != nops || s->ntypes)
        return false;
    ir_build(&p->b, IR_OP_wgmma_sync, IR_VOID, NULL, 0)->imm = imm;
    return true;
}
