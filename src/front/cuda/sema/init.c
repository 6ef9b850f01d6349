/* Initialisation: copy, direct, list, default and value, of scalars, references, arrays and
 * classes. */
#include "front/cuda/sema/sema.h"

struct expr *cu_construct(struct front *f, struct func *ctor, struct type *t, struct expr **args,
                          size_t n, struct span s)
{
    struct class_info *c = t->cls;
    if (ctor->is_deleted)
        cu_error_note(f, s, ctor->d.span, "it is deleted here",
                      "this constructor of '%s' is deleted", cu_type_str(f, t));
    cu_check_access(f, &ctor->d, c, s);
    bool copies = ctor->nparams >= 1 && n == 1 && cu_is_ref(ctor->d.type->params[0]) &&
                  ctor->d.type->params[0]->elem->unqual == t->unqual;
    if (ctor->is_defaulted && copies &&
        cu_trivial_copy(f, c, ctor->d.type->params[0]->kind == TY_RREF)) {
        struct expr *a = cu_convert(f, args[0], ctor->d.type->params[0], "copying");
        if (a->kind == EX_TEMP && a->a->cat == CAT_PR && a->a->type->unqual == t->unqual)
            return a->a;
        struct expr *r = cu_expr_new(f, EX_LOAD, t->unqual, CAT_PR, s);
        r->a = a;
        return r;
    }
    if (ctor->is_defaulted && n == 0 && cu_trivial_default(f, t))
        return cu_expr_new(f, EX_UNINIT, t->unqual, CAT_PR, s);
    struct expr *e = cu_expr_new(f, EX_CONSTRUCT, t->unqual, CAT_PR, s);
    e->u.func = ctor;
    e->args = cu_convert_args(f, ctor, args, n, &e->nargs, s);
    cu_use_func(f, ctor, s);
    return e;
}

struct expr *cu_init_default(struct front *f, struct type *t, struct span s)
{
    if (cu_is_ref(t))
        cu_error(f, s, "a reference has to be initialised");
    struct type *e = t;
    while (e->kind == TY_ARRAY)
        e = e->elem;
    if (e->kind != TY_CLASS)
        return cu_expr_new(f, EX_UNINIT, t, CAT_PR, s);
    cu_complete(f, e, s);
    if (cu_trivial_default(f, e))
        return cu_expr_new(f, EX_UNINIT, t, CAT_PR, s);
    struct func *ctor = cu_resolve_ctor(f, e->unqual, NULL, 0, false, false, s, false);
    struct expr *one = cu_construct(f, ctor, e->unqual, NULL, 0, s);
    if (t->kind != TY_ARRAY)
        return one;
    struct expr *r = cu_expr_new(f, EX_ARRAY_INIT, t, CAT_PR, s);
    r->a = one;
    return r;
}

struct expr *cu_init_value(struct front *f, struct type *t, struct span s)
{
    if (cu_is_ref(t))
        cu_error(f, s, "a reference has to be initialised");
    struct type *e = t;
    while (e->kind == TY_ARRAY)
        e = e->elem;
    if (e->kind != TY_CLASS)
        return cu_expr_new(f, EX_ZERO, t, CAT_PR, s);
    cu_complete(f, e, s);
    if (e->cls->is_lambda && e->cls->captures)
        cu_error(f, s, "a lambda with captures has no default constructor");
    if (cu_trivial_default(f, e) || e->cls->is_lambda)
        return cu_expr_new(f, EX_ZERO, t, CAT_PR, s);
    struct expr *r = cu_init_default(f, t, s);
    if (r->kind == EX_CONSTRUCT && r->u.func->is_defaulted &&
        (r->u.func->is_implicit || !r->u.func->body))
        r->flag = true; /* zeroed first */
    return r;
}

static struct expr *init_string(struct front *f, struct type *t, struct expr *e)
{
    uint64_t n = e->type->count;
    if (t->count == ARRAY_UNKNOWN)
        t = cu_array_of(f, t->elem, n);
    if (n > t->count && !(n == t->count + 1))
        cu_error(f, e->span, "a string of %llu characters does not fit into %llu",
                 (unsigned long long)n - 1, (unsigned long long)t->count);
    struct expr *r = cu_expr_new(f, EX_STRING, t, CAT_PR, e->span);
    r->u.str = e->u.str;
    return r;
}

