/* Nodes of cuDNN's graphs that sum: reductions, normalisation; and pooling, random numbers,
 * sequences in a row, pages. */
#pragma once
#include "device/dnn/elements.h"
#include "device/dnn/nodes_shared.h"
#include "device/dnn/reduce.h"
#include "device/dnn/window.h"

/* ---- places ---- */
template <int PORTS>
__device__ inline void node_walk(long long i, int dims, const long long *dim,
                                 const long long (*step)[NODE_DIMS], long long *at)
{
    for (int d = dims - 1; d >= 0; d--) {
        const long long r = d ? i % dim[d] : i;
        i = d ? i / dim[d] : 0;
#pragma unroll
        for (int k = 0; k < PORTS; k++)
            at[k] += r * step[k][d];
    }
}
template <int PORTS> __device__ inline void node_kept(const node_box &b, long long i, long long *at)
{
    node_walk<PORTS>(i, b.kept_dims, b.kept_dim, b.kept_step, at);
}
template <int PORTS> __device__ inline void node_gone(const node_box &b, long long i, long long *at)
{
    node_walk<PORTS>(i, b.gone_dims, b.gone_dim, b.gone_step, at);
}

/* ---- numbers whose type is known when they are read ---- */
template <class A> __device__ inline A node_get(const void *p, int type, long long i)
{
    switch (type) {
    case NODE_F64: return element<A, double>::get(((const double *)p)[i]);
    case NODE_F16: return element<A, __half>::get(((const __half *)p)[i]);
    case NODE_BF16: return element<A, __nv_bfloat16>::get(((const __nv_bfloat16 *)p)[i]);
    case NODE_I8: return element<A, signed char>::get(((const signed char *)p)[i]);
    case NODE_U8: return element<A, unsigned char>::get(((const unsigned char *)p)[i]);
    case NODE_I32: return element<A, int>::get(((const int *)p)[i]);
    case NODE_I64: return element<A, long long>::get(((const long long *)p)[i]);
    default: return element<A, float>::get(((const float *)p)[i]);
    }
}
template <class A> __device__ inline void node_put(void *p, int type, long long i, A v)
{
    switch (type) {
    case NODE_F64: ((double *)p)[i] = element<A, double>::put(v); break;
    case NODE_F16: ((__half *)p)[i] = element<A, __half>::put(v); break;
    case NODE_BF16: ((__nv_bfloat16 *)p)[i] = element<A, __nv_bfloat16>::put(v); break;
    case NODE_I8: ((signed char *)p)[i] = element<A, signed char>::put(v); break;
    case NODE_U8: ((unsigned char *)p)[i] = element<A, unsigned char>::put(v); break;
    case NODE_I32: ((int *)p)[i] = element<A, int>::put(v); break;
    case NODE_I64: ((long long *)p)[i] = element<A, long long>::put(v); break;
    default: ((float *)p)[i] = element<A, float>::put(v); break;
    }
}
template <class A> __device__ inline A node_read(const node_number &n, long long i, A otherwise)
{
    return n.at ? node_get<A>(n.at, n.type, i) : otherwise;
}
template <class A> __device__ inline void node_write(const node_number &n, long long i, A v)
{
    if (n.at)
        node_put<A>(n.at, n.type, i, v);
}
template <class A>
__device__ inline A node_port(const node_box &b, int port, long long i, A otherwise)
{
    return b.at[port] ? node_get<A>(b.at[port], b.type[port], i) : otherwise;
}
template <class A>
__device__ inline void node_port_put(const node_box &b, int port, long long i, A v)
{
    if (b.at[port])
        node_put<A>(b.at[port], b.type[port], i, v);
}

