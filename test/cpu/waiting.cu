// Threads that wait for other threads without a barrier: in the same warp, block and grid.
// TEST grid_of_flags: --kernel everyone --grid 12 --block 64 --arg 'i32[1]' --arg 'i32[768]' --arg 'i32[768]'
// EXPECT arg 2: sum 884352 checksum 5f71b01e6a7dc48b
// TEST from_above: --kernel from_above --grid 40 --block 32 --arg 'i32[41]' --arg 'i32[40]'
// EXPECT arg 1: sum 21320 checksum 5f7f1c99f3139e61
// TEST chained: --kernel chained --grid 70 --block 96 --arg 'i32[6720]' --arg 'i32[71]' --arg 'i32[1]'
// EXPECT arg 0: sum 5806080 checksum 1b5345165ddebd62
// TEST lane_lock: --kernel lane_lock --grid 3 --block 50 --arg 'i32[1]' --arg 'i32[2]'
// EXPECT arg 1: sum 3825 checksum e77483cfb3feae62
// TEST ping_pong: --kernel ping_pong --block 64 --arg 'i32[1]'
// EXPECT arg 0: sum 40 checksum 4da555b788c4665d
// TEST warps: --kernel warps --block 128 --arg 'i32[128]'
// EXPECT arg 0: sum 5216 checksum c6b0908c90372625
// TEST fenced: --kernel fenced --grid 4 --block 32 --arg 'i32[4]' --arg 'i32[4]'
// EXPECT arg 1: sum 51 checksum 645097239c8b64d6
// TEST rounds: --kernel rounds --grid 5 --block 32 --arg i32:160 --arg 'i32[161]'
// EXPECT arg 1: sum 637 checksum 83597ed4fb166b12

// A barrier of the grid made by hand.
__global__ void everyone(int *arrived, int *a, int *b)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 3 * i + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x)
            ;
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}

// Each block waits for the one after it.
__global__ void from_above(volatile int *flags, int *out)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b + 1 < gridDim.x)
            while (flags[b + 1] == 0)
                ;
        int below = b + 1 < gridDim.x ? flags[b + 1] : 0;
        out[b] = below;
        __threadfence();
        flags[b] = below + b + 1;
    }
}

// Sums handed from block to block, in the order in which they start.
__global__ void chained(int *out, volatile int *sums, int *ticket)
{
    __shared__ int before, mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(ticket, 1);
    __syncthreads();
    int b = mine;
    if (threadIdx.x == 0) {
        int s = 0;
        if (b > 0)
            do
                s = sums[b - 1];
            while (s == 0);
        before = s;
        __threadfence();
        sums[b] = s + b + 1;
    }
    __syncthreads();
    out[b * blockDim.x + threadIdx.x] = before + threadIdx.x;
}

__global__ void lane_lock(int *lock, int *out)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            int x = ((volatile int *)out)[0];
            ((volatile int *)out)[0] = x + 1;
            ((volatile int *)out)[1] += threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void ping_pong(int *out)
{
    __shared__ volatile int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    if (threadIdx.x < 2)
        for (int i = 0; i < 20; i++) {
            while (turn % 2 != threadIdx.x)
                ;
            turn = turn + 1;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = turn;
}

// The first warp waits for the last.
__global__ void warps(int *out)
{
    __shared__ volatile int ready[4];
    int w = threadIdx.x / 32;
    if (threadIdx.x < 4)
        ready[threadIdx.x] = 0;
    __syncthreads();
    if (w < 3)
        while (!ready[w + 1])
            ;
    out[threadIdx.x] = w < 3 ? ready[w + 1] + w : 100;
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ready[w] = (w < 3 ? ready[w + 1] : 0) + 10;
}

// Waits on a plain variable, with a fence in the loop; and with an atomic that changes nothing.
__global__ void fenced(int *flags, int *out)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b == 0)
            while (atomicOr(&flags[1], 0) == 0)
                __nanosleep(100);
        else if (b + 1 < gridDim.x)
            while (flags[b + 1] == 0)
                __threadfence();
        out[b] = b + (b + 1 < gridDim.x ? flags[b + 1] : 0);
        __threadfence();
        flags[b] = 7 * b + 1;
    }
}

// Each thread goes round its items until those behind them are done, which other threads and blocks have: no round
// carries anything to the next.
__global__ void rounds(int n, volatile int *done)
{
    int missing;
    do {
        missing = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            if (!done[i]) {
                if (i + 1 < n && !done[i + 1])
                    missing = 1;
                else
                    done[i] = i + 1 < n ? done[i + 1] % 7 + 1 : 1;
            }
    } while (missing);
}
