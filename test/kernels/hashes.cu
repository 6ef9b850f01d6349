// Checksums and hashes, as they are written everywhere: CRC-32, SHA-256, FNV, a table of tables.
// TEST crc: --kernel crc --grid 1 --block 32 --arg 'u32[32]'
// EXPECT arg 0: sum 68779899562 checksum 63af1315dfc59f1b
// TEST sha: --kernel sha256 --grid 1 --block 4 --arg 'u32[32]'
// EXPECT arg 0: sum 79725367412 checksum 2ba3302ee4e53e1d
__device__ unsigned table[256];

__global__ void crc(unsigned *out)
{
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();
    unsigned c = ~0u;
    for (unsigned i = 0; i <= threadIdx.x; i++)
        c = table[(c ^ (i * 37)) & 0xff] ^ (c >> 8);
    out[threadIdx.x] = ~c;
}

__constant__ unsigned k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
// the message is threadIdx.x letters 'a', in one block
__global__ void sha256(unsigned *out)
{
    unsigned w[64] = {0}, h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    int n = threadIdx.x;
    unsigned char message[64] = {};
    for (int i = 0; i < n; i++)
        message[i] = 'a';
    message[n] = 0x80;
    for (int i = 0; i < 14; i++)
        w[i] = message[4 * i] << 24 | message[4 * i + 1] << 16 | message[4 * i + 2] << 8 | message[4 * i + 3];
    w[15] = n * 8;
    for (int i = 16; i < 64; i++) {
        unsigned a = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ (w[i - 15] >> 3);
        unsigned b = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], x = h[7];
    for (int i = 0; i < 64; i++) {
        unsigned t1 = x + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
        unsigned t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        x = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    unsigned v[8] = {a, b, c, d, e, f, g, x};
    for (int i = 0; i < 8; i++)
        out[n * 8 + i] = h[i] + v[i];
}
