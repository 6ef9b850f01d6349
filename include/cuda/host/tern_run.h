/* What the compiler makes of arrays whose sizes are known at run time only (front/cuda/sema/runtime_array.c). */
#pragma once
#include <new>
namespace std {
template <class T> T *__tern_run_of(bool zero, size_t n)
{
    if constexpr (!__is_trivially_constructible(T) || !__is_trivially_destructible(T)) {
        return new T[n]();
    } else {
        T *p = (T *)__tern_malloc(n * sizeof(T));
        for (size_t i = 0; zero && i < n * sizeof(T); i++)
            ((char *)p)[i] = 0;
        return p;
    }
}
template <class T> void __tern_run_free(T *p)
{
    if constexpr (!__is_trivially_constructible(T) || !__is_trivially_destructible(T))
        delete[] p;
    else
        __tern_free((void *)p);
}
template <class T> struct __tern_run {
    T *__p;
    size_t __n;
    __tern_run(bool zero, size_t n) : __p(__tern_run_of<T>(zero, n)), __n(n) {}
    __tern_run(const __tern_run &) = delete;
    ~__tern_run() { __tern_run_free(__p); }
    size_t __bytes() const { return __n * sizeof(T); }
    T &__at(size_t i) const { if (i >= __n) __tern_throw("std::length_error", "more elements than the array has"); return __p[i]; }
    T *begin() const { return __p; }
    T *end() const { return __p + __n; }
};
template <class T, int d> struct __tern_row {
    T *__p;
    const size_t *__sizes;
    __tern_row(T *p, const size_t *sizes) : __p(p), __sizes(sizes) {}
    __tern_row(const __tern_row &o) : __p(o.__p), __sizes(o.__sizes) {}
    __tern_row &operator=(const __tern_row &) = delete;
    size_t __elements() const { size_t n = 1; for (int k = 0; k < d; k++) n *= __sizes[k]; return n; }
    size_t __bytes() const { return __elements() * sizeof(T); }
    __tern_row<T, d - 1> operator[](ptrdiff_t i) const { return __tern_row<T, d - 1>(__p + (ptrdiff_t)(__elements() / __sizes[0]) * i, __sizes + 1); }
    operator void *() const { return (void *)__p; }
};
template <class T> struct __tern_row<T, 1> {
    T *__p;
    const size_t *__sizes;
    __tern_row(T *p, const size_t *sizes) : __p(p), __sizes(sizes) {}
    __tern_row(const __tern_row &o) : __p(o.__p), __sizes(o.__sizes) {}
    __tern_row &operator=(const __tern_row &) = delete;
    size_t __bytes() const { return __sizes[0] * sizeof(T); }
    T &operator[](ptrdiff_t i) const { return __p[i]; }
    operator T *() const { return __p; }
    T *begin() const { return __p; }
    T *end() const { return __p + __sizes[0]; }
};
template <class T, int d> struct __tern_rows {
    size_t __sizes[d];
    T *__p;
    template <class... N> __tern_rows(bool zero, N... n) : __sizes{n...}, __p(nullptr)
    {
        size_t all = 1;
        for (int k = 0; k < d; k++)
            all *= __sizes[k];
        __p = __tern_run_of<T>(zero, all);
    }
    __tern_rows(const __tern_rows &) = delete;
    ~__tern_rows() { __tern_run_free(__p); }
    __tern_row<T, d> __all() const { return __tern_row<T, d>(__p, __sizes); }
    size_t __bytes() const { return __all().__bytes(); }
    __tern_row<T, d - 1> operator[](ptrdiff_t i) const { return __all()[i]; }
    operator void *() const { return (void *)__p; }
};
}
