/* Declarations that start with `template`: primary templates, specialisations, explicit
 * instantiations, and definitions of members that stand outside of their class template. */
#include "front/cuda/sema/sema.h"

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

static struct template_info *template_new(struct front *f, enum template_kind k, const char *name,
                                          struct span at, struct scope *scope)
{
    struct template_info *t = cu_decl_alloc(f, sizeof *t, DECL_TEMPLATE, name, at);
    t->kind = k;
    t->scope = scope;
    map_init(&t->instances, f->a);
    return t;
}

static struct scope *declaring(struct scope *s)
{
    while (s->kind == SCOPE_TEMPLATE)
        s = s->parent;
    return s;
}

/* What the tokens after the header declare, told without parsing them. */
struct shape {
    enum { SHAPE_CLASS, SHAPE_ALIAS, SHAPE_FUNC, SHAPE_VAR } kind;
    size_t name;       /* token of the declared name (of `operator` or `~` for those) */
    size_t first;      /* first token of the qualified name */
    size_t qualifiers; /* how many names stand before `::` */
    bool args;         /* `<` follows the name */
    bool defines;
};

static size_t skip_attrs(struct front *f, size_t i)
{
    for (;;) {
        switch (f->kws[i]) {
        case KW___attribute__:
        case KW___declspec:
        case KW_alignas:
        case KW___align__:
        case KW___launch_bounds__:
            i++;
            if (is_punct(&f->toks[i], PUNCT_LPAREN))
                i = cu_close(f, i) + 1;
            continue;
        case KW___device__:
        case KW___host__:
        case KW___forceinline__:
        case KW_inline:
        case KW_static:
        case KW_constexpr:
        case KW_friend: i++; continue;
        default: break;
        }
        if (is_punct(&f->toks[i], PUNCT_LBRACKET) && is_punct(&f->toks[i + 1], PUNCT_LBRACKET)) {
            i = cu_close(f, i) + 1;
            continue;
        }
        return i;
    }
}

static bool class_shape(struct front *f, struct shape *s)
{
    size_t i = skip_attrs(f, f->pos);
    enum keyword k = (enum keyword)f->kws[i];
    if (k != KW_struct && k != KW_class && k != KW_union)
        return false;
    i = skip_attrs(f, i + 1);
    i += is_punct(&f->toks[i], PUNCT_SCOPE);
    s->first = i;
    s->qualifiers = 0;
    for (;;) {
        if (f->toks[i].kind != TOKEN_IDENT)
            return false;
        s->name = i++;
        s->args = false;
        if (is_punct(&f->toks[i], PUNCT_LT)) {
            s->args = true;
            size_t e = cu_skip_angles(f, i);
            if (e == i)
                return false;
            i = e;
        }
        if (!is_punct(&f->toks[i], PUNCT_SCOPE))
            break;
        s->qualifiers++;
        i++;
    }
    if (f->toks[i].kind == TOKEN_IDENT && f->toks[i].u.name == f->n_final)
        i++;
    s->defines = is_punct(&f->toks[i], PUNCT_LBRACE) || is_punct(&f->toks[i], PUNCT_COLON);
    if (!s->defines && !is_punct(&f->toks[i], PUNCT_SEMI))
        return false;
    s->kind = SHAPE_CLASS;
    return true;
}

/* Is `(` at i the beginning of `(name)(`? So are names written that a macro has, too. */
static bool name_in_parens(struct front *f, size_t i)
{
    const size_t close = cu_close(f, i);
    if (!is_punct(&f->toks[close + 1], PUNCT_LPAREN) || close == i + 1)
        return false;
    for (i++; i < close; i++) {
        const size_t angles = is_punct(&f->toks[i], PUNCT_LT) ? cu_skip_angles(f, i) : i;
        if (angles != i)
            i = angles - 1;
        else if (!is_punct(&f->toks[i], PUNCT_SCOPE) &&
                 (f->toks[i].kind != TOKEN_IDENT || f->kws[i]))
            return false;
    }
    return true;
}

/* The declarator's name: the last qualified name before `(`, `=`, `;`, `{` or `[`. */
static void other_shape(struct front *f, struct shape *s)
{
    s->kind = SHAPE_VAR;
    for (size_t i = f->pos; i < f->ntoks;) {
        const struct token *t = &f->toks[i];
        if (t->kind == TOKEN_EOF || is_punct(t, PUNCT_SEMI) || is_punct(t, PUNCT_RBRACE))
            return;
        enum keyword k = (enum keyword)f->kws[i];
        if (k == KW_decltype || k == KW_alignas || k == KW___launch_bounds__ ||
            k == KW___attribute__ || k == KW___align__ || k == KW_noexcept || k == KW_explicit ||
            k == KW___typeof__ || k == KW___builtin_align__) {
            i++;
            if (is_punct(&f->toks[i], PUNCT_LPAREN))
                i = cu_close(f, i) + 1;
            continue;
        }
        bool special = k == KW_operator || is_punct(t, PUNCT_TILDE);
        if ((t->kind != TOKEN_IDENT || k) && !special &&
            !(is_punct(t, PUNCT_SCOPE) && f->toks[i + 1].kind == TOKEN_IDENT)) {
            if (is_punct(t, PUNCT_LBRACKET)) {
                i = cu_close(f, i) + 1;
                continue;
            }
            if (is_punct(t, PUNCT_LPAREN)) { /* (*name)(…), (&name)[N], (name)(…): look inside */
                if (is_punct(t + 1, PUNCT_MUL) || is_punct(t + 1, PUNCT_AND) ||
                    name_in_parens(f, i)) {
                    i++;
                    continue;
                }
                i = cu_close(f, i) + 1;
                continue;
            }
            i++;
            continue;
        }
        if (is_punct(t, PUNCT_SCOPE))
            i++;
        struct shape c = {.first = i, .kind = SHAPE_VAR};
        for (;;) {
            c.name = i;
            c.args = false;
            if (f->kws[i] == KW_template)
                i++;
            if (f->kws[i] == KW_operator) {
                c.name = i++;
                if (is_punct(&f->toks[i], PUNCT_LPAREN) && is_punct(&f->toks[i + 1], PUNCT_RPAREN))
                    i += 2;
                else
                    while (f->toks[i].kind != TOKEN_EOF && !is_punct(&f->toks[i], PUNCT_LPAREN) &&
                           !is_punct(&f->toks[i], PUNCT_SEMI)) {
                        if (is_punct(&f->toks[i], PUNCT_LT) && f->toks[i - 1].kind == TOKEN_IDENT &&
                            !f->kws[i - 1]) {
                            size_t e = cu_skip_angles(f, i);
                            if (e != i) {
                                i = e;
                                continue;
                            }
                        }
                        i++;
                    }
                break;
            }
            if (is_punct(&f->toks[i], PUNCT_TILDE)) {
                i += 2;
                break;
            }
            if (f->toks[i].kind != TOKEN_IDENT || f->kws[i])
                break;
            i++;
            if (is_punct(&f->toks[i], PUNCT_LT)) {
                size_t e = cu_skip_angles(f, i);
                if (e != i) {
                    c.args = true;
                    i = e;
                }
            }
            if (!is_punct(&f->toks[i], PUNCT_SCOPE))
                break;
            c.qualifiers++;
            i++;
        }
        const struct token *after = &f->toks[i];
        if (is_punct(after, PUNCT_LPAREN) && name_in_parens(f, i)) {
            i++; /* that was the type */
            continue;
        }
        if (is_punct(after, PUNCT_LPAREN)) {
            c.kind = SHAPE_FUNC;
            *s = c;
            return;
        }
        if (is_punct(after, PUNCT_ASSIGN) || is_punct(after, PUNCT_SEMI) ||
            is_punct(after, PUNCT_LBRACE) || is_punct(after, PUNCT_LBRACKET)) {
            *s = c;
            return;
        }
        /* `name)` of (*name)(…): its function is what is declared */
        if (is_punct(after, PUNCT_RPAREN)) {
            c.kind = is_punct(after + 1, PUNCT_LPAREN) ? SHAPE_FUNC : SHAPE_VAR;
            *s = c;
            return;
        }
    }
}

