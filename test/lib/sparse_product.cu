// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusparse
// Sparse by dense: every format, operation, type and shape.
#include "sparse.h"
#include <thread>

static cusparseHandle_t handle;

template <class T> double bound(double sum, long n) { return as<T>::eps() * (sum * 4 + 1) * (2 + n * 0.1); }

/* A: stored; X: the dense operand; Y: the result; C: what is computed with. */
template <class A, class X, class Y, class C, class O, class I>
void mv(cusparseFormat_t format, shape s, long m, long n, cusparseOperation_t op, int base, int block, double alpha, double beta, bool on_device)
{
    dense<A> a(m, n, s);
    stored<A, O, I> sa(a, format, base, block, block == 3);
    const long from = op == N ? n : m, into = op == N ? m : n;
    vec<X> x(from);
    vec<Y> y(into);
    const C al = as<C>::narrow(zd(alpha, 0.25)), be = beta == 0 ? as<C>::narrow(zd(0)) : as<C>::narrow(zd(beta, -0.5));
    if (beta == 0) /* not read */
        CUDA(cudaMemset(y.device, 0xff, into * sizeof(Y)));
    both<C> scalars(2);
    scalars.host[0] = al;
    scalars.host[1] = be;
    scalars.put();
    const void *pa = &al, *pb = &be;
    if (on_device) {
        pa = scalars.device;
        pb = scalars.device + 1;
        SPARSE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    }
    size_t bytes;
    void *buffer;
    SPARSE(cusparseSpMV_bufferSize(handle, op, pa, sa.d, x.d, pb, y.d, number<C>::value, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    CUDA(cudaMalloc(&buffer, bytes));
    SPARSE(cusparseSpMV_preprocess(handle, op, pa, sa.d, x.d, pb, y.d, number<C>::value, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    SPARSE(cusparseSpMV(handle, op, pa, sa.d, x.d, pb, y.d, number<C>::value, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    SPARSE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
    const std::vector<Y> got = y.get();
    for (long i = 0; i < into; i++) {
        zd sum = 0;
        double size = 0;
        for (long j = 0; j < from; j++) {
            const zd p = a.at(i, j, op) * as<X>::wide(x.host[j]);
            sum += p;
            size += std::abs(p);
        }
        const zd want = as<C>::wide(al) * sum + (beta == 0 ? zd(0) : as<C>::wide(be) * as<Y>::wide(y.host[i]));
        if (!close(as<Y>::wide(got[i]), want, bound<C>(size, from) + bound<Y>(std::abs(want), 1))) {
            printf("format %d shape %d %ld by %ld op %d base %d block %d: y[%ld] = %g %g, not %g %g\n", format, s, m, n, op, base, block, i,
                   as<Y>::wide(got[i]).real(), as<Y>::wide(got[i]).imag(), want.real(), want.imag());
            exit(1);
        }
    }
    CUDA(cudaFree(buffer));
}

/* Matrices that are only read: the same product as of the others. */
template <class T, class O, class I> void constant(cusparseFormat_t format, int base, int block, bool columns)
{
    const long m = 24, n = 36;
    dense<T> a(m, n, RANDOM);
    stored<T, O, I> s(a, format, base, block, columns);
    const void *offsets = s.offsets.p, *indices = s.indices.p, *values = s.values.p, *got[3];
    const cusparseIndexType_t ot = index_of<O>(), it = index_of<I>();
    const cusparseIndexBase_t b = (cusparseIndexBase_t)base;
    const cudaDataType type = number<T>::value;
    cusparseConstSpMatDescr_t d;
    if (format == CUSPARSE_FORMAT_BSR)
        SPARSE(cusparseCreateConstBsr(&d, m / block, n / block, s.indices.n, block, block, offsets, indices, values, ot, it, b, type,
                                      columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
    else
        SPARSE(cusparseCreateConstSlicedEll(&d, m, n, a.nnz(), s.values.n, block, offsets, indices, values, ot, it, b, type));
    cusparseFormat_t f;
    int64_t rows, cols, nnz;
    SPARSE(cusparseSpMatGetFormat(d, &f));
    SPARSE(cusparseSpMatGetSize(d, &rows, &cols, &nnz));
    SPARSE(cusparseConstSpMatGetValues(d, got));
    CHECK(f == format && rows == m && cols == n && got[0] == values);
    vec<T> x(n), y(m), z(m);
    const T one = as<T>::narrow(zd(1)), none = as<T>::narrow(zd(0));
    for (int k = 0; k < 2; k++)
        SPARSE(cusparseSpMV(handle, N, &one, k ? s.d : d, x.d, &none, k ? z.d : y.d, type, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    const std::vector<T> u = y.get(), v = z.get();
    for (long i = 0; i < m; i++) {
        zd sum = 0;
        double size = 0;
        for (long j = 0; j < n; j++) {
            sum += a.at(i, j) * as<T>::wide(x.host[j]);
            size += std::abs(a.at(i, j) * as<T>::wide(x.host[j]));
        }
        CHECK(close(as<T>::wide(u[i]), sum, bound<T>(size, n)) && as<T>::wide(u[i]) == as<T>::wide(v[i]));
    }
    SPARSE(cusparseDestroySpMat(d));
}

template <class T> void formats()
{
    const cusparseOperation_t ops[] = {N, TR, CT};
    int k = 0;
    for (cusparseOperation_t op : ops)
        for (cusparseFormat_t f : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_SLICED_ELLPACK}) {
            k++;
            mv<T, T, T, T, int, int>(f, RANDOM, 37, 29, op, k % 2, 5, 1.5, k % 3 ? 0.5 : 0, k % 4 == 0);
        }
    for (cusparseOperation_t op : ops)
        for (int block : {2, 3})
            mv<T, T, T, T, int, int>(CUSPARSE_FORMAT_BSR, RANDOM, 24, 36, op, block % 2, block, 1.5, -0.5, false);
}

static void shapes()
{
    for (shape s : {RANDOM, POWER, ONE_ROW, EMPTY})
        for (cusparseOperation_t op : {N, TR}) {
            mv<float, float, float, float, int, int>(CUSPARSE_FORMAT_CSR, s, 41, 301, op, 0, 1, 2, 1, false);
            mv<double, double, double, double, long long, int>(CUSPARSE_FORMAT_CSR, s, 130, 97, op, 1, 1, 2, 0, false);
            mv<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, long long, long long>(CUSPARSE_FORMAT_CSR, s, 33, 150, op, 0, 1, 2, 1,
                                                                                                         false);
        }
    mv<float, float, float, float, long long, long long>(CUSPARSE_FORMAT_COO, POWER, 60, 400, N, 1, 1, 2, 1, false);
    mv<double, double, double, double, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 1, 1, N, 0, 1, 2, 1, false);
    mv<double, double, double, double, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 5, 0, N, 0, 1, 2, 1, false);
    mv<double, double, double, double, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 0, 5, N, 0, 1, 2, 1, false);
    mv<float, float, float, float, int, int>(CUSPARSE_FORMAT_CSR, POWER, 300, 3000, N, 0, 1, 2, 0.5, false);
    mv<float, float, float, float, int, int>(CUSPARSE_FORMAT_CSR, ONE_ROW, 70, 9000, N, 1, 1, 2, 0.5, false);
    mv<float, float, float, float, int, int>(CUSPARSE_FORMAT_CSR, ONE_ROW, 9000, 70, N, 0, 1, 2, 0, false);
}

static void mixed()
{
    mv<__half, __half, float, float, int, int>(CUSPARSE_FORMAT_CSR, POWER, 20, 90, N, 0, 1, 1, 0.5, false);
    mv<__half, __half, __half, float, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 20, 90, TR, 0, 1, 1, 0.5, false);
    mv<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, int, int>(CUSPARSE_FORMAT_COO, RANDOM, 20, 50, N, 0, 1, 1, 0.5, false);
    mv<signed char, signed char, int, int, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 31, 64, N, 0, 1, 3, 2, false);
    mv<signed char, signed char, float, float, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 31, 64, N, 0, 1, 3, 2, false);
    mv<float, cuComplex, cuComplex, cuComplex, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 31, 64, N, 0, 1, 3, 2, false);
    mv<float, cuComplex, cuComplex, cuComplex, int, int>(CUSPARSE_FORMAT_CSR, POWER, 60, 5000, N, 0, 1, 3, 2, false);
}

template <class A, class X, class Y, class C>
void mm(cusparseFormat_t format, shape s, long m, long k, long n, cusparseOperation_t opA, cusparseOperation_t opB, cusparseOrder_t ob,
        cusparseOrder_t oc, int base, int block, int batch)
{
    dense<A> a(m, k, s);
    stored<A, int, int> sa(a, format, base, block);
    const long rows = opA == N ? m : k, inner = opA == N ? k : m;
    mat<X> x(opB == N ? inner : n, opB == N ? n : inner, ob, batch);
    mat<Y> y(rows, n, oc, batch);
    const C al = as<C>::narrow(zd(1.25, 0.5)), be = as<C>::narrow(zd(0.5, 0.25));
    size_t bytes;
    void *buffer;
    SPARSE(cusparseSpMM_bufferSize(handle, opA, opB, &al, sa.d, x.d, &be, y.d, number<C>::value, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    CUDA(cudaMalloc(&buffer, bytes));
    SPARSE(cusparseSpMM_preprocess(handle, opA, opB, &al, sa.d, x.d, &be, y.d, number<C>::value, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    SPARSE(cusparseSpMM(handle, opA, opB, &al, sa.d, x.d, &be, y.d, number<C>::value, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    const std::vector<Y> got = y.get();
    for (int b = 0; b < batch; b++)
        for (long i = 0; i < rows; i++)
            for (long j = 0; j < n; j++) {
                zd sum = 0;
                double size = 0;
                for (long l = 0; l < inner; l++) {
                    const zd p = a.at(i, l, opA) * x.at(x.host, l, j, opB, b);
                    sum += p;
                    size += std::abs(p);
                }
                const zd want = as<C>::wide(al) * sum + as<C>::wide(be) * y.at(y.host, i, j, N, b);
                if (!close(y.at(got, i, j, N, b), want, bound<C>(size, inner) + bound<Y>(std::abs(want), 1))) {
                    printf("mm format %d shape %d %ld %ld %ld ops %d %d: (%ld, %ld)\n", format, s, m, k, n, opA, opB, i, j);
                    exit(1);
                }
            }
    /* What lies between the lines is not touched. */
    for (size_t e = 0; e < got.size(); e++)
        if ((long)(e % y.ld) >= y.ld - 3)
            CHECK(as<Y>::wide(got[e]) == as<Y>::wide(y.host[e]));
    CUDA(cudaFree(buffer));
}

static void matrices()
{
    const cusparseOrder_t C = CUSPARSE_ORDER_COL, R = CUSPARSE_ORDER_ROW;
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, RANDOM, 33, 21, 7, N, N, C, C, 0, 1, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, POWER, 33, 121, 40, N, TR, R, C, 1, 1, 1);
    mm<double, double, double, double>(CUSPARSE_FORMAT_CSR, ONE_ROW, 33, 121, 3, N, N, R, R, 0, 1, 2);
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, ONE_ROW, 33, 800, 40, N, N, R, R, 0, 1, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, ONE_ROW, 5, 9000, 3, N, N, R, C, 1, 1, 1); /* a line of many shares */
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, ONE_ROW, 5, 6000, 37, N, N, C, R, 0, 1, 1);
    mm<double, double, double, double>(CUSPARSE_FORMAT_CSR, POWER, 300, 500, 3, N, N, C, C, 0, 1, 1);
    mm<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUSPARSE_FORMAT_CSR, RANDOM, 17, 13, 5, CT, CT, C, R, 0, 1, 1);
    mm<cuComplex, cuComplex, cuComplex, cuComplex>(CUSPARSE_FORMAT_CSC, RANDOM, 17, 13, 5, N, TR, C, R, 1, 1, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSC, RANDOM, 17, 13, 5, TR, N, C, R, 1, 1, 1);
    mm<double, double, double, double>(CUSPARSE_FORMAT_COO, RANDOM, 27, 13, 9, N, N, C, C, 1, 1, 1);
    mm<double, double, double, double>(CUSPARSE_FORMAT_COO, RANDOM, 27, 13, 9, TR, N, C, C, 0, 1, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_BSR, RANDOM, 24, 12, 9, N, N, C, C, 0, 3, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_BLOCKED_ELL, RANDOM, 24, 12, 9, N, N, R, C, 0, 4, 1);
    mm<__half, __half, __half, float>(CUSPARSE_FORMAT_BLOCKED_ELL, RANDOM, 24, 12, 9, N, N, C, C, 0, 2, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_SLICED_ELLPACK, RANDOM, 24, 12, 9, N, N, C, C, 1, 5, 1);
    mm<signed char, signed char, int, int>(CUSPARSE_FORMAT_CSR, RANDOM, 24, 12, 9, N, N, C, C, 0, 1, 1);
    mm<float, float, float, float>(CUSPARSE_FORMAT_CSR, EMPTY, 5, 6, 2, N, N, C, C, 0, 1, 1);
}

/* The older calls on blocks. */
template <class T> struct on_blocks;
#define ON_BLOCKS(T_, L)                                                                           \
    template <> struct on_blocks<T_> {                                                             \
        static constexpr auto mv = cusparse##L##bsrmv;                                             \
        static constexpr auto xmv = cusparse##L##bsrxmv;                                           \
        static constexpr auto mm = cusparse##L##bsrmm;                                             \
    };
ON_BLOCKS(float, S)
ON_BLOCKS(double, D)
ON_BLOCKS(cuComplex, C)
ON_BLOCKS(cuDoubleComplex, Z)
template <class T> void older()
{
    const int dim = 3, mb = 7, nb = 5;
    dense<T> a(mb * dim, nb * dim, RANDOM);
    stored<T, int, int> s(a, CUSPARSE_FORMAT_BSR, 1, dim, true);
    cusparseMatDescr_t d;
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    CHECK(cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE && cusparseGetMatType(d) == CUSPARSE_MATRIX_TYPE_GENERAL);
    const T al = as<T>::narrow(zd(2, 1)), be = as<T>::narrow(zd(0.5, 1));
    const int nnzb = (int)s.indices.n;
    both<T> x(nb * dim), y(mb * dim);
    const auto mv = on_blocks<T>::mv;
    const auto xmv = on_blocks<T>::xmv;
    const auto mmf = on_blocks<T>::mm;
    SPARSE(mv(handle, CUSPARSE_DIRECTION_COLUMN, N, mb, nb, nnzb, &al, d, s.values.p, s.offsets.p, s.indices.p, dim, x.device, &be, y.device));
    auto want = [&](int i, const std::vector<T> &before) {
        zd sum = 0;
        for (int j = 0; j < nb * dim; j++)
            sum += a.at(i, j) * as<T>::wide(x.host[j]);
        return as<T>::wide(al) * sum + as<T>::wide(be) * as<T>::wide(before[i]);
    };
    std::vector<T> got = y.get();
    for (int i = 0; i < mb * dim; i++)
        CHECK(close(as<T>::wide(got[i]), want(i, y.host), 40 * as<T>::eps()));
    /* Lines 2 and 5 of blocks; the others are as they were. */
    device_copy<int> mask(std::vector<int>{3, 6});
    SPARSE(xmv(handle, CUSPARSE_DIRECTION_COLUMN, N, 2, mb, nb, nnzb, &al, d, s.values.p, mask.p, s.offsets.p, s.offsets.p + 1, s.indices.p, dim,
               x.device, &be, y.device));
    const std::vector<T> some = y.get();
    for (int i = 0; i < mb * dim; i++)
        CHECK(close(as<T>::wide(some[i]), i / dim == 2 || i / dim == 5 ? want(i, got) : as<T>::wide(got[i]), 80 * as<T>::eps()));
    const int n = 4;
    both<T> b(nb * dim * n), c(mb * dim * n);
    SPARSE(mmf(handle, CUSPARSE_DIRECTION_COLUMN, N, TR, mb, n, nb, nnzb, &al, d, s.values.p, s.offsets.p, s.indices.p, dim, b.device, n, &be,
               c.device, mb * dim));
    got = c.get();
    for (int i = 0; i < mb * dim; i++)
        for (int j = 0; j < n; j++) {
            zd sum = 0;
            for (int l = 0; l < nb * dim; l++)
                sum += a.at(i, l) * as<T>::wide(b.host[j + l * n]);
            const long e = i + j * mb * dim;
            CHECK(close(as<T>::wide(got[e]), as<T>::wide(al) * sum + as<T>::wide(be) * as<T>::wide(c.host[e]), 80 * as<T>::eps()));
        }
    SPARSE(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
    FAILS(MATRIX_TYPE_NOT_SUPPORTED, mv(handle, CUSPARSE_DIRECTION_COLUMN, N, mb, nb, nnzb, &al, d, s.values.p, s.offsets.p, s.indices.p, dim,
                                        x.device, &be, y.device));
    SPARSE(cusparseDestroyMatDescr(d));
}

static void wrong()
{
    const float one = 1;
    dense<float> a(5, 7, RANDOM, 0.5);
    stored<float, int, int> s(a, CUSPARSE_FORMAT_CSR);
    vec<float> x(7), y(5);
    vec<double> z(5);
    FAILS(NOT_INITIALIZED, cusparseSpMV(nullptr, N, &one, s.d, x.d, &one, y.d, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(INVALID_VALUE, cusparseSpMV(handle, N, nullptr, s.d, x.d, &one, y.d, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(INVALID_VALUE, cusparseSpMV(handle, TR, &one, s.d, x.d, &one, y.d, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(NOT_SUPPORTED, cusparseSpMV(handle, N, &one, s.d, x.d, &one, z.d, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    FAILS(NOT_SUPPORTED, cusparseSpMV(handle, N, &one, s.d, x.d, &one, y.d, CUDA_R_16F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    cusparseSpMatDescr_t d;
    FAILS(INVALID_VALUE, cusparseCreateCsr(nullptr, 1, 1, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    FAILS(INVALID_VALUE, cusparseCreateCsr(&d, -1, 1, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    FAILS(NOT_SUPPORTED, cusparseCreateCsr(&d, 1, 1, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_16U, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    int64_t rows, cols, nnz;
    SPARSE(cusparseSpMatGetSize(s.d, &rows, &cols, &nnz));
    CHECK(rows == 5 && cols == 7 && nnz == a.nnz());
    cusparseFormat_t f;
    SPARSE(cusparseSpMatGetFormat(s.d, &f));
    CHECK(f == CUSPARSE_FORMAT_CSR);
    CHECK(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"));
    CHECK(strlen(cusparseGetErrorString(CUSPARSE_STATUS_INVALID_VALUE)) > 0);
}

/* Two threads with a handle and a stream each. */
static void threads()
{
    auto work = [](int k) {
        cusparseHandle_t h;
        cudaStream_t stream;
        SPARSE(cusparseCreate(&h));
        CUDA(cudaStreamCreate(&stream));
        SPARSE(cusparseSetStream(h, stream));
        const int n = 50;
        std::vector<int> off(n + 1), idx(n);
        std::vector<double> val(n), x(n), y(n);
        for (int i = 0; i < n; i++) {
            off[i + 1] = i + 1;
            idx[i] = (i * 7) % n;
            val[i] = i + k;
            x[i] = i;
        }
        device_copy<int> doff(off), didx(idx);
        device_copy<double> dval(val), dx(x), dy(y);
        cusparseSpMatDescr_t a;
        cusparseDnVecDescr_t vx, vy;
        SPARSE(cusparseCreateCsr(&a, n, n, n, doff.p, didx.p, dval.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        SPARSE(cusparseCreateDnVec(&vx, n, dx.p, CUDA_R_64F));
        SPARSE(cusparseCreateDnVec(&vy, n, dy.p, CUDA_R_64F));
        const double one = 1;
        for (int r = 0; r < 10; r++)
            SPARSE(cusparseSpMV(h, N, &one, a, vx, &one, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
        CUDA(cudaStreamSynchronize(stream));
        const std::vector<double> got = dy.get();
        for (int i = 0; i < n; i++)
            CHECK(got[i] == 10.0 * (i + k) * ((i * 7) % n));
        SPARSE(cusparseDestroyDnVec(vx));
        SPARSE(cusparseDestroyDnVec(vy));
        SPARSE(cusparseDestroySpMat(a));
        SPARSE(cusparseDestroy(h));
        CUDA(cudaStreamDestroy(stream));
    };
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    formats<float>();
    shapes();
    for (bool columns : {false, true})
        constant<float, int, int>(CUSPARSE_FORMAT_BSR, columns, 3, columns);
    constant<float, int, int>(CUSPARSE_FORMAT_SLICED_ELLPACK, 1, 5, false);
    if (all_types()) {
        constant<cuDoubleComplex, long long, long long>(CUSPARSE_FORMAT_BSR, 1, 2, true);
        constant<double, long long, int>(CUSPARSE_FORMAT_SLICED_ELLPACK, 0, 4, false);
        formats<cuDoubleComplex>();
        mixed();
    }
    matrices();
    older<double>();
    if (all_types()) {
        older<cuComplex>();
        older<float>();
        older<cuDoubleComplex>();
    }
    wrong();
    threads();
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
