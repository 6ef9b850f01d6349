/* Matrices spread over a warp: ldmatrix, stmatrix, movmatrix, and mma of the shapes that the IR
 * has. All other shapes are in wmma.c. */
#include <string.h>
#include "front/ptxops/matrix_int.h"
#include "ir/async.h"

struct ir_value *px_word(struct px *p, uint64_t v)
{
    return px_int(p, IR_I32, v);
}

struct ir_value *px_lane(struct px *p)
{
    return ir_build0(&p->b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
}

struct ir_value *px_from_lane(struct px *p, struct ir_value *x, struct ir_value *lane)
{
    struct ir_value *args[4] = {px_word(p, UINT32_MAX), x, lane, px_word(p, 31)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_shfl, x->type, args, 4);
    i->imm = IR_SHFL_IDX;
    return &i->results[0];
}

/* A place in memory: base + index * bytes. */
struct ir_value *px_element(struct px *p, struct ir_value *base, struct ir_value *index,
                            unsigned bytes)
{
    struct ir_value *off = px_bits_as(p, index, IR_I64);
    off = px_op2(p, IR_OP_mul, off, px_int(p, IR_I64, bytes));
    return ir_build2(&p->b, IR_OP_ptradd, base->type, base, off);
}

struct ir_value *px_high_half(struct px *p, struct ir_value *w)
{
    return px_op2(p, IR_OP_lshr, w, px_word(p, 16));
}

struct ir_value *px_halves(struct px *p, struct ir_value *lo, struct ir_value *hi)
{
    hi = px_op2(p, IR_OP_shl, px_bits_as(p, hi, IR_I32), px_word(p, 16));
    return px_op2(p, IR_OP_or, px_bits_as(p, lo, IR_I32), hi);
}

/* ---- 8x8 matrices of halves and their rows in memory ---- */

/* Lane l gives the address of row l of the matrices in turn; each lane then holds two neighbouring
 * halves of row lane / 4 (of column lane / 4 with .trans). */
static bool rows_in_memory(struct px *p, struct px_stmt *s, struct px_operand *address,
                           struct px_operand *regs, bool store)
{
    uint32_t n = px_mod(s, "x4") ? 4 : px_mod(s, "x2") ? 2 : px_mod(s, "x1") ? 1 : 0;
    bool trans = px_mod(s, "trans");
    struct px_operand *items = regs->kind == PO_VECTOR ? regs->items : regs;
    if (!n || !px_mod(s, "m8n8") || (regs->kind == PO_VECTOR ? regs->nitems : 1) != n ||
        s->ntypes != 1 || s->types[0].bits != 16)
        return false;
    enum ir_space space;
    px_space_of(s, &space);
    struct ir_value *a = px_address(p, address, space), *r[4];
    if (!store && space == IR_SPACE_GENERIC) /* shared memory by a generic address */
        a = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_SHARED), a);
    if (!store && (space == IR_SPACE_SHARED || space == IR_SPACE_GENERIC)) {
        struct ir_inst *i = ir_build(&p->b, IR_OP_ldmatrix, IR_VOID, &a, 1);
        i->imm = n | (trans ? IR_LDMATRIX_TRANS : 0);
        for (uint32_t k = 0; k < n; k++)
            px_out(p, &items[k], &i->results[k]);
        return true;
    }
    a = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, a);
    struct ir_value *lane = px_lane(p), *g = px_op2(p, IR_OP_lshr, lane, px_word(p, 2));
    struct ir_value *t2 = px_op2(p, IR_OP_and, lane, px_word(p, 3));
    t2 = px_op2(p, IR_OP_shl, t2, px_word(p, 1));
    for (uint32_t i = 0; i < n; i++) {
        struct ir_value *h[2] = {NULL}, *w = store ? px_in(p, &items[i], IR_I32) : NULL;
        for (unsigned j = 0; j < (trans ? 2u : 1u); j++) {
            struct ir_value *from = trans ? px_op2(p, IR_OP_add, t2, px_word(p, j)) : g;
            from = px_from_lane(p, a, px_op2(p, IR_OP_add, from, px_word(p, 8 * i)));
            struct ir_value *at = ir_build1(&p->b, IR_OP_inttoptr, IR_PTR_TO(space), from);
            at = px_element(p, at, trans ? g : t2, 2);
            if (store)
                ir_build_store(&p->b, at,
                               trans ? px_bits_as(p, j ? px_high_half(p, w) : w, IR_I16) : w,
                               trans ? 2 : 4, 0);
            else
                h[j] = ir_build_load(&p->b, trans ? IR_I16 : IR_I32, at, trans ? 2 : 4, 0);
        }
        r[i] = !store && trans ? px_halves(p, h[0], h[1]) : h[0];
    }
    for (uint32_t i = 0; i < n && !store; i++)
        px_out(p, &items[i], r[i]);
    return true;
}

