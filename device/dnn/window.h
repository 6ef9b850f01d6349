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

/* ---- spatial transformers: a grid of places from an affine map, and samples between pixels ---- */
/* grid[n][h][w] = (x, y) = theta[n] (2 by 3) times (u, v, 1), u and v from -1 to 1 over the result. */
template <class T> __global__ void grid_forward(long long n, long long h, long long w, const T *theta, T *grid)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (i, n * h * w) {
        const long long x = i % w, y = i / w % h;
        const T *m = theta + i / (w * h) * 6;
        const A u = w > 1 ? A(-1) + A(2) * (A)x / (A)(w - 1) : A(0), v = h > 1 ? A(-1) + A(2) * (A)y / (A)(h - 1) : A(0);
        grid[2 * i] = to<T>(to<A>(m[0]) * u + to<A>(m[1]) * v + to<A>(m[2]));
        grid[2 * i + 1] = to<T>(to<A>(m[3]) * u + to<A>(m[4]) * v + to<A>(m[5]));
    }
}
/* One block for each image and row of its map. */
template <class T> __global__ void grid_backward(long long n, long long h, long long w, const T *dgrid, T *dtheta)
{
    typedef typename wide_of<T>::type A;
    for (long long k = blockIdx.x; k < 2 * n; k += gridDim.x) {
        A by_u = A(0), by_v = A(0), sum = A(0);
        for (long long i = threadIdx.x; i < h * w; i += DNN_THREADS) {
            const long long x = i % w, y = i / w;
            const A u = w > 1 ? A(-1) + A(2) * (A)x / (A)(w - 1) : A(0), v = h > 1 ? A(-1) + A(2) * (A)y / (A)(h - 1) : A(0);
            const A g = to<A>(dgrid[2 * (k / 2 * h * w + i) + k % 2]);
            by_u += g * u;
            by_v += g * v;
            sum += g;
        }
        by_u = block_sum(by_u);
        by_v = block_sum(by_v);
        sum = block_sum(sum);
        if (threadIdx.x == 0) {
            dtheta[3 * k] = to<T>(by_u);
            dtheta[3 * k + 1] = to<T>(by_v);
            dtheta[3 * k + 2] = to<T>(sum);
        }
    }
}
/* Where a place of the grid lies in the image: the pixel to its upper left, and how far it is from there. */
template <class A> struct sample_place {
    long long x, y;
    A fx, fy;
    template <class T> __device__ sample_place(const dnn_window &w, const T *grid)
    {
        const A px = (to<A>(grid[0]) + A(1)) * (A)(w.in[2] - 1) / A(2), py = (to<A>(grid[1]) + A(1)) * (A)(w.in[1] - 1) / A(2);
        const A bx = floor(px), by = floor(py);
        x = (long long)bx;
        y = (long long)by;
        fx = px - bx;
        fy = py - by;
    }
};
template <class T, class A> __device__ inline A pixel(const dnn_window &w, const T *x, long long py, long long px)
{
    return py >= 0 && py < w.in[1] && px >= 0 && px < w.in[2] ? to<A>(x[py * w.x_step[3] + px * w.x_step[4]]) : A(0);
}
template <class T> __global__ void sample_forward(dnn_window w, const T *x0, const T *grid, T *y)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.out[1] * w.out[2];
    EACH_PLACE (i, w.n * w.c * image) {
        const long long o = i % image, c = i / image % w.c, n = i / (image * w.c);
        const T *x = x0 + n * w.x_step[0] + c * w.x_step[1];
        const sample_place<A> p(w, grid + 2 * (n * image + o));
        const A v = (A(1) - p.fy) * ((A(1) - p.fx) * pixel<T, A>(w, x, p.y, p.x) + p.fx * pixel<T, A>(w, x, p.y, p.x + 1)) +
                    p.fy * ((A(1) - p.fx) * pixel<T, A>(w, x, p.y + 1, p.x) + p.fx * pixel<T, A>(w, x, p.y + 1, p.x + 1));
        blend(y + n * w.y_step[0] + c * w.y_step[1] + o / w.out[2] * w.y_step[3] + o % w.out[2] * w.y_step[4], v, w.alpha, w.beta);
    }
}
/* Each pixel asks all places of the grid whether they saw it: in a fixed order, without atomics. */
template <class T> __global__ void sample_backward(dnn_window w, const T *grid, const T *dy, T *dx)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.in[1] * w.in[2], out = w.out[1] * w.out[2];
    EACH_PLACE (i, w.n * w.c * image) {
        const long long px = i % w.in[2], py = i / w.in[2] % w.in[1], c = i / image % w.c, n = i / (image * w.c);
        const T *g = dy + n * w.y_step[0] + c * w.y_step[1];
        A sum = A(0);
        for (long long o = 0; o < out; o++) {
            const sample_place<A> p(w, grid + 2 * (n * out + o));
            const long long rx = px - p.x, ry = py - p.y;
            if (rx >= 0 && rx <= 1 && ry >= 0 && ry <= 1)
                sum += (rx ? p.fx : A(1) - p.fx) * (ry ? p.fy : A(1) - p.fy) * to<A>(g[o / w.out[2] * w.y_step[3] + o % w.out[2] * w.y_step[4]]);
        }
        blend(dx + n * w.x_step[0] + c * w.x_step[1] + py * w.x_step[3] + px * w.x_step[4], sum, w.alpha, w.beta);
    }
}
template <class T> __global__ void sample_grid(dnn_window w, const T *x0, const T *grid, const T *dy, T *dgrid, double alpha, double beta)
{
    typedef typename wide_of<T>::type A;
    const long long out = w.out[1] * w.out[2];
    EACH_PLACE (i, w.n * out) {
        const long long o = i % out, n = i / out;
        const sample_place<A> p(w, grid + 2 * i);
        A by_x = A(0), by_y = A(0);
        for (long long c = 0; c < w.c; c++) {
            const T *x = x0 + n * w.x_step[0] + c * w.x_step[1];
            const A a = pixel<T, A>(w, x, p.y, p.x), b = pixel<T, A>(w, x, p.y, p.x + 1), d = pixel<T, A>(w, x, p.y + 1, p.x), e = pixel<T, A>(w, x, p.y + 1, p.x + 1);
            const A g = to<A>(dy[n * w.y_step[0] + c * w.y_step[1] + o / w.out[2] * w.y_step[3] + o % w.out[2] * w.y_step[4]]);
            by_x += g * ((A(1) - p.fy) * (b - a) + p.fy * (e - d));
            by_y += g * ((A(1) - p.fx) * (d - a) + p.fx * (e - b));
        }
        blend(dgrid + 2 * i, by_x * (A)(w.in[2] - 1) / A(2), alpha, beta);
        blend(dgrid + 2 * i + 1, by_y * (A)(w.in[1] - 1) / A(2), alpha, beta);
    }
}
