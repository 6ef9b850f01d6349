/* Atomics. Where one thread of the engine runs all, they are a load and a store. Where several run
 * blocks at once, on memory that all of them see, they are the engine's own instructions, or a loop
 * around its compare and swap. */
#include "back/wasm/wasm_int.h"

/* Does another thread of the engine see that memory? */
static bool is_contended(const struct wasm *w, const struct ir_value *at)
{
    return w->options->threads && ir_space(at->type) != IR_SPACE_SHARED &&
           ir_space(at->type) != IR_SPACE_LOCAL;
}

/* ---- the new value ---- */

static void number(struct wasm *w, ir_type t, uint32_t v)
{
    wasm_type(t) == WASM_I64 ? wasm_i64(w, v) : wasm_i32(w, v);
}

/* old >= v ? 0 : old + 1, and old - 1 >= v ? v : old - 1, which wraps to the top for 0 */
static void count(struct wasm *w, const struct ir_inst *i, uint32_t old)
{
    const bool wide = wasm_type(i->type) == WASM_I64, up = i->imm == IR_RMW_INC;
    const unsigned n = wide ? OP_I64_ADD - OP_I32_ADD : 0;
    if (up)
        number(w, i->type, 0);
    else
        wasm_value(w, i->args[1]);
    wasm_local(w, OP_LOCAL_GET, old);
    number(w, i->type, 1);
    wasm_op(w, (up ? OP_I32_ADD : OP_I32_SUB) + n);
    wasm_local(w, OP_LOCAL_GET, old);
    if (!up) {
        number(w, i->type, 1);
        wasm_op(w, OP_I32_SUB + n);
    }
    wasm_value(w, i->args[1]);
    wasm_op(w, wide ? OP_I64_GE_U : OP_I32_GE_U);
    wasm_op(w, OP_SELECT);
}

static void to_bits(struct wasm *w, ir_type t)
{
    if (ir_class(t) == IR_CLASS_PTR) /* eight bytes in memory */
        wasm_op(w, OP_I64_EXTEND_I32_U);
    else if (wasm_type(t) == WASM_F32 || wasm_type(t) == WASM_F64)
        wasm_op(w, wasm_type(t) == WASM_F32 ? OP_I32_REINTERPRET_F32 : OP_I64_REINTERPRET_F64);
}

static void from_bits(struct wasm *w, ir_type t)
{
    if (ir_class(t) == IR_CLASS_PTR)
        wasm_op(w, OP_I32_WRAP_I64);
    else if (wasm_type(t) == WASM_F32 || wasm_type(t) == WASM_F64)
        wasm_op(w, wasm_type(t) == WASM_F32 ? OP_F32_REINTERPRET_I32 : OP_F64_REINTERPRET_I64);
}

static unsigned size_of(ir_type t)
{
    return ir_class(t) == IR_CLASS_PTR ? 8 : ir_bytes(t);
}

static void new_value(struct wasm *w, const struct ir_inst *i, uint32_t old)
{
    static const enum ir_op ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = IR_OP_add,   [IR_RMW_SUB] = IR_OP_sub,   [IR_RMW_AND] = IR_OP_and,
        [IR_RMW_OR] = IR_OP_or,     [IR_RMW_XOR] = IR_OP_xor,   [IR_RMW_UMIN] = IR_OP_umin,
        [IR_RMW_UMAX] = IR_OP_umax, [IR_RMW_SMIN] = IR_OP_smin, [IR_RMW_SMAX] = IR_OP_smax,
        [IR_RMW_FADD] = IR_OP_fadd, [IR_RMW_FMIN] = IR_OP_fmin, [IR_RMW_FMAX] = IR_OP_fmax};
    if (i->op == IR_OP_cas) {
        wasm_value(w, i->args[2]);
        wasm_local(w, OP_LOCAL_GET, old);
        wasm_local(w, OP_LOCAL_GET, old);
        to_bits(w, i->type);
        wasm_value(w, i->args[1]);
        to_bits(w, i->type);
        wasm_op(w, size_of(i->type) == 8 ? OP_I64_EQ : OP_I32_EQ);
        wasm_op(w, OP_SELECT);
    } else if (i->imm == IR_RMW_XCHG) {
        wasm_value(w, i->args[1]);
    } else if (i->imm == IR_RMW_INC || i->imm == IR_RMW_DEC) {
        count(w, i, old);
    } else {
        struct ir_value *args[2] = {&i->results[0], i->args[1]}; /* the old value is the result */
        struct ir_inst step = {
            .op = (uint16_t)ops[i->imm], .type = i->type, .nargs = 2, .args = args};
        wasm_instruction(w, &step);
    }
}

