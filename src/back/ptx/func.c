/* One function: its registers, parameters, blocks in reverse post order, edges and calls.
 *
 * Control flow stays a graph. A block's parameters are registers; an edge that carries arguments
 * sets them all at once, ordered so that none is overwritten before it is read, with a temporary
 * where they form a cycle. */
#include <stdio.h>
#include <string.h>
#include "back/group.h"
#include "back/ptx/ptx_int.h"

const struct ptx_class_info ptx_class_info[PTX_CLASSES] = {
    [PTX_PRED] = {"%p", "pred", "pred", 1}, [PTX_B16] = {"%rs", "b16", "b16", 2},
    [PTX_B32] = {"%r", "b32", "b32", 4},    [PTX_B64] = {"%rd", "b64", "b64", 8},
    [PTX_F16] = {"%h", "b16", "b16", 2},    [PTX_F32] = {"%f", "f32", "b32", 4},
    [PTX_F64] = {"%fd", "f64", "b64", 8},
};

enum ptx_class ptx_class_of(ir_type t)
{
    switch (ir_kind(t)) {
    case IR_I1: return PTX_PRED;
    case IR_I8:
    case IR_I16: return PTX_B16;
    case IR_I32: return PTX_B32;
    case IR_I64: return PTX_B64;
    case IR_F16:
    case IR_BF16: return PTX_F16;
    case IR_F32: return PTX_F32;
    case IR_F64: return PTX_F64;
    case IR_PTR:
        return ir_space(t) == IR_SPACE_SHARED || ir_space(t) == IR_SPACE_LOCAL ? PTX_B32 : PTX_B64;
    default: return PTX_CLASSES;
    }
}

/* ---- text ---- */
void ptx_line(struct ptx_func *e, const char *fmt, ...)
{
    va_list ap;
    sbuf_putc(&e->body, '\t');
    va_start(ap, fmt);
    sbuf_vprintf(&e->body, fmt, ap);
    va_end(ap);
    sbuf_puts(&e->body, ";\n");
}

uint32_t ptx_label(struct ptx_func *e)
{
    return e->label++;
}

void ptx_mark(struct ptx_func *e, uint32_t label)
{
    sbuf_printf(&e->body, "$T%u:\n", label);
}

void ptx_refuse(struct ptx_func *e, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct span at = e->current ? e->current->span : e->f->span;
    diag_error(e->p->job->diag, at, "%s: not possible in PTX for sm_%u (function '%s')", text,
               e->p->arch, e->f->display ? e->f->display : e->f->name);
    e->p->failed = true;
}

bool ptx_needs_arch(struct ptx_func *e, unsigned arch, const char *what)
{
    if (e->p->arch >= arch)
        return true;
    ptx_refuse(e, "%s needs sm_%u", what, arch);
    return false;
}

/* ---- registers and operands ---- */
const char *ptx_fresh(struct ptx_func *e, enum ptx_class c)
{
    return arena_printf(e->a, "%s%u", ptx_class_info[c].prefix, ++e->count[c]);
}

const char *ptx_reg(struct ptx_func *e, struct ir_value *v)
{
    enum ptx_class c = ptx_class_of(v->type);
    if (c == PTX_CLASSES)
        return "%none"; /* tokens are never printed */
    if (!e->reg[v->id])
        e->reg[v->id] = ++e->count[c];
    return arena_printf(e->a, "%s%u", ptx_class_info[c].prefix, e->reg[v->id]);
}

static const char *constant(struct ptx_func *e, struct ir_value *v)
{
    uint64_t b = v->u.bits;
    switch (ir_kind(v->type)) {
    case IR_I8: return arena_printf(e->a, "%u", (unsigned)(b & 255));
    case IR_I16: return arena_printf(e->a, "%d", (int)(int16_t)b);
    case IR_I32: return arena_printf(e->a, "%d", (int)(int32_t)b);
    case IR_F32: return arena_printf(e->a, "0f%08X", (unsigned)b);
    case IR_F64: return arena_printf(e->a, "0d%016llX", (unsigned long long)b);
    default: break;
    }
    if (ptx_class_of(v->type) == PTX_B32)
        return arena_printf(e->a, "%d", (int)(int32_t)b);
    if (b < 1u << 31 || -b < 1u << 31)
        return arena_printf(e->a, "%lld", (long long)b);
    return arena_printf(e->a, "0x%llx", (unsigned long long)b);
}

const char *ptx_operand(struct ptx_func *e, struct ir_value *v)
{
    enum ptx_class c = ptx_class_of(v->type);
    if (v->kind == IR_VALUE_CONST && c != PTX_PRED && c != PTX_F16)
        return constant(e, v);
    return ptx_in_reg(e, v);
}

