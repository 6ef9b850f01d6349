/* cuSOLVER, factors of sparse matrices of the same pattern. Only for host code. */
#pragma once
#define CUSOLVERRF_H_
#include "cusolver_common.h"
