/* Exceptions and types at run time, which host code has: throw, try, typeid, dynamic_cast.
 *
 * Each becomes a call of what <typeinfo> and <exception> have in our own library; what only the
 * compiler knows is EX_TYPEID (the descriptor of a type) and EX_THROW (the function is left). */
#include "front/cuda/sema/sema.h"

static struct expr *call_std(struct front *f, const char *name, struct expr **args, size_t n,
                             struct span at)
{
    struct found r;
    if (!f->std || !cu_lookup_in(f, f->std, intern_z(f->names, name), &r))
        cu_error(f, at, "internal: <exception> has no '%s'", name);
    struct func *fn = cu_resolve(f, r.decls, r.n, NULL, NULL, 0, false, args, n, at, name, false);
    return cu_call_func(f, fn, NULL, args, n, true, at);
}

static struct type *decayed(struct front *f, struct type *t)
{
    return t->kind == TY_ARRAY || t->kind == TY_FUNC ? cu_adjust_param(f, t) : t->unqual;
}

/* An lvalue: the descriptor of t, or of what `of` is at run time. */
static struct expr *descriptor(struct front *f, struct type *t, struct expr *of, struct span at)
{
    struct found r;
    if (!f->std || !cu_lookup_in(f, f->std, intern_z(f->names, "type_info"), &r) ||
        r.decls[0]->kind != DECL_TYPE)
        cu_error(f, at, "typeid needs <typeinfo>");
    struct type *info = cu_qualified(f, r.decls[0]->type, QUAL_CONST);
    cu_complete(f, info, at);
    struct expr *e = cu_expr_new(f, EX_TYPEID, info, CAT_L, at);
    e->u.cast = t;
    e->a = of;
    return e;
}

static struct expr *descriptor_at(struct front *f, struct type *t, struct span at)
{
    struct expr *d = descriptor(f, t, NULL, at);
    struct expr *e = cu_expr_new(f, EX_ADDR, cu_pointer_to(f, d->type), CAT_PR, at);
    e->a = d;
    return e;
}

/* A local that ends with what is thrown, before any handler of this function: it is moved. */
static bool thrown_local(struct front *f, const struct expr *x)
{
    const struct var *v = x->kind == EX_VAR ? x->u.var : NULL;
    if (!v || v->storage == VAR_GLOBAL || v->func != f->func || v->alias || cu_is_ref(v->d.type) ||
        v->d.type->kind != TY_CLASS || v->d.type->quals)
        return false;
    for (const struct scope *s = f->scope; s && !s->tried; s = s->parent)
        for (const struct decl *d = s->first; d; d = d->next)
            if (d == &v->d)
                return true;
    return false;
}

struct expr *cu_parse_throw(struct front *f)
{
    const struct span at = cu_span(f);
    cu_next(f);
    const bool again = cu_is(f, PUNCT_SEMI) || cu_is(f, PUNCT_RPAREN) || cu_is(f, PUNCT_COLON) ||
                       cu_is(f, PUNCT_COMMA);
    struct expr *e = cu_expr_new(f, EX_THROW, cu_type(f, TY_VOID), CAT_PR, at), *x;
    if (again) {
        e->b = call_std(f, "__tern_rethrow", NULL, 0, at);
        return e;
    }
    x = cu_parse_assign(f);
    if (x->kind == EX_DEPENDENT)
        return x;
    if (x->kind == EX_OVERLOAD || x->kind == EX_BRACED)
        cu_error(f, at, "this cannot be thrown");
    struct type *t = decayed(f, x->type);
    if (t->kind == TY_CLASS)
        cu_complete(f, t, at);
    if (thrown_local(f, x))
        x = cu_glvalue_cast(f, x, cu_rref_to(f, x->type));
    e->a = cu_init_copy(f, t, x, "what is thrown");
    struct expr *args[2] = {descriptor_at(f, t, at),
                            cu_int_expr(f, f->size_type, cu_sizeof(f, t, at), at)};
    e->b = call_std(f, "__tern_allocate", args, 2, at);
    return e;
}

