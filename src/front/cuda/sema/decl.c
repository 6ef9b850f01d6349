/* Declarations at namespace scope. Host code must not get in the way: a declaration without a
 * device attribute that cannot be understood becomes a poisoned name, reported only where device
 * code uses it. */
#include "front/cuda/sema/sema.h"

static void parse_simple_decl(struct front *f, struct scope *s, struct declspec *ds);
static void parse_external(struct front *f, struct scope *s);

bool cu_in_device(const struct front *f)
{
    return f->func && (f->func->where & (WHERE_DEVICE | WHERE_GLOBAL)) && !f->unevaluated &&
           !cu_host(f);
}

/* ---- recovery ---- */

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

/* The token after the declaration that starts at from: past its `;` or its body. */
static size_t declaration_end(struct front *f, size_t from)
{
    bool initialised = false, tag = false;
    for (size_t i = from; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind == TOKEN_EOF)
            return i;
        switch (f->kws[i]) {
        case KW_struct:
        case KW_class:
        case KW_union:
        case KW_enum: tag = true; break;
        case KW_requires:
            if (!initialised)
                i = cu_requires_end(f, i + 1) - 1;
            continue;
        default: break;
        }
        if (t->kind != TOKEN_PUNCT)
            continue;
        if (t->punct == PUNCT_LPAREN) {
            tag = false;
            i = cu_close(f, i);
        } else if (t->punct == PUNCT_LBRACKET) {
            i = cu_close(f, i);
        } else if (t->punct == PUNCT_ASSIGN) {
            initialised |= i == from || f->kws[i - 1] != KW_operator;
        } else if (t->punct == PUNCT_LBRACE) {
            i = cu_close(f, i);
            if (is_punct(&f->toks[i + 1], PUNCT_SEMI))
                return i + 2;
            if (!initialised && !tag) {
                while (f->kws[i + 1] == KW_catch && is_punct(&f->toks[i + 2], PUNCT_LPAREN)) {
                    i = cu_close(f, i + 2) + 1;
                    if (is_punct(&f->toks[i], PUNCT_LBRACE))
                        i = cu_close(f, i);
                }
                /* A constructor's `: a{1}, b{2} {` goes on. */
                if (is_punct(&f->toks[i + 1], PUNCT_COMMA) ||
                    is_punct(&f->toks[i + 1], PUNCT_LBRACE))
                    continue;
                return i + 1;
            }
        } else if (t->punct == PUNCT_SEMI) {
            return i + 1;
        } else if (t->punct == PUNCT_RBRACE) {
            return i;
        }
    }
    return f->ntoks - 1;
}

void cu_skip_declaration(struct front *f, size_t from)
{
    f->pos = declaration_end(f, from);
    f->split_n = 0;
}

static bool for_device(struct front *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        switch (f->kws[i]) {
        case KW___global__:
        case KW___device__:
        case KW___constant__:
        case KW___shared__:
        case KW___managed__: return true;
        default: break;
        }
    return false;
}

void cu_poison(struct front *f, struct scope *s, const char *name, struct span at, const char *why)
{
    struct decl *d = cu_decl_new(f, DECL_POISON, name, at);
    d->u.reason = why;
    cu_declare(f, s, d);
}

void cu_mark_doubtful(struct front *f, struct scope *s, struct decl *last, unsigned doubts)
{
    if (f->doubts == doubts)
        return;
    for (struct decl *d = last ? last->next : s->first; d; d = d->next)
        d->doubtful = true;
}

/* A::f(…) { … } that could not be taken: whoever uses the member is told why it has no body. */
static void lose_definition(struct front *f, size_t name)
{
    struct found r;
    if (f->toks[name - 2].kind != TOKEN_IDENT || !cu_lookup(f, f->toks[name - 2].u.name, &r) ||
        r.decls[0]->kind != DECL_TYPE || r.decls[0]->type->kind != TY_CLASS ||
        !cu_lookup_member(f, r.decls[0]->type->cls, f->toks[name].u.name, &r))
        return;
    for (size_t i = 0; i < r.n; i++) {
        struct func *fn = (struct func *)r.decls[i];
        if (fn->d.kind != DECL_FUNC || fn->state != BODY_NONE)
            continue;
        fn->lost = cu_caught_reason(f);
        fn->lost_at = f->caught.span;
    }
}

/* The name a declaration would have declared: before `(`, `=`, `;`, `[` or `{`, or after class and
 * using. */
