/* Random CUDA programs on the CPU device, or TEST_DEVICE's, against the interpreter.
 *
 *   programs FIRST COUNT [BATCH]    seeds FIRST … FIRST + COUNT - 1, BATCH kernels to a file
 *   programs show SEED              the text of one
 *
 * Kernels are typed and free of races and undefined behaviour: numbers of all sizes, loops whose
 * length differs between threads, breaks, switches, local arrays, shared memory between barriers
 * (in loops too), shuffles and votes, atomics whose order does not matter, early returns, threads
 * of a block that walk through an array side by side, work for the first threads only, pairs of
 * threads over distances that double or halve, rows and columns of tiles, parts of a thread's
 * number as numbers and places, quotients by constants, elements of one and two bytes. Results must
 * be the same to the bit (NaNs apart), with contraction and without. Gang width and shape of the
 * block follow from the seed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

enum {
    VALUES = 6,
    WORDS = VALUES +
            1, /* of a thread in `out`: behind those of all, 8 bytes of each for small elements */
    ACCUMULATORS = 32,
    BATCH_MAX = 64
};

/* ---- the generator ---- */
struct gen {
    struct sbuf o;
    uint64_t state;
    unsigned indent, nvars, loops;
    char type[64]; /* of v0, v1 …: one letter of `types` */
    bool warps;    /* blocks are whole warps */
    bool left;     /* some threads have returned */
};

static const struct {
    char letter;
    const char *name;
} types[] = {
    {'i', "int"},    {'u', "unsigned"}, {'l', "long long"},     {'f', "float"},
    {'d', "double"}, {'s', "short"},    {'c', "unsigned char"}, {'w', "unsigned long long"}};

static unsigned pick(struct gen *g, unsigned n)
{
    g->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = g->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % n);
}

static const char *name_of(char letter)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k].letter == letter)
            return types[k].name;
    return "int";
}

static void put(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&g->o, fmt, ap);
    va_end(ap);
}

static void line(struct gen *g, const char *fmt, ...)
{
    sbuf_printf(&g->o, "%*s", 4 * g->indent, "");
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&g->o, fmt, ap);
    va_end(ap);
    sbuf_putc(&g->o, '\n');
}

static bool is_float(char t)
{
    return t == 'f' || t == 'd';
}

static void expression(struct gen *g, char t, unsigned depth);

/* A part of the thread's number, in parentheses. */
static void part(struct gen *g)
{
    static const char *const forms[] = {"t % ",           "t / ",           "threadIdx.x % ",
                                        "threadIdx.x / ", "threadIdx.x & ", "threadIdx.x + ",
                                        "threadIdx.y + ", "threadIdx.y * ", "threadIdx.x * ",
                                        "i % ",           "blockIdx.x * "};
    static const unsigned char by[] = {1, 2, 3, 4, 5, 7, 8, 10, 12, 15, 16, 31, 32, 64, 100};
    unsigned form = pick(g, 11);
    put(g, "(%s%u)", forms[form], by[pick(g, 15)]);
}

/* A number of type t, from a variable of any. */
static void leaf(struct gen *g, char t)
{
    if (pick(g, 7) == 0) {
        put(g, "(%s)", name_of(t));
        part(g);
    } else if (pick(g, 4) == 0) {
        static const char *const ints[] = {"0",   "1",     "3",          "7",    "100",
                                           "255", "65535", "0x7fffffff", "12345"};
        static const char *const floats[] = {"0.0f",  "1.0f",  "-2.5f",      "0.1f",
                                             "1e20f", "3e-5f", "16777217.0f"};
        put(g, "(%s)%s", name_of(t), is_float(t) ? floats[pick(g, 7)] : ints[pick(g, 9)]);
    } else {
        put(g, "(%s)v%u", name_of(t), pick(g, g->nvars));
    }
}

static void condition(struct gen *g, unsigned depth)
{
    static const char *const ops[] = {"<", "<=", "==", "!=", ">", ">="};
    char t = types[pick(g, 8)].letter;
    if (pick(g, 6) == 0 && depth) {
        put(g, "(");
        condition(g, depth - 1);
        put(g, pick(g, 2) ? " && " : " || ");
        condition(g, depth - 1);
        put(g, ")");
        return;
    }
    if (pick(g, 4) == 0) {
        put(g, "(t %% %u == %u)", 2 + pick(g, 6), pick(g, 3));
        return;
    }
    put(g, "(");
    expression(g, t, depth);
    if (pick(g, 5) == 0) { /* whether it is not zero, in its own width */
        put(g, ")");
        return;
    }
    put(g, " %s ", ops[pick(g, 6)]);
    expression(g, t, depth);
    put(g, ")");
}

