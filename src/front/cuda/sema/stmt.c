/* Statements and function bodies, parsed when a body is needed. */
#include "front/cuda/sema/sema.h"

static struct stmt *parse_statement(struct front *f);

struct stmt *cu_stmt_new(struct front *f, enum stmt_kind k, struct span s)
{
    struct stmt *st = arena_new(f->a, struct stmt);
    st->kind = k;
    st->span = s;
    st->unroll = -1;
    return st;
}

static struct stmt *stmt_new(struct front *f, enum stmt_kind k, struct span s)
{
    return cu_stmt_new(f, k, s);
}

static struct scope *push_block(struct front *f)
{
    struct scope *save = f->scope;
    f->scope = cu_scope_new(f, SCOPE_BLOCK, save);
    f->scope->func = f->func;
    return save;
}

/* ---- declarations in blocks ---- */

static struct var *local_var(struct front *f, struct declspec *ds, struct declarator *d)
{
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d->name, d->span);
    v->d.pos = d->pos;
    v->d.type = d->type;
    v->func = f->func;
    v->align = ds->align > d->align ? ds->align : d->align;
    v->restrict_ = d->restrict_ || ds->restrict_;
    v->is_constexpr = ds->is_constexpr;
    v->is_extern = ds->is_extern;
    if (ds->is_constexpr && !cu_has_auto(v->d.type))
        v->d.type = cu_qualified(f, v->d.type, QUAL_CONST);
    if (ds->has_space)
        v->space = ds->space;
    v->per_thread = ds->is_thread_local && cu_host(f);
    if (ds->is_thread_local && !v->per_thread)
        cu_error(f, d->span, "thread_local variables are not supported in device code");
    if (v->per_thread || ds->is_static || ds->is_extern || v->space == SPACE_SHARED) {
        v->storage = VAR_GLOBAL;
        v->is_static = ds->is_static;
        if (v->space == SPACE_NONE && (ds->where & WHERE_DEVICE))
            v->space = SPACE_DEVICE;
        if (v->space == SPACE_NONE && !v->is_constexpr && !(v->d.type->quals & QUAL_CONST) &&
            cu_in_device(f))
            v->space = SPACE_DEVICE;
    }
    if (v->space == SPACE_CONSTANT && v->storage != VAR_GLOBAL)
        cu_error(f, d->span, "__constant__ variables are declared outside of functions");
    if (v->space == SPACE_MANAGED)
        cu_error(f, d->span, "__managed__ variables are declared outside of functions");
    if (v->d.type->kind == TY_VOID)
        cu_error(f, d->span, "'%s' cannot be of type void", d->name);
    /* An inner variable that hides a loop's own index is rarely what was meant. */
    for (struct scope *sc = f->scope->parent; sc && sc->kind == SCOPE_BLOCK; sc = sc->parent) {
        struct decl *outer = d->name ? cu_find_local(f, sc, d->name) : NULL;
        if (outer && outer->kind == DECL_VAR && outer->pos < d->pos &&
            ((struct var *)outer)->loop_index && !f->probing) {
            cu_warn(f, "shadow", d->span, "'%s' hides the index of a loop around it", d->name);
            break;
        }
    }
    struct decl *old = cu_find_local(f, f->scope, d->name);
    if (old && old->pos < d->pos && (old->kind == DECL_VAR) && !ds->is_extern)
        cu_error_note(f, d->span, old->span, "declared here first", "'%s' is declared twice",
                      d->name);
    return v;
}

static void deduce_local(struct front *f, struct var *v, struct expr *e)
{
    if (!cu_has_auto(v->d.type))
        return;
    v->d.type = cu_deduce_auto(f, v->d.type, e, v->d.span);
    if (v->is_constexpr)
        v->d.type = cu_qualified(f, v->d.type, QUAL_CONST);
}

static void check_local_type(struct front *f, struct var *v)
{
    struct type *t = v->d.type;
    if (t->kind == TY_ARRAY && t->count == ARRAY_UNKNOWN &&
        !(v->space == SPACE_SHARED && v->is_extern) && !v->is_extern)
        cu_error(f, v->d.span, "the size of the array '%s' is not known%s", v->d.name,
                 v->space == SPACE_SHARED ? ": one that the launch gives is 'extern __shared__'"
                                          : "");
    if (t->kind == TY_CLASS)
        cu_complete(f, t, v->d.span);
    if (t->kind == TY_CLASS && t->cls->abstract)
        cu_error(f, v->d.span, "'%s' has pure virtual functions: no object of it can be made",
                 cu_type_str(f, t));
    if (!v->is_extern && !cu_is_ref(t) && t->kind != TY_AUTO)
        cu_sizeof(f, t, v->d.span);
}

static void init_local(struct front *f, struct var *v)
{
    struct span at = v->d.span;
    if (cu_is(f, PUNCT_ASSIGN)) {
        cu_next(f);
        struct expr *e = cu_parse_init_clause(f);
        deduce_local(f, v, e);
        if (e->kind == EX_DEPENDENT)
            return;
        v->init = cu_init_copy(f, v->d.type, e, cu_quoted(f, "initialising", v->d.name));
    } else if (cu_is(f, PUNCT_LPAREN)) {
        struct expr **args;
        size_t n;
        cu_next(f);
        cu_parse_args(f, PUNCT_RPAREN, &args, &n);
        if (v->d.type->kind == TY_AUTO && v->d.type->tmpl)
            v->d.type = cu_qualified(f, cu_deduce_class(f, v->d.type->tmpl, args, n, false, at),
                                     v->d.type->quals);
        else if (n == 1)
            deduce_local(f, v, args[0]);
        v->init = cu_init_direct(f, v->d.type, args, n, at);
    } else if (cu_is(f, PUNCT_LBRACE)) {
        struct expr *e = cu_parse_braced(f);
        if (v->d.type->kind == TY_AUTO && v->d.type->tmpl)
            v->d.type =
                cu_qualified(f, cu_deduce_class(f, v->d.type->tmpl, e->args, e->nargs, true, at),
                             v->d.type->quals);
        else
            deduce_local(f, v, cu_has_auto(v->d.type) && e->nargs == 1 ? e->args[0] : e);
        v->init = cu_init_list(f, v->d.type, e, false);
    } else {
        if (v->is_extern)
            return;
        if (cu_has_auto(v->d.type)) {
            if (v->d.type->tmpl)
                v->d.type = cu_deduce_class(f, v->d.type->tmpl, NULL, 0, false, at);
            else
                cu_error(f, at, "'%s' needs an initialiser to have its type deduced", v->d.name);
        }
        if (v->is_constexpr && v->d.type->kind != TY_CLASS)
            cu_error(f, at, "a constexpr variable needs a value");
        if ((v->d.type->quals & QUAL_CONST) && cu_is_scalar(v->d.type) && v->space == SPACE_NONE)
            cu_error(f, at, "'%s' is const and needs an initialiser", v->d.name);
        if (v->space == SPACE_SHARED) {
            struct type *t = v->d.type;
            while (t->kind == TY_ARRAY)
                t = t->elem;
            if (t->kind == TY_CLASS && !cu_trivial_default(f, t)) {
                struct expr *e = cu_init_default(f, t, at);
                /* a constexpr one would be done before the program starts, and is as little */
                if (e->kind == EX_CONSTRUCT && !e->u.func->is_defaulted &&
                    !e->u.func->is_constexpr && e->u.func->state == BODY_TOKENS) {
                    size_t b = e->u.func->body;
                    if (f->match[b] != b + 1)
                        cu_warn(f, "shared-init", at,
                                "a __shared__ variable's constructor is not run");
                }
            }
            return;
        }
        v->init = cu_init_default(f, v->d.type, at);
    }
    if (v->d.type->kind == TY_ARRAY && v->d.type->count == ARRAY_UNKNOWN && v->init)
        v->d.type = cu_with_quals(f, v->init->type, v->d.type->elem->quals);
    if (v->space == SPACE_SHARED && v->init && v->init->kind != EX_UNINIT &&
        v->init->kind != EX_CONSTRUCT)
        cu_error(f, at, "a __shared__ variable cannot have an initialiser");
}

