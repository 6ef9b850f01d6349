/* Operations on vectors that every machine does alike: chunk by chunk. */
#include <string.h>
#include "back/cpu_ops.h"

unsigned cpu_log_lane(ir_type t)
{
    const unsigned n = cpu_lane_bits(t);
    return n == 8 ? 0 : n == 16 ? 1 : n == 32 ? 2 : 3;
}

ir_type cpu_integer_of(unsigned lane)
{
    static const ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    return types[lane];
}

unsigned cpu_chunks_of(const struct cpu_sel *s, unsigned lanes, unsigned lane)
{
    const unsigned bytes = lanes << lane;
    return bytes > s->t->vector_bytes ? bytes / s->t->vector_bytes : 1;
}

unsigned cpu_lane_op(const struct cpu_lane_ops *table, size_t n, unsigned op, unsigned lane)
{
    for (size_t k = 0; k < n; k++)
        if (table[k].op == op)
            return table[k].lanes[lane];
    return 0;
}

/* The same register for all chunks. */
static void set_alike(struct cpu_sel *s, const struct ir_inst *i, mach_reg r)
{
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++)
        out[k] = r;
    cpu_set_all(s, i, out);
}

/* ---- arithmetic ---- */
static bool half_sign(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_vectors *m = s->t->vectors;
    if (i->op != IR_OP_fneg && i->op != IR_OP_fabs)
        return false;
    const mach_reg *a = cpu_regs(s, i->args[0]), sign = cpu_splat(s, IR_I16, 0x8000);
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, i->results[0].type); k++)
        out[k] = i->op == IR_OP_fneg ? cpu_v2(s, m->xor, a[k], sign) : m->and_not(s, a[k], sign);
    cpu_set_all(s, i, out);
    return true;
}

static mach_reg float_chunk(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *given)
{
    mach_reg a[3] = {0};
    const ir_type t = i->results[0].type;
    const bool flush = cpu_flushes(i, t);
    for (unsigned k = 0; k < i->nargs && k < 3; k++)
        a[k] = flush ? s->t->scalars->flush(s, given[k]) : given[k];
    const mach_reg r = s->t->vectors->floating(s, i, ir_kind(t) == IR_F64, a);
    return flush && r != MACH_NONE ? s->t->scalars->flush(s, r) : r;
}

static bool elementwise(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_vectors *m = s->t->vectors;
    const ir_type t = i->results[0].type;
    const bool is_float = ir_class(t) == IR_CLASS_FLOAT;
    mach_reg out[CPU_MOST_CHUNKS];
    if (ir_op_info[i->op].flags & IR_ROUNDS && i->flags & IR_ROUND_MASK)
        return false;
    if (m->by_lane && m->by_lane(s, i))
        return true;
    if (cpu_is_half(t))
        return half_sign(s, i);
    const mach_reg *regs[3] = {0};
    for (unsigned k = 0; k < i->nargs && k < 3; k++)
        regs[k] = cpu_regs(s, i->args[k]);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        mach_reg a[3] = {0};
        for (unsigned q = 0; q < i->nargs && q < 3; q++)
            a[q] = regs[q][k];
        out[k] = is_float ? float_chunk(s, i, a) : m->integer(s, i, cpu_log_lane(t), a);
        if (out[k] == MACH_NONE)
            return false;
    }
    cpu_set_all(s, i, out);
    return true;
}

/* ---- masks ---- */
bool cpu_all_ones(const struct ir_value *mask)
{
    return mask->kind == IR_VALUE_CONST && mask->u.bits;
}

mach_reg cpu_mask_constant(struct cpu_sel *s, bool set)
{
    if (!s->t->masks)
        return cpu_splat(s, IR_I32, set ? 0xffffffffu : 0);
    enum { KEY = 0x6d61736b };
    const uint64_t key = (UINT64_C(1) << 62) + KEY + set;
    void *known = map_get(&s->constants, key);
    if (known)
        return (mach_reg)(uintptr_t)known;
    const mach_reg r = s->t->masks->constant(s, set);
    map_set(&s->constants, key, (void *)(uintptr_t)r);
    return r;
}

