/* The PTX builder of include/tern/ptx.h.
 *
 * Text is written as calls come in: the body of the open kernel into one buffer, the finished
 * module into another. What is remembered besides is a type per register and two bits per label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "tern/ptx.h"

enum { NTYPES = TERN_PTX_S8 + 1, MAX_NAME = 200 };

static const struct type_row {
    const char *name; /* in instructions */
    const char *bits; /* in moves, selects and memory */
    const char *prefix;
    unsigned bytes;
    char class; /* i integer, f float, p predicate, m only in memory */
} types[NTYPES] = {
    [TERN_PTX_PRED] = {"pred", "pred", "%p", 1, 'p'},
    [TERN_PTX_U16] = {"u16", "b16", "%rs", 2, 'i'},
    [TERN_PTX_S32] = {"s32", "b32", "%rw", 4, 'i'},
    [TERN_PTX_U32] = {"u32", "b32", "%r", 4, 'i'},
    [TERN_PTX_S64] = {"s64", "b64", "%rl", 8, 'i'},
    [TERN_PTX_U64] = {"u64", "b64", "%rd", 8, 'i'},
    [TERN_PTX_F16] = {"f16", "b16", "%h", 2, 'f'},
    [TERN_PTX_F32] = {"f32", "f32", "%f", 4, 'f'},
    [TERN_PTX_F64] = {"f64", "f64", "%fd", 8, 'f'},
    [TERN_PTX_BF16] = {"bf16", "b16", "%hb", 2, 'f'},
    [TERN_PTX_U8] = {"u8", "u8", "", 1, 'm'},
    [TERN_PTX_S8] = {"s8", "s8", "", 1, 'm'},
};

/* Is it a type of memory, of registers that may be numbers? */
static bool is_stored(tern_ptx_type t)
{
    return t > TERN_PTX_PRED && t < (int)NTYPES;
}

static bool is_number(tern_ptx_type t)
{
    return is_stored(t) && types[t].class != 'm';
}

/* The register that an element of memory goes into. */
static tern_ptx_type register_of(tern_ptx_type t)
{
    return t == TERN_PTX_U8 ? TERN_PTX_U32 : t == TERN_PTX_S8 ? TERN_PTX_S32 : t;
}

#define BIT(t)  (1u << TERN_PTX_##t)
#define INT32   (BIT(S32) | BIT(U32))
#define INT64   (BIT(S64) | BIT(U64))
#define INTS    (BIT(U16) | INT32 | INT64)
#define SIGNED  (BIT(S32) | BIT(S64))
#define F3264   (BIT(F32) | BIT(F64))
#define FLOATS  (BIT(F16) | F3264)
#define LOGICAL (INTS | BIT(PRED))
#define ALL     (INTS | FLOATS | BIT(BF16))

/* For integers and floats the instruction before its type; `bits`: the type is .bNN. */
static const struct op_row {
    const char *name;
    unsigned operands;
    uint32_t allowed; /* types */
    const char *integer, *floating;
    bool bits;
} ops[TERN_PTX_OP_COUNT] = {
    [TERN_PTX_NEG] = {"neg", 1, SIGNED | FLOATS | BIT(BF16), "neg", "neg", false},
    [TERN_PTX_ABS] = {"abs", 1, SIGNED | FLOATS | BIT(BF16), "abs", "abs", false},
    [TERN_PTX_NOT] = {"not", 1, LOGICAL, "not", NULL, true},
    [TERN_PTX_SQRT] = {"sqrt", 1, F3264, NULL, "sqrt.rn", false},
    [TERN_PTX_RCP] = {"rcp", 1, F3264, NULL, "rcp.rn", false},
    [TERN_PTX_EX2] = {"ex2", 1, BIT(F32), NULL, "ex2.approx", false},
    [TERN_PTX_LG2] = {"lg2", 1, BIT(F32), NULL, "lg2.approx", false},
    [TERN_PTX_RSQRT] = {"rsqrt", 1, BIT(F32), NULL, "rsqrt.approx", false},
    [TERN_PTX_POPC] = {"popc", 1, BIT(U32), "popc", NULL, true},
    [TERN_PTX_ADD] = {"add", 2, INTS | FLOATS, "add", "add.rn", false},
    [TERN_PTX_SUB] = {"sub", 2, INTS | FLOATS, "sub", "sub.rn", false},
    [TERN_PTX_MUL] = {"mul", 2, INTS | FLOATS, "mul.lo", "mul.rn", false},
    [TERN_PTX_MUL_WIDE] = {"mul_wide", 2, INT32, "mul.wide", NULL, false},
    [TERN_PTX_DIV] = {"div", 2, INTS | F3264, "div", "div.rn", false},
    [TERN_PTX_REM] = {"rem", 2, INTS, "rem", NULL, false},
    [TERN_PTX_MIN] = {"min", 2, INTS | F3264 | BIT(BF16), "min", "min", false},
    [TERN_PTX_MAX] = {"max", 2, INTS | F3264 | BIT(BF16), "max", "max", false},
    [TERN_PTX_AND] = {"and", 2, LOGICAL, "and", NULL, true},
    [TERN_PTX_OR] = {"or", 2, LOGICAL, "or", NULL, true},
    [TERN_PTX_XOR] = {"xor", 2, LOGICAL, "xor", NULL, true},
    [TERN_PTX_SHL] = {"shl", 2, INTS, "shl", NULL, true},
    [TERN_PTX_SHR] = {"shr", 2, INTS, "shr", NULL, false},
    [TERN_PTX_FMA] = {"fma", 3, INT32 | INT64 | FLOATS | BIT(BF16), "mad.lo", "fma.rn", false},
};

