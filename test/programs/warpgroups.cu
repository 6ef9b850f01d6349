// OPTIONS: -arch=sm_90a
// LONG ON: interp: it takes eighteen seconds for it; pipelined_product multiplies in this way too
// LONG ON: vulkan: a software GPU takes minutes for it
// Matrices that four warps multiply from shared memory (wgmma): every type, A from memory or from
// registers, both orders of both factors, every swizzle. The numbers are small integers, whose sums
// are exact in any order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define D32(k)                                                                                     \
    k(d[0]), k(d[1]), k(d[2]), k(d[3]), k(d[4]), k(d[5]), k(d[6]), k(d[7]), k(d[8]), k(d[9]),      \
        k(d[10]), k(d[11]), k(d[12]), k(d[13]), k(d[14]), k(d[15]), k(d[16]), k(d[17]), k(d[18]),  \
        k(d[19]), k(d[20]), k(d[21]), k(d[22]), k(d[23]), k(d[24]), k(d[25]), k(d[26]), k(d[27]),  \
        k(d[28]), k(d[29]), k(d[30]), k(d[31])
#define D16(k)                                                                                     \
    k(d[0]), k(d[1]), k(d[2]), k(d[3]), k(d[4]), k(d[5]), k(d[6]), k(d[7]), k(d[8]), k(d[9]),      \
        k(d[10]), k(d[11]), k(d[12]), k(d[13]), k(d[14]), k(d[15])
#define LIST32                                                                                     \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "  \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define LIST16 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

/* 32 registers: A by descriptor is %32, B %33, add %34; in registers A is %32 to %35, B %36, add %37 */
#define MEMORY32(shape, types, c, rest)                                                            \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                                       \
                 "wgmma.mma_async.sync.aligned." shape "." types " " LIST32 ", %32, %33, p" rest     \
                 ";\n}\n"                                                                          \
                 : D32("+" c)                                                                      \
                 : "l"(a), "l"(b), "r"(add))
#define HELD32(shape, types, c, rest)                                                              \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                       \
                 "wgmma.mma_async.sync.aligned." shape "." types " " LIST32                         \
                 ", {%32, %33, %34, %35}, %36, p" rest ";\n}\n"                                     \
                 : D32("+" c)                                                                      \
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b), "r"(add))
#define MEMORY16(shape, types, rest)                                                               \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"                                       \
                 "wgmma.mma_async.sync.aligned." shape "." types " " LIST16 ", %16, %17, p" rest     \
                 ";\n}\n"                                                                          \
                 : D16("+r")                                                                       \
                 : "l"(a), "l"(b), "r"(add))

enum { F16, F16_HALF, BF16, TF32, E4E4, E4E5, E5E4, E5E5, E4_HALF, E5_HALF, S8S8, S8U8, U8S8, U8U8, B1 };

