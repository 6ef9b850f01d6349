// The Mandelbrot set as a picture: a kernel counts steps, the host colours them and writes a PPM file.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

__global__ void mandelbrot(int *steps, int width, int height, double left, double top, double scale, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    double cr = left + x * scale, ci = top - y * scale, zr = 0, zi = 0;
    int n = 0;
    while (n < most && zr * zr + zi * zi <= 4.0) {
        double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        n++;
    }
    steps[y * width + x] = n;
}

struct Colour {
    unsigned char r, g, b;
};

static Colour colour(int n, int most)
{
    if (n == most)
        return {0, 0, 0};
    return {(unsigned char)(n * 9 % 256), (unsigned char)(n * 5 % 256), (unsigned char)(255 - n * 3 % 256)};
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 96, height = width * 2 / 3, most = 100;
    int *d_steps;
    cudaMalloc((void **)&d_steps, width * height * sizeof(int));
    dim3 block(16, 8), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    mandelbrot<<<grid, block>>>(d_steps, width, height, -2.25, 1.0, 3.0 / width, most);
    std::vector<int> steps(width * height);
    cudaMemcpy(steps.data(), d_steps, steps.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_steps);

    std::ofstream out("mandelbrot.ppm", std::ios::binary);
    out << "P6\n" << width << ' ' << height << "\n255\n";
    for (int n : steps) {
        Colour c = colour(n, most);
        out.write((const char *)&c, sizeof c);
    }
    out.close();
    for (int y = 0; y < height; y += 4) {
        for (int x = 0; x < width; x += 2)
            putchar(" .:-=+*#%@"[steps[y * width + x] * 9 / most]);
        putchar('\n');
    }
    long inside = 0;
    for (int n : steps)
        inside += n == most;
    printf("%ld of %zu points are inside\n", inside, steps.size());
    return 0;
}
