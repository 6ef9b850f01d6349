// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// cuDNN's descriptors give what they were given; sizes; ways that are found; columns of images, normalisation with given statistics, dropout
// that goes on where it was, against loops; what is refused says so, whatever it gets.
#include "cudnn_check.h"

static cudnnHandle_t handle;
/* A call whose arguments are nothing. */
template <class... A> static cudnnStatus_t blank(cudnnStatus_t (*f)(A...))
{
    return f(A()...);
}

static void tensors()
{
    cudnnTensorDescriptor_t t;
    cudnnDataType_t type;
    int n, c, h, w, s[4], count, dims[5], strides[5];
    size_t bytes;
    NN(cudnnCreateTensorDescriptor(&t));
    NN(cudnnSetTensor4dDescriptorEx(t, CUDNN_DATA_HALF, 3, 5, 7, 2, 200, 30, 4, 1));
    NN(cudnnGetTensor4dDescriptor(t, &type, &n, &c, &h, &w, s, s + 1, s + 2, s + 3));
    CHECK(type == CUDNN_DATA_HALF && n == 3 && c == 5 && h == 7 && w == 2 && s[0] == 200 && s[1] == 30 && s[2] == 4 && s[3] == 1);
    NN(cudnnGetTensorSizeInBytes(t, &bytes));
    CHECK(bytes == 2 * (2 * 200 + 4 * 30 + 6 * 4 + 1 + 1));
    const int five[5] = {2, 3, 4, 5, 6};
    NN(cudnnSetTensorNdDescriptorEx(t, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 5, five));
    NN(cudnnGetTensorNdDescriptor(t, 5, &type, &count, dims, strides));
    CHECK(type == CUDNN_DATA_FLOAT && count == 5 && !memcmp(dims, five, sizeof five));
    CHECK(strides[0] == 360 && strides[1] == 1 && strides[2] == 90 && strides[3] == 18 && strides[4] == 3);
    NN(cudnnDestroyTensorDescriptor(t));

    cudnnFilterDescriptor_t f;
    cudnnTensorFormat_t format;
    NN(cudnnCreateFilterDescriptor(&f));
    NN(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_DOUBLE, CUDNN_TENSOR_NHWC, 4, 3, 2, 5));
    NN(cudnnGetFilter4dDescriptor(f, &type, &format, &n, &c, &h, &w));
    CHECK(type == CUDNN_DATA_DOUBLE && format == CUDNN_TENSOR_NHWC && n == 4 && c == 3 && h == 2 && w == 5);
    NN(cudnnSetFilterNdDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 5, five));
    NN(cudnnGetFilterNdDescriptor(f, 5, &type, &format, &count, dims));
    CHECK(type == CUDNN_DATA_FLOAT && format == CUDNN_TENSOR_NCHW && count == 5 && !memcmp(dims, five, sizeof five));
    NN(cudnnGetFilterSizeInBytes(f, &bytes));
    CHECK(bytes == 4 * 720);
    NN(cudnnDestroyFilterDescriptor(f));
}

