/* Templates: headers, arguments, and instantiation by parsing the tokens again with parameters
 * bound. */
#include "front/cuda/sema/sema.h"

static struct type *instantiate_alias(struct front *f, struct template_info *t, struct targ *args,
                                      size_t n, struct span at);

/* ---- template parameters ---- */

/* Skips a default to the `,` or `>` that ends it. */
static void skip_default(struct front *f)
{
    while (cu_tok(f)->kind != TOKEN_EOF && !cu_is(f, PUNCT_COMMA) &&
           (!cu_at_gt(f) || cu_is(f, PUNCT_GE))) {
        if (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET) || cu_is(f, PUNCT_LBRACE)) {
            f->pos = cu_close(f, f->pos) + 1;
        } else if (cu_peek_is(f, 1, PUNCT_LT) && cu_opens_list(f, f->pos + 1)) {
            cu_next(f);
            cu_skip_list(f);
        } else {
            cu_next(f);
        }
    }
}

/* A template that is not known yet: parameter i of t, or, with t NULL, one of a dependent class. */
static struct decl *unknown_template(struct front *f, const char *name, struct template_info *t,
                                     unsigned i)
{
    struct template_info *inner = cu_decl_alloc(f, sizeof *inner, DECL_TEMPLATE, name, cu_span(f));
    inner->kind = TEMPLATE_PARAM;
    inner->param_owner = t;
    inner->param_index = i;
    map_init(&inner->instances, f->a);
    return &inner->d;
}

static void declare_placeholder(struct front *f, struct template_info *t, unsigned i)
{
    struct tparam *p = &t->params[i];
    struct decl *d;
    if (p->kind == TARG_TYPE) {
        d = cu_decl_new(f, DECL_TYPE, p->name, cu_span(f));
        d->type = cu_param_type(f, t, i);
    } else if (p->kind == TARG_VALUE) {
        d = cu_decl_new(f, DECL_DEPENDENT, p->name, cu_span(f));
        d->u.value = (struct targ){.kind = TARG_DEPENDENT, .param_owner = t, .param_index = i};
        d->type = cu_type(f, TY_DEPENDENT);
    } else {
        d = unknown_template(f, p->name, t, i);
    }
    cu_declare(f, f->scope, d);
}

/* Concept T, Concept<args>... Ts: not `Concept auto v`, which is a value. */
static bool at_constrained(struct front *f)
{
    return (cu_is_name(f) || cu_is(f, PUNCT_SCOPE)) && cu_at_concept(f) &&
           f->kws[cu_type_constraint_end(f, f->pos)] != KW_auto &&
           f->kws[cu_type_constraint_end(f, f->pos)] != KW_decltype;
}

static void parse_tparam(struct front *f, struct tparam *p)
{
    p->pos = f->pos;
    if (cu_is_kw(f, KW_template)) {
        p->kind = TARG_TEMPLATE;
        cu_next(f);
        cu_skip_list(f);
        if (!cu_accept_kw(f, KW_class) && !cu_accept_kw(f, KW_typename))
            cu_error(f, cu_span(f), "expected 'class' in the template template parameter");
        p->pack = cu_accept(f, PUNCT_ELLIPSIS);
        if (cu_is_name(f)) {
            p->name = cu_tok(f)->u.name;
            cu_next(f);
        }
    } else if (at_constrained(f)) {
        p->kind = TARG_TYPE;
        p->constraint_pos = f->pos;
        f->pos = cu_type_constraint_end(f, f->pos);
        p->pack = cu_accept(f, PUNCT_ELLIPSIS);
        if (cu_is_name(f)) {
            p->name = cu_tok(f)->u.name;
            cu_next(f);
        }
    } else if ((cu_is_kw(f, KW_typename) || cu_is_kw(f, KW_class)) &&
               (cu_peek_is(f, 1, PUNCT_ELLIPSIS) || cu_peek_is(f, 1, PUNCT_COMMA) ||
                cu_peek_is(f, 1, PUNCT_GT) || cu_peek_is(f, 1, PUNCT_SHR) ||
                cu_peek_is(f, 1, PUNCT_ASSIGN) ||
                (f->toks[f->pos + 1].kind == TOKEN_IDENT && !cu_peek_is(f, 2, PUNCT_SCOPE) &&
                 !cu_peek_is(f, 2, PUNCT_LT)))) {
        p->kind = TARG_TYPE;
        cu_next(f);
        p->pack = cu_accept(f, PUNCT_ELLIPSIS);
        if (cu_is_name(f)) {
            p->name = cu_tok(f)->u.name;
            cu_next(f);
        }
    } else {
        p->kind = TARG_VALUE;
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, DS_TEMPLATE_PARAM);
        struct declarator d = {0};
        cu_parse_declarator(f, &ds, &d, DR_ABSTRACT | DR_NAMED | DR_PARAM);
        p->name = d.name;
        p->pack = d.is_pack;
        p->type = d.type;
    }
    if (cu_accept(f, PUNCT_ASSIGN)) {
        p->default_pos = f->pos;
        skip_default(f);
    }
}

