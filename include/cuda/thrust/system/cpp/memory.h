/* The host's memory: its pointers are plain ones. */
#pragma once
#include "thrust/detail/allocators.h"
#include "thrust/system/cpp/execution_policy.h"

namespace thrust
{
namespace system
{
namespace cpp
{
typedef detail::host_resource memory_resource;
template <class T> using pointer = T *;
template <class T> using allocator = mr::stateless_resource_allocator<T, memory_resource>;
inline void *malloc(size_t bytes)
{
    return ::malloc(bytes);
}
template <class T> T *malloc(size_t n)
{
    return (T *)::malloc(n * sizeof(T));
}
inline void free(void *p)
{
    ::free(p);
}
} // namespace cpp
} // namespace system
namespace cpp
{
using system::cpp::allocator;
using system::cpp::free;
using system::cpp::malloc;
using system::cpp::memory_resource;
using system::cpp::pointer;
} // namespace cpp
} // namespace thrust
