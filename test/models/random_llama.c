/* random_llama FILE [LAYERS CHANNELS HEADS KV_HEADS WIDE WORDS]: a Llama with random weights in
 * half precision, as llama.cpp reads it (GGUF 3), without a vocabulary. Without numbers: 16 layers
 * in the shape of the models with a billion parameters. Deterministic. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GGUF_U32 = 4, GGUF_F32 = 6, GGUF_STRING = 8, TYPE_F32 = 0, TYPE_F16 = 1, ALIGN = 32 };

enum { LAYERS, CHANNELS, HEADS, KV_HEADS, WIDE, WORDS, SIZES };
static unsigned size[SIZES] = {16, 2048, 32, 8, 8192, 128256};

static FILE *out;
static uint64_t written, state = 20261117;

static void put(const void *bytes, size_t n)
{
    written += n;
    if (fwrite(bytes, 1, n, out) != n) {
        perror("writing");
        exit(1);
    }
}

static void put32(uint32_t v)
{
    put(&v, sizeof v);
}

static void put64(uint64_t v)
{
    put(&v, sizeof v);
}

static void put_string(const char *s)
{
    put64(strlen(s));
    put(s, strlen(s));
}

/* ---- what the file says of the model ---- */
static uint64_t nkeys;

static void key(const char *name, uint32_t type)
{
    put_string(name);
    put32(type);
    nkeys++;
}

static void key_u32(const char *name, uint32_t v)
{
    key(name, GGUF_U32);
    put32(v);
}

static void key_f32(const char *name, float v)
{
    key(name, GGUF_F32);
    put(&v, sizeof v);
}

static void key_string(const char *name, const char *v)
{
    key(name, GGUF_STRING);
    put_string(v);
}

static void put_keys(void)
{
    key_string("general.architecture", "llama");
    key_string("general.name", "random");
    key_u32("general.file_type", 1); /* mostly halves */
    key_u32("llama.vocab_size", size[WORDS]);
    key_u32("llama.context_length", 8192);
    key_u32("llama.embedding_length", size[CHANNELS]);
    key_u32("llama.block_count", size[LAYERS]);
    key_u32("llama.feed_forward_length", size[WIDE]);
    key_u32("llama.attention.head_count", size[HEADS]);
    key_u32("llama.attention.head_count_kv", size[KV_HEADS]);
    key_u32("llama.rope.dimension_count", size[CHANNELS] / size[HEADS]);
    key_f32("llama.rope.freq_base", 500000);
    key_f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    key_string("tokenizer.ggml.model", "no_vocab");
}

/* ---- tensors: told of first, written then ---- */
static uint64_t ntensors, offset;

static void tell(const char *name, uint32_t type, uint64_t inner, uint64_t outer)
{
    put_string(name);
    put32(outer ? 2 : 1);
    put64(inner);
    if (outer)
        put64(outer);
    put32(type);
    put64(offset);
    offset += inner * (outer ? outer : 1) * (type == TYPE_F32 ? 4 : 2);
    offset = (offset + ALIGN - 1) / ALIGN * ALIGN;
    ntensors++;
}

static void pad(void)
{
    static const char zeros[ALIGN];
    put(zeros, (ALIGN - written % ALIGN) % ALIGN);
}

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Weights of a product: halves of either sign between 1/64 and 1/32. Norms: ones. */
static void fill(const char *name, uint32_t type, uint64_t inner, uint64_t outer)
{
    (void)name;
    enum { ROW = 4096 };
    static uint64_t row[ROW];
    if (type == TYPE_F32) {
        const float one = 1;
        for (; inner; inner--)
            put(&one, sizeof one);
    }
    for (uint64_t left = type == TYPE_F32 ? 0 : inner * outer * 2; left;) {
        const uint64_t n = left < sizeof row ? left : sizeof row;
        for (int k = 0; k < ROW; k++)
            row[k] = (random_bits() & 0x83ff83ff83ff83ff) | 0x2400240024002400;
        put(row, n);
        left -= n;
    }
    pad();
}

static void each_tensor(void (*f)(const char *, uint32_t, uint64_t, uint64_t))
{
    const uint64_t c = size[CHANNELS], kv = c / size[HEADS] * size[KV_HEADS];
    const struct {
        const char *name;
        uint32_t type;
        uint64_t inner, outer;
    } rows[] = {
        {"attn_norm", TYPE_F32, c, 0},         {"attn_q", TYPE_F16, c, c},
        {"attn_k", TYPE_F16, c, kv},           {"attn_v", TYPE_F16, c, kv},
        {"attn_output", TYPE_F16, c, c},       {"ffn_norm", TYPE_F32, c, 0},
        {"ffn_gate", TYPE_F16, c, size[WIDE]}, {"ffn_up", TYPE_F16, c, size[WIDE]},
        {"ffn_down", TYPE_F16, size[WIDE], c},
    };
    f("token_embd.weight", TYPE_F16, c, size[WORDS]);
    f("output_norm.weight", TYPE_F32, c, 0);
    for (unsigned layer = 0; layer < size[LAYERS]; layer++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            char name[64];
            snprintf(name, sizeof name, "blk.%u.%s.weight", layer, rows[k].name);
            f(name, rows[k].type, rows[k].inner, rows[k].outer);
        }
}

int main(int argc, char **argv)
{
    for (int k = 0; k < SIZES && k + 2 < argc; k++)
        size[k] = (unsigned)atoi(argv[k + 2]);
    out = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "random_llama: no file to write\n");
        return 1;
    }
    put("GGUF", 4);
    put32(3);
    put64(0); /* tensors and keys: counted below */
    put64(0);
    put_keys();
    each_tensor(tell);
    pad();
    each_tensor(fill);
    fseek(out, 8, SEEK_SET);
    put64(ntensors);
    put64(nkeys);
    return fclose(out) ? 1 : 0;
}
