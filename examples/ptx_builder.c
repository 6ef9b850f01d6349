/* Builds two kernels with the PTX builder and prints them:
 *
 *     cc -Iinclude examples/ptx_builder.c build/libtern.a -lm -lpthread -ldl -o ptx_builder
 *     ./ptx_builder > dot.ptx
 *
 * scale: y[i] = a * x[i] + y[i].  dot: the sum of x[i] * y[i], by warp shuffles and one atomic. */
#include <stdio.h>
#include "tern/ptx.h"

/* The thread's index in the grid, and a jump to `done` if it is not below n. */
static tern_ptx_reg index_below(tern_ptx *p, tern_ptx_reg n, tern_ptx_label done)
{
    tern_ptx_reg i = tern_ptx_op3(p, TERN_PTX_FMA, tern_ptx_special(p, "ctaid.x"),
                                  tern_ptx_special(p, "ntid.x"), tern_ptx_special(p, "tid.x"));
    tern_ptx_branch_if(p, tern_ptx_test(p, TERN_PTX_GE, i, n), done);
    return i;
}

static tern_ptx_reg element(tern_ptx *p, tern_ptx_reg base, tern_ptx_reg i)
{
    return tern_ptx_op2(p, TERN_PTX_ADD, base,
                        tern_ptx_op2(p, TERN_PTX_MUL_WIDE, i, tern_ptx_u32(p, 4)));
}

static void scale(tern_ptx *p)
{
    tern_ptx_kernel(p, "scale");
    tern_ptx_bounds(p, 256, 0);
    tern_ptx_reg n = tern_ptx_param(p, TERN_PTX_U32, "n");
    tern_ptx_reg a = tern_ptx_param(p, TERN_PTX_F32, "a");
    tern_ptx_reg x = tern_ptx_param(p, TERN_PTX_U64, "x");
    tern_ptx_reg y = tern_ptx_param(p, TERN_PTX_U64, "y");
    tern_ptx_label done = tern_ptx_new_label(p);
    tern_ptx_reg i = index_below(p, n, done);
    tern_ptx_reg at = element(p, y, i);
    tern_ptx_reg sum = tern_ptx_op3(
        p, TERN_PTX_FMA, a, tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, element(p, x, i), 0),
        tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, at, 0));
    tern_ptx_store(p, TERN_PTX_GLOBAL, at, 0, sum);
    tern_ptx_place(p, done);
    tern_ptx_end(p);
}

static void dot(tern_ptx *p)
{
    tern_ptx_kernel(p, "dot");
    tern_ptx_reg n = tern_ptx_param(p, TERN_PTX_U32, "n");
    tern_ptx_reg x = tern_ptx_param(p, TERN_PTX_U64, "x");
    tern_ptx_reg y = tern_ptx_param(p, TERN_PTX_U64, "y");
    tern_ptx_reg out = tern_ptx_param(p, TERN_PTX_U64, "out");
    tern_ptx_label idle = tern_ptx_new_label(p), done = tern_ptx_new_label(p);
    tern_ptx_reg sum = tern_ptx_f32(p, 0);
    tern_ptx_reg i = index_below(p, n, idle);
    tern_ptx_reg product = tern_ptx_op2(
        p, TERN_PTX_MUL, tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, element(p, x, i), 0),
        tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, element(p, y, i), 0));
    tern_ptx_assign(p, sum, product);
    tern_ptx_place(p, idle);
    for (uint32_t step = 16; step; step /= 2)
        tern_ptx_assign(
            p, sum,
            tern_ptx_op2(p, TERN_PTX_ADD, sum,
                         tern_ptx_shfl(p, TERN_PTX_BFLY, sum, tern_ptx_u32(p, step), 0xffffffff)));
    tern_ptx_reg first =
        tern_ptx_test(p, TERN_PTX_EQ, tern_ptx_special(p, "laneid"), tern_ptx_u32(p, 0));
    tern_ptx_branch_unless(p, first, done);
    tern_ptx_atomic_add(p, TERN_PTX_GLOBAL, out, 0, sum);
    tern_ptx_place(p, done);
    tern_ptx_end(p);
}

int main(void)
{
    tern_ptx *p = tern_ptx_new(80);
    if (!p)
        return 1;
    scale(p);
    dot(p);
    const char *text = tern_ptx_text(p);
    if (text)
        fputs(text, stdout);
    else
        fprintf(stderr, "%s\n", tern_ptx_error(p));
    tern_ptx_free(p);
    return text ? 0 : 1;
}
