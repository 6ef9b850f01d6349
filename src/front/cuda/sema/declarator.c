/* Decl-specifiers and declarators: from tokens to types and names. */
#include "front/cuda/sema/sema.h"

/* ---- specifiers ---- */

struct basic_counts {
    uint8_t long_, short_, signed_, unsigned_, int_, char_, double_, float_, wide_;
    unsigned quals;
    struct type *type;
};

static struct type *basic_type(struct front *f, const struct basic_counts *b, struct span at)
{
    if (b->type)
        return b->type;
    unsigned words = b->char_ + b->double_ + b->float_ + b->wide_;
    if (words > 1 || b->long_ > 2 || (b->signed_ && b->unsigned_) || (b->short_ && b->long_))
        cu_error(f, at, "these type specifiers do not go together");
    if (b->wide_) { /* int128.h has them as classes */
        struct found r;
        const char *name = b->unsigned_ ? "__tern_u128" : "__tern_i128";
        if (b->short_ || b->long_ || !cu_lookup_in(f, f->global, intern_z(f->names, name), &r) ||
            r.decls[0]->kind != DECL_TYPE)
            cu_error(f, at, "128-bit integers are not supported here");
        return r.decls[0]->type;
    }
    if (b->char_)
        return cu_type(f, b->unsigned_ ? TY_UCHAR : b->signed_ ? TY_SCHAR : TY_CHAR);
    if (b->float_)
        return cu_type(f, TY_FLOAT);
    if (b->double_ && b->long_ && f->func && cu_in_device(f))
        cu_warn(f, "long-double", at, "'long double' is a double in device code");
    if (b->double_)
        return cu_type(f, b->long_ ? TY_LDOUBLE : TY_DOUBLE);
    if (b->short_)
        return cu_type(f, b->unsigned_ ? TY_USHORT : TY_SHORT);
    if (b->long_ == 1)
        return cu_type(f, b->unsigned_ ? TY_ULONG : TY_LONG);
    if (b->long_ == 2)
        return cu_type(f, b->unsigned_ ? TY_ULLONG : TY_LLONG);
    return cu_type(f, b->unsigned_ ? TY_UINT : TY_INT);
}

static bool has_basic(const struct basic_counts *b)
{
    return b->type || b->long_ || b->short_ || b->signed_ || b->unsigned_ || b->int_ || b->char_ ||
           b->double_ || b->float_ || b->wide_;
}

/* Of a name that a structured binding gave to a part, alone in the parentheses: the part's type. */
static struct type *bound_type(struct front *f)
{
    struct found r;
    if (cu_tok(f)->kind != TOKEN_IDENT || !cu_peek_is(f, 1, PUNCT_RPAREN) ||
        !cu_lookup(f, cu_tok(f)->u.name, &r) || r.decls[0]->kind != DECL_VAR)
        return NULL;
    return ((struct var *)r.decls[0])->bound;
}

struct type *cu_parse_decltype(struct front *f)
{
    struct span at = cu_span(f);
    bool is_typeof = !cu_is_kw(f, KW_decltype);
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after decltype");
    if (!is_typeof && cu_is_kw(f, KW_auto) && cu_peek_is(f, 1, PUNCT_RPAREN)) {
        f->pos += 2;
        struct type *t = arena_new(f->a, struct type);
        *t = *cu_type(f, TY_AUTO);
        t->unqual = t;
        memset(t->variant, 0, sizeof t->variant);
        t->variant[0] = t;
        t->pointer = t->lref = t->rref = NULL;
        t->decltype_auto = true;
        return t;
    }
    if (is_typeof && cu_at_type(f)) {
        struct type *t = cu_parse_type_id(f);
        cu_expect(f, PUNCT_RPAREN, "after the type");
        return t;
    }
    struct type *bound = is_typeof ? NULL : bound_type(f);
    if (bound) {
        f->pos += 2;
        return bound;
    }
    f->unevaluated++;
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    size_t start = f->pos;
    struct expr *e = cu_parse_expr(f);
    f->no_gt = no_gt;
    f->unevaluated--;
    cu_expect(f, PUNCT_RPAREN, "after the operand of decltype");
    if (e->kind == EX_DEPENDENT)
        return cu_type(f, TY_DEPENDENT);
    if (e->kind == EX_OVERLOAD) {
        const bool open = f->pattern && cu_targs_dependent(e->targs, e->ntargs);
        struct func *fn = open ? NULL : cu_resolve_address(f, e, NULL);
        if (!fn && f->pattern)
            return cu_type(f, TY_DEPENDENT);
        if (!fn)
            cu_error(f, at, "decltype of an overloaded function");
        return e->flag ? cu_address_type(f, fn) : cu_seen_type(f, fn);
    }
    bool parens =
        f->toks[start].kind == TOKEN_PUNCT && f->toks[start].punct == PUNCT_LPAREN && e->paren;
    if (!is_typeof && !parens) {
        if (e->kind == EX_VAR)
            return e->u.var->d.type;
        if (e->kind == EX_MEMBER)
            return e->u.field->d.type;
        if (e->kind == EX_FUNC)
            return e->type;
    }
    if (is_typeof)
        return e->type;
    if (e->cat == CAT_L)
        return cu_lref_to(f, e->type);
    if (e->cat == CAT_X)
        return cu_rref_to(f, e->type);
    return e->type;
}

/* Inside a class: `Name (` declares a constructor. Outside: `Class::Name (`, `Class::~…`,
 * `C::operator T`. */
