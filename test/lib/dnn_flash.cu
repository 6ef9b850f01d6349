// OPTIONS: -I../.. -arch=sm_90a
// LONG ON: interp: matrices of four warps take it many seconds
// NOT ON: vulkan: its kernels are not these
/* Attention on matrix instructions, launched by hand so that other devices run it, too: masks, shared heads, sizes that are no multiples
 * of the tiles, against sums in double; gradients against their formulas in double. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "device/dnn/flash_back.h"
#include "device/dnn/hopper_back.h"

static double as_double(__half v) { return __half2float(v); }
static double as_double(__nv_bfloat16 v) { return __bfloat162float(v); }
static double as_double(float v) { return v; }
static void check(bool right, const char *what)
{
    if (right)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}
static unsigned long long seed_now = 1;
static float uniform()
{
    seed_now = seed_now * 6364136223846793005ull + 1442695040888963407ull;
    return (float)((long long)(seed_now >> 11 << 1) / 9007199254740992.0 - 1);
}
template <class T> struct array {
    std::vector<T> host;
    T *device;
    array(size_t n, bool fill = true) : host(n)
    {
        for (auto &v : host)
            v = (T)(fill ? uniform() : NAN);
        check(!cudaMalloc((void **)&device, n * sizeof(T)), "memory");
        check(!cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~array() { cudaFree(device); }
    void back() { check(!cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost), "result"); }
};
template <class T> static void same(const char *what, array<T> &got, const std::vector<double> &want, double tolerance)
{
    got.back();
    double size = 0;
    for (double w : want)
        size = fmax(size, fabs(w));
    for (size_t i = 0; i < want.size(); i++)
        if (!(fabs(as_double(got.host[i]) - want[i]) <= tolerance * size)) {
            printf("%s: [%zu of %zu] is %g, not %g\n", what, i, want.size(), as_double(got.host[i]), want[i]);
            exit(1);
        }
}
template <class K, class... A> static void launch(K kernel, long long blocks, int shared, A... args)
{
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<(unsigned)blocks, FLASH_THREADS, shared>>>(args...);
    check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "launch");
}
static long long parts(long long n, long long each) { return (n + each - 1) / each; }

/* What scores, probabilities and gradients are, all at once. */
struct wanted {
    std::vector<double> o, sums, dq, dk, dv;
    template <class T> wanted(const dnn_attention &a, const std::vector<float> &slopes, const std::vector<int> &lengths, const std::vector<T> &q, const std::vector<T> &k, const std::vector<T> &v,
                              const std::vector<T> &dy)
        : o(dy.size()), sums(a.batch * a.heads * a.queries), dq(q.size()), dk(k.size()), dv(v.size())
    {
        for (long long line = 0; line < a.batch * a.heads * a.queries; line++) {
            const long long i = line % a.queries, h = line / a.queries % a.heads, b = line / a.queries / a.heads, kv = b * a.kv_heads + h / (a.heads / a.kv_heads);
            const long long keys = lengths.empty() ? a.keys : lengths[b], place = keys - a.queries + i;
            std::vector<double> p(keys), slope(keys, 1);
            double sum = 0;
            for (long long j = 0; j < keys; j++) {
                double s = 0;
                for (long long d = 0; d < a.size; d++)
                    s += as_double(q[line * a.size + d]) * as_double(k[(kv * a.keys + j) * a.size + d]);
                s *= a.scale;
                if (a.cap > 0) {
                    slope[j] = 1 - tanh(s / a.cap) * tanh(s / a.cap);
                    s = a.cap * tanh(s / a.cap);
                }
                if (!slopes.empty())
                    s -= slopes[h] * fabs((double)(place - j));
                p[j] = (!a.causal || j <= place) && (!a.window || j > place - a.window) ? exp(s) : 0;
                sum += p[j];
            }
            sums[line] = log(sum);
            double delta = 0;
            std::vector<double> dp(keys);
            for (long long j = 0; j < keys; j++) {
                p[j] = sum > 0 ? p[j] / sum : 0;
                for (long long d = 0; d < a.value_size; d++) {
                    o[line * a.value_size + d] += p[j] * as_double(v[(kv * a.keys + j) * a.value_size + d]);
                    dp[j] += as_double(dy[line * a.value_size + d]) * as_double(v[(kv * a.keys + j) * a.value_size + d]);
                    dv[(kv * a.keys + j) * a.value_size + d] += p[j] * as_double(dy[line * a.value_size + d]);
                }
                delta += p[j] * dp[j];
            }
            for (long long j = 0; j < keys; j++)
                for (long long d = 0; d < a.size; d++) {
                    const double ds = p[j] * (dp[j] - delta) * slope[j] * a.scale;
                    dq[line * a.size + d] += ds * as_double(k[(kv * a.keys + j) * a.size + d]);
                    dk[(kv * a.keys + j) * a.size + d] += ds * as_double(q[line * a.size + d]);
                }
        }
    }
};
static void packed(long long *step, long long heads, long long length, long long size)
{
    step[0] = heads * length * size;
    step[1] = length * size;
    step[2] = size;
}
/* [batch, heads, rows, size], 64 elements of `tile` rows at a time. */
static CUtensorMap map_of(CUtensorMapDataType type, const void *p, const long long *step, long long size, long long rows, long long heads, long long batch, int tile = HOPPER_KEYS)
{
    CUtensorMap map;
    const cuuint64_t sizes[4] = {(cuuint64_t)size, (cuuint64_t)rows, (cuuint64_t)heads, (cuuint64_t)batch}, strides[3] = {2ull * step[2], 2ull * step[1], 2ull * step[0]};
    const cuuint32_t box[4] = {64, (cuuint32_t)tile, 1, 1}, each[4] = {1, 1, 1, 1};
    check(!cuTensorMapEncodeTiled(&map, type, 4, (void *)p, sizes, strides, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    return map;
}
template <class K, class... A> static void launch_hopper(K kernel, long long blocks, int shared, A... args)
{
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<(unsigned)blocks, HOPPER_THREADS, shared>>>(args...);
    check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "launch");
}
template <class T, int D> static void hopper_back(const dnn_attention &a, const wanted &want, array<T> &q, array<T> &k, array<T> &v, array<T> &o, array<T> &dy, array<float> &log_sums, double tolerance)
{
    const CUtensorMapDataType type = tolerance < 1e-2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const int BM = 64;
    const long long padded = parts(a.queries, FLASH_QUERIES) * FLASH_QUERIES, lines = a.batch * a.heads;
    array<T> dq(want.dq.size(), false), dk(want.dk.size(), false), dv(want.dv.size(), false);
    array<float> sums(lines * padded, false), deltas(lines * padded, false);
    CUtensorMap qm[2], om[2];
    const CUtensorMap km = map_of(type, k.device, a.k_step, a.size, a.keys, a.kv_heads, a.batch), vm = map_of(type, v.device, a.v_step, a.value_size, a.keys, a.kv_heads, a.batch);
    for (int e = 0; e < 2; e++) {
        qm[e] = map_of(type, q.device, a.q_step, a.size, a.queries, a.heads, a.batch, e ? BM : FLASH_QUERIES);
        om[e] = map_of(type, dy.device, a.o_step, a.value_size, a.queries, a.heads, a.batch, e ? BM : FLASH_QUERIES);
    }
    launch(hopper_deltas<T>, 3, 0, a, padded, o.device, dy.device, log_sums.device, sums.device, deltas.device);
    launch_hopper(hopper_queries<T, D>, lines * parts(a.queries, FLASH_QUERIES), 1024 + 6 * HOPPER_KEYS * D * 2, qm[0], km, vm, om[0], a, padded, sums.device, deltas.device, dq.device);
    same("queries of four warps", dq, want.dq, 4 * tolerance);
    launch_hopper(hopper_keys<T, D, BM>, a.batch * a.kv_heads * parts(a.keys, HOPPER_KEYS), 1024 + (2 * HOPPER_KEYS + HOPPER_BACK_STAGES * 2 * BM) * D * 2, qm[1], km, vm, om[1], a, padded, sums.device,
                  deltas.device, dk.device, dv.device);
    same("keys of four warps", dk, want.dk, 4 * tolerance);
    same("values of four warps", dv, want.dv, 4 * tolerance);
}
template <class T, int D> static void hopper(const dnn_attention &a, const wanted &want, array<T> &q, array<T> &k, array<T> &v, double tolerance)
{
    const CUtensorMapDataType type = tolerance < 1e-2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    array<T> o(want.o.size(), false);
    array<float> sums(want.sums.size(), false);
    const CUtensorMap qm = map_of(type, q.device, a.q_step, a.size, a.queries, a.heads, a.batch), km = map_of(type, k.device, a.k_step, a.size, a.keys, a.kv_heads, a.batch),
                      vm = map_of(type, v.device, a.v_step, a.value_size, a.keys, a.kv_heads, a.batch);
    const int shared = 1024 + (FLASH_QUERIES + 2 * HOPPER_AHEAD * HOPPER_KEYS) * D * 2;
    const auto kernel = flash_hopper<T, D>;
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<(unsigned)(a.batch * a.heads * parts(a.queries, FLASH_QUERIES)), HOPPER_THREADS, shared>>>(qm, km, vm, a, o.device, sums.device, 1, nullptr);
    check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "launch");
    same("sums of four warps", sums, want.sums, 1e-3);
    same("attention of four warps", o, want.o, tolerance);
    if (a.causal)
        return;
    const int count = 2;
    array<float> scratch(count * sums.host.size() * (D + 2), false);
    kernel<<<(unsigned)(count * a.batch * a.heads * parts(a.queries, FLASH_QUERIES)), HOPPER_THREADS, shared>>>(qm, km, vm, a, nullptr, nullptr, count, scratch.device);
    flash_join<T, D><<<2, DNN_THREADS>>>(a, count, scratch.device, o.device, sums.device);
    same("sums of parts", sums, want.sums, 1e-3);
    same("attention of parts", o, want.o, tolerance);
}
template <class T, int D, bool PLAIN> static void attention(dnn_attention a, double tolerance, bool alibi = false, std::vector<int> lengths = {}, bool back = true)
{
    packed(a.q_step, a.heads, a.queries, a.size);
    packed(a.k_step, a.kv_heads, a.keys, a.size);
    packed(a.v_step, a.kv_heads, a.keys, a.value_size);
    packed(a.o_step, a.heads, a.queries, a.value_size);
    array<T> q(a.batch * a.q_step[0]), k(a.batch * a.k_step[0]), v(a.batch * a.v_step[0]), dy(a.batch * a.o_step[0]);
    array<T> o(dy.host.size(), false), dq(q.host.size(), false), dk(k.host.size(), false), dv(v.host.size(), false);
    array<float> sums(a.batch * a.heads * a.queries, false), deltas(sums.host.size(), false), slopes(a.heads);
    array<int> counts(a.batch);
    for (float &s : slopes.host)
        s = fabsf(s) / 8;
    cudaMemcpy(slopes.device, slopes.host.data(), a.heads * sizeof(float), cudaMemcpyHostToDevice);
    if (!lengths.empty())
        cudaMemcpy(counts.device, lengths.data(), a.batch * sizeof(int), cudaMemcpyHostToDevice);
    a.slopes = alibi ? slopes.device : nullptr;
    a.lengths = lengths.empty() ? nullptr : counts.device;
    for (size_t b = 0; b < lengths.size(); b++) /* what lies behind a sequence is not read as numbers */
        for (array<T> *x : {&k, &v})
            for (long long h = 0, size = x == &k ? a.size : a.value_size; h < a.kv_heads; h++)
                cudaMemset(x->device + ((b * a.kv_heads + h) * a.keys + lengths[b]) * size, 0xff, (a.keys - lengths[b]) * size * sizeof(T));
    const wanted want(a, alibi ? slopes.host : std::vector<float>(), lengths, q.host, k.host, v.host, dy.host);
    const int M = D == 64 ? 2 : 1, BM = D == 64 ? 32 : 64;
    const long long lines = a.batch * a.heads;
    launch(flash<T, D, 64, PLAIN>, lines * parts(a.queries, FLASH_QUERIES), (FLASH_QUERIES + 4 * 64) * D * 2, a, q.device, k.device, v.device, o.device, sums.device);
    same("sums", sums, want.sums, 1e-3);
    same("attention", o, want.o, tolerance);
    if (PLAIN)
        hopper<T, D>(a, want, q, k, v, tolerance);
    if (!back)
        return;
    if (PLAIN && lengths.empty())
        hopper_back<T, D>(a, want, q, k, v, o, dy, sums, tolerance);
    launch(attend_deltas<T>, parts(lines * a.queries, 4), 0, a, o.device, dy.device, deltas.device);
    launch(flash_queries<T, D, 2, 32, PLAIN>, lines * parts(a.queries, 128), (2 * 128 + 4 * 32) * D * 2, a, q.device, k.device, v.device, dy.device, sums.device, deltas.device, dq.device);
    same("queries", dq, want.dq, 4 * tolerance);
    launch(flash_keys<T, D, M, BM, PLAIN>, a.batch * a.kv_heads * parts(a.keys, 64 * M), (2 * 64 * M + 4 * BM) * D * 2, a, q.device, k.device, v.device, dy.device, sums.device, deltas.device, dk.device,
           dv.device);
    same("keys", dk, want.dk, 4 * tolerance);
    same("values", dv, want.dv, 4 * tolerance);
}

int main()
{
    const double half = 2e-3, bfloat = 1.6e-2;
    dnn_attention a = {};
    a.batch = 1, a.heads = 2, a.kv_heads = 1, a.queries = 70, a.keys = 150, a.size = 64, a.value_size = 64, a.causal = 1, a.scale = 0.125;
    attention<__half, 64, true>(a, half);
    a.heads = 1, a.queries = 70, a.keys = 40, a.size = 40, a.value_size = 16, a.causal = 0, a.window = 20, a.cap = 3, a.scale = -0.3;
    attention<__half, 64, false>(a, half, true);
    a.batch = 2, a.queries = 20, a.keys = 90, a.size = 128, a.value_size = 96, a.causal = 1, a.window = 0, a.cap = 0, a.scale = 0.1;
    attention<__nv_bfloat16, 128, true>(a, bfloat, false, {90, 33});
    a.batch = a.heads = 1, a.queries = 9, a.keys = 300, a.causal = 0;
    attention<__nv_bfloat16, 128, true>(a, bfloat);
    puts("ok");
}
