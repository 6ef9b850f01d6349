/* Overload resolution: candidates, the conversions each needs, and the best of them. */
#include "front/cuda/sema/sema.h"

struct input {
    struct decl **set;
    size_t nset;
    struct expr *object; /* of a member call, or NULL */
    struct expr **args;
    size_t n;
    bool operator_form; /* args[0] is the object of a method */
    struct targ *targs;
    size_t ntargs;
    bool has_targs;
    bool copy_init; /* constructors: explicit ones do not count, arguments convert without user code
                     */
    bool list_only; /* constructors: only those that take an initializer_list */
    const char *name;
    struct span at;
};

static bool is_method(const struct func *fn)
{
    return fn->cls && !fn->is_static && !fn->is_ctor;
}

static size_t required_params(const struct func *fn)
{
    size_t n = 0;
    for (size_t i = 0; i < fn->nparams; i++)
        if (!fn->params[i].default_pos && !fn->params[i].default_value &&
            !(fn->params[i].pack && fn->params[i].type->kind == TY_PACK))
            n = i + 1;
    return n;
}

/* The conversion of the object to the hidden parameter. */
static struct ics object_ics(struct front *f, struct func *fn, struct expr *object)
{
    struct ics c = {.rank = ICS_NONE, .ref_binding = true};
    unsigned q = fn->d.type->func_quals;
    struct type *t = object->type;
    if (t->kind != TY_CLASS)
        return c;
    bool same = t->cls == fn->cls, derived = !same && cu_derives(f, t, fn->cls->type);
    if (!same && !derived)
        return c;
    if (t->quals & ~q)
        return c;
    bool lvalue = object->cat == CAT_L;
    if (fn->d.type->func_ref == REF_LVALUE && !lvalue && !(q & QUAL_CONST))
        return c;
    if (fn->d.type->func_ref == REF_RVALUE && lvalue)
        return c;
    c.rank = derived ? ICS_CONVERSION : ICS_EXACT;
    c.derived_to_base = derived;
    c.quals = q;
    c.qual_change = t->quals != q;
    c.binds_rvalue = fn->d.type->func_ref == REF_RVALUE;
    c.distance = derived ? 1 : 0;
    return c;
}

/* Fills in conversions; NULL reason when viable. */
static const char *viable(struct front *f, const struct input *in, struct func *fn,
                          struct candidate *c, bool explain)
{
    struct expr **args = in->args;
    size_t n = in->n;
    struct expr *object = in->object;
    if (in->operator_form && is_method(fn)) {
        object = args[0];
        args++;
        n--;
    }
    if (in->copy_init && fn->is_explicit)
        return "it is explicit";
    struct type *t = fn->d.type;
    if (n > t->nparams && !t->variadic)
        return explain ? arena_printf(f->a, "it takes %zu argument%s, not %zu", t->nparams,
                                      t->nparams == 1 ? "" : "s", n)
                       : "";
    if (n < t->nparams && n < required_params(fn))
        return explain ? arena_printf(f->a, "it takes at least %zu argument%s, not %zu",
                                      required_params(fn), required_params(fn) == 1 ? "" : "s", n)
                       : "";
    c->func = fn;
    c->conv = arena_array(f->a, struct ics, n + 1);
    c->has_object = is_method(fn);
    if (c->has_object) {
        if (!object)
            return "it needs an object";
        c->conv[0] = object_ics(f, fn, object);
        if (c->conv[0].rank == ICS_NONE)
            return explain ? arena_printf(f->a, "it cannot be called on '%s'",
                                          cu_type_str(f, object->type))
                           : "";
    }
    for (size_t i = 0; i < n; i++) {
        struct ics k;
        if (i >= t->nparams) {
            k = (struct ics){.rank = ICS_ELLIPSIS};
        } else {
            bool user = !(in->copy_init && in->n == 1);
            k = cu_ics(f, args[i], t->params[i], user);
        }
        if (k.rank == ICS_NONE)
            return explain
                       ? arena_printf(f->a, "argument %zu: '%s' does not convert to '%s'", i + 1,
                                      cu_type_str(f, args[i]->type), cu_type_str(f, t->params[i]))
                       : "";
        c->conv[i + 1] = k;
    }
    return NULL;
}

