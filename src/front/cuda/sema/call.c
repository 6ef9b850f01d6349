/* Calls and member access. */
#include "front/cuda/sema/sema.h"

static bool any_dependent(struct expr **args, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind == EX_DEPENDENT || args[i]->type->dependent)
            return true;
    return false;
}

static struct expr *call_result(struct front *f, enum expr_kind k, struct type *result,
                                struct span s)
{
    enum value_cat cat = result->kind == TY_LREF ? CAT_L : result->kind == TY_RREF ? CAT_X : CAT_PR;
    struct type *t = cu_noref(result);
    if (cat == CAT_PR && t->kind != TY_CLASS)
        t = t->unqual;
    if (cat == CAT_PR && t->kind == TY_CLASS) {
        t = t->unqual;
        if (!f->unevaluated)
            cu_complete(f, t, s);
    }
    return cu_expr_new(f, k, t, cat, s);
}

static bool trivial_assignment(struct front *f, struct func *fn, struct expr *arg)
{
    if (!fn->is_defaulted || fn->op != PUNCT_ASSIGN || !fn->cls)
        return false;
    return arg->type->kind == TY_CLASS &&
           cu_trivial_assign(f, fn->cls, fn->d.type->params[0]->kind == TY_RREF);
}

struct expr *cu_call_func(struct front *f, struct func *fn, struct expr *object, struct expr **args,
                          size_t n, bool qualified, struct span s)
{
    if (fn->is_deleted)
        cu_error_note(f, s, fn->d.span, "it is deleted here", "'%s' is deleted", fn->d.name);
    if (fn->cls)
        cu_check_access(f, &fn->d,
                        object && object->type->kind == TY_CLASS ? object->type->cls : NULL, s);
    if (fn->builtin)
        return cu_builtin_call(f, fn->builtin - 1u, NULL, args, n, s);
    cu_use_func(f, fn, s);
    bool method = fn->cls && !fn->is_static && !fn->is_ctor;
    if (method && !object)
        cu_error(f, s, "'%s' is a member of '%s' and needs an object", fn->d.name,
                 cu_type_str(f, fn->cls->type));
    if (method) {
        if (object->cat == CAT_PR)
            object = cu_materialize(f, object);
        if (object->type->cls != fn->cls)
            object = cu_upcast(f, object, fn->cls->type);
    }
    if (method && n == 1 && trivial_assignment(f, fn, args[0])) {
        struct expr *v = cu_convert(f, args[0], fn->d.type->params[0], "assigning");
        struct expr *load = cu_expr_new(f, EX_LOAD, fn->cls->type, CAT_PR, s);
        load->a = v;
        struct expr *e = cu_expr_new(f, EX_ASSIGN, object->type, CAT_L, s);
        e->a = object;
        e->b = v->kind == EX_TEMP && v->a->cat == CAT_PR ? v->a : load;
        return e;
    }
    if (fn->d.type->elem->kind == TY_AUTO ||
        (cu_is_ref(fn->d.type->elem) && fn->d.type->elem->elem->kind == TY_AUTO) ||
        (fn->auto_result && fn->state != BODY_DONE)) {
        cu_parse_body(f, fn);
        if (fn->d.type->elem->kind == TY_AUTO)
            cu_error_note(f, s, fn->d.span, "declared here",
                          "the result type of '%s' is not known here", fn->d.name);
    }
    struct expr *e = call_result(f, EX_CALL, fn->d.type->elem, s);
    e->u.func = fn;
    e->b = method ? object : NULL;
    e->flag = method && fn->is_virtual && !qualified;
    e->args = cu_convert_args(f, fn, args, n, &e->nargs, s);
    struct targ value;
    if (fn->is_consteval && f->func && !f->func->is_consteval && !f->unevaluated && !f->pattern &&
        cu_is_scalar(e->type) && !cu_const_value(f, e, &value))
        cu_error_note(f, s, fn->d.span, "declared consteval here",
                      "'%s' can only be called with constants", fn->d.name);
    if (!method && object && object->kind != EX_DEREF && object->kind != EX_VAR &&
        object->kind != EX_THIS) {
        struct expr *c = cu_comma(f, object, e, s); /* the object expression is still evaluated */
        return c;
    }
    return e;
}

