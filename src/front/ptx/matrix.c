/* Matrices spread over a warp: ldmatrix, stmatrix, movmatrix, mma and wmma.
 *
 * The IR has one op, mma, with the shapes of mma.def. Other shapes of PTX are sums of those: what
 * the sum over k runs through may be reordered, as long as A and B agree, so registers of narrow
 * elements are unpacked to wider ones without moving anything between lanes.
 *
 * The fragments of wmma are opaque in PTX. Ours are the registers of the mma tiles that make up the
 * shape, tile after tile; where PTX has more registers than that they are filled with copies. */
#include <string.h>
#include "front/ptx/ptx_int.h"

static struct ir_value *word(struct ptx *p, uint64_t v)
{
    return px_int(p, IR_I32, v);
}

static struct ir_value *lane_id(struct ptx *p)
{
    return ir_build0(&p->b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
}

static struct ir_value *from_lane(struct ptx *p, struct ir_value *x, struct ir_value *lane)
{
    struct ir_value *args[4] = {word(p, UINT32_MAX), x, lane, word(p, 31)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_shfl, x->type, args, 4);
    i->imm = IR_SHFL_IDX;
    return &i->results[0];
}

/* A place in memory: base + index * bytes. */
static struct ir_value *element(struct ptx *p, struct ir_value *base, struct ir_value *index,
                                unsigned bytes)
{
    struct ir_value *off = px_bits_as(p, index, IR_I64);
    off = px_op2(p, IR_OP_mul, off, px_int(p, IR_I64, bytes));
    return ir_build2(&p->b, IR_OP_ptradd, base->type, base, off);
}

static struct ir_value *high_half(struct ptx *p, struct ir_value *w)
{
    return px_op2(p, IR_OP_lshr, w, word(p, 16));
}

static struct ir_value *halves(struct ptx *p, struct ir_value *lo, struct ir_value *hi)
{
    hi = px_op2(p, IR_OP_shl, px_bits_as(p, hi, IR_I32), word(p, 16));
    return px_op2(p, IR_OP_or, px_bits_as(p, lo, IR_I32), hi);
}

/* ---- 8x8 matrices of halves and their rows in memory ---- */

/* Lane l gives the address of row l of the matrices in turn; each lane then holds two neighbouring
 * halves of row lane / 4 (of column lane / 4 with .trans). */
static bool rows_in_memory(struct ptx *p, struct px_stmt *s, struct px_operand *address,
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
    a = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, a);
    struct ir_value *lane = lane_id(p), *g = px_op2(p, IR_OP_lshr, lane, word(p, 2));
    struct ir_value *t2 = px_op2(p, IR_OP_and, lane, word(p, 3));
    t2 = px_op2(p, IR_OP_shl, t2, word(p, 1));
    for (uint32_t i = 0; i < n; i++) {
        struct ir_value *h[2] = {NULL}, *w = store ? px_in(p, &items[i], IR_I32) : NULL;
        for (unsigned j = 0; j < (trans ? 2u : 1u); j++) {
            struct ir_value *from = trans ? px_op2(p, IR_OP_add, t2, word(p, j)) : g;
            from = from_lane(p, a, px_op2(p, IR_OP_add, from, word(p, 8 * i)));
            struct ir_value *at = ir_build1(&p->b, IR_OP_inttoptr, IR_PTR_TO(space), from);
            at = element(p, at, trans ? g : t2, 2);
            if (store)
                ir_build_store(&p->b, at,
                               trans ? px_bits_as(p, j ? high_half(p, w) : w, IR_I16) : w,
                               trans ? 2 : 4, 0);
            else
                h[j] = ir_build_load(&p->b, trans ? IR_I16 : IR_I32, at, trans ? 2 : 4, 0);
        }
        r[i] = !store && trans ? halves(p, h[0], h[1]) : h[0];
    }
    for (uint32_t i = 0; i < n && !store; i++)
        px_out(p, &items[i], r[i]);
    return true;
}

bool px_ldmatrix(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return s->nops == 2 && rows_in_memory(p, s, &s->ops[1], &s->ops[0], false);
}

bool px_stmatrix(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return s->nops == 2 && rows_in_memory(p, s, &s->ops[0], &s->ops[1], true);
}

