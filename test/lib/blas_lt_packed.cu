// OPTIONS: -lcublas -lcublasLt
/* cuBLASLt's matrices that do not lie plain: block scales of fp4 and fp8, results that get such scales, interleaved orders of bytes, complex
 * numbers in planes, groups; against loops in double. Layouts of scales are walked by their offsets here, not by their indices. */
#include "blas.h"
#include <cublasLt.h>
#include <cuda_fp4.h>
#include <functional>

static cublasLtHandle_t lt;

template <class T> static T *there(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMalloc((void **)&p, v.size() * sizeof(T) + 1));
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static std::vector<T> back(const T *p, size_t n)
{
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
struct desc {
    cublasLtMatmulDesc_t d;
    desc(cublasComputeType_t c, cudaDataType s) { BLAS(cublasLtMatmulDescCreate(&d, c, s)); }
    ~desc() { cublasLtMatmulDescDestroy(d); }
    template <class T> void set(cublasLtMatmulDescAttributes_t a, T v) { BLAS(cublasLtMatmulDescSetAttribute(d, a, &v, sizeof v)); }
};
struct layout {
    cublasLtMatrixLayout_t l;
    layout(cudaDataType t, uint64_t r, uint64_t c, int64_t ld) { BLAS(cublasLtMatrixLayoutCreate(&l, t, r, c, ld)); }
    ~layout() { cublasLtMatrixLayoutDestroy(l); }
    template <class T> void set(cublasLtMatrixLayoutAttribute_t a, T v) { BLAS(cublasLtMatrixLayoutSetAttribute(l, a, &v, sizeof v)); }
};

/* Scales of outer by inner elements: bytes as the library wants them, and what they are for each block. */
struct scales {
    std::vector<unsigned char> bytes;
    std::vector<float> floats;
    std::function<double(int, int)> at; /* (outer, element of inner) */
    static size_t room(int outer, int inner, int each)
    {
        return (size_t)(inner + 4 * each - 1) / (4 * each) * ((outer + 127) / 128) * 512;
    }
    /* Offsets of a tile: 16 bytes are 4 scales of each of 4 rows, which are 32 apart; tiles of one band of rows follow each other. */
    static std::vector<double> by_block(const std::vector<unsigned char> &bytes, int outer, int inner, int each)
    {
        const int across = (inner + 4 * each - 1) / (4 * each);
        std::vector<double> out((size_t)(outer + 127) / 128 * 128 * across * 4);
        for (size_t k = 0; k < bytes.size(); k++) {
            const int tile = (int)(k / 512), in = (int)(k % 512);
            const int o = tile / across * 128 + in % 16 / 4 * 32 + in / 16, b = tile % across * 4 + in % 4;
            out[(size_t)o * across * 4 + b] = each == 16 ? (double)(float)*(const __nv_fp8_e4m3 *)&bytes[k] : ldexp(1.0, bytes[k] - 127);
        }
        return out;
    }
    scales(int outer, int inner, int mode)
    {
        if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 || mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) {
            const int each = mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 ? 16 : 32, across = (inner + 4 * each - 1) / (4 * each) * 4;
            bytes.resize(room(outer, inner, each));
            for (unsigned char &b : bytes)
                b = each == 16 ? __nv_fp8_e4m3((float)(uniform() + 1.5)).__x : (unsigned char)(127 + (int)(uniform() * 3));
            const std::vector<double> blocks = by_block(bytes, outer, inner, each);
            at = [=](int o, int l) { return blocks[(size_t)o * across + l / each]; };
            return;
        }
        const int count = (inner + 127) / 128, four = (count + 3) / 4 * 4;
        const bool square = mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
        floats.resize(square ? (size_t)four * ((outer + 127) / 128) : (size_t)count * outer);
        for (float &f : floats)
            f = (float)(uniform() + 1.5);
        const std::vector<float> f = floats;
        at = [=](int o, int l) { return square ? f[l / 128 + o / 128 * four] : f[o + l / 128 * outer]; };
        bytes.assign((unsigned char *)floats.data(), (unsigned char *)(floats.data() + floats.size()));
    }
};

