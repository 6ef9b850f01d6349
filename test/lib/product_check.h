/* Products of small whole numbers by kernels that are launched by hand, so that any device runs
 * them: exact. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "device/blas/gemm.h"

static float as_float(float v)
{
    return v;
}
static float as_float(int v)
{
    return (float)v;
}
static float as_float(signed char v)
{
    return v;
}
static float as_float(double v)
{
    return (float)v;
}
static float as_float(__half v)
{
    return __half2float(v);
}
static float as_float(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}

template <class T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    if (cudaMalloc((void **)&p, v.size() * sizeof(T)) ||
        cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice))
        exit(2);
    return p;
}
template <class T> static std::vector<T> numbers(size_t n, size_t step)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (T)(float)((int)(i * step % 11 % 7) - 3);
    return v;
}

struct how {
    int m, n, k, extra; /* between columns, beside what is needed */
    int row;            /* of the result: from one to the next */
    int part;
};

/* A, B: whether k is contiguous. C: elements of the result. Tiles of `tile` elements go to `run`,
 * which launches so many blocks. */
template <class T, class C, bool A, bool B, class F>
static void check(const how &h, int bm, int bn, F run)
{
    const int lda = (A ? h.k : h.m) + h.extra, ldb = (B ? h.k : h.n) + h.extra,
              ldc = h.m * h.row + h.extra;
    const std::vector<T> a = numbers<T>((size_t)lda * (A ? h.m : h.k), 5),
                         b = numbers<T>((size_t)ldb * (B ? h.n : h.k), 3);
    const std::vector<C> c = numbers<C>((size_t)ldc * h.n, 7);
    T *da = on_device(a), *db = on_device(b);
    C *dc = on_device(c);
    blas_product p = {};
    p.a.p = da;
    p.a.row = A ? lda : 1;
    p.a.col = A ? 1 : lda;
    p.b.p = db;
    p.b.row = B ? 1 : ldb;
    p.b.col = B ? ldb : 1;
    p.c = p.d = dc;
    p.c_row = p.d_row = h.row;
    p.c_col = p.d_col = ldc;
    p.m = h.m;
    p.n = h.n;
    p.k = h.k;
    p.alpha_value[0] = 2;
    p.beta_value[0] = 1;
    p.part = h.part;
    run((unsigned)((h.m + bm - 1) / bm * ((h.n + bn - 1) / bn)), p);
    std::vector<C> got(c.size());
    const cudaError_t e = cudaGetLastError(),
                      f = cudaMemcpy(got.data(), dc, c.size() * sizeof(C), cudaMemcpyDeviceToHost);
    if (e || f) {
        printf("%s\n", cudaGetErrorString(e ? e : f));
        exit(1);
    }
    for (int j = 0; j < h.n; j++)
        for (int i = 0; i < ldc; i++) {
            const size_t at = (size_t)i + (size_t)j * ldc;
            const int r = i / h.row;
            const bool there = i % h.row == 0 && r < h.m && (h.part != BLAS_UPPER || r <= j);
            float want = as_float(c[at]);
            for (int l = 0; l < h.k && there; l++)
                want += 2 * as_float(A ? a[l + r * lda] : a[r + l * lda]) *
                        as_float(B ? b[l + j * ldb] : b[j + l * ldb]);
            if (as_float(got[at]) != want) {
                printf("tiles of %d by %d, %d bytes, %d%d: %d x %d x %d (%d, %d): %g is not %g\n",
                       bm, bn, (int)sizeof(T), A, B, h.m, h.n, h.k, r, j, as_float(got[at]), want);
                exit(1);
            }
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
