// RUN: tern compile %s --to ir
#include "no/such/file.h"
#include <cuda_runtime.h>
#include <vector>
#include <sys/time.h>
__global__ void k() {}
