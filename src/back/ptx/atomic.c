/* Atomics: native instructions where PTX has them, compare-and-swap loops elsewhere.
 *
 * i8 has no atomic at all: the loop runs on the 32-bit word around it. Memory of one thread needs
 * no atomicity. Sequential consistency is a fence.sc before an acq_rel operation. */
#include "back/ptx/ptx_int.h"

static const char *order_of(struct ptx_func *e, uint32_t flags)
{
    static const char *const names[] = {".relaxed", ".relaxed", ".acquire",
                                        ".release", ".acq_rel", ".acq_rel"};
    enum ir_order o = ir_order(flags);
    if (o == IR_ORDER_SEQ_CST)
        ptx_line(e, "fence.sc%s", ptx_scope(flags));
    return names[o <= IR_ORDER_SEQ_CST ? o : IR_ORDER_SEQ_CST];
}

/* rmw kind → PTX name, operand types it exists for (4: 32 bits, 8: 64 bits; f: floats), IR op of
 * its meaning. */
static const struct rmw_row {
    const char *name;
    char letter; /* type letter: u s b f */
    bool w, l;
    enum ir_op op;
} rows[IR_RMW_COUNT] = {
    [IR_RMW_ADD] = {"add", 'u', true, true, IR_OP_add},
    [IR_RMW_SUB] = {NULL, 0, false, false, IR_OP_sub},
    [IR_RMW_AND] = {"and", 'b', true, true, IR_OP_and},
    [IR_RMW_OR] = {"or", 'b', true, true, IR_OP_or},
    [IR_RMW_XOR] = {"xor", 'b', true, true, IR_OP_xor},
    [IR_RMW_UMIN] = {"min", 'u', true, true, IR_OP_umin},
    [IR_RMW_UMAX] = {"max", 'u', true, true, IR_OP_umax},
    [IR_RMW_SMIN] = {"min", 's', true, true, IR_OP_smin},
    [IR_RMW_SMAX] = {"max", 's', true, true, IR_OP_smax},
    [IR_RMW_INC] = {"inc", 'u', true, false, IR_OP_COUNT},
    [IR_RMW_DEC] = {"dec", 'u', true, false, IR_OP_COUNT},
    [IR_RMW_XCHG] = {"exch", 'b', true, true, IR_OP_COUNT},
    [IR_RMW_FADD] = {"add", 'f', true, true, IR_OP_fadd},
    [IR_RMW_FMIN] = {NULL, 0, false, false, IR_OP_fmin},
    [IR_RMW_FMAX] = {NULL, 0, false, false, IR_OP_fmax},
};

/* inc and dec, for the widths that have no native form: old in $a, bound in $b. */
static const char *inc_dec(enum ir_rmw kind, bool wide)
{
    if (kind == IR_RMW_INC)
        return wide ? "setp.ge.u64 $p0, $a, $b; add.s64 $l0, $a, 1; selp.b64 $d, 0, $l0, $p0"
                    : "setp.ge.u32 $p0, $a, $b; add.s32 $w0, $a, 1; selp.b32 $d, 0, $w0, $p0";
    return wide ? "setp.eq.s64 $p0, $a, 0; setp.gt.u64 $p1, $a, $b; or.pred $p2, $p0, $p1;"
                  "sub.s64 $l0, $a, 1; selp.b64 $d, $b, $l0, $p2"
                : "setp.eq.s32 $p0, $a, 0; setp.gt.u32 $p1, $a, $b; or.pred $p2, $p0, $p1;"
                  "sub.s32 $w0, $a, 1; selp.b32 $d, $b, $w0, $p2";
}

/* d = kind(old, operand), by the same table that plain operations use */
static void combine(struct ptx_func *e, enum ir_rmw kind, ir_type t, const char *d, const char *old,
                    const char *operand)
{
    struct ptx_bind b = {.type = t, .result = t, .d = d, .arg = {old, operand}};
    const char *bits = ptx_class_info[ptx_class_of(t)].bits;
    if (kind == IR_RMW_XCHG) {
        ptx_line(e, "mov.%s %s, %s", bits, d, operand);
    } else if (kind == IR_RMW_INC || kind == IR_RMW_DEC) {
        if (ir_bits(t) < 32) {
            const char *w = ptx_fresh(e, PTX_B32);
            b.arg[0] = ptx_widen(e, t, old, false);
            b.arg[1] = ptx_widen(e, t, operand, false);
            b.d = w;
            ptx_template(e, inc_dec(kind, false), &b);
            ptx_narrow(e, t, d, w);
        } else {
            ptx_template(e, inc_dec(kind, ir_bits(t) == 64), &b);
        }
    } else {
        ptx_plain(e, rows[kind].op, &b);
    }
}

static const char *bits_reg(struct ptx_func *e, ir_type t, const char *x, enum ptx_class to)
{
    const char *d = ptx_fresh(e, to);
    ptx_line(e, "mov.%s %s, %s", ptx_class_info[ptx_class_of(t)].bits, d, x);
    return d;
}

/* The word around a byte: its address, and how far to shift. */
struct word {
    const char *address, *shift, *hole;
};

