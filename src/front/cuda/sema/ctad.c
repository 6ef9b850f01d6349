/* The arguments of a class template, deduced from those of a constructor: guides that are written,
 * and one for each constructor (of an aggregate: for its members) stand against each other as
 * function templates. */
#include "front/cuda/sema/sema.h"

static bool punct_at(const struct front *f, size_t i, enum punct p)
{
    return f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == p;
}

/* The first of a guide's parameters as its class's arguments. */
static struct targ *own_arguments(struct front *f, struct template_info *g, size_t n)
{
    struct targ *args = arena_array(f->a, struct targ, n + 1);
    for (unsigned i = 0; i < n; i++) {
        const struct tparam *p = &g->params[i];
        struct found r;
        args[i] = (struct targ){
            .kind = TARG_DEPENDENT, .param_owner = g, .param_index = i, .expansion = p->pack};
        if (p->kind == TARG_TYPE) {
            struct type *t = cu_param_type(f, g, i);
            args[i] = cu_targ_type(p->pack ? cu_pack_type(f, t) : t);
        } else if (p->kind == TARG_TEMPLATE) {
            if (p->pack || !p->name || !cu_lookup_in(f, g->pattern_scope, p->name, &r))
                cu_error(f, g->d.span, "a template template parameter that cannot be deduced");
            args[i] =
                (struct targ){.kind = TARG_TEMPLATE, .tmpl = (struct template_info *)r.decls[0]};
        }
    }
    return args;
}

struct members {
    VEC(struct param) params;
    VEC(struct type *) types;
};

static void add_member(struct front *f, struct members *m, struct type *t)
{
    /* Members without a value count as if they had a default. */
    struct param p = {.type = t, .default_pos = 1};
    vec_push(f->a, &m->params, p);
    vec_push(f->a, &m->types, t);
}

static void *parse_base(struct front *f, void *arg)
{
    (void)arg;
    while (cu_accept_kw(f, KW_public) || cu_accept_kw(f, KW_virtual))
        ;
    return cu_parse_type_id(f);
}

static void add_bases(struct front *f, struct members *m)
{
    do {
        struct elements list = {0};
        const bool pack = cu_expand_each(f, parse_base, NULL, &list);
        for (size_t i = 0; i < list.len; i++) {
            add_member(f, m, pack ? cu_pack_type(f, list.data[i]) : list.data[i]);
            vec_last(&m->params).pack = pack;
        }
    } while (cu_accept(f, PUNCT_COMMA));
}

/* One declaration of a class; functions, types and static members are no part of an aggregate. */
static void add_declared(struct front *f, struct members *m)
{
    const size_t start = f->pos;
    struct declspec ds = {0};
    switch (cu_kw(f)) {
    case KW_using:
    case KW_typedef:
    case KW_static:
    case KW_friend:
    case KW_template:
    case KW_static_assert: cu_skip_declaration(f, start); return;
    default: break;
    }
    cu_parse_declspec(f, &ds, DS_MEMBER);
    while (!cu_is(f, PUNCT_SEMI)) {
        struct declarator d = {0};
        cu_parse_declarator(f, &ds, &d, DR_NAMED | DR_MEMBER);
        if (d.is_func || !d.name)
            break;
        add_member(f, m, d.type);
        while (!cu_is(f, PUNCT_COMMA) && !cu_is(f, PUNCT_SEMI))
            f->pos = cu_is(f, PUNCT_LBRACE) || cu_is(f, PUNCT_LPAREN) ? cu_close(f, f->pos) + 1
                                                                      : f->pos + 1;
        cu_accept(f, PUNCT_COMMA);
    }
    cu_skip_declaration(f, start);
}

/* At the `:` of the bases, or at the `{`. */
static void parse_members(struct front *f, struct declarator *d)
{
    struct members m = {0};
    if (cu_accept(f, PUNCT_COLON))
        add_bases(f, &m);
    const size_t end = cu_close(f, f->pos);
    cu_expect(f, PUNCT_LBRACE, "here");
    while (f->pos < end) {
        if (cu_is(f, PUNCT_SEMI) || cu_is(f, PUNCT_COLON) || cu_is_kw(f, KW_public))
            cu_next(f);
        else
            add_declared(f, &m);
    }
    d->params = m.params.data;
    d->nparams = m.params.len;
    d->type = cu_func_type(f, d->type, m.types.data, m.types.len, false, 0, REF_NONE);
}

