#pragma once
#include "thrust/detail/search.h"
