/* How NCCL's operations cut up their data: what the code and its model (tern model) agree on. */
#ifndef TERN_LIB_NCCL_SIZES_H
#define TERN_LIB_NCCL_SIZES_H

#include <stddef.h>

enum {
    NCCL_RING_LITTLE = 32 << 10, /* bytes up to which trees are used instead of rings */
    NCCL_PIECE = 64 << 10,       /* of a message */
    NCCL_NEAR_LITTLE =
        8 << 10, /* bytes that each rank of a machine sums for itself: one wait less */
};

/* Of a slab; each rank has two. Large ones: ranks wait for each other less often. */
static inline size_t nccl_slab_bytes(int ranks)
{
    return ranks <= 8 ? 1 << 20 : ranks <= 16 ? 512 << 10 : 256 << 10;
}

#endif
