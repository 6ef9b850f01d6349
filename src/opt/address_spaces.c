/* Address spaces: finds out which memory generic pointers point into, and says so in their types.
 *
 * Optimistic: every generic pointer starts as "nothing known yet" and meets what flows into it. A
 * kernel's pointer arguments, pointers inside its by-value arguments and heap memory are global.
 * Null belongs to any space in which it is number 0 as well: global, not shared or local. What is
 * found changes types in place; users that need a generic pointer get a cvta. */
#include "ir/async.h"
#include "opt/opt_int.h"

enum { UNKNOWN = IR_SPACE_COUNT, MIXED = IR_SPACE_GENERIC };

struct spaces {
    struct ir_func *f;
    uint8_t *found; /* by value id: enum ir_space, or UNKNOWN */
};

static bool is_generic(const struct ir_value *v)
{
    return v->type == IR_PTR_TO(IR_SPACE_GENERIC);
}

/* Pointers whose own type can change; others only have a space they are known to lie in. */
static bool is_flexible(const struct spaces *s, const struct ir_value *v)
{
    if (!is_generic(v))
        return false;
    if (v->kind == IR_VALUE_PARAM)
        return v->u.block != s->f->first;
    return v->kind == IR_VALUE_RESULT &&
           (v->u.inst->op == IR_OP_ptradd || v->u.inst->op == IR_OP_select);
}

static unsigned source_space(const struct spaces *s, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_PARAM)
        return s->f->flags & IR_FUNC_KERNEL ? IR_SPACE_GLOBAL : MIXED;
    if (v->kind != IR_VALUE_RESULT)
        return MIXED;
    const struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_cvta)
        return ir_space(i->args[0]->type);
    if (i->op == IR_OP_malloc)
        return IR_SPACE_GLOBAL;
    if (i->op == IR_OP_inttoptr && opt_def(i->args[0])) /* a pointer copied as an integer */
        i = opt_def(i->args[0]);
    if (i->op == IR_OP_load && ir_space(i->args[0]->type) == IR_SPACE_PARAM &&
        ir_bits(i->type) == 64)
        return IR_SPACE_GLOBAL;
    return MIXED;
}

static unsigned space_of(const struct spaces *s, const struct ir_value *v)
{
    if (!is_generic(v))
        return ir_space(v->type);
    if (v->kind == IR_VALUE_CONST)
        return v->u.bits ? MIXED : UNKNOWN; /* null goes with anything; see fits */
    if (is_flexible(s, v))
        return s->found[v->id];
    return source_space(s, v);
}

static bool is_null(const struct ir_value *v)
{
    return v->kind == IR_VALUE_CONST && !v->u.bits;
}

/* Meets v into to; true: to changed. */
static bool meet(struct spaces *s, const struct ir_value *to, const struct ir_value *v)
{
    uint8_t *at = &s->found[to->id];
    unsigned in = space_of(s, v), old = *at;
    if (is_null(v)) { /* only where null is 0 */
        if (old != UNKNOWN && old != IR_SPACE_GLOBAL && old != MIXED)
            *at = MIXED;
        return *at != old;
    }
    if (in == UNKNOWN || old == MIXED)
        return false;
    *at = (uint8_t)(old == UNKNOWN ? in : old == in ? old : (unsigned)MIXED);
    return *at != old;
}

static bool meets_null(const struct ir_inst *i)
{
    return i->op == IR_OP_select && (is_null(i->args[1]) || is_null(i->args[2]));
}

static bool step(struct spaces *s)
{
    bool changed = false;
    ir_each_block (b, s->f) {
        ir_each_inst (i, b) {
            if (i->nresults == 1 && is_flexible(s, &i->results[0])) {
                for (uint32_t k = i->op == IR_OP_select; k < (i->op == IR_OP_select ? 3u : 1u); k++)
                    changed |= meet(s, &i->results[0], i->args[k]);
                uint8_t *at = &s->found[i->results[0].id];
                if (meets_null(i) && *at != UNKNOWN && *at != IR_SPACE_GLOBAL && *at != MIXED) {
                    *at = MIXED;
                    changed = true;
                }
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    struct ir_value *p = i->edges[e].to->params.data[k];
                    if (is_flexible(s, p))
                        changed |= meet(s, p, i->edges[e].args[k]);
                }
        }
    }
    return changed;
}

