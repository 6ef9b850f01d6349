/* Function declarations: redeclaration, definitions outside of classes, and who may call whom. */
#include "front/cuda/sema/sema.h"

struct func *cu_new_func(struct front *f, const char *name, struct span at)
{
    struct func *fn = cu_decl_alloc(f, sizeof *fn, DECL_FUNC, name, at);
    fn->vslot = -1;
    fn->inst = f->inst;
    fn->scope = f->scope;
    return fn;
}

static bool same_params(const struct type *a, const struct type *b)
{
    if (a->nparams != b->nparams || a->variadic != b->variadic || a->func_quals != b->func_quals ||
        a->func_ref != b->func_ref)
        return false;
    for (size_t i = 0; i < a->nparams; i++)
        if (a->params[i] != b->params[i])
            return false;
    return true;
}

/* __host__ f and __device__ f are two functions. */
static bool same_side(const struct func *fn, const struct declspec *ds)
{
    if (!fn->where_explicit || !ds->where)
        return true;
    uint8_t side = WHERE_HOST | WHERE_DEVICE | WHERE_GLOBAL;
    return (fn->where & ds->where & side) != 0;
}

static struct func *find_previous(struct front *f, struct scope *s, struct declspec *ds,
                                  struct declarator *d, const char *name)
{
    for (struct decl *o = cu_find_local(f, s, name); o; o = o->older)
        if (o->kind == DECL_FUNC && same_params(o->type, d->type) &&
            same_side((struct func *)o, ds) && !((struct func *)o)->tmpl &&
            !((struct func *)o)->requires_pos == !d->requires_pos)
            return (struct func *)o;
    return NULL;
}

static void merge_params(struct func *fn, struct declarator *d)
{
    for (size_t i = 0; i < fn->nparams && i < d->nparams; i++) {
        struct param *o = &fn->params[i], *n = &d->params[i];
        if (!n->default_pos) {
            n->default_pos = o->default_pos;
            n->default_scope = o->default_scope;
            n->default_value = o->default_value;
        } else if (fn->body) {
            o->default_pos = n->default_pos;
            o->default_scope = n->default_scope;
        }
    }
    if (fn->body) { /* which knows its parameters by the names of its definition */
        d->params = fn->params;
        return;
    }
    fn->params = d->params;
    fn->empty_packs = d->empty_packs;
}

/* Names in the signature may be spelled so that only the instance differs: match by shape. */
static struct func *find_by_shape(struct front *f, struct scope *into, const struct declarator *d,
                                  const char *name)
{
    struct func *only = NULL;
    for (struct decl *o = cu_find_local(f, into, name); o; o = o->older)
        if (o->kind == DECL_FUNC && o->type->nparams == d->type->nparams &&
            o->type->func_quals == d->type->func_quals) {
            if (only)
                return NULL;
            only = (struct func *)o;
        }
    return only;
}

/* A qualified name that nothing of these parameters was declared by. */
static void check_member(struct front *f, struct scope *into, const struct declarator *d,
                         const struct class_info *cls, const char *name)
{
    const struct decl *o = cu_find_local(f, into, name);
    if (!o)
        cu_undeclared(f, d->kind == NAME_CTOR || d->kind == NAME_DTOR ? cls->name : d->name,
                      d->span, into);
    if (into->kind == SCOPE_CLASS)
        cu_error_note(f, d->span, o->span, "this is what the class declares",
                      "'%s' has no member '%s' with these parameters", cu_type_str(f, cls->type),
                      d->kind == NAME_CTOR ? "constructor" : d->name);
}

static void check_clash(struct front *f, const struct declspec *ds, const struct declarator *d,
                        struct decl *clash)
{
    if (clash && (clash->kind == DECL_VAR || clash->kind == DECL_FIELD ||
                  (clash->kind == DECL_TYPE && !clash->is_tag)))
        cu_error_note(f, d->span, clash->span, "declared here first",
                      "'%s' is already declared as something else", d->name);
    if (!ds->extern_c || !(ds->where & (WHERE_DEVICE | WHERE_GLOBAL)))
        return;
    for (struct decl *o = clash; o; o = o->older)
        if (o->kind == DECL_FUNC && ((struct func *)o)->extern_c && !o->system &&
            (((struct func *)o)->where & (WHERE_DEVICE | WHERE_GLOBAL)))
            cu_error_note(f, d->span, o->span, "declared here first",
                          "'%s' is extern \"C\": it cannot be overloaded", d->name);
}