void cu_more_tparams(struct front *f, struct template_info *t)
{
    VEC(struct tparam) list = {0};
    for (size_t i = 0; i < t->nparams; i++)
        vec_push(f->a, &list, t->params[i]);
    struct scope *save = f->scope;
    f->scope = t->pattern_scope;
    f->pattern++;
    while (!cu_at_gt(f)) {
        struct tparam p = {0};
        parse_tparam(f, &p);
        vec_push(f->a, &list, p);
        t->params = list.data;
        t->nparams = list.len;
        declare_placeholder(f, t, (unsigned)list.len - 1);
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    f->pattern--;
    f->scope = save;
    cu_expect_gt(f);
}

void cu_parse_tparams(struct front *f, struct template_info *t)
{
    t->header = f->pos;
    t->params = NULL;
    t->nparams = 0;
    t->pattern_scope = cu_scope_new(f, SCOPE_TEMPLATE, f->scope);
    t->pattern_scope->tmpl = t;
    t->pattern_scope->pattern = true;
    t->pattern_scope->func = NULL;
    cu_more_tparams(f, t);
}

/* ---- template arguments ---- */

struct targ_arg {
    struct template_info *t;
    struct elements *sofar;
};

static void try_type(struct front *f, void *arg)
{
    struct type **out = arg;
    *out = cu_parse_type_id(f);
    if (!cu_is(f, PUNCT_COMMA) && !cu_at_gt(f) && !cu_is(f, PUNCT_ELLIPSIS))
        cu_error(f, cu_span(f), "not a type");
}

static void try_value(struct front *f, void *arg)
{
    struct expr **out = arg;
    f->no_gt++;
    *out = cu_parse_cond(f);
    f->no_gt--;
}

static struct targ function_targ(struct front *f, struct func *fn)
{
    return (struct targ){.kind = TARG_VALUE, .type = cu_address_type(f, fn), .object = &fn->d};
}

/* For a parameter of t, or NULL. */
static struct targ value_targ(struct front *f, struct template_info *t, struct expr *e)
{
    struct targ a = {.kind = TARG_VALUE};
    if (e->kind == EX_DEPENDENT) {
        a.kind = TARG_DEPENDENT;
        if (e->targs) {
            a.param_owner = e->targs->param_owner;
            a.param_index = e->targs->param_index;
            a.expansion = e->targs->expansion;
        }
        return a;
    }
    if (e->kind == EX_OVERLOAD) {
        struct func *fn = cu_resolve_address(f, e, NULL);
        if (!fn && t && t->kind != TEMPLATE_FUNC)
            a.set = e;
        else if (!fn)
            cu_error(f, e->span, "it is not clear here which overload of '%s' is meant",
                     e->u.set.name);
        return fn ? function_targ(f, fn) : a;
    }
    if (e->kind == EX_STRING)
        return cu_string_targ(f, e);
    if (e->type->kind == TY_CLASS)
        e = cu_integral_operand(f, e);
    if (e->type->kind == TY_CLASS && (e->kind != EX_VAR || e->u.var->storage != VAR_GLOBAL))
        return cu_object_targ(f, e, e->type);
    if (cu_is_float(e->type)) {
        double d;
        if (!cu_const_float(f, cu_rvalue(f, e), &d))
            cu_error(f, e->span, "a template argument has to be a constant");
        a.type = e->type->unqual;
        memcpy(&a.value, &d, sizeof d);
        return a;
    }
    if (e->kind == EX_VAR && e->u.var->storage == VAR_GLOBAL &&
        (e->type->kind == TY_CLASS || !cu_var_constant(f, e->u.var)) &&
        e->type->kind != TY_POINTER) {
        a.object = &e->u.var->d;
        a.type = e->type->kind == TY_ARRAY ? cu_decayed(f, e->type) : cu_lref_to(f, e->type);
        return a;
    }
    struct expr *v = cu_rvalue(f, e);
    if (!cu_is_scalar(v->type))
        cu_error(f, e->span, "'%s' cannot be a template argument", cu_type_str(f, e->type));
    if (!cu_const_value(f, v, &a)) {
        cu_require_int(f, v, "a template argument");
        cu_error(f, e->span, "a template argument has to be a constant");
    }
    return a;
}

/* A class template named without arguments, as argument for a template parameter. */
static bool template_name(struct front *f, struct targ *out)
{
    size_t pos = f->pos;
    struct qname q = {0};
    if (!cu_is_name(f) && !cu_is(f, PUNCT_SCOPE))
        return false;
    cu_parse_qualifier(f, &q, QN_TYPE);
    const bool said = cu_accept_kw(f, KW_template); /* A<T>::template name */
    if (q.dependent && said && cu_is_name(f) && !cu_peek_is(f, 1, PUNCT_LT)) {
        cu_next(f);
        *out = (struct targ){.kind = TARG_DEPENDENT};
        return true;
    }
    if (!q.dependent && cu_is_name(f) && !cu_peek_is(f, 1, PUNCT_LT)) {
        q.name = cu_tok(f)->u.name;
        q.pos = f->pos;
        struct found r;
        if (cu_lookup_qname(f, &q, &r)) {
            struct decl *d = r.decls[0];
            if (d->kind == DECL_PACK) {
                d = cu_pack_element(f, d, cu_span(f));
                if (!d) {
                    cu_next(f);
                    *out = (struct targ){.kind = TARG_DEPENDENT};
                    return true;
                }
            }
            if (d->kind == DECL_TYPE && d->type->kind == TY_CLASS && d->type->cls->tmpl &&
                d->name == d->type->cls->name) {
                cu_next(f);
                *out = (struct targ){
                    .kind = TARG_TEMPLATE, .tmpl = d->type->cls->tmpl, .type = d->type};
                return true;
            }
            if (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind != TEMPLATE_FUNC &&
                ((struct template_info *)d)->kind != TEMPLATE_VAR) {
                cu_next(f);
                *out = (struct targ){.kind = TARG_TEMPLATE, .tmpl = (struct template_info *)d};
                return true;
            }
        }
    }
    f->pos = pos;
    return false;
}

/* A class template's own name inside of it may also be the type. */
static bool takes_template(const struct template_info *t, size_t i)
{
    if (i >= t->nparams)
        i = t->nparams ? t->nparams - 1 : 0;
    return i < t->nparams && t->params[i].kind == TARG_TEMPLATE;
}

static void *parse_targ(struct front *f, void *arg)
{
    struct targ_arg *in = arg;
    struct targ *a = arena_new(f->a, struct targ);
    enum targ_kind want = TARG_NONE;
    struct template_info *t = in->t;
    if (t && t->nparams && t->kind != TEMPLATE_FUNC) {
        size_t i = in->sofar->len;
        if (i >= t->nparams)
            i = t->params[t->nparams - 1].pack ? t->nparams - 1 : t->nparams;
        else
            for (size_t k = 0; k < i; k++)
                if (t->params[k].pack)
                    i = k;
        if (i < t->nparams)
            want = t->params[i].kind;
    }
    if (want == TARG_TEMPLATE || want == TARG_NONE) {
        size_t pos = f->pos;
        if (template_name(f, a)) {
            const bool type = a->type && t && !takes_template(t, in->sofar->len);
            a->type = NULL;
            if (want == TARG_TEMPLATE ||
                ((cu_is(f, PUNCT_COMMA) || cu_at_gt(f) || cu_is(f, PUNCT_ELLIPSIS)) && t &&
                 t->kind == TEMPLATE_FUNC && !type))
                return a;
            f->pos = pos;
        } else if (want == TARG_TEMPLATE) {
            cu_error(f, cu_span(f), "expected the name of a template");
        }
    }
    if (want != TARG_VALUE && (want == TARG_TYPE || cu_at_type(f))) {
        struct type *ty = NULL;
        size_t pos = f->pos;
        unsigned save_auto = f->auto_next;
        if (want == TARG_TYPE) {
            ty = cu_parse_type_id(f);
        } else if (!cu_try_quietly(f, try_type, &ty)) {
            f->pos = pos;
            ty = NULL;
        }
        f->auto_next = save_auto;
        if (ty) {
            *a = cu_targ_type(ty);
            return a;
        }
    }
    struct expr *e = NULL;
    unsigned no_gt = f->no_gt;
    try_value(f, &e);
    f->no_gt = no_gt;
    *a = value_targ(f, t, e);
    return a;
}

void cu_parse_targs(struct front *f, struct template_info *t, struct targ **out, size_t *n)
{
    struct elements list = {0};
    struct targ_arg in = {t, &list};
    cu_nest(f, cu_span(f));
    unsigned no_gt = f->no_gt;
    while (!cu_at_gt(f)) {
        size_t before = list.len;
        if (list.len > CU_MAX_ARGS)
            cu_error(f, cu_span(f), "more than %d template arguments", CU_MAX_ARGS);
        bool pack = cu_expand_each(f, parse_targ, &in, &list);
        if (pack && list.len > before) {
            struct targ *a = list.data[list.len - 1];
            if (a->kind == TARG_TYPE)
                a->type = cu_pack_type(f, a->type);
            else
                a->expansion = true;
        }
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    f->no_gt = no_gt;
    cu_expect_gt(f);
    f->nesting--;
    *n = list.len;
    *out = arena_array(f->a, struct targ, list.len + 1);
    for (size_t i = 0; i < list.len; i++)
        (*out)[i] = *(struct targ *)list.data[i];
}

/* ---- binding ---- */

void cu_bind_one(struct front *f, struct scope *s, const struct tparam *p, const struct targ *a)
{
    if (!p->name)
        return;
    struct decl *d;
    if (p->pack) {
        d = cu_decl_new(f, DECL_PACK, p->name, cu_span(f));
        d->u.value = *a;
        d->is_tag = p->kind == TARG_TYPE;
    } else if (a->kind == TARG_TYPE) {
        d = cu_decl_new(f, DECL_TYPE, p->name, cu_span(f));
        d->type = a->type;
    } else if (a->kind == TARG_TEMPLATE) {
        d = cu_decl_new(f, DECL_USING, p->name, cu_span(f));
        d->u.target = &a->tmpl->d;
    } else if (a->kind == TARG_DEPENDENT && p->kind == TARG_TEMPLATE) {
        d = unknown_template(f, p->name, NULL, 0); /* an alias in a pattern */
    } else if (a->kind == TARG_DEPENDENT) {
        d = cu_decl_new(f, DECL_DEPENDENT, p->name, cu_span(f));
        d->u.value = *a;
        d->type = cu_type(f, TY_DEPENDENT);
    } else {
        d = cu_decl_new(f, DECL_CONST, p->name, cu_span(f));
        d->u.value = *a;
        d->type = a->type;
    }
    d->pos = 0;
    cu_declare(f, s, d);
}

/* An object of a class, or what one can be made of: in C++ the parameter is one of its own. */
static bool is_object(const struct targ *a)
{
    const struct type *t = a->object && a->object->kind == DECL_VAR ? cu_noref(a->type) : NULL;
    return t && (t->kind == TY_CLASS || ((const struct var *)a->object)->is_argument);
}

static struct targ convert_object(struct front *f, struct type *t, struct targ a, struct span at)
{
    struct expr *e = cu_targ_expr(f, &a, at);
    if (cu_has_auto(t))
        t = cu_deduce_auto(f, t, e, at);
    t = t->unqual;
    if (t->kind == TY_CLASS)
        return a.type == t ? a : cu_object_targ(f, e, t);
    if (e->type->kind == TY_ARRAY)
        cu_error(f, at, "a string has no address that could be a template argument");
    a.type = t;
    return a;
}

/* The value as one of the parameter's type, which may name earlier parameters. */
static struct targ convert_value(struct front *f, const struct tparam *p, struct scope *s,
                                 struct targ a, struct span at)
{
    if (a.kind == TARG_DEPENDENT)
        return a;
    if (a.kind != TARG_VALUE)
        cu_error(f, at, "the template parameter '%s' needs a value, not a type",
                 p->name ? p->name : "(unnamed)");
    struct parse_state st;
    cu_enter(f, &st, p->pos, s);
    f->pattern = st.pattern;
    struct declspec ds = {0};
    cu_parse_declspec(f, &ds, DS_TEMPLATE_PARAM);
    struct declarator d = {0};
    cu_parse_declarator(f, &ds, &d, DR_ABSTRACT | DR_NAMED | DR_PARAM);
    cu_restore(f, &st);
    struct type *t = d.type->kind == TY_PACK ? d.type->elem : d.type;
    if (a.set) {
        struct type *to = cu_noref(t);
        struct func *fn =
            t->dependent || cu_has_auto(t)
                ? NULL
                : cu_resolve_address(f, a.set, to->kind == TY_POINTER ? to->elem : to);
        if (!fn)
            cu_error(f, a.set->span, "it is not clear here which overload of '%s' is meant",
                     a.set->u.set.name);
        a = function_targ(f, fn);
    }
    if (!t->dependent && is_object(&a) && !cu_is_ref(t))
        return convert_object(f, t, a, at);
    if (t->dependent || cu_has_auto(t))
        return a;
    t = t->unqual;
    if (t->kind == TY_ARRAY || t->kind == TY_FUNC)
        t = cu_decayed(f, t);
    if (a.type == t)
        return a;
    struct expr *e = cu_targ_expr(f, &a, at);
    if (cu_is_ref(t) || a.object) {
        if (e->type->kind == t->kind && cu_ics(f, e, t, false).rank == ICS_NONE)
            cu_error(f, at, "a template argument: '%s' is not a '%s'", cu_type_str(f, e->type),
                     cu_type_str(f, t));
        a.type = t;
        return a;
    }
    e = cu_convert(f, e, t, "a template argument");
    if (cu_is_float(t)) {
        double v;
        if (!cu_const_float(f, e, &v))
            cu_error(f, at, "a template argument has to be a constant");
        a.type = t;
        memcpy(&a.value, &v, sizeof v);
        return a;
    }
    struct targ out;
    if (!cu_const_value(f, e, &out))
        cu_error(f, at, "a template argument has to be a constant");
    out.type = t;
    if (cu_is_integer(t) && cu_is_integer(a.type) && out.value != a.value && t->kind != TY_BOOL &&
        cu_bits(a.type) > cu_bits(t))
        cu_error(f, at, "%lld does not fit into '%s'", (long long)a.value, cu_type_str(f, t));
    return out;
}

static struct targ default_targ(struct front *f, const struct tparam *p, struct scope *s,
                                struct span at)
{
    struct parse_state st;
    cu_enter(f, &st, p->default_pos, s);
    f->pattern = st.pattern;
    struct targ a = {0};
    if (p->kind == TARG_TYPE) {
        a = cu_targ_type(cu_parse_type_id(f));
    } else if (p->kind == TARG_TEMPLATE) {
        if (!template_name(f, &a))
            cu_error(f, at, "the default is not a template");
        a.type = NULL;
    } else {
        f->no_gt++;
        a = value_targ(f, NULL, cu_parse_cond(f));
    }
    cu_restore(f, &st);
    return a;
}

static void check_kind(struct front *f, struct template_info *t, const struct tparam *p,
                       const struct targ *a, struct span at)
{
    if (a->kind == p->kind || a->kind == TARG_DEPENDENT)
        return;
    const char *name = p->name ? p->name : "(unnamed)";
    cu_error(f, at, "the template parameter '%s' of '%s' needs %s", name, t->d.name,
             p->kind == TARG_TYPE    ? "a type"
             : p->kind == TARG_VALUE ? "a value"
                                     : "a template");
}

/* Where the default of parameter i is read: its declaration may have other names for those before
 * it than the template's own. */
static struct scope *default_scope(struct front *f, const struct template_info *t, size_t i,
                                   struct scope *s, const struct targ *bound)
{
    const struct tparam *names = t->params[i].default_names;
    if (!names)
        return s;
    struct scope *own = cu_scope_new(f, SCOPE_TEMPLATE, s);
    own->tmpl = s->tmpl;
    own->func = s->func;
    for (size_t k = 0; k < i; k++)
        cu_bind_one(f, own, &names[k], &bound[k]);
    return own;
}

bool cu_bind_params(struct front *f, struct template_info *t, struct targ *args, size_t n,
                    bool partial, struct scope **scope, struct targ **full, size_t *nfull,
                    struct span at)
{
    struct scope *s = cu_scope_new(f, SCOPE_TEMPLATE, t->scope);
    s->tmpl = t;
    s->func = t->scope->func;
    struct targ *out = arena_array(f->a, struct targ, t->nparams + 1);
    size_t next = 0;
    for (size_t i = 0; i < t->nparams; i++) {
        struct tparam *p = &t->params[i];
        if (t->own_types.len && i == t->guide_of->nparams)
            cu_declare_own_types(f, t, s);
        if (p->pack) {
            if (next < n && args[next].kind == TARG_PACK) {
                out[i] = args[next++];
                for (size_t k = 0; k < out[i].npack; k++)
                    if (p->kind == TARG_VALUE && !p->concept_auto)
                        out[i].pack[k] = convert_value(f, p, s, out[i].pack[k], at);
            } else {
                size_t rest = n > next ? n - next : 0;
                size_t after = t->nparams - i -
                               1; /* parameters behind a pack of a partial pattern have defaults */
                (void)after;
                out[i].kind = TARG_PACK;
                out[i].pack = arena_array(f->a, struct targ, rest + 1);
                for (size_t k = 0; k < rest; k++) {
                    struct targ a = args[next + k];
                    if (a.kind == TARG_NONE)
                        continue;
                    check_kind(f, t, p, &a, at);
                    if (p->kind == TARG_VALUE && !p->concept_auto)
                        a = convert_value(f, p, s, a, at);
                    out[i].pack[out[i].npack++] = a;
                }
                next = n;
            }
        } else if (next < n && args[next].kind != TARG_NONE) {
            out[i] = args[next++];
            if (out[i].kind == TARG_TYPE && out[i].type->kind == TY_PACK && !f->pattern)
                cu_error(f, at, "a pack stands where one argument is needed");
            if (out[i].kind == TARG_PACK)
                cu_error(f, at, "a pack stands where one argument is needed");
            check_kind(f, t, p, &out[i], at);
            if (p->kind == TARG_VALUE)
                out[i] = convert_value(f, p, s, out[i], at);
        } else {
            if (next < n)
                next++;
            if (!p->default_pos) {
                if (partial)
                    return false;
                cu_error_note(f, at, t->d.span, "declared here",
                              "'%s' needs more template arguments: '%s' is missing", t->d.name,
                              p->name ? p->name : "(unnamed)");
            }
            out[i] = default_targ(f, p, default_scope(f, t, i, s, out), at);
            if (p->kind == TARG_VALUE)
                out[i] = convert_value(f, p, s, out[i], at);
        }
        cu_bind_one(f, s, p, &out[i]);
    }
    if (t->own_types.len && t->nparams == t->guide_of->nparams)
        cu_declare_own_types(f, t, s);
    if (next < n)
        cu_error_note(f, at, t->d.span, "declared here",
                      "'%s' takes %zu template argument%s, not %zu", t->d.name, t->nparams,
                      t->nparams == 1 ? "" : "s", n);
    *scope = s;
    *full = out;
    *nfull = t->nparams;
    return true;
}

/* ---- classes and aliases ---- */

struct type *cu_template_type(struct front *f, struct template_info *t, struct targ *args, size_t n,
                              struct span at)
{
    if (t->canonical)
        t = t->canonical;
    if (t->kind == TEMPLATE_PARAM)
        return cu_template_id(f, t, args, n);
    if (t->kind == TEMPLATE_ALIAS)
        return instantiate_alias(f, t, args, n, at);
    if (t->kind != TEMPLATE_CLASS)
        cu_error(f, at, "'%s' is not a class template", t->d.name);
    return cu_instantiate_class(f, t, args, n, at);
}

static bool has_expansion(const struct targ *args, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((args[i].kind == TARG_TYPE && args[i].type->kind == TY_PACK) || args[i].expansion)
            return true;
    return false;
}

struct type *cu_instantiate_class(struct front *f, struct template_info *t, struct targ *args,
                                  size_t n, struct span at)
{
    if (t->canonical)
        t = t->canonical;
    if (has_expansion(args, n))
        return cu_template_id(f, t, args, n);
    struct scope *s;
    struct targ *full;
    size_t nfull;
    cu_bind_params(f, t, args, n, false, &s, &full, &nfull, at);
    if (cu_targs_dependent(full, nfull))
        return cu_template_id(f, t, full, nfull);
    const char *key = cu_targs_key(f, full, nfull);
    struct type *ty = map_get(&t->instances, map_key(key));
    if (ty)
        return ty;
    if (!cu_constraints_hold(f, t, s, full, at))
        cu_error_note(f, at, t->d.span, "declared here",
                      "'%s%s' does not meet the constraints of the template", t->d.name,
                      cu_targs_str(f, full, nfull));
    struct class_info *c = cu_class_new(f, t->d.name, t->d.span, t->scope);
    c->func = t->scope->func;
    c->is_local = false;
    c->decl = &t->d;
    c->tmpl = t;
    c->args = full;
    c->nargs = nfull;
    c->scope->parent = s;
    c->used = t;
    c->used_args = full;
    map_set(&t->instances, map_key(key), c->type);
    return c->type;
}

/* ---- partial specialisations ---- */

static size_t flatten(struct front *f, const struct targ *args, size_t n, struct targ **out)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += args[i].kind == TARG_PACK ? args[i].npack : 1;
    *out = arena_array(f->a, struct targ, total + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind == TARG_PACK)
            for (size_t j = 0; j < args[i].npack; j++)
                (*out)[k++] = args[i].pack[j];
        else
            (*out)[k++] = args[i];
    }
    return k;
}