/* ---- rewriting ---- */

/* v, known to lie in `space`, as a pointer of that type, usable before `at`. */
static struct ir_value *in_space(struct ir_value *v, enum ir_space space, struct ir_inst *at)
{
    ir_type t = IR_PTR_TO(space);
    if (v->type == t)
        return v;
    if (v->kind == IR_VALUE_CONST)
        return ir_const(at->block->func->module, t, v->u.bits);
    struct ir_inst *i = opt_def(v);
    if (i && i->op == IR_OP_cvta && i->args[0]->type == t)
        return i->args[0];
    struct ir_builder b = ir_builder_before(at);
    b.span = at->span;
    return ir_build1(&b, IR_OP_cvta, t, v);
}

static struct ir_value *as_generic(struct ir_value *v, struct ir_inst *at)
{
    if (ir_kind(v->type) != IR_PTR || ir_space(v->type) == IR_SPACE_GENERIC)
        return v;
    struct ir_builder b = ir_builder_before(at);
    b.span = at->span;
    return ir_build1(&b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), v);
}

/* Accesses take a pointer of any space: the narrower the better. */
static bool takes_any(const struct ir_inst *i, uint32_t k)
{
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_rmw:
    case IR_OP_cas:
    case IR_OP_memset: return k == 0;
    case IR_OP_memcpy:
    case IR_OP_cpasync: return k < 2;
    default: return false;
    }
}

static bool is_comparison(const struct ir_inst *i)
{
    return i->op == IR_OP_eq || i->op == IR_OP_ne || i->op == IR_OP_ult || i->op == IR_OP_ule;
}

static void rewrite(struct spaces *s, const uint8_t *was_generic)
{
    struct ir_func *f = s->f;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct ir_value *r = i->nresults == 1 ? &i->results[0] : NULL;
            unsigned own =
                r && ir_kind(r->type) == IR_PTR && r->id < f->nvalues && was_generic[r->id]
                    ? s->found[r->id]
                    : UNKNOWN;
            bool retyped = own != UNKNOWN && own != MIXED;
            if (retyped) { /* ptradd or select whose type changed */
                i->type = r->type;
                for (uint32_t k = 0; k < i->nargs; k++)
                    if (ir_kind(i->args[k]->type) == IR_PTR)
                        i->args[k] = in_space(i->args[k], (enum ir_space)own, i);
                continue;
            }
            if (is_comparison(i) && i->type == IR_PTR_TO(IR_SPACE_GENERIC)) {
                enum ir_space x = ir_space(i->args[0]->type), y = ir_space(i->args[1]->type);
                bool null0 = is_null(i->args[0]), null1 = is_null(i->args[1]);
                if (x == y && x != IR_SPACE_GENERIC) {
                    i->type = i->args[0]->type;
                    continue;
                }
                if ((x == IR_SPACE_GLOBAL && null1) || (y == IR_SPACE_GLOBAL && null0)) {
                    i->type = IR_PTR_TO(IR_SPACE_GLOBAL);
                    for (uint32_t k = 0; k < 2; k++)
                        i->args[k] = in_space(i->args[k], IR_SPACE_GLOBAL, i);
                    continue;
                }
            }
            for (uint32_t k = 0; k < i->nargs; k++) {
                struct ir_value *v = i->args[k];
                if (ir_kind(v->type) != IR_PTR)
                    continue;
                if (takes_any(i, k)) {
                    if (is_generic(v) && v->kind != IR_VALUE_CONST) {
                        unsigned in = space_of(s, v);
                        if (in != UNKNOWN && in != MIXED)
                            i->args[k] = in_space(v, (enum ir_space)in, i);
                    }
                } else if (v->kind != IR_VALUE_CONST && v->kind != IR_VALUE_GLOBAL &&
                           v->id < f->nvalues && was_generic[v->id] && i->op != IR_OP_cvta) {
                    i->args[k] = as_generic(v, i);
                } else if (i->op == IR_OP_cvta && v->type == i->type) {
                    i->results[0].forward = v;
                } else if (i->op == IR_OP_cvta && ir_space(i->type) != IR_SPACE_GENERIC) {
                    i->args[k] = as_generic(v, i);
                }
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    struct ir_value *p = i->edges[e].to->params.data[k], *v = i->edges[e].args[k];
                    if (ir_kind(p->type) != IR_PTR || p->type == v->type)
                        continue;
                    i->edges[e].args[k] = ir_space(p->type) == IR_SPACE_GENERIC
                                              ? as_generic(v, i)
                                              : in_space(v, ir_space(p->type), i);
                }
        }
}

