// NOT ON: interp: types differ in what the other programs have run there
// NOT ON: vulkan: types differ in what the other programs have run there
// OPTIONS: -lcusparse
/* What the older calls of cuSPARSE have for each type, in all four: how much memory they ask for, counts, elements left out, sums, sorting and
 * its undoing, colours, dense matrices with sparse vectors, against loops over dense matrices. */
#include "sparse.h"
#include <algorithm>

static cusparseHandle_t h;
static cusparseMatDescr_t d; /* counts from 1 */
static const cusparseDirection_t dir = CUSPARSE_DIRECTION_ROW;

#define MORE(name, L) static constexpr auto name = cusparse##L##name;
#define SIZES(name, L)                                                                             \
    static constexpr auto name##_int = cusparse##L##name##_bufferSize;                             \
    static constexpr auto name##_size_t = cusparse##L##name##_bufferSizeExt;
template <class T> struct calls;
#define CALLS(T_, R_, L)                                                                           \
    template <> struct calls<T_> {                                                                 \
        typedef R_ real;                                                                           \
        MORE(nnz, L)                                                                               \
        MORE(nnz_compress, L)                                                                      \
        MORE(csr2csr_compress, L)                                                                  \
        MORE(csrgeam2, L)                                                                          \
        MORE(csrgeam2_bufferSizeExt, L)                                                            \
        MORE(csru2csr, L)                                                                          \
        MORE(csr2csru, L)                                                                          \
        MORE(csru2csr_bufferSizeExt, L)                                                            \
        MORE(csrcolor, L)                                                                          \
        MORE(gemvi, L)                                                                             \
        MORE(gemvi_bufferSize, L)                                                                  \
        MORE(gtsv2_bufferSizeExt, L)                                                               \
        MORE(gtsv2_nopivot_bufferSizeExt, L)                                                       \
        MORE(gtsv2StridedBatch_bufferSizeExt, L)                                                   \
        MORE(gtsvInterleavedBatch_bufferSizeExt, L)                                                \
        MORE(gpsvInterleavedBatch_bufferSizeExt, L)                                                \
        MORE(csrilu02_numericBoost, L)                                                             \
        MORE(bsrilu02_numericBoost, L)                                                             \
        SIZES(csrilu02, L)                                                                         \
        SIZES(csric02, L)                                                                          \
        SIZES(bsrilu02, L)                                                                         \
        SIZES(bsric02, L)                                                                          \
        SIZES(bsrsv2, L)                                                                           \
        SIZES(bsrsm2, L)                                                                           \
        SIZES(csr2gebsr, L)                                                                        \
        SIZES(gebsr2gebsc, L)                                                                      \
        SIZES(gebsr2gebsr, L)                                                                      \
    };
CALLS(float, float, S)
CALLS(double, double, D)
CALLS(cuComplex, float, C)
CALLS(cuDoubleComplex, double, Z)

template <class T> struct csr {
    std::vector<int> off, idx;
    std::vector<T> val;
    explicit csr(const dense<T> &a)
    {
        for (long i = 0; i < a.rows; i++) {
            off.push_back((int)idx.size() + 1);
            for (long j = 0; j < a.cols; j++)
                if (a.there[i * a.cols + j]) {
                    idx.push_back((int)j + 1);
                    val.push_back(a.v[i * a.cols + j]);
                }
        }
        off.push_back((int)idx.size() + 1);
    }
    int nnz() const
    {
        return (int)idx.size();
    }
};
static double size_of(zd v)
{
    return std::abs(v);
}

