/* The type traits that <type_traits> is made of: questions only the compiler can answer. */
#include "front/cuda/sema/sema.h"

enum trait {
    TR_SAME,
    TR_BASE_OF,
    TR_CONVERTIBLE,
    TR_CONSTRUCTIBLE,
    TR_TRIVIALLY_CONSTRUCTIBLE,
    TR_NOTHROW_CONSTRUCTIBLE,
    TR_CONSTRUCTIBLE_PLAINLY,
    TR_TRIVIALLY_CONSTRUCTIBLE_PLAINLY,
    TR_NOTHROW_CONSTRUCTIBLE_PLAINLY,
    TR_NOTHROW_ASSIGNABLE,
    TR_ASSIGNABLE,
    TR_TRIVIALLY_ASSIGNABLE,
    TR_CLASS,
    TR_UNION,
    TR_ENUM,
    TR_SCOPED_ENUM,
    TR_POD,
    TR_TRIVIAL,
    TR_TRIVIALLY_COPYABLE,
    TR_TRIVIAL_DTOR,
    TR_STANDARD_LAYOUT,
    TR_EMPTY,
    TR_POLYMORPHIC,
    TR_ABSTRACT,
    TR_FINAL,
    TR_AGGREGATE,
    TR_SIGNED,
    TR_UNSIGNED,
    TR_INTEGRAL,
    TR_FLOATING,
    TR_ARITHMETIC,
    TR_VOID,
    TR_POINTER,
    TR_REFERENCE,
    TR_ARRAY,
    TR_FUNCTION,
    TR_MEMBER_POINTER,
    TR_CONST,
    TR_VOLATILE,
    TR_VIRTUAL_DTOR,
    TR_LVALUE_REFERENCE,
    TR_RVALUE_REFERENCE,
    TR_LITERAL,
    TR_DESTRUCTIBLE,
    TR_UNIQUE_REPRESENTATIONS,
};

static const struct {
    const char *name;
    enum trait trait;
    int types; /* -1: any number */
} traits[] = {
    {"__is_same", TR_SAME, 2},
    {"__is_same_as", TR_SAME, 2},
    {"__is_base_of", TR_BASE_OF, 2},
    {"__is_convertible_to", TR_CONVERTIBLE, 2},
    {"__is_convertible", TR_CONVERTIBLE, 2},
    {"__is_constructible", TR_CONSTRUCTIBLE, -1},
    {"__is_nothrow_constructible", TR_NOTHROW_CONSTRUCTIBLE, -1},
    {"__is_trivially_constructible", TR_TRIVIALLY_CONSTRUCTIBLE, -1},
    /* as before C++20: T(a, b) makes no aggregate */
    {"__is_constructible_plainly", TR_CONSTRUCTIBLE_PLAINLY, -1},
    {"__is_nothrow_constructible_plainly", TR_NOTHROW_CONSTRUCTIBLE_PLAINLY, -1},
    {"__is_trivially_constructible_plainly", TR_TRIVIALLY_CONSTRUCTIBLE_PLAINLY, -1},
    {"__is_assignable", TR_ASSIGNABLE, 2},
    {"__is_nothrow_assignable", TR_NOTHROW_ASSIGNABLE, 2},
    {"__is_trivially_assignable", TR_TRIVIALLY_ASSIGNABLE, 2},
    {"__is_class", TR_CLASS, 1},
    {"__is_union", TR_UNION, 1},
    {"__is_enum", TR_ENUM, 1},
    {"__is_scoped_enum", TR_SCOPED_ENUM, 1},
    {"__is_pod", TR_POD, 1},
    {"__is_trivial", TR_TRIVIAL, 1},
    {"__is_trivially_copyable", TR_TRIVIALLY_COPYABLE, 1},
    {"__is_trivially_destructible", TR_TRIVIAL_DTOR, 1},
    {"__has_trivial_destructor", TR_TRIVIAL_DTOR, 1},
    {"__is_destructible", TR_DESTRUCTIBLE, 1},
    {"__is_standard_layout", TR_STANDARD_LAYOUT, 1},
    {"__has_unique_object_representations", TR_UNIQUE_REPRESENTATIONS, 1},
    {"__is_empty", TR_EMPTY, 1},
    {"__is_polymorphic", TR_POLYMORPHIC, 1},
    {"__is_abstract", TR_ABSTRACT, 1},
    {"__is_final", TR_FINAL, 1},
    {"__is_aggregate", TR_AGGREGATE, 1},
    {"__is_signed", TR_SIGNED, 1},
    {"__is_unsigned", TR_UNSIGNED, 1},
    {"__is_integral", TR_INTEGRAL, 1},
    {"__is_floating_point", TR_FLOATING, 1},
    {"__is_arithmetic", TR_ARITHMETIC, 1},
    {"__is_void", TR_VOID, 1},
    {"__is_pointer", TR_POINTER, 1},
    {"__is_reference", TR_REFERENCE, 1},
    {"__is_lvalue_reference", TR_LVALUE_REFERENCE, 1},
    {"__is_rvalue_reference", TR_RVALUE_REFERENCE, 1},
    {"__is_array", TR_ARRAY, 1},
    {"__is_function", TR_FUNCTION, 1},
    {"__is_member_pointer", TR_MEMBER_POINTER, 1},
    {"__is_const", TR_CONST, 1},
    {"__is_volatile", TR_VOLATILE, 1},
    {"__has_virtual_destructor", TR_VIRTUAL_DTOR, 1},
    {"__is_literal_type", TR_LITERAL, 1},
};

