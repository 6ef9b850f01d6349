// OPTIONS: -lcusparse
// NOT ON: vulkan: what is refused, is refused before a device is asked
/* What cuSPARSE refuses: each call is made rightly, and then with one argument wrong, for each of them. The older calls take
 * general matrices only; a plan serves the matrix that it was made for; types go together as the tables say. */
#include "sparse.h"
#include <tuple>

static cusparseHandle_t h;
static int failed;

/* A value that an argument of this type cannot have. */
static int wrong(int)
{
    return -1;
}
static int64_t wrong(int64_t)
{
    return -1;
}
static float wrong(float)
{
    return 101;
}
template <class T> static T *wrong(T *)
{
    return nullptr;
}
template <class E, class = std::enable_if_t<std::is_enum<E>::value>> static E wrong(E)
{
    return (E)99;
}

template <class R, class... P, class T>
static void expect(const char *name, size_t k, R (*f)(P...), const T &arguments, R status)
{
    const R s = std::apply(f, arguments);
    if (s == status)
        return;
    printf("%s, argument %zu: %s, not %s\n", name, k, cusparseGetErrorName(s), cusparseGetErrorName(status));
    failed++;
}

/* how: a letter for each argument. h: the handle; x: wrong is invalid; d: a description, of which only general ones are taken;
 * .: anything goes */
