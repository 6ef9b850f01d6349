// Every collective with every type and operation, at odd sizes, in place and not, against sums that are computed
// directly. Values are small whole numbers, so that every type holds every sum exactly.
#include "ranks.h"
#include <cmath>

#if !defined __CUDA_FP16_TYPES_EXIST__ || !defined __CUDA_BF16_TYPES_EXIST__ || !defined __CUDA_FP8_TYPES_EXIST__
#error "programs ask this before they use a type, and leave it out"
#endif

struct Type {
    ncclDataType_t type;
    const char *name;
    int bytes, exponent, fraction, bias; // floats: bits of exponent and fraction
    bool sign;
};
static const Type types[] = {
    {ncclInt8, "int8", 1, 0, 0, 0, true},         {ncclUint8, "uint8", 1, 0, 0, 0, false},
    {ncclInt32, "int32", 4, 0, 0, 0, true},       {ncclUint32, "uint32", 4, 0, 0, 0, false},
    {ncclInt64, "int64", 8, 0, 0, 0, true},       {ncclUint64, "uint64", 8, 0, 0, 0, false},
    {ncclFloat16, "half", 2, 5, 10, 15, true},    {ncclFloat32, "float", 4, 8, 23, 127, true},
    {ncclFloat64, "double", 8, 11, 52, 1023, true}, {ncclBfloat16, "bfloat16", 2, 8, 7, 127, true},
    {ncclFloat8e4m3, "e4m3", 1, 4, 3, 7, true},   {ncclFloat8e5m2, "e5m2", 1, 5, 2, 15, true},
};

static double get(const Type &t, const void *p, size_t k)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)p + k * t.bytes, t.bytes);
    if (!t.exponent) {
        const int unused = 64 - 8 * t.bytes;
        return t.sign ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
    }
    const int e = (int)(bits >> t.fraction & ((1u << t.exponent) - 1));
    const double f = (double)(bits & ((1ull << t.fraction) - 1));
    const double v = e ? ldexp(ldexp(1, t.fraction) + f, e - t.bias - t.fraction)
                       : ldexp(f, 1 - t.bias - t.fraction);
    return bits >> (8 * t.bytes - 1) & 1 ? -v : v;
}

// Only of values that the type has.
static void put(const Type &t, void *p, size_t k, double v)
{
    uint64_t bits;
    if (!t.exponent) {
        bits = (uint64_t)(int64_t)v;
    } else {
        int e = 0;
        const double m = v == 0 ? 0 : frexp(fabs(v), &e);
        bits = v == 0 ? 0
                      : (uint64_t)(e - 1 + t.bias) << t.fraction |
                            ((uint64_t)ldexp(m, t.fraction + 1) & ((1ull << t.fraction) - 1));
        bits |= (uint64_t)(v < 0) << (8 * t.bytes - 1);
    }
    memcpy((char *)p + k * t.bytes, &bits, t.bytes);
}

// What rank r has as element k; products of four stay within eight bits.
static double value(const Type &t, ncclRedOp_t op, int r, size_t k)
{
    const unsigned h = (unsigned)(k * 2654435761u >> 7) + (unsigned)r * 7919u;
    if (op == ncclProd)
        return 1 + h % 2;
    if (op == ncclAvg) // sums that the number of ranks divides
        return (r == 0 ? 4 : 0) + (t.sign ? 0 : 0) + 0 * (double)h;
    const double v = h % 3;
    return t.sign && h % 5 == 0 ? -v : v;
}

static double reduced(const Type &t, ncclRedOp_t op, int n, size_t k, const double *factors)
{
    double v = 0;
    for (int r = 0; r < n; r++) {
        double x = value(t, op, r, k);
        if (factors)
            x *= factors[r];
        v = r == 0            ? x
            : op == ncclProd  ? v * x
            : op == ncclMax   ? fmax(v, x)
            : op == ncclMin   ? fmin(v, x)
                              : v + x;
    }
    return op == ncclAvg ? v / n : v;
}

struct Buffers {
    void *send, *recv;
    std::vector<char> host;
    cudaStream_t stream;
};

