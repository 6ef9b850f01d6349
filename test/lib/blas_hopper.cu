// LONG ON: interp: ten seconds and more
// OPTIONS: -I../.. -arch=sm_90a
// NOT ON: vulkan: its kernels are not these
/* The kernels for Hopper's matrix instructions, launched by hand so that other devices run them, too: tiles brought by threads and by
 * the copy engine, every layout of the operands, sizes that are no multiples of the tiles, results in pieces and not. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "device/blas/extra.h"
#include "device/blas/mapped_pairs.h"
#include "device/blas/mapped_simt.h"
#include "device/blas/small.h"

static float as_float(float v) { return v; }
static float as_float(__half v) { return __half2float(v); }
static float as_float(__nv_bfloat16 v) { return __bfloat162float(v); }
static float as_float(__nv_fp8_e4m3 v) { return (float)v; }
static float as_float(signed char v) { return v; }
static float as_float(double v) { return (float)v; }
static float as_float(int v) { return (float)v; }

static void check(bool right, const char *what)
{
    if (right)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

template <class T> struct matrix {
    std::vector<T> host;
    T *device;
    matrix(size_t n) : host(n)
    {
        for (auto &v : host)
            v = (T)(float)(rand() % 7 - 3);
        check(!cudaMalloc((void **)&device, n * sizeof(T)), "memory");
        check(!cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~matrix() { cudaFree(device); }
    void back() { check(!cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost), "result"); }
};

static int rounded(int n) { return (n + 15) / 16 * 16; }

/* Products of small whole numbers, two of them: exact in every type. */
template <class T, class C, class L> void one(const char *what, L launch, bool a_along, bool b_along, int m, int n, int k, int extra, double beta, int part = BLAS_WHOLE)
{
    const int lda = rounded(a_along ? k : m), ldb = rounded(b_along ? k : n), ldc = rounded(m) + extra;
    const long long sa = (long long)lda * (a_along ? m : k), sb = (long long)ldb * (b_along ? n : k), sc = (long long)ldc * n;
    matrix<T> a(2 * sa), b(2 * sb);
    matrix<C> c(2 * sc);
    const std::vector<C> before = c.host;
    blas_product p = {};
    p.a.p = a.device;
    p.a.row = a_along ? lda : 1;
    p.a.col = a_along ? 1 : lda;
    p.a.stride = sa;
    p.b.p = b.device;
    p.b.row = b_along ? 1 : ldb;
    p.b.col = b_along ? ldb : 1;
    p.b.stride = sb;
    p.c = p.d = c.device;
    p.c_row = p.d_row = 1;
    p.c_col = p.d_col = ldc;
    p.c_stride = p.d_stride = sc;
    p.m = m;
    p.n = n;
    p.k = k;
    p.alpha_value[0] = 2;
    p.beta_value[0] = beta;
    launch(p);
    check(cudaGetLastError() == cudaSuccess, what);
    c.back();
    for (int z = 0; z < 2; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                float sum = 0;
                for (int l = 0; l < k; l++)
                    sum += as_float(a.host[z * sa + (a_along ? l + i * lda : i + l * lda)]) * as_float(b.host[z * sb + (b_along ? l + j * ldb : j + l * ldb)]);
                const bool outside = part == BLAS_LOWER ? i < j : part == BLAS_UPPER && i > j;
                const float want = outside ? as_float(before[z * sc + i + (long long)j * ldc]) : as_float((C)(2 * sum + (float)beta * as_float(before[z * sc + i + (long long)j * ldc])));
                const float got = as_float(c.host[z * sc + i + (long long)j * ldc]);
                if (got != want) {
                    printf("%s, %d %d, %d x %d x %d (%d, %d) of %d: %g is not %g\n", what, a_along, b_along, m, n, k, i, j, z, got, want);
                    exit(1);
                }
            }
}

template <class T, class C, class S, int ROWS, bool A, bool B, bool PROMOTED = false> void brought(const char *what, int m, int n, int k, int extra, double beta)
{
    one<T, C>(what, [](blas_product p) {
        const int STAGES = 4, stages = STAGES * (WGMMA_COLS + ROWS) * WGMMA_DEPTH, end = WGMMA_COLS * (ROWS + 8) * 4, shared = 1024 + (stages > end ? stages : end);
        const auto kernel = wgmma_product<T, T, C, C, S, ROWS, STAGES, A, B, 0, PROMOTED>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)((p.m + ROWS - 1) / ROWS * ((p.n + WGMMA_COLS - 1) / WGMMA_COLS)), 2), WGMMA_THREADS, shared>>>(p);
    }, A, B, m, n, k, extra, beta);
}