struct match_job {
    struct template_info *primary;
    struct partial_spec *p;
    struct targ *args; /* deduced */
    const struct targ *want;
    size_t nwant;
    struct scope *scope;
    struct targ *full;
    bool same;
};

/* With the deduced parameters, does its list really give these arguments? */
static void check_partial(struct front *f, void *arg)
{
    struct match_job *j = arg;
    size_t nfull;
    struct scope *s;
    struct targ *full;
    cu_bind_params(f, j->p->tmpl, j->args, j->p->tmpl->nparams, false, &j->scope, &j->full, &nfull,
                   j->p->tmpl->d.span);
    if (!cu_constraints_hold(f, j->p->tmpl, j->scope, j->full, j->p->tmpl->d.span))
        return;
    struct parse_state st;
    cu_enter(f, &st, j->p->args_pos, j->scope);
    struct targ *list;
    size_t n;
    cu_parse_targs(f, j->primary, &list, &n);
    cu_restore(f, &st);
    cu_bind_params(f, j->primary, list, n, false, &s, &full, &nfull, j->p->tmpl->d.span);
    j->same =
        nfull == j->nwant && cu_targs_key(f, full, nfull) == cu_targs_key(f, j->want, j->nwant);
}

static struct partial_spec *find_partial(struct front *f, struct template_info *t,
                                         struct targ *args, size_t n, struct scope **scope,
                                         struct targ **full)
{
    struct partial_spec *best = NULL;
    struct targ *flat;
    size_t nflat = flatten(f, args, n, &flat);
    for (struct partial_spec *p = t->partials; p; p = p->next) {
        struct targ *out = arena_array(f->a, struct targ, p->tmpl->nparams + 1);
        if (!cu_deduce_targs(f, p->tmpl, p->pattern, p->npattern, flat, nflat, out))
            continue;
        bool complete = true;
        for (size_t i = 0; i < p->tmpl->nparams; i++) {
            if (out[i].kind == TARG_NONE && p->tmpl->params[i].pack)
                out[i].kind = TARG_PACK;
            if (out[i].kind == TARG_NONE && !p->tmpl->params[i].default_pos)
                complete = false;
        }
        if (!complete)
            continue;
        struct match_job j = {.primary = t, .p = p, .args = out, .want = args, .nwant = n};
        if (!cu_try_quietly(f, check_partial, &j) || !j.same)
            continue;
        if (!best || cu_partial_more_special(f, p, best)) {
            best = p;
            *scope = j.scope;
            *full = j.full;
        }
    }
    return best;
}

