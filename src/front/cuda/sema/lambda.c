/* Lambdas: a closure class whose members are the captures. What a default capture takes is found by
 * looking at the names in the body, so that the class is complete before the body is parsed. */
#include "front/cuda/sema/sema.h"

static void lambda_pointer(struct front *f, struct class_info *c, struct func *call);

/* `[` that starts a designator rather than a lambda is followed by `] =`. */
bool cu_at_lambda_or_subscript(struct front *f)
{
    size_t close = cu_close(f, f->pos);
    const struct token *t = &f->toks[close + 1];
    return t->kind == TOKEN_PUNCT && (t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACE ||
                                      t->punct == PUNCT_LT || t->punct == PUNCT_ARROW);
}

static struct capture *find_capture(struct class_info *c, struct var *v)
{
    for (struct capture *k = c->captures; k; k = k->next)
        if (k->var == v)
            return k;
    return NULL;
}

static struct field *add_field(struct front *f, struct class_info *c, struct type *t, struct span s)
{
    struct field *fd = cu_decl_alloc(f, sizeof *fd, DECL_FIELD, NULL, s);
    fd->d.type = t;
    cu_add_field(c, fd);
    cu_declare(f, c->scope, &fd->d);
    return fd;
}

static void append_capture(struct class_info *c, struct capture *k)
{
    struct capture **tail = &c->captures;
    while (*tail)
        tail = &(*tail)->next;
    *tail = k;
}

static struct capture *add_capture(struct front *f, struct class_info *c, struct var *v,
                                   bool by_ref, struct expr *init, struct span s)
{
    struct capture *k = find_capture(c, v);
    if (k)
        return k;
    k = arena_new(f->a, struct capture);
    k->var = v;
    k->by_ref = by_ref;
    struct type *t = init->type;
    if (by_ref)
        t = cu_lref_to(f, t);
    else if (t->kind == TY_FUNC)
        t = cu_decayed(f, t);
    else if (!(cu_is_ref(v->d.type)))
        t = init->type; /* const stays */
    k->field = add_field(
        f, c,
        by_ref ? t
               : cu_with_quals(f, t, t->kind == TY_ARRAY ? t->elem->quals : t->quals & QUAL_CONST),
        s);
    k->init = cu_init_copy(f, k->field->d.type, init, "capturing");
    append_capture(c, k);
    return k;
}

/* A variable of an enclosing function, inside a lambda: the member that holds it. */
struct expr *cu_capture_expr(struct front *f, struct var *v, struct span s)
{
    struct func *fn = f->func;
    if (!fn || !fn->is_lambda_call || !fn->cls)
        return NULL;
    struct capture *k = find_capture(fn->cls, v);
    if (!k)
        return NULL;
    struct expr *self = cu_expr_new(
        f, EX_THIS, cu_pointer_to(f, cu_qualified(f, fn->cls->type, fn->d.type->func_quals)),
        CAT_PR, s);
    struct expr *base = cu_expr_new(f, EX_DEREF, self->type->elem, CAT_L, s);
    base->a = self;
    return cu_member_expr(f, base, k->field, s);
}

static void capture_this(struct front *f, struct class_info *c, bool copy, struct span s)
{
    if (c->capture_this)
        return;
    struct expr *self = cu_this_expr(f, s);
    struct class_info *owner = self->type->elem->cls;
    struct type *t = copy ? self->type->elem->unqual : self->type->unqual;
    c->this_field = add_field(f, c, t, s);
    struct capture *k = arena_new(f->a, struct capture);
    k->field = c->this_field;
    k->init = copy ? cu_init_copy(f, t, cu_deref(f, self, s), "capturing") : self;
    append_capture(c, k);
    c->capture_this = owner;
}

static bool can_capture_this(struct front *f)
{
    if (!f->func)
        return false;
    if (f->func->is_lambda_call && f->func->cls)
        return f->func->cls->capture_this != NULL;
    return f->func->cls && !f->func->is_static;
}