static void fill(const Type &t, ncclRedOp_t op, Rank &r, Buffers &b, void *to, size_t first, size_t count)
{
    for (size_t k = 0; k < count; k++)
        put(t, b.host.data(), k, value(t, op, r.rank, first + k));
    CUDA(cudaMemcpyAsync(to, b.host.data(), count * t.bytes, cudaMemcpyHostToDevice, b.stream));
    CUDA(cudaStreamSynchronize(b.stream));
}

template <class Want>
static void check(const Type &t, Rank &r, Buffers &b, const char *what, const void *from, size_t count, Want want)
{
    CUDA(cudaMemcpyAsync(b.host.data(), from, count * t.bytes, cudaMemcpyDeviceToHost, b.stream));
    CUDA(cudaStreamSynchronize(b.stream));
    char name[64];
    snprintf(name, sizeof name, "%s of %s, %zu", what, t.name, count);
    for (size_t k = 0; k < count; k++)
        if (get(t, b.host.data(), k) != want(k))
            r.wrong(name, k, get(t, b.host.data(), k), want(k));
}

static void reductions(const Type &t, Rank &r, Buffers &b, ncclComm_t c, size_t count)
{
    const ncclRedOp_t ops[] = {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};
    const char *names[] = {"sum", "product", "maximum", "minimum", "average"};
    for (int o = 0; o < 5; o++) {
        if (ops[o] == ncclAvg && r.n != 4 && r.n != 2 && r.n != 1)
            continue;
        for (int in_place = 0; in_place < 2; in_place++) {
            void *from = in_place ? b.recv : b.send;
            fill(t, ops[o], r, b, from, 0, count);
            NCCL(ncclAllReduce(from, b.recv, count, t.type, ops[o], c, b.stream));
            check(t, r, b, names[o], b.recv, count,
                  [&](size_t k) { return reduced(t, ops[o], r.n, k, NULL); });
        }
        const int root = (int)(count + (size_t)o) % r.n;
        fill(t, ops[o], r, b, b.send, 0, count);
        NCCL(ncclReduce(b.send, r.rank == root ? b.recv : NULL, count, t.type, ops[o], root, c, b.stream));
        if (r.rank == root)
            check(t, r, b, "reduce", b.recv, count,
                  [&](size_t k) { return reduced(t, ops[o], r.n, k, NULL); });
        const size_t part = count / r.n + 1;
        fill(t, ops[o], r, b, b.send, 0, part * r.n);
        void *mine = o % 2 ? b.recv : (char *)b.send + part * r.rank * t.bytes;
        NCCL(ncclReduceScatter(b.send, mine, part, t.type, ops[o], c, b.stream));
        check(t, r, b, "reduce-scatter", mine, part,
              [&](size_t k) { return reduced(t, ops[o], r.n, part * r.rank + k, NULL); });
    }
    // Each rank has its own factor; one is in device memory.
    ncclRedOp_t op;
    std::vector<double> factors(r.n);
    for (int k = 0; k < r.n; k++)
        factors[k] = k % 2 ? 2 : 1;
    char scalar[8];
    put(t, scalar, 0, factors[r.rank]);
    void *device = NULL;
    if (r.rank == r.n - 1) {
        CUDA(cudaMalloc(&device, 8));
        CUDA(cudaMemcpy(device, scalar, 8, cudaMemcpyHostToDevice));
    }
    NCCL(ncclRedOpCreatePreMulSum(&op, device ? device : (void *)scalar, t.type,
                                  device ? ncclScalarDevice : ncclScalarHostImmediate, c));
    memset(scalar, 0, sizeof scalar);
    fill(t, ncclSum, r, b, b.send, 0, count);
    NCCL(ncclAllReduce(b.send, b.recv, count, t.type, op, c, b.stream));
    NCCL(ncclRedOpDestroy(op, c));
    check(t, r, b, "sum with factors", b.recv, count,
          [&](size_t k) { return reduced(t, ncclSum, r.n, k, factors.data()); });
    if (device)
        CUDA(cudaFree(device));
}

