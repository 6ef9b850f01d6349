// The Game of Life on a torus.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
__global__ void step(const unsigned char *from, unsigned char *to, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += from[(y + dy + h) % h * w + (x + dx + w) % w];
    to[y * w + x] = n == 3 || (n == 2 && from[y * w + x]);
}
int main()
{
    const int w = 32, h = 12;
    std::vector<unsigned char> cells(w * h);
    for (auto [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {10, 5}, {11, 5}, {12, 5}})
        cells[y * w + x] = 1;
    unsigned char *a, *b;
    cudaMalloc(&a, cells.size());
    cudaMalloc(&b, cells.size());
    cudaMemcpy(a, cells.data(), cells.size(), cudaMemcpyHostToDevice);
    for (int t = 0; t < 21; t++) {
        step<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);
        std::swap(a, b);
    }
    cudaMemcpy(cells.data(), a, cells.size(), cudaMemcpyDeviceToHost);
    for (int y = 0; y < h; y++) {
        std::string line;
        for (int x = 0; x < w; x++)
            line += cells[y * w + x] ? '#' : '.';
        std::cout << line << '\n';
    }
    std::cout << std::count(cells.begin(), cells.end(), 1) << " live\n";
}