static void skip_rest(struct front *f, size_t from)
{
    cu_skip_declaration(f, from);
}

/* ---- members of class templates, defined outside ---- */

/* A<T>::B::name: the class template and the path below it. */
static bool member_of(struct front *f, const struct shape *s, struct template_info **out,
                      const char ***path, size_t *npath)
{
    if (!s->qualifiers)
        return false;
    struct scope *in = NULL;
    size_t i = s->first;
    struct template_info *t = NULL;
    VEC(const char *) names = {0};
    for (size_t q = 0; q < s->qualifiers; q++) {
        const char *name = f->toks[i].u.name;
        i++;
        bool args = is_punct(&f->toks[i], PUNCT_LT);
        if (args)
            i = cu_skip_angles(f, i);
        i++; /* :: */
        if (t) {
            vec_push(f->a, &names, name);
            continue;
        }
        struct found r;
        bool hit = in ? cu_lookup_in(f, in, name, &r) : cu_lookup(f, name, &r);
        if (!hit)
            return false;
        struct decl *d = r.decls[0];
        if (d->kind == DECL_NAMESPACE)
            in = d->u.ns;
        else if (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind == TEMPLATE_CLASS)
            t = (struct template_info *)d;
        else if (d->kind == DECL_TYPE && d->type->kind == TY_CLASS)
            in = d->type->cls->scope;
        else
            return false;
    }
    if (!t)
        return false;
    *out = t->canonical ? t->canonical : t;
    *path = names.data;
    *npath = names.len;
    return true;
}

/* Is the argument list of the class that of one of its partial specialisations? */
static struct template_info *partial_named(struct front *f, struct template_info *t,
                                           const struct shape *s, struct template_info *header)
{
    size_t i = s->first;
    while (f->toks[i].kind == TOKEN_IDENT && !is_punct(&f->toks[i + 1], PUNCT_LT))
        i += 2;
    if (f->toks[i].kind != TOKEN_IDENT || !t->partials)
        return t;
    struct parse_state st;
    cu_enter(f, &st, i + 2, header->pattern_scope);
    f->pattern = 1;
    struct targ *args;
    size_t n;
    cu_parse_targs(f, t, &args, &n);
    cu_restore(f, &st);
    /* All parameters in order: the primary. */
    bool plain = n == t->nparams;
    for (size_t k = 0; plain && k < n; k++)
        plain = (args[k].kind == TARG_TYPE &&
                 (args[k].type->kind == TY_PARAM || args[k].type->kind == TY_PACK)) ||
                args[k].kind == TARG_DEPENDENT;
    if (plain)
        return t;
    const char *want = cu_targs_str(f, args, n);
    for (struct partial_spec *p = t->partials; p; p = p->next)
        if (!strcmp(cu_targs_str(f, p->pattern, p->npattern), want))
            return p->tmpl;
    return t;
}

static void add_member_def(struct front *f, struct template_info *header, size_t inner,
                           const struct shape *s, struct template_info *t, const char **path,
                           size_t npath)
{
    struct member_def d = {.is_class = s->kind == SHAPE_CLASS,
                           .params = header->params,
                           .nparams = header->nparams,
                           .pos = f->pos,
                           .inner_header = inner,
                           .scope = header->scope,
                           .path = path,
                           .npath = npath};
    const struct token *n = &f->toks[s->name];
    const char *cls = npath ? path[npath - 1] : t->d.name;
    if (f->kws[s->name] == KW_operator)
        d.name = f->n_operator;
    else if (n->kind == TOKEN_PUNCT)
        d.name = f->n_dtor;
    else
        d.name = n->u.name == cls && s->kind == SHAPE_FUNC ? f->n_ctor : n->u.name;
    vec_push(f->a, &t->members, d);
}

static bool names_fit(struct front *f, const struct member_def *d, const char *name)
{
    if (d->name == f->n_operator)
        return name && !strncmp(name, "operator", 8);
    return d->name == name;
}

struct member_job {
    struct member_def *d;
    struct scope *scope;
    struct declspec ds;
    struct declarator dr;
    struct class_info *cls;
};

static void parse_member_def(struct front *f, void *arg)
{
    struct member_job *j = arg;
    struct parse_state st;
    cu_enter(f, &st, j->d->pos, j->scope);
    cu_parse_declspec(f, &j->ds, 0);
    cu_parse_declarator(f, &j->ds, &j->dr, DR_NAMED);
    size_t pos = f->pos;
    cu_restore(f, &st);
    j->dr.pos = pos; /* where the body or initialiser starts */
}

/* The template instance a class belongs to, and the path from there to it. */
static struct class_info *instance_of(struct front *f, struct class_info *c, const char ***path,
                                      size_t *n)
{
    VEC(const char *) names = {0};
    struct class_info *x = c;
    while (x && !x->tmpl) {
        vec_push(f->a, &names, x->name);
        struct scope *o = x->outer;
        while (o && o->kind == SCOPE_TEMPLATE)
            o = o->parent;
        x = o && o->kind == SCOPE_CLASS ? o->cls : NULL;
    }
    for (size_t i = 0; i < names.len / 2; i++) {
        const char *t = names.data[i];
        names.data[i] = names.data[names.len - 1 - i];
        names.data[names.len - 1 - i] = t;
    }
    *path = names.data;
    *n = names.len;
    return x;
}