static struct expr *call_pointer(struct front *f, struct expr *callee, struct expr **args, size_t n,
                                 struct span s)
{
    struct expr *object = NULL;
    struct type *t;
    if (callee->kind == EX_MEMPTR_REF && callee->type->kind == TY_FUNC) {
        object = callee->a;
        t = callee->type;
    } else {
        callee = cu_rvalue(f, callee);
        if (callee->type->kind != TY_POINTER || callee->type->elem->kind != TY_FUNC)
            cu_error(f, s, "'%s' is not a function", cu_type_str(f, callee->type));
        t = callee->type->elem;
    }
    if (n < t->nparams || (n > t->nparams && !t->variadic))
        cu_error(f, s, "the function takes %zu argument%s, not %zu", t->nparams,
                 t->nparams == 1 ? "" : "s", n);
    struct expr *e = call_result(f, EX_CALL, t->elem, s);
    e->a = callee;
    e->b = object;
    e->nargs = n;
    e->args = arena_array(f->a, struct expr *, n + 1);
    for (size_t i = 0; i < n; i++)
        e->args[i] = i < t->nparams ? cu_init_copy(f, t->params[i], args[i],
                                                   arena_printf(f->a, "argument %zu", i + 1))
                                    : cu_rvalue(f, args[i]);
    return e;
}

struct expr *cu_call(struct front *f, struct expr *callee, struct expr **args, size_t n,
                     struct span s)
{
    if (callee->kind == EX_DEPENDENT ||
        (callee->kind != EX_OVERLOAD && callee->kind != EX_BUILTIN && callee->type->dependent))
        return cu_dependent(f, s);
    if (any_dependent(args, n)) {
        if (callee->kind == EX_OVERLOAD || callee->kind == EX_BUILTIN || f->pattern)
            return cu_dependent(f, s);
    }
    if (callee->kind == EX_BUILTIN && callee->flag)
        return cu_builtin_call(f, (unsigned)callee->u.i, callee, args, n, s);
    if (callee->kind == EX_OVERLOAD) {
        struct found set = {
            .decls = callee->u.set.decls, .n = callee->u.set.ndecls, .cap = callee->u.set.ndecls};
        bool member = callee->a || callee->in_class;
        bool local = set.n && set.decls[0]->scope && (set.decls[0]->scope->kind == SCOPE_BLOCK);
        if (!callee->qualified && !member && !local && callee->u.set.name)
            cu_lookup_adl(f, callee->u.set.name, args, n, &set);
        if (!set.n) {
            unsigned b = callee->u.set.name ? cu_find_builtin(f, callee->u.set.name) : 0;
            if (b)
                return cu_builtin_call(f, b - 1, callee, args, n, s);
            cu_undeclared(f, callee->u.set.name, callee->span, NULL);
        }
        if (callee->targs && cu_targs_dependent(callee->targs, callee->ntargs))
            return cu_dependent(f, s);
        struct func *fn = cu_resolve(f, set.decls, set.n, callee->a, callee->targs, callee->ntargs,
                                     callee->has_targs, args, n, s, callee->u.set.name, false);
        return cu_call_func(f, fn, callee->a, args, n, callee->qualified, s);
    }
    if (callee->type->kind == TY_CLASS) {
        cu_complete(f, callee->type, s);
        struct found r = {0};
        if (cu_lookup_member(f, callee->type->cls, cu_operator_name(f, OPN_CALL), &r)) {
            struct func *fn = cu_resolve(f, r.decls, r.n, callee, NULL, 0, false, args, n, s,
                                         "operator()", false);
            return cu_call_func(f, fn, callee, args, n, false, s);
        }
        struct expr *v = cu_integral_operand(f, callee);
        if (v->type->kind == TY_CLASS)
            cu_error(f, s, "'%s' cannot be called", cu_type_str(f, callee->type));
        callee = v;
    }
    return call_pointer(f, callee, args, n, s);
}

