// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// Layers as cuDNN's graphs: convolutions, pooling, normalisation, reductions and copies against loops in double, with shapes that are odd.
#include "cudnn_graph.h"

static void near_all(const char *what, const numbers &got, const numbers &want, double eps)
{
    double most = 0, size = 1e-30;
    for (size_t i = 0; i < want.size(); i++) {
        size = fmax(size, fabs(want[i]));
        const double d = fabs(got[i] - want[i]);
        most = d <= most ? most : d; /* a NaN stays */
    }
    if (!(got.size() == want.size() && most <= eps * size)) {
        printf("%s: differs by %g of %g\n", what, most, size);
        exit(1);
    }
}
static numbers whole(size_t n, int most)
{
    numbers v = some(n);
    for (double &x : v)
        x = rint(x * most);
    return v;
}

/* ---- convolutions: two dimensions, channels last, paddings that differ, groups ---- */
static void convolution(cudnnDataType_t tx, cudnnDataType_t tw, cudnnDataType_t ty, cudnnDataType_t compute, int64_t groups, bool flip, double eps)
{
    const int64_t N = 2, C = 4, H = 7, W = 5, K = 6, R = 3, S = 2, P = (H + 1 + 0 - ((R - 1) * 1 + 1)) / 2 + 1, Q = (W + 1 + 2 - ((S - 1) * 2 + 1)) / 1 + 1;
    const bool ints8 = tx == CUDNN_DATA_INT8;
    const ints xd = {N, C, H, W}, wd = {K, C / groups, R, S}, yd = {N, K, P, Q};
    const ints xs = {C * H * W, 1, C * W, C}, ys = {K * P * Q, 1, K * Q, K};
    const size_t nx = (size_t)count_of(xd), nw = (size_t)count_of(wd), ny = (size_t)count_of(yd);
    numbers x = ints8 ? whole(nx, 20) : some(nx), w = ints8 ? whole(nw, 20) : some(nw), dy = some(ny);
    for (int way = 0; way < (ints8 ? 1 : 3); way++) {
        graph g;
        tensor &X = way == 1 ? g.out(xd, tx, xs) : g.in(x, xd, tx, xs), &F = way == 2 ? g.out(wd, tw) : g.in(w, wd, tw), &Y = way == 0 ? g.out(yd, ty, ys) : g.in(dy, yd, ty, ys);
        static const cudnnBackendDescriptorType_t types[] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR};
        static const cudnnBackendAttributeName_t names[][4] = {
            {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
            {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
            {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY}};
        descriptor &c = g.part(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
        c.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, compute).set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION).set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, (int64_t)2);
        c.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, ints{2, 1}).set(CUDNN_ATTR_CONVOLUTION_DILATIONS, ints{1, 2});
        c.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, ints{1, 1}).set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, ints{0, 2}).end();
        g.op(types[way]).set(names[way][0], c).set(names[way][1], X.d).set(names[way][2], F.d).set(names[way][3], Y.d).end();
        const numbers rx = way == 1 ? x : X.get(), rw = way == 2 ? w : F.get(), ry = way ? Y.get() : dy;
        numbers want(way == 0 ? ny : way == 1 ? nx : nw, 0.0);
        for (int64_t n = 0; n < N; n++)
            for (int64_t k = 0; k < K; k++)
                for (int64_t p = 0; p < P; p++)
                    for (int64_t q = 0; q < Q; q++)
                        for (int64_t ch = 0; ch < C / groups; ch++)
                            for (int64_t r = 0; r < R; r++)
                                for (int64_t s = 0; s < S; s++) {
                                    const int64_t h = 2 * p - 1 + (flip ? R - 1 - r : r), v = q - 1 + 2 * (flip ? S - 1 - s : s), cc = k / (K / groups) * (C / groups) + ch;
                                    if (h < 0 || h >= H || v < 0 || v >= W)
                                        continue;
                                    const size_t ix = (size_t)(((n * C + cc) * H + h) * W + v), iw = (size_t)(((k * (C / groups) + ch) * R + r) * S + s), iy = (size_t)(((n * K + k) * P + p) * Q + q);
                                    if (way == 0)
                                        want[iy] += rx[ix] * rw[iw];
                                    else if (way == 1)
                                        want[ix] += rw[iw] * ry[iy];
                                    else
                                        want[iw] += rx[ix] * ry[iy];
                                }
        if (ints8 && ty == CUDNN_DATA_INT8)
            for (double &v : want)
                v = fmin(127, fmax(-128, v));
        g.run();
        near_all(way == 0 ? "a convolution" : way == 1 ? "its gradient of data" : "its gradient of filters", (way == 0 ? Y : way == 1 ? X : F).get(), want, eps);
    }
}