static bool bind_def(struct front *f, struct class_info *inst, struct member_def *d,
                     struct member_job *j)
{
    struct scope *s = cu_scope_new(f, SCOPE_TEMPLATE, d->scope);
    s->func = NULL;
    struct template_info *t = inst->used ? inst->used : inst->tmpl;
    for (size_t i = 0; i < d->nparams && i < t->nparams; i++)
        cu_bind_one(f, s, &d->params[i], &inst->used_args[i]);
    *j = (struct member_job){.d = d, .scope = s};
    return true;
}

/* Definitions of operators are kept under one name. */
static bool same_operator(const struct func *fn, const struct declarator *d)
{
    if (fn->is_conversion || d->kind == NAME_CONVERSION)
        return fn->is_conversion && d->kind == NAME_CONVERSION && fn->d.type->elem == d->type->elem;
    return fn->op == (d->kind == NAME_OPERATOR ? d->op : 0);
}

bool cu_find_member_def(struct front *f, struct func *fn)
{
    if (!fn->cls || fn->body || fn->specialised)
        return fn->body != 0;
    const char **path;
    size_t npath;
    struct class_info *inst = instance_of(f, fn->cls, &path, &npath);
    if (!inst)
        return false;
    struct template_info *t = inst->used ? inst->used : inst->tmpl;
    vec_each (struct member_def, d, &t->members) {
        if (d->is_class || !names_fit(f, d, fn->d.name) || d->npath != npath ||
            (d->inner_header != 0) != (fn->tmpl != NULL))
            continue;
        bool same = true;
        for (size_t i = 0; i < npath; i++)
            same &= path[i] == d->path[i];
        if (!same)
            continue;
        struct member_job j;
        bind_def(f, inst, d, &j);
        if (fn->tmpl) { /* the member's own parameters, by the names its definition uses */
            struct template_info own = {.scope = j.scope, .kind = TEMPLATE_FUNC, .d = fn->tmpl->d};
            struct parse_state st;
            cu_enter(f, &st, d->inner_header, j.scope);
            struct template_info *keep = arena_new(f->a, struct template_info);
            *keep = own;
            cu_parse_tparams(f, keep);
            cu_restore(f, &st);
            struct scope *s = cu_scope_new(f, SCOPE_TEMPLATE, j.scope);
            s->func = NULL;
            for (size_t i = 0; i < keep->nparams && i < fn->ntargs; i++)
                cu_bind_one(f, s, &keep->params[i], &fn->targs[i]);
            j.scope = s;
        }
        if (!cu_try_quietly(f, parse_member_def, &j))
            continue;
        struct type *a = fn->d.type, *b = j.dr.type;
        if (b->kind != TY_FUNC || a->nparams != b->nparams || a->func_quals != b->func_quals ||
            !same_operator(fn, &j.dr))
            continue;
        for (size_t i = 0; i < a->nparams && same; i++)
            same = a->params[i] == b->params[i];
        if (!same)
            continue;
        size_t body = j.dr.pos;
        if (!is_punct(&f->toks[body], PUNCT_LBRACE) && !is_punct(&f->toks[body], PUNCT_COLON) &&
            f->kws[body] != KW_try) {
            if (is_punct(&f->toks[body], PUNCT_ASSIGN) && f->kws[body + 1] == KW_default) {
                fn->is_defaulted = true;
                return false;
            }
            continue;
        }
        for (size_t i = 0; i < fn->nparams && i < j.dr.nparams; i++) {
            j.dr.params[i].default_pos = fn->params[i].default_pos;
            j.dr.params[i].default_scope = fn->params[i].default_scope;
        }
        fn->params = j.dr.params;
        fn->nparams = j.dr.nparams;
        fn->empty_packs = j.dr.empty_packs;
        fn->where |= j.ds.where;
        fn->scope = j.dr.params_scope ? j.dr.params_scope->parent : j.scope;
        fn->body = body;
        fn->state = BODY_TOKENS;
        fn->inst = inst->inst;
        return true;
    }
    return false;
}

/* Defaults are given once, in any declaration: `to` gets those that `from` has alone. */
static void merge_defaults(const struct template_info *from, struct template_info *to)
{
    for (size_t i = 0; i < from->nparams && i < to->nparams; i++) {
        const struct tparam *p = &from->params[i];
        if (to->params[i].default_pos || !p->default_pos)
            continue;
        to->params[i].default_pos = p->default_pos;
        to->params[i].default_names = p->default_names ? p->default_names : from->params;
    }
}

/* The header that was parsed with a definition becomes that of the first declaration. */
static void take_placeholders(struct front *f, struct template_info *t, struct scope *header)
{
    for (struct decl *p = header->first; p; p = p->next) {
        if (p->kind == DECL_TYPE && p->type->kind == TY_PARAM)
            p->type = cu_param_type(f, t, p->type->index);
        if (p->kind == DECL_DEPENDENT)
            p->u.value.param_owner = t;
        if (p->kind == DECL_TEMPLATE)
            ((struct template_info *)p)->param_owner = t;
    }
    header->tmpl = t;
    t->pattern_scope = header;
}

/* What t says, at pos, becomes what `declared` says, parameters included. */
static void take_definition(struct front *f, struct template_info *declared,
                            struct template_info *t, size_t pos)
{
    merge_defaults(declared, t);
    declared->pos = pos;
    declared->params = t->params;
    declared->nparams = t->nparams;
    declared->header = t->header;
    declared->requires_pos = t->requires_pos;
    declared->pattern = NULL;
    declared->pattern_tried = declared->pattern_failed = false;
    take_placeholders(f, declared, t->pattern_scope);
    declared->pattern_scope->parent = declared->scope;
    declared->defined = true;
}

/* ---- nested classes, defined outside ---- */

static struct member_def *find_class_def(struct template_info *t, const char *name,
                                         const char **path, size_t npath, bool is_template)
{
    vec_each (struct member_def, d, &t->members) {
        bool same = d->is_class && d->name == name && d->npath == npath &&
                    (d->inner_header != 0) == is_template;
        for (size_t i = 0; same && i < npath; i++)
            same = path[i] == d->path[i];
        if (same)
            return d;
    }
    return NULL;
}

/* The members of `in` and of the classes around it up to the instance, over what a definition
 * binds. */
static struct scope *scopes_of(struct front *f, struct class_info *in, struct class_info *inst,
                               struct scope *bound)
{
    struct scope *o = in->outer;
    while (o && o->kind == SCOPE_TEMPLATE)
        o = o->parent;
    struct scope *around =
        in != inst && o && o->kind == SCOPE_CLASS ? scopes_of(f, o->cls, inst, bound) : bound;
    struct scope *s = cu_scope_new(f, SCOPE_CLASS, around);
    *s = *in->scope;
    s->parent = around;
    return s;
}

static struct class_info *class_around(struct scope *s)
{
    while (s && s->kind == SCOPE_TEMPLATE)
        s = s->parent;
    return s && s->kind == SCOPE_CLASS ? s->cls : NULL;
}

