/* Memory: addresses, loads, stores, copies and fills.
 *
 * A pointer that is a base plus small constants becomes [base+offset] in each access, and the
 * additions are not emitted unless something else needs them. Neighbouring accesses of one block
 * become one vector access when the alignment of the lowest one is proven large enough and nothing
 * between them could see the difference. */
#include <stdio.h>
#include <string.h>
#include "back/group.h"
#include "back/ptx/ptx_int.h"

const char *const ptx_space_suffix[IR_SPACE_COUNT] = {
    [IR_SPACE_GENERIC] = "",     [IR_SPACE_GLOBAL] = ".global", [IR_SPACE_SHARED] = ".shared",
    [IR_SPACE_CONST] = ".const", [IR_SPACE_LOCAL] = ".local",   [IR_SPACE_PARAM] = ".param",
};

struct ptx_address ptx_address(struct ptx_func *e, struct ir_value *p, int64_t more)
{
    struct ptx_address r = {.offset = more, .space = ir_space(p->type)};
    struct ir_value *base = back_base(p, &r.offset);
    struct ir_func *f = e->f;
    if (base->kind == IR_VALUE_GLOBAL)
        r.base = map_get(&e->p->symbols, map_key(base->u.global));
    else if (r.space == IR_SPACE_PARAM && base->kind == IR_VALUE_PARAM && base->u.block == f->first)
        r.base = ptx_param_name(e, base->index);
    else
        r.base = ptx_in_reg(e, base);
    r.text = r.offset ? arena_printf(e->a, "[%s+%lld]", r.base, (long long)r.offset)
                      : arena_printf(e->a, "[%s]", r.base);
    return r;
}

const char *ptx_scope(uint32_t flags)
{
    static const char *const names[] = {".cta", ".gpu", ".sys", ".sys"};
    return names[ir_scope(flags)];
}

/* ---- one access ---- */
static const char *memory_type(ir_type t)
{
    switch (ir_kind(t)) {
    case IR_I1:
    case IR_I8: return "u8";
    case IR_I16: return "u16";
    case IR_I32: return "u32";
    case IR_I64: return "u64";
    case IR_F16:
    case IR_BF16: return "b16";
    case IR_F32: return "f32";
    case IR_F64: return "f64";
    default: return "u64";
    }
}

void ptx_load_value(struct ptx_func *e, ir_type t, const char *d, const char *how,
                    const char *address)
{
    enum ptx_class c = ptx_class_of(t);
    const char *to = d;
    if (c == PTX_PRED)
        to = ptx_fresh(e, PTX_B16);
    else if (ir_kind(t) == IR_PTR && c == PTX_B32)
        to = ptx_fresh(e, PTX_B64); /* pointers are 8 bytes in memory */
    ptx_line(e, "ld%s.%s %s, %s", how, memory_type(t), to, address);
    if (c == PTX_PRED) {
        const char *bit = ptx_fresh(e, PTX_B16);
        ptx_line(e, "and.b16 %s, %s, 1", bit, to);
        ptx_line(e, "setp.ne.s16 %s, %s, 0", d, bit);
    } else if (to != d) {
        ptx_line(e, "cvt.u32.u64 %s, %s", d, to);
    }
}

void ptx_store_value(struct ptx_func *e, ir_type t, const char *v, const char *how,
                     const char *address)
{
    enum ptx_class c = ptx_class_of(t);
    if (c == PTX_PRED) {
        const char *s = ptx_fresh(e, PTX_B16);
        ptx_line(e, "selp.b16 %s, 1, 0, %s", s, v);
        v = s;
    } else if (ir_kind(t) == IR_PTR && c == PTX_B32 && v[0] == '%') {
        const char *l = ptx_fresh(e, PTX_B64);
        ptx_line(e, "cvt.u64.u32 %s, %s", l, v);
        v = l;
    }
    ptx_line(e, "st%s.%s %s, %s", how, memory_type(t), address, v);
}