static int host_device_score(struct front *f, const struct func *fn)
{
    bool device = cu_in_device(f);
    if (cu_host(f))
        return !(fn->where & WHERE_DEVICE) ? 0 : fn->where & WHERE_HOST ? 1 : 2;
    if (!f->func)
        return 0;
    if (device)
        return (fn->where & WHERE_DEVICE) && !(fn->where & WHERE_HOST)              ? 0
               : (fn->where & WHERE_DEVICE) || fn->is_constexpr || fn->is_defaulted ? 1
                                                                                    : 2;
    return 0;
}

static bool implied_guide(const struct candidate *c)
{
    return c->tmpl && c->tmpl->guide_of;
}

/* <0: a is better. */
static int better(struct front *f, const struct input *in, const struct candidate *a,
                  const struct candidate *b)
{
    /* Guides run nowhere: those of constructors for the device are no better. */
    const bool guides = implied_guide(a) || implied_guide(b);
    int hd = guides ? 0 : host_device_score(f, a->func) - host_device_score(f, b->func);
    if ((hd < 0 && host_device_score(f, b->func) == 2) ||
        (hd > 0 && host_device_score(f, a->func) == 2))
        return hd;
    bool a_wins = false, b_wins = false;
    size_t n = in->n + (in->operator_form ? 0 : 1);
    /* Positions: [0] object, [1…] arguments; in the operator form a free function's first argument
     * stands against a method's object. */
    for (size_t i = 0; i < n; i++) {
        const struct ics *x, *y;
        if (i == 0 && a->has_object && b->has_object && a->func->cls != b->func->cls)
            continue; /* using makes it a member of the class like the others */
        if (in->operator_form) {
            x = &a->conv[a->has_object ? i : i + 1];
            y = &b->conv[b->has_object ? i : i + 1];
        } else {
            if (i == 0 && (!a->has_object || !b->has_object))
                continue;
            x = &a->conv[i];
            y = &b->conv[i];
        }
        int k = cu_ics_compare(f, x, y);
        if (k < 0)
            a_wins = true;
        if (k > 0)
            b_wins = true;
    }
    if (a_wins != b_wins)
        return a_wins ? -1 : 1;
    if (a_wins)
        return 0;
    if (!a->tmpl != !b->tmpl)
        return a->tmpl ? 1 : -1;
    if (a->tmpl && a->tmpl != b->tmpl) {
        int k = cu_more_special(f, a->tmpl, b->tmpl, in->n);
        if (!k)
            k = cu_more_constrained(f, a->tmpl, a->func, b->tmpl, b->func);
        if (k)
            return k;
    }
    if (!a->tmpl && (a->func->requires_pos || b->func->requires_pos)) {
        int k = cu_more_constrained(f, NULL, a->func, NULL, b->func);
        if (k)
            return k;
    }
    if (hd)
        return hd;
    /* A guide that is written comes before those that constructors stand for. */
    if (implied_guide(a) != implied_guide(b))
        return implied_guide(a) ? 1 : -1;
    /* A member of the class itself hides one that `using` brings, as a constructor does. */
    if (a->func->cls && b->func->cls && a->func->cls != b->func->cls &&
        a->func->is_ctor == b->func->is_ctor)
        return cu_derives(f, a->func->cls->type, b->func->cls->type)   ? -1
               : cu_derives(f, b->func->cls->type, a->func->cls->type) ? 1
                                                                       : 0;
    return 0;
}

static struct func *instantiate(struct front *f, const struct input *in, struct template_info *t)
{
    struct expr **args = in->args;
    size_t n = in->n;
    struct expr *object = in->object;
    struct func *p = cu_pattern(f, t);
    if (!p)
        return NULL;
    if (in->operator_form && t->cls && !p->is_static) {
        object = args[0];
        args++;
        n--;
    }
    struct targ *full;
    size_t nfull;
    if (!cu_deduce_call(f, t, in->targs, in->ntargs, args, n, object, &full, &nfull))
        return NULL;
    return cu_instantiate_func(f, t, full, nfull, in->at);
}

