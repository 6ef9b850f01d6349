// OPTIONS: -arch=sm_90a
// NOT ON: vulkan: it has less shared memory than this takes
// A matrix product as programs for Hopper write it: one warpgroup copies boxes of both factors by
// tensor maps into a ring in shared memory, two multiply from there. The numbers are small integers,
// whose sums are exact. Arguments: size, rounds.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"

__device__ uint32_t place(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ void init(uint64_t *bar, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(bar)), "r"(n));
}
__device__ void expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}
__device__ void arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(bar)) : "memory");
}
__device__ void wait(uint64_t *bar, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(
                     place(bar)),
                 "r"(parity)
                 : "memory");
}
__device__ void load(void *to, const CUtensorMap *map, uint64_t *bar, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(place(to)),
                 "l"(map), "r"(place(bar)), "r"(x), "r"(y)
                 : "memory");
}
__device__ uint64_t descriptor(const void *p)
{
    return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
                 "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
                 "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                 "%56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
                   "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),
                   "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),
                   "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),
                   "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),
                   "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
                   "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b));
}

constexpr int M = 128, N = 128, K = 64, STAGES = 3;
struct ring {
    __nv_bfloat16 a[STAGES][M * K], b[STAGES][N * K];
    uint64_t full[STAGES], empty[STAGES];
};
extern __shared__ __align__(1024) unsigned char memory[];

__global__ __launch_bounds__(384) void product(const __grid_constant__ CUtensorMap ma,
                                               const __grid_constant__ CUtensorMap mb, float *c, int n, int k)
{
    ring &s = *(ring *)memory;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&s.full[i], 1);
            init(&s.empty[i], 256);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    const int group = threadIdx.x / 128, row = blockIdx.y * M, column = blockIdx.x * N;
    int stage = 0, phase = group == 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            for (int i = 0; i < k; i += K) {
                wait(&s.empty[stage], phase);
                expect(&s.full[stage], (M + N) * K * 2);
                load(s.a[stage], &ma, &s.full[stage], i, row);
                load(s.b[stage], &mb, &s.full[stage], i, column);
                if (++stage == STAGES)
                    stage = 0, phase ^= 1;
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    const int half = group - 1;
    float d[64];
#pragma unroll
    for (int i = 0; i < 64; i++)
        d[i] = 0;
    for (int i = 0; i < k; i += K) {
        wait(&s.full[stage], phase);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int j = 0; j < K; j += 16)
            multiply(d, descriptor(&s.a[stage][half * 64 * K + j]), descriptor(&s.b[stage][j]));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        arrive(&s.empty[stage]);
        if (++stage == STAGES)
            stage = 0, phase ^= 1;
    }
    const int t = threadIdx.x % 128;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const int y = row + half * 64 + t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2);
        const int x = column + i / 4 * 8 + t % 4 * 2 + i % 2;
        c[(size_t)y * n + x] = d[i];
    }
}

static CUtensorMap encode(void *p, int rows, int k, int box)
{
    CUtensorMap map;
    const cuuint64_t dims[2] = {(cuuint64_t)k, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)k * 2};
    const cuuint32_t boxes[2] = {K, (cuuint32_t)box}, ones[2] = {1, 1};
    CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, dims, strides, boxes, ones,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static unsigned seed = 1;
static unsigned draw()
{
    return (seed = seed * 1664525u + 1013904223u) >> 12;
}

int main(int argc, char **argv)
{
    const char *devices = getenv("TERN_DEVICES");
    const int usual = devices && !strcmp(devices, "interp") ? 128 : 256; // one block takes it three seconds, four eleven
    const int n = argc > 1 ? atoi(argv[1]) : usual, k = argc > 1 ? n : 320, rounds = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<__nv_bfloat16> a((size_t)n * k), b((size_t)n * k);
    for (auto *v : {&a, &b})
        for (auto &x : *v)
            x = __float2bfloat16((float)((int)(draw() % 7) - 3));
    __nv_bfloat16 *da, *db;
    float *dc, ms = 0;
    CUDA(cudaMalloc(&da, a.size() * 2));
    CUDA(cudaMalloc(&db, b.size() * 2));
    CUDA(cudaMalloc(&dc, (size_t)n * n * 4));
    CUDA(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    const CUtensorMap ma = encode(da, n, k, M), mb = encode(db, n, k, N);
    const int bytes = sizeof(ring);
    CUDA(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    const int warm = rounds > 1;
    for (int i = 0; i < rounds + warm; i++) {
        if (i == warm)
            CUDA(cudaEventRecord(begin));
        product<<<dim3(n / N, n / M), 384, bytes>>>(ma, mb, dc, n, k);
    }
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    if (warm)
        printf("%d: %.1f us, %.1f TFLOP/s\n", n, ms / rounds * 1000, 2.0 * n * n * k / (ms / rounds * 1e9));
    std::vector<float> c((size_t)n * n);
    CUDA(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2000; i++) {
        const int row = (int)(draw() % n), column = (int)(draw() % n);
        double want = 0;
        for (int j = 0; j < k; j++)
            want += (double)__bfloat162float(a[(size_t)row * k + j]) * __bfloat162float(b[(size_t)column * k + j]);
        CHECK(c[(size_t)row * n + column] == (float)want);
    }
    printf("ok\n");
    return 0;
}
