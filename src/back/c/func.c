/* One function: its regions as C statements, its values as variables.
 *
 * A value is a const variable declared where it is computed, unless it is used outside the braces
 * it is computed in: then it is declared at the top, like block parameters. A scalar used once, in
 * the same block, is written in place. Special registers are read once, at the top. Every function
 * takes the block (or thread) it runs for as its first argument, b. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/c/c_int.h"
#include "back/cpu_abi.h"
#include "back/cpu_plan.h"

const char *c_print(struct cgen *g, const char *fmt, ...)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&o, fmt, ap);
    va_end(ap);
    return o.data;
}

void c_line(struct cgen *g, const char *fmt, ...)
{
    sbuf_printf(g->out, "%*s", 4 * g->indent, "");
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(g->out, fmt, ap);
    va_end(ap);
    sbuf_putc(g->out, '\n');
}

const char *c_value(struct cgen *g, struct ir_value *v)
{
    switch (v->kind) {
    case IR_VALUE_CONST: return c_constant(g, v->type, v->u.bits);
    case IR_VALUE_GLOBAL: return c_address(g, v->u.global);
    case IR_VALUE_FUNC: return c_print(g, "(ptr)%u", lower_taken_number(v->u.func));
    default: return g->name[v->id];
    }
}

/* A C declaration of all chunks of v, with values or without. */
void c_declare(struct cgen *g, struct ir_value *v, const char *const *values)
{
    unsigned n = c_chunks(g, v->type);
    ir_type chunk = c_chunk_type(g, v->type);
    bool top = v->kind == IR_VALUE_PARAM || g->escapes[v->id];
    struct sbuf o;
    sbuf_init(&o, g->arena);
    if (!top && values)
        sbuf_puts(&o, "const ");
    if (!top || !values)
        sbuf_printf(&o, "%s ", c_type(g, chunk));
    for (unsigned k = 0; k < n; k++) {
        if (k)
            sbuf_puts(&o, top && values ? "; " : ", ");
        sbuf_puts(&o, c_chunk(g, v, k));
        if (values)
            sbuf_printf(&o, " = %s", values[k]);
    }
    c_line(g, "%s;", o.data);
}

/* ---- memory ---- */
static const char *const orders[] = {"__ATOMIC_RELAXED", "__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE",
                                     "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"};

static ir_type integer_of(ir_type t)
{
    static const ir_type by_bytes[] = {0, IR_I8, IR_I16, 0, IR_I32, 0, 0, 0, IR_I64};
    return by_bytes[ir_bytes(ir_scalar(t))];
}

static const char *from_bits(struct cgen *g, ir_type t, const char *x)
{
    if (t == IR_F32 || t == IR_F64)
        return c_print(g, "%s(%s)", c_helper(g, "float", t), x);
    return ir_kind(t) == IR_PTR ? c_print(g, "(ptr)%s", x) : x;
}

static const char *to_bits(struct cgen *g, ir_type t, const char *x)
{
    if (t == IR_F32 || t == IR_F64)
        return c_print(g, "%s(%s)", c_helper(g, "bits", t), x);
    return ir_kind(t) == IR_PTR ? c_print(g, "(u64)%s", x) : x;
}

const char *c_load(struct cgen *g, const struct ir_inst *i, ir_type t, const char *p)
{
    unsigned size = ir_bytes(t), align = i->align && i->align < size ? i->align : size;
    enum ir_order order = ir_order(i->flags);
    if (order != IR_ORDER_NONE) {
        ir_type u = integer_of(t);
        static const char *const loads[] = {"",        "RELAXED", "ACQUIRE",
                                            "ACQUIRE", "ACQUIRE", "SEQ_CST"};
        return from_bits(
            g, t,
            c_print(g, "__atomic_load_n((%s *)%s, __ATOMIC_%s)", c_type(g, u), p, loads[order]));
    }
    const char *type = c_unaligned(g, t, align);
    const char *x = c_print(g, "*(%s%s *)%s", i->flags & IR_VOLATILE ? "volatile " : "", type, p);
    return ir_kind(t) == IR_I1 ? c_print(g, "(%s & 1)", x) : x;
}

static void store(struct cgen *g, const struct ir_inst *i)
{
    ir_type t = i->args[1]->type;
    unsigned size = ir_bytes(t), align = i->align && i->align < size ? i->align : size;
    const char *p = c_value(g, i->args[0]), *x = c_value(g, i->args[1]);
    enum ir_order order = ir_order(i->flags);
    if (order != IR_ORDER_NONE) {
        static const char *const stores[] = {"",        "RELAXED", "RELEASE",
                                             "RELEASE", "RELEASE", "SEQ_CST"};
        c_line(g, "__atomic_store_n((%s *)%s, %s, __ATOMIC_%s);", c_type(g, integer_of(t)), p,
               to_bits(g, t, x), stores[order]);
        return;
    }
    c_line(g, "*(%s%s *)%s = %s;", i->flags & IR_VOLATILE ? "volatile " : "",
           c_unaligned(g, t, align), p, x);
}

/* Atomics on shared memory need no atomic instruction: a block runs on one core, and its threads
 * change only at barriers. */
