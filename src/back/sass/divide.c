/* Quotients and square roots of f32 as IEEE 754 has them: a short way for ordinary numbers, in
 * line, and one for all numbers, in f64, which lies behind the kernel's other code.
 *
 * All lanes that run together take the long way if one of them must: nobody parts. What the short
 * way is right for is the hardware's to say for quotients (FCHK); a root's number must be large
 * enough for the square's rest to be exact. In f64 the quotient of two f32 has more than twice
 * their digits, and so has a root: rounding it once more does no harm. */
#include "back/sass/sass_int.h"

enum { ONE = 0x3f800000, HALF = 0x3f000000, INFINITE = 0x7f800000, NOT_A_NUMBER = 0x7fc00000 };
enum { ONE_64 = 0x3ff00000, HALF_64 = 0x3fe00000 }; /* upper halves */

static struct sass_inst *last(struct sass_func *s)
{
    return &vec_last(&s->blocks.data[s->current].code);
}

static struct sass_src minus(struct sass_src x)
{
    x.neg = !x.neg;
    return x;
}

/* ---- f32 ---- */
static struct sass_src fused(struct sass_func *s, struct sass_src a, struct sass_src b,
                             struct sass_src c)
{
    uint32_t r = sass_new(s, 1);
    sass_op3(s, OP_FFMA, r, 0, a, b, c);
    return sass_reg(r, 0);
}

static struct sass_src product(struct sass_func *s, struct sass_src a, struct sass_src b)
{
    uint32_t r = sass_new(s, 1);
    sass_op2(s, OP_FMUL, r, 0, a, b);
    return sass_reg(r, 0);
}

static struct sass_src function(struct sass_func *s, enum sass_mufu what, struct sass_src x)
{
    uint32_t r = sass_new(s, 1);
    sass_op1(s, OP_MUFU, r, 0, x);
    sass_mod(s, MOD_FUNC, what);
    return sass_reg(r, 0);
}

static struct sass_pred compared(struct sass_func *s, unsigned cmp, struct sass_src a,
                                 struct sass_src b)
{
    uint32_t p = sass_new(s, 0);
    sass_op2(s, OP_FSETP, SASS_NONE, 0, a, b);
    last(s)->pd = p;
    sass_mod(s, MOD_CMP, cmp);
    return (struct sass_pred){p, false};
}

static struct sass_src size_of(struct sass_src x)
{
    x.abs = true;
    return x;
}

/* ---- f64 ---- */
static struct sass_src both(uint32_t r)
{
    struct sass_src x = sass_reg(r, 0);
    x.parts = 2;
    return x;
}

static struct sass_src fused64(struct sass_func *s, struct sass_src a, struct sass_src b,
                               struct sass_src c)
{
    uint32_t r = sass_new(s, 2);
    sass_op3(s, OP_DFMA, r, 0, a, b, c);
    last(s)->d_parts = 2;
    return both(r);
}

static struct sass_src product64(struct sass_func *s, struct sass_src a, struct sass_src b)
{
    uint32_t r = sass_new(s, 2);
    sass_op2(s, OP_DMUL, r, 0, a, b);
    last(s)->d_parts = 2;
    return both(r);
}

static struct sass_src widened(struct sass_func *s, struct sass_src x)
{
    uint32_t r = sass_new(s, 2);
    sass_op1(s, OP_F2F_64, r, 0, x);
    sass_mod(s, MOD_DST, 3);
    sass_mod(s, MOD_SRC, 2);
    last(s)->d_parts = 2;
    return both(r);
}

static struct sass_src narrowed(struct sass_func *s, struct sass_src x)
{
    uint32_t r = sass_new(s, 1);
    sass_op1(s, OP_F2F_64, r, 0, x);
    sass_mod(s, MOD_DST, 2);
    sass_mod(s, MOD_SRC, 3);
    return sass_reg(r, 0);
}

static struct sass_src seed64(struct sass_func *s, enum sass_mufu what, struct sass_src x)
{
    uint32_t r = sass_new(s, 2);
    struct sass_src high = function(s, what, sass_half(x, 1));
    sass_move(s, r, 0, sass_zero());
    sass_move(s, r, 1, high);
    return both(r);
}

/* ---- the two ways ---- */
/* From here on: the long way, which any lane that says `slow` asks for. Gives where they meet. */
static uint32_t begin_aside(struct sass_func *s, uint32_t any)
{
    uint32_t aside = sass_block_new(s), on = sass_block_new(s);
    sass_branch(s, (struct sass_pred){any, false}, aside, on);
    sass_begin_aside(s, aside);
    return on;
}

static void end_aside(struct sass_func *s, uint32_t on)
{
    sass_goto(s, on);
    sass_begin(s, on);
}

static uint32_t any_lane(struct sass_func *s, struct sass_pred p)
{
    uint32_t any = sass_new(s, 0);
    struct sass_inst *i = sass_put(s, OP_VOTE);
    i->pd = any;
    i->p = p;
    i->mods[MOD_MODE] = 1;
    return any;
}