mach_reg cpu_mask_2(struct cpu_sel *s, enum ir_op op, mach_reg a, mach_reg b)
{
    const struct cpu_vectors *v = s->t->vectors;
    const struct cpu_masks *m = s->t->masks;
    const unsigned how = op == IR_OP_and  ? (m ? m->and : v->and)
                         : op == IR_OP_or ? (m ? m->or : v->or)
                                          : (m ? m->xor : v->xor);
    return cpu_2(s, how, cpu_mask(s), a, b);
}

static mach_reg mask_not(struct cpu_sel *s, mach_reg a)
{
    return s->t->masks ? s->t->masks->not(s, a) : s->t->vectors->not(s, a);
}

static mach_reg mask_and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return s->t->masks ? s->t->masks->and_not(s, a, b) : s->t->vectors->and_not(s, a, b);
}

static mach_reg mask_or_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return s->t->masks ? cpu_mask_2(s, IR_OP_or, a, mask_not(s, b))
                       : s->t->vectors->or_not(s, a, b);
}

/* Masks for chunks of lanes of one width, for those of another. */
static void resize_masks(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                         unsigned lanes, mach_reg *out)
{
    if (s->t->masks)
        s->t->masks->as(s, in, from, to, lanes, out);
    else
        s->t->vectors->resize(s, in, from, to, lanes, true, out);
}

void cpu_mask_as(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out)
{
    const unsigned lanes = ir_lanes(mask->type);
    if (mask->kind != IR_VALUE_CONST) {
        resize_masks(s, cpu_regs(s, mask), 2, lane, lanes, out);
        return;
    }
    const mach_reg r = cpu_mask_constant(s, mask->u.bits);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, lane); k++)
        out[k] = r;
}

void cpu_mask_lanes(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out)
{
    cpu_mask_as(s, mask, lane, out);
    for (unsigned k = 0; s->t->masks && k < cpu_chunks_of(s, ir_lanes(mask->type), lane); k++)
        out[k] = s->t->masks->spread(s, lane, out[k]);
}

/* Vectors as they are, and masks as lanes of 32 bits. */
void cpu_lanes_of(struct cpu_sel *s, struct ir_value *v, mach_reg *out)
{
    if (ir_kind(v->type) == IR_I1)
        cpu_mask_lanes(s, v, 2, out);
    else
        memcpy(out, cpu_regs(s, v), cpu_chunks(s, v->type) * sizeof *out);
}

void cpu_set_lanes(struct cpu_sel *s, const struct ir_inst *i, mach_reg *out)
{
    for (unsigned k = 0; ir_kind(i->type) == IR_I1 && s->t->masks && k < cpu_chunks(s, i->type);
         k++)
        out[k] = s->t->masks->narrow(s, 2, out[k]);
    cpu_set_all(s, i, out);
}

/* The lanes that chunk k of a permutation gets, of one chunk or two, counted in both; false: they
 * are not known, or of more. */
static bool places_of(const struct ir_inst *i, unsigned n, unsigned k, unsigned *index,
                      unsigned of[2])
{
    unsigned have = 0;
    of[0] = of[1] = 0;
    for (unsigned l = 0; l < n; l++) {
        uint64_t from;
        unsigned q = 0;
        if (!lower_lane(i->args[1], k * n + l, &from))
            return false;
        from %= ir_lanes(i->type);
        while (q < have && of[q] != from / n)
            q++;
        if (q == 2)
            return false;
        if (q == have)
            of[have++] = (unsigned)(from / n);
        index[l] = (unsigned)(from % n) + q * n;
    }
    of[1] = have == 2 ? of[1] : of[0];
    return true;
}

bool cpu_known_permute(const struct cpu_sel *s, const struct ir_inst *i)
{
    if (i->op != IR_OP_permute || ir_kind(i->type) == IR_I1)
        return false;
    const unsigned size = ir_bytes(ir_scalar(i->type)), n = cpu_lanes(s, i->type);
    unsigned index[IR_MAX_LANES], of[2];
    for (unsigned k = 0; k < ir_lanes(i->type) / n; k++)
        if (!places_of(i, n, k, index, of))
            return false;
    return size >= s->t->least_shuffled && size * n == s->t->vector_bytes;
}