/* A quotient or a rest by a constant, in a type of its own: no constant is -1. */
static void by_constant(struct gen *g, unsigned depth)
{
    static const char *const by[] = {
        "2",    "3",     "4",      "5",       "7",          "8",          "9",    "10",
        "16",   "25",    "60",     "100",     "127",        "128",        "255",  "256",
        "641",  "1000",  "32767",  "65536",   "1000000007", "0x7fffffff", "(-2)", "(-3)",
        "(-8)", "(-10)", "(-128)", "(-1000)", "(-641)",     "6700417"};
    static const char integers[] = "iuscluw";
    char t = integers[pick(g, 7)];
    put(g, "(%s)(", name_of(t));
    expression(g, t, depth);
    put(g, ") %s %s", pick(g, 2) ? "/" : "%", by[pick(g, 30)]);
}

static void expression(struct gen *g, char t, unsigned depth)
{
    if (!depth || pick(g, 5) == 0) {
        leaf(g, t);
        return;
    }
    depth--;
    if (pick(g, 8) == 0) {
        put(g, "(");
        condition(g, depth);
        put(g, " ? ");
        expression(g, t, depth);
        put(g, " : ");
        expression(g, t, depth);
        put(g, ")");
        return;
    }
    if (is_float(t)) {
        static const char *const ops[] = {"+", "-", "*", "/", "+", "*"};
        static const char *const calls[] = {"fabs", "sqrt", "fmin", "fmax", "floor", "fma"};
        unsigned k = pick(g, 9);
        if (k < 6) {
            put(g, "(");
            expression(g, t, depth);
            put(g, " %s ", ops[k]);
            expression(g, t, depth);
            put(g, ")");
            return;
        }
        k = pick(g, 6);
        put(g, "%s%s(", calls[k], t == 'f' ? "f" : "");
        expression(g, t, depth);
        for (unsigned n = k == 5 ? 2 : k == 2 || k == 3; n; n--) {
            put(g, ", ");
            expression(g, t, depth);
        }
        put(g, ")");
        return;
    }
    /* in unsigned arithmetic: signed overflow has no meaning */
    bool wide = t == 'l' || t == 'w';
    char u = wide ? 'w' : 'u';
    unsigned k = pick(g, 15);
    put(g, "(%s)(", name_of(t));
    static const char *const ops[] = {"+", "-", "*", "&", "|", "^", "+"};
    if (k < 7) {
        expression(g, u, depth);
        put(g, " %s ", ops[k]);
        expression(g, u, depth);
    } else if (k < 9) {
        expression(g, pick(g, 2) ? u : wide ? 'l' : 'i', depth);
        put(g, " %s (", k == 7 ? "/" : "%");
        expression(g, u, depth);
        put(g, " %% 13 + 1)");
    } else if (k < 11) {
        expression(g, k == 9 ? u : pick(g, 2) ? u : wide ? 'l' : 'i', depth);
        put(g, " %s (", k == 9 ? "<<" : ">>");
        expression(g, 'u', depth);
        put(g, " & %u)", wide ? 63 : 31);
    } else if (k == 11) {
        static const char *const calls[] = {"__popc", "__clz", "__brev", "__ffs"};
        put(g, "%s(", calls[pick(g, 4)]);
        expression(g, 'u', depth);
        put(g, ")");
    } else if (k < 14) {
        by_constant(g, depth);
    } else {
        put(g, "%s(", pick(g, 2) ? "min" : "max");
        expression(g, wide ? 'l' : 'i', depth);
        put(g, ", ");
        expression(g, wide ? 'l' : 'i', depth);
        put(g, ")");
    }
    put(g, ")");
}

static void assign(struct gen *g)
{
    unsigned to = pick(g, g->nvars);
    put(g, "%*sv%u = ", 4 * g->indent, "", to);
    expression(g, g->type[to], 2);
    put(g, ";\n");
}

static void atomic(struct gen *g)
{
    static const char *const ops[] = {"Add", "Max", "Min", "Or", "And", "Xor", "Sub"};
    unsigned k = pick(g, 7);
    put(g, "%*satomic%s(&acc[%u + (", 4 * g->indent, "", ops[k], k < 1 || k == 6 ? 0 : 4 * k);
    expression(g, 'u', 1);
    put(g, " & 3)], ");
    expression(g, 'u', 2);
    put(g, ");\n");
}

