// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// Attention as cuDNN's graphs: one operation with lengths, pages and shared heads; and the graph of products, masks and softmax that stands for
// it, forward and back, with sequences in a row. Against loops in double, and gradients against differences.
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

/* Sizes of one attention: heads share keys, sequences have lengths. */
static const int64_t B = 2, H = 4, G = 2, Q = 5, K = 7, D = 8, E = 6;
static const int q_lengths[B] = {5, 3}, k_lengths[B] = {4, 7};
struct result {
    numbers o, stats;
};
/* q [B, H, Q, D], k [B, G, K, D], v [B, G, K, E]; what lies beyond a length is not there. */
static result attend(const numbers &q, const numbers &k, const numbers &v, double scale, bool lengths, bool causal)
{
    result r;
    r.o.assign((size_t)(B * H * Q * E), 0.0);
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++)
            for (int64_t i = 0; i < Q; i++) {
                const int64_t g = b * G + h / (H / G), keys = !lengths ? K : i < q_lengths[b] ? k_lengths[b] : 0;
                numbers p((size_t)K, 0.0);
                double sum = 0;
                for (int64_t j = 0; j < keys && (!causal || j <= i); j++) {
                    double s = 0;
                    for (int64_t d = 0; d < D; d++)
                        s += q[(size_t)(((b * H + h) * Q + i) * D + d)] * k[(size_t)((g * K + j) * D + d)];
                    sum += p[(size_t)j] = exp(s * scale);
                }
                r.stats.push_back(sum > 0 ? log(sum) : 0);
                for (int64_t j = 0; j < keys && sum > 0; j++)
                    for (int64_t d = 0; d < E; d++)
                        r.o[(size_t)(((b * H + h) * Q + i) * E + d)] += p[(size_t)j] / sum * v[(size_t)((g * K + j) * E + d)];
            }
    return r;
}

/* ---- one operation ---- */
static void whole(cudnnDataType_t type, double eps, bool lengths, bool pages)
{
    const int64_t PAGE = 2, PAGES = (K + PAGE - 1) / PAGE;
    graph g;
    tensor &q = g.in(some((size_t)(B * H * Q * D)), {B, H, Q, D}, type, {Q * H * D, D, H * D, 1}), &o = g.out({B, H, Q, E}, type), &stats = g.out({B, H, Q, 1}), &scale = g.scalar(0.7, 4);
    const numbers k = some((size_t)(B * G * K * D)), v = some((size_t)(B * G * K * E));
    tensor *tk, *tv, *kt = nullptr, *vt = nullptr;
    if (pages) { /* page n of sequence b is the container's page B * PAGES - 1 - (b * PAGES + n) */
        const auto container = [&](const numbers &from, int64_t size) {
            numbers c((size_t)(B * PAGES * G * PAGE * size), NAN);
            for (int64_t i = 0; i < B * G * K * size; i++) {
                const int64_t d = i % size, j = i / size % K, h = i / (size * K) % G, b = i / (size * K * G), page = B * PAGES - 1 - (b * PAGES + j / PAGE);
                if (j < k_lengths[b])
                    c[(size_t)(((page * G + h) * PAGE + j % PAGE) * size + d)] = from[(size_t)i];
            }
            return c;
        };
        numbers table;
        for (int64_t i = 0; i < B * PAGES; i++)
            table.push_back((double)(B * PAGES - 1 - i));
        tk = &g.in(container(k, D), {B * PAGES, G, PAGE, D}, type);
        tv = &g.in(container(v, E), {B * PAGES, G, PAGE, E}, type);
        kt = &g.in(table, {B, 1, PAGES, 1}, CUDNN_DATA_INT32);
        vt = &g.in(table, {B, 1, PAGES, 1}, CUDNN_DATA_INT32);
    } else {
        tk = &g.in(k, {B, G, K, D}, type);
        tv = &g.in(v, {B, G, K, E}, type);
    }
    descriptor &a = g.op(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    a.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q.d).set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, tk->d).set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, tv->d).set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, o.d);
    a.set(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, stats.d).set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale.d);
    if (lengths) {
        a.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC, g.in({(double)q_lengths[0], (double)q_lengths[1]}, {B, 1, 1, 1}, CUDNN_DATA_INT32).d);
        a.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC, g.in({(double)k_lengths[0], (double)k_lengths[1]}, {B, 1, 1, 1}, CUDNN_DATA_INT32).d);
    }
    if (pages)
        a.set(CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC, kt->d).set(CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC, vt->d);
    a.end();
    g.run();
    const result want = attend(q.get(), pages ? k : tk->get(), pages ? v : tv->get(), 0.7, lengths, false);
    near_all("attention", o.get(), want.o, eps);
    numbers got = stats.get();
    for (size_t i = 0; i < got.size(); i++)
        if (lengths && (int64_t)i % Q >= q_lengths[i / (size_t)(H * Q)])
            got[i] = 0; /* an empty sum's logarithm */
    near_all("its statistics", got, want.stats, eps);
}