/* Names in [from, to) that mean variables of the enclosing function. */
static void capture_used(struct front *f, struct class_info *c, size_t from, size_t to)
{
    size_t pos = f->pos;
    for (size_t i = from; i < to; i++) {
        const struct token *t = &f->toks[i];
        if (f->kws[i] == KW_this && can_capture_this(f)) {
            capture_this(f, c, false, t->span);
            continue;
        }
        if (t->kind != TOKEN_IDENT || f->kws[i])
            continue;
        if (t[-1].kind == TOKEN_PUNCT &&
            (t[-1].punct == PUNCT_DOT || t[-1].punct == PUNCT_ARROW || t[-1].punct == PUNCT_SCOPE))
            continue;
        struct found r;
        f->pos = from;
        bool hit = cu_lookup(f, t->u.name, &r);
        f->pos = pos;
        if (!hit)
            continue;
        struct decl *d = r.decls[0];
        if (d->kind == DECL_PACK && d->u.value.npack && d->u.value.pack[0].kind == TARG_VAR) {
            for (size_t k = 0; k < d->u.value.npack; k++) {
                struct var *v = d->u.value.pack[k].var;
                if (v->func == f->func)
                    add_capture(f, c, v, c->default_ref, cu_var_expr(f, v, t->span), t->span);
            }
            continue;
        }
        if (d->kind == DECL_FIELD || (d->kind == DECL_FUNC && r.cls) ||
            (d->kind == DECL_TEMPLATE && r.cls)) {
            bool member =
                d->kind == DECL_FIELD || (d->kind == DECL_FUNC && !((struct func *)d)->is_static);
            if (member && can_capture_this(f))
                capture_this(f, c, false, t->span);
            continue;
        }
        if (d->kind != DECL_VAR)
            continue;
        struct var *v = (struct var *)d;
        if (v->storage == VAR_GLOBAL || !v->func)
            continue;
        if (v->func != f->func) { /* of a function further out: through our own closure */
            struct expr *outer = cu_capture_expr(f, v, t->span);
            if (!outer)
                continue;
            add_capture(f, c, v, c->default_ref, outer, t->span);
            continue;
        }
        /* A constant is not captured for its value. */
        if (!c->default_ref || !v->is_constexpr)
            if ((v->is_constexpr || (v->d.type->quals & QUAL_CONST)) && cu_is_scalar(v->d.type) &&
                cu_var_constant(f, v))
                continue;
        if (v->is_constexpr && cu_var_constant(f, v))
            continue;
        add_capture(f, c, v, c->default_ref, cu_var_expr(f, v, t->span), t->span);
    }
    f->pos = pos;
}

static struct expr *capture_init(struct front *f, struct span at)
{
    if (cu_accept(f, PUNCT_ASSIGN))
        return cu_parse_init_clause(f);
    struct expr **args;
    size_t n;
    enum punct close = cu_is(f, PUNCT_LBRACE) ? PUNCT_RBRACE : PUNCT_RPAREN;
    cu_next(f);
    cu_parse_args(f, close, &args, &n);
    if (n != 1)
        cu_error(f, at, "a capture is initialised with one value");
    return args[0];
}

static struct capture *own_capture(struct front *f, struct class_info *c, const char *name,
                                   size_t pos, struct expr *e, bool by_ref, struct span at)
{
    struct type *auto_ = cu_type(f, TY_AUTO);
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, name, at);
    v->func = f->func;
    v->d.type = cu_deduce_auto(f, by_ref ? cu_lref_to(f, auto_) : auto_, e, at);
    v->d.pos = pos;
    struct capture *k = arena_new(f->a, struct capture);
    k->var = v;
    k->by_ref = by_ref;
    k->field = add_field(f, c, v->d.type, at);
    k->init = cu_init_copy(f, v->d.type, e, "capturing");
    append_capture(c, k);
    return k;
}

/* [name = value]: a variable of the closure's own. */
static void capture_new(struct front *f, struct class_info *c, size_t name_pos, const char *name,
                        bool by_ref, struct span at)
{
    struct expr *e = capture_init(f, at);
    const struct capture *k = own_capture(f, c, name, name_pos, e, by_ref, at);
    cu_declare(f, c->scope, &k->var->d);
}

