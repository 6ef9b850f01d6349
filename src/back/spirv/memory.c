/* Memory, atomics, barriers, warp operations and output → SPIR-V.
 *
 * A pointer is a number: to global, constant and parameter memory a 64-bit device address; to
 * shared and local memory a 32-bit offset into one array of words. A generic pointer is 64 bits
 * with the space in the top byte, which device addresses never use. Accesses that other threads may
 * see are NonPrivate, so that barriers order them under the Vulkan memory model. */
#include <string.h>
#include "back/spirv/spirv_int.h"

enum { TAG_SHARED = 0x7e, TAG_LOCAL = 0x7d, TAG_SHIFT = 56 };

static spv_id u32_type(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I32);
}

static spv_id u64_type(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I64);
}

spv_id spv_push_load(struct spv_kernel *k, enum spirv_push_member m)
{
    struct spv_module *s = k->s;
    k->uses_output |= m == PUSH_OUTPUT;
    spv_id type = spv_type(s, m <= PUSH_OUTPUT ? IR_I64 : IR_I32);
    spv_id at = OP(s, SpvAccessChain, spv_pointer(s, StoragePush, type), k->s->push, spv_u32(s, m));
    return OP(s, SpvLoad, type, at);
}

static spv_id push_word(struct spv_kernel *k, uint32_t index)
{
    struct spv_module *s = k->s;
    spv_id at = OP(s, SpvAccessChain, spv_pointer(s, StoragePush, u32_type(k)), k->s->push,
                   spv_u32(s, PUSH_INLINE), spv_u32(s, index));
    return OP(s, SpvLoad, u32_type(k), at);
}

/* ---- values as words ---- */

static ir_type
memory_type(ir_type t) /* what stands in memory: integers and floats of whole bytes */
{
    return ir_kind(t) == IR_I1     ? IR_I8
           : ir_kind(t) == IR_PTR  ? IR_I64
           : ir_kind(t) == IR_BF16 ? IR_I16
                                   : ir_scalar(t);
}

static spv_id to_memory(struct spv_kernel *k, ir_type t, spv_id x)
{
    struct spv_module *s = k->s;
    if (ir_kind(t) == IR_I1)
        return OP(s, SpvSelect, spv_type(s, IR_I8), x, spv_const(s, IR_I8, 1),
                  spv_const(s, IR_I8, 0));
    if (ir_kind(t) == IR_PTR && spv_type(s, t) != u64_type(k))
        return spv_wide(k, x, 0);
    return x;
}

static spv_id from_memory(struct spv_kernel *k, ir_type t, spv_id x)
{
    struct spv_module *s = k->s;
    if (ir_kind(t) == IR_I1)
        return OP(s, SpvINotEqual, spv_type(s, IR_I1), x, spv_const(s, IR_I8, 0));
    if (ir_kind(t) == IR_PTR && spv_type(s, t) != u64_type(k))
        return spv_low(k, x);
    return x;
}

static ir_type bits_of(ir_type t)
{
    static const ir_type by_bytes[9] = {[1] = IR_I8, [2] = IR_I16, [4] = IR_I32, [8] = IR_I64};
    return by_bytes[ir_bytes(t)];
}

static spv_id recast(struct spv_kernel *k, ir_type from, ir_type to, spv_id x)
{
    return spv_type(k->s, from) == spv_type(k->s, to) ? x
                                                      : OP(k->s, SpvBitcast, spv_type(k->s, to), x);
}

/* ---- places ---- */

static void need_storage(struct spv_kernel *k, ir_type t)
{
    if (ir_bytes(t) == 1)
        spv_capability(k->s, CapStorageBuffer8);
    else if (ir_bytes(t) == 2)
        spv_capability(k->s, CapStorageBuffer16);
}

static spv_id pointer_at(struct spv_kernel *k, spv_id type, spv_id address)
{
    struct spv_module *s = k->s;
    return OP(s, s->features->i64 ? SpvConvertUToPtr : SpvBitcast,
              spv_pointer(s, StoragePhysical, type), address);
}

static spv_id physical(struct spv_kernel *k, ir_type t, spv_id address)
{
    need_storage(k, t);
    return pointer_at(k, spv_type(k->s, t), address);
}

/* A byte of shared or local memory. What is known of the offset stands apart, for compilers to put
 * it into instructions, which they cannot where it is shifted together with the rest. */
struct spot {
    spv_id base;
    int32_t plus;
};

static spv_id offset_of(struct spv_kernel *k, struct spot at)
{
    return at.plus ? OP(k->s, SpvIAdd, u32_type(k), at.base, spv_u32(k->s, (uint32_t)at.plus))
                   : at.base;
}

/* In elements of so many bytes. A base may lie before the memory: it is a signed number then. */
static spv_id index_of(struct spv_kernel *k, struct spot at, uint32_t log2_bytes)
{
    struct spv_module *s = k->s;
    const spv_id by = spv_u32(s, log2_bytes);
    if (!at.plus || at.plus % (1 << log2_bytes))
        return OP(s, SpvShiftRightLogical, u32_type(k), offset_of(k, at), by);
    return OP(s, SpvIAdd, u32_type(k), OP(s, SpvShiftRightArithmetic, u32_type(k), at.base, by),
              spv_u32(s, (uint32_t)(at.plus / (1 << log2_bytes))));
}

/* The address of an access. Sums are taken apart only where they stand beside it: their parts may
 * not be at hand elsewhere. */
static struct spot spot_of(struct spv_kernel *k, const struct ir_inst *i)
{
    enum { FAR = 1 << 30 };
    struct ir_value *p = i->args[0];
    int64_t plus = 0;
    while (p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_ptradd &&
           p->u.inst->block == i->block && ir_is_const(p->u.inst->args[1])) {
        const int64_t more = plus + (int64_t)p->u.inst->args[1]->u.bits;
        if (more <= -FAR || more >= FAR)
            break;
        plus = more;
        p = p->u.inst->args[0];
    }
    return (struct spot){spv_value(k, p), (int32_t)plus};
}

static struct spot at_value(spv_id offset)
{
    return (struct spot){offset, 0};
}

/* An element of a view of shared memory. */
static spv_id element_at(struct spv_kernel *k, enum spv_view v, spv_id type, uint32_t log2_bytes,
                         struct spot at)
{
    struct spv_module *s = k->s;
    spv_id index = index_of(k, at, log2_bytes);
    spv_id pointer = spv_pointer(s, StorageWorkgroup, type);
    return OP(s, SpvAccessChain, pointer, spv_shared_view(k, v), spv_u32(s, 0), index);
}

/* The view of shared memory in which a value of this many bytes is one element; VIEW_32: there is
 * none, and it goes by words. */