static bool at_special_member(struct front *f, unsigned flags)
{
    if (cu_is_kw(f, KW_operator) || cu_is(f, PUNCT_TILDE))
        return true;
    if ((flags & DS_MEMBER) && cu_is_name(f) && f->cls && cu_tok(f)->u.name == f->cls->name &&
        cu_peek_is(f, 1, PUNCT_LPAREN)) {
        /* `Name (*f)()` would be a member of that type; a constructor's parameter never starts so.
         * `Name (max)()` is a function, whose name a macro of that name does not meet. */
        return !(cu_peek_is(f, 2, PUNCT_MUL) || cu_peek_is(f, 2, PUNCT_AND) ||
                 (cu_peek_is(f, 3, PUNCT_RPAREN) && cu_peek_is(f, 4, PUNCT_LPAREN)));
    }
    if (flags & (DS_PARAM | DS_TYPE_ONLY))
        return false;
    if (!cu_is_name(f) && !cu_is(f, PUNCT_SCOPE))
        return false;
    /* Walk A<…>::B::C by tokens. */
    size_t i = f->pos;
    if (cu_is(f, PUNCT_SCOPE))
        i++;
    const char *last = NULL;
    for (;;) {
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_TILDE)
            return last != NULL;
        if (f->toks[i].kind != TOKEN_IDENT)
            return false;
        if (f->kws[i] == KW_operator) { /* conversion, if a type follows rather than a symbol */
            if (!last)
                return true;
            const struct token *n = &f->toks[i + 1];
            return n->kind == TOKEN_IDENT && f->kws[i + 1] != KW_new && f->kws[i + 1] != KW_delete;
        }
        if (f->kws[i])
            return false;
        const char *name = f->toks[i].u.name;
        i++;
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_LPAREN)
            return last && name == last;
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_LT) {
            size_t end = cu_skip_angles(f, i);
            if (end == i)
                return false;
            i = end;
            if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_LPAREN)
                return last && name == last;
        }
        if (f->toks[i].kind != TOKEN_PUNCT || f->toks[i].punct != PUNCT_SCOPE)
            return false;
        last = name;
        i++;
    }
}

/* An `auto` parameter is an invented template parameter: "auto:list:N" if the list is being bound.
 */
static struct type *auto_type(struct front *f, unsigned flags)
{
    if (!(flags & DS_PARAM))
        return cu_type(f, TY_AUTO);
    const char *name =
        intern_z(f->names, arena_printf(f->a, "auto:%zu:%u", f->auto_list, f->auto_next++));
    f->auto_seen++;
    struct found r;
    if (!cu_lookup(f, name, &r))
        return cu_type(f, TY_AUTO);
    struct decl *d = r.decls[0];
    if (d->kind == DECL_PACK) {
        if (f->probing) {
            vec_push(f->a, &f->packs_seen, d);
            return cu_type(f, TY_DEPENDENT);
        }
        if (f->expanding && f->pack_index < d->u.value.npack)
            return d->u.value.pack[f->pack_index].type;
    }
    return d->type ? d->type : cu_type(f, TY_DEPENDENT);
}

static void parse_explicit(struct front *f, struct declspec *ds)
{
    cu_next(f);
    ds->is_explicit = true;
    if (cu_is(f, PUNCT_LPAREN)) {
        cu_next(f);
        struct type *t = NULL;
        int64_t v = cu_parse_const_int(f, &t);
        cu_expect(f, PUNCT_RPAREN, "after explicit(…)");
        if (t && !v)
            ds->is_explicit = false;
    }
}

/* Words that say one thing each: set a flag of the declspec, add a qualifier, count for a type made
 * of several words, or name a type. */
enum word { WORD_NONE, WORD_FLAG, WORD_QUAL, WORD_COUNT, WORD_TYPE };
static const struct {
    uint8_t says, what; /* enum word; where, which or of what kind */
} words[KW_COUNT] = {
#define FLAG(word, field)  [KW_##word] = {WORD_FLAG, offsetof(struct declspec, field)}
#define QUAL(word, qual)   [KW_##word] = {WORD_QUAL, qual}
#define COUNT(word, field) [KW_##word] = {WORD_COUNT, offsetof(struct basic_counts, field)}
#define TYPE(word, type)   [KW_##word] = {WORD_TYPE, type}
    FLAG(typedef, is_typedef),
    FLAG(extern, is_extern),
    FLAG(static, is_static),
    FLAG(inline, is_inline),
    FLAG(__inline__, is_inline),
    FLAG(__inline, is_inline),
    FLAG(constexpr, is_constexpr),
    FLAG(consteval, is_consteval),
    FLAG(constinit, is_constinit),
    FLAG(friend, is_friend),
    FLAG(virtual, is_virtual),
    FLAG(mutable, is_mutable),
    FLAG(register, is_register),
    FLAG(thread_local, is_thread_local),
    FLAG(__thread, is_thread_local),
    FLAG(__restrict__, restrict_),
    FLAG(__restrict, restrict_),
    FLAG(restrict, restrict_),
    QUAL(const, QUAL_CONST),
    QUAL(__const, QUAL_CONST),
    QUAL(__const__, QUAL_CONST),
    QUAL(volatile, QUAL_VOLATILE),
    QUAL(__volatile, QUAL_VOLATILE),
    QUAL(__volatile__, QUAL_VOLATILE),
    COUNT(long, long_),
    COUNT(short, short_),
    COUNT(signed, signed_),
    COUNT(__signed__, signed_),
    COUNT(unsigned, unsigned_),
    COUNT(int, int_),
    COUNT(char, char_),
    COUNT(double, double_),
    COUNT(float, float_),
    COUNT(__int128, wide_),
    TYPE(void, TY_VOID),
    TYPE(bool, TY_BOOL),
    TYPE(_Bool, TY_BOOL),
    TYPE(wchar_t, TY_WCHAR),
    TYPE(char8_t, TY_CHAR8),
    TYPE(char16_t, TY_CHAR16),
    TYPE(char32_t, TY_CHAR32),
    TYPE(__tern_f16, TY_HALF),
    TYPE(__tern_bf16, TY_BF16),
#undef FLAG
#undef QUAL
#undef COUNT
#undef TYPE
};

