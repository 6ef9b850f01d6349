// RUN: tern compile %s --to ir -DTWO=2 -D THREE -I front/include -include one.h | grep ret
// RUN: tern compile %s --to ir -DTWO=2 -DGONE -UGONE -DTHREE -Ifront/include | grep ret
// RUN: tern compile %s --to ir -DTHREE -Ifront/include
// RUN: tern compile %s --to ir -DTWO=2 -DTHREE 2>&1 | grep error:
// RUN: tern compile %s --to ir -DTWO=2 -DTHREE -DGONE -Ifront/include 2>&1 | grep error:
// RUN: tern compile %s --to ir -DTWO=2 -DTHREE -Ifront/include -include none.h 2>&1 | grep error:
// RUN: tern compile %s --to ir -DTWO=2 -DTHREE -DRENAME -Ifront/include 2>&1 | grep error:
// The switches of the preprocessor, and what is said when one is missing.
#include "one.h"
#include <one.h>
#if ONE != 1 || THREE != 1 || defined(GONE)
#error "the switches are not what they should be"
#endif
#if CUDART_VERSION < 11000 || __CUDA_ARCH__ != 800 || !defined __CUDACC__
#error "not the macros of a CUDA compiler"
#endif
__device__ int two() { return TWO; }
__global__ void k(int *p)
{
    p[0] = two();
#ifdef RENAME
#line 77 "another.cu"
    p[1] = unknown;
#endif
}
