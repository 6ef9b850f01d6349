/* Whole CUDA sources, with the headers that every program gets, through every pass and every
 * target; where there is a main, the host half too, as machine code and as WebAssembly. Mutations
 * keep to tokens, so that most of a source stays what it was: what is reached lies behind the
 * parser. What is refused is refused with a diagnostic. */
#include "fuzz.h"

#include <string.h>
#include "back/cpu_image.h"
#include "back/cpu_plain.h"
#include "driver/pipeline.h"

static uint64_t hash_of(const char *text, size_t size) /* FNV-1a */
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < size; k++)
        h = (h ^ (uint8_t)text[k]) * UINT64_C(1099511628211);
    return h >> 20;
}

/* All targets together take half a second for an input: it goes to two of them. */
static void fuzz(const char *text, size_t size)
{
    struct compilation c;
    struct compile_options o = {
        .path = "fuzz.cu", .level = size % 3 ? 2 : 0, .memory_limit = 96 << 20};
    enum tern_error e = compile_source(&c, &o, text, size);
    if (e != TERN_OK && !c.diag.errors)
        abort();
    size_t targets = 0;
    while (back_targets[targets])
        targets++;
    const uint64_t hash = hash_of(text, size);
    for (size_t i = 0; e == TERN_OK && i < targets; i++) {
        struct sbuf out;
        if (i != hash % targets && i != hash / targets % targets)
            continue;
        const unsigned errors = c.diag.errors;
        sbuf_init(&out, NULL);
        const enum tern_error refused =
            compile_emit(&c, back_targets[i], &(struct back_options){0}, &out);
        if (refused != TERN_OK && c.diag.errors == errors)
            abort();
        sbuf_free(&out);
        if (refused == TERN_OUT_OF_MEMORY)
            break; /* nothing is left of the module */
    }
    compile_free(&c);
}

/* What the host half refers to is somewhere: nothing is run. */
static uint64_t some_variable(void *ctx, const struct ir_global *g)
{
    (void)ctx, (void)g;
    return UINT64_C(0x123456789000);
}

static uint64_t some_function(void *ctx, const struct ir_func *f)
{
    (void)ctx, (void)f;
    return UINT64_C(0x123456780000);
}

/* The host half for this machine, or for a page. */
static void fuzz_host(const char *text, size_t size)
{
#ifdef __aarch64__
    const char *const here = "a64";
#else
    const char *const here = "x64";
#endif
    const bool page = hash_of(text, size) % 3 == 0;
    struct compilation c;
    struct compile_options o = {.path = "fuzz.cu",
                                .level = size % 3 ? 2 : 0,
                                .memory_limit = 192 << 20,
                                .host = true,
                                .host_wasm = page};
    enum tern_error e = compile_source(&c, &o, text, size);
    if (e != TERN_OK && !c.diag.errors)
        abort();
    for (size_t i = 0; e == TERN_OK && back_targets[i]; i++) {
        if (strcmp(back_targets[i]->name, page ? "wasm" : here) != 0)
            continue;
        struct cpu_plain plain = {.variable = some_variable,
                                  .outside = some_function,
                                  .launch = UINT64_C(0x123456770000),
                                  .block = UINT64_C(0x123456760000)};
        const struct cpu_image_options own = {.image = true, .plain = &plain};
        const struct back_options options = {.own = page ? NULL : &own, .host = page};
        const unsigned errors = c.diag.errors;
        struct sbuf out;
        sbuf_init(&out, NULL);
        if (compile_emit(&c, back_targets[i], &options, &out) != TERN_OK && c.diag.errors == errors)
            abort();
        sbuf_free(&out);
        break;
    }
    compile_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size && memmem(text, size, "main(", 5))
        fuzz_host(text, size);
    else
        fuzz(text, size);
    return 0;
}

/* ---- mutations ---- */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n, const uint8_t *b, size_t m,
                                 uint8_t *out, size_t max, unsigned seed);

enum { TOKENS = 4096 };
struct tokens {
    struct piece {
        const char *at;
        size_t n;
    } all[TOKENS];
    size_t n;
};

