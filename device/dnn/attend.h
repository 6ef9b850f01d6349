/* Attention by online softmax: scores are never stored, so memory does not grow with the product of the lengths. A warp has one
 * query (or, for the gradients of keys and values, one key), its lanes 32 keys (queries) at a time; sums over the head's size are in
 * shared memory, which the launch sizes, so that any size goes. */
#pragma once
#include "device/dnn/types.h"

__device__ inline long long keys_of(const dnn_attention &a, long long b) { return a.lengths ? (long long)a.lengths[b] : a.keys; }
/* The keys that query i of sequence b sees. */
__device__ inline void keys_seen(const dnn_attention &a, long long b, long long i, long long *from, long long *end)
{
    const long long keys = keys_of(a, b), place = keys - a.queries + i;
    *from = a.window > 0 && place - a.window + 1 > 0 ? place - a.window + 1 : 0;
    *end = a.causal && place + 1 < keys ? place + 1 : keys;
}
/* A raw product as a score; slope: its derivative by the raw product, without the scale. */
template <class A> __device__ inline A score_of(const dnn_attention &a, A raw, long long b, long long h, long long i, long long j, A *slope)
{
    A s = raw * (A)a.scale;
    *slope = A(1);
    if (a.cap != 0.0) {
        const A t = tanh(s / (A)a.cap);
        *slope = A(1) - t * t;
        s = (A)a.cap * t;
    }
    if (a.slopes)
        s -= (A)a.slopes[h] * (A)fabs((double)(keys_of(a, b) - a.queries + i - j));
    return s;
}
template <class T, class A> __device__ inline A product_of(const A *q, const T *k, long long n)
{
    A s = A(0);
    for (long long d = 0; d < n; d++)
        s += q[d] * to<A>(k[d]);
    return s;
}

/* o, and for the way back the logarithm of each query's sum, log_sums[batch, heads, queries]. */
template <class T> __global__ void attend(dnn_attention a, const T *q0, const T *k0, const T *v0, T *o0, typename wide_of<T>::type *log_sums)
{
    typedef typename wide_of<T>::type A;
    extern __shared__ double attend_memory[];
    const int lane = threadIdx.x % DNN_WARP;
    A *q = (A *)attend_memory + threadIdx.x / DNN_WARP * (a.size + a.value_size), *o = q + a.size;
    EACH_WARP (line, a.batch * a.heads * a.queries) {
        const long long i = line % a.queries, h = line / a.queries % a.heads, b = line / (a.queries * a.heads);
        const long long g = h / (a.heads / a.kv_heads);
        const T *k = k0 + b * a.k_step[0] + g * a.k_step[1], *v = v0 + b * a.v_step[0] + g * a.v_step[1];
        const T *query = q0 + b * a.q_step[0] + h * a.q_step[1] + i * a.q_step[2];
        __syncwarp();
        for (long long d = lane; d < a.size; d += DNN_WARP)
            q[d] = to<A>(query[d]);
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            o[d] = A(0);
        __syncwarp();
        long long from, end;
        keys_seen(a, b, i, &from, &end);
        A m = A(-1.0 / 0.0), sum = A(0);
        for (long long j0 = from; j0 < end; j0 += DNN_WARP) {
            const long long j = j0 + lane;
            A slope, s = A(-1.0 / 0.0);
            if (j < end)
                s = score_of(a, product_of(q, k + j * a.k_step[2], a.size), b, h, i, j, &slope);
            const A top = max_op<A>::of(m, warp_max(s));
            const A p = j < end ? exp(s - top) : A(0), shrink = exp(m - top);
            sum = sum * shrink + warp_sum(p);
            m = top;
            const int here = end - j0 < DNN_WARP ? (int)(end - j0) : DNN_WARP;
            for (long long d0 = 0; d0 < a.value_size; d0 += DNN_WARP) {
                const long long d = d0 + lane;
                A total = d < a.value_size ? o[d] * shrink : A(0);
                for (int t = 0; t < here; t++) {
                    const A weight = __shfl_sync(0xffffffffu, p, t);
                    if (d < a.value_size)
                        total += weight * to<A>(v[(j0 + t) * a.v_step[2] + d]);
                }
                if (d < a.value_size)
                    o[d] = total;
            }
        }
        T *out = o0 + b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            out[d] = to<T>(sum > A(0) ? o[d] / sum : A(0));
        if (lane == 0 && log_sums)
            log_sums[line] = m + log(sum);
    }
}

