/* Assertions that are made while a program is compiled. */
#pragma once
#include "thrust/detail/config.h"

#define THRUST_STATIC_ASSERT(...) static_assert((__VA_ARGS__), #__VA_ARGS__)
#define THRUST_STATIC_ASSERT_MSG(condition, message) static_assert(condition, message)