const char *ptx_in_reg(struct ptx_func *e, struct ir_value *v)
{
    enum ptx_class c = ptx_class_of(v->type);
    const char *r;
    switch (v->kind) {
    case IR_VALUE_CONST:
        r = ptx_fresh(e, c);
        if (c == PTX_PRED)
            ptx_line(e, "mov.pred %s, %d", r, (int)(v->u.bits & 1));
        else if (c == PTX_F16)
            ptx_line(e, "mov.b16 %s, 0x%04X", r, (unsigned)(v->u.bits & 0xffff));
        else
            ptx_line(e, "mov.%s %s, %s",
                     c == PTX_F32   ? "f32"
                     : c == PTX_F64 ? "f64"
                                    : ptx_class_info[c].bits,
                     r, constant(e, v));
        return r;
    case IR_VALUE_GLOBAL:
        r = ptx_fresh(e, c);
        ptx_line(e, "mov.u%s %s, %s", ptx_class_info[c].bits + 1, r,
                 (const char *)map_get(&e->p->symbols, map_key(v->u.global)));
        return r;
    case IR_VALUE_FUNC:
        r = ptx_fresh(e, PTX_B64);
        ptx_line(e, "mov.u64 %s, %s", r, (const char *)map_get(&e->p->symbols, map_key(v->u.func)));
        return r;
    case IR_VALUE_PARAM:
        if (v->u.block == e->f->first && ir_space(v->type) == IR_SPACE_PARAM &&
            ir_kind(v->type) == IR_PTR && e->f->flags & IR_FUNC_KERNEL) {
            r = ptx_fresh(e, PTX_B64);
            ptx_line(e, "mov.b64 %s, %s", r, ptx_param_name(e, v->index));
            return r;
        }
        break;
    default:
        if (!(e->uses[v->id] & PTX_USED_AS_VALUE) && back_is_folded_add(v->u.inst)) {
            /* an addition that lives inside addresses is asked for after all */
            struct ptx_address at = ptx_address(e, v, 0);
            r = ptx_fresh(e, c);
            ptx_line(e, "add.s%s %s, %s, %lld", ptx_class_info[c].bits + 1, r, at.base,
                     (long long)at.offset);
            return r;
        }
        break;
    }
    return ptx_reg(e, v);
}

/* ---- what is needed as what ---- */
static bool is_address_operand(const struct ir_inst *i, uint32_t k)
{
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_rmw:
    case IR_OP_cas: return k == 0;
    default: return k == 0 && back_is_folded_add(i);
    }
}

static bool is_float_arithmetic(const struct ir_inst *i)
{
    if (i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign)
        return false;
    switch (ir_op_info[i->op].shape) {
    case IR_SHAPE_F1:
    case IR_SHAPE_F2:
    case IR_SHAPE_F3:
    case IR_SHAPE_FC: return true;
    default: return false;
    }
}

static void find_uses(struct ptx_func *e)
{
    ir_each_block (b, e->f)
        ir_each_inst (i, b) {
            i->data = NULL;
            for (uint32_t k = 0; k < i->nargs; k++) {
                struct ir_value *v = i->args[k];
                if (v->kind != IR_VALUE_RESULT && v->kind != IR_VALUE_PARAM)
                    continue;
                if (!is_address_operand(i, k))
                    e->uses[v->id] |= PTX_USED_AS_VALUE;
                else if (i->op == IR_OP_rmw && ir_kind(i->type) == IR_I8)
                    e->uses[v->id] |= PTX_USED_AS_VALUE;
                if (!is_float_arithmetic(i))
                    e->uses[v->id] |= PTX_USED_EXACTLY;
            }
            for (uint32_t k = 0; k < i->nedges; k++)
                for (uint32_t n = 0; n < i->edges[k].nargs; n++) {
                    struct ir_value *v = i->edges[k].args[n];
                    if (v->kind == IR_VALUE_RESULT || v->kind == IR_VALUE_PARAM)
                        e->uses[v->id] |= PTX_USED_AS_VALUE | PTX_USED_EXACTLY;
                }
        }
}

/* ---- edges ---- */
static void move(struct ptx_func *e, enum ptx_class c, const char *to, const char *from)
{
    ptx_line(e, "mov.%s %s, %s",
             c == PTX_F32   ? "f32"
             : c == PTX_F64 ? "f64"
                            : ptx_class_info[c].bits,
             to, from);
}

/* The register that holds a value, if one does yet: values may be tied to one. */
static uint32_t place(const struct ptx_func *e, const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT || v->kind == IR_VALUE_PARAM ? e->reg[v->id] : 0;
}

static bool same_place(const struct ptx_func *e, const struct ir_value *v, const struct ir_value *w)
{
    return v == w || (place(e, v) && place(e, v) == place(e, w) &&
                      ptx_class_of(v->type) == ptx_class_of(w->type));
}

static bool has_copies(const struct ptx_func *e, const struct ir_edge *edge)
{
    for (uint32_t k = 0; k < edge->nargs; k++)
        if (!same_place(e, edge->args[k], edge->to->params.data[k]) &&
            ir_kind(edge->args[k]->type) != IR_TOKEN)
            return true;
    return false;
}

