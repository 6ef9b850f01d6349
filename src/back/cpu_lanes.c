/* Vectors where a machine has no instruction: lane by lane, always right.
 *
 * Lanes that do not run load from a place that holds zeros and store to one that nobody reads: that
 * costs less than a branch for each. */
#include <string.h>
#include "back/cpu_ops.h"

mach_reg cpu_lane_of(struct cpu_sel *s, ir_type t, const mach_reg *chunks, unsigned lane)
{
    unsigned n = cpu_lanes(s, t);
    bool mask = ir_kind(t) == IR_I1;
    if (mask && s->t->masks)
        return s->t->masks->bit(s, s->t->masks->to_bits(s, chunks[lane / n]), lane % n);
    mach_reg r = s->t->extract(s, mask ? IR_I32 : ir_scalar(t), chunks[lane / n], lane % n);
    return mask ? cpu_op2(s, IR_OP_and, IR_I32, r, cpu_constant(s, IR_I32, 1)) : r;
}

mach_reg cpu_extract(struct cpu_sel *s, struct ir_value *v, unsigned lane)
{
    if (!ir_is_vector(v->type))
        return cpu_reg(s, v);
    if (v->kind == IR_VALUE_CONST)
        return cpu_constant(s, ir_scalar(v->type), v->u.bits);
    if (v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_splat) {
        struct ir_value *x = v->u.inst->args[0];
        if ((x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT) || s->regs[x->id])
            return cpu_reg(s, x);
    }
    return cpu_lane_of(s, v->type, cpu_regs(s, v), lane);
}

/* ---- vectors made of lanes ---- */
struct build {
    mach_reg chunk[64]; /* of masks in registers of their own: numbers, until all is there */
    ir_type t;
};

static bool is_mask(const struct cpu_sel *s, ir_type t) /* in registers of their own */
{
    return s->t->masks && ir_kind(t) == IR_I1;
}

static void begin(struct cpu_sel *s, struct build *b, ir_type t)
{
    b->t = t;
    for (unsigned k = 0; k < cpu_chunks(s, t); k++)
        b->chunk[k] = is_mask(s, t) ? cpu_constant(s, IR_I32, 0) : s->t->blank(s);
}

static void put(struct cpu_sel *s, struct build *b, unsigned lane, mach_reg v)
{
    unsigned n = cpu_lanes(s, b->t);
    ir_type t = ir_scalar(b->t);
    if (is_mask(s, t)) {
        b->chunk[lane / n] = s->t->masks->with_bit(s, b->chunk[lane / n], lane % n, v);
        return;
    }
    if (ir_kind(t) == IR_I1) {
        v = cpu_op2(s, IR_OP_sub, IR_I32, cpu_constant(s, IR_I32, 0), v);
        t = IR_I32;
    }
    b->chunk[lane / n] = s->t->insert(s, t, b->chunk[lane / n], lane % n, v);
}

static void finish(struct cpu_sel *s, const struct ir_inst *i, struct build *b)
{
    for (unsigned k = 0; is_mask(s, b->t) && k < cpu_chunks(s, b->t); k++)
        b->chunk[k] = s->t->masks->from_bits(s, b->chunk[k]);
    cpu_set_all(s, i, b->chunk);
}

/* ---- atomics ---- */
static mach_reg update(struct cpu_sel *s, enum ir_rmw kind, ir_type t, mach_reg a, mach_reg b)
{
    static const enum ir_op ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = IR_OP_add,   [IR_RMW_SUB] = IR_OP_sub,   [IR_RMW_AND] = IR_OP_and,
        [IR_RMW_OR] = IR_OP_or,     [IR_RMW_XOR] = IR_OP_xor,   [IR_RMW_UMIN] = IR_OP_umin,
        [IR_RMW_UMAX] = IR_OP_umax, [IR_RMW_SMIN] = IR_OP_smin, [IR_RMW_SMAX] = IR_OP_smax,
        [IR_RMW_FADD] = IR_OP_fadd, [IR_RMW_FMIN] = IR_OP_fmin, [IR_RMW_FMAX] = IR_OP_fmax};
    switch (kind) {
    case IR_RMW_XCHG: return b;
    case IR_RMW_INC: { /* a + 1 where that is at most b, else 0 */
        struct ir_value x = {.kind = IR_VALUE_PARAM, .type = t}, *args[2] = {&x, &x};
        struct ir_inst ult = {.op = IR_OP_ult, .type = t, .nargs = 2, .args = args};
        mach_reg less = cpu_any_scalar(s, &ult, IR_I1, t, (const mach_reg[]){a, b});
        mach_reg next = cpu_op2(s, IR_OP_add, t, a, cpu_constant(s, t, 1));
        return s->t->choose(s, t, less, next, cpu_constant(s, t, 0));
    }
    case IR_RMW_DEC: /* 0 wraps to the greatest */
        return cpu_op2(s, IR_OP_umin, t, cpu_op2(s, IR_OP_sub, t, a, cpu_constant(s, t, 1)), b);
    default: return cpu_op2(s, ops[kind], t, a, b);
    }
}

