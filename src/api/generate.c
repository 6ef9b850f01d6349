/* tern_generate_…: machine code of a few kernels that programs want for sizes of their own.
 *
 * Each is CUDA C++ with its sizes as constants, so that loops unroll and arrays are registers, and
 * with shapes from a table by chip: those whose f64 units are as many as half of their f32 ones
 * gain by more work in registers, the others wait for f64 in any case. */
#include <stdio.h>
#include <string.h>
#include "api/api.h"
#include "base/json.h"

static const struct tuning {
    unsigned arch;
    bool fast_f64;      /* half the rate of f32 */
    unsigned in_thread; /* matrices up to this are one thread's, for jacobi */
    unsigned threads;   /* of a block that reduces */
    unsigned loads;     /* that each of its threads has on their way */
    unsigned by;        /* results of a thread in each direction, for gemm */
} tunings[] = {
    {70, true, 4, 256, 8, 4},  {75, false, 3, 256, 4, 2}, {80, true, 4, 256, 8, 4},
    {86, false, 3, 256, 4, 2}, {89, false, 3, 256, 4, 2}, {90, true, 4, 512, 8, 4},
};

static const struct tuning *tuning_of(unsigned arch)
{
    for (unsigned k = 0; k < sizeof tunings / sizeof *tunings; k++)
        if (tunings[k].arch == arch)
            return &tunings[k];
    return NULL;
}

/* ---- sources ---- */
static const char rotation[] =
    "__device__ void rotation(double pp, double qq, double pq, double &c, double &s)\n"
    "{\n"
    "    const double theta = (qq - pp) / (2 * pq);\n"
    "    const double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1));\n"
    "    c = 1 / sqrt(t * t + 1);\n"
    "    s = t * c;\n"
    "}\n";

static const char jacobi_in_thread[] =
    "extern \"C\" __global__ void __launch_bounds__(THREADS) jacobi(const double *in, double *w,\n"
    "                                                  double *vectors, int count, int sweeps)\n"
    "{\n"
    "    const int m = blockIdx.x * THREADS + threadIdx.x;\n"
    "    if (m >= count)\n"
    "        return;\n"
    "    double a[N][N], v[N][N];\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < N; i++)\n"
    "#pragma unroll\n"
    "        for (int j = 0; j < N; j++) {\n"
    "            a[i][j] = in[(m * N + i) * N + j];\n"
    "            v[i][j] = i == j;\n"
    "        }\n"
    "    for (int sweep = 0; sweep < sweeps; sweep++)\n"
    "#pragma unroll\n"
    "        for (int p = 0; p + 1 < N; p++)\n"
    "#pragma unroll\n"
    "            for (int q = p + 1; q < N; q++) {\n"
    "                if (a[p][q] == 0)\n"
    "                    continue;\n"
    "                double c, s;\n"
    "                rotation(a[p][p], a[q][q], a[p][q], c, s);\n"
    "#pragma unroll\n"
    "                for (int k = 0; k < N; k++) {\n"
    "                    const double x = a[k][p], y = a[k][q], z = v[k][p], u = v[k][q];\n"
    "                    a[k][p] = c * x - s * y;\n"
    "                    a[k][q] = s * x + c * y;\n"
    "                    v[k][p] = c * z - s * u;\n"
    "                    v[k][q] = s * z + c * u;\n"
    "                }\n"
    "#pragma unroll\n"
    "                for (int k = 0; k < N; k++) {\n"
    "                    const double x = a[p][k], y = a[q][k];\n"
    "                    a[p][k] = c * x - s * y;\n"
    "                    a[q][k] = s * x + c * y;\n"
    "                }\n"
    "            }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < N; i++) {\n"
    "        w[m * N + i] = a[i][i];\n"
    "#pragma unroll\n"
    "        for (int j = 0; j < N; j++)\n"
    "            vectors[(m * N + i) * N + j] = v[i][j];\n"
    "    }\n"
    "}\n";

