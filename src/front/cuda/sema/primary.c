/* Primary expressions: literals, names, this, parentheses, named casts, type traits. */
#include "front/cuda/sema/sema.h"

/* ---- literals ---- */

static struct type *int_literal_type(struct front *f, const struct token_num *n)
{
    static const enum type_kind signed_kinds[] = {TY_INT, TY_LONG, TY_LLONG};
    static const enum type_kind unsigned_kinds[] = {TY_UINT, TY_ULONG, TY_ULLONG};
    for (unsigned i = n->longs; i < 3; i++) {
        struct type *s = cu_type(f, signed_kinds[i]), *u = cu_type(f, unsigned_kinds[i]);
        unsigned bits = cu_bits(s);
        if (!n->is_unsigned && n->integer < (UINT64_C(1) << (bits - 1)))
            return s;
        bool fits = bits == 64 || n->integer < (UINT64_C(1) << bits);
        if ((n->is_unsigned || !n->decimal) && fits)
            return u;
    }
    return cu_type(f, TY_ULLONG);
}

/* The operators of a literal's suffix. */
struct literal_operators {
    const char *name;
    struct found found;
    struct span at;
};

static struct literal_operators literal_operators(struct front *f, struct str suffix, struct span s)
{
    struct literal_operators o = {
        .name =
            intern_z(f->names, arena_printf(f->a, "operator\"\"%.*s", (int)suffix.len, suffix.ptr)),
        .at = s};
    if (!cu_lookup(f, o.name, &o.found))
        cu_error(f, s, "no literal operator for the suffix '%.*s'", (int)suffix.len, suffix.ptr);
    return o;
}

static struct expr *call_literal(struct front *f, const struct literal_operators *o,
                                 struct targ *targs, size_t ntargs, struct expr **args, size_t n)
{
    struct func *fn = cu_resolve(f, o->found.decls, o->found.n, NULL, targs, ntargs, ntargs > 0,
                                 args, n, o->at, o->name, false);
    return cu_call_func(f, fn, NULL, args, n, true, o->at);
}

static struct expr *string_expr(struct front *f, struct str text, struct type *elem, struct span s);

/* 12_x: an operator takes the value, or else the characters as text, or is a template of them. */
static struct expr *suffixed_number(struct front *f, const struct token_num *n, struct str text,
                                    struct expr *value)
{
    const struct literal_operators o = literal_operators(f, n->suffix, value->span);
    bool of_value = false, of_text = false, is_template = false;
    for (size_t i = 0; i < o.found.n; i++) {
        const struct decl *d = cu_strip_using(o.found.decls[i]);
        if (d->kind == DECL_TEMPLATE)
            is_template = true;
        else if (d->kind == DECL_FUNC && d->type->nparams == 1)
            *(d->type->params[0]->kind == TY_POINTER ? &of_text : &of_value) = true;
    }
    if (of_value || (!of_text && !is_template)) {
        if (n->overflow)
            cu_error(f, value->span, "this integer is too large for any type");
        value->type = cu_type(f, n->is_float ? TY_LDOUBLE : TY_ULLONG);
        return call_literal(f, &o, NULL, 0, &value, 1);
    }
    const struct str digits = {text.ptr, text.len - n->suffix.len};
    if (of_text) {
        struct expr *written = string_expr(f, digits, cu_type(f, TY_CHAR), value->span);
        return call_literal(f, &o, NULL, 0, &written, 1);
    }
    struct targ *characters = arena_array(f->a, struct targ, digits.len);
    for (size_t i = 0; i < digits.len; i++)
        characters[i] =
            (struct targ){.kind = TARG_VALUE, .type = cu_type(f, TY_CHAR), .value = digits.ptr[i]};
    return call_literal(f, &o, characters, digits.len, NULL, 0);
}