static void emit_copies(struct ptx_func *e, const struct ir_edge *edge)
{
    uint32_t n = 0;
    struct copy {
        struct ir_value *to, *from;
        const char *held;
    } * c;
    c = arena_array(e->a, struct copy, edge->nargs);
    for (uint32_t k = 0; k < edge->nargs; k++) {
        struct ir_value *to = edge->to->params.data[k], *from = edge->args[k];
        if (!same_place(e, to, from) && ir_kind(to->type) != IR_TOKEN)
            c[n++] = (struct copy){to, from, NULL};
    }
    while (n) {
        bool moved = false;
        for (uint32_t k = 0; k < n; k++) {
            bool read_later = false;
            for (uint32_t j = 0; j < n; j++)
                read_later |= j != k && !c[j].held && same_place(e, c[j].from, c[k].to);
            if (read_later)
                continue;
            const char *src = c[k].held ? c[k].held : ptx_operand(e, c[k].from);
            move(e, ptx_class_of(c[k].to->type), ptx_reg(e, c[k].to), src);
            c[k] = c[--n];
            moved = true;
            break;
        }
        if (moved)
            continue;
        /* a cycle: hold one source aside */
        const char *t = ptx_fresh(e, ptx_class_of(c[0].from->type));
        move(e, ptx_class_of(c[0].from->type), t, ptx_reg(e, c[0].from));
        c[0].held = t;
    }
}

static const char *block_label(struct ptx_func *e, const struct ir_block *b)
{
    char hint[24];
    size_t n = 0;
    for (const char *s = b->name; s && *s && n < sizeof hint - 1; s++)
        hint[n++] = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')
                        ? *s
                        : '_';
    hint[n] = 0;
    return arena_printf(e->a, n ? "$L%u_%s" : "$L%u", b->id, hint);
}

static void jump(struct ptx_func *e, const struct ir_block *to, const struct ir_block *next)
{
    if (to != next)
        ptx_line(e, "bra %s", block_label(e, to));
}

static void emit_condbr(struct ptx_func *e, struct ir_inst *i, const struct ir_block *next)
{
    struct ir_edge *yes = &i->edges[0], *no = &i->edges[1];
    const char *p = ptx_in_reg(e, i->args[0]);
    if (!has_copies(e, yes) && (has_copies(e, no) || yes->to != next)) {
        ptx_line(e, "@%s bra %s", p, block_label(e, yes->to));
        emit_copies(e, no);
        jump(e, no->to, next);
    } else if (!has_copies(e, no)) {
        ptx_line(e, "@!%s bra %s", p, block_label(e, no->to));
        emit_copies(e, yes);
        jump(e, yes->to, next);
    } else {
        uint32_t other = ptx_label(e);
        ptx_line(e, "@!%s bra $T%u", p, other);
        emit_copies(e, yes);
        ptx_line(e, "bra %s", block_label(e, yes->to));
        ptx_mark(e, other);
        emit_copies(e, no);
        jump(e, no->to, next);
    }
}

static void emit_switch(struct ptx_func *e, struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    const char *x = ptx_in_reg(e, i->args[0]);
    unsigned bits = ir_bits(t);
    if (bits < 32) {
        if (bits == 1) {
            const char *w = ptx_fresh(e, PTX_B32);
            ptx_line(e, "selp.b32 %s, 1, 0, %s", w, x);
            x = w;
        } else {
            x = ptx_widen(e, t, x, false);
        }
        bits = 32;
    }
    /* edges with arguments go through a label of their own */
    const char **target = arena_array(e->a, const char *, i->nedges);
    for (uint32_t k = 0; k < i->nedges; k++)
        target[k] = has_copies(e, &i->edges[k]) ? arena_printf(e->a, "$T%u", ptx_label(e))
                                                : block_label(e, i->edges[k].to);
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t k = 1; k < i->nedges; k++) {
        low = i->edges[k].case_value < low ? i->edges[k].case_value : low;
        high = i->edges[k].case_value > high ? i->edges[k].case_value : high;
    }
    if (i->nedges > 5 && high - low < 2 * (uint64_t)i->nedges && high - low < 1024) {
        const char *at = ptx_fresh(e, bits == 64 ? PTX_B64 : PTX_B32), *w = at;
        const char *p = ptx_fresh(e, PTX_PRED);
        uint32_t table = ptx_label(e);
        ptx_line(e, "sub.s%u %s, %s, %lld", bits, at, x, (long long)low);
        ptx_line(e, "setp.gt.u%u %s, %s, %llu", bits, p, at, (unsigned long long)(high - low));
        ptx_line(e, "@%s bra %s", p, target[0]);
        if (bits == 64) {
            w = ptx_fresh(e, PTX_B32);
            ptx_line(e, "cvt.u32.u64 %s, %s", w, at);
        }
        sbuf_printf(&e->body, "$T%u: .branchtargets", table);
        for (uint64_t v = low; v <= high; v++) {
            const char *to = target[0];
            for (uint32_t k = 1; k < i->nedges; k++)
                if (i->edges[k].case_value == v)
                    to = target[k];
            sbuf_printf(&e->body, "%s %s", v == low ? "" : ",", to);
        }
        sbuf_puts(&e->body, ";\n");
        ptx_line(e, "brx.idx %s, $T%u", w, table);
    } else {
        for (uint32_t k = 1; k < i->nedges; k++) {
            const char *p = ptx_fresh(e, PTX_PRED);
            ptx_line(e, "setp.eq.s%u %s, %s, %lld", bits, p, x,
                     bits == 32 ? (long long)(int32_t)i->edges[k].case_value
                                : (long long)i->edges[k].case_value);
            ptx_line(e, "@%s bra %s", p, target[k]);
        }
        ptx_line(e, "bra %s", target[0]);
    }
    for (uint32_t k = 0; k < i->nedges; k++)
        if (has_copies(e, &i->edges[k])) {
            sbuf_printf(&e->body, "%s:\n", target[k]);
            emit_copies(e, &i->edges[k]);
            ptx_line(e, "bra %s", block_label(e, i->edges[k].to));
        }
}