static void poison_declaration(struct front *f, struct scope *s, size_t from, size_t to)
{
    bool type = false;
    size_t at = 0;
    for (size_t i = from; i < to && !at; i++) {
        const struct token *t = &f->toks[i];
        switch (f->kws[i]) {
        case KW_struct:
        case KW_class:
        case KW_union:
        case KW_enum:
        case KW_using:
            if (f->toks[i + 1].kind == TOKEN_IDENT && !f->kws[i + 1] &&
                (f->kws[i] != KW_using || is_punct(&f->toks[i + 2], PUNCT_ASSIGN))) {
                const struct token *n = &f->toks[i + 2];
                if (is_punct(n, PUNCT_LBRACE) || is_punct(n, PUNCT_COLON) ||
                    is_punct(n, PUNCT_SEMI) || is_punct(n, PUNCT_ASSIGN) ||
                    f->toks[i + 2].kind == TOKEN_IDENT) {
                    at = i + 1;
                    type = true;
                }
            }
            continue;
        case KW_typedef: type = true; continue;
        case KW_template:
            if (is_punct(&f->toks[i + 1], PUNCT_LT)) {
                size_t end = cu_skip_angles(f, i + 1);
                if (end > i + 1)
                    i = end - 1;
            }
            continue;
        case KW___attribute__:
        case KW___declspec:
        case KW___align__:
        case KW_alignas:
        case KW_decltype:
            if (is_punct(&f->toks[i + 1], PUNCT_LPAREN))
                i = cu_close(f, i + 1);
            continue;
        default: break;
        }
        if (t->kind != TOKEN_IDENT || f->kws[i])
            continue;
        const struct token *n = &f->toks[i + 1];
        if (f->kws[i + 1] == KW___attribute__ && is_punct(n + 1, PUNCT_LPAREN)) {
            const struct token *after = &f->toks[cu_close(f, i + 2) + 1];
            if (is_punct(after, PUNCT_SEMI) || is_punct(after, PUNCT_COMMA))
                at = i;
        }
        if (is_punct(n, PUNCT_LPAREN) || is_punct(n, PUNCT_ASSIGN) || is_punct(n, PUNCT_SEMI) ||
            is_punct(n, PUNCT_LBRACKET) || is_punct(n, PUNCT_LBRACE) || is_punct(n, PUNCT_COMMA))
            at = i;
    }
    if (!at)
        return;
    if (at > from + 1 && f->kws[from] != KW_using && is_punct(&f->toks[at - 1], PUNCT_SCOPE)) {
        lose_definition(f, at);
        return;
    }
    cu_poison(f, s, f->toks[at].u.name, f->toks[at].span, cu_caught_reason(f));
    if (type)
        s->last->type = cu_type(f, TY_VOID); /* a type of some kind */
}

struct external_job {
    struct scope *scope;
};

static void parse_declaration(struct front *f, void *arg)
{
    struct external_job *j = arg;
    switch (cu_kw(f)) {
    case KW_template: cu_parse_template(f, j->scope, NULL, ACCESS_PUBLIC); return;
    case KW_using: cu_parse_using(f, j->scope, ACCESS_PUBLIC); return;
    case KW_static_assert:
    case KW__Static_assert: cu_parse_static_assert(f); return;
    case KW_asm:
    case KW___asm__: cu_skip_declaration(f, f->pos); return;
    case KW_extern:
        if (f->kws[f->pos + 1] ==
            KW_template) { /* another file has it, or a later line: made as it is used */
            cu_skip_declaration(f, f->pos);
            return;
        }
        break;
    default: break;
    }
    if (cu_parse_guide(f))
        return;
    struct declspec ds = {.extern_c = f->extern_c};
    const bool one = f->extern_one;
    f->extern_one = false;
    cu_parse_declspec(f, &ds, 0);
    ds.extern_one = one;
    parse_simple_decl(f, j->scope, &ds);
}

/* The namespace that is named here, or NULL; *q is the name. */
static struct scope *parse_namespace_name(struct front *f, struct qname *q)
{
    cu_parse_qualifier(f, q, QN_TYPE);
    q->pos = f->pos;
    q->span = cu_span(f);
    q->name = cu_expect_name(f, "a namespace");
    struct found r;
    const bool found = cu_lookup_qname(f, q, &r) && r.decls[0]->kind == DECL_NAMESPACE;
    return found ? r.decls[0]->u.ns : NULL;
}

static void try_aliased(struct front *f, void *arg)
{
    struct decl *d = arg;
    struct qname q = {0};
    d->u.ns = parse_namespace_name(f, &q);
    if (!d->u.ns)
        cu_error(f, q.span, "'%s' is not a namespace", q.name);
}

/* std::…, what a header of a library declares, or anything at all where one was left out that is
 * not known: it may be a namespace of headers that only the host reads. */
