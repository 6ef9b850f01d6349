/* Normalisation: one block for each set of elements that share a mean. Parameters and statistics are of the type that elements are
 * computed with. */
#pragma once
#include "device/dnn/types.h"

/* Element e of set q: where it lies, and its channel. */
struct norm_set {
    long long base, length, first, per, e_step, s_step, s;
    __device__ norm_set(const dnn_norm &p, long long q) : s_step(p.s_step), s(p.s)
    {
        if (p.groups == 0) { /* a channel; e runs over images */
            base = q * p.c_step;
            length = p.n * p.s;
            first = q;
            per = 0;
            e_step = p.n_step;
        } else { /* a group of an image; e runs over its channels */
            const long long each = p.c / p.groups;
            first = q % p.groups * each;
            base = q / p.groups * p.n_step + first * p.c_step;
            length = each * p.s;
            per = 1;
            e_step = p.c_step;
        }
    }
    /* A set has fewer than 2^32 elements. */
    __device__ unsigned outer(unsigned e) const { return s == 1 ? e : e / (unsigned)s; }
    __device__ long long at(unsigned e) const
    {
        const unsigned q = outer(e);
        return base + q * e_step + (e - q * (unsigned)s) * s_step;
    }
    __device__ long long channel(unsigned e) const { return first + per * outer(e); }
};
__device__ inline long long norm_sets(const dnn_norm &p) { return p.groups == 0 ? p.c : p.n * p.groups; }

/* Mean (0 where none is taken off) and variance of a set. */
template <class T, class A> __device__ inline void norm_moments(const dnn_norm &p, const norm_set &set, const T *x, A *mean_out, A *variance)
{
    A mean = A(0), sum = A(0);
    if (!p.rms) {
        for (unsigned e = threadIdx.x; e < set.length; e += DNN_THREADS)
            mean += to<A>(x[set.at(e)]);
        mean = block_sum(mean) / (A)set.length;
    }
    for (unsigned e = threadIdx.x; e < set.length; e += DNN_THREADS) {
        const A d = to<A>(x[set.at(e)]) - mean;
        sum += d * d;
    }
    *mean_out = mean;
    *variance = block_sum(sum) / (A)set.length;
}

/* running: the mean and variance of all batches, which move by factor. */
template <class T, class A>
__global__ void norm_forward(dnn_norm p, const T *x, const A *gamma, const A *beta, T *y, A *means, A *inverses, A *running_mean,
                             A *running_variance)
{
    for (long long q = blockIdx.x; q < norm_sets(p); q += gridDim.x) {
        const norm_set set(p, q);
        A mean, variance;
        norm_moments(p, set, x, &mean, &variance);
        const A inverse = A(1) / sqrt(variance + (A)p.epsilon);
        for (unsigned e = threadIdx.x; e < set.length; e += DNN_THREADS) {
            const long long at = set.at(e), c = set.channel(e);
            A v = (to<A>(x[at]) - mean) * inverse;
            if (gamma)
                v *= gamma[c];
            if (beta)
                v += beta[c];
            blend(y + at, v, p.alpha, p.beta);
        }
        if (threadIdx.x == 0) {
            if (means)
                means[q] = mean;
            if (inverses)
                inverses[q] = inverse;
            const A f = (A)p.factor, whole = set.length > 1 ? variance * (A)set.length / (A)(set.length - 1) : variance;
            if (running_mean)
                running_mean[q] = (A(1) - f) * running_mean[q] + f * mean;
            if (running_variance)
                running_variance[q] = (A(1) - f) * running_variance[q] + f * whole;
        }
    }
}
/* With statistics that are given, of each channel. */
template <class T, class A>
__global__ void norm_given(dnn_norm p, const T *x, const A *gamma, const A *beta, const A *means, const A *variances, T *y)
{
    EACH_PLACE (i, p.n * p.c * p.s) {
        const long long s = i % p.s, c = i / p.s % p.c, n = i / (p.s * p.c), at = n * p.n_step + c * p.c_step + s * p.s_step;
        A v = (to<A>(x[at]) - means[c]) / sqrt(variances[c] + (A)p.epsilon);
        if (gamma)
            v *= gamma[c];
        if (beta)
            v += beta[c];
        blend(y + at, v, p.alpha, p.beta);
    }
}
/* means and inverses as the forward pass left them. */
template <class T, class A>
__global__ void norm_backward(dnn_norm p, const T *x, const T *dy, const A *gamma, const A *means, const A *inverses, T *dx)
{
    for (long long q = blockIdx.x; q < norm_sets(p); q += gridDim.x) {
        const norm_set set(p, q);
        const A mean = p.rms ? A(0) : means[q], inverse = inverses[q];
        A sum = A(0), moment = A(0);
        for (unsigned e = threadIdx.x; e < set.length; e += DNN_THREADS) {
            const long long at = set.at(e);
            A g = to<A>(dy[at]);
            if (gamma)
                g *= gamma[set.channel(e)];
            sum += g;
            moment += g * (to<A>(x[at]) - mean) * inverse;
        }
        sum = p.rms ? A(0) : block_sum(sum) / (A)set.length;
        moment = block_sum(moment) / (A)set.length;
        for (unsigned e = threadIdx.x; e < set.length; e += DNN_THREADS) {
            const long long at = set.at(e);
            A g = to<A>(dy[at]);
            if (gamma)
                g *= gamma[set.channel(e)];
            blend(dx + at, inverse * (g - sum - (to<A>(x[at]) - mean) * inverse * moment), p.alpha, p.beta);
        }
        __syncthreads(); /* dx may be dy */
    }
}
/* One block for each channel. */
template <class T, class A>
__global__ void norm_params(dnn_norm p, const T *x, const T *dy, const A *means, const A *inverses, A *dgamma, A *dbeta)
{
    for (long long c = blockIdx.x; c < p.c; c += gridDim.x) {
        A sum = A(0), moment = A(0);
        for (unsigned e = threadIdx.x; e < p.n * p.s; e += DNN_THREADS) {
            const unsigned n = p.s == 1 ? e : e / (unsigned)p.s;
            const long long at = n * p.n_step + c * p.c_step + (e - n * (unsigned)p.s) * p.s_step;
            const long long q = p.groups == 0 ? c : n * p.groups + c / (p.c / p.groups);
            const A g = to<A>(dy[at]);
            sum += g;
            moment += g * (to<A>(x[at]) - (p.rms ? A(0) : means[q])) * inverses[q];
        }
        sum = block_sum(sum);
        moment = block_sum(moment);
        if (threadIdx.x == 0) {
            if (dgamma)
                blend(dgamma + c, moment, p.param_alpha, p.param_beta);
            if (dbeta)
                blend(dbeta + c, sum, p.param_alpha, p.param_beta);
        }
    }
}
/* Mean and inverse deviation of each set, for callers that have not kept them. */
template <class T, class A> __global__ void norm_statistics(dnn_norm p, const T *x, A *means, A *inverses)
{
    for (long long q = blockIdx.x; q < norm_sets(p); q += gridDim.x) {
        const norm_set set(p, q);
        A mean, variance;
        norm_moments(p, set, x, &mean, &variance);
        if (threadIdx.x == 0) {
            means[q] = mean;
            inverses[q] = A(1) / sqrt(variance + (A)p.epsilon);
        }
    }
}