static struct expr *parse_number(struct front *f)
{
    struct span s = cu_span(f);
    struct token_num n;
    const struct str text = cu_tok(f)->u.text;
    if (!token_number(text, &n))
        cu_error(f, s, "'%.*s' is not a number", (int)text.len, text.ptr);
    cu_next(f);
    struct expr *e;
    if (n.is_float) {
        struct type *t = cu_type(f, n.is_float32       ? TY_FLOAT
                                    : n.is_half        ? TY_HALF
                                    : n.is_long_double ? TY_LDOUBLE
                                                       : TY_DOUBLE);
        e = cu_expr_new(f, EX_FLOAT, t, CAT_PR, s);
        e->u.d = n.is_float32 ? (double)n.number32 : n.number;
    } else {
        if (n.overflow && !n.suffix.len)
            cu_error(f, s, "this integer is too large for any type");
        e = cu_int_expr(f, int_literal_type(f, &n), n.integer, s);
    }
    return n.suffix.len ? suffixed_number(f, &n, text, e) : e;
}

static struct type *char_type(struct front *f, uint8_t prefix)
{
    return cu_type(f, prefix == 'L'   ? TY_WCHAR
                      : prefix == 'u' ? TY_CHAR16
                      : prefix == 'U' ? TY_CHAR32
                                      : TY_CHAR);
}

static struct expr *parse_char(struct front *f)
{
    const struct token *t = cu_tok(f);
    struct type *ty = char_type(f, t->prefix);
    uint64_t v = t->u.value;
    if (!t->prefix && v > 0xff)
        ty = cu_type(f, TY_INT); /* several characters */
    struct expr *e = cu_int_expr(f, ty, (uint64_t)cu_wrap(ty, (int64_t)v), t->span);
    cu_next(f);
    return e;
}

static struct expr *string_expr(struct front *f, struct str text, struct type *elem, struct span s)
{
    uint64_t size = cu_bits(elem) / 8;
    struct expr *e = cu_expr_new(
        f, EX_STRING, cu_array_of(f, cu_qualified(f, elem, QUAL_CONST), text.len / size + 1), CAT_L,
        s);
    e->u.str = text;
    return e;
}

/* "text"s, 'c's: a call with the characters and their number, with the character; without a suffix,
 * the literal. */
static struct expr *suffixed(struct front *f, struct expr *literal)
{
    const struct token *t = cu_tok(f);
    if (t->kind != TOKEN_IDENT || (t->flags & (TOKEN_SPACE | TOKEN_BOL)) || cu_kw(f))
        return literal;
    cu_next(f);
    const struct literal_operators o = literal_operators(f, str_of(t->u.name), literal->span);
    const bool text = literal->kind == EX_STRING;
    struct expr *args[2] = {literal, NULL};
    if (text)
        args[1] = cu_int_expr(f, f->size_type, literal->type->count - 1, literal->span);
    return call_literal(f, &o, NULL, 0, args, text ? 2 : 1);
}

/* ---- this ---- */

struct expr *cu_this_expr(struct front *f, struct span s)
{
    struct func *fn = f->func;
    if (fn && fn->is_lambda_call && fn->cls) {
        /* this inside a lambda is the captured one */
        struct class_info *l = fn->cls;
        if (!l->capture_this)
            cu_error(f, s, "'this' is not captured by the lambda");
        struct expr *self = cu_expr_new(
            f, EX_THIS, cu_pointer_to(f, cu_qualified(f, l->type, fn->d.type->func_quals)), CAT_PR,
            s);
        struct expr *m = cu_member_expr(f, cu_deref(f, self, s), l->this_field, s);
        if (l->this_field->d.type->kind == TY_POINTER)
            return cu_rvalue(f, m);
        return cu_address_of(f, m, s); /* [*this] */
    }
    struct class_info *c = fn && fn->cls ? fn->cls : f->cls;
    if (!c || (fn && fn->cls && fn->is_static && !f->unevaluated))
        cu_error(f, s, "'this' can be used only in a member function");
    if (fn && !fn->cls && !f->unevaluated && !f->cls)
        cu_error(f, s, "'this' can be used only in a member function");
    unsigned quals = fn && fn->cls ? fn->d.type->func_quals : 0;
    return cu_expr_new(f, EX_THIS, cu_pointer_to(f, cu_qualified(f, c->type, quals)), CAT_PR, s);
}

