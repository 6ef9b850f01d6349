// OPTIONS: -arch=sm_90a
// LONG ON: vulkan: a software GPU takes minutes for it
// Bulk copies: plain ones, boxes of tensors of 1 to 5 dimensions by tensor maps, with every swizzle,
// over the tensor's edges, to and from shared memory, sums in memory; and barriers that count bytes.
// Argument: the number of one case.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

__device__ uint32_t place(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void wait(uint64_t *bar, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(
                     place(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ void begin(uint64_t *bar)
{
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}

__device__ void expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}

enum { BYTES = 16384, BAR = BYTES - 64 }; /* of shared memory; the barrier in it */
extern __shared__ __align__(1024) uint8_t memory[];

#define LOAD(n, coordinates, ...)                                                                                      \
    asm volatile("cp.async.bulk.tensor." n ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"                 \
                 " [%0], [%1, {" coordinates "}], [%2];" ::"r"(place(memory)),                                         \
                 "l"(&map), "r"(place(&bar)), __VA_ARGS__                                                              \
                 : "memory")
#define STORE(what, n, op, coordinates, ...)                                                                           \
    asm volatile(what ".async.bulk.tensor." n ".global.shared::cta" op ".tile.bulk_group [%1, {" coordinates           \
                      "}], [%0];" ::"r"(place(memory)),                                                                \
                 "l"(&map), __VA_ARGS__                                                                                \
                 : "memory")

/* A box to shared memory, and what lies there to out. */
__global__ void load(const __grid_constant__ CUtensorMap map, int rank, int c0, int c1, int c2, int c3, int c4,
                     int bytes, uint8_t *out)
{
    uint64_t &bar = *(uint64_t *)(memory + BAR);
    begin(&bar);
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        expect(&bar, bytes);
        switch (rank) {
        case 1: LOAD("1d", "%3", "r"(c0)); break;
        case 2: LOAD("2d", "%3, %4", "r"(c0), "r"(c1)); break;
        case 3: LOAD("3d", "%3, %4, %5", "r"(c0), "r"(c1), "r"(c2)); break;
        case 4: LOAD("4d", "%3, %4, %5, %6", "r"(c0), "r"(c1), "r"(c2), "r"(c3)); break;
        case 5: LOAD("5d", "%3, %4, %5, %6, %7", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)); break;
        }
    }
    wait(&bar, 0);
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        out[i] = memory[i];
}

/* in to shared memory, and the box from there; how: 0 copies, 1 adds. */
__global__ void store(const __grid_constant__ CUtensorMap map, int rank, int how, int c0, int c1, int c2, int bytes,
                      const uint8_t *in)
{
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        memory[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        if (rank == 1 && !how)
            STORE("cp", "1d", "", "%2", "r"(c0));
        else if (rank == 2 && !how)
            STORE("cp", "2d", "", "%2, %3", "r"(c0), "r"(c1));
        else if (rank == 3 && !how)
            STORE("cp", "3d", "", "%2, %3, %4", "r"(c0), "r"(c1), "r"(c2));
        else if (rank == 2)
            STORE("cp.reduce", "2d", ".add", "%2, %3", "r"(c0), "r"(c1));
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* Plain copies there, a sum and back; twice, so that the barrier has two phases. */
__global__ void plain(const uint32_t *in, uint32_t *out, uint32_t *sums, int n)
{
    uint64_t &bar = *(uint64_t *)(memory + BAR);
    uint32_t *words = (uint32_t *)memory;
    begin(&bar);
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0) {
            expect(&bar, 4 * n);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             place(words)),
                         "l"(in + round * n), "r"(4 * n), "r"(place(&bar))
                         : "memory");
        }
        wait(&bar, round);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            words[i] += 1;
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + round * n),
                         "r"(place(words)), "r"(4 * n)
                         : "memory");
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums),
                         "r"(place(words)), "r"(4 * n)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- the host's side ---- */
struct tensor {
    CUtensorMapDataType type;
    uint32_t size; /* of an element */
    uint32_t rank;
    cuuint64_t dims[5], strides[4];
    cuuint32_t box[5], steps[5];
    CUtensorMapSwizzle swizzle;
    int at[5];
};

static uint8_t *device_tensor, *device_box;
static std::vector<uint8_t> tensor_bytes(1 << 20), box_bytes, got;

static size_t box_size(const tensor &t)
{
    size_t n = t.size;
    for (uint32_t k = 0; k < t.rank; k++)
        n *= (t.box[k] + t.steps[k] - 1) / t.steps[k];
    return n;
}

