/* Pooling over windows of up to three dimensions, and normalisation over neighbouring channels. */
#pragma once
#include "device/dnn/types.h"

/* An image has fewer than 2^31 places: within one, indices are ints. A block has one image of one channel at a time, so that only places
 * are divided by sizes. */
struct place3 {
    int z, y, x;
    __device__ place3(unsigned i, const long long *dim)
    {
        const unsigned w = (unsigned)dim[2], h = (unsigned)dim[1], rest = i / w;
        x = (int)(i - rest * w);
        z = dim[0] > 1 ? (int)(rest / h) : 0;
        y = dim[0] > 1 ? (int)(rest % h) : (int)rest;
    }
};
__device__ inline int offset3(const long long *step, int z, int y, int x) { return z * (int)step[2] + y * (int)step[3] + x * (int)step[4]; }
#define EACH_LINE(line, n) for (long long line = blockIdx.x; line < (n); line += gridDim.x)
#define EACH_OF_IMAGE(o, n) for (unsigned o = threadIdx.x; o < (unsigned)(n); o += DNN_THREADS)
/* Input places that window o of one dimension covers: from, to (both inside), step. */
struct pool_range {
    int from, end, step, whole; /* whole: with what lies in the padding */
    __device__ pool_range(const dnn_window &w, int d, int o)
    {
        if (w.adaptive) {
            from = (int)(o * w.in[d] / w.out[d]);
            end = (int)(((o + 1) * w.in[d] + w.out[d] - 1) / w.out[d]);
            step = 1;
            whole = end - from;
            return;
        }
        step = (int)w.dilation[d];
        from = o * (int)w.stride[d] - (int)w.pad[d];
        end = from + ((int)w.size[d] - 1) * step + 1;
        whole = (int)w.size[d];
        if (from < 0)
            from = step == 1 ? 0 : from + (-from + step - 1) / step * step;
        if (end > (int)w.in[d])
            end = (int)w.in[d];
    }
    __device__ bool has(int i) const { return i >= from && i < end && (step == 1 || (i - from) % step == 0); }
    __device__ int count() const { return from < end ? (end - from + step - 1) / step : 0; }
};

/* The window's largest element: the first of equals; a NaN is larger than all. */
template <class T, class A>
__device__ inline int pool_largest(const dnn_window &w, const T *x, const pool_range &rz, const pool_range &ry, const pool_range &rx, A *value)
{
    int best = -1;
    A m = A(-1.0 / 0.0);
    for (int z = rz.from; z < rz.end; z += rz.step)
        for (int y = ry.from; y < ry.end; y += ry.step)
            for (int i = rx.from; i < rx.end; i += rx.step) {
                const int at = offset3(w.x_step, z, y, i);
                const A v = to<A>(x[at]);
                if (best < 0 || v > m || (v != v && m == m)) {
                    m = v;
                    best = at;
                }
            }
    *value = m;
    return best;
}
__device__ inline int pool_share(const dnn_window &w, const pool_range &rz, const pool_range &ry, const pool_range &rx)
{
    const int inside = rz.count() * ry.count() * rx.count();
    return w.kind == DNN_POOL_AVERAGE_PADDED ? rz.whole * ry.whole * rx.whole : inside ? inside : 1;
}

template <class T> __global__ void pool_forward(dnn_window w, const T *x0, T *y0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.out[0] * w.out[1] * w.out[2];
    EACH_LINE (line, w.n * w.c) {
        const long long n = line / w.c, c = line % w.c;
        const T *x = x0 + n * w.x_step[0] + c * w.x_step[1];
        T *y = y0 + n * w.y_step[0] + c * w.y_step[1];
        EACH_OF_IMAGE (i, image) {
            const place3 o(i, w.out);
            const pool_range rz(w, 0, o.z), ry(w, 1, o.y), rx(w, 2, o.x);
            A v = A(0);
            if (w.kind == DNN_POOL_MAX) {
                pool_largest(w, x, rz, ry, rx, &v);
            } else {
                for (int z = rz.from; z < rz.end; z += rz.step)
                    for (int k = ry.from; k < ry.end; k += ry.step)
                        for (int j = rx.from; j < rx.end; j += rx.step)
                            v += to<A>(x[offset3(w.x_step, z, k, j)]);
                v /= (A)pool_share(w, rz, ry, rx);
            }
            blend(y + offset3(w.y_step, o.z, o.y, o.x), v, w.alpha, w.beta);
        }
    }
}

/* The windows of one dimension that may cover place i. */
struct pool_covers {
    int from, end;
    __device__ pool_covers(const dnn_window &w, int d, int i)
    {
        if (w.adaptive) {
            from = (int)(i * w.out[d] / w.in[d]);
            end = (int)(((i + 1) * w.out[d] + w.in[d] - 1) / w.in[d]);
        } else {
            const int reach = ((int)w.size[d] - 1) * (int)w.dilation[d], low = i + (int)w.pad[d] - reach, stride = (int)w.stride[d];
            from = low > 0 ? (low + stride - 1) / stride : 0;
            end = (i + (int)w.pad[d]) / stride + 1;
        }
        if (end > (int)w.out[d])
            end = (int)w.out[d];
    }
};
/* Each place of the input gathers from the windows over it, so that nothing is added in an order that changes. */
template <class T> __global__ void pool_backward(dnn_window w, const T *x0, const T *dy0, T *dx0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.in[0] * w.in[1] * w.in[2];
    EACH_LINE (line, w.n * w.c) {
        const long long n = line / w.c, c = line % w.c;
        const T *x = x0 + n * w.x_step[0] + c * w.x_step[1], *dy = dy0 + n * w.y_step[0] + c * w.y_step[1];
        T *dx = dx0 + n * w.x_step[0] + c * w.x_step[1];
        EACH_OF_IMAGE (i, image) {
            const place3 p(i, w.in);
            const int here = offset3(w.x_step, p.z, p.y, p.x);
            const pool_covers cz(w, 0, p.z), cy(w, 1, p.y), cx(w, 2, p.x);
            A sum = A(0);
            for (int oz = cz.from; oz < cz.end; oz++)
                for (int oy = cy.from; oy < cy.end; oy++)
                    for (int ox = cx.from; ox < cx.end; ox++) {
                        const pool_range rz(w, 0, oz), ry(w, 1, oy), rx(w, 2, ox);
                        const A g = to<A>(dy[offset3(w.y_step, oz, oy, ox)]);
                        A v;
                        if (w.kind == DNN_POOL_MAX) {
                            if (pool_largest(w, x, rz, ry, rx, &v) == here)
                                sum += g;
                        } else if (rz.has(p.z) && ry.has(p.y) && rx.has(p.x)) {
                            sum += g / (A)pool_share(w, rz, ry, rx);
                        }
                    }
            blend(dx + here, sum, w.alpha, w.beta);
        }
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