/* ---- variables without a name ---- */

static struct var *unnamed(struct front *f, struct type *t, struct expr *init, const char *what,
                           struct span at)
{
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, NULL, at);
    v->func = f->func;
    v->d.type = t;
    v->init = cu_init_copy(f, t, init, what);
    return v;
}

/* The type of a variable that keeps e as it is: a reference, if it has a place. */
static struct type *keeping(struct front *f, const struct expr *e)
{
    return e->cat == CAT_PR  ? e->type
           : e->cat == CAT_L ? cu_lref_to(f, e->type)
                             : cu_rref_to(f, e->type);
}

static void put_decl(struct front *f, struct stmt ***tail, struct var *v, struct span at)
{
    struct stmt *s = stmt_new(f, STMT_DECL, at);
    s->var = v;
    **tail = s;
    *tail = &s->next;
}

/* ---- structured bindings ---- */

struct bindings {
    VEC(struct var *) names;
    struct span at;
};

/* [a, b] */
static void parse_bindings(struct front *f, struct bindings *b)
{
    cu_next(f);
    while (!cu_is(f, PUNCT_RBRACKET)) {
        struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, NULL, cu_span(f));
        v->d.name = cu_expect_name(f, "a name");
        v->func = f->func;
        vec_push(f->a, &b->names, v);
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_RBRACKET, "after the names");
}

static void bind_elements(struct front *f, struct bindings *b, struct expr *base)
{
    if (base->type->count != b->names.len)
        cu_error(f, b->at, "%zu names for an array of %llu elements", b->names.len,
                 (unsigned long long)base->type->count);
    for (size_t i = 0; i < b->names.len; i++) {
        struct expr *index = cu_int_expr(f, f->size_type, i, b->at);
        b->names.data[i]->alias = cu_index(f, base, &index, 1, b->at);
    }
}

static void bind_tuple(struct front *f, struct bindings *b, struct expr *base, struct stmt ***tail)
{
    for (size_t i = 0; i < b->names.len; i++) {
        struct expr *e = cu_tuple_get(f, base, i, b->at);
        struct var *hold = unnamed(f, keeping(f, e), e, "binding", b->at);
        put_decl(f, tail, hold, b->at);
        b->names.data[i]->alias = cu_var_expr(f, hold, b->at);
        b->names.data[i]->bound = cu_tuple_element(f, base->type, i, b->at);
    }
}

static void bind_members(struct front *f, struct bindings *b, struct expr *base)
{
    struct class_info *c = base->type->cls;
    while (!c->nfields && c->bases.len == 1)
        c = c->bases.data[0].cls;
    size_t i = 0;
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        if (!fd->d.name && !fd->anonymous)
            continue;
        if (i < b->names.len)
            b->names.data[i]->alias = cu_member_expr(f, base, fd, b->at);
        if (i < b->names.len && cu_is_ref(fd->d.type))
            b->names.data[i]->bound = fd->d.type;
        i++;
    }
    if (i != b->names.len)
        cu_error(f, b->at, "%zu names for the %zu members of '%s'", b->names.len, i,
                 cu_type_str(f, base->type));
}

/* Declares `whole` and the names as what it consists of. */
static void bind(struct front *f, struct bindings *b, struct var *whole, struct stmt ***tail)
{
    put_decl(f, tail, whole, b->at);
    struct expr *base = cu_var_expr(f, whole, b->at);
    if (base->type->kind == TY_ARRAY) {
        bind_elements(f, b, base);
    } else if (base->type->kind == TY_CLASS) {
        cu_complete(f, base->type, b->at);
        if (cu_tuple_size(f, base->type, b->at))
            bind_tuple(f, b, base, tail);
        else
            bind_members(f, b, base);
    } else {
        cu_error(f, b->at, "'%s' cannot be decomposed by a structured binding",
                 cu_type_str(f, base->type));
    }
    vec_each (struct var *, v, &b->names) {
        (*v)->d.type = (*v)->alias->type;
        if (!(*v)->bound)
            (*v)->bound = (*v)->alias->type;
        cu_declare(f, f->scope, &(*v)->d);
    }
}

/* auto [a, b] = e; */
static void structured_binding(struct front *f, struct declspec *ds, struct stmt ***tail)
{
    struct bindings b = {.at = cu_span(f)};
    struct type *t = ds->type;
    if (cu_accept(f, PUNCT_AND))
        t = cu_lref_to(f, t);
    else if (cu_accept(f, PUNCT_ANDAND))
        t = cu_rref_to(f, t);
    parse_bindings(f, &b);
    struct declarator d = {
        .kind = NAME_IDENT, .name = f->n_unnamed, .span = b.at, .type = t, .pos = f->pos};
    struct var *whole = local_var(f, ds, &d);
    whole->d.name = NULL;
    /* An array is copied element by element; everything else is an ordinary initialisation. */
    if (cu_is(f, PUNCT_ASSIGN)) {
        cu_next(f);
        struct expr *e = cu_parse_init_clause(f);
        if (e->type->kind == TY_ARRAY && !cu_is_ref(t)) {
            whole->d.type = cu_qualified(f, e->type->unqual, t->quals);
            whole->init = cu_init_copy(f, e->type, e, "initialising");
        } else {
            deduce_local(f, whole, e);
            whole->init = cu_init_copy(f, whole->d.type, e, "initialising");
        }
    } else {
        init_local(f, whole);
    }
    cu_expect(f, PUNCT_SEMI, "after the structured binding");
    bind(f, &b, whole, tail);
}

/* union { int i; float f; }; in a function: a variable without a name, whose members are names of
 * the block. */
static void anonymous_union(struct front *f, struct declspec *ds, struct stmt ***tail)
{
    struct declarator d = {.kind = NAME_IDENT,
                           .name = f->n_unnamed,
                           .span = ds->span,
                           .type = ds->type,
                           .pos = f->pos};
    struct var *whole = local_var(f, ds, &d);
    whole->d.name = NULL;
    init_local(f, whole);
    put_decl(f, tail, whole, ds->span);
    struct expr *base = cu_var_expr(f, whole, ds->span);
    for (struct decl *m = ds->type->cls->scope->first; m; m = m->next) {
        if (m->kind != DECL_FIELD || !m->name)
            continue;
        struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, m->name, m->span);
        v->func = f->func;
        v->alias = cu_member_expr(f, base, (struct field *)m, m->span);
        v->d.type = v->alias->type;
        cu_declare(f, f->scope, &v->d);
    }
}

struct local_job {
    struct stmt ***tail;
    const char *name; /* of the declarator being initialised */
    size_t pos;
};