/* ---- pooling ---- */
static void pooling(cudnnResampleMode_t mode, cudnnPaddingMode_t outside, bool index)
{
    const int64_t N = 2, C = 3, H = 7, W = 6, P = 4, Q = 3;
    const numbers x = some((size_t)(N * C * H * W)), dy = some((size_t)(N * C * P * Q));
    const auto describe = [&](graph &g) -> descriptor & {
        descriptor &r = g.part(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
        const std::vector<cudnnFraction_t> three = {{3, 1}, {3, 1}}, two = {{2, 1}, {2, 1}}, one = {{1, 1}, {1, 1}}, after = {{1, 1}, {0, 1}};
        r.set(CUDNN_ATTR_RESAMPLE_MODE, mode).set(CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_DATA_FLOAT).set(CUDNN_ATTR_RESAMPLE_PADDING_MODE, outside).set(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, (int64_t)2);
        r.set(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, three).set(CUDNN_ATTR_RESAMPLE_STRIDES, two).set(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, one).set(CUDNN_ATTR_RESAMPLE_POST_PADDINGS, after);
        return r.end();
    };
    graph f, b;
    tensor &X = f.in(x, {N, C, H, W}), &Y = f.out({N, C, P, Q});
    tensor *I = index ? &f.out({N, C, P, Q}, CUDNN_DATA_INT8) : nullptr;
    descriptor &o = f.op(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR);
    o.set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, X.d).set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, Y.d).set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, describe(f));
    if (I)
        o.set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC, I->d);
    o.end();
    f.run();
    tensor &DX = b.out({N, C, H, W}), &DY = b.in(dy, {N, C, P, Q});
    descriptor &back = b.op(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
    back.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, DX.d).set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, DY.d).set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, describe(b));
    if (I)
        back.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC, b.in(I->get(), {N, C, P, Q}, CUDNN_DATA_INT8).d);
    else if (mode == CUDNN_RESAMPLE_MAXPOOL)
        back.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, b.in(x, {N, C, H, W}).d).set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC, b.in(Y.get(), {N, C, P, Q}).d);
    back.end();
    b.run();
    numbers want, slopes(x.size(), 0.0);
    for (int64_t i = 0; i < N * C; i++)
        for (int64_t p = 0; p < P; p++)
            for (int64_t q = 0; q < Q; q++) {
                double best = -INFINITY, sum = 0;
                int64_t at = -1, inside = 0;
                std::vector<int64_t> seen;
                for (int64_t h = 2 * p - 1; h < 2 * p + 2; h++)
                    for (int64_t w = 2 * q - 1; w < 2 * q + 2; w++) {
                        const bool in = h >= 0 && h < H && w >= 0 && w < W;
                        const double v = in ? x[(size_t)((i * H + h) * W + w)] : 0;
                        if (!in && outside == CUDNN_NEG_INF_PAD)
                            continue;
                        if (v > best) {
                            best = v;
                            at = in ? (i * H + h) * W + w : -1;
                        }
                        sum += v;
                        inside += in;
                        if (in)
                            seen.push_back((i * H + h) * W + w);
                    }
                const double g = dy[want.size()], n = mode == CUDNN_RESAMPLE_AVGPOOL ? 9 : (double)inside;
                want.push_back(mode == CUDNN_RESAMPLE_MAXPOOL ? best : sum / n);
                if (mode == CUDNN_RESAMPLE_MAXPOOL && at >= 0)
                    slopes[(size_t)at] += g;
                for (int64_t s : seen)
                    if (mode != CUDNN_RESAMPLE_MAXPOOL)
                        slopes[(size_t)s] += g / n;
            }
    near_all("pooling", Y.get(), want, 1e-6);
    near_all("its gradient", DX.get(), slopes, 1e-6);
}