static void copies(const Type &t, Rank &r, Buffers &b, ncclComm_t c, size_t count)
{
    const int root = (int)count % r.n;
    const size_t bytes = count * t.bytes;
    char *recv = (char *)b.recv;
    const auto of = [&](int from) { return [=](size_t k) { return value(t, ncclSum, from, k); }; };
    fill(t, ncclSum, r, b, b.send, 0, count);
    NCCL(ncclBroadcast(r.rank == root ? b.send : NULL, b.recv, count, t.type, root, c, b.stream));
    check(t, r, b, "broadcast", b.recv, count, of(root));
    NCCL(ncclAllGather(b.send, b.recv, count, t.type, c, b.stream));
    for (int k = 0; k < r.n; k++)
        check(t, r, b, "all-gather", recv + bytes * k, count, of(k));
    CUDA(cudaMemset(b.recv, 0, bytes * r.n)); // in place, as optimisers with parts of the weights do it
    fill(t, ncclSum, r, b, recv + bytes * r.rank, 0, count);
    NCCL(ncclAllGather(recv + bytes * r.rank, b.recv, count, t.type, c, b.stream));
    for (int k = 0; k < r.n; k++)
        check(t, r, b, "all-gather in place", recv + bytes * k, count, of(k));
    fill(t, ncclSum, r, b, b.send, 0, count);
    CUDA(cudaMemset(b.recv, 0, bytes * r.n));
    NCCL(ncclGather(b.send, b.recv, count, t.type, root, c, b.stream));
    for (int k = 0; k < r.n && r.rank == root; k++)
        check(t, r, b, "gather", recv + bytes * k, count, of(k));
    fill(t, ncclSum, r, b, b.send, 0, count * r.n);
    NCCL(ncclScatter(b.send, b.recv, count, t.type, root, c, b.stream));
    check(t, r, b, "scatter", b.recv, count,
          [&](size_t k) { return value(t, ncclSum, root, count * r.rank + k); });
    NCCL(ncclAlltoAll(b.send, b.recv, count, t.type, c, b.stream));
    for (int from = 0; from < r.n; from++)
        check(t, r, b, "all-to-all", recv + bytes * from, count,
              [&](size_t k) { return value(t, ncclSum, from, count * r.rank + k); });
    // Around the ring, both ways, and to itself.
    const int next = (r.rank + 1) % r.n, before = (r.rank + r.n - 1) % r.n;
    NCCL(ncclGroupStart());
    NCCL(ncclSend(b.send, count, t.type, next, c, b.stream));
    NCCL(ncclSend(b.send, count, t.type, before, c, b.stream));
    NCCL(ncclSend(b.send, count, t.type, r.rank, c, b.stream));
    NCCL(ncclRecv(recv, count, t.type, before, c, b.stream));
    NCCL(ncclRecv(recv + bytes, count, t.type, next, c, b.stream));
    NCCL(ncclRecv(recv + 2 * bytes, count, t.type, r.rank, c, b.stream));
    NCCL(ncclGroupEnd());
    check(t, r, b, "from before", recv, count, of(before));
    check(t, r, b, "from next", recv + bytes, count, of(next));
    check(t, r, b, "from itself", recv + 2 * bytes, count, of(r.rank));
}

int main(int argc, char **argv)
{
    const bool longer = getenv("TERN_TEST_LONG") != NULL;
    return run_ranks(argc, argv, [&](Rank &r) {
        ncclComm_t c;
        int count, rank;
        Buffers b;
        const size_t most = longer ? 1100003 : 300007, bytes = (most + 64) * (r.n < 3 ? 3 : r.n) * 8;
        NCCL(ncclCommInitRank(&c, r.n, r.id, r.rank));
        NCCL(ncclCommCount(c, &count));
        NCCL(ncclCommUserRank(c, &rank));
        if (count != r.n || rank != r.rank)
            r.wrong("what the communicator says", 0, count, r.n);
        CUDA(cudaStreamCreate(&b.stream));
        CUDA(cudaMalloc(&b.send, bytes));
        CUDA(cudaMalloc(&b.recv, bytes));
        b.host.resize(bytes);
        for (const Type &t : types)
            for (size_t n : {(size_t)1, (size_t)37, (size_t)5003}) {
                reductions(t, r, b, c, n);
                copies(t, r, b, c, n);
            }
        for (const Type &t : {types[7], types[6], types[10]}) { // floats: more than a slab, in more than one step
            const size_t n = longer || t.type == ncclFloat ? most : 40003;
            reductions(t, r, b, c, n);
            copies(t, r, b, c, n);
        }
        NCCL(ncclCommDestroy(c));
        CUDA(cudaFree(b.send));
        CUDA(cudaFree(b.recv));
        CUDA(cudaStreamDestroy(b.stream));
    });
}
