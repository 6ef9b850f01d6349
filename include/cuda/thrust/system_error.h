/* What algorithms throw when the device reports an error. */
#pragma once
#include "cuda_runtime.h"
#ifndef __TERN_DEVICE__
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace thrust
{
using std::error_category;
using std::error_code;
using std::error_condition;
using std::system_error;

namespace detail
{
struct cuda_category_class : std::error_category {
    const char *name() const noexcept override
    {
        return "cuda";
    }
    std::string message(int code) const override
    {
        return cudaGetErrorString((cudaError_t)code);
    }
};
} // namespace detail
inline const std::error_category &cuda_category()
{
    static const detail::cuda_category_class category;
    return category;
}
namespace system
{
using std::error_code;
using std::system_error;
using thrust::cuda_category;
} // namespace system

namespace detail
{
inline void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        cudaGetLastError();
        throw std::system_error((int)e, cuda_category());
    }
}
struct bad_alloc : std::bad_alloc {
    std::string text;
    explicit bad_alloc(cudaError_t e)
        : text(std::string("std::bad_alloc: ") + cudaGetErrorString(e))
    {
    }
    const char *what() const noexcept override
    {
        return text.c_str();
    }
};
inline void check_memory(cudaError_t e)
{
    if (e != cudaSuccess) {
        cudaGetLastError();
        throw bad_alloc(e);
    }
}
} // namespace detail
} // namespace thrust
#else
namespace thrust
{
namespace detail
{
void check(cudaError_t);
void check_memory(cudaError_t);
} // namespace detail
} // namespace thrust
#endif
