/* Where barriers cut the body of a kernel.
 *
 * A block runs as a list of nodes. A segment is a stretch without barriers: it runs for one gang
 * after the other. Constructs with a barrier inside, and those with a jump to such a construct,
 * run once for the block, so their conditions must be the same for all its threads. Copies to what
 * is the same for the block are done once, between segments. */
#include "lower/gang/gang_int.h"

static void refuse(struct vectorizer *v, const char *why)
{
    if (!v->why)
        v->why = why;
}

/* ---- what runs once for the block ---- */
static bool spread(struct vectorizer *v, struct region *list)
{
    bool changed = false;
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = v_info(v, r);
        if (i->barrier && r->kind != REGION_CODE && !i->block_level)
            changed = i->block_level = true;
        if ((r->kind == REGION_BREAK || r->kind == REGION_CONTINUE) &&
            v_info(v, r->target)->block_level)
            for (struct vregion *u = i->up; u && u->region != r->target; u = u->up)
                if (!u->block_level)
                    changed = u->block_level = true;
        changed |= spread(v, r->child);
        changed |= spread(v, r->other);
    }
    return changed;
}

static void check(struct vectorizer *v, struct region *list)
{
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = v_info(v, r);
        int64_t stride;
        if (i->block_level && r->kind == REGION_IF && v_class(v, r->cond, i, &stride) != V_BLOCK)
            refuse(v, "a barrier under a condition that may differ between threads");
        if (i->block_level && i->masked)
            refuse(v, "a barrier in a loop that threads may leave at different times");
        check(v, r->child);
        check(v, r->other);
    }
}

/* ---- leaving early ---- */
static struct region **tail(struct region **list)
{
    while (*list && (*list)->next)
        list = &(*list)->next;
    return list;
}

static bool ends(const struct region *r)
{
    return r && r->kind >= REGION_BREAK;
}

/* Does the kernel end here, but for joins of threads? */
static bool is_end(const struct region *r)
{
    for (; r && r->kind == REGION_CODE; r = r->next)
        for (struct ir_inst *i = r->block->first; !(ir_op_info[i->op].flags & IR_TERMINATOR);
             i = i->next)
            if (i->op != IR_OP_join)
                return false;
    return !r || r->kind == REGION_RETURN;
}

static bool waits(struct vectorizer *v, const struct region *list)
{
    for (; list; list = list->next)
        if (v_info(v, list)->barrier)
            return true;
    return false;
}

/* `if (i < n) { … barrier … }` with nothing after it: threads without an element leave, and the
 * others' barriers are for all that are left. A tree says `if (i >= n) return;` in the same way. */
bool v_leave_early(struct vectorizer *v)
{
    bool changed = false;
    int64_t stride;
    for (struct region *r = v->tree->body; r; r = r->next) {
        if (r->kind != REGION_IF || !r->cond || !is_end(r->next) ||
            v_class(v, r->cond, v_info(v, r), &stride) == V_BLOCK)
            continue;
        bool child = waits(v, r->child), other = waits(v, r->other);
        if (child == other)
            continue;
        struct region **kept = child ? &r->child : &r->other, *rest = *kept;
        struct region **go = tail(child ? &r->other : &r->child);
        if (!ends(*go)) {
            struct region *leave = arena_new(v->arena, struct region);
            leave->kind = REGION_RETURN;
            leave->block = r->block;
            leave->span = r->span;
            *(*go ? &(*go)->next : go) = leave;
        }
        struct region **last = tail(&rest);
        if (!ends(*last))
            (*last)->next = r->next;
        *kept = NULL;
        r->next = rest;
        changed = true;
    }
    return changed;
}

/* ---- nodes ---- */
struct cutter {
    struct vectorizer *v;
    struct vnode **end;    /* where the next node goes */
    struct vnode *segment; /* open, or NULL */
    struct vnode *before;  /* the one before it in the same list, with only a barrier between */
    uint32_t nsegs;
};

static struct vnode *append(struct cutter *c, int kind, struct region *r)
{
    struct vnode *n = arena_new(c->v->arena, struct vnode);
    n->kind = kind;
    n->region = r;
    *c->end = n;
    c->end = &n->next;
    c->segment = c->before = NULL;
    return n;
}

