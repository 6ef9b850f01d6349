// Threads that part and meet: loops of different lengths, barriers in loops, nested branches, switch.
// TEST loops: --kernel loops --grid 2 --block 48 --arg 'i32[96]'
// EXPECT arg 0: sum 6932 checksum 782a4bd02fb93ac3
// TEST barriers: --kernel barriers --block 96 --arg 'i32[96]'
// EXPECT arg 0: sum 46901 checksum b96e727c44ebc16a
// TEST nested: --kernel nested --block 64 --arg 'i32[64]'
// EXPECT arg 0: sum 43948 checksum a37c131d49e3f1d7
// TEST producer: --kernel producer --block 64 --arg 'i32[32]'
// EXPECT arg 0: sum 10448 checksum b187d1d8222d7e3c
__device__ int walk(int n)
{
    int s = 0;
    while (n > 0) {
        if (n & 1) {
            s += n;
            n -= 3;
            continue;
        }
        for (int k = n; k > 0; k /= 3) {
            if (k == 5)
                break;
            s ^= k;
        }
        n -= 5;
    }
    return s;
}

__global__ void loops(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = walk(i * 7 % 53);
}

__global__ void barriers(int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x, v = t;
    for (int round = 0; round < 5; round++) {
        s[t] = v;
        __syncthreads();
        if (round % 2) {
            for (int k = 0; k < t % 4; k++)
                v += s[(t + k) % 96];
        } else if (t < 50) {
            v = s[95 - t];
        }
        __syncthreads();
    }
    out[t] = v;
}

__global__ void nested(int *out)
{
    int t = threadIdx.x, r = 0;
    if (t < 40) {
        if (t & 1)
            r = 1;
        else if (t & 2)
            r = t < 20 ? 2 : 3;
        else
            for (int i = 0; i < t; i++) {
                if (i % 7 == 6)
                    break;
                r += 10;
            }
    } else {
        switch (t & 3) {
        case 1: r = -1; break;
        case 2: r = -2; /* fall through */
        case 3: r -= 10;
        }
    }
    unsigned together = __ballot_sync(~0u, r > 0);
    out[t] = r * 100 + __popc(together);
}

// one warp fills what the other empties, by a flag in shared memory
__global__ void producer(int *out)
{
    __shared__ volatile int box, full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 32; i++) {
            while (full)
                ;
            box = i * i + 1;
            __threadfence_block();
            full = 1;
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < 32; i++) {
            while (!full)
                ;
            __threadfence_block();
            out[i] = box;
            full = 0;
        }
    }
}
