/* Functions, blocks, values and control flow of machine code for processors, and what goes through
 * the launch ABI: parameters, special registers, calls to the host. */
#include <stddef.h>
#include <string.h>
#include "back/cpu_call.h"
#include "back/cpu_ops.h"
#include "back/cpu_plain.h"
#include "back/cpu_plan.h"
#include "back/cpu_select.h"
#include "ir/check.h"
#include "tern/error.h"

void cpu_refuse(struct cpu_sel *s, const char *why)
{
    if (!s->why)
        s->why = why;
}

/* ---- registers of values ---- */
unsigned cpu_lane_bits(ir_type t)
{
    return ir_kind(t) == IR_I1 ? 32 : ir_bits(t);
}

unsigned cpu_lanes(const struct cpu_sel *s, ir_type t)
{
    unsigned n = s->t->vector_bytes * 8 / cpu_lane_bits(t);
    return n < ir_lanes(t) ? n : ir_lanes(t);
}

unsigned cpu_chunks(const struct cpu_sel *s, ir_type t)
{
    return ir_is_vector(t) ? ir_lanes(t) / cpu_lanes(s, t) : 1;
}

bool cpu_is_float(ir_type t)
{
    return ir_kind(t) == IR_F32 || ir_kind(t) == IR_F64;
}

static bool is_mask(const struct cpu_sel *s, ir_type t) /* in a register of its own */
{
    return s->t->masks && ir_is_vector(t) && ir_kind(t) == IR_I1;
}

unsigned cpu_class(const struct cpu_sel *s, ir_type t)
{
    if (is_mask(s, t))
        return s->t->masks->class;
    return ir_is_vector(t) || cpu_is_float(t) ? s->t->vec : s->t->gpr;
}

unsigned cpu_bytes(const struct cpu_sel *s, ir_type t)
{
    if (is_mask(s, t))
        return 8;
    return ir_is_vector(t) ? s->t->vector_bytes : ir_bits(t) > 32 ? 8 : 4;
}

mach_reg cpu_new(struct cpu_sel *s, ir_type t)
{
    return mach_vreg(s->f, cpu_class(s, t), cpu_bytes(s, t));
}

mach_reg cpu_constant(struct cpu_sel *s, ir_type t, uint64_t bits)
{
    bool f = cpu_is_float(t);
    uint64_t key = bits * 8 + (f ? 2 : 0) + (ir_bits(t) > 32);
    key ^= bits >> 61 << 40;
    void *known = map_get(&s->constants, key);
    if (known && mach_of(s->f, (mach_reg)(uintptr_t)known)->remat >= 0 && bits < UINT64_C(1) << 40)
        return (mach_reg)(uintptr_t)known;
    mach_reg r = s->t->constant(s, t, bits);
    map_set(&s->constants, key, (void *)(uintptr_t)r);
    return r;
}

mach_reg cpu_splat(struct cpu_sel *s, ir_type lane, uint64_t bits)
{
    unsigned n = cpu_lane_bits(lane);
    if (n < 64)
        bits &= (UINT64_C(1) << n) - 1;
    uint64_t pattern = bits;
    for (unsigned k = n; k < 64; k *= 2)
        pattern |= pattern << k;
    uint64_t half[2] = {pattern, 0x73706c6174}, key = hash_bytes(half, sizeof half, 7) | 1;
    void *known = map_get(&s->constants, key);
    if (known)
        return (mach_reg)(uintptr_t)known;
    mach_reg r = s->t->splat(s, lane, bits);
    map_set(&s->constants, key, (void *)(uintptr_t)r);
    return r;
}

mach_reg cpu_literal(struct cpu_sel *s, const uint8_t *bytes)
{
    uint64_t key = hash_bytes(bytes, s->t->vector_bytes, 9) & ~UINT64_C(1);
    void *known = map_get(&s->constants, key);
    if (known)
        return (mach_reg)(uintptr_t)known;
    mach_reg r = s->t->literal(s, bytes);
    map_set(&s->constants, key, (void *)(uintptr_t)r);
    return r;
}

mach_reg cpu_frame(struct cpu_sel *s, uint32_t slot)
{
    return mach_remat(s->f, s->t->gpr, 8, MACH_FRAME, (const int64_t[]){0, slot}, 2);
}

static mach_reg function_address(struct cpu_sel *s, const struct ir_func *f)
{
    if (!s->plain)
        return cpu_constant(s, IR_I64, lower_taken_number(f));
    const uintptr_t symbol = (uintptr_t)map_get(&s->symbols, map_key(f));
    if (symbol)
        return s->t->calling->at(s, (uint32_t)symbol - 1);
    const uint64_t at = s->plain->outside(s->plain->ctx, f);
    if (!at)
        cpu_refuse(s, arena_printf(s->arena, "there is no function '%s'", f->name));
    return cpu_constant(s, IR_I64, at);
}

static mach_reg global_address(struct cpu_sel *s, const struct ir_global *g)
{
    const uintptr_t known = (uintptr_t)map_get(&s->at_entry, map_key(g));
    if (known)
        return (mach_reg)known;
    if (s->plain)
        return cpu_constant(s, IR_I64, s->plain->variable(s->plain->ctx, g));
    bool shared = g->space == IR_SPACE_SHARED;
    uint64_t at =
        (uint64_t)(uintptr_t)map_get(shared ? &s->shared_offset : &s->global_offset, map_key(g));
    return s->t->add(s, shared ? s->shared : s->globals, (int64_t)at);
}

const mach_reg *cpu_regs(struct cpu_sel *s, struct ir_value *v)
{
    if (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) {
        if (!s->regs[v->id]) {
            cpu_refuse(s, v->kind == IR_VALUE_RESULT
                              ? arena_printf(s->arena, "nobody made what %s gives",
                                             ir_op_info[v->u.inst->op].name)
                              : "nobody made a parameter");
            mach_reg *r = arena_array(s->arena, mach_reg, 64);
            for (unsigned k = 0; k < 64; k++)
                r[k] = cpu_new(s, v->type);
            s->regs[v->id] = r;
        }
        return s->regs[v->id];
    }
    unsigned n = cpu_chunks(s, v->type);
    mach_reg *r = arena_array(s->arena, mach_reg, n);
    switch (v->kind) {
    case IR_VALUE_CONST: {
        bool vector = ir_is_vector(v->type);
        uint64_t bits = v->u.bits;
        if (vector && ir_kind(v->type) == IR_I1)
            bits = bits ? 0xffffffffu : 0;
        r[0] = is_mask(s, v->type) ? cpu_mask_constant(s, bits)
               : vector            ? cpu_splat(s, ir_scalar(v->type), bits)
                                   : cpu_constant(s, v->type, bits);
        for (unsigned k = 1; k < n; k++)
            r[k] = r[0];
        break;
    }
    case IR_VALUE_FUNC: r[0] = function_address(s, v->u.func); break;
    default: r[0] = global_address(s, v->u.global); break;
    }
    return r;
}

mach_reg cpu_reg(struct cpu_sel *s, struct ir_value *v)
{
    return cpu_regs(s, v)[0];
}