/* ".relaxed.gpu.global": how the flags of a load or store are written. */
static const char *access_kind(struct ptx_func *e, uint32_t flags, enum ir_space s, bool store)
{
    const char *space = ptx_space_suffix[s];
    enum ir_order o = ir_order(flags);
    if (s == IR_SPACE_LOCAL || s == IR_SPACE_PARAM || s == IR_SPACE_CONST)
        return space; /* no other thread can tell */
    if (o == IR_ORDER_NONE) {
        if (flags & (IR_VOLATILE | IR_STEP)) /* the assembler keeps what warps exchange in order */
            return arena_printf(e->a, ".volatile%s", space);
        if (flags & IR_INVARIANT && s == IR_SPACE_GLOBAL && !store)
            return ".global.nc";
        return space;
    }
    if (o == IR_ORDER_SEQ_CST)
        ptx_line(e, "fence.sc%s", ptx_scope(flags));
    const char *sem = o == IR_ORDER_RELAXED ? ".relaxed" : store ? ".release" : ".acquire";
    return arena_printf(e->a, "%s%s%s", sem, ptx_scope(flags), space);
}

/* An access whose alignment is less than its size: piece by piece. */
static void unaligned(struct ptx_func *e, struct ir_inst *i, const char *how)
{
    bool store = i->op == IR_OP_store, wide = ir_bytes(i->type) == 8;
    unsigned step = i->align, bits = step * 8, n = ir_bytes(i->type) / step;
    const char *b = wide ? "64" : "32";
    enum ptx_class c = wide ? PTX_B64 : PTX_B32;
    enum ptx_class own = ptx_class_of(i->type);
    const char *whole = ptx_fresh(e, c);
    if (store) {
        const char *v = ptx_in_reg(e, i->args[1]);
        if (ptx_class_info[own].bytes == 2)
            ptx_line(e, "cvt.u32.u16 %s, %s", whole, v);
        else if (own == PTX_B32 && wide)
            ptx_line(e, "cvt.u64.u32 %s, %s", whole, v);
        else
            ptx_line(e, "mov.b%s %s, %s", b, whole, v);
    }
    for (unsigned k = 0; k < n; k++) {
        struct ptx_address at = ptx_address(e, i->args[0], (int64_t)k * step);
        const char *part = ptx_fresh(e, c);
        if (store) {
            ptx_line(e, "shr.u%s %s, %s, %u", b, part, whole, k * bits);
            ptx_line(e, "st%s.u%u %s, %s", how, bits, at.text, part);
            continue;
        }
        ptx_line(e, "ld%s.u%u %s, %s", how, bits, k ? part : whole, at.text);
        if (k) {
            ptx_line(e, "shl.b%s %s, %s, %u", b, part, part, k * bits);
            ptx_line(e, "or.b%s %s, %s, %s", b, whole, whole, part);
        }
    }
    if (store)
        return;
    const char *d = ptx_reg(e, &i->results[0]);
    if (ptx_class_info[own].bytes == 2)
        ptx_line(e, "cvt.u16.u32 %s, %s", d, whole);
    else if (own == PTX_B32 && wide)
        ptx_line(e, "cvt.u32.u64 %s, %s", d, whole);
    else
        ptx_line(e, "mov.b%s %s, %s", b, d, whole);
}

/* ---- neighbours become vectors ---- */
static bool mergeable(const struct ir_inst *i)
{
    if (i->op != IR_OP_load && i->op != IR_OP_store)
        return false;
    ir_type t = i->type;
    return ptx_class_of(t) != PTX_PRED && !(ir_kind(t) == IR_PTR && ptx_class_of(t) == PTX_B32);
}

void ptx_merge_accesses(struct ptx_func *e, struct ir_block *b)
{
    back_group_accesses(e->a, b, mergeable);
}

