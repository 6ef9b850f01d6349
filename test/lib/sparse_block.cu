// OPTIONS: -lcusparse
// Systems of three and five diagonals, conversions of blocks, colouring.
#include "sparse.h"

static cusparseHandle_t handle;

template <class T> struct calls;
#define CALLS(T_, L)                                                                               \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto gtsv2 = cusparse##L##gtsv2;                                          \
        static constexpr auto gtsv2_size = cusparse##L##gtsv2_bufferSizeExt;                       \
        static constexpr auto nopivot = cusparse##L##gtsv2_nopivot;                                \
        static constexpr auto strided = cusparse##L##gtsv2StridedBatch;                            \
        static constexpr auto interleaved = cusparse##L##gtsvInterleavedBatch;                     \
        static constexpr auto penta = cusparse##L##gpsvInterleavedBatch;                           \
        static constexpr auto csr2bsr = cusparse##L##csr2bsr;                                      \
        static constexpr auto bsr2csr = cusparse##L##bsr2csr;                                      \
        static constexpr auto csr2gebsr = cusparse##L##csr2gebsr;                                  \
        static constexpr auto gebsr2csr = cusparse##L##gebsr2csr;                                  \
        static constexpr auto gebsr2gebsr = cusparse##L##gebsr2gebsr;                              \
        static constexpr auto gebsr2gebsc = cusparse##L##gebsr2gebsc;                              \
        static constexpr auto color = cusparse##L##csrcolor;                                       \
    };
CALLS(float, S)
CALLS(double, D)
CALLS(cuComplex, C)
CALLS(cuDoubleComplex, Z)

/* |A x - b| for bands; at(d, i): the element of row i and column i + d. */
template <class T, class F, class G, class H> void residual(long m, int k, F at, G x, H b, const char *what)
{
    for (long i = 0; i < m; i++) {
        zd sum = 0;
        double size = std::abs(b(i));
        for (int d = -k; d <= k; d++)
            if (i + d >= 0 && i + d < m) {
                sum += at(d, i) * x(i + d);
                size += std::abs(at(d, i) * x(i + d));
            }
        if (!(std::abs(sum - b(i)) <= as<T>::eps() * 50 * size)) {
            printf("%s: row %ld of %ld: %g not %g\n", what, i, m, sum.real(), b(i).real());
            exit(1);
        }
    }
}

template <class T> void bands(int m, bool dominant)
{
    const int n = 3, ld = m + 2;
    both<T> dl(m * n), d(m * n), du(m * n), ds(m * n), dw(m * n), x(ld * n);
    if (dominant)
        for (T &v : d.host)
            v = as<T>::narrow(as<T>::wide(v) + zd(4));
    else
        for (int i = 0; i < m * n; i += 4) /* pivots are needed */
            d.host[i] = as<T>::narrow(zd(0));
    d.put();
    auto w = [](T v) { return as<T>::wide(v); };
    size_t bytes;
    SPARSE(calls<T>::gtsv2_size(handle, m, n, dl.device, d.device, du.device, x.device, ld, &bytes));
    SPARSE((dominant ? calls<T>::nopivot : calls<T>::gtsv2)(handle, m, n, dl.device, d.device, du.device, x.device, ld, nullptr));
    std::vector<T> got = x.get();
    for (int j = 0; j < n; j++)
        residual<T>(m, 1, [&](int o, long i) { return w((o < 0 ? dl : o ? du : d).host[i]); }, [&](long i) { return w(got[i + j * ld]); },
                    [&](long i) { return w(x.host[i + j * ld]); }, "gtsv2");
    for (int j = 0; j < n; j++)
        for (int i = m; i < ld; i++)
            CHECK(w(got[i + j * ld]) == w(x.host[i + j * ld]));
    const std::vector<T> after = d.get();
    for (size_t i = 0; i < after.size(); i++)
        CHECK(w(after[i]) == w(d.host[i]));
    both<T> y(m * n);
    SPARSE(calls<T>::strided(handle, m, dl.device, d.device, du.device, y.device, n, m, nullptr));
    got = y.get();
    for (int j = 0; j < n; j++)
        residual<T>(m, 1, [&](int o, long i) { return w((o < 0 ? dl : o ? du : d).host[i + j * m]); }, [&](long i) { return w(got[i + j * m]); },
                    [&](long i) { return w(y.host[i + j * m]); }, "strided");
    for (int algo = 0; algo < 3; algo++) {
        dl.put();
        d.put();
        du.put();
        y.put();
        SPARSE(calls<T>::interleaved(handle, algo, m, dl.device, d.device, du.device, y.device, n, nullptr));
        got = y.get();
        for (int j = 0; j < n; j++)
            residual<T>(m, 1, [&](int o, long i) { return w((o < 0 ? dl : o ? du : d).host[i * n + j]); }, [&](long i) { return w(got[i * n + j]); },
                        [&](long i) { return w(y.host[i * n + j]); }, "interleaved");
    }
    dl.put();
    d.put();
    du.put();
    y.put();
    SPARSE(calls<T>::penta(handle, 0, m, ds.device, dl.device, d.device, du.device, dw.device, y.device, n, nullptr));
    got = y.get();
    both<T> *const diagonals[] = {&ds, &dl, &d, &du, &dw};
    for (int j = 0; j < n; j++)
        residual<T>(m, 2, [&](int o, long i) { return w(diagonals[o + 2]->host[i * n + j]); }, [&](long i) { return w(got[i * n + j]); },
                    [&](long i) { return w(y.host[i * n + j]); }, "penta");
    FAILS(INVALID_VALUE, calls<T>::gtsv2(handle, m, n, dl.device, d.device, du.device, x.device, m - 1, nullptr));
    FAILS(INVALID_VALUE, calls<T>::interleaved(handle, 3, m, dl.device, d.device, du.device, y.device, n, nullptr));
}

