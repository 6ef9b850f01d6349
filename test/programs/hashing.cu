// SHA-256 of many messages at once, and a hash table that threads fill together.
#include <cstring>
#include <string>
#include "check.h"

__constant__ unsigned k256[64];
__device__ unsigned rotate(unsigned x, int n) { return __funnelshift_r(x, x, n); }
__global__ void sha256(const unsigned char *blocks, unsigned *out, int nblocks)
{
    blocks += threadIdx.x * nblocks * 64;
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int b = 0; b < nblocks; b++) {
        unsigned w[64];
        for (int i = 0; i < 16; i++)
            w[i] = blocks[b * 64 + 4 * i] << 24 | blocks[b * 64 + 4 * i + 1] << 16 | blocks[b * 64 + 4 * i + 2] << 8 | blocks[b * 64 + 4 * i + 3];
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                   (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
        unsigned s[8];
        for (int i = 0; i < 8; i++)
            s[i] = h[i];
        for (int i = 0; i < 64; i++) {
            unsigned t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k256[i] + w[i];
            unsigned t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int j = 7; j > 0; j--)
                s[j] = s[j - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            h[i] += s[i];
    }
    for (int i = 0; i < 8; i++)
        out[8 * threadIdx.x + i] = h[i];
}

const unsigned EMPTY = ~0u, SLOTS = 512;
__global__ void insert(unsigned *keys, unsigned *counts, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (unsigned slot = in[i] * 2654435761u % SLOTS;; slot = (slot + 1) % SLOTS) {
        unsigned old = atomicCAS(&keys[slot], EMPTY, in[i]);
        if (old == EMPTY || old == in[i]) {
            atomicAdd(&counts[slot], 1u);
            return;
        }
    }
}

int main()
{
    unsigned k[64], primes = 0; // the constants, from the cube roots of primes
    for (unsigned p = 2; primes < 64; p++) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; d++)
            prime = prime && p % d;
        if (prime) {
            long double root = cbrtl(p);
            k[primes++] = (unsigned)((root - floorl(root)) * 4294967296.0L);
        }
    }
    CUDA(cudaMemcpyToSymbol(k256, k, sizeof k));
    const std::string texts[2] = {"abc", ""};
    unsigned char blocks[128] = {0}, *d;
    for (int t = 0; t < 2; t++) {
        memcpy(blocks + 64 * t, texts[t].data(), texts[t].size());
        blocks[64 * t + texts[t].size()] = 0x80;
        blocks[64 * t + 63] = (unsigned char)(8 * texts[t].size());
    }
    unsigned *out, h[16];
    CUDA(cudaMalloc(&d, sizeof blocks));
    CUDA(cudaMalloc(&out, sizeof h));
    CUDA(cudaMemcpy(d, blocks, sizeof blocks, cudaMemcpyHostToDevice));
    sha256<<<1, 2>>>(d, out, 1);
    CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0xba7816bf && h[7] == 0xf20015ad && h[8] == 0xe3b0c442 && h[15] == 0x7852b855);

    const int n = 2000;
    unsigned *keys, *counts, *in, total = 0, distinct = 0;
    CUDA(cudaMallocManaged(&keys, SLOTS * 4));
    CUDA(cudaMallocManaged(&counts, SLOTS * 4));
    CUDA(cudaMallocManaged(&in, n * 4));
    CUDA(cudaMemset(keys, 0xff, SLOTS * 4));
    CUDA(cudaMemset(counts, 0, SLOTS * 4));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        in[i] = i * i % 331;
    insert<<<(n + 127) / 128, 128>>>(keys, counts, in, n);
    CUDA(cudaDeviceSynchronize());
    unsigned want[331] = {0};
    for (int i = 0; i < n; i++)
        want[in[i]]++;
    for (unsigned s = 0; s < SLOTS; s++)
        if (keys[s] != EMPTY) {
            CHECK(counts[s] == want[keys[s]]);
            total += counts[s], distinct++;
        }
    CHECK(total == n && distinct == 166);
    puts("ok");
}
