/* What debuggers and profilers are told of an image of machine code: symbols, lines, variables, and
 * how callers are found. */
#ifndef BACK_CPU_DEBUG_H
#define BACK_CPU_DEBUG_H

#include "base/base.h"

struct cpu_debug; /* by cpu_image_emit, where it is asked for; lives as long as the job's arena */

/* An object file in memory that describes the image as loaded at `code`, with the module's
 * variables at `globals`. */
void cpu_debug_elf(const struct cpu_debug *d, uint64_t code, uint64_t globals, struct sbuf *out);

struct cpu_debug_function {
    const char *name; /* as a user would write it */
    uint32_t offset, bytes;
};
size_t cpu_debug_functions(const struct cpu_debug *d);
struct cpu_debug_function cpu_debug_function(const struct cpu_debug *d, size_t k);

struct cpu_debug_line {
    uint32_t offset;
    const char *path;
    uint32_t line, column;
};
/* Of one function, in order, where it has any. */
size_t cpu_debug_lines(const struct cpu_debug *d, size_t function, struct arena *a,
                       struct cpu_debug_line **out);

#endif