static struct func *new_func(struct front *f, const struct declspec *ds, const struct declarator *d,
                             struct class_info *cls, const char *name, bool in_class)
{
    struct func *fn = cu_new_func(f, name, d->span);
    fn->d.type = d->type;
    fn->params = d->params;
    fn->empty_packs = d->empty_packs;
    fn->cls = cls;
    fn->is_static = ds->is_static && in_class;
    fn->is_virtual = ds->is_virtual;
    fn->is_explicit = ds->is_explicit;
    fn->op = d->kind == NAME_OPERATOR ? d->op : 0;
    fn->is_ctor = d->kind == NAME_CTOR;
    fn->is_dtor = d->kind == NAME_DTOR;
    fn->is_conversion = d->kind == NAME_CONVERSION;
    if (in_class && (fn->op == OPN_NEW || fn->op == OPN_DELETE || fn->op == OPN_NEW_ARRAY ||
                     fn->op == OPN_DELETE_ARRAY))
        fn->is_static = true;
    if (fn->is_dtor && cls)
        cls->dtor = fn;
    return fn;
}

/* A global operator new or delete in the place of our library's. */
static bool replaces_ours(struct front *f, const struct func *fn)
{
    const bool defined =
        cu_is(f, PUNCT_LBRACE) || cu_is_kw(f, KW_try) || cu_is_kw(f, KW___attribute__);
    return defined && cu_host(f) && fn->d.system && !fn->cls && fn->body &&
           (fn->op == OPN_NEW || fn->op == OPN_NEW_ARRAY || fn->op == OPN_DELETE ||
            fn->op == OPN_DELETE_ARRAY);
}

static void declare_again(struct front *f, struct func *fn, struct declarator *d)
{
    struct type *was = fn->d.type->elem, *now = d->type->elem;
    if (replaces_ours(f, fn)) {
        fn->body = 0;
        fn->state = BODY_NONE;
        fn->d.system = fn->is_inline = false;
    }
    merge_params(fn, d);
    if (was->kind == TY_AUTO && now->kind != TY_AUTO)
        fn->d.type = d->type;
    else if (was != now && !cu_has_auto(now) && fn->state == BODY_NONE && !now->dependent)
        cu_error_note(f, d->span, fn->d.span, "declared here first",
                      "'%s' is redeclared with another result ('%s', not '%s')", d->name,
                      cu_type_str(f, now), cu_type_str(f, was));
}

/* What each declaration adds. */
static void add_specifiers(struct func *fn, const struct declspec *ds, const struct declarator *d,
                           bool in_class)
{
    fn->where |= ds->where;
    fn->where_explicit |= ds->where != 0;
    fn->is_constexpr |= ds->is_constexpr;
    fn->is_consteval |= ds->is_consteval;
    fn->is_inline |= ds->is_inline || ds->is_constexpr || ds->is_consteval;
    fn->extern_c |= ds->extern_c;
    fn->is_extern |= ds->is_extern;
    fn->internal |= ds->is_static && !in_class;
    fn->forceinline |= ds->forceinline;
    fn->noinline |= ds->noinline;
    fn->noreturn |= ds->noreturn;
    fn->nodiscard |= ds->nodiscard;
    fn->is_noexcept |= d->is_noexcept;
    if (d->noexcept_pos && !fn->noexcept_pos) {
        fn->noexcept_pos = d->noexcept_pos;
        fn->noexcept_scope = d->params_scope;
    }
    fn->requires_pos = d->requires_pos;
    fn->auto_result |= cu_has_auto(d->type->elem);
    if (ds->max_threads)
        fn->max_threads = ds->max_threads;
    if (ds->min_blocks)
        fn->min_blocks = ds->min_blocks;
    if (ds->cluster[0])
        memcpy(fn->cluster, ds->cluster, sizeof fn->cluster);
}

static void check_kernel(struct front *f, const struct func *fn, const struct declarator *d,
                         bool in_class)
{
    const struct type *result = d->type->elem;
    if (result->kind != TY_VOID && !result->dependent && result->kind != TY_AUTO)
        cu_error(f, d->span, "a kernel returns nothing: '%s' has to return void", d->name);
    if (in_class && !fn->is_static)
        cu_error(f, d->span, "a kernel cannot be a member function");
}

