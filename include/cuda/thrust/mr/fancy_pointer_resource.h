#pragma once
#include "thrust/mr/memory_resource.h"