struct body_job {
    struct class_info *c;
    struct template_info *from;
    struct scope *scope;
};

static void instance_body(struct front *f, void *arg)
{
    struct body_job *j = arg;
    struct parse_state st;
    cu_enter(f, &st, j->from->pos, j->scope);
    f->quiet = 0;
    cu_push_inst(f, st.pos < f->ntoks ? f->toks[st.pos].span : j->from->d.span, "instantiation of",
                 j->c->type, NULL, NULL, 0);
    j->c->inst = f->inst;
    j->c->scope->parent = j->scope;
    cu_parse_class_definition(f, j->c);
    cu_restore(f, &st);
}

void cu_class_instance_body(struct front *f, struct class_info *c)
{
    struct template_info *t = c->tmpl, *from = t;
    struct scope *s = c->scope->parent;
    struct targ *full = c->args;
    if (c->state != CLASS_DECLARED)
        return;
    const unsigned doubts = f->doubts;
    struct partial_spec *p = find_partial(f, t, c->args, c->nargs, &s, &full);
    c->doubtful = f->doubts != doubts;
    if (p)
        from = p->tmpl;
    if (!from->defined) {
        size_t n;
        if (!cu_define_nested_template(f, from))
            return;
        cu_bind_params(f, from, c->args, c->nargs, false, &s, &full, &n, from->d.span);
    }
    c->used = from;
    c->used_args = full;
    struct body_job j = {c, from, s};
    if (!cu_try(f, instance_body, &j))
        c->state = CLASS_FAILED;
}