static void layers()
{
    cudnnNanPropagation_t nan;
    cudnnDataType_t type;
    cudnnActivationDescriptor_t a;
    cudnnActivationMode_t mode;
    double v, u;
    NN(cudnnCreateActivationDescriptor(&a));
    NN(cudnnSetActivationDescriptor(a, CUDNN_ACTIVATION_CLIPPED_RELU, CUDNN_PROPAGATE_NAN, 6.5));
    NN(cudnnGetActivationDescriptor(a, &mode, &nan, &v));
    CHECK(mode == CUDNN_ACTIVATION_CLIPPED_RELU && nan == CUDNN_PROPAGATE_NAN && v == 6.5);
    NN(cudnnSetActivationDescriptorSwishBeta(a, 1.75));
    NN(cudnnGetActivationDescriptorSwishBeta(a, &v));
    CHECK(v == 1.75);
    NN(cudnnDestroyActivationDescriptor(a));

    cudnnLRNDescriptor_t l;
    unsigned width;
    double k;
    NN(cudnnCreateLRNDescriptor(&l));
    NN(cudnnSetLRNDescriptor(l, 7, 2e-4, 0.75, 1.5));
    NN(cudnnGetLRNDescriptor(l, &width, &v, &u, &k));
    CHECK(width == 7 && v == 2e-4 && u == 0.75 && k == 1.5);
    NN(cudnnDestroyLRNDescriptor(l));

    cudnnOpTensorDescriptor_t o;
    cudnnOpTensorOp_t op;
    NN(cudnnCreateOpTensorDescriptor(&o));
    NN(cudnnSetOpTensorDescriptor(o, CUDNN_OP_TENSOR_MAX, CUDNN_DATA_DOUBLE, CUDNN_NOT_PROPAGATE_NAN));
    NN(cudnnGetOpTensorDescriptor(o, &op, &type, &nan));
    CHECK(op == CUDNN_OP_TENSOR_MAX && type == CUDNN_DATA_DOUBLE && nan == CUDNN_NOT_PROPAGATE_NAN);
    NN(cudnnDestroyOpTensorDescriptor(o));

    cudnnReduceTensorDescriptor_t r;
    cudnnReduceTensorOp_t rop;
    cudnnReduceTensorIndices_t indices;
    cudnnIndicesType_t index;
    cudnnTensorDescriptor_t from, to;
    size_t bytes = 1;
    NN(cudnnCreateReduceTensorDescriptor(&r));
    NN(cudnnSetReduceTensorDescriptor(r, CUDNN_REDUCE_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_FLATTENED_INDICES, CUDNN_32BIT_INDICES));
    NN(cudnnGetReduceTensorDescriptor(r, &rop, &type, &nan, &indices, &index));
    CHECK(rop == CUDNN_REDUCE_TENSOR_MAX && type == CUDNN_DATA_FLOAT && nan == CUDNN_PROPAGATE_NAN && indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES && index == CUDNN_32BIT_INDICES);
    NN(cudnnCreateTensorDescriptor(&from));
    NN(cudnnCreateTensorDescriptor(&to));
    NN(cudnnSetTensor4dDescriptor(from, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    NN(cudnnSetTensor4dDescriptor(to, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 1, 1, 1));
    NN(cudnnGetReductionWorkspaceSize(handle, r, from, to, &bytes));
    NN(cudnnDestroyReduceTensorDescriptor(r));

    /* Two dimensions as three, and back. */
    cudnnPoolingDescriptor_t p;
    cudnnPoolingMode_t pooling;
    int h, w, ph, pw, sh, sw, count, out[5];
    NN(cudnnCreatePoolingDescriptor(&p));
    NN(cudnnSetPooling2dDescriptor(p, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 3, 1, 0, 2, 1));
    NN(cudnnGetPooling2dDescriptor(p, &pooling, &nan, &h, &w, &ph, &pw, &sh, &sw));
    CHECK(pooling == CUDNN_POOLING_MAX && nan == CUDNN_PROPAGATE_NAN && h == 2 && w == 3 && ph == 1 && pw == 0 && sh == 2 && sw == 1);
    NN(cudnnGetPoolingNdForwardOutputDim(p, from, 4, out));
    CHECK(out[0] == 2 && out[1] == 3 && out[2] == (4 + 2 - 2) / 2 + 1 && out[3] == 5 - 3 + 1);
    const int window[3] = {3, 2, 4}, pad[3] = {1, 0, 2}, stride[3] = {1, 2, 3};
    int got[3][3];
    NN(cudnnSetPoolingNdDescriptor(p, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_NOT_PROPAGATE_NAN, 3, window, pad, stride));
    NN(cudnnGetPoolingNdDescriptor(p, 3, &pooling, &nan, &count, got[0], got[1], got[2]));
    CHECK(pooling == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING && nan == CUDNN_NOT_PROPAGATE_NAN && count == 3);
    CHECK(!memcmp(got[0], window, sizeof window) && !memcmp(got[1], pad, sizeof pad) && !memcmp(got[2], stride, sizeof stride));
    NN(cudnnDestroyPoolingDescriptor(p));
    for (cudnnTensorDescriptor_t d : {from, to})
        NN(cudnnDestroyTensorDescriptor(d));
}

enum { N = 2, C = 3, H = 7, W = 5, K = 4, R = 3, S = 2 };
static void convolutions()
{
    cudnnConvolutionDescriptor_t c;
    cudnnConvolutionMode_t mode;
    cudnnDataType_t type;
    cudnnMathType_t math;
    int groups, count, got[3][3], out[4], ph, pw, sh, sw, dh, dw;
    const int pad[3] = {1, 0, 2}, stride[3] = {2, 1, 3}, dilation[3] = {1, 2, 1};
    NN(cudnnCreateConvolutionDescriptor(&c));
    NN(cudnnSetConvolutionNdDescriptor(c, 3, pad, stride, dilation, CUDNN_CONVOLUTION, CUDNN_DATA_DOUBLE));
    NN(cudnnGetConvolutionNdDescriptor(c, 3, &count, got[0], got[1], got[2], &mode, &type));
    CHECK(count == 3 && mode == CUDNN_CONVOLUTION && type == CUDNN_DATA_DOUBLE);
    CHECK(!memcmp(got[0], pad, sizeof pad) && !memcmp(got[1], stride, sizeof stride) && !memcmp(got[2], dilation, sizeof dilation));
    NN(cudnnSetConvolutionGroupCount(c, 3));
    NN(cudnnGetConvolutionGroupCount(c, &groups));
    NN(cudnnSetConvolutionMathType(c, CUDNN_FMA_MATH));
    NN(cudnnGetConvolutionMathType(c, &math));
    CHECK(groups == 3 && math == CUDNN_FMA_MATH);
    NN(cudnnSetConvolutionGroupCount(c, 1));
    NN(cudnnSetConvolution2dDescriptor(c, 1, 0, 2, 1, 1, 2, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    NN(cudnnGetConvolution2dDescriptor(c, &ph, &pw, &sh, &sw, &dh, &dw, &mode, &type));
    CHECK(ph == 1 && pw == 0 && sh == 2 && sw == 1 && dh == 1 && dw == 2 && mode == CUDNN_CROSS_CORRELATION && type == CUDNN_DATA_FLOAT);

    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t f;
    NN(cudnnCreateTensorDescriptor(&x));
    NN(cudnnCreateTensorDescriptor(&y));
    NN(cudnnCreateFilterDescriptor(&f));
    NN(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    NN(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, K, C, R, S));
    NN(cudnnGetConvolutionNdForwardOutputDim(c, x, f, 4, out));
    const int oh = (H + 2 - R) / 2 + 1, ow = W - ((S - 1) * 2 + 1) + 1;
    CHECK(out[0] == N && out[1] == K && out[2] == oh && out[3] == ow);
    NN(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, K, oh, ow));

    /* Each tap's element of each place, image after image. */
    const numbers in = some(N * C * H * W), weights = some(K * C * R * S);
    array<float> dx(in), df(weights), dy((size_t)N * K * oh * ow), columns((size_t)N * C * R * S * oh * ow);
    NN(cudnnIm2Col(handle, x, dx.p, f, c, columns.p));
    const numbers found = columns.get();
    size_t at = 0;
    for (int n = 0; n < N; n++)
        for (int tap = 0; tap < C * R * S; tap++)
            for (int i = 0; i < oh; i++)
                for (int j = 0; j < ow; j++, at++) {
                    const int row = i * 2 - 1 + tap / S % R, col = j + tap % S * 2;
                    const double want = row < 0 || row >= H ? 0 : in[((n * C + tap / S / R) * H + row) * W + col];
                    CHECK(fabs(found[at] - want) < 1e-6);
                }

    /* Ways that are found are ways that work: the best first, with the times they took. */
    cudnnConvolutionFwdAlgoPerf_t forward[8];
    cudnnConvolutionBwdDataAlgoPerf_t data[8];
    cudnnConvolutionBwdFilterAlgoPerf_t filter[8];
    int most;
    plain_array<char> work(std::vector<char>(1 << 20));
    NN(cudnnFindConvolutionForwardAlgorithmEx(handle, x, dx.p, f, df.p, c, y, dy.p, 8, &count, forward, work.p, 1 << 20));
    CHECK(count > 0 && forward[0].status == CUDNN_STATUS_SUCCESS && (count < 2 || forward[0].time <= forward[1].time || forward[1].status));
    NN(cudnnFindConvolutionBackwardDataAlgorithmEx(handle, f, df.p, y, dy.p, c, x, dx.p, 8, &count, data, work.p, 1 << 20));
    CHECK(count > 0 && data[0].status == CUDNN_STATUS_SUCCESS);
    NN(cudnnFindConvolutionBackwardFilterAlgorithm(handle, x, y, c, f, 8, &count, filter));
    CHECK(count > 0 && filter[0].status == CUDNN_STATUS_SUCCESS);
    NN(cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle, &most));
    NN(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, f, y, c, x, 8, &count, data));
    CHECK(count > 0 && count <= most && data[0].status == CUDNN_STATUS_SUCCESS);
    NN(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle, &most));
    NN(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x, y, c, f, 8, &count, filter));
    CHECK(count > 0 && count <= most && filter[0].status == CUDNN_STATUS_SUCCESS);
    for (cudnnTensorDescriptor_t d : {x, y})
        NN(cudnnDestroyTensorDescriptor(d));
    NN(cudnnDestroyFilterDescriptor(f));
    NN(cudnnDestroyConvolutionDescriptor(c));
}

