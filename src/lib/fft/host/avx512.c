/* Vectors of 64 bytes. */
#include "lib/fft/host/host.h"

#if defined(__x86_64__)
static bool works(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma");
}

#define TARGET     __attribute__((target("avx512f,avx512dq,fma")))
#define S          float
#define LANES      16
#define NAME(name) name##_f32
#include "lib/fft/host/lines.inc"
#undef S
#undef LANES
#undef NAME
#define S          double
#define LANES      8
#define NAME(name) name##_f64
#include "lib/fft/host/lines.inc"

const struct host_vectors fft_host_avx512 = {works, 64, lines_f32, lines_f64};
#endif
