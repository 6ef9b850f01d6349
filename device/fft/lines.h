/* The kernel of a step (step.h): W lines of N elements for each block, P threads for each line.
 *
 * Lines go through stages, one for each radix, as Stockham's transform does: a stage reads elements that are N / radix apart
 * and writes them so that, at the end, all are in order. The first stage reads from global memory, the last one writes there,
 * and between stages elements are in shared memory. T: what is computed with; In, Out: what parts are stored as. RADICES: four
 * bits for each, the first stage's the lowest; 15 stands for 16. */
#pragma once
#include "device/fft/step.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

#define FFT_INLINE(name) template <class T> __device__ __forceinline__ void name
#define FFT_NAME(name) name
#define FFT_T T
#define FFT_S T
#define FFT_C(number) ((T)(number))
#include "device/fft/butterfly.h"

template <class T> struct fft_pair {
    T x, y;
};

template <class T> __device__ inline T fft_wide(T v) { return v; }
__device__ inline float fft_wide(__half v) { return __half2float(v); }
__device__ inline float fft_wide(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ inline void fft_narrow(float *to, float v) { *to = v; }
__device__ inline void fft_narrow(double *to, double v) { *to = v; }
__device__ inline void fft_narrow(__half *to, float v) { *to = __float2half(v); }
__device__ inline void fft_narrow(__nv_bfloat16 *to, float v) { *to = __float2bfloat16(v); }

template <class T> __device__ inline fft_pair<T> fft_times(fft_pair<T> a, fft_pair<T> b)
{
    const fft_pair<T> c = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
    return c;
}

/* ---- where a line is ---- */
struct fft_line {
    long long apart, index, twiddle;
};

template <bool OUT, int LOOPS> __device__ __forceinline__ fft_line fft_line_at(const fft_step &s, long long line)
{
    fft_line at = {0, 0, 0};
#pragma unroll
    for (int l = 0; l < LOOPS; l++) {
        const long long count = s.loops[l].count;
        long long place = line;
        if (l + 1 < LOOPS) {
            if (line < 0x7fffffff && count < 0x7fffffff) {
                const unsigned rest = (unsigned)line / (unsigned)count;
                place = (unsigned)line - rest * (unsigned)count;
                line = rest;
            } else {
                const long long rest = line / count;
                place = line - rest * count;
                line = rest;
            }
        }
        at.apart += place * (OUT ? s.loops[l].out_apart : s.loops[l].in_apart);
        at.index += place * (OUT ? s.loops[l].out_index : s.loops[l].in_index);
        at.twiddle += place * s.loops[l].twiddle;
    }
    return at;
}

/* ---- elements in global memory ---- */
template <class T, class In> __device__ inline fft_pair<T> fft_read(const In *p, long long at)
{
    const fft_pair<T> v = {(T)fft_wide(p[2 * at]), (T)fft_wide(p[2 * at + 1])};
    return v;
}

/* Element k of half a spectrum; the first and the one in the middle are real. */
template <class T, class In> __device__ inline fft_pair<T> fft_read_half(const fft_step &s, const fft_line &at, long long k)
{
    fft_pair<T> v = fft_read<T>((const In *)s.in, at.apart + k * s.in_stride);
    if (k == 0 || 2 * k == s.real_n)
        v.y = 0;
    return v;
}

template <class T, class In, int LOAD, int FLAGS> __device__ inline fft_pair<T> fft_load_at(const fft_step &s, const fft_line &at, int j)
{
    const long long index = at.index + j * s.in_step;
    fft_pair<T> v = {0, 0};
    if ((FLAGS & FFT_CHIRP_IN) && index >= s.limit)
        return v;
    const In *in = (const In *)s.in;
    if (LOAD == FFT_LOAD_COMPLEX) {
        v = fft_read<T>(in, at.apart + index * s.in_stride);
    } else if (LOAD == FFT_LOAD_REAL) {
        v.x = (T)fft_wide(in[at.apart + index * s.in_stride]);
    } else if (LOAD == FFT_LOAD_PAIRS) {
        v.x = (T)fft_wide(in[at.apart + 2 * index * s.in_stride]);
        v.y = (T)fft_wide(in[at.apart + (2 * index + 1) * s.in_stride]);
    } else if (LOAD == FFT_LOAD_HERMITE) {
        const bool mirrored = 2 * index > s.real_n;
        v = fft_read_half<T, In>(s, at, mirrored ? s.real_n - index : index);
        if (mirrored)
            v.y = -v.y;
    } else {
        const fft_pair<T> a = fft_read_half<T, In>(s, at, index), b = fft_read_half<T, In>(s, at, s.real_n / 2 - index);
        const fft_pair<T> root = ((const fft_pair<T> *)s.real_roots)[index];
        const fft_pair<T> sum = {a.x + b.x, a.y - b.y}, difference = {a.x - b.x, a.y + b.y};
        /* i times the root's conjugate */
        v.x = sum.x - (difference.y * root.x - difference.x * root.y);
        v.y = sum.y + (difference.x * root.x + difference.y * root.y);
    }
    if (FLAGS & FFT_SWAP_IN) {
        const T x = v.x;
        v.x = v.y;
        v.y = x;
    }
    if (FLAGS & FFT_CHIRP_IN)
        v = fft_times(v, ((const fft_pair<T> *)s.chirp)[index]);
    return v;
}

template <class T, class Out> __device__ inline void fft_write(Out *p, long long at, fft_pair<T> v)
{
    fft_narrow(p + 2 * at, v.x);
    fft_narrow(p + 2 * at + 1, v.y);
}

template <class T, class Out, int STORE, int FLAGS>
__device__ inline void fft_store_at(const fft_step &s, const fft_line &at, int k, fft_pair<T> v)
{
    const long long index = at.index + k * s.out_step;
    if ((FLAGS & FFT_CHIRP_OUT) && index >= s.limit)
        return;
    if (STORE == FFT_STORE_HALF && 2 * index > s.real_n)
        return;
    if (FLAGS & FFT_SWAP_FIRST) {
        const T x = v.x;
        v.x = v.y;
        v.y = x;
    }
    if (FLAGS & FFT_TWIDDLE) {
        const long long e = at.twiddle * k;
        const long long mask = (1ll << s.shift) - 1;
        v = fft_times(v, fft_times(((const fft_pair<T> *)s.coarse)[e >> s.shift], ((const fft_pair<T> *)s.fine)[e & mask]));
    }
    if (FLAGS & FFT_TIMES)
        v = fft_times(v, ((const fft_pair<T> *)s.product)[index]);
    if (FLAGS & FFT_CHIRP_OUT)
        v = fft_times(v, ((const fft_pair<T> *)s.chirp)[index]);
    if (FLAGS & FFT_SWAP_OUT) {
        const T x = v.x;
        v.x = v.y;
        v.y = x;
    }
    Out *out = (Out *)s.out;
    if (STORE == FFT_STORE_REAL) {
        fft_narrow(out + at.apart + index * s.out_stride, v.x);
    } else if (STORE == FFT_STORE_PAIRS) {
        fft_narrow(out + at.apart + 2 * index * s.out_stride, v.x);
        fft_narrow(out + at.apart + (2 * index + 1) * s.out_stride, v.y);
    } else {
        fft_write<T>(out, at.apart + index * s.out_stride, v);
    }
}

/* Element k of half a spectrum of reals, from elements k and h - k of that of pairs. */
template <class T> __device__ inline fft_pair<T> fft_split(fft_pair<T> a, fft_pair<T> b, fft_pair<T> root)
{
    const T half = (T)0.5;
    const fft_pair<T> even = {half * (a.x + b.x), half * (a.y - b.y)}, odd = {half * (a.y + b.y), half * (b.x - a.x)};
    const fft_pair<T> turned = fft_times(odd, root);
    const fft_pair<T> v = {even.x + turned.x, even.y + turned.y};
    return v;
}

/* ---- stages ---- */
template <class T, int R> struct fft_radix;
#define FFT_RADIX(r)                                                                                                                 \
    template <class T> struct fft_radix<T, r> {                                                                                      \
        static __device__ __forceinline__ void run(T *x, T *y) { fft_butterfly_##r(x, y); }                                          \
    };
FFT_RADIX(2)
FFT_RADIX(3)
FFT_RADIX(4)
FFT_RADIX(5)
FFT_RADIX(7)
FFT_RADIX(8)
FFT_RADIX(11)
FFT_RADIX(13)
FFT_RADIX(16)
template <class T> struct fft_radix<T, 1> {
    static __device__ __forceinline__ void run(T *, T *) {}
};

/* One stage of radix R after stages of product NS. Threads first read all of their elements, then wait, then write: lines stay
 * in one place. `here`: which line of the block; part: which of its P threads; from and to: of the line in global memory. */
template <class T, class In, class Out, int N, int P, int NS, int R, bool FIRST, bool LAST, int LOAD, int STORE, int FLAGS>
__device__ __forceinline__ void fft_stage(const fft_step &s, fft_pair<T> *line, int part, bool there, const fft_line &from,
                                          const fft_line &to)
{
    enum { COUNT = N / R, EACH = (COUNT + P - 1) / P };
    T x[EACH][R], y[EACH][R];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int b = part + i * P;
        if (there && b < COUNT) {
#pragma unroll
            for (int q = 0; q < R; q++) {
                const fft_pair<T> v = FIRST ? fft_load_at<T, In, LOAD, FLAGS>(s, from, b + q * COUNT) : line[b + q * COUNT];
                x[i][q] = v.x;
                y[i][q] = v.y;
            }
        }
    }
    if (!FIRST || (LAST && STORE == FFT_STORE_SPLIT))
        __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int b = part + i * P, k = b % NS;
        if (there && b < COUNT) {
            if (NS > 1) {
#pragma unroll
                for (int q = 1; q < R; q++) {
                    const fft_pair<T> root = ((const fft_pair<T> *)s.roots)[k * q * (COUNT / NS)];
                    const T u = x[i][q];
                    x[i][q] = u * root.x - y[i][q] * root.y;
                    y[i][q] = u * root.y + y[i][q] * root.x;
                }
            }
            fft_radix<T, R>::run(x[i], y[i]);
#pragma unroll
            for (int q = 0; q < R; q++) {
                const fft_pair<T> v = {x[i][q], y[i][q]};
                const int place = (b - k) * R + k + q * NS;
                if (LAST && STORE != FFT_STORE_SPLIT)
                    fft_store_at<T, Out, STORE, FLAGS>(s, to, place, v);
                else
                    line[place] = v;
            }
        }
    }
    if (!LAST || STORE == FFT_STORE_SPLIT)
        __syncthreads();
}

