/* Matrices of shapes that the IR does not have: mma of narrow elements, and wmma.
 *
 * The IR has one op, mma, with the shapes of mma.def. Other shapes of PTX are sums of those: what
 * the sum over k runs through may be reordered, as long as A and B agree, so registers of narrow
 * elements are unpacked to wider ones without moving anything between lanes.
 *
 * The fragments of wmma are opaque in PTX. Ours are the registers of the mma tiles that make up the
 * shape, tile after tile; where PTX has more registers than that they are filled with copies. */
#include <string.h>
#include "front/ptxops/matrix_int.h"

/* ---- shapes that are sums of the IR's ---- */

/* One register of packed elements as several of wider ones; A and B alike, so that element i of one
 * meets element i of the other. */
static struct ir_value *unpacked(struct px *p, struct ir_value *w, struct px_type t, unsigned part)
{
    if (t.letter == '4' || t.letter == '5') { /* two of the four bytes, as halves */
        w = part ? px_high_half(p, w) : w;
        return px_fp8_to_halves(p, px_bits_as(p, w, IR_I16), t.letter == '5');
    }
    w = part ? px_op2(p, IR_OP_lshr, w, px_word(p, part * t.bits)) : w;
    if (t.bits == 1)
        return px_op2(p, IR_OP_and, w, px_word(p, 0x01010101));
    w = px_op2(p, IR_OP_and, w, px_word(p, 0x0f0f0f0f));
    if (t.letter == 's') { /* the sign goes into the upper four bits of each byte */
        struct ir_value *sign = px_op2(p, IR_OP_and, w, px_word(p, 0x08080808));
        w = px_op2(p, IR_OP_or, w, px_op2(p, IR_OP_mul, sign, px_word(p, 0x1e)));
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
    const char *n = px_type_name(t);
    return !strcmp(family, n) || (!strcmp(family, "S4") && !strcmp(n, "U4")) ||
           (!strcmp(family, "S8") && !strcmp(n, "U8")) ||
           (!strcmp(family, "E4M3") && !strcmp(n, "E5M2"));
}

/* Bytes of which one side is signed and the other is not: u = (u - 128) + 64 + 64. */
static void mixed_bytes(struct px *p, const struct px_shape *h, bool a_signed, struct ir_value **a,
                        struct ir_value **b, struct ir_value **c)
{
    struct ir_value **u = a_signed ? b : a, *half[MAX_REGS];
    unsigned n = a_signed ? h->nb : h->na;
    for (unsigned i = 0; i < n; i++) {
        u[i] = px_op2(p, IR_OP_xor, u[i], px_word(p, 0x80808080));
        half[i] = px_word(p, 0x40404040);
    }
    px_mma_step(p, h, a, b, c);
    for (unsigned i = 0; i < 2; i++)
        px_mma_step(p, h, a_signed ? a : half, a_signed ? half : b, c);
}

static bool sum_of_parts(struct px *p, struct px_stmt *s, const struct sum *x, struct ir_value **a,
                         struct ir_value **b, struct ir_value **c)
{
    struct px_type at = s->types[1], bt = s->types[2];
    const struct px_shape *h = px_find_shape(x->m, x->k, x->as, px_type_name(s->types[0]));
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
            px_mma_step(p, h, ha, hb, c);
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
            px_mma_step(p, h, wa, wb, c);
        }
    return true;
}

/* f64 with 16 rows: the rows apart, and k in steps of four. */
static bool mma_f64(struct px *p, struct px_stmt *s)
{
    const struct px_shape *h = px_find_shape(8, 4, "F64", "F64");
    unsigned steps = px_mod(s, "m16n8k4")    ? 1
                     : px_mod(s, "m16n8k8")  ? 2
                     : px_mod(s, "m16n8k16") ? 4
                                             : 0;
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS];
    if (!steps || !px_read_all(p, &s->ops[1], 2 * steps, IR_F64, a) ||
        !px_read_all(p, &s->ops[2], steps, IR_F64, b) || !px_read_all(p, &s->ops[3], 4, IR_F64, c))
        return false;
    for (unsigned q = 0; q < steps; q++)
        for (unsigned i = 0; i < 2; i++)
            px_mma_step(p, h, &a[2 * q + i], &b[q], &c[2 * i]);
    return px_write_all(p, &s->ops[0], 4, c);
}

static struct ir_value *as_f32(struct px *p, struct ir_value *pair, unsigned i)
{
    struct ir_value *h =
        px_bits_as(p, px_bits_as(p, i ? px_high_half(p, pair) : pair, IR_I16), IR_F16);
    return ir_build1(&p->b, IR_OP_fcvt, IR_F32, h);
}

static struct ir_value *as_f16(struct px *p, struct ir_value *x)
{
    return px_bits_as(p, ir_build1(&p->b, IR_OP_fcvt, IR_F16, x), IR_I16);
}

/* The four elements that a vector of A or B has along k, for a row or column `n` of 0 to 7. Each of
 * the eight lanes of a quad pair has four elements, in two registers: either along k of the n that
 * it stands for, or along n of one k. */
