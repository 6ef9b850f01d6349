/* Softmax, its logarithm and cross-entropy: a warp for each line. */
#pragma once
#include "device/dnn/types.h"

template <class T> __device__ inline const T *line_at(const dnn_rows &r, const T *x, long long l)
{
    return x + l / r.inner * r.outer_step + l % r.inner * r.inner_step;
}
/* The largest of a line and the sum of exp(x - largest). */
template <class T, class A> __device__ inline void line_sums(const dnn_rows &r, const T *x, A *largest, A *sum)
{
    A m = A(-1.0 / 0.0), s = A(0);
    for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP)
        m = max_op<A>::of(m, to<A>(x[k * r.step]));
    m = warp_max(m);
    for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP)
        s += exp(to<A>(x[k * r.step]) - m);
    *largest = m;
    *sum = warp_sum(s);
}
template <class T, int LOG> __global__ void softmax(dnn_rows r, const T *x0, T *y0)
{
    typedef typename wide_of<T>::type A;
    EACH_WARP (l, r.lines) {
        const T *x = line_at(r, x0, l);
        T *y = (T *)line_at(r, (const T *)y0, l);
        A m, s;
        line_sums(r, x, &m, &s);
        const A logarithm = log(s), over_s = A(1) / s;
        for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP) {
            const A v = to<A>(x[k * r.step]) - m;
            blend(y + k * r.step, LOG ? v - logarithm : exp(v) * over_s, r.alpha, r.beta);
        }
    }
}
template <class T, int LOG> __global__ void softmax_back(dnn_rows r, const T *y0, const T *dy0, T *dx0)
{
    typedef typename wide_of<T>::type A;
    EACH_WARP (l, r.lines) {
        const T *y = line_at(r, y0, l), *dy = line_at(r, dy0, l);
        T *dx = (T *)line_at(r, (const T *)dx0, l);
        A s = A(0);
        for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP)
            s += LOG ? to<A>(dy[k * r.step]) : to<A>(y[k * r.step]) * to<A>(dy[k * r.step]);
        s = warp_sum(s);
        for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP) {
            const A a = to<A>(y[k * r.step]), b = to<A>(dy[k * r.step]);
            blend(dx + k * r.step, LOG ? b - exp(a) * s : a * (b - s), r.alpha, r.beta);
        }
    }
}
/* Cross-entropy of logits against labels, one for each line; with smoothing, each class wants its share. What has the label
 * `ignored` counts nothing; a label that is no class gives NaN. */
template <class T>
__global__ void entropy(dnn_rows r, const T *x0, const int *labels, int ignored, double smoothing, typename wide_of<T>::type *losses)
{
    typedef typename wide_of<T>::type A;
    EACH_WARP (l, r.lines) {
        const T *x = line_at(r, x0, l);
        A m, s, all = A(0);
        line_sums(r, x, &m, &s);
        if (smoothing != 0.0)
            for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP)
                all += to<A>(x[k * r.step]) - m;
        all = warp_sum(all);
        if (threadIdx.x % DNN_WARP == 0) {
            const int label = labels[l];
            A v = A(0);
            if (label != ignored) {
                if (label < 0 || label >= r.length)
                    v = A(0.0 / 0.0);
                else
                    v = log(s) - A(1 - smoothing) * (to<A>(x[label * r.step]) - m) - A(smoothing) * all / (A)r.length;
            }
            losses[l] = v;
        }
    }
}
/* dx of a loss whose derivative for each line is scale (times grad[line], where it is given). */
template <class T>
__global__ void entropy_back(dnn_rows r, const T *x0, const int *labels, int ignored, double smoothing, double scale,
                             const typename wide_of<T>::type *grad, T *dx0)
{
    typedef typename wide_of<T>::type A;
    EACH_WARP (l, r.lines) {
        const T *x = line_at(r, x0, l);
        T *dx = (T *)line_at(r, (const T *)dx0, l);
        A m, s;
        line_sums(r, x, &m, &s);
        const int label = labels[l];
        A g = (A)scale;
        if (grad)
            g *= grad[l];
        if (label != ignored && (label < 0 || label >= r.length))
            g = A(0.0 / 0.0);
        for (long long k = threadIdx.x % DNN_WARP; k < r.length; k += DNN_WARP) {
            const A want = A(smoothing) / (A)r.length + (k == label ? A(1 - smoothing) : A(0));
            const A v = exp(to<A>(x[k * r.step]) - m) / s - want;
            dx[k * r.step] = to<T>(label == ignored ? A(0) : g * v);
        }
    }
}