/* At `&...` or `...`: the value for one element. */
static void *pack_element(struct front *f, void *arg)
{
    (void)arg;
    struct span at = cu_span(f);
    cu_accept(f, PUNCT_AND);
    cu_accept(f, PUNCT_ELLIPSIS);
    cu_expect_name(f, "a variable to capture");
    struct expr *e = capture_init(f, at);
    f->last_expansion = true;
    return e;
}

/* [...names = values]: a pack of the closure's own. */
static void capture_pack(struct front *f, struct class_info *c, bool by_ref)
{
    struct span at = cu_span(f);
    const size_t name_pos = f->pos + by_ref + 1;
    const char *name = f->toks[name_pos].u.name;
    struct elements list = {0};
    cu_expand_each(f, pack_element, NULL, &list);
    struct decl *pack = cu_decl_new(f, DECL_PACK, name, at);
    pack->u.value.kind = TARG_PACK;
    pack->u.value.npack = list.len;
    pack->u.value.pack = arena_array(f->a, struct targ, list.len + 1);
    pack->pos = name_pos;
    for (size_t i = 0; i < list.len; i++) {
        const struct capture *k = own_capture(f, c, name, name_pos, list.data[i], by_ref, at);
        pack->u.value.pack[i] = (struct targ){.kind = TARG_VAR, .var = k->var};
    }
    cu_declare(f, c->scope, pack);
}

/* [name], [name...] */
static void capture_named(struct front *f, struct class_info *c, size_t name_pos, const char *name,
                          bool by_ref, struct span at)
{
    struct found r;
    f->pos = name_pos;
    bool hit = cu_lookup(f, name, &r);
    f->pos = name_pos + 1;
    if (!hit)
        cu_undeclared(f, name, at, NULL);
    struct decl *d = r.decls[0];
    if (cu_accept(f, PUNCT_ELLIPSIS) && d->kind == DECL_PACK) {
        for (size_t k = 0; k < d->u.value.npack; k++) {
            struct var *v = d->u.value.pack[k].var;
            add_capture(f, c, v, by_ref, cu_var_expr(f, v, at), at);
        }
        return;
    }
    if (d->kind != DECL_VAR)
        cu_error(f, at, "'%s' is not a variable", name);
    struct var *v = (struct var *)d;
    if (v->storage != VAR_GLOBAL)
        add_capture(f, c, v, by_ref, cu_var_expr(f, v, at), at);
}

static void parse_capture(struct front *f, struct class_info *c)
{
    struct span at = cu_span(f);
    if (cu_accept(f, PUNCT_ASSIGN)) {
        c->default_copy = true;
    } else if (cu_is(f, PUNCT_AND) &&
               (cu_peek_is(f, 1, PUNCT_COMMA) || cu_peek_is(f, 1, PUNCT_RBRACKET))) {
        cu_next(f);
        c->default_ref = true;
    } else if (cu_accept_kw(f, KW_this)) {
        capture_this(f, c, false, at);
    } else if (cu_is(f, PUNCT_MUL) && f->kws[f->pos + 1] == KW_this) {
        f->pos += 2;
        capture_this(f, c, true, at);
    } else {
        const bool by_ref = cu_is(f, PUNCT_AND);
        if (cu_peek_is(f, by_ref, PUNCT_ELLIPSIS)) {
            capture_pack(f, c, by_ref);
            return;
        }
        cu_accept(f, PUNCT_AND);
        size_t name_pos = f->pos;
        const char *name = cu_expect_name(f, "a variable to capture");
        bool made = cu_is(f, PUNCT_ASSIGN) || cu_is(f, PUNCT_LBRACE) || cu_is(f, PUNCT_LPAREN);
        (made ? capture_new : capture_named)(f, c, name_pos, name, by_ref, at);
    }
}

static void parse_captures(struct front *f, struct class_info *c)
{
    cu_next(f);
    while (!cu_is(f, PUNCT_RBRACKET)) {
        parse_capture(f, c);
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_RBRACKET, "after the captures");
}

