/* Convolutions in two dimensions as products on Hopper's matrix instructions, whose tiles the copy engine gathers (im2col tensor maps), for
 * elements of 16 bits, and floats as TF32, with channels last; see implicit.h for what the two products are. As in blas/mapped.h, one thread of a group of
 * warps tells the engine, two more groups multiply. What lies outside of an image, or behind the last channel or place, is zero.
 *
 * Tap t of a dimension is `offset` places behind the corner that a map has for place 0: maps begin where the first tap in memory is. */
#pragma once
#include "device/blas/mapped.h"
#include "device/dnn/implicit.h"

__device__ inline void bring_gathered(unsigned to_, const CUtensorMap *map, unsigned barrier, int c, int x, int y, int n, int x_off, int y_off)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to_), "l"(map), "r"(barrier),
                 "r"(c), "r"(x), "r"(y), "r"(n), "h"((unsigned short)x_off), "h"((unsigned short)y_off)
                 : "memory");
}
__device__ inline int gathered_low(const dnn_implicit &p, int d) { return p.off[d] + (p.off_step[d] < 0 && p.taps[d] > 0 ? (p.taps[d] - 1) * p.off_step[d] : 0); }
__device__ inline int gathered_offset(const dnn_implicit &p, int d, int t) { return p.off_step[d] < 0 ? (t - p.taps[d] + 1) * p.off_step[d] : t * p.off_step[d]; }
/* Place m of the result, and where the copy engine begins. */
struct gathered_place {
    int n, y, x;
    __device__ gathered_place(const dnn_implicit &p, int m) : n(m / p.count[2] / p.count[1]), y(m / p.count[2] % p.count[1]), x(m % p.count[2]) {}
    __device__ int y_from(const dnn_implicit &p) const { return y * p.step[1] + gathered_low(p, 1); }
    __device__ int x_from(const dnn_implicit &p) const { return x * p.step[2] + gathered_low(p, 2); }
    __device__ long long at(const dnn_implicit &p) const
    {
        return n * p.y_step[0] + p.first[0] * p.y_step[2] + (p.first[1] + y * p.each[1]) * p.y_step[3] + (p.first[2] + x * p.each[2]) * p.y_step[4];
    }
};

/* x_map: 128 places by 64 channels; f_map: (channel, tap, row), 64 by 1 by ROWS, or, not ALONG, (row, tap, channel), 64 by 1 by 64; of
 * floats half as many channels, and ALONG. A result's channels lie side by side. Blocks stay, and go from tile to tile. */
template <class T, int ROWS, int STAGES, bool ALONG>
__global__ __launch_bounds__(MAPPED_THREADS, 1) void gathered_product(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap f_map, dnn_implicit p, T *y)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    const int P_BYTES = IMPLICIT_PLACES * WGMMA_DEPTH, STAGE = P_BYTES + ROWS * WGMMA_DEPTH;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u, full = shared_address(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const int total = p.images * p.count[1] * p.count[2], across = (p.rows + ROWS - 1) / ROWS, tiles = (total + IMPLICIT_PLACES - 1) / IMPLICIT_PLACES * across;
    const int DEPTH = WGMMA_DEPTH / (int)sizeof(T), chunks = (p.channels + DEPTH - 1) / DEPTH, steps = p.taps[0] * p.taps[1] * p.taps[2] * chunks, group = threadIdx.x / 128;
    int stage = 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        int parity = 1;
        if (threadIdx.x == 0)
            for (int tile = blockIdx.x; tile < tiles && steps; tile += gridDim.x) {
                const gathered_place at(p, tile / across * IMPLICIT_PLACES);
                const int from_x = at.x_from(p), from_y = at.y_from(p), j0 = tile % across * ROWS;
                for (int ty = 0; ty < p.taps[1]; ty++)
                    for (int tx = 0; tx < p.taps[2]; tx++) {
                        const int tap = (p.tap[1] + ty * p.tap_step[1]) * p.filter_taps[2] + p.tap[2] + tx * p.tap_step[2];
                        const int y_off = gathered_offset(p, 1, ty), x_off = gathered_offset(p, 2, tx);
                        for (int c = 0; c < p.channels; c += DEPTH) {
                            const unsigned to_ = memory + stage * STAGE, barrier = full + 8 * stage;
                            barrier_wait(empty + 8 * stage, parity);
                            barrier_expect(barrier, STAGE);
                            bring_gathered(to_, &x_map, barrier, c, from_x, from_y, at.n, x_off, y_off);
                            if (ALONG)
                                bring_box(to_ + P_BYTES, &f_map, barrier, c, tap, j0);
                            else
#pragma unroll
                                for (int q = 0; q < ROWS / 64; q++)
                                    bring_box(to_ + P_BYTES + q * 64 * WGMMA_DEPTH, &f_map, barrier, j0 + q * 64, tap, c);
                            if (++stage == STAGES) {
                                stage = 0;
                                parity ^= 1;
                            }
                        }
                    }
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5 & 3, own = ((int)__shfl_sync(0xffffffffu, group, 0) - 1) * 64;
    const float alpha = (float)p.alpha, beta = (float)p.beta;
    const bool wide = (((unsigned long long)y | (unsigned long long)(p.y_step[0] | p.y_step[3] | p.y_step[4]) * sizeof(T)) & 15) == 0;
    int parity = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float sum[ROWS / 2];
#pragma unroll
        for (int i = 0; i < ROWS / 2; i++)
            sum[i] = 0.f;
        int last = -1;
        for (int s = 0; s < steps; s++) {
            barrier_wait(full + 8 * stage, parity);
            const unsigned from = memory + stage * STAGE;
            const unsigned long long dp = tile_descriptor(from + own * WGMMA_DEPTH, 8192), dq = tile_descriptor(from + P_BYTES, 8192);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int k = 0; k < 4; k++)
                wgmma_type<T, T>::template multiply<0, !ALONG>(sum, dp + k * WGMMA_NEXT_ALONG, dq + k * (ALONG ? WGMMA_NEXT_ALONG : WGMMA_NEXT_ACROSS));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (last >= 0 && threadIdx.x % 128 == 0)
                barrier_arrive(empty + 8 * last);
            last = stage;
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (last >= 0 && threadIdx.x % 128 == 0)
            barrier_arrive(empty + 8 * last);
        const int i0 = tile % across * ROWS, m = tile / across * IMPLICIT_PLACES + own + warp * 16 + (lane >> 2), rows = p.rows - i0 < ROWS ? p.rows - i0 : ROWS;
        T *first = y + gathered_place(p, m).at(p) + i0, *second = y + gathered_place(p, m + 8).at(p) + i0;
        store_column<T, float, float, ROWS>(first, first, y, sum, alpha, beta, m < total ? rows : 0, rows, wide);
        store_column<T, float, float, ROWS>(second, second, y, sum + 2, alpha, beta, m + 8 < total ? rows : 0, rows, wide);
    }
}

