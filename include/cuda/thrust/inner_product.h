#pragma once
#include "thrust/detail/scan.h"
