/* Mathematical constants, by the name HIP includes them by. */
#pragma once
#include <math_constants.h>
