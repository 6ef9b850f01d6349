#pragma once
#include "thrust/detail/traits.h"
