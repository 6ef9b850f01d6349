/* Bindings of their own for the buffers that a launch passes: a specialisation.
 *
 * By default all memory is one heap, and a pointer an offset into it. A launch whose arguments are
 * whole buffers can have a module in which each of these is an array of its own, of f32 where that
 * is all that is read and written: no offsets are added, and the shader compiler sees what cannot
 * overlap. Arguments that share a buffer share a binding. That asks that each access be led to one
 * argument by address arithmetic alone, and be of whole words; otherwise it is refused, and the
 * launcher takes the module for any launch. */
#include "back/wgsl/wgsl_int.h"

static uintptr_t group_of(const struct wgsl *w, const struct ir_value *v)
{
    return (uintptr_t)map_get(&w->bound, map_key(v));
}

static bool refuse(struct wgsl *w, struct span at, const char *why)
{
    diag_error(w->job->diag, at, "wgsl: bindings for single arguments: %s", why);
    w->failed = true;
    return false;
}

/* Brings a group to a value; false: it has another. */
static bool lead(struct wgsl *w, const struct ir_value *to, uintptr_t group, bool *changed)
{
    const uintptr_t has = group_of(w, to);
    if (!group || has == group)
        return true;
    map_set(&w->bound, map_key(to), (void *)group);
    *changed = true;
    return !has;
}

static bool follow(struct wgsl *w, const struct ir_inst *i, bool *changed)
{
    bool one = true;
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            one &=
                lead(w, i->edges[e].to->params.data[k], group_of(w, i->edges[e].args[k]), changed);
    if (i->op == IR_OP_ptradd || i->op == IR_OP_cvta)
        one &= lead(w, &i->results[0], group_of(w, i->args[0]), changed);
    if (i->op == IR_OP_select)
        for (unsigned k = 1; k < 3; k++)
            one &= lead(w, &i->results[0], group_of(w, i->args[k]), changed);
    return one;
}

/* What an access asks of the array of its binding. */
static const char *use(struct wgsl *w, const struct ir_inst *i, uint32_t arg, uintptr_t group)
{
    const enum wgsl_mem m = MEM_BOUND + (enum wgsl_mem)group - 1;
    const bool ordered = ir_order(i->flags) || i->flags & IR_VOLATILE;
    ir_type t = i->op == IR_OP_store ? i->args[1]->type : i->type;
    switch (i->op) {
    case IR_OP_ptradd:
    case IR_OP_cvta: return arg ? "a pointer that is not a pointer alone" : NULL;
    case IR_OP_select: return NULL;
    case IR_OP_load:
    case IR_OP_store:
        if (arg || ir_class(t) == IR_CLASS_PTR)
            return "a pointer in memory";
        if (ir_bytes(t) < 4 || (i->align && i->align < 4))
            return "parts of words";
        w->atomic[m] |= ordered;
        w->words[m] |= ir_kind(t) != IR_F32 || ordered;
        return NULL;
    case IR_OP_rmw:
        if (arg || ir_kind(i->type) != IR_I32 || i->imm == IR_RMW_INC || i->imm == IR_RMW_DEC ||
            i->imm == IR_RMW_SMIN || i->imm == IR_RMW_SMAX)
            return "atomics that are not WGSL's own";
        w->atomic[m] = w->words[m] = true;
        return NULL;
    case IR_OP_memcpy:
        if (arg > 1 || i->align < 4 || !ir_is_const(i->args[2]) || i->args[2]->u.bits % 4 ||
            i->args[2]->u.bits > 32)
            return "long copies";
        w->words[m] = true;
        return NULL;
    case IR_OP_cpasync: w->words[m] = true; return NULL;
    default: return "a pointer that is more than an address";
    }
}

/* Finds the binding of each pointer, and the type of each array. */
bool wgsl_bind(struct wgsl *w, struct ir_func *f)
{
    const struct wgsl_options *o = w->options;
    bool changed = true;
    uint32_t n = 0;
    for (size_t k = 0; k < f->params.len; k++) {
        const struct ir_param *p = &f->params.data[k];
        if (p->byval_size)
            return refuse(w, f->span, "a class by value may hold a pointer");
        if (ir_class(p->type) != IR_CLASS_PTR)
            continue;
        const uint32_t group = n < sizeof o->bindings ? o->bindings[n++] : 0;
        if (!group || group > WGSL_BINDINGS)
            return refuse(w, f->span, "one for each pointer, from 1 to 7");
        map_set(&w->bound, map_key(f->first->params.data[k]), (void *)(uintptr_t)group);
        if (!w->binding[group - 1])
            w->binding[group - 1] = lower_name(w->globals, p->name);
    }
    while (changed) {
        changed = false;
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (!follow(w, i, &changed))
                    return refuse(w, i->span, "a pointer into one of two buffers");
    }
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const char *why = NULL;
            if (i->op == IR_OP_fence || i->op == IR_OP_malloc)
                why = "fences and malloc";
            for (uint32_t k = 0; k < i->nargs && !why; k++)
                if (group_of(w, i->args[k]))
                    why = use(w, i, k, group_of(w, i->args[k]));
            if (i->nresults && ir_class(i->results[0].type) == IR_CLASS_PTR &&
                !group_of(w, &i->results[0]) && i->op != IR_OP_ptradd && i->op != IR_OP_cvta &&
                i->op != IR_OP_alloca && i->op != IR_OP_select)
                why = "a pointer from elsewhere";
            if (why)
                return refuse(w, i->span, why);
        }
    return true;
}

void wgsl_put_bindings(struct wgsl *w, struct sbuf *out)
{
    for (unsigned g = 0; g < WGSL_BINDINGS; g++)
        if (w->binding[g])
            sbuf_printf(out, "@group(0) @binding(%u) var<storage, read_write> %s: array<%s>;\n",
                        g + 2, w->binding[g],
                        w->atomic[MEM_BOUND + g]  ? "atomic<u32>"
                        : w->words[MEM_BOUND + g] ? "u32"
                                                  : "f32");
}