bool px_movmatrix(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 2 || !px_mod(s, "m8n8") || !px_mod(s, "trans") || s->ntypes != 1 ||
        s->types[0].bits != 16)
        return false;
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *lane = lane_id(p), *h[2];
    struct ir_value *g = px_op2(p, IR_OP_lshr, lane, word(p, 2));
    struct ir_value *t = px_op2(p, IR_OP_and, lane, word(p, 3));
    struct ir_value *odd =
        ir_build2(&p->b, IR_OP_ne, IR_I32, px_op2(p, IR_OP_and, g, word(p, 1)), word(p, 0));
    for (unsigned j = 0; j < 2; j++) { /* row 2t + j, column g: lane (2t + j) * 4 + g / 2 */
        struct ir_value *from = px_op2(p, IR_OP_shl, t, word(p, 3));
        from = px_op2(p, IR_OP_add, from, word(p, 4 * j));
        from = px_op2(p, IR_OP_add, from, px_op2(p, IR_OP_lshr, g, word(p, 1)));
        h[j] = from_lane(p, x, from);
        h[j] = px_bits_as(p, px_pick(p, odd, high_half(p, h[j]), h[j]), IR_I16);
    }
    px_out(p, &s->ops[0], halves(p, h[0], h[1]));
    return true;
}

/* ---- the shapes of the IR ---- */
static const struct shape {
    unsigned m, n, k;
    const char *shape;
    const char *in, *out; /* element types of A and B, of C and D */
    unsigned na, nb, nc;
} shapes[] = {
#define IR_MMA(NAME, text, m, n, k, ab, cd, na, nb, nc, sm)                                        \
    {m, n, k, "m" #m "n" #n "k" #k, #ab, #cd, na, nb, nc},
#include "ir/mma.def"
};

static const char *type_name(struct px_type t)
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

static const struct shape *find_shape(unsigned m, unsigned k, const char *in, const char *out)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].m == m && shapes[i].k == k && !strcmp(shapes[i].in, in) &&
            !strcmp(shapes[i].out, out))
            return &shapes[i];
    return NULL;
}

static ir_type input_type(const struct shape *h)
{
    return !strcmp(h->in, "F64") ? IR_F64 : IR_I32;
}

static ir_type output_type(const struct shape *h)
{
    return !strcmp(h->out, "F64") ? IR_F64 : !strcmp(h->out, "F32") ? IR_F32 : IR_I32;
}

/* c += a * b */
static void multiply(struct ptx *p, const struct shape *h, struct ir_value *const *a,
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
        results[i] = output_type(h);
    }
    struct ir_inst *m = ir_build_results(&p->b, IR_OP_mma, IR_VOID, args, n, results, h->nc);
    m->imm = (uint64_t)(h - shapes);
    for (unsigned i = 0; i < h->nc; i++)
        c[i] = &m->results[i];
}

/* ---- operands ---- */
#define MAX_REGS 16
static bool read_registers(struct ptx *p, const struct px_operand *o, unsigned n, ir_type t,
                           struct ir_value **out)
{
    if (n > MAX_REGS || (o->kind == PO_VECTOR ? o->nitems : 1) != n)
        return false;
    for (unsigned i = 0; i < n; i++)
        out[i] = px_in(p, o->kind == PO_VECTOR ? &o->items[i] : o, t);
    return true;
}

static bool write_registers(struct ptx *p, const struct px_operand *o, unsigned n,
                            struct ir_value *const *x)
{
    if ((o->kind == PO_VECTOR ? o->nitems : 1) != n)
        return false;
    for (unsigned i = 0; i < n; i++)
        px_out(p, o->kind == PO_VECTOR ? &o->items[i] : o, x[i]);
    return true;
}

/* c + d of .s32 with .satfinite. */
static struct ir_value *saturating_sum(struct ptx *p, struct ir_value *c, struct ir_value *d)
{
    struct ir_value *x = px_op2(p, IR_OP_add, ir_build1(&p->b, IR_OP_sext, IR_I64, c),
                                ir_build1(&p->b, IR_OP_sext, IR_I64, d));
    x = px_op2(p, IR_OP_smin, x, px_like(p, x, INT32_MAX));
    x = px_op2(p, IR_OP_smax, x, px_like(p, x, (uint64_t)INT32_MIN));
    return ir_build1(&p->b, IR_OP_trunc, IR_I32, x);
}

