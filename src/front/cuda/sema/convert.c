/* Conversions: how well an expression fits a type (cu_ics), and making it fit (cu_apply). */
#include "front/cuda/sema/sema.h"

/* ---- standard conversions between scalars ---- */

/* Is a pointer (or reference) to `from` usable where one to `to` is wanted, but for added const? */
static bool qual_convertible(struct type *from, struct type *to, bool *changed)
{
    bool top = true, all_const = true;
    while (true) {
        if (from->kind == TY_ARRAY && to->kind == TY_ARRAY &&
            (from->count == to->count || to->count == ARRAY_UNKNOWN)) {
            from = from->elem;
            to = to->elem;
            continue;
        }
        if (from->quals & ~to->quals)
            return false;
        if (from->quals != to->quals) {
            *changed = true;
            if (!top && !all_const)
                return false;
        }
        if (!top && !(to->quals & QUAL_CONST))
            all_const = false;
        if (top && !(to->quals & QUAL_CONST))
            all_const = false;
        top = false;
        if (from->unqual == to->unqual)
            return true;
        if (from->kind != TY_POINTER || to->kind != TY_POINTER)
            return false;
        from = from->elem;
        to = to->elem;
    }
}

/* A function that throws nothing, where one may that throws. */
static bool forgets_noexcept(struct front *f, struct type *from, struct type *to)
{
    return from->kind == TY_FUNC && to->kind == TY_FUNC && from->func_noexcept && from != to &&
           cu_may_throw(f, from) == to;
}

static bool is_null_constant(struct expr *e)
{
    if (e->type->kind == TY_NULLPTR)
        return true;
    return e->kind == EX_INT && e->u.i == 0 && cu_is_integer(e->type) && e->cat == CAT_PR;
}

static enum ics_rank arith_rank(struct front *f, struct type *from, struct type *to)
{
    if (from == to)
        return ICS_EXACT;
    if (to->kind == TY_ENUM)
        return ICS_NONE;
    if (from->kind == TY_ENUM) {
        if (from->enumeration->scoped)
            return ICS_NONE;
        if (to == from->elem && from->enumeration->fixed)
            return ICS_PROMOTION;
        return cu_promoted(f, from) == to ? ICS_PROMOTION : ICS_CONVERSION;
    }
    if (cu_is_integer(from) && cu_is_integer(to) && cu_promoted(f, from) == to)
        return ICS_PROMOTION;
    if (from->kind == TY_FLOAT && to->kind == TY_DOUBLE)
        return ICS_PROMOTION;
    return ICS_CONVERSION;
}

/* How far below `base` a class stands. */
static unsigned distance(struct class_info *c, struct class_info *base)
{
    if (c == base)
        return 0;
    unsigned best = 1000;
    vec_each (struct base_class, b, &c->bases) {
        unsigned d = distance(b->cls, base);
        if (d + 1 < best)
            best = d + 1;
    }
    return best;
}

/* From the decayed type of e to a scalar type. */
static void standard(struct front *f, struct expr *e, struct type *from, struct type *to,
                     struct ics *c)
{
    from = from->unqual;
    to = to->unqual;
    c->rank = ICS_NONE;
    if (from == to) {
        c->rank = ICS_EXACT;
        return;
    }
    bool num_from = cu_is_arith(from) || from->kind == TY_ENUM,
         num_to = cu_is_arith(to) || to->kind == TY_ENUM;
    if (num_from && num_to) {
        c->rank = arith_rank(f, from, to);
        return;
    }
    if (to->kind == TY_BOOL && (from->kind == TY_POINTER || from->kind == TY_MEMPTR)) {
        c->rank = ICS_CONVERSION;
        c->bool_from_pointer = true;
        return;
    }
    if (to->kind == TY_POINTER || to->kind == TY_NULLPTR || to->kind == TY_MEMPTR) {
        if (e && is_null_constant(e)) {
            c->rank = ICS_CONVERSION;
            return;
        }
        if (from->kind == TY_NULLPTR) {
            c->rank = ICS_CONVERSION;
            return;
        }
    }
    if ((from->kind == TY_POINTER || from->kind == TY_MEMPTR) && from->kind == to->kind &&
        forgets_noexcept(f, from->elem, to->elem) &&
        (from->kind == TY_POINTER || from->cls == to->cls)) {
        c->rank = ICS_EXACT;
        c->qual_change = true;
        return;
    }
    if (from->kind == TY_POINTER && to->kind == TY_POINTER) {
        bool changed = false;
        if (qual_convertible(from->elem, to->elem, &changed)) {
            c->rank = ICS_EXACT;
            c->qual_change = changed;
            c->quals = to->elem->quals;
            return;
        }
        if (from->elem->quals & ~to->elem->quals)
            return;
        if (to->elem->kind == TY_VOID && from->elem->kind != TY_FUNC) {
            c->rank = ICS_CONVERSION;
            c->distance = 1000;
            c->quals = to->elem->quals;
            return;
        }
        if (cu_derives(f, from->elem, to->elem)) {
            c->rank = ICS_CONVERSION;
            c->derived_to_base = true;
            c->distance = distance(from->elem->cls, to->elem->cls);
            c->quals = to->elem->quals;
        }
        return;
    }
    if (from->kind == TY_MEMPTR && to->kind == TY_MEMPTR &&
        (from->elem == to->elem || forgets_noexcept(f, from->elem, to->elem)) &&
        cu_derives(f, to->cls->type, from->cls->type)) {
        c->rank = ICS_CONVERSION;
        c->derived_to_base = true;
    }
}

/* ---- user-defined conversions ---- */