static void explain(struct front *f, const struct input *in)
{
    unsigned shown = 0;
    for (size_t i = 0; i < in->nset && shown < 8; i++) {
        struct decl *d = cu_strip_using(in->set[i]);
        struct candidate c = {0};
        const char *reason = NULL;
        if (d->kind == DECL_TEMPLATE) {
            struct template_info *t = (struct template_info *)d;
            f->caught.set = false;
            f->conflict[0].kind = TARG_NONE;
            struct func *fn = instantiate(f, in, t);
            if (!fn)
                reason = f->caught.set
                             ? arena_printf(f->a, "its arguments do not fit: %s", f->caught.message)
                         : f->conflict[0].kind
                             ? arena_printf(f->a,
                                            "one of its template parameters would be both '%s' and "
                                            "'%s'",
                                            cu_type_str(f, f->conflict[0].type),
                                            cu_type_str(f, f->conflict[1].type))
                             : "its template arguments cannot be deduced";
            else
                reason = viable(f, in, fn, &c, true);
        } else if (d->kind == DECL_FUNC) {
            if (in->has_targs)
                continue;
            reason = viable(f, in, (struct func *)d, &c, true);
        }
        if (!reason)
            continue;
        if (d->system && in->nset > 6 && shown >= 3)
            continue;
        cu_note(f, d->span, "this '%s' does not fit: %s", in->name, reason);
        shown++;
    }
    if (in->nset > shown && shown >= 8)
        cu_note(f, in->at, "and %zu more", in->nset - shown);
}

static const char *arg_types(struct front *f, const struct input *in)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    for (size_t i = 0; i < in->n; i++)
        sbuf_printf(&b, "%s%s", i ? ", " : "",
                    in->args[i]->kind == EX_BRACED ? "{…}" : cu_type_str(f, in->args[i]->type));
    return b.len ? b.data : "";
}

static struct func *resolve(struct front *f, const struct input *in, bool quiet)
{
    struct candidate best = {0};
    bool ambiguous = false;
    struct candidate *all = arena_array(f->a, struct candidate, in->nset + 1);
    size_t nall = 0;
    for (size_t i = 0; i < in->nset; i++) {
        struct decl *d = cu_strip_using(in->set[i]);
        struct candidate *c = &all[nall];
        struct func *fn;
        *c = (struct candidate){0};
        if (d->kind == DECL_TEMPLATE) {
            c->tmpl = (struct template_info *)d;
            if (c->tmpl->kind != TEMPLATE_FUNC)
                continue;
            fn = instantiate(f, in, c->tmpl);
            if (!fn)
                continue;
        } else if (d->kind == DECL_FUNC) {
            if (in->has_targs)
                continue;
            fn = (struct func *)d;
        } else {
            continue;
        }
        if (in->list_only &&
            (!fn->d.type->nparams ||
             !cu_initializer_list_elem(f, cu_noref(fn->d.type->params[0])->unqual)))
            continue;
        if (viable(f, in, fn, c, false))
            continue;
        nall++;
    }
    if (nall) {
        size_t b = 0;
        for (size_t i = 1; i < nall; i++)
            if (better(f, in, &all[i], &all[b]) < 0)
                b = i;
        for (size_t i = 0; i < nall; i++)
            if (i != b && all[i].func != all[b].func && better(f, in, &all[b], &all[i]) >= 0) {
                ambiguous = true;
                if (!quiet) {
                    cu_report(f, in->at, "the call of '%s' is ambiguous", in->name);
                    cu_note(f, all[b].func->d.span, "it may be this one");
                    cu_note(f, all[i].func->d.span, "or this one");
                    cu_unwind(f);
                }
            }
        best = all[b];
    }
    if (ambiguous)
        return NULL;
    if (best.func)
        return best.func;
    if (quiet)
        return NULL;
    if (f->quiet)
        cu_error(f, in->at, "no '%s' takes (%s)", in->name, arg_types(f, in));
    if (in->nset == 1) {
        struct candidate c = {0};
        struct decl *d = cu_strip_using(in->set[0]);
        const char *reason = NULL;
        if (d->kind == DECL_FUNC)
            reason = viable(f, in, (struct func *)d, &c, true);
        if (reason) {
            cu_report(f, in->at, "'%s' cannot be called with (%s): %s", in->name, arg_types(f, in),
                      reason);
            cu_note(f, d->span, "declared here");
            cu_unwind(f);
        }
    }
    cu_report(f, in->at, "no '%s' takes (%s)", in->name, arg_types(f, in));
    explain(f, in);
    cu_unwind(f);
}