static bool has_this(struct front *f)
{
    if (f->func && f->func->is_lambda_call && f->func->cls)
        return f->func->cls->capture_this != NULL;
    if (f->func && f->func->cls)
        return !f->func->is_static;
    return f->cls != NULL && !f->func;
}

static struct class_info *class_of_this(struct front *f)
{
    return f->func && f->func->is_lambda_call && f->func->cls ? f->func->cls->capture_this
           : f->func && f->func->cls                          ? f->func->cls
                                                              : f->cls;
}

/* Is this an object of class c, so that its members need no other? */
static bool this_has(struct front *f, struct class_info *c)
{
    const struct class_info *mine = has_this(f) ? class_of_this(f) : NULL;
    return mine && (!c || mine == c || cu_derives(f, mine->type, c->type));
}

/* ---- names ---- */

struct expr *cu_targ_expr(struct front *f, const struct targ *a, struct span s)
{
    if (a->kind == TARG_DEPENDENT || a->kind == TARG_NONE)
        return cu_dependent(f, s);
    if (a->kind == TARG_VAR)
        return cu_var_expr(f, a->var, s);
    if (a->kind != TARG_VALUE)
        cu_error(f, s, "a type stands where a value is needed");
    if (a->object) {
        if (a->object->kind == DECL_FUNC) {
            struct expr *e = cu_expr_new(f, EX_FUNC, NULL, CAT_L, s);
            e->u.func = (struct func *)a->object;
            e->type = cu_seen_type(f, e->u.func);
            cu_use_func(f, e->u.func, s);
            if (cu_is_ref(a->type))
                return e;
            if (a->type->kind == TY_MEMPTR) {
                struct expr *m = cu_expr_new(f, EX_MEMPTR, a->type, CAT_PR, s);
                m->u.func = (struct func *)a->object;
                m->flag = true;
                return m;
            }
            return cu_decay(f, e);
        }
        if (a->object->kind == DECL_FIELD) {
            struct expr *m = cu_expr_new(f, EX_MEMPTR, a->type, CAT_PR, s);
            m->u.field = (struct field *)a->object;
            return m;
        }
        struct expr *v = cu_var_expr(f, (struct var *)a->object, s);
        if (cu_is_ref(a->type) || a->type->kind == TY_CLASS)
            return v;
        struct expr *p = v->type->kind == TY_ARRAY ? cu_decay(f, v) : cu_address_of(f, v, s);
        return cu_cast_scalar(f, p, a->type, true);
    }
    if (a->type->kind == TY_POINTER || a->type->kind == TY_NULLPTR || a->type->kind == TY_MEMPTR)
        return cu_expr_new(f, EX_NULLPTR, a->type, CAT_PR, s);
    if (cu_is_float(a->type)) {
        struct expr *e = cu_expr_new(f, EX_FLOAT, a->type->unqual, CAT_PR, s);
        memcpy(&e->u.d, &a->value, sizeof e->u.d);
        return e;
    }
    return cu_int_expr(f, a->type->unqual, (uint64_t)a->value, s);
}

