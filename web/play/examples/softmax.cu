// Softmax of 64 rows of 256 numbers: a block for each row, maximum and sum through shared memory.
// tern run: --kernel softmax --grid 64 --block 128 --arg f32[16384]=rand:5 --arg f32[16384] --arg i32:256
// tern play: view=1 as=image width=256
__device__ float across(float v, bool maximum)
{
    __shared__ float s[128];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d) {
            float a = s[threadIdx.x], b = s[threadIdx.x + d];
            s[threadIdx.x] = maximum ? fmaxf(a, b) : a + b;
        }
        __syncthreads();
    }
    float all = s[0];
    __syncthreads();
    return all;
}

__global__ void softmax(const float *in, float *out, int columns)
{
    const float *row = in + blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = across(most, true);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(row[i] - most);
    sum = across(sum, false);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
