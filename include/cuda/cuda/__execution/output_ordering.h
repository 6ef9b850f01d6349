#pragma once
#include <cuda/__execution/require.h>