/* A chunk that is another one as a whole takes no instruction. */
static void permute_known(struct cpu_sel *s, const struct ir_inst *i)
{
    const unsigned n = cpu_lanes(s, i->type), size = ir_bytes(ir_scalar(i->type));
    const mach_reg *a = cpu_regs(s, i->args[0]);
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < ir_lanes(i->type) / n; k++) {
        unsigned index[IR_MAX_LANES], of[2];
        bool same = true;
        places_of(i, n, k, index, of);
        for (unsigned l = 0; l < n; l++)
            same &= index[l] == l;
        out[k] = same ? a[of[0]] : s->t->shuffle(s, size, a[of[0]], a[of[1]], index);
    }
    cpu_set_all(s, i, out);
}

mach_reg cpu_fold_mask(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    const mach_reg *m = cpu_regs(s, mask);
    mach_reg r = m[0];
    for (unsigned k = 1; k < cpu_chunks(s, mask->type); k++)
        r = cpu_2(s, op, cpu_mask(s), r, m[k]);
    return r;
}

static bool mask_arithmetic(struct cpu_sel *s, const struct ir_inst *i)
{
    const enum ir_op op = cpu_bit_op(i->op);
    if (op == IR_OP_COUNT)
        return false;
    const mach_reg *a = cpu_regs(s, i->args[0]),
                   *b = op == IR_OP_not ? NULL : cpu_regs(s, i->args[1]);
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, i->results[0].type); k++)
        out[k] = b ? cpu_mask_2(s, op, a[k], b[k]) : mask_not(s, a[k]);
    cpu_set_all(s, i, out);
    return true;
}

/* A set bit is -1 to signed comparisons. */
static mach_reg compare_masks(struct cpu_sel *s, unsigned op, mach_reg a, mach_reg b)
{
    switch (op) {
    case IR_OP_eq: return mask_not(s, cpu_mask_2(s, IR_OP_xor, a, b));
    case IR_OP_ne: return cpu_mask_2(s, IR_OP_xor, a, b);
    case IR_OP_ult: return mask_and_not(s, b, a);
    case IR_OP_ule: return mask_or_not(s, b, a);
    case IR_OP_slt: return mask_and_not(s, a, b);
    default: return mask_or_not(s, a, b);
    }
}

static bool compare(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_vectors *m = s->t->vectors;
    const ir_type t = i->args[0]->type;
    const unsigned lane = cpu_log_lane(t);
    mach_reg out[CPU_MOST_CHUNKS], wide[CPU_MOST_CHUNKS];
    if (cpu_is_half(t))
        return false;
    const mach_reg *a = cpu_regs(s, i->args[0]), *b = cpu_regs(s, i->args[1]);
    const bool flush = cpu_flushes(i, t);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const mach_reg x = flush ? s->t->scalars->flush(s, a[k]) : a[k],
                       y = flush ? s->t->scalars->flush(s, b[k]) : b[k];
        out[k] = ir_kind(t) == IR_I1 ? compare_masks(s, i->op, x, y) : m->compare(s, i, lane, x, y);
    }
    resize_masks(s, out, lane, 2, ir_lanes(t), wide);
    cpu_set_all(s, i, wide);
    return true;
}

static bool choose(struct cpu_sel *s, const struct ir_inst *i)
{
    mach_reg out[CPU_MOST_CHUNKS], m[CPU_MOST_CHUNKS];
    if (!ir_is_vector(i->args[0]->type))
        return false;
    const bool of_masks = s->t->masks && ir_kind(i->type) == IR_I1;
    cpu_mask_as(s, i->args[0], cpu_log_lane(i->type), m);
    const mach_reg *a = cpu_regs(s, i->args[1]), *b = cpu_regs(s, i->args[2]);
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++)
        out[k] = of_masks ? cpu_mask_2(s, IR_OP_or, cpu_mask_2(s, IR_OP_and, m[k], a[k]),
                                       mask_and_not(s, b[k], m[k]))
                          : s->t->pick(s, cpu_log_lane(i->type), m[k], a[k], b[k]);
    cpu_set_all(s, i, out);
    return true;
}