static enum spv_view view_of(struct spv_kernel *k, uint32_t bytes, uint32_t align)
{
    const struct spirv_features *have = k->s->features;
    if (!have->shared_layout || align < bytes)
        return VIEW_32;
    return bytes == 8 && have->i64                      ? VIEW_64
           : bytes == 2 && have->shared_16 && have->i16 ? VIEW_16
           : bytes == 1 && have->shared_8 && have->i8   ? VIEW_8
                                                        : VIEW_32;
}

static const uint8_t view_log2[SPV_VIEWS] = {
    [VIEW_8] = 0, [VIEW_16] = 1, [VIEW_32] = 2, [VIEW_64] = 3, [VIEW_32x2] = 3, [VIEW_32x4] = 4};

/* A word of the shared or local array, `plus` words past a place. */
static spv_id word_at(struct spv_kernel *k, bool shared, struct spot at, uint32_t plus)
{
    struct spv_module *s = k->s;
    spv_id index = index_of(k, at, 2);
    if (plus)
        index = OP(s, SpvIAdd, u32_type(k), index, spv_u32(s, plus));
    spv_id pointer = spv_pointer(s, shared ? StorageWorkgroup : StorageFunction, u32_type(k));
    if (!shared)
        return OP(s, SpvAccessChain, pointer, k->local, index);
    spv_id words = spv_shared_view(k, VIEW_32);
    if (s->features->shared_layout)
        return OP(s, SpvAccessChain, pointer, words, spv_u32(s, 0), index);
    return OP(s, SpvAccessChain, pointer, words, index);
}

static spv_id load_word(struct spv_kernel *k, bool shared, spv_id place, bool is_volatile)
{
    uint32_t how = is_volatile ? OperandVolatile : 0;
    if (shared)
        return OP(k->s, SpvLoad, u32_type(k), place, OperandNonPrivate | how);
    return OP(k->s, SpvLoad, u32_type(k), place, how);
}

static void store_word(struct spv_kernel *k, bool shared, spv_id place, spv_id x, bool is_volatile)
{
    uint32_t how = (is_volatile ? OperandVolatile : 0) | (shared ? OperandNonPrivate : 0);
    SPV(k->s, code, SpvStore, place, x, how);
}

/* Position of a narrow element in its word, in bits. */
static spv_id bit_shift(struct spv_kernel *k, spv_id offset)
{
    struct spv_module *s = k->s;
    spv_id byte = OP(s, SpvBitwiseAnd, u32_type(k), offset, spv_u32(s, 3));
    return OP(s, SpvShiftLeftLogical, u32_type(k), byte, spv_u32(s, 3));
}

static spv_id load_words(struct spv_kernel *k, bool shared, ir_type t, struct spot at,
                         uint32_t align, bool is_volatile)
{
    struct spv_module *s = k->s;
    ir_type bits = bits_of(t);
    enum spv_view v = shared ? view_of(k, ir_bytes(t), align) : VIEW_32;
    if (v != VIEW_32) {
        spv_id place = element_at(k, v, spv_type(s, bits), view_log2[v], at);
        return recast(k, bits, t,
                      OP(s, SpvLoad, spv_type(s, bits), place,
                         OperandNonPrivate | (is_volatile ? OperandVolatile : 0)));
    }
    spv_id low = load_word(k, shared, word_at(k, shared, at, 0), is_volatile), r = low;
    if (ir_bytes(t) == 8) {
        r = spv_wide(k, low, load_word(k, shared, word_at(k, shared, at, 1), is_volatile));
    } else if (ir_bytes(t) < 4) {
        r = OP(s, SpvShiftRightLogical, u32_type(k), low, bit_shift(k, offset_of(k, at)));
        r = spv_small_cut(k, bits, r);
    }
    return recast(k, bits, t, r);
}

static uint32_t semantics(enum ir_order order)
{
    static const uint32_t by_order[] = {[IR_ORDER_ACQUIRE] = MemAcquire | MemVisible,
                                        [IR_ORDER_RELEASE] = MemRelease | MemAvailable,
                                        [IR_ORDER_ACQ_REL] = MemAcqRel | MemVisible | MemAvailable,
                                        [IR_ORDER_SEQ_CST] = MemAcqRel | MemVisible | MemAvailable};
    uint32_t m = by_order[order];
    return m ? m | MemBuffers | MemWorkgroup : 0;
}

static spv_id scope(struct spv_kernel *k, enum ir_scope sc)
{
    return spv_u32(k->s, sc == IR_SCOPE_BLOCK ? ScopeWorkgroup : ScopeDevice);
}

/* A part of a word that is to be written: its bits in their place, and a mask of the others. */
struct part {
    spv_id bits, others;
};

static struct part part_of_word(struct spv_kernel *k, ir_type t, spv_id offset, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id at = bit_shift(k, offset), all = spv_u32(s, ir_bytes(t) == 1 ? 0xff : 0xffff);
    spv_id hole = OP(s, SpvShiftLeftLogical, u32_type(k), all, at);
    return (struct part){
        OP(s, SpvShiftLeftLogical, u32_type(k), spv_small_word(k, bits_of(t), x), at),
        OP(s, SpvNot, u32_type(k), hole)};
}

/* Neighbours in the word may be written at the same time, and so may the part itself:
 * do old = *place; while (!cas(place, old, old with the part)). */
static void swap_part(struct spv_kernel *k, spv_id place, enum spv_scope sc, struct part p)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k), in = spv_u32(s, sc), relaxed = spv_u32(s, 0);
    spv_id head = spv_new(s), body = spv_new(s), next = spv_new(s), merge = spv_new(s);
    SPV(s, code, SpvBranch, head);
    SPV(s, code, SpvLabel, head);
    SPV(s, code, SpvLoopMerge, merge, next, 0);
    SPV(s, code, SpvBranch, body);
    SPV(s, code, SpvLabel, body);
    spv_id old = OP(s, SpvAtomicLoad, word, place, in, relaxed);
    spv_id new = OP(s, SpvBitwiseOr, word, OP(s, SpvBitwiseAnd, word, old, p.others), p.bits);
    spv_id seen = OP(s, SpvAtomicCompareExchange, word, place, in, relaxed, relaxed, new, old);
    spv_id done = OP(s, SpvIEqual, spv_type(s, IR_I1), seen, old);
    SPV(s, code, SpvBranchConditional, done, merge, next);
    SPV(s, code, SpvLabel, next);
    SPV(s, code, SpvBranch, head);
    SPV(s, code, SpvLabel, merge);
}

