/* Fast math: division and square root of f32 need not be exact.
 *
 * What the program writes as x / y and sqrtf(x) is marked; what it asks for by name (__fdiv_rn,
 * __fsqrt_rn) and what the device library computes stays as it is: those names begin with "__". */
#include "opt/opt_int.h"

#include <string.h>

static bool exempt(const struct ir_func *f)
{
    const char *name = f->name;
    if (strncmp(name, "_Z", 2) == 0)
        name += 2 + strspn(name + 2, "0123456789");
    return strncmp(name, "__", 2) == 0;
}

void opt_fast_math(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    if (exempt(f))
        return;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if ((i->op == IR_OP_fdiv || i->op == IR_OP_fsqrt) && i->type == IR_F32 &&
                !(i->flags & IR_ROUND_MASK))
                i->flags |= IR_FAST;
}
