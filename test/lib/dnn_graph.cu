// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// cuDNN's graphs through its backend API: modes, shapes and types against loops in double; plans as text; what is refused, and why.
#include "cudnn_graph.h"

static void near_all(const char *what, const numbers &got, const numbers &want, double eps)
{
    double most = 0, size = 1e-30;
    for (size_t i = 0; i < want.size(); i++) {
        size = fmax(size, fabs(want[i]));
        const double d = fabs(got[i] - want[i]);
        most = d <= most ? most : d; /* a NaN stays */
    }
    if (!(got.size() == want.size() && most <= eps * size)) {
        printf("%s: differs by %g of %g\n", what, most, size);
        exit(1);
    }
}

/* ---- every mode of elements ---- */
struct mode_row {
    cudnnPointwiseMode_t mode;
    double (*f)(double x, double b, double t);
    int inputs;
};
static double logistic(double x) { return 1 / (1 + exp(-x)); }
static double gelu(double x) { return 0.5 * x * (1 + erf(x / sqrt(2.))); }
static double gelu_tanh(double x) { return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }
static double slope(double (*f)(double), double x) { return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5; }
#define ROW(mode, inputs, value) {CUDNN_POINTWISE_##mode, [](double x, double b, double t) -> double { (void)x, (void)b, (void)t; return value; }, inputs},
static const mode_row modes[] = {
    ROW(ADD, 2, x + b) ROW(MUL, 2, x *b) ROW(MIN, 2, fmin(x, b)) ROW(MAX, 2, fmax(x, b)) ROW(SQRT, -1, sqrt(x)) ROW(ADD_SQUARE, 2, x + b * b)
    ROW(DIV, 2, x / b) ROW(MOD, 2, fmod(x, b)) ROW(POW, -2, pow(x, b)) ROW(SUB, 2, x - b) ROW(ABS, 1, fabs(x)) ROW(CEIL, 1, ceil(x))
    ROW(COS, 1, cos(x)) ROW(EXP, 1, exp(x)) ROW(FLOOR, 1, floor(x)) ROW(LOG, -1, log(x)) ROW(NEG, 1, -x) ROW(RSQRT, -1, 1 / sqrt(x))
    ROW(SIN, 1, sin(x)) ROW(TAN, 1, tan(x)) ROW(ERF, 1, erf(x)) ROW(IDENTITY, 1, x) ROW(RECIPROCAL, 1, 1 / x) ROW(ATAN2, 2, atan2(x, b))
    ROW(RELU_FWD, 1, x > 0 ? x : 0) ROW(TANH_FWD, 1, tanh(x)) ROW(SIGMOID_FWD, 1, logistic(x)) ROW(ELU_FWD, 1, x > 0 ? x : expm1(x))
    ROW(GELU_FWD, 1, gelu(x)) ROW(SOFTPLUS_FWD, 1, log1p(exp(x))) ROW(SWISH_FWD, 1, x * logistic(x)) ROW(GELU_APPROX_TANH_FWD, 1, gelu_tanh(x))
    ROW(RELU_BWD, 2, b > 0 ? x : 0) ROW(TANH_BWD, 2, x *slope(tanh, b)) ROW(SIGMOID_BWD, 2, x *slope(logistic, b))
    ROW(ELU_BWD, 2, x *(b > 0 ? 1 : exp(b))) ROW(GELU_BWD, 2, x *slope(gelu, b)) ROW(SOFTPLUS_BWD, 2, x *logistic(b))
    ROW(SWISH_BWD, 2, x *(logistic(b) + b * logistic(b) * logistic(-b))) ROW(GELU_APPROX_TANH_BWD, 2, x *slope(gelu_tanh, b))
    ROW(CMP_EQ, 2, x == b) ROW(CMP_NEQ, 2, x != b) ROW(CMP_GT, 2, x > b) ROW(CMP_GE, 2, x >= b) ROW(CMP_LT, 2, x < b) ROW(CMP_LE, 2, x <= b)
    ROW(LOGICAL_AND, 2, x != 0 && b != 0) ROW(LOGICAL_OR, 2, x != 0 || b != 0) ROW(LOGICAL_NOT, 1, x == 0) ROW(BINARY_SELECT, 3, t != 0 ? x : b)
};

static void elements()
{
    const ints dim = {2, 3, 5}, row = {1, 3, 1};
    const size_t every = slow_device() ? 9 : 1;
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k += every) {
        const mode_row &m = modes[k];
        const int inputs = abs(m.inputs);
        numbers x = some(30, 2), b = some(3, 2), t = some(30), want(30);
        for (size_t i = 0; i < 30; i++) {
            x[i] = (float)(m.inputs < 0 ? fabs(x[i]) + 0.1 : i % 7 == 0 ? b[i / 5 % 3] : x[i]);
            t[i] = i % 2;
        }
        for (double &v : b)
            v = (float)v;
        for (size_t i = 0; i < 30; i++)
            x[i] = m.mode >= CUDNN_POINTWISE_LOGICAL_AND && i % 3 == 0 && inputs < 3 ? 0 : (float)x[i];
        for (size_t i = 0; i < 30; i++)
            want[i] = m.f(x[i], b[i / 5 % 3], t[i]);
        graph g;
        tensor &tx = g.in(x, dim), &tb = g.in(b, row), &tt = g.in(t, dim, CUDNN_DATA_BOOLEAN), &y = g.out(dim, CUDNN_DATA_FLOAT, {15, 1, 3});
        g.pointwise(m.mode, &tx, inputs > 1 ? &tb : nullptr, inputs > 2 ? &tt : nullptr, y);
        g.run();
        char name[64];
        snprintf(name, sizeof name, "pointwise mode %d", (int)m.mode);
        near_all(name, y.get(), want, 3e-5);
    }
}

