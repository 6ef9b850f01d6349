/* Loads, stores, atomics, copies and fills.
 *
 * Each space is an array of words. Narrow accesses shift and mask; a narrow store into memory that
 * other threads see exchanges the word around it. A generic pointer whose space is not known is
 * told apart by its tag in a helper. */
#include <stdlib.h>
#include <string.h>
#include "back/wgsl/wgsl_int.h"

static const char *const mem_name[MEM_COUNT] = {"heap", "smem", "lmem", "param", "generic"};

enum wgsl_mem wgsl_mem_of(const struct wgsl *w, const struct ir_value *p)
{
    switch (ir_space(p->type)) {
    case IR_SPACE_SHARED: return MEM_SHARED;
    case IR_SPACE_LOCAL: return MEM_LOCAL;
    case IR_SPACE_PARAM: return MEM_PARAM;
    case IR_SPACE_GENERIC: break;
    default: return MEM_HEAP;
    }
    if (p->kind == IR_VALUE_PARAM || p->kind == IR_VALUE_RESULT)
        return (enum wgsl_mem)w->space[p->id];
    return p->kind == IR_VALUE_CONST ? MEM_HEAP : MEM_GENERIC;
}

/* The byte offset in the pointer's own space. */
static const char *offset(struct wgsl *w, const struct ir_value *p, enum wgsl_mem m)
{
    const char *s = wgsl_value(w, p);
    if (ir_space(p->type) == IR_SPACE_GENERIC && m != MEM_GENERIC && m != MEM_HEAP)
        return TEXT(w, "(%s & 0x3fffffffu)", s);
    return s;
}

static const char *helper(struct wgsl *w, enum wgsl_mem m, const char *what)
{
    return wgsl_helper(w, TEXT(w, "%s_%s", mem_name[m], what));
}

/* at / 4 + plus / 4 */
static const char *index_of(struct wgsl *w, const char *at, unsigned plus)
{
    char *end;
    unsigned long n = strtoul(at, &end, 0);
    if (end != at && end[0] == 'u' && !end[1])
        return TEXT(w, "%luu", (n + plus) / 4);
    return plus ? TEXT(w, "(%s >> 2u) + %uu", at, plus / 4) : TEXT(w, "%s >> 2u", at);
}

/* The word at a pointer plus `plus` bytes, as an expression. */
static const char *word(struct wgsl *w, enum wgsl_mem m, const char *at, unsigned plus)
{
    const char *index = index_of(w, at, plus);
    w->uses[m] = true;
    if (m == MEM_GENERIC || m == MEM_PARAM)
        return TEXT(w, "%s(%s)", helper(w, m, "word"), plus ? TEXT(w, "%s + %uu", at, plus) : at);
    return w->atomic[m] ? TEXT(w, "atomicLoad(&%s[%s])", mem_name[m], index)
                        : TEXT(w, "%s[%s]", mem_name[m], index);
}

static void set_word(struct wgsl *w, enum wgsl_mem m, const char *at, unsigned plus,
                     const char *value)
{
    const char *index = index_of(w, at, plus);
    w->uses[m] = true;
    if (m == MEM_GENERIC)
        wgsl_line(w, "%s(%s, %s);", helper(w, m, "set"), plus ? TEXT(w, "%s + %uu", at, plus) : at,
                  value);
    else if (w->atomic[m])
        wgsl_line(w, "atomicStore(&%s[%s], %s);", mem_name[m], index, value);
    else
        wgsl_line(w, "%s[%s] = %s;", mem_name[m], index, value);
}

static unsigned size_of(ir_type t)
{
    return ir_class(t) == IR_CLASS_PTR ? 8 : ir_bytes(t);
}

const char *wgsl_load(struct wgsl *w, const struct ir_inst *i)
{
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    const char *at = offset(w, i->args[0], m);
    unsigned size = size_of(i->type);
    uint32_t align = i->align ? i->align : size;
    const char *low, *high = NULL;
    w->uses[m] = true;
    if (size < 4) {
        const char *what = size == 1 ? "load8" : align >= 2 ? "load16" : "load16u";
        low = TEXT(w, "%s(%s)", helper(w, m, what), at);
    } else if (align < 4) {
        low = TEXT(w, "%s(%s)", helper(w, m, "load32u"), at);
        high = TEXT(w, "%s(%s + 4u)", helper(w, m, "load32u"), at);
    } else {
        low = word(w, m, at, 0);
        high = size == 8 ? word(w, m, at, 4) : NULL;
    }
    switch (ir_kind(i->type)) {
    case IR_I1: return TEXT(w, "(%s & 1u) != 0u", low);
    case IR_F32: return TEXT(w, "bitcast<f32>(%s)", low);
    case IR_PTR: return low;
    case IR_I64:
        if (w->low[i->results[0].id])
            return low;
        return TEXT(w, "vec2<u32>(%s, %s)", low, high);
    case IR_F64: return TEXT(w, "vec2<u32>(%s, %s)", low, high);
    default: return low;
    }
}

