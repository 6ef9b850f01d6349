/* May the barriers of a function stand where its tree has them?
 *
 * WGSL wants proof that all threads of a workgroup reach a barrier together. This follows the
 * rules of its uniformity analysis on the region tree, a little more strictly: a variable is
 * uniform only if every assignment to it is, and is made in uniform control flow. What this
 * accepts, shader compilers accept; what it does not is given a park (lower/park.c) instead. */
#include <string.h>
#include "back/wgsl/wgsl_int.h"

struct uniform {
    bool *varies;      /* by value id */
    bool *temp_varies; /* by temporary */
    bool changed, bad;
};

static bool varies(const struct uniform *u, const struct ir_value *v)
{
    return (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) && u->varies[v->id];
}

static void mark(struct uniform *u, bool *flag)
{
    if (!*flag)
        u->changed = true;
    *flag = true;
}

static bool inst_varies(const struct uniform *u, const struct ir_inst *i)
{
    if (i->op == IR_OP_sreg)
        return ir_sreg_info[i->imm].uniformity > IR_UNIFORM_BLOCK;
    if (i->op == IR_OP_alloca)
        return false;
    if (!(ir_op_info[i->op].flags & IR_PURE) &&
        !(i->op == IR_OP_load && ir_space(i->args[0]->type) == IR_SPACE_PARAM))
        return true;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (varies(u, i->args[k]))
            return true;
    return false;
}

/* Kinds of jumps that some threads made without others. A break is over after the construct it
 * leaves, a continue after the loop, a return never. The tree has single-level jumps. */
enum jumps { BREAKS = 1, CONTINUES = 2, RETURNS = 4 };

static unsigned walk(struct uniform *u, const struct region *list, bool uniform);

static void code(struct uniform *u, const struct ir_block *b, bool uniform)
{
    for (struct ir_inst *i = b->first; i != b->last; i = i->next) {
        if (i->op == IR_OP_barrier && !uniform)
            u->bad = true;
        if (inst_varies(u, i))
            for (uint32_t k = 0; k < i->nresults; k++)
                mark(u, &u->varies[i->results[k].id]);
    }
}

static void copies(struct uniform *u, const struct region *r, bool uniform)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        if (!uniform || (c->src ? varies(u, c->src) : u->temp_varies[c->temp]))
            mark(u, c->dst ? &u->varies[c->dst->id] : &u->temp_varies[c->temp]);
    }
}

static unsigned construct(struct uniform *u, const struct region *r, bool uniform)
{
    if (r->kind == REGION_BLOCK)
        return walk(u, r->child, uniform) & ~(unsigned)BREAKS;
    if (r->kind == REGION_LOOP) {
        unsigned out = walk(u, r->child, uniform);
        if (out) /* iterations are not made together */
            out |= walk(u, r->child, false);
        return out & RETURNS;
    }
    bool inside = uniform && !(r->cond ? varies(u, r->cond) : u->temp_varies[r->temp]);
    if (r->kind == REGION_IF)
        return walk(u, r->child, inside) | walk(u, r->other, inside);
    unsigned out = 0;
    for (uint32_t k = 0; k < r->narms; k++)
        out |= walk(u, r->arms[k].child, inside);
    return out & ~(unsigned)BREAKS;
}

static unsigned walk(struct uniform *u, const struct region *list, bool uniform)
{
    unsigned out = 0;
    for (const struct region *r = list; r; r = r->next)
        switch (r->kind) {
        case REGION_CODE: code(u, r->block, uniform && !out); break;
        case REGION_COPIES: copies(u, r, uniform && !out); break;
        case REGION_IF:
        case REGION_SWITCH:
        case REGION_BLOCK:
        case REGION_LOOP: out |= construct(u, r, uniform && !out); break;
        default:
            if (!uniform)
                out |= r->kind == REGION_BREAK      ? BREAKS
                       : r->kind == REGION_CONTINUE ? CONTINUES
                                                    : RETURNS;
            break;
        }
    return out;
}

bool wgsl_barriers_are_uniform(struct wgsl *w, struct region_tree *t)
{
    struct uniform u = {0};
    u.varies = arena_array(w->arena, bool, t->func->nvalues + 1);
    u.temp_varies = arena_array(w->arena, bool, t->ntemps + 1);
    do {
        u.changed = false;
        walk(&u, t->body, true);
    } while (u.changed && !u.bad);
    return !u.bad;
}
