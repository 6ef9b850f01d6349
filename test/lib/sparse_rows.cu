// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusparse
// Sparse matrix by vector where rows differ: short ones whose columns lie near or far, empty ones, and some that are cut into parts,
// several beside each other. All numbers are small and whole, so that sums are exact in any order.
#include "sparse.h"

enum { WIDTH = 5000 };
enum lengths { EQUAL_NEAR, EQUAL_FAR, MIXED, CUT, ALL_LONG, KINDS };

static int length_of(lengths kind, int row)
{
    switch (kind) {
    case EQUAL_NEAR:
    case EQUAL_FAR: return 11;
    case MIXED: return row % 5 == 0 ? 0 : row * 7919 % 61;
    case CUT: return row % 37 == 3 || row % 37 == 4 ? 900 + row : row == 70 ? WIDTH : row % 9;
    default: return 700 + row * 31 % 800;
    }
}

template <class T> static T number_of(int v)
{
    return as<T>::narrow(zd(v, as<T>::is_complex ? v % 2 : 0));
}

template <class T, class I> static void product(cusparseHandle_t h, lengths kind, int rows, int base, double beta)
{
    std::vector<I> start(1, base), column;
    std::vector<T> value, x(WIDTH), y(rows), got(rows);
    for (int r = 0; r < rows; r++) {
        const int n = length_of(kind, r);
        for (int k = 0; k < n; k++) {
            column.push_back(base + (kind == EQUAL_NEAR ? r + k : (r * 331 + k * (n == WIDTH ? 1 : 97)) % WIDTH));
            value.push_back(number_of<T>((r + k) % 7 - 3));
        }
        start.push_back(base + (I)column.size());
    }
    for (int j = 0; j < WIDTH; j++)
        x[j] = number_of<T>(j % 5 - 2);
    for (int r = 0; r < rows; r++)
        y[r] = number_of<T>(r % 3);
    device_copy<I> starts(start), columns(column);
    device_copy<T> values(value), xs(x), ys(y);
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    const cudaDataType type = number<T>::value;
    const T one = number_of<T>(1), other = as<T>::narrow(zd(beta));
    SPARSE(cusparseCreateCsr(&a, rows, WIDTH, (int64_t)column.size(), starts.p, columns.p, values.p, index_of<I>(), index_of<I>(),
                             base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO, type));
    SPARSE(cusparseCreateDnVec(&vx, WIDTH, xs.p, type));
    SPARSE(cusparseCreateDnVec(&vy, rows, ys.p, type));
    SPARSE(cusparseSpMV(h, N, &one, a, vx, &other, vy, type, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    got = ys.get();
    for (int r = 0; r < rows; r++) {
        zd sum = as<T>::wide(other) * as<T>::wide(y[r]);
        for (I k = start[r] - base; k < start[r + 1] - base; k++)
            sum += as<T>::wide(one) * as<T>::wide(value[k]) * as<T>::wide(x[column[k] - base]);
        if (as<T>::wide(got[r]) != sum) {
            printf("kind %d, %d rows, base %d: y[%d] = %g %g, not %g %g\n", kind, rows, base, r, as<T>::wide(got[r]).real(),
                   as<T>::wide(got[r]).imag(), sum.real(), sum.imag());
            exit(1);
        }
    }
    SPARSE(cusparseDestroyDnVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroySpMat(a));
}

template <class T, class I> static void all(cusparseHandle_t h)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int rows : {1, 33, 150})
            product<T, I>(h, (lengths)kind, rows, rows % 2, rows == 33 ? 0 : 2);
}

int main()
{
    cusparseHandle_t h;
    SPARSE(cusparseCreate(&h));
    all<float, int>(h);
    all<cuComplex, int>(h);
    if (all_types()) {
        all<double, long long>(h);
        all<cuDoubleComplex, long long>(h);
    }
    SPARSE(cusparseDestroy(h));
    printf("ok\n");
}
