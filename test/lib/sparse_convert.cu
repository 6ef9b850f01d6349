// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusparse
// Conversions, sorting, pruning, sums and sampled products of sparse matrices: held against dense loops.
#include "sparse.h"
#include <algorithm>

static cusparseHandle_t handle;

/* What a descriptor's arrays say, as a dense matrix of wide numbers; every element at most once. */
template <class T, class I>
std::vector<zd> unpack(long rows, long cols, int base, const std::vector<I> &off, const std::vector<I> &idx, const std::vector<T> &val, bool sorted = true)
{
    std::vector<zd> d(rows * cols);
    std::vector<char> seen(rows * cols);
    CHECK(off[0] == base);
    for (long i = 0; i < rows; i++)
        for (long k = off[i] - base; k < off[i + 1] - base; k++) {
            const long j = idx[k] - base;
            CHECK(j >= 0 && j < cols && !seen[i * cols + j]);
            CHECK(!sorted || k == off[i] - base || idx[k] > idx[k - 1]);
            seen[i * cols + j] = 1;
            d[i * cols + j] = as<T>::wide(val[k]);
        }
    return d;
}

template <class T> void dense_and_back(cusparseFormat_t f, cusparseOrder_t order, int base)
{
    const long m = 13, n = 9, block = 1;
    dense<T> a(m, n, RANDOM, 0.4);
    stored<T, int, int> s(a, f, base, f == CUSPARSE_FORMAT_SLICED_ELLPACK ? 4 : block);
    mat<T> d(m, n, order);
    size_t bytes;
    SPARSE(cusparseSparseToDense_bufferSize(handle, s.d, d.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
    SPARSE(cusparseSparseToDense(handle, s.d, d.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    const std::vector<T> got = d.get();
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            CHECK(d.at(got, i, j) == a.at(i, j));
    if (f != CUSPARSE_FORMAT_CSR && f != CUSPARSE_FORMAT_CSC && f != CUSPARSE_FORMAT_COO)
        return;
    cusparseSpMatDescr_t b;
    const long lines = f == CUSPARSE_FORMAT_CSC ? n : m;
    device_copy<int> off(std::vector<int>(lines + 1));
    const cusparseIndexBase_t ib = (cusparseIndexBase_t)base;
    const cusparseIndexType_t I = CUSPARSE_INDEX_32I;
    if (f == CUSPARSE_FORMAT_CSR)
        SPARSE(cusparseCreateCsr(&b, m, n, 0, off.p, nullptr, nullptr, I, I, ib, number<T>::value));
    else if (f == CUSPARSE_FORMAT_CSC)
        SPARSE(cusparseCreateCsc(&b, m, n, 0, off.p, nullptr, nullptr, I, I, ib, number<T>::value));
    else
        SPARSE(cusparseCreateCoo(&b, m, n, 0, nullptr, nullptr, nullptr, I, ib, number<T>::value));
    SPARSE(cusparseDenseToSparse_bufferSize(handle, d.d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
    SPARSE(cusparseDenseToSparse_analysis(handle, d.d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
    int64_t r, c, nnz;
    SPARSE(cusparseSpMatGetSize(b, &r, &c, &nnz));
    long differ = 0; /* narrow types may round to zero */
    for (long k = 0; k < m * n; k++)
        differ += a.there[k] && as<T>::wide(a.v[k]) != zd(0);
    CHECK(r == m && c == n && nnz == differ);
    device_copy<int> idx{std::vector<int>(nnz)}, rows{std::vector<int>(nnz)};
    device_copy<T> val{std::vector<T>(nnz)};
    if (f == CUSPARSE_FORMAT_CSR)
        SPARSE(cusparseCsrSetPointers(b, off.p, idx.p, val.p));
    else if (f == CUSPARSE_FORMAT_CSC)
        SPARSE(cusparseCscSetPointers(b, off.p, idx.p, val.p));
    else
        SPARSE(cusparseCooSetPointers(b, rows.p, idx.p, val.p));
    SPARSE(cusparseDenseToSparse_convert(handle, d.d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
    std::vector<int> o = off.get();
    if (f == CUSPARSE_FORMAT_COO) {
        SPARSE(cusparseXcoo2csr(handle, rows.p, (int)nnz, m, off.p, ib));
        o = off.get();
        device_copy<int> again{std::vector<int>(nnz)};
        SPARSE(cusparseXcsr2coo(handle, off.p, (int)nnz, m, again.p, ib));
        CHECK(again.get() == rows.get());
    }
    const bool csc = f == CUSPARSE_FORMAT_CSC;
    const std::vector<zd> u = unpack(lines, csc ? m : n, base, o, idx.get(), val.get());
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            CHECK(u[csc ? j * m + i : i * n + j] == a.at(i, j));
    SPARSE(cusparseDestroySpMat(b));
}

static void sorting()
{
    const int m = 50, n = 70, nnz = 1500; /* more than one tile */
    std::vector<int> rows(nnz), cols(nnz), cells(m * n);
    for (int k = 0; k < m * n; k++)
        cells[k] = k;
    for (int k = 0; k < nnz; k++) {
        std::swap(cells[k], cells[k + (int)((uniform() + 1) / 2 * (m * n - k - 1))]);
        rows[k] = cells[k] / n;
        cols[k] = cells[k] % n;
    }
    for (int by_column = 0; by_column < 2; by_column++) {
        device_copy<int> r(rows), c(cols), p{std::vector<int>(nnz)};
        size_t bytes;
        SPARSE(cusparseCreateIdentityPermutation(handle, nnz, p.p));
        SPARSE(cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, r.p, c.p, &bytes));
        SPARSE((by_column ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(handle, m, n, nnz, r.p, c.p, p.p, nullptr));
        const std::vector<int> gr = r.get(), gc = c.get(), gp = p.get();
        for (int k = 0; k < nnz; k++) {
            CHECK(rows[gp[k]] == gr[k] && cols[gp[k]] == gc[k]);
            if (k)
                CHECK(by_column ? std::make_pair(gc[k - 1], gr[k - 1]) < std::make_pair(gc[k], gr[k])
                                : std::make_pair(gr[k - 1], gc[k - 1]) < std::make_pair(gr[k], gc[k]));
        }
    }
    /* Rows with their columns in any order; sorted, and back. */
    std::vector<int> off(m + 1), idx;
    std::vector<double> val;
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < nnz; k++)
            if (rows[k] == i) {
                idx.push_back(cols[k] + 1);
                val.push_back(i * 1000 + cols[k]);
            }
        off[i + 1] = (int)idx.size();
    }
    for (int &o : off)
        o++;
    cusparseMatDescr_t d;
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    device_copy<int> o(off), x(idx), p{std::vector<int>(nnz)};
    device_copy<double> v(val);
    SPARSE(cusparseCreateIdentityPermutation(handle, nnz, p.p));
    SPARSE(cusparseXcsrsort(handle, m, n, nnz, d, o.p, x.p, p.p, nullptr));
    std::vector<int> gx = x.get(), gp = p.get();
    for (int i = 0; i < m; i++)
        for (int k = off[i] - 1; k < off[i + 1] - 1; k++)
            CHECK(gx[k] == idx[gp[k]] && (k == off[i] - 1 || gx[k] > gx[k - 1]));
    csru2csrInfo_t info;
    x.put(idx);
    SPARSE(cusparseCreateCsru2csrInfo(&info));
    SPARSE(cusparseDcsru2csr(handle, m, n, nnz, d, v.p, o.p, x.p, info, nullptr));
    CHECK(x.get() == gx);
    const std::vector<double> gv = v.get();
    for (int i = 0; i < m; i++)
        for (int k = off[i] - 1; k < off[i + 1] - 1; k++)
            CHECK(gv[k] == i * 1000 + gx[k] - 1);
    SPARSE(cusparseDcsr2csru(handle, m, n, nnz, d, v.p, o.p, x.p, info, nullptr));
    CHECK(x.get() == idx && v.get() == val);
    SPARSE(cusparseDestroyCsru2csrInfo(info));
    SPARSE(cusparseDestroyMatDescr(d));
}

template <class T> void transposing(long m, long n, int base)
{
    dense<T> a(m, n, RANDOM, 0.3);
    stored<T, int, int> s(a, CUSPARSE_FORMAT_CSR, base), want(a, CUSPARSE_FORMAT_CSC, base);
    const int nnz = (int)s.values.n;
    device_copy<int> off{std::vector<int>(n + 1)}, idx{std::vector<int>(nnz)};
    device_copy<T> val{std::vector<T>(nnz)};
    size_t bytes;
    SPARSE(cusparseCsr2cscEx2_bufferSize(handle, m, n, nnz, s.values.p, s.offsets.p, s.indices.p, val.p, off.p, idx.p, number<T>::value,
                                         CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base, CUSPARSE_CSR2CSC_ALG1, &bytes));
    SPARSE(cusparseCsr2cscEx2(handle, m, n, nnz, s.values.p, s.offsets.p, s.indices.p, val.p, off.p, idx.p, number<T>::value, CUSPARSE_ACTION_NUMERIC,
                              (cusparseIndexBase_t)base, CUSPARSE_CSR2CSC_ALG1, nullptr));
    CHECK(off.get() == want.offsets.get() && idx.get() == want.indices.get());
    const std::vector<T> g = val.get(), w = want.values.get();
    for (int k = 0; k < nnz; k++)
        CHECK(as<T>::wide(g[k]) == as<T>::wide(w[k]));
}

static void counting()
{
    const int m = 19, n = 37, lda = 21;
    std::vector<cuDoubleComplex> a(lda * n);
    std::vector<int> rows(m), cols(n);
    int total = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < lda; i++)
            if (uniform() > 0.3) {
                a[i + j * lda] = make_cuDoubleComplex(0, uniform());
                if (i < m)
                    rows[i]++, cols[j]++, total++;
            }
    cusparseMatDescr_t d;
    SPARSE(cusparseCreateMatDescr(&d));
    device_copy<cuDoubleComplex> da(a);
    device_copy<int> r{std::vector<int>(m)}, c{std::vector<int>(n)};
    int count = 0;
    SPARSE(cusparseZnnz(handle, CUSPARSE_DIRECTION_ROW, m, n, d, da.p, lda, r.p, &count));
    CHECK(count == total && r.get() == rows);
    SPARSE(cusparseZnnz(handle, CUSPARSE_DIRECTION_COLUMN, m, n, d, da.p, lda, c.p, &count));
    CHECK(count == total && c.get() == cols);
    SPARSE(cusparseDestroyMatDescr(d));
}

static void pruning()
{
    const int m = 17, n = 23;
    dense<float> a(m, n, RANDOM, 0.6);
    std::vector<float> by_columns(m * n), sizes;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            by_columns[i + j * m] = (float)a.at(i, j).real();
            sizes.push_back(fabsf(by_columns[i + j * m]));
        }
    std::sort(sizes.begin(), sizes.end());
    device_copy<float> da(by_columns);
    cusparseMatDescr_t d, one;
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseCreateMatDescr(&one));
    SPARSE(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
    pruneInfo_t info;
    SPARSE(cusparseCreatePruneInfo(&info));
    for (int percent = 0; percent < 2; percent++) {
        float threshold = 0.4f;
        device_copy<int> off{std::vector<int>(m + 1)};
        int nnz;
        if (percent) {
            threshold = sizes[(int)ceil(m * n * 0.7) - 1];
            SPARSE(cusparseSpruneDense2csrNnzByPercentage(handle, m, n, da.p, m, 70, one, off.p, &nnz, info, nullptr));
        } else {
            SPARSE(cusparseSpruneDense2csrNnz(handle, m, n, da.p, m, &threshold, one, off.p, &nnz, nullptr));
        }
        device_copy<int> idx{std::vector<int>(nnz)};
        device_copy<float> val{std::vector<float>(nnz)};
        if (percent)
            SPARSE(cusparseSpruneDense2csrByPercentage(handle, m, n, da.p, m, 70, one, val.p, off.p, idx.p, info, nullptr));
        else
            SPARSE(cusparseSpruneDense2csr(handle, m, n, da.p, m, &threshold, one, val.p, off.p, idx.p, nullptr));
        std::vector<zd> u = unpack(m, n, 1, off.get(), idx.get(), val.get());
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                CHECK(u[i * n + j] == (std::abs(a.at(i, j)) > threshold ? a.at(i, j) : zd(0)));
        /* Of rows: those above a larger threshold. */
        const float more = 0.8f;
        int left;
        device_copy<int> off2{std::vector<int>(m + 1)};
        SPARSE(cusparseSpruneCsr2csrNnz(handle, m, n, nnz, one, val.p, off.p, idx.p, &more, d, off2.p, &left, nullptr));
        device_copy<int> idx2{std::vector<int>(left)};
        device_copy<float> val2{std::vector<float>(left)};
        SPARSE(cusparseSpruneCsr2csr(handle, m, n, nnz, one, val.p, off.p, idx.p, &more, d, val2.p, off2.p, idx2.p, nullptr));
        u = unpack(m, n, 0, off2.get(), idx2.get(), val2.get());
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                CHECK(u[i * n + j] == (std::abs(a.at(i, j)) > more && std::abs(a.at(i, j)) > threshold ? a.at(i, j) : zd(0)));
        device_copy<int> each{std::vector<int>(m)};
        int kept;
        SPARSE(cusparseSnnz_compress(handle, m, one, val.p, off.p, each.p, &kept, more));
        CHECK(kept == left);
        SPARSE(cusparseScsr2csr_compress(handle, m, n, one, val.p, idx.p, off.p, nnz, each.p, val2.p, idx2.p, off2.p, more));
        CHECK(unpack(m, n, 1, off2.get(), idx2.get(), val2.get()) == u);
    }
    SPARSE(cusparseDestroyPruneInfo(info));
    SPARSE(cusparseDestroyMatDescr(d));
    SPARSE(cusparseDestroyMatDescr(one));
}

static void sums()
{
    typedef cuDoubleComplex T;
    const int m = 21, n = 33;
    dense<T> a(m, n, RANDOM, 0.2), b(m, n, POWER);
    stored<T, int, int> sa(a, CUSPARSE_FORMAT_CSR, 0), sb(b, CUSPARSE_FORMAT_CSR, 1);
    cusparseMatDescr_t zero, one;
    SPARSE(cusparseCreateMatDescr(&zero));
    SPARSE(cusparseCreateMatDescr(&one));
    SPARSE(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
    const T alpha = make_cuDoubleComplex(1.5, 1), beta = make_cuDoubleComplex(-2, 0.5);
    device_copy<int> off{std::vector<int>(m + 1)};
    int nnz;
    size_t bytes;
    SPARSE(cusparseZcsrgeam2_bufferSizeExt(handle, m, n, &alpha, zero, (int)sa.values.n, sa.values.p, sa.offsets.p, sa.indices.p, &beta, one,
                                           (int)sb.values.n, sb.values.p, sb.offsets.p, sb.indices.p, one, nullptr, off.p, nullptr, &bytes));
    SPARSE(cusparseXcsrgeam2Nnz(handle, m, n, zero, (int)sa.values.n, sa.offsets.p, sa.indices.p, one, (int)sb.values.n, sb.offsets.p, sb.indices.p, one,
                                off.p, &nnz, nullptr));
    long want = 0;
    for (long k = 0; k < m * n; k++)
        want += a.there[k] || b.there[k];
    CHECK(nnz == want);
    device_copy<int> idx{std::vector<int>(nnz)};
    device_copy<T> val{std::vector<T>(nnz)};
    SPARSE(cusparseZcsrgeam2(handle, m, n, &alpha, zero, (int)sa.values.n, sa.values.p, sa.offsets.p, sa.indices.p, &beta, one, (int)sb.values.n,
                             sb.values.p, sb.offsets.p, sb.indices.p, one, val.p, off.p, idx.p, nullptr));
    const std::vector<zd> u = unpack(m, n, 1, off.get(), idx.get(), val.get());
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            CHECK(close(u[i * n + j], as<T>::wide(alpha) * a.at(i, j) + as<T>::wide(beta) * b.at(i, j), 1e-14));
    SPARSE(cusparseDestroyMatDescr(zero));
    SPARSE(cusparseDestroyMatDescr(one));
}

template <class T, class C>
void sampled(cusparseFormat_t f, cusparseOperation_t opA, cusparseOperation_t opB, cusparseOrder_t oa, int block)
{
    const long m = 18, n = 12, k = 37;
    dense<T> c(m, n, RANDOM, 0.3);
    stored<T, int, int> s(c, f, 0, block);
    mat<T> a(opA == N ? m : k, opA == N ? k : m, oa), b(opB == N ? k : n, opB == N ? n : k, CUSPARSE_ORDER_COL);
    const C alpha = as<C>::narrow(zd(1.5, 0.5)), beta = as<C>::narrow(zd(0.5, -1));
    size_t bytes;
    SPARSE(cusparseSDDMM_bufferSize(handle, opA, opB, &alpha, a.d, b.d, &beta, s.d, number<C>::value, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    SPARSE(cusparseSDDMM_preprocess(handle, opA, opB, &alpha, a.d, b.d, &beta, s.d, number<C>::value, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    SPARSE(cusparseSDDMM(handle, opA, opB, &alpha, a.d, b.d, &beta, s.d, number<C>::value, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    mat<T> d(m, n, CUSPARSE_ORDER_ROW);
    SPARSE(cusparseSparseToDense(handle, s.d, d.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    const std::vector<T> got = d.get();
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            bool there = c.there[i * n + j];
            if (f == CUSPARSE_FORMAT_BSR)
                for (long e = 0; e < block * block; e++)
                    there |= c.there[(i / block * block + e / block) * n + j / block * block + e % block];
            zd sum = 0;
            double size = 0;
            for (long l = 0; l < k; l++) {
                const zd p = a.at(a.host, i, l, opA) * b.at(b.host, l, j, opB);
                sum += p;
                size += std::abs(p);
            }
            const zd want = there ? as<C>::wide(alpha) * sum + as<C>::wide(beta) * c.at(i, j) : zd(0);
            CHECK(close(d.at(got, i, j), want, as<T>::eps() * 8 * (size + 1)));
        }
}

/* ---- vectors ---- */
template <class T, class C, class I> void vectors(int base)
{
    const long size = 90, nnz = 31;
    std::vector<I> idx;
    for (long k = 0; k < nnz; k++)
        idx.push_back((I)((k * 37) % size + base));
    device_copy<I> di(idx);
    both<T> x(nnz);
    vec<T> y(size);
    cusparseSpVecDescr_t d;
    SPARSE(cusparseCreateSpVec(&d, size, nnz, di.p, x.device, index_of<I>(), (cusparseIndexBase_t)base, number<T>::value));
    const C alpha = as<C>::narrow(zd(2, 1)), beta = as<C>::narrow(zd(0.5, -1));
    std::vector<zd> want(size), wx(nnz);
    auto same = [&](const std::vector<T> &g, const std::vector<zd> &w) {
        for (size_t i = 0; i < w.size(); i++)
            CHECK(close(as<T>::wide(g[i]), w[i], as<T>::eps() * 8 * (1 + std::abs(w[i]))));
    };
    SPARSE(cusparseAxpby(handle, &alpha, d, &beta, y.d));
    for (long i = 0; i < size; i++)
        want[i] = as<C>::wide(beta) * as<T>::wide(y.host[i]);
    for (long k = 0; k < nnz; k++)
        want[idx[k] - base] += as<C>::wide(alpha) * as<T>::wide(x.host[k]);
    same(y.get(), want);
    C dot;
    size_t bytes;
    for (cusparseOperation_t op : {N, CT}) {
        y.put();
        SPARSE(cusparseSpVV_bufferSize(handle, op, d, y.d, &dot, number<C>::value, &bytes));
        SPARSE(cusparseSpVV(handle, op, d, y.d, &dot, number<C>::value, nullptr));
        zd sum = 0;
        for (long k = 0; k < nnz; k++)
            sum += (op == CT ? std::conj(as<T>::wide(x.host[k])) : as<T>::wide(x.host[k])) * as<T>::wide(y.host[idx[k] - base]);
        CHECK(close(as<C>::wide(dot), sum, as<C>::eps() * 100));
    }
    SPARSE(cusparseRot(handle, &alpha, &beta, d, y.d));
    for (long i = 0; i < size; i++)
        want[i] = as<T>::wide(y.host[i]);
    for (long k = 0; k < nnz; k++) {
        const zd u = as<T>::wide(x.host[k]), v = want[idx[k] - base];
        wx[k] = as<C>::wide(alpha) * u + as<C>::wide(beta) * v;
        want[idx[k] - base] = as<C>::wide(alpha) * v - as<C>::wide(beta) * u;
    }
    same(y.get(), want);
    same(x.get(), wx);
    y.put();
    SPARSE(cusparseGather(handle, y.d, d));
    for (long k = 0; k < nnz; k++)
        wx[k] = as<T>::wide(y.host[idx[k] - base]);
    same(x.get(), wx);
    x.put();
    SPARSE(cusparseScatter(handle, d, y.d));
    for (long i = 0; i < size; i++)
        want[i] = as<T>::wide(y.host[i]);
    for (long k = 0; k < nnz; k++)
        want[idx[k] - base] = as<T>::wide(x.host[k]);
    same(y.get(), want);
    SPARSE(cusparseDestroySpVec(d));
}

static void gemvi()
{
    typedef cuComplex T;
    const int m = 11, n = 17, lda = 13, nnz = 5;
    both<T> a(lda * n), x(nnz);
    const T alpha = make_cuComplex(1, 2), beta = make_cuComplex(0.5f, -1);
    for (cusparseOperation_t op : {N, TR, CT}) {
        const int rows = op == N ? m : n;
        both<T> y(rows);
        device_copy<int> idx(std::vector<int>{1, 4, 5, 9, 11});
        const std::vector<int> h = idx.get();
        SPARSE(cusparseCgemvi(handle, op, m, n, &alpha, a.device, lda, nnz, x.device, idx.p, &beta, y.device, CUSPARSE_INDEX_BASE_ONE, nullptr));
        const std::vector<T> got = y.get();
        for (int i = 0; i < rows; i++) {
            zd sum = 0;
            for (int k = 0; k < nnz; k++) {
                const zd e = as<T>::wide(op == N ? a.host[i + (h[k] - 1) * lda] : a.host[h[k] - 1 + i * lda]);
                sum += (op == CT ? std::conj(e) : e) * as<T>::wide(x.host[k]);
            }
            CHECK(close(as<T>::wide(got[i]), as<T>::wide(alpha) * sum + as<T>::wide(beta) * as<T>::wide(y.host[i]), 1e-5));
        }
    }
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    for (cusparseFormat_t f : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_SLICED_ELLPACK}) {
        dense_and_back<float>(f, CUSPARSE_ORDER_COL, 0);
        if (all_types())
            dense_and_back<cuDoubleComplex>(f, CUSPARSE_ORDER_ROW, 1);
    }
    if (all_types()) {
        dense_and_back<__half>(CUSPARSE_FORMAT_CSR, CUSPARSE_ORDER_ROW, 0);
        dense_and_back<signed char>(CUSPARSE_FORMAT_COO, CUSPARSE_ORDER_COL, 0);
        sampled<double, double>(CUSPARSE_FORMAT_CSC, TR, N, CUSPARSE_ORDER_COL, 1);
        vectors<cuDoubleComplex, cuDoubleComplex, long long>(1);
        vectors<__half, float, int>(1);
    }
    sorting();
    transposing<float>(31, 19, 0);
    transposing<cuDoubleComplex>(70, 45, 1);
    transposing<__half>(3, 90, 1);
    counting();
    pruning();
    sums();
    sampled<float, float>(CUSPARSE_FORMAT_CSR, N, N, CUSPARSE_ORDER_ROW, 1);
    sampled<cuComplex, cuComplex>(CUSPARSE_FORMAT_COO, CT, TR, CUSPARSE_ORDER_COL, 1);
    sampled<double, double>(CUSPARSE_FORMAT_BSR, N, TR, CUSPARSE_ORDER_COL, 3);
    vectors<float, float, int>(0);
    gemvi();
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