/* In a template that is only read, nothing but a lambda's end matters. */
static void skip_lambda(struct front *f)
{
    f->pos = cu_close(f, f->pos) + 1;
    if (cu_is(f, PUNCT_LT))
        f->pos = cu_skip_angles(f, f->pos);
    if (cu_is(f, PUNCT_LPAREN))
        f->pos = cu_close(f, f->pos) + 1;
    while (cu_tok(f)->kind != TOKEN_EOF && !cu_is(f, PUNCT_LBRACE)) {
        if (cu_is(f, PUNCT_LPAREN))
            f->pos = cu_close(f, f->pos) + 1;
        else if (cu_is_kw(f, KW_requires))
            f->pos = cu_requires_end(f, f->pos + 1);
        else
            cu_next(f);
    }
    f->pos = cu_close(f, f->pos) + 1;
}

/* Where the parts of a lambda stand, and what they say. */
struct lambda {
    struct class_info *cls;
    struct template_info *tmpl; /* of a generic one */
    struct declarator d;        /* of its call operator */
    size_t params, after, body; /* the list; the result, behind the specifiers; the brace */
    bool is_mutable, is_generic;
};

static struct template_info *call_template(struct front *f, struct class_info *c, struct span at)
{
    struct template_info *t = cu_decl_alloc(f, sizeof *t, DECL_TEMPLATE, NULL, at);
    t->kind = TEMPLATE_FUNC;
    t->scope = c->scope;
    map_init(&t->instances, f->a);
    return t;
}

/* Behind the parameters, before the result; where that starts. */
static size_t lambda_specifiers(struct front *f, bool *is_mutable)
{
    if (!cu_is(f, PUNCT_LPAREN))
        return f->pos;
    size_t i = cu_close(f, f->pos) + 1;
    for (;; i++)
        switch (f->kws[i]) {
        case KW_mutable: *is_mutable = true; break;
        case KW_constexpr:
        case KW___device__:
        case KW___host__:
        case KW___forceinline__:
        case KW_static: break;
        default: return i;
        }
}

/* Template header, parameters, specifiers, result: up to the body. */
static void parse_lambda_head(struct front *f, struct lambda *lam, struct span at)
{
    struct scope *save = f->scope;
    unsigned save_auto = f->auto_seen;
    f->scope = lam->cls->scope;
    if (cu_accept(f, PUNCT_LT)) {
        lam->tmpl = call_template(f, lam->cls, at);
        cu_parse_tparams(f, lam->tmpl);
        cu_parse_requires_clause(f, lam->tmpl);
    }
    lam->params = f->pos;
    f->auto_seen = 0;
    if (lam->tmpl) {
        f->scope = lam->tmpl->pattern_scope;
        f->pattern++;
    }
    cu_skip_attributes(f);
    lam->after = lambda_specifiers(f, &lam->is_mutable);
    cu_parse_lambda_params(f, &lam->d, lam->params, lam->after, &lam->body);
    if (lam->tmpl)
        f->pattern--;
    lam->is_generic = f->auto_seen > 0 || lam->tmpl;
    f->auto_seen = save_auto;
    f->scope = save;
    f->pos = lam->body;
    if (!cu_is(f, PUNCT_LBRACE))
        cu_error(f, cu_span(f), "expected the body of the lambda, found %s",
                 cu_tok_text(f, cu_tok(f)));
}

enum { LAMBDA_WHERE = WHERE_HOST | WHERE_DEVICE }; /* it is called where it is passed to */

static void declare_generic_call(struct front *f, struct lambda *lam, struct span at)
{
    struct template_info *t = lam->tmpl ? lam->tmpl : call_template(f, lam->cls, at);
    t->d.name = lam->d.name;
    t->cls = lam->cls;
    t->pos = lam->params;
    t->defined = true;
    t->is_lambda = true;
    t->lambda_after = lam->after;
    t->lambda_body = lam->body;
    t->lambda_mutable = lam->is_mutable;
    t->lambda_where = LAMBDA_WHERE;
    if (!t->params || lam->d.nparams)
        cu_auto_params(f, t, &lam->d);
    cu_declare(f, lam->cls->scope, &t->d);
}