/* A second type in one declaration: most often a ';' is missing behind the first, a class. */
static void only_type(struct front *f, const struct declspec *ds, const struct basic_counts *b)
{
    if (!has_basic(b))
        return;
    size_t end = f->pos - 1; /* of the class: attributes may stand behind it */
    while (ds->defines_tag && end > ds->first &&
           (f->toks[end].kind != TOKEN_PUNCT || f->toks[end].punct != PUNCT_RBRACE))
        end--;
    if (ds->defines_tag && ds->tag && ds->tag->name)
        cu_error(f, span_at(f->toks[end].span.loc + 1, 1),
                 "expected ';' after the definition of '%s'", ds->tag->name);
    cu_error(f, cu_span(f), "these type specifiers do not go together");
}

static bool simple_word(struct front *f, struct declspec *ds, struct basic_counts *b)
{
    const enum keyword k = cu_kw(f);
    if (words[k].says == WORD_TYPE || (words[k].says == WORD_COUNT && b->type))
        only_type(f, ds, b);
    switch (words[k].says) {
    case WORD_FLAG:
        *((bool *)ds + words[k].what) = true;
        ds->is_constexpr |= ds->is_consteval;
        break;
    case WORD_QUAL: b->quals |= words[k].what; break;
    case WORD_COUNT: ++*((uint8_t *)b + words[k].what); break;
    case WORD_TYPE: b->type = cu_type(f, words[k].what); break;
    default: return false;
    }
    cu_next(f);
    return true;
}

static struct type *named_type(struct front *f, struct declspec *ds)
{
    struct qname q;
    cu_parse_qname(f, &q, QN_TYPE);
    struct type *t = cu_type_from_qname(f, &q, true);
    ds->is_auto |= t->kind == TY_AUTO;
    return t;
}

/* decltype(…), typeof(…), or decltype(…)::name */
static struct type *type_of_expr(struct front *f, struct declspec *ds)
{
    struct qname q = {0};
    if (cu_is_kw(f, KW_decltype) && cu_parse_qualifier(f, &q, QN_TYPE)) {
        q.pos = f->pos;
        q.span = cu_span(f);
        q.kind = NAME_IDENT;
        q.name = cu_expect_name(f, "a type name");
        return cu_type_from_qname(f, &q, true);
    }
    struct type *t = cu_parse_decltype(f);
    ds->is_auto |= t->kind == TY_AUTO;
    return t;
}

static struct type *underlying_type(struct front *f)
{
    struct span at = cu_span(f);
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after __underlying_type");
    struct type *t = cu_parse_type_id(f);
    cu_expect(f, PUNCT_RPAREN, "after the type");
    if (t->dependent)
        return cu_type(f, TY_DEPENDENT);
    if (t->kind != TY_ENUM)
        cu_error(f, at, "'%s' is not an enumeration", cu_type_str(f, t));
    return cu_underlying(t);
}

/* What begins with a keyword and takes more than it. */
static bool long_word(struct front *f, struct declspec *ds, struct basic_counts *b, unsigned flags)
{
    struct span at = cu_span(f);
    switch (cu_kw(f)) {
    case KW_explicit: parse_explicit(f, ds); return true;
    case KW_auto:
        if (has_basic(b))
            cu_error(f, at, "'auto' after another type");
        cu_next(f);
        b->type = auto_type(f, flags);
        ds->is_auto = true;
        if (ds->constraint_pos && !b->type->dependent && b->type->kind != TY_AUTO) {
            struct targ first = cu_targ_type(b->type);
            if (!cu_type_constraint_holds(f, ds->constraint_pos, f->scope, &first, at))
                cu_error(f, at, "its constraints are not met");
        }
        return true;
    case KW_decltype:
    case KW___typeof__:
    case KW_typeof:
        if (has_basic(b))
            return false;
        b->type = type_of_expr(f, ds);
        return true;
    case KW___underlying_type: b->type = underlying_type(f); return true;
    case KW_struct:
    case KW_class:
    case KW_union:
        only_type(f, ds, b);
        b->type = cu_parse_class(f, ds, flags);
        return true;
    case KW_enum:
        only_type(f, ds, b);
        b->type = cu_parse_enum(f, ds);
        return true;
    case KW_typename:
        cu_next(f);
        b->type = named_type(f, ds);
        return true;
    case KW_export: cu_error(f, at, "export is not supported");
    case KW_co_await:
    case KW_co_yield: cu_error(f, at, "coroutines are not supported");
    default: return false;
    }
}

/* A name where a type has to be, but is none that is known. */
static void no_type_name(struct front *f, const struct declspec *ds, unsigned flags)
{
    struct qname q;
    if (!(flags & DS_PARAM) && ds->where && cu_is_name(f) && cu_peek_is(f, 1, PUNCT_LPAREN))
        cu_error(f, cu_span(f), "the function '%s' has no return type", cu_tok(f)->u.name);
    cu_parse_qname(f, &q, QN_TYPE);
    if (q.dependent)
        cu_error(f, q.span, "'%s' names a type only with 'typename' before it", q.name);
    cu_type_from_qname(f, &q, true);
}

