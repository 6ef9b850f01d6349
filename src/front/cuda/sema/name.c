/* Names as they are written: qualified, with template arguments, operators, destructors; and the
 * question whether a type starts here, which decides between declarations and expressions. */
#include "front/cuda/sema/sema.h"

static const char *const op_text[] = {
#define X(name, text) [PUNCT_##name] = text,
    TOKEN_PUNCTS(X)
#undef X
        [OPN_CALL] = "()",
    [OPN_INDEX] = "[]",
    [OPN_NEW] = " new",
    [OPN_DELETE] = " delete",
    [OPN_NEW_ARRAY] = " new[]",
    [OPN_DELETE_ARRAY] = " delete[]",
};

const char *cu_operator_name(struct front *f, unsigned op)
{
    const char **name = &f->op_names[op];
    if (!*name)
        *name = intern_z(f->names, arena_printf(f->a, "operator%s", op_text[op]));
    return *name;
}

/* After `operator`. */
static void parse_operator(struct front *f, struct qname *q)
{
    q->kind = NAME_OPERATOR;
    enum keyword k = cu_kw(f);
    if (k == KW_new || k == KW_delete) {
        cu_next(f);
        bool array = cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_RBRACKET);
        if (array)
            f->pos += 2;
        q->op = k == KW_new ? (array ? OPN_NEW_ARRAY : OPN_NEW)
                            : (array ? OPN_DELETE_ARRAY : OPN_DELETE);
    } else if (cu_is(f, PUNCT_LPAREN) && cu_peek_is(f, 1, PUNCT_RPAREN)) {
        f->pos += 2;
        q->op = OPN_CALL;
    } else if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_RBRACKET)) {
        f->pos += 2;
        q->op = OPN_INDEX;
    } else if (cu_tok(f)->kind == TOKEN_PUNCT && cu_tok(f)->punct != PUNCT_LPAREN &&
               cu_tok(f)->punct != PUNCT_SCOPE) {
        q->op = cu_tok(f)->punct;
        cu_next(f);
    } else if (cu_tok(f)->kind == TOKEN_STRING) {
        cu_next(f);
        q->op = OPN_LITERAL;
        const char *suffix = cu_tok(f)->u.name; /* also a keyword: operator""if */
        if (cu_tok(f)->kind != TOKEN_IDENT)
            cu_error(f, cu_span(f), "expected the suffix of a literal operator, found %s",
                     cu_tok_text(f, cu_tok(f)));
        cu_next(f);
        q->name = intern_z(f->names, arena_printf(f->a, "operator\"\"%s", suffix));
        return;
    } else {
        q->kind = NAME_CONVERSION;
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
        struct declarator d = {0};
        cu_parse_declarator(f, &ds, &d, DR_ABSTRACT | DR_CONVERSION);
        q->conversion = d.type;
        q->name = intern_z(f->names, arena_printf(f->a, "operator %s", cu_type_str(f, d.type)));
        return;
    }
    q->name = cu_operator_name(f, q->op);
}

static bool is_template_type(const struct decl *d)
{
    if (d->kind != DECL_TEMPLATE)
        return false;
    const struct template_info *t = (const struct template_info *)d;
    return t->kind == TEMPLATE_CLASS || t->kind == TEMPLATE_ALIAS || t->kind == TEMPLATE_PARAM;
}

/* The template that a name followed by `<` means: also an instance's own name inside itself. */
static struct template_info *template_of(const struct found *r)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->decls[i]->kind == DECL_TEMPLATE)
            return (struct template_info *)r->decls[i];
        if (r->decls[i]->kind == DECL_TYPE && r->decls[i]->type->kind == TY_CLASS &&
            r->decls[i]->type->cls->tmpl && r->decls[i]->name == r->decls[i]->type->cls->name) {
            struct template_info *t = r->decls[i]->type->cls->tmpl;
            return t->partial_of ? t->partial_of : t;
        }
        if (r->decls[i]->kind == DECL_TYPE && r->decls[i]->type->kind == TY_TEMPLATE_ID)
            return r->decls[i]->type->tmpl;
    }
    return NULL;
}

