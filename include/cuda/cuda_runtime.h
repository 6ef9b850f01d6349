/* What every CUDA source sees first. */
#pragma once
#define __CUDA_RUNTIME_H__
#include "host_defines.h"
#ifdef __TERN_EDITOR__ /* what follows is for both sides, but these */
#include <stdio.h>
#include <stdlib.h>
#include <cxxabi.h>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>
#pragma clang force_cuda_host_device begin
#endif
#include "driver_types.h"
#include "vector_functions.h"
#include "device_launch_parameters.h"
#define CUDART_VERSION 12040
#define CUDA_VERSION   12040
#ifdef __TERN_DEVICE__
#include "common_functions.h"
#include "device_functions.h"
#include "device_atomic_functions.h"
#include "cuda_device_runtime_api.h"
#include "math_functions.h"
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#else
#ifdef __TERN_WATCHED__ /* host code that tells what it does: src/cuda/watch.c */
#include <stddef.h>
extern "C" void *memcpy(void *, const void *, size_t) noexcept __asm__("__tern_watched_memcpy");
extern "C" void *memmove(void *, const void *, size_t) noexcept __asm__("__tern_watched_memmove");
extern "C" void *memset(void *, int, size_t) noexcept __asm__("__tern_watched_memset");
#endif
#if defined __CUDACC__ || defined __TERN_HOST__ /* device code prints and asserts: no header is asked for on the host either */
#include <assert.h>
#include <stdio.h>
#endif
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <utility>
#endif
#include "cuda_runtime_api.h"
#include "tern_host_device.h"
#ifdef __TERN_HOST__
#include <tern_run.h>
#endif
#endif
#ifdef __TERN_EDITOR__
/* What clang makes of <<<>>>. */
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = nullptr);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
#pragma clang force_cuda_host_device end
extern "C" __attribute__((device)) int printf(const char *, ...);
extern "C" __attribute__((device)) void *malloc(size_t);
extern "C" __attribute__((device)) void free(void *);
#endif
#include "library_types.h"
#ifdef __cplusplus
/* What nvcc can say of closures: those for the device, and for both sides. All results are known here. */
template <int> struct __tern_some { typedef void type; };
template <class __T, class = void> struct __tern_closure_kind { static const int value = 0; };
template <class __T> struct __tern_closure_kind<__T, typename __tern_some<(int)__T::__tern_closure>::type> { static const int value = (int)__T::__tern_closure; };
#define __nv_is_extended_device_lambda_closure_type(...)               (__tern_closure_kind<__VA_ARGS__>::value == 1)
#define __nv_is_extended_host_device_lambda_closure_type(...)          (__tern_closure_kind<__VA_ARGS__>::value == 2)
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) (__tern_closure_kind<__VA_ARGS__>::value == 1)
#endif