struct func *cu_resolve(struct front *f, struct decl **set, size_t nset, struct expr *object,
                        struct targ *targs, size_t ntargs, bool has_targs, struct expr **args,
                        size_t n, struct span at, const char *name, bool quiet)
{
    struct input in = {.set = set,
                       .nset = nset,
                       .object = object,
                       .targs = targs,
                       .ntargs = ntargs,
                       .has_targs = has_targs,
                       .args = args,
                       .n = n,
                       .at = at,
                       .name = name ? name : "function"};
    return resolve(f, &in, quiet);
}

struct func *cu_resolve_ctor(struct front *f, struct type *t, struct expr **args, size_t n,
                             bool copy_init, bool list_only, struct span at, bool quiet)
{
    struct found r = {0};
    cu_class_ctors(f, t->cls, &r);
    struct input in = {.set = r.decls,
                       .nset = r.n,
                       .args = args,
                       .n = n,
                       .copy_init = copy_init,
                       .list_only = list_only,
                       .at = at,
                       .name = cu_type_str(f, t)};
    struct func *fn = resolve(f, &in, quiet);
    return fn && fn->cls != t->cls ? cu_inherited_ctor(f, t->cls, fn) : fn;
}

/* ---- operators ---- */

/* Where no operand is of a class, an operator counts only if it takes one of the enumerations as it
 * is: what would have to be made of them first is nobody's operand. */
static bool takes_enumeration(const struct func *fn, struct expr **args, size_t n)
{
    for (size_t i = 0; i < n && i < fn->d.type->nparams; i++)
        if (args[i]->type->kind == TY_ENUM &&
            cu_noref(fn->d.type->params[i])->unqual == args[i]->type->unqual)
            return true;
    return false;
}

static void only_for_enumerations(struct front *f, struct found *set, struct expr **args, size_t n)
{
    struct decl **kept = arena_array(f->a, struct decl *, set->n + 1);
    size_t m = 0;
    for (size_t i = 0; i < set->n; i++) {
        struct decl *d = cu_strip_using(set->decls[i]);
        if (d->kind != DECL_FUNC || takes_enumeration((struct func *)d, args, n))
            kept[m++] = set->decls[i];
    }
    set->decls = kept;
    set->n = m;
}

static bool has_class(struct expr **args, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind == EX_BRACED || args[i]->type->kind == TY_CLASS)
            return true;
    return false;
}