/* Only what may stand before `::` counts there. */
static bool lookup_scope_name(struct front *f, struct qname *q, const char *name, struct found *r)
{
    *r = (struct found){0};
    if (q->scope)
        return cu_lookup_in(f, q->scope, name, r);
    if (q->global)
        return cu_lookup_in(f, f->global, name, r);
    struct scope *save = f->scope;
    bool hit = false;
    while (f->scope && (hit = cu_lookup(f, name, r))) {
        enum decl_kind k = r->decls[0]->kind;
        if (k == DECL_TYPE || k == DECL_NAMESPACE || k == DECL_TEMPLATE || k == DECL_PACK ||
            k == DECL_POISON)
            break;
        struct scope *s = r->scope;
        hit = false;
        f->scope = s ? s->parent : NULL;
    }
    f->scope = save;
    return hit;
}

static void enter_type(struct front *f, struct qname *q, struct type *t, struct span at)
{
    q->type_scope = t;
    q->scope = NULL;
    if (t->dependent) {
        q->dependent = true;
        return;
    }
    if (t->kind == TY_CLASS) {
        if (t->cls->state == CLASS_DECLARED)
            cu_complete(f, t, at);
        q->scope = t->cls->scope;
    } else if (t->kind == TY_ENUM) {
        q->scope = t->enumeration->scope;
    } else {
        cu_error(f, at, "'%s' is not a class, enumeration or namespace", cu_type_str(f, t));
    }
}

/* Reads qualifiers `a::b<c>::`, if there are any, leaving q at the last name. */
bool cu_parse_qualifier(struct front *f, struct qname *q, unsigned flags)
{
    bool any = false;
    if (cu_is(f, PUNCT_SCOPE) && !q->scope && !q->type_scope) {
        cu_next(f);
        q->global = any = true;
        q->scope = f->global;
    }
    if (cu_is_kw(f, KW_decltype)) {
        size_t close = cu_peek_is(f, 1, PUNCT_LPAREN) ? cu_close(f, f->pos + 1) : f->pos;
        if (f->toks[close + 1].kind == TOKEN_PUNCT && f->toks[close + 1].punct == PUNCT_SCOPE) {
            struct span at = cu_span(f);
            struct type *t = cu_parse_decltype(f);
            cu_next(f);
            enter_type(f, q, cu_noref(t)->unqual, at);
            any = true;
        }
    }
    for (;;) {
        size_t start = f->pos;
        bool template_kw = any && cu_is_kw(f, KW_template);
        size_t at_name = start + template_kw;
        const struct token *t = &f->toks[at_name];
        if (t->kind != TOKEN_IDENT || f->kws[at_name])
            break;
        const struct token *after = t + 1;
        bool scope_follows = after->kind == TOKEN_PUNCT && after->punct == PUNCT_SCOPE;
        bool angle = after->kind == TOKEN_PUNCT && after->punct == PUNCT_LT;
        if (!scope_follows && !angle)
            break;
        if (scope_follows && (flags & QN_DECLARATOR) && after[1].kind == TOKEN_PUNCT &&
            after[1].punct == PUNCT_MUL)
            break; /* C::* is the declarator of a pointer to member */
        if (angle) {
            size_t end = cu_skip_angles(f, at_name + 1);
            const struct token *e = &f->toks[end];
            /* `>>` may have closed an outer list too: then nothing follows here. */
            if (end == at_name + 1 || e->kind != TOKEN_PUNCT || e->punct != PUNCT_SCOPE)
                break;
            if (q->dependent) {
                f->pos = end + 1;
                any = true;
                continue;
            }
        }
        if (q->dependent) {
            f->pos = at_name + 2;
            continue;
        }
        const char *name = t->u.name;
        struct found r;
        f->pos = at_name;
        if (!lookup_scope_name(f, q, name, &r)) {
            if (angle) {
                f->pos = start;
                break;
            }
            cu_undeclared(f, name, t->span, q->scope);
        }
        struct decl *d = r.decls[0];
        if (d->kind == DECL_POISON)
            cu_poisoned(f, d, t->span);
        if (angle) {
            struct template_info *tmpl = template_of(&r);
            if (!tmpl || !is_template_type(&tmpl->d)) {
                f->pos = start;
                break;
            }
            f->pos = at_name + 2;
            struct targ *args;
            size_t n;
            cu_parse_targs(f, tmpl, &args, &n);
            struct type *ty = cu_template_type(f, tmpl, args, n, t->span);
            if (!cu_is(f, PUNCT_SCOPE)) {
                f->pos = start;
                break;
            }
            cu_next(f);
            enter_type(f, q, ty, t->span);
            any = true;
            continue;
        }
        f->pos = at_name + 2;
        any = true;
        if (d->kind == DECL_PACK) {
            f->pos = at_name;
            d = cu_pack_element(f, d, t->span);
            f->pos = at_name + 2;
            if (!d) {
                q->dependent = true;
                continue;
            }
        }
        if (d->kind == DECL_NAMESPACE) {
            q->scope = d->u.ns;
            q->type_scope = NULL;
        } else if (d->kind == DECL_TYPE) {
            cu_check_access(f, d, r.cls, t->span);
            enter_type(f, q, d->type, t->span);
        } else if (d->kind == DECL_TEMPLATE && f->pattern) {
            q->dependent = true;
        } else {
            cu_error(f, t->span, "'%s' is not a class, enumeration or namespace", name);
        }
    }
    return any;
}

