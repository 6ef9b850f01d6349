/* cuDNN: recurrent networks (RNN, LSTM, GRU), one or both directions, several layers.
 *
 * Inside, all that lies in time is [steps][batch][…], padded. A layer's products with its inputs
 * are one product for all steps; each step then has one product with the state and one kernel. What
 * the way back needs is in the reserve space (struct run). Weights of a pseudo-layer: the matrices
 * of all gates for the input, those for the state, the biases of the input, those of the state. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/cudnn_int.h"
#include "device/dnn/cells.h"

struct cudnnRNNStruct {
    cudnnRNNAlgo_t algo;
    cudnnRNNMode_t mode;
    cudnnRNNBiasMode_t bias;
    cudnnDirectionMode_t direction;
    cudnnRNNInputMode_t input;
    cudnnDataType_t type, precision;
    cudnnMathType_t math;
    int32_t input_size, size, projection, layers;
    cudnnDropoutDescriptor_t dropout;
    uint32_t flags;
    cudnnRNNClipMode_t clip;
    cudnnNanPropagation_t clip_nan;
    double low, high;
};
struct cudnnRNNDataStruct {
    cudnnDataType_t type;
    cudnnRNNDataLayout_t layout;
    int steps, batch, size;
    int *lengths;
    double fill;
};

/* ---- descriptors ---- */

CUDNN_DESCRIPTOR(RNN)

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algo,
                                       cudnnRNNMode_t cellMode, cudnnRNNBiasMode_t biasMode,
                                       cudnnDirectionMode_t dirMode, cudnnRNNInputMode_t inputMode,
                                       cudnnDataType_t dataType, cudnnDataType_t mathPrec,
                                       cudnnMathType_t mathType, int32_t inputSize,
                                       int32_t hiddenSize, int32_t projSize, int32_t numLayers,
                                       cudnnDropoutDescriptor_t dropoutDesc, uint32_t auxFlags)
{
    enum lib_type t;
    if (!d || (unsigned)algo >= CUDNN_RNN_ALGO_COUNT || (unsigned)cellMode > CUDNN_GRU ||
        (unsigned)biasMode > CUDNN_RNN_SINGLE_REC_BIAS || (unsigned)dirMode > CUDNN_BIDIRECTIONAL ||
        (unsigned)inputMode > CUDNN_SKIP_INPUT || inputSize < 1 || hiddenSize < 1 ||
        numLayers < 1 || projSize < 0 || projSize > hiddenSize)
        return CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_type(dataType, &t) || inputMode == CUDNN_SKIP_INPUT ||
        (projSize && projSize != hiddenSize))
        return CUDNN_STATUS_NOT_SUPPORTED;
    *d = (struct cudnnRNNStruct){algo,
                                 cellMode,
                                 biasMode,
                                 dirMode,
                                 inputMode,
                                 dataType,
                                 mathPrec,
                                 mathType,
                                 inputSize,
                                 hiddenSize,
                                 hiddenSize,
                                 numLayers,
                                 dropoutDesc,
                                 auxFlags,
                                 CUDNN_RNN_CLIP_NONE,
                                 CUDNN_NOT_PROPAGATE_NAN,
                                 0,
                                 0};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t *algo,
                                       cudnnRNNMode_t *cellMode, cudnnRNNBiasMode_t *biasMode,
                                       cudnnDirectionMode_t *dirMode,
                                       cudnnRNNInputMode_t *inputMode, cudnnDataType_t *dataType,
                                       cudnnDataType_t *mathPrec, cudnnMathType_t *mathType,
                                       int32_t *inputSize, int32_t *hiddenSize, int32_t *projSize,
                                       int32_t *numLayers, cudnnDropoutDescriptor_t *dropoutDesc,
                                       uint32_t *auxFlags)
{
    if (!d)
        return CUDNN_STATUS_BAD_PARAM;
#define PUT(to, field)                                                                             \
    if (to)                                                                                        \
    *(to) = d->field
    PUT(algo, algo);
    PUT(cellMode, mode);
    PUT(biasMode, bias);
    PUT(dirMode, direction);
    PUT(inputMode, input);
    PUT(dataType, type);
    PUT(mathPrec, precision);
    PUT(mathType, math);
    PUT(inputSize, input_size);
    PUT(hiddenSize, size);
    PUT(projSize, projection);
    PUT(numLayers, layers);
    PUT(dropoutDesc, dropout);
    PUT(auxFlags, flags);
#undef PUT
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t clipMode,
                                 cudnnNanPropagation_t clipNanOpt, double lclip, double rclip)
{
    if (!d || (clipMode == CUDNN_RNN_CLIP_MINMAX && !(lclip <= rclip)))
        return CUDNN_STATUS_BAD_PARAM;
    d->clip = clipMode;
    d->clip_nan = clipNanOpt;
    d->low = lclip;
    d->high = rclip;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t clipMode, double lclip,
                                 double rclip)
{
    return cudnnRNNSetClip_v8(d, clipMode, CUDNN_NOT_PROPAGATE_NAN, lclip, rclip);
}

cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t *clipMode,
                                 cudnnNanPropagation_t *clipNanOpt, double *lclip, double *rclip)
{
    if (!d)
        return CUDNN_STATUS_BAD_PARAM;
    if (clipMode)
        *clipMode = d->clip;
    if (clipNanOpt)
        *clipNanOpt = d->clip_nan;
    if (lclip)
        *lclip = d->low;
    if (rclip)
        *rclip = d->high;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t *clipMode,
                                 double *lclip, double *rclip)
{
    return cudnnRNNGetClip_v8(d, clipMode, NULL, lclip, rclip);
}

cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                   int miniBatch)
{
    CUDNN_CALL(handle, rnnDesc && miniBatch > 0);
    return CUDNN_STATUS_SUCCESS; /* kernels are made when they are first needed */
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *out)
{
    if (!out)
        return CUDNN_STATUS_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d)
{
    if (d)
        free(d->lengths);
    free(d);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t dataType,
                                        cudnnRNNDataLayout_t layout, int maxSeqLength,
                                        int batchSize, int vectorSize, const int seqLengthArray[],
                                        void *paddingFill)
{
    enum lib_type t;
    if (!d || (unsigned)layout > CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || maxSeqLength < 1 ||
        batchSize < 1 || vectorSize < 1 || !seqLengthArray)
        return CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_type(dataType, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int b = 0; b < batchSize; b++)
        if (seqLengthArray[b] < 0 || seqLengthArray[b] > maxSeqLength ||
            (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && b &&
             seqLengthArray[b] > seqLengthArray[b - 1]))
            return CUDNN_STATUS_BAD_PARAM;
    int *lengths = malloc((size_t)batchSize * sizeof *lengths);
    if (!lengths)
        return CUDNN_STATUS_ALLOC_FAILED;
    memcpy(lengths, seqLengthArray, (size_t)batchSize * sizeof *lengths);
    free(d->lengths);
    double fill = 0;
    if (paddingFill)
        fill = t == LIB_F16    ? lib_half(*(const uint16_t *)paddingFill)
               : t == LIB_BF16 ? lib_bfloat(*(const uint16_t *)paddingFill)
                               : cudnn_scalar(t, paddingFill);
    *d = (struct cudnnRNNDataStruct){dataType,   layout,  maxSeqLength, batchSize,
                                     vectorSize, lengths, fill};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t *dataType,
                                        cudnnRNNDataLayout_t *layout, int *maxSeqLength,
                                        int *batchSize, int *vectorSize, int arrayLengthRequested,
                                        int seqLengthArray[], void *paddingFill)
{
    if (!d || !dataType || !layout || !maxSeqLength || !batchSize || !vectorSize)
        return CUDNN_STATUS_BAD_PARAM;
    if (paddingFill && d->type != CUDNN_DATA_FLOAT && d->type != CUDNN_DATA_DOUBLE)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *dataType = d->type;
    *layout = d->layout;
    *maxSeqLength = d->steps;
    *batchSize = d->batch;
    *vectorSize = d->size;
    for (int b = 0; seqLengthArray && b < arrayLengthRequested && b < d->batch; b++)
        seqLengthArray[b] = d->lengths[b];
    if (paddingFill && d->type == CUDNN_DATA_DOUBLE)
        *(double *)paddingFill = d->fill;
    else if (paddingFill)
        *(float *)paddingFill = (float)d->fill;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- weights ---- */

static const int gates_of[] = {1, 1, 4, 3};

static int directions(const struct cudnnRNNStruct *d)
{
    return d->direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
}

/* Numbers of one pseudo-layer, from its beginning. */
struct weights {
    int64_t inputs, input, state, input_bias, state_bias, end; /* inputs: how many each gate has */
};

static struct weights weights_of(const struct cudnnRNNStruct *d, int layer)
{
    const int64_t rows = (int64_t)gates_of[d->mode] * d->size;
    const bool in = d->bias == CUDNN_RNN_DOUBLE_BIAS || d->bias == CUDNN_RNN_SINGLE_INP_BIAS;
    const bool rec = d->bias == CUDNN_RNN_DOUBLE_BIAS || d->bias == CUDNN_RNN_SINGLE_REC_BIAS;
    struct weights w = {.inputs = layer ? (int64_t)directions(d) * d->size : d->input_size};
    w.state = w.input + rows * w.inputs;
    w.input_bias = w.state + rows * d->size;
    w.state_bias = w.input_bias + (in ? rows : 0);
    w.end = w.state_bias + (rec ? rows : 0);
    return w;
}

static int64_t weights_before(const struct cudnnRNNStruct *d, int pseudo)
{
    int64_t n = 0;
    for (int k = 0; k < pseudo; k++)
        n += weights_of(d, k / directions(d)).end;
    return n;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                         size_t *weightSpaceSize)
{
    CUDNN_CALL(handle, rnnDesc && rnnDesc->layers && weightSpaceSize);
    *weightSpaceSize = (size_t)weights_before(rnnDesc, rnnDesc->layers * directions(rnnDesc)) *
                       cudnn_bytes(rnnDesc->type);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t d,
                                      int32_t pseudoLayer, size_t weightSpaceSize,
                                      const void *weightSpace, int32_t linLayerID,
                                      cudnnTensorDescriptor_t mDesc, void **mAddr,
                                      cudnnTensorDescriptor_t bDesc, void **bAddr)
{
    size_t need = 0;
    CUDNN_CALL(handle, d && d->layers && mDesc && mAddr && bDesc && bAddr && pseudoLayer >= 0 &&
                           pseudoLayer < d->layers * directions(d) && linLayerID >= 0);
    cudnnGetRNNWeightSpaceSize(handle, d, &need);
    const int gates = gates_of[d->mode];
    if (weightSpaceSize < need || linLayerID >= 2 * gates + (d->mode == CUDNN_LSTM))
        return CUDNN_STATUS_BAD_PARAM;
    *mAddr = *bAddr = NULL;
    mDesc->dims = bDesc->dims = 0;
    if (linLayerID == 2 * gates)
        return CUDNN_STATUS_SUCCESS; /* the projection: there is none */
    const struct weights w = weights_of(d, pseudoLayer / directions(d));
    const bool state = linLayerID >= gates;
    const int gate = linLayerID % gates, columns = state ? d->size : (int)w.inputs;
    const size_t bytes = cudnn_bytes(d->type);
    char *base = (char *)(uintptr_t)weightSpace + (size_t)weights_before(d, pseudoLayer) * bytes;
    *mAddr =
        base + (size_t)((state ? w.state : w.input) + (int64_t)gate * d->size * columns) * bytes;
    cudnnStatus_t s = cudnnSetTensorNdDescriptor(mDesc, d->type, 3, (int[]){1, d->size, columns},
                                                 (int[]){d->size * columns, columns, 1});
    const bool has = state ? w.end > w.state_bias : w.state_bias > w.input_bias;
    if (s || !has)
        return s;
    *bAddr =
        base + (size_t)((state ? w.state_bias : w.input_bias) + (int64_t)gate * d->size) * bytes;
    return cudnnSetTensorNdDescriptor(bDesc, d->type, 3, (int[]){1, d->size, 1},
                                      (int[]){d->size, 1, 1});
}

/* ---- a run ---- */

struct run {
    cudnnHandle_t h;
    const struct cudnnRNNStruct *d;
    enum lib_type t;
    size_t bytes;                     /* of an element */
    int64_t steps, batch, size, rows; /* rows: of all gates */
    int dirs;
    enum tern_error e;
    char *reserve;
    int *lengths; /* on the device, and behind them where steps begin (packed) */
};

static char *at(const struct run *r, const void *p, int64_t elements)
{
    return (char *)(uintptr_t)p + elements * (int64_t)r->bytes;
}

static int64_t times(const struct run *r)
{
    return r->steps * r->batch;
}

/* The reserve space: inputs and masks of each layer, then what each pseudo-layer keeps. */
enum kept { GATES, RECURRENT, NOW, BEFORE, HIDDEN, NKEPT };

static int64_t kept_numbers(const struct run *r, int which)
{
    return times(r) * (which <= RECURRENT ? r->rows : r->size);
}

static int64_t layer_inputs(const struct run *r, int layer)
{
    return layer ? r->dirs * r->size : r->d->input_size;
}

/* Element offsets: the input of a layer (layers of them, and the output behind), a pseudo-layer's
 * arrays. */
static int64_t input_at(const struct run *r, int layer)
{
    return layer ? times(r) * (layer_inputs(r, 0) + (layer - 1) * layer_inputs(r, 1)) : 0;
}

static int64_t kept_at(const struct run *r, int pseudo, int which)
{
    int64_t n = input_at(r, r->d->layers + 1), all = 0;
    for (int k = 0; k < NKEPT; k++)
        all += kept_numbers(r, k);
    n += pseudo * all;
    for (int k = 0; k < which; k++)
        n += kept_numbers(r, k);
    return n;
}

static char *kept(const struct run *r, int pseudo, int which, int64_t step)
{
    const int64_t each = kept_numbers(r, which) / r->steps;
    return at(r, r->reserve, kept_at(r, pseudo, which) + step * each);
}

static char *input(const struct run *r, int layer)
{
    return at(r, r->reserve, input_at(r, layer));
}

static unsigned char *mask(const struct run *r, int layer)
{
    return (unsigned char *)at(r, r->reserve, kept_at(r, r->d->layers * r->dirs, 0)) +
           (layer - 1) * times(r) * r->dirs * r->size;
}

static size_t reserve_bytes(const struct run *r)
{
    return (size_t)kept_at(r, r->d->layers * r->dirs, 0) * r->bytes +
           (size_t)((r->d->layers - 1) * times(r) * r->dirs * r->size);
}

static bool run_of(cudnnHandle_t h, const struct cudnnRNNStruct *d,
                   const struct cudnnRNNDataStruct *x, struct run *r)
{
    *r = (struct run){.h = h,
                      .d = d,
                      .bytes = cudnn_bytes(d->type),
                      .steps = x->steps,
                      .batch = x->batch,
                      .size = d->size,
                      .rows = (int64_t)gates_of[d->mode] * d->size,
                      .dirs = directions(d)};
    return d->layers && x->lengths && x->type == d->type && cudnn_type(d->type, &r->t);
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                        cudnnForwardMode_t fwdMode, cudnnRNNDataDescriptor_t xDesc,
                                        size_t *workSpaceSize, size_t *reserveSpaceSize)
{
    struct run r;
    CUDNN_CALL(handle, rnnDesc && xDesc && run_of(handle, rnnDesc, xDesc, &r));
    if (workSpaceSize)
        *workSpaceSize = 0; /* the stream's pool gives what lies between */
    if (reserveSpaceSize)
        *reserveSpaceSize = fwdMode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes(&r) : 0;
    return CUDNN_STATUS_SUCCESS;
}

static void note(struct run *r, enum tern_error e)
{
    if (!r->e)
        r->e = e;
}

static void *scratch(struct run *r, int64_t elements)
{
    void *p = NULL;
    if (!r->e)
        note(r, lib_scratch(r->h->d.stream, (size_t)elements * r->bytes, &p));
    return p;
}

static void give_back(struct run *r, void *p)
{
    lib_scratch_free(r->h->d.stream, p);
}

/* to = from, or zeros. */
static void fill(struct run *r, void *to, const void *from, int64_t elements)
{
    const size_t n = (size_t)elements * r->bytes;
    if (!r->e)
        note(r,
             lib_error(from ? cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, r->h->d.stream)
                            : cudaMemsetAsync(to, 0, n, r->h->d.stream)));
}