static void local_declarators(struct front *f, struct declspec *ds, struct local_job *job)
{
    struct stmt ***tail = job->tail;
    for (;;) {
        struct declarator d = {0};
        cu_parse_declarator(f, ds, &d, DR_NAMED | DR_LOCAL);
        if (d.kind == NAME_NONE)
            cu_error(f, cu_span(f), "expected a name in the declaration, found %s",
                     cu_tok_text(f, cu_tok(f)));
        job->name = d.name;
        job->pos = d.pos;
        if (d.nbounds) {
            **tail = cu_runtime_array(f, ds, &d);
            while (**tail)
                *tail = &(**tail)->next;
        } else if (ds->is_typedef) {
            struct decl *t = cu_decl_new(f, DECL_TYPE, d.name, d.span);
            t->type = d.type;
            t->pos = d.pos;
            cu_declare(f, f->scope, t);
        } else if (d.is_func) {
            struct scope *ns = cu_enclosing_namespace(f->scope);
            struct func *fn = cu_declare_func(f, ns, ds, &d, NULL, d.pos);
            struct decl *u = cu_decl_new(f, DECL_USING, d.name, d.span);
            u->u.target = &fn->d;
            u->pos = d.pos;
            cu_declare(f, f->scope, u);
        } else {
            struct var *v = local_var(f, ds, &d);
            if (!cu_has_auto(v->d.type)) {
                cu_declare(f, f->scope, &v->d);
                init_local(f, v);
            } else {
                cu_note_auto(ds, v);
                init_local(f, v);
                cu_same_auto(f, v);
                cu_declare(f, f->scope, &v->d);
            }
            v->d.pos = d.pos;
            check_local_type(f, v);
            v->init_parsed = true;
            if (v->is_constexpr && !f->pattern && v->init && v->init->kind != EX_DEPENDENT)
                cu_var_constant(f, v); /* reports what is not constant */
            put_decl(f, tail, v, d.span);
        }
        job->name = NULL;
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_SEMI, "after the declaration");
}

static void parse_local(struct front *f, void *arg)
{
    struct local_job *job = arg;
    switch (cu_kw(f)) {
    case KW_using: cu_parse_using(f, f->scope, ACCESS_PUBLIC); return;
    case KW_namespace:
        cu_next(f);
        cu_parse_namespace_alias(f, f->scope);
        return;
    case KW_static_assert:
    case KW__Static_assert: cu_parse_static_assert(f); return;
    default: break;
    }
    struct declspec ds = {0};
    cu_parse_declspec(f, &ds, 0);
    if (cu_is(f, PUNCT_SEMI) && ds.type && ds.type->kind == TY_CLASS && ds.defines_tag &&
        !ds.type->cls->name && ds.type->cls->is_union)
        anonymous_union(f, &ds, job->tail);
    if (cu_accept(f, PUNCT_SEMI))
        return;
    bool amp = cu_is(f, PUNCT_AND) || cu_is(f, PUNCT_ANDAND);
    if (ds.is_auto && ((cu_is(f, PUNCT_LBRACKET) && !cu_peek_is(f, 1, PUNCT_LBRACKET)) ||
                       (amp && cu_peek_is(f, 1, PUNCT_LBRACKET)))) {
        structured_binding(f, &ds, job->tail);
        return;
    }
    local_declarators(f, &ds, job);
}

static void parse_local_decl(struct front *f, struct stmt ***tail)
{
    struct local_job job = {.tail = tail};
    parse_local(f, &job);
}

/* ---- statements ---- */

static struct stmt *parse_compound_body(struct front *f)
{
    struct scope *save = push_block(f);
    struct stmt *s = parse_statement(f);
    f->scope = save;
    if (!s || !s->next)
        return s;
    struct stmt *block = stmt_new(f, STMT_BLOCK, s->span); /* int a, b; */
    block->body = s;
    return block;
}

/* A condition: an expression or a declaration with initialiser. Appends to *init what runs before.
 */
static struct expr *parse_condition(struct front *f, struct stmt *st)
{
    if (cu_at_decl(f)) {
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, DS_COND);
        struct declarator d = {0};
        cu_parse_declarator(f, &ds, &d, DR_NAMED | DR_LOCAL | DR_NO_FUNC);
        struct var *v = local_var(f, &ds, &d);
        init_local(f, v);
        cu_declare(f, f->scope, &v->d);
        v->d.pos = d.pos;
        st->var = v;
        return cu_var_expr(f, v, d.span);
    }
    return cu_parse_expr(f);
}

/* Does the parenthesis hold `init; condition`? */
static bool has_init(struct front *f)
{
    size_t open = f->pos - 1, close = cu_close(f, open);
    for (size_t i = f->pos; i < close; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind != TOKEN_PUNCT)
            continue;
        if (t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACKET || t->punct == PUNCT_LBRACE)
            i = cu_close(f, i);
        else if (t->punct == PUNCT_SEMI)
            return true;
    }
    return false;
}

static struct stmt *parse_init_statement(struct front *f)
{
    struct stmt *list = NULL, **tail = &list;
    if (cu_accept(f, PUNCT_SEMI))
        return NULL;
    if (cu_at_decl(f)) {
        parse_local_decl(f, &tail);
        return list;
    }
    struct stmt *s = stmt_new(f, STMT_EXPR, cu_span(f));
    s->cond = cu_parse_expr(f);
    cu_expect(f, PUNCT_SEMI, "after the expression");
    return s;
}

/* What may stand before a statement: pragmas, attributes, labels. */
static void skip_before_statement(struct front *f)
{
    for (;;) {
        if (cu_tok(f)->kind == TOKEN_PRAGMA)
            cu_next(f);
        else if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET))
            f->pos = cu_close(f, f->pos) + 1;
        else if (cu_is_name(f) && cu_peek_is(f, 1, PUNCT_COLON))
            f->pos += 2;
        else
            return;
    }
}

/* Parses a statement that is never executed only for where it ends. */
static void skip_statement(struct front *f)
{
    cu_nest(f, cu_span(f));
    for (bool more = true; more;) { /* a chain of else if is one statement after the other */
        more = false;
        skip_before_statement(f);
        if (cu_is(f, PUNCT_LBRACE)) {
            f->pos = cu_close(f, f->pos) + 1;
            break;
        }
        if (cu_accept_kw(f, KW_try)) {
            skip_statement(f);
            while (cu_accept_kw(f, KW_catch)) {
                if (cu_is(f, PUNCT_LPAREN))
                    f->pos = cu_close(f, f->pos) + 1;
                skip_statement(f);
            }
            break;
        }
        if (cu_is_kw(f, KW_if) || cu_is_kw(f, KW_for) || cu_is_kw(f, KW_while) ||
            cu_is_kw(f, KW_switch)) {
            bool is_if = cu_is_kw(f, KW_if);
            cu_next(f);
            cu_accept_kw(f, KW_constexpr);
            if (cu_is(f, PUNCT_LPAREN))
                f->pos = cu_close(f, f->pos) + 1;
            skip_statement(f);
            more = is_if && cu_accept_kw(f, KW_else);
            continue;
        }
        if (cu_accept_kw(f, KW_do))
            skip_statement(f);
        while (!cu_is(f, PUNCT_SEMI) && cu_tok(f)->kind != TOKEN_EOF && !cu_is(f, PUNCT_RBRACE)) {
            if (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET) || cu_is(f, PUNCT_LBRACE))
                f->pos = cu_close(f, f->pos) + 1;
            else
                cu_next(f);
        }
        cu_accept(f, PUNCT_SEMI);
    }
    f->nesting--;
}

