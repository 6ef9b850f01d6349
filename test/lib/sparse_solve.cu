// OPTIONS: -lcusparse
// Triangular systems and incomplete factors: held against dense ones.
#include "sparse.h"

static cusparseHandle_t handle;
const cusparseFillMode_t LO = CUSPARSE_FILL_MODE_LOWER, UP = CUSPARSE_FILL_MODE_UPPER;

/* Element of op of the triangle that is meant. */
template <class T> zd triangle(const dense<T> &a, long i, long j, cusparseOperation_t op, cusparseFillMode_t fill, bool unit)
{
    const long r = op == N ? i : j, c = op == N ? j : i;
    if (r == c && unit)
        return 1;
    return (fill == LO ? c <= r : c >= r) ? a.at(i, j, op) : zd(0);
}

/* |op(A) y - alpha x| is small. */
template <class T, class F, class G>
void residual(const dense<T> &a, cusparseOperation_t op, cusparseFillMode_t fill, bool unit, zd alpha, F y, G x, const char *what)
{
    for (long i = 0; i < a.rows; i++) {
        zd sum = 0;
        double size = std::abs(x(i));
        for (long j = 0; j < a.rows; j++) {
            const zd p = triangle(a, i, j, op, fill, unit) * y(j);
            sum += p;
            size += std::abs(p);
        }
        if (!(std::abs(sum - alpha * x(i)) <= as<T>::eps() * 20 * (size + 1))) {
            printf("%s: op %d fill %d unit %d: line %ld: %g not %g\n", what, op, fill, unit, i, sum.real(), (alpha * x(i)).real());
            exit(1);
        }
    }
}

