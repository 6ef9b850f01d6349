/* Warp matrix multiply-accumulate, a function per shape of mma.def.
 *
 * It takes the registers of all lanes, lane after lane for each register. Four neighbouring lanes
 * hold four numbers of one row of A, and of the even or odd columns of one row of C: those are
 * vectors as they stand. B is turned first, four columns at a time. Then each row of C takes k
 * steps, a number of A times a vector of B. Sums run over the registers of A in order, in the type
 * of C (f16: f32). */
#include <limits.h>
#include <string.h>
#include "back/c/c_int.h"

static const struct shape {
    const char *name, *function; /* what the vectoriser calls */
    unsigned m, k;
    const char *in, *acc;
    unsigned na, nb, nc;
} shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm)                                       \
    {text, "tern.mma." #name, m, k, #in, #acc, na, nb, nc},
#include "ir/mma.def"
};

/* Elements of four lanes' registers x as a row of numbers; j: which of those in a register. */
static const struct input {
    const char *type;
    unsigned packed;
    const char *text;
} inputs[] = {
    {"F16", 2, "half_row(x >> 16 * j & 0xffff)"},
    {"BF16", 2, "j ? (row)(x & 0xffff0000u) : (row)(x << 16)"},
    {"TF32", 1, "(row)(x & 0xffffe000u)"},
    {"F64", 1, "x"},
    {"S8", 4, "(row)((signed_words)(x << (24 - 8 * j)) >> 24)"},
    {"U8", 4, "x >> 8 * j & 255"},
};

static const char half_text[] =
    "typedef f32 half_row_t __attribute__((vector_size(16)));\n"
    "INLINE half_row_t half_row(u32 __attribute__((vector_size(16))) x)\n{\n"
    "#if defined(__aarch64__)\n"
    "    typedef u16 shorts __attribute__((vector_size(8)));\n"
    "    typedef __fp16 halves __attribute__((vector_size(8)));\n"
    "    return __builtin_convertvector((halves)__builtin_convertvector(x, shorts), half_row_t);\n"
    "#else\n"
    "    typedef u32 words __attribute__((vector_size(16)));\n"
    "    const words rest = (x & 0x7fff) << 13, full = (words)(rest >= 0x0f800000u) & "
    "0x7f800000u;\n"
    "    return (half_row_t)((words)((half_row_t)rest * 0x1p112f) | full | (x & 0x8000) << 16);\n"
    "#endif\n}\n";

static void put_once(struct cgen *g, const char *name, const char *text)
{
    const char *key = intern_z(g->names, name);
    if (!map_has(&g->defined, map_key(key))) {
        map_set(&g->defined, map_key(key), g);
        sbuf_puts(&g->helpers, text);
    }
}

/* Its name; defined when first asked for:
 *     static void NAME(const char *a, const char *b, char *c); */