/* ---- normalisation: [N, C, H, W] with channels last; what shares a mean by the mode ---- */
static void normalisation(cudnnBackendNormMode_t mode, cudnnDataType_t type, double eps)
{
    const int64_t N = 3, C = 4, H = 2, W = 5;
    const bool channels = mode == CUDNN_BATCH_NORM || mode == CUDNN_INSTANCE_NORM, rms = mode == CUDNN_RMS_NORM;
    const ints xd = {N, C, H, W}, xs = {C * H * W, 1, C * W, C}, one = {1, 1, 1, 1};
    const ints pd = {mode == CUDNN_ADA_LAYER_NORM ? N : 1, C, channels ? 1 : H, channels ? 1 : W};
    const ints md = {mode == CUDNN_BATCH_NORM ? 1 : N, channels ? C : 1, 1, 1};
    const double epsilon = 0.01, factor = 0.25;
    const size_t n = (size_t)count_of(xd), np = (size_t)count_of(pd), nm = (size_t)count_of(md);
    graph f, b;
    tensor &X = f.in(some(n, 2), xd, type, xs), &S = f.in(some(np), pd), &B = f.in(some(np), pd), &Y = f.out(xd, type, xs);
    const numbers x = X.get(), s = S.get(), bias = B.get();
    descriptor &o = f.op(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
    o.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, mode).set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING).set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, X.d).set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, Y.d);
    o.set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, S.d).set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, f.scalar(epsilon, 4).d);
    tensor &M = f.out(md), &V = f.out(md);
    if (!rms)
        o.set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, B.d).set(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, M.d);
    o.set(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, V.d);
    const numbers was_mean = some(nm), was_var = some(nm);
    tensor *RM = nullptr, *RV = nullptr;
    if (mode == CUDNN_BATCH_NORM) {
        RM = &f.out(md), RV = &f.out(md);
        o.set(CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, f.scalar(factor, 4).d).set(CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC, f.in(was_mean, md).d);
        o.set(CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC, f.in(was_var, md).d).set(CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC, RM->d).set(CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC, RV->d);
    }
    o.end();
    f.run();
    /* Element i's set and parameter. */
    const auto set_of = [&](size_t i) { return mode == CUDNN_BATCH_NORM ? i / (size_t)(H * W) % (size_t)C : mode == CUDNN_INSTANCE_NORM ? i / (size_t)(H * W) : i / (size_t)(C * H * W); };
    const auto param_of = [&](size_t i) { return channels ? i / (size_t)(H * W) % (size_t)C : mode == CUDNN_ADA_LAYER_NORM ? i : i % (size_t)(C * H * W); };
    const double each = (double)n / (double)nm;
    numbers mean(nm, 0.0), var(nm, 0.0), y(n);
    for (size_t i = 0; i < n && !rms; i++)
        mean[set_of(i)] += x[i] / each;
    for (size_t i = 0; i < n; i++)
        var[set_of(i)] += (x[i] - mean[set_of(i)]) * (x[i] - mean[set_of(i)]) / each;
    numbers inverse(nm);
    for (size_t i = 0; i < nm; i++)
        inverse[i] = 1 / sqrt(var[i] + epsilon);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean[set_of(i)]) * inverse[set_of(i)] * s[param_of(i)] + (rms ? 0 : bias[param_of(i)]);
    near_all("normalised", Y.get(), y, eps);
    near_all("the inverse of the deviation", V.get(), inverse, 1e-5);
    if (!rms)
        near_all("the mean", M.get(), mean, 1e-5);
    if (RM) {
        numbers rm(nm), rv(nm);
        for (size_t i = 0; i < nm; i++) {
            rm[i] = (1 - factor) * was_mean[i] + factor * mean[i];
            rv[i] = (1 - factor) * was_var[i] + factor * var[i] * each / (each - 1);
        }
        near_all("the running mean", RM->get(), rm, 1e-5);
        near_all("the running variance", RV->get(), rv, 1e-5);
    }
    /* The way back. */
    tensor &BX = b.in(x, xd, type, xs), &DY = b.in(some(n), xd, type, xs), &BS = b.in(s, pd), &DX = b.out(xd, type, xs), &DS = b.out(pd), &DB = b.out(pd);
    const numbers dy = DY.get();
    descriptor &back = b.op(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
    back.set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, mode).set(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, BX.d).set(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, DY.d).set(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, BS.d);
    if (!rms)
        back.set(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, b.in(M.get(), md).d);
    back.set(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, b.in(V.get(), md).d).set(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, DX.d);
    back.set(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, DS.d).set(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, DB.d).end();
    b.run();
    numbers ds(np, 0.0), db(np, 0.0), sum(nm, 0.0), moment(nm, 0.0), dx(n);
    for (size_t i = 0; i < n; i++) {
        const size_t q = set_of(i), p = param_of(i);
        const double hat = (x[i] - mean[q]) * inverse[q];
        ds[p] += dy[i] * hat;
        db[p] += dy[i];
        sum[q] += dy[i] * s[p] / each;
        moment[q] += dy[i] * s[p] * hat / each;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t q = set_of(i), p = param_of(i);
        dx[i] = inverse[q] * (dy[i] * s[p] - (rms ? 0 : sum[q]) - (x[i] - mean[q]) * inverse[q] * moment[q]);
    }
    near_all("its gradient", DX.get(), dx, 3 * eps);
    near_all("the scale's gradient", DS.get(), ds, 3 * eps);
    near_all("the bias' gradient", DB.get(), db, 3 * eps);
}