static bool char_array_from(struct type *t, struct expr *e)
{
    if (t->kind != TY_ARRAY || e->kind != EX_STRING)
        return false;
    enum type_kind k = t->elem->kind;
    return k == e->type->elem->kind ||
           (e->type->elem->kind == TY_CHAR && (k == TY_UCHAR || k == TY_SCHAR));
}

/* For a value of the class itself: one that takes it as it is, or what it converts to (a volatile
 * object has its conversions only). */
static struct func *copy_ctor(struct front *f, struct type *t, struct expr *e)
{
    struct func *ctor = cu_resolve_ctor(f, t, &e, 1, true, false, e->span, true);
    if (!ctor)
        ctor = cu_resolve_ctor(f, t, &e, 1, false, false, e->span, true);
    if (!ctor || ctor->is_explicit)
        ctor = cu_resolve_ctor(f, t, &e, 1, true, false, e->span, false);
    return ctor;
}

struct expr *cu_init_copy(struct front *f, struct type *t, struct expr *e, const char *what)
{
    if (e->kind == EX_DEPENDENT || t->dependent)
        return e;
    if (e->kind == EX_BRACED)
        return cu_init_list(f, t, e, true);
    if (char_array_from(t, e))
        return init_string(f, t, e);
    if (cu_is_ref(t))
        return cu_convert(f, e, t, what);
    if (t->kind == TY_CLASS) {
        cu_complete(f, t, e->span);
        if (e->type->unqual == t->unqual && e->cat == CAT_PR)
            return e;
        bool same = e->type->kind == TY_CLASS &&
                    (e->type->unqual == t->unqual || cu_derives(f, e->type, t));
        if (same)
            return cu_construct(f, copy_ctor(f, t->unqual, e), t->unqual, &e, 1, e->span);
        return cu_convert(f, e, t->unqual, what);
    }
    if (t->kind == TY_ARRAY) {
        if (e->kind == EX_STMT || e->type->kind != TY_ARRAY)
            cu_error(f, e->span, "an array is initialised with a list in braces, not with '%s'",
                     cu_type_str(f, e->type));
        if (e->type->unqual != t->unqual && e->type->elem->unqual != t->elem->unqual)
            cu_error(f, e->span, "an array cannot be initialised with another array");
        if (e->kind == EX_STRING || e->cat == CAT_PR)
            return e;
        if (!cu_trivially_copyable(f, t))
            cu_error(f, e->span, "an array of '%s' cannot be copied as a whole",
                     cu_type_str(f, t->elem));
        struct expr *r = cu_expr_new(f, EX_LOAD, t, CAT_PR,
                                     e->span); /* members of closures and structured bindings */
        r->a = e;
        return r;
    }
    return cu_convert(f, e, t->unqual, what);
}

