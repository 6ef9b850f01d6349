/* new and delete. */
#include "front/cuda/sema/sema.h"

static struct func *class_operator(struct front *f, struct type *t, unsigned op, bool global)
{
    if (global || t->kind != TY_CLASS)
        return NULL;
    struct found r = {0};
    if (!cu_lookup_member(f, t->cls, cu_operator_name(f, op), &r) || r.decls[0]->kind != DECL_FUNC)
        return NULL;
    return (struct func *)r.decls[0];
}

/* The global operator that takes what stands in the parentheses, which is no address: (nothrow). */
static struct func *global_operator(struct front *f, unsigned op, const struct type *takes)
{
    struct found r = {0};
    if (takes->kind != TY_CLASS || !cu_lookup_in(f, f->global, cu_operator_name(f, op), &r))
        return NULL;
    for (size_t i = 0; i < r.n; i++) {
        const struct type *t = r.decls[i]->kind == DECL_FUNC ? r.decls[i]->type : NULL;
        const struct type *second = t && t->nparams == 2 ? t->params[1] : NULL;
        if (second && cu_is_ref(second))
            second = second->elem;
        if (second && second->kind == TY_CLASS && second->cls == takes->cls)
            return (struct func *)r.decls[i];
    }
    return NULL;
}

/* new T[n]{…}: all at once, which takes a number that is known; new T[]{…} has as many as are
 * written. */
static void list_of_elements(struct front *f, struct expr *e, struct type *t, struct expr *braced,
                             struct span s)
{
    struct targ n = {.value = (int64_t)ARRAY_UNKNOWN};
    if (e->b && !cu_const_value(f, e->b, &n))
        cu_error(f, s, "'new[]' with a list takes a constant number of elements");
    if (e->b && n.value < (int64_t)braced->nargs)
        cu_error(f, s, "the list has %zu elements: there is room for %lld", braced->nargs,
                 (long long)n.value);
    e->c = cu_init_list(f, cu_array_of(f, t, (uint64_t)n.value), braced, false);
    e->op = 1;
    if (!e->b)
        e->b = cu_int_expr(f, f->size_type, e->c->type->count, s);
}