struct tern_ptx {
    unsigned sm;
    struct sbuf module, body, text, params, names;
    char kernel[MAX_NAME];
    unsigned max_threads, min_blocks;
    uint32_t nparams, nregs, capacity, nlabels, label_capacity;
    uint8_t *reg_types;
    uint8_t *labels; /* 1: placed, 2: used */
    uint32_t counts[NTYPES];
    uint32_t *numbers; /* of registers within their type */
    bool in_kernel, has_body, wrong;
    char error[256];
};

/* ---- mistakes ---- */
static void mistake(struct tern_ptx *p, const char *call, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void mistake(struct tern_ptx *p, const char *call, const char *fmt, ...)
{
    char what[200];
    va_list ap;
    if (p->wrong)
        return;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    snprintf(p->error, sizeof p->error, "tern_ptx_%s: %s", call, what);
    p->wrong = true;
}

const char *tern_ptx_error(const tern_ptx *p)
{
    return p->wrong ? p->error : NULL;
}

static bool is_name(const char *s)
{
    if (!s || !((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s == '_' && s[1])))
        return false;
    size_t n = 0;
    for (; *s; s++, n++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              *s == '_'))
            return false;
    return n < MAX_NAME;
}

/* Names of kernels and shared variables, one a line. */
static bool is_taken(const struct tern_ptx *p, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = p->names.data; s && *s; s = strchr(s, '\n') + 1)
        if (!strncmp(s, name, n) && s[n] == '\n')
            return true;
    return false;
}

static void take_name(struct tern_ptx *p, const char *call, const char *name)
{
    if (!is_name(name))
        mistake(p, call, "'%.40s' is not a name", name ? name : "(null)");
    else if (is_taken(p, name))
        mistake(p, call, "'%.40s' is there already", name);
    else
        sbuf_printf(&p->names, "%s\n", name);
}

/* ---- registers ---- */
static tern_ptx_reg fresh(struct tern_ptx *p, tern_ptx_type t)
{
    if (t == TERN_PTX_BF16 && p->sm < 80)
        mistake(p, "new", "bf16 needs sm_80");
    if (p->wrong)
        return 0;
    if (p->nregs + 1 >= p->capacity) {
        uint32_t more = p->capacity ? p->capacity * 2 : 64;
        uint8_t *t8 = realloc(p->reg_types, more);
        if (t8)
            p->reg_types = t8;
        uint32_t *t32 = realloc(p->numbers, more * sizeof *t32);
        if (t32)
            p->numbers = t32;
        if (!t8 || !t32) {
            mistake(p, "new", "out of memory");
            return 0;
        }
        p->capacity = more;
    }
    tern_ptx_reg r = ++p->nregs;
    p->reg_types[r] = (uint8_t)t;
    p->numbers[r] = ++p->counts[t];
    return r;
}

static tern_ptx_type type_of(const struct tern_ptx *p, tern_ptx_reg r)
{
    return (tern_ptx_type)p->reg_types[r];
}

struct reg_name {
    char text[16];
};
static struct reg_name name_of(const struct tern_ptx *p, tern_ptx_reg r)
{
    struct reg_name n;
    snprintf(n.text, sizeof n.text, "%s%u", types[type_of(p, r)].prefix, p->numbers[r]);
    return n;
}
#define N(r) (name_of(p, (r)).text)

/* Is it a register of this kernel, of one of the allowed types? */
static bool check(struct tern_ptx *p, const char *call, tern_ptx_reg r, uint32_t allowed)
{
    if (p->wrong)
        return false;
    if (!p->in_kernel)
        mistake(p, call, "no kernel is open");
    else if (!r || r > p->nregs)
        mistake(p, call, "register %u is not of this kernel", r);
    else if (!(allowed & 1u << type_of(p, r)))
        mistake(p, call, "a register of type %s does not fit", types[type_of(p, r)].name);
    return !p->wrong;
}

static bool open(struct tern_ptx *p, const char *call)
{
    if (!p->wrong && !p->in_kernel)
        mistake(p, call, "no kernel is open");
    p->has_body = true;
    return !p->wrong;
}