/* must: complain where candidates are there and none fits, unless the operator is also built in. */
static struct expr *operator_call(struct front *f, unsigned op, struct expr **args, size_t n,
                                  struct span s, bool must)
{
    const char *name = cu_operator_name(f, op);
    struct found set = {0}, r = {0};
    struct type *t = args[0]->type;
    bool member_only = op == PUNCT_ASSIGN || op == OPN_CALL || op == OPN_INDEX || op == PUNCT_ARROW;
    if (t->kind == TY_CLASS) {
        cu_complete(f, t, s);
        cu_lookup_member(f, t->cls, name, &set);
        if (set.ambiguous)
            set.n = 0;
    }
    if (!member_only) {
        struct scope *save = f->scope;
        /* Unqualified, passing over members. */
        while (f->scope && f->scope->kind == SCOPE_CLASS)
            f->scope = f->scope->parent;
        struct found free_set = {0};
        while (f->scope) {
            if (cu_lookup(f, name, &r) && r.n && !r.cls) {
                free_set = r;
                break;
            }
            f->scope = r.cls && r.scope ? r.scope->parent : NULL;
            if (!r.n)
                break;
        }
        f->scope = save;
        cu_lookup_adl(f, name, args, n, &free_set);
        if (free_set.n) {
            struct decl **all = arena_array(f->a, struct decl *, set.n + free_set.n);
            if (set.n)
                memcpy(all, set.decls, set.n * sizeof *all);
            memcpy(all + set.n, free_set.decls, free_set.n * sizeof *all);
            set.decls = all;
            set.n += free_set.n;
        }
    }
    const bool classes = has_class(args, n);
    if (!classes)
        only_for_enumerations(f, &set, args, n);
    if (!set.n)
        return NULL;
    struct input in = {.set = set.decls,
                       .nset = set.n,
                       .args = args,
                       .n = n,
                       .operator_form = true,
                       .at = s,
                       .name = name};
    struct func *fn = resolve(f, &in, true);
    if (fn && !classes && !takes_enumeration(fn, args, n))
        fn = NULL; /* of a template */
    if (!fn && !must)
        return NULL;
    if (!fn) {
        /* Ambiguous among themselves, or none: a class operand without a built-in meaning is an
         * error. */
        bool builtin = op == PUNCT_COMMA || (op == PUNCT_AND && n == 1) || op == PUNCT_ARROW ||
                       op == PUNCT_NOT || op == PUNCT_ANDAND || op == PUNCT_OROR;
        for (size_t i = 0; i < n && !builtin; i++)
            if (args[i]->type->kind == TY_ENUM ||
                (args[i]->type->kind == TY_CLASS &&
                 cu_integral_operand(f, args[i])->type->kind != TY_CLASS))
                builtin = true;
        if (builtin || f->quiet)
            return NULL;
        resolve(f, &in, false);
    }
    if (is_method(fn))
        return cu_call_func(f, fn, args[0], args + 1, n - 1, false, s);
    return cu_call_func(f, fn, NULL, args, n, true, s);
}

/* C++20: a != b is !(a == b) where only that is declared, and a == b may be b == a. */
static struct expr *rewritten_equality(struct front *f, unsigned op, struct expr **args,
                                       struct span s)
{
    struct expr *r = op == PUNCT_NE ? operator_call(f, PUNCT_EQ, args, 2, s, false) : NULL;
    if (!r)
        r = operator_call(f, PUNCT_EQ, (struct expr *[]){args[1], args[0]}, 2, s, false);
    return r && op == PUNCT_NE ? cu_unary(f, PUNCT_NOT, r, s) : r;
}

/* … and a < b is (a <=> b) < 0, or 0 < (b <=> a). */
static struct expr *rewritten_order(struct front *f, enum punct op, struct expr **args,
                                    struct span s)
{
    struct expr *zero = cu_int_expr(f, cu_type(f, TY_INT), 0, s);
    struct expr *r = operator_call(f, PUNCT_SPACESHIP, args, 2, s, false);
    if (r)
        return cu_binary(f, op, r, zero, s);
    r = operator_call(f, PUNCT_SPACESHIP, (struct expr *[]){args[1], args[0]}, 2, s, false);
    return r ? cu_binary(f, op, zero, r, s) : NULL;
}

struct expr *cu_compare_call(struct front *f, const char *name, struct expr *a, struct expr *b,
                             struct span s)
{
    struct found r;
    struct expr *args[] = {a, b};
    if (!f->std || !cu_lookup_in(f, f->std, intern_z(f->names, "__tern_compare"), &r) ||
        !cu_found_is_type(&r) ||
        !cu_lookup_in(f, r.decls[0]->type->cls->scope, intern_z(f->names, name), &r))
        cu_error(f, s, "the operator '<=>' needs <compare>");
    struct func *fn = cu_resolve(f, r.decls, r.n, NULL, NULL, 0, false, args, 2, s, name, false);
    return cu_call_func(f, fn, NULL, args, 2, true, s);
}

