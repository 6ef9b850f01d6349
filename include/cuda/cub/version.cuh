/* The CUB that ours answers to: that of the CUDA whose headers these are. */
#pragma once
#define CUB_VERSION          200400
#define CUB_MAJOR_VERSION    (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION    (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)
#define CUB_PATCH_NUMBER     0
