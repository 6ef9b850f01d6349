/* Writes operations that a target lacks with operations that every target has.
 *
 * Straight-line expansions replace the instruction in place; copies of unknown or large size and
 * atomics by compare-and-swap become loops, for which the block is cut in two. Results are exactly
 * those of ops.def: a test holds each expansion against ir_eval. */
#include "lower/lower.h"
#include "opt/opt.h"

struct expander {
    struct ir_builder b;
    struct ir_module *m;
    uint32_t flags;
};

static struct ir_value *num(struct expander *x, ir_type t, uint64_t v)
{
    return ir_const(x->m, t, v);
}

static struct ir_value *op2(struct expander *x, enum ir_op op, struct ir_value *a,
                            struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *op2k(struct expander *x, enum ir_op op, struct ir_value *a, uint64_t k)
{
    return op2(x, op, a, num(x, a->type, k));
}

static struct ir_value *resize(struct expander *x, struct ir_value *a, ir_type t, enum ir_op wider)
{
    unsigned from = ir_bits(a->type), to = ir_bits(t);
    return from == to ? a : ir_build1(&x->b, from > to ? IR_OP_trunc : wider, t, a);
}

static struct ir_value *choose(struct expander *x, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&x->b, IR_OP_select, a->type, c, a, b);
}

/* ---- bits ---- */

static struct ir_value *byte_of(struct expander *x, struct ir_value *word, unsigned k,
                                bool is_signed)
{
    struct ir_value *up = op2k(x, IR_OP_shl, word, 24 - 8 * k);
    return op2k(x, is_signed ? IR_OP_ashr : IR_OP_lshr, up, 24);
}

static struct ir_value *dot4(struct expander *x, struct ir_inst *i, bool is_signed)
{
    struct ir_value *sum = i->args[2];
    for (unsigned k = 0; k < 4; k++)
        sum = op2(x, IR_OP_add, sum,
                  op2(x, IR_OP_mul, byte_of(x, i->args[0], k, is_signed),
                      byte_of(x, i->args[1], k, is_signed)));
    return sum;
}

/* Bytes k to `end` of a permutation whose selector is known, which all go the same way. */
static struct ir_value *moved_bytes(struct expander *x, struct ir_value *const *from,
                                    uint64_t selector, unsigned k, unsigned end)
{
    const unsigned pick = selector >> 4 * k & 15, at = pick & 3;
    const uint64_t mask = (UINT64_C(1) << 8 * end) - (UINT64_C(1) << 8 * k);
    struct ir_value *v = from[pick >> 2 & 1];
    if (pick & 8) /* a sign, eight times */
        v = op2k(x, IR_OP_ashr, op2k(x, IR_OP_shl, v, 24 - 8 * at), 31);
    else if (at != k)
        v = op2k(x, at < k ? IR_OP_shl : IR_OP_lshr, v, 8 * (at < k ? k - at : at - k));
    /* what shifts bring in is 0 already */
    const bool alone = !(pick & 8) && (at < k ? at == 0 && end == 4 : k == 0 && at + end == 4);
    return alone ? v : op2k(x, IR_OP_and, v, mask);
}

static struct ir_value *permute_bytes_by(struct expander *x, struct ir_inst *i, uint64_t selector)
{
    struct ir_value *result = NULL;
    for (unsigned k = 0, end; k < 4; k = end) {
        const unsigned pick = selector >> 4 * k & 15;
        for (end = k + 1; end < 4; end++) {
            const unsigned next = selector >> 4 * end & 15;
            if (next & 8 || pick & 8 ? next != pick
                                     : next >> 2 != pick >> 2 || next != pick + end - k)
                break;
        }
        if (k == 0 && end == 4 && !(pick & 8))
            return i->args[pick >> 2];
        struct ir_value *v = moved_bytes(x, i->args, selector, k, end);
        result = result ? op2(x, IR_OP_or, result, v) : v;
    }
    return result;
}