void cu_parse_declspec(struct front *f, struct declspec *ds, unsigned flags)
{
    struct basic_counts b = {0};
    size_t start = f->pos;
    ds->first = start;
    ds->span = cu_span(f);
    for (;;) {
        if (cu_parse_attributes(f, ds) || simple_word(f, ds, &b) || long_word(f, ds, &b, flags))
            continue;
        if (has_basic(&b))
            break;
        if (at_special_member(f, flags)) {
            ds->no_type = true;
            ds->type = cu_type(f, TY_VOID);
            return;
        }
        if (!cu_is_name(f) && !cu_is(f, PUNCT_SCOPE))
            break;
        if (cu_at_concept(f)) { /* Concept auto */
            ds->constraint_pos = f->pos;
            f->pos = cu_type_constraint_end(f, f->pos);
            if (cu_is_kw(f, KW_auto) || cu_is_kw(f, KW_decltype))
                continue;
            f->pos = ds->constraint_pos;
        }
        if (!(flags & DS_TYPE_ONLY) && !cu_at_type(f)) {
            no_type_name(f, ds, flags);
            break;
        }
        b.type = named_type(f, ds);
    }
    if (!has_basic(&b)) {
        if (f->pos == start)
            cu_error(f, cu_span(f), "expected a type, found %s", cu_tok_text(f, cu_tok(f)));
        /* `const x = 3;`, `unsigned` aside, C++ has no implicit int. */
        cu_error(f, cu_span(f), "a type is missing here");
    }
    ds->type = cu_qualified(f, basic_type(f, &b, ds->span), b.quals);
    if (b.type == NULL || !ds->tag)
        ds->span = cu_span_from(f, start);
}

struct type *cu_parse_type_specifiers(struct front *f)
{
    struct declspec ds = {0};
    cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
    return ds.type;
}

struct type *cu_parse_type_id(struct front *f)
{
    struct declspec ds = {0};
    cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
    struct declarator d = {0};
    cu_parse_declarator(f, &ds, &d, DR_ABSTRACT);
    return d.type;
}

/* ---- parameters ---- */

struct type *cu_adjust_param(struct front *f, struct type *t)
{
    if (t->kind == TY_ARRAY)
        return cu_pointer_to(f, t->elem);
    if (t->kind == TY_FUNC)
        return cu_pointer_to(f, t);
    return t->kind == TY_PACK ? t : t->unqual;
}

static void *parse_param(struct front *f, void *arg)
{
    (void)arg;
    struct declspec ds = {0};
    struct declarator d = {0};
    size_t start = f->pos;
    cu_parse_declspec(f, &ds, DS_PARAM);
    cu_parse_declarator(f, &ds, &d, DR_ABSTRACT | DR_NAMED | DR_PARAM);
    struct param *p = arena_new(f->a, struct param);
    p->name = d.name;
    p->span = d.name ? d.span : ds.span;
    p->pos = d.name ? d.pos : start;
    p->type = d.type;
    p->restrict_ = d.restrict_ || ds.restrict_;
    p->grid_constant = ds.grid_constant;
    p->constraint_pos = ds.constraint_pos;
    p->pack = d.is_pack;
    if (p->pack) {
        f->last_expansion = true;
        if (f->pattern && !f->expanding)
            p->type = cu_pack_type(f, p->type);
    }
    if (p->type->kind == TY_VOID && (p->name || !cu_is(f, PUNCT_RPAREN)))
        cu_error(f, p->span, "a parameter cannot be void");
    return p;
}

static void declare_param(struct front *f, struct param *p)
{
    if (!p->name)
        return;
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, p->name, p->span);
    v->d.type = p->type->kind == TY_PACK ? cu_type(f, TY_DEPENDENT)
                : cu_is_ref(p->type) || p->type->kind == TY_ARRAY || p->type->kind == TY_FUNC
                    ? cu_adjust_param(f, p->type)
                    : p->type;
    if (cu_is_ref(p->type))
        v->d.type = p->type;
    v->storage = VAR_PARAM;
    cu_declare(f, f->scope, &v->d);
}

/* The clause behind the declarator of a function; its parameters are in scope. */
static void parse_trailing_requires(struct front *f, struct declarator *d)
{
    const size_t at = f->pos;
    while (cu_is_kw(f, KW___attribute__))
        cu_skip_attributes(f);
    if (!cu_is_kw(f, KW_requires)) {
        f->pos = at;
        return;
    }
    d->requires_pos = f->pos + 1;
    const size_t end = cu_requires_end(f, d->requires_pos);
    if (!f->pattern && !f->probing) {
        struct class_info *cls = f->cls;
        struct parse_state st;
        cu_enter(f, &st, d->requires_pos, f->scope);
        f->cls = f->cls ? f->cls : cls;
        d->unsatisfied = !cu_constraint_holds(f, d->requires_pos, end, st.scope);
        cu_restore(f, &st);
    }
    f->pos = end;
}