static struct type *instantiate_alias(struct front *f, struct template_info *t, struct targ *args,
                                      size_t n, struct span at)
{
    for (size_t i = 0; i < n; i++) {
        bool pack = i >= t->nparams || t->params[i].pack;
        for (size_t k = 0; k < i && k < t->nparams; k++)
            pack |= t->params[k].pack;
        if (has_expansion(&args[i], 1) && !pack)
            return cu_type(f, TY_DEPENDENT);
    }
    struct scope *s;
    struct targ *full;
    size_t nfull;
    cu_bind_params(f, t, args, n, false, &s, &full, &nfull, at);
    bool dep = cu_targs_dependent(full, nfull);
    const char *key = cu_targs_key(f, full, nfull);
    if (!dep) {
        struct type *ty = map_get(&t->instances, map_key(key));
        if (ty)
            return ty;
        if (!cu_constraints_hold(f, t, s, full, at))
            cu_error_note(f, at, t->d.span, "declared here",
                          "'%s%s' does not meet the constraints of the template", t->d.name,
                          cu_targs_str(f, full, nfull));
    }
    struct parse_state st;
    cu_enter(f, &st, t->pos, s);
    f->pattern = dep ? 1 : 0;
    f->unevaluated = st.unevaluated;
    struct inst_note *save = f->inst;
    cu_push_inst(f, at, "alias", NULL, t->d.name, full, nfull);
    const unsigned doubts = f->doubts;
    struct type *ty = cu_parse_type_id(f);
    t->d.doubtful |= f->doubts != doubts;
    f->inst = save;
    cu_restore(f, &st);
    if (!dep)
        map_set(&t->instances, map_key(key), ty);
    return ty;
}