void cpu_set_all(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *r)
{
    unsigned n = cpu_chunks(s, i->results[0].type);
    mach_reg *own = arena_array(s->arena, mach_reg, n);
    memcpy(own, r, n * sizeof *r);
    s->regs[i->results[0].id] = own;
}

static void set_result(struct cpu_sel *s, const struct ir_inst *i, unsigned k, mach_reg r)
{
    mach_reg *own = arena_array(s->arena, mach_reg, 1);
    own[0] = r;
    s->regs[i->results[k].id] = own;
}

void cpu_set(struct cpu_sel *s, const struct ir_inst *i, mach_reg r)
{
    set_result(s, i, 0, r);
}

/* ---- what is needed ---- */
void cpu_need(struct cpu_sel *s, struct ir_value *v)
{
    if (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT)
        s->need[v->id]++;
}

struct cpu_address cpu_address(const struct cpu_sel *s, struct ir_value *p)
{
    struct cpu_address a = {.base = p};
    for (unsigned k = 0; k < 8 && a.base->kind == IR_VALUE_RESULT; k++) {
        const struct ir_inst *i = a.base->u.inst;
        if (i->op == IR_OP_cvta && !ir_is_vector(i->type)) {
            a.base = i->args[0];
        } else if (i->op == IR_OP_ptradd && !ir_is_vector(i->type) && ir_is_const(i->args[1])) {
            int64_t at = a.offset + (int64_t)i->args[1]->u.bits;
            if (at < s->t->least_offset || at > s->t->most_offset)
                break;
            a.offset = at;
            a.base = i->args[0];
        } else {
            break;
        }
    }
    return a;
}

struct ir_inst *cpu_compare(const struct ir_inst *user, struct ir_value *cond)
{
    if (cond->kind != IR_VALUE_RESULT || cond->u.inst->block != user->block)
        return NULL;
    struct ir_inst *i = cond->u.inst;
    unsigned shape = ir_op_info[i->op].shape;
    if (shape != IR_SHAPE_IC && shape != IR_SHAPE_FC)
        return NULL;
    ir_type t = i->args[0]->type;
    if (ir_is_vector(t) || (shape == IR_SHAPE_FC && (!cpu_is_float(t) || i->flags & IR_FTZ)))
        return NULL;
    return ir_bits(t) >= 32 ? i : NULL;
}

struct ir_inst *cpu_vote(const struct ir_inst *user, struct ir_value *cond)
{
    if (cond->kind != IR_VALUE_RESULT || cond->u.inst->block != user->block)
        return NULL;
    struct ir_inst *i = cond->u.inst;
    return i->op == IR_OP_anylane || i->op == IR_OP_alllanes ? i : NULL;
}

struct ir_value *cpu_splatted(struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_splat ? v->u.inst->args[0] : NULL;
}

struct ir_value *cpu_by_lane(const struct cpu_sel *s, const struct ir_inst *i, unsigned *k)
{
    if (!s->t->by_lane || !ir_is_vector(i->type) || !cpu_is_float(i->type) ||
        i->flags & (IR_FTZ | IR_ROUND_MASK) ||
        (i->op != IR_OP_fma && i->op != IR_OP_mad && i->op != IR_OP_fmul))
        return NULL;
    for (*k = 0; *k < 2; ++*k) {
        struct ir_value *x = cpu_splatted(i->args[*k]);
        if (x && (x->kind == IR_VALUE_PARAM || x->kind == IR_VALUE_RESULT))
            return x;
    }
    return NULL;
}

bool cpu_indexed(const struct ir_inst *i, unsigned most, struct ir_value **index, unsigned *shift,
                 bool *is_signed)
{
    struct ir_value *v = i->args[1];
    *shift = 0;
    if (v->kind != IR_VALUE_RESULT || v->u.inst->block != i->block)
        return false;
    const struct ir_inst *x = v->u.inst;
    if ((x->op == IR_OP_mul || x->op == IR_OP_shl) && ir_is_const(x->args[1])) {
        uint64_t by = x->args[1]->u.bits;
        if (x->op == IR_OP_mul) {
            if (!by || by & (by - 1))
                return false;
            by = (uint64_t)__builtin_ctzll(by);
        }
        if (by > most)
            return false;
        *shift = (unsigned)by;
        v = x->args[0];
        if (v->kind != IR_VALUE_RESULT || v->u.inst->block != i->block)
            return false;
        x = v->u.inst;
    }
    if ((x->op != IR_OP_sext && x->op != IR_OP_zext) || ir_bits(x->args[0]->type) != 32)
        return false;
    *is_signed = x->op == IR_OP_sext;
    *index = x->args[0];
    return true;
}

bool cpu_scaled(const struct ir_inst *i, unsigned most, struct ir_value **index, unsigned *shift)
{
    const struct ir_value *v = i->args[1];
    bool is_signed;
    if (v->kind != IR_VALUE_RESULT || v->u.inst->block != i->block || ir_is_vector(v->type) ||
        cpu_indexed(i, most, index, shift, &is_signed))
        return false;
    const struct ir_inst *x = v->u.inst;
    if ((x->op != IR_OP_mul && x->op != IR_OP_shl) || !ir_is_const(x->args[1]))
        return false;
    uint64_t by = x->args[1]->u.bits;
    if (x->op == IR_OP_mul) {
        if (!by || by & (by - 1))
            return false;
        by = (uint64_t)__builtin_ctzll(by);
    }
    *index = x->args[0];
    *shift = (unsigned)by;
    return by <= most;
}

static bool reads_address(const struct ir_inst *i)
{
    return i->nargs && ir_kind(i->args[0]->type) == IR_PTR && !ir_is_vector(i->args[0]->type) &&
           (i->op == IR_OP_load || i->op == IR_OP_store || i->op == IR_OP_mload ||
            i->op == IR_OP_mstore);
}

