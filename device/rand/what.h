/* What numbers are made into: for kernels and for the host side. */
#ifndef DEVICE_RAND_WHAT_H
#define DEVICE_RAND_WHAT_H
enum rand_what {
    RAND_WORDS,
    RAND_UNIFORM,
    RAND_UNIFORM_DOUBLE,
    RAND_NORMAL,
    RAND_NORMAL_DOUBLE,
    RAND_LOG_NORMAL,
    RAND_LOG_NORMAL_DOUBLE,
    RAND_POISSON,
    RAND_LONGS /* words of 64 bits: of quasi-random generators only */
};
#endif