__device__ uint32_t place(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

struct job {
    int type, held, across_a, across_b, swizzle, negate;
};

/* bytes of an element, elements of 32 bytes */
__host__ __device__ int width(int type)
{
    return type <= BF16 ? 2 : type == TF32 ? 4 : 1;
}

/* Where byte `byte` of row `row` lies; across: elements of 2 bytes, rows are contiguous. */
__device__ int offset(int swizzle, bool across, int row, int byte)
{
    static const int spans[] = {16, 128, 64, 32};
    const int span = spans[swizzle];
    int at;
    if (!across) {
        at = row % 8 * span + row / 8 * (8 * span);
        at += swizzle ? byte : byte / 16 * 1024 + byte % 16;
    } else {
        const int k = byte / 2, along = row * 2 + byte % 2;
        at = along % span + k % 8 * span;
        at += swizzle ? along / span * (16 * span) + k / 8 * (8 * span)
                      : along / 16 * 128 + k / 8 * 1024;
    }
    const int bits[] = {0, 7, 3, 1};
    return at ^ (at >> 7 & bits[swizzle]) << 4;
}

__device__ uint64_t descriptor(const void *p, int swizzle, bool across)
{
    static const int spans[] = {16, 128, 64, 32};
    const int span = spans[swizzle];
    uint64_t lead, stride;
    if (!across) {
        lead = swizzle ? 16 : 1024;
        stride = 8 * span;
    } else {
        lead = swizzle ? 16 * span : 1024;
        stride = swizzle ? 8 * span : 128;
    }
    return (uint64_t)(place(p) & 0x3ffff) >> 4 | (lead >> 4) << 16 | (stride >> 4) << 32 |
           (uint64_t)swizzle << 62;
}

#define FORMS(shape, types, c)                                                                     \
    if (j.held && j.across_b)                                                                      \
        HELD32(shape, types, c, ", 1, 1, 1");                                                      \
    else if (j.held)                                                                               \
        HELD32(shape, types, c, ", 1, 1, 0");                                                      \
    else if (j.across_a && j.across_b)                                                             \
        MEMORY32(shape, types, c, ", 1, 1, 1, 1");                                                 \
    else if (j.across_a)                                                                           \
        MEMORY32(shape, types, c, ", 1, 1, 1, 0");                                                 \
    else if (j.across_b)                                                                           \
        MEMORY32(shape, types, c, ", 1, 1, 0, 1");                                                 \
    else if (j.negate)                                                                             \
        MEMORY32(shape, types, c, ", -1, 1, 0, 0");                                                \
    else                                                                                           \
        MEMORY32(shape, types, c, ", 1, 1, 0, 0")
#define PLAIN(shape, types, c, rest)                                                               \
    if (j.held)                                                                                    \
        HELD32(shape, types, c, rest);                                                             \
    else                                                                                           \
        MEMORY32(shape, types, c, rest)

template <int type> __device__ void run(const job &j, uint64_t a, uint64_t b, const uint32_t *r, float (&d)[32])
{
    for (int add = 0; add < 2; add++) { /* twice: D = 2 A B */
        if constexpr (type == F16) {
            FORMS("m64n64k16", "f32.f16.f16", "f");
        } else if constexpr (type == BF16) {
            FORMS("m64n64k16", "f32.bf16.bf16", "f");
        } else if constexpr (type == TF32) {
            PLAIN("m64n64k8", "f32.tf32.tf32", "f", ", 1, 1");
        } else if constexpr (type == E4E4) {
            PLAIN("m64n64k32", "f32.e4m3.e4m3", "f", ", 1, 1");
        } else if constexpr (type == E4E5) {
            PLAIN("m64n64k32", "f32.e4m3.e5m2", "f", ", 1, 1");
        } else if constexpr (type == E5E4) {
            PLAIN("m64n64k32", "f32.e5m2.e4m3", "f", ", 1, 1");
        } else if constexpr (type == E5E5) {
            PLAIN("m64n64k32", "f32.e5m2.e5m2", "f", ", 1, 1");
        }
    }
}

template <int type> __device__ void run(const job &j, uint64_t a, uint64_t b, const uint32_t *r, uint32_t (&d)[32])
{
    for (int add = 0; add < 2; add++) {
        if constexpr (type == F16_HALF) {
            if (j.across_b)
                MEMORY16("m64n64k16", "f16.f16.f16", ", 1, 1, 0, 1");
            else
                MEMORY16("m64n64k16", "f16.f16.f16", ", 1, 1, 0, 0");
        } else if constexpr (type == E4_HALF) {
            MEMORY16("m64n64k32", "f16.e4m3.e4m3", ", 1, 1");
        } else if constexpr (type == E5_HALF) {
            MEMORY16("m64n64k32", "f16.e5m2.e4m3", ", 1, 1");
        } else if constexpr (type == S8S8) {
            PLAIN("m64n64k32", "s32.s8.s8", "r", "");
        } else if constexpr (type == S8U8) {
            PLAIN("m64n64k32", "s32.s8.u8", "r", "");
        } else if constexpr (type == U8S8) {
            PLAIN("m64n64k32", "s32.u8.s8", "r", "");
        } else if constexpr (type == U8U8) {
            PLAIN("m64n64k32", "s32.u8.u8", "r", "");
        } else if constexpr (type == B1) {
            PLAIN("m64n64k256", "s32.b1.b1.and.popc", "r", "");
        }
    }
}

extern __shared__ __align__(1024) uint8_t memory[];

/* a and b are 64 rows of 32 bytes. */
template <int type, typename D>
__global__ void product(job j, const uint8_t *a, const uint8_t *b, D *out)
{
    uint8_t *sa = memory, *sb = memory + 8192;
    const int t = threadIdx.x, w = width(type);
    for (int i = t; i < 64 * 32; i += 128) {
        const int row = i / 32, byte = i % 32;
        /* across: the byte of an element goes along the row */
        const int ka = j.across_a ? byte / w * w : byte;
        const int kb = j.across_b ? byte / w * w : byte;
        const int fix_a = j.across_a ? byte % w : 0, fix_b = j.across_b ? byte % w : 0;
        sa[offset(j.swizzle, j.across_a, row, ka) + fix_a] = a[i];
        sb[offset(j.swizzle, j.across_b, row, kb) + fix_b] = b[i];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint32_t r[4];
    for (int i = 0; i < 4; i++) {
        const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i % 2), byte = t % 4 * 4 + 16 * (i / 2);
        memcpy(&r[i], a + row * 32 + byte, 4);
    }
    D d[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        d[i] = (D)12345;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    run<type>(j, descriptor(sa, j.swizzle, j.across_a), descriptor(sb, j.swizzle, j.across_b), r, d);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 32; i++)
        out[t * 32 + i] = d[i];
}

static double number(int type, bool second, const uint8_t *p)
{
    uint32_t w = 0;
    memcpy(&w, p, width(type));
    switch (type) {
    case F16:
    case F16_HALF: return __half2float(__ushort_as_half((unsigned short)w));
    case BF16: return __bfloat162float(__ushort_as_bfloat16((unsigned short)w));
    case TF32: {
        float f;
        memcpy(&f, &w, 4);
        return f;
    }
    case S8S8: return (int8_t)w;
    case U8U8: return (uint8_t)w;
    case S8U8: return second ? (double)(uint8_t)w : (double)(int8_t)w;
    case U8S8: return second ? (double)(int8_t)w : (double)(uint8_t)w;
    }
    const bool e5 = type == E5E5 || (type == E4E5 && second) || (type == E5E4 && !second) || (type == E5_HALF && !second);
    const int sign = w >> 7, e = e5 ? w >> 2 & 31 : w >> 3 & 15, m = e5 ? w & 3 : w & 7;
    const double f = e5 ? (4 + m) / 4.0 : (8 + m) / 8.0;
    double v = e ? f : f - 1;
    for (int i = e ? e : 1; i < (e5 ? 15 : 7); i++)
        v /= 2;
    for (int i = e5 ? 15 : 7; i < e; i++)
        v *= 2;
    return sign ? -v : v;
}

/* An integer from -3 to 3 (0 to 6 where there is no sign) as an element. */
static void put(int type, bool second, uint8_t *p, int v)
{
    static const uint8_t e4[] = {0xc4, 0xc0, 0xb8, 0, 0x38, 0x40, 0x44}, e5[] = {0xc2, 0xc0, 0xbc, 0, 0x3c, 0x40, 0x42};
    float f = (float)v;
    unsigned short h = 0;
    switch (type) {
    case F16:
    case F16_HALF: h = __half_as_ushort(__float2half(f)); memcpy(p, &h, 2); return;
    case BF16: h = __bfloat16_as_ushort(__float2bfloat16(f)); memcpy(p, &h, 2); return;
    case TF32: memcpy(p, &f, 4); return;
    case S8S8: *p = (uint8_t)(v * 40); return;
    case U8U8: *p = (uint8_t)((v + 3) * 40); return;
    case S8U8: *p = (uint8_t)(second ? (v + 3) * 40 : v * 40); return;
    case U8S8: *p = (uint8_t)(second ? v * 40 : (v + 3) * 40); return;
    case B1: *p = (uint8_t)(v * 97 + 13); return;
    }
    const bool five = type == E5E5 || (type == E4E5 && second) || (type == E5E4 && !second) || (type == E5_HALF && !second);
    *p = (five ? e5 : e4)[v + 3];
}

static double expected(const job &j, const uint8_t *a, const uint8_t *b, int row, int column)
{
    double sum = 0;
    for (int k = 0; k < 32; k += width(j.type)) {
        const uint8_t *x = a + row * 32 + k, *y = b + column * 32 + k;
        sum += j.type == B1 ? __builtin_popcount(*x & *y)
                            : number(j.type, false, x) * number(j.type, true, y);
    }
    return (j.negate ? -2 : 2) * sum;
}

static int failures;
static uint8_t a[2048], b[2048], *device_a, *device_b;
static uint32_t out[128 * 32], *device_out;

static void check(const job &j, const char *name)
{
    unsigned seed = 1u + (unsigned)j.type;
    for (int i = 0; i < 2048; i += width(j.type)) {
        seed = seed * 1664525u + 1013904223u;
        put(j.type, false, a + i, (int)(seed >> 16) % 7 - 3);
        seed = seed * 1664525u + 1013904223u;
        put(j.type, true, b + i, (int)(seed >> 16) % 7 - 3);
    }
    cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(device_out, 0, sizeof out);
    switch (j.type) {
#define CASE(t, D) case t: product<t, D><<<1, 128, 16384>>>(j, device_a, device_b, (D *)device_out); break;
        CASE(F16, float) CASE(F16_HALF, uint32_t) CASE(BF16, float) CASE(TF32, float) CASE(E4E4, float)
        CASE(E4E5, float) CASE(E5E4, float) CASE(E5E5, float) CASE(E4_HALF, uint32_t) CASE(E5_HALF, uint32_t)
        CASE(S8S8, uint32_t) CASE(S8U8, uint32_t) CASE(U8S8, uint32_t) CASE(U8U8, uint32_t) CASE(B1, uint32_t)
    }
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = e != cudaSuccess;
    if (wrong)
        printf("%s: %s\n", name, cudaGetErrorString(e));
    const bool half = j.type == F16_HALF || j.type == E4_HALF || j.type == E5_HALF;
    for (int t = 0; t < 128 && e == cudaSuccess; t++)
        for (int i = 0; i < 32; i++) {
            const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + t % 4 * 2 + i % 2;
            const double want = expected(j, a, b, row, column);
            double got = (double)(int)out[t * 32 + i];
            if (half)
                got = __half2float(__ushort_as_half((unsigned short)(out[t * 32 + i / 2] >> 16 * (i % 2))));
            else if (j.type < S8S8) {
                float f;
                memcpy(&f, &out[t * 32 + i], 4);
                got = f;
            }
            if (got != want && !wrong++)
                printf("%s held %d across %d %d swizzle %d negate %d: row %d column %d is %g, not %g\n", name, j.held,
                       j.across_a, j.across_b, j.swizzle, j.negate, row, column, got, want);
        }
    failures += wrong != 0;
}

int main()
{
    static const char *const names[] = {"f16", "f16 to f16", "bf16", "tf32", "e4m3", "e4m3 e5m2", "e5m2 e4m3", "e5m2",
                                        "e4m3 to f16", "e5m2 to f16", "s8", "s8 u8", "u8 s8", "u8", "b1"};
    cudaMalloc(&device_a, sizeof a);
    cudaMalloc(&device_b, sizeof b);
    cudaMalloc(&device_out, sizeof out);
    for (int type = F16; type <= B1; type++)
        for (int swizzle = 0; swizzle < 4; swizzle++) {
            const bool half = type == F16_HALF || type == E4_HALF || type == E5_HALF;
            check({type, 0, 0, 0, swizzle, 0}, names[type]);
            if (!half && (type == BF16 || swizzle == 1))
                check({type, 1, 0, 0, swizzle, 0}, names[type]);
            if (type == F16 || type == BF16) {
                check({type, 0, 1, 0, swizzle, 0}, names[type]);
                check({type, 0, 0, 1, swizzle, 0}, names[type]);
                check({type, 0, 1, 1, swizzle, 0}, names[type]);
                check({type, 1, 0, 1, swizzle, 0}, names[type]);
                check({type, 0, 0, 0, swizzle, 1}, names[type]);
            }
            if (type == F16_HALF)
                check({type, 0, 0, 1, swizzle, 0}, names[type]);
        }
    printf(failures ? "%d forms are wrong\n" : "ok\n", failures);
    return failures != 0;
}