/* across: elements of a line of a box, which is not swizzled then. */
static CUtensorMap map_of(CUtensorMapDataType type, size_t bytes, const void *p, long long lines, long long length, long long apart, long long stride, int box, int across = 0)
{
    CUtensorMap map;
    const cuuint64_t size[3] = {(cuuint64_t)length, (cuuint64_t)lines, 2}, strides[2] = {apart * bytes, stride * bytes};
    const cuuint32_t boxes[3] = {across ? (cuuint32_t)across : (cuuint32_t)(128 / bytes), (cuuint32_t)box, 1}, step[3] = {1, 1, 1};
    const CUresult r = cuTensorMapEncodeTiled(&map, type, 3, (void *)p, size, strides, boxes, step, CU_TENSOR_MAP_INTERLEAVE_NONE, across ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B,
                                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    check(r == CUDA_SUCCESS, "cuTensorMapEncodeTiled");
    return map;
}

/* Maps of the operands of two products. */
template <class T, bool A, bool B, int ROWS> static void maps_of(CUtensorMap maps[2], CUtensorMapDataType type, const blas_product &p)
{
    const int deep = 128 / (int)sizeof(T);
    const CUtensorMap am = A ? map_of(type, sizeof(T), p.a.p, p.m, p.k, p.a.row, p.a.stride, ROWS) : map_of(type, sizeof(T), p.a.p, p.k, p.m, p.a.col, p.a.stride, deep);
    const CUtensorMap bm = B ? map_of(type, sizeof(T), p.b.p, p.n, p.k, p.b.col, p.b.stride, WGMMA_COLS) : map_of(type, sizeof(T), p.b.p, p.k, p.n, p.b.row, p.b.stride, deep);
    maps[0] = am;
    maps[1] = bm;
}

/* All tiles to one block each, but for the last ones, which are shared out by steps. */
struct dealt {
    blas_deal is;
    dealt(const blas_product &p, int count, int blocks, int rows, int shared_out)
    {
        const long long tiles = (p.m + rows - 1) / rows * ((p.n + WGMMA_COLS - 1) / WGMMA_COLS) * count;
        is.whole = tiles > shared_out ? tiles - shared_out : 0;
        is.sums = NULL;
        is.arrived = NULL;
        if (is.whole == tiles)
            return;
        check(!cudaMalloc(&is.sums, 2ull * blocks * rows * WGMMA_COLS * 4) && !cudaMalloc(&is.arrived, (tiles - is.whole) * 8) && !cudaMemset(is.arrived, 0, (tiles - is.whole) * 8), "memory");
    }
    ~dealt()
    {
        cudaFree(is.sums);
        cudaFree(is.arrived);
    }
};

template <class T, class C, class S, int ROWS, bool A, bool B, bool PROMOTED = false, bool TURNS = false>
void mapped(const char *what, CUtensorMapDataType type, int m, int n, int k, int extra, double beta, int blocks = 2, int shared_out = 0)
{
    one<T, C>(what, [&](blas_product p) {
        const int STAGES = 3, shared = 1024 + STAGES * (WGMMA_COLS + mapped_lines(ROWS, A)) * WGMMA_DEPTH;
        CUtensorMap maps[2];
        maps_of<T, A, B, ROWS>(maps, type, p);
        const auto kernel = mapped_product<T, T, C, S, ROWS, STAGES, A, B, PROMOTED, 0, 0, TURNS>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        const dealt deal(p, 2, blocks, ROWS, shared_out);
        kernel<<<dim3(blocks), MAPPED_THREADS, shared>>>(maps[0], maps[1], p, 2, deal.is);
    }, A, B, m, n, k, extra, beta);
}

static double after(int activation, double v, double aux)
{
    const double u = activation == BLAS_DGELU ? aux : v, root = sqrt(2 / M_PI), t = tanh(root * (u + 0.044715 * u * u * u));
    switch (activation) {
    case BLAS_RELU: return v > 0 ? v : 0;
    case BLAS_GELU: return v * (1 + t) / 2;
    case BLAS_DGELU: return v * ((1 + t) / 2 + u * (1 - t * t) / 2 * root * (1 + 3 * 0.044715 * u * u));
    case BLAS_DRELU: return aux ? v : 0;
    default: return v;
    }
}

/* With what follows a product: biases of type V, an activation and what it keeps or reads; scales of A and D. */
template <class T, class C, class V, int ROWS, int ACTIVATION, int BIAS> static void followed(const char *what, CUtensorMapDataType type, int m, int n, int k, double beta)
{
    const bool bits = ACTIVATION == BLAS_RELU || ACTIVATION == BLAS_DRELU, reads = ACTIVATION == BLAS_DRELU || ACTIVATION == BLAS_DGELU;
    const int lda = rounded(k), ldc = rounded(m) + 8, ld_aux = rounded(m) + 16;
    const float a_scale = 0.125f, d_scale = 0.5f, bound = sizeof(C) == 4 ? 2e-6f : 2e-3f;
    matrix<T> a(2 * lda * m), b(2 * lda * n);
    matrix<C> c(2 * ldc * n), aux(2 * ld_aux * n);
    matrix<V> bias(2 * m);
    matrix<float> scales(2);
    const std::vector<C> before = c.host, given = aux.host;
    scales.host = {a_scale, d_scale};
    check(!cudaMemcpy(scales.device, scales.host.data(), 8, cudaMemcpyHostToDevice), "copy");
    blas_product p = {};
    p.a.p = a.device;
    p.b.p = b.device;
    p.a.row = p.b.col = lda;
    p.a.col = p.b.row = 1;
    p.a.stride = (long long)lda * m;
    p.b.stride = (long long)lda * n;
    p.c = p.d = c.device;
    p.c_row = p.d_row = 1;
    p.c_col = p.d_col = ldc;
    p.c_stride = p.d_stride = (long long)ldc * n;
    p.m = m;
    p.n = n;
    p.k = k;
    p.alpha_value[0] = 2;
    p.beta_value[0] = beta;
    p.e.activation = ACTIVATION;
    p.e.bias = bias.device;
    p.e.bias_kind = BIAS;
    p.e.bias_stride = m;
    p.e.aux = aux.device;
    p.e.aux_ld = ld_aux;
    p.e.aux_stride = (long long)ld_aux * n;
    p.e.aux_out = !reads && ACTIVATION != BLAS_NOTHING;
    p.e.a_scale = scales.device;
    p.e.d_scale = scales.device + 1;
    const int STAGES = 3, shared = 1024 + STAGES * (WGMMA_COLS + ROWS) * WGMMA_DEPTH;
    CUtensorMap maps[2];
    maps_of<T, true, true, ROWS>(maps, type, p);
    const auto kernel = mapped_product<T, T, C, float, ROWS, STAGES, true, true, false, 1 + ACTIVATION, BIAS>;
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    const dealt deal(p, 2, 3, ROWS, 2);
    kernel<<<dim3(3), MAPPED_THREADS, shared>>>(maps[0], maps[1], p, 2, deal.is);
    c.back();
    aux.back();
    const unsigned char *bit = (const unsigned char *)aux.host.data();
    for (int z = 0; z < 2; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ldc; i++) {
                const long long at = z * p.d_stride + i + (long long)j * ldc, at_aux = z * p.e.aux_stride + i + (long long)j * ld_aux;
                double sum = 0;
                for (int l = 0; l < k && i < m; l++)
                    sum += (double)as_float(a.host[z * p.a.stride + l + i * lda]) * as_float(b.host[z * p.b.stride + l + j * lda]);
                double v = 2 * a_scale * sum + beta * as_float(before[at]) + (BIAS && i < m ? (double)as_float(bias.host[z * m + i]) : 0);
                const bool bit_of = bits && bit[at_aux / 8] >> at_aux % 8 & 1;
                if (p.e.aux_out && i < m)
                    check(bits ? bit_of == (v > 0) : fabs(as_float(aux.host[at_aux]) - v) <= bound * (1 + fabs(v)), "aux");
                v = i < m ? d_scale * after(ACTIVATION, v, bits ? bit_of : as_float(given[at_aux])) : as_float(before[at]);
                const float got = as_float(c.host[at]);
                if (!(fabs(got - v) <= bound * (1 + fabs(v)))) {
                    printf("%s, %d x %d x %d (%d, %d) of %d: %g is not %g\n", what, m, n, k, i, j, z, got, v);
                    exit(1);
                }
            }
}

/* part: BLAS_LOWER: what is above the diagonal stays as it was. */
template <class T, int COLS, int ROWS, int WARP_COLS, int WARP_ROWS, bool A, bool B> void pairs(int m, int n, int k, int extra, double beta, int part = BLAS_WHOLE)
{
    one<T, T>(sizeof(T) == 8 ? "f64 by maps" : "tf32 by maps", [&](blas_product p) {
        const int STAGES = 3, shared = 1024 + STAGES * (COLS + ROWS) * 128, BYTES = sizeof(T), PANEL = 128 / BYTES;
        const CUtensorMapDataType type = BYTES == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
        const CUtensorMap am = A ? map_of(type, BYTES, p.a.p, p.m, p.k, p.a.row, p.a.stride, ROWS) : map_of(type, BYTES, p.a.p, p.k, p.m, p.a.col, p.a.stride, PANEL);
        const CUtensorMap bm = B ? map_of(type, BYTES, p.b.p, p.n, p.k, p.b.col, p.b.stride, COLS) : map_of(type, BYTES, p.b.p, p.k, p.n, p.b.row, p.b.stride, PANEL);
        const auto kernel = mapped_pairs<T, COLS, ROWS, WARP_COLS, WARP_ROWS, STAGES, A, B>;
        p.part = part;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3(3), MAPPED_THREADS, shared>>>(am, bm, p, 2);
    }, A, B, m, n, k, extra, beta, part);
}

/* parts: blocks that share a tile. */
template <int BK, int STAGES> void mapped_f32(int m, int n, int k, int extra, double beta, int parts, int part = BLAS_WHOLE)
{
    one<float, float>("f32 by maps", [&](blas_product p) {
        const int stages = STAGES * BK * 256 * 4, end = 128 * 132 * 4, shared = 128 + (stages > end ? stages : end), steps = (k + BK - 1) / BK;
        const CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        const CUtensorMap am = map_of(type, 4, p.a.p, k, m, p.a.col, p.a.stride, BK, 128), bm = map_of(type, 4, p.b.p, k, n, p.b.row, p.b.stride, BK, 128);
        const auto kernel = mapped_simt<128, 128, BK, STAGES, 2>;
        float *sums;
        check(!cudaMalloc((void **)&sums, 2 * (size_t)parts * m * n * sizeof(float)), "memory");
        p.part = part;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)((m + 127) / 128 * ((n + 127) / 128)), 2, (unsigned)parts), 128, shared>>>(am, bm, p, (steps + parts - 1) / parts, sums);
        if (parts > 1)
            add_parts<<<dim3(3, 2), 128>>>(p, parts, sums);
        check(!cudaDeviceSynchronize(), "f32 by maps");
        cudaFree(sums);
    }, false, false, m, n, k, extra, beta, part);
}

