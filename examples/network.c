/* The step of a small language model as plans: normalisation, a product of matrices, attention,
 * weights of 4 bits, softmax. Prints what was chosen for each:
 *
 *     cc -Iinclude examples/network.c build/libtern.a -lm -lpthread -ldl -o network
 *     TERN_DEVICES=cpu ./network */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tern/plan.h"

enum { TOKENS = 8, HEADS = 4, SIZE = 64, WIDTH = HEADS * SIZE, WORDS = 320 };

static tern_context *context;
static tern_device *device;

static void check(enum tern_error e, const char *what)
{
    char why[256] = "";
    if (!e)
        return;
    tern_message(context, why, sizeof why);
    fprintf(stderr, "%s: %s: %s\n", what, tern_error_text(e), why);
    exit(1);
}

static tern_buffer *buffer(uint64_t floats, const float *from)
{
    tern_buffer *b;
    check(tern_buffer_zeros(device, floats * sizeof(float), &b), "buffer");
    if (from)
        check(TERN_WRITE(b, 0, from, floats), "write");
    return b;
}

static tern_buffer *random_floats(uint64_t n)
{
    float *x = malloc(n * sizeof *x);
    if (!x)
        exit(1);
    for (uint64_t k = 0; k < n; k++)
        x[k] = (float)(k * 7919 % 1000) / 1000 - 0.5f;
    tern_buffer *b = buffer(n, x);
    free(x);
    return b;
}

/* Weights of 4 bits: a scale, a minimum, and nibbles. */
static tern_buffer *random_blocks(uint64_t blocks)
{
    enum { BLOCK = 144 };
    unsigned char *x = malloc(blocks * BLOCK);
    tern_buffer *b;
    if (!x)
        exit(1);
    for (uint64_t k = 0; k < blocks * BLOCK; k++)
        x[k] = (unsigned char)(k * 37 % 251);
    for (uint64_t k = 0; k < blocks; k++) {
        unsigned char *d = x + k * BLOCK;
        d[0] = d[2] = 0;
        d[1] = 0x10; /* as f16: 2^-11 */
        d[3] = 0x18; /* 2^-9 */
    }
    check(tern_buffer_new(device, blocks * BLOCK, &b), "blocks");
    check(tern_buffer_write(b, 0, x, blocks * BLOCK), "write");
    free(x);
    return b;
}

/* Runs a plan that was just made, and tells what it is. */
static void run(enum tern_error made, tern_plan *p, const struct tern_view *operands, unsigned n)
{
    struct tern_plan_info i;
    check(made, "plan");
    tern_plan_info(p, &i);
    printf("%-18s %8.0f operations:", i.operation, i.flops);
    for (unsigned k = 0; k < i.launches && k < TERN_PLAN_LAUNCHES; k++)
        printf(" %s, %u x %u blocks of %u", i.launch[k].kernel, i.launch[k].grid.x,
               i.launch[k].grid.y ? i.launch[k].grid.y : 1, i.launch[k].block.x);
    printf("\n");
    check(tern_plan_run(p, NULL, operands, n), i.operation);
    tern_plan_free(p);
}

int main(void)
{
    check(tern_context_new(NULL, &context), "context");
    check(tern_context_device(context, 0, &device), "device");
    const uint64_t all = TOKENS * WIDTH;
    tern_buffer *x = random_floats(all), *weights = random_floats(3 * WIDTH * WIDTH),
                *blocks = random_blocks(WORDS * WIDTH / 256), *y = buffer(all, NULL),
                *qkv = buffer(3 * all, NULL), *o = buffer(all, NULL),
                *words = buffer(TOKENS * WORDS, NULL);
    tern_plan *p = NULL;
    enum tern_error e;

    const struct tern_norm norm = {.rows = TOKENS, .length = WIDTH};
    e = tern_plan_norm(device, &norm, &p);
    run(e, p, (struct tern_view[]){{x, 0}, {NULL, 0}, {NULL, 0}, {y, 0}}, 4);

    /* Queries, keys and values of all heads, each with weights of its own. */
    const struct tern_gemm gemm = {.m = TOKENS,
                                   .n = SIZE,
                                   .k = WIDTH,
                                   .batch = 3 * HEADS,
                                   .a_shared = true,
                                   .alpha = 1.0 / 16};
    e = tern_plan_gemm(device, &gemm, &p);
    run(e, p, (struct tern_view[]){{y, 0}, {weights, 0}, {qkv, 0}}, 3);

    const struct tern_attention attention = {.batch = 1,
                                             .heads = HEADS,
                                             .queries = TOKENS,
                                             .keys = TOKENS,
                                             .size = SIZE,
                                             .causal = true};
    const uint64_t part = all * sizeof(float);
    e = tern_plan_attention(device, &attention, &p);
    run(e, p, (struct tern_view[]){{qkv, 0}, {qkv, part}, {qkv, 2 * part}, {o, 0}}, 4);

    const struct tern_quantized quantized = {
        .format = TERN_Q4_K, .rows = WORDS, .k = WIDTH, .columns = TOKENS};
    e = tern_plan_quantized(device, &quantized, &p);
    run(e, p, (struct tern_view[]){{blocks, 0}, {o, 0}, {words, 0}}, 3);

    const struct tern_softmax softmax = {.rows = TOKENS, .length = WORDS};
    e = tern_plan_softmax(device, &softmax, &p);
    run(e, p, (struct tern_view[]){{words, 0}, {words, 0}}, 2);

    static float result[TOKENS * WORDS];
    check(TERN_READ(words, 0, result, TOKENS * WORDS), "read");
    for (int row = 0; row < TOKENS; row++) {
        double sum = 0;
        for (int k = 0; k < WORDS; k++)
            sum += result[row * WORDS + k];
        if (!(fabs(sum - 1) < 1e-4)) {
            fprintf(stderr, "the probabilities of token %d sum to %g\n", row, sum);
            return 1;
        }
    }
    printf("the probabilities of %d tokens sum to 1\n", TOKENS);
    tern_buffer *used[] = {x, weights, blocks, y, qkv, o, words};
    for (size_t k = 0; k < sizeof used / sizeof *used; k++)
        tern_buffer_free(used[k]);
    tern_context_free(context);
    return 0;
}