static void multiply(struct run *r, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double beta,
                     const void *a, const void *b, void *c)
{
    const struct dnn_product p = {.ta = ta,
                                  .tb = tb,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .lda = ta ? m : k,
                                  .ldb = tb ? k : n,
                                  .ldc = n,
                                  .batch = 1,
                                  .alpha = 1,
                                  .beta = beta};
    if (!r->e)
        note(r, dnn_multiply(&r->h->d, r->t, &p, a, b, c));
}

/* Lengths, and beginnings of steps, to the device. */
static void put_lengths(struct run *r, const struct cudnnRNNDataStruct *x)
{
    int *host = malloc((size_t)(r->batch + r->steps) * sizeof *host);
    if (!host) {
        note(r, TERN_OUT_OF_MEMORY);
        return;
    }
    memcpy(host, x->lengths, (size_t)r->batch * sizeof *host);
    int start = 0;
    for (int64_t t = 0; t < r->steps; t++) {
        host[r->batch + t] = start;
        for (int64_t b = 0; b < r->batch; b++)
            start += x->lengths[b] > t;
    }
    void *p = NULL;
    const size_t n = (size_t)(r->batch + r->steps) * sizeof *host;
    note(r, lib_scratch(r->h->d.stream, n, &p));
    r->lengths = p;
    if (!r->e)
        note(r, lib_error(cudaMemcpyAsync(p, host, n, cudaMemcpyHostToDevice, r->h->d.stream)));
    if (!r->e) /* host is ours for as long as it is read */
        note(r, lib_error(cudaStreamSynchronize(r->h->d.stream)));
    free(host);
}

