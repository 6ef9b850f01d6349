/* Repeats the bodies of counting loops, and tidies what that uncovers: addresses that differ by
 * constants, loads of neighbours. */
#include "lower/lower.h"
#include "opt/opt.h"

void lower_unroll(struct arena *scratch, struct ir_func *f)
{
    static void (*const passes[])(struct arena *, struct ir_func *) = {
        opt_cfg,  opt_simplify, opt_gvn,      opt_simplify, opt_forward,
        opt_licm, opt_gvn,      opt_simplify, opt_gvn,      opt_dce,
    };
    opt_stride(scratch, f);
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++)
        passes[k](scratch, f);
}
