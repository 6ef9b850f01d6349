// Steps for the first threads of a block, whose number is known: 64 down to 1, and some that are no powers of two, of elements of 1, 2, 4 and 8
// bytes; what others have there must stay. Each kernel's last step leaves what it should in all places, or it counts. All must be 0.
// TEST bytes: --kernel 'steps<unsigned char>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST shorts: --kernel 'steps<short>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST words: --kernel 'steps<int>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST floats: --kernel 'steps<float>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST doubles: --kernel 'steps<double>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST longs: --kernel 'steps<long long>' --grid 4 --block 128 --arg 'u32[512]'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325

template <class T> __global__ void steps(unsigned *out)
{
    __shared__ T sums[128], marks[128];
    const int t = threadIdx.x;
    sums[t] = (T)(t % 3);
    marks[t] = (T)t;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) {
            sums[t] = (T)(sums[t] + sums[t + step]);
            marks[t] = (T)(marks[t] + 1);
        }
        __syncthreads();
    }
    if (t < 3)
        marks[t] = (T)(marks[t] + 5);
    __syncthreads();
    if (t < 24)
        marks[t] = (T)(marks[t] + 3);
    __syncthreads();
    if (t >= 16 && t < 32)
        marks[t] = (T)(marks[t] + 7);
    __syncthreads();
    // a thread took part in as many steps as there are powers of two above its number
    int want = t + (t < 3 ? 5 : 0) + (t < 24 ? 3 : 0) + (t >= 16 && t < 32 ? 7 : 0), sum = 0;
    for (int step = 64; step > t; step /= 2)
        want++;
    for (int k = 0; k < 128; k++)
        sum += k % 3;
    out[blockIdx.x * 128 + t] = (marks[t] != (T)want) + (sums[0] != (T)sum);
}
template __global__ void steps<unsigned char>(unsigned *);
template __global__ void steps<short>(unsigned *);
template __global__ void steps<int>(unsigned *);
template __global__ void steps<float>(unsigned *);
template __global__ void steps<double>(unsigned *);
template __global__ void steps<long long>(unsigned *);
