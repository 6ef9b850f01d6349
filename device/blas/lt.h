/* What cuBLASLt has beside products: sums of rows (gradients of biases), and changes of layout. */
#pragma once
#include "device/blas/types.h"
#include "device/blas/level1.h"

/* Sums of rows in float, in two steps, the same each time: a block adds up ROW_SUMS rows of `each` columns, then threads what blocks had. ALONG:
 * a row's elements are side by side; apart: between what is not. */
enum { ROW_SUMS = 32, ROW_SUM_LANES = 8 };
template <class T, bool ALONG> __global__ void row_parts(long long rows, long long cols, long long each, long long apart, const T *p, float *parts)
{
    __shared__ float sums[ROW_SUMS][ROW_SUMS + 1];
    const int x = threadIdx.x % ROW_SUMS, y = threadIdx.x / ROW_SUMS, lanes = ALONG ? ROW_SUMS : ROW_SUM_LANES;
    const long long i0 = blockIdx.x * (long long)ROW_SUMS, from = blockIdx.y * each, end = from + each < cols ? from + each : cols;
    for (int turn = 0; turn < (ALONG ? ROW_SUMS / ROW_SUM_LANES : 1); turn++) {
        const int r = ALONG ? y + turn * ROW_SUM_LANES : x, lane = ALONG ? x : y;
        float sum = 0.f;
        if (i0 + r < rows) {
            const T *row = ALONG ? p + (i0 + r) * apart : p + i0 + r;
#pragma unroll 4
            for (long long j = from + lane; j < end; j += lanes)
                sum += to<float>(row[ALONG ? j : j * apart]);
        }
        sums[r][lane] = sum;
    }
    __syncthreads();
    if (threadIdx.x < ROW_SUMS && i0 + threadIdx.x < rows) {
        float sum = 0.f;
        for (int lane = 0; lane < lanes; lane++)
            sum += sums[threadIdx.x][lane];
        parts[blockIdx.y * rows + i0 + threadIdx.x] = sum;
    }
}
template <class O> __global__ void row_totals(long long rows, int count, const float *parts, O *out)
{
    EACH_ELEMENT (i, rows) {
        float sum = 0.f;
        for (int k = 0; k < count; k++)
            sum += parts[k * rows + i];
        out[i] = to<O>(sum);
    }
}

/* A matrix in memory: by columns, by rows, or by columns of which 32 lie together, in tiles of one, 8 or 32 rows. */
struct place_of_matrix {
    const void *p;
    long long ld, stride;
    int order, trans, conj;
};
/* In a tile of 8 rows even rows lie before odd ones, four columns of each together. */
__device__ inline long long index_in_4_4r2_8c(long long i, long long j)
{
    return (i / 8 * 8 + i % 2 * 4 + j % 32 / 8) * 32 + (j % 8 / 4 * 4 + i % 8 / 2) * 4 + j % 4;
}
__device__ inline long long index_in_2r_4r4(long long i, long long j)
{
    return i / 32 * 1024 + ((i % 8 / 2 * 4 + i % 32 / 8) * 2 + i % 2) * 32 + j % 32;
}
__device__ inline long long index_in(const place_of_matrix &m, long long i, long long j, long long z)
{
    if (m.trans) {
        const long long t = i;
        i = j;
        j = t;
    }
    const long long first = m.stride * z + (m.order > 1 ? j / 32 * m.ld : 0);
    return first + (m.order == 0   ? i + j * m.ld
                    : m.order == 1 ? i * m.ld + j
                    : m.order == 2 ? i * 32 + j % 32
                    : m.order == 3 ? index_in_4_4r2_8c(i, j)
                                   : index_in_2r_4r4(i, j));
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