static void statements(struct gen *g, unsigned n, unsigned depth, bool together, bool in_loop);

static void exchange(struct gen *g) /* all threads of the block are here */
{
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars);
    line(g, "shared[t] = (float)v%u;", from);
    line(g, "numbers[t] = (int)(long long)v%u;", pick(g, g->nvars));
    line(g, "__syncthreads();");
    if (pick(g, 3) == 0)
        line(g, "v%u = (%s)__syncthreads_count((int)v%u & 1);", to, name_of(g->type[to]), from);
    if (pick(g, 2))
        line(g, "v%u = (%s)shared[(t * %u + %u) %% threads];", to, name_of(g->type[to]),
             1 + 2 * pick(g, 5), pick(g, 40));
    else
        line(g,
             "v%u = (%s)(int)((unsigned)numbers[threads - 1 - t] + (t > 0 ? numbers[t - 1] : 5));",
             to, name_of(g->type[to]));
    line(g, "__syncthreads();");
}

static void warp(struct gen *g) /* all lanes of the warp are here */
{
    static const char *const forms[] = {
        "__shfl_xor_sync(0xffffffffu, %s, %u)", "__shfl_up_sync(0xffffffffu, %s, %u)",
        "__shfl_down_sync(0xffffffffu, %s, %u)", "__shfl_sync(0xffffffffu, %s, %u)"};
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars);
    static const char shuffled[] = "iulfdw";
    char t = shuffled[pick(g, 6)], text[64], value[64];
    if (pick(g, 4) == 0) {
        static const char *const votes[] = {"__ballot_sync", "__any_sync", "__all_sync"};
        line(g, "v%u = (%s)%s(0xffffffffu, (int)v%u & 1);", to, name_of(g->type[to]),
             votes[pick(g, 3)], from);
        return;
    }
    snprintf(value, sizeof value, "(%s)v%u", name_of(t), from);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, forms[pick(g, 4)], value, pick(g, 31) + 1);
#pragma GCC diagnostic pop
    line(g, "v%u = (%s)%s;", to, name_of(g->type[to]), text);
}

static void walk(struct gen *g) /* side by side; `in` and `fin` have n elements and more */
{
    unsigned n = g->loops++, to = pick(g, g->nvars);
    const char *type = name_of(g->type[to]), *array = is_float(g->type[to]) ? "fin" : "in";
    put(g, "%*sfor (%s k%u = %s%u; ", 4 * g->indent, "", pick(g, 2) ? "int" : "unsigned", n,
        pick(g, 2) ? "blockIdx.x * blockDim.x + threadIdx.x + " : "threadIdx.x + ", pick(g, 20));
    put(g, "k%u < n - %u", n, pick(g, 3) ? 0 : pick(g, 200));
    if (pick(g, 3) == 0)
        put(g, " && k%u <= %u", n, pick(g, 260));
    put(g, "; k%u += blockDim.x%s) {\n", n, pick(g, 2) ? " * gridDim.x" : "");
    g->indent++;
    if (pick(g, 3) == 0)
        line(g, "if (%s[k%u] > v%u)", array, n, pick(g, g->nvars));
    if (is_float(g->type[to]))
        line(g, "v%u = v%u + %s[k%u];", to, to, array, n);
    else
        line(g, "v%u = (%s)((unsigned long long)v%u * 3 + %s[k%u]);", to, type, to, array, n);
    g->indent--;
    line(g, "}");
}

static void first_threads(struct gen *g) /* all threads of the block are here */
{
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars), n = g->loops++;
    line(g, "shared[t] = (float)v%u;", from);
    line(g, "numbers[t] = t * %u;", 1 + pick(g, 9));
    line(g, "__syncthreads();");
    if (pick(g, 2))
        line(g, "for (int k%u = blockDim.x / 2; k%u > 0; k%u /= 2) {", n, n, n);
    else
        line(g, "for (int k%u = %u; k%u > 0; k%u /= 2) {", n, 1 + pick(g, 130), n, n);
    line(g, "    if (threadIdx.x < k%u)", n);
    line(
        g,
        "        numbers[t] = (int)((unsigned)numbers[t] * 5 + (int)shared[(t + k%u) %% threads]);",
        n);
    line(g, "    __syncthreads();");
    line(g, "}");
    line(g, "if (threadIdx.x == %u)", pick(g, 40));
    line(g, "    shared[t] = 3;");
    line(g, "__syncthreads();");
    line(g, "v%u = (%s)(numbers[t] ^ (int)shared[t]);", to, name_of(g->type[to]));
    line(g, "__syncthreads();");
}

