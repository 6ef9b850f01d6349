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
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
} // namespace thrust