const char *c_rmw(struct cgen *g, enum ir_rmw kind, ir_type t, uint32_t flags, const char *p,
                  const char *v)
{
    bool plain = flags & IR_INVARIANT; /* set by the callers below for shared memory */
    static const struct {
        const char *native; /* __atomic_ suffix */
        const char *value;  /* of a (old) and b */
    } table[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = {"fetch_add", "a + b"},
        [IR_RMW_SUB] = {"fetch_sub", "a - b"},
        [IR_RMW_AND] = {"fetch_and", "a & b"},
        [IR_RMW_OR] = {"fetch_or", "a | b"},
        [IR_RMW_XOR] = {"fetch_xor", "a ^ b"},
        [IR_RMW_UMIN] = {NULL, "a < b ? a : b"},
        [IR_RMW_UMAX] = {NULL, "a > b ? a : b"},
        [IR_RMW_SMIN] = {NULL, "$s(a) < $s(b) ? a : b"},
        [IR_RMW_SMAX] = {NULL, "$s(a) > $s(b) ? a : b"},
        [IR_RMW_INC] = {NULL, "a >= b ? 0 : a + 1"},
        [IR_RMW_DEC] = {NULL, "a == 0 || a > b ? b : a - 1"},
        [IR_RMW_XCHG] = {"exchange_n", "b"},
    };
    enum ir_order order = ir_order(flags);
    ir_type u = integer_of(t);
    const char *type = c_type(g, u);
    if (table[kind].native && !plain && ir_class(t) == IR_CLASS_INT && t != IR_I1)
        return c_print(g, "__atomic_%s((%s *)%s, %s, %s)", table[kind].native, type, p, v,
                       orders[order]);
    if (kind == IR_RMW_XCHG && !plain)
        return from_bits(g, t,
                         c_print(g, "__atomic_exchange_n((%s *)%s, %s, %s)", type, p,
                                 to_bits(g, t, v), orders[order]));
    const char *value = table[kind].value;
    if (kind >= IR_RMW_FADD) { /* through the ops of the same name */
        static const enum ir_op ops[] = {IR_OP_fadd, IR_OP_fmin, IR_OP_fmax};
        static const char *const ab[] = {"a", "b"};
        struct ir_value x = {.kind = IR_VALUE_PARAM, .type = t}, *args[2] = {&x, &x};
        struct ir_inst step = {
            .op = (uint16_t)ops[kind - IR_RMW_FADD], .type = t, .nargs = 2, .args = args};
        value = c_scalar_op(g, &step, t, t, ab);
    }
    bool is_float = t == IR_F32 || t == IR_F64;
    /* one after the other: what they need is defined in this order */
    const char *before = is_float && !plain ? from_bits(g, t, "old") : "old";
    const char *after = is_float && !plain ? to_bits(g, t, "x") : "x";
    const char *name = c_define(
        g, c_print(g, "%s_%s", plain ? "update" : "atomic", ir_rmw_info[kind].name), t, t,
        plain ? c_print(g,
                        "INLINE $T $n(ptr p, $T b)\n{\n    const $T a = *($T *)p;\n"
                        "    *($T *)p = ($T)(%s);\n    return a;\n}\n",
                        value)
              : c_print(g,
                        "INLINE $T $n(ptr p, $T b)\n{\n"
                        "    $U old = __atomic_load_n(($U *)p, __ATOMIC_RELAXED);\n"
                        "    for (;;) {\n        const $T a = %s;\n        const $T x = ($T)(%s);\n"
                        "        if (__atomic_compare_exchange_n(($U *)p, &old, %s, 1, "
                        "__ATOMIC_SEQ_CST,\n"
                        "                                        __ATOMIC_RELAXED))\n"
                        "            return a;\n    }\n}\n",
                        before, value, after));
    return c_print(g, "%s(%s, %s)", name, p, v);
}

static const char *cas(struct cgen *g, const struct ir_inst *i)
{
    ir_type t = i->type, u = integer_of(t);
    bool plain = ir_space(i->args[0]->type) == IR_SPACE_SHARED;
    const char *name =
        c_define(g, plain ? "update_cas" : "atomic_cas", u, u,
                 plain ? "INLINE $T $n(ptr p, $T a, $T b)\n{\n    const $T old = *($T *)p;\n"
                         "    if (old == a)\n        *($T *)p = b;\n    return old;\n}\n"
                       : "INLINE $T $n(ptr p, $T a, $T b)\n{\n"
                         "    __atomic_compare_exchange_n(($T *)p, &a, b, 0, __ATOMIC_SEQ_CST,\n"
                         "                                __ATOMIC_SEQ_CST);\n    return a;\n}\n");
    const char *p = c_value(g, i->args[0]);
    const char *a = to_bits(g, t, c_value(g, i->args[1]));
    const char *b = to_bits(g, t, c_value(g, i->args[2]));
    return from_bits(g, t, c_print(g, "%s(%s, %s, %s)", name, p, a, b));
}

/* ---- calls ---- */
/* Device functions that no library defines yet, by the C library. */
static bool in_libm(const char *name)
{
    static const char *const names[] = {
        "sin",   "cos",    "tan",    "asin",     "acos",     "atan",  "sinh",  "cosh",  "tanh",
        "asinh", "acosh",  "atanh",  "exp",      "exp2",     "exp10", "expm1", "log",   "log2",
        "log10", "log1p",  "sqrt",   "cbrt",     "pow",      "atan2", "hypot", "fmod",  "erf",
        "erfc",  "tgamma", "lgamma", "fabs",     "floor",    "ceil",  "round", "trunc", "rint",
        "fmin",  "fmax",   "fma",    "copysign", "remainder"};
    size_t n = strlen(name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(names[k], name, strlen(names[k])) &&
            (n == strlen(names[k]) || (n == strlen(names[k]) + 1 && name[n - 1] == 'f')))
            return true;
    return false;
}