static void store_words(struct spv_kernel *k, bool shared, ir_type t, struct spot at, spv_id x,
                        uint32_t align, bool is_volatile)
{
    struct spv_module *s = k->s;
    ir_type bits = bits_of(t);
    x = recast(k, t, bits, x);
    enum spv_view v = shared ? view_of(k, ir_bytes(t), align) : VIEW_32;
    if (v != VIEW_32) {
        store_word(k, true, element_at(k, v, spv_type(s, bits), view_log2[v], at), x, is_volatile);
        return;
    }
    spv_id place = word_at(k, shared, at, 0);
    if (ir_bytes(t) == 4) {
        store_word(k, shared, place, x, is_volatile);
    } else if (ir_bytes(t) == 8) {
        store_word(k, shared, place, spv_low(k, x), is_volatile);
        store_word(k, shared, word_at(k, shared, at, 1), spv_high(k, x), is_volatile);
    } else {
        struct part p = part_of_word(k, t, offset_of(k, at), x);
        if (shared) {
            swap_part(k, place, ScopeWorkgroup, p);
        } else {
            spv_id old = OP(s, SpvBitwiseAnd, u32_type(k), load_word(k, false, place, is_volatile),
                            p.others);
            store_word(k, false, place, OP(s, SpvBitwiseOr, u32_type(k), old, p.bits), is_volatile);
        }
    }
}

/* What nobody writes while the kernel runs need not be asked for again. */
static uint32_t sharing(const struct ir_inst *i)
{
    const enum ir_space space = ir_space(i->args[0]->type);
    const bool invariant =
        i->flags & IR_INVARIANT || space == IR_SPACE_CONST || space == IR_SPACE_PARAM;
    return (i->flags & IR_VOLATILE ? OperandVolatile : 0) |
           (invariant && !(i->flags & IR_VOLATILE) ? 0 : OperandNonPrivate);
}

static spv_id word_around(struct spv_kernel *k, spv_id address)
{
    return OP(k->s, SpvBitwiseAnd, u64_type(k), address, spv_const(k->s, IR_I64, ~UINT64_C(3)));
}

static spv_id load_physical(struct spv_kernel *k, ir_type t, spv_id address, uint32_t align,
                            uint32_t how)
{
    struct spv_module *s = k->s;
    if (!spv_in_word(s, t))
        return OP(s, SpvLoad, spv_type(s, t), physical(k, t, address), OperandAligned | how, align);
    spv_id word = OP(s, SpvLoad, u32_type(k), physical(k, IR_I32, word_around(k, address)),
                     OperandAligned | how, 4);
    spv_id shift = bit_shift(k, spv_low(k, address));
    return spv_small_cut(k, t, OP(s, SpvShiftRightLogical, u32_type(k), word, shift));
}

/* ---- kernel parameters ---- */

static spv_id inline_param(struct spv_kernel *k, ir_type t, uint32_t offset)
{
    struct spv_module *s = k->s;
    spv_id word = push_word(k, offset / 4);
    if (ir_bytes(t) == 8) {
        word = spv_wide(k, word, push_word(k, offset / 4 + 1));
    } else if (ir_bytes(t) < 4) {
        if (offset % 4)
            word = OP(s, SpvShiftRightLogical, u32_type(k), word, spv_u32(s, 8 * (offset % 4)));
        word = spv_small_cut(k, t, word);
    }
    return recast(k, bits_of(t), t, word);
}

void spv_load_params(struct spv_kernel *k)
{
    struct ir_func *f = k->func;
    for (size_t n = 0; n < f->params.len; n++) {
        const struct ir_param *p = &f->params.data[n];
        ir_type t = memory_type(p->type);
        spv_id x;
        if (k->params_inline) {
            x = inline_param(k, t, p->offset);
        } else {
            x = spv_wide_add_k(k, spv_push_load(k, PUSH_PARAMS), p->offset);
            if (!p->byval_size)
                x = load_physical(k, t, x, ir_bytes(t), 0); /* nobody writes parameters */
        }
        spv_set_value(k, f->first->params.data[n], from_memory(k, p->type, x));
    }
}

/* ---- generic pointers: the space is in the top byte ---- */

/* if (tag == what) … else …: begin, middle, end. */
struct fork {
    spv_id other, end;
};

static struct fork fork_on(struct spv_kernel *k, spv_id cond)
{
    struct spv_module *s = k->s;
    struct fork f = {spv_new(s), spv_new(s)};
    spv_id yes = spv_new(s);
    SPV(s, code, SpvSelectionMerge, f.end, 0);
    SPV(s, code, SpvBranchConditional, cond, yes, f.other);
    SPV(s, code, SpvLabel, yes);
    return f;
}

static void fork_else(struct spv_kernel *k, struct fork f)
{
    SPV(k->s, code, SpvBranch, f.end);
    SPV(k->s, code, SpvLabel, f.other);
}

static void fork_end(struct spv_kernel *k, struct fork f)
{
    SPV(k->s, code, SpvBranch, f.end);
    SPV(k->s, code, SpvLabel, f.end);
}

static spv_id tag_of(struct spv_kernel *k, spv_id generic)
{
    struct spv_module *s = k->s;
    if (s->features->i64)
        return OP(s, SpvShiftRightLogical, u64_type(k), generic, spv_u32(s, TAG_SHIFT));
    return OP(s, SpvShiftRightLogical, u32_type(k), spv_high(k, generic),
              spv_u32(s, TAG_SHIFT - 32));
}

static spv_id tag_number(struct spv_kernel *k, uint32_t tag)
{
    return spv_const(k->s, k->s->features->i64 ? IR_I64 : IR_I32, tag);
}

static spv_id has_tag(struct spv_kernel *k, spv_id generic, uint32_t tag)
{
    struct spv_module *s = k->s;
    return OP(s, SpvIEqual, spv_type(s, IR_I1), tag_of(k, generic), tag_number(k, tag));
}

static spv_id function_variable(struct spv_kernel *k, spv_id type)
{
    spv_id v = spv_new(k->s);
    SPV(k->s, variables, SpvVariable, spv_pointer(k->s, StorageFunction, type), v, StorageFunction);
    return v;
}

static spv_id load_generic(struct spv_kernel *k, ir_type t, spv_id p, uint32_t align, uint32_t how)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, t), result = function_variable(k, type);
    struct fork shared = fork_on(k, has_tag(k, p, TAG_SHARED));
    SPV(s, code, SpvStore, result, load_words(k, true, t, at_value(spv_low(k, p)), align, how));
    fork_else(k, shared);
    if (k->local) {
        struct fork local = fork_on(k, has_tag(k, p, TAG_LOCAL));
        SPV(s, code, SpvStore, result,
            load_words(k, false, t, at_value(spv_low(k, p)), align, how));
        fork_else(k, local);
        SPV(s, code, SpvStore, result, load_physical(k, t, p, align, how | OperandNonPrivate));
        fork_end(k, local);
    } else {
        SPV(s, code, SpvStore, result, load_physical(k, t, p, align, how | OperandNonPrivate));
    }
    fork_end(k, shared);
    return OP(s, SpvLoad, type, result);
}

static void store_physical(struct spv_kernel *k, ir_type t, spv_id p, spv_id x, uint32_t align,
                           uint32_t how)
{
    if (spv_in_word(k->s, t))
        swap_part(k, physical(k, IR_I32, word_around(k, p)), ScopeDevice,
                  part_of_word(k, t, spv_low(k, p), x));
    else
        SPV(k->s, code, SpvStore, physical(k, t, p), x, OperandAligned | OperandNonPrivate | how,
            align);
}