bool cu_define_nested_class(struct front *f, struct class_info *c)
{
    const char **path;
    size_t npath;
    struct class_info *outer = class_around(c->outer);
    struct class_info *inst = outer ? instance_of(f, outer, &path, &npath) : NULL;
    if (!inst || !c->name)
        return false;
    struct template_info *t = inst->used ? inst->used : inst->tmpl;
    struct member_def *d = find_class_def(t, c->name, path, npath, false);
    if (!d)
        return false;
    struct member_job j;
    bind_def(f, inst, d, &j);
    struct parse_state st;
    cu_enter(f, &st, d->pos, scopes_of(f, outer, inst, j.scope));
    c->scope->parent = f->scope;
    c->inst = f->inst;
    cu_parse_class_definition(f, c);
    cu_restore(f, &st);
    return true;
}

bool cu_define_nested_template(struct front *f, struct template_info *t)
{
    const char **path;
    size_t npath;
    struct class_info *outer = class_around(t->d.scope);
    struct class_info *inst = outer ? instance_of(f, outer, &path, &npath) : NULL;
    if (!inst)
        return false;
    struct template_info *of = inst->used ? inst->used : inst->tmpl;
    struct member_def *d = find_class_def(of, t->d.name, path, npath, true);
    if (!d)
        return false;
    struct member_job j;
    bind_def(f, inst, d, &j);
    struct template_info *own =
        template_new(f, TEMPLATE_CLASS, t->d.name, t->d.span, scopes_of(f, outer, inst, j.scope));
    struct parse_state st;
    cu_enter(f, &st, d->inner_header, own->scope);
    cu_parse_tparams(f, own);
    cu_restore(f, &st);
    t->scope = own->scope;
    take_definition(f, t, own, d->pos);
    return true;
}

void cu_instantiate_member_var(struct front *f, struct var *v, struct class_info *c)
{
    const char **path;
    size_t npath;
    struct class_info *inst = instance_of(f, c, &path, &npath);
    if (!inst)
        return;
    struct template_info *t = inst->used ? inst->used : inst->tmpl;
    vec_each (struct member_def, d, &t->members) {
        if (d->is_class || d->name != v->d.name || d->npath != npath)
            continue;
        struct member_job j;
        bind_def(f, inst, d, &j);
        if (!cu_try_quietly(f, parse_member_def, &j))
            continue;
        v->is_extern = false;
        if (is_punct(&f->toks[j.dr.pos], PUNCT_ASSIGN) ||
            is_punct(&f->toks[j.dr.pos], PUNCT_LBRACE) ||
            is_punct(&f->toks[j.dr.pos], PUNCT_LPAREN)) {
            v->init_pos = j.dr.pos;
            struct scope *in = cu_scope_new(f, SCOPE_CLASS, j.scope);
            *in = *c->scope;
            in->parent = j.scope;
            v->init_scope = in;
        }
        return;
    }
}

/* ---- primary templates ---- */

static void declare_class_template(struct front *f, struct scope *into, struct template_info *t,
                                   struct shape *s, enum access access)
{
    const char *name = f->toks[s->name].u.name;
    struct span at = f->toks[s->name].span;
    t->d.name = name;
    t->d.span = at;
    t->d.access = access;
    t->kind = TEMPLATE_CLASS;
    t->defined = s->defines;
    t->pos = f->pos;
    struct template_info *old = NULL;
    for (struct decl *d = cu_find_local(f, into, name); d; d = d->older) {
        struct decl *u = cu_strip_using(d);
        if (u->kind == DECL_TEMPLATE && ((struct template_info *)u)->kind == TEMPLATE_CLASS)
            old = (struct template_info *)u;
    }
    if (s->args) {
        if (!old) {
            struct found r;
            f->pos = s->name;
            if (cu_lookup(f, name, &r) && r.decls[0]->kind == DECL_TEMPLATE)
                old = (struct template_info *)r.decls[0];
            f->pos = t->pos;
        }
        if (!old)
            cu_undeclared(f, name, at, into);
        if (old->canonical)
            old = old->canonical;
        struct partial_spec *p = arena_new(f->a, struct partial_spec);
        p->tmpl = t;
        p->args_pos = s->name + 2;
        struct parse_state st;
        cu_enter(f, &st, p->args_pos, t->pattern_scope);
        f->pattern = 1;
        struct targ *args, *full;
        size_t n, nfull;
        struct scope *scope;
        cu_parse_targs(f, old, &args, &n);
        bool expands = false;
        for (size_t i = 0; i < n; i++)
            expands |=
                args[i].expansion || (args[i].kind == TARG_TYPE && args[i].type->kind == TY_PACK);
        if (!expands && n < old->nparams) {
            cu_bind_params(f, old, args, n, false, &scope, &full, &nfull, at);
            args = full;
            n = nfull;
            /* an empty pack at the end adds nothing */
            while (n && args[n - 1].kind == TARG_PACK && !args[n - 1].npack)
                n--;
        }
        cu_restore(f, &st);
        p->pattern = args;
        p->npattern = n;
        t->partial_of = old;
        p->next = old->partials;
        old->partials = p;
        skip_rest(f, f->pos);
        return;
    }
    if (old && old->scope == t->scope) {
        if (old->defined && t->defined)
            cu_error_note(f, at, old->d.span, "defined here first", "'%s' is defined twice", name);
        if (t->defined) {
            merge_defaults(old, t);
            /* The first declaration stays the template; it takes over the definition's tokens. */
            old->params = t->params;
            old->nparams = t->nparams;
            old->header = t->header;
            old->requires_pos = t->requires_pos;
            old->pos = t->pos;
            old->defined = true;
            old->scope = t->scope;
            take_placeholders(f, old, t->pattern_scope);
        } else {
            merge_defaults(t, old);
        }
        skip_rest(f, f->pos);
        return;
    }
    cu_declare(f, into, &t->d);
    skip_rest(f, f->pos);
}

static void declare_alias(struct front *f, struct scope *into, struct template_info *t,
                          enum access access)
{
    cu_next(f);
    t->kind = TEMPLATE_ALIAS;
    t->d.span = cu_span(f);
    t->d.name = cu_expect_name(f, "the alias's name");
    t->d.access = access;
    cu_skip_attributes(f);
    cu_expect(f, PUNCT_ASSIGN, "in the alias");
    t->pos = f->pos;
    t->defined = true;
    cu_declare(f, into, &t->d);
    skip_rest(f, f->pos);
}

void cu_parse_requires_clause(struct front *f, struct template_info *t)
{
    if (!cu_is_kw(f, KW_requires))
        return;
    struct scope *save = f->scope;
    f->scope = t->pattern_scope ? t->pattern_scope : f->scope;
    t->requires_pos = f->pos + 1;
    f->pos = cu_requires_end(f, t->requires_pos);
    f->scope = save;
}

