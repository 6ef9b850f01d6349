/* Products on Hopper's matrix instructions (wgmma, sm_90a): four warps together multiply tiles that lie in shared memory. A block has
 * two such groups and computes WGMMA_COLS columns by ROWS rows of the result: a group has 64 of the columns, and all rows.
 *
 * The result is stored by columns and the instruction's by rows, so its first operand is op(B)', its second op(A). Tiles are 128
 * bytes of k deep and lie in shared memory as the instruction wants them. ALONG (k is contiguous): a line of 128 bytes for each row;
 * else panels of 64 rows, with a line for each k. In both, chunk c (16 bytes) of line l is at c ^ l % 8.
 *
 * cp.async brings tiles STAGES - 2 steps ahead: while one stage is multiplied, the one before may still be read.
 *
 * PROMOTED: the instruction adds up products of fp8 with 14 bits, which loses percents where k is long. What a step (128 of k) comes to is then
 * added to the sums in float, as other devices have them. That takes registers for both, so ROWS is 128 at most. */
#pragma once
#include "device/blas/tensor.h"

enum { WGMMA_COLS = 128, WGMMA_THREADS = 256, WGMMA_DEPTH = 128 /* bytes */ };

/* ---- the instruction: as many registers as there are sums ---- */
#define WGMMA_FLOAT(x) "+f"(x)
#define WGMMA_INT(x) "+r"(x)
#define WGMMA_8(K, i) K(c[i]), K(c[i + 1]), K(c[i + 2]), K(c[i + 3]), K(c[i + 4]), K(c[i + 5]), K(c[i + 6]), K(c[i + 7])
#define WGMMA_16(K, i) WGMMA_8(K, i), WGMMA_8(K, i + 8)
#define WGMMA_32(K, i) WGMMA_16(K, i), WGMMA_16(K, i + 16)
#define WGMMA_48(K, i) WGMMA_32(K, i), WGMMA_16(K, i + 32)
#define WGMMA_64(K, i) WGMMA_32(K, i), WGMMA_32(K, i + 32)
#define WGMMA_80(K, i) WGMMA_64(K, i), WGMMA_16(K, i + 64)
#define WGMMA_96(K, i) WGMMA_64(K, i), WGMMA_32(K, i + 64)
#define WGMMA_112(K, i) WGMMA_96(K, i), WGMMA_16(K, i + 96)
#define WGMMA_128(K, i) WGMMA_64(K, i), WGMMA_64(K, i + 64)
#define WGMMA_NAMES_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_48 WGMMA_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_NAMES_64 WGMMA_NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_80 WGMMA_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_NAMES_96 WGMMA_NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES_112 WGMMA_NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WGMMA_NAMES_128 WGMMA_NAMES_112 ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/* WGMMA_TYPE(elements of the first and the second operand, of the sums; how the sums are given; k of an instruction; its types; what
 * follows the operands: signs, and for 16 bits which operands have k across). */