/* ---- conversions ---- */
static bool float_to_float(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_vectors *m = s->t->vectors;
    const ir_type t = i->results[0].type, f = i->args[0]->type;
    const unsigned lanes = ir_lanes(t);
    const enum ir_kind k = ir_kind(t), q = ir_kind(f);
    mach_reg out[CPU_MOST_CHUNKS], mid[CPU_MOST_CHUNKS];
    if (i->flags & IR_FTZ || (ir_bits(t) <= ir_bits(f) && i->flags & IR_ROUND_MASK))
        return false;
    if (q == IR_BF16 && (k == IR_F32 || k == IR_F64)) { /* the upper half of an f32 */
        m->resize(s, cpu_regs(s, i->args[0]), 1, 2, lanes, false, mid);
        for (unsigned c = 0; c < cpu_chunks_of(s, lanes, 2); c++)
            mid[c] = cpu_v2(s, m->up, mid[c], 16);
        m->resize_floats(s, mid, 2, k == IR_F64 ? 3 : 2, lanes, out);
    } else if (k == IR_BF16 || q == IR_BF16 || (k == IR_F16 && q == IR_F64) || k == q) {
        return false;
    } else {
        m->resize_floats(s, cpu_regs(s, i->args[0]), cpu_log_lane(f), cpu_log_lane(t), lanes, out);
    }
    cpu_set_all(s, i, out);
    return true;
}

/* i1 from the lowest bit. */
static void to_mask(struct cpu_sel *s, const struct ir_inst *i, mach_reg *out)
{
    const ir_type f = i->args[0]->type;
    const unsigned lane = cpu_log_lane(f);
    const mach_reg *a = cpu_regs(s, i->args[0]), one = cpu_splat(s, ir_scalar(f), 1);
    mach_reg in[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, f); k++)
        in[k] = s->t->vectors->bit(s, lane, a[k], one);
    resize_masks(s, in, lane, 2, ir_lanes(f), out);
}

static void from_mask(struct cpu_sel *s, const struct ir_inst *i, mach_reg *out)
{
    const ir_type t = i->results[0].type;
    const unsigned lane = cpu_log_lane(t);
    cpu_mask_as(s, i->args[0], lane, out);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++)
        if (i->op != IR_OP_zext)
            out[k] = s->t->masks ? s->t->masks->spread(s, lane, out[k]) : out[k];
        else if (s->t->masks)
            out[k] = s->t->pick(s, lane, out[k], cpu_splat(s, ir_scalar(t), 1), MACH_NONE);
        else
            out[k] = cpu_v2(s, s->t->vectors->and, out[k], cpu_splat(s, ir_scalar(t), 1));
}

static bool convert(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_vectors *m = s->t->vectors;
    const ir_type t = i->results[0].type, f = i->args[0]->type;
    mach_reg out[CPU_MOST_CHUNKS];
    switch (i->op) {
    case IR_OP_trunc:
    case IR_OP_zext:
    case IR_OP_sext:
        if (ir_kind(t) == IR_I1)
            to_mask(s, i, out);
        else if (ir_kind(f) == IR_I1)
            from_mask(s, i, out);
        else
            m->resize(s, cpu_regs(s, i->args[0]), cpu_log_lane(f), cpu_log_lane(t), ir_lanes(t),
                      i->op == IR_OP_sext, out);
        cpu_set_all(s, i, out);
        return true;
    case IR_OP_fcvt: return float_to_float(s, i);
    case IR_OP_ftosi:
    case IR_OP_ftoui: return m->to_integer(s, i);
    case IR_OP_sitof:
    case IR_OP_uitof: return m->from_integer(s, i);
    default: cpu_set_all(s, i, cpu_regs(s, i->args[0])); return true; /* the same bits */
    }
}

/* ---- lanes by number ---- */
static void iota(struct cpu_sel *s, const struct ir_inst *i)
{
    const unsigned size = cpu_lane_bits(i->type) / 8, per = s->t->vector_bytes / size;
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++) {
        uint8_t bytes[CPU_MOST_VECTOR] = {0};
        for (unsigned l = 0; l < per; l++) {
            const uint64_t v = k * cpu_lanes(s, i->type) + l;
            memcpy(bytes + l * size, &v, size);
        }
        out[k] = cpu_literal(s, bytes);
    }
    cpu_set_all(s, i, out);
}

/* ---- memory ---- */
/* A masked access keeps its order and what volatile promises only lane by lane. */
static bool is_plain(const struct ir_inst *i, ir_type t, const struct ir_value *mask)
{
    return ir_kind(t) != IR_I1 && ir_order(i->flags) <= IR_ORDER_RELAXED &&
           !(mask && (i->flags & IR_VOLATILE || ir_order(i->flags)));
}

