/* Elements of any type that tensors have, as the type that is computed with, and back. */
#pragma once
#include "device/dnn/types.h"

struct truth {
    unsigned char v;
};
struct nothing {
    unsigned char v;
};
template <class A, class T> struct element {
    static __device__ A get(T v)
    {
        return (A)wide(v);
    }
    static __device__ T put(A v)
    {
        T t;
        narrow(t, v);
        return t;
    }
};
__device__ inline long long whole(float v)
{
    return (long long)rintf(v);
}
__device__ inline long long whole(double v)
{
    return (long long)rint(v);
}
__device__ inline long long whole(long long v)
{
    return v;
}
#define WHOLE(T, low, high)                                                                        \
    template <class A> struct element<A, T> {                                                      \
        static __device__ A get(T v)                                                               \
        {                                                                                          \
            return (A)v;                                                                           \
        }                                                                                          \
        static __device__ T put(A v)                                                               \
        {                                                                                          \
            const long long w = whole(v);                                                          \
            return (T)(w < low ? low : w > high ? high : w);                                       \
        }                                                                                          \
    };
WHOLE(signed char, -128, 127)
WHOLE(unsigned char, 0, 255)
WHOLE(int, -2147483647 - 1, 2147483647)
WHOLE(unsigned, 0, 4294967295ll)
template <class A> struct element<A, long long> {
    static __device__ A get(long long v)
    {
        return (A)v;
    }
    static __device__ long long put(A v)
    {
        return whole(v);
    }
};
template <class A> struct element<A, truth> {
    static __device__ A get(truth v)
    {
        return A(v.v ? 1 : 0);
    }
    static __device__ truth put(A v)
    {
        truth t;
        t.v = v != A(0);
        return t;
    }
};
template <class A> struct element<A, nothing> {
    static __device__ A get(nothing)
    {
        return A(0);
    }
};

/* out = alpha * v + beta * out; what is multiplied by 0 is not read. */
template <class A, class T> __device__ inline void mix(T *out, A v, double alpha, double beta)
{
    v = (A)alpha * v;
    if (beta != 0.0)
        v += (A)beta * element<A, T>::get(*out);
    *out = element<A, T>::put(v);
}
