/* The part of the C library that kernels use: memory, output, ends. printf, malloc, free, memcpy
 * and memset are known to the front end. */
#pragma once
#include "host_defines.h"
#ifdef __TERN_DEVICE__
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned short ushort; /* what <sys/types.h> gives the host */
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long ssize_t;
typedef float float_t; /* what <math.h> does */
typedef double double_t;

#ifdef __cplusplus
/* Called by name; new and delete themselves are known to the front end. */
__device__ inline void *operator new(size_t n) { return malloc(n); }
__device__ inline void *operator new[](size_t n) { return malloc(n); }
__device__ inline void operator delete(void *p) noexcept { free(p); }
__device__ inline void operator delete[](void *p) noexcept { free(p); }
__device__ inline void operator delete(void *p, size_t) noexcept { free(p); }
__device__ inline void operator delete[](void *p, size_t) noexcept { free(p); }
#endif
__TERN_FN void *memmove(void *d, const void *s, size_t n)
{
    char *to = (char *)d;
    const char *from = (const char *)s;
    if (to <= from || to >= from + n)
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    else
        while (n--)
            to[n] = from[n];
    return d;
}
__TERN_FN int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
__TERN_FN void *memchr(const void *p, int c, size_t n)
{
    const unsigned char *x = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++)
        if (x[i] == (unsigned char)c)
            return (void *)(x + i);
    return nullptr;
}
__TERN_FN size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
__TERN_FN int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}
__TERN_FN int strncmp(const char *a, const char *b, size_t n)
{
    while (n && *a && *a == *b)
        a++, b++, n--;
    return n ? (int)(unsigned char)*a - (int)(unsigned char)*b : 0;
}
__TERN_FN char *strcpy(char *d, const char *s)
{
    char *r = d;
    while ((*d++ = *s++))
        ;
    return r;
}
__TERN_FN char *strncpy(char *d, const char *s, size_t n)
{
    size_t i = 0;
    for (; i < n && s[i]; i++)
        d[i] = s[i];
    for (; i < n; i++)
        d[i] = 0;
    return d;
}
__TERN_FN const char *strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (!*s)
            return nullptr;
    return s;
}
__TERN_FN void abort()
{
    __tern_trap();
}
/* What assert of other headers ends in. */
extern "C" __device__ inline void __assertfail(const char *what, const char *file, unsigned line, const char *func, size_t)
{
    __tern_assertfail(what, file, line, func);
}
/* As others declare it; one of two overloads only can be extern "C". */
__device__ inline void __assertfail(const void *what, const void *file, unsigned line, const void *func, size_t)
{
    __tern_assertfail((const char *)what, (const char *)file, line, (const char *)func);
}
extern "C" __device__ inline void __assert_fail(const char *what, const char *file, unsigned line, const char *func)
{
    __tern_assertfail(what, file, line, func);
}
#endif
