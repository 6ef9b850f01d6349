#pragma once
#include "thrust/detail/scan.h"
#include "thrust/detail/sort.h"
