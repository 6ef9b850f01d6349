/* Makes every graph reducible.
 *
 * A cycle that can be entered at several blocks has no header. All edges to its entries are sent
 * to one new block instead, which takes the number of the entry meant and all entries' parameters,
 * and switches. That block is then the header. Inside, the entries have only it as predecessor,
 * so each step leaves fewer blocks in headless cycles. */
#include "lower/lower.h"

struct scc {
    struct arena *arena;
    uint32_t *index, *low, *component; /* by block id; index 0: not visited */
    bool *on_stack, *removed;
    VEC(struct ir_block *) stack;
    uint32_t next_index, ncomponents;
};

struct visit {
    struct ir_block *block;
    uint32_t edge;
};

/* Tarjan's components of the graph without removed blocks, by an explicit stack. */
static void visit(struct scc *s, struct ir_block *root)
{
    VEC(struct visit) calls = {0};
    struct visit first = {root, 0};
    vec_push(s->arena, &calls, first);
    while (calls.len) {
        struct visit *v = &vec_last(&calls);
        struct ir_block *b = v->block;
        if (v->edge == 0) {
            s->index[b->id] = s->low[b->id] = ++s->next_index;
            s->on_stack[b->id] = true;
            vec_push(s->arena, &s->stack, b);
        }
        if (v->edge < b->last->nedges) {
            struct ir_block *to = b->last->edges[v->edge++].to;
            if (s->removed[to->id])
                continue;
            if (!s->index[to->id]) {
                struct visit call = {to, 0};
                vec_push(s->arena, &calls, call);
            } else if (s->on_stack[to->id] && s->index[to->id] < s->low[b->id]) {
                s->low[b->id] = s->index[to->id];
            }
            continue;
        }
        if (s->low[b->id] == s->index[b->id]) {
            struct ir_block *m;
            s->ncomponents++;
            do {
                m = vec_pop(&s->stack);
                s->on_stack[m->id] = false;
                s->component[m->id] = s->ncomponents;
            } while (m != b);
        }
        (void)vec_pop(&calls);
        if (calls.len) {
            struct ir_block *up = vec_last(&calls).block;
            if (s->low[b->id] < s->low[up->id])
                s->low[up->id] = s->low[b->id];
        }
    }
}

struct entries {
    VEC(struct ir_block *) list;
};

/* The entries of one cycle that has several, or none. Removes headers as it goes inward. */
static bool find(struct arena *a, struct ir_func *f, struct entries *out)
{
    uint32_t n = f->nblocks;
    bool *removed = arena_array(a, bool, n);
    for (;;) {
        struct scc s = {.arena = a, .removed = removed};
        s.index = arena_array(a, uint32_t, n);
        s.low = arena_array(a, uint32_t, n);
        s.component = arena_array(a, uint32_t, n);
        s.on_stack = arena_array(a, bool, n);
        ir_each_block (b, f)
            if (!removed[b->id] && !s.index[b->id])
                visit(&s, b);
        uint32_t *size = arena_array(a, uint32_t, s.ncomponents + 1);
        struct entries *by = arena_array(a, struct entries, s.ncomponents + 1);
        ir_each_block (b, f)
            if (!removed[b->id])
                size[s.component[b->id]]++;
        ir_each_block (b, f) {
            if (removed[b->id] || size[s.component[b->id]] < 2)
                continue;
            bool entered = false;
            for (size_t k = 0; k < b->preds.len; k++) {
                struct ir_block *p = b->preds.data[k];
                entered |= removed[p->id] || s.component[p->id] != s.component[b->id];
            }
            if (entered)
                vec_push(a, &by[s.component[b->id]].list, b);
        }
        bool deeper = false;
        for (uint32_t c = 1; c <= s.ncomponents; c++) {
            if (by[c].list.len > 1) {
                *out = by[c];
                return true;
            }
            if (by[c].list.len == 1) {
                removed[by[c].list.data[0]->id] = true;
                deeper = true;
            }
        }
        if (!deeper)
            return false;
    }
}

static void dispatch(struct arena *a, struct ir_func *f, struct entries *in)
{
    struct ir_module *m = f->module;
    size_t n = in->list.len;
    struct ir_block *d = ir_block_new(f, "dispatch");
    struct ir_value *which = ir_block_param(d, IR_I32, "entry");
    uint32_t *first = arena_array(a, uint32_t, n); /* where entry i's parameters start in d */
    struct map number;
    map_init(&number, a);
    for (size_t i = 0; i < n; i++) {
        struct ir_block *e = in->list.data[i];
        first[i] = (uint32_t)d->params.len;
        for (size_t k = 0; k < e->params.len; k++)
            ir_block_param(d, e->params.data[k]->type, e->params.data[k]->name);
        map_set(&number, map_key(e), (void *)(uintptr_t)(i + 1));
    }
    uint32_t total = (uint32_t)d->params.len;
    ir_each_block (b, f) {
        struct ir_inst *t = b->last;
        for (uint32_t k = 0; t && k < t->nedges; k++) {
            struct ir_edge *e = &t->edges[k];
            uintptr_t at = (uintptr_t)map_get(&number, map_key(e->to));
            if (!at)
                continue;
            struct ir_value **args = arena_array(m->arena, struct ir_value *, total);
            args[0] = ir_const(m, IR_I32, at - 1);
            for (uint32_t j = 1; j < total; j++)
                args[j] = ir_const(m, d->params.data[j]->type, 0);
            for (uint32_t j = 0; j < e->nargs; j++)
                args[first[at - 1] + j] = e->args[j];
            e->to = d;
            e->args = args;
            e->nargs = total;
        }
    }
    struct ir_builder b = ir_builder_at_end(d);
    struct ir_inst *sw = ir_build(&b, IR_OP_switch, IR_I32, &which, 1);
    for (size_t i = 0; i < n; i++) {
        struct ir_block *e = in->list.data[i];
        ir_add_edge(sw, e, d->params.data + first[i], (uint32_t)e->params.len, i);
    }
}

bool lower_reducible(struct arena *a, struct ir_func *f)
{
    bool changed = false;
    for (;;) {
        ir_remove_unreachable(f);
        ir_renumber(f);
        ir_cfg(f);
        struct entries in;
        if (!find(a, f, &in))
            return changed;
        dispatch(a, f, &in);
        lower_repair(a, f);
        changed = true;
    }
}