static void add_item(struct cutter *c, struct vitem item)
{
    if (!c->segment) {
        struct vnode *before = c->before;
        struct vnode *n = append(c, NODE_SEGMENT, NULL);
        n->seg = ++c->nsegs;
        c->segment = n;
        c->before = before;
    }
    vec_push(c->v->arena, &c->segment->items, item);
}

static bool is_barrier(const struct ir_inst *i)
{
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red;
}

static void code(struct cutter *c, struct region *r)
{
    struct ir_inst *from = r->block->first;
    for (struct ir_inst *i = from; i; i = i->next) {
        bool ends = ir_op_info[i->op].flags & IR_TERMINATOR;
        if (!ends && !is_barrier(i))
            continue;
        if (from != i)
            add_item(c, (struct vitem){.region = r, .first = from, .end = i});
        if (ends)
            return;
        if (!ir_is_const(i->args[0]) || !ir_is_const(i->args[1]) || i->args[0]->u.bits ||
            i->args[1]->u.bits)
            refuse(c->v, "a barrier for part of the block");
        if (i->op == IR_OP_barrier_red) /* in two halves: before and after all have voted */
            add_item(c, (struct vitem){.region = r, .first = i, .end = i});
        c->before = i->op == IR_OP_barrier ? c->segment : NULL;
        c->segment = NULL;
        from = i->next;
    }
}

/* Copies to what is the same for the block are done once for it if all of them, and the place they
 * lead to, run once for the block. */
static bool at_block_level(struct vregion *r)
{
    for (r = r->up; r; r = r->up)
        if (!r->block_level)
            return false;
    return true;
}

static void find_gang_copies(struct vectorizer *v, struct region *list)
{
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = v_info(v, r);
        for (uint32_t k = 0; k < r->ncopies; k++) {
            struct ir_value *to = r->copies[k].dst;
            struct vregion *home = to ? map_get(&v->home, map_key(to->u.block)) : NULL;
            if (to && (!at_block_level(i) || !home || !at_block_level(home)))
                v->value[to->id].by_gang = true;
        }
        find_gang_copies(v, r->child);
        find_gang_copies(v, r->other);
    }
}

static bool for_block(struct vectorizer *v, const struct region *r, const struct region_copy *c)
{
    if (c->dst)
        return v->value[c->dst->id].class == V_BLOCK && !v->value[c->dst->id].by_gang;
    for (uint32_t k = 0; k < r->ncopies; k++) /* a temporary goes where it is needed */
        if (!r->copies[k].src && r->copies[k].temp == c->temp)
            return v->temp[c->temp].class == V_BLOCK && for_block(v, r, &r->copies[k]);
    return false;
}

/* Copies at the end of a loop that a segment would be opened for, or that stand in one beside what
 * runs once for the block, are as well made before the barrier, where what they copy is at hand. */
static struct vnode *early(struct cutter *c, const struct region *r, uint32_t from, uint32_t n)
{
    if (!c->before || !r->next || r->next->kind != REGION_CONTINUE)
        return NULL;
    for (uint32_t m = from; m < from + n; m++) /* those of the block would go from gang to gang */
        if (!r->copies[m].dst || c->v->value[r->copies[m].dst->id].class == V_BLOCK)
            return NULL;
    for (size_t k = 0; c->segment && k < c->segment->items.len; k++) {
        const struct vitem *item = &c->segment->items.data[k];
        if (item->region->kind != REGION_CODE || item->first == item->end)
            return NULL;
        for (struct ir_inst *i = item->first; i != item->end; i = i->next) {
            if (i->op == IR_OP_split || i->op == IR_OP_join)
                continue;
            if (!(ir_op_info[i->op].flags & IR_PURE) || i->nresults != 1 ||
                c->v->value[i->results[0].id].class != V_BLOCK)
                return NULL;
            for (uint32_t m = from; m < from + n; m++)
                if (r->copies[m].src == &i->results[0])
                    return NULL;
        }
    }
    return c->before;
}