/* ---- on memory that others see ---- */

static unsigned variant(ir_type t) /* of an instruction: i32, i64, bytes, halves */
{
    const unsigned size = size_of(t);
    return size == 4 ? 0 : size == 8 ? 1 : size == 1 ? 2 : 3;
}

static void engine(struct wasm *w, unsigned op, ir_type t)
{
    wasm_op(w, op + variant(t));
    wasm_uleb(w->code, (unsigned)__builtin_ctz(size_of(t)));
    wasm_uleb(w->code, 0);
}

static unsigned instruction_of(const struct ir_inst *i)
{
    static const uint16_t ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = OP_ATOMIC_ADD, [IR_RMW_SUB] = OP_ATOMIC_SUB, [IR_RMW_AND] = OP_ATOMIC_AND,
        [IR_RMW_OR] = OP_ATOMIC_OR,   [IR_RMW_XOR] = OP_ATOMIC_XOR, [IR_RMW_XCHG] = OP_ATOMIC_XCHG};
    return i->op == IR_OP_cas ? OP_ATOMIC_CMPXCHG : ops[i->imm];
}

/* got = memory; do { old = got; got = compare and swap (old, new); } while (got != old) */
static void swap_until_done(struct wasm *w, const struct ir_inst *i, uint32_t old)
{
    const bool wide = size_of(i->type) == 8;
    const uint32_t got = wasm_new_local(w, wide ? WASM_I64 : WASM_I32),
                   seen = wasm_new_local(w, wide ? WASM_I64 : WASM_I32);
    wasm_value(w, i->args[0]);
    engine(w, OP_ATOMIC_LOAD, i->type);
    wasm_local(w, OP_LOCAL_SET, got);
    wasm_op(w, OP_LOOP);
    sbuf_putc(w->code, 0x40);
    wasm_local(w, OP_LOCAL_GET, got);
    wasm_local(w, OP_LOCAL_TEE, seen);
    from_bits(w, i->type);
    wasm_local(w, OP_LOCAL_SET, old);
    wasm_value(w, i->args[0]);
    wasm_local(w, OP_LOCAL_GET, seen);
    new_value(w, i, old);
    to_bits(w, i->type);
    engine(w, OP_ATOMIC_CMPXCHG, i->type);
    wasm_local(w, OP_LOCAL_TEE, got);
    wasm_local(w, OP_LOCAL_GET, seen);
    wasm_op(w, wide ? OP_I64_NE : OP_I32_NE);
    wasm_local(w, OP_BR_IF, 0);
    wasm_op(w, OP_END);
}

/* Leaves the old value. */
void wasm_atomic(struct wasm *w, const struct ir_inst *i)
{
    const ir_type t = i->type;
    const uint32_t old = w->local[i->results[0].id];
    if (is_contended(w, i->args[0]) && instruction_of(i)) {
        wasm_value(w, i->args[0]);
        for (uint32_t k = 1; k < i->nargs; k++) {
            wasm_value(w, i->args[k]);
            to_bits(w, t);
        }
        engine(w, instruction_of(i), t);
        from_bits(w, t);
        wasm_local(w, OP_LOCAL_SET, old);
    } else if (is_contended(w, i->args[0])) {
        swap_until_done(w, i, old);
    } else {
        wasm_value(w, i->args[0]);
        wasm_load(w, t, i->align, 0);
        wasm_local(w, OP_LOCAL_SET, old);
        wasm_value(w, i->args[0]);
        new_value(w, i, old);
        wasm_store(w, t, i->align, 0);
    }
    wasm_local(w, OP_LOCAL_GET, old);
}

/* A load or store that must be seen, or see, what others do. False: any will do. */
bool wasm_ordered(struct wasm *w, const struct ir_inst *i)
{
    const bool load = i->op == IR_OP_load;
    const ir_type t = load ? i->type : i->args[1]->type;
    if (!(i->flags & IR_VOLATILE || ir_order(i->flags) != IR_ORDER_NONE) ||
        !is_contended(w, i->args[0]) || (i->align && i->align < size_of(t)) || ir_kind(t) == IR_I1)
        return false;
    wasm_value(w, i->args[0]);
    if (!load) {
        wasm_value(w, i->args[1]);
        to_bits(w, t);
    }
    engine(w, load ? OP_ATOMIC_LOAD : OP_ATOMIC_STORE, t);
    if (load)
        from_bits(w, t);
    return true;
}

void wasm_fence(struct wasm *w)
{
    if (w->options->threads) {
        wasm_op(w, OP_ATOMIC_FENCE);
        sbuf_putc(w->code, 0);
    }
}
