/* Function objects. */
#pragma once
#include "cub/util_type.cuh"
#include <cuda/functional>

namespace cub
{
#define CUB_BINARY(name, expression)                                                               \
    struct name {                                                                                  \
        template <class T, class U> CUB_HD auto operator()(const T &a, const U &b) const           \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
CUB_BINARY(Equality, a == b)
CUB_BINARY(Inequality, a != b)
CUB_BINARY(Difference, a - b)
CUB_BINARY(Division, a / b)
#undef CUB_BINARY
/* These keep the type, so that what they make goes on. */
struct Sum {
    template <class T> CUB_HD T operator()(const T &a, const T &b) const
    {
        return a + b;
    }
    template <class T, class U> CUB_HD auto operator()(const T &a, const U &b) const
    {
        return a + b;
    }
};
struct Max {
    template <class T> CUB_HD T operator()(const T &a, const T &b) const
    {
        return a < b ? b : a;
    }
    template <class T, class U> CUB_HD auto operator()(const T &a, const U &b) const
    {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T> CUB_HD T operator()(const T &a, const T &b) const
    {
        return b < a ? b : a;
    }
    template <class T, class U> CUB_HD auto operator()(const T &a, const U &b) const
    {
        return b < a ? b : a;
    }
};
/* Of equal values the one with the smaller key. */
struct ArgMax {
    template <class K, class V>
    CUB_HD KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                         const KeyValuePair<K, V> &b) const
    {
        return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    CUB_HD KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                         const KeyValuePair<K, V> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <class B> struct CastOp {
    template <class A> CUB_HD B operator()(const A &a) const
    {
        return (B)a;
    }
};
template <class Q> struct InequalityWrapper {
    Q op;
    CUB_HD InequalityWrapper(Q op) : op(op)
    {
    }
    template <class T> CUB_HD bool operator()(const T &a, const T &b)
    {
        return !op(a, b);
    }
};
} // namespace cub
