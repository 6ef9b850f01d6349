/* Instead of tern_parallel.h for C++ compilers that know no kernels: a program's .cpp files include Thrust's headers for vectors, pointers, iterators and
 * what the host does. What would start a kernel is refused there, where it is used. */
#pragma once
#include "tern_parallel_range.h"

namespace tern_parallel
{
template <class> struct starts_kernels {
    enum { here = 0 };
};
#define TERN_PLAIN(name, ...)                                                                                                                                  \
    template <__VA_ARGS__ class First, class... Rest> cudaError_t name(First &&, Rest &&...)                                                                   \
    {                                                                                                                                                          \
        static_assert(starts_kernels<First>::here, "this starts a kernel: it belongs into a .cu file, for terncc");                                            \
        return cudaErrorInvalidDeviceFunction;                                                                                                                 \
    }
TERN_PLAIN(each)
TERN_PLAIN(copy)
TERN_PLAIN(reduce, class T,)
TERN_PLAIN(scan, bool exclusive, class T,)
TERN_PLAIN(scan_runs, class T,)
TERN_PLAIN(reduce_runs, class T,)
TERN_PLAIN(select)
TERN_PLAIN(partition, rest how,)
TERN_PLAIN(sort_digits)
TERN_PLAIN(sort_merge)
#undef TERN_PLAIN
} // namespace tern_parallel