static void line(struct tern_ptx *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void line(struct tern_ptx *p, const char *fmt, ...)
{
    va_list ap;
    if (p->wrong)
        return;
    va_start(ap, fmt);
    sbuf_putc(&p->body, '\t');
    sbuf_vprintf(&p->body, fmt, ap);
    sbuf_puts(&p->body, ";\n");
    va_end(ap);
    p->has_body = true;
}

/* ---- modules and kernels ---- */
tern_ptx *tern_ptx_new(unsigned sm)
{
    struct tern_ptx *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->sm = sm;
    sbuf_init(&p->module, NULL);
    sbuf_init(&p->body, NULL);
    sbuf_init(&p->text, NULL);
    sbuf_init(&p->params, NULL);
    sbuf_init(&p->names, NULL);
    if (sm < 70 || sm > 90)
        mistake(p, "new", "sm_%u is not between sm_70 and sm_90", sm);
    return p;
}

void tern_ptx_free(tern_ptx *p)
{
    if (!p)
        return;
    sbuf_free(&p->module);
    sbuf_free(&p->body);
    sbuf_free(&p->text);
    sbuf_free(&p->params);
    sbuf_free(&p->names);
    free(p->reg_types);
    free(p->numbers);
    free(p->labels);
    free(p);
}

const char *tern_ptx_text(tern_ptx *p)
{
    if (p->in_kernel)
        mistake(p, "text", "kernel '%.40s' is not ended", p->kernel);
    p->text.len = 0;
    sbuf_printf(&p->text, ".version 7.8\n.target sm_%u\n.address_size 64\n\n", p->sm);
    sbuf_put(&p->text, p->module.data ? p->module.data : "", p->module.len);
    if (p->text.failed || p->module.failed || p->names.failed)
        mistake(p, "text", "out of memory");
    return p->wrong ? NULL : p->text.data;
}

void tern_ptx_shared(tern_ptx *p, const char *name, size_t bytes, unsigned align)
{
    if (p->in_kernel)
        mistake(p, "shared", "a kernel is open");
    if (!bytes || bytes > 232448 || !align || align & (align - 1) || align > 128)
        mistake(p, "shared", "%zu bytes aligned to %u are not possible", bytes, align);
    take_name(p, "shared", name);
    if (!p->wrong)
        sbuf_printf(&p->module, ".shared .align %u .b8 %s[%zu];\n", align, name, bytes);
}

void tern_ptx_kernel(tern_ptx *p, const char *name)
{
    if (p->in_kernel)
        mistake(p, "kernel", "kernel '%.40s' is not ended", p->kernel);
    take_name(p, "kernel", name);
    if (p->wrong)
        return;
    snprintf(p->kernel, sizeof p->kernel, "%s", name);
    p->in_kernel = true;
    p->has_body = false;
    p->nparams = p->nregs = p->nlabels = 0;
    p->max_threads = p->min_blocks = 0;
    p->body.len = p->params.len = 0;
    memset(p->counts, 0, sizeof p->counts);
}

void tern_ptx_bounds(tern_ptx *p, unsigned max_threads, unsigned min_blocks)
{
    if (!p->wrong && !p->in_kernel)
        mistake(p, "bounds", "no kernel is open");
    if (max_threads > 1024)
        mistake(p, "bounds", "a block has at most 1024 threads, not %u", max_threads);
    p->max_threads = max_threads;
    p->min_blocks = min_blocks;
}

tern_ptx_reg tern_ptx_param(tern_ptx *p, tern_ptx_type t, const char *name)
{
    if (!p->wrong && !p->in_kernel)
        mistake(p, "param", "no kernel is open");
    else if (p->has_body && !p->wrong)
        mistake(p, "param", "parameters come before instructions");
    if (!is_number(t))
        mistake(p, "param", "a parameter cannot have this type");
    if (!is_name(name))
        mistake(p, "param", "'%.40s' is not a name", name ? name : "(null)");
    tern_ptx_reg r = fresh(p, t);
    if (!r)
        return 0;
    const char *type = types[t].class == 'f' && types[t].bytes == 2 ? "b16" : types[t].name;
    sbuf_printf(&p->params, "%s\t.param .%s p%u_%s", p->nparams ? ",\n" : "\n", type, p->nparams,
                name);
    line(p, "ld.param.%s %s, [p%u_%s]", type, N(r), p->nparams, name);
    p->nparams++;
    p->has_body = false;
    return r;
}

void tern_ptx_end(tern_ptx *p)
{
    if (!p->wrong && !p->in_kernel)
        mistake(p, "end", "no kernel is open");
    for (uint32_t l = 0; l < p->nlabels && !p->wrong; l++)
        if (p->labels[l] == 2)
            mistake(p, "end", "label %u is used and not placed", l + 1);
    p->in_kernel = false;
    if (p->wrong)
        return;
    sbuf_printf(&p->module, "\n.visible .entry %s(%s%s)\n", p->kernel,
                p->nparams ? p->params.data : "", p->nparams ? "\n" : "");
    if (p->max_threads)
        sbuf_printf(&p->module, ".maxntid %u, 1, 1\n", p->max_threads);
    if (p->min_blocks)
        sbuf_printf(&p->module, ".minnctapersm %u\n", p->min_blocks);
    sbuf_puts(&p->module, "{\n");
    for (unsigned t = TERN_PTX_PRED; t < NTYPES; t++)
        if (p->counts[t])
            sbuf_printf(&p->module, "\t.reg .%s %s<%u>;\n",
                        types[t].class == 'f' && types[t].bytes > 2 ? types[t].name
                        : types[t].bytes == 2                       ? "b16"
                                                                    : types[t].bits,
                        types[t].prefix, p->counts[t] + 1);
    sbuf_puts(&p->module, "\n");
    sbuf_put(&p->module, p->body.data ? p->body.data : "", p->body.len);
    sbuf_puts(&p->module, "\tret;\n}\n");
    if (p->module.failed || p->body.failed || p->params.failed)
        mistake(p, "end", "out of memory");
}

/* ---- values ---- */
tern_ptx_reg tern_ptx_special(tern_ptx *p, const char *name)
{
    static const char *const known[] = {
        "tid.x",       "tid.y",       "tid.z",   "ntid.x",      "ntid.y",      "ntid.z",
        "ctaid.x",     "ctaid.y",     "ctaid.z", "nctaid.x",    "nctaid.y",    "nctaid.z",
        "laneid",      "warpid",      "smid",    "lanemask_eq", "lanemask_lt", "lanemask_le",
        "lanemask_gt", "lanemask_ge", "clock",
    };
    bool found = false;
    for (size_t k = 0; name && k < sizeof known / sizeof *known; k++)
        found |= !strcmp(known[k], name);
    if (!open(p, "special"))
        return 0;
    if (!found)
        mistake(p, "special", "there is no special register '%.40s'", name ? name : "(null)");
    tern_ptx_reg r = fresh(p, TERN_PTX_U32);
    if (r)
        line(p, "mov.u32 %s, %%%s", N(r), name);
    return r;
}

static tern_ptx_reg constant(struct tern_ptx *p, const char *call, tern_ptx_type t,
                             const char *prefix, uint64_t bits)
{
    if (!open(p, call))
        return 0;
    tern_ptx_reg r = fresh(p, t);
    if (r)
        line(p, "mov.%s %s, %s%0*llX", types[t].bits, N(r), prefix,
             *prefix == '0' && prefix[1] != 'x' ? (int)types[t].bytes * 2 : 1,
             (unsigned long long)bits);
    return r;
}

tern_ptx_reg tern_ptx_u32(tern_ptx *p, uint32_t v)
{
    return constant(p, "u32", TERN_PTX_U32, "0x", v);
}

tern_ptx_reg tern_ptx_u64(tern_ptx *p, uint64_t v)
{
    return constant(p, "u64", TERN_PTX_U64, "0x", v);
}

tern_ptx_reg tern_ptx_f32(tern_ptx *p, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return constant(p, "f32", TERN_PTX_F32, "0f", bits);
}

tern_ptx_reg tern_ptx_f64(tern_ptx *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return constant(p, "f64", TERN_PTX_F64, "0d", bits);
}

tern_ptx_reg tern_ptx_address(tern_ptx *p, const char *shared)
{
    if (!open(p, "address"))
        return 0;
    if (!is_name(shared) || !is_taken(p, shared))
        mistake(p, "address", "there is no shared memory '%.40s'", shared ? shared : "(null)");
    tern_ptx_reg r = fresh(p, TERN_PTX_U32);
    if (r)
        line(p, "mov.u32 %s, %s", N(r), shared);
    return r;
}

/* ---- arithmetic ---- */
static const char *suffix(const struct op_row *o, tern_ptx_type t)
{
    return o->bits ? types[t].bits : types[t].name;
}

static bool op_starts(struct tern_ptx *p, tern_ptx_op op, unsigned operands, tern_ptx_reg a)
{
    static const char *const calls[] = {"", "op1", "op2", "op3"};
    if (p->wrong)
        return false;
    if ((unsigned)op >= TERN_PTX_OP_COUNT || ops[op].operands != operands) {
        mistake(p, calls[operands], "operation %d does not take %u operands", (int)op, operands);
        return false;
    }
    return check(p, ops[op].name, a, ops[op].allowed);
}

static const char *instruction(tern_ptx_op op, tern_ptx_type t)
{
    return types[t].class == 'f' ? ops[op].floating : ops[op].integer;
}

tern_ptx_reg tern_ptx_op1(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a)
{
    if (!op_starts(p, op, 1, a))
        return 0;
    tern_ptx_type t = type_of(p, a);
    tern_ptx_reg r = fresh(p, t);
    if (r)
        line(p, "%s.%s %s, %s", instruction(op, t), suffix(&ops[op], t), N(r), N(a));
    return r;
}

tern_ptx_reg tern_ptx_op2(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a, tern_ptx_reg b)
{
    if (!op_starts(p, op, 2, a))
        return 0;
    tern_ptx_type t = type_of(p, a);
    bool shift = op == TERN_PTX_SHL || op == TERN_PTX_SHR;
    if (!check(p, ops[op].name, b, shift ? (uint32_t)BIT(U32) : 1u << t))
        return 0;
    tern_ptx_type wide = t == TERN_PTX_S32 ? TERN_PTX_S64 : TERN_PTX_U64;
    tern_ptx_reg r = fresh(p, op == TERN_PTX_MUL_WIDE ? wide : t);
    if (r)
        line(p, "%s.%s %s, %s, %s", instruction(op, t), suffix(&ops[op], t), N(r), N(a), N(b));
    return r;
}

tern_ptx_reg tern_ptx_op3(tern_ptx *p, tern_ptx_op op, tern_ptx_reg a, tern_ptx_reg b,
                          tern_ptx_reg c)
{
    if (!op_starts(p, op, 3, a))
        return 0;
    tern_ptx_type t = type_of(p, a);
    if (!check(p, ops[op].name, b, 1u << t) || !check(p, ops[op].name, c, 1u << t))
        return 0;
    tern_ptx_reg r = fresh(p, t);
    if (r)
        line(p, "%s.%s %s, %s, %s, %s", instruction(op, t), types[t].name, N(r), N(a), N(b), N(c));
    return r;
}

tern_ptx_reg tern_ptx_test(tern_ptx *p, tern_ptx_compare c, tern_ptx_reg a, tern_ptx_reg b)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    if ((unsigned)c > TERN_PTX_GE)
        mistake(p, "test", "comparison %d does not exist", (int)c);
    if (!check(p, "test", a, INTS | FLOATS) || !check(p, "test", b, 1u << type_of(p, a)))
        return 0;
    tern_ptx_reg r = fresh(p, TERN_PTX_PRED);
    bool unordered = c == TERN_PTX_NE && types[type_of(p, a)].class == 'f';
    if (r)
        line(p, "setp.%s.%s %s, %s, %s", unordered ? "neu" : names[c], types[type_of(p, a)].name,
             N(r), N(a), N(b));
    return r;
}