/* One `if (…) …` up to its else. The statement that stands for it is *out; where to put the else
 * branch is the result, or NULL if what stands behind else is not compiled. */
static struct stmt **parse_if_part(struct front *f, struct stmt **out)
{
    struct stmt *s = stmt_new(f, STMT_IF, cu_span(f));
    cu_next(f);
    bool is_constexpr = cu_accept_kw(f, KW_constexpr);
    if (cu_is_kw(f, KW_consteval))
        cu_error(f, cu_span(f), "'if consteval' is not supported");
    cu_expect(f, PUNCT_LPAREN, "after if");
    if (has_init(f))
        s->init = parse_init_statement(f);
    struct expr *c = parse_condition(f, s);
    if (c->kind == EX_ASSIGN && !c->paren && c->type->kind != TY_CLASS && cu_is_scalar(c->type))
        cu_warn(f, "parentheses", c->span, "an assignment as a condition; '==' was meant?");
    s->cond = cu_bool(f, c);
    cu_expect(f, PUNCT_RPAREN, "after the condition");
    *out = s;
    if (!is_constexpr) {
        s->body = parse_compound_body(f);
        return &s->other;
    }
    bool yes = cu_require_int(f, s->cond, "the condition of 'if constexpr'") != 0;
    struct stmt *b = stmt_new(f, STMT_BLOCK, s->span);
    b->body = s->init;
    struct stmt **tail = &b->body;
    while (*tail)
        tail = &(*tail)->next;
    *out = b;
    if (yes) {
        *tail = parse_compound_body(f);
        return NULL;
    }
    skip_statement(f);
    return tail;
}

/* A chain of else if is read in a loop: generated code has hundreds of them. */
static struct stmt *parse_if(struct front *f)
{
    struct stmt *first = NULL, **at = &first;
    struct scope *save = f->scope;
    for (unsigned n = 0;; n++) {
        if (n == CU_MAX_CHAIN)
            cu_error(f, cu_span(f), "a chain of more than %d else if", CU_MAX_CHAIN);
        push_block(f);
        at = parse_if_part(f, at);
        if (!cu_accept_kw(f, KW_else))
            break;
        if (!at) {
            skip_statement(f);
            break;
        }
        if (cu_is_kw(f, KW_if))
            continue;
        *at = parse_compound_body(f);
        break;
    }
    f->scope = save;
    return first;
}

/* `for (…);` with more, indented like a body, on the next line. */
static void check_empty_body(struct front *f, struct span loop)
{
    struct source_pos head, end, next;
    if (!cu_is(f, PUNCT_SEMI) || f->toks[f->pos + 1].kind == TOKEN_EOF)
        return;
    const source_loc semi = cu_span(f).loc, behind = f->toks[f->pos + 1].span.loc;
    if (source_expansion_at(f->sm, loop.loc) || source_expansion_at(f->sm, semi) ||
        !source_position(f->sm, loop.loc, &head) || !source_position(f->sm, semi, &end) ||
        !source_position(f->sm, behind, &next))
        return;
    const bool body = next.column > head.column || cu_peek_is(f, 1, PUNCT_LBRACE);
    if (end.line == head.line && next.line > end.line && body)
        cu_warn(f, "empty-body", cu_span(f), "this ';' is the whole body of the loop");
}

static struct stmt *loop_body(struct front *f, struct stmt *loop)
{
    struct stmt *save = f->loop;
    f->loop = loop;
    if (loop->kind != STMT_DO)
        check_empty_body(f, loop->span);
    struct stmt *b = parse_compound_body(f);
    f->loop = save;
    return b;
}

static struct stmt *parse_while(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_WHILE, cu_span(f));
    cu_next(f);
    struct scope *save = push_block(f);
    cu_expect(f, PUNCT_LPAREN, "after while");
    s->cond = cu_bool(f, parse_condition(f, s));
    cu_expect(f, PUNCT_RPAREN, "after the condition");
    s->body = loop_body(f, s);
    f->scope = save;
    return s;
}

static struct stmt *parse_do(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_DO, cu_span(f));
    cu_next(f);
    s->body = loop_body(f, s);
    if (!cu_accept_kw(f, KW_while))
        cu_error(f, cu_span(f), "expected 'while' after the body of 'do'");
    cu_expect(f, PUNCT_LPAREN, "after while");
    s->cond = cu_bool(f, cu_parse_expr(f));
    cu_expect(f, PUNCT_RPAREN, "after the condition");
    cu_expect(f, PUNCT_SEMI, "after do … while");
    return s;
}

struct range {
    struct expr *begin, *end;
};

/* By begin() and end() of the class, else by functions of these names. */
static struct range range_of(struct front *f, struct expr *e, struct span written)
{
    struct span at = e->span;
    struct range r = {0};
    if (e->type->kind == TY_ARRAY && e->type->count == ARRAY_UNKNOWN)
        cu_error(f, written, "an array whose size is not known is not a range");
    if (e->type->kind == TY_ARRAY) {
        r.begin = cu_decay(f, e);
        r.end = cu_binary(f, PUNCT_ADD, cu_decay(f, e),
                          cu_int_expr(f, f->size_type, e->type->count, at), at);
        return r;
    }
    if (e->type->kind == TY_CLASS)
        r.begin = cu_call_method(f, e, f->n_begin, NULL, 0, at);
    if (r.begin) {
        r.end = cu_call_method(f, e, f->n_end, NULL, 0, at);
        if (!r.end)
            cu_error(f, at, "'%s' has begin() but no end()", cu_type_str(f, e->type));
        return r;
    }
    struct found b = {0}, n = {0};
    cu_lookup_adl(f, f->n_begin, &e, 1, &b);
    cu_lookup_adl(f, f->n_end, &e, 1, &n);
    if (!b.n || !n.n)
        cu_error(f, written, "'%s' is not a range: it has no begin() and end()",
                 cu_type_str(f, e->type));
    struct func *begin =
        cu_resolve(f, b.decls, b.n, NULL, NULL, 0, false, &e, 1, at, "begin", false);
    struct func *end = cu_resolve(f, n.decls, n.n, NULL, NULL, 0, false, &e, 1, at, "end", false);
    r.begin = cu_call_func(f, begin, NULL, &e, 1, true, at);
    r.end = cu_call_func(f, end, NULL, &e, 1, true, at);
    return r;
}

/* The variable, or the names, that the element is given to in each turn. */
static void declare_element(struct front *f, struct declspec *ds, struct declarator *d,
                            struct expr *element, struct stmt ***tail)
{
    if (d->kind == NAME_NONE) { /* structured binding: names were left at the `[` */
        struct bindings b = {.at = d->span};
        size_t pos = f->pos;
        f->pos = d->pos;
        parse_bindings(f, &b);
        f->pos = pos;
        struct type *t = cu_deduce_auto(f, d->type, element, d->span);
        bind(f, &b, unnamed(f, t, element, "the element", d->span), tail);
        return;
    }
    struct var *v = local_var(f, ds, d);
    deduce_local(f, v, element);
    v->init = cu_init_copy(f, v->d.type, element, cu_quoted(f, "initialising", d->name));
    cu_declare(f, f->scope, &v->d);
    v->d.pos = d->pos;
    put_decl(f, tail, v, d->span);
}