/* ---- shapes that are sums of the IR's ---- */

/* One register of packed elements as several of wider ones; A and B alike, so that element i of one
 * meets element i of the other. */
static struct ir_value *unpacked(struct ptx *p, struct ir_value *w, struct px_type t, unsigned part)
{
    if (t.letter == '4' || t.letter == '5') { /* two of the four bytes, as halves */
        w = part ? high_half(p, w) : w;
        return px_fp8_to_halves(p, px_bits_as(p, w, IR_I16), t.letter == '5');
    }
    w = part ? px_op2(p, IR_OP_lshr, w, word(p, part * t.bits)) : w;
    if (t.bits == 1)
        return px_op2(p, IR_OP_and, w, word(p, 0x01010101));
    w = px_op2(p, IR_OP_and, w, word(p, 0x0f0f0f0f));
    if (t.letter == 's') { /* the sign goes into the upper four bits of each byte */
        struct ir_value *sign = px_op2(p, IR_OP_and, w, word(p, 0x08080808));
        w = px_op2(p, IR_OP_or, w, px_op2(p, IR_OP_mul, sign, word(p, 0x1e)));
    }
    return w;
}

static const struct sum {
    const char *shape, *in;
    unsigned m, k;  /* of the IR's shape */
    const char *as; /* element type there */
    unsigned na, nb, nc;
    unsigned parts; /* pieces of a register that become one register each */
} sums[] = {
    {"m8n8k32", "S4", 8, 16, "S8", 1, 1, 2, 2},
    {"m16n8k32", "S4", 16, 16, "S8", 2, 1, 4, 2},
    {"m16n8k64", "S4", 16, 32, "S8", 4, 2, 4, 2},
    {"m8n8k128", "B1", 8, 16, "S8", 1, 1, 2, 8},
    {"m16n8k128", "B1", 16, 16, "S8", 2, 1, 4, 8},
    {"m16n8k256", "B1", 16, 32, "S8", 4, 2, 4, 8},
    {"m16n8k16", "E4M3", 16, 16, "F16", 2, 1, 4, 2},
    {"m16n8k32", "E4M3", 16, 16, "F16", 4, 2, 4, 2},
    {"m8n8k16", "S8", 8, 16, "S8", 1, 1, 2, 1},
    {"m16n8k16", "S8", 16, 16, "S8", 2, 1, 4, 1},
    {"m16n8k32", "S8", 16, 32, "S8", 4, 2, 4, 1},
};

static bool in_family(const char *family, struct px_type t)
{
    const char *n = type_name(t);
    return !strcmp(family, n) || (!strcmp(family, "S4") && !strcmp(n, "U4")) ||
           (!strcmp(family, "S8") && !strcmp(n, "U8")) ||
           (!strcmp(family, "E4M3") && !strcmp(n, "E5M2"));
}

/* Bytes of which one side is signed and the other is not: u = (u - 128) + 64 + 64. */
static void mixed_bytes(struct ptx *p, const struct shape *h, bool a_signed, struct ir_value **a,
                        struct ir_value **b, struct ir_value **c)
{
    struct ir_value **u = a_signed ? b : a, *half[MAX_REGS];
    unsigned n = a_signed ? h->nb : h->na;
    for (unsigned i = 0; i < n; i++) {
        u[i] = px_op2(p, IR_OP_xor, u[i], word(p, 0x80808080));
        half[i] = word(p, 0x40404040);
    }
    multiply(p, h, a, b, c);
    for (unsigned i = 0; i < 2; i++)
        multiply(p, h, a_signed ? a : half, a_signed ? half : b, c);
}