struct expr *cu_call_method(struct front *f, struct expr *object, const char *name,
                            struct expr **args, size_t n, struct span s)
{
    struct found r = {0};
    if (object->type->kind != TY_CLASS)
        return NULL;
    cu_complete(f, object->type, s);
    if (!cu_lookup_member(f, object->type->cls, name, &r))
        return NULL;
    if (r.decls[0]->kind != DECL_FUNC && r.decls[0]->kind != DECL_TEMPLATE)
        return NULL;
    struct func *fn = cu_resolve(f, r.decls, r.n, object, NULL, 0, false, args, n, s, name, false);
    return cu_call_func(f, fn, object, args, n, false, s);
}

/* ---- members ---- */

struct expr *cu_member_expr(struct front *f, struct expr *base, struct field *fd, struct span s)
{
    if (fd->outer) /* inside an anonymous struct or union */
        base = cu_member_expr(f, base, fd->outer, s);
    if (base->cat == CAT_PR)
        base = cu_materialize(f, base);
    if (base->type->kind == TY_CLASS && base->type->cls != fd->cls)
        base = cu_upcast(f, base, fd->cls->type);
    unsigned quals = base->type->quals;
    if (fd->is_mutable)
        quals &= ~(unsigned)QUAL_CONST;
    struct type *t = cu_is_ref(fd->d.type) ? fd->d.type->elem : cu_qualified(f, fd->d.type, quals);
    struct expr *e = cu_expr_new(f, EX_MEMBER, t,
                                 cu_is_ref(fd->d.type) ? CAT_L
                                 : base->cat == CAT_L  ? CAT_L
                                                       : CAT_X,
                                 s);
    e->a = base;
    e->u.field = fd;
    return e;
}

/* base.~T() */
static struct expr *destroy(struct front *f, struct expr *base, struct span s)
{
    cu_expect(f, PUNCT_LPAREN, "after the destructor's name");
    cu_expect(f, PUNCT_RPAREN, "after the destructor's name");
    struct type *t = base->type;
    if (t->kind == TY_CLASS && !cu_trivial_dtor(f, t)) {
        struct func *d = cu_find_dtor(f, t->cls);
        return cu_call_func(f, d, base, NULL, 0, false, s);
    }
    struct expr *e = cu_expr_new(f, EX_CAST, cu_type(f, TY_VOID), CAT_PR, s);
    e->a = base;
    return e;
}

/* name:: or name<…>:: */
static bool qualifier_follows(struct front *f)
{
    if (!cu_is_name(f))
        return false;
    if (cu_peek_is(f, 1, PUNCT_SCOPE))
        return true;
    if (!cu_peek_is(f, 1, PUNCT_LT))
        return false;
    size_t end = cu_skip_angles(f, f->pos + 1);
    return end != f->pos + 1 && f->toks[end].kind == TOKEN_PUNCT &&
           f->toks[end].punct == PUNCT_SCOPE;
}