/* ---- reductions: port 0 is read, 1 is written ---- */
REDUCTION(squares, A(0), v *v, a + b, v)
template <class F, class A, class Y, class X> __global__ void node_reduce(node_box b)
{
    __shared__ A part[DNN_THREADS];
    for (long long q = blockIdx.x; q < b.kept; q += gridDim.x) {
        long long at[2] = {0, 0};
        node_kept<2>(b, q, at);
        const X *x = (const X *)b.at[0] + at[0];
        A v = F::start();
        for (long long e = threadIdx.x; e < b.gone; e += DNN_THREADS) {
            long long from[1] = {0};
            node_gone<1>(b, e, from);
            v = F::of(v, F::in(element<A, X>::get(x[from[0]])));
        }
        part[threadIdx.x] = v;
        __syncthreads();
        for (int half = DNN_THREADS / 2; half; half /= 2) {
            if (threadIdx.x < half)
                part[threadIdx.x] = F::of(part[threadIdx.x], part[threadIdx.x + half]);
            __syncthreads();
        }
        if (threadIdx.x == 0)
            ((Y *)b.at[1])[at[1]] = element<A, Y>::put(F::end(part[0], (A)b.gone));
        __syncthreads();
    }
}
/* A thread for each place that is kept: where few go into it. */
template <class F, class A, class Y, class X> __global__ void node_reduce_few(node_box b)
{
    EACH_PLACE(q, b.kept)
    {
        long long at[2] = {0, 0};
        node_kept<2>(b, q, at);
        const X *x = (const X *)b.at[0] + at[0];
        A v = F::start();
        for (long long e = 0; e < b.gone; e++) {
            long long from[1] = {0};
            node_gone<1>(b, e, from);
            v = F::of(v, F::in(element<A, X>::get(x[from[0]])));
        }
        ((Y *)b.at[1])[at[1]] = element<A, Y>::put(F::end(v, (A)b.gone));
    }
}

