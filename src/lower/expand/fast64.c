/* f64 → pairs of floats (--f64=fast), on any module, before it is optimised.
 *
 * A value that was f64 is one of two things afterwards:
 *   a pair    an i64 that holds two floats: results of arithmetic, parameters of blocks and
 * functions exact     still f64: what memory, the host or integers gave (load, bitcast, kernel
 * parameters, …) Each use says which it needs, and a call of the device library
 * (device/softf64/fast64.h) converts. Arithmetic takes pairs. Everything else takes exact values:
 * memory keeps binary64, and rounding modes are honoured there. So are sums with a constant from
 * 2^48 up, which programs write to move integers into and out of the low bits, and which 48 bits
 * would ruin. */
#include <string.h>
#include "lower/lower_int.h"

#define PREFIX "__tern_fast64_"

struct fast {
    struct ir_builder b;
    struct ir_module *m;
};

static struct ir_value *call(struct fast *s, const char *name, ir_type ret, uint32_t n,
                             struct ir_value *a, struct ir_value *b, struct ir_value *c)
{
    char full[48] = PREFIX;
    strncat(full, name, sizeof full - strlen(full) - 1);
    struct ir_value *args[3] = {a, b, c};
    struct ir_func *f = ir_func_find(s->m, full);
    if (!f) {
        f = ir_func_new(s->m, full, ret, IR_FUNC_PURE);
        for (uint32_t k = 0; k < n; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    return ir_build_call(&s->b, f, args, n);
}

static double number(const struct ir_value *v)
{
    double d;
    memcpy(&d, &v->u.bits, sizeof d);
    return d;
}

static struct ir_value *constant(struct fast *s, double d)
{
    float hi = (float)d, lo = (float)(d - (double)hi);
    if (hi - hi != 0)
        lo = 0;
    uint32_t h, l;
    memcpy(&h, &hi, sizeof h);
    memcpy(&l, &lo, sizeof l);
    return ir_const(s->m, IR_I64, (uint64_t)h << 32 | l);
}

static struct ir_value *current(struct ir_value *v)
{
    while (v->forward)
        v = v->forward;
    return v;
}

/* An exact value as a pair: made where it is defined, once. */
static struct ir_value *pair(struct fast *s, struct ir_value *v)
{
    v = current(v);
    if (v->type != IR_F64)
        return v;
    if (ir_is_const(v))
        return constant(s, number(v));
    if (!v->data) {
        struct ir_builder here = s->b;
        struct ir_inst *next = v->kind == IR_VALUE_PARAM ? v->u.block->first : v->u.inst->next;
        s->b = ir_builder_before(next);
        s->b.span = next->span;
        v->data = call(s, "of", IR_I64, 1, v, NULL, NULL);
        s->b = here;
    }
    return v->data;
}

static struct ir_value *exact(struct fast *s, struct ir_value *v)
{
    v = current(v);
    return v->type == IR_F64 ? v : call(s, "to", IR_F64, 1, v, NULL, NULL);
}

/* ---- operations ---- */

static const char *const functions[IR_OP_COUNT] = {
    [IR_OP_fadd] = "add",     [IR_OP_fsub] = "sub",   [IR_OP_fmul] = "mul",
    [IR_OP_fdiv] = "div",     [IR_OP_fma] = "fma",    [IR_OP_mad] = "fma",
    [IR_OP_fsqrt] = "sqrt",   [IR_OP_fmin] = "min",   [IR_OP_fmax] = "max",
    [IR_OP_fneg] = "neg",     [IR_OP_fabs] = "abs",   [IR_OP_fcopysign] = "copysign",
    [IR_OP_ffloor] = "floor", [IR_OP_fceil] = "ceil", [IR_OP_ftrunc] = "trunc",
    [IR_OP_frint] = "rint",   [IR_OP_feq] = "eq",     [IR_OP_fne] = "eq",
    [IR_OP_flt] = "lt",       [IR_OP_fle] = "le",     [IR_OP_funo] = "unordered"};

static bool is_large(const struct ir_value *v)
{
    return ir_is_const(v) && __builtin_fabs(number(v)) >= 0x1p48 &&
           __builtin_fabs(number(v)) < 0x1p60;
}

/* Is it done on pairs? Asked before types change. */
static bool on_pairs(const struct ir_inst *i)
{
    ir_type from = i->nargs ? i->args[0]->type : IR_VOID;
    uint32_t mode = ir_op_info[i->op].flags & IR_ROUNDS ? i->flags & IR_ROUND_MASK : IR_RN;
    switch (i->op) {
    case IR_OP_fcvt:
        return mode == IR_RN &&
               ((i->type == IR_F64 && from == IR_F32) || (i->type == IR_F32 && from == IR_F64));
    case IR_OP_sitof: return i->type == IR_F64 && from == IR_I32;
    case IR_OP_ftosi: return i->type == IR_I32 && from == IR_F64 && mode == IR_RZ;
    case IR_OP_fadd:
    case IR_OP_fsub:
        if (is_large(i->args[0]) || is_large(i->args[1]))
            return false;
        /* fall through */
    default: return functions[i->op] && i->type == IR_F64 && mode == IR_RN;
    }
}

/* Does it only hand values on? Then they are pairs. */
static bool hands_on(const struct ir_inst *i)
{
    return i->op == IR_OP_select || i->op == IR_OP_call || i->op == IR_OP_call_ptr ||
           i->op == IR_OP_ret;
}

/* What a pair leaves out of a constant's 53 bits. */
static double left_out(const struct ir_value *v)
{
    double sign = 1;
    if (v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_fneg) { /* nothing is folded yet */
        v = v->u.inst->args[0];
        sign = -1;
    }
    if (!ir_is_const(v))
        return 0;
    double d = sign * number(v), hi = (float)d, lo = (float)(d - hi), rest = d - hi - lo;
    return rest - rest == 0 ? rest : 0;
}

/* a*b+c. Where b is a constant, all of its bits count: reductions of arguments rest on them. */
static struct ir_value *fused(struct fast *s, struct ir_inst *i)
{
    struct ir_value *a = i->args[0], *b = i->args[1];
    double rest = left_out(b);
    if (rest == 0) {
        a = i->args[1];
        b = i->args[0];
        rest = left_out(b);
    }
    struct ir_value *x = pair(s, a);
    struct ir_value *r = call(s, "fma", IR_I64, 3, x, pair(s, b), pair(s, i->args[2]));
    return rest != 0 ? call(s, "fma", IR_I64, 3, x, constant(s, rest), r) : r;
}

static struct ir_value *replace(struct fast *s, struct ir_inst *i)
{
    struct ir_value *x[3] = {NULL};
    switch (i->op) {
    case IR_OP_fcvt:
        if (i->type == IR_F32)
            return call(s, "to_f32", IR_F32, 1, pair(s, i->args[0]), NULL, NULL);
        return call(s, "from_f32", IR_I64, 1, current(i->args[0]), NULL, NULL);
    case IR_OP_sitof: return call(s, "from_i32", IR_I64, 1, current(i->args[0]), NULL, NULL);
    case IR_OP_ftosi: return call(s, "to_i32", IR_I32, 1, pair(s, i->args[0]), NULL, NULL);
    case IR_OP_fma: return fused(s, i);
    default: break;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        x[k] = pair(s, i->args[k]);
    bool compares = ir_op_info[i->op].shape == IR_SHAPE_FC;
    struct ir_value *r =
        call(s, functions[i->op], compares ? IR_I32 : IR_I64, i->nargs, x[0], x[1], x[2]);
    if (!compares)
        return r;
    return ir_build2(&s->b, i->op == IR_OP_fne ? IR_OP_eq : IR_OP_ne, IR_I32, r,
                     ir_const(s->m, IR_I32, 0));
}

/* ---- functions ---- */

struct work {
    struct ir_inst *i;
    bool arithmetic; /* done on pairs */
    bool *wide;      /* which arguments were f64 */
};

static void widths(struct arena *a, struct work *w)
{
    const struct ir_inst *i = w->i;
    w->wide = arena_array(a, bool, i->nargs + 1);
    for (uint32_t k = 0; k < i->nargs; k++)
        w->wide[k] = i->args[k]->type == IR_F64;
    for (uint32_t k = 0; k < i->nresults; k++)
        i->results[k].data = NULL;
    w->arithmetic = on_pairs(i);
}

static void take_pairs(struct fast *s, struct ir_value **args, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        args[k] = pair(s, args[k]);
}

static void change_function(struct arena *a, struct fast *s, struct ir_func *f)
{
    VEC(struct work) work = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct work w = {.i = i};
            widths(a, &w);
            vec_push(a, &work, w);
        }
    /* first which values are pairs, then who takes them */
    ir_each_block (b, f)
        vec_each (struct ir_value *, p, &b->params) {
            (*p)->data = NULL;
            if ((*p)->type == IR_F64 && !(f->flags & IR_FUNC_KERNEL && b == f->first))
                (*p)->type = IR_I64;
        }
    vec_each (struct work, w, &work)
        for (uint32_t k = 0; k < w->i->nresults; k++)
            if (w->i->results[k].type == IR_F64 && (w->arithmetic || hands_on(w->i)))
                w->i->results[k].type = IR_I64;
    vec_each (struct work, w, &work) {
        struct ir_inst *i = w->i;
        s->b = ir_builder_before(i);
        s->b.span = i->span;
        if (w->arithmetic) {
            i->results[0].forward = replace(s, i);
            ir_remove(i);
            continue;
        }
        if (hands_on(i)) {
            take_pairs(s, i->args, i->nargs);
            i->type = i->type == IR_F64 ? IR_I64 : i->type;
        } else {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (w->wide[k])
                    i->args[k] = exact(s, i->args[k]);
        }
        for (uint32_t e = 0; e < i->nedges; e++)
            take_pairs(s, i->edges[e].args, i->edges[e].nargs);
    }
    ir_replace_forwarded(f);
}

static bool is_ours(const struct ir_func *f)
{
    return !strncmp(f->name, PREFIX, sizeof PREFIX - 1);
}

const char *lower_fast64(struct arena *a, struct ir_module *m)
{
    struct fast s = {.m = m};
    bool any = false;
    ir_each_func (f, m) {
        if (f->flags & IR_FUNC_KERNEL)
            continue;
        f->ret = f->ret == IR_F64 ? IR_I64 : f->ret;
        vec_each (struct ir_param, p, &f->params)
            p->type = p->type == IR_F64 ? IR_I64 : p->type;
    }
    ir_each_func (f, m)
        if (f->first)
            change_function(a, &s, f);
    ir_each_func (f, m)
        any |= is_ours(f);
    return any ? "#include \"device/softf64/fast64.h\"\n" : NULL;
}

/* Only while they were on their own they had to be kept whole. */
void lower_fast64_linked(struct ir_module *m)
{
    ir_each_func (f, m)
        if (is_ours(f))
            f->flags = (f->flags & ~(uint32_t)IR_FUNC_NOINLINE) | IR_FUNC_INLINE;
}
