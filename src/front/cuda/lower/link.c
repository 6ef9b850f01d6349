/* Several files in one module, as -rdc=true wants it: what a file declares and another defines is
 * one thing, under its C++ name; what is static to a file has the file's number behind its name. */
#include "front/cuda/lower/lower.h"

const char *lo_link_name(struct lower *l, const char *name, bool internal)
{
    /* Templates over a type that only this file has are this file's, too. */
    if (!internal && !strstr(name, "_GLOBAL__N_1"))
        return name;
    return arena_printf(l->f->a, "%s.u%u", name, l->f->job->unit);
}

bool lo_internal(const struct var *v)
{
    for (const struct scope *s = v->d.scope; s; s = s->parent)
        if (s->kind == SCOPE_NAMESPACE && !s->name)
            return true;
    const struct type *t = v->d.type;
    while (t->kind == TY_ARRAY)
        t = t->elem;
    const bool own = v->space == SPACE_NONE || (t->quals & QUAL_CONST && !v->said_extern);
    return v->is_static || (own && !v->is_extern && !v->is_inline && !v->tmpl && !v->is_member);
}

struct ir_func *lo_link_func(struct lower *l, struct func *fn, const char *name,
                             const char *mangled)
{
    struct ir_func *known = ir_func_find(l->m, intern_z(l->m->names, name));
    if (known && strcmp(known->mangled ? known->mangled : known->name, mangled) != 0)
        known = ir_func_find(l->m, intern_z(l->m->names, mangled));
    if (!known)
        return NULL;
    const bool body = fn->state != BODY_NONE || fn->is_defaulted || fn->is_implicit;
    fn->ir = known;
    if (!body)
        return known;
    if (known->first) {
        const bool weak = fn->is_inline || fn->is_implicit || fn->is_defaulted || fn->tmpl ||
                          fn->cls || fn->d.system;
        if (!weak)
            cu_error_note(l->f, fn->d.span, known->span, "here", "'%s' is defined in two files",
                          cu_qualified_name(l->f, &fn->d));
        return known;
    }
    /* Declared by an earlier file: here is the body. */
    known->flags |= (fn->forceinline ? IR_FUNC_INLINE : 0) | (fn->noinline ? IR_FUNC_NOINLINE : 0);
    known->max_threads = fn->max_threads;
    known->min_blocks = fn->min_blocks;
    memcpy(known->cluster, fn->cluster, sizeof known->cluster);
    known->span = fn->d.span;
    vec_push(l->f->a, &l->f->work, fn);
    fn->queued = true;
    return known;
}

struct ir_global *lo_link_global(struct lower *l, struct var *v, const char *name)
{
    if (v->func && !v->is_extern)
        return NULL;
    name = lo_link_name(l, name, lo_internal(v));
    return ir_global_find(l->m, intern_z(l->m->names, name));
}

/* Functions of this file that others may call: everything with a body that is not static, inline or
 * a template, and what is written for some arguments of a template. ir_prune drops what nobody came
 * for. */
static bool for_others(const struct func *fn)
{
    return fn->where & WHERE_DEVICE && !fn->internal && !fn->is_inline && !fn->is_deleted &&
           !fn->is_implicit && !fn->d.system;
}

static void export_scope(struct lower *l, struct scope *s, unsigned depth)
{
    for (struct decl *d = s->first; d && depth < 64; d = d->next) {
        if (d->kind == DECL_NAMESPACE && d->u.ns != s && s->name != l->f->n_std) {
            export_scope(l, d->u.ns, depth + 1);
        } else if (d->kind == DECL_TYPE && d->is_tag && d->type->kind == TY_CLASS) {
            struct class_info *c = d->type->cls;
            if (!c->tmpl && c->scope && !d->system && c->scope->kind == SCOPE_CLASS)
                export_scope(l, c->scope, depth + 1);
        } else if (d->kind == DECL_FUNC) {
            struct func *fn = (struct func *)d;
            if (for_others(fn) && !fn->tmpl &&
                (fn->body || (fn->cls && cu_find_member_def(l->f, fn))))
                lo_func(l, fn, d->span);
        }
    }
}

void lo_export(struct lower *l)
{
    export_scope(l, l->f->global, 0);
    vec_each (struct func *, fn, &l->f->specialised)
        if (for_others(*fn) && (*fn)->body)
            lo_func(l, *fn, (*fn)->d.span);
}

bool cuda_front_linked(struct ir_module *m, struct diag *d)
{
    const unsigned errors = d->errors;
    ir_each_func (f, m)
        if (!f->first)
            diag_error(d, f->span, "'%s' is used, and no file of the program defines it",
                       f->display ? f->display : f->name);
    ir_each_global (g, m)
        if (g->flags & IR_GLOBAL_EXTERN && g->space != IR_SPACE_SHARED)
            diag_error(d, g->span, "'%s' is used, and no file of the program defines it",
                       g->display ? g->display : g->name);
    return d->errors == errors;
}