static void emit_group(struct ptx_func *e, struct ir_inst *i, struct back_group *g)
{
    if (g->emit_at != i)
        return;
    struct ir_inst *low = g->at[0];
    bool store = i->op == IR_OP_store;
    const char *how = access_kind(e, low->flags, ir_space(low->args[0]->type), store);
    const char *r[4];
    for (unsigned k = 0; k < g->n; k++)
        r[k] = store ? ptx_in_reg(e, g->at[k]->args[1]) : ptx_reg(e, &g->at[k]->results[0]);
    for (unsigned k = g->n; k < g->vector; k++)
        r[k] = ptx_fresh(e, ptx_class_of(i->type));
    struct ptx_address at = ptx_address(e, low->args[0], 0);
    char list[160];
    if (g->vector == 2)
        snprintf(list, sizeof list, "{%s, %s}", r[0], r[1]);
    else
        snprintf(list, sizeof list, "{%s, %s, %s, %s}", r[0], r[1], r[2], r[3]);
    if (store)
        ptx_line(e, "st%s.v%u.%s %s, %s", how, g->vector, memory_type(i->type), at.text, list);
    else
        ptx_line(e, "ld%s.v%u.%s %s, %s", how, g->vector, memory_type(i->type), list, at.text);
}

/* ---- copies and fills ---- */
static const struct piece {
    unsigned bytes;
    const char *type;
    enum ptx_class c;
    unsigned n;
} pieces[] = {
    {16, "v4.b32", PTX_B32, 4}, {8, "v2.b32", PTX_B32, 2}, {4, "b32", PTX_B32, 1},
    {2, "b16", PTX_B16, 1},     {1, "b8", PTX_B16, 1},
};

static const char *list_of(struct ptx_func *e, const struct piece *p, const char *const *r)
{
    if (p->n == 4)
        return arena_printf(e->a, "{%s, %s, %s, %s}", r[0], r[1], r[2], r[3]);
    return p->n == 2 ? arena_printf(e->a, "{%s, %s}", r[0], r[1]) : r[0];
}

static const struct piece *piece_for(uint64_t left, uint32_t align)
{
    const struct piece *p = pieces;
    while (p->bytes > left || (p->bytes > align && p->bytes > 1))
        p++;
    return p;
}

#define UNROLL_BYTES 128

static void copy_piece(struct ptx_func *e, const struct piece *p, const char *ld, const char *from,
                       const char *st, const char *to)
{
    const char *r[4] = {0};
    for (unsigned k = 0; k < p->n; k++)
        r[k] = ptx_fresh(e, p->c);
    const char *list = list_of(e, p, r);
    ptx_line(e, "ld%s.%s %s, %s", ld, p->type, list, from);
    ptx_line(e, "st%s.%s %s, %s", st, p->type, to, list);
}

static void emit_memcpy(struct ptx_func *e, struct ir_inst *i)
{
    struct ir_value *to = i->args[0], *from = i->args[1], *n = i->args[2];
    const char *ld = ptx_space_suffix[ir_space(from->type)];
    const char *st = ptx_space_suffix[ir_space(to->type)];
    uint32_t align = i->align ? i->align : 1;
    if (ir_is_const(n) && n->u.bits <= UNROLL_BYTES) {
        for (uint64_t at = 0; at < n->u.bits;) {
            const struct piece *p = piece_for(n->u.bits - at, align);
            struct ptx_address a = ptx_address(e, to, (int64_t)at);
            struct ptx_address b = ptx_address(e, from, (int64_t)at);
            copy_piece(e, p, ld, b.text, st, a.text);
            at += p->bytes;
        }
        return;
    }
    /* a loop over pieces that divide the length */
    uint32_t step = align > 16 ? 16 : align;
    while (step > 1 && !(ir_is_const(n) && n->u.bits % step == 0))
        step /= 2;
    const struct piece *p = piece_for(step, step);
    const char *d = ptx_in_reg(e, to), *s = ptx_in_reg(e, from), *left = ptx_fresh(e, PTX_B64);
    enum ptx_class dc = ptx_class_of(to->type), sc = ptx_class_of(from->type);
    const char *dp = ptx_fresh(e, dc), *sp = ptx_fresh(e, sc), *p0 = ptx_fresh(e, PTX_PRED);
    uint32_t top = ptx_label(e), out = ptx_label(e);
    ptx_line(e, "mov.%s %s, %s", ptx_class_info[dc].bits, dp, d);
    ptx_line(e, "mov.%s %s, %s", ptx_class_info[sc].bits, sp, s);
    ptx_line(e, "mov.b64 %s, %s", left, ptx_operand(e, n));
    ptx_mark(e, top);
    ptx_line(e, "setp.eq.s64 %s, %s, 0", p0, left);
    ptx_line(e, "@%s bra $T%u", p0, out);
    copy_piece(e, p, ld, arena_printf(e->a, "[%s]", sp), st, arena_printf(e->a, "[%s]", dp));
    ptx_line(e, "add.s%s %s, %s, %u", ptx_class_info[dc].bits + 1, dp, dp, step);
    ptx_line(e, "add.s%s %s, %s, %u", ptx_class_info[sc].bits + 1, sp, sp, step);
    ptx_line(e, "sub.s64 %s, %s, %u", left, left, step);
    ptx_line(e, "bra $T%u", top);
    ptx_mark(e, out);
}