static void each_conversion(struct front *f, struct class_info *c, struct elements *out)
{
    if (c->state == CLASS_DECLARED)
        cu_try_complete(f, c->type);
    for (struct decl *d = c->scope->first; d; d = d->next) {
        struct decl *t = cu_strip_using(d);
        if (t->kind == DECL_FUNC && ((struct func *)t)->is_conversion)
            vec_push(f->a, out, (void *)t);
        if (t->kind == DECL_TEMPLATE && t->name && !strncmp(t->name, "operator ", 9) &&
            ((struct template_info *)t)->kind == TEMPLATE_FUNC)
            vec_push(f->a, out, (void *)t);
    }
    vec_each (struct base_class, b, &c->bases)
        each_conversion(f, b->cls, out);
}

static bool object_fits(struct func *fn, struct expr *e)
{
    unsigned q = fn->d.type->func_quals;
    if (e->type->quals & ~q)
        return false;
    if (fn->d.type->func_ref == REF_LVALUE && e->cat != CAT_L && !(q & QUAL_CONST))
        return false;
    if (fn->d.type->func_ref == REF_RVALUE && e->cat == CAT_L)
        return false;
    return true;
}

/* The best conversion function of e's class to `to`. */
static bool conversion_function(struct front *f, struct expr *e, struct type *to, struct ics *out,
                                bool explicit_ok)
{
    struct elements list = {0};
    if (e->type->cls->is_lambda && to->kind == TY_POINTER && to->elem->kind == TY_FUNC)
        cu_generic_pointer(f, e->type->cls, to->elem);
    each_conversion(f, e->type->cls, &list);
    struct ics best = {.rank = ICS_NONE};
    struct func *chosen = NULL;
    bool ambiguous = false;
    for (size_t i = 0; i < list.len; i++) {
        struct decl *d = list.data[i];
        struct func *fn;
        if (d->kind == DECL_TEMPLATE) {
            struct template_info *t = (struct template_info *)d;
            struct targ *args;
            size_t n;
            struct func *p = cu_pattern(f, t);
            if (!p || !cu_deduce_type(f, t, NULL, 0, cu_noref(p->d.type->elem),
                                      cu_noref(to)->unqual, &args, &n))
                continue;
            fn = cu_instantiate_func(f, t, args, n, e->span);
            if (!fn)
                continue;
        } else {
            fn = (struct func *)d;
        }
        if ((fn->is_explicit && !explicit_ok) || fn->is_deleted || !object_fits(fn, e))
            continue;
        struct type *r = fn->d.type->elem;
        if (r->kind == TY_AUTO) {
            cu_parse_body(f, fn);
            r = fn->d.type->elem;
        }
        struct ics c = {0};
        if (cu_is_ref(to)) {
            struct expr tmp = *cu_expr_new(f, EX_UNINIT, cu_noref(r),
                                           r->kind == TY_LREF   ? CAT_L
                                           : r->kind == TY_RREF ? CAT_X
                                                                : CAT_PR,
                                           e->span);
            c = cu_ics(f, &tmp, to, false);
        } else if (to->kind == TY_CLASS) {
            struct type *rt = cu_noref(r);
            c.rank = rt->unqual == to->unqual ? ICS_EXACT
                     : cu_derives(f, rt, to)  ? ICS_CONVERSION
                                              : ICS_NONE;
        } else {
            standard(f, NULL, cu_decayed(f, r), to, &c);
        }
        if (c.rank == ICS_NONE)
            continue;
        /* A non-const object prefers the function that is not const. */
        int cmp = chosen ? (int)c.rank - (int)best.rank : -1;
        if (chosen && cmp == 0)
            cmp = (int)fn->d.type->func_quals - (int)chosen->d.type->func_quals;
        if (chosen && cmp == 0)
            cmp = cu_ics_compare(f, &c, &best);
        if (chosen && cmp == 0 && (fn->where & WHERE_DEVICE) != (chosen->where & WHERE_DEVICE))
            cmp = (fn->where & WHERE_DEVICE) ? -1 : 1;
        if (chosen && cmp == 0) /* one that is no template is better */
            cmp = (fn->tmpl != NULL) - (chosen->tmpl != NULL);
        if (cmp < 0) {
            best = c;
            chosen = fn;
            ambiguous = false;
        } else if (cmp == 0 && fn != chosen) {
            ambiguous = true;
        }
    }
    if (!chosen)
        return false;
    *out = best;
    out->second = best.rank;
    out->rank = ICS_USER;
    out->user = chosen;
    out->ambiguous = ambiguous;
    return true;
}

static void user_conversion(struct front *f, struct expr *e, struct type *to, struct ics *c,
                            bool explicit_ok)
{
    c->rank = ICS_NONE;
    struct ics conv = {.rank = ICS_NONE};
    if (e->type->kind == TY_CLASS && cu_try_complete(f, e->type) &&
        conversion_function(f, e, to, &conv, explicit_ok))
        *c = conv;
    struct type *t = cu_noref(to);
    if (t->kind == TY_CLASS && cu_try_complete(f, t)) {
        struct func *ctor = cu_resolve_ctor(f, t->unqual, &e, 1, true, false, e->span, true);
        if (ctor) {
            if (c->rank == ICS_USER) {
                /* Both: the constructor wins if it takes the value as it is. */
                struct ics arg = cu_ics(f, e, ctor->d.type->params[0], false);
                if (arg.rank == ICS_NONE || (c->second <= arg.rank && c->second == ICS_EXACT))
                    return;
            }
            struct ics arg =
                ctor->nparams ? cu_ics(f, e, ctor->d.type->params[0], false) : (struct ics){0};
            *c = (struct ics){
                .rank = ICS_USER, .user = ctor, .second = ICS_EXACT, .distance = arg.rank};
        }
    }
}

