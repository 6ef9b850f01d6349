/* Counters of what kernels do, for the interpreter, which counts, and the profiler, which shows. */
#ifndef BASE_COUNTERS_H
#define BASE_COUNTERS_H

#include <stdint.h>

enum counter {
#define COUNTER(name, key, about) COUNT_##name,
#include "base/counters.def"
    NCOUNTERS
};
struct counts {
    uint64_t n[NCOUNTERS];
};

#endif