static bool may_be_hosts(struct front *f)
{
    bool unknown = false;
    vec_each (const struct pp_skipped, h, &f->job->preprocessed.skipped)
        unknown |= !*h->declares;
    const struct token *t = cu_tok(f);
    t += t->kind == TOKEN_PUNCT && t->punct == PUNCT_SCOPE;
    if (cu_host(f) || t->kind != TOKEN_IDENT)
        return false;
    return unknown || (f->std && !strcmp(t->u.name, "std")) ||
           pp_skipped_for(&f->job->preprocessed, t->u.name);
}

/* namespace a = b::c; */
void cu_parse_namespace_alias(struct front *f, struct scope *s)
{
    struct decl *d = cu_decl_new(f, DECL_NAMESPACE, NULL, cu_span(f));
    d->pos = f->pos;
    d->name = cu_expect_name(f, "a name");
    cu_expect(f, PUNCT_ASSIGN, "in the namespace alias");
    if (!may_be_hosts(f)) {
        try_aliased(f, d);
        cu_declare(f, s, d);
    } else if (cu_try_quietly(f, try_aliased, d)) {
        cu_declare(f, s, d);
    } else {
        cu_poison(f, s, d->name, d->span, cu_caught_reason(f));
        while (!cu_is(f, PUNCT_SEMI) && cu_tok(f)->kind != TOKEN_EOF)
            cu_next(f);
    }
    cu_expect(f, PUNCT_SEMI, "after the namespace alias");
}

static void parse_namespace(struct front *f, struct scope *s, bool is_inline)
{
    cu_next(f);
    cu_skip_attributes(f);
    struct scope *save = f->scope;
    if (cu_is_name(f) && cu_peek_is(f, 1, PUNCT_ASSIGN)) {
        cu_parse_namespace_alias(f, s);
        return;
    }
    for (bool more = true; more;) {
        const char *name = NULL;
        struct span at = cu_span(f);
        bool this_inline = is_inline;
        if (cu_accept_kw(f, KW_inline))
            this_inline = true;
        if (cu_is_name(f)) {
            name = cu_tok(f)->u.name;
            cu_next(f);
        }
        cu_skip_attributes(f);
        struct decl *d = cu_find_local(f, s, name ? name : f->n_anon);
        while (d && d->kind != DECL_NAMESPACE)
            d = d->older;
        if (!d) {
            d = cu_decl_new(f, DECL_NAMESPACE, name ? name : f->n_anon, at);
            d->u.ns = cu_scope_new(f, SCOPE_NAMESPACE, s);
            d->u.ns->name = name;
            d->u.ns->func = NULL;
            d->u.ns->inline_namespace = this_inline;
            cu_declare(f, s, d);
            if (this_inline || !name)
                vec_push(f->a, &s->directives, d->u.ns);
            if (name == f->n_std && s == f->global)
                f->std = d->u.ns;
        }
        s = d->u.ns;
        more = cu_accept(f, PUNCT_SCOPE);
    }
    if (!cu_is(f, PUNCT_LBRACE))
        cu_error(f, cu_span(f), "expected '{' after the namespace, found %s",
                 cu_tok_text(f, cu_tok(f)));
    size_t end = cu_close(f, f->pos);
    cu_next(f);
    f->scope = s;
    cu_nest(f, cu_span(f));
    while (f->pos < end && !f->diag->stop)
        parse_external(f, s);
    f->nesting--;
    f->scope = save;
    f->pos = end + 1;
}

struct block_job {
    struct scope *scope;
    bool is_inline;
};

static void try_namespace(struct front *f, void *arg)
{
    struct block_job *j = arg;
    parse_namespace(f, j->scope, j->is_inline);
}

static bool extern_block(struct front *f, struct scope *s)
{
    if (!cu_is_kw(f, KW_extern) || f->toks[f->pos + 1].kind != TOKEN_STRING)
        return false;
    bool c = str_is(f->toks[f->pos + 1].u.text, "C");
    bool save = f->extern_c;
    f->pos += 2;
    f->extern_c = c;
    if (cu_is(f, PUNCT_LBRACE)) {
        size_t end = cu_close(f, f->pos);
        cu_next(f);
        while (f->pos < end && !f->diag->stop)
            parse_external(f, s);
        f->pos = end + 1;
    } else {
        f->extern_one = true; /* extern "C" int x; defines nothing */
        parse_external(f, s);
        f->extern_one = false;
    }
    f->extern_c = save;
    return true;
}

