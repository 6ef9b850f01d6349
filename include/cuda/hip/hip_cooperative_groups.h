/* Cooperative groups, by the name HIP includes them by. */
#pragma once
#include <cooperative_groups.h>