tern_ptx_reg tern_ptx_select(tern_ptx *p, tern_ptx_reg cond, tern_ptx_reg yes, tern_ptx_reg no)
{
    if (!check(p, "select", cond, BIT(PRED)) || !check(p, "select", yes, ALL) ||
        !check(p, "select", no, 1u << type_of(p, yes)))
        return 0;
    tern_ptx_reg r = fresh(p, type_of(p, yes));
    if (r)
        line(p, "selp.%s %s, %s, %s, %s", types[type_of(p, yes)].bits, N(r), N(yes), N(no),
             N(cond));
    return r;
}

/* Its bits are the upper ones of a float's: the instruction for this is sm_90's. */
static tern_ptx_reg from_bf16(struct tern_ptx *p, tern_ptx_type to, tern_ptx_reg a)
{
    if (to != TERN_PTX_F32)
        mistake(p, "convert", "bf16 converts to f32 only");
    tern_ptx_reg low = fresh(p, TERN_PTX_U16), r = fresh(p, TERN_PTX_F32);
    if (!r)
        return 0;
    line(p, "mov.b16 %s, 0", N(low));
    line(p, "mov.b32 %s, {%s, %s}", N(r), N(low), N(a));
    return r;
}

tern_ptx_reg tern_ptx_bits(tern_ptx *p, tern_ptx_type to, tern_ptx_reg a)
{
    if (!is_number(to))
        mistake(p, "bits", "no register has this type");
    if (!check(p, "bits", a, ALL))
        return 0;
    if (types[to].bytes != types[type_of(p, a)].bytes)
        mistake(p, "bits", "%s and %s differ in size", types[to].name, types[type_of(p, a)].name);
    tern_ptx_reg r = fresh(p, to);
    if (r)
        line(p, "mov.b%u %s, %s", types[to].bytes * 8, N(r), N(a));
    return r;
}

