// Whose memory an address is of, where the lanes of a warp have addresses of several kinds.
// TEST kinds: --kernel kinds --block 40 --arg 'i32[40]'
// EXPECT arg 0: sum 204 checksum 39be9ae86b07c6f3
__global__ void kinds(int *p)
{
    __shared__ int s[40];
    int l[3] = {1, 2, 3}, t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int *which[3] = {p, s, l};
    int *x = which[t * 7 % 3] + t % 3;
    p[t] = __isGlobal(x) + 2 * __isShared(x) + 4 * __isLocal(x);
    if (__isGlobal(x + 0) && t % 3 == 0)
        p[t] += 8;
}