static void parse_external(struct front *f, struct scope *s)
{
    if (cu_accept(f, PUNCT_SEMI))
        return;
    if (cu_tok(f)->kind == TOKEN_PRAGMA) {
        cu_next(f);
        return;
    }
    size_t start = f->pos;
    bool inl = cu_is_kw(f, KW_inline) && f->kws[f->pos + 1] == KW_namespace;
    if (cu_is_kw(f, KW_namespace) || inl) {
        if (inl)
            cu_next(f);
        struct block_job j = {s, inl};
        if (!cu_try(f, try_namespace, &j))
            cu_skip_declaration(f, start);
        return;
    }
    if (extern_block(f, s))
        return;
    if (cu_is(f, PUNCT_RBRACE)) { /* only after an error: brackets are balanced */
        cu_next(f);
        return;
    }
    struct external_job j = {s};
    const unsigned doubts = f->doubts;
    struct decl *last = s->last;
    if (cu_try_quietly(f, parse_declaration, &j)) {
        cu_mark_doubtful(f, s, last, doubts);
        if (f->pos == start)
            cu_next(f);
        return;
    }
    size_t end = declaration_end(f, start);
    bool system = f->toks[start].flags & TOKEN_SYSTEM;
    if (for_device(f, start, end) || system || cu_host(f) || f->job->alone)
        cu_show_caught(f);
    if (!cu_is_static_assert(f, start))
        poison_declaration(f, s, start, end);
    f->job->host_tokens += end - start;
    f->pos = end > start ? end : start + 1;
    f->split_n = 0;
}

void cu_parse_unit(struct front *f)
{
    f->scope = f->global;
    while (cu_tok(f)->kind != TOKEN_EOF && !f->diag->stop)
        parse_external(f, f->global);
}

/* ---- using, static_assert ---- */

struct using_job {
    struct scope *scope;
    enum access access;
};

/* using ::memcpy: what the compiler has itself is declared nowhere. */
static void declare_builtin(struct front *f, struct scope *s, const struct qname *q,
                            unsigned builtin)
{
    struct func *fn = cu_new_func(f, q->name, q->span);
    fn->d.type = cu_func_type(f, cu_type(f, TY_VOID), NULL, 0, true, 0, REF_NONE);
    fn->where = WHERE_HOST | WHERE_DEVICE;
    fn->where_explicit = fn->is_constexpr = true;
    fn->builtin = (uint16_t)builtin;
    cu_declare(f, s, &fn->d);
}

static void *using_name(struct front *f, void *arg)
{
    struct using_job *j = arg;
    struct scope *s = j->scope;
    cu_accept_kw(f, KW_typename);
    struct qname q;
    cu_parse_qname(f, &q, QN_TYPE);
    if (q.dependent)
        return NULL;
    /* using Base::Base: the constructors */
    bool ctors =
        q.scope && q.scope->kind == SCOPE_CLASS && s->kind == SCOPE_CLASS &&
        (q.name == q.scope->cls->name || (q.type_scope && f->toks[q.pos - 2].kind == TOKEN_IDENT &&
                                          q.name == f->toks[q.pos - 2].u.name));
    if (ctors) {
        cu_inherit_ctors(f, s->cls, q.scope->cls);
        return NULL;
    }
    struct found r;
    if (!cu_lookup_qname(f, &q, &r)) {
        const unsigned builtin =
            q.scope == f->global || q.scope == f->std ? cu_find_builtin(f, q.name) : 0;
        if (!builtin)
            cu_undeclared(f, q.name, q.span, q.scope);
        declare_builtin(f, s, &q, builtin);
        return NULL;
    }
    for (size_t i = r.n; i-- > 0;) {
        if (r.decls[i]->scope == s)
            continue;
        struct decl *u = cu_decl_new(f, DECL_USING, q.name, q.span);
        u->u.target = r.decls[i];
        u->access = j->access;
        cu_declare(f, s, u);
    }
    return NULL;
}

