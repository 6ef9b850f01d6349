// Every atomic function, by 64 threads on the same words.
// TEST words: --kernel words --grid 2 --block 32 --arg 'u32[16]'
// EXPECT arg 0: sum 17179871325 checksum 073df3ab9f67f15c
// TEST wide: --kernel wide --grid 2 --block 32 --arg 'u64[10]'
// EXPECT arg 0: sum 1155562893881329 checksum 8cf40e389342a3bd
// TEST floats: --kernel floats --grid 2 --block 32 --arg 'f32[4]' --arg 'f64[2]'
// EXPECT arg 0: sum 2114.5 checksum 01fd781853923355
// EXPECT arg 1: sum 2584 checksum 63b85841e658a8b2
// TEST lock: --kernel spin --grid 4 --block 32 --arg 'i32[2]'
// EXPECT arg 0: sum 19 checksum c3988b80b79d9eae
// TEST last: --kernel last_block --grid 6 --block 32 --arg 'i32[6]' --arg 'u32[1]' --arg 'i32[1]'
// EXPECT arg 0: sum 231 checksum 4859c15252be52e0
// EXPECT arg 1: sum 6 checksum 0d301e6ef1629ad3
// EXPECT arg 2: sum 231 checksum 69e0f79c7cc2b8e2
// TEST scopes: --kernel scopes --block 64 --arg 'i32[3]'
// EXPECT arg 0: sum 255 checksum 4191bb302163ab5a
// TEST flag: --kernel flag --block 64 --arg 'i32[1]' --arg 'i32[65]'
// EXPECT arg 1: sum 4697 checksum beed1c15b2ab70be
// TEST locks: --kernel locks --block 48 --arg 'i32[2]' --arg 'i32[2]'
// EXPECT arg 1: sum 1176 checksum 6bace1e26c1b2851
// TEST wide_shared: --kernel wide_shared --block 64 --arg 'u64[4]'
// EXPECT arg 0: sum 1212490609328128 checksum b00ae979a12138b9
__global__ void words(unsigned *w)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int *s = (int *)w;
    atomicAdd(&w[0], t);
    atomicAdd(s + 1, -(int)t);
    atomicSub(&w[2], t);
    atomicMin(s + 3, 5 - (int)t);
    atomicMax(&w[4], t * t);
    atomicMin(&w[5], 0u);
    atomicMax(s + 6, (int)t - 100);
    atomicInc(&w[7], 9);
    atomicDec(&w[8], 9);
    atomicOr(&w[9], 1u << (t & 31));
    atomicXor(&w[10], t);
    atomicAnd(s + 11, (int)t);
    atomicExch(&w[12], 7);
    atomicCAS(&w[13], 0u, 99u);
    for (unsigned old = atomicAdd(&w[14], 0), seen;; old = seen) {
        seen = atomicCAS(&w[14], old, old * 1 + 2);
        if (seen == old)
            break;
    }
    atomicOr(s + 15, t < 63 ? 1 : 2);
}

__global__ void wide(unsigned long long *w)
{
    unsigned long long t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&w[0], t << 33);
    atomicMax(&w[1], t * 10000000000ull);
    atomicMin((long long *)&w[2], -(long long)t * 10000000000ll);
    atomicAnd(&w[3], t);
    atomicOr(&w[4], 1ull << t);
    atomicXor(&w[5], t << 40);
    atomicExch(&w[6], 1ull << 50);
    atomicCAS(&w[7], 0ull, 12345678901234ull);
    atomicMin(&w[8], t);
    atomicMax((long long *)&w[9], (long long)t - 1000);
}

__global__ void floats(float *f, double *d)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[0], (float)t);
    atomicAdd(f + 1, 0.5f);
    atomicExch(&f[2], 2.5f);
    float old = atomicAdd(&f[3], 1.0f);
    if (old < 0 || old > 63)
        f[3] = -1000;
    atomicAdd(d, t * 0.25);
    unsigned long long *bits = (unsigned long long *)(d + 1), was = *bits, assumed;
    do {
        assumed = was;
        was = atomicCAS(bits, assumed, __double_as_longlong(t + 1.0 + __longlong_as_double(assumed)));
    } while (assumed != was);
}

__device__ int mutex;
__global__ void spin(int *data)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0)
            ;
        __threadfence();
        data[0] = data[0] * 2 % 1000003 + 1;
        data[1]++;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

__global__ void last_block(int *parts, unsigned *done, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (blockIdx.x + 1) * 11;
        __threadfence();
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int s = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            s += *(volatile int *)&parts[i];
        *total = s;
    }
}

__global__ void scopes(int *out)
{
    atomicAdd_block(&out[0], 1);
    atomicAdd_system(&out[1], 2);
    atomicMax_block(&out[2], (int)threadIdx.x);
}

// Threads of one warp wait for each other: one of them for the flag that another sets, all for a lock.
__global__ void flag(int *set, int *out)
{
    int t = threadIdx.x;
    if (t == 7) {
        out[0] = 42;
        __threadfence();
        atomicExch(set, 1);
    } else {
        while (atomicAdd(set, 0) == 0)
            ;
        __threadfence();
        out[t + 1] = *(volatile int *)out + t;
    }
}

__global__ void locks(int *lock, int *sums)
{
    volatile int *held = sums;
    while (atomicCAS(lock, 0, 1))
        ;
    held[0] += threadIdx.x;
    __threadfence();
    atomicExch(lock, 0);
    while (atomicExch(lock + 1, 5))
        ;
    held[1]++;
    __threadfence();
    atomicExch(lock + 1, 0);
}

// 64 bits in shared memory, through a pointer that only inlining shows to be of it.
__device__ void every(unsigned long long *w, unsigned long long t)
{
    atomicAdd(&w[0], t << 33);
    atomicMax(&w[1], t * t << 20);
    atomicOr(&w[2], t << 40);
    atomicExch(&w[3], 1ull << 50);
}
__global__ void wide_shared(unsigned long long *out)
{
    __shared__ unsigned long long s[4];
    if (threadIdx.x < 4)
        s[threadIdx.x] = 0;
    __syncthreads();
    every(s, threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = s[threadIdx.x];
}
