// Samples and surface accesses whose coordinates differ from lane to lane: see textures.c.
__global__ void sample(cudaTextureObject_t t, cudaTextureObject_t ints, cudaSurfaceObject_t s, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = i * 0.37f - 3, y = i * 0.11f + 0.25f;
    float sum = tex2D<float>(t, x, y);
    for (int k = 0; k < i % 4; k++)
        sum += tex2D<float>(t, y * k, x);
    if (i % 3)
        sum += tex1Dfetch<int>(ints, i % 40);
    int v;
    surf2Dread(&v, s, (i % 8) * 4, i / 8 % 8);
    out[i] = sum + v;
}

__global__ void paint(cudaSurfaceObject_t s)
{
    surf2Dwrite((int)(threadIdx.x * 100 + threadIdx.y), s, threadIdx.x * 4, threadIdx.y);
}