/* All threads of the block are here, and meet others over distances: constants, or those of a loop.
 */
static void pairs(struct gen *g)
{
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars), k = g->loops++, how = pick(g, 5),
             most = (1u << pick(g, 7)) + (how && pick(g, 4) == 0 ? pick(g, 9) : 0);
    const char *array = pick(g, 2) ? "numbers" : "shared";
    line(g, "shared[t] = (float)(int)(long long)v%u;", from);
    line(g, "numbers[t] = (int)(long long)v%u;", from);
    line(g, "__syncthreads();");
    switch (pick(g, 5)) {
    case 0: line(g, "for (int s%u = 1; s%u < %u; s%u *= 2) {", k, k, most, k); break;
    case 1: line(g, "for (int s%u = %u; s%u > 0; s%u /= 2) {", k, most, k, k); break;
    case 2: line(g, "{\n        const int s%u = %u;", k, most); break;
    case 3:
        line(g, "for (int s%u = 1 << (n & 3); s%u <= %u; s%u += s%u) {", k, k, most, k, k);
        break;
    default: line(g, "for (int s%u = %u << (n & 1); s%u > 0; s%u /= 2) {", k, most, k, k); break;
    }
    g->indent++;
    switch (how) {
    case 0: /* exchanged in order */
        line(g, "int l = t & (s%u - 1), a = (t - l) * 2 + l, b = a + s%u;", k, k);
        line(g, "if (b < threads) {");
        line(g, "    int x = (int)%s[a], y = (int)%s[b];", array, array);
        line(g, "    if ((x > y) == ((a & %u) == 0)) {", 1u << pick(g, 6));
        line(g, "        %s[a] = y;\n            %s[b] = x;", array, array);
        line(g, "    }\n    }");
        break;
    case 1: /* both at once */
        line(g, "int l = t %% s%u, a = t / s%u * 2 * s%u + l, b = a + s%u;", k, k, k, k);
        line(g, "if (b < threads) {");
        line(g, "    int x = (int)%s[a] & 255, y = (int)%s[b] & 255;", array, array);
        line(g, "    %s[a] = x + y;\n        %s[b] = x - y;", array, array);
        line(g, "}");
        break;
    case 2: /* the other of a pair */
        line(g, "int b = t ^ s%u, x = (int)%s[t] & 1023;", k, array);
        line(g, "if (b %s) x += (int)%s[b] & 255;", pick(g, 2) ? "> t && b < threads" : "< threads",
             array);
        line(g, "__syncthreads();");
        line(g, "%s[t] = x;", array);
        break;
    case 3: /* from below */
        line(g, "int x = (int)%s[t] & 1023;", array);
        line(g, "if (t >= s%u) x += (int)%s[t - s%u] & 255;", k, array, k);
        line(g, "__syncthreads();");
        line(g, "%s[t] = x;", array);
        break;
    default: /* from above */
        line(g, "int x = (int)%s[t] & 1023;", array);
        line(g, "if (t + s%u < threads) x -= (int)%s[t + s%u] & 255;", k, array, k);
        line(g, "__syncthreads();");
        line(g, "%s[t] = x;", array);
        break;
    }
    line(g, "__syncthreads();");
    g->indent--;
    line(g, "}");
    line(g,
         "v%u = (%s)(numbers[t] ^ (int)shared[t ^ (threads & (threads - 1) ? 0 : threads / 2)]);",
         to, name_of(g->type[to]));
    line(g, "__syncthreads();");
}

