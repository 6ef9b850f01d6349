#pragma once
#include "thrust/system/omp/execution_policy.h"