template <size_t K, class F, class T> static void each(const char *name, const char *how, F f, const T &right)
{
    if constexpr (K < std::tuple_size<T>::value) {
        T t = right;
        auto &a = std::get<K>(t);
        if (how[K] == 'h' || how[K] == 'x' || how[K] == 'd') {
            a = wrong(a);
            expect(name, K, f, t, how[K] == 'h' ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_INVALID_VALUE);
        }
        if constexpr (std::is_same<std::decay_t<decltype(a)>, cusparseMatDescr_t>::value)
            for (int type = CUSPARSE_MATRIX_TYPE_SYMMETRIC; how[K] == 'd' && type <= CUSPARSE_MATRIX_TYPE_TRIANGULAR; type++) {
                SPARSE(cusparseCreateMatDescr(&a));
                SPARSE(cusparseSetMatType(a, (cusparseMatrixType_t)type));
                expect(name, K, f, t, CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
                SPARSE(cusparseDestroyMatDescr(a));
            }
        each<K + 1>(name, how, f, right);
    }
}
template <class R, class... P, class... A>
static void refuses(const char *name, const char *how, R (*f)(P...), A... arguments)
{
    const std::tuple<std::decay_t<P>...> right((P)arguments...);
    static_assert(sizeof...(P) == sizeof...(A), "");
    expect(name, 99, f, right, (R)CUSPARSE_STATUS_SUCCESS);
    each<0>(name, how, f, right);
}
#define REFUSES(f, how, ...) refuses(#f, how, f, __VA_ARGS__)

template <class T> static T *put(const std::vector<T> &x)
{
    T *p;
    CUDA(cudaMalloc((void **)&p, x.size() * sizeof(T)));
    CUDA(cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

/* 4 by 4, lower triangle and an element above it; as blocks of 2 the same arrays are 2 by 2 of them. */
static int *off, *idx, *boff, *bidx, *row, *o, *i1, *i2, *perm;
static cusparseMatDescr_t d;
static const cusparseDirection_t dir = CUSPARSE_DIRECTION_ROW;
static const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;

static void order()
{
    const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO;
    float *v = put<float>({1, 2, 3, 4, 5, 6, 7}), *w = put<float>(std::vector<float>(16)), *b = put<float>(std::vector<float>(64, 1));
    size_t n = 0;
    REFUSES(cusparseCreateIdentityPermutation, "hxx", h, 7, perm);
    REFUSES(cusparseXcoo2csr, "hxxxxx", h, row, 7, 4, o, zero);
    REFUSES(cusparseXcsr2coo, "hxxxxx", h, off, 7, 4, i1, zero);
    REFUSES(cusparseXcoosort_bufferSizeExt, "hxxx..x", h, 4, 4, 7, row, idx, &n);
    REFUSES(cusparseXcoosortByRow, "hxxxxx..", h, 4, 4, 7, row, idx, perm, nullptr);
    REFUSES(cusparseXcsrsort_bufferSizeExt, "hxxx..x", h, 4, 4, 7, off, idx, &n);
    REFUSES(cusparseXcsrsort, "hxxxdxx..", h, 4, 4, 7, d, off, idx, perm, nullptr);
    REFUSES(cusparseXcscsort_bufferSizeExt, "hxxx..x", h, 4, 4, 7, off, idx, &n);
    REFUSES(cusparseXcscsort, "hxxxdxx..", h, 4, 4, 7, d, off, idx, perm, nullptr);
    csru2csrInfo_t info;
    SPARSE(cusparseCreateCsru2csrInfo(&info));
    REFUSES(cusparseScsru2csr_bufferSizeExt, "hxxx...xx", h, 4, 4, 7, v, off, idx, info, &n);
    REFUSES(cusparseScsru2csr, "hxxxdxxxx.", h, 4, 4, 7, d, v, off, idx, info, nullptr);
    REFUSES(cusparseScsr2csru, "hxxxdxxxx.", h, 4, 4, 7, d, v, off, idx, info, nullptr);
    SPARSE(cusparseDestroyCsru2csrInfo(info));
    REFUSES(cusparseCsr2cscEx2_bufferSize, "hxxx.......xxxx", h, 4, 4, 7, v, off, idx, w, o, i1, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, zero,
            CUSPARSE_CSR2CSC_ALG1, &n);
    REFUSES(cusparseCsr2cscEx2, "hxxxxxxxxx.xxx.", h, 4, 4, 7, v, off, idx, w, o, i1, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, zero,
            CUSPARSE_CSR2CSC_ALG1, nullptr);
    FAILS(NOT_SUPPORTED, cusparseCsr2cscEx2(h, 4, 4, 7, v, off, idx, w, o, i1, CUDA_R_64U, CUSPARSE_ACTION_NUMERIC, zero, CUSPARSE_CSR2CSC_ALG1, nullptr));
    /* between rows and blocks */
    int total = 0, bytes = 0;
    REFUSES(cusparseXcsr2bsrNnz, "hxxxdx.xdxx", h, dir, 4, 4, d, off, idx, 2, d, o, &total);
    REFUSES(cusparseScsr2bsr, "hxxxd.x.xdxxx", h, dir, 4, 4, d, v, off, idx, 2, d, b, o, i1);
    REFUSES(cusparseSbsr2csr, "hxxxd.x.xd.x.", h, dir, 2, 2, d, b, boff, bidx, 2, d, w, o, i1);
    REFUSES(cusparseScsr2gebsr_bufferSize, "hxxxd...xxx", h, dir, 4, 4, d, v, off, idx, 2, 2, &bytes);
    REFUSES(cusparseXcsr2gebsrNnz, "hxxxdx.dxxxx.", h, dir, 4, 4, d, off, idx, d, o, 2, 2, &total, nullptr);
    REFUSES(cusparseScsr2gebsr, "hxxxd.x.dxxxxx.", h, dir, 4, 4, d, v, off, idx, d, b, o, i1, 2, 2, nullptr);
    REFUSES(cusparseSgebsr2csr, "hxxxd.x.xxd.x.", h, dir, 2, 2, d, b, boff, bidx, 2, 2, d, w, o, i1);
    REFUSES(cusparseSgebsr2gebsc, "hxxxxxxxxxxxxx.", h, 2, 2, 3, b, boff, bidx, 2, 2, w, i1, o, CUSPARSE_ACTION_NUMERIC, zero, nullptr);
    REFUSES(cusparseSgebsr2gebsr_bufferSizeExt, "hxxxxd...xxxxx", h, dir, 2, 2, 3, d, b, boff, bidx, 2, 2, 1, 4, &n);
    REFUSES(cusparseXgebsr2gebsrNnz, "hxxxxdxxxxdxxxx.", h, dir, 2, 2, 3, d, boff, bidx, 2, 2, d, o, 1, 4, &total, nullptr);
    REFUSES(cusparseSgebsr2gebsr, "hxxxxdxxxxxdxxxxx.", h, dir, 2, 2, 3, d, b, boff, bidx, 2, 2, d, w, o, i1, 1, 4, nullptr);
    for (float *p : {v, w, b})
        CUDA(cudaFree(p));
}

static void pruning()
{
    float *v = put<float>({1, 2, 3, 4, 5, 6, 7}), *w = put<float>(std::vector<float>(16)), *a = put<float>(std::vector<float>(16, 2)), *b = put<float>(std::vector<float>(16));
    const float at = 0.5f, one = 1;
    int total = 0;
    size_t n = 0;
    pruneInfo_t info;
    SPARSE(cusparseCreatePruneInfo(&info));
    REFUSES(cusparseSnnz, "hxxxdxxxx", h, dir, 4, 4, d, a, 4, i1, &total);
    REFUSES(cusparseSnnz_compress, "hxd.xxx.", h, 4, d, v, off, i1, &total, at);
    REFUSES(cusparseScsr2csr_compress, "hxxdxxxx...x.", h, 4, 4, d, v, idx, off, 7, i1, w, i2, o, at);
    REFUSES(cusparseSpruneDense2csr_bufferSizeExt, "hxxxxxd...x", h, 4, 4, a, 4, &at, d, w, o, i1, &n);
    REFUSES(cusparseSpruneDense2csrNnz, "hxxxxxdxx.", h, 4, 4, a, 4, &at, d, o, &total, nullptr);
    REFUSES(cusparseSpruneDense2csr, "hxxxxxd.x..", h, 4, 4, a, 4, &at, d, w, o, i1, nullptr);
    REFUSES(cusparseSpruneCsr2csrNnz, "hxxxdxxxxdxx.", h, 4, 4, 7, d, v, off, idx, &at, d, o, &total, nullptr);
    REFUSES(cusparseSpruneCsr2csr, "hxxxdxxxxd.x..", h, 4, 4, 7, d, v, off, idx, &at, d, w, o, i1, nullptr);
    REFUSES(cusparseSpruneDense2csrByPercentage_bufferSizeExt, "hxxxxxd...xx", h, 4, 4, a, 4, 50.f, d, w, o, i1, info, &n);
    REFUSES(cusparseSpruneDense2csrNnzByPercentage, "hxxxxxdxxx.", h, 4, 4, a, 4, 50.f, d, o, &total, info, nullptr);
    REFUSES(cusparseSpruneDense2csrByPercentage, "hxxxxxd.x.x.", h, 4, 4, a, 4, 50.f, d, w, o, i1, info, nullptr);
    REFUSES(cusparseSpruneCsr2csrNnzByPercentage, "hxxxdxxxxdxxx.", h, 4, 4, 7, d, v, off, idx, 50.f, d, o, &total, info, nullptr);
    REFUSES(cusparseSpruneCsr2csrByPercentage, "hxxxdxxxxd.x.x.", h, 4, 4, 7, d, v, off, idx, 50.f, d, w, o, i1, info, nullptr);
    SPARSE(cusparseDestroyPruneInfo(info));
    REFUSES(cusparseXcsrgeam2Nnz, "hxxdxxxdxxxdxx.", h, 4, 4, d, 7, off, idx, d, 7, off, idx, d, o, &total, nullptr);
    REFUSES(cusparseScsrgeam2_bufferSizeExt, "hxxxdx.xxxdx.xxd...x", h, 4, 4, &one, d, 7, v, off, idx, &one, d, 7, v, off, idx, d, w, o, i1, &n);
    REFUSES(cusparseScsrgeam2, "hxxxdxxxxxdxxxxdxxx.", h, 4, 4, &one, d, 7, v, off, idx, &one, d, 7, v, off, idx, d, b, o, i1, nullptr);
    cusparseColorInfo_t colours;
    SPARSE(cusparseCreateColorInfo(&colours));
    REFUSES(cusparseScsrcolor, "hxxd.xxxxx.x", h, 4, 7, d, v, off, idx, &one, &total, i1, i2, colours);
    SPARSE(cusparseDestroyColorInfo(colours));
    for (float *p : {v, w, a, b})
        CUDA(cudaFree(p));
}

static void products()
{
    float *b = put<float>(std::vector<float>(16, 1)), *x = put<float>({1, 2, 3, 4}), *y = put<float>(std::vector<float>(16));
    const float one = 1;
    int bytes = 0;
    REFUSES(cusparseSbsrmv, "hxxxxxxdxxxxxxx", h, dir, N, 2, 2, 3, &one, d, b, boff, bidx, 2, x, &one, y);
    REFUSES(cusparseSbsrxmv, "hxxxxxxxdxxxxxxxxx", h, dir, N, 1, 2, 2, 3, &one, d, b, put<int>({1}), boff, boff + 1, bidx, 2, x, &one, y);
    REFUSES(cusparseSbsrmm, "hxxxxxxxxdxxxxxxxxx", h, dir, N, N, 2, 1, 2, 3, &one, d, b, boff, bidx, 2, x, 4, &one, y, 4);
    REFUSES(cusparseSgemvi_bufferSize, "hxxxxx", h, N, 4, 4, 2, &bytes);
    REFUSES(cusparseSgemvi, "hxxxxxxxxxxxx.", h, N, 4, 4, &one, b, 4, 2, x, put<int>({0, 2}), &one, y, CUSPARSE_INDEX_BASE_ZERO, nullptr);
    for (float *p : {b, x, y})
        CUDA(cudaFree(p));
}

/* The plan is for a matrix, a triangle and an operation. */
static void plans()
{
    float *v = put<float>({1, 2, 3, 4, 5, 6, 7}), *b = put<float>(std::vector<float>(16, 1)), *x = put<float>({1, 2, 3, 4}), *y = put<float>(std::vector<float>(16));
    const float one = 1;
    double tolerance = 0;
    int bytes = 0;
    bsrsv2Info_t sv;
    bsrsm2Info_t sm;
    SPARSE(cusparseCreateBsrsv2Info(&sv));
    SPARSE(cusparseCreateBsrsm2Info(&sm));
    REFUSES(cusparseSbsrsv2_bufferSize, "hxxxxd.xxxxx", h, dir, N, 2, 3, d, b, boff, bidx, 2, sv, &bytes);
    FAILS(INVALID_VALUE, cusparseSbsrsv2_solve(h, dir, N, 2, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr)); /* not analysed */
    REFUSES(cusparseSbsrsv2_analysis, "hxxxxd.xxxx..", h, dir, N, 2, 3, d, b, boff, bidx, 2, sv, policy, nullptr);
    REFUSES(cusparseSbsrsv2_solve, "hxxxxxdxxxxxxx..", h, dir, N, 2, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr);
    FAILS(INVALID_VALUE, cusparseSbsrsv2_solve(h, dir, TR, 2, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr));
    FAILS(INVALID_VALUE, cusparseSbsrsv2_solve(h, dir, N, 1, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr));
    SPARSE(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER));
    FAILS(INVALID_VALUE, cusparseSbsrsv2_solve(h, dir, N, 2, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr));
    SPARSE(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_LOWER));
    SPARSE(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT));
    FAILS(INVALID_VALUE, cusparseSbsrsv2_solve(h, dir, N, 2, 3, &one, d, b, boff, bidx, 2, sv, x, y, policy, nullptr));
    SPARSE(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_NON_UNIT));
    REFUSES(cusparseSbsrsm2_analysis, "hxx.x.xd.xxxx..", h, dir, N, N, 2, 1, 3, d, b, boff, bidx, 2, sm, policy, nullptr);
    REFUSES(cusparseSbsrsm2_solve, "hxxxxxxxdxxxxxxxxx..", h, dir, N, N, 2, 1, 3, &one, d, b, boff, bidx, 2, sm, x, 4, y, 4, policy, nullptr);
    SPARSE(cusparseDestroyBsrsv2Info(sv));
    SPARSE(cusparseDestroyBsrsm2Info(sm));