/* Small floats of 8 or 4 bits, by columns. */
struct narrow_matrix {
    std::vector<unsigned char> bytes;
    std::vector<double> values;
    int ld;
    narrow_matrix(int rows, int cols, bool four) : values((size_t)rows * cols), ld(rows)
    {
        bytes.resize(four ? (values.size() + 1) / 2 : values.size());
        for (size_t k = 0; k < values.size(); k++) {
            const float x = (float)(uniform() * 6);
            if (four) {
                const __nv_fp4_e2m1 v(x);
                bytes[k / 2] |= (unsigned char)(v.__x << k % 2 * 4);
                values[k] = (double)v;
            } else {
                const __nv_fp8_e4m3 v(x);
                bytes[k] = v.__x;
                values[k] = (double)v;
            }
        }
    }
};

/* Both transposed as tensor cores want it (A is k by m, B is k by n), or neither. */
static void block_scaled(bool four, int a_mode, int b_mode, bool plain, bool out, int m, int n, int k)
{
    const cudaDataType in = four ? CUDA_R_4F_E2M1 : CUDA_R_8F_E4M3;
    const narrow_matrix a = plain ? narrow_matrix(m, k, four) : narrow_matrix(k, m, four);
    const narrow_matrix b = plain ? narrow_matrix(n, k, four) : narrow_matrix(k, n, four);
    const scales sa(m, k, a_mode), sb(n, k, b_mode);
    both<__nv_bfloat16> c((size_t)m * n), d((size_t)m * n), bias(m);
    unsigned char *da = there(a.bytes), *db = there(b.bytes), *dsa = there(sa.bytes), *dsb = there(sb.bytes);
    const int each = four ? 16 : 32;
    std::vector<unsigned char> small(four ? (size_t)m * n / 2 : (size_t)m * n), out_scales(scales::room(n, m, each));
    unsigned char *dsmall = there(small), *dout = there(out_scales);
    const float alpha = 0.5f, beta = 2;
    const std::vector<float> in_scale(1, 0.25f);
    float *d_scale = there(in_scale);
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, plain ? CUBLAS_OP_N : CUBLAS_OP_T);
    op.set(CUBLASLT_MATMUL_DESC_TRANSB, plain ? CUBLAS_OP_T : CUBLAS_OP_N);
    op.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, a_mode);
    op.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, b_mode);
    op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (const void *)dsa);
    op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (const void *)dsb);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    op.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (const void *)bias.device);
    if (out) {
        op.set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, a_mode);
        op.set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, (const void *)dout);
        if (four)
            op.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, (const void *)d_scale);
    }
    layout la(in, plain ? m : k, plain ? k : m, a.ld), lb(in, plain ? n : k, plain ? k : n, b.ld);
    layout lc(CUDA_R_16BF, m, n, m), ld(out ? in : CUDA_R_16BF, m, n, m);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulAlgoGetHeuristic(lt, op.d, la.l, lb.l, lc.l, ld.l, preference, 1, &result, &found));
    BLAS(cublasLtMatmulPreferenceDestroy(preference));
    CHECK(found == 1);
    BLAS(cublasLtMatmul(lt, op.d, &alpha, da, la.l, db, lb.l, &beta, c.device, lc.l, out ? (void *)dsmall : (void *)d.device, ld.l, &result.algo, nullptr, 0,
                        nullptr));
    const std::vector<__nv_bfloat16> got = d.get();
    small = back(dsmall, small.size());
    out_scales = back(dout, out_scales.size());
    const std::vector<double> blocks = scales::by_block(out_scales, n, m, each);
    const int across = (m + 4 * each - 1) / (4 * each) * 4;
    for (int j = 0; j < n; j++) {
        std::vector<double> want(m);
        for (int i = 0; i < m; i++) {
            double v = 0;
            for (int l = 0; l < k; l++)
                v += a.values[plain ? i + (size_t)l * m : l + (size_t)i * k] * sa.at(i, l) *
                     (b.values[plain ? j + (size_t)l * n : l + (size_t)j * k] * sb.at(j, l));
            want[i] = 0.5 * v + 2 * as<__nv_bfloat16>::wide(c.host[i + (size_t)j * m]).real() + as<__nv_bfloat16>::wide(bias.host[i]).real();
        }
        for (int i = 0; i < m && !out; i++)
            CHECK(close(as<__nv_bfloat16>::wide(got[i + (size_t)j * m]), want[i], 0.008 * (fabs(want[i]) + k)));
        for (int i0 = 0; i0 < m && out; i0 += each) {
            double most = 0;
            const int end = i0 + each < m ? i0 + each : m;
            for (int i = i0; i < end; i++)
                most = fmax(most, fabs(want[i] *= four ? 0.25 : 1));
            const double ideal = most / (four ? 6 : 448), scale = blocks[(size_t)j * across + i0 / each];
            CHECK(four ? fabs(scale - ideal) <= ideal / 16 + 0.001 : scale >= ideal * 0.999 && scale < 2.001 * ideal);
            for (int i = i0; i < end; i++) {
                const size_t at = i + (size_t)j * m;
                const double x = four ? __tern_e2m1_to(small[at / 2] >> at % 2 * 4 & 15) : __tern_e4m3_to(small[at]);
                CHECK(fabs(x * scale - want[i]) <= (four ? scale : fabs(want[i]) / 15 + scale / 512) * 1.01 + 1e-3 * most);
            }
        }
    }
    for (void *p : {(void *)da, (void *)db, (void *)dsa, (void *)dsb, (void *)dsmall, (void *)dout, (void *)d_scale})
        cudaFree(p);
}

