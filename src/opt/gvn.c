/* Equal values once: a pure operation is replaced by an equal one that dominates it. Reverse post
 * order sees dominators first; arguments are replaced on the way, so chains fall together. */
#include <string.h>
#include "opt/opt_int.h"

struct entry {
    struct ir_inst *inst;
    struct entry *next;
};

static uint64_t hash_of(const struct ir_inst *i)
{
    uint64_t words[4] = {i->op, i->type, i->flags, i->imm};
    uint64_t h = hash_bytes(words, sizeof words, 0);
    uint64_t args = 0;
    bool commutes = ir_op_info[i->op].flags & IR_COMMUTES;
    for (uint32_t k = 0; k < i->nargs; k++) {
        uint64_t key = map_key(i->args[k]);
        uint64_t x = hash_bytes(&key, sizeof key, commutes && k < 2 ? 7 : k + 11);
        args += x; /* the same for both orders of the first two */
    }
    return h ^ args;
}

static bool same(const struct ir_inst *x, const struct ir_inst *y)
{
    if (x->op != y->op || x->type != y->type || x->flags != y->flags || x->imm != y->imm ||
        x->nargs != y->nargs || x->nresults != y->nresults)
        return false;
    uint32_t k = 0;
    if (ir_op_info[x->op].flags & IR_COMMUTES && x->nargs >= 2) {
        bool straight = x->args[0] == y->args[0] && x->args[1] == y->args[1];
        bool crossed = x->args[0] == y->args[1] && x->args[1] == y->args[0];
        if (!straight && !crossed)
            return false;
        k = 2;
    }
    for (; k < x->nargs; k++)
        if (x->args[k] != y->args[k])
            return false;
    for (k = 0; k < x->nresults; k++)
        if (x->results[k].type != y->results[k].type)
            return false;
    return true;
}

/* Equal operations in many blocks none of which dominates another make long lists: the last few are
 * looked at. */
enum { MOST_TRIED = 64 };

void opt_gvn(struct arena *scratch, struct ir_func *f)
{
    ir_remove_unreachable(f);
    ir_renumber(f);
    struct ir_block **order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
    ir_each_block (b, f)
        order[b->rpo] = b;
    struct map table;
    map_init(&table, scratch);
    for (uint32_t n = 0; n < f->nblocks; n++) {
        ir_each_inst (i, order[n]) {
            for (uint32_t k = 0; k < i->nargs; k++)
                i->args[k] = opt_resolve(i->args[k]);
            if (!opt_is_pure(i) || !i->nresults)
                continue;
            uint64_t h = hash_of(i);
            struct entry *first = map_get(&table, h), *e = first;
            unsigned tried = 0;
            while (e && tried++ < MOST_TRIED &&
                   !(same(e->inst, i) && ir_dominates(e->inst->block, i->block)))
                e = e->next;
            if (e && tried <= MOST_TRIED) {
                for (uint32_t k = 0; k < i->nresults; k++)
                    i->results[k].forward = &e->inst->results[k];
                ir_remove(i);
                continue;
            }
            struct entry *fresh = arena_new(scratch, struct entry);
            *fresh = (struct entry){i, first};
            map_set(&table, h, fresh);
        }
    }
    ir_replace_forwarded(f);
}