/* ---- a product, scaled, with a bias and an activation between virtual tensors ---- */
static void product(cudnnDataType_t type, double eps, bool turned)
{
    const int64_t B = 3, M = 5, N = 7, K = 9;
    const numbers a = some((size_t)(B * M * K)), b = some((size_t)(K * N)), bias = some((size_t)N);
    graph g;
    tensor &ta = g.in(a, {B, M, K}, type, turned ? ints{M * K, 1, M} : ints{}), &tb = g.in(b, {1, K, N}, type), &tbias = g.in(bias, {1, 1, N}, type);
    tensor &two = g.scalar(0.5, 3), &c = g.between({B, M, N}), &d = g.between({B, M, N}), &e = g.between({B, M, N}), &y = g.out({B, M, N}, type);
    /* Not in the order in which they can be done. */
    g.pointwise(CUDNN_POINTWISE_RELU_FWD, &e, nullptr, nullptr, y);
    g.pointwise(CUDNN_POINTWISE_ADD, &d, &tbias, nullptr, e);
    g.pointwise(CUDNN_POINTWISE_MUL, &c, &two, nullptr, d);
    g.matmul(ta, tb, c);
    numbers want;
    const numbers ra = ta.get(), rb = tb.get(), rbias = tbias.get();
    for (int64_t i = 0; i < B * M; i++)
        for (int64_t n = 0; n < N; n++) {
            double s = 0;
            for (int64_t k = 0; k < K; k++)
                s += ra[(size_t)(i * K + k)] * rb[(size_t)(k * N + n)];
            want.push_back(fmax(0, 0.5 * s + rbias[(size_t)n]));
        }
    g.run();
    near_all("a product with an epilogue", y.get(), want, eps);
    CHECK(g.workspace > 0);
    y.put(numbers(want.size(), 9));
    g.through_text();
    g.run();
    near_all("the same, from its text", y.get(), want, eps);
}

/* ---- refusals ---- */
static void refused()
{
    cudnnBackendDescriptor_t d = nullptr;
    WRONG(NOT_SUPPORTED, cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)999, &d));
    GN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &d));
    int64_t one = 1;
    WRONG(BAD_PARAM, cudnnBackendSetAttribute(d, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &one));
    CHECK(strstr(why(), "CUDNN_ATTR_MATMUL_COMP_TYPE"));
    WRONG(BAD_PARAM_ATTRIBUTE_TYPE, cudnnBackendSetAttribute(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_FLOAT, 1, &one));
    WRONG(BAD_PARAM, cudnnBackendFinalize(d));
    CHECK(strstr(why(), "CUDNN_ATTR_TENSOR_UNIQUE_ID"));
    WRONG(BAD_PARAM_NOT_FINALIZED, cudnnBackendGetAttribute(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, nullptr, &one));
    GN(cudnnBackendDestroyDescriptor(d));
    GN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR, &d));
    WRONG(NOT_SUPPORTED, cudnnBackendFinalize(d));
    CHECK(strstr(why(), "CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR"));
    GN(cudnnBackendDestroyDescriptor(d));
    { /* shapes that do not fit; the descriptors of tensors may be gone */
        graph g;
        g.matmul(g.in(some(6), {1, 2, 3}), g.in(some(8), {1, 4, 2}), g.out({1, 2, 2}));
        descriptor whole(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        WRONG(BAD_PARAM_SHAPE_MISMATCH, g.finish(whole));
    }
    { /* a circle */
        graph g;
        tensor &a = g.between({4}), &b = g.between({4});
        g.pointwise(CUDNN_POINTWISE_NEG, &a, nullptr, nullptr, b);
        g.pointwise(CUDNN_POINTWISE_NEG, &b, nullptr, nullptr, a);
        descriptor whole(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        WRONG(BAD_PARAM, g.finish(whole));
    }
    { /* damaged text */
        descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        const char text[] = "{\"tern_cudnn_plan\":1,\"descriptors\":[[17,[[906,3,1,\"01\"]]]]}";
        GN(cudnnBackendSetAttribute(plan.d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, sizeof text, text));
        WRONG(BAD_PARAM, cudnnBackendFinalize(plan.d));
    }
}

int main()
{
    NN(cudnnCreate(&handle));
    elements();
    product(CUDNN_DATA_FLOAT, 1e-5, false);
    product(CUDNN_DATA_FLOAT, 1e-5, true);
    product(CUDNN_DATA_DOUBLE, 1e-6, false);
    product(CUDNN_DATA_HALF, 4e-3, true);
    refused();
    NN(cudnnDestroy(handle));
    puts("ok");
}
