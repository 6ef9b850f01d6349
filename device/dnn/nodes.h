/* Nodes of cuDNN's graphs, on tensors of any steps and types: elements by their mode, products,
 * reductions. */
#pragma once
#include "device/dnn/each.h"
#include "device/dnn/elements.h"
#include "device/dnn/nodes_shared.h"

/* ---- scalars ---- */
__global__ void node_write_values(node_values v)
{
    for (int k = threadIdx.x; k < v.count; k += blockDim.x)
        for (int b = 0; b < v.bytes[k]; b++)
            ((unsigned char *)v.to[k])[b] =
                (unsigned char)((b < 8 ? v.low[k] : v.high[k]) >> 8 * (b % 8));
}

/* ---- elements by their mode: x, b and t, and the index along an axis ---- */
template <class A> struct node_in {
    A x, b, t;
    long long index;
};
#define MODE(name, value)                                                                          \
    template <class A> struct node_##name {                                                        \
        static __device__ A of(const node_in<A> &i, const double *p)                               \
        {                                                                                          \
            const A x = i.x, b = i.b, t = i.t;                                                     \
            return value;                                                                          \
        }                                                                                          \
    };
MODE(add, x + b)
MODE(mul, x *b)
MODE(min, x < b || x != x ? x : b)
MODE(max, x > b || x != x ? x : b)
MODE(sqrt, sqrt(x))
MODE(add_square, x + b * b)
MODE(div, x / b)
MODE(mod, fmod(x, b))
MODE(pow, pow(x, b))
MODE(sub, x - b)
MODE(abs, x < A(0) ? -x : x)
MODE(ceil, ceil(x))
MODE(cos, cos(x))
MODE(exp, exp(x))
MODE(floor, floor(x))
MODE(log, log(x))
MODE(neg, -x)
MODE(rsqrt, A(1) / sqrt(x))
MODE(sin, sin(x))
MODE(tan, tan(x))
MODE(erf, erf(x))
MODE(identity, x)
MODE(reciprocal, A(1) / x)
MODE(atan2, atan2(x, b))
/* p[2], p[3]: where it is cut, p[4]: the slope below. */
MODE(relu, x != x ? x : x < (A)p[2] ? (A)p[2] + (A)p[4] * (x - (A)p[2]) : x > (A)p[3] ? (A)p[3] : x)
MODE(tanh, tanh(x))
MODE(sigmoid, logistic(x))
MODE(elu, act_elu<A>::value(x, (A)p[2], A(0)))
MODE(gelu, act_gelu<A>::value(x, A(0), A(0)))
MODE(softplus, soft_plus((A)p[2] * x) / (A)p[2])
MODE(swish, act_swish<A>::value(x, (A)p[2], A(0)))
MODE(gelu_tanh, act_gelu_tanh<A>::value(x, A(0), A(0)))
/* Ways back: x is the gradient of the result, b what the function was told. */
MODE(relu_back, x *(b <= (A)p[2] ? (A)p[4] : b >= (A)p[3] ? A(0) : A(1)))
MODE(tanh_back, x *act_tanh<A>::slope(b, A(0), A(0)))
MODE(sigmoid_back, x *act_sigmoid<A>::slope(b, A(0), A(0)))
MODE(elu_back, x *act_elu<A>::slope(b, (A)p[2], A(0)))
MODE(gelu_back, x *act_gelu<A>::slope(b, A(0), A(0)))
MODE(softplus_back, x *logistic((A)p[2] * b))
MODE(swish_back, x *act_swish<A>::slope(b, (A)p[2], A(0)))
MODE(gelu_tanh_back, x *act_gelu_tanh<A>::slope(b, A(0), A(0)))
MODE(eq, A(x == b ? 1 : 0))
MODE(neq, A(x != b ? 1 : 0))
MODE(gt, A(x > b ? 1 : 0))
MODE(ge, A(x >= b ? 1 : 0))
MODE(lt, A(x < b ? 1 : 0))
MODE(le, A(x <= b ? 1 : 0))
MODE(and, A(x != A(0) && b != A(0) ? 1 : 0))
MODE(or, A(x != A(0) || b != A(0) ? 1 : 0))
MODE(not, A(x != A(0) ? 0 : 1))
MODE(index, (A)i.index)
MODE(select, t != A(0) ? x : b)

/* p[0], p[1]: what x and b are multiplied by. */
template <class F, class A, class O, class X, class B, class T>
__global__ void node_each_place(node_each e)
{
    EACH_PLACE(i, e.count)
    {
        long long out = 0, at[NODE_INPUTS] = {0, 0, 0}, rest = i;
        node_in<A> in;
        in.index = 0;
        for (int d = e.dims - 1; d >= 0; d--) {
            const long long r = d ? rest % e.dim[d] : rest;
            rest = d ? rest / e.dim[d] : 0;
            out += r * e.out_step[d];
            at[0] += r * e.in_step[0][d];
            at[1] += r * e.in_step[1][d];
            at[2] += r * e.in_step[2][d];
            in.index = d == e.axis ? r : in.index;
        }
        in.x = (A)e.p[0] * element<A, X>::get(((const X *)e.in[0])[at[0]]);
        in.b = (A)e.p[1] * element<A, B>::get(((const B *)e.in[1])[at[1]]);
        in.t = element<A, T>::get(((const T *)e.in[2])[at[2]]);
        ((O *)e.out)[out] = element<A, O>::put(F::of(in, e.p));
    }
}

/* ---- products: a thread for each element ---- */
template <class A, class C, class X, class Y>
__global__ void node_multiply(node_product p, const X *a0, const Y *b0, C *c0)
{
    EACH_PLACE(i, p.batch * p.m * p.n)
    {
        const long long col = i % p.n, row = i / p.n % p.m;
        long long rest = i / (p.n * p.m), first = rest;
        const X *a = a0 + row * p.a_row;
        const Y *b = b0 + col * p.b_col;
        C *c = c0 + row * p.c_row + col * p.c_col;
        for (int d = p.dims - 1; d >= 0; d--) {
            const long long r = rest % p.dim[d];
            rest /= p.dim[d];
            a += r / p.a_share[d] * p.a_step[d];
            b += r / p.b_share[d] * p.b_step[d];
            c += r * p.c_step[d];
            first = d ? rest : r;
        }
        const long long m = p.limits[0] ? p.limits[0][first * p.limit_step[0]] : p.m,
                        n = p.limits[1] ? p.limits[1][first * p.limit_step[1]] : p.n;
        long long k = p.limits[2] ? p.limits[2][first * p.limit_step[2]] : p.k;
        k = k < p.k ? k : p.k;
        A sum = A(0);
        if (row < m && col < n) {
            for (long long j = 0; j < k; j++)
                sum += element<A, X>::get(a[j * p.a_col]) * element<A, Y>::get(b[j * p.b_row]);
        } else {
            sum = (A)p.padding;
        }
        *c = element<A, C>::put(sum);
    }
}
