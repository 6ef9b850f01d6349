/* Plans of tern/plan.h against loops in double: types, layouts, what was chosen, and what is
 * refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tern/plan.h"

static tern_context *context;
static tern_device *device;

static void fail(const char *what)
{
    char why[256] = "";
    tern_message(context, why, sizeof why);
    printf("%s: %s\n", what, why);
    exit(1);
}
static void check(enum tern_error e, const char *what)
{
    if (e)
        fail(what);
}

/* ---- arrays of numbers that bfloat16 holds exactly ---- */
struct array {
    double *x;
    uint64_t n;
    enum tern_type type;
    tern_buffer *buffer;
};
static const size_t sizes[] = {4, 8, 2, 2};

static void put(enum tern_type t, char *to, double v)
{
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    if (t == TERN_F16) /* of normal numbers with few bits */
        half = v == 0 ? 0
                      : (uint16_t)(bits >> 16 & 0x8000) |
                            (uint16_t)((bits >> 13 & 0x3ffff) - ((127 - 15) << 10));
    memcpy(to, t == TERN_F64 ? (void *)&v : t == TERN_F32 ? (void *)&f : (void *)&half, sizes[t]);
}
static double get(enum tern_type t, const char *from)
{
    double d;
    float f;
    uint16_t h;
    if (t == TERN_F64) {
        memcpy(&d, from, 8);
        return d;
    }
    if (t == TERN_F32) {
        memcpy(&f, from, 4);
        return f;
    }
    memcpy(&h, from, 2);
    if (t == TERN_F16) {
        const int e = h >> 10 & 31, m = h & 1023;
        const double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        return h & 0x8000 ? -v : v;
    }
    const uint32_t bits = (uint32_t)h << 16;
    memcpy(&f, &bits, 4);
    return f;
}
static unsigned seed = 1;
static double any(void)
{
    seed = seed * 1664525u + 1013904223u;
    return ((double)(seed >> 24) - 127.5) / 64;
}
static struct array array(enum tern_type t, uint64_t n)
{
    struct array a = {malloc(n * sizeof(double)), n, t, NULL};
    char *raw = malloc(n * sizes[t]);
    if (!a.x || !raw)
        exit(1);
    for (uint64_t k = 0; k < n; k++) {
        a.x[k] = t == TERN_BF16 ? rint(any() * 32) / 32 : rint(any() * 256) / 256;
        put(t, raw + k * sizes[t], a.x[k]);
        a.x[k] = get(t, raw + k * sizes[t]);
    }
    check(tern_buffer_new(device, n * sizes[t], &a.buffer), "buffer");
    check(tern_buffer_write(a.buffer, 0, raw, n * sizes[t]), "write");
    free(raw);
    return a;
}
static void drop(struct array *a)
{
    tern_buffer_free(a->buffer);
    free(a->x);
}
static void same(const struct array *a, const double *want, const char *what)
{
    static const double bounds[] = {2e-5, 1e-12, 2e-3, 1.6e-2};
    char *raw = malloc(a->n * sizes[a->type]);
    if (!raw)
        exit(1);
    check(tern_buffer_read(a->buffer, 0, raw, a->n * sizes[a->type]), what);
    for (uint64_t k = 0; k < a->n; k++) {
        const double got = get(a->type, raw + k * sizes[a->type]);
        if (!(fabs(got - want[k]) <= bounds[a->type] * (1 + fabs(want[k])))) {
            printf("%s, type %d, %llu: %g is not %g\n", what, (int)a->type, (unsigned long long)k,
                   got, want[k]);
            exit(1);
        }
    }
    free(raw);
}

static void run(enum tern_error made, tern_plan *p, const struct tern_view *v, unsigned n)
{
    struct tern_plan_info i;
    check(made, "plan");
    tern_plan_info(p, &i);
    if (!i.launches || !*i.launch[0].kernel || !i.launch[0].grid.x || !i.launch[0].block.x ||
        i.operands != n || !(i.flops > 0))
        fail("what was chosen");
    check(tern_plan_run(p, NULL, v, n), i.operation);
    tern_plan_free(p);
}

