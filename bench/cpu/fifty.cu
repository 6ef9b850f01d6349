// A kernel of fifty lines: what compiling one costs.
__device__ float weight(float a, float b)
{
    float d = a - b;
    return 1.0f / (1.0f + d * d);
}

__device__ float clamp(float x, float low, float high)
{
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}

__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[256 + 8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t + 4] = i < n ? in[i] : 0.0f;
    if (t < 4) {
        int left = i - 4, right = i + blockDim.x;
        tile[t] = left >= 0 ? in[left] : 0.0f;
        tile[t + 260] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i >= n)
        return;
    float centre = tile[t + 4], sum = 0, total = 0;
    for (int k = -4; k <= 4; k++) {
        float x = tile[t + 4 + k];
        float w = weight(x, centre);
        sum += w * x;
        total += w;
    }
    float mean = sum / total, spread = 0;
    for (int k = -4; k <= 4; k++) {
        float d = tile[t + 4 + k] - mean;
        spread += d * d;
    }
    float strength = clamp(sqrtf(spread) * 0.25f, 0.0f, 1.0f);
    if (i % 2 == 0)
        out[i] = centre + strength * (mean - centre);
    else
        out[i] = mean;
    if (spread > 1e6f)
        out[i] = centre;
}
