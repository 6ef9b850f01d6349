/* cuSOLVER, sparse matrices in steps: analysis, factors, solutions. Only for host code. */
#pragma once
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_
#include "cusolverSp.h"
