// A kernel of our own headers that has launch bounds is found by its name.
// RUN: tern compile %s --to ir -O0 | grep -o 'kernel.*simt_product[^(]*'
#include "device/blas/simt.h"
template __global__ void simt_product<128, 128, 64, 64, false, false, true, 0>(blas_product);
