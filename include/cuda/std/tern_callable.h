/* Function objects, references as objects, calls of anything: what <functional> has in host and in device code. */
#pragma once
#include <utility>
namespace std {
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
#define __TERN_BINARY(name, R, op)                                                                 \
    template <class T = void> struct name {                                                        \
        typedef T first_argument_type, second_argument_type;                                       \
        typedef R result_type;                                                                     \
        __host__ __device__ constexpr R operator()(const T &a, const T &b) const { return a op b; } \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        typedef int is_transparent;                                                                \
        template <class T, class U> __host__ __device__ constexpr auto operator()(T &&a, U &&b) const -> decltype(static_cast<T &&>(a) op static_cast<U &&>(b)) { return static_cast<T &&>(a) op static_cast<U &&>(b); } \
    };
__TERN_BINARY(plus, T, +)
__TERN_BINARY(minus, T, -)
__TERN_BINARY(multiplies, T, *)
__TERN_BINARY(divides, T, /)
__TERN_BINARY(modulus, T, %)
__TERN_BINARY(bit_and, T, &)
__TERN_BINARY(bit_or, T, |)
__TERN_BINARY(bit_xor, T, ^)
__TERN_BINARY(equal_to, bool, ==)
__TERN_BINARY(not_equal_to, bool, !=)
__TERN_BINARY(less, bool, <)
__TERN_BINARY(greater, bool, >)
__TERN_BINARY(less_equal, bool, <=)
__TERN_BINARY(greater_equal, bool, >=)
__TERN_BINARY(logical_and, bool, &&)
__TERN_BINARY(logical_or, bool, ||)
#undef __TERN_BINARY
#define __TERN_UNARY(name, R, op)                                                                  \
    template <class T = void> struct name {                                                        \
        typedef T argument_type;                                                                   \
        typedef R result_type;                                                                     \
        __host__ __device__ constexpr R operator()(const T &a) const { return op a; }              \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        typedef int is_transparent;                                                                \
        template <class T> __host__ __device__ constexpr auto operator()(T &&a) const -> decltype(op static_cast<T &&>(a)) { return op static_cast<T &&>(a); } \
    };
__TERN_UNARY(negate, T, -)
__TERN_UNARY(logical_not, bool, !)
__TERN_UNARY(bit_not, T, ~)
#undef __TERN_UNARY
struct identity {
    typedef int is_transparent;
    template <class T> __host__ __device__ constexpr T &&operator()(T &&x) const noexcept { return static_cast<T &&>(x); }
};
template <class F, class... A> __host__ __device__ constexpr invoke_result_t<F, A...> invoke(F &&f, A &&...a)
{
    return std::__tern_call(static_cast<F &&>(f), static_cast<A &&>(a)...);
}
template <class T> class reference_wrapper {
    T *__p;

public:
    typedef T type;
    __host__ __device__ constexpr reference_wrapper(T &x) noexcept : __p(__builtin_addressof(x)) {}
    void operator=(T &&) = delete;
    __host__ __device__ constexpr operator T &() const noexcept { return *__p; }
    __host__ __device__ constexpr T &get() const noexcept { return *__p; }
    template <class... A> __host__ __device__ constexpr invoke_result_t<T &, A...> operator()(A &&...a) const { return std::__tern_call(*__p, static_cast<A &&>(a)...); }
};
template <class T> reference_wrapper(T &) -> reference_wrapper<T>;
template <class T> __host__ __device__ constexpr reference_wrapper<T> ref(T &x) noexcept { return reference_wrapper<T>(x); }
template <class T> __host__ __device__ constexpr reference_wrapper<T> ref(reference_wrapper<T> x) noexcept { return x; }
template <class T> __host__ __device__ constexpr reference_wrapper<const T> cref(const T &x) noexcept { return reference_wrapper<const T>(x); }
template <class T> __host__ __device__ constexpr reference_wrapper<const T> cref(reference_wrapper<T> x) noexcept { return reference_wrapper<const T>(x.get()); }
template <class T> void ref(const T &&) = delete;
template <class T> void cref(const T &&) = delete;
template <class M> struct __tern_mem_fn {
    M __m;
    template <class... A> __host__ __device__ constexpr invoke_result_t<const M &, A...> operator()(A &&...a) const { return std::__tern_call(__m, static_cast<A &&>(a)...); }
};
template <class M, class C> __host__ __device__ constexpr __tern_mem_fn<M C::*> mem_fn(M C::*m) noexcept { return {m}; }
template <class F> struct __tern_not_fn {
    F __f;
    template <class... A> __host__ __device__ constexpr auto operator()(A &&...a) & -> decltype(!declval<invoke_result_t<F &, A...>>()) { return !std::__tern_call(__f, static_cast<A &&>(a)...); }
    template <class... A> __host__ __device__ constexpr auto operator()(A &&...a) const & -> decltype(!declval<invoke_result_t<const F &, A...>>()) { return !std::__tern_call(__f, static_cast<A &&>(a)...); }
    template <class... A> __host__ __device__ constexpr auto operator()(A &&...a) && -> decltype(!declval<invoke_result_t<F, A...>>()) { return !std::__tern_call(static_cast<F &&>(__f), static_cast<A &&>(a)...); }
};
template <class F> __host__ __device__ constexpr __tern_not_fn<decay_t<F>> not_fn(F &&f) { return {static_cast<F &&>(f)}; }
}
