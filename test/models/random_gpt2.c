/* random_gpt2 [LAYERS HEADS CHANNELS LENGTH TOKENS]: writes into the folder it is started in what
 * llm.c's training programs read: a GPT-2 with random weights (gpt2_124M.bin), small unless numbers
 * say more, tokens (tokens.bin) and a tokenizer whose words are numbers (gpt2_tokenizer.bin).
 * Deterministic. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { V = 50257, PADDED_V = 50304, SIZES = 5 };
static uint32_t sizes[SIZES] = {2, 4, 128, 64, 20 * 4 * 64 + 1};
#define LAYERS sizes[0]
#define HEADS  sizes[1]
#define C      sizes[2]
#define MAX_T  sizes[3]
#define TOKENS sizes[4]

static uint64_t state = 20261116;

static double uniform(void) /* (0, 1) */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 32) + 0.5) / 4294967296.0;
}

static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

static FILE *begin(const char *name, uint32_t a, uint32_t b, uint32_t c, const uint32_t *rest,
                   int n)
{
    uint32_t head[256] = {a, b, c};
    FILE *f = fopen(name, "wb");
    if (!f) {
        perror(name);
        exit(1);
    }
    for (int k = 0; k < n; k++)
        head[3 + k] = rest[k];
    fwrite(head, sizeof *head, 256, f);
    return f;
}

/* `count` floats around `mean`. */
static void tensor(FILE *f, size_t count, double mean, double spread)
{
    for (; count; count--) {
        const float x = (float)(mean + spread * normal());
        fwrite(&x, sizeof x, 1, f);
    }
}

static void write_model(void)
{
    const uint32_t shape[] = {V, LAYERS, HEADS, C, PADDED_V};
    FILE *f = begin("gpt2_124M.bin", 20240326, 3, MAX_T, shape, 5);
    tensor(f, (size_t)V * C, 0, 0.1);
    tensor(f, (PADDED_V - V) * C, 0, 0); /* the training programs count on zeros there */
    tensor(f, MAX_T * C, 0, 0.05);
    tensor(f, LAYERS * C, 1, 0.02); /* first norms: weights, biases */
    tensor(f, LAYERS * C, 0, 0.02);
    tensor(f, LAYERS * 3 * C * C, 0, 0.1); /* queries, keys and values */
    tensor(f, LAYERS * 3 * C, 0, 0.02);
    tensor(f, LAYERS * C * C, 0, 0.1); /* behind attention */
    tensor(f, LAYERS * C, 0, 0.02);
    tensor(f, LAYERS * C, 1, 0.02); /* second norms */
    tensor(f, LAYERS * C, 0, 0.02);
    tensor(f, LAYERS * 4 * C * C, 0, 0.1); /* the wide layer and the one behind it */
    tensor(f, LAYERS * 4 * C, 0, 0.02);
    tensor(f, LAYERS * 4 * C * C, 0, 0.05);
    tensor(f, LAYERS * C, 0, 0.02);
    tensor(f, C, 1, 0.02);
    tensor(f, C, 0, 0.02);
    fclose(f);
}

/* Text with something to learn: the next word mostly follows from the last. */
static void write_tokens(void)
{
    const uint32_t count = TOKENS;
    FILE *f = begin("tokens.bin", 20240520, 1, count, NULL, 0);
    uint16_t word = 1;
    for (uint32_t k = 0; k < count; k++) {
        word = (uint16_t)(uniform() < 0.2 ? uniform() * 499 : (word * 7u + 3) % 499);
        fwrite(&word, sizeof word, 1, f);
    }
    fclose(f);
}

static void write_tokenizer(void)
{
    const uint32_t end_of_text = V - 1;
    FILE *f = begin("gpt2_tokenizer.bin", 20240328, 2, V, &end_of_text, 1);
    for (int k = 0; k < V; k++) {
        char word[16];
        const int length = snprintf(word, sizeof word, "%d ", k);
        fputc(length, f);
        fwrite(word, 1, (size_t)length, f);
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    for (int k = 0; k < SIZES && k + 1 < argc; k++)
        sizes[k] = (uint32_t)atoi(argv[k + 1]);
    write_tokens();
    write_model();
    write_tokenizer();
    return 0;
}
