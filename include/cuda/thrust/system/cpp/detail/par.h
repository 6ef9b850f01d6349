#pragma once
#include "thrust/system/cpp/execution_policy.h"