struct expr *cu_init_direct(struct front *f, struct type *t, struct expr **args, size_t n,
                            struct span s)
{
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind == EX_DEPENDENT)
            return args[i];
    if (t->dependent)
        return cu_dependent(f, s);
    if (t->kind == TY_CLASS) {
        cu_complete(f, t, s);
        if (n == 1 && args[0]->cat == CAT_PR && args[0]->type->unqual == t->unqual)
            return args[0];
        if (n == 0)
            return cu_init_value(f, t, s);
        struct func *ctor = cu_resolve_ctor(f, t->unqual, args, n, false, false, s, true);
        if (!ctor && n == 1 && args[0]->type->kind == TY_CLASS) {
            /* A conversion function may give the class itself. */
            struct expr *r = cu_explicit_conversion(f, args[0], t->unqual);
            if (r)
                return r;
        }
        if (!ctor && cu_is_aggregate(f, t) && n) { /* C++20: T(a, b) for aggregates */
            struct expr *list = cu_expr_new(f, EX_BRACED, cu_type(f, TY_BRACED), CAT_PR, s);
            list->args = args;
            list->nargs = n;
            list->u.braced.names = arena_array(f->a, const char *, n + 1);
            list->u.braced.index = arena_array(f->a, struct expr *, n + 1);
            bool related = n == 1 && args[0]->type->kind == TY_CLASS;
            if (!related)
                return cu_init_list(f, t, list, false);
        }
        if (!ctor)
            ctor = cu_resolve_ctor(f, t->unqual, args, n, false, false, s, false);
        return cu_construct(f, ctor, t->unqual, args, n, s);
    }
    if (n == 0)
        return cu_init_value(f, t, s);
    if (n > 1)
        cu_error(f, s, "'%s' is initialised with one value, not %zu", cu_type_str(f, t), n);
    if (args[0]->kind == EX_BRACED)
        return cu_init_list(f, t, args[0], false);
    if (t->kind == TY_BOOL &&
        (args[0]->type->kind == TY_CLASS || args[0]->type->kind == TY_NULLPTR))
        return cu_bool(f, args[0]);
    if (!cu_is_ref(t) && t->kind != TY_ARRAY && args[0]->type->kind == TY_CLASS) {
        struct expr *r = cu_explicit_conversion(f, args[0], t);
        if (r)
            return r;
    }
    return cu_init_copy(f, t, args[0], "initialising");
}

/* ---- narrowing ---- */

static bool int_fits(struct type *t, int64_t v, bool from_unsigned)
{
    int64_t w = cu_wrap(t, v);
    if (w != v)
        return false;
    if (from_unsigned && v < 0)
        return !cu_is_signed(t) && cu_bits(t) == 64;
    return cu_is_signed(t) || v >= 0;
}

static void check_narrowing(struct front *f, struct expr *e, struct type *to)
{
    if (!cu_is_arith(to) || e->kind == EX_BRACED)
        return;
    struct type *from = e->type->unqual;
    to = to->unqual;
    if (from == to || !(cu_is_arith(from) || from->kind == TY_ENUM))
        return;
    bool ff = cu_is_float(from), tf = cu_is_float(to);
    int64_t v;
    double d;
    bool bad = false;
    if (ff && !tf)
        bad = true;
    else if (ff && tf)
        bad = cu_bits(to) < cu_bits(from) && !cu_const_float(f, e, &d);
    else if (!ff && tf)
        bad = !(cu_const_int(f, e, &v) && v > -(INT64_C(1) << 24) && v < (INT64_C(1) << 24)) &&
              cu_bits(from) > (to->kind == TY_DOUBLE ? 52u : 23u);
    else if (cu_bits(to) < cu_bits(from) ||
             (cu_bits(to) == cu_bits(from) && cu_is_signed(to) != cu_is_signed(from)) ||
             (cu_is_signed(from) && !cu_is_signed(to)))
        bad = !(cu_const_int(f, e, &v) &&
                (to->kind == TY_BOOL ? (v == 0 || v == 1) : int_fits(to, v, !cu_is_signed(from))));
    if (!bad)
        return;
    /* As nvcc has it: an error only for constants that do not fit, else a warning. */
    if (!ff && !tf && cu_const_int(f, e, &v))
        cu_error(f, e->span, "%lld does not fit into '%s' (narrowing in braces)", (long long)v,
                 cu_type_str(f, to));
    if (f->quiet && f->unevaluated) /* whoever asks whether it can be done is told that it cannot */
        cu_error(f, e->span, "'%s' narrows to '%s' in braces", cu_type_str(f, from),
                 cu_type_str(f, to));
    cu_warn(f, "narrowing", e->span, "'%s' narrows to '%s' in braces", cu_type_str(f, from),
            cu_type_str(f, to));
}

/* ---- lists ---- */

struct type *cu_initializer_list_elem(struct front *f, struct type *t)
{
    if (t->kind != TY_CLASS || !t->cls->tmpl || t->cls->tmpl->d.name != f->n_initializer_list ||
        t->cls->nargs != 1)
        return NULL;
    return t->cls->args[0].kind == TARG_TYPE ? t->cls->args[0].type : NULL;
}