/* An element of `in` as one of another type; blocks have 128 threads and 16 rows at most. */
static void element(struct gen *g)
{
    static const char *const elements[][2] = {
        {"unsigned char", ""}, {"signed char", ""}, {"short", ""},    {"unsigned short", ""},
        {"int", ""},           {"uchar4", ".x"},    {"uchar4", ".w"}, {"char4", ".y"},
        {"short2", ".y"},      {"ushort2", ".x"},   {"float", ""}};
    static const char *const places[] = {"threadIdx.y * 4 + threadIdx.x",
                                         "threadIdx.y * 8 + threadIdx.x",
                                         "threadIdx.y * blockDim.x + threadIdx.x",
                                         "t",
                                         "t / 4 * 6 + t % 4",
                                         "t / 8 * 9 + t % 8",
                                         "threadIdx.x",
                                         "threadIdx.y",
                                         "threadIdx.x / 2",
                                         "(t ^ 1)",
                                         "(127 - t)",
                                         "(i & 127)"};
    unsigned to = pick(g, g->nvars), e = pick(g, 11), form = pick(g, 12);
    bool real = e == 10;
    line(g, "v%u = (%s)((const %s *)%s)[%s + %u]%s;", to, name_of(g->type[to]), elements[e][0],
         real ? "fin" : "in", places[form], pick(g, 2) ? 0 : pick(g, 40), elements[e][1]);
}

/* To small elements of the thread's own, and from them. */
static void small(struct gen *g)
{
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars);
    switch (pick(g, 4)) {
    case 0: line(g, "small[i] = (unsigned char)v%u;", from); break;
    case 1: line(g, "small[all + i] = (unsigned char)v%u;", from); break;
    case 2: line(g, "((short *)small)[all + i] = (short)v%u;", from); break;
    default:
        line(g,
             "((uchar4 *)small)[all + i] = make_uchar4((unsigned char)v%u, t %% 3, 7, (unsigned "
             "char)v%u);",
             from, to);
    }
    const char *type = name_of(g->type[to]);
    switch (pick(g, 4)) {
    case 0: line(g, "v%u = (%s)small[i];", to, type); break;
    case 1: line(g, "v%u = (%s)(small[i] + small[all + i]);", to, type); break;
    case 2: line(g, "v%u = (%s)((short *)small)[all + i];", to, type); break;
    default: line(g, "v%u = (%s)((uchar4 *)small)[all + i].w;", to, type); break;
    }
}

static void tile(struct gen *g) /* all threads of the block are here */
{
    unsigned from = pick(g, g->nvars), to = pick(g, g->nvars), k = g->loops++;
    line(g, "bytes[t] = (unsigned char)v%u;", from);
    line(g, "numbers[t] = (int)(long long)v%u;", pick(g, g->nvars));
    line(g, "__syncthreads();");
    line(g, "unsigned s%u = %u;", k, pick(g, 3));
    switch (pick(g, 5)) {
    case 0: /* a row and a column */
        line(g, "for (int k = 0; k < (blockDim.x < blockDim.y ? blockDim.x : blockDim.y); k++)");
        line(g,
             "    s%u += bytes[threadIdx.y * blockDim.x + k] * (unsigned)numbers[k * blockDim.x + "
             "threadIdx.x];",
             k);
        break;
    case 1: line(g, "s%u += numbers[threadIdx.x * blockDim.y + threadIdx.y];", k); break;
    case 2:
        line(g, "for (int k = 0; k < blockDim.x; k++)");
        line(g, "    s%u = s%u * 3 + (bytes[threadIdx.y * blockDim.x + k] %s numbers[k]);", k, k,
             pick(g, 2) ? "^" : "&");
        break;
    case 3:
        put(g, "%*ss%u += bytes[", 4 * g->indent, "", k);
        part(g);
        put(g, " %% threads] + (unsigned)numbers[");
        part(g);
        put(g, " %% threads];\n");
        break;
    default:
        line(g, "s%u += bytes[threads - 1 - t] + (t >= %u ? bytes[t - %u] : 9);", k, 4 + k % 4,
             4 + k % 4);
    }
    line(g, "v%u = (%s)s%u;", to, name_of(g->type[to]), k);
    line(g, "__syncthreads();");
}

