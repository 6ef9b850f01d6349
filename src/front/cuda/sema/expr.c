/* The expression parser: precedence, unary and postfix forms. What an operator means is in
 * operator.c. */
#include "front/cuda/sema/sema.h"

static struct expr *parse_postfix_of(struct front *f, struct expr *e);

struct expr *cu_expr_new(struct front *f, enum expr_kind k, struct type *t, enum value_cat c,
                         struct span s)
{
    struct expr *e = arena_new(f->a, struct expr);
    e->kind = (uint8_t)k;
    e->type = t;
    e->cat = (uint8_t)c;
    e->span = s;
    return e;
}

struct expr *cu_int_expr(struct front *f, struct type *t, uint64_t v, struct span s)
{
    struct expr *e = cu_expr_new(f, EX_INT, t, CAT_PR, s);
    e->u.i = v;
    return e;
}

struct expr *cu_bool_expr(struct front *f, bool v, struct span s)
{
    return cu_int_expr(f, cu_type(f, TY_BOOL), v, s);
}

struct expr *cu_dependent(struct front *f, struct span s)
{
    return cu_expr_new(f, EX_DEPENDENT, cu_type(f, TY_DEPENDENT), CAT_PR, s);
}

/* ---- lists ---- */

static void *parse_arg(struct front *f, void *arg)
{
    (void)arg;
    return cu_parse_init_clause(f);
}