struct cursor {
    struct expr *list;
    size_t next;
};

static struct expr *init_aggregate(struct front *f, struct type *t, struct cursor *c,
                                   bool own_braces);

static struct expr *default_member(struct front *f, struct field *fd)
{
    struct parse_state s;
    cu_enter(f, &s, fd->init_pos, fd->cls->scope);
    f->cls = fd->cls;
    struct expr *e;
    if (cu_accept(f, PUNCT_ASSIGN)) {
        e = cu_parse_init_clause(f);
        e = cu_init_copy(f, fd->d.type, e, "initialising");
    } else {
        e = cu_init_list(f, fd->d.type, cu_parse_braced(f), false);
    }
    cu_restore(f, &s);
    return e;
}

struct expr *cu_default_member(struct front *f, struct field *fd)
{
    return default_member(f, fd);
}

/* The next initialiser of the list for an element of type t: itself, or, with braces left out, as
 * many as t has parts. */
static struct expr *init_element(struct front *f, struct type *t, struct cursor *c)
{
    struct expr *e = c->list->args[c->next];
    if (e->kind == EX_DEPENDENT || t->dependent) {
        c->next++;
        return e;
    }
    if (e->kind == EX_BRACED) {
        c->next++;
        return cu_init_list(f, t, e, true);
    }
    if (char_array_from(t, e) || cu_is_ref(t)) {
        c->next++;
        return cu_init_copy(f, t, e, "initialising");
    }
    if (t->kind == TY_ARRAY || (t->kind == TY_CLASS && cu_is_aggregate(f, t))) {
        struct ics k = t->kind == TY_CLASS ? cu_ics(f, e, t, true) : (struct ics){.rank = ICS_NONE};
        if (k.rank == ICS_NONE)
            return init_aggregate(f, t, c, false);
    }
    c->next++;
    if (cu_is_arith(t))
        check_narrowing(f, e, t);
    return cu_init_copy(f, t, e, "initialising");
}

/* Where a list initialises by copy (`= {…}`, `return {…}`, an argument), the best constructor is
 * found among all, and may not be explicit. */
static void refuse_explicit(struct front *f, struct type *t, const struct func *ctor,
                            struct span at)
{
    if (ctor && ctor->is_explicit)
        cu_error_note(f, at, ctor->d.span, "declared here", "this constructor of '%s' is explicit",
                      cu_type_str(f, t));
}

/* {} by copy. A constructor that has parameters, each with a default, is taken here, explicit or
 * not, as by gcc and nvcc. */
static struct expr *empty_copy(struct front *f, struct type *t, struct span at)
{
    struct type *e = t;
    while (e->kind == TY_ARRAY)
        e = e->elem;
    if (e->kind == TY_CLASS && !cu_is_aggregate(f, e)) {
        const struct func *ctor = cu_resolve_ctor(f, e->unqual, NULL, 0, false, false, at, true);
        if (ctor && !ctor->nparams)
            refuse_explicit(f, e, ctor, at);
    }
    return cu_init_value(f, t, at);
}

static struct expr *init_array(struct front *f, struct type *t, struct cursor *c, bool own)
{
    VEC(struct designated) items = {0};
    uint64_t index = 0, max = 0;
    while (c->next < c->list->nargs && (own || t->count == ARRAY_UNKNOWN || index < t->count)) {
        if (own && c->list->u.braced.index[c->next]) {
            int64_t v = cu_require_int(f, c->list->u.braced.index[c->next], "an index");
            if (v < 0)
                cu_error(f, c->list->span, "a negative index");
            index = (uint64_t)v;
        } else if (own && c->list->u.braced.names[c->next]) {
            cu_error(f, c->list->args[c->next]->span, "an array has no member '%s'",
                     c->list->u.braced.names[c->next]);
        }
        if (t->count != ARRAY_UNKNOWN && index >= t->count)
            cu_error(f, c->list->args[c->next]->span,
                     "more initialisers than the %llu elements of '%s'",
                     (unsigned long long)t->count, cu_type_str(f, t));
        struct designated d = {.index = index, .count = 1, .value = init_element(f, t->elem, c)};
        vec_push(f->a, &items, d);
        index++;
        if (index > max)
            max = index;
    }
    struct type *full = t->count == ARRAY_UNKNOWN ? cu_array_of(f, t->elem, max) : t;
    struct type *base = full;
    while (base->kind == TY_ARRAY)
        base = base->elem;
    if (base->kind == TY_CLASS && max < full->count && !cu_trivial_default(f, base)) {
        struct designated d = {.index = max,
                               .count = full->count - max,
                               .value = empty_copy(f, full->elem, c->list->span)};
        vec_push(f->a, &items, d);
    }
    struct expr *r = cu_expr_new(f, EX_INIT, full, CAT_PR, c->list->span);
    r->u.init.items = items.data;
    r->u.init.n = items.len;
    r->u.init.zero = items.len < full->count;
    return r;
}

