/* Operations on single elements. A function is a struct: value, and slope, its derivative by the first argument. */
#pragma once
#include "device/dnn/types.h"

#define SELU_ALPHA 1.6732632423543772848170429916717
#define SELU_SCALE 1.0507009873554804934193349852946
#define HALF_ROOT 0.70710678118654752440 /* sqrt(1/2) */
#define ROOT_2_OVER_PI 0.79788456080286535588
#define ROOT_1_OVER_2PI 0.39894228040143267794
#define GELU_CUBE 0.044715
#define QUICK 1.702

template <class A> __device__ inline A logistic(A x) { return A(1) / (A(1) + exp(-x)); }
/* log(1 + exp(x)) without overflow. */
template <class A> __device__ inline A soft_plus(A x) { return (x > A(0) ? x : A(0)) + log1p(exp(-fabs(x))); }
template <class A> __device__ inline A sign_of(A x) { return x > A(0) ? A(1) : x < A(0) ? A(-1) : A(0); }

template <class A> __device__ inline A one_plus_erf(A x) { return A(1) + erf(x); }

/* ---- floats for results of 16 bits, which do not show what their exponentials and quotients lose ---- */
struct brief {
    float v;
    __device__ brief() {}
    __device__ brief(double x) : v((float)x) {}
    __device__ brief(float x) : v(x) {}
    __device__ brief(int x) : v((float)x) {}
};
__device__ inline brief operator+(brief a, brief b) { return brief(a.v + b.v); }
__device__ inline brief operator-(brief a, brief b) { return brief(a.v - b.v); }
__device__ inline brief operator*(brief a, brief b) { return brief(a.v * b.v); }
__device__ inline brief operator/(brief a, brief b) { return brief(__fdividef(a.v, b.v)); }
__device__ inline brief operator-(brief a) { return brief(-a.v); }
__device__ inline bool operator>(brief a, brief b) { return a.v > b.v; }
__device__ inline bool operator<(brief a, brief b) { return a.v < b.v; }
__device__ inline bool operator>=(brief a, brief b) { return a.v >= b.v; }
__device__ inline bool operator<=(brief a, brief b) { return a.v <= b.v; }
__device__ inline bool operator!=(brief a, brief b) { return a.v != b.v; }
__device__ inline brief exp(brief a) { return brief(__expf(a.v)); }
/* 1 + erf(x) = erfc(-x), by a polynomial in t whose error is in proportion to the result (1.2e-7). */
template <> __device__ inline brief one_plus_erf<brief>(brief a)
{
    const float z = fabsf(a.v), t = __fdividef(1.f, 1.f + 0.5f * z);
    const float p = -1.26551223f + t * (1.00002368f + t * (0.37409196f + t * (0.09678418f + t * (-0.18628806f + t * (0.27886807f + t * (-1.13520398f + t * (1.48851587f + t * (-0.82215223f + t * 0.17087277f))))))));
    const float c = t * __expf(p - z * z);
    return brief(a.v < 0.f ? c : 2.f - c);
}

/* ---- activations ---- */
#define ACTIVATION(name, value_is, slope_is)                                                       \
    template <class A> struct act_##name {                                                         \
        static __device__ __forceinline__ A value(A x, A p, A q) { return value_is; }              \
        static __device__ __forceinline__ A slope(A x, A p, A q) { return slope_is; }              \
    };
ACTIVATION(identity, x, A(1))
ACTIVATION(relu, x > A(0) ? x : x != x ? x : A(0), x > A(0) ? A(1) : A(0))
ACTIVATION(clipped_relu, x > p ? p : x > A(0) ? x : x != x ? x : A(0), x > A(0) && x < p ? A(1) : A(0))
ACTIVATION(leaky_relu, x > A(0) ? x : p * x, x > A(0) ? A(1) : p)
ACTIVATION(elu, x > A(0) ? x : p * expm1(x), x > A(0) ? A(1) : p * exp(x))
ACTIVATION(celu, x > A(0) ? x : p * expm1(x / p), x > A(0) ? A(1) : exp(x / p))
ACTIVATION(selu, A(SELU_SCALE) * (x > A(0) ? x : A(SELU_ALPHA) * expm1(x)), A(SELU_SCALE) * (x > A(0) ? A(1) : A(SELU_ALPHA) * exp(x)))
ACTIVATION(sigmoid, logistic(x), logistic(x) * logistic(-x))
ACTIVATION(hardsigmoid, x <= A(-3) ? A(0) : x >= A(3) ? A(1) : x / A(6) + A(0.5), x > A(-3) && x < A(3) ? A(1) / A(6) : A(0))
ACTIVATION(logsigmoid, -soft_plus(-x), logistic(-x))
ACTIVATION(tanh, tanh(x), A(1) - tanh(x) * tanh(x))
ACTIVATION(hardtanh, x < p ? p : x > q ? q : x, x > p && x < q ? A(1) : A(0))
ACTIVATION(gelu, A(0.5) * x * one_plus_erf(x * A(HALF_ROOT)),
           A(0.5) * one_plus_erf(x * A(HALF_ROOT)) + x * A(ROOT_1_OVER_2PI) * exp(A(-0.5) * x * x))
