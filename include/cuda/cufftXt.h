/* cuFFT Xt: transforms of any type and size, and what cuFFT calls descriptors and callbacks. */
#pragma once
#define _CUFFTXT_H_
#include "cudalibxt.h"
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftXtSubFormat_t {
    CUFFT_XT_FORMAT_INPUT = 0,
    CUFFT_XT_FORMAT_OUTPUT = 1,
    CUFFT_XT_FORMAT_INPLACE = 2,
    CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
    CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
    CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 5,
    CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 6,
    CUFFT_FORMAT_UNDEFINED = 7
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
    CUFFT_COPY_HOST_TO_DEVICE = 0,
    CUFFT_COPY_DEVICE_TO_HOST = 1,
    CUFFT_COPY_DEVICE_TO_DEVICE = 2,
    CUFFT_COPY_UNDEFINED = 3
} cufftXtCopyType;

typedef enum cufftXtQueryType_t { CUFFT_QUERY_1D_FACTORS = 0, CUFFT_QUERY_UNDEFINED = 1 } cufftXtQueryType;

typedef struct cufftXt1dFactors_t {
    long long size, stringCount, stringLength, substringLength, factor1, factor2;
    long long stringMask, substringMask, factor1Mask, factor2Mask;
    int stringShift, substringShift, factor1Shift, factor2Shift;
} cufftXt1dFactors;

typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef enum cufftXtCallbackType_t {
    CUFFT_CB_LD_COMPLEX = 0,
    CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
    CUFFT_CB_LD_REAL = 2,
    CUFFT_CB_LD_REAL_DOUBLE = 3,
    CUFFT_CB_ST_COMPLEX = 4,
    CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
    CUFFT_CB_ST_REAL = 6,
    CUFFT_CB_ST_REAL_DOUBLE = 7,
    CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void *data, size_t offset, void *info, void *shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *data, size_t offset, void *info, void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *data, size_t offset, void *info, void *shared);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *data, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *data, size_t offset, cufftComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreZ)(void *data, size_t offset, cufftDoubleComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *data, size_t offset, cufftReal element, void *info, void *shared);
typedef void (*cufftCallbackStoreD)(void *data, size_t offset, cufftDoubleReal element, void *info, void *shared);
typedef cufftComplex (*cufftJITCallbackLoadC)(void *data, unsigned long long offset, void *info, void *shared);
typedef cufftDoubleComplex (*cufftJITCallbackLoadZ)(void *data, unsigned long long offset, void *info, void *shared);
typedef cufftReal (*cufftJITCallbackLoadR)(void *data, unsigned long long offset, void *info, void *shared);
typedef cufftDoubleReal (*cufftJITCallbackLoadD)(void *data, unsigned long long offset, void *info, void *shared);
typedef void (*cufftJITCallbackStoreC)(void *data, unsigned long long offset, cufftComplex element, void *info, void *shared);
typedef void (*cufftJITCallbackStoreZ)(void *data, unsigned long long offset, cufftDoubleComplex element, void *info, void *shared);
typedef void (*cufftJITCallbackStoreR)(void *data, unsigned long long offset, cufftReal element, void *info, void *shared);
typedef void (*cufftJITCallbackStoreD)(void *data, unsigned long long offset, cufftDoubleReal element, void *info, void *shared);

#include "tern_cufft.h"

#ifdef __cplusplus
}
#endif
#include "tern_cufft_callback.h"
