/* Barriers at which no gang needs to wait for another.
 *
 * Two segments with a barrier between can be one loop over gangs if no gang's second half touches
 * what the first half of a gang that comes later touches. What lives from one to the other then
 * stays in registers. In a step of a scan,
 *
 *     x = a[t] + a[t - 4];  __syncthreads();  a[t] = x;
 *
 * gang after gang would read what the one before it has written; from the last gang to the first
 * none does. Addresses are compared as sums: an object, so many bytes for each thread of the row, a
 * constant, and what is the same for the block. */
#include "lower/gang/gang_int.h"

enum { MAX_TERMS = 4, MAX_WEIGHT = 160 };

struct sum { /* root + each * threadIdx.x + constant + terms */
    const struct ir_value *root;
    int64_t each, constant;
    struct {
        const struct ir_value *value;
        int64_t times;
    } term[MAX_TERMS];
    unsigned terms;
};

/* Indices of 32 bits may wrap: sums are right modulo 2^32, and what is compared lies in one object.
 */
static bool add_to(struct vectorizer *v, struct sum *s, const struct ir_value *x, int64_t times)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (ir_is_const(x)) {
        s->constant += times * (ir_bits(x->type) == 32 ? (int32_t)x->u.bits : (int64_t)x->u.bits);
        return true;
    }
    switch (i ? (int)i->op : -1) {
    case IR_OP_add:
    case IR_OP_ptradd: return add_to(v, s, i->args[0], times) && add_to(v, s, i->args[1], times);
    case IR_OP_sub: return add_to(v, s, i->args[0], times) && add_to(v, s, i->args[1], -times);
    case IR_OP_sext:
    case IR_OP_zext:
        if (ir_bits(i->args[0]->type) == 32)
            return add_to(v, s, i->args[0], times);
        break;
    case IR_OP_cvta: return add_to(v, s, i->args[0], times);
    case IR_OP_mul:
    case IR_OP_shl:
        if (ir_is_const(i->args[1]) && i->args[1]->u.bits <= (i->op == IR_OP_mul ? 4096 : 12))
            return add_to(v, s, i->args[0],
                          times * (i->op == IR_OP_mul ? (int64_t)i->args[1]->u.bits
                                                      : INT64_C(1) << i->args[1]->u.bits));
        break;
    case IR_OP_sreg:
        if (i->imm == IR_SREG_TID_X) {
            s->each += times;
            return true;
        }
        break;
    default: break;
    }
    if (v_is_local(x) && v->value[x->id].class != V_BLOCK)
        return false;
    if (ir_kind(x->type) == IR_PTR) {
        bool first = !s->root && times == 1;
        s->root = x;
        return first;
    }
    for (unsigned k = 0; k < s->terms; k++)
        if (s->term[k].value == x) {
            s->term[k].times += times;
            return true;
        }
    if (s->terms == MAX_TERMS)
        return false;
    s->term[s->terms].value = x;
    s->term[s->terms++].times = times;
    return true;
}

enum { ANY_ORDER = 0, UP = 1, DOWN = 2 };

/* Bytes from what thread 0 touches in y to what it touches in x; false: not known. */
static bool distance(const struct sum *x, const struct sum *y, int64_t *bytes)
{
    *bytes = x->constant - y->constant;
    for (unsigned k = 0; k < x->terms; k++) {
        int64_t left = x->term[k].times;
        for (unsigned m = 0; m < y->terms; m++)
            left -= y->term[m].value == x->term[k].value ? y->term[m].times : 0;
        if (left)
            return false;
    }
    for (unsigned m = 0; m < y->terms; m++) {
        bool found = !y->term[m].times;
        for (unsigned k = 0; k < x->terms && !found; k++)
            found = x->term[k].value == y->term[m].value;
        if (!found)
            return false;
    }
    return *bytes > -(INT64_C(1) << 30) && *bytes < INT64_C(1) << 30;
}

/* In which order gangs must come so that each thread's x is before any thread's y that touches it:
 * both bits, if there is none. */
static unsigned order(struct vectorizer *v, const struct ir_inst *x, const struct ir_inst *y)
{
    enum ir_space a = ir_space(x->args[0]->type), b = ir_space(y->args[0]->type);
    bool apart = a != b && a != IR_SPACE_GENERIC && b != IR_SPACE_GENERIC;
    if ((x->op == IR_OP_load && y->op == IR_OP_load) || apart || a == IR_SPACE_LOCAL ||
        b == IR_SPACE_LOCAL)
        return ANY_ORDER;
    struct sum p = {0}, q = {0};
    int64_t d, n = ir_bytes(x->type), m = ir_bytes(y->type), most = n > m ? n : m;
    if (!add_to(v, &p, x->args[0], 1) || !add_to(v, &q, y->args[0], 1) || !p.root || !q.root)
        return UP | DOWN;
    if (p.root != q.root)
        return p.root->kind == IR_VALUE_GLOBAL && q.root->kind == IR_VALUE_GLOBAL &&
                       !((p.root->u.global->flags | q.root->u.global->flags) & IR_GLOBAL_EXTERN)
                   ? ANY_ORDER
                   : UP | DOWN;
    if (p.each != q.each || p.each < most || !distance(&p, &q, &d))
        return UP | DOWN;
    /* x of thread t and y of thread t + k are d - k * each bytes apart */
    unsigned found = ANY_ORDER;
    int64_t near = d / p.each;
    for (int64_t k = near - 1; k <= near + 1; k++)
        if (d - k * p.each < m && k * p.each - d < n && k)
            found |= k > 0 ? UP : DOWN;
    return found;
}