static void store_generic(struct spv_kernel *k, ir_type t, spv_id p, spv_id x, uint32_t align,
                          uint32_t how)
{
    struct fork shared = fork_on(k, has_tag(k, p, TAG_SHARED));
    store_words(k, true, t, at_value(spv_low(k, p)), x, align, how);
    fork_else(k, shared);
    if (k->local) {
        struct fork local = fork_on(k, has_tag(k, p, TAG_LOCAL));
        store_words(k, false, t, at_value(spv_low(k, p)), x, align, how);
        fork_else(k, local);
        store_physical(k, t, p, x, align, how);
        fork_end(k, local);
    } else {
        store_physical(k, t, p, x, align, how);
    }
    fork_end(k, shared);
}

/* ---- loads and stores ---- */

/* Two or four words of shared memory at once; a long element is two of them. */
static void emit_shared_group(struct spv_kernel *k, struct ir_inst *i, const struct spv_group *g,
                              ir_type t)
{
    struct spv_module *s = k->s;
    const unsigned per = ir_bytes(t) / 4, n = g->n * per;
    enum spv_view v = n == 2 ? VIEW_32x2 : VIEW_32x4;
    spv_id word = u32_type(k), pair = spv_type_vec(s, word, 2), type = spv_type_vec(s, word, n),
           words[4], all = 0;
    const struct spot at = {spv_value(k, g->base), (int32_t)g->offset};
    const spv_id p = element_at(k, v, type, view_log2[v], at);
    if (i->op == IR_OP_load)
        all = OP(s, SpvLoad, type, p, OperandNonPrivate);
    for (unsigned e = 0; e < g->n; e++) {
        struct ir_inst *at = g->at[e];
        spv_id *w = words + e * per, x;
        if (i->op == IR_OP_load) {
            for (unsigned m = 0; m < per; m++)
                w[m] = OP(s, SpvCompositeExtract, word, all, e * per + m);
            x = per == 1 ? recast(k, IR_I32, t, w[0])
                         : OP(s, SpvBitcast, spv_type(s, t),
                              OP(s, SpvCompositeConstruct, pair, w[0], w[1]));
            spv_set_value(k, &at->results[0], x);
        } else if (per == 1) {
            w[0] = recast(k, t, IR_I32, spv_value(k, at->args[1]));
        } else {
            x = OP(s, SpvBitcast, pair, spv_value(k, at->args[1]));
            for (unsigned m = 0; m < per; m++)
                w[m] = OP(s, SpvCompositeExtract, word, x, m);
        }
    }
    if (i->op == IR_OP_store)
        SPV(s, code, SpvStore, p, spv_op(s, SpvCompositeConstruct, type, words, n),
            OperandNonPrivate);
}

static void emit_group(struct spv_kernel *k, struct ir_inst *i, const struct spv_group *g)
{
    struct spv_module *s = k->s;
    if (g->emit_at != i)
        return;
    ir_type t = memory_type(i->type);
    if (ir_space(i->args[0]->type) == IR_SPACE_SHARED) {
        emit_shared_group(k, i, g, t);
        return;
    }
    spv_id part = spv_type(s, t), type = spv_type_vec(s, part, g->n), words[4];
    spv_id p = spv_value(k, g->base);
    if (g->offset)
        p = spv_wide_add_k(k, p, (uint64_t)g->offset);
    need_storage(k, t);
    p = pointer_at(k, type, p);
    uint32_t how = OperandAligned | OperandNonPrivate, align = ir_bytes(t) * g->n;
    if (i->op == IR_OP_load) {
        how = OperandAligned;
        for (unsigned n = 0; n < g->n; n++)
            how |= sharing(g->at[n]);
        spv_id all = OP(s, SpvLoad, type, p, how, align);
        for (unsigned n = 0; n < g->n; n++)
            spv_set_value(k, &g->at[n]->results[0],
                          from_memory(k, i->type, OP(s, SpvCompositeExtract, part, all, n)));
        return;
    }
    for (unsigned n = 0; n < g->n; n++)
        words[n] = to_memory(k, i->type, spv_value(k, g->at[n]->args[1]));
    SPV(s, code, SpvStore, p, spv_op(s, SpvCompositeConstruct, type, words, g->n), how, align);
}

static void emit_load(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    ir_type t = memory_type(i->type);
    enum ir_space space = ir_space(i->args[0]->type);
    uint32_t how = i->flags & IR_VOLATILE ? OperandVolatile : 0;
    bool words = space == IR_SPACE_SHARED || space == IR_SPACE_LOCAL;
    spv_id p = words ? 0 : spv_value(k, i->args[0]), r;
    if (ir_order(i->flags) && ir_bytes(t) >= 4 && !words && space != IR_SPACE_GENERIC) {
        r = OP(s, SpvAtomicLoad, spv_type(s, bits_of(t)), physical(k, bits_of(t), p),
               scope(k, ir_scope(i->flags)),
               spv_u32(s, ir_order(i->flags) > IR_ORDER_ACQUIRE ? semantics(IR_ORDER_ACQUIRE)
                                                                : semantics(ir_order(i->flags))));
        if (ir_bytes(t) == 8)
            spv_capability(s, CapInt64Atomics);
        r = recast(k, bits_of(t), t, r);
    } else if (words) {
        r = load_words(k, space == IR_SPACE_SHARED, t, spot_of(k, i), i->align,
                       how || ir_order(i->flags));
    } else if (space == IR_SPACE_GENERIC) {
        r = load_generic(k, t, p, i->align, how);
    } else {
        r = load_physical(k, t, p, i->align, sharing(i));
    }
    spv_set_value(k, &i->results[0], from_memory(k, i->type, r));
}

static void emit_store(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    ir_type t = memory_type(i->type);
    enum ir_space space = ir_space(i->args[0]->type);
    uint32_t how = i->flags & IR_VOLATILE ? OperandVolatile : 0;
    bool words = space == IR_SPACE_SHARED || space == IR_SPACE_LOCAL;
    spv_id p = words ? 0 : spv_value(k, i->args[0]),
           x = to_memory(k, i->type, spv_value(k, i->args[1]));
    if (ir_order(i->flags) && ir_bytes(t) >= 4 && !words && space != IR_SPACE_GENERIC) {
        if (ir_bytes(t) == 8)
            spv_capability(s, CapInt64Atomics);
        SPV(s, code, SpvAtomicStore, physical(k, bits_of(t), p), scope(k, ir_scope(i->flags)),
            spv_u32(s, ir_order(i->flags) > IR_ORDER_RELAXED ? semantics(IR_ORDER_RELEASE) : 0),
            recast(k, t, bits_of(t), x));
    } else if (words) {
        store_words(k, space == IR_SPACE_SHARED, t, spot_of(k, i), x, i->align,
                    how || ir_order(i->flags));
    } else if (space == IR_SPACE_GENERIC) {
        store_generic(k, t, p, x, i->align, how);
    } else {
        store_physical(k, t, p, x, i->align, how);
    }
}