template <class P, class Q> struct wgmma_type;
#define WGMMA_CASE(X, K, rows, regs, depth, types, tail_a, tail_b, tail, extra)                    \
    template <int P_ACROSS, int Q_ACROSS>                                                          \
    static __device__ inline void multiply(X (&c)[regs], unsigned long long p, unsigned long long q) \
    {                                                                                              \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" #rows "k" #depth "." types " {" WGMMA_NAMES_##regs "}, %" #tail_a ", %" #tail_b ", 1" tail ";" \
                     : WGMMA_##regs(K, 0)                                                          \
                     : "l"(p), "l"(q) extra());                                                    \
    }
#define WGMMA_BOTH() , "n"(P_ACROSS), "n"(Q_ACROSS)
#define WGMMA_NONE()
#define WGMMA_WAYS(n, m) ", 1, 1, %" #n ", %" #m
#define WGMMA_SIGNS(n, m) ", 1, 1"
#define WGMMA_WHOLE(n, m) ""
#define WGMMA_TYPE(P, Q, X, K, depth, types, tail, extra)                                          \
    template <> struct wgmma_type<P, Q> {                                                          \
        typedef X sum;                                                                             \
        WGMMA_CASE(X, K, 64, 32, depth, types, 32, 33, tail(34, 35), extra)                        \
        WGMMA_CASE(X, K, 96, 48, depth, types, 48, 49, tail(50, 51), extra)                        \
        WGMMA_CASE(X, K, 128, 64, depth, types, 64, 65, tail(66, 67), extra)                       \
        WGMMA_CASE(X, K, 160, 80, depth, types, 80, 81, tail(82, 83), extra)                       \
        WGMMA_CASE(X, K, 192, 96, depth, types, 96, 97, tail(98, 99), extra)                       \
        WGMMA_CASE(X, K, 224, 112, depth, types, 112, 113, tail(114, 115), extra)                  \
        WGMMA_CASE(X, K, 256, 128, depth, types, 128, 129, tail(130, 131), extra)                  \
    };
WGMMA_TYPE(__half, __half, float, WGMMA_FLOAT, 16, "f32.f16.f16", WGMMA_WAYS, WGMMA_BOTH)
WGMMA_TYPE(__nv_bfloat16, __nv_bfloat16, float, WGMMA_FLOAT, 16, "f32.bf16.bf16", WGMMA_WAYS, WGMMA_BOTH)
WGMMA_TYPE(float, float, float, WGMMA_FLOAT, 8, "f32.tf32.tf32", WGMMA_SIGNS, WGMMA_NONE)
WGMMA_TYPE(signed char, signed char, int, WGMMA_INT, 32, "s32.s8.s8", WGMMA_WHOLE, WGMMA_NONE)
WGMMA_TYPE(__nv_fp8_e4m3, __nv_fp8_e4m3, float, WGMMA_FLOAT, 32, "f32.e4m3.e4m3", WGMMA_SIGNS, WGMMA_NONE)
WGMMA_TYPE(__nv_fp8_e4m3, __nv_fp8_e5m2, float, WGMMA_FLOAT, 32, "f32.e4m3.e5m2", WGMMA_SIGNS, WGMMA_NONE)
WGMMA_TYPE(__nv_fp8_e5m2, __nv_fp8_e4m3, float, WGMMA_FLOAT, 32, "f32.e5m2.e4m3", WGMMA_SIGNS, WGMMA_NONE)
WGMMA_TYPE(__nv_fp8_e5m2, __nv_fp8_e5m2, float, WGMMA_FLOAT, 32, "f32.e5m2.e5m2", WGMMA_SIGNS, WGMMA_NONE)

/* Until at most PENDING groups of copies are under way: what this thread has brought is seen by the instruction's way to memory, then
 * by all. */
template <int PENDING> __device__ inline void wgmma_await()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

/* What the instruction is told of a tile at an address of shared memory: lines are swizzled over 128 bytes; 8 of them are 1024 bytes
 * from the next 8; panels (where k is across) are `panel` bytes apart. */
__device__ inline unsigned long long tile_descriptor(unsigned at, int panel)
{
    return (unsigned long long)((at & 0x3ffff) >> 4) | (unsigned long long)(panel >> 4) << 16 | 64ull << 32 | 1ull << 62;
}
/* From one instruction's part of a tile to the next: 32 bytes of k along lines; across, 16 lines of 128 bytes. */
enum { WGMMA_NEXT_ALONG = 32 >> 4, WGMMA_NEXT_ACROSS = 16 * 128 >> 4 };

/* A tile of an operand: LINES rows from p on, of which `rows` are there, and 128 bytes of k, of which `deep` elements are there. */
template <class T, int LINES, bool ALONG> __device__ inline void bring_tile(unsigned tile, const T *p, long long apart, int rows, int deep)
{
    const int per = 16 / (int)sizeof(T), all = WGMMA_DEPTH / (int)sizeof(T);
    const int c = threadIdx.x % 8, first = threadIdx.x / 8, step = WGMMA_THREADS / 8;
    const int lines = ALONG ? rows : deep;
    /* Lines step apart have the same place of their chunks. */
    unsigned to_ = tile + first * 128 + ((c ^ first) & 7) * 16;
#pragma unroll
    for (int q = 0; q < (ALONG ? 1 : LINES / 64); q++) {
        const int left = (ALONG ? deep : rows - q * 64) - c * per, bytes = left <= 0 ? 0 : left < per ? left * (int)sizeof(T) : 16;
        const T *from = p + first * apart + q * 64 + c * per;
#pragma unroll
        for (int l = 0; l < (ALONG ? LINES : all); l += step) {
            const int valid = first + l < lines ? bytes : 0;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_), "l"(valid ? from : p), "r"(valid) : "memory");
            from += step * apart;
            to_ += step * 128;
        }
    }
}

/* One step's four instructions on tiles at addresses of shared memory; `sum` is as it was until they are awaited. */
template <class P, class Q, bool A_ALONG, bool B_ALONG, class X, int N> __device__ __forceinline__ void multiply_step(X (&sum)[N], unsigned b_tile, unsigned a_tile)
{
    const unsigned long long dp = tile_descriptor(b_tile, 8192), dq = tile_descriptor(a_tile, 8192);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; k++)
        wgmma_type<P, Q>::template multiply<!B_ALONG, !A_ALONG>(sum, dp + k * (B_ALONG ? WGMMA_NEXT_ALONG : WGMMA_NEXT_ACROSS), dq + k * (A_ALONG ? WGMMA_NEXT_ALONG : WGMMA_NEXT_ACROSS));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <class X, int N> __device__ __forceinline__ void clear_sums(X (&sum)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        sum[i] = X(0);
}