static void need_operands(struct cpu_sel *s, struct ir_inst *i)
{
    struct ir_inst *c;
    struct ir_value *index, *by, *base = cpu_near_base(s, i);
    struct cpu_far far;
    unsigned shift;
    bool is_signed;
    if (base) {
        cpu_need(s, base);
        for (uint32_t k = 1; k < i->nargs; k++)
            cpu_need(s, i->args[k]);
    } else if (cpu_far(s, i, &far)) {
        cpu_need_far(s, i, &far);
    } else if (reads_address(i)) {
        cpu_need(s, cpu_address(s, i->args[0]).base);
        for (uint32_t k = 1; k < i->nargs; k++)
            cpu_need(s, i->args[k]);
    } else if ((i->op == IR_OP_condbr || (i->op == IR_OP_select && !ir_is_vector(i->type))) &&
               (c = cpu_compare(i, i->args[0]))) {
        cpu_need(s, c->args[0]);
        cpu_need(s, c->args[1]);
        for (uint32_t k = 1; k < i->nargs; k++)
            cpu_need(s, i->args[k]);
    } else if (i->op == IR_OP_condbr && s->t->branch_vote && (c = cpu_vote(i, i->args[0]))) {
        cpu_need(s, c->args[0]);
    } else if (cpu_known_permute(s, i)) {
        cpu_need(s, i->args[0]);
    } else if ((by = cpu_by_lane(s, i, &shift))) {
        cpu_need(s, by);
        for (uint32_t k = 0; k < i->nargs; k++)
            if (k != shift)
                cpu_need(s, i->args[k]);
    } else if (i->op == IR_OP_ptradd && !ir_is_vector(i->type) &&
               cpu_indexed(i, CPU_MOST_SHIFT, &index, &shift, &is_signed)) {
        cpu_need(s, i->args[0]);
        cpu_need(s, index);
    } else if (i->op == IR_OP_ptradd && !ir_is_vector(i->type) &&
               cpu_scaled(i, CPU_MOST_SCALE, &index, &shift)) {
        cpu_need(s, i->args[0]);
        cpu_need(s, index);
    } else {
        for (uint32_t k = 0; k < i->nargs; k++)
            if (ir_kind(i->args[k]->type) != IR_TOKEN)
                cpu_need(s, i->args[k]);
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            cpu_need(s, i->edges[e].args[k]);
}

static bool is_needed(const struct cpu_sel *s, const struct ir_inst *i)
{
    unsigned flags = ir_op_info[i->op].flags;
    if (!(flags & IR_PURE) && (flags & ~(unsigned)(IR_READS | IR_ELEMENTWISE) ||
                               i->flags & IR_VOLATILE || ir_order(i->flags)))
        return true;
    for (uint32_t k = 0; k < i->nresults; k++)
        if (s->need[i->results[k].id] || s->singly[i->results[k].id])
            return true;
    return false;
}

/* How many loops each block is in, by block id. */
static void find_depth(struct cpu_sel *s, struct ir_block **rpo, uint32_t n)
{
    struct ir_block **stack = arena_array(s->arena, struct ir_block *, n + 1);
    uint32_t *seen = arena_array(s->arena, uint32_t, s->func->nblocks + 1), stamp = 0;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_block *head = rpo[k];
        uint32_t top = 0;
        stamp++;
        vec_each (struct ir_block *, p, &head->preds)
            if ((*p)->rpo != UINT32_MAX && ir_dominates(head, *p)) {
                if (seen[head->id] != stamp)
                    seen[head->id] = stamp, s->depth[head->id]++;
                if (seen[(*p)->id] != stamp) {
                    seen[(*p)->id] = stamp;
                    s->depth[(*p)->id]++;
                    stack[top++] = *p;
                }
            }
        while (top) {
            struct ir_block *b = stack[--top];
            vec_each (struct ir_block *, p, &b->preds)
                if ((*p)->rpo != UINT32_MAX && seen[(*p)->id] != stamp) {
                    seen[(*p)->id] = stamp;
                    s->depth[(*p)->id]++;
                    stack[top++] = *p;
                }
        }
    }
}

/* ---- memory that selection needs for itself ---- */
mach_reg cpu_room(struct cpu_sel *s, uint32_t bytes)
{
    if (s->room == UINT32_MAX)
        s->room = mach_slot_new(s->f, 0, 64);
    if (s->f->slots.data[s->room].bytes < bytes)
        s->f->slots.data[s->room].bytes = (bytes + 63) & ~UINT32_C(63);
    return cpu_frame(s, s->room);
}

uint32_t cpu_split(struct cpu_sel *s, bool cold)
{
    uint8_t depth = s->f->blocks.data[s->f->current].depth;
    uint32_t b = mach_block_new(s->f);
    s->f->blocks.data[b].depth = depth;
    s->f->blocks.data[b].cold = cold;
    return b;
}

static mach_reg host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n,
                     bool result)
{
    return s->plain && n <= s->t->calling->nc_registers ? cpu_c_host(s, offset, args, n, result)
                                                        : s->t->host(s, offset, args, n, result);
}

/* ---- arithmetic without an instruction ---- */
mach_reg cpu_eval(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                  const mach_reg *args)
{
    const unsigned shape = ir_op_info[i->op].shape;
    const bool compares = shape == IR_SHAPE_IC || shape == IR_SHAPE_FC;
    const ir_type result = compares ? IR_I1 : t;
    uint64_t what = CPU_EVAL(i->op, compares ? from : t, from, i->flags);
    mach_reg in[4] = {cpu_constant(s, IR_I64, what)};
    for (unsigned k = 0; k < 3; k++)
        in[k + 1] = k < i->nargs ? s->t->to_bits(s, from, args[k]) : cpu_constant(s, IR_I64, 0);
    mach_reg r = host(s, offsetof(struct cpu_host, eval), in, 4, true);
    return s->t->from_bits(s, result, r);
}

mach_reg cpu_any_scalar(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                        const mach_reg *args)
{
    mach_reg r = cpu_scalar(s, i, t, from, args);
    return r != MACH_NONE ? r : cpu_eval(s, i, t, from, args);
}

/* ---- special registers ---- */
static mach_reg word(struct cpu_sel *s, mach_reg base, size_t offset)
{
    return s->t->load(s, IR_I32, base, (int64_t)offset);
}

mach_reg cpu_op2(struct cpu_sel *s, enum ir_op op, ir_type t, mach_reg a, mach_reg b)
{
    struct ir_value unknown = {.kind = IR_VALUE_PARAM, .type = t},
                    *args[3] = {&unknown, &unknown, &unknown};
    struct ir_inst i = {.op = (uint16_t)op, .type = t, .nargs = 2, .args = args};
    return cpu_any_scalar(s, &i, t, t, (const mach_reg[]){a, b});
}

static mach_reg linear(struct cpu_sel *s)
{
    mach_reg x = word(s, s->b, offsetof(struct tern_block, tid)),
             y = word(s, s->b, offsetof(struct tern_block, tid) + 4),
             z = word(s, s->b, offsetof(struct tern_block, tid) + 8),
             nx = word(s, s->launch, offsetof(struct tern_launch, block)),
             ny = word(s, s->launch, offsetof(struct tern_launch, block) + 4);
    z = cpu_op2(s, IR_OP_add, IR_I32, cpu_op2(s, IR_OP_mul, IR_I32, z, ny), y);
    return cpu_op2(s, IR_OP_add, IR_I32, cpu_op2(s, IR_OP_mul, IR_I32, z, nx), x);
}

static mach_reg lane_mask(struct cpu_sel *s, unsigned which)
{
    mach_reg lane = cpu_op2(s, IR_OP_and, IR_I32, linear(s), cpu_constant(s, IR_I32, 31));
    mach_reg one = cpu_constant(s, IR_I32, 1), two = cpu_constant(s, IR_I32, 2);
    mach_reg eq = cpu_op2(s, IR_OP_shl, IR_I32, one, lane),
             next = cpu_op2(s, IR_OP_shl, IR_I32, two, lane);
    mach_reg minus = cpu_constant(s, IR_I32, 0xffffffffu);
    switch (which) {
    case IR_SREG_LANEMASK_EQ: return eq;
    case IR_SREG_LANEMASK_LT: return cpu_op2(s, IR_OP_sub, IR_I32, eq, one);
    case IR_SREG_LANEMASK_LE: return cpu_op2(s, IR_OP_sub, IR_I32, next, one);
    case IR_SREG_LANEMASK_GT:
        return cpu_op2(s, IR_OP_xor, IR_I32, cpu_op2(s, IR_OP_sub, IR_I32, next, one), minus);
    default: return cpu_op2(s, IR_OP_xor, IR_I32, cpu_op2(s, IR_OP_sub, IR_I32, eq, one), minus);
    }
}

