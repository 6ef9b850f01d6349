/* What is told to the targets of NVIDIA's machine code, and what they tell of a kernel. */
#ifndef BACK_SASS_SASS_H
#define BACK_SASS_SASS_H

#include <stdbool.h>
#include <stdint.h>

struct sass_options {
    uint32_t arch; /* sm number, 90 or 900; 0: 90 */
    bool careful;  /* the longest waits everywhere: tells a wrong schedule from other mistakes */
};

struct sass_kernel {
    uint32_t registers; /* of a thread, as the cubin says */
    uint32_t instructions;
    uint32_t offset, bytes; /* of its code in the cubin */
};

/* Whether machine code is made for this processor, and whether such has run on one. */
bool sass_makes(uint32_t arch);
bool sass_knows(uint32_t arch);

#endif