struct expr *cu_var_expr(struct front *f, struct var *v, struct span s)
{
    if (v->alias) {
        struct expr *e = v->alias;
        if (f->func != v->func && v->func && f->func && f->func->is_lambda_call) {
            struct expr *c = cu_capture_expr(f, v, s);
            if (c)
                return c;
        }
        return e;
    }
    if (v->storage != VAR_GLOBAL && v->func && f->func && v->func != f->func) {
        struct expr *c = cu_capture_expr(f, v, s);
        if (c)
            return c;
        if (!f->unevaluated && !cu_var_constant(f, v))
            cu_error_note(f, s, v->d.span, "declared here", "'%s' is not captured by the lambda",
                          v->d.name);
    }
    if (v->storage == VAR_GLOBAL) {
        cu_use_var(f, v, s);
        if (v->d.type->kind == TY_AUTO ||
            (v->d.type->kind == TY_ARRAY && v->d.type->count == ARRAY_UNKNOWN) ||
            v->d.type->dependent)
            cu_complete_var(f, v);
    }
    if (v->d.type->kind == TY_AUTO && v->storage == VAR_PARAM) /* in a generic lambda's header */
        return cu_dependent(f, s);
    if (v->d.type->kind == TY_AUTO && v->storage != VAR_GLOBAL)
        cu_error(f, s, "'%s' is used in its own initialiser", v->d.name);
    v->used = true;
    struct type *t = cu_noref(v->d.type);
    struct expr *e = cu_expr_new(f, EX_VAR, t, CAT_L, s);
    e->u.var = v;
    if (t->dependent)
        return cu_dependent(f, s);
    return e;
}

static struct expr *overload_expr(struct front *f, struct found *r, struct qname *q,
                                  struct class_info *in)
{
    struct expr *e = cu_expr_new(f, EX_OVERLOAD, cu_type(f, TY_OVERLOAD), CAT_L, q->span);
    e->u.set.decls = r->decls;
    e->u.set.ndecls = r->n;
    e->u.set.name = q->name;
    e->targs = q->targs;
    e->ntargs = q->ntargs;
    e->has_targs = q->has_targs;
    e->qualified = q->scope != NULL || q->global;
    e->in_class = in;
    if (in && this_has(f, in))
        e->a = cu_deref(f, cu_this_expr(f, q->span), q->span);
    return e;
}

struct expr *cu_decl_expr(struct front *f, struct found *r, struct qname *q)
{
    struct decl *d = r->decls[0];
    if (d->kind == DECL_PACK) {
        d = cu_pack_element(f, d, q->span);
        if (!d)
            return cu_dependent(f, q->span);
    }
    if (r->cls && d->kind != DECL_FUNC && d->kind != DECL_TEMPLATE)
        cu_check_access(f, d, r->cls, q->span);
    switch (d->kind) {
    case DECL_VAR: return cu_var_expr(f, (struct var *)d, q->span);
    case DECL_CONST: {
        const struct type *t = d->type;
        if (t && t->kind == TY_ENUM && t->enumeration->open && t->enumeration->fixed && t->elem)
            return cu_int_expr(f, t->elem, (uint64_t)d->u.value.value,
                               q->span); /* in its own list */
        return cu_targ_expr(f, &d->u.value, q->span);
    }
    case DECL_FUNC: return overload_expr(f, r, q, r->cls);
    case DECL_TEMPLATE: {
        struct template_info *t = (struct template_info *)d;
        if (t->kind == TEMPLATE_FUNC)
            return overload_expr(f, r, q, r->cls);
        if (t->kind == TEMPLATE_VAR) {
            if (!q->has_targs)
                cu_error(f, q->span, "'%s' needs template arguments", q->name);
            if (cu_targs_dependent(q->targs, q->ntargs))
                return cu_dependent(f, q->span);
            return cu_var_expr(f, cu_instantiate_var(f, t, q->targs, q->ntargs, q->span), q->span);
        }
        if (t->kind == TEMPLATE_CONCEPT) {
            if (!q->has_targs)
                cu_error(f, q->span, "'%s' is a concept and needs template arguments", q->name);
            if (f->pattern && cu_targs_dependent(q->targs, q->ntargs))
                return cu_dependent(f, q->span);
            return cu_bool_expr(f, cu_concept_holds(f, t, q->targs, q->ntargs, q->span), q->span);
        }
        cu_error(f, q->span, "'%s' is a class template, not a value", q->name);
    }
    case DECL_FIELD: {
        struct field *fd = (struct field *)d;
        if (this_has(f, r->cls))
            return cu_member_expr(f, cu_deref(f, cu_this_expr(f, q->span), q->span), fd, q->span);
        if (f->unevaluated || f->pattern) {
            struct type *of = (r->cls ? r->cls : fd->cls)->type;
            struct expr *base = cu_expr_new(f, EX_DEREF, of, CAT_L, q->span);
            base->a = cu_expr_new(f, EX_NULLPTR, cu_pointer_to(f, of), CAT_PR, q->span);
            return cu_member_expr(f, base, fd, q->span);
        }
        cu_error_note(f, q->span, d->span, "declared here",
                      "'%s' is a member of '%s' and needs an object", d->name,
                      cu_type_str(f, ((struct field *)d)->cls->type));
    }
    case DECL_DEPENDENT: {
        struct expr *e = cu_dependent(f, q->span);
        e->targs = arena_new(f->a, struct targ);
        *e->targs = d->u.value;
        return e;
    }
    case DECL_POISON: cu_poisoned(f, d, q->span);
    case DECL_TYPE:
        cu_error_note(f, q->span, d->span, "declared here", "'%s' is a type, not a value", q->name);
    case DECL_NAMESPACE: cu_error(f, q->span, "'%s' is a namespace, not a value", q->name);
    default: cu_error(f, q->span, "'%s' is not a value", q->name);
    }
}

