/* terndnn: products, elements, softmax and losses. */
#include <stdio.h>
#include "lib/dnn/dnn_int.h"

/* Names in kernels, by number. */
#define NAME2(NAME, name) #name,
static const char *const activations[] = {TERNDNN_ACTIVATIONS(NAME2)};
static const char *const losses[] = {TERNDNN_LOSSES(NAME2)};
static const char *const binaries[] = {TERNDNN_BINARIES(NAME2)};
static const char *const reductions[] = {TERNDNN_REDUCTIONS(NAME2)};

terndnnStatus_t terndnnMatmul(terndnnHandle_t handle, cudaDataType type, int transposeA,
                              int transposeB, int64_t m, int64_t n, int64_t k, double alpha,
                              const void *a, const void *b, double beta, void *c, int64_t batch)
{
    DNN_CALL(handle, type, t, m >= 0 && n >= 0 && k >= 0 && batch >= 0);
    const struct dnn_product p = {.ta = transposeA,
                                  .tb = transposeB,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .lda = transposeA ? m : k,
                                  .ldb = transposeB ? k : n,
                                  .ldc = n,
                                  .a_step = m * k,
                                  .b_step = k * n,
                                  .c_step = m * n,
                                  .batch = batch,
                                  .alpha = alpha,
                                  .beta = beta};
    return dnn_status(dnn_multiply(&handle->d, t, &p, a, b, c));
}

/* A function of rows of n elements without gaps. */
static terndnnStatus_t row_of(terndnnHandle_t h, enum lib_type t, const char *shell,
                              const char *prefix, const char *name, struct dnn_each *e)
{
    char function[64];
    snprintf(function, sizeof function, "%s_%s", prefix, name);
    return dnn_status(dnn_each_of(&h->d, t, t, e, shell, function));
}

static struct dnn_each row(int64_t n, double p, double q, const void *a, const void *b,
                           const void *c, void *out)
{
    struct dnn_each e = dnn_row(n);
    e.p[0] = p;
    e.p[1] = q;
    e.in[0] = a;
    e.in[1] = b;
    e.in[2] = c;
    e.out = out;
    return e;
}

terndnnStatus_t terndnnBinary(terndnnHandle_t handle, cudaDataType type, terndnnBinary_t kind,
                              int64_t n, double p, const void *a, double q, const void *b,
                              double beta, void *y)
{
    DNN_CALL(handle, type, t, n >= 0 && (unsigned)kind < TERNDNN_BINARY_COUNT);
    struct dnn_each e = row(n, p, q, a, b, NULL, y);
    e.beta = beta;
    return row_of(handle, t, "pair_of", "bin", binaries[kind], &e);
}

terndnnStatus_t terndnnAddBias(terndnnHandle_t handle, cudaDataType type, int64_t images,
                               int64_t channels, int64_t places, const void *bias, void *y)
{
    DNN_CALL(handle, type, t, images >= 0 && channels >= 0 && places >= 0);
    struct dnn_each e = {.count = images * channels * places,
                         .dims = 3,
                         .dim = {images, channels, places},
                         .out_step = {channels * places, places, 1},
                         .in_step = {{channels * places, places, 1}, {0, 1, 0}},
                         .out = y,
                         .in = {y, bias},
                         .alpha = 1,
                         .p = {1, 1}};
    return row_of(handle, t, "pair_of", "bin", "add", &e);
}

terndnnStatus_t terndnnBiasBackward(terndnnHandle_t handle, cudaDataType type, int64_t images,
                                    int64_t channels, int64_t places, const void *dy, double beta,
                                    void *dbias)
{
    DNN_CALL(handle, type, t, images >= 0 && channels >= 0 && places >= 0);
    const struct dnn_reduce r = {.kept = channels,
                                 .gone = images * places,
                                 .kept_dims = 1,
                                 .gone_dims = 2,
                                 .kept_dim = {channels},
                                 .kept_in = {places},
                                 .kept_out = {1},
                                 .gone_dim = {images, places},
                                 .gone_in = {channels * places, 1},
                                 .in = dy,
                                 .out = dbias,
                                 .alpha = 1,
                                 .beta = beta};
    return dnn_status(dnn_reduce_of(&handle->d, t, &r, "sum"));
}

