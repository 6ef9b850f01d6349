/* For the programs here that test cuSPARSE: a dense matrix of which some elements are there, stored
 * in every format; references in long loops. */
#pragma once
#include "blas.h"
#include <cusparse.h>

#define SPARSE(call)                                                                               \
    do {                                                                                           \
        cusparseStatus_t s_ = (call);                                                              \
        if (s_ != CUSPARSE_STATUS_SUCCESS) {                                                       \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cusparseGetErrorName(s_));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS(status, call) CHECK((call) == CUSPARSE_STATUS_##status)

/* Kernels are compiled long on some devices: there, each function is tried with fewer types. */
static inline bool all_types()
{
    const char *device = getenv("TERN_DEVICES");
    return !device || strcmp(device, "vulkan") != 0;
}

const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, TR = CUSPARSE_OPERATION_TRANSPOSE,
                          CT = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;

template <> struct as<signed char> {
    static zd wide(signed char v)
    {
        return zd(v, 0);
    }
    static signed char narrow(zd v)
    {
        return (signed char)(v.real() * 100);
    }
    static const bool is_complex = false;
    static double eps()
    {
        return 0;
    }
};
template <class T> struct number;
#define NUMBER(T, n)                                                                               \
    template <> struct number<T> {                                                                 \
        static const cudaDataType value = n;                                                       \
    }
NUMBER(float, CUDA_R_32F);
NUMBER(double, CUDA_R_64F);
NUMBER(cuComplex, CUDA_C_32F);
NUMBER(cuDoubleComplex, CUDA_C_64F);
NUMBER(__half, CUDA_R_16F);
NUMBER(__nv_bfloat16, CUDA_R_16BF);
NUMBER(signed char, CUDA_R_8I);
NUMBER(int, CUDA_R_32I);
template <class I> cusparseIndexType_t index_of()
{
    return sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

/* Which elements are there: every shape that rows may have. */
enum shape { RANDOM, POWER, ONE_ROW, EMPTY, DIAGONAL };
template <class T> struct dense {
    long rows, cols;
    std::vector<T> v; /* by rows */
    std::vector<char> there;
    dense(long m, long n, shape s, double density = 0.2) : rows(m), cols(n), v(m * n), there(m * n)
    {
        for (long i = 0; i < m; i++)
            for (long j = 0; j < n; j++) {
                const double p = s == EMPTY      ? 0
                                 : s == ONE_ROW  ? (i == m / 2 ? 1 : density / 8)
                                 : s == POWER    ? 1.0 / (1 + i)
                                 : s == DIAGONAL ? (i == j ? 1 : density)
                                                 : (i % 5 == 3 ? 0 : density);
                if ((uniform() + 1) / 2 < p) {
                    there[i * n + j] = 1;
                    v[i * n + j] = any<T>();
                    if (s == DIAGONAL && i == j)
                        v[i * n + j] =
                            as<T>::narrow(as<T>::wide(v[i * n + j]) + zd(4 + 0.5 * n * density, 0));
                }
            }
    }
    zd at(long i, long j, cusparseOperation_t o = N) const
    {
        const long k = o == N ? i * cols + j : j * cols + i;
        const zd e = there[k] ? as<T>::wide(v[k]) : zd(0);
        return o == CT ? std::conj(e) : e;
    }
    long nnz() const
    {
        long n = 0;
        for (char c : there)
            n += c;
        return n;
    }
};

template <class T> struct device_copy {
    T *p = nullptr;
    size_t n = 0;
    device_copy()
    {
    }
    explicit device_copy(const std::vector<T> &h)
    {
        put(h);
    }
    void put(const std::vector<T> &h)
    {
        cudaFree(p);
        n = h.size();
        CUDA(cudaMalloc((void **)&p, (n + 1) * sizeof(T)));
        if (n)
            CUDA(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> h(n);
        if (n)
            CUDA(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
    device_copy(const device_copy &) = delete;
    ~device_copy()
    {
        cudaFree(p);
    }
};

/* A format's arrays and its descriptor. block: of BSR and blocked ELL, whose sizes must be
 * multiples; slice: of SELL. */
template <class T, class O, class I> struct stored {
    device_copy<O> offsets;
    device_copy<I> indices, rows_of;
    device_copy<T> values;
    cusparseSpMatDescr_t d = nullptr;
    stored(const dense<T> &a, cusparseFormat_t format, int base = 0, int block = 2,
           bool columns = false)
    {
        std::vector<O> off;
        std::vector<I> idx, row;
        std::vector<T> val;
        const cusparseIndexBase_t b = (cusparseIndexBase_t)base;
        const cudaDataType type = number<T>::value;
        const cusparseIndexType_t ot = index_of<O>(), it = index_of<I>();
        const T none = as<T>::narrow(zd(0));
        if (format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_COO ||
            format == CUSPARSE_FORMAT_CSC) {
            const bool csc = format == CUSPARSE_FORMAT_CSC;
            for (long i = 0; i < (csc ? a.cols : a.rows); i++) {
                off.push_back((O)(val.size() + base));
                for (long j = 0; j < (csc ? a.rows : a.cols); j++) {
                    const long k = csc ? j * a.cols + i : i * a.cols + j;
                    if (!a.there[k])
                        continue;
                    idx.push_back((I)(j + base));
                    row.push_back((I)(i + base));
                    val.push_back(a.v[k]);
                }
            }
            off.push_back((O)(val.size() + base));
        } else if (format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
            for (long s = 0; s < a.rows; s += block) {
                off.push_back((O)(val.size() + base));
                long most = 0;
                std::vector<std::vector<long>> lines(block);
                for (long i = s; i < s + block && i < a.rows; i++)
                    for (long j = 0; j < a.cols; j++)
                        if (a.there[i * a.cols + j])
                            lines[i - s].push_back(j);
                for (auto &l : lines)
                    most = std::max(most, (long)l.size());
                for (long k = 0; k < most; k++)
                    for (long i = 0; i < block; i++) {
                        const bool has = k < (long)lines[i].size();
                        idx.push_back(has ? (I)(lines[i][k] + base) : (I)-1);
                        val.push_back(has ? a.v[(s + i) * a.cols + lines[i][k]] : none);
                    }
            }
            off.push_back((O)(val.size() + base));
        } else {
            /* Blocks that have an element; ELL pads with blocks that are not there. */
            const long mb = a.rows / block, nb = a.cols / block;
            long most = 0;
            std::vector<std::vector<long>> lines(mb);
            for (long i = 0; i < mb; i++) {
                for (long j = 0; j < nb; j++) {
                    bool has = false;
                    for (long k = 0; k < block * block; k++)
                        has |= a.there[(i * block + k / block) * a.cols + j * block + k % block];
                    if (has)
                        lines[i].push_back(j);
                }
                most = std::max(most, (long)lines[i].size());
            }
            auto element = [&](long i, long j) {
                return a.there[i * a.cols + j] ? a.v[i * a.cols + j] : none;
            };
            if (format == CUSPARSE_FORMAT_BSR) {
                for (long i = 0; i < mb; i++) {
                    off.push_back((O)(idx.size() + base));
                    for (long j : lines[i]) {
                        idx.push_back((I)(j + base));
                        for (long k = 0; k < block * block; k++)
                            val.push_back(
                                columns ? element(i * block + k % block, j * block + k / block)
                                        : element(i * block + k / block, j * block + k % block));
                    }
                }
                off.push_back((O)(idx.size() + base));
            } else {
                for (long i = 0; i < mb; i++)
                    for (long k = 0; k < most; k++)
                        idx.push_back(k < (long)lines[i].size() ? (I)(lines[i][k] + base) : (I)-1);
                for (long i = 0; i < a.rows; i++)
                    for (long k = 0; k < most * block; k++) {
                        const auto &l = lines[i / block];
                        val.push_back(k / block < (long)l.size()
                                          ? element(i, l[k / block] * block + k % block)
                                          : none);
                    }
                indices.put(idx);
                values.put(val);
                SPARSE(cusparseCreateBlockedEll(&d, a.rows, a.cols, block, most * block, indices.p,
                                                values.p, it, b, type));
                return;
            }
        }
        offsets.put(off);
        indices.put(idx);
        rows_of.put(row);
        values.put(val);
        switch (format) {
        case CUSPARSE_FORMAT_CSR:
            SPARSE(cusparseCreateCsr(&d, a.rows, a.cols, val.size(), offsets.p, indices.p, values.p,
                                     ot, it, b, type));
            break;
        case CUSPARSE_FORMAT_CSC:
            SPARSE(cusparseCreateCsc(&d, a.rows, a.cols, val.size(), offsets.p, indices.p, values.p,
                                     ot, it, b, type));
            break;
        case CUSPARSE_FORMAT_COO:
            SPARSE(cusparseCreateCoo(&d, a.rows, a.cols, val.size(), rows_of.p, indices.p, values.p,
                                     it, b, type));
            break;
        case CUSPARSE_FORMAT_SLICED_ELLPACK:
            SPARSE(cusparseCreateSlicedEll(&d, a.rows, a.cols, a.nnz(), val.size(), block,
                                           offsets.p, indices.p, values.p, ot, it, b, type));
            break;
        default:
            SPARSE(cusparseCreateBsr(&d, a.rows / block, a.cols / block, idx.size(), block, block,
                                     offsets.p, indices.p, values.p, ot, it, b, type,
                                     columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
        }
    }
    stored(const stored &) = delete;
    ~stored()
    {
        SPARSE(cusparseDestroySpMat(d));
    }
};

template <class T> struct vec : both<T> {
    cusparseDnVecDescr_t d;
    explicit vec(long n) : both<T>(n)
    {
        SPARSE(cusparseCreateDnVec(&d, n, this->device, number<T>::value));
    }
    ~vec()
    {
        SPARSE(cusparseDestroyDnVec(d));
    }
};
/* Rows and columns with space between lines. */
template <class T> struct mat : both<T> {
    long rows, cols, ld;
    cusparseOrder_t order;
    cusparseDnMatDescr_t d;
    mat(long m, long n, cusparseOrder_t o, int batch = 1)
        : both<T>(((o == CUSPARSE_ORDER_COL ? m : n) + 3) * (o == CUSPARSE_ORDER_COL ? n : m) *
                  batch),
          rows(m), cols(n), ld((o == CUSPARSE_ORDER_COL ? m : n) + 3), order(o)
    {
        SPARSE(cusparseCreateDnMat(&d, m, n, ld, this->device, number<T>::value, o));
        if (batch > 1)
            SPARSE(cusparseDnMatSetStridedBatch(d, batch, stride()));
    }
    long stride() const
    {
        return ld * (order == CUSPARSE_ORDER_COL ? cols : rows);
    }
    long place(long i, long j) const
    {
        return order == CUSPARSE_ORDER_COL ? i + j * ld : i * ld + j;
    }
    zd at(const std::vector<T> &h, long i, long j, cusparseOperation_t o = N, int batch = 0) const
    {
        const zd e = as<T>::wide(h[batch * stride() + (o == N ? place(i, j) : place(j, i))]);
        return o == CT ? std::conj(e) : e;
    }
    ~mat()
    {
        SPARSE(cusparseDestroyDnMat(d));
    }
};
