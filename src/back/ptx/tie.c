/* Accumulators stay where they are: wgmma reads and writes D in one set of registers while the
 * program goes on, and a move between two of them would make the assembler wait for the first. So
 * the values that D is, one after the other, get one register: results and the operands they come
 * from, and block parameters on the way, unless two of them are alive at once. */
#include "back/ptx/ptx_int.h"
#include "ir/async.h"

struct tie {
    struct ptx_func *e;
    uint32_t n;           /* values */
    uint32_t *up;         /* by value id: union-find */
    uint32_t *next;       /* members of a set, as a ring */
    struct ir_value **of; /* by id */
    uint8_t *ours;        /* by id: is, or becomes, an accumulator */
    uint64_t *live_out;   /* blocks x words */
    uint32_t words;
};

static bool held(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT || v->kind == IR_VALUE_PARAM;
}

static uint32_t root(struct tie *t, uint32_t v)
{
    while (t->up[v] != v)
        v = t->up[v] = t->up[t->up[v]];
    return v;
}

static uint64_t *out_of(struct tie *t, const struct ir_block *b)
{
    return t->live_out + (size_t)b->id * t->words;
}

static void set(uint64_t *bits, const struct ir_value *v)
{
    bits[v->id / 64] |= UINT64_C(1) << v->id % 64;
}

static bool has(const uint64_t *bits, const struct ir_value *v)
{
    return bits[v->id / 64] >> v->id % 64 & 1;
}

static const struct ir_block *home(const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM ? v->u.block : v->u.inst->block;
}

/* v is needed at the end of b: and so at the end of every block on the ways there. */
static void live_at_end(struct tie *t, struct ir_block *b, struct ir_value *v)
{
    VEC(struct ir_block *) todo = {0};
    vec_push(t->e->a, &todo, b);
    while (todo.len) {
        struct ir_block *at = todo.data[--todo.len];
        if (has(out_of(t, at), v))
            continue;
        set(out_of(t, at), v);
        if (at == home(v))
            continue;
        vec_each (struct ir_block *, p, &at->preds)
            vec_push(t->e->a, &todo, *p);
    }
}

static void use(struct tie *t, struct ir_block *b, struct ir_value *v)
{
    if (!held(v) || !t->ours[v->id] || home(v) == b)
        return;
    vec_each (struct ir_block *, p, &b->preds)
        live_at_end(t, *p, v);
}

static void find_liveness(struct tie *t)
{
    ir_each_block (b, t->e->f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                use(t, b, i->args[k]);
            for (uint32_t k = 0; k < i->nedges; k++)
                for (uint32_t n = 0; n < i->edges[k].nargs; n++) {
                    struct ir_value *v = i->edges[k].args[n];
                    if (held(v) && t->ours[v->id])
                        live_at_end(t, b, v); /* until the copies of the edge */
                }
        }
}

static bool uses(const struct ir_inst *i, const struct ir_value *v)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        if (i->args[k] == v)
            return true;
    return false;
}

/* Is v still needed where w comes to be? v is its own operand there at most. */
static bool outlives(struct tie *t, const struct ir_value *v, const struct ir_value *w)
{
    struct ir_block *b = (struct ir_block *)home(w);
    const struct ir_inst *i = w->kind == IR_VALUE_RESULT ? w->u.inst : NULL;
    if (home(v) == b && v->kind == IR_VALUE_RESULT) { /* made later: not yet there */
        if (i && v->u.inst == i)
            return true;
        for (const struct ir_inst *k = i ? i->next : b->first; k; k = k->next)
            if (k == v->u.inst)
                return false;
    } else if (home(v) != b) {
        bool comes = false;
        vec_each (struct ir_block *, p, &b->preds)
            comes |= has(out_of(t, *p), v);
        if (!comes)
            return false;
    } else if (!i) {
        return true; /* two parameters of a block */
    }
    if (has(out_of(t, b), v))
        return true;
    if (i && i->op == IR_OP_wgmma) /* operands are moved into place one by one */
        for (uint32_t k = 0; k < i->nargs; k++)
            if (i->args[k] == v && k != ir_wgmma_inputs(i->imm) + w->index)
                return true;
    for (const struct ir_inst *k = i ? i->next : b->first; k; k = k->next)
        if (uses(k, v))
            return true;
    return false;
}