void cu_parse_using(struct front *f, struct scope *s, enum access access)
{
    cu_next(f);
    if (cu_accept_kw(f, KW_namespace)) {
        struct qname q = {0};
        struct scope *ns = parse_namespace_name(f, &q);
        if (!ns && q.name != f->n_std)
            cu_undeclared(f, q.name, q.span, q.scope);
        if (ns && ns != s)
            vec_push(f->a, &s->directives, ns);
        cu_expect(f, PUNCT_SEMI, "after the using directive");
        return;
    }
    if (cu_is_name(f) && (cu_peek_is(f, 1, PUNCT_ASSIGN) || cu_peek_is(f, 1, PUNCT_LBRACKET) ||
                          f->kws[f->pos + 1] == KW___attribute__)) {
        struct decl *d = cu_decl_new(f, DECL_TYPE, cu_tok(f)->u.name, cu_span(f));
        cu_next(f);
        cu_skip_attributes(f);
        cu_expect(f, PUNCT_ASSIGN, "in the alias");
        d->type = cu_parse_type_id(f);
        d->access = access;
        cu_expect(f, PUNCT_SEMI, "after the alias");
        cu_declare(f, s, d);
        return;
    }
    if (cu_accept_kw(f, KW_enum)) {
        struct type *t = cu_parse_type_specifiers(f);
        if (t->kind != TY_ENUM)
            cu_error(f, cu_span(f), "'using enum' needs an enumeration");
        for (struct decl *e = t->enumeration->scope->first; e; e = e->next) {
            struct decl *u = cu_decl_new(f, DECL_USING, e->name, e->span);
            u->u.target = e;
            cu_declare(f, s, u);
        }
        cu_expect(f, PUNCT_SEMI, "after the using declaration");
        return;
    }
    struct using_job job = {s, access};
    struct elements list = {0};
    do
        cu_expand_each(f, using_name, &job, &list);
    while (cu_accept(f, PUNCT_COMMA));
    cu_expect(f, PUNCT_SEMI, "after the using declaration");
}

bool cu_is_static_assert(const struct front *f, size_t pos)
{
    return f->kws[pos] == KW_static_assert || f->kws[pos] == KW__Static_assert;
}

void cu_parse_static_assert(struct front *f)
{
    struct span at = cu_span(f);
    cu_next(f);
    const unsigned doubts = f->doubts;
    cu_expect(f, PUNCT_LPAREN, "after static_assert");
    struct expr *e = cu_parse_cond(f);
    struct str text = {0};
    if (cu_accept(f, PUNCT_COMMA)) {
        if (cu_tok(f)->kind != TOKEN_STRING)
            cu_error(f, cu_span(f), "the message of a static_assert is a string");
        text = cu_tok(f)->u.text;
        cu_next(f);
    }
    cu_expect(f, PUNCT_RPAREN, "after static_assert");
    cu_expect(f, PUNCT_SEMI, "after static_assert");
    if (e->kind == EX_DEPENDENT)
        return;
    if (cu_require_int(f, cu_bool(f, e), "a static_assert"))
        return;
    /* In a function a substitution may be under way. Elsewhere it is said for host code too, unless
     * what was left out of host code may be why it fails. */
    const unsigned quiet = f->quiet;
    if (!f->func && !f->pattern && f->doubts == doubts)
        f->quiet = 0;
    if (e->span.loc)
        at = e->span;
    cu_report(f, at, text.len ? "static assertion failed: %.*s" : "static assertion failed",
              (int)text.len, text.ptr);
    f->quiet = quiet;
}

/* ---- enumerations ---- */

/* The type behind it, by the enumerators so far: those that follow may be made of them. */
static void settle_enum(struct front *f, struct type *t, int64_t min, uint64_t max)
{
    struct enum_info *e = t->enumeration;
    if (e->fixed)
        return;
    enum type_kind k;
    if (min >= 0)
        k = max <= UINT32_MAX ? TY_UINT : TY_ULONG;
    else
        k = min >= INT32_MIN && max <= INT32_MAX ? TY_INT : TY_LONG;
    t->elem = cu_type(f, k);
    e->promoted = cu_bits(t->elem) == 32 && max <= INT32_MAX ? cu_type(f, TY_INT) : t->elem;
}

static struct decl *find_enum(struct decl *d)
{
    while (d && !(d->kind == DECL_TYPE && d->type->kind == TY_ENUM))
        d = d->older;
    return d;
}

/* One that is only named. */
static struct type *named_enum(struct front *f, struct qname *q, const char *name,
                               struct scope *scope, struct span at)
{
    struct found r;
    q->name = name;
    q->kind = NAME_IDENT;
    if (!cu_lookup_qname(f, q, &r))
        cu_undeclared(f, name, at, q->scope);
    const struct decl *d = find_enum(cu_find_local(f, r.scope ? r.scope : scope, name));
    if (!d && r.decls[0]->kind == DECL_TYPE && r.decls[0]->type->kind == TY_ENUM)
        d = r.decls[0];
    if (!d)
        cu_error(f, at, "'%s' is not an enumeration", name);
    return d->type;
}

static struct type *declare_enum(struct front *f, const char *name, struct scope *scope,
                                 bool scoped, struct span at)
{
    struct enum_info *e = arena_new(f->a, struct enum_info);
    e->name = name;
    e->scoped = scoped;
    e->scope = cu_scope_new(f, SCOPE_ENUM, scope);
    struct type *t = cu_enum_type(f, e);
    if (scoped) {
        t->elem = cu_type(f, TY_INT);
        e->fixed = true;
    }
    struct decl *d = cu_decl_new(f, DECL_TYPE, name, at);
    d->type = t;
    d->is_tag = true;
    e->decl = d;
    d->scope = scope;
    if (name)
        cu_declare(f, scope, d);
    return t;
}