static void gemm(const struct tern_gemm *g)
{
    const uint64_t batch = g->batch ? g->batch : 1;
    struct array a = array(g->type, g->m * g->k * (g->a_shared ? 1 : batch)),
                 b = array(g->type, g->k * g->n * (g->b_shared ? 1 : batch)),
                 c = array(g->type, g->m * g->n * batch), bias = array(g->type, g->n);
    double *want = malloc(c.n * sizeof *want);
    if (!want)
        exit(1);
    for (uint64_t z = 0; z < batch; z++)
        for (uint64_t i = 0; i < g->m; i++)
            for (uint64_t j = 0; j < g->n; j++) {
                const double *x = a.x + (g->a_shared ? 0 : z * g->m * g->k),
                             *y = b.x + (g->b_shared ? 0 : z * g->k * g->n);
                double v = 0;
                for (uint64_t l = 0; l < g->k; l++)
                    v += x[g->a_turned ? l * g->m + i : i * g->k + l] *
                         y[g->b_turned ? j * g->k + l : l * g->n + j];
                const uint64_t at = (z * g->m + i) * g->n + j;
                v = g->alpha * v + (g->beta != 0 ? g->beta * c.x[at] : 0) +
                    (g->bias ? bias.x[j] : 0);
                if (g->activation == TERN_RELU)
                    v = v > 0 ? v : 0;
                if (g->activation == TERN_GELU)
                    v = 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
                want[at] = v;
            }
    tern_plan *p = NULL;
    enum tern_error e = tern_plan_gemm(device, g, &p);
    run(e, p, (struct tern_view[]){{a.buffer, 0}, {b.buffer, 0}, {c.buffer, 0}, {bias.buffer, 0}},
        g->bias ? 4 : 3);
    same(&c, want, "gemm");
    free(want);
    drop(&a);
    drop(&b);
    drop(&c);
    drop(&bias);
}

static void attention(const struct tern_attention *a)
{
    const uint64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    struct array q = array(a->type, a->batch * a->heads * a->queries * a->size),
                 k = array(a->type, a->batch * kv * a->keys * a->size), v = array(a->type, k.n),
                 o = array(a->type, q.n);
    double *want = calloc(q.n, sizeof *want), *score = malloc(a->keys * sizeof *score);
    if (!want || !score)
        exit(1);
    for (uint64_t line = 0; line < a->batch * a->heads * a->queries; line++) {
        const uint64_t head = line / a->queries, place = a->keys - a->queries + line % a->queries;
        const uint64_t from = (head / a->heads * kv + head % a->heads / (a->heads / kv)) * a->keys;
        double sum = 0;
        for (uint64_t j = 0; j < a->keys; j++) {
            double s = 0;
            for (uint64_t l = 0; l < a->size; l++)
                s += q.x[line * a->size + l] * k.x[(from + j) * a->size + l];
            const int seen = !(a->causal && j > place) && !(a->window && j + a->window <= place);
            sum += score[j] =
                seen ? exp(s * (a->scale != 0 ? a->scale : 1 / sqrt((double)a->size))) : 0;
        }
        for (uint64_t j = 0; j < a->keys; j++)
            for (uint64_t l = 0; l < a->size; l++)
                want[line * a->size + l] += score[j] / sum * v.x[(from + j) * a->size + l];
    }
    tern_plan *p = NULL;
    enum tern_error e = tern_plan_attention(device, a, &p);
    run(e, p, (struct tern_view[]){{q.buffer, 0}, {k.buffer, 0}, {v.buffer, 0}, {o.buffer, 0}}, 4);
    same(&o, want, "attention");
    free(want);
    free(score);
    drop(&q);
    drop(&k);
    drop(&v);
    drop(&o);
}