static struct word word_of(struct ptx_func *e, struct ir_value *p)
{
    struct word w = {ptx_fresh(e, ptx_class_of(p->type)), ptx_fresh(e, PTX_B32),
                     ptx_fresh(e, PTX_B32)};
    bool wide = ptx_class_of(p->type) == PTX_B64;
    const char *x = ptx_in_reg(e, p), *low = ptx_fresh(e, PTX_B32), *byte = ptx_fresh(e, PTX_B32),
               *ones = ptx_fresh(e, PTX_B32);
    ptx_line(e, "and.b%d %s, %s, -4", wide ? 64 : 32, w.address, x);
    ptx_line(e, "%s %s, %s", wide ? "cvt.u32.u64" : "mov.b32", low, x);
    ptx_line(e, "and.b32 %s, %s, 3", byte, low);
    ptx_line(e, "shl.b32 %s, %s, 3", w.shift, byte);
    ptx_line(e, "shl.b32 %s, 255, %s", ones, w.shift);
    ptx_line(e, "not.b32 %s, %s", w.hole, ones);
    return w;
}

static void byte_loop(struct ptx_func *e, struct ir_inst *i, const char *sem)
{
    bool cas = i->op == IR_OP_cas;
    const char *scope = ptx_scope(i->flags), *space = ptx_space_suffix[ir_space(i->args[0]->type)];
    const char *d = ptx_reg(e, &i->results[0]);
    const char *x = ptx_in_reg(e, i->args[1]), *y = cas ? ptx_in_reg(e, i->args[2]) : NULL;
    struct word w = word_of(e, i->args[0]);
    const char *old = ptx_fresh(e, PTX_B32), *seen = ptx_fresh(e, PTX_B32),
               *part = ptx_fresh(e, PTX_B32), *next = ptx_fresh(e, PTX_B16),
               *wide = ptx_fresh(e, PTX_B32), *put = ptx_fresh(e, PTX_B32),
               *kept = ptx_fresh(e, PTX_B32), *all = ptx_fresh(e, PTX_B32),
               *p = ptx_fresh(e, PTX_PRED);
    uint32_t top = ptx_label(e), out = ptx_label(e);
    ptx_line(e, "ld.relaxed%s%s.b32 %s, [%s]", scope, space, old, w.address);
    ptx_mark(e, top);
    ptx_line(e, "shr.u32 %s, %s, %s", part, old, w.shift);
    ptx_line(e, "cvt.u8.u32 %s, %s", d, part);
    if (cas) {
        ptx_line(e, "setp.ne.s16 %s, %s, %s", p, d, x);
        ptx_line(e, "@%s bra $T%u", p, out);
        ptx_line(e, "mov.b16 %s, %s", next, y);
    } else {
        combine(e, (enum ir_rmw)i->imm, i->type, next, d, x);
    }
    ptx_line(e, "cvt.u32.u16 %s, %s", wide, next);
    ptx_line(e, "shl.b32 %s, %s, %s", put, wide, w.shift);
    ptx_line(e, "and.b32 %s, %s, %s", kept, old, w.hole);
    ptx_line(e, "or.b32 %s, %s, %s", all, kept, put);
    ptx_line(e, "atom%s%s%s.cas.b32 %s, [%s], %s, %s", sem, scope, space, seen, w.address, old,
             all);
    ptx_line(e, "setp.ne.s32 %s, %s, %s", p, seen, old);
    ptx_line(e, "mov.b32 %s, %s", old, seen);
    ptx_line(e, "@%s bra $T%u", p, top);
    ptx_mark(e, out);
}

static void cas_loop(struct ptx_func *e, struct ir_inst *i, const char *sem)
{
    ir_type t = i->type;
    enum ptx_class own = ptx_class_of(t);
    enum ptx_class c = ptx_class_info[own].bytes == 2   ? PTX_B16
                       : ptx_class_info[own].bytes == 4 ? PTX_B32
                                                        : PTX_B64;
    const char *bits = ptx_class_info[c].bits, *scope = ptx_scope(i->flags),
               *space = ptx_space_suffix[ir_space(i->args[0]->type)];
    const char *d = ptx_reg(e, &i->results[0]), *x = ptx_in_reg(e, i->args[1]);
    const char *old = ptx_fresh(e, c), *seen = ptx_fresh(e, c), *next = ptx_fresh(e, own),
               *raw = ptx_fresh(e, c), *p = ptx_fresh(e, PTX_PRED);
    struct ptx_address at = ptx_address(e, i->args[0], 0);
    uint32_t top = ptx_label(e);
    ptx_line(e, "ld.relaxed%s%s.%s %s, %s", scope, space, bits, old, at.text);
    ptx_mark(e, top);
    ptx_line(e, "mov.%s %s, %s", bits, d, old);
    combine(e, (enum ir_rmw)i->imm, t, next, d, x);
    ptx_line(e, "mov.%s %s, %s", bits, raw, next);
    ptx_line(e, "atom%s%s%s.cas.%s %s, %s, %s, %s", sem, scope, space, bits, seen, at.text, old,
             raw);
    ptx_line(e, "setp.ne.s%s %s, %s, %s", bits + 1, p, seen, old);
    ptx_line(e, "mov.%s %s, %s", bits, old, seen);
    ptx_line(e, "@%s bra $T%u", p, top);
}