tern_ptx_reg tern_ptx_convert(tern_ptx *p, tern_ptx_type to, tern_ptx_reg a)
{
    if (!is_number(to))
        mistake(p, "convert", "nothing converts to this type");
    if (!check(p, "convert", a, to == TERN_PTX_BF16 ? BIT(BF16) | BIT(F32) : ALL))
        return 0;
    tern_ptx_type from = type_of(p, a);
    if (from == TERN_PTX_BF16 && to != from)
        return from_bf16(p, to, a);
    bool from_float = types[from].class == 'f', to_float = types[to].class == 'f';
    bool narrows = to_float && from_float && types[to].bytes < types[from].bytes;
    const char *mode = from_float && !to_float                ? ".rzi"
                       : (to_float && !from_float) || narrows ? ".rn"
                                                              : "";
    tern_ptx_reg r = fresh(p, to);
    if (r && from == to)
        line(p, "mov.%s %s, %s", types[to].bits, N(r), N(a));
    else if (r)
        line(p, "cvt%s.%s.%s %s, %s", mode, types[to].name, types[from].name, N(r), N(a));
    return r;
}

void tern_ptx_assign(tern_ptx *p, tern_ptx_reg to, tern_ptx_reg from)
{
    if (check(p, "assign", to, UINT32_MAX) && check(p, "assign", from, 1u << type_of(p, to)))
        line(p, "mov.%s %s, %s", types[type_of(p, to)].bits, N(to), N(from));
}

