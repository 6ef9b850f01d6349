/* Vectors and matrices between host and device. */
#include "lib/blas/blas_int.h"

/* Rows of `width` bytes, `pitch` bytes apart on both sides. */
static cublasStatus_t copy(void *to, int64_t to_pitch, const void *from, int64_t from_pitch,
                           int64_t width, int64_t height, enum cudaMemcpyKind kind,
                           const cudaStream_t *stream)
{
    if (!width || !height)
        return CUBLAS_STATUS_SUCCESS;
    if (!to || !from)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t tp = (size_t)to_pitch, fp = (size_t)from_pitch, w = (size_t)width,
                 n = (size_t)height;
    const cudaError_t e = stream ? cudaMemcpy2DAsync(to, tp, from, fp, w, n, kind, *stream)
                                 : cudaMemcpy2D(to, tp, from, fp, w, n, kind);
    return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t vector(int64_t n, int64_t size, const void *from, int64_t incx, void *to,
                             int64_t incy, enum cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (incx <= 0 || incy <= 0 || size <= 0 || n < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(to, incy * size, from, incx * size, size, n, kind, stream);
}

static cublasStatus_t matrix(int64_t rows, int64_t cols, int64_t size, const void *from,
                             int64_t lda, void *to, int64_t ldb, enum cudaMemcpyKind kind,
                             const cudaStream_t *stream)
{
    if (rows < 0 || cols < 0 || size <= 0 || lda <= 0 || ldb <= 0 || lda < rows || ldb < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(to, ldb * size, from, lda * size, rows * size, cols, kind, stream);
}

cublasStatus_t blas_set_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                               int64_t incy)
{
    return vector(n, size, x, incx, y, incy, cudaMemcpyHostToDevice, NULL);
}

cublasStatus_t blas_get_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                               int64_t incy)
{
    return vector(n, size, x, incx, y, incy, cudaMemcpyDeviceToHost, NULL);
}

cublasStatus_t blas_set_matrix(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                               void *B, int64_t ldb)
{
    return matrix(rows, cols, size, A, lda, B, ldb, cudaMemcpyHostToDevice, NULL);
}

cublasStatus_t blas_get_matrix(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                               void *B, int64_t ldb)
{
    return matrix(rows, cols, size, A, lda, B, ldb, cudaMemcpyDeviceToHost, NULL);
}

cublasStatus_t blas_set_vector_async(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                                     int64_t incy, cudaStream_t stream)
{
    return vector(n, size, x, incx, y, incy, cudaMemcpyHostToDevice, &stream);
}

cublasStatus_t blas_get_vector_async(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                                     int64_t incy, cudaStream_t stream)
{
    return vector(n, size, x, incx, y, incy, cudaMemcpyDeviceToHost, &stream);
}

cublasStatus_t blas_set_matrix_async(int64_t rows, int64_t cols, int64_t size, const void *A,
                                     int64_t lda, void *B, int64_t ldb, cudaStream_t stream)
{
    return matrix(rows, cols, size, A, lda, B, ldb, cudaMemcpyHostToDevice, &stream);
}

cublasStatus_t blas_get_matrix_async(int64_t rows, int64_t cols, int64_t size, const void *A,
                                     int64_t lda, void *B, int64_t ldb, cudaStream_t stream)
{
    return matrix(rows, cols, size, A, lda, B, ldb, cudaMemcpyDeviceToHost, &stream);
}
