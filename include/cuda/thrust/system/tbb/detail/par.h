#pragma once
#include "thrust/system/tbb/execution_policy.h"
