/* Takes the scaffolding out of a region tree.
 *
 * What the end of a list means is known while walking down: the end of a BLOCK is a break from it,
 * the end of a LOOP's body its next iteration, the end of a void function a return, and the end
 * of the last region of a list is the end of that list. A jump that says the same is dropped. */
#include "lower/lower_int.h"

/* What reaching the end of a list does; any of the chain. */
struct ending {
    const struct ending *also;
    enum region_kind kind; /* BREAK, CONTINUE, RETURN */
    struct region *target;
};

/* A BLOCK around one loop or switch is that loop or switch: `other` then says which. */
static struct region *resolve(struct region *r)
{
    while (r && r->kind == REGION_BLOCK && r->other)
        r = r->other;
    return r;
}

static bool ends_so(const struct region *r, const struct ending *e)
{
    if (r->kind == REGION_RETURN && r->cond)
        return false;
    for (; e; e = e->also)
        if (e->kind == r->kind && e->target == resolve(r->target))
            return true;
    return false;
}

static bool is_jump(enum region_kind k)
{
    return k >= REGION_BREAK;
}

static void uncount(struct region *jump)
{
    struct region *t = resolve(jump->target);
    if (!t)
        return;
    t->uses--;
    if (jump->kind == REGION_BREAK)
        t->breaks--;
}

static bool names(struct region *list, const struct region *target)
{
    for (struct region *r = list; r; r = r->next) {
        if (is_jump(r->kind)) {
            if (resolve(r->target) == target)
                return true;
            continue;
        }
        if (names(r->child, target))
            return true;
        if (r->kind == REGION_IF && names(r->other, target))
            return true;
        for (uint32_t i = 0; i < r->narms; i++)
            if (names(r->arms[i].child, target))
                return true;
    }
    return false;
}

static struct region **list_end(struct region **l)
{
    while (*l)
        l = &(*l)->next;
    return l;
}

static bool simplify_list(struct region_tree *t, struct region **list, const struct ending *end);

static bool is_one_jump(const struct region *l)
{
    return l && !l->next && is_jump(l->kind);
}

/* One arm jumps: the other need not be an arm. */
static void flatten(struct region *r, bool child_falls, bool other_falls)
{
    if (!r->child || !r->other)
        return;
    struct region **arm = NULL;
    if (!child_falls && !other_falls)
        arm = is_one_jump(r->other) && !is_one_jump(r->child) ? &r->child : &r->other;
    else if (!child_falls)
        arm = &r->other;
    else if (!other_falls)
        arm = &r->child;
    if (!arm)
        return;
    *list_end(arm) = r->next;
    r->next = *arm;
    *arm = NULL;
}

/* Whether control can come out of r's end; *at may be replaced by several regions. */
static bool simplify_block(struct region_tree *t, struct region **at, const struct ending *end)
{
    struct region *r = *at;
    struct ending own = {r->next ? NULL : end, REGION_BREAK, r};
    bool falls = simplify_list(t, &r->child, &own);
    if (!r->uses) { /* dissolve */
        struct region *next = r->next;
        *at = r->child;
        *list_end(at) = next;
        return falls;
    }
    /* what comes before the first break can stand outside */
    struct region *head = r->child, *first = r->child, *before = NULL;
    while (first->next) {
        struct region *rest = first->next;
        first->next = NULL;
        bool uses = names(first, r);
        first->next = rest;
        if (uses)
            break;
        before = first;
        first = rest;
    }
    if (before) {
        *at = head;
        before->next = r;
        r->child = first;
    }
    if (!first->next && (first->kind == REGION_LOOP || first->kind == REGION_SWITCH)) {
        r->other = first; /* fuse: breaks from the BLOCK are breaks from the loop */
        first->uses += r->uses;
        first->breaks += r->breaks;
        first->next = r->next;
        *(before ? &before->next : at) = first;
    }
    return true;
}

static bool simplify_region(struct region_tree *t, struct region **at, const struct ending *end)
{
    struct region *r = *at;
    const struct ending *last = r->next ? NULL : end;
    switch (r->kind) {
    case REGION_IF: {
        bool child = simplify_list(t, &r->child, last), other = simplify_list(t, &r->other, last);
        flatten(r, child, other);
        return child || other;
    }
    case REGION_SWITCH: {
        bool falls = false;
        struct ending own = {last, REGION_BREAK, r};
        for (uint32_t i = 0; i < r->narms; i++)
            falls |= simplify_list(t, &r->arms[i].child, &own);
        return falls || r->breaks;
    }
    case REGION_LOOP: {
        struct ending own = {NULL, REGION_CONTINUE, r};
        if (simplify_list(t, &r->child, &own)) {
            struct region *again = arena_new(t->arena, struct region);
            again->kind = REGION_CONTINUE;
            again->target = r;
            again->block = r->block;
            again->span = r->span;
            r->uses++;
            *list_end(&r->child) = again;
        }
        return r->breaks > 0;
    }
    case REGION_BLOCK: return simplify_block(t, at, end);
    case REGION_CODE:
    case REGION_COPIES: return true;
    default: return false;
    }
}

/* Whether control can come out of the list's end. */
static bool simplify_list(struct region_tree *t, struct region **list, const struct ending *end)
{
    bool falls = true;
    for (struct region **at = list; *at;) {
        struct region *r = *at;
        if (is_jump(r->kind)) {
            if (!ends_so(r, end))
                return false;
            uncount(r);
            *at = r->next;
            return true;
        }
        struct region *next = r->next;
        falls = simplify_region(t, at, end);
        if (r->kind == REGION_IF && r->next != next) {
            at = &r->next; /* an arm moved here: it is simplified, but may itself be followed */
            while (*at && *at != next)
                at = &(*at)->next;
        } else {
            while (*at != next)
                at = &(*at)->next;
        }
    }
    return falls;
}

static void count(struct region *list)
{
    for (struct region *r = list; r; r = r->next) {
        if (r->target) {
            r->target->uses++;
            if (r->kind == REGION_BREAK)
                r->target->breaks++;
        }
        count(r->child);
        if (r->kind == REGION_IF)
            count(r->other);
        for (uint32_t i = 0; i < r->narms; i++)
            count(r->arms[i].child);
    }
}

static void number(struct region_tree *t, struct region *list)
{
    for (struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_BLOCK || r->kind == REGION_LOOP || r->kind == REGION_SWITCH) {
            r->id = t->nregions++;
            r->uses = r->breaks = 0;
        }
        if (r->target)
            r->target = resolve(r->target);
        number(t, r->child);
        if (r->kind == REGION_IF)
            number(t, r->other);
        for (uint32_t i = 0; i < r->narms; i++)
            number(t, r->arms[i].child);
    }
}

void lower_number(struct region_tree *t)
{
    t->nregions = 0;
    number(t, t->body);
    count(t->body);
}

void lower_simplify_tree(struct region_tree *t)
{
    lower_number(t);
    struct ending end = {NULL, REGION_RETURN, NULL};
    if (simplify_list(t, &t->body, t->func->ret == IR_VOID ? &end : NULL)) {
        struct region *r = arena_new(t->arena, struct region);
        r->kind = REGION_RETURN;
        r->block = t->func->last;
        r->span = t->func->last->last->span;
        *list_end(&t->body) = r;
    }
    lower_number(t);
}