/* ---- memory ---- */
static const char *const spaces[] = {"", ".global", ".shared", ".const", ".local"};

static bool check_address(struct tern_ptx *p, const char *call, tern_ptx_space s, tern_ptx_reg a)
{
    if ((unsigned)s > TERN_PTX_LOCAL)
        mistake(p, call, "there is no such memory");
    return check(p, call, a, s == TERN_PTX_SHARED ? (uint32_t)BIT(U32) | BIT(U64) : BIT(U64));
}

tern_ptx_reg tern_ptx_load(tern_ptx *p, tern_ptx_type t, tern_ptx_space s, tern_ptx_reg address,
                           int32_t offset)
{
    if (!is_stored(t))
        mistake(p, "load", "this type does not lie in memory");
    if (!check_address(p, "load", s, address))
        return 0;
    tern_ptx_reg r = fresh(p, register_of(t));
    if (r)
        line(p, "ld%s.%s %s, [%s+%d]", spaces[s], types[t].bits, N(r), N(address), (int)offset);
    return r;
}

void tern_ptx_store(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address, int32_t offset,
                    tern_ptx_reg v)
{
    if (s == TERN_PTX_CONST)
        mistake(p, "store", "constant memory cannot be written");
    if (check_address(p, "store", s, address) && check(p, "store", v, ALL))
        line(p, "st%s.%s [%s+%d], %s", spaces[s], types[type_of(p, v)].bits, N(address),
             (int)offset, N(v));
}

/* "{%r1, %r2}", or the one register. */
struct reg_list {
    char text[8 * 16 + 16];
};
static struct reg_list list_of(const struct tern_ptx *p, const tern_ptx_reg *r, unsigned n)
{
    struct reg_list l = {""};
    int at = snprintf(l.text, sizeof l.text, "%s", n > 1 ? "{" : "");
    for (unsigned k = 0; k < n; k++)
        at += snprintf(l.text + at, sizeof l.text - (size_t)at, "%s%s", k ? ", " : "", N(r[k]));
    snprintf(l.text + at, sizeof l.text - (size_t)at, "%s", n > 1 ? "}" : "");
    return l;
}
#define LIST(r, n) (list_of(p, r, n).text)

struct guard {
    char text[20];
};
static struct guard guard_of(const struct tern_ptx *p, const struct tern_ptx_access *a)
{
    struct guard g = {""};
    if (a->when)
        snprintf(g.text, sizeof g.text, "@%s ", N(a->when));
    return g;
}

/* Gives the number of elements; 0: a mistake. */
static unsigned check_access(struct tern_ptx *p, const char *call, const struct tern_ptx_access *a)
{
    const unsigned n = a->count ? a->count : 1;
    if (!is_stored(a->type))
        mistake(p, call, "this type does not lie in memory");
    else if ((n != 1 && n != 2 && n != 4) || n * types[a->type].bytes > 16)
        mistake(p, call, "%u elements of %s are not one access", n, types[a->type].name);
    if (!check_address(p, call, a->space, a->address) ||
        (a->when && !check(p, call, a->when, BIT(PRED))))
        return 0;
    return n;
}

static const char *vector(unsigned n)
{
    return n == 4 ? ".v4" : n == 2 ? ".v2" : "";
}

void tern_ptx_read(tern_ptx *p, const struct tern_ptx_access *a, tern_ptx_reg *out)
{
    const unsigned n = check_access(p, "read", a);
    const tern_ptx_type t = register_of(a->type);
    for (unsigned k = 0; k < (a->count ? a->count : 1) && k < 4; k++)
        out[k] = n ? fresh(p, t) : 0;
    if (!n || !out[n - 1])
        return;
    for (unsigned k = 0; k < n && a->when; k++)
        line(p, "mov.b%u %s, 0", types[t].bytes * 8, N(out[k]));
    line(p, "%sld%s%s.%s %s, [%s+%d]", guard_of(p, a).text, spaces[a->space], vector(n),
         types[a->type].bits, LIST(out, n), N(a->address), (int)a->offset);
}