/* ---- atomics ---- */

static spv_id atomic_at(struct spv_kernel *k, struct ir_inst *i, enum spv_op op, ir_type t,
                        spv_id place)
{
    struct spv_module *s = k->s;
    spv_id sc = scope(k, ir_scope(i->flags)), sem = spv_u32(s, semantics(ir_order(i->flags)));
    spv_id x = recast(k, memory_type(i->type), t, to_memory(k, i->type, spv_value(k, i->args[1])));
    if (op == SpvAtomicCompareExchange) {
        spv_id y =
            recast(k, memory_type(i->type), t, to_memory(k, i->type, spv_value(k, i->args[2])));
        /* Unequal semantics may not release and may be no stronger: acquire part only. */
        uint32_t plain = semantics(ir_order(i->flags));
        uint32_t unequal = plain & (MemAcqRel | MemAcquire) ? semantics(IR_ORDER_ACQUIRE) : 0;
        return OP(s, op, spv_type(s, t), place, sc, sem, spv_u32(s, unequal), y, x);
    }
    return OP(s, op, spv_type(s, t), place, sc, sem, x);
}

/* What is left by lower_atomics: 32 bits anywhere but in local memory, 64 in global memory. */
static void emit_atomic(struct spv_kernel *k, struct ir_inst *i)
{
    static const uint16_t ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = SpvAtomicIAdd,     [IR_RMW_SUB] = SpvAtomicISub,
        [IR_RMW_AND] = SpvAtomicAnd,      [IR_RMW_OR] = SpvAtomicOr,
        [IR_RMW_XOR] = SpvAtomicXor,      [IR_RMW_UMIN] = SpvAtomicUMin,
        [IR_RMW_UMAX] = SpvAtomicUMax,    [IR_RMW_SMIN] = SpvAtomicSMin,
        [IR_RMW_SMAX] = SpvAtomicSMax,    [IR_RMW_XCHG] = SpvAtomicExchange,
        [IR_RMW_FADD] = SpvAtomicFAddEXT,
    };
    struct spv_module *s = k->s;
    enum spv_op op = i->op == IR_OP_cas ? SpvAtomicCompareExchange : (enum spv_op)ops[i->imm];
    ir_type t = op == SpvAtomicFAddEXT ? i->type : bits_of(memory_type(i->type));
    enum ir_space space = ir_space(i->args[0]->type);
    if (op == SpvAtomicFAddEXT) {
        spv_capability(s, t == IR_F64 ? CapAtomicFloat64Add : CapAtomicFloat32Add);
        spv_extension(s, "SPV_EXT_shader_atomic_float_add");
    } else if (ir_bytes(t) == 8) {
        spv_capability(s, CapInt64Atomics);
    }
    spv_id p = spv_value(k, i->args[0]), r;
    if (space == IR_SPACE_SHARED) {
        r = atomic_at(k, i, op, t, word_at(k, true, spot_of(k, i), 0));
    } else if (space == IR_SPACE_GENERIC && ir_bytes(t) == 4) {
        spv_id result = function_variable(k, spv_type(s, t));
        struct fork f = fork_on(k, has_tag(k, p, TAG_SHARED));
        SPV(s, code, SpvStore, result,
            atomic_at(k, i, op, t, word_at(k, true, at_value(spv_low(k, p)), 0)));
        fork_else(k, f);
        SPV(s, code, SpvStore, result, atomic_at(k, i, op, t, physical(k, t, p)));
        fork_end(k, f);
        r = OP(s, SpvLoad, spv_type(s, t), result);
    } else {
        r = atomic_at(k, i, op, t, physical(k, t, p));
    }
    spv_set_value(k, &i->results[0],
                  from_memory(k, i->type, recast(k, t, memory_type(i->type), r)));
}

/* ---- special registers ---- */

spv_id spv_builtin(struct spv_kernel *k, enum spv_builtin b)
{
    struct spv_module *s = k->s;
    bool scalar = b == BuiltInLocalInvocationIndex;
    unsigned slot = b - BuiltInNumWorkgroups - (scalar ? 1 : 0);
    spv_id type = scalar ? u32_type(k) : spv_type_vec(s, u32_type(k), 3);
    if (!k->inputs[slot]) {
        k->inputs[slot] = spv_new(s);
        SPV(s, globals, SpvVariable, spv_pointer(s, StorageInput, type), k->inputs[slot],
            StorageInput);
        SPV(s, decorations, SpvDecorate, k->inputs[slot], DecorBuiltIn, b);
        vec_push(s->arena, &s->interface, k->inputs[slot]);
    }
    return OP(s, SpvLoad, type, k->inputs[slot]);
}

static spv_id component(struct spv_kernel *k, enum spv_builtin b, uint32_t n)
{
    return OP(k->s, SpvCompositeExtract, u32_type(k), spv_builtin(k, b), n);
}

static spv_id threads_of_block(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    spv_id xy = OP(s, SpvIMul, u32_type(k), k->s->block_size[0], k->s->block_size[1]);
    return OP(s, SpvIMul, u32_type(k), xy, k->s->block_size[2]);
}

static spv_id lane(struct spv_kernel *k)
{
    return OP(k->s, SpvBitwiseAnd, u32_type(k), spv_builtin(k, BuiltInLocalInvocationIndex),
              spv_u32(k->s, 31));
}

static spv_id lane_mask(struct spv_kernel *k, enum ir_sreg r)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k), eq = OP(s, SpvShiftLeftLogical, word, spv_u32(s, 1), lane(k));
    spv_id lt = OP(s, SpvISub, word, eq, spv_u32(s, 1)), le = OP(s, SpvBitwiseOr, word, eq, lt);
    switch (r) {
    case IR_SREG_LANEMASK_EQ: return eq;
    case IR_SREG_LANEMASK_LT: return lt;
    case IR_SREG_LANEMASK_LE: return le;
    case IR_SREG_LANEMASK_GT: return OP(s, SpvNot, word, le);
    default: return OP(s, SpvNot, word, lt);
    }
}