template <class T, class O, class I>
void sv(long n, cusparseFormat_t format, cusparseOperation_t op, cusparseFillMode_t fill, bool unit, int base, double density)
{
    dense<T> a(n, n, DIAGONAL, density);
    stored<T, O, I> s(a, format, base, 3);
    cusparseDiagType_t diag = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    SPARSE(cusparseSpMatSetAttribute(s.d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    SPARSE(cusparseSpMatSetAttribute(s.d, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
    if (unit) /* so that solutions stay small */
        for (auto &v : a.v)
            v = as<T>::narrow(as<T>::wide(v) * 0.01);
    if (unit && format == CUSPARSE_FORMAT_CSR) {
        std::vector<T> values;
        for (size_t k = 0; k < a.v.size(); k++)
            if (a.there[k])
                values.push_back(a.v[k]);
        CUDA(cudaMemcpy(s.values.p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    } else if (unit) {
        return;
    }
    vec<T> x(n), y(n);
    const T alpha = as<T>::narrow(zd(1.5, 0.5));
    cusparseSpSVDescr_t d;
    size_t bytes;
    void *buffer;
    SPARSE(cusparseSpSV_createDescr(&d));
    SPARSE(cusparseSpSV_bufferSize(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d, &bytes));
    CUDA(cudaMalloc(&buffer, bytes));
    FAILS(INVALID_VALUE, cusparseSpSV_solve(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d));
    SPARSE(cusparseSpSV_analysis(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d, buffer));
    SPARSE(cusparseSpSV_solve(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d));
    std::vector<T> got = y.get();
    auto gy = [&](long i) { return as<T>::wide(got[i]); };
    auto gx = [&](long i) { return as<T>::wide(x.host[i]); };
    residual(a, op, fill, unit, as<T>::wide(alpha), gy, gx, "sv");
    if (format == CUSPARSE_FORMAT_CSR && !unit) {
        /* Other values, then another diagonal. */
        std::vector<T> values;
        for (size_t k = 0; k < a.v.size(); k++)
            if (a.there[k]) {
                a.v[k] = as<T>::narrow(as<T>::wide(a.v[k]) * 1.25);
                values.push_back(a.v[k]);
            }
        device_copy<T> fresh(values);
        SPARSE(cusparseSpSV_updateMatrix(handle, d, fresh.p, CUSPARSE_SPSV_UPDATE_GENERAL));
        SPARSE(cusparseSpSV_solve(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d));
        got = y.get();
        residual(a, op, fill, unit, as<T>::wide(alpha), gy, gx, "update");
        std::vector<T> diagonal(n);
        for (long i = 0; i < n; i++)
            a.v[i * n + i] = diagonal[i] = as<T>::narrow(zd(8 + i % 3, 1));
        device_copy<T> fresh_diagonal(diagonal);
        SPARSE(cusparseSpSV_updateMatrix(handle, d, fresh_diagonal.p, CUSPARSE_SPSV_UPDATE_DIAGONAL));
        SPARSE(cusparseSpSV_solve(handle, op, &alpha, s.d, x.d, y.d, number<T>::value, CUSPARSE_SPSV_ALG_DEFAULT, d));
        got = y.get();
        residual(a, op, fill, unit, as<T>::wide(alpha), gy, gx, "update of the diagonal");
    }
    SPARSE(cusparseSpSV_destroyDescr(d));
    CUDA(cudaFree(buffer));
}

template <class T> void sm(cusparseOperation_t op, cusparseOperation_t opB, cusparseFillMode_t fill, cusparseOrder_t ob, cusparseOrder_t oc)
{
    const long n = 29, sides = 5;
    dense<T> a(n, n, DIAGONAL, 0.15);
    stored<T, int, int> s(a, CUSPARSE_FORMAT_CSR);
    SPARSE(cusparseSpMatSetAttribute(s.d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    mat<T> b(opB == N ? n : sides, opB == N ? sides : n, ob), c(n, sides, oc);
    const T alpha = as<T>::narrow(zd(1.5, 0.5));
    cusparseSpSMDescr_t d;
    size_t bytes;
    SPARSE(cusparseSpSM_createDescr(&d));
    SPARSE(cusparseSpSM_bufferSize(handle, op, opB, &alpha, s.d, b.d, c.d, number<T>::value, CUSPARSE_SPSM_ALG_DEFAULT, d, &bytes));
    SPARSE(cusparseSpSM_analysis(handle, op, opB, &alpha, s.d, b.d, c.d, number<T>::value, CUSPARSE_SPSM_ALG_DEFAULT, d, nullptr));
    SPARSE(cusparseSpSM_solve(handle, op, opB, &alpha, s.d, b.d, c.d, number<T>::value, CUSPARSE_SPSM_ALG_DEFAULT, d));
    const auto check = [&](const char *what) {
        const std::vector<T> got = c.get();
        for (long j = 0; j < sides; j++)
            residual(a, op, fill, false, as<T>::wide(alpha), [&](long i) { return c.at(got, i, j); },
                     [&](long i) { return b.at(b.host, i, j, opB); }, what);
    };
    check("sm");
    /* Other values, then another diagonal. */
    std::vector<T> values, diagonal(n);
    for (size_t k = 0; k < a.v.size(); k++)
        if (a.there[k])
            values.push_back(a.v[k] = as<T>::narrow(as<T>::wide(a.v[k]) * 1.25));
    device_copy<T> fresh(values);
    FAILS(INVALID_VALUE, cusparseSpSM_updateMatrix(handle, d, nullptr, CUSPARSE_SPSM_UPDATE_GENERAL));
    FAILS(INVALID_VALUE, cusparseSpSM_updateMatrix(handle, d, fresh.p, (cusparseSpSMUpdate_t)9));
    SPARSE(cusparseSpSM_updateMatrix(handle, d, fresh.p, CUSPARSE_SPSM_UPDATE_GENERAL));
    SPARSE(cusparseSpSM_solve(handle, op, opB, &alpha, s.d, b.d, c.d, number<T>::value, CUSPARSE_SPSM_ALG_DEFAULT, d));
    check("sm, other values");
    for (long i = 0; i < n; i++)
        a.v[i * n + i] = diagonal[i] = as<T>::narrow(zd(8 + i % 3, 1));
    device_copy<T> fresh_diagonal(diagonal);
    SPARSE(cusparseSpSM_updateMatrix(handle, d, fresh_diagonal.p, CUSPARSE_SPSM_UPDATE_DIAGONAL));
    SPARSE(cusparseSpSM_solve(handle, op, opB, &alpha, s.d, b.d, c.d, number<T>::value, CUSPARSE_SPSM_ALG_DEFAULT, d));
    check("sm, another diagonal");
    SPARSE(cusparseSpSM_destroyDescr(d));
}

/* ---- the older calls ---- */
template <class T> struct calls;
#define CALLS(T_, L)                                                                               \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto ilu_size = cusparse##L##csrilu02_bufferSize;                         \
        static constexpr auto ilu_analysis = cusparse##L##csrilu02_analysis;                       \
        static constexpr auto ilu = cusparse##L##csrilu02;                                         \
        static constexpr auto ilu_boost = cusparse##L##csrilu02_numericBoost;                      \
        static constexpr auto ic_analysis = cusparse##L##csric02_analysis;                         \
        static constexpr auto ic = cusparse##L##csric02;                                           \
        static constexpr auto bilu_analysis = cusparse##L##bsrilu02_analysis;                      \
        static constexpr auto bilu = cusparse##L##bsrilu02;                                        \
        static constexpr auto bic_analysis = cusparse##L##bsric02_analysis;                        \
        static constexpr auto bic = cusparse##L##bsric02;                                          \
        static constexpr auto bsv_analysis = cusparse##L##bsrsv2_analysis;                         \
        static constexpr auto bsv = cusparse##L##bsrsv2_solve;                                     \
        static constexpr auto bsm_analysis = cusparse##L##bsrsm2_analysis;                         \
        static constexpr auto bsm = cusparse##L##bsrsm2_solve;                                     \
    };
CALLS(float, S)
CALLS(double, D)
CALLS(cuComplex, C)
CALLS(cuDoubleComplex, Z)
const cusparseSolvePolicy_t POLICY = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
const cusparseDirection_t BY_ROWS = CUSPARSE_DIRECTION_ROW;

/* What the dense loops give, where there are elements. */
static void dense_ilu(std::vector<zd> &v, const std::vector<char> &there, long n)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < i; k++)
            if (there[i * n + k]) {
                v[i * n + k] /= v[k * n + k];
                for (long j = k + 1; j < n; j++)
                    if (there[i * n + j] && there[k * n + j])
                        v[i * n + j] -= v[i * n + k] * v[k * n + j];
            }
}
static void dense_ic(std::vector<zd> &v, const std::vector<char> &there, long n)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k <= i; k++)
            if (there[i * n + k]) {
                for (long j = 0; j < k; j++)
                    if (there[i * n + j] && there[k * n + j])
                        v[i * n + k] -= v[i * n + j] * std::conj(v[k * n + j]);
                v[i * n + k] = k < i ? v[i * n + k] / v[k * n + k] : std::sqrt(v[i * n + k].real());
            }
}
/* Symmetric in structure, Hermitian in value, and definite. */
template <class T> void make_hermitian(dense<T> &a)
{
    const long n = a.rows;
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            a.there[j * n + i] = a.there[i * n + j];
            zd v = as<T>::wide(a.v[i * n + j]);
            if (i == j)
                v = zd(6 + v.real(), 0);
            a.v[i * n + j] = as<T>::narrow(v);
            a.v[j * n + i] = as<T>::narrow(std::conj(v));
        }
}

template <class T> void factors(long n, int base)
{
    typedef calls<T> L;
    dense<T> a(n, n, DIAGONAL, 0.12);
    make_hermitian(a);
    cusparseMatDescr_t m;
    SPARSE(cusparseCreateMatDescr(&m));
    SPARSE(cusparseSetMatIndexBase(m, (cusparseIndexBase_t)base));
    for (int which = 0; which < 2; which++) {
        stored<T, int, int> s(a, CUSPARSE_FORMAT_CSR, base);
        const int nnz = (int)s.values.n;
        int position = 7;
        if (which == 0) {
            csrilu02Info_t info;
            int bytes;
            SPARSE(cusparseCreateCsrilu02Info(&info));
            SPARSE(L::ilu_size(handle, n, nnz, m, s.values.p, s.offsets.p, s.indices.p, info, &bytes));
            SPARSE(L::ilu_analysis(handle, n, nnz, m, s.values.p, s.offsets.p, s.indices.p, info, POLICY, nullptr));
            SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
            SPARSE(L::ilu(handle, n, nnz, m, s.values.p, s.offsets.p, s.indices.p, info, POLICY, nullptr));
            SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
            SPARSE(cusparseDestroyCsrilu02Info(info));
        } else {
            csric02Info_t info;
            SPARSE(cusparseCreateCsric02Info(&info));
            SPARSE(L::ic_analysis(handle, n, nnz, m, s.values.p, s.offsets.p, s.indices.p, info, POLICY, nullptr));
            SPARSE(L::ic(handle, n, nnz, m, s.values.p, s.offsets.p, s.indices.p, info, POLICY, nullptr));
            SPARSE(cusparseXcsric02_zeroPivot(handle, info, &position));
            SPARSE(cusparseDestroyCsric02Info(info));
        }
        CHECK(position == -1);
        std::vector<zd> want(n * n);
        for (long k = 0; k < n * n; k++)
            want[k] = as<T>::wide(a.v[k]);
        if (which == 0)
            dense_ilu(want, a.there, n);
        else
            dense_ic(want, a.there, n);
        const std::vector<T> got = s.values.get();
        long at = 0;
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                if (a.there[i * n + j]) {
                    if (!close(as<T>::wide(got[at]), want[i * n + j], 300 * as<T>::eps())) {
                        printf("factor %d: (%ld, %ld) is %g, not %g\n", which, i, j, as<T>::wide(got[at]).real(), want[i * n + j].real());
                        exit(1);
                    }
                    at++;
                }
    }
    SPARSE(cusparseDestroyMatDescr(m));
}

/* Blocks: the same as rows whose blocks are full; then both triangles are solved with. */
template <class T> void block_factors(bool columns)
{
    typedef calls<T> L;
    const int dim = 3, mb = 6, n = mb * dim;
    dense<T> a(n, n, DIAGONAL, 0.1);
    make_hermitian(a);
    const cusparseDirection_t dir = columns ? CUSPARSE_DIRECTION_COLUMN : BY_ROWS;
    cusparseMatDescr_t m;
    SPARSE(cusparseCreateMatDescr(&m));
    for (int which = 0; which < 2; which++) {
        stored<T, int, int> s(a, CUSPARSE_FORMAT_BSR, 0, dim, columns);
        const int nnzb = (int)s.indices.n;
        dense<T> full = a; /* every element of a block is there */
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                bool any = false;
                for (long k = 0; k < dim * dim; k++)
                    any |= a.there[(i / dim * dim + k / dim) * n + j / dim * dim + k % dim];
                full.there[i * n + j] = any;
                if (!a.there[i * n + j])
                    full.v[i * n + j] = as<T>::narrow(zd(0));
            }
        int position = 7;
        std::vector<zd> want(n * n);
        for (long k = 0; k < n * n; k++)
            want[k] = as<T>::wide(full.v[k]);
        if (which == 0) {
            bsrilu02Info_t info;
            SPARSE(cusparseCreateBsrilu02Info(&info));
            SPARSE(L::bilu_analysis(handle, dir, mb, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, info, POLICY, nullptr));
            SPARSE(L::bilu(handle, dir, mb, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, info, POLICY, nullptr));
            SPARSE(cusparseXbsrilu02_zeroPivot(handle, info, &position));
            SPARSE(cusparseDestroyBsrilu02Info(info));
            dense_ilu(want, full.there, n);
        } else {
            bsric02Info_t info;
            SPARSE(cusparseCreateBsric02Info(&info));
            SPARSE(L::bic_analysis(handle, dir, mb, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, info, POLICY, nullptr));
            SPARSE(L::bic(handle, dir, mb, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, info, POLICY, nullptr));
            SPARSE(cusparseXbsric02_zeroPivot(handle, info, &position));
            SPARSE(cusparseDestroyBsric02Info(info));
            dense_ic(want, full.there, n);
        }
        CHECK(position == -1);
        const std::vector<T> got = s.values.get();
        const std::vector<int> offsets = s.offsets.get(), indices = s.indices.get();
        for (int ib = 0; ib < mb; ib++)
            for (int k = offsets[ib]; k < offsets[ib + 1]; k++)
                for (int e = 0; e < dim * dim; e++) {
                    const int i = ib * dim + (columns ? e % dim : e / dim), j = indices[k] * dim + (columns ? e / dim : e % dim);
                    CHECK(close(as<T>::wide(got[k * dim * dim + e]), want[i * n + j], 300 * as<T>::eps()));
                    full.v[i * n + j] = got[k * dim * dim + e];
                }
        if (which == 1)
            continue;
        SPARSE(cusparseSetMatFillMode(m, UP));
        both<T> x(n), y(n);
        const T alpha = as<T>::narrow(zd(2, 1));
        for (cusparseOperation_t op : {N, CT}) {
            bsrsv2Info_t v;
            SPARSE(cusparseCreateBsrsv2Info(&v));
            SPARSE(L::bsv_analysis(handle, dir, op, mb, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, v, POLICY, nullptr));
            SPARSE(L::bsv(handle, dir, op, mb, nnzb, &alpha, m, s.values.p, s.offsets.p, s.indices.p, dim, v, x.device, y.device, POLICY, nullptr));
            const std::vector<T> sol = y.get();
            residual(full, op, UP, false, as<T>::wide(alpha), [&](long i) { return as<T>::wide(sol[i]); },
                     [&](long i) { return as<T>::wide(x.host[i]); }, "bsrsv2");
            SPARSE(cusparseXbsrsv2_zeroPivot(handle, v, &position));
            SPARSE(cusparseDestroyBsrsv2Info(v));
        }
        const int sides = 4;
        both<T> b(n * sides), z(n * sides);
        bsrsm2Info_t v;
        SPARSE(cusparseCreateBsrsm2Info(&v));
        SPARSE(L::bsm_analysis(handle, dir, N, TR, mb, sides, nnzb, m, s.values.p, s.offsets.p, s.indices.p, dim, v, POLICY, nullptr));
        SPARSE(L::bsm(handle, dir, N, TR, mb, sides, nnzb, &alpha, m, s.values.p, s.offsets.p, s.indices.p, dim, v, b.device, sides, z.device, sides,
                      POLICY, nullptr));
        const std::vector<T> sol = z.get();
        for (int j = 0; j < sides; j++)
            residual(full, N, UP, false, as<T>::wide(alpha), [&](long i) { return as<T>::wide(sol[i * sides + j]); },
                     [&](long i) { return as<T>::wide(b.host[i * sides + j]); }, "bsrsm2");
        SPARSE(cusparseXbsrsm2_zeroPivot(handle, v, &position));
        CHECK(position == -1);
        SPARSE(cusparseDestroyBsrsm2Info(v));
    }
    SPARSE(cusparseDestroyMatDescr(m));
}

/* A pivot that is not there, one that becomes zero, and one that is boosted. */
static void pivots()
{
    cusparseMatDescr_t m;
    SPARSE(cusparseCreateMatDescr(&m));
    SPARSE(cusparseSetMatIndexBase(m, CUSPARSE_INDEX_BASE_ONE));
    csrilu02Info_t info;
    int position;
    {
        device_copy<int> off(std::vector<int>{1, 2, 3, 5}), idx(std::vector<int>{1, 1, 2, 3});
        device_copy<double> val(std::vector<double>{1, 2, 3, 4});
        SPARSE(cusparseCreateCsrilu02Info(&info));
        SPARSE(cusparseDcsrilu02_analysis(handle, 3, 4, m, val.p, off.p, idx.p, info, POLICY, nullptr));
        FAILS(ZERO_PIVOT, cusparseXcsrilu02_zeroPivot(handle, info, &position));
        CHECK(position == 2);
        SPARSE(cusparseDestroyCsrilu02Info(info));
    }
    const std::vector<double> values = {1, 2, 2, 4, 5};
    device_copy<int> off(std::vector<int>{1, 3, 5, 6}), idx(std::vector<int>{1, 2, 1, 2, 3});
    device_copy<double> val(values);
    SPARSE(cusparseCreateCsrilu02Info(&info));
    SPARSE(cusparseDcsrilu02_analysis(handle, 3, 5, m, val.p, off.p, idx.p, info, POLICY, nullptr));
    SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
    SPARSE(cusparseDcsrilu02(handle, 3, 5, m, val.p, off.p, idx.p, info, POLICY, nullptr));
    FAILS(ZERO_PIVOT, cusparseXcsrilu02_zeroPivot(handle, info, &position));
    CHECK(position == 2);
    double tolerance = 1e-10, instead = 0.5;
    SPARSE(cusparseDcsrilu02_numericBoost(handle, info, 1, &tolerance, &instead));
    val.put(values);
    SPARSE(cusparseDcsrilu02(handle, 3, 5, m, val.p, off.p, idx.p, info, POLICY, nullptr));
    SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
    CHECK(position == -1 && val.get()[3] == 0.5 && val.get()[2] == 2);
    SPARSE(cusparseDestroyCsrilu02Info(info));
    SPARSE(cusparseDestroyMatDescr(m));
}

/* Blocks of two, the lower triangle: the second block on the diagonal is not there, or has a zero there. */
static void block_pivots()
{
    const int dim = 2, mb = 3, sides = 3;
    const double one = 1;
    cusparseMatDescr_t m;
    SPARSE(cusparseCreateMatDescr(&m));
    SPARSE(cusparseSetMatIndexBase(m, CUSPARSE_INDEX_BASE_ONE));
    SPARSE(cusparseSetMatFillMode(m, LO));
    device_copy<double> b(std::vector<double>(mb * dim * sides, 1)), x(std::vector<double>(mb * dim * sides));
    for (int there = 0; there < 2; there++) {
        device_copy<int> off(there ? std::vector<int>{1, 2, 4, 5} : std::vector<int>{1, 2, 3, 4}), idx(there ? std::vector<int>{1, 1, 2, 3} : std::vector<int>{1, 1, 3});
        device_copy<double> val(there ? std::vector<double>{1, 0, 0, 1, 1, 2, 3, 4, 5, 0, 1, 0, 1, 0, 0, 1} : std::vector<double>{1, 0, 0, 1, 1, 2, 3, 4, 1, 0, 0, 1});
        const int nnzb = (int)idx.n;
        int position = 7;
        bsrsm2Info_t info;
        SPARSE(cusparseCreateBsrsm2Info(&info));
        SPARSE(cusparseDbsrsm2_analysis(handle, BY_ROWS, N, N, mb, sides, nnzb, m, val.p, off.p, idx.p, dim, info, POLICY, nullptr));
        if (there) {
            SPARSE(cusparseXbsrsm2_zeroPivot(handle, info, &position));
            CHECK(position == -1);
            SPARSE(cusparseDbsrsm2_solve(handle, BY_ROWS, N, N, mb, sides, nnzb, &one, m, val.p, off.p, idx.p, dim, info, b.p, mb * dim, x.p, mb * dim, POLICY, nullptr));
        }
        FAILS(ZERO_PIVOT, cusparseXbsrsm2_zeroPivot(handle, info, &position));
        CHECK(position == 2);
        FAILS(INVALID_VALUE, cusparseXbsrsm2_zeroPivot(handle, info, nullptr));
        FAILS(INVALID_VALUE, cusparseXbsrsm2_zeroPivot(handle, nullptr, &position));
        SPARSE(cusparseDestroyBsrsm2Info(info));
    }
    SPARSE(cusparseDestroyMatDescr(m));
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    int k = 0;
    for (cusparseOperation_t op : {N, TR, CT})
        for (cusparseFillMode_t fill : {LO, UP}) {
            k++;
            sv<double, int, int>(41, CUSPARSE_FORMAT_CSR, op, fill, false, k % 2, 0.1);
            if (all_types())
                sv<cuComplex, int, int>(17, CUSPARSE_FORMAT_CSR, op, fill, false, k % 2, 0.2);
            if (all_types())
                sv<float, int, int>(23, CUSPARSE_FORMAT_COO, op, fill, false, k % 2, 0.2);
            sv<double, long long, int>(23, CUSPARSE_FORMAT_SLICED_ELLPACK, op, fill, false, k % 2, 0.2);
            sv<double, long long, long long>(20, CUSPARSE_FORMAT_CSR, op, fill, true, 1, 0.2);
            sm<double>(op, k % 2 ? N : TR, fill, k % 3 ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL);
            if (all_types())
                sm<cuDoubleComplex>(op, k % 2 ? CT : N, fill, CUSPARSE_ORDER_COL, k % 3 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
        }
    sv<double, int, int>(300, CUSPARSE_FORMAT_CSR, N, LO, false, 0, 0.005); /* wide levels */
    sv<double, int, int>(0, CUSPARSE_FORMAT_CSR, N, LO, false, 0, 0.1);
    factors<double>(60, 1);
    block_factors<double>(false);
    if (all_types()) {
        factors<float>(31, 0);
        factors<cuComplex>(21, 1);
        factors<cuDoubleComplex>(33, 0);
        block_factors<cuDoubleComplex>(true);
        block_factors<float>(false);
        block_factors<cuComplex>(true);
    }
    pivots();
    block_pivots();
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
