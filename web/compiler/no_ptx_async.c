/* Nor is PTX with asynchronous work written there. */
#include "back/ptx/ptx_int.h"

bool ptx_async(struct ptx_func *e, struct ir_inst *i)
{
    (void)e, (void)i;
    return false;
}

void ptx_tie(struct ptx_func *e)
{
    (void)e;
}