static uint32_t next(uint64_t *state) /* xorshift* */
{
    *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

static size_t below(uint64_t *state, size_t n)
{
    return n ? next(state) % n : 0;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t length_of(const char *s, const char *end)
{
    const char *p = s;
    if (is_word(*p)) {
        while (p < end && (is_word(*p) || *p == '.'))
            p++;
    } else if (*p == '"') {
        for (p++; p < end && *p != '"' && *p != '\n'; p++)
            p += *p == '\\' && p + 1 < end;
        p += p < end;
    } else if (*p == '#') { /* a directive is one token: half of one says nothing */
        while (p < end && *p != '\n')
            p++;
        p += p < end;
    } else {
        p++;
    }
    return (size_t)(p - s);
}

static void split(struct tokens *t, const char *s, size_t size)
{
    const char *end = s + size;
    t->n = 0;
    while (s < end && t->n < TOKENS) {
        const size_t n = length_of(s, end);
        t->all[t->n++] = (struct piece){s, n};
        s += n;
    }
}

static size_t join(const struct tokens *t, char *out, size_t max)
{
    size_t n = 0;
    for (size_t k = 0; k < t->n && n + t->all[k].n <= max; k++) {
        memcpy(out + n, t->all[k].at, t->all[k].n);
        n += t->all[k].n;
    }
    return n;
}

/* A run of tokens goes, or comes in from elsewhere. */
static void replace(struct tokens *t, size_t at, size_t gone, const struct piece *with, size_t n)
{
    if (at > t->n)
        return;
    gone = gone < t->n - at ? gone : t->n - at;
    if (t->n - gone + n > TOKENS)
        return;
    memmove(t->all + at + n, t->all + at + gone, (t->n - at - gone) * sizeof *t->all);
    if (n)
        memcpy(t->all + at, with, n * sizeof *with);
    t->n = t->n - gone + n;
}

static const char *const hostile[] = {
    "0",
    "-1",
    "1",
    "31",
    "32",
    "33",
    "64",
    "1024",
    "2147483647",
    "-2147483648",
    "4294967295u",
    "9223372036854775807ll",
    "0xffffffffffffffffull",
    "1e308",
    "0.0f",
    "(0.0f / 0.0f)",
    "0.5",
    "nullptr",
    "threadIdx.x",
    "blockIdx.x",
    "blockDim.x",
    "*",
    "&",
    "/",
    "%",
    "<<",
    ">>",
    "?",
    ":",
    ",",
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "if (threadIdx.x & 1) ",
    "else ",
    "while (1) ",
    "for (int q = 0; q < 3; q++) ",
    "do { ",
    "} while (threadIdx.x > 3);",
    "break;",
    "continue;",
    "return;",
    "__syncthreads();",
    "__syncwarp();",
    "__shfl_sync(~0u, 1, 2)",
    "__ballot_sync(~0u, 1)",
    "atomicAdd",
    "volatile ",
    "const ",
    "unsigned ",
    "long ",
    "double ",
    "float ",
    "char ",
    "short ",
    "bool ",
    "__shared__ ",
    "__constant__ ",
    "__device__ ",
    "static ",
    "struct q { int a[3]; }; ",
    "auto ",
    "[=](int v) { return v; }",
    "(int)",
    "(float)",
    "(long long)",
    "(char)",
    "(unsigned char *)",
    "sizeof ",
    "printf(\"%d %s\", 1, \"x\");",
    "assert(0);",
    "__trap();",
    "malloc(8)",
    "free(0);",
    "asm(\"mov.u32 %0, %tid.x;\" : \"=r\"(q));",
    "goto out; out: ;",
    "switch (threadIdx.x) { case 1: break; default: ; }",
    "__popc(",
    "__clz(",
    "sqrtf(",
    "sin(",
    "__half ",
    "#pragma unroll\n",
    "template <class T> ",
    "__launch_bounds__(64) ",
    "alignas(64) ",
};
enum { NHOSTILE = sizeof hostile / sizeof *hostile };

static void mutate(struct tokens *t, uint64_t *state)
{
    const size_t at = below(state, t->n), other = below(state, t->n), few = 1 + below(state, 6);
    struct piece taken[64];
    const size_t run = few < t->n - other ? few : t->n - other;
    memcpy(taken, t->all + other, run * sizeof *taken);
    const char *text = hostile[below(state, NHOSTILE)];
    const struct piece word = {text, strlen(text)};
    switch (below(state, 7)) {
    case 0: replace(t, at, few, NULL, 0); break;    /* lost */
    case 1: replace(t, at, 0, taken, run); break;   /* repeated elsewhere */
    case 2: replace(t, at, 1, taken, 1); break;     /* one for another */
    case 3: replace(t, at, 1, &word, 1); break;     /* something hostile instead */
    case 4: replace(t, at, 0, &word, 1); break;     /* or as well */
    case 5: replace(t, at, run, taken, run); break; /* a run for another */
    default: {                                      /* two change places */
        const struct piece x = t->all[at];
        t->all[at] = t->all[other];
        t->all[other] = x;
    }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint64_t state = (uint64_t)seed * 2 + 1;
    struct tokens *t = malloc(sizeof *t);
    char *out = malloc(max + 1);
    if (t && out) {
        split(t, (const char *)data, size);
        for (size_t times = 1 + below(&state, 4); times && t->n; times--)
            mutate(t, &state);
        size = join(t, out, max);
        memcpy(data, out, size);
    }
    free(out);
    free(t);
    return size;
}

/* The head of one source with the tail of another: what one declares, the other uses. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n, const uint8_t *b, size_t m,
                                 uint8_t *out, size_t max, unsigned seed)
{
    uint64_t state = (uint64_t)seed * 2 + 1;
    const size_t head = below(&state, n), tail = below(&state, m);
    const size_t first = head < max ? head : max,
                 rest = m - tail < max - first ? m - tail : max - first;
    memcpy(out, a, first);
    memcpy(out + first, b + tail, rest);
    return first + rest;
}
