/* Segments in which gangs write columns side by side.
 *
 *     tile[threadIdx.x][threadIdx.y] = a[y * n + x];
 *
 * The lanes of a gang write a column, one element a row; the next gang writes the next column.
 * Where all gangs of such a segment are written out, machine code puts what four of them have for a
 * row together, and stores that at once (back/cpu_columns.c).
 *
 * Whether it is so is tried with numbers: addresses of the first gangs, all that is not known taken
 * for zero. A wrong guess costs the size of code, nothing else. */
#include "lower/gang/gang_int.h"

enum { SIZE = 4, TOGETHER = 4, MOST_GANGS = 16, MOST_WRITTEN = 1600, MOST_DEPTH = 24 };

static uint64_t value_at(const struct ir_value *x, const uint32_t *tid, unsigned depth)
{
    if (ir_is_const(x))
        return x->u.bits;
    if (x->kind != IR_VALUE_RESULT || depth > MOST_DEPTH)
        return 0;
    const struct ir_inst *i = x->u.inst;
    const uint64_t mask = ir_bits(x->type) == 32 ? UINT32_MAX : UINT64_MAX;
    if (i->op == IR_OP_sreg)
        return i->imm == IR_SREG_TID_X ? tid[0] : i->imm == IR_SREG_TID_Y ? tid[1] : 0;
    if (!i->nargs || i->nargs > 2)
        return 0;
    const uint64_t a = value_at(i->args[0], tid, depth + 1),
                   b = i->nargs > 1 ? value_at(i->args[1], tid, depth + 1) : 0;
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_ptradd: return (a + b) & mask;
    case IR_OP_sub: return (a - b) & mask;
    case IR_OP_mul: return (a * b) & mask;
    case IR_OP_and: return a & b;
    case IR_OP_or: return a | b;
    case IR_OP_xor: return a ^ b;
    case IR_OP_shl: return b < 64 ? a << b & mask : 0;
    case IR_OP_lshr:
    case IR_OP_ashr: return b < 64 ? a >> b : 0; /* threads have no negative numbers */
    case IR_OP_udiv:
    case IR_OP_sdiv: return b ? a / b : 0;
    case IR_OP_urem:
    case IR_OP_srem: return b ? a % b : 0;
    case IR_OP_sext: return (uint64_t)(int64_t)(int32_t)a;
    case IR_OP_zext:
    case IR_OP_trunc:
    case IR_OP_cvta: return a & mask;
    default: return 0;
    }
}

/* The first thread of gang g. */
static void place(const struct vectorizer *v, uint32_t g, uint32_t tid[2])
{
    const uint32_t width = v->block[0], across = (width + v->lanes - 1) / v->lanes,
                   thread = g * v->lanes;
    tid[0] = v->linear ? thread % width : g % across * v->lanes;
    tid[1] = v->linear ? thread / width : g / across;
}

static bool is_column(struct vectorizer *v, const struct ir_inst *i)
{
    if (i->op != IR_OP_store || i->flags & IR_VOLATILE || ir_order(i->flags) ||
        ir_space(i->args[0]->type) != IR_SPACE_SHARED || ir_bytes(i->args[1]->type) != SIZE)
        return false;
    int64_t stride;
    const enum vclass c = v_class(v, i->args[0], map_get(&v->home, map_key(i->block)), &stride);
    if (c != V_AFFINE || (stride > -SIZE * TOGETHER && stride < SIZE * TOGETHER))
        return false;
    uint64_t at[TOGETHER];
    for (uint32_t g = 0; g < TOGETHER; g++) {
        uint32_t tid[2];
        place(v, g, tid);
        at[g] = value_at(i->args[0], tid, 0);
        if (g && at[g] - at[g - 1] != SIZE)
            return false;
    }
    return true;
}

bool v_writes_columns(struct vectorizer *v, const struct vnode *n, uint64_t gangs)
{
    uint64_t size = 0;
    bool some = false;
    if (!v->options->columns || gangs % TOGETHER || gangs > MOST_GANGS || v->pieces > 1 ||
        v->block[2] != 1 || (v->linear ? v->block[0] * v->block[1] : v->block[0]) % v->lanes)
        return false;
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        if (item->region->kind != REGION_CODE || item->first == item->end)
            return false;
        for (struct ir_inst *i = item->first; i != item->end; i = i->next, size++)
            some |= is_column(v, i);
    }
    return some && size * gangs <= MOST_WRITTEN;
}
