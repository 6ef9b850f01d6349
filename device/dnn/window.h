/* Pooling over windows of up to three dimensions, and normalisation over neighbouring channels. */
#pragma once
#include "device/dnn/types.h"

/* Input places that window o of one dimension covers: from, to (both inside), step. */
struct pool_range {
    long long from, end, step, whole; /* whole: with what lies in the padding */
    __device__ pool_range(const dnn_window &w, int d, long long o)
    {
        if (w.adaptive) {
            from = o * w.in[d] / w.out[d];
            end = ((o + 1) * w.in[d] + w.out[d] - 1) / w.out[d];
            step = 1;
            whole = end - from;
            return;
        }
        step = w.dilation[d];
        from = o * w.stride[d] - w.pad[d];
        end = from + (w.size[d] - 1) * step + 1;
        whole = w.size[d];
        if (from < 0)
            from += (-from + step - 1) / step * step;
        if (end > w.in[d])
            end = w.in[d];
    }
    __device__ long long count() const { return from < end ? (end - from + step - 1) / step : 0; }
};
__device__ inline long long step3(const long long *step, long long z, long long y, long long x) { return z * step[2] + y * step[3] + x * step[4]; }

/* The window's largest element: the first of equals; a NaN is larger than all. */
template <class T, class A>
__device__ inline long long pool_largest(const dnn_window &w, const T *x, const pool_range &rz, const pool_range &ry, const pool_range &rx, A *value)
{
    long long best = -1;
    A m = A(-1.0 / 0.0);
    for (long long z = rz.from; z < rz.end; z += rz.step)
        for (long long y = ry.from; y < ry.end; y += ry.step)
            for (long long i = rx.from; i < rx.end; i += rx.step) {
                const long long at = step3(w.x_step, z, y, i);
                const A v = to<A>(x[at]);
                if (best < 0 || v > m || (v != v && m == m)) {
                    m = v;
                    best = at;
                }
            }
    *value = m;
    return best;
}
__device__ inline long long pool_share(const dnn_window &w, const pool_range &rz, const pool_range &ry, const pool_range &rx)
{
    const long long inside = rz.count() * ry.count() * rx.count();
    return w.kind == DNN_POOL_AVERAGE_PADDED ? rz.whole * ry.whole * rx.whole : inside ? inside : 1;
}

template <class T> __global__ void pool_forward(dnn_window w, const T *x0, T *y0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.out[0] * w.out[1] * w.out[2];
    EACH_PLACE (i, w.n * w.c * image) {
        const long long nc = i / image, n = nc / w.c, c = nc % w.c, o = i % image;
        const long long oz = o / (w.out[1] * w.out[2]), oy = o / w.out[2] % w.out[1], ox = o % w.out[2];
        const T *x = x0 + n * w.x_step[0] + c * w.x_step[1];
        T *y = y0 + n * w.y_step[0] + c * w.y_step[1] + step3(w.y_step, oz, oy, ox);
        const pool_range rz(w, 0, oz), ry(w, 1, oy), rx(w, 2, ox);
        A v = A(0);
        if (w.kind == DNN_POOL_MAX) {
            pool_largest(w, x, rz, ry, rx, &v);
        } else {
            for (long long z = rz.from; z < rz.end; z += rz.step)
                for (long long k = ry.from; k < ry.end; k += ry.step)
                    for (long long j = rx.from; j < rx.end; j += rx.step)
                        v += to<A>(x[step3(w.x_step, z, k, j)]);
            v /= (A)pool_share(w, rz, ry, rx);
        }
        blend(y, v, w.alpha, w.beta);
    }
}