static void copies(struct cutter *c, struct region *r)
{
    for (uint32_t k = 0, n; k < r->ncopies; k += n) {
        bool block = for_block(c->v, r, &r->copies[k]);
        for (n = 1; k + n < r->ncopies && for_block(c->v, r, &r->copies[k + n]) == block; n++)
            ;
        struct vnode *before = block ? NULL : early(c, r, k, n);
        if (before) {
            vec_push(c->v->arena, &before->items,
                     ((struct vitem){.region = r, .copy = k, .ncopies = n}));
        } else if (!block) {
            add_item(c, (struct vitem){.region = r, .copy = k, .ncopies = n});
        } else {
            struct vnode *node = append(c, NODE_COPIES, r);
            node->copy = k, node->ncopies = n;
        }
    }
}

static struct vnode *cut(struct cutter *c, struct region *list)
{
    struct vnode *first = NULL, **outer = c->end;
    c->end = &first;
    c->segment = c->before = NULL;
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = v_info(c->v, r);
        if (r->kind == REGION_CODE) {
            code(c, r);
        } else if (r->kind == REGION_COPIES) {
            copies(c, r);
        } else if (i->block_level) {
            struct vnode *n = append(c, NODE_REGION, r);
            struct vnode **end = c->end;
            n->child = cut(c, r->child);
            n->other = cut(c, r->other);
            c->end = end;
            c->segment = c->before = NULL;
        } else if (r->kind == REGION_BREAK || r->kind == REGION_CONTINUE) {
            append(c, NODE_JUMP, r);
        } else {
            add_item(c, (struct vitem){.region = r});
        }
    }
    c->end = outer;
    c->segment = c->before = NULL;
    return first;
}

/* ---- who lives where ---- */
static void set_segment(struct vectorizer *v, struct vitem *item, uint32_t seg);

static void list_segment(struct vectorizer *v, struct region *list, uint32_t seg)
{
    for (struct region *r = list; r; r = r->next) {
        struct vitem item = {.region = r, .copy = 0, .ncopies = r->ncopies};
        if (r->kind == REGION_CODE)
            item.first = r->block->first, item.end = ir_terminator(r->block);
        set_segment(v, &item, seg);
    }
}

static void mention(struct vectorizer *v, struct ir_value *x, uint32_t seg)
{
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return;
    struct vinfo *i = &v->value[x->id];
    if (i->seg != seg && i->seg != UINT32_MAX)
        i->multi = true;
    if (i->seg == UINT32_MAX)
        i->seg = seg;
}

static void set_segment(struct vectorizer *v, struct vitem *item, uint32_t seg)
{
    struct region *r = item->region;
    if (r->kind == REGION_CODE) {
        for (struct ir_inst *i = item->first; i != item->end; i = i->next) {
            for (uint32_t k = 0; k < i->nargs; k++)
                mention(v, i->args[k], seg);
            for (uint32_t k = 0; k < i->nresults; k++)
                mention(v, &i->results[k], seg);
        }
        if (item->first == item->end && is_barrier(item->first))
            mention(v, item->first->args[2], seg);
    } else if (r->kind == REGION_COPIES) {
        for (uint32_t k = item->copy; k < item->copy + item->ncopies; k++) {
            if (r->copies[k].src)
                mention(v, r->copies[k].src, seg);
            if (r->copies[k].dst)
                mention(v, r->copies[k].dst, seg);
            struct vinfo *t = &v->temp[r->copies[k].temp];
            if (!r->copies[k].src || !r->copies[k].dst) {
                if (t->seg != UINT32_MAX && t->seg != seg)
                    t->multi = true;
                t->seg = seg;
            }
        }
    } else {
        if (r->cond)
            mention(v, r->cond, seg);
        list_segment(v, r->child, seg);
        list_segment(v, r->other, seg);
    }
}

/* Values that are the same for the block and need nothing from inside the segment: pure ones, and
 * what is loaded before anything is stored. So the sum that all threads read after a barrier is
 * read before the first of them writes the next one to its place: programs often leave out the
 * barrier between, and warps are seldom far enough apart to show it. */
