/* NPP's types and numbers. Only for host code. */
#pragma once
#include <stddef.h>
#include "cuda_runtime_api.h"

#define NPP_VERSION_MAJOR 13
#define NPP_VERSION_MINOR 0
#define NPP_VERSION_BUILD 0
#define NPP_VER_MAJOR NPP_VERSION_MAJOR
#define NPP_VER_MINOR NPP_VERSION_MINOR
#define NPP_VER_BUILD NPP_VERSION_BUILD

typedef unsigned char Npp8u;
typedef signed char Npp8s;
typedef unsigned short Npp16u;
typedef short Npp16s;
typedef unsigned int Npp32u;
typedef int Npp32s;
typedef unsigned long long Npp64u;
typedef long long Npp64s;
typedef float Npp32f;
typedef double Npp64f;
typedef struct { Npp32f re, im; } Npp32fc;
typedef struct { Npp64f re, im; } Npp64fc;

/* What calls answer: errors are below 0, warnings above. */
typedef enum {
    NPP_SUCCESS = 0,
    NPP_NO_ERROR = NPP_SUCCESS,
    NPP_NO_OPERATION_WARNING = 1,
    NPP_WRONG_INTERSECTION_ROI_WARNING = 29,
    NPP_ERROR = -2,
    NPP_NOT_IMPLEMENTED_ERROR = -3,
    NPP_NO_MEMORY_ERROR = -4,
    NPP_BAD_ARGUMENT_ERROR = -5,
    NPP_SIZE_ERROR = -6,
    NPP_RANGE_ERROR = -7,
    NPP_NULL_POINTER_ERROR = -8,
    NPP_MEMORY_ALLOCATION_ERR = -9,
    NPP_DIVIDE_BY_ZERO_ERROR = -10,
    NPP_MEMCPY_ERROR = -13,
    NPP_STEP_ERROR = -14,
    NPP_MIRROR_FLIP_ERROR = -21,
    NPP_INTERPOLATION_ERROR = -22,
    NPP_RESIZE_FACTOR_ERROR = -23,
    NPP_NOT_SUFFICIENT_COMPUTE_CAPABILITY = -27,
    NPP_MASK_SIZE_ERROR = -33,
    NPP_ANCHOR_ERROR = -34,
    NPP_DIVISOR_ERROR = -51,
    NPP_COEFFICIENT_ERROR = -56,
    NPP_RECTANGLE_ERROR = -57,
    NPP_CHANNEL_ORDER_ERROR = -60,
    NPP_LUT_NUMBER_OF_LEVELS_ERROR = -106,
    NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR = -107,
    NPP_ROUND_MODE_NOT_SUPPORTED_ERROR = -213,
    NPP_CUDA_KERNEL_EXECUTION_ERROR = -1000,
    NPP_NOT_SUPPORTED_MODE_ERROR = -9999
} NppStatus;

typedef struct { int x, y; } NppiPoint;
typedef struct { int width, height; } NppiSize;
typedef struct { int x, y, width, height; } NppiRect;
typedef struct { int major, minor, build; } NppLibraryVersion;

typedef enum {
    NPPI_INTER_UNDEFINED = 0,
    NPPI_INTER_NN = 1,
    NPPI_INTER_LINEAR = 2,
    NPPI_INTER_CUBIC = 4,
    NPPI_INTER_CUBIC2P_BSPLINE,
    NPPI_INTER_CUBIC2P_CATMULLROM,
    NPPI_INTER_CUBIC2P_B05C03,
    NPPI_INTER_SUPER = 8,
    NPPI_INTER_LANCZOS = 16,
    NPPI_INTER_LANCZOS3_ADVANCED = 17,
    NPPI_SMOOTH_EDGE = (int)0x8000000
} NppiInterpolationMode;
typedef enum { nppiNormInf = 0, nppiNormL1 = 1, nppiNormL2 = 2 } NppiNorm;
typedef enum { NPP_FILTER_SOBEL, NPP_FILTER_SCHARR } NppiDifferentialKernel;
typedef enum {
    NPP_MASK_SIZE_1_X_3,
    NPP_MASK_SIZE_1_X_5,
    NPP_MASK_SIZE_3_X_1 = 100,
    NPP_MASK_SIZE_5_X_1,
    NPP_MASK_SIZE_3_X_3 = 200,
    NPP_MASK_SIZE_5_X_5,
    NPP_MASK_SIZE_7_X_7 = 400,
    NPP_MASK_SIZE_9_X_9 = 500,
    NPP_MASK_SIZE_11_X_11 = 600,
    NPP_MASK_SIZE_13_X_13 = 700,
    NPP_MASK_SIZE_15_X_15 = 800
} NppiMaskSize;
typedef enum { NPP_HORIZONTAL_AXIS, NPP_VERTICAL_AXIS, NPP_BOTH_AXIS } NppiAxis;
typedef enum { NPP_CMP_LESS, NPP_CMP_LESS_EQ, NPP_CMP_EQ, NPP_CMP_GREATER_EQ, NPP_CMP_GREATER } NppCmpOp;
typedef enum {
    NPP_RND_NEAR,
    NPP_ROUND_NEAREST_TIES_TO_EVEN = NPP_RND_NEAR,
    NPP_RND_FINANCIAL,
    NPP_ROUND_NEAREST_TIES_AWAY_FROM_ZERO = NPP_RND_FINANCIAL,
    NPP_RND_ZERO,
    NPP_ROUND_TOWARD_ZERO = NPP_RND_ZERO
} NppRoundMode;
typedef enum {
    NPP_BORDER_UNDEFINED = 0,
    NPP_BORDER_NONE = NPP_BORDER_UNDEFINED,
    NPP_BORDER_CONSTANT = 1,
    NPP_BORDER_REPLICATE = 2,
    NPP_BORDER_WRAP = 3,
    NPP_BORDER_MIRROR = 4
} NppiBorderType;

typedef struct {
    cudaStream_t hStream;
    int nCudaDeviceId;
    int nMultiProcessorCount;
    int nMaxThreadsPerMultiProcessor;
    int nMaxThreadsPerBlock;
    size_t nSharedMemPerBlock;
    int nCudaDevAttrComputeCapabilityMajor;
    int nCudaDevAttrComputeCapabilityMinor;
    unsigned int nStreamFlags;
    int nReserved0;
} NppStreamContext;