struct expr *cu_parse_typeid(struct front *f)
{
    const size_t start = f->pos;
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after typeid");
    struct expr *e = NULL;
    struct type *t;
    if (cu_at_type(f)) {
        t = cu_parse_type_id(f);
    } else {
        e = cu_parse_expr(f);
        t = e->type;
    }
    cu_expect(f, PUNCT_RPAREN, "after typeid(…");
    if (e && e->kind == EX_DEPENDENT)
        return e;
    if (cu_is_ref(t))
        t = t->elem;
    t = t->unqual;
    if (t->kind == TY_CLASS)
        cu_complete(f, t, f->toks[start].span);
    const bool dynamic = e && e->cat != CAT_PR && cu_is_polymorphic(f, t);
    return descriptor(f, t, dynamic ? e : NULL, cu_span_from(f, start));
}

/* Through what the object says of itself. */
static struct expr *ask_object(struct front *f, struct expr *at_object, struct type *to,
                               const char *name, struct span s)
{
    struct type *from = at_object->type->elem->unqual, *anything = cu_type(f, TY_VOID);
    if (!cu_is_polymorphic(f, from))
        cu_error(f, s, "'%s' has no virtual functions: dynamic_cast cannot ask it",
                 cu_type_str(f, from));
    struct type *whole = cu_pointer_to(f, cu_qualified(f, anything, QUAL_CONST));
    struct expr *args[2] = {cu_static_cast(f, at_object, whole, s, false),
                            to->kind == TY_VOID
                                ? cu_expr_new(f, EX_NULLPTR, cu_type(f, TY_NULLPTR), CAT_PR, s)
                                : descriptor_at(f, to->unqual, s)};
    struct expr *p = call_std(f, name, args, 2, s);
    return cu_static_cast(f, p, cu_pointer_to(f, to), s, false);
}

struct expr *cu_dynamic_cast(struct front *f, struct expr *e, struct type *t, struct span s)
{
    if (e->kind == EX_DEPENDENT || t->dependent)
        return cu_dependent(f, s);
    const bool ref = cu_is_ref(t);
    if (!ref && t->kind != TY_POINTER)
        cu_error(f, s, "dynamic_cast gives pointers and references to classes");
    struct type *to = t->elem;
    if (to->kind != TY_CLASS && (ref || to->kind != TY_VOID))
        cu_error(f, s, "dynamic_cast gives pointers and references to classes");
    if (!ref)
        e = cu_rvalue(f, e);
    struct type *from = ref ? e->type : e->type->elem;
    if ((!ref && e->type->kind != TY_POINTER) || from->kind != TY_CLASS)
        cu_error(f, s, "dynamic_cast takes objects of classes");
    cu_complete(f, from, s);
    if (to->kind == TY_CLASS)
        cu_complete(f, to, s);
    if (to->kind == TY_CLASS && (to->unqual == from->unqual || cu_derives(f, from, to)))
        return cu_static_cast(f, e, t, s, false);
    if (!ref)
        return ask_object(f, e, to, "__tern_dynamic_cast", s);
    struct expr *at_object = cu_expr_new(f, EX_ADDR, cu_pointer_to(f, e->type), CAT_PR, s);
    at_object->a = e;
    struct expr *x = cu_expr_new(f, EX_DEREF, to, t->kind == TY_LREF ? CAT_L : CAT_X, s);
    x->a = ask_object(f, at_object, to, "__tern_dynamic_reference", s);
    return x;
}

/* ---- try ---- */

static struct expr *var_expr(struct front *f, struct var *v, struct type *t, struct span at)
{
    struct expr *e = cu_expr_new(f, EX_VAR, t, CAT_L, at);
    e->u.var = v;
    return e;
}

/* The thrown object is known to the handler as a reference without a name; the variable that the
 * program declares is made from it. */