static void underlying(struct front *f, struct type *t, struct span at)
{
    struct type *u = cu_parse_type_specifiers(f);
    t->enumeration->fixed = true;
    if (u->dependent)
        return;
    if (!cu_is_integer(u))
        cu_error(f, at, "'%s' cannot be the underlying type of an enumeration", cu_type_str(f, u));
    t->elem = u->unqual;
}

/* The list, up to its brace. Enumerators see each other while it is read. */
static void enumerators(struct front *f, struct type *t)
{
    struct enum_info *e = t->enumeration;
    struct scope *around = f->scope;
    int64_t next = 0, min = 0;
    uint64_t max = 0;
    settle_enum(f, t, 0, 0);
    e->open = true;
    f->scope = e->scope;
    e->scope->parent = around;
    while (!cu_is(f, PUNCT_RBRACE)) {
        struct decl *c = cu_decl_new(f, DECL_CONST, NULL, cu_span(f));
        c->name = cu_expect_name(f, "an enumerator");
        cu_skip_attributes(f);
        bool is_unsigned = false;
        if (cu_accept(f, PUNCT_ASSIGN)) {
            struct type *vt = NULL;
            next = cu_parse_const_int(f, &vt);
            is_unsigned = vt && !cu_is_signed(vt);
        }
        const int64_t v = e->fixed ? cu_wrap(t->elem, next) : next;
        c->u.value = cu_targ_int(t, v);
        c->type = t;
        if (v < 0 && !is_unsigned)
            min = v < min ? v : min;
        else if ((uint64_t)v > max)
            max = (uint64_t)v;
        settle_enum(f, t, min, max);
        next = v + 1;
        cu_declare(f, e->scope, c);
        if (!e->scoped) {
            struct decl *u = cu_decl_new(f, DECL_CONST, c->name, c->span);
            u->u.value = c->u.value;
            u->type = t;
            cu_declare(f, around, u);
        }
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    e->open = false;
    f->scope = around;
}

struct type *cu_parse_enum(struct front *f, struct declspec *ds)
{
    struct span at = cu_span(f);
    cu_next(f);
    bool scoped = cu_accept_kw(f, KW_class) || cu_accept_kw(f, KW_struct);
    struct declspec attrs = {0};
    cu_parse_attributes(f, &attrs);
    const char *name = NULL;
    struct qname q = {0};
    if (cu_is_name(f) || cu_is(f, PUNCT_SCOPE)) {
        cu_parse_qualifier(f, &q, QN_TYPE);
        at = cu_span(f);
        name = cu_expect_name(f, "the enumeration's name");
    }
    struct scope *scope = q.scope ? q.scope : f->scope;
    while (scope->kind == SCOPE_TEMPLATE)
        scope = scope->parent;
    const struct decl *old = name ? find_enum(cu_find_local(f, scope, name)) : NULL;
    if (!old && name && !scoped && !cu_is(f, PUNCT_LBRACE) && !cu_is(f, PUNCT_COLON))
        return named_enum(f, &q, name, scope, at);
    struct type *t = old ? old->type : declare_enum(f, name, scope, scoped, at);
    struct enum_info *e = t->enumeration;
    ds->tag = e->decl;
    if (cu_accept(f, PUNCT_COLON))
        underlying(f, t, at);
    if (!cu_accept(f, PUNCT_LBRACE))
        return t;
    if (e->complete)
        cu_error_note(f, at, e->decl->span, "defined here first", "'%s' is defined twice",
                      name ? name : "enum");
    ds->defines_tag = true;
    enumerators(f, t);
    cu_expect(f, PUNCT_RBRACE, "at the end of the enumeration");
    cu_parse_attributes(f, &attrs);
    e->complete = true;
    return t;
}

/* ---- variables and typedefs ---- */

bool cu_is_texture_reference(const struct type *t)
{
    if (t->kind != TY_CLASS || !t->cls->tmpl || !t->cls->tmpl->d.system)
        return false;
    const char *name = t->cls->tmpl->d.name;
    return !strcmp(name, "texture") || !strcmp(name, "surface");
}

enum memory_space cu_var_space(const struct front *f, const struct declspec *ds)
{
    if (ds->has_space)
        return ds->space;
    return (ds->where & WHERE_DEVICE) || f->job->default_device ? SPACE_DEVICE : SPACE_NONE;
}

static struct var *declare_var(struct front *f, struct scope *s, struct declspec *ds,
                               struct declarator *d)
{
    struct scope *into = d->qualifier ? d->qualifier : s;
    while (into->kind == SCOPE_TEMPLATE)
        into = into->parent;
    struct decl *old = d->name ? cu_find_local(f, into, d->name) : NULL;
    struct var *v = NULL;
    if (old && old->kind == DECL_VAR &&
        (d->qualifier || ((struct var *)old)->is_extern || ds->is_extern || ds->is_constexpr)) {
        v = (struct var *)old;
        if (d->type->kind != TY_AUTO &&
            (v->d.type->kind == TY_ARRAY && v->d.type->count == ARRAY_UNKNOWN))
            v->d.type = d->type;
        if (!ds->is_extern) {
            v->is_extern = false;
            v->d.span = d->span;
        }
    } else {
        if (old && old->kind == DECL_VAR && old->scope == into && into->kind != SCOPE_CLASS &&
            !d->qualifier)
            cu_error_note(f, d->span, old->span, "declared here first", "'%s' is declared twice",
                          d->name);
        if (d->qualifier)
            cu_undeclared(f, d->name, d->span, d->qualifier);
        v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d->name, d->span);
        v->d.pos = d->pos;
        v->d.type = d->type;
        v->is_extern = v->said_extern = ds->is_extern;
        cu_declare(f, into, &v->d);
        v->func = NULL;
    }
    v->storage = VAR_GLOBAL;
    enum memory_space space = cu_var_space(f, ds);
    if (space == SPACE_NONE && cu_is_texture_reference(d->type))
        space = SPACE_DEVICE;
    if (space != SPACE_NONE)
        v->space = space;
    v->is_constexpr |= ds->is_constexpr;
    v->is_static |= ds->is_static;
    v->is_inline |= ds->is_inline;
    v->extern_c |= ds->extern_c;
    if (ds->is_constexpr && v->d.type->kind != TY_AUTO)
        v->d.type = cu_qualified(f, v->d.type, QUAL_CONST);
    uint32_t align = ds->align > d->align ? ds->align : d->align;
    if (align > v->align)
        v->align = align;
    v->per_thread |= ds->is_thread_local;
    if (ds->is_thread_local && space != SPACE_NONE)
        cu_error(f, d->span, "thread_local variables are not supported in device code");
    if (v->d.type->kind == TY_VOID)
        cu_error(f, d->span, "'%s' cannot be of type void", d->name);
    return v;
}