static void normalisation()
{
    cudnnTensorDescriptor_t x, s;
    NN(cudnnCreateTensorDescriptor(&x));
    NN(cudnnCreateTensorDescriptor(&s));
    NN(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    for (cudnnBatchNormMode_t mode : {CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_PER_ACTIVATION}) {
        NN(cudnnDeriveBNTensorDescriptor(s, x, mode));
        const size_t each = mode == CUDNN_BATCHNORM_SPATIAL ? C : C * H * W, n = (size_t)N * C * H * W;
        const numbers in = some(n), was = some(n), scale = some(each), bias = some(each), mean = some(each), variance = some(each, 0.5, 1);
        array<float> dx(in), dy(was), ds(scale), db(bias), dm(mean), dv(variance);
        const float half = 0.5f, two = 2;
        NN(cudnnBatchNormalizationForwardInference(handle, mode, &half, &two, x, dx.p, x, dy.p, s, ds.p, db.p, dm.p, dv.p, 1e-3));
        const numbers got = dy.get();
        for (size_t i = 0; i < n; i++) {
            const size_t k = mode == CUDNN_BATCHNORM_SPATIAL ? i / (H * W) % C : i % (C * H * W);
            const double want = 0.5 * (scale[k] * (in[i] - mean[k]) / sqrt(variance[k] + 1e-3) + bias[k]) + 2 * was[i];
            CHECK(fabs(got[i] - want) < 1e-5);
        }
        size_t bytes = 1;
        NN(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(handle, mode, CUDNN_BATCHNORM_OPS_BN, x, nullptr, x, s, nullptr, &bytes));
        NN(cudnnGetBatchNormalizationBackwardExWorkspaceSize(handle, mode, CUDNN_BATCHNORM_OPS_BN, x, nullptr, x, nullptr, x, s, nullptr, &bytes));
        NN(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, mode, CUDNN_BATCHNORM_OPS_BN, nullptr, x, &bytes));
    }
    for (cudnnTensorDescriptor_t d : {x, s})
        NN(cudnnDestroyTensorDescriptor(d));
}

