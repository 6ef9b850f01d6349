/* make_int2(x, y) and its relatives. */
#pragma once
#define __VECTOR_FUNCTIONS_H__
#include "vector_types.h"

#ifdef __cplusplus
#define __TERN_MAKE_FN __TERN_HD constexpr
#define __TERN_MAKE_OF(type, ...) type{__VA_ARGS__}
#else
#define __TERN_MAKE_FN static inline
#define __TERN_MAKE_OF(type, ...) (type){__VA_ARGS__}
#endif
#define __TERN_MAKE(name, T)                                                                       \
    __TERN_MAKE_FN name##1 make_##name##1(T x) { return __TERN_MAKE_OF(name##1, x); }              \
    __TERN_MAKE_FN name##2 make_##name##2(T x, T y) { return __TERN_MAKE_OF(name##2, x, y); }      \
    __TERN_MAKE_FN name##3 make_##name##3(T x, T y, T z) { return __TERN_MAKE_OF(name##3, x, y, z); } \
    __TERN_MAKE_FN name##4 make_##name##4(T x, T y, T z, T w) { return __TERN_MAKE_OF(name##4, x, y, z, w); }

__TERN_MAKE(char, signed char)
__TERN_MAKE(uchar, unsigned char)
__TERN_MAKE(short, short)
__TERN_MAKE(ushort, unsigned short)
__TERN_MAKE(int, int)
__TERN_MAKE(uint, unsigned int)
__TERN_MAKE(long, long)
__TERN_MAKE(ulong, unsigned long)
__TERN_MAKE(longlong, long long)
__TERN_MAKE(ulonglong, unsigned long long)
__TERN_MAKE(float, float)
__TERN_MAKE(double, double)
#undef __TERN_MAKE