static void quad_vector(struct px *p, struct ir_value *const *regs, struct ir_value *n,
                        bool along_k, struct ir_value **out)
{
    struct ir_value *low = px_op2(p, IR_OP_and, n, px_word(p, 3));
    struct ir_value *lane = px_op2(p, IR_OP_and, px_lane(p), px_word(p, 12));
    lane = px_op2(p, IR_OP_or, lane,
                  px_op2(p, IR_OP_shl, px_op2(p, IR_OP_and, n, px_word(p, 4)), px_word(p, 2)));
    if (along_k) {
        lane = px_op2(p, IR_OP_or, lane, low);
        struct ir_value *got[2] = {px_from_lane(p, regs[0], lane), px_from_lane(p, regs[1], lane)};
        for (unsigned k = 0; k < 4; k++)
            out[k] = as_f32(p, got[k / 2], k % 2);
        return;
    }
    struct ir_value *second = ir_build2(&p->b, IR_OP_ult, IR_I32, px_word(p, 1), low);
    struct ir_value *shift =
        px_op2(p, IR_OP_shl, px_op2(p, IR_OP_and, low, px_word(p, 1)), px_word(p, 4));
    for (unsigned k = 0; k < 4; k++) {
        struct ir_value *there = px_op2(p, IR_OP_or, lane, px_word(p, k));
        struct ir_value *pair =
            px_pick(p, second, px_from_lane(p, regs[1], there), px_from_lane(p, regs[0], there));
        out[k] = as_f32(p, px_op2(p, IR_OP_lshr, pair, shift), 0);
    }
}

/* m8n8k4 of f16: each eight lanes, four and the four sixteen above, have matrices of their own. */
static bool mma_quad_pairs(struct px *p, struct px_stmt *s)
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
    if (layouts != 2 || !px_read_all(p, &s->ops[1], 2, IR_I32, a) ||
        !px_read_all(p, &s->ops[2], 2, IR_I32, b) ||
        !px_read_all(p, &s->ops[3], wide ? 8 : 4, wide ? IR_F32 : IR_I32, c))
        return false;
    struct ir_value *lane = px_lane(p);
    struct ir_value *upper =
        px_op2(p, IR_OP_lshr, px_op2(p, IR_OP_and, lane, px_word(p, 16)), px_word(p, 2));
    for (unsigned i = 0; i < (wide ? 2 : 1); i++) { /* f32: two rows, four columns; f16: one, all */
        struct ir_value *r = px_op2(p, IR_OP_and, lane, px_word(p, wide ? 1 : 3));
        r = px_op2(p, IR_OP_add, px_op2(p, IR_OP_or, r, px_word(p, 2 * i)), upper);
        quad_vector(p, a, r, by_row[0], row[i]);
    }
    for (unsigned i = 0; i < (wide ? 4 : 8); i++) {
        struct ir_value *n = wide ? px_op2(p, IR_OP_or, px_op2(p, IR_OP_and, lane, px_word(p, 2)),
                                           px_word(p, (i & 2) * 2 + (i & 1)))
                                  : px_word(p, i);
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
        d[i] = px_halves(p, as_f16(p, d[2 * i]), as_f16(p, d[2 * i + 1]));
    return px_write_all(p, &s->ops[0], wide ? 8 : 4, d);
}

bool px_mma_sum(struct px *p, struct px_stmt *s)
{
    struct ir_value *a[MAX_REGS], *b[MAX_REGS], *c[MAX_REGS], *addend[MAX_REGS];
    if (px_type_in(s->types[1], PX_F16) && px_mod(s, "m8n8k4"))
        return mma_quad_pairs(p, s);
    const char *in = px_type_name(s->types[1]), *out = px_type_name(s->types[0]);
    if (!px_mod(s, "row") || !px_mod(s, "col") || strcmp(out, px_type_name(s->types[3])))
        return false;
    const struct sum *x = NULL;
    for (size_t k = 0; k < sizeof sums / sizeof *sums && !x; k++)
        if (in_family(sums[k].in, s->types[1]) && in_family(sums[k].in, s->types[2]) &&
            px_mod(s, sums[k].shape))
            x = &sums[k];
    if (!x) {
        (void)px_mod(s, "rn");
        return !strcmp(in, "F64") && !strcmp(out, "F64") && px_type_in(s->types[2], PX_F64) &&
               mma_f64(p, s);
    }
    const unsigned nc = !strcmp(out, "F16") ? x->nc / 2 : x->nc;
    const bool sat = !strcmp(out, "S32") && px_mod(s, "satfinite");
    if (!px_read_all(p, &s->ops[1], x->na, IR_I32, a) ||
        !px_read_all(p, &s->ops[2], x->nb, IR_I32, b) ||
        !px_read_all(p, &s->ops[3], nc, !strcmp(out, "F32") ? IR_F32 : IR_I32, c))
        return false;
    for (unsigned i = 0; i < nc && sat; i++) { /* the products alone do not overflow */
        addend[i] = c[i];
        c[i] = px_word(p, 0);
    }
    if (!sum_of_parts(p, s, x, a, b, c))
        return false;
    for (unsigned i = 0; i < nc && sat; i++)
        c[i] = px_saturating_sum(p, addend[i], c[i]);
    return px_write_all(p, &s->ops[0], nc, c);
}