/* ---- the graph of its parts ---- */
struct parts {
    graph g;
    tensor *last;
    tensor &same(cudnnDataType_t type = CUDNN_DATA_FLOAT) { return g.between({B, H, Q, K}, type); }
    tensor &index(int64_t axis)
    {
        tensor &y = same(CUDNN_DATA_INT32);
        descriptor &pw = g.part(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
        pw.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_GEN_INDEX).set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_INT32).set(CUDNN_ATTR_POINTWISE_AXIS, axis);
        g.pointwise(pw.end(), CUDNN_POINTWISE_GEN_INDEX, last, nullptr, nullptr, y);
        return y;
    }
    tensor &two(cudnnPointwiseMode_t mode, tensor &a, tensor &b, cudnnDataType_t type = CUDNN_DATA_FLOAT)
    {
        tensor &y = same(type);
        g.pointwise(mode, &a, &b, nullptr, y);
        return y;
    }
    void mask(tensor &truth)
    {
        tensor &y = same();
        g.pointwise(CUDNN_POINTWISE_BINARY_SELECT, last, &g.scalar(-1e9, 4), &truth, y);
        last = &y;
    }
    void reduce(tensor &x, cudnnReduceTensorOp_t op, tensor &y)
    {
        descriptor &r = g.part(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
        r.set(CUDNN_ATTR_REDUCTION_OPERATOR, op).set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT).end();
        g.op(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.d).set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y.d).set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, r).end();
    }
    /* q k^T, scaled and masked: by lengths where they are given, and by the diagonal. */
    void scores(tensor &q, tensor &kt, double scale, tensor *ql, tensor *kl)
    {
        tensor *const limits[3] = {ql, kl, nullptr};
        last = &same();
        g.matmul(q, kt, *last, limits);
        last = &two(CUDNN_POINTWISE_MUL, *last, g.scalar(scale, 4));
        if (ql)
            mask(two(CUDNN_POINTWISE_LOGICAL_AND, two(CUDNN_POINTWISE_CMP_LT, index(2), *ql, CUDNN_DATA_BOOLEAN), two(CUDNN_POINTWISE_CMP_LT, index(3), *kl, CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN));
        mask(two(CUDNN_POINTWISE_CMP_GE, index(2), index(3), CUDNN_DATA_BOOLEAN));
    }
};
/* Sequences in a row: [B, heads, length, size] with offsets; what lies between them is never read or written. */
static tensor &in_a_row(graph &g, int64_t heads, int64_t length, int64_t size, const int *lengths, const numbers *v)
{
    numbers offsets;
    int64_t at = 0;
    for (int64_t b = 0; b < B; at += (lengths[b++]) * heads * size)
        offsets.push_back((double)at);
    offsets.push_back((double)at);
    tensor &o = g.in(offsets, {B + 1, 1, 1, 1}, CUDNN_DATA_INT32);
    g.tensors.emplace_back(new tensor);
    tensor &t = *g.tensors.back();
    t.uid = 100 + (int64_t)g.tensors.size();
    t.type = CUDNN_DATA_FLOAT;
    t.dim = {B, heads, length, size};
    t.step = {length * heads * size, size, heads * size, 1};
    t.d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, t.uid).set(CUDNN_ATTR_TENSOR_DATA_TYPE, t.type).set(CUDNN_ATTR_TENSOR_DIMENSIONS, t.dim).set(CUDNN_ATTR_TENSOR_STRIDES, t.step).set(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, o.d).end();
    numbers row((size_t)at + 3, 99.0); /* three behind the last stay */
    for (int64_t i = 0; v && i < count_of(t.dim); i++) {
        const int64_t d = i % size, j = i / size % length, h = i / (size * length) % heads, b = i / (size * length * heads);
        if (j < lengths[b])
            row[(size_t)(offsets[(size_t)b] + (double)((j * heads + h) * size + d))] = (*v)[(size_t)i];
    }
    std::vector<float> f(row.begin(), row.end());
    CUDA(cudaMalloc(&t.data, f.size() * 4));
    CUDA(cudaMemcpy(t.data, f.data(), f.size() * 4, cudaMemcpyHostToDevice));
    return t;
}
static void composed(bool lengths)
{
    const double scale = 0.6;
    const numbers q = some((size_t)(B * H * Q * D)), k = some((size_t)(B * G * K * D)), v = some((size_t)(B * G * K * E));
    parts f;
    graph &g = f.g;
    tensor &tq = g.in(q, {B, H, Q, D}), &tk = g.in(k, {B, G, D, K}, CUDNN_DATA_FLOAT, {G * K * D, K * D, 1, D}), &tv = g.in(v, {B, G, K, E});
    /* k was put in the order of its dimensions, which are turned. */
    std::vector<float> raw(k.begin(), k.end());
    CUDA(cudaMemcpy(tk.data, raw.data(), raw.size() * 4, cudaMemcpyHostToDevice));
    tensor *ql = lengths ? &g.in({(double)q_lengths[0], (double)q_lengths[1]}, {B, 1, 1, 1}, CUDNN_DATA_INT32) : nullptr, *kl = lengths ? &g.in({(double)k_lengths[0], (double)k_lengths[1]}, {B, 1, 1, 1}, CUDNN_DATA_INT32) : nullptr;
    f.scores(tq, tk, scale, ql, kl);
    tensor &most = g.between({B, H, Q, 1}), &sum = g.between({B, H, Q, 1}), &stats = g.out({B, H, Q, 1}), &log = g.between({B, H, Q, 1});
    f.reduce(*f.last, CUDNN_REDUCE_TENSOR_MAX, most);
    tensor &shifted = f.two(CUDNN_POINTWISE_SUB, *f.last, most), &e = f.same(), &p = f.same();
    g.pointwise(CUDNN_POINTWISE_EXP, &shifted, nullptr, nullptr, e);
    f.reduce(e, CUDNN_REDUCE_TENSOR_ADD, sum);
    g.pointwise(CUDNN_POINTWISE_LOG, &sum, nullptr, nullptr, log);
    g.pointwise(CUDNN_POINTWISE_ADD, &most, &log, nullptr, stats);
    g.pointwise(CUDNN_POINTWISE_DIV, &e, &sum, nullptr, p);
    tensor &o = lengths ? in_a_row(g, H, Q, E, q_lengths, nullptr) : g.out({B, H, Q, E});
    tensor *const limits[3] = {ql, nullptr, kl};
    g.matmul(p, tv, o, limits);
    g.run();
    const result want = attend(q, k, v, scale, lengths, true);
    numbers got((size_t)(B * H * Q * E), 0.0);
    if (lengths) {
        const int64_t rows = q_lengths[0] + q_lengths[1];
        std::vector<float> row((size_t)(rows * H * E + 3));
        CUDA(cudaMemcpy(row.data(), o.data, row.size() * 4, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < 3; i++)
            CHECK(row[row.size() - 1 - i] == 99);
        for (int64_t i = 0; i < B * H * Q * E; i++) {
            const int64_t d = i % E, j = i / E % Q, h = i / (E * Q) % H, b = i / (E * Q * H);
            if (j < q_lengths[b])
                got[(size_t)i] = row[(size_t)((((b ? q_lengths[0] : 0) + j) * H + h) * E + d)];
        }
    } else {
        got = o.get();
        near_all("statistics by parts", stats.get(), want.stats, 1e-5);
    }
    near_all("attention by parts", got, want.o, 1e-5);
    if (lengths)
        return;

    /* The way back, with its views of transposed probabilities and sums over heads that share keys. */
    const numbers dout = some(want.o.size());
    parts r;
    graph &b = r.g;
    tensor &bq = b.in(q, {B, H, Q, D}), &bk = b.in({}, {B, G, D, K}, CUDNN_DATA_FLOAT, {G * K * D, K * D, 1, D}), &bv = b.in({}, {B, G, E, K}, CUDNN_DATA_FLOAT, {G * K * E, K * E, 1, E});
    CUDA(cudaMemcpy(bk.data, raw.data(), raw.size() * 4, cudaMemcpyHostToDevice));
    std::vector<float> rawv(v.begin(), v.end());
    CUDA(cudaMemcpy(bv.data, rawv.data(), rawv.size() * 4, cudaMemcpyHostToDevice));
    tensor &bo = b.in(o.get(), {B, H, Q, E}), &bst = b.in(stats.get(), {B, H, Q, 1}), &bdo = b.in(dout, {B, H, Q, E});
    tensor &prod = b.between({B, H, Q, E}), &delta = b.between({B, H, Q, 1}), &dq = b.out({B, H, Q, D}), &dk = b.out({B, G, K, D}), &dv = b.out({B, G, K, E});
    b.pointwise(CUDNN_POINTWISE_MUL, &bdo, &bo, nullptr, prod);
    r.reduce(prod, CUDNN_REDUCE_TENSOR_ADD, delta);
    r.scores(bq, bk, scale, nullptr, nullptr);
    tensor &less = r.two(CUDNN_POINTWISE_SUB, *r.last, bst), &bp = r.same();
    b.pointwise(CUDNN_POINTWISE_EXP, &less, nullptr, nullptr, bp);
    const auto turned = [&](tensor &x) -> tensor & {
        tensor &y = b.add(CUDNN_DATA_FLOAT, {B, H, K, Q}, {H * Q * K, Q * K, 1, K}, true, false);
        b.op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x.d).set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y.d).end();
        return y;
    };
    tensor &dvh = b.between({B, H, K, E}), &dp = r.same(), &dkh = b.between({B, H, K, D});
    b.matmul(turned(bp), bdo, dvh);
    r.reduce(dvh, CUDNN_REDUCE_TENSOR_ADD, dv);
    b.matmul(bdo, bv, dp);
    tensor &ds = r.two(CUDNN_POINTWISE_MUL, r.two(CUDNN_POINTWISE_MUL, r.two(CUDNN_POINTWISE_SUB, dp, delta), bp), b.scalar(scale, 4));
    b.matmul(turned(ds), bq, dkh);
    r.reduce(dkh, CUDNN_REDUCE_TENSOR_ADD, dk);
    tensor &keys = b.add(CUDNN_DATA_FLOAT, {B, G, K, D}, {G * K * D, K * D, D, 1}, true, false);
    b.op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR).set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, bk.d).set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, keys.d).end();
    b.matmul(ds, keys, dq);
    b.run();
    const auto slope = [&](numbers &x) {
        numbers s;
        for (double &e1 : x) {
            const double at = e1, step = 1e-5;
            double up = 0, down = 0;
            e1 = at + step;
            numbers y = attend(q, k, v, scale, false, true).o;
            for (size_t i = 0; i < y.size(); i++)
                up += y[i] * dout[i];
            e1 = at - step;
            y = attend(q, k, v, scale, false, true).o;
            for (size_t i = 0; i < y.size(); i++)
                down += y[i] * dout[i];
            e1 = at;
            s.push_back((up - down) / (2 * step));
        }
        return s;
    };
    near_all("gradients of queries", dq.get(), slope(const_cast<numbers &>(q)), 1e-4);
    near_all("gradients of keys", dk.get(), slope(const_cast<numbers &>(k)), 1e-4);
    near_all("gradients of values", dv.get(), slope(const_cast<numbers &>(v)), 1e-4);
}

int main()
{
    NN(cudnnCreate(&handle));
    whole(CUDNN_DATA_FLOAT, 1e-5, false, false);
    whole(CUDNN_DATA_HALF, 2e-3, true, false);
    whole(CUDNN_DATA_BFLOAT16, 1e-2, true, true);
    composed(false);
    composed(true);
    NN(cudnnDestroy(handle));
    puts("ok");
}
