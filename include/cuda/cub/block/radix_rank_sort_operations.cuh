/* Which digit of a key is asked for, and keys that are taken apart into numbers. */
#pragma once
#include "cub/util_type.cuh"
#include <tuple>

namespace cub
{
template <class K> struct BFEDigitExtractor {
    unsigned from, bits;
    __device__ explicit BFEDigitExtractor(unsigned from = 0, unsigned bits = 0)
        : from(from), bits(bits)
    {
    }
    __device__ unsigned Digit(K key) const
    {
        return (unsigned)(key >> from) & ((bits < 32 ? 1u << bits : 0u) - 1);
    }
};
template <class K> struct ShiftDigitExtractor : BFEDigitExtractor<K> {
    __device__ explicit ShiftDigitExtractor(unsigned from = 0, unsigned bits = 0)
        : BFEDigitExtractor<K>(from, bits)
    {
    }
};

namespace detail
{
template <class D> using if_decomposer = typename std::enable_if<std::is_class<D>::value, int>::type;

/* Of no decomposer. */
struct identity_decomposer_t {
    template <class T> CUB_HD T &operator()(T &key) const
    {
        return key;
    }
};

/* The parts of a key, the first the most significant, as one number: its bits [from, from + n),
 * n ≤ 32. */
template <class T> struct part_bits {
    typedef typename std::decay<T>::type K;
    enum { width = 8 * (int)sizeof(K) };
    CUB_HD static unsigned of(const K &k, int from, int n)
    {
        const unsigned mask = n < 32 ? (1u << n) - 1 : ~0u;
        return (unsigned)(tern_parallel::key_bits<K>::of(k) >> from) & mask;
    }
};
template <class P> struct parts_bits { /* a decomposer may give one number */
    enum { width = part_bits<P>::width };
    CUB_HD static unsigned of(const P &p, int from, int n)
    {
        return part_bits<P>::of(p, from, n);
    }
};
template <template <class...> class Tuple, class... T> struct parts_bits<Tuple<T...>> {
    enum { width = (0 + ... + (int)part_bits<T>::width) };
    CUB_HD static unsigned of(const Tuple<T...> &parts, int from, int n)
    {
        return gather(parts, from, n, std::index_sequence_for<T...>());
    }

  private:
    /* Bits of part i, which begins at bit `first` of all, that are asked for. */
    template <size_t i>
    CUB_HD static unsigned one(const Tuple<T...> &parts, int from, int n, int &first)
    {
        typedef typename std::tuple_element<i, std::tuple<T...>>::type P;
        const int last = first;
        first -= part_bits<P>::width;
        const int low = from > first ? from : first, high = from + n < last ? from + n : last;
        if (low >= high)
            return 0;
        using std::get;
        return part_bits<P>::of(get<i>(parts), low - first, high - low) << (low - from);
    }
    template <size_t... i>
    CUB_HD static unsigned gather(const Tuple<T...> &parts, int from, int n,
                                  std::index_sequence<i...>)
    {
        int first = width;
        unsigned bits = 0;
        ((bits |= one<i>(parts, from, n, first)), ...);
        return bits;
    }
};
template <class K, class D>
using parts_of = typename std::decay<decltype(std::declval<D &>()(std::declval<K &>()))>::type;

/* Keys that are numbers of ours, or of the program's own by their NumericTraits. */
template <class K>
struct is_plain_key
    : std::integral_constant<bool, std::is_arithmetic<K>::value || std::is_enum<K>::value ||
                                       tern_parallel::is_float_key<K>::value ||
                                       (sizeof(K) == 16 && std::is_convertible<int, K>::value)> {
};
template <class K> struct traits_decomposer {
    typedef typename Traits<K>::UnsignedBits U;
    CUB_HD U operator()(const K &key) const
    {
        static_assert(Traits<K>::PRIMITIVE, "keys are numbers, or there is a decomposer for them");
        U u;
        memcpy(&u, &key, sizeof u);
        return Traits<K>::TwiddleIn(u);
    }
};

/* By the bits [from, to) of the parts. */
template <class K, class D> struct parts_less {
    D decompose;
    int from, to;
    bool down;
    CUB_HD bool operator()(const K &a, const K &b) const
    {
        typedef parts_bits<parts_of<K, D>> bits;
        K copy_a = a, copy_b = b;
        D d = decompose;
        const auto x = d(copy_a), y = d(copy_b);
        int left = (to < (int)bits::width ? to : (int)bits::width) - from;
        while (left > 0) {
            const int some = (left - 1) % 32 + 1;
            left -= some;
            const unsigned p = bits::of(x, from + left, some), q = bits::of(y, from + left, some);
            if (p != q)
                return down ? q < p : p < q;
        }
        return false;
    }
};
/* A digit of the parts of a key, as tern_parallel::digit is one of a number. */
template <class D> struct parts_digit {
    int shift, bits;
    bool down;
    D decompose;
    template <class K> CUB_HD unsigned of(const K &key) const
    {
        K copy = key;
        D d = decompose;
        const unsigned x = parts_bits<parts_of<K, D>>::of(d(copy), shift, bits);
        return (x ^ (down ? ~0u : 0u)) & ((1u << bits) - 1);
    }
};
} // namespace detail
} // namespace cub