/* Bytes in the three interleaved orders: to them, multiplied in them, and back. */
static void interleaved(cublasLtOrder_t b_order, int m, int n, int k)
{
    std::vector<signed char> a((size_t)m * k), b((size_t)n * k);
    for (signed char &v : a)
        v = (signed char)(uniform() * 100);
    for (signed char &v : b)
        v = (signed char)(uniform() * 100);
    const int k32 = (k + 31) / 32, n32 = (n + 31) / 32, tall = b_order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32 : 8;
    const int lda = 32 * m, ldb = 32 * ((n + tall - 1) / tall * tall), ldc = 32 * m;
    signed char *da = there(a), *db = there(b), *ta, *tb;
    int *tc, *dc;
    CUDA(cudaMalloc((void **)&ta, (size_t)lda * k32));
    CUDA(cudaMalloc((void **)&tb, (size_t)ldb * k32));
    CUDA(cudaMalloc((void **)&tc, sizeof(int) * (size_t)ldc * n32));
    CUDA(cudaMalloc((void **)&dc, sizeof(int) * (size_t)m * n));
    layout la(CUDA_R_8I, m, k, m), lb(CUDA_R_8I, n, k, n), lc(CUDA_R_32I, m, n, m);
    layout xa(CUDA_R_8I, m, k, lda), xb(CUDA_R_8I, n, k, ldb), xc(CUDA_R_32I, m, n, ldc);
    xa.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32);
    xb.set(CUBLASLT_MATRIX_LAYOUT_ORDER, b_order);
    xc.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32);
    cublasLtMatrixTransformDesc_t t;
    BLAS(cublasLtMatrixTransformDescCreate(&t, CUDA_R_32I));
    const int one = 1, none = 0;
    BLAS(cublasLtMatrixTransform(lt, t, &one, da, la.l, &none, nullptr, nullptr, ta, xa.l, nullptr));
    BLAS(cublasLtMatrixTransform(lt, t, &one, db, lb.l, &none, nullptr, nullptr, tb, xb.l, nullptr));
    desc op(CUBLAS_COMPUTE_32I, CUDA_R_32I);
    op.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
    BLAS(cublasLtMatmul(lt, op.d, &one, ta, xa.l, tb, xb.l, &none, tc, xc.l, tc, xc.l, nullptr, nullptr, 0, nullptr));
    BLAS(cublasLtMatrixTransform(lt, t, &one, tc, xc.l, &none, nullptr, nullptr, dc, lc.l, nullptr));
    BLAS(cublasLtMatrixTransformDescDestroy(t));
    const std::vector<int> got = back(dc, (size_t)m * n);
    const std::vector<signed char> packed = back(tb, (size_t)ldb * k32);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int v = 0;
            for (int l = 0; l < k; l++)
                v += a[i + (size_t)l * m] * b[j + (size_t)l * n];
            CHECK(got[i + (size_t)j * m] == v);
        }
    /* The first tile, as the orders are described: row 3, columns 0 to 3 of B follow each other. */
    const size_t first = b_order == CUBLASLT_ORDER_COL32_2R_4R4 ? ((1 * 4 + 0) * 2 + 1) * 32 : 4 * 32 + 1 * 4;
    for (int l = 0; l < 4 && n > 3 && k > 3; l++)
        CHECK(packed[first + l] == b[3 + (size_t)l * n]);
    for (void *p : {(void *)da, (void *)db, (void *)ta, (void *)tb, (void *)tc, (void *)dc})
        cudaFree(p);
}

