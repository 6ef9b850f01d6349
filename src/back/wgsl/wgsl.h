/* What is told to the WGSL target. How its output is launched is in doc/wgsl-abi.md, and in the
 * first line of the output, for each kernel. */
#ifndef BACK_WGSL_WGSL_H
#define BACK_WGSL_WGSL_H

#include <stdbool.h>
#include <stdint.h>

enum { WGSL_MOST_POINTERS = 16 };

struct wgsl_options {
    uint32_t block[3];                    /* threads of a block; 0: specialisable */
    uint32_t dynamic_shared;              /* bytes by default */
    uint8_t bindings[WGSL_MOST_POINTERS]; /* of each pointer parameter in turn; the first 0: one
                                             heap */
    bool f16;                             /* the device has shader-f16 */
    bool checked;                         /* accesses to global memory are looked up first */
    uint32_t subgroups; /* of so many threads in order of their index, in a block as `block` says
                           and a grid of less than 2^31 threads; 0: none */
    uint32_t budget;    /* iterations that the loops of a thread may take in all, a 64th of it for
                           loops    with barriers; 0: no limit */
};

#endif