void cu_parse_params(struct front *f, struct declarator *d)
{
    VEC(struct param) params = {0};
    VEC(struct type *) types = {0};
    bool variadic = false;
    unsigned save_auto = f->auto_next;
    const size_t save_list = f->auto_list;
    f->auto_next = 0;
    f->auto_list = d->params_pos = f->pos;
    struct scope *save = f->scope;
    f->scope = cu_scope_new(f, SCOPE_FUNC, save);
    d->params_scope = f->scope;
    if (cu_is_kw(f, KW_void) && cu_peek_is(f, 1, PUNCT_RPAREN))
        cu_next(f);
    while (!cu_is(f, PUNCT_RPAREN)) {
        if (cu_accept(f, PUNCT_ELLIPSIS)) {
            variadic = true;
            break;
        }
        if (params.len > CU_MAX_ARGS)
            cu_error(f, cu_span(f), "more than %d parameters", CU_MAX_ARGS);
        struct elements list = {0};
        size_t start = f->pos;
        cu_expand_each(f, parse_param, NULL, &list);
        if (list.len == 0) { /* an empty pack: its name, behind the dots, stands for nothing */
            struct empty_pack *e = arena_new(f->a, struct empty_pack);
            for (size_t i = start + 1; i < f->pos; i++)
                if (f->toks[i].kind == TOKEN_IDENT && !f->kws[i] &&
                    f->toks[i - 1].kind == TOKEN_PUNCT && f->toks[i - 1].punct == PUNCT_ELLIPSIS)
                    e->name = f->toks[i].u.name;
            e->next = d->empty_packs;
            d->empty_packs = e;
            if (e->name) {
                struct decl *p = cu_decl_new(f, DECL_PACK, e->name, f->toks[start].span);
                cu_declare(f, f->scope, p);
            }
        }
        bool expanded = list.len && ((struct param *)list.data[0])->pack && !f->pattern;
        struct decl *pack = NULL;
        if (expanded && ((struct param *)list.data[0])->name) {
            pack = cu_decl_new(f, DECL_PACK, ((struct param *)list.data[0])->name,
                               f->toks[start].span);
            pack->u.value.kind = TARG_PACK;
            pack->u.value.pack = arena_array(f->a, struct targ, list.len);
            pack->u.value.npack = list.len;
        }
        for (size_t i = 0; i < list.len; i++) {
            struct param p = *(struct param *)list.data[i];
            if (expanded) {
                p.pack_first = i == 0;
                p.pack_count = list.len;
            }
            if (i == list.len - 1 && cu_accept(f, PUNCT_ASSIGN)) {
                p.default_pos = f->pos;
                p.default_scope = f->scope;
                cu_skip_item(f, PUNCT_RPAREN);
            }
            if (pack) {
                struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, p.name, p.span);
                v->d.type = p.type;
                v->storage = VAR_PARAM;
                pack->u.value.pack[i] = (struct targ){.kind = TARG_VAR, .var = v};
            } else {
                declare_param(f, &p);
            }
            vec_push(f->a, &params, p);
            vec_push(f->a, &types, cu_adjust_param(f, p.type));
        }
        if (pack)
            cu_declare(f, f->scope, pack);
        if (cu_accept(f, PUNCT_ELLIPSIS)) {
            variadic = true;
            break;
        }
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_RPAREN, "after the parameters");
    d->params = params.data;
    d->nparams = params.len;
    unsigned quals = 0;
    enum ref_qual ref = REF_NONE;
    for (;;) {
        if (cu_accept_kw(f, KW_const))
            quals |= QUAL_CONST;
        else if (cu_accept_kw(f, KW_volatile))
            quals |= QUAL_VOLATILE;
        else if (cu_accept_kw(f, KW___restrict__) || cu_accept_kw(f, KW___restrict))
            continue; /* of this: a hint */
        else if (cu_accept(f, PUNCT_AND))
            ref = REF_LVALUE;
        else if (cu_accept(f, PUNCT_ANDAND))
            ref = REF_RVALUE;
        else if (cu_accept_kw(f, KW_noexcept)) {
            d->is_noexcept = true;
            if (cu_is(f, PUNCT_LPAREN)) {
                d->noexcept_pos = f->pos + 1;
                f->pos = cu_close(f, f->pos) + 1;
            }
        } else if (cu_is_kw(f, KW_throw) && cu_peek_is(f, 1, PUNCT_LPAREN)) {
            d->is_noexcept |= cu_peek_is(f, 2, PUNCT_RPAREN);
            f->pos = cu_close(f, f->pos + 1) + 1;
        } else {
            break;
        }
    }
    /* Members see their class as const in a trailing result, as this does. */
    struct type *result = d->type;
    if (cu_is(f, PUNCT_ARROW)) {
        cu_next(f);
        struct declspec ds = {0};
        cu_parse_declspec(f, &ds, DS_TYPE_ONLY);
        struct declarator inner = {0};
        cu_parse_declarator(f, &ds, &inner, DR_ABSTRACT);
        result = inner.type;
    }
    parse_trailing_requires(f, d);
    f->scope = save;
    f->auto_list = save_list;
    f->auto_next = save_auto;
    d->type = cu_func_type(f, result, types.data, types.len, variadic, quals, ref);
}

/* A class as if it stood in the present scope, with the classes that it is in around it. */
struct scope *cu_inside_class(struct front *f, const struct scope *of)
{
    struct scope *s = cu_scope_new(f, SCOPE_CLASS, f->scope);
    struct scope *around = of->parent && of->parent->kind == SCOPE_CLASS && of->parent->cls
                               ? cu_inside_class(f, of->parent)
                               : f->scope;
    *s = *of;
    s->parent = around;
    return s;
}

/* ---- declarators ---- */

/* Is `(` here the start of a nested declarator rather than of parameters? */
static bool nested_declarator(struct front *f, unsigned flags)
{
    const struct token *t = &f->toks[f->pos + 1];
    if (t->kind == TOKEN_PUNCT) {
        switch (t->punct) {
        case PUNCT_MUL:
        case PUNCT_AND:
        case PUNCT_ANDAND: return true;
        case PUNCT_LPAREN: /* of a parameter: ((*p)[4]) */
            return (flags & DR_NAMED) && (!(flags & DR_PARAM) || t[1].kind != TOKEN_PUNCT ||
                                          t[1].punct == PUNCT_MUL || t[1].punct == PUNCT_AND);
        case PUNCT_LBRACKET: return (flags & DR_ABSTRACT) != 0;
        default: return false;
        }
    }
    if (t->kind != TOKEN_IDENT)
        return false;
    enum keyword k = (enum keyword)f->kws[f->pos + 1];
    if (k == KW___restrict__ || k == KW___attribute__)
        return true;
    size_t pos = f->pos;
    f->pos++;
    bool memptr = false;
    /* (C::*name) */
    size_t i = f->pos;
    while (f->toks[i].kind == TOKEN_IDENT ||
           (f->toks[i].kind == TOKEN_PUNCT &&
            (f->toks[i].punct == PUNCT_SCOPE || f->toks[i].punct == PUNCT_LT))) {
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i].punct == PUNCT_LT) {
            size_t end = cu_skip_angles(f, i);
            if (end == i)
                break;
            i = end;
            continue;
        }
        if (f->toks[i].kind == TOKEN_PUNCT && f->toks[i + 1].kind == TOKEN_PUNCT &&
            f->toks[i + 1].punct == PUNCT_MUL)
            memptr = true;
        i++;
    }
    bool type = cu_at_type(f) || k == KW_register || k == KW_typename;
    f->pos = pos;
    if (memptr)
        return true;
    if (k)
        return false;
    return (flags & DR_NAMED) && !type;
}

