/* What cuBLASLt has beside products: sums of rows (gradients of biases), and changes of layout. */
#pragma once
#include "device/blas/types.h"
#include "device/blas/level1.h"

/* The sum of each row, in float. */
template <class T, class O>
__global__ void row_sums(long long rows, long long cols, long long row, long long col, const T *p, O *out)
{
    EACH_ELEMENT (i, rows) {
        float sum = 0.f;
        for (long long j = 0; j < cols; j++)
            sum += to<float>(p[i * row + j * col]);
        out[i] = to<O>(sum);
    }
}

/* A matrix in memory: by columns, by rows, or by columns of which 32 lie together. */
struct place_of_matrix {
    const void *p;
    long long ld, stride;
    int order, trans, conj;
};
__device__ inline long long index_in(const place_of_matrix &m, long long i, long long j, long long z)
{
    if (m.trans) {
        const long long t = i;
        i = j;
        j = t;
    }
    const long long at = m.order == 0 ? i + j * m.ld : m.order == 1 ? i * m.ld + j : j / 32 * m.ld + i * 32 + j % 32;
    return at + m.stride * z;
}
template <class T, class O, class S>
__global__ void transform(long long rows, long long cols, place_of_matrix a, const void *alpha_at, double ar, double ai, place_of_matrix b,
                          const void *beta_at, double br, double bi, place_of_matrix c)
{
    const double av[2] = {ar, ai}, bv[2] = {br, bi};
    const S alpha = scalar<S>(alpha_at, av), beta = scalar<S>(beta_at, bv);
    EACH_ELEMENT (e, rows * cols) {
        const long long i = e % rows, j = e / rows, z = blockIdx.y;
        const S x = to<S>(((const T *)a.p)[index_in(a, i, j, z)]);
        S v = mul(alpha, a.conj ? conjugate(x) : x);
        if (b.p && !is_zero(beta)) {
            const S y = to<S>(((const T *)b.p)[index_in(b, i, j, z)]);
            mad(v, beta, b.conj ? conjugate(y) : y);
        }
        ((O *)c.p)[index_in(c, i, j, z)] = to<O>(v);
    }
}