static const char *call(struct cgen *g, const struct ir_inst *i)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    uint32_t first = 0;
    unsigned matrix = i->op == IR_OP_call ? c_mma_find(i->callee->name) : UINT_MAX;
    if (matrix != UINT_MAX) {
        sbuf_printf(&o, "%s(", c_mma(g, matrix));
    } else if (i->op == IR_OP_call && !i->callee->first) {
        if (!in_libm(i->callee->name)) {
            c_refuse(g, i,
                     c_print(g, "function '%s' is declared but defined nowhere",
                             i->callee->display ? i->callee->display : i->callee->name));
            return "0";
        }
        g->uses_libm = true;
        sbuf_printf(&o, "__builtin_%s(", i->callee->name);
    } else if (i->op == IR_OP_call) {
        sbuf_printf(&o, "%s(b%s", c_func_name(g, i->callee), i->nargs ? ", " : "");
    } else {
        first = 1;
        sbuf_printf(&o, "((%s (*)(struct tern_block *", i->nresults ? c_type(g, i->type) : "void");
        for (uint32_t k = 1; k < i->nargs; k++)
            sbuf_printf(&o, ", %s", c_type(g, i->args[k]->type));
        sbuf_printf(&o, "))tern_function(b, %s))(b%s", c_value(g, i->args[0]),
                    i->nargs > 1 ? ", " : "");
        g->calls_pointers = true;
    }
    for (uint32_t k = first; k < i->nargs; k++)
        sbuf_printf(&o, "%s%s", k > first ? ", " : "", c_value(g, i->args[k]));
    sbuf_putc(&o, ')');
    return o.data;
}

static void print(struct cgen *g, const struct ir_inst *i)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (uint32_t k = 1; k < i->nargs; k++)
        sbuf_printf(&o, "%s%s", k > 1 ? ", " : "",
                    to_bits(g, i->args[k]->type, c_value(g, i->args[k])));
    c_line(g, "b->launch->host->print(b->launch, %s, (const u64[]){%s}, %u);",
           c_value(g, i->args[0]), i->nargs > 1 ? o.data : "0", i->nargs - 1);
    if (g->uses[i->results[0].id])
        c_results(g, i, c_print(g, "%uu", i->nargs - 1));
}

/* ---- instructions ---- */
static bool in_place(struct cgen *g, const struct ir_inst *i, const char *expression)
{
    const struct ir_inst *user = i->data;
    return user && user->block == i->block && !g->escapes[i->results[0].id] &&
           strlen(expression) < 72;
}

/* Without parentheses around the whole of it. */
static const char *bare(struct cgen *g, const char *expression)
{
    size_t n = strlen(expression), k = 0;
    if (n < 3 || expression[0] != '(' || expression[n - 1] != ')')
        return expression;
    for (int depth = 0; k < n; k++) {
        depth += expression[k] == '(' ? 1 : expression[k] == ')' ? -1 : 0;
        if (depth == 0)
            break;
    }
    return k == n - 1 ? c_print(g, "%.*s", (int)n - 2, expression + 1) : expression;
}

/* The one scalar result of i. */
void c_results(struct cgen *g, const struct ir_inst *i, const char *expression)
{
    struct ir_value *v = &i->results[0];
    if (ir_op_info[i->op].flags & IR_PURE && in_place(g, i, expression)) {
        g->name[v->id] = expression;
        return;
    }
    expression = bare(g, expression);
    c_declare(g, v, &expression);
}

static void fence(struct cgen *g, const struct ir_inst *i)
{
    enum ir_order order = ir_order(i->flags);
    if (ir_scope(i->flags) == IR_SCOPE_BLOCK)
        c_line(g, "__atomic_signal_fence(__ATOMIC_SEQ_CST);");
    else
        c_line(g, "__atomic_thread_fence(%s);",
               orders[order <= IR_ORDER_RELAXED ? IR_ORDER_SEQ_CST : order]);
}

/* What only Tern's runtime can do: textures, launches. */
static void outside(struct cgen *g, const struct ir_inst *i)
{
    if (g->options->standalone) {
        c_refuse(g, i, "this needs Tern's runtime, which standalone C does without");
        return;
    }
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (uint32_t k = 0; k < i->nargs; k++)
        sbuf_printf(&o, "%s(u64)%s", k ? ", " : "",
                    to_bits(g, i->args[k]->type, c_value(g, i->args[k])));
    if (i->op == IR_OP_launch) {
        const char *r = c_print(g, "b->launch->host->launch(b, (const u64[]){%s})", o.data);
        if (g->uses[i->results[0].id])
            c_results(g, i, r);
        else
            c_line(g, "%s;", r);
        return;
    }
#define X(op) IR_OP_##op,
    static const enum ir_op what[] = {CPU_TEXTURE_OPS(X)};
#undef X
    unsigned which = 0;
    while (what[which] != i->op)
        which++;
    const char *texel = c_identifier(g, &g->locals, "texel");
    c_line(g, "u64 %s[4] = {0};", texel);
    c_line(g, "b->launch->host->texture(b, %u, %u, %lluu, (const u64[]){%s}, %u, %s);", which,
           (unsigned)i->type, (unsigned long long)i->imm, o.data, i->nargs, texel);
    for (uint32_t k = 0; k < i->nresults; k++) {
        ir_type t = i->results[k].type;
        const char *x =
            from_bits(g, t, c_print(g, "(%s)%s[%u]", c_type(g, integer_of(t)), texel, k));
        if (g->uses[i->results[k].id])
            c_declare(g, &i->results[k], &x);
    }
}

