/* cuRAND's host API.
 *
 * host.c    generators, what is made of their numbers, and where: kernels or the host
 * philox.c  Philox on the CPU: several sequences side by side, in vectors
 * mtgp.c    MTGP32
 * sobol.c   quasi-random points; sobol.def: direction numbers
 * state.c   tables that programs are given */
#ifndef LIB_RAND_RAND_INT_H
#define LIB_RAND_RAND_INT_H

#include <stdbool.h>
#include "device/rand/dist.h"
#undef __TERN_FN /* the headers for programs have their own */
#include "lib/lib.h"
#include "cuda/curand.h"
#include "device/rand/what.h"

struct philox_call {
    struct __tern_philox *states;
    unsigned sequences, tasks;
    unsigned long long next, items; /* as rand_generate has them */
    void *out;
    bool uniform; /* floats; else words */
};
/* In the order of the stream, on several cores. */
enum tern_error rand_philox(const struct lib_device *d, cudaStream_t stream, struct philox_call *c);

/* ---- MTGP32 ---- */
enum { RAND_MTGP_SETS = 64, RAND_MTGP_ROW = 256, RAND_MTGP_RING = 1024 };
struct rand_mtgp {
    unsigned s[RAND_MTGP_RING], at, set;
};
void rand_mtgp_start(struct rand_mtgp *m, unsigned set, unsigned long long seed);
unsigned rand_mtgp_next(struct rand_mtgp *m);
unsigned rand_mtgp_poisson(struct rand_mtgp *m, double mean);

/* ---- quasi-random ---- */
enum { RAND_DIMENSIONS = 1024 }; /* that the table has */
struct rand_quasi {
    unsigned bits; /* of a word; 0: the generator is another one */
    bool scrambled;
    unsigned dimensions;
    unsigned long long at; /* the next point's number */
    void *directions;      /* for each dimension, and the word that its points are moved by */
    void *there;           /* the same on the device */
};
curandStatus_t rand_quasi(struct rand_quasi *q, bool host, cudaStream_t stream, void *out, size_t n,
                          enum rand_what what, double a, double b);
void rand_quasi_forget(struct rand_quasi *q);
/* Direction numbers of all dimensions, and the words that scrambled points are moved by. */
void *rand_directions(unsigned bits, bool mixed);
void *rand_constants(unsigned bits);

#endif
