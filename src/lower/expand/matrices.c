/* mma → shuffles and sums: for targets without matrix operations.
 *
 * Where elements are is in mma.def: a thread with g = lane / 4 and t = lane % 4 needs for its part
 * of D rows of A that the four threads of its own g hold, and the two columns of B that the threads
 * with g = 2 t and 2 t + 1 hold. f16, bf16 and tf32 are multiplied and summed in f32, over k in
 * order. */
#include "lower/lower_int.h"

enum element { IN_F16, IN_BF16, IN_TF32, IN_F32, IN_F64, IN_S8, IN_U8, IN_S32 };
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm)                                       \
    {m, n, k, IN_##in, IN_##acc, na, nb, nc},
static const struct shape {
    uint8_t m, n, k, in, acc, na, nb, nc;
} shapes[] = {
#include "ir/mma.def"
};

struct matrix {
    struct ir_builder b;
    struct ir_module *m;
    const struct shape *s;
    unsigned packed; /* elements of a register */
    ir_type type;    /* that sums are made in */
};

enum { MAX_K = 32 };

static struct ir_value *word(struct matrix *x, uint32_t v)
{
    return ir_const(x->m, IR_I32, v);
}

static struct ir_value *from_lane(struct matrix *x, struct ir_value *v, struct ir_value *lane)
{
    struct ir_value *args[4] = {word(x, UINT32_MAX), v, lane, word(x, 31)};
    struct ir_inst *i = ir_build(&x->b, IR_OP_shfl, v->type, args, 4);
    i->imm = IR_SHFL_IDX;
    return &i->results[0];
}

/* Element j of a register, as a number to calculate with. */
static struct ir_value *element(struct matrix *x, struct ir_value *v, unsigned j)
{
    switch ((enum element)x->s->in) {
    case IN_F16: {
        struct ir_value *half = ir_build2(&x->b, IR_OP_lshr, IR_I32, v, word(x, 16 * j));
        half = ir_build1(&x->b, IR_OP_trunc, IR_I16, half);
        return ir_build1(&x->b, IR_OP_fcvt, IR_F32, ir_build1(&x->b, IR_OP_bitcast, IR_F16, half));
    }
    case IN_BF16:
        v = j ? ir_build2(&x->b, IR_OP_and, IR_I32, v, word(x, 0xffff0000))
              : ir_build2(&x->b, IR_OP_shl, IR_I32, v, word(x, 16));
        return ir_build1(&x->b, IR_OP_bitcast, IR_F32, v);
    case IN_TF32:
        v = ir_build2(&x->b, IR_OP_and, IR_I32, v, word(x, 0xffffe000));
        return ir_build1(&x->b, IR_OP_bitcast, IR_F32, v);
    case IN_S8:
    case IN_U8:
        v = ir_build2(&x->b, IR_OP_shl, IR_I32, v, word(x, 24 - 8 * j));
        return ir_build2(&x->b, x->s->in == IN_S8 ? IR_OP_ashr : IR_OP_lshr, IR_I32, v,
                         word(x, 24));
    default: return v;
    }
}

static struct ir_value *times_plus(struct matrix *x, struct ir_value *a, struct ir_value *b,
                                   struct ir_value *c)
{
    if (x->type == IR_I32)
        return ir_build2(&x->b, IR_OP_add, IR_I32, c, ir_build2(&x->b, IR_OP_mul, IR_I32, a, b));
    return ir_build3(&x->b, IR_OP_fma, x->type, a, b, c);
}

static struct ir_value *narrow(struct matrix *x, struct ir_value *v)
{
    v = ir_build1(&x->b, IR_OP_bitcast, IR_I16, ir_build1(&x->b, IR_OP_fcvt, IR_F16, v));
    return ir_build1(&x->b, IR_OP_zext, IR_I32, v);
}

static void expand(struct matrix *x, struct ir_inst *i)
{
    const struct shape *s = x->s;
    unsigned e = x->packed, halves = s->m / 8;
    bool half_sums = s->acc == IN_F16;
    struct ir_value *lane = ir_build0(&x->b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
    struct ir_value *quad = ir_build2(&x->b, IR_OP_and, IR_I32, lane, word(x, 28));
    struct ir_value *t = ir_build2(&x->b, IR_OP_and, IR_I32, lane, word(x, 3));
    struct ir_value *a[2][MAX_K], *b[2][MAX_K];
    for (unsigned other = 0; other < 4; other++) {
        struct ir_value *from = ir_build2(&x->b, IR_OP_or, IR_I32, quad, word(x, other));
        for (unsigned r = 0; r < s->na; r++) {
            struct ir_value *v = from_lane(x, i->args[r], from);
            unsigned row = halves == 2 ? r % 2 : 0, block = halves == 2 ? r / 2 : r;
            for (unsigned j = 0; j < e; j++)
                a[row][other * e + j + 4 * e * block] = element(x, v, j);
        }
        for (unsigned column = 0; column < 2; column++) {
            from = ir_build2(&x->b, IR_OP_shl, IR_I32, t, word(x, 3));
            from = ir_build2(&x->b, IR_OP_or, IR_I32, from, word(x, 4 * column + other));
            for (unsigned r = 0; r < s->nb; r++) {
                struct ir_value *v = from_lane(x, i->args[s->na + r], from);
                for (unsigned j = 0; j < e; j++)
                    b[column][other * e + j + 4 * e * r] = element(x, v, j);
            }
        }
    }
    for (unsigned n = 0; n < s->nc; n++) {
        struct ir_value *c = i->args[s->na + s->nb + n], *out = NULL;
        for (unsigned h = 0; h < (half_sums ? 2u : 1u); h++) {
            unsigned row = half_sums ? n : n / 2, column = half_sums ? h : n % 2;
            struct ir_value *sum = c;
            if (half_sums) {
                sum = ir_build2(&x->b, IR_OP_lshr, IR_I32, c, word(x, 16 * h));
                sum = ir_build1(&x->b, IR_OP_trunc, IR_I16, sum);
                sum = ir_build1(&x->b, IR_OP_bitcast, IR_F16, sum);
                sum = ir_build1(&x->b, IR_OP_fcvt, IR_F32, sum);
            }
            for (unsigned k = 0; k < s->k; k++)
                sum = times_plus(x, a[row][k], b[column][k], sum);
            if (half_sums && h)
                out = ir_build2(&x->b, IR_OP_or, IR_I32, out,
                                ir_build2(&x->b, IR_OP_shl, IR_I32, narrow(x, sum), word(x, 16)));
            else
                out = half_sums ? narrow(x, sum) : sum;
        }
        i->results[n].forward = out;
    }
}

bool lower_matrices(struct ir_func *f, uint32_t kept)
{
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_mma || kept >> i->imm & 1)
                continue;
            const struct shape *s = &shapes[i->imm];
            struct matrix x = {.b = ir_builder_before(i), .m = f->module, .s = s};
            x.b.span = i->span;
            x.packed = s->in <= IN_BF16 ? 2 : s->in == IN_S8 || s->in == IN_U8 ? 4 : 1;
            x.type = s->acc == IN_F64 ? IR_F64 : s->acc == IN_S32 ? IR_I32 : IR_F32;
            expand(&x, i);
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}