/* Each lane hands over its registers; the last one multiplies for all. */
static void mma(struct cgen *g, const struct ir_inst *i)
{
    unsigned count[3], bytes = c_mma_registers((unsigned)i->imm, count);
    const char *regs = c_identifier(g, &g->locals, "registers");
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (uint32_t k = 0; k < i->nargs; k++)
        sbuf_printf(&o, "%s%s", k ? ", " : "",
                    to_bits(g, i->args[k]->type, c_value(g, i->args[k])));
    c_line(g, "u64 %s[] = {%s};", regs, o.data);
    c_line(g, "tern_matrix(b, %s, &(const struct tern_mma){%s, %u, {%u, %u, %u}});", regs,
           c_mma(g, (unsigned)i->imm), bytes, count[0], count[1], count[2]);
    for (uint32_t k = 0; k < i->nresults; k++) {
        ir_type t = i->results[k].type;
        const char *x =
            c_print(g, "(%s)%s[%u]", c_type(g, integer_of(t)), regs, i->nargs - i->nresults + k);
        x = from_bits(g, t, x);
        if (g->uses[i->results[k].id])
            c_declare(g, &i->results[k], &x);
    }
}

/* Ops that threads of a block or warp do together; one thread is one coroutine here. */
static bool together(struct cgen *g, const struct ir_inst *i)
{
    struct ir_value **a = i->args;
    const char *x[4] = {0};
    for (uint32_t k = 0; k < i->nargs && k < 4; k++)
        x[k] = ir_kind(a[k]->type) == IR_TOKEN ? "" : c_value(g, a[k]);
    switch (i->op) {
    case IR_OP_barrier: c_line(g, "tern_barrier(b, %s, %s);", x[0], x[1]); return true;
    case IR_OP_gridsync: c_line(g, "tern_grid_sync(b);"); return true;
    case IR_OP_barrier_arrive: c_line(g, "tern_arrive(b, %s, %s);", x[0], x[1]); return true;
    case IR_OP_barrier_red:
        c_results(g, i,
                  c_print(g, "tern_barrier_reduce(b, %s, %s, %s, %u)", x[0], x[1], x[2],
                          (unsigned)i->imm));
        return true;
    case IR_OP_warpsync: c_line(g, "tern_warp(b, TERN_SYNC, %s, 0, 0, 0, 0);", x[0]); return true;
    case IR_OP_shfl: {
        const char *in = c_identifier(g, &g->locals, "in_range");
        c_line(g, "u8 %s;", in);
        const char *r =
            c_print(g, "tern_warp(b, TERN_SHUFFLE + %u, %s, %s, %s, %s, &%s)", (unsigned)i->imm,
                    x[0], to_bits(g, a[1]->type, x[1]), x[2], x[3], in);
        if (ir_bits(i->type) < 64)
            r = c_print(g, "(%s)%s", c_type(g, integer_of(i->type)), r);
        r = from_bits(g, i->type, r);
        c_declare(g, &i->results[0], &r);
        c_declare(g, &i->results[1], &in);
        return true;
    }
    case IR_OP_vote:
        c_results(g, i,
                  c_print(g, "(u32)tern_warp(b, TERN_VOTE + %u, %s, %s, 0, 0, 0)", (unsigned)i->imm,
                          x[0], x[1]));
        return true;
    case IR_OP_match: {
        const char *in = c_identifier(g, &g->locals, "agree");
        c_line(g, "u8 %s;", in);
        const char *r = c_print(g, "(u32)tern_warp(b, TERN_MATCH + %u, %s, %s, 0, 0, &%s)",
                                (unsigned)i->imm, x[0], to_bits(g, a[1]->type, x[1]), in);
        c_declare(g, &i->results[0], &r);
        c_declare(g, &i->results[1], &in);
        return true;
    }
    case IR_OP_redux:
        c_results(g, i,
                  c_print(g, "(u32)tern_warp(b, TERN_REDUCE + %u, %s, %s, 0, 0, 0)",
                          (unsigned)i->imm, x[0], x[1]));
        return true;
    case IR_OP_mma: mma(g, i); return true;
    case IR_OP_activemask:
        c_results(g, i, c_print(g, "tern_active(b, %uu)", g->places++));
        return true;
    case IR_OP_sleep: c_line(g, g->fiber ? "tern_yield(b);" : "(void)%s;", x[0]); return true;
    default: return false;
    }
}

static void go_in_step(struct cgen *g, const struct ir_inst *i)
{
    if (g->fiber && cpu_goes_in_step(i))
        c_line(g, "tern_active(b, %uu);", g->places++);
}

/* Whose failure it is: the three operands from `from` on, in code for gangs. */
static void place(struct cgen *g, const struct ir_inst *i, uint32_t from)
{
    for (uint32_t k = from; k < i->nargs; k++)
        c_line(g, "b->tid[%u] = %s;", k - from, c_value(g, i->args[k]));
}

