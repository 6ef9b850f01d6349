#pragma once
#include "common_functions.h"
typedef struct __tern_file FILE;