static mach_reg special(struct cpu_sel *s, unsigned which)
{
    static const struct {
        uint8_t which, of_launch;
        uint16_t at;
    } fields[] = {
#define FIELD(name, of, where)                                                                     \
    {IR_SREG_##name, of,                                                                           \
     (uint16_t)(of ? offsetof(struct tern_launch, where) : offsetof(struct tern_block, where))}
        {IR_SREG_TID_X, 0, offsetof(struct tern_block, tid)},
        {IR_SREG_TID_Y, 0, offsetof(struct tern_block, tid) + 4},
        {IR_SREG_TID_Z, 0, offsetof(struct tern_block, tid) + 8},
        {IR_SREG_CTAID_X, 0, offsetof(struct tern_block, ctaid)},
        {IR_SREG_CTAID_Y, 0, offsetof(struct tern_block, ctaid) + 4},
        {IR_SREG_CTAID_Z, 0, offsetof(struct tern_block, ctaid) + 8},
        {IR_SREG_SMID, 0, offsetof(struct tern_block, worker)},
        {IR_SREG_NTID_X, 1, offsetof(struct tern_launch, block)},
        {IR_SREG_NTID_Y, 1, offsetof(struct tern_launch, block) + 4},
        {IR_SREG_NTID_Z, 1, offsetof(struct tern_launch, block) + 8},
        {IR_SREG_NCTAID_X, 1, offsetof(struct tern_launch, grid)},
        {IR_SREG_NCTAID_Y, 1, offsetof(struct tern_launch, grid) + 4},
        {IR_SREG_NCTAID_Z, 1, offsetof(struct tern_launch, grid) + 8},
        {IR_SREG_NSMID, 1, offsetof(struct tern_launch, workers)},
        {IR_SREG_DYN_SHARED, 1, offsetof(struct tern_launch, dynamic_shared)},
        {IR_SREG_TOTAL_SHARED, 1, offsetof(struct tern_launch, shared_bytes)},
        {IR_SREG_COOPERATIVE, 1, offsetof(struct tern_launch, cooperative)},
#undef FIELD
    };
    if (which >= IR_SREG_NTID_X && which <= IR_SREG_NTID_Z && s->dims &&
        s->dims[which - IR_SREG_NTID_X])
        return cpu_constant(s, IR_I32, s->dims[which - IR_SREG_NTID_X]);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (fields[k].which == which)
            return word(s, fields[k].of_launch ? s->launch : s->b, fields[k].at);
    switch (which) {
    case IR_SREG_LANEID:
        return cpu_op2(s, IR_OP_and, IR_I32, linear(s), cpu_constant(s, IR_I32, 31));
    case IR_SREG_WARPID:
        return cpu_op2(s, IR_OP_lshr, IR_I32, linear(s), cpu_constant(s, IR_I32, 5));
    case IR_SREG_NWARPID: {
        mach_reg n = cpu_op2(
            s, IR_OP_mul, IR_I32,
            cpu_op2(s, IR_OP_mul, IR_I32, special(s, IR_SREG_NTID_X), special(s, IR_SREG_NTID_Y)),
            special(s, IR_SREG_NTID_Z));
        n = cpu_op2(s, IR_OP_add, IR_I32, n, cpu_constant(s, IR_I32, 31));
        return cpu_op2(s, IR_OP_lshr, IR_I32, n, cpu_constant(s, IR_I32, 5));
    }
    case IR_SREG_GRIDID: return s->t->load(s, IR_I64, s->launch, offsetof(struct tern_launch, id));
    case IR_SREG_CHECKS:
        return s->t->load(s, IR_I64, s->launch, offsetof(struct tern_launch, checks));
    default: return lane_mask(s, which);
    }
}

/* ---- calls to the host ---- */
static mach_reg as_bits(struct cpu_sel *s, struct ir_value *v)
{
    return s->t->to_bits(s, v->type, cpu_reg(s, v));
}

/* Values as 64-bit words in scratch memory; its address. */
static mach_reg words(struct cpu_sel *s, struct ir_value *const *v, uint32_t n, uint32_t more)
{
    mach_reg at = cpu_room(s, 8 * (n + more) + 8);
    for (uint32_t k = 0; k < n; k++)
        s->t->store(s, IR_I64, as_bits(s, v[k]), at, 8 * (int64_t)k);
    return at;
}

#define HOST(s, name, result, ...)                                                                 \
    host((s), offsetof(struct cpu_host, name), (const mach_reg[]){__VA_ARGS__},                    \
         sizeof((const mach_reg[]){__VA_ARGS__}) / sizeof(mach_reg), result)

static mach_reg number(struct cpu_sel *s, uint64_t n)
{
    return cpu_constant(s, IR_I64, n);
}

static void fail(struct cpu_sel *s, uint32_t error, mach_reg what, mach_reg file, mach_reg line,
                 mach_reg function)
{
    HOST(s, abi.fail, false, s->b, number(s, error), what, file, line, function);
}

void cpu_fail(struct cpu_sel *s, enum cpu_failure which)
{
    HOST(s, fail_by_number, false, s->b, number(s, which));
}

static void place(struct cpu_sel *s, const struct ir_inst *i, uint32_t from)
{
    for (uint32_t k = from; k < i->nargs && k < from + 3; k++)
        s->t->store(s, IR_I32, cpu_reg(s, i->args[k]), s->b,
                    (int64_t)(offsetof(struct tern_block, tid) + 4 * (k - from)));
}

static void texture(struct cpu_sel *s, const struct ir_inst *i)
{
#define X(op) IR_OP_##op,
    static const enum ir_op what[] = {CPU_TEXTURE_OPS(X)};
#undef X
    unsigned which = 0;
    while (what[which] != i->op)
        which++;
    mach_reg at = words(s, i->args, i->nargs, 4);
    mach_reg zero = number(s, 0), out = s->t->add(s, at, 8 * (int64_t)i->nargs);
    for (unsigned k = 0; k < 4; k++)
        s->t->store(s, IR_I64, zero, out, 8 * (int64_t)k);
    HOST(s, abi.texture, false, s->b, number(s, which), number(s, i->type), number(s, i->imm), at,
         number(s, i->nargs), out);
    for (uint32_t k = 0; k < i->nresults; k++) {
        ir_type t = i->results[k].type;
        set_result(s, i, k, s->t->load(s, t, out, 8 * (int64_t)k));
    }
}