void tern_ptx_write(tern_ptx *p, const struct tern_ptx_access *a, const tern_ptx_reg *v)
{
    if (a->space == TERN_PTX_CONST)
        mistake(p, "write", "constant memory cannot be written");
    const unsigned n = check_access(p, "write", a);
    for (unsigned k = 0; k < n; k++)
        if (!check(p, "write", v[k], types[a->type].class == 'm' ? (uint32_t)INT32 : 1u << a->type))
            return;
    if (n)
        line(p, "%sst%s%s.%s [%s+%d], %s", guard_of(p, a).text, spaces[a->space], vector(n),
             types[a->type].bits, N(a->address), (int)a->offset, LIST(v, n));
}

/* ---- copies beside the thread ---- */
static bool check_copy(struct tern_ptx *p, const char *call)
{
    if (open(p, call) && p->sm < 80)
        mistake(p, call, "asynchronous copies need sm_80");
    return !p->wrong;
}

void tern_ptx_copy_async(tern_ptx *p, tern_ptx_reg shared, tern_ptx_reg global, unsigned bytes,
                         tern_ptx_reg valid)
{
    if (!check_copy(p, "copy_async"))
        return;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        mistake(p, "copy_async", "%u bytes are not one copy", bytes);
    if (!check(p, "copy_async", shared, BIT(U32)) || !check(p, "copy_async", global, BIT(U64)) ||
        (valid && !check(p, "copy_async", valid, BIT(U32))))
        return;
    line(p, "cp.async.c%c.shared.global [%s], [%s], %u%s%s", bytes == 16 ? 'g' : 'a', N(shared),
         N(global), bytes, valid ? ", " : "", valid ? N(valid) : "");
}

void tern_ptx_copy_commit(tern_ptx *p)
{
    if (check_copy(p, "copy_commit"))
        line(p, "cp.async.commit_group");
}

void tern_ptx_copy_wait(tern_ptx *p, unsigned pending)
{
    if (check_copy(p, "copy_wait"))
        line(p, "cp.async.wait_group %u", pending);
}

tern_ptx_reg tern_ptx_atomic_add(tern_ptx *p, tern_ptx_space s, tern_ptx_reg address,
                                 int32_t offset, tern_ptx_reg v)
{
    if (s == TERN_PTX_CONST || s == TERN_PTX_LOCAL)
        mistake(p, "atomic_add", "there are no atomics on this memory");
    if (!check_address(p, "atomic_add", s, address) ||
        !check(p, "atomic_add", v, INT32 | BIT(U64) | F3264))
        return 0;
    tern_ptx_reg r = fresh(p, type_of(p, v));
    if (r)
        line(p, "atom%s.add.%s %s, [%s+%d], %s", spaces[s], types[type_of(p, v)].name, N(r),
             N(address), (int)offset, N(v));
    return r;
}

/* ---- together ---- */
void tern_ptx_barrier(tern_ptx *p)
{
    if (open(p, "barrier"))
        line(p, "bar.sync 0");
}

tern_ptx_reg tern_ptx_shfl(tern_ptx *p, tern_ptx_shuffle mode, tern_ptx_reg v, tern_ptx_reg lane,
                           uint32_t mask)
{
    static const char *const names[] = {"idx", "up", "down", "bfly"};
    if ((unsigned)mode > TERN_PTX_BFLY)
        mistake(p, "shfl", "shuffle %d does not exist", (int)mode);
    if (!check(p, "shfl", v, INT32 | BIT(F32)) || !check(p, "shfl", lane, BIT(U32)))
        return 0;
    tern_ptx_reg r = fresh(p, type_of(p, v));
    if (r)
        line(p, "shfl.sync.%s.b32 %s, %s, %s, %d, 0x%x", names[mode], N(r), N(v), N(lane),
             mode == TERN_PTX_UP ? 0 : 31, mask);
    return r;
}

tern_ptx_reg tern_ptx_ballot(tern_ptx *p, tern_ptx_reg pred, uint32_t mask)
{
    if (!check(p, "ballot", pred, BIT(PRED)))
        return 0;
    tern_ptx_reg r = fresh(p, TERN_PTX_U32);
    if (r)
        line(p, "vote.sync.ballot.b32 %s, %s, 0x%x", N(r), N(pred), mask);
    return r;
}

void tern_ptx_load_matrix(tern_ptx *p, unsigned count, bool transposed, tern_ptx_reg shared,
                          tern_ptx_reg *out)
{
    const bool possible = count == 1 || count == 2 || count == 4;
    for (unsigned k = 0; k < count && k < 4; k++)
        out[k] = 0;
    if (!p->wrong && p->sm < 75)
        mistake(p, "load_matrix", "matrices in shared memory need sm_75");
    if (!possible)
        mistake(p, "load_matrix", "%u matrices are not loaded at once", count);
    if (!check(p, "load_matrix", shared, BIT(U32)))
        return;
    for (unsigned k = 0; k < count; k++)
        out[k] = fresh(p, TERN_PTX_U32);
    if (out[count - 1])
        line(p, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s%s%s, [%s]", count,
             transposed ? ".trans" : "", count == 1 ? "{" : "", LIST(out, count),
             count == 1 ? "}" : "", N(shared));
}