/* for (decl : range): begin and end as variables of their own, then an ordinary for. */
static void range_for(struct front *f, struct stmt *s, struct declspec *ds, struct declarator *d)
{
    struct span at = d->span;
    struct expr *range = cu_is(f, PUNCT_LBRACE) ? cu_parse_braced(f) : cu_parse_expr(f);
    cu_expect(f, PUNCT_RPAREN, "after the range");
    if (range->kind == EX_BRACED) {
        struct type *t = cu_deduce_auto(f, cu_type(f, TY_AUTO), range, at);
        range = cu_init_list(f, t, range, true);
    }
    range = cu_runtime_range(f, range);
    struct stmt **tail = &s->init;
    while (*tail)
        tail = &(*tail)->next;
    struct type *t = range->cat == CAT_L ? cu_lref_to(f, range->type) : cu_rref_to(f, range->type);
    struct var *whole = unnamed(f, t, range, "the range", at);
    put_decl(f, &tail, whole, at);
    struct range r = range_of(f, cu_var_expr(f, whole, at), range->span);
    struct var *now = unnamed(f, cu_decayed(f, r.begin->type), r.begin, "the range", at);
    struct var *end = unnamed(f, cu_decayed(f, r.end->type), r.end, "the range", at);
    put_decl(f, &tail, now, at);
    put_decl(f, &tail, end, at);
    s->cond =
        cu_bool(f, cu_binary(f, PUNCT_NE, cu_var_expr(f, now, at), cu_var_expr(f, end, at), at));
    s->step = cu_incdec(f, PUNCT_INC, true, cu_var_expr(f, now, at), at);
    struct scope *save = push_block(f);
    s->body = stmt_new(f, STMT_BLOCK, at);
    tail = &s->body->body;
    declare_element(f, ds, d, cu_deref(f, cu_var_expr(f, now, at), at), &tail);
    struct stmt *save_loop = f->loop;
    f->loop = s;
    *tail = parse_statement(f);
    f->loop = save_loop;
    f->scope = save;
}

/* Is it for (… : range)? Then a `:` comes before any `;` but that of an init-statement, outside of
 * brackets and ?:. */
static bool at_range_for(struct front *f, bool *with_init)
{
    const size_t close = cu_close(f, f->pos - 1);
    size_t colon = 0, semis = 0, last_semi = 0;
    unsigned questions = 0;
    for (size_t i = f->pos; i < close; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind != TOKEN_PUNCT)
            continue;
        if (t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACKET || t->punct == PUNCT_LBRACE)
            i = cu_close(f, i);
        else if (t->punct == PUNCT_QUESTION)
            questions++;
        else if (t->punct == PUNCT_SEMI) {
            semis++;
            last_semi = i;
        } else if (t->punct == PUNCT_COLON) {
            if (questions)
                questions--;
            else
                colon = i;
        }
    }
    *with_init = semis == 1 && last_semi < colon;
    return colon && semis < 2;
}

static void parse_range_for(struct front *f, struct stmt *s)
{
    struct declspec ds = {0};
    struct declarator d = {0};
    cu_parse_declspec(f, &ds, 0);
    size_t bracket = f->pos + (cu_is(f, PUNCT_AND) || cu_is(f, PUNCT_ANDAND));
    if (ds.is_auto && f->toks[bracket].kind == TOKEN_PUNCT &&
        f->toks[bracket].punct == PUNCT_LBRACKET) {
        d.pos = bracket;
        d.type = bracket == f->pos     ? ds.type
                 : cu_is(f, PUNCT_AND) ? cu_lref_to(f, ds.type)
                                       : cu_rref_to(f, ds.type);
        d.span = f->toks[bracket].span;
        f->pos = cu_close(f, bracket) + 1;
    } else {
        cu_parse_declarator(f, &ds, &d, DR_NAMED | DR_LOCAL | DR_NO_FUNC);
    }
    cu_expect(f, PUNCT_COLON, "in the range-based for");
    range_for(f, s, &ds, &d);
}

static struct stmt *parse_for(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_FOR, cu_span(f));
    cu_next(f);
    struct scope *save = push_block(f);
    cu_expect(f, PUNCT_LPAREN, "after for");
    bool with_init;
    if (at_range_for(f, &with_init)) {
        if (with_init)
            s->init = parse_init_statement(f);
        parse_range_for(f, s);
        f->scope = save;
        return s;
    }
    s->init = parse_init_statement(f);
    for (struct stmt *i = s->init; i; i = i->next)
        if (i->kind == STMT_DECL)
            i->var->loop_index = true;
    if (!cu_is(f, PUNCT_SEMI))
        s->cond = cu_bool(f, parse_condition(f, s));
    cu_expect(f, PUNCT_SEMI, "after the loop's condition");
    if (!cu_is(f, PUNCT_RPAREN))
        s->step = cu_parse_expr(f);
    cu_expect(f, PUNCT_RPAREN, "after for (…");
    s->body = loop_body(f, s);
    f->scope = save;
    return s;
}

static struct stmt *parse_switch(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_SWITCH, cu_span(f));
    cu_next(f);
    struct scope *save = push_block(f);
    cu_expect(f, PUNCT_LPAREN, "after switch");
    if (has_init(f))
        s->init = parse_init_statement(f);
    struct expr *c = cu_integral_operand(f, parse_condition(f, s));
    if (!cu_is_integer(c->type) && c->type->kind != TY_ENUM)
        cu_error(f, c->span, "a switch needs an integer, not '%s'", cu_type_str(f, c->type));
    s->cond = c->type->kind == TY_ENUM && c->type->enumeration->scoped
                  ? c
                  : cu_cast_scalar(f, c, cu_promoted(f, c->type), false);
    cu_expect(f, PUNCT_RPAREN, "after the value of the switch");
    struct stmt *save_switch = f->switch_, *save_loop = f->loop;
    f->switch_ = s;
    s->body = parse_compound_body(f);
    f->switch_ = save_switch;
    f->loop = save_loop;
    f->scope = save;
    return s;
}

/* What a label or a case stands before; the other variables of a declaration follow it. */
static void take_first(struct stmt *s, struct stmt *list)
{
    s->body = list;
    if (list) {
        s->next = list->next;
        list->next = NULL;
    }
}

static struct stmt *parse_case(struct front *f)
{
    struct stmt *s = stmt_new(f, cu_is_kw(f, KW_case) ? STMT_CASE : STMT_DEFAULT, cu_span(f));
    cu_next(f);
    if (!f->switch_)
        cu_error(f, s->span, "'%s' outside of a switch", s->kind == STMT_CASE ? "case" : "default");
    if (s->kind == STMT_CASE) {
        struct expr *e = cu_parse_cond(f);
        e = cu_convert(f, e, f->switch_->cond->type, "a case");
        s->lo = s->hi = (uint64_t)cu_require_int(f, e, "a case");
        if (cu_accept(f, PUNCT_ELLIPSIS)) {
            e = cu_convert(f, cu_parse_cond(f), f->switch_->cond->type, "a case");
            s->hi = (uint64_t)cu_require_int(f, e, "a case");
            if (s->hi - s->lo > 4096)
                cu_error(f, s->span, "a range of more than 4096 cases");
        }
    }
    cu_expect(f, PUNCT_COLON, "after the case");
    for (struct stmt *c = f->switch_->cases; c; c = c->case_next)
        if (c->kind == s->kind && (s->kind == STMT_DEFAULT || (s->lo <= c->hi && c->lo <= s->hi)))
            cu_error_note(f, s->span, c->span, "the first one is here",
                          s->kind == STMT_DEFAULT ? "'default' appears twice%s"
                                                  : "this case appears twice%s",
                          "");
    s->case_next = f->switch_->cases;
    f->switch_->cases = s;
    if (!cu_is(f, PUNCT_RBRACE))
        take_first(s, parse_statement(f));
    return s;
}