/* Complex halves, real parts first, then imaginary ones. */
static void planar(int m, int n, int k)
{
    both<__half> a((size_t)2 * m * k), b((size_t)2 * k * n), c((size_t)2 * m * n);
    layout la(CUDA_C_16F, k, m, k), lb(CUDA_C_16F, k, n, k), lc(CUDA_C_16F, m, n, m);
    la.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, (int64_t)(m * k * 2));
    lb.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, (int64_t)(k * n * 2));
    lc.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, (int64_t)(m * n * 2));
    desc op(CUBLAS_COMPUTE_32F, CUDA_C_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_C);
    const cuComplex alpha = {0.5f, 0.25f}, beta = {0, 1};
    BLAS(cublasLtMatmul(lt, op.d, &alpha, a.device, la.l, b.device, lb.l, &beta, c.device, lc.l, c.device, lc.l, nullptr, nullptr, 0, nullptr));
    const std::vector<__half> got = c.get();
    const auto of = [](const std::vector<__half> &v, size_t k) { return zd(as<__half>::wide(v[k]).real(), as<__half>::wide(v[k + v.size() / 2]).real()); };
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            zd v = 0;
            for (int l = 0; l < k; l++)
                v += std::conj(of(a.host, l + (size_t)i * k)) * of(b.host, l + (size_t)j * k);
            v = zd(0.5, 0.25) * v + zd(0, 1) * of(c.host, i + (size_t)j * m);
            CHECK(close(of(got, i + (size_t)j * m), v, 4e-3 * (1 + std::abs(v))));
        }
}