/* template <class T> concept name = …; */
static void declare_concept(struct front *f, struct scope *into, struct template_info *t)
{
    cu_next(f);
    t->kind = TEMPLATE_CONCEPT;
    t->d.span = cu_span(f);
    t->d.name = cu_expect_name(f, "the concept's name");
    cu_skip_attributes(f);
    cu_expect(f, PUNCT_ASSIGN, "in the concept");
    t->pos = f->pos;
    t->defined = true;
    cu_declare(f, into, &t->d);
    f->pos = cu_concept_end(f, f->pos); /* no brace ends it: requires … {…} && … */
    cu_expect(f, PUNCT_SEMI, "after the concept");
}

/* Of a function's parameters: what is said once holds for the definition, too. */
static void keep_defaults(struct front *f, struct template_info *t)
{
    const struct func *fn = cu_pattern(f, t);
    if (!fn)
        return;
    t->defaults = arena_array(f->a, size_t, fn->nparams + 1);
    t->ndefaults = fn->nparams;
    t->default_names = t->params;
    for (size_t i = 0; i < fn->nparams; i++)
        t->defaults[i] = fn->params[i].default_pos;
}

/* What the function template t of that shape is called; cls is the class that it belongs to. */
static const char *func_template_name(struct front *f, const struct template_info *t,
                                      const struct shape *s, const struct class_info *cls)
{
    if (f->kws[s->name] != KW_operator) {
        const char *name = f->toks[s->name].u.name;
        return cls && name == cls->name ? f->n_ctor : name;
    }
    struct parse_state st; /* an operator's name needs its tokens read */
    struct qname q;
    cu_enter(f, &st, s->name, t->pattern_scope);
    f->pattern = 1;
    cu_parse_qname(f, &q, QN_DECLARATOR);
    cu_restore(f, &st);
    return q.name;
}

static void declare_func_template(struct front *f, struct scope *into, struct template_info *t,
                                  struct shape *s, struct class_info *cls, enum access access)
{
    t->kind = TEMPLATE_FUNC;
    t->pos = f->pos;
    t->cls = cls;
    t->d.access = access;
    const struct token *n = &f->toks[s->name];
    t->d.span = n->span;
    size_t end;
    t->d.name = func_template_name(f, t, s, cls);
    if (cls && t->d.name == f->n_ctor)
        cls->user_ctor = true;
    cu_skip_declaration(f, f->pos);
    end = f->pos;
    bool defined = is_punct(&f->toks[end - 1], PUNCT_RBRACE);
    t->defined = defined;
    /* A definition after a declaration takes its place. */
    if (!cls)
        for (struct decl *d = cu_find_local(f, into, t->d.name); d; d = d->older) {
            if (d->kind != DECL_TEMPLATE || ((struct template_info *)d)->kind != TEMPLATE_FUNC)
                continue;
            struct template_info *old = (struct template_info *)d;
            if (old->defined && defined)
                continue;
            if (!cu_same_template(f, old, t))
                continue;
            merge_defaults(old, t);
            if (defined) {
                keep_defaults(f, old);
                old->pos = t->pos;
                old->params = t->params;
                old->nparams = t->nparams;
                old->header = t->header;
                old->requires_pos = t->requires_pos;
                old->scope = t->scope;
                old->pattern = NULL;
                old->pattern_tried = old->pattern_failed = false;
                old->defined = true;
                old->d.hidden &= t->d.hidden;
                map_init(&old->instances, f->a);
                take_placeholders(f, old, t->pattern_scope);
            }
            return;
        }
    cu_declare(f, into, &t->d);
}

static void declare_var_template(struct front *f, struct scope *into, struct template_info *t,
                                 struct shape *s, enum access access)
{
    t->kind = TEMPLATE_VAR;
    t->pos = f->pos;
    t->d.name = f->toks[s->name].u.name;
    t->d.span = f->toks[s->name].span;
    t->d.access = access;
    t->defined = true;
    if (s->args) { /* partial specialisation */
        struct found r;
        if (!cu_lookup(f, t->d.name, &r) || r.decls[0]->kind != DECL_TEMPLATE)
            cu_undeclared(f, t->d.name, t->d.span, into);
        struct template_info *old = (struct template_info *)r.decls[0];
        struct partial_spec *p = arena_new(f->a, struct partial_spec);
        p->tmpl = t;
        p->args_pos = s->name + 2;
        struct parse_state st;
        cu_enter(f, &st, p->args_pos, t->pattern_scope);
        f->pattern = 1;
        cu_parse_targs(f, old, &p->pattern, &p->npattern);
        cu_restore(f, &st);
        t->partial_of = old;
        p->next = old->partials;
        old->partials = p;
    } else {
        cu_declare(f, into, &t->d);
    }
    skip_rest(f, f->pos);
}

/* ---- template <> … ---- */

static void explicit_class(struct front *f, struct scope *into, struct shape *s)
{
    struct qname q = {0};
    size_t start = f->pos;
    f->pos = s->first;
    cu_parse_qualifier(f, &q, QN_TYPE);
    const char *name = cu_tok(f)->u.name;
    struct span at = cu_span(f);
    q.name = name;
    q.pos = f->pos;
    struct found r;
    if (!cu_lookup_qname(f, &q, &r) || r.decls[0]->kind != DECL_TEMPLATE)
        cu_undeclared(f, name, at, q.scope ? q.scope : into);
    struct template_info *t = (struct template_info *)r.decls[0];
    if (t->canonical)
        t = t->canonical;
    f->pos += 2;
    struct targ *args;
    size_t n;
    cu_parse_targs(f, t, &args, &n);
    struct type *ty = cu_instantiate_class(f, t, args, n, at);
    f->pos = start;
    if (!s->defines) {
        skip_rest(f, f->pos);
        return;
    }
    if (ty->kind != TY_CLASS)
        cu_error(f, at, "a full specialisation cannot depend on parameters");
    if (ty->cls->state != CLASS_DECLARED)
        cu_error(f, at, "'%s' was already used or defined before this specialisation",
                 cu_type_str(f, ty));
    ty->cls->scope->parent = f->scope;
    struct template_info *self = template_new(f, TEMPLATE_CLASS, name, at, f->scope);
    ty->cls->used = self;
    ty->cls->used_args = NULL;
    cu_parse_class_definition(f, ty->cls);
    cu_expect(f, PUNCT_SEMI, "after the class");
}

static void lookup_named(struct front *f, const struct declarator *d, struct found *r)
{
    struct qname q = {.name = d->kind == NAME_CTOR ? f->n_ctor : d->name,
                      .pos = d->pos,
                      .scope = d->qualifier,
                      .span = d->span,
                      .kind = NAME_IDENT};
    if (!cu_lookup_qname(f, &q, r))
        cu_undeclared(f, d->name, d->span, d->qualifier);
}

