// Processors calculate with f16, bf16 and permute bytes of words by instructions for all lanes: of such operations none is left
// when gangs are made, where each would be a call.
// RUN: tern compile %s --to x64 --dump-ir=x64/halves -o %t 2>&1 | awk '/^; after/ {n = 1} / = (fma|fmul|fmax|fadd)\.b?f16/ {k[n + 0]++} END {print k[0] + 0, k[1] + 0}'
// RUN: tern compile %s --to a64 --dump-ir=a64/bytes -o %t 2>&1 | awk '/^; after/ {n = 1} / = prmt\./ {k[n + 0]++} END {print k[0] + 0, k[1] + 0}'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void h(__half2 *x, __nv_bfloat16 *y, int *z)
{
    int i = threadIdx.x;
    x[i] = __hfma2(x[i], x[i + 1], x[i + 2]);
    y[i] = y[i] * y[i + 1] + __hmax(y[i], y[i + 2]);
    z[i] = __dp4a(z[i], z[i + 1], (int)__byte_perm(z[i + 2], z[i + 3], 0x5410));
}