/* ---- variables ---- */

struct var *cu_instantiate_var(struct front *f, struct template_info *t, struct targ *args,
                               size_t n, struct span at)
{
    if (t->canonical)
        t = t->canonical;
    struct scope *s;
    struct targ *full;
    size_t nfull;
    cu_bind_params(f, t, args, n, false, &s, &full, &nfull, at);
    const char *key = cu_targs_key(f, full, nfull);
    struct var *v = map_get(&t->instances, map_key(key));
    if (v) {
        f->doubts += v->d.doubtful;
        return v;
    }
    struct template_info *from = t;
    struct targ *used = full;
    const unsigned doubts = f->doubts;
    struct partial_spec *p = find_partial(f, t, full, nfull, &s, &used);
    if (p)
        from = p->tmpl;
    struct parse_state st;
    cu_enter(f, &st, from->pos, s);
    struct declspec ds = {0};
    cu_parse_declspec(f, &ds, 0);
    struct declarator d = {0};
    cu_parse_declarator(f, &ds, &d, DR_NAMED);
    v = cu_decl_alloc(f, sizeof *v, DECL_VAR, t->d.name, t->d.span);
    v->d.type = d.type;
    v->d.scope = t->d.scope;
    v->storage = VAR_GLOBAL;
    v->is_constexpr = ds.is_constexpr;
    v->is_inline = true;
    v->tmpl = t;
    v->targs = full;
    v->ntargs = nfull;
    if (ds.is_constexpr && !cu_has_auto(v->d.type))
        v->d.type = cu_qualified(f, v->d.type, QUAL_CONST);
    v->space = cu_var_space(f, &ds);
    if (cu_is(f, PUNCT_ASSIGN) || cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACE)) {
        v->init_pos = f->pos;
        v->init_scope = f->scope;
    }
    cu_restore(f, &st);
    v->d.doubtful = f->doubts != doubts;
    map_set(&t->instances, map_key(key), v);
    return v;
}