static void slow_quotient(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b)
{
    struct sass_src x = widened(s, a), y = widened(s, b), r = seed64(s, MUFU_RCP64H, y);
    for (unsigned k = 0; k < 2; k++)
        r = fused64(s, r, fused64(s, y, minus(r), sass_imm(ONE_64)), r);
    struct sass_src q = product64(s, x, r);
    q = narrowed(s, fused64(s, fused64(s, y, minus(q), x), r, q));
    /* Zeros, infinities and NaN. A zero over a number keeps both signs; of the others the product
     * with an approximate inverse is right. */
    struct sass_src zero = sass_zero(), signs = sass_reg(sass_new(s, 1), 0);
    sass_logic(s, signs.value, 0, a, b, sass_zero(), LUT_XOR);
    uint32_t sign = sass_new(s, 1), inverse = sass_new(s, 1), t = sass_new(s, 1);
    sass_logic(s, sign, 0, signs, sass_imm(0x80000000), sass_zero(), LUT_AND);
    sass_reciprocal(s, inverse, b);
    struct sass_src other = product(s, a, sass_reg(inverse, 0));
    struct sass_pred nothing = compared(s, CMP_EQ, a, zero);
    sass_choose(s, t, 0, nothing, sass_reg(sign, 0), q);
    struct sass_pred no_divisor = compared(s, CMP_EQ + CMP_U, b, zero);
    struct sass_pred vast_a = compared(s, CMP_GE + CMP_U, size_of(a), sass_imm(INFINITE));
    struct sass_pred vast_b = compared(s, CMP_GE + CMP_U, size_of(b), sass_imm(INFINITE));
    struct sass_pred special = sass_plogic(s, LUT_OR, no_divisor, vast_a);
    special = sass_plogic(s, LUT_OR, special, vast_b);
    sass_choose(s, d, 0, special, other, sass_reg(t, 0));
}

void sass_quotient(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b)
{
    struct sass_src r = function(s, MUFU_RCP, b);
    struct sass_pred hard = {sass_new(s, 0), false};
    sass_op2(s, OP_FCHK, SASS_NONE, 0, a, b);
    last(s)->pd = hard.reg;
    struct sass_src e = fused(s, minus(b), r, sass_imm(ONE));
    uint32_t any = any_lane(s, hard);
    r = fused(s, r, e, r);
    struct sass_src q = fused(s, a, r, sass_zero());
    sass_op3(s, OP_FFMA, d, 0, r, fused(s, minus(b), q, a), q);
    uint32_t on = begin_aside(s, any);
    slow_quotient(s, d, a, b);
    end_aside(s, on);
}

static void slow_root(struct sass_func *s, uint32_t d, struct sass_src a)
{
    struct sass_src x = widened(s, a), y = seed64(s, MUFU_RSQ64H, x), half = sass_imm(HALF_64);
    for (unsigned k = 0; k < 2; k++) { /* y + y/2 (1 - x y y) */
        struct sass_src e = fused64(s, product64(s, x, y), minus(y), sass_imm(ONE_64));
        y = fused64(s, product64(s, y, half), e, y);
    }
    struct sass_src root = product64(s, x, y);
    struct sass_src rest = fused64(s, root, minus(root), x);
    root = narrowed(s, fused64(s, rest, product64(s, y, half), root));
    /* a zero, infinity or NaN is its own root; a number below zero has none */
    struct sass_pred below = compared(s, CMP_LT, a, sass_zero());
    struct sass_pred zero = compared(s, CMP_EQ, a, sass_zero());
    struct sass_pred vast = compared(s, CMP_GE + CMP_U, a, sass_imm(INFINITE));
    struct sass_pred own = sass_plogic(s, LUT_OR, zero, vast);
    uint32_t t = sass_new(s, 1);
    sass_choose(s, t, 0, own, a, root);
    sass_choose(s, d, 0, below, sass_in_reg(s, sass_imm(NOT_A_NUMBER)), sass_reg(t, 0));
}

void sass_root(struct sass_func *s, uint32_t d, struct sass_src a)
{
    enum { LEAST = 0x0d000000, MANY = 0x727fffff }; /* 2^-101, and as far as there are numbers */
    uint32_t over = sass_new(s, 1);
    struct sass_src y = function(s, MUFU_RSQ, a);
    sass_add(s, over, 0, a, sass_imm(0u - LEAST));
    uint32_t any = any_lane(s, sass_compare(s, CMP_GT, false, sass_reg(over, 0), sass_imm(MANY)));
    struct sass_src root = product(s, a, y), half = product(s, y, sass_imm(HALF));
    sass_op3(s, OP_FFMA, d, 0, fused(s, minus(root), root, a), half, root);
    uint32_t on = begin_aside(s, any);
    slow_root(s, d, a);
    end_aside(s, on);
}
