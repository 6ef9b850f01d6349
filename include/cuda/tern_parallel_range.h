/* The words in which algorithms over ranges are told what to do: no kernels, so that any C++ compiler
 * takes them. What does it, on the device, is tern_parallel.h. */
#pragma once
#include "cuda_runtime.h"

namespace tern_parallel
{
struct workspace {
    char *base;
    size_t used = 0;
    explicit workspace(void *memory) : base((char *)memory)
    {
    }
    bool counts() const
    {
        return !base;
    }
    template <class T> T *take(size_t n)
    {
        used = (used + 255) / 256 * 256;
        T *p = base ? (T *)(base + used) : (T *)0;
        used += n * sizeof(T);
        return p;
    }
};

/* What a scan or reduction starts with: a value, one to be read on the device, or none. */
template <class T> struct start_value {
    T value;
    enum { given = 1 };
    __host__ __device__ T get() const
    {
        return value;
    }
};
template <class T, class P> struct start_read {
    P value;
    enum { given = 1 };
    __host__ __device__ T get() const
    {
        return *value;
    }
};
struct start_none {
    enum { given = 0 };
};

/* A value, and how many runs began up to it: joining two of these is associative. */
template <class T> struct in_run {
    T value;
    size_t runs;
    bool head;
};
template <class T, class Op> struct join_runs {
    Op op;
    __host__ __device__ in_run<T> operator()(const in_run<T> &a, const in_run<T> &b)
    {
        if (b.head)
            return in_run<T>{b.value, a.runs + b.runs, true};
        return in_run<T>{op(a.value, b.value), a.runs + b.runs, a.head};
    }
};
template <class T, class Keys, class Values, class Equal> struct runs_of {
    Keys keys;
    Values values;
    Equal equal;
    __host__ __device__ in_run<T> operator[](size_t i)
    {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        return in_run<T>{values[i], head, head};
    }
};
/* The same for exclusive scans: each has the value before it, heads have the first. */
template <class T, class Keys, class Values, class Equal> struct runs_before {
    Keys keys;
    Values values;
    Equal equal;
    T first;
    __host__ __device__ in_run<T> operator[](size_t i)
    {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        T value = first;
        if (!head)
            value = values[i - 1];
        return in_run<T>{value, head, head};
    }
};

/* Those not selected: behind the selected ones, or backwards from the end, or nowhere. */
enum rest { BEHIND, BACKWARDS, NOWHERE };

template <class In, class Predicate> struct flags_if {
    In in;
    Predicate predicate;
    __host__ __device__ bool operator[](size_t i)
    {
        return predicate(in[i]);
    }
};
template <class In, class Predicate> struct flags_if_not {
    In in;
    Predicate predicate;
    __host__ __device__ bool operator[](size_t i)
    {
        return !predicate(in[i]);
    }
};
template <class In, class Equal> struct flags_first { /* of a run of equal ones */
    In in;
    Equal equal;
    __host__ __device__ bool operator[](size_t i)
    {
        return i == 0 || !equal(in[i - 1], in[i]);
    }
};

struct no_values {
};

/* Where a key goes among those in order: before its equals, or behind them. */
template <class Keys, class K, class Less>
__host__ __device__ size_t lower_place(Keys keys, size_t from, size_t to, const K &k, Less less)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (less(keys[middle], k))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
template <class Keys, class K, class Less>
__host__ __device__ size_t upper_place(Keys keys, size_t from, size_t to, const K &k, Less less)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (less(k, keys[middle]))
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}
} // namespace tern_parallel