static CUtensorMap encode(const tensor &t)
{
    CUtensorMap map;
    CHECK(cuTensorMapEncodeTiled(&map, t.type, t.rank, device_tensor, t.dims, t.strides, t.box, t.steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

/* Calls f(place in the box, place in the tensor or -1) for each element. */
template <typename F> static void each(const tensor &t, F f)
{
    uint32_t count[5], n = 1;
    for (uint32_t k = 0; k < 5; k++) {
        count[k] = k < t.rank ? (t.box[k] + t.steps[k] - 1) / t.steps[k] : 1;
        n *= count[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        long long at = 0;
        uint32_t rest = i;
        bool inside = true;
        for (uint32_t k = 0; k < t.rank; k++) {
            const long long c = t.at[k] + (long long)(rest % count[k] * t.steps[k]);
            rest /= count[k];
            inside = inside && c >= 0 && c < (long long)t.dims[k];
            at += c * (long long)(k ? t.strides[k - 1] : t.size);
        }
        const uint32_t line = i * t.size, bits = (1u << t.swizzle) - 1;
        f(line ^ (line >> 7 & bits) << 4, inside ? at : -1);
    }
}

static void fill(std::vector<uint8_t> &v, unsigned seed)
{
    for (auto &b : v)
        b = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
}

static int only = -1, current; /* which one to check; -1: all */
static bool skipped(const char *name)
{
    const bool skip = only >= 0 && only != current++;
    if (only >= 0 && !skip)
        printf("%s\n", name);
    return skip;
}

static void check_load(const tensor &t, const char *name)
{
    if (skipped(name))
        return;
    const size_t bytes = box_size(t);
    const CUtensorMap map = encode(t);
    got.assign(bytes, 0xee);
    CUDA(cudaMemcpy(device_box, got.data(), bytes, cudaMemcpyHostToDevice));
    load<<<1, 128, BYTES>>>(map, t.rank, t.at[0], t.at[1], t.at[2], t.at[3], t.at[4], (int)bytes, device_box);
    CUDA(cudaMemcpy(got.data(), device_box, bytes, cudaMemcpyDeviceToHost));
    each(t, [&](uint32_t box, long long at) {
        for (uint32_t b = 0; b < t.size; b++) {
            const uint8_t want = at < 0 ? 0 : tensor_bytes[(size_t)at + b];
            if (got[box + b] != want) {
                printf("%s: byte %u of the box is %u, not %u\n", name, box + b, got[box + b], want);
                exit(1);
            }
        }
    });
}

static void check_store(const tensor &t, const char *name, bool add)
{
    if (skipped(name))
        return;
    const size_t bytes = box_size(t);
    const CUtensorMap map = encode(t);
    box_bytes.assign(bytes, 0);
    fill(box_bytes, 77);
    std::vector<uint8_t> want = tensor_bytes, after(tensor_bytes.size());
    each(t, [&](uint32_t box, long long at) {
        if (at < 0)
            return;
        if (add) {
            uint32_t x, y;
            memcpy(&x, &want[(size_t)at], 4);
            memcpy(&y, &box_bytes[box], 4);
            x += y;
            memcpy(&want[(size_t)at], &x, 4);
        } else {
            memcpy(&want[(size_t)at], &box_bytes[box], t.size);
        }
    });
    CUDA(cudaMemcpy(device_box, box_bytes.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_tensor, tensor_bytes.data(), tensor_bytes.size(), cudaMemcpyHostToDevice));
    store<<<1, 128, BYTES>>>(map, t.rank, add, t.at[0], t.at[1], t.at[2], (int)bytes, device_box);
    CUDA(cudaMemcpy(after.data(), device_tensor, after.size(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < want.size(); i++)
        if (after[i] != want[i]) {
            printf("%s: byte %zu of the tensor is %u, not %u\n", name, i, after[i], want[i]);
            exit(1);
        }
    CUDA(cudaMemcpy(device_tensor, tensor_bytes.data(), tensor_bytes.size(), cudaMemcpyHostToDevice));
}

static void check_plain()
{
    if (skipped("plain copies"))
        return;
    const int n = 1024;
    std::vector<uint32_t> in(2 * n), out(2 * n), sums(n, 5);
    for (int i = 0; i < 2 * n; i++)
        in[i] = (uint32_t)i * 2654435761u;
    uint32_t *a, *b, *c;
    CUDA(cudaMalloc(&a, 8 * n));
    CUDA(cudaMalloc(&b, 8 * n));
    CUDA(cudaMalloc(&c, 4 * n));
    CUDA(cudaMemcpy(a, in.data(), 8 * n, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(c, sums.data(), 4 * n, cudaMemcpyHostToDevice));
    plain<<<1, 96, BYTES>>>(a, b, c, n);
    CUDA(cudaMemcpy(out.data(), b, 8 * n, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sums.data(), c, 4 * n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        CHECK(out[i] == in[i] + 1 && out[n + i] == in[n + i] + 1);
        CHECK(sums[i] == 5 + in[i] + 1 + in[n + i] + 1);
    }
}

static void check_refused()
{
    CUtensorMap map;
    const cuuint64_t dims[2] = {64, 64}, strides[1] = {128}, odd[1] = {120};
    const cuuint32_t box[2] = {32, 32}, large[2] = {32, 257}, narrow[2] = {4, 4}, ones[2] = {1, 1};
#define ENCODE(address, stride, box, swizzle)                                                                          \
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, dims, stride, box, ones,                 \
                           CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,                    \
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    CHECK(ENCODE(device_tensor, strides, box, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_SUCCESS);
    CHECK(ENCODE(device_tensor + 8, strides, box, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(device_tensor, odd, box, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(device_tensor, strides, large, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(device_tensor, strides, narrow, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(device_tensor, strides, box, CU_TENSOR_MAP_SWIZZLE_32B) == CUDA_ERROR_INVALID_VALUE);
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault, &found));
    CHECK(f && found == cudaDriverEntryPointSuccess);
    CUDA(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault)); /* what it is told is nobody's concern */
}

int main(int argc, char **argv)
{
    only = argc > 1 ? atoi(argv[1]) : -1;
    CUDA(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    CUDA(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    CUDA(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    CUDA(cudaMalloc(&device_tensor, tensor_bytes.size()));
    CUDA(cudaMalloc(&device_box, BYTES));
    fill(tensor_bytes, 3);
    CUDA(cudaMemcpy(device_tensor, tensor_bytes.data(), tensor_bytes.size(), cudaMemcpyHostToDevice));
    const auto BF16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const auto F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    const auto U32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    const auto U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
    const auto F64 = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                           CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
    static const cuuint32_t wide[] = {64, 16, 32, 64}; /* elements of two bytes in a row of the swizzle */
    for (int s = 0; s < 4; s++) {
        tensor t = {BF16, 2, 2, {200, 100}, {416}, {wide[s], 40}, {1, 1}, swizzles[s], {16, 7}};
        check_load(t, "2d");
        t.at[0] = -8, t.at[1] = -5;
        check_load(t, "2d before the beginning");
        t.at[0] = 160, t.at[1] = 80;
        check_load(t, "2d over the end");
        check_store(t, "2d over the end", false);
        t.at[0] = 24, t.at[1] = 11; /* a GPU takes rows from whole 16 bytes on, or dies */
        check_load(t, "2d inside");
        check_store(t, "2d inside", false);
    }
    check_load({U8, 1, 1, {5000}, {}, {256}, {1}, swizzles[0], {4800}}, "1d");
    check_store({F32, 4, 1, {5000}, {}, {200}, {1}, swizzles[0], {4900}}, "1d", false);
    check_load({F32, 4, 3, {40, 20, 10}, {160, 3200}, {8, 5, 3}, {1, 1, 1}, swizzles[0], {36, 17, 8}}, "3d");
    check_load({F32, 4, 3, {40, 20, 10}, {160, 3200}, {32, 8, 3}, {1, 1, 1}, swizzles[3], {4, -2, 8}}, "3d swizzled");
    check_store({F32, 4, 3, {40, 20, 10}, {160, 3200}, {8, 5, 3}, {1, 1, 1}, swizzles[0], {36, 17, 8}}, "3d", false);
    check_load({F64, 8, 4, {10, 6, 5, 4}, {80, 480, 2400}, {4, 3, 2, 2}, {1, 1, 1, 1}, swizzles[0], {2, 1, 3, 3}}, "4d");
    check_load({BF16, 2, 5, {24, 6, 5, 4, 3}, {48, 288, 1440, 5760}, {8, 3, 2, 2, 2}, {1, 1, 1, 1, 1}, swizzles[0],
                {16, 4, 3, 2, 2}}, "5d");
    check_load({F32, 4, 2, {64, 64}, {256}, {16, 16}, {1, 2}, swizzles[0], {8, 3}}, "2d by steps");
    check_store({U32, 4, 2, {64, 64}, {256}, {16, 16}, {1, 1}, swizzles[0], {56, 3}}, "2d sums", true);
    check_store({U32, 4, 2, {64, 64}, {256}, {32, 16}, {1, 1}, swizzles[3], {40, 3}}, "2d sums swizzled", true);
    check_plain();
    check_refused();
    printf("ok\n");
    return 0;
}