/* The windows of one dimension that may cover place i. */
struct pool_covers {
    long long from, end;
    __device__ pool_covers(const dnn_window &w, int d, long long i)
    {
        if (w.adaptive) {
            from = i * w.out[d] / w.in[d];
            end = ((i + 1) * w.out[d] + w.in[d] - 1) / w.in[d];
        } else {
            const long long reach = (w.size[d] - 1) * w.dilation[d], low = i + w.pad[d] - reach;
            from = low > 0 ? (low + w.stride[d] - 1) / w.stride[d] : 0;
            end = (i + w.pad[d]) / w.stride[d] + 1;
        }
        if (end > w.out[d])
            end = w.out[d];
    }
};
/* Each place of the input gathers from the windows over it, so that nothing is added in an order that changes. */
template <class T> __global__ void pool_backward(dnn_window w, const T *x0, const T *dy0, T *dx0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.in[0] * w.in[1] * w.in[2];
    EACH_PLACE (i, w.n * w.c * image) {
        const long long nc = i / image, n = nc / w.c, c = nc % w.c, place = i % image;
        const long long iz = place / (w.in[1] * w.in[2]), iy = place / w.in[2] % w.in[1], ix = place % w.in[2];
        const T *x = x0 + n * w.x_step[0] + c * w.x_step[1], *dy = dy0 + n * w.y_step[0] + c * w.y_step[1];
        const long long here = step3(w.x_step, iz, iy, ix);
        const pool_covers cz(w, 0, iz), cy(w, 1, iy), cx(w, 2, ix);
        A sum = A(0);
        for (long long oz = cz.from; oz < cz.end; oz++)
            for (long long oy = cy.from; oy < cy.end; oy++)
                for (long long ox = cx.from; ox < cx.end; ox++) {
                    const pool_range rz(w, 0, oz), ry(w, 1, oy), rx(w, 2, ox);
                    const A g = to<A>(dy[step3(w.y_step, oz, oy, ox)]);
                    A v;
                    if (w.kind == DNN_POOL_MAX) {
                        if (pool_largest(w, x, rz, ry, rx, &v) == here)
                            sum += g;
                    } else if (iz >= rz.from && iz < rz.end && (iz - rz.from) % rz.step == 0 && iy >= ry.from && iy < ry.end &&
                               (iy - ry.from) % ry.step == 0 && ix >= rx.from && ix < rx.end && (ix - rx.from) % rx.step == 0) {
                        sum += g / (A)pool_share(w, rz, ry, rx);
                    }
                }
        blend(dx0 + n * w.x_step[0] + c * w.x_step[1] + here, sum, w.alpha, w.beta);
    }
}

/* Local response: y = x / (k + alpha / size * sum of squares of `size` channels around)^beta. x and y are n images of c channels of
 * s places, without gaps. */
template <class T, class A> __device__ inline A response_base(const T *x, long long c, long long channels, long long s, long long size, A alpha, A k)
{
    A sum = A(0);
    const long long from = c - (size - 1) / 2, end = from + size;
    for (long long j = from < 0 ? 0 : from; j < end && j < channels; j++) {
        const A v = to<A>(x[j * s]);
        sum += v * v;
    }
    return k + alpha / (A)size * sum;
}
template <class T> __global__ void response_forward(dnn_norm p, long long size, double alpha, double beta, double k, const T *x, T *y)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (i, p.n * p.c * p.s) {
        const long long c = i / p.s % p.c, at = i - c * p.s;
        const A base = response_base<T, A>(x + at, c, p.c, p.s, size, (A)alpha, (A)k);
        blend(y + i, to<A>(x[i]) * pow(base, (A)-beta), p.alpha, p.beta);
    }
}
template <class T>
__global__ void response_backward(dnn_norm p, long long size, double alpha, double beta, double k, const T *x, const T *y, const T *dy, T *dx)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (i, p.n * p.c * p.s) {
        const long long c = i / p.s % p.c, at = i - c * p.s;
        const A own = response_base<T, A>(x + at, c, p.c, p.s, size, (A)alpha, (A)k);
        A sum = A(0);
        /* The channels whose windows hold this one: the mirror image of its own window. */
        const long long end = c + (size - 1) / 2 + 1, from = end - size;
        for (long long j = from < 0 ? 0 : from; j < end && j < p.c; j++) {
            const A base = response_base<T, A>(x + at, j, p.c, p.s, size, (A)alpha, (A)k);
            sum += to<A>(dy[at + j * p.s]) * to<A>(y[at + j * p.s]) / base;
        }
        const A v = to<A>(dy[i]) * pow(own, (A)-beta) - A(2) * (A)alpha * (A)beta / (A)size * to<A>(x[i]) * sum;
        blend(dx + i, v, p.alpha, p.beta);
    }
}