/* ---- statistics of batches in steps: sums, what normalises, and the same from running ones ---- */
static void steps()
{
    const int64_t N = 3, C = 5, H = 4;
    const ints xd = {N, C, H}, cd = {1, C, 1};
    const numbers x = some((size_t)(N * C * H), 2), s = some((size_t)C), bias = some((size_t)C), dy = some(x.size());
    graph g;
    tensor &X = g.in(x, xd), &S = g.in(s, cd), &B = g.in(bias, cd), &sum = g.between(cd), &squares = g.between(cd), &M = g.out(cd), &V = g.out(cd), &ES = g.out(cd), &EB = g.out(cd);
    g.op(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_GENSTATS_SUM_SQSUM).set(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_XDESC, X.d).set(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, sum.d).set(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, squares.d).end();
    g.op(CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, CUDNN_BN_FINALIZE_STATISTICS_TRAINING).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_MATH_PREC, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC, sum.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC, squares.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC, S.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC, B.d)
        .set(CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC, M.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC, V.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC, ES.d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC, EB.d)
        .set(CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC, g.scalar((double)(N * H), 3, CUDNN_DATA_INT64).d).set(CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC, g.scalar(0.1, 3).d).end();
    g.run();
    graph w;
    tensor &DS = w.out(cd), &DB = w.out(cd), &EDY = w.out(cd), &EX = w.out(cd), &E0 = w.out(cd);
    w.op(CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MATH_PREC, CUDNN_DATA_FLOAT).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC, w.in(M.get(), cd).d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC, w.in(V.get(), cd).d)
        .set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC, w.in(s, cd).d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC, w.in(x, xd).d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC, w.in(dy, xd).d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC, DS.d)
        .set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC, DB.d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC, EDY.d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC, EX.d).set(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS, E0.d).end();
    w.run();
    const numbers eq = ES.get(), eb = EB.get(), edy = EDY.get(), ex = EX.get(), e0 = E0.get();
    numbers want, got, back, slope;
    for (int64_t c = 0; c < C; c++) {
        double mean = 0, var = 0, a = 0, b = 0;
        const auto at = [&](int64_t i) { return (size_t)((i / H * C + c) * H + i % H); };
        for (int64_t i = 0; i < N * H; i++)
            mean += x[at(i)] / (double)(N * H);
        for (int64_t i = 0; i < N * H; i++)
            var += (x[at(i)] - mean) * (x[at(i)] - mean) / (double)(N * H);
        const double inverse = 1 / sqrt(var + 0.1);
        for (int64_t i = 0; i < N * H; i++) {
            a += dy[at(i)] / (double)(N * H);
            b += dy[at(i)] * (x[at(i)] - mean) * inverse / (double)(N * H);
        }
        for (int64_t i = 0; i < N * H; i++) {
            want.push_back((x[at(i)] - mean) * inverse * s[(size_t)c] + bias[(size_t)c]);
            got.push_back(x[at(i)] * eq[(size_t)c] + eb[(size_t)c]);
            slope.push_back(s[(size_t)c] * inverse * (dy[at(i)] - a - (x[at(i)] - mean) * inverse * b));
            back.push_back(edy[(size_t)c] * dy[at(i)] + ex[(size_t)c] * x[at(i)] + e0[(size_t)c]);
        }
    }
    near_all("a line that normalises", got, want, 1e-5);
    near_all("a line that gives the gradient", back, slope, 1e-5);
}

