#pragma once
#include "thrust/detail/allocators.h"
#include "thrust/detail/copy.h"

namespace thrust
{
template <class T> device_ptr<T> device_new(size_t n)
{
    device_ptr<T> p = device_malloc<T>(n);
    thrust::fill(device, p, p + n, T());
    return p;
}
template <class T> device_ptr<T> device_new(device_ptr<void> at, const T &v, size_t n)
{
    device_ptr<T> p((T *)at.get());
    thrust::fill(device, p, p + n, v);
    return p;
}
} // namespace thrust
#include "thrust/detail/elements.h" /* as CUDA's own does */