template <class A> __device__ inline A gelu_inner(A x) { return tanh(A(ROOT_2_OVER_PI) * (x + A(GELU_CUBE) * x * x * x)); }
ACTIVATION(gelu_tanh, A(0.5) * x * (A(1) + gelu_inner(x)),
           A(0.5) * (A(1) + gelu_inner(x)) +
               A(0.5) * x * (A(1) - gelu_inner(x) * gelu_inner(x)) * A(ROOT_2_OVER_PI) * (A(1) + A(3 * GELU_CUBE) * x * x))
ACTIVATION(quick_gelu, x * logistic(A(QUICK) * x),
           logistic(A(QUICK) * x) + A(QUICK) * x * logistic(A(QUICK) * x) * logistic(A(-QUICK) * x))
ACTIVATION(silu, x * logistic(x), logistic(x) + x * logistic(x) * logistic(-x))
ACTIVATION(swish, x * logistic(p * x), logistic(p * x) + p * x * logistic(p * x) * logistic(-p * x))
ACTIVATION(softplus, p * x > q ? x : soft_plus(p * x) / p, p * x > q ? A(1) : logistic(p * x))
ACTIVATION(softsign, x / (A(1) + fabs(x)), A(1) / ((A(1) + fabs(x)) * (A(1) + fabs(x))))
template <class A> __device__ inline A mish_inner(A x) { return tanh(soft_plus(x)); }
ACTIVATION(mish, x * mish_inner(x), mish_inner(x) + x * logistic(x) * (A(1) - mish_inner(x) * mish_inner(x)))
ACTIVATION(hardswish, x <= A(-3) ? A(0) : x >= A(3) ? x : x * (x + A(3)) / A(6),
           x <= A(-3) ? A(0) : x >= A(3) ? A(1) : (A(2) * x + A(3)) / A(6))
ACTIVATION(hardshrink, fabs(x) > p ? x : A(0), fabs(x) > p ? A(1) : A(0))
ACTIVATION(softshrink, x > p ? x - p : x < -p ? x + p : A(0), fabs(x) > p ? A(1) : A(0))
ACTIVATION(tanhshrink, x - tanh(x), tanh(x) * tanh(x))
ACTIVATION(threshold, x > p ? x : q, x > p ? A(1) : A(0))
ACTIVATION(relu_squared, x > A(0) ? x * x : A(0), x > A(0) ? A(2) * x : A(0))

/* Those whose derivative follows from the result: a caller may have written it over x. */
#define FROM_RESULT(name, slope_is)                                                                \
    template <class A> struct res_##name {                                                         \
        static __device__ A slope(A y, A p, A q) { return slope_is; }                              \
    };
FROM_RESULT(relu, y > A(0) ? A(1) : A(0))
FROM_RESULT(clipped_relu, y > A(0) && y < p ? A(1) : A(0))
FROM_RESULT(elu, y > A(0) ? A(1) : y + p)
FROM_RESULT(sigmoid, y *(A(1) - y))
FROM_RESULT(tanh, A(1) - y * y)
FROM_RESULT(identity, A(1))

/* ---- losses ---- */
#define LOSS(name, value_is, slope_is)                                                             \
    template <class A> struct loss_##name {                                                        \
        static __device__ A value(A x, A t, A p, A q) { return value_is; }                         \
        static __device__ A slope(A x, A t, A p, A q) { return slope_is; }                         \
    };
