// The sums of products on Hopper's matrix instructions stay in registers: nothing of the kernel lies in local memory.
// RUN: tern compile %s -I ../.. --to ptx -arch sm_90a --name "mapped_product<__half, __half, __half, float, 256, 4, true, true>" | grep -c "local"
// RUN: tern compile %s -I ../.. --to ptx -arch sm_90a --name "mapped_product<__half, __half, __half, float, 128, 6, false, true, false, 5, 0, true>" | grep -c "local"
#include "device/blas/mapped.h"
