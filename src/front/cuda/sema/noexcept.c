/* noexcept(e): whether the language promises that nothing is thrown, which libraries choose their
 * ways by, although nothing is thrown on a device. */
#include "front/cuda/sema/sema.h"

static bool throws(struct front *f, const struct expr *e, unsigned depth);

struct spec_job {
    struct func *fn;
    bool yes;
};

static void try_spec(struct front *f, void *arg)
{
    struct spec_job *j = arg;
    struct parse_state st;
    cu_enter(f, &st, j->fn->noexcept_pos, j->fn->noexcept_scope);
    f->cls = j->fn->cls;
    f->unevaluated = 1;
    struct expr *e = cu_parse_cond(f);
    j->yes = cu_require_int(f, cu_bool(f, e), "noexcept");
    cu_restore(f, &st);
}

static void try_parts(struct front *f, void *arg)
{
    struct spec_job *j = arg;
    cu_parse_body(f, j->fn);
    j->yes = true;
    for (const struct mem_init *m = j->fn->inits; m; m = m->next)
        j->yes &= !throws(f, m->init, 0);
    for (const struct stmt *s = j->fn->ast ? j->fn->ast->body : NULL; s; s = s->next)
        j->yes &= !throws(f, s->cond, 0);
}

/* Destructors throw where they say so, and that of a class that says nothing where a part's does.
 */
static bool ends_quietly(struct front *f, const struct class_info *c)
{
    vec_each (struct base_class, b, &c->bases)
        if (!cu_is_noexcept(f, cu_find_dtor(f, b->cls)))
            return false;
    for (const struct field *fd = c->fields; fd; fd = fd->next) {
        const struct type *t = fd->d.type;
        while (t->kind == TY_ARRAY)
            t = t->elem;
        if (t->kind == TY_CLASS && !cu_is_noexcept(f, cu_find_dtor(f, t->cls)))
            return false;
    }
    return true;
}

bool cu_is_noexcept(struct front *f, struct func *fn)
{
    if (fn->inherits && fn->is_ctor)
        return cu_is_noexcept(f, fn->inherits);
    if (fn->noexcept_known)
        return fn->noexcept_known == 2;
    fn->noexcept_known = 1; /* while it is found out */
    struct spec_job j = {.fn = fn};
    if (fn->noexcept_pos)
        j.yes = cu_try_quietly(f, try_spec, &j) && j.yes;
    else if (fn->is_dtor && fn->cls && !fn->is_noexcept)
        j.yes = ends_quietly(f, fn->cls);
    else if (fn->is_noexcept || fn->builtin)
        j.yes = true;
    else if (fn->is_defaulted && !fn->is_deleted)
        j.yes = cu_try_quietly(f, try_parts, &j) && j.yes;
    fn->noexcept_known = j.yes ? 2 : 1;
    return j.yes;
}

struct type *cu_seen_type(struct front *f, struct func *fn)
{
    return f->noexcept_types && cu_is_noexcept(f, fn)
               ? cu_noexcept_type(f, fn->d.type, NOEXCEPT_YES, NULL, 0)
               : fn->d.type;
}

struct type *cu_address_type(struct front *f, struct func *fn)
{
    struct type *t = cu_seen_type(f, fn);
    return fn->cls && !fn->is_static ? cu_memptr_to(f, fn->cls->type, t) : cu_pointer_to(f, t);
}

/* The condition in noexcept(…) of a type that is written: NULL where there is none. */
static struct expr *written_condition(struct front *f, const struct declarator *d)
{
    if (!d->noexcept_pos)
        return NULL;
    const size_t end = f->pos;
    const unsigned no_gt = f->no_gt;
    struct scope *const scope = f->scope;
    f->pos = d->noexcept_pos;
    f->scope = d->params_scope;
    f->no_gt = 0;
    f->unevaluated++;
    struct expr *e = cu_parse_cond(f);
    f->unevaluated--;
    f->no_gt = no_gt;
    f->scope = scope;
    f->pos = end;
    return e;
}

void cu_settle_noexcept(struct front *f, struct declarator *d)
{
    if (!d->is_noexcept || d->type->kind != TY_FUNC || !f->noexcept_types)
        return;
    struct expr *e = written_condition(f, d);
    const bool open = e && e->kind == EX_DEPENDENT;
    const struct token *second = &f->toks[d->noexcept_pos + 1];
    const bool alone =
        open && e->targs && second->kind == TOKEN_PUNCT && second->punct == PUNCT_RPAREN;
    if (alone)
        d->type = cu_noexcept_type(f, d->type, NOEXCEPT_PARAM, e->targs->param_owner,
                                   e->targs->param_index);
    else if (open)
        d->type = cu_noexcept_type(f, d->type, NOEXCEPT_DEPENDENT, NULL, 0);
    else if (!e || cu_require_int(f, cu_bool(f, e), "noexcept"))
        d->type = cu_noexcept_type(f, d->type, NOEXCEPT_YES, NULL, 0);
    d->is_noexcept = false;
    d->noexcept_pos = 0;
}

static bool any_throws(struct front *f, struct expr *const *list, size_t n, unsigned depth)
{
    for (size_t i = 0; i < n; i++)
        if (throws(f, list[i], depth))
            return true;
    return false;
}

/* A function through a pointer or one to a member, whose type says what is promised; or a declval
 * that is a variable, of a template that nobody defines. */
static bool promises(const struct expr *callee)
{
    const struct type *t = callee->type->kind == TY_POINTER ? callee->type->elem : callee->type;
    if (t->kind == TY_FUNC && t->func_noexcept == NOEXCEPT_YES)
        return true;
    while (callee && (callee->kind == EX_LOAD || callee->kind == EX_DEREF))
        callee = callee->a;
    return callee && callee->kind == EX_VAR && callee->u.var->tmpl && !callee->u.var->init_pos;
}

static bool throws(struct front *f, const struct expr *e, unsigned depth)
{
    if (!e)
        return false;
    if (depth > CU_MAX_NESTING)
        return true;
    depth++;
    switch (e->kind) {
    case EX_CALL:
        if (e->u.func ? !cu_is_noexcept(f, e->u.func) : !promises(e->a))
            return true;
        break;
    case EX_CONSTRUCT:
        if (!cu_is_noexcept(f, e->u.func))
            return true;
        break;
    case EX_NEW:
    case EX_STMT:
    case EX_LAUNCH: return true;
    case EX_INIT:
        for (size_t i = 0; i < e->u.init.n; i++)
            if (throws(f, e->u.init.items[i].value, depth))
                return true;
        return false;
    default: break;
    }
    return throws(f, e->a, depth) || throws(f, e->b, depth) || throws(f, e->c, depth) ||
           any_throws(f, e->args, e->nargs, depth);
}

/* Are functions called that are not there to copy bytes? */
bool cu_runs_code(const struct expr *e)
{
    if (!e)
        return false;
    if (e->kind == EX_CALL || e->kind == EX_CONSTRUCT)
        return true;
    for (size_t i = 0; i < e->nargs; i++)
        if (cu_runs_code(e->args[i]))
            return true;
    for (size_t i = 0; e->kind == EX_INIT && i < e->u.init.n; i++)
        if (cu_runs_code(e->u.init.items[i].value))
            return true;
    return cu_runs_code(e->a) || cu_runs_code(e->b) || cu_runs_code(e->c);
}

bool cu_throws(struct front *f, const struct expr *e)
{
    return throws(f, e, 0);
}
