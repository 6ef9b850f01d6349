/* Matrices of a warp: shapes of mma.def as HMMA, IMMA and DMMA.
 *
 * A, B, C and D are neighbouring registers each. Fragments that lie so already, such as what one
 * load or the product before left, stay where they are; others are moved together. */
#include "back/sass/sass_int.h"

enum { K_LONG = 1, F32_SUM = 2, K_SHORT = 8 }; /* bits of HMMA's mode */
enum { FROM_F16, FROM_BF16, FROM_TF32 };       /* its type */
enum { SIGNED_A = 2, SIGNED_B = 8 };           /* bits of IMMA's mode, beside K_LONG */

static const struct shape {
    uint16_t op;
    uint8_t mode, type;
    uint8_t na, nb, nc;
    uint8_t rows, arch;
} shapes[] = {
#define HALF(k, sum, from)  OP_HMMA, ((k) == 16 ? K_LONG : 0) | (sum), from
#define BYTES(m, k, sign)   OP_IMMA, ((k) == 32 ? K_LONG : 0) | (sign), (m) == 16
#define FORM_F32_F16(m, k)  HALF(k, F32_SUM, FROM_F16)
#define FORM_F16_F16(m, k)  HALF(k, 0, FROM_F16)
#define FORM_F32_BF16(m, k) HALF(k, F32_SUM, FROM_BF16)
#define FORM_F32_TF32(m, k) OP_HMMA, F32_SUM | ((k) == 4 ? K_SHORT : 0), FROM_TF32
#define FORM_F64_F64(m, k)  OP_DMMA, 0, 0
#define FORM_S32_S8(m, k)   BYTES(m, k, SIGNED_A | SIGNED_B)
#define FORM_S32_U8(m, k)   BYTES(m, k, 0)
#define IR_MMA(name, text, m, n, k, ab, cd, na, nb, nc, sm)                                        \
    {FORM_##cd##_##ab(m, k), na, nb, nc, m, sm},
#include "ir/mma.def"
};

/* n values side by side. */
static struct sass_src side_by_side(struct sass_func *s, struct ir_value *const *v, unsigned n)
{
    const unsigned each = sass_words(v[0]->type), words = n * each;
    struct sass_src x[4] = {{0}};
    bool there = true;
    for (unsigned k = 0; k < words; k++) {
        x[k] = sass_word(s, v[k / each], k % each);
        there &= x[k].kind == SRC_REG && x[k].value != SASS_NONE && x[k].value == x[0].value &&
                 x[k].part == x[0].part + k;
    }
    struct sass_src all = x[0];
    if (!there || all.part % words) {
        uint32_t r = sass_new(s, words);
        for (unsigned k = 0; k < words; k++)
            sass_move(s, r, k, x[k]);
        all = sass_reg(r, 0);
    }
    all.parts = (uint8_t)words;
    return all;
}

/* Results live side by side where neighbours may; else each has a register of its own. */
void sass_give_out(struct sass_func *s, struct ir_value *v, uint32_t d, unsigned part)
{
    const unsigned words = sass_words(v->type);
    if (s->grouped) {
        s->reg_of[v->id] = d + 1;
        s->part_of[v->id] = (uint8_t)part;
        return;
    }
    uint32_t r = sass_result(s, v);
    for (unsigned k = 0; k < words; k++)
        sass_move(s, r, k, sass_reg(d, part + k));
    sass_done(s, v, r);
}

static uint32_t multiply(struct sass_func *s, const struct shape *f, struct sass_src a,
                         struct sass_src b, struct sass_src c)
{
    uint32_t d = sass_new(s, c.parts);
    struct sass_inst *m = sass_put(s, (enum sass_op)f->op);
    m->d = d;
    m->d_parts = c.parts;
    m->a = a;
    m->b = b;
    m->c = c;
    m->mods[MOD_MODE] = f->mode;
    m->mods[MOD_TYPE] = f->type;
    return d;
}

/* Rows of f64 are multiplied eight by eight, four of K at a time. */
static void doubles(struct sass_func *s, const struct shape *f, struct ir_inst *i)
{
    const unsigned halves = f->rows / 8;
    for (unsigned h = 0; h < halves; h++) {
        struct sass_src c = side_by_side(s, &i->args[f->na + f->nb + 2 * h], 2);
        uint32_t d = SASS_NONE;
        for (unsigned k = 0; k < f->nb; k++) {
            struct sass_src a = sass_whole(s, i->args[k * halves + h]),
                            b = sass_whole(s, i->args[f->na + k]);
            d = multiply(s, f, a, b, c);
            c = sass_reg(d, 0);
            c.parts = 4;
        }
        for (unsigned k = 0; k < 2; k++)
            sass_give_out(s, &i->results[2 * h + k], d, 2 * k);
    }
}

bool sass_matrix(struct sass_func *s, struct ir_inst *i)
{
    if (i->op != IR_OP_mma)
        return false;
    const struct shape *f = i->imm < sizeof shapes / sizeof *shapes ? &shapes[i->imm] : NULL;
    if (!f || i->nargs != (uint32_t)f->na + f->nb + f->nc || i->nresults != f->nc ||
        s->arch < f->arch) {
        sass_refuse(s, "a matrix shape that it does not have");
        return true;
    }
    if (!sass_together(s))
        sass_put(s, OP_WARPSYNC_ALL);
    if (f->op == OP_DMMA) {
        doubles(s, f, i);
        return true;
    }
    struct sass_src a = side_by_side(s, i->args, f->na),
                    b = side_by_side(s, i->args + f->na, f->nb),
                    c = side_by_side(s, i->args + f->na + f->nb, f->nc);
    uint32_t d = multiply(s, f, a, b, c);
    for (unsigned k = 0; k < f->nc; k++)
        sass_give_out(s, &i->results[k], d, k);
    return true;
}