/* ---- implicit conversion sequences ---- */

/* Arrays of equal bounds whose elements differ in qualifiers only: from and to become those. */
static bool similar_arrays(struct type **from, struct type **to)
{
    struct type *a = *from, *b = *to;
    if (a->kind != TY_ARRAY || b->kind != TY_ARRAY)
        return false;
    for (; a->kind == TY_ARRAY && b->kind == TY_ARRAY; a = a->elem, b = b->elem)
        if (a->count != b->count && b->count != ARRAY_UNKNOWN)
            return false;
    *from = a;
    *to = b;
    return a->unqual == b->unqual;
}

/* To the reference `to`, bound to a value that is made for it. */
static struct ics to_temporary(struct front *f, struct expr *e, struct type *to, bool allow_user)
{
    struct ics c = cu_ics(f, e, to->elem->unqual, allow_user);
    c.to = to;
    c.ref_binding = true;
    c.binds_rvalue = to->kind == TY_RREF;
    c.binds_lvalue_ref = !c.binds_rvalue;
    c.quals = to->elem->quals;
    return c;
}

/* A conversion by a function whose result is an lvalue of t: an rvalue reference does not take
 * that, nor a copy of it. */
static bool gives_lvalue(struct front *f, const struct ics *c, struct type *t)
{
    if (c->rank != ICS_USER || !c->user || c->user->d.type->elem->kind != TY_LREF)
        return false;
    struct type *from = c->user->d.type->elem->elem;
    return from->unqual == t->unqual || cu_derives(f, from, t);
}

static void found_function(struct front *f, struct func *fn, const struct type *as, struct ics *c)
{
    c->rank = ICS_EXACT;
    c->qual_change = cu_seen_type(f, fn) != as;
}

static struct ics bind_reference(struct front *f, struct expr *e, struct type *to, bool allow_user)
{
    struct ics c = {.rank = ICS_NONE, .to = to, .ref_binding = true, .quals = to->elem->quals};
    struct type *t = to->elem;
    bool rref = to->kind == TY_RREF;
    if (e->kind == EX_OVERLOAD) {
        struct func *fn = t->kind == TY_FUNC ? cu_resolve_address(f, e, t) : NULL;
        if (fn)
            found_function(f, fn, t, &c);
        if ((t->kind != TY_POINTER && t->kind != TY_MEMPTR) || !(rref || t->quals & QUAL_CONST))
            return c;
        return to_temporary(f, e, to, false); /* a pointer that is made for it */
    }
    bool bitfield = e->kind == EX_MEMBER && e->u.field->is_bitfield;
    struct type *from = e->type, *into = t; /* of arrays: their elements */
    bool array_ok = similar_arrays(&from, &into);
    const bool forgets = forgets_noexcept(f, e->type, t);
    bool related = e->type->unqual == t->unqual || array_ok || forgets;
    bool derived = !related && cu_derives(f, e->type, t);
    bool changed = false;
    bool quals_ok = related && t->kind == TY_POINTER ? !(e->type->quals & ~t->quals)
                    : array_ok                       ? !(from->quals & ~into->quals)
                                                     : !(e->type->quals & ~t->quals);
    if (!related && !derived && t->kind == TY_POINTER && e->type->kind == TY_POINTER &&
        qual_convertible(e->type, t, &changed))
        related = quals_ok = (t->quals & QUAL_CONST) != 0 || rref;
    if ((related || derived) && quals_ok) {
        bool lvalue = e->cat == CAT_L && !bitfield;
        bool rvalue = e->cat == CAT_X || (e->cat == CAT_PR &&
                                          (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY));
        if (t->kind == TY_FUNC)
            lvalue = rvalue = true;
        const unsigned quals = array_ok ? into->quals : t->quals;
        if (rref ? rvalue
                 : (lvalue || (rvalue && (quals & QUAL_CONST) && !(quals & QUAL_VOLATILE)))) {
            c.rank = derived ? ICS_CONVERSION : ICS_EXACT;
            c.derived_to_base = derived;
            c.distance = derived ? distance(e->type->cls, t->cls) : 0;
            c.binds_rvalue = rref && e->cat != CAT_L;
            c.binds_lvalue_ref = !rref;
            c.qual_change = e->type->quals != t->quals || forgets;
            return c;
        }
    }
    /* Through a conversion function that gives a reference. */
    if (allow_user && e->type->kind == TY_CLASS && !related && !derived &&
        cu_try_complete(f, e->type)) {
        struct ics u = {.rank = ICS_NONE};
        if (conversion_function(f, e, to, &u, false)) {
            u.to = to;
            return u;
        }
    }
    /* To a temporary: only references to const, or rvalue references. */
    if (!rref && (!(t->quals & QUAL_CONST) || (t->quals & QUAL_VOLATILE)))
        return c;
    if ((related || derived) && !quals_ok)
        return c;
    if (rref && e->cat == CAT_L && (related || derived) && !bitfield)
        return c;
    const struct ics v = to_temporary(f, e, to, allow_user);
    return rref && gives_lvalue(f, &v, t) ? c : v;
}

/* A string as a char *, which C has and host compilers take with a warning. */
static bool is_writable_literal(struct front *f, const struct expr *e, const struct type *to)
{
    return cu_host(f) && e->kind == EX_STRING && to->kind == TY_POINTER && !to->elem->quals &&
           to->elem->unqual == e->type->elem->unqual;
}