struct expr *cu_three_way(struct front *f, struct expr *a, struct expr *b, struct span s)
{
    if (a->kind == EX_DEPENDENT || b->kind == EX_DEPENDENT)
        return cu_dependent(f, s);
    const bool overloaded = a->type->kind == TY_CLASS || b->type->kind == TY_CLASS ||
                            a->type->kind == TY_ENUM || b->type->kind == TY_ENUM;
    if (overloaded) {
        struct expr *r = operator_call(f, PUNCT_SPACESHIP, (struct expr *[]){a, b}, 2, s, false);
        if (r)
            return r;
        r = operator_call(f, PUNCT_SPACESHIP, (struct expr *[]){b, a}, 2, s, false);
        if (r) /* 0 <=> (b <=> a) */
            return operator_call(f, PUNCT_SPACESHIP,
                                 (struct expr *[]){cu_int_expr(f, cu_type(f, TY_INT), 0, s), r}, 2,
                                 s, true);
    }
    a = cu_integral_operand(f, a);
    b = cu_integral_operand(f, b);
    if (cu_is_arith(a->type) && cu_is_arith(b->type)) {
        struct type *t = cu_usual(f, a->type, b->type);
        a = cu_cast_scalar(f, a, t, false);
        b = cu_cast_scalar(f, b, t, false);
    } else if (a->type->kind == TY_POINTER && b->type->kind == TY_POINTER) {
        struct type *t = cu_composite_pointer(f, a, b);
        if (t) {
            a = cu_cast_scalar(f, a, t, false);
            b = cu_cast_scalar(f, b, t, false);
        }
    }
    if (a->type->unqual != b->type->unqual || !cu_is_scalar(a->type))
        cu_error(f, s, "'%s' and '%s' cannot be compared with '<=>'", cu_type_str(f, a->type),
                 cu_type_str(f, b->type));
    return cu_compare_call(f, "three_way", a, b, s);
}

struct expr *cu_try_operator(struct front *f, unsigned op, struct expr **args, size_t n,
                             struct span s)
{
    bool equality = op == PUNCT_EQ || op == PUNCT_NE;
    bool order = n == 2 && (op == PUNCT_LT || op == PUNCT_GT || op == PUNCT_LE || op == PUNCT_GE);
    if (!equality && !order)
        return operator_call(f, op, args, n, s, true);
    struct expr *r = operator_call(f, op, args, n, s, false);
    if (!r && equality)
        r = rewritten_equality(f, op, args, s);
    if (!r && order)
        r = rewritten_order(f, (enum punct)op, args, s);
    return r ? r : operator_call(f, op, args, n, s, true);
}

/* ---- the address of a function ---- */

struct func *cu_resolve_address(struct front *f, struct expr *set, struct type *target)
{
    struct type *seen = target && target->kind == TY_MEMPTR ? target->elem : target;
    struct type *ft = seen ? cu_may_throw(f, seen) : NULL;
    struct func *hit = NULL;
    for (size_t i = 0; i < set->u.set.ndecls; i++) {
        struct decl *d = cu_strip_using(set->u.set.decls[i]);
        struct func *fn = NULL;
        if (d->kind == DECL_FUNC) {
            if (set->has_targs)
                continue;
            fn = (struct func *)d;
        } else if (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind == TEMPLATE_FUNC) {
            struct template_info *t = (struct template_info *)d;
            struct func *p = cu_pattern(f, t);
            struct targ *args;
            size_t n;
            if (!p)
                continue;
            if (ft ? !cu_deduce_type(f, t, set->targs, set->ntargs, p->d.type, ft, &args, &n)
                   : !cu_deduce_call(f, t, set->targs, set->ntargs, NULL, 0, NULL, &args, &n))
                continue;
            fn = cu_instantiate_func(f, t, args, n, set->span);
            if (!fn)
                continue;
        } else {
            continue;
        }
        if (ft && fn->auto_result && fn->d.type->elem->kind == TY_AUTO)
            cu_parse_body(f, fn);
        if (ft && (fn->d.type != ft || (seen != ft && !cu_is_noexcept(f, fn))))
            continue;
        if (hit && hit != fn) {
            if (!ft && set->u.set.ndecls > 1)
                return NULL;
            if (!(fn->where & (cu_host(f) ? WHERE_HOST : WHERE_DEVICE)))
                continue;
        }
        hit = fn;
    }
    if (hit && hit->auto_result && hit->d.type->elem->kind == TY_AUTO)
        cu_parse_body(f, hit);
    return hit;
}