void cu_parse_args(struct front *f, enum punct close, struct expr ***args, size_t *n)
{
    struct elements list = {0};
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    while (!cu_is(f, close)) {
        if (list.len > CU_MAX_ARGS)
            cu_error(f, cu_span(f), "more than %d arguments", CU_MAX_ARGS);
        cu_expand_each(f, parse_arg, NULL, &list);
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    f->no_gt = no_gt;
    cu_expect(f, close, "or ',' after an argument");
    *args = (struct expr **)list.data;
    *n = list.len;
}

struct designator {
    const char *name;
    struct expr *index;
    struct expr *value;
};

static void array_type(struct front *f, void *arg)
{
    (void)arg;
    if (cu_parse_type_id(f)->kind != TY_ARRAY || !cu_is(f, PUNCT_LBRACE))
        cu_error(f, cu_span(f), "not an array");
}

static void *parse_braced_item(struct front *f, void *arg)
{
    (void)arg;
    struct designator *d = arena_new(f->a, struct designator);
    const size_t pos = f->pos;
    if (cu_in_request(f, pos) && cu_at_type(f) && !cu_try_quietly(f, array_type, NULL))
        f->pos = pos; /* else a demangler's char [4]{…}, of which only the list matters */
    if (cu_is(f, PUNCT_DOT) && f->toks[f->pos + 1].kind == TOKEN_IDENT) {
        cu_next(f);
        d->name = cu_expect_name(f, "a member's name");
        if (!cu_is(f, PUNCT_LBRACE))
            cu_expect(f, PUNCT_ASSIGN, "after the designator");
    } else if (cu_is(f, PUNCT_LBRACKET) && !cu_at_lambda_or_subscript(f)) {
        cu_next(f);
        d->index = cu_parse_cond(f);
        cu_expect(f, PUNCT_RBRACKET, "after the index");
        cu_expect(f, PUNCT_ASSIGN, "after the designator");
    }
    d->value = cu_parse_init_clause(f);
    return d;
}

struct expr *cu_parse_braced(struct front *f)
{
    size_t start = f->pos;
    cu_nest(f, cu_span(f));
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    cu_expect(f, PUNCT_LBRACE, "here");
    struct elements list = {0};
    while (!cu_is(f, PUNCT_RBRACE)) {
        cu_expand_each(f, parse_braced_item, NULL, &list);
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_RBRACE, "at the end of the list");
    f->no_gt = no_gt;
    f->nesting--;
    struct expr *e =
        cu_expr_new(f, EX_BRACED, cu_type(f, TY_BRACED), CAT_PR, cu_span_from(f, start));
    e->flag = cu_in_request(f, start);
    e->nargs = list.len;
    e->args = arena_array(f->a, struct expr *, list.len + 1);
    e->u.braced.names = arena_array(f->a, const char *, list.len + 1);
    e->u.braced.index = arena_array(f->a, struct expr *, list.len + 1);
    for (size_t i = 0; i < list.len; i++) {
        struct designator *d = list.data[i];
        e->args[i] = d->value;
        e->u.braced.names[i] = d->name;
        e->u.braced.index[i] = d->index;
    }
    return e;
}

struct expr *cu_parse_init_clause(struct front *f)
{
    if (cu_is(f, PUNCT_LBRACE))
        return cu_parse_braced(f);
    return cu_parse_assign(f);
}

/* ---- binary operators ---- */

static const uint8_t precedence[PUNCT_COUNT] = {
    [PUNCT_OROR] = 1,        [PUNCT_ANDAND] = 2, [PUNCT_OR] = 3,   [PUNCT_XOR] = 4,
    [PUNCT_AND] = 5,         [PUNCT_EQ] = 6,     [PUNCT_NE] = 6,   [PUNCT_LT] = 7,
    [PUNCT_GT] = 7,          [PUNCT_LE] = 7,     [PUNCT_GE] = 7,   [PUNCT_SPACESHIP] = 8,
    [PUNCT_SHL] = 9,         [PUNCT_SHR] = 9,    [PUNCT_ADD] = 10, [PUNCT_SUB] = 10,
    [PUNCT_MUL] = 11,        [PUNCT_DIV] = 11,   [PUNCT_MOD] = 11, [PUNCT_DOT_STAR] = 12,
    [PUNCT_ARROW_STAR] = 12,
};

static struct expr *memptr_access(struct front *f, enum punct op, struct expr *a, struct expr *b,
                                  struct span s)
{
    if (a->kind == EX_DEPENDENT || b->kind == EX_DEPENDENT)
        return cu_dependent(f, s);
    if (op == PUNCT_ARROW_STAR)
        a = cu_deref(f, a, s);
    b = cu_rvalue(f, b);
    if (b->type->kind != TY_MEMPTR)
        cu_error(f, b->span, "'%s' is not a pointer to member", cu_type_str(f, b->type));
    if (a->type->kind != TY_CLASS)
        cu_error(f, a->span, "'%s' is not a class", cu_type_str(f, a->type));
    if (a->cat == CAT_PR)
        a = cu_materialize(f, a);
    if (a->type->cls != b->type->cls)
        a = cu_upcast(f, a, b->type->cls->type);
    struct type *m = b->type->elem;
    struct expr *e =
        cu_expr_new(f, EX_MEMPTR_REF, m->kind == TY_FUNC ? m : cu_qualified(f, m, a->type->quals),
                    a->cat == CAT_L ? CAT_L : CAT_X, s);
    e->a = a;
    e->b = b;
    return e;
}

static struct expr *parse_binary(struct front *f, unsigned min_prec)
{
    cu_nest(f, cu_span(f));
    size_t start = f->pos;
    struct expr *a = cu_parse_cast(f);
    for (unsigned links = 0;; links++) {
        if (links > CU_MAX_CHAIN)
            cu_error(f, cu_span(f), "more than %d operators in a row", CU_MAX_CHAIN);
        if (cu_tok(f)->kind != TOKEN_PUNCT || (f->no_gt && cu_at_gt(f) && !cu_is(f, PUNCT_GE)))
            break;
        enum punct op = (enum punct)cu_tok(f)->punct;
        if (f->split_n)
            break;
        unsigned prec = precedence[op];
        if (!prec || prec <= min_prec)
            break;
        cu_next(f);
        struct expr *b = cu_is(f, PUNCT_LBRACE) ? cu_parse_braced(f) : parse_binary(f, prec);
        struct span s = cu_span_from(f, start);
        if (prec == 12)
            a = memptr_access(f, op, a, b, s);
        else if (op == PUNCT_SPACESHIP)
            a = cu_three_way(f, a, b, s);
        else
            a = cu_binary(f, op, a, b, s);
    }
    f->nesting--;
    return a;
}

struct expr *cu_parse_above_and(struct front *f)
{
    return parse_binary(f, precedence[PUNCT_ANDAND]);
}

struct expr *cu_parse_cond(struct front *f)
{
    size_t start = f->pos;
    struct expr *c = parse_binary(f, 0);
    if (!cu_is(f, PUNCT_QUESTION))
        return c;
    cu_next(f);
    unsigned no_gt = f->no_gt;
    f->no_gt = 0;
    struct expr *a = cu_is(f, PUNCT_COLON) ? c : cu_parse_expr(f); /* GNU: a ?: b */
    f->no_gt = no_gt;
    cu_expect(f, PUNCT_COLON, "in the conditional expression");
    struct expr *b = cu_parse_assign(f);
    return cu_conditional(f, c, a, b, cu_span_from(f, start));
}

bool cu_is_assignment(enum punct op)
{
    switch (op) {
    case PUNCT_ASSIGN:
    case PUNCT_ADD_ASSIGN:
    case PUNCT_SUB_ASSIGN:
    case PUNCT_MUL_ASSIGN:
    case PUNCT_DIV_ASSIGN:
    case PUNCT_MOD_ASSIGN:
    case PUNCT_AND_ASSIGN:
    case PUNCT_OR_ASSIGN:
    case PUNCT_XOR_ASSIGN:
    case PUNCT_SHL_ASSIGN:
    case PUNCT_SHR_ASSIGN: return true;
    default: return false;
    }
}

struct expr *cu_parse_assign(struct front *f)
{
    size_t start = f->pos;
    if (cu_is_kw(f, KW_throw) && cu_host(f))
        return cu_parse_throw(f);
    if (cu_is_kw(f, KW_throw))
        cu_error(f, cu_span(f), "exceptions are not supported in device code");
    cu_nest(f, cu_span(f));
    struct expr *a = cu_parse_cond(f);
    enum punct op = cu_tok(f)->kind == TOKEN_PUNCT ? (enum punct)cu_tok(f)->punct : PUNCT_NONE;
    if (cu_is_assignment(op) && !(f->no_gt && op == PUNCT_SHR_ASSIGN)) {
        cu_next(f);
        struct expr *b = cu_parse_init_clause(f);
        a = cu_assign(f, op, a, b, cu_span_from(f, start));
    }
    f->nesting--;
    return a;
}

struct expr *cu_parse_expr(struct front *f)
{
    size_t start = f->pos;
    struct expr *e = cu_parse_assign(f);
    for (unsigned links = 0; cu_is(f, PUNCT_COMMA); links++) {
        if (links > CU_MAX_CHAIN)
            cu_error(f, cu_span(f), "more than %d operators in a row", CU_MAX_CHAIN);
        cu_next(f);
        struct expr *b = cu_parse_assign(f);
        e = cu_comma(f, e, b, cu_span_from(f, start));
    }
    return e;
}

int64_t cu_parse_const_int(struct front *f, struct type **type)
{
    struct expr *e = cu_parse_cond(f);
    if (e->kind == EX_DEPENDENT) {
        *type = NULL;
        return 0;
    }
    e = cu_integral_operand(f, e);
    *type = e->type;
    return cu_require_int(f, e, "a constant");
}

/* ---- casts and unary operators ---- */

static void try_type_id_paren(struct front *f, void *arg)
{
    struct type **out = arg;
    *out = cu_parse_type_id(f);
    if (!cu_is(f, PUNCT_RPAREN))
        cu_error(f, cu_span(f), "not a type in parentheses");
}

/* At `(`: a type-id and `)`? */
static bool at_paren_type(struct front *f)
{
    if (!cu_is(f, PUNCT_LPAREN))
        return false;
    size_t pos = f->pos, close = cu_close(f, pos);
    cu_next(f);
    bool yes = cu_at_type(f);
    if (yes && f->pos + 1 != close) {
        struct type *t = NULL;
        yes = cu_try_quietly(f, try_type_id_paren, &t) && t->kind != TY_FUNC; /* (T()).member */
    }
    f->pos = pos;
    f->split_n = 0;
    return yes;
}

static struct expr *parse_sizeof(struct front *f, bool align)
{
    size_t start = f->pos;
    cu_next(f);
    if (!align && cu_accept(f, PUNCT_ELLIPSIS)) {
        cu_expect(f, PUNCT_LPAREN, "after sizeof...");
        struct span at = cu_span(f);
        const char *name = cu_expect_name(f, "the name of a pack");
        struct found r;
        if (!cu_lookup(f, name, &r))
            cu_undeclared(f, name, at, NULL);
        cu_expect(f, PUNCT_RPAREN, "after the pack's name");
        if (r.decls[0]->kind != DECL_PACK) {
            if (f->pattern)
                return cu_dependent(f, at);
            cu_error(f, at, "'%s' is not a pack", name);
        }
        return cu_int_expr(f, f->size_type, r.decls[0]->u.value.npack, at);
    }
    struct type *t;
    if (at_paren_type(f)) {
        cu_next(f);
        t = cu_parse_type_id(f);
        cu_expect(f, PUNCT_RPAREN, "after the type");
    } else {
        f->unevaluated++;
        struct expr *e = cu_parse_cast(f);
        f->unevaluated--;
        if (e->kind == EX_DEPENDENT)
            return e;
        if (e->kind == EX_MEMBER && e->u.field->is_bitfield)
            cu_error(f, e->span, "sizeof a bit-field");
        if (e->kind == EX_OVERLOAD)
            cu_error(f, e->span, "sizeof a function");
        struct expr *bytes = align ? NULL : cu_runtime_sizeof(f, e, cu_span_from(f, start));
        if (bytes)
            return bytes;
        if (e->kind == EX_VAR)
            cu_complete_var(f, e->u.var);
        t = e->kind == EX_VAR && !cu_is_ref(e->u.var->d.type) ? e->u.var->d.type : e->type;
        if (align && e->kind == EX_VAR && e->u.var->align)
            return cu_int_expr(f, f->size_type, e->u.var->align, e->span);
    }
    struct span s = cu_span_from(f, start);
    if (t->dependent)
        return cu_dependent(f, s);
    return cu_int_expr(f, f->size_type, align ? cu_alignof(f, t, s) : cu_sizeof(f, t, s), s);
}

static void try_unevaluated(struct front *f, void *arg)
{
    struct expr **out = arg;
    f->unevaluated++;
    *out = cu_parse_expr(f);
    f->unevaluated--;
}

struct expr *cu_parse_cast(struct front *f)
{
    size_t start = f->pos;
    struct span at = cu_span(f);
    cu_nest(f, at);
    struct expr *e = NULL;
    enum punct p = cu_tok(f)->kind == TOKEN_PUNCT ? (enum punct)cu_tok(f)->punct : PUNCT_NONE;
    switch (p) {
    case PUNCT_LPAREN:
        if (at_paren_type(f)) {
            cu_next(f);
            struct type *t = cu_parse_type_id(f);
            cu_expect(f, PUNCT_RPAREN, "after the type");
            if (cu_is(f, PUNCT_LBRACE)) { /* compound literal */
                struct expr *list = cu_parse_braced(f);
                e = cu_functional_cast(f, t, &list, 1, true, cu_span_from(f, start));
                e = parse_postfix_of(f, e);
                break;
            }
            struct expr *a = cu_parse_cast(f);
            e = cu_c_cast(f, a, t, cu_span_from(f, start));
        }
        break;
    case PUNCT_INC:
    case PUNCT_DEC: {
        cu_next(f);
        struct expr *a = cu_parse_cast(f);
        e = cu_incdec(f, p, true, a, cu_span_from(f, start));
        break;
    }
    case PUNCT_AND: {
        cu_next(f);
        struct expr *a = cu_parse_cast(f);
        e = cu_address_of(f, a, cu_span_from(f, start));
        break;
    }
    case PUNCT_MUL: {
        cu_next(f);
        struct expr *a = cu_parse_cast(f);
        e = cu_deref(f, a, cu_span_from(f, start));
        break;
    }
    case PUNCT_ADD:
    case PUNCT_SUB:
    case PUNCT_NOT:
    case PUNCT_TILDE: {
        cu_next(f);
        struct expr *a = cu_parse_cast(f);
        e = cu_unary(f, p, a, cu_span_from(f, start));
        break;
    }
    case PUNCT_ANDAND: cu_error(f, at, "the address of a label is not supported");
    case PUNCT_SCOPE:
        if (f->kws[f->pos + 1] == KW_new || f->kws[f->pos + 1] == KW_delete) {
            cu_next(f);
            e = cu_is_kw(f, KW_new) ? cu_parse_new(f, true) : cu_parse_delete(f, true);
        }
        break;
    default:
        switch (cu_kw(f)) {
        case KW_sizeof: e = parse_sizeof(f, false); break;
        case KW_alignof:
        case KW___alignof:
        case KW___alignof__:
        case KW__Alignof: e = parse_sizeof(f, true); break;
        case KW_new: e = cu_parse_new(f, false); break;
        case KW_delete: e = cu_parse_delete(f, false); break;
        case KW___extension__:
            cu_next(f);
            e = cu_parse_cast(f);
            break;
        case KW_noexcept: {
            cu_next(f);
            size_t open = f->pos;
            cu_expect(f, PUNCT_LPAREN, "after noexcept");
            struct expr *operand = NULL;
            if (!cu_try_quietly(f, try_unevaluated, &operand)) {
                cu_show_caught(f);
                cu_unwind(f);
            }
            f->pos = cu_close(f, open) + 1;
            e = operand && operand->kind == EX_DEPENDENT
                    ? cu_dependent(f, at)
                    : cu_bool_expr(f, operand && !cu_throws(f, operand), at);
            break;
        }
        case KW_co_await: cu_error(f, at, "coroutines are not supported");
        default: break;
        }
    }
    if (!e)
        e = parse_postfix_of(f, cu_parse_primary(f));
    f->nesting--;
    return e;
}

/* ---- postfix ---- */

/* A launch dimension: an integer, or anything that converts to dim3. */
static struct expr *dimension(struct front *f, struct expr *e)
{
    struct found r;
    if (!cu_lookup_in(f, f->global, intern_z(f->names, "dim3"), &r) || !cu_found_is_type(&r))
        cu_error(f, e->span, "a launch needs dim3: include <cuda_runtime.h>");
    struct type *t = r.decls[0]->type;
    return cu_materialize(f, cu_init_copy(f, t, e, "the size of a launch"));
}

static struct expr *configuration(struct front *f, struct expr **config, unsigned n, struct span at)
{
    struct expr *list = cu_expr_new(f, EX_COMMA, cu_type(f, TY_VOID), CAT_PR, at);
    list->args = arena_array(f->a, struct expr *, 4);
    list->nargs = 4;
    list->args[0] = dimension(f, config[0]);
    list->args[1] = dimension(f, config[1]);
    list->args[2] = n > 2 ? cu_convert(f, config[2], cu_type(f, TY_UINT), "shared bytes")
                          : cu_int_expr(f, cu_type(f, TY_UINT), 0, at);
    list->args[3] = n > 3 ? cu_rvalue(f, config[3])
                          : cu_expr_new(f, EX_NULLPTR, cu_type(f, TY_NULLPTR), CAT_PR, at);
    return list;
}

/* The host's: whichever kernel a pointer points to. */
static struct expr *launch_by_pointer(struct front *f, struct expr *callee, struct expr **config,
                                      unsigned nconfig, struct expr **args, size_t n,
                                      struct span at)
{
    struct expr *e = cu_expr_new(f, EX_LAUNCH, cu_type(f, TY_VOID), CAT_PR, at);
    e->a = cu_rvalue(f, callee);
    const struct type *t = e->a->type->kind == TY_POINTER ? e->a->type->elem : e->a->type;
    if (t->kind != TY_FUNC || t->nparams != n || e->a->type->kind != TY_POINTER)
        cu_error(f, at, "a launch needs a kernel and its arguments");
    e->c = configuration(f, config, nconfig, at);
    e->args = arena_array(f->a, struct expr *, n + 1);
    e->nargs = n;
    for (size_t i = 0; i < n; i++)
        e->args[i] = cu_init_copy(f, t->params[i], args[i], "an argument of the kernel");
    return e;
}

/* k<<<grid, block, shared, stream>>>(args) inside device code: launches from the device. */
static struct expr *parse_launch(struct front *f, struct expr *callee)
{
    struct span at = cu_span(f);
    if (!cu_is(f, PUNCT_LAUNCH_OPEN))
        cu_next(f); /* formatters write << < */
    cu_next(f);
    struct expr *config[4] = {NULL};
    unsigned nconfig = 0;
    f->no_gt++;
    do {
        if (nconfig == 4)
            cu_error(f, cu_span(f), "a launch takes grid, block, shared bytes and stream");
        config[nconfig++] = cu_parse_init_clause(f);
    } while (cu_accept(f, PUNCT_COMMA));
    f->no_gt--;
    for (int i = 0; i < 3; i++) /* >>> may be in parts, too */
        if (!cu_accept_gt(f))
            cu_expect(f, PUNCT_LAUNCH_CLOSE, "after the launch's configuration");
    cu_expect(f, PUNCT_LPAREN, "before the kernel's arguments");
    struct expr **args;
    size_t n;
    cu_parse_args(f, PUNCT_RPAREN, &args, &n);
    bool dep = callee->kind == EX_DEPENDENT;
    for (unsigned i = 0; i < nconfig; i++)
        dep |= config[i]->kind == EX_DEPENDENT;
    for (size_t i = 0; i < n; i++)
        dep |= args[i]->kind == EX_DEPENDENT;
    if (dep)
        return cu_dependent(f, at);
    if (callee->kind != EX_OVERLOAD && nconfig >= 2 && cu_host(f))
        return launch_by_pointer(f, callee, config, nconfig, args, n, at);
    if (callee->kind != EX_OVERLOAD || nconfig < 2)
        cu_error(f, at, "a launch needs the name of a kernel, a grid and a block");
    struct func *fn =
        cu_resolve(f, callee->u.set.decls, callee->u.set.ndecls, NULL, callee->targs,
                   callee->ntargs, callee->has_targs, args, n, at, callee->u.set.name, false);
    if (!(fn->where & WHERE_GLOBAL))
        cu_error_note(f, at, fn->d.span, "declared here", "'%s' is not a kernel", fn->d.name);
    struct expr *e = cu_expr_new(f, EX_LAUNCH, cu_type(f, TY_VOID), CAT_PR, at);
    e->u.func = fn;
    e->c = configuration(f, config, nconfig, at);
    e->args = cu_convert_args(f, fn, args, n, &e->nargs, at);
    return e;
}

/* <<<, also in two parts, which nothing else can be. */
static bool at_launch(const struct front *f)
{
    if (cu_is(f, PUNCT_LAUNCH_OPEN))
        return true;
    const struct token *next = &f->toks[f->pos + 1];
    return next->kind == TOKEN_PUNCT && ((cu_is(f, PUNCT_SHL) && next->punct == PUNCT_LT) ||
                                         (cu_is(f, PUNCT_LT) && next->punct == PUNCT_SHL));
}

static struct expr *parse_postfix_of(struct front *f, struct expr *e)
{
    struct span first = e->span;
    for (unsigned links = 0;; links++) {
        struct span s = cu_span(f);
        s = first.loc && s.loc > first.loc && s.loc - first.loc < 4096 &&
                    !source_expansion_at(f->sm, first.loc) && !source_expansion_at(f->sm, s.loc)
                ? span_at(first.loc, s.loc + s.len - first.loc)
                : first;
        if (cu_is(f, PUNCT_LPAREN)) {
            struct expr **args;
            size_t n;
            size_t close = cu_close(f, f->pos);
            cu_next(f);
            cu_parse_args(f, PUNCT_RPAREN, &args, &n);
            struct span end = f->toks[close].span;
            if (end.loc > first.loc && end.loc - first.loc < 4096 &&
                !source_expansion_at(f->sm, first.loc) && !source_expansion_at(f->sm, end.loc))
                s = span_at(first.loc, end.loc + end.len - first.loc);
            e = cu_call(f, e, args, n, s);
        } else if (cu_is(f, PUNCT_LBRACKET)) {
            struct expr **args;
            size_t n;
            cu_next(f);
            cu_parse_args(f, PUNCT_RBRACKET, &args, &n);
            e = cu_index(f, e, args, n, s);
        } else if (cu_is(f, PUNCT_DOT) || cu_is(f, PUNCT_ARROW)) {
            bool arrow = cu_is(f, PUNCT_ARROW);
            cu_next(f);
            e = cu_member_access(f, e, arrow, s);
        } else if (cu_is(f, PUNCT_INC) || cu_is(f, PUNCT_DEC)) {
            enum punct p = (enum punct)cu_tok(f)->punct;
            cu_next(f);
            e = cu_incdec(f, p, false, e, s);
        } else if (at_launch(f)) {
            e = parse_launch(f, e);
        } else {
            break;
        }
        if (links > CU_MAX_CHAIN)
            cu_error(f, s, "more than %d operators in a row", CU_MAX_CHAIN);
    }
    return e;
}