struct func *cu_guide_signature(struct front *f, struct template_info *g, struct targ *args,
                                struct span at)
{
    struct template_info *cls = g->guide_of;
    const size_t n = cls->nparams;
    struct type *result = args ? cu_instantiate_class(f, cls, args, n, at)
                               : cu_template_type(f, cls, own_arguments(f, g, n), n, g->d.span);
    struct declarator d = {.type = cu_type(f, TY_VOID)};
    f->deducing = cls;
    f->deduced = result;
    if (g->aggregate)
        parse_members(f, &d);
    else
        cu_parse_params(f, &d);
    if (d.unsatisfied)
        cu_error(f, at, "its constraints are not met");
    struct func *fn = cu_new_func(f, g->d.name, g->d.span);
    fn->d.type =
        cu_func_type(f, result, d.type->params, d.type->nparams, d.type->variadic, 0, REF_NONE);
    fn->params = d.params;
    fn->nparams = d.nparams;
    fn->empty_packs = d.empty_packs;
    fn->where = WHERE_HOST | WHERE_DEVICE;
    fn->tmpl = g;
    return fn;
}

/* ---- aliases of the class that a constructor's parameters name ---- */

void cu_declare_own_types(struct front *f, struct template_info *g, struct scope *s)
{
    vec_each (size_t, at, &g->own_types) {
        struct parse_state st;
        const unsigned pattern = f->pattern;
        cu_enter(f, &st, *at, s);
        f->pattern = pattern;
        if (cu_is_kw(f, KW_using)) {
            cu_parse_using(f, s, ACCESS_PUBLIC);
        } else {
            struct declspec ds = {0};
            struct declarator d = {0};
            cu_parse_declspec(f, &ds, DS_MEMBER);
            cu_parse_declarator(f, &ds, &d, DR_NAMED | DR_MEMBER);
            struct decl *t = cu_decl_new(f, DECL_TYPE, d.name, d.span);
            t->type = d.type;
            cu_declare(f, s, t);
        }
        cu_restore(f, &st);
    }
}

struct own_type {
    const char *name;
    size_t from, end; /* at `using` or `typedef`; at the `;` */
};
struct own_types {
    VEC(struct own_type) all;
};

/* At `using` or `typedef` of a class's member. */
static void note_own_type(struct front *f, struct own_types *own, size_t from)
{
    const bool alias = f->kws[from] == KW_using;
    size_t end = from;
    while (!punct_at(f, end, PUNCT_SEMI) && f->toks[end].kind != TOKEN_EOF)
        end = punct_at(f, end, PUNCT_LBRACE) || punct_at(f, end, PUNCT_LPAREN)
                  ? cu_close(f, end) + 1
                  : end + 1;
    const struct token *name = &f->toks[alias ? from + 1 : end - 1];
    if (name->kind != TOKEN_IDENT || (alias && !punct_at(f, from + 2, PUNCT_ASSIGN)))
        return;
    struct own_type t = {.name = name->u.name, .from = from, .end = end};
    vec_push(f->a, &own->all, t);
}

static bool names(const struct front *f, size_t from, size_t end, const char *name)
{
    for (size_t i = from; i < end; i++)
        if (f->toks[i].kind == TOKEN_IDENT && f->toks[i].u.name == name)
            return true;
    return false;
}

/* What tokens [from, end) name of the class's aliases, and what those name. */
static void choose_own_types(struct front *f, struct template_info *g, const struct own_types *own,
                             size_t from, size_t end)
{
    bool *chosen = arena_array(f->a, bool, own->all.len + 1);
    size_t n = 0;
    for (size_t i = own->all.len; i--;) { /* each names what stands before it */
        const struct own_type *t = &own->all.data[i];
        chosen[i] = names(f, from, end, t->name);
        for (size_t k = i + 1; k < own->all.len; k++) {
            const struct own_type *user = &own->all.data[k];
            chosen[i] |= chosen[k] && names(f, user->from + 2, user->end, t->name);
        }
        n += chosen[i];
    }
    for (size_t i = 0; i < own->all.len && n; i++)
        if (chosen[i])
            vec_push(f->a, &g->own_types, own->all.data[i].from);
}

struct implied {
    struct template_info *cls;
    const struct own_types *own;
    size_t inner, pos; /* token after the `<` of a constructor template; where it is parsed */
    bool aggregate;
};

static void imply(struct front *f, void *arg)
{
    struct implied *j = arg;
    struct template_info *t = j->cls;
    struct template_info *g =
        cu_decl_alloc(f, sizeof *g, DECL_TEMPLATE, t->d.name, f->toks[j->pos - 2].span);
    g->kind = TEMPLATE_FUNC;
    g->scope = t->scope;
    map_init(&g->instances, f->a);
    struct parse_state st;
    cu_enter(f, &st, t->header, t->scope);
    cu_parse_tparams(f, g);
    g->guide_of = t;
    if (!j->aggregate) {
        size_t end = cu_close(f, j->pos - 1); /* a requires clause may stand behind it */
        while (!punct_at(f, end, PUNCT_LBRACE) && !punct_at(f, end, PUNCT_SEMI))
            end++;
        choose_own_types(f, g, j->own, j->inner ? j->inner : j->pos, end);
        f->pattern++;
        cu_declare_own_types(f, g, g->pattern_scope);
        f->pattern--;
    }
    if (j->inner) {
        f->pos = j->inner;
        cu_more_tparams(f, g);
        cu_parse_requires_clause(f, g);
    }
    cu_restore(f, &st);
    g->pos = j->pos;
    g->aggregate = j->aggregate;
    vec_push(f->a, &t->implied, &g->d);
}

