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

/* Numbers of elements and lines. Pages, where transforms have fewer than 2^31, define it as int. */
#ifndef FFT_INDEX
#define FFT_INDEX long long
#endif
typedef FFT_INDEX fft_index;

#define FFT_INLINE(name) template <class T> __device__ __forceinline__ void name
#define FFT_NAME(name) name
#define FFT_T T
#define FFT_S T
#define FFT_C(number) ((T)(number))
#include "device/fft/butterfly.h"

template <class T> struct __align__(2 * sizeof(T)) fft_pair {
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

template <class T> __device__ inline void fft_swap(fft_pair<T> &v)
{
    const T x = v.x;
    v.x = v.y;
    v.y = x;
}

/* ---- where a line is ---- */
struct fft_line {
    fft_index apart, index, twiddle;
};

template <bool OUT, int LOOPS> __device__ __forceinline__ fft_line fft_line_at(const fft_step &s, fft_index line)
{
    fft_line at = {0, 0, 0};
#pragma unroll
    for (int l = 0; l < LOOPS; l++) {
        const fft_index count = s.loops[l].count;
        fft_index place = line;
        if (l + 1 < LOOPS) {
            if (line < 0x7fffffff && count < 0x7fffffff) {
                const unsigned rest = (unsigned)line / (unsigned)count;
                place = (unsigned)line - rest * (unsigned)count;
                line = rest;
            } else {
                const fft_index rest = line / count;
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
template <class T, class In> __device__ inline fft_pair<T> fft_read(const In *p, fft_index at)
{
    const fft_pair<In> stored = ((const fft_pair<In> *)p)[at];
    const fft_pair<T> v = {(T)fft_wide(stored.x), (T)fft_wide(stored.y)};
    return v;
}

/* Element k of half a spectrum; the first and the one in the middle are real. */
template <class T, class In> __device__ inline fft_pair<T> fft_read_half(const fft_step &s, const fft_line &at, fft_index k)
{
    fft_pair<T> v = fft_read<T>((const In *)s.in, at.apart + k * s.in_stride);
    if (k == 0 || 2 * k == s.real_n)
        v.y = 0;
    return v;
}

/* Two reals beside each other are read and written at once where they may be. */
template <class P> __device__ inline bool fft_together(const P *p, fft_index stride)
{
    return stride == 1 && (unsigned long long)p % (2 * sizeof(P)) == 0;
}

/* Element j of a line; `index`: its number in the transform, `at`: where it is. */
template <class T, class In, int LOAD, int FLAGS>
__device__ __forceinline__ fft_pair<T> fft_load_at(const fft_step &s, const fft_line &line, fft_index index, fft_index at)
{
    fft_pair<T> v = {0, 0};
    if ((FLAGS & FFT_CHIRP_IN) && index >= s.limit)
        return v;
    const In *in = (const In *)s.in;
    if (LOAD == FFT_LOAD_COMPLEX) {
        v = fft_read<T>(in, at);
    } else if (LOAD == FFT_LOAD_REAL) {
        v.x = (T)fft_wide(in[at]);
    } else if (LOAD == FFT_LOAD_PAIRS) {
        const In *p = in + line.apart + 2 * index * s.in_stride;
        if (fft_together(p, s.in_stride)) {
            v = fft_read<T>(p, 0);
        } else {
            v.x = (T)fft_wide(p[0]);
            v.y = (T)fft_wide(p[s.in_stride]);
        }
    } else if (LOAD == FFT_LOAD_HERMITE) {
        const bool mirrored = 2 * index > s.real_n;
        v = fft_read_half<T, In>(s, line, mirrored ? s.real_n - index : index);
        if (mirrored)
            v.y = -v.y;
    } else {
        const fft_pair<T> a = fft_read_half<T, In>(s, line, index), b = fft_read_half<T, In>(s, line, s.real_n / 2 - index);
        const fft_pair<T> root = ((const fft_pair<T> *)s.real_roots)[index];
        const fft_pair<T> sum = {a.x + b.x, a.y - b.y}, difference = {a.x - b.x, a.y + b.y};
        /* i times the root's conjugate */
        v.x = sum.x - (difference.y * root.x - difference.x * root.y);
        v.y = sum.y + (difference.x * root.x + difference.y * root.y);
    }
    if (FLAGS & FFT_SWAP_IN)
        fft_swap(v);
    if (FLAGS & FFT_CHIRP_IN)
        v = fft_times(v, ((const fft_pair<T> *)s.chirp)[index]);
    return v;
}

template <class T, class Out> __device__ inline void fft_write(Out *p, fft_index at, fft_pair<T> v)
{
    fft_pair<Out> stored;
    fft_narrow(&stored.x, v.x);
    fft_narrow(&stored.y, v.y);
    ((fft_pair<Out> *)p)[at] = stored;
}

/* The same for what is written; `twiddle`: its root of unity. */
template <class T, class Out, int STORE, int FLAGS>
__device__ __forceinline__ void fft_store_at(const fft_step &s, const fft_line &line, fft_index index, fft_index at, fft_pair<T> twiddle,
                                             fft_pair<T> v)
{
    if ((FLAGS & FFT_CHIRP_OUT) && index >= s.limit)
        return;
    if (STORE == FFT_STORE_HALF && 2 * index > s.real_n)
        return;
    if (FLAGS & FFT_SWAP_FIRST)
        fft_swap(v);
    if (FLAGS & FFT_TWIDDLE)
        v = fft_times(v, twiddle);
    if (FLAGS & FFT_TIMES)
        v = fft_times(v, ((const fft_pair<T> *)s.product)[index]);
    if (FLAGS & FFT_CHIRP_OUT)
        v = fft_times(v, ((const fft_pair<T> *)s.chirp)[index]);
    if (FLAGS & FFT_SWAP_OUT)
        fft_swap(v);
    Out *out = (Out *)s.out;
    if (STORE == FFT_STORE_REAL) {
        fft_narrow(out + at, v.x);
    } else if (STORE == FFT_STORE_PAIRS) {
        Out *p = out + line.apart + 2 * index * s.out_stride;
        if (fft_together(p, s.out_stride)) {
            fft_write<T>(p, 0, v);
        } else {
            fft_narrow(p, v.x);
            fft_narrow(p + s.out_stride, v.y);
        }
    } else {
        fft_write<T>(out, at, v);
    }
}

/* Elements k and h - k of half a spectrum of reals, from those of the spectrum of pairs. */
template <class T, class Out>
__device__ inline void fft_split_two(Out *out, fft_index at, fft_index stride, fft_index h, fft_index k, fft_pair<T> a, fft_pair<T> b, fft_pair<T> root)
{
    const T half = (T)0.5;
    const fft_pair<T> even = {half * (a.x + b.x), half * (a.y - b.y)}, odd = {half * (a.y + b.y), half * (b.x - a.x)};
    const fft_pair<T> turned = fft_times(odd, root);
    const fft_pair<T> low = {even.x + turned.x, even.y + turned.y}, high = {even.x - turned.x, turned.y - even.y};
    fft_write<T>(out, at + k * stride, low);
    if (2 * k != h)
        fft_write<T>(out, at + (h - k) * stride, high);
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

/* A and B without a common factor, as Good and Thomas do it: element (B i + A j) mod A B is (i, j), and no twiddles are between. Result k is
 * where it leaves the remainders of i and j. */
template <class T, int A, int B> struct fft_coprime {
    static __device__ __forceinline__ void run(T *x, T *y)
    {
        enum { N = A * B };
        T u[B][A], v[B][A];
#pragma unroll
        for (int j = 0; j < B; j++) {
#pragma unroll
            for (int i = 0; i < A; i++) {
                u[j][i] = x[(B * i + A * j) % N];
                v[j][i] = y[(B * i + A * j) % N];
            }
            fft_radix<T, A>::run(u[j], v[j]);
        }
#pragma unroll
        for (int i = 0; i < A; i++) {
            T s[B], t[B];
#pragma unroll
            for (int j = 0; j < B; j++) {
                s[j] = u[j][i];
                t[j] = v[j][i];
            }
            fft_radix<T, B>::run(s, t);
#pragma unroll
            for (int m = 0; m < B; m++) {
                x[i + m * A] = s[(i + m * A) % B];
                y[i + m * A] = t[(i + m * A) % B];
            }
        }
    }
};
template <class T> struct fft_radix<T, 6> : fft_coprime<T, 2, 3> {};
template <class T> struct fft_radix<T, 10> : fft_coprime<T, 2, 5> {};
template <class T> struct fft_radix<T, 12> : fft_coprime<T, 3, 4> {};
#define FFT_COS_9_1 0.766044443118978035202392650555416673
#define FFT_SIN_9_1 0.642787609686539326322643409907263432
#define FFT_COS_9_2 0.173648177666930348851716626769314796
#define FFT_SIN_9_2 0.984807753012208059366743024589523013
#define FFT_COS_9_4 -0.93969262078590838405410927732473146
#define FFT_SIN_9_4 0.342020143325668733044099614682259580
/* Three by three: the twiddles are ninths of a turn. */
template <class T> struct fft_radix<T, 9> {
    static __device__ __forceinline__ void run(T *x, T *y)
    {
        T u[3][3], v[3][3];
#pragma unroll
        for (int j = 0; j < 3; j++) {
#pragma unroll
            for (int i = 0; i < 3; i++) {
                u[j][i] = x[3 * i + j];
                v[j][i] = y[3 * i + j];
            }
            fft_radix<T, 3>::run(u[j], v[j]);
        }
        fft_turn(u[1], v[1], 1, (T)FFT_COS_9_1, (T)FFT_SIN_9_1);
        fft_turn(u[1], v[1], 2, (T)FFT_COS_9_2, (T)FFT_SIN_9_2);
        fft_turn(u[2], v[2], 1, (T)FFT_COS_9_2, (T)FFT_SIN_9_2);
        fft_turn(u[2], v[2], 2, (T)FFT_COS_9_4, (T)FFT_SIN_9_4);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            T s[3] = {u[0][i], u[1][i], u[2][i]}, t[3] = {v[0][i], v[1][i], v[2][i]};
            fft_radix<T, 3>::run(s, t);
#pragma unroll
            for (int k = 0; k < 3; k++) {
                x[i + 3 * k] = s[k];
                y[i + 3 * k] = t[k];
            }
        }
    }
};

/* ---- roots of unity ---- */
/* w[q] is the q-th power of w[1]; that of 4 is given, too, so that few products are on the way to any of them. */
template <class T, int R> __device__ __forceinline__ void fft_powers(fft_pair<T> *w)
{
#pragma unroll
    for (int q = 2; q < R; q++)
        if (q < 4)
            w[q] = fft_times(w[q - 1], w[1]);
        else if (q > 4)
            w[q] = fft_times(w[q % 4 ? q - q % 4 : q - 4], w[q % 4 ? q % 4 : 4]);
}

/* That of the order of the twiddles to the power of e. */
template <class T> __device__ inline fft_pair<T> fft_twiddle(const fft_step &s, fft_index e)
{
    const fft_index mask = ((fft_index)1 << s.shift) - 1;
    return fft_times(((const fft_pair<T> *)s.coarse)[e >> s.shift], ((const fft_pair<T> *)s.fine)[e & mask]);
}

/* ---- elements in shared memory ---- */
template <class T> __device__ inline int fft_slot(int i) { return i + i / FFT_ROW(sizeof(T) == 8); }
/* That of element i + q * STEP; slot: that of element i. */
template <class T, int STEP> __device__ inline int fft_slot_on(int i, int slot, int q)
{
    enum { ROW = FFT_ROW(sizeof(T) == 8) };
    return STEP % ROW == 0 ? slot + q * (STEP + STEP / ROW) : fft_slot<T>(i + q * STEP);
}

/* What a thread has of a line between stages: EACH butterflies. */
template <class T, class In, int N, int P, int R, int LOAD, int FLAGS, bool FIRST, int EACH>
__device__ __forceinline__ void fft_take(const fft_step &s, const fft_pair<T> *line, int part, bool there, const fft_line &from, T (*x)[R], T (*y)[R])
{
    enum { COUNT = N / R };
    const fft_index next_index = COUNT * s.in_step, next_at = next_index * s.in_stride;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int b = part + i * P;
        if (there && b < COUNT) {
            const int slot = fft_slot<T>(b);
            fft_index index = from.index + b * s.in_step, at = from.apart + index * s.in_stride;
#pragma unroll
            for (int q = 0; q < R; q++) {
                fft_pair<T> v;
                if (FIRST)
                    v = fft_load_at<T, In, LOAD, FLAGS>(s, from, index, at);
                else
                    v = line[fft_slot_on<T, COUNT>(b, slot, q)];
                index += next_index;
                at += next_at;
                x[i][q] = v.x;
                y[i][q] = v.y;
            }
        }
    }
}

/* Butterfly b goes where the next stage, or who reads the result, has it. */
template <class T, class Out, int N, int NS, int R, int STORE, int FLAGS, bool TO_MEMORY>
__device__ __forceinline__ void fft_give(const fft_step &s, fft_pair<T> *line, int b, const fft_line &to, const T *x, const T *y)
{
    const int k = b % NS, place = (b - k) * R + k;
    if (TO_MEMORY) {
        fft_index index = to.index + place * s.out_step, at = to.apart + index * s.out_stride;
        const fft_index next_index = NS * s.out_step, next_at = next_index * s.out_stride;
        fft_pair<T> w[R], turn = {1, 0};
        if (FLAGS & FFT_TWIDDLE) {
            turn = fft_twiddle<T>(s, to.twiddle * place);
            w[1] = fft_twiddle<T>(s, to.twiddle * NS);
            if (R > 4)
                w[R > 4 ? 4 : 0] = fft_twiddle<T>(s, to.twiddle * NS * 4);
            fft_powers<T, R>(w);
        }
#pragma unroll
        for (int q = 0; q < R; q++) {
            const fft_pair<T> v = {x[q], y[q]};
            fft_store_at<T, Out, STORE, FLAGS>(s, to, index, at, q && (FLAGS & FFT_TWIDDLE) ? fft_times(turn, w[q]) : turn, v);
            index += next_index;
            at += next_at;
        }
    } else {
        const int slot = fft_slot<T>(place);
#pragma unroll
        for (int q = 0; q < R; q++) {
            const fft_pair<T> v = {x[q], y[q]};
            line[fft_slot_on<T, NS>(place, slot, q)] = v;
        }
    }
}

/* One stage of radix R after stages of product NS. Threads first read all of their elements, then wait, then write: lines stay
 * in one place. `line`: in shared memory; number: which of all; part: which of its P threads. */
template <class T, class In, class Out, int N, int P, int NS, int R, bool FIRST, bool LAST, int LOAD, int STORE, int FLAGS, int LOOPS>
__device__ __forceinline__ void fft_stage(const fft_step &s, fft_pair<T> *line, int part, bool there, fft_index number)
{
    enum { COUNT = N / R, EACH = (COUNT + P - 1) / P };
    T x[EACH][R], y[EACH][R];
    fft_line from = {0, 0, 0}, to = {0, 0, 0};
    if (FIRST)
        from = fft_line_at<false, LOOPS>(s, number);
    fft_take<T, In, N, P, R, LOAD, FLAGS, FIRST, EACH>(s, line, part, there, from, x, y);
    if (!FIRST || (LAST && STORE == FFT_STORE_SPLIT))
        __syncthreads();
    if (LAST && STORE != FFT_STORE_SPLIT)
        to = fft_line_at<true, LOOPS>(s, number);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int b = part + i * P;
        if (there && b < COUNT) {
            if (NS > 1) {
                const int k = b % NS * (COUNT / NS);
                const fft_pair<T> *roots = (const fft_pair<T> *)s.roots;
                fft_pair<T> w[R];
                w[1] = roots[k];
                if (R > 4)
                    w[R > 4 ? 4 : 0] = roots[4 * k];
                fft_powers<T, R>(w);
#pragma unroll
                for (int q = 1; q < R; q++) {
                    const T u = x[i][q];
                    x[i][q] = u * w[q].x - y[i][q] * w[q].y;
                    y[i][q] = u * w[q].y + y[i][q] * w[q].x;
                }
            }
            fft_radix<T, R>::run(x[i], y[i]);
            fft_give<T, Out, N, NS, R, STORE, FLAGS, (LAST && STORE != FFT_STORE_SPLIT)>(s, line, b, to, x[i], y[i]);
        }
    }
    if (!LAST || STORE == FFT_STORE_SPLIT)
        __syncthreads();
}

template <class T, class In, class Out, int N, int P, int NS, unsigned long long RADICES, int LOAD, int STORE, int FLAGS, int LOOPS> struct fft_stages {
    enum {
        CODE = (int)(RADICES & 15),
        R = CODE == 15 ? 16 : CODE,
        LAST = (RADICES >> 4) == 0
    };
    /* Who loads a line may have another than who stores it. */
    static __device__ __forceinline__ void run(const fft_step &s, fft_pair<T> *load_line, int load_part, bool load_there, fft_index load_number,
                                               fft_pair<T> *line, int part, bool there, fft_index number)
    {
        if (NS == 1)
            fft_stage<T, In, Out, N, P, NS, R, true, LAST, LOAD, STORE, FLAGS, LOOPS>(s, load_line, load_part, load_there, load_number);
        else
            fft_stage<T, In, Out, N, P, NS, R, false, LAST, LOAD, STORE, FLAGS, LOOPS>(s, line, part, there, number);
        if constexpr (!LAST)
            fft_stages<T, In, Out, N, P, NS * R, (RADICES >> 4), LOAD, STORE, FLAGS, LOOPS>::run(s, load_line, load_part, load_there, load_number,
                                                                                              line, part, there, number);
    }
};

/* Blocks that a multiprocessor should hold at least: registers are taken for so many. */
template <class T> __host__ __device__ constexpr int fft_blocks(int threads) { return threads >= 512 ? 2 : (sizeof(T) == 8 ? 640 : 1024) / threads; }

template <class T, class In, class Out, int N, int W, int P, unsigned long long RADICES, int LOAD, int STORE, int FLAGS, int LOOPS>
__global__ void __launch_bounds__(W *P, fft_blocks<T>(W * P)) fft_lines(const fft_step s)
{
    extern __shared__ double fft_shared[];
    fft_pair<T> *lines = (fft_pair<T> *)fft_shared;
    const int t = threadIdx.x;
    enum { TURNED = (FLAGS & FFT_STORE_ACROSS) != 0, ALONE = (RADICES >> 4) == 0 };
    /* A step of one stage has no way to hand elements from one thread to another. */
    enum { SPAN = FFT_SPAN(N, W, sizeof(T) == 8) };
    enum { LOAD_TURNED = ALONE ? TURNED : (FLAGS & FFT_LOAD_ACROSS) != 0 };
    const int load_line = LOAD_TURNED ? t % W : t / P, load_part = LOAD_TURNED ? t / W : t % P;
    const int line = TURNED ? t % W : t / P, part = TURNED ? t / W : t % P;
    fft_index first = blockIdx.x * (fft_index)W;
    do { /* once, but where there are more lines than blocks may hold */
        const bool load_there = first + load_line < s.lines, there = first + line < s.lines;
        fft_stages<T, In, Out, N, P, 1, RADICES, LOAD, STORE, FLAGS, LOOPS>::run(s, lines + load_line * SPAN, load_part, load_there,
                                                                               load_there ? first + load_line : 0, lines + line * SPAN, part, there,
                                                                               there ? first + line : 0);
        if (STORE == FFT_STORE_SPLIT && there) {
            const fft_line to = fft_line_at<true, LOOPS>(s, first + line);
            const fft_pair<T> *here = lines + line * SPAN;
            const fft_index at = to.apart + to.index * s.out_stride;
#pragma unroll 4
            for (int k = part; k <= N / 2; k += P)
                fft_split_two<T>((Out *)s.out, at, s.out_stride, N, k, here[fft_slot<T>(k)], here[fft_slot<T>(k == 0 ? 0 : N - k)],
                                 ((const fft_pair<T> *)s.real_roots)[k]);
        }
        if (FLAGS & FFT_AGAIN)
            __syncthreads();
        first += gridDim.x * (fft_index)W;
    } while ((FLAGS & FFT_AGAIN) && first < s.lines);
}

/* Short lines one after the other, N elements each, in and out: one butterfly a thread. Memory is read and written as it lies. */
template <class T, class In, class Out, int N, int W, int FLAGS> __global__ void __launch_bounds__(W) fft_packed(const fft_step s)
{
    enum { SPAN = N | 1, STEPS = N }; /* odd: lines begin in different banks */
    __shared__ fft_pair<T> lines[W * SPAN];
    const int t = threadIdx.x;
    for (fft_index first = blockIdx.x * (fft_index)W; first < s.lines; first += gridDim.x * (fft_index)W) {
        const int count = (s.lines - first < W ? (int)(s.lines - first) : W) * N;
        const In *in = (const In *)s.in + 2 * first * N;
        Out *out = (Out *)s.out + 2 * first * N;
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            const int e = t + k * W;
            if (e < count) {
                fft_pair<T> v = fft_read<T>(in, e);
                if (FLAGS & FFT_SWAP_IN)
                    fft_swap(v);
                lines[e / N * SPAN + e % N] = v;
            }
        }
        __syncthreads();
        T x[N], y[N];
#pragma unroll
        for (int q = 0; q < N; q++) {
            x[q] = lines[t * SPAN + q].x;
            y[q] = lines[t * SPAN + q].y;
        }
        fft_radix<T, N>::run(x, y);
#pragma unroll
        for (int q = 0; q < N; q++) {
            const fft_pair<T> v = {x[q], y[q]};
            lines[t * SPAN + q] = v;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            const int e = t + k * W;
            if (e < count) {
                fft_pair<T> v = lines[e / N * SPAN + e % N];
                if (FLAGS & FFT_SWAP_OUT)
                    fft_swap(v);
                fft_write<T>(out, e, v);
            }
        }
        __syncthreads();
    }
}

/* Half the spectra of reals, from those of pairs, which another step left: h = real_n / 2 complex elements a line. */
template <class T, class Out, int LOOPS> __global__ void fft_split_lines(const fft_step s)
{
    const fft_index h = s.real_n / 2, each = h / 2 + 1, all = s.lines * each;
    for (fft_index i = blockIdx.x * (fft_index)blockDim.x + threadIdx.x; i < all; i += gridDim.x * (fft_index)blockDim.x) {
        const fft_index line = all < 0x7fffffff ? (fft_index)((unsigned)i / (unsigned)each) : i / each, k = i - line * each;
        const fft_line from = fft_line_at<false, LOOPS>(s, line), to = fft_line_at<true, LOOPS>(s, line);
        const fft_pair<T> *in = (const fft_pair<T> *)s.in + from.apart;
        fft_split_two<T>((Out *)s.out, to.apart, s.out_stride, h, k, in[k], in[k == 0 ? 0 : h - k], ((const fft_pair<T> *)s.real_roots)[k]);
    }
}
