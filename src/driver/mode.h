/* How code is compiled, whoever asks for it: the command line, an API, a program's own flags. One
 * struct that all of them pass on whole, so that none forgets a member. All zero is what nvcc does
 * without options. */
#ifndef DRIVER_MODE_H
#define DRIVER_MODE_H

#include <stdbool.h>

struct compile_mode {
    unsigned arch;  /* what __CUDA_ARCH__ says; 0: 800 */
    bool no_fmad;   /* a*b+c stays two operations; CUDA's default is one */
    bool fast_math; /* quick functions, approximate division and square root of f32 */
    bool fast_f64;  /* f64 as pairs of floats */
    bool lines;     /* -lineinfo: debuggers and profilers are told of lines */
    bool steps;     /* -G: code to be stepped through, with every variable in memory */
};

#endif
