/* Attention of cuDNN's graphs where attend.h does not do: a warp for each query, online softmax.
 * Queries beyond their sequence's length give 0 and the logarithm of an empty sum. */
#pragma once
#include "device/dnn/nodes_layer.h"

/* Where the key (or value) at place j of a sequence begins. */
__device__ inline long long node_key_place(const int *pages, const long long *page_step,
                                           long long places, const long long *step, long long b,
                                           long long j)
{
    if (!pages)
        return b * step[0] + j * step[2];
    return (long long)pages[b * page_step[0] + j / places * page_step[1]] * step[0] +
           j % places * step[2];
}
template <class A, class O, class T> __global__ void node_attend_queries(node_attend a)
{
    extern __shared__ double attend_memory[];
    const int lane = threadIdx.x % DNN_WARP;
    A *q = (A *)attend_memory + threadIdx.x / DNN_WARP * (a.size + a.value_size), *o = q + a.size;
    const A scale = node_read<A>(a.scale, 0, A(1));
    EACH_WARP(line, a.batch * a.heads * a.queries)
    {
        const long long i = line % a.queries, h = line / a.queries % a.heads,
                        b = line / (a.queries * a.heads);
        const T *k = (const T *)a.k + h / (a.heads / a.k_heads) * a.k_step[1],
                *v = (const T *)a.v + h / (a.heads / a.v_heads) * a.v_step[1];
        const T *query = (const T *)a.q + b * a.q_step[0] + h * a.q_step[1] + i * a.q_step[2];
        long long keys = a.key_lengths ? (long long)a.key_lengths[b * a.key_length_step] : a.keys;
        keys = keys < a.keys ? keys : a.keys;
        if (a.query_lengths && i >= a.query_lengths[b * a.query_length_step])
            keys = 0;
        __syncwarp();
        for (long long d = lane; d < a.size; d += DNN_WARP)
            q[d] = element<A, T>::get(query[d]) * scale;
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            o[d] = A(0);
        __syncwarp();
        A m = A(-1.0 / 0.0), sum = A(0);
        for (long long j0 = 0; j0 < keys; j0 += DNN_WARP) {
            const long long j = j0 + lane;
            A s = A(-1.0 / 0.0);
            if (j < keys) {
                const T *key =
                    k + node_key_place(a.k_pages, a.k_page_step, a.k_places, a.k_step, b, j);
                s = A(0);
                for (long long d = 0; d < a.size; d++)
                    s += q[d] * element<A, T>::get(key[d]);
            }
            const A top = max_op<A>::of(m, warp_max(s));
            const A p = j < keys ? exp(s - top) : A(0), shrink = exp(m - top);
            sum = sum * shrink + warp_sum(p);
            m = top;
            const int here = keys - j0 < DNN_WARP ? (int)(keys - j0) : DNN_WARP;
            for (long long d0 = 0; d0 < a.value_size; d0 += DNN_WARP) {
                const long long d = d0 + lane;
                A total = d < a.value_size ? o[d] * shrink : A(0);
                for (int t = 0; t < here; t++) {
                    const A weight = __shfl_sync(0xffffffffu, p, t);
                    if (d < a.value_size)
                        total += weight * element<A, T>::get(
                                              v[node_key_place(a.v_pages, a.v_page_step, a.v_places,
                                                               a.v_step, b, j0 + t) +
                                                d]);
                }
                if (d < a.value_size)
                    o[d] = total;
            }
        }
        O *out = (O *)a.o + b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
        for (long long d = lane; d < a.value_size; d += DNN_WARP)
            out[d] = element<A, O>::put(sum > A(0) ? o[d] / sum : sum != sum ? sum : A(0));
        if (lane == 0 && a.stats)
            a.stats[b * a.stats_step[0] + h * a.stats_step[1] + i * a.stats_step[2]] =
                (float)(m + log(sum));
    }
}
