// What clang writes for nvptx64, without any CUDA headers. The run script knows the answers.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define TID __nvvm_read_ptx_sreg_tid_x()

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + TID;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void sum(int n, const int *x, int *out)
{
    __shared__ int s[256];
    int t = TID, v = 0;
    for (int i = t; i < n; i += 256)
        v += x[i];
    s[t] = v;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (!t)
        out[0] = s[0];
}

struct pair {
    int x;
    double y;
};

__attribute__((device, noinline)) pair twice(pair p)
{
    p.x *= 2;
    p.y *= 2;
    return p;
}

extern "C" __global__ void classes(pair p, double *out)
{
    pair q = twice(p);
    out[TID] = q.x + q.y * TID;
}

extern "C" __global__ void cases(int *out)
{
    int t = TID, r = 0;
    switch (t) {
    case 0: r = 5; break;
    case 1: r = out[0] * 0 + 7; break;
    case 2: for (int i = 0; i < 10; i++) r += i * t; break;
    case 3: r = -1; break;
    case 4: r = t / 3 + t % 3; break;
    case 5: r = __nvvm_read_ptx_sreg_ntid_x(); break;
    default: r = t * t;
    }
    out[t + 1] = r;
}