/* A declaration of a function that the compiler has itself. */
static unsigned builtin_of(struct front *f, const struct func *fn, const struct scope *into)
{
    const bool global = into == f->global || into == f->std;
    if (!global || fn->cls || (fn->where & WHERE_GLOBAL) || !(fn->extern_c || fn->d.system))
        return 0;
    return cu_find_builtin(f, fn->d.name);
}

struct func *cu_declare_func(struct front *f, struct scope *s, struct declspec *ds,
                             struct declarator *d, struct class_info *cls, size_t head)
{
    struct scope *into = d->qualifier ? d->qualifier : s;
    while (into->kind == SCOPE_TEMPLATE)
        into = into->parent;
    const char *name = d->kind == NAME_CTOR ? f->n_ctor : d->name;
    if (!d->is_func && d->type->kind == TY_FUNC) { /* through a typedef of a function type */
        d->nparams = d->type->nparams;
        d->params = arena_array(f->a, struct param, d->nparams + 1);
        for (size_t i = 0; i < d->nparams; i++)
            d->params[i].type = d->type->params[i];
        d->is_noexcept |= d->type->func_noexcept == NOEXCEPT_YES;
        d->type = cu_may_throw(f, d->type);
    }
    const bool in_class = into->kind == SCOPE_CLASS;
    if (!d->qualifier && in_class)
        cls = into->cls;
    struct func *fn = find_previous(f, into, ds, d, name);
    if (!fn && d->qualifier && in_class && d->type->elem->kind != TY_AUTO && d->type->dependent)
        fn = find_by_shape(f, into, d, name);
    if (!fn && d->qualifier)
        check_member(f, into, d, cls, name);
    const bool fresh = !fn;
    if (fresh) {
        check_clash(f, ds, d, cu_find_local(f, into, name));
        fn = new_func(f, ds, d, cls, name, in_class);
    } else {
        declare_again(f, fn, d);
        if (!ds->is_friend)
            fn->d.hidden = false;
    }
    fn->nparams = d->nparams;
    if (!fn->body)
        fn->head = head;
    add_specifiers(fn, ds, d, in_class);
    if (fresh || d->qualifier || cu_is(f, PUNCT_LBRACE)) {
        fn->scope = d->params_scope && d->params_scope->parent ? d->params_scope->parent : f->scope;
        if (!d->qualifier && in_class && fn->scope->kind != SCOPE_CLASS &&
            fn->scope->kind != SCOPE_TEMPLATE)
            fn->scope = into;
    }
    if (!fn->where_explicit) {
        fn->where = f->default_where ? f->default_where : WHERE_HOST;
        if (fn->is_constexpr || f->job->default_device)
            fn->where = WHERE_HOST | WHERE_DEVICE;
    }
    if (fn->where & WHERE_GLOBAL)
        check_kernel(f, fn, d, in_class);
    if (fresh) {
        fn->builtin = (uint16_t)builtin_of(f, fn, into);
        cu_declare(f, into, &fn->d);
        fn->d.pos = d->pos;
    }
    return fn;
}

/* override, final, requires clauses and trailing attributes */
static void after_declarator(struct front *f, struct func *fn)
{
    for (;;) {
        if (cu_is_name(f) && cu_tok(f)->u.name == f->n_override) {
            cu_next(f);
            fn->is_override = true;
        } else if (cu_is_name(f) && cu_tok(f)->u.name == f->n_final) {
            cu_next(f);
            fn->is_final = true;
        } else if (cu_is_kw(f, KW___attribute__)) {
            cu_skip_attributes(f);
        } else {
            return;
        }
    }
}

