#pragma once
#include "thrust/detail/facade.h"