struct expr *cu_member_access(struct front *f, struct expr *base, bool arrow, struct span s)
{
    bool dep = base->kind == EX_DEPENDENT || base->type->dependent;
    if (!dep && arrow) {
        for (unsigned i = 0; base->type->kind == TY_CLASS; i++) {
            struct expr *r = cu_try_operator(f, PUNCT_ARROW, &base, 1, s);
            if (!r)
                cu_error(f, s, "'%s' is not a pointer; '.' was meant?", cu_type_str(f, base->type));
            base = r;
            if (i > 64)
                cu_error(f, s, "operator-> never ends in a pointer");
        }
        struct type *t = cu_decayed(f, base->type);
        if (t->kind != TY_POINTER)
            cu_error(f, s, "'%s' is not a pointer", cu_type_str(f, base->type));
        base = cu_deref(f, base, s);
        dep = base->kind == EX_DEPENDENT || base->type->dependent;
    }
    if (dep) {
        struct qname q = {.dependent = true};
        cu_parse_qname(f, &q, QN_MEMBER | QN_EXPR);
        return cu_dependent(f, s);
    }
    if (cu_is(f, PUNCT_TILDE) && base->type->kind != TY_CLASS) {
        struct qname q = {0};
        cu_parse_qname(f, &q, QN_MEMBER);
        return destroy(f, base, s);
    }
    if (base->type->kind != TY_CLASS) {
        struct type *t = base->type;
        if (!arrow && t->kind == TY_POINTER)
            cu_error(f, s, "'%s' is a pointer; '->' was meant?", cu_type_str(f, t));
        /* p->~T() with T spelled through a qualified or typedef name of a scalar */
        cu_error(f, s, "'%s' has no members", cu_type_str(f, t));
    }
    cu_complete(f, base->type, s);
    struct class_info *c = base->type->cls;
    struct qname q = {.scope = c->scope};
    bool qualified = false;
    /* base.Class::name, base.template Class<…>::name */
    size_t start = f->pos;
    const bool marked = cu_accept_kw(f, KW_template);
    if (marked && !qualifier_follows(f))
        f->pos = start;
    if (qualifier_follows(f)) {
        struct qname outer = {0};
        if (cu_parse_qualifier(f, &outer, QN_EXPR)) {
            qualified = true;
            q = outer;
            if (q.dependent) { /* a pack's element, before it is expanded */
                cu_parse_qname(f, &q, QN_MEMBER | QN_EXPR);
                return cu_dependent(f, s);
            }
            if (!q.scope || q.scope->kind != SCOPE_CLASS) {
                f->pos = start;
                cu_error(f, cu_span(f), "this does not name a class");
            }
        }
    }
    struct qname name = q;
    cu_parse_qname(f, &name, QN_MEMBER | QN_EXPR);
    if (name.kind == NAME_DTOR)
        return destroy(f, base, s);
    struct found r;
    if (!cu_lookup_in(f, q.scope, name.name, &r)) {
        if (name.kind == NAME_CONVERSION) {
            struct ics k = cu_ics(f, base, name.conversion, true);
            if (k.rank == ICS_USER && !k.user->is_ctor) {
                struct decl **one = arena_array(f->a, struct decl *, 1);
                one[0] = &k.user->d;
                r = (struct found){.decls = one, .n = 1};
                goto found;
            }
        }
        cu_undeclared(f, name.name, name.span, q.scope);
    }
found:;
    struct decl *d = r.decls[0];
    if (r.ambiguous)
        cu_error(f, name.span, "'%s' is ambiguous: it is found in several base classes", name.name);
    switch (d->kind) {
    case DECL_FIELD:
        cu_check_access(f, d, c, name.span);
        return cu_member_expr(f, base, (struct field *)d, s);
    case DECL_VAR: {
        cu_check_access(f, d, c, name.span);
        struct expr *v = cu_var_expr(f, (struct var *)d, name.span);
        return v;
    }
    case DECL_CONST: return cu_targ_expr(f, &d->u.value, name.span);
    case DECL_POISON: cu_poisoned(f, d, name.span);
    case DECL_FUNC:
    case DECL_TEMPLATE: {
        if (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind == TEMPLATE_VAR &&
            name.has_targs)
            return cu_var_expr(f,
                               cu_instantiate_var(f, (struct template_info *)d, name.targs,
                                                  name.ntargs, name.span),
                               name.span);
        struct expr *e = cu_expr_new(f, EX_OVERLOAD, cu_type(f, TY_OVERLOAD), CAT_L, name.span);
        e->a = base;
        e->u.set.decls = r.decls;
        e->u.set.ndecls = r.n;
        e->u.set.name = name.name;
        e->targs = name.targs;
        e->ntargs = name.ntargs;
        e->has_targs = name.has_targs;
        e->qualified = qualified;
        e->in_class = c;
        return e;
    }
    default:
        cu_error_note(f, name.span, d->span, "declared here",
                      "'%s' is not a member that can be accessed so", name.name);
    }
}