/* A member variable, or a variable template for some arguments. */
static void explicit_var(struct front *f, const struct declspec *ds, const struct declarator *d)
{
    struct found r;
    struct var *v;
    lookup_named(f, d, &r);
    if (r.decls[0]->kind == DECL_TEMPLATE && d->has_targs) {
        struct template_info *t = (struct template_info *)r.decls[0];
        struct scope *scope;
        struct targ *full;
        size_t nfull;
        cu_bind_params(f, t, d->targs, d->ntargs, false, &scope, &full, &nfull, d->span);
        v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d->name, d->span);
        v->d.scope = t->d.scope;
        v->storage = VAR_GLOBAL;
        v->is_inline = true;
        v->tmpl = t;
        v->targs = full;
        v->ntargs = nfull;
        map_set(&t->instances, map_key(cu_targs_key(f, full, nfull)), v);
    } else if (r.decls[0]->kind == DECL_VAR) {
        v = (struct var *)r.decls[0];
    } else {
        cu_error(f, d->span, "this specialises nothing");
    }
    v->d.type = ds->is_constexpr ? cu_qualified(f, d->type, QUAL_CONST) : d->type;
    v->is_constexpr |= ds->is_constexpr;
    v->init_pos = cu_is(f, PUNCT_SEMI) ? 0 : f->pos;
    v->init_scope = d->qualifier ? d->qualifier : f->scope;
    v->is_extern = false;
    skip_rest(f, f->pos);
}

/* A member of a full instance, unless it is a template itself. */
static bool names_member(struct front *f, const struct declarator *d)
{
    if (!d->qualifier_class || d->has_targs)
        return false;
    const struct decl *m =
        cu_find_local(f, d->qualifier, d->kind == NAME_CTOR ? f->n_ctor : d->name);
    bool templates = false;
    for (const struct decl *o = m; o; o = o->older) {
        templates |= o->kind == DECL_TEMPLATE;
        bool same = o->kind == DECL_FUNC && o->type->nparams == d->type->nparams;
        for (size_t i = 0; same && i < d->type->nparams; i++)
            same = o->type->params[i] == d->type->params[i];
        if (same)
            return true;
    }
    return m && m->kind == DECL_FUNC && !templates;
}

static void finish_specialisation(struct front *f, struct func *fn)
{
    if (!fn->specialised)
        vec_push(f->a, &f->specialised, fn);
    fn->specialised = true;
    if (!cu_finish_func(f, fn))
        cu_expect(f, PUNCT_SEMI, "after the specialisation");
}

struct bind_job {
    struct scope *scope;
    struct template_info *t;
    struct targ *args, *full;
    size_t n, nfull;
    struct span at;
};

static void try_bind(struct front *f, void *arg)
{
    struct bind_job *j = arg;
    if (!cu_bind_params(f, j->t, j->args, j->n, true, &j->scope, &j->full, &j->nfull, j->at))
        cu_error(f, j->at, "a template argument is missing");
}

/* The most special function template of that name that gives such a function, and for what. */
static struct template_info *specialised(struct front *f, const struct declarator *d,
                                         struct targ **full, size_t *nfull)
{
    struct found r;
    struct template_info *hit = NULL;
    lookup_named(f, d, &r);
    for (size_t i = 0; i < r.n; i++) {
        struct template_info *t = (struct template_info *)r.decls[i];
        if (r.decls[i]->kind != DECL_TEMPLATE || t->kind != TEMPLATE_FUNC)
            continue;
        struct func *p = cu_pattern(f, t);
        struct targ *a;
        size_t n;
        if (!p || !cu_deduce_type(f, t, d->targs, d->ntargs, p->d.type, d->type, &a, &n))
            continue;
        struct bind_job j = {.t = t, .args = a, .n = n, .at = d->span};
        if (!cu_try_quietly(f, try_bind, &j))
            continue;
        a = j.full;
        n = j.nfull;
        if (hit && cu_more_special(f, hit, t, d->type->nparams) < 0)
            continue;
        hit = t;
        *full = a;
        *nfull = n;
    }
    if (!hit)
        cu_error(f, d->span, "no template '%s' fits this specialisation", d->name);
    return hit;
}

/* A specialisation has the default arguments of its template. */
static void take_defaults(struct front *f, struct template_info *t, struct func *fn,
                          const struct func *p)
{
    struct bind_job j = {.t = t, .args = fn->targs, .n = fn->ntargs, .at = fn->d.span};
    bool any = false;
    for (size_t i = 0; i < p->nparams && p->nparams == fn->nparams; i++)
        any |= p->params[i].default_pos && !fn->params[i].default_pos;
    if (!any || !cu_try_quietly(f, try_bind, &j))
        return;
    struct scope *in = cu_defaults_scope(f, t, j.scope, j.full);
    for (size_t i = 0; i < p->nparams; i++)
        if (p->params[i].default_pos && !fn->params[i].default_pos) {
            fn->params[i].default_pos = p->params[i].default_pos;
            fn->params[i].default_scope = in;
        }
}

static struct func *find_spec(struct front *f, const struct template_info *t, const char *key)
{
    for (struct func_spec *x = t->specs; x; x = x->next)
        if (cu_targs_key(f, x->args, x->nargs) == key)
            return x->func;
    return NULL;
}

static void explicit_func(struct front *f, struct scope *into)
{
    struct declspec ds = {0};
    struct declarator d = {0};
    size_t head = f->pos;
    cu_parse_declspec(f, &ds, 0);
    cu_parse_declarator(f, &ds, &d, DR_NAMED);
    if (!d.is_func) {
        explicit_var(f, &ds, &d);
        return;
    }
    struct func *fn;
    if (names_member(f, &d)) {
        struct param *own = d.params; /* by the names that its body knows */
        fn = cu_declare_func(f, into, &ds, &d, d.qualifier_class, head);
        fn->params = own;
        fn->body = 0;
        fn->state = BODY_NONE;
        finish_specialisation(f, fn);
        return;
    }
    struct targ *full = NULL;
    size_t nfull = 0;
    struct template_info *t = specialised(f, &d, &full, &nfull);
    const char *key = cu_targs_key(f, full, nfull);
    const bool qualified = d.qualifier;
    fn = find_spec(f, t, key);
    if (!fn) {
        struct scope *nowhere = cu_scope_new(f, t->cls ? SCOPE_CLASS : SCOPE_NAMESPACE, t->scope);
        nowhere->cls = t->cls;
        d.qualifier = NULL;
        fn = cu_declare_func(f, nowhere, &ds, &d, t->cls, head);
        fn->d.scope = t->d.scope;
        fn->tmpl = NULL;
        struct func_spec *x = arena_new(f->a, struct func_spec);
        x->func = fn;
        x->args = full;
        x->nargs = nfull;
        x->next = t->specs;
        t->specs = x;
        map_set(&t->instances, map_key(key), fn);
    } else {
        fn->params = d.params;
        fn->nparams = d.nparams;
    }
    if (qualified && d.params_scope)
        fn->scope = d.params_scope->parent;
    fn->targs = full;
    fn->ntargs = nfull;
    fn->tmpl = t;
    const struct func *p = cu_pattern(f, t);
    if (p) {
        fn->is_static = p->is_static; /* said in the class only */
        take_defaults(f, t, fn, p);
    }
    if (p && !ds.where) {
        fn->where = p->where;
        fn->where_explicit = p->where_explicit;
    }
    const bool kernel = fn->where & WHERE_GLOBAL;
    finish_specialisation(f, fn);
    if (kernel && fn->body)
        vec_push(f->a, &f->kernels, fn);
}

