/* Loads, stores, atomics, copies and fills.
 *
 * Each space is an array of words. Narrow accesses shift and mask; a narrow store into memory that
 * other threads see exchanges the word around it. A generic pointer whose space is not known is
 * told apart by its tag in a helper. */
#include <stdlib.h>
#include <string.h>
#include "back/wgsl/wgsl_int.h"

static const char *const mem_name[MEM_BOUND] = {"heap", "smem", "lmem", "param", "generic"};

static const char *name_of(const struct wgsl *w, enum wgsl_mem m)
{
    return m < MEM_BOUND ? mem_name[m] : w->binding[m - MEM_BOUND];
}

static bool holds_f32(const struct wgsl *w, enum wgsl_mem m)
{
    return m >= MEM_BOUND && !w->words[m];
}

enum wgsl_mem wgsl_mem_of(const struct wgsl *w, const struct ir_value *p)
{
    const uintptr_t bound = (uintptr_t)map_get(&w->bound, map_key(p));
    if (bound)
        return MEM_BOUND + (enum wgsl_mem)bound - 1;
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
    if (ir_space(p->type) == IR_SPACE_GENERIC && m != MEM_GENERIC && m != MEM_HEAP && m < MEM_BOUND)
        return TEXT(w, "(%s & 0x3fffffffu)", s);
    return s;
}

static const char *helper(struct wgsl *w, enum wgsl_mem m, const char *what)
{
    return wgsl_helper(w, TEXT(w, "%s_%s", mem_name[m], what));
}

/* ---- addresses in words ----
 *
 * Most addresses are a base and multiples of four: base / 4 + i says what (base + (i << 2)) >> 2
 * does, and shorter. Sums wrap around, so that a part may be negative; a base in the heap never is.
 *
 * Shared memory all of whose accesses are parts of float4s and the like, at places that are known,
 * is an array of vec4: there the terms are multiples of 16. */

struct words {
    const char *text; /* of the sum, NULL: only the number */
    int32_t number;   /* in words */
    bool quads;       /* the text is in fours of words */
    bool dry;         /* nothing is written: it is only asked whether it could be */
    const struct ir_block *here;
};

static void add_term(struct wgsl *w, struct words *s, const char *term)
{
    s->text = s->text ? TEXT(w, "%s + %s", s->text, term) : term;
}

/* May what another block named be computed again here? Not from variables that may have changed
 * since. */
static bool is_steady(const struct wgsl *w, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_PARAM)
        return v->u.block == w->func->first;
    if (v->kind != IR_VALUE_RESULT)
        return true;
    bool steady = !w->escapes[v->id];
    for (uint32_t k = 0; steady && w->folded[v->id] && k < v->u.inst->nargs; k++)
        steady = is_steady(w, v->u.inst->args[k]);
    return steady;
}

/* Adds v / 4 to the sum; false: it is not known to be a multiple of four. */
static bool add_words(struct wgsl *w, const struct ir_value *v, enum wgsl_mem m, struct words *s)
{
    uint32_t n = 0;
    bool number = true;
    if (m >= MEM_BOUND && v->kind == IR_VALUE_PARAM && v->u.block == w->func->first &&
        ir_class(v->type) == IR_CLASS_PTR)
        return true; /* where the binding starts */
    const struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    if (v->kind == IR_VALUE_CONST)
        n = (uint32_t)v->u.bits;
    else if (v->kind == IR_VALUE_GLOBAL && v->u.global->space == IR_SPACE_SHARED)
        n = (uint32_t)(uintptr_t)map_get(&w->shared_offset, map_key(v->u.global));
    else if (v->kind == IR_VALUE_GLOBAL || (i && i->op == IR_OP_alloca))
        n = (uint32_t)strtoul(wgsl_value(w, v), NULL, 0);
    else
        number = false;
    if (number) {
        s->number = (int32_t)((uint32_t)s->number + (uint32_t)((int32_t)n >> 2));
        return n % 4 == 0;
    }
    if (!i || (!w->folded[v->id] && w->escapes[v->id]))
        return false;
    for (uint32_t k = 0; !w->folded[v->id] && i->block != s->here && k < i->nargs; k++)
        if (!is_steady(w, i->args[k]))
            return false;
    const bool by_constant = i->nargs == 2 && i->type == IR_I64 && ir_is_const(i->args[1]);
    const uint64_t c = by_constant ? i->args[1]->u.bits : 0;
    const unsigned log = s->quads ? 4 : 2;
    switch (i->op) {
    case IR_OP_ptradd: {
        const struct words before = *s;
        if (!add_words(w, i->args[0], m, s)) {
            if (m != MEM_HEAP && m < MEM_BOUND)
                return false;
            *s = before;
            add_term(w, s, TEXT(w, "(%s >> 2u)", wgsl_value(w, i->args[0])));
        }
        return add_words(w, i->args[1], m, s);
    }
    case IR_OP_add:
        return i->type == IR_I64 && add_words(w, i->args[0], m, s) &&
               add_words(w, i->args[1], m, s);
    case IR_OP_shl:
        if (!by_constant || c < log || c > 31)
            return false;
        if (!s->dry)
            add_term(w, s,
                     c == log ? wgsl_low(w, i->args[0])
                              : TEXT(w, "(%s << %uu)", wgsl_low(w, i->args[0]), (unsigned)c - log));
        return true;
    case IR_OP_mul:
        if (!by_constant || c % (1u << log) || c >> 31)
            return false;
        if (!s->dry)
            add_term(w, s, TEXT(w, "%s * %uu", wgsl_low(w, i->args[0]), (unsigned)c >> log));
        return true;
    default: return false;
    }
}

