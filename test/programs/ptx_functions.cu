// OPTIONS: -arch=sm_90
// LONG ON: vulkan: the same kernels as on the cpu, which is quicker
// cuda::ptx: a copy in bulk that a barrier waits for, one back, reductions on the way, blocks of a cluster
// that store into each other, and what needs no memory.
#include <cuda/ptx>
#include <cuda/barrier>
#include "check.h"

namespace ptx = cuda::ptx;
enum { THREADS = 64, COUNT = 256 };

__global__ void there_and_back(const int *in, int *out, int *sums)
{
    __shared__ alignas(128) int room[COUNT];
    __shared__ uint64_t bar;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, THREADS);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    uint64_t token;
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, room, in, sizeof room, &bar);
        token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof room);
    } else {
        token = ptx::mbarrier_arrive(&bar);
    }
    while (!ptx::mbarrier_try_wait(&bar, token))
        ;
    for (int i = t; i < COUNT; i += THREADS)
        room[i] = room[i] * 2 + 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, room, sizeof room);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, room, (uint32_t)sizeof room);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    // The barrier's second phase, by its parity.
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 1))
        ;
    if (t == 0)
        ptx::mbarrier_inval(&bar);
}

// Each of two blocks stores into the other's memory and waits for what it gets itself.
__global__ void __cluster_dims__(2, 1, 1) each_other(int *out)
{
    __shared__ int got[4];
    __shared__ uint32_t sum;
    __shared__ uint64_t bar;
    const unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        sum = 100;
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, 20);
        int *there;
        uint32_t *its_sum;
        uint64_t *its_bar;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(got), "r"(1 - rank));
        asm("mapa.u64 %0, %1, %2;" : "=l"(its_sum) : "l"(&sum), "r"(1 - rank));
        asm("mapa.u64 %0, %1, %2;" : "=l"(its_bar) : "l"(&bar), "r"(1 - rank));
        const int four[4] = {(int)rank * 10, (int)rank * 10 + 1, (int)rank * 10 + 2, (int)rank * 10 + 3};
        ptx::st_async(there, four, its_bar);
        ptx::red_async(ptx::op_add, its_sum, rank + 5, its_bar);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
            ;
        for (int i = 0; i < 4; i++)
            out[rank * 8 + i] = got[i];
        out[rank * 8 + 4] = sum;
        out[rank * 8 + 5] = ptx::getctarank(ptx::space_cluster, there);
        out[rank * 8 + 6] = ptx::get_sreg_cluster_nctarank();
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

__global__ void plain(int *out, unsigned long long *wide)
{
    const int t = threadIdx.x;
    out[t] = ptx::get_sreg_tid_x() + 100 * ptx::get_sreg_ctaid_x() + 1000 * ptx::get_sreg_laneid();
    bool inside;
    out[64 + t] = ptx::shfl_sync_up(t, inside, 3, 0, 0xffffffffu) * 10 + inside;
    out[128 + t] = ptx::shfl_sync_idx(t, 7, 31, 0xffffffffu);
    if (t == 0) {
        out[192] = ptx::bfind(0x1000u) + 100 * ptx::bfind(-2) + 10000 * ptx::bfind_shiftamt(1ull << 40);
        out[193] = (int)ptx::bmsk_clamp(4, 8);
        out[194] = (int)ptx::prmt(0x33221100, 0x77665544, 0x7531);
        out[195] = ptx::shr(-16, 40) + ptx::shl(1, 33);
        out[196] = (int)ptx::prmt_rc8(0x33221100u, 0u, 2);
        wide[0] = ptx::shl(1ull, 40) | ptx::shr(0x100ull, 4);
        wide[1] = ptx::get_sreg_clock64() != 0;
        ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu);
        ptx::fence(ptx::sem_sc, ptx::scope_sys);
        ptx::fence(ptx::sem_acquire, ptx::scope_cluster);
        ptx::st(ptx::space_global, out + 197, ptx::ld_L1_no_allocate(ptx::space_global, out + 193) + 1);
    }
    const bool one = ptx::elect_sync(~0u);
    out[200 + t / 32] = __popc(__ballot_sync(~0u, one));
    if (t == 33)
        ptx::exit();
    if (t >= 32)
        out[210 + t] = 1;
}

int main()
{
    int *in, *out, *sums;
    unsigned long long *wide;
    CUDA(cudaMallocManaged(&in, COUNT * 4));
    CUDA(cudaMallocManaged(&out, 512 * 4));
    CUDA(cudaMallocManaged(&sums, COUNT * 4));
    CUDA(cudaMallocManaged(&wide, 16));
    for (int i = 0; i < COUNT; i++)
        in[i] = i * 7, sums[i] = 1000;
    there_and_back<<<1, THREADS>>>(in, out, sums);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == i * 14 + 1 && sums[i] == 1000 + i * 14 + 1);

    each_other<<<2, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < 4; i++)
            CHECK(out[r * 8 + i] == (1 - r) * 10 + i);
        CHECK(out[r * 8 + 4] == 100 + (1 - r) + 5 && out[r * 8 + 5] == 1 - r && out[r * 8 + 6] == 2);
    }

    for (int i = 0; i < 512; i++)
        out[i] = 0;
    plain<<<1, 64>>>(out, wide);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        const int lane = t % 32;
        CHECK(out[t] == t + 1000 * lane);
        CHECK(out[64 + t] == (lane >= 3 ? (t - 3) * 10 + 1 : t * 10));
        CHECK(out[128 + t] == t - lane + 7);
        CHECK(t < 32 || out[210 + t] == (t != 33));
    }
    CHECK(out[192] == 12 + 100 * 0 + 10000 * 23);
    CHECK(out[193] == 0xff0 && out[194] == 0x77553311 && out[195] == -1 && out[196] == 0x22222222 && out[197] == 0xff1);
    CHECK(wide[0] == (1ull << 40 | 0x10) && wide[1] == 1);
    CHECK(out[200] == 1 && out[201] == 1);
    puts("ok");
}