/* &Class::member, seen before the unary & is applied: a pointer to member. */
static struct expr *member_pointer(struct front *f, struct qname *q, struct found *r)
{
    size_t before = q->pos;
    while (before > 0 &&
           !(f->toks[before - 1].kind == TOKEN_PUNCT && f->toks[before - 1].punct == PUNCT_AND)) {
        const struct token *t = &f->toks[before - 1];
        bool part = t->kind == TOKEN_IDENT || t->kind == TOKEN_NUMBER ||
                    (t->kind == TOKEN_PUNCT &&
                     (t->punct == PUNCT_SCOPE || t->punct == PUNCT_LT || t->punct == PUNCT_GT ||
                      t->punct == PUNCT_COMMA || t->punct == PUNCT_MUL));
        if (!part || q->pos - before > 64)
            return NULL;
        before--;
    }
    if (!before || !q->scope || q->scope->kind != SCOPE_CLASS || !r->n)
        return NULL;
    struct decl *d = r->decls[0];
    if (d->kind == DECL_FIELD) {
        struct field *fd = (struct field *)d;
        struct expr *e =
            cu_expr_new(f, EX_MEMPTR, cu_memptr_to(f, fd->cls->type, fd->d.type), CAT_PR, q->span);
        e->u.field = fd;
        return e;
    }
    return NULL;
}

struct expr *cu_name_expr(struct front *f, struct qname *q)
{
    if (q->dependent)
        return cu_dependent(f, q->span);
    struct found r;
    size_t here = f->pos;
    uint8_t split = f->split_n;
    f->pos = q->pos;
    f->split_n = 0;
    bool hit = cu_lookup_qname(f, q, &r);
    f->pos = here;
    f->split_n = split;
    if (!hit) {
        unsigned b = q->scope && q->scope != f->global && q->scope != f->std
                         ? 0
                         : cu_find_builtin(f, q->name);
        if (b) {
            struct expr *e = cu_expr_new(f, EX_BUILTIN, cu_type(f, TY_OVERLOAD), CAT_L, q->span);
            e->u.i = b - 1;
            e->flag = true;
            if (cu_is(f, PUNCT_LT) && cu_skip_angles(f, f->pos) != f->pos) { /* __tern_op_x<T>(…) */
                cu_next(f);
                cu_parse_targs(f, NULL, &e->targs, &e->ntargs);
                e->has_targs = true;
            }
            return e;
        }
        if (!strncmp(q->name ? q->name : "", "__builtin_", 10) && !q->scope &&
            cu_lookup_in(f, f->global, intern_z(f->names, q->name + 10), &r))
            return cu_decl_expr(f, &r, q); /* what the C library calls by the rest of the name */
        if (cu_is(f, PUNCT_LPAREN) && !q->scope)
            return overload_expr(f, &r, q, NULL);
        if (cu_is(f, PUNCT_LT) && !q->scope && cu_skip_angles(f, f->pos) != f->pos) {
            size_t end = cu_skip_angles(f, f->pos);
            if (f->toks[end].kind == TOKEN_PUNCT && f->toks[end].punct == PUNCT_LPAREN) {
                cu_next(f);
                q->has_targs = true;
                cu_parse_targs(f, NULL, &q->targs, &q->ntargs);
                return overload_expr(f, &r, q, NULL);
            }
        }
        cu_undeclared(f, q->name ? q->name : "this operator", q->span, q->scope);
    }
    struct expr *m = q->scope && q->scope->kind == SCOPE_CLASS ? member_pointer(f, q, &r) : NULL;
    if (m)
        return m;
    return cu_decl_expr(f, &r, q);
}