/* Moving and copying are one. */
static bool copied_alike(struct front *f, struct class_info *c)
{
    return !c->declares_move_ctor && cu_trivial_copy(f, c, true) && cu_trivial_copy(f, c, false);
}

/* Whether all returns give one and the same local: it can be made where the caller wants the
 * result, as g++ and nvcc do, instead of being moved there. In device code that counts only where
 * a copy is more than its bytes, which the optimiser has no trouble with. */
static void note_result(struct front *f, struct stmt *s, const struct expr *e, struct type *t)
{
    struct func *fn = f->func;
    struct var *v = e->kind == EX_VAR ? e->u.var : NULL;
    if (t->kind != TY_CLASS || (!cu_host(f) && copied_alike(f, t->cls)))
        return;
    if (!v || v->storage != VAR_LOCAL || v->func != fn || v->alias || cu_is_ref(v->d.type) ||
        v->d.type->unqual != t->unqual || (v->d.type->quals & QUAL_VOLATILE) || v->align ||
        (fn->named_result && fn->named_result != v)) {
        fn->other_result = true;
        return;
    }
    fn->named_result = s->var = v;
}

static struct stmt *parse_return(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_RETURN, cu_span(f));
    cu_next(f);
    struct func *fn = f->func;
    struct type *t = fn->d.type->elem;
    struct expr *e = NULL;
    if (!cu_is(f, PUNCT_SEMI))
        e = cu_parse_init_clause(f);
    if (e && cu_is(f, PUNCT_COMMA)) {
        cu_next(f);
        e = cu_comma(f, e, cu_parse_expr(f), s->span);
    }
    cu_expect(f, PUNCT_SEMI, "after return");
    if (fn->auto_result && cu_has_auto(t)) {
        struct type *r = e ? cu_deduce_auto(f, t, e, s->span) : cu_type(f, TY_VOID);
        fn->d.type =
            cu_func_type(f, r, fn->d.type->params, fn->d.type->nparams, fn->d.type->variadic,
                         fn->d.type->func_quals, fn->d.type->func_ref);
        t = r;
    }
    if (fn->is_ctor || fn->is_dtor)
        t = cu_type(f, TY_VOID);
    if (!e) {
        if (t->kind != TY_VOID)
            cu_error(f, s->span, "'%s' has to return a '%s'", fn->d.name, cu_type_str(f, t));
        return s;
    }
    if (t->kind == TY_VOID) {
        if (e->type->kind != TY_VOID)
            cu_error(f, e->span, "'%s' returns nothing, but here is a value", fn->d.name);
        s->cond = e;
        return s;
    }
    note_result(f, s, e, t);
    /* A local is moved out. */
    if (e->kind == EX_VAR && e->u.var->storage != VAR_GLOBAL && e->u.var->func == fn &&
        t->kind == TY_CLASS && e->type->kind == TY_CLASS && !cu_is_ref(e->u.var->d.type) &&
        !(e->type->quals & QUAL_CONST) && !copied_alike(f, t->cls))
        e = cu_glvalue_cast(f, e, cu_rref_to(f, e->type));
    if (cu_is_ref(t) && e->kind == EX_VAR && e->u.var->storage != VAR_GLOBAL &&
        e->u.var->func == fn && !cu_is_ref(e->u.var->d.type))
        cu_warn(f, "return-local-address", e->span, "a reference to the local '%s' is returned",
                e->u.var->d.name);
    s->cond = cu_init_copy(f, t, e, "returning");
    return s;
}

struct unroll_job {
    const char *p, *end; /* the words of the pragma */
    int n;
};

static bool word_char(char c)
{
    return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9');
}

static const char *unroll_word(struct front *f, struct unroll_job *j)
{
    const char *word = j->p;
    while (j->p < j->end && word_char(*j->p))
        j->p++;
    return intern(f->names, word, (size_t)(j->p - word));
}

/* N, or A::N: a name that may be a constant's. */
static void unroll_by_name(struct front *f, void *arg)
{
    struct unroll_job *j = arg;
    struct found r;
    const char *name = unroll_word(f, j);
    bool known = cu_lookup(f, name, &r);
    while (known && j->end - j->p > 2 && j->p[0] == ':' && j->p[1] == ':' && word_char(j->p[2])) {
        const struct decl *d = r.decls[0];
        j->p += 2;
        name = unroll_word(f, j);
        if (d->kind == DECL_TYPE && d->type->kind == TY_CLASS)
            known = cu_lookup_member(f, d->type->cls, name, &r);
        else
            known = d->kind == DECL_NAMESPACE && cu_lookup_in(f, d->u.ns, name, &r);
    }
    if (!known)
        return;
    struct qname q = {.name = name, .kind = NAME_IDENT, .span = cu_span(f), .pos = f->pos};
    struct expr *e = cu_decl_expr(f, &r, &q);
    int64_t v;
    if (e->kind != EX_DEPENDENT && cu_const_int(f, e, &v) && v > 0 && v < 100000)
        j->n = (int)v;
}

/* "unroll", "unroll 4", "unroll (N)": the number is taken when it is a literal, N when it can be
 * evaluated. It is advice: what cannot leaves the choice to us. */
static int parse_unroll(struct front *f)
{
    struct str t = cu_tok(f)->u.text;
    struct unroll_job j = {.p = t.ptr, .end = t.ptr + t.len, .n = -1};
    while (j.p < j.end && (*j.p == ' ' || *j.p == '\t'))
        j.p++;
    if (j.end - j.p >= 8 && !strncmp(j.p, "nounroll", 8)) {
        j.n = 1;
    } else if (j.end - j.p >= 6 && !strncmp(j.p, "unroll", 6)) {
        j.p += 6;
        while (j.p < j.end && (*j.p == ' ' || *j.p == '(' || *j.p == '\t'))
            j.p++;
        j.n = 0;
        if (j.p < j.end && *j.p >= '0' && *j.p <= '9') {
            while (j.p < j.end && *j.p >= '0' && *j.p <= '9' && j.n < 100000)
                j.n = j.n * 10 + (*j.p++ - '0');
            if (j.n == 0)
                j.n = 1;
        } else if (j.p < j.end && word_char(*j.p)) {
            cu_try_quietly(f, unroll_by_name, &j);
        }
    }
    cu_next(f);
    return j.n;
}

/* The result of a call that is marked nodiscard, or a value that nobody uses. */
static void check_unused(struct front *f, struct expr *e)
{
    if (e->kind == EX_CALL && e->u.func && !e->a && e->u.func->nodiscard)
        cu_warn(f, "unused-result", e->span, "the result of '%s' is not used", e->u.func->d.name);
    else if (e->kind == EX_BINARY && (e->op == PUNCT_EQ || e->op == PUNCT_NE))
        cu_warn(f, "unused-value", e->span,
                "a comparison whose result is not used; '=' was meant?");
}

struct statement_job {
    struct stmt *out;
    struct local_job local;
    bool is_decl;
};

static struct stmt *expression_statement(struct front *f)
{
    struct stmt *s = stmt_new(f, STMT_EXPR, cu_span(f));
    s->cond = cu_parse_expr(f);
    if (s->cond->kind == EX_OVERLOAD)
        cu_error(f, s->cond->span, "the function '%s' is named but not called",
                 s->cond->u.set.name);
    if (s->cond->kind == EX_BRACED)
        cu_error(f, s->cond->span, "a braced list is not a statement");
    cu_expect(f, PUNCT_SEMI, "after the expression");
    check_unused(f, s->cond);
    return s;
}

