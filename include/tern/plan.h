/* Operations of networks as calls, on any device: products of matrices, attention, softmax,
 * normalisation, products with quantised weights.
 *
 *     struct tern_gemm g = {.type = TERN_F16, .m = 512, .n = 512, .k = 512, .alpha = 1};
 *     tern_plan *p;
 *     tern_plan_gemm(d, &g, &p);
 *     tern_plan_run(p, NULL, (struct tern_view[]){{a}, {b}, {c}}, 3);
 *     tern_device_wait(d);
 *     tern_plan_free(p);
 *
 * A plan is for one device and one shape. Making it chooses the kernels and the shapes of their
 * launches, and compiles; nothing runs. It may be run any number of times, on any buffers and
 * streams of the device, by one thread at a time, and be recorded into graphs. Matrices lie by
 * rows, without gaps. What is wrong with a call is an error number, and tern_message says what. */
#ifndef TERN_PLAN_H
#define TERN_PLAN_H

#include "tern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tern_plan tern_plan;

/* Of elements. Narrow ones are computed with as floats. */
enum tern_type { TERN_F32, TERN_F64, TERN_F16, TERN_BF16 };

/* C [m, n] = activation(alpha A [m, k] B [k, n] + beta C + bias [n]), `batch` of them one after the
 * other (0: one). Operands: A, B, C, and bias if there is one, the same for all. */
enum tern_activation { TERN_NO_ACTIVATION, TERN_RELU, TERN_GELU /* by tanh */ };
struct tern_gemm {
    enum tern_type type;
    uint64_t m, n, k, batch;
    bool a_turned, b_turned; /* A lies as [k, m], B as [n, k] */
    bool a_shared, b_shared; /* there is one for the whole batch */
    double alpha, beta;      /* beta 0: C is not read */
    bool bias;
    enum tern_activation activation; /* as bias, of TERN_F64 there is none */
};
enum tern_error tern_plan_gemm(tern_device *d, const struct tern_gemm *g, tern_plan **out);

/* Operands: queries [batch, heads, queries, size], keys and values [batch, kv_heads, keys, size],
 * results as the queries. heads is a multiple of kv_heads (0: as many). Query i stands at place
 * keys - queries + i: causal, it sees what is not behind that, so keys may be a cache. */
struct tern_attention {
    enum tern_type type;
    uint64_t batch, heads, kv_heads, queries, keys, size;
    bool causal;
    uint32_t window; /* how many keys a query sees, back from its place; 0: all */
    double scale;    /* 0: 1 / sqrt(size) */
};
enum tern_error tern_plan_attention(tern_device *d, const struct tern_attention *a,
                                    tern_plan **out);

/* Operands: x [rows, length], results, which may be x. */
struct tern_softmax {
    enum tern_type type;
    uint64_t rows, length;
    bool logarithm;
};
enum tern_error tern_plan_softmax(tern_device *d, const struct tern_softmax *s, tern_plan **out);

/* (x - mean) / sqrt(variance + epsilon) * gamma + beta of each row; rms: without means. Operands: x
 * [rows, length], gamma and beta [length] (without a buffer: ones, zeros; of TERN_F64 doubles, else
 * floats), results. */
struct tern_norm {
    enum tern_type type;
    uint64_t rows, length;
    bool rms;
    double epsilon; /* 0: 1e-5 */
};
enum tern_error tern_plan_norm(tern_device *d, const struct tern_norm *n, tern_plan **out);

/* y [columns, rows] = x [columns, k] times weights [rows, k] turned, which are decoded on the way.
 * k is a multiple of the elements of a block (256 of the K formats, else 32); columns is 1 where
 * one token is decoded. Operands: weights, in the blocks of llama.cpp, x, y. */
enum tern_quant {
    TERN_Q4_0,
    TERN_Q4_1,
    TERN_Q5_0,
    TERN_Q5_1,
    TERN_Q8_0,
    TERN_Q4_K,
    TERN_Q5_K,
    TERN_Q6_K
};
struct tern_quantized {
    enum tern_type type; /* of x and y */
    enum tern_quant format;
    uint64_t rows, k, columns;
};
enum tern_error tern_plan_quantized(tern_device *d, const struct tern_quantized *q,
                                    tern_plan **out);

/* What was chosen. */
enum { TERN_PLAN_LAUNCHES = 4, TERN_PLAN_OPERANDS = 4 };
struct tern_plan_launch {
    char kernel[224];
    tern_dim grid, block;
    uint32_t shared; /* bytes that the launch asks for */
};
struct tern_plan_info {
    const char *operation;
    unsigned operands, launches; /* of the launches at most TERN_PLAN_LAUNCHES are told */
    struct tern_plan_launch launch[TERN_PLAN_LAUNCHES];
    struct {
        const char *name;
        uint64_t bytes;
        bool optional;
    } operand[TERN_PLAN_OPERANDS];
    double flops; /* operations of floats, additions and multiplications each */
};
void tern_plan_info(const tern_plan *p, struct tern_plan_info *out);

/* A part of a buffer: from byte `at` on, a multiple of 16. */
struct tern_view {
    tern_buffer *buffer;
    uint64_t at;
};
/* Puts the work into the stream. Operands that are too small, missing or at a crooked address are
 * TERN_INVALID_ARGUMENT, and nothing is launched. */
enum tern_error tern_plan_run(tern_plan *p, tern_stream *s, const struct tern_view *operands,
                              unsigned n);
void tern_plan_free(tern_plan *p);

#ifdef __cplusplus
}
#endif
#endif