const char *c_mma(struct cgen *g, unsigned which)
{
    const struct shape *s = &shapes[which];
    const struct input *in = inputs;
    while (strcmp(in->type, s->in) != 0)
        in++;
    struct sbuf o, name;
    sbuf_init(&name, g->arena);
    sbuf_printf(&name, "mma_%s", s->name);
    for (char *c = name.data; *c; c++)
        *c = *c == '.' ? '_' : *c;
    if (map_has(&g->defined, map_key(intern_z(g->names, name.data))))
        return name.data;
    bool wide = !strcmp(s->acc, "F64"), whole = !strcmp(s->acc, "S32"),
         half = !strcmp(s->acc, "F16");
    ir_type t = wide ? IR_F64 : whole ? IR_I32 : IR_F32;
    const char *element = c_type(g, t);
    const char *fma = whole ? NULL : c_helper(g, "fma", ir_vector(t, 4));
    if (half || in == inputs)
        put_once(g, "half_row", half_text);
    const char *round = half ? c_helper(g, "round", IR_F16) : "";
    unsigned e = in->packed, rows = s->m / 8;
    sbuf_init(&o, g->arena);
    sbuf_printf(&o,
                "static void %s(const char *pa, const char *pb, char *pc)\n{\n"
                "    typedef %s row __attribute__((vector_size(%u), may_alias));\n"
                "    typedef %s words __attribute__((vector_size(%u), may_alias));\n",
                name.data, element, wide ? 32 : 16, wide ? "f64" : "u32", wide ? 32 : 16);
    if (s->in[0] == 'S')
        sbuf_puts(&o, "    typedef i32 signed_words __attribute__((vector_size(16)));\n");
    sbuf_printf(&o,
                "    const words *const a = (const words *)pa, *const b = (const words *)pb;\n"
                "    row as[%u][8], bs[2][%u];\n"
                "    for (int r = 0; r < %u; r++)\n        for (int g = 0; g < 8; g++) {\n"
                "            const words x = a[8 * r + g];\n"
                "            for (int j = 0; j < %u; j++)\n"
                "                as[%u * r + j][g] = %s;\n        }\n",
                s->na * e, s->k, s->na, e, e, in->text);
    sbuf_printf(&o,
                "    for (int r = 0; r < %u; r++)\n        for (int odd = 0; odd < 2; odd++)\n"
                "            for (int j = 0; j < %u; j++) {\n                row column[4];\n"
                "                for (int c = 0; c < 4; c++) {\n"
                "                    const words x = b[8 * r + 2 * c + odd];\n"
                "                    column[c] = %s;\n                }\n"
                "                for (int t = 0; t < 4; t++)\n"
                "                    bs[odd][%u * r + %u * t + j] = (row){column[0][t], "
                "column[1][t], column[2][t], column[3][t]};\n"
                "            }\n",
                s->nb, e, in->text, 4 * e, e);
    sbuf_puts(&o, "    for (int g = 0; g < 8; g++) {\n");
    for (unsigned i = 0; i < 2 * rows; i++) {
        if (half)
            sbuf_printf(&o, "        row c%u = half_row(((words *)pc)[%u + g] >> %u & 0xffff);\n",
                        i, i / 2 * 8, i % 2 * 16);
        else
            sbuf_printf(&o, "        row c%u = ((row *)pc)[%u + g];\n", i, 8 * i);
    }
    for (unsigned r = 0; r < s->na; r++)
        for (unsigned j = 0; j < e; j++)
            for (unsigned step = 0; step < 4; step++) {
                unsigned k = step * e + j + 4 * e * (r / rows), half_row = r % rows;
                for (unsigned odd = 0; odd < 2; odd++) {
                    unsigned c = 2 * half_row + odd;
                    const char *x = c_print(g, "((row){0} + as[%u][g][%u])", r * e + j, step);
                    if (whole)
                        sbuf_printf(&o, "        c%u += %s * bs[%u][%u];\n", c, x, odd, k);
                    else
                        sbuf_printf(&o, "        c%u = %s(%s, bs[%u][%u], c%u);\n", c, fma, x, odd,
                                    k, c);
                }
            }
    for (unsigned i = 0; i < 2 * rows; i++) {
        if (!half)
            sbuf_printf(&o, "        ((row *)pc)[%u + g] = c%u;\n", 8 * i, i);
        else if (i % 2)
            sbuf_printf(&o,
                        "        for (int t = 0; t < 4; t++)\n"
                        "            ((u32 *)pc)[%u + 4 * g + t] = %s(c%u[t]) | (u32)%s(c%u[t]) << "
                        "16;\n",
                        i / 2 * 32, round, i - 1, round, i);
    }
    sbuf_puts(&o, "    }\n}\n");
    put_once(g, name.data, o.data);
    return name.data;
}

unsigned c_mma_registers(unsigned which, unsigned count[3])
{
    const struct shape *s = &shapes[which];
    count[0] = s->na, count[1] = s->nb, count[2] = s->nc;
    return strcmp(s->acc, "F64") ? 4 : 8;
}

unsigned c_mma_find(const char *name)
{
    for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (!strcmp(shapes[k].function, name))
            return k;
    return UINT_MAX;
}