static bool is_space(struct cpu_sel *s, const struct ir_inst *i)
{
    mach_reg p = cpu_reg(s, i->args[0]);
    mach_reg size = s->t->load(s, IR_I32, s->launch, offsetof(struct tern_launch, shared_bytes));
    mach_reg base = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, shared));
    mach_reg low = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, stack));
    mach_reg high = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, stack) + 8);
    struct ir_value x = {.kind = IR_VALUE_PARAM, .type = IR_I64}, *args[2] = {&x, &x};
    struct ir_inst ult = {.op = IR_OP_ult, .type = IR_I64, .nargs = 2, .args = args};
    struct ir_inst zext = {.op = IR_OP_zext, .type = IR_I64, .nargs = 1, .args = args};
    mach_reg wide = cpu_any_scalar(s, &zext, IR_I64, IR_I32, &size);
    mach_reg off = cpu_op2(s, IR_OP_sub, IR_I64, p, base),
             in = cpu_op2(s, IR_OP_sub, IR_I64, p, low);
    mach_reg shared = cpu_any_scalar(s, &ult, IR_I1, IR_I64, (const mach_reg[]){off, wide});
    mach_reg local = cpu_any_scalar(
        s, &ult, IR_I1, IR_I64, (const mach_reg[]){in, cpu_op2(s, IR_OP_sub, IR_I64, high, low)});
    mach_reg one = cpu_constant(s, IR_I32, 1);
    switch (i->imm) {
    case IR_SPACE_GLOBAL:
        cpu_set(s, i,
                cpu_op2(s, IR_OP_xor, IR_I32, cpu_op2(s, IR_OP_or, IR_I32, shared, local), one));
        break;
    case IR_SPACE_SHARED: cpu_set(s, i, shared); break;
    case IR_SPACE_LOCAL: cpu_set(s, i, local); break;
    default: cpu_set(s, i, cpu_constant(s, IR_I32, i->imm == IR_SPACE_GENERIC)); break;
    }
    return true;
}

/* The matrix products that the vectoriser calls; everything else is defined somewhere. */
void cpu_outside(struct cpu_sel *s, struct ir_inst *i)
{
    static const char *const names[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) "tern.mma." #name,
#include "ir/mma.def"
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k], i->callee->name)) {
            HOST(s, multiply, false, number(s, k), cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]),
                 cpu_reg(s, i->args[2]));
            return;
        }
    cpu_refuse(s, "a function is declared but defined nowhere");
    if (i->nresults)
        cpu_set(s, i, cpu_new(s, i->results[0].type));
}

/* ---- threads that wait for each other: coroutines, see the host ---- */
static mach_reg warp(struct cpu_sel *s, unsigned op, mach_reg mask, mach_reg value, mach_reg lane,
                     mach_reg control, mach_reg flag)
{
    mach_reg none = number(s, 0);
    return HOST(s, warp, true, s->b, number(s, op), mask, value == MACH_NONE ? none : value,
                lane == MACH_NONE ? none : lane, control == MACH_NONE ? none : control,
                flag == MACH_NONE ? none : flag);
}

static void matrix(struct cpu_sel *s, const struct ir_inst *i)
{
    mach_reg at = words(s, i->args, i->nargs, 0);
    HOST(s, matrix, false, s->b, at, number(s, i->imm));
    for (uint32_t k = 0; k < i->nresults; k++)
        set_result(
            s, i, k,
            s->t->load(s, i->results[k].type, at, 8 * (int64_t)(i->nargs - i->nresults + k)));
}

static bool together(struct cpu_sel *s, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_barrier:
        HOST(s, barrier, true, s->b, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]), number(s, 0),
             number(s, 0));
        return true;
    case IR_OP_barrier_red:
        cpu_set(s, i,
                HOST(s, barrier, true, s->b, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]),
                     cpu_reg(s, i->args[2]), number(s, i->imm)));
        return true;
    case IR_OP_barrier_arrive:
        HOST(s, arrive, false, s->b, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]));
        return true;
    case IR_OP_gridsync: HOST(s, grid_sync, false, s->b); return true;
    case IR_OP_warpsync:
        warp(s, CPU_WARP_SYNC, cpu_reg(s, i->args[0]), MACH_NONE, MACH_NONE, MACH_NONE, MACH_NONE);
        return true;
    case IR_OP_shfl:
    case IR_OP_match: {
        bool shuffles = i->op == IR_OP_shfl;
        mach_reg at = cpu_room(s, 8);
        mach_reg r = warp(s, (shuffles ? CPU_WARP_SHUFFLE : CPU_WARP_MATCH) + (unsigned)i->imm,
                          cpu_reg(s, i->args[0]), as_bits(s, i->args[1]),
                          shuffles ? cpu_reg(s, i->args[2]) : MACH_NONE,
                          shuffles ? cpu_reg(s, i->args[3]) : MACH_NONE, at);
        set_result(s, i, 0, shuffles ? s->t->from_bits(s, i->type, r) : r);
        set_result(s, i, 1, s->t->load(s, IR_I8, at, 0));
        return true;
    }
    case IR_OP_vote:
    case IR_OP_redux:
        cpu_set(s, i,
                warp(s, (i->op == IR_OP_vote ? CPU_WARP_VOTE : CPU_WARP_REDUCE) + (unsigned)i->imm,
                     cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]), MACH_NONE, MACH_NONE,
                     MACH_NONE));
        return true;
    case IR_OP_mma: matrix(s, i); return true;
    case IR_OP_activemask:
        cpu_set(s, i, HOST(s, active, true, s->b, number(s, s->places++)));
        return true;
    case IR_OP_sleep:
        if (s->fiber)
            HOST(s, yield, false, s->b);
        return true;
    default: return false;
    }
}

static bool may_wait(const struct ir_inst *i)
{
    return i->op == IR_OP_cas || i->op == IR_OP_rmw || i->op == IR_OP_fence ||
           (i->op == IR_OP_load && (i->flags & IR_VOLATILE || ir_order(i->flags)));
}

/* ---- instructions that every machine does alike ---- */
static void zero_memory(struct cpu_sel *s, mach_reg p, uint64_t bytes)
{
    enum { MOST_STORES = 64 }; /* a call to the host keeps all registers, which costs more */
    const unsigned chunk = s->t->vector_bytes;
    uint64_t at = 0;
    if (bytes / chunk > MOST_STORES) {
        HOST(s, fill, false, p, number(s, 0), number(s, bytes));
        return;
    }
    if (bytes >= chunk) {
        const ir_type t = ir_vector(IR_I64, chunk / 8);
        const mach_reg zeros = s->t->splat(s, IR_I64, 0);
        for (; at + chunk <= bytes; at += chunk)
            s->t->store(s, t, zeros, p, (int64_t)at);
    }
    mach_reg zero = at < bytes ? number(s, 0) : MACH_NONE;
    for (; at < bytes; at += 8)
        s->t->store(s, IR_I64, zero, p, (int64_t)at);
}

/* A slot that debuggers know, by the number of its variable; 0 is none of the source's. */
static void local(struct cpu_sel *s, uint32_t variable, uint32_t slot, uint32_t align)
{
    const struct mach_local l = {variable, slot, align};
    if (s->stepped && variable)
        vec_push(s->arena, &s->f->locals, l);
}

