// Conway's game on a torus, in bits: 32 cells a word, funnel shifts for neighbours; a glider comes back home.
#include <cstring>
#include "check.h"

const int W = 64, H = 64, WORDS = W / 32;
__device__ void add(unsigned x, unsigned &ones, unsigned &twos, unsigned &more)
{
    unsigned carry = ones & x;
    ones ^= x;
    more |= twos & carry;
    twos ^= carry;
}
__global__ void step(const unsigned *in, unsigned *out)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    unsigned ones = 0, twos = 0, more = 0, here = in[y * WORDS + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + H) % H * WORDS;
        unsigned c = row[x], l = row[(x + WORDS - 1) % WORDS], r = row[(x + 1) % WORDS];
        add(__funnelshift_l(l, c, 1), ones, twos, more);
        add(__funnelshift_r(c, r, 1), ones, twos, more);
        if (dy)
            add(c, ones, twos, more);
    }
    out[y * WORDS + x] = ~more & twos & (ones | here);
}

int main()
{
    unsigned h[H * WORDS] = {0}, got[H * WORDS];
    auto set = [&](int x, int y) { h[y * WORDS + x / 32] |= 1u << x % 32; };
    set(1, 0), set(2, 1), set(0, 2), set(1, 2), set(2, 2); // a glider
    unsigned *a, *b;
    CUDA(cudaMalloc(&a, sizeof h));
    CUDA(cudaMalloc(&b, sizeof h));
    CUDA(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    for (int k = 0; k < 4 * 64; k += 2) {
        step<<<H / 8, dim3(WORDS, 8)>>>(a, b);
        step<<<H / 8, dim3(WORDS, 8)>>>(b, a);
    }
    CUDA(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(h, got, sizeof h));
    puts("ok");
}