/* A state that is taken up again draws as the one that was copied. */
static void dropout()
{
    enum { M = 500 };
    cudnnDropoutDescriptor_t a, b;
    cudnnTensorDescriptor_t t;
    size_t states, reserve;
    NN(cudnnCreateDropoutDescriptor(&a));
    NN(cudnnCreateDropoutDescriptor(&b));
    NN(cudnnCreateTensorDescriptor(&t));
    NN(cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, M));
    NN(cudnnDropoutGetStatesSize(handle, &states));
    NN(cudnnDropoutGetReserveSpaceSize(t, &reserve));
    plain_array<char> first(std::vector<char>(states + 1)), second(std::vector<char>(states + 1)), kept(std::vector<char>(reserve + 1));
    array<float> x(numbers(M, 1.0)), y(M), z(M);
    NN(cudnnSetDropoutDescriptor(a, handle, 0.25f, first.p, states, 77));
    float rate;
    void *at;
    unsigned long long seed;
    NN(cudnnGetDropoutDescriptor(a, handle, &rate, &at, &seed));
    CHECK(rate == 0.25f && at == first.p && seed == 77);
    NN(cudnnDropoutForward(handle, a, t, x.p, t, y.p, kept.p, reserve));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(second.p, first.p, states, cudaMemcpyDeviceToDevice));
    NN(cudnnRestoreDropoutDescriptor(b, handle, 0.25f, second.p, states, 77));
    NN(cudnnDropoutForward(handle, a, t, x.p, t, y.p, kept.p, reserve));
    NN(cudnnDropoutForward(handle, b, t, x.p, t, z.p, kept.p, reserve));
    CHECK(y.get() == z.get());
    for (cudnnDropoutDescriptor_t d : {a, b})
        NN(cudnnDestroyDropoutDescriptor(d));
    NN(cudnnDestroyTensorDescriptor(t));
}

