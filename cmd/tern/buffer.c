/* Kernel arguments from the command line: numbers, buffers and how they are filled and shown. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/meaning.h"
#include "tern.h"

#define MAX_BUFFER (UINT64_C(1) << 36)

static const struct value_type types[] = {
    {"i8", VALUE_INT, 1},    {"u8", VALUE_UINT, 1},   {"i16", VALUE_INT, 2},
    {"u16", VALUE_UINT, 2},  {"i32", VALUE_INT, 4},   {"u32", VALUE_UINT, 4},
    {"i64", VALUE_INT, 8},   {"u64", VALUE_UINT, 8},  {"f16", VALUE_HALF, 2},
    {"bf16", VALUE_BF16, 2}, {"f32", VALUE_FLOAT, 4}, {"f64", VALUE_FLOAT, 8},
};

/* ---- one element ---- */
static uint64_t bits_of_double(const struct value_type *t, double v)
{
    switch (t->kind) {
    case VALUE_HALF: return m_soft_convert(IR_F16, IR_F64, IR_RN, m_bits64(v));
    case VALUE_BF16: return m_soft_convert(IR_BF16, IR_F64, IR_RN, m_bits64(v));
    case VALUE_FLOAT: return t->size == 4 ? m_bits32((float)v) : m_bits64(v);
    default: return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    }
}

static double double_of(const struct value_type *t, const void *p)
{
    uint64_t bits = 0;
    memcpy(&bits, p, t->size);
    switch (t->kind) {
    case VALUE_HALF: return m_from_f16((uint16_t)bits);
    case VALUE_BF16: return m_from_bf16((uint16_t)bits);
    case VALUE_FLOAT: return t->size == 4 ? m_float((uint32_t)bits) : m_double(bits);
    case VALUE_UINT: return (double)bits;
    default: return (double)((int64_t)(bits << (64 - 8 * t->size)) >> (64 - 8 * t->size));
    }
}

static bool is_int(const struct value_type *t)
{
    return t->kind == VALUE_INT || t->kind == VALUE_UINT;
}

static bool parse_value(const struct value_type *t, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    if (is_int(t)) {
        if (*text == '-') {
            const long long v = strtoll(text, &end, 0);
            *bits = (uint64_t)v;
            return end != text && !*end && !errno && t->kind == VALUE_INT &&
                   v >= -((long long)(UINT64_C(1) << (8 * t->size - 1)) - 1) - 1;
        }
        *bits = strtoull(text, &end, 0);
        return end != text && !*end && !errno && (t->size == 8 || *bits >> 8 * t->size == 0);
    }
    const double v = strtod(text, &end);
    *bits = bits_of_double(t, v);
    return end != text && !*end;
}

/* ---- filling ---- */
static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int fill_file(struct kernel_arg *a, const char *path, unsigned index)
{
    size_t len;
    char *text = read_whole_file(path, &len);
    if (!text)
        return complain("argument %u: %s: %s", index, path, strerror(errno));
    const bool fits = len >= a->bytes;
    if (fits)
        memcpy(a->data, text, a->bytes);
    free(text);
    return fits ? 0
                : complain("argument %u: %s has %zu bytes, the buffer takes %" PRIu64, index, path,
                           len, a->bytes);
}

static bool fill(struct kernel_arg *a, const char *init, unsigned index)
{
    const struct value_type *t = a->type;
    uint64_t seed = 0, same = 0;
    const bool iota = !strcmp(init, "iota"), random = !strncmp(init, "rand:", 5);
    if (!strcmp(init, "zero"))
        return true;
    if (!strncmp(init, "file:", 5))
        return !fill_file(a, init + 5, index);
    if (random) {
        char *end;
        seed = strtoull(init + 5, &end, 0);
        if (end == init + 5 || *end) {
            complain("argument %u: rand:SEED takes a number, not '%s'", index, init + 5);
            return false;
        }
    } else if (!iota && !parse_value(t, init, &same)) {
        complain("argument %u: '%s' is neither iota, zero, rand:SEED, file:PATH nor a value of %s",
                 index, init, t->name);
        return false;
    }
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t bits = same;
        if (iota)
            bits = is_int(t) ? i : bits_of_double(t, (double)i);
        if (random) {
            const uint64_t r = next_random(&seed);
            bits = is_int(t) ? r : bits_of_double(t, (double)(r >> 40) * 0x1p-24);
        }
        memcpy(a->data + i * t->size, &bits, t->size);
    }
    return true;
}

/* ---- reading one argument ---- */
static bool parse_bytes(struct kernel_arg *a, const char *hex, unsigned index)
{
    a->bytes = strlen(hex) / 2;
    a->data = calloc(1, a->bytes + 1);
    for (uint64_t i = 0; a->data && i < a->bytes; i++) {
        unsigned v;
        if (sscanf(hex + 2 * i, "%2x", &v) != 1) {
            complain("argument %u: '%s' is not hexadecimal", index, hex);
            return false;
        }
        a->data[i] = (uint8_t)v;
    }
    return a->data && strlen(hex) % 2 == 0;
}