/* The grid before may still write where a kernel waits for it. */
static bool waits_for_grid(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_hint && (i->imm & 15) == IR_HINT_WAIT_FOR_GRID)
                return true;
    return false;
}

/* Loads through restrict pointers to const see memory that no one writes while the kernel runs. */
static void mark_invariant(struct ir_func *f)
{
    if (!(f->flags & IR_FUNC_KERNEL))
        return;
    const bool waits = waits_for_grid(f);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (waits && i->op == IR_OP_load) /* marked before what waits was inlined */
                i->flags &= ~(uint32_t)IR_INVARIANT;
            if (waits || i->op != IR_OP_load || !opt_is_plain(i) ||
                ir_space(i->args[0]->type) != IR_SPACE_GLOBAL)
                continue;
            struct ir_value *v = i->args[0];
            for (struct ir_inst *d = opt_def(v);
                 d && (d->op == IR_OP_ptradd || d->op == IR_OP_cvta); d = opt_def(v))
                v = d->args[0];
            if (v->kind != IR_VALUE_PARAM || v->u.block != f->first || v->index >= f->params.len)
                continue;
            uint32_t want = IR_PARAM_RESTRICT | IR_PARAM_READONLY;
            if ((f->params.data[v->index].flags & want) == want)
                i->flags |= IR_INVARIANT;
        }
}

void opt_address_spaces(struct arena *scratch, struct ir_func *f)
{
    ir_trim(f);
    ir_renumber(f);
    struct spaces s = {f, arena_array(scratch, uint8_t, f->nvalues + 1)};
    uint8_t *was_generic = arena_array(scratch, uint8_t, f->nvalues + 1);
    for (uint32_t k = 0; k <= f->nvalues; k++)
        s.found[k] = UNKNOWN;
    while (step(&s))
        ;
    /* null alone reaches it, or nothing does: leave it */
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            if (is_flexible(&s, *p)) {
                was_generic[(*p)->id] = 1;
                if (s.found[(*p)->id] == UNKNOWN)
                    s.found[(*p)->id] = MIXED;
            }
        ir_each_inst (i, b)
            if (i->nresults == 1 && is_flexible(&s, &i->results[0])) {
                was_generic[i->results[0].id] = 1;
                if (s.found[i->results[0].id] == UNKNOWN)
                    s.found[i->results[0].id] = MIXED;
            }
    }
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            if (was_generic[(*p)->id] && s.found[(*p)->id] != MIXED)
                (*p)->type = IR_PTR_TO(s.found[(*p)->id]);
        ir_each_inst (i, b)
            if (i->nresults == 1 && was_generic[i->results[0].id] &&
                s.found[i->results[0].id] != MIXED)
                i->results[0].type = IR_PTR_TO(s.found[i->results[0].id]);
    }
    rewrite(&s, was_generic);
    ir_replace_forwarded(f);
    mark_invariant(f);
}
