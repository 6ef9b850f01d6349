/* Tern's own Thrust: which one it answers to. */
#pragma once
#include <cuda/__cccl_config>
#define THRUST_VERSION          200400
#define THRUST_MAJOR_VERSION    2
#define THRUST_MINOR_VERSION    4
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_PATCH_NUMBER     0
#define THRUST_NS_QUALIFIER ::thrust
#define THRUST_NAMESPACE_BEGIN                                                                     \
    namespace thrust                                                                               \
    {
#define THRUST_NAMESPACE_END      }
#define THRUST_HOST_SYSTEM_CPP    1
#define THRUST_HOST_SYSTEM        THRUST_HOST_SYSTEM_CPP
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM      THRUST_DEVICE_SYSTEM_CUDA
