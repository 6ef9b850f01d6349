#pragma once
#include "thrust/detail/allocators.h"