/* ---- normalisation: a block for what shares a mean ---- */
template <class A, class X>
__device__ inline void node_moments(const node_norm &n, const X *x, A *mean_out, A *variance)
{
    A mean = A(0), sum = A(0);
    if (!n.rms) {
        for (long long e = threadIdx.x; e < n.b.gone; e += DNN_THREADS) {
            long long at[1] = {0};
            node_gone<1>(n.b, e, at);
            mean += element<A, X>::get(x[at[0]]);
        }
        mean = block_sum(mean) / (A)n.b.gone;
    }
    for (long long e = threadIdx.x; e < n.b.gone; e += DNN_THREADS) {
        long long at[1] = {0};
        node_gone<1>(n.b, e, at);
        const A d = element<A, X>::get(x[at[0]]) - mean;
        sum += d * d;
    }
    *mean_out = mean;
    *variance = block_sum(sum) / (A)n.b.gone;
}
template <class A, class X, class Y, class S> __global__ void node_norm_forward(node_norm n)
{
    const node_box &b = n.b;
    for (long long q = blockIdx.x; q < b.kept; q += gridDim.x) {
        long long k[NODE_PORTS] = {0};
        node_kept<NODE_PORTS>(b, q, k);
        const X *x = (const X *)b.at[NORM_X] + k[NORM_X];
        Y *y = (Y *)b.at[NORM_Y] + k[NORM_Y];
        const S *scale = (const S *)b.at[NORM_SCALE], *bias = (const S *)b.at[NORM_BIAS];
        A mean, inverse, variance = A(0);
        if (n.given) {
            mean = n.rms ? A(0) : node_port<A>(b, NORM_MEAN, k[NORM_MEAN], A(0));
            inverse = node_port<A>(b, NORM_INVERSE, k[NORM_INVERSE], A(1));
        } else {
            node_moments<A, X>(n, x, &mean, &variance);
            inverse = A(1) / sqrt(variance + node_read<A>(n.epsilon, 0, A(0)));
        }
        for (long long e = threadIdx.x; e < b.gone; e += DNN_THREADS) {
            long long at[4] = {0, 0, 0, 0};
            node_gone<4>(b, e, at);
            A v = (element<A, X>::get(x[at[NORM_X]]) - mean) * inverse;
            if (scale)
                v *= element<A, S>::get(scale[k[NORM_SCALE] + at[NORM_SCALE]]);
            if (bias)
                v += element<A, S>::get(bias[k[NORM_BIAS] + at[NORM_BIAS]]);
            y[at[NORM_Y]] = element<A, Y>::put(v);
        }
        if (threadIdx.x == 0 && !n.given) {
            node_port_put<A>(b, NORM_MEAN, k[NORM_MEAN], mean);
            node_port_put<A>(b, NORM_INVERSE, k[NORM_INVERSE], inverse);
            const A f = node_read<A>(n.factor, 0, A(0)),
                    whole = b.gone > 1 ? variance * (A)b.gone / (A)(b.gone - 1) : variance;
            node_port_put<A>(b, NORM_MEAN_IS, k[NORM_MEAN_IS],
                             (A(1) - f) * node_port<A>(b, NORM_MEAN_WAS, k[NORM_MEAN_WAS], A(0)) +
                                 f * mean);
            node_port_put<A>(
                b, NORM_VARIANCE_IS, k[NORM_VARIANCE_IS],
                (A(1) - f) * node_port<A>(b, NORM_VARIANCE_WAS, k[NORM_VARIANCE_WAS], A(0)) +
                    f * whole);
        }
    }
}
template <class A, class X, class G, class Y, class S>
__global__ void node_norm_backward(node_norm n)
{
    const node_box &b = n.b;
    for (long long q = blockIdx.x; q < b.kept; q += gridDim.x) {
        long long k[NODE_PORTS] = {0};
        node_kept<NODE_PORTS>(b, q, k);
        const X *x = (const X *)b.at[NORM_BACK_X] + k[NORM_BACK_X];
        const G *dy = (const G *)b.at[NORM_BACK_DY] + k[NORM_BACK_DY];
        const S *scale = (const S *)b.at[NORM_BACK_SCALE] + k[NORM_BACK_SCALE];
        Y *dx = (Y *)b.at[NORM_BACK_DX] + k[NORM_BACK_DX];
        const A mean = n.rms ? A(0) : node_port<A>(b, NORM_BACK_MEAN, k[NORM_BACK_MEAN], A(0));
        const A inverse = node_port<A>(b, NORM_BACK_INVERSE, k[NORM_BACK_INVERSE], A(1));
        A sum = A(0), moment = A(0);
        for (long long e = threadIdx.x; e < b.gone; e += DNN_THREADS) {
            long long at[4] = {0, 0, 0, 0};
            node_gone<4>(b, e, at);
            const A g = element<A, G>::get(dy[at[NORM_BACK_DY]]) *
                        element<A, S>::get(scale[at[NORM_BACK_SCALE]]);
            sum += g;
            moment += g * (element<A, X>::get(x[at[NORM_BACK_X]]) - mean) * inverse;
        }
        sum = block_sum(sum) / (A)b.gone;
        moment = block_sum(moment) / (A)b.gone;
        for (long long e = threadIdx.x; e < b.gone; e += DNN_THREADS) {
            long long at[4] = {0, 0, 0, 0};
            node_gone<4>(b, e, at);
            const A g = element<A, G>::get(dy[at[NORM_BACK_DY]]) *
                        element<A, S>::get(scale[at[NORM_BACK_SCALE]]);
            const A hat = (element<A, X>::get(x[at[NORM_BACK_X]]) - mean) * inverse;
            dx[at[NORM_BACK_DX]] =
                element<A, Y>::put(inverse * (g - (n.rms ? A(0) : sum) - hat * moment));
        }
        __syncthreads(); /* dx may be dy */
    }
}
/* A block for each parameter. */
template <class A, class X, class G> __global__ void node_norm_params(node_norm n)
{
    const node_box &b = n.b;
    for (long long q = blockIdx.x; q < b.kept; q += gridDim.x) {
        long long k[6] = {0, 0, 0, 0, 0, 0};
        node_kept<6>(b, q, k);
        A sum = A(0), moment = A(0);
        for (long long e = threadIdx.x; e < b.gone; e += DNN_THREADS) {
            long long at[4] = {0, 0, 0, 0};
            node_gone<4>(b, e, at);
            const A g = element<A, G>::get(
                ((const G *)b.at[NORM_PARAMS_DY])[k[NORM_PARAMS_DY] + at[NORM_PARAMS_DY]]);
            const A x = element<A, X>::get(
                ((const X *)b.at[NORM_PARAMS_X])[k[NORM_PARAMS_X] + at[NORM_PARAMS_X]]);
            const A mean = n.rms ? A(0)
                                 : node_port<A>(b, NORM_PARAMS_MEAN,
                                                k[NORM_PARAMS_MEAN] + at[NORM_PARAMS_MEAN], A(0));
            sum += g;
            moment += g * (x - mean) *
                      node_port<A>(b, NORM_PARAMS_INVERSE,
                                   k[NORM_PARAMS_INVERSE] + at[NORM_PARAMS_INVERSE], A(1));
        }
        sum = block_sum(sum);
        moment = block_sum(moment);
        if (threadIdx.x == 0) {
            node_port_put<A>(b, NORM_PARAMS_DSCALE, k[NORM_PARAMS_DSCALE], moment);
            node_port_put<A>(b, NORM_PARAMS_DBIAS, k[NORM_PARAMS_DBIAS], sum);
        }
    }
}
template <class A> __global__ void node_norm_finalize(node_finalize f)
{
    EACH_PLACE(c, f.channels)
    {
        A mean, variance;
        const A epsilon = node_read<A>(f.epsilon, 0, A(0)), rate = node_read<A>(f.factor, 0, A(0));
        if (f.training) {
            const A count = node_read<A>(f.count, 0, A(1));
            mean = node_read<A>(f.sum, c, A(0)) / count;
            variance = node_read<A>(f.squares, c, A(0)) / count - mean * mean;
            variance = variance > A(0) ? variance : A(0); /* rounding */
            const A whole = count > A(1) ? variance * count / (count - A(1)) : variance;
            node_write<A>(f.mean_is, c,
                          (A(1) - rate) * node_read<A>(f.mean_was, c, A(0)) + rate * mean);
            node_write<A>(f.variance_is, c,
                          (A(1) - rate) * node_read<A>(f.variance_was, c, A(0)) + rate * whole);
        } else {
            mean = node_read<A>(f.mean_was, c, A(0));
            variance = node_read<A>(f.variance_was, c, A(0));
        }
        const A inverse = A(1) / sqrt(variance + epsilon),
                scale = node_read<A>(f.scale, c, A(1)) * inverse;
        node_write<A>(f.mean, c, mean);
        node_write<A>(f.inverse, c, inverse);
        node_write<A>(f.eq_scale, c, scale);
        node_write<A>(f.eq_bias, c, node_read<A>(f.bias, c, A(0)) - mean * scale);
    }
}
template <class A> __global__ void node_norm_weights(node_weights w)
{
    EACH_PLACE(c, w.channels)
    {
        const A inverse = node_read<A>(w.inverse, c, A(1)),
                scale = node_read<A>(w.scale, c, A(1)) * inverse, n = (A)w.count;
        const A slope = node_read<A>(w.dscale, c, A(0)) * scale * inverse / n;
        node_write<A>(w.eq_dy, c, scale);
        node_write<A>(w.eq_x, c, -slope);
        node_write<A>(w.eq_bias, c,
                      node_read<A>(w.mean, c, A(0)) * slope -
                          scale * node_read<A>(w.dbias, c, A(0)) / n);
    }
}