/* ---- calls ---- */
static const char *param_bits(ir_type t)
{
    enum ptx_class c = ptx_class_of(t);
    return ptx_class_info[c].bytes <= 4 ? "b32" : "b64";
}

static void pass(struct ptx_func *e, ir_type t, const char *v, const char *slot)
{
    enum ptx_class c = ptx_class_of(t);
    if (ptx_class_info[c].bytes < 4) {
        const char *w = ptx_fresh(e, PTX_B32);
        ptx_line(e, c == PTX_PRED ? "selp.b32 %s, 1, 0, %s" : "cvt.u32.u16 %s, %s", w, v);
        v = w;
    }
    ptx_line(e, "st.param.%s [%s], %s", param_bits(t), slot, v);
}

static void take(struct ptx_func *e, ir_type t, const char *d, const char *slot)
{
    enum ptx_class c = ptx_class_of(t);
    const char *to = ptx_class_info[c].bytes < 4 ? ptx_fresh(e, PTX_B32) : d;
    ptx_line(e, "ld.param.%s %s, [%s]", param_bits(t), to, slot);
    if (to != d)
        ptx_line(e, c == PTX_PRED ? "setp.ne.s32 %s, %s, 0" : "cvt.u16.u32 %s, %s", d, to);
}

static void emit_call(struct ptx_func *e, struct ir_inst *i)
{
    uint32_t first = i->op == IR_OP_call_ptr;
    ir_type ret = i->nresults ? i->results[0].type : IR_VOID;
    if (!first && i->callee->flags & IR_FUNC_KERNEL) {
        ptx_refuse(e, "a call of kernel '%s'", i->callee->name);
        return;
    }
    if (!first && lower_call_of(i->callee) == LOWER_CALL_LAUNCH)
        e->needs |= BACK_USES_LAUNCH;
    /* operands before the braces, so that what they need is not scoped */
    const char **args = arena_array(e->a, const char *, i->nargs + 1);
    for (uint32_t k = first; k < i->nargs; k++)
        args[k] = ptx_in_reg(e, i->args[k]);
    const char *callee =
        first ? ptx_generic(e, i->args[0]) : map_get(&e->p->symbols, map_key(i->callee));
    uint32_t n = ptx_label(e);
    sbuf_puts(&e->body, "\t{\n");
    struct sbuf list;
    sbuf_init(&list, e->a);
    for (uint32_t k = first; k < i->nargs; k++) {
        ptx_line(e, ".param .%s a%u_%u", param_bits(i->args[k]->type), n, k - first);
        pass(e, i->args[k]->type, args[k], arena_printf(e->a, "a%u_%u", n, k - first));
        sbuf_printf(&list, "%sa%u_%u", k > first ? ", " : "", n, k - first);
    }
    sbuf_puts(&list, "");
    const char *result = "";
    if (ret != IR_VOID) {
        ptx_line(e, ".param .%s v%u", param_bits(ret), n);
        result = arena_printf(e->a, "(v%u), ", n);
    }
    const char *prototype = "";
    if (first) {
        sbuf_printf(&e->body, "\tproto%u: .callprototype ", n);
        if (ret != IR_VOID)
            sbuf_printf(&e->body, "(.param .%s _) ", param_bits(ret));
        sbuf_puts(&e->body, "_ (");
        for (uint32_t k = first; k < i->nargs; k++)
            sbuf_printf(&e->body, "%s.param .%s _", k > first ? ", " : "",
                        param_bits(i->args[k]->type));
        sbuf_puts(&e->body, ");\n");
        prototype = arena_printf(e->a, ", proto%u", n);
    }
    if (i->nargs > first || first)
        ptx_line(e, "call %s%s, (%s)%s", result, callee, list.data, prototype);
    else
        ptx_line(e, "call %s%s", result, callee);
    if (ret != IR_VOID)
        take(e, ret, ptx_reg(e, &i->results[0]), arena_printf(e->a, "v%u", n));
    sbuf_puts(&e->body, "\t}\n");
}

