// Sums of products that go round in a loop within a loop: they stay matrices on the way (see run).
#include <mma.h>
using namespace nvcuda;

__global__ void nested(const __half *a, const __half *b, float *d, int n, int m)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
            wmma::load_matrix_sync(left, a + (i * m + j) * 256, 16);
            wmma::load_matrix_sync(right, b + (i * m + j) * 256, 16);
            wmma::mma_sync(sum, left, right, sum);
        }
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}
