/* The host half of a CUDA source: preprocessed C++ in, plain C++ out.
 *
 * The system's preprocessor has run already, with the markers (__global__, __device__, …) left as
 * they are. What changes in the text: k<<<grid, block, shared, stream>>>(args)  a call that first
 * sets the launch configuration
 *   __global__ functions                      their bodies become stubs that launch
 *   __device__ functions                      lose their bodies (the device half has them)
 *   __device__, __constant__, __managed__     variables keep a host shadow, which is registered by
 * name markers                                   are taken out Lines stay where they were, so that
 * the host compiler's diagnostics and debug information are right. This reads tokens and balances
 * brackets; it does not understand C++ beyond that. */
#ifndef FRONT_CUDA_HOST_H
#define FRONT_CUDA_HOST_H

#include "base/base.h"

/* Of a variable that host code assigns to: -Whost-write. */
#define HOST_WRITE                                                                                 \
    "'%s' is the device's: this writes the host's copy, which no kernel sees; "                    \
    "cudaMemcpyToSymbol writes the variable"

enum { HOST_MOST_SHAPES = 16 };
struct host_result {
    unsigned kernels, launches, variables;
    /* Blocks that launches write as numbers; other_shapes: there are launches that do not. */
    unsigned shapes[HOST_MOST_SHAPES][3], nshapes;
    bool other_shapes;
    bool has_main;
    bool has_closures;     /* classes whose call says auto of what it returns, as from C++14 on */
    bool sees_objects;     /* a closure outside a class reads what may be private to it */
    bool aliases_own_name; /* using X = X<T>; in a class: for gcc one name with two meanings */
};

/* False: the text could not be balanced, or calls what only the device has; a diagnostic says
 * where. path names it there. linked: device variables are the whole program's (-rdc=true), not the
 * file's. */
bool host_split(struct arena *a, struct source_map *sm, struct diag *d, const char *path,
                const char *text, size_t len, bool linked, struct sbuf *out,
                struct host_result *result);

/* No more than classes for the closures that host functions write for the device: the device half's
 * share of it, or (not `device`) that of a host half which our own compiler takes. */
bool host_hoist(struct arena *a, struct source_map *sm, struct diag *d, const char *path,
                const char *text, size_t len, bool device, struct sbuf *out);
/* Does the text look as if it had some? */
bool host_has_closures(const char *text);

#endif