/* ---- pooling: windows of dnn_window, elements of two types, and where the largest was in its
 * window ---- */
/* Element `tap` of the window at o: false where there is nothing. */
template <class A, class T>
__device__ inline bool node_tap(const dnn_window &w, int outside, const place3 &o, int tap,
                                const T *x, A *v, bool *in)
{
    const place3 t((unsigned)tap, w.size);
    int z = o.z * (int)w.stride[0] - (int)w.pad[0] + t.z,
        y = o.y * (int)w.stride[1] - (int)w.pad[1] + t.y,
        i = o.x * (int)w.stride[2] - (int)w.pad[2] + t.x;
    *in = z >= 0 && z < (int)w.in[0] && y >= 0 && y < (int)w.in[1] && i >= 0 && i < (int)w.in[2];
    *v = A(0);
    if (!*in && outside != NODE_OUTSIDE_EDGE)
        return outside == NODE_OUTSIDE_ZERO;
    z = z < 0 ? 0 : z < (int)w.in[0] ? z : (int)w.in[0] - 1;
    y = y < 0 ? 0 : y < (int)w.in[1] ? y : (int)w.in[1] - 1;
    i = i < 0 ? 0 : i < (int)w.in[2] ? i : (int)w.in[2] - 1;
    *v = element<A, T>::get(x[offset3(w.x_step, z, y, i)]);
    return true;
}
/* The first of the largest; a NaN is larger than all. -1: an empty window, whose largest is minus infinity. */
template <class A, class T>
__device__ inline int node_largest(const dnn_window &w, int outside, const place3 &o, const T *x,
                                   A *value)
{
    const int taps = (int)(w.size[0] * w.size[1] * w.size[2]);
    int best = -1;
    A m = A(-1.0 / 0.0);
    for (int t = 0; t < taps; t++) {
        A v;
        bool in;
        if (node_tap<A, T>(w, outside, o, t, x, &v, &in) &&
            (best < 0 || v > m || (v != v && m == m))) {
            m = v;
            best = t;
        }
    }
    *value = m;
    return best;
}
/* What a mean over the window at o is divided by. */
template <class A, class T> __device__ inline A node_share(const dnn_window &w, const place3 &o)
{
    const pool_range rz(w, 0, o.z), ry(w, 1, o.y), rx(w, 2, o.x);
    return (A)pool_share(w, rz, ry, rx);
}
template <class A, class X, class Y>
__global__ void node_pool_forward(dnn_window w, int outside, const X *x0, Y *y0, node_number index,
                                  long long i0, long long i1, long long i2, long long i3,
                                  long long i4)
{
    const long long image = w.out[0] * w.out[1] * w.out[2];
    const int taps = (int)(w.size[0] * w.size[1] * w.size[2]);
    EACH_LINE(line, w.n * w.c)
    {
        const long long n = line / w.c, c = line % w.c;
        const X *x = x0 + n * w.x_step[0] + c * w.x_step[1];
        EACH_OF_IMAGE(i, image)
        {
            const place3 o(i, w.out);
            A v = A(0);
            if (w.kind == DNN_POOL_MAX) {
                const int best = node_largest<A, X>(w, outside, o, x, &v);
                node_write<long long>(index, n * i0 + c * i1 + o.z * i2 + o.y * i3 + o.x * i4,
                                      (long long)best);
            } else {
                for (int t = 0; t < taps; t++) {
                    A e;
                    bool in;
                    if (node_tap<A, X>(w, outside, o, t, x, &e, &in) &&
                        (in || w.kind == DNN_POOL_AVERAGE_PADDED))
                        v += e;
                }
                v /= node_share<A, X>(w, o);
            }
            mix(y0 + n * w.y_step[0] + c * w.y_step[1] + offset3(w.y_step, o.z, o.y, o.x), v,
                w.alpha, w.beta);
        }
    }
}
/* A place gathers from the windows over it: where index or, without it, x says that it was the
 * largest. */