static bool sum_of_parts(struct ptx *p, struct px_stmt *s, const struct sum *x, struct ir_value **a,
                         struct ir_value **b, struct ir_value **c)
{
    struct px_type at = s->types[1], bt = s->types[2];
    const struct shape *h = find_shape(x->m, x->k, x->as, type_name(s->types[0]));
    if (!h)
        return false;
    if (!strcmp(x->in, "S8")) {
        mixed_bytes(p, h, at.letter == 's', a, b, c);
        return true;
    }
    if (!strcmp(x->in, "E4M3")) { /* the two halves of a byte register are next in k */
        for (unsigned q = 0; q < x->na / 2; q++) {
            struct ir_value *ha[4], *hb[2];
            for (unsigned i = 0; i < 4; i++)
                ha[i] = unpacked(p, a[2 * q + i % 2], at, i / 2);
            for (unsigned i = 0; i < 2; i++)
                hb[i] = unpacked(p, b[q], bt, i);
            multiply(p, h, ha, hb, c);
        }
        return true;
    }
    bool bits = at.bits == 1, exclusive = bits && px_mod(s, "xor");
    if (bits && ((!exclusive && !px_mod(s, "and")) || !px_mod(s, "popc")))
        return false;
    for (unsigned part = 0; part < x->parts; part++)
        for (unsigned turn = 0; turn < (exclusive ? 2u : 1u); turn++) { /* a & ~b, then ~a & b */
            struct ir_value *wa[MAX_REGS], *wb[MAX_REGS];
            for (unsigned i = 0; i < x->na; i++)
                wa[i] =
                    unpacked(p, exclusive && turn ? px_op1(p, IR_OP_not, a[i]) : a[i], at, part);
            for (unsigned i = 0; i < x->nb; i++)
                wb[i] =
                    unpacked(p, exclusive && !turn ? px_op1(p, IR_OP_not, b[i]) : b[i], bt, part);
            multiply(p, h, wa, wb, c);
        }
    return true;
}

/* f64 with 16 rows: the rows apart, and k in steps of four. */
static bool mma_f64(struct ptx *p, struct px_stmt *s)
{
    const struct shape *h = find_shape(8, 4, "F64", "F64");
    unsigned steps = px_mod(s, "m16n8k4")    ? 1
                     : px_mod(s, "m16n8k8")  ? 2
                     : px_mod(s, "m16n8k16") ? 4
                                             : 0;
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS];
    if (!steps || !read_registers(p, &s->ops[1], 2 * steps, IR_F64, a) ||
        !read_registers(p, &s->ops[2], steps, IR_F64, b) ||
        !read_registers(p, &s->ops[3], 4, IR_F64, c))
        return false;
    for (unsigned q = 0; q < steps; q++)
        for (unsigned i = 0; i < 2; i++)
            multiply(p, h, &a[2 * q + i], &b[q], &c[2 * i]);
    return write_registers(p, &s->ops[0], 4, c);
}

static struct ir_value *as_f32(struct ptx *p, struct ir_value *pair, unsigned i)
{
    struct ir_value *h =
        px_bits_as(p, px_bits_as(p, i ? high_half(p, pair) : pair, IR_I16), IR_F16);
    return ir_build1(&p->b, IR_OP_fcvt, IR_F32, h);
}

static struct ir_value *as_f16(struct ptx *p, struct ir_value *x)
{
    return px_bits_as(p, ir_build1(&p->b, IR_OP_fcvt, IR_F16, x), IR_I16);
}

/* The four elements that a vector of A or B has along k, for a row or column `n` of 0 to 7. Each of
 * the eight lanes of a quad pair has four elements, in two registers: either along k of the n that
 * it stands for, or along n of one k. */
static void quad_vector(struct ptx *p, struct ir_value *const *regs, struct ir_value *n,
                        bool along_k, struct ir_value **out)
{
    struct ir_value *low = px_op2(p, IR_OP_and, n, word(p, 3));
    struct ir_value *lane = px_op2(p, IR_OP_and, lane_id(p), word(p, 12));
    lane = px_op2(p, IR_OP_or, lane,
                  px_op2(p, IR_OP_shl, px_op2(p, IR_OP_and, n, word(p, 4)), word(p, 2)));
    if (along_k) {
        lane = px_op2(p, IR_OP_or, lane, low);
        struct ir_value *got[2] = {from_lane(p, regs[0], lane), from_lane(p, regs[1], lane)};
        for (unsigned k = 0; k < 4; k++)
            out[k] = as_f32(p, got[k / 2], k % 2);
        return;
    }
    struct ir_value *second = ir_build2(&p->b, IR_OP_ult, IR_I32, word(p, 1), low);
    struct ir_value *shift =
        px_op2(p, IR_OP_shl, px_op2(p, IR_OP_and, low, word(p, 1)), word(p, 4));
    for (unsigned k = 0; k < 4; k++) {
        struct ir_value *there = px_op2(p, IR_OP_or, lane, word(p, k));
        struct ir_value *pair =
            px_pick(p, second, from_lane(p, regs[1], there), from_lane(p, regs[0], there));
        out[k] = as_f32(p, px_op2(p, IR_OP_lshr, pair, shift), 0);
    }
}