/* What each query's output and its gradient have in common: deltas[batch, heads, queries]. */
template <class T> __global__ void attend_deltas(dnn_attention a, const T *o0, const T *do0, typename wide_of<T>::type *deltas)
{
    typedef typename wide_of<T>::type A;
    EACH_WARP (line, a.batch * a.heads * a.queries) {
        const long long i = line % a.queries, h = line / a.queries % a.heads, b = line / (a.queries * a.heads);
        const long long at = b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
        A s = A(0);
        for (long long d = threadIdx.x % DNN_WARP; d < a.value_size; d += DNN_WARP)
            s += to<A>(o0[at + d]) * to<A>(do0[at + d]);
        s = warp_sum(s);
        if (threadIdx.x % DNN_WARP == 0)
            deltas[line] = s;
    }
}
/* Lanes' weights times rows of T: sum[d] += weight of lane t * row(t)[d]. */
template <class T, class A> __device__ inline void add_rows(A *sum, long long n, A weight, int rows, const T *row, long long step)
{
    const int lane = threadIdx.x % DNN_WARP;
    for (long long d0 = 0; d0 < n; d0 += DNN_WARP) {
        const long long d = d0 + lane;
        A total = d < n ? sum[d] : A(0);
        for (int t = 0; t < rows; t++) {
            const A w = __shfl_sync(0xffffffffu, weight, t);
            if (d < n)
                total += w * to<A>(row[t * step + d]);
        }
        if (d < n)
            sum[d] = total;
    }
}
template <class T>
__global__ void attend_queries(dnn_attention a, const T *q0, const T *k0, const T *v0, const T *do0, const typename wide_of<T>::type *log_sums,
                               const typename wide_of<T>::type *deltas, T *dq0)
{
    typedef typename wide_of<T>::type A;
    extern __shared__ double attend_memory[];
    const int lane = threadIdx.x % DNN_WARP;
    A *q = (A *)attend_memory + threadIdx.x / DNN_WARP * (2 * a.size + a.value_size), *dq = q + a.size, *dout = dq + a.size;
    EACH_WARP (line, a.batch * a.heads * a.queries) {
        const long long i = line % a.queries, h = line / a.queries % a.heads, b = line / (a.queries * a.heads);
        const long long g = h / (a.heads / a.kv_heads), at = b * a.q_step[0] + h * a.q_step[1] + i * a.q_step[2];
        const long long out = b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
        const T *k = k0 + b * a.k_step[0] + g * a.k_step[1], *v = v0 + b * a.v_step[0] + g * a.v_step[1];
        __syncwarp();
        for (long long d = lane; d < a.size; d += DNN_WARP) {
            q[d] = to<A>(q0[at + d]);
            dq[d] = A(0);
        }
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            dout[d] = to<A>(do0[out + d]);
        __syncwarp();
        long long from, end;
        keys_seen(a, b, i, &from, &end);
        for (long long j0 = from; j0 < end; j0 += DNN_WARP) {
            const long long j = j0 + lane;
            A ds = A(0), slope;
            if (j < end) {
                const A s = score_of(a, product_of(q, k + j * a.k_step[2], a.size), b, h, i, j, &slope);
                ds = exp(s - log_sums[line]) * (product_of(dout, v + j * a.v_step[2], a.value_size) - deltas[line]) * slope * (A)a.scale;
            }
            add_rows(dq, a.size, ds, end - j0 < DNN_WARP ? (int)(end - j0) : DNN_WARP, k + j0 * a.k_step[2], a.k_step[2]);
        }
        for (long long d = lane; d < a.size; d += DNN_WARP)
            dq0[at + d] = to<T>(dq[d]);
    }
}
/* One warp for each key: all queries that see it, of all heads that share it. */
template <class T>
__global__ void attend_keys(dnn_attention a, const T *q0, const T *k0, const T *v0, const T *do0, const typename wide_of<T>::type *log_sums,
                            const typename wide_of<T>::type *deltas, T *dk0, T *dv0)
{
    typedef typename wide_of<T>::type A;
    extern __shared__ double attend_memory[];
    const int lane = threadIdx.x % DNN_WARP;
    A *k = (A *)attend_memory + threadIdx.x / DNN_WARP * 2 * (a.size + a.value_size), *dk = k + a.size, *v = dk + a.size, *dv = v + a.value_size;
    EACH_WARP (line, a.batch * a.kv_heads * a.keys) {
        const long long j = line % a.keys, g = line / a.keys % a.kv_heads, b = line / (a.keys * a.kv_heads), share = a.heads / a.kv_heads;
        const long long at = b * a.k_step[0] + g * a.k_step[1] + j * a.k_step[2], vat = b * a.v_step[0] + g * a.v_step[1] + j * a.v_step[2];
        __syncwarp();
        for (long long d = lane; d < a.size; d += DNN_WARP) {
            k[d] = to<A>(k0[at + d]);
            dk[d] = A(0);
        }
        for (long long d = lane; d < a.value_size; d += DNN_WARP) {
            v[d] = to<A>(v0[vat + d]);
            dv[d] = A(0);
        }
        __syncwarp();
        for (long long h = g * share; h < (g + 1) * share; h++) {
            const T *q = q0 + b * a.q_step[0] + h * a.q_step[1], *dout = do0 + b * a.o_step[0] + h * a.o_step[1];
            for (long long i0 = 0; i0 < a.queries; i0 += DNN_WARP) {
                const long long i = i0 + lane, row = (b * a.heads + h) * a.queries + i;
                A p = A(0), ds = A(0), slope;
                if (i < a.queries) {
                    long long from, end;
                    keys_seen(a, b, i, &from, &end);
                    if (j >= from && j < end) {
                        const A s = score_of(a, product_of(k, q + i * a.q_step[2], a.size), b, h, i, j, &slope);
                        p = exp(s - log_sums[row]);
                        ds = p * (product_of(v, dout + i * a.o_step[2], a.value_size) - deltas[row]) * slope * (A)a.scale;
                    }
                }
                const int here = a.queries - i0 < DNN_WARP ? (int)(a.queries - i0) : DNN_WARP;
                add_rows(dk, a.size, ds, here, q + i0 * a.q_step[2], a.q_step[2]);
                add_rows(dv, a.value_size, p, here, dout + i0 * a.o_step[2], a.o_step[2]);
            }
        }
        for (long long d = lane; d < a.size; d += DNN_WARP)
            dk0[at + d] = to<T>(dk[d]);
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            dv0[vat + d] = to<T>(dv[d]);
    }
}

