// Sums in an array of the thread that loops index: they are unrolled until it is registers, large as that is.
// RUN: tern compile %s --to ptx -arch sm_90 | grep -c local
__global__ void product(float *out, const float4 *a, const float4 *b, int n)
{
    float sums[8][8] = {};
    for (int k = 0; k < n; k++) {
        float4 right[8];
        for (int j = 0; j < 8; j++)
            right[j] = b[8 * k + j];
        for (int i = 0; i < 8; i++) {
            const float4 left = a[8 * k + i];
            for (int j = 0; j < 8; j++) {
                sums[i][j] += left.x * right[j].x;
                sums[i][j] += left.y * right[j].y;
                sums[i][j] += left.z * right[j].z;
                sums[i][j] += left.w * right[j].w;
            }
        }
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            out[8 * i + j] = sums[i][j];
}