static struct expr *declval(struct front *f, struct type *t, struct span s)
{
    enum value_cat c = t->kind == TY_LREF ? CAT_L : CAT_X;
    return cu_expr_new(f, EX_UNINIT, cu_noref(t), c, s);
}

struct construct_job {
    struct type *t;
    struct expr **args;
    size_t n;
    struct span s;
    struct expr *out;
};

static void try_construct(struct front *f, void *arg)
{
    struct construct_job *j = arg;
    if (j->t->kind == TY_CLASS && j->n == 0) {
        struct func *fn = cu_resolve_ctor(f, j->t->unqual, NULL, 0, false, false, j->s, false);
        j->out = cu_construct(f, fn, j->t->unqual, NULL, 0, j->s);
        return;
    }
    j->out = cu_init_direct(f, j->t, j->args, j->n, j->s);
}

static void try_convert(struct front *f, void *arg)
{
    struct construct_job *j = arg;
    j->out = cu_init_copy(f, j->t, j->args[0], "converting");
}

static void try_assign(struct front *f, void *arg)
{
    struct construct_job *j = arg;
    j->out = cu_assign(f, PUNCT_ASSIGN, j->args[0], j->args[1], j->s);
}

static struct type *element(struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    return t;
}

static bool is_destructible(struct front *f, struct type *t)
{
    if (t->kind == TY_ARRAY && t->count == ARRAY_UNKNOWN)
        return false;
    t = element(t);
    if (t->kind == TY_CLASS) {
        const struct func *dtor = cu_find_dtor(f, t->cls);
        return !dtor->is_deleted && dtor->d.access == ACCESS_PUBLIC;
    }
    return t->kind != TY_VOID && t->kind != TY_FUNC;
}

/* Can there be a value of type t that somebody makes and destroys? */
static bool can_be(struct front *f, struct type *t)
{
    if (t->kind == TY_VOID || t->kind == TY_FUNC)
        return false;
    return cu_is_ref(t) ||
           (is_destructible(f, t) && !(cu_is_polymorphic(f, t) && t->cls->abstract));
}

/* Is base reached from derived by names that everybody may use? */
static bool publicly_derives(const struct class_info *derived, const struct class_info *base)
{
    vec_each (struct base_class, b, &derived->bases)
        if (b->access == ACCESS_PUBLIC && (b->cls == base || publicly_derives(b->cls, base)))
            return true;
    return false;
}