/* Rotary positions: pairs of elements turn by place * base^(-2 pair / rotated). Backward turns the other way. */
template <class T> __global__ void rotate(dnn_rotary r, const T *x, T *y)
{
    typedef typename wide_of<T>::type A;
    const long long pairs = r.rotated / 2, rest = r.size - r.rotated, work = pairs + rest;
    EACH_PLACE (i, r.batch * r.heads * r.length * work) {
        const long long p = i % work, l = i / work % r.length, h = i / (work * r.length) % r.heads, b = i / (work * r.length * r.heads);
        const T *from = x + b * r.step[0] + h * r.step[1] + l * r.step[2];
        T *out = y + b * r.out_step[0] + h * r.out_step[1] + l * r.out_step[2];
        if (p >= pairs) { /* what does not turn */
            out[r.rotated + p - pairs] = from[r.rotated + p - pairs];
            continue;
        }
        const double place = (double)(r.positions ? r.positions[l] : r.first + (int)l) * r.scale;
        const double angle = place * exp(-2.0 * (double)p / (double)r.rotated * log(r.base));
        const A c = (A)cos(angle), s = (A)(r.backward ? -sin(angle) : sin(angle));
        const long long first = r.halves ? p : 2 * p, second = r.halves ? p + pairs : 2 * p + 1;
        const A u = to<A>(from[first]), v = to<A>(from[second]);
        out[first] = to<T>(u * c - v * s);
        out[second] = to<T>(u * s + v * c);
    }
}
/* New keys or values [batch, heads, length, size] behind those of a cache [batch, heads, room, size]. */
template <class T>
__global__ void cache_append(long long batch, long long heads, long long length, long long size, long long room, const int *lengths, long long first,
                             const T *x, T *cache)
{
    EACH_PLACE (i, batch * heads * length * size) {
        const long long d = i % size, l = i / size % length, bh = i / (size * length);
        const long long place = (lengths ? (long long)lengths[bh / heads] : first) + l;
        if (place < room)
            cache[(bh * room + place) * size + d] = x[i];
    }
}
