// Iteration counts of the Mandelbrot set in fixed point, so that every device agrees to the last one.
// TEST fixed: --kernel mandelbrot --grid 4,4 --block 8,8 --arg 'u8[1024]' --arg i32:32
// EXPECT arg 0: sum 31774 checksum d34cb8080890a111
__global__ void mandelbrot(unsigned char *out, int n)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    const long long one = 1ll << 24;
    long long cx = (3 * px * one) / n - 2 * one, cy = (2 * py * one) / n - one, x = 0, y = 0;
    unsigned char k = 0;
    do {
        long long xx = (x * x) >> 24, yy = (y * y) >> 24;
        if (xx + yy > 4 * one)
            break;
        y = ((2 * x * y) >> 24) + cy;
        x = xx - yy + cx;
    } while (++k < 100);
    out[py * n + px] = k;
}