bool px_ldmatrix(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return s->nops == 2 && rows_in_memory(p, s, &s->ops[1], &s->ops[0], false);
}

bool px_stmatrix(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return s->nops == 2 && rows_in_memory(p, s, &s->ops[0], &s->ops[1], true);
}

bool px_movmatrix(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 2 || !px_mod(s, "m8n8") || !px_mod(s, "trans") || s->ntypes != 1 ||
        s->types[0].bits != 16)
        return false;
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *lane = px_lane(p), *h[2];
    struct ir_value *g = px_op2(p, IR_OP_lshr, lane, px_word(p, 2));
    struct ir_value *t = px_op2(p, IR_OP_and, lane, px_word(p, 3));
    struct ir_value *odd =
        ir_build2(&p->b, IR_OP_ne, IR_I32, px_op2(p, IR_OP_and, g, px_word(p, 1)), px_word(p, 0));
    for (unsigned j = 0; j < 2; j++) { /* row 2t + j, column g: lane (2t + j) * 4 + g / 2 */
        struct ir_value *from = px_op2(p, IR_OP_shl, t, px_word(p, 3));
        from = px_op2(p, IR_OP_add, from, px_word(p, 4 * j));
        from = px_op2(p, IR_OP_add, from, px_op2(p, IR_OP_lshr, g, px_word(p, 1)));
        h[j] = px_from_lane(p, x, from);
        h[j] = px_bits_as(p, px_pick(p, odd, px_high_half(p, h[j]), h[j]), IR_I16);
    }
    px_out(p, &s->ops[0], px_halves(p, h[0], h[1]));
    return true;
}

/* ---- the shapes of the IR ---- */
static const struct px_shape shapes[] = {
#define IR_MMA(NAME, text, m, n, k, ab, cd, na, nb, nc, sm)                                        \
    {m, n, k, "m" #m "n" #n "k" #k, #ab, #cd, na, nb, nc},
#include "ir/mma.def"
};

const char *px_type_name(struct px_type t)
{
    static const struct {
        const char *name;
        char letter;
        unsigned bits;
    } all[] = {{"F16", 'f', 16}, {"BF16", 'h', 16}, {"F32", 'f', 32}, {"TF32", 't', 32},
               {"F64", 'f', 64}, {"S8", 's', 8},    {"U8", 'u', 8},   {"S32", 's', 32},
               {"S4", 's', 4},   {"U4", 'u', 4},    {"B1", 'b', 1},   {"E4M3", '4', 8},
               {"E5M2", '5', 8}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (t.letter == all[i].letter && t.bits == all[i].bits && t.lanes == 1)
            return all[i].name;
    return "";
}

const struct px_shape *px_find_shape(unsigned m, unsigned k, const char *in, const char *out)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].m == m && shapes[i].k == k && !strcmp(shapes[i].in, in) &&
            !strcmp(shapes[i].out, out))
            return &shapes[i];
    return NULL;
}

ir_type px_mma_input(const struct px_shape *h)
{
    return !strcmp(h->in, "F64") ? IR_F64 : IR_I32;
}

ir_type px_mma_output(const struct px_shape *h)
{
    return !strcmp(h->out, "F64") ? IR_F64 : !strcmp(h->out, "F32") ? IR_F32 : IR_I32;
}

