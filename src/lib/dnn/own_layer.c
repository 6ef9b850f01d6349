/* terndnn: normalisation, pooling, convolutions, embeddings and dropout. */
#include <string.h>
#include "lib/dnn/dnn_int.h"

/* ---- normalisation ---- */

static bool norm_of(const terndnnNorm_t *n, struct dnn_norm *out)
{
    if (!n || n->images < 0 || n->channels < 1 || n->places < 1 ||
        (unsigned)n->kind > TERNDNN_NORM_RMS)
        return false;
    if (n->images * n->places > INT32_MAX || n->channels * n->places > INT32_MAX)
        return false; /* kernels count the elements of a set with 32 bits */
    *out = (struct dnn_norm){.n = n->images,
                             .c = n->channels,
                             .s = n->places,
                             .n_step = n->channels * n->places,
                             .c_step = n->places,
                             .s_step = 1,
                             .rms = n->kind == TERNDNN_NORM_RMS,
                             .epsilon = n->epsilon,
                             .alpha = 1,
                             .param_alpha = 1};
    switch (n->kind) {
    case TERNDNN_NORM_BATCH: break;
    case TERNDNN_NORM_GROUP: out->groups = n->groups; break;
    case TERNDNN_NORM_INSTANCE: out->groups = n->channels; break;
    case TERNDNN_NORM_LAYER:
    case TERNDNN_NORM_RMS: out->groups = 1; break;
    }
    return n->kind == TERNDNN_NORM_BATCH || (out->groups > 0 && n->channels % out->groups == 0);
}

static int64_t sets(const struct dnn_norm *p)
{
    return p->groups ? p->n * p->groups : p->c;
}

/* Layer and RMS normalisation by lines that registers hold. */
static bool by_lines(const struct dnn *d, enum lib_type t, const struct dnn_norm *p, int most,
                     struct dnn_line *shape)
{
    return p->groups == 1 && p->s == 1 && dnn_line(d, t, p->n, p->c, most, shape);
}

/* Gradients of their parameters: each block sums columns over a span of lines, then these sums are
 * summed. */
static enum tern_error line_params(const struct dnn *d, enum lib_type t, const struct dnn_norm *p,
                                   const void *x, const void *dy, const void *means,
                                   const void *inverses, void *dgamma, void *dbeta)
{
    enum { SPAN = 64, MOST = 256 }; /* lines of a block at least; blocks above each other at most */
    long long lines = p->n, span = SPAN;
    int length = (int)p->c;
    while ((lines + span - 1) / span > MOST)
        span *= 2;
    int count = (int)((lines + span - 1) / span);
    const int64_t columns = DNN_WARP * 16 / (int64_t)lib_types[t].bytes;
    void *parts;
    enum tern_error e =
        lib_scratch(d->stream, 2 * (size_t)count * (size_t)length * dnn_wide_bytes(t), &parts);
    if (e)
        return e;
    e = dnn_run(d, "lines.h",
                (tern_dim){(uint32_t)((length + columns - 1) / columns), (uint32_t)count}, 0,
                (void *[]){&lines, &length, &span, &x, &dy, &means, &inverses, &parts},
                "line_params<%s, %d>", dnn_name(t), p->rms);
    if (!e)
        e = dnn_run(d, "lines.h", dnn_grid(2 * (int64_t)length), 0,
                    (void *[]){&length, &count, &parts, &dgamma, &dbeta}, "line_params_sum<%s>",
                    dnn_wide(t));
    lib_scratch_free(d->stream, parts);
    return e;
}

terndnnStatus_t terndnnNormForward(terndnnHandle_t handle, cudaDataType type,
                                   const terndnnNorm_t *norm, const void *x, const void *gamma,
                                   const void *beta, void *y, void *means, void *inverses,
                                   double factor, void *runningMean, void *runningVariance)
{
    struct dnn_norm p = {0};
    DNN_CALL(handle, type, t,
             norm_of(norm, &p) && (!p.groups || (!runningMean && !runningVariance)));
    p.factor = factor;
    struct dnn_line shape;
    int length = (int)p.c;
    if (by_lines(&handle->d, t, &p, 4, &shape) &&
        dnn_aligned(4, (const void *[]){x, y, gamma, beta}))
        return dnn_status(dnn_run_lines(
            &handle->d, &shape,
            (void *[]){&p.n, &length, &p.epsilon, &x, &gamma, &beta, &y, &means, &inverses},
            "line_norm", t, p.rms));
    return dnn_status(dnn_run(
        &handle->d, "norm.h", dnn_blocks(sets(&p)), 0,
        (void *[]){&p, &x, &gamma, &beta, &y, &means, &inverses, &runningMean, &runningVariance},
        "norm_forward<%s, %s>", dnn_name(t), dnn_wide(t)));
}