/* The block's address in the frame: from it debuggers find threadIdx and shared memory. */
static void keep_block(struct cpu_sel *s)
{
    const struct mach_local l = {0, mach_slot_new(s->f, 8, 8), 8};
    s->t->store(s, IR_PTR, s->b, cpu_frame(s, l.slot), 0);
    vec_push(s->arena, &s->f->locals, l);
}

/* memset of a known size: as stores, if they are few. */
static bool fill_here(struct cpu_sel *s, const struct ir_inst *i)
{
    enum { MOST_STORES = 64 };
    const unsigned size = s->t->vector_bytes;
    uint64_t value, n;
    if (!cpu_known(i, 1, &value) || !cpu_known(i, 2, &n) || n % size || n / size > MOST_STORES)
        return false;
    const mach_reg base = cpu_reg(s, i->args[0]), v = cpu_splat(s, IR_I8, value & 255);
    for (uint64_t at = 0; at < n; at += size)
        s->t->store(s, ir_vector(IR_I8, size), v, base, (int64_t)at);
    return true;
}

static bool shared_way(struct cpu_sel *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait: return true;
    case IR_OP_alloca: {
        uint64_t bytes = (i->imm + 7) & ~UINT64_C(7);
        uint32_t align = i->align > 8 ? i->align : 8;
        /* kernels have it zeroed, as the interpreter has: what they read too early is the same */
        const bool zeroed = !s->plain || !(i->flags & IR_UNSET);
        if (align > 16) { /* the frame is aligned to 16 */
            bytes += align;
            uint32_t slot = mach_slot_new(s->f, bytes, 16);
            mach_reg p = s->t->add(s, cpu_frame(s, slot), align - 1);
            p = cpu_op2(s, IR_OP_and, IR_I64, p, number(s, ~(uint64_t)(align - 1)));
            cpu_set(s, i, p);
            local(s, i->variable, slot, align);
            zero_memory(s, p, zeroed ? bytes - align : 0);
        } else {
            uint32_t slot = mach_slot_new(s->f, bytes ? bytes : 8, align);
            mach_reg p = cpu_frame(s, slot);
            local(s, i->variable, slot, align);
            cpu_set(s, i, p);
            zero_memory(s, p, zeroed ? bytes : 0);
        }
        return true;
    }
    case IR_OP_sreg: {
        mach_reg r = special(s, (unsigned)i->imm);
        ir_type has = i->imm == IR_SREG_GRIDID || i->imm == IR_SREG_CHECKS ? IR_I64 : IR_I32;
        if (i->type != has) {
            struct ir_value x = {.kind = IR_VALUE_PARAM, .type = has}, *args[1] = {&x};
            struct ir_inst c = {
                .op = (uint16_t)(ir_bits(i->type) > ir_bits(has) ? IR_OP_zext : IR_OP_trunc),
                .type = i->type,
                .nargs = 1,
                .args = args};
            r = cpu_any_scalar(s, &c, i->type, has, &r);
        }
        cpu_set(s, i, r);
        return true;
    }
    case IR_OP_memcpy:
        HOST(s, move, false, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]),
             cpu_reg(s, i->args[2]));
        return true;
    case IR_OP_memset:
        if (fill_here(s, i))
            return true;
        HOST(s, fill, false, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]),
             cpu_reg(s, i->args[2]));
        return true;
    case IR_OP_cpasync:
        HOST(s, copy_async, false, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]),
             cpu_reg(s, i->args[2]), number(s, i->imm));
        return true;
    case IR_OP_malloc:
        cpu_set(s, i, HOST(s, abi.alloc, true, s->launch, cpu_reg(s, i->args[0])));
        return true;
    case IR_OP_free: HOST(s, abi.release, false, s->launch, cpu_reg(s, i->args[0])); return true;
    case IR_OP_clock: cpu_set(s, i, HOST(s, abi.clock, true, number(s, i->imm))); return true;
    case IR_OP_printf:
        HOST(s, abi.print, false, s->launch, cpu_reg(s, i->args[0]),
             words(s, i->args + 1, i->nargs - 1, 0), number(s, i->nargs - 1));
        cpu_set(s, i, cpu_constant(s, IR_I32, i->nargs - 1));
        return true;
    case IR_OP_check:
        HOST(s, check, false, s->b, number(s, i->imm), number(s, i->span.loc),
             words(s, i->args, i->nargs, 4)); /* as many as any has may be read */
        return true;
    case IR_OP_assertfail:
        place(s, i, 4);
        fail(s, TERN_ASSERT, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1]), cpu_reg(s, i->args[2]),
             cpu_reg(s, i->args[3]));
        return true;
    case IR_OP_trap:
        place(s, i, 0);
        cpu_fail(s, CPU_FAIL_TRAP);
        return true;
    case IR_OP_launch:
        cpu_set(s, i, HOST(s, abi.launch, true, s->b, words(s, i->args, i->nargs, 0)));
        return true;
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq: texture(s, i); return true;
    case IR_OP_isspace: return !ir_is_vector(i->args[0]->type) && is_space(s, i);
    case IR_OP_cvta: cpu_set_all(s, i, cpu_regs(s, i->args[0])); return true;
    case IR_OP_call:
    case IR_OP_call_ptr:
        if (s->plain)
            cpu_c_call(s, i);
        else
            cpu_call(s, i);
        return true;
    case IR_OP_rmw:
        cpu_set(s, i, cpu_rmw(s, i, i->type, cpu_reg(s, i->args[0]), cpu_reg(s, i->args[1])));
        return true;
    default: break;
    }
    if (together(s, i))
        return true;
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (!(info->flags & IR_ELEMENTWISE) || info->shape == IR_SHAPE_XX)
        return false;
    if (ir_is_vector(i->results[0].type))
        return false;
    mach_reg args[3] = {0};
    for (uint32_t k = 0; k < i->nargs && k < 3; k++)
        args[k] = cpu_reg(s, i->args[k]);
    cpu_set(s, i, cpu_any_scalar(s, i, i->results[0].type, i->args[0]->type, args));
    return true;
}

/* May its loads be left out where memory was read already, and stand elsewhere among others? What
 * other threads look at while it runs may not; shared memory is looked at by this worker alone, and
 * by other threads of it only where they change. */
static bool is_plain(const struct ir_inst *i)
{
    if (!(ir_op_info[i->op].flags & (IR_READS | IR_WRITES)))
        return true;
    if (i->flags & (IR_VOLATILE | IR_STEP))
        return false;
    if (i->op == IR_OP_rmw || i->op == IR_OP_mrmw)
        return ir_space(i->args[0]->type) == IR_SPACE_SHARED;
    return i->op != IR_OP_cas && !ir_order(i->flags);
}

/* The mask that a vector of zeros and ones was made of, if it is at hand. */
static struct ir_value *mask_behind(const struct cpu_sel *s, struct ir_value *v)
{
    if (v->kind != IR_VALUE_RESULT || v->u.inst->op != IR_OP_zext)
        return NULL;
    struct ir_value *m = v->u.inst->args[0];
    const bool at_hand =
        (m->kind == IR_VALUE_PARAM || m->kind == IR_VALUE_RESULT) && s->regs[m->id];
    return ir_is_vector(m->type) && ir_kind(m->type) == IR_I1 && at_hand ? m : NULL;
}