static struct func *declare_call(struct front *f, struct lambda *lam, struct span at)
{
    struct type *ft = lam->d.type;
    struct func *fn = cu_new_func(f, lam->d.name, at);
    fn->d.type = cu_func_type(f, ft->elem, ft->params, ft->nparams, ft->variadic,
                              lam->is_mutable ? 0 : QUAL_CONST, REF_NONE);
    fn->params = lam->d.params;
    fn->nparams = lam->d.nparams;
    fn->empty_packs = lam->d.empty_packs;
    fn->cls = lam->cls;
    fn->op = OPN_CALL;
    fn->is_lambda_call = true;
    fn->is_noexcept = lam->d.is_noexcept;
    fn->noexcept_pos = lam->d.noexcept_pos;
    fn->noexcept_scope = lam->d.params_scope ? lam->d.params_scope : f->scope;
    fn->is_constexpr = true;
    fn->is_inline = true;
    fn->where = LAMBDA_WHERE;
    fn->where_explicit = true;
    fn->auto_result = cu_has_auto(ft->elem);
    fn->body = lam->body;
    fn->state = BODY_TOKENS;
    fn->scope = lam->cls->scope;
    fn->inst = f->inst;
    cu_declare(f, lam->cls->scope, &fn->d);
    return fn;
}

static struct expr *closure(struct front *f, struct class_info *c, size_t start)
{
    struct expr *e = cu_expr_new(f, EX_INIT, c->type, CAT_PR, cu_span_from(f, start));
    size_t n = 0;
    for (struct capture *k = c->captures; k; k = k->next)
        n++;
    e->u.init.items = arena_array(f->a, struct designated, n + 1);
    for (struct capture *k = c->captures; k; k = k->next) {
        struct designated *d = &e->u.init.items[e->u.init.n++];
        d->field = k->field;
        d->value = k->init;
    }
    return e;
}

/* ---- lambdas that are expanded: [] { … Ts … }... ---- */

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

/* Does a `...` inside the lambda, in [from, to), expand the token? */
static bool expanded_inside(const struct front *f, size_t from, size_t i, size_t to)
{
    if (i >= 2 && is_punct(&f->toks[i - 1], PUNCT_LPAREN) &&
        is_punct(&f->toks[i - 2], PUNCT_ELLIPSIS))
        return true; /* sizeof...(Ts) */
    for (size_t k = i; k-- > from && !is_punct(&f->toks[k], PUNCT_SEMI);)
        if (is_punct(&f->toks[k], PUNCT_ELLIPSIS) && f->kws[k - 1] != KW_sizeof &&
            !is_punct(&f->toks[k + 1], PUNCT_RPAREN) && !is_punct(&f->toks[k + 1], PUNCT_COMMA))
            return true; /* (a + ... + Ts) */
    for (bool behind = false; ++i < to;) {
        const struct token *t = &f->toks[i];
        if (t->kind != TOKEN_PUNCT)
            continue;
        switch (t->punct) {
        case PUNCT_LPAREN:
        case PUNCT_LBRACKET:
        case PUNCT_LBRACE: i = f->match[i]; break;
        case PUNCT_ELLIPSIS:
            if (!behind && f->kws[i - 1] != KW_sizeof)
                return true;
            break;
        case PUNCT_COMMA:
        case PUNCT_SEMI: behind = true; break; /* what expands another element */
        case PUNCT_RPAREN:
        case PUNCT_RBRACKET:
        case PUNCT_RBRACE: behind = false; break;
        default: break;
        }
    }
    return false;
}

/* The next token in [from, to) that names a pack which is expanded around the lambda. */
static struct decl *outer_pack(struct front *f, size_t *from, size_t to)
{
    const size_t pos = f->pos, start = *from;
    for (; *from < to; ++*from) {
        const struct token *t = &f->toks[*from];
        if (t->kind != TOKEN_IDENT || f->kws[*from] || is_punct(t - 1, PUNCT_DOT) ||
            is_punct(t - 1, PUNCT_ARROW) || is_punct(t - 1, PUNCT_SCOPE))
            continue;
        struct found r;
        const bool hit = cu_lookup(f, t->u.name, &r);
        f->pos = pos;
        if (hit && r.decls[0]->kind == DECL_PACK && !expanded_inside(f, start, *from, to))
            return r.decls[0];
    }
    return NULL;
}

static void see_packs(struct front *f, size_t from, size_t to)
{
    for (struct decl *pack; (pack = outer_pack(f, &from, to)); from++)
        cu_pack_element(f, pack, f->toks[from].span);
}

