/* Function objects, and placeholders: _1 + _2. */
#pragma once
#include "thrust/detail/traits.h"
#include <cuda/functional>

namespace thrust
{
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};

#define THRUST_BINARY(name, R, expression)                                                         \
    template <class T = void> struct name {                                                        \
        typedef T first_argument_type;                                                             \
        typedef T second_argument_type;                                                            \
        typedef R result_type;                                                                     \
        THRUST_HD constexpr R operator()(const T &a, const T &b) const                             \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class T, class U>                                                                \
        THRUST_HD constexpr auto operator()(const T &a, const U &b) const                          \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
THRUST_BINARY(plus, T, a + b)
THRUST_BINARY(minus, T, a - b)
THRUST_BINARY(multiplies, T, a *b)
THRUST_BINARY(divides, T, a / b)
THRUST_BINARY(modulus, T, a % b)
THRUST_BINARY(bit_and, T, a &b)
THRUST_BINARY(bit_or, T, a | b)
THRUST_BINARY(bit_xor, T, a ^ b)
THRUST_BINARY(equal_to, bool, a == b)
THRUST_BINARY(not_equal_to, bool, a != b)
THRUST_BINARY(less, bool, a < b)
THRUST_BINARY(greater, bool, a > b)
THRUST_BINARY(less_equal, bool, a <= b)
THRUST_BINARY(greater_equal, bool, a >= b)
THRUST_BINARY(logical_and, bool, a &&b)
THRUST_BINARY(logical_or, bool, a || b)
THRUST_BINARY(maximum, T, a < b ? b : a)
THRUST_BINARY(minimum, T, b < a ? b : a)
#undef THRUST_BINARY

#define THRUST_UNARY(name, R, expression)                                                          \
    template <class T = void> struct name {                                                        \
        typedef T argument_type;                                                                   \
        typedef R result_type;                                                                     \
        THRUST_HD constexpr R operator()(const T &a) const                                         \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class T> THRUST_HD constexpr auto operator()(const T &a) const                   \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
THRUST_UNARY(negate, T, -a)
THRUST_UNARY(bit_not, T, ~a)
THRUST_UNARY(logical_not, bool, !a)
THRUST_UNARY(square, T, a *a)
THRUST_UNARY(identity, T, a)
#undef THRUST_UNARY

template <class T = void, class U = void> struct project1st {
    template <class A, class B> THRUST_HD constexpr A operator()(const A &a, const B &) const
    {
        return a;
    }
};
template <class T = void, class U = void> struct project2nd {
    template <class A, class B> THRUST_HD constexpr B operator()(const A &, const B &b) const
    {
        return b;
    }
};

template <class P> struct unary_negate {
    P predicate;
    template <class... T> THRUST_HD bool operator()(const T &...a)
    {
        return !predicate(a...);
    }
    template <class... T> THRUST_HD bool operator()(const T &...a) const
    {
        return !predicate(a...);
    }
};
template <class P> struct binary_negate {
    P predicate;
    template <class T, class U> THRUST_HD bool operator()(const T &a, const U &b)
    {
        return !predicate(a, b);
    }
};
template <class P> THRUST_HD unary_negate<P> not1(const P &p)
{
    return unary_negate<P>{p};
}
template <class P> THRUST_HD binary_negate<P> not2(const P &p)
{
    return binary_negate<P>{p};
}
template <class P> THRUST_HD unary_negate<P> not_fn(const P &p)
{
    return unary_negate<P>{p};
}

/* ---- placeholders: expressions are trees of these ---- */
namespace placeholders
{
struct expression_base {
};
} // namespace placeholders
namespace detail
{
/* What is given as an lvalue stays one, so that it can be assigned to. */
template <int i> struct argument : placeholders::expression_base {
    template <class A, class... B> THRUST_HD decltype(auto) operator()(A &&a, B &&...b) const
    {
        if constexpr (i == 1)
            return A(static_cast<A &&>(a));
        else
            return argument<i - 1>()(static_cast<B &&>(b)...);
    }
};
template <class T> struct literal : placeholders::expression_base {
    T value;
    literal() = default;
    THRUST_HD explicit literal(const T &v) : value(v)
    {
    }
    template <class... A> THRUST_HD T operator()(const A &...) const
    {
        return value;
    }
};
template <class F, class L, class R> struct binary_node : placeholders::expression_base {
    L left;
    R right;
    binary_node() = default;
    THRUST_HD binary_node(const L &l, const R &r) : left(l), right(r)
    {
    }
    template <class... A> THRUST_HD decltype(auto) operator()(A &&...a) const
    {
        return F()(left(a...), right(a...));
    }
};
template <class F, class L> struct unary_node : placeholders::expression_base {
    L left;
    unary_node() = default;
    THRUST_HD explicit unary_node(const L &l) : left(l)
    {
    }
    template <class... A> THRUST_HD decltype(auto) operator()(A &&...a) const
    {
        return F()(left(a...));
    }
};
#define THRUST_CHANGES(name, e)                                                                    \
    struct name {                                                                                  \
        template <class L, class R> THRUST_HD decltype(auto) operator()(L &&l, R &&r) const        \
        {                                                                                          \
            return e;                                                                              \
        }                                                                                          \
    };
THRUST_CHANGES(plus_equal, l += r)
THRUST_CHANGES(minus_equal, l -= r)
THRUST_CHANGES(multiplies_equal, l *= r)
THRUST_CHANGES(divides_equal, l /= r)
THRUST_CHANGES(modulus_equal, l %= r)
THRUST_CHANGES(bit_and_equal, l &= r)
THRUST_CHANGES(bit_or_equal, l |= r)
THRUST_CHANGES(bit_xor_equal, l ^= r)
THRUST_CHANGES(bit_lshift_equal, l <<= r)
THRUST_CHANGES(bit_rshift_equal, l >>= r)
THRUST_CHANGES(bit_lshift, l << r)
THRUST_CHANGES(bit_rshift, l >> r)
#undef THRUST_CHANGES
#define THRUST_CHANGES(name, e)                                                                    \
    struct name {                                                                                  \
        template <class L> THRUST_HD decltype(auto) operator()(L &&l) const                        \
        {                                                                                          \
            return e;                                                                              \
        }                                                                                          \
    };
THRUST_CHANGES(unary_plus, +l)
THRUST_CHANGES(prefix_increment, ++l)
THRUST_CHANGES(prefix_decrement, --l)
THRUST_CHANGES(suffix_increment, l++)
THRUST_CHANGES(suffix_decrement, l--)
#undef THRUST_CHANGES
template <class T> struct is_expression : std::is_base_of<placeholders::expression_base, T> {
};
template <class T>
using node_of = typename std::conditional<is_expression<T>::value, T, literal<T>>::type;
template <class L, class R>
using if_expression =
    typename std::enable_if<is_expression<L>::value || is_expression<R>::value, int>::type;
} // namespace detail

namespace placeholders
{
static constexpr detail::argument<1> _1{};
static constexpr detail::argument<2> _2{};
static constexpr detail::argument<3> _3{};
static constexpr detail::argument<4> _4{};

#define THRUST_NODE(op, ...)                                                                       \
    template <class L, class R, detail::if_expression<L, R> = 0>                                   \
    THRUST_HD detail::binary_node<__VA_ARGS__, detail::node_of<L>, detail::node_of<R>> operator op(\
        const L &l, const R &r)                                                                    \
    {                                                                                              \
        return {detail::node_of<L>(l), detail::node_of<R>(r)};                                     \
    }
THRUST_NODE(+, plus<>)
THRUST_NODE(-, minus<>)
THRUST_NODE(*, multiplies<>)
THRUST_NODE(/, divides<>)
THRUST_NODE(%, modulus<>)
THRUST_NODE(&, bit_and<>)
THRUST_NODE(|, bit_or<>)
THRUST_NODE(^, bit_xor<>)
THRUST_NODE(==, equal_to<>)
THRUST_NODE(!=, not_equal_to<>)
THRUST_NODE(<, less<>)
THRUST_NODE(>, greater<>)
THRUST_NODE(<=, less_equal<>)
THRUST_NODE(>=, greater_equal<>)
THRUST_NODE(&&, logical_and<>)
THRUST_NODE(||, logical_or<>)
THRUST_NODE(<<, detail::bit_lshift)
THRUST_NODE(>>, detail::bit_rshift)
THRUST_NODE(+=, detail::plus_equal)
THRUST_NODE(-=, detail::minus_equal)
THRUST_NODE(*=, detail::multiplies_equal)
THRUST_NODE(/=, detail::divides_equal)
THRUST_NODE(%=, detail::modulus_equal)
THRUST_NODE(&=, detail::bit_and_equal)
THRUST_NODE(|=, detail::bit_or_equal)
THRUST_NODE(^=, detail::bit_xor_equal)
THRUST_NODE(<<=, detail::bit_lshift_equal)
THRUST_NODE(>>=, detail::bit_rshift_equal)
#undef THRUST_NODE
#define THRUST_NODE(parameters, F, ...)                                                            \
    template <class L, detail::if_expression<L, L> = 0>                                            \
    THRUST_HD detail::unary_node<F, L> operator __VA_ARGS__ parameters                             \
    {                                                                                              \
        return detail::unary_node<F, L>(l);                                                        \
    }
THRUST_NODE((const L &l), negate<>, -)
THRUST_NODE((const L &l), logical_not<>, !)
THRUST_NODE((const L &l), bit_not<>, ~)
THRUST_NODE((const L &l), detail::unary_plus, +)
THRUST_NODE((const L &l), detail::prefix_increment, ++)
THRUST_NODE((const L &l), detail::prefix_decrement, --)
THRUST_NODE((const L &l, int), detail::suffix_increment, ++)
THRUST_NODE((const L &l, int), detail::suffix_decrement, --)
#undef THRUST_NODE
} // namespace placeholders
} // namespace thrust