static void hoist(struct vectorizer *v, struct vnode *n)
{
    bool stored = false;
    for (size_t k = 0; k < n->items.len; k++) {
        struct vitem *item = &n->items.data[k];
        stored |= item->region->kind != REGION_CODE && item->region->kind != REGION_COPIES;
        if (item->region->kind != REGION_CODE)
            continue;
        for (struct ir_inst *i = item->first; i != item->end; i = i->next) {
            const unsigned flags = ir_op_info[i->op].flags;
            stored |= (flags & IR_WRITES) != 0;
            if (i->nresults != 1 || !(flags & IR_PURE || (i->op == IR_OP_load && !stored)) ||
                v->value[i->results[0].id].class != V_BLOCK)
                continue;
            bool ready = true;
            for (uint32_t a = 0; a < i->nargs; a++) {
                struct ir_value *x = i->args[a];
                if (x->kind == IR_VALUE_RESULT) {
                    const struct vinfo *from = &v->value[x->id];
                    ready &= from->class == V_BLOCK && (from->hoisted || from->seg != n->seg);
                } else if (x->kind == IR_VALUE_PARAM && x->u.block != v->from->first) {
                    const struct vinfo *from = &v->value[x->id];
                    ready &= from->class == V_BLOCK && from->seg != n->seg;
                }
            }
            if (ready)
                v->value[i->results[0].id].hoisted = true;
        }
    }
}

static void settle(struct vectorizer *v, struct vnode *list)
{
    for (struct vnode *n = list; n; n = n->next) {
        switch (n->kind) {
        case NODE_SEGMENT:
            for (size_t k = 0; k < n->items.len; k++)
                set_segment(v, &n->items.data[k], n->seg);
            hoist(v, n);
            break;
        case NODE_COPIES:
            for (uint32_t k = n->copy; k < n->copy + n->ncopies; k++) {
                if (n->region->copies[k].src)
                    mention(v, n->region->copies[k].src, 0);
                if (n->region->copies[k].dst)
                    mention(v, n->region->copies[k].dst, 0);
            }
            break;
        case NODE_REGION:
            if (n->region->cond)
                mention(v, n->region->cond, 0);
            settle(v, n->child);
            settle(v, n->other);
            break;
        case NODE_JUMP: break;
        }
    }
}

/* Values that cost less to compute again in another segment than to keep for each gang: made from
 * registers and from what is the same for the block by a few scalar ops. In a kernel coarsened in
 * y, which keeps nothing, any that can be. */
static bool is_ready(struct vectorizer *v, struct ir_value *x)
{
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return true;
    const struct vinfo *i = &v->value[x->id];
    if (x->kind == IR_VALUE_PARAM)
        return x->u.block == v->from->first ||
               (i->class == V_BLOCK && !i->by_gang &&
                at_block_level(map_get(&v->home, map_key(x->u.block))));
    return i->again || (i->class == V_BLOCK && i->hoisted);
}

static void find_again(struct vectorizer *v)
{
    bool changed = true;
    while (changed) {
        changed = false;
        ir_each_block (b, v->from)
            ir_each_inst (i, b) {
                if (i->nresults != 1 || !(ir_op_info[i->op].flags & IR_PURE))
                    continue;
                struct vinfo *n = &v->value[i->results[0].id];
                bool ok = !n->again && n->class != V_BLOCK && (v->coarse_y || n->class != V_VARY);
                for (uint32_t k = 0; k < i->nargs && ok; k++)
                    ok = is_ready(v, i->args[k]);
                if (ok)
                    changed = n->again = true;
            }
    }
}

struct vnode *v_segments(struct vectorizer *v)
{
    while (spread(v, v->tree->body))
        ;
    check(v, v->tree->body);
    find_gang_copies(v, v->tree->body);
    struct cutter c = {.v = v};
    struct vnode *first = NULL;
    c.end = &first;
    first = cut(&c, v->tree->body);
    for (uint32_t k = 0; k < v->from->nvalues; k++)
        v->value[k].seg = UINT32_MAX;
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        v->temp[k].seg = UINT32_MAX;
    if (!v->why) {
        if (v->block[1] == 1 && v->block[2] == 1 && !v->added_barriers.len)
            v_eliminate_barriers(v, first);
        settle(v, first);
        find_again(v);
    }
    return v->why ? NULL : first;
}
