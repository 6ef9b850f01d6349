/* Halves that are put together and taken apart again, as half2 does between one operation and the next, stay apart.
 * RUN: tern compile %s --to ptx -arch sm_90 | grep -cE 'shl|or.b32'
 */
#include <cuda_fp16.h>
__global__ void sums(const half2 *x, const float2 *y, half2 *out, int n)
{
    half2 sum = make_half2(0, 0);
    for (int i = threadIdx.x; i < n; i += 256)
        sum = __hfma2(x[i], make_half2(y[i].x, y[i].y), sum);
    out[threadIdx.x] = sum;
}
