/* Loads and stores of neighbouring elements become one access of a vector.
 *
 * A group is up to four accesses of one block, of one type, at the same base plus constants, the
 * lowest of which is aligned for all of them together, with nothing between that could tell the
 * difference. Loads are made where the first stands, stores where the last does. Not of types that
 * the device lacks, not in local memory, which is an array of words, and in shared memory only
 * where it can be more than that. */
#include "back/spirv/spirv_int.h"

enum { WINDOW = 16, VECTOR_BYTES = 16 };

static struct ir_value *strip(struct ir_value *p, int64_t *offset)
{
    while (p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_ptradd &&
           ir_is_const(p->u.inst->args[1])) {
        *offset += (int64_t)p->u.inst->args[1]->u.bits;
        p = p->u.inst->args[0];
    }
    return p;
}

static bool mergeable(const struct spv_kernel *k, const struct ir_inst *i)
{
    if ((i->op != IR_OP_load && i->op != IR_OP_store) || i->data || i->flags & IR_VOLATILE ||
        ir_order(i->flags) || ir_is_vector(i->type) || ir_kind(i->type) == IR_I1 ||
        ir_kind(i->type) == IR_PTR || spv_in_word(k->s, i->type) || spv_is_pair(k->s, i->type))
        return false;
    enum ir_space s = ir_space(i->args[0]->type);
    if (s == IR_SPACE_SHARED)
        return k->s->features->shared_layout && ir_bytes(i->type) >= 4;
    return s == IR_SPACE_GLOBAL || s == IR_SPACE_CONST || s == IR_SPACE_PARAM;
}

static bool in_the_way(const struct ir_inst *i, bool stores)
{
    uint32_t flags = ir_op_info[i->op].flags;
    return flags & (IR_WRITES | IR_EFFECT | IR_CONVERGENT | IR_TERMINATOR) ||
           (stores && flags & IR_READS);
}

static bool same_kind(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->op == b->op && a->type == b->type &&
           ir_space(a->args[0]->type) == ir_space(b->args[0]->type);
}

/* A power of two that divides the value, at most that of a whole vector. */
static uint32_t known_align(const struct ir_value *v, unsigned depth)
{
    if (v->kind == IR_VALUE_CONST) {
        uint64_t low = v->u.bits & -v->u.bits;
        return !low || low > VECTOR_BYTES ? VECTOR_BYTES : (uint32_t)low;
    }
    if (v->kind == IR_VALUE_GLOBAL) {
        uint32_t align = spirv_global_align(v->u.global);
        return align < VECTOR_BYTES ? align : VECTOR_BYTES;
    }
    if (v->kind != IR_VALUE_RESULT || !depth)
        return 1;
    const struct ir_inst *i = v->u.inst;
    uint32_t a = 1, b = 1;
    if (i->nargs > 0)
        a = known_align(i->args[0], depth - 1);
    if (i->nargs > 1)
        b = known_align(i->args[1], depth - 1);
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_ptradd: return a < b ? a : b;
    case IR_OP_mul: return a * b < VECTOR_BYTES ? a * b : VECTOR_BYTES;
    case IR_OP_sext:
    case IR_OP_zext: return a;
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]))
            return 1;
        return i->args[1]->u.bits < 4 && a << i->args[1]->u.bits < VECTOR_BYTES
                   ? a << i->args[1]->u.bits
                   : VECTOR_BYTES;
    default: return 1;
    }
}

static bool is_aligned(const struct ir_inst *i, const struct ir_value *base, int64_t offset,
                       int64_t to)
{
    enum { DEPTH = 6 };
    return i->align >= to || (offset % to == 0 && known_align(base, DEPTH) >= to);
}

static void try_group(struct spv_kernel *k, struct ir_inst *first)
{
    struct {
        struct ir_inst *i;
        int64_t offset;
    } seen[WINDOW];
    unsigned n = 0;
    bool stores = first->op == IR_OP_store;
    int64_t size = ir_bytes(first->type), at = 0;
    struct ir_value *base = strip(first->args[0], &at);
    for (struct ir_inst *i = first; i && n < WINDOW; i = i->next) {
        int64_t offset = 0;
        if (mergeable(k, i) && same_kind(i, first) && strip(i->args[0], &offset) == base) {
            bool again = false;
            for (unsigned m = 0; m < n; m++)
                again |= seen[m].offset < offset + size && offset < seen[m].offset + size;
            if (!again) {
                seen[n].i = i;
                seen[n++].offset = offset;
                continue;
            }
        }
        if (in_the_way(i, stores))
            break;
    }
    for (unsigned width = 4; width >= 2; width /= 2)
        for (unsigned low = 0; low < n && size * width <= VECTOR_BYTES; low++) {
            struct spv_group g = {.offset = seen[low].offset, .base = base};
            bool has_first = false;
            if (!is_aligned(seen[low].i, base, seen[low].offset, size * width))
                continue;
            for (unsigned want = 0; want < width; want++)
                for (unsigned m = 0; m < n && g.n == want; m++)
                    if (seen[m].offset == seen[low].offset + size * want) {
                        g.at[g.n++] = seen[m].i;
                        has_first |= seen[m].i == first;
                    }
            if (g.n != width || !has_first)
                continue;
            struct spv_group *made = arena_new(k->s->arena, struct spv_group);
            *made = g;
            made->emit_at = first;
            for (struct ir_inst *i = first; stores && i; i = i->next)
                for (unsigned m = 0; m < width; m++)
                    if (g.at[m] == i)
                        made->emit_at = i;
            for (unsigned m = 0; m < width; m++)
                g.at[m]->data = made;
            return;
        }
}

void spv_find_neighbours(struct spv_kernel *k)
{
    ir_each_block (b, k->func)
        for (struct ir_inst *i = b->first; i; i = i->next)
            i->data = NULL;
    ir_each_block (b, k->func)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (mergeable(k, i))
                try_group(k, i);
}