#define FACTORS(tag)                                                                          \
    {                                                                                              \
        csr##tag##Info_t info;                                                                     \
        bsr##tag##Info_t blocks;                                                                   \
        SPARSE(cusparseCreateCsr##tag##Info(&info));                                               \
        SPARSE(cusparseCreateBsr##tag##Info(&blocks));                                             \
        REFUSES(cusparseScsr##tag##_bufferSize, "hxxd.xxxx", h, 4, 7, d, v, off, idx, info, &bytes); \
        FAILS(INVALID_VALUE, cusparseScsr##tag(h, 4, 7, d, v, off, idx, info, policy, nullptr));   \
        REFUSES(cusparseScsr##tag##_analysis, "hxxd.xxx..", h, 4, 7, d, v, off, idx, info, policy, nullptr); \
        REFUSES(cusparseScsr##tag, "hxxdxxxx..", h, 4, 7, d, v, off, idx, info, policy, nullptr);  \
        FAILS(INVALID_VALUE, cusparseScsr##tag(h, 3, 7, d, v, off, idx, info, policy, nullptr));   \
        FAILS(INVALID_VALUE, cusparseScsr##tag(h, 4, 6, d, v, off, idx, info, policy, nullptr));   \
        REFUSES(cusparseSbsr##tag##_analysis, "hxxxd.xxxx..", h, dir, 2, 3, d, b, boff, bidx, 2, blocks, policy, nullptr); \
        REFUSES(cusparseSbsr##tag, "hxxxdxxxxx..", h, dir, 2, 3, d, b, boff, bidx, 2, blocks, policy, nullptr); \
        SPARSE(cusparseDestroyCsr##tag##Info(info));                                               \
        SPARSE(cusparseDestroyBsr##tag##Info(blocks));                                             \
    }
    FACTORS(ilu02)
    FACTORS(ic02)
    csrilu02Info_t info;
    SPARSE(cusparseCreateCsrilu02Info(&info));
    FAILS(INVALID_VALUE, cusparseScsrilu02_numericBoost(h, info, 1, nullptr, x));
    FAILS(INVALID_VALUE, cusparseScsrilu02_numericBoost(h, info, 1, &tolerance, nullptr));
    FAILS(INVALID_VALUE, cusparseScsrilu02_numericBoost(h, nullptr, 1, &tolerance, x));
    SPARSE(cusparseDestroyCsrilu02Info(info));
    for (float *p : {v, b, x, y})
        CUDA(cudaFree(p));
}

static void bands()
{
    std::vector<float> four(12, 4), one(12, 1);
    float *dl = put(one), *dd = put(four), *du = put(one), *ds = put(one), *dw = put(one), *x = put(one);
    CUDA(cudaMemset(dl, 0, sizeof(float)));
    size_t n = 0;
    REFUSES(cusparseSgtsv2_bufferSizeExt, "hxx....xx", h, 4, 3, dl, dd, du, x, 4, &n);
    REFUSES(cusparseSgtsv2, "hxxxxxxx.", h, 4, 3, dl, dd, du, x, 4, nullptr);
    REFUSES(cusparseSgtsv2_nopivot, "hxxxxxxx.", h, 4, 3, dl, dd, du, x, 4, nullptr);
    FAILS(INVALID_VALUE, cusparseSgtsv2(h, 2, 3, dl, dd, du, x, 4, nullptr));
    REFUSES(cusparseSgtsv2StridedBatch, "hxxxxxxx.", h, 4, dl, dd, du, x, 3, 4, nullptr);
    FAILS(INVALID_VALUE, cusparseSgtsv2StridedBatch(h, 2, dl, dd, du, x, 3, 4, nullptr));
    REFUSES(cusparseSgtsvInterleavedBatch, "hxxxxxxx.", h, 0, 4, dl, dd, du, x, 3, nullptr);
    CUDA(cudaMemcpy(dd, four.data(), 48, cudaMemcpyHostToDevice));
    REFUSES(cusparseSgpsvInterleavedBatch, "hxxxxxxxxx.", h, 0, 4, ds, dl, dd, du, dw, x, 3, nullptr);
    for (float *p : {dl, dd, du, ds, dw, x})
        CUDA(cudaFree(p));
}

static void descriptors()
{
    const cusparseIndexType_t t = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO;
    const cudaDataType f = CUDA_R_32F;
    float *v = put<float>(std::vector<float>(64, 1));
    cusparseSpMatDescr_t m;
    cusparseSpVecDescr_t s;
    cusparseDnVecDescr_t x, y, wide;
    cusparseDnMatDescr_t a, c;
    REFUSES(cusparseCreateSpVec, "xxxxx.x.", &s, (int64_t)4, (int64_t)2, idx, v, t, zero, f);
    REFUSES(cusparseCreateDnVec, "xxx.", &x, (int64_t)4, v, f);
    REFUSES(cusparseCreateDnMat, "xxxxx.x", &a, (int64_t)4, (int64_t)4, (int64_t)4, v, f, CUSPARSE_ORDER_COL);
    REFUSES(cusparseCreateCsr, "xxxxxxx..x.", &m, (int64_t)4, (int64_t)4, (int64_t)7, off, idx, v, t, t, zero, f);
    REFUSES(cusparseCreateCsc, "xxxxxxx..x.", &m, (int64_t)4, (int64_t)4, (int64_t)7, off, idx, v, t, t, zero, f);
    REFUSES(cusparseCreateCoo, "xxxxxxx.x.", &m, (int64_t)4, (int64_t)4, (int64_t)7, row, idx, v, t, zero, f);
    SPARSE(cusparseDestroySpMat(m));
    REFUSES(cusparseCooSetStridedBatch, "xxx", m = [&] {
        SPARSE(cusparseCreateCoo(&m, 4, 4, 7, row, idx, v, t, zero, f));
        return m;
    }(), 2, (int64_t)7);
    FAILS(INVALID_VALUE, cusparseCooSetStridedBatch(m, 2, 6));
    FAILS(INVALID_VALUE, cusparseCsrSetStridedBatch(m, 2, 5, 7)); /* it has no offsets */
    SPARSE(cusparseDestroySpMat(m));
    REFUSES(cusparseCreateBsr, "xxxxxxxxx..x.x", &m, (int64_t)2, (int64_t)2, (int64_t)3, (int64_t)2, (int64_t)2, boff, bidx, v, t, t, zero, f, CUSPARSE_ORDER_COL);
    FAILS(INVALID_VALUE, cusparseBsrSetStridedBatch(m, 2, 3, 3, 11));
    SPARSE(cusparseBsrSetStridedBatch(m, 2, 0, 0, 12));
    SPARSE(cusparseDestroySpMat(m));
    REFUSES(cusparseCreateBlockedEll, "xxxxxxx.x.", &m, (int64_t)4, (int64_t)4, (int64_t)2, (int64_t)2, bidx, v, t, zero, f);
    FAILS(INVALID_VALUE, cusparseCreateBlockedEll(&m, 4, 4, 2, 6, bidx, v, t, zero, f));
    FAILS(INVALID_VALUE, cusparseCreateBlockedEll(&m, 5, 4, 2, 4, bidx, v, t, zero, f));
    REFUSES(cusparseCreateSlicedEll, "xxxxxxxxx..x.", &m, (int64_t)4, (int64_t)4, (int64_t)7, (int64_t)8, (int64_t)2, boff, idx, v, t, t, zero, f);
    FAILS(NOT_SUPPORTED, cusparseCreateCsr(&m, 4, 4, 7, off, idx, v, t, t, zero, CUDA_R_64U));
    FAILS(INVALID_VALUE, cusparseDnMatSetStridedBatch(a, 2, 15));
    SPARSE(cusparseDnMatSetStridedBatch(a, 2, 16));

    /* What goes together. */
    const float one = 1;
    size_t n = 0;
    SPARSE(cusparseCreateCsr(&m, 4, 4, 7, off, idx, v, t, t, zero, f));
    SPARSE(cusparseCreateDnVec(&y, 4, v + 32, f));
    SPARSE(cusparseCreateDnVec(&wide, 4, v, CUDA_R_64F));
    SPARSE(cusparseCreateDnMat(&c, 4, 4, 4, v + 32, f, CUSPARSE_ORDER_COL));
    REFUSES(cusparseSpMV_bufferSize, "hxxxxxx.xx", h, N, (const void *)&one, m, x, (const void *)&one, y, f, CUSPARSE_SPMV_ALG_DEFAULT, &n);
    REFUSES(cusparseSpMV, "hxxxxxx.x.", h, N, (const void *)&one, m, x, (const void *)&one, y, f, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    FAILS(NOT_SUPPORTED, cusparseSpMV(h, N, &one, m, x, &one, wide, f, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(NOT_SUPPORTED, cusparseSpMV(h, N, &one, m, x, &one, wide, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(INVALID_VALUE, cusparseSpMM(h, N, N, &one, m, a, &one, c, f, CUSPARSE_SPMM_ALG_DEFAULT, nullptr)); /* two by one */
    SPARSE(cusparseDnMatSetStridedBatch(a, 1, 0));
    REFUSES(cusparseSpMM, "hxxxxxxx.x.", h, N, N, (const void *)&one, m, a, (const void *)&one, c, f, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
    SPARSE(cusparseDnMatSetStridedBatch(c, 2, 0)); /* both results in one place */
    FAILS(INVALID_VALUE, cusparseSpMM(h, N, N, &one, m, a, &one, c, f, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
    FAILS(NOT_SUPPORTED, cusparseSparseToDense(h, m, c, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    SPARSE(cusparseDnMatSetStridedBatch(c, 1, 0));
    REFUSES(cusparseSparseToDense, "hxxx.", h, m, c, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
    REFUSES(cusparseSDDMM, "hxxxxxxx.x.", h, N, N, (const void *)&one, a, c, (const void *)&one, m, f, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr);
    /* Operations of the caller's own are code that cannot be read: no plan is made of them. */
    cusparseSpMMOpPlan_t made = (cusparseSpMMOpPlan_t)&n;
    FAILS(NOT_SUPPORTED, cusparseSpMMOp_createPlan(h, &made, N, N, m, a, c, f, CUSPARSE_SPMM_OP_ALG_DEFAULT, "BC", 2, "BC", 2, "BC", 2, &n));
    CHECK(!made);
    made = (cusparseSpMMOpPlan_t)&n;
    FAILS(NOT_INITIALIZED, cusparseSpMMOp_createPlan(nullptr, &made, N, N, m, a, c, f, CUSPARSE_SPMM_OP_ALG_DEFAULT, "BC", 2, "BC", 2, "BC", 2, &n));
    FAILS(NOT_SUPPORTED, cusparseSpMMOp(nullptr, nullptr));
    SPARSE(cusparseSpMMOp_destroyPlan(nullptr));
    cusparseSpSVDescr_t plan;
    SPARSE(cusparseSpSV_createDescr(&plan));
    REFUSES(cusparseSpSV_analysis, "hxxxxx.xx.", h, N, (const void *)&one, m, x, y, f, CUSPARSE_SPSV_ALG_DEFAULT, plan, nullptr);
    REFUSES(cusparseSpSV_solve, "hxxxxx.xx", h, N, (const void *)&one, m, x, y, f, CUSPARSE_SPSV_ALG_DEFAULT, plan);
    FAILS(INVALID_VALUE, cusparseSpSV_solve(h, TR, &one, m, x, y, f, CUSPARSE_SPSV_ALG_DEFAULT, plan));
    cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
    SPARSE(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper));
    FAILS(INVALID_VALUE, cusparseSpSV_solve(h, N, &one, m, x, y, f, CUSPARSE_SPSV_ALG_DEFAULT, plan));
    SPARSE(cusparseSpSV_destroyDescr(plan));
    cusparseSpGEMMDescr_t g;
    cusparseSpMatDescr_t none;
    SPARSE(cusparseSpGEMM_createDescr(&g));
    SPARSE(cusparseCreateCsr(&none, 4, 4, 0, nullptr, nullptr, nullptr, t, t, zero, f));
    REFUSES(cusparseSpGEMM_workEstimation, "hxxxxxxx.xxx.", h, N, N, (const void *)&one, m, m, (const void *)&one, none, f, CUSPARSE_SPGEMM_DEFAULT, g, &n, nullptr);
    FAILS(INVALID_VALUE, cusparseSpGEMM_workEstimation(h, N, N, &one, none, m, &one, none, f, CUSPARSE_SPGEMM_DEFAULT, g, &n, nullptr));
    FAILS(INVALID_VALUE, cusparseSpMV(h, N, &one, none, x, &one, y, f, CUSPARSE_SPMV_ALG_DEFAULT, nullptr)); /* it has no offsets yet */
    SPARSE(cusparseSpGEMM_destroyDescr(g));
    SPARSE(cusparseDestroySpMat(none));
    SPARSE(cusparseDestroySpMat(m));
    for (cusparseDnVecDescr_t p : {x, y, wide})
        SPARSE(cusparseDestroyDnVec(p));
    for (cusparseDnMatDescr_t p : {a, c})
        SPARSE(cusparseDestroyDnMat(p));
    SPARSE(cusparseDestroySpVec(s));
    CUDA(cudaFree(v));
}

int main()
{
    SPARSE(cusparseCreate(&h));
    SPARSE(cusparseCreateMatDescr(&d));
    off = put<int>({0, 1, 3, 5, 7});
    idx = put<int>({0, 0, 1, 0, 2, 1, 3});
    row = put<int>({0, 1, 1, 2, 2, 3, 3});
    boff = put<int>({0, 1, 3});
    bidx = put<int>({0, 0, 1, 0, 0, 0, 0, 0});
    o = put<int>(std::vector<int>(32)), i1 = put<int>(std::vector<int>(32)), i2 = put<int>(std::vector<int>(32)), perm = put<int>(std::vector<int>(32));
    order();
    pruning();
    products();
    plans();
    bands();
    descriptors();
    SPARSE(cusparseDestroyMatDescr(d));
    SPARSE(cusparseDestroy(h));
    if (failed)
        exit(1);
    puts("ok");
}