/* Where an access goes: in bytes, or in words where that is all that is needed. */
struct place {
    enum wgsl_mem m;
    const char *bytes;
    struct words words;
    bool in_words;
};

static struct place place(struct wgsl *w, const struct ir_inst *i, unsigned arg, bool whole_words)
{
    const struct ir_value *p = i->args[arg];
    struct place at = {.m = wgsl_mem_of(w, p), .words.here = i->block};
    at.words.quads = w->quads && at.m == MEM_SHARED;
    const bool tagged =
        ir_space(p->type) == IR_SPACE_GENERIC && at.m != MEM_HEAP && at.m < MEM_BOUND;
    at.in_words = whole_words && !tagged && at.m != MEM_PARAM && add_words(w, p, at.m, &at.words);
    if (!at.in_words)
        at.bytes = offset(w, p, at.m);
    w->uses[at.m] = true;
    return at;
}

/* The index of the word `plus` bytes further. */
static const char *index_of(struct wgsl *w, const struct place *at, unsigned plus)
{
    if (!at->in_words)
        return plus ? TEXT(w, "(%s >> 2u) + %uu", at->bytes, plus / 4)
                    : TEXT(w, "%s >> 2u", at->bytes);
    int32_t n = (int32_t)((uint32_t)at->words.number + plus / 4);
    if (at->words.quads)
        n >>= 2;
    if (!at->words.text)
        return TEXT(w, "%uu", (uint32_t)n);
    return !n      ? at->words.text
           : n > 0 ? TEXT(w, "%s + %uu", at->words.text, (uint32_t)n)
                   : TEXT(w, "%s - %uu", at->words.text, 0u - (uint32_t)n);
}

static unsigned size_of(ir_type t)
{
    return ir_class(t) == IR_CLASS_PTR ? 8 : ir_bytes(t);
}

static char component(const struct place *at, unsigned plus)
{
    return "xyzw"[((uint32_t)at->words.number + plus / 4) & 3];
}

/* Four words of shared memory, loaded once for all of them that are asked for. */
static const char *quad(struct wgsl *w, const char *index)
{
    vec_each (struct wgsl_quad, q, &w->loaded)
        if (!strcmp(q->index, index))
            return q->name;
    const struct wgsl_quad q = {index, lower_name(w->locals, "q")};
    wgsl_line(w, "let %s = smem[%s];", q.name, index);
    vec_push(w->arena, &w->loaded, q);
    return q.name;
}

void wgsl_forget(struct wgsl *w)
{
    w->loaded.len = 0;
}

static bool in_quads(struct wgsl *w, const struct ir_inst *i, unsigned arg)
{
    struct words s = {.here = i->block, .quads = true, .dry = true};
    return ir_space(i->args[arg]->type) == IR_SPACE_SHARED &&
           add_words(w, i->args[arg], MEM_SHARED, &s);
}

