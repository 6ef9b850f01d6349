#pragma once
#include "thrust/detail/policy.h"