static ir_type bits_type(ir_type t)
{
    switch (ir_bits(t)) {
    case 1:
    case 8: return IR_I8;
    case 16: return IR_I16;
    case 32: return IR_I32;
    default: return IR_I64;
    }
}

/* Atomics on shared memory need no atomic instruction: a block runs on one core, and its threads
 * change only at barriers. */
mach_reg cpu_rmw(struct cpu_sel *s, const struct ir_inst *i, ir_type t, mach_reg p, mach_reg v)
{
    enum ir_rmw kind = (enum ir_rmw)i->imm;
    ir_type u = bits_type(t);
    if (ir_space(i->args[0]->type) == IR_SPACE_SHARED) {
        mach_reg old = s->t->load(s, t, p, 0);
        s->t->store(s, t, update(s, kind, t, old, v), p, 0);
        return old;
    }
    mach_reg r = ir_kind(t) == IR_I1 ? MACH_NONE : s->t->swap(s, kind, t, p, v);
    if (r != MACH_NONE)
        return r;
    mach_reg first = s->t->load(s, u, p, 0);
    uint32_t loop = cpu_split(s, false), done = cpu_split(s, false), again = cpu_split(s, false);
    mach_reg old = mach_block_param(s->f, loop, s->t->gpr, ir_bits(u) > 32 ? 8 : 4);
    mach_jump(s->f, loop, &first, 1);
    mach_block_begin(s->f, loop);
    mach_reg a = s->t->from_bits(s, t, old);
    mach_reg new = s->t->to_bits(s, t, update(s, kind, t, a, v));
    mach_reg seen = s->t->cas(s, u, p, old, new);
    mach_reg other = cpu_op2(s, IR_OP_xor, u, seen, old);
    if (ir_bits(u) == 64) {
        struct ir_value x = {.kind = IR_VALUE_PARAM, .type = u}, *args[2] = {&x, &x};
        struct ir_inst ne = {.op = IR_OP_ne, .type = u, .nargs = 2, .args = args};
        other = cpu_any_scalar(s, &ne, IR_I1, u, (const mach_reg[]){seen, old});
    }
    s->t->branch_nonzero(s, other, again, done);
    mach_block_begin(s->f, again);
    mach_jump(s->f, loop, &seen, 1);
    mach_block_begin(s->f, done);
    return s->t->from_bits(s, t, old);
}

/* ---- memory ---- */
enum { ZERO_AT = 0, SINK_AT = 16, ROOM = 32 };

static mach_reg zeros(struct cpu_sel *s)
{
    mach_reg p = cpu_room(s, ROOM), zero = cpu_constant(s, IR_I64, 0);
    s->t->store(s, IR_I64, zero, p, ZERO_AT);
    return p;
}

static mach_reg ordered_load(struct cpu_sel *s, const struct ir_inst *i, ir_type t, mach_reg p)
{
    mach_reg r = s->t->load(s, t, p, 0);
    (void)i;
    return ir_kind(t) == IR_I1 ? cpu_op2(s, IR_OP_and, IR_I32, r, cpu_constant(s, IR_I32, 1)) : r;
}

static void load(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type, e = ir_scalar(t);
    bool gather = i->op == IR_OP_gather;
    struct ir_value *mask = i->op == IR_OP_load ? NULL : i->args[1];
    if (mask && cpu_all_ones(mask))
        mask = NULL;
    mach_reg zero = mask ? zeros(s) : MACH_NONE, base = MACH_NONE;
    struct cpu_address a = {0};
    if (!gather) {
        a = cpu_address(s, i->args[0]);
        base = cpu_reg(s, a.base);
    }
    struct build b;
    begin(s, &b, t);
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg p = gather ? cpu_extract(s, i->args[0], l)
                            : s->t->add(s, base, a.offset + (int64_t)l * ir_bytes(e));
        if (mask)
            p = s->t->choose(s, IR_I64, cpu_extract(s, mask, l), p, zero);
        put(s, &b, l, ordered_load(s, i, e, p));
    }
    finish(s, i, &b);
}

