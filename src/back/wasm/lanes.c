/* What is known of single lanes, put to use before code is written; no engine finds it by itself.
 *
 * Questions about vectors that are known are answered, and the branches on them go. What one or two
 * known lanes store is stored by scalar code. Pointers that are one address and a constant step
 * from lane to lane become just that sum, which simd.c writes without a vector: after narrow.c. */
#include "back/wasm/wasm_int.h"

enum { FEW_LANES = 2, DEEP = 8 };

static const uint32_t *lanes_of(const struct wasm *w, const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT && v->id < w->nconstant_lanes ? w->constant_lanes[v->id]
                                                                    : NULL;
}

static struct ir_value *answer(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->nargs ? i->args[0] : NULL;
    const uint32_t *is = v ? lanes_of(w, v) : NULL;
    if (!is)
        return NULL;
    const unsigned lanes = ir_lanes(v->type);
    const ir_type t = i->nresults ? i->results[0].type : IR_VOID;
    uint32_t bits = 0;
    for (unsigned k = 0; k < lanes; k++)
        bits |= (is[k] & 1) << k;
    switch (i->op) {
    case IR_OP_anylane: return ir_const(w->module, t, bits != 0);
    case IR_OP_alllanes: return ir_const(w->module, t, bits == UINT32_MAX >> (32 - lanes));
    case IR_OP_maskbits: return ir_const(w->module, t, bits);
    case IR_OP_extract: return ir_const(w->module, t, is[i->imm % lanes]);
    default: return NULL;
    }
}

/* ---- one lane ---- */

static struct ir_value *lane_of(struct wasm *w, struct ir_builder *b, struct ir_value *v,
                                unsigned lane, unsigned depth)
{
    const ir_type t = ir_scalar(v->type);
    const uint32_t *is = lanes_of(w, v);
    if (!ir_is_vector(v->type))
        return v;
    if (is || ir_is_const(v))
        return ir_const(w->module, t, is ? is[lane] : v->u.bits);
    struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    if (i && i->op == IR_OP_splat)
        return i->args[0];
    if (!i || !depth || i->nargs > WASM_STAND_INS || !(ir_op_info[i->op].flags & IR_ELEMENTWISE)) {
        struct ir_value *one = ir_build1(b, IR_OP_extract, t, v);
        one->u.inst->imm = lane;
        return one;
    }
    struct ir_value *args[WASM_STAND_INS];
    for (uint32_t k = 0; k < i->nargs; k++)
        args[k] = lane_of(w, b, i->args[k], lane, depth - 1);
    struct ir_inst *made = ir_build(b, (enum ir_op)i->op, t, args, i->nargs);
    made->flags = i->flags;
    made->imm = i->imm;
    return &made->results[0];
}

static bool store_lanes(struct wasm *w, struct ir_inst *i)
{
    const uint32_t *mask = lanes_of(w, i->args[2]);
    const unsigned lanes = ir_lanes(i->args[1]->type);
    unsigned set = 0;
    for (unsigned k = 0; mask && k < lanes; k++)
        set += mask[k] & 1;
    if (!mask || set > FEW_LANES)
        return false;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    for (unsigned k = 0; k < lanes; k++)
        if (mask[k] & 1) {
            struct ir_value *args[] = {lane_of(w, &b, i->args[0], k, DEEP),
                                       lane_of(w, &b, i->args[1], k, 0)};
            ir_build(&b, IR_OP_store, args[1]->type, args, 2)->align = i->align;
        }
    return true;
}

/* ---- an address and a step ---- */

struct sum {
    struct ir_value *scalar; /* NULL: 0 */
    uint32_t first, step;    /* what lane 0 adds to it, and each lane more than the one before */
};

static bool constant_butterfly(const uint32_t *is, unsigned lanes, struct sum *s)
{
    *s = (struct sum){.first = is[0], .step = is[1] - is[0]};
    for (unsigned k = 2; k < lanes; k++)
        if (is[k] - is[k - 1] != s->step)
            return false;
    return true;
}

