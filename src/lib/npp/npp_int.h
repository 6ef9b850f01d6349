/* NPP on every device, the part that programs call.
 *
 * state.c     the stream that calls without a context run in; facts of the device; memory
 * each.c      element by element: arithmetic, logic, thresholds, comparisons, copies, conversions
 * window.c    filters
 * warp.c      resizing, rotating, warping
 * measure.c   colours, sums, extremes, histograms
 * edge.c      gradients, Canny's edges
 * region.c    labels of connected pixels, distances to sites
 * signal.c    signals: images of one row
 *
 * npp.def has the functions, tool/libapi makes them; each calls one of those in build/gen/lib_npp.h
 * with what kind of image it is. Kernels: device/npp/image.h, edges.h, regions.h. */
#ifndef LIB_NPP_NPP_INT_H
#define LIB_NPP_NPP_INT_H

#include "lib/lib.h"
#include "cuda/npp.h"
#include "device/npp/shared.h"

/* NPP_TYPES(X): X(name, in C++, bytes) */
#define NPP_TYPES(X)                                                                               \
    X(8u, "unsigned char", 1)                                                                      \
    X(8s, "signed char", 1)                                                                        \
    X(16u, "unsigned short", 2)                                                                    \
    X(16s, "short", 2)                                                                             \
    X(32u, "unsigned", 4)                                                                          \
    X(32s, "int", 4)                                                                               \
    X(32f, "float", 4)                                                                             \
    X(64f, "double", 8)
enum npp_type {
#define X(name, text, bytes) NPP_##name,
    NPP_TYPES(X)
#undef X
        NPP_NTYPES
};
extern const char *const npp_names[NPP_NTYPES];
extern const int npp_bytes[NPP_NTYPES];

/* What a function's name says, and its stream. */
struct npp_call {
    enum npp_type from, to;
    int channels;
    int alpha; /* of four channels, three count */
    cudaStream_t stream;
};
#include "lib_npp.h"

/* ---- state.c ---- */
NppStreamContext npp_context(void); /* of calls without one */
NppStatus npp_status(enum tern_error e);
/* A kernel of device/npp/image.h for a type, or two, a thread for each of n. */
NppStatus npp_run(const struct npp_call *call, const char *kernel, bool both, int64_t n,
                  void *const *args);
/* Of another header; and by its name as it is. */
NppStatus npp_run_from(const struct npp_call *call, const char *header, const char *kernel,
                       bool both, int64_t n, void *const *args);
NppStatus npp_run_plain(const struct npp_call *call, const char *header, const char *kernel,
                        int64_t n, void *const *args);

/* ---- each.c ---- */
/* Sizes, pointers and steps that no image has are refused. NPP_NO_OPERATION_WARNING: nothing to do.
 */
NppStatus npp_check(const void *a, int a_step, const void *b, int b_step, NppiSize size);
struct npp_shape npp_shape_of(const struct npp_call *call, NppiSize size);
struct npp_values npp_values_of(const struct npp_call *call, enum npp_type type, const void *k);
/* ---- region.c ---- */
/* Of functions that ask for an int. */
NppStatus npp_small_buffer(NppiSize size, int *bytes);

static inline int64_t npp_count(const struct npp_shape *s)
{
    return (int64_t)s->width * s->height * s->channels;
}

#endif