static struct ir_value *permute_bytes(struct expander *x, struct ir_inst *i)
{
    if (ir_is_const(i->args[2]))
        return permute_bytes_by(x, i, i->args[2]->u.bits);
    struct ir_value *low = resize(x, i->args[0], ir_like(IR_I64, i->type), IR_OP_zext);
    struct ir_value *high = resize(x, i->args[1], low->type, IR_OP_zext);
    struct ir_value *both = op2(x, IR_OP_or, low, op2k(x, IR_OP_shl, high, 32));
    struct ir_value *result = NULL;
    for (unsigned k = 0; k < 4; k++) {
        struct ir_value *pick = op2k(x, IR_OP_lshr, i->args[2], 4 * k);
        struct ir_value *shift = op2k(x, IR_OP_shl, op2k(x, IR_OP_and, pick, 7), 3);
        struct ir_value *byte =
            resize(x, op2(x, IR_OP_lshr, both, resize(x, shift, both->type, IR_OP_zext)), i->type,
                   IR_OP_zext);
        byte = op2k(x, IR_OP_and, byte, 255);
        struct ir_value *sign = op2k(x, IR_OP_lshr, op2k(x, IR_OP_shl, byte, 24), 31);
        sign = op2k(x, IR_OP_and, ir_build1(&x->b, IR_OP_neg, i->type, sign), 255);
        struct ir_value *mode = op2k(x, IR_OP_and, pick, 8);
        byte = choose(x, ir_build2(&x->b, IR_OP_ne, i->type, mode, num(x, i->type, 0)), sign, byte);
        byte = op2k(x, IR_OP_shl, byte, 8 * k);
        result = result ? op2(x, IR_OP_or, result, byte) : byte;
    }
    return result;
}

/* a:b shifted; the outer shift is done in two steps so that a count of 0 brings in nothing. */
static struct ir_value *funnel(struct expander *x, struct ir_inst *i)
{
    unsigned n = ir_bits(i->type);
    if (ir_is_const(i->args[2])) { /* devices know a rotation when they see one */
        uint64_t by = i->args[2]->u.bits & (n - 1), other = n - by;
        if (!by)
            return i->args[i->op == IR_OP_fshl ? 0 : 1];
        bool up = i->op == IR_OP_fshl;
        return op2(x, IR_OP_or, op2k(x, IR_OP_shl, i->args[0], up ? by : other),
                   op2k(x, IR_OP_lshr, i->args[1], up ? other : by));
    }
    struct ir_value *c = op2k(x, IR_OP_and, i->args[2], n - 1);
    struct ir_value *rest = op2(x, IR_OP_sub, num(x, i->type, n - 1), c);
    bool left = i->op == IR_OP_fshl;
    struct ir_value *near = op2(x, left ? IR_OP_shl : IR_OP_lshr, i->args[left ? 0 : 1], c);
    struct ir_value *far = op2k(x, left ? IR_OP_lshr : IR_OP_shl, i->args[left ? 1 : 0], 1);
    return op2(x, IR_OP_or, near, op2(x, left ? IR_OP_lshr : IR_OP_shl, far, rest));
}

/* popc, clz and brev of 8, 16 and 64 bits from the 32-bit ones. */
static struct ir_value *count_bits(struct expander *x, struct ir_inst *i)
{
    enum ir_op op = (enum ir_op)i->op;
    unsigned n = ir_bits(i->type);
    ir_type word = ir_like(IR_I32, i->type);
    if (n < 32) {
        struct ir_value *r = ir_build1(&x->b, op, word, resize(x, i->args[0], word, IR_OP_zext));
        if (op == IR_OP_clz)
            r = op2k(x, IR_OP_sub, r, 32 - n);
        else if (op == IR_OP_brev)
            r = op2k(x, IR_OP_lshr, r, 32 - n);
        return resize(x, r, i->type, IR_OP_zext);
    }
    struct ir_value *low = resize(x, i->args[0], word, IR_OP_zext);
    struct ir_value *high = resize(x, op2k(x, IR_OP_lshr, i->args[0], 32), word, IR_OP_zext);
    struct ir_value *a = ir_build1(&x->b, op, word, low), *b = ir_build1(&x->b, op, word, high);
    if (op == IR_OP_popc)
        return resize(x, op2(x, IR_OP_add, a, b), i->type, IR_OP_zext);
    if (op == IR_OP_clz) {
        struct ir_value *none = ir_build2(&x->b, IR_OP_eq, word, high, num(x, word, 0));
        return resize(x, choose(x, none, op2k(x, IR_OP_add, a, 32), b), i->type, IR_OP_zext);
    }
    struct ir_value *top = op2k(x, IR_OP_shl, resize(x, a, i->type, IR_OP_zext), 32);
    return op2(x, IR_OP_or, top, resize(x, b, i->type, IR_OP_zext));
}

/* Upper half of the product: by a product of twice the width, or four products of half the width.
 */