/* ---- wmma ---- */
struct fragments {
    const struct px_shape *tile;
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
    } all[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16},
               {"m8n32k16", 8, 32, 16},   {"m16n16k8", 16, 16, 8},
               {"m8n8k4", 8, 8, 4},       {"m8n8k32", 8, 8, 32}, /* elements of less than a byte */
               {"m8n8k128", 8, 8, 128}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!px_mod(s, all[i].name))
            continue;
        *f = (struct fragments){.m = all[i].m, .n = all[i].n, .k = all[i].k};
        const char *a = px_type_name(in), *c = px_type_name(acc);
        const bool narrow = f->k > 16;
        if (narrow && (strcmp(c, "S32") || (in.bits < 8 && in.bits != 128 / f->k)))
            return false;
        f->tile = narrow      ? px_find_shape(8, 16, "S8", c)
                  : f->m == 8 ? px_find_shape(8, f->k, a, c)
                              : NULL;
        if (!f->tile)
            f->tile = px_find_shape(16, f->k, a, c);
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

static struct ir_value *plus(struct px *p, struct ir_value *x, unsigned times, unsigned add)
{
    return px_op2(p, IR_OP_add, px_op2(p, IR_OP_mul, x, px_word(p, times)), px_word(p, add));
}

static struct coordinates place(struct px *p, const struct fragments *f, char which, unsigned i,
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
static bool wmma_memory(struct px *p, struct px_stmt *s, bool store)
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
    } else if (t.letter == 's' || t.letter == 'u' || t.bits == 1) {
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
        s->nops == 3 ? px_in(p, &s->ops[2], IR_I32) : px_word(p, by_row ? columns : rows);
    struct ir_value *lane = px_lane(p), *g = px_op2(p, IR_OP_lshr, lane, px_word(p, 2)),
                    *t4 = px_op2(p, IR_OP_and, lane, px_word(p, 3)), *out[MAX_REGS];
    bool at_once = each == 1 || (by_row ? which != 'b' : which == 'b');
    if (t.bits < 8 && !at_once)
        return false;
    ir_type whole = bytes == 8 ? IR_I64 : IR_I32, part = bytes == 1 ? IR_I8 : IR_I16;
    for (unsigned i = 0; i < n; i++) {
        struct ir_value *w = store ? px_in(p, &items[i], whole) : NULL;
        for (unsigned j = 0; j < (at_once ? 1 : each); j++) {
            struct coordinates at = place(p, &f, which, i, j, each, g, t4);
            struct ir_value *major = by_row ? at.row : at.column,
                            *minor = by_row ? at.column : at.row;
            struct ir_value *index = px_op2(p, IR_OP_add, px_op2(p, IR_OP_mul, major, ld), minor);
            if (t.bits < 8) /* lines begin at whole words */
                index = px_op2(p, IR_OP_udiv, index, px_word(p, each));
            struct ir_value *x = px_element(p, base, index, t.bits < 8 ? 4 : bytes);
            struct ir_value *shift = px_word(p, j * t.bits);
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

static bool wmma_multiply(struct px *p, struct px_stmt *s)
{
    bool short_form = s->ntypes == 2; /* .dtype.ctype of f16 */
    if (s->nops != 4 || (!short_form && s->ntypes != 4))
        return false;
    if (!short_form && s->types[1].bits < 8) /* the registers are those of mma */
        return !strcmp(px_type_name(s->types[1]), px_type_name(s->types[2])) && px_mma_sum(p, s);
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
    ir_type it = px_mma_input(f.tile), ot = px_mma_output(f.tile);
    if (la % f.na || lb % f.nb || f.nc > MAX_REGS || !px_read_all(p, oa, la, it, a) ||
        !px_read_all(p, ob, lb, it, b) ||
        !px_read_all(p, &s->ops[3], widen ? f.nc / 2 : f.nc, widen ? IR_I32 : ot, raw))
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
            px_mma_step(p, f.tile, ta, &b[x * f.tile->nb], tc);
            for (unsigned i = 0; i < per_c; i++)
                own[i] = sat ? px_saturating_sum(p, own[i], tc[i]) : tc[i];
        }
    unsigned nd = narrow ? f.nc / 2 : f.nc;
    for (unsigned i = 0; i < nd && narrow; i++)
        c[i] = px_halves(p, as_f16(p, c[2 * i]), as_f16(p, c[2 * i + 1]));
    return px_write_all(p, &s->ops[0], nd, c);
}

bool px_wmma(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    bool store = px_mod(s, "store");
    if (store || px_mod(s, "load"))
        return wmma_memory(p, s, store);
    return px_mod(s, "mma") && wmma_multiply(p, s);
}