/* Both forms of a question, for int and size_t, have one answer. */
#define ASK(name, ...)                                                                             \
    do {                                                                                           \
        int narrow_ = -1;                                                                               \
        size_t wide_ = 0;                                                                             \
        SPARSE(calls<T>::name##_int(__VA_ARGS__, &narrow_));                                            \
        SPARSE(calls<T>::name##_size_t(__VA_ARGS__, &wide_));                                         \
        CHECK(narrow_ > 0 && (size_t)narrow_ == wide_);                                                         \
        CHECK(calls<T>::name##_size_t(__VA_ARGS__, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);     \
    } while (0)
#define ASK_ONE(name, ...)                                                                         \
    do {                                                                                           \
        size_t wide_ = 0;                                                                             \
        SPARSE(calls<T>::name(__VA_ARGS__, &wide_));                                                  \
        CHECK(wide_ > 0);                                                                             \
        CHECK(calls<T>::name(__VA_ARGS__, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);              \
    } while (0)

template <class T> static void sizes()
{
    const dense<T> a(8, 8, DIAGONAL, 0.3);
    const csr<T> s(a);
    device_copy<T> val(s.val), x(std::vector<T>(64));
    device_copy<int> off(s.off), idx(s.idx);
    const T one = as<T>::narrow(zd(1));
    const int nnz = s.nnz();
    csrilu02Info_t ilu;
    csric02Info_t ic;
    bsrilu02Info_t bilu;
    bsric02Info_t bic;
    bsrsv2Info_t sv;
    bsrsm2Info_t sm;
    csru2csrInfo_t unsorted;
    SPARSE(cusparseCreateCsrilu02Info(&ilu));
    SPARSE(cusparseCreateCsric02Info(&ic));
    SPARSE(cusparseCreateBsrilu02Info(&bilu));
    SPARSE(cusparseCreateBsric02Info(&bic));
    SPARSE(cusparseCreateBsrsv2Info(&sv));
    SPARSE(cusparseCreateBsrsm2Info(&sm));
    SPARSE(cusparseCreateCsru2csrInfo(&unsorted));
    ASK(csrilu02, h, 8, nnz, d, val.p, off.p, idx.p, ilu);
    ASK(csric02, h, 8, nnz, d, val.p, off.p, idx.p, ic);
    ASK(bsrilu02, h, dir, 8, nnz, d, val.p, off.p, idx.p, 2, bilu);
    ASK(bsric02, h, dir, 8, nnz, d, val.p, off.p, idx.p, 2, bic);
    ASK(bsrsv2, h, dir, N, 8, nnz, d, val.p, off.p, idx.p, 2, sv);
    ASK(bsrsm2, h, dir, N, N, 8, 3, nnz, d, val.p, off.p, idx.p, 2, sm);
    ASK(csr2gebsr, h, dir, 8, 8, d, val.p, off.p, idx.p, 2, 3);
    ASK(gebsr2gebsc, h, 8, 8, nnz, val.p, off.p, idx.p, 2, 3);
    ASK(gebsr2gebsr, h, dir, 8, 8, nnz, d, val.p, off.p, idx.p, 2, 3, 4, 5);
    ASK_ONE(gtsv2_bufferSizeExt, h, 8, 2, x.p, x.p, x.p, x.p, 8);
    ASK_ONE(gtsv2_nopivot_bufferSizeExt, h, 8, 2, x.p, x.p, x.p, x.p, 8);
    ASK_ONE(gtsv2StridedBatch_bufferSizeExt, h, 8, x.p, x.p, x.p, x.p, 2, 8);
    ASK_ONE(gtsvInterleavedBatch_bufferSizeExt, h, 1, 8, x.p, x.p, x.p, x.p, 2);
    ASK_ONE(gpsvInterleavedBatch_bufferSizeExt, h, 0, 8, x.p, x.p, x.p, x.p, x.p, x.p, 2);
    ASK_ONE(csru2csr_bufferSizeExt, h, 8, 8, nnz, val.p, off.p, idx.p, unsorted);
    ASK_ONE(csrgeam2_bufferSizeExt, h, 8, 8, &one, d, nnz, val.p, off.p, idx.p, &one, d, nnz, val.p, off.p, idx.p, d, val.p, off.p, idx.p);
    int bytes = -1;
    SPARSE(calls<T>::gemvi_bufferSize(h, N, 8, 8, 3, &bytes));
    CHECK(bytes > 0);
    double tolerance = 0.5;
    T instead = as<T>::narrow(zd(2));
    SPARSE(calls<T>::csrilu02_numericBoost(h, ilu, 1, &tolerance, &instead));
    SPARSE(calls<T>::bsrilu02_numericBoost(h, bilu, 1, &tolerance, &instead));
    SPARSE(calls<T>::csrilu02_numericBoost(h, ilu, 0, nullptr, nullptr));
    CHECK(calls<T>::bsrilu02_numericBoost(h, nullptr, 0, nullptr, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
    SPARSE(cusparseDestroyCsrilu02Info(ilu));
    SPARSE(cusparseDestroyCsric02Info(ic));
    SPARSE(cusparseDestroyBsrilu02Info(bilu));
    SPARSE(cusparseDestroyBsric02Info(bic));
    SPARSE(cusparseDestroyBsrsv2Info(sv));
    SPARSE(cusparseDestroyBsrsm2Info(sm));
    SPARSE(cusparseDestroyCsru2csrInfo(unsorted));
}

/* Elements that are 0 are not counted; those no larger than a tolerance are left out. */
template <class T> static void counts(long m, long n)
{
    dense<T> a(m, n, RANDOM, 0.4);
    std::vector<T> columns(m * n, as<T>::narrow(zd(0)));
    std::vector<int> rows(m), cols(n), kept(m);
    const csr<T> s(a);
    const double tol = 0.6;
    int total = 0, left = 0;
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            const zd v = a.at(i, j);
            columns[i + j * m] = as<T>::narrow(v);
            rows[i] += v != zd(0);
            cols[j] += v != zd(0);
            total += v != zd(0);
            kept[i] += size_of(v) > tol;
            left += size_of(v) > tol;
        }
    device_copy<T> dense_there(columns), val(s.val), out(std::vector<T>(s.nnz() + 1));
    device_copy<int> off(s.off), idx(s.idx), count(std::vector<int>(std::max(m, n))), off_out(std::vector<int>(m + 1)), idx_out(std::vector<int>(s.nnz() + 1));
    int got = -1;
    SPARSE(calls<T>::nnz(h, CUSPARSE_DIRECTION_ROW, (int)m, (int)n, d, dense_there.p, (int)m, count.p, &got));
    std::vector<int> each = count.get();
    CHECK(got == total && std::equal(rows.begin(), rows.end(), each.begin()));
    SPARSE(calls<T>::nnz(h, CUSPARSE_DIRECTION_COLUMN, (int)m, (int)n, d, dense_there.p, (int)m, count.p, &got));
    each = count.get();
    CHECK(got == total && std::equal(cols.begin(), cols.end(), each.begin()));
    const T limit = as<T>::narrow(zd(tol));
    SPARSE(calls<T>::nnz_compress(h, (int)m, d, val.p, off.p, count.p, &got, limit));
    each = count.get();
    CHECK(got == left && std::equal(kept.begin(), kept.end(), each.begin()));
    SPARSE(calls<T>::csr2csr_compress(h, (int)m, (int)n, d, val.p, idx.p, off.p, s.nnz(), count.p, out.p, idx_out.p, off_out.p, limit));
    const std::vector<int> o = off_out.get(), x = idx_out.get();
    const std::vector<T> v = out.get();
    int k = 0;
    for (long i = 0; i < m; i++) {
        CHECK(o[i] == k + 1);
        for (long j = 0; j < n; j++)
            if (size_of(a.at(i, j)) > tol) {
                CHECK(x[k] == j + 1 && as<T>::wide(v[k]) == a.at(i, j));
                k++;
            }
    }
    CHECK(o[m] == k + 1 && k == left);
}

template <class T> static void sums(long m, long n)
{
    const dense<T> a(m, n, RANDOM, 0.3), b(m, n, POWER);
    const csr<T> s(a), t(b);
    device_copy<T> va(s.val), vb(t.val), vc(std::vector<T>(s.nnz() + t.nnz() + 1));
    device_copy<int> oa(s.off), ia(s.idx), ob(t.off), ib(t.idx), oc(std::vector<int>(m + 1)), ic(std::vector<int>(s.nnz() + t.nnz() + 1));
    const T alpha = any<T>(), beta = any<T>();
    int total = -1;
    SPARSE(cusparseXcsrgeam2Nnz(h, (int)m, (int)n, d, s.nnz(), oa.p, ia.p, d, t.nnz(), ob.p, ib.p, d, oc.p, &total, nullptr));
    SPARSE(calls<T>::csrgeam2(h, (int)m, (int)n, &alpha, d, s.nnz(), va.p, oa.p, ia.p, &beta, d, t.nnz(), vb.p, ob.p, ib.p, d, vc.p, oc.p, ic.p, nullptr));
    const std::vector<int> o = oc.get(), x = ic.get();
    const std::vector<T> v = vc.get();
    int k = 0;
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            if (a.there[i * n + j] || b.there[i * n + j]) {
                CHECK(x[k] == j + 1 && close(as<T>::wide(v[k]), as<T>::wide(alpha) * a.at(i, j) + as<T>::wide(beta) * b.at(i, j), 8 * as<T>::eps()));
                k++;
            }
    CHECK(total == k && o[m] == k + 1);
}

/* Rows turned round are sorted, and as they were again. */
template <class T> static void unsorted(long m, long n)
{
    const dense<T> a(m, n, RANDOM, 0.4);
    const csr<T> s(a);
    csr<T> r = s;
    for (long i = 0; i < m; i++) {
        std::reverse(r.idx.begin() + r.off[i] - 1, r.idx.begin() + r.off[i + 1] - 1);
        std::reverse(r.val.begin() + r.off[i] - 1, r.val.begin() + r.off[i + 1] - 1);
    }
    device_copy<T> val(r.val);
    device_copy<int> off(r.off), idx(r.idx);
    csru2csrInfo_t info;
    SPARSE(cusparseCreateCsru2csrInfo(&info));
    CHECK(calls<T>::csr2csru(h, (int)m, (int)n, r.nnz(), d, val.p, off.p, idx.p, info, nullptr) == CUSPARSE_STATUS_INVALID_VALUE); /* never sorted */
    for (int back = 0; back < 2; back++) {
        const csr<T> &want = back ? r : s;
        if (back)
            SPARSE(calls<T>::csr2csru(h, (int)m, (int)n, r.nnz(), d, val.p, off.p, idx.p, info, nullptr));
        else
            SPARSE(calls<T>::csru2csr(h, (int)m, (int)n, r.nnz(), d, val.p, off.p, idx.p, info, nullptr));
        CHECK(idx.get() == want.idx);
        const std::vector<T> v = val.get();
        for (int k = 0; k < r.nnz(); k++)
            CHECK(as<T>::wide(v[k]) == as<T>::wide(want.val[k]));
    }
    SPARSE(cusparseDestroyCsru2csrInfo(info));
}

template <class T> static void colours(long n)
{
    const dense<T> a(n, n, DIAGONAL, 0.15);
    const csr<T> s(a);
    device_copy<T> val(s.val);
    device_copy<int> off(s.off), idx(s.idx), colour(std::vector<int>((size_t)n)), order(std::vector<int>((size_t)n));
    cusparseColorInfo_t info;
    const typename calls<T>::real all = 1;
    int count = -1;
    SPARSE(cusparseCreateColorInfo(&info));
    SPARSE(calls<T>::csrcolor(h, (int)n, s.nnz(), d, val.p, off.p, idx.p, &all, &count, colour.p, order.p, info));
    SPARSE(cusparseDestroyColorInfo(info));
    const std::vector<int> c = colour.get(), p = order.get();
    std::vector<int> seen(n);
    for (long i = 0; i < n; i++) {
        CHECK(c[i] >= 0 && c[i] < count);
        seen.at(p[i])++;
        for (long j = 0; j < n; j++)
            CHECK(i == j || !a.there[i * n + j] || c[i] != c[j]);
    }
    for (int k : seen)
        CHECK(k == 1);
}

template <class T> static void dense_by_sparse(int m, int n)
{
    const int lda = m + 2;
    both<T> a(lda * n), x(4), y(std::max(m, n));
    for (cusparseOperation_t op : {N, TR, CT}) {
        const int rows = op == N ? m : n, cols = op == N ? n : m;
        device_copy<int> where(std::vector<int>{1, 3, cols - 1, cols});
        const int at[] = {0, 2, cols - 2, cols - 1};
        const T alpha = any<T>(), beta = any<T>();
        y.put();
        SPARSE(calls<T>::gemvi(h, op, m, n, &alpha, a.device, lda, 4, x.device, where.p, &beta, y.device, CUSPARSE_INDEX_BASE_ONE, nullptr));
        const std::vector<T> got = y.get();
        for (int i = 0; i < rows; i++) {
            zd sum = 0;
            for (int k = 0; k < 4; k++) {
                const zd e = as<T>::wide(op == N ? a.host[i + at[k] * lda] : a.host[at[k] + i * lda]);
                sum += (op == CT ? std::conj(e) : e) * as<T>::wide(x.host[k]);
            }
            CHECK(close(as<T>::wide(got[i]), as<T>::wide(alpha) * sum + as<T>::wide(beta) * as<T>::wide(y.host[i]), 40 * as<T>::eps()));
        }
    }
}

/* Pruning has real types alone. A threshold keeps what is larger; a share of 40 percent keeps the larger 60. */
#define PRUNING(T, L)                                                                              \
    static void pruning_##L(int m, int n)                                                          \
    {                                                                                              \
        both<T> a(m * n);                                                                          \
        std::vector<double> sizes;                                                                 \
        for (T v : a.host)                                                                         \
            sizes.push_back(std::fabs((double)v));                                                 \
        std::vector<double> in_order = sizes;                                                      \
        std::sort(in_order.begin(), in_order.end());                                               \
        dense<T> all(m, n, EMPTY);                                                                 \
        for (int k = 0; k < m * n; k++) {                                                          \
            all.there[k] = 1;                                                                      \
            all.v[k] = a.host[k / n + k % n * m];                                                  \
        }                                                                                          \
        const csr<T> s(all);                                                                       \
        device_copy<T> val(s.val), out(std::vector<T>(m * n + 1));                                 \
        device_copy<int> off(s.off), idx(s.idx), off_out(std::vector<int>(m + 1)), idx_out(std::vector<int>(m * n + 1)); \
        pruneInfo_t info;                                                                          \
        SPARSE(cusparseCreatePruneInfo(&info));                                                    \
        for (int form = 0; form < 4; form++) {                                                     \
            const bool share = form & 1;                                                           \
            const T limit = share ? (T)in_order[(size_t)std::ceil(m * n * 0.4) - 1] : (T)0.5;      \
            int total = -1, want = 0, k = 0;                                                       \
            size_t bytes = 0;                                                                      \
            for (double v : sizes)                                                                 \
                want += v > (double)limit;                                                         \
            if (form == 0) {                                                                       \
                SPARSE(cusparse##L##pruneDense2csr_bufferSizeExt(h, m, n, a.device, m, &limit, d, out.p, off_out.p, idx_out.p, &bytes)); \
                SPARSE(cusparse##L##pruneDense2csrNnz(h, m, n, a.device, m, &limit, d, off_out.p, &total, nullptr)); \
                SPARSE(cusparse##L##pruneDense2csr(h, m, n, a.device, m, &limit, d, out.p, off_out.p, idx_out.p, nullptr)); \
            } else if (form == 1) {                                                                \
                SPARSE(cusparse##L##pruneDense2csrByPercentage_bufferSizeExt(h, m, n, a.device, m, 40, d, out.p, off_out.p, idx_out.p, info, &bytes)); \
                SPARSE(cusparse##L##pruneDense2csrNnzByPercentage(h, m, n, a.device, m, 40, d, off_out.p, &total, info, nullptr)); \
                SPARSE(cusparse##L##pruneDense2csrByPercentage(h, m, n, a.device, m, 40, d, out.p, off_out.p, idx_out.p, info, nullptr)); \
            } else if (form == 2) {                                                                \
                SPARSE(cusparse##L##pruneCsr2csr_bufferSizeExt(h, m, n, m * n, d, val.p, off.p, idx.p, &limit, d, out.p, off_out.p, idx_out.p, &bytes)); \
                SPARSE(cusparse##L##pruneCsr2csrNnz(h, m, n, m * n, d, val.p, off.p, idx.p, &limit, d, off_out.p, &total, nullptr)); \
                SPARSE(cusparse##L##pruneCsr2csr(h, m, n, m * n, d, val.p, off.p, idx.p, &limit, d, out.p, off_out.p, idx_out.p, nullptr)); \
            } else {                                                                               \
                SPARSE(cusparse##L##pruneCsr2csrByPercentage_bufferSizeExt(h, m, n, m * n, d, val.p, off.p, idx.p, 40, d, out.p, off_out.p, idx_out.p, info, &bytes)); \
                SPARSE(cusparse##L##pruneCsr2csrNnzByPercentage(h, m, n, m * n, d, val.p, off.p, idx.p, 40, d, off_out.p, &total, info, nullptr)); \
                SPARSE(cusparse##L##pruneCsr2csrByPercentage(h, m, n, m * n, d, val.p, off.p, idx.p, 40, d, out.p, off_out.p, idx_out.p, info, nullptr)); \
            }                                                                                      \
            CHECK(bytes > 0 && total == want);                                                     \
            const std::vector<int> o = off_out.get(), x = idx_out.get();                           \
            const std::vector<T> v = out.get();                                                    \
            for (int i = 0; i < m; i++)                                                            \
                for (int j = 0; j < n; j++)                                                        \
                    if (std::fabs((double)a.host[i + j * m]) > (double)limit) {                    \
                        CHECK(x[k] == j + 1 && v[k] == a.host[i + j * m]);                         \
                        k++;                                                                       \
                    }                                                                              \
            CHECK(o[0] == 1 && o[m] == k + 1);                                                     \
        }                                                                                          \
        SPARSE(cusparseDestroyPruneInfo(info));                                                    \
    }
PRUNING(float, S)
PRUNING(double, D)

/* Of any type: columns sorted. */
static void columns()
{
    device_copy<int> off({0, 2, 2, 5}), idx({3, 1, 2, 0, 1}), places({0, 1, 2, 3, 4});
    size_t bytes = 0;
    cusparseMatDescr_t zero;
    SPARSE(cusparseCreateMatDescr(&zero));
    SPARSE(cusparseXcscsort_bufferSizeExt(h, 4, 3, 5, off.p, idx.p, &bytes));
    SPARSE(cusparseXcscsort(h, 4, 3, 5, zero, off.p, idx.p, places.p, nullptr));
    CHECK(bytes > 0 && idx.get() == (std::vector<int>{1, 3, 0, 1, 2}) && places.get() == (std::vector<int>{1, 0, 3, 4, 2}));
    SPARSE(cusparseXcsrsort_bufferSizeExt(h, 3, 4, 5, off.p, idx.p, &bytes));
    SPARSE(cusparseDestroyMatDescr(zero));
}

template <class T> static void all()
{
    sizes<T>();
    counts<T>(13, 9);
    sums<T>(11, 17);
    unsorted<T>(15, 21);
    colours<T>(33);
    dense_by_sparse<T>(9, 7);
}

int main()
{
    SPARSE(cusparseCreate(&h));
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    all<float>();
    all<double>();
    all<cuComplex>();
    all<cuDoubleComplex>();
    pruning_S(7, 11);
    pruning_D(12, 5);
    columns();
    SPARSE(cusparseDestroyMatDescr(d));
    SPARSE(cusparseDestroy(h));
    puts("ok");
}