/* Calls of the functions that every driver provides. */
static void emit_system_call(struct ptx_func *e, const char *name, const char *result_type,
                             const char *result, unsigned n, const char *const *types,
                             const char *const *values)
{
    uint32_t id = ptx_label(e);
    sbuf_puts(&e->body, "\t{\n");
    struct sbuf list;
    sbuf_init(&list, e->a);
    for (unsigned k = 0; k < n; k++) {
        ptx_line(e, ".param .%s a%u_%u", types[k], id, k);
        ptx_line(e, "st.param.%s [a%u_%u], %s", types[k], id, k, values[k]);
        sbuf_printf(&list, "%sa%u_%u", k ? ", " : "", id, k);
    }
    if (result_type) {
        ptx_line(e, ".param .%s v%u", result_type, id);
        ptx_line(e, "call (v%u), %s, (%s)", id, name, list.data);
        ptx_line(e, "ld.param.%s %s, [v%u]", result_type, result, id);
    } else {
        ptx_line(e, "call %s, (%s)", name, list.data);
    }
    sbuf_puts(&e->body, "\t}\n");
}

static void emit_printf(struct ptx_func *e, struct ir_inst *i)
{
    uint32_t at = 0;
    e->p->uses_printf = true;
    e->needs |= BACK_USES_PRINTF;
    for (uint32_t k = 1; k < i->nargs; k++) {
        struct ir_value *v = i->args[k];
        uint32_t size = ir_bytes(v->type);
        if (size < 4) {
            ptx_refuse(e, "a printf argument of fewer than 32 bits");
            return;
        }
        const char *x;
        ir_type t = v->type;
        if (ir_kind(t) == IR_PTR) { /* the host reads strings through generic addresses */
            x = ptx_generic(e, v);
            t = IR_I64;
        } else {
            x = ptx_operand(e, v);
        }
        at = (at + size - 1) & -size;
        ptx_store_value(e, t, x, ".local", arena_printf(e->a, "[tern_args+%u]", at));
        at += size;
    }
    if (at > e->scratch_bytes)
        e->scratch_bytes = at;
    const char *args = "0";
    if (at) {
        const char *l = ptx_fresh(e, PTX_B64);
        ptx_line(e, "mov.u64 %s, tern_args", l);
        args = ptx_fresh(e, PTX_B64);
        ptx_line(e, "cvta.local.u64 %s, %s", args, l);
    }
    const char *values[] = {ptx_generic(e, i->args[0]), args};
    static const char *const types[] = {"b64", "b64"};
    emit_system_call(e, "vprintf", "b32", ptx_reg(e, &i->results[0]), 2, types, values);
}

static void emit_assert(struct ptx_func *e, struct ir_inst *i)
{
    static const char *const types[] = {"b64", "b64", "b32", "b64", "b64"};
    const char *values[] = {ptx_generic(e, i->args[0]), ptx_generic(e, i->args[1]),
                            ptx_operand(e, i->args[2]), ptx_generic(e, i->args[3]), "1"};
    e->p->uses_assert = true;
    emit_system_call(e, "__assertfail", NULL, NULL, 5, types, values);
}

static void emit_heap(struct ptx_func *e, struct ir_inst *i)
{
    static const char *const types[] = {"b64"};
    e->needs |= BACK_USES_HEAP;
    if (i->op == IR_OP_malloc) {
        const char *values[] = {ptx_operand(e, i->args[0])};
        e->p->uses_malloc = true;
        emit_system_call(e, "malloc", "b64", ptx_reg(e, &i->results[0]), 1, types, values);
    } else {
        const char *values[] = {ptx_generic(e, i->args[0])};
        e->p->uses_free = true;
        emit_system_call(e, "free", NULL, NULL, 1, types, values);
    }
}

/* ---- plain instructions with a shape of their own ---- */
static const struct ir_inst *defining(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}

/* An i64 that is a 32-bit value extended: its source. */
static struct ir_value *extended(struct ir_value *v, enum ir_op how)
{
    const struct ir_inst *i = defining(v);
    return i && i->op == how && ir_kind(i->args[0]->type) == IR_I32 ? i->args[0] : NULL;
}

/* An f32 that was rounded to the 16 bits of v, zero-extended to 32. */
static const struct ir_inst *rounded_half(struct ir_value *v)
{
    const struct ir_inst *i = defining(v);
    i = i && i->op == IR_OP_zext ? defining(i->args[0]) : NULL;
    i = i && i->op == IR_OP_bitcast ? defining(i->args[0]) : NULL;
    return i && i->op == IR_OP_fcvt && ir_kind(i->args[0]->type) == IR_F32 &&
                   ptx_class_of(i->type) == PTX_F16 && !(i->flags & IR_FTZ) &&
                   (i->flags & IR_ROUND_MASK) == IR_RN
               ? i
               : NULL;
}

/* Two f32 rounded to the halves of a word are one instruction from sm_80 on: of those that round
 * one alone, GPUs do a quarter as many at a time. */
