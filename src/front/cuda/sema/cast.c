/* Explicit casts in all their spellings. */
#include "front/cuda/sema/sema.h"

static bool numeric(const struct type *t)
{
    return cu_is_arith(t) || t->kind == TY_ENUM;
}

static struct expr *down(struct front *f, struct expr *e, struct type *result,
                         struct class_info *derived, struct class_info *base, enum value_cat cat,
                         struct span s)
{
    cu_layout(f, derived, s);
    struct base_path path;
    bool ambiguous = false;
    cu_find_base(derived, base, &path, &ambiguous);
    if (ambiguous)
        cu_error(f, s, "'%s' is an ambiguous base class", cu_type_str(f, base->type));
    if (path.through)
        cu_error(f, s, "'%s' is a virtual base class of '%s': only dynamic_cast finds the way back",
                 cu_type_str(f, base->type), cu_type_str(f, derived->type));
    struct expr *r = cu_expr_new(f, EX_DOWNCAST, result, cat, s);
    r->a = e;
    r->u.i = path.offset;
    return r;
}

struct static_job {
    struct expr *e, *out;
    struct type *to;
    struct span s;
};

static void try_direct(struct front *f, void *arg)
{
    struct static_job *j = arg;
    j->out = cu_init_direct(f, j->to, &j->e, 1, j->s);
}

/* NULL when a static_cast cannot do it. */
static struct expr *static_or_null(struct front *f, struct expr *e, struct type *to, struct span s)
{
    if (to->kind == TY_VOID) {
        struct expr *r = cu_expr_new(f, EX_CAST, to, CAT_PR, s);
        r->a = e->kind == EX_OVERLOAD ? cu_rvalue(f, e) : e;
        return r;
    }
    if (cu_is_ref(to)) {
        struct type *t = to->elem;
        /* To a derived class; and an lvalue as an rvalue of its own type: std::move. */
        if (e->cat != CAT_PR && cu_derives(f, t, e->type) && !(e->type->quals & ~t->quals))
            return down(f, e, t, t->cls, e->type->cls, to->kind == TY_LREF ? CAT_L : CAT_X, s);
        if (to->kind == TY_RREF && e->cat != CAT_PR && e->kind != EX_OVERLOAD &&
            !(e->type->quals & ~t->quals) &&
            (e->type->unqual == t->unqual || (e->type->kind == TY_ARRAY && e->type == t)))
            return cu_glvalue_cast(f, e, to);
        if (to->kind == TY_RREF && e->cat != CAT_PR && cu_derives(f, e->type, t) &&
            !(e->type->quals & ~t->quals))
            return cu_glvalue_cast(f, cu_upcast(f, e, t), to);
        struct ics c = cu_ics(f, e, to, true);
        if (c.rank == ICS_NONE)
            return NULL;
        struct expr *r = cu_apply(f, e, to, &c);
        return r;
    }
    if (to->kind == TY_CLASS) {
        struct static_job j = {.e = e, .to = to->unqual, .s = s};
        if (!cu_try_quietly(f, try_direct, &j))
            return NULL;
        return j.out;
    }
    if (e->type->kind == TY_CLASS || e->kind == EX_OVERLOAD || e->kind == EX_BRACED) {
        struct static_job j = {.e = e, .to = to->unqual, .s = s};
        if (!cu_try_quietly(f, try_direct, &j))
            return NULL;
        return j.out;
    }
    struct expr *v = cu_rvalue(f, e);
    struct type *from = v->type->unqual, *t = to->unqual;
    if (numeric(from) && numeric(t))
        return cu_cast_scalar(f, v, t, true);
    if (from == t)
        return v;
    struct ics c = cu_ics(f, v, t, true);
    if (c.rank != ICS_NONE)
        return cu_apply(f, v, t, &c);
    if (from->kind == TY_POINTER && t->kind == TY_POINTER &&
        !(from->elem->quals & ~t->elem->quals)) {
        if (from->elem->kind == TY_VOID && t->elem->kind != TY_FUNC)
            return cu_cast_scalar(f, v, t, true);
        if (cu_derives(f, t->elem, from->elem))
            return down(f, v, t, t->elem->cls, from->elem->cls, CAT_PR, s);
    }
    /* A member of a derived class as one of the base that it is in. */
    if (from->kind == TY_MEMPTR && t->kind == TY_MEMPTR && from->elem->unqual == t->elem->unqual &&
        !(from->elem->quals & ~t->elem->quals) && cu_derives(f, from->cls->type, t->cls->type))
        return cu_cast_scalar(f, v, t, true);
    return NULL;
}

