// RUN: tern compile %s -I front/other --to ir 2>&1 | grep -E "error|ret|store"
// RUN: tern compile %s -I front/other -DMISSING --to ir 2>&1 | grep -E "error"
// A library of -I takes the place of ours: what it does not have is not mixed in.
#include <cub/there.cuh>
#ifdef MISSING
#include <cub/missing.cuh>
#include <cub/block/block_reduce.cuh>
#endif
__global__ void k(int *p) { p[0] = cub::which(); }
