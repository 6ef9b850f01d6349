/* Many small products of 16-bit floats on NVIDIA's matrix instructions (mma.sync, from sm_80 on): a block of four warps computes 64 by 64
 * elements of one matrix of the batch, and needs so little that a multiprocessor has many blocks, whose copies and products overlap.
 *
 * As in double.h the instruction's first operand is op(B)'. Tiles have 64 lines of 128 bytes as they lie in memory, chunk c of line l at
 * c ^ l % 8; ldmatrix reads them, turning those in which k is not contiguous. */
#pragma once
#include "device/blas/tensor.h"

enum { SMALL_TILE = 64, SMALL_THREADS = 128, SMALL_LINE = 128, SMALL_BYTES = SMALL_TILE * SMALL_LINE, SMALL_LD = SMALL_TILE + 4 };

/* A tile whose lines begin `apart` elements apart, of which `lines` by `length` elements are there. */
template <class T> __device__ inline void bring_small(unsigned tile, const T *p, long long apart, long long lines, long long length)
{
    const int c = threadIdx.x % 8, first = threadIdx.x / 8;
    const long long left = length - c * 8;
    const int bytes = left <= 0 ? 0 : left < 8 ? (int)left * 2 : 16;
#pragma unroll
    for (int l = 0; l < SMALL_TILE; l += SMALL_THREADS / 8) {
        const int line = first + l, valid = line < lines ? bytes : 0;
        const T *from = valid ? p + line * apart + c * 8 : p;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile + line * SMALL_LINE + ((c ^ line) & 7) * 16), "l"(from), "r"(valid) : "memory");
    }
}

/* Four 8 by 8 matrices. ALONG: line and chunk are of rows and k; else of k and rows. */
template <bool ALONG> __device__ inline void read_small(unsigned *r, unsigned tile, int line, int chunk)
{
    const unsigned at = tile + line * SMALL_LINE + ((chunk ^ line) & 7) * 16;
    if (ALONG)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

template <class T, class C, class S, bool A_ALONG, bool B_ALONG>
__global__ __launch_bounds__(SMALL_THREADS, 5) void small_product(blas_product p)
{
    __shared__ __align__(128) unsigned char memory[4 * SMALL_BYTES];
    const long long tiles = (p.m + SMALL_TILE - 1) / SMALL_TILE, i0 = blockIdx.x % tiles * SMALL_TILE, j0 = blockIdx.x / tiles * SMALL_TILE, z = blockIdx.y + p.first;
    const S alpha = scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const T *a = batch<const T>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const T *b = batch<const T>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const unsigned start = shared_address(memory);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, wc = warp % 2 * 32, wr = warp / 2 * 32, g = lane >> 2, t = lane & 3;
    float sum[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = 0;
    const int steps = is_zero(alpha) ? 0 : (int)((p.k + SMALL_TILE - 1) / SMALL_TILE);
    for (int s = -1; s < steps; s++) {
        if (s + 1 < steps) { /* the next tiles come while these are multiplied */
            const long long k0 = (s + 1) * (long long)SMALL_TILE;
            const unsigned at = start + (s + 1) % 2 * 2 * SMALL_BYTES;
            if (B_ALONG)
                bring_small(at, b + k0, b_apart, p.n - j0, p.k - k0);
            else
                bring_small(at, b + k0 * b_apart, b_apart, p.k - k0, p.n - j0);
            if (A_ALONG)
                bring_small(at + SMALL_BYTES, a + k0, a_apart, p.m - i0, p.k - k0);
            else
                bring_small(at + SMALL_BYTES, a + k0 * a_apart, a_apart, p.k - k0, p.m - i0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (s < 0)
            continue;
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const unsigned tb = start + s % 2 * 2 * SMALL_BYTES, ta = tb + SMALL_BYTES;
#pragma unroll
        for (int q = 0; q < SMALL_TILE / 16; q++) {
            unsigned fb[2][4], fa[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int c = wc + i * 16, r = wr + i * 16;
                if (B_ALONG)
                    read_small<true>(fb[i], tb, c + lane % 16, q * 2 + lane / 16);
                else
                    read_small<false>(fb[i], tb, q * 16 + lane / 16 * 8 + lane % 8, c / 8 + lane / 8 % 2);
                if (A_ALONG)
                    read_small<true>(fa[i], ta, r + lane / 16 * 8 + lane % 8, q * 2 + lane / 8 % 2);
                else
                    read_small<false>(fa[i], ta, q * 16 + lane / 8 % 2 * 8 + lane % 8, r / 8 + lane / 16);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    tensor_type<T>::mma(sum[i][j], fb[i], fa[j / 2] + j % 2 * 2);
        }
        __syncthreads();
    }
    float *tile = (float *)memory;
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                tile[(wc + i * 16 + g + e / 2 * 8) * SMALL_LD + wr + j * 8 + t * 2 + e % 2] = sum[i][j][e];
    __syncthreads();
    write_tile<C, C, float, S, 0, SMALL_TILE, SMALL_TILE, SMALL_LD, SMALL_THREADS>(p, tile, alpha, beta, i0, j0, z);
}