static struct ir_value *scaled(struct ir_builder *b, enum ir_op op, struct ir_value *v, uint32_t by)
{
    struct ir_module *m = b->func->module;
    return v ? ir_build2(b, op, v->type, v, ir_const(m, v->type, by)) : NULL;
}

static bool sum_of(struct wasm *w, struct ir_builder *b, struct ir_value *v, unsigned depth,
                   struct sum *s)
{
    const uint32_t *is = lanes_of(w, v);
    struct sum x, y;
    *s = (struct sum){0};
    if (ir_is_const(v)) {
        s->first = (uint32_t)v->u.bits;
        return true;
    }
    if (is && ir_kind(v->type) == IR_I32)
        return constant_butterfly(is, ir_lanes(v->type), s);
    if (!ir_is_vector(v->type) || v->kind != IR_VALUE_RESULT || !depth)
        return false;
    const struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_splat) {
        s->scalar = i->args[0];
        return true;
    }
    if (i->op != IR_OP_ptradd && i->op != IR_OP_add && i->op != IR_OP_mul && i->op != IR_OP_shl)
        return false;
    if (!sum_of(w, b, i->args[0], depth - 1, &x) || !sum_of(w, b, i->args[1], depth - 1, &y))
        return false;
    if (i->op == IR_OP_ptradd || i->op == IR_OP_add) {
        struct ir_value *both = x.scalar ? x.scalar : y.scalar;
        if (x.scalar && y.scalar)
            both = ir_build2(b, (enum ir_op)i->op, ir_scalar(i->type), x.scalar, y.scalar);
        *s = (struct sum){both, x.first + y.first, x.step + y.step};
        return true;
    }
    if (y.scalar || y.step || (i->op == IR_OP_shl && y.first > 31))
        return false;
    const uint32_t by = i->op == IR_OP_shl ? 1u << y.first : y.first;
    *s = (struct sum){scaled(b, (enum ir_op)i->op, x.scalar, y.first), x.first * by, x.step * by};
    return true;
}

static void step_from_one(struct wasm *w, struct ir_inst *i)
{
    struct ir_value *at = i->args[0];
    struct ir_module *m = w->module;
    const ir_type number = ir_vector(IR_I32, ir_lanes(at->type)), t = ir_scalar(at->type);
    struct ir_builder b = ir_builder_before(i);
    struct sum s;
    b.span = i->span;
    if (!sum_of(w, &b, at, DEEP, &s) || !s.scalar || ir_class(s.scalar->type) != IR_CLASS_PTR)
        return; /* what was built for it goes with other dead code */
    if (s.first)
        s.scalar = ir_build2(&b, IR_OP_ptradd, t, s.scalar,
                             ir_const(m, IR_I64, (uint64_t)(int32_t)s.first));
    struct ir_value *base = ir_build1(&b, IR_OP_splat, at->type, s.scalar),
                    *lane = ir_build0(&b, IR_OP_iota, number, 0),
                    *step = ir_build2(&b, IR_OP_mul, number, lane, ir_const(m, number, s.step));
    i->args[0] = ir_build2(&b, IR_OP_ptradd, at->type, base, step);
}

/* ---- all of it ---- */

void wasm_lanes(struct wasm *w, struct ir_func *f)
{
    ir_renumber(f);
    wasm_find_constant_lanes(w, f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            struct ir_value *is = answer(w, i);
            if (is) {
                i->results[0].forward = is;
                ir_remove(i);
            } else if (i->op == IR_OP_scatter && store_lanes(w, i)) {
                ir_remove(i);
            } else if (i->op == IR_OP_gather || i->op == IR_OP_scatter) {
                step_from_one(w, i);
            }
        }
    ir_replace_forwarded(f);
    ir_renumber(f);
}