static void move(struct run *r, const struct cudnnRNNDataStruct *x, int64_t size, const void *from,
                 void *to, bool give, double padding)
{
    struct dnn_sequences s = {.steps = r->steps,
                              .batch = r->batch,
                              .size = size,
                              .layout = (int)x->layout,
                              .lengths = r->lengths,
                              .starts = r->lengths + r->batch};
    void *args[] = {&s, &from, &to, &padding};
    if (!r->e)
        note(r, dnn_run(&r->h->d, "recur.h", dnn_grid(times(r) * size), 0, args,
                        give ? "recur_give<%s>" : "recur_take<%s>", dnn_name(r->t)));
}

static struct dnn_cell cell(const struct run *r, int64_t step)
{
    return (struct dnn_cell){.batch = r->batch,
                             .size = r->size,
                             .gates = gates_of[r->d->mode],
                             .y_step = r->dirs * r->size,
                             .step = step,
                             .lengths = r->lengths,
                             .clip =
                                 r->d->mode == CUDNN_LSTM && r->d->clip == CUDNN_RNN_CLIP_MINMAX,
                             .low = r->d->low,
                             .high = r->d->high};
}

static const void *bias(const struct run *r, const char *base, int64_t from, int64_t end)
{
    return end > from ? at(r, base, from) : NULL;
}