/* A scope in which the packs that are expanded are their elements of this round. */
static struct scope *bind_elements(struct front *f, size_t from, size_t to)
{
    struct scope *s = NULL;
    for (struct decl *pack; (pack = outer_pack(f, &from, to)); from++) {
        if (s && cu_find_local(f, s, pack->name))
            continue;
        struct decl *e = cu_pack_element(f, pack, f->toks[from].span);
        if (!e)
            continue;
        struct decl *u = cu_decl_new(f, DECL_USING, pack->name, pack->span);
        u->u.target = e;
        if (!s) {
            s = cu_scope_new(f, SCOPE_FUNC, f->scope);
            s->func = f->func;
        }
        cu_declare(f, s, u);
    }
    return s;
}

static struct expr *parse_lambda(struct front *f)
{
    size_t start = f->pos;
    struct span at = cu_span(f);
    struct class_info *c = cu_class_new(f, NULL, at, f->scope);
    c->is_lambda = true;
    c->lambda_pos = start;
    if (f->func) {
        c->lambda_index = f->func->nlambdas++;
        vec_push(f->a, &f->func->locals, c);
    } else {
        c->lambda_index = f->unnamed++;
    }
    parse_captures(f, c);
    struct lambda lam = {.cls = c,
                         .d = {.kind = NAME_OPERATOR,
                               .op = OPN_CALL,
                               .name = cu_operator_name(f, OPN_CALL),
                               .type = cu_type(f, TY_AUTO),
                               .span = at,
                               .pos = start}};
    parse_lambda_head(f, &lam, at);
    size_t close = cu_close(f, lam.body);
    if (c->default_copy || c->default_ref)
        capture_used(f, c, lam.params, close);
    c->state = CLASS_COMPLETE;
    c->implicit_done = false;
    if (lam.is_generic) {
        declare_generic_call(f, &lam, at);
    } else {
        struct func *fn = declare_call(f, &lam, at);
        f->pos = close + 1;
        if (!f->unevaluated)
            cu_parse_body(f, fn);
        /* Without captures it converts to a pointer to a plain function: one that makes the object
         * itself. */
        if (!c->captures && fn->state != BODY_FAILED)
            lambda_pointer(f, c, fn);
    }
    f->pos = close + 1;
    return closure(f, c, start);
}

struct expr *cu_parse_lambda(struct front *f)
{
    const size_t start = f->pos;
    if (f->pattern) {
        const struct span at = cu_span(f);
        skip_lambda(f);
        if (f->probing)
            see_packs(f, start, f->pos);
        return cu_dependent(f, at);
    }
    struct scope *save = f->scope, *elements = NULL;
    if (f->expanding) {
        skip_lambda(f);
        const size_t end = f->pos;
        f->pos = start;
        elements = bind_elements(f, start, end);
    }
    f->scope = elements ? elements : save;
    struct expr *e = parse_lambda(f);
    f->scope = save;
    return e;
}

/* The parameter list at `params` and the result after `after`; *end is where the body starts. */
void cu_parse_lambda_params(struct front *f, struct declarator *d, size_t params, size_t after,
                            size_t *end)
{
    f->pos = params;
    cu_skip_attributes(f);
    struct type *result = cu_type(f, TY_AUTO);
    d->type = result;
    struct scope *scope = f->scope;
    if (cu_is(f, PUNCT_LPAREN)) {
        cu_next(f);
        cu_parse_params(f, d);
        scope = d->params_scope;
    } else {
        d->type = cu_func_type(f, result, NULL, 0, false, 0, REF_NONE);
    }
    d->is_func = true;
    if (f->pos < after)
        f->pos = after;
    if (cu_accept_kw(f, KW_noexcept)) {
        d->is_noexcept = true;
        if (cu_is(f, PUNCT_LPAREN)) {
            d->noexcept_pos = f->pos + 1;
            f->pos = cu_close(f, f->pos) + 1;
        }
    }
    cu_skip_attributes(f);
    if (cu_is_kw(f, KW_mutable) || cu_is_kw(f, KW_constexpr))
        cu_next(f);
    if (cu_is(f, PUNCT_ARROW)) {
        struct scope *save = f->scope;
        f->scope = scope;
        cu_next(f);
        struct type *r = cu_parse_type_id(f);
        f->scope = save;
        d->type = cu_func_type(f, r, d->type->params, d->type->nparams, d->type->variadic,
                               d->type->func_quals, d->type->func_ref);
    }
    if (cu_is_kw(f, KW_requires))
        f->pos = cu_requires_end(f, f->pos + 1);
    *end = f->pos;
}