/* Are two truths the same? C asks it of integers; masks tell without becoming any. */
static bool compare_truths(struct cpu_sel *s, struct ir_inst *i)
{
    if ((i->op != IR_OP_eq && i->op != IR_OP_ne) || !ir_is_vector(i->args[0]->type))
        return false;
    struct ir_value *masks[2] = {mask_behind(s, i->args[0]), mask_behind(s, i->args[1])};
    if (!masks[0] || !masks[1])
        return false;
    struct ir_inst on_masks = *i;
    on_masks.args = masks;
    return cpu_select_op(s, &on_masks);
}

/* Four lines of most caches ahead of what is read now; only of memory that others fill. */
static void ask_ahead(struct cpu_sel *s, const struct ir_inst *i)
{
    enum { AHEAD_BYTES = 256 };
    const bool reads = i->op == IR_OP_load || i->op == IR_OP_mload;
    if (!s->ahead || !reads || !ir_is_vector(i->type) || cpu_only_ours(i) ||
        (i->op == IR_OP_mload && !(i->args[1]->kind == IR_VALUE_CONST && i->args[1]->u.bits)))
        return;
    const struct cpu_address a = cpu_address(s, i->args[0]);
    s->t->prefetch(s, cpu_reg(s, a.base), a.offset + AHEAD_BYTES);
}

static void instruction(struct cpu_sel *s, struct ir_inst *i)
{
    s->inst = i;
    s->f->loc = i->span.loc;
    s->f->plain = is_plain(i);
    if (s->fiber && may_wait(i))
        HOST(s, poll, false, s->b);
    if (s->fiber && cpu_goes_in_step(i))
        HOST(s, active, true, s->b, number(s, s->places++));
    if (s->track && i->span.loc && ir_op_info[i->op].flags & (IR_READS | IR_WRITES)) {
        mach_reg at = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, at));
        s->t->store(s, IR_I32, cpu_constant(s, IR_I32, i->span.loc), at, 0);
    }
    ask_ahead(s, i);
    if (cpu_held(s, i) || cpu_near_select(s, i) || cpu_load_singly(s, i) || compare_truths(s, i) ||
        cpu_select_op(s, i) || shared_way(s, i) || cpu_lane_by_lane(s, i))
        return;
    struct sbuf text;
    sbuf_init(&text, s->arena);
    ir_print_inst(i, &text);
    cpu_refuse(s, text.data);
    for (uint32_t k = 0; k < i->nresults; k++)
        set_result(s, i, k, cpu_new(s, i->results[k].type));
}

/* ---- control flow ---- */
/* The arguments of an edge, chunk by chunk. */
static void jump(struct cpu_sel *s, const struct ir_edge *e)
{
    VEC(mach_reg) args = {0};
    for (uint32_t k = 0; k < e->nargs; k++) {
        struct ir_value *p = e->to->params.data[k];
        if (!s->need[p->id])
            continue;
        const mach_reg *r = cpu_regs(s, e->args[k]);
        for (unsigned c = 0; c < cpu_chunks(s, p->type); c++)
            vec_push(s->arena, &args, r[c]);
    }
    mach_jump(s->f, s->blocks[e->to->id], args.data, (uint32_t)args.len);
}

static bool passes(const struct cpu_sel *s, const struct ir_edge *e)
{
    for (uint32_t k = 0; k < e->nargs; k++)
        if (s->need[e->to->params.data[k]->id])
            return true;
    return false;
}

/* The block that a branch along an edge goes to: one in between, where it has arguments. Filled by
 * land_edges. */
struct landing {
    const struct ir_edge *edge;
    uint32_t block;
};

static uint32_t landing(struct cpu_sel *s, const struct ir_edge *e, struct landing *l)
{
    l->edge = NULL;
    if (!passes(s, e))
        return s->blocks[e->to->id];
    l->edge = e;
    l->block = cpu_split(s, false);
    return l->block;
}

static void land(struct cpu_sel *s, const struct landing *l)
{
    if (!l->edge)
        return;
    mach_block_begin(s->f, l->block);
    jump(s, l->edge);
}

static void branch(struct cpu_sel *s, struct ir_inst *i)
{
    struct landing l[2];
    uint32_t yes = landing(s, &i->edges[0], &l[0]), no = landing(s, &i->edges[1], &l[1]);
    struct ir_inst *vote = s->t->branch_vote ? cpu_vote(i, i->args[0]) : NULL;
    if (vote)
        s->t->branch_vote(s, vote, yes, no);
    else
        s->t->branch(s, i->args[0], yes, no);
    land(s, &l[0]);
    land(s, &l[1]);
}

/* A tree of comparisons over the sorted cases. */
static void tree(struct cpu_sel *s, ir_type t, mach_reg v, const struct ir_edge *const *cases,
                 const uint32_t *at, uint32_t n, uint32_t other)
{
    if (n <= 3) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t next = k + 1 < n ? cpu_split(s, false) : other;
            s->t->branch_equal(s, t, v, cases[k]->case_value, at[k], next);
            if (k + 1 < n)
                mach_block_begin(s->f, next);
        }
        return;
    }
    uint32_t half = n / 2, low = cpu_split(s, false), high = cpu_split(s, false);
    s->t->branch_below(s, t, v, cases[half]->case_value, low, high);
    mach_block_begin(s->f, low);
    tree(s, t, v, cases, at, half, other);
    mach_block_begin(s->f, high);
    tree(s, t, v, cases + half, at + half, n - half, other);
}

static void sort(const struct ir_edge **e, uint32_t n, const struct ir_edge **other)
{
    if (n < 2)
        return;
    uint32_t half = n / 2;
    sort(e, half, other);
    sort(e + half, n - half, other);
    for (uint32_t a = 0, b = half, k = 0; k < n; k++)
        other[k] = b == n || (a < half && e[a]->case_value <= e[b]->case_value) ? e[a++] : e[b++];
    memcpy(e, other, n * sizeof *e);
}

static void choose(struct cpu_sel *s, struct ir_inst *i)
{
    uint32_t n = i->nedges - 1;
    const struct ir_edge **cases = arena_array(s->arena, const struct ir_edge *, n + 1),
                         **scratch = arena_array(s->arena, const struct ir_edge *, n + 1);
    uint32_t *at = arena_array(s->arena, uint32_t, n + 1);
    struct landing *l = arena_array(s->arena, struct landing, n + 1);
    for (uint32_t k = 0; k < n; k++)
        cases[k] = &i->edges[k + 1];
    sort(cases, n, scratch);
    for (uint32_t k = 0; k < n; k++)
        at[k] = landing(s, cases[k], &l[k]);
    uint32_t other = landing(s, &i->edges[0], &l[n]);
    mach_reg v = cpu_reg(s, i->args[0]);
    if (n)
        tree(s, i->args[0]->type, v, cases, at, n, other);
    else
        mach_jump(s->f, other, NULL, 0);
    for (uint32_t k = 0; k <= n; k++)
        land(s, &l[k]);
}