/* [[likely]], [[unlikely]], [[fallthrough]], [[assume(…)]]: about statements, and no more than
 * advice. What is about a declaration stays. */
static void skip_hints(struct front *f)
{
    while (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET) &&
           f->toks[f->pos + 2].kind == TOKEN_IDENT) {
        const char *name = f->toks[f->pos + 2].u.name;
        if (strcmp(name, "likely") && strcmp(name, "unlikely") && strcmp(name, "fallthrough") &&
            strcmp(name, "assume"))
            return;
        f->pos = cu_close(f, f->pos) + 1;
    }
}

static struct stmt *parse_statement_inner(struct front *f)
{
    struct span at = cu_span(f);
    struct stmt *s;
    if (cu_tok(f)->kind == TOKEN_PRAGMA) {
        int unroll = parse_unroll(f);
        s = cu_is(f, PUNCT_RBRACE) ? stmt_new(f, STMT_NULL, at) : parse_statement(f);
        if (s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO)
            s->unroll = unroll;
        return s;
    }
    skip_hints(f);
    if (cu_is(f, PUNCT_LBRACE))
        return cu_parse_block(f);
    if (cu_accept(f, PUNCT_SEMI))
        return stmt_new(f, STMT_NULL, at);
    switch (cu_kw(f)) {
    case KW_if: return parse_if(f);
    case KW_while: return parse_while(f);
    case KW_do: return parse_do(f);
    case KW_for: return parse_for(f);
    case KW_switch: return parse_switch(f);
    case KW_case:
    case KW_default: return parse_case(f);
    case KW_return: return parse_return(f);
    case KW_co_return: cu_error(f, at, "coroutines are not supported");
    case KW_break:
    case KW_continue: {
        bool brk = cu_is_kw(f, KW_break);
        cu_next(f);
        if (!f->loop && !(brk && f->switch_))
            cu_error(f, at, "'%s' outside of a loop", brk ? "break" : "continue");
        cu_expect(f, PUNCT_SEMI, brk ? "after break" : "after continue");
        return stmt_new(f, brk ? STMT_BREAK : STMT_CONTINUE, at);
    }
    case KW_goto:
        cu_next(f);
        s = stmt_new(f, STMT_GOTO, at);
        if (cu_is(f, PUNCT_MUL))
            cu_error(f, at, "computed goto is not supported");
        s->label = cu_expect_name(f, "a label");
        cu_expect(f, PUNCT_SEMI, "after goto");
        return s;
    case KW_try:
        if (cu_host(f))
            return cu_parse_try(f);
        cu_error(f, at, "exceptions are not supported here");
    case KW_asm:
    case KW___asm__:
    case KW___asm:
        s = stmt_new(f, STMT_ASM, at);
        s->assembly = cu_parse_asm(f);
        cu_expect(f, PUNCT_SEMI, "after asm");
        return s;
    default: break;
    }
    if (cu_is_name(f) && cu_peek_is(f, 1, PUNCT_COLON)) {
        s = stmt_new(f, STMT_LABEL, at);
        s->label = cu_tok(f)->u.name;
        f->pos += 2;
        if (!cu_is(f, PUNCT_RBRACE))
            take_first(s, parse_statement(f));
        return s;
    }
    return NULL;
}

static void try_statement(struct front *f, void *arg)
{
    struct statement_job *j = arg;
    struct stmt *s = parse_statement_inner(f);
    if (s) {
        j->out = s;
        return;
    }
    if (cu_at_decl(f)) {
        struct stmt **tail = &j->out;
        j->is_decl = true;
        j->local.tail = &tail;
        parse_local(f, &j->local);
        return;
    }
    j->out = expression_statement(f);
}

/* Past the `;` or the block that follows an error. */
static void skip_broken(struct front *f)
{
    while (!cu_is(f, PUNCT_SEMI) && !cu_is(f, PUNCT_RBRACE) && cu_tok(f)->kind != TOKEN_EOF) {
        if (cu_is(f, PUNCT_LBRACE)) {
            f->pos = cu_close(f, f->pos) + 1;
            if (!cu_is(f, PUNCT_SEMI))
                break;
            continue;
        }
        if (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET))
            f->pos = cu_close(f, f->pos) + 1;
        else
            cu_next(f);
    }
    cu_accept(f, PUNCT_SEMI);
}

/* The name that a broken declaration would have declared, by its looks: `using N =`, `typedef …
 * N;`, or N behind a word, `>`, `*` or `&` and before what ends a declarator. */
static const char *meant_name(struct front *f, size_t start)
{
    size_t at = start;
    if (f->kws[start] == KW_using)
        return f->toks[start + 1].kind == TOKEN_IDENT ? f->toks[start + 1].u.name : NULL;
    for (int depth = 0; f->toks[at].kind != TOKEN_EOF; at++) {
        if (f->toks[at].kind != TOKEN_PUNCT)
            continue;
        enum punct p = f->toks[at].punct;
        depth += p == PUNCT_LT ? 1 : p == PUNCT_GT ? -1 : 0;
        if (depth <= 0 && (p == PUNCT_SEMI || p == PUNCT_ASSIGN || p == PUNCT_LPAREN ||
                           p == PUNCT_LBRACE || p == PUNCT_LBRACKET || p == PUNCT_COMMA))
            break;
        if (p == PUNCT_SEMI || p == PUNCT_RBRACE)
            return NULL;
    }
    if (at < start + 2 || f->toks[at - 1].kind != TOKEN_IDENT || f->kws[at - 1])
        return NULL;
    const struct token *before = &f->toks[at - 2];
    bool type =
        before->kind == TOKEN_IDENT ||
        (before->kind == TOKEN_PUNCT &&
         (before->punct == PUNCT_GT || before->punct == PUNCT_MUL || before->punct == PUNCT_AND));
    return type ? f->toks[at - 1].u.name : NULL;
}

static void poison_local(struct front *f, const char *name, size_t pos, struct span at)
{
    struct decl *d = cu_decl_new(f, DECL_POISON, name, at);
    d->pos = pos;
    d->u.reason = "its declaration is wrong";
    d->reported = true;
    struct decl *old = cu_find_local(f, f->scope, name);
    if (!old || old->pos != d->pos)
        cu_declare(f, f->scope, d);
}

static void skip_unread(struct front *f, size_t start)
{
    skip_broken(f);
    while ((f->kws[start] == KW_if && cu_accept_kw(f, KW_else)) ||
           (f->kws[start] == KW_try && cu_accept_kw(f, KW_catch)))
        skip_broken(f);
}

/* A function of the host whose result is deduced is read by the device half for its returns alone:
 * what it cannot read there (std::cerr) is left out, unless it returns something. */
static bool left_out(struct front *f, struct statement_job *j)
{
    const struct func *fn = f->func;
    if (cu_host(f) || !fn || !fn->auto_result || f->pattern ||
        (fn->where & (WHERE_DEVICE | WHERE_GLOBAL)))
        return false;
    const size_t start = f->pos;
    if (cu_try_quietly(f, try_statement, j))
        return true;
    f->pos = start;
    skip_unread(f, start);
    const size_t end = f->pos;
    for (size_t i = start; i < end; i++)
        if (f->kws[i] == KW_return) {
            f->pos = start;
            *j = (struct statement_job){0};
            return false;
        }
    struct found there;
    const char *meant = meant_name(f, start);
    if (meant && !cu_lookup(f, meant, &there))
        poison_local(f, meant, start, f->toks[start].span);
    j->out = NULL;
    return true;
}