/* ---- parentheses and named casts ---- */

static struct expr *named_cast(struct front *f)
{
    size_t start = f->pos;
    enum keyword k = cu_kw(f);
    cu_next(f);
    if (!cu_is(f, PUNCT_LT))
        cu_error(f, cu_span(f), "expected '<' after the cast");
    cu_next(f);
    struct type *t = cu_parse_type_id(f);
    cu_expect_gt(f);
    cu_expect(f, PUNCT_LPAREN, "after the cast's type");
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    struct expr *e = cu_is(f, PUNCT_LBRACE) ? cu_parse_braced(f) : cu_parse_expr(f);
    f->no_gt = no_gt;
    cu_expect(f, PUNCT_RPAREN, "after the cast's operand");
    struct span s = cu_span_from(f, start);
    switch (k) {
    case KW_static_cast: return cu_static_cast(f, e, t, s, false);
    case KW_reinterpret_cast: return cu_reinterpret_cast(f, e, t, s);
    case KW_const_cast: return cu_const_cast(f, e, t, s);
    default:
        if (cu_host(f))
            return cu_dynamic_cast(f, e, t, s);
        cu_error(f, s, "dynamic_cast is not supported here");
    }
}

static struct expr *parse_paren(struct front *f)
{
    size_t start = f->pos;
    if (cu_peek_is(f, 1, PUNCT_LBRACE)) { /* GNU statement expression */
        if (!f->func)
            cu_error(f, cu_span(f), "a statement expression outside of a function");
        cu_next(f);
        struct stmt *b = cu_parse_block(f);
        cu_expect(f, PUNCT_RPAREN, "after the statement expression");
        struct stmt *last = b->body;
        while (last && last->next)
            last = last->next;
        struct expr *e =
            cu_expr_new(f, EX_STMT, cu_type(f, TY_VOID), CAT_PR, cu_span_from(f, start));
        e->u.body = b;
        if (last && last->kind == STMT_EXPR && last->cond) {
            struct expr *v = last->cond;
            if (v->type->kind != TY_VOID)
                v = v->type->kind == TY_CLASS ? cu_init_copy(f, v->type->unqual, v, "the result")
                                              : cu_rvalue(f, v);
            last->cond = v;
            e->type = v->type;
            e->a = v;
        }
        return e;
    }
    struct expr *fold = cu_parse_fold(f);
    if (fold)
        return fold;
    f->pos = start;
    cu_next(f);
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    struct expr *e = cu_parse_expr(f);
    f->no_gt = no_gt;
    cu_expect(f, PUNCT_RPAREN, "after the expression");
    if (e->kind == EX_VAR || e->kind == EX_MEMBER || e->kind == EX_INT) {
        struct expr *copy = arena_new(f->a, struct expr);
        *copy = *e;
        e = copy;
    }
    e->paren = true;
    return e;
}

/* __builtin_LINE() and its like: where the code that is read stands, in a default argument where
 * the call does. NULL: it is none of them. */
