// Unsigned integers of 64 bits to floats and back: halves, ties, the top bit.
#include <cstdint>
#include <cstdio>
#include <cstring>
static volatile uint64_t longs[] = {0, 1, 2, 3, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0x80000000000003ff, 0x8000000000000400, 0x8000000000000401,
                                    0x8000000000000bff, 0x8000000000000c00, 0xfffffffffffffbff, 0xfffffffffffffc00, 0xffffffffffffffff, 0x20000000000001, 0x20000000000003,
                                    0x1000001, 0x1000003, 0x8000008000000000, 0x8000008000000001, 0x800000ffffffffff, 0x8000018000000000, 0xffffff7fffffffff, 0xffffff8000000000};
static volatile double doubles[] = {0, 0.5, 1.99, -0.25, 4294967295.0, 4294967295.99, 2147483648.0, 9223372036854775807.0, 9223372036854777856.0, 18446744073709549568.0, 1e10, 123456789012345.6};
static volatile float floats[] = {0, 0.75f, 3e9f, 9.3e18f, 1.8e19f, 16777217.f};
int main()
{
    for (const auto x : longs) {
        const double d = (double)x;
        const float f = (float)x;
        uint64_t db;
        uint32_t fb;
        memcpy(&db, &d, 8);
        memcpy(&fb, &f, 4);
        printf("%llx %016llx %08x\n", (unsigned long long)x, (unsigned long long)db, fb);
    }
    for (const auto x : doubles) {
        printf("%llu", (unsigned long long)x);
        if (x < 4294967296.0)
            printf(" %u", (unsigned)x);
        puts("");
    }
    for (const auto x : floats)
        printf("%llu\n", (unsigned long long)x);
}
