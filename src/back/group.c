/* Neighbouring accesses of a block become one: see group.h. */
#include "back/group.h"

#define MAX_OFFSET (INT64_C(1) << 23) /* what a load instruction can hold */

bool back_is_folded_add(const struct ir_inst *i)
{
    int64_t off =
        i->op == IR_OP_ptradd && ir_is_const(i->args[1]) ? (int64_t)i->args[1]->u.bits : MAX_OFFSET;
    return off < MAX_OFFSET && off > -MAX_OFFSET;
}

struct ir_value *back_base(struct ir_value *p, int64_t *offset)
{
    while (p->kind == IR_VALUE_RESULT && back_is_folded_add(p->u.inst)) {
        *offset += (int64_t)p->u.inst->args[1]->u.bits;
        p = p->u.inst->args[0];
    }
    return p;
}

/* ---- what addresses are multiples of ---- */
enum { VECTOR_BYTES = 16, ALIGN_DEPTH = 8 };

static uint32_t capped(uint64_t lowest_bit)
{
    return !lowest_bit || lowest_bit > VECTOR_BYTES ? VECTOR_BYTES : (uint32_t)lowest_bit;
}

/* A power of two that divides v; wrapping keeps it. */
static uint32_t divisor(const struct ir_value *v, unsigned depth)
{
    if (v->kind == IR_VALUE_CONST)
        return capped(v->u.bits & (0 - v->u.bits));
    if (v->kind != IR_VALUE_RESULT || !depth)
        return 1;
    const struct ir_inst *i = v->u.inst;
    const bool alone = i->op == IR_OP_sext || i->op == IR_OP_zext || i->op == IR_OP_trunc;
    const bool both = i->op == IR_OP_add || i->op == IR_OP_sub || i->op == IR_OP_and ||
                      i->op == IR_OP_mul || i->op == IR_OP_shl;
    if (!alone && !both)
        return 1;
    const uint32_t x = divisor(i->args[0], depth - 1);
    const uint32_t y = alone ? 1 : divisor(i->args[1], depth - 1);
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub: return x < y ? x : y;
    case IR_OP_and: return x > y ? x : y;
    case IR_OP_mul: return capped((uint64_t)x * y);
    case IR_OP_shl:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits < 8
                   ? capped((uint64_t)x << i->args[1]->u.bits)
               : ir_is_const(i->args[1]) ? VECTOR_BYTES
                                         : x;
    default: return x;
    }
}

static uint32_t alignment(const struct ir_value *p, unsigned depth)
{
    if (p->kind == IR_VALUE_GLOBAL)
        return capped(p->u.global->align);
    if (p->kind != IR_VALUE_RESULT || !depth)
        return 1;
    const struct ir_inst *i = p->u.inst;
    if (i->op == IR_OP_cvta)
        return alignment(i->args[0], depth - 1);
    if (i->op == IR_OP_alloca)
        return capped(i->align);
    if (i->op != IR_OP_ptradd)
        return 1;
    uint32_t x = alignment(i->args[0], depth - 1), y = divisor(i->args[1], ALIGN_DEPTH);
    return x < y ? x : y;
}

uint32_t back_alignment(const struct ir_value *p)
{
    return alignment(p, ALIGN_DEPTH);
}

static uint32_t known_align(const struct ir_inst *access)
{
    uint32_t seen = alignment(access->args[0], ALIGN_DEPTH);
    return seen > access->align ? seen : access->align;
}

/* ---- neighbours become vectors ---- */
static bool is_plain(const struct ir_inst *i)
{
    if (i->op != IR_OP_load && i->op != IR_OP_store)
        return false;
    if (i->flags & (IR_VOLATILE | IR_STEP) || ir_order(i->flags) > IR_ORDER_RELAXED || i->data)
        return false;
    return i->align >= ir_bytes(i->type) && ir_space(i->args[0]->type) != IR_SPACE_PARAM;
}

/* Instructions that may stand between the members of a group. */
static bool harmless(const struct ir_inst *i, bool stores)
{
    uint16_t f = ir_op_info[i->op].flags;
    if (f & IR_PURE)
        return true;
    return !stores && i->op == IR_OP_load && !(i->flags & (IR_VOLATILE | IR_STEP)) &&
           ir_order(i->flags) == IR_ORDER_NONE;
}

static void try_group(struct arena *a, struct ir_inst *first, back_eligible_fn *eligible)
{
    struct {
        struct ir_inst *i;
        int64_t offset;
    } seen[16];
    unsigned nseen = 0;
    bool stores = first->op == IR_OP_store;
    int64_t origin = 0;
    struct ir_value *base = back_base(first->args[0], &origin);
    ir_type type = first->type;
    int64_t size = ir_bytes(type);
    for (struct ir_inst *i = first; i && nseen < 16; i = i->next) {
        if (i->op == first->op && (is_plain(i) && eligible(i)) && i->type == type &&
            ((i->flags ^ first->flags) & (IR_INVARIANT | IR_ORDERED(7, 3))) == 0) {
            int64_t off = 0;
            if (back_base(i->args[0], &off) == base) {
                bool twice = false;
                for (unsigned k = 0; k < nseen; k++)
                    twice |= seen[k].offset < off + size && off < seen[k].offset + size;
                if (!twice) {
                    seen[nseen].i = i;
                    seen[nseen++].offset = off;
                    continue;
                }
                if (stores || ir_order(i->flags))
                    break; /* order of the two matters */
                continue;
            }
        }
        if (!harmless(i, stores))
            break;
    }
    /* the widest run that `first` takes part in */
    for (unsigned n = 4; n >= 2; n /= 2) {
        int64_t bytes = size * n;
        if (bytes > 16 || bytes < 4)
            continue;
        for (unsigned low = 0; low < nseen; low++) {
            if (known_align(seen[low].i) < bytes)
                continue;
            struct back_group *g = arena_new(a, struct back_group);
            bool has_first = false;
            for (unsigned want = 0; want < n; want++)
                for (unsigned k = 0; k < nseen; k++)
                    if (seen[k].offset == seen[low].offset + size * want && g->n == want) {
                        g->at[g->n++] = seen[k].i;
                        has_first |= seen[k].i == first;
                    }
            /* three of four: the fourth is read, not used. Its type says that it is there. */
            const bool padded = n == 4 && g->n == 3 && !stores && seen[low].i->align >= bytes;
            if ((g->n != n && !padded) || !has_first)
                continue;
            g->vector = n;
            g->emit_at = first;
            if (stores) /* the last in program order */
                for (struct ir_inst *i = first; i; i = i->next)
                    for (unsigned k = 0; k < g->n; k++)
                        if (g->at[k] == i)
                            g->emit_at = i;
            for (unsigned k = 0; k < g->n; k++)
                g->at[k]->data = g;
            return;
        }
    }
}

void back_group_accesses(struct arena *a, struct ir_block *b, back_eligible_fn *eligible)
{
    ir_each_inst (i, b)
        if (is_plain(i) && eligible(i))
            try_group(a, i, eligible);
}

/* Programs read arrays of float2 as float4: elsewhere these are registers, or aligned so. */
void back_align_arrays(struct ir_module *m)
{
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && g->size >= VECTOR_BYTES && g->align < VECTOR_BYTES)
            g->align = VECTOR_BYTES;
    ir_each_func (f, m)
        for (struct ir_inst *i = f->first ? f->first->first : NULL; i; i = i->next)
            if (i->op == IR_OP_alloca && i->imm >= VECTOR_BYTES && i->align < VECTOR_BYTES)
                i->align = VECTOR_BYTES;
}