static void fill(struct ptx_func *e, const char *space, enum ptx_class c, const char *base,
                 int64_t offset, const char *word, const char *byte, uint64_t bytes, uint32_t align)
{
    uint64_t at = 0;
    if (bytes > UNROLL_BYTES) { /* a loop over most of it */
        const struct piece *p = align < 4 ? &pieces[4] : piece_for(16, align);
        uint64_t whole = bytes / p->bytes * p->bytes;
        const char *q = ptx_fresh(e, c), *end = ptx_fresh(e, c), *p0 = ptx_fresh(e, PTX_PRED);
        const char *b = ptx_class_info[c].bits + 1;
        const char *r[4] = {align < 4 ? byte : word, word, word, word};
        uint32_t top = ptx_label(e);
        ptx_line(e, "add.s%s %s, %s, %lld", b, q, base, (long long)offset);
        ptx_line(e, "add.s%s %s, %s, %llu", b, end, q, (unsigned long long)whole);
        ptx_mark(e, top);
        ptx_line(e, "st%s.%s [%s], %s", space, p->type, q, list_of(e, p, r));
        ptx_line(e, "add.s%s %s, %s, %u", b, q, q, p->bytes);
        ptx_line(e, "setp.lt.u%s %s, %s, %s", b, p0, q, end);
        ptx_line(e, "@%s bra $T%u", p0, top);
        at = whole;
    }
    while (at < bytes) {
        const struct piece *p = piece_for(bytes - at, align);
        const char *r[4] = {word, word, word, word};
        if (p->bytes < 4)
            r[0] = byte;
        const struct piece *use = p->bytes == 2 ? &pieces[4] : p;
        ptx_line(e, "st%s.%s [%s+%lld], %s", space, use->type, base,
                 (long long)(offset + (int64_t)at), list_of(e, use, r));
        at += use->bytes;
    }
}

void ptx_zero_local(struct ptx_func *e, const char *base, uint64_t bytes, uint32_t align)
{
    const char *w = ptx_fresh(e, PTX_B32), *b = ptx_fresh(e, PTX_B16);
    ptx_line(e, "mov.b32 %s, 0", w);
    ptx_line(e, "mov.b16 %s, 0", b);
    fill(e, ".local", PTX_B32, base, 0, w, b, bytes, align);
}

/* Local variables lie as alloca places them, which may be better than their type asks for. */
static uint32_t align_of(const struct ir_inst *i, const struct ir_value *to)
{
    uint32_t align = i->align ? i->align : 1;
    if (to->kind == IR_VALUE_RESULT && to->u.inst->op == IR_OP_alloca && to->u.inst->align > align)
        align = to->u.inst->align;
    return align;
}