static void statement(struct gen *g, unsigned depth, bool together, bool in_loop)
{
    unsigned k = pick(g, together ? 23 : 13), n;
    if (!depth && k >= 3 && k < 9)
        k = 0;
    switch (k) {
    default: assign(g); break;
    case 3:
    case 4:
        put(g, "%*sif ", 4 * g->indent, "");
        condition(g, 2);
        put(g, " {\n");
        g->indent++;
        statements(g, 3, depth - 1, false, in_loop);
        g->indent--;
        if (pick(g, 2)) {
            line(g, "} else {");
            g->indent++;
            statements(g, 3, depth - 1, false, in_loop);
            g->indent--;
        }
        line(g, "}");
        break;
    case 5:
    case 6: /* as often as a variable says */
        n = g->loops++;
        put(g, "%*sfor (int k%u = 0; k%u < (int)(", 4 * g->indent, "", n, n);
        expression(g, 'u', 1);
        put(g, " %% %u); k%u++) {\n", 1 + pick(g, 6), n);
        g->indent++;
        if (is_float(g->type[0]))
            line(g, "v0 = v0 + k%u;", n);
        else
            line(g, "v0 = (%s)((unsigned long long)v0 + k%u);", name_of(g->type[0]), n);
        statements(g, 2, depth - 1, false, true);
        if (pick(g, 2)) {
            put(g, "%*sif ", 4 * g->indent, "");
            condition(g, 1);
            put(g, "\n");
            line(g, "    %s;", pick(g, 2) ? "break" : "continue");
            statements(g, 1, 0, false, true);
        }
        g->indent--;
        line(g, "}");
        break;
    case 7:
        put(g, "%*sswitch ((int)(", 4 * g->indent, "");
        expression(g, 'u', 1);
        put(g, " & 3)) {\n");
        for (unsigned c = 0; c < 3; c++) {
            line(g, c < 2 ? "case %u: {" : "default: {", c);
            g->indent++;
            statements(g, 1, depth - 1, false, false);
            g->indent--;
            line(g, pick(g, 3) ? "} break;" : "}");
        }
        line(g, "}");
        break;
    case 8: {
        n = g->loops++;
        line(g, "int a%u[4] = {t, 2, 3, (int)(long long)v0};", n);
        put(g, "%*sa%u[", 4 * g->indent, "", n);
        expression(g, 'u', 1);
        put(g, " & 3] = ");
        expression(g, 'i', 2);
        put(g, ";\n");
        unsigned to = pick(g, g->nvars);
        put(g, "%*sv%u = (%s)(a%u[", 4 * g->indent, "", to, name_of(g->type[to]), n);
        expression(g, 'u', 1);
        put(g, " & 3] ^ a%u[1]);\n", n);
        break;
    }
    case 9: atomic(g); break;
    case 10:
        n = pick(g, g->nvars);
        line(g, "v%u = (%s)in[(unsigned)(%u + t * %u) %% (unsigned)n];", n, name_of(g->type[n]),
             pick(g, 9), 1 + pick(g, 3));
        break;
    case 11: element(g); break;
    case 12: small(g); break;
    case 13: exchange(g); break;
    case 14:
        if (g->warps)
            warp(g);
        else
            exchange(g);
        break;
    case 15:
        if (!depth)
            break;
        n = g->loops++;
        line(g, "for (int k%u = 0; k%u < %u + n %% 3; k%u++) {", n, n, 1 + pick(g, 2), n);
        g->indent++;
        statements(g, 2, depth - 1, true, false);
        g->indent--;
        line(g, "}");
        break;
    case 16:
    case 17: walk(g); break;
    case 18: first_threads(g); break;
    case 19:
    case 20: pairs(g); break;
    case 21:
    case 22: tile(g); break;
    }
    (void)in_loop;
}

static void statements(struct gen *g, unsigned n, unsigned depth, bool together, bool in_loop)
{
    for (unsigned k = 1 + pick(g, n); k; k--)
        statement(g, depth, together, in_loop);
}

static void kernel(struct gen *g, uint64_t seed, unsigned number, bool warps)
{
    g->state = seed * 1000003 + 17;
    g->nvars = VALUES;
    g->loops = 0;
    g->warps = warps;
    line(g,
         "extern \"C\" __global__ void k%u(const int *in, const float *fin, long long *out, "
         "unsigned *acc, int n)\n{",
         number);
    g->indent = 1;
    line(g, "__shared__ float shared[1024];");
    line(g, "__shared__ int numbers[1024];");
    line(g, "__shared__ unsigned char bytes[1024];");
    line(g, "int threads = blockDim.x * blockDim.y, all = gridDim.x * gridDim.y * threads;");
    line(g, "unsigned char *small = (unsigned char *)(out + all * %u);", VALUES);
    line(g, "int t = threadIdx.y * blockDim.x + threadIdx.x, "
            "i = (blockIdx.y * gridDim.x + blockIdx.x) * threads + t;");
    for (unsigned k = 0; k < VALUES; k++) {
        g->type[k] = types[pick(g, 8)].letter;
        line(g, "%s v%u = (%s)%s[(i + %u) %% n];", name_of(g->type[k]), k, name_of(g->type[k]),
             is_float(g->type[k]) ? "fin" : "in", 3 * k);
    }
    statements(g, 4, 2, true, false);
    if (pick(g, 4) == 0) { /* nothing waits after this */
        put(g, "    if ");
        condition(g, 1);
        put(g, " {\n        out[i * %u] = %u;\n        return;\n    }\n", VALUES, number);
    }
    statements(g, 2, 2, false, false);
    for (unsigned k = 0; k < VALUES; k++)
        if (is_float(g->type[k])) /* NaNs have no bits of their own */
            line(g, "out[i * %u + %u] = v%u != v%u ? 77 : %s(v%u);", VALUES, k, k, k,
                 g->type[k] == 'f' ? "(long long)__float_as_int" : "__double_as_longlong", k);
        else
            line(g, "out[i * %u + %u] = (long long)v%u;", VALUES, k, k);
    g->indent = 0;
    line(g, "}\n");
}