bool wgsl_finds_quads(struct wgsl *w)
{
    unsigned fours = 0;
    ir_each_block (b, w->func)
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nargs && !(ir_op_info[i->op].flags & IR_PURE); k++) {
                if (ir_class(i->args[k]->type) != IR_CLASS_PTR)
                    continue;
                const enum wgsl_mem m = wgsl_mem_of(w, i->args[k]);
                if (m != MEM_SHARED && m != MEM_GENERIC)
                    continue;
                const bool copy = i->op == IR_OP_memcpy && i->align >= 4 &&
                                  ir_is_const(i->args[2]) && i->args[2]->u.bits % 4 == 0 &&
                                  i->args[2]->u.bits <= 32;
                const bool access = (i->op == IR_OP_load || i->op == IR_OP_store) && !k &&
                                    size_of(i->op == IR_OP_load ? i->type : i->args[1]->type) >= 4;
                if ((!copy && !access) || (i->align && i->align < 4) || !in_quads(w, i, k))
                    return false;
                fours += i->op == IR_OP_load || (copy && k == 1);
            }
    return fours > 1;
}

/* The word at a place plus `plus` bytes, as an expression. */
static const char *word(struct wgsl *w, const struct place *at, unsigned plus)
{
    const enum wgsl_mem m = at->m;
    if (m == MEM_GENERIC || m == MEM_PARAM)
        return TEXT(w, "%s(%s)", helper(w, m, "word"),
                    plus ? TEXT(w, "%s + %uu", at->bytes, plus) : at->bytes);
    const char *index = index_of(w, at, plus);
    if (at->words.quads)
        return TEXT(w, "%s.%c", quad(w, index), component(at, plus));
    return w->atomic[m] ? TEXT(w, "atomicLoad(&%s[%s])", name_of(w, m), index)
                        : TEXT(w, "%s[%s]", name_of(w, m), index);
}

static void set_word(struct wgsl *w, const struct place *at, unsigned plus, const char *value)
{
    const enum wgsl_mem m = at->m;
    if (at->words.quads) {
        wgsl_line(w, "smem[%s].%c = %s;", index_of(w, at, plus), component(at, plus), value);
        wgsl_forget(w);
    } else if (m == MEM_GENERIC)
        wgsl_line(w, "%s(%s, %s);", helper(w, m, "set"),
                  plus ? TEXT(w, "%s + %uu", at->bytes, plus) : at->bytes, value);
    else if (w->atomic[m])
        wgsl_line(w, "atomicStore(&%s[%s], %s);", name_of(w, m), index_of(w, at, plus), value);
    else
        wgsl_line(w, "%s[%s] = %s;", name_of(w, m), index_of(w, at, plus), value);
}