/* Products of several shapes, one of them empty, with a bias and an alpha of their own. */
static void groups()
{
    const int count = 4, ms[count] = {5, 16, 0, 33}, ns[count] = {7, 1, 8, 12}, ks[count] = {9, 32, 4, 0};
    std::vector<int> m(ms, ms + count), n(ns, ns + count), k(ks, ks + count), lda(count), ldc(count);
    std::vector<both<__half> *> a, b, c, d, bias;
    std::vector<__half *> pa, pb, pc, pd, pbias;
    std::vector<float *> palpha, pbeta;
    for (int z = 0; z < count; z++) {
        lda[z] = k[z] ? k[z] : 1;
        ldc[z] = m[z] ? m[z] : 1;
        a.push_back(new both<__half>((size_t)m[z] * k[z]));
        b.push_back(new both<__half>((size_t)n[z] * k[z]));
        c.push_back(new both<__half>((size_t)m[z] * n[z]));
        d.push_back(new both<__half>((size_t)m[z] * n[z]));
        bias.push_back(new both<__half>(m[z]));
        pa.push_back(a[z]->device);
        pb.push_back(b[z]->device);
        pc.push_back(c[z]->device);
        pd.push_back(d[z]->device);
        pbias.push_back(bias[z]->device);
        palpha.push_back(there(std::vector<float>(1, 0.5f + z)));
        pbeta.push_back(there(std::vector<float>(1, 1.f - z)));
    }
    int *dm = there(m), *dn = there(n), *dk = there(k), *dlda = there(lda), *dldc = there(ldc);
    cublasLtMatrixLayout_t l[4];
    BLAS(cublasLtGroupedMatrixLayoutCreate(&l[0], CUDA_R_16F, count, dk, dm, dlda));
    BLAS(cublasLtGroupedMatrixLayoutCreate(&l[1], CUDA_R_16F, count, dk, dn, dlda));
    BLAS(cublasLtGroupedMatrixLayoutCreate(&l[2], CUDA_R_16F, count, dm, dn, dldc));
    BLAS(cublasLtGroupedMatrixLayoutCreate(&l[3], CUDA_R_16F, count, dm, dn, dldc));
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    op.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
    op.set(CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE, (int64_t)1);
    op.set(CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE, (int64_t)1);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
    __half **dbias = there(pbias), **da = there(pa), **db = there(pb), **dc = there(pc), **dd = there(pd);
    float **dalpha = there(palpha), **dbeta = there(pbeta);
    op.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (const void *)dbias);
    op.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, (int64_t)1);
    BLAS(cublasLtMatmul(lt, op.d, dalpha, da, l[0], db, l[1], dbeta, dc, l[2], dd, l[3], nullptr, nullptr, 0, nullptr));
    for (int z = 0; z < count; z++) {
        const std::vector<__half> got = d[z]->get();
        for (int j = 0; j < n[z]; j++)
            for (int i = 0; i < m[z]; i++) {
                double v = 0;
                for (int q = 0; q < k[z]; q++)
                    v += (as<__half>::wide(a[z]->host[q + i * k[z]]) * as<__half>::wide(b[z]->host[q + j * k[z]])).real();
                v = (0.5 + z) * v + (1.0 - z) * as<__half>::wide(c[z]->host[i + j * m[z]]).real() + as<__half>::wide(bias[z]->host[i]).real();
                CHECK(close(as<__half>::wide(got[i + j * m[z]]), v > 0 ? v : 0, 4e-3 * (1 + fabs(v))));
            }
    }
    for (cublasLtMatrixLayout_t one : l)
        BLAS(cublasLtMatrixLayoutDestroy(one));
}

/* What is refused: scales that do not belong to a type, two sides that do not match, batches. */
static void refused()
{
    float alpha = 1, beta = 0;
    both<float> room(1 << 14);
    const auto ask = [&](cudaDataType type, int a_mode, int b_mode, int batch) {
        desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
        op.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, a_mode);
        op.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, b_mode);
        op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (const void *)room.device);
        op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (const void *)room.device);
        layout la(type, 32, 16, 32), lb(type, 32, 16, 32), lc(CUDA_R_16BF, 16, 16, 16);
        for (layout *l : {&la, &lb, &lc})
            l->set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (int32_t)batch);
        return cublasLtMatmul(lt, op.d, &alpha, room.device, la.l, room.device, lb.l, &beta, room.device, lc.l, room.device, lc.l, nullptr, nullptr, 0, nullptr);
    };
    const int v16 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3, v32 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
    const int square = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, line = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    CHECK(ask(CUDA_R_8F_E4M3, v32, v32, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(ask(CUDA_R_8F_E4M3, v16, v16, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_4F_E2M1, v32, v32, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_4F_E2M1, 0, 0, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_8F_E4M3, v32, line, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_8F_E4M3, v32, 0, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_8F_E4M3, square, square, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_8F_E4M3, v32, v32, 2) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ask(CUDA_R_16F, v32, v32, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
}

int main()
{
    BLAS(cublasLtCreate(&lt));
    const int v16 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3, v32 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
    const int square = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, line = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    block_scaled(true, v16, v16, false, false, 36, 20, 80);
    block_scaled(true, v16, v16, true, true, 140, 6, 64);
    block_scaled(false, v32, v32, false, false, 33, 130, 96);
    block_scaled(false, v32, v32, true, true, 70, 12, 72);
    block_scaled(false, line, line, false, false, 12, 8, 200);
    block_scaled(false, square, line, false, false, 132, 4, 300);
    block_scaled(false, line, square, true, false, 8, 132, 260);
    interleaved(CUBLASLT_ORDER_COL4_4R2_8C, 5, 11, 40);
    interleaved(CUBLASLT_ORDER_COL32_2R_4R4, 6, 37, 33);
    planar(5, 6, 7);
    groups();
    refused();
    BLAS(cublasLtDestroy(lt));
    puts("ok");
}
