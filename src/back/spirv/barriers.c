/* Which barriers must order global memory.
 *
 * CUDA's order all memory of the block. SPIR-V's order what their semantics name, and global memory
 * costs a fence. Most barriers guard shared memory only: one that no write to global memory comes
 * before, or no access after, on any path, has nothing to order there, but for reads before that
 * later writes must not overtake, which some devices' barriers see to by themselves. */
#include "back/spirv/spirv_int.h"

enum { WROTE = 1, READ = 2 }; /* what may have been done before; or may be done after */

static uint32_t does(const struct ir_inst *i)
{
    const uint32_t flags = ir_op_info[i->op].flags;
    switch (i->op) {
    case IR_OP_barrier:
    case IR_OP_barrier_red:
    case IR_OP_warpsync:
    case IR_OP_fence: return 0;
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_rmw:
    case IR_OP_cas: {
        const enum ir_space s = ir_space(i->args[0]->type);
        if (s == IR_SPACE_SHARED || s == IR_SPACE_LOCAL || s == IR_SPACE_CONST ||
            s == IR_SPACE_PARAM || (i->op == IR_OP_load && i->flags & IR_INVARIANT))
            return 0;
        break;
    }
    default: break;
    }
    return (flags & IR_WRITES ? WROTE : 0) | (flags & IR_READS ? READ : 0);
}

static bool is_barrier(const struct ir_inst *i)
{
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_warpsync;
}

/* Bits of blocks are joined along edges until nothing changes: down the function for what comes
 * before, up for what comes after, so that straight code takes one round. */
static void spread(struct ir_func *f, uint8_t *before, uint8_t *after, const uint8_t *in)
{
    for (bool changed = true; changed;) {
        changed = false;
        ir_each_block (b, f) {
            const struct ir_inst *t = ir_terminator(b);
            for (uint32_t e = 0; t && e < t->nedges; e++) {
                uint8_t *to = &before[t->edges[e].to->id], was = *to;
                *to |= before[b->id] | in[b->id];
                changed |= *to != was;
            }
        }
        for (struct ir_block *b = f->last; b; b = b->prev) {
            const struct ir_inst *t = ir_terminator(b);
            const uint8_t was = after[b->id];
            for (uint32_t e = 0; t && e < t->nedges; e++)
                after[b->id] |= after[t->edges[e].to->id] | in[t->edges[e].to->id];
            changed |= after[b->id] != was;
        }
    }
}

void spv_find_barriers(struct spv_kernel *k)
{
    struct ir_func *f = k->func;
    const bool reads_stay = k->s->features->barrier_reads;
    ir_renumber(f);
    uint8_t *in = arena_array(k->s->arena, uint8_t, f->nblocks + 1),
            *before = arena_array(k->s->arena, uint8_t, f->nblocks + 1),
            *after = arena_array(k->s->arena, uint8_t, f->nblocks + 1);
    map_init(&k->near_barriers, k->s->arena);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            in[b->id] |= (uint8_t)does(i);
    spread(f, before, after, in);
    ir_each_block (b, f) {
        uint32_t was = before[b->id];
        ir_each_inst (i, b) {
            was |= does(i);
            if (!is_barrier(i))
                continue;
            uint32_t then = after[b->id];
            for (const struct ir_inst *n = i->next; n; n = n->next)
                then |= does(n);
            const bool far = (was & WROTE && then) || (was & READ && then & WROTE && !reads_stay);
            if (!far)
                map_set(&k->near_barriers, map_key(i), i);
        }
    }
}
