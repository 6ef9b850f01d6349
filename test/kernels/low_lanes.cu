// Low bits of a thread's number with each other: multiplied, shifted by, beside the same numbers read from memory. Of lane 0 all is known,
// of the others not. All must be 0. And multiples that wrap.
// TEST line: --kernel with_each_other --grid 2 --block 64 --arg 'u32[128]' --arg 'u32[64]=iota'
// EXPECT arg 0: sum 0 checksum 7da144b97d054b25
// TEST short: --kernel with_each_other --grid 16 --block 8 --arg 'u32[128]' --arg 'u32[64]=iota'
// EXPECT arg 0: sum 0 checksum 7da144b97d054b25
// TEST wrapped: --kernel wrapped --grid 1 --block 96 --arg 'u32[96]'
// EXPECT arg 0: sum 227676892024 checksum 2033405ab648dd3a
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

// Multiples of numbers whose third, seventh, fifteenth or thirty-first multiple is 1 when it has wrapped: lanes lie far apart, and the last
// one of a gang beside the first.
__device__ unsigned long long parts(unsigned long long x)
{
    return (x & ~63ull) + (x | 64) * 3 + (x ^ 128) * 5 + (x >> 4) * 7 + (unsigned)x + (x & 4095) * 11 + x / 64 * 13 + x % 64;
}
__global__ void wrapped(unsigned *out)
{
    const unsigned t = threadIdx.x;
    const unsigned long long r = parts(t * 0xAAAAAAAAAAAAAAABull) + 31 * parts(t * 0x6DB6DB6DB6DB6DB7ull) + 961 * parts(t * 0xEEEEEEEEEEEEEEEFull) +
                                 29791 * parts(t * 0xEF7BDEF7BDEF7BDFull);
    out[t] = (unsigned)(r ^ r >> 32);
}