static spv_id special_register(struct spv_kernel *k, enum ir_sreg r)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k);
    switch (r) {
    case IR_SREG_TID_X:
    case IR_SREG_TID_Y:
    case IR_SREG_TID_Z: return component(k, BuiltInLocalInvocationId, r - IR_SREG_TID_X);
    case IR_SREG_NTID_X:
    case IR_SREG_NTID_Y:
    case IR_SREG_NTID_Z: return k->s->block_size[r - IR_SREG_NTID_X];
    case IR_SREG_CTAID_X:
    case IR_SREG_CTAID_Y:
    case IR_SREG_CTAID_Z: {
        uint32_t n = r - IR_SREG_CTAID_X;
        return OP(s, SpvIAdd, word, component(k, BuiltInWorkgroupId, n),
                  spv_push_load(k, (enum spirv_push_member)(PUSH_OFFSET_X + n)));
    }
    case IR_SREG_NCTAID_X:
    case IR_SREG_NCTAID_Y:
    case IR_SREG_NCTAID_Z:
        return spv_push_load(k, (enum spirv_push_member)(PUSH_GRID_X + (r - IR_SREG_NCTAID_X)));
    case IR_SREG_LANEID: return lane(k);
    case IR_SREG_WARPID:
        return OP(s, SpvShiftRightLogical, word, spv_builtin(k, BuiltInLocalInvocationIndex),
                  spv_u32(s, 5));
    case IR_SREG_NWARPID: {
        spv_id n = OP(s, SpvIAdd, word, threads_of_block(k), spv_u32(s, 31));
        return OP(s, SpvShiftRightLogical, word, n, spv_u32(s, 5));
    }
    case IR_SREG_COOPERATIVE:
    case IR_SREG_SMID: return spv_u32(s, 0);
    case IR_SREG_NSMID: return spv_u32(s, 1);
    case IR_SREG_GRIDID: return spv_push_load(k, PUSH_LAUNCH);
    case IR_SREG_DYN_SHARED: return spv_push_load(k, PUSH_DYNAMIC_SHARED);
    case IR_SREG_TOTAL_SHARED:
        return OP(s, SpvIAdd, word, spv_push_load(k, PUSH_DYNAMIC_SHARED),
                  spv_u32(s, k->static_shared));
    default: return lane_mask(k, r);
    }
}

/* ---- execution ---- */

static void control_barrier(struct spv_kernel *k, enum spv_scope sc, bool far)
{
    struct spv_module *s = k->s;
    uint32_t sem = MemAcqRel | MemWorkgroup | MemAvailable | MemVisible | (far ? MemBuffers : 0);
    SPV(s, code, SpvControlBarrier, spv_u32(s, sc), spv_u32(s, sc), spv_u32(s, sem));
}

static bool orders_buffers(struct spv_kernel *k, const struct ir_inst *i)
{
    return !map_has(&k->near_barriers, map_key(i));
}

static bool is_whole_block(struct ir_inst *i)
{
    return ir_is_const(i->args[0]) && !i->args[0]->u.bits && ir_is_const(i->args[1]) &&
           !i->args[1]->u.bits;
}

void spv_clear_lock(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    store_word(k, true, word_at(k, true, at_value(spv_u32(s, LOWER_SHARED_LOCK)), 0), spv_u32(s, 0),
               false);
    control_barrier(k, ScopeWorkgroup, false);
}

/* A word of our own at the start of shared memory counts the threads that say yes. */
static void barrier_reduce(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k), place = word_at(k, true, at_value(spv_u32(s, 0)), 0);
    spv_id vote = OP(s, SpvSelect, word, spv_value(k, i->args[2]), spv_u32(s, 1), spv_u32(s, 0));
    control_barrier(k, ScopeWorkgroup, false);
    store_word(k, true, place, spv_u32(s, 0), false);
    control_barrier(k, ScopeWorkgroup, false);
    OP(s, SpvAtomicIAdd, word, place, spv_u32(s, ScopeWorkgroup), spv_u32(s, 0), vote);
    control_barrier(k, ScopeWorkgroup, orders_buffers(k, i));
    spv_id count = load_word(k, true, place, false), r = count;
    if (i->imm) {
        spv_id want = i->imm == 1 ? threads_of_block(k) : spv_u32(s, 0);
        spv_id yes = OP(s, i->imm == 1 ? SpvIEqual : SpvINotEqual, spv_type(s, IR_I1), count, want);
        r = OP(s, SpvSelect, word, yes, spv_u32(s, 1), spv_u32(s, 0));
    }
    spv_set_value(k, &i->results[0], r);
}

static spv_id ballot(struct spv_kernel *k, spv_id pred)
{
    struct spv_module *s = k->s;
    spv_capability(s, CapGroupNonUniform);
    spv_capability(s, CapGroupNonUniformBallot);
    spv_id four = spv_type_vec(s, u32_type(k), 4);
    spv_id b = OP(s, SpvGroupNonUniformBallot, four, spv_u32(s, ScopeSubgroup), pred);
    return OP(s, SpvCompositeExtract, u32_type(k), b, 0);
}

static void emit_vote(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k), mask = spv_value(k, i->args[0]), r;
    spv_id yes = OP(s, SpvBitwiseAnd, word, ballot(k, spv_value(k, i->args[1])), mask);
    if (i->imm == IR_VOTE_BALLOT) {
        r = yes;
    } else {
        spv_id boolean = spv_type(s, IR_I1), zero = spv_u32(s, 0);
        spv_id here = OP(s, SpvBitwiseAnd, word, ballot(k, spv_const(s, IR_I1, 1)), mask);
        spv_id all = OP(s, SpvIEqual, boolean, yes, here),
               none = OP(s, SpvIEqual, boolean, yes, zero);
        spv_id c = i->imm == IR_VOTE_ALL   ? all
                   : i->imm == IR_VOTE_ANY ? OP(s, SpvLogicalNot, boolean, none)
                                           : OP(s, SpvLogicalOr, boolean, all, none);
        r = OP(s, SpvSelect, word, c, spv_u32(s, 1), zero);
    }
    spv_set_value(k, &i->results[0], r);
}

/* As in PTX: control holds a clamp (bits 0-4) and a segment mask (bits 8-12). */
static void emit_shuffle(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_id word = u32_type(k), boolean = spv_type(s, IR_I1), self = lane(k);
    spv_id delta = OP(s, SpvBitwiseAnd, word, spv_value(k, i->args[2]), spv_u32(s, 31));
    spv_id control = spv_value(k, i->args[3]);
    spv_id clamp = OP(s, SpvBitwiseAnd, word, control, spv_u32(s, 31));
    spv_id segment = OP(s, SpvBitwiseAnd, word,
                        OP(s, SpvShiftRightLogical, word, control, spv_u32(s, 8)), spv_u32(s, 31));
    spv_id outside = OP(s, SpvNot, word, segment), base = OP(s, SpvBitwiseAnd, word, self, segment);
    spv_id limit = OP(s, SpvBitwiseOr, word, base, OP(s, SpvBitwiseAnd, word, clamp, outside)),
           from, in;
    switch ((enum ir_shfl)i->imm) {
    case IR_SHFL_UP:
        from = OP(s, SpvISub, word, self, delta);
        in = OP(s, SpvSLessThanEqual, boolean, limit, from);
        break;
    case IR_SHFL_DOWN:
        from = OP(s, SpvIAdd, word, self, delta);
        in = OP(s, SpvSLessThanEqual, boolean, from, limit);
        break;
    case IR_SHFL_XOR:
        from = OP(s, SpvBitwiseXor, word, self, delta);
        in = OP(s, SpvSLessThanEqual, boolean, from, limit);
        break;
    default:
        from = OP(s, SpvBitwiseOr, word, base, OP(s, SpvBitwiseAnd, word, delta, outside));
        in = OP(s, SpvSLessThanEqual, boolean, from, limit);
        break;
    }
    from = OP(s, SpvSelect, word, in, from, self);
    spv_capability(s, CapGroupNonUniform);
    spv_capability(s, CapGroupNonUniformShuffle);
    ir_type t = memory_type(i->type);
    spv_id x = to_memory(k, i->type, spv_value(k, i->args[1]));
    x = OP(s, SpvGroupNonUniformShuffle, spv_type(s, t), spv_u32(s, ScopeSubgroup), x, from);
    spv_set_value(k, &i->results[0], from_memory(k, i->type, x));
    spv_set_value(k, &i->results[1], in);
}

