// What GNU's compilers know without a declaration: bits, sums that may not fit, floats in constants, places, pointers that
// atomic functions move by bytes, words to the processor.
#include <cstdio>

template <class A, class B, class R> static void sums(const char *name, A a, B b, R)
{
    R s = 0, d = 0, p = 0;
    const int bits = __builtin_add_overflow(a, b, &s) * 4 + __builtin_sub_overflow(a, b, &d) * 2 + __builtin_mul_overflow(a, b, &p);
    printf("%s %d %lld %lld %lld\n", name, bits, (long long)s, (long long)d, (long long)p);
}
static_assert(__builtin_mul_overflow_p(1l << 40, 1l << 23, 0l) && !__builtin_mul_overflow_p(1l << 40, 1l << 22, 0l));

struct place {
    int line;
    const char *function;
};
static place here(int line = __builtin_LINE(), const char *function = __builtin_FUNCTION()) { return {line, function}; }
struct asks {
    place p = {};
    asks(place p = here()) : p(p) {}
};

template <class T> static void bits(T x) { printf("%llx: ", (unsigned long long)x); }

int main()
{
    for (unsigned long x : {1ul, 0x80ul, 0x8000000000000000ul, 0x123456789abcdeful}) {
        bits(x);
        printf("%d %d %d %d %d %d %d ", __builtin_popcountl(x), __builtin_clzl(x), __builtin_ctzl(x), __builtin_ffsl((long)x), __builtin_ffs((int)x),
               __builtin_parityl(x), __builtin_clrsbl((long)x));
        printf("%x %x %lx\n", __builtin_bswap16((unsigned short)x), __builtin_bswap32((unsigned)x), __builtin_bswap64(x));
    }
    printf("%d %d %d\n", __builtin_clrsb(-1), __builtin_clrsb(5), __builtin_ffsll(0));
    sums("int", 2000000000, 2000000000, 0);
    sums("edge", -2147483647 - 1, -1, 0);
    sums("fits", 7, -3, (short)0);
    sums("unsigned", 3u, 5u, 0u);
    sums("mixed", -1, 1u, 0u);
    sums("wide", -1l, ~0ul, 0l);
    sums("wider", ~0ul, ~0ul, 0ul);
    sums("narrow", 100, 50, (signed char)0);
    sums("bytes", (unsigned char)200, (unsigned char)56, (unsigned char)0);
    sums("up", 2000000000, 2000000000, 0l);
    int sum;
    const bool lost = __builtin_sadd_overflow(2147483647, 1, &sum);
    unsigned long product;
    const bool too = __builtin_umull_overflow(1ul << 32, 1ul << 32, &product);
    printf("%d %d %d %lu\n", lost, sum, too, product);
    __int128 big = (__int128)1 << 126, twice;
    printf("%d %d\n", __builtin_add_overflow(big, big, &twice), __builtin_mul_overflow(big, (__int128)1, &twice));

    constexpr double inf = __builtin_inf(), none = __builtin_nan("");
    constexpr int of[] = {__builtin_isnan(none), __builtin_isnan(inf), __builtin_isinf_sign(-inf), __builtin_isfinite(1.5f), __builtin_isfinite(inf),
                          __builtin_signbit(-0.0) != 0, __builtin_signbit(0.0f) != 0, __builtin_isless(1.0, 2.0), __builtin_isunordered(none, 1.0)};
    for (int x : of)
        printf("%d ", x);
    constexpr double made = __builtin_copysign(__builtin_fabs(-2.5), -1.0) + __builtin_fmax(-3.0, 8.0) + __builtin_fmin(4.0, 16.0);
    printf("%g %zu\n", made, __builtin_strlen("four"));

    const place p = here();
    printf("%d %s %d %s\n", p.line, p.function, asks().p.line, asks().p.function);

    int four[4] = {}, *at = four;
    __atomic_fetch_add(&at, 8, __ATOMIC_SEQ_CST);
    printf("%d ", (int)(at - four));
    int *was = __sync_fetch_and_sub(&at, sizeof(int));
    printf("%d %d\n", (int)(was - four), (int)(at - four));
    asm volatile("" ::: "memory");
#ifdef __x86_64__
    asm volatile("pause" ::: "memory");
    __builtin_ia32_pause();
#else
    asm volatile("yield" ::: "memory");
#endif
    __builtin_prefetch(four, 0, 3);
}
