// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusparse
// Products of sparse matrices, held against sums in maps: rows of every size, close together and far apart, in any order.
#include "sparse.h"
#include <algorithm>
#include <map>

static cusparseHandle_t handle;

template <class T> struct entry {
    long column;
    T value;
};
/* Rows of so many entries, whose columns lie anywhere in so many from `begin` on, in any order. */
struct row_shape {
    long entries, begin, extent;
};
template <class T> struct rows_of {
    long cols;
    std::vector<std::vector<entry<T>>> row;
    rows_of(long n, const std::vector<row_shape> &shapes) : cols(n)
    {
        for (const row_shape &s : shapes) {
            std::vector<char> there(s.extent);
            row.emplace_back();
            for (long k = 0; k < s.entries; k++) {
                long c = (long)((uniform() + 1) / 2 * s.extent) % s.extent;
                while (there[c])
                    c = (c + 1) % s.extent;
                there[c] = 1;
                row.back().push_back({s.begin + c, any<T>()});
            }
        }
    }
    long nnz() const
    {
        long n = 0;
        for (auto &r : row)
            n += (long)r.size();
        return n;
    }
};
template <class T, class O, class I> struct csr {
    device_copy<O> offsets;
    device_copy<I> columns;
    device_copy<T> values;
    cusparseSpMatDescr_t d;
    csr(const rows_of<T> &m, int base)
    {
        std::vector<O> o{(O)base};
        std::vector<I> c;
        for (auto &r : m.row) {
            for (auto &e : r)
                c.push_back((I)(e.column + base));
            o.push_back((O)(c.size() + base));
        }
        offsets.put(o);
        columns.put(c);
        put_values(m);
        SPARSE(cusparseCreateCsr(&d, (int64_t)m.row.size(), m.cols, (int64_t)c.size(), offsets.p, columns.p, values.p, index_of<O>(), index_of<I>(),
                                 (cusparseIndexBase_t)base, number<T>::value));
    }
    void put_values(const rows_of<T> &m)
    {
        std::vector<T> v;
        for (auto &r : m.row)
            for (auto &e : r)
                v.push_back(e.value);
        values.put(v);
    }
    ~csr() { SPARSE(cusparseDestroySpMat(d)); }
};