/* template class A<int>;  template __global__ void k<float>(float *); */
static void explicit_instantiation(struct front *f)
{
    struct shape s = {0};
    if (class_shape(f, &s)) {
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, 0);
        cu_complete(f, ds.type, ds.span);
        cu_expect(f, PUNCT_SEMI, "after the instantiation");
        return;
    }
    struct declspec ds = {0};
    struct declarator d = {0};
    cu_parse_declspec(f, &ds, 0);
    cu_parse_declarator(f, &ds, &d, DR_NAMED);
    cu_expect(f, PUNCT_SEMI, "after the instantiation");
    if (!d.is_func)
        return;
    struct expr *set = cu_expr_new(f, EX_OVERLOAD, cu_type(f, TY_OVERLOAD), CAT_L, d.span);
    struct found r;
    lookup_named(f, &d, &r);
    set->u.set.decls = r.decls;
    set->u.set.ndecls = r.n;
    set->u.set.name = d.name;
    set->targs = d.targs;
    set->ntargs = d.ntargs;
    set->has_targs = d.has_targs;
    struct func *fn = cu_resolve_address(f, set, d.type);
    if (!fn)
        cu_error(f, d.span, "no template '%s' fits this instantiation", d.name);
    if (fn->where & WHERE_GLOBAL) {
        vec_each (struct func *, it, &f->kernels)
            if (*it == fn)
                return;
        vec_push(f->a, &f->kernels, fn);
    }
}

/* ---- entry ---- */

static void befriend(struct front *f, struct template_info *t, struct class_info *cls,
                     struct shape *sh, bool is_class)
{
    if (is_class) {
        skip_rest(f, f->pos);
        t->d.name = f->toks[sh->name].u.name;
    } else {
        t->is_friend = true;
        t->d.hidden = true;
        declare_func_template(f, cu_enclosing_namespace(cls->outer), t, sh, NULL, ACCESS_PUBLIC);
    }
    vec_push(f->a, &cls->friends, &t->d);
}

/* The member template of c that t, which stands outside of it, defines: by its signature, or as the
 * only one of its name. */
static struct template_info *find_member_template(struct front *f, struct class_info *c,
                                                  struct template_info *t, const struct shape *sh)
{
    struct template_info *only = NULL;
    unsigned n = 0;
    t->kind = TEMPLATE_FUNC;
    t->pos = f->pos;
    t->cls = c;
    for (struct decl *d = cu_find_local(f, c->scope, func_template_name(f, t, sh, c)); d;
         d = d->older)
        if (d->kind == DECL_TEMPLATE) {
            only = (struct template_info *)d;
            n++;
            if (cu_same_template(f, only, t))
                return only;
        }
    if (n != 1)
        cu_error(f, f->toks[sh->name].span, "'%s' has no such member template",
                 cu_type_str(f, c->type));
    return only;
}

static struct template_info *find_class_template(struct front *f, struct class_info *c,
                                                 const struct shape *sh)
{
    struct decl *d = cu_find_local(f, c->scope, f->toks[sh->name].u.name);
    if (!d || sh->args || d->kind != DECL_TEMPLATE ||
        ((struct template_info *)d)->kind != TEMPLATE_CLASS)
        cu_error(f, f->toks[sh->name].span, "'%s' has no such class template",
                 cu_type_str(f, c->type));
    return (struct template_info *)d;
}

static void define_template(struct front *f, struct template_info *declared,
                            struct template_info *t)
{
    if (declared->kind == TEMPLATE_FUNC) {
        keep_defaults(f, declared);
        declared->inside = cu_pattern(f, declared);
    }
    take_definition(f, declared, t, f->pos);
    skip_rest(f, f->pos);
}

/* template <class T> void A<T>::member(): a member of a class template, defined outside of it. */
static bool define_member(struct front *f, struct template_info *t, struct shape *sh, size_t inner,
                          bool is_class)
{
    struct template_info *owner;
    const char **path;
    size_t npath;
    if (!member_of(f, sh, &owner, &path, &npath))
        return false;
    owner = partial_named(f, owner, sh, t);
    if (is_class && sh->args)
        cu_error(f, f->toks[sh->name].span,
                 "specialising a nested class template outside of its class is not supported");
    add_member_def(f, t, inner, sh, owner, path, npath);
    skip_rest(f, f->pos);
    return true;
}

static struct scope *qualifying_scope(struct front *f, const struct shape *sh)
{
    struct qname q = {0};
    size_t pos = f->pos;
    f->pos = sh->first;
    cu_parse_qualifier(f, &q, QN_DECLARATOR);
    f->pos = pos;
    return q.scope;
}

static bool declare_guide(struct front *f, struct template_info *t, const struct shape *sh);

/* Name(args) -> Name<…> without a header; `explicit` may stand before it. */
bool cu_parse_guide(struct front *f)
{
    size_t i = f->pos + (f->kws[f->pos] == KW_explicit);
    if (f->toks[i].kind != TOKEN_IDENT || f->kws[i] || !is_punct(&f->toks[i + 1], PUNCT_LPAREN) ||
        !is_punct(&f->toks[cu_close(f, i + 1) + 1], PUNCT_ARROW))
        return false;
    struct shape sh = {.kind = SHAPE_FUNC, .name = i};
    struct template_info *t =
        template_new(f, TEMPLATE_FUNC, f->toks[i].u.name, f->toks[i].span, f->scope);
    t->pattern_scope = cu_scope_new(f, SCOPE_TEMPLATE, f->scope);
    t->pattern_scope->tmpl = t;
    return declare_guide(f, t, &sh);
}