/* ---- reductions and copies ---- */
static void reductions()
{
    const int64_t B = 2, H = 6, S = 40;
    const numbers x = some((size_t)(B * H * S));
    const auto reduce = [&](cudnnReduceTensorOp_t op, const ints &to) {
        graph g;
        tensor &X = g.in(x, {B, H, S}), &Y = g.out(to);
        descriptor &r = g.part(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
        r.set(CUDNN_ATTR_REDUCTION_OPERATOR, op).set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT).end();
        g.op(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, X.d).set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, Y.d).set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, r).end();
        g.run();
        return Y.get();
    };
    numbers sum, most, norm, heads;
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++) {
            double a = 0, m = 0, q = 0;
            for (int64_t s = 0; s < S; s++) {
                const double v = (float)x[(size_t)((b * H + h) * S + s)];
                a += v, m = fmax(m, fabs(v)), q += v * v;
            }
            sum.push_back(a), most.push_back(m), norm.push_back(sqrt(q));
        }
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < 2; h++)
            for (int64_t s = 0; s < S; s++) {
                double a = 0;
                for (int64_t k = 0; k < 3; k++)
                    a += (float)x[(size_t)((b * H + 3 * h + k) * S + s)];
                heads.push_back(a);
            }
    near_all("sums", reduce(CUDNN_REDUCE_TENSOR_ADD, {B, H, 1}), sum, 1e-5);
    near_all("largest sizes", reduce(CUDNN_REDUCE_TENSOR_AMAX, {B, H, 1}), most, 0);
    near_all("norms", reduce(CUDNN_REDUCE_TENSOR_NORM2, {B, H, 1}), norm, 1e-5);
    near_all("heads that share one", reduce(CUDNN_REDUCE_TENSOR_ADD, {B, 2, S}), heads, 1e-5);
}
static void copies()
{
    numbers x(24), want;
    for (size_t i = 0; i < 24; i++)
        x[i] = (double)i;
    { /* a view of the same memory, by other steps, and narrower */
        graph g;
        tensor &X = g.in(x, {2, 3, 4}), &Y = g.out({2, 4, 3}, CUDNN_DATA_HALF, {12, 1, 4});
        g.op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, X.d).set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, Y.d).end();
        g.run();
        for (int k = 0; k < 24; k++)
            want.push_back(k / 12 * 12 + k % 3 * 4 + k / 3 % 4);
        near_all("a view", Y.get(), want, 0);
    }
    { /* the same elements in the order of the dimensions */
        graph g;
        tensor &X = g.in(x, {2, 3, 4}, CUDNN_DATA_INT32, {12, 1, 3}), &Y = g.out({4, 6}, CUDNN_DATA_INT32);
        g.op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, X.d).set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, Y.d).set(CUDNN_ATTR_OPERATION_RESHAPE_MODE, CUDNN_RESHAPE_LOGICAL).end();
        g.run();
        near_all("a logical shape", Y.get(), x, 0);
    }
    {
        graph g;
        tensor &X = g.in(x, {2, 3, 4}), &Y = g.out({4, 2, 3}), &Z = g.out({2, 1, 2});
        g.op(CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_TRANSPOSE_XDESC, X.d).set(CUDNN_ATTR_OPERATION_TRANSPOSE_YDESC, Y.d).set(CUDNN_ATTR_OPERATION_TRANSPOSE_PERMUTATION, ints{2, 0, 1}).end();
        g.op(CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_SLICE_XDESC, X.d).set(CUDNN_ATTR_OPERATION_SLICE_YDESC, Z.d).set(CUDNN_ATTR_OPERATION_SLICE_START_INDICES, ints{0, 1, 1}).set(CUDNN_ATTR_OPERATION_SLICE_LIMIT_INDICES, ints{2, 2, 4}).set(CUDNN_ATTR_OPERATION_SLICE_STRIDES, ints{1, 1, 2}).end();
        g.run();
        want.clear();
        for (int k = 0; k < 24; k++)
            want.push_back(k / 3 % 2 * 12 + k % 3 * 4 + k / 6);
        near_all("transposed", Y.get(), want, 0);
        near_all("a slice", Z.get(), {5, 7, 17, 19}, 0);
    }
    {
        graph g;
        tensor &A = g.in({1, 2, 3, 4}, {2, 2}), &B = g.in({5, 6}, {2, 1}), &Y = g.out({2, 3});
        const cudnnBackendDescriptor_t both[] = {A.d.d, B.d.d};
        descriptor &o = g.op(CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR);
        GN(cudnnBackendSetAttribute(o.d, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, both));
        o.set(CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC, Y.d).set(CUDNN_ATTR_OPERATION_CONCAT_AXIS, (int64_t)1).end();
        g.run();
        near_all("joined", Y.get(), {1, 2, 5, 3, 4, 6}, 0);
    }
}
static void drawn()
{
    numbers first;
    for (int again = 0; again < 2; again++) {
        graph g;
        tensor &Y = g.out({50, 40}), &seed = g.scalar(7, 2, CUDNN_DATA_INT64), &offset = g.scalar(3, 2, CUDNN_DATA_INT64);
        descriptor &r = g.part(CUDNN_BACKEND_RNG_DESCRIPTOR);
        r.set(CUDNN_ATTR_RNG_DISTRIBUTION, CUDNN_RNG_DISTRIBUTION_BERNOULLI).set(CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.75).end();
        g.op(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_RNG_YDESC, Y.d).set(CUDNN_ATTR_OPERATION_RNG_SEED, seed.d).set(CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, offset.d).set(CUDNN_ATTR_OPERATION_RNG_DESC, r).end();
        g.run();
        const numbers y = Y.get();
        double sum = 0;
        for (double v : y) {
            CHECK(v == 0 || v == 1);
            sum += v;
        }
        CHECK(fabs(sum / 2000 - 0.75) < 0.05);
        CHECK(!again || y == first);
        first = y;
    }
}

