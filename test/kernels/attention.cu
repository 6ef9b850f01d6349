// Scaled dot-product attention with the softmax computed on the way, tile by tile.
// TEST online: --kernel attention --grid 2 --block 16 --arg 'f32[512]=rand:41' --arg 'f32[512]=rand:42' --arg 'f32[512]=rand:43' --arg 'f32[512]' --arg i32:32
// EXPECT arg 3: near 1e-05 0.566490749 0.526917818 0.503761984 0.497742296 0.415951925 0.542017689 0.530211322 0.463081669 sum 254.366225649897
constexpr int D = 16, TILE = 8;

__global__ void attention(const float *q, const float *k, const float *v, float *out, int n)
{
    __shared__ float ks[TILE][D], vs[TILE][D];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float query[D], acc[D] = {0}, largest = -1e30f, total = 0;
    for (int i = 0; i < D; i++)
        query[i] = q[row * D + i];
    for (int t0 = 0; t0 < n; t0 += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
            ks[i / D][i % D] = k[t0 * D + i];
            vs[i / D][i % D] = v[t0 * D + i];
        }
        __syncthreads();
        float score[TILE], m = largest;
        for (int j = 0; j < TILE; j++) {
            score[j] = 0;
            for (int i = 0; i < D; i++)
                score[j] += query[i] * ks[j][i];
            score[j] *= rsqrtf((float)D);
            m = fmaxf(m, score[j]);
        }
        float shrink = expf(largest - m);
        total *= shrink;
        for (float &a : acc)
            a *= shrink;
        for (int j = 0; j < TILE; j++) {
            float p = expf(score[j] - m);
            total += p;
            for (int i = 0; i < D; i++)
                acc[i] += p * vs[j][i];
        }
        largest = m;
    }
    for (int i = 0; i < D; i++)
        out[row * D + i] = acc[i] / total;
}