/* Of a thread, or of what is the same for all of a gang. */
static void scalar_instruction(struct cgen *g, struct ir_inst *i, bool unused)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    const char *x =
        i->nargs && ir_kind(i->args[0]->type) != IR_TOKEN ? c_value(g, i->args[0]) : NULL;
    const char *y = i->nargs > 1 ? c_value(g, i->args[1]) : NULL;
    const char *z = i->nargs > 2 ? c_value(g, i->args[2]) : NULL;
    switch (i->op) {
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait: break;
    case IR_OP_alloca:
        c_line(g, "char %s[%llu] __attribute__((aligned(%u))) = {0};", g->name[i->results[0].id],
               (unsigned long long)(i->imm ? i->imm : 1), i->align ? i->align : 1);
        break;
    case IR_OP_load:
        go_in_step(g, i);
        x = c_load(g, i, i->type, x);
        if (!unused)
            c_results(g, i, x);
        else if (i->flags & IR_VOLATILE || ir_order(i->flags))
            c_line(g, "(void)%s;", x);
        break;
    case IR_OP_store:
        go_in_step(g, i);
        store(g, i);
        break;
    case IR_OP_memcpy: c_line(g, "__builtin_memmove(%s, %s, %s);", x, y, z); break;
    case IR_OP_memset: c_line(g, "__builtin_memset(%s, %s, %s);", x, y, z); break;
    case IR_OP_cpasync:
        c_line(g, "%s(%s, %s, %s, %u);",
               c_define(g, "copy_async", IR_I32, IR_I32,
                        "INLINE void $n(ptr to, ptr from, u32 n, u32 size)\n{\n"
                        "    for (u32 i = 0; i < size; i++)\n"
                        "        to[i] = i < n ? from[i] : 0;\n}\n"),
               x, y, z, (unsigned)i->imm);
        break;
    case IR_OP_rmw:
    case IR_OP_cas: {
        uint32_t flags = i->flags & ~(uint32_t)IR_INVARIANT;
        if (ir_space(i->args[0]->type) == IR_SPACE_SHARED)
            flags |= IR_INVARIANT;
        const char *r =
            i->op == IR_OP_cas ? cas(g, i) : c_rmw(g, (enum ir_rmw)i->imm, i->type, flags, x, y);
        if (unused)
            c_line(g, "%s;", r);
        else
            c_results(g, i, r);
        break;
    }
    case IR_OP_fence: fence(g, i); break;
    case IR_OP_malloc:
        c_results(g, i, c_print(g, "b->launch->host->alloc(b->launch, %s)", x));
        break;
    case IR_OP_free: c_line(g, "b->launch->host->release(b->launch, %s);", x); break;
    case IR_OP_sreg: g->sreg_used[i->imm] = true; break;
    case IR_OP_clock:
        c_results(
            g, i,
            c_print(g, "(%s)b->launch->host->clock(%u)", c_type(g, i->type), (unsigned)i->imm));
        break;
    case IR_OP_call:
    case IR_OP_call_ptr: {
        const char *r = call(g, i);
        if (i->nresults && !unused)
            c_results(g, i, r);
        else
            c_line(g, "%s;", r);
        break;
    }
    case IR_OP_printf: print(g, i); break;
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq:
    case IR_OP_launch: outside(g, i); break;
    case IR_OP_assertfail:
        place(g, i, 4);
        c_line(g, "b->launch->host->fail(b, %d, %s, %s, %s, %s);", TERN_ASSERT, x, y, z,
               c_value(g, i->args[3]));
        break;
    case IR_OP_trap:
        place(g, i, 0);
        c_line(g, "b->launch->host->fail(b, %d, \"trap\", 0, 0, 0);", TERN_TRAP);
        break;
    case IR_OP_select: c_results(g, i, c_print(g, "(%s ? %s : %s)", x, y, z)); break;
    case IR_OP_ptradd: c_results(g, i, c_print(g, "(%s + (i64)%s)", x, y)); break;
    case IR_OP_cvta: c_results(g, i, x); break;
    case IR_OP_isspace:
        c_results(g, i,
                  i->imm == IR_SPACE_GLOBAL
                      ? c_print(g, "(!tern_is_shared(b, %s) && !tern_is_local(b, %s))", x, x)
                  : i->imm == IR_SPACE_SHARED  ? c_print(g, "tern_is_shared(b, %s)", x)
                  : i->imm == IR_SPACE_LOCAL   ? c_print(g, "tern_is_local(b, %s)", x)
                  : i->imm == IR_SPACE_GENERIC ? "1"
                                               : "0");
        break;
    default: {
        if (!(info->flags & IR_ELEMENTWISE)) {
            c_refuse(g, i, "no C for this op");
            break;
        }
        const char *args[3] = {x, y, z};
        c_results(g, i,
                  c_scalar_op(g, i,
                              info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC
                                  ? i->args[0]->type
                                  : i->type,
                              i->args[0]->type, args));
    }
    }
}

static void instruction(struct cgen *g, struct ir_inst *i)
{
    const char *why;
    const struct ir_op_info *info = &ir_op_info[i->op];
    bool unused = i->nresults == 1 && g->uses[i->results[0].id] == 0;
    if (info->flags & IR_PURE && unused)
        return;
    if (c_supports((enum ir_op)i->op, i->type, &why) == BACK_NO) {
        c_refuse(g, i, why);
        return;
    }
    g->inst = i;
    if (i->nresults && ir_is_vector(i->results[0].type)) {
        const char *chunks[C_MAX_CHUNKS];
        if (!c_vector_op(g, i, chunks)) {
            c_refuse(g, i, "no C for this op on vectors");
            return;
        }
        if (!unused)
            c_declare(g, &i->results[0], chunks);
        return;
    }
    const char *scalar = c_vector_to_scalar(g, i);
    if (scalar) {
        c_results(g, i, scalar);
        return;
    }
    if (!c_vector_statement(g, i) && !together(g, i))
        scalar_instruction(g, i, unused);
}

/* ---- regions ---- */
struct walk {
    struct walk *up;
    const struct region
        *region; /* what a C `break` (and, for a loop, `continue`) here would leave */
};

static void source_line(struct cgen *g, struct span span)
{
    struct source_pos at;
    if (!g->job->options.line_info || !span.loc || !g->module->sources ||
        !source_position(g->module->sources, source_expanded(g->module->sources, span.loc), &at))
        return;
    if (at.line == g->line && at.path == g->line_path)
        return;
    g->line = at.line, g->line_path = at.path;
    sbuf_printf(g->out, "#line %u \"", at.line);
    sbuf_quoted(g->out, at.path);
    sbuf_puts(g->out, "\"\n");
}