static struct expr *parse_place(struct front *f, const char *name)
{
    static const char *const names[] = {"LINE", "COLUMN", "FILE", "FUNCTION"};
    enum { LINE, COLUMN, FILE_NAME, FUNCTION, NONE };
    unsigned which = LINE;
    if (strncmp(name, "__builtin_", 10) != 0 || !cu_peek_is(f, 1, PUNCT_LPAREN))
        return NULL;
    while (which < NONE && strcmp(name + 10, names[which]) != 0)
        which++;
    if (which == NONE)
        return NULL;
    const struct span s = cu_span(f), at = f->call_at.loc ? f->call_at : s;
    const struct func *in = f->call_at.loc ? f->call_in : f->func;
    cu_next(f);
    cu_next(f);
    cu_expect(f, PUNCT_RPAREN, "after the name");
    struct source_pos pos = {.path = ""};
    source_position(f->sm, source_expanded(f->sm, at.loc), &pos);
    if (which <= COLUMN)
        return cu_int_expr(f, cu_type(f, TY_INT), which == LINE ? pos.line : pos.column, s);
    const char *text = which == FILE_NAME ? pos.path : in && in->d.name ? in->d.name : "";
    return string_expr(f, str_of(text), cu_type(f, TY_CHAR), s);
}

static struct expr *parse_offsetof(struct front *f)
{
    size_t start = f->pos;
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after offsetof");
    struct type *t = cu_parse_type_id(f);
    cu_expect(f, PUNCT_COMMA, "in offsetof");
    if (t->kind != TY_CLASS)
        cu_error(f, f->toks[start].span, "offsetof needs a class");
    cu_complete(f, t, cu_span(f));
    struct expr *base = cu_expr_new(f, EX_DEREF, t, CAT_L, cu_span(f));
    base->a = cu_expr_new(f, EX_NULLPTR, cu_pointer_to(f, t), CAT_PR, cu_span(f));
    struct expr *e = cu_member_access(f, base, false, cu_span(f));
    while (cu_is(f, PUNCT_DOT) || cu_is(f, PUNCT_LBRACKET)) {
        if (cu_accept(f, PUNCT_DOT)) {
            e = cu_member_access(f, e, false, cu_span(f));
        } else {
            cu_next(f);
            struct expr **args;
            size_t n;
            cu_parse_args(f, PUNCT_RBRACKET, &args, &n);
            e = cu_index(f, e, args, n, cu_span(f));
        }
    }
    cu_expect(f, PUNCT_RPAREN, "after offsetof");
    uint64_t off = 0;
    for (struct expr *x = e; x != base;) {
        if (x->kind == EX_MEMBER) {
            cu_layout(f, x->u.field->cls, x->span);
            off += x->u.field->offset;
            x = x->a;
        } else if (x->kind == EX_UPCAST && !x->in_class) {
            off += x->u.i;
            x = x->a;
        } else if (x->kind == EX_DEREF && x->a->kind == EX_PTRADD && x->a->a->kind == EX_DECAY) {
            off +=
                (uint64_t)cu_require_int(f, x->a->b, "an index") * cu_sizeof(f, x->type, x->span);
            x = x->a->a->a;
        } else {
            cu_error(f, e->span, "offsetof cannot follow this member");
        }
    }
    return cu_int_expr(f, f->size_type, off, cu_span_from(f, start));
}

/* `T(…)`, `T{…}` */
static struct expr *type_construct(struct front *f, struct type *t, size_t start)
{
    if (cu_is(f, PUNCT_LBRACE)) {
        struct expr *list = cu_parse_braced(f);
        return cu_functional_cast(f, t, &list, 1, true, cu_span_from(f, start));
    }
    if (!cu_is(f, PUNCT_LPAREN))
        cu_error(f, cu_span(f), "expected '(' or '{' after the type '%s', found %s",
                 cu_type_str(f, t), cu_tok_text(f, cu_tok(f)));
    cu_next(f);
    struct expr **args;
    size_t n;
    cu_parse_args(f, PUNCT_RPAREN, &args, &n);
    return cu_functional_cast(f, t, args, n, false, cu_span_from(f, start));
}