/* One direction of a layer. */
static void forward(struct run *r, int layer, int dir, const void *weight_space, void *h, void *c)
{
    const int pseudo = layer * r->dirs + dir;
    const struct weights w = weights_of(r->d, layer);
    const char *base = at(r, weight_space, weights_before(r->d, pseudo));
    char *gx = scratch(r, times(r) * r->rows);
    void *gh = scratch(r, r->batch * r->rows);
    const void *bx = bias(r, base, w.input_bias, w.state_bias);
    const void *bh = bias(r, base, w.state_bias, w.end);
    multiply(r, false, true, times(r), r->rows, w.inputs, 0, input(r, layer), at(r, base, w.input),
             gx);
    for (int64_t k = 0; k < r->steps && !r->e; k++) {
        const int64_t t = dir ? r->steps - 1 - k : k;
        struct dnn_cell cells = cell(r, t);
        multiply(r, false, true, r->batch, r->rows, r->size, 0, h, at(r, base, w.state), gh);
        void *in = at(r, gx, t * r->batch * r->rows);
        void *y = at(r, input(r, layer + 1), t * r->batch * r->dirs * r->size + dir * r->size);
        void *gates = kept(r, pseudo, GATES, t), *now = kept(r, pseudo, NOW, t),
             *before = kept(r, pseudo, BEFORE, t), *hidden = kept(r, pseudo, HIDDEN, t);
        void *args[] = {&cells, &in, &gh, &bx, &bh, &h, &c, &y, &gates, &now, &before, &hidden};
        if (!r->e)
            note(r, dnn_run(&r->h->d, "recur.h", dnn_grid(r->batch * r->size), 0, args,
                            "recur_step<%s, %d>", dnn_name(r->t), (int)r->d->mode));
    }
    give_back(r, gh);
    give_back(r, gx);
}

