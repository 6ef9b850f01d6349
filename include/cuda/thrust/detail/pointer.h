/* Pointers to device memory, and what host code has when it follows one. */
#pragma once
#include "thrust/detail/traits.h"
#include "thrust/system_error.h"
#ifndef __TERN_DEVICE__
#include <ostream>
#endif

namespace thrust
{
template <class T> class device_ptr;

/* An element in device memory: host code reads and writes it by copies. */
template <class T> class device_reference
{
    T *at;

  public:
    typedef typename std::remove_const<T>::type value_type;
    typedef device_ptr<T> pointer;

    THRUST_HD explicit device_reference(T *at) : at(at)
    {
    }
    THRUST_HD explicit device_reference(const device_ptr<T> &p);
    THRUST_HD device_reference(const device_reference &) = default;
    template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
    THRUST_HD device_reference(const device_reference<U> &o) : at(o.address())
    {
    }
    THRUST_HD T *address() const
    {
        return at;
    }
    THRUST_HD device_ptr<T> operator&() const;
    THRUST_HD operator value_type() const
    {
        return get();
    }

    THRUST_HD value_type get() const
    {
#ifdef __CUDA_ARCH__
        return *at;
#else
        alignas(value_type) unsigned char bytes[sizeof(value_type)];
        detail::check(cudaMemcpy(bytes, at, sizeof(value_type), cudaMemcpyDeviceToHost));
        return *reinterpret_cast<value_type *>(bytes);
#endif
    }
    THRUST_HD void swap(device_reference &o) const
    {
        const value_type v = get();
        set(o.get());
        o.set(v);
    }
    THRUST_HD void set(const value_type &v) const
    {
#ifdef __CUDA_ARCH__
        *at = v;
#else
        detail::check(cudaMemcpy((void *)at, &v, sizeof(value_type), cudaMemcpyHostToDevice));
#endif
    }
    THRUST_HD const device_reference &operator=(const value_type &v) const
    {
        set(v);
        return *this;
    }
    THRUST_HD device_reference &operator=(const device_reference &o)
    {
        set(o.get());
        return *this;
    }
    template <class U>
    THRUST_HD const device_reference &operator=(const device_reference<U> &o) const
    {
        set(o.get());
        return *this;
    }
#define THRUST_ASSIGNMENT(op)                                                                      \
    template <class U> THRUST_HD const device_reference &operator op##=(const U &v) const          \
    {                                                                                              \
        set(get() op v);                                                                           \
        return *this;                                                                              \
    }
    THRUST_ASSIGNMENT(+)
    THRUST_ASSIGNMENT(-)
    THRUST_ASSIGNMENT(*)
    THRUST_ASSIGNMENT(/)
    THRUST_ASSIGNMENT(%)
    THRUST_ASSIGNMENT(&)
    THRUST_ASSIGNMENT(|)
    THRUST_ASSIGNMENT(^)
    THRUST_ASSIGNMENT(<<)
    THRUST_ASSIGNMENT(>>)
#undef THRUST_ASSIGNMENT
    THRUST_HD const device_reference &operator++() const
    {
        return *this += 1;
    }
    THRUST_HD const device_reference &operator--() const
    {
        return *this -= 1;
    }
    THRUST_HD value_type operator++(int) const
    {
        value_type v = get();
        set(v + 1);
        return v;
    }
    THRUST_HD value_type operator--(int) const
    {
        value_type v = get();
        set(v - 1);
        return v;
    }
};

#ifndef __TERN_DEVICE__
template <class C, class S, class T>
std::basic_ostream<C, S> &operator<<(std::basic_ostream<C, S> &to, const device_reference<T> &r)
{
    return to << r.get();
}
template <class C, class S, class T>
std::basic_ostream<C, S> &operator<<(std::basic_ostream<C, S> &to, const device_ptr<T> &p)
{
    return to << (const void *)p.get();
}
#endif

template <class T> class device_ptr
{
    T *at;

  public:
    typedef T element_type;
    typedef typename std::remove_const<T>::type value_type;
    typedef device_reference<T> reference;
    typedef device_ptr pointer;
    typedef T *raw_pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    typedef device_system_tag system;
    template <class U> struct rebind {
        typedef device_ptr<U> other;
    };

    THRUST_HD device_ptr() : at(0)
    {
    }
    THRUST_HD device_ptr(decltype(nullptr)) : at(0)
    {
    }
    THRUST_HD explicit device_ptr(T *at) : at(at)
    {
    }
    template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
    THRUST_HD device_ptr(const device_ptr<U> &o) : at(o.get())
    {
    }
    THRUST_HD T *get() const
    {
        return at;
    }
    THRUST_HD T *base() const
    {
        return at;
    }
    THRUST_HD explicit operator bool() const
    {
        return at != 0;
    }
    THRUST_HD reference operator*() const
    {
        return reference(at);
    }
    THRUST_HD T *operator->() const
    {
        return at;
    }
    THRUST_HD reference operator[](ptrdiff_t i) const
    {
        return reference(at + i);
    }
    THRUST_HD device_ptr operator+(ptrdiff_t n) const
    {
        return device_ptr(at + n);
    }
    THRUST_HD device_ptr operator-(ptrdiff_t n) const
    {
        return device_ptr(at - n);
    }
    THRUST_HD device_ptr &operator+=(ptrdiff_t n)
    {
        at += n;
        return *this;
    }
    THRUST_HD device_ptr &operator-=(ptrdiff_t n)
    {
        at -= n;
        return *this;
    }
    THRUST_HD device_ptr &operator++()
    {
        return *this += 1;
    }
    THRUST_HD device_ptr &operator--()
    {
        return *this -= 1;
    }
    THRUST_HD device_ptr operator++(int)
    {
        device_ptr old = *this;
        at++;
        return old;
    }
    THRUST_HD device_ptr operator--(int)
    {
        device_ptr old = *this;
        at--;
        return old;
    }
};

template <class T>
THRUST_HD device_reference<T>::device_reference(const device_ptr<T> &p) : at(p.get())
{
}
template <class T> THRUST_HD device_ptr<T> device_reference<T>::operator&() const
{
    return device_ptr<T>(at);
}

template <class T> THRUST_HD device_ptr<T> operator+(ptrdiff_t n, const device_ptr<T> &p)
{
    return p + n;
}
template <class T, class U>
THRUST_HD ptrdiff_t operator-(const device_ptr<T> &a, const device_ptr<U> &b)
{
    return a.get() - b.get();
}
#define THRUST_COMPARE(op)                                                                         \
    template <class T, class U>                                                                    \
    THRUST_HD bool operator op(const device_ptr<T> &a, const device_ptr<U> &b)                     \
    {                                                                                              \
        return a.get() op b.get();                                                                 \
    }
THRUST_COMPARE(==)
THRUST_COMPARE(!=)
THRUST_COMPARE(<)
THRUST_COMPARE(>)
THRUST_COMPARE(<=)
THRUST_COMPARE(>=)
#undef THRUST_COMPARE
template <class T> THRUST_HD bool operator==(const device_ptr<T> &a, decltype(nullptr))
{
    return !a.get();
}
template <class T> THRUST_HD bool operator!=(const device_ptr<T> &a, decltype(nullptr))
{
    return a.get() != 0;
}
template <class T> THRUST_HD bool operator==(decltype(nullptr), const device_ptr<T> &a)
{
    return !a.get();
}
template <class T> THRUST_HD bool operator!=(decltype(nullptr), const device_ptr<T> &a)
{
    return a.get();
}

namespace detail
{
template <class T> struct raw_iterator<device_ptr<T>> {
    typedef T *type;
    THRUST_HD static T *get(const device_ptr<T> &p)
    {
        return p.get();
    }
};
} // namespace detail

template <class T> THRUST_HD device_ptr<T> device_pointer_cast(T *p)
{
    return device_ptr<T>(p);
}
template <class T> THRUST_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &p)
{
    return p;
}
namespace detail
{
template <class P> struct raw_pointer {
    typedef typename P::raw_pointer type;
    static THRUST_HD type of(const P &p)
    {
        return p.get();
    }
};
template <class T> struct raw_pointer<T *> {
    typedef T *type;
    static THRUST_HD T *of(T *p)
    {
        return p;
    }
};
} // namespace detail
/* As general as can be: a program's own for device_ptr<T>, found beside it, is the better one. */
template <class P> THRUST_HD typename detail::raw_pointer<P>::type raw_pointer_cast(P p)
{
    return detail::raw_pointer<P>::of(p);
}
template <class T> THRUST_HD T &raw_reference_cast(T &r)
{
    return r;
}
template <class T> THRUST_HD T &raw_reference_cast(const device_reference<T> &r)
{
    return *r.address();
}
template <class T, class U> THRUST_HD device_ptr<T> static_pointer_cast(const device_ptr<U> &p)
{
    return device_ptr<T>(static_cast<T *>(p.get()));
}
template <class T, class U> THRUST_HD device_ptr<T> reinterpret_pointer_cast(const device_ptr<U> &p)
{
    return device_ptr<T>(reinterpret_cast<T *>(p.get()));
}
template <class T> void swap(device_reference<T> a, device_reference<T> b)
{
    typename device_reference<T>::value_type v = a.get();
    a.set(b.get());
    b.set(v);
}

/* Anything else. Two types, so that the standard's is the better one where both are meant. */
template <class T, class U> THRUST_HD void swap(T &a, U &b)
{
    T c = a;
    a = b;
    b = c;
}

inline device_ptr<void> device_malloc(size_t bytes)
{
    void *p = 0;
    detail::check_memory(cudaMalloc(&p, bytes));
    return device_ptr<void>(p);
}
template <class T> device_ptr<T> device_malloc(size_t n)
{
    void *p = 0;
    detail::check_memory(cudaMalloc(&p, n * sizeof(T)));
    return device_ptr<T>((T *)p);
}
template <class T> void device_free(device_ptr<T> p)
{
    detail::check(cudaFree((void *)p.get()));
}
} // namespace thrust