struct ics cu_ics(struct front *f, struct expr *e, struct type *to, bool allow_user)
{
    struct ics c = {.rank = ICS_NONE, .to = to};
    if (e->kind == EX_DEPENDENT || e->type->dependent || to->dependent) {
        c.rank = ICS_EXACT;
        return c;
    }
    if (e->kind == EX_BRACED)
        return cu_ics_list(f, e, to, allow_user);
    if (cu_is_ref(to))
        return bind_reference(f, e, to, allow_user);
    if (e->type->kind == TY_VOID) {
        c.rank = to->kind == TY_VOID ? ICS_EXACT : ICS_NONE;
        return c;
    }
    if (e->kind == EX_OVERLOAD) {
        struct type *t = to->kind == TY_POINTER ? to->elem : to->kind == TY_MEMPTR ? to : NULL;
        struct func *fn = t && (t->kind == TY_FUNC || t->kind == TY_MEMPTR)
                              ? cu_resolve_address(f, e, to->kind == TY_POINTER ? t : to)
                              : NULL;
        if (fn)
            found_function(f, fn, t->kind == TY_FUNC ? t : t->elem, &c);
        else if (to->kind == TY_BOOL && e->u.set.ndecls == 1)
            c.rank = ICS_CONVERSION;
        else if (to->kind == TY_CLASS && allow_user)
            user_conversion(f, e, to, &c, false);
        return c;
    }
    if (to->kind == TY_CLASS) {
        if (e->type->unqual == to->unqual) {
            c.rank = ICS_EXACT;
            return c;
        }
        if (cu_derives(f, e->type, to)) {
            c.rank = ICS_CONVERSION;
            c.derived_to_base = true;
            c.distance = distance(e->type->cls, to->cls);
            return c;
        }
        if (allow_user)
            user_conversion(f, e, to, &c, false);
        return c;
    }
    if (e->type->kind == TY_CLASS) {
        if (allow_user)
            user_conversion(f, e, to, &c, false);
        return c;
    }
    if (to->kind == TY_ARRAY || to->kind == TY_FUNC || to->kind == TY_VOID)
        return c;
    standard(f, e, cu_decayed(f, e->type), to, &c);
    if (c.rank == ICS_NONE && is_writable_literal(f, e, to)) {
        c.rank = ICS_CONVERSION;
        c.qual_change = true;
    }
    return c;
}

/* Is a braced list an initializer_list there? */
static bool makes_list(struct front *f, const struct ics *c)
{
    return cu_initializer_list_elem(f, cu_noref(c->to)->unqual) != NULL;
}

static bool binds_function(const struct ics *c)
{
    return c->ref_binding && c->to && c->to->elem->kind == TY_FUNC;
}

int cu_ics_compare(struct front *f, const struct ics *a, const struct ics *b)
{
    if (a->list && b->list && a->rank <= ICS_USER && b->rank <= ICS_USER &&
        (a->rank == ICS_USER) == (b->rank == ICS_USER) && makes_list(f, a) != makes_list(f, b))
        return makes_list(f, a) ? -1 : 1;
    if (a->rank != b->rank)
        return (int)a->rank - (int)b->rank;
    if (a->rank == ICS_USER) {
        if (a->user != b->user)
            return 0;
        if (a->second != b->second)
            return (int)a->second - (int)b->second;
        if (a->list && cu_noref(a->to)->unqual != cu_noref(b->to)->unqual)
            return 0; /* objects of two classes */
    }
    if (a->list != b->list)
        return 0;
    if (a->bool_from_pointer != b->bool_from_pointer)
        return a->bool_from_pointer ? 1 : -1;
    if (a->rank == ICS_CONVERSION && a->distance != b->distance)
        return (int)a->distance - (int)b->distance;
    if (binds_function(a) && binds_function(b) && a->to->kind != b->to->kind)
        return a->to->kind == TY_LREF ? -1 : 1; /* functions are lvalues, whatever names them */
    if (a->ref_binding && b->ref_binding && a->binds_rvalue != b->binds_rvalue)
        return a->binds_rvalue ? -1 : 1;
    if (a->quals != b->quals && (a->ref_binding == b->ref_binding)) {
        if ((a->quals & b->quals) == a->quals)
            return -1;
        if ((a->quals & b->quals) == b->quals)
            return 1;
    }
    if (a->qual_change != b->qual_change && a->ref_binding == b->ref_binding)
        return a->qual_change ? 1 : -1;
    (void)f;
    return 0;
}

/* ---- making expressions ---- */

struct expr *cu_decay(struct front *f, struct expr *e)
{
    if (e->type->kind == TY_ARRAY) {
        if (e->cat == CAT_PR)
            e = cu_materialize(f, e);
        struct expr *r = cu_expr_new(f, EX_DECAY, cu_pointer_to(f, e->type->elem), CAT_PR, e->span);
        r->a = e;
        return r;
    }
    if (e->type->kind == TY_FUNC) {
        struct expr *r = cu_expr_new(f, EX_ADDR, cu_pointer_to(f, e->type), CAT_PR, e->span);
        r->a = e;
        return r;
    }
    return e;
}