template <class T, class C, bool A, bool B> void small(const char *what, int m, int n, int k, int extra, double beta)
{
    one<T, C>(what, [](blas_product p) {
        small_product<T, C, float, A, B><<<dim3((unsigned)((p.m + SMALL_TILE - 1) / SMALL_TILE * ((p.n + SMALL_TILE - 1) / SMALL_TILE)), 2), SMALL_THREADS>>>(p);
    }, A, B, m, n, k, extra, beta);
}

template <class T> void turned(int rows, int k)
{
    const int ld = rows + 3, out_ld = k + 1;
    matrix<T> a(2 * ld * k), out(2 * out_ld * rows);
    turn<T><<<dim3((unsigned)((rows + TURN_TILE - 1) / TURN_TILE * ((k + TURN_TILE - 1) / TURN_TILE)), 2), TURN_THREADS>>>(rows, k, a.device, ld, ld * k, out.device, out_ld, out_ld * rows);
    out.back();
    for (int z = 0; z < 2; z++)
        for (int r = 0; r < rows; r++)
            for (int l = 0; l < k; l++)
                check(as_float(out.host[z * out_ld * rows + l + r * out_ld]) == as_float(a.host[z * ld * k + r + l * ld]), "turn");
}

int main()
{
    turned<float>(70, 40);
    turned<signed char>(30, 131);
    brought<__half, __half, float, 64, true, true>("f16", 40, 16, 72, 0, 1);
    brought<__nv_bfloat16, float, float, 64, false, false>("bf16", 24, 24, 40, 1, 0);
    brought<float, float, float, 64, true, true>("tf32", 40, 24, 20, 0, 1);
    brought<signed char, int, int, 64, true, true>("s8", 48, 24, 144, 1, 1);
    brought<__nv_fp8_e4m3, float, float, 64, true, true>("e4m3", 24, 8, 48, 1, 1);
    brought<__nv_fp8_e4m3, float, float, 64, true, true, true>("e4m3, promoted", 24, 8, 300, 1, 1);
    mapped<__nv_fp8_e4m3, float, float, 64, true, true, true>("e4m3 by maps, promoted", CU_TENSOR_MAP_DATA_TYPE_UINT8, 24, 140, 300, 1, 1);
    mapped<__half, __half, float, 64, true, true>("f16 by maps", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 72, 24, 72, 0, 1);
    mapped<__half, __half, float, 96, true, true>("f16 by maps", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 100, 24, 72, 0, 1);
    mapped<__nv_bfloat16, float, float, 160, false, false>("bf16 by maps", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 168, 24, 70, 0, 1);
    mapped<signed char, int, int, 192, true, true>("s8 by maps", CU_TENSOR_MAP_DATA_TYPE_UINT8, 200, 16, 144, 1, 1);
    mapped<float, float, float, 224, true, true>("tf32 by maps", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 232, 20, 40, 0, 1);
    mapped<__half, __half, float, 64, true, true, false, true>("f16 by maps in turns", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 72, 20, 330, 0, 1, 1);
    mapped<__nv_bfloat16, float, float, 128, false, false, false, true>("bf16 by maps in turns", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 136, 24, 70, 0, 1);
    mapped<float, float, float, 128, true, true, false, true>("tf32 by maps in turns", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 72, 140, 40, 0, 1, 1);
    mapped<__half, __half, float, 64, true, true>("f16 by maps, shared out", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 72, 24, 300, 0, 1, 3, 2);
    mapped<__nv_bfloat16, float, float, 64, false, false>("bf16 by maps, shared out", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 24, 140, 330, 0, 1, 7, 99);
    mapped<signed char, int, int, 64, true, true>("s8 by maps, shared out", CU_TENSOR_MAP_DATA_TYPE_UINT8, 48, 24, 600, 1, 1, 5, 1);
    mapped<__half, __half, float, 64, false, true>("f16 by maps", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 35, 130, 30, 1, 0);
    mapped<__nv_bfloat16, float, float, 64, false, false>("bf16 by maps", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 24, 24, 200, 0, 1);
    mapped<signed char, int, int, 64, true, true>("s8 by maps", CU_TENSOR_MAP_DATA_TYPE_UINT8, 48, 24, 144, 1, 1);
    const CUtensorMapDataType bf16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, f16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    followed<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, 64, BLAS_NOTHING, 1>("bf16 and a bias", bf16, 72, 131, 40, 0);
    followed<__half, __half, float, 64, BLAS_GELU, 2>("f16, a bias and gelu", f16, 40, 12, 72, 1);
    followed<__half, float, float, 64, BLAS_GELU, 1>("f16 to f32, a bias and gelu", f16, 40, 9, 24, 0);
    followed<__half, __half, __half, 64, BLAS_DGELU, 0>("f16 and gelu's slope", f16, 104, 20, 40, 0);
    followed<__half, float, float, 64, BLAS_DGELU, 0>("f16 to f32 and gelu's slope", f16, 24, 20, 40, 1);
    followed<__half, __half, __half, 64, BLAS_RELU, 1>("f16 and relu", f16, 88, 13, 40, 1);
    followed<__half, float, float, 64, BLAS_DRELU, 0>("f16 to f32 and relu's slope", f16, 88, 13, 40, 0);
    pairs<float, 128, 64, 32, 32, true, true>(70, 133, 40, 0, 1);
    pairs<float, 128, 64, 32, 32, false, true>(40, 130, 36, 0, 0);
    pairs<float, 128, 64, 32, 32, false, false>(64, 128, 100, 0, 2);
    pairs<float, 128, 128, 64, 32, true, false>(132, 36, 70, 0, 1);
    pairs<double, 64, 64, 32, 16, true, true>(70, 67, 40, 1, 1);
    pairs<double, 64, 64, 32, 16, false, true>(35, 130, 33, 0, 0);
    pairs<double, 64, 128, 32, 32, true, false>(130, 30, 16, 0, 1);
    pairs<double, 64, 128, 32, 32, false, false>(128, 64, 50, 1, 1);
    pairs<double, 128, 128, 64, 32, false, true>(140, 40, 17, 0, 2);
    pairs<double, 64, 64, 32, 16, false, false>(70, 70, 20, 0, 1, BLAS_LOWER);
    pairs<double, 64, 64, 32, 16, true, true>(70, 70, 20, 0, 1, BLAS_UPPER);
    mapped_f32<8, 6>(140, 70, 75, 0, 1, 1);
    mapped_f32<8, 6>(35, 130, 100, 3, 0, 3);
    mapped_f32<16, 4>(130, 140, 40, 1, 1, 1, BLAS_LOWER);
    mapped_f32<16, 4>(72, 40, 70, 0, 2, 4, BLAS_UPPER);
    small<__half, __half, true, true>("small f16", 64, 64, 64, 0, 0);
    small<__half, float, false, true>("small f16", 40, 70, 130, 1, 1);
    small<__nv_bfloat16, __nv_bfloat16, true, false>("small bf16", 33, 20, 24, 0, 1);
    small<__half, __half, false, false>("small f16", 64, 61, 100, 0, 1);
    puts("ok");
}