struct expr *cu_static_cast(struct front *f, struct expr *e, struct type *to, struct span s,
                            bool c_style)
{
    if (e->kind == EX_DEPENDENT || to->dependent)
        return cu_dependent(f, s);
    struct expr *r = static_or_null(f, e, to, s);
    if (!r && !c_style) {
        if (f->caught.set && (to->kind == TY_CLASS || e->type->kind == TY_CLASS)) {
            const char *why = f->caught.message;
            cu_error(f, s, "'%s' cannot be cast to '%s': %s", cu_type_str(f, e->type),
                     cu_type_str(f, to), why);
        }
        cu_error(f, s, "'%s' cannot be cast to '%s' by static_cast", cu_type_str(f, e->type),
                 cu_type_str(f, to));
    }
    return r;
}

static struct expr *reinterpret_or_null(struct front *f, struct expr *e, struct type *to,
                                        struct span s)
{
    if (cu_is_ref(to)) {
        if (e->cat == CAT_PR)
            return NULL;
        struct expr *r =
            cu_expr_new(f, EX_BITCAST, to->elem, to->kind == TY_LREF ? CAT_L : CAT_X, s);
        r->a = e;
        return r;
    }
    struct expr *v = cu_rvalue(f, e);
    struct type *from = v->type->unqual, *t = to->unqual;
    if (from == t)
        return v;
    bool pf = from->kind == TY_POINTER || from->kind == TY_NULLPTR, pt = t->kind == TY_POINTER;
    if ((pf && pt) || (pf && cu_is_integral(t) && cu_bits(t) >= 32) ||
        (pt && cu_is_integral(from)) || (pf && t->kind == TY_ENUM))
        return cu_cast_scalar(f, v, t, true);
    if (from->kind == TY_MEMPTR && t->kind == TY_MEMPTR &&
        (from->elem->kind == TY_FUNC) == (t->elem->kind == TY_FUNC))
        return cu_cast_scalar(f, v, t, true);
    return NULL;
}

struct expr *cu_reinterpret_cast(struct front *f, struct expr *e, struct type *to, struct span s)
{
    if (e->kind == EX_DEPENDENT || to->dependent)
        return cu_dependent(f, s);
    struct expr *r = reinterpret_or_null(f, e, to, s);
    if (!r)
        cu_error(f, s, "'%s' cannot be cast to '%s' by reinterpret_cast", cu_type_str(f, e->type),
                 cu_type_str(f, to));
    return r;
}

static struct type *strip_all_quals(struct front *f, struct type *t)
{
    if (t->kind == TY_POINTER)
        return cu_pointer_to(f, strip_all_quals(f, t->elem));
    if (cu_is_ref(t))
        return strip_all_quals(f, t->elem);
    return t->unqual;
}

struct expr *cu_const_cast(struct front *f, struct expr *e, struct type *to, struct span s)
{
    if (e->kind == EX_DEPENDENT || to->dependent)
        return cu_dependent(f, s);
    if (cu_is_ref(to)) {
        if (e->type->unqual != to->elem->unqual &&
            strip_all_quals(f, e->type) != strip_all_quals(f, to->elem))
            cu_error(f, s, "const_cast from '%s' to '%s' changes more than const",
                     cu_type_str(f, e->type), cu_type_str(f, to));
        return cu_glvalue_cast(f, cu_materialize(f, e), to);
    }
    struct expr *v = cu_rvalue(f, e);
    if (strip_all_quals(f, v->type) != strip_all_quals(f, to))
        cu_error(f, s, "const_cast from '%s' to '%s' changes more than const",
                 cu_type_str(f, e->type), cu_type_str(f, to));
    return cu_cast_scalar(f, v, to, true);
}