/* A conversion function to a pointer, whose body is: return a function that calls operator() on
 * nothing. */
static void lambda_pointer(struct front *f, struct class_info *c, struct func *call)
{
    struct type *plain = cu_func_type(f, call->d.type->elem, call->d.type->params,
                                      call->d.type->nparams, false, 0, REF_NONE);
    struct func *invoke = cu_new_func(f, intern_z(f->names, "__invoke"), call->d.span);
    invoke->d.type = plain;
    invoke->cls = c;
    invoke->is_static = true;
    invoke->is_inline = invoke->is_constexpr = true;
    invoke->where = call->where;
    invoke->params = call->params;
    invoke->nparams = call->nparams;
    invoke->scope = c->scope;
    invoke->is_noexcept = call->is_noexcept && cu_is_noexcept(f, call);
    struct type *pointer = cu_pointer_to(f, cu_seen_type(f, invoke));
    struct expr **args = arena_array(f->a, struct expr *, call->d.type->nparams + 1);
    for (size_t i = 0; i < call->d.type->nparams; i++) {
        struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, NULL, call->d.span);
        v->storage = VAR_PARAM;
        v->func = invoke;
        v->d.type = call->d.type->params[i];
        vec_push(f->a, &invoke->param_vars, v);
        struct expr *e = cu_expr_new(f, EX_VAR, cu_noref(v->d.type),
                                     v->d.type->kind == TY_LREF ? CAT_L : CAT_X, call->d.span);
        e->u.var = v;
        args[i] = e;
    }
    struct expr *object = cu_expr_new(f, EX_TEMP, c->type, CAT_X, call->d.span);
    object->a = cu_expr_new(f, EX_ZERO, c->type, CAT_PR, call->d.span);
    struct func *save = f->func;
    f->func = invoke;
    struct expr *result =
        cu_call_func(f, call, object, args, call->d.type->nparams, true, call->d.span);
    f->func = save;
    struct stmt *ret = arena_new(f->a, struct stmt), *block = arena_new(f->a, struct stmt);
    ret->kind = STMT_RETURN;
    ret->span = block->span = call->d.span;
    ret->unroll = block->unroll = -1;
    if (plain->elem->kind == TY_VOID) {
        ret->kind = STMT_EXPR;
        ret->cond = result;
    } else {
        ret->cond = cu_init_copy(f, plain->elem, result, "returning");
    }
    block->kind = STMT_BLOCK;
    block->body = ret;
    invoke->ast = block;
    invoke->state = BODY_DONE;
    struct func *conv = cu_new_func(f, intern_z(f->names, "operator pointer"), call->d.span);
    conv->d.type = cu_func_type(f, pointer, NULL, 0, false, QUAL_CONST, REF_NONE);
    conv->cls = c;
    conv->is_conversion = true;
    conv->inherits = call; /* whose pointer it gives */
    conv->is_inline = conv->is_constexpr = true;
    conv->where = call->where;
    conv->scope = c->scope;
    struct stmt *r2 = arena_new(f->a, struct stmt), *b2 = arena_new(f->a, struct stmt);
    r2->kind = STMT_RETURN;
    r2->span = b2->span = call->d.span;
    r2->unroll = b2->unroll = -1;
    struct expr *fe = cu_expr_new(f, EX_FUNC, pointer->elem, CAT_L, call->d.span);
    fe->u.func = invoke;
    r2->cond = cu_decay(f, fe);
    b2->kind = STMT_BLOCK;
    b2->body = r2;
    conv->ast = b2;
    conv->state = BODY_DONE;
    cu_declare(f, c->scope, &conv->d);
}