static bool at_memptr(struct front *f)
{
    if (!cu_is_name(f) && !cu_is(f, PUNCT_SCOPE))
        return false;
    for (size_t i = f->pos; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind == TOKEN_IDENT && !f->kws[i])
            continue;
        if (t->kind != TOKEN_PUNCT)
            return false;
        if (t->punct == PUNCT_SCOPE) {
            if (t[1].kind == TOKEN_PUNCT && t[1].punct == PUNCT_MUL)
                return true;
            continue;
        }
        if (t->punct == PUNCT_LT) {
            size_t end = cu_skip_angles(f, i);
            if (end == i)
                return false;
            i = end - 1;
            continue;
        }
        return false;
    }
    return false;
}

static void pointer_quals(struct front *f, struct declarator *d)
{
    for (;;) {
        switch (cu_kw(f)) {
        case KW_const:
        case KW___const:
        case KW___const__: d->type = cu_qualified(f, d->type, QUAL_CONST); break;
        case KW_volatile:
        case KW___volatile__:
        case KW___volatile: d->type = cu_qualified(f, d->type, QUAL_VOLATILE); break;
        case KW___restrict__:
        case KW___restrict:
        case KW_restrict: d->restrict_ = true; break;
        case KW___attribute__:
        case KW___grid_constant__:
        case KW___align__: cu_skip_attributes(f); continue;
        default: return;
        }
        cu_next(f);
    }
}

/* Nothing points or refers to a type such as `void() const`: only member functions have it. */
static void check_pointee(struct front *f, const struct type *t)
{
    if (t->kind == TY_FUNC && (t->func_quals || t->func_ref))
        cu_error(f, cu_span(f), "a pointer or reference to '%s', which only members can be",
                 cu_type_str(f, t));
}

static void parse_pointers(struct front *f, struct declarator *d)
{
    for (unsigned depth = 0;; depth++) {
        if (depth > CU_MAX_NESTING)
            cu_error(f, cu_span(f), "more than %d pointers to pointers", CU_MAX_NESTING);
        if (cu_is(f, PUNCT_MUL)) {
            check_pointee(f, d->type);
            cu_next(f);
            d->type = d->type->kind == TY_DEPENDENT ? d->type : cu_pointer_to(f, d->type);
        } else if (cu_is(f, PUNCT_AND) || cu_is(f, PUNCT_ANDAND)) {
            bool r = cu_is(f, PUNCT_ANDAND);
            check_pointee(f, d->type);
            cu_next(f);
            d->type = r ? cu_rref_to(f, d->type) : cu_lref_to(f, d->type);
        } else if (at_memptr(f)) {
            struct qname q = {0};
            cu_parse_qualifier(f, &q, QN_DECLARATOR);
            struct type *cls = q.type_scope;
            if (cu_is_name(f)) {
                struct qname last = q;
                last.name = cu_tok(f)->u.name;
                last.kind = NAME_IDENT;
                last.span = cu_span(f);
                last.pos = f->pos;
                cu_next(f);
                if (cu_is(f, PUNCT_LT)) {
                    f->pos = last.pos;
                    cu_parse_qname(f, &last, QN_TYPE);
                }
                cls = cu_type_from_qname(f, &last, true);
                cu_expect(f, PUNCT_SCOPE, "in a pointer to member");
            }
            cu_expect(f, PUNCT_MUL, "in a pointer to member");
            if (!cls)
                cu_error(f, cu_span(f), "a pointer to member needs a class");
            d->type =
                cls->dependent || cls->kind == TY_CLASS
                    ? cu_memptr_to(f, cls, d->type)
                    : (cu_error(f, cu_span(f), "'%s' is not a class", cu_type_str(f, cls)), NULL);
        } else {
            return;
        }
        pointer_quals(f, d);
    }
}

static void add_bound(struct front *f, struct declarator *d, struct expr *size)
{
    if (d->nbounds == CU_RUNTIME_SIZES)
        cu_error(f, size->span, "an array of more than %d sizes that are not constant",
                 CU_RUNTIME_SIZES);
    memmove(d->bounds + 1, d->bounds, d->nbounds * sizeof *d->bounds);
    d->bounds[0] = size;
    d->nbounds++;
}