/* Name(args) -> Name<…>: a deduction guide */
static bool declare_guide(struct front *f, struct template_info *t, const struct shape *sh)
{
    const struct token *name = &f->toks[sh->name];
    struct found r;
    size_t first = skip_attrs(f, f->pos);
    if (f->kws[first] == KW_explicit)
        first +=
            is_punct(&f->toks[first + 1], PUNCT_LPAREN) ? cu_close(f, first + 1) + 1 - first : 1;
    if (name->kind != TOKEN_IDENT || sh->name != first || !cu_lookup(f, name->u.name, &r) ||
        r.decls[0]->kind != DECL_TEMPLATE)
        return false;
    struct template_info *of = (struct template_info *)r.decls[0];
    if (of->kind != TEMPLATE_CLASS)
        return false;
    t->kind = TEMPLATE_FUNC;
    t->pos = f->pos;
    t->d.name = name->u.name;
    t->d.span = name->span;
    vec_push(f->a, &of->guides, &t->d);
    skip_rest(f, f->pos);
    return true;
}

static void parse_rest(struct front *f, struct scope *s, struct template_info *t,
                       struct class_info *cls, enum access access, bool is_friend)
{
    struct scope *into = declaring(s);
    size_t inner = 0;
    cu_parse_requires_clause(f, t);
    if (cu_is_kw(f, KW_concept)) {
        declare_concept(f, into, t);
        return;
    }
    if (cu_is_kw(f, KW_template) &&
        cu_peek_is(f, 1, PUNCT_LT)) { /* member template of a class template */
        inner = f->pos + 2;
        cu_next(f);
        cu_skip_list(f);
        if (cu_is_kw(f, KW_requires))
            f->pos = cu_requires_end(f, f->pos + 1);
    }
    if (cu_is_kw(f, KW_using)) {
        declare_alias(f, into, t, access);
        return;
    }
    struct shape sh = {0};
    const bool is_class = class_shape(f, &sh);
    if (!is_class)
        other_shape(f, &sh);
    if (!sh.name)
        cu_error(f, cu_span(f), "this template declares nothing");
    if (is_friend) {
        befriend(f, t, cls, &sh, is_class);
        return;
    }
    if (sh.qualifiers) {
        if (define_member(f, t, &sh, inner, is_class))
            return;
        struct scope *in = qualifying_scope(f, &sh);
        if (in && in->kind == SCOPE_CLASS) { /* a member template of an ordinary class */
            define_template(f,
                            is_class ? find_class_template(f, in->cls, &sh)
                                     : find_member_template(f, in->cls, t, &sh),
                            t);
            return;
        }
        if (in)
            into = in;
    }
    if (is_class)
        declare_class_template(f, into, t, &sh, access);
    else if (sh.kind != SHAPE_FUNC)
        declare_var_template(f, into, t, &sh, access);
    else if (cls || !declare_guide(f, t, &sh))
        declare_func_template(f, into, t, &sh, cls, access);
}

/* `friend` may stand behind other specifiers. */
static bool says_friend(struct front *f)
{
    size_t i = f->pos;
    if (f->kws[i] == KW_requires)
        i = cu_requires_end(f, i + 1);
    for (const size_t end = skip_attrs(f, i); i < end; i++)
        if (f->kws[i] == KW_friend)
            return true;
    return false;
}

static void parse_template(struct front *f, struct scope *s, struct class_info *cls,
                           enum access access, bool is_friend)
{
    struct span at = cu_span(f);
    cu_next(f);
    if (!cu_is(f, PUNCT_LT)) {
        explicit_instantiation(f);
        return;
    }
    cu_next(f);
    if (cu_at_gt(f)) {
        cu_accept_gt(f);
        while (cu_is_kw(f, KW_template) && cu_peek_is(f, 1, PUNCT_LT) && cu_peek_is(f, 2, PUNCT_GT))
            f->pos += 3;
        struct shape sh = {0};
        if (class_shape(f, &sh) && sh.args)
            explicit_class(f, s, &sh);
        else
            explicit_func(f, s);
        return;
    }
    struct template_info *t = template_new(f, TEMPLATE_FUNC, NULL, at, f->scope);
    cu_parse_tparams(f, t);
    if (cls)
        is_friend |= says_friend(f);
    if (is_friend)
        cu_accept_kw(f, KW_friend);
    parse_rest(f, s, t, cls, access, is_friend);
}

void cu_parse_template(struct front *f, struct scope *s, struct class_info *cls, enum access access)
{
    parse_template(f, s, cls, access, false);
}

void cu_parse_friend_template(struct front *f, struct class_info *c)
{
    parse_template(f, f->scope, c, ACCESS_PUBLIC, true);
}

/* A function whose parameters are `auto` is a template with a parameter for each of them. */
bool cu_auto_template(struct front *f, struct scope *s, struct declarator *d,
                      struct class_info *cls, size_t head)
{
    unsigned n = 0;
    for (size_t i = 0; i < d->nparams; i++)
        n += cu_has_auto(d->params[i].type);
    f->auto_seen = 0;
    if (!n)
        return false;
    struct template_info *t = template_new(
        f, TEMPLATE_FUNC, d->kind == NAME_CTOR ? f->n_ctor : d->name, d->span, f->scope);
    t->cls = cls;
    t->pos = head;
    t->auto_params = true;
    cu_auto_params(f, t, d);
    if (cls && d->kind == NAME_CTOR)
        cls->user_ctor = true;
    cu_declare(f, declaring(s), &t->d);
    cu_skip_declaration(f, head);
    return true;
}

/* The invented parameters: "auto:list:0", "auto:list:1", … in order. */
void cu_auto_params(struct front *f, struct template_info *t, struct declarator *d)
{
    VEC(struct tparam) list = {0};
    for (size_t i = 0; i < t->nparams; i++)
        vec_push(f->a, &list, t->params[i]);
    unsigned k = 0;
    for (size_t i = 0; i < d->nparams; i++) {
        if (!cu_has_auto(d->params[i].type))
            continue;
        struct tparam p = {.kind = TARG_TYPE,
                           .concept_auto = true,
                           .pack = d->params[i].pack,
                           .constraint_pos = d->params[i].constraint_pos};
        p.name = intern_z(f->names, arena_printf(f->a, "auto:%zu:%u", d->params_pos, k++));
        vec_push(f->a, &list, p);
    }
    t->params = list.data;
    size_t first = t->nparams;
    t->nparams = list.len;
    if (!t->pattern_scope) {
        t->pattern_scope = cu_scope_new(f, SCOPE_TEMPLATE, t->scope);
        t->pattern_scope->tmpl = t;
        t->pattern_scope->pattern = true;
        t->pattern_scope->func = t->scope->func;
    }
    struct scope *save = f->scope;
    f->scope = t->pattern_scope;
    for (size_t i = first; i < t->nparams; i++) {
        struct decl *x = cu_decl_new(f, DECL_TYPE, t->params[i].name, d->span);
        x->type = cu_param_type(f, t, (unsigned)i);
        x->pos = 0;
        cu_declare(f, f->scope, x);
    }
    f->scope = save;
}
