/* Neural operations on every device, and cuDNN's API on top of them.
 *
 * terndnn.def     Tern's own API; cudnn.def: cuDNN's
 * state.c         handles of terndnn, and what a handle of either is
 * core.c          kernels by name, products of our cuBLAS, elements, reductions
 * windows.c       pooling and convolutions, over any strides
 * implicit.c      convolutions on Hopper's matrix instructions
 * flash.c         attention on matrix instructions
 * host.c          columns of convolutions, on the CPU
 * own_each.c      terndnn: elements, softmax, losses
 * own_layer.c     terndnn: normalisation, windows, embeddings, dropout
 * own_attend.c    terndnn: attention, optimisers, quantised weights
 * plan.c          tern/plan.h: operations as calls of tern.h
 * cudnn_int.h     descriptors of cuDNN
 * cudnn_tensor.c  cuDNN: handles, tensors, element by element, reductions
 * cudnn_layer.c   cuDNN: activations, softmax, pooling, local response, dropout
 * cudnn_norm.c    cuDNN: batch normalisation
 * cudnn_conv.c    cuDNN: convolutions
 * cudnn_rnn.c     cuDNN: recurrent networks
 * cudnn_special.c cuDNN: spatial transformers, temporal classification
 *
 * The core speaks enum tern_error; each API has its own statuses. Kernels are in device/dnn. */
#ifndef LIB_DNN_DNN_INT_H
#define LIB_DNN_DNN_INT_H

#include "lib/lib.h"
#include "cuda/cublas_v2.h"
#include "cuda/terndnn.h"
#include "device/dnn/shared.h"

/* What a handle of either API is. */
struct dnn {
    struct lib_device device;
    cudaStream_t stream;
    cublasHandle_t blas;
};
enum tern_error dnn_begin(struct dnn *d);
void dnn_end(struct dnn *d);
void dnn_stream(struct dnn *d, cudaStream_t stream);

struct terndnnContext {
    uint32_t magic;
    struct dnn d;
};
bool dnn_entered(terndnnHandle_t h);
/* A handle for plan.c, which has no products of cuBLAS. */
void dnn_open(struct terndnnContext *h, tern_device *d, struct lib_plan *plan);
terndnnStatus_t dnn_status(enum tern_error e);
/* The types that elements may have; false: another. */
bool dnn_type(cudaDataType type, enum lib_type *out);

/* What a wrong call of terndnn is answered with, before anything is done. `type` becomes t. */
#define DNN_CALL(handle, type, t, arguments_are_right)                                             \
    enum lib_type t;                                                                               \
    do {                                                                                           \
        if (!dnn_entered(handle))                                                                  \
            return TERNDNN_STATUS_NOT_INITIALIZED;                                                 \
        if (!dnn_type(type, &(t)))                                                                 \
            return TERNDNN_STATUS_NOT_SUPPORTED;                                                   \
        if (!(arguments_are_right))                                                                \
            return TERNDNN_STATUS_INVALID_VALUE;                                                   \
    } while (0)

/* ---- core.c ---- */
/* The kernel that `format` names, of device/dnn/HEADER. */
enum tern_error dnn_run(const struct dnn *d, const char *header, tern_dim grid, uint32_t shared,
                        void *const *args, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* How threads hold lines of `length` elements that lie together, for device/dnn/lines.h: false
 * where they cannot or it is not faster. most: chunks of 16 bytes that a thread may have. */
struct dnn_line {
    int width, chunks; /* threads of a line; chunks of each */
    tern_dim grid, block;
};
bool dnn_line(const struct dnn *d, enum lib_type t, int64_t lines, int64_t length, int most,
              struct dnn_line *out);
bool dnn_aligned(int n, const void *const *pointers); /* all at multiples of 16 bytes, or NULL */
enum tern_error dnn_run_lines(const struct dnn *d, const struct dnn_line *l, void *const *args,
                              const char *name, enum lib_type t, int flag);
const char *dnn_name(enum lib_type t); /* in kernels */
const char *dnn_wide(enum lib_type t); /* what it is computed with */
size_t dnn_wide_bytes(enum lib_type t);
tern_dim dnn_grid(int64_t places); /* a thread for each */
tern_dim dnn_warps(int64_t lines); /* a warp for each */
tern_dim dnn_blocks(int64_t sets); /* a block for each */
/* C[m, n] = alpha op(A) op(B) + beta C by rows, for each of `batch` with these steps. */
struct dnn_product {
    bool ta, tb;
    int64_t m, n, k, lda, ldb, ldc, a_step, b_step, c_step, batch;
    double alpha, beta;
};
enum tern_error dnn_multiply(const struct dnn *d, enum lib_type t, const struct dnn_product *p,
                             const void *a, const void *b, void *c);
/* `function`, a struct of each.h with A for the type it is computed with; in: of the inputs' type.
 */
enum tern_error dnn_each_of(const struct dnn *d, enum lib_type out, enum lib_type in,
                            struct dnn_each *e, const char *shell, const char *function);
/* A row of n elements without gaps. */
struct dnn_each dnn_row(int64_t n);
enum tern_error dnn_reduce_of(const struct dnn *d, enum lib_type t, const struct dnn_reduce *r,
                              const char *name);
/* Along the axis of [outer, axis, inner]. */
struct dnn_reduce dnn_along(int64_t outer, int64_t axis, int64_t inner);

/* ---- windows.c ---- */
enum tern_error dnn_pool(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                         const void *x, const void *dy, void *result); /* dy: the way back */
enum dnn_conv { DNN_FORWARD, DNN_DATA, DNN_FILTER };
/* x, f, y: the two that are read and the one that is written, by what. scratch: of dnn_conv_bytes,
 * or NULL: the stream's. */
enum tern_error dnn_convolve(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                             const struct dnn_window *w, bool product, void *x, void *f, void *y,
                             void *scratch);
/* Can it be done as products, and what memory do they take? */
bool dnn_conv_fits(const struct dnn_window *w);
size_t dnn_conv_bytes(enum lib_type t, enum dnn_conv what, const struct dnn_window *w);
/* Is a product expected to be faster than by index? */
bool dnn_conv_better(const struct dnn_window *w);
/* ---- implicit.c ---- */
bool dnn_implicit_fits(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                       const struct dnn_window *w);
enum tern_error dnn_implicit(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                             const struct dnn_window *w, void *x, void *f, void *y);
/* ---- flash.c ---- */
bool dnn_flash_fits(const struct dnn *d, enum lib_type t, const struct dnn_attention *a,
                    const void *q, const void *k, const void *v, const void *o);
enum tern_error dnn_flash_forward(const struct dnn *d, enum lib_type t, struct dnn_attention *a,
                                  const void *q, const void *k, const void *v, void *o, void *sums);
struct dnn_slopes { /* what the way back of attention reads and writes */
    const void *q, *k, *v, *o, *log_sums, *dout;
    void *dq, *dk, *dv;
};
enum tern_error dnn_flash_backward(const struct dnn *d, enum lib_type t, struct dnn_attention *a,
                                   struct dnn_slopes *g);
/* ---- host.c: on devices whose memory C functions can read; x and dx are packed ---- */
enum tern_error dnn_host_columns(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                                 int64_t images, const void *x, void *to);
enum tern_error dnn_host_gather(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                                int64_t images, const void *from, void *dx);
void dnn_packed(const int64_t *dim, long long *step, int n); /* steps without gaps */

#endif