struct expr *cu_rvalue(struct front *f, struct expr *e)
{
    if (e->kind == EX_DEPENDENT)
        return e;
    if (e->kind == EX_OVERLOAD) {
        struct func *fn = cu_resolve_address(f, e, NULL);
        if (!fn)
            cu_error(f, e->span, "it is not clear here which overload of '%s' is meant",
                     e->u.set.name ? e->u.set.name : "function");
        if (fn->cls && !fn->is_static && e->flag) { /* &Class::member */
            struct expr *m = cu_expr_new(f, EX_MEMPTR, cu_address_type(f, fn), CAT_PR, e->span);
            m->u.func = fn;
            m->flag = true;
            cu_use_func(f, fn, e->span);
            return m;
        }
        struct expr *r = cu_expr_new(f, EX_FUNC, cu_seen_type(f, fn), CAT_L, e->span);
        r->u.func = fn;
        return cu_decay(f, r);
    }
    if (e->kind == EX_BRACED)
        cu_error(f, e->span, "a braced list has no value here");
    if (e->type->kind == TY_ARRAY || e->type->kind == TY_FUNC)
        return cu_decay(f, e);
    if (e->cat == CAT_PR || e->type->kind == TY_CLASS)
        return e;
    if (e->type->kind == TY_VOID)
        return e;
    if (e->type->kind == TY_NULLPTR) {
        struct expr *n = cu_expr_new(f, EX_NULLPTR, e->type->unqual, CAT_PR, e->span);
        return n;
    }
    /* The value of a choice is a choice of values: its variables need no address for it. */
    if (e->kind == EX_COND && cu_is_scalar(e->type)) {
        struct expr *c = cu_expr_new(f, EX_COND, e->type->unqual, CAT_PR, e->span);
        c->a = e->a;
        c->b = cu_rvalue(f, e->b);
        c->c = cu_rvalue(f, e->c);
        return c;
    }
    struct expr *r = cu_expr_new(f, EX_LOAD, e->type->unqual, CAT_PR, e->span);
    r->a = e;
    return r;
}

struct expr *cu_materialize(struct front *f, struct expr *e)
{
    if (e->cat != CAT_PR)
        return e;
    struct expr *r = cu_expr_new(f, EX_TEMP, e->type, CAT_X, e->span);
    r->a = e;
    return r;
}

/* The bit-field that an expression names or has just changed. */
const struct field *cu_bitfield_of(const struct expr *e)
{
    for (;;) {
        switch (e->kind) {
        case EX_MEMBER: return e->u.field->is_bitfield ? e->u.field : NULL;
        case EX_COMMA: e = e->b; break;
        case EX_LOAD:
        case EX_ASSIGN:
        case EX_COMPOUND:
        case EX_INCDEC: e = e->a; break;
        default: return NULL;
        }
    }
}

/* Literals are folded here, so that constants need no evaluation later. */
struct expr *cu_cast_scalar(struct front *f, struct expr *e, struct type *to, bool explicit_)
{
    e = cu_rvalue(f, e);
    to = to->unqual;
    if (e->type->unqual == to && !(explicit_ && cu_bitfield_of(e))) /* a cast of one is none */
        return e;
    if (e->kind == EX_INT && (cu_is_integer(to) || to->kind == TY_ENUM)) {
        uint64_t v = to->kind == TY_BOOL ? e->u.i != 0 : (uint64_t)cu_wrap(to, (int64_t)e->u.i);
        return cu_int_expr(f, to, v, e->span);
    }
    if (e->kind == EX_INT &&
        (to->kind == TY_DOUBLE || to->kind == TY_LDOUBLE || to->kind == TY_FLOAT) &&
        (e->type->kind == TY_ENUM || cu_is_integer(e->type))) {
        struct expr *r = cu_expr_new(f, EX_FLOAT, to, CAT_PR, e->span);
        bool neg = cu_is_signed(e->type);
        if (to->kind == TY_FLOAT)
            r->u.d = neg ? (double)(float)(int64_t)e->u.i : (double)(float)e->u.i;
        else
            r->u.d = neg ? (double)(int64_t)e->u.i : (double)e->u.i;
        return r;
    }
    if (e->kind == EX_FLOAT &&
        (to->kind == TY_DOUBLE || to->kind == TY_FLOAT || to->kind == TY_LDOUBLE)) {
        struct expr *r = cu_expr_new(f, EX_FLOAT, to, CAT_PR, e->span);
        r->u.d = to->kind == TY_FLOAT ? (double)(float)e->u.d : e->u.d;
        return r;
    }
    if (to->kind == TY_NULLPTR)
        return cu_expr_new(f, EX_NULLPTR, to, CAT_PR, e->span);
    if ((to->kind == TY_POINTER || to->kind == TY_MEMPTR) && is_null_constant(e))
        return cu_expr_new(f, EX_NULLPTR, to, CAT_PR, e->span);
    struct expr *r = cu_expr_new(f, EX_CAST, to, CAT_PR, e->span);
    r->a = e;
    r->flag = explicit_;
    return r;
}

struct expr *cu_upcast(struct front *f, struct expr *e, struct type *to)
{
    struct type *t = cu_qualified(f, to->unqual, e->type->quals);
    if (e->type->cls == to->cls)
        return e;
    cu_layout(f, e->type->cls, e->span);
    struct base_path path;
    bool ambiguous = false;
    if (!cu_find_base(e->type->cls, to->cls, &path, &ambiguous))
        cu_error(f, e->span, "'%s' is not a base class of '%s'", cu_type_str(f, to),
                 cu_type_str(f, e->type));
    if (ambiguous)
        cu_error(f, e->span, "'%s' is an ambiguous base class of '%s'", cu_type_str(f, to),
                 cu_type_str(f, e->type));
    struct expr *r = cu_expr_new(f, EX_UPCAST, t, (enum value_cat)e->cat, e->span);
    r->a = e->cat == CAT_PR ? cu_materialize(f, e) : e;
    if (r->cat == CAT_PR)
        r->cat = CAT_X;
    r->u.i = path.offset;
    r->in_class = path.through;
    return r;
}