static void declare_typedef(struct front *f, struct scope *s, struct declarator *d)
{
    struct decl *old = cu_find_local(f, s, d->name);
    if (old && old->kind == DECL_TYPE && old->type == d->type)
        return;
    if (old && old->kind == DECL_TYPE && !old->is_tag && !old->system)
        cu_error_note(f, d->span, old->span, "declared here first",
                      "'%s' is redeclared as another type", d->name);
    struct decl *t = cu_decl_new(f, DECL_TYPE, d->name, d->span);
    t->type = d->type;
    t->access = ACCESS_PUBLIC;
    cu_declare(f, s, t);
    /* typedef struct { … } name; names the class */
    if (d->type->kind == TY_CLASS && !d->type->quals && !d->type->cls->name &&
        !d->type->cls->is_lambda) {
        d->type->cls->name = d->name;
        d->type->cls->decl = t;
    }
    if (d->type->kind == TY_ENUM && !d->type->enumeration->name) {
        d->type->enumeration->name = d->name;
        d->type->enumeration->decl = t;
    }
}

static void register_device_var(struct front *f, struct var *v)
{
    if (v->space == SPACE_NONE && cu_host(f) && !v->is_extern)
        vec_push(f->a, &f->host_variables, v);
    if (v->space == SPACE_NONE || v->space == SPACE_SHARED)
        return;
    vec_each (struct var *, it, &f->variables)
        if (*it == v)
            return;
    vec_push(f->a, &f->variables, v);
}