/* Of a pack without elements it is not known, but `<` behind a type's name begins arguments. */
static bool is_template_pack(const struct decl *d, unsigned flags)
{
    if (d->kind != DECL_PACK || d->is_tag)
        return false;
    return d->u.value.npack ? d->u.value.pack[0].kind == TARG_TEMPLATE : (flags & QN_TYPE) != 0;
}

void cu_parse_qname(struct front *f, struct qname *q, unsigned flags)
{
    if (!(flags & QN_MEMBER))
        *q = (struct qname){0};
    cu_parse_qualifier(f, q, flags);
    q->pos = f->pos;
    q->span = cu_span(f);
    if (cu_is_kw(f, KW_template)) {
        q->template_kw = true;
        cu_next(f);
        q->pos = f->pos;
        q->span = cu_span(f);
    }
    if (cu_accept_kw(f, KW_operator)) {
        parse_operator(f, q);
        q->span = cu_span_from(f, q->pos);
    } else if (cu_is(f, PUNCT_TILDE)) {
        cu_next(f);
        q->kind = NAME_DTOR;
        q->name = f->n_dtor;
        if (cu_is_kw(f, KW_decltype))
            cu_parse_decltype(f);
        else {
            if (cu_tok(f)->kind != TOKEN_IDENT)
                cu_error(f, cu_span(f), "expected a class name after '~'");
            cu_next(f);
            if (cu_is(f, PUNCT_LT))
                f->pos = cu_skip_angles(f, f->pos);
        }
        return;
    } else if (cu_is_name(f)) {
        q->kind = NAME_IDENT;
        q->name = cu_tok(f)->u.name;
        cu_next(f);
    } else if (cu_tok(f)->kind == TOKEN_IDENT && cu_tok(f)->u.name) {
        cu_error(f, cu_span(f), "expected a name, found the keyword '%s'", cu_tok(f)->u.name);
    } else {
        cu_error(f, cu_span(f), "expected a name, found %s", cu_tok_text(f, cu_tok(f)));
    }
    if (q->dependent) {
        if (cu_is(f, PUNCT_LT) && (q->template_kw || (flags & QN_TYPE))) {
            size_t end = cu_skip_angles(f, f->pos);
            if (end != f->pos) {
                /* Parse the list for real, so that `>>` is split where it has to be. */
                cu_next(f);
                struct targ *args;
                size_t n;
                cu_parse_targs(f, NULL, &args, &n);
            }
        }
        return;
    }
    if (!cu_is(f, PUNCT_LT))
        return;
    struct found r;
    size_t here = f->pos;
    f->pos = q->pos;
    bool hit = cu_lookup_qname(f, q, &r);
    f->pos = here;
    if (!hit && !q->scope && (flags & QN_EXPR) && !q->type_scope) {
        /* A function template found by arguments only: C++20 allows it. */
        return;
    }
    struct decl *element = NULL;
    if (hit && is_template_pack(r.decls[0], flags)) {
        element = cu_pack_element(f, r.decls[0], q->span);
        q->dependent = !element;
        r = (struct found){.decls = &element, .n = element != NULL};
    }
    struct template_info *t = hit ? template_of(&r) : NULL;
    if (!t && !q->template_kw && !q->dependent)
        return;
    if ((flags & QN_DECLARATOR) && t && t->kind == TEMPLATE_FUNC &&
        cu_skip_angles(f, f->pos) == f->pos)
        return;
    cu_next(f);
    q->has_targs = true;
    cu_parse_targs(f, t, &q->targs, &q->ntargs);
}

