#pragma once
#include "thrust/system/cpp/memory.h"
