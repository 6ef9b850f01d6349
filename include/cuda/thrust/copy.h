#pragma once
#include "thrust/detail/copy.h"
#include "thrust/detail/select.h"