bool cu_lookup_qname(struct front *f, struct qname *q, struct found *out)
{
    *out = (struct found){0};
    if (q->dependent)
        return false;
    bool hit = q->scope ? cu_lookup_in(f, q->scope, q->name, out) : cu_lookup(f, q->name, out);
    return hit;
}

/* The type a name means; NULL (or an error, if required) when it means something else. */
struct type *cu_type_from_qname(struct front *f, struct qname *q, bool required)
{
    if (q->dependent)
        return cu_type(f, TY_DEPENDENT);
    struct found r;
    size_t here = f->pos;
    uint8_t split = f->split_n;
    f->pos = q->pos;
    f->split_n = 0;
    bool hit = q->kind == NAME_IDENT && cu_lookup_qname(f, q, &r);
    f->pos = here;
    f->split_n = split;
    if (!hit) {
        if (required)
            cu_undeclared(f, q->name ? q->name : "operator", q->span, q->scope);
        return NULL;
    }
    struct decl *d = r.decls[0];
    if (d->kind == DECL_PACK) {
        if (!d->is_tag && !required)
            return NULL;
        d = cu_pack_element(f, d, q->span);
        if (!d)
            return cu_type(f, TY_DEPENDENT);
        r.decls = &d;
        r.n = 1;
    }
    if (d->kind == DECL_POISON) {
        if (required || (d->type && d->type->kind == TY_VOID))
            cu_poisoned(f, d, q->span);
        return NULL;
    }
    if (q->has_targs) {
        struct template_info *t = template_of(&r);
        if (t && is_template_type(&t->d))
            return cu_template_type(f, t, q->targs, q->ntargs, q->span);
        if (required)
            cu_error(f, q->span, "'%s' is not a class template", q->name);
        return NULL;
    }
    if (d->kind == DECL_TYPE) {
        if (r.cls && !f->pattern)
            cu_check_access(f, d, r.cls, q->span);
        return d->type;
    }
    if (d->kind == DECL_TEMPLATE && is_template_type(d)) {
        struct template_info *t = (struct template_info *)d;
        if (t->kind == TEMPLATE_PARAM)
            return cu_type(f, TY_DEPENDENT);
        if (t == f->deducing)
            return f->deduced;
        /* Arguments to be deduced from the initialiser. */
        if (!t->result_class) {
            struct type *ty = arena_new(f->a, struct type);
            *ty = *cu_type(f, TY_AUTO);
            ty->unqual = ty;
            memset(ty->variant, 0, sizeof ty->variant);
            ty->variant[0] = ty;
            ty->pointer = ty->lref = ty->rref = NULL;
            ty->tmpl = t;
            t->result_class = ty;
        }
        return t->result_class;
    }
    if (required)
        cu_error_note(f, q->span, d->span, "declared here", "'%s' is not a type", q->name);
    return NULL;
}

static void try_type_name(struct front *f, void *arg)
{
    struct type **out = arg;
    struct qname q;
    cu_parse_qname(f, &q, QN_TYPE);
    *out = q.dependent ? NULL : cu_type_from_qname(f, &q, false);
}