int64_t cu_memptr_shift(struct front *f, struct class_info *from, struct class_info *to,
                        struct span at)
{
    const bool down = from != to && cu_derives(f, to->type, from->type);
    if (from == to || (!down && !cu_derives(f, from->type, to->type)))
        return 0;
    struct class_info *derived = down ? to : from, *base = down ? from : to;
    cu_layout(f, derived, at);
    struct base_path path;
    bool ambiguous = false;
    if (!cu_find_base(derived, base, &path, &ambiguous) || ambiguous || path.through)
        cu_error(f, at, "'%s' is an ambiguous or virtual base class of '%s'",
                 cu_type_str(f, base->type), cu_type_str(f, derived->type));
    return down ? (int64_t)path.offset : -(int64_t)path.offset;
}

static struct expr *pointer_upcast(struct front *f, struct expr *e, struct type *to)
{
    cu_layout(f, e->type->elem->cls, e->span);
    struct base_path path;
    bool ambiguous = false;
    cu_find_base(e->type->elem->cls, to->elem->cls, &path, &ambiguous);
    if (ambiguous)
        cu_error(f, e->span, "'%s' is an ambiguous base class of '%s'", cu_type_str(f, to->elem),
                 cu_type_str(f, e->type->elem));
    struct expr *r = cu_expr_new(f, EX_UPCAST, to->unqual, CAT_PR, e->span);
    r->a = e;
    r->u.i = path.offset;
    r->in_class = path.through;
    return r;
}

/* The same glvalue seen as another type: qualifiers or value category differ. */
struct expr *cu_glvalue_cast(struct front *f, struct expr *e, struct type *to)
{
    struct expr *r = arena_new(f->a, struct expr);
    *r = *e;
    r->type = cu_noref(to);
    r->cat = to->kind == TY_RREF ? CAT_X : CAT_L;
    if (r->type->kind == TY_FUNC)
        r->cat = CAT_L;
    r->paren = true;
    return r;
}

static struct expr *apply_standard(struct front *f, struct expr *e, struct type *to)
{
    e = cu_rvalue(f, e);
    struct type *from = e->type->unqual, *t = to->unqual;
    if (from == t)
        return e;
    if (from->kind == TY_POINTER && t->kind == TY_POINTER && from->elem->kind == TY_CLASS &&
        t->elem->kind == TY_CLASS && from->elem->cls != t->elem->cls &&
        cu_derives(f, from->elem, t->elem))
        return pointer_upcast(f, e, t);
    return cu_cast_scalar(f, e, t, false);
}

static struct expr *apply_user(struct front *f, struct expr *e, struct func *fn,
                               struct type *target)
{
    if (fn->is_ctor)
        return cu_construct(f, fn, cu_noref(target)->unqual, &e, 1, e->span);
    return cu_call_func(f, fn, e, NULL, 0, true, e->span);
}

struct expr *cu_apply(struct front *f, struct expr *e, struct type *to, const struct ics *c)
{
    if (e->kind == EX_DEPENDENT || to->dependent)
        return e;
    if (e->kind == EX_BRACED)
        return cu_init_list(f, to, e, true);
    if (is_writable_literal(f, e, to))
        cu_warn(f, "write-strings", e->span, "a string is const, and '%s' is not",
                cu_type_str(f, to));
    if (c->ambiguous)
        cu_error(f, e->span, "the conversion from '%s' to '%s' is ambiguous",
                 cu_type_str(f, e->type), cu_type_str(f, to));
    if (e->kind == EX_OVERLOAD && c->rank != ICS_USER) {
        struct type *t = to->kind == TY_POINTER || cu_is_ref(to) ? to->elem : to;
        if (cu_is_ref(to) && t->kind == TY_POINTER)
            t = t->elem;
        struct func *fn = cu_resolve_address(f, e, t->kind == TY_BOOL ? NULL : t);
        if (!fn)
            cu_error(f, e->span, "no '%s' has the type '%s'", e->u.set.name, cu_type_str(f, t));
        if (t->kind == TY_MEMPTR) {
            struct expr *m = cu_expr_new(f, EX_MEMPTR, t->unqual, CAT_PR, e->span);
            m->u.func = fn;
            m->flag = true;
            cu_use_func(f, fn, e->span);
            return cu_is_ref(to) ? cu_glvalue_cast(f, cu_materialize(f, m), to) : m;
        }
        struct expr *r = cu_expr_new(f, EX_FUNC, cu_seen_type(f, fn), CAT_L, e->span);
        r->u.func = fn;
        cu_use_func(f, fn, e->span);
        if (cu_is_ref(to) && to->elem->kind == TY_POINTER)
            return cu_glvalue_cast(f, cu_materialize(f, apply_standard(f, r, to->elem->unqual)),
                                   to);
        if (cu_is_ref(to))
            return r;
        return apply_standard(f, r, to);
    }
    if (cu_is_ref(to)) {
        struct type *t = to->elem;
        if (c->rank == ICS_USER) {
            struct expr *r = apply_user(f, e, c->user, to);
            if (r->type->kind == TY_CLASS && t->kind == TY_CLASS && r->type->cls != t->cls)
                r = cu_upcast(f, cu_materialize(f, r), t);
            else if (r->type->unqual != t->unqual && t->kind != TY_CLASS)
                r = apply_standard(f, r, t->unqual);
            return cu_glvalue_cast(f, cu_materialize(f, r), to);
        }
        /* an array of const, or a function that may throw, is near enough; a pointer to it is not
         */
        bool same = e->type->unqual == t->unqual ||
                    (e->type->kind == t->kind && (t->kind == TY_ARRAY || t->kind == TY_FUNC));
        bool bitfield = e->kind == EX_MEMBER && e->u.field->is_bitfield;
        if (!same && t->kind == TY_POINTER && e->type->kind == TY_POINTER && e->cat != CAT_PR &&
            e->type->unqual != t->unqual) {
            bool changed = false;
            if (qual_convertible(e->type, t, &changed))
                return cu_glvalue_cast(f, e, to);
        }
        if (e->type->kind == TY_CLASS && t->kind == TY_CLASS) {
            e = cu_materialize(f, e);
            if (e->type->cls != t->cls) {
                cu_check_base(f, e->type->cls, t->cls, e->span);
                e = cu_upcast(f, e, t);
            }
            return cu_glvalue_cast(f, e, to);
        }
        if (e->cat != CAT_PR && same && !bitfield)
            return cu_glvalue_cast(f, e, to);
        struct expr *v = t->kind == TY_ARRAY ? e : apply_standard(f, e, t->unqual);
        return cu_glvalue_cast(f, cu_materialize(f, v), to);
    }
    if (c->rank == ICS_USER) {
        struct expr *r = apply_user(f, e, c->user, to);
        if (to->kind == TY_CLASS)
            return r->type->unqual == to->unqual && r->cat == CAT_PR
                       ? r
                       : cu_init_copy(f, to->unqual, r, "converting");
        return apply_standard(f, r, to);
    }
    if (to->kind == TY_CLASS)
        return cu_init_copy(f, to->unqual, e, "converting");
    if (to->kind == TY_VOID) {
        struct expr *r = cu_expr_new(f, EX_CAST, to, CAT_PR, e->span);
        r->a = e;
        return r;
    }
    return apply_standard(f, e, to);
}