/* ---- arguments ---- */

static struct expr *default_argument(struct front *f, struct func *fn, size_t i, struct span s)
{
    struct param *p = &fn->params[i];
    if (p->default_value)
        return p->default_value;
    if (!p->default_pos)
        cu_error_note(f, s, fn->d.span, "declared here", "argument %zu of '%s' is missing", i + 1,
                      fn->d.name);
    struct parse_state st;
    cu_enter(f, &st, p->default_pos, p->default_scope ? p->default_scope : fn->scope);
    struct func *caller = st.func;
    f->func = NULL;
    f->call_at = st.call_at.loc ? st.call_at : s;
    f->call_in = st.call_at.loc ? st.call_in : caller;
    f->unevaluated = st.unevaluated;
    struct expr *e = cu_parse_init_clause(f);
    f->func = caller;
    e = cu_init_copy(f, p->type->kind == TY_ARRAY ? cu_adjust_param(f, p->type) : p->type, e,
                     "a default argument");
    cu_restore(f, &st);
    return e;
}

static struct expr *promote_variadic(struct front *f, struct expr *e)
{
    if (e->kind == EX_BRACED)
        cu_error(f, e->span, "a braced list cannot be passed through '...'");
    e = cu_rvalue(f, e);
    if (e->type->kind == TY_CLASS && cu_host(f) && cu_trivially_copyable(f, e->type))
        return e;
    if (e->type->kind == TY_CLASS) {
        struct expr *v = cu_integral_operand(f, e);
        if (v->type->kind == TY_CLASS && f->unevaluated)
            return e;
        if (v->type->kind == TY_CLASS)
            cu_error(f, e->span, "'%s' cannot be passed through '...'", cu_type_str(f, e->type));
        e = v;
    }
    if (e->type->kind == TY_LDOUBLE && cu_host(f)) /* formats are to know */
        return e;
    if (cu_is_float(e->type))
        return cu_cast_scalar(f, e, cu_type(f, TY_DOUBLE), false);
    if (cu_is_integral(e->type))
        return cu_cast_scalar(f, e, cu_promoted(f, e->type), false);
    return e;
}

struct expr **cu_convert_args(struct front *f, struct func *fn, struct expr **args, size_t n,
                              size_t *nout, struct span s)
{
    static const char *const nth[] = {"argument 1 of", "argument 2 of", "argument 3 of",
                                      "argument 4 of", "argument 5 of", "argument 6 of",
                                      "argument 7 of", "argument 8 of"};
    struct type *t = fn->d.type;
    size_t total = n > t->nparams ? n : t->nparams;
    struct expr **out = arena_array(f->a, struct expr *, total + 1);
    for (size_t i = 0; i < total; i++) {
        if (i >= t->nparams)
            out[i] = promote_variadic(f, args[i]);
        else if (i < n)
            out[i] = cu_init_copy(
                f, t->params[i], args[i],
                cu_quoted(f, i < 8 ? nth[i] : "an argument of",
                          fn->is_ctor ? fn->cls->name ? fn->cls->name : "?" : fn->d.name));
        else
            out[i] = default_argument(f, fn, i, s);
    }
    *nout = total;
    return out;
}
