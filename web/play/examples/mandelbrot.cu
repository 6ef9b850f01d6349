// The Mandelbrot set, a frame at a time. Animate it.
// tern run: --kernel mandelbrot --grid 20,20 --block 16,16 --arg u32[102400] --arg i32:320 --arg i32:0
// tern play: view=0 as=rgba width=320 frame=2 animate
__device__ unsigned colour(float t)
{
    float r = 9 * (1 - t) * t * t * t, g = 15 * (1 - t) * (1 - t) * t * t, b = 8.5f * (1 - t) * (1 - t) * (1 - t) * t;
    return 0xff000000u | (unsigned)(255 * b) << 16 | (unsigned)(255 * g) << 8 | (unsigned)(255 * r);
}

__global__ void mandelbrot(unsigned *image, int size, int frame)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float zoom = 1.5f * powf(0.985f, (float)(frame % 600));
    float cr = -0.743643f + zoom * (2.0f * x / size - 1), ci = 0.131826f + zoom * (2.0f * y / size - 1);
    float zr = 0, zi = 0;
    int n = 0, limit = 200;
    while (n < limit && zr * zr + zi * zi < 16) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        n++;
    }
    image[y * size + x] = n == limit ? 0xff000000u : colour((float)n / limit);
}