template <class A, class X, class G, class Y>
__global__ void node_pool_backward(dnn_window w, int outside, const X *x0, const G *dy0, Y *dx0,
                                   node_number index, long long i0, long long i1, long long i2,
                                   long long i3, long long i4)
{
    const long long image = w.in[0] * w.in[1] * w.in[2];
    EACH_LINE(line, w.n * w.c)
    {
        const long long n = line / w.c, c = line % w.c;
        const G *dy = dy0 + n * w.y_step[0] + c * w.y_step[1];
        Y *dx = dx0 + n * w.x_step[0] + c * w.x_step[1];
        EACH_OF_IMAGE(i, image)
        {
            const place3 p(i, w.in);
            const pool_covers cz(w, 0, p.z), cy(w, 1, p.y), cx(w, 2, p.x);
            A sum = A(0);
            for (int oz = cz.from; oz < cz.end; oz++)
                for (int oy = cy.from; oy < cy.end; oy++)
                    for (int ox = cx.from; ox < cx.end; ox++) {
                        const place3 o((unsigned)((oz * w.out[1] + oy) * w.out[2] + ox), w.out);
                        const A g = element<A, G>::get(dy[offset3(w.y_step, oz, oy, ox)]);
                        if (w.kind == DNN_POOL_MAX) {
                            const int z = p.z + (int)w.pad[0] - oz * (int)w.stride[0],
                                      y = p.y + (int)w.pad[1] - oy * (int)w.stride[1],
                                      x = p.x + (int)w.pad[2] - ox * (int)w.stride[2],
                                      tap = (z * (int)w.size[1] + y) * (int)w.size[2] + x;
                            A v;
                            const int best =
                                index.at
                                    ? (int)node_read<long long>(
                                          index, n * i0 + c * i1 + oz * i2 + oy * i3 + ox * i4, 0ll)
                                    : node_largest<A, X>(w, outside, o,
                                                         x0 + n * w.x_step[0] + c * w.x_step[1],
                                                         &v);
                            if (best == tap)
                                sum += g;
                        } else {
                            sum += g / node_share<A, G>(w, o);
                        }
                    }
            mix(dx + offset3(w.x_step, p.z, p.y, p.x), sum, w.alpha, w.beta);
        }
    }
}

