/* Loops that pair threads over distances that double or halve.
 *
 *     for (step = size / 2; step > 0; step /= 2) {
 *         low = t & (step - 1);  i = (t - low) * 2 + low;
 *         … a[i], a[i + step] …  __syncthreads();
 *     }
 *
 * Which lanes exchange depends on step, which is the same for the block. Where it is a multiple of
 * the gang's lanes, neighbours read neighbours; where it is less, the lanes of a gang lie at
 * distances that are known for each step. So the body is written for those: a copy for multiples,
 * one for each power of two below, and the body as it was for what else may come. */
#include "lower/gang/gang_int.h"
#include "opt/opt.h"

enum { MOST_BODY = 96 }; /* instructions */

struct pairing {
    struct vectorizer *v;
    struct ir_block *header;
    VEC(struct ir_block *) body; /* without the header */
    bool *in;
};

static bool collect(struct pairing *p, struct ir_block *b)
{
    if (p->in[b->id])
        return true;
    p->in[b->id] = true;
    vec_push(p->v->arena, &p->body, b);
    vec_each (struct ir_block *, from, &b->preds)
        if ((*from)->rpo == UINT32_MAX || !collect(p, *from))
            return false;
    return true;
}

/* A loop with a barrier and no loop inside, left from its header only. */
static bool has_shape(struct pairing *p)
{
    struct ir_block *h = p->header;
    const struct ir_inst *t = ir_terminator(h);
    bool barrier = false;
    unsigned size = 0;
    p->in[h->id] = true;
    vec_each (struct ir_block *, from, &h->preds)
        if ((*from)->rpo != UINT32_MAX && ir_dominates(h, *from) &&
            (*from == h || !collect(p, *from)))
            return false;
    if (!p->body.len || t->op != IR_OP_condbr || !p->in[t->edges[0].to->id] ||
        p->in[t->edges[1].to->id])
        return false;
    vec_each (struct ir_block *, b, &p->body) {
        const struct ir_inst *end = ir_terminator(*b);
        for (uint32_t k = 0; k < end->nedges; k++)
            if (!p->in[end->edges[k].to->id] ||
                (end->edges[k].to->rpo <= (*b)->rpo && end->edges[k].to != h))
                return false;
        if (!end->nedges)
            return false;
        ir_each_inst (i, *b) {
            barrier |= i->op == IR_OP_barrier;
            size++;
        }
    }
    return barrier && size <= MOST_BODY;
}

static bool depends(const struct ir_value *x, const struct ir_value *on, unsigned depth)
{
    if (x == on)
        return true;
    if (x->kind != IR_VALUE_RESULT || !depth || !(ir_op_info[x->u.inst->op].flags & IR_PURE))
        return false;
    for (uint32_t k = 0; k < x->u.inst->nargs; k++)
        if (depends(x->u.inst->args[k], on, depth - 1))
            return true;
    return false;
}

/* Is a number of the thread taken apart by a step, which is not known? */
static bool takes_apart(const struct pairing *p, const struct ir_value *step)
{
    const struct vinfo *of = p->v->value;
    if (of[step->id].class != V_BLOCK)
        return false;
    vec_each (struct ir_block *, b, &p->body)
        ir_each_inst (i, *b) {
            if (i->op != IR_OP_and && i->op != IR_OP_xor && i->op != IR_OP_urem &&
                i->op != IR_OP_udiv)
                continue;
            for (int k = 0; k < 2; k++)
                if (v_is_local(i->args[k]) && of[i->args[k]->id].class == V_AFFINE &&
                    v_is_local(i->args[1 - k]) && of[i->args[1 - k]->id].class == V_BLOCK &&
                    depends(i->args[1 - k], step, 3))
                    return true;
        }
    return false;
}

/* Where `c` holds the header goes to a copy of the body in which the step is `is`. */
static void copy(struct pairing *p, const struct ir_value *step, struct ir_value *c,
                 struct ir_block *test, struct ir_value *is)
{
    struct ir_inst *enter = ir_terminator(p->header);
    struct ir_block *first = enter->edges[0].to, *next = ir_block_after(test, "step");
    struct map twins;
    map_init(&twins, p->v->arena);
    opt_clone_blocks(&twins, p->v->from, p->body.data[p->body.len - 1], p->body.data, p->body.len);
    vec_each (struct ir_block *, b, &p->body)
        ir_each_inst (i, (struct ir_block *)map_get(&twins, map_key(*b))) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k] == step)
                    i->args[k] = is;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k] == step)
                        i->edges[e].args[k] = is;
        }
    struct ir_builder b = ir_builder_at_end(test);
    struct ir_inst *branch = ir_build(&b, IR_OP_condbr, IR_VOID, &c, 1);
    ir_add_edge(branch, map_get(&twins, map_key(first)), enter->edges[0].args,
                enter->edges[0].nargs, 0);
    ir_add_edge(branch, next, NULL, 0, 0);
}

static void write_versions(struct pairing *p, struct ir_value *step)
{
    struct ir_module *m = p->v->module;
    struct ir_inst *enter = ir_terminator(p->header);
    struct ir_block *at = ir_block_after(p->header, "step");
    struct ir_edge to = enter->edges[0];
    struct ir_block *first = at;
    for (unsigned k = p->v->lanes; k; k /= 2) {
        struct ir_builder b = ir_builder_at_end(at);
        struct ir_value *c, *is = ir_const(m, IR_I32, k);
        if (k == p->v->lanes) {
            is = ir_build2(&b, IR_OP_and, IR_I32, step, ir_const(m, IR_I32, (uint32_t)-k));
            c = ir_build2(&b, IR_OP_eq, IR_I32, step, is);
        } else {
            c = ir_build2(&b, IR_OP_eq, IR_I32, step, is);
        }
        copy(p, step, c, at, is);
        at = at->next;
    }
    struct ir_builder b = ir_builder_at_end(at);
    ir_build_br(&b, to.to, to.args, to.nargs);
    enter->edges[0].to = first;
    enter->edges[0].nargs = 0;
}

void v_find_butterflies(struct vectorizer *v, void (*analyse)(struct vectorizer *))
{
    struct ir_func *f = v->from;
    bool known = false, changed = false;
    ir_renumber(f);
    ir_cfg(f);
    VEC(struct ir_block *) headers = {0};
    ir_each_block (h, f)
        if (h->rpo != UINT32_MAX && h->params.len)
            vec_push(v->arena, &headers, h);
    vec_each (struct ir_block *, h, &headers) {
        struct pairing p = {
            .v = v, .header = *h, .in = arena_array(v->arena, bool, f->nblocks + 1)};
        if ((*h)->rpo == UINT32_MAX || !has_shape(&p))
            continue;
        if (!known)
            analyse(v);
        known = true;
        for (size_t k = 0; k < (*h)->params.len; k++)
            if ((*h)->params.data[k]->type == IR_I32 && takes_apart(&p, (*h)->params.data[k])) {
                write_versions(&p, (*h)->params.data[k]);
                changed = true;
                break;
            }
        if (changed)
            break;
    }
    if (!changed)
        return;
    opt_simplify(v->arena, f);
    opt_gvn(v->arena, f);
    opt_simplify(v->arena, f);
    opt_dce(v->arena, f);
}