static struct field *find_field(struct front *f, struct class_info *c, const char *name)
{
    struct decl *d = cu_find_local(f, c->scope, name);
    return d && d->kind == DECL_FIELD ? (struct field *)d : NULL;
}

/* A member that the list does not reach, as by {}: a union needs no constructor for that. */
static struct expr *empty_member(struct front *f, struct type *t, struct span at)
{
    if (t->kind != TY_CLASS || !t->cls->is_union || !cu_is_aggregate(f, t))
        return empty_copy(f, t, at);
    struct expr *none = cu_expr_new(f, EX_BRACED, cu_type(f, TY_BRACED), CAT_PR, at);
    return cu_init_list(f, t, none, true);
}

static struct expr *init_class(struct front *f, struct type *t, struct cursor *c, bool own)
{
    struct class_info *cls = t->cls;
    VEC(struct designated) items = {0};
    vec_each (struct base_class, b, &cls->bases) {
        if (c->next < c->list->nargs && !(own && c->list->u.braced.names[c->next])) {
            struct designated d = {.base = b, .value = init_element(f, b->type, c)};
            vec_push(f->a, &items, d);
        } else {
            struct designated d = {.base = b, .value = cu_init_value(f, b->type, c->list->span)};
            vec_push(f->a, &items, d);
        }
    }
    struct field *fd = cls->fields;
    bool designated = false;
    while (fd) {
        if (fd->is_bitfield && !fd->d.name) {
            fd = fd->next;
            continue;
        }
        struct designated d = {.field = fd};
        bool have = c->next < c->list->nargs;
        const char *name = have && own ? c->list->u.braced.names[c->next] : NULL;
        if (name) {
            struct field *want = find_field(f, cls, name);
            if (!want)
                cu_undeclared(f, name, c->list->args[c->next]->span, cls->scope);
            while (want->outer && want->cls != cls)
                want = want->outer;
            designated = true;
            if (want != fd) {
                if (want->index < fd->index && !cls->is_union)
                    cu_error(f, c->list->args[c->next]->span,
                             "designators have to be in the order of the members");
                if (cls->is_union) {
                    fd = want;
                    d.field = fd;
                } else {
                    have = false;
                }
            }
        } else if (designated) {
            have = false;
        }
        if (have) {
            if (name && fd->anonymous) {
                struct expr *inner =
                    cu_expr_new(f, EX_BRACED, cu_type(f, TY_BRACED), CAT_PR, c->list->span);
                inner->args = &c->list->args[c->next];
                inner->u.braced.names = &c->list->u.braced.names[c->next];
                inner->u.braced.index = &c->list->u.braced.index[c->next];
                inner->nargs = 1;
                c->next++;
                d.value = cu_init_list(f, fd->d.type, inner, true);
            } else {
                d.value = init_element(f, fd->d.type, c);
            }
        } else if (fd->init_pos) {
            d.value = default_member(f, fd);
            d.count = 1; /* evaluated with `this` as the object */
        } else if (cu_is_ref(fd->d.type)) {
            cu_error_note(f, c->list->span, fd->d.span, "declared here",
                          "the reference member '%s' has to be initialised",
                          fd->d.name ? fd->d.name : "?");
        } else {
            if (cls->is_union)
                break;
            d.value = empty_member(f, fd->d.type, c->list->span);
        }
        vec_push(f->a, &items, d);
        if (cls->is_union)
            break;
        fd = fd->next;
    }
    struct expr *r = cu_expr_new(f, EX_INIT, t->unqual, CAT_PR, c->list->span);
    r->u.init.items = items.data;
    r->u.init.n = items.len;
    r->u.init.zero = cls->is_union || !items.len;
    return r;
}