/* ---- random numbers: Philox 4x32-10, element i from word i % 4 of block offset + i / 4; normal
 * ones take two words ---- */
__device__ inline double node_uniform(unsigned long long seed, unsigned long long at, long long i)
{
    const unsigned long long block = at + i / 4;
    unsigned counter[4] = {(unsigned)block, (unsigned)(block >> 32), 0u, 0u}, word[4];
    __tern_philox_block(counter, (unsigned)seed, (unsigned)(seed >> 32), word);
    return ((double)word[i % 4] + 0.5) * (1.0 / 4294967296.0);
}
__global__ void node_random_places(node_random r)
{
    const unsigned long long seed =
        r.seed.at ? (unsigned long long)node_read<long long>(r.seed, 0, 0ll) : r.given_seed;
    const unsigned long long offset = (unsigned long long)node_read<long long>(r.offset, 0, 0ll);
    EACH_PLACE(i, r.count)
    {
        long long at = 0, rest = i;
        for (int d = r.dims - 1; d >= 0; d--) {
            at += rest % r.dim[d] * r.step[d];
            rest /= r.dim[d];
        }
        double v;
        if (r.draw == NODE_NORMAL)
            v = r.p[0] + r.p[1] * sqrt(-2.0 * log(node_uniform(seed, offset, 2 * i))) *
                             cos(6.283185307179586477 * node_uniform(seed, offset, 2 * i + 1));
        else if (r.draw == NODE_UNIFORM)
            v = r.p[0] + (r.p[1] - r.p[0]) * node_uniform(seed, offset, i);
        else
            v = node_uniform(seed, offset, i) < r.p[0] ? 1.0 : 0.0;
        node_put<double>(r.out, r.typed, at, v);
    }
}

/* ---- sequences in a row ---- */
template <class T> __global__ void node_ragged_copy(node_ragged r)
{
    EACH_PLACE(i, r.count)
    {
        long long within = 0, rest = i;
        for (int d = r.dims - 1; d > 0; d--) {
            within += rest % r.dim[d] * r.step[d];
            rest /= r.dim[d];
        }
        const long long from = node_read<long long>(r.offsets, rest, 0ll) * r.scale,
                        end = node_read<long long>(r.offsets, rest + 1, 0ll) * r.scale;
        T *batch = (T *)r.batches + rest * r.step[0] + within,
          *place = (T *)r.sequences + from + within;
        const bool there = from + within < end;
        if (r.pack && there)
            *place = *batch;
        else if (!r.pack)
            *batch = there ? *place : T();
    }
}
template <class T> __global__ void node_load_pages(node_pages p, const T *from, T *y)
{
    EACH_PLACE(i, p.batch * p.heads * p.length * p.size)
    {
        const long long d = i % p.size, s = i / p.size % p.length,
                        h = i / (p.size * p.length) % p.heads,
                        b = i / (p.size * p.length * p.heads);
        const bool there = !p.lengths || s < p.lengths[b * p.length_step];
        const long long page =
            there ? p.table[b * p.table_step[0] + s / p.places * p.table_step[1]] : 0;
        y[b * p.y_step[0] + h * p.y_step[1] + s * p.y_step[2] + d * p.y_step[3]] =
            there ? from[page * p.from_step[0] + h * p.from_step[1] +
                         s % p.places * p.from_step[2] + d * p.from_step[3]]
                  : T();
    }
}