static struct ir_value *multiply_high(struct expander *x, struct ir_inst *i)
{
    unsigned n = ir_bits(i->type);
    bool is_signed = i->op == IR_OP_smulhi;
    struct ir_value *a = i->args[0], *b = i->args[1];
    if (n < 64) {
        ir_type wide = ir_like(IR_I64, i->type);
        enum ir_op extend = is_signed ? IR_OP_sext : IR_OP_zext;
        struct ir_value *p =
            op2(x, IR_OP_mul, resize(x, a, wide, extend), resize(x, b, wide, extend));
        return resize(x, op2k(x, IR_OP_lshr, p, n), i->type, IR_OP_zext);
    }
    struct ir_value *a0 = op2k(x, IR_OP_and, a, UINT32_MAX), *a1 = op2k(x, IR_OP_lshr, a, 32);
    struct ir_value *b0 = op2k(x, IR_OP_and, b, UINT32_MAX), *b1 = op2k(x, IR_OP_lshr, b, 32);
    struct ir_value *mid = op2(x, IR_OP_add, op2(x, IR_OP_mul, a1, b0),
                               op2k(x, IR_OP_lshr, op2(x, IR_OP_mul, a0, b0), 32));
    struct ir_value *mid2 =
        op2(x, IR_OP_add, op2(x, IR_OP_mul, a0, b1), op2k(x, IR_OP_and, mid, UINT32_MAX));
    struct ir_value *r = op2(x, IR_OP_add, op2(x, IR_OP_mul, a1, b1), op2k(x, IR_OP_lshr, mid, 32));
    r = op2(x, IR_OP_add, r, op2k(x, IR_OP_lshr, mid2, 32));
    if (is_signed) {
        r = op2(x, IR_OP_sub, r, op2(x, IR_OP_and, op2k(x, IR_OP_ashr, a, 63), b));
        r = op2(x, IR_OP_sub, r, op2(x, IR_OP_and, op2k(x, IR_OP_ashr, b, 63), a));
    }
    return r;
}

/* ---- loops ---- */

static void continue_in(struct expander *x, struct ir_block *b)
{
    x->b.block = b;
    x->b.before = NULL;
}

static struct ir_value *moved(struct expander *x, struct ir_value *p, struct ir_value *offset)
{
    return ir_build2(&x->b, IR_OP_ptradd, p->type, p, offset);
}

enum { UNROLL_BYTES = 128 };

/* One step of a copy, in two halves: the `unit` bytes at offset (or what memset writes), and where
 * they go. `align` is that of both places. */
static struct ir_value *copy_from(struct expander *x, struct ir_inst *i, struct ir_value *offset,
                                  unsigned unit, uint32_t align)
{
    static const ir_type types[9] = {[1] = IR_I8, [2] = IR_I16, [4] = IR_I32, [8] = IR_I64};
    ir_type t = types[unit];
    if (i->op != IR_OP_memset)
        return ir_build_load(&x->b, t, moved(x, i->args[1], offset), align, i->flags & IR_VOLATILE);
    struct ir_value *v = resize(x, i->args[1], t, IR_OP_zext);
    for (unsigned shift = 8; shift < 8 * unit; shift *= 2)
        v = op2(x, IR_OP_or, v, op2k(x, IR_OP_shl, v, shift));
    return v;
}

static void copy_to(struct expander *x, struct ir_inst *i, struct ir_value *offset,
                    struct ir_value *v, uint32_t align)
{
    ir_build_store(&x->b, moved(x, i->args[0], offset), v, align, i->flags & IR_VOLATILE);
}

static void copy_loop(struct expander *x, struct ir_inst *i, struct ir_value *size, unsigned unit)
{
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *head = ir_block_after(before, "copy"), *body = ir_block_after(head, NULL);
    struct ir_value *at = ir_block_param(head, IR_I64, NULL), *zero = num(x, IR_I64, 0);
    continue_in(x, before);
    ir_build_br(&x->b, head, &zero, 1);
    continue_in(x, head);
    ir_build_condbr(&x->b, ir_build2(&x->b, IR_OP_ult, IR_I64, at, size), body, after);
    continue_in(x, body);
    copy_to(x, i, at, copy_from(x, i, at, unit, unit), unit);
    struct ir_value *next = op2k(x, IR_OP_add, at, unit);
    ir_build_br(&x->b, head, &next, 1);
}