struct expr *cu_parse_new(struct front *f, bool global)
{
    size_t start = f->pos;
    cu_next(f);
    struct expr **placement = NULL;
    size_t nplace = 0;
    struct type *t = NULL;
    struct expr *count = NULL;
    bool unbounded = false;
    if (cu_is(f, PUNCT_LPAREN)) {
        size_t pos = f->pos;
        cu_next(f);
        if (cu_at_type(f)) { /* new (T) */
            t = cu_parse_type_id(f);
            cu_expect(f, PUNCT_RPAREN, "after the type");
        } else {
            f->pos = pos + 1;
            cu_parse_args(f, PUNCT_RPAREN, &placement, &nplace);
        }
    }
    if (!t) {
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
        t = ds.type;
        while (cu_is(f, PUNCT_MUL)) {
            cu_next(f);
            t = cu_pointer_to(f, t);
            while (cu_accept_kw(f, KW_const))
                t = cu_qualified(f, t, QUAL_CONST);
        }
        if (cu_is(f, PUNCT_LBRACKET)) {
            cu_next(f);
            unbounded = cu_is(f, PUNCT_RBRACKET);
            if (!unbounded)
                count = cu_parse_expr(f);
            cu_expect(f, PUNCT_RBRACKET, "after the number of elements");
            VEC(uint64_t) dims = {0};
            while (cu_is(f, PUNCT_LBRACKET)) {
                cu_next(f);
                struct type *ct = NULL;
                int64_t n = cu_parse_const_int(f, &ct);
                vec_push(f->a, &dims, (uint64_t)n);
                cu_expect(f, PUNCT_RBRACKET, "after the dimension");
            }
            while (dims.len)
                t = cu_array_of(f, t, vec_pop(&dims));
        }
    }
    if (t->kind == TY_ARRAY && !count && !unbounded) { /* new of a typedef'd array */
        count = cu_int_expr(f, f->size_type, t->count, cu_span(f));
        t = t->elem;
    }
    struct expr **args = NULL, *braced = NULL;
    size_t n = 0;
    bool parens = cu_is(f, PUNCT_LPAREN);
    if (parens) {
        cu_next(f);
        cu_parse_args(f, PUNCT_RPAREN, &args, &n);
    } else if (cu_is(f, PUNCT_LBRACE)) {
        braced = cu_parse_braced(f);
    }
    struct span s = cu_span_from(f, start);
    bool dep = t->dependent || (count && count->kind == EX_DEPENDENT);
    for (size_t i = 0; i < n; i++)
        dep |= args[i]->kind == EX_DEPENDENT;
    for (size_t i = 0; i < nplace; i++)
        dep |= placement[i]->kind == EX_DEPENDENT;
    if (dep)
        return cu_dependent(f, s);
    if (cu_has_auto(t)) {
        if (n != 1)
            cu_error(f, s, "'new auto' needs one value");
        t = cu_deduce_auto(f, t, args[0], s);
    }
    cu_complete(f, t, s);
    if (t->kind == TY_CLASS && t->cls->abstract)
        cu_error(f, s, "'%s' has pure virtual functions: no object of it can be made",
                 cu_type_str(f, t));
    struct expr *e = cu_expr_new(f, EX_NEW, cu_pointer_to(f, t), CAT_PR, s);
    const bool array = count || unbounded;
    e->flag = array;
    if (unbounded && !braced)
        cu_error(f, s, "'new[]' without a number takes a list in braces");
    if (count)
        e->b = cu_convert(f, cu_integral_operand(f, count), f->size_type, "the number of elements");
    if (braced && !array)
        e->c = cu_init_list(f, t, braced, false);
    else if (braced && (braced->nargs || unbounded))
        list_of_elements(f, e, t, braced, s);
    else if (n)
        e->c = cu_init_direct(f, t, args, n, s);
    else
        e->c = parens || braced ? cu_init_value(f, t, s) : cu_init_default(f, t, s);
    struct func *op = class_operator(f, t, array ? OPN_NEW_ARRAY : OPN_NEW, global);
    if (!op && nplace == 1 && (!array || cu_trivial_dtor(f, t))) {
        op = global_operator(f, array ? OPN_NEW_ARRAY : OPN_NEW, placement[0]->type);
        if (op && !e->op)
            e->op = 2; /* it may give NULL, of which nothing is made */
    }
    struct type *pv = cu_pointer_to(f, cu_type(f, TY_VOID));
    if (op) {
        struct expr **all = arena_array(f->a, struct expr *, nplace + 1);
        struct expr *size = cu_int_expr(f, f->size_type, cu_sizeof(f, t, s), s);
        all[0] = array ? cu_binary(f, PUNCT_MUL, e->b, size, s) : size;
        for (size_t i = 0; i < nplace; i++)
            all[1 + i] = placement[i];
        e->a = cu_call_func(f, op, NULL, all, nplace + 1, true, s);
    } else if (nplace == 1) {
        e->a = cu_convert(f, placement[0],
                          cu_pointer_to(f, cu_qualified(f, cu_type(f, TY_VOID), QUAL_VOLATILE)),
                          "placement new");
        e->a = cu_cast_scalar(f, e->a, pv, true);
    } else if (nplace) {
        cu_error(f, s, "this placement form of new is not supported");
    }
    return e;
}

struct expr *cu_parse_delete(struct front *f, bool global)
{
    size_t start = f->pos;
    cu_next(f);
    bool array = false;
    if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_RBRACKET)) {
        array = true;
        f->pos += 2;
    }
    struct expr *p = cu_parse_cast(f);
    struct span s = cu_span_from(f, start);
    if (p->kind == EX_DEPENDENT)
        return cu_dependent(f, s);
    p = cu_integral_operand(f, p);
    if (p->type->kind != TY_POINTER)
        cu_error(f, s, "delete needs a pointer, not '%s'", cu_type_str(f, p->type));
    struct type *t = p->type->elem;
    if (t->kind == TY_CLASS)
        cu_complete(f, t, s);
    struct expr *e = cu_expr_new(f, EX_DELETE, cu_type(f, TY_VOID), CAT_PR, s);
    e->a = p;
    e->flag = array;
    if (t->kind == TY_CLASS && !cu_trivial_dtor(f, t))
        cu_use_func(f, cu_find_dtor(f, t->cls), s);
    struct func *op = class_operator(f, t, array ? OPN_DELETE_ARRAY : OPN_DELETE, global);
    if (op) {
        e->b = cu_expr_new(f, EX_FUNC, op->d.type, CAT_L, s);
        e->b->u.func = op;
        cu_use_func(f, op, s);
    }
    return e;
}