static void sequences()
{
    cudnnRNNDescriptor_t r;
    cudnnRNNAlgo_t algo;
    cudnnRNNMode_t cell;
    cudnnRNNBiasMode_t bias;
    cudnnDirectionMode_t direction;
    cudnnRNNInputMode_t input;
    cudnnDataType_t type, precision;
    cudnnMathType_t math;
    cudnnDropoutDescriptor_t none, drop;
    cudnnRNNClipMode_t clip;
    cudnnNanPropagation_t nan;
    int32_t in, hidden, projected, deep;
    uint32_t flags;
    double low, high;
    NN(cudnnCreateRNNDescriptor(&r));
    NN(cudnnCreateDropoutDescriptor(&none));
    NN(cudnnSetDropoutDescriptor(none, handle, 0, nullptr, 0, 0));
    NN(cudnnSetRNNDescriptor_v8(r, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, 6, 9, 9, 2, none, CUDNN_RNN_PADDED_IO_ENABLED));
    NN(cudnnGetRNNDescriptor_v8(r, &algo, &cell, &bias, &direction, &input, &type, &precision, &math, &in, &hidden, &projected, &deep, &drop, &flags));
    CHECK(algo == CUDNN_RNN_ALGO_STANDARD && cell == CUDNN_LSTM && bias == CUDNN_RNN_DOUBLE_BIAS && direction == CUDNN_BIDIRECTIONAL && input == CUDNN_LINEAR_INPUT);
    CHECK(type == CUDNN_DATA_FLOAT && precision == CUDNN_DATA_FLOAT && math == CUDNN_FMA_MATH && in == 6 && hidden == 9 && projected == 9 && deep == 2 && drop == none && flags == CUDNN_RNN_PADDED_IO_ENABLED);
    NN(cudnnRNNSetClip_v8(r, CUDNN_RNN_CLIP_MINMAX, CUDNN_NOT_PROPAGATE_NAN, -2.5, 3.5));
    NN(cudnnRNNGetClip_v8(r, &clip, &nan, &low, &high));
    CHECK(clip == CUDNN_RNN_CLIP_MINMAX && nan == CUDNN_NOT_PROPAGATE_NAN && low == -2.5 && high == 3.5);
    NN(cudnnRNNSetClip_v9(r, CUDNN_RNN_CLIP_NONE, 0, 0));
    NN(cudnnRNNGetClip_v9(r, &clip, &low, &high));
    CHECK(clip == CUDNN_RNN_CLIP_NONE);
    NN(cudnnBuildRNNDynamic(handle, r, 4));
    NN(cudnnDestroyRNNDescriptor(r));
    NN(cudnnDestroyDropoutDescriptor(none));

    cudnnRNNDataDescriptor_t d;
    cudnnRNNDataLayout_t layout;
    const int lengths[3] = {4, 1, 3};
    int longest, batch, wide, got[3];
    float fill = -7, filled = 0;
    NN(cudnnCreateRNNDataDescriptor(&d));
    NN(cudnnSetRNNDataDescriptor(d, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, 4, 3, 6, lengths, &fill));
    NN(cudnnGetRNNDataDescriptor(d, &type, &layout, &longest, &batch, &wide, 3, got, &filled));
    CHECK(type == CUDNN_DATA_FLOAT && layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED && longest == 4 && batch == 3 && wide == 6 && !memcmp(got, lengths, sizeof got) && filled == -7);
    NN(cudnnDestroyRNNDataDescriptor(d));

    cudnnCTCLossDescriptor_t c;
    cudnnLossNormalizationMode_t norm;
    cudnnCTCGradMode_t gradient;
    cudnnTensorDescriptor_t probabilities;
    size_t bytes = 1;
    int most;
    NN(cudnnCreateCTCLossDescriptor(&c));
    NN(cudnnSetCTCLossDescriptorEx(c, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_NOT_PROPAGATE_NAN));
    NN(cudnnGetCTCLossDescriptor(c, &type));
    NN(cudnnGetCTCLossDescriptorEx(c, &type, &norm, &nan));
    CHECK(type == CUDNN_DATA_FLOAT && norm == CUDNN_LOSS_NORMALIZATION_SOFTMAX && nan == CUDNN_NOT_PROPAGATE_NAN);
    NN(cudnnSetCTCLossDescriptor_v8(c, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_PROPAGATE_NAN, 31));
    NN(cudnnGetCTCLossDescriptor_v8(c, &type, &norm, &nan, &most));
    CHECK(norm == CUDNN_LOSS_NORMALIZATION_SOFTMAX && nan == CUDNN_PROPAGATE_NAN && most == 31);
    NN(cudnnSetCTCLossDescriptor_v9(c, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_CTC_ZERO_OOB_GRADIENTS, 12));
    NN(cudnnGetCTCLossDescriptor_v9(c, &type, &norm, &gradient, &most));
    CHECK(gradient == CUDNN_CTC_ZERO_OOB_GRADIENTS && most == 12);
    const int dims[3] = {5, 2, 4}, strides[3] = {8, 4, 1}, labels[3] = {1, 2, 3}, counts[2] = {2, 1}, steps[2] = {5, 4};
    NN(cudnnCreateTensorDescriptor(&probabilities));
    NN(cudnnSetTensorNdDescriptor(probabilities, CUDNN_DATA_FLOAT, 3, dims, strides));
    NN(cudnnGetCTCLossWorkspaceSize(handle, probabilities, probabilities, labels, counts, steps, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, c, &bytes));
    NN(cudnnGetCTCLossWorkspaceSize_v8(handle, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, c, probabilities, probabilities, &bytes));
    NN(cudnnDestroyTensorDescriptor(probabilities));
    NN(cudnnDestroyCTCLossDescriptor(c));
}