static void parse_array(struct front *f, struct declarator *d, unsigned flags)
{
    struct span at = cu_span(f);
    size_t open = f->pos;
    cu_next(f);
    uint64_t count = ARRAY_UNKNOWN;
    struct template_info *owner = NULL;
    unsigned index = 0;
    bool dependent = false, runtime = false;
    struct expr *size = NULL;
    while (cu_accept_kw(f, KW_static) || cu_accept_kw(f, KW_const) ||
           cu_accept_kw(f, KW___restrict__) || cu_accept_kw(f, KW_restrict))
        ;
    if (!cu_is(f, PUNCT_RBRACKET)) {
        unsigned no_gt = f->no_gt;
        f->no_gt = 0;
        size = cu_parse_assign(f);
        f->no_gt = no_gt;
        if (size->kind == EX_DEPENDENT) {
            dependent = true;
            if (f->pos == open + 2 && size->targs) {
                owner = size->targs->param_owner;
                index = size->targs->param_index;
            }
        } else if (!(flags & DR_NEW)) {
            int64_t v;
            size = cu_integral_operand(f, size);
            runtime = (flags & DR_LOCAL) && cu_host(f) && cu_is_integer(size->type) &&
                      !cu_const_int(f, size, &v);
            if (runtime)
                v = 0;
            else
                v = cu_require_int(f, size, "the size of an array");
            if (v < 0)
                cu_error(f, size->span, "an array cannot have %lld elements", (long long)v);
            count = (uint64_t)v;
        }
    }
    cu_expect(f, PUNCT_RBRACKET, "after the array's size");
    if (cu_is(f, PUNCT_LBRACKET) && !cu_peek_is(f, 1, PUNCT_LBRACKET)) {
        cu_nest(f, at);
        parse_array(f, d, flags);
        f->nesting--;
    }
    if (size && !dependent && (runtime || d->nbounds)) {
        add_bound(f, d, size);
        return;
    }
    if (d->nbounds)
        cu_error(f, at, "an array of arrays whose size is not constant needs a size itself");
    if (d->type->kind == TY_FUNC || cu_is_ref(d->type) || d->type->kind == TY_VOID)
        cu_error(f, at, "an array of '%s' is not a type", cu_type_str(f, d->type));
    if (dependent)
        d->type = owner ? cu_array_of_param(f, d->type, owner, index) : cu_type(f, TY_DEPENDENT);
    else
        d->type = cu_array_of(f, d->type, count);
}

/* `T x(…)`: parameters, or an initialiser? In a block an expression that is no type starts one. */
static bool at_params(struct front *f, unsigned flags, const struct declarator *d)
{
    if (flags & DR_NEW)
        return false;
    const struct token *t = &f->toks[f->pos + 1];
    if (t->kind == TOKEN_PUNCT && (t->punct == PUNCT_RPAREN || t->punct == PUNCT_ELLIPSIS))
        return true;
    if (d->kind == NAME_OPERATOR || d->kind == NAME_CONVERSION || d->kind == NAME_DTOR ||
        d->kind == NAME_CTOR)
        return true;
    if ((flags & DR_MEMBER) || (d->type && d->type->kind == TY_VOID)) /* no such initialiser */
        return true;
    size_t pos = f->pos;
    f->pos++;
    bool yes = cu_at_type(f);
    switch (cu_kw(f)) {
    case KW_register:
    case KW___attribute__:
    case KW___grid_constant__:
    case KW___align__: yes = true; break;
    default: break;
    }
    if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET))
        yes = true;
    if (yes && (flags & DR_LOCAL)) {
        /* T x(U(y)) or T x(U{…}) or x(T::v): a cast, unless a parameter's declarator follows the
         * type. */
        struct parse_state s;
        cu_save(f, &s);
        yes = cu_at_decl(f);
        cu_restore(f, &s);
        f->pos = pos + 1;
    } else if (!yes && !(flags & DR_LOCAL) && (flags & DR_NAMED) && cu_is_name(f)) {
        /* At namespace scope an unknown name is more likely a missing type than an initialiser. */
        struct found r;
        if (!cu_lookup(f, cu_tok(f)->u.name, &r) && !cu_peek_is(f, 1, PUNCT_SCOPE))
            yes = f->toks[f->pos + 1].kind == TOKEN_IDENT || cu_peek_is(f, 1, PUNCT_AND) ||
                  cu_peek_is(f, 1, PUNCT_MUL) || cu_peek_is(f, 1, PUNCT_LT);
        else if (r.n && r.decls[0]->kind == DECL_POISON)
            yes = true;
    }
    f->pos = pos;
    return yes;
}

static void parse_suffixes(struct front *f, struct declarator *d, unsigned flags)
{
    if (flags & DR_CONVERSION)
        return;
    if (cu_is(f, PUNCT_LPAREN) && !(flags & DR_NO_FUNC)) {
        if (!at_params(f, flags, d)) {
            return;
        }
        cu_next(f);
        cu_parse_params(f, d);
        d->is_func = true;
        return;
    }
    if (cu_is(f, PUNCT_LBRACKET) && !cu_peek_is(f, 1, PUNCT_LBRACKET))
        parse_array(f, d, flags);
}

static void take_qname(struct declarator *d, struct qname *q)
{
    d->kind = q->kind;
    d->name = q->name;
    d->span = q->span;
    d->pos = q->pos;
    d->op = q->op;
    d->qualifier = q->scope;
    if (q->type_scope && q->type_scope->kind == TY_CLASS)
        d->qualifier_class = q->type_scope->cls;
    d->has_targs = q->has_targs;
    d->targs = q->targs;
    d->ntargs = q->ntargs;
    if (q->kind == NAME_CONVERSION)
        d->type = q->conversion;
}

static void parse_name(struct front *f, struct declarator *d, unsigned flags)
{
    if (!(flags & DR_NAMED))
        return;
    if (cu_accept(f, PUNCT_ELLIPSIS))
        d->is_pack = true;
    bool named =
        cu_is_name(f) || cu_is_kw(f, KW_operator) || cu_is(f, PUNCT_TILDE) || cu_is(f, PUNCT_SCOPE);
    if (!named)
        return;
    if (flags & DR_PARAM) {
        if (!cu_is_name(f))
            return;
        d->kind = NAME_IDENT;
        d->pos = f->pos;
        d->span = cu_span(f);
        d->name = cu_tok(f)->u.name;
        cu_next(f);
        return;
    }
    struct qname q;
    cu_parse_qname(f, &q, QN_DECLARATOR);
    take_qname(d, &q);
    if (q.kind == NAME_IDENT && cu_is(f, PUNCT_LPAREN)) {
        struct class_info *c = d->qualifier_class    ? d->qualifier_class
                               : (flags & DR_MEMBER) ? f->cls
                                                     : NULL;
        if (c && c->name == q.name && (!q.scope || q.scope->kind == SCOPE_CLASS))
            d->kind = NAME_CTOR;
    }
}