/* m8n8k4 of f16: each eight lanes, four and the four sixteen above, have matrices of their own. */
static bool mma_quad_pairs(struct ptx *p, struct px_stmt *s)
{
    bool wide = s->types[0].bits == 32, by_row[2] = {false, false};
    struct ir_value *a[2], *b[2], *c[8], *d[8], *row[2][4], *column[8][4];
    unsigned layouts = 0;
    for (uint32_t i = 0; i < s->nmods; i++)
        if (!strcmp(s->mods[i], "row") || !strcmp(s->mods[i], "col")) {
            s->used |= 1u << i;
            by_row[layouts++ & 1] = s->mods[i][0] == 'r';
        }
    for (unsigned i = 0; i < 4; i++)
        if (s->types[i].letter != 'f' || s->types[i].lanes != 1 ||
            s->types[i].bits != (wide && i % 3 == 0 ? 32 : 16))
            return false;
    if (layouts != 2 || !read_registers(p, &s->ops[1], 2, IR_I32, a) ||
        !read_registers(p, &s->ops[2], 2, IR_I32, b) ||
        !read_registers(p, &s->ops[3], wide ? 8 : 4, wide ? IR_F32 : IR_I32, c))
        return false;
    struct ir_value *lane = lane_id(p);
    struct ir_value *upper =
        px_op2(p, IR_OP_lshr, px_op2(p, IR_OP_and, lane, word(p, 16)), word(p, 2));
    for (unsigned i = 0; i < (wide ? 2 : 1); i++) { /* f32: two rows, four columns; f16: one, all */
        struct ir_value *r = px_op2(p, IR_OP_and, lane, word(p, wide ? 1 : 3));
        r = px_op2(p, IR_OP_add, px_op2(p, IR_OP_or, r, word(p, 2 * i)), upper);
        quad_vector(p, a, r, by_row[0], row[i]);
    }
    for (unsigned i = 0; i < (wide ? 4 : 8); i++) {
        struct ir_value *n = wide ? px_op2(p, IR_OP_or, px_op2(p, IR_OP_and, lane, word(p, 2)),
                                           word(p, (i & 2) * 2 + (i & 1)))
                                  : word(p, i);
        quad_vector(p, b, n, !by_row[1], column[i]);
    }
    for (unsigned i = 0; i < 8; i++) {
        struct ir_value **x = row[wide ? i >> 1 & 1 : 0],
                        **y = column[wide ? (i >> 1 & 2) + (i & 1) : i];
        d[i] = wide ? c[i] : as_f32(p, c[i / 2], i % 2);
        for (unsigned k = 0; k < 4; k++)
            d[i] = ir_build3(&p->b, IR_OP_fma, IR_F32, x[k], y[k], d[i]);
    }
    for (unsigned i = 0; i < 4 && !wide; i++)
        d[i] = halves(p, as_f16(p, d[2 * i]), as_f16(p, d[2 * i + 1]));
    return write_registers(p, &s->ops[0], wide ? 8 : 4, d);
}

