#pragma once
#include "thrust/detail/select.h"