static const struct mma_row {
    const char *name;
    unsigned sm, a, b, c; /* registers */
    tern_ptx_type in, out;
} mmas[] = {
#define ROW(NAME, text, sm, a, b, c, in, out) {text, sm, a, b, c, TERN_PTX_##in, TERN_PTX_##out},
    TERN_PTX_MMAS(ROW)
#undef ROW
};

static bool check_all(struct tern_ptx *p, const char *call, const tern_ptx_reg *r, unsigned n,
                      tern_ptx_type t)
{
    for (unsigned k = 0; k < n; k++)
        if (!check(p, call, r[k], 1u << t))
            return false;
    return true;
}

/* PTX wants braces around one register, too. */
static struct reg_list braced(const struct tern_ptx *p, const tern_ptx_reg *r, unsigned n)
{
    struct reg_list l = list_of(p, r, n);
    if (n == 1)
        snprintf(l.text, sizeof l.text, "{%s}", N(r[0]));
    return l;
}

static void matrices(struct tern_ptx *p, const char *call, const struct mma_row *m, tern_ptx_reg *d,
                     const tern_ptx_reg *a, const tern_ptx_reg *b, const tern_ptx_reg *c)
{
    tern_ptx_reg made[4] = {0};
    if (!p->wrong && p->sm < m->sm)
        mistake(p, call, "this matrix shape needs sm_%u", m->sm);
    if (check_all(p, call, a, m->a, m->in) && check_all(p, call, b, m->b, m->in) &&
        check_all(p, call, c, m->c, m->out))
        for (unsigned k = 0; k < m->c; k++)
            made[k] = fresh(p, m->out);
    if (made[m->c - 1])
        line(p, "mma.sync.aligned.%s %s, %s, %s, %s", m->name, LIST(made, m->c),
             braced(p, a, m->a).text, braced(p, b, m->b).text, LIST(c, m->c));
    memcpy(d, made, m->c * sizeof *d);
}

void tern_ptx_mma(tern_ptx *p, tern_ptx_shape shape, tern_ptx_reg *d, const tern_ptx_reg *a,
                  const tern_ptx_reg *b, const tern_ptx_reg *c)
{
    if ((unsigned)shape >= TERN_PTX_MMA_COUNT)
        mistake(p, "mma", "there is no matrix shape %d", (int)shape);
    else
        matrices(p, "mma", &mmas[shape], d, a, b, c);
}

void tern_ptx_mma_f16(tern_ptx *p, tern_ptx_reg d[4], const tern_ptx_reg a[4],
                      const tern_ptx_reg b[2], const tern_ptx_reg c[4])
{
    matrices(p, "mma_f16", &mmas[TERN_PTX_MMA_F16_K16], d, a, b, c);
}

/* ---- control ---- */
tern_ptx_label tern_ptx_new_label(tern_ptx *p)
{
    if (!open(p, "new_label"))
        return 0;
    if (p->nlabels == p->label_capacity) {
        uint32_t more = p->label_capacity ? p->label_capacity * 2 : 16;
        uint8_t *l = realloc(p->labels, more);
        if (!l) {
            mistake(p, "new_label", "out of memory");
            return 0;
        }
        p->labels = l;
        p->label_capacity = more;
    }
    p->labels[p->nlabels] = 0;
    return ++p->nlabels;
}

static bool check_label(struct tern_ptx *p, const char *call, tern_ptx_label l)
{
    if (!open(p, call))
        return false;
    if (!l || l > p->nlabels)
        mistake(p, call, "label %u is not of this kernel", l);
    return !p->wrong;
}

void tern_ptx_place(tern_ptx *p, tern_ptx_label l)
{
    if (!check_label(p, "place", l))
        return;
    if (p->labels[l - 1] & 1)
        mistake(p, "place", "label %u is placed already", l);
    p->labels[l - 1] |= 1;
    if (!p->wrong)
        sbuf_printf(&p->body, "$L%u:\n", l);
}

static void branch(struct tern_ptx *p, const char *call, const char *guard, tern_ptx_reg pred,
                   tern_ptx_label l)
{
    if (!check_label(p, call, l) || (*guard && !check(p, call, pred, BIT(PRED))))
        return;
    p->labels[l - 1] |= 2;
    if (*guard)
        line(p, "%s%s bra $L%u", guard, N(pred), l);
    else
        line(p, "bra $L%u", l);
}

void tern_ptx_branch(tern_ptx *p, tern_ptx_label l)
{
    branch(p, "branch", "", 0, l);
}

void tern_ptx_branch_if(tern_ptx *p, tern_ptx_reg pred, tern_ptx_label l)
{
    branch(p, "branch_if", "@", pred, l);
}

void tern_ptx_branch_unless(tern_ptx *p, tern_ptx_reg pred, tern_ptx_label l)
{
    branch(p, "branch_unless", "@!", pred, l);
}

void tern_ptx_return(tern_ptx *p)
{
    if (open(p, "return"))
        line(p, "ret");
}
