/* The loops of singular.inc for each instruction set. */
#include "lib/solver/host/singular.h"

#define LOOP(name) name##_plain
#define TARGET
#include "lib/solver/host/singular.inc"

#if defined(__x86_64__)
#define LOOP(name) name##_avx2
#define TARGET     __attribute__((target("avx2,fma")))
#include "lib/solver/host/singular.inc"

#define LOOP(name) name##_avx512
#define TARGET     __attribute__((target("avx512f,avx2,fma")))
#include "lib/solver/host/singular.inc"

const struct loops *host_loops(void)
{
    return __builtin_cpu_supports("avx512f")                                 ? &loops_avx512
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &loops_avx2
                                                                             : &loops_plain;
}
#else
const struct loops *host_loops(void)
{
    return &loops_plain;
}
#endif