/* ---- connectionist temporal classification: a block for each sequence, in logarithms. The blank is class 0 ---- */
template <class A> __device__ inline A log_add(A a, A b)
{
    const A m = a > b ? a : b, d = a > b ? b - a : a - b;
    return m == A(-1.0 / 0.0) ? m : m + log1p(exp(d));
}
/* logs[steps][batch][classes]: logarithms of probabilities. room: forward and backward sums, [batch][steps][2 * longest + 1] each. */
__global__ void ctc(long long steps, long long batch, long long classes, long long longest, const float *logs, const int *labels, const int *label_lengths,
                    const int *input_lengths, float *costs, float *gradients, float *room)
{
    const float none = -1.0f / 0.0f;
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        long long first = 0;
        for (long long k = 0; k < b; k++)
            first += label_lengths[k];
        const int *label = labels + first;
        const long long places = 2 * (long long)label_lengths[b] + 1, width = 2 * longest + 1, last = input_lengths[b];
        float *alpha = room + b * 2 * steps * width, *beta = alpha + steps * width;
#define CTC_CLASS(s) ((s) % 2 ? label[(s) / 2] : 0)
#define CTC_LOG(t, s) logs[((t)*batch + b) * classes + CTC_CLASS(s)]
        for (long long t = 0; t < last; t++) {
            for (long long s = threadIdx.x; s < places; s += DNN_THREADS) {
                float v = none;
                if (t == 0) {
                    v = s < 2 ? 0.f : none;
                } else {
                    const float *before = alpha + (t - 1) * width;
                    v = s > 0 ? log_add(before[s], before[s - 1]) : before[s];
                    if (s > 1 && s % 2 && label[s / 2] != label[s / 2 - 1])
                        v = log_add(v, before[s - 2]);
                }
                alpha[t * width + s] = v + CTC_LOG(t, s);
            }
            __syncthreads();
        }
        for (long long t = last - 1; t >= 0; t--) {
            for (long long s = threadIdx.x; s < places; s += DNN_THREADS) {
                float v;
                if (t == last - 1) {
                    v = s >= places - 2 ? 0.f : none;
                } else {
                    const float *after = beta + (t + 1) * width;
                    v = after[s] + CTC_LOG(t + 1, s);
                    if (s + 1 < places)
                        v = log_add(v, after[s + 1] + CTC_LOG(t + 1, s + 1));
                    if (s + 2 < places && s % 2 && label[s / 2] != label[s / 2 + 1])
                        v = log_add(v, after[s + 2] + CTC_LOG(t + 1, s + 2));
                }
                beta[t * width + s] = v;
            }
            __syncthreads();
        }
        float cost = 0;
        if (last > 0) {
            const float *end = alpha + (last - 1) * width;
            cost = -(places > 1 ? log_add(end[places - 1], end[places - 2]) : end[0]);
        }
        if (threadIdx.x == 0)
            costs[b] = cost;
        /* What is likely less what the labels make of it; nothing where no way leads through the labels. */
        for (long long i = threadIdx.x; gradients && i < steps * classes; i += DNN_THREADS) {
            const long long t = i / classes, k = i % classes;
            float g = 0;
            if (t < last && cost < 1.0f / 0.0f) {
                g = exp(logs[(t * batch + b) * classes + k]);
                for (long long s = 0; s < places; s++)
                    if (CTC_CLASS(s) == k)
                        g -= exp(alpha[t * width + s] + beta[t * width + s] + cost);
            }
            gradients[(t * batch + b) * classes + k] = g;
        }
        __syncthreads();
    }
#undef CTC_CLASS
#undef CTC_LOG
}
__global__ void ctc_logs(long long n, const float *x, float *y)
{
    EACH_PLACE (i, n)
        y[i] = log(x[i]);
}