bool px_mma(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS], *addend[MAX_REGS];
    (void)row;
    if (px_mod(s, "sp") || px_mod(s, "sp::ordered_metadata"))
        return px_refuse(p, s, "sparse matrices are not supported");
    if (s->nops == 4 && s->ntypes == 4 && s->types[1].letter == 'f' && s->types[1].bits == 16 &&
        px_mod(s, "m8n8k4"))
        return mma_quad_pairs(p, s);
    if (s->nops != 4 || s->ntypes != 4 || !px_mod(s, "row") || !px_mod(s, "col") ||
        s->types[0].letter != s->types[3].letter || s->types[0].bits != s->types[3].bits)
        return false;
    const char *in = type_name(s->types[1]), *out = type_name(s->types[0]);
    if (!strcmp(out, "F64"))
        (void)px_mod(s, "rn");
    bool same = !strcmp(in, type_name(s->types[2])), sat = px_mod(s, "satfinite");
    const struct shape *h = NULL;
    const struct sum *x = NULL;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && same && !h; k++)
        if (!strcmp(shapes[k].in, in) && !strcmp(shapes[k].out, out) && px_mod(s, shapes[k].shape))
            h = &shapes[k];
    for (size_t k = 0; k < sizeof sums / sizeof *sums && !h && !x; k++)
        if (in_family(sums[k].in, s->types[1]) && in_family(sums[k].in, s->types[2]) &&
            px_mod(s, sums[k].shape))
            x = &sums[k];
    if (!h && !x)
        return !strcmp(in, "F64") && same && mma_f64(p, s);
    bool f16 = !strcmp(out, "F16");
    unsigned nc = x ? (f16 ? x->nc / 2 : x->nc) : h->nc;
    ir_type it = h ? input_type(h) : IR_I32;
    ir_type ot = !strcmp(out, "F64") ? IR_F64 : !strcmp(out, "F32") ? IR_F32 : IR_I32;
    if (!read_registers(p, &s->ops[1], x ? x->na : h->na, it, a) ||
        !read_registers(p, &s->ops[2], x ? x->nb : h->nb, it, b) ||
        !read_registers(p, &s->ops[3], nc, ot, c))
        return false;
    if (sat && strcmp(out, "S32"))
        return false;
    for (unsigned i = 0; i < nc && sat; i++) { /* the products alone do not overflow */
        addend[i] = c[i];
        c[i] = word(p, 0);
    }
    if (h)
        multiply(p, h, a, b, c);
    else if (!sum_of_parts(p, s, x, a, b, c))
        return false;
    for (unsigned i = 0; i < nc && sat; i++)
        c[i] = saturating_sum(p, addend[i], c[i]);
    return write_registers(p, &s->ops[0], nc, c);
}

/* ---- wmma ---- */
struct fragments {
    const struct shape *tile;
    unsigned m, n, k;
    unsigned down, across; /* tiles */
    bool upper;            /* 8 rows in a tile of 16: only the registers of the upper half */
    unsigned na, nb, nc;   /* registers that matter */
};

static bool fragments_of(struct px_stmt *s, struct px_type in, struct px_type acc,
                         struct fragments *f)
{
    static const struct {
        const char *name;
        unsigned m, n, k;
    } all[] = {{"m16n16k16", 16, 16, 16},
               {"m32n8k16", 32, 8, 16},
               {"m8n32k16", 8, 32, 16},
               {"m16n16k8", 16, 16, 8},
               {"m8n8k4", 8, 8, 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!px_mod(s, all[i].name))
            continue;
        *f = (struct fragments){.m = all[i].m, .n = all[i].n, .k = all[i].k};
        const char *a = type_name(in), *c = type_name(acc);
        f->tile = f->m == 8 ? find_shape(8, f->k, a, c) : NULL;
        if (!f->tile)
            f->tile = find_shape(16, f->k, a, c);
        if (!f->tile)
            return false;
        f->upper = f->m < f->tile->m;
        f->down = f->upper ? 1 : f->m / f->tile->m;
        f->across = f->n / 8;
        f->na = f->down * f->tile->na / (f->upper ? 2 : 1);
        f->nb = f->across * f->tile->nb;
        f->nc = f->down * f->across * f->tile->nc / (f->upper ? 2 : 1);
        return true;
    }
    return false;
}

/* Where element j of register i stands: row and column as g or t, times something, plus a number.
 */
struct coordinates {
    struct ir_value *row, *column;
};

static struct ir_value *plus(struct ptx *p, struct ir_value *x, unsigned times, unsigned add)
{
    return px_op2(p, IR_OP_add, px_op2(p, IR_OP_mul, x, word(p, times)), word(p, add));
}