terndnnStatus_t terndnnNormInference(terndnnHandle_t handle, cudaDataType type,
                                     const terndnnNorm_t *norm, const void *x, const void *gamma,
                                     const void *beta, const void *mean, const void *variance,
                                     void *y)
{
    struct dnn_norm p = {0};
    DNN_CALL(handle, type, t, norm_of(norm, &p) && !p.groups && mean && variance);
    return dnn_status(dnn_run(&handle->d, "norm.h", dnn_grid(p.n * p.c * p.s), 0,
                              (void *[]){&p, &x, &gamma, &beta, &mean, &variance, &y},
                              "norm_given<%s, %s>", dnn_name(t), dnn_wide(t)));
}

terndnnStatus_t terndnnNormBackward(terndnnHandle_t handle, cudaDataType type,
                                    const terndnnNorm_t *norm, const void *x, const void *dy,
                                    const void *gamma, const void *means, const void *inverses,
                                    void *dx, void *dgamma, void *dbeta)
{
    struct dnn_norm p = {0};
    DNN_CALL(handle, type, t, norm_of(norm, &p) && inverses && (means || p.rms) && dx != x);
    enum tern_error e = TERN_OK;
    struct dnn_line shape;
    int length = (int)p.c;
    const bool lines = by_lines(&handle->d, t, &p, 2, &shape) &&
                       dnn_aligned(4, (const void *[]){x, dy, gamma, dx});
    /* First: dx may be dy. */
    if ((dgamma || dbeta) && lines)
        e = line_params(&handle->d, t, &p, x, dy, means, inverses, dgamma, dbeta);
    else if (dgamma || dbeta)
        e = dnn_run(&handle->d, "norm.h", dnn_blocks(p.c), 0,
                    (void *[]){&p, &x, &dy, &means, &inverses, &dgamma, &dbeta},
                    "norm_params<%s, %s>", dnn_name(t), dnn_wide(t));
    if (!e && dx && lines)
        e = dnn_run_lines(&handle->d, &shape,
                          (void *[]){&p.n, &length, &x, &dy, &gamma, &means, &inverses, &dx},
                          "line_norm_back", t, p.rms);
    else if (!e && dx)
        e = dnn_run(&handle->d, "norm.h", dnn_blocks(sets(&p)), 0,
                    (void *[]){&p, &x, &dy, &gamma, &means, &inverses, &dx},
                    "norm_backward<%s, %s>", dnn_name(t), dnn_wide(t));
    return dnn_status(e);
}

/* ---- windows ---- */

static int64_t or_one(int64_t v)
{
    return v ? v : 1;
}

/* Places of a result in one dimension; 0: none. */
static int64_t places(int64_t in, int64_t pad, int64_t size, int64_t dilation, int64_t stride)
{
    const int64_t room = in + 2 * pad - ((size - 1) * or_one(dilation) + 1);
    return room < 0 ? 0 : room / or_one(stride) + 1;
}

static bool sizes_are_right(const int64_t *in, const int64_t *size, const int64_t *pad,
                            const int64_t *stride, const int64_t *dilation)
{
    for (int k = 0; k < 3; k++)
        if (in[k] < 1 || size[k] < 1 || pad[k] < 0 || stride[k] < 0 || dilation[k] < 0)
            return false;
    return true;
}

terndnnStatus_t terndnnPoolOut(terndnnPool_t *p)
{
    if (!p || (!p->adaptive && !sizes_are_right(p->in, p->size, p->pad, p->stride, p->dilation)))
        return TERNDNN_STATUS_INVALID_VALUE;
    for (int k = 0; k < 3 && !p->adaptive; k++)
        p->out[k] = places(p->in[k], p->pad[k], p->size[k], p->dilation[k], p->stride[k]);
    return TERNDNN_STATUS_SUCCESS;
}

terndnnStatus_t terndnnConvolutionOut(terndnnConvolution_t *c)
{
    if (!c || !sizes_are_right(c->in, c->size, c->pad, c->stride, c->dilation))
        return TERNDNN_STATUS_INVALID_VALUE;
    for (int k = 0; k < 3; k++)
        c->out[k] = places(c->in[k], c->pad[k], c->size[k], c->dilation[k], c->stride[k]);
    return TERNDNN_STATUS_SUCCESS;
}

