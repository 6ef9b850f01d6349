#pragma once
#include "thrust/detail/outputs.h"