void cu_generic_pointer(struct front *f, struct class_info *c, struct type *t)
{
    struct decl *d = cu_find_local(f, c->scope, cu_operator_name(f, OPN_CALL));
    if (!d || d->kind != DECL_TEMPLATE || c->captures || c->default_copy || c->default_ref)
        return;
    struct template_info *call = (struct template_info *)d;
    struct func *p = cu_pattern(f, call);
    struct targ *args;
    size_t n;
    struct type *want = cu_func_type(f, t->elem, t->params, t->nparams, t->variadic,
                                     call->lambda_mutable ? 0 : QUAL_CONST, REF_NONE);
    if (!p || !cu_deduce_type(f, call, NULL, 0, p->d.type, want, &args, &n))
        return;
    struct func *fn = cu_instantiate_func(f, call, args, n, d->span);
    if (!fn)
        return;
    for (struct decl *k = c->scope->first; k; k = k->next)
        if (k->kind == DECL_FUNC && ((struct func *)k)->inherits == fn)
            return;
    if (fn->state != BODY_DONE)
        cu_parse_body(f, fn);
    if (fn->state != BODY_FAILED)
        lambda_pointer(f, c, fn);
}

/* ---- tuple-like classes, for structured bindings ---- */

struct tuple_job {
    struct type *t;
    struct expr *e, *out;
    size_t i;
    struct span s;
};

static void try_size(struct front *f, void *arg)
{
    struct tuple_job *j = arg;
    struct found r;
    if (!f->std || !cu_lookup_in(f, f->std, f->n_tuple_size, &r) ||
        r.decls[0]->kind != DECL_TEMPLATE)
        cu_error(f, j->s, "no tuple_size");
    struct targ a = cu_targ_type(j->t->unqual);
    struct type *t = cu_instantiate_class(f, (struct template_info *)r.decls[0], &a, 1, j->s);
    cu_complete(f, t, j->s);
    struct found v;
    if (!cu_lookup_in(f, t->cls->scope, f->n_value, &v))
        cu_error(f, j->s, "no value");
    j->t = t;
}

struct type *cu_tuple_size(struct front *f, struct type *t, struct span s)
{
    struct tuple_job j = {.t = t, .s = s};
    return cu_try_quietly(f, try_size, &j) ? j.t : NULL;
}

static void try_element(struct front *f, void *arg)
{
    struct tuple_job *j = arg;
    struct found r = {0};
    if (!cu_lookup_in(f, f->std, f->n_tuple_element, &r) || r.decls[0]->kind != DECL_TEMPLATE)
        cu_error(f, j->s, "no tuple_element");
    struct targ args[2] = {cu_targ_int(f->size_type, (int64_t)j->i), cu_targ_type(j->t->unqual)};
    struct type *t = cu_instantiate_class(f, (struct template_info *)r.decls[0], args, 2, j->s);
    cu_complete(f, t, j->s);
    struct found v;
    if (!cu_lookup_in(f, t->cls->scope, f->n_type, &v) || v.decls[0]->kind != DECL_TYPE)
        cu_error(f, j->s, "no type");
    j->t = cu_qualified(f, v.decls[0]->type, j->t->quals);
}

struct type *cu_tuple_element(struct front *f, struct type *t, size_t i, struct span s)
{
    struct tuple_job j = {.t = t, .i = i, .s = s};
    return cu_try_quietly(f, try_element, &j) ? j.t : NULL;
}

struct expr *cu_tuple_get(struct front *f, struct expr *e, size_t i, struct span s)
{
    struct found r = {0};
    struct targ index = cu_targ_int(f->size_type, (int64_t)i);
    if (cu_lookup_member(f, e->type->cls, f->n_get, &r) && r.decls[0]->kind == DECL_TEMPLATE) {
        struct func *fn = cu_resolve(f, r.decls, r.n, e, &index, 1, true, NULL, 0, s, "get", false);
        return cu_call_func(f, fn, e, NULL, 0, false, s);
    }
    r = (struct found){0};
    cu_lookup_adl(f, f->n_get, &e, 1, &r);
    struct func *fn = cu_resolve(f, r.decls, r.n, NULL, &index, 1, true, &e, 1, s, "get", false);
    return cu_call_func(f, fn, NULL, &e, 1, true, s);
}
