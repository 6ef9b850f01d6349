/* Loads and stores of neighbouring elements become one access of a vector.
 *
 * A group is up to four accesses of one block, of one type, at the same base plus constants, the
 * lowest of which is aligned for all of them together, with nothing between that could tell the
 * difference. Loads are made where the first stands, stores where the last does. Global and
 * constant memory only: shared and local memory are arrays of words. */
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

static bool mergeable(const struct ir_inst *i)
{
    if ((i->op != IR_OP_load && i->op != IR_OP_store) || i->data || i->flags & IR_VOLATILE ||
        ir_order(i->flags) || ir_is_vector(i->type) || ir_kind(i->type) == IR_I1 ||
        ir_kind(i->type) == IR_PTR)
        return false;
    enum ir_space s = ir_space(i->args[0]->type);
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
        if (mergeable(i) && same_kind(i, first) && strip(i->args[0], &offset) == base) {
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
            if (seen[low].i->align < size * width)
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
            if (mergeable(i))
                try_group(k, i);
}