/* A conversion from a class to a base of it that is private or there twice, of objects or of
 * pointers, is none. */
static bool loses_base(struct front *f, struct type *from, struct type *to)
{
    from = cu_noref(from);
    to = cu_noref(to);
    if (from->kind == TY_POINTER && to->kind == TY_POINTER) {
        from = from->elem;
        to = to->elem;
    }
    if (!cu_derives(f, from, to))
        return false;
    struct base_path path;
    bool ambiguous = false;
    cu_find_base(from->cls, to->cls, &path, &ambiguous);
    return ambiguous || !publicly_derives(from->cls, to->cls);
}

static bool is_convertible(struct front *f, struct type *a, struct type *b, struct span s)
{
    if (b->kind == TY_VOID || a->kind == TY_VOID)
        return a->kind == b->kind;
    if (b->kind == TY_ARRAY || b->kind == TY_FUNC || !can_be(f, b) || loses_base(f, a, b))
        return false;
    struct expr *from = declval(f, a, s);
    if (cu_ics(f, from, b, true).rank == ICS_NONE)
        return false;
    struct construct_job j = {.t = b, .args = &from, .n = 1, .s = s};
    return b->kind != TY_CLASS || cu_try_quietly(f, try_convert, &j);
}

static bool ends_quietly(struct front *f, struct type *t)
{
    t = element(t);
    return t->kind != TY_CLASS || cu_is_noexcept(f, cu_find_dtor(f, t->cls));
}

static bool is_constructible(struct front *f, enum trait k, struct type **t, size_t n,
                             struct span s)
{
    const bool plainly = k >= TR_CONSTRUCTIBLE_PLAINLY;
    if (plainly)
        k = TR_CONSTRUCTIBLE + (k - TR_CONSTRUCTIBLE_PLAINLY);
    if (!n || !can_be(f, t[0]) || (n == 2 && loses_base(f, t[1], t[0])))
        return false;
    struct type *a = n == 1 ? element(t[0]) : t[0];
    struct construct_job j = {
        .t = a, .n = n - 1, .s = s, .args = arena_array(f->a, struct expr *, n)};
    for (size_t i = 1; i < n; i++)
        j.args[i - 1] = declval(f, t[i], s);
    if (a->kind == TY_ARRAY)
        return false;
    if (a->kind != TY_CLASS && n == 1)
        return !cu_is_ref(a);
    if (!cu_try_quietly(f, try_construct, &j))
        return false;
    if (plainly && n > 1 && a->kind == TY_CLASS && j.out->kind == EX_INIT)
        return false;
    if (n == 2 && cu_is_arith(a) && cu_noref(t[1])->kind == TY_CLASS && j.out->kind != EX_CALL &&
        cu_ics(f, j.args[0], a, true).rank == ICS_NONE)
        return false; /* what an explicit function gives is not converted further */
    if (k != TR_TRIVIALLY_CONSTRUCTIBLE)
        return k == TR_CONSTRUCTIBLE || (!cu_throws(f, j.out) && ends_quietly(f, a));
    if (n == 1)
        return cu_trivial_default(f, a) && cu_trivial_dtor(f, a);
    return !cu_runs_code(j.out) && cu_trivial_dtor(f, cu_noref(a));
}

/* Equal values have equal bytes: no padding, no floats. */
static bool has_unique_representations(struct front *f, struct type *t, struct span s)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    if (t->kind != TY_CLASS)
        return cu_is_scalar(t) && !cu_is_float(t);
    if (!cu_trivially_copyable(f, t) || cu_is_empty_class(f, t))
        return false;
    uint64_t bits = 0, size = 8 * cu_sizeof(f, t, s);
    vec_each (struct base_class, b, &t->cls->bases) {
        if (cu_is_empty_class(f, b->type))
            continue;
        if (!has_unique_representations(f, b->type, s))
            return false;
        bits += 8 * cu_sizeof(f, b->type, s);
    }
    for (struct field *fd = t->cls->fields; fd; fd = fd->next) {
        const uint64_t own = fd->is_bitfield ? fd->bits : 8 * cu_sizeof(f, fd->d.type, s);
        if (fd->outer)
            continue; /* counted with what holds it */
        if (cu_is_ref(fd->d.type) || !has_unique_representations(f, fd->d.type, s))
            return false;
        if (t->cls->is_union && own != size)
            return false;
        bits += own;
    }
    return t->cls->is_union || bits == size;
}

