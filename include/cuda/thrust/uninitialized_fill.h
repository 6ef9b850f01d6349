#pragma once
#include "thrust/detail/copy.h"
