// .ftz together with directed rounding: operands and results that are subnormal are zeros of the same sign. All results here are
// exact, so that only the flushing shows.
#include "check.h"

struct row {
    unsigned a, b, c;
    unsigned sum, product, fused; // a + b, a * b, a * b + c
};

#define EACH(mode, at)                                                                              \
    asm("add." mode ".ftz.f32 %0, %1, %2;" : "=f"(out[at]) : "f"(a), "f"(b));                       \
    asm("mul." mode ".ftz.f32 %0, %1, %2;" : "=f"(out[at + 1]) : "f"(a), "f"(b));                   \
    asm("fma." mode ".ftz.f32 %0, %1, %2, %3;" : "=f"(out[at + 2]) : "f"(a), "f"(b), "f"(c))

__global__ void compute(const row *rows, float *all)
{
    const row r = rows[threadIdx.x];
    const float a = __uint_as_float(r.a), b = __uint_as_float(r.b), c = __uint_as_float(r.c);
    float *out = all + 12 * threadIdx.x;
    EACH("rn", 0);
    EACH("rz", 3);
    EACH("rm", 6);
    EACH("rp", 9);
}

static const row table[] = {
    // the least subnormal counts for nothing: by rounding up it would
    {0x00000001, 0x3f800000, 0x40400000, 0x3f800000, 0x00000000, 0x40400000},
    {0x80000001, 0x3f800000, 0x40400000, 0x3f800000, 0x80000000, 0x40400000},
    // subnormal results: 2^-64 squared, and -1.5 times 2^-126 plus 2^-126
    {0x1f800000, 0x1f800000, 0x00000000, 0x20000000, 0x00000000, 0x00000000},
    {0x80c00000, 0x00800000, 0x80000000, 0x80000000, 0x80000000, 0x80000000},
    // the greatest subnormal times 2^100
    {0x007fffff, 0x71800000, 0x40400000, 0x71800000, 0x00000000, 0x40400000},
    {0x807fffff, 0x71800000, 0xc0400000, 0x71800000, 0x80000000, 0xc0400000},
    // what is not subnormal stays: 2^-126 and twice that
    {0x20000000, 0x20000000, 0x00800000, 0x20800000, 0x00800000, 0x01000000},
};

int main()
{
    enum { ROWS = sizeof table / sizeof *table };
    row *rows;
    float *all;
    unsigned got[12 * ROWS];
    CUDA(cudaMalloc(&rows, sizeof table));
    CUDA(cudaMalloc(&all, sizeof got));
    CUDA(cudaMemcpy(rows, table, sizeof table, cudaMemcpyHostToDevice));
    compute<<<1, ROWS>>>(rows, all);
    CUDA(cudaMemcpy(got, all, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int k = 0; k < 12 * ROWS; k++) {
        const row &r = table[k / 12];
        const unsigned want = k % 3 == 0 ? r.sum : k % 3 == 1 ? r.product : r.fused;
        if (got[k] == want)
            continue;
        printf("row %d, mode %d, %s: %08x, not %08x\n", k / 12, k % 12 / 3, k % 3 == 0 ? "add" : k % 3 == 1 ? "mul" : "fma", got[k], want);
        wrong++;
    }
    CHECK(!wrong);
    printf("ok\n");
}
