// OPTIONS: -I../..
/* The kernel for GPUs without matrix instructions, launched by hand so that other devices run it, too: every layout of the operands, aligned
 * and not, sizes that are no multiples of the tiles, a triangle, results that are not side by side. Products of small whole numbers: exact. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "device/blas/tiled.h"

static float as_float(float v) { return v; }
static float as_float(double v) { return (float)v; }
static float as_float(__half v) { return __half2float(v); }
static float as_float(__nv_bfloat16 v) { return __bfloat162float(v); }

template <class T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    if (cudaMalloc((void **)&p, v.size() * sizeof(T)) || cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice))
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

/* X: what is computed with. */
template <class T, class X, int BM, int BN, int WM, int WN, bool A, bool B, bool ALIGNED> static void one(const how &h)
{
    const int lda = (A ? h.k : h.m) + h.extra, ldb = (B ? h.k : h.n) + h.extra, ldc = h.m * h.row + h.extra;
    const std::vector<T> a = numbers<T>((size_t)lda * (A ? h.m : h.k), 5), b = numbers<T>((size_t)ldb * (B ? h.n : h.k), 3), c = numbers<T>((size_t)ldc * h.n, 7);
    T *da = on_device(a), *db = on_device(b), *dc = on_device(c);
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
    const unsigned tiles = (h.m + BM - 1) / BM * ((h.n + BN - 1) / BN);
    tiled_product<T, T, T, X, X, BM, BN, WM, WN, A, B, ALIGNED, 0><<<tiles, BM / WM *(BN / WN) * 32>>>(p);
    std::vector<T> got(c.size());
    const cudaError_t e = cudaGetLastError(), f = cudaMemcpy(got.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost);
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
                want += 2 * as_float(A ? a[l + r * lda] : a[r + l * lda]) * as_float(B ? b[l + j * ldb] : b[j + l * ldb]);
            if (as_float(got[at]) != want) {
                printf("tiles of %d by %d, %d bytes, %d%d%d: %d x %d x %d (%d, %d): %g is not %g\n", BM, BN, (int)sizeof(T), A, B, ALIGNED, h.m, h.n, h.k, r, j, as_float(got[at]), want);
                exit(1);
            }
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

int main()
{
    one<float, float, 64, 32, 32, 16, false, false, true>({128, 64, 24, 0, 1, BLAS_WHOLE});
    one<float, float, 64, 32, 32, 16, false, false, true>({72, 40, 20, 4, 1, BLAS_UPPER});
    one<float, float, 32, 32, 32, 16, true, false, false>({41, 35, 19, 1, 2, BLAS_WHOLE});
    one<double, double, 32, 32, 16, 16, false, true, true>({64, 48, 18, 2, 1, BLAS_WHOLE});
    one<__half, float, 32, 32, 32, 16, true, true, true>({40, 64, 16, 8, 1, BLAS_WHOLE});
    /* A software GPU compiles each for two seconds. */
    const char *device = getenv("TERN_DEVICES");
    if (!device || strcmp(device, "vulkan") || getenv("TERN_TEST_LONG"))
        one<__nv_bfloat16, float, 32, 32, 32, 16, true, true, true>({40, 32, 24, 8, 1, BLAS_WHOLE});
    puts("ok");
}