struct expr *cu_parse_primary(struct front *f)
{
    size_t start = f->pos;
    struct span s = cu_span(f);
    const struct token *t = cu_tok(f);
    switch (t->kind) {
    case TOKEN_NUMBER: return parse_number(f);
    case TOKEN_CHAR: return suffixed(f, parse_char(f));
    case TOKEN_STRING: {
        cu_next(f);
        return suffixed(f, string_expr(f, t->u.text, char_type(f, t->prefix), s));
    }
    case TOKEN_PUNCT:
        if (t->punct == PUNCT_LPAREN)
            return parse_paren(f);
        if (t->punct == PUNCT_LBRACKET)
            return cu_parse_lambda(f);
        if (t->punct == PUNCT_SCOPE)
            break;
        cu_error(f, s, "expected an expression, found %s", cu_tok_text(f, t));
    case TOKEN_IDENT: break;
    case TOKEN_EOF: cu_error(f, s, "expected an expression, found the end of the file");
    default: cu_error(f, s, "expected an expression, found %s", cu_tok_text(f, t));
    }
    switch (cu_kw(f)) {
    case KW_NONE: break;
    case KW_true:
    case KW_false: cu_next(f); return cu_bool_expr(f, t->u.name == f->names_kw[KW_true], s);
    case KW_nullptr:
        cu_next(f);
        return cu_expr_new(f, EX_NULLPTR, cu_type(f, TY_NULLPTR), CAT_PR, s);
    case KW_this: cu_next(f); return cu_this_expr(f, s);
    case KW_static_cast:
    case KW_reinterpret_cast:
    case KW_const_cast:
    case KW_dynamic_cast: return named_cast(f);
    case KW_typeid:
        if (cu_host(f))
            return cu_parse_typeid(f);
        cu_error(f, s, "typeid is not supported here");
    case KW_requires: return cu_parse_requires(f);
    case KW_throw: cu_error(f, s, "exceptions are not supported in device code");
    case KW___builtin_offsetof: return parse_offsetof(f);
    case KW___func__:
    case KW___FUNCTION__:
    case KW___PRETTY_FUNCTION__: {
        cu_next(f);
        const char *name = f->func && f->func->d.name ? f->func->d.name : "";
        return string_expr(f, str_of(name), cu_type(f, TY_CHAR), s);
    }
    case KW_operator: {
        struct qname q;
        cu_parse_qname(f, &q, QN_EXPR);
        return cu_name_expr(f, &q);
    }
    case KW_decltype:
        if (!cu_at_type(f)) { /* decltype(x)::name */
            struct qname q;
            cu_parse_qname(f, &q, QN_EXPR);
            return cu_name_expr(f, &q);
        }
        /* fall through */
    default:
        if (cu_at_type(f)) {
            struct declspec ds = {0};
            /* A simple type: one keyword, or typename …; `unsigned int(x)` is not valid C++, but
             * harmless. */
            cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
            return type_construct(f, ds.type, start);
        }
        if (cu_kw(f) == KW_else)
            cu_error(f, s, "'else' without an 'if': the one before it ends with its statement");
        cu_error(f, s, "expected an expression, found '%s'", t->u.name);
    }
    if (t->kind == TOKEN_IDENT && t->u.name[0] == '_' && t->u.name[1] == '_') {
        struct expr *trait;
        if (cu_type_trait(f, t->u.name, &trait) || (trait = parse_place(f, t->u.name)))
            return trait;
    }
    struct qname q;
    cu_parse_qname(f, &q, QN_EXPR);
    if (!q.dependent && q.kind == NAME_IDENT) {
        struct type *ty = cu_type_from_qname(f, &q, false);
        if (ty)
            return type_construct(f, ty, start);
    }
    return cu_name_expr(f, &q);
}
