/* struct cpu_debug, for cpu_image.c, which fills it in, and cpu_debug.c, which reads it. */
#ifndef BACK_CPU_DEBUG_INT_H
#define BACK_CPU_DEBUG_INT_H

#include "mach/mach.h"

struct cpu_debug {
    const struct ir_module *module;
    const struct mach_image *image; /* linked; symbols' users are struct ir_func, or NULL */
    const struct mach_target *machine;
    const struct map *shared_offset, *global_offset; /* ir_global → offset */
};

#endif