static void end(struct cpu_sel *s, struct ir_inst *i)
{
    s->inst = i;
    s->f->loc = i->span.loc;
    switch (i->op) {
    case IR_OP_br: jump(s, &i->edges[0]); break;
    case IR_OP_condbr: branch(s, i); break;
    case IR_OP_switch: choose(s, i); break;
    case IR_OP_ret: cpu_leave(s, i->nargs ? i->args[0] : NULL); break;
    case IR_OP_exit:
        if (s->func->flags & IR_FUNC_KERNEL) {
            cpu_leave(s, NULL);
        } else {
            HOST(s, exit_thread, false, s->b);
            mach_end(s->f, MACH_DEAD);
        }
        break;
    default: /* unreachable */
        cpu_fail(s, CPU_FAIL_UNREACHABLE);
        mach_end(s->f, MACH_DEAD);
        break;
    }
}

/* ---- functions ---- */
static void parameters(struct cpu_sel *s, struct ir_func *f)
{
    struct ir_block *entry = f->first;
    mach_reg params = MACH_NONE;
    for (size_t k = 0; k < f->params.len; k++) {
        struct ir_param *p = &f->params.data[k];
        struct ir_value *v = entry->params.data[k];
        if (s->regs[v->id] || !s->need[v->id])
            continue; /* came in a register */
        if (params == MACH_NONE)
            params = s->t->load(s, IR_PTR, s->launch, offsetof(struct tern_launch, params));
        mach_reg *r = arena_array(s->arena, mach_reg, 1);
        r[0] = p->byval_size ? s->t->add(s, params, p->offset)
                             : s->t->load(s, p->type, params, p->offset);
        s->regs[v->id] = r;
    }
}

/* Addresses of variables that loops use are computed in front of everything. */
static void variables(struct cpu_sel *s, struct ir_block **rpo, uint32_t n)
{
    for (uint32_t b = 0; b < n && !s->plain; b++)
        for (struct ir_inst *i = rpo[b]->first; i && s->depth[rpo[b]->id]; i = i->next)
            for (uint32_t k = 0; k < i->nargs && (i == rpo[b]->last || is_needed(s, i)); k++) {
                struct ir_value *v = i->args[k];
                if (v->kind == IR_VALUE_GLOBAL && !map_get(&s->at_entry, map_key(v->u.global)))
                    map_set(&s->at_entry, map_key(v->u.global),
                            (void *)(uintptr_t)global_address(s, v->u.global));
            }
}

/* Where a checker is told, after code has looked by itself, and what else is seldom run. */
static bool is_cold(const struct ir_block *b)
{
    if (b->rare)
        return true;
    for (const struct ir_inst *i = b->last; i; i = i->prev)
        if (i->op == IR_OP_check && i->imm & IR_CHECK_SLOW)
            return true;
    return false;
}

static void function(struct cpu_sel *s, struct ir_func *f, bool entry, uint32_t symbol)
{
    ir_renumber(f);
    ir_cfg(f);
    s->func = f;
    s->entry = entry;
    s->f = mach_func_new(s->arena, s->t->machine, f->name);
    s->f->from_c = entry || s->plain;
    s->f->plain = true;
    s->f->stepped = s->stepped;
    s->f->loc = f->span.loc;
    s->regs = arena_array(s->arena, mach_reg *, f->nvalues + 1);
    s->need = arena_array(s->arena, uint32_t, f->nvalues + 1);
    s->singly = arena_array(s->arena, uint32_t, f->nvalues + 1);
    s->single = arena_array(s->arena, mach_reg *, f->nvalues + 1);
    s->blocks = arena_array(s->arena, uint32_t, f->nblocks + 1);
    s->depth = arena_array(s->arena, uint32_t, f->nblocks + 1);
    s->room = UINT32_MAX;
    s->nasked = 0;
    map_init(&s->constants, s->arena);
    map_init(&s->at_entry, s->arena);
    cpu_find_columns(s, f);
    struct ir_block **rpo = arena_array(s->arena, struct ir_block *, f->nblocks + 1);
    uint32_t n = 0;
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX)
            rpo[b->rpo] = b, n++;
    find_depth(s, rpo, n);
    for (uint32_t k = n; k--;) {
        struct ir_inst *last = rpo[k]->last;
        for (struct ir_inst *i = last; i; i = i->prev)
            if (i == last || is_needed(s, i))
                need_operands(s, i);
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ir_block *b = rpo[k];
        const bool cold = is_cold(b);
        s->f->depth = (uint8_t)(cold ? 0 : s->depth[b->id] > 8 ? 8 : s->depth[b->id]);
        s->blocks[b->id] = mach_block_new(s->f);
        s->f->blocks.data[s->blocks[b->id]].cold = cold;
        for (size_t p = 0; k && p < b->params.len; p++) {
            struct ir_value *v = b->params.data[p];
            unsigned chunks = cpu_chunks(s, v->type);
            if (!s->need[v->id])
                continue;
            s->regs[v->id] = arena_array(s->arena, mach_reg, chunks);
            for (unsigned c = 0; c < chunks; c++)
                s->regs[v->id][c] = mach_block_param(s->f, s->blocks[b->id], cpu_class(s, v->type),
                                                     cpu_bytes(s, v->type));
        }
    }
    for (uint32_t k = 0; k < n && !s->why; k++) {
        struct ir_block *b = rpo[k];
        mach_block_begin(s->f, s->blocks[b->id]);
        if (k == 0 && s->plain) {
            cpu_c_enter(s, f);
            s->launch = number(s, s->plain->launch);
            s->b = number(s, s->plain->block);
        } else if (k == 0) {
            cpu_enter(s, f);
            s->launch = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, launch));
            s->globals = s->t->load(s, IR_PTR, s->launch, offsetof(struct tern_launch, globals));
            s->shared = s->t->load(s, IR_PTR, s->b, offsetof(struct tern_block, shared));
            if (s->stepped)
                keep_block(s);
            if (entry)
                parameters(s, f);
            variables(s, rpo, n);
        }
        struct ir_inst *i = b->first;
        for (; i != b->last && !s->why; i = i->next)
            if (is_needed(s, i))
                instruction(s, i);
        if (s->holds) /* the next block knows nothing of it; when the last is done, nobody will */
            cpu_held_forget(s, !s->why && b->last->op != IR_OP_ret);
        if (!s->why)
            end(s, b->last);
    }
    if (!s->why)
        mach_finish(s->f, s->image, symbol);
    if (s->image->failed && !s->why)
        s->why = s->image->why;
}

/* What a function takes to be made is given back when its code is there: the next one has the same
 * memory, which is at hand already. */
void cpu_function(struct cpu_sel *s, struct ir_func *f, bool entry, uint32_t symbol)
{
    struct arena own, *whole = s->arena;
    arena_init(&own, whole->mem);
    s->arena = &own;
    function(s, f, entry, symbol);
    s->arena = whole;
    if (s->why)
        s->why = arena_strndup(whole, s->why, strlen(s->why));
    s->f = NULL;
    arena_free(&own);
}
