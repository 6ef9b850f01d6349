// Rows through softmax, layer norm and a GELU, with block-wide reductions.
// TEST softmax: --kernel softmax --grid 8 --block 64 --arg 'f32[800]=rand:31' --arg 'f32[800]' --arg i32:100
// EXPECT arg 1: near 1e-05 0.0133763711 0.0120600955 0.00955561888 0.00990309948 0.0104735993 0.00800589047 0.0085507787 0.0106596121 sum 8
// TEST norm: --kernel layer_norm --grid 8 --block 64 --arg 'f32[800]=rand:32' --arg 'f32[800]' --arg i32:100
// EXPECT arg 1: near 0.0001 1.50802861 0.321343296 -0.812900582 0.776056685 0.211030004 1.54648636 0.0932341966 -0.38323477 sum 3.64190014950916e-14
// TEST gelu: --kernel gelu --grid 4 --block 64 --arg 'f32[200]=rand:33' --arg 'f32[200]' --arg i32:200
// EXPECT arg 1: near 1e-05 -0.124601959 -0.076001722 -0.169413348 -0.117924066 0.579924592 -0.0768561745 -0.159183913 0.984161379 sum 63.0911379325488
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class Op> __device__ float block_reduce(float v, Op op)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = v;
    __syncthreads();
    for (int d = 32; d; d >>= 1) {
        if (t < d)
            s[t] = op(s[t], s[t + d]);
        __syncthreads();
    }
    return s[0];
}

__global__ void softmax(const float *in, float *out, int n)
{
    const float *row = in + blockIdx.x * n;
    float m = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, row[i]);
    m = block_reduce(m, Max());
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(row[i] - m);
    sum = block_reduce(sum, Sum());
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = expf(row[i] - m) / sum;
}

__global__ void layer_norm(const float *in, float *out, int n)
{
    const float *row = in + blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += row[i];
    float mean = block_reduce(sum, Sum{}) / n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(block_reduce(squares, Sum{}) / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = (row[i] - mean) * scale;
}

__global__ void gelu(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = 4.0f * in[i] - 2.0f;
    out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
