/* What is told to the targets of NVIDIA's machine code, and what they tell of a kernel. */
#ifndef BACK_SASS_SASS_H
#define BACK_SASS_SASS_H

#include <stdbool.h>
#include <stdint.h>

struct sass_options {
    uint32_t arch; /* sm number, 90 or 900; 0: 90 */
    bool careful;  /* the longest waits everywhere: tells a wrong schedule from other mistakes */
    bool hasty; /* somebody waits, and has another way: a kernel whose registers take long to find
                   is refused */
    bool slim;  /* see SASS_SLIM */
    uint32_t registers; /* of a thread, at most; 0: as many as there are */
    uint32_t stack;     /* bytes for functions that call themselves; 0: LOWER_STACK_BYTES */
    bool clusters;      /* launches make clusters of blocks, even if the kernel does not ask */
};

/* A kernel that takes so many registers that a block of the most threads does not fit, and says
 * nothing of its blocks, is there a second time, with fewer: its symbol has this behind it. */
#define SASS_SLIM "$slim"
enum { SASS_SLIM_REGISTERS = 64 }; /* what each of a block's 1024 threads may have */

struct sass_kernel {
    uint32_t registers; /* of a thread, as the cubin says */
    uint32_t instructions;
    uint32_t offset, bytes; /* of its code in the cubin */
    bool slim;              /* there is another, for large blocks */
};

/* Whether machine code is made for this processor, and whether such has run on one. */
bool sass_makes(uint32_t arch);
bool sass_knows(uint32_t arch);

#endif
