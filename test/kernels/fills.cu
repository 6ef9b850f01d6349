// Memory that is set and copied, of sizes and places that wide accesses fit or do not fit.
// TEST local: --kernel local_memory --block 40 --arg 'u32[40]' --arg 'i32:3'
// EXPECT arg 0: sum 97085774500 checksum e624722d96e56fbb
// TEST shared: --kernel shared_memory --block 40 --arg 'u32[40]' --arg 'i32:5'
// EXPECT arg 0: sum 96606546320 checksum af49adf17a93a517
template <class T> __device__ unsigned summed(const T *p, int n)
{
    unsigned s = 0;
    for (int k = 0; k < n; k++)
        s = s * 31 + p[k];
    return s;
}
struct odd {
    unsigned char a[3];
    unsigned char rest[1021];
};
__global__ void local_memory(unsigned *out, int n)
{
    unsigned char a[1024], b[1027];
    unsigned short c[500];
    odd o, p;
    memset(a, 0, sizeof a);
    memset(b, n + threadIdx.x, sizeof b);
    memset(c, 7, sizeof c);
    memset(o.a, 1, sizeof o.a);
    memset(o.rest, n, sizeof o.rest);
    for (int k = 0; k < n; k++)
        a[(k * 37 + threadIdx.x) & 1023] = k + 1;
    memcpy(&p, &o, sizeof o);
    memcpy(b + 1, a, 1024);
    memcpy(c + 2, a + 4, 800);
    out[threadIdx.x] = summed(a, 1024) ^ summed(b, 1027) ^ summed(c, 500) ^ summed(p.a, 3) ^ summed(p.rest, 1021);
}
__global__ void shared_memory(unsigned *out, int n)
{
    __shared__ unsigned char s[2][1600];
    if (threadIdx.x == 0) {
        memset(s, n, sizeof s);
        memset(s[1] + 3, 9, 1111);
    }
    __syncthreads();
    if (threadIdx.x == 33)
        memcpy(s[0] + 16, s[1], 1504);
    __syncthreads();
    out[threadIdx.x] = summed(s[0] + threadIdx.x, 1500) + summed(s[1] + threadIdx.x, 1500);
}