static bool rounded_pair(struct ptx_func *e, struct ir_inst *i)
{
    if (i->op != IR_OP_or || ir_kind(i->type) != IR_I32 || e->p->arch < 80)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_inst *shift = defining(i->args[k]);
        if (!shift || shift->op != IR_OP_shl || !ir_is_const(shift->args[1]) ||
            shift->args[1]->u.bits != 16)
            continue;
        const struct ir_inst *high = rounded_half(shift->args[0]),
                             *low = rounded_half(i->args[1 - k]);
        if (!high || !low || ir_kind(high->type) != ir_kind(low->type))
            continue;
        ptx_line(e, "cvt.rn.%sx2.f32 %s, %s, %s", ir_kind(low->type) == IR_F16 ? "f16" : "bf16",
                 ptx_reg(e, &i->results[0]), ptx_in_reg(e, high->args[0]),
                 ptx_in_reg(e, low->args[0]));
        return true;
    }
    return false;
}

/* 64-bit products of 32-bit values are one instruction. */
static bool wide_multiply(struct ptx_func *e, struct ir_inst *i)
{
    if (ir_kind(i->type) != IR_I64 || (i->op != IR_OP_mul && i->op != IR_OP_shl))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        enum ir_op ext = k ? IR_OP_zext : IR_OP_sext;
        struct ir_value *x = extended(i->args[0], ext), *y = i->args[1];
        if (!x)
            continue;
        const char *other = NULL;
        if (i->op == IR_OP_shl) {
            if (ir_is_const(y) && y->u.bits < (k ? 32 : 31))
                other = arena_printf(e->a, "%llu", 1ull << y->u.bits);
        } else if (ir_is_const(y)) {
            int64_t c = (int64_t)y->u.bits;
            if (k ? c >= 0 && c <= UINT32_MAX : c >= INT32_MIN && c <= INT32_MAX)
                other = arena_printf(e->a, "%lld", (long long)c);
        } else if (extended(y, ext)) {
            other = ptx_operand(e, extended(y, ext));
        }
        if (!other)
            continue;
        ptx_line(e, "mul.wide.%c32 %s, %s, %s", k ? 'u' : 's', ptx_reg(e, &i->results[0]),
                 ptx_in_reg(e, x), other);
        return true;
    }
    return false;
}

static const char *shift_count(struct ptx_func *e, struct ir_value *v)
{
    if (ir_is_const(v))
        return arena_printf(e->a, "%llu", (unsigned long long)(v->u.bits > 64 ? 64 : v->u.bits));
    if (ir_kind(v->type) != IR_I64)
        return ptx_operand(e, v);
    if (extended(v, IR_OP_zext))
        return ptx_operand(e, extended(v, IR_OP_zext));
    const char *m = ptx_fresh(e, PTX_B64), *w = ptx_fresh(e, PTX_B32);
    ptx_line(e, "min.u64 %s, %s, 64", m, ptx_in_reg(e, v));
    ptx_line(e, "cvt.u32.u64 %s, %s", w, m);
    return w;
}

static void emit_ptradd(struct ptx_func *e, struct ir_inst *i)
{
    if (!(e->uses[i->results[0].id] & PTX_USED_AS_VALUE) && back_is_folded_add(i))
        return;
    enum ptx_class c = ptx_class_of(i->type);
    const char *d = ptx_reg(e, &i->results[0]), *base = ptx_in_reg(e, i->args[0]);
    if (c == PTX_B32)
        ptx_line(e, "add.s32 %s, %s, %s", d, base, ptx_low32(e, i->args[1], 4));
    else
        ptx_line(e, "add.s64 %s, %s, %s", d, base, ptx_operand(e, i->args[1]));
}

static void emit_alloca(struct ptx_func *e, struct ir_inst *i)
{
    uint32_t align = i->align ? i->align : 1;
    if (align > 128)
        align = 128;
    uint32_t at = (e->depot_bytes + align - 1) & -align;
    const char *d = ptx_reg(e, &i->results[0]);
    e->depot_bytes = at + (uint32_t)i->imm;
    if (align > e->depot_align)
        e->depot_align = align;
    ptx_line(e, "mov.u32 %s, tern_depot+%u", d, at);
    if (!(i->flags & IR_UNSET))
        ptx_zero_local(e, d, i->imm, align);
}

static bool emit_plain(struct ptx_func *e, struct ir_inst *i)
{
    if (!ptx_has_row(i->op, i->type) || !i->nresults)
        return false;
    struct ptx_bind b = {.type = i->type, .result = i->results[0].type, .flags = i->flags};
    b.exact = e->uses[i->results[0].id] & PTX_USED_EXACTLY;
    bool shift = i->op == IR_OP_shl || i->op == IR_OP_lshr || i->op == IR_OP_ashr;
    if (wide_multiply(e, i) || rounded_pair(e, i))
        return true;
    if (i->op != IR_OP_fadd && i->op != IR_OP_fsub && i->op != IR_OP_fmul && i->op != IR_OP_fdiv &&
        i->op != IR_OP_fma && i->op != IR_OP_fsqrt)
        b.flags &= ~(uint32_t)IR_ROUND_MASK; /* only these take one */
    for (uint32_t k = 0; k < i->nargs && k < 3; k++)
        b.arg[k] = shift && k == 1 && ir_bits(i->type) >= 32 ? shift_count(e, i->args[k])
                   : k == 0                                  ? ptx_in_reg(e, i->args[k])
                                                             : ptx_operand(e, i->args[k]);
    b.second_not_zero = i->nargs > 1 && ir_is_const(i->args[1]) && i->args[1]->u.bits != 0;
    b.d = ptx_reg(e, &i->results[0]);
    return ptx_plain(e, i->op, &b);
}

