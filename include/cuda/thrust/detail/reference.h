#pragma once
#include "thrust/detail/pointer.h"