/* Where what follows `namespace::name` is looked up, its body too: in that namespace, below what is
 * being bound. */
static struct scope *inside_namespace(struct front *f, struct scope *to)
{
    struct scope *from = f->scope;
    const bool bound = from->kind == SCOPE_TEMPLATE;
    const enum scope_kind around = (bound ? from->parent : from)->kind;
    if (to->kind != SCOPE_NAMESPACE || (around != SCOPE_NAMESPACE && around != SCOPE_GLOBAL))
        return from;
    if (!bound)
        return to;
    struct scope *s = cu_scope_new(f, SCOPE_TEMPLATE, to);
    *s = *from;
    s->parent = to;
    return s;
}

void cu_parse_declarator(struct front *f, struct declspec *ds, struct declarator *d, unsigned flags)
{
    cu_nest(f, cu_span(f));
    d->type = ds->type;
    parse_pointers(f, d);
    struct declspec extra = {0};
    if (!(flags & DR_CONVERSION) && cu_parse_attributes(f, &extra)) {
        ds->where |= extra.where;
        if (extra.has_space) {
            ds->has_space = true;
            ds->space = extra.space;
        }
        d->align = extra.align;
        if (extra.max_threads)
            ds->max_threads = extra.max_threads;
        if (extra.min_blocks)
            ds->min_blocks = extra.min_blocks;
        if (extra.cluster[0])
            memcpy(ds->cluster, extra.cluster, sizeof ds->cluster);
        ds->forceinline |= extra.forceinline;
        ds->noinline |= extra.noinline;
    }
    if (cu_is(f, PUNCT_LPAREN) && !(flags & DR_CONVERSION) && nested_declarator(f, flags)) {
        /* The inner declarator applies to the type with the outer suffixes: read those first. */
        size_t inner = f->pos + 1;
        f->pos = cu_close(f, f->pos) + 1;
        struct declarator outer = *d;
        parse_suffixes(f, &outer, flags & ~(unsigned)DR_LOCAL & ~(unsigned)DR_NEW);
        size_t end = f->pos;
        uint8_t split = f->split_n;
        f->pos = inner;
        f->split_n = 0;
        if (!cu_is_name(f) || at_memptr(f))
            cu_settle_noexcept(f, &outer);
        struct declspec nested = {.type = outer.type};
        struct declarator in = {0};
        cu_parse_declarator(f, &nested, &in, flags);
        if (!cu_is(f, PUNCT_RPAREN))
            cu_error(f, cu_span(f), "expected ')' in the declarator, found %s",
                     cu_tok_text(f, cu_tok(f)));
        f->pos = end;
        f->split_n = split;
        bool direct = in.type == outer.type && outer.is_func; /* (name)(params) */
        struct declarator keep = in;
        *d = keep;
        d->restrict_ |= outer.restrict_;
        if (direct) {
            d->params = outer.params;
            d->nparams = outer.nparams;
            d->params_scope = outer.params_scope;
            d->is_noexcept = outer.is_noexcept;
            d->noexcept_pos = outer.noexcept_pos;
            d->is_func = true;
        }
    } else {
        parse_name(f, d, flags);
        struct scope *save = f->scope;
        struct class_info *save_cls = f->cls;
        /* Parameters of Class::method are looked up inside the class, below what is being bound. */
        if (d->qualifier && !(flags & DR_PARAM) && d->qualifier->kind == SCOPE_CLASS &&
            (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET))) {
            f->scope = cu_inside_class(f, d->qualifier);
            f->cls = d->qualifier_class;
        } else if (d->qualifier && !(flags & DR_PARAM) && cu_is(f, PUNCT_LPAREN)) {
            f->scope = inside_namespace(f, d->qualifier);
        }
        if (cu_parse_attributes(f, &extra)) {
            d->align = extra.align > d->align ? extra.align : d->align;
            ds->where |= extra.where;
        }
        if (!(cu_is(f, PUNCT_LBRACKET) && (flags & DR_ABSTRACT) && (flags & DR_CONVERSION)))
            parse_suffixes(f, d, flags);
        f->scope = save;
        f->cls = save_cls;
    }
    if (d->is_func && (d->kind == NAME_NONE || (flags & DR_PARAM) || ds->is_typedef))
        cu_settle_noexcept(f, d);
    if (!(flags & (DR_ABSTRACT | DR_CONVERSION)) || (flags & DR_NAMED)) {
        struct declspec more = {0};
        if (cu_is_kw(f, KW___attribute__) ||
            (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET)) ||
            cu_is_kw(f, KW___launch_bounds__)) {
            cu_parse_attributes(f, &more);
            if (more.align > d->align)
                d->align = more.align;
            if (more.max_threads)
                ds->max_threads = more.max_threads;
            ds->packed |= more.packed;
        }
        if ((cu_is_kw(f, KW_asm) || cu_is_kw(f, KW___asm__)) && cu_peek_is(f, 1, PUNCT_LPAREN) &&
            !(flags & DR_PARAM))
            f->pos =
                cu_close(f, f->pos + 1) + 1; /* a linker name: of no concern to the device half */
    }
    if ((flags & DR_PARAM) && !d->is_pack && cu_is(f, PUNCT_ELLIPSIS) && !d->name &&
        d->type->dependent)
        d->is_pack = true, cu_next(f);
    /* Through names of types, one at a time, it may grow without any nesting in the source. */
    if (d->type->depth > CU_MAX_INSIDE)
        cu_error(f, cu_span(f), "a type of more than %d parts", CU_MAX_INSIDE);
    f->nesting--;
}