static void store(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->args[1]->type, e = ir_scalar(t);
    bool scatter = i->op == IR_OP_scatter;
    struct ir_value *mask = i->op == IR_OP_store ? NULL : i->args[2];
    if (mask && cpu_all_ones(mask))
        mask = NULL;
    mach_reg sink = mask ? s->t->add(s, cpu_room(s, ROOM), SINK_AT) : MACH_NONE, base = MACH_NONE;
    struct cpu_address a = {0};
    if (!scatter) {
        a = cpu_address(s, i->args[0]);
        base = cpu_reg(s, a.base);
    }
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg p = scatter ? cpu_extract(s, i->args[0], l)
                             : s->t->add(s, base, a.offset + (int64_t)l * ir_bytes(e));
        if (mask)
            p = s->t->choose(s, IR_I64, cpu_extract(s, mask, l), p, sink);
        s->t->store(s, e, cpu_extract(s, i->args[1], l), p, 0);
    }
}

/* Each active lane in turn; a branch around those that do not run. */
static void atomics(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type, e = ir_scalar(t);
    bool used = s->need[i->results[0].id], whole = cpu_all_ones(i->args[2]);
    struct build b;
    if (used)
        begin(s, &b, t);
    unsigned n = cpu_lanes(s, t);
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg before = used ? b.chunk[l / n] : MACH_NONE;
        uint32_t run = 0, skip = 0, next = 0;
        if (!whole) {
            run = cpu_split(s, false), next = cpu_split(s, false);
            skip = used ? cpu_split(s, false) : next;
            s->t->branch_nonzero(s, cpu_extract(s, i->args[2], l), run, skip);
            if (used) {
                mach_block_begin(s->f, skip);
                const mach_reg zero = cpu_constant(s, e, 0);
                mach_reg none = is_mask(s, e) ? s->t->masks->with_bit(s, before, l % n, zero)
                                              : s->t->insert(s, ir_kind(e) == IR_I1 ? IR_I32 : e,
                                                             before, l % n, zero);
                mach_jump(s->f, next, &none, 1);
            }
            mach_block_begin(s->f, run);
        }
        mach_reg old =
            cpu_rmw(s, i, e, cpu_extract(s, i->args[0], l), cpu_extract(s, i->args[1], l));
        if (used)
            put(s, &b, l, old);
        if (!whole) {
            if (used)
                mach_jump(s->f, next, &b.chunk[l / n], 1);
            else
                mach_jump(s->f, next, NULL, 0);
            if (used)
                b.chunk[l / n] = is_mask(s, t)
                                     ? mach_block_param(s->f, next, s->t->gpr, 4)
                                     : mach_block_param(s->f, next, s->t->vec, s->t->vector_bytes);
            mach_block_begin(s->f, next);
        }
    }
    if (used)
        finish(s, i, &b);
}

/* ---- lanes that are named at run time ---- */
/* All chunks in memory; the address of lane `index`. */
static mach_reg lane_address(struct cpu_sel *s, mach_reg at, ir_type t, mach_reg index)
{
    unsigned size = cpu_lane_bits(t) / 8;
    mach_reg k = cpu_op2(s, IR_OP_and, IR_I32, index, cpu_constant(s, IR_I32, ir_lanes(t) - 1));
    k = cpu_op2(s, IR_OP_mul, IR_I32, k, cpu_constant(s, IR_I32, size));
    struct ir_value x = {.kind = IR_VALUE_PARAM, .type = IR_I32}, *args[1] = {&x};
    struct ir_inst zext = {.op = IR_OP_zext, .type = IR_I64, .nargs = 1, .args = args};
    return cpu_op2(s, IR_OP_add, IR_I64, at, cpu_any_scalar(s, &zext, IR_I64, IR_I32, &k));
}

static mach_reg to_memory(struct cpu_sel *s, struct ir_value *v)
{
    unsigned n = cpu_chunks(s, v->type);
    const mach_reg *r = cpu_regs(s, v);
    mach_reg at = cpu_room(s, n * s->t->vector_bytes + ROOM);
    ir_type whole = ir_vector(IR_I8, s->t->vector_bytes);
    for (unsigned k = 0; k < n; k++) {
        const mach_reg x = is_mask(s, v->type) ? s->t->masks->spread(s, 2, r[k]) : r[k];
        s->t->store(s, whole, x, at, (int64_t)(k * s->t->vector_bytes));
    }
    return at;
}

static mach_reg lane_from(struct cpu_sel *s, ir_type t, mach_reg p)
{
    ir_type e = ir_kind(t) == IR_I1 ? IR_I32 : ir_scalar(t);
    mach_reg r = s->t->load(s, e, p, 0);
    return ir_kind(t) == IR_I1 ? cpu_op2(s, IR_OP_and, IR_I32, r, cpu_constant(s, IR_I32, 1)) : r;
}

