/* Optimisers, clipping, dropout and embeddings. */
#pragma once
#include "device/dnn/types.h"

/* ---- optimisers: w, its gradient g and up to two arrays of state ---- */
#define OPTIMIZER(name, body)                                                                      \
    template <class A> struct opt_##name {                                                         \
        static __device__ void step(A &w, A g, A &m, A &v, const dnn_optimizer &o)                 \
        {                                                                                          \
            const A rate = (A)o.rate, decay = (A)o.decay, epsilon = (A)o.epsilon, b1 = (A)o.beta1, b2 = (A)o.beta2;          \
            body                                                                                   \
        }                                                                                          \
    };
#define MOMENTS                                                                                    \
    m = b1 * m + (A(1) - b1) * g;                                                                  \
    v = b2 * v + (A(1) - b2) * g * g;
#define ADAM w -= rate * (m / (A)o.correction1) / (sqrt(v / (A)o.correction2) + epsilon);
OPTIMIZER(sgd, w -= rate * (g + decay * w);)
OPTIMIZER(momentum, g += decay * w; m = (A)o.momentum * m + g; w -= rate * (o.nesterov ? g + (A)o.momentum * m : m);)
OPTIMIZER(adam, g += decay * w; MOMENTS ADAM)
OPTIMIZER(adamw, w -= rate * decay * w; MOMENTS ADAM)
OPTIMIZER(adamax, g += decay * w; m = b1 * m + (A(1) - b1) * g; v = b2 * v > fabs(g) + epsilon ? b2 * v : fabs(g) + epsilon;
          w -= rate / (A)o.correction1 * m / v;)
OPTIMIZER(rmsprop, g += decay * w; m = b2 * m + (A(1) - b2) * g * g; w -= rate * g / (sqrt(m) + epsilon);)
OPTIMIZER(adagrad, g += decay * w; m += g * g; w -= rate * g / (sqrt(m) + epsilon);)
OPTIMIZER(adadelta, g += decay * w; v = b2 * v + (A(1) - b2) * g * g; const A d = sqrt(m + epsilon) / sqrt(v + epsilon) * g;
          m = b2 * m + (A(1) - b2) * d * d; w -= rate * d;)
OPTIMIZER(lion, w -= rate * decay * w; const A c = b1 * m + (A(1) - b1) * g; w -= rate * (c > A(0) ? A(1) : c < A(0) ? A(-1) : A(0));
          m = b2 * m + (A(1) - b2) * g;)

template <class T, class F> __global__ void optimise(dnn_optimizer o, long long n, T *w, const T *g, typename wide_of<T>::type *m, typename wide_of<T>::type *v)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (i, n) {
        A now = to<A>(w[i]), first = m ? m[i] : A(0), second = v ? v[i] : A(0);
        F::step(now, to<A>(g[i]), first, second, o);
        w[i] = to<T>(now);
        if (m)
            m[i] = first;
        if (v)
            v[i] = second;
    }
}

/* ---- clipping ---- */
/* Sums of squares, in two steps: of many arrays, one after another, each adds its parts behind. */
template <class T> __global__ void square_parts(long long n, const T *x, double *parts)
{
    double sum = 0;
    EACH_PLACE (i, n) {
        const double v = (double)to<typename wide_of<T>::type>(x[i]);
        sum += v * v;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}
__global__ void square_total(long long n, const double *parts, double limit, double *norm_and_factor)
{
    double sum = 0;
    for (long long i = threadIdx.x; i < n; i += DNN_THREADS)
        sum += parts[i];
    sum = sqrt(block_sum(sum));
    if (threadIdx.x == 0) {
        norm_and_factor[0] = sum;
        norm_and_factor[1] = sum > limit ? limit / sum : 1.0;
    }
}
template <class T> __global__ void scale_by(long long n, T *x, const double *factor)
{
    typedef typename wide_of<T>::type A;
    const A f = (A)*factor;
    if (f != A(1))
        EACH_PLACE (i, n)
            x[i] = to<T>(f * to<A>(x[i]));
}
template <class T> __global__ void clip_values(long long n, T *x, double limit)
{
    typedef typename wide_of<T>::type A;
    const A l = (A)limit;
    EACH_PLACE (i, n) {
        const A v = to<A>(x[i]);
        x[i] = to<T>(v > l ? l : v < -l ? -l : v);
    }
}

/* ---- dropout ---- */
/* Element i of the call is dropped where word i % 4 of Philox 4x32-10 (key: the seed; counter: offset + i / 4) is below p * 2^32. The mask
 * is a byte for each element. State: seed and offset, which a call moves on, in device memory, or null. */
template <class T>
__global__ void drop(long long n, double p, unsigned long long seed, unsigned long long offset, const unsigned long long *state, const T *x, T *y,
                     unsigned char *mask)
{
    typedef typename wide_of<T>::type A;
    const A keep = p < 1.0 ? (A)(1.0 / (1.0 - p)) : A(0);
    const double edge = p * 4294967296.0;
    if (state) {
        seed = state[0];
        offset = state[1];
    }
    EACH_PLACE (i4, (n + 3) / 4) {
        const unsigned long long at = offset + i4;
        unsigned counter[4] = {(unsigned)at, (unsigned)(at >> 32), 0u, 0u}, word[4];
        __tern_philox_block(counter, (unsigned)seed, (unsigned)(seed >> 32), word);
        for (int k = 0; k < 4; k++) {
            const long long i = 4 * i4 + k;
            if (i < n) {
                const bool kept = (double)word[k] >= edge;
                y[i] = to<T>(kept ? keep * to<A>(x[i]) : A(0));
                if (mask)
                    mask[i] = kept;
            }
        }
    }
}
template <class T> __global__ void drop_back(long long n, double p, const unsigned char *mask, const T *dy, T *dx)
{
    typedef typename wide_of<T>::type A;
    const A keep = p < 1.0 ? (A)(1.0 / (1.0 - p)) : A(0);
    EACH_PLACE (i, n)
        dx[i] = to<T>(mask[i] ? keep * to<A>(dy[i]) : A(0));
}
__global__ void drop_seed(unsigned long long *state, unsigned long long seed)
{
    state[0] = seed;
    state[1] = 0;
}
__global__ void drop_advance(unsigned long long *state, unsigned long long by) { state[1] += by; }

/* ---- embeddings ---- */
/* An index outside the table gives NaN. */
template <class T> __global__ void embed(long long n, long long size, long long rows, const int *index, const T *table, T *y)
{
    EACH_PLACE (i, n * size) {
        const int row = index[i / size];
        y[i] = row >= 0 && row < rows ? table[row * size + i % size] : to<T>(float(0.0 / 0.0));
    }
}
/* The first place that has an index sums for all that have it: no order changes from run to run. */
template <class T> __global__ void embed_back(long long n, long long size, long long rows, const int *index, const T *dy, T *table, int add)
{
    typedef typename wide_of<T>::type A;
    for (long long i = blockIdx.x; i < n; i += gridDim.x) {
        const int row = index[i];
        bool first = row >= 0 && row < rows;
        for (long long j = 0; first && j < i; j++)
            first = index[j] != row;
        if (!first)
            continue;
        for (long long d = threadIdx.x; d < size; d += DNN_THREADS) {
            A sum = add ? to<A>(table[row * size + d]) : A(0);
            for (long long j = i; j < n; j++)
                if (index[j] == row)
                    sum += to<A>(dy[j * size + d]);
            table[row * size + d] = to<T>(sum);
        }
    }
}
