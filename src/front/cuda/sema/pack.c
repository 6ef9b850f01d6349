/* Parameter packs. An element of a list is parsed once to see whether `...` follows (probing: packs
 * in it stand for anything), and then once for each element of the packs that it names. */
#include "front/cuda/sema/sema.h"

/* Where the list around the token closes, or the first `...` in it; a token from which there is
 * known to be none also ends the search. */
static size_t end_of_search(struct front *f)
{
    for (size_t i = f->pos; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (f->no_ellipsis[i] || t->kind == TOKEN_EOF)
            return i;
        if (t->kind != TOKEN_PUNCT)
            continue;
        switch (t->punct) {
        case PUNCT_LPAREN:
        case PUNCT_LBRACKET:
        case PUNCT_LBRACE: i = cu_close(f, i); break;
        case PUNCT_RPAREN:
        case PUNCT_RBRACKET:
        case PUNCT_RBRACE:
        case PUNCT_SEMI:
        case PUNCT_ELLIPSIS: return i;
        default: break;
        }
    }
    return f->ntoks;
}

/* Is there a `...` before the list closes? Wrong only towards yes. What has none is marked, so that
 * a long list is looked through once, not once for each element. */
static bool maybe_expansion(struct front *f)
{
    const size_t end = end_of_search(f);
    if (end < f->ntoks && f->toks[end].kind == TOKEN_PUNCT && f->toks[end].punct == PUNCT_ELLIPSIS)
        return true;
    for (size_t i = f->pos; i < end; i++) {
        const struct token *t = &f->toks[i];
        f->no_ellipsis[i] = true;
        if (t->kind == TOKEN_PUNCT &&
            (t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACKET || t->punct == PUNCT_LBRACE))
            i = cu_close(f, i);
    }
    return false;
}

struct decl *cu_pack_element(struct front *f, struct decl *pack, struct span at)
{
    if (f->probing) {
        vec_push(f->a, &f->packs_seen, pack);
        return NULL;
    }
    if (!f->expanding) {
        if (f->pattern)
            return NULL;
        cu_error(f, at, "the pack '%s' has to be expanded with '...'", pack->name);
    }
    if (f->pack_index >= pack->u.value.npack)
        cu_error(f, at, "the packs expanded here have different lengths");
    struct targ *a = &pack->u.value.pack[f->pack_index];
    struct decl *d;
    switch (a->kind) {
    case TARG_TYPE:
        d = cu_decl_new(f, DECL_TYPE, pack->name, pack->span);
        d->type = a->type;
        return d;
    case TARG_TEMPLATE: return &a->tmpl->d;
    case TARG_VAR: return &a->var->d;
    case TARG_DEPENDENT: /* a pack of a pattern, handed on through an alias */
        if (!a->param_owner)
            return NULL;
        d = cu_decl_new(f, DECL_DEPENDENT, pack->name, pack->span);
        d->u.value = *a;
        d->type = cu_type(f, TY_DEPENDENT);
        return d;
    default:
        d = cu_decl_new(f, DECL_CONST, pack->name, pack->span);
        d->u.value = *a;
        d->type = a->type;
        return d;
    }
}

bool cu_expand_each(struct front *f, cu_element_fn *parse, void *arg, struct elements *out)
{
    f->last_expansion = false;
    if (!maybe_expansion(f)) {
        void *e = parse(f, arg);
        vec_push(f->a, out, e);
        f->last_expansion = false;
        return false;
    }
    struct parse_state state;
    cu_save(f, &state);
    struct decl **seen = f->packs_seen.data;
    size_t nseen = f->packs_seen.len, cap = f->packs_seen.cap;
    f->packs_seen.data = NULL;
    f->packs_seen.len = f->packs_seen.cap = 0;
    f->probing = true;
    f->pattern++;
    unsigned auto_seen = f->auto_seen, auto_next = f->auto_next;
    f->last_expansion = false;
    void *probe = parse(f, arg);
    bool expansion = f->last_expansion || cu_accept(f, PUNCT_ELLIPSIS);
    f->last_expansion = false;
    struct decl **packs = f->packs_seen.data;
    size_t npacks = f->packs_seen.len;
    f->packs_seen.data = seen;
    f->packs_seen.len = nseen;
    f->packs_seen.cap = cap;
    size_t end = f->pos;
    uint8_t end_split = f->split_n;
    unsigned end_auto = f->auto_next;
    bool invents = f->auto_seen != auto_seen; /* auto...: a pack of parameters */
    cu_restore(f, &state);
    f->auto_seen = auto_seen;
    f->auto_next = auto_next;
    if (!expansion) { /* nothing to expand here: parse it for what it is in the list around */
        for (size_t i = 0; state.probing && i < npacks; i++)
            vec_push(f->a, &f->packs_seen, packs[i]);
        void *e = parse(f, arg);
        vec_push(f->a, out, e);
        f->last_expansion = false;
        return false;
    }
    if (!npacks) {
        if (!f->pattern && !invents)
            cu_error(f, cu_span(f), "'...' follows something without a pack in it");
        void *e = parse(f, arg);
        vec_push(f->a, out, e);
        cu_accept(f, PUNCT_ELLIPSIS);
        f->last_expansion = false;
        f->auto_seen = auto_seen + (end_auto - auto_next);
        (void)probe;
        return true;
    }
    size_t n = packs[0]->u.value.npack;
    for (size_t i = 1; i < npacks; i++)
        if (packs[i]->u.value.npack != n)
            cu_error(f, cu_span(f), "the packs '%s' and '%s' have different lengths (%zu and %zu)",
                     packs[0]->name, packs[i]->name, n, packs[i]->u.value.npack);
    for (size_t i = 0; i < n; i++) {
        cu_restore(f, &state);
        f->auto_next = auto_next;
        f->expanding = true;
        f->probing = false;
        f->pack_index = i;
        void *e = parse(f, arg);
        vec_push(f->a, out, e);
    }
    cu_restore(f, &state);
    f->auto_next = end_auto;
    f->pos = end;
    f->split_n = end_split;
    f->last_expansion = false;
    return false;
}