struct expr *cu_c_cast(struct front *f, struct expr *e, struct type *to, struct span s)
{
    if (e->kind == EX_DEPENDENT || to->dependent)
        return cu_dependent(f, s);
    if (to->kind == TY_AUTO)
        to = cu_deduce_auto(f, to, e, s);
    if (to->kind == TY_ARRAY || to->kind == TY_FUNC)
        cu_error(f, s, "a cast to '%s' is not possible", cu_type_str(f, to));
    /* Pointers: a cast may drop qualifiers on the way. */
    if (to->kind == TY_POINTER && e->kind != EX_OVERLOAD && e->type->kind != TY_CLASS &&
        e->kind != EX_BRACED) {
        struct expr *v = cu_rvalue(f, e);
        if (v->type->kind == TY_POINTER) {
            struct type *keep = cu_pointer_to(
                f, cu_qualified(f, to->elem,
                                v->type->elem->kind == TY_FUNC ? 0 : v->type->elem->quals));
            struct expr *r = static_or_null(f, v, keep, s);
            if (r)
                return r->type == to->unqual ? r : cu_cast_scalar(f, r, to, true);
        }
    }
    if (cu_is_ref(to) && e->cat != CAT_PR && e->kind != EX_OVERLOAD && e->type->kind == TY_CLASS &&
        to->elem->kind == TY_CLASS) {
        struct type *keep = cu_qualified(f, to->elem, e->type->quals);
        keep = to->kind == TY_LREF ? cu_lref_to(f, keep) : cu_rref_to(f, keep);
        struct expr *r = static_or_null(f, e, keep, s);
        if (r)
            return cu_glvalue_cast(f, r, to);
    }
    struct expr *r = static_or_null(f, e, to, s);
    if (r)
        return r;
    const char *why = f->caught.set && (to->kind == TY_CLASS || e->type->kind == TY_CLASS)
                          ? f->caught.message
                          : NULL;
    r = to->kind == TY_CLASS ? NULL : reinterpret_or_null(f, e, to, s);
    if (!r && why)
        cu_error(f, s, "'%s' cannot be cast to '%s': %s", cu_type_str(f, e->type),
                 cu_type_str(f, to), why);
    if (!r)
        cu_error(f, s, "'%s' cannot be cast to '%s'", cu_type_str(f, e->type), cu_type_str(f, to));
    return r;
}

/* T(args) and T{args}; for braces args[0] is the list. */
struct expr *cu_functional_cast(struct front *f, struct type *to, struct expr **args, size_t n,
                                bool braced, struct span s)
{
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind == EX_DEPENDENT)
            return cu_dependent(f, s);
    if (to->dependent)
        return cu_dependent(f, s);
    if (to->kind == TY_AUTO) {
        if (to->tmpl)
            to = cu_deduce_class(f, to->tmpl, braced ? args[0]->args : args,
                                 braced ? args[0]->nargs : n, braced, s);
        else if (n == 1)
            to = cu_deduce_auto(f, to, args[0], s);
        if (to->dependent)
            return cu_dependent(f, s);
    }
    if (to->kind == TY_CLASS) {
        cu_complete(f, to, s);
        if (to->cls->abstract)
            cu_error(f, s, "'%s' has pure virtual functions: no object of it can be made",
                     cu_type_str(f, to));
    }
    if (braced) {
        struct expr *r = cu_init_list(f, to->unqual, args[0], false);
        r->span = s;
        return r;
    }
    if (n == 0)
        return to->kind == TY_VOID ? cu_expr_new(f, EX_ZERO, to, CAT_PR, s)
                                   : cu_init_value(f, to->unqual, s);
    if (n == 1 && args[0]->kind != EX_BRACED)
        return cu_c_cast(f, args[0], to, s);
    return cu_init_direct(f, to->unqual, args, n, s);
}
