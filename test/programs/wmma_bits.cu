/* wmma of 4-bit numbers and of bits, and sums that stay at the ends of their range where that is asked for. */
#include <cstdio>
#include <mma.h>
using namespace nvcuda;
using namespace nvcuda::wmma::experimental;
template <class P> __global__ void four(const void *a, const void *b, int *c, int start, bool satf)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, P, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, P, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
    wmma::fill_fragment(fc, start);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    if (satf) wmma::mma_sync(fc, fa, fb, fc, true); else wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
__global__ void bits(const unsigned *a, const unsigned *b, int *c, bool both)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
    wmma::fill_fragment(fc, 5);
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    if (both) wmma::bmma_sync(fc, fa, fb, fc, bmmaBitOpAND); else wmma::bmma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
__global__ void bytes(const signed char *a, const signed char *b, int *c, int start, bool satf)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, start);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc, satf);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
static int nibble(const unsigned *p, int i, bool sign)
{
    int v = p[i / 8] >> i % 8 * 4 & 15;
    return sign && v > 7 ? v - 16 : v;
}
int main()
{
    unsigned *a, *b;
    int *c, wrong = 0;
    cudaMallocManaged(&a, 256);
    cudaMallocManaged(&b, 256);
    cudaMallocManaged(&c, 1024);
    for (int i = 0; i < 64; i++)
        a[i] = i * 2654435761u, b[i] = ~i * 40503u * 977;
    for (int sign = 0; sign < 2; sign++)
        for (int top = 0; top < 3; top++) {
            const int start = top ? 0x7fffffff - 100 : 7;
            if (sign)
                four<precision::s4><<<1, 32>>>(a, b, c, start, top == 2);
            else
                four<precision::u4><<<1, 32>>>(a, b, c, start, top == 2);
            wrong += cudaDeviceSynchronize() != cudaSuccess;
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) {
                    long long s = start;
                    for (int k = 0; k < 32; k++)
                        s += nibble(a, i * 32 + k, sign) * nibble(b, j * 32 + k, sign);
                    wrong += c[i * 8 + j] != (top == 2 && s > 0x7fffffff ? 0x7fffffff : (int)s);
                }
        }
    for (int both = 0; both < 2; both++) {
        bits<<<1, 32>>>(a, b, c, both);
        wrong += cudaDeviceSynchronize() != cudaSuccess;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int s = 5;
                for (int k = 0; k < 4; k++)
                    s += __builtin_popcount(both ? a[i * 4 + k] & b[j * 4 + k] : a[i * 4 + k] ^ b[j * 4 + k]);
                wrong += s != c[i * 8 + j];
            }
    }
    const signed char *x = (const signed char *)a, *y = (const signed char *)b;
    for (int satf = 0; satf < 2; satf++)
        for (int start : {-0x7fffffff, 3, 0x7ffffff0}) {
            bytes<<<1, 32>>>(x, y, c, start, satf);
            wrong += cudaDeviceSynchronize() != cudaSuccess;
            for (int i = 0; i < 16; i++)
                for (int j = 0; j < 16; j++) {
                    long long s = start;
                    for (int k = 0; k < 16; k++)
                        s += x[i * 16 + k] * y[j * 16 + k];
                    wrong += c[i * 16 + j] != (!satf ? (int)s : s > 0x7fffffff ? 0x7fffffff : s < -0x7fffffffll - 1 ? -0x7fffffff - 1 : (int)s);
                }
        }
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
