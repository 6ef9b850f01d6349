/* Standard headers for host code that we compile ourselves; those that are not here are as for device
 * code. */
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef struct { long long __a; double __b[3]; } max_align_t;
#define NULL nullptr
#define offsetof(type, member) __builtin_offsetof(type, member)
namespace std { using ::size_t; using ::ptrdiff_t; using ::max_align_t; typedef decltype(nullptr) nullptr_t; }