static struct coordinates place(struct ptx *p, const struct fragments *f, char which, unsigned i,
                                unsigned j, unsigned each, struct ir_value *g, struct ir_value *t)
{
    bool tall = f->tile->m == 16;
    if (which == 'a') {
        unsigned per = f->na / f->down, tile = i / per, r = i % per * (f->upper ? 2 : 1);
        return (struct coordinates){plus(p, g, 1, 16 * tile + (tall ? 8 * (r % 2) : 0)),
                                    plus(p, t, each, j + 4 * each * (tall ? r / 2 : r))};
    }
    if (which == 'b') {
        unsigned per = f->tile->nb, tile = i / per, r = i % per;
        return (struct coordinates){plus(p, t, each, j + 4 * each * r), plus(p, g, 1, 8 * tile)};
    }
    unsigned per = f->nc / (f->down * f->across), tile = i / per, v = i % per * each + j;
    return (struct coordinates){plus(p, g, 1, 16 * (tile / f->across) + 8 * (v / 2)),
                                plus(p, t, 2, 8 * (tile % f->across) + v % 2)};
}

/* load and store: a register's elements, one by one or, where they are neighbours, at once. */
static bool wmma_memory(struct ptx *p, struct px_stmt *s, bool store)
{
    char which = px_mod(s, "a")                 ? 'a'
                 : px_mod(s, "b")               ? 'b'
                 : px_mod(s, store ? "d" : "c") ? 'c'
                                                : 0;
    bool by_row = px_mod(s, "row");
    if (!which || (!by_row && !px_mod(s, "col")) || s->nops < 2 || s->nops > 3 || s->ntypes != 1)
        return false;
    struct px_type t = s->types[0], in = t, acc = {'f', 32, 1};
    struct fragments f;
    if (which == 'c') {
        acc = t;
        in = (struct px_type){t.letter == 's' ? 's' : 'f',
                              t.letter == 's' ? 8
                              : t.bits == 64  ? 64
                                              : 16,
                              1};
        if (px_mod(s, "m16n16k8"))
            in = (struct px_type){'t', 32, 1};
    } else if (t.letter == 's' || t.letter == 'u') {
        acc = (struct px_type){'s', 32, 1};
    } else if (t.bits == 64) {
        acc = t;
    }
    if (!fragments_of(s, in, acc, &f))
        return false;
    struct px_operand *list = &s->ops[store ? 1 : 0];
    struct px_operand *items = list->kind == PO_VECTOR ? list->items : list;
    unsigned nregs = list->kind == PO_VECTOR ? list->nitems : 1;
    unsigned n = which == 'a' ? f.na : which == 'b' ? f.nb : f.nc;
    if (nregs % n || nregs > MAX_REGS)
        return false;
    unsigned bytes = t.bits / 8, each = t.bits < 32 ? 32u / t.bits : 1;
    unsigned rows = which == 'b' ? f.k : f.m, columns = which == 'a' ? f.k : f.n;
    enum ir_space space;
    px_space_of(s, &space);
    struct ir_value *base = px_address(p, &s->ops[store ? 0 : 1], space);
    struct ir_value *ld =
        s->nops == 3 ? px_in(p, &s->ops[2], IR_I32) : word(p, by_row ? columns : rows);
    struct ir_value *lane = lane_id(p), *g = px_op2(p, IR_OP_lshr, lane, word(p, 2)),
                    *t4 = px_op2(p, IR_OP_and, lane, word(p, 3)), *out[MAX_REGS];
    bool at_once = each == 1 || (by_row ? which != 'b' : which == 'b');
    ir_type whole = bytes == 8 ? IR_I64 : IR_I32, part = bytes == 1 ? IR_I8 : IR_I16;
    for (unsigned i = 0; i < n; i++) {
        struct ir_value *w = store ? px_in(p, &items[i], whole) : NULL;
        for (unsigned j = 0; j < (at_once ? 1 : each); j++) {
            struct coordinates at = place(p, &f, which, i, j, each, g, t4);
            struct ir_value *major = by_row ? at.row : at.column,
                            *minor = by_row ? at.column : at.row;
            struct ir_value *x = element(
                p, base, px_op2(p, IR_OP_add, px_op2(p, IR_OP_mul, major, ld), minor), bytes);
            struct ir_value *shift = word(p, j * t.bits);
            if (store && at_once) {
                ir_build_store(&p->b, x, w, ir_bytes(whole), 0);
            } else if (store) {
                struct ir_value *e = px_bits_as(p, px_op2(p, IR_OP_lshr, w, shift), part);
                ir_build_store(&p->b, x, e, bytes, 0);
            } else if (at_once) {
                w = ir_build_load(&p->b, whole, x, ir_bytes(whole), 0);
            } else {
                struct ir_value *e = px_bits_as(p, ir_build_load(&p->b, part, x, bytes, 0), IR_I32);
                e = px_op2(p, IR_OP_shl, e, shift);
                w = w ? px_op2(p, IR_OP_or, w, e) : e;
            }
        }
        out[i] = w;
    }
    for (unsigned i = 0; i < nregs && !store; i++)
        px_out(p, &items[i], out[i % n]);
    return true;
}