/* T: of all three matrices; Y: of the result. */
template <class T, class Y, class C, class O, class I> struct product {
    rows_of<T> a, b;
    csr<T, O, I> da, db;
    int base;
    device_copy<O> off;
    device_copy<I> idx;
    device_copy<Y> val;
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t d;
    void *buffer;
    cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
    const cudaDataType type = number<C>::value;
    C alpha = as<C>::narrow(zd(1.5, 0.5)), beta = as<C>::narrow(zd(0));

    product(const rows_of<T> &left, const rows_of<T> &right, int first) : a(left), b(right), da(a, first), db(b, 1 - first), base(first)
    {
        off.put(std::vector<O>(a.row.size() + 1));
        SPARSE(cusparseCreateCsr(&c, (int64_t)a.row.size(), b.cols, 0, off.p, nullptr, nullptr, index_of<O>(), index_of<I>(), (cusparseIndexBase_t)base,
                                 number<Y>::value));
        SPARSE(cusparseSpGEMM_createDescr(&d));
        CUDA(cudaMalloc(&buffer, 1 << 20));
    }
    ~product()
    {
        SPARSE(cusparseSpGEMM_destroyDescr(d));
        SPARSE(cusparseDestroySpMat(c));
        CUDA(cudaFree(buffer));
    }
    void result()
    {
        int64_t rows, cols, nnz;
        SPARSE(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
        idx.put(std::vector<I>(nnz));
        val.put(std::vector<Y>(nnz));
        SPARSE(cusparseCsrSetPointers(c, off.p, idx.p, val.p));
    }
    void whole()
    {
        size_t b1, b2;
        SPARSE(cusparseSpGEMM_workEstimation(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, &b1, nullptr));
        SPARSE(cusparseSpGEMM_workEstimation(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, &b1, buffer));
        int64_t products, want = 0;
        SPARSE(cusparseSpGEMM_getNumProducts(d, &products));
        for (auto &r : a.row)
            for (auto &e : r)
                want += (int64_t)b.row[e.column].size();
        CHECK(products == want);
        size_t b3, said = 0;
        const float chunk = 0.25f;
        FAILS(INVALID_VALUE, cusparseSpGEMM_estimateMemory(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, 0, &b3, nullptr, nullptr));
        FAILS(INVALID_VALUE, cusparseSpGEMM_estimateMemory(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, 1.5f, &b3, nullptr, nullptr));
        SPARSE(cusparseSpGEMM_estimateMemory(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, chunk, &b3, nullptr, nullptr));
        CHECK(b3 > 0 && b3 <= 1 << 20);
        SPARSE(cusparseSpGEMM_estimateMemory(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, chunk, &b3, buffer, &said));
        SPARSE(cusparseSpGEMM_compute(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, &b2, nullptr));
        CHECK(said == b2);
        SPARSE(cusparseSpGEMM_compute(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d, &b2, buffer));
        result();
        SPARSE(cusparseSpGEMM_copy(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d));
    }
    void structure()
    {
        size_t b1, b2, b3, b4, b5;
        SPARSE(cusparseSpGEMMreuse_workEstimation(handle, N, N, da.d, db.d, c, alg, d, &b1, nullptr));
        SPARSE(cusparseSpGEMMreuse_workEstimation(handle, N, N, da.d, db.d, c, alg, d, &b1, buffer));
        SPARSE(cusparseSpGEMMreuse_nnz(handle, N, N, da.d, db.d, c, alg, d, &b2, nullptr, &b3, nullptr, &b4, nullptr));
        SPARSE(cusparseSpGEMMreuse_nnz(handle, N, N, da.d, db.d, c, alg, d, &b2, buffer, &b3, buffer, &b4, buffer));
        result();
        SPARSE(cusparseSpGEMMreuse_copy(handle, N, N, da.d, db.d, c, alg, d, &b5, nullptr));
        SPARSE(cusparseSpGEMMreuse_copy(handle, N, N, da.d, db.d, c, alg, d, &b5, buffer));
    }
    void values() { SPARSE(cusparseSpGEMMreuse_compute(handle, N, N, &alpha, da.d, db.d, &beta, c, type, alg, d)); }
    void check(const std::vector<Y> &before)
    {
        const std::vector<O> o = off.get();
        const std::vector<I> j = idx.get();
        const std::vector<Y> v = val.get();
        CHECK(o[0] == base && (size_t)(o[a.row.size()] - base) == v.size());
        for (size_t i = 0; i < a.row.size(); i++) {
            std::map<long, std::pair<zd, double>> want;
            for (auto &e : a.row[i])
                for (auto &f : b.row[e.column]) {
                    const zd p = as<T>::wide(e.value) * as<T>::wide(f.value);
                    auto &w = want[f.column];
                    w.first += p;
                    w.second += std::abs(p);
                }
            CHECK((size_t)(o[i + 1] - o[i]) == want.size());
            long k = o[i] - base;
            for (auto &w : want) { /* columns ascend in both */
                CHECK(j[k] - base == w.first);
                const zd old = before.empty() ? zd(0) : as<Y>::wide(before[k]);
                const double size = w.second.second + std::abs(old);
                CHECK(close(as<Y>::wide(v[k]), as<C>::wide(alpha) * w.second.first + old, (as<C>::eps() * 16 + as<Y>::eps() * 8) * size));
                k++;
            }
        }
    }
};
template <class T, class Y, class C, class O, class I> void multiply(const rows_of<T> &a, const rows_of<T> &b, int base)
{
    product<T, Y, C, O, I> p(a, b, base), again(a, b, base);
    p.whole();
    p.check({});
    again.alg = CUSPARSE_SPGEMM_ALG3;
    again.whole();
    const std::vector<Y> u = p.val.get(), v = again.val.get();
    CHECK(u.empty() || !memcmp(u.data(), v.data(), u.size() * sizeof(Y)));
    /* The structure is kept for other values, which are added to what is there. */
    p.structure();
    p.values();
    p.check({});
    for (auto &r : p.a.row)
        for (auto &e : r)
            e.value = any<T>();
    p.da.put_values(p.a);
    SPARSE(cusparseSpMatSetValues(p.da.d, p.da.values.p));
    p.beta = as<C>::narrow(zd(1));
    const std::vector<Y> before = p.val.get();
    p.values();
    p.check(before);
}

/* Rows of B have columns all over `extent`, a few are long; those of A have from none to nearly all of them. */
template <class T, class Y, class C, class O, class I> void mixed(long extent, std::vector<long> sizes, int base)
{
    std::vector<row_shape> left, right;
    for (long k = 0; k < 900; k++)
        right.push_back({k == 307 ? 600 : k % 100 == 7 ? 300 : k % 11, k % 3, extent});
    for (long n : sizes)
        left.push_back({n, 0, 900});
    multiply<T, Y, C, O, I>(rows_of<T>(900, left), rows_of<T>(extent + 2, right), base);
}
template <class T, class Y, class C, class O, class I> void near_diagonal(long n, int base)
{
    std::vector<row_shape> shape;
    for (long k = 0; k < n; k++)
        shape.push_back({k % 6, std::min(k, n - 9), 9});
    multiply<T, Y, C, O, I>(rows_of<T>(n, shape), rows_of<T>(n, shape), base);
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    mixed<float, float, float, int, int>(90000, {0, 1, 4, 12, 40, 2, 150, 240, 700, 0, 850, 8}, 1);
    near_diagonal<float, float, float, int, int>(70, 0);
    if (all_types()) {
        mixed<float, float, float, int, int>(7000, {3, 120, 600, 0, 899}, 0);
        mixed<float, float, float, int, int>(200000, {30, 80, 300, 899}, 1); /* too many columns for bits in shared memory */
        mixed<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, int, int>(30000, {5, 0, 30, 70, 110, 400}, 0);
        mixed<__half, __half, float, int, int>(1500, {5, 0, 30, 70}, 1);
        near_diagonal<double, double, double, long long, long long>(50, 1);
        multiply<double, double, double, int, int>(rows_of<double>(5, {{0, 0, 5}, {0, 0, 5}}), rows_of<double>(3, {{0, 0, 3}, {0, 0, 3}, {1, 0, 3}, {0, 0, 3}, {0, 0, 3}}), 0);
    }
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
