/* The C names for asynchronous copies. */
#pragma once
#include "cuda_runtime.h"
#ifdef __TERN_DEVICE__
__TERN_FN void __pipeline_memcpy_async(void *to, const void *from, size_t n, size_t zfill = 0)
{
    unsigned read = (unsigned)(n - zfill);
    if (n == 16)
        __tern_cpasync(to, from, 16, read);
    else if (n == 8)
        __tern_cpasync(to, from, 8, read);
    else
        __tern_cpasync(to, from, 4, read);
}
__TERN_FN void __pipeline_commit() { __tern_cpasync_commit(); }
/* A constant chooses among these; waiting for more than asked is always right. */
__TERN_FN void __pipeline_wait_prior(size_t n)
{
    switch (n) {
    case 0: __tern_cpasync_wait(0); break;
    case 1: __tern_cpasync_wait(1); break;
    case 2: __tern_cpasync_wait(2); break;
    default: __tern_cpasync_wait(0); break;
    }
}
#endif