static bool wmma_multiply(struct ptx *p, struct px_stmt *s)
{
    bool short_form = s->ntypes == 2; /* .dtype.ctype of f16 */
    if (s->nops != 4 || (!short_form && s->ntypes != 4))
        return false;
    (void)px_mod(s, "row");
    (void)px_mod(s, "col");
    if (s->types[0].bits == 64)
        (void)px_mod(s, "rn"); /* f64 may say how it rounds: this is how */
    struct px_type in = short_form ? (struct px_type){'f', 16, 1} : s->types[1];
    struct px_type dt = s->types[0], ct = s->types[s->ntypes - 1], acc = dt;
    if (!short_form && (s->types[2].letter != in.letter || s->types[2].bits != in.bits))
        return false;
    bool widen = dt.bits == 32 && ct.bits == 16, narrow = dt.bits == 16 && ct.bits == 32;
    if (narrow)
        acc = ct;
    struct fragments f;
    if (!fragments_of(s, in, acc, &f))
        return false;
    bool sat = px_mod(s, "satfinite");
    if (sat && acc.letter != 's')
        return false;
    const struct px_operand *oa = &s->ops[1], *ob = &s->ops[2];
    unsigned la = oa->kind == PO_VECTOR ? oa->nitems : 1,
             lb = ob->kind == PO_VECTOR ? ob->nitems : 1;
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS], *raw[MAX_REGS];
    ir_type it = input_type(f.tile), ot = output_type(f.tile);
    if (la % f.na || lb % f.nb || f.nc > MAX_REGS || !read_registers(p, oa, la, it, a) ||
        !read_registers(p, ob, lb, it, b) ||
        !read_registers(p, &s->ops[3], widen ? f.nc / 2 : f.nc, widen ? IR_I32 : ot, raw))
        return false;
    struct ir_value *zero = px_int(p, ot, 0);
    for (unsigned i = 0; i < f.nc; i++)
        c[i] = widen ? as_f32(p, raw[i / 2], i % 2) : raw[i];
    unsigned per_a = f.na / f.down, per_c = f.nc / (f.down * f.across);
    for (unsigned y = 0; y < f.down; y++)
        for (unsigned x = 0; x < f.across; x++) {
            struct ir_value *ta[4], *tc[4], **own = &c[(y * f.across + x) * per_c];
            for (unsigned i = 0; i < f.tile->na; i++)
                ta[i] = f.upper ? i % 2 ? px_int(p, it, 0) : a[i / 2] : a[y * per_a + i];
            for (unsigned i = 0; i < f.tile->nc; i++)
                tc[i] = i < per_c && !sat ? own[i] : zero;
            multiply(p, f.tile, ta, &b[x * f.tile->nb], tc);
            for (unsigned i = 0; i < per_c; i++)
                own[i] = sat ? saturating_sum(p, own[i], tc[i]) : tc[i];
        }
    unsigned nd = narrow ? f.nc / 2 : f.nc;
    for (unsigned i = 0; i < nd && narrow; i++)
        c[i] = halves(p, as_f16(p, c[2 * i]), as_f16(p, c[2 * i + 1]));
    return write_registers(p, &s->ops[0], nd, c);
}

bool px_wmma(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    bool store = px_mod(s, "store");
    if (store || px_mod(s, "load"))
        return wmma_memory(p, s, store);
    return px_mod(s, "mma") && wmma_multiply(p, s);
}
