// Every row but the first is outside of the arrays: they are registers, whatever number the row has.
// RUN: tern compile %s --to ptx -arch sm_90 | grep -c local
__global__ void one_row(float *out, const float4 *in, int n)
{
    float2 sums[1][4] = {};
    float most[1] = {0};
    for (int i = 0; i < n; i++) {
        const float4 x = in[i];
        for (int k = 0; k < 4; k++) {
            sums[threadIdx.y][k].x += x.x * k;
            sums[threadIdx.y][k].y -= x.z;
        }
        most[threadIdx.y] = fmaxf(most[threadIdx.y], x.y);
    }
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = sums[0][k].x + sums[0][k].y + most[threadIdx.z];
}
