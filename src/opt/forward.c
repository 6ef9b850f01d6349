/* Memory seen twice: a load of what was just stored or loaded takes that value; a store that is
 * overwritten before anyone can look goes away.
 *
 * Knowledge is kept along straight lines: a block with one predecessor starts with what its
 * predecessor ended with. Anything that may write forgets what it may alias; barriers, fences,
 * atomics with an order and calls forget everything but local memory that no one else can know. */
#include "opt/opt_int.h"

struct known {
    struct opt_place place;
    ir_type type;
    uint32_t flags; /* of the access */
    struct ir_value *value;
    bool invariant; /* writes do not change it */
    struct known *next;
};

/* Of more than this, what was learnt first is forgotten: each write looks at all of it. */
enum { MOST_KNOWN = 256 };

struct forwarder {
    struct arena *a;
    struct known *known;
    uint8_t *escapes; /* by value id of allocas: its address is used as more than an address */
};

static bool is_own(const struct forwarder *w, struct opt_place p)
{
    struct ir_inst *i = opt_def(p.base);
    return i && i->op == IR_OP_alloca && !w->escapes[p.base->id];
}

/* By what writes n bytes there. */
static void forget(struct forwarder *w, const struct ir_inst *by, struct opt_place p, uint64_t n,
                   bool all)
{
    struct known *kept = NULL, **end = &kept;
    unsigned looked_at = 0;
    for (const struct known *k = w->known; k && looked_at++ < MOST_KNOWN; k = k->next) {
        bool hit = all ? !is_own(w, k->place)
                       : !opt_kinds_differ(by->type, by->flags, k->type, k->flags) &&
                             opt_may_alias(p, n, k->place, ir_bytes(k->type)) &&
                             !(is_own(w, k->place) && p.base != k->place.base &&
                               p.space != IR_SPACE_LOCAL && p.space != IR_SPACE_GENERIC);
        if (hit && !k->invariant)
            continue;
        /* entries are shared with other blocks: copy instead of relinking */
        struct known *c = arena_new(w->a, struct known);
        *c = *k;
        *end = c;
        end = &c->next;
    }
    *end = NULL;
    w->known = kept;
}

static void learn(struct forwarder *w, struct opt_place p, const struct ir_inst *by,
                  struct ir_value *v, bool invariant)
{
    struct known *k = arena_new(w->a, struct known);
    *k = (struct known){p, by->type, by->flags, v, invariant, w->known};
    w->known = k;
}

static struct ir_value *recall(struct forwarder *w, struct opt_place p, ir_type t)
{
    unsigned looked_at = 0;
    for (const struct known *k = w->known; k && looked_at++ < MOST_KNOWN; k = k->next)
        if (k->place.base == p.base && k->place.offset == p.offset && k->type == t)
            return opt_resolve(k->value);
    return NULL;
}

/* The next thing in the block that could see or end the store's memory is a store over it. */
static bool is_overwritten(struct ir_inst *store)
{
    struct opt_place p = opt_place(store->args[0]);
    unsigned steps = 0;
    for (struct ir_inst *i = store->next; i && steps < 64; i = i->next, steps++) {
        if (i->op == IR_OP_store && opt_is_plain(i)) {
            struct opt_place q = opt_place(i->args[0]);
            if (q.base == p.base && q.offset <= p.offset &&
                q.offset + ir_bytes(i->type) >= p.offset + ir_bytes(store->type))
                return true;
            continue;
        }
        if (opt_is_pure(i))
            continue;
        if (i->op == IR_OP_load && opt_is_plain(i) &&
            (opt_kinds_differ(store->type, store->flags, i->type, i->flags) ||
             !opt_may_alias(p, ir_bytes(store->type), opt_place(i->args[0]), ir_bytes(i->type))))
            continue;
        return false;
    }
    return false;
}

static void visit(struct forwarder *w, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        i->args[k] = opt_resolve(i->args[k]);
    if (i->op == IR_OP_load && opt_is_plain(i)) {
        struct opt_place p = opt_place(i->args[0]);
        struct ir_value *v = recall(w, p, i->type);
        if (v) {
            i->results[0].forward = v;
            ir_remove(i);
            return;
        }
        bool fixed =
            i->flags & IR_INVARIANT || p.space == IR_SPACE_CONST || p.space == IR_SPACE_PARAM;
        learn(w, p, i, &i->results[0], fixed);
    } else if (i->op == IR_OP_store && opt_is_plain(i)) {
        struct opt_place p = opt_place(i->args[0]);
        if (recall(w, p, i->type) == i->args[1] || is_overwritten(i)) {
            ir_remove(i); /* it is there already, or never seen */
            return;
        }
        forget(w, i, p, ir_bytes(i->type), false);
        learn(w, p, i, i->args[1], false);
    } else if (i->op == IR_OP_memset || i->op == IR_OP_memcpy || i->op == IR_OP_store) {
        struct opt_place p = opt_place(i->args[0]);
        bool sized =
            i->op != IR_OP_store && ir_is_const(i->args[2]) && i->args[2]->u.bits < 1u << 30;
        if (i->op == IR_OP_store && !opt_is_plain(i))
            forget(w, i, p, 0, true);
        forget(w, i, p, sized ? i->args[2]->u.bits : UINT64_C(1) << 40, false);
    } else if (opt_may_write(i)) {
        forget(w, i, (struct opt_place){0}, 0, true);
    }
}

/* An alloca whose address goes anywhere but into accesses. */
static void find_escapes(struct forwarder *w, struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++) {
                if (ir_kind(i->args[k]->type) != IR_PTR)
                    continue;
                bool access = (i->op == IR_OP_load || i->op == IR_OP_store || i->op == IR_OP_memset)
                                  ? k == 0
                                  : i->op == IR_OP_memcpy;
                if (access || i->op == IR_OP_ptradd || i->op == IR_OP_cvta)
                    continue;
                /* through additions of anything */
                struct ir_value *v = i->args[k];
                for (struct ir_inst *d = opt_def(v);
                     d && (d->op == IR_OP_ptradd || d->op == IR_OP_cvta); d = opt_def(v))
                    v = d->args[0];
                if (v->kind == IR_VALUE_RESULT)
                    w->escapes[v->id] = 1;
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    struct ir_value *v = i->edges[e].args[k];
                    for (struct ir_inst *d = opt_def(v);
                         d && (d->op == IR_OP_ptradd || d->op == IR_OP_cvta); d = opt_def(v))
                        v = d->args[0];
                    if (v->kind == IR_VALUE_RESULT)
                        w->escapes[v->id] = 1;
                }
        }
}

void opt_forward(struct arena *scratch, struct ir_func *f)
{
    ir_trim(f);
    ir_renumber(f);
    struct forwarder w = {.a = scratch, .escapes = arena_array(scratch, uint8_t, f->nvalues + 1)};
    find_escapes(&w, f);
    struct known **at_end = arena_array(scratch, struct known *, f->nblocks + 1);
    struct ir_block **order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
    ir_each_block (b, f)
        order[b->rpo] = b;
    for (uint32_t n = 0; n < f->nblocks; n++) {
        struct ir_block *b = order[n];
        w.known = b->preds.len == 1 ? at_end[b->preds.data[0]->id] : NULL;
        ir_each_inst (i, b)
            visit(&w, i);
        at_end[b->id] = w.known;
    }
    ir_replace_forwarded(f);
}
