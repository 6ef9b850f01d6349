/* host_vector and device_vector: one class, with the memory of its system. */
#pragma once
#include "thrust/detail/allocators.h"
#include "thrust/detail/copy.h"
#include <initializer_list>
#ifndef __TERN_DEVICE__
#include <stdexcept>
#include <vector>
#endif

namespace thrust
{
/* Elements that are not given a value, or that of their type, which numbers do not have. */
struct no_init_t {
};
struct default_init_t {
};
static constexpr no_init_t no_init{};
static constexpr default_init_t default_init{};

namespace detail
{
/* Where a vector's elements lie: a base of it, with the allocator that it was given. */
template <class T> struct host_memory {
    typedef T *pointer;
    typedef const T *const_pointer;
    typedef T &reference;
    typedef const T &const_reference;
    typedef host_policy policy;
    static pointer take(size_t n)
    {
        return n ? new T[n] : nullptr;
    }
    static void give(pointer p, size_t)
    {
        delete[] p;
    }
    std::allocator<T> allocator() const
    {
        return std::allocator<T>();
    }
};
template <class T> struct device_memory {
    typedef device_ptr<T> pointer;
    typedef device_ptr<const T> const_pointer;
    typedef device_reference<T> reference;
    typedef device_reference<const T> const_reference;
    typedef device_policy policy;
    static pointer take(size_t n)
    {
        return n ? device_malloc<T>(n) : pointer();
    }
    static void give(pointer p, size_t)
    {
        cudaFree((void *)p.get());
    }
    device_allocator<T> allocator() const
    {
        return device_allocator<T>();
    }
};
template <class P> struct pointed;
template <class T> struct pointed<T *> {
    typedef const T *const_pointer;
};
template <template <class> class P, class T> struct pointed<P<T>> {
    typedef P<const T> const_pointer;
};
/* An allocator's. Whether it wants to construct elements is not asked: values are copied there. */
template <class T, class A> struct allocated_memory : private A {
    typedef typename A::pointer pointer;
    typedef typename pointed<pointer>::const_pointer const_pointer;
    typedef reference_of<pointer> reference;
    typedef reference_of<const_pointer> const_reference;
    typedef typename policy_of<typename system_of<pointer>::type>::type policy;
    allocated_memory()
    {
    }
    allocated_memory(const A &a) : A(a)
    {
    }
    pointer take(size_t n)
    {
        if (!n)
            return pointer();
        pointer p = A::allocate(n);
        if constexpr (!policy::on_device && !std::is_trivially_default_constructible<T>::value)
            for (size_t i = 0; i < n; i++)
                ::new ((void *)&p[i]) T();
        return p;
    }
    void give(pointer p, size_t n)
    {
        if (!n)
            return;
        if constexpr (!policy::on_device && !std::is_trivially_destructible<T>::value)
            for (size_t i = 0; i < n; i++)
                p[i].~T();
        A::deallocate(p, n);
    }
    A allocator() const
    {
        return *this;
    }
};
template <class T, class A> struct memory_of {
    typedef allocated_memory<T, A> type;
};
template <class T> struct memory_of<T, std::allocator<T>> {
    typedef host_memory<T> type;
};
template <class T> struct memory_of<T, device_allocator<T>> {
    typedef device_memory<T> type;
};

template <class T, class M> class vector : private M
{
  public:
    typedef T value_type;
    typedef typename M::pointer pointer;
    typedef typename M::const_pointer const_pointer;
    typedef typename M::reference reference;
    typedef typename M::const_reference const_reference;
    typedef pointer iterator;
    typedef const_pointer const_iterator;
    typedef thrust::reverse_iterator<iterator> reverse_iterator;
    typedef thrust::reverse_iterator<const_iterator> const_reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;

  private:
    pointer first = pointer();
    size_t count = 0, room = 0;

    static constexpr typename M::policy policy()
    {
        return typename M::policy();
    }
    void make(size_t n)
    {
        first = M::take(n);
        room = count = n;
    }
    void grow(size_t n)
    {
        if (n <= room)
            return;
        size_t more = room * 2;
        if (more < n)
            more = n;
        pointer to = M::take(more);
        thrust::copy(policy(), first, first + count, to);
        M::give(first, room);
        first = to;
        room = more;
    }
    template <class I> void take(I from, I to)
    {
        const size_t n = length(from, to);
        if (n > room) {
            M::give(first, room);
            first = pointer();
            room = count = 0;
            make(n);
        }
        count = n;
        thrust::copy(from, to, first);
    }

  public:
    vector()
    {
    }
    ~vector()
    {
        M::give(first, room);
    }
    explicit vector(size_t n)
    {
        make(n);
        thrust::fill(policy(), begin(), end(), T());
    }
    vector(size_t n, no_init_t)
    {
        make(n);
    }
    vector(size_t n, default_init_t) /* numbers have no value by default */
    {
        make(n);
        if constexpr (!std::is_trivially_default_constructible<T>::value)
            thrust::fill(policy(), begin(), end(), T());
    }
    vector(size_t n, const T &v)
    {
        make(n);
        thrust::fill(policy(), begin(), end(), v);
    }
    template <class I, class = typename std::enable_if<!std::is_arithmetic<I>::value>::type>
    vector(I from, I to)
    {
        take(from, to);
    }
    vector(std::initializer_list<T> l)
    {
        take(l.begin(), l.end());
    }
    vector(std::initializer_list<T> l, const M &m) : M(m)
    {
        take(l.begin(), l.end());
    }
    explicit vector(const M &m) : M(m)
    {
    }
    vector(size_t n, const M &m) : M(m)
    {
        make(n);
        thrust::fill(policy(), begin(), end(), T());
    }
    vector(size_t n, const T &v, const M &m) : M(m)
    {
        make(n);
        thrust::fill(policy(), begin(), end(), v);
    }
    template <class I, class = typename std::enable_if<!std::is_arithmetic<I>::value>::type>
    vector(I from, I to, const M &m) : M(m)
    {
        take(from, to);
    }
    vector(const vector &o) : M(o)
    {
        take(o.begin(), o.end());
    }
    vector(vector &&o) noexcept : M(o)
    {
        swap(o);
    }
    template <class U, class N> vector(const vector<U, N> &o)
    {
        take(o.begin(), o.end());
    }
#ifndef __TERN_DEVICE__
    template <class U, class A> vector(const std::vector<U, A> &o)
    {
        take(o.begin(), o.end());
    }
    template <class U, class A> vector &operator=(const std::vector<U, A> &o)
    {
        take(o.begin(), o.end());
        return *this;
    }
#endif
    vector &operator=(const vector &o)
    {
        if (this != &o)
            take(o.begin(), o.end());
        return *this;
    }
    vector &operator=(vector &&o) noexcept
    {
        swap(o);
        return *this;
    }
    template <class U, class N> vector &operator=(const vector<U, N> &o)
    {
        take(o.begin(), o.end());
        return *this;
    }
    vector &operator=(std::initializer_list<T> l)
    {
        take(l.begin(), l.end());
        return *this;
    }
    auto get_allocator() const
    {
        return M::allocator();
    }
    void swap(vector &o)
    {
        std::swap((M &)*this, (M &)o);
        std::swap(first, o.first);
        std::swap(count, o.count);
        std::swap(room, o.room);
    }

    iterator begin()
    {
        return first;
    }
    iterator end()
    {
        return first + count;
    }
    const_iterator begin() const
    {
        return first;
    }
    const_iterator end() const
    {
        return first + count;
    }
    const_iterator cbegin() const
    {
        return first;
    }
    const_iterator cend() const
    {
        return first + count;
    }
    reverse_iterator rbegin()
    {
        return reverse_iterator(end());
    }
    reverse_iterator rend()
    {
        return reverse_iterator(begin());
    }
    const_reverse_iterator rbegin() const
    {
        return const_reverse_iterator(end());
    }
    const_reverse_iterator rend() const
    {
        return const_reverse_iterator(begin());
    }
    pointer data()
    {
        return first;
    }
    const_pointer data() const
    {
        return first;
    }

    size_t size() const
    {
        return count;
    }
    size_t capacity() const
    {
        return room;
    }
    size_t max_size() const
    {
        return (size_t)-1 / 2 / sizeof(T);
    }
    bool empty() const
    {
        return count == 0;
    }

    reference operator[](size_t i)
    {
        return begin()[i];
    }
    const_reference operator[](size_t i) const
    {
        return begin()[i];
    }
    reference front()
    {
        return *begin();
    }
    const_reference front() const
    {
        return *begin();
    }
    reference back()
    {
        return begin()[count - 1];
    }
    const_reference back() const
    {
        return begin()[count - 1];
    }

    void reserve(size_t n)
    {
        if (n > room) {
            pointer to = M::take(n);
            thrust::copy(policy(), first, first + count, to);
            M::give(first, room);
            first = to;
            room = n;
        }
    }
    void resize(size_t n, no_init_t)
    {
        grow(n);
        count = n;
    }
    void resize(size_t n, default_init_t)
    {
        if constexpr (std::is_trivially_default_constructible<T>::value)
            resize(n, no_init_t());
        else
            resize(n, T());
    }
    void resize(size_t n, const T &v = T())
    {
        grow(n);
        if (n > count)
            thrust::fill(policy(), first + count, first + n, v);
        count = n;
    }
    void shrink_to_fit()
    {
        if (count < room) {
            vector v(*this);
            swap(v);
        }
    }
    void clear()
    {
        count = 0;
    }
    void push_back(const T &v)
    {
        const T kept = v; /* it may be one of ours */
        grow(count + 1);
        first[count++] = kept;
    }
    template <class... A> void emplace_back(A &&...a)
    {
        push_back(T(std::forward<A>(a)...));
    }
    void pop_back()
    {
        count--;
    }

    void assign(size_t n, const T &v)
    {
        const T kept = v;
        clear();
        resize(n, kept);
    }
    template <class I, class = typename std::enable_if<!std::is_arithmetic<I>::value>::type>
    void assign(I from, I to)
    {
        take(from, to);
    }
    iterator erase(const_iterator at)
    {
        return erase(at, at + 1);
    }
    iterator erase(const_iterator from, const_iterator to)
    {
        const size_t i = from - cbegin(), n = to - from;
        vector tail(to, cend());
        thrust::copy(policy(), tail.begin(), tail.end(), begin() + i);
        count -= n;
        return begin() + i;
    }
    iterator insert(const_iterator at, const T &v)
    {
        const size_t i = at - cbegin();
        insert(at, 1, v);
        return begin() + i;
    }
    void insert(const_iterator at, size_t n, const T &v)
    {
        const size_t i = at - cbegin();
        vector tail(at, cend());
        const T kept = v;
        grow(count + n);
        thrust::fill(policy(), first + i, first + i + n, kept);
        thrust::copy(policy(), tail.begin(), tail.end(), first + i + n);
        count += n;
    }
    template <class I, class = typename std::enable_if<!std::is_arithmetic<I>::value>::type>
    void insert(const_iterator at, I from, I to)
    {
        const size_t i = at - cbegin();
        vector tail(at, cend()), more(from, to);
        grow(count + more.size());
        thrust::copy(policy(), more.begin(), more.end(), first + i);
        thrust::copy(policy(), tail.begin(), tail.end(), first + i + more.size());
        count += more.size();
    }
};

#ifndef __TERN_DEVICE__
template <class T, class M> vector<T, host_memory<T>> on_host(const vector<T, M> &v)
{
    return v;
}
template <class A, class B> bool same_elements(const A &a, const B &b)
{
    if (a.size() != b.size())
        return false;
    for (size_t i = 0; i < a.size(); i++)
        if (!(a[i] == b[i]))
            return false;
    return true;
}
template <class T, class M, class U, class N>
bool operator==(const vector<T, M> &a, const vector<U, N> &b)
{
    return a.size() == b.size() && same_elements(on_host(a), on_host(b));
}
template <class T, class M, class U, class N>
bool operator!=(const vector<T, M> &a, const vector<U, N> &b)
{
    return !(a == b);
}
template <class T, class M, class U, class A>
bool operator==(const vector<T, M> &a, const std::vector<U, A> &b)
{
    return a.size() == b.size() && same_elements(on_host(a), b);
}
template <class T, class M, class U, class A>
bool operator==(const std::vector<U, A> &b, const vector<T, M> &a)
{
    return a == b;
}
template <class T, class M, class U, class A>
bool operator!=(const vector<T, M> &a, const std::vector<U, A> &b)
{
    return !(a == b);
}
template <class T, class M, class U, class A>
bool operator!=(const std::vector<U, A> &b, const vector<T, M> &a)
{
    return !(a == b);
}
#endif
template <class T, class M> void swap(vector<T, M> &a, vector<T, M> &b)
{
    a.swap(b);
}
} // namespace detail

/* Kernels may see classes that have one, and no more of it than its size. */
#ifdef __TERN_DEVICE__
#define THRUST_VECTOR(name, of)                                                                    \
    template <class T, class A = of<T>>                                                            \
    class name : public detail::vector<T, typename detail::memory_of<T, A>::type>                  \
    {                                                                                              \
    };
#else
#define THRUST_VECTOR(name, of)                                                                    \
    template <class T, class A = of<T>>                                                            \
    class name : public detail::vector<T, typename detail::memory_of<T, A>::type>                  \
    {                                                                                              \
        typedef detail::vector<T, typename detail::memory_of<T, A>::type> base;                    \
                                                                                                   \
      public:                                                                                      \
        typedef A allocator_type;                                                                  \
        using base::base;                                                                          \
        using base::operator=;                                                                     \
        name()                                                                                     \
        {                                                                                          \
        }                                                                                          \
        name(const name &) = default;                                                              \
        name(name &&) = default;                                                                   \
        template <class U, class N> name(const detail::vector<U, N> &o) : base(o)                  \
        {                                                                                          \
        }                                                                                          \
        name &operator=(const name &) = default;                                                   \
        name &operator=(name &&) = default;                                                        \
    };
#endif
THRUST_VECTOR(host_vector, std::allocator)
THRUST_VECTOR(device_vector, device_allocator)
#undef THRUST_VECTOR
template <class T, class A = universal_allocator<T>>
using universal_vector = device_vector<T, A>;
template <class T, class A = universal_host_pinned_allocator<T>>
using universal_host_pinned_vector = device_vector<T, A>;
} // namespace thrust