/* Does the name here (not a keyword) mean a type? Parses only where it must. */
static bool name_is_type(struct front *f)
{
    const struct token *t = cu_tok(f), *after = t + 1;
    if (cu_at_concept(f))
        return f->kws[cu_type_constraint_end(f, f->pos)] == KW_auto;
    if (t->kind == TOKEN_IDENT && !(after->kind == TOKEN_PUNCT && after->punct == PUNCT_SCOPE)) {
        struct found r;
        if (!cu_lookup(f, t->u.name, &r))
            return false;
        struct decl *d = r.decls[0];
        if (after->kind == TOKEN_PUNCT && after->punct == PUNCT_LT) {
            struct template_info *tmpl = template_of(&r);
            if (tmpl && is_template_type(&tmpl->d)) {
                size_t end = cu_skip_angles(f, f->pos + 1);
                const struct token *e = &f->toks[end];
                if (e->kind != TOKEN_PUNCT || e->punct != PUNCT_SCOPE)
                    return true;
            } else {
                return d->kind == DECL_TYPE;
            }
        } else {
            if (d->kind == DECL_PACK) {
                if (d->u.value.npack && !f->probing)
                    return d->u.value.pack[0].kind == TARG_TYPE;
                return d->is_tag; /* a pack of types is marked so */
            }
            return d->kind == DECL_TYPE || is_template_type(d) ||
                   (d->kind == DECL_POISON && d->type);
        }
    }
    size_t pos = f->pos;
    struct type *ty = NULL;
    bool ok = cu_try_quietly(f, try_type_name, &ty);
    f->pos = pos;
    f->split_n = 0;
    return ok && ty;
}

bool cu_at_type(struct front *f)
{
    switch (cu_kw(f)) {
    case KW_NONE: break;
    case KW_void:
    case KW_bool:
    case KW__Bool:
    case KW_char:
    case KW_char8_t:
    case KW_char16_t:
    case KW_char32_t:
    case KW_wchar_t:
    case KW_short:
    case KW_int:
    case KW_long:
    case KW_signed:
    case KW___signed__:
    case KW_unsigned:
    case KW_float:
    case KW_double:
    case KW___tern_f16:
    case KW___tern_bf16:
    case KW___int128:
    case KW_const:
    case KW___const:
    case KW___const__:
    case KW_volatile:
    case KW___volatile__:
    case KW_struct:
    case KW_class:
    case KW_union:
    case KW_enum:
    case KW_typename:
    case KW_auto:
    case KW___typeof__:
    case KW___underlying_type:
    case KW_typeof: return true;
    case KW_decltype: {
        size_t close = cu_peek_is(f, 1, PUNCT_LPAREN) ? cu_close(f, f->pos + 1) : f->pos;
        const struct token *e = &f->toks[close + 1];
        if (e->kind != TOKEN_PUNCT || e->punct != PUNCT_SCOPE)
            return true;
        return name_is_type(f);
    }
    default: return false;
    }
    if (cu_is_name(f) || (cu_is(f, PUNCT_SCOPE) && f->toks[f->pos + 1].kind == TOKEN_IDENT))
        return name_is_type(f);
    return false;
}

