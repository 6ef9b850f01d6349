/* Inlining zeroes the callee's variables where the call can run more than once. What the source
 * does not set needs none of it; until variables have become registers it is kept, as what they
 * hold would be carried from call to call without it. */
#include "opt/opt_int.h"

void opt_unset(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_memset && i->flags & IR_UNSET)
                ir_remove(i);
}