static struct expr *init_aggregate(struct front *f, struct type *t, struct cursor *c, bool own)
{
    cu_nest(f, c->list->span);
    struct expr *r = t->kind == TY_ARRAY ? init_array(f, t, c, own) : init_class(f, t, c, own);
    f->nesting--;
    if (own && c->next < c->list->nargs)
        cu_error(f, c->list->args[c->next]->span, "more initialisers than '%s' has members",
                 cu_type_str(f, t));
    return r;
}

/* std::initializer_list<E> from { … }: a temporary array, its address and its length. */
static struct expr *make_initializer_list(struct front *f, struct type *t, struct type *elem,
                                          struct expr *list)
{
    struct type *array = cu_array_of(f, cu_qualified(f, elem, QUAL_CONST), list->nargs);
    struct cursor c = {.list = list};
    struct expr *values = cu_expr_new(f, EX_TEMP, array, CAT_X, list->span);
    values->a = list->nargs ? init_array(f, array, &c, true)
                            : cu_expr_new(f, EX_ZERO, cu_array_of(f, elem, 1), CAT_PR, list->span);
    if (!list->nargs)
        values->type = values->a->type;
    cu_complete(f, t, list->span);
    struct field *first = t->cls->fields;
    if (!first || !first->next)
        cu_error(f, list->span, "std::initializer_list is not declared as expected");
    struct expr *r = cu_expr_new(f, EX_INIT, t->unqual, CAT_PR, list->span);
    r->u.init.items = arena_array(f->a, struct designated, 2);
    r->u.init.n = 2;
    r->u.init.items[0].field = first;
    r->u.init.items[0].value = cu_decay(f, values);
    r->u.init.items[1].field = first->next;
    r->u.init.items[1].value = cu_int_expr(f, f->size_type, list->nargs, list->span);
    return r;
}

/* T{x}, as T(x), asks x for an explicit conversion too; or NULL. */
static struct expr *converted_item(struct front *f, struct type *t, struct expr *list)
{
    if (list->nargs != 1 || list->u.braced.names[0] || list->args[0]->type->kind != TY_CLASS)
        return NULL;
    return cu_explicit_conversion(f, list->args[0], t->unqual);
}