static void copies(struct cgen *g, const struct region *r)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        ir_type t = c->dst ? c->dst->type : g->tree->temp_types[c->temp];
        for (unsigned n = 0; n < c_chunks(g, t); n++) {
            const char *to, *from;
            bool vector = ir_is_vector(t);
            const char *temp = vector && c_chunks(g, t) > 1 ? c_print(g, "temp__%u_%u", c->temp, n)
                                                            : c_print(g, "temp__%u", c->temp);
            to = !c->dst ? temp : vector ? c_chunk(g, c->dst, n) : c_value(g, c->dst);
            from = !c->src ? temp : vector ? c_chunk(g, c->src, n) : c_value(g, c->src);
            if (strcmp(to, from) != 0)
                c_line(g, "%s = %s;", to, from);
        }
    }
}

static void list(struct cgen *g, const struct region *r, struct walk *in);

static void braces(struct cgen *g, const struct region *body, struct walk *in)
{
    g->indent++;
    list(g, body, in);
    g->indent--;
}

static void jump(struct cgen *g, const struct region *r, struct walk *in)
{
    if (r->kind == REGION_BREAK) {
        if (in && in->region == r->target && r->target->kind != REGION_BLOCK)
            c_line(g, "break;");
        else
            c_line(g, "goto after%u;", r->target->id);
        return;
    }
    struct walk *w = in;
    while (w && w->region->kind == REGION_SWITCH)
        w = w->up;
    if (w && w->region == r->target)
        c_line(g, "continue;");
    else
        c_line(g, "goto next%u;", r->target->id);
}

/* Does some jump to r from inside need a label? */
static bool needs_label(const struct region *r, const struct region *in, enum region_kind kind,
                        const struct region *inner, const struct region *inner_loop)
{
    for (; in; in = in->next) {
        if (in->kind == kind && in->target == r) {
            if (kind == REGION_BREAK && (r->kind == REGION_BLOCK || inner != r))
                return true;
            if (kind == REGION_CONTINUE && inner_loop != r)
                return true;
        }
        const struct region *i = in->kind == REGION_LOOP || in->kind == REGION_SWITCH ? in : inner;
        const struct region *l = in->kind == REGION_LOOP ? in : inner_loop;
        if (needs_label(r, in->child, kind, i, l) || needs_label(r, in->other, kind, i, l))
            return true;
        for (uint32_t k = 0; k < in->narms; k++)
            if (needs_label(r, in->arms[k].child, kind, i, l))
                return true;
    }
    return false;
}

static bool labelled(const struct region *r, enum region_kind kind)
{
    const struct region *self = r->kind == REGION_BLOCK ? NULL : r;
    if (r->kind == REGION_SWITCH) {
        for (uint32_t k = 0; k < r->narms; k++)
            if (needs_label(r, r->arms[k].child, kind, self, NULL))
                return true;
        return false;
    }
    return needs_label(r, r->child, kind, self, r->kind == REGION_LOOP ? r : NULL);
}

static bool may_wait(const struct ir_inst *i)
{
    return i->op == IR_OP_cas || i->op == IR_OP_rmw || i->op == IR_OP_fence ||
           (i->op == IR_OP_load && (i->flags & IR_VOLATILE || ir_order(i->flags)));
}

static bool ends_in_jump(const struct region *r)
{
    while (r && r->next)
        r = r->next;
    return r && r->kind >= REGION_BREAK;
}

static void one(struct cgen *g, const struct region *r, struct walk *in)
{
    struct walk here = {.up = in, .region = r};
    switch (r->kind) {
    case REGION_CODE:
        ir_each_inst (i, r->block) {
            if (ir_op_info[i->op].flags & IR_TERMINATOR)
                break;
            source_line(g, i->span);
            if (g->fiber && may_wait(i)) /* let the thread that it may wait for run */
                c_line(g, "tern_poll(b);");
            if (g->options->track && i->span.loc &&
                ir_op_info[i->op].flags & (IR_READS | IR_WRITES))
                c_line(g, "*b->at = %uu;", i->span.loc);
            instruction(g, i);
        }
        break;
    case REGION_COPIES: copies(g, r); break;
    case REGION_IF: {
        const char *cond =
            r->cond ? c_value(g, r->cond)
                    : c_print(g, "temp__%u == %llu", r->temp, (unsigned long long)r->value);
        if (!r->child && !r->other)
            break;
        if (!r->child) {
            c_line(g, "if (!(%s)) {", bare(g, cond));
            braces(g, r->other, in);
        } else {
            c_line(g, "if (%s) {", bare(g, cond));
            braces(g, r->child, in);
            if (r->other) {
                c_line(g, "} else {");
                braces(g, r->other, in);
            }
        }
        c_line(g, "}");
        break;
    }
    case REGION_SWITCH:
        c_line(g, "switch (%s) {", c_value(g, r->cond));
        for (uint32_t k = 0; k < r->narms; k++) {
            for (uint32_t n = 0; n < r->arms[k].nvalues; n++)
                c_line(g, "case %s:%s", c_constant(g, r->cond->type, r->arms[k].values[n]),
                       n + 1 == r->arms[k].nvalues ? " {" : "");
            if (!r->arms[k].nvalues)
                c_line(g, "default: {");
            braces(g, r->arms[k].child, &here);
            if (!ends_in_jump(r->arms[k].child)) {
                g->indent++;
                c_line(g, "break;");
                g->indent--;
            }
            c_line(g, "}");
        }
        c_line(g, "}");
        if (labelled(r, REGION_BREAK))
            c_line(g, "after%u:;", r->id);
        break;
    case REGION_BLOCK:
        c_line(g, "{");
        braces(g, r->child, in);
        c_line(g, "}");
        if (labelled(r, REGION_BREAK))
            c_line(g, "after%u:;", r->id);
        break;
    case REGION_LOOP:
        if (labelled(r, REGION_CONTINUE))
            c_line(g, "next%u:;", r->id);
        c_line(g, "for (;;) {");
        braces(g, r->child, &here);
        c_line(g, "}");
        if (labelled(r, REGION_BREAK))
            c_line(g, "after%u:;", r->id);
        break;
    case REGION_BREAK:
    case REGION_CONTINUE: jump(g, r, in); break;
    case REGION_RETURN:
        if (r->cond)
            c_line(g, "return %s;", bare(g, c_value(g, r->cond)));
        else
            c_line(g, "return;");
        break;
    case REGION_EXIT:
        if (g->func->flags & IR_FUNC_KERNEL)
            c_line(g, "return;");
        else
            c_line(g, "tern_exit(b);");
        break;
    case REGION_UNREACHABLE:
        c_line(g, "b->launch->host->fail(b, %d, \"unreachable code was reached\", 0, 0, 0);",
               TERN_TRAP);
        if (g->func->ret != IR_VOID)
            c_line(g, "return %s0;", ir_kind(g->func->ret) == IR_PTR ? "(ptr)" : "");
        else
            c_line(g, "return;");
        break;
    }
}

