#pragma once
#include "common_functions.h"
#include "math_functions.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
