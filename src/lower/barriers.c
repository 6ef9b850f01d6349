/* Do all threads of a block reach each of its barriers together?
 *
 * Vulkan gives barriers no other meaning. A variable is uniform if every assignment to it is, and
 * is made in uniform control flow; what threads load from one place is the same for all of them, or
 * the program has a race. Threads that reach barriers apart are given a park (park.c). */
#include "lower/lower_int.h"

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

/* A load that gives all threads that load from one place the same. */
static bool is_steady(const struct ir_inst *i)
{
    if (i->op != IR_OP_load)
        return false;
    const int space = ir_space(i->args[0]->type);
    return space != IR_SPACE_LOCAL && space != IR_SPACE_GENERIC && !(i->flags & IR_VOLATILE) &&
           !ir_order(i->flags);
}

static bool inst_varies(const struct uniform *u, const struct ir_inst *i)
{
    if (i->op == IR_OP_sreg)
        return ir_sreg_info[i->imm].uniformity > IR_UNIFORM_BLOCK;
    if (i->op == IR_OP_alloca || i->op == IR_OP_barrier_red)
        return false;
    if (!(ir_op_info[i->op].flags & IR_PURE) && !is_steady(i))
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
        if ((i->op == IR_OP_barrier || i->op == IR_OP_barrier_red) && !uniform)
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

bool lower_barriers_are_uniform(struct arena *a, struct region_tree *t)
{
    struct uniform u = {0};
    u.varies = arena_array(a, bool, t->func->nvalues + 1);
    u.temp_varies = arena_array(a, bool, t->ntemps + 1);
    do {
        u.changed = false;
        walk(&u, t->body, true);
    } while (u.changed && !u.bad);
    return !u.bad;
}