unsigned cpu_first_lanes(const struct cpu_sel *s, const struct ir_value *mask, ir_type t,
                         unsigned chunk)
{
    const unsigned n = cpu_lanes(s, t);
    unsigned first = 0;
    for (unsigned l = 0; l < n; l++) {
        uint64_t on = 1;
        if (mask && !lower_lane(mask, chunk * n + l, &on))
            return CPU_SOME_LANES;
        if (on & 1 && first++ < l)
            return CPU_SOME_LANES;
    }
    const unsigned bytes = first * (cpu_lane_bits(t) / 8);
    return first && first < n && (bytes < 4 || bytes & (bytes - 1)) ? CPU_SOME_LANES : first;
}

static bool load(struct cpu_sel *s, struct ir_inst *i)
{
    struct ir_value *mask = i->op == IR_OP_load || cpu_all_ones(i->args[1]) ? NULL : i->args[1];
    if (!is_plain(i, i->type, mask))
        return false;
    if (!mask || mask->kind != IR_VALUE_CONST)
        return s->t->vectors->load(s, i, mask);
    set_alike(s, i, cpu_splat(s, IR_I32, 0)); /* no lane runs */
    return true;
}

static bool store(struct cpu_sel *s, struct ir_inst *i)
{
    struct ir_value *mask = i->op == IR_OP_store || cpu_all_ones(i->args[2]) ? NULL : i->args[2];
    if (!is_plain(i, i->args[1]->type, mask))
        return false;
    return (mask && mask->kind == IR_VALUE_CONST) || s->t->vectors->store(s, i, mask);
}

/* Of lanes that are each somewhere. */
static bool far_lanes(struct cpu_sel *s, struct ir_inst *i,
                      bool (*how)(struct cpu_sel *, struct ir_inst *, struct ir_value *))
{
    const bool scatters = i->op == IR_OP_scatter;
    const ir_type t = scatters ? i->args[1]->type : i->type;
    struct ir_value *mask = i->args[scatters ? 2 : 1];
    if (!how || ir_kind(t) == IR_I1 || i->flags & IR_VOLATILE || ir_order(i->flags))
        return false;
    return how(s, i, cpu_all_ones(mask) ? NULL : mask);
}

static mach_reg dup_mask(struct cpu_sel *s, mach_reg bit)
{
    return s->t->masks->from_bits(s,
                                  cpu_op2(s, IR_OP_sub, IR_I32, cpu_constant(s, IR_I32, 0), bit));
}

/* ---- instructions ---- */
bool cpu_vector(struct cpu_sel *s, struct ir_inst *i)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    const struct cpu_vectors *m = s->t->vectors;
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_mload: return load(s, i);
    case IR_OP_store:
    case IR_OP_mstore: return store(s, i);
    case IR_OP_gather: return far_lanes(s, i, m->gather);
    case IR_OP_scatter: return far_lanes(s, i, m->scatter);
    case IR_OP_select: return choose(s, i);
    case IR_OP_ptradd: return elementwise(s, i);
    case IR_OP_splat:
        set_alike(s, i,
                  s->t->masks && ir_kind(i->type) == IR_I1
                      ? dup_mask(s, cpu_reg(s, i->args[0]))
                      : m->dup(s, ir_scalar(i->type), cpu_reg(s, i->args[0])));
        return true;
    case IR_OP_iota: iota(s, i); return true;
    case IR_OP_permute:
        if (!cpu_known_permute(s, i))
            return m->permute(s, i);
        permute_known(s, i);
        return true;
    case IR_OP_anylane:
    case IR_OP_alllanes: m->vote(s, i); return true;
    case IR_OP_maskbits: return m->mask_bits(s, i);
    case IR_OP_reduce: return m->reduce(s, i);
    default: break;
    }
    if (!(info->flags & IR_ELEMENTWISE) || info->shape == IR_SHAPE_XX || i->nresults != 1)
        return false;
    if (info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC)
        return compare(s, i);
    if (info->shape == IR_SHAPE_CV)
        return convert(s, i);
    return ir_kind(i->results[0].type) == IR_I1 ? mask_arithmetic(s, i) : elementwise(s, i);
}