template <bool PROMOTED, class P, class Q, bool A_ALONG, bool B_ALONG, class X, int N> __device__ __forceinline__ void begin_step(X (&sum)[N], X (&part)[N], unsigned b_tile, unsigned a_tile)
{
    if (PROMOTED) {
        clear_sums(part);
        multiply_step<P, Q, A_ALONG, B_ALONG>(part, b_tile, a_tile);
    } else {
        multiply_step<P, Q, A_ALONG, B_ALONG>(sum, b_tile, a_tile);
    }
}

/* Awaits what was begun: all of it where sums are promoted, which then get the step's; else all but the last step, which had so many parts. */
template <bool PROMOTED, int PARTS = 1, class X, int N> __device__ __forceinline__ void await_step(X (&sum)[N], X (&part)[N])
{
    if (!PROMOTED) {
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PARTS) : "memory");
        return;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N; i++)
        sum[i] += part[i];
}

/* P: elements of B, Q: of A; F, C, S: as in finish. */
template <class Q, class P, class F, class C, class S, int ROWS, int STAGES, bool A_ALONG, bool B_ALONG, int EPILOGUE, bool PROMOTED = false>
__global__ __launch_bounds__(WGMMA_THREADS, 1) void wgmma_product(blas_product p)
{
    typedef typename wgmma_type<P, Q>::sum X;
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    const int BK = WGMMA_DEPTH / (int)sizeof(Q), P_BYTES = WGMMA_COLS * WGMMA_DEPTH, STAGE = P_BYTES + ROWS * WGMMA_DEPTH;
    const tile_place place = place_of_tile<ROWS, WGMMA_COLS>(p);
    const long long i0 = place.i, j0 = place.j;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + WGMMA_COLS - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
        return;
    const S alpha = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const Q *a = batch<const Q>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const P *b = batch<const P>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const long long a_step = BK * (A_ALONG ? 1 : a_apart), b_step = BK * (B_ALONG ? 1 : b_apart);
    const int rows = p.m - i0 < ROWS ? (int)(p.m - i0) : ROWS, cols = p.n - j0 < WGMMA_COLS ? (int)(p.n - j0) : WGMMA_COLS;
    int deep = is_zero(alpha) ? 0 : (int)p.k;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, group_of = threadIdx.x / 128;
    X sum[ROWS / 2], part[ROWS / 2];
    clear_sums(sum);
    const int count = (deep + BK - 1) / BK;
#define WGMMA_BRING(stage)                                                                         \
    if (deep > 0) {                                                                                \
        bring_tile<P, WGMMA_COLS, B_ALONG>(memory + (stage) * STAGE, b, b_apart, cols, deep);      \
        bring_tile<Q, ROWS, A_ALONG>(memory + (stage) * STAGE + P_BYTES, a, a_apart, rows, deep);  \
        a += a_step;                                                                               \
        b += b_step;                                                                               \
        deep -= BK;                                                                                \
    }                                                                                              \
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int s = 0; s < STAGES - 2; s++) {
        WGMMA_BRING(s)
    }
    int stage = 0, next = STAGES - 2;
    for (int step = 0; step < count; step++) {
        wgmma_await<STAGES - 3>(); /* all have done step - 2, too */
        const unsigned at = memory + stage * STAGE;
        begin_step<PROMOTED, P, Q, A_ALONG, B_ALONG>(sum, part, at + group_of * 64 * 128, at + P_BYTES);
        WGMMA_BRING(next)
        await_step<PROMOTED>(sum, part);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
#undef WGMMA_BRING
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    /* By way of shared memory: threads side by side write elements side by side. */
    const int LD = ROWS + 8;
    X *tile = (X *)(wgmma_memory + (memory - shared_address(wgmma_memory)));
    const int col = warp * 16 + (lane >> 2), row = (lane & 3) * 2;
#pragma unroll
    for (int i = 0; i < ROWS / 8; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            tile[(col + e * 8) * LD + row + i * 8] = sum[i * 4 + e * 2];
            tile[(col + e * 8) * LD + row + i * 8 + 1] = sum[i * 4 + e * 2 + 1];
        }
    __syncthreads();
    write_tile<F, C, X, S, EPILOGUE, ROWS, WGMMA_COLS, LD, WGMMA_THREADS>(p, tile, alpha, beta, i0, j0, z);
}