/* Does (*name)[ or (&name)[ start at t? */
static bool is_bracketed_array(const struct token *t)
{
    static const enum punct by[][2] = {{PUNCT_LPAREN, PUNCT_LPAREN},
                                       {PUNCT_MUL, PUNCT_AND},
                                       {PUNCT_NONE, PUNCT_NONE},
                                       {PUNCT_RPAREN, PUNCT_RPAREN},
                                       {PUNCT_LBRACKET, PUNCT_LBRACKET}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (i == 2 ? t[i].kind != TOKEN_IDENT
                   : t[i].kind != TOKEN_PUNCT || (t[i].punct != by[i][0] && t[i].punct != by[i][1]))
            return false;
    return true;
}

/* In a statement: a specifier that only declarations have, or a type that is not the start of a
 * functional cast or of a qualified name of something else. */
bool cu_at_decl(struct front *f)
{
    switch (cu_kw(f)) {
    case KW_typedef:
    case KW_extern:
    case KW_static:
    case KW_register:
    case KW_thread_local:
    case KW___thread:
    case KW_constexpr:
    case KW_constinit:
    case KW_inline:
    case KW___shared__:
    case KW___constant__:
    case KW___device__:
    case KW___managed__:
    case KW___align__:
    case KW_alignas:
    case KW___attribute__:
    case KW___extension__:
    case KW_using:
    case KW_static_assert:
    case KW__Static_assert:
    case KW_namespace: return true;
    default: break;
    }
    if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET))
        return true;
    if (!cu_at_type(f))
        return false;
    /* T(x) … and T{…}: find the token after the type's name. */
    size_t i = f->pos;
    if (cu_is_kw(f, KW_typename))
        i++;
    switch (cu_kw(f)) {
    case KW_NONE:
    case KW_typename: {
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_SCOPE)
            i++;
        for (;;) {
            if (f->kws[i] == KW_template)
                i++;
            if (f->toks[i].kind != TOKEN_IDENT)
                break;
            i++;
            if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_LT)
                i = cu_skip_angles(f, i);
            if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_SCOPE)
                i++;
            else
                break;
        }
        break;
    }
    case KW_decltype: i = cu_peek_is(f, 1, PUNCT_LPAREN) ? cu_close(f, i + 1) + 1 : i + 1; break;
    case KW_void:
    case KW_bool:
    case KW_char:
    case KW_short:
    case KW_int:
    case KW_long:
    case KW_signed:
    case KW_unsigned:
    case KW_float:
    case KW_double:
    case KW___tern_f16:
    case KW___tern_bf16: i++; break;
    default: return true;
    }
    const struct token *t = &f->toks[i];
    if (t->kind == TOKEN_PUNCT && t->punct == PUNCT_LBRACE)
        return false;
    if (t->kind != TOKEN_PUNCT || t->punct != PUNCT_LPAREN)
        return true;
    /* T (…): a declaration if what is in parentheses can only be a declarator. */
    size_t close = cu_close(f, i);
    const struct token *in = t + 1, *after = &f->toks[close + 1];
    bool pointer = in->kind == TOKEN_PUNCT &&
                   (in->punct == PUNCT_MUL || in->punct == PUNCT_AND || in->punct == PUNCT_ANDAND);
    if (pointer) {
        bool declarator_follows = after->kind == TOKEN_PUNCT &&
                                  (after->punct == PUNCT_LPAREN || after->punct == PUNCT_LBRACKET ||
                                   after->punct == PUNCT_ASSIGN || after->punct == PUNCT_SEMI);
        return declarator_follows && (f->toks[close - 1].kind == TOKEN_IDENT ||
                                      f->toks[close - 1].punct == PUNCT_RBRACKET);
    }
    if (is_bracketed_array(in))
        return after->kind == TOKEN_PUNCT &&
               (after->punct == PUNCT_ASSIGN || after->punct == PUNCT_SEMI ||
                after->punct == PUNCT_COMMA);
    /* T (C::*p): a pointer to member */
    for (size_t k = i + 1; k + 1 < close; k++) {
        if (f->toks[k].kind == TOKEN_PUNCT && f->toks[k].punct == PUNCT_SCOPE &&
            f->toks[k + 1].kind == TOKEN_PUNCT && f->toks[k + 1].punct == PUNCT_MUL)
            return true;
        if (f->toks[k].kind == TOKEN_PUNCT && f->toks[k].punct != PUNCT_SCOPE)
            break;
    }
    if (in->kind == TOKEN_IDENT && close == i + 2 && after->kind == TOKEN_PUNCT &&
        (after->punct == PUNCT_ASSIGN || after->punct == PUNCT_LBRACKET ||
         after->punct == PUNCT_SEMI)) {
        struct found r;
        return after->punct != PUNCT_SEMI || !cu_lookup(f, in->u.name, &r);
    }
    return false;
}