/* A row is longer by one, so that lanes that read a column meet in no bank. */
static const char jacobi_in_block[] =
    "extern \"C\" __global__ void __launch_bounds__(THREADS) jacobi(const double *in, double *w,\n"
    "                                                  double *vectors, int count, int sweeps)\n"
    "{\n"
    "    __shared__ double a[N][N + 1], v[N][N + 1];\n"
    "    const int m = blockIdx.x, t = threadIdx.x;\n"
    "    if (m >= count)\n"
    "        return;\n"
    "    for (int i = t; i < N * N; i += THREADS) {\n"
    "        a[i / N][i % N] = in[m * N * N + i];\n"
    "        v[i / N][i % N] = i / N == i % N;\n"
    "    }\n"
    "    for (int sweep = 0; sweep < sweeps; sweep++)\n"
    "        for (int p = 0; p + 1 < N; p++)\n"
    "            for (int q = p + 1; q < N; q++) {\n"
    "                __syncthreads();\n"
    "                const double pq = a[p][q], pp = a[p][p], qq = a[q][q];\n"
    "                double c = 1, s = 0;\n"
    "                if (pq != 0)\n"
    "                    rotation(pp, qq, pq, c, s);\n"
    "                __syncthreads();\n"
    "                for (int k = t; k < N; k += THREADS) {\n"
    "                    const double x = a[k][p], y = a[k][q], z = v[k][p], u = v[k][q];\n"
    "                    a[k][p] = c * x - s * y;\n"
    "                    a[k][q] = s * x + c * y;\n"
    "                    v[k][p] = c * z - s * u;\n"
    "                    v[k][q] = s * z + c * u;\n"
    "                }\n"
    "                __syncthreads();\n"
    "                for (int k = t; k < N; k += THREADS) {\n"
    "                    const double x = a[p][k], y = a[q][k];\n"
    "                    a[p][k] = c * x - s * y;\n"
    "                    a[q][k] = s * x + c * y;\n"
    "                }\n"
    "            }\n"
    "    __syncthreads();\n"
    "    for (int i = t; i < N * N; i += THREADS) {\n"
    "        vectors[m * N * N + i] = v[i / N][i % N];\n"
    "        if (i < N)\n"
    "            w[m * N + i] = a[i][i];\n"
    "    }\n"
    "}\n";

static const char reduction[] =
    "extern \"C\" __global__ void __launch_bounds__(THREADS) reduction(const double *x, double "
    "*out,\n"
    "                                                     unsigned long long n)\n"
    "{\n"
    "    __shared__ double part[THREADS / 32];\n"
    "    const unsigned long long step = (unsigned long long)gridDim.x * THREADS;\n"
    "    unsigned long long i = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;\n"
    "    double all[LOADS];\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < LOADS; k++)\n"
    "        all[k] = FIRST;\n"
    "    for (; i + (LOADS - 1) * step < n; i += LOADS * step)\n"
    "#pragma unroll\n"
    "        for (int k = 0; k < LOADS; k++)\n"
    "            all[k] = OP(all[k], x[i + k * step]);\n"
    "    for (; i < n; i += step)\n"
    "        all[0] = OP(all[0], x[i]);\n"
    "#pragma unroll\n"
    "    for (int k = 1; k < LOADS; k++)\n"
    "        all[0] = OP(all[0], all[k]);\n"
    "    double v = all[0];\n"
    "#pragma unroll\n"
    "    for (int lane = 16; lane; lane /= 2) {\n"
    "        const double other = __shfl_xor_sync(~0u, v, lane);\n"
    "        v = OP(v, other);\n"
    "    }\n"
    "    if (threadIdx.x % 32 == 0)\n"
    "        part[threadIdx.x / 32] = v;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "        for (int k = 1; k < THREADS / 32; k++)\n"
    "            v = OP(v, part[k]);\n"
    "        out[blockIdx.x] = v;\n"
    "    }\n"
    "}\n";

static const char gemm[] =
    "extern \"C\" __global__ void __launch_bounds__((TILE / BY) * (TILE / BY))\n"
    "    gemm_f64(const double *a, const double *b, double *c, int n)\n"
    "{\n"
    "    enum { SIDE = TILE / BY, THREADS = SIDE * SIDE };\n"
    "    __shared__ double as[DEEP][TILE + 1], bs[DEEP][TILE];\n"
    "    const int t = threadIdx.x, x = t % SIDE, y = t / SIDE;\n"
    "    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;\n"
    "    double sum[BY][BY] = {};\n"
    "    for (int k = 0; k < n; k += DEEP) {\n"
    "        for (int i = t; i < TILE * DEEP; i += THREADS) {\n"
    "            as[i % DEEP][i / DEEP] = a[(row + i / DEEP) * n + k + i % DEEP];\n"
    "            bs[i / TILE][i % TILE] = b[(k + i / TILE) * n + column + i % TILE];\n"
    "        }\n"
    "        __syncthreads();\n"
    "#pragma unroll\n"
    "        for (int d = 0; d < DEEP; d++) {\n"
    "            double p[BY], q[BY];\n"
    "#pragma unroll\n"
    "            for (int i = 0; i < BY; i++) {\n"
    "                p[i] = as[d][y + i * SIDE];\n"
    "                q[i] = bs[d][x + i * SIDE];\n"
    "            }\n"
    "#pragma unroll\n"
    "            for (int i = 0; i < BY; i++)\n"
    "#pragma unroll\n"
    "                for (int j = 0; j < BY; j++)\n"
    "                    sum[i][j] += p[i] * q[j];\n"
    "        }\n"
    "        __syncthreads();\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < BY; i++)\n"
    "#pragma unroll\n"
    "        for (int j = 0; j < BY; j++)\n"
    "            c[(row + y + i * SIDE) * n + column + x + j * SIDE] = sum[i][j];\n"
    "}\n";