/* ---- functions ---- */

struct signature {
    struct template_info *t;
    struct targ *args;
    size_t n;
    struct span at;
    bool pattern;
    struct func *out;
    struct scope *scope;
    struct targ *full;
    size_t nfull;
};

static struct func *parse_signature(struct front *f, struct template_info *t, bool pattern)
{
    struct declspec ds = {0};
    struct declarator d = {0};
    size_t head = f->pos;
    f->cls = t->cls ? t->cls : f->cls;
    unsigned save_auto = f->auto_seen;
    f->auto_seen = 0;
    if (t->is_friend)
        f->cls = NULL;
    cu_accept_kw(f, KW_friend);
    cu_parse_declspec(f, &ds, t->cls ? DS_MEMBER : 0);
    ds.is_friend = false;
    if (t->inside) { /* said there only */
        ds.is_static |= t->inside->is_static;
        if (t->inside->where_explicit)
            ds.where |= t->inside->where;
    }
    cu_parse_declarator(f, &ds, &d, DR_NAMED | (t->cls ? DR_MEMBER : 0));
    f->auto_seen = save_auto;
    if (!d.is_func)
        cu_error(f, d.span, "'%s' is not a function", d.name ? d.name : "this");
    if (d.unsatisfied)
        cu_error(f, d.span, "its constraints are not met");
    /* A scope that nobody looks into: the instance is reached through its template. */
    struct scope *nowhere = cu_scope_new(f, t->cls ? SCOPE_CLASS : SCOPE_NAMESPACE, t->scope);
    nowhere->cls = t->cls;
    d.qualifier = NULL;
    d.qualifier_class = NULL;
    struct func *fn = cu_declare_func(f, nowhere, &ds, &d, t->cls, head);
    fn->d.scope = t->d.scope;
    fn->d.span = t->d.span;
    fn->d.access = t->d.access;
    fn->tmpl = t;
    fn->requires_pos = d.requires_pos;
    fn->cls = t->is_friend ? NULL : t->cls;
    fn->builtin = 0;
    if (pattern)
        return fn;
    cu_finish_func(f, fn);
    return fn;
}