/* Two units at a time, read before they are written: neighbours that a target may move as one. */
static void copy_straight(struct expander *x, struct ir_inst *i, uint64_t size, unsigned unit)
{
    for (uint64_t at = 0; at < size;) {
        struct ir_value *v[2], *offset[2];
        uint32_t align[2];
        unsigned units[2], n = 0;
        for (uint64_t next = at; next < size && n < 2; next += units[n++]) {
            while (next + unit > size)
                unit /= 2;
            units[n] = unit;
            offset[n] = num(x, IR_I64, next);
            align[n] = next && (next & -next) < i->align ? (uint32_t)(next & -next) : i->align;
            v[n] = copy_from(x, i, offset[n], unit, align[n]);
        }
        for (unsigned k = 0; k < n; k++) {
            copy_to(x, i, offset[k], v[k], align[k]);
            at += units[k];
        }
    }
}

static void copy(struct expander *x, struct ir_inst *i)
{
    struct ir_value *size = i->args[2];
    unsigned unit = i->align >= 8 ? 8 : i->align >= 4 ? 4 : i->align >= 2 ? 2 : 1;
    if (!ir_is_const(size) || size->u.bits > UNROLL_BYTES) {
        while (ir_is_const(size) && size->u.bits % unit)
            unit /= 2;
        copy_loop(x, i, size, ir_is_const(size) ? unit : 1);
    } else {
        copy_straight(x, i, size->u.bits, unit);
    }
    ir_remove(i);
}

/* The bytes past the ones to be read are zero: decided word by word. */
static void copy_async(struct expander *x, struct ir_inst *i)
{
    for (uint64_t at = 0; at < i->imm; at += 4) {
        struct ir_value *offset = num(x, IR_I64, at);
        struct ir_value *v = ir_build_load(&x->b, IR_I32, moved(x, i->args[1], offset), 4, 0);
        if (!ir_is_const(i->args[2]) || i->args[2]->u.bits < i->imm) {
            struct ir_value *in =
                ir_build2(&x->b, IR_OP_ult, IR_I32, num(x, IR_I32, at), i->args[2]);
            v = choose(x, in, v, num(x, IR_I32, 0));
        }
        ir_build_store(&x->b, moved(x, i->args[0], offset), v, 4, 0);
    }
    ir_remove(i);
}

static struct ir_value *combine(struct expander *x, struct ir_inst *i, struct ir_value *old)
{
    static const struct {
        bool plain;
        uint8_t op;
    } as[IR_RMW_COUNT] = {[IR_RMW_FADD] = {true, IR_OP_fadd}, [IR_RMW_FMIN] = {true, IR_OP_fmin},
                          [IR_RMW_FMAX] = {true, IR_OP_fmax}, [IR_RMW_ADD] = {true, IR_OP_add},
                          [IR_RMW_SUB] = {true, IR_OP_sub},   [IR_RMW_AND] = {true, IR_OP_and},
                          [IR_RMW_OR] = {true, IR_OP_or},     [IR_RMW_XOR] = {true, IR_OP_xor},
                          [IR_RMW_UMIN] = {true, IR_OP_umin}, [IR_RMW_UMAX] = {true, IR_OP_umax},
                          [IR_RMW_SMIN] = {true, IR_OP_smin}, [IR_RMW_SMAX] = {true, IR_OP_smax}};
    struct ir_value *v = i->args[1];
    if (as[i->imm].plain)
        return op2(x, (enum ir_op)as[i->imm].op, old, v);
    switch ((enum ir_rmw)i->imm) {
    case IR_RMW_INC: {
        struct ir_value *wrap = ir_build2(&x->b, IR_OP_ule, i->type, v, old);
        return choose(x, wrap, num(x, i->type, 0), op2k(x, IR_OP_add, old, 1));
    }
    default: { /* dec */
        struct ir_value *zero = ir_build2(&x->b, IR_OP_eq, i->type, old, num(x, i->type, 0));
        struct ir_value *above = ir_build2(&x->b, IR_OP_ult, i->type, v, old);
        struct ir_value *wrap = ir_build2(&x->b, IR_OP_or, IR_I1, zero, above);
        return choose(x, wrap, v, op2k(x, IR_OP_sub, old, 1));
    }
    }
}

