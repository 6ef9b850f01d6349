// NOT ON: interp: settings are the host's
// NOT ON: vulkan: settings are the host's
// OPTIONS: -lcublas -lcublasLt -lcusparse -lcusolver
/* What is set is what is got, of handles and of cuBLASLt's descriptors; rotations by types that are numbers; logs of each library. */
#include "blas.h"
#include <cublasLt.h>
#include <cusolverDn.h>
#include <cusparse.h>

static cublasHandle_t h;
static bool right(int status) { return status == 0; }

/* ---- a value for each setting, and one that it cannot have ---- */
template <class T, class S, class G> static void setting(S set, G get, std::vector<T> good, std::vector<T> bad)
{
    T now;
    memset(&now, 0x55, sizeof now);
    for (T v : good) {
        CHECK(right(set(v)));
        CHECK(right(get(&now)) && now == v);
    }
    for (T v : bad) {
        CHECK(!right(set(v)));
        CHECK(right(get(&now)) && now == good.back());
    }
    CHECK(!right(get((T *)nullptr)));
}
#define SETTING(type, Name, ...)                                                                   \
    setting<type>([](type v) { return cublasSet##Name(h, v); }, [](type *p) { return cublasGet##Name(h, p); }, __VA_ARGS__)

static void handles()
{
    int bits;
    SETTING(cublasEmulationStrategy_t, EmulationStrategy, {CUBLAS_EMULATION_STRATEGY_EAGER, CUBLAS_EMULATION_STRATEGY_DEFAULT}, {(cublasEmulationStrategy_t)9});
    SETTING(cudaEmulationSpecialValuesSupport, EmulationSpecialValuesSupport,
            {CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT}, {(cudaEmulationSpecialValuesSupport)-5});
    SETTING(cudaEmulationMantissaControl, FixedPointEmulationMantissaControl, {(cudaEmulationMantissaControl)1, (cudaEmulationMantissaControl)0}, {(cudaEmulationMantissaControl)7});
    SETTING(int, FixedPointEmulationMaxMantissaBitCount, {20, 0}, {-1});
    SETTING(int, FixedPointEmulationMantissaBitOffset, {-3, 4}, {});
    SETTING(int *, FixedPointEmulationMantissaBitCountPointer, {&bits, nullptr}, {});
}

/* ---- attributes of descriptors ---- */
template <class T, class S, class G> static void attribute(S set, G get, T value)
{
    T now;
    memset(&now, 0x55, sizeof now);
    size_t written = 0;
    CHECK(right(set(&value, sizeof value)));
    CHECK(right(get(&now, sizeof now, &written)) && written == sizeof now && !memcmp(&now, &value, sizeof now));
    CHECK(!right(set(&value, sizeof value - 1)));
    CHECK(right(get((T *)nullptr, (size_t)0, &written)) && written == sizeof value); /* how large it is */
    CHECK(!right(get(&now, sizeof now - 1, &written)));
}
#define ATTRIBUTE(Family, object, name, type, value)                                               \
    attribute<type>([&](const void *p, size_t n) { return cublasLt##Family##SetAttribute(object, name, p, n); }, \
                    [&](void *p, size_t n, size_t *w) { return cublasLt##Family##GetAttribute(object, name, p, n, w); }, value)

static void descriptors()
{
    cublasLtMatrixLayoutOpaque_t layout;
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatrixTransformDescOpaque_t transform;
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtEmulationDescOpaque_t emulation;
    cublasLtEmulationDesc_t made;
    int there;
    BLAS(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 7, 5, 8));
    uint64_t rows = 0;
    size_t written = 0;
    BLAS(cublasLtMatrixLayoutGetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &written));
    CHECK(rows == 7 && written == 8);
    ATTRIBUTE(MatrixLayout, &layout, CUBLASLT_MATRIX_LAYOUT_COLS, uint64_t, 9);
    ATTRIBUTE(MatrixLayout, &layout, CUBLASLT_MATRIX_LAYOUT_LD, int64_t, 17);
    ATTRIBUTE(MatrixLayout, &layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t, 3);
    ATTRIBUTE(MatrixLayout, &layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t, 900);
    const int sizes[2] = {3, 4};
    BLAS(cublasLtGroupedMatrixLayoutInit(&layout, CUDA_R_16F, 2, sizes, sizes, sizes));
    CHECK(cublasLtGroupedMatrixLayoutInit(&layout, CUDA_R_16F, -2, sizes, sizes, sizes) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatrixLayoutInit_internal(&layout, 8, CUDA_R_32F, 1, 1, 1) == CUBLAS_STATUS_INVALID_VALUE); /* of another version */
    BLAS(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    ATTRIBUTE(MatmulDesc, &desc, CUBLASLT_MATMUL_DESC_TRANSA, int32_t, CUBLAS_OP_T);
    ATTRIBUTE(MatmulDesc, &desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, void *, &there);
    BLAS(cublasLtMatrixTransformDescInit(&transform, CUDA_R_32F));
    ATTRIBUTE(MatrixTransformDesc, &transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, int32_t, CUBLAS_OP_C);
    ATTRIBUTE(MatrixTransformDesc, &transform, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, int32_t, CUDA_R_64F);
    BLAS(cublasLtMatmulPreferenceInit(&preference));
    ATTRIBUTE(MatmulPreference, &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t, 1ull << 40);
    ATTRIBUTE(MatmulPreference, &preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, uint32_t, 16);
    ATTRIBUTE(MatmulPreference, &preference, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, float, 2.5f);
    BLAS(cublasLtEmulationDescInit(&emulation));
    BLAS(cublasLtEmulationDescCreate(&made));
    ATTRIBUTE(EmulationDesc, made, CUBLASLT_EMULATION_DESC_STRATEGY, int32_t, 1);
    ATTRIBUTE(EmulationDesc, &emulation, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, int32_t, -7);
    BLAS(cublasLtEmulationDescDestroy(made));
    CHECK(cublasLtMatmulPreferenceGetAttribute(&preference, (cublasLtMatmulPreferenceAttributes_t)99, &rows, 8, &written) == CUBLAS_STATUS_INVALID_VALUE);
}

/* What cannot be had of the one algorithm is refused before it is asked for. */
static void algorithms()
{
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t l;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found, checked;
    int count = 0;
    BLAS(cublasLtCreate(&lt));
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 8, 8, 8));
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulAlgoGetHeuristicForStream(lt, desc, l, l, l, l, preference, 1, &found, &count, nullptr));
    CHECK(count == 1 && found.state == CUBLAS_STATUS_SUCCESS);
    BLAS(cublasLtMatmulAlgoCheck(lt, desc, l, l, l, l, &found.algo, &checked));
    CHECK(checked.state == CUBLAS_STATUS_SUCCESS && checked.workspaceSize == 0);
    ATTRIBUTE(MatmulAlgoConfig, &found.algo, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, uint32_t, 1);
    BLAS(cublasLtMatmulAlgoCheck(lt, desc, l, l, l, l, &found.algo, &checked));
    ATTRIBUTE(MatmulAlgoConfig, &found.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, int32_t, 4);
    CHECK(cublasLtMatmulAlgoCheck(lt, desc, l, l, l, l, &found.algo, &checked) == CUBLAS_STATUS_NOT_SUPPORTED);
    memset(&found.algo, 0, sizeof found.algo);
    CHECK(cublasLtMatmulAlgoCheck(lt, desc, l, l, l, l, &found.algo, &checked) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatmulAlgoGetHeuristicForStream(lt, desc, l, l, l, l, preference, 0, &found, &count, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(l);
    cublasLtMatmulDescDestroy(desc);
    BLAS(cublasLtDestroy(lt));
    setting<size_t>(cublasLtHeuristicsCacheSetCapacity, cublasLtHeuristicsCacheGetCapacity, {77, 0}, {});
    int major = -1, whole = 0;
    BLAS(cublasLtGetProperty(MAJOR_VERSION, &major));
    BLAS(cublasGetVersion(h, &whole));
    CHECK(cublasLtGetProperty((libraryPropertyType)9, &major) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtGetVersion() == (size_t)whole && cublasLtGetVersion() / 10000 == (size_t)major && cublasLtGetCudartVersion() > 10000);
    CHECK(!strcmp(cublasLtGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED") && *cublasLtGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
    CHECK(cublasLtDisableCpuInstructionsSetMask(1) == 0);
}

/* ---- rotations ---- */
template <class T> static void rotations(cudaDataType type, T a, T b, double c_, double eps)
{
    T c = 0, s = 0, r = a, z = b;
    BLAS(cublasRotgEx(h, &r, &z, type, &c, &s, type, type));
    CHECK(std::fabs((double)(c * a + s * b - r)) < eps && std::fabs((double)(c * b - s * a)) < eps && std::fabs((double)c - c_) < eps);
    /* H (x, y) has no second part, and keeps sqrt(d1) and sqrt(d2) as its measures. */
    T d1 = 2, d2 = 3, x = a, y = b, p[5] = {};
    BLAS(cublasRotmgEx(h, &d1, type, &d2, type, &x, type, &y, type, p, type, type));
    T m[4] = {1, 0, 0, 1};
    if (p[0] == T(-1))
        for (int k = 0; k < 4; k++)
            m[k] = p[k + 1];
    else if (p[0] == T(0))
        m[1] = p[2], m[2] = p[3];
    else
        m[0] = p[1], m[1] = -1, m[2] = 1, m[3] = p[4];
    CHECK(std::fabs((double)(m[0] * a + m[2] * b - x)) < eps && std::fabs((double)(m[1] * a + m[3] * b)) < eps);
    CHECK(std::fabs((double)(d1 * x * x - (2 * a * a + 3 * b * b))) < 20 * eps);
}

/* ---- logs ---- */
static int lines;
static std::string last;
static void tell(int, const char *function, const char *)
{
    lines++;
    last = function;
}
static void hear(const char *message)
{
    lines++;
    last = message;
}
static std::string text_of(FILE *f)
{
    std::string s(4096, 0);
    rewind(f);
    s.resize(fread(&s[0], 1, s.size(), f));
    return s;
}
/* call: one that is logged under the name. */
#define LOGGED(Library, name, call)                                                                \
    do {                                                                                           \
        FILE *file_ = tmpfile();                                                                   \
        lines = 0;                                                                                 \
        call;                                                                                      \
        CHECK(right(Library##LoggerSetCallback(tell)) && right(Library##LoggerSetFile(file_)));    \
        call;                                                                                      \
        CHECK(lines == 0); /* nobody has asked */                                                  \
        CHECK(!right(Library##LoggerSetLevel(99)) && right(Library##LoggerSetLevel(5)));           \
        call;                                                                                      \
        CHECK(lines == 1 && last.find(name) != std::string::npos);                                 \
        CHECK(text_of(file_).find(name) != std::string::npos);                                     \
        CHECK(right(Library##LoggerSetLevel(0)) && right(Library##LoggerSetMask(16)));             \
        call;                                                                                      \
        CHECK(lines == 2);                                                                         \
        CHECK(!right(Library##LoggerOpenFile("/nowhere/at/all")) && right(Library##LoggerOpenFile("/dev/null"))); \
        fclose(file_);                                                                             \
        call;                                                                                      \
        CHECK(lines == 3 && right(Library##LoggerForceDisable()));                                 \
        call;                                                                                      \
        CHECK(lines == 3);                                                                         \
    } while (0)

static void logs()
{
    const float one = 1;
    both<float> x(4), y(4);
    cublasLogCallback now = nullptr;
    BLAS(cublasLoggerConfigure(1, 0, 0, nullptr));
    BLAS(cublasSetLoggerCallback(hear));
    BLAS(cublasGetLoggerCallback(&now));
    CHECK(now == hear);
    BLAS(cublasSaxpy(h, 4, &one, x.device, 1, y.device, 1));
    CHECK(lines == 1 && last.find("cublasSaxpy") != std::string::npos);
    BLAS(cublasSetLoggerCallback(nullptr));
    BLAS(cublasLoggerConfigure(0, 0, 0, nullptr));

    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t l;
    BLAS(cublasLtCreate(&lt));
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 2, 2, 2));
    LOGGED(cublasLt, "cublasLtMatmul", BLAS(cublasLtMatmul(lt, desc, &one, x.device, l, x.device, l, &one, y.device, l, y.device, l, nullptr, nullptr, 0, nullptr)));
    cublasLtMatrixLayoutDestroy(l);
    cublasLtMatmulDescDestroy(desc);
    BLAS(cublasLtDestroy(lt));
    cusparseHandle_t sparse;
    LOGGED(cusparse, "cusparseCreate", {
        CHECK(right(cusparseCreate(&sparse)));
        cusparseDestroy(sparse);
    });
    cusolverDnHandle_t solver;
    int size;
    CHECK(right(cusolverDnCreate(&solver)));
    LOGGED(cusolverDn, "cusolverDnSpotrf_bufferSize", CHECK(right(cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 2, x.device, 2, &size))));
    cusolverDnDestroy(solver);
}

int main()
{
    BLAS(cublasCreate(&h));
    handles();
    descriptors();
    algorithms();
    rotations<float>(CUDA_R_32F, 3, 4, 0.6, 1e-5);
    rotations<double>(CUDA_R_64F, -3, 1, 3 / std::sqrt(10.0), 1e-13);
    logs();
    cublasXerbla("nothing", 3); /* only says so */
    BLAS(cublasDestroy(h));
    puts("ok");
}
