#pragma once
#include "thrust/detail/reduce.h"
#include "thrust/detail/sort.h"