const char *wgsl_load(struct wgsl *w, const struct ir_inst *i)
{
    unsigned size = size_of(i->type);
    uint32_t align = i->align ? i->align : size;
    const struct place at = place(w, i, 0, size >= 4 && align >= 4);
    const char *low, *high = NULL;
    if (size < 4) {
        const char *what = size == 1 ? "load8" : align >= 2 ? "load16" : "load16u";
        low = TEXT(w, "%s(%s)", helper(w, at.m, what), at.bytes);
    } else if (align < 4) {
        low = TEXT(w, "%s(%s)", helper(w, at.m, "load32u"), at.bytes);
        high = TEXT(w, "%s(%s + 4u)", helper(w, at.m, "load32u"), at.bytes);
    } else {
        low = word(w, &at, 0);
        high = size == 8 ? word(w, &at, 4) : NULL;
    }
    switch (ir_kind(i->type)) {
    case IR_I1: return TEXT(w, "(%s & 1u) != 0u", low);
    case IR_F32: return holds_f32(w, at.m) ? low : TEXT(w, "bitcast<f32>(%s)", low);
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
    unsigned size = size_of(v->type);
    uint32_t align = i->align ? i->align : size;
    const struct place at = place(w, i, 0, size >= 4 && align >= 4);
    if (at.m == MEM_PARAM)
        return wgsl_refuse(w, i, "a kernel's parameters cannot be written");
    if (size < 4) {
        const char *what = size == 1 ? "store8" : align >= 2 ? "store16" : "store16u";
        wgsl_line(w, "%s(%s, %s);", helper(w, at.m, what), at.bytes, bits_of(w, v, 0));
        return true;
    }
    for (unsigned part = 0; part < size / 4; part++) {
        if (align < 4)
            wgsl_line(w, "%s(%s + %uu, %s);", helper(w, at.m, "store32u"), at.bytes, 4 * part,
                      bits_of(w, v, part));
        else
            set_word(w, &at, 4 * part, holds_f32(w, at.m) ? wgsl_value(w, v) : bits_of(w, v, part));
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

/* Of whole words: lower_atomics has seen to the others. */
static bool rmw(struct wgsl *w, const struct ir_inst *i)
{
    static const char *const direct[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = "atomicAdd",  [IR_RMW_SUB] = "atomicSub",      [IR_RMW_AND] = "atomicAnd",
        [IR_RMW_OR] = "atomicOr",    [IR_RMW_XOR] = "atomicXor",      [IR_RMW_UMIN] = "atomicMin",
        [IR_RMW_UMAX] = "atomicMax", [IR_RMW_XCHG] = "atomicExchange"};
    const char *name = ir_rmw_info[i->imm].name;
    unsigned size = size_of(i->type);
    enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
    const bool plain = size == 4 && direct[i->imm] && m != MEM_GENERIC;
    const struct place at = place(w, i, 0, plain);
    if (m == MEM_LOCAL || m == MEM_PARAM)
        return wgsl_refuse(w, i, "atomics need global or shared memory");
    if (ir_class(i->type) == IR_CLASS_PTR)
        return wgsl_refuse(w, i, "atomics on pointers");
    if (size == 8) {
        const char *what = TEXT(w, "rmw64_%s", name);
        return define(
            w, i, TEXT(w, "%s(%s, %s)", helper(w, m, what), at.bytes, wgsl_value(w, i->args[1])));
    }
    const char *b = bits_of(w, i->args[1], 0), *call;
    if (plain)
        call = TEXT(w, "%s(&%s[%s], %s)", direct[i->imm], name_of(w, m), index_of(w, &at, 0), b);
    else
        call = TEXT(w, "%s(%s, %s)", helper(w, m, TEXT(w, "rmw_%s", name)), at.bytes, b);
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
    return define(w, i,
                  from_bits(w, i->type,
                            TEXT(w, "%s(%s, %s, %s)", helper(w, m, "cas"), at,
                                 bits_of(w, i->args[1], 0), bits_of(w, i->args[2], 0))));
}

/* A loop over bytes or words, written in place. */
static bool bulk(struct wgsl *w, const struct ir_inst *i)
{
    bool copy = i->op == IR_OP_memcpy;
    enum wgsl_mem to = wgsl_mem_of(w, i->args[0]);
    enum wgsl_mem from = copy ? wgsl_mem_of(w, i->args[1]) : MEM_HEAP;
    if (to == MEM_PARAM)
        return wgsl_refuse(w, i, "a kernel's parameters cannot be written");
    w->uses[to] = w->uses[from] = true;
    bool words = i->align >= 4 && ir_is_const(i->args[2]) && i->args[2]->u.bits % 4 == 0;
    if (words && copy && i->args[2]->u.bits <= 32) { /* a few words: one by one */
        const struct place into = place(w, i, 0, true), out_of = place(w, i, 1, true);
        for (unsigned at = 0; at < i->args[2]->u.bits; at += 4)
            set_word(w, &into, at, word(w, &out_of, at));
        return true;
    }
    const char *d = offset(w, i->args[0], to), *n = wgsl_low(w, i->args[2]);
    const char *k = lower_name(w->locals, "k");
    wgsl_line(w, "for (var %s = 0u; %s < %s; %s += %uu) {", k, k, n, k, words ? 4 : 1);
    w->depth++;
    const struct place into = {.m = to, .bytes = TEXT(w, "(%s + %s)", d, k)};
    const char *value;
    if (copy) {
        const struct place out_of = {.m = from,
                                     .bytes = TEXT(w, "(%s + %s)", offset(w, i->args[1], from), k)};
        value =
            words ? word(w, &out_of, 0) : TEXT(w, "%s(%s)", helper(w, from, "load8"), out_of.bytes);
    } else {
        const char *byte = wgsl_value(w, i->args[1]);
        value = words ? TEXT(w, "%s * 0x1010101u", byte) : byte;
    }
    if (words)
        set_word(w, &into, 0, value);
    else
        wgsl_line(w, "%s(%s, %s);", helper(w, to, "store8"), into.bytes, value);
    w->depth--;
    wgsl_line(w, "}");
    return true;
}

/* cpasync: at once, which is as late as any wait. The last operand says how much is read. */
static bool copy_async(struct wgsl *w, const struct ir_inst *i)
{
    const struct place to = place(w, i, 0, true), from = place(w, i, 1, true);
    const char *n = wgsl_value(w, i->args[2]);
    for (unsigned k = 0; k < i->imm / 4; k++) {
        const char *v = word(w, &from, 4 * k);
        if (!ir_is_const(i->args[2]) || i->args[2]->u.bits < 4 * k + 4)
            v = TEXT(w, "select(0u, %s, %s >= %uu)", v, n, 4 * k + 4);
        set_word(w, &to, 4 * k, v);
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