static bool answer(struct front *f, enum trait k, struct type **t, size_t n, struct span s)
{
    struct type *a = n ? t[0] : NULL, *b = n > 1 ? t[1] : NULL;
    switch (k) {
    case TR_SAME: return a == b;
    case TR_BASE_OF:
        if (a->kind != TY_CLASS || b->kind != TY_CLASS || a->cls->is_union || b->cls->is_union)
            return false; /* unions have no bases, and need no definition to say so */
        return a->cls == b->cls || (cu_complete(f, b, s), cu_derives(f, b, a));
    case TR_CONVERTIBLE: return is_convertible(f, a, b, s);
    case TR_CONSTRUCTIBLE:
    case TR_NOTHROW_CONSTRUCTIBLE:
    case TR_TRIVIALLY_CONSTRUCTIBLE:
    case TR_CONSTRUCTIBLE_PLAINLY:
    case TR_NOTHROW_CONSTRUCTIBLE_PLAINLY:
    case TR_TRIVIALLY_CONSTRUCTIBLE_PLAINLY: return is_constructible(f, k, t, n, s);
    case TR_ASSIGNABLE:
    case TR_NOTHROW_ASSIGNABLE:
    case TR_TRIVIALLY_ASSIGNABLE: {
        struct expr *args[2] = {declval(f, a, s), declval(f, b, s)};
        if (a->kind != TY_LREF && a->kind != TY_CLASS && cu_noref(a)->kind != TY_CLASS)
            return false;
        struct construct_job j = {.args = args, .s = s};
        if (!cu_try_quietly(f, try_assign, &j))
            return false;
        if (k == TR_NOTHROW_ASSIGNABLE)
            return !cu_throws(f, j.out);
        return k == TR_ASSIGNABLE || !cu_runs_code(j.out);
    }
    case TR_CLASS: return a->kind == TY_CLASS && !a->cls->is_union;
    case TR_UNION: return a->kind == TY_CLASS && a->cls->is_union;
    case TR_ENUM: return a->kind == TY_ENUM;
    case TR_SCOPED_ENUM: return a->kind == TY_ENUM && a->enumeration->scoped;
    case TR_POD:
        return cu_trivially_copyable(f, a) && cu_trivial_default(f, a) &&
               cu_is_standard_layout(f, a);
    case TR_TRIVIAL: return cu_trivially_copyable(f, a) && cu_trivial_default(f, a);
    case TR_TRIVIALLY_COPYABLE: return cu_trivially_copyable(f, a);
    case TR_TRIVIAL_DTOR: return cu_is_ref(a) || (is_destructible(f, a) && cu_trivial_dtor(f, a));
    case TR_DESTRUCTIBLE: return is_destructible(f, a);
    case TR_UNIQUE_REPRESENTATIONS: return has_unique_representations(f, a, s);
    case TR_STANDARD_LAYOUT: return cu_is_standard_layout(f, a);
    case TR_LITERAL: return true;
    case TR_EMPTY: return cu_is_empty_class(f, a);
    case TR_POLYMORPHIC: return cu_is_polymorphic(f, a);
    case TR_ABSTRACT: return cu_is_polymorphic(f, a) && a->cls->abstract;
    case TR_FINAL: return a->kind == TY_CLASS && a->cls->is_final;
    case TR_AGGREGATE: return cu_is_aggregate(f, a);
    case TR_SIGNED: return (cu_is_float(a) || (cu_is_integer(a) && cu_is_signed(a)));
    case TR_UNSIGNED: return cu_is_integer(a) && !cu_is_signed(a);
    case TR_INTEGRAL: return cu_is_integer(a);
    case TR_FLOATING: return a->kind == TY_FLOAT || a->kind == TY_DOUBLE || a->kind == TY_LDOUBLE;
    case TR_ARITHMETIC:
        return cu_is_integer(a) || a->kind == TY_FLOAT || a->kind == TY_DOUBLE ||
               a->kind == TY_LDOUBLE;
    case TR_VOID: return a->kind == TY_VOID;
    case TR_POINTER: return a->kind == TY_POINTER;
    case TR_REFERENCE: return cu_is_ref(a);
    case TR_LVALUE_REFERENCE: return a->kind == TY_LREF;
    case TR_RVALUE_REFERENCE: return a->kind == TY_RREF;
    case TR_ARRAY: return a->kind == TY_ARRAY;
    case TR_FUNCTION: return a->kind == TY_FUNC;
    case TR_MEMBER_POINTER: return a->kind == TY_MEMPTR;
    case TR_CONST: return (a->kind == TY_ARRAY ? a->elem->quals : a->quals) & QUAL_CONST;
    case TR_VOLATILE: return (a->quals & QUAL_VOLATILE) != 0;
    case TR_VIRTUAL_DTOR:
        return a->kind == TY_CLASS && cu_find_dtor(f, a->cls) &&
               cu_find_dtor(f, a->cls)->is_virtual;
    }
    return false;
}

