/* The order of instructions in a block. */
#include "mach/mach.h"

void mach_schedule(struct mach_func *f)
{
    (void)f;
}