/* Logarithms of what may be 0: not less than -100. */
template <class A> __device__ inline A log_from(A x) { return x > A(0) && log(x) > A(-100) ? log(x) : A(-100); }
LOSS(squared, (x - t) * (x - t), A(2) * (x - t))
LOSS(absolute, fabs(x - t), sign_of(x - t))
LOSS(smooth_absolute, fabs(x - t) < p ? A(0.5) * (x - t) * (x - t) / p : fabs(x - t) - A(0.5) * p, fabs(x - t) < p ? (x - t) / p : sign_of(x - t))
LOSS(huber, fabs(x - t) <= p ? A(0.5) * (x - t) * (x - t) : p * (fabs(x - t) - A(0.5) * p), fabs(x - t) <= p ? x - t : p * sign_of(x - t))
LOSS(log_cosh, x - t + soft_plus(A(-2) * (x - t)) - A(0.69314718055994530942), tanh(x - t))
LOSS(binary_entropy, -(t * log_from(x) + (A(1) - t) * log_from(A(1) - x)), (x - t) / (x * (A(1) - x) > A(1e-12) ? x * (A(1) - x) : A(1e-12)))
LOSS(binary_entropy_logits, soft_plus(x) - x * t, logistic(x) - t)
LOSS(divergence, t > A(0) ? t * (log(t) - x) : A(0), t > A(0) ? -t : A(0))
LOSS(poisson, exp(x) - t * x, exp(x) - t)
LOSS(hinge, p - t * x > A(0) ? p - t * x : A(0), p - t * x > A(0) ? -t : A(0))
LOSS(squared_hinge, p - t * x > A(0) ? (p - t * x) * (p - t * x) : A(0), p - t * x > A(0) ? A(-2) * t * (p - t * x) : A(0))
LOSS(soft_margin, soft_plus(-t * x), -t * logistic(-t * x))
LOSS(quantile, t > x ? p * (t - x) : (A(1) - p) * (x - t), t > x ? -p : A(1) - p)
/* (1 - r)^gamma times the entropy, r the probability of what is true; alpha weighs the ones. */
template <class A> __device__ inline A focal_value(A x, A t, A p, A q)
{
    const A one = pow(logistic(-x), p) * soft_plus(-x), none = pow(logistic(x), p) * soft_plus(x);
    return q * t * one + (A(1) - q) * (A(1) - t) * none;
}
template <class A> __device__ inline A focal_slope(A x, A t, A p, A q)
{
    const A r = logistic(x), s = logistic(-x);
    const A one = pow(s, p) * (-p * r * soft_plus(-x) - s), none = pow(r, p) * (p * s * soft_plus(x) + r);
    return q * t * one + (A(1) - q) * (A(1) - t) * none;
}
LOSS(focal, focal_value(x, t, p, q), focal_slope(x, t, p, q))

/* ---- two elements ---- */
#define BINARY(name, value_is)                                                                     \
    template <class A> struct bin_##name {                                                         \
        static __device__ A value(A a, A b, A p, A q) { return value_is; }                         \
    };
BINARY(add, p *a + q * b)
BINARY(subtract, p *a - q * b)
BINARY(multiply, (p * a) * (q * b))
BINARY(divide, (p * a) / (q * b))
BINARY(minimum, p *a < q * b ? p * a : q * b)
BINARY(maximum, p *a > q * b ? p * a : q * b)
BINARY(root, sqrt(p *a))
BINARY(one_minus, A(1) - p * a)
BINARY(constant, p)
BINARY(first, p *a)

/* ---- what the kernel calls: of(a, b, c, p, q) ---- */
template <class A, class F> struct forward {
    enum { inputs = 1 };
    static __device__ __forceinline__ A of(A x, A, A, A p, A q) { return F::value(x, p, q); }
};
template <class A, class F> struct backward { /* dy, x */
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A dy, A x, A, A p, A q) { return dy * F::slope(x, p, q); }
};
/* A gate: f(a) * b, and its derivatives by a (dy, a, b) and b (dy, a). */
template <class A, class F> struct gate {
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A a, A b, A, A p, A q) { return F::value(a, p, q) * b; }
};
template <class A, class F> struct gate_a {
    enum { inputs = 3 };
    static __device__ __forceinline__ A of(A dy, A a, A b, A p, A q) { return dy * b * F::slope(a, p, q); }
};
template <class A, class F> struct gate_b {
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A dy, A a, A, A p, A q) { return dy * F::value(a, p, q); }
};
template <class A, class F> struct pair_of {
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A a, A b, A, A p, A q) { return F::value(a, b, p, q); }
};
/* y + bias, and a third that is added scaled by q before the activation: convolutions with all that follows. */
template <class A, class F> struct biased {
    enum { inputs = 3 };
    static __device__ __forceinline__ A of(A y, A bias, A z, A p, A q) { return F::value(y + bias + q * z, p, A(0)); }
};
template <class A, class F> struct loss {
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A x, A t, A, A p, A q) { return F::value(x, t, p, q); }
};
template <class A, class F> struct loss_slope { /* x, t, dy */
    enum { inputs = 3 };
    static __device__ __forceinline__ A of(A x, A t, A dy, A p, A q) { return dy * F::slope(x, t, p, q); }
};

