/* cuSOLVER, sparse matrices. Only for host code. */
#pragma once
#define CUSOLVERSP_H_
#include "cusparse.h"
#include "cusolver_common.h"