static bool drops(const struct run *r)
{
    return r->d->dropout && r->d->dropout->dropout > 0 && r->d->layers > 1;
}

static void drop_input(struct run *r, int layer)
{
    int64_t n = times(r) * layer_inputs(r, layer);
    double p = r->d->dropout->dropout;
    uint64_t none = 0, by = (uint64_t)(n + 3) / 4;
    void *x = input(r, layer), *m = mask(r, layer);
    void **states = &r->d->dropout->states;
    if (r->e)
        return;
    note(r,
         dnn_run(&r->h->d, "learn.h", dnn_grid((n + 3) / 4), 0,
                 (void *[]){&n, &p, &none, &none, states, &x, &x, &m}, "drop<%s>", dnn_name(r->t)));
    if (!r->e)
        note(r, dnn_run(&r->h->d, "learn.h", (tern_dim){1}, 0, (void *[]){states, &by},
                        "drop_advance"));
}

static bool shapes_fit(const struct run *r, const struct cudnnRNNDataStruct *x,
                       const struct cudnnRNNDataStruct *y, const struct cudnnTensorStruct *h)
{
    const int64_t states = (int64_t)r->d->layers * r->dirs * r->batch * r->size;
    return x->size == r->d->input_size && y->size == r->dirs * r->size && y->steps == x->steps &&
           y->batch == x->batch && y->type == x->type &&
           (!h || (h->type == x->type && cudnn_count(h) == states && cudnn_packed(h)));
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                              cudnnForwardMode_t fwdMode, const int32_t devSeqLengths[],
                              cudnnRNNDataDescriptor_t xDesc, const void *x,
                              cudnnRNNDataDescriptor_t yDesc, void *y,
                              cudnnTensorDescriptor_t hDesc, const void *hx, void *hy,
                              cudnnTensorDescriptor_t cDesc, const void *cx, void *cy,
                              size_t weightSpaceSize, const void *weightSpace, size_t workSpaceSize,
                              void *workSpace, size_t reserveSpaceSize, void *reserveSpace)
{
    struct run r;
    size_t need = 0;
    (void)devSeqLengths; /* the descriptor has them, too */
    (void)workSpaceSize;
    (void)workSpace;
    CUDNN_CALL(handle, rnnDesc && xDesc && yDesc && x && y && weightSpace &&
                           run_of(handle, rnnDesc, xDesc, &r) &&
                           shapes_fit(&r, xDesc, yDesc, hDesc) &&
                           shapes_fit(&r, xDesc, yDesc, cDesc));
    const bool training = fwdMode == CUDNN_FWD_MODE_TRAINING;
    cudnnGetRNNWeightSpaceSize(handle, rnnDesc, &need);
    if (weightSpaceSize < need ||
        (training && (!reserveSpace || reserveSpaceSize < reserve_bytes(&r))) ||
        (drops(&r) && training && !rnnDesc->dropout->states))
        return CUDNN_STATUS_BAD_PARAM;
    r.reserve = reserveSpace;
    if (!training)
        r.reserve = scratch(&r, (int64_t)(reserve_bytes(&r) / r.bytes + 1));
    put_lengths(&r, xDesc);
    move(&r, xDesc, rnnDesc->input_size, x, input(&r, 0), false, 0);
    const int64_t states = r.batch * r.size;
    void *h = scratch(&r, states), *c = scratch(&r, states);
    for (int l = 0; l < rnnDesc->layers && !r.e; l++) {
        if (l && training && drops(&r))
            drop_input(&r, l);
        for (int dir = 0; dir < r.dirs; dir++) {
            const int64_t place = (l * r.dirs + dir) * states;
            fill(&r, h, hx ? at(&r, hx, place) : NULL, states);
            fill(&r, c, cx ? at(&r, cx, place) : NULL, states);
            forward(&r, l, dir, weightSpace, h, c);
            if (hy)
                fill(&r, at(&r, hy, place), h, states);
            if (cy && rnnDesc->mode == CUDNN_LSTM)
                fill(&r, at(&r, cy, place), c, states);
        }
    }
    move(&r, yDesc, r.dirs * r.size, input(&r, rnnDesc->layers), y, true, yDesc->fill);
    give_back(&r, c);
    give_back(&r, h);
    give_back(&r, r.lengths);
    if (!training)
        give_back(&r, r.reserve);
    return cudnn_status(r.e);
}