/* By a conversion function that may be explicit; NULL if there is none. */
struct expr *cu_explicit_conversion(struct front *f, struct expr *e, struct type *to)
{
    struct ics c = {.rank = ICS_NONE};
    cu_complete(f, e->type, e->span);
    if (!conversion_function(f, e, to, &c, true) || c.ambiguous)
        return NULL;
    return cu_apply(f, e, to, &c);
}

static void why_not(struct front *f, struct expr *e, struct type *to)
{
    struct type *from = cu_decayed(f, e->type);
    struct type *t = cu_is_ref(to) ? to->elem : to;
    if (e->kind == EX_OVERLOAD && cu_is_arith(t))
        cu_error(f, e->span, "'%s' is a function: a call needs () behind it", e->u.set.name);
    if (to->kind == TY_LREF && !(t->quals & QUAL_CONST) && e->cat == CAT_PR)
        cu_error(f, e->span, "a value cannot be bound to '%s': only to a reference to const",
                 cu_type_str(f, to));
    if (to->kind == TY_RREF && e->cat == CAT_L)
        cu_error(
            f, e->span,
            "'%s' does not bind to something that has a name; 'std::move' or a value is needed",
            cu_type_str(f, to));
    if (from->kind == TY_POINTER && t->kind == TY_POINTER &&
        (from->elem->quals & ~t->elem->quals) && from->elem->unqual == t->elem->unqual)
        cu_error(f, e->span, "'%s' to '%s' would lose '%s'", cu_type_str(f, from),
                 cu_type_str(f, to), from->elem->quals & QUAL_CONST ? "const" : "volatile");
}

/* A number written out that the type it becomes does not hold. */
static void check_literal(struct front *f, struct expr *e, struct type *to)
{
    struct expr *n = e->kind == EX_UNARY && e->op == PUNCT_SUB ? e->a : e;
    struct type *t = cu_noref(to)->unqual, *from = e->type->unqual;
    int64_t v;
    if (n->kind == EX_FLOAT && cu_is_integer(t) && t->kind != TY_BOOL) {
        if (!(n->u.d < 0x1p63))
            cu_warn(f, "constant-conversion", e->span, "%g does not fit into '%s'",
                    e == n ? n->u.d : -n->u.d, cu_type_str(f, t));
        else if (n->u.d != (double)(int64_t)n->u.d)
            cu_warn(f, "constant-conversion", e->span, "%g becomes a whole number in '%s'",
                    e == n ? n->u.d : -n->u.d, cu_type_str(f, t));
    } else if (n->kind == EX_INT && cu_is_integer(t) && cu_is_integer(from) && t->kind != TY_BOOL &&
               cu_bits(t) < cu_bits(from) && cu_const_int(f, e, &v)) {
        const unsigned bits = cu_bits(t);
        const int64_t top = INT64_C(1) << (bits - (cu_is_signed(t) ? 1 : 0));
        if (v >= top || v < -(INT64_C(1) << (bits - 1)))
            cu_warn(f, "constant-conversion", e->span, "%lld does not fit into '%s'", (long long)v,
                    cu_type_str(f, t));
    }
}

struct expr *cu_convert(struct front *f, struct expr *e, struct type *to, const char *what)
{
    if (e->kind == EX_DEPENDENT)
        return e;
    struct ics c = cu_ics(f, e, to, true);
    if (c.rank == ICS_NONE) {
        why_not(f, e, to);
        cu_error(f, e->span, "%s needs '%s', but this is '%s'", what, cu_type_str(f, to),
                 cu_type_str(f, e->type));
    }
    if (e->kind == EX_INT || e->kind == EX_FLOAT || e->kind == EX_UNARY)
        check_literal(f, e, to);
    return cu_apply(f, e, to, &c);
}