/* A value's bits as a u32 (or the pair's low and high word). */
static const char *bits_of(struct wgsl *w, const struct ir_value *v, unsigned part)
{
    const char *s = wgsl_value(w, v);
    switch (ir_kind(v->type)) {
    case IR_I1: return TEXT(w, "select(0u, 1u, %s)", s);
    case IR_F32:
        return ir_is_const(v) ? TEXT(w, "0x%xu", (uint32_t)v->u.bits)
                              : TEXT(w, "bitcast<u32>(%s)", s);
    case IR_PTR: return part ? "0u" : s;
    case IR_I64:
    case IR_F64:
        return ir_is_const(v) ? TEXT(w, "0x%xu", (uint32_t)(v->u.bits >> 32 * part))
                              : TEXT(w, "%s.%c", s, part ? 'y' : 'x');
    default: return s;
    }
}

static const char *from_bits(struct wgsl *w, ir_type t, const char *s)
{
    return ir_kind(t) == IR_F32 ? TEXT(w, "bitcast<f32>(%s)", s) : s;
}

static bool store(struct wgsl *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[1];
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    const char *at = offset(w, i->args[0], m);
    unsigned size = size_of(v->type);
    uint32_t align = i->align ? i->align : size;
    if (m == MEM_PARAM)
        return wgsl_refuse(w, i, "a kernel's parameters cannot be written");
    w->uses[m] = true;
    if (size < 4) {
        const char *what = size == 1 ? "store8" : align >= 2 ? "store16" : "store16u";
        wgsl_line(w, "%s(%s, %s);", helper(w, m, what), at, bits_of(w, v, 0));
        return true;
    }
    for (unsigned part = 0; part < size / 4; part++) {
        if (align < 4)
            wgsl_line(w, "%s(%s + %uu, %s);", helper(w, m, "store32u"), at, 4 * part,
                      bits_of(w, v, part));
        else
            set_word(w, m, at, 4 * part, bits_of(w, v, part));
    }
    return true;
}

static bool define(struct wgsl *w, const struct ir_inst *i, const char *text)
{
    const struct ir_value *r = &i->results[0];
    bool call = strncmp(text, "bitcast", 7) && text[0] != '(';
    if (!w->uses_of[r->id])
        wgsl_line(w, call ? "%s;" : "_ = %s;", text);
    else if (w->escapes[r->id])
        wgsl_line(w, "%s = %s;", w->name[r->id], text);
    else
        wgsl_line(w, "let %s = %s;", w->name[r->id], text);
    return true;
}

static bool rmw(struct wgsl *w, const struct ir_inst *i)
{
    static const char *const direct[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = "atomicAdd",  [IR_RMW_SUB] = "atomicSub",      [IR_RMW_AND] = "atomicAnd",
        [IR_RMW_OR] = "atomicOr",    [IR_RMW_XOR] = "atomicXor",      [IR_RMW_UMIN] = "atomicMin",
        [IR_RMW_UMAX] = "atomicMax", [IR_RMW_XCHG] = "atomicExchange"};
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    const char *at = offset(w, i->args[0], m), *name = ir_rmw_info[i->imm].name;
    if (m == MEM_LOCAL || m == MEM_PARAM)
        return wgsl_refuse(w, i, "atomics need global or shared memory");
    unsigned size = size_of(i->type);
    w->uses[m] = true;
    if (ir_class(i->type) == IR_CLASS_PTR)
        return wgsl_refuse(w, i, "atomics on pointers");
    if (size == 8) {
        const char *what = TEXT(w, "rmw64_%s", name);
        return define(w, i,
                      TEXT(w, "%s(%s, %s)", helper(w, m, what), at, wgsl_value(w, i->args[1])));
    }
    if (size < 4)
        return wgsl_refuse(w, i, "8- and 16-bit atomics");
    const char *b = bits_of(w, i->args[1], 0), *call;
    if (direct[i->imm] && m != MEM_GENERIC)
        call = TEXT(w, "%s(&%s[%s], %s)", direct[i->imm], mem_name[m], index_of(w, at, 0), b);
    else
        call = TEXT(w, "%s(%s, %s)", helper(w, m, TEXT(w, "rmw_%s", name)), at, b);
    return define(w, i, from_bits(w, i->type, call));
}