/* The dense matrix that blocks say. */
template <class T>
std::vector<zd> unpack(long m, long n, int base, int rows, int cols, bool by_columns, const std::vector<int> &off, const std::vector<int> &idx,
                       const std::vector<T> &val)
{
    std::vector<zd> d(m * n);
    for (long ib = 0; ib + 1 < (long)off.size(); ib++)
        for (int k = off[ib] - base; k < off[ib + 1] - base; k++) {
            CHECK(k == off[ib] - base || idx[k] > idx[k - 1]);
            for (int e = 0; e < rows * cols; e++) {
                const long i = ib * rows + (by_columns ? e % rows : e / cols), j = (long)(idx[k] - base) * cols + (by_columns ? e / rows : e % cols);
                const zd v = as<T>::wide(val[(long)k * rows * cols + e]);
                if (i < m && j < n)
                    d[i * n + j] = v;
                else
                    CHECK(v == zd(0));
            }
        }
    return d;
}

template <class T> void blocks(int m, int n, int rows, int cols, bool by_columns)
{
    typedef calls<T> L;
    dense<T> a(m, n, RANDOM, 0.15);
    stored<T, int, int> s(a, CUSPARSE_FORMAT_CSR, 1);
    cusparseMatDescr_t one, zero;
    SPARSE(cusparseCreateMatDescr(&zero));
    SPARSE(cusparseCreateMatDescr(&one));
    SPARSE(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
    const cusparseDirection_t dir = by_columns ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW;
    const int mb = (m + rows - 1) / rows, nb = (n + cols - 1) / cols;
    std::vector<zd> want(m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            want[i * n + j] = a.at(i, j);
    device_copy<int> off{std::vector<int>(mb + 1)};
    int nnzb;
    SPARSE(cusparseXcsr2gebsrNnz(handle, dir, m, n, one, s.offsets.p, s.indices.p, zero, off.p, rows, cols, &nnzb, nullptr));
    device_copy<int> idx{std::vector<int>(nnzb)};
    device_copy<T> val{std::vector<T>(nnzb * rows * cols)};
    SPARSE(L::csr2gebsr(handle, dir, m, n, one, s.values.p, s.offsets.p, s.indices.p, zero, val.p, off.p, idx.p, rows, cols, nullptr));
    CHECK(unpack(m, n, 0, rows, cols, by_columns, off.get(), idx.get(), val.get()) == want);
    if (rows == cols) {
        int again;
        device_copy<int> off2{std::vector<int>(mb + 1)};
        SPARSE(cusparseXcsr2bsrNnz(handle, dir, m, n, one, s.offsets.p, s.indices.p, rows, one, off2.p, &again));
        CHECK(again == nnzb);
        device_copy<int> idx2{std::vector<int>(nnzb)};
        device_copy<T> val2{std::vector<T>(nnzb * rows * cols)};
        SPARSE(L::csr2bsr(handle, dir, m, n, one, s.values.p, s.offsets.p, s.indices.p, rows, one, val2.p, off2.p, idx2.p));
        CHECK(unpack(m, n, 1, rows, cols, by_columns, off2.get(), idx2.get(), val2.get()) == want);
    }
    /* Back to rows: every element of a block. */
    const int all = nnzb * rows * cols;
    device_copy<int> roff{std::vector<int>(mb * rows + 1)}, ridx{std::vector<int>(all)};
    device_copy<T> rval{std::vector<T>(all)};
    if (rows == cols)
        SPARSE(L::bsr2csr(handle, dir, mb, nb, zero, val.p, off.p, idx.p, rows, one, rval.p, roff.p, ridx.p));
    else
        SPARSE(L::gebsr2csr(handle, dir, mb, nb, zero, val.p, off.p, idx.p, rows, cols, one, rval.p, roff.p, ridx.p));
    CHECK(unpack(m, n, 1, 1, 1, false, roff.get(), ridx.get(), rval.get()) == want);
    /* The structure alone. */
    device_copy<int> soff{std::vector<int>(mb * rows + 1)}, sidx{std::vector<int>(all)};
    SPARSE(cusparseXgebsr2csr(handle, dir, mb, nb, zero, off.p, idx.p, rows, cols, one, soff.p, sidx.p));
    CHECK(soff.get() == roff.get() && sidx.get() == ridx.get());
    /* Other blocks. */
    const int r2 = 3, c2 = 2, mb2 = (mb * rows + r2 - 1) / r2;
    device_copy<int> off3{std::vector<int>(mb2 + 1)};
    int nnzb3;
    SPARSE(cusparseXgebsr2gebsrNnz(handle, dir, mb, nb, nnzb, zero, off.p, idx.p, rows, cols, one, off3.p, r2, c2, &nnzb3, nullptr));
    device_copy<int> idx3{std::vector<int>(nnzb3)};
    device_copy<T> val3{std::vector<T>(nnzb3 * r2 * c2)};
    SPARSE(L::gebsr2gebsr(handle, dir, mb, nb, nnzb, zero, val.p, off.p, idx.p, rows, cols, one, val3.p, off3.p, idx3.p, r2, c2, nullptr));
    CHECK(unpack(m, n, 1, r2, c2, by_columns, off3.get(), idx3.get(), val3.get()) == want);
    /* Columns of blocks: the blocks themselves stay as they are. */
    device_copy<int> coff{std::vector<int>(nb + 1)}, cidx{std::vector<int>(nnzb)};
    device_copy<T> cval{std::vector<T>(all)};
    SPARSE(L::gebsr2gebsc(handle, mb, nb, nnzb, val.p, off.p, idx.p, rows, cols, cval.p, cidx.p, coff.p, CUSPARSE_ACTION_NUMERIC,
                          CUSPARSE_INDEX_BASE_ZERO, nullptr));
    const std::vector<int> o = off.get(), x = idx.get(), co = coff.get(), cx = cidx.get();
    const std::vector<T> v = val.get(), cv = cval.get();
    int seen = 0;
    for (int j = 0; j < nb; j++)
        for (int k = co[j]; k < co[j + 1]; k++)
            for (int l = o[cx[k]]; l < o[cx[k] + 1]; l++)
                if (x[l] == j) {
                    seen++;
                    for (int e = 0; e < rows * cols; e++)
                        CHECK(as<T>::wide(cv[k * rows * cols + e]) == as<T>::wide(v[l * rows * cols + e]));
                }
    CHECK(seen == nnzb);
    SPARSE(cusparseDestroyMatDescr(one));
    SPARSE(cusparseDestroyMatDescr(zero));
}

static void colours()
{
    const int n = 60;
    dense<double> a(n, n, RANDOM, 0.08);
    stored<double, int, int> s(a, CUSPARSE_FORMAT_CSR, 1);
    cusparseMatDescr_t d;
    cusparseColorInfo_t info;
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    SPARSE(cusparseCreateColorInfo(&info));
    device_copy<int> colour{std::vector<int>(n)}, order{std::vector<int>(n)};
    const double fraction = 1;
    int count;
    SPARSE(calls<double>::color(handle, n, (int)s.values.n, d, s.values.p, s.offsets.p, s.indices.p, &fraction, &count, colour.p, order.p, info));
    const std::vector<int> c = colour.get(), o = order.get();
    std::vector<int> place(n, -1);
    CHECK(count > 1 && count < n / 2);
    for (int i = 0; i < n; i++) {
        CHECK(c[i] >= 0 && c[i] < count && o[i] >= 0 && o[i] < n && place[o[i]] < 0);
        place[o[i]] = c[i];
        for (int j = 0; j < n; j++)
            CHECK(i == j || !a.there[i * n + j] || c[i] != c[j]);
    }
    for (int i = 1; i < n; i++)
        CHECK(place[i] >= place[i - 1]);
    SPARSE(cusparseDestroyColorInfo(info));
    SPARSE(cusparseDestroyMatDescr(d));
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    bands<double>(37, true);
    bands<double>(50, false);
    blocks<float>(17, 23, 2, 2, false);
    if (all_types()) {
        bands<float>(5, true);
        bands<cuDoubleComplex>(33, false);
        bands<cuComplex>(9, true);
        blocks<cuComplex>(11, 9, 3, 2, false);
        blocks<double>(12, 30, 3, 5, true);
        blocks<cuDoubleComplex>(19, 7, 4, 4, true);
    }
    colours();
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