/* operator() of a generic lambda has no declarator of its own. */
static struct func *lambda_signature(struct front *f, struct template_info *t)
{
    struct declarator d = {
        .kind = NAME_OPERATOR, .op = OPN_CALL, .name = t->d.name, .span = t->d.span};
    size_t end;
    unsigned save_auto = f->auto_seen;
    cu_parse_lambda_params(f, &d, t->pos, t->lambda_after, &end);
    f->auto_seen = save_auto;
    if (d.unsatisfied)
        cu_error(f, t->d.span, "its constraints are not met");
    struct func *fn = cu_new_func(f, t->d.name, t->d.span);
    fn->d.type = cu_func_type(f, d.type->elem, d.type->params, d.type->nparams, d.type->variadic,
                              t->lambda_mutable ? 0 : QUAL_CONST, REF_NONE);
    fn->params = d.params;
    fn->nparams = d.nparams;
    fn->empty_packs = d.empty_packs;
    fn->cls = t->cls;
    fn->op = OPN_CALL;
    fn->is_lambda_call = fn->is_constexpr = fn->is_inline = true;
    fn->where = t->lambda_where;
    fn->where_explicit = true;
    fn->auto_result = cu_has_auto(fn->d.type->elem);
    fn->body = t->lambda_body;
    fn->state = BODY_TOKENS;
    fn->scope = f->scope;
    fn->tmpl = t;
    fn->d.scope = t->d.scope;
    return fn;
}

struct scope *cu_defaults_scope(struct front *f, const struct template_info *t, struct scope *s,
                                const struct targ *args)
{
    if (!t->ndefaults || t->default_names == t->params)
        return s;
    struct scope *own = cu_scope_new(f, SCOPE_TEMPLATE, s);
    own->tmpl = s->tmpl;
    own->func = s->func;
    for (size_t i = 0; i < t->nparams; i++)
        cu_bind_one(f, own, &t->default_names[i], &args[i]);
    return own;
}

/* Defaults that stand with an earlier declaration of the template; args: NULL in a pattern. */
static void take_earlier_defaults(struct front *f, const struct template_info *t, struct func *fn,
                                  struct scope *s, const struct targ *args)
{
    if (!t->ndefaults || t->ndefaults != fn->nparams)
        return;
    struct scope *in = args ? cu_defaults_scope(f, t, s, args) : s;
    for (size_t i = 0; i < t->ndefaults; i++)
        if (t->defaults[i] && !fn->params[i].default_pos) {
            fn->params[i].default_pos = t->defaults[i];
            fn->params[i].default_scope = in;
        }
}

static void try_signature(struct front *f, void *arg)
{
    struct signature *j = arg;
    struct scope *s = j->t->pattern_scope;
    if (!j->pattern) {
        if (!cu_bind_params(f, j->t, j->args, j->n, true, &j->scope, &j->full, &j->nfull, j->at))
            cu_error(f, j->at, "a template argument is missing");
        s = j->scope;
        if (!cu_constraints_hold(f, j->t, s, j->full, j->at))
            cu_error(f, j->at, "its constraints are not met");
    }
    struct parse_state st;
    cu_enter(f, &st, j->t->pos, s);
    f->pattern = j->pattern;
    f->extern_c = false;
    j->out = j->t->is_lambda  ? lambda_signature(f, j->t)
             : j->t->guide_of ? cu_guide_signature(f, j->t, j->pattern ? NULL : j->full, j->at)
                              : parse_signature(f, j->t, j->pattern);
    cu_restore(f, &st);
    take_earlier_defaults(f, j->t, j->out, s, j->pattern ? NULL : j->full);
}

struct func *cu_pattern(struct front *f, struct template_info *t)
{
    if (t->pattern || t->pattern_failed)
        return t->pattern;
    if (t->pattern_tried)
        return NULL;
    t->pattern_tried = true;
    struct signature j = {.t = t, .pattern = true};
    struct caught keep = f->caught;
    if (!cu_try_quietly(f, try_signature, &j)) {
        t->pattern_failed = true;
        return NULL;
    }
    f->caught = keep;
    t->pattern = j.out;
    return t->pattern;
}

static struct func *find_spec(struct front *f, struct template_info *t, const char *key)
{
    for (struct func_spec *s = t->specs; s; s = s->next)
        if (cu_targs_key(f, s->args, s->nargs) == key)
            return s->func;
    return NULL;
}

struct func *cu_instantiate_func(struct front *f, struct template_info *t, struct targ *args,
                                 size_t n, struct span at)
{
    const char *quick = cu_targs_key(f, args, n);
    struct func *fn = map_get(&t->instances, map_key(quick));
    if (fn)
        return fn;
    if (cu_targs_dependent(args, n))
        return NULL;
    struct inst_note *save = f->inst;
    if (f->inst && f->inst->depth > CU_MAX_INSTANTIATIONS) {
        unsigned q = f->quiet;
        f->quiet = 0;
        cu_report(f, at, "templates nest deeper than %d instantiations", CU_MAX_INSTANTIATIONS);
        f->quiet = q;
        cu_unwind(f);
    }
    cu_push_inst(f, at, "instantiation of", NULL,
                 t->cls && t->d.name == f->n_ctor ? t->cls->name : t->d.name, args, n);
    struct signature j = {.t = t, .args = args, .n = n, .at = at};
    bool ok = cu_try_quietly(f, try_signature, &j);
    if (ok) {
        fn = j.out;
        const char *key = cu_targs_key(f, j.full, j.nfull);
        struct func *known = map_get(&t->instances, map_key(key));
        if (!known)
            known = find_spec(f, t, key);
        if (known) {
            fn = known;
        } else {
            fn->targs = j.full;
            fn->ntargs = j.nfull;
            fn->inst = f->inst;
            map_set(&t->instances, map_key(key), fn);
            if (fn->state == BODY_NONE && t->cls)
                cu_find_member_def(f, fn);
        }
        map_set(&t->instances, map_key(quick), fn);
    }
    f->inst = save;
    return ok ? fn : NULL;
}
