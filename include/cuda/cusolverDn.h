/* cuSOLVER, dense matrices. Only for host code. */
#pragma once
#define CUSOLVERDN_H_
#include "cusolver_common.h"
