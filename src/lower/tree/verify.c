/* Verifies region trees, as ir/verify.c does functions: that jumps reach what is around them, that
 * nothing falls off the end, that each block is written once, that copies and tests fit. */
#include "lower/lower_int.h"

struct scope {
    const struct region *region;
    const struct scope *up;
};

struct verifier {
    const struct region_tree *tree;
    struct map written; /* blocks */
    struct map left;    /* constructs that a break leaves */
    bool single;        /* jumps leave one construct only */
    const char *fault;
};

static void fault(struct verifier *v, const char *what)
{
    if (!v->fault)
        v->fault = what;
}

static bool is_jump(const struct region *r)
{
    return r->kind >= REGION_BREAK;
}

static void jump(struct verifier *v, const struct region *r, const struct scope *in)
{
    const bool again = r->kind == REGION_CONTINUE;
    const struct scope *s = in, *nearest = in;
    while (s && s->region != r->target)
        s = s->up;
    while (again && nearest && nearest->region->kind != REGION_LOOP)
        nearest = nearest->up;
    if (!s)
        fault(v, "a jump names what is not around it");
    else if (again && s->region->kind != REGION_LOOP)
        fault(v, "a continue names what is no loop");
    else if (v->single && s != nearest)
        fault(v, "a jump leaves more than one statement");
    if (!again)
        map_set(&v->left, map_key(r->target), (void *)(uintptr_t)r->target);
}

static void copies(struct verifier *v, const struct region *r)
{
    const struct region_tree *t = v->tree;
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        const bool temp = !c->dst || !c->src;
        if (temp && c->temp >= t->ntemps) {
            fault(v, "a copy names a temporary that is not there");
            return;
        }
        const ir_type to = c->dst ? c->dst->type : t->temp_types[c->temp];
        const ir_type from = c->src ? c->src->type : t->temp_types[c->temp];
        if (to != from)
            fault(v, "a copy changes the type");
    }
}

static bool list(struct verifier *v, const struct region *l, const struct scope *in);

static bool arms(struct verifier *v, const struct region *r, const struct scope *in)
{
    bool falls = false;
    unsigned defaults = 0;
    for (uint32_t k = 0; k < r->narms; k++) {
        defaults += !r->arms[k].nvalues;
        falls |= list(v, r->arms[k].child, in);
    }
    if (!r->cond || defaults != 1)
        fault(v, "a switch has not one value and one default");
    return falls || map_has(&v->left, map_key(r));
}

/* Does it go on behind the region? */
static bool region(struct verifier *v, const struct region *r, const struct scope *in)
{
    const struct scope own = {r, in};
    bool falls;
    switch (r->kind) {
    case REGION_CODE:
        if (r->block->func != v->tree->func)
            fault(v, "a block is another function's");
        if (map_has(&v->written, map_key(r->block)))
            fault(v, "a block is written twice");
        map_set(&v->written, map_key(r->block), r->block);
        return true;
    case REGION_COPIES: copies(v, r); return true;
    case REGION_IF:
        if (!r->cond && r->temp >= v->tree->ntemps)
            fault(v, "a test names a temporary that is not there");
        falls = list(v, r->child, in);
        return list(v, r->other, in) || falls;
    case REGION_SWITCH: return arms(v, r, &own);
    case REGION_BLOCK:
        falls = list(v, r->child, &own);
        return falls || map_has(&v->left, map_key(r));
    case REGION_LOOP:
        if (list(v, r->child, &own))
            fault(v, "a loop's body falls through");
        return map_has(&v->left, map_key(r));
    case REGION_BREAK:
    case REGION_CONTINUE: jump(v, r, in); return false;
    default: return false;
    }
}

static bool list(struct verifier *v, const struct region *l, const struct scope *in)
{
    bool falls = true;
    for (const struct region *r = l; r && !v->fault; r = r->next) {
        falls = region(v, r, in);
        if (is_jump(r) && r->next)
            fault(v, "something stands behind a jump");
    }
    return falls;
}

const char *lower_tree_fault(const struct region_tree *t, bool single)
{
    struct verifier v = {.tree = t, .single = single};
    struct arena scratch;
    arena_init(&scratch, t->arena->mem);
    map_init(&v.written, &scratch);
    map_init(&v.left, &scratch);
    if (list(&v, t->body, NULL))
        fault(&v, "the function falls off its end");
    arena_free(&scratch);
    return v.fault;
}