static void lines(enum tern_type t, uint64_t rows, uint64_t length)
{
    struct array x = array(t, rows * length), y = array(t, rows * length);
    struct array gamma = array(t == TERN_F64 ? t : TERN_F32, length);
    double *want = malloc(x.n * sizeof *want);
    if (!want)
        exit(1);
    tern_plan *p = NULL;
    for (int kind = 0; kind < 4; kind++) { /* softmax and its logarithm, layer and RMS norm */
        for (uint64_t r = 0; r < rows; r++) {
            double sum = 0, mean = 0, square = 0;
            for (uint64_t k = 0; k < length; k++) {
                sum += exp(x.x[r * length + k]);
                mean += x.x[r * length + k] / (double)length;
            }
            mean = kind == 3 ? 0 : mean;
            for (uint64_t k = 0; k < length; k++)
                square += pow(x.x[r * length + k] - mean, 2) / (double)length;
            for (uint64_t k = 0; k < length; k++) {
                const double v = x.x[r * length + k];
                want[r * length + k] =
                    kind == 0   ? exp(v) / sum
                    : kind == 1 ? v - log(sum)
                                : (v - mean) / sqrt(square + 1e-5) * (kind == 3 ? gamma.x[k] : 1);
            }
        }
        const struct tern_softmax s = {t, rows, length, kind == 1};
        const struct tern_norm n = {t, rows, length, kind == 3, 0};
        const struct tern_view v[] = {{x.buffer, 0},
                                      {kind == 3 ? gamma.buffer : NULL, 0},
                                      {NULL, 0},
                                      {y.buffer, 0}},
                               w[] = {{x.buffer, 0}, {y.buffer, 0}};
        enum tern_error e =
            kind < 2 ? tern_plan_softmax(device, &s, &p) : tern_plan_norm(device, &n, &p);
        run(e, p, kind < 2 ? w : v, kind < 2 ? 2 : 4);
        same(&y, want, kind < 2 ? "softmax" : "norm");
    }
    free(want);
    drop(&x);
    drop(&y);
    drop(&gamma);
}

/* Element i of a block of Q4_K: eight parts of 32 with a scale and a minimum of six bits each. */
static double decoded(const unsigned char *b, int i)
{
    const int j = i / 32;
    const unsigned char *s = b + 4;
    const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
    const int least = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4;
    const int byte = b[16 + i / 64 * 32 + i % 32], q = j % 2 ? byte >> 4 : byte & 15;
    return get(TERN_F16, (const char *)b) * scale * q - get(TERN_F16, (const char *)b + 2) * least;
}

static void quantized(uint64_t rows, uint64_t k, uint64_t columns)
{
    const uint64_t blocks = rows * k / 256;
    unsigned char *w = malloc(blocks * 144);
    struct array x = array(TERN_F32, columns * k), y = array(TERN_F32, columns * rows);
    double *want = calloc(y.n, sizeof *want);
    tern_buffer *weights;
    if (!w || !want)
        exit(1);
    for (uint64_t i = 0; i < blocks * 144; i++)
        w[i] = (unsigned char)((int)(any() * 64) & 255);
    for (uint64_t i = 0; i < blocks; i++) {
        put(TERN_F16, (char *)w + i * 144, 1.0 / 1024);
        put(TERN_F16, (char *)w + i * 144 + 2, 3.0 / 1024);
    }
    for (uint64_t c = 0; c < columns; c++)
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t l = 0; l < k; l++)
                want[c * rows + r] +=
                    decoded(w + (r * k + l) / 256 * 144, (int)(l % 256)) * x.x[c * k + l];
    check(tern_buffer_new(device, blocks * 144, &weights), "weights");
    check(tern_buffer_write(weights, 0, w, blocks * 144), "weights");
    const struct tern_quantized q = {TERN_F32, TERN_Q4_K, rows, k, columns};
    tern_plan *p = NULL;
    enum tern_error e = tern_plan_quantized(device, &q, &p);
    run(e, p, (struct tern_view[]){{weights, 0}, {x.buffer, 0}, {y.buffer, 0}}, 3);
    same(&y, want, "Q4_K");
    tern_buffer_free(weights);
    free(w);
    free(want);
    drop(&x);
    drop(&y);
}

static void says(enum tern_error e, enum tern_error want, const char *text)
{
    char why[256] = "";
    tern_message(context, why, sizeof why);
    if (e == want && !strcmp(why, text))
        return;
    printf("%s: %s, where '%s' was awaited\n", tern_error_name(e), why, text);
    exit(1);
}