/* ---- output ---- */

/* Reserves `words` in the output buffer and runs body for them if they fit: gives the address of
 * the record. */
static spv_id record_begin(struct spv_kernel *k, uint32_t words, enum device_record kind,
                           struct fork *f)
{
    struct spv_module *s = k->s;
    spv_id base = spv_push_load(k, PUSH_OUTPUT), word = u32_type(k);
    spv_id at = OP(s, SpvAtomicIAdd, word, physical(k, IR_I32, base), spv_u32(s, ScopeDevice),
                   spv_u32(s, 0), spv_u32(s, words));
    spv_id capacity = load_physical(k, IR_I32, spv_wide_add_k(k, base, 4), 4, OperandNonPrivate);
    spv_id end = OP(s, SpvIAdd, word, at, spv_u32(s, words));
    *f = fork_on(k, OP(s, SpvULessThanEqual, spv_type(s, IR_I1), end, capacity));
    spv_id offset = spv_wide(k, OP(s, SpvShiftLeftLogical, word, at, spv_u32(s, 2)), 0);
    spv_id record = spv_wide_add_k(k, spv_wide_add(k, base, offset), OUTPUT_WORDS);
    store_physical(k, IR_I32, record, spv_u32(s, words), 4, 0);
    store_physical(k, IR_I32, spv_wide_add_k(k, record, 4), spv_u32(s, kind), 4, 0);
    return record;
}

static void record_word(struct spv_kernel *k, spv_id record, uint32_t *at, spv_id word)
{
    store_physical(k, IR_I32, spv_wide_add_k(k, record, 4 * (uint64_t)(*at)++), word, 4, 0);
}

static void record_wide(struct spv_kernel *k, spv_id record, uint32_t *at, spv_id x)
{
    record_word(k, record, at, spv_low(k, x));
    record_word(k, record, at, spv_high(k, x));
}

static spv_id as_wide(struct spv_kernel *k, struct ir_value *v)
{
    ir_type t = memory_type(v->type);
    spv_id x = recast(k, t, bits_of(t), to_memory(k, v->type, spv_value(k, v)));
    if (ir_bytes(t) == 8)
        return x;
    return spv_wide(k, ir_bytes(t) == 4 ? x : spv_small_word(k, bits_of(t), x), 0);
}

static void record_where(struct spv_kernel *k, spv_id record, uint32_t *at)
{
    for (int n = 0; n < 3; n++)
        record_word(k, record, at, special_register(k, (enum ir_sreg)(IR_SREG_CTAID_X + n)));
    for (int n = 0; n < 3; n++)
        record_word(k, record, at, special_register(k, (enum ir_sreg)(IR_SREG_TID_X + n)));
}

static void emit_printf(struct spv_kernel *k, struct ir_inst *i)
{
    struct fork f;
    uint32_t at = 2;
    spv_id record = record_begin(k, 2 + 2 * i->nargs, RECORD_PRINTF, &f);
    for (uint32_t n = 0; n < i->nargs; n++)
        record_wide(k, record, &at, as_wide(k, i->args[n]));
    fork_else(k, f);
    fork_end(k, f);
    spv_set_value(k, &i->results[0], spv_u32(k->s, i->nargs - 1));
}

static void emit_fault(struct spv_kernel *k, struct ir_inst *i, enum device_record kind)
{
    struct fork f;
    struct spv_module *s = k->s;
    uint32_t at = 2;
    bool assert = kind == RECORD_ASSERT;
    spv_id record = record_begin(k, assert ? 2 + 7 + 6 : 2 + 1 + 6, kind, &f);
    if (assert) {
        record_wide(k, record, &at, as_wide(k, i->args[0]));
        record_wide(k, record, &at, as_wide(k, i->args[1]));
        record_wide(k, record, &at, as_wide(k, i->args[3]));
        record_word(k, record, &at, spv_value(k, i->args[2]));
    } else {
        record_word(k, record, &at, spv_u32(s, i->span.loc));
    }
    record_where(k, record, &at);
    fork_else(k, f);
    fork_end(k, f);
    spv_id fault = spv_wide_add_k(k, spv_push_load(k, PUSH_OUTPUT), 8);
    store_physical(k, IR_I32, fault, spv_u32(s, kind), 4, 0);
}

_Static_assert(SPIRV_LOCKS == LOWER_LOCK_COUNT, "one table");

static spv_id output_address(struct spv_kernel *k, uint64_t at) /* one that stands there */
{
    spv_id p = spv_wide_add_k(k, spv_push_load(k, PUSH_OUTPUT), at);
    return load_physical(k, IR_I64, p, 8, 0);
}

/* Calls that were not inlined: of functions of the module, and the few that we write ourselves. */
static void emit_call(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_id function = (spv_id)(uintptr_t)map_get(&s->function_ids, map_key(i->callee));
    const enum lower_call known = lower_call_of(i->callee);
    if (function) {
        spv_id words[1 + SPV_MAX_PARAMS] = {function};
        for (uint32_t n = 0; n < i->nargs && n < SPV_MAX_PARAMS; n++)
            words[1 + n] = spv_value(k, i->args[n]);
        spv_id r = spv_op(s, SpvFunctionCall, spv_type(s, i->callee->ret), words, 1 + i->nargs);
        spv_set_value(k, &i->results[0], r);
    } else if (known == LOWER_CALL_STUCK) {
        emit_fault(k, i, RECORD_STUCK);
    } else if (known == LOWER_CALL_STACK_FULL) {
        emit_fault(k, i, RECORD_STACK);
    } else if (known == LOWER_CALL_OUTPUT_AT) {
        spv_set_value(k, &i->results[0], spv_push_load(k, PUSH_OUTPUT));
    } else if (known == LOWER_CALL_GRID_AT) {
        spv_set_value(k, &i->results[0],
                      spv_wide_add_k(k, spv_push_load(k, PUSH_OUTPUT), OUTPUT_GRID));
    } else if (known == LOWER_CALL_HEAP_AT) {
        spv_set_value(k, &i->results[0], output_address(k, OUTPUT_HEAP));
    } else if (known == LOWER_CALL_LOCKS) {
        k->uses_locks = true;
        spv_set_value(k, &i->results[0], output_address(k, OUTPUT_LOCKS));
    } else {
        spv_refuse(k, i, "'%s' has no definition", i->callee->name);
    }
}

