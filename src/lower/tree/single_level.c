/* Jumps that leave several constructs at once → hops.
 *
 * For languages whose break reaches the innermost loop or switch only. A far jump sets the flag
 * temporary to its own number and breaks from the innermost construct; after each construct on its
 * way a test passes it on, and the last hop clears the flag. A continue passes through switches
 * by itself, so only loops stand in its way. */
#include "lower/lower_int.h"

struct jump {
    enum region_kind kind;
    struct region *target;
    uint32_t number;
};

struct scope {
    struct scope *up;
    struct region *region;      /* BLOCK, LOOP or SWITCH */
    VEC(struct jump *) passing; /* far jumps that leave it */
};

struct single {
    struct region_tree *tree;
    uint32_t flag; /* temporary + 1; 0: none yet */
    VEC(struct jump *) jumps;
};

static struct region *make(struct single *s, enum region_kind kind, const struct region *like)
{
    struct region *r = arena_new(s->tree->arena, struct region);
    r->kind = kind;
    r->block = like->block;
    r->span = like->span;
    return r;
}

static struct region *set_flag(struct single *s, uint32_t number, const struct region *like)
{
    struct region *r = make(s, REGION_COPIES, like);
    r->copies = arena_new(s->tree->arena, struct region_copy);
    r->ncopies = 1;
    r->copies->src = ir_const(s->tree->func->module, IR_I32, number);
    r->copies->temp = s->flag - 1;
    return r;
}

static bool is_direct(const struct scope *in, enum region_kind kind, const struct region *target)
{
    if (kind == REGION_CONTINUE)
        while (in && in->region->kind != REGION_LOOP)
            in = in->up;
    return in && in->region == target;
}

static struct jump *jump_of(struct single *s, enum region_kind kind, struct region *target)
{
    for (size_t i = 0; i < s->jumps.len; i++)
        if (s->jumps.data[i]->kind == kind && s->jumps.data[i]->target == target)
            return s->jumps.data[i];
    struct jump *j = arena_new(s->tree->arena, struct jump);
    *j = (struct jump){kind, target, (uint32_t)s->jumps.len + 1};
    vec_push(s->tree->arena, &s->jumps, j);
    return j;
}

static void pass(struct single *s, struct scope *in, struct jump *j)
{
    for (size_t i = 0; i < in->passing.len; i++)
        if (in->passing.data[i] == j)
            return;
    vec_push(s->tree->arena, &in->passing, j);
}

/* The jump itself, or its first hop. Gives the regions in order. */
static struct region *hop(struct single *s, struct scope *in, struct jump *j, bool flagged,
                          const struct region *like)
{
    if (is_direct(in, j->kind, j->target)) {
        struct region *r = make(s, j->kind, like);
        r->target = j->target;
        if (!flagged)
            return r;
        struct region *clear = set_flag(s, 0, like);
        clear->next = r;
        return clear;
    }
    pass(s, in, j);
    struct region *r = make(s, REGION_BREAK, like);
    r->target = in->region;
    return r;
}

static void walk(struct single *s, struct region **list, struct scope *in);

static struct region **after_construct(struct single *s, struct region *r, struct scope *own)
{
    struct region **at = &r->next;
    for (size_t i = 0; i < own->passing.len; i++) {
        struct jump *j = own->passing.data[i];
        struct region *test = make(s, REGION_IF, r);
        test->temp = s->flag - 1;
        test->value = j->number;
        test->child = hop(s, own->up, j, true, r);
        test->next = *at;
        *at = test;
        at = &test->next;
    }
    return at;
}

static void walk(struct single *s, struct region **list, struct scope *in)
{
    for (struct region **at = list; *at;) {
        struct region *r = *at;
        struct scope own = {.up = in, .region = r};
        switch (r->kind) {
        case REGION_BREAK:
        case REGION_CONTINUE:
            if (!is_direct(in, r->kind, r->target)) {
                struct jump *j = jump_of(s, r->kind, r->target);
                if (!s->flag)
                    s->flag = lower_new_temp(s->tree, IR_I32) + 1;
                struct region *set = set_flag(s, j->number, r);
                set->next = hop(s, in, j, false, r);
                *at = set;
                return;
            }
            at = &r->next;
            break;
        case REGION_IF:
            walk(s, &r->child, in);
            walk(s, &r->other, in);
            at = &r->next;
            break;
        case REGION_BLOCK:
        case REGION_LOOP:
            walk(s, &r->child, &own);
            at = after_construct(s, r, &own);
            break;
        case REGION_SWITCH:
            for (uint32_t i = 0; i < r->narms; i++)
                walk(s, &r->arms[i].child, &own);
            at = after_construct(s, r, &own);
            break;
        default: at = &r->next; break;
        }
    }
}

/* A list that used to end in a jump out of everything can end in tests now; none of them can
 * fail, but the reader of the tree may rely on loops and functions not falling through. */
static void close_lists(struct single *s, struct region *list, struct region *loop)
{
    struct region *last = NULL;
    for (struct region *r = list; r; last = r, r = r->next) {
        close_lists(s, r->child, r->kind == REGION_LOOP ? r : NULL);
        if (r->kind == REGION_IF)
            close_lists(s, r->other, NULL);
        for (uint32_t i = 0; i < r->narms; i++)
            close_lists(s, r->arms[i].child, NULL);
    }
    if (loop && last && last->kind == REGION_IF && !last->cond)
        last->next = make(s, REGION_UNREACHABLE, last);
}

void lower_single_level(struct region_tree *t)
{
    struct single s = {.tree = t};
    walk(&s, &t->body, NULL);
    if (s.flag) {
        close_lists(&s, t->body, NULL);
        struct region *last = t->body;
        while (last->next)
            last = last->next;
        if (last->kind == REGION_IF && !last->cond)
            last->next = make(&s, REGION_UNREACHABLE, last);
    }
    lower_number(t);
}
