// Low bits of a thread's number with each other: multiplied, shifted by, beside the same numbers read from memory. Of lane 0 all is known,
// of the others not. All must be 0.
// TEST line: --kernel with_each_other --grid 2 --block 64 --arg 'u32[128]' --arg 'u32[64]=iota'
// EXPECT arg 0: sum 0 checksum 7da144b97d054b25
// TEST short: --kernel with_each_other --grid 16 --block 8 --arg 'u32[128]' --arg 'u32[64]=iota'
// EXPECT arg 0: sum 0 checksum 7da144b97d054b25
__global__ void with_each_other(unsigned *out, const unsigned *number)
{
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, read = number[t];
    const unsigned a = t & 3, b = t & 7, c = read & 3, d = read & 7;
    unsigned bad = a * a != c * c;
    bad += a * b != c * d;
    bad += b * (a + 5) != d * (c + 5);
    bad += b << a != d << c;
    bad += (b + 48) >> a != (d + 48) >> c;
    bad += (a ^ b) * 3 != (c ^ d) * 3;
    bad += (t & 1) * t != (read & 1) * read;
    bad += 100u >> (t & 1) * 4 != 100u >> (read & 1) * 4;
    out[i] = bad;
}