struct expr *cu_init_list(struct front *f, struct type *t, struct expr *list, bool copy)
{
    if (t->dependent)
        return cu_dependent(f, list->span);
    for (size_t i = 0; i < list->nargs; i++)
        if (list->args[i]->kind == EX_DEPENDENT)
            return cu_dependent(f, list->span);
    if (cu_is_ref(t)) {
        if (list->nargs == 1 && list->args[0]->kind != EX_BRACED) {
            struct ics c = cu_ics(f, list->args[0], t, true);
            if (c.rank != ICS_NONE)
                return cu_apply(f, list->args[0], t, &c);
        }
        struct expr *v = cu_init_list(f, t->elem->unqual, list, copy);
        return cu_glvalue_cast(f, cu_materialize(f, v), t);
    }
    if (t->kind == TY_CLASS) {
        cu_complete(f, t, list->span);
        if (list->nargs == 1 && !list->u.braced.names[0] && list->args[0]->kind != EX_BRACED) {
            struct expr *e = list->args[0];
            if (e->type->unqual == t->unqual || cu_derives(f, e->type, t))
                return copy ? cu_init_copy(f, t->unqual, e, "initialising")
                            : cu_init_direct(f, t->unqual, &e, 1, list->span);
        }
        struct type *elem = cu_initializer_list_elem(f, t);
        if (elem)
            return make_initializer_list(f, t, elem, list);
        /* A demangled name has an object's members, whatever its constructors take. */
        if (cu_is_aggregate(f, t) || list->flag) {
            struct cursor c = {.list = list};
            return init_aggregate(f, t, &c, true);
        }
        if (list->nargs == 0)
            return copy ? empty_copy(f, t, list->span) : cu_init_value(f, t, list->span);
        struct func *by_list =
            cu_resolve_ctor(f, t->unqual, &list, 1, copy, true, list->span, true);
        if (by_list) {
            struct type *p = cu_noref(by_list->d.type->params[0])->unqual;
            struct type *e = cu_initializer_list_elem(f, p);
            struct expr *arg = make_initializer_list(f, p, e, list);
            return cu_construct(f, by_list, t->unqual, &arg, 1, list->span);
        }
        struct func *ctor =
            cu_resolve_ctor(f, t->unqual, list->args, list->nargs, false, false, list->span, true);
        struct expr *converted = !ctor && !copy ? converted_item(f, t, list) : NULL;
        if (converted)
            return converted;
        if (!ctor)
            ctor = cu_resolve_ctor(f, t->unqual, list->args, list->nargs, false, false, list->span,
                                   false);
        if (copy)
            refuse_explicit(f, t, ctor, list->span);
        for (size_t i = 0; i < list->nargs && i < ctor->nparams; i++)
            check_narrowing(f, list->args[i], ctor->d.type->params[i]);
        return cu_construct(f, ctor, t->unqual, list->args, list->nargs, list->span);
    }
    if (t->kind == TY_ARRAY) {
        if (list->nargs == 1 && char_array_from(t, list->args[0]))
            return init_string(f, t, list->args[0]);
        struct cursor c = {.list = list};
        return init_aggregate(f, t, &c, true);
    }
    if (list->nargs == 0)
        return cu_init_value(f, t, list->span);
    if (list->nargs > 1)
        cu_error(f, list->span, "'%s' is initialised with one value, not %zu", cu_type_str(f, t),
                 list->nargs);
    if (list->args[0]->kind == EX_BRACED)
        return cu_init_list(f, t, list->args[0], copy);
    if (t->kind == TY_ENUM && !copy && cu_is_integer(list->args[0]->type))
        return cu_cast_scalar(f, list->args[0], t, true);
    struct expr *converted = copy ? NULL : converted_item(f, t, list);
    if (converted)
        return converted;
    check_narrowing(f, list->args[0], t);
    return cu_init_copy(f, t, list->args[0], "initialising");
}

struct list_job {
    struct type *to;
    struct expr *list;
};

static void try_list(struct front *f, void *arg)
{
    struct list_job *j = arg;
    cu_init_list(f, j->to, j->list, true);
}

struct ics cu_ics_list(struct front *f, struct expr *list, struct type *to, bool allow_user)
{
    struct ics c = {.rank = ICS_NONE,
                    .to = to,
                    .list = true,
                    .ref_binding = cu_is_ref(to),
                    .binds_rvalue = to->kind == TY_RREF};
    (void)allow_user;
    const struct type *last = to->elem; /* the elements of an array carry its qualifiers */
    while (to->kind == TY_LREF && last->kind == TY_ARRAY)
        last = last->elem;
    if (to->kind == TY_LREF && !(last->quals & QUAL_CONST))
        return c;
    struct type *t = cu_noref(to)->unqual;
    if (t->kind != TY_CLASS && t->kind != TY_ARRAY) {
        if (list->nargs == 0) {
            c.rank = ICS_EXACT;
            return c;
        }
        if (list->nargs == 1) {
            c = cu_ics(f, list->args[0], t, allow_user);
            c.list = true;
        }
        return c;
    }
    struct list_job j = {.to = t, .list = list};
    if (!cu_try_quietly(f, try_list, &j))
        return c;
    c.rank = ICS_USER;
    struct type *elem = cu_initializer_list_elem(f, t);
    if (elem) {
        c.rank = ICS_EXACT;
        for (size_t i = 0; i < list->nargs; i++) {
            struct ics e = cu_ics(f, list->args[i], elem, true);
            if (e.rank > c.rank)
                c.rank = e.rank;
        }
    }
    return c;
}