/* ---- the rest ---- */

static void emit_cvta(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    enum ir_space from = ir_space(i->args[0]->type), to = ir_space(i->type);
    spv_id x = spv_value(k, i->args[0]), r = x;
    bool narrow_from = from == IR_SPACE_SHARED || from == IR_SPACE_LOCAL;
    bool narrow_to = to == IR_SPACE_SHARED || to == IR_SPACE_LOCAL;
    if (narrow_from && to == IR_SPACE_GENERIC) {
        uint64_t tag = (uint64_t)(from == IR_SPACE_SHARED ? TAG_SHARED : TAG_LOCAL) << TAG_SHIFT;
        r = OP(s, SpvBitwiseOr, u64_type(k), spv_wide(k, x, 0), spv_const(s, IR_I64, tag));
        spv_id null = OP(s, SpvIEqual, spv_type(s, IR_I1), x, spv_u32(s, 0));
        r = OP(s, SpvSelect, u64_type(k), null, spv_const(s, IR_I64, 0), r);
    } else if (narrow_to && from == IR_SPACE_GENERIC) {
        r = spv_low(k, x);
    }
    spv_set_value(k, &i->results[0], r);
}

static void emit_isspace(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_id x = spv_value(k, i->args[0]), boolean = spv_type(s, IR_I1), r;
    if (ir_space(i->args[0]->type) != IR_SPACE_GENERIC) {
        r = spv_const(s, IR_I1, ir_space(i->args[0]->type) == i->imm);
    } else if (i->imm == IR_SPACE_SHARED || i->imm == IR_SPACE_LOCAL) {
        r = has_tag(k, x, i->imm == IR_SPACE_SHARED ? TAG_SHARED : TAG_LOCAL);
    } else {
        r = OP(s, SpvULessThan, boolean, tag_of(k, x), tag_number(k, TAG_LOCAL));
        if (i->imm != IR_SPACE_GLOBAL)
            r = spv_const(s, IR_I1, 0);
    }
    spv_set_value(k, &i->results[0], r);
}

static void emit_ptradd(struct spv_kernel *k, struct ir_inst *i)
{
    spv_id p = spv_value(k, i->args[0]), offset = spv_value(k, i->args[1]);
    spv_set_value(k, &i->results[0],
                  spv_type(k->s, i->type) == u64_type(k)
                      ? spv_wide_add(k, p, offset)
                      : OP(k->s, SpvIAdd, u32_type(k), p, spv_low(k, offset)));
}

static void emit_sreg(struct spv_kernel *k, struct ir_inst *i)
{
    spv_id r = special_register(k, (enum ir_sreg)i->imm);
    if (ir_bits(i->type) == 64)
        r = spv_wide(k, r, 0);
    spv_set_value(k, &i->results[0], r);
}

static void emit_clock(struct spv_kernel *k, struct ir_inst *i)
{
    struct spv_module *s = k->s;
    spv_capability(s, CapShaderClock);
    spv_extension(s, "SPV_KHR_shader_clock");
    spv_id r =
        OP(s, SpvReadClockKHR, u64_type(k), spv_u32(s, i->imm ? ScopeDevice : ScopeSubgroup));
    spv_set_value(k, &i->results[0], ir_bits(i->type) == 64 ? r : spv_low(k, r));
}

bool spv_emit_memory(struct spv_kernel *k, struct ir_inst *i)
{
    const struct spirv_features *have = k->s->features;
    switch (i->op) {
    case IR_OP_alloca:
        spv_set_value(
            k, &i->results[0],
            spv_u32(k->s, (uint32_t)(uintptr_t)map_get(&k->local_offset, map_key(i)) - 1));
        break;
    case IR_OP_load:
    case IR_OP_store:
        if (i->data)
            emit_group(k, i, i->data);
        else
            (i->op == IR_OP_load ? emit_load : emit_store)(k, i);
        break;
    case IR_OP_rmw:
    case IR_OP_cas: emit_atomic(k, i); break;
    case IR_OP_cvta: emit_cvta(k, i); break;
    case IR_OP_isspace: emit_isspace(k, i); break;
    case IR_OP_ptradd: emit_ptradd(k, i); break;
    case IR_OP_sreg: emit_sreg(k, i); break;
    case IR_OP_fence: {
        uint32_t sem = semantics(ir_order(i->flags) <= IR_ORDER_RELAXED ? IR_ORDER_ACQ_REL
                                                                        : ir_order(i->flags));
        SPV(k->s, code, SpvMemoryBarrier, scope(k, ir_scope(i->flags)), spv_u32(k->s, sem));
        break;
    }
    case IR_OP_barrier:
        if (is_whole_block(i))
            control_barrier(k, ScopeWorkgroup, orders_buffers(k, i));
        else
            spv_refuse(k, i, "only barrier 0 of the whole block");
        break;
    case IR_OP_barrier_red:
        if (is_whole_block(i))
            barrier_reduce(k, i);
        else
            spv_refuse(k, i, "only barrier 0 of the whole block");
        break;
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_sleep: break; /* structure carries convergence; a sleep is a hint */
    case IR_OP_warpsync:
    case IR_OP_vote:
    case IR_OP_shfl:
    case IR_OP_activemask:
        if (!have->subgroup_32)
            spv_refuse(k, i, "the device has no subgroups of 32");
        else if (i->op == IR_OP_warpsync)
            control_barrier(k, ScopeSubgroup, orders_buffers(k, i));
        else if (i->op == IR_OP_vote)
            emit_vote(k, i);
        else if (i->op == IR_OP_shfl)
            emit_shuffle(k, i);
        else
            spv_set_value(k, &i->results[0], ballot(k, spv_const(k->s, IR_I1, 1)));
        break;
    case IR_OP_mma: spv_emit_mma(k, i); break;
    case IR_OP_printf: emit_printf(k, i); break;
    case IR_OP_assertfail: emit_fault(k, i, RECORD_ASSERT); break;
    case IR_OP_trap: emit_fault(k, i, RECORD_TRAP); break;
    case IR_OP_call: emit_call(k, i); break;
    case IR_OP_launch:
        spv_refuse(k, i, "which kernel is launched must be known before it runs");
        break;
    case IR_OP_clock:
        if (have->clock)
            emit_clock(k, i);
        else
            spv_refuse(k, i, "it needs shaderDeviceClock, which the device does not have");
        break;
    default: spv_refuse(k, i, "%s", spv_why_not((enum ir_op)i->op)); break;
    }
    return k->ok;
}