static void refused(void)
{
    tern_plan *p = NULL;
    tern_buffer *b;
    const struct tern_gemm none = {.n = 4, .k = 4},
                           biased = {.type = TERN_F64, .m = 1, .n = 1, .k = 1, .bias = true},
                           untyped = {.type = (enum tern_type)9, .m = 1, .n = 1, .k = 1};
    says(tern_plan_gemm(device, &none, &p), TERN_INVALID_ARGUMENT,
         "gemm: a size is 0 or too large");
    says(tern_plan_gemm(device, &biased, &p), TERN_UNSUPPORTED,
         "gemm: doubles have no bias and no activation");
    says(tern_plan_gemm(device, &untyped, &p), TERN_INVALID_ARGUMENT, "gemm: there is no type 9");
    const struct tern_quantized odd = {TERN_F32, TERN_Q4_K, 4, 100, 1};
    says(tern_plan_quantized(device, &odd, &p), TERN_INVALID_ARGUMENT,
         "quantized product: k is 100, which is no multiple of 256");
    const struct tern_attention wide = {TERN_F32, 1, 3, 2, 4, 4, 8, false, 0, 0};
    says(tern_plan_attention(device, &wide, &p), TERN_INVALID_ARGUMENT,
         "attention: no kernel takes this shape");
    const struct tern_softmax s = {TERN_F32, 2, 8, false};
    check(tern_plan_softmax(device, &s, &p), "softmax");
    check(tern_buffer_new(device, 80, &b), "buffer");
    says(tern_plan_run(p, NULL, (struct tern_view[]){{b, 0}}, 1), TERN_INVALID_ARGUMENT,
         "softmax: there are 2 operands, and 1 are given");
    says(tern_plan_run(p, NULL, (struct tern_view[]){{b, 0}, {b, 32}}, 2), TERN_INVALID_ARGUMENT,
         "softmax: results takes 64 bytes, and there are 48");
    says(tern_plan_run(p, NULL, (struct tern_view[]){{b, 4}, {b, 0}}, 2), TERN_INVALID_ARGUMENT,
         "softmax: x is at no multiple of 16 bytes");
    says(tern_plan_run(p, NULL, (struct tern_view[]){{b, 0}, {NULL, 0}}, 2), TERN_INVALID_ARGUMENT,
         "softmax: there is no results");
    tern_buffer_free(b);
    tern_plan_free(p);
}

int main(void)
{
    check(tern_context_new(NULL, &context), "context");
    check(tern_context_device(context, 0, &device), "device");
    gemm(&(struct tern_gemm){.m = 33, .n = 21, .k = 40, .alpha = 1});
    gemm(&(struct tern_gemm){.m = 4, .n = 4, .k = 4, .alpha = 2, .beta = -1, .a_turned = true});
    gemm(&(struct tern_gemm){.type = TERN_F64,
                             .m = 9,
                             .n = 70,
                             .k = 5,
                             .batch = 3,
                             .alpha = 1,
                             .b_turned = true,
                             .a_shared = true});
    gemm(&(struct tern_gemm){.type = TERN_F16,
                             .m = 40,
                             .n = 24,
                             .k = 32,
                             .alpha = 0.0625,
                             .bias = true,
                             .activation = TERN_GELU});
    gemm(&(struct tern_gemm){.type = TERN_BF16,
                             .m = 17,
                             .n = 19,
                             .k = 16,
                             .batch = 2,
                             .alpha = 0.5,
                             .bias = true,
                             .activation = TERN_RELU});
    attention(&(struct tern_attention){.batch = 2,
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .queries = 3,
                                       .keys = 70,
                                       .size = 24,
                                       .causal = true});
    attention(&(struct tern_attention){.type = TERN_F16,
                                       .batch = 1,
                                       .heads = 2,
                                       .queries = 5,
                                       .keys = 9,
                                       .size = 32,
                                       .window = 4,
                                       .causal = true,
                                       .scale = 0.25});
    lines(TERN_F32, 5, 300);
    lines(TERN_BF16, 3, 64);
    quantized(10, 512, 1);
    quantized(7, 256, 9);
    refused();
    tern_context_free(context);
    puts("all plans are right");
    return 0;
}