bool cu_finish_func(struct front *f, struct func *fn)
{
    after_declarator(f, fn);
    if (cu_is(f, PUNCT_ASSIGN)) {
        cu_next(f);
        struct span at = cu_span(f);
        if (cu_accept_kw(f, KW_default)) {
            fn->is_defaulted = true;
            if (!fn->where_explicit)
                fn->where = WHERE_HOST | WHERE_DEVICE;
        } else if (cu_accept_kw(f, KW_delete)) {
            fn->is_deleted = true;
        } else if (cu_tok(f)->kind == TOKEN_NUMBER && str_is(cu_tok(f)->u.text, "0")) {
            cu_next(f);
            fn->is_pure = true;
            if (!fn->is_virtual && !f->pattern)
                cu_error(f, at, "'= 0' needs 'virtual'");
        } else {
            cu_error(f, at, "expected 'default', 'delete' or '0' after '='");
        }
        cu_expect(f, PUNCT_SEMI, "after the function");
        return true;
    }
    if (cu_is(f, PUNCT_LBRACE) || cu_is(f, PUNCT_COLON) || cu_is_kw(f, KW_try)) {
        size_t body = f->pos;
        if (fn->body && fn->state != BODY_NONE && !f->pattern && !fn->tmpl) {
            size_t name = body;
            while (name &&
                   (f->toks[name].kind != TOKEN_IDENT || f->toks[name].u.name != fn->d.name))
                name--;
            cu_error_note(f, name ? f->toks[name].span : fn->d.span, fn->d.span,
                          "defined here first", "'%s' is defined twice", fn->d.name);
        }
        cu_accept_kw(f, KW_try);
        if (cu_accept(
                f, PUNCT_COLON)) { /* constructor initialisers: name(…) or name{…}, then the body */
            for (;;) {
                while (!cu_is(f, PUNCT_LPAREN) && !cu_is(f, PUNCT_LBRACE) &&
                       cu_tok(f)->kind != TOKEN_EOF) {
                    if (cu_is(f, PUNCT_LT)) {
                        size_t end = cu_skip_angles(f, f->pos);
                        f->pos = end == f->pos ? f->pos + 1 : end;
                    } else {
                        cu_next(f);
                    }
                }
                if (cu_tok(f)->kind == TOKEN_EOF)
                    break;
                f->pos = cu_close(f, f->pos) + 1;
                cu_accept(f, PUNCT_ELLIPSIS);
                if (!cu_accept(f, PUNCT_COMMA))
                    break;
            }
        }
        if (!cu_is(f, PUNCT_LBRACE))
            cu_error(f, cu_span(f), "expected the function's body, found %s",
                     cu_tok_text(f, cu_tok(f)));
        f->pos = cu_close(f, f->pos) + 1;
        while (cu_is_kw(f, KW_catch)) {
            cu_next(f);
            if (cu_is(f, PUNCT_LPAREN))
                f->pos = cu_close(f, f->pos) + 1;
            if (cu_is(f, PUNCT_LBRACE))
                f->pos = cu_close(f, f->pos) + 1;
        }
        fn->body = body;
        fn->state = BODY_TOKENS;
        fn->inst = f->inst;
        if (!(fn->where & (WHERE_DEVICE | WHERE_GLOBAL)))
            f->job->host_tokens += f->pos - body;
        if ((fn->where & WHERE_GLOBAL) && !f->pattern && !fn->tmpl && !(fn->cls && fn->cls->tmpl))
            vec_push(f->a, &f->kernels, fn);
        return true;
    }
    return false;
}

static const char *side_name(const struct func *fn)
{
    if (fn->where & WHERE_GLOBAL)
        return "a kernel";
    return "a host function";
}

void cu_use_func(struct front *f, struct func *fn, struct span at)
{
    /* in the host half, what only the device has is found out when it is lowered */
    if (!cu_in_device(f) || f->pattern || f->probing)
        return;
    if (fn->where & WHERE_DEVICE)
        return;
    if (fn->is_constexpr || fn->is_defaulted || fn->is_implicit)
        return;
    /* A constexpr function without attributes may have host-only branches: it fails when lowered.
     */
    if (f->func->is_constexpr && !f->func->where_explicit)
        return;
    if (fn->cls && fn->d.system && pp_skipped_for(&f->job->preprocessed, fn->cls->name))
        cu_undeclared(f, fn->cls->name, at, NULL); /* a class of the host's library */
    const char *name =
        fn->is_ctor   ? arena_printf(f->a, "the constructor of '%s'", cu_type_str(f, fn->cls->type))
        : fn->is_dtor ? arena_printf(f->a, "the destructor of '%s'", cu_type_str(f, fn->cls->type))
                      : arena_printf(f->a, "'%s'", cu_qualified_name(f, &fn->d));
    cu_error_note(f, at, fn->d.span,
                  fn->where & WHERE_GLOBAL ? "declared __global__ here"
                                           : "declared here, without __device__",
                  "%s is %s: device code cannot call it", name, side_name(fn));
}
