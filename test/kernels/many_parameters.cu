// More parameters than a kernel with many sums has registers for: they are read where they are used.
// TEST sums: --kernel many --block 32 --arg 'u32[2048]=rand:41' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg 'u32[128]' --arg i32:3
// EXPECT arg 1: sum 221982363704 checksum 3bc9882911f2d2da
// EXPECT arg 2: sum 221983277624 checksum a96a97b69278a200
// EXPECT arg 3: sum 221984552472 checksum 74d526bdbe0ae2a7
// EXPECT arg 4: sum 221985536920 checksum f02908e79b6b0b76
// EXPECT arg 5: sum 221986476920 checksum 01056ddbe8c5353d
// EXPECT arg 6: sum 221986531000 checksum 14d9c2979551070a
// EXPECT arg 7: sum 221985941144 checksum a0b11eefdede43e2
// EXPECT arg 8: sum 221985270744 checksum 948e4f43d25feefd
// EXPECT arg 9: sum 221986230072 checksum c83386d016c9e96f
// EXPECT arg 10: sum 221987539768 checksum bdf2778d3b46cf78
// EXPECT arg 11: sum 221988645528 checksum a7b765caeaf6ee1b
// EXPECT arg 12: sum 273256621213 checksum 0efb754a9609b467
__global__ void many(const unsigned *in, unsigned *a, unsigned *b, unsigned *c, unsigned *d, unsigned *e, unsigned *f, unsigned *g, unsigned *h, unsigned *i, unsigned *j, unsigned *k, unsigned *l,
                     int rounds)
{
    const unsigned t = threadIdx.x;
    unsigned s[48];
#pragma unroll
    for (int n = 0; n < 48; n++)
        s[n] = n * t;
    for (int r = 0; r < rounds; r++) {
        const unsigned x = in[t + 32 * r];
#pragma unroll
        for (int n = 0; n < 48; n++)
            s[n] = s[n] * 5 + (x ^ s[(n + 1) % 48]);
    }
    unsigned *const out[12] = {a, b, c, d, e, f, g, h, i, j, k, l};
#pragma unroll
    for (int n = 0; n < 48; n++)
        out[n / 4][t * 4 + n % 4] = s[n];
}