/* ---- as nodes of a CUDA graph, with other numbers later ---- */
static void captured()
{
    graph g;
    tensor &X = g.in({1, 2, 3}, {3}), &two = g.scalar(2, 1), &Y = g.out({3});
    g.pointwise(CUDNN_POINTWISE_MUL, &X, &two, nullptr, Y);
    g.build();
    void *space = nullptr;
    CUDA(cudaMalloc(&space, (size_t)g.workspace));
    cudaGraph_t made;
    cudaGraphExec_t run;
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphCreate(&made, 0));
    descriptor v(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR), w(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    g.pack(v, space);
    GN(cudnnBackendPopulateCudaGraph(handle, g.plan->d, v.d, made));
    CUDA(cudaGraphInstantiate(&run, made, 0));
    write_element(two.type, two.value, 9); /* it was read */
    CUDA(cudaGraphLaunch(run, 0));
    CUDA(cudaDeviceSynchronize());
    near_all("a plan in a graph", Y.get(), {2, 4, 6}, 0);
    write_element(two.type, two.value, 5);
    g.pack(w, space);
    GN(cudnnBackendUpdateCudaGraph(handle, g.plan->d, w.d, made));
    CUDA(cudaGraphExecUpdate(run, made, &info));
    CUDA(cudaGraphLaunch(run, 0));
    CUDA(cudaDeviceSynchronize());
    near_all("with another number", Y.get(), {5, 10, 15}, 0);
    CUDA(cudaGraphExecDestroy(run));
    CUDA(cudaGraphDestroy(made));
    CUDA(cudaFree(space));
}

int main()
{
    NN(cudnnCreate(&handle));
    const bool slow = slow_device();
    convolution(CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 1, false, 1e-5);
    convolution(CUDNN_DATA_HALF, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 2, true, 1e-3);
    convolution(CUDNN_DATA_INT8, CUDNN_DATA_INT8, CUDNN_DATA_INT32, CUDNN_DATA_INT32, 1, false, 0);
    if (!slow) {
        convolution(CUDNN_DATA_BFLOAT16, CUDNN_DATA_BFLOAT16, CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT, 1, false, 8e-3);
        convolution(CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, 2, false, 1e-12);
        convolution(CUDNN_DATA_INT8, CUDNN_DATA_INT8, CUDNN_DATA_INT8, CUDNN_DATA_INT32, 2, false, 0);
    }
    pooling(CUDNN_RESAMPLE_MAXPOOL, CUDNN_NEG_INF_PAD, true);
    pooling(CUDNN_RESAMPLE_MAXPOOL, CUDNN_ZERO_PAD, false);
    pooling(CUDNN_RESAMPLE_AVGPOOL, CUDNN_ZERO_PAD, false);
    pooling(CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING, CUDNN_ZERO_PAD, false);
    normalisation(CUDNN_BATCH_NORM, CUDNN_DATA_FLOAT, 1e-5);
    normalisation(CUDNN_LAYER_NORM, CUDNN_DATA_HALF, 2e-3);
    normalisation(CUDNN_RMS_NORM, CUDNN_DATA_FLOAT, 1e-5);
    normalisation(CUDNN_INSTANCE_NORM, CUDNN_DATA_FLOAT, 1e-5);
    normalisation(CUDNN_ADA_LAYER_NORM, CUDNN_DATA_FLOAT, 1e-5);
    steps();
    reductions();
    copies();
    drawn();
    captured();
    NN(cudnnDestroy(handle));
    puts("ok");
}