/* x_map: 64 places by 64 channels, which are a multiple of 64; y_map: (channel, 1, place), 64 by 1 by 64. parts and steps: as implicit_filter's. */
template <class T, int ROWS, int STAGES>
__global__ __launch_bounds__(MAPPED_THREADS, 1) void gathered_filter(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap y_map, dnn_implicit p, int steps, float *parts)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    const int PANEL = 64 * WGMMA_DEPTH, P_BYTES = 2 * PANEL, STAGE = P_BYTES + ROWS * WGMMA_DEPTH;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u, full = shared_address(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const int columns = p.taps[0] * p.taps[1] * p.taps[2] * p.channels, across = (columns + ROWS - 1) / ROWS, j0 = (int)(blockIdx.x % across) * ROWS, k0 = (int)(blockIdx.x / across) * 128;
    const int total = p.images * p.count[1] * p.count[2], first = (int)blockIdx.y * steps, all = (total + IMPLICIT_DEPTH - 1) / IMPLICIT_DEPTH;
    const int count = all - first < steps ? (all > first ? all - first : 0) : steps, group = threadIdx.x / 128;
    int stage = 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        int parity = 1;
        if (threadIdx.x == 0)
            for (int s = 0; s < count; s++) {
                const gathered_place at(p, (first + s) * IMPLICIT_DEPTH);
                const unsigned to_ = memory + stage * STAGE, barrier = full + 8 * stage;
                barrier_wait(empty + 8 * stage, parity);
                barrier_expect(barrier, STAGE);
#pragma unroll
                for (int q = 0; q < 2; q++)
                    bring_box(to_ + q * PANEL, &y_map, barrier, k0 + q * 64, 0, (first + s) * IMPLICIT_DEPTH);
                for (int q = 0; q < ROWS / 64; q++) {
                    /* A panel behind the last tap has something, which is not stored. */
                    const int column = j0 + q * 64 < columns ? j0 + q * 64 : 0, tap = column / p.channels;
                    bring_gathered(to_ + P_BYTES + q * PANEL, &x_map, barrier, column % p.channels, at.x_from(p), at.y_from(p), at.n, gathered_offset(p, 2, tap % p.taps[2]),
                                   gathered_offset(p, 1, tap / p.taps[2]));
                }
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5 & 3, own = (int)__shfl_sync(0xffffffffu, group, 0) - 1;
    float sum[ROWS / 2];
#pragma unroll
    for (int i = 0; i < ROWS / 2; i++)
        sum[i] = 0.f;
    int parity = 0, last = -1;
    for (int s = 0; s < count; s++) {
        barrier_wait(full + 8 * stage, parity);
        const unsigned from = memory + stage * STAGE;
        const unsigned long long dp = tile_descriptor(from + own * PANEL, 8192), dq = tile_descriptor(from + P_BYTES, 8192);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
            wgmma_type<T, T>::template multiply<1, 1>(sum, dp + k * WGMMA_NEXT_ACROSS, dq + k * WGMMA_NEXT_ACROSS);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (last >= 0 && threadIdx.x % 128 == 0)
            barrier_arrive(empty + 8 * last);
        last = stage;
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    implicit_store_part<ROWS>(p, sum, columns, k0 + own * 64 + warp * 16 + (lane >> 2), j0 + (lane & 3) * 2, parts);
}
