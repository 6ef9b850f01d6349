// OPTIONS: -lcusparse
/* Descriptors give back what they were made of, those of constants as well; a product with descriptors of constants; batches by
 * strides; what is wrong is said. */
#include "sparse.h"
#include <cstring>

template <class T> static T *put(const std::vector<T> &x)
{
    T *p;
    CUDA(cudaMalloc((void **)&p, x.size() * sizeof(T)));
    CUDA(cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

static const cusparseIndexType_t i32 = CUSPARSE_INDEX_32I, i64 = CUSPARSE_INDEX_64I;
static const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO, first = CUSPARSE_INDEX_BASE_ONE;

/* What getters are asked for; each begins as what it cannot be. */
struct told {
    int64_t a = -1, b = -1, c = -1, d = -1;
    void *p = nullptr, *q = nullptr, *r = nullptr;
    const void *cp = nullptr, *cq = nullptr, *cr = nullptr;
    cusparseIndexType_t t = CUSPARSE_INDEX_16U, u = CUSPARSE_INDEX_16U;
    cusparseIndexBase_t base = (cusparseIndexBase_t)7;
    cudaDataType type = CUDA_R_8I;
    cusparseOrder_t order = (cusparseOrder_t)0;
};

static void vectors(int *index, double *values)
{
    cusparseSpVecDescr_t s;
    cusparseConstSpVecDescr_t cs;
    cusparseDnVecDescr_t d;
    cusparseConstDnVecDescr_t cd;
    told g;
    SPARSE(cusparseCreateSpVec(&s, 9, 3, index, values, i32, first, CUDA_R_64F));
    SPARSE(cusparseSpVecGet(s, &g.a, &g.b, &g.p, &g.q, &g.t, &g.base, &g.type));
    CHECK(g.a == 9 && g.b == 3 && g.p == index && g.q == values && g.t == i32 && g.base == first && g.type == CUDA_R_64F);
    SPARSE(cusparseSpVecSetValues(s, values + 1));
    SPARSE(cusparseSpVecGetValues(s, &g.q));
    SPARSE(cusparseConstSpVecGetValues(s, &g.cq));
    SPARSE(cusparseSpVecGetIndexBase(s, &g.base));
    CHECK(g.q == values + 1 && g.cq == values + 1 && g.base == first);
    SPARSE(cusparseCreateConstSpVec(&cs, 8, 2, index, values, i32, zero, CUDA_R_64F));
    SPARSE(cusparseConstSpVecGet(cs, &g.a, &g.b, &g.cp, &g.cq, &g.t, &g.base, &g.type));
    CHECK(g.a == 8 && g.b == 2 && g.cp == index && g.cq == values && g.base == zero);
    SPARSE(cusparseCreateDnVec(&d, 5, values, CUDA_R_64F));
    SPARSE(cusparseDnVecGet(d, &g.a, &g.p, &g.type));
    CHECK(g.a == 5 && g.p == values && g.type == CUDA_R_64F);
    SPARSE(cusparseDnVecSetValues(d, values + 2));
    SPARSE(cusparseDnVecGetValues(d, &g.p));
    SPARSE(cusparseConstDnVecGetValues(d, &g.cp));
    CHECK(g.p == values + 2 && g.cp == values + 2);
    SPARSE(cusparseCreateConstDnVec(&cd, 4, values, CUDA_R_32F));
    SPARSE(cusparseConstDnVecGet(cd, &g.a, &g.cp, &g.type));
    CHECK(g.a == 4 && g.cp == values && g.type == CUDA_R_32F);
    SPARSE(cusparseDestroySpVec(s));
    SPARSE(cusparseDestroySpVec(cs));
    SPARSE(cusparseDestroyDnVec(d));
    SPARSE(cusparseDestroyDnVec(cd));
}

static void matrices(int *rows, int *columns, long long *offsets, double *values)
{
    cusparseSpMatDescr_t m;
    cusparseConstSpMatDescr_t c;
    told g;
    int count = -1;
    SPARSE(cusparseCreateCsr(&m, 4, 6, 5, offsets, columns, values, i64, i32, zero, CUDA_R_64F));
    SPARSE(cusparseCsrGet(m, &g.a, &g.b, &g.c, &g.p, &g.q, &g.r, &g.t, &g.u, &g.base, &g.type));
    CHECK(g.a == 4 && g.b == 6 && g.c == 5 && g.p == offsets && g.q == columns && g.r == values && g.t == i64 && g.u == i32 && g.base == zero);
    SPARSE(cusparseSpMatSetValues(m, values + 1));
    SPARSE(cusparseSpMatGetValues(m, &g.r));
    SPARSE(cusparseConstSpMatGetValues(m, &g.cr));
    SPARSE(cusparseSpMatGetIndexBase(m, &g.base));
    CHECK(g.r == values + 1 && g.cr == values + 1 && g.base == zero);
    SPARSE(cusparseCsrSetStridedBatch(m, 3, 0, 5));
    SPARSE(cusparseSpMatGetStridedBatch(m, &count));
    CHECK(count == 3);
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER, got = CUSPARSE_FILL_MODE_LOWER;
    SPARSE(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    SPARSE(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &got, sizeof got));
    CHECK(got == fill);
    SPARSE(cusparseDestroySpMat(m));
    SPARSE(cusparseCreateConstCsr(&c, 4, 6, 5, offsets, columns, values, i64, i32, first, CUDA_R_64F));
    SPARSE(cusparseConstCsrGet(c, &g.a, &g.b, &g.c, &g.cp, &g.cq, &g.cr, &g.t, &g.u, &g.base, &g.type));
    CHECK(g.cp == offsets && g.cq == columns && g.cr == values && g.base == first);
    SPARSE(cusparseDestroySpMat(c));
    SPARSE(cusparseCreateCsc(&m, 6, 4, 5, offsets, columns, values, i64, i32, zero, CUDA_R_64F));
    SPARSE(cusparseCscGet(m, &g.a, &g.b, &g.c, &g.p, &g.q, &g.r, &g.t, &g.u, &g.base, &g.type));
    CHECK(g.a == 6 && g.b == 4 && g.p == offsets && g.q == columns);
    SPARSE(cusparseDestroySpMat(m));
    SPARSE(cusparseCreateConstCsc(&c, 6, 4, 5, offsets, columns, values, i64, i32, zero, CUDA_R_64F));
    SPARSE(cusparseConstCscGet(c, &g.a, &g.b, &g.c, &g.cp, &g.cq, &g.cr, &g.t, &g.u, &g.base, &g.type));
    CHECK(g.a == 6 && g.cp == offsets);
    SPARSE(cusparseDestroySpMat(c));
    SPARSE(cusparseCreateCoo(&m, 4, 6, 5, rows, columns, values, i32, zero, CUDA_R_64F));
    SPARSE(cusparseCooGet(m, &g.a, &g.b, &g.c, &g.p, &g.q, &g.r, &g.t, &g.base, &g.type));
    CHECK(g.a == 4 && g.b == 6 && g.c == 5 && g.p == rows && g.q == columns && g.r == values && g.t == i32);
    SPARSE(cusparseCooSetStridedBatch(m, 2, 5));
    SPARSE(cusparseSpMatGetStridedBatch(m, &count));
    CHECK(count == 2);
    SPARSE(cusparseDestroySpMat(m));
    SPARSE(cusparseCreateConstCoo(&c, 4, 6, 5, rows, columns, values, i32, zero, CUDA_R_64F));
    SPARSE(cusparseConstCooGet(c, &g.a, &g.b, &g.c, &g.cp, &g.cq, &g.cr, &g.t, &g.base, &g.type));
    CHECK(g.cp == rows && g.cr == values);
    SPARSE(cusparseDestroySpMat(c));
    SPARSE(cusparseCreateBlockedEll(&m, 8, 12, 2, 4, columns, values, i32, zero, CUDA_R_64F));
    SPARSE(cusparseBlockedEllGet(m, &g.a, &g.b, &g.c, &g.d, &g.p, &g.q, &g.t, &g.base, &g.type));
    CHECK(g.a == 8 && g.b == 12 && g.c == 2 && g.d == 4 && g.p == columns && g.q == values);
    SPARSE(cusparseDestroySpMat(m));
    SPARSE(cusparseCreateConstBlockedEll(&c, 8, 12, 2, 4, columns, values, i32, zero, CUDA_R_64F));
    SPARSE(cusparseConstBlockedEllGet(c, &g.a, &g.b, &g.c, &g.d, &g.cp, &g.cq, &g.t, &g.base, &g.type));
    CHECK(g.d == 4 && g.cp == columns && g.cq == values);
    SPARSE(cusparseDestroySpMat(c));

    cusparseDnMatDescr_t d;
    cusparseConstDnMatDescr_t e;
    int64_t stride = -1;
    SPARSE(cusparseCreateDnMat(&d, 3, 2, 4, values, CUDA_R_64F, CUSPARSE_ORDER_COL));
    SPARSE(cusparseDnMatGet(d, &g.a, &g.b, &g.c, &g.p, &g.type, &g.order));
    CHECK(g.a == 3 && g.b == 2 && g.c == 4 && g.p == values && g.order == CUSPARSE_ORDER_COL);
    SPARSE(cusparseDnMatSetStridedBatch(d, 2, 9));
    SPARSE(cusparseDnMatGetStridedBatch(d, &count, &stride));
    CHECK(count == 2 && stride == 9);
    SPARSE(cusparseDnMatSetValues(d, values + 1));
    SPARSE(cusparseDnMatGetValues(d, &g.p));
    SPARSE(cusparseConstDnMatGetValues(d, &g.cp));
    CHECK(g.p == values + 1 && g.cp == values + 1);
    SPARSE(cusparseDestroyDnMat(d));
    SPARSE(cusparseCreateConstDnMat(&e, 3, 2, 2, values, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseConstDnMatGet(e, &g.a, &g.b, &g.c, &g.cp, &g.type, &g.order));
    CHECK(g.a == 3 && g.c == 2 && g.cp == values && g.order == CUSPARSE_ORDER_ROW);
    SPARSE(cusparseDestroyDnMat(e));
}

/* All that is read is const. */
static void product(cusparseHandle_t h)
{
    double *values = put<double>({1, 2, 3, 4, 5}), *x = put<double>({1, 10, 100}), *y = put<double>({7, 7, 7});
    int *offsets = put<int>({0, 2, 2, 5}), *columns = put<int>({0, 2, 0, 1, 2});
    cusparseConstSpMatDescr_t a;
    cusparseConstDnVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    SPARSE(cusparseCreateConstCsr(&a, 3, 3, 5, offsets, columns, values, i32, i32, zero, CUDA_R_64F));
    SPARSE(cusparseCreateConstDnVec(&dx, 3, x, CUDA_R_64F));
    SPARSE(cusparseCreateDnVec(&dy, 3, y, CUDA_R_64F));
    const double one = 1, two = 2;
    size_t bytes = 0;
    void *buffer;
    SPARSE(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, dx, &two, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    CUDA(cudaMalloc(&buffer, bytes + 1));
    SPARSE(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, dx, &two, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    double got[3];
    CUDA(cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 201 + 14 && got[1] == 14 && got[2] == 3 + 40 + 500 + 14);
    SPARSE(cusparseDestroySpMat(a));
    SPARSE(cusparseDestroyDnVec(dx));
    SPARSE(cusparseDestroyDnVec(dy));
    for (void *p : {(void *)values, (void *)x, (void *)y, (void *)offsets, (void *)columns, buffer})
        CUDA(cudaFree(p));
}

int main()
{
    cusparseHandle_t h;
    SPARSE(cusparseCreate(&h));
    int *rows = put<int>({0, 0, 1, 2, 3}), *columns = put<int>({0, 2, 0, 1, 2});
    long long *offsets = put<long long>({0, 2, 3, 4, 5});
    double *values = put<double>(std::vector<double>(64, 1.0));
    vectors(columns, values);
    matrices(rows, columns, offsets, values);
    product(h);

    cusparsePointerMode_t mode = (cusparsePointerMode_t)9;
    SPARSE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE));
    SPARSE(cusparseGetPointerMode(h, &mode));
    CHECK(mode == CUSPARSE_POINTER_MODE_DEVICE);
    cudaStream_t s, got;
    CUDA(cudaStreamCreate(&s));
    SPARSE(cusparseSetStream(h, s));
    SPARSE(cusparseGetStream(h, &got));
    CHECK(got == s);
    cusparseMatDescr_t d;
    SPARSE(cusparseCreateMatDescr(&d));
    SPARSE(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT));
    SPARSE(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER));
    CHECK(cusparseGetMatDiagType(d) == CUSPARSE_DIAG_TYPE_UNIT && cusparseGetMatFillMode(d) == CUSPARSE_FILL_MODE_UPPER);
    SPARSE(cusparseDestroyMatDescr(d));
    int version = 0, major = 0;
    SPARSE(cusparseGetVersion(h, &version));
    SPARSE(cusparseGetProperty(MAJOR_VERSION, &major));
    CHECK(version > 0 && major > 0);

    cusparseSpMatDescr_t m;
    cusparseDnVecDescr_t v;
    CHECK(cusparseCreateCsr(&m, -1, 2, 1, offsets, columns, values, i64, i32, zero, CUDA_R_64F) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseCreateCsr(nullptr, 1, 2, 1, offsets, columns, values, i64, i32, zero, CUDA_R_64F) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseCreateDnVec(&v, -3, values, CUDA_R_64F) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseGetStream(nullptr, &got) != CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseSpMatGetIndexBase(nullptr, nullptr) != CUSPARSE_STATUS_SUCCESS);
    SPARSE(cusparseDestroy(h));
    puts("ok");
}