static void catch_variable(struct front *f, struct stmt *c)
{
    struct declspec ds = {0};
    struct declarator d = {0};
    cu_parse_declspec(f, &ds, 0);
    cu_parse_declarator(f, &ds, &d, DR_LOCAL | DR_NO_FUNC | DR_ABSTRACT | DR_NAMED);
    struct type *t =
        d.type->kind == TY_ARRAY || d.type->kind == TY_FUNC ? cu_adjust_param(f, d.type) : d.type;
    struct type *object = cu_is_ref(t) ? t->elem : t;
    if (object->kind == TY_CLASS)
        cu_complete(f, object, c->span);
    struct var *whole = cu_decl_alloc(f, sizeof *whole, DECL_VAR, NULL, c->span);
    whole->func = f->func;
    whole->d.type = cu_lref_to(f, object->kind == TY_POINTER ? object : object->unqual);
    c->var = whole;
    if (!d.name)
        return;
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d.name, d.span);
    v->d.pos = d.pos;
    v->func = f->func;
    v->d.type = t;
    v->init =
        cu_init_copy(f, t, var_expr(f, whole, whole->d.type->elem, c->span), "what is caught");
    cu_declare(f, f->scope, &v->d);
    c->init = cu_stmt_new(f, STMT_DECL, d.span);
    c->init->var = v;
}

static struct stmt *parse_catch(struct front *f)
{
    struct stmt *c = cu_stmt_new(f, STMT_CATCH, cu_span(f));
    cu_next(f);
    struct scope *save = f->scope;
    f->scope = cu_scope_new(f, SCOPE_BLOCK, save);
    f->scope->func = save->func;
    cu_expect(f, PUNCT_LPAREN, "after catch");
    if (!cu_accept(f, PUNCT_ELLIPSIS))
        catch_variable(f, c);
    cu_expect(f, PUNCT_RPAREN, "after catch (…");
    c->body = cu_parse_block(f);
    f->scope = save;
    return c;
}

static void parse_catches(struct front *f, struct stmt *s)
{
    struct stmt **tail = &s->other;
    if (!cu_is_kw(f, KW_catch))
        cu_error(f, cu_span(f), "expected 'catch' after the try block");
    while (cu_is_kw(f, KW_catch)) {
        if (*tail)
            tail = &(*tail)->next;
        *tail = parse_catch(f);
    }
}

struct stmt *cu_parse_try(struct front *f)
{
    struct stmt *s = cu_stmt_new(f, STMT_TRY, cu_span(f));
    if (!cu_host(f))
        cu_error(f, s->span, "exceptions are not supported here");
    cu_next(f);
    struct scope *save = f->scope;
    f->scope = cu_scope_new(f, SCOPE_BLOCK, save);
    f->scope->func = save->func;
    f->scope->tried = true;
    s->body = cu_parse_block(f);
    f->scope = save;
    parse_catches(f, s);
    return s;
}

/* What a constructor or destructor has caught leaves it all the same where the handler ends. */
static void throw_again(struct front *f, struct stmt *handler)
{
    struct stmt **tail = &handler->body->body;
    while (*tail)
        tail = &(*tail)->next;
    *tail = cu_stmt_new(f, STMT_EXPR, handler->span);
    (*tail)->cond = cu_expr_new(f, EX_THROW, cu_type(f, TY_VOID), CAT_PR, handler->span);
    (*tail)->cond->b = call_std(f, "__tern_rethrow", NULL, 0, handler->span);
}

void cu_parse_whole_try(struct front *f, struct func *fn)
{
    struct stmt *s = cu_stmt_new(f, STMT_TRY, cu_span(f));
    s->whole = fn->whole_try = true;
    cu_next(f);
    if (fn->is_ctor)
        cu_parse_mem_inits(f, fn);
    s->body = cu_parse_block(f);
    parse_catches(f, s);
    if (fn->is_ctor || fn->is_dtor)
        for (struct stmt *c = s->other; c; c = c->next)
            throw_again(f, c);
    fn->ast = cu_stmt_new(f, STMT_BLOCK, s->span);
    fn->ast->body = s;
}