static bool cas(struct wgsl *w, const struct ir_inst *i)
{
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    const char *at = offset(w, i->args[0], m);
    unsigned size = size_of(i->type);
    if (m == MEM_LOCAL || m == MEM_PARAM)
        return wgsl_refuse(w, i, "atomics need global or shared memory");
    if (ir_class(i->type) == IR_CLASS_PTR)
        return wgsl_refuse(w, i, "atomics on pointers");
    w->uses[m] = true;
    if (size == 8)
        return define(w, i,
                      TEXT(w, "%s(%s, %s, %s)", helper(w, m, "cas64"), at,
                           wgsl_value(w, i->args[1]), wgsl_value(w, i->args[2])));
    const char *what = size == 4 ? "cas" : size == 2 ? "cas16" : "cas8";
    return define(w, i,
                  from_bits(w, i->type,
                            TEXT(w, "%s(%s, %s, %s)", helper(w, m, what), at,
                                 bits_of(w, i->args[1], 0), bits_of(w, i->args[2], 0))));
}

/* A loop over bytes or words, written in place. */
static bool bulk(struct wgsl *w, const struct ir_inst *i)
{
    bool copy = i->op == IR_OP_memcpy;
    enum wgsl_mem to = wgsl_mem_of(w, i->args[0]);
    enum wgsl_mem from = copy ? wgsl_mem_of(w, i->args[1]) : MEM_HEAP;
    const char *d = offset(w, i->args[0], to), *n = wgsl_low(w, i->args[2]);
    const char *k = lower_name(w->locals, "k");
    if (to == MEM_PARAM)
        return wgsl_refuse(w, i, "a kernel's parameters cannot be written");
    w->uses[to] = w->uses[from] = true;
    bool words = i->align >= 4 && ir_is_const(i->args[2]) && i->args[2]->u.bits % 4 == 0;
    wgsl_line(w, "for (var %s = 0u; %s < %s; %s += %uu) {", k, k, n, k, words ? 4 : 1);
    w->depth++;
    d = TEXT(w, "(%s + %s)", d, k);
    const char *value;
    if (copy) {
        const char *s = TEXT(w, "(%s + %s)", offset(w, i->args[1], from), k);
        value = words ? word(w, from, s, 0) : TEXT(w, "%s(%s)", helper(w, from, "load8"), s);
    } else {
        const char *byte = wgsl_value(w, i->args[1]);
        value = words ? TEXT(w, "%s * 0x1010101u", byte) : byte;
    }
    if (words)
        set_word(w, to, d, 0, value);
    else
        wgsl_line(w, "%s(%s, %s);", helper(w, to, "store8"), d, value);
    w->depth--;
    wgsl_line(w, "}");
    return true;
}

/* cpasync: at once, which is as late as any wait. The last operand says how much is read. */
static bool copy_async(struct wgsl *w, const struct ir_inst *i)
{
    enum wgsl_mem to = wgsl_mem_of(w, i->args[0]), from = wgsl_mem_of(w, i->args[1]);
    const char *d = offset(w, i->args[0], to), *s = offset(w, i->args[1], from);
    const char *n = wgsl_value(w, i->args[2]);
    w->uses[to] = w->uses[from] = true;
    for (unsigned k = 0; k < i->imm / 4; k++) {
        const char *v = word(w, from, s, 4 * k);
        if (!ir_is_const(i->args[2]) || i->args[2]->u.bits < 4 * k + 4)
            v = TEXT(w, "select(0u, %s, %s >= %uu)", v, n, 4 * k + 4);
        set_word(w, to, d, 4 * k, v);
    }
    return true;
}

bool wgsl_memory(struct wgsl *w, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load: return !w->uses_of[i->results[0].id] || define(w, i, wgsl_load(w, i));
    case IR_OP_store: return store(w, i);
    case IR_OP_rmw: return rmw(w, i);
    case IR_OP_cas: return cas(w, i);
    case IR_OP_memcpy:
    case IR_OP_memset: return bulk(w, i);
    case IR_OP_cpasync: return copy_async(w, i);
    default: return wgsl_refuse(w, i, "not a memory operation");
    }
}