bool kernel_arg_parse(struct kernel_arg *out, const char *text, unsigned index)
{
    *out = (struct kernel_arg){0};
    const size_t n = strcspn(text, ":[");
    if (!strncmp(text, "bytes:", 6))
        return parse_bytes(out, text + 6, index);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && !strncmp(types[i].name, text, n))
            out->type = &types[i];
    if (!out->type || !text[n]) {
        complain(
            "argument %u: '%s' is neither TYPE:VALUE nor TYPE[COUNT]=INIT; see `tern help run`",
            index, text);
        return false;
    }
    if (text[n] == ':') {
        uint64_t bits;
        out->bytes = out->type->size;
        if (!parse_value(out->type, text + n + 1, &bits)) {
            complain("argument %u: '%s' is not a value of %s", index, text + n + 1,
                     out->type->name);
            return false;
        }
        if (!(out->data = calloc(1, 8)))
            return false;
        memcpy(out->data, &bits, 8);
        return true;
    }
    char *end;
    out->is_buffer = true;
    out->count = strtoull(text + n + 1, &end, 0);
    if (end == text + n + 1 || *end != ']' || (end[1] && end[1] != '=') ||
        out->count > MAX_BUFFER / out->type->size) {
        complain("argument %u: '%s' is not TYPE[COUNT]=INIT", index, text);
        return false;
    }
    out->bytes = out->count * out->type->size;
    out->data = calloc(1, out->bytes + 1);
    if (!out->data) {
        complain("argument %u: no memory for %" PRIu64 " bytes", index, out->bytes);
        return false;
    }
    return !end[1] || fill(out, end + 2, index);
}

void kernel_arg_free(struct kernel_arg *a)
{
    free(a->data);
    a->data = NULL;
}

/* ---- showing ---- */
static uint64_t checksum(const struct kernel_arg *a) /* FNV-1a */
{
    uint64_t h = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < a->bytes; i++)
        h = (h ^ a->data[i]) * 0x100000001b3u;
    return h;
}

static void put_element(char *buf, size_t n, const struct kernel_arg *a, uint64_t i)
{
    const struct value_type *t = a->type;
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * t->size, t->size);
    if (t->kind == VALUE_UINT)
        snprintf(buf, n, "%" PRIu64, bits);
    else if (t->kind == VALUE_INT)
        snprintf(buf, n, "%" PRId64, (int64_t)(bits << (64 - 8 * t->size)) >> (64 - 8 * t->size));
    else
        snprintf(buf, n, "%.*g",
                 t->size == 8   ? 17
                 : t->size == 4 ? 9
                                : 5,
                 double_of(t, a->data + i * t->size));
}

/* Shorter where that reads back as the same value. */
static void put_short(char *buf, size_t n, const struct kernel_arg *a, uint64_t i)
{
    const struct value_type *t = a->type;
    if (!is_int(t)) {
        const double v = double_of(t, a->data + i * t->size);
        for (int digits = t->size == 2 ? 4 : 6; digits < 17; digits++) {
            snprintf(buf, n, "%.*g", digits, v);
            const uint64_t bits = bits_of_double(t, strtod(buf, NULL));
            if (!memcmp(&bits, a->data + i * t->size, t->size))
                return;
        }
    }
    put_element(buf, n, a, i);
}

/* Integers add up exactly, modulo 2^64; floats in order, in f64. */
static void put_sum(char *buf, size_t n, const struct kernel_arg *a)
{
    const struct value_type *t = a->type;
    uint64_t whole = 0;
    double sum = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, a->data + i * t->size, t->size);
        if (t->kind == VALUE_INT)
            bits = (uint64_t)((int64_t)(bits << (64 - 8 * t->size)) >> (64 - 8 * t->size));
        whole += bits;
        if (!is_int(t))
            sum += double_of(t, a->data + i * t->size);
    }
    if (t->kind == VALUE_INT)
        snprintf(buf, n, "%" PRId64, (int64_t)whole);
    else if (t->kind == VALUE_UINT)
        snprintf(buf, n, "%" PRIu64, whole);
    else
        snprintf(buf, n, "%.15g", sum);
}

void kernel_arg_show(const struct kernel_arg *a, unsigned index, unsigned first)
{
    char text[64];
    printf("arg %u %s[%" PRIu64 "]:", index, a->type->name, a->count);
    for (uint64_t i = 0; i < a->count && i < first; i++) {
        put_short(text, sizeof text, a, i);
        printf(" %s", text);
    }
    put_sum(text, sizeof text, a);
    printf("%s  sum %s  checksum %016" PRIx64 "\n", a->count > first ? " …" : "", text,
           checksum(a));
}

void kernel_arg_json(const struct kernel_arg *a, struct json_writer *w, unsigned first)
{
    char text[64];
    json_object(w);
    json_key(w, "type");
    json_str(w, a->type->name);
    json_key(w, "count");
    json_uint(w, a->count);
    json_key(w, "first");
    json_array(w);
    for (uint64_t i = 0; i < a->count && i < first; i++) {
        put_short(text, sizeof text, a, i);
        json_str(w, text);
    }
    json_end(w);
    put_sum(text, sizeof text, a);
    json_key(w, "sum");
    json_str(w, text);
    snprintf(text, sizeof text, "%016" PRIx64, checksum(a));
    json_key(w, "checksum");
    json_str(w, text);
    json_end(w);
}