/* ---- the way back ---- */

static void backward(struct run *r, int layer, int dir, const void *weight_space, const void *dout,
                     void *din, void *dh, void *dc)
{
    const int pseudo = layer * r->dirs + dir;
    const struct weights w = weights_of(r->d, layer);
    const char *base = at(r, weight_space, weights_before(r->d, pseudo));
    for (int64_t k = 0; k < r->steps && !r->e; k++) {
        const int64_t t = dir ? k : r->steps - 1 - k;
        struct dnn_cell cells = cell(r, t);
        void *dy = at(r, dout, t * r->batch * r->dirs * r->size + dir * r->size);
        void *gates = kept(r, pseudo, GATES, t), *now = kept(r, pseudo, NOW, t),
             *before = kept(r, pseudo, BEFORE, t), *hidden = kept(r, pseudo, HIDDEN, t),
             *recurrent = kept(r, pseudo, RECURRENT, t);
        void *args[] = {&cells, &dy, &dh, &dc, &gates, &now, &before, &hidden, &recurrent};
        note(r, dnn_run(&r->h->d, "recur.h", dnn_grid(r->batch * r->size), 0, args,
                        "recur_back<%s, %d>", dnn_name(r->t), (int)r->d->mode));
        multiply(r, false, false, r->batch, r->size, r->rows, 1, recurrent, at(r, base, w.state),
                 dh);
    }
    multiply(r, false, false, times(r), w.inputs, r->rows, dir ? 1 : 0, kept(r, pseudo, GATES, 0),
             at(r, base, w.input), din);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                      const int32_t devSeqLengths[], cudnnRNNDataDescriptor_t yDesc,
                                      const void *y, const void *dy, cudnnRNNDataDescriptor_t xDesc,
                                      void *dx, cudnnTensorDescriptor_t hDesc, const void *hx,
                                      const void *dhy, void *dhx, cudnnTensorDescriptor_t cDesc,
                                      const void *cx, const void *dcy, void *dcx,
                                      size_t weightSpaceSize, const void *weightSpace,
                                      size_t workSpaceSize, void *workSpace,
                                      size_t reserveSpaceSize, void *reserveSpace)
{
    struct run r;
    (void)devSeqLengths;
    (void)y;
    (void)hx;
    (void)cx;
    (void)weightSpaceSize;
    (void)workSpaceSize;
    (void)workSpace;
    CUDNN_CALL(handle,
               rnnDesc && xDesc && yDesc && dy && dx && weightSpace && reserveSpace &&
                   run_of(handle, rnnDesc, xDesc, &r) && shapes_fit(&r, xDesc, yDesc, hDesc) &&
                   shapes_fit(&r, xDesc, yDesc, cDesc) && reserveSpaceSize >= reserve_bytes(&r));
    if (rnnDesc->clip == CUDNN_RNN_CLIP_MINMAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    r.reserve = reserveSpace;
    put_lengths(&r, xDesc);
    const int64_t states = r.batch * r.size, widest = r.dirs * r.size > rnnDesc->input_size
                                                          ? r.dirs * r.size
                                                          : rnnDesc->input_size;
    void *h = scratch(&r, states), *c = scratch(&r, states);
    void *above = scratch(&r, times(&r) * widest), *below = scratch(&r, times(&r) * widest);
    move(&r, yDesc, r.dirs * r.size, dy, above, false, 0);
    for (int l = rnnDesc->layers - 1; l >= 0 && !r.e; l--) {
        for (int dir = 0; dir < r.dirs; dir++) {
            const int64_t place = (l * r.dirs + dir) * states;
            fill(&r, h, dhy ? at(&r, dhy, place) : NULL, states);
            fill(&r, c, dcy ? at(&r, dcy, place) : NULL, states);
            backward(&r, l, dir, weightSpace, above, below, h, c);
            if (dhx)
                fill(&r, at(&r, dhx, place), h, states);
            if (dcx && rnnDesc->mode == CUDNN_LSTM)
                fill(&r, at(&r, dcx, place), c, states);
        }
        if (l && drops(&r) && !r.e) {
            int64_t n = times(&r) * layer_inputs(&r, l);
            double p = rnnDesc->dropout->dropout;
            void *m = mask(&r, l);
            note(&r,
                 dnn_run(&r.h->d, "learn.h", dnn_grid(n), 0, (void *[]){&n, &p, &m, &below, &below},
                         "drop_back<%s>", dnn_name(r.t)));
        }
        void *swap = above;
        above = below;
        below = swap;
    }
    move(&r, xDesc, rnnDesc->input_size, above, dx, true, 0);
    give_back(&r, below);
    give_back(&r, above);
    give_back(&r, c);
    give_back(&r, h);
    give_back(&r, r.lengths);
    return cudnn_status(r.e);
}

static void sum_rows(struct run *r, const void *from, double beta, void *to)
{
    struct dnn_reduce s = dnn_along(1, times(r), r->rows);
    s.in = from;
    s.out = to;
    s.beta = beta;
    if (!r->e)
        note(r, dnn_reduce_of(&r->h->d, r->t, &s, "sum"));
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                         cudnnWgradMode_t addGrad, const int32_t devSeqLengths[],
                                         cudnnRNNDataDescriptor_t xDesc, const void *x,
                                         cudnnTensorDescriptor_t hDesc, const void *hx,
                                         cudnnRNNDataDescriptor_t yDesc, const void *y,
                                         size_t weightSpaceSize, void *dweightSpace,
                                         size_t workSpaceSize, void *workSpace,
                                         size_t reserveSpaceSize, void *reserveSpace)
{
    struct run r;
    size_t need = 0;
    (void)devSeqLengths;
    (void)x; /* the reserve space has it */
    (void)hx;
    (void)y;
    (void)workSpaceSize;
    (void)workSpace;
    CUDNN_CALL(handle, rnnDesc && xDesc && yDesc && dweightSpace && reserveSpace &&
                           run_of(handle, rnnDesc, xDesc, &r) &&
                           shapes_fit(&r, xDesc, yDesc, hDesc) &&
                           reserveSpaceSize >= reserve_bytes(&r));
    cudnnGetRNNWeightSpaceSize(handle, rnnDesc, &need);
    if (weightSpaceSize < need)
        return CUDNN_STATUS_BAD_PARAM;
    r.reserve = reserveSpace;
    const double beta = addGrad == CUDNN_WGRAD_MODE_ADD ? 1 : 0;
    for (int p = 0; p < rnnDesc->layers * r.dirs && !r.e; p++) {
        const int layer = p / r.dirs;
        const struct weights w = weights_of(rnnDesc, layer);
        const char *base = at(&r, dweightSpace, weights_before(rnnDesc, p));
        multiply(&r, true, false, r.rows, w.inputs, times(&r), beta, kept(&r, p, GATES, 0),
                 input(&r, layer), at(&r, base, w.input));
        multiply(&r, true, false, r.rows, r.size, times(&r), beta, kept(&r, p, RECURRENT, 0),
                 kept(&r, p, HIDDEN, 0), at(&r, base, w.state));
        if (w.state_bias > w.input_bias)
            sum_rows(&r, kept(&r, p, GATES, 0), beta, at(&r, base, w.input_bias));
        if (w.end > w.state_bias)
            sum_rows(&r, kept(&r, p, RECURRENT, 0), beta, at(&r, base, w.state_bias));
    }
    return cudnn_status(r.e);
}