static void permute(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type;
    mach_reg at = to_memory(s, i->args[0]);
    struct build b;
    begin(s, &b, t);
    for (unsigned l = 0; l < ir_lanes(t); l++)
        put(s, &b, l, lane_from(s, t, lane_address(s, at, t, cpu_extract(s, i->args[1], l))));
    finish(s, i, &b);
}

static void reduce(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = ir_scalar(i->args[0]->type);
    mach_reg r = cpu_extract(s, i->args[0], 0);
    for (unsigned l = 1; l < ir_lanes(i->args[0]->type); l++)
        r = update(s, (enum ir_rmw)i->imm, t, r, cpu_extract(s, i->args[0], l));
    cpu_set(s, i, r);
}

static void fold_mask(struct cpu_sel *s, const struct ir_inst *i)
{
    unsigned lanes = ir_lanes(i->args[0]->type);
    mach_reg r = MACH_NONE;
    for (unsigned l = 0; l < lanes; l++) {
        mach_reg x = cpu_extract(s, i->args[0], l);
        if (i->op == IR_OP_maskbits && l)
            x = cpu_op2(s, IR_OP_shl, IR_I32, x, cpu_constant(s, IR_I32, l));
        r = r == MACH_NONE
                ? x
                : cpu_op2(s, i->op == IR_OP_alllanes ? IR_OP_and : IR_OP_or, IR_I32, r, x);
    }
    cpu_set(s, i, r);
}

/* ---- ops ---- */
static void elementwise(struct cpu_sel *s, struct ir_inst *i)
{
    ir_type t = i->results[0].type, from = i->args[0]->type;
    struct build b;
    begin(s, &b, t);
    /* a constant operand may not stand for another lane's */
    struct ir_value unknown[3], *operands[3];
    struct ir_inst plain = *i;
    for (unsigned k = 0; k < i->nargs && k < 3; k++) {
        unknown[k] = (struct ir_value){.kind = IR_VALUE_PARAM, .type = ir_scalar(i->args[k]->type)};
        operands[k] = i->args[k]->kind == IR_VALUE_CONST ? i->args[k] : &unknown[k];
    }
    plain.args = operands;
    plain.type = ir_scalar(i->type);
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg args[3];
        for (unsigned k = 0; k < i->nargs && k < 3; k++)
            args[k] = cpu_extract(s, i->args[k], l);
        put(s, &b, l,
            i->op == IR_OP_select ? s->t->choose(s, ir_scalar(t), args[0], args[1], args[2])
                                  : cpu_any_scalar(s, &plain, ir_scalar(t), ir_scalar(from), args));
    }
    finish(s, i, &b);
}

bool cpu_lane_by_lane(struct cpu_sel *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_mload:
    case IR_OP_gather:
        if (!ir_is_vector(i->type))
            return false;
        load(s, i);
        return true;
    case IR_OP_store:
    case IR_OP_mstore:
    case IR_OP_scatter:
        if (!ir_is_vector(i->args[1]->type))
            return false;
        store(s, i);
        return true;
    case IR_OP_mrmw: atomics(s, i); return true;
    case IR_OP_permute: permute(s, i); return true;
    case IR_OP_extractv:
        cpu_set(s, i,
                lane_from(s, i->args[0]->type,
                          lane_address(s, to_memory(s, i->args[0]), i->args[0]->type,
                                       cpu_reg(s, i->args[1]))));
        return true;
    case IR_OP_reduce: reduce(s, i); return true;
    case IR_OP_anylane:
    case IR_OP_alllanes:
    case IR_OP_maskbits: fold_mask(s, i); return true;
    case IR_OP_splat:
    case IR_OP_insert: {
        struct build b = {.t = i->type};
        if (i->op == IR_OP_splat)
            begin(s, &b, i->type);
        else
            memcpy(b.chunk, cpu_regs(s, i->args[0]), cpu_chunks(s, i->type) * sizeof(mach_reg));
        for (unsigned k = 0;
             i->op == IR_OP_insert && is_mask(s, i->type) && k < cpu_chunks(s, i->type); k++)
            b.chunk[k] = s->t->masks->to_bits(s, b.chunk[k]);
        mach_reg v = cpu_reg(s, i->args[i->op == IR_OP_insert]);
        for (unsigned l = 0; l < ir_lanes(i->type); l++)
            if (i->op == IR_OP_splat || l == i->imm)
                put(s, &b, l, v);
        finish(s, i, &b);
        return true;
    }
    case IR_OP_extract: cpu_set(s, i, cpu_extract(s, i->args[0], (unsigned)i->imm)); return true;
    default: break;
    }
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (!(info->flags & IR_ELEMENTWISE) || i->nresults != 1 || !ir_is_vector(i->results[0].type) ||
        (info->shape == IR_SHAPE_XX && i->op != IR_OP_select))
        return false;
    elementwise(s, i);
    return true;
}