static void list(struct cgen *g, const struct region *r, struct walk *in)
{
    for (; r; r = r->next)
        one(g, r, in);
}

/* ---- functions ---- */
/* inst->data: the one instruction that uses its result, if only one does and not over an edge. */
static void find_users(struct cgen *g, struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            i->data = NULL;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT && g->uses[i->args[k]->id] == 1)
                    i->args[k]->u.inst->data = i;
}

static void name_values(struct cgen *g, struct ir_func *f)
{
    g->name = arena_array(g->arena, const char *, f->nvalues);
    ir_each_block (b, f) {
        vec_each (struct ir_value *, v, &b->params)
            g->name[(*v)->id] =
                c_identifier(g, &g->locals, (*v)->name ? (*v)->name : c_print(g, "v%u", (*v)->id));
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++) {
                struct ir_value *v = &i->results[k];
                if (i->op == IR_OP_sreg) { /* all reads of one register share a name */
                    static const char *const names[] = {
#define IR_SREG(name, text, uniformity, meaning) #name,
#include "ir/sreg.def"
                    };
                    char low[32];
                    size_t n = 0;
                    for (const char *s = names[i->imm]; *s; s++)
                        low[n++] = *s >= 'A' && *s <= 'Z' ? (char)(*s | 32) : *s;
                    low[n] = 0;
                    const char *text = c_print(g, "%s", low);
                    map_set(&g->locals, map_key(intern_z(g->names, text)), g);
                    bool cast = i->type != (i->imm == IR_SREG_GRIDID ? IR_I64 : IR_I32);
                    g->name[v->id] = cast ? c_print(g, "(%s)%s", c_type(g, i->type), text) : text;
                } else {
                    g->name[v->id] =
                        c_identifier(g, &g->locals, v->name ? v->name : c_print(g, "v%u", v->id));
                }
            }
    }
}

static void special_registers(struct cgen *g)
{
    static const struct {
        const char *name, *value;
    } sregs[IR_SREG_COUNT] = {
        [IR_SREG_TID_X] = {"tid_x", "b->tid[0]"},
        [IR_SREG_TID_Y] = {"tid_y", "b->tid[1]"},
        [IR_SREG_TID_Z] = {"tid_z", "b->tid[2]"},
        [IR_SREG_NTID_X] = {"ntid_x", "b->launch->block[0]"},
        [IR_SREG_NTID_Y] = {"ntid_y", "b->launch->block[1]"},
        [IR_SREG_NTID_Z] = {"ntid_z", "b->launch->block[2]"},
        [IR_SREG_CTAID_X] = {"ctaid_x", "b->ctaid[0]"},
        [IR_SREG_CTAID_Y] = {"ctaid_y", "b->ctaid[1]"},
        [IR_SREG_CTAID_Z] = {"ctaid_z", "b->ctaid[2]"},
        [IR_SREG_NCTAID_X] = {"nctaid_x", "b->launch->grid[0]"},
        [IR_SREG_NCTAID_Y] = {"nctaid_y", "b->launch->grid[1]"},
        [IR_SREG_NCTAID_Z] = {"nctaid_z", "b->launch->grid[2]"},
        [IR_SREG_LANEID] = {"laneid", "tern_linear(b) & 31"},
        [IR_SREG_WARPID] = {"warpid", "tern_linear(b) >> 5"},
        [IR_SREG_NWARPID] =
            {"nwarpid",
             "(b->launch->block[0] * b->launch->block[1] * b->launch->block[2] + 31) / 32"},
        [IR_SREG_SMID] = {"smid", "b->worker"},
        [IR_SREG_NSMID] = {"nsmid", "b->launch->workers"},
        [IR_SREG_GRIDID] = {"gridid", "b->launch->id"},
        [IR_SREG_LANEMASK_EQ] = {"lanemask_eq", "1u << (tern_linear(b) & 31)"},
        [IR_SREG_LANEMASK_LT] = {"lanemask_lt", "(1u << (tern_linear(b) & 31)) - 1"},
        [IR_SREG_LANEMASK_LE] = {"lanemask_le", "(2u << (tern_linear(b) & 31)) - 1"},
        [IR_SREG_LANEMASK_GT] = {"lanemask_gt", "~((2u << (tern_linear(b) & 31)) - 1)"},
        [IR_SREG_LANEMASK_GE] = {"lanemask_ge", "~((1u << (tern_linear(b) & 31)) - 1)"},
        [IR_SREG_DYN_SHARED] = {"dyn_shared", "b->launch->dynamic_shared"},
        [IR_SREG_TOTAL_SHARED] = {"total_shared", "b->launch->shared_bytes"},
        [IR_SREG_COOPERATIVE] = {"cooperative", "b->launch->cooperative"},
        [IR_SREG_CHECKS] = {"checks", "0"},
    };
    for (unsigned k = 0; k < IR_SREG_COUNT; k++) {
        if (!g->sreg_used[k])
            continue;
        uint32_t known = k >= IR_SREG_NTID_X && k <= IR_SREG_NTID_Z
                             ? g->options->cpu.block[k - IR_SREG_NTID_X]
                             : 0;
        if (known)
            c_line(g, "const u32 %s = %u;", sregs[k].name, known);
        else
            c_line(g, "const %s %s = %s;", k == IR_SREG_GRIDID ? "u64" : "u32", sregs[k].name,
                   sregs[k].value);
    }
}