/* ---- what is asked for ---- */
static enum tern_error generate(const struct tuning *t, const char *sizes, const char *before,
                                const char *text, struct tern_generated *out)
{
    struct sbuf source, question;
    struct json_writer w;
    sbuf_init(&source, NULL);
    sbuf_init(&question, NULL);
    sbuf_printf(&source, "%s%s%s", sizes, before, text);
    json_begin(&w, &question, false);
    json_object(&w);
    json_key(&w, "path");
    json_str(&w, "generated.cu");
    json_key(&w, "source");
    json_strn(&w, source.data ? source.data : "", source.len);
    json_key(&w, "to");
    json_str(&w, "cubin");
    json_key(&w, "arch");
    json_uint(&w, t->arch);
    json_end(&w);
    const bool failed = source.failed;
    sbuf_free(&source);
    if (!failed)
        return api_answer(&question, &out->code);
    sbuf_free(&question);
    return TERN_OUT_OF_MEMORY;
}

enum tern_error tern_generate_jacobi(unsigned arch, unsigned n, struct tern_generated *out)
{
    enum { MOST = 48, WARP = 32, MATRICES = 128 };
    const struct tuning *t = tuning_of(arch);
    char sizes[128];
    *out = (struct tern_generated){.kernel = "jacobi"};
    if (n < 2 || n > MOST || !t)
        return t ? TERN_INVALID_ARGUMENT : TERN_UNSUPPORTED;
    const bool alone = n <= t->in_thread;
    out->per_block = alone ? MATRICES : 1;
    out->block.x = alone ? MATRICES : n <= WARP ? WARP : 2 * WARP;
    snprintf(sizes, sizeof sizes, "#define N %u\n#define THREADS %u\n", n, out->block.x);
    return generate(t, sizes, rotation, alone ? jacobi_in_thread : jacobi_in_block, out);
}

enum tern_error tern_generate_reduction(unsigned arch, enum tern_reduction op,
                                        struct tern_generated *out)
{
    static const struct {
        const char *first, *op;
    } ops[] = {[TERN_SUM] = {"0.0", "a + b"},
               [TERN_PRODUCT] = {"1.0", "a * b"},
               [TERN_MIN] = {"__longlong_as_double(0x7ff0000000000000ll)", "fmin(a, b)"},
               [TERN_MAX] = {"__longlong_as_double(0xfff0000000000000ll)", "fmax(a, b)"}};
    const struct tuning *t = tuning_of(arch);
    char sizes[256];
    *out = (struct tern_generated){.kernel = "reduction"};
    if ((unsigned)op >= sizeof ops / sizeof *ops || !t)
        return t ? TERN_INVALID_ARGUMENT : TERN_UNSUPPORTED;
    out->block.x = t->threads;
    out->per_block = t->threads * t->loads;
    snprintf(sizes, sizeof sizes,
             "#define THREADS %u\n#define LOADS %u\n#define FIRST %s\n"
             "__device__ inline double OP(double a, double b) { return %s; }\n",
             t->threads, t->loads, ops[op].first, ops[op].op);
    return generate(t, sizes, "", reduction, out);
}

enum tern_error tern_generate_gemm_f64(unsigned arch, unsigned tile, struct tern_generated *out)
{
    const struct tuning *t = tuning_of(arch);
    char sizes[128];
    *out = (struct tern_generated){.kernel = "gemm_f64"};
    if ((tile != 16 && tile != 32 && tile != 64) || !t)
        return t ? TERN_INVALID_ARGUMENT : TERN_UNSUPPORTED;
    const unsigned by = tile == 64 ? 4 : t->by, side = tile / by;
    out->block.x = side * side;
    out->per_block = tile;
    snprintf(sizes, sizeof sizes, "#define TILE %u\n#define BY %u\n#define DEEP %u\n", tile, by,
             t->fast_f64 ? 16u : 8u);
    return generate(t, sizes, "", gemm, out);
}

void tern_generated_free(struct tern_generated *g)
{
    tern_output_free(&g->code);
    *g = (struct tern_generated){0};
}