static void window_sizes(struct dnn_window *w, const int64_t *in, const int64_t *out,
                         const int64_t *size, const int64_t *pad, const int64_t *stride,
                         const int64_t *dilation)
{
    for (int k = 0; k < 3; k++) {
        w->in[k] = in[k];
        w->out[k] = out[k];
        w->size[k] = size[k];
        w->pad[k] = pad[k];
        w->stride[k] = or_one(stride[k]);
        w->dilation[k] = or_one(dilation[k]);
    }
    const int64_t x[5] = {w->n, w->c, in[0], in[1], in[2]};
    const int64_t y[5] = {w->n, w->k, out[0], out[1], out[2]};
    const int64_t f[5] = {w->k, w->c / w->groups, size[0], size[1], size[2]};
    dnn_packed(x, w->x_step, 5);
    dnn_packed(y, w->y_step, 5);
    dnn_packed(f, w->w_step, 5);
}

static bool pool_of(const terndnnPool_t *p, struct dnn_window *w)
{
    if (!p || p->images < 0 || p->channels < 0 || (unsigned)p->kind > TERNDNN_POOL_AVERAGE)
        return false;
    terndnnPool_t check = *p;
    if (terndnnPoolOut(&check) || p->in[0] * p->in[1] * p->in[2] > INT32_MAX)
        return false;
    for (int k = 0; k < 3; k++)
        if (p->out[k] < 1 || p->in[k] < 1 || p->out[k] != check.out[k] ||
            (!p->adaptive && p->pad[k] >= (p->size[k] - 1) * or_one(p->dilation[k]) + 1))
            return false;
    static const int kinds[] = {DNN_POOL_MAX, DNN_POOL_AVERAGE_PADDED, DNN_POOL_AVERAGE};
    *w = (struct dnn_window){.n = p->images,
                             .c = p->channels,
                             .k = p->channels,
                             .groups = 1,
                             .kind = kinds[p->kind],
                             .adaptive = p->adaptive,
                             .alpha = 1};
    window_sizes(w, p->in, p->out, p->size, p->pad, p->stride, p->dilation);
    return true;
}

terndnnStatus_t terndnnPoolForward(terndnnHandle_t handle, cudaDataType type,
                                   const terndnnPool_t *pool, const void *x, void *y)
{
    struct dnn_window w = {0};
    DNN_CALL(handle, type, t, pool_of(pool, &w));
    return dnn_status(dnn_pool(&handle->d, t, &w, x, NULL, y));
}

terndnnStatus_t terndnnPoolBackward(terndnnHandle_t handle, cudaDataType type,
                                    const terndnnPool_t *pool, const void *x, const void *dy,
                                    void *dx)
{
    struct dnn_window w = {0};
    DNN_CALL(handle, type, t, pool_of(pool, &w) && dy && dx != x);
    return dnn_status(dnn_pool(&handle->d, t, &w, x, dy, dx));
}

/* [n, c, places] as [n, places, c]. */
static void put_last(long long *step, int64_t channels, const long long *dim)
{
    step[1] = 1;
    step[4] = channels;
    step[3] = step[4] * dim[2];
    step[2] = step[3] * dim[1];
}

static bool convolution_of(const terndnnConvolution_t *c, double alpha, double beta,
                           struct dnn_window *w)
{
    if (!c || c->images < 0 || c->channels < 1 || c->results < 1 || c->groups < 0)
        return false;
    const int64_t groups = or_one(c->groups);
    terndnnConvolution_t check = *c;
    if (c->channels % groups || c->results % groups || terndnnConvolutionOut(&check) ||
        memcmp(check.out, c->out, sizeof c->out))
        return false;
    for (int k = 0; k < 3; k++)
        if (c->out[k] < 1)
            return false;
    /* Within an image, kernels count with ints. */
    if (c->in[0] * c->in[1] * c->in[2] > INT32_MAX || c->out[0] * c->out[1] * c->out[2] > INT32_MAX)
        return false;
    *w = (struct dnn_window){.n = c->images,
                             .c = c->channels,
                             .k = c->results,
                             .groups = groups,
                             .flip = c->flip,
                             .tf32 = c->tf32,
                             .alpha = alpha,
                             .beta = beta};
    window_sizes(w, c->in, c->out, c->size, c->pad, c->stride, c->dilation);
    if (c->channels_last) {
        put_last(w->x_step, w->c, w->in);
        put_last(w->y_step, w->k, w->out);
        put_last(w->w_step, w->c / groups, w->size);
    }
    return true;
}

