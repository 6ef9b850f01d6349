/* Copies, also between the host's memory and the device's. */
#pragma once
#include "thrust/detail/policy.h"
#ifndef __TERN_DEVICE__
#include <vector>
#endif

namespace thrust
{
namespace detail
{
#ifndef __TERN_DEVICE__
/* The address of what lies in the host's memory in one piece. */
template <class T> T *host_address(T *p, size_t)
{
    return p;
}
template <class I> struct is_vector_iterator {
    typedef value_of<I> V;
    enum {
        value = !std::is_same<V, bool>::value &&
                (std::is_same<I, typename std::vector<V>::iterator>::value ||
                 std::is_same<I, typename std::vector<V>::const_iterator>::value)
    };
};
template <class T> struct is_vector_iterator<T *> {
    enum { value = 1 };
};
template <class I, typename std::enable_if<is_vector_iterator<I>::value, int>::type = 0>
auto host_address(I i, size_t n) -> decltype(&*i)
{
    return n ? &*i : nullptr;
}

template <class I, class J> struct same_values {
    enum { value = std::is_same<value_of<I>, value_of<J>>::value };
};

/* n elements of the host's to the device's */
template <class I, class O> void copy_in(const device_policy &p, I in, O out, size_t n)
{
    typedef value_of<O> T;
    if (!n)
        return;
    if constexpr (is_vector_iterator<I>::value && same_values<I, O>::value &&
                  std::is_pointer<raw_t<O>>::value) {
        check(cudaMemcpyAsync(raw(out), host_address(in, n), n * sizeof(T), cudaMemcpyHostToDevice,
                              p.stream));
        p.wait();
    } else {
        typedef value_of<I> V;
        V *values = new V[n];
        for (size_t i = 0; i < n; i++, ++in)
            values[i] = *in;
        array<V> there(n);
        cudaError_t e =
            cudaMemcpyAsync(there.get(), values, n * sizeof(V), cudaMemcpyHostToDevice, p.stream);
        cudaStreamSynchronize(p.stream);
        delete[] values;
        check(e);
        check(tern_parallel::copy((const V *)there.get(), raw(out), n, p.stream));
        p.wait();
    }
}
template <class I, class O> O copy_out(const device_policy &p, I in, O out, size_t n)
{
    typedef value_of<I> T;
    if (!n)
        return out;
    if constexpr (std::is_pointer<raw_t<I>>::value && std::is_pointer<O>::value &&
                  same_values<I, O>::value) {
        check(cudaMemcpyAsync(out, raw(in), n * sizeof(T), cudaMemcpyDeviceToHost, p.stream));
        p.wait();
        return out + n;
    } else {
        array<T> there(n);
        check(tern_parallel::copy(raw(in), there.get(), n, p.stream));
        T *values = new T[n];
        cudaError_t e =
            cudaMemcpyAsync(values, there.get(), n * sizeof(T), cudaMemcpyDeviceToHost, p.stream);
        cudaStreamSynchronize(p.stream);
        for (size_t i = 0; e == cudaSuccess && i < n; i++, ++out)
            *out = values[i];
        delete[] values;
        check(e);
        return out;
    }
}
template <class I> size_t length(I first, I last)
{
    return (size_t)std::distance(first, last);
}
#endif

/* Iterators of the host's containers may be walked only. */
template <class I, class N> THRUST_HD auto after_in_one(I i, N n, int) -> decltype(i + n)
{
    return i + n;
}
template <class I, class N> THRUST_HD I after_in_one(I i, N n, long)
{
    for (; n > 0; n--)
        ++i;
    return i;
}
template <class I, class N> THRUST_HD I after(I i, N n)
{
    return after_in_one(i, n, 0);
}
template <class I, class O> THRUST_HD O copy_in_turn(I first, I last, O out)
{
    for (; first != last; ++first, ++out)
        *out = *first;
    return out;
}
} // namespace detail

template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O copy(const P &p, I first, I last, O out)
{
    if constexpr (detail::launches<P>::value) {
        const size_t n = last - first;
        p.finish(tern_parallel::copy(detail::raw(first), detail::raw(out), n, p.stream));
        return out + n;
    } else
        return detail::copy_in_turn(first, last, out);
}
THRUST_CUSTOM(copy)
template <class I, class O, detail::if_not_policy<I> = 0> THRUST_HD O copy(I first, I last, O out)
{
#ifndef __CUDA_ARCH__
    constexpr bool from_device =
        std::is_same<typename detail::system_of<I>::type, device_system_tag>::value;
    constexpr bool to_device =
        std::is_same<typename detail::system_of<O>::type, device_system_tag>::value;
    constexpr bool from_host =
        std::is_same<typename detail::system_of<I>::type, host_system_tag>::value;
    constexpr bool to_host =
        std::is_same<typename detail::system_of<O>::type, host_system_tag>::value;
    if constexpr (from_host && to_device) {
        const size_t n = detail::length(first, last);
        detail::copy_in(device, first, out, n);
        return out + n;
    } else if constexpr (from_device && to_host) {
        return detail::copy_out(device, first, out, last - first);
    } else
#endif
        return thrust::copy(detail::default_policy<I, O>(), first, last, out);
}
template <class P, class I, class N, class O, detail::if_policy<P> = 0>
THRUST_HD O copy_n(const P &p, I first, N n, O out)
{
    return thrust::copy(p, first, detail::after(first, n), out);
}
THRUST_CUSTOM(copy_n)
template <class I, class N, class O, detail::if_not_policy<I> = 0>
THRUST_HD O copy_n(I first, N n, O out)
{
    if constexpr (detail::is_custom<detail::default_policy<I, O>>::value)
        return thrust::copy_n(detail::default_policy<I, O>(), first, n, out);
    else
        return thrust::copy(first, detail::after(first, n), out);
}

namespace detail
{
template <class O, class T> struct fill_each {
    O out;
    T value;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = value;
    }
};
} // namespace detail
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD void fill(const P &p, I first, I last, const T &value)
{
    detail::each(p, detail::fill_each<detail::raw_t<I>, T>{detail::raw(first), value},
                 last - first);
}
template <class P, class I, class N, class T, detail::if_policy<P> = 0>
THRUST_HD I fill_n(const P &p, I first, N n, const T &value)
{
    thrust::fill(p, first, first + n, value);
    return first + n;
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD void uninitialized_fill(const P &p, I first, I last, const T &value)
{
    thrust::fill(p, first, last, value);
}
template <class P, class I, class N, class T, detail::if_policy<P> = 0>
THRUST_HD I uninitialized_fill_n(const P &p, I first, N n, const T &value)
{
    return thrust::fill_n(p, first, n, value);
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O uninitialized_copy(const P &p, I first, I last, O out)
{
    return thrust::copy(p, first, last, out);
}
template <class P, class I, class N, class O, detail::if_policy<P> = 0>
THRUST_HD O uninitialized_copy_n(const P &p, I first, N n, O out)
{
    return thrust::copy_n(p, first, n, out);
}
THRUST_CUSTOM(uninitialized_copy)
template <class I, class O, detail::if_not_policy<I> = 0>
THRUST_HD O uninitialized_copy(I first, I last, O out)
{
    if constexpr (detail::is_custom<detail::default_policy<I, O>>::value)
        return thrust::uninitialized_copy(detail::default_policy<I, O>(), first, last, out);
    else
        return thrust::copy(first, last, out);
}
THRUST_CUSTOM(uninitialized_copy_n)
template <class I, class N, class O, detail::if_not_policy<I> = 0>
THRUST_HD O uninitialized_copy_n(I first, N n, O out)
{
    if constexpr (detail::is_custom<detail::default_policy<I, O>>::value)
        return thrust::uninitialized_copy_n(detail::default_policy<I, O>(), first, n, out);
    else
        return thrust::copy_n(first, n, out);
}
/* The last argument is a value, not an iterator. */
THRUST_CUSTOM(fill)
template <class I, class T, detail::if_not_policy<I> = 0>
THRUST_HD void fill(I first, I last, const T &value)
{
    thrust::fill(detail::default_policy<I>(), first, last, value);
}
THRUST_CUSTOM(fill_n)
template <class I, class N, class T, detail::if_not_policy<I> = 0>
THRUST_HD I fill_n(I first, N n, const T &value)
{
    return thrust::fill_n(detail::default_policy<I>(), first, n, value);
}
THRUST_CUSTOM(uninitialized_fill)
template <class I, class T, detail::if_not_policy<I> = 0>
THRUST_HD void uninitialized_fill(I first, I last, const T &value)
{
    thrust::uninitialized_fill(detail::default_policy<I>(), first, last, value);
}
THRUST_CUSTOM(uninitialized_fill_n)
template <class I, class N, class T, detail::if_not_policy<I> = 0>
THRUST_HD I uninitialized_fill_n(I first, N n, const T &value)
{
    return thrust::uninitialized_fill_n(detail::default_policy<I>(), first, n, value);
}
} // namespace thrust