/* old = load; do { seen = old; old = cas(p, seen, f(seen)); } while (old != seen) */
static void by_swap(struct expander *x, struct ir_inst *i)
{
    ir_type t = i->type,
            bits = ir_class(t) == IR_CLASS_FLOAT ? ir_bits(t) == 64 ? IR_I64 : IR_I32 : t;
    uint32_t relaxed = IR_ORDERED(IR_ORDER_RELAXED, ir_scope(i->flags));
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL),
                    *loop = ir_block_after(before, "swap");
    struct ir_value *seen = ir_block_param(loop, bits, NULL);
    continue_in(x, before);
    struct ir_value *first = ir_build_load(&x->b, bits, i->args[0], 0, relaxed);
    ir_build_br(&x->b, loop, &first, 1);
    continue_in(x, loop);
    struct ir_value *old = t == bits ? seen : ir_build1(&x->b, IR_OP_bitcast, t, seen);
    struct ir_value *new = combine(x, i, old);
    struct ir_value *args[3] = {i->args[0], seen,
                                t == bits ? new : ir_build1(&x->b, IR_OP_bitcast, bits, new)};
    struct ir_inst *cas = ir_build(&x->b, IR_OP_cas, bits, args, 3);
    cas->flags = i->flags;
    struct ir_value *same = ir_build2(&x->b, IR_OP_eq, bits, &cas->results[0], seen);
    struct ir_inst *br = ir_build(&x->b, IR_OP_condbr, IR_VOID, &same, 1);
    struct ir_value *again = &cas->results[0];
    ir_add_edge(br, after, NULL, 0, 0);
    ir_add_edge(br, loop, &again, 1, 0);
    i->results[0].forward = old;
    ir_remove(i);
}

static bool swaps(uint32_t flags, const struct ir_inst *i)
{
    switch ((enum ir_rmw)i->imm) {
    case IR_RMW_FADD: {
        uint32_t all = EXPAND_FLOAT_RMW | (ir_bits(i->type) == 64 ? EXPAND_FADD64 : EXPAND_FADD32);
        if (ir_space(i->args[0]->type) != IR_SPACE_GLOBAL)
            all |= EXPAND_FADD_NEAR;
        return ir_bits(i->type) >= 32 && flags & all;
    }
    case IR_RMW_FMIN:
    case IR_RMW_FMAX:
        return flags & (EXPAND_FLOAT_RMW | EXPAND_FLOAT_MINMAX_RMW) && ir_bits(i->type) >= 32;
    case IR_RMW_INC:
    case IR_RMW_DEC: return flags & EXPAND_COUNT_RMW;
    case IR_RMW_XCHG: return false;
    default:
        return flags & EXPAND_SHARED_WIDE_RMW && i->type == IR_I64 &&
               ir_space(i->args[0]->type) == IR_SPACE_SHARED;
    }
}

/* The value that replaces the instruction, or NULL: it stays, or was dealt with. */
static struct ir_value *expand(struct expander *x, struct ir_inst *i)
{
    bool bits = x->flags & EXPAND_BITS, copies = x->flags & EXPAND_COPIES;
    bool bytes = x->flags & (EXPAND_BITS | EXPAND_BYTES);
    switch (i->op) {
    case IR_OP_prmt: return bytes ? permute_bytes(x, i) : NULL;
    case IR_OP_dp4a: return bits ? dot4(x, i, true) : NULL;
    case IR_OP_udp4a: return bits ? dot4(x, i, false) : NULL;
    case IR_OP_fshl:
    case IR_OP_fshr: return bits && ir_bits(i->type) > 1 ? funnel(x, i) : NULL;
    case IR_OP_popc:
    case IR_OP_clz:
    case IR_OP_brev:
        return bits && ir_bits(i->type) != 32 && ir_bits(i->type) > 1 ? count_bits(x, i) : NULL;
    case IR_OP_umulhi:
    case IR_OP_smulhi:
        return x->flags & EXPAND_MULHI && ir_bits(i->type) > 1 ? multiply_high(x, i) : NULL;
    case IR_OP_memcpy:
    case IR_OP_memset:
        if (copies)
            copy(x, i);
        return NULL;
    case IR_OP_cpasync:
        if (copies)
            copy_async(x, i);
        return NULL;
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait:
        if (copies)
            ir_remove(i);
        return NULL;
    case IR_OP_rmw:
        if (swaps(x->flags, i))
            by_swap(x, i);
        return NULL;
    default: return NULL;
    }
}

void lower_expand(struct ir_func *f, uint32_t flags)
{
    struct expander x = {.m = f->module, .flags = flags};
    for (struct ir_block *b = f->first; b; b = b->next) {
        /* An expansion may cut the block: what follows is then met again in the new block. */
        for (struct ir_inst *i = b->first, *next; i && i->block == b; i = next) {
            next = i->next;
            x.b = ir_builder_before(i);
            struct ir_value *v = expand(&x, i);
            if (v) {
                i->results[0].forward = v;
                ir_remove(i);
            }
        }
    }
    ir_replace_forwarded(f);
}

void lower_inline_calls(struct arena *a, struct ir_module *m)
{
    opt_inline(a, m, OPT_INLINE_ALL);
}