static void *parse_type_element(struct front *f, void *arg)
{
    (void)arg;
    return cu_parse_type_id(f);
}

static struct expr *bit_cast(struct front *f, struct span s)
{
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after __builtin_bit_cast");
    struct type *t = cu_parse_type_id(f);
    cu_expect(f, PUNCT_COMMA, "in __builtin_bit_cast");
    struct expr *e = cu_parse_assign(f);
    cu_expect(f, PUNCT_RPAREN, "after __builtin_bit_cast");
    if (t->dependent || e->kind == EX_DEPENDENT)
        return cu_dependent(f, s);
    if (e->cat == CAT_PR)
        e = cu_materialize(f, e);
    if (cu_sizeof(f, t, s) != cu_sizeof(f, e->type, s))
        cu_error(f, s, "__builtin_bit_cast between types of different sizes");
    struct expr *r = cu_expr_new(f, EX_BITCAST, t, CAT_X, s);
    r->a = e;
    struct expr *l = cu_expr_new(f, EX_LOAD, t->unqual, CAT_PR, s);
    l->a = r;
    return l;
}

bool cu_type_trait(struct front *f, const char *name, struct expr **out)
{
    struct span s = cu_span(f);
    if (!cu_peek_is(f, 1, PUNCT_LPAREN))
        return false;
    if (!strcmp(name, "__builtin_bit_cast")) {
        *out = bit_cast(f, s);
        return true;
    }
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        if (strcmp(traits[i].name, name) != 0)
            continue;
        cu_next(f);
        cu_next(f);
        struct elements list = {0};
        bool dependent = false;
        while (!cu_is(f, PUNCT_RPAREN)) {
            dependent |= cu_expand_each(f, parse_type_element, NULL, &list);
            if (!cu_accept(f, PUNCT_COMMA))
                break;
        }
        cu_expect(f, PUNCT_RPAREN, "after the types");
        for (size_t j = 0; j < list.len; j++)
            dependent |= ((struct type *)list.data[j])->dependent;
        if (dependent) {
            *out = cu_dependent(f, s);
            return true;
        }
        if (traits[i].types >= 0 && list.len != (size_t)traits[i].types)
            cu_error(f, s, "'%s' takes %d type%s, not %zu", name, traits[i].types,
                     traits[i].types == 1 ? "" : "s", list.len);
        for (size_t j = 0; j < list.len; j++)
            f->doubts += cu_is_partial(list.data[j]);
        *out =
            cu_bool_expr(f, answer(f, traits[i].trait, (struct type **)list.data, list.len, s), s);
        return true;
    }
    return false;
}
