/* Arrays in host functions whose sizes are known at run time only, which g++ has in C++ as C has
 * them.
 *
 * `T a[n]` becomes a variable without a name that owns the memory, std::__tern_run<T>
 * (<tern_run.h>), and `a` stands for the array of unknown size that it points to: elements, decay
 * and passing on are those of every array. With more than one such size (`T a[n][m]`) there is no
 * type for a row; `a` is an object then, whose rows are objects (std::__tern_rows). sizeof and
 * range-based for ask the owner. What has no meaning here is refused: pointers to such arrays,
 * names of such types, static ones. */
#include "front/cuda/sema/sema.h"

static bool instance_of(struct front *f, const struct type *t, const char *name)
{
    return t->kind == TY_CLASS && t->cls->tmpl &&
           t->cls->tmpl->d.name == intern_z(f->names, name) && t->cls->tmpl->d.scope == f->std;
}

/* The owner of what e is, or NULL. */
static struct expr *owner(struct front *f, struct expr *e)
{
    if (instance_of(f, e->type, "__tern_rows") || instance_of(f, e->type, "__tern_row"))
        return e;
    if (e->kind != EX_DEREF || e->type->kind != TY_ARRAY || e->type->count != ARRAY_UNKNOWN)
        return NULL;
    for (e = e->a; e; e = e->a)
        if (e->kind == EX_MEMBER)
            return instance_of(f, e->a->type, "__tern_run") ? e->a : NULL;
    return NULL;
}

struct expr *cu_runtime_sizeof(struct front *f, struct expr *e, struct span at)
{
    struct expr *o = owner(f, e);
    return o ? cu_call_method(f, o, intern_z(f->names, "__bytes"), NULL, 0, at) : NULL;
}

struct expr *cu_runtime_range(struct front *f, struct expr *e)
{
    struct expr *o = owner(f, e);
    return o ? o : e;
}

static struct type *owner_type(struct front *f, const struct declarator *d)
{
    const char *name = d->nbounds > 1 ? "__tern_rows" : "__tern_run";
    struct targ args[2] = {cu_targ_type(d->type), cu_targ_int(cu_type(f, TY_INT), d->nbounds)};
    struct found r;
    if (!f->std || !cu_lookup_in(f, f->std, intern_z(f->names, name), &r) ||
        r.decls[0]->kind != DECL_TEMPLATE)
        cu_error(f, d->span, "the size of an array has to be a constant");
    struct type *t = cu_instantiate_class(f, (struct template_info *)r.decls[0], args,
                                          d->nbounds > 1 ? 2 : 1, d->span);
    cu_complete(f, t, d->span);
    return t;
}

static void refuse(struct front *f, const struct declspec *ds, const struct declarator *d)
{
    const char *what = ds->is_typedef                      ? "a type"
                       : ds->is_static || ds->is_extern    ? "a static variable"
                       : ds->is_thread_local               ? "a thread_local variable"
                       : ds->is_constexpr || ds->has_space ? "such a variable"
                                                           : NULL;
    if (what)
        cu_error(f, d->span, "the size of an array has to be a constant in %s", what);
    if (ds->align || d->align)
        cu_error(f, d->span, "an array whose size is not constant cannot be aligned");
}

static struct expr *parse_list(struct front *f, const struct declarator *d)
{
    cu_accept(f, PUNCT_ASSIGN);
    if (!cu_is(f, PUNCT_LBRACE))
        cu_error(f, d->span, "an array whose size is not constant is initialised by a list");
    struct expr *list = cu_parse_braced(f);
    if (list->nargs && (d->nbounds > 1 || d->type->kind == TY_ARRAY))
        cu_error(f, d->span, "only {} initialises rows of an array whose size is not constant");
    return list;
}

/* The elements that a list names; the others are zero by then. */
static struct stmt **give(struct front *f, const struct declarator *d, struct var *whole,
                          const struct expr *list, struct stmt **tail)
{
    for (size_t i = 0; i < list->nargs; i++) {
        struct expr *index = cu_int_expr(f, f->size_type, i, d->span);
        struct expr *to = cu_call_method(f, cu_var_expr(f, whole, d->span),
                                         intern_z(f->names, "__at"), &index, 1, d->span);
        struct stmt *s = cu_stmt_new(f, STMT_EXPR, d->span);
        s->cond = cu_assign(f, PUNCT_ASSIGN, to,
                            cu_init_copy(f, d->type, list->args[i], "initialising"), d->span);
        *tail = s;
        tail = &s->next;
    }
    return tail;
}

static void dependent(struct front *f, const struct declarator *d, struct var *v)
{
    v->d.type = cu_type(f, TY_DEPENDENT);
    cu_declare(f, f->scope, &v->d);
    if (!cu_is(f, PUNCT_SEMI) && !cu_is(f, PUNCT_COMMA))
        parse_list(f, d);
}

struct stmt *cu_runtime_array(struct front *f, struct declspec *ds, struct declarator *d)
{
    refuse(f, ds, d);
    struct var *whole = cu_decl_alloc(f, sizeof *whole, DECL_VAR, d->name, d->span);
    struct decl *old = cu_find_local(f, f->scope, d->name);
    if (old && old->pos < d->pos && old->kind == DECL_VAR)
        cu_error_note(f, d->span, old->span, "declared here first", "'%s' is declared twice",
                      d->name);
    whole->func = f->func;
    whole->d.pos = d->pos;
    if (f->pattern) {
        dependent(f, d, whole);
        return NULL;
    }
    struct type *t = owner_type(f, d);
    whole->d.type = t;
    if (d->nbounds == 1) {
        struct type *all = cu_pointer_to(f, cu_array_of(f, d->type, ARRAY_UNKNOWN));
        struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d->name, d->span);
        whole->d.name = NULL;
        v->func = f->func;
        v->d.pos = d->pos;
        struct expr *at =
            cu_member_expr(f, cu_var_expr(f, whole, d->span), t->cls->fields, d->span);
        v->alias = cu_deref(f, cu_reinterpret_cast(f, at, all, d->span), d->span);
        v->d.type = v->alias->type;
        cu_declare(f, f->scope, &v->d);
    } else {
        cu_declare(f, f->scope, &whole->d);
    }
    const bool listed = !cu_is(f, PUNCT_SEMI) && !cu_is(f, PUNCT_COMMA);
    const struct expr *list = listed ? parse_list(f, d) : NULL;
    struct expr *args[CU_RUNTIME_SIZES + 1] = {cu_bool_expr(f, list != NULL, d->span)};
    for (size_t i = 0; i < d->nbounds; i++)
        args[1 + i] = cu_convert(f, d->bounds[i], f->size_type, "as the size of an array");
    whole->init = cu_init_direct(f, t, args, 1 + d->nbounds, d->span);
    whole->init_parsed = true;
    struct stmt *s = cu_stmt_new(f, STMT_DECL, d->span);
    s->var = whole;
    if (list)
        give(f, d, whole, list, &s->next);
    return s;
}
