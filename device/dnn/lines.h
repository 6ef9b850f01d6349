/* Softmax and normalisation of lines whose elements lie together, each read once: WIDTH threads have a line in registers, CHUNKS accesses
 * of 16 bytes each. Lines are whole numbers of such accesses and begin at multiples of 16 bytes. */
#pragma once
#include "device/dnn/types.h"

/* Of the WIDTH threads of a line; all get it. */
template <int WIDTH, class A, class F> __device__ inline A over_line(A v)
{
#pragma unroll
    for (int d = (WIDTH < DNN_WARP ? WIDTH : DNN_WARP) / 2; d; d /= 2)
        v = F::of(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (WIDTH > DNN_WARP) {
        __shared__ A part[WIDTH > DNN_WARP ? WIDTH / DNN_WARP : 1];
        __syncthreads(); /* part may still be read from before */
        if (threadIdx.x % DNN_WARP == 0)
            part[threadIdx.x / DNN_WARP] = v;
        __syncthreads();
        v = part[0];
#pragma unroll
        for (int w = 1; w < WIDTH / DNN_WARP; w++)
            v = F::of(v, part[w]);
    }
    return v;
}
template <int WIDTH, class A> __device__ inline A line_sum(A v) { return over_line<WIDTH, A, sum_op<A> >(v); }

/* A thread's elements of a line: EACH together, chunk after chunk. */
template <class T, int WIDTH, int CHUNKS> struct held_line {
    typedef typename wide_of<T>::type A;
    enum { EACH = 16 / sizeof(T), COUNT = CHUNKS * EACH };
    A v[COUNT];
    static __device__ int at(int c) { return (c * WIDTH + threadIdx.x % WIDTH) * EACH; }
    __device__ void load(const T *p, int length, A outside)
    {
        chunk<T> x[CHUNKS];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
            if (at(c) < length)
                x[c].whole = *(const uint4 *)(p + at(c));
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                v[c * EACH + e] = at(c) < length ? to<A>(x[c].each[e]) : outside;
    }
    /* Parameters are wide, and the same for each line: they come from the cache when they are needed. */
    template <bool ADD> __device__ void with(const A *p, int length)
    {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
            if (at(c) < length)
#pragma unroll
                for (int e = 0; e < EACH; e += 16 / (int)sizeof(A)) {
                    chunk<A> x;
                    x.whole = *(const uint4 *)(p + at(c) + e);
#pragma unroll
                    for (int k = 0; k < 16 / (int)sizeof(A); k++)
                        v[c * EACH + e + k] = ADD ? v[c * EACH + e + k] + x.each[k] : v[c * EACH + e + k] * x.each[k];
                }
    }
    __device__ void store(T *p, int length, bool there) const
    {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
            if (there && at(c) < length) {
                chunk<T> x;
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    x.each[e] = to<T>(v[c * EACH + e]);
                *(uint4 *)(p + at(c)) = x.whole;
            }
    }
    __device__ bool inside(int i, int length) const { return at(i / EACH) < length; }
};
/* All threads of a block go through it as often as each other: those without a line go
 * through the last one, and store nothing: a result may lie where an operand was. */
#define EACH_LINE(l, n, WIDTH)                                                                     \
    for (long long l##_0 = blockIdx.x * (long long)(blockDim.x / WIDTH), l = line_of<WIDTH>(l##_0, n); l##_0 < (n);           \
         l##_0 += gridDim.x * (long long)(blockDim.x / WIDTH), l = line_of<WIDTH>(l##_0, n))
template <int WIDTH> __device__ inline bool has_line(long long first, long long n) { return first + threadIdx.x / WIDTH < n; }
template <int WIDTH> __device__ inline long long line_of(long long first, long long n)
{
    const long long l = first + threadIdx.x / WIDTH;
    return l < n ? l : n - 1;
}
/* exp of what is not above 0. Results of 16 bits do not show the difference; for floats, what the product with log2(e) loses is added. */
template <class T> struct line_exponential {
    static __device__ float of(float x) { return __expf(x); }
};
template <> struct line_exponential<float> {
    static __device__ float of(float x)
    {
        x = x < -104.f ? -104.f : x; /* so that infinity is not multiplied by 0; NaN stays */
        const float t = x * 1.44269504f, lost = fmaf(x, 1.925963033e-8f, fmaf(x, 1.44269504f, -t));
        float y;
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(t));
        return fmaf(y, lost * 0.693147181f, y);
    }
};
template <> struct line_exponential<double> {
    static __device__ double of(double x) { return exp(x); }
};
template <class T> __device__ inline typename wide_of<T>::type line_exp(typename wide_of<T>::type x) { return line_exponential<T>::of(x); }

template <class T, int WIDTH, int CHUNKS, int LOG> __global__ __launch_bounds__(WIDTH > DNN_THREADS ? WIDTH : DNN_THREADS) void line_softmax(long long lines, int length, const T *x0, T *y0)
{
    typedef typename wide_of<T>::type A;
    EACH_LINE (l, lines, WIDTH) {
        held_line<T, WIDTH, CHUNKS> x;
        x.load(x0 + l * length, length, A(-1.0 / 0.0));
        A m = x.v[0], s = A(0);
#pragma unroll
        for (int i = 1; i < x.COUNT; i++)
            m = max_op<A>::of(m, x.v[i]);
        m = over_line<WIDTH, A, max_op<A> >(m);
#pragma unroll
        for (int i = 0; i < x.COUNT; i++) {
            const A e = line_exp<T>(x.v[i] - m);
            s += e;
            x.v[i] = LOG ? x.v[i] - m : e;
        }
        s = line_sum<WIDTH>(s);
        const A by = LOG ? log(s) : A(1) / s;
#pragma unroll
        for (int i = 0; i < x.COUNT; i++)
            x.v[i] = LOG ? x.v[i] - by : x.v[i] * by;
        x.store(y0 + l * length, length, has_line<WIDTH>(l_0, lines));
    }
}
template <class T, int WIDTH, int CHUNKS, int LOG> __global__ __launch_bounds__(WIDTH > DNN_THREADS ? WIDTH : DNN_THREADS) void line_softmax_back(long long lines, int length, const T *y0, const T *dy0, T *dx0)
{
    typedef typename wide_of<T>::type A;
    EACH_LINE (l, lines, WIDTH) {
        held_line<T, WIDTH, CHUNKS> y, dy;
        y.load(y0 + l * length, length, A(0));
        dy.load(dy0 + l * length, length, A(0));
        A s = A(0);
#pragma unroll
        for (int i = 0; i < y.COUNT; i++)
            s += LOG ? dy.v[i] : y.v[i] * dy.v[i];
        s = line_sum<WIDTH>(s);
#pragma unroll
        for (int i = 0; i < y.COUNT; i++)
            y.v[i] = LOG ? dy.v[i] - line_exp<T>(y.v[i]) * s : y.v[i] * (dy.v[i] - s);
        y.store(dx0 + l * length, length, has_line<WIDTH>(l_0, lines));
    }
}

/* Layer and RMS normalisation. */
template <class T, int WIDTH, int CHUNKS, int RMS>
__global__ __launch_bounds__(WIDTH > DNN_THREADS ? WIDTH : DNN_THREADS) void line_norm(long long lines, int length, double epsilon, const T *x0, const typename wide_of<T>::type *gamma, const typename wide_of<T>::type *beta, T *y0,
                          typename wide_of<T>::type *means, typename wide_of<T>::type *inverses)
{
    typedef typename wide_of<T>::type A;
    EACH_LINE (l, lines, WIDTH) {
        held_line<T, WIDTH, CHUNKS> x;
        x.load(x0 + l * length, length, A(0));
        A mean = A(0), variance = A(0);
        if (!RMS) {
#pragma unroll
            for (int i = 0; i < x.COUNT; i++)
                mean += x.v[i];
            mean = line_sum<WIDTH>(mean) / (A)length;
        }
#pragma unroll
        for (int i = 0; i < x.COUNT; i++) {
            x.v[i] = x.inside(i, length) ? x.v[i] - mean : A(0);
            variance += x.v[i] * x.v[i];
        }
        const A inverse = A(1) / sqrt(line_sum<WIDTH>(variance) / (A)length + (A)epsilon);
#pragma unroll
        for (int i = 0; i < x.COUNT; i++)
            x.v[i] *= inverse;
        if (gamma)
            x.template with<false>(gamma, length);
        if (beta)
            x.template with<true>(beta, length);
        x.store(y0 + l * length, length, has_line<WIDTH>(l_0, lines));
        if (threadIdx.x % WIDTH == 0) {
            if (means)
                means[l] = mean;
            if (inverses)
                inverses[l] = inverse;
        }
    }
}
template <class T, int WIDTH, int CHUNKS, int RMS>
__global__ __launch_bounds__(WIDTH > DNN_THREADS ? WIDTH : DNN_THREADS) void line_norm_back(long long lines, int length, const T *x0, const T *dy0, const typename wide_of<T>::type *gamma, const typename wide_of<T>::type *means,
                               const typename wide_of<T>::type *inverses, T *dx0)
{
    typedef typename wide_of<T>::type A;
    EACH_LINE (l, lines, WIDTH) {
        held_line<T, WIDTH, CHUNKS> x, dy;
        x.load(x0 + l * length, length, A(0));
        dy.load(dy0 + l * length, length, A(0));
        const A mean = RMS ? A(0) : means[l], inverse = inverses[l];
        if (gamma)
            dy.template with<false>(gamma, length);
        A sum = A(0), moment = A(0);
#pragma unroll
        for (int i = 0; i < x.COUNT; i++) {
            x.v[i] = (x.v[i] - mean) * inverse;
            sum += dy.v[i];
            moment += dy.v[i] * x.v[i];
        }
        sum = RMS ? A(0) : line_sum<WIDTH>(sum) / (A)length;
        moment = line_sum<WIDTH>(moment) / (A)length;
#pragma unroll
        for (int i = 0; i < x.COUNT; i++)
            x.v[i] = inverse * (dy.v[i] - sum - x.v[i] * moment);
        x.store(dx0 + l * length, length, has_line<WIDTH>(l_0, lines)); /* dx may be dy: it is in registers */
    }
}

/* Sums of columns for the gradients of parameters, in two steps: each warp of a block has DNN_WARP chunks of columns side by side and
 * every rows-th line of `span` lines; parts[blocks][2][length]. */
template <class T, int RMS>
__global__ void line_params(long long lines, int length, long long span, const T *x0, const T *dy0, const typename wide_of<T>::type *means, const typename wide_of<T>::type *inverses,
                            typename wide_of<T>::type *parts)
{
    typedef typename wide_of<T>::type A;
    const int EACH = 16 / (int)sizeof(T), WARPS = DNN_THREADS / DNN_WARP, warp = threadIdx.x / DNN_WARP;
    __shared__ A moments[WARPS][DNN_WARP * (16 / sizeof(T))], sums[WARPS][DNN_WARP * (16 / sizeof(T))];
    const int col = (blockIdx.x * DNN_WARP + threadIdx.x % DNN_WARP) * EACH;
    const long long first = blockIdx.y * span, end = first + span < lines ? first + span : lines;
    A moment[16 / sizeof(T)], sum[16 / sizeof(T)];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        moment[e] = sum[e] = A(0);
    if (col < length)
#pragma unroll 4
        for (long long l = first + warp; l < end; l += WARPS) {
            chunk<T> x, dy;
            x.whole = *(const uint4 *)(x0 + l * length + col);
            dy.whole = *(const uint4 *)(dy0 + l * length + col);
            const A mean = RMS ? A(0) : means[l], inverse = inverses[l];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                const A g = to<A>(dy.each[e]);
                sum[e] += g;
                moment[e] += g * (to<A>(x.each[e]) - mean) * inverse;
            }
        }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        moments[warp][threadIdx.x % DNN_WARP * EACH + e] = moment[e];
        sums[warp][threadIdx.x % DNN_WARP * EACH + e] = sum[e];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DNN_WARP * EACH; i += DNN_THREADS) {
        const int c = blockIdx.x * DNN_WARP * EACH + i;
        A m = A(0), s = A(0);
        for (int w = 0; w < WARPS; w++) {
            m += moments[w][i];
            s += sums[w][i];
        }
        if (c < length) {
            parts[(blockIdx.y * 2LL) * length + c] = m;
            parts[(blockIdx.y * 2LL + 1) * length + c] = s;
        }
    }
}
template <class A> __global__ void line_params_sum(int length, int count, const A *parts, A *dgamma, A *dbeta)
{
    EACH_PLACE (i, 2LL * length) {
        A s = A(0);
        for (int k = 0; k < count; k++)
            s += parts[k * 2LL * length + i];
        A *out = i < length ? dgamma : dbeta;
        if (out)
            out[i % length] = s;
    }
}
