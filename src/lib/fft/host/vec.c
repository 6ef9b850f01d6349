/* Vectors of 16 bytes: every processor that we know has them, NEON and SSE2 among them. */
#include "lib/fft/host/host.h"

static bool works(void)
{
    return true;
}

#define TARGET
#define S          float
#define LANES      4
#define NAME(name) name##_f32
#include "lib/fft/host/lines.inc"
#undef S
#undef LANES
#undef NAME
#define S          double
#define LANES      2
#define NAME(name) name##_f64
#include "lib/fft/host/lines.inc"

const struct host_vectors fft_host_vec = {works, 16, lines_f32, lines_f64};