terndnnStatus_t terndnnReduce(terndnnHandle_t handle, cudaDataType type, terndnnReduction_t kind,
                              int64_t outer, int64_t axis, int64_t inner, const void *x, void *y,
                              unsigned *index)
{
    DNN_CALL(handle, type, t,
             outer >= 0 && axis > 0 && inner >= 0 && (unsigned)kind < TERNDNN_REDUCE_COUNT);
    struct dnn_reduce r = dnn_along(outer, axis, inner);
    r.in = x;
    r.out = y;
    r.index = index;
    return dnn_status(dnn_reduce_of(&handle->d, t, &r, reductions[kind]));
}

/* ---- activations ---- */

terndnnStatus_t terndnnActivationForward(terndnnHandle_t handle, cudaDataType type,
                                         terndnnActivation_t kind, double p, double q, int64_t n,
                                         const void *x, void *y)
{
    DNN_CALL(handle, type, t, n >= 0 && (unsigned)kind < TERNDNN_ACTIVATION_COUNT);
    struct dnn_each e = row(n, p, q, x, NULL, NULL, y);
    return row_of(handle, t, "forward", "act", activations[kind], &e);
}

terndnnStatus_t terndnnActivationBackward(terndnnHandle_t handle, cudaDataType type,
                                          terndnnActivation_t kind, double p, double q, int64_t n,
                                          const void *x, const void *dy, void *dx)
{
    DNN_CALL(handle, type, t, n >= 0 && (unsigned)kind < TERNDNN_ACTIVATION_COUNT);
    struct dnn_each e = row(n, p, q, dy, x, NULL, dx);
    return row_of(handle, t, "backward", "act", activations[kind], &e);
}

terndnnStatus_t terndnnGateForward(terndnnHandle_t handle, cudaDataType type,
                                   terndnnActivation_t kind, double p, double q, int64_t n,
                                   const void *a, const void *b, void *y)
{
    DNN_CALL(handle, type, t, n >= 0 && (unsigned)kind < TERNDNN_ACTIVATION_COUNT);
    struct dnn_each e = row(n, p, q, a, b, NULL, y);
    return row_of(handle, t, "gate", "act", activations[kind], &e);
}

terndnnStatus_t terndnnGateBackward(terndnnHandle_t handle, cudaDataType type,
                                    terndnnActivation_t kind, double p, double q, int64_t n,
                                    const void *a, const void *b, const void *dy, void *da,
                                    void *db)
{
    /* Each of the two is written while the other's operands are still needed. */
    DNN_CALL(handle, type, t,
             n >= 0 && (unsigned)kind < TERNDNN_ACTIVATION_COUNT && da != a && da != dy &&
                 da != db);
    struct dnn_each first = row(n, p, q, dy, a, b, da), second = row(n, p, q, dy, a, NULL, db);
    const terndnnStatus_t s = row_of(handle, t, "gate_a", "act", activations[kind], &first);
    return s ? s : row_of(handle, t, "gate_b", "act", activations[kind], &second);
}

/* ---- softmax ---- */

static struct dnn_rows lines(int64_t outer, int64_t axis, int64_t inner)
{
    return (struct dnn_rows){.lines = outer * inner,
                             .inner = inner,
                             .length = axis,
                             .outer_step = axis * inner,
                             .inner_step = 1,
                             .step = inner,
                             .alpha = 1};
}

terndnnStatus_t terndnnSoftmaxForward(terndnnHandle_t handle, cudaDataType type, int logarithm,
                                      int64_t outer, int64_t axis, int64_t inner, const void *x,
                                      void *y)
{
    DNN_CALL(handle, type, t, outer >= 0 && axis >= 0 && inner >= 0);
    struct dnn_rows r = lines(outer, axis, inner);
    struct dnn_line shape;
    int length = (int)axis;
    if (inner == 1 && dnn_aligned(2, (const void *[]){x, y}) &&
        dnn_line(&handle->d, t, outer, axis, 4, &shape))
        return dnn_status(dnn_run_lines(&handle->d, &shape, (void *[]){&r.lines, &length, &x, &y},
                                        "line_softmax", t, !!logarithm));
    return dnn_status(dnn_run(&handle->d, "rows.h", dnn_warps(r.lines), 0, (void *[]){&r, &x, &y},
                              "softmax<%s, %d>", dnn_name(t), !!logarithm));
}

