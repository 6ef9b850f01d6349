#pragma once
#include "cudnn.h"