static void parse_simple_decl(struct front *f, struct scope *s, struct declspec *ds)
{
    size_t head = f->pos;
    if (cu_accept(f, PUNCT_SEMI)) {
        if (!ds->tag && !ds->no_type)
            cu_error(f, ds->span, "this declares nothing");
        return;
    }
    for (;;) {
        struct declarator d = {0};
        cu_parse_declarator(f, ds, &d, DR_NAMED);
        if (d.kind == NAME_NONE)
            cu_error(f, cu_span(f), "expected a name in the declaration, found %s",
                     cu_tok_text(f, cu_tok(f)));
        if (ds->is_typedef) {
            declare_typedef(f, s, &d);
        } else if (d.is_func || d.type->kind == TY_FUNC) {
            if (f->auto_seen && !f->pattern && cu_auto_template(f, s, &d, NULL, ds->first))
                return;
            struct func *fn = cu_declare_func(f, s, ds, &d, d.qualifier_class, head);
            if (cu_finish_func(f, fn))
                return;
        } else {
            ds->is_extern |= ds->extern_one;
            struct var *v = declare_var(f, s, ds, &d);
            if (cu_is(f, PUNCT_ASSIGN) || cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACE)) {
                v->init_pos = f->pos;
                v->init_scope = f->scope;
                if (cu_has_auto(v->d.type))
                    cu_note_auto(ds, v);
                if (d.qualifier_class)
                    v->init_scope = cu_inside_class(f, d.qualifier);
                v->is_extern = false;
                cu_skip_item(f, PUNCT_SEMI);
            } else if (!v->is_extern && d.type->kind != TY_AUTO) {
                v->init_scope = f->scope;
                const struct type *e = d.type;
                while (e->kind == TY_ARRAY)
                    e = e->elem;
                if (v->is_constexpr && e->kind != TY_CLASS)
                    cu_error(f, d.span, "a constexpr variable needs a value");
            }
            register_device_var(f, v);
        }
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_SEMI, "after the declaration");
}

void cu_complete_var(struct front *f, struct var *v)
{
    if (v->init_parsed || v->storage != VAR_GLOBAL)
        return;
    if (v->init_parsing)
        cu_error(f, v->d.span, "the initialiser of '%s' needs its own value", v->d.name);
    if (!v->init_pos && v->is_member && v->d.scope->kind == SCOPE_CLASS)
        cu_instantiate_member_var(f, v, v->d.scope->cls);
    v->init_parsing = true;
    struct parse_state s;
    const unsigned doubts = f->doubts;
    if (v->init_pos) {
        cu_enter(f, &s, v->init_pos, v->init_scope);
        f->func = v->func;
        struct expr *e = NULL;
        struct type *t = v->d.type;
        bool is_auto = cu_has_auto(t);
        if (cu_accept(f, PUNCT_ASSIGN)) {
            e = cu_parse_init_clause(f);
            if (is_auto)
                t = cu_deduce_auto(f, t, e, v->d.span);
            e = cu_init_copy(f, t, e, arena_printf(f->a, "initialising '%s'", v->d.name));
        } else if (cu_is(f, PUNCT_LBRACE)) {
            e = cu_parse_braced(f);
            if (is_auto)
                t = cu_deduce_auto(f, t, e, v->d.span);
            e = cu_init_list(f, t, e, false);
        } else {
            struct expr **args;
            size_t n;
            cu_expect(f, PUNCT_LPAREN, "here");
            cu_parse_args(f, PUNCT_RPAREN, &args, &n);
            if (is_auto && t->tmpl)
                t = cu_deduce_class(f, t->tmpl, args, n, false, v->d.span);
            else if (is_auto && n == 1)
                t = cu_deduce_auto(f, t, args[0], v->d.span);
            e = cu_init_direct(f, t, args, n, v->d.span);
        }
        if (t->kind == TY_ARRAY && t->count == ARRAY_UNKNOWN)
            t = cu_with_quals(f, e->type, t->elem->quals);
        if (is_auto && v->is_constexpr)
            t = cu_qualified(f, t, QUAL_CONST);
        v->d.type = t;
        v->init = e;
        cu_restore(f, &s);
        if (v->beside && v->beside != v) {
            cu_complete_var(f, v->beside);
            cu_same_auto(f, v);
        }
    } else if (!v->is_extern) {
        struct type *t = v->d.type;
        while (t->kind == TY_ARRAY)
            t = t->elem;
        if ((v->space != SPACE_NONE || cu_host(f)) && t->kind == TY_CLASS)
            v->init = cu_init_default(f, v->d.type, v->d.span);
        else if (v->is_constexpr && t->kind == TY_CLASS) /* a tag: nothing in it is left open */
            v->init = cu_init_value(f, v->d.type, v->d.span);
    }
    v->init_parsing = false;
    v->init_parsed = true;
    v->d.doubtful |= f->doubts != doubts;
}

void cu_use_var(struct front *f, struct var *v, struct span at)
{
    if (v->space != SPACE_NONE || v->storage != VAR_GLOBAL || !cu_in_device(f))
        return;
    if (v->func) /* static local: lives on the device if its function does */
        return;
    if (v->d.system && v->is_extern)
        return;
    if (cu_var_constant(f, v))
        return;
    if (f->func && f->func->is_constexpr && !(f->func->where_explicit))
        return;
    cu_error_note(f, at, v->d.span,
                  "declared here, without __device__, __constant__ or __managed__",
                  "'%s' is a variable of the host: device code cannot use it", v->d.name);
}
