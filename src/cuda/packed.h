/* How a program holds the device half of one of its files: packed, behind this head; or, in host
 * code that is to be read (terncc -cuda), as plain text. */
#ifndef CUDA_PACKED_H
#define CUDA_PACKED_H

#include <stdint.h>

#define PACKED_MAGIC "\0LZ" /* no text starts so; a block of LZ4 follows */

struct packed_head {
    char magic[4];
    uint32_t bytes; /* of the text */
};

#endif
