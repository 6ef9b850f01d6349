/* Random numbers: minimal standard engines, and distributions over them. */
#pragma once
#include "thrust/detail/traits.h"
#include <cmath>

namespace thrust
{
namespace random
{
/* x becomes a x + c modulo m. */
template <class U, U a, U c, U m> class linear_congruential_engine
{
    U x;

  public:
    typedef U result_type;
    static const U multiplier = a, increment = c, modulus = m, default_seed = 1;
    static constexpr U min = c == 0 ? 1 : 0, max = m - 1;

    THRUST_HD explicit linear_congruential_engine(U seed_ = 1)
    {
        seed(seed_);
    }
    THRUST_HD void seed(U s = 1)
    {
        x = s % m;
        if (c == 0 && x == 0)
            x = 1;
    }
    THRUST_HD U operator()()
    {
        x = (U)(((unsigned long long)a * x + c) % m);
        return x;
    }
    /* n steps at once: the map x → a x + c is squared */
    THRUST_HD void discard(unsigned long long n)
    {
        unsigned long long p = a, q = c;
        for (; n; n /= 2) {
            if (n & 1)
                x = (U)((p * x + q) % m);
            q = (p * q + q) % m;
            p = p * p % m;
        }
    }
    THRUST_HD bool operator==(const linear_congruential_engine &o) const
    {
        return x == o.x;
    }
    THRUST_HD bool operator!=(const linear_congruential_engine &o) const
    {
        return x != o.x;
    }
};
/* Words of w bits, the bits shifted in made of those that go out: a register of k bits. */
template <class U, size_t w, size_t k, size_t q, size_t s> class linear_feedback_shift_engine
{
    static constexpr U mask = (U)(w < sizeof(U) * 8 ? ((U)1 << (w % (sizeof(U) * 8))) - 1 : ~(U)0);
    U x;

  public:
    typedef U result_type;
    static const size_t word_size = w, exponent1 = k, exponent2 = q, step_size = s;
    static const U default_seed = 341;
    static constexpr U min = 0, max = mask;

    THRUST_HD explicit linear_feedback_shift_engine(U seed_ = 341)
    {
        seed(seed_);
    }
    THRUST_HD void seed(U v = 341)
    {
        x = v;
    }
    THRUST_HD U operator()()
    {
        const U b = (((x << q) ^ x) & mask) >> (k - s);
        const U high = (mask << (w - k)) & mask;
        x = (((x & high) << s) & mask) ^ b;
        return x;
    }
    THRUST_HD void discard(unsigned long long n)
    {
        for (; n; n--)
            (*this)();
    }
    THRUST_HD bool operator==(const linear_feedback_shift_engine &o) const
    {
        return x == o.x;
    }
    THRUST_HD bool operator!=(const linear_feedback_shift_engine &o) const
    {
        return x != o.x;
    }
};

/* The numbers s and r before, one less the other, and what was borrowed: modulo 2^w. */
template <class U, size_t w, size_t s, size_t r> class subtract_with_carry_engine
{
    static constexpr U mask = (U)(w < sizeof(U) * 8 ? ((U)1 << (w % (sizeof(U) * 8))) - 1 : ~(U)0);
    U x[r], carry;
    unsigned k;

  public:
    typedef U result_type;
    static const size_t word_size = w, short_lag = s, long_lag = r;
    static const U default_seed = 19780503;
    static constexpr U min = 0, max = mask;

    THRUST_HD explicit subtract_with_carry_engine(U seed_ = 19780503)
    {
        seed(seed_);
    }
    THRUST_HD void seed(U v = 19780503)
    {
        linear_congruential_engine<unsigned, 40014, 0, 2147483563> e((unsigned)(v ? v : 19780503));
        for (size_t i = 0; i < r; i++) {
            U word = 0;
            for (size_t b = 0; b < (w + 31) / 32; b++)
                word |= (U)e() << (b ? 32 : 0);
            x[i] = word & mask;
        }
        carry = x[r - 1] == 0;
        k = 0;
    }
    THRUST_HD U operator()()
    {
        const unsigned at = k < s ? k + (unsigned)(r - s) : k - (unsigned)s;
        const U from = x[at], less = x[k];
        x[k] = (from - less - carry) & mask;
        carry = from < less || (from == less && carry) ? 1 : 0;
        const U result = x[k];
        k = k + 1 < r ? k + 1 : 0;
        return result;
    }
    THRUST_HD void discard(unsigned long long n)
    {
        for (; n; n--)
            (*this)();
    }
    THRUST_HD bool operator==(const subtract_with_carry_engine &o) const
    {
        for (unsigned i = 0; i < r; i++)
            if (x[(k + i) % r] != o.x[(o.k + i) % r])
                return false;
        return carry == o.carry;
    }
    THRUST_HD bool operator!=(const subtract_with_carry_engine &o) const
    {
        return !(*this == o);
    }
};

/* The first r of each p numbers of another engine. */
template <class E, size_t p, size_t r> class discard_block_engine
{
    E e;
    unsigned used;

  public:
    typedef E base_type;
    typedef typename E::result_type result_type;
    static const size_t block_size = p, used_block = r;
    static constexpr result_type min = E::min, max = E::max;

    THRUST_HD discard_block_engine() : e(), used(0)
    {
    }
    THRUST_HD explicit discard_block_engine(const E &e) : e(e), used(0)
    {
    }
    THRUST_HD explicit discard_block_engine(result_type s) : e(s), used(0)
    {
    }
    THRUST_HD void seed()
    {
        e.seed();
        used = 0;
    }
    THRUST_HD void seed(result_type s)
    {
        e.seed(s);
        used = 0;
    }
    THRUST_HD result_type operator()()
    {
        if (used >= r) {
            e.discard(p - r);
            used = 0;
        }
        used++;
        return e();
    }
    THRUST_HD void discard(unsigned long long n)
    {
        for (; n; n--)
            (*this)();
    }
    THRUST_HD const E &base() const
    {
        return e;
    }
    THRUST_HD bool operator==(const discard_block_engine &o) const
    {
        return e == o.e && used == o.used;
    }
    THRUST_HD bool operator!=(const discard_block_engine &o) const
    {
        return !(*this == o);
    }
};

/* The words of two engines, shifted, by exclusive or. */
template <class A, size_t s, class B, size_t t = 0> class xor_combine_engine
{
    A a;
    B b;

  public:
    typedef A base1_type;
    typedef B base2_type;
    typedef typename std::conditional<(sizeof(typename B::result_type) >
                                       sizeof(typename A::result_type)),
                                      typename B::result_type,
                                      typename A::result_type>::type result_type;
    static const size_t shift1 = s, shift2 = t;
    static constexpr result_type min = 0;
    static constexpr result_type max =
        (result_type)((result_type)A::max << s) | (result_type)((result_type)B::max << t);

    THRUST_HD xor_combine_engine() : a(), b()
    {
    }
    THRUST_HD xor_combine_engine(const A &a, const B &b) : a(a), b(b)
    {
    }
    THRUST_HD explicit xor_combine_engine(result_type v) : a(v), b(v)
    {
    }
    THRUST_HD void seed()
    {
        a.seed();
        b.seed();
    }
    THRUST_HD void seed(result_type v)
    {
        a.seed(v);
        b.seed(v);
    }
    THRUST_HD const A &base1() const
    {
        return a;
    }
    THRUST_HD const B &base2() const
    {
        return b;
    }
    THRUST_HD result_type operator()()
    {
        const result_type x = (result_type)a() << s, y = (result_type)b() << t;
        return x ^ y;
    }
    THRUST_HD void discard(unsigned long long n)
    {
        for (; n; n--)
            (*this)();
    }
    THRUST_HD bool operator==(const xor_combine_engine &o) const
    {
        return a == o.a && b == o.b;
    }
    THRUST_HD bool operator!=(const xor_combine_engine &o) const
    {
        return !(*this == o);
    }
};
typedef xor_combine_engine<
    linear_feedback_shift_engine<unsigned, 32, 31, 13, 12>, 0,
    xor_combine_engine<linear_feedback_shift_engine<unsigned, 32, 29, 2, 4>, 0,
                       linear_feedback_shift_engine<unsigned, 32, 28, 3, 17>, 0>,
    0>
    taus88;
typedef subtract_with_carry_engine<unsigned, 24, 10, 24> ranlux24_base;
typedef subtract_with_carry_engine<unsigned long long, 48, 5, 12> ranlux48_base;
typedef discard_block_engine<ranlux24_base, 223, 23> ranlux24;
typedef discard_block_engine<ranlux48_base, 389, 11> ranlux48;
typedef linear_congruential_engine<unsigned, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <class T = double> class uniform_real_distribution
{
    T from, to;

  public:
    typedef T result_type;
    THRUST_HD explicit uniform_real_distribution(T from = 0, T to = 1) : from(from), to(to)
    {
    }
    THRUST_HD T a() const
    {
        return from;
    }
    THRUST_HD T b() const
    {
        return to;
    }
    THRUST_HD void reset()
    {
    }
    template <class E> THRUST_HD T operator()(E &e) const
    {
        const T unit = (T)(e() - E::min) / ((T)(E::max - E::min) + 1);
        return unit * (to - from) + from;
    }
};

template <class T = int> class uniform_int_distribution
{
    T from, to;

  public:
    typedef T result_type;
    THRUST_HD explicit uniform_int_distribution(T from = 0,
                                                T to = (T)((~0ull >> (65 - 8 * sizeof(T)))))
        : from(from), to(to)
    {
    }
    THRUST_HD T a() const
    {
        return from;
    }
    THRUST_HD T b() const
    {
        return to;
    }
    THRUST_HD void reset()
    {
    }
    template <class E> THRUST_HD T operator()(E &e) const
    {
        const double unit = (double)(e() - E::min) / ((double)(E::max - E::min) + 1);
        return (T)(from + (T)(unit * ((double)to - (double)from + 1)));
    }
};

template <class T = double> class normal_distribution
{
    T mean_, deviation;

  public:
    typedef T result_type;
    THRUST_HD explicit normal_distribution(T mean = 0, T deviation = 1)
        : mean_(mean), deviation(deviation)
    {
    }
    THRUST_HD T mean() const
    {
        return mean_;
    }
    THRUST_HD T stddev() const
    {
        return deviation;
    }
    THRUST_HD void reset()
    {
    }
    template <class E> THRUST_HD T operator()(E &e) const
    {
        const double range = (double)(E::max - E::min) + 1;
        const double u = ((double)(e() - E::min) + 1) / range, v = (double)(e() - E::min) / range;
        return (T)(mean_ + deviation * ::sqrt(-2 * ::log(u)) * ::cos(6.283185307179586477 * v));
    }
};
} // namespace random
using random::default_random_engine;
using random::discard_block_engine;
using random::linear_feedback_shift_engine;
using random::ranlux24;
using random::ranlux24_base;
using random::ranlux48;
using random::ranlux48_base;
using random::subtract_with_carry_engine;
using random::taus88;
using random::xor_combine_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
} // namespace thrust