/* ---- running ---- */
struct shape {
    uint32_t grid[2], x, y;
    const char *gang;
    bool warps, fmad;
};

static struct shape shape_of(uint64_t seed)
{
    static const uint32_t any[][2] = {{64, 1}, {33, 1}, {7, 5}, {16, 4}, {40, 3}, {1, 1}, {100, 1},
                                      {8, 8},  {4, 1},  {2, 3}, {4, 16}, {8, 2},  {1, 9}, {6, 4}},
                          whole[][2] = {{32, 1}, {64, 1}, {16, 4}, {96, 1}, {8, 8}, {128, 1}};
    static const char *const gangs[] = {"0", "1", "4", "8", "16", "32", "0", "0"};
    struct shape s = {.grid = {1 + (uint32_t)(seed % 3), 1 + (uint32_t)(seed / 5 % 2)},
                      .gang = gangs[seed / 3 % 8],
                      .warps = seed / 24 % 2,
                      .fmad = seed / 48 % 2};
    const uint32_t *b = s.warps ? whole[seed / 96 % 6] : any[seed / 96 % 14];
    s.x = b[0], s.y = b[1];
    if (s.x <= 8 && seed % 4) /* enough to fill vectors with several blocks */
        s.grid[0] = s.grid[0] * 5 + 1;
    return s;
}

static void need(enum tern_error e, const char *what, const struct diag *diag)
{
    if (!e)
        return;
    struct sbuf text;
    sbuf_init(&text, NULL);
    if (diag)
        diag_render_text(diag, &text, false);
    printf("%s: %s\n%s", what, tern_error_text(e), text.data ? text.data : "");
    exit(1);
}

struct results {
    uint64_t *out; /* by kernel */
    uint32_t acc[BATCH_MAX][ACCUMULATORS];
};

static void run_all(const char *device, struct compilation *c, const struct shape *s,
                    unsigned kernels, struct results *r, uint32_t n)
{
    struct rt_device d;
    struct dev_module *m;
    char why[256];
    setenv("TERN_GANG", s->gang, 1);
    /* the cache lets the kernels of a batch share one object */
    const struct dev_host host = {.reports = {report_write, stdout},
                                  .cache_dir = getenv("TEST_CACHE")};
    need(rt_open(device, &host, &d, why), why, NULL);
    need(d.driver->load(d.dev, c->module, &c->diag, &m), device, &c->diag);
    dev_ptr in, fin, out, acc;
    int32_t ints[256];
    float floats[256];
    for (int k = 0; k < 256; k++) {
        ints[k] = (int32_t)((uint32_t)k * 2654435761u >> (k % 29)) - (k % 3 ? 0 : 1000);
        floats[k] = (float)ints[k] / (float)(1 + k % 64);
    }
    uint64_t bytes = 8ull * n * WORDS;
    need(d.driver->alloc(d.dev, sizeof ints, 0, "in", &in), "alloc", NULL);
    need(d.driver->alloc(d.dev, sizeof floats, 0, "fin", &fin), "alloc", NULL);
    need(d.driver->alloc(d.dev, bytes, 0, "out", &out), "alloc", NULL);
    need(d.driver->alloc(d.dev, sizeof r->acc[0], 0, "acc", &acc), "alloc", NULL);
    d.driver->copy_in(d.dev, d.queue, in, ints, sizeof ints);
    d.driver->copy_in(d.dev, d.queue, fin, floats, sizeof floats);
    for (unsigned k = 0; k < kernels; k++) {
        char name[16];
        struct dev_kernel *kernel;
        struct {
            dev_ptr in, fin, out, acc;
            int n;
        } params = {in, fin, out, acc, 251};
        snprintf(name, sizeof name, "k%u", k);
        d.driver->fill(d.dev, d.queue, out, bytes, 0, 4);
        d.driver->fill(d.dev, d.queue, acc, sizeof r->acc[0], 0x55, 4);
        struct dev_launch l = {.grid = {s->grid[0], s->grid[1], 1},
                               .block = {s->x, s->y, 1},
                               .params = &params,
                               .param_bytes = 36};
        enum tern_error e = d.driver->kernel(m, name, &kernel);
        if (!e)
            e = rt_run(&d, kernel, &l);
        if (e)
            printf("%s, %s: %s\n", device, name, tern_error_name(e));
        need(e, name, NULL);
        d.driver->copy_out(d.dev, d.queue, r->out + (size_t)k * n * WORDS, out, bytes);
        d.driver->copy_out(d.dev, d.queue, r->acc[k], acc, sizeof r->acc[0]);
        need(d.driver->queue_wait(d.queue), name, NULL);
    }
    d.driver->unload(d.dev, m);
    rt_close(&d);
}

