/* Half precision, by the name HIP includes it by. */
#pragma once
#include <cuda_fp16.h>
