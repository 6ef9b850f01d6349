/* Moving items between the threads of a block. */
#pragma once
#include "cub/block/block.cuh"

namespace cub
{
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockShuffle
{
    enum { THREADS = X * Y * Z };

  public:
    typedef tern_parallel::room<T, THREADS> TempStorage;

  private:
    TempStorage &s;
    const int t;

    __device__ void put(const T &x)
    {
        __syncthreads(); /* who still reads what was there */
        s[t] = x;
        __syncthreads();
    }

  public:
    __device__ BlockShuffle() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockShuffle(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
    /* From the thread `distance` further on; where there is none, `out` stays as it is. */
    __device__ void Offset(T in, T &out, int distance = 1)
    {
        put(in);
        const int from = t + distance;
        if (from >= 0 && from < THREADS)
            out = s[from];
    }
    __device__ void Rotate(T in, T &out, unsigned distance = 1)
    {
        put(in);
        out = s[(t + distance) % THREADS];
    }
    template <int N> __device__ void Up(T (&in)[N], T (&out)[N])
    {
        put(in[N - 1]);
        for (int i = N - 1; i > 0; i--)
            out[i] = in[i - 1];
        if (t)
            out[0] = s[t - 1];
    }
    template <int N> __device__ void Up(T (&in)[N], T (&out)[N], T &last)
    {
        Up(in, out);
        last = s[THREADS - 1];
    }
    template <int N> __device__ void Down(T (&in)[N], T (&out)[N])
    {
        put(in[0]);
        for (int i = 0; i < N - 1; i++)
            out[i] = in[i + 1];
        if (t < THREADS - 1)
            out[N - 1] = s[t + 1];
    }
    template <int N> __device__ void Down(T (&in)[N], T (&out)[N], T &first)
    {
        Down(in, out);
        first = s[0];
    }
};
} // namespace cub