static const char *signature(struct cgen *g, struct ir_func *f, bool with_names)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    sbuf_printf(&o, "static %s %s(struct tern_block *b",
                f->ret == IR_VOID ? "void" : c_type(g, f->ret), c_func_name(g, f));
    for (size_t k = 0; k < f->params.len; k++) {
        struct ir_param *p = &f->params.data[k];
        sbuf_printf(&o, ", %s", c_type(g, p->type));
        if (with_names)
            sbuf_printf(&o, "%s%s", p->flags & IR_PARAM_RESTRICT ? " restrict " : " ",
                        g->name[f->first->params.data[k]->id]);
    }
    sbuf_putc(&o, ')');
    return o.data;
}

void c_function(struct cgen *g, struct ir_func *f)
{
    g->func = f;
    if (!c_lower_func(g, f)) {
        g->failed = true;
        return;
    }
    g->uses = ir_use_counts(g->arena, f);
    c_fold_addresses(g, f);
    g->escapes = lower_escapes(g->arena, g->tree);
    map_init(&g->locals, g->arena);
    map_init(&g->suffixes, g->arena);
    memset(g->sreg_used, 0, sizeof g->sreg_used);
    g->uses_shared = g->uses_globals = g->uses_zero = g->uses_sink = false;
    g->apart = 0;
    map_set(&g->locals, map_key(intern_z(g->names, "apart")), g);
    map_set(&g->locals, map_key(intern_z(g->names, "zero")), g);
    map_set(&g->locals, map_key(intern_z(g->names, "sink")), g);
    map_set(&g->locals, map_key(intern_z(g->names, "shared")), g);
    map_set(&g->locals, map_key(intern_z(g->names, "globals")), g);
    g->line = 0;
    name_values(g, f);
    find_users(g, f);

    struct sbuf body;
    sbuf_init(&body, g->arena);
    g->out = &body;
    g->indent = 1;
    list(g, g->tree->body, NULL);

    struct sbuf *o = g->out = &g->bodies;
    const char *head = signature(g, f, true);
    sbuf_printf(&g->protos, "%s;\n", signature(g, f, false));
    if (f->display && strcmp(f->display, f->name) != 0)
        sbuf_printf(o, "/* %s */\n", f->display);
    sbuf_printf(o, "%s\n{\n", head);
    c_line(g, "(void)b;");
    for (size_t k = 0; k < f->params.len; k++)
        if (!g->uses[f->first->params.data[k]->id])
            c_line(g, "(void)%s;", g->name[f->first->params.data[k]->id]);
    special_registers(g);
    if (g->uses_shared)
        c_line(g, "char *const shared = b->shared;");
    if (g->uses_zero)
        c_line(g, "char zero[8] __attribute__((aligned(8))) = {0};");
    if (g->uses_sink)
        c_line(g, "char sink[8] __attribute__((aligned(8)));");
    if (g->apart)
        c_line(g, "char apart[%u] __attribute__((aligned(16)));", g->apart);
    if (g->uses_globals)
        c_line(g, "char *const globals = b->launch->globals;");
    for (uint32_t k = 0; k < g->tree->ntemps; k++) {
        ir_type t = g->tree->temp_types[k];
        unsigned n = c_chunks(g, t);
        const char *type = c_type(g, c_chunk_type(g, t));
        for (unsigned c = 0; c < n; c++)
            if (n > 1)
                c_line(g, "%s temp__%u_%u = {0};", type, k, c);
            else
                c_line(g, "%s temp__%u = {0};", type, k);
    }
    ir_each_block (b, f) {
        if (b != f->first)
            vec_each (struct ir_value *, v, &b->params)
                c_declare(g, *v, NULL);
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                if (g->escapes[i->results[k].id] && i->op != IR_OP_alloca && i->op != IR_OP_sreg &&
                    ir_kind(i->results[k].type) != IR_TOKEN && g->uses[i->results[k].id])
                    c_declare(g, &i->results[k], NULL);
    }
    sbuf_put(o, body.data, body.len);
    sbuf_puts(o, "}\n\n");
    map_init(&g->suffixes, g->arena);
    map_init(&g->locals, g->arena); /* outside of it their names are free again */
}