/* One statement; an error in it is reported and skipped, so that the next ones are checked too. */
static struct stmt *parse_statement(struct front *f)
{
    cu_nest(f, cu_span(f));
    struct statement_job j = {0};
    size_t start = f->pos;
    if (left_out(f, &j)) {
        ;                  /* or read */
    } else if (f->quiet) { /* substitution: the first error decides */
        try_statement(f, &j);
    } else if (!cu_try(f, try_statement, &j)) {
        struct found there;
        const char *meant = j.is_decl && j.local.name ? j.local.name : meant_name(f, start);
        if (j.is_decl && j.local.name)
            poison_local(f, meant, j.local.pos, f->toks[start].span);
        else if (meant && !cu_lookup(f, meant, &there))
            poison_local(f, meant, start, f->toks[start].span);
        if (f->pos < start || f->pos > f->body_stop)
            f->pos = start;
        f->pos = f->pos < start ? start : f->pos;
        skip_unread(f, start);
        if (f->pos == start && !cu_is(f, PUNCT_RBRACE))
            cu_next(f);
        j.out = NULL;
        if (f->diag->stop)
            cu_unwind(f);
    }
    f->nesting--;
    return j.out ? j.out : stmt_new(f, STMT_NULL, f->toks[start].span);
}

struct stmt *cu_parse_block(struct front *f)
{
    struct stmt *b = stmt_new(f, STMT_BLOCK, cu_span(f));
    size_t end = cu_close(f, f->pos);
    cu_expect(f, PUNCT_LBRACE, "here");
    b->end = f->toks[end].span.loc;
    struct scope *save = push_block(f);
    struct stmt **tail = &b->body;
    size_t save_stop = f->body_stop;
    f->body_stop = end;
    while (f->pos < end) {
        *tail = parse_statement(f);
        while (*tail)
            tail = &(*tail)->next;
    }
    f->body_stop = save_stop;
    f->scope = save;
    f->pos = end + 1;
    return b;
}

/* ---- bodies ---- */

static void declare_params(struct front *f, struct func *fn)
{
    fn->param_vars.len = 0;
    struct decl *pack = NULL;
    size_t in_pack = 0;
    for (size_t i = 0; i < fn->nparams; i++) {
        struct param *p = &fn->params[i];
        struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, p->name, p->span);
        v->d.pos = 0;
        v->storage = VAR_PARAM;
        v->func = fn;
        v->restrict_ = p->restrict_;
        v->grid_constant = p->grid_constant;
        struct type *t = p->type;
        if (t->kind == TY_ARRAY || t->kind == TY_FUNC)
            t = cu_adjust_param(f, t);
        v->d.type = t;
        vec_push(f->a, &fn->param_vars, v);
        if (p->pack_count && p->name) {
            if (p->pack_first) {
                pack = cu_decl_new(f, DECL_PACK, p->name, p->span);
                pack->pos = 0;
                pack->u.value.kind = TARG_PACK;
                pack->u.value.pack = arena_array(f->a, struct targ, p->pack_count);
                pack->u.value.npack = p->pack_count;
                in_pack = 0;
                cu_declare(f, f->scope, pack);
            }
            pack->u.value.pack[in_pack++] = (struct targ){.kind = TARG_VAR, .var = v};
        } else if (p->name) {
            struct decl *old = cu_find_local(f, f->scope, p->name);
            if (old)
                cu_error_note(f, p->span, old->span, "declared here first",
                              "two parameters are called '%s'", p->name);
            cu_declare(f, f->scope, &v->d);
        }
    }
    for (struct empty_pack *e = fn->empty_packs; e; e = e->next)
        if (e->name) {
            struct decl *d = cu_decl_new(f, DECL_PACK, e->name, fn->d.span);
            d->pos = 0;
            d->u.value.kind = TARG_PACK;
            cu_declare(f, f->scope, d);
        }
}

static void parse_body_tokens(struct front *f, void *arg)
{
    struct func *fn = arg;
    unsigned errors = f->diag->errors;
    declare_params(f, fn);
    if (cu_host(f) && cu_is_kw(f, KW_try)) {
        cu_parse_whole_try(f, fn);
    } else {
        if (cu_accept_kw(f, KW_try))
            cu_error(f, cu_span(f), "exceptions are not supported in device code");
        if (fn->is_ctor)
            cu_parse_mem_inits(f, fn);
        fn->ast = cu_parse_block(f);
    }
    if (cu_is_kw(f, KW_catch))
        cu_error(f, cu_span(f), "exceptions are not supported in device code");
    if (fn->auto_result && cu_has_auto(fn->d.type->elem)) {
        struct type *t = fn->d.type;
        fn->d.type = cu_func_type(f, cu_type(f, TY_VOID), t->params, t->nparams, t->variadic,
                                  t->func_quals, t->func_ref);
    }
    struct type *r = fn->d.type->elem;
    if (r->kind != TY_VOID && !fn->is_ctor && !fn->is_dtor && !r->dependent &&
        cu_falls_through(fn->ast) && !fn->noreturn && f->diag->errors == errors &&
        fn->d.name != f->n_main)
        cu_warn(f, "return-type", fn->d.span, "'%s' may end without returning a '%s'", fn->d.name,
                cu_type_str(f, r));
    if (f->diag->errors == errors && !f->pattern)
        cu_check_jumps(f, fn);
    if (f->diag->errors == errors && !fn->d.system && f->shared_seen)
        cu_check_shared(f, fn);
}

void cu_parse_body(struct front *f, struct func *fn)
{
    if (fn->state == BODY_DONE || fn->state == BODY_FAILED)
        return;
    if (fn->state == BODY_PARSING) {
        if (fn->auto_result && cu_has_auto(fn->d.type->elem))
            cu_error(f, fn->d.span, "'%s' is called before its result type is known", fn->d.name);
        return;
    }
    if (fn->state == BODY_NONE) {
        if (fn->is_defaulted || fn->is_implicit) {
            fn->state = BODY_PARSING;
            cu_default_body(f, fn);
            fn->state = BODY_DONE;
            return;
        }
        if (!cu_find_member_def(f, fn))
            return;
    }
    fn->state = BODY_PARSING;
    struct parse_state s;
    cu_enter(f, &s, fn->body, NULL);
    f->quiet = 0;
    f->inst = fn->inst;
    f->func = fn;
    f->cls = fn->cls;
    f->nesting = f->nest_base = s.nesting > 128 ? s.nesting : 0;
    f->scope = cu_scope_new(f, SCOPE_FUNC, fn->scope);
    f->scope->func = fn;
    fn->body_scope = f->scope;
    size_t save_stop = f->body_stop;
    unsigned errors = f->diag->errors, doubts = f->doubts;
    bool ok = cu_try(f, parse_body_tokens, fn);
    fn->d.doubtful |= f->doubts != doubts;
    fn->flawed = f->diag->errors != errors;
    f->body_stop = save_stop;
    cu_restore(f, &s);
    fn->state = ok ? BODY_DONE : BODY_FAILED;
    if (!ok && fn->auto_result && cu_has_auto(fn->d.type->elem))
        cu_unwind(f);
}
