/* Cells of recurrent networks: one step for all sequences of a batch, one thread for each number of the state. Products with weights are
 * made outside. What lies in time is [steps][batch][…]; a sequence that has ended keeps its state. */
#pragma once
#include "device/dnn/types.h"
#include "device/dnn/cells.h"

template <class A> __device__ inline A recur_logistic(A x) { return A(1) / (A(1) + exp(-x)); }

/* Where step t of sequence b lies in the caller's array; below 0: nowhere. */
__device__ inline long long recur_row(const dnn_sequences &s, long long t, long long b)
{
    if (s.layout == DNN_SEQUENCES_BY_BATCH)
        return b * s.steps + t;
    if (s.layout == DNN_SEQUENCES_PACKED)
        return t < s.lengths[b] ? s.starts[t] + b : -1;
    return t * s.batch + b;
}
template <class T> __global__ void recur_take(dnn_sequences s, const T *x, T *to_)
{
    EACH_PLACE (i, s.steps * s.batch * s.size) {
        const long long v = i % s.size, b = i / s.size % s.batch, t = i / (s.size * s.batch);
        to_[i] = t < s.lengths[b] ? x[recur_row(s, t, b) * s.size + v] : to<T>(0.f);
    }
}
template <class T> __global__ void recur_give(dnn_sequences s, const T *from, T *y, double fill)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (i, s.steps * s.batch * s.size) {
        const long long v = i % s.size, b = i / s.size % s.batch, t = i / (s.size * s.batch), row = recur_row(s, t, b);
        if (row >= 0)
            y[row * s.size + v] = t < s.lengths[b] ? from[i] : to<T>((A)fill);
    }
}

template <class T, int MODE> __global__ void recur_step(dnn_cell c, const T *gx, const T *gh, const T *bx, const T *bh, T *h, T *state, T *y, T *gates, T *now, T *before,
                                                        T *hidden)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (e, c.batch * c.size) {
        const long long b = e / c.size, j = e % c.size, row = b * c.gates * c.size + j;
        const A hp = to<A>(h[e]);
        const bool ended = c.step >= c.lengths[b];
        hidden[e] = h[e];
        A in[4], rec[4], out;
        for (int k = 0; k < c.gates; k++) {
            in[k] = to<A>(gx[row + k * c.size]) + (bx ? to<A>(bx[k * c.size + j]) : A(0));
            rec[k] = to<A>(gh[row + k * c.size]) + (bh ? to<A>(bh[k * c.size + j]) : A(0));
        }
        if (MODE == DNN_CELL_LSTM) {
            const A i = recur_logistic(in[0] + rec[0]), f = recur_logistic(in[1] + rec[1]), g = tanh(in[2] + rec[2]), o = recur_logistic(in[3] + rec[3]);
            const A cp = to<A>(state[e]);
            A cell = f * cp + i * g;
            if (c.clip)
                cell = cell < (A)c.low ? (A)c.low : cell > (A)c.high ? (A)c.high : cell;
            before[e] = state[e];
            now[e] = to<T>(cell);
            if (!ended)
                state[e] = to<T>(cell);
            gates[row] = to<T>(i);
            gates[row + c.size] = to<T>(f);
            gates[row + 2 * c.size] = to<T>(g);
            gates[row + 3 * c.size] = to<T>(o);
            out = o * tanh(cell);
        } else if (MODE == DNN_CELL_GRU) {
            const A r = recur_logistic(in[0] + rec[0]), z = recur_logistic(in[1] + rec[1]), n = tanh(in[2] + r * rec[2]);
            before[e] = to<T>(rec[2]);
            gates[row] = to<T>(r);
            gates[row + c.size] = to<T>(z);
            gates[row + 2 * c.size] = to<T>(n);
            out = (A(1) - z) * n + z * hp;
        } else {
            const A v = in[0] + rec[0];
            out = MODE == DNN_CELL_RELU ? (v > A(0) ? v : A(0)) : tanh(v);
            gates[row] = to<T>(out);
        }
        y[b * c.y_step + j] = to<T>(ended ? A(0) : out);
        if (!ended)
            h[e] = to<T>(out);
    }
}
/* gates become the gradients of what came in by x; recurrent gets those of what came in by h. dh and dstate become the parts that do not go
 * through weights. */
template <class T, int MODE>
__global__ void recur_back(dnn_cell c, const T *dy, T *dh, T *dstate, T *gates, const T *now, const T *before, const T *hidden, T *recurrent)
{
    typedef typename wide_of<T>::type A;
    EACH_PLACE (e, c.batch * c.size) {
        const long long b = e / c.size, j = e % c.size, row = b * c.gates * c.size + j;
        if (c.step >= c.lengths[b]) {
            for (int k = 0; k < c.gates; k++)
                gates[row + k * c.size] = recurrent[row + k * c.size] = to<T>(0.f);
            continue;
        }
        const A d = to<A>(dh[e]) + to<A>(dy[b * c.y_step + j]);
        A g[4], direct = A(0);
        for (int k = 0; k < c.gates; k++)
            g[k] = to<A>(gates[row + k * c.size]);
        if (MODE == DNN_CELL_LSTM) {
            const A i = g[0], f = g[1], n = g[2], o = g[3], t = tanh(to<A>(now[e])), dc = to<A>(dstate[e]) + d * o * (A(1) - t * t);
            g[0] = dc * n * i * (A(1) - i);
            g[1] = dc * to<A>(before[e]) * f * (A(1) - f);
            g[2] = dc * i * (A(1) - n * n);
            g[3] = d * t * o * (A(1) - o);
            dstate[e] = to<T>(dc * f);
        } else if (MODE == DNN_CELL_GRU) {
            const A r = g[0], z = g[1], n = g[2], dn = d * (A(1) - z) * (A(1) - n * n);
            g[0] = dn * to<A>(before[e]) * r * (A(1) - r);
            g[1] = d * (to<A>(hidden[e]) - n) * z * (A(1) - z);
            g[2] = dn;
            direct = d * z;
            recurrent[row + 2 * c.size] = to<T>(dn * r);
        } else {
            g[0] = MODE == DNN_CELL_RELU ? (g[0] > A(0) ? d : A(0)) : d * (A(1) - g[0] * g[0]);
        }
        for (int k = 0; k < c.gates; k++) {
            gates[row + k * c.size] = to<T>(g[k]);
            if (!(MODE == DNN_CELL_GRU && k == 2))
                recurrent[row + k * c.size] = to<T>(g[k]);
        }
        dh[e] = to<T>(direct);
    }
}
