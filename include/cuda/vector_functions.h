/* make_int2(x, y) and its relatives. */
#pragma once
#include "vector_types.h"

#define __TERN_MAKE(name, T)                                                                       \
    __TERN_HD constexpr name##1 make_##name##1(T x) { return name##1{x}; }                         \
    __TERN_HD constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                 \
    __TERN_HD constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }         \
    __TERN_HD constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

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