/* c += a * b */
void px_mma_step(struct px *p, const struct px_shape *h, struct ir_value *const *a,
                 struct ir_value *const *b, struct ir_value **c)
{
    struct ir_value *args[16];
    ir_type results[8];
    uint32_t n = 0;
    for (unsigned i = 0; i < h->na; i++)
        args[n++] = a[i];
    for (unsigned i = 0; i < h->nb; i++)
        args[n++] = b[i];
    for (unsigned i = 0; i < h->nc; i++) {
        args[n++] = c[i];
        results[i] = px_mma_output(h);
    }
    struct ir_inst *m = ir_build_results(&p->b, IR_OP_mma, IR_VOID, args, n, results, h->nc);
    m->imm = (uint64_t)(h - shapes);
    for (unsigned i = 0; i < h->nc; i++)
        c[i] = &m->results[i];
}

/* ---- operands ---- */
bool px_read_all(struct px *p, const struct px_operand *o, unsigned n, ir_type t,
                 struct ir_value **out)
{
    if (n > MAX_REGS || (o->kind == PO_VECTOR ? o->nitems : 1) != n)
        return false;
    for (unsigned i = 0; i < n; i++)
        out[i] = px_in(p, o->kind == PO_VECTOR ? &o->items[i] : o, t);
    return true;
}

bool px_write_all(struct px *p, const struct px_operand *o, unsigned n, struct ir_value *const *x)
{
    if ((o->kind == PO_VECTOR ? o->nitems : 1) != n)
        return false;
    for (unsigned i = 0; i < n; i++)
        px_out(p, o->kind == PO_VECTOR ? &o->items[i] : o, x[i]);
    return true;
}

/* c + d of .s32 with .satfinite. */
struct ir_value *px_saturating_sum(struct px *p, struct ir_value *c, struct ir_value *d)
{
    struct ir_value *x = px_op2(p, IR_OP_add, ir_build1(&p->b, IR_OP_sext, IR_I64, c),
                                ir_build1(&p->b, IR_OP_sext, IR_I64, d));
    x = px_op2(p, IR_OP_smin, x, px_like(p, x, INT32_MAX));
    x = px_op2(p, IR_OP_smax, x, px_like(p, x, (uint64_t)INT32_MIN));
    return ir_build1(&p->b, IR_OP_trunc, IR_I32, x);
}

bool px_mma(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS], *addend[MAX_REGS];
    (void)row;
    if (px_mod(s, "sp") || px_mod(s, "sp::ordered_metadata"))
        return px_refuse(p, s, "sparse matrices are not supported");
    if (s->nops != 4 || s->ntypes != 4)
        return false;
    const char *in = px_type_name(s->types[1]), *out = px_type_name(s->types[0]);
    const struct px_shape *h = NULL;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && !h; k++)
        if (!strcmp(shapes[k].in, in) && !strcmp(shapes[k].out, out) &&
            !strcmp(in, px_type_name(s->types[2])) && px_mod(s, shapes[k].shape))
            h = &shapes[k];
    if (!h)
        return px_mma_sum(p, s);
    if (!px_mod(s, "row") || !px_mod(s, "col") || strcmp(out, px_type_name(s->types[3])))
        return false;
    if (!strcmp(out, "F64"))
        (void)px_mod(s, "rn");
    const bool sat = !strcmp(out, "S32") && px_mod(s, "satfinite");
    if (!px_read_all(p, &s->ops[1], h->na, px_mma_input(h), a) ||
        !px_read_all(p, &s->ops[2], h->nb, px_mma_input(h), b) ||
        !px_read_all(p, &s->ops[3], h->nc, px_mma_output(h), c))
        return false;
    for (unsigned i = 0; i < h->nc && sat; i++) { /* the products alone do not overflow */
        addend[i] = c[i];
        c[i] = px_word(p, 0);
    }
    px_mma_step(p, h, a, b, c);
    for (unsigned i = 0; i < h->nc && sat; i++)
        c[i] = px_saturating_sum(p, addend[i], c[i]);
    return px_write_all(p, &s->ops[0], h->nc, c);
}