template <class T, class In, class Out, int N, int P, int NS, unsigned long long RADICES, int LOAD, int STORE, int FLAGS> struct fft_stages {
    enum {
        CODE = (int)(RADICES & 15),
        R = CODE == 15 ? 16 : CODE,
        LAST = (RADICES >> 4) == 0
    };
    static __device__ __forceinline__ void run(const fft_step &s, fft_pair<T> *load_line, int load_part, bool load_there,
                                               fft_pair<T> *line, int part, bool there, const fft_line &from, const fft_line &to)
    {
        if (NS == 1)
            fft_stage<T, In, Out, N, P, NS, R, true, LAST, LOAD, STORE, FLAGS>(s, load_line, load_part, load_there, from, to);
        else
            fft_stage<T, In, Out, N, P, NS, R, false, LAST, LOAD, STORE, FLAGS>(s, line, part, there, from, to);
        if constexpr (!LAST)
            fft_stages<T, In, Out, N, P, NS * R, (RADICES >> 4), LOAD, STORE, FLAGS>::run(s, load_line, load_part, load_there, line, part,
                                                                                       there, from, to);
    }
};

template <class T, class In, class Out, int N, int W, int P, unsigned long long RADICES, int LOAD, int STORE, int FLAGS, int LOOPS>
__global__ void __launch_bounds__(W *P) fft_lines(const fft_step s)
{
    extern __shared__ double fft_shared[];
    fft_pair<T> *lines = (fft_pair<T> *)fft_shared;
    const int t = threadIdx.x;
    enum { TURNED = (FLAGS & FFT_STORE_ACROSS) != 0, ALONE = (RADICES >> 4) == 0 };
    /* A step of one stage has no way to hand elements from one thread to another. */
    enum { LOAD_TURNED = ALONE ? TURNED : (FLAGS & FFT_LOAD_ACROSS) != 0 };
    const int load_line = LOAD_TURNED ? t % W : t / P, load_part = LOAD_TURNED ? t / W : t % P;
    const int line = TURNED ? t % W : t / P, part = TURNED ? t / W : t % P;
    for (long long first = blockIdx.x * (long long)W; first < s.lines; first += gridDim.x * (long long)W) {
        const bool load_there = first + load_line < s.lines, there = first + line < s.lines;
        const fft_line from = fft_line_at<false, LOOPS>(s, load_there ? first + load_line : 0), to = fft_line_at<true, LOOPS>(s, there ? first + line : 0);
        fft_stages<T, In, Out, N, P, 1, RADICES, LOAD, STORE, FLAGS>::run(s, lines + load_line * N, load_part, load_there, lines + line * N,
                                                                        part, there, from, to);
        if (STORE == FFT_STORE_SPLIT && there) {
            for (int k = part; k <= N; k += P) {
                const fft_pair<T> a = lines[line * N + (k == N ? 0 : k)], b = lines[line * N + (k == 0 ? 0 : N - k)];
                fft_write<T>((Out *)s.out, to.apart + (to.index + k) * s.out_stride,
                             fft_split(a, b, ((const fft_pair<T> *)s.real_roots)[k]));
            }
        }
        __syncthreads();
    }
}

/* Half the spectra of reals, from those of pairs, which another step left: h = real_n / 2 complex elements a line. */
template <class T, class Out, int LOOPS> __global__ void fft_split_lines(const fft_step s)
{
    const long long h = s.real_n / 2, each = h + 1, all = s.lines * each;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < all; i += gridDim.x * (long long)blockDim.x) {
        const long long line = i / each, k = i - line * each;
        const fft_line from = fft_line_at<false, LOOPS>(s, line), to = fft_line_at<true, LOOPS>(s, line);
        const fft_pair<T> *in = (const fft_pair<T> *)s.in + from.apart;
        fft_write<T>((Out *)s.out, to.apart + k * s.out_stride,
                     fft_split(in[k == h ? 0 : k], in[k == 0 ? 0 : h - k], ((const fft_pair<T> *)s.real_roots)[k]));
    }
}