/* ---- fold expressions ---- */

static struct expr *fold_apply(struct front *f, enum punct op, struct expr *a, struct expr *b,
                               struct span s)
{
    if (op == PUNCT_COMMA)
        return cu_comma(f, a, b, s);
    return cu_is_assignment(op) ? cu_assign(f, op, a, b, s) : cu_binary(f, op, a, b, s);
}

static void *fold_element(struct front *f)
{
    return cu_parse_cast(f);
}

/* Parses a cast-expression for each element of the packs in it, or once if there is none.
 * Returns whether there was a pack. */
static bool fold_operand(struct front *f, struct elements *out)
{
    struct parse_state state;
    cu_save(f, &state);
    size_t nseen = f->packs_seen.len;
    f->probing = true;
    f->pattern++;
    fold_element(f);
    size_t npacks = f->packs_seen.len - nseen;
    struct decl *first = npacks ? f->packs_seen.data[nseen] : NULL;
    f->packs_seen.len = nseen;
    size_t end = f->pos;
    cu_restore(f, &state);
    if (!npacks) {
        void *e = fold_element(f);
        vec_push(f->a, out, e);
        return false;
    }
    for (size_t i = 0; i < first->u.value.npack; i++) {
        cu_restore(f, &state);
        f->expanding = true;
        f->probing = false;
        f->pack_index = i;
        void *e = fold_element(f);
        vec_push(f->a, out, e);
    }
    cu_restore(f, &state);
    f->pos = end;
    return true;
}

static bool follows_operator(const struct token *t)
{
    if (t[-1].kind != TOKEN_PUNCT)
        return false;
    switch (t[-1].punct) {
    case PUNCT_RPAREN:
    case PUNCT_RBRACKET:
    case PUNCT_RBRACE:
    case PUNCT_GT:
    case PUNCT_SHR:
    case PUNCT_ELLIPSIS: return false;
    default: return true;
    }
}

struct expr *cu_parse_fold(struct front *f)
{
    size_t open = f->pos, close = cu_close(f, open), dots = 0;
    for (size_t i = open + 1; i < close; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind != TOKEN_PUNCT)
            continue;
        if (t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACKET || t->punct == PUNCT_LBRACE)
            i = cu_close(f, i);
        else if (t->punct == PUNCT_ELLIPSIS && (i == open + 1 || follows_operator(t)))
            dots = i;
    }
    if (!dots)
        return NULL;
    struct span s = f->toks[open].span;
    if (f->pattern) {
        /* A fold consumes its packs itself: nothing is left for the list around it. */
        f->pos = close + 1;
        return cu_dependent(f, s);
    }
    struct elements left = {0}, right = {0};
    enum punct op;
    bool left_pack = false, right_pack = false;
    f->pos = open + 1;
    if (dots == open + 1) {
        f->pos++;
        op = (enum punct)cu_tok(f)->punct;
        cu_next(f);
        right_pack = fold_operand(f, &right);
    } else {
        left_pack = fold_operand(f, &left);
        op = (enum punct)cu_tok(f)->punct;
        cu_next(f);
        if (!cu_accept(f, PUNCT_ELLIPSIS))
            cu_error(f, cu_span(f), "expected '...' in the fold expression");
        if (f->pos < close) {
            if (!cu_is(f, op))
                cu_error(f, cu_span(f), "both operators of a fold expression have to be the same");
            cu_next(f);
            right_pack = fold_operand(f, &right);
        }
    }
    if (f->pos != close)
        cu_error(f, cu_span(f), "expected ')' after the fold expression, found %s",
                 cu_tok_text(f, cu_tok(f)));
    f->pos = close + 1;
    if (left_pack == right_pack)
        cu_error(f, s, "a fold expression needs one operand with a pack");
    struct elements *pack = left_pack ? &left : &right, *init = left_pack ? &right : &left;
    struct expr *acc = init->len ? init->data[0] : NULL;
    if (!pack->len && !acc) {
        switch (op) {
        case PUNCT_ANDAND: return cu_bool_expr(f, true, s);
        case PUNCT_OROR: return cu_bool_expr(f, false, s);
        case PUNCT_COMMA: return cu_expr_new(f, EX_ZERO, cu_type(f, TY_VOID), CAT_PR, s);
        default: cu_error(f, s, "this operator has no value for an empty pack");
        }
    }
    /* (pack op …) and (pack op … op init) group to the right, the others to the left. */
    if (left_pack) {
        for (size_t i = pack->len; i-- > 0;)
            acc = acc ? fold_apply(f, op, pack->data[i], acc, s) : pack->data[i];
    } else {
        for (size_t i = 0; i < pack->len; i++)
            acc = acc ? fold_apply(f, op, acc, pack->data[i], s) : pack->data[i];
    }
    acc->paren = true;
    return acc;
}
