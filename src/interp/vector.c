/* Vector values: what the vectoriser makes. One thread stands for a gang; its elements lie side by
 * side, so that elementwise loops run over 32 of them at a time, whosever they are. */
#include "interp/interp_int.h"

static char *lane_at(struct run *r, uint32_t reg, uint32_t lane, uint32_t bytes)
{
    return r->regs + reg + (size_t)lane * bytes;
}

const struct op *interp_vector_move(struct run *r, const struct op *o)
{
    const uint32_t bytes = o->size * o->elements, mask = r->mask;
    EACH_LANE (i, mask)
        memcpy(lane_at(r, o->dst, i, bytes), lane_at(r, o->a, i, bytes), bytes);
    return o + 1;
}

/* Computes every chunk of 32 elements in which an active thread has some, then keeps those. */
const struct op *interp_vector_elementwise(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const uint32_t n = o->elements, mask = r->mask;
    uint32_t sizes[3] = {0, 0, 0};
    for (uint32_t k = 0; k < x->nargs && k < 3; k++)
        sizes[k] = storage_bytes(x->arg_types[k]);
    char *out = (char *)r->scratch;
    for (uint32_t chunk = 0; chunk < n; chunk++) { /* 32 * n elements are n chunks of 32 */
        const uint32_t first = chunk * LANES / n, last = (chunk * LANES + LANES - 1) / n;
        const uint32_t owners =
            (last >= 31 ? ALL_LANES : (UINT32_C(2) << last) - 1) & ~((UINT32_C(1) << first) - 1);
        if (!(owners & mask))
            continue;
        const size_t at = (size_t)chunk * LANES;
        o->u.elementwise(out + at * o->size, r->regs + o->a + at * sizes[0],
                         r->regs + o->b + at * sizes[1], r->regs + o->c + at * sizes[2], o);
    }
    const uint32_t bytes = o->size * n;
    EACH_LANE (i, mask)
        memcpy(lane_at(r, o->dst, i, bytes), out + (size_t)i * bytes, bytes);
    return o + 1;
}

static const struct op *splat(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < o->elements; k++)
            set_lane(r->regs + o->dst, o->size, i * o->elements + k,
                     lane_bits(r->regs + o->a, o->size, i));
    return o + 1;
}

static const struct op *iota(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < o->elements; k++)
            set_lane(r->regs + o->dst, o->size, i * o->elements + k,
                     ir_kind(o->type) == IR_I1 ? k & 1 : k);
    return o + 1;
}

static const struct op *extract(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = ir_lanes(o->x->arg_types[0]);
    EACH_LANE (i, mask) {
        const uint64_t lane = o->ir_op == IR_OP_extract ? o->imm : REG(r, uint32_t, o->b)[i];
        set_lane(r->regs + o->dst, o->size, i,
                 lane_bits(r->regs + o->a, o->size, i * n + (uint32_t)(lane % n)));
    }
    return o + 1;
}

static const struct op *insert(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = o->elements;
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < n; k++)
            set_lane(r->regs + o->dst, o->size, i * n + k,
                     k == o->imm % n ? lane_bits(r->regs + o->b, o->size, i)
                                     : lane_bits(r->regs + o->a, o->size, i * n + k));
    return o + 1;
}

static const struct op *permute(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = o->elements;
    const uint32_t *index = REG(r, uint32_t, o->b);
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < n; k++)
            set_lane(r->regs + o->dst, o->size, i * n + k,
                     lane_bits(r->regs + o->a, o->size, i * n + index[i * n + k] % n));
    return o + 1;
}

static const struct op *ask_lanes(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = ir_lanes(o->x->arg_types[0]);
    const uint8_t *v = REG(r, uint8_t, o->a);
    EACH_LANE (i, mask) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < n; k++)
            bits |= (uint64_t)v[i * n + k] << k;
        const uint64_t all = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
        set_lane(r->regs + o->dst, o->size, i,
                 o->ir_op == IR_OP_anylane    ? bits != 0
                 : o->ir_op == IR_OP_alllanes ? bits == all
                                              : bits);
    }
    return o + 1;
}

static const struct op *reduce(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = ir_lanes(o->x->arg_types[0]);
    EACH_LANE (i, mask) {
        uint64_t sum = lane_bits(r->regs + o->a, o->size, i * n);
        for (uint32_t k = 1; k < n; k++)
            sum = ir_eval_rmw((enum ir_rmw)o->imm, ir_scalar(o->type), sum,
                              lane_bits(r->regs + o->a, o->size, i * n + k));
        set_lane(r->regs + o->dst, o->size, i, sum);
    }
    return o + 1;
}

/* ---- memory under a mask ---- */
static char *element(struct run *r, const struct op *o, uint64_t address, bool write, uint32_t lane)
{
    if (address & (o->size - 1))
        interp_fail(r, TERN_MISALIGNED, o, lane, address,
                    "address 0x%llx is not aligned to %u bytes", (unsigned long long)address,
                    o->size);
    return interp_resolve(r, o, ir_space(o->x->arg_types[0]), address, o->size, write, lane);
}

static uint64_t element_address(struct run *r, const struct op *o, uint32_t lane, uint32_t k)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    if (ir_is_vector(o->x->arg_types[0]))
        return p[lane * o->elements + k];
    return p[lane] + (uint64_t)k * o->size;
}

static const struct op *masked_load(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = o->elements;
    const uint8_t *on = REG(r, uint8_t, o->b);
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < n; k++) {
            uint64_t bits = 0;
            if (on[i * n + k])
                memcpy(&bits, element(r, o, element_address(r, o, i, k), false, i), o->size);
            set_lane(r->regs + o->dst, o->size, i * n + k,
                     ir_kind(o->type) == IR_I1 ? bits & 1 : bits);
        }
    return o + 1;
}

static const struct op *masked_store(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = o->elements;
    const uint8_t *on = REG(r, uint8_t, o->c);
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < n; k++)
            if (on[i * n + k]) {
                const uint64_t bits = lane_bits(r->regs + o->b, o->size, i * n + k);
                memcpy(element(r, o, element_address(r, o, i, k), true, i), &bits, o->size);
            }
    r->changed = true;
    return o + 1;
}

static const struct op *masked_rmw(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask, n = o->elements;
    const uint8_t *on = REG(r, uint8_t, o->c);
    EACH_LANE (i, mask)
        for (uint32_t k = 0; k < n; k++) {
            uint64_t old = 0;
            if (on[i * n + k]) {
                char *at = element(r, o, element_address(r, o, i, k), true, i);
                memcpy(&old, at, o->size);
                const uint64_t new = ir_eval_rmw((enum ir_rmw)o->imm, ir_scalar(o->type), old,
                                                 lane_bits(r->regs + o->b, o->size, i * n + k));
                memcpy(at, &new, o->size);
                r->changed |= old != new;
            }
            set_lane(r->regs + o->dst, o->size, i * n + k, old);
        }
    return o + 1;
}

handler_fn *interp_vector_handler(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_splat: return splat;
    case IR_OP_iota: return iota;
    case IR_OP_extract:
    case IR_OP_extractv: return extract;
    case IR_OP_insert: return insert;
    case IR_OP_permute: return permute;
    case IR_OP_anylane:
    case IR_OP_alllanes:
    case IR_OP_maskbits: return ask_lanes;
    case IR_OP_reduce: return reduce;
    case IR_OP_mload:
    case IR_OP_gather: return masked_load;
    case IR_OP_mstore:
    case IR_OP_scatter: return masked_store;
    case IR_OP_mrmw: return masked_rmw;
    default: return NULL;
    }
}
