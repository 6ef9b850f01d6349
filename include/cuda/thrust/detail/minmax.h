#pragma once
#include "thrust/detail/reduce.h"