static enum tern_error convolve(terndnnHandle_t h, enum lib_type t, enum dnn_conv what,
                                const terndnnConvolution_t *c, const struct dnn_window *w,
                                const void *x, const void *f, const void *y)
{
    const bool product = c->way == TERNDNN_CONVOLUTION_PRODUCT ||
                         (c->way == TERNDNN_CONVOLUTION_ANY && dnn_conv_better(w));
    return dnn_convolve(&h->d, t, what, w, product, (void *)(uintptr_t)x, (void *)(uintptr_t)f,
                        (void *)(uintptr_t)y, NULL);
}

terndnnStatus_t terndnnConvolutionForward(terndnnHandle_t handle, cudaDataType type,
                                          const terndnnConvolution_t *convolution, double alpha,
                                          const void *x, const void *filter, double beta, void *y)
{
    struct dnn_window w = {0};
    DNN_CALL(handle, type, t, convolution_of(convolution, alpha, beta, &w));
    return dnn_status(convolve(handle, t, DNN_FORWARD, convolution, &w, x, filter, y));
}

terndnnStatus_t terndnnConvolutionBackwardData(terndnnHandle_t handle, cudaDataType type,
                                               const terndnnConvolution_t *convolution,
                                               double alpha, const void *filter, const void *dy,
                                               double beta, void *dx)
{
    struct dnn_window w = {0};
    DNN_CALL(handle, type, t, convolution_of(convolution, alpha, beta, &w));
    return dnn_status(convolve(handle, t, DNN_DATA, convolution, &w, dx, filter, dy));
}

terndnnStatus_t terndnnConvolutionBackwardFilter(terndnnHandle_t handle, cudaDataType type,
                                                 const terndnnConvolution_t *convolution,
                                                 double alpha, const void *x, const void *dy,
                                                 double beta, void *dfilter)
{
    struct dnn_window w = {0};
    DNN_CALL(handle, type, t, convolution_of(convolution, alpha, beta, &w));
    return dnn_status(convolve(handle, t, DNN_FILTER, convolution, &w, x, dfilter, dy));
}

/* ---- embeddings and dropout ---- */

terndnnStatus_t terndnnEmbeddingForward(terndnnHandle_t handle, cudaDataType type, int64_t count,
                                        int64_t size, int64_t rows, const int *index,
                                        const void *table, void *y)
{
    DNN_CALL(handle, type, t, count >= 0 && size >= 0 && rows >= 0);
    return dnn_status(dnn_run(&handle->d, "learn.h", dnn_grid(count * size), 0,
                              (void *[]){&count, &size, &rows, &index, &table, &y}, "embed<%s>",
                              dnn_name(t)));
}

/* add 0: rows that have an index are written over; the others stay as they are. */
terndnnStatus_t terndnnEmbeddingBackward(terndnnHandle_t handle, cudaDataType type, int64_t count,
                                         int64_t size, int64_t rows, const int *index,
                                         const void *dy, int add, void *dtable)
{
    DNN_CALL(handle, type, t, count >= 0 && size >= 0 && rows >= 0);
    return dnn_status(dnn_run(&handle->d, "learn.h", dnn_blocks(count), 0,
                              (void *[]){&count, &size, &rows, &index, &dy, &dtable, &add},
                              "embed_back<%s>", dnn_name(t)));
}

terndnnStatus_t terndnnDropoutForward(terndnnHandle_t handle, cudaDataType type, double p,
                                      uint64_t seed, uint64_t offset, int64_t n, const void *x,
                                      void *y, unsigned char *mask)
{
    DNN_CALL(handle, type, t, n >= 0 && p >= 0 && p <= 1);
    void *state = NULL;
    return dnn_status(dnn_run(&handle->d, "learn.h", dnn_grid((n + 3) / 4), 0,
                              (void *[]){&n, &p, &seed, &offset, &state, &x, &y, &mask}, "drop<%s>",
                              dnn_name(t)));
}

terndnnStatus_t terndnnDropoutBackward(terndnnHandle_t handle, cudaDataType type, double p,
                                       int64_t n, const unsigned char *mask, const void *dy,
                                       void *dx)
{
    DNN_CALL(handle, type, t, n >= 0 && p >= 0 && p <= 1 && (mask || !n));
    return dnn_status(dnn_run(&handle->d, "learn.h", dnn_grid(n), 0,
                              (void *[]){&n, &p, &mask, &dy, &dx}, "drop_back<%s>", dnn_name(t)));
}
