/* For the programs here that build cuDNN's graphs: descriptors, tensors with their numbers, and a
 * graph that is run. */
#pragma once
#include "cudnn_check.h"
#include <cuda_fp8.h>
#include <memory>

#define WRONG(status, call) CHECK((call) == CUDNN_STATUS_##status)

static cudnnHandle_t handle;

static const char *why()
{
    static char text[512];
    cudnnGetLastErrorString(text, sizeof text);
    return text;
}
#define GN(call)                                                                                   \
    do {                                                                                           \
        cudnnStatus_t s_ = (call);                                                                 \
        if (s_ != CUDNN_STATUS_SUCCESS) {                                                          \
            printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, cudnnGetErrorString(s_),      \
                   why());                                                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef std::vector<int64_t> ints;

/* ---- types of attributes by the types of C++ ---- */
template <class T> struct attribute;
#define ATTRIBUTE(T, name)                                                                         \
    template <> struct attribute<T> {                                                              \
        static const cudnnBackendAttributeType_t type = CUDNN_TYPE_##name;                         \
    };
ATTRIBUTE(int64_t, INT64)
ATTRIBUTE(int32_t, INT32)
ATTRIBUTE(float, FLOAT)
ATTRIBUTE(double, DOUBLE)
ATTRIBUTE(bool, BOOLEAN)
ATTRIBUTE(cudnnHandle_t, HANDLE)
ATTRIBUTE(cudnnDataType_t, DATA_TYPE)
ATTRIBUTE(cudnnPointwiseMode_t, POINTWISE_MODE)
ATTRIBUTE(cudnnConvolutionMode_t, CONVOLUTION_MODE)
ATTRIBUTE(cudnnBackendHeurMode_t, HEUR_MODE)
ATTRIBUTE(cudnnReduceTensorOp_t, REDUCTION_OPERATOR_TYPE)
ATTRIBUTE(cudnnBackendNormMode_t, NORM_MODE)
ATTRIBUTE(cudnnBackendNormFwdPhase_t, NORM_FWD_PHASE)
ATTRIBUTE(cudnnRngDistribution_t, RNG_DISTRIBUTION)
ATTRIBUTE(cudnnResampleMode_t, RESAMPLE_MODE)
ATTRIBUTE(cudnnPaddingMode_t, PADDING_MODE)
ATTRIBUTE(cudnnGenStatsMode_t, GENSTATS_MODE)
ATTRIBUTE(cudnnBnFinalizeStatsMode_t, BN_FINALIZE_STATS_MODE)
ATTRIBUTE(cudnnFraction_t, FRACTION)
ATTRIBUTE(cudnnBackendReshapeMode_t, RESHAPE_MODE)

struct descriptor {
    cudnnBackendDescriptor_t d = nullptr;
    explicit descriptor(cudnnBackendDescriptorType_t type)
    {
        GN(cudnnBackendCreateDescriptor(type, &d));
    }
    descriptor(const descriptor &) = delete;
    ~descriptor()
    {
        cudnnBackendDestroyDescriptor(d);
    }
    template <class T> descriptor &set(cudnnBackendAttributeName_t name, T v)
    {
        GN(cudnnBackendSetAttribute(d, name, attribute<T>::type, 1, &v));
        return *this;
    }
    template <class T> descriptor &set(cudnnBackendAttributeName_t name, const std::vector<T> &v)
    {
        GN(cudnnBackendSetAttribute(d, name, attribute<T>::type, (int64_t)v.size(), v.data()));
        return *this;
    }
    descriptor &set(cudnnBackendAttributeName_t name, const descriptor &v)
    {
        GN(cudnnBackendSetAttribute(d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &v.d));
        return *this;
    }
    descriptor &end()
    {
        GN(cudnnBackendFinalize(d));
        return *this;
    }
};

/* ---- tensors ---- */
static ints packed(const ints &dim)
{
    ints step(dim.size());
    int64_t s = 1;
    for (size_t k = dim.size(); k--; s *= dim[k])
        step[k] = s;
    return step;
}
static int64_t count_of(const ints &dim)
{
    int64_t n = 1;
    for (int64_t d : dim)
        n *= d;
    return n;
}
static size_t element_of(cudnnDataType_t t)
{
    return t == CUDNN_DATA_DOUBLE || t == CUDNN_DATA_INT64    ? 8
           : t == CUDNN_DATA_FLOAT || t == CUDNN_DATA_INT32   ? 4
           : t == CUDNN_DATA_HALF || t == CUDNN_DATA_BFLOAT16 ? 2
                                                              : 1;
}
static double read_element(cudnnDataType_t t, const unsigned char *p)
{
    switch (t) {
    case CUDNN_DATA_FLOAT: return *(const float *)p;
    case CUDNN_DATA_DOUBLE: return *(const double *)p;
    case CUDNN_DATA_HALF: return __half2float(*(const __half *)p);
    case CUDNN_DATA_BFLOAT16: return __bfloat162float(*(const __nv_bfloat16 *)p);
    case CUDNN_DATA_INT32: return *(const int32_t *)p;
    case CUDNN_DATA_INT64: return (double)*(const int64_t *)p;
    case CUDNN_DATA_INT8: return *(const signed char *)p;
    case CUDNN_DATA_FP8_E4M3: return (double)(float)*(const __nv_fp8_e4m3 *)p;
    default: return *p;
    }
}
static void write_element(cudnnDataType_t t, unsigned char *p, double v)
{
    switch (t) {
    case CUDNN_DATA_FLOAT: *(float *)p = (float)v; break;
    case CUDNN_DATA_DOUBLE: *(double *)p = v; break;
    case CUDNN_DATA_HALF: *(__half *)p = __float2half((float)v); break;
    case CUDNN_DATA_BFLOAT16: *(__nv_bfloat16 *)p = __float2bfloat16((float)v); break;
    case CUDNN_DATA_INT32: *(int32_t *)p = (int32_t)v; break;
    case CUDNN_DATA_INT64: *(int64_t *)p = (int64_t)v; break;
    case CUDNN_DATA_INT8: *(signed char *)p = (signed char)v; break;
    case CUDNN_DATA_FP8_E4M3: *(__nv_fp8_e4m3 *)p = __nv_fp8_e4m3((float)v); break;
    default: *p = (unsigned char)v; break;
    }
}

/* Numbers are in the order of the dimensions, however they lie in memory. */
struct tensor {
    descriptor d{CUDNN_BACKEND_TENSOR_DESCRIPTOR};
    int64_t uid;
    cudnnDataType_t type;
    ints dim, step;
    bool is_virtual = false, by_value = false;
    void *data = nullptr;
    unsigned char value[16] = {0};

    size_t place(int64_t i) const
    {
        int64_t at = 0;
        for (size_t k = dim.size(); k--; i /= dim[k])
            at += i % dim[k] * step[k];
        return (size_t)at;
    }
    size_t bytes() const
    {
        return (place(count_of(dim) - 1) + 1) * element_of(type);
    }
    ~tensor()
    {
        cudaFree(data);
    }
    void put(const numbers &v)
    {
        std::vector<unsigned char> h(bytes(), 0xff);
        for (size_t i = 0; i < v.size(); i++)
            write_element(type, &h[place((int64_t)i) * element_of(type)], v[i]);
        CUDA(cudaMemcpy(data, h.data(), h.size(), cudaMemcpyHostToDevice));
    }
    numbers get() const
    {
        std::vector<unsigned char> h(bytes());
        CUDA(cudaMemcpy(h.data(), data, h.size(), cudaMemcpyDeviceToHost));
        numbers v((size_t)count_of(dim));
        for (size_t i = 0; i < v.size(); i++)
            v[i] = read_element(type, &h[place((int64_t)i) * element_of(type)]);
        return v;
    }
};

/* ---- graphs ---- */
struct graph {
    std::vector<std::unique_ptr<tensor>> tensors;
    std::vector<std::unique_ptr<descriptor>> ops, parts;
    std::unique_ptr<descriptor> plan;
    int64_t workspace = 0;

    tensor &add(cudnnDataType_t type, const ints &dim, const ints &step, bool is_virtual,
                bool by_value)
    {
        tensors.emplace_back(new tensor);
        tensor &t = *tensors.back();
        t.uid = 100 + (int64_t)tensors.size();
        t.type = type;
        t.dim = dim;
        t.step = step.empty() ? packed(dim) : step;
        t.is_virtual = is_virtual;
        t.by_value = by_value;
        t.d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, t.uid)
            .set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
            .set(CUDNN_ATTR_TENSOR_DIMENSIONS, dim)
            .set(CUDNN_ATTR_TENSOR_STRIDES, t.step);
        t.d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, (int64_t)element_of(type));
        t.d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual)
            .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, by_value)
            .end();
        if (!is_virtual && !by_value) {
            CUDA(cudaMalloc(&t.data, t.bytes()));
            CUDA(cudaMemset(t.data, 0xff, t.bytes())); /* NaN: what is not written shows */
        }
        return t;
    }
    tensor &in(const numbers &v, const ints &dim, cudnnDataType_t type = CUDNN_DATA_FLOAT,
               const ints &step = {})
    {
        tensor &t = add(type, dim, step, false, false);
        t.put(v);
        return t;
    }
    tensor &out(const ints &dim, cudnnDataType_t type = CUDNN_DATA_FLOAT, const ints &step = {})
    {
        return add(type, dim, step, false, false);
    }
    tensor &between(const ints &dim, cudnnDataType_t type = CUDNN_DATA_FLOAT)
    {
        return add(type, dim, {}, true, false);
    }
    tensor &scalar(double v, size_t dims, cudnnDataType_t type = CUDNN_DATA_FLOAT)
    {
        tensor &t = add(type, ints(dims, 1), ints(dims, 1), false, true);
        write_element(type, t.value, v);
        return t;
    }
    descriptor &part(cudnnBackendDescriptorType_t type)
    {
        parts.emplace_back(new descriptor(type));
        return *parts.back();
    }
    descriptor &op(cudnnBackendDescriptorType_t type)
    {
        ops.emplace_back(new descriptor(type));
        return *ops.back();
    }

    /* ---- operations ---- */
    descriptor &pointwise(cudnnPointwiseMode_t mode, tensor *x, tensor *b, tensor *t, tensor &y)
    {
        descriptor &pw = part(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
        pw.set(CUDNN_ATTR_POINTWISE_MODE, mode)
            .set(CUDNN_ATTR_POINTWISE_MATH_PREC,
                 y.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
        return pointwise(pw.end(), mode, x, b, t, y);
    }
    descriptor &pointwise(descriptor &pw, cudnnPointwiseMode_t mode, tensor *x, tensor *b,
                          tensor *t, tensor &y)
    {
        const bool back = mode >= CUDNN_POINTWISE_RELU_BWD && mode < CUDNN_POINTWISE_CMP_EQ;
        descriptor &o = op(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
        o.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pw);
        if (x)
            o.set(back ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC
                       : CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                  x->d);
        if (b)
            o.set(back ? CUDNN_ATTR_OPERATION_POINTWISE_XDESC
                       : CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                  b->d);
        if (t)
            o.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, t->d);
        return o
            .set(back ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC
                      : CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
                 y.d)
            .end();
    }
    void matmul(tensor &a, tensor &b, tensor &c, tensor *const limits[3] = nullptr)
    {
        static const cudnnBackendAttributeName_t names[] = {
            CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC,
            CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC,
            CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC};
        descriptor &m = part(CUDNN_BACKEND_MATMUL_DESCRIPTOR),
                   &o = op(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
        m.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).end();
        o.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, m)
            .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.d)
            .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.d)
            .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.d);
        for (int k = 0; limits && k < 3; k++)
            if (limits[k])
                o.set(names[k], limits[k]->d);
        o.end();
    }

    /* ---- from the operations to what they give ---- */
    cudnnStatus_t finish(descriptor &g)
    {
        std::vector<cudnnBackendDescriptor_t> all;
        for (auto &o : ops)
            all.push_back(o->d);
        g.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
        GN(cudnnBackendSetAttribute(g.d, CUDNN_ATTR_OPERATIONGRAPH_OPS,
                                    CUDNN_TYPE_BACKEND_DESCRIPTOR, (int64_t)all.size(),
                                    all.data()));
        return cudnnBackendFinalize(g.d);
    }
    void build()
    {
        descriptor g(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR),
            heur(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        int64_t n = 0;
        GN(finish(g));
        heur.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, g)
            .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A)
            .end();
        GN(cudnnBackendGetAttribute(heur.d, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n, &config.d));
        CHECK(n == 1);
        plan.reset(new descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
        plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
            .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config)
            .end();
        GN(cudnnBackendGetAttribute(plan->d, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                    CUDNN_TYPE_INT64, 1, &n, &workspace));
    }
    /* Builds it again from its text. */
    void through_text()
    {
        int64_t n = 0, more = 0;
        GN(cudnnBackendGetAttribute(plan->d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                    CUDNN_TYPE_CHAR, 0, &n, nullptr));
        std::vector<char> text((size_t)n);
        GN(cudnnBackendGetAttribute(plan->d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                    CUDNN_TYPE_CHAR, n, &more, text.data()));
        CHECK(n == more && strlen(text.data()) + 1 == (size_t)n);
        plan.reset(new descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
        plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
        GN(cudnnBackendSetAttribute(plan->d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                    CUDNN_TYPE_CHAR, n, text.data()));
        plan->end();
    }
    void pack(descriptor &v, void *space)
    {
        ints uids;
        std::vector<void *> data;
        for (auto &t : tensors)
            if (!t->is_virtual) {
                uids.push_back(t->uid);
                data.push_back(t->by_value ? t->value : t->data);
            }
        GN(cudnnBackendSetAttribute(v.d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
                                    (int64_t)data.size(), data.data()));
        GN(cudnnBackendSetAttribute(v.d, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
                                    &space));
        v.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids).end();
    }
    void run()
    {
        void *space = nullptr;
        if (!plan)
            build();
        if (workspace)
            CUDA(cudaMalloc(&space, (size_t)workspace));
        descriptor v(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        pack(v, space);
        GN(cudnnBackendExecute(handle, plan->d, v.d));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaFree(space));
    }
};