static void library()
{
    NN(cudnnAdvVersionCheck());
    NN(cudnnCnnVersionCheck());
    NN(cudnnGraphVersionCheck());
    NN(cudnnOpsVersionCheck());
    CHECK(cudnnGetCudartVersion() >= 12000 && cudnnGetMaxDeviceVersion() > 0);
    cudaStream_t s, got;
    CUDA(cudaStreamCreate(&s));
    NN(cudnnSetStream(handle, s));
    NN(cudnnGetStream(handle, &got));
    CHECK(got == s);
    NN(cudnnSetStream(handle, nullptr));
    CUDA(cudaStreamDestroy(s));
    terndnnHandle_t own;
    CUDA(cudaStreamCreate(&s));
    DNN(terndnnCreate(&own));
    DNN(terndnnSetStream(own, s));
    DNN(terndnnGetStream(own, &got));
    CHECK(got == s);
    DNN(terndnnDestroy(own));
    CUDA(cudaStreamDestroy(s));
    cudnnBackendDescriptor_t d;
    NN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &d));
    NN(cudnnBackendInitialize(d));
    NN(cudnnBackendDestroyDescriptor(d));
}

static void refused()
{
#define REFUSED(f) CHECK(blank(f) == CUDNN_STATUS_NOT_SUPPORTED);
    REFUSED(cudnnCreateAttnDescriptor)
    REFUSED(cudnnCreateFusedOpsConstParamPack)
    REFUSED(cudnnCreateFusedOpsPlan)
    REFUSED(cudnnCreateFusedOpsVariantParamPack)
    REFUSED(cudnnCreateSeqDataDescriptor)
    REFUSED(cudnnCreateTensorTransformDescriptor)
    REFUSED(cudnnDeriveNormTensorDescriptor)
    REFUSED(cudnnDestroyAttnDescriptor)
    REFUSED(cudnnDestroyFusedOpsConstParamPack)
    REFUSED(cudnnDestroyFusedOpsPlan)
    REFUSED(cudnnDestroyFusedOpsVariantParamPack)
    REFUSED(cudnnDestroySeqDataDescriptor)
    REFUSED(cudnnDestroyTensorTransformDescriptor)
    REFUSED(cudnnDivisiveNormalizationBackward)
    REFUSED(cudnnDivisiveNormalizationForward)
    REFUSED(cudnnFusedOpsExecute)
    REFUSED(cudnnGetAttnDescriptor)
    REFUSED(cudnnGetCallback)
    REFUSED(cudnnGetConvolutionReorderType)
    REFUSED(cudnnGetFoldedConvBackwardDataDescriptors)
    REFUSED(cudnnGetFusedOpsConstParamPackAttribute)
    REFUSED(cudnnGetFusedOpsVariantParamPackAttribute)
    REFUSED(cudnnGetMultiHeadAttnBuffers)
    REFUSED(cudnnGetMultiHeadAttnWeights)
    REFUSED(cudnnGetNormalizationBackwardWorkspaceSize)
    REFUSED(cudnnGetNormalizationForwardTrainingWorkspaceSize)
    REFUSED(cudnnGetNormalizationTrainingReserveSpaceSize)
    REFUSED(cudnnGetSeqDataDescriptor)
    REFUSED(cudnnGetTensorTransformDescriptor)
    REFUSED(cudnnInitTransformDest)
    REFUSED(cudnnMakeFusedOpsPlan)
    REFUSED(cudnnMultiHeadAttnBackwardData)
    REFUSED(cudnnMultiHeadAttnBackwardWeights)
    REFUSED(cudnnMultiHeadAttnForward)
    REFUSED(cudnnNormalizationBackward)
    REFUSED(cudnnNormalizationForwardInference)
    REFUSED(cudnnNormalizationForwardTraining)
    REFUSED(cudnnQueryRuntimeError)
    REFUSED(cudnnReorderFilterAndBias)
    REFUSED(cudnnSetAttnDescriptor)
    REFUSED(cudnnSetCallback)
    REFUSED(cudnnSetConvolutionReorderType)
    REFUSED(cudnnSetFusedOpsConstParamPackAttribute)
    REFUSED(cudnnSetFusedOpsVariantParamPackAttribute)
    REFUSED(cudnnSetSeqDataDescriptor)
    REFUSED(cudnnSetTensorTransformDescriptor)
    REFUSED(cudnnTransformFilter)
    REFUSED(cudnnTransformTensorEx)
}

int main()
{
    NN(cudnnCreate(&handle));
    tensors();
    layers();
    convolutions();
    normalisation();
    dropout();
    sequences();
    library();
    refused();
    NN(cudnnDestroy(handle));
    puts("ok");
}