/* ---- instructions ---- */
static void mark_line(struct ptx_func *e, const struct ir_inst *i)
{
    struct ptx *p = e->p;
    struct source_pos pos;
    if (!p->job->options.line_info || !i->span.loc || i->span.loc == e->last_loc ||
        !p->job->module->sources)
        return;
    e->last_loc = i->span.loc;
    source_loc loc = source_expanded(p->job->module->sources, i->span.loc);
    if (!source_position(p->job->module->sources, loc, &pos))
        return;
    const char *path = intern_z(p->job->module->names, pos.path);
    uintptr_t file = (uintptr_t)map_get(&p->files, map_key(path));
    if (!file) {
        file = p->files.nlive + 1;
        map_set(&p->files, map_key(path), (void *)file);
    }
    if (e->last_line == pos.line && e->last_file == file)
        return;
    e->last_line = pos.line;
    e->last_file = (uint32_t)file;
    sbuf_printf(&e->body, "\t.loc %u %u %u\n", (unsigned)file, pos.line, pos.column);
}

static void emit_ret(struct ptx_func *e, struct ir_inst *i)
{
    if (i->nargs) {
        const char *v = ptx_in_reg(e, i->args[0]);
        pass(e, i->args[0]->type, v, "ret_value");
    }
    ptx_line(e, "ret");
}

static void emit_inst(struct ptx_func *e, struct ir_inst *i, const struct ir_block *next)
{
    const char *why;
    e->current = i;
    mark_line(e, i);
    for (uint32_t k = 0; k < i->nresults; k++)
        if (ir_is_vector(i->results[k].type)) {
            ptx_refuse(e, "a vector operation (%s)", ir_op_info[i->op].name);
            return;
        }
    switch (i->op) {
    case IR_OP_br:
        emit_copies(e, &i->edges[0]);
        jump(e, i->edges[0].to, next);
        return;
    case IR_OP_condbr: emit_condbr(e, i, next); return;
    case IR_OP_switch: emit_switch(e, i); return;
    case IR_OP_ret: emit_ret(e, i); return;
    case IR_OP_exit: ptx_line(e, "exit"); return;
    case IR_OP_unreachable:
        ptx_line(e, "trap");
        ptx_line(e, "exit");
        return;
    case IR_OP_call:
    case IR_OP_call_ptr: emit_call(e, i); return;
    case IR_OP_printf: emit_printf(e, i); return;
    case IR_OP_assertfail: emit_assert(e, i); return;
    case IR_OP_malloc:
    case IR_OP_free: emit_heap(e, i); return;
    case IR_OP_alloca: emit_alloca(e, i); return;
    case IR_OP_ptradd: emit_ptradd(e, i); return;
    default: break;
    }
    if (ptx_async(e, i) || emit_plain(e, i) || ptx_convert(e, i) || ptx_memory(e, i) ||
        ptx_atomic(e, i) || ptx_warp(e, i))
        return;
    why = NULL;
    back_ptx.supports(i->op, i->type, &why);
    ptx_refuse(e, "operation %s%s%s%s", ir_op_info[i->op].name, why ? " (" : "", why ? why : "",
               why ? ")" : "");
}

/* ---- the whole ---- */
const char *ptx_param_name(struct ptx_func *e, uint32_t index)
{
    const struct ir_param *p = &e->f->params.data[index];
    char hint[40];
    size_t n = 0;
    for (const char *s = p->name; s && *s && n < sizeof hint - 1; s++)
        hint[n++] = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')
                        ? *s
                        : '_';
    hint[n] = 0;
    return arena_printf(e->p->a, "p%u%s%s", index, n ? "_" : "", hint);
}

const char *ptx_signature(struct ptx *p, struct ir_func *f)
{
    struct ptx_func e = {.p = p, .f = f, .a = p->a};
    struct sbuf s;
    bool kernel = f->flags & IR_FUNC_KERNEL;
    sbuf_init(&s, p->a);
    sbuf_puts(&s, kernel ? ".visible .entry " : ".func ");
    if (!kernel && f->ret != IR_VOID)
        sbuf_printf(&s, "(.param .%s ret_value) ", param_bits(f->ret));
    sbuf_printf(&s, "%s(", (const char *)map_get(&p->symbols, map_key(f)));
    for (uint32_t k = 0; k < f->params.len; k++) {
        const struct ir_param *q = &f->params.data[k];
        const char *name = ptx_param_name(&e, k);
        sbuf_puts(&s, k ? ",\n\t" : "\n\t");
        if (!kernel) {
            sbuf_printf(&s, ".param .%s %s", param_bits(q->type), name);
        } else if (q->byval_size) {
            sbuf_printf(&s, ".param .align %u .b8 %s[%u]", q->byval_align ? q->byval_align : 1,
                        name, q->byval_size);
        } else {
            static const char *const types[] = {
                [IR_I1] = "u8",   [IR_I8] = "u8",   [IR_I16] = "u16",  [IR_I32] = "u32",
                [IR_I64] = "u64", [IR_F16] = "b16", [IR_BF16] = "b16", [IR_F32] = "f32",
                [IR_F64] = "f64", [IR_PTR] = "u64",
            };
            sbuf_printf(&s, ".param .%s %s", types[ir_kind(q->type)], name);
        }
    }
    sbuf_puts(&s, f->params.len ? "\n)" : ")");
    return s.data;
}