template <class A, class F> struct loss_slope_alone { /* x, t */
    enum { inputs = 2 };
    static __device__ __forceinline__ A of(A x, A t, A, A p, A q) { return F::slope(x, t, p, q); }
};

template <class T, class U, class F> __global__ void each(dnn_each e)
{
    typedef typename wide_of<T>::type A;
    T *out = (T *)e.out;
    const A p = (A)e.p[0], q = (A)e.p[1];
    EACH_PLACE (i, e.count) {
        long long at[DNN_INPUTS] = {i, i, i}, o = i;
        if (!e.flat) {
            long long rest = i;
            o = at[0] = at[1] = at[2] = 0;
            for (int d = e.dims - 1; d >= 0; d--) {
                const long long k = rest % e.dim[d];
                rest /= e.dim[d];
                o += k * e.out_step[d];
                for (int j = 0; j < F::inputs; j++)
                    at[j] += k * e.in_step[j][d];
            }
        }
        A v[DNN_INPUTS] = {A(0), A(0), A(0)};
        for (int j = 0; j < F::inputs; j++)
            v[j] = e.in[j] ? to<A>(((const U *)e.in[j])[at[j]]) : A(0);
        blend(out + o, F::of(v[0], v[1], v[2], p, q), e.alpha, e.beta);
    }
}

/* The same where all lie alike and begin at multiples of 16 bytes: 16 bytes at a time. A: what F computes with. */
__device__ inline float plain_of(brief v) { return v.v; }
template <class A> __device__ inline A plain_of(A v) { return v; }
template <class T, class A, class F> __global__ void each_flat(dnn_each e)
{
    typedef typename wide_of<T>::type W;
    enum { EACH = 16 / sizeof(T) };
    const A p = (A)(W)e.p[0], q = (A)(W)e.p[1];
    const W alpha = (W)e.alpha, beta = (W)e.beta;
    const bool reads = e.beta != 0.0;
    T *out = (T *)e.out;
    const T *in[DNN_INPUTS] = {(const T *)e.in[0], (const T *)e.in[1], (const T *)e.in[2]};
    EACH_PLACE (i, e.count / EACH) {
        chunk<T> x[DNN_INPUTS], y;
#pragma unroll
        for (int j = 0; j < F::inputs; j++)
            if (in[j])
                x[j].whole = *(const uint4 *)(in[j] + i * EACH);
        if (reads)
            y.whole = *(const uint4 *)(out + i * EACH);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            A v[DNN_INPUTS] = {A(0), A(0), A(0)};
#pragma unroll
            for (int j = 0; j < F::inputs; j++)
                v[j] = A(in[j] ? to<W>(x[j].each[k]) : W(0));
            W r = alpha * plain_of(F::of(v[0], v[1], v[2], p, q));
            if (reads)
                r += beta * to<W>(y.each[k]);
            y.each[k] = to<T>(r);
        }
        *(uint4 *)(out + i * EACH) = y.whole;
    }
    for (long long i = e.count / EACH * EACH + blockIdx.x * (long long)blockDim.x + threadIdx.x; i < e.count; i += (long long)gridDim.x * blockDim.x) {
        A v[DNN_INPUTS] = {A(0), A(0), A(0)};
        for (int j = 0; j < F::inputs; j++)
            v[j] = A(in[j] ? to<W>(in[j][i]) : W(0));
        blend(out + i, plain_of(F::of(v[0], v[1], v[2], p, q)), e.alpha, e.beta);
    }
}