/* The loads and stores of a list; false: there is something else that other threads may see. */
struct accesses {
    VEC(const struct ir_inst *) all;
};

static bool take_code(struct vectorizer *v, const struct ir_inst *from, const struct ir_inst *end,
                      struct accesses *to)
{
    for (const struct ir_inst *i = from; i != end; i = i->next) {
        if (i->op == IR_OP_load || i->op == IR_OP_store) {
            if (i->flags & (IR_VOLATILE | IR_STEP) || ir_order(i->flags))
                return false;
            if (!(i->flags & IR_INVARIANT) && ir_space(i->args[0]->type) != IR_SPACE_CONST &&
                ir_space(i->args[0]->type) != IR_SPACE_PARAM)
                vec_push(v->arena, &to->all, i);
        } else if (!(ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR)) && i->op != IR_OP_split &&
                   i->op != IR_OP_join) {
            return false;
        }
    }
    return true;
}

static bool take_list(struct vectorizer *v, const struct region *r, struct accesses *to)
{
    for (; r; r = r->next)
        if (r->kind >= REGION_RETURN ||
            (r->kind == REGION_CODE && !take_code(v, r->block->first, NULL, to)) ||
            !take_list(v, r->child, to) || !take_list(v, r->other, to))
            return false;
    return true;
}

static bool take(struct vectorizer *v, const struct vnode *n, struct accesses *to, unsigned *weight)
{
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        const struct region *r = item->region;
        if (r->kind >= REGION_RETURN)
            return false;
        if (r->kind == REGION_CODE) {
            if (item->first == item->end || !take_code(v, item->first, item->end, to))
                return false;
            for (const struct ir_inst *i = item->first; i != item->end; i = i->next)
                ++*weight;
        } else {
            *weight += v_weight(r->child) + v_weight(r->other) + 1;
            if (!take_list(v, r->child, to) || !take_list(v, r->other, to))
                return false;
        }
    }
    return true;
}

/* Marks what a list computes for each lane, or tells whether it uses something that is marked. */
static bool values(struct vectorizer *v, const struct vitem *item, bool *marked, bool mark)
{
    const struct region *r = item->region;
    bool used = !mark && r->cond && v_is_local(r->cond) && marked[r->cond->id];
    if (r->kind == REGION_CODE)
        for (const struct ir_inst *i = item->first; i != item->end; i = i->next) {
            for (uint32_t k = 0; mark && k < i->nresults; k++)
                marked[i->results[k].id] = v->value[i->results[k].id].class == V_VARY;
            for (uint32_t k = 0; !mark && k < i->nargs; k++)
                used |= v_is_local(i->args[k]) && marked[i->args[k]->id];
        }
    for (uint32_t k = item->copy; r->kind == REGION_COPIES && k < item->copy + item->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        if (mark && c->dst)
            marked[c->dst->id] = v->value[c->dst->id].class == V_VARY;
        used |= !mark && c->src && v_is_local(c->src) && marked[c->src->id];
    }
    for (int side = 0; side < 2; side++)
        for (struct region *c = side ? r->other : r->child; c; c = c->next) {
            struct vitem inner = {.region = c, .ncopies = c->ncopies};
            if (c->kind == REGION_CODE)
                inner.first = c->block->first, inner.end = ir_terminator(c->block);
            used |= values(v, &inner, marked, mark);
        }
    return used;
}

/* Would something have to be kept for each gang from a to b? */
static bool worth(struct vectorizer *v, const struct vnode *a, const struct vnode *b)
{
    bool *marked = arena_array(v->arena, bool, v->from->nvalues + 1), used = false;
    vec_each (struct vitem, item, &a->items)
        values(v, item, marked, true);
    vec_each (struct vitem, item, &b->items)
        used |= values(v, item, marked, false);
    return used;
}

/* Joins neighbours in a list of nodes. */
void v_eliminate_barriers(struct vectorizer *v, struct vnode *list)
{
    for (struct vnode *n = list; n; n = n->next) {
        v_eliminate_barriers(v, n->child);
        v_eliminate_barriers(v, n->other);
        while (n->kind == NODE_SEGMENT && n->next && n->next->kind == NODE_SEGMENT) {
            struct accesses before = {0}, after = {0};
            unsigned weight = 0, needs = n->down ? DOWN : n->up ? UP : ANY_ORDER;
            if (!worth(v, n, n->next) || !take(v, n, &before, &weight) ||
                !take(v, n->next, &after, &weight) || weight > MAX_WEIGHT)
                break;
            vec_each (const struct ir_inst *, x, &before.all)
                vec_each (const struct ir_inst *, y, &after.all)
                    needs |= order(v, *x, *y);
            if (needs == (UP | DOWN))
                break;
            n->up = needs == UP, n->down = needs == DOWN;
            vec_each (struct vitem, item, &n->next->items)
                vec_push(v->arena, &n->items, *item);
            n->next = n->next->next;
        }
    }
}