/* Joins the sets of two values unless members of them are alive together. */
static void join(struct tie *t, struct ir_value *v, struct ir_value *w)
{
    if (!held(v) || !held(w) || v->type != w->type)
        return;
    const uint32_t a = root(t, v->id), b = root(t, w->id);
    if (a == b)
        return;
    uint32_t x = a;
    do {
        uint32_t y = b;
        do {
            if (outlives(t, t->of[x], t->of[y]) || outlives(t, t->of[y], t->of[x]))
                return;
            y = t->next[y];
        } while (y != b);
        x = t->next[x];
    } while (x != a);
    t->up[b] = a;
    const uint32_t after = t->next[a];
    t->next[a] = t->next[b];
    t->next[b] = after;
}

static bool mark(struct tie *t, struct ir_value *v)
{
    if (!held(v) || t->ours[v->id])
        return false;
    t->ours[v->id] = 1;
    t->of[v->id] = v;
    return true;
}

/* Everything that flows into or out of D through edges. */
static bool find_values(struct tie *t)
{
    bool any = false, more = true;
    ir_each_block (b, t->e->f)
        ir_each_inst (i, b)
            for (uint32_t k = 0; i->op == IR_OP_wgmma && k < i->nresults; k++) {
                any |= mark(t, &i->results[k]);
                mark(t, i->args[ir_wgmma_inputs(i->imm) + k]);
            }
    while (any && more) {
        more = false;
        ir_each_block (b, t->e->f)
            ir_each_inst (i, b)
                for (uint32_t k = 0; k < i->nedges; k++)
                    for (uint32_t n = 0; n < i->edges[k].nargs; n++) {
                        struct ir_value *from = i->edges[k].args[n],
                                        *to = i->edges[k].to->params.data[n];
                        if (held(from) && (t->ours[from->id] || t->ours[to->id])) {
                            more |= mark(t, from);
                            more |= mark(t, to);
                        }
                    }
    }
    return any;
}

void ptx_tie(struct ptx_func *e)
{
    struct ir_func *f = e->f;
    struct tie t = {.e = e, .n = f->nvalues};
    bool any = false;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            any |= i->op == IR_OP_wgmma;
    if (!any)
        return;
    t.up = arena_array(e->a, uint32_t, t.n);
    t.next = arena_array(e->a, uint32_t, t.n);
    t.of = arena_array(e->a, struct ir_value *, t.n);
    t.ours = arena_array(e->a, uint8_t, t.n);
    t.words = t.n / 64 + 1;
    t.live_out = arena_array(e->a, uint64_t, (size_t)f->nblocks * t.words);
    for (uint32_t k = 0; k < t.n; k++)
        t.up[k] = t.next[k] = k;
    if (!find_values(&t))
        return;
    find_liveness(&t);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; i->op == IR_OP_wgmma && k < i->nresults; k++)
                join(&t, i->args[ir_wgmma_inputs(i->imm) + k], &i->results[k]);
        }
    ir_each_block (b, f)
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nedges; k++)
                for (uint32_t n = 0; n < i->edges[k].nargs; n++) {
                    struct ir_value *from = i->edges[k].args[n],
                                    *to = i->edges[k].to->params.data[n];
                    if (held(from) && t.ours[from->id] && t.ours[to->id])
                        join(&t, to, from);
                }
    for (uint32_t k = 0; k < t.n; k++)
        if (t.ours[k]) {
            const uint32_t r = root(&t, k);
            if (!e->reg[r])
                e->reg[r] = ++e->count[ptx_class_of(t.of[r]->type)];
            e->reg[k] = e->reg[r];
        }
}