/* Local memory belongs to one thread: read, change, write. */
static void in_local(struct ptx_func *e, struct ir_inst *i)
{
    ir_type t = i->type;
    const char *d = ptx_reg(e, &i->results[0]), *next = ptx_fresh(e, ptx_class_of(t));
    struct ptx_address at = ptx_address(e, i->args[0], 0);
    ptx_load_value(e, t, d, ".local", at.text);
    if (i->op == IR_OP_rmw) {
        combine(e, (enum ir_rmw)i->imm, t, next, d, ptx_in_reg(e, i->args[1]));
        ptx_store_value(e, t, next, ".local", at.text);
        return;
    }
    enum ptx_class own = ptx_class_of(t);
    unsigned bytes = ptx_class_info[own].bytes;
    enum ptx_class c = bytes == 2 ? PTX_B16 : bytes == 4 ? PTX_B32 : PTX_B64;
    const char *p = ptx_fresh(e, PTX_PRED), *x = bits_reg(e, t, ptx_in_reg(e, i->args[1]), c),
               *o = bits_reg(e, t, d, c);
    uint32_t out = ptx_label(e);
    ptx_line(e, "setp.ne.s%u %s, %s, %s", bytes * 8, p, o, x);
    ptx_line(e, "@%s bra $T%u", p, out);
    ptx_store_value(e, t, ptx_in_reg(e, i->args[2]), ".local", at.text);
    ptx_mark(e, out);
}

static bool half_add(struct ptx_func *e, struct ir_inst *i)
{
    if (i->imm != IR_RMW_FADD || ptx_class_of(i->type) != PTX_F16)
        return false;
    return ir_kind(i->type) == IR_F16 || e->p->arch >= 90;
}

bool ptx_atomic(struct ptx_func *e, struct ir_inst *i)
{
    if (i->op != IR_OP_rmw && i->op != IR_OP_cas)
        return false;
    enum ir_space s = ir_space(i->args[0]->type);
    ir_type t = i->type;
    if (s == IR_SPACE_CONST || s == IR_SPACE_PARAM) {
        ptx_refuse(e, "an atomic on read-only memory");
        return true;
    }
    if (ptx_class_of(t) == PTX_PRED || (ir_kind(t) == IR_PTR && ptx_class_of(t) == PTX_B32)) {
        ptx_refuse(e, "an atomic on %s", ir_kind(t) == IR_PTR ? "a shared or local pointer" : "i1");
        return true;
    }
    if (s == IR_SPACE_LOCAL) {
        in_local(e, i);
        return true;
    }
    const char *sem = order_of(e, i->flags), *scope = ptx_scope(i->flags);
    const char *space = ptx_space_suffix[s];
    if (ir_kind(t) == IR_I8) {
        byte_loop(e, i, sem);
        return true;
    }
    unsigned bytes = ptx_class_info[ptx_class_of(t)].bytes;
    const char *d = ptx_reg(e, &i->results[0]);
    if (i->op == IR_OP_cas) {
        const char *x = ptx_in_reg(e, i->args[1]), *y = ptx_in_reg(e, i->args[2]);
        struct ptx_address at = ptx_address(e, i->args[0], 0);
        ptx_line(e, "atom%s%s%s.cas.b%u %s, %s, %s, %s", sem, scope, space, bytes * 8, d, at.text,
                 x, y);
        return true;
    }
    enum ir_rmw kind = (enum ir_rmw)i->imm;
    const struct rmw_row *r = &rows[kind < IR_RMW_COUNT ? kind : 0];
    if (half_add(e, i)) {
        const char *x = ptx_in_reg(e, i->args[1]);
        struct ptx_address at = ptx_address(e, i->args[0], 0);
        ptx_line(e, "atom%s%s%s.add.noftz.%s %s, %s, %s", sem, scope, space,
                 ir_kind(t) == IR_F16 ? "f16" : "bf16", d, at.text, x);
    } else if (kind == IR_RMW_SUB && bytes >= 4) {
        const char *x = ptx_in_reg(e, i->args[1]), *n = ptx_fresh(e, ptx_class_of(t));
        struct ptx_address at = ptx_address(e, i->args[0], 0);
        ptx_line(e, "neg.s%u %s, %s", bytes * 8, n, x);
        ptx_line(e, "atom%s%s%s.add.u%u %s, %s, %s", sem, scope, space, bytes * 8, d, at.text, n);
    } else if ((bytes == 4 && r->w) || (bytes == 8 && r->l)) {
        const char *x = ptx_in_reg(e, i->args[1]);
        struct ptx_address at = ptx_address(e, i->args[0], 0);
        ptx_line(e, "atom%s%s%s.%s.%c%u %s, %s, %s", sem, scope, space, r->name, r->letter,
                 bytes * 8, d, at.text, x);
    } else {
        cas_loop(e, i, sem);
    }
    return true;
}