static void emit_memset(struct ptx_func *e, struct ir_inst *i)
{
    struct ir_value *to = i->args[0], *n = i->args[2];
    const char *byte = ptx_in_reg(e, i->args[1]);
    const char *space = ptx_space_suffix[ir_space(to->type)];
    enum ptx_class c = ptx_class_of(to->type);
    const char *base = ptx_in_reg(e, to);
    if (ir_is_const(n)) {
        const char *w = ptx_fresh(e, PTX_B32), *word = ptx_fresh(e, PTX_B32);
        ptx_line(e, "cvt.u32.u16 %s, %s", w, byte);
        ptx_line(e, "mul.lo.s32 %s, %s, 0x01010101", word, w);
        fill(e, space, c, base, 0, word, byte, n->u.bits, align_of(i, to));
        return;
    }
    const char *q = ptx_fresh(e, c), *left = ptx_fresh(e, PTX_B64), *p0 = ptx_fresh(e, PTX_PRED);
    uint32_t top = ptx_label(e), out = ptx_label(e);
    ptx_line(e, "mov.%s %s, %s", ptx_class_info[c].bits, q, base);
    ptx_line(e, "mov.b64 %s, %s", left, ptx_operand(e, n));
    ptx_mark(e, top);
    ptx_line(e, "setp.eq.s64 %s, %s, 0", p0, left);
    ptx_line(e, "@%s bra $T%u", p0, out);
    ptx_line(e, "st%s.b8 [%s], %s", space, q, byte);
    ptx_line(e, "add.s%s %s, %s, 1", ptx_class_info[c].bits + 1, q, q);
    ptx_line(e, "sub.s64 %s, %s, 1", left, left);
    ptx_line(e, "bra $T%u", top);
    ptx_mark(e, out);
}

static void emit_cpasync(struct ptx_func *e, struct ir_inst *i)
{
    if (!ptx_needs_arch(e, 80, "cp.async"))
        return;
    if (ir_space(i->args[0]->type) != IR_SPACE_SHARED ||
        ir_space(i->args[1]->type) != IR_SPACE_GLOBAL) {
        const char *to = ptx_generic(e, i->args[0]), *from = ptx_generic(e, i->args[1]);
        const char *s = ptx_fresh(e, PTX_B64), *g = ptx_fresh(e, PTX_B64);
        ptx_line(e, "cvta.to.shared.u64 %s, %s", s, to);
        ptx_line(e, "cvta.to.global.u64 %s, %s", g, from);
        ptx_line(e, "cp.async.%s.shared.global [%s], [%s], %llu, %s", i->imm == 16 ? "cg" : "ca", s,
                 g, (unsigned long long)i->imm, ptx_operand(e, i->args[2]));
        return;
    }
    struct ptx_address to = ptx_address(e, i->args[0], 0), from = ptx_address(e, i->args[1], 0);
    bool whole = ir_is_const(i->args[2]) && i->args[2]->u.bits == i->imm;
    ptx_line(e, "cp.async.%s.shared.global %s, %s, %llu%s%s", i->imm == 16 ? "cg" : "ca", to.text,
             from.text, (unsigned long long)i->imm, whole ? "" : ", ",
             whole ? "" : ptx_operand(e, i->args[2]));
}

bool ptx_memory(struct ptx_func *e, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_store: {
        if (i->data) {
            emit_group(e, i, i->data);
            return true;
        }
        bool store = i->op == IR_OP_store;
        if (i->align && i->align < ir_bytes(i->type)) {
            unaligned(e, i, access_kind(e, i->flags, ir_space(i->args[0]->type), store));
            return true;
        }
        const char *v = store ? ptx_operand(e, i->args[1]) : ptx_reg(e, &i->results[0]);
        const char *how = access_kind(e, i->flags, ir_space(i->args[0]->type), store);
        struct ptx_address at = ptx_address(e, i->args[0], 0);
        if (store)
            ptx_store_value(e, i->type, v, how, at.text);
        else
            ptx_load_value(e, i->type, v, how, at.text);
        return true;
    }
    case IR_OP_memcpy: emit_memcpy(e, i); return true;
    case IR_OP_memset: emit_memset(e, i); return true;
    case IR_OP_cpasync: emit_cpasync(e, i); return true;
    case IR_OP_cpasync_commit:
        if (ptx_needs_arch(e, 80, "cp.async"))
            ptx_line(e, "cp.async.commit_group");
        return true;
    case IR_OP_cpasync_wait:
        if (!ptx_needs_arch(e, 80, "cp.async"))
            return true;
        if ((int32_t)i->imm < 0)
            ptx_line(e, "cp.async.wait_all");
        else
            ptx_line(e, "cp.async.wait_group %llu", (unsigned long long)i->imm);
        return true;
    default: return false;
    }
}