static void load_params(struct ptx_func *e)
{
    struct ir_func *f = e->f;
    for (uint32_t k = 0; k < f->params.len && k < f->first->params.len; k++) {
        struct ir_value *v = f->first->params.data[k];
        const char *slot = ptx_param_name(e, k);
        if (!(f->flags & IR_FUNC_KERNEL)) {
            take(e, v->type, ptx_reg(e, v), slot);
            continue;
        }
        if (f->params.data[k].byval_size)
            continue; /* read in place */
        ptx_load_value(e, v->type, ptx_reg(e, v), ".param", arena_printf(e->a, "[%s]", slot));
    }
}

static void order_blocks(struct ptx_func *e)
{
    struct ir_func *f = e->f;
    ir_cfg(f);
    e->order = arena_array(e->a, struct ir_block *, f->nblocks);
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX)
            e->order[b->rpo] = b;
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX)
            e->norder++;
}

static void limits(struct ptx_func *e, struct sbuf *out)
{
    const struct ir_func *f = e->f;
    if (f->required_block[0])
        sbuf_printf(out, "\n.reqntid %u, %u, %u", f->required_block[0],
                    f->required_block[1] ? f->required_block[1] : 1,
                    f->required_block[2] ? f->required_block[2] : 1);
    else if (f->max_threads)
        sbuf_printf(out, "\n.maxntid %u, 1, 1", f->max_threads);
    if (f->min_blocks)
        sbuf_printf(out, "\n.minnctapersm %u", f->min_blocks);
    if (f->cluster[0])
        sbuf_printf(out, "\n.reqnctapercluster %u, %u, %u", f->cluster[0], f->cluster[1],
                    f->cluster[2]);
}

void ptx_emit_func(struct ptx *p, struct ir_func *f)
{
    struct ptx_func e = {.p = p, .f = f, .a = p->a, .depot_align = 1};
    sbuf_init(&e.body, p->a);
    ir_remove_unreachable(f);
    ir_renumber(f);
    e.reg = arena_array(e.a, uint32_t, f->nvalues + 1);
    e.uses = arena_array(e.a, uint8_t, f->nvalues + 1);
    find_uses(&e);
    order_blocks(&e);
    ptx_tie(&e);
    load_params(&e);
    for (uint32_t k = 0; k < e.norder; k++) {
        struct ir_block *b = e.order[k], *next = k + 1 < e.norder ? e.order[k + 1] : NULL;
        if (k)
            sbuf_printf(&e.body, "%s:\n", block_label(&e, b));
        if (b->unroll == 1)
            ptx_line(&e, ".pragma \"nounroll\"");
        ptx_merge_accesses(&e, b);
        ir_each_inst (i, b)
            emit_inst(&e, i, next);
    }
    struct sbuf *out = &p->text;
    size_t begin = out->len;
    if (f->display)
        sbuf_printf(out, "\n// %s", f->display);
    sbuf_printf(out, "\n%s", ptx_signature(p, f));
    if (f->flags & IR_FUNC_KERNEL)
        limits(&e, out);
    sbuf_puts(out, "\n{\n");
    for (unsigned c = 0; c < PTX_CLASSES; c++)
        if (e.count[c])
            sbuf_printf(out, "\t.reg .%s %s<%u>;\n", ptx_class_info[c].reg,
                        ptx_class_info[c].prefix, e.count[c] + 1);
    if (e.depot_bytes)
        sbuf_printf(out, "\t.local .align %u .b8 tern_depot[%u];\n", e.depot_align, e.depot_bytes);
    if (e.scratch_bytes)
        sbuf_printf(out, "\t.local .align 8 .b8 tern_args[%u];\n", e.scratch_bytes);
    sbuf_puts(out, "\n");
    sbuf_put(out, e.body.data, e.body.len);
    sbuf_puts(out, "}\n");
    if (f->flags & IR_FUNC_KERNEL) {
        struct ptx_kernel *own = arena_new(p->job->arena, struct ptx_kernel);
        *own = (struct ptx_kernel){.text = begin, .text_len = out->len - begin};
        struct back_kernel k = {.name = f->name,
                                .symbol = map_get(&p->symbols, map_key(f)),
                                .param_bytes = f->param_bytes,
                                .local_bytes = e.depot_bytes + e.scratch_bytes,
                                .uses = e.needs,
                                .own = own};
        vec_push(p->job->arena, &p->job->kernels, k);
    }
    f->data = (void *)(uintptr_t)e.needs;
}