struct expr *cu_bool(struct front *f, struct expr *e)
{
    if (e->kind == EX_DEPENDENT)
        return e;
    struct type *b = cu_type(f, TY_BOOL);
    if (e->type->kind == TY_CLASS) {
        struct ics c = {.rank = ICS_NONE};
        cu_complete(f, e->type, e->span);
        if (!conversion_function(f, e, b, &c, true))
            cu_error(f, e->span, "'%s' cannot be used as a condition", cu_type_str(f, e->type));
        struct expr *r = cu_call_func(f, c.user, e, NULL, 0, true, e->span);
        return cu_cast_scalar(f, r, b, false);
    }
    e = cu_rvalue(f, e);
    if (e->type->kind == TY_NULLPTR)
        return cu_bool_expr(f, false, e->span);
    if (!cu_is_scalar(e->type) || (e->type->kind == TY_ENUM && e->type->enumeration->scoped))
        cu_error(f, e->span, "'%s' cannot be used as a condition", cu_type_str(f, e->type));
    return cu_cast_scalar(f, e, b, false);
}

/* A class that converts to one scalar type stands for it in built-in operators. */
struct expr *cu_integral_operand(struct front *f, struct expr *e)
{
    if (e->kind == EX_DEPENDENT || e->type->kind != TY_CLASS)
        return cu_rvalue(f, e);
    cu_complete(f, e->type, e->span);
    struct elements list = {0};
    each_conversion(f, e->type->cls, &list);
    struct func *one = NULL;
    for (size_t i = 0; i < list.len; i++) {
        struct decl *d = list.data[i];
        if (d->kind != DECL_FUNC)
            continue;
        struct func *fn = (struct func *)d;
        struct type *r = cu_noref(fn->d.type->elem);
        if (fn->is_explicit || !object_fits(fn, e) || !cu_is_scalar(cu_decayed(f, r)))
            continue;
        if (one && cu_noref(one->d.type->elem)->unqual != r->unqual)
            cu_error(f, e->span, "'%s' converts to several types: '%s' and '%s'",
                     cu_type_str(f, e->type), cu_type_str(f, one->d.type->elem), cu_type_str(f, r));
        if (!one || fn->d.type->func_quals < one->d.type->func_quals)
            one = fn;
    }
    if (!one)
        return e;
    return cu_rvalue(f, cu_call_func(f, one, e, NULL, 0, true, e->span));
}

struct expr *cu_written_operand(struct front *f, struct expr *e)
{
    if (e->kind == EX_DEPENDENT || e->type->kind != TY_CLASS)
        return e;
    cu_complete(f, e->type, e->span);
    struct elements list = {0};
    each_conversion(f, e->type->cls, &list);
    struct func *one = NULL;
    for (size_t i = 0; i < list.len; i++) {
        struct func *fn = list.data[i];
        if (fn->d.kind != DECL_FUNC || fn->is_explicit || !object_fits(fn, e))
            continue;
        const struct type *r = fn->d.type->elem;
        if (r->kind != TY_LREF || (r->elem->quals & QUAL_CONST) || !cu_is_scalar(r->elem))
            continue;
        if (one)
            return e;
        one = fn;
    }
    return one ? cu_call_func(f, one, e, NULL, 0, true, e->span) : e;
}

/* Members of a class and of a base of it: the derived class has both. */
static struct type *composite_memptr(struct front *f, struct type *x, struct type *y)
{
    struct type *xf = cu_may_throw(f, x->elem), *yf = cu_may_throw(f, y->elem);
    if (xf->unqual != yf->unqual)
        return NULL;
    struct type *member = x->elem->kind == TY_FUNC
                              ? x->elem == y->elem ? x->elem : xf
                              : cu_with_quals(f, x->elem, x->elem->quals | y->elem->quals);
    if (x->cls == y->cls || cu_derives(f, x->cls->type, y->cls->type))
        return cu_memptr_to(f, x->cls->type, member);
    return cu_derives(f, y->cls->type, x->cls->type) ? cu_memptr_to(f, y->cls->type, member) : NULL;
}

struct type *cu_composite_pointer(struct front *f, struct expr *a, struct expr *b)
{
    struct type *x = a->type->unqual, *y = b->type->unqual;
    bool nx = is_null_constant(a), ny = is_null_constant(b);
    if (nx && ny)
        return x->kind == TY_POINTER ? x : y->kind == TY_POINTER ? y : cu_type(f, TY_NULLPTR);
    if (nx && (y->kind == TY_POINTER || y->kind == TY_MEMPTR))
        return y;
    if (ny && (x->kind == TY_POINTER || x->kind == TY_MEMPTR))
        return x;
    if (x == y)
        return x;
    if (x->kind == TY_MEMPTR && y->kind == TY_MEMPTR)
        return composite_memptr(f, x, y);
    if (x->kind != TY_POINTER || y->kind != TY_POINTER)
        return NULL;
    if (x->elem->kind == TY_FUNC && cu_may_throw(f, x->elem) == cu_may_throw(f, y->elem))
        return cu_pointer_to(f, cu_may_throw(f, x->elem));
    unsigned q = x->elem->quals | y->elem->quals;
    if (x->elem->unqual == y->elem->unqual)
        return cu_pointer_to(f, cu_with_quals(f, x->elem, q));
    if (x->elem->kind == TY_VOID || y->elem->kind == TY_VOID)
        return cu_pointer_to(f, cu_with_quals(f, cu_type(f, TY_VOID), q));
    if (cu_derives(f, x->elem, y->elem))
        return cu_pointer_to(f, cu_with_quals(f, y->elem, q));
    if (cu_derives(f, y->elem, x->elem))
        return cu_pointer_to(f, cu_with_quals(f, x->elem, q));
    bool changed = false;
    if (qual_convertible(x->elem, y->elem, &changed))
        return y;
    if (qual_convertible(y->elem, x->elem, &changed))
        return x;
    return NULL;
}