terndnnStatus_t terndnnSoftmaxBackward(terndnnHandle_t handle, cudaDataType type, int logarithm,
                                       int64_t outer, int64_t axis, int64_t inner, const void *y,
                                       const void *dy, void *dx)
{
    DNN_CALL(handle, type, t, outer >= 0 && axis >= 0 && inner >= 0);
    struct dnn_rows r = lines(outer, axis, inner);
    struct dnn_line shape;
    int length = (int)axis;
    if (inner == 1 && dnn_aligned(3, (const void *[]){y, dy, dx}) &&
        dnn_line(&handle->d, t, outer, axis, 4, &shape))
        return dnn_status(dnn_run_lines(&handle->d, &shape,
                                        (void *[]){&r.lines, &length, &y, &dy, &dx},
                                        "line_softmax_back", t, !!logarithm));
    return dnn_status(dnn_run(&handle->d, "rows.h", dnn_warps(r.lines), 0,
                              (void *[]){&r, &y, &dy, &dx}, "softmax_back<%s, %d>", dnn_name(t),
                              !!logarithm));
}

/* ---- losses ---- */

terndnnStatus_t terndnnCrossEntropyForward(terndnnHandle_t handle, cudaDataType type, int64_t rows,
                                           int64_t classes, const void *logits, const int *labels,
                                           int ignored, double smoothing, void *losses_out)
{
    DNN_CALL(handle, type, t, rows >= 0 && classes > 0 && smoothing >= 0 && smoothing <= 1);
    struct dnn_rows r = lines(rows, classes, 1);
    return dnn_status(dnn_run(&handle->d, "rows.h", dnn_warps(rows), 0,
                              (void *[]){&r, &logits, &labels, &ignored, &smoothing, &losses_out},
                              "entropy<%s>", dnn_name(t)));
}

terndnnStatus_t terndnnCrossEntropyBackward(terndnnHandle_t handle, cudaDataType type, int64_t rows,
                                            int64_t classes, const void *logits, const int *labels,
                                            int ignored, double smoothing, double scale,
                                            const void *dlosses, void *dlogits)
{
    DNN_CALL(handle, type, t, rows >= 0 && classes > 0 && smoothing >= 0 && smoothing <= 1);
    struct dnn_rows r = lines(rows, classes, 1);
    return dnn_status(
        dnn_run(&handle->d, "rows.h", dnn_warps(rows), 0,
                (void *[]){&r, &logits, &labels, &ignored, &smoothing, &scale, &dlosses, &dlogits},
                "entropy_back<%s>", dnn_name(t)));
}

terndnnStatus_t terndnnLossForward(terndnnHandle_t handle, cudaDataType type, terndnnLoss_t kind,
                                   double p, double q, terndnnLossResult_t result, int64_t n,
                                   const void *x, const void *target, void *loss)
{
    DNN_CALL(handle, type, t,
             n >= 0 && (unsigned)kind < TERNDNN_LOSS_COUNT &&
                 (unsigned)result <= TERNDNN_LOSS_SUM && (n || result == TERNDNN_LOSS_EACH));
    struct dnn_each e = row(n, p, q, x, target, NULL, loss);
    if (result == TERNDNN_LOSS_EACH)
        return row_of(handle, t, "loss", "loss", losses[kind], &e);
    enum tern_error error = lib_scratch(handle->d.stream, (size_t)n * lib_types[t].bytes, &e.out);
    terndnnStatus_t s = dnn_status(error);
    if (!s)
        s = row_of(handle, t, "loss", "loss", losses[kind], &e);
    if (!s)
        s = terndnnReduce(handle, type,
                          result == TERNDNN_LOSS_MEAN ? TERNDNN_REDUCE_MEAN : TERNDNN_REDUCE_SUM, 1,
                          n, 1, e.out, loss, NULL);
    lib_scratch_free(handle->d.stream, error ? NULL : e.out);
    return s;
}

/* dloss: of each element, or one number, or NULL: 1. */
terndnnStatus_t terndnnLossBackward(terndnnHandle_t handle, cudaDataType type, terndnnLoss_t kind,
                                    double p, double q, terndnnLossResult_t result, int64_t n,
                                    const void *x, const void *target, const void *dloss, void *dx)
{
    DNN_CALL(handle, type, t,
             n >= 0 && (unsigned)kind < TERNDNN_LOSS_COUNT && (unsigned)result <= TERNDNN_LOSS_SUM);
    struct dnn_each e = row(n, p, q, x, target, dloss, dx);
    if (result == TERNDNN_LOSS_MEAN && n)
        e.alpha = 1.0 / (double)n;
    if (result != TERNDNN_LOSS_EACH && dloss) {
        e.flat = 0;
        e.in_step[2][0] = 0;
    }
    return row_of(handle, t, dloss ? "loss_slope" : "loss_slope_alone", "loss", losses[kind], &e);
}
