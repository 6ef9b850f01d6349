/* CUB is where it is: ::cub. */
#pragma once
#include "cub/version.cuh"
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_NS_QUALIFIER    ::cub
#define CUB_NAMESPACE_BEGIN                                                                        \
    namespace cub                                                                                  \
    {
#define CUB_NAMESPACE_END   }
