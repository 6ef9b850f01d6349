#pragma once
#include "thrust/detail/vector.h"
#include "thrust/detail/elements.h"