/* Kernels of one shape in one file. */
static unsigned batch(uint64_t first, unsigned kernels, uint64_t stride)
{
    struct gen g = {0};
    sbuf_init(&g.o, NULL);
    struct shape s = shape_of(first);
    for (unsigned k = 0; k < kernels; k++)
        kernel(&g, first + k * stride, k, s.warps);
    struct compilation c[2];
    struct compile_options o = {.path = "random.cu", .mode = {.no_fmad = !s.fmad}};
    need(compile_source(&c[0], &o, g.o.data, g.o.len), "compile", &c[0].diag);
    o.level = 2;
    need(compile_source(&c[1], &o, g.o.data, g.o.len), "compile", &c[1].diag);
    uint32_t n = s.grid[0] * s.grid[1] * s.x * s.y;
    static struct results r[2];
    const char *tested = getenv("TEST_DEVICE");
    unsigned bad = 0;
    for (int k = 0; k < 2; k++) {
        r[k].out = malloc(8ull * n * WORDS * kernels);
        run_all(!k ? "interp" : tested ? tested : "cpu", &c[k], &s, kernels, &r[k], n);
    }
    for (unsigned k = 0; k < kernels; k++) {
        const uint64_t *a = r[0].out + (size_t)k * n * WORDS, *b = r[1].out + (size_t)k * n * WORDS;
        uint32_t at = 0;
        while (at < n * WORDS && a[at] == b[at])
            at++;
        bool same = at == n * WORDS && !memcmp(r[0].acc[k], r[1].acc[k], sizeof r[0].acc[k]);
        bad += !same;
        if (!same && at < n * WORDS)
            printf("seed %llu (%ux%u, gang %s): thread %u, value %u: %llx, not %llx\n",
                   (unsigned long long)(first + k * stride), s.x, s.y, s.gang, at / VALUES,
                   at % VALUES, (unsigned long long)b[at], (unsigned long long)a[at]);
        else if (!same)
            printf("seed %llu (%ux%u, gang %s): atomics\n",
                   (unsigned long long)(first + k * stride), s.x, s.y, s.gang);
    }
    for (int k = 0; k < 2; k++) {
        free(r[k].out);
        compile_free(&c[k]);
    }
    sbuf_free(&g.o);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "show")) {
        struct gen g = {0};
        uint64_t seed = strtoull(argv[2], NULL, 10);
        sbuf_init(&g.o, NULL);
        kernel(&g, seed, 0, shape_of(seed).warps);
        fputs(g.o.data, stdout);
        return 0;
    }
    if (argc < 3)
        return 2;
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    unsigned size = argc > 3 ? (unsigned)atoi(argv[3]) : 1, bad = 0;
    enum { SHAPES = 96 * 42 * 5 }; /* seeds that far apart have the same shape */
    setenv("TERN_BATCH", "1", 1);
    if (size > BATCH_MAX)
        size = BATCH_MAX;
    for (uint64_t k = 0; k < count; k += size) {
        unsigned n = count - k < size ? (unsigned)(count - k) : size;
        bad += batch(first + k / size, n, SHAPES);
    }
    printf("%u of %llu programs differ\n", bad, (unsigned long long)count);
    return bad != 0;
}