/* The constructors, as they stand in the class's tokens. */
static void imply_all(struct front *f, struct template_info *t)
{
    size_t head = t->pos, i, inner = 0;
    while (!punct_at(f, head, PUNCT_LBRACE) && !punct_at(f, head, PUNCT_COLON) &&
           f->toks[head].kind != TOKEN_EOF)
        head++;
    for (i = head; !punct_at(f, i, PUNCT_LBRACE) && f->toks[i].kind != TOKEN_EOF;)
        i++;
    const size_t end = cu_close(f, i);
    struct own_types own = {0};
    for (size_t k = i + 1; k < end; k++) {
        if (punct_at(f, k, PUNCT_LBRACE) || punct_at(f, k, PUNCT_LPAREN))
            k = cu_close(f, k);
        else if (f->kws[k] == KW_typedef ||
                 (f->kws[k] == KW_using && !punct_at(f, k - 1, PUNCT_GT)))
            note_own_type(f, &own, k);
    }
    for (i++; i < end; i++) {
        const struct token *k = &f->toks[i];
        if (f->kws[i] == KW_template && punct_at(f, i + 1, PUNCT_LT)) {
            inner = i + 2;
            i = cu_skip_angles(f, i + 1) - 1;
        } else if (punct_at(f, i, PUNCT_LBRACE)) {
            i = cu_close(f, i);
            inner = 0;
        } else if (punct_at(f, i, PUNCT_LPAREN) || punct_at(f, i, PUNCT_LBRACKET)) {
            i = cu_close(f, i);
        } else if (punct_at(f, i, PUNCT_SEMI)) {
            inner = 0;
        } else if (k->kind == TOKEN_IDENT && k->u.name == t->d.name &&
                   !punct_at(f, i - 1, PUNCT_TILDE) && punct_at(f, i + 1, PUNCT_LPAREN)) {
            struct implied j = {.cls = t, .own = &own, .inner = inner, .pos = i + 2};
            cu_try_quietly(f, imply, &j);
        }
    }
    if (!t->implied.len) {
        struct implied j = {.cls = t, .pos = head, .aggregate = true};
        cu_try_quietly(f, imply, &j);
    }
}

static bool takes_list(struct front *f, struct decl *d)
{
    const struct func *p = cu_pattern(f, (struct template_info *)d);
    if (!p || !p->d.type->nparams)
        return false;
    const struct type *t = cu_noref(p->d.type->params[0])->unqual;
    return t->kind == TY_TEMPLATE_ID && t->tmpl->d.name == f->n_initializer_list;
}

struct type *cu_deduce_class(struct front *f, struct template_info *t, struct expr **args, size_t n,
                             bool braced, struct span at)
{
    if (t->canonical)
        t = t->canonical;
    if (n == 1 && args[0]->type->kind == TY_CLASS && args[0]->type->cls->tmpl == t)
        return args[0]->type->unqual;
    if (t->defined && !t->implied.len)
        imply_all(f, t);
    const size_t ng = t->guides.len, nset = ng + t->implied.len;
    struct decl **set = arena_array(f->a, struct decl *, nset + 1),
                **lists = arena_array(f->a, struct decl *, nset + 1);
    size_t nlists = 0;
    for (size_t i = 0; i < nset; i++)
        set[i] = i < ng ? t->guides.data[i] : t->implied.data[i - ng];
    for (size_t i = 0; i < nset && braced && n; i++)
        if (takes_list(f, set[i]))
            lists[nlists++] = set[i];
    struct func *fn = NULL;
    if (nlists) {
        struct expr *list = cu_expr_new(f, EX_BRACED, cu_type(f, TY_BRACED), CAT_PR, at);
        list->args = args;
        list->nargs = n;
        list->u.braced.names = arena_array(f->a, const char *, n + 1);
        list->u.braced.index = arena_array(f->a, struct expr *, n + 1);
        fn = cu_resolve(f, lists, nlists, NULL, NULL, 0, false, &list, 1, at, t->d.name, true);
    }
    if (!fn)
        fn = cu_resolve(f, set, nset, NULL, NULL, 0, false, args, n, at, t->d.name, true);
    if (fn)
        return fn->d.type->elem;
    if (n == 0 && t->defined)
        return cu_instantiate_class(f, t, NULL, 0, at);
    cu_error_note(f, at, t->d.span, "declared here",
                  "the template arguments of '%s' cannot be deduced from these values", t->d.name);
}
