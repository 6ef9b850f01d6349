// OPTIONS: -lcublas
/* The API without handles. */
#include <cmath>
#include <cstdio>
#include <cublas.h>

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    const int n = 6;
    float a[n * n], b[n * n], c[n * n];
    float *da, *db, *dc;
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7) - 3;
        b[i] = (float)(i % 5) - 2;
    }
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cublasSscal(1, 1.f, nullptr, 1); /* not initialised */
    CHECK(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasAlloc(n * n, 4, (void **)&da) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasAlloc(n * n, 4, (void **)&db) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasAlloc(n * n, 4, (void **)&dc) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetMatrix(n, n, 4, a, n, da, n) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetMatrix(n, n, 4, b, n, db, n) == CUBLAS_STATUS_SUCCESS);
    cublasSgemm('n', 'T', n, n, n, 2.f, da, n, db, n, 0.f, dc, n);
    CHECK(cublasGetMatrix(n, n, 4, dc, n, c, n) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i + k * n] * b[j + k * n];
            CHECK(c[i + j * n] == 2 * sum);
        }
    float dot = 0;
    for (int i = 0; i < n * n; i++)
        dot += a[i] * b[i];
    CHECK(cublasSdot(n * n, da, 1, db, 1) == dot);
    CHECK(cublasIsamax(n * n, da, 1) == 1);
    cublasStrmm('L', 'U', 'N', 'U', 2, 1, 1.f, da, n, db, n); /* in place */
    CHECK(cublasGetVector(2, 4, db, 1, c, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(c[0] == b[0] + a[n] * b[1] && c[1] == b[1]);
    cublasSgemm('x', 'T', n, n, n, 2.f, da, n, db, n, 0.f, dc, n);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasFree(da) == CUBLAS_STATUS_SUCCESS && cublasFree(db) == CUBLAS_STATUS_SUCCESS && cublasFree(dc) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
    puts("ok");
}
